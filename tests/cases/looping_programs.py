"""Random programs that iterate until something holds, as source text.

Contract: nothing here knows of sparsetrace.  `f` takes an array of `SIZE` numbers and gives a list
of numbers.  Its helpers are loops of few turns that carry numbers, flags, counters, lists, arrays,
dictionaries, closures and attributes from turn to turn, and end in the middle of a turn.
"""

from __future__ import annotations

import random

SIZE = 3
PREAMBLE = """import math
import numpy as np
TABLE = [0.3, 0.6, 2.0]


class Box:
    def __init__(self, value):
        self.value = value


"""
_NAMES = ("v", "w", "z", "u", "s")
_STATES = (
    "kept[0]",
    "kept[-1]",
    "a[1]",
    "a.sum()",
    "d['p']",
    "pair[0]",
    "pair[1]",
    "TABLE[k]",
    "k",
    "h",
    "rows[0][1]",
    "get()",
    "box.value",
    "best",
    "many[0][1]",
    "many[1].sum()",
    "y.sum()",
    "y2[0]",
)


class LoopWriter:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"loops {seed}")
        self.lines: list[str] = []
        self.states: list[str] = []
        self.labels = 0

    def source(self) -> str:
        """The program."""
        count = self.random.randint(1, 2)
        for i in range(count):
            self.solver(i)
        self.lines += ["def f(x):", "    out = []"]
        for _ in range(self.random.randint(2, 3)):
            name = f"g{self.random.randrange(count)}"
            i, j = self.random.randrange(SIZE), self.random.randrange(SIZE)
            call = f"{name}(x[{i}], x[{j}])"
            if self.chance(0.4):
                self.lines += ["    try:", f"        out += {call}", "    except ValueError:"]
                self.lines.append(f"        out += [x[{self.random.randrange(SIZE)}]] * 3")
            else:
                self.lines.append(f"    out += {call}")
        self.lines.append("    return out")
        return PREAMBLE + "\n".join(self.lines) + "\n"

    # ------------------------------------------------------------------------- choices
    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def add(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    def name(self) -> str:
        """A number that the loop has at hand."""
        return self.pick(*_NAMES, *self.states)

    def number(self) -> str:
        a, b = self.name(), self.name()
        return self.pick(
            a,
            f"{a} * {b}",
            f"{a} - {b}",
            f"0.5 * ({a} + {b})",
            f"math.sin({a})",
            f"abs({a})",
            f"{a} * w",
            f"{b} + v",
            "0.0",
            "1.0",
            "w",
            f"max({a}, 0.3)",
            f"({a} if {self.test()} else {b})" if self.chance(0.3) else f"{a} / 3",
            f"sum({a} * e for e in (1.0, {b}))",
            f"min([{a}, {b}])",
        )

    def test(self) -> str:
        a, b = self.pick(*_NAMES), self.name()
        return self.pick(
            f"{a} > 0.4",
            f"{a} < {b} + 0.1",
            f"abs({a} - {b}) < 0.3",
            f"{a} * {b} > 0.2",
            f"not {a} < 0.1",
            f"{a} < 0.2 or {b} > 0.9",
            f"{a} > 0.1 and k > 0",
        )

    # --------------------------------------------------------------------------- loops
    def solver(self, i: int) -> None:
        self.states = self.random.sample(_STATES, self.random.randint(1, 4))
        self.add(0, f"def g{i}(v, w):")
        self.add(1, "z, u, s, k, h, best = v, w, 0.0, 0, 1.0, 0.0")
        needed = {
            "kept": "kept = [v, 0.0]",
            "a": self.pick("a = np.zeros(2)", "a = np.array([v, w])", "a = v * np.ones(2)"),
            "d[": "d = {'p': 0.5}",
            "pair": "pair = (v, 1.0)",
            "rows": "rows = [[w, 0.0], [0.0, v]]",
            "box": "box = Box(0.5)",
            "y": "y = v * np.ones(2); y2 = y" + self.pick("", ".copy()", "[:]"),
            "many": "many = [v * np.ones(2), np.array([w, 0.5])]",
        }
        for name, line in needed.items():
            if any(state.startswith(name) for state in self.states):
                self.add(1, line)
        if "get()" in self.states:
            self.closure()
        self.loop(1, most=self.random.randint(2, 3))
        if self.chance(0.25):
            self.loop(1, most=2)
        last = self.pick("s", "u", "h", "best", *self.states)
        more = self.pick("z", "z * TABLE[k % 3]", "z if k > 1 else u", "k * z")
        self.add(1, f"return [z, {last}, {more}]", "", "")

    def closure(self) -> None:
        """A function that reads, and perhaps writes, what the loop carries."""
        self.add(1, "memory = [0.25]")
        if self.chance(0.5):
            self.add(1, "hidden = 0.25", "def get():", "    return hidden")
            self.add(1, "def put(value):", "    nonlocal hidden", "    hidden = value")
        else:
            self.add(1, "def get():", "    return memory[0]")
            self.add(1, "def put(value):", "    memory[0] = value")

    def loop(self, depth: int, most: int) -> None:
        self.labels += 1
        kind = self.pick("for", "for", "while", "true", "zip", "guarded")
        counts = False
        if kind == "for":
            self.add(depth, f"for {self.pick('k', 'j')} in range({most}):")
        elif kind == "zip":
            self.add(depth, f"for k, h in zip(range({most}), [v, w, 0.5]):")
        elif kind == "while":
            self.add(
                depth, f"n{self.labels} = 0", f"while ({self.test()}) and n{self.labels} < {most}:"
            )
            counts = True
        elif kind == "true":
            self.add(depth, f"n{self.labels} = 0", "while True:")
            self.add(depth + 1, f"if n{self.labels} >= {most}:")
            self.add(depth + 2, self.pick("break", "break", "raise ValueError('not solved')"))
            counts = True
        else:
            self.add(depth, f"n{self.labels} = 0", f"while n{self.labels} < {most}:")
            counts = True
        if counts:
            self.add(depth + 1, f"n{self.labels} += 1")
            if self.chance(0.4):
                self.add(depth + 1, "k += 1")
        for _ in range(self.random.randint(2, 4)):
            self.statement(depth + 1, most)
        if self.chance(0.25):
            self.add(depth, "else:")
            self.add(
                depth + 1, self.pick("z = z + w", "u = s", "best = w", "raise ValueError('no')")
            )

    def ending(self) -> str:
        return self.pick(
            "break",
            "break",
            "break",
            "continue",
            "continue",
            f"return [{self.number()}, z, k]",
            "raise ValueError('not solved')",
        )

    def statement(self, depth: int, most: int) -> None:
        kind = self.pick(
            *("assign", "assign", "end", "end", "end", "branch", "state", "state", "both"),
            *("try", "inner", "late", "flag"),
        )
        if kind == "assign":
            self.add(depth, f"{self.target()} = {self.number()}")
        elif kind == "end":
            self.add(depth, f"if {self.test()}:")
            if self.chance(0.4):
                self.add(depth + 1, f"{self.target()} = {self.number()}")
            self.add(depth + 1, self.ending())
        elif kind == "branch":
            self.add(depth, f"if {self.test()}:", f"    {self.target()} = {self.number()}")
            if self.chance(0.5):
                self.add(depth, "else:", f"    {self.target()} = {self.number()}")
        elif kind == "state":
            self.state(depth)
        elif kind == "both":
            self.add(depth, self.pick("z, u = u, z", "z, s = s, z", "h *= 0.5", "s += z", "u -= w"))
        elif kind == "try":
            self.add(depth, "try:", f"    if {self.test()}:")
            self.add(depth + 2, self.pick("raise ValueError('x')", "break", "s = 1.0 / k"))
            self.add(depth + 1, f"{self.target()} = {self.number()}")
            self.add(depth, f"except {self.pick('ValueError', 'ZeroDivisionError')}:")
            self.add(depth + 1, self.pick("continue", "break", f"u = {self.number()}", "best = z"))
        elif kind == "inner":
            self.add(depth, f"for e{depth} in range({self.pick('1', '2')}):")
            self.add(depth + 1, f"{self.target()} = {self.number()}")
            self.add(depth + 1, f"if {self.test()}:", f"    {self.pick('break', 'continue')}")
            self.add(depth + 1, f"{self.target()} = {self.number()}")
        elif kind == "late":
            self.add(depth, f"if k == {self.pick('0', '1')}:", f"    best = {self.number()}")
        else:
            self.add(depth, f"done = {self.test()}", "if done:", f"    {self.ending()}")

    def target(self) -> str:
        return self.pick("z", "z", "z", "u", "s", "best")

    def state(self, depth: int) -> None:
        """A change of what stands beside the numbers."""
        state = self.pick(*self.states)
        value = self.number()
        lines = {
            "kept[0]": self.pick(f"kept[0] = {value}", f"kept[0], kept[-1] = kept[-1], {value}"),
            "kept[-1]": self.pick(
                f"kept.append({value})", f"kept[-1] = {value}", "kept = kept[::-1]"
            ),
            "a[1]": self.pick(
                f"a[1] = {value}",
                f"a[0] += {value}",
                f"a[0], a[1] = a[1], {value}",
                "a = a[::-1]",
                f"a[:] = {value}",
            ),
            "a.sum()": self.pick(f"a *= {value}", f"a = a * {value}", f"a[0] = {value}"),
            "d['p']": self.pick(f"d['p'] = {value}", f"d['p'] *= {value}", f"d = {{'p': {value}}}"),
            "pair[0]": self.pick(f"pair = ({value}, z)", "pair = pair[::-1]"),
            "pair[1]": f"pair = (u, {value})",
            "TABLE[k]": self.pick("k = 1 - k if k < 2 else 0", f"k = int({self.test()})"),
            "k": self.pick("k = k + 1", "k = 2 - k"),
            "h": self.pick("h = h / 2", "h = 0.0", "h = 1.0 - h"),
            "rows[0][1]": self.pick(
                f"rows[0][1] = {value}",
                "rows[0] = rows[1]",
                f"rows[0][1] = rows[1][0] = {value}",
                f"rows[k - k][1], u = rows[1][1], {value}",
            ),
            "get()": f"put({value})",
            "box.value": self.pick(
                f"box.value = {value}",
                f"box.value *= {value}",
                f"s = box.value = {value}",
                f"box = Box({value})",
            ),
            "many[0][1]": self.pick(
                f"many[0] *= {value}", "many[0] *= 0.0", f"many[0][1] = {value}"
            ),
            "y.sum()": self.pick(f"y = y * {value}", f"y[0] = {value}", "y = y2", f"y *= {value}"),
            "y2[0]": self.pick(f"y2[0] = {value}", "y2 = y", f"y2 = y2 + {value}", "y2 = y + 0.0"),
            "many[1].sum()": self.pick(
                f"many[1] += {value}", "many[1] -= many[0]", "many = many[::-1]"
            ),
            "best": f"best = {value}",
        }
        if self.chance(0.4):
            self.add(depth, f"if {self.test()}:")
            depth += 1
        self.add(depth, lines[state])
