"""Where users read of a store: each name in the tables is one that they are told of."""

from __future__ import annotations

import inspect
from typing import get_args

import pytest

from sparsetrace import hessian_sparsity, jacobian_sparsity
from sparsetrace.propagation.hessian_stores import HESSIAN_STORES
from sparsetrace.propagation.jacobian_stores import STORES

PLACES = {
    "STORES": (STORES, jacobian_sparsity, "store"),
    "HESSIAN_STORES": (HESSIAN_STORES, hessian_sparsity, "hessian_store"),
}


def not_named(stores, function, keyword):
    """The names that are in one place alone; docstrings are made of the types."""
    listed = get_args(inspect.signature(function).parameters[keyword].annotation)
    return [
        f"{name}: name it in, or drop it from, `{keyword}` of sparsetrace/api/options.py "
        '(CONTRIBUTING.md, "Add a store")'
        for name in sorted(set(stores) ^ set(listed))
    ]


@pytest.mark.parametrize("table", PLACES)
def test_every_store_is_named_where_users_choose(table):
    missing = not_named(*PLACES[table])
    assert not missing, "\n".join(missing)


def test_a_store_that_is_named_nowhere_is_found():
    stores, *places = PLACES["STORES"]
    missing = not_named({**stores, "tree": None}, *places)
    assert [line.partition(":")[0] for line in missing] == ["tree"]
    assert "`store` of sparsetrace/api/options.py" in missing[0]
