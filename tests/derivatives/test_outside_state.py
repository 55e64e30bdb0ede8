"""Functions that read more than their arguments, and what they read changes between evaluations."""

from __future__ import annotations

import array
import copy
import functools
import pickle
import sys
import types

import numpy as np
import pytest
from scipy.sparse import csr_array

import sparsetrace as st
from sparsetrace.derivatives.hessian import sparse_hessian, sparse_lagrangian_hessian
from sparsetrace.derivatives.jacobian import sparse_jacobian
from sparsetrace.errors import InputError, VerificationError

pytestmark = pytest.mark.fast
POINT = np.array([0.4, 1.2, -0.7, 2.0])
SHIFT = 1
MODEL = types.SimpleNamespace(k=0)
MODULE = types.ModuleType("a_model")
MODULE.k = 0


def by_global(x):
    return x * np.roll(x, SHIFT)


def by_attribute(x):
    return x * x[MODEL.k]


def by_module(x):
    return x * x[MODULE.k]


def dense(f, x):
    columns = np.eye(len(x))
    return np.stack([(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in columns], axis=1)


def rebound_global():
    def change():
        global SHIFT
        SHIFT = 3 - SHIFT

    return by_global, change


def attribute_of_a_global():
    return by_attribute, lambda: setattr(MODEL, "k", (MODEL.k + 2) % 4)


def attribute_of_a_module():
    return by_module, lambda: setattr(MODULE, "k", (MODULE.k + 2) % 4)


def closure():
    k = 0

    def change():
        nonlocal k
        k = 2

    return lambda x: x * x[k], change


def options():
    options = {"flip": False, "scale": 2.0}
    return (
        lambda x: options["scale"] * (x[::-1] if options["flip"] else x),
        lambda: options.update(flip=True),
    )


def new_key():
    options = {}
    return lambda x: x * x[options.get("k", 0)], lambda: options.update(k=2)


class Model:
    shift = 1

    def __init__(self):
        self.indices = np.array([0, 1, 2, 3])
        self.stages = [np.sin]
        self.inner = types.SimpleNamespace(order=[1, 2])

    def __call__(self, x):
        return x * np.roll(x, self.shift)

    def gathered(self, x):
        return x * x[self.indices]

    def staged(self, x):
        for stage in self.stages:
            x = stage(x)
        return x

    def nested(self, x):
        return sum(np.roll(x, k) ** 2 for k in self.inner.order)


class Slots:
    __slots__ = ("k",)

    def __init__(self):
        self.k = 0

    def f(self, x):
        return x * x[self.k]


def attribute_of_a_class():
    class Other(Model):
        shift = 1

    return Other(), lambda: setattr(Other, "shift", 2)


def indices_in_place():
    model = Model()

    def change():
        model.indices[:] = [3, 2, 1, 0]

    return model.gathered, change


def other_indices():
    model = Model()
    return model.gathered, lambda: setattr(model, "indices", np.array([1, 0, 3, 2]))


def list_of_functions():
    model = Model()
    return model.staged, lambda: model.stages.append(lambda x: x * x[::-1])


def object_in_an_object():
    model = Model()

    def change():
        model.inner.order[0] = 3

    return model.nested, change


def slot():
    model = Slots()
    return model.f, lambda: setattr(model, "k", 2)


def partial_call():
    model = types.SimpleNamespace(k=0)
    return (
        functools.partial(lambda model, x: x * x[model.k], model),
        lambda: setattr(model, "k", 1),
    )


def constant_that_was_zero():
    weights = {"far": 0.0}
    return lambda x: x + weights["far"] * x[::-1], lambda: weights.update(far=0.5)


def matrix_with_other_zeros():
    matrix = np.eye(4)

    def change():
        matrix[0, 3] = 2.0

    return lambda x: matrix @ x**2, change


def sparse_matrix():
    matrix = csr_array(np.eye(4))

    def change():
        matrix.indices[:] = [3, 2, 1, 0]

    return lambda x: matrix @ x**2, change


def helper_function():
    helpers = {"g": np.sin}
    return lambda x: helpers["g"](x), lambda: helpers.update(g=lambda x: x * x.sum())


def default():
    def f(x, k=0):
        return x * x[k]

    return f, lambda: setattr(f, "__defaults__", (2,))


def default_by_name():
    def f(x, *, k=0):
        return x * x[k]

    return f, lambda: f.__kwdefaults__.update(k=2)


def code_of_a_function():
    def f(x):
        return x * x[0]

    return lambda x: f(x), lambda: setattr(f, "__code__", (lambda x: x * x[2]).__code__)


def base_of_a_class():
    class First:
        k = 0

    class Second:
        k = 2

    class Chosen(First):
        def f(self, x):
            return x * x[self.k]

    return Chosen().f, lambda: setattr(Chosen, "__bases__", (Second,))


def keyword_of_a_partial_call():
    call = functools.partial(lambda x, k: x * x[k], k=0)
    return call, lambda: call.keywords.update(k=2)


def imported_where_it_is_used():
    sys.modules[MODULE.__name__] = MODULE

    def f(x):
        import a_model

        return x * x[a_model.k]

    return f, lambda: setattr(MODULE, "k", (MODULE.k + 2) % 4)


def order_of_a_dict():
    places = {"a": 0, "b": 2}
    return lambda x: x * x[next(iter(places.values()))], lambda: places.update(a=places.pop("a"))


def array_of_objects():
    table = np.array([0, None])

    def change():
        table[0] = 2

    return lambda x: x * x[table[0]], change


def byte():
    table = bytearray(1)

    def change():
        table[0] = 2

    return lambda x: x * x[table[0]], change


def whole_number_of_an_array():
    table = array.array("i", [0])

    def change():
        table[0] = 2

    return lambda x: x * x[table[0]], change


CHANGES = (
    default,
    default_by_name,
    code_of_a_function,
    base_of_a_class,
    keyword_of_a_partial_call,
    imported_where_it_is_used,
    order_of_a_dict,
    array_of_objects,
    byte,
    whole_number_of_an_array,
    rebound_global,
    attribute_of_a_global,
    attribute_of_a_module,
    closure,
    options,
    new_key,
    attribute_of_a_class,
    indices_in_place,
    other_indices,
    list_of_functions,
    object_in_an_object,
    slot,
    partial_call,
    constant_that_was_zero,
    matrix_with_other_zeros,
    sparse_matrix,
    helper_function,
)


@pytest.mark.parametrize("make", CHANGES)
@pytest.mark.parametrize("evaluated_before", [False, True])
@pytest.mark.parametrize("check", [True, False])
def test_the_change_is_followed(make, evaluated_before, check):
    f, change = make()
    jacobian = sparse_jacobian(f, POINT, check=check)
    for _ in range(3 * evaluated_before):
        np.testing.assert_allclose(jacobian(POINT).toarray(), dense(f, POINT), atol=1e-8)
    change()
    np.testing.assert_allclose(jacobian(POINT).toarray(), dense(f, POINT), atol=1e-8)
    assert (jacobian.pattern.toarray() == st.jacobian_sparsity(f, POINT).toarray()).all()


@pytest.mark.parametrize("make", CHANGES)
def test_the_change_is_followed_in_hessians(make):
    f, change = make()

    def energy(x):
        return np.sum(f(x) ** 3)

    def squares(x):
        return f(x) ** 2

    objective = sparse_hessian(energy, POINT)
    lagrangian = sparse_lagrangian_hessian(None, squares, POINT)
    weights = np.arange(1.0, 5.0)
    objective(POINT), lagrangian(POINT, weights)
    change()
    expected = sparse_hessian(energy, POINT)(POINT).toarray()
    np.testing.assert_allclose(objective(POINT).toarray(), expected, rtol=1e-5, atol=1e-4)
    expected = sparse_lagrangian_hessian(None, squares, POINT)(POINT, weights).toarray()
    result = lagrangian(POINT, weights).toarray()
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-4)


def test_objects_among_the_arguments():
    def f(x, model, order):
        return x * x[model.k] * np.roll(x, order[0])

    model, order = types.SimpleNamespace(k=0), [1]
    jacobian = sparse_jacobian(f, POINT, (model, order))
    for change in (lambda: setattr(model, "k", 2), lambda: order.__setitem__(0, 2)):
        jacobian(POINT)
        change()
        expected = dense(lambda x: f(x, model, order), POINT)
        np.testing.assert_allclose(jacobian(POINT).toarray(), expected, atol=1e-8)


def test_floats_among_static_arguments():
    def f(x, threshold):
        return x if threshold < 1 else x[::-1]

    jacobian = sparse_jacobian(f, POINT, (0.5,), static_argnums=1)
    np.testing.assert_array_equal(jacobian(POINT).toarray(), np.eye(4))
    np.testing.assert_array_equal(jacobian(POINT, 2.0).toarray(), np.eye(4)[::-1])


# ------------------------------------------------------------------ what is not traced again
def counting_traces(monkeypatch):
    traces = []
    traced = st.derivatives.jacobian.SparseJacobian._traced

    def counted(self):
        traces.append(1)
        return traced(self)

    monkeypatch.setattr(st.derivatives.jacobian.SparseJacobian, "_traced", counted)
    return traces


def test_what_the_function_itself_writes_is_its_own_affair(monkeypatch):
    traces = counting_traces(monkeypatch)
    model = types.SimpleNamespace(calls=0, last=None, seen={}, history=[])

    def f(x):
        model.calls += 1
        model.last = x.copy()
        model.seen[model.calls] = True
        model.history.append(model.calls)
        return x * np.roll(x, 1)

    jacobian = sparse_jacobian(f, POINT)
    for i in range(20):
        f(POINT + i)
        jacobian(POINT + i)
    assert len(traces) <= 2


def test_what_is_beside_a_cache_of_the_function_is_watched():
    options = {"k": 1}
    steps = [1]

    def f(x):
        options[f"seen {len(options)}"] = len(steps)
        steps.append(0)
        return x * np.roll(x, options["k"] * steps[0])

    jacobian = sparse_jacobian(f, POINT)
    for change in (lambda: options.update(k=2), lambda: steps.__setitem__(0, 3)):
        jacobian(POINT)
        jacobian(POINT)
        change()
        expected = dense(f, POINT)
        np.testing.assert_allclose(jacobian(POINT).toarray(), expected, atol=1e-8)


def test_copies_and_pickles_are_prepared_again():
    jacobian = sparse_jacobian(by_attribute, POINT)
    jacobian(POINT)
    for other in (copy.deepcopy(jacobian), pickle.loads(pickle.dumps(jacobian))):
        MODEL.k = (MODEL.k + 1) % 4
        expected = dense(by_attribute, POINT)
        np.testing.assert_allclose(other(POINT).toarray(), expected, atol=1e-8)


def test_numbers_that_are_others_but_not_zero_are_not_traced_again(monkeypatch):
    traces = counting_traces(monkeypatch)
    model = types.SimpleNamespace(time=1.0, field=np.arange(1.0, 5.0), name="a" * 3)
    f = lambda x: model.time * model.field * x  # noqa: E731
    jacobian = sparse_jacobian(f, POINT)
    for i in range(20):
        model.time, model.name = 2.0 + i, "".join(["a"] * 3)
        model.field = model.field * 1.5
        np.testing.assert_allclose(jacobian(POINT).diagonal(), model.time * model.field)
    assert len(traces) == 1


def test_counters_of_others_are_traced_again_three_times_at_most(monkeypatch):
    traces = counting_traces(monkeypatch)
    model = types.SimpleNamespace(step=0, log=[])
    f = lambda x: x**2 if model.step >= 0 and model.log is not None else x  # noqa: E731
    jacobian = sparse_jacobian(f, POINT)
    for _ in range(30):
        model.step += 1
        model.log.append("done")
        jacobian(POINT)
    assert len(traces) <= 8


# ------------------------------------------------------------------- what is seen by a check
def behind_compiled_code():
    """State that no walk finds: a compiled iterator holds it."""
    hidden = np.zeros(2**20, dtype=np.int8)
    return lambda x: x * x[int(hidden[12345])], hidden


def test_a_change_that_is_not_seen_is_found_within_the_documented_calls():
    f, hidden = behind_compiled_code()
    jacobian = sparse_jacobian(f, POINT)
    jacobian(POINT)
    hidden[12345] = 2
    colors = jacobian.coloring.num_colors
    with pytest.raises(VerificationError, match=r"no entry \(\d, 2\).*retrace\(\)"):  # noqa: PT012
        for _ in range(40 // colors + 1):
            jacobian(POINT)
    with pytest.raises(VerificationError):
        jacobian(POINT)  # and again, until something is done
    jacobian.retrace()
    np.testing.assert_allclose(jacobian(POINT).toarray(), dense(f, POINT), atol=1e-8)


def test_always():
    f, hidden = behind_compiled_code()
    jacobian = sparse_jacobian(f, POINT, check="always")
    jacobian(POINT)
    hidden[12345] = 2
    with pytest.raises(VerificationError, match="no entry"):
        jacobian(POINT)


def test_a_branch_on_a_float_is_found_at_once():
    model = types.SimpleNamespace(time=0.5)
    f = lambda x: x * (x if model.time < 1 else x[::-1])  # noqa: E731
    jacobian = sparse_jacobian(f, POINT)
    jacobian(POINT)
    model.time = 2.0
    with pytest.raises(VerificationError, match=r"no entry.*retrace\(\)"):
        jacobian(POINT)


def test_a_given_pattern_is_checked_when_something_changes():
    model = types.SimpleNamespace(k=0)
    f = lambda x: x * np.roll(x, model.k)  # noqa: E731
    jacobian = sparse_jacobian(f, POINT, pattern=np.eye(4))
    jacobian(POINT)
    model.k = 1
    with pytest.raises(VerificationError, match=r"no entry.*Leave pattern="):
        jacobian(POINT)
    with pytest.raises(InputError, match="pattern was given"):
        jacobian.retrace()


def test_values_are_not_handed_to_rows_of_before():
    model = types.SimpleNamespace(k=1)
    jacobian = sparse_jacobian(lambda x: x * np.roll(x, model.k), POINT)
    before = jacobian.rows, jacobian.cols
    jacobian.data(POINT)
    model.k = 2
    for _ in range(2):
        with pytest.raises(VerificationError, match=r"attribute k .* changed.*rows and cols"):
            jacobian.data(POINT)
    assert (jacobian.cols != before[1]).any()
    matrix = csr_array((jacobian.data(POINT), (jacobian.rows, jacobian.cols))).toarray()
    np.testing.assert_allclose(matrix, dense(jacobian._flat.function, POINT), atol=1e-8)


def test_retrace_of_a_hessian_reaches_its_gradient():
    f, hidden = behind_compiled_code()
    hessian = sparse_hessian(lambda x: f(x).sum(), POINT, terms=f)
    hessian(POINT)
    hidden[12345] = 2
    hessian.retrace()
    expected = np.zeros((4, 4))
    expected[2] += 1
    expected[:, 2] += 1
    np.testing.assert_allclose(hessian(POINT).toarray(), expected, atol=1e-6)


def test_a_trace_that_fails_after_a_change_fails_again():
    model = types.SimpleNamespace(code=False)
    f = lambda x: np.array(memoryview(x)) if model.code else x**2  # noqa: E731
    jacobian = sparse_jacobian(f, POINT)
    jacobian(POINT)
    model.code = True
    for _ in range(2):
        with pytest.raises(st.TracingError):
            jacobian(POINT)
