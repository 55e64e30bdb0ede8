"""The check by plain calls: planted holes are found, correct patterns never reported."""

from __future__ import annotations

import math
import warnings
from collections import namedtuple

import numpy as np
import pytest
import scipy.sparse as sp
from outside import Outside

import sparsetrace as st
from cases import array_programs, programs
from cases.user_functions import SHAPES, TRACED
from problems import HESSIAN_SIZES, HESSIANS, PROBLEMS, SIZES
from sparsetrace.tracing.arguments import Problem
from sparsetrace.verification.plain_calls import PlainFunction

MOST_CALLS = 12
pytestmark = pytest.mark.filterwarnings("error::sparsetrace.VerificationWarning")


class Counted:
    """A function that counts its calls."""

    def __init__(self, f):
        self.f, self.calls = f, 0

    def __call__(self, *args):
        self.calls += 1
        return self.f(*args)


def found(check, f, pattern, *args, **options):
    """The entry that a check reports, or None; it then made no more calls than promised."""
    counted = Counted(f)
    try:
        check(counted, pattern, *args, **options)
    except st.VerificationError as error:
        return error.row, error.column
    assert counted.calls <= MOST_CALLS
    return None


# ------------------------------------------------------------------------------ planted holes
def banded(n, width, rng):
    return np.abs(np.arange(n)[:, None] - np.arange(n)) <= width


def arrow(n, rng):
    entries = np.eye(n, dtype=bool)
    entries[0] = entries[:, 0] = True
    return entries


def triangular(n, rng):
    return np.tril(np.ones((n, n), bool))


def full(n, rng):
    return np.ones((n, n), bool)


def scattered(n, rng):
    entries = np.eye(n, dtype=bool)
    for i in range(n):
        entries[i, rng.choice(n, 2)] = True
    return entries


KINDS = {
    "tridiagonal": lambda n, rng: banded(n, 1, rng),
    "pentadiagonal": lambda n, rng: banded(n, 2, rng),
    "arrow": arrow,
    "triangular": triangular,
    "full": full,
    "scattered": scattered,
}


def entry(entries, rng):
    places = np.argwhere(entries)
    return [tuple(places[rng.integers(len(places))])]


def diagonal(entries, rng):
    return [(i, i) for i in range(min(entries.shape)) if entries[i, i]]


def block(entries, rng):
    n = len(entries)
    start = rng.integers(n - n // 3)
    part = slice(start, start + max(2, n // 3))
    return [tuple(place + start) for place in np.argwhere(entries[part, part])]


def row(entries, rng):
    i = rng.integers(len(entries))
    return [(i, j) for j in np.flatnonzero(entries[i])]


HOLES = {"entry": entry, "diagonal": diagonal, "block": block, "row": row}


def with_entries(entries, rng):
    """A nonlinear function whose Jacobian has these entries."""
    matrix = sp.csr_array(np.where(entries, rng.uniform(0.5, 2.0, entries.shape), 0.0))
    other = sp.csr_array(np.where(entries, rng.uniform(-1.0, 1.0, entries.shape), 0.0))
    return lambda x: matrix @ np.sin(x) + np.tanh(other @ x)


@pytest.mark.parametrize("n", [3, 8, 24, 200])
@pytest.mark.parametrize("hole", HOLES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_hole_is_found(kind, hole, n):
    if n == 200 and kind == "triangular":
        pytest.skip("rows of a hundred entries: found with some probability alone")
    for seed in range(4):
        rng = np.random.default_rng(seed)
        entries = KINDS[kind](n, rng)
        f, x = with_entries(entries, rng), rng.normal(size=n)
        assert found(st.check_jacobian_sparsity, f, entries, x, seed=seed) is None
        lost = HOLES[hole](entries, rng)
        pattern = entries.copy()
        pattern[tuple(np.transpose(lost))] = False
        assert found(st.check_jacobian_sparsity, f, pattern, x, seed=seed) in lost
        local = found(st.check_jacobian_sparsity, f, pattern, x, seed=seed, local=True)
        assert local in lost


def test_an_entry_lost_among_many_is_found_more_often_than_not():
    hits = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        entries = rng.random((30, 30)) < 0.3
        pattern = entries.copy()
        pattern[entry(entries, rng)[0]] = False
        f, x = with_entries(entries, rng), rng.normal(size=30)
        try:
            st.check_jacobian_sparsity(f, pattern, x, num_probes=40)
        except st.VerificationError:
            hits += 1
    assert hits >= 8


@pytest.mark.parametrize("n", [3, 6, 12])
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("hole", ["entry", "diagonal", "block"])
@pytest.mark.parametrize("kind", ["tridiagonal", "arrow", "full"])
def test_a_hole_of_a_hessian_is_found(kind, hole, outputs, n):
    hits = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        entries = KINDS[kind](n, rng)
        weights = rng.uniform(0.5, 2.0, (outputs, n, n)) * (entries & entries.T)

        def f(x, weights=weights):
            s = np.sin(x)
            values = np.array([s @ w @ s for w in weights])
            return values if outputs > 1 else values[0]

        x = rng.uniform(0.2, 1.2, n)
        assert found(st.check_hessian_sparsity, f, entries, x, seed=seed) is None
        lost = HOLES[hole](entries, rng)
        lost += [(j, i) for i, j in lost]
        pattern = entries.copy()
        pattern[tuple(np.transpose(lost))] = False
        where = found(st.check_hessian_sparsity, f, pattern, x, seed=seed)
        assert where is None or where in lost
        hits += where is not None
    assert hits >= 5


def test_the_hessian_of_each_output_is_looked_at():
    def f(x):
        return x[0] * x[1], -x[0] * x[1], x[2]

    with pytest.raises(st.VerificationError, match=r"of output \[0\]"):
        st.check_hessian_sparsity(f, np.zeros((3, 3)), np.ones(3))


# -------------------------------------------------------------------------- correct patterns
def in_every_mode(f, x, allowed=()):
    for detect in (st.jacobian_sparsity, st.lagrangian_hessian_sparsity):
        for local in (False, True):
            options = [{}] if detect is not st.jacobian_sparsity else [{}, {"dependency": True}]
            for option in options:
                try:
                    detect(f, x, local=local, verify=True, **option)
                except st.VerificationError:
                    raise
                except st.TracingError:
                    pass


@pytest.mark.parametrize(("name", "f"), TRACED, ids=[name for name, _ in TRACED])
def test_user_code_is_not_reported(name, f):
    shape = SHAPES.get(name, 4)
    for x in (np.ones(shape), np.random.default_rng(0).uniform(0.5, 2.0, shape)):
        try:
            f(x.copy())
        except Exception:
            return
        in_every_mode(f, x)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_are_not_reported(seed):
    program = programs.Writer(seed).program()
    x = np.random.default_rng(seed).uniform(-1.5, 1.5, program.n)
    in_every_mode(program.compiled(), x)


@pytest.mark.parametrize("seed", range(30))
def test_random_jacobians_are_not_reported(seed):
    program = array_programs.Writer(seed).program()
    x = np.random.default_rng(seed).uniform(-2.0, 2.0, program.n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        in_every_mode(program.function, x)


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems_are_not_reported(name):
    problem = PROBLEMS[name](SIZES[name][0])
    for options in ({}, {"local": True}, {"dependency": True}):
        st.jacobian_sparsity(
            problem.function, *problem.arguments, argnums=problem.argnums, verify=True, **options
        )


@pytest.mark.parametrize("name", HESSIANS)
def test_problems_with_hessians_are_not_reported(name):
    problem = HESSIANS[name](HESSIAN_SIZES[name][0])
    for local in (False, True):
        st.hessian_sparsity(
            problem.function,
            *problem.arguments,
            argnums=problem.argnums,
            local=local,
            verify=True,
        )


CAREFUL = {
    "floor": (np.floor, [0.5, 1.5]),
    "floor-at-a-jump": (np.floor, [1.0, 2.0]),
    "rounded": (lambda x: np.round(x, 8), [0.123456, 3.3]),
    "rounded-finely": (lambda x: np.round(x, 3) + x[::-1], [0.1, 2.0]),
    "steps": (lambda x: np.floor(1000 * x) * x[::-1], [0.1234, 0.77]),
    "square-at-zero": (lambda x: x**2, [0.0, 1.0]),
    "cube-at-zero": (lambda x: x**3 + x[::-1], [0.0, 0.0]),
    "product-at-zero": (lambda x: x[0] * x[1] ** 2, [1.0, 0.0]),
    "kink": (lambda x: np.maximum(x, 0.5), [0.5, 1.0]),
    "kink-of-abs": (np.abs, [0.0, 1.0]),
    "threshold": (lambda x: x[1] if x[0] > 0.5 else x[2], [0.5, 1.0, 2.0]),
    "one-sided": (lambda x: np.where(x > 0, x, 0.0), [0.0, 1.0]),
    "sign": (lambda x: np.sign(x) * x[0], [0.0, -1.0]),
    "cancelled": (lambda x: x - x + 1e8, [0.3, 4.0]),
    "cut": (lambda x: x * [0.0, 1.0], [2.0, 3.0]),
    "ties": (lambda x: np.sort(x), [1.0, 1.0, 2.0]),
    "single-precision": (lambda x: np.float32(2) * x[::-1], np.ones(3, np.float32)),
    "complex": (lambda x: x * x[::-1].conj(), np.array([1 + 2j, 3 - 1j])),
    "sum-of-large": (lambda x: np.array([(x + 1e10).sum(), x[0]]), [0.1, 0.2, 0.3]),
}


@pytest.mark.parametrize("name", CAREFUL)
def test_jumps_kinks_and_rounding_are_not_reported(name):
    f, x = CAREFUL[name]
    for local in (False, True):
        for dependency in (False, True):
            st.jacobian_sparsity(f, np.asarray(x), local=local, dependency=dependency, verify=40)
        st.lagrangian_hessian_sparsity(f, np.asarray(x), local=local, verify=40)


def test_a_jump_is_a_dependency():
    pattern = np.zeros((2, 2))
    st.check_jacobian_sparsity(np.floor, pattern, np.array([0.5, 1.5]))
    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(np.floor, pattern, np.array([0.5, 1.5]), dependency=True)


def test_a_vanishing_derivative_counts_elsewhere():
    st.check_jacobian_sparsity(np.square, [[0]], np.zeros(1), local=True)
    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(np.square, [[0]], np.zeros(1))


def test_other_branches_are_visited():
    def f(x):
        try:
            return math.log(x[0])
        except ValueError:
            return x[1]

    for seed in range(10):
        with pytest.raises(st.VerificationError):
            st.check_jacobian_sparsity(f, [[1, 0]], np.array([0.3, 0.7]), seed=seed)
    st.check_jacobian_sparsity(f, [[1, 0]], np.array([0.3, 0.7]), local=True)


def test_floating_point_errors_are_treated_as_by_the_caller():
    def f(x):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            root = np.sqrt(x[0])
        return x[1] if seen else root

    def g(x):
        try:
            return np.sqrt(x[0])
        except FloatingPointError:
            return x[1]

    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(f, [[1, 0]], np.ones(2))
    with np.errstate(all="raise"), pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(g, [[1, 0]], np.ones(2))
    with np.errstate(all="ignore"):
        st.check_jacobian_sparsity(g, [[1, 0]], np.ones(2))
        st.check_jacobian_sparsity(f, [[1, 0]], np.ones(2))


# ------------------------------------------------------------------------------------- names
Pair = namedtuple("Pair", "left right")


def test_names_of_rows_and_columns():
    def f(tree, other, extra):
        flux = np.zeros(4) * other
        flux[3] = tree["weights"][1, 2] ** 2 * extra
        return other, {"flux": flux, "rest": [tree["pair"].right, 1.0]}

    tree = {"weights": np.ones((2, 3)), "pair": Pair(np.ones(2), 2.0)}
    args = tree, 3.0, 1.0
    pattern = np.zeros((7, 9))
    pattern[5, 7] = 1
    with pytest.raises(st.VerificationError) as caught:
        st.check_jacobian_sparsity(f, pattern, *args)
    error = caught.value
    assert (error.row, error.column) == (4, 5)
    assert (error.row_name, error.column_name) == ('[1]["flux"][3]', 'args[0]["weights"][1, 2]')
    for part in ("test_verification.py", error.row_name, error.column_name, "(row 4)"):
        assert part in str(error)
    pattern = np.zeros((7, 9))
    pattern[4, 5] = 1
    with pytest.raises(st.VerificationError) as caught:
        st.check_jacobian_sparsity(f, pattern, *args)
    assert caught.value.row_name == '[1]["rest"][0]'
    assert caught.value.column_name == 'args[0]["pair"].right'


def test_names_of_lists_and_numbers():
    def f(a, b):
        return [[a[0][1], 2.0], [b, b]]

    pattern = np.zeros((4, 5))
    pattern[2:, 4] = 1
    with pytest.raises(st.VerificationError) as caught:
        st.check_jacobian_sparsity(f, pattern, [[1.0, 2.0], [3.0, 4.0]], 5.0, argnums=(0, 1))
    assert (caught.value.row_name, caught.value.column_name) == ("[0][0]", "args[0][0][1]")
    with pytest.raises(st.VerificationError, match="output the number returned"):
        st.check_jacobian_sparsity(lambda x: x, [[0]], 2.0)


# --------------------------------------------------------------------- what cannot be checked
def test_random_functions_are_said_to_be():
    def f(x):
        return x + np.random.default_rng().random(2)

    for check in (st.check_jacobian_sparsity, st.check_hessian_sparsity):
        with pytest.raises(st.VerificationError, match="not deterministic"):
            check(f, np.eye(2), np.ones(2))
    with pytest.warns(st.VerificationWarning, match="not deterministic"):
        st.jacobian_sparsity(
            lambda x: x * np.random.default_rng().random(2), np.ones(2), local=True
        )


def test_functions_that_fail_are_said_to():
    def f(x):
        raise RuntimeError("no licence")

    for check in (st.check_jacobian_sparsity, st.check_hessian_sparsity):
        with pytest.warns(st.VerificationWarning, match="nothing was checked.*no licence"):
            check(f, np.eye(2), np.ones(2))


def test_functions_that_fail_away_from_the_point_are_said_to():
    def f(x):
        if x[0] != 1.0 or x[1] != 1.0:
            raise RuntimeError("only here")
        return x

    with pytest.warns(st.VerificationWarning, match="2 of the 2 outputs.*only here"):
        st.check_jacobian_sparsity(f, np.eye(2), np.ones(2))


def test_outputs_that_are_not_finite_are_counted():
    def f(x):
        return np.concatenate([x, np.log(x[:1] - 1e9)])

    with pytest.warns(st.VerificationWarning, match=r"1 of the 4 outputs.*output \[3\]"):
        st.check_jacobian_sparsity(f, np.eye(4, 3), np.ones(3))


def test_narrow_domains_are_met_by_smaller_moves():
    def f(x):
        if (np.abs(x - 1.0) > 0.01).any():
            raise ValueError("out of the domain")
        return x * x[0]

    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(f, np.eye(3), np.ones(3))
    pattern = np.eye(3)
    pattern[:, 0] = 1
    assert found(st.check_jacobian_sparsity, f, pattern, np.ones(3)) is None


# --------------------------------------------------------------------------------- arguments
def test_arguments_keep_their_types():
    seen = []

    def f(items, number, array, single, complex_number):
        seen.append((items, number, array, single, complex_number))
        return items[0] * number + array.sum() + single, complex_number * 1.0

    array = np.asfortranarray(np.ones((2, 3)))
    args = [1, 2.5], 3, array, np.float32(2), 1j
    pattern = np.ones((2, 11))
    pattern[0, [1, 10]] = pattern[1, :10] = 0
    st.check_jacobian_sparsity(f, pattern, *args, argnums=range(5))
    for items, number, array, single, complex_number in seen:
        assert type(items) is list
        assert [type(item) for item in items] == [float, float]
        assert type(number) is float
        assert array.flags.f_contiguous
        assert type(single) is np.float32
        assert type(complex_number) is complex
    assert np.array_equal(array, np.ones((2, 3))) or seen


def test_other_arguments_are_passed_as_they_are():
    def f(n, x, table):
        assert type(n) is int
        table[0] += 1.0
        x[0] += 0.0
        return x * table[0]

    table, x = np.zeros(1), np.ones(2)
    st.check_jacobian_sparsity(f, np.eye(2), 3, x, table, argnums=1)
    assert table[0] == 0.0
    assert np.array_equal(x, np.ones(2))


def test_functions_that_fill_an_argument():
    def f(x, out):
        out[:] = x[::-1] * x[0]

    out = np.zeros(2)
    pattern = st.jacobian_sparsity(f, np.ones(2), out=out, verify=True)
    assert not out.any()
    pattern = pattern.toarray()
    pattern[1, 0] = False
    with pytest.raises(st.VerificationError, match=r"output \[1\]"):
        st.check_jacobian_sparsity(f, pattern, np.ones(2), out=np.zeros(2))


def test_lists_as_arrays():
    st.jacobian_sparsity(lambda x: [v**2 for v in x], [1.0, 2.0], verify=True)
    st.jacobian_sparsity(lambda x: np.square(x), [1.0, 2.0], local=True, verify=True)


def test_arguments_of_unknown_value_vary():
    def f(t, u):
        return t * u[::-1]

    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(f, np.zeros((2, 2)), 0.0, np.ones(2), argnums=1)
    options = {"argnums": 1, "static_argnums": 0, "verify": True}
    assert st.jacobian_sparsity(f, 0.0, np.ones(2), **options).nnz == 0

    problem = Problem(f, (0.0, np.ones(2)), 1)
    plain, rng = PlainFunction(problem), np.random.default_rng(0)
    assert not plain.first(plain.point).any()
    before = plain.others
    plain.vary(rng, 0.5)
    assert plain.first(plain.point).all()
    plain.others = before
    assert not plain.first(plain.point).any()


@pytest.mark.parametrize(
    "pattern",
    [np.zeros((2, 4)), np.zeros((3, 3)), np.zeros(3), sp.csr_array((2, 2)), [["a"]], [[1], [1, 2]]],
)
def test_wrong_shapes_are_refused(pattern):
    with pytest.raises(st.InputError, match="pattern"):
        st.check_jacobian_sparsity(lambda x: x[:2], pattern, np.ones(3))


@pytest.mark.parametrize("shape", [(3, 4), (2, 2), (3,)])
def test_wrong_shapes_of_hessians_are_refused(shape):
    with pytest.raises(st.InputError, match="pattern"):
        st.check_hessian_sparsity(lambda x: x[0], np.zeros(shape), np.ones(3))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.coo_array, sp.csc_matrix])
def test_patterns_of_any_kind(make):
    entries = np.eye(3)
    st.check_jacobian_sparsity(np.sin, make(entries), np.ones(3))
    pattern = make(entries * [1.0, 1.0, 0.0])
    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(np.sin, pattern, np.ones(3))


def test_stored_zeros_are_no_entries():
    pattern = sp.csr_array(np.eye(2))
    pattern.data[1] = 0.0
    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(np.sin, pattern, np.ones(2))
    assert pattern.nnz == 2


@pytest.mark.parametrize("count", [0, -1, 2.0, "all", [1]])
def test_numbers_of_probes(count):
    with pytest.raises(st.InputError, match="num_probes"):
        st.check_jacobian_sparsity(np.sin, np.eye(2), np.ones(2), num_probes=count)
    for detect in (st.jacobian_sparsity, st.lagrangian_hessian_sparsity):
        with pytest.raises(st.InputError, match="verify"):
            detect(np.sin, np.ones(2), verify=count)


def test_nothing_to_check():
    st.check_jacobian_sparsity(np.sin, np.zeros((0, 0)), np.zeros(0))
    st.check_hessian_sparsity(lambda x: 1.0, np.zeros((0, 0)), np.zeros(0))
    st.check_jacobian_sparsity(lambda x: np.zeros(0), np.zeros((0, 2)), np.zeros(2))


# ------------------------------------------------------------------------------ the keyword
def plainly(f):
    """How often a detection calls a function without tracing it."""

    def counted(x):
        if type(x) is np.ndarray and not hasattr(x, "_trace"):
            calls.append(1)
        return f(x)

    calls = counted.calls = Outside()
    return counted


@pytest.mark.parametrize(
    ("options", "least", "most"),
    [
        ({}, 0, 0),
        ({"local": True}, 1, 1),
        ({"local": True, "verify": False}, 0, 0),
        ({"verify": False}, 0, 0),
        ({"verify": True}, 2, 12),
        ({"verify": True, "local": True}, 3, 13),
        ({"verify": 3}, 2, 5),
        ({"verify": np.int64(3)}, 2, 5),
    ],
)
def test_how_often_the_function_is_called(options, least, most):
    for detect in (st.jacobian_sparsity, st.lagrangian_hessian_sparsity):
        f = plainly(lambda x: x[1:] * x[:-1])
        detect(f, np.arange(1.0, 6.0), **options)
        assert least <= len(f.calls) <= most


def other_type(x):
    return x * 2 if isinstance(x, np.ndarray) and not hasattr(x, "_trace") else x[::-1]


def test_a_loss_is_found_by_the_detection():
    x = np.array([0.3, 0.7, 1.2])
    assert st.jacobian_sparsity(other_type, x).nnz == 3
    with pytest.raises(st.VerificationError):
        st.jacobian_sparsity(other_type, x, verify=True)
    with pytest.raises(st.TracingError, match=r"output \[0\] \(row 0\) is 0.6") as caught:
        st.jacobian_sparsity(other_type, x, local=True)
    assert caught.value.row == 0
    st.jacobian_sparsity(other_type, x, local=True, verify=False)
    square = lambda x: other_type(x)[0] ** 2 * x[1]  # noqa: E731
    with pytest.raises(st.VerificationError):
        st.hessian_sparsity(square, x, verify=True)
    with pytest.raises(st.VerificationError):
        st.hessian_sparsity(square, x, local=True)


def test_shapes_are_compared():
    def f(x):
        return x if hasattr(x, "_trace") else x[:2]

    def g(x):
        return x if hasattr(x, "_trace") else x[:, None]

    for function in (f, g):
        with pytest.raises(st.VerificationError, match="shape"):
            st.jacobian_sparsity(function, np.ones(3), local=True)


def test_a_plain_call_that_fails_is_reported():
    def f(x):
        if not hasattr(x, "_trace"):
            raise ValueError("plain")
        return x

    with pytest.raises(st.VerificationError, match=r"a plain call fails.*plain"):
        st.jacobian_sparsity(f, np.ones(3), local=True)


COMPARED = {
    "nan": (lambda x: np.log(x), [-1.0, 0.0, 2.0]),
    "infinity": (lambda x: 1 / x, [0.0, 1.0]),
    "single": (lambda x: x.sum() / np.float32(3), np.ones(10, np.float32)),
    "long": (lambda x: np.exp(x), np.ones(3, np.longdouble)),
    "complex": (lambda x: np.fft.fft(x), [1.0, 2.0, 3.0]),
    "integers": (lambda x: x * 2 + 1, np.arange(3)),
    "truth": (lambda x: (x > 1, x), [0.0, 2.0]),
    "cancelled": (lambda x: x - x.mean(), np.ones(7) / 3),
    "ill-conditioned": (lambda x: np.linalg.solve(np.vander(np.arange(1.0, 9)), x), np.ones(8)),
    "masked": (lambda x: np.ma.array(x, mask=[True, False]), [1.0, 2.0]),
    "nested": (lambda x: {"a": [x[0], 2.0], "b": (x, [x[1]])}, [1.0, 2.0]),
    "nothing": (lambda x: [], [1.0]),
    "list": (lambda x: [v * 2 for v in x], [1.0, 2.0]),
}


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_that_are_equal_but_for_rounding(name):
    f, x = COMPARED[name]
    st.jacobian_sparsity(f, np.asarray(x), local=True)


def test_the_check_may_be_called_in_a_trace():
    def f(x):
        st.check_jacobian_sparsity(np.sin, np.eye(2), np.ones(2))
        st.jacobian_sparsity(np.sin, np.ones(2), verify=True)
        return x * 2

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2


def test_a_million_inputs():
    def rosenbrock(x):
        return 10 * (x[1:] - x[:-1] ** 2)

    n = 1_000_000
    x = np.random.default_rng(0).normal(size=n)
    pattern = st.jacobian_sparsity(rosenbrock, x)
    assert found(st.check_jacobian_sparsity, rosenbrock, pattern, x) is None
    data = pattern.data.astype(np.int8)
    data[777_777] = 0
    lost = sp.csr_array((data, pattern.indices, pattern.indptr), shape=pattern.shape)
    place = int(np.searchsorted(pattern.indptr, 777_777, "right")) - 1
    where = found(st.check_jacobian_sparsity, rosenbrock, lost, x)
    assert where == (place, int(pattern.indices[777_777]))
