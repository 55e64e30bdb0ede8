"""Arrays of objects that hold numbers made of `x`, three numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

M = np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 6.0]])
V = np.array([1.0, 2.0, 3.0])
K = np.array([1, 0, 1])


def filled(x: Any) -> Any:
    """Products, put into an array of objects one by one."""
    result = np.empty(3, dtype=object)
    for i in range(3):
        result[i] = x[i] * x[i - 1]
    return result


def parts(x: Any) -> Any:
    """Arrays of several lengths in an array of objects."""
    result = np.empty(2, dtype=object)
    result[0] = x[:2]
    result[1] = x[2:] * x[0]
    return result


def mixed(x: Any) -> Any:
    """Text and nothing beside a number."""
    result = np.array([x[0], "name", None], dtype=object)
    return result[0] * x[1]


def whole(x: Any) -> Any:
    result = np.zeros((2, 3), dtype=object)
    result[:] = 1
    result[0] = x
    result[1, :2] = x[1:] * 2
    return result


def several(x: Any) -> Any:
    result = np.ones((2, 2), dtype=object)
    result[:, :] = [x[:2], [1.0, x[2]]]
    return result


def put(x: Any) -> Any:
    result = np.zeros(4, dtype=object)
    result.put([1, 2, 3], x)
    return result


def added(x: Any) -> Any:
    result = np.zeros(3, dtype=object)
    result += x
    result[0] += x[1]
    result[1:] *= x[:2]
    return result


def appended(x: Any) -> Any:
    result = np.array([], dtype=object)
    for v in x:
        result = np.append(result, v**2)
    return result


def by_dtype(x: Any) -> Any:
    result = np.array(x, dtype=object) * x[0]
    return result.astype(float) if result.dtype == object else np.zeros(3)


def divided(x: Any) -> Any:
    try:
        return 1.0 / np.array(x[:1], dtype=object)
    except ZeroDivisionError:
        return x[2:]


EXACT = """
    np.array(x, dtype=object) * 2
    np.array(x, object)
    np.array(x, dtype="O") + x[0]
    np.array(x, dtype=np.object_)[1]
    np.asarray(x, dtype=object) ** 2
    np.asanyarray(x, dtype=object) + x
    np.array(np.sin(x), dtype=object).sum()
    np.array([x, x * 2], dtype=object)
    np.array([x, x * 2], dtype=object).dot(V)
    np.array([x[:2], x], dtype=object)[1].sum()
    np.array([x[:2], [x[1], 1.0]], dtype=object)
    np.array([[x[0], 1.0], [2.0, x[1]]], dtype=object).dot(np.ones(2))
    np.array([[x[0], 1.0], [2.0, x[1]]], dtype=object) @ x[:2]
    np.array([[x[0], 1.0], [2.0, x[1]]], dtype=object).dot(x[:2])
    np.array(x[0], dtype=object) * 2
    np.array(x, dtype=object).reshape(3, 1).dot(V[None])
    np.array(x, dtype=object).tolist()
    sum(np.array(x, dtype=object))
    x.astype(object)
    x.astype("O") * V
    x.astype(object).astype(float)
    np.full(3, x[0], dtype=object) * x
    np.full((2, 3), x, dtype=object)
    np.full_like(V, x[1], dtype=object)
    np.full_like(x, x[1], dtype=object)
    np.zeros_like(x, dtype=object) + x
    np.ones_like(V, dtype=object) * x
    np.fromiter((v * 2 for v in x), dtype=object)
    np.ones(3, dtype=object) * x
    np.eye(3, dtype=object) @ x
    np.eye(3, dtype=object).dot(x)
    np.array([1, 2, 3], dtype=object) * x[0]
    M.astype(object).dot(x)
    V.astype(object) + x[0]
    np.dot(M, np.array(x, dtype=object))
    M.dot(np.array(x, dtype=object))
    M @ np.array(x, dtype=object)
    np.matmul(np.array(x, dtype=object), M)
    K.choose(np.array([x, x[::-1]], dtype=object))
    filled(x)
    filled(x) * 2 - filled(x)[::-1] + 1
    -filled(x) / V
    V * filled(x)
    filled(x) * np.float64(2.0)
    filled(x).sum()
    filled(x).prod()
    filled(x).mean()
    filled(x).dot(filled(x))
    filled(x).dot(V)
    M.dot(filled(x))
    np.dot(M, filled(x))
    M @ filled(x)
    filled(x) @ filled(x)
    np.sum(filled(x))
    np.add.reduce(filled(x))
    np.multiply.outer(filled(x), V)
    np.add.accumulate(filled(x))
    filled(x).cumsum()
    filled(x).astype(float)
    filled(x).astype(np.float64, copy=False).sum()
    np.exp(filled(x).astype(float))
    np.array(filled(x), dtype=float)
    np.asarray(filled(x), float) * filled(x)
    np.linalg.norm(filled(x))
    filled(x).reshape(3, 1) * V
    filled(x).T.copy()[1:]
    filled(x).take([0, 2])
    filled(x).repeat(2)
    filled(x).tolist()
    list(filled(x).flat)
    np.where([True, False, True], filled(x), 0)
    np.concatenate([filled(x), V])
    np.concatenate([filled(x), x])
    np.append(filled(x), x)
    np.outer(filled(x), V)
    np.einsum("i,i", filled(x), V)
    np.diag(filled(x))
    np.stack([filled(x), x])
    np.vectorize(lambda a: a**2, otypes=[object])(x)
    np.vectorize(lambda a: a**2, otypes="O")(x).sum()
    np.vectorize(lambda a: a * x[0], otypes=[object])(V).astype(float)
    np.frompyfunc(lambda a: x[0] * a, 1, 1)(V).astype(float)
    np.frompyfunc(lambda a: x[0] * a, 1, 1)(V).dot(x)
    parts(x)
    parts(x)[0] * 2
    parts(x) * 2
    [part * 2 for part in parts(x)]
    np.concatenate(parts(x))
    np.concatenate(list(parts(x)))
    np.hstack(parts(x))
    mixed(x)
    whole(x)
    whole(x).sum(axis=0)
    several(x)
    put(x)
    added(x)
    appended(x)
    by_dtype(x)
    """.strip().splitlines()

#: What another value of `x` gives counts in a global pattern, and is no derivative.
BY_VALUE = """
    filled(x).max()
    filled(x).min()
    np.max(filled(x))
    np.maximum(filled(x), 1.0)
    np.sort(filled(x))
    np.clip(filled(x), 1, 2)
    filled(x).clip(1, 2)
    filled(x).argmax() * x[0]
    (filled(x) > 1) * x
    np.where(filled(x) > 1, filled(x), 0)
    max(np.array(x, dtype=object))
    sorted(filled(x))
    filled(x).std()
    divided(x)
    """.strip().splitlines()


def function(call: str) -> Any:
    """The function of `x` that this call is."""
    return eval(f"lambda x: {call.strip()}", globals())
