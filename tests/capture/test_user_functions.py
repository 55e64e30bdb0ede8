"""Functions as people write them, traced as they are and compared with the oracle."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from cases.user_functions import HERE, KINDS, REFUSED, SHAPES, TRACED, load
from oracles import (
    assert_covers,
    assert_same_pattern,
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
    "refused.counted_mask": ("len(x[mask])", st.TracingError, "np.where"),
    "refused.python_lookup": ("an index or a count", st.ValueDependentError, "."),
    "refused.global_array": ("a write into", st.UnsupportedError, "np.array(a)"),
    "refused.integer_buffer": ("an assignment", st.EscapeError, "float type"),
    "refused.band_width": ("scipy.linalg.bandwidth", st.EscapeError, "NumPy functions"),
    "refused.swallowed": ("scipy.linalg.bandwidth", st.EscapeError, "NumPy functions"),
    "refused.repeated": ("scipy.ndimage.iterate_structure", st.EscapeError, "NumPy functions"),
    "refused.peaks": ("scipy.signal.find_peaks_cwt", st.UnsupportedError, "local=True"),
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
