"""A loop that ends in several ways in a turn, and speaks to the user in each."""

import warnings

import numpy as np


def to_a_tolerance(x, turns=60):
    """As in the scaling of matrices: several ends in a turn, and a warning."""
    y = x
    for turn in range(turns):
        before = y
        y = 1 / (y + x)
        if np.any(y == 0) or np.any(np.isnan(y)) or np.any(np.isinf(y)):
            warnings.warn(f"singular in turn {turn}", stacklevel=2)
            y = before
            break
        if turn % 10 == 0 and np.linalg.norm(y - before) < 1e-9:
            break
    else:
        print(end="")
        y = y * x[0]
    return y


def told_of_in_percent(x):
    """The same, of a turn of which nobody knows how many came before it."""
    y, K = x, "i,i->i"
    for turn in range(1000):
        before = y
        y = 1 / (y + np.einsum(K, x, x))
        if np.any(y == 0) or np.any(np.isnan(y)) or np.any(np.isinf(y)):
            warnings.warn("singular in turn %d of %s" % (turn, K), stacklevel=2)  # noqa: UP031
            y = before
            break
        if turn % 10 == 0 and np.linalg.norm(y - before) < 1e-9:
            break
    return y


def told_of_where_it_stops(x):
    y = x
    for turn in range(1000):
        before = y
        y = 1 / (y + x)
        if np.any(y == 0) or np.any(np.isnan(y)):
            warnings.warn(f"singular in turn {turn}", stacklevel=2)
            y = before
            break
        if turn % 10 == 0 and np.linalg.norm(y - before) < 1e-9:
            print(f"turn {turn}", end="")
            break
    return y
