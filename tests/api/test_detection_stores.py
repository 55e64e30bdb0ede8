"""Where users read of a store: each name in the tables is in the types and docstrings too."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from sparsetrace import hessian_sparsity, jacobian_sparsity
from sparsetrace.api import detection
from sparsetrace.propagation.hessian_stores import HESSIAN_STORES
from sparsetrace.propagation.jacobian_stores import STORES

PLACES = {
    "STORES": (STORES, "Store", jacobian_sparsity, "store"),
    "HESSIAN_STORES": (HESSIAN_STORES, "HessianStore", hessian_sparsity, "hessian_store"),
}


def not_named(stores, annotation, function, keyword):
    """What is to be written where, for each place that lacks a name or has one too many."""
    listed = re.search(rf"^ *{keyword} : \{{(.*)\}}$", function.__doc__, re.MULTILINE)
    places = {
        f"`{annotation}` of sparsetrace/api/detection.py": get_args(getattr(detection, annotation)),
        f"the docstring of {function.__name__}": re.findall(r'"(\w+)"', listed[1]),
    }
    return [
        f'{name}: name it in, or drop it from, {place} (CONTRIBUTING.md, "Add a store")'
        for place, names in places.items()
        for name in sorted(set(stores) ^ set(names))
    ]


@pytest.mark.parametrize("table", PLACES)
def test_every_store_is_named_where_users_choose(table):
    missing = not_named(*PLACES[table])
    assert not missing, "\n".join(missing)


def test_a_store_that_is_named_nowhere_is_found():
    stores, *places = PLACES["STORES"]
    missing = not_named({**stores, "tree": None}, *places)
    assert [line.partition(":")[0] for line in missing] == ["tree", "tree"]
    assert "`Store` of sparsetrace/api/detection.py" in missing[0]
    assert "the docstring of jacobian_sparsity" in missing[1]
