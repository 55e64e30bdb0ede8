"""Functions that are refused: each raises, with the call, a reason and a way out."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy import trim_zeros
from numpy.lib import recfunctions

import sparsetrace as st

REFUSALS = {
    "trim_zeros": np.trim_zeros,
    "trim_zeros(early)": lambda x: trim_zeros(x) * 2,
    "save": lambda x: np.save(io.BytesIO(), x),
    "savez": lambda x: np.savez(io.BytesIO(), x),
    "savez_compressed": lambda x: np.savez_compressed(io.BytesIO(), a=x),
    "savetxt": lambda x: np.savetxt(io.StringIO(), x),
    "busday_count": lambda x: np.busday_count(x, x),
    "unique": lambda x: np.unique(x, axis=0),
    "intersect1d": lambda x: np.intersect1d(x, [1.0], assume_unique=True),
    "setdiff1d": lambda x: np.setdiff1d([1.0], x),
    "setxor1d": lambda x: np.setxor1d(x, [1.0], assume_unique=True),
    "structured_to_unstructured": recfunctions.structured_to_unstructured,
    "bincount": lambda x: np.bincount(x.astype(int)),
    "histogram": lambda x: np.histogram(x, "auto"),
}
if hasattr(np.strings.upper, "_implementation"):
    REFUSALS["upper"] = np.strings.upper


@pytest.mark.parametrize("name", REFUSALS)
def test_refused_with_a_reason(name):
    with pytest.raises(st.TracingError) as caught:
        st.jacobian_sparsity(REFUSALS[name], np.ones(3))
    message = str(caught.value)
    assert name.split("(")[0] in message
    assert "test_refusals.py" in message
    assert message.rstrip().endswith(".")


def test_a_swallowed_refusal_fails_the_trace():
    def f(x):
        try:
            return x * np.unique(x, axis=0).size
        except Exception:
            return x

    with pytest.raises(st.ValueDependentError, match="unique"):
        st.jacobian_sparsity(f, np.ones(3))


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
@pytest.mark.parametrize(
    "convert", [lambda x: x.astype("M8[us]"), lambda x: np.rint(x[0]).astype("M8[us]")]
)
def test_dates_are_no_numbers(convert, local):
    """Of an array and of a number alike."""
    with pytest.raises(st.UnsupportedError, match="this type holds no numbers"):
        st.jacobian_sparsity(lambda x: convert(x).astype(int), np.ones(3), local=local)
