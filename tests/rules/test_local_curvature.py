"""The local second-order predicates against one-sided second differences.

Around a point every quadrant is measured, with steps of 0.01 and 0.0001: where a second
derivative vanishes its difference falls, where it is infinite it grows, elsewhere it stays.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import combinations_with_replacement, pairwise
from typing import Any

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray
from scipy import special

from sparsetrace.rules import FIRST_ORDER
from sparsetrace.rules.infinities import singular
from sparsetrace.rules.numpy_ufuncs import NUMPY_RULES
from sparsetrace.rules.second_infinities import SHARP, sharp
from sparsetrace.rules.second_zeros import FLAT, Flat, Pair, _line, flat
from sparsetrace.rules.zeros import Guard

Points = list[NDArray[Any]]
Mask = NDArray[np.bool_]
Predicate = Callable[..., Any]

#: At all combinations of these nothing flat may be missed.
SIMPLE = (-1.0, 0.0, 0.5, 1.0, 2.0)
#: More of them for soundness, by the number of inputs.
VALUES = {
    1: (-3.0, -2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0),
    2: (-2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0),
    3: (-1.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0),
    4: (-1.0, 0.0, 0.5, 1.0, 3.0, 5.0),
}
DEGREES = (-270.0, -180.0, -90.0, -45.0, 0.0, 30.0, 90.0, 180.0, 360.0)
IN_DEGREES = (special.sindg, special.cosdg, special.tandg, special.cotdg)
STEPS = (1e-2, 1e-4)
#: Relative errors of the functions, as far as they are not those of a few operations.
ERROR = 1e-15
SINCE_SCIPY_1_18 = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
INEXACT = {
    special.eval_gegenbauer: 1e-14,
    special.eval_jacobi: 1e-13,
    special.tklmbda: 1e-12,
}

#: Where a function jumps, and is flat on either side.
JUMPS: dict[np.ufunc, Predicate] = {np.arctan2: lambda y, x: (y == 0) & (x < 0)}
if SINCE_SCIPY_1_18:  # computed in another way there, by 1e-11
    JUMPS[special.eval_jacobi] = lambda n, alpha, beta, x: alpha == -1

#: Older versions have other values at the edges of domains, or none.
SCIPY_IS_RECENT = np.lib.NumpyVersion(scipy.__version__) >= "1.17.0"
recent = pytest.mark.skipif(not SCIPY_IS_RECENT, reason="nothing is missed in the newest SciPy")

every_line = pytest.mark.parametrize("line", FLAT.values(), ids=lambda x: x.ufunc.__name__)


# --- the oracle -------------------------------------------------------------------


def takes_reals(ufunc: np.ufunc, position: int) -> bool:
    return any(loop.split("->")[0][position] in "efdg" for loop in ufunc.types)


def whole_inputs(ufunc: np.ufunc) -> frozenset[int]:
    """Orders and degrees: SciPy continues some to the reals, nobody differentiates by them."""
    if ufunc.__name__.startswith("eval_"):
        return frozenset((0,))
    return FIRST_ORDER[ufunc].integers | ({1} if ufunc is special.lpmv else set())


def curved_inputs(ufunc: np.ufunc) -> list[int]:
    letters = FIRST_ORDER[ufunc].partials
    return [
        i
        for i in range(ufunc.nin)
        if takes_reals(ufunc, i)
        and i not in whole_inputs(ufunc)
        and any(output[i] == "1" for output in letters)
    ]


def pairs_of(ufunc: np.ufunc) -> list[Pair]:
    return list(combinations_with_replacement(curved_inputs(ufunc), 2))


def as_taken(ufunc: np.ufunc, points: Points) -> Points:
    return [x if takes_reals(ufunc, i) else x.astype(int) for i, x in enumerate(points)]


def grid(ufunc: np.ufunc, values: Sequence[float]) -> Points:
    axes = []
    for i in range(ufunc.nin):
        axis = np.array(DEGREES if ufunc in IN_DEGREES else values)
        if i in whole_inputs(ufunc) or not takes_reals(ufunc, i):
            axis = axis[np.isfinite(axis) & (axis == np.floor(axis)) & (axis >= 0)]
        axes.append(axis)
    return as_taken(ufunc, [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")])


def generic(ufunc: np.ufunc, number: int, seed: int) -> Points:
    rng, rule = np.random.default_rng(seed), FIRST_ORDER[ufunc]
    points = [rng.uniform(low, high, number) for low, high in rule.domain]
    points = [np.floor(x) if i in whole_inputs(ufunc) else x for i, x in enumerate(points)]
    return as_taken(ufunc, points)


def at(points: Points, where: Mask) -> Points:
    return [x[where] for x in points]


def shown(points: Points, where: Mask) -> list[tuple[float, ...]]:
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
    outputs = outputs if ufunc.nout > 1 else (outputs,)
    return [np.asarray(v) if np.iscomplexobj(v) else np.asarray(v, float) for v in outputs]


def moved(points: Points, position: int, by: Any) -> Points:
    return [x + by if i == position else x for i, x in enumerate(points)]


def finite(values: Points) -> Mask:
    return np.all([np.isfinite(v) for v in values], axis=0)


def differences(
    ufunc: np.ufunc, points: Points, pair: Pair, steps: tuple[Any, Any]
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Second difference quotients per quadrant and output, and what rounding makes of 0."""
    i, j = pair
    found = []
    here = evaluate(ufunc, points)
    for s in (steps[0], -steps[0]):
        one = evaluate(ufunc, moved(points, i, s))
        for t in (s,) if i == j else (steps[1], -steps[1]):
            other = one if i == j else evaluate(ufunc, moved(points, j, t))
            both = evaluate(ufunc, moved(moved(points, i, s), j, t))
            for values in zip(here, one, other, both, strict=True):
                with np.errstate(all="ignore"):
                    a, b, c, d = values
                    size = np.max(np.abs(values), axis=0)
                    noise = 8 * INEXACT.get(ufunc, ERROR) * (1 + size) / np.abs(s * t)
                    quotient = np.where(np.isinf(size), np.inf, (d - b - c + a) / (s * t))
                    found.append((quotient, noise))
    return found


def zero_second(
    ufunc: np.ufunc,
    points: Points,
    pair: Pair,
    *,
    ratio: float = 0.7,
) -> tuple[Mask, Mask]:
    """Where the second derivative is zero in every quadrant of the domain, and known.

    The differences of x**2.5 at 0 fall by 10 from one step to the next, those of
    x**1.3 log x by 2.
    """
    scale = 50.0 if ufunc in IN_DEGREES else 1.0
    wide, narrow = (differences(ufunc, points, pair, (scale * h,) * 2) for h in STEPS)
    zero, known = np.ones(len(points[0]), bool), np.zeros(len(points[0]), bool)
    for (a, _), (b, noise) in zip(wide, narrow, strict=True):
        with np.errstate(all="ignore"):
            defined = np.isfinite(a) & np.isfinite(b)
            zero &= ~defined | (np.abs(b) <= ratio * np.abs(a) + noise)
        known |= defined
    return zero, known & finite(evaluate(ufunc, points))


def is_flat(ufunc: np.ufunc, pair: Pair, points: Points) -> Mask:
    with quiet():
        mask = flat(ufunc, pair, points)
    return np.zeros(len(points[0]), bool) if mask is None else mask


def is_sharp(ufunc: np.ufunc, points: Points, inputs: Sequence[int] | None = None) -> Mask:
    mask = sharp(ufunc, points, inputs)
    return np.zeros(len(points[0]), bool) if mask is None else mask


def is_singular(ufunc: np.ufunc, points: Points) -> Mask:
    with quiet():
        mask = singular(ufunc, points)
    return np.zeros(len(points[0]), bool) if mask is None else np.asarray(mask)


def nowhere(*values: Any) -> Any:
    return np.zeros(len(values[0]), bool)


def everywhere(*values: Any) -> Any:
    return np.ones(len(values[0]), bool)


def among(*points: tuple[float, ...]) -> Predicate:
    def predicate(*values: Any) -> Any:
        here = np.stack(values)
        return np.any([np.all(here == np.array([p]).T, axis=0) for p in points], axis=0)

    return predicate


# --- soundness ---------------------------------------------------------------------


def at_infinity(line: Flat, values: Sequence[float]) -> Points:
    points = grid(line.ufunc, (*values, -np.inf, np.inf))
    return at(points, np.any([np.isinf(x) for x in points], axis=0))


def zero_in_the_limit(ufunc: np.ufunc, points: Points, pair: Pair) -> Mask:
    """Where the derivative falls to zero as the infinite inputs grow.

    Where the value grows with one of the two inputs (log), it must be zero all the way.
    """
    found = []
    for size in (10.0, 1000.0):
        near = [np.where(np.isinf(x), np.sign(x) * size, x).astype(x.dtype) for x in points]
        steps = [1e-2 * np.maximum(1.0, np.abs(near[i])) for i in pair]
        found.append(differences(ufunc, near, pair, (steps[0], steps[1])))
    infinite = np.any([np.isinf(v) for v in evaluate(ufunc, points)], axis=0)
    grows = infinite & np.any([np.isinf(points[i]) for i in pair], axis=0)
    zero = np.ones(len(points[0]), bool)
    for (a, _), (b, noise) in zip(*found, strict=True):
        undefined = np.isnan(a) | np.isnan(b)
        zero &= undefined | (np.abs(b) <= np.where(grows, 0.0, 0.05 * np.abs(a)) + noise)
    return zero


@every_line
def test_nothing_is_wrongly_flat(line: Flat) -> None:
    points = grid(line.ufunc, VALUES[line.ufunc.nin])
    jumps = JUMPS.get(line.ufunc, nowhere)
    for pair in line.predicates:
        some = at(points, is_flat(line.ufunc, pair, points))
        zero, known = zero_second(line.ufunc, some, pair)
        wrong = known & ~zero & ~jumps(*some)
        assert not wrong.any(), f"{pair} wrongly flat at {shown(some, wrong)}"


def complex_loop(ufunc: np.ufunc) -> str | None:
    return next((loop for loop in ufunc.types if "D" in loop.split("->")[0]), None)


@pytest.mark.parametrize(
    "line",
    [line for line in FLAT.values() if complex_loop(line.ufunc)],
    ids=lambda line: line.ufunc.__name__,
)
def test_nothing_is_wrongly_flat_off_the_real_axis(line: Flat) -> None:
    ufunc, loop = line.ufunc, complex_loop(line.ufunc)
    assert loop is not None
    # Not on the negative axis, where branches are cut.
    axes = {
        "D": np.array([0, 0.5, 1, 1j, -1j, 0.5j, 2j, 1 + 1j, -0.5 + 0.5j]),
        "d": np.array([-1.0, 0.0, 0.5, 1.0, 3.0]),
    }
    points = [x.ravel() for x in np.meshgrid(*(axes[c] for c in loop[: ufunc.nin]), indexing="ij")]
    for i, j in line.predicates:
        some = at(points, is_flat(ufunc, (i, j), points))
        for s in (1, 1j) if loop[i] == "D" else (1,):
            for t in (s,) if i == j else (1, 1j) if loop[j] == "D" else (1,):
                wide, narrow = (differences(ufunc, some, (i, j), (s * h, t * h)) for h in STEPS)
                for (a, _), (b, noise) in zip(wide, narrow, strict=True):
                    defined = np.isfinite(a) & np.isfinite(b)
                    wrong = defined & (np.abs(b) > 0.7 * np.abs(a) + noise)
                    assert not wrong.any(), f"{(i, j)} wrongly flat at {at(some, wrong)}"


@pytest.mark.parametrize(
    "line",
    # SciPy may loop for ever on infinities (hyp1f1), which the guard keeps from it.
    [line for line in FLAT.values() if line.guard is not Guard.FINITE],
    ids=lambda line: line.ufunc.__name__,
)
def test_nothing_is_wrongly_flat_beside_infinities(line: Flat) -> None:
    points = at_infinity(line, VALUES[line.ufunc.nin])
    jumps = JUMPS.get(line.ufunc, nowhere)
    for pair in line.predicates:
        some = at(points, is_flat(line.ufunc, pair, points))
        wrong = ~zero_in_the_limit(line.ufunc, some, pair) & ~jumps(*some)
        assert not wrong.any(), f"{pair} wrongly flat at {shown(some, wrong)}"


@every_line
def test_random_points_are_flat_exactly_where_the_derivative_is_zero(line: Flat) -> None:
    points = generic(line.ufunc, 40, seed=6)
    # Some derivatives are small by chance, and are not on the way to another point.
    whole = whole_inputs(line.ufunc)
    inner = [
        x if i in whole else (x + 0.37 * low + 0.63 * high) / 2
        for i, (x, (low, high)) in enumerate(
            zip(points, FIRST_ORDER[line.ufunc].domain, strict=True)
        )
    ]
    for pair in line.predicates:
        found = is_flat(line.ufunc, pair, points)
        zero, known = zero_second(line.ufunc, points, pair)
        wrong = found & known & ~zero
        assert not wrong.any(), f"{pair} wrongly flat at {shown(points, wrong)}"
        missing = known & zero & ~found & np.logical_and(*zero_second(line.ufunc, inner, pair))
        assert not missing.any(), f"{pair} not flat at {shown(points, missing)}"


@every_line
def test_every_predicate_holds_somewhere_and_not_everywhere(line: Flat) -> None:
    ufunc, values = line.ufunc, VALUES[line.ufunc.nin]
    if line.guard is not Guard.FINITE:
        values = (*values, -np.inf, np.inf)
    points = grid(ufunc, values)
    for pair in line.predicates:
        found = is_flat(ufunc, pair, points)
        assert not found.all()
        some = at(points, found)
        zero, known = zero_second(ufunc, some, pair)
        beside = np.any([np.isinf(x) for x in some], axis=0)
        assert ((zero & known) | beside).any(), f"{pair} is known to be flat nowhere"


@every_line
def test_predicates_are_of_curved_pairs(line: Flat) -> None:
    assert set(line.predicates) <= {*pairs_of(line.ufunc)}
    points = generic(line.ufunc, 40, seed=7)
    for pair in line.predicates:
        zero, known = zero_second(line.ufunc, points, pair)
        assert (known & ~zero).any()


# --- continuity ----------------------------------------------------------------------


def unsteady(ufunc: np.ufunc, pair: Pair, points: Points) -> Mask:
    """Where the second derivative does not tend to zero as all inputs approach the point."""
    real = [takes_reals(ufunc, i) and i not in whole_inputs(ufunc) for i in range(ufunc.nin)]
    worst, rounding = [], np.zeros(len(points[0]))
    for size in (1e-1, 1e-3):
        rng = np.random.default_rng(5)
        largest = np.zeros(len(points[0]))
        for _ in range(8):
            near = [
                x + size * rng.uniform(-1, 1, len(x)) if moves else x
                for x, moves in zip(points, real, strict=True)
            ]
            for found, noise in differences(ufunc, near, pair, (0.03 * size,) * 2):
                largest, rounding = np.fmax(largest, np.abs(found)), np.fmax(rounding, noise)
        worst.append(largest)
    return ~(worst[1] <= 0.6 * worst[0] + rounding)


@every_line
def test_what_is_flat_for_some_inputs_alone_is_sharp_for_all(line: Flat) -> None:
    """Or it falls so slowly that one cannot tell, like x**0.5 log(x)."""
    ufunc = line.ufunc
    points = grid(ufunc, VALUES[ufunc.nin])
    points = at(points, np.all([x == np.floor(x) for x in points], axis=0))
    rough = is_sharp(ufunc, points) | is_singular(ufunc, points)
    rough |= JUMPS.get(ufunc, nowhere)(*points)
    for pair in line.predicates:
        where = is_flat(ufunc, pair, points) & ~rough
        some = at(points, where)
        found = unsteady(ufunc, pair, some)
        assert not found.any(), f"{pair} at {shown(some, found)}"


# --- what is kept, and why ----------------------------------------------------------


SEARCHED = (
    "btdtria btdtrib bdtrik bdtrin chdtriv chndtridf chndtrinc chndtrix fdtridfd gdtria gdtrib "
    "nbdtrik nbdtrin ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtridf nctdtrinc nctdtrit "
    "pdtrik stdtridf"
).split()
SPHEROIDAL = (
    "pro_cv obl_cv pro_ang1 obl_ang1 pro_rad1 obl_rad1 pro_rad2 obl_rad2 pro_ang1_cv "
    "obl_ang1_cv pro_rad1_cv obl_rad1_cv pro_rad2_cv obl_rad2_cv"
).split()
MODIFIED_MATHIEU = "mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 mathieu_modsem2".split()

#: Simple points where a second derivative is zero, as far as one can see, and is kept.
KEPT: dict[np.ufunc, tuple[Predicate, str]] = {
    np.hypot: (lambda x, y: (x == 0) & (y == 0), "the first derivatives jump"),
    np.power: (lambda x, y: x == 1, "published local patterns have it"),
    np.float_power: (lambda x, y: x == 1, "published local patterns have it"),
    special.agm: (lambda x, y: (x == 0) & (y == 0), "agm(t, t) is t: they jump"),
    special.huber: (lambda d, r: (d == 0) & (r == 0), "zero for delta 0 alone"),
    special.pseudo_huber: (lambda d, r: (d == 0) & (r == 0), "zero for delta 0 alone"),
    special.poch: (lambda z, m: z <= 0, "among the poles of the gamma function"),
    special.binom: (lambda n, k: k < 0, "zeros that end at poles of the gamma function"),
    special.gammaincinv: (lambda a, p: a == 0, "no distribution"),
    special.gammainccinv: (lambda a, p: a == 0, "no distribution"),
    special.chdtri: (lambda v, p: v == 0, "no distribution"),
    special.betainc: (lambda a, b, x: (a == 0) | (b == 0), "no distribution"),
    special.betaincc: (lambda a, b, x: (a == 0) | (b == 0), "no distribution"),
    special.voigt_profile: (
        lambda x, sigma, gamma: (sigma <= 0) | (gamma < 0),
        "widths are positive",
    ),
    special.jv: (lambda v, z: v < 0, "negative orders are finite if whole, among infinities"),
    special.jve: (lambda v, z: v < 0, "negative orders are finite if whole, among infinities"),
    special.iv: (lambda v, z: v < 0, "negative orders are finite if whole, among infinities"),
    special.besselpoly: (lambda a, lam, nu: nu < 0, "infinite, unless whole"),
    special.wright_bessel: (
        lambda a, b, x: ((a == 0) & (b == 0)) | among((2, 0, 1))(a, b, x),
        "zero for these two parameters alone; and a derivative that is small by chance",
    ),
    special.elliprc: (among((0, -1)), "a principal value"),
    special.eval_jacobi: (lambda n, *rest: n == 2, "roots of a polynomial in the parameters"),
    special.eval_sh_jacobi: (lambda n, *rest: n > 0, "roots of a polynomial in the parameters"),
    special.hyp1f1: (lambda a, b, x: b <= 0, "among the poles in b"),
    special.hyp2f1: (
        lambda *values: (
            (values[2] <= 0)
            | (np.abs(values[3]) >= 1)
            | among((-1, 1, 0.5, 0.5), (1, -1, 0.5, 0.5))(*values)
        ),
        "outside of the series; and a derivative that is small by chance",
    ),
    special.hyperu: (everywhere, "SciPy's own derivatives contradict polynomials of degree 0"),
    special.mathieu_cem: (lambda m, q, x: (m == 0) & (q == 0), "constant for q == 0 alone"),
    special.mathieu_sem: (lambda m, q, x: m == 0, "no such function"),
    special.chndtr: (
        lambda x, df, nc: (df == 0) | among((0, 2, 2))(x, df, nc),
        "no distribution; and a root of a polynomial in the parameters",
    ),
    special.fdtri: (lambda m, n, p: p == 0, "NaN in SciPy 1.14"),
    **(
        {}
        if SINCE_SCIPY_1_18
        else {special.nrdtrisd: (lambda mn, p, x: p == 0.5, "no distribution")}
    ),
    special.gdtr: (
        lambda a, b, x: (a < 0) | (a * x == 0) | (a * x == b) | (a * x == b - 1),
        "no distribution; roots where a rounded product would have to be compared",
    ),
    special.gdtrc: (
        lambda a, b, x: (a < 0) | (a * x == 0) | (a * x == b) | (a * x == b - 1),
        "no distribution; roots where a rounded product would have to be compared",
    ),
    special.gdtrix: (lambda a, b, p: (a < 0) | (b == 0), "no distribution"),
    special.ncfdtr: (lambda m, n, nc, x: nc == 2, "roots of a polynomial in the parameters"),
    special.nctdtr: (
        lambda df, nc, t: (t == 0) | among((0.5, 0.5, 1))(df, nc, t),
        "SciPy 1.14 is coarse there; and a derivative that is small by chance",
    ),
    special.tklmbda: (lambda x, lam: np.abs(x) * lam >= 1, "from the ends of the support"),
    **{
        getattr(special, name): (everywhere, "found by a search between bounds")
        for name in SEARCHED
    },
    **{
        getattr(special, name): (everywhere, "whole parities at parameter 0") for name in SPHEROIDAL
    },
    **{
        getattr(special, name): (lambda m, q, x: q == 0, "no such function")
        for name in MODIFIED_MATHIEU
    },
}


@cache
def simple_scan(ufunc: np.ufunc) -> tuple[Points, dict[Pair, tuple[Mask, Mask, Mask]]]:
    """Per pair whose derivative is not zero everywhere: found flat, zero, and known."""
    points, anywhere = grid(ufunc, SIMPLE), generic(ufunc, 8, seed=3)
    ordinary = ~is_singular(ufunc, points)
    found = {}
    for pair in pairs_of(ufunc):
        zero, known = zero_second(ufunc, anywhere, pair)
        if (known & ~zero).any():
            zero, known = zero_second(ufunc, points, pair)
            found[pair] = (is_flat(ufunc, pair, points), zero, known & ordinary)
    return points, found


def missed(ufunc: np.ufunc) -> tuple[Points, dict[Pair, Mask]]:
    points, found = simple_scan(ufunc)
    return points, {pair: zero & known & ~cut for pair, (cut, zero, known) in found.items()}


CURVED = [u for u in FIRST_ORDER if u is not np.isnat and pairs_of(u)]
every_ufunc = pytest.mark.parametrize("ufunc", CURVED, ids=lambda u: u.__name__)


@recent
@every_ufunc
def test_no_simple_flat_point_is_missed(ufunc: np.ufunc) -> None:
    points, missing = missed(ufunc)
    kept, _ = KEPT.get(ufunc, (nowhere, ""))
    for pair, mask in missing.items():
        extra = mask & ~kept(*points)
        assert not extra.any(), f"{pair} is zero at {shown(points, extra)}"


@recent
@pytest.mark.parametrize("ufunc", KEPT, ids=lambda u: u.__name__)
def test_what_is_kept_has_a_reason(ufunc: np.ufunc) -> None:
    points, missing = missed(ufunc)
    kept, reason = KEPT[ufunc]
    assert reason
    assert any((mask & kept(*points)).any() for mask in missing.values())


# --- infinite second derivatives ------------------------------------------------------

ELSEWHERE = (
    {special.nrdtrisd} if SINCE_SCIPY_1_18 else set() if SCIPY_IS_RECENT else {special.fdtri}
)
#: Infinite or NaN itself in this SciPy where it is sharp in others.
SHARP_HERE = {u: pairs for u, pairs in SHARP.items() if u not in ELSEWHERE}
every_sharp_pair = pytest.mark.parametrize(
    ("ufunc", "pair"),
    [(ufunc, pair) for ufunc, line in SHARP_HERE.items() for pair in line],
    ids=lambda item: item.__name__ if isinstance(item, np.ufunc) else "".join(map(str, item)),
)

SHARP_VALUES = {
    1: (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0),
    2: (-2.0, -1.0, -0.5, 0.0, 0.5, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0),
    3: (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0),
    4: (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0),
}
SHRINKING = (1e-2, 1e-3, 1e-4, 1e-5)

#: Whose first derivative is infinite at every such point: `singular` does not know of it.
STEEP = tuple(
    getattr(special, name)
    for name in (
        "bdtri cbrt ellipe ellipeinc elliprc elliprd elliprf elliprj it2i0k0 it2j0y0 iti0k0 "
        "itj0y0 keip kolmogi mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 mathieu_modsem2 "
        "nbdtri smirnovi spence xlog1py"
    ).split()
)
#: Where SciPy's values are too coarse.
COARSE: dict[np.ufunc, Predicate] = {
    special.hyperu: among((1.5, 0, 0)),
    special.ive: lambda v, z: v < 0,
    special.jve: lambda v, z: v < 0,
    special.mathieu_modcem2: among((0, 0, 3)),
}


def grows(quotients: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> Mask:
    """Whether difference quotients grow from step to step, or are infinite themselves."""
    with np.errstate(all="ignore"):
        growing = np.all(
            [np.abs(b) > 1.05 * np.abs(a) for (a, _), (b, _) in pairwise(quotients)], axis=0
        )
        last, noise = quotients[-1]
        return np.isinf(last) | (growing & (np.abs(last) > 4 * noise))


def second_grows(ufunc: np.ufunc, points: Points, pair: Pair) -> Mask:
    """In some quadrant, for some output that is finite at the point."""
    steps = [differences(ufunc, points, pair, (h, h)) for h in SHRINKING]
    per_quadrant = [grows(quotients) for quotients in zip(*steps, strict=True)]
    return np.any(per_quadrant, axis=0) & finite(evaluate(ufunc, points))


def first_grows(ufunc: np.ufunc, points: Points, position: int) -> Mask:
    here = evaluate(ufunc, points)
    found = np.zeros(len(points[0]), bool)
    for sign in (1, -1):
        there = [evaluate(ufunc, moved(points, position, sign * h)) for h in SHRINKING]
        for output in range(ufunc.nout):
            a = here[output]
            found |= grows(
                [
                    ((b[output] - a) / h, ERROR * (1 + np.abs(a) + np.abs(b[output])) / h)
                    for b, h in zip(there, SHRINKING, strict=True)
                ]
            )
    return found


@cache
def places(ufunc: np.ufunc) -> Points:
    """Where to look for infinite second derivatives: finite, and not singular."""
    points = grid(ufunc, SHARP_VALUES[ufunc.nin])
    ordinary = finite(evaluate(ufunc, points)) & ~is_singular(ufunc, points)
    return at(points, ordinary & ~COARSE.get(ufunc, nowhere)(*points))


def sharp_points(ufunc: np.ufunc, pair: Pair) -> Points:
    points = places(ufunc)
    with quiet():
        mask = SHARP[ufunc][pair](*points)
    return at(points, np.broadcast_to(mask, points[0].shape))


@every_sharp_pair
def test_second_differences_grow_where_it_is_sharp(ufunc: np.ufunc, pair: Pair) -> None:
    points = sharp_points(ufunc, pair)
    assert len(points[0]), "sharp nowhere"
    tame = ~second_grows(ufunc, points, pair)
    assert not tame.any(), f"tame at {shown(points, tame)}"


@pytest.mark.parametrize("ufunc", SHARP_HERE, ids=lambda u: u.__name__)
def test_first_differences_stay_where_it_is_sharp(ufunc: np.ufunc) -> None:
    tame = False
    for pair in SHARP[ufunc]:
        points = sharp_points(ufunc, pair)
        steep = first_grows(ufunc, points, pair[0]) | first_grows(ufunc, points, pair[1])
        tame |= bool((~steep).any())
    assert tame == (ufunc not in STEEP)


@cache
def grown(ufunc: np.ufunc) -> tuple[Points, Mask]:
    """Points where something grows although neither `singular` nor `sharp` says so."""
    points = grid(ufunc, (*SIMPLE, 1.5))
    found = np.zeros(len(points[0]), bool)
    for pair in pairs_of(ufunc):
        found |= second_grows(ufunc, points, pair) & ~is_sharp(ufunc, points, pair)
    return points, found & ~is_singular(ufunc, points)


KINKS = "maximum minimum fmax fmin remainder fmod divmod modf frexp arctan2".split()
#: Points where second differences grow although nobody says so.
UNSAID: dict[np.ufunc, tuple[Predicate, str]] = {
    **{getattr(np, name): (everywhere, "kinks and jumps") for name in KINKS},
    special.poch: (lambda z, m: (z <= 0) & (z + m <= 0), "among the poles of the gamma function"),
    special.beta: (lambda a, b: a + b == 0, "among the poles of the gamma function"),
    special.betaln: (lambda a, b: a + b == 0, "among the poles of the gamma function"),
    special.hyp1f1: (lambda a, b, x: b <= 0, "among the poles in b"),
    special.hyp2f1: (lambda a, b, c, x: (c <= 0) | (x >= 1), "outside of the series"),
    special.betainc: (lambda a, b, x: (a == 0) | (b == 0), "no distribution"),
    special.betaincc: (lambda a, b, x: (a == 0) | (b == 0), "no distribution"),
    special.chndtr: (lambda x, df, nc: df == 0, "no distribution"),
    special.huber: (lambda delta, r: delta == 0, "infinite for negative deltas alone"),
    special.pseudo_huber: (lambda delta, r: delta == 0, "infinite for negative deltas alone"),
    special.voigt_profile: (lambda x, sigma, gamma: sigma == 0, "SciPy is coarse for small sigma"),
    **(
        {
            special.eval_gegenbauer: (lambda n, alpha, x: (n == 0) & (alpha == 0), "a value alone"),
            special.eval_jacobi: (lambda n, alpha, beta, x: alpha == -1, "coarse beside -1"),
        }
        if SINCE_SCIPY_1_18
        else {}
    ),
    special.modfresnelm: (lambda x: x == 0, "SciPy jumps where the function does not"),
    special.pbvv: (everywhere, "SciPy is coarse"),
    special.besselpoly: (lambda a, lam, nu: nu < 0, "infinite, unless whole"),
    special.tklmbda: (among((0.5, 2)), "a kink"),
}


@recent
@pytest.mark.parametrize(
    "ufunc",
    [u for u in CURVED if u.__name__ not in (*SEARCHED, *SPHEROIDAL, "hyperu")],
    ids=lambda u: u.__name__,
)
def test_nothing_sharp_is_missed(ufunc: np.ufunc) -> None:
    points, found = grown(ufunc)
    excepted, reason = UNSAID.get(ufunc, (nowhere, ""))
    extra = found & ~excepted(*points)
    assert not extra.any(), f"sharp at {shown(points, extra)}"
    assert found.any() == bool(reason), "the exception is not needed"


# --- named points, NaN, types and shapes -----------------------------------------------


@pytest.mark.parametrize(
    ("ufunc", "point", "expected"),
    [
        (np.divide, (0.0, 2.0), {(1, 1)}),
        (np.divide, (0.0, 0.0), set()),
        (np.divide, (1.0, np.inf), {(0, 1), (1, 1)}),
        (np.reciprocal, (-np.inf,), {(0, 0)}),
        (np.square, (0.0,), set()),
        (np.absolute, (0.0,), set()),
        (np.multiply, (0.0, 0.0), set()),
        (np.maximum, (1.0, 2.0), set()),
        (np.power, (2.0, 0.0), {(0, 0)}),
        (np.power, (2.0, 1.0), {(0, 0)}),
        (np.power, (2.0, 2.0), set()),
        (np.power, (1.0, 2.0), set()),
        (np.power, (0.0, 0.0), {(0, 0)}),
        (np.power, (0.0, 1.0), {(0, 0), (1, 1)}),
        (np.power, (0.0, 1.5), {(0, 1), (1, 1)}),
        (np.power, (0.0, 2.0), {(0, 1), (1, 1)}),
        (np.power, (0.0, 2.5), {(0, 0), (0, 1), (1, 1)}),
        (np.power, (0.0, -1.0), set()),
        (np.power, (np.nan, 1.0), set()),
        (np.power, (1.0, np.nan), set()),
        (np.hypot, (0.0, 0.0), set()),
        (np.hypot, (3.0, 0.0), {(0, 0), (0, 1)}),
        (np.hypot, (0.0, -3.0), {(0, 1), (1, 1)}),
        (np.hypot, (3.0, 4.0), set()),
        (np.hypot, (3.0, np.inf), {(0, 0)}),
        (np.hypot, (np.inf, np.inf), set()),
        (np.arctan2, (0.0, 0.0), set()),
        (np.arctan2, (0.0, 2.0), {(0, 0), (1, 1)}),
        (np.arctan2, (2.0, 0.0), {(0, 0), (1, 1)}),
        (np.arctan2, (2.0, -2.0), {(0, 1)}),
        (np.arctan2, (2.0, 3.0), set()),
        (np.arctan2, (2.0, np.inf), {(0, 0), (0, 1), (1, 1)}),
        (np.arctan2, (np.inf, np.inf), set()),
        (np.sin, (0.0,), {(0, 0)}),
        (np.sin, (np.pi,), set()),
        (np.cos, (np.pi / 2,), set()),
        (np.cosh, (0.0,), set()),
        (np.tanh, (0.0,), {(0, 0)}),
        (np.tanh, (np.inf,), {(0, 0)}),
        (np.tanh, (20.0,), set()),
        (np.sinh, (np.inf,), set()),
        (np.exp, (-np.inf,), {(0, 0)}),
        (np.exp, (-800.0,), set()),
        (np.log, (np.inf,), set()),
        (np.logaddexp, (-np.inf, 1.0), {(0, 0), (0, 1), (1, 1)}),
        (np.logaddexp, (np.inf, 1.0), {(1, 1)}),
        (np.logaddexp, (-np.inf, -np.inf), set()),
        (special.expi, (1.0,), {(0, 0)}),
        (special.gammainc, (3.0, 2.0), {(1, 1)}),
        (special.gammainc, (1.0, 1e-20), set()),
        (special.gammainc, (2.0**54, 2.0**54), set()),
        (special.chdtr, (5.0, 3.0), {(1, 1)}),
        (special.huber, (2.0, 1.0), {(0, 0), (0, 1)}),
        (special.huber, (2.0, 2.0), set()),
        (special.huber, (2.0, 3.0), {(1, 1)}),
        (special.jv, (1.0, 0.0), {(0, 0), (1, 1)}),
        (special.jv, (2.0, 0.0), {(0, 0), (0, 1)}),
        (special.jve, (1.0, 0j), {(0, 0)}),
        (special.betainc, (2.0, 2.0, 0.5), {(0, 1), (2, 2)}),
        (special.eval_legendre, (3.0, 0.0), {(1, 1)}),
        (special.eval_legendre, (4.0, 0.0), set()),
        (special.ellipj, (0.0, 0.5), {(0, 1), (1, 1)}),
        (special.pbdv, (-0.5, 0.0), {(1, 1)}),
        (special.sindg, (-540.0,), {(0, 0)}),
    ],
)
def test_named_points(ufunc: np.ufunc, point: tuple[Any, ...], expected: set[Pair]) -> None:
    values = [np.array(value) for value in point]
    found = set()
    for pair in combinations_with_replacement(range(ufunc.nin), 2):
        mask = flat(ufunc, pair, values)
        if mask is not None:
            assert mask.shape == ()
            assert mask
            found.add(pair)
    assert found == expected


@pytest.mark.parametrize(
    ("ufunc", "point", "inputs", "expected"),
    [
        (np.power, (0.0, 1.5), None, True),
        (np.power, (0.0, 2.0), None, False),
        (np.power, (0.0, 1.0), None, True),
        (np.power, (0.0, 1.0), (0,), False),
        (np.power, (0.0, 1.0), (1,), False),
        (np.power, (0j, 1.5), (0,), True),
        (np.power, (1.0, 1.5), None, False),
        (np.power, (np.nan, 1.5), None, False),
        (np.hypot, (0.0, 0.0), None, True),
        (np.hypot, (0.0, 0.0), (0,), False),
        (np.hypot, (0.0, 1.0), None, False),
        (special.jv, (1.0, 0.0), (1,), False),
        (special.jv, (1.5, 0.0), (1,), True),
        (special.gammainc, (1.5, 0.0), (1,), True),
        (special.gammainc, (1.0, 0.0), (1,), False),
        (special.gammainc, (1.0, 0.0), (0, 1), True),
        (special.elliprg, (0.0, 1.0, 2.0), (1, 2), False),
        (special.elliprg, (0.0, 1.0, 2.0), (0, 1), True),
        (np.sin, (0.0,), None, False),
    ],
)
def test_named_sharp_points(
    ufunc: np.ufunc, point: tuple[Any, ...], inputs: tuple[int, ...] | None, expected: bool
) -> None:
    mask = sharp(ufunc, [np.array(value) for value in point], inputs)
    assert (mask is not None) == expected
    assert mask is None or (mask.shape == () and bool(mask))


def replaced(ufunc: np.ufunc, *special_values: float) -> Points:
    """A grid, and its copies with one input replaced by one of these values."""
    points = grid(ufunc, (-1.0, -0.5, 0.0, 0.5, 1.0, 3.0))
    copies = [points]
    for i in curved_inputs(ufunc):
        for value in special_values:
            copies.append([np.full_like(x, value) if i == j else x for j, x in enumerate(points)])
    return [np.concatenate(columns) for columns in zip(*copies, strict=True)]


@every_line
def test_nan_is_never_flat_and_nothing_is_said(line: Flat) -> None:
    infinities = () if line.guard is Guard.FINITE else (-np.inf, np.inf)
    points = replaced(line.ufunc, np.nan, *infinities)
    nan = np.any([np.isnan(x) for x in points], axis=0)
    undefined = np.any([np.isnan(v) for v in evaluate(line.ufunc, points)], axis=0)
    others = replaced(line.ufunc, np.nan, -np.inf, np.inf)
    for pair, predicate in line.predicates.items():
        # pytest turns every warning into an error.
        with np.errstate(all="raise"):
            mask = flat(line.ufunc, pair, points)
            predicate(*others)
        assert mask is None or not (mask & (nan | undefined)).any()


@pytest.mark.parametrize("ufunc", SHARP, ids=lambda u: u.__name__)
def test_nan_is_never_sharp_and_nothing_is_said(ufunc: np.ufunc) -> None:
    points = replaced(ufunc, np.nan, -np.inf, np.inf)
    for i, j in SHARP[ufunc]:
        with np.errstate(all="raise"):
            mask = is_sharp(ufunc, points, (i, j))
        assert not (mask & np.isnan(points[i]) & np.isnan(points[j])).any()


@every_line
def test_scalars_and_types_agree_with_arrays(line: Flat) -> None:
    ufunc = line.ufunc
    points = grid(ufunc, VALUES[ufunc.nin])
    for pair in line.predicates:
        found = is_flat(ufunc, pair, points)
        for index in {int(np.argmax(found)), int(np.argmin(found))}:
            for dtype in (np.float32, np.float64):
                values = [
                    np.asarray(x[index], dtype if takes_reals(ufunc, i) else int)
                    for i, x in enumerate(points)
                ]
                mask = flat(ufunc, pair, values)
                assert (mask is not None) == found[index]
                if mask is not None:
                    assert isinstance(mask, np.ndarray)
                    assert (mask.dtype, mask.shape) == (bool, ())


def test_shapes_are_those_of_the_broadcast_inputs() -> None:
    column, row = np.array([[0.0], [1.0]]), np.array([1.0, 1.5, 3.0])
    for mask, expected in [
        (flat(np.power, (0, 0), [column, row]), [[True, False, True], [True, False, False]]),
        (flat(np.divide, (1, 1), [column, row]), [[True] * 3, [False] * 3]),
        (sharp(np.power, [column, row]), [[True, True, False], [False] * 3]),
        (sharp(special.agm, [column, row]), [[True] * 3, [False] * 3]),
    ]:
        assert mask is not None
        assert mask.tolist() == expected
    assert flat(np.divide, (1, 1), [np.zeros((0, 3)), row]) is None
    assert sharp(np.power, [np.zeros((0, 3)), row]) is None


def test_constants_may_be_whole_numbers_or_booleans() -> None:
    x = np.array([0.0, 1.0, 2.0])
    for ufunc, pair, other, expected in [
        (np.power, (0, 0), np.array(1), [True, True, True]),
        (np.power, (0, 0), np.array(True), [True, True, True]),
        (np.power, (0, 0), np.array(2), None),
        (np.power, (0, 0), np.array([3, 2, 0]), [True, False, True]),
        (np.hypot, (0, 0), np.array(0), [False, True, True]),
    ]:
        mask = flat(ufunc, pair, [x, other])
        assert (None if mask is None else mask.tolist()) == expected
    assert sharp(np.power, [x, np.array(2)]) is None


def test_complex_numbers() -> None:
    zeros, powers = np.zeros(4, complex), np.array([1.5 + 1j, 2 + 1j, 3 + 1j, 1.0])
    assert is_flat(np.power, (0, 0), [zeros, powers]).tolist() == [False, False, True, True]
    assert is_sharp(np.power, [zeros, powers], (0,)).tolist() == [True, False, False, False]
    z = np.array([0j, 1j, complex(0, np.nan)])
    assert is_flat(np.sin, (0, 0), [z]).tolist() == [True, False, False]
    infinities = np.array([complex(np.inf, 0), complex(0, np.inf)])
    assert is_flat(special.erf, (0, 0), [infinities]).tolist() == [True, False]
    unit = [np.array(2), np.array(1.5), np.array(0.5), np.array([1, 1j])]
    assert is_flat(special.eval_jacobi, (2, 2), unit).tolist() == [True, False]
    assert is_flat(special.eval_jacobi, (1, 2), unit).tolist() == [True, False]


# --- the form of a line, and what the tests find -----------------------------------------


def test_unknown_ufuncs_keep_everything() -> None:
    foreign = np.frompyfunc(lambda a: a, 1, 1)
    assert flat(foreign, (0, 0), [np.zeros(2)]) is None
    assert sharp(foreign, [np.zeros(2)]) is None
    assert flat(np.add, (0, 1), [np.zeros(2), np.zeros(2)]) is None


@pytest.mark.parametrize("pair", [(1, 0), (0, 2), (-1, 0)])
def test_what_is_no_pair_is_refused(pair: Pair) -> None:
    with pytest.raises(IndexError, match="divide has no pair of inputs"):
        flat(np.divide, pair, [np.zeros(2), np.zeros(2)])
    with pytest.raises(ValueError, match="is no pair of inputs"):
        Flat(np.divide, {pair: lambda x, y: x == 0}, Guard.NAN)


def test_malformed_lines_are_refused() -> None:
    with pytest.raises(ValueError, match="says nothing"):
        _line(np.add, {})
    with pytest.raises(ValueError, match="divide has a line already"):
        _line(np.divide, {(1, 1): lambda x, y: x == 0})
    assert np.add not in FLAT
    assert all(line.ufunc is ufunc for ufunc, line in FLAT.items())


def test_every_curved_numpy_ufunc_is_looked_at() -> None:
    """Those without a line have second derivatives that are zero nowhere, or everywhere."""
    without = {ufunc for ufunc in NUMPY_RULES if ufunc in CURVED} - set(FLAT)
    nowhere_flat = "cbrt sqrt square log log2 log10 log1p cos cosh arccosh".split()
    curved = {ufunc for ufunc in without if simple_scan(ufunc)[1]}
    piecewise_linear = {getattr(np, name) for name in ("multiply",)}
    assert curved - piecewise_linear == {getattr(np, name) for name in nowhere_flat}


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """For changes of the tables, of which no cache may know before or afterwards."""
    for scan in (simple_scan, grown):
        scan.cache_clear()
    yield monkeypatch
    for scan in (simple_scan, grown):
        scan.cache_clear()


def planted(tables: pytest.MonkeyPatch, ufunc: np.ufunc, pair: Pair, predicate: Any) -> Flat:
    line = Flat(ufunc, {pair: predicate}, Guard.NAN)
    tables.setitem(FLAT, ufunc, line)
    return line


def test_a_wrong_predicate_is_found(tables: pytest.MonkeyPatch) -> None:
    for ufunc, pair, predicate, point in [
        (np.cosh, (0, 0), lambda x: x == 0, r"\(0\.0,\)"),
        (np.power, (0, 0), lambda x, y: (x == 0) & (y >= 2), r"\(0\.0, 2\.0\)"),
        (special.huber, (0, 1), lambda d, r: np.abs(r) <= d, r"\(0\.5, -0\.5\)"),
        (special.jv, (1, 1), lambda v, z: (z == 0) & (v >= 2), r"\(2\.0, 0\.0\)"),
    ]:
        line = planted(tables, ufunc, pair, predicate)
        with pytest.raises(AssertionError, match=f"wrongly flat at .*{point}"):
            test_nothing_is_wrongly_flat(line)
    line = planted(tables, special.eval_jacobi, (1, 2), lambda n, a, b, x: np.abs(x) == 1)
    with pytest.raises(AssertionError, match="wrongly flat at"):
        test_nothing_is_wrongly_flat_off_the_real_axis(line)
    line = planted(tables, np.log, (0, 0), np.isinf)
    with pytest.raises(AssertionError, match="wrongly flat at"):
        test_nothing_is_wrongly_flat_beside_infinities(line)


def test_a_missing_predicate_is_found(tables: pytest.MonkeyPatch) -> None:
    tables.delitem(FLAT, np.tanh)
    with pytest.raises(AssertionError, match=r"\(0, 0\) is zero at \[\(0\.0,\)\]"):
        test_no_simple_flat_point_is_missed(np.tanh)
    line = planted(tables, special.huber, (0, 0), lambda d, r: (r > 0) & (r < d))
    with pytest.raises(AssertionError, match="not flat at"):
        test_random_points_are_flat_exactly_where_the_derivative_is_zero(line)


def test_a_missing_sharp_point_is_found(tables: pytest.MonkeyPatch) -> None:
    line = FLAT[special.jv]
    tables.delitem(SHARP, special.jv)
    with pytest.raises(AssertionError, match=r"sharp at .*\(1\.5, 0\.0\)"):
        test_nothing_sharp_is_missed(special.jv)
    with pytest.raises(AssertionError, match=r"\(1, 1\) at \[\(1\.0, 0\.0\)\]"):
        test_what_is_flat_for_some_inputs_alone_is_sharp_for_all(line)


def test_a_wrong_sharp_point_is_found(tables: pytest.MonkeyPatch) -> None:
    tables.setitem(SHARP, np.power, {(0, 0): lambda x, y: (x == 0) & (y == 2)})
    with pytest.raises(AssertionError, match=r"tame at \[\(0\.0, 2\.0\)\]"):
        test_second_differences_grow_where_it_is_sharp(np.power, (0, 0))
