"""Pairwise cosine similarity with softmax, in three loops and on whole arrays."""

import numpy as np


def split(x, w, r, n, b):
    return x[: w * r * b].reshape(w, r, b), x[w * r * b :].reshape(w, n, b)


def with_loops(x, w=2, r=3, n=2, b=2):
    a, k = split(x, w, r, n, b)
    out = np.zeros((n, r, b))
    for t in range(b):
        for j in range(r):
            row = a[:, j, t]
            for i in range(n):
                other = k[:, i, t]
                norm = np.sqrt(np.sum(row**2)) * np.sqrt(np.sum(other**2))
                out[i, j, t] = np.dot(row, other) / norm
    for t in range(b):
        view = out[:, :, t]
        view -= view.max(axis=0)
        np.exp(view, out=view)
        view /= view.sum(axis=0)
    return out


def whole_arrays(x, w=2, r=3, n=2, b=2):
    a, k = split(x, w, r, n, b)
    dots = np.einsum("wrb,wnb->nrb", a, k)
    norms = np.sqrt((a**2).sum(axis=0))[None] * np.sqrt((k**2).sum(axis=0))[:, None]
    z = dots / norms
    z = np.exp(z - z.max(axis=0))
    return z / z.sum(axis=0)
