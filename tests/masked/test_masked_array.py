"""Masked arrays in a trace and beside it: what they show, and what of numpy.ma is exchanged."""

from __future__ import annotations

import copy
import inspect
import re
import threading
import types

import numpy as np
import pytest
from numpy.ma import exp as early_exp
from outside import Outside

import sparsetrace as st
from cases.masked.asked_types import ASKED
from cases.masked.constant_masks import EXACT, STATEMENTS
from cases.masked.deciding_inputs import AT_A_POINT, CURVED, ORDERED
from cases.masked.programs import K
from oracles import (
    assert_covers,
    assert_same_pattern,
    jacobian_pattern_at,
    numerical_jacobian_pattern,
)
from sparsetrace.capture import registered_functions
from sparsetrace.dispatch.function_rules import REGISTERED
from sparsetrace.masked import METHOD, MODULE, MaskedTracedArray, registered

RULES = REGISTERED[MODULE]


def functions_of_numpy_ma():
    """Those of numpy.ma's own that compute."""
    kinds = (type, types.ModuleType, np.ma.core._MaskedUFunc)
    values = {name: getattr(np.ma, name) for name in np.ma.__all__}
    return {
        name: function
        for name, function in values.items()
        if callable(function)
        and not isinstance(function, kinds)
        and not hasattr(function, "_implementation")
        and name not in registered.METADATA
    }


def answered():
    """The functions of numpy.ma whose rule does more than to refuse them."""
    rules = {name: getattr(RULES[name], "_of_traced", RULES[name]) for name in RULES}
    refused = {name for name in rules if inspect.unwrap(rules[name]._rule) is registered.refuse}
    assert len(refused) > 10
    return set(functions_of_numpy_ma()) - refused


def test_every_function_has_a_rule():
    exchanged = {patch.name for patch in registered_functions.patches(MODULE)}
    assert set(functions_of_numpy_ma()) <= exchanged
    assert set(functions_of_numpy_ma()) == {name for name in RULES if "." not in name}
    assert len(answered()) > 110


def test_every_rule_is_tested():
    sources = "\n".join([*EXACT, *STATEMENTS, *ORDERED, *AT_A_POINT, *CURVED])
    called = set(re.findall(r"np\.ma\.(\w+)\(", sources))
    assert not answered() - called
    used = set(re.findall(r"\.(\w+)\b", sources))
    own = {name for name in dir(MaskedTracedArray) if not name.startswith("_")}
    own |= {name.removeprefix(METHOD) for name in RULES if name.startswith(METHOD)}
    own = {name for name in own if not name.startswith("_")}
    assert not own - used - {"mT", "imag", "item", "itemsize", "nbytes", "dtype", "device"}


def test_metadata_of_masked_arrays():
    def f(x):
        m = np.ma.array(x.reshape(2, 2), mask=[[0, 1], [0, 0]])
        assert (m.dtype, m.itemsize, m.nbytes, m.ndim) == (np.dtype(float), 8, 32, 2)
        assert m.mT.shape == (2, 2)
        assert m.device == "cpu"
        assert m.item(2) is not None
        assert repr(m).startswith("masked TracedArray([[{0}, --],\n [{2}, {3}]], value ")
        assert f"{np.ma.array(x)}".startswith("masked TracedArray([{0}, {1}, {2}, {3}], value ")
        unsure = str(np.ma.masked_greater(x, 1))
        assert unsure.startswith("masked TracedArray([{0}?, {1}?, {2}?, {3}?], value ")
        assert m.fill_value == 1e20
        assert m[0, 1] is np.ma.masked
        assert isinstance(m.mask, np.ndarray)
        assert m.mask.tolist() == [[False, True], [False, False]]
        assert np.ma.array(x).mask is np.ma.nomask
        assert np.ma.isMaskedArray(m)
        assert copy.deepcopy(m).shape == copy.copy(m).shape == (2, 2)
        with pytest.raises(np.ma.MaskError):
            np.ma.array(x, mask=[0, 1])
        with pytest.raises(np.ma.MaskError):
            np.ma.power(m, 2, 3)
        with pytest.raises(IndexError):
            np.ma.masked_where([True], x)
        return m.imag

    assert not st.jacobian_sparsity(f, np.ones(4)).nnz


def test_numpy_ma_is_left_alone_without_need():
    seen = Outside()

    def f(x):
        seen.append(np.ma.sum)
        constants = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
        return x * constants.sum() + np.ma.where(constants > 1, constants, 0.0).filled(0)

    original = np.ma.sum
    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 3
    assert seen == [original]


def test_everything_is_put_back():
    exchanged = registered_functions.patches(MODULE)
    before = {(owner, name): vars(owner)[name] for owner, name, *_ in exchanged}
    new = vars(np.ma.MaskedArray)["__new__"]
    st.jacobian_sparsity(lambda x: np.ma.array(x, mask=K), np.ones((3, 4)))
    with pytest.raises(st.UnsupportedError):
        st.jacobian_sparsity(lambda x: np.ma.array(x) @ x, np.ones(3))
    assert all(vars(owner)[name] is found for (owner, name), found in before.items())
    assert vars(np.ma.MaskedArray)["__new__"] is new
    assert early_exp is np.ma.exp


def test_other_threads_get_numpys_own():
    found = Outside()

    def elsewhere():
        m = np.ma.zeros(3)
        m[1] = np.ma.masked
        found.append((type(m), (m + 1).sum(), np.ma.where([1, 0, 0], m, 2.0).tolist()))

    def f(x):
        m = np.ma.array(x, mask=[0, 1, 0])
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        return m.sum()

    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 2
    assert found[-1] == (np.ma.MaskedArray, 2.0, [0.0, 2.0, 2.0])


def test_constants_stay_numpys_own():
    def f(x):
        m = np.ma.array(x, mask=[0, 1, 0])
        constants = np.ma.array([1.0, 2.0, 3.0], mask=[0, 0, 1])
        assert type(constants * 2) is np.ma.MaskedArray
        assert type(np.ma.masked_greater(constants, 1)) is np.ma.MaskedArray
        assert constants.dot(constants) == 5.0
        assert (constants < 2).filled(True).tolist() == [True, False, True]
        return m * constants

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(3)), np.diag([1, 0, 0]))


def test_a_masked_array_from_outside_takes_no_traced_values():
    outside = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])

    def f(x):
        outside[0] = np.ma.array(x)[0]
        return outside

    def g(x):
        m = np.ma.array(outside)
        m += np.ma.array(x)
        return m

    for function in (f, g):
        with pytest.raises(st.EscapeError, match="ordinary array"):
            st.jacobian_sparsity(function, np.ones(3))
    assert outside.tolist() == [1.0, None, 3.0]


def test_a_number_that_may_be_masked_and_its_identity():
    """``is np.ma.masked`` cannot be answered by an object: both outcomes are run."""
    missing = np.ma.masked

    def first(x):
        for value in np.ma.masked_greater(x, 1):
            if value is not np.ma.masked:
                return value
        return x[0] * x[2]

    def second(x):
        return helper(np.ma.masked_greater(x, 1).sum(), x)

    def helper(total, x):
        return x[2] if total is missing else total

    x = np.ones(3)
    assert_same_pattern(st.jacobian_sparsity(first, x), [[1, 1, 1]])
    assert st.jacobian_sparsity(second, x).nnz == 3
    with pytest.raises(st.ValueDependentError, match="max_paths"):
        st.jacobian_sparsity(
            lambda x: [v if v is not np.ma.masked else 0.0 for v in np.ma.masked_greater(x, 1)],
            np.ones(12),
        )


def test_masked_elements_under_every_mode():
    def f(x):
        m = np.ma.array(x, mask=[0, 1, 0])
        return (m * [0.0, 1.0, 2.0]).filled(0)

    def nnz(**options):
        return st.jacobian_sparsity(f, np.ones(3), **options).nnz

    assert nnz() == nnz(local=True) == nnz(dependency=True) == 1
    assert nnz(constants="structure") == 2


# ----------------------------------------------------- what is assumed of numpy.ma
def test_the_classes_of_numpy_ma():
    core = np.ma.core
    kinds = (
        core._MaskedUnaryOperation,
        core._MaskedBinaryOperation,
        core._DomainedBinaryOperation,
        core._extrema_operation,
    )
    operations = [f for f in vars(np.ma).values() if isinstance(f, core._MaskedUFunc)]
    assert len(operations) > 40
    assert all(isinstance(f, kinds) for f in operations)
    assert all("__call__" in vars(kind) for kind in kinds)
    assert {type(domain).__name__ for domain in core.ufunc_domain.values()} == {
        "NoneType", "_DomainCheckInterval", "_DomainGreater", "_DomainGreaterEqual",
        "_DomainSafeDivide", "_DomainTan",
    }  # fmt: skip


@pytest.mark.parametrize("f", ASKED.values(), ids=ASKED)
def test_a_number_that_may_be_masked_is_one_or_the_other_where_code_asks(f):
    with np.errstate(all="ignore"):
        expected = numerical_jacobian_pattern(f, np.ones(4), low=-2.0, high=2.0, points=30)
        assert_covers(st.jacobian_sparsity(f, np.ones(4), verify=False), expected)
        for seed in range(4):
            x = np.random.default_rng(seed).uniform(-2.0, 2.0, 4)
            pattern = st.jacobian_sparsity(f, x, local=True, verify=False)
            assert_covers(pattern, jacobian_pattern_at(f, x))


def length_of_a_masked_vector(x):
    u, v = (np.ma.asanyarray(item).astype(np.float64) for item in x[:2])
    u.set_fill_value(-9999.0)
    v.fill_value = -9999.0
    if u.shape or not isinstance(u, np.ma.MaskedArray):
        return x[2]
    hidden = np.ma.array(x[2], mask=True).astype(np.float32)
    return np.ma.sqrt(u**2 + v**2), hidden.filled(0.0) * hidden.ndim


@pytest.mark.parametrize("local", [False, True])
def test_a_masked_array_without_axes_stays_one_in_another_dtype(local):
    pattern = st.jacobian_sparsity(length_of_a_masked_vector, np.ones(3), local=local)
    assert pattern.toarray().astype(int).tolist() == [[1, 1, 0], [0, 0, 0]]
