"""Elements that a mask of unknown values picks."""

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.picked import COUNTING, TWINS, UNCOUNTED, case
from oracles import assert_covers, assert_same_pattern, dense


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("mode", [{}, {"dependency": True}, {"constants": "structure"}])
def test_as_tight_as_with_where(name, mode):
    f, same, shape = TWINS[name]
    x = np.ones(shape)
    patterns = [st.jacobian_sparsity(g, x, **mode).toarray() for g in (f, same)]
    assert (patterns[0] <= patterns[1]).all()


@pytest.mark.parametrize("name", TWINS)
def test_hessians_are_those_with_where(name):
    f, same, shape = TWINS[name]
    x = np.ones(shape)
    found, expected = (
        st.hessian_sparsity(lambda x, g=g: np.sum(np.sin(g(x))), x).toarray() for g in (f, same)
    )
    assert_same_pattern(found, expected)


@pytest.mark.parametrize("name", COUNTING)
def test_who_asks_how_many_of_few_there_are_gets_a_path_for_each_choice(name):
    """As tight as the same with a branch for each element."""
    f, same = COUNTING[name]
    points = np.random.default_rng(0).uniform(-1.5, 2.0, (60, 4))
    for mode in ({}, {"constants": "structure"}):
        pattern = st.jacobian_sparsity(f, np.ones(4), **mode).toarray()
        assert_same_pattern(pattern, st.jacobian_sparsity(same, np.ones(4), **mode).toarray())
    assert not (jacobian_of(f, points) & ~pattern).any()
    hessians = [
        st.hessian_sparsity(lambda x, g=g: np.sum(np.sin(g(x))), np.ones(4)) for g in (f, same)
    ]
    assert_same_pattern(*(hessian.toarray() for hessian in hessians))
    united = st.jacobian_sparsity(f, np.ones(4), dependency=True).toarray()
    assert (pattern <= united).all()


def jacobian_of(f, points):
    """What differs from zero at one of the points."""
    return np.any([st.jacobian_sparsity(f, x, local=True).toarray() for x in points], axis=0)


@pytest.mark.parametrize("name", COUNTING)
def test_who_asks_how_many_of_more_there_are_gets_a_path_for_each_number(name):
    f, same = COUNTING[name]
    if name == "another index":
        with pytest.raises(st.ValueDependentError):
            st.jacobian_sparsity(f, np.ones(9))
        return
    pattern = st.jacobian_sparsity(f, np.ones(9))
    assert_covers(pattern, st.jacobian_sparsity(same, np.ones(9)))


@pytest.mark.parametrize("name", ["the length", "the shape", "a loop", "a list", "some or none"])
def test_who_asks_how_many_of_very_many_there_are_is_refused(name):
    with pytest.raises(st.ValueDependentError, match="picks depends on the inputs"):
        st.jacobian_sparsity(COUNTING[name][0], np.ones(80))


@pytest.mark.parametrize("name", UNCOUNTED)
def test_what_no_branch_decides_is_refused(name):
    with pytest.raises((st.TracingError, TypeError)):
        st.jacobian_sparsity(UNCOUNTED[name], np.ones(4))


def test_one_mask_has_one_choice_on_each_path():
    """In a call that is run apart, too, and after a mask was written."""

    def g(x, m):
        return np.concatenate([x[m], [0.0]])[0] if x[3] > 1 else 1.0

    def f(x):
        m = x > 0
        y = np.zeros(4)
        y[m] = np.concatenate([x[m]]) * len(x[m])
        first = g(x, m)
        m[0] = True
        y[0] += np.concatenate([x[m]])[0] + first
        return y

    pattern = st.jacobian_sparsity(f, np.ones(4)).toarray()
    points = np.random.default_rng(0).uniform(-1.5, 2.0, (400, 4))
    assert_same_pattern(pattern, jacobian_of(f, points))


def test_a_mask_that_a_call_run_apart_decides_is_open_after_it():
    def counted(x, m):
        return x[1] if len(x[m]) > 1 else x[0]

    def f(x):
        m = x > 0
        return np.array([counted(x, m), x[3] if len(x[m]) > 3 else x[2]])

    pattern = st.jacobian_sparsity(f, np.ones(4)).toarray()
    assert_same_pattern(pattern, np.array([[1, 1, 0, 0], [0, 0, 1, 1]], bool))


def test_the_message_names_the_remedy():
    with pytest.raises(st.ValueDependentError, match=r"len\(x\[mask\]\).*np\.where.*local=True"):
        st.jacobian_sparsity(lambda x: len(x[x > 0]) * x, np.ones(80))


def test_elements_of_two_masks_meet_in_any_pair():
    """Where both masks pick as many, the first meets the first, wherever it stands."""

    def f(x):
        return np.sum(x[x > 1.5] * x[x < 0.5])

    point = np.array([2.0, 0.0, 3.0, 0.1])
    assert st.hessian_sparsity(f, point, local=True).nnz == 4
    expected = ~np.eye(4, dtype=bool)
    assert (st.hessian_sparsity(f, point).toarray() >= expected).all()


def test_a_mask_written_after_its_use_is_another_one():
    def f(x):
        m = x > 0
        picked = x[m]
        view = m[:2]
        view[0] = x[3] > 2
        y = np.zeros_like(x)
        y[m] = picked
        return y

    assert st.jacobian_sparsity(f, np.ones(4)).toarray().all()


def with_cleared(x, m):
    m[x[::-1] > 0.5] = False


def with_maximum(x, m):
    np.maximum(m, np.array([True, False, False, True]), out=m)


def with_copy(x, m):
    np.copyto(m, False, where=x[::-1] > 0.5)


def with_put(x, m):
    np.put(m, np.argmax(x), True)


def with_flat(x, m):
    m.flat[1] = x[0] > x[3]


def with_view(x, m):
    m[1:][::2][0] = x[3] > x[0]


def with_row(x, m):
    row = m.reshape(2, 2)[np.argmax(x[:2])]
    row[...] = x[2:] > 1


@pytest.mark.parametrize(
    "change",
    [with_cleared, with_maximum, with_copy, with_put, with_flat, with_view, with_row],
)
def test_a_mask_that_is_written_picks_other_elements(change):
    """What was picked before lands where the mask says now: any may meet any."""

    def f(x):
        m = x > 0
        picked = x[m]
        change(x, m)
        y = np.zeros_like(x)
        y[m] = picked
        return y

    assert st.jacobian_sparsity(f, np.ones(4)).toarray().all()


@pytest.mark.parametrize(
    "other",
    [
        lambda x, m: np.where(x[::-1] > 0, m, False),
        lambda x, m: m + np.array([True, False, False, True]),
        lambda x, m: np.maximum(m, x[::-1] > 1),
        lambda x, m: m & (x[::-1] > 1),
        lambda x, m: -2 * x + 1 > 0,
        lambda x, m: m[::-1],
        lambda x, m: np.sort(m),
    ],
)
def test_a_mask_made_of_another_picks_other_elements(other):
    def f(x):
        m = x > 0
        y = np.zeros_like(x)
        y[other(x, m)] = x[m]
        return y

    assert st.jacobian_sparsity(f, np.ones(4)).toarray().all()


def test_an_index_that_leads_out_of_the_array_is_not_read():
    def f(x):
        i = np.flatnonzero(np.append(x[:-1] > 0, False))
        return np.sum(x[i + 1])

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(4)), [[0, 1, 1, 1]])


def test_places_that_several_lead_to_take_all_of_them():
    def f(x):
        i = np.flatnonzero(x > 0)
        y = np.zeros(2)
        y[i // 2] = x[i]
        return y

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(4)), [[1, 1, 0, 0], [0, 0, 1, 1]])


def test_an_empty_choice_may_be_caught():
    def f(x):
        try:
            return x[x > 0].max()
        except ValueError:
            return 3 * x[0] + x[3]

    assert st.jacobian_sparsity(f, np.ones(4)).nnz == 4


def test_nothing_is_lost_where_whether_there_are_any_decides():
    def f(x):
        i = np.flatnonzero(x > 1)
        return x[:2].sum() if i.size > 0 else x[2:].sum()

    assert st.jacobian_sparsity(f, np.ones(4)).nnz == 4


def test_a_list_that_changed_makes_another_mask():
    def f(x):
        bounds = [0.1 * x[0], 0.2 * x[1], 0.3 * x[2], 0.4]
        picked = x[x > bounds]
        bounds[0] = x[3]
        y = np.zeros_like(x)
        y[x > bounds] = picked
        return y

    assert st.jacobian_sparsity(f, np.ones(4)).toarray().all()


def test_placed_by_another_mask():
    """Any may stand anywhere; and NumPy raises an error where there are none."""

    def f(x):
        y = x[::-1].copy()
        try:
            np.place(y, x > 0, x[x < 1] ** 2)
        except ValueError:
            y[0] = x[0] * x[1]
        return y

    def of_no_shape(x):
        y = np.zeros((3, 4))
        np.place(y, x[:, np.newaxis] > 0, x[x > 0])
        return y

    x = np.linspace(-1.5, 1.5, 12)
    assert dense(st.jacobian_sparsity(f, x)).all()
    with pytest.raises(st.ValueDependentError, match=r"np\.place of x\[mask\]"):
        st.jacobian_sparsity(of_no_shape, x)


def test_a_list_of_truth_values_is_no_list_of_places():
    with pytest.raises(st.ValueDependentError, match="several elements"):
        st.jacobian_sparsity(lambda x: x[x > 0][[True] * 80], np.ones(80))


def test_a_ufunc_where_elements_that_were_picked_are_true_is_refused():
    def f(x):
        picked = x[x > 0]
        return np.sin(picked, where=picked > 1).sum()

    with pytest.raises(st.TracingError, match="where="):
        st.jacobian_sparsity(f, np.ones(80))
