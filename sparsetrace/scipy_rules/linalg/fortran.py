"""``scipy.linalg.blas`` and ``scipy.linalg.lapack``, for all four types of numbers.

Contract: ``ROUTINES`` has the rule of ``dgemv`` and its kin as ``gemv``; what is not in it is taken
as a whole.  Parameters are those that the routine's own text names.  Vectors with steps and offsets
are refused, and so are results in the memory of an argument.  Whether a routine failed (``info``)
and pivots are whole numbers that the values decide.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.operands.operands import contains_traced, is_traced
from sparsetrace.scipy_rules.linalg import linear_systems
from sparsetrace.scipy_rules.linalg.matrix_functions import mirrored
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    current,
    dense,
    sample_of,
    spread,
    union_of_all,
    writes,
)
from sparsetrace.scipy_rules.whole import whole

_TYPES = frozenset("isdcz")
_DTYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
_TEXT = re.compile(r"(?:.* = )?\w+\((.*)\)")
_DECLARED = re.compile(r"^(\w+) : input (float|complex|rank-2)", re.MULTILINE)
_OFFSETS = frozenset("offx incx offy incy".split())
_WORK = frozenset("lwork liwork lrwork ldab ldb lda".split())
_OVERWRITES = "overwrite_"
_HERE = "scipy.linalg.{}"
Rule = Callable[..., Any]


def __getattr__(name: str) -> Rule:
    """The rule of a routine of one type, ``dgemv`` or ``dznrm2``: that of all types."""
    if name.startswith("__"):
        raise AttributeError(name)
    own = (name[n:] for n in (1, 2) if _TYPES.issuperset(name[:n]))
    rule = next((ROUTINES[x] for x in own if x in ROUTINES), whole)
    answered = functools.partial(_answered, rule)
    return writes(answered) if rule in _WRITING else answered


def _answered(rule: Rule, call: Call, *args, **kwargs) -> Any:
    """Bind a call by the routine's own text, which is all that it says of its parameters."""
    text = _TEXT.match(call.original.__doc__ or "")
    required, _, optional = ("", "", "") if text is None else text[1].partition("[")
    names = re.findall(r"\w+", f"{required},{optional}")
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    is_bound = len(given) == len(args) + len(kwargs) and given.keys() <= set(names)
    if not is_bound or not given.keys() >= set(re.findall(r"\w+", required)):
        return call.original(*map(sample_of, args), **kwargs)  # which says so
    for name, kind in _DECLARED.findall(call.original.__doc__ or ""):
        if name in given:
            given[name] = _declared(call, name, kind, given[name])
    for name, value in list(given.items()):
        if name in _OFFSETS and (np.ndim(value) or value != (name in ("incx", "incy"))):
            call.refuse(f"{name}={value!r} has no rule", "Give a slice, x[off::inc].")
        if name.startswith(_OVERWRITES):
            if value and name.removeprefix(_OVERWRITES) in given:
                call.refuse(
                    f"{name} writes into the argument or not, as it lies in memory",
                    f"Leave {name} out, and use the result.",
                )
            del given[name]
        elif name in _OFFSETS | _WORK:
            del given[name]
    return rule(call, **given)


def _declared(call: Call, name: str, kind: str, value) -> Any:
    """An argument of another shape as the routine takes it: one number, or a matrix."""
    axes = np.ndim(value)
    if kind == "rank-2":
        if "lapack" in call.name:  # whose sides may be vectors
            return value
        if axes > 2:
            call.refuse(f"{name} has {axes} axes", "Give a matrix.")
        return array_of(value)[:, None] if axes == 1 else value
    return array_of(value).reshape(-1)[0] if axes else value


def get_blas_funcs(call: Call, names, arrays, dtype, ilp64) -> Any:
    """The routines with a rule, as their own modules have them while a trace runs."""
    return _found(call, "blas", names, arrays, dtype, ilp64)


def get_lapack_funcs(call: Call, names, arrays, dtype, ilp64) -> Any:
    return _found(call, "lapack", names, arrays, dtype, ilp64)


def _found(call: Call, kind: str, names, arrays, dtype, ilp64) -> Any:
    samples = tuple(map(sample_of, arrays))
    found = call.original(names, samples, dtype=dtype, ilp64=ilp64)
    if isinstance(names, str):
        return _of_module(kind, found)
    return [_of_module(kind, routine) for routine in found]


def _of_module(kind: str, routine) -> Any:
    module = importlib.import_module(_HERE.format(kind))
    return getattr(module, routine.__name__.rpartition(" ")[2], routine)


# -------------------------------------------------------------------------- vectors
def _vector(x, n=None) -> Any:
    """What the routine takes for a vector: column after column."""
    return array_of(x).T.reshape(-1)[:n]


def _fitting(call: Call, x, n: int) -> Any:
    x = _vector(x)
    if len(x) != n:
        call.refuse(f"a vector has {len(x)} elements for a matrix of {n}", "Give a slice of it.")
    return x


def _dot(call, x, y, n=None, *, conjugate: bool = False) -> Any:
    x = _vector(x, n)
    return np.dot(np.conj(x) if conjugate else x, _vector(y, n))


def _nrm2(call, x, n=None) -> Any:
    return np.linalg.norm(_vector(x, n))


def _asum(call, x, n=None) -> Any:
    x = _vector(x, n)
    return np.sum(np.abs(np.real(x)) + np.abs(np.imag(x)))


def _amax(call, x, n=None) -> Any:
    x = _vector(x, n)
    return np.argmax(np.abs(np.real(x)) + np.abs(np.imag(x)))


def _written(call: Call, x, values) -> Any:
    """The values, in the memory of an argument if it is such as the routine takes."""
    dtype = _DTYPES[call.name.rpartition(".")[2][0]]
    if not (isinstance(x, np.ndarray) and x.dtype == dtype and x.flags.f_contiguous):
        return _beside_rest(values, x)
    if not is_traced(x) and contains_traced(values):
        call.refuse("it writes into an ordinary array", "Write y += a * x, or y[...] = x.")
    x.T.reshape(-1)[: len(values)] = values
    return x


def _beside_rest(values, x) -> Any:
    return np.concatenate([values, _vector(x)[len(values) :]]).reshape(np.shape(x)[::-1]).T


def _axpy(call, x, y, n=None, a=1.0) -> Any:
    start = _vector(y, n)
    values = a * _vector(x, n) + start
    return _written(call, y, values)


def _scal(call, a, x, n=None) -> Any:
    return _written(call, x, a * _vector(x, n))


def _copy(call, x, y, n=None) -> Any:
    return _written(call, y, _vector(x, n).copy())


def _swap(call, x, y, n=None) -> Any:
    first, second = _vector(x, n).copy(), _vector(y, n).copy()
    return _written(call, x, second), _written(call, y, first)


_WRITING = (_axpy, _scal, _copy, _swap)


def _rot(call, x, y, c, s, n=None) -> Any:
    u, v = _vector(x, n), _vector(y, n)
    return _beside_rest(c * u + s * v, x), _beside_rest(c * v - s * u, y)


# ------------------------------------------------------------------------- products
def _turned(a, trans) -> Any:
    a = array_of(a)
    return a if trans in (0, False) else np.conj(a.T) if trans == 2 else a.T


def _plus(product, beta, c) -> Any:
    return product if c is None else product + beta * array_of(c)


def _gemv(call, alpha, a, x, beta=0.0, y=None, trans=0) -> Any:
    a = _turned(a, trans)
    return _plus(alpha * (a @ _fitting(call, x, a.shape[1])), beta, y)


def _ger(call, alpha, x, y, a=None, *, conjugate: bool = False) -> Any:
    y = _vector(y)
    return _plus(alpha * np.outer(_vector(x), np.conj(y) if conjugate else y), 1.0, a)


def _symv(call, alpha, a, x, beta=0.0, y=None, lower=0, *, conjugate: bool = False) -> Any:
    a = mirrored(array_of(a), lower=bool(lower), conjugate=conjugate)
    return _plus(alpha * (a @ _fitting(call, x, len(a))), beta, y)


def _half(a, lower, diag=0) -> Any:
    half = np.tril if lower else np.triu
    a = array_of(a)
    return half(a, -1 if lower else 1) + np.eye(len(a)) if diag else half(a)


def _trmv(call, a, x, lower=0, trans=0, diag=0) -> Any:
    a = _turned(_half(a, lower, diag), trans)
    return a @ _fitting(call, x, len(a))


def _trsv(call, a, x, lower=0, trans=0, diag=0) -> Any:
    return linear_systems.solve_triangular(
        call, a, _fitting(call, x, len(array_of(a))), trans, bool(lower), bool(diag)
    )


def _gemm(call, alpha, a, b, beta=0.0, c=None, trans_a=0, trans_b=0) -> Any:
    return _plus(alpha * (_turned(a, trans_a) @ _turned(b, trans_b)), beta, c)


def _symm(call, alpha, a, b, beta=0.0, c=None, side=0, lower=0, *, conjugate: bool = False) -> Any:
    a, b = mirrored(array_of(a), lower=bool(lower), conjugate=conjugate), array_of(b)
    return _plus(alpha * (b @ a if side else a @ b), beta, c)


def _syrk(call, alpha, a, beta=0.0, c=None, trans=0, lower=0, *, conjugate: bool = False) -> Any:
    """One triangle; the other one is that of `c`, or zero."""
    a = _turned(a, trans and (2 if conjugate else 1))
    return _triangle(alpha * (a @ (np.conj(a.T) if conjugate else a.T)), beta, c, lower)


def _syr2k(call, alpha, a, b, beta=0.0, c=None, trans=0, lower=0) -> Any:
    a, b = _turned(a, trans and 1), _turned(b, trans and 1)
    return _triangle(alpha * (a @ b.T + b @ a.T), beta, c, lower)


def _triangle(product, beta, c, lower) -> Any:
    half, rest = (np.tril, np.triu) if lower else (np.triu, np.tril)
    if c is None:
        return half(product)
    c = array_of(c)
    return half(product + beta * c) + rest(c, 1 if lower else -1)


def _trmm(call, alpha, a, b, side=0, lower=0, trans_a=0, diag=0) -> Any:
    a, b = _turned(_half(a, lower, diag), trans_a), array_of(b)
    return alpha * (b @ a if side else a @ b)


def _trsm(call, alpha, a, b, side=0, lower=0, trans_a=0, diag=0) -> Any:
    a, b = array_of(a), alpha * array_of(b)
    if trans_a == 2:
        a, trans_a = np.conj(a), 1
    if side:  # the transposed system
        trans_a, b = not trans_a, b.T
    x = linear_systems.solve_triangular(call, a, b, int(trans_a), bool(lower), bool(diag))
    return x.T if side else x


# -------------------------------------------------------------------------- systems
def _of_values(sample, *sources) -> Any:
    """A whole number that the values of matrices decide, or several."""
    return spread(current(), np.asarray(union_of_all(*sources)), sample)


def _gesv(call, a, b) -> Any:
    a = array_of(a)
    lu, pivots, _, info = dense(_alone(call, b), a)
    return lu, pivots, linear_systems.solution(a, array_of(b)), info


def _alone(call: Call, b) -> Call:
    """The same routine with a constant side, as what it makes of the matrix does not read it."""
    return Call(call.name, lambda a: call.original(a, np.ones(np.shape(b))))


def _getrs(call, lu, piv, b, trans=0) -> Any:
    return linear_systems.lu_solve(call, (lu, piv), b, trans), 0


def _posv(call, a, b, lower=0) -> Any:
    factor, info = _potrf(call, a, lower, 0)
    return factor, linear_systems.cho_solve(call, (factor, bool(lower)), b), info


def _potrf(call, a, lower=0, clean=1) -> Any:
    a = array_of(a)
    rest = np.triu(a, 1) if lower else np.tril(a, -1)
    factor = linear_systems.cholesky(call, a, bool(lower))
    return (factor if clean else factor + rest), _of_values(0, a)


def _potrs(call, c, b, lower=0) -> Any:
    return linear_systems.cho_solve(call, (c, bool(lower)), b), 0


def _potri(call, c, lower=0) -> Any:
    """One triangle of the inverse; the other one stays."""
    c = array_of(c)
    half, rest = (np.tril, np.triu) if lower else (np.triu, np.tril)
    made, info = dense(call, half(c), lower=lower)
    return half(made) + rest(c, 1 if lower else -1), info


def _trtri(call, c, lower=0, unitdiag=0) -> Any:
    c = array_of(c)
    half, rest = (np.tril, np.triu) if lower else (np.triu, np.tril)
    one = -1 if lower else 1
    made = linear_systems.solve_triangular(call, c, np.eye(len(c)), 0, bool(lower), bool(unitdiag))
    own = half(made, one) + np.eye(len(c)) * c if unitdiag else half(made)
    return own + rest(c, -one), _of_values(0, c)


def _trtrs(call, a, b, lower=0, trans=0, unitdiag=0) -> Any:
    x = linear_systems.solve_triangular(call, a, b, trans, bool(lower), bool(unitdiag))
    return x, _of_values(0, array_of(a))


def _sysv(call, a, b, lower=0, *, conjugate: bool = False) -> Any:
    a = mirrored(array_of(a), lower=bool(lower), conjugate=conjugate)
    factor, pivots, _, info = dense(_alone(call, b), a)
    return factor, pivots, linear_systems.solution(a, array_of(b)), info


def _syev(call, a, lower=0, *, conjugate: bool = True, **options) -> Any:
    """Of one triangle alone."""
    a = mirrored(array_of(a), lower=bool(lower), conjugate=conjugate)
    return dense(call, a, lower=lower, **options)


_hermitian = functools.partial(functools.partial, conjugate=True)
ROUTINES: dict[str, Rule] = {
    "dot": _dot,
    "dotu": _dot,
    "dotc": _hermitian(_dot),
    "nrm2": _nrm2,
    "asum": _asum,
    "amax": _amax,
    "axpy": _axpy,
    "scal": _scal,
    "copy": _copy,
    "swap": _swap,
    "rot": _rot,
    "gemv": _gemv,
    "ger": _ger,
    "geru": _ger,
    "gerc": _hermitian(_ger),
    "symv": _symv,
    "hemv": _hermitian(_symv),
    "trmv": _trmv,
    "trsv": _trsv,
    "gemm": _gemm,
    "symm": _symm,
    "hemm": _hermitian(_symm),
    "syrk": _syrk,
    "herk": _hermitian(_syrk),
    "syr2k": _syr2k,
    "trmm": _trmm,
    "trsm": _trsm,
    "gesv": _gesv,
    "getrs": _getrs,
    "posv": _posv,
    "potrf": _potrf,
    "potrs": _potrs,
    "potri": _potri,
    "trtri": _trtri,
    "trtrs": _trtrs,
    "sysv": _sysv,
    "hesv": _hermitian(_sysv),
    "syev": _syev,
    "syevd": _syev,
    "heev": _syev,
    "heevd": _syev,
}
"""The rules by the names of the routines without their types; of all others `whole`."""
