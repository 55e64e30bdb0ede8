"""Python's own functions of traced numbers: float, isinstance, max, min, sorted."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st


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
