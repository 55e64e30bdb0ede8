"""Cosine similarities with softmax, in loops and at once: ``python examples/cosine_attention.py``.

Keys `a` and slots `b`, each of shape (width, number, batch): an output depends on all of
its key and, through the softmax, on all slots of its batch.
"""

import time

import numpy as np

import sparsetrace as st

N, W, R, B = 16, 64, 4, 16


def in_loops(a, b):
    out = np.zeros((N, R, B))
    for k in range(B):
        for j in range(R):
            key = a[:, j, k]
            for i in range(N):
                slot = b[:, i, k]
                lengths = np.sqrt(np.sum(key**2)) * np.sqrt(np.sum(slot**2))
                out[i, j, k] = np.dot(key, slot) / lengths
    for k in range(B):
        part = out[:, :, k]
        part -= part.max(axis=0)
        np.exp(part, out=part)
        part /= part.sum(axis=0)
    return out


def at_once(a, b):
    products = np.einsum("wrb,wnb->nrb", a, b)
    keys, slots = np.sqrt((a**2).sum(axis=0)), np.sqrt((b**2).sum(axis=0))
    similarity = products / (keys[None] * slots[:, None])
    powers = np.exp(similarity - similarity.max(axis=0))
    return powers / powers.sum(axis=0)


rng = np.random.default_rng(0)
a, b = rng.normal(size=(W, R, B)), rng.normal(size=(W, N, B))
assert np.allclose(in_loops(a, b), at_once(a, b))
patterns = []
for write in (in_loops, at_once):
    start = time.perf_counter()
    pattern = st.jacobian_sparsity(write, a, b, argnums=(0, 1))
    print(f"{write.__name__:8} {pattern!r} in {1e3 * (time.perf_counter() - start):.0f} ms")
    assert pattern.shape == (N * R * B, W * R * B + W * N * B)
    assert pattern.nnz == 1_114_112
    patterns.append(pattern)
assert (patterns[0] != patterns[1]).nnz == 0
