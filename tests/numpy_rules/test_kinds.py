"""What NumPy's functions make of a number: an array, a number of NumPy's, or one of Python's.

Code asks for it (``isinstance``, ``r.dtype``, ``r.shape``), and goes another way for another
answer.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from outside import Outside

from sparsetrace import TracingError, jacobian_sparsity

POINT = np.array([0.3, 0.8, 0.6])
NAMES = {"A": np.array([[1.0, 0.5], [0.25, 2.0]]), "B": np.arange(3.0) + 1}
CALLS = (
    "v; v, v; v, B; B, v; A, v; v, 1; v, 2.0; B, v, v; v, B, B; v, v, v; [v, w]; [v, w], v; "
    "B, B, v; v, 1, 1; B, 1, v"
).split("; ")
LEFT_OUT = frozenset(
    "array2string array_repr array_str asmatrix base_repr binary_repr bmat copyto fill_diagonal "
    "format_float_positional format_float_scientific frompyfunc fromfile fromregex genfromtxt "
    "get_include getbufsize geterr geterrcall info load loadtxt nested_iters place printoptions "
    "put put_along_axis putmask save savetxt savez savez_compressed set_printoptions setbufsize "
    "seterr seterrcall show_config show_runtime test".split()
)
"""What reads or writes files, shows text, changes settings, or writes into its argument."""
OTHERS = {
    "bincount": "NumPy takes a list of floats for whole numbers",
    "busday_offset": "as does this",
    "fftn": "of a number NumPy gives itself",
    **dict.fromkeys(
        "intersect1d setdiff1d setxor1d union1d unique unique_values".split(),
        "how many there are is another number on each path",
    ),
    "histogramdd": "a list of numbers is one coordinate of several points",
    "ifftn": "of a number NumPy gives itself",
    "is_busday": "NumPy takes a list of floats for whole numbers",
    "isin": "NumPy takes no array for assume_unique where it makes no use of it",
    "matrix_rank": "of a vector it is one of Python's whole numbers",
    "min_scalar_type": "it depends on the value",
    "pad": "of a number NumPy gives an array of no dimensions",
    "take": "NumPy takes a float for an index",
    "trim_zeros": "a list stays a list",
}
"""What gives something else for a traced number, and what for."""


def named() -> list[str]:
    return [
        f"{prefix}.{name}"
        for prefix, module in (("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft))
        for name, function in sorted(vars(module).items())
        if callable(function)
        and not isinstance(function, type)
        and not name.startswith("_")
        and name not in LEFT_OUT
        and name not in OTHERS
    ]


def kind(result: Any) -> Any:
    if isinstance(result, tuple | list):
        return type(result).__name__, tuple(map(kind, result))
    shape = getattr(result, "shape", None)  # the lengths are asked for here, not after the trace
    return type(result), getattr(result, "dtype", None), None if shape is None else (*shape,)


def has_objects(found: Any) -> bool:
    """Whether a ufunc made an array of objects of a list of traced numbers."""
    return "object" in repr(found) or "dtype('O')" in repr(found)


@pytest.mark.parametrize("python", [False, True], ids=["of numpy", "of python"])
@pytest.mark.parametrize("name", named())
def test_a_function_of_a_number_gives_what_numpy_gives(name, python):
    seen = Outside()

    def called(x, arguments):
        v, w = x[:2].tolist() if python else x[:2]
        return eval(f"{name}({arguments})", {"np": np, "v": v, "w": w, **NAMES})

    for arguments in CALLS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                plain = kind(called(POINT, arguments))
            except Exception:
                continue

            def f(x, arguments=arguments):
                seen.append(kind(called(x, arguments)))
                return x * 1.0

            for local in (False, True):
                seen.clear()
                try:
                    jacobian_sparsity(f, POINT, local=local, verify=False)
                except TracingError:
                    continue
                if not has_objects(seen[-1]):
                    assert seen[-1] == plain, (arguments, local)
