"""Functions as people write them, traced as they are and compared with the oracle."""

from __future__ import annotations

import contextlib
import doctest
import functools
import math
import tracemalloc
import types
from pathlib import Path

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse as sp
import scipy.sparse.linalg
import scipy.spatial
import scipy.special
import scipy.stats
from outside import Outside

import sparsetrace as st
from cases.user_functions import HERE, KINDS, REFUSED, SHAPES, TRACED, load
from oracles import (
    assert_covers,
    assert_same_pattern,
    dense,
    flat_outputs,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)

CONSERVATIVE = {
    # name: why the pattern may claim more than a finite number of points shows
}


def union_over_points(f, shape):
    with np.errstate(all="ignore"):
        return numerical_jacobian_pattern(f, np.ones(shape), points=12, low=0.4, high=2.0)


@pytest.mark.parametrize(("name", "f"), TRACED, ids=[name for name, _ in TRACED])
def test_a_users_function(name, f):
    shape = SHAPES.get(name, 4)
    pattern = st.jacobian_sparsity(f, np.random.default_rng(2).uniform(0.4, 2.0, shape))
    compare = assert_covers if name in CONSERVATIVE else assert_same_pattern
    compare(pattern, union_over_points(f, shape))


@pytest.mark.parametrize(("name", "f"), TRACED, ids=[name for name, _ in TRACED])
def test_the_hessian_of_a_users_function(name, f):
    """Of all outputs together, with weights that single none of them out."""
    shape = SHAPES.get(name, 4)
    start = np.random.default_rng(2).uniform(0.4, 2.0, shape)
    pattern = st.lagrangian_hessian_sparsity(f, start)
    weights = np.random.default_rng(3).uniform(0.5, 1.5, (2, len(flat_outputs(f(start.copy())))))

    def weighted(x):
        values = flat_outputs(f(x))
        return weights[0] @ values.real + weights[1] @ values.imag

    with np.errstate(all="ignore"):
        wanted = numerical_hessian_pattern(weighted, start, points=8, low=0.4, high=2.0)
    assert_same_pattern(pattern, wanted)


def test_there_are_enough_of_them():
    assert len(TRACED) >= 57
    assert len(TRACED) + len(REFUSED) >= 60
    assert len(KINDS) >= 10


def test_none_of_them_knows():
    for path in HERE.rglob("*.py"):
        assert "sparsetrace" not in path.read_text(), path


REASONS = {
    "refused.newton": ("bool()", st.ValueDependentError, "np.where"),
    "refused.boolean_index": ("x[mask]", st.TracingError, "np.where"),
    "refused.python_lookup": ("int()", st.EscapeError, "."),
    "refused.global_array": ("an assignment", st.EscapeError, "np.array(a, dtype=float)"),
    "refused.integer_buffer": ("an assignment", st.EscapeError, "float type"),
    "refused.hessenberg_form": ("scipy.linalg.hessenberg", st.EscapeError, "NumPy functions"),
    "refused.swallowed": ("scipy.linalg.hessenberg", st.EscapeError, "NumPy functions"),
    "refused.resampled": ("scipy.ndimage.zoom", st.EscapeError, "NumPy functions"),
    "refused.integrated": ("scipy.integrate.quad", st.EscapeError, "NumPy functions"),
    "refused.changing_shape": ("a branch", st.ValueDependentError, "one shape"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_the_call_the_line_and_a_way_out(name):
    call, kind, remedy = REASONS[name]
    f = REFUSED[name]
    with pytest.raises(kind) as caught:
        st.jacobian_sparsity(f, np.linspace(0.7, 1.9, 4))
    text = str(caught.value)
    assert call in text
    assert remedy in text
    if name != "refused.changing_shape":  # no line is at fault alone
        first = f.__code__.co_firstlineno
        lines = {line for _, _, line in f.__code__.co_lines() if line}
        assert any(f"refused.py:{line} (in {f.__name__}" in text for line in lines if line > first)


# ------------------------------------------------------------------ published pairs
def test_broyden_in_loops_and_in_slices():
    loops = load("loops")
    x = np.ones(50)
    one, two = (st.jacobian_sparsity(f, x) for f in (loops.broyden_loop, loops.broyden_slices))
    assert_same_pattern(one, two)
    assert one.nnz == 148


def test_pairwise_cosine_in_loops_and_on_whole_arrays():
    attention = load("attention")
    w, r, n, b = 4, 8, 4, 3
    size = w * r * b + w * n * b
    patterns = [
        st.jacobian_sparsity(lambda x, f=f: f(x, w, r, n, b), np.ones(size))
        for f in (attention.with_loops, attention.whole_arrays)
    ]
    assert_same_pattern(*patterns)
    # each output depends on all of a[:, j, k], and through the softmax on all of b[:, :, k]
    assert patterns[0].nnz == n * r * b * (w + w * n)


def test_brusselator_in_loops_and_by_rolling():
    def rolled(x, n=5):
        u, v = x[: n * n].reshape(n, n), x[n * n :].reshape(n, n)

        def laplacian(a):
            return sum(np.roll(a, s, axis) for s in (1, -1) for axis in (0, 1)) - 4 * a

        du = 1.0 + u**2 * v - 4.4 * u + 0.1 * laplacian(u)
        dv = 3.4 * u - u**2 * v + 0.1 * laplacian(v)
        return np.concatenate([du.ravel(), dv.ravel()])

    loops = load("physics").brusselator_loops
    x = np.ones(50)
    assert_same_pattern(
        st.jacobian_sparsity(lambda x: loops(x, 5), x), st.jacobian_sparsity(rolled, x)
    )


# ------------------------------------------------------------------ single abilities
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


COMPILED = [
    lambda x: scipy.linalg.solve(np.eye(4), x),
    lambda x: scipy.linalg.inv(x.reshape(2, 2)),
    lambda x: scipy.linalg.det(x.reshape(2, 2)),
    lambda x: scipy.linalg.lstsq(np.eye(4), x)[0],
    lambda x: scipy.linalg.solve_triangular(np.eye(4), x),
    lambda x: scipy.linalg.lu_solve(scipy.linalg.lu_factor(np.eye(4)), x),
    lambda x: scipy.linalg.expm(x.reshape(2, 2)),
    lambda x: scipy.linalg.svdvals(x.reshape(2, 2)),
    lambda x: scipy.linalg.eigh(x.reshape(2, 2))[0],
    lambda x: scipy.sparse.linalg.spsolve(sp.eye_array(4, format="csc"), x),
    lambda x: scipy.sparse.linalg.cg(sp.eye_array(4), x)[0],
    lambda x: scipy.interpolate.CubicSpline(np.arange(4), x)(1.5),
    lambda x: scipy.interpolate.PchipInterpolator(np.arange(4), x)(1.5),
    lambda x: scipy.interpolate.make_interp_spline(np.arange(4), x)(1.5),
    lambda x: scipy.interpolate.interp1d(np.arange(4), x)(1.5),
    lambda x: scipy.interpolate.RegularGridInterpolator((np.arange(4),), x)([1.5]),
    lambda x: scipy.ndimage.convolve1d(x, [1.0, 2.0]),
    lambda x: scipy.signal.convolve(x, x),
    lambda x: scipy.signal.sosfilt(np.ones((1, 6)), x),
    lambda x: scipy.spatial.distance.pdist(x[:, None]),
    lambda x: scipy.spatial.cKDTree(x[:, None]).query([[0.0]])[0],
    lambda x: scipy.stats.norm.logpdf(x),
    lambda x: scipy.stats.gaussian_kde(x)([0.0]),
    lambda x: np.random.default_rng(0).normal(x),
    lambda x: np.random.default_rng(0).multivariate_normal(x, np.eye(4)),
]


@pytest.mark.parametrize("f", COMPILED)
def test_compiled_code_of_libraries_never_gets_traced_memory(f):
    x = np.linspace(0.5, 2.0, 4)
    try:
        pattern = st.jacobian_sparsity(f, x)
    except st.TracingError:
        return
    with np.errstate(all="ignore"):
        expected = numerical_jacobian_pattern(f, x)
    assert_covers(pattern, expected)


def test_what_scipy_writes_in_numpy_is_traced_through():
    for f in (
        scipy.optimize.rosen,
        scipy.optimize.rosen_der,
        scipy.special.logsumexp,
        scipy.special.softmax,
        scipy.special.log_softmax,
        scipy.integrate.trapezoid,
        scipy.integrate.simpson,
        lambda x: scipy.linalg.block_diag(x[:2], x[2:]),
    ):
        expected = numerical_jacobian_pattern(f, np.ones(4), low=0.5, high=2.0)
        assert_same_pattern(st.jacobian_sparsity(f, np.ones(4)), expected)


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


def test_what_a_traced_number_passes_for():
    def f(x):
        for v in x:
            assert isinstance(v, float)
            assert isinstance(v, np.floating)
            assert isinstance(v, (int, float))
            assert not isinstance(v, int)
            assert not isinstance(v > 0, float)
            assert v[()] is v
            with pytest.raises(TypeError):
                iter(v)
            with pytest.raises(IndexError):
                v[0]
            match v:
                case float():
                    pass
                case _:
                    raise AssertionError
        return x[0] * x[1]

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2
    assert st.jacobian_sparsity(lambda x: isinstance(x, np.float32) * x, np.float32(1)).nnz == 1


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


def test_float_stands_in_only_where_that_is_sound():
    scope = {"np": np}
    exec(  # a module of its own
        "def f(x):\n"
        "    return float(x[0])\n"
        "def g(x):\n"
        "    return 1.0 if type(x) is float else 2.0\n"
        "def h(x, kind=float):\n"
        "    return 1.0 if kind is float else 2.0\n",
        scope,
    )
    with pytest.raises(st.EscapeError, match=r"float\(\)") as caught:
        st.jacobian_sparsity(scope["f"], np.ones(2))
    assert any("h compares float by identity" in note for note in caught.value.__notes__)
    del scope["h"]
    assert st.jacobian_sparsity(scope["f"], np.ones(2)).nnz == 1


def test_builtin_extremes_need_no_branches():
    def f(x):
        return max(x), min(0.0, *x), sorted(x, reverse=True)

    pattern = st.jacobian_sparsity(f, np.ones(30), max_paths=1)
    assert pattern.nnz == 32 * 30


def test_vectorize_runs_the_branches_of_each_element_apart():
    g = np.vectorize(lambda v, w: v if v > 0.5 else v * w, otypes=[float])
    pattern = st.jacobian_sparsity(lambda x: g(x[:20], x[20:]), np.ones(40), max_paths=1)
    assert_same_pattern(pattern, np.hstack([np.eye(20), np.eye(20)]))


def test_vectorize_with_outputs_exclusions_and_keywords():
    g = np.vectorize(lambda v, p, k=1: (v**p, k * v), excluded={1, "p"})
    pattern = st.jacobian_sparsity(lambda x: g(x, 2, k=np.array([1.0, 0.0])), np.ones(2))
    assert_same_pattern(pattern, [[1, 0], [0, 1], [1, 0], [0, 0]])
    with pytest.raises(st.UnsupportedError, match="signature"):
        st.jacobian_sparsity(np.vectorize(np.sum, signature="(n)->()"), np.ones(2))


FORMATS = [
    kind(sp.csr_matrix([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    for kind in (sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array, sp.dia_array,
                 sp.lil_array, sp.dok_array, sp.csr_matrix, sp.csc_matrix, sp.coo_matrix,
                 sp.bsr_matrix, sp.dia_matrix, sp.lil_matrix, sp.dok_matrix)
]  # fmt: skip


@pytest.mark.parametrize("a", FORMATS, ids=lambda a: type(a).__name__)
def test_every_sparse_format(a):
    x = np.ones(3)
    expected = [[1, 0, 1], [0, 0, 0]]
    assert_same_pattern(st.jacobian_sparsity(lambda x: a @ x, x), expected)
    assert_same_pattern(st.jacobian_sparsity(lambda x: a.dot(x), x), expected)
    assert_same_pattern(st.jacobian_sparsity(lambda x: x @ a.T, x), expected)
    assert_same_pattern(st.jacobian_sparsity(lambda y: a.T @ y, np.ones(2)), np.transpose(expected))


@pytest.mark.parametrize("name", [n for n in vars(math) if not n.startswith("_")])
def test_the_math_module(name):
    function = getattr(math, name)
    if not callable(function):
        return
    for arguments in ((0.3,), (0.3, 0.4), ([0.3, 0.4],), ([0.3], [0.4])):
        try:
            plain = function(*arguments)
        except (TypeError, ValueError):
            continue

        def f(x, arguments=arguments):
            def exchanged(a):
                return [exchanged(v) for v in a] if isinstance(a, list) else x[int(a * 10) - 3]

            return getattr(math, name)(*map(exchanged, arguments))

        try:
            pattern = st.jacobian_sparsity(f, np.array([0.3, 0.4]))
        except st.TracingError:
            assert name in ("comb", "factorial", "gcd", "isqrt", "lcm", "perm", "nextafter", "fma")
            continue
        if isinstance(plain, float):
            expected = numerical_jacobian_pattern(f, [0.3, 0.4], low=0.3, high=0.4)
            assert_covers(pattern, expected)


TRANSFORMS = [
    lambda x: scipy.fft.fft(x).real,
    lambda x: scipy.fft.ifft(x, n=3).imag,
    lambda x: scipy.fft.fft2(x.reshape(2, 3)),
    lambda x: scipy.fft.rfftn(x.reshape(2, 3), s=(2, 2)),
    lambda x: scipy.fft.hfft(x),
    lambda x: scipy.fft.dct(x),
    lambda x: scipy.fft.dct(x[:3], 2),
    lambda x: scipy.fft.idct(x, type=3, norm="ortho"),
    lambda x: scipy.fft.dst(x, n=8),
    lambda x: scipy.fft.dct(x.reshape(2, 3), axis=0),
    lambda x: scipy.fft.dctn(x.reshape(2, 3)),
    lambda x: scipy.fft.idstn(x.reshape(2, 3), axes=[1], s=[2]),
    lambda x: scipy.fft.fftshift(x),
]


@pytest.mark.parametrize("f", TRANSFORMS)
def test_transforms_of_scipy(f):
    pattern = st.jacobian_sparsity(f, np.ones(6))
    expected = numerical_jacobian_pattern(f, np.ones(6))
    assert_covers(pattern, expected)
    assert f(np.ones(6)).size == pattern.shape[0]


def test_cosine_transforms_have_the_zeros_of_their_matrix():
    f = scipy.fft.dct
    expected = numerical_jacobian_pattern(f, np.ones(3))
    assert not expected.all()
    assert_same_pattern(st.jacobian_sparsity(f, np.ones(3)), expected)


def test_a_transform_without_a_rule_is_refused():
    with pytest.raises(st.UnsupportedError, match=r"scipy\.fft\.fht"):
        st.jacobian_sparsity(lambda x: scipy.fft.fht(x, 0.1, 0.0), np.ones(4))


# ------------------------------------------------------------------ errors of others
def test_the_functions_own_errors_pass_unchanged():
    class Mine(Exception):
        pass

    def f(x):
        raise Mine(f"no luck with {type(x)}")

    with pytest.raises(Mine):
        st.jacobian_sparsity(f, np.ones(2))
    with pytest.raises(ValueError, match="reshape"):
        st.jacobian_sparsity(lambda x: x.reshape(3), np.ones(2))
    with pytest.raises(IndexError):
        st.jacobian_sparsity(lambda x: x[5], np.ones(2))


def test_errors_of_libraries_keep_their_cause():
    match = r"scipy\.linalg\.hessenberg at .*test_capture"
    with pytest.raises(st.EscapeError, match=match) as caught:
        st.jacobian_sparsity(lambda x: scipy.linalg.hessenberg(x.reshape(2, 2)), np.ones(4))
    assert isinstance(caught.value.__cause__, (TypeError, ValueError))


def test_a_path_lost_in_a_library_is_not_ignored():
    def f(x):
        if x[0] > 1.0:
            return scipy.linalg.hessenberg(x.reshape(2, 2))[0]
        return x[:2]

    with pytest.raises(st.EscapeError, match="hessenberg"):
        st.jacobian_sparsity(f, np.ones(4))


def test_what_floats_refuse_too_may_be_caught():
    def f(x):
        try:
            return sum(x[0])
        except TypeError:
            return x[0] * x[1]

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2


def swallowing_method():
    class Solver:
        def __call__(self, x):
            return self.solve(x)

        def solve(self, x):
            try:
                return scipy.linalg.hessenberg(x.reshape(2, 2))
            except (ValueError, TypeError):
                return np.zeros(2)

    return Solver()


def swallowing_context():
    def f(x):
        y = np.zeros(2)
        with contextlib.suppress(Exception):
            y = scipy.linalg.hessenberg(x.reshape(2, 2))
        return y

    return functools.partial(f)


def swallowing_attribute():
    def helper(v):
        try:
            return v.hex()
        except AttributeError:
            return 0.0

    return lambda x: [helper(v) for v in x]


@pytest.mark.parametrize("make", [swallowing_method, swallowing_context, swallowing_attribute])
def test_a_swallowed_escape_fails_the_trace(make):
    with pytest.raises(st.EscapeError):
        st.jacobian_sparsity(make(), np.ones(4))


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


# ------------------------------------------------------------------ the page
def test_the_page_on_how_it_works():
    page = Path(__file__).parents[2] / "docs" / "how-it-works.md"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, attempted = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert attempted > 10
    assert not failed


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
