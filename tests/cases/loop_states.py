"""What loops carry from turn to turn, and how they end: functions of three numbers.

Contract: nothing here knows of sparsetrace.  They are as users write them,
what is discouraged included.
"""
# ruff: noqa: B007, F821, RUF005

import numpy as np


def loop_const_zero(x):
    h = 1.0
    for k in range(3):
        if x[0] > k:
            break
        h = 0.0
    return [h * x[1], h * x[2] * x[0]]


def loop_const_zero_rev(x):
    h = 0.0
    for k in range(3):
        if x[0] > k:
            break
        h = 1.0
    return [h * x[1], x[2] ** h]


def loop_index(x):
    for k in range(3):
        if x[0] * x[1] > k:
            break
    return [x[k], x[:k].sum(), sum(x[j] for j in range(k))]


def loop_write_at(x):
    y = np.zeros(3)
    for k in range(3):
        if x[k] > 0.5:
            break
    y[k] = x[0] * x[1]
    return y


def loop_some_turns(x):
    for k in range(3):
        if x[0] > k:
            q = x[1]
            break
        if k == 1:
            q = x[2]
    else:
        q = 0.0
    return [q]


def loop_alias(x):
    a = [x[0], x[1]]
    b = a
    for k in range(3):
        b[0] = b[0] * x[2]
        if b[0] > 1:
            b = [0.0, x[1]]
            break
        if b[1] > 1:
            a = list(b)
            break
    return [a[0], b[0], a[1]]


def loop_alias_rows(x):
    r = [[x[0]], [x[1]]]
    for k in range(2):
        r[0] = r[1]
        r[0][0] = r[0][0] * x[2]
        if r[1][0] > 1:
            break
        r[1] = [x[0]]
    return [r[0][0], r[1][0]]


def loop_view(x):
    y = np.zeros(3)
    v = y[1:]
    for k in range(2):
        v[0] = v[0] + x[k]
        if y[1] > 1:
            y[0] = v[0] * x[2]
            break
        y[2] = y[1] * x[0]
    return [*y, *v]


def loop_inplace(x):
    a = x * 1.0
    c = a
    for k in range(3):
        a *= x[0]
        if a[1] > 1:
            a = a + x[2]
            break
        a -= x[1]
    return [*a, *c]


def loop_nonlocal(x):
    n = x[0]

    def bump(v):
        nonlocal n
        n = n * v
        return n

    s = 0.0
    for k in range(3):
        s = bump(x[1])
        if s > 1:
            break
        s = s + bump(x[2])
    return [s, n]


def loop_closure_list(x):
    mem = [x[0]]

    def push(v):
        mem.append(mem[-1] * v)
        return mem[-1]

    for k in range(3):
        s = push(x[1])
        if s > 1:
            break
        if s < -1:
            mem.append(x[2])
            break
    return [mem[-1] * len(mem), s]


class Carrier:
    pass


def loop_attr(x):
    o = Carrier()
    o.z = x[0]
    o.n = 0
    for k in range(3):
        o.z = o.z * x[1]
        o.n += 1
        if o.z > 1:
            break
    return [o.z * o.n, x[2] * o.n]


class Counting:
    def __init__(s):
        s.c = []
        s.last = 0.0

    @property
    def cnt(s):
        s.last = s.last + 1
        return s.last

    def step(s, v):
        s.last = s.last + v
        return s.last


def loop_method(x):
    p = Counting()
    z = x[0]
    for k in range(3):
        z = z + p.step(x[1])
        if z > 1:
            break
    return [p.last * x[2], z]


def loop_prop(x):
    p = Counting()
    z = x[0]
    for k in range(3):
        z = z + p.cnt * x[1]
        if z > 1:
            break
    return [p.last * x[2], z]


def loop_else(x):
    z = x[0]
    for k in range(3):
        if z > k:
            break
        z = z * x[1]
    else:
        z = z + x[2]
    return [z]


def loop_nested(x):
    s = 0.0
    for i in range(2):
        for j in range(2):
            if x[i] > j:
                break
            s = s + x[j]
        else:
            if x[2] > 0:
                continue
            break
        s = s * x[2]
    return [s]


def loop_nested_return(x):
    def g(a, b):
        for i in range(2):
            for j in range(2):
                if a > j:
                    return b * i
                if b > j:
                    break
                a = a * b
            else:
                a = a + 1
        return a

    return [g(x[0], x[1]), g(x[1], x[2])]


def loop_finally(x):
    s = 0.0
    log = 0.0
    for k in range(3):
        try:
            if x[k] > 0:
                break
            s = s + x[k]
        finally:
            log = log + x[0]
    return [s, log]


def loop_try_body(x):
    s = x[0]
    for k in range(3):
        try:
            if s > k:
                raise ValueError
            s = s * x[1]
        except ValueError:
            s = s + x[2]
            continue
        else:
            s = s + 1
        if s < -1:
            break
    return [s]


def solve(v, w, n=3):
    for k in range(n):
        v = v * w
        if v > 1:
            return v
    raise RuntimeError("no")


def loop_raise_caught(x):
    out = []
    for a, b in ((0, 1), (1, 2)):
        try:
            out.append(solve(x[a], x[b]))
        except RuntimeError:
            out.append(x[2 - a] * x[0])
    return out


def loop_raise_maxiter(x):
    def g(v, w):
        n = 0
        while True:
            v = v * w
            n += 1
            if abs(v - w) < 0.1:
                return v
            if n > 3:
                raise RuntimeError("max")

    out = []
    for i in range(3):
        try:
            r = g(x[i], x[i - 1])
        except RuntimeError:
            r = x[i - 2]
        out.append(r)
    return out


def loop_flag(x):
    done = False
    z = x[0]
    it = 0
    while not done and it < 3:
        z = z * x[1]
        it += 1
        done = z > 1
    return [z * it, x[2] if done else 0.0]


def loop_flag_late(x):
    conv = 0
    z = x[0]
    for k in range(3):
        if conv:
            z = z * x[2]
            break
        z = z * x[1]
        if z > 1:
            conv = 1
    return [z, conv * x[0]]


def loop_prev(x):
    a, b = x[0], x[1]
    for k in range(3):
        a, b = b, a * x[2]
        if abs(a - b) < 0.3:
            break
    return [a, b]


def loop_secant(x):
    def F(z):
        return z * z - x[0]

    p0, p1 = x[1], x[2]
    q0, q1 = F(p0), F(p1)
    for it in range(3):
        if q1 == q0:
            p = (p0 + p1) / 2
            break
        p = p1 - q1 * (p1 - p0) / (q1 - q0)
        if abs(p - p1) < 0.2:
            break
        p0, q0 = p1, q1
        p1 = p
        q1 = F(p1)
    return [p, p0]


def loop_two(x):
    lo, hi = x[0], x[1]
    n = 0
    while hi - lo > x[2] and n < 3:
        m = (lo + hi) / 2
        n += 1
        if m * m > x[2]:
            hi = m
        else:
            lo = m
    return [lo, hi, m if n else 0.0]


def loop_dict(x):
    d = {}
    z = x[0]
    for k in range(3):
        d[k] = z
        z = z * x[1]
        if z > 1:
            break
        if z < -1:
            d["last"] = x[2]
            break
    return [sum(d.values()), d.get("last", 0.0) * len(d)]


def loop_pop(x):
    st = [x[0], x[1], x[2]]
    s = 0.0
    while st:
        v = st.pop()
        if v > s:
            s = s + v
            continue
        if v < -1:
            break
        s = s * x[0]
    return [s, float(len(st)) * x[1]]


def loop_insert(x):
    st = [x[0]]
    for k in range(3):
        st.insert(0, st[0] * x[1])
        if st[0] > 1:
            st.sort()
            break
        if st[0] < -1:
            st.reverse()
            break
    return [st[0], st[-1]]


def loop_walrus(x):
    z = x[0]
    n = 0
    while (d := z * x[1]) > 0.1 and n < 3:
        z = z - d * x[2]
        n += 1
        if (e := z) > 1:
            break
    return [z, d, e if n else 0.0]


def loop_is(x):
    best = None
    bv = x[0]
    for k in range(3):
        if x[k] > bv:
            bv = x[k]
            best = k
            break
    return [x[2] if best is None else x[best], bv]


def loop_while_else_ret(x):
    def g(v, w):
        n = 0
        while v < w:
            v = v + 0.5
            n += 1
            if n == 3:
                return n * w
        else:
            return v if n == 0 else v * n

    return [g(x[0], x[1]), g(x[2], x[0])]


def loop_assert(x):
    z = x[0]
    for k in range(3):
        z = z * x[1]
        assert z > -5
        if z > 1:
            break
    return [z + x[2] * k]


def loop_zero_div(x):
    z = x[0]
    for k in range(3):
        try:
            z = 1.0 / z
        except ZeroDivisionError:
            z = x[2]
            break
        if z > 1:
            break
        z = z - x[1]
    return [z]


def loop_unread_next(x):
    out = []
    for i in range(2):
        for k in range(2):
            t = x[i] if k == 0 else t * x[2]
            if t > 0.5:
                break
        out.append(t)
    return out


def loop_carry_outer(x):
    out = []
    for i in range(2):
        for k in range(2):
            if i == 1 and k == 0:
                out.append(t * x[2])
            t = x[i + k]
            if t > 0.5:
                break
    return (out + [0.0])[:1]


def loop_slice_write(x):
    y = np.zeros(3)
    for k in range(3):
        y[:k] = y[:k] + x[k]
        if y[0] > 1:
            break
        y[k:] *= x[0]
    return y


def loop_complex(x):
    z = complex(x[0], x[1])
    for k in range(3):
        z = z * z + x[2]
        if abs(z) > 2:
            break
    return [z.real, z.imag]


def loop_nan(x):
    z = x[0]
    r = np.nan
    for k in range(3):
        if z > k:
            r = z * x[1]
            break
        z = z + x[2]
    return [r if r == r else x[0]]


def loop_ret_tuple(x):
    def newton(a, b):
        z = 1.0
        for i in range(3):
            f = z * z * z + a * z - b
            if abs(f) < 1e-1:
                break
            z = z - f / (3 * z * z + abs(a) + 0.1)
        else:
            z = z + a * 0
        return z, i

    out = []
    for i in range(2):
        z, n = newton(x[i], x[i + 1])
        out.append(z * x[0] if n > 1 else z)
    return out


def loop_out_arg(x):
    y = np.zeros(3)
    t = np.zeros(3)
    for k in range(3):
        np.multiply(x, y + x[k], out=t)
        y = y + t
        if y[0] > 1:
            break
    return [*y, *t]


STATES = [
    loop_const_zero,
    loop_const_zero_rev,
    loop_index,
    loop_write_at,
    loop_some_turns,
    loop_alias,
    loop_alias_rows,
    loop_view,
    loop_inplace,
    loop_nonlocal,
    loop_closure_list,
    loop_attr,
    loop_method,
    loop_prop,
    loop_else,
    loop_nested,
    loop_nested_return,
    loop_finally,
    loop_try_body,
    loop_raise_caught,
    loop_raise_maxiter,
    loop_flag,
    loop_flag_late,
    loop_prev,
    loop_secant,
    loop_two,
    loop_dict,
    loop_pop,
    loop_insert,
    loop_walrus,
    loop_is,
    loop_while_else_ret,
    loop_assert,
    loop_zero_div,
    loop_unread_next,
    loop_carry_outer,
    loop_slice_write,
    loop_complex,
    loop_nan,
    loop_ret_tuple,
    loop_out_arg,
]
