"""Marks the fast subset of the tests, ``pytest -m fast``; and what tests of all rooms share.

Of each test function one case in `ONE_IN` is marked, and at least one; all of those without
parameters, therefore.  There is no list: a hash of its name says which case, so that different
functions take different ones (of 316 ufuncs each test takes others), and a case stays in while
files move.  The cases are spread over their subjects, the first words of their ids.  Taken whole
are the tests that a rule loses no dependency (`WHOLE`), which take milliseconds a case.  Tests
marked `slow` are left out.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import re
import types
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from zlib import crc32

# Matrices of the tests are small: threads for them wait for one another, and with a worker on
# each core for those of the other workers, too.  BLAS reads it when NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, lowest
from sparsetrace.rules import RECORDS

ONE_IN = 10
"""With this the subset takes a sixth of the time of all tests: a few minutes."""
WHOLE = re.compile(r"test_nothing_is_(missing|cut_wrongly|wrongly_flat)")
SUBJECT = re.compile(r"[^\[]*\[?[\w.]*")


def chosen(names: Iterable[str]) -> set[str]:
    """The cases of one test function that belong to the fast subset.

    Examples
    --------
    >>> sorted(chosen(["test_f[sum axis=0]", "test_f[sum axis=1]", "test_f[mean axis=0]"]))
    ['test_f[sum axis=0]']
    """
    by_hash = sorted(names, key=lambda name: (crc32(name.encode()), name))
    if by_hash and WHOLE.match(by_hash[0]):
        return set(by_hash)
    earlier: Counter[str] = Counter()
    rounds = []
    for name in by_hash:
        subject = SUBJECT.match(name)[0]
        rounds.append(earlier[subject])
        earlier[subject] += 1
    # first a case of each subject, then a second one of each
    ordered = [name for _, name in sorted(zip(rounds, by_hash, strict=True), key=lambda p: p[0])]
    return set(ordered[: -(-len(ordered) // ONE_IN)])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fast: in the subset that takes a few minutes")
    config.addinivalue_line("markers", "slow: takes more than a second; not in the fast subset")


TESTS = str(Path(__file__).parent)
_own_functions: list[types.FunctionType] = []
_hidden: list[types.FunctionType] = []


def pytest_collection_finish() -> None:
    """Leave tens of thousands of tests out of what Python's garbage collector looks through.

    The search for holders of an array looks through the same, in the time it takes users.
    """
    _own_functions[:] = (
        item
        for item in gc.get_objects()
        if type(item) is types.FunctionType and item.__code__.co_filename.startswith(TESTS)
    )
    _hide()


def _hide() -> None:
    gc.collect()
    _freeze()


def _freeze() -> None:
    gc.freeze()
    _hidden[:] = _own_functions


_OFTEN = 200
_ended = itertools.count(1)


def pytest_runtest_logfinish() -> None:
    """Leave out what earlier tests have left behind, too."""
    if next(_ended) % _OFTEN == 0:
        _hide()


@pytest.fixture
def frozen() -> Iterator[None]:
    """What was there before need not be looked at again and again."""
    _freeze()
    yield
    gc.unfreeze()  # what the test has made
    _freeze()


@pytest.fixture
def seen_functions() -> None:
    """The garbage collector sees the functions of tests/ again, as it sees those of users.

    ``gc.unfreeze`` would show it the tests, too, in which each search takes a quarter of a second.
    """
    while _hidden:
        function = ctypes.py_object(_hidden.pop())
        ctypes.pythonapi.PyObject_GC_UnTrack(function)
        ctypes.pythonapi.PyObject_GC_Track(function)


@pytest.hookimpl(tryfirst=True)  # before -m is looked at
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    functions = defaultdict(dict)
    for item in items:
        if item.get_closest_marker("slow") is None:
            functions[item.nodeid.partition("[")[0]][item.name] = item
    for cases in functions.values():
        for name in chosen(cases):
            cases[name].add_marker("fast")


@pytest.fixture(autouse=True)
def own_ufuncs() -> Iterator[None]:
    """What the test registers for ufuncs is gone after it: other tests go through the records."""
    before = dict(RECORDS)
    yield
    if before != RECORDS:
        RECORDS.clear()
        RECORDS.update(before)


@pytest.fixture(autouse=True, scope="session")
def graphs_know_whether_they_are_pure() -> Iterator[None]:
    """Of every result: rules may skip the look for ids without a node in a pure graph."""
    plain = Trace.wrap

    def wrap(self, result):
        if self.graph.pure:
            ids = np.asarray(getattr(result, "ids", result))
            problem = "an id without a node in a graph that calls itself pure"
            assert not ids.size or lowest(ids) > OPAQUE, problem
        return plain(self, result)

    Trace.wrap = wrap
    yield
    Trace.wrap = plain
