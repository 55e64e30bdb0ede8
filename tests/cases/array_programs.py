"""Random NumPy programs that return arrays, as source text.

Contract: nothing here knows of sparsetrace.  A program is made line by line while it runs on
random numbers, so that every line works and stays finite.
"""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass

import numpy as np

__all__ = ["HIGH", "LOW", "Program", "Writer"]

LOW, HIGH = -2.0, 2.0
LARGEST = 60
"""No array of a program has more elements."""
BOUND = 1e4

UNARY = (
    "np.sin({a})", "np.cos({a})", "np.tanh({a})", "np.exp(-np.abs({a}))", "np.arctan({a})",
    "np.sqrt(np.abs({a}) + 1.0)", "np.square({a})", "np.abs({a})", "-{a}", "2.5 * {a}",
    "{a} ** 2", "{a} / 3", "1.0 / ({a} ** 2 + 1.0)", "np.maximum({a}, 0.0)", "{a} - 1.0",
    "np.floor({a}) + {a}", "np.sign({a}) * {a}", "np.clip({a}, -1.0, 1.0)", "0.0 * {a} + 1.0",
    "({a} > 0) * {a}", "np.where({a} > 0, {a}, 0.1 * {a})", "np.round({a}, 1) + {a}",
    "np.log1p({a} ** 2)", "np.where(np.abs({a}) < 1, {a}, 0.0)", "{a} % 1.5",
)  # fmt: skip
BINARY = (
    "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / ({b} ** 2 + 1.0)", "np.maximum({a}, {b})",
    "np.minimum({a}, {b})", "np.hypot({a}, {b})", "np.arctan2({a}, {b})",
    "np.where({a} > {b}, {a}, {b})", "np.where({a} > 0, {b}, 2.0)", "({a} > {b}) * {a}",
    "np.multiply({a}, {b})", "np.logaddexp({a}, {b})", "np.copysign({a}, {b})",
    "np.heaviside({a}, 0.5) * {b}", "np.add.outer({a}.ravel()[:4], {b}.ravel()[:4])",
    "np.outer({a}, {b})", "np.concatenate([{a}.ravel(), {b}.ravel()])",
    "{a}.ravel()[:, None] - {b}.ravel()[None, :]", "np.dot({a}.ravel()[:3], {b}.ravel()[:3])",
    "np.convolve({a}.ravel()[:6], {b}.ravel()[:3])", "np.stack([{a}, {b}])",
    "{a} @ {b}", "np.append({a}, {b})", "{a} - {b}.mean()", "{a} * {b}.ravel()[0]",
    "np.cross(np.resize({a}, 3), np.resize({b}, 3))",
)  # fmt: skip
FLAT = (
    "{v}[{i}]", "{v}[{lo}:{hi}]", "{v}[::-1]", "{v}[::2]", "{v}[1:] - {v}[:-1]", "{v}[{fancy}]",
    "{v}[{mask}]", "np.roll({v}, {s})", "np.diff({v})", "np.cumsum({v})", "np.sort({v})",
    "{v} - {v}.max()", "{v} / ({v} ** 2).sum() ** 0.5", "np.exp({v} - {v}.max()) / "
    "np.exp({v} - {v}.max()).sum()", "{v}[np.argmax({v})]", "{v}[np.argsort({v})]",
    "np.pad({v}, 1)", "np.pad({v}, (1, 2), mode='edge')", "np.tile({v}, 2)", "np.repeat({v}, 2)",
    "np.flip({v})", "np.delete({v}, {i})", "np.insert({v}, {i}, 1.0)", "np.cumprod(np.tanh({v}))",
    "np.gradient(np.append({v}, [0.0, 1.0]))", "np.interp({v}, [-1.0, 0.0, 2.0], [1.0, 0.0, 3.0])",
    "np.diag({v}[:5])", "np.trapezoid({v})", "np.lib.stride_tricks.sliding_window_view({v}, 2)",
    "np.lib.stride_tricks.sliding_window_view({v}, 2).sum(axis=1)", "np.split({v}, [1])[1]",
    "np.maximum.accumulate({v})", "np.add.reduceat({v}, [0, {i}])", "{v}.take({fancy})",
    "np.correlate({v}, [1.0, 0.0, -2.0], 'same')", "np.convolve({v}, [0.0, 1.0], 'same')",
    "np.array([{v}[{i}], 1.0, {v}[0] * {v}[-1]])", "np.stack([w * w for w in {v}])",
    "np.stack([{v}[k] * {v}[k - 1] for k in range(len({v}))])", "np.vander({v}[:4], 3)",
    "np.einsum('i,j->ij', {v}[:5], {v}[-5:])", "np.einsum('i,i->', {v}, {v})", "np.prod({v}[:4])",
    "np.triu(np.outer({v}[:5], {v}[:5]))", "np.kron({v}[:4], [1.0, 0.0, 2.0])",
    "np.linalg.norm({v})", "np.median({v})", "np.ptp({v})", "{v}.std()", "np.polyval({v}[:3], 2.0)",
    "np.bincount(np.arange(len({v})) // 2, weights={v})", "np.fft.fft({v}).real", "sum({v})",
    "np.linalg.solve(np.eye(len({v})) * 3 + np.eye(len({v}), k=1), {v})", "np.atleast_2d({v})",
    "np.select([{v} > 1, {v} > 0], [{v}, -{v}], 0.0)", "np.meshgrid({v}[:3], {v}[:4])[1]",
    "np.fromiter((w for w in {v}), float)",
)  # fmt: skip
MATRIX = (
    "{v}.T", "{v}.ravel()", "{v}.sum(axis=0)", "{v}.sum(axis=1)", "{v}.mean()", "{v}[0]",
    "{v}[:, -1]", "{v}[::-1, 1:]", "{v}.max(axis=1)", "{v} - {v}.max(axis=1, keepdims=True)",
    "{v} / (np.abs({v}).sum(axis=0) + 1.0)", "np.cumsum({v}, axis=1)", "np.trace({v})",
    "np.diagonal({v})", "{v}.reshape(-1, {v}.shape[0])", "np.roll({v}, 1, axis=1)", "np.tril({v})",
    "{v} @ {v}.T", "{v}.T @ {v}", "np.vstack([{v}, {v}[:1]])", "np.hstack([{v}, {v}[:, :1]])",
    "np.diff({v}, axis=0)", "{v}[[0, -1]]", "{v}[:, [0, 0]]", "np.sort({v}, axis=0)",
    "np.einsum('ij->i', {v})", "np.einsum('ij,kj->ik', {v}, {v})", "np.tensordot({v}, {v}, 2)",
    "{v}[np.arange(len({v})), np.argmax({v}, axis=1)]", "np.flipud({v})", "np.prod({v}, axis=1)",
    "{v}.swapaxes(0, 1)[0]", "np.var({v}, axis=0)", "np.linalg.norm({v}, axis=1)",
    "np.array([row.sum() for row in {v}])", "np.column_stack([{v}, {v}[:, 0]])", "np.rot90({v})",
    "np.block([[{v}, {v}]])", "{v}[{v}.shape[0] // 2:]", "np.any({v} > 0, axis=1) * {v}[:, 0]",
)  # fmt: skip
STATEMENTS = (
    "{t} = {v}.copy(); {t}[{i}] = {w}.sum()",
    "{t} = {v}.copy(); {t}[{lo}:{hi}] = 0.0",
    "{t} = {v}.copy(); {t}[1:] += {v}[:-1]",
    "{t} = {v}.copy(); {t}[1:] = {t}[:-1]",
    "{t} = {v}.copy(); {t}[{mask}] *= {w}.ravel()[0]",
    "{t} = {v}.copy(); {t}[{fancy}] = {v}[0]",
    "{t} = {v}.copy(); {t}[{v} > 0] = 0.5",
    "{t} = {v}.copy(); {t}[np.argmin({v})] = {w}.mean()",
    "{t} = {v}.copy(); {t} *= {v}[::-1]; {t} -= 1.0",
    "{t} = {v}.copy(); {t}.reshape(-1, 1)[{lo}:{hi}] += {w}.ravel()[-1]",
    "{t} = {v}.copy(); {t}[::2], {t}[1::2] = {t}[::2] * 2, {t}[1::2] * {v}[0]",
    "{t} = {v}.copy(); np.add.at({t}, {fancy}, {v}[0] ** 2)",
    "{t} = {v}.copy(); np.multiply({t}[1:], {v}[:-1], out={t}[1:])",
    "{t} = {v}.copy(); {t}.sort(); {t}[0] = 0.0",
    "{t} = np.zeros_like({v}); {t}[{i}] = {v}[0]; {t}[-1] += {w}.ravel()[0]",
    "{t} = np.zeros_like({v}); {t}[{lo}:{hi}] = {v}[{lo}:{hi}] ** 2",
    "{t} = np.zeros_like({v}); {t}[1:-1] = {v}[2:] - 2 * {v}[1:-1] + {v}[:-2]",
    "{t} = np.empty_like({v}); {t}[:] = {v}[::-1]; {t}[{i}] = 1.0; {t} = {t} * {v}",
    "{t} = np.zeros(len({v}))\nfor k in range(len({v})): {t}[k] = {v}[k] * {v}[k - 1]",
    "{t} = np.zeros_like({v})\nfor k in range(1, len({v})): {t}[k] = 0.5 * {t}[k - 1] + {v}[k]",
    "{t} = {v}.copy()\nfor k in range(len({v}) - 2, -1, -1): {t}[k] -= 0.3 * {t}[k + 1]",
    "{t} = 0.0\nfor w in {v}: {t} = {t} * 0.5 + w ** 2",
    "{t} = 1.0\nfor k in range(min(4, len({v}))): {t} = {t} * np.tanh({v}[k])",
    "{t} = {v}[0]\nfor w in {v}[1:]: {t} = np.maximum({t}, w)",
    "a, b = {v}[0], {v}[-1]\nfor k in range(3): a, b = b, np.sin(a) + b\n{t} = np.array([a, b])",
    "rows = []\nfor k in range(2): rows.append({v} * (k + 1))\n{t} = np.concatenate(rows)",
    "{t} = {v}\nfor k in range(3): {t} = 0.5 * ({t} + np.roll({t}, 1))",
    "{t} = np.tanh({v})\nfor k in range(2): {t} = np.tanh({c} @ {t} + {t})",
)
"""Lines that leave a result in a new variable."""


@dataclass
class Program:
    """A function of `n` numbers, as text and as a function."""

    n: int
    text: str
    scope: dict[str, np.ndarray]

    def __call__(self, x):
        return self.function(x)

    @property
    def function(self):
        names = {"np": np, **self.scope}
        exec(self.text, names)
        return names["f"]


class Writer:
    """Writes a program, running it on random numbers all the while."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.n = self.rng.randrange(2, 8)
        values = np.random.default_rng(seed)
        self.x = values.uniform(LOW, HIGH, self.n)
        self.generator = values
        self.scope: dict[str, np.ndarray] = {}
        self.names: dict[str, np.ndarray] = {"x": self.x}
        self.lines: list[str] = []

    def program(self) -> Program:
        wanted = self.rng.randrange(5, 31)
        for _ in range(4 * wanted):
            if len(self.lines) >= wanted:
                break
            self.extend()
        shown = list(self.names)[-self.rng.randrange(1, 4) :]
        body = "\n".join([*self.lines, f"return [{', '.join(shown)}]"])
        indented = "\n".join("    " + line for line in body.split("\n"))
        return Program(self.n, f"def f(x):\n{indented}\n", self.scope)

    def variable(self, *ndims: int) -> str | None:
        found = [name for name, value in self.names.items() if np.ndim(value) in ndims]
        if not found:
            return None
        return self.rng.choice(found[-5:] if self.rng.random() < 0.8 else found)

    def extend(self) -> None:
        """Try one more line; leave everything as it was if it does not work."""
        target = f"v{len(self.lines)}"
        constants: dict[str, np.ndarray] = {}
        line = self.candidate(target, constants)
        if line is None:
            return
        names = {
            "np": np,
            **self.scope,
            **constants,
            **{name: np.array(value) for name, value in self.names.items()},
        }
        try:
            with warnings.catch_warnings(), np.errstate(all="raise"):
                warnings.simplefilter("error")
                exec(line, names)
            value = np.asarray(names[target])
        except Exception:
            return
        if not value.size or value.size > LARGEST or value.dtype.kind != "f" or value.ndim > 2:
            return
        if not np.isfinite(value).all() or np.abs(value).max() > BOUND:
            return
        self.scope.update(constants)
        self.names[target] = value
        self.lines.append(line)

    def candidate(self, target: str, constants: dict[str, np.ndarray]) -> str | None:
        rng = self.rng
        kind = rng.random()
        if kind < 0.2:
            name = self.variable(0, 1, 2)
            return f"{target} = {rng.choice(UNARY).format(a=name)}"
        if kind < 0.4:
            a, b = self.variable(1, 2), self.variable(0, 1, 2)
            return f"{target} = {rng.choice(BINARY).format(a=a, b=b)}"
        if kind < 0.5:
            return self.with_constant(target, constants)
        if kind < 0.6:
            matrix = self.variable(2)
            return matrix and f"{target} = {rng.choice(MATRIX).format(v=matrix)}"
        name = self.variable(1)
        if name is None:
            return None
        m = len(self.names[name])
        lo = rng.randrange(0, m)
        fields = {
            "v": name,
            "w": self.variable(1, 2),
            "t": target,
            "i": rng.randrange(-m, m),
            "lo": lo,
            "hi": rng.randrange(lo, m + 1),
            "s": rng.randrange(-2, 3),
            "fancy": str([rng.randrange(-m, m) for _ in range(rng.randrange(1, 6))]),
            "mask": f"np.array({[rng.random() < 0.6 for _ in range(m)]})",
            "c": f"c{len(self.scope)}",
        }
        constants[fields["c"]] = self.sparse_constant(m, m)
        if kind < 0.8:
            return f"{target} = {rng.choice(FLAT).format(**fields)}"
        return rng.choice(STATEMENTS).format(**fields)

    def sparse_constant(self, *shape: int) -> np.ndarray:
        """A constant of which most elements are zero."""
        values = np.round(self.generator.uniform(-1.0, 1.0, shape), 2)
        values[self.generator.random(shape) < 0.6] = 0.0
        return values

    def with_constant(self, target: str, constants: dict[str, np.ndarray]) -> str | None:
        """A product with a constant that has zeros."""
        name = self.variable(1, 2)
        assert name is not None
        shape = self.names[name].shape
        constant = f"c{len(self.scope)}"
        rows = self.rng.randrange(1, 6)
        form, size = self.rng.choice(
            (
                (f"{constant} @ {name}", (rows, shape[0])),
                (f"{name} @ {constant}", (shape[-1], rows)),
                (f"{name} * {constant}", shape),
                (f"{name} + {constant}", shape),
                (f"np.dot({constant}, {name})", (rows, shape[0])),
                (f"np.tensordot({constant}, {name}, 1)", (rows, shape[0])),
                (f"np.einsum('ij,j...->i...', {constant}, {name})", (rows, shape[0])),
                (f"np.where({constant} > 0, {name}, {constant})", shape),
                (f"np.convolve({name}.ravel(), {constant})", (rows,)),
                (f"np.multiply.outer({constant}, {name})", (2,)),
                (f"np.inner({name}, {constant})", (rows, shape[-1])),
                (f"np.maximum({name}, {constant})", shape),
                (f"{name} ** np.abs({constant}.round())", shape),
            )
        )
        constants[constant] = self.sparse_constant(*size)
        return f"{target} = {form}"
