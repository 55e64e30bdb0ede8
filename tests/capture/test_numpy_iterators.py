"""``np.nditer`` and ``np.ndenumerate`` over traced arrays."""

import numpy as np
import pytest
from checks import Cases, check

import sparsetrace as st
from oracles import assert_same_pattern

case = Cases()
W = np.array([1.0, -2.0, 3.0])


def iterated(f):
    case(f.__name__, f, (2, 3))
    return f


@iterated
def summed(x):
    total = 0.0
    for v in np.nditer(x):
        total = total + v**2
    return total


@iterated
def doubled_in_place(x):
    a = x * x
    with np.nditer(a, op_flags=["readwrite"]) as it:
        for v in it:
            v[...] = 2 * v
    return a


@iterated
def of_given_dtypes(x):
    y, kind = np.zeros((2, 3), x.dtype), x.dtype
    options = {"op_flags": [["readonly"], ["writeonly"]], "op_dtypes": [kind, kind.str]}
    with np.nditer([x, y], **options) as it:
        for a, b in it:
            b[...] = a**2
    it = np.nditer([x, x[::-1], None], ["buffered"], op_dtypes=[kind, None, kind])
    for a, b, c in it:
        c[...] = a * b
    for v in np.nditer(x, op_dtypes=[kind]):
        y[0, 0] += v
    return y, it.operands[2]


@iterated
def beside_objects(x):
    names = np.array([None, "b", ()], dtype=object)
    flags = [*[["readonly"]] * 2, ["writeonly", "allocate", "no_subtype"]]
    kinds = (None, None, x.dtype)
    with np.nditer([x, names, None], ["refs_ok"], flags, kinds, casting="no") as it:
        for v, name, out in it:
            out[...] = v**2 if name.item() is None else v
        return it.operands[2]


class Tripled(np.ndarray):
    def __array_finalize__(self, source):
        pass

    def __mul__(self, other):
        return np.asarray(self) * other * 3


@iterated
def of_no_subclass(x):
    view, total = x.view(Tripled), 0.0
    for v in np.nditer([view * 1.0, view]):
        total = total + type(v[1]).__name__.count("Tripled") + v[1] * v[0]
    return total


@iterated
def by_index(x):
    y = np.zeros((3, 2))
    it = np.nditer(x, flags=["multi_index"])
    while not it.finished:
        i, j = it.multi_index
        y[j, i] = it[0] ** 2
        it.iternext()
    return y


@iterated
def by_flat_index(x):
    y = np.zeros(6)
    it = np.nditer(x, flags=["f_index"])
    for v in it:
        y[it.index] = v
    return y


@iterated
def in_the_order_of_memory(x):
    return [v * v for v in np.nditer(x.T[::-1])], [v.copy() for v in np.nditer(x.T, order="C")]


@iterated
def of_lists(x):
    it = np.nditer([[x[0, 0], x[1, 1]], (1.0, x[0, 1]), None])
    for a, b, y in it:
        y[...] = a * b
    return it.operands[2]


@iterated
def allocated(x):
    it = np.nditer([x, W, None])
    for a, b, y in it:
        y[...] = a * b
    return it.operands[2]


@iterated
def written_beside(x):
    y = np.zeros((2, 3))
    with np.nditer([x, y], op_flags=[["readonly"], ["writeonly"]]) as it:
        for a, b in it:
            b[...] = a**2
    return y


@iterated
def in_chunks(x):
    y = x * 1.0
    for v in np.nditer(y, flags=["external_loop", "buffered"], op_flags=[["readwrite"]]):
        v *= v
    return y, [v[0] for v in np.nditer([x.T], flags=["external_loop"], order="F")]


@iterated
def items_and_reset(x):
    it = np.nditer([x, x[::-1]])
    first = it[1] * it[0]
    it.iternext()
    second, both = it[0] * 1.0, it[:2]
    it.reset()
    return first, second, both[0] * both[1], next(it)[0] * 3, len(it), it.itersize


@iterated
def with_branches(x):
    y = x - 1.0
    for v in np.nditer(y, op_flags=["readwrite"]):
        v[...] = v if v > 0 else 0.0
    return y


@iterated
def enumerated(x):
    y = np.zeros((3, 2))
    for (i, j), v in np.ndenumerate(x):
        y[j, i] = v * v
    return y


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


@case.parametrize()
def test_hessians_are_those_of_all_points(case):
    def f(x):
        parts = case.f(x)
        parts = parts if isinstance(parts, tuple) else (parts,)
        return sum(np.sum(np.sin(np.array(part))) for part in parts)

    points = np.random.default_rng(0).uniform(0.5, 2.0, (40, 2, 3))
    expected = np.any([st.hessian_sparsity(f, x, local=True).toarray() for x in points], axis=0)
    assert_same_pattern(st.hessian_sparsity(f, points[0]).toarray(), expected)


def test_what_is_only_read_cannot_be_written():
    def f(x):
        for v in np.nditer(x * 2):
            v[...] = 1.0
        return x

    for mode in ({}, {"local": True}):
        with pytest.raises(ValueError, match="read-only"):
            st.jacobian_sparsity(f, np.ones(3), **mode)


def test_conversions_are_refused():
    def f(x):
        walk = np.nditer(x, ["buffered"], op_dtypes=[np.float32], casting="same_kind")
        return [float(v) for v in walk]

    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(f, np.ones(3))
