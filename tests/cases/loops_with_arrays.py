"""Loops that keep an array or take another one, in functions of three numbers.

What an array shows is changed later by another name, or by the same one on another path.
"""

import numpy as np

TURNS = 7


def accepted(x, turns=TURNS):
    p, damping = np.ones(2), 0.1
    for _ in range(turns):
        step = damping * (x[:2] - p * x[2])
        if (p + step) @ x[:2] < p @ x[:2]:
            p, damping = p + step, damping / 10
        else:
            damping = damping * 10
        if step @ step < 1e-6:
            break
    return list(p)


def best_is_changed(x):
    p = np.zeros(2) + x[0]
    best = p
    for k in range(TURNS):
        if p[0] > x[1] * k:
            p = p * x[1]
        if p[1] > x[2]:
            best = p
        p[0] = p[0] + x[2]
    return [*best, *p]


def best_in_a_pair(x):
    p, best = x[:2] * 1, (x[:2], 0.0)
    for k in range(TURNS):
        if p[0] > k:
            p = p + x[2]
            best = (p, x[0])
        elif p[1] > k:
            p[1] = x[2] * best[0][0]
    return [*p, *best[0], best[1]]


def kept_in_a_list(x):
    p, held = x[:2] * 1, []
    for k in range(TURNS):
        if p[0] > k * x[1]:
            p = p * x[1]
        held.append(p)
        p[1] += x[2]
    return [held[0][1], held[1][0], held[2][1]]


def kept_under_a_key(x):
    p, held = x[:2] * 1, {"best": x[:2]}
    for k in range(TURNS):
        if p[0] > k * x[1]:
            p = p * x[1]
        if p[1] > k:
            held["best"] = p
        p[1] = p[1] * x[2]
    return [*held["best"], *p]


def shown_by_a_view(x):
    p = x[:2] * 1
    q = p[1:]
    for k in range(TURNS):
        if p[0] > k * x[1]:
            p = p + x[1]
        elif p[1] > k:
            q = p[:1]
        p[0] = x[2] * p[1]
        q[0] = q[0] + x[0]
    return [*p, *q]


def given_to_a_function(x):
    p, read = x[:2] * 1, [lambda: x[0]]
    for k in range(TURNS):
        if p[0] > k * x[1]:
            p = p * x[1]
            read[0] = lambda p=p: p[1]
        p[1] = p[1] + x[2]
    return [read[0](), *p]


def read_item_by_item(x):
    p = x[:2] * 1
    items = iter(p)
    for k in range(TURNS):
        if p[0] > k * x[1]:
            p = p * x[1]
            items = iter(p)
        p[0] = p[0] + x[2]
        p[1] = p[1] * x[2]
    return [next(items), *p]


def exchanged(x):
    a, b = x[:2] * 1, x[1:] * 1
    for k in range(TURNS):
        if a[0] > k:
            a, b = b, a
        elif b[0] > k:
            a = b
        a[1] = a[1] + x[2]
    return [*a, *b]


def of_an_array_outside(x, turns=TURNS):
    table = np.zeros(2)
    table[0] = x[0]
    p = x[1:] * 1
    for k in range(turns):
        if p[0] > k * x[1]:
            p = table
        elif p[1] > k:
            p = p * x[1]
        table[1] = table[1] + x[2]
    return list(p)


def plain_arrays(x):
    p, q = np.ones(2), np.arange(2.0)
    for k in range(TURNS):
        if x[0] > k:
            p = p + 1
        elif x[1] > k:
            q = p
        else:
            q[0] = k
        p[1] = p[1] * 2
    return list(p * x[2] + q)


def to_a_tolerance(x):
    p, best, turns = x[:2] * 1, x[:2], 0
    while p[0] > 0.4 and turns < TURNS:
        new = p * x[2]
        if new[0] > new[1]:
            best, p = p, new
        else:
            p = new + x[1]
        best = best + turns
        turns += 1
    return [*p, *best]


def left_out_of_the_end(x):
    p = x[:2] * 1
    last = p
    for k in range(TURNS):
        new = p + x[2]
        if new[0] > k * x[0]:
            last = p
            break
        if new[1] > k:
            p = new
        p[1] = p[0] * x[1]
    last[0] = last[1]
    return [*p, *last]


def best_is_changed_later(x):
    p, best = x[:2] * 1, x[:2] * 1
    for k in range(TURNS):
        if k < 2:
            p, best = p + x[1], best + x[1]  # which nothing else holds
        elif k == 2:
            if p[1] > k:
                best = p
        elif p[0] > x[1] * k:
            p = p * x[1]
    p[0] = x[2]
    return list(best)


def held_and_changed_later(x):
    p, held = x[:2] * 1, [x[:2] * 1]
    for k in range(TURNS):
        if k < 2:
            p = p + x[1]
        elif k == 2:
            if p[1] > k:
                held[0] = p
        elif p[0] > x[1] * k:
            p = p * x[1]
    p[0] = x[2]
    return list(held[0])


def shown_and_changed_later(x):
    p, q = x[:2] * 1, x[:1] * 1
    for k in range(TURNS):
        if k < 2:
            p, q = p + x[1], q + x[1]
        elif k == 2:
            if p[1] > k:
                q = p[:1]
        elif p[0] > x[1] * k:
            p = p * x[1]
    p[0] = x[2]
    return list(q)


def read_by_an_iterator_later(x):
    p, items = x[:2] * 1, iter(x)
    for k in range(TURNS):
        if k < 2:
            p = p + x[1]
        elif k == 2:
            if p[1] > k:
                items = iter(p)
        elif p[0] > x[1] * k:
            p = p * x[1]
    p[0] = x[2]
    return [next(items)]


def written_or_replaced(x):
    p = x[:2] * 1
    for k in range(TURNS):
        if k < 2:
            p = p + x[1]
        elif p[1] > k:
            p[0] = x[2]
        elif p[0] > x[1] * k:
            p = p + x[1]
    return list(p)


def chosen_by_an_element(x):
    """Its ends are six, and so many turns that the search for them takes long."""
    p, q, b, s = x[:2] * 1, x[1:] * 1, np.ones(2), 0.5
    for k in range(4):
        if p[0] > x[1] * k:
            q = q + x[2]
        elif s > k * x[0]:
            b[1] = x[2]
        if b[0] < x[2]:
            p = b
            if b[0] < x[2]:
                p = p + q
    return [*p, *q, *b]


FEW_STATES = [
    *(accepted, exchanged, of_an_array_outside, best_is_changed_later),
    *(held_and_changed_later, shown_and_changed_later, written_or_replaced, chosen_by_an_element),
]
MANY_STATES = [
    *(best_is_changed, best_in_a_pair, kept_in_a_list, kept_under_a_key, shown_by_a_view),
    *(given_to_a_function, read_item_by_item, plain_arrays, left_out_of_the_end),
    *(read_by_an_iterator_later, to_a_tolerance),
]
