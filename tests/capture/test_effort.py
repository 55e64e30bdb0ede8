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
