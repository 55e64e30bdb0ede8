"""`TracedScalar` passes for a number wherever its value is not needed."""

from __future__ import annotations

import decimal
import fractions
import math
import numbers
import operator
import re

import numpy as np
import pytest
from outside import Outside
from pyroaring import BitMap

from oracles import (
    assert_covers,
    assert_same_pattern,
    jacobian_pattern_at,
    numerical_jacobian_pattern,
)
from sparsetrace import TracedScalar, TracingError, ValueDependentError, jacobian_sparsity

POINT = np.array([1.3, 2.1, 0.7])

EXPRESSIONS = [
    "s + t", "s - t", "s * t", "s / t", "s ** t", "s // 1", "s % 2", "s % t", "divmod(s, 2)",
    "divmod(7, s)", "s + 1", "1 + s", "1 - s", "2 * s", "s * 0", "0 * s", "s * 0.0 + t", "s / 2",
    "2 / s", "s ** 2", "2 ** s", "s ** 0.5", "s ** -1", "s ** 0", "1 ** s", "2 // s", "7 % s",
    "-s", "+s", "abs(s)", "abs(-s)", "round(s)", "round(s, 2)", "math.floor(s)", "math.ceil(s)",
    "math.trunc(s)", "pow(s, 2)", "pow(2, s)", "sum(x)", "sum([s, t])", "sum(x, 1.0)",
    "s + np.float32(2)", "np.float32(2) * s", "np.int64(3) * s", "s * np.float64(0.0)",
    "np.float64(2) ** s", "s * True", "s * False", "s + 1j", "(s + 1j * t).real",
    "(s + 1j * t).imag", "s * np.ones(3)", "np.ones(3) * s", "np.arange(3.0) * s", "x * s", "s * x",
    "x - s", "x / s", "s + np.ones((2, 1))", "np.array(2.0) * s", "np.sin(s)", "np.exp(s * t)",
    "np.hypot(s, t)", "np.maximum(s, t)", "np.maximum(s, 0)", "np.where(s > t, s, t)", "np.sqrt(s)",
    "np.add(s, t)", "np.multiply(2.0, s)", "np.square(s)", "np.clip(s, 1.0, 2.0)", "np.abs(s)",
    "s > t", "s >= 1", "1 < s", "s == t", "s != 0", "(s > 1) * t", "(s > 1) & (t > 1)", "~(s > 1)",
    "(s > 0) | (t < 0)", "s.real", "s.imag", "s.conjugate()", "s.conj()", "s.T", "s.item()",
    "s.astype(object)",
    "s.tolist()", "s.copy()", "s.astype(float)", "s.astype(int)", "s.sum()", "s.mean()", "s.max()",
    "s.reshape(1)", "s.reshape(1, 1)", "s.ravel()", "s.flatten()", "s.squeeze()", "s.round(1)",
    "s.clip(0, 1)", "s.is_integer() * t", "s.dtype.type(2) * s", "np.stack([s, t])",
    "np.array([s, t]) if False else np.stack([s, t, s * t])", "np.concatenate([[s], [t]])",
    "np.concatenate([x, [s * t]])", "np.append(x, s)", "np.full_like(x, s)", "[s, t, 1.0]",
    "np.dot(s, x)", "np.outer(s, x)", "np.atleast_1d(s)", "np.expand_dims(s, 0)", "np.ravel(s)",
    "np.sum(s)", "np.mean(s)", "np.prod(s)", "np.max(s)", "np.linalg.norm(x) * s", "np.round(s, 2)",
    "np.power(s, 3)", "np.float_power(s, t)", "np.fmod(s, t)", "np.arctan2(s, t)", "np.isnan(s)",
    "np.isfinite(s)", "np.sign(s) * t", "np.floor(s) + t", "np.real(s)", "np.imag(s)", "np.conj(s)",
    "np.interp(s, [0.0, 1.0, 2.0], [0.0, 3.0, 4.0])", "np.polyval([1.0, 0.0, 2.0], s)",
    "np.heaviside(s, t)", "operator.add(s, t)", "operator.mul(s, 0.0)", "operator.neg(s)",
    "functools.reduce(operator.mul, x)", "math.sqrt(4.0) * s", "max([s], key=lambda v: 0)",
    "s.__add__(t)", "s.__radd__(2.0)", "s.__rsub__(t)", "s.__rpow__(2.0)", "s.__truediv__(t)",
    "[s] * 2", "(s,) + (t,)", "{'a': s}['a'] * t", "np.zeros_like(x) + s", "x[0:1] * s",
    "s if s is not None else t",
]  # fmt: skip


LOOSE = {
    "np.linalg.norm(x) * s": "a derivative may vanish",
    "x - s": "an element minus itself",
    "x / s": "an element over itself",
    "(s + 1j * t).real": "real and imaginary parts are not kept apart",
    "(s + 1j * t).imag": "real and imaginary parts are not kept apart",
    "s.is_integer() * t": "true at whole numbers alone",
    "np.heaviside(s, t)": "t shows where s is zero",
}
"""Where the pattern has more entries than numerical derivatives show, and why."""


def function(source):
    scope = {"np": np, "math": math, "operator": operator, "functools": __import__("functools")}
    return eval(f"lambda x: (lambda s, t: {source})(x[0], x[2])", scope)


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_expression(source):
    f = function(source)
    shapes = Outside()

    def seen(x):
        result = f(x)
        shapes.append(np.shape(result) if not isinstance(result, list | tuple) else len(result))
        return result

    pattern = jacobian_sparsity(seen, POINT)
    plain = f(POINT)
    assert shapes[-1] == (np.shape(plain) if not isinstance(plain, list | tuple) else len(plain))
    expected = numerical_jacobian_pattern(f, POINT, low=0.3, high=3.0, points=30)
    assert_covers(pattern, expected)
    if source not in LOOSE:
        assert_same_pattern(pattern, expected)


def test_it_is_a_number():
    def f(x):
        s = x[0]
        assert isinstance(s, TracedScalar)
        assert isinstance(s, numbers.Number)
        assert isinstance(s, numbers.Real)
        assert isinstance(s, numbers.Complex)
        assert not isinstance(s, numbers.Integral)
        assert not isinstance(s, np.ndarray)
        assert np.isscalar(s)
        assert not hasattr(s, "__len__")
        assert np.ndim(s) == 0
        assert np.shape(s) == ()
        assert np.size(s) == 1
        assert (s.ndim, s.shape, s.size, s.itemsize, s.nbytes) == (0, (), 1, 8, 8)
        assert s.dtype == float
        assert callable(s.item)
        return s

    assert_same_pattern(jacobian_sparsity(f, POINT), [[1, 0, 0]])


def test_reading_gives_the_same_kinds_as_numpy():
    def f(x):
        assert isinstance(x.sum(), TracedScalar)
        assert isinstance(x[0] * 2, TracedScalar)
        assert isinstance(np.sum(x[:2]), TracedScalar)
        assert isinstance(x @ x, TracedScalar)
        assert isinstance(np.zeros_like(x)[0], np.float64)  # a constant is a plain number
        assert isinstance(x[0] * 0.0, float)
        return x

    jacobian_sparsity(f, POINT)


def test_pattern_and_repr():
    seen = Outside()

    def f(x):
        s = x[0] * x[2]
        seen.append((s.pattern, repr(s), str(s), f"{s}", f"{s:.3f}", repr(np.floor(s))))
        return s

    jacobian_sparsity(f, POINT)
    pattern, *texts, opaque = seen[-1]
    assert pattern == BitMap([0, 2])
    formatted = texts.pop()
    assert formatted.endswith(" TracedScalar")
    assert len(set(texts)) == 1
    assert re.fullmatch(r"TracedScalar\(\{0, 2\}, value \d+\)", texts[0])
    assert re.fullmatch(r"TracedScalar\(\{\}, value \d+ depends on the inputs\)", opaque)


def test_printing_in_a_loop():
    def f(x):
        return sum(x[i] for i in range(3) if f"{x[i]}" and f"{x[i]:8.2e}" and str(x[i]))

    assert jacobian_sparsity(f, POINT).nnz == 3


def test_scalars_of_other_types():
    def f(x):
        s = x[0]
        assert s.dtype == np.float32
        assert (s * 2).dtype == np.float32
        assert (s * np.float64(2)).dtype == np.float64
        assert (s + s).dtype == np.float32
        assert (s > 0).dtype == bool
        return s

    jacobian_sparsity(f, np.ones(2, np.float32))

    def g(z):
        s = z[0]
        assert s.dtype == complex
        assert s.real.dtype == float
        assert abs(s).dtype == float
        return [s.real * z[1], s.conjugate(), abs(s)]

    assert_same_pattern(jacobian_sparsity(g, np.ones(2, complex)), [[1, 1], [1, 0], [1, 0]])


@pytest.mark.parametrize(
    "other",
    [fractions.Fraction(1, 2), decimal.Decimal("0.5"), "text", None, object(), {}, {1.0}],
    ids=lambda other: type(other).__name__,
)
@pytest.mark.parametrize("apply", [operator.add, operator.mul, operator.truediv, operator.pow])
def test_operands_that_are_no_numbers_of_numpys(other, apply):
    for f in (lambda x: apply(x[0], other), lambda x: apply(other, x[0])):
        try:
            pattern = jacobian_sparsity(f, POINT)
        except (TracingError, TypeError):
            continue
        assert_covers(pattern, [[1, 0, 0]])


def test_a_set_or_a_dict_cannot_look_it_up():
    for f in (lambda x: {x[0]}, lambda x: {x[0]: 1}, lambda x: hash(x[0])):
        with pytest.raises(ValueDependentError, match="hash"):
            jacobian_sparsity(f, POINT)


BY_TRUTH = {
    "a dict of truths": lambda x: [{True: x[1] * v, False: x[2]}[v > 0] for v in x.tolist()],
    "a dict of NumPy's truths": lambda x: [{1: x[1] * v, 0: x[2]}[v > 0] for v in x],
    "get": lambda x: [{True: x[1]}.get(v > 0, v) for v in x],
    "a set": lambda x: [x[0] * len({v > 0 for v in x}), x[1] if (x[0] > 0) in {False} else x[2]],
    "a key that is kept": lambda x: list({v > 0: v for v in x}.values())[:1],
    "a whole number": lambda x: [{0: x[1], 1: x[2], 2: x[0] * x[1]}[int(np.argmax(x))]],
    "sums of it": lambda x: [{1: x[1], 2: x[2], 3: x[0] * x[1]}[np.argmax(x) + 1]],
    "index of the largest": lambda x: [x[x.tolist().index(max(x))] ** 2 * x[0]],
}


@pytest.mark.parametrize("f", BY_TRUTH.values(), ids=BY_TRUTH)
def test_keys_and_places_that_few_values_decide(f):
    """Each value is a path of its own; the union holds what is seen at any of the points."""
    points = np.random.default_rng(0).uniform(-1, 1, (60, 3))
    seen = [jacobian_pattern_at(f, x) for x in points]
    assert_same_pattern(jacobian_sparsity(f, POINT), np.logical_or.reduce(seen))
    for x, expected in zip(points[:8], seen, strict=False):
        assert_same_pattern(jacobian_sparsity(f, x, local=True), expected)


def test_copies_are_itself():
    import copy

    def f(x):
        s = x[0]
        assert copy.copy(s) is s
        assert copy.deepcopy(s) is s
        assert copy.deepcopy([s])[0] is s
        return s

    jacobian_sparsity(f, POINT)


@pytest.mark.slow
def test_long_loops_are_cheap():
    n = 20_000

    def f(x):
        total = x[0]
        for i in range(1, n):
            total = 0.5 * total + x[i] * x[i - 1]
        return total

    assert jacobian_sparsity(f, np.ones(n)).nnz == n


def test_chains_of_scalars_in_every_store():
    def f(x):
        a, b, out = x[0], x[1], []
        for i in range(60):
            a, b = b, a * x[i % 7] + b
            out.append(a)
        return out

    point = np.random.default_rng(0).uniform(0.5, 1.0, 9)
    expected = numerical_jacobian_pattern(f, point, rtol=1e-12)
    for store in ("csr", "bitset", "roaring", "auto"):
        assert_covers(jacobian_sparsity(f, point, store=store), expected)


def _digits(x):
    """The number as a whole number times a power of two: how mpmath reads a float."""
    mantissa, exponent = math.frexp(x[0])
    return int(mantissa * 2**53) * 2.0 ** (exponent - 53) * x[1]


@pytest.mark.parametrize("call", [_digits, lambda x: float(int(x[0] * 2.0**60)) * x])
def test_whole_numbers_that_are_the_float_itself_are_refused_at_a_point(call):
    x = np.array([0.7, 0.8])
    with pytest.raises(TracingError, match=r"^int\(\)"):
        jacobian_sparsity(call, x, local=True)
    assert jacobian_sparsity(lambda x: int(1e5 * x[0]) * x, x, local=True).nnz == 2


CONSTANTS = [0.5, 3, True, 2**60, np.float64(0.5), np.int64(2), np.inf, -np.inf, np.nan]
COMPARED = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("constant", CONSTANTS, ids=repr)
@pytest.mark.parametrize("compare", COMPARED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("convert", [lambda v: v, lambda v: v.item()], ids=["numpy", "python"])
def test_a_comparison_has_the_outcomes_that_numbers_have(compare, constant, convert):
    """Of one element, of a float of Python's, and of an array, whose comparison has a rule."""

    def one(x):
        return x[0] if compare(convert(x[1]), constant) else x[2]

    def several(x):
        return np.where(compare(x[1:2], constant), x[0], x[2])[0]

    found = jacobian_sparsity(one, np.ones(3)).indices.tolist()
    if np.isfinite(constant):
        assert found == [0, 2] == jacobian_sparsity(several, np.ones(3)).indices.tolist()
    outcomes = {compare(v, constant) for v in (-1e300, 0.5, 2.0, 2.0**60, 1e300)}
    assert {0 if outcome else 2 for outcome in outcomes} <= set(found)


@pytest.mark.parametrize("convert", [lambda v: v, lambda v: v.item()], ids=["numpy", "python"])
def test_comparisons_of_known_numbers_are_decided(convert):
    def function(x):
        one = convert(0 * x[1] + 1)
        return x[0] if one < 2 else x[2]

    assert jacobian_sparsity(function, np.ones(3)).indices.tolist() == [0]


def test_a_number_that_was_converted_has_a_number_as_its_value():
    """At a point: ``math.trunc`` was given an array."""

    def function(x):
        return math.trunc(float(x[0])) * x[1]

    pattern = jacobian_sparsity(function, np.array([1.5, 2.0]), local=True)
    assert pattern.toarray().tolist() == [[False, True]]
