"""Numerical derivatives of ufuncs, at points drawn from the domains of their records."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import scipy
from numpy.lib import NumpyVersion
from numpy.typing import NDArray
from scipy import special

from oracles import AGREEMENT, ATOL, nonzero_derivative
from sparsetrace.rules import RECORDS, Record, pairs
from sparsetrace.rules.record import Pair

POINTS = 80
#: Inverses found by iteration are good to about ten digits.
RTOL = 1e-8
#: A second difference adds up to four values; here all functions are good to more.
SECOND_RTOL = 1e-9
#: The steps of second differences are these parts of the interval's width.
STEPS = tuple(0.02 / part for part in (1, 2, 4, 8))
#: How many points have to give a number, to say that a derivative is zero at all of them.
ENOUGH = 0.5

OLD_SCIPY = NumpyVersion(scipy.__version__) < "1.17.0"
SINCE_SCIPY_1_18 = NumpyVersion(scipy.__version__) >= "1.18.0"

#: Inputs that no loop takes as real numbers, hence with no derivative to measure.
#: (np.isnat takes dates alone, which differentiate as little.)
NO_REAL_LOOP = {
    np.isnat: {0},
    np.bitwise_and: {0, 1},
    np.bitwise_or: {0, 1},
    np.bitwise_xor: {0, 1},
    np.bitwise_count: {0},
    np.invert: {0},
    np.left_shift: {0, 1},
    np.right_shift: {0, 1},
    np.gcd: {0, 1},
    np.lcm: {0, 1},
    np.ldexp: {1},
    special.eval_hermite: {0},
    special.eval_hermitenorm: {0},
}

#: Inputs between whole numbers at which the function is NaN, so that it has no
#: derivative either; `test_nan_between_whole_numbers` shows it.
NAN_BETWEEN_WHOLE_NUMBERS = {
    special.lpmv: {0},
    special.mathieu_a: {0},
    special.mathieu_b: {0},
    special.mathieu_cem: {0},
    special.mathieu_sem: {0},
    special.mathieu_modcem1: {0},
    special.mathieu_modcem2: {0},
    special.mathieu_modsem1: {0},
    special.mathieu_modsem2: {0},
    special.pro_cv: {0, 1},
    special.obl_cv: {0, 1},
    special.pro_ang1: {0, 1},
    special.obl_ang1: {0, 1},
    special.pro_rad1: {0, 1},
    special.obl_rad1: {0, 1},
    special.pro_rad2: {0, 1},
    special.obl_rad2: {0, 1},
    special.pro_ang1_cv: {0, 1},
    special.obl_ang1_cv: {0, 1},
    special.pro_rad1_cv: {0, 1},
    special.obl_rad1_cv: {0, 1},
    special.pro_rad2_cv: {0, 1},
    special.obl_rad2_cv: {0, 1},
}

#: Per output, at which points a derivative is non-zero, and known.
Derivative = list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]


def public_ufuncs(module: ModuleType) -> set[np.ufunc]:
    found = (getattr(module, name) for name in dir(module) if not name.startswith("_"))
    return {item for item in found if isinstance(item, np.ufunc)}


def name_of(item: Any) -> str | None:
    """The name of a record's ufunc, as the id of a test."""
    return item.ufunc.__name__ if isinstance(item, Record) else None


def takes_reals(ufunc: np.ufunc, position: int) -> bool:
    return any(loop.split("->")[0][position] in "efdgFDG" for loop in ufunc.types)


def real_inputs(ufunc: np.ufunc) -> list[int]:
    return [i for i in range(ufunc.nin) if takes_reals(ufunc, i)]


def draw(record: Record, rng: np.random.Generator) -> list[NDArray[Any]]:
    inputs = [rng.uniform(low, high, POINTS) for low, high in record.domain]
    for i in range(record.ufunc.nin):
        if i in record.integers:
            inputs[i] = np.floor(inputs[i])
        if not takes_reals(record.ufunc, i):
            inputs[i] = inputs[i].astype(int)
    return inputs


def evaluate(ufunc: np.ufunc, inputs: Iterable[Any]) -> tuple[NDArray[Any], ...]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # SciPy says so when it truncates an order to a whole number.
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        outputs = ufunc(*inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return tuple(np.asarray(v) if np.iscomplexobj(v) else np.asarray(v, float) for v in outputs)


# --- first derivatives --------------------------------------------------------------


def derivative(record: Record, inputs: list[NDArray[Any]], position: int) -> Derivative:
    """Per output, at which points the partial derivative is non-zero, and known."""
    low, high = record.domain[position]
    step = 1e-3 * (high - low)

    def moved(by: float) -> tuple[NDArray[Any], ...]:
        return evaluate(
            record.ufunc, [x + by if i == position else x for i, x in enumerate(inputs)]
        )

    steps = [(moved(step / part), moved(-step / part)) for part in (1, 2, 4)]
    return [
        nonzero_derivative(*((above[j], below[j]) for above, below in steps), rtol=RTOL)
        for j in range(record.ufunc.nout)
    ]


@cache
def first_evidence(
    ufunc: np.ufunc, domain: tuple[tuple[float, float], ...]
) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """What numerical derivatives say of one ufunc: (output, input) non-zero, and known."""
    record = replace(RECORDS[ufunc], domain=domain)
    rng = np.random.default_rng(0)
    nonzero, known = set(), set()
    for i in real_inputs(ufunc):
        inputs = draw(record, rng)
        if i in record.integers:
            inputs[i] = inputs[i] + rng.uniform(0.1, 0.9, POINTS)
        for j, (found, defined) in enumerate(derivative(record, inputs, i)):
            if found.any():
                nonzero.add((j, i))
            if np.count_nonzero(defined) >= POINTS // 2:
                known.add((j, i))
    return nonzero, known


def claimed(record: Record) -> set[tuple[int, int]]:
    return {
        (j, i)
        for j, letters in enumerate(record.first)
        for i, letter in enumerate(letters)
        if letter == "1"
    }


# --- second derivatives -------------------------------------------------------------


def stencil(pair: Pair) -> list[tuple[int, int, int]]:
    """Weights, and how many steps they stand away in either input of the pair."""
    if pair[0] == pair[1]:
        return [(1, 1, 0), (-2, 0, 0), (1, -1, 0)]
    return [(1, 1, 1), (-1, 1, -1), (-1, -1, 1), (1, -1, -1)]


def second_derivative(record: Record, inputs: list[NDArray[Any]], pair: Pair) -> Derivative:
    """Per output, at which points the second partial derivative is non-zero, and known.

    It is non-zero where second differences with the steps h, h/2, h/4 and h/8 all exceed
    what rounding makes of the values, and the quotients agree.  With a kink at a distance d
    the quotient is like (h - d) / h**2, and no d makes these agree at three steps; with a
    jump the difference is a constant, and the quotients quadruple.  Four steps take some 64
    jumps for a curve.
    """
    width, other_width = (record.domain[k][1] - record.domain[k][0] for k in pair)

    def moved(by: float, other_by: float) -> tuple[NDArray[Any], ...]:
        at = list(inputs)
        at[pair[0]] = at[pair[0]] + by * width
        at[pair[1]] = at[pair[1]] + other_by * other_width
        return evaluate(record.ufunc, at)

    samples = [
        [(weight, moved(i * step, j * step)) for weight, i, j in stencil(pair)] for step in STEPS
    ]
    return [_judged(samples, output) for output in range(record.ufunc.nout)]


def _judged(
    samples: list[list[tuple[int, tuple[NDArray[Any], ...]]]], output: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    with np.errstate(all="ignore"):
        weighted = [[(weight, values[output]) for weight, values in s] for s in samples]
        differences = [sum(weight * value for weight, value in s) for s in weighted]
        noise = [SECOND_RTOL * np.max([np.abs(v) for _, v in s], axis=0) + ATOL for s in weighted]
        defined = np.all([np.isfinite(d) for d in differences], axis=0)
        nonzero = defined.copy()
        for difference, bound in zip(differences, noise, strict=True):
            nonzero &= np.abs(difference) > bound
        quotients = [d * 4.0**power for power, d in enumerate(differences)]
        for wide, narrow in pairwise(quotients):
            nonzero &= np.abs(wide - narrow) <= AGREEMENT * np.abs(narrow)
    return nonzero, defined


def measurable(record: Record) -> list[Pair]:
    """Pairs of inputs that can be moved by a small step."""
    nan = NAN_BETWEEN_WHOLE_NUMBERS.get(record.ufunc, set())
    inputs = set(real_inputs(record.ufunc)) - nan
    return [pair for pair in pairs(record.ufunc.nin) if inputs.issuperset(pair)]


@cache
def second_evidence(
    ufunc: np.ufunc, domain: tuple[tuple[float, float], ...]
) -> tuple[set[tuple[int, Pair]], set[tuple[int, Pair]]]:
    """The same for second derivatives: (output, pair) non-zero, and known."""
    record = replace(RECORDS[ufunc], domain=domain)
    rng = np.random.default_rng(0)
    nonzero, known = set(), set()
    for pair in measurable(record):
        inputs = draw(record, rng)
        for k in record.integers.intersection(pair):
            inputs[k] = inputs[k] + rng.uniform(0.1, 0.9, inputs[k].shape)
        for output, (found, defined) in enumerate(second_derivative(record, inputs, pair)):
            if found.any():
                nonzero.add((output, pair))
            if defined.mean() >= ENOUGH:
                known.add((output, pair))
    return nonzero, known


def claimed2(record: Record) -> set[tuple[int, Pair]]:
    return {
        (output, pair)
        for output, letters in enumerate(record.second)
        for pair, letter in zip(pairs(record.ufunc.nin), letters, strict=True)
        if letter == "1"
    }
