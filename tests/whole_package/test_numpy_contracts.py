"""What this package assumes of NumPy and SciPy; a new release that differs fails here."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import scipy.sparse

from sparsetrace.dispatch.calls import RULES
from sparsetrace.errors import EscapeError
from sparsetrace.operands.poison import POISON, frame
from sparsetrace.operands.registry import ANYTHING


# ------------------------------------------------------------------------ poison
def test_a_frame_is_a_read_only_view_of_one_object():
    found = frame((3, 4))
    assert found.shape == (3, 4)
    assert found.strides == (0, 0)
    assert found.dtype == object
    assert not found.flags.writeable
    assert found[1, 2] is POISON
    assert frame((3, 4)) is found
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 1.0


def test_the_memory_around_the_element_is_poison_too():
    element = frame(())
    below = np.lib.stride_tricks.as_strided(element, (1000,), (-8,))
    above = np.lib.stride_tricks.as_strided(element, (1000,), (8,))
    assert all(item is POISON for item in [*below, *above])


@pytest.mark.parametrize(
    "use",
    [
        lambda p: p + 1,
        lambda p: 1 - p,
        lambda p: p < 1,
        lambda p: p == p,
        lambda p: -p,
        lambda p: p[0] if hasattr(p, "__getitem__") else abs(p),
        float,
        int,
        complex,
        bool,
        hash,
        round,
        range,
    ],
)
def test_poison_raises_at_every_use(use):
    with pytest.raises(EscapeError):
        use(POISON)


@pytest.mark.parametrize("name", ["__len__", "__iter__", "__getitem__", "__array__"])
def test_poison_has_nothing_that_numpy_probes_for(name):
    assert not hasattr(POISON, name)


@pytest.mark.parametrize(
    "call",
    [
        lambda a: a * 2,
        lambda a: a.sum(),
        lambda a: a.astype(float),
        lambda a: a == 1,
        lambda a: np.sort(a),
        lambda a: np.max(a),
        lambda a: a @ np.ones(3),
        lambda a: np.array(a, float),
        lambda a: a.mean(),
        lambda a: np.where(a, 1, 2),
        lambda a: np.sin(a),
        lambda a: np.isnan(a),
        lambda a: bool(a[0]),
        lambda a: a.argmax(),
        lambda a: np.count_nonzero(a),
        lambda a: a.nonzero(),
        lambda a: np.zeros(3).__setitem__(slice(None), a),
        lambda a: np.add(a, 1.0, out=np.zeros(3)),
        lambda a: np.bincount([0, 1, 2], weights=a),
    ],
)
def test_numpy_lets_the_error_of_poison_pass(call):
    """NumPy tries again after TypeError and AttributeError, so it is neither."""
    with pytest.raises((EscapeError, TypeError)) as found:
        call(np.array(frame((3,))))
    if isinstance(found.value, TypeError):
        assert any(word in str(found.value) for word in ("'_Poison'", "ufunc", "Cannot cast"))


# ------------------------------------------------------------ subclasses and views
def test_a_subclass_with_slots_and_no_finalizer_leaves_them_unset():
    class Sub(np.ndarray):
        __slots__ = ("extra",)

    made = frame((3,)).view(Sub)
    made.extra = 1
    assert not hasattr(made.copy(), "extra")
    assert not hasattr(np.ndarray.__getitem__(made, slice(1)), "extra")


def test_views_of_id_arrays_share_memory():
    ids = np.arange(6, dtype=np.int32)
    for view in (ids[1:], ids.reshape(2, 3), ids.T, ids[None], ids[...], ids.ravel()):
        assert np.shares_memory(view, ids)
    assert type(ids[2]) is np.int32
    assert type(ids[...]) is np.ndarray
    assert type(ids[()]) is np.ndarray
    assert type(ids.reshape(())[()] if ids.size == 1 else np.array(3)[...]) is np.ndarray


def test_the_last_of_several_writes_to_one_place_wins():
    ids = np.zeros(3, np.int32)
    ids[[1, 1, 1]] = [4, 5, 6]
    assert ids.tolist() == [0, 6, 0]


def test_overlapping_assignment_reads_before_it_writes():
    ids = np.arange(6)
    ids[1:] = ids[:-1]
    assert ids.tolist() == [0, 0, 1, 2, 3, 4]


# ------------------------------------------------------------------ private names
@pytest.mark.parametrize(
    "function", [np.gradient, np.trapezoid, np.cov, np.linalg.multi_dot, np.kron, np.diff]
)
def test_functions_show_their_implementation(function):
    implementation = function._implementation
    assert inspect.isfunction(implementation)
    assert isinstance(implementation.__globals__, dict)
    assert implementation.__name__ == function.__name__


def test_concatenator():
    owners = [kind for kind in type(np.r_).__mro__ if "__getitem__" in vars(kind)]
    assert owners[0].__name__ == "AxisConcatenator"
    assert inspect.isfunction(vars(owners[0])["__getitem__"])


def test_grids():
    assert type(np.mgrid).__mro__[1].__name__ == type(np.ogrid).__mro__[1].__name__ == "nd_grid"
    assert inspect.isfunction(vars(type(np.mgrid).__mro__[1])["__getitem__"])


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia", "lil", "dok", "bsr"])
@pytest.mark.parametrize("make", [scipy.sparse.eye_array, scipy.sparse.eye])
def test_sparse_products_go_through_one_method(monkeypatch, form, make):
    matrix = make(3, format=form)
    calls = []
    for name in ("_matmul_dispatch", "_rmatmul_dispatch"):
        owner = next(kind for kind in type(matrix).__mro__ if name in vars(kind))
        original = vars(owner)[name]

        def seen(self, other, *args, name=name, original=original, **kwargs):
            calls.append(name)
            return original(self, other, *args, **kwargs)

        monkeypatch.setattr(owner, name, seen)
    assert (matrix @ np.ones(3)).tolist() == [1.0, 1.0, 1.0]
    assert (np.ones(3) @ matrix).tolist() == [1.0, 1.0, 1.0]
    assert calls[0] == "_matmul_dispatch"
    assert "_rmatmul_dispatch" in calls or calls.count("_matmul_dispatch") > 1


def test_ufuncs_resolve_dtypes_without_data():
    resolved = np.add.resolve_dtypes((np.dtype("f4"), float, None))
    assert resolved[2] == np.dtype("f4")
    assert np.isnan.resolve_dtypes((np.dtype(float), None))[1] == np.dtype(bool)


def test_a_list_of_objects_with_array_ufunc_is_an_object_array():
    class Thing:
        def __array_ufunc__(self, *args, **kwargs):
            return "asked"

    assert np.add(Thing(), 1.0) == "asked"
    assert np.array([Thing(), Thing()]).dtype == object


def test_dispatch_sees_the_elements_of_lists_where_it_should():
    class Thing:
        def __array_function__(self, function, types, args, kwargs):
            return function.__name__

    assert np.concatenate([Thing(), [1.0]]) == "concatenate"
    assert np.stack([Thing(), Thing()]) == "stack"
    assert np.where(True, Thing(), 1.0) == "where"


# -------------------------------------------------------------------- signatures
STATED = {
    rule.function: rule.declared
    for rule in RULES.values()
    if rule.declared is not None and rule.declared != ANYTHING
}


@pytest.mark.parametrize("function", STATED, ids=lambda f: f.__name__)
def test_a_signature_that_is_stated_is_the_one_declared(function):
    try:
        declared = str(inspect.signature(function))
    except ValueError:
        pytest.skip("before NumPy 2.4 compiled functions declare no signature")
    assert STATED[function] == declared[1:-1]


def test_the_function_of_a_rule_declares_or_is_stated():
    assert np.where in STATED
    assert len(STATED) > 15
