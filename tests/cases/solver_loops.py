"""Loops that end in several ways, in functions of two numbers and the most turns."""


def clamped(v, w, turns=50):
    z = v
    for _ in range(turns):
        dz = (z * z - v * w) / (2 * z)
        if dz > 1:
            dz = 1.0
        z = z - dz
        if abs(dz) < 1e-9:
            break
    return z


def returned(v, w, turns=50):
    z = v
    for _ in range(turns):
        z = z - (z * z - v) / (2 * z)
        if z > 3:
            return z * w
        if z < -3:
            return z
    raise ValueError("not converged")


def refused(v, w, turns=50):
    z = v
    for _ in range(turns):
        z = z - (z * z - v) / (2 * z)
        if z > 3:
            break
        if z < -3:
            z = -w
            break
    else:
        raise ValueError("not converged")
    return z


def counted(v, w, turns=50):
    z = v
    n = 0
    error = 1.0
    while error > 1e-8 and n < turns:
        d = (z * z - v * w) / (2 * z)
        if d > 1:
            d = 1.0
        z = z - d
        error = abs(d)
        n += 1
    if n == turns:
        raise ValueError("not converged")
    return z


def continued(v, w, turns=50):
    total = 0.0
    for k in range(turns):
        if v * k > 3:
            continue
        if v * k < -3:
            total = total + v * w
            continue
        total = total + v
    return total


def written(v, w, turns=50):
    kept = [0.0, v]
    for k in range(turns):
        kept[k % 2] = kept[k % 2] * v
        if kept[0] > 5:
            kept[1] = w
            break
        if kept[1] < 0:
            break
    return kept[0] + kept[1]


def listed(v, w, turns=12):
    table = list(range(turns))
    k = 0
    while k < turns - 1 and v > table[k]:
        k += 1
    return v * table[k] + w


def newton(a, b):
    """A solution and the number of its last turn."""
    z = 1.0
    for i in range(6):  # noqa: B007  (it is returned)
        f = z * z * z + a * z - b
        if abs(f) < 1e-3:
            break
        z = z - f / (3 * z * z + abs(a) + 0.1)
    else:
        z = z + a * 0
    return z, i


def several(x):
    """Four such solutions, used in one way or another."""
    out = []
    for i in range(4):
        z, turns = newton(x[i], x[i + 1])
        out.append(z * x[0] if turns > 2 else z)
    return out


def total(x):
    return sum(several(x))


def caught(v, w):
    """The solution, or another number where there is none."""
    try:
        return refused(v, w)
    except ValueError:
        return -v


LOOPS = [clamped, returned, refused, counted, continued, written, listed]


def for_each(loop):
    """A function of n numbers, whose module holds nothing but numbers and such functions."""
    return lambda x: [loop(v, 2.0) for v in x]
