"""Whole detections: each problem, small and large."""

import linecache
from dataclasses import dataclass

import numpy as np

from sparsetrace import JacobianDetector, jacobian_sparsity

from .problems import PROBLEMS, SIZES


class Detection:
    params = [list(PROBLEMS), ["small", "large"]]
    param_names = ["problem", "size"]

    def setup(self, name, size):
        self.problem = PROBLEMS[name](SIZES[name][size == "large"])

    def detect(self):
        problem = self.problem
        return jacobian_sparsity(problem.function, *problem.arguments, argnums=problem.argnums)

    def time_detection(self, name, size):
        self.detect()

    def peakmem_detection(self, name, size):
        self.detect()

    def track_entries(self, name, size):
        pattern = self.detect()
        if (pattern.shape, pattern.nnz) != (self.problem.shape, self.problem.entries):
            raise AssertionError(f"{pattern!r} is not what {name} must have")
        return pattern.nnz

    track_entries.unit = "entries"


class Again:
    """A small function traced again and again: what a trace costs whatever it traces."""

    params = ["function", "detector"]
    param_names = ["by"]

    def setup(self, by):
        self.x = np.ones(30)
        detector = JacobianDetector(_neighbours, like=self.x)
        self.detect = detector if by == "detector" else self.plainly
        self.detect(self.x)

    def plainly(self, x):
        return jacobian_sparsity(_neighbours, x)

    def time_again(self, by):
        self.detect(self.x)


def _neighbours(x):
    return np.sin(x[1:]) * x[:-1]


class Bounded:
    """Single numbers computed with behind a look-up by a value: bounds of values are kept then."""

    def setup(self):
        self.x = np.ones(100)
        self.time_scalars()

    def time_scalars(self):
        jacobian_sparsity(_iterations, self.x)


def _iterations(x):
    start, roots = x[int(np.argmax(x))], []
    for v in x:
        root = start
        for _ in range(20):
            root = root - 0.25 * (root * root - v) / (1.0 + root)
        roots.append(root)
    return roots


class Masked:
    """Arrays computed with behind a mask, or behind a place that the inputs choose."""

    params = ["nothing", "a mask", "a place"]
    param_names = ["behind"]

    def setup(self, behind):
        self.x = np.linspace(-1.0, 1.0, 24)
        self.time_arrays(behind)

    def time_arrays(self, behind):
        jacobian_sparsity(lambda x: _steps(x, behind), self.x)

    def time_arrays_at_a_point(self, behind):
        jacobian_sparsity(lambda x: _steps(x, behind), self.x, local=True)


def _steps(x, behind):
    if behind == "a mask":
        x[x > 0.5] = 0.0
    elif behind == "a place":
        x[np.argmax(x[:2])] = 0.0
    u, v = x[:12], x[12:]
    for _ in range(100):
        s, c = np.sin(v), np.cos(u)
        w = np.sqrt((c * s) ** 2 + (c * u - s * c * v) ** 2)
        z = np.arctan2(w, u * c + 1.0)
        v = u + (1 - z) * 0.3 * np.sin(z) * (w + z * c * (s + z * (-1 + 2.0 * s**2)))
    return v


class Converging:
    """A loop over an array to a tolerance: without an end of its own, or with a history."""

    params = [
        *("limited", "limited, with a history", "without a limit", "one for each element"),
        "steps that are accepted or not",
    ]
    param_names = ["loop"]

    def setup(self, loop):
        self.x = np.linspace(0.1, 1.0, 20)
        self.f = _CONVERGING[loop]
        self.time_converging(loop)

    def time_converging(self, loop):
        with np.errstate(all="ignore"):
            jacobian_sparsity(self.f, self.x)


class Objects:
    """Objects that calls return by branches, and objects that methods change by branches."""

    params = (["returned", "with a mode", "with flags"], [25, 100])
    param_names = ["objects", "steps"]

    def setup(self, objects, steps):
        self.x = np.linspace(0.1, 1.7, steps)
        self.f = _OBJECTS[objects]
        self.time_objects(objects, steps)

    def time_objects(self, objects, steps):
        jacobian_sparsity(self.f, self.x)


@dataclass
class _State:
    t: float
    h: float


def _flash(t):
    if t > 1.0:
        return _State(t, 2 * t)
    return _State(t * t, t + 1)


def _returned(x):
    return np.array([state.t * state.h for state in map(_flash, x)])


class _Tank:
    def __init__(self, level):
        self.level, self.mode, self.is_full = level, "filling", False

    def step(self, flow):
        if self.mode == "filling":
            self.level = self.level + flow
            if self.level > 2.0:
                self.mode = "draining"
        else:
            self.level = self.level * 0.9
            if self.level < 1.0:
                self.mode = "filling"

    def fill(self, flow):
        if self.is_full:
            return 0.0
        self.level = self.level + flow
        if self.level > 2.0:
            self.is_full = True
            return self.level - 2.0
        return 0.0


def _with_a_mode(x):
    tank = _Tank(x[0])
    for flow in x[1:]:
        tank.step(flow)
    return np.array([tank.level])


def _with_flags(x):
    tanks = [_Tank(level) for level in x[:5]]
    spilled = [sum(tank.fill(flow) for tank in tanks) for flow in x[5:]]
    return np.array(spilled)


_OBJECTS = {"returned": _returned, "with a mode": _with_a_mode, "with flags": _with_flags}


def _step(y, x):
    return 0.5 * np.cos(y) + 0.1 * np.roll(x, 1)


def _limited(x):
    y = x.copy()
    for _ in range(300):
        y, old = _step(y, x), y
        if np.linalg.norm(y - old) < 1e-10:
            break
    return y


def _with_a_history(x):
    y, errors = x.copy(), []
    for _ in range(300):
        y, old = _step(y, x), y
        errors.append(np.linalg.norm(y - old))
        if np.linalg.norm(y - old) < 1e-10:
            break
    return y


def _accepted(x):
    """Levenberg and Marquardt's method for two parameters."""
    p, damping, t = np.ones(2), 1e-2, np.arange(float(len(x)))
    for _ in range(20):
        model = np.exp(-p[1] * t)
        residuals = p[0] * model - x
        slopes = np.stack([model, -p[0] * t * model], axis=1)
        step = np.linalg.solve(slopes.T @ slopes + damping * np.eye(2), -slopes.T @ residuals)
        tried = p + step
        if np.sum((tried[0] * np.exp(-tried[1] * t) - x) ** 2) < np.sum(residuals**2):
            p, damping = tried, damping / 10
        else:
            damping *= 10
        if np.linalg.norm(step) < 1e-8:
            break
    return p


def _without_a_limit(x):
    y, old = x.copy(), np.zeros(len(x))
    while np.linalg.norm(y - old) > 1e-10:
        y, old = _step(y, x), y
    return y


def _root(v):
    z = v
    while abs(z * z - v) > 1e-10:
        z = (z + v / z) / 2
    return z


_CONVERGING = {
    "limited": _limited,
    "limited, with a history": _with_a_history,
    "without a limit": _without_a_limit,
    "one for each element": lambda x: [_root(v) for v in x],
    "steps that are accepted or not": _accepted,
}


class Printing:
    """The picture of a pattern with four million entries."""

    def setup(self):
        problem = PROBLEMS["softmax"](SIZES["softmax"][1])
        self.pattern = jacobian_sparsity(problem.function, *problem.arguments)

    def time_str(self):
        str(self.pattern)


class Reaching:
    """A trivial method of an object from which much can be reached, traced before."""

    params = [0, 200, 2000]
    param_names = ["functions"]

    def setup(self, functions):
        methods = "".join(_METHOD.format(i=i) for i in range(functions // 2))
        helpers = "".join(_HELPER.format(i=i) for i in range(functions // 2))
        scope = {"np": np, "__name__": "a_users_module"}
        exec(
            f"{helpers}class Model:\n    def value(self, x):\n        return x * 2\n{methods}",
            scope,
        )
        self.value = scope["Model"]().value
        self.time_second_trace(functions)

    def time_second_trace(self, functions):
        jacobian_sparsity(self.value, np.ones(5))


_METHOD = """
    def method_{i}(self, x):
        try:
            return np.sin(x) * len(x) + helper_{i}(x)
        finally:
            self.last = {i}
"""
_HELPER = """
def helper_{i}(x):
    with np.errstate(all='ignore'):
        return x * abs({i})
"""


class Branches:
    """So many ``if``s in a row, each of which may return: the source is rewritten for them."""

    params = [5, 20, 40]
    param_names = ["branches"]

    def setup(self, branches):
        lines = ["def function(x):", "    s, t = x[0], x[1]"]
        for i in range(branches):
            lines += [
                f"    if s * t > x[{i}]:",
                f"        s = s + x[{i}] * t",
                "    elif t > s:",
                "        t = t * s",
                "    if s != s:",
                "        return s",
            ]
        text = "\n".join([*lines, "    return s + t", ""])
        name = f"branches in a row: {branches}"
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        scope = {}
        exec(compile(text, name, "exec"), scope)
        self.function, self.x = scope["function"], np.ones(branches)

    def time_first_detection(self, branches):
        jacobian_sparsity(self.function, self.x)

    time_first_detection.number, time_first_detection.warmup_time = 1, 0
