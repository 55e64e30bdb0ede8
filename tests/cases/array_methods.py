"""Methods of ordinary arrays that are given operands made of `x`, three numbers."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
import scipy.sparse.linalg as spl

M = np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 6.0]])
V = np.array([1.0, 2.0, 3.0])
K = np.array([1, 0, 1])
WHOLE = M.astype(int)
apply = M.dot
doubled = functools.partial((2 * M).dot)
WEIGHTS = {"dot": V.dot, "rows": [row.dot for row in M]}
OPERATOR = spl.LinearOperator((3, 3), matvec=M.dot, dtype=float)
unbound = np.ndarray.dot


class Kept:
    """Keeps a bound method where an object may."""

    of_class = M.dot
    __slots__ = ("of_slot",)

    def __init__(self) -> None:
        self.of_slot = M.T.dot


KEPT = Kept()


def by_default(x: Any, dot: Any = M.dot) -> Any:
    return dot(x)


def closed_over() -> Any:
    dot = M.dot
    return lambda x: dot(x)


in_closure = closed_over()


def nested(x: Any) -> Any:
    def inner(v: Any) -> Any:
        return [row.dot(v) for row in M]

    return inner(x)


def generated(x: Any) -> Any:
    products = (M[i].dot(x) for i in (0, 2))
    return np.array(list(products))


def doubling(f: Any) -> Any:
    @functools.wraps(f)
    def call(x: Any) -> Any:
        return f(2 * x)

    return call


@doubling
def decorated(x: Any) -> Any:
    return M.dot(x)


def recursive(x: Any, depth: int = 3) -> Any:
    return x if depth == 0 else M.dot(recursive(x, depth - 1)) * x


def filled(x: Any) -> Any:
    ends = np.zeros((2, 3))
    ends[0, 0] = ends[0, 0] + 1
    ends[1, 2] = ends[1, 2] - 1
    ranges = np.zeros(2)
    ranges[0] = ends[0:1, :].dot(x)[0]
    ranges[1] = ends[1:2, :].dot(x)[0]
    return ranges[0] * ranges[1]


def swallowed(x: Any) -> Any:
    try:
        return M.dot(x)
    except Exception:
        return V


EXACT = """
    M.dot(x)
    M.dot(b=x)
    M[0:1].dot(x)
    M[0:1, :].dot(x.reshape(-1, 1))
    M[0:1].dot(x.reshape(-1, 1)).item()
    M.T.dot(x)
    M[:, ::2].dot(x[:2])
    WHOLE.dot(x)
    M.astype(np.float32).dot(x)
    M.astype(complex).dot(x).real
    V.dot(x)
    V.dot(x[0])
    M.dot(x[0])
    M.dot([x[0], x[1], 1.0])
    M.dot((x[0], x[1] * x[2], x[2]))
    M.dot(list(x))
    M.dot(M.dot(x) * x)
    M.dot(x, np.zeros(3))
    M.dot(x, out=np.empty(3))
    np.zeros((0, 3)).dot(x)
    np.ones((2, 3)).dot(x)
    np.array(5.0).dot(x)
    np.array([[0.0, 0.0, 1.0]]).dot(x)
    M.__matmul__(x)
    K.choose([x, x[::-1]])
    K.choose(x, x[::-1])
    K.choose([x[0], x[1]])
    K.choose(np.array([x, x[::-1]]))
    K.choose((x, V))
    K.choose([x, V], mode="wrap")
    V.sum(initial=x[0])
    V.prod(initial=x[0])
    V.sum(where=x > 0)
    V.mean(where=np.array([True, False, True])) * x
    V.var(mean=x.mean())
    V.std(mean=x.sum() + 3)
    V.take([0, 2]).dot(x[1:])
    V.repeat(1).dot(x)
    np.array([M.dot(v) for v in (x, x * 2)])
    np.array(list(map(M.dot, [x, x**2])))
    functools.partial(M.dot, x)()
    functools.reduce(np.ndarray.dot, [M, M, x])
    operator.methodcaller("dot", x)(M)
    getattr(M, "d" + "ot")(x)
    np.ndarray.dot(M, x)
    np.ndarray.dot(x, M)
    np.ndarray.sum(x)
    eval("M.dot(x)", globals(), {"x": x})
    apply(x)
    doubled(x)
    WEIGHTS["dot"](x)
    WEIGHTS["rows"][2](x)
    OPERATOR.matvec(x)
    OPERATOR @ x
    spl.aslinearoperator(M).matvec(x)
    unbound(M, x)
    Kept.of_class(x)
    KEPT.of_slot(x)
    by_default(x)
    in_closure(x)
    nested(x)
    generated(x)
    decorated(x)
    recursive(x)
    filled(x)
    swallowed(x)
    """.strip().splitlines()

#: What another value of `x` gives counts in a global pattern, and is no derivative.
CONSERVATIVE = """
    V.max(initial=x[0])
    V.min(initial=x[0])
    V.max(where=x > 1, initial=x[0])
    V[x > 1].dot(x[x > 1])
    V.searchsorted(x) * x
    V.searchsorted(x[0]) * x
    V.take(V.searchsorted(x, "right") - 1, mode="clip") * x
    """.strip().splitlines()


def function(call: str) -> Any:
    """The function of `x` that this call is."""
    return eval(f"lambda x: {call.strip()}", {**globals(), "operator": operator})
