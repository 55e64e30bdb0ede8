"""Functions of four numbers that ask whether a result of numpy.ma is a number, or has a mask."""

from __future__ import annotations

import functools
import numbers

import numpy as np


@functools.singledispatch
def _of_kind(v, x):
    return x[3] * 1


@_of_kind.register
def _of_float(v: float, x):
    return v * x[0]


def a_float(x):
    v = np.ma.masked_less(x, 0)[1]
    return v * 2 if isinstance(v, float) else x[0]


def no_masked_array(x):
    v = np.ma.masked_less(x, 0)[1]
    return x[0] if isinstance(v, np.ma.MaskedArray) else v * 2


def exact_type(x):
    v = np.ma.masked_less(x, 0).sum()
    return x[0] * 1 if type(v) is np.float64 else x[3]


def dispatched(x):
    return _of_kind(np.ma.masked_greater(x, 1).sum(), x)


def abstract(x):
    v = np.ma.masked_greater(x, 1).prod()
    return v if isinstance(v, numbers.Real) else x[2] * 1


def matched(x):
    match np.ma.masked_less(x, 0).mean():
        case float() as v:
            return v * x[0]
        case _:
            return x[3]


def asked_by_numpy(x):
    v = np.ma.masked_less(x, 0).max()
    return x[1] if np.isscalar(v) else x[2]


def asked_by_numpy_ma(x):
    v = np.ma.log(x)[0]
    return x[2] if np.ma.isMaskedArray(v) else x[3] * v


def has_filled(x):
    v = np.ma.masked_less(x, 0)[1]
    return x[0] if hasattr(v, "filled") else v


def tried(x):
    v = np.ma.log(x)[0]
    try:
        return v.filled(x[1])
    except AttributeError:
        return v * x[3]


def has_a_floats_method(x):
    v = np.ma.masked_less(x, 0)[2]
    return v * x[0] if hasattr(v, "is_integer") else x[1]


def reshaped(x):
    v = np.ma.masked_less(x, 0)[2].reshape(1)
    return v.filled(x[1]) if isinstance(v, np.ma.MaskedArray) else v * x[0]


def without_a_mask(x):
    m = np.ma.masked_less(x, 0)
    return x * x[0] if m.mask is np.ma.nomask else x[::-1]


def without_a_mask_by_function(x):
    m = np.ma.masked_where(x > 1, x)
    return x[0] if np.ma.getmask(m) is np.ma.nomask else x[1]


def always_with_a_mask(x):
    m = np.ma.masked_invalid(np.log(np.abs(x)))
    return x[0] if m.mask is np.ma.nomask else x[1]


ASKED = {name: f for name, f in list(globals().items()) if getattr(f, "__module__", "") == __name__}
ASKED = {name: f for name, f in ASKED.items() if not name.startswith("_")}
