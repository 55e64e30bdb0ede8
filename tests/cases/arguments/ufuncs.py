"""NumPy's ufuncs and their methods, with every argument that they take, as expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sparsetrace.rules import RECORDS

UFUNCS = sorted(
    name
    for name, f in vars(np).items()
    if isinstance(f, np.ufunc)
    and f.signature is None
    and f.__name__ == name
    and any(kind[0] == "d" for kind in f.types)
)
#: Ufuncs, and calls of them, whose patterns are conservative, and why.
EXTRA = {
    "heaviside": "the second argument matters where the first is zero, which no point is",
    "np.float_power.reduce(m, axis=1, initial=1.0, where=W)": "powers of one are one",
}
#: In NumPy's vector loops a reduction of these takes the last element alone.
NO_REDUCTIONS = frozenset(("arctan2", "power"))
#: Ufuncs that have cuts: zeros of the constant K are arguments, too.
WITH_ZEROS = ("multiply", "add", "subtract", "hypot", "power")
UNARY = ("m", "s", "z", "e", "e2")
BINARY = (
    "m, P", "P, m", "m[1:], a", "b, s", "s, b", "z, v[1]", "m, 1.25", "0.9, m", "e, s", "e2, q[0]",
    "m[1:, :1], a", "t[1], q[0]", "m, e", "[0.8, 1.5], v[:2]",
)  # fmt: skip
OPTIONS = (
    "out=np.empty((3, 4))", "out=(np.empty((3, 4)),)", "out=np.empty((2, 3, 4))",
    "out=np.empty((3, 4), dtype=complex)", "out=m", "where=W, out=np.ones((3, 4))",
    "where=w, out=np.ones((3, 4))", "where=m > 0.6, out=np.ones((3, 4))", "dtype=np.longdouble",
    "dtype=complex", "dtype=int, casting='unsafe'", "casting='safe'", "order='F'",
    "signature='dd->d'", "out=np.empty((3, 1))", "out=np.empty((3, 4)), casting='same_kind'",
)  # fmt: skip
METHODS = (
    "reduce(m)", "reduce(m, axis=-1)", "reduce(m, axis=(0, 1))", "reduce(m, axis=None)",
    "reduce(m, axis=0, keepdims=True)", "reduce(m[1:], axis=1, initial=s)",
    "reduce(m, axis=1, initial=1.0, where=W)", "reduce(e2)", "reduce(e2, axis=1)", "reduce(z)",
    "reduce(m, 0, None, np.empty(4))", "reduce(m, axis=0, out=np.empty(4))",
    "reduce(m, axis=-1, out=np.empty((4, 3)))",
    "reduce(m, dtype=np.longdouble)", "reduce(t, axis=(0, -1))", "accumulate(m)",
    "accumulate(m, axis=-1)", "accumulate(a, out=np.empty(4))", "accumulate(e2)",
    "accumulate(a, 0, np.longdouble, np.empty(4))", "accumulate(z)",
    "accumulate(a, dtype=np.longdouble)", "reduceat(v, [0, 3, 7])", "reduceat(m, [0, 2], axis=-1)",
    "reduceat(m, [1, 0], axis=0, out=np.empty((2, 4)))", "reduceat(a, [0], dtype=np.longdouble)",
    "reduceat(v, [0, 4], 0, None, np.empty(2))",
    "outer(a, b)", "outer(a, P[0])", "outer(P[0], a)", "outer(s, b)", "outer(m[1:], a[:2])",
    "outer(a, b, out=np.empty((4, 4)))", "outer(e, a)",
)  # fmt: skip
IN_PLACE = ("at(y, [0, 2], b[:2])", "at(y, [0, 0], b[:2])", "at(y, [], b[:0])", "at(y, 1, b[0])")


def calls() -> dict[str, list[tuple[str, str]]]:
    """The calls of each ufunc, and why a pattern may have more entries than needed."""
    return {
        name: [(call, EXTRA.get(call, EXTRA.get(name, ""))) for call in _calls(name)]
        for name in UFUNCS
    }


def _first_of_its_form(ufunc: np.ufunc) -> bool:
    """Whether no ufunc before it has the same letters and cuts, and the same loops.

    What is done with ``out=``, ``where=`` and ``dtype=`` hangs on these alone.
    """
    return _FORMS[_form(ufunc)] == ufunc.__name__


def _form(ufunc: np.ufunc) -> tuple[Any, ...]:
    record = RECORDS[ufunc]
    loops = frozenset(loop.replace("g", "d").replace("f", "d") for loop in ufunc.types)
    return record.first, tuple(record.cuts), record.second, loops


_FORMS = {_form(getattr(np, name)): name for name in reversed(UFUNCS)}


def _calls(name: str) -> Iterator[str]:
    ufunc = getattr(np, name)
    operands = {1: UNARY, 2: BINARY}[ufunc.nin]
    first = {1: "m", 2: "m, P"}[ufunc.nin]
    yield from (f"np.{name}({some})" for some in operands)
    for option in OPTIONS if _first_of_its_form(ufunc) else OPTIONS[::4]:
        if ufunc.nout == 1:
            of_this = option.replace("dd->", "d" * ufunc.nin + "->")
            yield f"np.{name}({first}, {of_this})"
    if ufunc.nout == 2:
        yield f"np.{name}({first}, out=(np.empty((3, 4)), np.empty((3, 4))))"
        yield f"np.{name}({first}, out=(np.empty((3, 4)), None))"
        yield f"np.{name}({first}, np.empty((3, 4)), np.empty((3, 4)))"
        yield f"np.{name}({first}, where=W, out=(np.ones((3, 4)), np.ones((3, 4))))"
    else:
        yield f"np.{name}({first}, np.empty((3, 4)))"
    if ufunc.nin == 2 and ufunc.nout == 1:
        if name in WITH_ZEROS:
            yield from (f"np.{name}({some})" for some in ("K, m", "m, K", "k, a", "0.0, a"))
        for method in METHODS if _first_of_its_form(ufunc) else METHODS[::3]:
            if name not in NO_REDUCTIONS or not method.startswith("reduce"):
                yield f"np.{name}.{method}"
        yield from (f"(lambda y: (np.{name}.{call}, y)[1])(m[0].copy())" for call in IN_PLACE)
    elif ufunc.nin == 1:
        yield f"(lambda y: (np.{name}.at(y, [0, 2]), y)[1])(m[0].copy())"
