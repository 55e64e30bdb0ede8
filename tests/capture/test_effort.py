"""A search of paths is limited by what it does, not by how fast the machine is."""

import itertools
import warnings

import numpy as np
import pytest

import sparsetrace as st
from cases.branches_per_element import upwind
from cases.scaling import to_a_tolerance
from sparsetrace.capture import apart_functions, effort
from sparsetrace.capture.effort import Effort
from sparsetrace.capture.session import Session

pytestmark = pytest.mark.usefixtures("seen_functions")


STEPS = [50, 200, 400, 1600]


def found(monkeypatch, seconds):
    """With which limits the pattern is found where so much time passes between looks at the clock.

    At each run of a path it is looked at once or twice.
    """
    clock = itertools.count(0.0, seconds)
    monkeypatch.setattr(effort, "process_time", lambda: next(clock))
    monkeypatch.setattr(apart_functions, "_RUNS", 0)
    result = []
    for steps in STEPS:
        monkeypatch.setattr(apart_functions, "_MOST_STEPS", steps)
        try:
            st.jacobian_sparsity(upwind, np.linspace(0.1, 0.9, 30), verify=False)
        except st.ValueDependentError:
            result.append(False)
        else:
            result.append(True)
    return result


def test_what_is_found_is_the_same_on_a_slower_machine(monkeypatch):
    usual = found(monkeypatch, 0.0)
    assert usual == sorted(usual)
    assert usual.count(True) > 1
    assert not usual[0]
    assert found(monkeypatch, 1e-4) == usual
    assert sum(found(monkeypatch, 0.1)) < sum(usual)


def test_where_steps_take_very_long_their_time_counts(monkeypatch):
    now = 0.0
    monkeypatch.setattr(effort, "process_time", lambda: now)
    done = Effort()
    done.steps = 7
    assert done.spent() == 7
    now = 2.0
    assert done.spent() == 2 * effort._PER_SECOND


def test_other_programs_count_little_and_waiting_does(monkeypatch):
    clock = 0.0
    monkeypatch.setattr(effort, "process_time", lambda: 0.0)
    monkeypatch.setattr(effort, "monotonic", lambda: clock)
    done = Effort()
    assert done.spent() == 0
    clock = 8.0
    assert done.spent() == 8 * effort._PER_SECOND / effort._WAITED


def test_what_is_spared_is_not_spent(monkeypatch):
    monkeypatch.setattr(effort, "process_time", lambda: 0.0)
    done = Effort()
    done.steps = 5
    began = done.spent()
    done.steps += 100
    done.spare(began)
    assert done.spent() == 5


@pytest.mark.parametrize("seconds", [1.08e-3, 1.15e-3, 1.21e-3])
def test_a_slow_machine_is_not_taken_for_a_function_that_changes(monkeypatch, seconds):
    """Paths are run in a random order once a search takes long, which may be between two runs."""
    clock = itertools.count(0.0, seconds)
    monkeypatch.setattr(effort, "process_time", lambda: next(clock))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pattern = st.jacobian_sparsity(to_a_tolerance, np.ones(3), max_paths=100, verify=False)
        except st.ValueDependentError as error:
            assert "very many decision paths" in str(error)  # noqa: PT017
        else:
            assert pattern.nnz == 5


def test_many_attempts_end_when_they_have_taken_long(monkeypatch):
    def steps(k):
        effort_of_it = Effort()
        effort_of_it.steps = k
        return effort_of_it.is_exhausted(max_paths=1), effort_of_it.is_exhausted(max_paths=4096)

    monkeypatch.setattr(effort, "process_time", lambda: 0.0)
    assert steps(effort._PER_PATH * 1024 + 1) == (True, False)
    assert steps(effort._PER_PATH * 4096 + 1) == (True, True)
    late = Effort()
    late.steps = effort._PER_PATH * 1024 + 1
    assert late.is_exhausted(max_paths=1, times=1) > late.is_exhausted(max_paths=1, times=2)
    done = Effort()
    done.steps = 10**6
    done.rest()
    assert not done.is_exhausted(max_paths=1)


def spelled(x):
    """What is returned depends on the text, of which there are too many, in whatever way."""
    names = ""
    for i, v in enumerate(x):
        if v > 0:
            names += "p" if v > 1 else "q"
        while len(names) < i and v < 7:
            v = v + x[0]
            names += "r"
        names += "s" if v < 5 else "t"
    return [x[int.from_bytes(names.encode(), "little") % 7] for _ in names]


def test_no_other_way_is_tried_after_a_few_that_took_long(monkeypatch):
    attempts = []
    is_over = Session.is_over

    def counted(session):
        attempts.append(session.attempts)
        return is_over(session)

    monkeypatch.setattr(Session, "is_over", counted)
    most = []
    is_exhausted = Effort.is_exhausted
    for exhausted in (is_exhausted, lambda *_, times=1: times == 1, lambda *_, times=1: True):
        monkeypatch.setattr(Effort, "is_exhausted", exhausted)
        with pytest.raises(st.ValueDependentError, match="more than max_paths=1024"):
            st.jacobian_sparsity(spelled, np.linspace(0.1, 0.9, 14), verify=False)
        most.append(max(attempts))
        attempts.clear()
    usual, hurried, very_late = most
    assert usual > hurried == 4
    assert very_late == 2
