"""Programs in which arrays are known by several names, and written through one of them.

Contract: text alone.  A program binds an array in a list, a tuple, a dictionary or an attribute,
makes views of it, and writes in a loop whose branches write in different ways, replace the array
by a new one, or leave it: what all names show then is what it returns.
"""

from __future__ import annotations

import collections
import itertools
import linecache
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["TURNS", "AliasProgram", "programs"]

TURNS = 6

STARTS = ("np.zeros(2)", "x[3:5] * 1.0")
HOLDERS = {
    "h = z": "h",
    "h = [z]": "h[0]",
    "h = {'a': z}": "h['a']",
    "h = Holder(); h.a = z": "h.a",
    "h = [[z]]": "h[0][0]",
    "h = ([z],)": "h[0][0]",
    "h = Holder(); h.a = [z]": "h.a[0]",
    "h = Holder(); h.a = {'b': z}": "h.a['b']",
    "h = {'a': [z]}": "h['a'][0]",
    "h = [z, z]": "h[i % 2]",
    "h = [z, w]": "h[i % 2]",
    "h = deque([z])": "h[0]",
    "h = np.empty(1, object); h[0] = z": "h[0]",
}
"""How the array is bound, and the name by which the loop knows it."""
WRITES = (
    "{p}[0] += x[i]",
    "{p}[:] = {p} * x[i]",
    "{p} += x[i]",
    "t = {p}; t[1] = x[i]",
    "{p}[:1][...] = x[i]",
    "np.add({p}, x[i], out={p})",
    "{p}.T[0] = x[i]",
    "{p}.fill(x[i])",
    "np.add.at({p}, [1, 1], x[i])",
    "{p}[[0, 1]] = {p}[[1, 0]] + x[i]",
    "np.copyto({p}, x[i : i + 2])",
    "{p}.flat[1] = x[i]",
    "{p}[{p} > 0.3] = x[i]",
    "{p}[0], {p}[1] = {p}[1], x[i]",
    "{p}.reshape(2, 1)[0] *= x[i]",
)
OTHERWISE = (
    "{p} = {p} + x[i + 1]",
    "pass",
    "{p} = {p}.copy()",
    "{p} = w",
    "{p} = {p}[::-1]",
    "w = {p}",
    "{p}[1] = x[i + 1]",
    "v = {p}[:1]; v += x[i + 1]",
    "z = w",
)
AFTER = ("pass", "{p}[1] = x[i + 1] * {p}[0]", "w[0] = w[0] * x[i]", "v[0] = x[i + 1]")
OTHER_NAMES = ("z", "v", "w", "None")
"""What is returned beside what the loop knows: a name that may show the same memory."""

SOURCE = """\
def f(x):
    z, w = {start}, x[5:7] * 2.0
    {holder}
    v = z[1:]
    {dropped}
    for i in range({turns}):
        if x[i] > 0:
            {write}
        else:
            {otherwise}
        {after}
    return {name}, {other}
"""


class Holder:
    """An object with attributes."""


@dataclass(frozen=True)
class AliasProgram:
    """One program: its text, with the number by which it is drawn again."""

    seed: int
    source: str

    def compiled(self) -> Callable[[Any], Any]:
        """The function; its text is known to whoever looks for it."""
        filename = f"<alias program {self.seed}>"
        linecache.cache[filename] = (
            len(self.source),
            None,
            self.source.splitlines(keepends=True),
            filename,
        )
        scope: dict[str, Any] = {"np": np, "deque": collections.deque, "Holder": Holder}
        exec(compile(self.source, filename, "exec"), scope)
        return scope["f"]  # type: ignore[no-any-return]


def programs(start: int, count: int) -> Iterator[AliasProgram]:
    """Those of the seeds from `start`.

    Examples
    --------
    >>> next(programs(3, 1)).source == next(programs(3, 1)).source
    True
    """
    return itertools.starmap(_program, ((seed,) for seed in range(start, start + count)))


def _program(seed: int) -> AliasProgram:
    choose = random.Random(seed).choice
    holder = choose(list(HOLDERS))
    name = HOLDERS[holder]
    other = choose(OTHER_NAMES)
    source = SOURCE.format(
        start=choose(STARTS),
        holder=holder,
        turns=TURNS,
        dropped="pass" if other != "None" else "z = None",
        write=choose(WRITES).format(p=name),
        otherwise=choose(OTHERWISE).format(p=name),
        after=choose(AFTER).format(p=name),
        name=name.replace("i % 2", "0"),
        other="w" if other == "None" else other,
    )
    return AliasProgram(seed, source)
