"""What `functools.lru_cache` holds, read and put back."""

from __future__ import annotations

import functools

import pytest

from sparsetrace.user_code.kept_results import another_cache, exchange, held_by, kept_results

SIZES = (None, 8)


def made(size, **options):
    runs = []

    @functools.lru_cache(maxsize=size, **options)
    def known(*arguments, **by_name):
        runs.append(arguments)
        return {"is": arguments, **by_name}

    known.runs = runs
    return known


CALLS = ([(), (1,), ("a",), (1.5,), ((1, 2),), (1, 2)], [{}, {"k": 1}, {"k": 1, "other": "a"}])


@pytest.mark.parametrize("size", [None, 64])
@pytest.mark.parametrize("typed", [False, True])
def test_another_cache_answers_every_call_that_one_remembers(size, typed):
    cache = made(size, typed=typed)
    first = [cache(*args, **named) for args in CALLS[0] for named in CALLS[1]]
    runs = len(cache.runs)
    other = another_cache(cache)
    again = [other(*args, **named) for args in CALLS[0] for named in CALLS[1]]
    assert all(a is b for a, b in zip(again, first, strict=True))
    assert len(cache.runs) == runs
    other("something else")
    assert len(cache.runs) == runs + 1
    assert cache.cache_info().currsize == len(first)


@pytest.mark.parametrize("size", SIZES)
def test_a_cache_is_put_back_without_a_call(size):
    cache = made(size)
    results = [cache(1), cache(2, k=3)]
    held, runs = held_by(cache), len(cache.runs)
    cache.cache_clear()
    cache(5)
    held.put_back(cache)
    assert [cache(1) is results[0], cache(2, k=3) is results[1]] == [True, True]
    assert len(cache.runs) == runs + 1
    assert kept_results(cache) == results
    assert cache(5) == {"is": (5,)}
    assert len(cache.runs) == runs + 2


def test_what_is_forgotten_first_is_so_in_another_cache():
    cache = made(2)
    cache(1), cache(2), cache(1)
    other = another_cache(cache)
    other(3)
    assert [result["is"] for result in kept_results(other)] == [(1,), (3,)]


def test_a_stand_in_is_found_where_a_cache_is_filled_again():
    cache = made(4)
    result, stand_in = cache(1), object()
    exchange(cache, 0, stand_in)
    assert another_cache(cache)(1) is stand_in
    exchange(cache, 0, result)
    assert another_cache(cache)(1) is result


@pytest.mark.parametrize("size", SIZES)
def test_an_empty_cache_holds_nothing(size):
    cache = made(size)
    assert kept_results(cache) == []
    assert another_cache(cache)(1) == {"is": (1,)}
    held = held_by(cache)
    cache(1)
    held.put_back(cache)
    assert kept_results(cache) == []
