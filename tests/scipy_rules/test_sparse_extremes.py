"""Greatest and least elements of sparse arrays with traced data."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from outside import Outside

import sparsetrace as st
from oracles import assert_same_pattern, jacobian_pattern_at

CLASSES = [sp.csr_array, sp.csc_matrix, sp.coo_matrix]
ROWS, COLUMNS = [0, 0, 1, 2, 2, 2], [0, 2, 1, 0, 1, 2]
OTHER = np.array([[0.0, 0.4, 0.0], [0.0, -0.3, 0.0], [0.2, 0.0, -0.9]])
TWO = {
    "number": lambda a: a.maximum(-0.3),
    "number above zero": lambda a: a.maximum(0.2),
    "least": lambda a: a.minimum(0.2),
    "zero": lambda a: a.minimum(0),
    "dense": lambda a: a.maximum(OTHER),
    "sparse": lambda a: a.minimum(sp.csr_array(OTHER)),
    "transposed": lambda a: a.maximum(a.T),
}
ONE = {
    **{
        f"{name}, {axis}": lambda a, name=name, axis=axis: getattr(a, name)(axis=axis)
        for name in ("max", "min", "nanmax")
        for axis in (0, -1, None)
    },
    "nanmin": lambda a: a.nanmin(axis=1),
    **{
        f"{name}, explicit, {axis}": lambda a, name=name, axis=axis: getattr(a, name)(
            axis=axis, explicit=True
        )
        for name in ("max", "min")
        for axis in (0, 1, None)
    },
}
PLACES = {
    f"{name}, {axis}, {explicit}": lambda a, name=name, axis=axis, explicit=explicit: getattr(
        a, name
    )(axis=axis, explicit=explicit)
    for name in ("argmax", "argmin")
    for axis in (0, 1, None)
    for explicit in (False, True)
}
EXPLICIT = "explicit" in sp.csr_array.max.__code__.co_varnames
"""Since SciPy 1.15."""


def matrix(cls, x):
    return cls(sp.coo_array((x, (ROWS, COLUMNS)), shape=(3, 3)))


def dense(result):
    return np.ravel(result.toarray() if sp.issparse(result) else result)


def at_places(find, cls):
    """The elements of a vector at the places found."""
    return lambda x: np.append(x, x * x[0])[np.ravel(find(matrix(cls, x)))]


POINTS = [np.random.default_rng(seed).normal(size=6) for seed in range(30)]
VALUES = {
    (cls.__name__, name): lambda x, cls=cls, find=find: dense(find(matrix(cls, x)))
    for cls in CLASSES
    for name, find in {**TWO, **ONE}.items()
    if EXPLICIT or "explicit" not in name
}
FOUND = {
    (cls.__name__, name): at_places(find, cls)
    for cls in CLASSES
    for name, find in PLACES.items()
    if EXPLICIT or name.endswith("False")
}


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("f", VALUES.values(), ids=map(str, VALUES))
def test_values(f):
    wanted = [jacobian_pattern_at(f, x) for x in POINTS]
    for x, pattern in zip(POINTS[:4], wanted, strict=False):
        assert_same_pattern(st.jacobian_sparsity(f, x, local=True), pattern)
    assert_same_pattern(st.jacobian_sparsity(f, POINTS[0]), np.any(wanted, axis=0))


@pytest.mark.parametrize("f", FOUND.values(), ids=map(str, FOUND))
def test_places(f):
    for x in POINTS[:4]:
        assert_same_pattern(st.jacobian_sparsity(f, x, local=True), jacobian_pattern_at(f, x))
    wanted = np.any([jacobian_pattern_at(f, x) for x in POINTS], axis=0)
    assert not (wanted & ~st.jacobian_sparsity(f, POINTS[0]).toarray()).any()


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("name", ["number", "number above zero", "zero", "sparse", "max, 0"])
def test_the_entries_at_a_point_are_scipys(cls, name):
    find = {**TWO, **ONE}[name]
    for x in POINTS[:4]:
        plain = find(matrix(cls, x))
        seen = Outside()

        def f(x):
            result = find(matrix(cls, x))
            seen.append((type(result), result.shape, result.format))  # noqa: B023
            return result.data

        pattern = st.jacobian_sparsity(f, x, local=True, verify=False)
        assert pattern.shape[0] == plain.data.size
        assert seen[-1] == (type(plain), plain.shape, plain.format)


def test_a_traced_number_decides_what_is_an_entry():
    with pytest.raises(st.ValueDependentError, match=r"A\.maximum"):
        st.jacobian_sparsity(lambda x: matrix(sp.csr_array, x).maximum(x[0]).data, POINTS[0])
