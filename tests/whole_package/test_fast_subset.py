"""Which tests ``pytest -m fast`` runs."""

from __future__ import annotations

from conftest import ONE_IN, chosen, pytest_collection_modifyitems


class Item:
    """As much of a test as the choice looks at."""

    def __init__(self, nodeid: str, *marks: str) -> None:
        self.nodeid, self.name, self.marks = nodeid, nodeid.rpartition("::")[2], {*marks}

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None

    def add_marker(self, name: str) -> None:
        self.marks.add(name)


def names(function: str, count: int) -> list[str]:
    return [f"{function}[{i}]" for i in range(count)]


def test_one_in_so_many_and_at_least_one():
    for count in (1, 2, ONE_IN, ONE_IN + 1, 100 * ONE_IN):
        few = chosen(names("test_f", count))
        assert len(few) == -(-count // ONE_IN)
        assert few <= set(names("test_f", count))


def test_the_same_in_every_run_whatever_the_order():
    assert chosen(["test_f[a]", "test_f[b]", "test_f[c]"]) == {"test_f[c]"}
    cases = names("test_f", 500)
    assert chosen(cases) == chosen(cases[::-1])


def test_cases_that_come_and_go_move_few_others():
    before, after = chosen(names("test_f", 600)), chosen(names("test_f", 612))
    assert len(before & after) >= len(before) - 1


def test_each_subject_has_a_case_before_one_has_two():
    cases = [f"test_f[{subject} axis={i}]" for subject in "abcdefgh" for i in range(ONE_IN)]
    assert {case.partition(" ")[0][-1] for case in chosen(cases)} == {*"abcdefgh"}


def test_whether_a_rule_loses_a_dependency_is_tried_of_every_rule():
    for name in ("test_nothing_is_missing", "test_nothing_is_cut_wrongly_beside_infinities"):
        assert chosen(names(name, 100)) == {*names(name, 100)}


def test_functions_take_different_cases():
    taken = {case.partition("[")[2] for f in range(40) for case in chosen(names(f"test_{f}", 316))}
    assert len(taken) > 280


def test_what_is_slow_is_left_out():
    items = [Item("a.py::test_one"), Item("a.py::test_slow", "slow")]
    items += [Item(f"b.py::{name}") for name in names("test_many", 2 * ONE_IN)]
    pytest_collection_modifyitems(items)
    fast = [item for item in items if "fast" in item.marks]
    assert fast[0].name == "test_one"
    assert len(fast) == 3
    assert all(item.name.startswith("test_many") for item in fast[1:])
