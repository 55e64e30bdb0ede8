"""``x.view(Subclass)``: traced arrays of a user's class, with its attributes and methods."""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from oracles import assert_same_pattern, jacobian_pattern_at, numerical_jacobian_pattern


class Tagged(np.ndarray):
    """Carries a name and a partner, and computes as an array."""

    def __new__(cls, values, name="none", partner=None):
        made = np.asarray(values).view(cls)
        made.name, made.partner = name, partner
        return made

    def __array_finalize__(self, source):
        self.name = getattr(source, "name", "none")
        self.partner = getattr(source, "partner", None)

    @property
    def doubled(self):
        return 2 * self


class Field(np.ndarray):
    """As scikit-fem's DiscreteField: elements and results are plain arrays."""

    def __new__(cls, values, grad=None):
        made = np.asarray(values).view(cls)
        made.grad = grad
        return made

    def __array_finalize__(self, source):
        self.grad = getattr(source, "grad", None)

    def __getitem__(self, key):
        return np.array(self)[key]

    def __array_wrap__(self, result, context=None, return_scalar=False):
        return np.array(result)


class Shapeless(np.ndarray):
    @property
    def shape(self):
        return ()


OPERATIONS = {
    "times two": lambda u: u * 2,
    "two times": lambda u: 2.0 * u,
    "square": lambda u: u * u,
    "with an array": lambda u: np.ones(4) - u,
    "with a number of its own": lambda u: u[0] * u,
    "with a plain one": lambda u: u * np.asarray(u),
    "sine": np.sin,
    "modf": np.modf,
    "sum": np.sum,
    "sum of rows": lambda u: u.reshape(2, 2).sum(axis=1),
    "method sum": lambda u: u.sum(),
    "kept dimensions": lambda u: u.sum(keepdims=True),
    "mean": lambda u: u.mean(),
    "slice": lambda u: u[1:],
    "element": lambda u: u[1],
    "new axis": lambda u: u[:, None],
    "reshape": lambda u: u.reshape(2, 2),
    "transpose": lambda u: u.reshape(2, 2).T,
    "copy": lambda u: u.copy(),
    "np.copy": np.copy,
    "array": np.array,
    "asarray": np.asarray,
    "asanyarray": np.asanyarray,
    "ascontiguousarray": np.ascontiguousarray,
    "view": lambda u: u.view(),
    "view of the base": lambda u: u.view(np.ndarray),
    "astype": lambda u: u.astype(complex),
    "concatenate": lambda u: np.concatenate([u, u]),
    "concatenate with an array": lambda u: np.concatenate([u, np.ones(2)]),
    "stack": lambda u: np.stack([u, u]),
    "where": lambda u: np.where(u > 0, u, 0.0),
    "einsum": lambda u: np.einsum("i,j->ij", u, u),
    "dot": lambda u: np.dot(u, u),
    "matmul": lambda u: np.eye(4) @ u,
    "zeros_like": np.zeros_like,
    "cumsum": np.cumsum,
    "split": lambda u: np.split(u, 2),
    "roll": lambda u: np.roll(u, 1),
    "comparison": lambda u: u > 0,
    "in place": lambda u: u.__iadd__(1.0),
}


def described(result):
    if isinstance(result, (list, tuple)):
        return [described(item) for item in result]
    attributes = {name: getattr(result, name, "absent") for name in ("name", "grad")}
    return type(result).__name__, np.shape(result), attributes


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("cls", [Tagged, Field])
def test_results_are_of_the_class_that_numpy_gives(cls, name, local):
    operation, start = OPERATIONS[name], np.array([0.5, -0.25, 1.5, 2.0])
    option = {"name": "speed"} if cls is Tagged else {"grad": 7}
    seen = Outside()

    def f(x):
        result = operation(cls(x.copy(), **option))
        seen.append(described(result))
        return np.ravel(x)

    f(start)
    st.jacobian_sparsity(f, start, local=local, verify=False)
    plain, *traced = seen
    assert traced
    assert all(each == plain for each in traced)


PROGRAMS = {
    "attributes": lambda x: Tagged(x, partner=x[::-1]).partner * x,
    "inherited by results": lambda x: (Tagged(x, partner=x[0]) + 1.0).partner * x,
    "methods": lambda x: Tagged(x).doubled[1:] * x[:-1],
    "of a field": lambda x: (lambda u: u * u.grad)(Field(x[1:], grad=np.diff(x))),
    "elements of a field": lambda x: Field(x)[1:] * x[0],
    "told by type": lambda x: x * 2 if type(Tagged(x)) is Tagged else x[::-1],
    "told by isinstance": lambda x: x * 2 if isinstance(Field(x), Field) else x[::-1],
    "told by attribute": lambda x: x * x[0] if hasattr(Tagged(x) * 2, "name") else x,
    "told by attribute of a field": lambda x: x * x[0] if hasattr(Field(x) * 2, "grad") else x,
    "beside a plain field": lambda x: Field(np.arange(4.0)) * x,
    "written": lambda x: _written(Tagged(x.copy())),
    "buffer": lambda x: _filled(Tagged(np.zeros(4)), x),
}


def _written(u):
    u[1] = u[0] * u[2]
    return u


def _filled(u, x):
    result = np.array(u)
    result[:2] = x[2:]
    return result


@pytest.mark.parametrize("name", PROGRAMS)
def test_patterns(name):
    f, start = PROGRAMS[name], np.array([0.5, -0.25, 1.5, 2.0])
    assert_same_pattern(st.jacobian_sparsity(f, start), numerical_jacobian_pattern(f, start))
    local = st.jacobian_sparsity(f, start, local=True)
    assert_same_pattern(local, jacobian_pattern_at(f, start))


class Rows(np.ndarray):
    """Hands out its rows scaled by the first element."""

    def __getitem__(self, key):
        return np.asarray(self)[key] * np.asarray(self)[0]


def test_loops_over_a_view_ask_the_class_for_its_elements():
    def f(x):
        return np.array([2 * value for value in x.view(Rows)])

    start = np.array([0.5, -0.25, 1.5, 2.0])
    expected = numerical_jacobian_pattern(f, start)
    assert_same_pattern(st.jacobian_sparsity(f, start), expected)


class WithSlots(np.ndarray):
    __slots__ = ("name",)


@pytest.mark.parametrize("cls", [Shapeless, WithSlots, np.recarray])
def test_classes_that_lay_their_arrays_out_are_refused(cls):
    with pytest.raises(st.UnsupportedError, match=r"ndarray\.view"):
        st.jacobian_sparsity(lambda x: np.asarray(x.view(cls)), np.ones(4))


def test_a_foreign_class_may_have_attributes_of_the_same_names():
    """As those of pandas have."""

    class Column:
        _is_view = property(lambda self: False)

        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

    pattern = st.jacobian_sparsity(lambda x: np.asarray(Column()) * x, np.ones(2))
    assert (pattern.toarray() == np.eye(2)).all()
