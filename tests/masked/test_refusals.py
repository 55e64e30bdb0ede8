"""What numpy.ma does that no pattern can say is refused, by its name."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from cases.masked.programs import program
from cases.masked.refused import REFUSED
from oracles import assert_covers, assert_same_pattern


@pytest.mark.parametrize("source", REFUSED)
def test_refused_by_name(source):
    wanted = REFUSED[source]
    if wanted is None:
        with pytest.raises(AttributeError, match="no_such_thing"):
            st.jacobian_sparsity(program(source), np.ones((3, 4)))
        return
    with pytest.raises(st.TracingError) as caught:
        st.jacobian_sparsity(program(source), np.ones((3, 4)))
    assert wanted in str(caught.value)


def test_shared_masks_that_inputs_would_decide():
    """In place, NumPy would change the mask given as well: there is no constant left."""

    def f(x):
        mask = np.zeros(3, bool)
        m = np.ma.array(x, mask=mask)
        m /= x[0]
        return m.filled(x[1]) * mask

    with pytest.raises(st.UnsupportedError, match=r"m = m / y"):
        st.jacobian_sparsity(f, np.ones(3))
    local = st.jacobian_sparsity(f, np.ones(3), local=True)
    assert not local.nnz


def test_a_view_is_told_apart_from_a_mask_of_ones_own():
    def f(x, *, keep):
        m = np.ma.array(x.copy(), mask=[True, False, False])
        part = m[1:] if keep else None
        m.mask  # noqa: B018 - a view that is let go
        m /= np.floor(x[::-1])
        return m.filled(x[1]), part

    x = np.array([1.5, 2.5, 3.5])
    pattern = st.jacobian_sparsity(lambda x: f(x, keep=False)[0], x)
    assert_same_pattern(pattern, [[0, 1, 0], [0, 1, 0], [0, 1, 1]])
    with pytest.raises(st.UnsupportedError, match="shares it"):
        st.jacobian_sparsity(lambda x: f(x, keep=True)[0], x)


def test_inputs_that_are_masked_are_refused():
    with pytest.raises(st.InputError, match="masked"):
        st.jacobian_sparsity(np.ma.sum, np.ma.array([1.0, 2.0], mask=[0, 1]))


@pytest.mark.parametrize("source", ["np.ma.unique(x)", "np.ma.nonzero(m)", "np.ma.where(m > 1)"])
def test_what_has_as_many_results_as_for_the_arguments(source):
    f = program(source)
    for x in (np.ones((3, 4)), np.arange(12.0).reshape(3, 4) / 5):
        pattern = st.jacobian_sparsity(f, x)
        assert_covers(pattern, st.jacobian_sparsity(f, x, local=True))
        assert pattern.left_out
