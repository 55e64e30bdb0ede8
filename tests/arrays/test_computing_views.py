"""``x.view(Units)``: traced arrays of classes with operators and protocols of their own."""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from oracles import assert_same_pattern, jacobian_pattern_at, numerical_jacobian_pattern

START = np.array([0.5, 0.25, 1.5, 2.0])
FIRST = {np.multiply: 1, np.matmul: 1, np.true_divide: -1}
SAME = (np.add, np.subtract, np.maximum, np.minimum, np.greater, np.less, np.greater_equal)


class Units(np.ndarray):
    """A quantity: a power of metres, and how many metres its unit has."""

    def __new__(cls, values, power=1, scale=1.0):
        made = np.array(values, dtype=float, copy=None, subok=True).view(cls)
        made.power, made.scale = power, scale
        return made

    def __array_finalize__(self, source):
        self.power = getattr(source, "power", 0)
        self.scale = getattr(source, "scale", 1.0)

    @property
    def value(self):
        return self.view(np.ndarray)

    @staticmethod
    def parts(x):
        return (x.value, x.power, x.scale) if isinstance(x, Units) else (x, 0, 1.0)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        out = kwargs.pop("out", None)
        values, powers, scales = zip(*map(self.parts, inputs), strict=True)
        if ufunc in SAME and len(inputs) == 2:
            if powers[0] != powers[1]:
                raise TypeError("these units do not go together")
            values = values[0], values[1] * (scales[1] / scales[0])
        if out is not None:
            kwargs["out"] = tuple(self.parts(x)[0] for x in out)
        result = super().__array_ufunc__(ufunc, method, *values, **kwargs)
        if result is NotImplemented or result is None or ufunc in SAME[4:]:
            return result
        power, scale = powers[0], scales[0]
        if ufunc is np.sqrt:
            power, scale = power / 2, scale**0.5
        elif ufunc in FIRST and len(inputs) == 2:
            power += FIRST[ufunc] * powers[1]
            scale *= scales[1] ** FIRST[ufunc]
        if out is not None:
            out[0].power, out[0].scale = power, scale
            return out[0]
        return Units(result, power, scale)

    def __array_function__(self, function, types, args, kwargs):
        if function is np.where:
            values = [self.parts(x)[0] for x in args]
            return Units(function(*values), self.power, self.scale)
        if function is np.interp:
            return NotImplemented
        return super().__array_function__(function, types, args, kwargs)

    def __getitem__(self, key):
        found = super().__getitem__(key)
        return found if isinstance(found, np.ndarray) else Units(found, self.power, self.scale)


class Weighted(np.ndarray):
    """What it computes depends on a weight, which may be a traced number."""

    weight = 1.0

    def __array_finalize__(self, source):
        self.weight = getattr(source, "weight", 1.0)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        arrays = [x.view(np.ndarray) if isinstance(x, Weighted) else x for x in inputs]
        result = getattr(ufunc, method)(*arrays, **kwargs)
        return (result * self.weight).view(Weighted) if np.ndim(result) else result * self.weight


class Operators(np.ndarray):
    """Gives operators alone another meaning."""

    def __mul__(self, other):
        return np.matmul(self.reshape(2, 2), np.reshape(other, (2, 2))).reshape(-1)

    def __rmul__(self, other):
        return Operators.__mul__(np.asarray(other).view(Operators), self)

    def __add__(self, other):
        return super().__add__(other)[::-1]

    def __gt__(self, other):
        return np.asarray(self)[::-1] > other


class Reflected(np.ndarray):
    """Is asked by numbers of Python's, which give way to it, and not by NumPy's."""

    def __rmul__(self, other):
        return other * np.asarray(self)[::-1] + np.asarray(self).sum()


class Tripled(np.ndarray):
    """Changes what its results hold."""

    def __array_wrap__(self, result, context=None, return_scalar=False):
        return 3 * np.asarray(result)[::-1] if np.ndim(result) else result


class Summed(np.ndarray):
    """Has a weight for its sums, which NumPy's functions ask it for, and computes as an array."""

    weight = 1.0

    def __array_finalize__(self, source):
        self.weight = getattr(source, "weight", 1.0)

    def sum(self, axis=None, dtype=None, out=None, **options):
        return np.asarray(self).sum(axis) * self.weight


class Scaled(np.ndarray):
    """Has a weight for what is read of it."""

    weight = 1.0

    def __array_finalize__(self, source):
        self.weight = getattr(source, "weight", 1.0)

    def __getitem__(self, key):
        return np.asarray(self)[key] * self.weight


class Sliced(Summed):
    """The same, of slices that it makes anew."""

    def __getitem__(self, key):
        found = np.asarray(self)[key]
        return weighted(found, self.weight, Sliced) if np.ndim(found) else found


class Memory:
    def __init__(self):
        self.sums = []


class Remembering(np.ndarray):
    """Remembers its sum, in what arrays made of it share."""

    def __array_finalize__(self, source):
        self.known = getattr(source, "known", {})
        self.memory = getattr(source, "memory", None)

    def sum(self, axis=None, dtype=None, out=None, **options):
        if "sum" not in self.known:
            self.known["sum"] = np.asarray(self).sum()
        return self.known["sum"]

    def prod(self, axis=None, dtype=None, out=None, **options):
        if not self.memory.sums:
            self.memory.sums.append(np.asarray(self).prod())
        return self.memory.sums[0]


def remembering(x):
    made = x.view(Remembering)
    made.known, made.memory = {}, Memory()
    return made


class Wrapped(np.ndarray):
    """Takes its results for its own, as most such classes do, and has a weight for them."""

    weight = 1.0

    def __array_wrap__(self, result, context=None, return_scalar=False):
        made = np.asarray(result)
        return made[()] if return_scalar else weighted(made * self.weight, self.weight, type(self))


class Other(Wrapped):
    pass


class Listed(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return [1.0]


def weighted(x, weight, cls=Weighted):
    made = x.view(cls)
    made.weight = weight
    return made


def written(q):
    q[1] = q[0] * 2
    q *= 3
    q += Units(1.0, scale=1e3)
    np.add(q, q, out=q)
    return q


METRES = Units(np.arange(1.0, 5.0))
FEET = Units(np.arange(1.0, 5.0), scale=0.3048)


WRAPPED = weighted(np.arange(1.0, 5.0), 2.0, Wrapped)


def threes(weight):
    return weighted(np.array([1.0, 3.0, 9.0]), weight, Summed)


PROGRAMS = {
    "units": lambda x: Units(x) / Units(2.0),
    "sums": lambda x: Units(x[1:]) + Units(x[:-1], scale=1e3),
    "constants before": lambda x: (METRES * x).value,
    "constants after": lambda x: (x * METRES).value,
    "constants beside": lambda x: (Units(x) + FEET).value,
    "constants of other units": lambda x: (FEET - Units(x)).value,
    "numbers": lambda x: (x[0] * METRES).value + (METRES * x[1]).value,
    "elements": lambda x: np.array([q.value for q in Units(x)]),
    "element": lambda x: (Units(x)[1] * x).value,
    "slices": lambda x: (Units(x)[1:] - Units(x)[:-1]).value,
    "written": lambda x: written(Units(x.copy())).value,
    "roots": lambda x: np.sqrt(Units(x) * Units(x)).value,
    "sum": lambda x: (Units(x).sum() * x).value,
    "np.sum": lambda x: (np.sum(Units(x)) * x).value,
    "mean": lambda x: (np.mean(Units(x)) + Units(x)).value,
    "std": lambda x: Units(x).std() / x,
    "cumsum": lambda x: np.cumsum(Units(x)).value,
    "diff": lambda x: np.diff(Units(x)).value,
    "concatenate": lambda x: np.concatenate([Units(x[:2]), Units(x[2:])]),
    "stack": lambda x: np.stack([Units(x), Units(x[::-1])]),
    "column stack": lambda x: np.column_stack([Units(x), Units(x)]),
    "reshape": lambda x: (Units(x).reshape(2, 2) @ Units(x).reshape(2, 2).T).value,
    "where": lambda x: np.where(Units(2.0) < METRES, Units(x), Units(x[::-1])).value,
    "dot": lambda x: np.dot(Units(x), Units(x)),
    "flip": lambda x: np.flip(Units(x)).value,
    "roll": lambda x: np.roll(Units(x), 1) * x,
    "clip": lambda x: Units(x * 0.1).clip(Units(-9.0), Units(9.0)).value,
    "trace": lambda x: np.trace(Units(x).reshape(2, 2)) * x[:1],
    "accumulate": lambda x: np.add.accumulate(Units(x)).value,
    "outer": lambda x: np.multiply.outer(Units(x), Units(x)).value,
    "copies": lambda x: np.copy(Units(x), subok=True).value + np.array(Units(x)),
    "power of a weight": lambda x: weighted(x[1:], x[0]) * 2.0,
    "weighted sum": lambda x: np.sum(weighted(x[1:3], x[0])) + np.zeros(2),
    "weighted mean": lambda x: weighted(x[1:3], x[0]).mean() + np.zeros(2),
    "weighted trace": lambda x: weighted(x[1:2].reshape(1, 1), x[0]).trace() + np.zeros(2),
    "weighted clip": lambda x: weighted(x[1:2], x[0]).clip(-9.0, 9.0) + np.zeros(2),
    "weighted cumsum": lambda x: weighted(x[1:3], x[0]).cumsum() + np.zeros(2),
    "weighted constants": lambda x: weighted(np.ones(3), x[0]) * x[1:],
    "sum by a method": lambda x: np.sum(weighted(x[1:], x[0], Summed)) + np.zeros(2),
    "mean beside it": lambda x: np.mean(weighted(x[1:], x[0], Summed)) + np.zeros(2),
    "flip by elements": lambda x: np.flip(weighted(x[1:], x[0], Scaled)),
    "diff by elements": lambda x: np.diff(weighted(x[1:], x[0], Scaled)),
    "trapezoid by elements": lambda x: np.trapezoid(weighted(x[1:], x[0], Scaled)) + np.zeros(2),
    "split by elements": lambda x: np.split(weighted(x[1:3], x[0], Scaled), 2)[1],
    "loop by elements": lambda x: np.array([2 * v for v in weighted(x[1:], x[0], Scaled)]),
    "sum of what slices give": lambda x: np.trapezoid(weighted(x[1:], x[0], Sliced)) + np.zeros(2),
    "sum that is remembered": lambda x: np.sum(remembering(x)) * np.ones(2),
    "product that an object remembers": lambda x: np.prod(remembering(x)) * np.ones(2),
    "sum of flipped": lambda x: np.sum(np.flip(weighted(x[1:], x[0], Sliced))) + np.zeros(2),
    "sum of constants": lambda x: np.average(threes(x[0]), weights=x[1:]) + np.zeros(2),
    "constants by views": lambda x: np.average(threes(x[0]), weights=weighted(x[1:], 1.0, Summed)),
    "numbers of Python's": lambda x: float(x[0]) * np.arange(1.0, 5.0).view(Reflected),
    "numbers of NumPy's": lambda x: x[0] * np.arange(1.0, 5.0).view(Reflected),
    "numbers of Python's and views": lambda x: float(x[0]) * x[1:].view(Reflected),
    "in place": lambda x: (x * 1.0).__imul__(np.arange(1.0, 5.0).view(Operators)),
    "operators": lambda x: x.view(Operators) * np.arange(4.0),
    "operators of constants": lambda x: np.arange(4.0).view(Operators) * x,
    "reflected operators": lambda x: np.arange(4.0) * x.view(Operators),
    "operators that call ndarray's": lambda x: x.view(Operators) + np.arange(4.0),
    "results wrapped": lambda x: x.view(Tripled) * 2.0,
    "results wrapped beside constants": lambda x: np.ones(4).view(Tripled) * x,
    "results wrapped by the first": lambda x: WRAPPED + x.view(Other),
    "results wrapped by the first, a view": lambda x: x.view(Other) + WRAPPED,
    "methods of constants": lambda x: WRAPPED.dot(x.view(Other)) + np.zeros(2),
    "methods of constants and arrays": lambda x: WRAPPED.dot(x) + np.zeros(2),
    "methods by their class": lambda x: np.ndarray.dot(x.view(Other), WRAPPED) + np.zeros(2),
    "choices by constants": lambda x: np.array([0, 1, 0, 1]).view(Other).choose([x.view(Other), x]),
    "sums of constants where": lambda x: WRAPPED.sum(where=x > 9.0) + x,
    "searches of constants": lambda x: WRAPPED.searchsorted(1.1 * x.view(Other)) + x,
    "attributes of constants": lambda x: weighted(np.ones(4), x[0], Wrapped) + x,
    "of constants": lambda x: np.array(np.sin(x.view(Listed))) + x,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_patterns(name):
    f = PROGRAMS[name]
    expected = numerical_jacobian_pattern(lambda x: np.asarray(f(x)), START)
    assert_same_pattern(st.jacobian_sparsity(f, START), expected)
    local = st.jacobian_sparsity(f, START, local=True)
    assert_same_pattern(local, jacobian_pattern_at(lambda x: np.asarray(f(x)), START))


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_of_the_class_that_numpy_gives(name, local):
    seen = Outside()

    def f(x):
        result = PROGRAMS[name](x)
        seen.append((type(result).__name__, np.shape(result), getattr(result, "power", None)))
        return x

    f(START)
    st.jacobian_sparsity(f, START, local=local, verify=False)
    plain, *traced = seen
    assert traced
    assert all(each == plain for each in traced)


def ofs(x, cls=Units, **attributes):
    """A copy of the numbers as an array of the class."""
    made = x.copy().view(cls)
    vars(made).update(attributes)
    return made


def in_millimetres(x):
    return ofs(x, power=1, scale=1e-3)


GIVEN = {
    "units": (in_millimetres, lambda q: (q[1:] * q[:-1] + q[1:] * METRES[1:]).value),
    "weights": (lambda x: ofs(x, Weighted, weight=3.0), lambda w: w * w[::-1]),
    "sums": (lambda x: ofs(x, Summed, weight=0.0), lambda w: np.sum(w) * np.ones(2)),
    "a tuple": (lambda x: (in_millimetres(x[:2]), x[2:]), lambda pair: pair[0].value * pair[1]),
    "a table": (
        lambda x: {"k": in_millimetres(x.reshape(2, 2))},
        lambda t: (t["k"] @ t["k"]).value,
    ),
    "written into": (lambda x: ofs(x, power=1, scale=1.0), lambda q: written(q).value),
}


@pytest.mark.parametrize("name", GIVEN)
def test_arguments(name):
    make, f = GIVEN[name]
    expected = numerical_jacobian_pattern(lambda x: np.asarray(f(make(x))), START)
    given = make(START)
    assert_same_pattern(st.jacobian_sparsity(f, given), expected)
    at_point = jacobian_pattern_at(lambda x: np.asarray(f(make(x))), START)
    assert_same_pattern(st.jacobian_sparsity(f, given, local=True), at_point)
    assert isinstance(given, type(make(START)))


def test_arguments_of_which_nothing_is_known():
    def f(x, q):
        y = (Units(x) * q).value
        return y if q[0] < Units(1.0) else y[::-1]

    assert_same_pattern(
        st.jacobian_sparsity(f, START, Units(START, scale=2.0)), np.eye(4) + np.eye(4)[::-1]
    )
    assert st.jacobian_sparsity(f, START, Units(START), static_argnums=1).nnz == 4


@pytest.mark.parametrize("held", [lambda x: x, lambda x: [x[1:]], lambda x: {"k": (x[:1],)}])
def test_attributes_that_show_the_memory_of_arguments_are_refused(held):
    given = START.copy().view(Weighted)
    given.weight = held(np.asarray(given))
    with pytest.raises(st.InputError, match="shows the memory"):
        st.jacobian_sparsity(lambda w: np.asarray(w) * w.weight[0], given)
    with pytest.raises(st.InputError, match="shows the memory"):
        st.jacobian_sparsity(lambda x, w: x * w.weight[0], np.asarray(given), given)


def test_derivatives_by_arguments():
    def f(q):
        return (q[1:] * q[:-1] + q[1:] * METRES[1:]).value

    given = ofs(START, power=1, scale=1e-3)
    derivative = st.sparse_jacobian(f, given)
    scales = 1e3 * np.arange(2.0, 5.0)
    expected = np.zeros((3, 4))
    expected[range(3), range(3)] = START[1:]
    expected[range(3), range(1, 4)] = START[:-1] + scales
    for point in (given, START):  # as an optimiser has it
        np.testing.assert_allclose(derivative(point).toarray(), expected, rtol=1e-5)


REFUSED = {
    "units that do not go together": lambda x: Units(x) + x,
    "units that do not go together, reflected": lambda x: x + Units(x),
    "a function without an answer": lambda x: np.interp(Units(x), [0.0, 1.0], [0.0, 1.0]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors_of_the_class_are_those_of_plain_arrays(name):
    with pytest.raises(TypeError) as plain:
        REFUSED[name](START)
    with pytest.raises(TypeError) as traced:
        st.jacobian_sparsity(REFUSED[name], START)
    assert str(plain.value).split("(")[0] == str(traced.value).split("(")[0]


def test_constants_in_a_file_are_arrays(tmp_path):
    table = np.memmap(tmp_path / "table", dtype=float, mode="w+", shape=4)
    table[:] = [1.0, 0.0, 2.0, 3.0]

    def f(x):
        return np.concatenate([table * x, np.dot(table, x)[None]])

    expected = np.vstack([np.diag([1, 0, 1, 1]), [1, 0, 1, 1]]) != 0
    assert_same_pattern(st.jacobian_sparsity(f, START), expected)


def test_reflected_comparisons_are_asked_before_those_of_buffers():
    def f(x):
        return np.where(np.arange(4.0) < x.view(Operators), x, 0.0)

    local = st.jacobian_sparsity(f, START, local=True)
    assert_same_pattern(local, jacobian_pattern_at(f, START))
    assert_same_pattern(st.jacobian_sparsity(f, START), np.eye(4, dtype=bool))


def test_values_keep_their_units_at_a_point():
    seen = Outside()

    def f(x):
        near = np.searchsorted(np.arange(4.0), (Units(x) + FEET).value)
        seen.append(near.tolist())
        return x

    f(START)
    st.jacobian_sparsity(f, START, local=True, verify=False)
    plain, *traced = seen
    assert traced
    assert all(each == plain for each in traced)


def test_hessians():
    def f(x):
        q = Units(x)
        return np.sum(q[1:] * q[:-1]).value

    expected = np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)
    assert_same_pattern(st.hessian_sparsity(f, START), expected != 0)
