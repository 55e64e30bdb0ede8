"""The call `jacobian_sparsity`: what it takes, what it gives, what it refuses."""

from __future__ import annotations

import copy
import gc
import math
import tracemalloc
from array import array
from collections import OrderedDict, defaultdict, deque, namedtuple
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from outside import Outside

from oracles import assert_same_pattern, numerical_jacobian_pattern
from sparsetrace import (
    InputError,
    OutputError,
    SparsityPattern,
    TracedArray,
    TracingError,
    jacobian_sparsity,
)
from sparsetrace.graph.graph import Graph

Pair = namedtuple("Pair", "first second")
STORES = ("auto", "csr", "bitset", "roaring")


@dataclass
class Record:
    value: np.ndarray


def square_plus_next(x):
    return x[:-1] ** 2 + x[1:]


BIDIAGONAL = np.eye(3, 4) + np.eye(3, 4, k=1)


# ----------------------------------------------------------------------- result
@pytest.mark.parametrize("store", STORES)
def test_result(store):
    pattern = jacobian_sparsity(square_plus_next, np.ones(4), store=store)
    assert isinstance(pattern, SparsityPattern)
    assert isinstance(pattern, scipy.sparse.csr_array)
    assert pattern.dtype == bool
    assert pattern.shape == (3, 4)
    assert pattern.has_sorted_indices
    assert pattern.has_canonical_format
    assert_same_pattern(pattern, BIDIAGONAL)


# ---------------------------------------------------------------------- argnums
def three(a, b, c):
    return np.stack([a[0] * b[1], b[0] + c, a[1] * c])


ALL_THREE = {
    0: [[1, 0], [0, 0], [0, 1]],
    1: [[0, 1], [1, 0], [0, 0]],
    2: [[0], [1], [1]],
}
ARGUMENTS = (np.ones(2), np.ones(2), 1.0)


@pytest.mark.parametrize(
    ("argnums", "parts"),
    [
        (0, (0,)),
        (1, (1,)),
        (2, (2,)),
        (-1, (2,)),
        (-3, (0,)),
        ((0, 1), (0, 1)),
        ((2, 0), (2, 0)),
        ([0, 1, 2], (0, 1, 2)),
        ((-1, -2), (2, 1)),
        (np.int64(1), (1,)),
        (range(2), (0, 1)),
        (np.array([0, 2]), (0, 2)),
    ],
)
def test_argnums(argnums, parts):
    pattern = jacobian_sparsity(three, *ARGUMENTS, argnums=argnums)
    assert_same_pattern(pattern, np.hstack([ALL_THREE[part] for part in parts]))


def test_no_argnums_gives_no_columns():
    assert jacobian_sparsity(three, *ARGUMENTS, argnums=()).shape == (3, 0)


@pytest.mark.parametrize("argnums", [3, -4, (0, 0), (0, -3), (0, 5), 1.0, "0", None, (0.5,)])
def test_wrong_argnums(argnums):
    with pytest.raises(InputError, match="argnums"):
        jacobian_sparsity(three, *ARGUMENTS, argnums=argnums)


def test_no_arguments():
    with pytest.raises(InputError, match="argnums"):
        jacobian_sparsity(lambda: 1.0)


# --------------------------------------------------------------- nested inputs
NESTED = {
    "a tuple": ((np.ones(2), 3.0), lambda t: t[0] * t[1], [[1, 0, 1], [0, 1, 1]]),
    "a list": ([np.ones(2), 3.0], lambda t: t[0] * t[1], [[1, 0, 1], [0, 1, 1]]),
    "a dict": (
        {"b": np.ones(2), "a": 3.0},
        lambda d: d["b"] * d["a"],
        [[1, 0, 1], [0, 1, 1]],
    ),
    "an ordered dict": (
        OrderedDict(b=3.0, a=np.ones(2)),
        lambda d: d["b"] * d["a"],
        [[1, 1, 0], [1, 0, 1]],
    ),
    "a named tuple": (
        Pair(np.ones(2), 3.0),
        lambda p: p.first * p.second,
        [[1, 0, 1], [0, 1, 1]],
    ),
    "deep": (
        {"p": (np.ones(1), [np.ones((1, 2)), {"q": 2.0}])},
        lambda d: d["p"][0] * d["p"][1][1]["q"] + d["p"][1][0][0],
        [[1, 1, 0, 1], [1, 0, 1, 1]],
    ),
    "numbers in a list": ([1.0, 2.0, 3.0], lambda x: x[1:] * 2, np.eye(3)[[1, 2, 1, 2]]),
    "rows of numbers": ([[1.0, 2.0], [3.0, 4.0]], lambda x: x[1], [[0, 0, 1, 0], [0, 0, 0, 1]]),
    "numbers in a tuple": ((1.0, 2.0), lambda t: t[0] * t[1], [[1, 1]]),
    "nothing": ((), lambda t: 1.0, np.zeros((1, 0))),
    "empty parts": ({"a": [], "b": np.ones(1)}, lambda d: d["b"], [[1]]),
}


@pytest.mark.parametrize("name", NESTED)
def test_nested_inputs(name):
    tree, f, expected = NESTED[name]
    assert_same_pattern(jacobian_sparsity(f, tree), np.array(expected))


def test_the_nesting_keeps_its_types():
    def f(tree):
        assert type(tree) is dict
        assert type(tree["pair"]) is Pair
        assert type(tree["list"]) is list
        assert isinstance(tree["pair"].first, TracedArray)
        assert isinstance(tree["list"][0], float)
        return tree["list"][0]

    tree = {"pair": Pair(np.ones(2), 1.0), "list": [2.0, np.ones(1)]}
    assert_same_pattern(jacobian_sparsity(f, tree), [[0, 0, 0, 1, 0]])


@pytest.mark.parametrize(
    "bad",
    [
        None,
        "text",
        b"bytes",
        {1.0, 2.0},
        object(),
        Record(np.ones(2)),
        SimpleNamespace(x=1.0),
        np.array([None, 1.0]),
        np.array(["a"]),
        np.array([1.0, 2.0], object),
        np.array(["2020-01-01"], "datetime64[D]"),
        np.zeros(2, [("a", float)]),
        np.ma.masked_array(np.ones(3), [0, 1, 0]),
        Fraction(1, 2),
        scipy.sparse.eye_array(3),
        (v for v in [1.0, 2.0]),
        [1.0, None],
        {"a": "text"},
        lambda: 1.0,
        iter([1.0]),
    ],
    ids=lambda bad: type(bad).__name__,
)
def test_inputs_that_are_no_numbers(bad):
    with pytest.raises(InputError) as found:
        jacobian_sparsity(lambda x: x, bad)
    assert "number" in str(found.value) or "masked" in str(found.value)


# -------------------------------------------------------------- kinds of inputs
def test_scalar_input_is_a_scalar():
    def f(x):
        kinds.append(type(x))
        return [x**2, 1.0, np.sin(x)]

    kinds = Outside()
    for value in (1.0, 2, True, 1j, np.float64(1.0), np.float32(1.0), np.int8(1)):
        assert_same_pattern(jacobian_sparsity(f, value), [[1], [0], [1]])
    assert list(kinds) == [float, float, float, complex, np.float64, np.float32, np.float64]


def test_zero_dimensional_input_is_an_array():
    def f(x):
        assert isinstance(x, TracedArray)
        assert x.shape == ()
        return x * np.ones(2)

    assert_same_pattern(jacobian_sparsity(f, np.array(1.0)), [[1], [1]])


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (3, 0, 2)])
def test_empty_input(shape):
    pattern = jacobian_sparsity(lambda x: [np.sum(x), 1.0], np.zeros(shape))
    assert pattern.shape == (2, 0)
    assert jacobian_sparsity(lambda x: x, np.zeros(shape)).shape == (0, 0)


def test_empty_output():
    assert jacobian_sparsity(lambda x: x[:0], np.ones(3)).shape == (0, 3)
    assert jacobian_sparsity(lambda x: [], np.ones(3)).shape == (0, 3)
    assert jacobian_sparsity(lambda x: (), np.ones(3)).shape == (0, 3)
    assert jacobian_sparsity(lambda x: {}, np.ones(3)).shape == (0, 3)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", "i1", "i4", "i8", "u2", "?", "c8", "c16"])
def test_dtypes(dtype):
    seen = Outside()

    def f(x):
        seen.append(x.dtype)
        return square_plus_next(x)

    pattern = jacobian_sparsity(f, np.ones(4, dtype))
    assert_same_pattern(pattern, BIDIAGONAL)
    # whole numbers stand for floats, whose derivative is asked for
    assert seen[0] == (np.dtype(dtype) if np.dtype(dtype).kind in "fc" else np.float64)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0, 1e308])
def test_values_do_not_count(value):
    pattern = jacobian_sparsity(lambda x: x[:-1] * x[1:], np.full(4, value))
    assert_same_pattern(pattern, BIDIAGONAL)


def test_inputs_are_not_changed():
    point = np.arange(4.0)

    def f(x):
        x *= 2
        x[0] = 5.0
        return x

    assert_same_pattern(jacobian_sparsity(f, point), np.diag([0, 1, 1, 1]))
    np.testing.assert_array_equal(point, np.arange(4.0))


def layouts():
    base = np.arange(12.0).reshape(3, 4)
    read_only = base.copy()
    read_only.flags.writeable = False
    return {
        "C": base,
        "Fortran": np.asfortranarray(base),
        "a slice": np.arange(48.0).reshape(6, 8)[::2, ::2],
        "reversed": base[::-1, ::-1],
        "transposed": np.arange(12.0).reshape(4, 3).T,
        "read-only": read_only,
        "broadcast": np.broadcast_to(np.arange(4.0), (3, 4)),
        "another byte order": base.astype(">f8"),
        "a matrix row": np.arange(24.0).reshape(3, 8)[:, 1::2],
        "unaligned": np.zeros(97, np.uint8)[1:].view(np.float64).reshape(3, 4),
        "axes swapped": np.arange(12.0).reshape(2, 3, 2).swapaxes(0, 1).reshape(3, 4),
    }


ORDERED = [
    "x.ravel()", "x.ravel(order='F')", "x.ravel(order='A')", "x.ravel(order='K')",
    "x.flatten('K')", "x.flatten('F')", "x.reshape(2, 6)", "x.reshape(2, 6, order='F')",
    "x.reshape(2, 6, order='A')", "x.T.ravel()", "x.T.ravel(order='K')", "x.T.reshape(-1)",
    "x.copy(order='K').ravel(order='K')", "x.copy().ravel(order='K')", "x.copy(order='A')",
    "np.ravel(x, order='K')", "np.copy(x).ravel(order='K')", "x[1:].ravel(order='K')",
    "x.flat[3]", "x.T.flat[3]", "x.astype(float).ravel(order='K')", "copy.copy(x).ravel('K')",
    "x.astype(float, order='C').ravel(order='K')", "x.astype(float, 'F').ravel(order='K')",
    "x.astype(float, copy=False).ravel(order='K')", "x.view().ravel(order='K')",
    "x.transpose().copy().ravel(order='K')", "copy.deepcopy(x).ravel('K')",
    "x.swapaxes(0, 1).ravel('A')", "x[::2].ravel(order='A')", "x[:, ::-1].ravel('K')",
]  # fmt: skip
ORDER_IS_LOST = [
    "(x + 0.0).ravel(order='K')", "np.positive(x).ravel(order='A')",
    "np.array(x, order='K').ravel(order='K')", "np.ascontiguousarray(x).ravel(order='K')",
    "np.asfortranarray(x).ravel(order='K')",
]  # fmt: skip


def check_order(layout, source):
    """The function moves elements; where to, it says of labels in the same memory order."""
    point = layouts()[layout]
    f = eval(f"lambda x: {source}", {"np": np, "copy": copy})
    labels = np.array(point, dtype=float, order="K")
    labels[...] = np.arange(12.0).reshape(3, 4)
    moved = np.ravel(f(labels)).astype(int)
    assert_same_pattern(jacobian_sparsity(f, point), np.eye(12)[moved])


@pytest.mark.parametrize("layout", ["C", "Fortran", "transposed", "read-only"])
@pytest.mark.parametrize("source", ORDERED)
def test_memory_order_is_that_of_the_input(layout, source):
    check_order(layout, source)


@pytest.mark.parametrize("layout", ["C", "read-only"])
@pytest.mark.parametrize("source", ORDER_IS_LOST[:4])
def test_memory_order_after_operations(layout, source):
    check_order(layout, source)


@pytest.mark.parametrize("layout", ["Fortran", "transposed"])
@pytest.mark.parametrize("source", ORDER_IS_LOST[:4])
def test_memory_order_after_operations_on_other_orders(layout, source):
    check_order(layout, source)


@pytest.mark.parametrize("layout", layouts())
def test_every_layout_is_read_in_c_order(layout):
    def f(x):
        return x.reshape(-1) * x.shape[0]

    assert_same_pattern(jacobian_sparsity(f, layouts()[layout]), np.eye(12))


def test_many_inputs():
    n = 10**6
    tracemalloc.start()
    pattern = jacobian_sparsity(lambda x: x[1:] * x[:-1] + 1.0, np.ones(n))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert pattern.nnz == 2 * (n - 1)
    assert peak < 120 * n  # bytes: some arrays of the result's size


def test_ten_million_inputs_with_few_outputs():
    pattern = jacobian_sparsity(lambda x: np.stack([x[0] * x[-1], x[5]]), np.ones(10**7))
    assert pattern.shape == (2, 10**7)
    assert pattern.indices.tolist() == [0, 10**7 - 1, 5]


# ------------------------------------------------------------------------- out=
def test_out_is_filled():
    def f(x, out):
        out[0] = x[0] * x[1]
        out[1] = 3.0
        out[2:] = x[1:]

    pattern = jacobian_sparsity(f, np.ones(3), out=np.zeros(4))
    assert_same_pattern(pattern, [[1, 1, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_out_starts_with_its_own_values():
    def f(x, out):
        out *= x  # zeros stay zeros
        out[2] += x[0]

    pattern = jacobian_sparsity(f, np.ones(3), out=np.array([0.0, 2.0, 0.0]))
    assert_same_pattern(pattern, [[0, 0, 0], [0, 1, 0], [1, 0, 0]])
    loose = jacobian_sparsity(f, np.ones(3), out=np.zeros(3), constants="structure")
    assert_same_pattern(loose, [[1, 0, 0], [0, 1, 0], [1, 0, 1]])


def test_nested_out():
    def f(x, out):
        out["b"][...] = x[0]
        out["a"][0][1] = x[1]

    pattern = jacobian_sparsity(f, np.ones(2), out={"a": (np.zeros(2),), "b": np.zeros((2, 1))})
    assert_same_pattern(pattern, [[0, 0], [0, 1], [1, 0], [1, 0]])


def test_out_is_not_changed():
    out = np.zeros(2)
    jacobian_sparsity(lambda x, y: y.fill(x[0]), np.ones(1), out=out)
    assert not out.any()


def test_what_f_returns_beside_out_does_not_count():
    def f(x, out):
        out[:] = x
        return x.sum()

    assert_same_pattern(jacobian_sparsity(f, np.ones(2), out=np.zeros(2)), np.eye(2))


def test_several_arguments_and_out():
    def f(a, b, out):
        np.multiply(a, b, out=out)

    pattern = jacobian_sparsity(f, np.ones(2), np.ones(2), argnums=(0, 1), out=np.empty(2))
    assert_same_pattern(pattern, np.tile(np.eye(2), 2))


@pytest.mark.parametrize("out", ["text", object(), np.array([None])])
def test_out_that_is_no_array(out):
    with pytest.raises(InputError):
        jacobian_sparsity(lambda x, y: None, np.ones(2), out=out)


# ---------------------------------------------------------------------- outputs
OUTPUTS = {
    "an array": (lambda x: 2 * x, np.eye(3)),
    "a scalar": (lambda x: x[0] * x[1], [[1, 1, 0]]),
    "a sum": (np.sum, [[1, 1, 1]]),
    "a matrix": (lambda x: np.outer(x, x), None),
    "a list of scalars": (lambda x: [x[2], x[0]], [[0, 0, 1], [1, 0, 0]]),
    "a tuple": (lambda x: (x[1:], x[0]), np.roll(np.eye(3), -1, axis=0)),
    "a dict": (lambda x: {"b": x[2], "a": x[:2]}, np.roll(np.eye(3), 1, axis=0)),
    "a named tuple": (lambda x: Pair(x[:2], x[2]), np.eye(3)),
    "nested": (lambda x: [(x[0], {"a": [x[1]]}), x[2:]], np.eye(3)),
    "rows": (lambda x: [[x[0], 1.0], [x[1], x[2]]], [[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "arrays of one length": (lambda x: [x, x[::-1]], np.vstack([np.eye(3), np.eye(3)[::-1]])),
    "an object array": (lambda x: np.array([x[0], 1.0, x[2]], object), np.diag([1, 0, 1])),
    "a constant": (lambda x: 1.0, np.zeros((1, 3))),
    "a whole number": (lambda x: 1, np.zeros((1, 3))),
    "a constant array": (lambda x: np.ones(2), np.zeros((2, 3))),
    "a list of constants": (lambda x: [1.0, 2], np.zeros((2, 3))),
    "constants among others": (lambda x: [1.0, x[0], np.zeros(1)], [[0] * 3, [1, 0, 0], [0] * 3]),
    "an opaque number": (lambda x: np.argmax(x), np.zeros((1, 3))),
    "a condition": (lambda x: x > 0, np.zeros((3, 3))),
    "whole numbers": (lambda x: np.floor(x), np.zeros((3, 3))),
    "x itself": (lambda x: x, np.eye(3)),
    "a generator made a list": (lambda x: [*(v for v in x)], np.eye(3)),
    "complex numbers": (lambda x: x * 1j, np.eye(3)),
    "no dimensions": (lambda x: x.reshape(3)[1:2].reshape(()), [[0, 1, 0]]),
    "tolist": (lambda x: x.tolist(), np.eye(3)),
    "a range": (lambda x: range(2), np.zeros((2, 3))),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs(name):
    f, expected = OUTPUTS[name]
    pattern = jacobian_sparsity(f, np.array([1.0, 2.0, 3.0]))
    if expected is None:
        expected = numerical_jacobian_pattern(f, np.array([1.0, 2.0, 3.0]))
    assert_same_pattern(pattern, np.array(expected))


@pytest.mark.parametrize(
    "made",
    [
        lambda x: None,
        lambda x: [x[0], None],
        lambda x: "text",
        lambda x: {"a": "text"},
        lambda x: object(),
        lambda x: scipy.sparse.eye_array(3),
        lambda x: (v for v in x),
        lambda x: {1.0, 2.0},
        lambda x: Record(x),
        lambda x: np.array([None]),
        lambda x: np.sin,
        lambda x: Fraction(1, 2),
        lambda x: np.array(["a"]),
        lambda x: map(np.sin, x),
    ],
)
def test_outputs_that_are_no_numbers(made):
    with pytest.raises(OutputError):
        jacobian_sparsity(made, np.ones(3))


def test_the_error_for_none_speaks_of_out():
    with pytest.raises(OutputError, match="out="):
        jacobian_sparsity(lambda x: None, np.ones(3))


# ---------------------------------------------------------------------- options
def test_constants_as_structure():
    def f(x):
        return np.array([[0.0, 1.0], [2.0, 0.0]]) @ x + 0.0 * x[0]

    assert_same_pattern(jacobian_sparsity(f, np.ones(2)), [[0, 1], [1, 0]])
    loose = jacobian_sparsity(f, np.ones(2), constants="structure")
    assert_same_pattern(loose, np.ones((2, 2)))


def test_dependency_follows_values():
    def f(x):
        return [np.floor(x[0]), np.sign(x[1]) * x[2], x[0] > 0, 0.0 * x[1]]

    assert_same_pattern(
        jacobian_sparsity(f, np.ones(3)), [[0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    )
    assert_same_pattern(
        jacobian_sparsity(f, np.ones(3), dependency=True),
        [[1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 0, 0]],
    )


@pytest.mark.parametrize(
    "options",
    [
        {"store": "dense"},
        {"store": None},
        {"constants": "none"},
        {"constants": True},
    ],
)
def test_options_that_do_not_exist(options):
    (name,) = options
    with pytest.raises(InputError, match=f"{name}=.*choose"):
        jacobian_sparsity(lambda x: x, np.ones(2), **options)


# ---------------------------------------------------------------- several traces
def test_a_trace_inside_a_trace_on_constants():
    def f(x):
        inner = jacobian_sparsity(square_plus_next, np.ones(4))
        return inner.toarray().astype(float)[:, :3] @ x

    assert_same_pattern(jacobian_sparsity(f, np.ones(3)), BIDIAGONAL[:, :3])


def test_a_trace_inside_a_trace_on_traced_values_is_refused():
    def f(x):
        jacobian_sparsity(square_plus_next, x)
        return x

    with pytest.raises(InputError, match="another trace"):
        jacobian_sparsity(f, np.ones(4))


def test_a_trace_inside_a_trace_cannot_use_the_outer_ones_values():
    def f(x):
        return jacobian_sparsity(lambda y: x * y, np.ones(4)).toarray() @ x

    with pytest.raises(TracingError, match="two different traces"):
        jacobian_sparsity(f, np.ones(4))


def test_values_kept_from_an_earlier_trace_are_refused():
    kept = Outside()
    jacobian_sparsity(lambda x: kept.append(x) or x, np.ones(2))
    with pytest.raises(TracingError, match="an earlier run"):
        jacobian_sparsity(lambda x: x + kept[0], np.ones(2))


def test_threads():
    def work(n):
        for _ in range(5):
            x = np.ones(n)
            pattern = jacobian_sparsity(lambda x: np.cumsum(x * x[::-1])[1:] / x[0], x)
            expected = np.zeros((n - 1, n), bool)
            for i in range(n - 1):
                expected[i, : i + 2] = expected[i, n - 2 - i :] = True
            expected[:, 0] = True
            assert_same_pattern(pattern, expected)
        return n

    sizes = [20, 30, 40, 50, 60, 70, 80, 90]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, sizes)) == sizes


def test_a_failure_in_one_thread_is_not_one_in_another():
    def work(n):
        if n % 2:
            with pytest.raises(TracingError):
                jacobian_sparsity(lambda x: x.tobytes(), np.ones(n))
            return 0
        return jacobian_sparsity(lambda x: np.sin(x), np.ones(n)).nnz

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(1, 33))) == [0 if n % 2 else n for n in range(1, 33)]


OTHERS = (
    object(),
    np.arange(2),
    np.array([True, False]),
    {"n": 3, "name": "a", "none": None},
    "text",
)


def test_f_gets_other_arguments_as_they_are():
    def f(x, *others):
        assert all(got is given for got, given in zip(others, OTHERS, strict=True))
        return x * 2

    assert jacobian_sparsity(f, np.ones(2), *OTHERS).nnz == 2


@pytest.mark.parametrize("options", [{"static_argnums": (1, -1)}, {"local": True, "verify": False}])
def test_static_arguments_are_taken_as_they_are(options):
    array, number = np.array([0.0, 1.0]), 0.5

    def f(x, same, also):
        assert same is array
        assert also is number
        return x * same

    assert jacobian_sparsity(f, np.ones(2), array, number, **options).nnz == 1


@pytest.mark.parametrize("static", [0, (1, 0), -2, 2, "1", 0.5, (1, 1), (1, -1)])
def test_wrong_static_argnums(static):
    with pytest.raises(InputError, match="static_argnums"):
        jacobian_sparsity(lambda x, y: x, np.ones(2), 1.0, static_argnums=static)


UNKNOWN = {
    "a number": 0.0,
    "a number of NumPy's": np.float32(0),
    "an array": np.zeros(2),
    "no dimensions": np.array(0.0),
    "a list": [0.0, 0.0],
    "a dict": {"a": np.zeros(2), "n": 2},
    "a default dict": defaultdict(list, a=np.zeros(2)),
    "an ordered dict": OrderedDict(a=[0.0, 0.0]),
    "a named tuple": Pair(np.zeros(2), 2),
    "objects": np.array([0.0, 0.0], object),
    "complex": np.zeros(2, complex),
    "a map of memory": None,
    "masked": np.ma.array([0.0, 0.0], mask=[False, False]),
    "shown attributes": SimpleNamespace,
    "a deque": deque([0.0, 0.0], maxlen=2),
    "other byte order": np.zeros(2, np.dtype(float).newbyteorder()),
    "a repeated number": np.broadcast_to(0.0, (2,)),
    "turned around": np.zeros(4)[::-2],
}


class Attributes(dict):
    """Keys are attributes."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_arguments_keep_their_types_and_cut_nothing(name, tmp_path):
    given = UNKNOWN[name]
    if name == "a map of memory":
        given = np.memmap(tmp_path / "numbers", float, "w+", shape=(2,))
    elif name == "shown attributes":
        given = Attributes(a=np.zeros(2))

    def f(x, y):
        assert isinstance(y, type(given)) or name in ("a map of memory", "masked")
        part = y.a if name == "shown attributes" else y["a"] if isinstance(y, dict) else y
        part = part.first if isinstance(part, Pair) else part
        return x * np.asarray(list(part)) if isinstance(part, list | deque) else x * part

    assert jacobian_sparsity(f, np.ones(2), given).nnz == 2


@pytest.mark.parametrize(
    "given",
    [
        np.matrix([[1.0]]),
        np.zeros(2, [("a", float)]).view(np.recarray),
        np.zeros(2, [("a", float)]),
        Fraction(1, 2),
        Decimal("0.5"),
        {"nested": [np.matrix([[1.0]])]},
        np.zeros(2, [("a", float)])[0],
        {0.5, 1.5},
        array("d", [0.5]),
        memoryview(np.zeros(2)),
        scipy.sparse.lil_array(np.eye(2)),
    ],
)
def test_arguments_whose_numbers_cannot_be_unknown(given):
    with pytest.raises(InputError, match="static_argnums="):
        jacobian_sparsity(lambda x, y: x, np.ones(2), given)
    assert jacobian_sparsity(lambda x, y: x, np.ones(2), given, static_argnums=1).nnz == 2


@pytest.mark.parametrize(
    "f",
    [
        lambda x, t: x[: int(t)],
        lambda x, t: np.zeros(3) * np.linspace(0, 1, range(np.argmax([t, 0]))[-1]) * x,
        lambda x, t: x * {1.0: 2.0}[t],
        lambda x, t: math.fsum(x * np.interp(0.5, [0.0, t], [0.0, 1.0])) if t.hex() else x,
    ],
)
def test_an_error_names_the_way_out_for_unknown_arguments(f):
    with pytest.raises(TracingError, match="static_argnums=1"):
        jacobian_sparsity(f, np.ones(2), 1.0)


def test_an_error_names_the_unknown_arguments_alone():
    given = np.ones(2), np.ma.array([1.0, 2.0], mask=[0, 1]), 3, scipy.sparse.csr_array(np.eye(2))
    with pytest.raises(TracingError, match=r"static_argnums=\(1, 3\)"):
        jacobian_sparsity(lambda x, w, n, A: x[: int(w[0])], *given)


def test_an_error_of_known_arguments_names_no_way_out_for_unknown_ones():
    with pytest.raises(TracingError) as found:
        jacobian_sparsity(lambda x, t: x[: int(x[0])], np.ones(2), 1)
    assert "static_argnums" not in str(found.value)


def test_unknown_arrays_share_memory_as_the_arguments_do():
    def f(x, whole, part, same, turned):
        part[:] = x
        return np.concatenate([whole, same[:1], turned[0]])

    whole = np.zeros((3, 2))
    pattern = jacobian_sparsity(f, np.ones(2), whole[:, 0], whole[1:, 0], whole[:, 0], whole.T)
    expected = np.zeros((7, 2))
    expected[[1, 2, 5, 6], [0, 1, 0, 1]] = 1
    assert_same_pattern(pattern, expected)


def test_a_work_array_can_be_filled():
    def f(x, work):
        work[:] = 2 * x
        return work[::-1]

    work = np.zeros(2)
    assert_same_pattern(jacobian_sparsity(f, np.ones(2), work), np.eye(2)[::-1])
    assert not work.any()


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array", "dia_array", "bsr_array"])
def test_unknown_sparse_matrices(kind):
    stored = scipy.sparse.coo_array(([0.0, 0.0, 2.0], ([0, 1, 1], [1, 0, 1])), shape=(2, 2))
    matrix = getattr(scipy.sparse, kind)(stored)

    def f(x, A):
        assert isinstance(A, type(matrix))
        extra = x if A.diagonal()[1] < 1 else 0 * x
        last = A.tocsr()[1, 1] * extra
        return np.concatenate([A @ x, A.toarray() @ x, A.T @ x + last, A.tocoo().data[:1] * x])

    expected = np.vstack([[[0, 1], [1, 1]]] * 2 + [[[1, 1], [1, 1]], np.eye(2)])
    found = jacobian_sparsity(f, np.ones(2), matrix).toarray()
    if kind in ("bsr_array", "dia_array"):  # which store more zeros, that may be non-zeros
        found &= expected.astype(bool)
    assert_same_pattern(found, expected)


@pytest.mark.parametrize(
    "read",
    [
        lambda A: A.max(),
        lambda A: (A > 0).sum(),
        lambda A: A.astype(int).sum(),
        lambda A: A.sum(axis=0),
        lambda A: A.data.__setitem__(0, 1.0),
    ],
)
def test_what_the_values_of_an_unknown_sparse_matrix_decide_is_refused(read):
    matrix = scipy.sparse.csr_matrix(np.eye(2))
    with pytest.raises((TracingError, ValueError)):
        jacobian_sparsity(lambda x, A: x * read(A), np.ones(2), matrix)


LISTS = {
    "repeated": lambda x: [v**2 for v in (x * 2)[2:]],
    "joined": lambda x: (x + [1.0])[1:],  # noqa: RUF005 - what is tested
    "two joined": lambda x: x + x[::-1],
    "filled": lambda x: x.append(x[0] * x[1]) or x,
    "unpacked": lambda x: (lambda a, b: (b, a))(*x),
    "a count": lambda x: [v * x.__len__() for v in x],
    "as an array": lambda x: np.array(x) * np.asarray(x)[::-1],
    "to numpy": lambda x: np.array([np.sum(x), np.dot(x, [0.0, 1.0])]),
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("options", [{}, {"local": True}])
def test_a_list_stays_a_list(name, options):
    f = LISTS[name]

    def checked(x):
        assert type(x) is list
        return f(x)

    point = [1.5, 2.5]
    expected = numerical_jacobian_pattern(lambda v: f(v.tolist()), np.array(point))
    assert_same_pattern(jacobian_sparsity(checked, point, **options), expected)


def test_nested_and_ragged_lists_stay_so():
    def f(x):
        assert [len(row) for row in x] == [1, 2, 0]
        return x[1] + [x[0][0] * x[1][1]]

    expected = [[0, 1, 0], [0, 0, 1], [1, 0, 1]]
    assert_same_pattern(jacobian_sparsity(f, [[1.0], [2.0, 3], []]), expected)


def test_a_list_that_is_filled():
    def f(x, out):
        out[0] = x[0] * x[1]
        out[2] += x[1]

    out = [0.0, 1.0, 2.0]
    pattern = jacobian_sparsity(f, [1.0, 2.0], out=out)
    assert_same_pattern(pattern, [[1, 1], [0, 0], [0, 1]])
    assert out == [0.0, 1.0, 2.0]


class Vector(list):
    def __mul__(self, factor):
        return Vector(v * factor for v in self)


class Tagged(np.ndarray):
    pass


def test_a_type_of_list_stays_that_type():
    assert_same_pattern(jacobian_sparsity(lambda x: x * 2, Vector([1.0, 2.0])), np.eye(2))


@pytest.mark.parametrize(
    "given",
    [
        np.matrix([[1.0]]),
        np.ones(2).view(Tagged),
        np.ones(2).view(np.recarray),
        Fraction(1, 2),
        Decimal(1),
        array("d", [1.0]),
        Record(np.ones(2)),
        {"nested": [np.matrix([[1.0]])]},
    ],
)
def test_inputs_of_types_with_a_meaning_of_their_own(given):
    with pytest.raises(InputError, match=r"np.asarray|no array of numbers"):
        jacobian_sparsity(lambda x: x, given)


def test_a_map_of_memory_is_an_array(tmp_path):
    given = np.memmap(tmp_path / "numbers", float, "w+", shape=(2,))
    assert_same_pattern(jacobian_sparsity(lambda x: x[::-1], given), np.eye(2)[::-1])


def buffered(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] ** 2 if x[i] > 1 else x[i]
    return np.stack([y, np.roll(y, 1), np.concatenate([y[1:], [0.0]])])


@pytest.mark.parametrize(
    ("f", "options"),
    [
        (lambda x: x[1:] * x[:-1], {}),
        (buffered, {}),
        (buffered, {"local": True}),
        (lambda x: np.linalg.solve(np.outer(x, x) + np.eye(3), np.sort(x)), {}),
        (lambda x: np.einsum("i,j->", x, np.cumsum(x)), {"dependency": True}),
    ],
)
def test_memory_goes_with_the_trace(f, options):
    """No reference cycle keeps the graph until the garbage collector runs."""
    jacobian_sparsity(f, np.ones(3), **options)
    gc.collect()
    # NumPy itself keeps the operands of a reduction whose override raised an error
    before = {id(obj) for obj in gc.get_objects() if type(obj) is Graph}
    gc.disable()
    try:
        jacobian_sparsity(f, np.ones(3), **options)
        now = {id(obj) for obj in gc.get_objects() if type(obj) is Graph}
        assert now <= before
    finally:
        gc.enable()
