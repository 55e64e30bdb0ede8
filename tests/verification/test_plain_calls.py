"""The calls that a check makes: functions that fail or are random, arguments of all types."""

from __future__ import annotations

import numpy as np
import pytest
from reports import reported

import sparsetrace as st
from sparsetrace.tracing.arguments import TracedCall
from sparsetrace.verification.plain_calls import PlainFunction

pytestmark = pytest.mark.filterwarnings("error::sparsetrace.VerificationWarning")


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
    assert reported(st.check_jacobian_sparsity, f, pattern, np.ones(3)) is None


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
    for pattern in (
        st.jacobian_sparsity(lambda x: [v**2 for v in x], [1.0, 2.0], verify=True),
        st.jacobian_sparsity(lambda x: np.square(x), [1.0, 2.0], local=True, verify=True),
    ):
        assert pattern.toarray().tolist() == [[True, False], [False, True]]


def test_arguments_of_unknown_value_vary():
    def f(t, u):
        return t * u[::-1]

    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(f, np.zeros((2, 2)), 0.0, np.ones(2), argnums=1)
    options = {"argnums": 1, "static_argnums": 0, "verify": True}
    assert st.jacobian_sparsity(f, 0.0, np.ones(2), **options).nnz == 0

    traced_call = TracedCall(f, (0.0, np.ones(2)), 1)
    plain, rng = PlainFunction(traced_call), np.random.default_rng(0)
    assert not plain.first(plain.point).any()
    before = plain.others
    plain.vary(rng, 0.5)
    assert plain.first(plain.point).all()
    plain.others = before
    assert not plain.first(plain.point).any()
