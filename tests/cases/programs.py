"""Random NumPy programs with one number as their result, as source text.

Contract: nothing here knows of sparsetrace.  A program is made line by line while it runs
on random numbers, so that every line works and keeps values of order one; `Program.source`
can be pasted as it is.  Each program prefers some kinds of lines at random, so that some
are nearly linear and some mix everything.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cases.program_families import FAMILIES, HELPERS, IMPORTS
from cases.program_lines import KINDS, LOCAL

LOW, HIGH = -1.5, 1.5
"""The interval from which inputs are drawn."""
LARGEST = 40
"""No array of a program has more elements."""
BOUND = 30.0
"""No value is larger where the program is made."""
MOST_BRANCHES = 3
MOST_SLOW = 3
"""So many lines that take long are tried, such as those that start threads."""
FAMILIAR = 0.4
"""The share of lines that are of the families asked for."""
PREAMBLE = "import math\nimport numpy as np\nimport scipy.sparse\nimport scipy.special as sp\n"


@dataclass(frozen=True)
class Program:
    """A function of `n` numbers that returns one."""

    n: int
    lines: tuple[str, ...]
    terms: tuple[str, ...]
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    families: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    u: np.ndarray | None = None
    as_list: bool = False

    @property
    def source(self) -> str:
        """The program, to paste."""
        body = "\n".join([*self.lines, f"return {' + '.join(self.terms)}"])
        used = [f"{k} = np.array({v.tolist()})\n" for k, v in self.constants.items() if k in body]
        indented = "\n".join("    " + line for line in body.split("\n"))
        given = "x" if self.u is None else "x, u"
        return f"{PREAMBLE}{self.before(body)}{''.join(used)}def f({given}):\n{indented}\n"

    def before(self, body: str) -> str:
        """What families need before the function."""
        setup = [f"{line}\n" for line in self.setup if line.partition(" = ")[0] in body]
        helpers = [text for name, text in HELPERS.items() if any(name in s for s in setup)]
        return "".join([IMPORTS if self.families else "", *helpers, *setup])

    def compiled(self) -> Callable[..., Any]:
        names: dict[str, Any] = {}
        exec(compile(self.source, "<program>", "exec"), names)
        return names["f"]

    def plain(self, u: np.ndarray | None = None) -> Callable[[Any], Any]:
        """The program as a function of x alone, fresh at each call where it keeps a state."""
        code = compile(self.source, "<program>", "exec")
        once = self.compiled()

        def call(x: Any) -> Any:
            names: dict[str, Any] = {}
            if self.setup:
                exec(code, names)
            given = x.tolist() if self.as_list else x
            return names.get("f", once)(given, *(() if u is None else (u.copy(),)))

        return call


def shrunk(program: Program, fails: Callable[[Program], bool]) -> Program:
    """The program without what it fails without as well, inputs in place of the rest."""

    def still(candidate: Program) -> bool:
        try:
            return fails(candidate)
        except Exception:
            return False

    before = None
    while program != before:
        before = program
        for name in ("terms", "lines"):
            for at in reversed(range(len(getattr(program, name)))):
                for less in _instead(program, name, getattr(program, name)[at]):
                    parts = getattr(program, name)
                    changed = replace(program, **{name: (*parts[:at], *less, *parts[at + 1 :])})
                    if changed != program and changed.terms and still(changed):
                        program = changed
                        break
    return program


def _instead(program: Program, name: str, part: str) -> list[tuple[str, ...]]:
    """Simpler parts to try: none, or inputs as they are."""
    target = part.partition(" = ")[0]
    if name == "terms" or target not in program.shapes or "resize" in part:
        return [()]
    shape = program.shapes[target]
    return [(), (f"{target} = np.resize(x, {shape})" if shape else f"{target} = x[0]",)]


class Writer:
    """Writes a program, running it on random numbers all the while.

    Parameters
    ----------
    seed : int
    local : bool
        Whether shapes and loops may depend on values; `x` is then the point to keep to.
    families : sequence of str
        Of `program_families`: which lines to use besides.
    """

    def __init__(self, seed: int, *, local: bool = False, families: Sequence[str] = ()) -> None:
        self.rng = random.Random(seed)
        self.generator = np.random.default_rng(seed)
        self.n = self.rng.randrange(3, 9)
        self.local = local
        self.x = self.generator.uniform(LOW, HIGH, self.n)
        if local and self.rng.random() < 0.5:
            special = self.generator.random(self.n) < 0.5
            self.x[special] = self.generator.choice([0.0, 1.0, -1.0, 0.5], special.sum())
        self.constants: dict[str, np.ndarray] = {}
        self.lines: list[str] = []
        self.branches = 0
        chance = self.rng
        self.weights = [w * chance.choice((0.1, 0.5, 1.0, 1.0, 3.0)) for _, w in KINDS.values()]
        self.bent = chance.choice((0.1, 0.3, 0.7))
        self.reach = chance.choice((2, 4, 8, 100))
        self.fresh = chance.choice((0.2, 0.5, 0.8))
        self.names: dict[str, Any] = {}
        self.families = tuple(name for name in families if name not in ("lists", "args"))
        self.as_list = "lists" in families and (len(families) == 1 or self.rng.random() < 0.3)
        self.u: np.ndarray | None = None
        if self.as_list:
            self.families += ("lists",)
        if "args" in families and (len(families) == 1 or self.rng.random() < 0.3):
            self.families += ("args",)
            self.u = np.round(self.generator.uniform(-1, 1, 4), 2)
            self.u[self.generator.random(4) < 0.5] = self.rng.choice((0.0, 1.0))
        self.setup: list[str] = []
        self.slow = 0
        self.restart()

    def restart(self) -> None:
        """Run all lines so far, from the beginning."""
        self.names = {"x": self.x.copy()}
        self.scope: dict[str, Any] = {}
        exec(PREAMBLE, self.scope)
        self.scope.update(self.constants, x=self.names["x"])
        if self.families:
            exec("\n".join([IMPORTS, *HELPERS.values(), *self.setup]), self.scope)
            self.scope["u"] = None if self.u is None else self.u.copy()
        if self.as_list:
            self.scope["x"] = self.x.tolist()
        for number, line in enumerate(self.lines):
            exec(line, self.scope)
            self.names[f"v{number}"] = self.scope[f"v{number}"]

    def program(self) -> Program:
        wanted = self.rng.choice((self.rng.randrange(5, 15), self.rng.randrange(5, 61)))
        with warnings.catch_warnings(), np.errstate(all="raise"):
            warnings.simplefilter("error")
            for _ in range(4 * wanted):
                if len(self.lines) >= wanted:
                    break
                self.extend()
        shapes = {name: np.shape(value) for name, value in self.names.items() if name != "x"}
        rest = self.families, tuple(self.setup), self.u, self.as_list
        return Program(
            self.n, tuple(self.lines), tuple(self.terms()), self.constants, shapes, *rest
        )

    def terms(self) -> list[str]:
        """Numbers to add up: of the last variables, and now and then of any."""
        found = self.usable()
        last = found[-self.rng.randrange(1, 4) :]
        chosen = last + self.rng.choices(found, k=self.rng.choice((0, 1, 3, 6)))
        return [self.term(name) for name in dict.fromkeys(chosen)]

    def term(self, name: str) -> str:
        shape = np.shape(self.names[name])
        if not shape:
            return self.rng.choice((name, name, f"{name} ** 2", f"2 * {name}"))
        element = ", ".join(str(self.rng.randrange(size)) for size in shape)
        other = self.rng.choice(self.usable())
        one = f"{name}[{element}]"
        forms = (
            one, one, one, f"{name}.sum()", f"({name} ** 2).sum()", f"np.sum({name}[::2])",
            f"{one} * np.ravel({other})[0]",
        )  # fmt: skip
        return self.rng.choice(forms)

    def usable(self) -> list[str]:
        """All variables that are arrays or numbers."""
        return [name for name in self.names if not self.as_list or name != "x"]

    def variable(self, *ndims: int) -> str | None:
        found = [name for name in self.usable() if np.ndim(self.names[name]) in ndims]
        if not found:
            return None
        early = self.rng.random() < self.fresh
        return self.rng.choice(found[: self.reach] if early else found[-self.reach :])

    def extend(self) -> None:
        """Try one more line; leave everything as it was if it does not work."""
        target = f"v{len(self.lines)}"
        kind = self.rng.choices(list(KINDS), self.weights)[0]
        if kind == "branch" and self.branches >= MOST_BRANCHES:
            return
        known = set(self.constants)
        setup = ""
        if self.families and (len(self.names) < 2 or self.rng.random() < FAMILIAR):
            kind = "family"
            setup, line = self.of_family(target)
        else:
            line = self.line(kind, target)
        if line is None:
            return
        self.scope.update(self.constants)
        try:
            exec(setup, self.scope)
            exec(line, self.scope)
            value = self.scope[target]
            good = self.is_tame(value) and all(map(self.is_tame, self.names.values()))
        except Exception:
            good = False
        if good:
            self.names[target] = value
            self.lines.append(line)
            self.setup += [setup] if setup else []
            self.branches += kind == "branch"
        else:
            for name in set(self.constants) - known:
                del self.constants[name]
            if kind in ("statement", "branch", "family"):
                self.restart()

    def of_family(self, target: str) -> tuple[str, str | None]:
        """A line of a family, and what has to stand before the function."""
        name = "lists" if self.as_list and len(self.names) < 3 else self.rng.choice(self.families)
        if name == "threads":
            self.slow += 1
            if self.slow > MOST_SLOW:
                return "", None
        setup, bar, body = self.rng.choice(FAMILIES[name]).partition(" || ")
        if not bar:
            setup, body = "", setup
        fields = {"k": f"s{len(self.lines)}"}
        line = self.filled(body, target, a=self.variable(1, 2), **fields)
        if line is not None and name in ("try", "types", "state", "threads") and " if " in line:
            if self.branches >= MOST_BRANCHES:
                return "", None
            self.branches += 1
        return setup.format(**fields), line

    @staticmethod
    def is_tame(value: Any) -> bool:
        if isinstance(value, list | tuple | bool | int):
            return False
        array = np.asarray(value)
        return (
            0 < array.size <= LARGEST
            and array.dtype == float
            and array.ndim <= 2
            and bool(np.abs(array).max() < BOUND)
        )

    def line(self, kind: str, target: str) -> str | None:
        rng = self.rng
        form = rng.choice(KINDS[kind][0][rng.random() < self.bent])
        if kind == "constant":
            return self.with_constant(target, *form)
        if kind == "statement" and self.local and rng.random() < 0.3:
            form = rng.choice(LOCAL)
        if kind not in ("statement", "branch"):
            form = f"{{t}} = {form}"
        if kind == "matrix":
            return self.filled(form, target, v=self.variable(2))
        scalars_too = rng.random() < 0.3
        return self.filled(form, target, a=self.variable(*((0, 1, 2) if scalars_too else (1, 2))))

    def filled(self, form: str, target: str, **given: str | None) -> str | None:
        rng = self.rng
        fields = {"t": target, "v": self.variable(1), "a": "x", "w": self.variable(1, 2)}
        fields |= {"b": self.variable(0, 1, 2), "s1": self.variable(0), "s2": self.variable(0)}
        fields |= {"p": rng.choice((0, 1, 2, 3, -1, 0.5)), "s": rng.randrange(-2, 3)} | given
        if any("{" + key + "}" in form and value is None for key, value in fields.items()):
            return None
        size = np.size(self.names[fields["v"]]) if fields["v"] else 1
        m = len(self.names[fields["v"]]) if fields["v"] else 1
        lo = rng.randrange(m)
        fields |= {"i": rng.randrange(-m, m), "lo": lo, "hi": rng.randrange(lo, m + 1)}
        fields["fancy"] = [rng.randrange(-m, m) for _ in range(rng.randrange(1, 6))]
        fields["mask"] = f"np.array({[rng.random() < 0.6 for _ in range(size)]})"
        fields["m"] = f"np.resize([True, False, True], np.shape({fields['a']}))"
        fields["q"] = f"(np.resize({fields['v']}, (2, 2)) + 3 * np.eye(2))"
        return form.format(**fields)

    def with_constant(self, target: str, form: str, size: str) -> str | None:
        """An expression with a constant that has zeros and ones."""
        name = self.variable(1, 2)
        if name is None:
            return None
        shape = np.shape(self.names[name])
        sizes = {"rows": self.rng.randrange(1, 6), "two": 2, "first": shape[0], "last": shape[-1]}
        wanted = shape if size == "same" else tuple(sizes[part] for part in size.split(","))
        values = np.round(self.generator.uniform(-1.0, 1.0, wanted), 2)
        values[self.generator.random(wanted) < 0.5] = 0.0
        values[self.generator.random(wanted) < 0.2] = 1.0
        constant = f"c{len(self.lines)}"
        self.constants[constant] = values
        return f"{target} = {form.format(c=constant, v=name)}"
