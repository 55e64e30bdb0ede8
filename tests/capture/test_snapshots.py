"""What functions change in objects is undone after each path, and united."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from cases import changing_objects, kept_places
from oracles import dense
from sparsetrace import ValueDependentError, jacobian_sparsity
from sparsetrace.capture.apart_writes import CannotUndo
from sparsetrace.capture.snapshots import Reachable, Snapshot

LINEAR = [*changing_objects.LINEAR, *kept_places.LINEAR]
OTHERS = [*changing_objects.OTHERS, *kept_places.OTHERS]
FEW = np.linspace(0.3, 1.7, 6)
MANY = np.linspace(0.3, 1.7, 16)


def at_points(f, like):
    rng = np.random.default_rng(3)
    points = [like, *(like * rng.uniform(0.2, 2.5, like.shape) for _ in range(6))]
    with np.errstate(all="ignore"):
        return np.any([dense(jacobian_sparsity(f, x, local=True)) for x in points], axis=0)


def united(f, max_paths):
    """The pattern, without what is missing; None where there are too many paths."""
    try:
        return dense(jacobian_sparsity(f, FEW, max_paths=max_paths, verify=False))
    except ValueDependentError as error:
        return None if "more than max_paths" in str(error) else str(error)


@pytest.mark.parametrize("f", [*LINEAR, *OTHERS])
def test_objects_that_change_by_branches(f, seen_functions):
    """As by all paths, or refused: a path that sees what another has changed would add to it."""
    with np.errstate(all="ignore"):
        expected = united(f, 5_000)
        assert not (at_points(f, FEW) & ~expected).any()
        for found in (united(f, 3), united(f, 16)):
            if found is not None:
                assert not (expected & ~found).any()
                assert (found & ~expected).sum() <= 1


@pytest.mark.parametrize("f", LINEAR)
def test_many_steps_take_time_in_proportion(f, seen_functions):
    with np.errstate(all="ignore"):
        found = dense(jacobian_sparsity(f, MANY, verify=False))
        assert not (at_points(f, MANY) & ~found).any()


class Tank:
    kind = "tank"

    def __init__(self):
        self.level = 1.0
        self.log = [0.0]
        self.array = np.zeros(2)
        self.parts = {"a": self}


def test_changes_are_found_and_undone():
    tank = Tank()
    snapshot = Snapshot(None, Reachable([tank]))
    tank.level, tank.log[0], tank.new = 2.0, 3.0, 4.0
    tank.log.append(5.0)
    tank.array[1] = 6.0
    snapshot.find()
    assert sorted(map(str, snapshot.now().values())) == ["2.0", "3.0", "4.0", "[0. 6.]", "[5.0]"]
    snapshot.undo()
    assert (tank.level, tank.log, tank.array.tolist()) == (1.0, [0.0], [0.0, 0.0])
    assert not hasattr(tank, "new")
    assert tank.parts == {"a": tank}


def removed(tank):
    tank.log.clear()


def deleted(tank):
    del tank.level


def of_the_class(tank):
    type(tank).kind = "pool"


def renamed(tank):
    tank.volume = vars(tank).pop("level")
    tank.log, tank.array, tank.parts = map(vars(tank).pop, ("log", "array", "parts"))


@pytest.mark.parametrize("change", [removed, deleted, of_the_class, renamed])
def test_what_is_not_united_is_undone_all_the_same(change):
    tank = Tank()
    snapshot = Snapshot(None, Reachable([tank]))
    change(tank)
    with pytest.raises(CannotUndo):
        snapshot.find()
    snapshot.undo()
    assert (tank.level, tank.log, tank.kind) == (1.0, [0.0], "tank")
    assert list(vars(tank)) == ["level", "log", "array", "parts"]


def test_what_was_changed_before_it_is_noted_was_what_it_is_in_the_beginning():
    tank = Tank()
    snapshot = Snapshot(None, Reachable([tank]))
    tank.level = 2.0
    snapshot.note(vars(tank), "level")
    tank.log += [1.0, 2.0]
    snapshot.note_append(tank.log)
    snapshot.note(tank.log, -1)
    tank.level = 3.0
    snapshot.undo()
    assert (tank.level, tank.log) == (1.0, [0.0])


@pytest.mark.parametrize("item", [iter([1]), np.random.default_rng(0), np.zeros(200_000), open])
def test_what_may_change_unseen_is_not_known(item):
    assert Reachable([[item]]).unknown is (item is not open)


@functools.lru_cache
def table(n):
    return {"n": n}


def test_what_a_cache_has_gained_is_taken_out_again():
    """Another path would find there what holds the numbers of this one."""
    table.cache_clear()
    kept = table(1)
    snapshot = Snapshot(None, Reachable([table]))
    table(2)
    with pytest.raises(CannotUndo):
        snapshot.find()
    snapshot.undo()
    assert table.cache_info().currsize == 1
    assert table(1) is kept


def test_what_is_written_into_a_result_of_a_cache_is_undone():
    table.cache_clear()
    kept = table(1)
    snapshot = Snapshot(None, Reachable([[table]]))
    table(1)["n"] = 5.0
    snapshot.find()
    assert snapshot.before
    snapshot.undo()
    assert kept == {"n": 1}
