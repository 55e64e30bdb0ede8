"""Loops whose turns leave them in several states: functions of three numbers.

Contract: nothing here knows of sparsetrace.  The states differ by what is no number of the inputs:
counters, None, flags, constants chosen; or by how the numbers have come about.
"""

import numpy as np

NAMES = ("sum", "product", "difference")


def steps_of_two_sizes(x):
    k, s = 0, x[2]
    while k < 6:
        if x[k % 3] > s:
            s = s + x[0]
            k += 1
        else:
            s = s * x[1]
            k += 2
    return [s, k * x[0]]


def index_by_steps(x):
    k = 0
    while k < 2:
        if x[0] > 0.2 * k:
            k += 1
        else:
            k += 2
    return [x[k % 3], x[k - 1]]


def recovered(x):
    p, it, before = x[0], 0, None
    while it < 5:
        step = p * p - x[1]
        if step > 1 and before is not None:
            for factor in (0.5, 0.25):
                it += 1
                guess = before + (p - before) * factor
                if guess < 1:
                    p = guess
                    break
            else:
                return [p, x[2]]
        before, p = p, p - 0.3 * step
        it += 1
        if abs(p - before) < 0.1:
            return [p, it * x[0]]
    return [p, before]


def extremes(x):
    low = high = 1.0
    for v in x:
        if v < low:
            low = v
        elif v > high:
            high = v
    return [low, high]


def last_two(x):
    a = b = None
    for v in x:
        if v > 0.4:
            a, b = b, v * x[0]
        elif v < 0:
            a = v
    return [0.0 if a is None else a, 0.0 if b is None else b * x[1]]


def modes(x):
    mode, s = "sum", x[0]
    for k in range(4):
        if mode == "sum":
            s = s + x[1]
        elif mode == "product":
            s = s * x[2]
        else:
            s = s - x[0] * x[1]
        if s > 1:
            mode = NAMES[(k + 1) % 3]
        elif s < 0:
            mode = "product"
    return [s, len(mode) * x[2]]


def swapping(x):
    a, b, c = x[0], x[1], 2.0
    while c > 0.3:
        if b > 1:
            a, b = b, a
        else:
            a, b = a * 0.5, b + x[2]
        c = c * 0.5
        if abs(a) < 0.2:
            break
    return [a, b]


def products_of_turns(x):
    p, k = 1.0, 0
    while p < 3 and k < 4:
        if x[k % 3] > 0:
            p = p * (2 + x[k % 3])
            k += 1
        else:
            p = p + 1
            k += 2
    return [p]


def chained(x):
    a, b, c, k = *x, 0
    while a > 0.1 and k < 4:
        if c > b:
            c, b = b, c
        a, b, c = a - 0.3, a, b * c
        k += 1 if c > 0 else 2
    return [a, b, c]


def ended_by_error(x):
    s, k = x[0], 0
    while True:
        if s > 2:
            return [s, k * x[1]]
        if k > 3:
            raise RuntimeError("no end")
        s = s + 0.7 if x[1] > s else s + x[2] * x[2]
        k += 1 if s > 1 else 2


def caught_inside(x):
    s, k = x[0], 0
    while k < 4:
        try:
            if s > 1.5:
                raise KeyError("large")
            s = s + x[1]
            k += 1
        except KeyError:
            s = s - x[2]
            k += 2
    return [s]


def with_else(x):
    s, n = x[0], 0
    for v in x:
        if v > 1:
            n += 1
            continue
        if v < -0.5:
            break
        s, n = s * v, n + 2
    else:
        s = s + x[2]
    return [s, n * x[1]]


def in_one_another(x):
    total, n = x[0], 0
    for v in x:
        while v < 1 and n < 4:
            if total > v:
                n += 1
            else:
                n += 2
                total = total * x[1]
            v = v + 0.5
        total = total + v
    return [total, n * x[2]]


def target_written(x):
    s = x[0]
    for i in range(3):
        if x[i] > 0.5:
            i = 0
            s = s + x[i]
        elif x[i] < 0:
            i = i + 1
        s = s + (i + 1) * x[i % 3]
    return [s, x[i % 3]]


def targets_of_pairs(x):
    s, first = x[0], None
    for (i, v), w in zip(enumerate(x), x[::-1], strict=True):
        if v > w:
            first = i
            s = s + v
        elif first is not None:
            s = s * w
            first = None
    return [s, 0.0 if first is None else x[first]]


def tables(x):
    rows = ((0.1, 0.2), (0.3,), (0.4, 0.5, 0.6))
    row, s, k = rows[0], x[0], 0
    while k < 4:
        for factor in row:
            s = s + factor * x[k % 3]
        if s > 1:
            row = rows[1]
            k += 1
        elif s > 0.5:
            row = rows[2]
            k += 2
        else:
            k += 3
    return [s, len(row) * x[1]]


def history(x):
    seen, s, k = [], x[0], 0
    while k < 4:
        if s > 0.5:
            seen.append(s)
            k += 1
        else:
            k += 2
        s = s * x[1] + x[k % 3]
    return [s, sum(seen)]


def work_array(x):
    y, k = np.zeros(3), 0
    while k < 3:
        if x[k] > 0.5:
            y[k] = x[0] * x[k]
            k += 1
        else:
            y = y + x[2]
            k += 2
    return y


def first_and_best(x):
    best, at = None, None
    for k, v in enumerate(x):
        if best is None or v < best:
            best, at = v, k
    return [best, x[at] * x[0], at * x[1]]


def with_sign(x):
    sign, s = 1, x[0]
    for _ in range(3):
        if s > 1:
            sign, s = -sign, s - x[1]
        s = s + sign * x[2]
    return [s, sign * x[0]]


def unassigned_at_first(x):
    for v in x:
        if v > 0.3:
            found = v * x[0]
        elif v < -0.3:
            other = v * x[1]
    try:
        return [found]
    except UnboundLocalError:
        pass
    try:
        return [other]
    except UnboundLocalError:
        return [x[2]]


IN_STATES = [
    steps_of_two_sizes,
    index_by_steps,
    recovered,
    extremes,
    last_two,
    modes,
    swapping,
    products_of_turns,
    chained,
    ended_by_error,
    caught_inside,
    with_else,
    in_one_another,
    target_written,
    targets_of_pairs,
    tables,
    history,
    work_array,
    first_and_best,
    with_sign,
    unassigned_at_first,
]
