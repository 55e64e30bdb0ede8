"""Methods that change their object, and return by branches before they end."""

from __future__ import annotations

import numpy as np


class Limited:
    def __init__(self, total, low, high):
        self.total, self.low, self.high = total, low, high
        self.count = 0

    def __call__(self, v):
        self.total = self.total + v
        u = 2 * v
        if u > self.high:
            self.total -= v
            return self.high
        elif u < self.low:
            self.total -= v
            self.count += 1
            return self.low
        w = u * self.total
        if w > 1:
            self.count += 1
            return w
        self.total = w
        return u

    def nested(self, v):
        if v > self.low:
            if v > self.high:
                self.total = v
                return
            self.low = v
        else:
            self.high = self.low
        self.total = self.total * v

    def in_a_loop(self, v):
        for k in range(3):
            if self.total > v * k:
                self.total = self.total - v
                return k * v
        self.low = v
        return v

    def in_a_try(self, v):
        try:
            if self.total > v:
                self.total = self.total - v
                return self.low / v
        except ZeroDivisionError:
            return 0.0
        self.low = v
        return v

    def with_names(self, v):
        found, best = (0.0, v), 0.0
        if self.total > v:
            found = (v, v)
            best = v
            if self.low > v:
                self.low, found = v, (best,)
                return found[0]
        inner = [best + w for w in found]
        self.high = sum(inner) + v
        return self.high

    def captured(self, v):
        scale = v
        if self.total > v:
            scale = self.low
            self.total = v
            return (lambda w: w * scale)(v)
        scale = scale + self.high
        self.low = (lambda w: w + scale)(v)
        return scale


def _ran(step, x):
    box = Limited(x[0], x[1], x[2])
    results = [step(box, v) for v in x[3:]]
    return np.array([box.total, box.low, box.high, *(0.0 if r is None else r for r in results)])


def called(x):
    return _ran(Limited.__call__, x)


def nested(x):
    return _ran(Limited.nested, x)


def in_a_loop(x):
    return _ran(Limited.in_a_loop, x)


def in_a_try(x):
    return _ran(Limited.in_a_try, x)


def with_names(x):
    return _ran(Limited.with_names, x)


def captured(x):
    return _ran(Limited.captured, x)


ALL = [called, nested, in_a_loop, in_a_try, with_names, captured]
