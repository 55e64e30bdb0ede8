"""Objects whose methods change them by branches: modes, fields, particles and the like."""

from __future__ import annotations

import collections
from dataclasses import dataclass, field
from enum import Enum
from types import SimpleNamespace

import numpy as np


class Mode(Enum):
    HEAT = 1
    COOL = 2
    OFF = 3


class Thermostat:
    def __init__(self, t):
        self.t = t
        self.mode = Mode.OFF
        self.energy = 0.0

    def step(self, ambient):
        if self.mode is Mode.HEAT:
            self.t = self.t + 0.5
            self.energy += self.t * 0.1
            if self.t > 1.2:
                self.mode = Mode.OFF
        elif self.mode is Mode.COOL:
            self.t = self.t - 0.5 * ambient
            if self.t < 0.8:
                self.mode = Mode.OFF
        else:
            self.t = self.t + 0.1 * (ambient - self.t)
            if self.t < 0.7:
                self.mode = Mode.HEAT
            elif self.t > 1.3:
                self.mode = Mode.COOL


def thermostat(x):
    h = Thermostat(x[0])
    for a in x[1:]:
        h.step(a)
    return np.array([h.t, h.energy])


class Controller:
    def __init__(self, kp, ki):
        self.kp, self.ki = kp, ki
        self.integral = 0.0
        self.saturated = False

    def __call__(self, e, dt):
        self.integral += e * dt
        u = self.kp * e + self.ki * self.integral
        if u > 1.0:
            self.saturated = True
            self.integral -= e * dt
            return 1.0
        elif u < -1.0:
            self.saturated = True
            self.integral -= e * dt
            return -1.0
        self.saturated = False
        return u


def controller(x):
    control = Controller(x[0], x[1])
    y = 0.0
    for r in x[2:]:
        y = y + 0.1 * (control(r - y, 0.1) - y)
    return np.array([y, control.integral])


class Node:
    def __init__(self, v):
        self.v = v
        self.next = None
        self.items = []

    def relax(self, w):
        if self.v > w:
            self.v = w
            return True
        return False


def nodes(x):
    a, b = Node(x[0]), Node(x[1])
    a.next = b
    for w in x[2:]:
        if a.relax(w):
            a.next.v = a.next.v + a.v
        else:
            b.relax(a.v * w)
    return np.array([a.v, b.v])


def put(a, b, w):
    if a.v > w:
        a.items[0] = a.items[0] + w
        a.v = w
    else:
        b.items[0] = b.v
        b.v = b.v * w


def shared_list(x):
    a, b = Node(x[0]), Node(x[1])
    b.items = a.items
    a.items.append(x[0])
    for w in x[2:]:
        put(a, b, w)
    return np.array([a.items[0], b.items[0], a.v, b.v])


def advance(h, w):
    new = Node(h.cur.v * w)
    if new.v < h.best.v:
        h.best = new
    elif w > 1:
        h.cur = new
    h.best.v = h.best.v + 0.1 * w


def replaced_object(x):
    h = SimpleNamespace(cur=Node(x[0]), best=None)
    h.best = h.cur
    for w in x[1:]:
        advance(h, w)
    return np.array([h.cur.v, h.best.v])


class Field:
    def __init__(self, x):
        self.u = np.zeros(3)
        self.u[:] = x[:3]
        self.flux = np.zeros(2)
        self.view = self.u[1:]
        self.limited = False

    def step(self, w):
        self.flux[:] = self.u[1:] - self.u[:-1]
        if self.flux[0] > w:
            self.u[:2] += self.flux * w
        else:
            self.u[2] = self.u[0] * w
            self.limited = True

    def shown(self, w):
        if self.u[0] > w:
            self.u = self.u * w
        else:
            self.view[0] = w


def a_field(x):
    f = Field(x)
    for w in x[3:]:
        f.step(w)
    return f.u


def views_of_a_field(x):
    f = Field(x)
    for w in x[3:]:
        f.shown(w)
    return np.concatenate([f.u, f.view])


class Counter:
    total = 0

    def __init__(self, v):
        self.v = v
        self.seen = set()

    def hit(self, w):
        if self.v > w:
            self.v = self.v - w
            self.mode = "a"
        else:
            self.mode = "b"
        return self

    def hit_class(self, w):
        if self.v > w:
            self.v = self.v - w
            Counter.total = Counter.total + w
        else:
            self.v = self.v + w * Counter.total

    def hit_set(self, w, k):
        if self.v > w:
            self.seen.add(k)
            self.v = self.v * w
        elif k in self.seen or (k - 1) in self.seen:
            self.v = w


def new_attribute(x):
    c = Counter(x[0])
    for w in x[1:]:
        c.hit(w)
        if c.mode == "b":
            c.v = c.v * w
    return np.array([c.v])


def class_attribute(x):
    c = Counter(x[0])
    Counter.total = 0
    for w in x[1:]:
        c.hit_class(w)
    return np.array([c.v, Counter.total * 1.0])


def members_of_a_set(x):
    c = Counter(x[0])
    for k, w in enumerate(x[1:]):
        c.hit_set(w, k)
    return np.array([c.v])


@dataclass
class Particle:
    pos: float
    vel: float
    alive: bool = True
    trail: list = field(default_factory=list)

    def move(self, dt):
        if not self.alive:
            return
        self.pos = self.pos + self.vel * dt
        if self.pos > 2.0:
            self.alive = False
            self.vel = 0.0
        elif self.pos < 0:
            self.vel = -self.vel


def particle(x):
    p = Particle(x[0], x[1])
    for dt in x[2:]:
        p.move(dt)
    return np.array([p.pos, p.vel])


class Failing:
    def __init__(self, v):
        self.v = v
        self.tries = 0

    def attempt(self, w):
        self.tries += 1
        self.v = self.v * w
        if self.v > 1.5:
            raise ValueError("too large")
        return self.v


def failing(x):
    s = Failing(x[0])
    out = 0.0
    for w in x[1:]:
        try:
            out = out + s.attempt(w)
        except ValueError:
            s.v = 1.0
    return np.array([out, s.v])


class Machine:
    def __init__(self, x):
        self.state = "idle"
        self.work = x[0]
        self.done = 0.0
        self.handlers = {"idle": self.idle, "busy": self.busy}

    def idle(self, w):
        self.work = self.work + w
        if self.work > 1.0:
            return "busy"
        return "idle"

    def busy(self, w):
        self.done = self.done + w * self.work
        self.work = self.work - 1.0
        if self.work < 0.5:
            return "idle"
        return "busy"

    def step(self, w):
        self.state = self.handlers[self.state](w)


def machine(x):
    m = Machine(x)
    for w in x[1:]:
        m.step(w)
    return np.array([m.work, m.done])


def closure(x):
    state = {"v": x[0], "mode": "up"}

    def step(w):
        if state["mode"] == "up":
            state["v"] = state["v"] + w
            if state["v"] > 1.5:
                state["mode"] = "down"
        else:
            state["v"] = state["v"] * w
            if state["v"] < 0.5:
                state["mode"] = "up"

    for w in x[1:]:
        step(w)
    return np.array([state["v"]])


GLOBAL = SimpleNamespace(v=0.0, kind="a")


def change_global(w):
    if GLOBAL.v > w:
        GLOBAL.v = GLOBAL.v - w
        GLOBAL.kind = "b"
    else:
        GLOBAL.v = GLOBAL.v + w
        GLOBAL.kind = "a"


def object_of_a_module(x):
    GLOBAL.v = x[0]
    for w in x[1:]:
        change_global(w)
        if GLOBAL.kind == "b":
            GLOBAL.v = GLOBAL.v * w
    return np.array([GLOBAL.v])


class WithSetter:
    def __init__(self, v):
        self._v = v
        self.count = 0

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, value):
        self.count += 1
        self._v = value

    def step(self, w):
        if self.v > w:
            self.v = self.v - w
            self.kind = "x"
        else:
            self.v = w
            self.kind = "y"


def setter(x):
    p = WithSetter(x[0])
    for w in x[1:]:
        p.step(w)
    return np.array([p.v])


class Deleting:
    def __init__(self, v):
        self.v = v
        self.cache = v

    def step(self, w):
        if self.v > w:
            if hasattr(self, "cache"):
                del self.cache
            self.v = self.v * w
        else:
            self.cache = self.v
            self.v = w


def deleted_attribute(x):
    d = Deleting(x[0])
    for w in x[1:]:
        d.step(w)
    return np.array([d.v, getattr(d, "cache", 0.0)])


class Queue:
    def __init__(self, items):
        self.items = items
        self.t = 0.0

    def step(self, w):
        if w > 1.0:
            self.items.append(w)
        elif self.items:
            self.t = self.t + self.items.pop() * w


def queue(x):
    q = Queue(collections.deque())
    for w in x:
        q.step(w)
    return np.array([q.t])


def stack(x):
    q = Queue([])
    for w in x:
        q.step(w)
    return np.array([q.t])


class Tree:
    def __init__(self, v):
        self.v = v
        self.kids = []

    def grow(self, w):
        if self.v > w:
            if len(self.kids) < 2:
                self.kids.append(Tree(w))
            else:
                self.kids[0].grow(w)
        else:
            self.v = w

    def total(self):
        return self.v + sum(k.total() for k in self.kids)


def tree(x):
    t = Tree(x[0])
    for w in x[1:6]:
        t.grow(w)
    return np.array([t.total()])


def reorder(pair, w):
    if pair[0].v > pair[1].v:
        pair[0], pair[1] = pair[1], pair[0]
    else:
        pair[0].v = pair[0].v + w


def swapped(x):
    a, b = Node(x[0]), Node(x[1])
    pair = [a, b]
    for w in x[2:]:
        reorder(pair, w)
    return np.array([pair[0].v, pair[1].v, a.v, b.v])


def changed_before_it_is_assigned(x):
    p = Deleting(x[0])
    total = 0.0
    for w in x[1:]:
        try:
            total = total + off(p, w)
            if w > 0.5 * p.v:
                p.kind = "q"
        except ValueError:
            p.v = w
    return np.array([total, p.v])


def off(p, w):
    if getattr(p, "kind", "p") == "p":
        p.kind = "q"
        if p.v * w > p.cache:
            raise ValueError("v")
    return p.v


def _put_last(d):
    d["a"] = d.pop("a")


def keys_in_another_order(x):
    d = {"a": 0, "b": 1}
    y = 0.0
    for v in x[2:]:
        if v > 1.0:
            _put_last(d)
        y = y + v
    return y * x[d[next(iter(d))]]


def read_and_so_filled(x):
    d = collections.defaultdict(float)
    y = 0.0
    for v in x[2:]:
        if v > 1.0:
            y += d["a"]
    return y + (x[1] if "a" in d else x[0])


def read_in_a_call(x):
    table = {"hits": collections.defaultdict(int)}

    def seen(v):
        return table["hits"][1] + v if v > 1.0 else v

    y = sum(seen(v) for v in x[2:])
    return y * x[len(table["hits"])]


LINEAR = [
    thermostat,
    controller,
    nodes,
    shared_list,
    a_field,
    views_of_a_field,
    new_attribute,
    particle,
    failing,
    machine,
    closure,
    object_of_a_module,
    swapped,
]
"""Which are run in a time in proportion to their steps."""
OTHERS = [
    replaced_object,
    class_attribute,
    members_of_a_set,
    setter,
    deleted_attribute,
    queue,
    keys_in_another_order,
    read_and_so_filled,
    read_in_a_call,
    stack,
    tree,
    changed_before_it_is_assigned,
]
