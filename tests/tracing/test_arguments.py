"""Arrays and numbers as inputs: shapes, dtypes, memory orders; none is changed."""

from __future__ import annotations

import copy
import tracemalloc

import numpy as np
import pytest
from outside import Outside

from cases.shared import BIDIAGONAL, square_plus_next
from oracles import assert_same_pattern
from sparsetrace import InputError, TracedArray, TracingError, jacobian_sparsity


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
        "transposed, reversed": np.arange(12.0).reshape(4, 3).T[::-1],
        "columns reversed, transposed": np.arange(12.0).reshape(4, 3)[:, ::-1].T,
        "a part of transposed": np.arange(48.0).reshape(8, 6).T[::2, ::2],
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


AXES = {
    "exchanged": lambda a: a.transpose(1, 0, 2),
    "moved": lambda a: a.transpose(2, 0, 1),
    "exchanged and reversed": lambda a: a.transpose(1, 0, 2)[:, ::-1],
    "of a part": lambda a: a.real.transpose(1, 0, 2),
}


@pytest.mark.parametrize("name", AXES)
@pytest.mark.parametrize("dtype", [float, np.float32, complex])
@pytest.mark.parametrize("local", [False, True])
def test_three_axes_lie_in_memory_as_in_a_copy(name, dtype, local):
    point = AXES[name](np.arange(24.0).reshape(2, 3, 4).astype(dtype))
    labels = np.array(point, order="K")
    labels[...] = np.arange(24.0).reshape(point.shape)
    for source in (
        "x.ravel('K')",
        "x.T.ravel('K')",
        "x.copy('A').ravel('K')",
        "(2 * x).ravel('A')",
    ):
        f = eval(f"lambda x: {source}", {"np": np})
        moved = f(labels).real // (2 if "2" in source else 1)
        pattern = jacobian_sparsity(f, point, local=local)
        assert_same_pattern(pattern, np.eye(24)[moved.astype(int)])


WRITES = [
    "out.ravel('K')[:] = x", "out.reshape(-1, order='A')[:] = x", "out.T.ravel('K')[:] = x",
    "out[...] = x.reshape(2, 3); out[0] = out.ravel('K')[:3]",
]  # fmt: skip


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("source", WRITES)
def test_what_is_filled_lies_in_memory_as_in_a_copy(source, local):
    target = np.zeros((2, 3), order="F")
    run = compile(source, "writes", "exec")
    labels, filled = np.arange(6.0), target.copy("K")
    exec(run, {"x": labels, "out": filled})

    def f(x, out):
        exec(run, {"x": x, "out": out})

    pattern = jacobian_sparsity(f, labels + 1, out=target, local=local)
    assert_same_pattern(pattern, np.eye(6)[filled.ravel().astype(int)])


@pytest.mark.parametrize("number", [2.0 + 1j, np.complex64(1j), [1j, 2.0]])
def test_complex_numbers_at_a_point(number):
    pattern = jacobian_sparsity(lambda x: np.square(x), number, local=True)
    assert_same_pattern(pattern, np.eye(np.size(number)))


def check_order(layout, source):
    """The function moves elements; where to, it says of labels in the same memory order."""
    point = layouts()[layout]
    f = eval(f"lambda x: {source}", {"np": np, "copy": copy})
    labels = np.array(point, dtype=float, order="K")
    labels[...] = np.arange(12.0).reshape(3, 4)
    moved = np.ravel(f(labels)).astype(int)
    assert_same_pattern(jacobian_sparsity(f, point), np.eye(12)[moved])


@pytest.mark.parametrize("layout", sorted(layouts()))
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


def test_a_map_of_memory_is_an_array(tmp_path):
    given = np.memmap(tmp_path / "numbers", float, "w+", shape=(2,))
    assert_same_pattern(jacobian_sparsity(lambda x: x[::-1], given), np.eye(2)[::-1])


class Degrees(float):
    pass


class Single(np.float32):
    pass


class Level(int):
    pass


@pytest.mark.parametrize("number", [Degrees(1.0), Single(1.0), Level(1)])
def test_numbers_with_a_type_of_their_own(number):
    """The function may ask for it, and would take the other branch with a plain one."""

    def function(angle, length):
        given = angle[0] if isinstance(angle, list) else angle
        return length * given if type(given) is type(number) else length

    for given in (number, [number, 2.0]):
        for local in (False, True):
            with pytest.raises(InputError, match="type of its own"):
                jacobian_sparsity(function, given, 1.0, argnums=(0, 1), local=local)
    if not isinstance(number, int):  # whole numbers are taken as they are
        with pytest.raises(TracingError, match="type of its own"):
            jacobian_sparsity(function, number, 1.0, argnums=1)
    assert jacobian_sparsity(function, number, 1.0, argnums=1, local=True).nnz == 1
