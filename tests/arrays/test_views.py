"""Where NumPy's result shares memory with an operand, the traced one does, or cannot be written.

Contract: the calls come from tests/cases/arguments/ and from NumPy's public names, each with all
arguments that fit; which of them give views is found by ``np.shares_memory`` on plain
arrays.  A value written into the result has to show in the operand, and one written into
the operand in the result, element by element as in NumPy; where NumPy makes a copy, neither.
"""

from __future__ import annotations

import functools
import itertools
import re
import warnings
from typing import Any

import numpy as np
import pytest
from expressions import INPUTS, namespace

import sparsetrace as st
from cases.arguments.tables import TABLES
from oracles import dense, jacobian_pattern_at
from sparsetrace.tracing.pytree import leaves

#: What the calls are made of besides `namespace`: complex, not contiguous, and read-only arrays.
MORE = {
    "c": lambda v: v.reshape(3, 4),
    "f": lambda v: v.reshape(3, 4).T,
    "h": lambda v: v[::2],
    "n": lambda v: v.reshape(3, 4)[:, ::-1],
}
NUMBERS = ("1", "0", "(0, 1)", "(4, 3)", "-1", "None", "[1, 2]", "'C'", "'F'", "float")
ARRAYS = ("v", "m", "t", "q", "z", "f", "h", "n", "e", "[m, f]", "(v, v)")


def public():
    """Calls of every public name of NumPy with one, two or three arguments that fit."""
    modules = {"np": np, "np.linalg": np.linalg, "np.lib.stride_tricks": np.lib.stride_tricks}
    for (title, module), first in itertools.product(modules.items(), ARRAYS):
        for name in dir(module):
            found = getattr(module, name)
            skipped = name.startswith("_") or isinstance(found, type) or name in UNSUITABLE
            if callable(found) and not skipped:
                yield f"{title}.{name}({first})"
                yield from (f"{title}.{name}({first}, {n})" for n in NUMBERS)
    for name, first in itertools.product(dir(np.ndarray), ARRAYS[:-2]):
        if name.startswith("_") or name in UNSUITABLE:
            continue
        if callable(getattr(np.ndarray, name)):
            yield f"{first}.{name}()"
            yield from (f"{first}.{name}({n})" for n in NUMBERS)
        else:
            yield f"{first}.{name}"


#: What reads files or input, prints, or waits; and what changes NumPy itself.
UNSUITABLE = frozenset(
    """
    fromfile fromregex genfromtxt loadtxt save savetxt savez savez_compressed load tofile dump
    seterr seterrcall setbufsize set_printoptions show_config show_runtime info test resize
    setflags data ctypes get_include as_strided base
    """.split()
)


def given(u: Any, kind: str) -> tuple[Any, dict[str, Any]]:
    """A new array of twelve elements, and the names that show parts of it."""
    v = np.linspace(1, 2, INPUTS) if kind == "buffer" else u[:INPUTS].copy()
    if kind == "complex":
        v = v + 1j * u[:INPUTS]
    names = namespace(v)
    return v, {**names, **{name: part(v) for name, part in MORE.items()}}


def arrays(result: Any) -> list[Any]:
    try:
        found = leaves(result)
    except Exception:
        return []
    return [x for x in found if isinstance(x, np.ndarray) and x.dtype.kind in "fc"]


def called(call: Any, u: Any, kind: str) -> tuple[Any, list[Any]]:
    v, names = given(u, kind)
    return v, arrays(eval(call, names))


def written(call: Any, place: int, kind: str, direction: str) -> Any:
    """The call, a value written through one side, and the other side as the output."""

    def f(u: Any) -> Any:
        v, found = called(call, u, kind)
        into, out = (found[place], v) if direction == "result" else (v, found[place])
        into[...] = u[INPUTS] * 2
        return np.concatenate([out.real.reshape(-1), out.imag.reshape(-1)])

    return f


POINT = np.linspace(0.5, 2.0, INPUTS + 1)


def sharing(call: str, kind: str, *, traced: str = "") -> list[bool] | None:
    """For each array of the result, whether it shares memory with the operand."""
    code = compile(call, f"<{call}>", "eval")
    noted: list[bool] = []

    def f(u: Any) -> Any:
        v, found = called(code, u, kind)
        noted[:] = [np.shares_memory(x, v) for x in found]
        if traced == "local":
            noted[:] = [
                a or (isinstance(x, st.TracedArray) and np.shares_memory(x._values, v._values))
                for a, x in zip(noted, found, strict=True)
            ]
        return u[:1]

    try:
        if not traced:
            f(POINT)
        else:
            st.jacobian_sparsity(f, POINT, local=traced == "local")
    except Exception:
        return None
    return noted


@functools.lru_cache(maxsize=64)
def shown(call: str, place: int, kind: str, direction: str) -> Any:
    """What plain calls show; None where NumPy's result is read-only."""
    f = written(compile(call, f"<{call}>", "eval"), place, kind, direction)
    try:
        return jacobian_pattern_at(f, POINT)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        return None


def problem(call: str, place: int, kind: str, direction: str, mode: str) -> str:
    """What a trace loses; empty where it loses nothing or is refused."""
    f = written(compile(call, f"<{call}>", "eval"), place, kind, direction)
    known = shown(call, place, kind, direction)
    try:
        found = dense(st.jacobian_sparsity(f, POINT, local=mode == "local"))
    except st.TracingError as error:
        return "" if str(error) else "an error without words"
    except ValueError as error:
        return "" if "read-only" in str(error) or known is None else repr(error)
    if known is None:
        return "NumPy's result is read-only, the traced one is not"
    lost = known & ~found
    return f"lost {np.argwhere(lost).tolist()}" if lost.any() else ""


def problems(call: str, kind: str) -> list[str]:
    plain = sharing(call, kind)
    if plain is None:
        return []
    found = []
    for mode in ("global", "local"):
        traced = sharing(call, kind, traced=mode)
        if traced is None:
            continue  # refused, or an error: tests/numpy_rules/test_arguments.py judges it
        if len(traced) != len(plain):
            # numbers of the trace stand where NumPy gives arrays without dimensions
            traced = [*traced, *[False] * len(plain)][: len(plain)]
        for place, shared in enumerate(map(any, zip(plain, traced, strict=True))):
            if not shared:
                continue
            for direction in ("result", "operand"):
                try:
                    said = problem(call, place, kind, direction, mode)
                except Exception as error:
                    said = repr(error)
                if said:
                    found.append(f"{call} ({kind}, {mode}), through the {direction}: {said}")
    return found


# ---------------------------------------------------------------------- all that share
_EACH = 2
"""Calls of each function, spread over those that give views."""
_NAME = re.compile(r"np(?:\.\w+)+(?=\()|\.(\w+)")


def name_of(call: str) -> str:
    """The function that a call names first, else its first method or attribute."""
    found = _NAME.search(call)
    return "operators" if found is None else found.group(1) or found.group(0)


@functools.cache
def views(kind: str) -> dict[str, list[str]]:
    """By function, the calls whose plain results share memory with their operand.

    In a buffer the same calls do as in an array that depends on the inputs.
    """
    if kind == "buffer":
        return views("real")
    every = [c for table in TABLES.values() for calls in table.values() for c, _ in calls]
    found: dict[str, list[str]] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for call in dict.fromkeys([*every, *public()]):
            if any(sharing(call, kind) or ()):
                found.setdefault(name_of(call), []).append(call)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["real", "complex", "buffer"])
def test_what_is_written_is_seen_on_both_sides(kind):
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for calls in views(kind).values():
            for call in calls[:: max(1, len(calls) // _EACH)]:
                found += problems(call, kind)
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_the_functions_that_give_views_are_found():
    assert views("real").keys() >= {
        *("np.einsum", "np.reshape", "np.split", "np.real", "np.asarray", "np.fft.fftn", "np.ix_"),
        *("conj", "T", "real", "reshape", "view", "astype", "squeeze"),
    }
    assert {"imag", "np.imag", "np.real"} <= views("complex").keys()


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.reshape(2, 3).view(complex),
        lambda x: x[::3].view(complex),
        lambda x: x.reshape(3, 2).T.view(complex),
        lambda x: np.array(1j * x[0]).view(float),
    ],
)
def test_views_of_pairs_that_numpy_refuses(view):
    with pytest.raises(ValueError, match=r"When changing|To change|Changing the dtype") as plain:
        view(np.ones(6))
    with pytest.raises(ValueError, match=r"When changing|To change|Changing the dtype") as traced:
        st.jacobian_sparsity(view, np.ones(6))
    assert str(traced.value).startswith(str(plain.value))


def test_other_views_of_bytes_are_refused():
    for view in (lambda x: x.view(np.int64), lambda x: x.view(np.complex64)):
        with pytest.raises(st.UnsupportedError, match="bytes"):
            st.jacobian_sparsity(view, np.ones(6))
    with pytest.raises(st.UnsupportedError, match="bytes"):
        st.jacobian_sparsity(lambda x: x[x > 0].view(complex).sum(), np.ones(6))
