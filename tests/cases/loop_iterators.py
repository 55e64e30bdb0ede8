"""Iterators and functions that loops keep, in functions of three numbers.

Contract: nothing here knows of sparsetrace.  They are as users write them,
what is discouraged included.
"""
# ruff: noqa: B007, B023, B905, C417


def loop_genexp_late(x):
    z = x[0]
    g = None
    t = 0.0
    for k in range(3):
        if g is not None:
            t = sum(g)
        g = (z * u for u in (1.0, 2.0))
        z = z * x[1]
        if z > 3:
            break
    return [t, z]


def loop_genexp_after(x):
    z = x[0]
    g = []
    for k in range(2):
        z = z * x[2]
        g = (z * u for u in (1.0, 2.0))
        if z > 3:
            break
    z = x[1]
    return [sum(g)]


def loop_genexp_if(x):
    z = x[0]
    g = []
    if x[0] > 0:
        z = x[2]
        g = (z * u for u in (1.0, 2.0))
    z = x[1]
    return [sum(g)]


def loop_map_late(x):
    z = [x[0]]
    g = []
    for k in range(2):
        g = map(lambda u: z[0] * u, (1.0, 2.0))
        if x[0] > 3:
            break
        z[0] = x[1]
    return [sum(g)]


def loop_iter_in_list(x):
    its = [iter([x[0], x[1], x[2]])]
    out = []
    for k in range(3):
        s = 0.0
        if x[k] > 0:
            for v in its[0]:
                s = v
                break
        out.append(s)
    return out


def loop_iter_turns(x):
    it = iter([x[0], x[1], x[2]])
    s = 0.0
    for k in range(3):
        for v in it:
            s = s + v * x[0]
            break
        if s > 1:
            break
    return [s]


def loop_iter_made(x):
    s = 0.0
    it = None
    for k in range(4):
        if k == 0:
            it = iter([x[0], x[1], x[2]])
        for v in it:
            s = s * 0.0 + v
            break
        if s > 1:
            break
    return [s]


def loop_lambda_default(x):
    fs = []
    z = x[0]
    for k in range(3):
        z = z * x[1]
        fs.append(lambda q=z: q)
        if z > 1:
            break
    return [fs[0](), fs[-1]()]


def loop_lambda_late(x):
    fs = []
    z = x[0]
    for k in range(3):
        fs.append(lambda: z * x[2])
        if z > 1:
            break
        z = z * x[1]
    z = x[1]
    return [fs[0](), fs[-1]()]


def loop_gen_state(x):
    def gen():
        for i in range(3):
            yield x[i]

    g = gen()
    out = []
    for k in range(2):
        for v in g:
            if v > 0:
                out.append(v)
                break
        else:
            out.append(0.0)
    return (out + [0.0] * 3)[:3]


def loop_iter_attr(x):
    class C:
        pass

    c = C()
    c.it = iter([x[0], x[1], x[2]])
    out = []
    for k in range(2):
        s = 0.0
        if x[k] > 0:
            for v in c.it:
                s = v
                break
        out.append(s)
    return out


class Reader:
    def __init__(s, x):
        s.it = iter([x[0], x[1], x[2]])

    @property
    def nxt(s):
        for v in s.it:
            return v
        return 0.0


def loop_iter_prop(x):
    c = [Reader(x)]
    out = []
    for k in range(2):
        s = 0.0
        if x[k] > 0:
            s = c[0].nxt
        out.append(s)
    return out


class Holder:
    def __init__(s, x):
        s.its = [iter([x[0], x[1], x[2]])]

    def nxt(s):
        for v in s.its[0]:
            return v
        return 0.0


def loop_iter_method(x):
    c = Holder(x)
    out = []
    for k in range(2):
        s = 0.0
        if x[k] > 0:
            s = c.nxt()
        out.append(s)
    return out


def loop_iter_closure(x):
    its = [iter([x[0], x[1], x[2]])]

    def nxt():
        for v in its[0]:
            return v
        return 0.0

    out = []
    for k in range(2):
        s = 0.0
        if x[k] > 0:
            s = nxt()
        out.append(s)
    return out


def loop_zip_it(x):
    its = (iter([x[0], x[1], x[2]]),)
    out = []
    for k in range(2):
        s = 0.0
        if x[k] > 0:
            for v, _ in zip(its[0], (1,)):
                s = v
        out.append(s)
    return out


def loop_sum_it(x):
    its = [iter([x[0], x[1], x[2]])]
    out = []
    for k in range(2):
        s = 0.0
        if x[k] > 0:
            s = sum(its[0])
        out.append(s)
    return out


def loop_star_it(x):
    its = [iter([x[0], x[1]])]
    out = []
    for k in range(2):
        s = []
        if x[k] > 0:
            s = [*its[0]]
        out.append(sum(s))
    return out


ITERATORS = [
    loop_genexp_late,
    loop_genexp_after,
    loop_genexp_if,
    loop_map_late,
    loop_iter_in_list,
    loop_iter_turns,
    loop_iter_made,
    loop_lambda_default,
    loop_lambda_late,
    loop_gen_state,
    loop_iter_attr,
    loop_iter_prop,
    loop_iter_method,
    loop_iter_closure,
    loop_zip_it,
    loop_sum_it,
    loop_star_it,
]
