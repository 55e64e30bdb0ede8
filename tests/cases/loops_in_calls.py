"""Loops in calls that are made on several paths: functions of three numbers.

Contract: nothing here knows of sparsetrace.
"""
# ruff: noqa: B006, B007


def loop_memo_state(x):
    def h(v, m):
        for k in range(2):
            v = v * m[0]
            if v > 0.2:
                return v
        return m[1]

    def g(v, w):
        m = [v, w]
        a = h(v, m)
        m[0] = a if w > 0.3 else w
        b = h(w, m)
        m[1] = x[2]
        c = h(w, m)
        return a + b * c if b > a else c

    return [g(x[0], x[1])]


def loop_memo_same(x):
    def h(v):
        if v > 0.3:
            return v
        return x[2]

    def g(v, w):
        s = 0.0
        for k in range(2):
            s = s + h(v) * h(v)
            if h(w) > s:
                break
            v = w
        return s

    return [g(x[0], x[1])]


def loop_memo_recursive(x):
    def h(v, n):
        if n == 0 or v > 0.9:
            return v
        return h(v * x[1], n - 1) + (x[2] if v < 0.2 else 0.0)

    def g(v):
        a = h(v, 2)
        if a > 0.5:
            return a
        return h(a, 2) * v

    return [g(x[0])]


def loop_memo_arrays(x):
    def h(a):
        for k in range(2):
            a = a * x[0]
            if a[0] > 0.3:
                return a
        return a[::-1].copy()

    def g(a):
        b = h(a)
        b[0] = b[0] + x[2]
        if b[1] > 0.3:
            return b
        c = h(b)
        c[1] = 0.0
        return c if c[0] > 0.1 else b

    return g(x[:2] * 1.0)


def loop_memo_none(x):
    def h(v):
        if v > 0.3:
            return None
        return v

    def g(v, w):
        a = h(v)
        if a is None:
            a = w
        b = h(w)
        if b is None:
            return a if a > 0.5 else a * x[2]
        return a * b if w > 0.1 else b

    return [g(x[0], x[1])]


def loop_default_dict(x):
    def h(v, options={}):
        for k in range(3):
            v = v * x[1]
            if v > options.get("t", 0.4):
                break
        return v

    return [h(x[0]), h(x[2])]


def loop_default_written(x):
    def h(v, memo={}):
        for k in range(3):
            v = v * x[1]
            if v > 0.4:
                memo["a"] = v
                break
        return v * memo.get("a", 1.0)

    return [h(x[0]), h(x[2])]


def loop_argument_default(x, cache=[0.0]):
    cache[0] = x[0]
    for k in range(3):
        cache[0] = cache[0] * x[1]
        if cache[0] > 1:
            break
    return [cache[0] * x[2]]


CALLS = [
    loop_argument_default,
    loop_memo_state,
    loop_memo_same,
    loop_memo_recursive,
    loop_memo_arrays,
    loop_memo_none,
    loop_default_dict,
    loop_default_written,
]
