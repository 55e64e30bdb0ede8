"""The shape of what a mask picks, where how many there are need not be known."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern
from sparsetrace.arrays.picked_shapes import PickedShape


def asked():
    raise LookupError("the length was asked for")


def shape_of(lengths, place, ask=asked):
    return PickedShape(lengths, place, ask, pick=None, trace=None)


def test_what_does_not_depend_on_the_length_is_known():
    shape = shape_of((0, 3, 4), 0)
    assert len(shape) == 3
    assert (shape[1], shape[-1], shape[1:], shape[:0]) == (3, 4, (3, 4), ())
    assert shape != 1
    assert shape != (1, 2)
    assert shape != [2, 3, 4]
    assert isinstance(shape, tuple)


@pytest.mark.parametrize(
    "use",
    [
        lambda s: s[0],
        lambda s: s[:2],
        lambda s: s == (2, 3),
        lambda s: s != (2, 3),
        lambda s: s < (2, 3),
        lambda s: (2, 3) == s,  # noqa: SIM300
        list,
        tuple,
        hash,
        repr,
        sum,
        math.prod,
        np.zeros,
        np.prod,
        lambda s: pickle.loads(pickle.dumps(s)),
        lambda s: (*s,),
        lambda s: (1, *s),
        lambda s: s + (1,),  # noqa: RUF005
        lambda s: (1,) + s,  # noqa: RUF005
        lambda s: 2 * s,
        lambda s: 3 in s,
        lambda s: s.index(2),
        lambda s: s.count(2),
        lambda s: np.empty((2, 3)).reshape(s),
        lambda s: np.broadcast_to(1.0, s),
        lambda s: f"{s}",
        lambda s: "{} {}".format(*s),
        lambda s: dict([s]),
    ],
)
def test_whoever_needs_the_length_asks_for_it(use):
    wanted, got = use((2, 3)), use(shape_of((0, 3), 0, lambda: 2))
    assert np.all(got == wanted)
    with pytest.raises(LookupError):
        use(shape_of((0, 3), 0))


def checked(x):
    """Arrays that are compared as code does that takes any."""
    v, w = x[x > 0], (x**2)[x > 0]
    if v.shape != w.shape or v.shape == 1 or len(v.shape) > 1:
        raise ValueError("other shapes")
    return v @ w


def rows(x):
    table = x.reshape(-1, 2)
    some = table[table[:, 0] > 0]
    return (some * np.arange(1.0, 1 + some.shape[1])).sum(axis=0)


def as_many_zeros(x):
    m = x > 0
    part, y = np.zeros(x[m].shape), np.zeros(x.shape)
    part[:] = x[m] ** 2
    y[m] = part
    return y


def as_many_in_rows(x):
    m = x > 0
    part, y = np.ones((2, *x.shape))[:, m], np.zeros(x.shape)
    full = np.full(part.shape, x[0])
    y[m] = (full * part).sum(axis=0)
    return y


def as_many_but_of_others(x):
    """Where two masks differ, how many there are has to be known."""
    v, w = x[x > 0], x[x > 1]
    return x[0] * v.sum() if v.shape != w.shape else v @ w


FUNCTIONS = [checked, rows, as_many_zeros, as_many_in_rows]


@pytest.mark.parametrize("n", [4, 80])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_nothing_is_missing_and_nothing_extra(f, n):
    rng = np.random.default_rng(n)
    pattern = st.jacobian_sparsity(f, np.ones(n)).toarray()
    found = np.zeros_like(pattern)
    for scale in np.linspace(-1, 3, 40):
        x = rng.normal(scale, 1, n)
        found |= st.jacobian_sparsity(f, x, local=True).toarray()
    assert np.array_equal(pattern, found)


def test_other_masks_are_decided():
    pattern = st.jacobian_sparsity(as_many_but_of_others, np.ones(4)).toarray()
    assert pattern.all()
    with pytest.raises(st.ValueDependentError, match="the shape of x\\[mask\\]"):
        st.jacobian_sparsity(as_many_but_of_others, np.ones(80))


def some_of_some(x):
    """What is picked at the second place is decided, since somebody asks how many there are."""
    m = x[:6] > 0
    u = x[:6][m]
    v = x[6:][m]
    large = v > 1
    count = len(v)
    return (u[large] * v[large]).sum() + count * x[0]


def test_a_mask_that_is_decided_is_so_wherever_it_picks():
    pattern = st.jacobian_sparsity(some_of_some, np.ones(12)).toarray()
    assert pattern.all()


def into_as_many(x):
    y = np.ones(len(x[x > 0]))
    y *= x[x > 0]
    return y.sum()


def held_at_zero(x):
    """Rows of what is picked, in which a mask of as many dimensions writes."""
    rows = np.stack([x[x > 0], x[::-1][x > 0]])
    rows[rows < 0.0] = 0.0
    rows[rows > 1.0] = x[0]
    return (rows**2).sum(axis=1)


@pytest.mark.parametrize("f", [into_as_many, held_at_zero])
def test_what_is_picked_is_written(f):
    rng = np.random.default_rng(5)
    pattern = st.jacobian_sparsity(f, np.ones(5)).toarray()
    found = np.zeros_like(pattern)
    for _ in range(200):
        try:
            found |= st.jacobian_sparsity(f, rng.normal(0, 2, 5), local=True).toarray()
        except ValueError:  # nothing is found
            continue
    assert np.array_equal(pattern, found)


def test_rows_of_many_are_written_as_those_of_few():
    assert st.jacobian_sparsity(held_at_zero, np.ones(80)).toarray().all()
    with pytest.raises(st.ValueDependentError, match="len"):
        st.jacobian_sparsity(into_as_many, np.ones(80))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: y.item() * 2 if (y := x[x > 1]).size == 1 else y.sum(),
        lambda x: x[x >= x.max()].item(),
        lambda x: (x**2)[np.argsort(x)[0] == np.arange(len(x))].item(),
    ],
)
@pytest.mark.parametrize("n", [3, 80])
def test_the_one_number_that_is_picked(f, n):
    assert_same_pattern(st.jacobian_sparsity(f, np.linspace(0, 1.01, n)), np.ones((1, n)))


def test_a_number_of_several_is_an_error_of_the_functions_own():
    def f(x):
        try:
            return x[x > 0.8].item()
        except ValueError:
            return x[0] * x[1]

    pattern = st.lagrangian_hessian_sparsity(f, np.linspace(0, 1.01, 80))
    assert pattern.toarray()[0, 1]
    assert pattern.nnz == 2
