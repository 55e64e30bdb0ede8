"""Loops that end by an error, which their caller catches: functions of three numbers.

Contract: nothing here knows of sparsetrace.
"""
# ruff: noqa: B007

import math

import numpy as np


class Unsolved(Exception):
    def __init__(self, m, at=None):
        super().__init__(m)
        self.at = at


def loop_err_written(x):
    log = [0.0]

    def g(v, w):
        for k in range(3):
            log[0] = log[0] + v
            if v > 0.5:
                raise ValueError
            if w > 0.9:
                break
            v = v * w
        return v

    try:
        r = g(x[0], x[1])
    except ValueError:
        r = x[2]
    return [r, log[0]]


def loop_err_local_list(x):
    def g(v, w, log):
        for k in range(3):
            log.append(v)
            if v > 0.5:
                raise ValueError
            if w > 0.9:
                break
            v = v * w
        return v

    log = []
    try:
        r = g(x[0], x[1], log)
    except ValueError:
        r = x[2]
    return [r, sum(log), len(log) * x[2]]


def loop_err_array(x):
    y = np.zeros(3)

    def g(v, w):
        for k in range(3):
            y[k] = v
            if v > 0.5:
                raise ValueError
            if w > 0.9:
                break
            v = v * w
        return v

    try:
        r = g(x[0], x[1])
    except ValueError:
        r = x[2]
    return [r, *y]


def loop_two_errors(x):
    def g(v, w):
        n = 0
        while True:
            n += 1
            if v * w > 0.3:
                raise ValueError
            v = v + w
            if n > 2:
                raise KeyError

    out = []
    try:
        out.append(g(x[0], x[1]))
    except ValueError:
        out.append(x[2] * x[0])
    except KeyError:
        out.append(x[1] * x[0])
    return out


def loop_err_value(x):
    def g(v, w):
        for k in range(3):
            v = v * w
            if v > 0.2:
                raise ValueError(v, k)
            if v < 0.01:
                return v
        return w

    try:
        r = g(x[0], x[1])
    except ValueError as e:
        r = e.args[0] * x[2] * (e.args[1] + 1)
    return [r]


def loop_err_attr(x):
    def g(v, w):
        for k in range(3):
            v = v * w
            if v > 0.2:
                raise Unsolved("x", at=v * k)
            if v < 0.01:
                return v
        return w

    try:
        r = g(x[0], x[1])
    except Unsolved as e:
        r = e.at * x[2]
    return [r]


def loop_err_reraise(x):
    def g(v):
        for k in range(3):
            v = v * x[1]
            if v > 0.4:
                raise ValueError
        return v

    def h(v):
        try:
            return g(v)
        except ValueError as e:
            raise RuntimeError from e

    try:
        r = h(x[0])
    except RuntimeError:
        r = x[2]
    return [r]


def loop_err_sqrt(x):
    def g(v):
        for k in range(3):
            v = math.sqrt(v) - x[1]
            if v > 0.4:
                break
        return v

    try:
        r = g(x[0])
    except ValueError:
        r = x[2]
    return [r]


def loop_err_in_loop_outside_try(x):
    out = []
    for j in range(3):
        try:
            v = x[j]
            for k in range(3):
                v = v * x[j - 1]
                if v > 0.4:
                    raise ValueError
                if v < -0.4:
                    break
        except ValueError:
            v = v * x[j - 2]
        out.append(v)
    return out


def loop_err_attr_state(x):
    def g(v, w):
        t = w
        if w > 0.3:
            t = v
        if v > 0.2:
            raise Unsolved("x", at=t)
        return v

    try:
        r = g(x[0], x[1])
    except Unsolved as e:
        r = e.at * x[2]
    return [r]


def loop_err_attr_turns(x):
    def g(v, w):
        t = w
        for k in range(3):
            if v > 0.2:
                raise Unsolved("x", at=t)
            if v < 0.01:
                return v
            t = v * w if k else v
            v = v * w
        return w

    try:
        r = g(x[0], x[1])
    except Unsolved as e:
        r = e.at * e.at
    return [r]


def loop_err_attr_count(x):
    def g(v):
        for k in range(3):
            if v > 0.2:
                raise Unsolved("x", at=k)
            v = v * 2
        return v

    try:
        r = g(x[0])
    except Unsolved as e:
        r = x[e.at]
    return [r]


def loop_err_args_count(x):
    def g(v):
        for k in range(3):
            if v > 0.2:
                raise KeyError(k)
            v = v * 2
        return v

    try:
        r = g(x[0])
    except KeyError as e:
        r = x[e.args[0]]
    return [r]


def loop_err_list(x):
    def g(v):
        m = [x[1]]
        for k in range(3):
            if v > 0.2:
                raise Unsolved("x", at=m)
            v = v * 2
            m = [x[2]]
        return v

    try:
        r = g(x[0])
    except Unsolved as e:
        r = e.at[0]
    return [r]


def loop_err_cause(x):
    def g(v):
        t = x[1]
        for k in range(3):
            try:
                if v > 0.2:
                    raise Unsolved("x", at=t)
            except Unsolved as e:
                raise ValueError("y") from e
            v = v * 2
            t = x[2]
        return v

    try:
        r = g(x[0])
    except ValueError as e:
        r = e.__cause__.at
    return [r]


ERRORS = [
    loop_err_written,
    loop_err_local_list,
    loop_err_array,
    loop_two_errors,
    loop_err_value,
    loop_err_attr,
    loop_err_reraise,
    loop_err_sqrt,
    loop_err_in_loop_outside_try,
    loop_err_attr_state,
    loop_err_attr_turns,
    loop_err_attr_count,
    loop_err_args_count,
    loop_err_list,
    loop_err_cause,
]
