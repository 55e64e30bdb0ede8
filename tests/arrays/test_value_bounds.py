"""Indices between known bounds: what they may choose, and nothing else."""

from contextlib import suppress

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.bounded_indices import CHOICES, case


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


@pytest.mark.parametrize("name", CHOICES)
def test_the_choice_is_the_window(name):
    index, columns = CHOICES[name]
    pattern = st.jacobian_sparsity(lambda x: x[index(x)], np.ones(6)).toarray()
    expected = np.zeros((len(columns), 6), bool)
    for row, some in zip(expected, columns, strict=True):
        row[some] = True
    np.testing.assert_array_equal(pattern, expected)


def programs(rng, n):
    """Source of an index: whole numbers made of n inputs, and arithmetic on them."""
    atoms = [
        "np.argmax(x[{a}:{b}])",
        "np.argmin(x[{a}:{b}])",
        "np.argsort(x[{a}:{b}])[:2]",
        "np.searchsorted(T, x[{a}])",
        "np.digitize(x[{a}:{b}][:2], T)",
        "np.floor(np.clip(x[{a}], -1, {b}) * {c}).astype(int)",
        "int(np.ceil(np.minimum(np.abs(x[{a}]), {c}) / 2))",
        "np.rint(np.sin(x[{a}]) * {c}).astype(int)",
        "(x[{a}] > 0.1)",
        "np.sum(x[{a}:{b}] > 0)",
        "(np.maximum(x[{a}], 0) % {c}).astype(int)",
        "np.minimum(np.floor(np.abs(x[{a}])).astype(int), {c})",
        "max(0, min(int(x[{a}] * {c}), {b}))",
        "min(int(x[{a}] ** 2), {c})",
        "(np.maximum(np.trunc(x[{a}:{b}][:2] * {c}), -1)).astype(np.int8)",
        "int({c} / (1 + np.exp(-x[{a}])) + 0.5)",
        "np.where(x[{a}:{b}][:2] > 0, {c}, [{a}, {b}])",
        "np.arange({c}, {c} + 2)",
        "{c}",
    ]
    forms = [
        "({p} + {q})",
        "({p} * 1 - {q})",
        "({p} * {q})",
        "({p} // {c})",
        "({p} % {c})",
        "(-1 * {p})",
        "abs({p} - {c})",
        "np.minimum({p}, {q})",
        "np.maximum({p}, {c})",
        "np.clip({p}, {a}, {b})",
        "np.where(x[{a}] > 0, {p}, {q})",
        "np.max({p})",
        "np.copy({p})[..., None]",
        "np.sort(np.atleast_1d({p}))",
        "np.concatenate([np.ravel({p}), np.ravel({q})])[::-1]",
        "np.cumsum({p})",
        "changed({p})",
    ]

    def made(depth):
        a = int(rng.integers(0, n - 2))
        numbers = {"a": a, "b": int(rng.integers(a + 1, n)), "c": int(rng.integers(1, 4))}
        if depth == 0:
            return str(rng.choice(atoms)).format(**numbers)
        form = str(rng.choice(forms))
        inner = {"p": made(depth - 1), "q": made(int(rng.integers(0, depth)))}
        return form.format(**numbers, **inner)

    return made(int(rng.integers(1, 4)))


def changed(p):
    """Written in place, where it is an array."""
    if np.ndim(p):
        p = p + 0
        p += 1
        p[0] = 2
    return p


T = np.array([-1.0, 0.0, 0.5, 1.0])


def missing(seed, n=5):
    """The first entry that a random program loses, if any; and the number of entries too many."""
    rng = np.random.default_rng(seed)
    source = programs(rng, n)
    index = eval(f"lambda x: {source}", {"np": np, "T": T, "changed": changed})
    points = rng.uniform(-2, 2, (60, n))
    seen = []
    for x in points:
        with suppress(IndexError, ValueError):
            seen.append((x, np.arange(n)[index(x)]))
    if not seen or any(np.shape(i) != np.shape(seen[0][1]) for _, i in seen):
        return None
    try:
        pattern = st.jacobian_sparsity(lambda x: x[index(x)], points[0]).toarray()
    except (st.TracingError, IndexError):
        return None
    for x, places in seen:
        for row, column in enumerate(np.ravel(places)):
            if not pattern[row, column]:
                return source, x.tolist(), row, column
    return None


@pytest.mark.parametrize("start", range(0, 400, 40))
def test_random_indices_lose_nothing(start):
    losses = [missing(seed) for seed in range(start, start + 40)]
    assert not any(losses), next(filter(None, losses))
