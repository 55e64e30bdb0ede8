"""Buffers that are allocated and then filled."""

import numpy as np


def by_index(x):
    out = np.zeros(3)
    out[0] = x[0] ** 2 + x[1]
    out[1] = x[1] * x[2]
    out[2] = np.sin(x[3])
    return out


def by_slice(x):
    n = len(x)
    r = np.empty(n)
    r[0] = x[0] - 1.0
    r[1:-1] = x[:-2] - 2.0 * x[1:-1] + x[2:]
    r[-1] = x[-1] ** 2
    return r


def by_view(x):
    table = np.zeros((2, 4))
    upper, lower = table
    upper[:] = x**2
    lower[1:] = np.diff(x)
    flat = table.reshape(-1)
    flat[0] += x[3]
    return table


def by_transpose(x):
    a = np.zeros((2, 2))
    a.T[0] = x[:2]
    a[:, 1] += x[2:] * x[0]
    return a.sum(axis=1)


def by_out(x):
    buf = np.empty(4)
    np.multiply(x, x[::-1], out=buf)
    np.add(buf, 1.0, out=buf)
    totals = np.zeros(2)
    np.sum(buf.reshape(2, 2), axis=1, out=totals)
    return buf, totals


def by_out_of_functions(x):
    n = len(x)
    c, d, e = np.zeros(n), np.zeros(n), np.zeros(2 * n)
    np.cumsum(x, out=c)
    np.clip(x, 0.2, 5.0, out=d)
    np.concatenate([x, x**2], out=e)
    mv = np.empty(n)
    np.matmul(np.eye(n), x, out=mv)
    return c, d, e, mv


def by_function(x):
    s, t, d = np.zeros(4), np.zeros(4), np.zeros((4, 4))
    np.add.at(s, [0, 0, 2], x[:3])
    np.copyto(t, x**2)
    np.put(t, [1], x[0])
    np.fill_diagonal(d, x)
    return s, t, d


def filled(x):
    a = np.empty(3)
    a.fill(x[0])
    a *= np.array([1.0, 2.0, 0.0])
    return a + np.full(3, x[1])


def augmented(x):
    y = np.ones(len(x))
    y += x
    y[...] *= x[0]
    y[1:] -= x[:-1] ** 2
    y /= 2.0
    return y


def accumulate_into_2d(x):
    n = len(x)
    k = np.zeros((n, n))
    for i in range(n - 1):
        k[i : i + 2, i : i + 2] += x[i] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return k @ np.arange(1.0, n + 1)


def counted(x):
    hits = np.zeros(3, dtype=int)
    out = np.zeros(3)
    for i in range(len(x)):
        hits[i % 3] += 1
        out[i % 3] += x[i]
    return out / hits


def constant_weights(x):
    w = np.zeros(len(x))
    w[::2] = 1.0
    return w * x


def list_buffer(x):
    out = [0.0] * 4
    out[1] = x[0] * x[1]
    out[3] = x[2]
    return np.array(out)


def complex_buffer(x):
    z = np.zeros(2, dtype=complex)
    z[0] = x[0] + 1j * x[1]
    z[1] = x[2] + 1j * x[3] ** 2
    return np.abs(z)


def of_whole_numbers(x):
    counts = np.zeros(3, dtype=int)
    counts[0] = x[0]
    return counts * x[1] + x[2]


def of_counted_elements(x):
    return x[: len(x[x > 1.0])].sum()
