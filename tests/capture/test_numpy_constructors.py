"""Buffers that a function allocates and fills, copies, and conversions."""

from __future__ import annotations

import functools
import tracemalloc
import types

import numpy as np
import pytest
import scipy.linalg
from outside import Outside

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, dense, numerical_jacobian_pattern


def test_capture_off_refuses_buffers():
    def f(x):
        out = np.zeros(2)
        out[0] = x[0]
        return out

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 1
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(f, np.ones(2), capture=False)


def test_buffers_of_constants_and_of_integers_stay_ordinary():
    seen = Outside()

    def f(x):
        w = np.zeros(4)
        w[1:] = 2.0
        k = np.zeros(4, dtype=int)
        mask = np.zeros(4, dtype=bool)
        lu = scipy.linalg.lu_factor(np.eye(4) + np.diag(w))
        seen.append((scipy.linalg.lu_solve(lu, w), type(k), type(mask)))
        return x * w

    pattern = st.jacobian_sparsity(f, np.ones(4))
    assert pattern.nnz == 3
    assert len(seen) == 1
    solution, *kinds = seen[0]
    assert solution.tolist() == pytest.approx([0.0, 2 / 3, 2 / 3, 2 / 3])
    assert kinds == [np.ndarray, np.ndarray]


def test_compiled_code_never_gets_a_traced_buffer():
    # NumPy's generators are compiled and allocate by np.empty
    def f(x):
        noise = np.random.default_rng(0).standard_normal(4)
        out = np.zeros(4)
        out[:] = x * noise
        noise[0] = x[0]
        return out

    with pytest.raises(st.EscapeError, match="an assignment"):
        st.jacobian_sparsity(f, np.ones(4))


def indirect(x):
    zeros, scope = np.zeros, types.SimpleNamespace(np=np)
    a, b = zeros(2), scope.np.zeros(shape=(2,), dtype=float)
    c = np.zeros(
        2
        if len(x)
        else 3
    )  # fmt: skip
    d = (lambda n: np.zeros(n))(2)
    e = functools.partial(np.zeros, 2)
    f, g = np.zeros(*[2]), [np.zeros(i) for i in (2,)][0]  # noqa: RUF015 - a comprehension
    h = e()
    for out in (a, b, c, d, f, g, h):
        out[0] = x[0]
    return a + b + c + d + f + g + h


def test_allocations_are_recognised_however_they_are_called():
    assert_same_pattern(st.jacobian_sparsity(indirect, np.ones(2)), [[1, 0], [0, 0]])


def test_one_call_of_several_functions_in_turn():
    rng = np.random.default_rng(0)

    def call(function, n):
        return function(n)

    def f(x):
        out = call(np.zeros, 2)
        out[0] = x[0]
        noise = call(rng.standard_normal, 2)
        assert type(noise) is np.ndarray
        return out + noise

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(2)), [[1, 0], [0, 0]])


def test_raw_memory_is_refused():
    def f(x):
        out = np.zeros(2)
        out[0] = x[0]
        return memoryview(out)[1] * x

    with pytest.raises(st.EscapeError):
        st.jacobian_sparsity(f, np.ones(2))


def test_the_sites_of_one_helper_are_told_apart():
    def helper(n):
        return np.zeros(n)

    def f(x):
        constant, traced = helper(2), helper(2)
        constant[0] = 1.0
        traced[1] = x[1]
        return constant * x[0] + traced

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(2)), [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    "conversion",
    [
        lambda x: np.asarray(a=x),
        lambda x: np.array(object=x),
        lambda x: np.array(x, np.float64),
        lambda x: np.array(x, float, copy=True, order="F", ndmin=1),
        lambda x: np.array([x[0], x[1]]),
        lambda x: np.array((x[0], 1.0)) * 1.0 + x,
        lambda x: np.array(list(x), dtype=object) * 1.0,
        lambda x: np.asarray_chkfinite(x),
        lambda x: np.stack([*map(np.asarray, x)]),
        lambda x: np.copy(x),
    ],
)
def test_conversions_keep_elements(conversion):
    pattern = dense(st.jacobian_sparsity(conversion, np.ones(2)))
    assert pattern.diagonal()[: 1 + (pattern[1, 1])].all()


@pytest.mark.parametrize(
    "make",
    [
        lambda x: np.zeros(2, like=x),
        lambda x: np.full(2, 1.0, like=x),
        lambda x: np.full(2, x[1], like=x),
        lambda x: np.eye(2, like=x)[0],
        lambda x: np.arange(2.0, like=x),
        lambda x: np.array([1.0, 2.0], like=x),
        lambda x: np.array([x[0], 2.0], like=x),
        lambda x: np.asarray([1.0, 2.0], like=x),
        lambda x: np.fromiter([1.0, 2.0], float, like=x),
    ],
)
def test_like(make):
    def f(x):
        out = make(x)
        out[1] = x[0]
        return out[1]

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(2)), [[1, 0]])


def test_a_copy_is_a_copy_and_a_view_a_view():
    def f(x):
        copied, kept = np.array(x), np.asarray(x)
        copied[0] = 0.0
        y = x * 1.0
        shared = np.asarray(y)
        shared[1] = 0.0
        return copied, kept, y

    expected = np.zeros((9, 3), bool)
    expected[[1, 2], [1, 2]] = True
    expected[3:6] = np.eye(3)
    expected[[6, 8], [0, 2]] = True
    assert_same_pattern(st.jacobian_sparsity(f, np.ones(3)), expected)


# ------------------------------------------------------------------ cost
def test_a_promoted_buffer_is_cheap():
    def f(x):
        out = np.zeros(10**6)
        out[5] = x[0]
        return out[:10]

    st.jacobian_sparsity(f, np.ones(2))
    tracemalloc.start()
    st.jacobian_sparsity(f, np.ones(2))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 * 2**20


@pytest.mark.parametrize("local", [False, True])
def test_parts_of_complex_buffers(local):
    def f(x):
        z = np.empty(3, complex)
        z.real = x[:3]
        z.imag[0], z.imag[1:] = 0.5, x[4:]
        w = np.zeros(2, complex)
        w.imag = x[:2]
        return np.abs(z) + 0, w.imag

    x = np.arange(1.0, 7)
    expected = numerical_jacobian_pattern(f, x)
    assert_covers(st.jacobian_sparsity(f, x, local=local), expected)


def test_an_array_is_what_its_own_array_method_gives():
    def f(x):
        y = x.__array__() * 2
        z = x.__array__(dtype=complex, copy=True)
        z[0] = x[1] * 1j
        return np.append(y, z.imag) + x.__array__(copy=True)[::-1].sum() * 0

    pattern = st.jacobian_sparsity(f, np.ones(2))
    assert_same_pattern(pattern, [[1, 0], [0, 1], [0, 1], [0, 0]])
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        st.jacobian_sparsity(lambda x: x.__array__(complex, copy=False), np.ones(2))


def test_an_exchange_with_numpys_own_arrays_keeps_elements():
    def f(x):
        y = np.from_dlpack(x, device="cpu")
        z = np.from_dlpack(x, copy=True)
        z[0] = 0.0
        return y * 2, z, np.from_dlpack(np.ones(1)) * x[1]

    pattern = st.jacobian_sparsity(f, np.ones(2))
    assert_same_pattern(pattern, [[1, 0], [0, 1], [0, 0], [0, 1], [0, 1]])
    with pytest.raises(ValueError, match="Device"):
        st.jacobian_sparsity(lambda x: np.from_dlpack(x, device="gpu"), np.ones(2))


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("kind", [np.float64, np.complex128, np.float32])
def test_a_number_type_makes_an_array_of_none_of_none(kind, local):
    def f(x, kind=kind):
        made = kind(x[:0]), kind(x[:0].reshape(0, 2))
        y = x * 1.0
        y[:0] = made[0].real
        return y * (made[0].shape == (0,)) * (made[1].shape == (0, 2)) + made[0].real.sum()

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(2), local=local), np.eye(2))


@pytest.mark.parametrize("local", [False, True])
def test_conversions_by_map_that_is_taken_apart(local):
    def f(x):
        rate, count = map(np.array, [x[0], x[1]])
        (a, b), [c, *_] = map(np.atleast_1d, (x[2], x[3])), map(np.asarray, [x[4], 1.0])
        return np.stack([(1 + rate) ** count, a[0] * b[0], c])

    expected = [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]
    assert_same_pattern(st.jacobian_sparsity(f, np.full(5, 0.7), local=local), expected)


class _Shim:
    """Hands out the functions of a module that may be exchanged for another one."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)


class _Backend:
    """Keeps functions that it found when it was made."""

    zeros = staticmethod(np.zeros)
    full = staticmethod(np.full)


def _made_by(name, *args):
    return getattr(_Backend, name)(*args)


xp = _Shim(np)


@pytest.mark.parametrize("local", [False, True])
def test_buffers_of_a_shim_around_numpy(local):
    def f(x):
        out = xp.zeros((2, 3), dtype=x.dtype)
        out[:, 1] = x[:2]
        objects = xp.array([[x[0], x[1]], [x[2], 0.0]], dtype=object)
        return out, objects @ np.ones(2), xp.linalg.norm(xp.asarray([x[1], x[2]]))

    expected = np.zeros((9, 3))
    expected[[1, 4, 6, 6, 7, 8, 8], [0, 1, 0, 1, 2, 1, 2]] = 1
    assert_same_pattern(st.jacobian_sparsity(f, np.array([0.3, 0.5, 0.7]), local=local), expected)


@pytest.mark.parametrize("local", [False, True])
def test_buffers_of_functions_that_a_class_keeps(local):
    def f(x):
        out = _made_by("zeros", 3)
        out[1:] = x
        more = _made_by("full", (2,), 1.0)
        more[0] *= x[1]
        return out, more

    expected = [[0, 0], [1, 0], [0, 1], [0, 1], [0, 0]]
    assert_same_pattern(st.jacobian_sparsity(f, np.array([0.3, 0.5]), local=local), expected)
    assert _Backend.zeros is np.zeros


@pytest.mark.parametrize("local", [False, True])
def test_conversions_by_map_that_a_tuple_or_a_list_takes_apart(local):
    def f(x):
        a, b = tuple(map(np.asarray, (x[:2], [x[2], x[3]])))
        c = list(map(np.array, [x[:1], [x[4]]]))
        rows = [*map(np.zeros, (1, 2))]
        rows[1][0] = x[4]
        return np.concatenate([a * b, c[0] * c[1], rows[1]])

    expected = [[1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [1, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0] * 5]
    for _ in range(12):  # Python 3.11 makes such calls in another way once they were made often
        assert_same_pattern(st.jacobian_sparsity(f, np.full(5, 0.7), local=local), expected)
