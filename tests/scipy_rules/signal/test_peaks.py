"""What has as many results as the values say: traced at a point; for all as masks, or refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal as ss
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
        if not x._trace.aside:
            seen.append(np.array(values_of(result)))
        return result

    pattern = st.jacobian_sparsity(kept, START, local=True, verify=False)
    np.testing.assert_array_equal(seen[-1], f(START))
    assert_covers(pattern, jacobian_pattern_at(f, START))
    if name not in CONSERVATIVE:
        assert pattern.nnz == jacobian_pattern_at(f, START).sum()
    assert_covers(st.jacobian_sparsity(f, START, local=True, dependency=True), pattern.toarray())


ANY_MASK = [name for name in PEAKS if name.startswith(("argrel", "find_peaks"))]
ANY_MASK.remove("find_peaks_cwt")
OTHERS = [n for n in PEAKS if "peak_" not in n and n not in ANY_MASK]
POINTS = [np.roll([0.3, 2.0, 1.1, 2.5, 0.4, 0.7], shift) for shift in range(6)]


@pytest.mark.parametrize("name", ANY_MASK)
def test_any_inner_element_may_be_one_of_them(name):
    def totals(x):
        found = PEAKS[name](x)
        if isinstance(found, dict):
            found = tuple(found[key] for key in sorted(found) if not key.endswith("bases"))
        return np.array([np.sum(part) for part in (found if type(found) is tuple else (found,))])

    pattern = st.jacobian_sparsity(totals, START)
    for x in POINTS:
        assert_covers(pattern, jacobian_pattern_at(totals, x))
    assert_covers(st.jacobian_sparsity(totals, START, dependency=True), pattern.toarray())


def highest(x):
    peaks, found = ss.find_peaks(x, height=0.5, plateau_size=1)
    if len(peaks) == 0:
        return 0.0, 0.0
    at = np.argmax(found["peak_heights"])
    return x[peaks[at]], x[found["left_edges"][at]]


def lowest(x):
    rows, columns = ss.argrelmin(x.reshape(2, 3), axis=1)
    return x.reshape(2, 3)[rows, columns].sum(), x[ss.argrelextrema(x, np.greater_equal)].sum()


@pytest.mark.parametrize(
    ("f", "rows"),
    [
        (highest, [[0, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1]]),
        (lowest, [[0, 1, 0, 0, 1, 0], [1, 1, 1, 1, 1, 1]]),
        (lambda x: x[ss.find_peaks(x[:2])[0]].sum() + x[0], [[1, 0, 0, 0, 0, 0]]),
        (lambda x: x[ss.find_peaks(x[:3], prominence=x[5])[0]].sum(), [[0, 1, 0, 0, 0, 0]]),
    ],
)
def test_places_and_how_many_there_are(f, rows):
    assert st.jacobian_sparsity(f, START).toarray().astype(int).tolist() == rows


def test_what_scipy_refuses_is_refused_alike():
    with pytest.raises(ValueError, match="1-D"):
        st.jacobian_sparsity(lambda x: ss.find_peaks(x.reshape(2, 3))[0], START)
    with pytest.raises(ValueError, match="Order must be an int"):
        st.jacobian_sparsity(lambda x: ss.argrelmax(x, order=0)[0], START)


@pytest.mark.parametrize("name", OTHERS)
def test_how_many_there_are_is_refused_for_all_inputs(name):
    call = name.partition(",")[0]
    with pytest.raises(st.UnsupportedError, match=rf"^scipy.signal.{call} at .*depends on the v"):
        st.jacobian_sparsity(lambda x: numbers(PEAKS[name](x)), START)


@pytest.mark.parametrize("name", [n for n in PEAKS if "peak_" in n])
def test_at_known_places_everything_counts(name):
    def f(x):
        return numbers(PEAKS[name](x))

    assert_covers(st.jacobian_sparsity(f, START), jacobian_pattern_at(f, START))
