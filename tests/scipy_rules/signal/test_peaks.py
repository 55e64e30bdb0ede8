"""What has as many results as the values say: traced at a point, refused by name for all."""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from cases.scipy_calls.every import START
from cases.scipy_calls.signal import PEAKS
from oracles import assert_covers, jacobian_pattern_at
from sparsetrace.operands.operands import values_of

CONSERVATIVE = {
    "iirdesign": "known as a whole",
    "unique_roots": "known as a whole",
    "find_peaks, width": "a side between a peak and its base has a constant place",
    "peak_widths": "a side between a peak and its base has a constant place",
}


def numbers(found):
    """What differs from whole numbers, in a row."""
    if isinstance(found, dict):
        found = tuple(found.values())
    parts = found if isinstance(found, tuple) else (found,)
    return np.concatenate([part for part in parts if part.dtype.kind == "f"])


@pytest.mark.parametrize("name", PEAKS)
def test_at_a_point(name):
    seen = Outside()

    def f(x):
        return numbers(PEAKS[name](x))

    def kept(x):
        result = f(x)
        seen.append(np.array(values_of(result)))
        return result

    pattern = st.jacobian_sparsity(kept, START, local=True, verify=False)
    np.testing.assert_array_equal(seen[-1], f(START))
    assert_covers(pattern, jacobian_pattern_at(f, START))
    if name not in CONSERVATIVE:
        assert pattern.nnz == jacobian_pattern_at(f, START).sum()
    assert_covers(st.jacobian_sparsity(f, START, local=True, dependency=True), pattern.toarray())


@pytest.mark.parametrize("name", [n for n in PEAKS if "peak_" not in n])
def test_how_many_there_are_is_refused_for_all_inputs(name):
    call = name.partition(",")[0]
    with pytest.raises(st.UnsupportedError, match=rf"^scipy.signal.{call} at .*depends on the v"):
        st.jacobian_sparsity(lambda x: numbers(PEAKS[name](x)), START)


@pytest.mark.parametrize("name", [n for n in PEAKS if "peak_" in n])
def test_at_known_places_everything_counts(name):
    def f(x):
        return numbers(PEAKS[name](x))

    assert_covers(st.jacobian_sparsity(f, START), jacobian_pattern_at(f, START))
