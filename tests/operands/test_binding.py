"""A rule reads a call by the names of the called function's own signature."""

from __future__ import annotations

import ast
import inspect
import textwrap

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.dispatch import calls
from sparsetrace.operands.registry import RULES, Rule

FUNCTIONS = {f"{f.__module__}.{f.__name__}": f for f in calls.RULES}
HANDLERS = {id(rule.handler): rule.handler for rule in RULES.values()}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_rule_binds(name):
    rule = RULES[FUNCTIONS[name]]
    assert callable(Rule(rule.function, rule.handler, rule.declared).bound())


def test_a_parameter_that_the_function_lacks_is_named_with_the_file():
    def handler(graph, a, axes):
        return a, axes

    with pytest.raises(TypeError, match=rf"sum has no parameter 'axes'.*{__name__.split('.')[-1]}"):
        Rule(np.sum, handler)(None, [1.0])


def unread(handler):
    """The parameters that a handler names and does not use."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(handler)))
    definition = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    read = {
        node.id
        for statement in definition.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    parameters = list(inspect.signature(handler).parameters)[1:]
    return [name for name in parameters if name not in read]


def test_no_handler_names_what_it_does_not_read():
    assert {
        f"{h.__code__.co_filename}:{h.__code__.co_firstlineno}": unread(h)
        for h in HANDLERS.values()
        if unread(h)
    } == {}


def test_a_parameter_that_is_not_read_is_found():
    def handler(graph, a, axis):
        return a

    assert unread(handler) == ["axis"]


def test_values_that_say_not_given_do_not_reach_a_handler():
    def handler(graph, keepdims, initial, where):
        return keepdims, initial, where

    rule = Rule(np.sum, handler)
    assert rule(None, [1.0]) == (False, None, True)
    assert rule(None, [1.0], initial=2.0, keepdims=1, where=False) == (True, 2.0, False)


def test_many_arguments_arrive_as_one():
    def handler(graph, operands, kwargs):
        return operands, kwargs

    assert Rule(np.einsum, handler)(None, "i->", [1.0], dtype=float) == (
        ("i->", [1.0]),
        {"dtype": float},
    )


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda x: np.sum(x, axes=0), "axes"),
        (lambda x: np.linalg.norm(x, 2, 0, False, 3), "norm"),
        (lambda x: np.interp(x, [0.0, 1.0]), "fp"),
        (lambda x: np.cumsum(x, axis=0, out=None, dtype=None, initial=1), "initial"),
    ],
)
def test_errors_for_wrong_arguments_are_numpys(call, problem, local):
    with pytest.raises(TypeError, match=problem):
        call(np.ones(2))
    with pytest.raises(TypeError, match=problem):
        st.jacobian_sparsity(call, np.ones(2), local=local)
