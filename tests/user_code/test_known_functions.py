"""Caches, logs, clocks and generators of random numbers that change nothing for other paths."""

import functools
import io
import logging
import math
import os
import random
import sys
import time
import types

import numpy as np
import pytest

from sparsetrace.user_code.effects import has_effects

SEEN = []
TABLE_OF_NUMBERS = [0.0, 1.0, 2.0]


@functools.cache
def from_arguments(n):
    return math.sqrt(n) + TABLE_OF_NUMBERS[n]


@functools.lru_cache(maxsize=4)
def from_state(n):
    return STATE.density * n


@functools.cache
def counted(n):
    SEEN.append(n)
    return n


@functools.cache
def an_iterator(n):
    return map(abs, TABLE_OF_NUMBERS)


@functools.cache
def items_of_a_class(n):
    return n.density


def drawn(v):
    rng = np.random.default_rng(1)
    other = random.Random(2)
    return v * rng.normal() + other.gauss(0.0, 1.0)


def drawn_or_given(v, rng):
    if rng is None:
        rng = np.random.default_rng(1)
    return v * rng.normal()


def drawn_elsewhere(v):
    rng = np.random.default_rng(1)
    rng = SHARED_GENERATOR
    return v * rng.normal()


SHARED_GENERATOR = np.random.default_rng(0)
STATE = types.SimpleNamespace(density=1.0)
QUIET = logging.getLogger("sparsetrace.quiet")
QUIET.setLevel(logging.ERROR)
HARMLESS = {
    "a cache": lambda v: from_arguments(2) * v,
    "a quiet log": lambda v: QUIET.info("%s", v) or v,
    "a question to a log": lambda v: QUIET.isEnabledFor(10) and v,
    "a clock": lambda v: time.perf_counter() and v,
    "a generator of its own": drawn,
}
HARMFUL = {
    "a cache of a state": lambda v: from_state(2) * v,
    "a cache that is noticed": lambda v: counted(2) * v,
    "a cache of an iterator": lambda v: next(iter(an_iterator(2))) * v,
    "a cache by objects": lambda v: items_of_a_class(v) * v,
    "a log": lambda v: QUIET.error("%s", v) or v,
    "a generator that is given": drawn_or_given,
    "a generator of all": drawn_elsewhere,
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_changes_nothing(name):
    assert not has_effects(HARMLESS[name], (0.5,))


@pytest.mark.parametrize("name", HARMFUL)
def test_what_may_change_something(name):
    assert has_effects(HARMFUL[name], (0.5, SHARED_GENERATOR))


def test_what_a_cache_reads_is_not_to_be_undone():
    def f(v):
        return from_arguments(2) * v

    assert has_effects(f, (1.0,), undoes=True)
    assert not has_effects(lambda v: half(3) * v, (1.0,), undoes=True)


@functools.cache
def half(n):
    return n / 2


def logged(v):
    if v > 0:
        LOG.warning("large: %s", v)
    return v


LOG = logging.getLogger("sparsetrace.loud")


class Kept(logging.Handler):
    def emit(self, record):
        SEEN.append(record)


@pytest.fixture
def log():
    """A log that no handler of the tests' listens to; pytest adds its own before a test begins."""
    log = logging.getLogger("sparsetrace.loud")
    log.propagate, before = False, log.handlers[:]
    yield log
    log.propagate, log.handlers[:] = True, before


def test_logs_that_come_to_the_user_alone(log):
    log.handlers.clear()
    known = {}
    assert has_effects(logged, (1.0,), known=known)
    assert not has_effects(logged, (1.0,), may_speak=True, known=known)
    with open(os.devnull, "w") as stream:
        log.addHandler(logging.StreamHandler(stream))
        assert not has_effects(logged, (1.0,), may_speak=True, known=known)
    for handler in (Kept(), logging.StreamHandler(io.StringIO())):
        log.handlers[:] = [handler]
        assert has_effects(logged, (1.0,), may_speak=True)
        assert has_effects(logged, (1.0,), may_speak=True, known=known)


def test_logs_that_come_to_a_notebook(log, monkeypatch):
    """Its streams are no files, and show what is written into them."""

    class Shown(io.TextIOBase):
        pass

    stream = Shown()
    log.handlers[:] = [logging.StreamHandler(stream)]
    assert has_effects(logged, (1.0,), may_speak=True)
    monkeypatch.setattr(sys, "stderr", stream)
    assert not has_effects(logged, (1.0,), may_speak=True)


def test_a_log_that_becomes_loud(log):
    known = {}
    log.setLevel(logging.ERROR)
    try:
        assert not has_effects(logged, (1.0,), known=known)
        log.setLevel(logging.DEBUG)
        assert has_effects(logged, (1.0,), known=known)
    finally:
        log.setLevel(logging.NOTSET)
