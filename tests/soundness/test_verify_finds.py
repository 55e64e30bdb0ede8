"""The fix of one family is taken out: its programs lose entries, and ``verify=True`` finds them."""

from __future__ import annotations

import importlib
import itertools
import warnings
from contextlib import contextmanager

import numpy as np
import pytest

from oracles import dense
from sparsetrace import VerificationError, jacobian_sparsity
from sparsetrace.numpy_rules import einsum
from sparsetrace.operands import elementwise
from sparsetrace.operands.operands import Operand

_checked_leaf = importlib.import_module("sparsetrace.tracing.arguments")._checked_leaf
_view = einsum._view


@contextmanager
def unwatched(*, active):
    yield []


def a_copy(*args, **kwargs):
    found = _view(*args, **kwargs)
    if found is not None:
        found.ids = np.array(found.ids)
    return found


def with_zeros_for_values(trace, ufunc, *operands):
    zeros = [Operand(trace, x._ids, x._dtype, np.zeros_like(x._values)) for x in operands]
    return elementwise.combine(trace, ufunc, *zeros)


def a_list_as_an_array(leaf):
    return np.asarray(leaf, float) if isinstance(leaf, list) else _checked_leaf(leaf)


#: What is exchanged, for what, and the program that then loses an entry, in which mode.
TAKEN_OUT = {
    "compiled": ("operands.memory.COMPILERS", frozenset(), "compiled_before", "global"),
    "arguments": (
        "tracing.unknown_numbers._Exchange.of",
        lambda exchange, argument: argument,
        "a_rate_times_the_state",
        "global",
    ),
    "exceptions": ("operands.raising.is_caught", lambda *args: False, "root_or_value", "global"),
    "python_callables": (
        "numpy_rules.python_ufuncs.is_of_python",
        lambda ufunc: False,
        "shifted_by_an_input",
        "global",
    ),
    "ufunc_at": (
        "operands.ufunc_at.combine",
        with_zeros_for_values,
        "scaled_twice",
        "local",
    ),
    "object_results": (
        "dispatch.calls.holds_objects",
        lambda array: False,
        "told_by_dtype",
        "global",
    ),
    "views": ("numpy_rules.einsum._view", a_copy, "diagonal_by_einsum", "global"),
    "exact_types": (
        "capture.exact_types.by_user",
        lambda frame: False,
        "array_by_type",
        "global",
    ),
    "subclasses": (
        "tracing.arguments.seeded_like",
        lambda example, array: array,
        "operators_of_its_own",
        "global",
    ),
    "text": ("numbers.text._numbers", itertools.repeat(1), "compared_as_text", "global"),
    "swallowed": ("tracing.driver.watching", unwatched, "in_a_list_of_lists", "global"),
    "constants": (
        "graph.graph.Graph.rounded",
        lambda self, ids, dtype: ids,
        "single_precision_written_into_doubles",
        "global",
    ),
    "lists": ("tracing.arguments._checked_leaf", a_list_as_an_array, "repeated", "global"),
    "state": (
        "tracing.state.State.put_back",
        lambda self: None,
        "a_counter_that_decides",
        "global",
    ),
}


@pytest.mark.parametrize("family", TAKEN_OUT)
def test_a_family_that_is_lost_is_found(family, monkeypatch):
    target, stand_in, name, mode = TAKEN_OUT[family]
    programs = importlib.import_module(f"soundness.programs.{family}").PROGRAMS
    if not programs:
        pytest.skip("its package is not installed")
    program = next(p for p in programs if p.name == name)
    monkeypatch.setattr(f"sparsetrace.{target}", stand_in)

    def traced(point, *, verify):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return dense(
                jacobian_sparsity(
                    program.make(),
                    *point,
                    argnums=program.argnum,
                    local=mode == "local",
                    verify=verify,
                    **program.options,
                )
            )

    found = False
    for point in program.points:
        known = program.true_pattern("jacobian", mode, point)
        silent = traced(point, verify=False)
        if silent.shape == known.shape and not (known & ~silent).any():
            continue
        with pytest.raises(VerificationError):
            traced(point, verify=True)
        found = True
    assert found, "nothing is lost without the fix: the program shows nothing"
