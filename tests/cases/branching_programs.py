"""Random programs that branch on their elements, in helpers and where loops stand, as source text.

Contract: nothing here knows of sparsetrace.  `f` takes an array of `SIZE` numbers and gives a list
of numbers.  The helpers return numbers, constants, truth values, None, tuples and lists; loops
write lists, arrays, dictionaries and names, read what earlier turns have written, and catch errors.
"""

from __future__ import annotations

import random

SIZE = 3
PREAMBLE = "import math\nimport numpy as np\nT = [0.5, 2.0]\n\n\n"


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"branches {seed}")
        self.lines: list[str] = []
        self.helpers: list[tuple[str, str]] = []
        self.depth = 0

    def source(self) -> str:
        """The program."""
        for i in range(self.random.randint(1, 3)):
            self.helper(i)
        self.lines.append("def f(x):")
        self.body()
        return PREAMBLE + "\n".join(self.lines) + "\n"

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def add(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    # -------------------------------------------------------------------- expressions
    def number(self, *names: str) -> str:
        """A number made of some names."""
        a, b = self.random.choice(names), self.random.choice(names)
        return self.pick(
            a,
            f"{a} * {b}",
            f"-{a}",
            f"{a} + {b}",
            f"2.0 * {a}",
            f"{a} ** 2",
            f"math.sin({a})",
            f"np.exp({a})",
            f"abs({a})",
            "0.0",
            "1.5",
            "0",
            f"max({a}, 0.3)",
            f"{a} / 3",
        )

    def test(self, *names: str) -> str:
        a, b = self.random.choice(names), self.random.choice(names)
        return self.pick(
            f"{a} > 0.2", f"{a} < {b} + 0.1", f"{a} >= 0.5", f"0.1 < {a} < 0.6", f"not {a} > 0.3"
        )

    # ------------------------------------------------------------------------ helpers
    def helper(self, i: int) -> None:
        name = f"g{i}"
        kinds = {
            "number": self.returns_numbers,
            "assigns": self.assigns,
            "truth": self.returns_truth,
            "none": self.returns_none,
            "pair": self.returns_pair,
            "fills": self.fills,
            "turns": self.turns,
            "solves": self.solves,
            "raises": self.raises,
            "integer": self.returns_integers,
            "same": self.returns_argument,
        }
        kind = self.random.choice([*kinds, "number", "number", "assigns"])
        self.add(0, f"def {name}(v, w):")
        kinds[kind]()
        self.add(0, "", "")
        self.helpers.append((name, kind))

    def inner(self, *names: str) -> str:
        """A number, perhaps from a helper that is there already."""
        numeric = [
            n for n, k in self.helpers if k in ("number", "assigns", "turns", "solves", "same")
        ]
        if numeric and self.random.random() < 0.4:
            a, b = self.random.choice(names), self.random.choice(names)
            return f"{self.random.choice(numeric)}({a}, {b})"
        return self.number(*names)

    def returns_numbers(self) -> None:
        self.add(1, f"if {self.test('v', 'w')}:", f"    return {self.inner('v', 'w')}")
        if self.random.random() < 0.5:
            self.add(1, f"elif {self.test('v')}:", f"    return {self.inner('v')}")
        self.add(1, f"return {self.inner('v', 'w')}")

    def assigns(self) -> None:
        self.add(1, f"t = {self.number('v', 'w')}", f"if {self.test('v', 'w')}:")
        self.add(2, f"t = {self.inner('v', 't')}")
        if self.random.random() < 0.5:
            self.add(1, "else:", f"    t += {self.number('w')}")
        self.add(1, f"return t if {self.test('w')} else {self.number('t', 'v')}")

    def returns_truth(self) -> None:
        self.add(1, f"if {self.test('v', 'w')}:", "    return True", "return False")

    def returns_none(self) -> None:
        self.add(1, f"if {self.test('v', 'w')}:", "    return None", f"return {self.number('v')}")

    def returns_pair(self) -> None:
        self.add(1, f"if {self.test('v')}:", f"    return {self.number('v')}, {self.number('w')}")
        other = self.pick(f"{self.number('w')}, {self.number('v')}", "0.0, v", "w, 1.0")
        self.add(1, f"return {other}")

    def fills(self) -> None:
        made = self.pick("np.zeros(2)", "[0.0, 0.0]", "v * np.ones(2)")
        self.add(
            1, f"out = {made}", f"if {self.test('v', 'w')}:", f"    out[0] = {self.number('v')}"
        )
        self.add(
            1, f"out[1] {self.pick('=', '+=')} {self.number('w')}", "return out[0] + out[1] * 2"
        )

    def turns(self) -> None:
        self.add(1, "k = 0", f"while {self.test('v')} and k < 2:")
        self.add(2, f"v = {self.number('v', 'w')}", "k += 1")
        self.add(1, "return v")

    def solves(self) -> None:
        """A loop that ends in several ways, perhaps in another one."""
        kept = self.pick("z", "w", "out", "k")
        self.add(1, "z, out, k, b = v, [0.0, w], 0, np.ones(2)")
        depth = 1
        if self.random.random() < 0.2:
            self.add(1, "for j in range(2):")
            depth = 2
        self.add(
            depth,
            self.pick(
                "for k in range(3):", f"while {self.test('z')} and k < 3:", "for e in (1, 2):"
            ),
        )
        self.add(depth + 1, "k += 1" if "while" in self.lines[-1] else "last = z")
        for _ in range(self.random.randint(1, 4)):
            names = ("v", "z", self.pick("w", "out[0]", "b[1]"))
            ending = self.pick(
                "break",
                "continue",
                f"return {self.number(*names)}",
                f"w = {self.number(*names)}",
                f"out[0] = {self.number(*names)}",
                f"b[1] += {self.number(*names)}",
                f"b *= {self.number(*names)}",
                "raise ValueError('not solved')" if self.random.random() < 0.3 else "break",
            )
            self.add(depth + 1, f"if {self.test(*names)}:", f"    {ending}")
            target = self.pick("z", "z", "w", "out[0]", "b[0]")
            self.add(depth + 1, f"{target} = {self.number(*names)}")
        if self.random.random() < 0.3:
            other = self.pick("return w", "z = w + z", "out[1] = z")
            self.add(depth, "else:", f"    {other}")
        ends = {"out": "out[0] * z + out[1] + b[1]", "k": "z * k + b[0]", "w": "w * z + b[0]"}
        self.add(1, f"return {ends.get(kept, 'z')}")

    def raises(self) -> None:
        self.add(1, f"if {self.test('v')}:", "    raise ValueError('refused')")
        self.add(1, f"return {self.number('v', 'w')}")

    def returns_integers(self) -> None:
        self.add(1, f"if {self.test('v', 'w')}:", "    return 1", f"return {self.pick('0', '2')}")

    def returns_argument(self) -> None:
        self.add(1, f"if {self.test('v')}:", "    return v", "return w")

    # --------------------------------------------------------------------------- body
    def call(self, depth: int, name: str, *given: str) -> str:
        """A number from a call of a helper; what its result is first asked for, in lines."""
        helper, kind = self.random.choice(self.helpers)
        a, b = self.random.choice(given), self.random.choice(given)
        call = f"{helper}({a}, {b})"
        if kind == "truth":
            return self.pick(f"({a} if {call} else {b} * 2)", f"{call} * {a}")
        if kind == "none":
            self.add(depth, f"{name} = {call}")
            self.add(depth, f"if {name} is None:", f"    {name} = {self.number(*given)}")
            return name
        if kind == "pair":
            self.add(depth, f"{name}, q = {call}")
            return f"({name} * q)" if self.random.random() < 0.5 else f"({name} + 2 * q)"
        if kind == "integer":
            return self.pick(f"{call} * {a}", f"{a} ** {call}", f"T[{call} % 2] * {a}")
        if kind == "raises" and self.random.random() < 0.7:
            self.add(depth, "try:", f"    {name} = {call}", "except ValueError:")
            self.add(depth + 1, f"{name} = {self.number(*given)}")
            return name
        return call

    def body(self) -> None:
        n = SIZE
        self.add(1, "y = np.zeros(3)", "z = [0.0] * 3", "out = []", "d = {}", "s = 0.0", "t = 1.0")
        self.add(1, "m = np.zeros((3, 2))", "previous = x[0]")
        for _ in range(self.random.randint(1, 2)):
            if self.random.random() < 0.25:
                given = self.number("v", "x[0]")
                self.add(
                    1, f"out += [{given} if {self.test('v')} else {self.number('v')} for v in x]"
                )
                continue
            self.add(1, f"for i in range({n}):")
            self.add(2, "v = x[i]", f"w = x[{self.pick('0', '(i + 1) % 3', 'i', '2 - i')}]")
            for _ in range(self.random.randint(1, 3)):
                self.piece(2)
        self.add(1, "return [*out, *y, *z, *d.values(), s, t, previous, *m.ravel()]")

    def piece(self, depth: int) -> None:
        names = ("v", "w", self.pick("v", "previous", "y[i - 1]", "z[i]", "s", "m[i, 0]"))
        kind = self.random.choice(
            "append store branch ternary sum update nested slice call call catch both loop".split()
        )
        test = self.test(*names)
        if kind == "call":
            value = self.call(depth, "c", *names)
            self.add(
                depth, self.pick(f"out.append({value})", f"y[i] = {value}", f"s = s + {value}")
            )
        elif kind == "append":
            self.add(depth, f"if {test}:", f"    out.append({self.number(*names)})", "else:")
            self.add(depth + 1, f"out.append({self.number(*names)})")
        elif kind == "store":
            self.add(depth, f"if {test}:", f"    y[i] = {self.number(*names)}")
            if self.random.random() < 0.6:
                target = self.pick("y[i]", "z[i]", "y[i - 1]", "m[i, 1]", "d[i]")
                self.add(depth, "else:", f"    {target} = {self.number(*names)}")
        elif kind == "branch":
            self.add(depth, f"if {test}:", f"    t = {self.number(*names)}")
            if self.random.random() < 0.5:
                self.add(depth, f"elif {self.test('w')}:", f"    previous = {self.number(*names)}")
            self.add(depth, self.pick("out.append(t)", "z[i] = t * v", "previous = t"))
        elif kind == "ternary":
            value = f"{self.number(*names)} if {test} else {self.number(*names)}"
            self.add(depth, self.pick(f"y[i] = {value}", f"s += {value}", f"out.append({value})"))
        elif kind == "sum":
            self.add(depth, f"if {test}:", f"    s += {self.number(*names)}")
        elif kind == "update":
            target = self.pick("y[i]", "z[i]", "y[0]", "m[i, 0]")
            self.add(depth, f"if {test}:", f"    {target} += {self.number(*names)}")
        elif kind == "slice":
            target = self.pick("y[:2]", "y[i:]", "m[i]", "m[:, 0]")
            self.add(depth, f"if {test}:", f"    {target} = {self.number(*names)}")
        elif kind == "nested":
            self.add(depth, f"if {test}:", f"    if {self.test('w')}:")
            self.add(depth + 2, f"z[i] = {self.number(*names)}")
            self.add(depth + 1, "else:", f"    y[i] = {self.number(*names)}")
        elif kind == "catch":
            self.add(
                depth, "try:", f"    if {test}:", "        y[i] = v * 3", "        raise ValueError"
            )
            self.add(depth + 1, f"previous = {self.number(*names)}")
            self.add(depth, "except ValueError:")
            self.add(depth + 1, f"s = s + y[i] * {self.number('w')}")
        elif kind == "both":
            self.add(depth, f"a = b = {self.number(*names)}", f"if {test}:", "    a, b = b, v * w")
            self.add(depth, "out.append(a * 2 + b)")
        else:
            self.add(
                depth,
                "for k in range(2):",
                f"    if {test}:",
                f"        {self.pick('break', 'continue')}",
            )
            self.add(depth + 1, f"s = s + {self.number(*names)}")
            self.add(depth, self.pick("y[i] = k * v", "out.append(s)"))
