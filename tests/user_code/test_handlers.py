"""What a ``with`` takes back at its end changes nothing."""

import warnings
from warnings import catch_warnings, simplefilter

import numpy as np

from sparsetrace.user_code.effects import has_effects


def filtering(v):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            warnings.filterwarnings("error", category=RuntimeWarning)
        if v > 0:
            return np.log(v)
    return v


def filtering_in_a_handler(v):
    try:
        return 1.0 / v
    except ZeroDivisionError:
        with catch_warnings(record=True) as caught:
            simplefilter("always")
            return np.log(v) + len(caught)


def filtering_before(v):
    warnings.simplefilter("ignore")
    with warnings.catch_warnings():
        return np.log(v)


def filtering_after(v):
    with warnings.catch_warnings():
        v = np.log(v)
    simplefilter("ignore")
    return v


def filtering_within_something_else(v):
    with np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.log(v)


def filtering_by_another_name(v):
    change = warnings.simplefilter
    with warnings.catch_warnings():
        v = np.log(v)
    change("ignore")
    return v


def test_filters_of_warnings_that_a_with_takes_back():
    assert not has_effects(filtering, (1.0,))
    assert not has_effects(filtering_in_a_handler, (1.0,))
    for f in (
        filtering_before,
        filtering_after,
        filtering_within_something_else,
        filtering_by_another_name,
    ):
        assert has_effects(f, (1.0,))
