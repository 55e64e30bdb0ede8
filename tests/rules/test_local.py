"""The local predicates against numerical one-sided derivatives, on a grid and at random."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from sparsetrace.rules import FIRST_ORDER
from sparsetrace.rules.numpy_ufuncs import NUMPY_RULES
from sparsetrace.rules.zeros import _CLIP, VANISHING, Guard, Vanishing, _line, vanishes

Points = list[NDArray[Any]]
Predicate = Callable[..., Any]

#: Every input takes each of these values; where only integers will do, the whole ones.
GRID = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0)
DEGREES = (-270.0, -180.0, -90.0, -45.0, 0.0, 30.0, 90.0, 180.0, 360.0)
IN_DEGREES = (special.sindg, special.cosdg)

#: Points where a derivative is zero on both sides, and is kept all the same.
KEPT: dict[Any, tuple[Predicate, str]] = {
    _CLIP: (lambda x, low, high: (x == low) & (x == high), "all three tie, and clip(t, t, t) is t"),
}

#: Points that are cut although the derivative is not continuous: an input with the
#: letter 1 jumps, or the function is singular in it, and the others see it held fixed.
SINGULAR: dict[np.ufunc, dict[int, Predicate]] = {
    np.remainder: {1: lambda x, y: x == 0},
    np.divmod: {1: lambda x, y: x == 0},
    np.power: {0: lambda x, y: (x == 0) & (y == 0)},
    np.float_power: {0: lambda x, y: (x == 0) & (y == 0)},
    special.powm1: {0: lambda x, y: (x == 0) & (y == 0)},
    special.xlogy: {1: lambda x, y: (x == 0) & (y == 0)},
    special.xlog1py: {1: lambda x, y: (x == 0) & (y == -1)},
    # Here the derivative does tend to zero, but with the logarithm alone.
    special.agm: {0: lambda x, y: x != 0, 1: lambda x, y: y != 0},
    special.jv: {1: lambda v, z: (v == 0) & (z == 0)},
    special.iv: {1: lambda v, z: (v == 0) & (z == 0)},
}

#: Global cuts that are not taken over: SciPy's own derivatives contradict them.
NOT_TAKEN_OVER = (special.hyperu,)

every_line = pytest.mark.parametrize("line", VANISHING.values(), ids=lambda x: x.ufunc.__name__)
every_numpy_ufunc = pytest.mark.parametrize(
    "ufunc", [*NUMPY_RULES, *(u for u in [_CLIP] if u is not None)], ids=lambda u: u.__name__
)


# --- the oracle -------------------------------------------------------------------


def letters(ufunc: np.ufunc) -> tuple[str, ...]:
    """The first-order letters; every ufunc but that of np.clip has them."""
    return FIRST_ORDER[ufunc].partials if ufunc in FIRST_ORDER else ("1" * ufunc.nin,)


def differentiable_inputs(ufunc: np.ufunc) -> list[int]:
    return [i for i in range(ufunc.nin) if any(output[i] == "1" for output in letters(ufunc))]


def takes_reals(ufunc: np.ufunc, position: int) -> bool:
    return any(loop.split("->")[0][position] in "efdg" for loop in ufunc.types)


def predicates_of(line: Vanishing) -> list[tuple[int, Predicate]]:
    return [(i, p) for i, p in enumerate(line.predicates) if p is not None]


def grid(ufunc: np.ufunc, *extra: float) -> Points:
    values = DEGREES if ufunc in IN_DEGREES else GRID
    axes = []
    for i in range(ufunc.nin):
        axis = np.array([*values, *extra])
        if not takes_reals(ufunc, i):
            axis = axis[np.isfinite(axis) & (axis == np.floor(axis))].astype(int)
        axes.append(axis)
    return [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]


def wide_grid(line: Vanishing, *extra: float) -> Points:
    """With infinities, unless SciPy may loop for ever on them (hyp1f1)."""
    return grid(line.ufunc, *extra, *(() if line.guard is Guard.FINITE else (-np.inf, np.inf)))


def at(points: Points, where: NDArray[np.bool_]) -> Points:
    return [x[where] for x in points]


def shown(points: Points, where: NDArray[np.bool_]) -> list[tuple[float, ...]]:
    return [tuple(float(v) for v in point) for point in zip(*at(points, where), strict=True)][:8]


@contextmanager
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # SciPy says so when it truncates an order to a whole number.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def evaluate(ufunc: np.ufunc, points: Points) -> Points:
    with quiet():
        outputs = ufunc(*points)
    return [np.asarray(v, float) for v in (outputs if ufunc.nout > 1 else (outputs,))]


def moved(points: Points, position: int, by: Any) -> Points:
    return [x + by if i == position else x for i, x in enumerate(points)]


def slopes(
    ufunc: np.ufunc, low: Points, high: Points, position: int, width: Any
) -> tuple[Points, Points]:
    """Per output that depends on the input: difference quotients, and the values' sizes."""
    pairs = zip(letters(ufunc), evaluate(ufunc, low), evaluate(ufunc, high), strict=True)
    found, sizes = [], []
    with np.errstate(all="ignore"):
        for output, a, b in pairs:
            if output[position] == "1":
                found.append(np.where(a == b, 0.0, b - a) / width)
                sizes.append(np.maximum(np.abs(a), np.abs(b)))
    return found, sizes


def tends_to_zero(wide: Any, narrow: Any, noise: Any, ratio: float) -> Any:
    """Whether a quantity falls with the step, or is nothing but rounding."""
    with np.errstate(all="ignore"):
        return np.isfinite(narrow) & (np.abs(narrow) <= ratio * np.abs(wide) + noise)


def zero_derivative(
    ufunc: np.ufunc, points: Points, position: int, ratio: float
) -> tuple[Any, Any]:
    """Where both one-sided derivatives are zero, and where that is known.

    At the edge of the domain one side is enough.  The derivative is zero if the
    quotients fall with the step: those of x**1.5 at 0 by 30 from one to the other.
    """
    zero = np.ones(len(points[0]), bool)
    known = np.zeros(len(points[0]), bool)
    for side in (1.0, -1.0):
        (wide, _), (narrow, sizes) = (
            slopes(ufunc, points, moved(points, position, side * h), position, side * h)
            for h in (1e-2, 1e-5)
        )
        for a, b, size in zip(wide, narrow, sizes, strict=True):
            defined = ~np.isnan(a) & ~np.isnan(b)
            known |= defined
            noise = 1e-9 * (1.0 + np.where(np.isfinite(size), size, 0.0))
            zero &= ~defined | tends_to_zero(a, b, noise, ratio)
    values = evaluate(ufunc, points)
    return zero, known & np.all([np.isfinite(v) for v in values], axis=0)


def zero_in_the_limit(ufunc: np.ufunc, points: Points, position: int) -> Any:
    """Where the derivative falls to zero as the infinite inputs grow.

    Where the value grows with the input itself (log), it must be zero all the way.
    """
    quotients = []
    for size in (10.0, 1000.0):
        finite = [np.where(np.isinf(x), np.sign(x) * size, x).astype(x.dtype) for x in points]
        h = 1e-3 * np.maximum(1.0, np.abs(finite[position]))
        low, high = moved(finite, position, -h), moved(finite, position, h)
        quotients.append(slopes(ufunc, low, high, position, 2 * h)[0])
    zero = np.ones(len(points[0]), bool)
    values = evaluate(ufunc, points)
    grows = np.isinf(points[position]) & np.any([np.isinf(v) for v in values], axis=0)
    for near, far in zip(*quotients, strict=True):
        zero &= tends_to_zero(near, far, 1e-9, 0.05) & ~(grows & (far != 0))
    return zero


def cut(ufunc: np.ufunc, position: int, points: Points) -> NDArray[np.bool_]:
    with quiet():
        mask = vanishes(ufunc, position, points)
    return np.zeros(len(points[0]), bool) if mask is None else mask


def search(
    ufunc: np.ufunc, position: int, points: Points, *, ratio: float = 0.05
) -> tuple[Any, Any]:
    """Points that are cut wrongly, and points that should have been cut."""
    zero, known = zero_derivative(ufunc, points, position, ratio)
    found = cut(ufunc, position, points)
    return found & known & ~zero, known & zero & ~found


# --- the machine search -------------------------------------------------------------


@every_numpy_ufunc
def test_numpy_is_cut_exactly_where_the_derivative_is_zero(ufunc: np.ufunc) -> None:
    points = grid(ufunc) if ufunc is not np.isnat else [np.zeros(1, "M8[s]")]
    kept, _ = KEPT.get(ufunc, (lambda *values: np.zeros(len(values[0]), bool), ""))
    for i in differentiable_inputs(ufunc):
        wrong, missing = search(ufunc, i, points)
        assert not wrong.any(), f"input {i} wrongly cut at {shown(points, wrong)}"
        missing &= ~kept(*points)
        assert not missing.any(), f"input {i} not cut at {shown(points, missing)}"


@pytest.mark.parametrize("ufunc", [u for u in KEPT if u is not None], ids=lambda u: u.__name__)
def test_the_kept_points_need_their_reason(ufunc: np.ufunc) -> None:
    points = grid(ufunc)
    kept, reason = KEPT[ufunc]
    missing = [search(ufunc, i, points)[1] for i in differentiable_inputs(ufunc)]
    assert reason
    assert np.array_equal(np.any(missing, axis=0), kept(*points))


@every_line
def test_nothing_is_cut_wrongly(line: Vanishing) -> None:
    points = grid(line.ufunc)
    for i, _ in predicates_of(line):
        wrong, _ = search(line.ufunc, i, points)
        assert not wrong.any(), f"input {i} wrongly cut at {shown(points, wrong)}"


@every_line
def test_nothing_is_cut_wrongly_beside_infinities(line: Vanishing) -> None:
    points = grid(line.ufunc, -np.inf, np.inf)
    points = at(points, np.any([np.isinf(x) for x in points], axis=0))
    for i, _ in predicates_of(line):
        found = cut(line.ufunc, i, points)
        assert not (line.guard is Guard.FINITE and found.any())
        some = at(points, found)
        wrong = ~zero_in_the_limit(line.ufunc, some, i)
        assert not wrong.any(), f"input {i} wrongly cut at {shown(some, wrong)}"


@every_line
def test_every_predicate_holds_somewhere_and_not_everywhere(line: Vanishing) -> None:
    points = wide_grid(line)
    for i, _ in predicates_of(line):
        found = cut(line.ufunc, i, points)
        assert found.any()
        assert not found.all()


@every_line
def test_predicates_are_of_dependencies(line: Vanishing) -> None:
    assert {i for i, _ in predicates_of(line)} <= set(differentiable_inputs(line.ufunc))


def _unsteady(ufunc: np.ufunc, position: int, points: Points) -> Any:
    """Where the derivative does not tend to zero as all inputs approach the point.

    A partial derivative may be zero at a point where the function is not differentiable
    (agm at the origin, for agm(t, t) is t), and cutting it there loses dependencies.
    """
    # SciPy continues polynomials to real degrees; nobody differentiates by them.
    if ufunc.__name__.startswith("eval_"):
        whole = frozenset((0,))
    else:
        whole = FIRST_ORDER[ufunc].integers if ufunc in FIRST_ORDER else frozenset()
    real = [takes_reals(ufunc, i) and i not in whole for i in range(ufunc.nin)]
    worst = []
    for size in (1e-2, 1e-5):
        rng = np.random.default_rng(5)
        largest = np.zeros(len(points[0]))
        for _ in range(40):
            near = [
                x + size * rng.uniform(-1, 1, len(x)) if moves else x
                for x, moves in zip(points, real, strict=True)
            ]
            h = 1e-2 * size
            low, high = moved(near, position, -h), moved(near, position, h)
            for slope in slopes(ufunc, low, high, position, 2 * h)[0]:
                largest = np.fmax(largest, np.abs(slope))
        worst.append(largest)
    size = np.max([np.abs(v) for v in evaluate(ufunc, points)], axis=0)
    return ~tends_to_zero(worst[0], worst[1], 1e-5 * (1.0 + size), 0.5)


@every_line
def test_derivatives_are_continuous_where_they_are_cut(line: Vanishing) -> None:
    points = grid(line.ufunc)
    for i, _ in predicates_of(line):
        some = at(points, cut(line.ufunc, i, points))
        if not len(some[0]):
            continue
        unsteady = _unsteady(line.ufunc, i, some)
        excepted = SINGULAR.get(line.ufunc, {}).get(i)
        if excepted is not None:
            expected = excepted(*some)
            assert (unsteady & expected).any(), "the exception is not needed"
            unsteady &= ~expected
        assert not unsteady.any(), f"input {i} at {shown(some, unsteady)}"


# --- points at random -----------------------------------------------------------------


@every_line
def test_random_points_are_cut_exactly_where_the_derivative_is_zero(line: Vanishing) -> None:
    rng = np.random.default_rng(6)
    rule = FIRST_ORDER.get(line.ufunc)
    domain = rule.domain if rule is not None else [(-3.0, 3.0)] * line.ufunc.nin
    points: Points = [rng.uniform(low, high, 60) for low, high in domain]
    if rule is not None:
        points = [np.floor(x) if i in rule.integers else x for i, x in enumerate(points)]
    points = [x if takes_reals(line.ufunc, i) else x.astype(int) for i, x in enumerate(points)]
    for i, _ in predicates_of(line):
        # A smaller ratio: some derivatives are small by chance, none falls slowly.
        wrong, missing = search(line.ufunc, i, points, ratio=2e-3)
        assert not wrong.any(), f"input {i} wrongly cut at {shown(points, wrong)}"
        assert not missing.any(), f"input {i} not cut at {shown(points, missing)}"


@pytest.mark.parametrize(
    "ufunc",
    [u for u in FIRST_ORDER if FIRST_ORDER[u].cuts and u not in NOT_TAKEN_OVER],
    ids=lambda u: u.__name__,
)
def test_local_patterns_have_the_cuts_of_global_ones(ufunc: np.ufunc) -> None:
    rng = np.random.default_rng(7)
    rule = FIRST_ORDER[ufunc]
    for i, constant in rule.cuts.items():
        values = np.array([0.0, 1.0, -1.0, 2.0, np.inf, -np.inf])
        if not takes_reals(ufunc, constant.operand):
            values = values[np.isfinite(values)].astype(int)
        for value in values[constant.vanishes(values)]:
            points: Points = [rng.uniform(low, high, 20) for low, high in rule.domain]
            points[constant.operand] = np.full(20, value)
            defined = np.all([np.isfinite(v) for v in evaluate(ufunc, points)], axis=0)
            found = cut(ufunc, i, points)
            assert (found | ~(defined | np.isinf(value))).all(), f"input {i}, constant {value}"


# --- named points ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ufunc", "point", "expected"),
    [
        (np.multiply, (0.0, 0.0), (True, True)),
        (np.multiply, (2.0, 0.0), (True, False)),
        (np.multiply, (np.inf, 0.0), (False, False)),
        (np.divide, (0.0, 2.0), (False, True)),
        (np.divide, (0.0, 0.0), (False, False)),
        (np.divide, (2.0, np.inf), (True, True)),
        (np.maximum, (1.0, 2.0), (True, False)),
        (np.maximum, (2.0, 2.0), (False, False)),
        (np.maximum, (np.inf, np.inf), (False, False)),
        (np.maximum, (1.0, np.nan), (False, False)),
        (np.fmax, (1.0, np.nan), (False, False)),
        (np.minimum, (1.0, 2.0), (False, True)),
        (np.fmin, (2.0, 2.0), (False, False)),
        (np.hypot, (0.0, 0.0), (False, False)),
        (np.hypot, (0.0, -2.0), (True, False)),
        (np.absolute, (0.0,), (False,)),
        (np.fabs, (0.0,), (False,)),
        (np.sqrt, (0.0,), (False,)),
        (np.sin, (np.pi / 2,), (False,)),
        (np.tanh, (20.0,), (False,)),
        (np.tanh, (-np.inf,), (True,)),
        (np.exp, (-800.0,), (False,)),
        (np.exp, (-np.inf,), (True,)),
        (np.log, (np.inf,), (False,)),
        (np.copysign, (0.0, 1.0), (False, False)),
        (np.heaviside, (0.0, 0.5), (False, False)),
        (np.heaviside, (-1.0, 0.5), (False, True)),
        (np.remainder, (1.0, 2.0), (False, True)),
        (np.remainder, (-1.0, 2.0), (False, False)),
        (np.remainder, (-1.0, -2.0), (False, True)),
        (np.remainder, (-5e-324, 1e308), (False, False)),
        (np.remainder, (2.0, 2.0), (False, False)),
        (np.remainder, (1.0, 0.0), (False, False)),
        (np.fmod, (-1.0, 2.0), (False, True)),
        (np.fmod, (2.0, 2.0), (False, False)),
        (np.divmod, (1.0, 2.0), (False, True)),
        (np.divmod, (5.0, 2.0), (False, False)),
        (np.power, (0.0, 1.0), (False, True)),
        (np.power, (0.0, 0.5), (False, True)),
        (np.power, (0.0, 2.0), (True, True)),
        (np.power, (0.0, 0.0), (True, False)),
        (np.power, (0.0, -1.0), (False, False)),
        (np.power, (1.0, 0.0), (True, True)),
        (np.power, (np.nan, 0.0), (False, False)),
        (np.power, (1.0, np.nan), (False, False)),
        (np.arctan2, (0.0, 0.0), (False, False)),
        (np.arctan2, (0.0, -1.0), (False, True)),
        (np.arctan2, (2.0, 0.0), (True, False)),
        (np.arctan2, (0.0, -np.inf), (False, True)),
        (np.logaddexp, (-np.inf, 1.0), (True, False)),
        (np.logaddexp, (-np.inf, -np.inf), (False, False)),
        (np.logaddexp, (-1e308, 1e308), (False, False)),
        (special.agm, (0.0, 0.0), (False, False)),
        (special.huber, (2.0, 2.0), (True, False)),
        (special.huber, (2.0, 0.0), (True, True)),
        (special.kl_div, (2.0, 2.0), (True, True)),
        (special.kl_div, (0.0, 0.0), (False, False)),
        (special.i0e, (0.0,), (False,)),
        (special.ive, (0.0, 0.0), (False, False)),
        (special.cosdg, (-540.0,), (True,)),
        (special.cosdg, (90.0,), (False,)),
        (special.sindg, (-450.0,), (True,)),
        (special.sindg, (180.0,), (False,)),
    ],
)
def test_named_points(
    ufunc: np.ufunc, point: tuple[float, ...], expected: tuple[bool, ...]
) -> None:
    for i, answer in enumerate(expected):
        mask = vanishes(ufunc, i, [np.array(value) for value in point])
        assert (mask is not None) == answer
        assert mask is None or (mask.shape == () and bool(mask))


@pytest.mark.skipif(_CLIP is None, reason="this NumPy has no such ufunc")
@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ((0.5, 0.0, 1.0), (False, True, True)),
        ((-1.0, 0.0, 1.0), (True, False, True)),
        ((2.0, 0.0, 1.0), (True, True, False)),
        ((0.0, 0.0, 1.0), (False, False, True)),
        ((1.0, 0.0, 1.0), (False, True, False)),
        ((0.5, 1.0, 0.0), (True, True, False)),
        ((0.0, 1.0, 1.0), (True, False, False)),
        ((np.nan, 0.0, 1.0), (False, False, False)),
        ((np.nan, 1.0, 0.0), (False, False, False)),
        ((-np.inf, 0.0, np.inf), (True, False, True)),
    ],
)
def test_clip(point: tuple[float, ...], expected: tuple[bool, ...]) -> None:
    assert _CLIP is not None
    for i, answer in enumerate(expected):
        assert (vanishes(_CLIP, i, [np.array(v) for v in point]) is not None) == answer


# --- NaN, floating-point errors, types and shapes --------------------------------------------


@every_line
def test_nan_is_never_cut_and_nothing_is_said(line: Vanishing) -> None:
    points = wide_grid(line, np.nan)
    nan = np.any([np.isnan(x) for x in points], axis=0)
    for i, _ in predicates_of(line):
        # pytest turns every warning into an error.
        with np.errstate(all="raise"):
            mask = vanishes(line.ufunc, i, points)
        assert mask is not None
        assert not (mask & nan).any()
        undefined = np.any([np.isnan(v) for v in evaluate(line.ufunc, points)], axis=0)
        assert not (mask & undefined).any()


def test_shapes_are_those_of_the_broadcast_inputs() -> None:
    column, row = np.array([[0.0], [1.0]]), np.array([0.0, 1.0, 2.0])
    mask = vanishes(np.multiply, 0, [column, row])
    assert mask is not None
    np.testing.assert_array_equal(mask, np.array([[True, False, False]] * 2))
    mask = vanishes(np.multiply, 1, [column, row])
    assert mask is not None
    np.testing.assert_array_equal(mask, np.array([[True] * 3, [False] * 3]))
    assert vanishes(np.multiply, 0, [np.zeros((0, 3)), row]) is None


@every_line
def test_scalars_arrays_and_other_types(line: Vanishing) -> None:
    points = grid(line.ufunc)
    for i, _ in predicates_of(line):
        found = cut(line.ufunc, i, points)
        for index in {int(np.argmax(found)), int(np.argmin(found))}:
            for dtype in (np.float32, np.float64):
                kinds = [
                    dtype if takes_reals(line.ufunc, j) else int for j in range(line.ufunc.nin)
                ]
                values = [np.asarray(x[index], k) for x, k in zip(points, kinds, strict=True)]
                mask = vanishes(line.ufunc, i, values)
                assert (mask is not None) == found[index]
                if mask is not None:
                    assert isinstance(mask, np.ndarray)
                    assert mask.dtype == bool
                    assert mask.shape == ()


def test_constants_may_be_whole_numbers_or_booleans() -> None:
    x = np.array([0.0, 1.0, 2.0])
    for ufunc, position, other, expected in [
        (np.multiply, 0, np.array([True, False, True]), [False, True, False]),
        (np.power, 0, np.array(2), [True, False, False]),
        (np.power, 0, np.array(0), [True, True, True]),
        (np.maximum, 0, np.array(1), [True, False, False]),
        (np.remainder, 0, np.array(2), None),
        (np.divide, 1, np.array(0), None),
    ]:
        mask = vanishes(ufunc, position, [x, other])
        assert (None if mask is None else mask.tolist()) == expected


def test_complex_numbers() -> None:
    z = np.array([0.0, 1j, 1 + 1j, 2.0])
    w = np.array([0j, 2j, 1 + 2j, 3.0])
    # Real parts that tie decide nothing: they move.
    assert vanishes(np.maximum, 0, [z, w]) is not None
    np.testing.assert_array_equal(vanishes(np.maximum, 0, [z, w]), [False, False, False, True])
    nan = np.array(complex(0.0, np.nan))
    for ufunc in (np.maximum, np.fmax, np.minimum, np.fmin, np.multiply):
        for i in range(2):
            assert vanishes(ufunc, i, [nan, np.array(1.0)]) is None
            assert vanishes(ufunc, i, [np.array(1.0), nan]) is None
    zeros = np.zeros(4, complex)
    exponents = np.array([1 + 1j, 2 + 1j, 1.5, 1j])
    np.testing.assert_array_equal(
        vanishes(np.power, 0, [zeros, exponents]), [False, True, True, False]
    )
    np.testing.assert_array_equal(vanishes(np.multiply, 1, [z, w]), [True, False, False, False])


# --- the form of a line, and what the tests find -----------------------------------------------


def test_unknown_ufuncs_keep_everything() -> None:
    foreign = np.frompyfunc(lambda a: a, 1, 1)
    assert vanishes(foreign, 0, [np.zeros(2)]) is None
    assert vanishes(np.add, 0, [np.zeros(2), np.zeros(2)]) is None
    assert vanishes(np.heaviside, 0, [np.zeros(2), np.zeros(2)]) is None
    with pytest.raises(IndexError):
        vanishes(np.multiply, 2, [np.zeros(2), np.zeros(2)])


def test_every_line_has_a_first_order_rule_too() -> None:
    assert set(VANISHING) - set(FIRST_ORDER) <= {_CLIP}
    assert all(line.ufunc is ufunc for ufunc, line in VANISHING.items())


@pytest.mark.parametrize(
    ("predicates", "message"),
    [
        ((None,), "one predicate or None per input, 2 wanted"),
        ((None, None), "says nothing"),
    ],
)
def test_a_malformed_line_is_refused(predicates: Sequence[None], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _line(np.add, *predicates)
    assert np.add not in VANISHING


def test_a_second_line_is_refused() -> None:
    with pytest.raises(ValueError, match="multiply has a line already"):
        _line(np.multiply, None, None)


def planted(monkeypatch: pytest.MonkeyPatch, ufunc: np.ufunc, *predicates: Any) -> None:
    monkeypatch.setitem(VANISHING, ufunc, Vanishing(ufunc, predicates, Guard.NAN))


def test_a_wrong_cut_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, np.absolute, lambda x: x == 0)
    wrong, _ = search(np.absolute, 0, grid(np.absolute))
    assert shown(grid(np.absolute), wrong) == [(0.0,)]
    # -trunc(x/y) instead of -floor(x/y): wrong for x < 0 < y.
    planted(monkeypatch, np.remainder, None, lambda x, y: np.abs(x) < np.abs(y))
    wrong, _ = search(np.remainder, 1, grid(np.remainder))
    assert (-1.0, 2.0) in shown(grid(np.remainder), wrong)
    planted(monkeypatch, np.maximum, lambda x, y: x <= y, None)
    wrong, _ = search(np.maximum, 0, grid(np.maximum))
    assert shown(grid(np.maximum), wrong) == [(v, v) for v in GRID]
    planted(monkeypatch, np.log, np.isinf)
    with pytest.raises(AssertionError, match="wrongly cut at"):
        test_nothing_is_cut_wrongly_beside_infinities(VANISHING[np.log])
    planted(monkeypatch, special.agm, lambda x, y: y == 0, None)
    with pytest.raises(AssertionError, match=r"\(0\.0, 0\.0\)"):
        test_derivatives_are_continuous_where_they_are_cut(VANISHING[special.agm])


def test_a_missing_cut_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(VANISHING, np.cos)
    with pytest.raises(AssertionError, match=r"not cut at \[\(0\.0,\)\]"):
        test_numpy_is_cut_exactly_where_the_derivative_is_zero(np.cos)
    planted(monkeypatch, np.fmod, None, lambda x, y: (x > 0) & (x < y))
    with pytest.raises(AssertionError, match="not cut at"):
        test_random_points_are_cut_exactly_where_the_derivative_is_zero(VANISHING[np.fmod])
