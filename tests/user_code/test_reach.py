"""What a function can reach by attributes that it finds by text."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.user_code.reach import reached


class Model:
    def __init__(self):
        self.rate = 2.0

    def scaled(self, x):
        return x * self.rate

    def fitted(self, x):
        try:
            return self.scaled(x)
        except ValueError:
            return x


def _module(name, **members):
    made = types.ModuleType(name)
    for key, value in members.items():
        if isinstance(value, types.FunctionType):
            value = types.FunctionType(value.__code__, vars(made), key)
        setattr(made, key, value)
    return made


def hidden(x):
    return x is not None


inner = _module("inner_of_test_reach", hidden=hidden)
outer = _module("outer_of_test_reach", inner=inner)


def by_name(x):
    return getattr(x, "real", None), getattr(Model(), "rate")  # noqa: B009


def by_a_chain(x):
    return getattr(getattr(x, "T", x), "size", x.ndim)


def by_computed_name(x, name="scaled"):
    return getattr(Model(), name)(x)


def of_a_module(x, name="hidden"):
    return getattr(inner, name)(x)


def of_a_module_in_a_module(x, name="inner"):
    return getattr(getattr(outer, name), "hid" + "den")(x)


def of_an_argument(x):
    return found_in(outer.inner, x)


def found_in(where, x, name="hidden"):
    return getattr(where, name)(x)


def taken(x):
    return list(map(getattr, [x], ["T"]))


def by_text_of_two(x, first=True):
    return getattr(x, "T" if first else "real")


def run(x):
    return eval("x")


def imported(x, name="numpy"):
    return getattr(__import__(name), "sin")(x)  # noqa: B009


def names(function):
    return {code.code.co_name for code, _ in reached([function]).codes}


@pytest.mark.parametrize(
    "function",
    [by_name, by_a_chain, by_computed_name, of_a_module, of_an_argument, taken, by_text_of_two],
)
def test_functions_found_by_text_are_known(function):
    assert not reached([function]).unknown


@pytest.mark.parametrize("function", [run, imported])
def test_functions_found_otherwise_are_not(function):
    assert reached([function]).unknown


@pytest.mark.parametrize("function", [of_a_module, of_a_module_in_a_module, of_an_argument])
def test_functions_of_modules_that_have_no_name_in_the_code(function):
    assert "hidden" in names(function)


def test_methods_are_looked_at_whatever_their_name_is():
    assert {"scaled", "fitted"} <= names(by_computed_name)
    assert names(by_name) >= {"scaled", "fitted", "__init__"}


def test_very_many_modules_are_not_known(monkeypatch):
    many = {f"part_{i}": _module(f"part_{i}_of_test_reach") for i in range(70)}
    monkeypatch.setattr(outer, "many", _module("many_of_test_reach", **many), raising=False)
    assert reached([of_a_module_in_a_module]).unknown


def test_a_method_found_by_text_is_traced(seen_functions):
    x = np.ones(2)
    assert st.jacobian_sparsity(by_computed_name, x).nnz == 2
    assert st.jacobian_sparsity(lambda y: by_computed_name(y, "fitted"), x).nnz == 2
    assert sys.gettrace() is None
