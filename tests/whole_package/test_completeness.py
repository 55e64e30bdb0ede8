"""Every overridable function of NumPy is in one class, every member of ndarray answered for."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing.overrides import get_overridable_numpy_array_functions
from outside import Outside
from scipy import special
from where_to_write import FUNCTION, ROOT, SCIPY, UFUNC, for_functions, for_scipy, for_ufuncs

import sparsetrace as st
from sparsetrace.api.coverage import classes, page
from sparsetrace.arrays.array import TracedArray
from sparsetrace.dispatch import calls
from sparsetrace.errors import TracingError
from sparsetrace.numpy_rules.array_manipulation import MOVES
from sparsetrace.operands.implementations import IMPLEMENTED
from sparsetrace.operands.operands import is_traced
from sparsetrace.operands.refusals import REFUSED
from sparsetrace.operands.registry import RULES
from sparsetrace.rules import RECORDS

AT_A_POINT = [f for f in RULES if f in REFUSED]
CLASSES = {
    "rules": RULES.keys() - REFUSED.keys(),
    "moves": MOVES,
    "implemented": IMPLEMENTED,
    "refused": REFUSED,
}

# what registers functions only once it is imported
for _module in "fft linalg strings char lib.recfunctions lib.scimath polynomial".split():
    importlib.import_module(f"numpy.{_module}")

#: Members of ndarray that end in a protocol of NumPy's, or use no element.
HOOKED = frozenset(
    """
    __abs__ __add__ __and__ __divmod__ __eq__ __floordiv__ __ge__ __gt__ __iadd__ __iand__
    __ifloordiv__ __ilshift__ __imatmul__ __imod__ __imul__ __invert__ __ior__ __ipow__
    __irshift__ __isub__ __itruediv__ __ixor__ __le__ __lshift__ __lt__ __matmul__ __mod__
    __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __radd__ __rand__ __rdivmod__ __rfloordiv__
    __rlshift__ __rmatmul__ __rmod__ __rmul__ __ror__ __rpow__ __rrshift__ __rshift__ __rsub__
    __rtruediv__ __rxor__ __sub__ __truediv__ __xor__
    """.split()
)
#: Members that answer from the visible buffer's shape, which is the array's own.
OF_THE_SHAPE = frozenset("__len__ ndim size device __array_namespace__".split())
#: Members that no array computation calls.
OF_THE_CLASS = frozenset(
    """
    __array_finalize__ __class_getitem__ __delitem__ __dlpack_device__ __setstate__
    __buffer__ __release_buffer__ newbyteorder ptp itemset
    """.split()
)


def names(functions):
    return sorted(f"{f.__module__}.{f.__name__}" for f in functions)


def public(function):
    """The function that is handed over: for ``np.eye(..., like=x)`` that is np.eye."""
    return getattr(np, function.__name__, function) if function.__module__ == "numpy" else function


def overridable():
    return {public(function) for function in get_overridable_numpy_array_functions()}


def classified(classes):
    """Functions in no class, in none of NumPy, and in two classes."""
    known = overridable()
    every = [function for members in classes.values() for function in members]
    missing = names(known.difference(every))
    # which compiled constructors are listed differs between releases
    unknown = names(f for f in set(every) - known if public(f) is not getattr(np, f.__name__, 0))
    twice = names(f for f in set(every) if every.count(f) > 1)
    return missing, unknown, twice


def test_every_function_is_in_one_class():
    missing = overridable().difference(*CLASSES.values())
    assert not missing, for_functions(missing)
    assert classified(CLASSES) == ([], [], [])


def without_record(records):
    """Ufuncs of which nothing is known; those with core dimensions have rules like functions."""
    members = (*vars(np).values(), *vars(special).values())
    ufuncs = {m for m in members if isinstance(m, np.ufunc) and m.signature is None}
    return ufuncs.difference(records)


def test_every_ufunc_has_a_record():
    missing = without_record(RECORDS)
    assert not missing, for_ufuncs(missing)


def test_a_ufunc_left_out_is_found():
    fewer = [ufunc for ufunc in RECORDS if ufunc not in (np.hypot, special.erf)]
    assert without_record(fewer) == {np.hypot, special.erf}


def test_the_place_of_a_missing_rule_is_said():
    """Files that exist, and headings of CONTRIBUTING.md."""
    functions = for_functions([np.nanmax, np.linalg.svd, np.where]).splitlines()
    assert "numpy.nanmax has no rule: write it in sparsetrace/numpy_rules/" in functions[0]
    for module in re.findall(r"sparsetrace/\S+?\.py", "".join(functions)):
        assert (ROOT / module).is_file(), module
    ufuncs = for_ufuncs([np.hypot, special.erf])
    scipys = for_scipy(["scipy.signal.lfilter", "scipy.sparse.linalg.spsolve"])
    for pattern in re.findall(r"sparsetrace/\S+(?: |$)", f"{ufuncs} {scipys}"):
        assert list(ROOT.glob(pattern.strip())), pattern
    headings = (ROOT / "CONTRIBUTING.md").read_text().splitlines()
    for text, heading in ((functions[0], FUNCTION), (ufuncs, UFUNC), (scipys, SCIPY)):
        assert f'"{heading}"' in text
        assert f"## {heading}" in headings


@pytest.mark.parametrize(
    ("name", "function"),
    [("rules", np.sum), ("moves", np.roll), ("implemented", np.diff), ("refused", np.unique)],
)
def test_a_function_left_out_is_found(name, function):
    fewer = {f: None for f in CLASSES[name] if f is not function}
    missing, _, _ = classified({**CLASSES, name: fewer})
    assert missing == names([function])


def test_a_function_in_two_classes_is_found():
    more = {**dict.fromkeys(IMPLEMENTED), np.take: None}
    _, _, twice = classified({**CLASSES, "implemented": more})
    assert twice == ["numpy.take"]


@pytest.mark.parametrize("function", AT_A_POINT, ids=lambda f: f.__name__)
def test_what_is_refused_and_has_a_rule_is_traced_at_a_point(function):
    several = () if function.__name__.startswith("unique") else (np.array([1.0, 5.0]),)

    def f(x):
        result = function(x, *several)
        return result[0] if isinstance(result, tuple) else result

    assert f"np.{function.__name__}" in classes()["at a point"]
    try:
        pattern = st.jacobian_sparsity(f, np.array([1.0, 2.0, 3.0]))
    except TracingError as error:
        assert function.__name__ in str(error)  # noqa: PT017
    else:  # as many as for these numbers
        assert any("as for the given arguments" in line for line in pattern.left_out)
    pattern = st.jacobian_sparsity(f, np.array([1.0, 2.0, 2.0]), local=True)
    row = [1, 0, 0] if function is np.intersect1d else [0, 1, 1]
    assert row in pattern.toarray().astype(int).tolist()


def test_the_sets_are_traced_at_a_point():
    assert len(AT_A_POINT) == 9


def test_what_is_no_function_of_numpy_is_found():
    _, unknown, _ = classified({**CLASSES, "more": {names: None}})
    assert unknown == names([names])


def test_the_coverage_page_says_what_the_tables_say():
    path = Path(__file__).parents[2] / "docs" / "coverage.md"
    shown = path.read_text()
    if f"NumPy {'.'.join(np.__version__.split('.')[:2])} " in shown:
        assert shown == page()
    else:  # made with another release
        for title, some in classes().items():
            section = shown.split(f"## {title[0].upper()}{title[1:]}\n")[1].split("\n## ")[0]
            listed = set(re.findall(r"`([\w.]+)`", section))
            other = set(re.findall(r"`([\w.]+)`", shown)) - listed
            assert not {name.removeprefix("np.") for name in some} & other


def test_most_functions_are_traced():
    found = classes()
    total = sum(map(len, found.values()))
    assert total == len(get_overridable_numpy_array_functions())
    assert total - len(found["refused"]) >= 0.86 * total


def test_refused_functions_have_reasons_and_ways_out():
    for function, (problem, *remedies) in REFUSED.items():
        assert problem[0].islower(), function
        assert remedies, function
        for remedy in remedies:
            assert remedy[0].isupper(), function
            assert remedy.endswith("."), function


#: What every class has.
OF_ANY_CLASS = frozenset(
    "__doc__ __getstate__ __hash__ __init_subclass__ __new__ __sizeof__ __subclasshook__".split()
)


def members(kind):
    return {name for name in dir(kind) if getattr(kind, name, None) is not getattr(object, name, 0)}


def unanswered(kind):
    """Members of ndarray that a subclass neither overrides nor needs to."""
    own = {
        name
        for base in kind.__mro__
        if base is not np.ndarray and base is not object
        for name in vars(base)
    }
    listed = HOOKED | OF_THE_SHAPE | OF_THE_CLASS | OF_ANY_CLASS
    return sorted(members(np.ndarray) - own - listed)


def test_every_member_of_ndarray_is_answered_for():
    assert unanswered(TracedArray) == []


@pytest.mark.parametrize("name", ["__getitem__", "reshape", "real", "__float__"])
def test_a_member_left_out_is_found(name):
    kept = {
        key: value
        for base in reversed(TracedArray.__mro__)
        if base is not np.ndarray and base is not object
        for key, value in vars(base).items()
        if key != name and key not in ("_dtype", "_trace", "_ids", "_values", "__dict__")
    }
    smaller = type("Smaller", (np.ndarray,), kept)
    assert unanswered(smaller) == [name]


@pytest.mark.parametrize("name", sorted(HOOKED - {"__divmod__", "__rdivmod__"}))
def test_operators_reach_the_trace(name):
    """A hooked operator gives a traced result, or refuses."""
    integers = ("and__", "or__", "shift", "invert")
    seen = Outside()

    def f(x):
        a = (x > 0) if any(word in name for word in integers) else x.copy()
        if "shift" in name:
            a = x.astype(int)
        b = np.ones((3, 3)) if "imatmul" in name else a.copy()
        if name == "__imatmul__":
            a = x[:, None] * np.ones(3)
        method = getattr(a, name)
        result = method() if name in ("__abs__", "__invert__", "__neg__", "__pos__") else method(b)
        seen.append(is_traced(result))
        return result

    st.jacobian_sparsity(f, np.ones(3))
    assert seen[-1]


def test_the_dispatcher_knows_the_same_tables():
    assert calls.RULES is RULES
    assert calls.MOVES is MOVES
