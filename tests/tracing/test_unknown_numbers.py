"""Arguments outside ``argnums``: their numbers are unknown, unless they are static."""

from __future__ import annotations

import math
from array import array
from collections import OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse

from cases.shared import Pair
from oracles import assert_same_pattern
from sparsetrace import InputError, TracingError, jacobian_sparsity

OTHERS = (
    object(),
    np.arange(2),
    np.array([True, False]),
    {"n": 3, "name": "a", "none": None},
    "text",
)


def test_f_gets_other_arguments_as_they_are():
    def f(x, *others):
        assert all(got is given for got, given in zip(others, OTHERS, strict=True))
        return x * 2

    assert jacobian_sparsity(f, np.ones(2), *OTHERS).nnz == 2


@pytest.mark.parametrize("options", [{"static_argnums": (1, -1)}, {"local": True, "verify": False}])
def test_static_arguments_are_taken_as_they_are(options):
    array, number = np.array([0.0, 1.0]), 0.5

    def f(x, same, also):
        assert same is array
        assert also is number
        return x * same

    assert jacobian_sparsity(f, np.ones(2), array, number, **options).nnz == 1


@pytest.mark.parametrize("static", [0, (1, 0), -2, 2, "1", 0.5, (1, 1), (1, -1)])
def test_wrong_static_argnums(static):
    with pytest.raises(InputError, match="static_argnums"):
        jacobian_sparsity(lambda x, y: x, np.ones(2), 1.0, static_argnums=static)


UNKNOWN = {
    "a number": 0.0,
    "a number of NumPy's": np.float32(0),
    "an array": np.zeros(2),
    "no dimensions": np.array(0.0),
    "a list": [0.0, 0.0],
    "a dict": {"a": np.zeros(2), "n": 2},
    "a default dict": defaultdict(list, a=np.zeros(2)),
    "an ordered dict": OrderedDict(a=[0.0, 0.0]),
    "a named tuple": Pair(np.zeros(2), 2),
    "objects": np.array([0.0, 0.0], object),
    "complex": np.zeros(2, complex),
    "a map of memory": None,
    "masked": np.ma.array([0.0, 0.0], mask=[False, False]),
    "shown attributes": SimpleNamespace,
    "a deque": deque([0.0, 0.0], maxlen=2),
    "other byte order": np.zeros(2, np.dtype(float).newbyteorder()),
    "a repeated number": np.broadcast_to(0.0, (2,)),
    "turned around": np.zeros(4)[::-2],
}


class Attributes(dict):
    """Keys are attributes."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_arguments_keep_their_types_and_cut_nothing(name, tmp_path):
    given = UNKNOWN[name]
    if name == "a map of memory":
        given = np.memmap(tmp_path / "numbers", float, "w+", shape=(2,))
    elif name == "shown attributes":
        given = Attributes(a=np.zeros(2))

    def f(x, y):
        assert isinstance(y, type(given)) or name in ("a map of memory", "masked")
        part = y.a if name == "shown attributes" else y["a"] if isinstance(y, dict) else y
        part = part.first if isinstance(part, Pair) else part
        return x * np.asarray(list(part)) if isinstance(part, list | deque) else x * part

    assert jacobian_sparsity(f, np.ones(2), given).nnz == 2


@pytest.mark.parametrize(
    "given",
    [
        np.matrix([[1.0]]),
        np.zeros(2, [("a", float)]).view(np.recarray),
        np.zeros(2, [("a", float)]),
        Fraction(1, 2),
        Decimal("0.5"),
        {"nested": [np.matrix([[1.0]])]},
        np.zeros(2, [("a", float)])[0],
        {0.5, 1.5},
        array("d", [0.5]),
        memoryview(np.zeros(2)),
        scipy.sparse.lil_array(np.eye(2)),
    ],
)
def test_arguments_whose_numbers_cannot_be_unknown(given):
    with pytest.raises(InputError, match="static_argnums="):
        jacobian_sparsity(lambda x, y: x, np.ones(2), given)
    assert jacobian_sparsity(lambda x, y: x, np.ones(2), given, static_argnums=1).nnz == 2


@pytest.mark.parametrize(
    "f",
    [
        lambda x, t: np.diff(x[: int(t)]),
        lambda x, t: np.zeros(3) * np.linspace(0, 1, int(t))[-1] * x,
        lambda x, t: x * {1.0: 2.0}[t],
        lambda x, t: math.fsum(x * np.interp(0.5, [0.0, t], [0.0, 1.0])) if t.hex() else x,
    ],
)
def test_an_error_names_the_way_out_for_unknown_arguments(f):
    with pytest.raises(TracingError, match="static_argnums=1"):
        jacobian_sparsity(f, np.ones(2), 1.0)


def test_an_error_names_the_unknown_arguments_alone():
    given = np.ones(2), np.ma.array([1.0, 2.0], mask=[0, 1]), 3, scipy.sparse.csr_array(np.eye(2))
    with pytest.raises(TracingError, match=r"static_argnums=\(1, 3\)"):
        jacobian_sparsity(lambda x, w, n, A: np.diff(x[: int(w[0])]), *given)


def test_an_error_of_known_arguments_names_no_way_out_for_unknown_ones():
    with pytest.raises(TracingError) as found:
        jacobian_sparsity(lambda x, t: np.diff(x[: int(x[0])]), np.ones(2), 1)
    assert "static_argnums" not in str(found.value)


def test_unknown_arrays_share_memory_as_the_arguments_do():
    def f(x, whole, part, same, turned):
        part[:] = x
        return np.concatenate([whole, same[:1], turned[0]])

    whole = np.zeros((3, 2))
    pattern = jacobian_sparsity(f, np.ones(2), whole[:, 0], whole[1:, 0], whole[:, 0], whole.T)
    expected = np.zeros((7, 2))
    expected[[1, 2, 5, 6], [0, 1, 0, 1]] = 1
    assert_same_pattern(pattern, expected)


def test_a_work_array_can_be_filled():
    def f(x, work):
        work[:] = 2 * x
        return work[::-1]

    work = np.zeros(2)
    assert_same_pattern(jacobian_sparsity(f, np.ones(2), work), np.eye(2)[::-1])
    assert not work.any()
