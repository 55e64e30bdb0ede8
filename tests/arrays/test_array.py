"""`TracedArray` behaves as the ndarray that it stands for: metadata, methods, attributes."""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest
from outside import Outside
from pyroaring import BitMap

from oracles import assert_covers, assert_same_pattern, numerical_jacobian_pattern
from sparsetrace import TracedArray, TracedScalar, TracingError, jacobian_sparsity

POINT = np.array([[1.3, -2.1, 0.7], [3.2, 1.9, -2.6]])
DRAWN = {"low": -2.0, "high": 2.0, "points": 40}


def described(value):
    """What a user can see of a result without its values."""
    if isinstance(value, list | tuple):
        return [described(item) for item in value]
    if isinstance(value, np.ndarray):
        return ("array", value.shape, value.dtype)
    return (
        "scalar",
        np.shape(value),
        np.asarray(value).dtype if not is_traced(value) else value.dtype,
    )


def is_traced(value) -> bool:
    return isinstance(value, TracedArray | TracedScalar)


# ----------------------------------------------------------------------- methods
METHODS = [
    # those that move elements
    "x.T", "x.mT", "x.transpose()", "x.transpose(1, 0)", "x.transpose((1, 0))", "x.transpose(None)",
    "x.reshape(6)", "x.reshape(-1)", "x.reshape(3, 2)", "x.reshape((3, -1))", "x.reshape([2, 3])",
    "x.reshape(3, 2, order='F')", "x.ravel()", "x.ravel('F')", "x.flatten()", "x.flatten('F')",
    "x.swapaxes(0, 1)", "x[None].squeeze()", "x[None].squeeze(0)", "x.copy()", "x.copy('F')",
    "x.diagonal()", "x.diagonal(1)", "x.diagonal(offset=-1, axis1=1, axis2=0)", "x.view()",
    "x.take([0, 5, -1])", "x.take(1)", "x.take([0, 2], axis=1)", "x.take([[0, 7]], mode='wrap')",
    "x.repeat(2)", "x.repeat([1, 2], axis=0)", "x.repeat(2, axis=1)", "x.item(3)", "x.item(1, 2)",
    "x.item((0, 1))", "x.compress([True, False, True], axis=1)", "x.tolist()", "x.real",
    "x.compress([True, False, True])", "x.to_device('cpu')", "x.astype(float)", "x.conj()",
    "x.conjugate()", "x.astype('f8', copy=False)", "x.view(x.dtype)", "x.__copy__()",
    "copy.copy(x)", "copy.deepcopy(x)", "x.__deepcopy__({})", "list(x)", "[*x[0]]", "tuple(x)",
    "list(x.flat)", "x.flat[1:4]", "x.flat[[0, 2]]", "x.flat[4]", "x.flat.copy()", "next(iter(x))",
    "[v for row in x for v in row]", "list(reversed(x))", "np.asarray(x)[0]", "x[..., 0]", "+x",
    # reductions and the like
    "x.sum()", "x.sum(0)", "x.sum(axis=1)", "x.sum(axis=(0, 1))", "x.sum(keepdims=True)",
    "x.sum(axis=-1, keepdims=True)", "x.sum(where=[True, False, True])", "x.sum(initial=2.0)",
    "x.sum(dtype=float)", "x.prod()", "x.prod(axis=0)", "x.mean()", "x.mean(1)",
    "x.var()", "x.var(axis=0)", "x.var(ddof=1)", "x.std()", "x.std(axis=1)", "x.max()", "x.max(0)",
    "x.min()", "x.min(axis=1)", "x.max(axis=1, keepdims=True)", "x.max(initial=0.0)", "np.ptp(x)",
    "x.cumsum()", "x.cumsum(0)", "x.cumsum(axis=1)",
    "x.cumprod()", "x.cumprod(axis=1)", "x.trace()", "x.trace(1)", "x.dot(np.ones(3))",
    "x.dot(x.T)", "x[0].dot(x[1])", "x.dot(2.0)", "x.dot([1.0, 0.0, 2.0])", "x.clip(-1, 1)",
    "x.clip(min=0)", "x.clip(max=x[0])", "x.clip(-1.0, None)", "x.round()", "x.round(1)",
    "x[0, 0].round()", "x[0].choose([x[1], 2 * x[1]]) if False else x", "abs(x)", "-x", "~(x > 0)",
    "x.argmax()", "x.argmin(axis=0)", "x.argsort()", "x.argsort(axis=0)", "x.argpartition(1)",
    "x.all()", "x.any()", "x.all(axis=0)", "(x > 0).any(axis=1)", "(x > 0).sum()", "x.astype(int)",
    "x.astype(bool)", "x.astype(complex)", "x.astype('f4')", "x.imag", "(x * 1j).imag",
    "(x + 2j * x.T.T[0]).real", "(1j * x).conj()", "x.searchsorted", "x[0].searchsorted(0.5)",
    # operators
    "x + 1", "1 - x", "x * x", "x / 2", "2 / x", "x ** 2", "2.0 ** x", "x // 1", "x % 2", "7 % x",
    "divmod(x, 2)[1]", "x @ x.T", "np.ones((1, 2)) @ x", "x @ [1.0, 0.0, 2.0]", "x < 1", "x == x",
    "x != 0", "1 >= x", "(x > 0) & (x < 1)", "(x > 0) | (x < -1)", "(x > 0) ^ (x < 1)",
    "x + x[:, :1]", "[1.0, 2.0, 3.0] * x", "x + 1j", "x * np.float32(2)", "x * np.int8(0)",
    "x - x[0]", "x[:, None] * x[:, :, None]", "np.float64(2.0) * x", "np.ones((2, 1)) * x[0]",
]  # fmt: skip
METHODS = [source for source in METHODS if source != "x.searchsorted"]


@pytest.mark.parametrize("source", METHODS)
def test_methods(source):
    f = eval(f"lambda x: {source}", {"np": np, "copy": copy})
    seen = Outside()

    def watched(x):
        result = f(x)
        seen.append(described(result))
        return result

    pattern = jacobian_sparsity(watched, POINT, verify=False)
    assert seen[-1] == described(f(POINT.copy()))
    expected = numerical_jacobian_pattern(f, POINT, **DRAWN)
    # what is cut by chance at the points drawn may still be there, never the reverse
    assert_covers(pattern, expected)
    loose = ("max", "min", "clip", "ptp", "sort", "x - x[0]", "2j *")
    if not any(word in source for word in loose):
        assert_same_pattern(pattern, expected)


# ---------------------------------------------------------------------- metadata
METADATA = [
    "shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "__len__()",
    "flags.c_contiguous", "flags.f_contiguous", "flags.writeable", "flags['C_CONTIGUOUS']",
    "dtype.kind", "dtype.name", "T.shape", "T.strides", "T.flags.f_contiguous",
    "flat.__len__()", "device", "real.shape", "imag.shape", "__class__.__mro__[-2:]",
]  # fmt: skip
SHAPES = [(), (3,), (2, 3), (0, 2), (1, 1, 4)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", METADATA)
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_metadata(name, shape, dtype):
    if name == "__len__()" and not shape:
        return  # unsized
    read = eval(f"lambda x: x.{name}")
    point = np.ones(shape, dtype)
    expected = read(point)

    def f(x):
        assert read(x) == expected
        if x.ndim > 1:
            assert x[:, ::2].strides == point[:, ::2].strides
            assert x[..., ::-1].flags.c_contiguous == point[..., ::-1].flags.c_contiguous
        return x

    jacobian_sparsity(f, point)


def test_checks_that_people_write():
    def f(x):
        assert isinstance(x, np.ndarray)
        assert x.dtype == np.float64
        assert x.dtype is np.dtype(float)
        assert np.issubdtype(x.dtype, np.floating)
        assert not np.iscomplexobj(x)
        assert np.isrealobj(x)
        assert np.ndim(x) == 2
        assert np.shape(x) == (2, 3)
        assert np.size(x) == 6
        assert len(x) == 2
        assert not np.isscalar(x)
        assert hasattr(x, "__len__")
        assert hasattr(x, "shape")
        assert not hasattr(x, "iloc")
        assert callable(x.sum)
        assert x.base is None or x.base.size == 6
        assert np.result_type(x, np.float32) == np.float64
        assert np.broadcast_shapes(x.shape, (3,)) == (2, 3)
        assert np.empty(x.shape).shape == (2, 3)
        return x

    assert jacobian_sparsity(f, POINT).nnz == 6


def test_views_know_their_base():
    def f(x):
        y = x.copy()
        assert y[1:].base is not None
        y[1:].base[0] = 0.0
        return y

    assert_same_pattern(jacobian_sparsity(f, np.ones(3)), np.diag([0, 1, 1]))


# ----------------------------------------------------------------------- setters
def test_shape_can_be_set():
    def f(x):
        y = x.copy()
        y.shape = (3, 2)
        assert y.shape == (3, 2)
        y.shape = -1
        assert y.shape == (6,)
        with pytest.raises(ValueError, match="reshape"):
            y.shape = (4,)
        return y

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(6))


def test_a_view_with_another_shape_writes_through():
    def f(x):
        y = x.copy()
        z = y.view()
        z.shape = (6,)
        z[3] = 0.0
        return y

    assert_same_pattern(jacobian_sparsity(f, POINT), np.diag([1, 1, 1, 0, 1, 1]))


def test_real_and_imaginary_parts_can_be_set():
    def f(x):
        y = np.zeros_like(x, dtype=complex)
        y.real = x
        y.imag[0] = x[1] if False else 0.0
        y.imag = x[::-1]
        return y

    assert_covers(jacobian_sparsity(f, np.ones(3)), np.eye(3) + np.eye(3)[::-1])


def test_a_real_array_has_no_imaginary_part_to_set():
    def f(x):
        x.imag = 1.0

    with pytest.raises(TypeError, match="imaginary"):
        f(np.ones(3))
    with pytest.raises(TypeError, match="imaginary"):
        jacobian_sparsity(f, np.ones(3))


def test_flat_can_be_set():
    def f(x):
        y = np.zeros_like(x)
        y.flat = x.ravel()[::-1]
        y.flat[0] = 0.0
        return y

    expected = np.eye(6)[::-1].copy()
    expected[0] = 0
    assert_same_pattern(jacobian_sparsity(f, POINT), expected)


SHARED = {
    "the whole": lambda y: y.flat.__setitem__(slice(None), y[1:4]),
    "backwards": lambda y: y.flat.__setitem__(slice(None), y[::-1]),
    "places": lambda y: y.flat.__setitem__([3, 0, 2], y[:3]),
    "assigned": lambda y: setattr(y, "flat", y[::-1]),
    "assigned, in C order": lambda y: setattr(y, "flat", y[2:]),
    "assigned, two dimensions": lambda y: setattr(y[:4].reshape(2, 2), "flat", y[1:5]),
    "of its own": lambda y: y.flat.__setitem__(slice(1, None, 2), y[::2]),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", SHARED)
def test_flat_reads_what_it_has_written(name, local):
    def f(x):
        y = x * np.arange(1, 7)
        SHARED[name](y)
        return y

    x = np.array([0.7, -0.4, 1.3, 0.2, -1.1, 0.5])
    assert_same_pattern(jacobian_sparsity(f, x, local=local), numerical_jacobian_pattern(f, x))


def test_flat_of_complex_numbers_that_are_shared():
    def f(x):
        z = x[:3] + 1j * x[3:]
        z.flat[:] = z[::-1]
        return z

    with pytest.raises(TracingError, match=r"Write a copy"):
        jacobian_sparsity(f, np.ones(6))


def test_flat_is_written_into_an_array_of_its_own():
    def f(x):
        y = np.zeros(8)
        y[1:7] = x.T.flat
        return np.concatenate([y, x[::-1].flat])

    expected = np.zeros((14, 6))
    expected[range(1, 7), [0, 3, 1, 4, 2, 5]] = expected[range(8, 14), [3, 4, 5, 0, 1, 2]] = 1
    assert_same_pattern(jacobian_sparsity(f, POINT), expected)


def test_flat_is_an_operand_of_ufuncs():
    def f(x):
        y = x * 2
        np.add(x.T.flat, y.flat, out=(made := np.empty(6)))
        return made * ~np.isnan(x.flat)

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(6)[[0, 3, 1, 4, 2, 5]] + np.eye(6) > 0)


@pytest.mark.parametrize("local", [False, True])
def test_flat_is_written_by_a_mask(local):
    def inverse(x):
        made = np.zeros_like(x)
        missing = np.isnan(x.flat)
        made.flat[~missing] = 1 / x.flat[~missing]
        made.flat[missing] = np.nan
        return made

    assert_same_pattern(jacobian_sparsity(inverse, POINT, local=local), np.eye(6))


def test_flat_of_an_array_without_axes_is_written():
    def f(x):
        a, b = np.empty((2, 1, 1))[..., 0, 0][0, ...], np.empty(())
        a.flat[0] = x[0, 0] * 3
        b.flat[np.nonzero([1])] = x.flat[1:3]
        b.flat[[]] = x[1, 2]
        return a, b

    plain = np.empty(())
    plain.flat[np.nonzero([1])] = np.array([1.0, 2.0])
    pattern = jacobian_sparsity(f, POINT)
    assert_same_pattern(pattern, np.eye(6)[[0, int(plain)]])


def test_flat_is_an_iterator():
    def f(x):
        flat = x.flat
        assert len(flat) == 6
        assert flat.index == 0
        first = next(flat)
        assert flat.index == 1
        assert flat.coords == (0, 1)
        assert flat.base.shape == x.shape
        return [first, next(flat), *x.flat]

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(6)[[0, 1, *range(6)]])


def test_writeable_flag():
    def f(x):
        x.flags.writeable = False
        x[0] = 1.0

    with pytest.raises(ValueError, match="read-only"):
        f(np.ones(2))
    with pytest.raises(ValueError, match="read-only"):
        jacobian_sparsity(f, np.ones(2))

    def g(x):
        x.setflags(write=False)
        x += 1.0

    with pytest.raises(ValueError, match="read-only"):
        jacobian_sparsity(g, np.ones(2))


# ---------------------------------------------------------------- in-place methods
IN_PLACE = [
    "y.fill(2.0)", "y.fill(x[0, 0])", "y.sort()", "y.sort(0)",
    "y.sort(kind='stable')", "y.partition(1)", "y.partition(0, axis=0)", "y.put([0, 1], 0.0)",
    "y.put([0, 1], x[1, :2])", "y.put(2, x[0, 0], mode='clip')", "y.setflags(write=True)",
    "x.cumsum(out=y.reshape(-1))", "x.sum(axis=0, out=y[0])", "x.clip(0, 1, out=y)",
    "x.take([0, 1, 2], out=y[0])", "x.round(1, out=y)", "x.dot(np.eye(3), out=y)",
    "x.max(axis=0, out=y[1])", "x.mean(axis=0, out=y[1])",
    "x.compress([1, 0, 1], axis=1, out=y[:, :2])",
]  # fmt: skip


@pytest.mark.parametrize("line", IN_PLACE)
def test_in_place_methods(line):
    scope = {}
    exec(f"def f(x):\n    y = x.copy()\n    {line}\n    return y", {"np": np}, scope)
    f = scope["f"]
    expected = numerical_jacobian_pattern(f, POINT, **DRAWN)
    assert_covers(jacobian_sparsity(f, POINT), expected)


def test_resize_in_place_is_refused():
    with pytest.raises(TracingError, match=r"np\.resize"):
        jacobian_sparsity(lambda x: x.resize(3), POINT)


# ---------------------------------------------------------------------- patterns
def test_patterns_are_bitmaps():
    seen = Outside()

    def f(x):
        y = x[1:] * x[:-1]
        seen.append(y.patterns)
        return y

    jacobian_sparsity(f, np.ones(3))
    assert seen[-1].shape == (2,)
    assert seen[-1].tolist() == [BitMap([0, 1]), BitMap([1, 2])]


def test_repr_tells_constants_and_unknown_values_apart():
    seen = Outside()

    def f(x):
        y = np.zeros_like(x)
        y[0], y[1] = x[0] * x[1], np.floor(x[2])
        seen.extend([repr(y), str(y), f"{y}", repr(x[None, :1]), repr(x[:0])])
        return y

    jacobian_sparsity(f, np.ones(3), verify=False)
    for text in seen[-5:-2]:
        assert re.fullmatch(r"TracedArray\(\[\{0, 1\}, \{\}\?, const\], value \d+\)", text)
    assert len(set(seen[-5:-2])) == 3
    assert seen[-2].startswith("TracedArray([[{0}]], value ")
    assert "[]" in seen[-1]


def test_looking_changes_nothing():
    def f(x, *, look):
        y = x.copy()
        for i in range(1, 5):
            y[i] = y[i - 1] * x[i]
            if look:
                repr(y), y.patterns, repr(y[0])
        return y

    looked = jacobian_sparsity(lambda x: f(x, look=True), np.ones(5))
    assert_same_pattern(looked, jacobian_sparsity(lambda x: f(x, look=False), np.ones(5)))
    assert_same_pattern(looked, np.tri(5))


def written_parts(x):
    y = np.zeros_like(x, dtype=complex)
    y.real = x
    y.imag[1:] = x[:-1]
    np.imag(y)[0] = x[-1]
    y.real.reshape(-1)[2:] *= x[1]
    return np.abs(y)


def written_by_functions(x):
    y = np.zeros(5, complex)
    part = y.imag
    np.put(part, [0, 1], x[2:4])
    np.copyto(y.real, x, where=[True, False, True, False, True])
    y[3] = x[3] + 1j * x[4]
    np.fill_diagonal(y.reshape(5, 1).real, x[1])
    return y.real, part


def copied_part(x):
    """What NumPy copies, since a part has gaps between its elements, is no view."""
    y = (x[:4] + 1j * x[1:]).reshape(2, 2)
    copy, view = y.real.ravel(), y.real.reshape(-1)
    copy[0], view[1] = x[4], x[4]
    np.ascontiguousarray(y.imag)[0, 0] = 0.0
    return y.real, y.imag, copy


def transposed_parts(x):
    y = np.zeros((2, 3), complex, order="F")
    y.T.real[0], y.imag.T[1:] = x[:2], x[2:4]
    y[:, ::2].imag[1] = x[4]
    return y.real, y.imag.sum(axis=0), y.T.real.ravel()


def assigned_part(x):
    y = x[:2] + 1j * x[2:4]
    y.real[0] = 0.0
    y.imag += x[4]
    return np.stack([y.real, y.imag])


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    "f", [written_parts, written_by_functions, copied_part, transposed_parts, assigned_part]
)
def test_parts_of_complex_arrays_are_views(f, local):
    x = np.arange(1.0, 6)
    expected = numerical_jacobian_pattern(f, x)
    assert_same_pattern(jacobian_sparsity(f, x, local=local), expected)


@pytest.mark.parametrize("local", [False, True])
def test_a_range_is_an_array_beside_traced_operands(local):
    def f(x):
        return x[0] * range(1, 3), range(3) - x

    pattern = jacobian_sparsity(f, np.ones(3), local=local)
    np.testing.assert_array_equal(pattern.toarray(), [[1, 0, 0]] * 2 + np.eye(3).tolist())


def test_none_is_not_a_number_where_it_is_written():
    def f(x):
        out = np.zeros(3, np.result_type(x))
        out[1:] = x[:2]
        out[2] = None
        out[:1] = None
        return out

    for options in ({}, {"local": True}):
        pattern = jacobian_sparsity(f, np.ones(2), **options)
        assert pattern.toarray().astype(int).tolist() == [[0, 0], [1, 0], [0, 0]]
    assert np.isnan(f(np.ones(2))[[0, 2]]).all()


def zero_within(x):
    return x[:2] if 0.0 in x else x[2:] * x[0]


def own_element_within(x):
    return x[:2] if x[0] in x[1:] else x[2:] * x[0]


def row_within(x):
    return x[:2] if [1.0, 2.0] in x.reshape(2, 2) else x[2:] * x[0]


def no_number_within(x):
    return x[:2] if "unit" in x or None in x or b"unit" in x else x[2:] * x[0]


UNLIKE = np.array([[1, 0, 1, 0], [1, 0, 0, 1]], bool)
EITHER = UNLIKE | np.eye(2, 4, dtype=bool)


@pytest.mark.parametrize(
    ("function", "expected", "point", "at_point"),
    [
        (zero_within, EITHER, [1.0, 2.0, 3.0, 4.0], UNLIKE),
        (zero_within, EITHER, [1.0, 2.0, 0.0, 4.0], EITHER),
        (own_element_within, EITHER, [1.0, 2.0, 3.0, 4.0], UNLIKE),
        (own_element_within, EITHER, [1.0, 2.0, 3.0, 1.0], EITHER),
        (row_within, EITHER, [5.0, 6.0, 7.0, 8.0], UNLIKE),
        (row_within, EITHER, [5.0, 6.0, 1.0, 8.0], EITHER),
        (no_number_within, UNLIKE, [1.0, 2.0, 3.0, 4.0], UNLIKE),
    ],
)
def test_whether_an_array_contains_a_value_is_a_branch(function, expected, point, at_point):
    x = np.array(point)
    assert_same_pattern(jacobian_sparsity(function, x), expected)
    assert_same_pattern(jacobian_sparsity(function, x, local=True), at_point)
