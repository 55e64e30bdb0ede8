"""Objects that functions return by branches, each of which would be a path of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
from scipy.optimize import OptimizeResult


@dataclass
class State:
    t: float
    p: float
    h: float = 0.0
    log: list = field(default_factory=list)


@dataclass(frozen=True)
class Frozen:
    t: float
    p: float


@dataclass(slots=True)
class Slotted:
    t: float
    p: float


def flash(t, p):
    if t > 1.0:
        return State(t, p, t * p)
    return State(t, p * 2, t + 1)


def dataclasses(x):
    return np.array([s.h + s.p for s in [flash(a, 2 * b) for a, b in zip(x[1:], x, strict=False)]])


def frozen(t):
    return Frozen(t, 1.0) if t > 1.0 else Frozen(1.0, t)


def frozen_dataclasses(x):
    return np.array([frozen(a).p for a in x])


def slotted(t):
    if t > 1.0:
        return Slotted(t, 1.0)
    return Slotted(1.0, t)


def dataclasses_with_slots(x):
    return np.array([slotted(a).p * b for a, b in zip(x[1:], x, strict=False)])


def namespace(t):
    if t > 1.0:
        return SimpleNamespace(a=t, b=2.0)
    return SimpleNamespace(a=t * t, b=t)


def namespaces(x):
    return np.array([namespace(a).b for a in x])


def result(t):
    if t > 1.0:
        return OptimizeResult(x=t, fun=2.0)
    return OptimizeResult(x=t * t, fun=t)


def results_of_scipy(x):
    return np.array([result(a).fun for a in x])


class Stream:
    def __init__(self, t, flow):
        self.t = t
        self.flow = flow
        self.parts = [t, flow]

    def mixed(self, other):
        if other.flow > self.flow:
            return Stream(other.t, self.flow + other.flow)
        return self.__class__(self.t, self.flow + other.flow)


def objects_that_hold_lists(x):
    s = Stream(x[0], x[1])
    for a, b in zip(x[2::2], x[3::2], strict=False):
        s = s.mixed(Stream(a, b))
    return np.array([s.t, s.flow, s.parts[0]])


def given_or_new(t, other):
    return other if t > 1.0 else Frozen(t, t)


def one_that_others_hold(x):
    shared = Frozen(x[0], x[0])
    kept = [given_or_new(a, shared) for a in x[:5]]
    return np.array([k.p if k is shared else k.t * 2 for k in kept])


class Solver:
    def solve(self, a):
        v, turns = a, 0
        while abs(v * v - a) > 1e-8 and turns < 30:
            v = 0.5 * (v + a / v)
            turns += 1
        return SimpleNamespace(x=v, nit=turns, success=turns < 30)


def results_of_a_loop(x):
    return np.array([Solver().solve(a).x for a in x])


def results_that_are_checked(x):
    results = [Solver().solve(a) for a in x]
    if not all(r.success for r in results):
        raise RuntimeError("no convergence")
    return np.array([r.x for r in results])


UNITED = [
    dataclasses,
    frozen_dataclasses,
    dataclasses_with_slots,
    namespaces,
    results_of_scipy,
    objects_that_hold_lists,
]
"""Of which one call gives one result."""
LOOPING = [results_of_a_loop, results_that_are_checked]
APART = [one_that_others_hold]
