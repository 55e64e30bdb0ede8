"""What a traced object says of its type and its attributes, compared with the plain one."""

from __future__ import annotations

import builtins
import collections.abc
import copy
import functools
import importlib
import math
import numbers
import pickle
import sys
import threading
import typing

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from cases import compared_types, result_types
from sparsetrace.capture.exact_types import TypeName
from sparsetrace.numbers.python_numbers import PythonNumber, TracedPythonFloat
from sparsetrace.numbers.scalar import Number, TracedScalar

OF_CLASSES = frozenset(
    "__annotations__ __doc__ __firstlineno__ __module__ __slots__ __static_attributes__".split()
)
"""What any class written in Python has."""
DOCUMENTED = frozenset(("pattern", "patterns"))
NAMES = sorted(
    set().union(
        *map(dir, (np.float64, np.int64, np.bool_, np.complex128, np.ndarray)),
        *map(dir, (float, int, bool, complex)),
        *map(vars, (Number, TracedScalar, PythonNumber, TracedPythonFloat, st.TracedArray)),
    )
    - OF_CLASSES
    - DOCUMENTED
)
KINDS = {
    "array": (lambda x: x, np.ones(2)),
    "array of whole numbers": (lambda x: x.astype(int), np.ones(2, int)),
    "element": (lambda x: x[0], np.float64(1.0)),
    "whole element": (lambda x: x.astype(int)[0], np.int64(1)),
    "truth value": (lambda x: (x > 0)[0], np.bool_(1)),
    "complex element": (lambda x: (x * 1j)[0], np.complex128(1.0)),
    "float": (lambda x: x.tolist()[0], 1.0),
    "int": (lambda x: round(x.tolist()[0]), 1),
    "bool": (lambda x: x.tolist()[0] > 0, True),
    "complex": (lambda x: (x * 1j).item(0), 1j),
}


def traced(check, x=(0.3, 0.7)):
    """Call `check` with a traced array, in a global trace."""
    st.jacobian_sparsity(lambda x: (check(x), 0.0)[1], np.array(x))


def has(obj, name):
    try:
        return hasattr(obj, name)
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("kind", KINDS)
def test_hasattr_and_dir(kind):
    made, plain = KINDS[kind]
    # private names (of one underscore) are the trace's own
    names = [n for n in NAMES if not n.startswith("_") or n.startswith("__")]

    def check(x):
        obj = made(x)
        assert {n: has(obj, n) for n in names} == {n: has(plain, n) for n in names}
        assert set(dir(obj)) == set(dir(plain))

    traced(check)


@pytest.mark.parametrize("kind", KINDS)
def test_type_and_class(kind):
    made, plain = KINDS[kind]

    def check(x):
        obj = made(x)
        assert type(obj) is type(plain) is obj.__class__
        assert list(map(type, [obj])) == [type(plain)]
        assert isinstance(obj, type(plain))
        assert np.isscalar(obj) == np.isscalar(plain)
        assert callable(obj) == callable(plain)

    traced(check)


ABSTRACT = (
    collections.abc.Callable,
    collections.abc.Collection,
    collections.abc.Container,
    collections.abc.Hashable,
    collections.abc.Iterable,
    collections.abc.Sequence,
    collections.abc.Sized,
    numbers.Complex,
    numbers.Integral,
    numbers.Number,
    numbers.Rational,
    numbers.Real,
    typing.SupportsAbs,
    typing.SupportsFloat,
    typing.SupportsIndex,
    typing.SupportsInt,
)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"truth value", "complex"}))
def test_abstract_classes(kind):
    # those left out have conversions that refuse, which a protocol takes for the real ones
    made, plain = KINDS[kind]

    def check(x):
        obj = made(x)
        assert [isinstance(obj, k) for k in ABSTRACT] == [isinstance(plain, k) for k in ABSTRACT]

    traced(check)


def test_errors_for_missing_attributes_are_the_plain_ones():
    def check(x):
        with pytest.raises(AttributeError, match="'float' object has no attribute 'shape'"):
            _ = x.tolist()[0].shape
        with pytest.raises(
            AttributeError, match=r"'numpy\.float64' object has no attribute 'sqrt'"
        ):
            _ = x[0].sqrt
        for number in (x[0], x.tolist()[0]):
            with pytest.raises(TypeError, match="not iterable"):
                iter(number)
        with pytest.raises(TypeError, match="not subscriptable"):
            x.tolist()[0][0]

    traced(check)


def test_the_method_of_arrays_is_there_by_name():
    def check(x):
        made = x[0].__array__()
        assert made.shape == ()
        assert made.dtype == np.float64
        assert getattr(x[0], "__iter__", "none") == "none"

    traced(check)


def test_copies_are_the_number():
    def check(x):
        for number in (x[0], x.tolist()[0]):
            assert copy.copy(number) is number
            assert copy.deepcopy([number])[0] is number

    traced(check)


def test_library_code_is_told_the_real_type():
    def check(x):
        scope = {"__name__": "user"}
        source = "def kind(v):\n    return type(v)"
        exec(compile(source, np.__file__, "exec"), scope)
        assert issubclass(scope["kind"](x), st.TracedArray)
        exec(compile(source, "<string>", "exec"), scope)
        assert scope["kind"](x) is np.ndarray

    traced(check)


def test_the_stand_in_is_type():
    def check(x):
        assert type is TypeName
        assert type.__name__ == "type"
        assert type(int) is type(type) is type
        assert type == int.__class__  # noqa: E721
        assert hash(type) == hash(int.__class__)
        assert {int.__class__: 1}[type] == 1
        assert isinstance(int, type)
        assert not isinstance(1, type)
        assert issubclass(type, type)
        assert not issubclass(int, type)
        assert type | None == typing.Union[type, None]  # noqa: UP007
        assert type[int].__args__ == (int,)
        assert type.mro(bool) == [bool, int, object]
        assert type.__dict__["__mro__"].__get__(bool) == (bool, int, object)
        assert functools.partial(type)(1) is int
        assert repr(type) == "<class 'type'>"
        assert pickle.loads(pickle.dumps(type)) is type
        with pytest.raises(TypeError):
            type()
        with pytest.raises(TypeError):
            type(1, 2)

    traced(check)
    assert type is not TypeName


def test_metaclasses_made_in_a_trace_outlive_it():
    made = Outside()

    def check(x):
        class Meta(type):
            def __new__(mcs, name, bases, scope, **options):
                return super().__new__(mcs, name, bases, {**scope, "options": options})

            def __init__(cls, name, bases, scope, **options):
                super().__init__(name, bases, scope)

        class Base(metaclass=Meta, wide=True):
            pass

        class Plain:
            pass

        made.extend((Meta, Base, Plain))

    traced(check)
    meta, base, plain = list(made)
    assert meta.__mro__ == (meta, type, object)
    assert type(meta) is type
    assert type(plain) is type
    assert isinstance(base, meta)
    assert base.options == {"wide": True}
    assert isinstance(meta("Later", (base,), {}), meta)


def test_modules_imported_in_a_trace_keep_nothing(tmp_path, monkeypatch):
    (tmp_path / "lazy_module.py").write_text(
        "from builtins import type as kind\nreal = type\nclass Meta(type):\n    pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    traced(lambda x: importlib.import_module("lazy_module"))
    module = sys.modules.pop("lazy_module")
    assert module.real is module.kind is type
    assert module.Meta.__base__ is type


def test_type_is_put_back_after_an_error():
    with pytest.raises(ZeroDivisionError):
        st.jacobian_sparsity(lambda x: x * (1 // 0), np.ones(2))
    assert builtins.type is not TypeName
    assert builtins.type(builtins.type) is builtins.type


def test_other_threads_see_no_difference():
    found = Outside()

    def other():
        value = np.ones(2)
        found.append(type(value) is np.ndarray and type(type(value)) is type)

    def check(x):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    traced(check)
    assert found == [True]


def test_the_packages_modules_keep_the_real_type():
    st.jacobian_sparsity(lambda x: x, np.ones(2))
    loaded = [m for name, m in sys.modules.items() if name.startswith("sparsetrace.")]
    assert all(vars(module)["type"] is type for module in loaded if "type" in vars(module))
    assert vars(sys.modules["sparsetrace.numbers.scalar"])["type"] is type


def test_aliases_of_modules_are_exchanged_and_put_back():
    scope = {"np": np, "_t": type}
    exec("def f(x):\n    return x * x[0] if _t(x) is np.ndarray else 0 * x", scope)
    for _ in range(3):
        assert st.jacobian_sparsity(scope["f"], np.ones(2)).nnz == 3
        assert scope["_t"] is type


# --------------------------------------------------------------- numbers of Python's own
def both_modes(f, *args, **options):
    return [st.jacobian_sparsity(f, *args, local=local, **options) for local in (False, True)]


def test_operators_give_the_plain_types():
    operators = (
        "a + b, a - b, a * b, a / b, a // b, a % b, a ** b, divmod(a, b)[0], -a, +a, abs(a), "
        "a > b, a == b, round(a), round(a, 1), 2 * a, a / 2, 2 // a, a ** 2, 2.0 ** a, "
        "math.sin(a), math.floor(a), math.isnan(a), a.real, a.imag, a.conjugate(), a.is_integer(), "
        "a + b + 0, max(a, b), min(a, 2.0), sorted([a, b])[0], a * n, n * a, a + np.float64(1.0), "
        "(a > b) + 1, (a > b) & (b > a), a * 1j, (a * 1j).real, abs(a * 1j), math.modf(a)[0], "
        "float(a), float(n), np.sin(a), a * True, (a > b) * n, n.item(), a < n, n < a"
    )

    scope = {"math": math, "np": np}
    source = f"""def kinds(x):
    a, b, n = x.item(0), x.tolist()[1], x[0]
    return [type(v) for v in ({operators},)]"""
    exec(source, scope)
    kinds = scope["kinds"]
    plain = kinds(np.array([0.3, 0.7]))
    for local in (False, True):
        seen = Outside()
        f = lambda x, seen=seen: (seen.append(kinds(x)), x)[1]  # noqa: E731
        st.jacobian_sparsity(f, np.array([0.3, 0.7]), local=local, verify=False)
        for name, wanted, found in zip(operators.split(", "), plain, seen[-1], strict=False):
            assert found == wanted, (name, local)


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("a / z", ZeroDivisionError),
        ("a // z", ZeroDivisionError),
        ("a % z", ZeroDivisionError),
        ("divmod(a, z)", ZeroDivisionError),
        ("a / 0", ZeroDivisionError),
        ("1 // z", ZeroDivisionError),
        ("z ** -1", ZeroDivisionError),
        ("(a * 1e308) ** 2", OverflowError),
        ("a + None", TypeError),
        ("a * 'text'", TypeError),
        ("a & 1", TypeError),
        ("~a", TypeError),
        ("(a * 1j) < 1", TypeError),
        ("[1.0] * a", TypeError),
    ],
)
def test_operators_raise_what_python_raises_at_a_point(expression, error):
    def f(x):
        return eval(expression, dict(zip("az", x.tolist(), strict=True)))

    with pytest.raises(error):
        f(np.array([0.3, 0.0]))
    with pytest.raises((error, st.TracingError)):
        st.jacobian_sparsity(f, np.array([0.3, 0.0]), local=True)


def test_a_root_of_a_negative_number_is_complex():
    def f(x):
        root = x.tolist()[0] ** (1 / 3)
        assert type(root) is complex
        return root.real, root.imag

    assert st.jacobian_sparsity(f, np.array([-8.0]), local=True).nnz == 2


def test_floating_point_state_is_not_for_pythons_numbers():
    def f(x):
        with np.errstate(all="raise"):
            return x.tolist()[0] * 1e-300 * 1e-300, math.exp(-800 * x.tolist()[0])

    for pattern in both_modes(f, np.array([1.0])):
        assert pattern.shape == (2, 1)


@pytest.mark.parametrize(
    "source",
    [
        "type(v) is float",
        "type(v) is not float",
        "(t := type(v)) in (int, float)",
        "{float: True, int: False}[type(1.0)]",
        "isinstance(1.0, float | None)",
        "issubclass(type(v), float)",
        "np.dtype(float) == x.astype(float).dtype",
        "float('1.5') == float.fromhex('0x1.8p0')",
        "type(float(2)) is type(1.0)",
        "type(v) is not int",
        "float.__name__ == 'float'",
    ],
)
def test_float_is_exchanged_beside(source):
    scope = {"np": np}
    exec(f"def f(x):\n    v = float(x[0])\n    return v if ({source}) else x", scope)
    size = np.size(scope["f"](np.ones(2)))
    for pattern in both_modes(scope["f"], np.ones(2)):
        assert pattern.shape[0] == size


class OWNER:
    kind = float


@pytest.mark.parametrize(
    "source",
    [
        "type(v) is KINDS[1]",
        "type(v) is OWNER.kind",
        "not type(v) is KINDS[0]",
    ],
)
def test_float_is_exchanged_in_the_call_alone(source):
    """``type(v)`` is the real one then, wherever that is kept."""
    scope = {"np": np, "KINDS": (int, float), "OWNER": OWNER}
    exec(f"def f(x):\n    v = float(x[0])\n    return v if ({source}) else x", scope)
    for pattern in both_modes(scope["f"], np.ones(2)):
        assert pattern.shape == (1, 2)
        assert pattern.nnz == 1


@pytest.mark.parametrize(
    "source",
    [
        "any(type(v) is k for k in KINDS)",
        "any(k is type(v) for k in KINDS)",
        "kind(v) is float",
        "v.__class__ is float",
    ],
)
def test_float_is_not_exchanged_beside_what_no_stand_in_answers(source):
    scope = {"np": np, "KINDS": (int, float), "kind": lambda v: v.__class__}
    exec(f"def f(x):\n    v = float(x[0])\n    return v if ({source}) else x", scope)
    with pytest.raises(st.EscapeError) as caught:
        st.jacobian_sparsity(scope["f"], np.ones(2))
    assert any("by identity" in note for note in caught.value.__notes__)


def test_float_is_exchanged_in_functions_that_only_call_it():
    """Another function of the module compares it by identity, and keeps the real one."""
    scope = {"np": np}
    exec(
        "def zeros(n, dtype=float):\n    return [0.0] * n if dtype is float else None\n"
        "def square(v):\n    return float(v) ** 2\n"
        "def f(x):\n    return square(x[0]), square(x[1]), *zeros(2)",
        scope,
    )
    names = scope["square"].__code__.co_names
    for pattern in both_modes(scope["f"], np.ones(2)):
        assert pattern.toarray().tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]
    assert scope["square"].__code__.co_names == names
    assert set(scope) == {"np", "zeros", "square", "f", "__builtins__"}


def test_float_under_another_name():
    scope = {"np": np, "_number": float}
    exec(
        "def f(x):\n    v = _number(x[0])\n"
        "    return v if type(v) is _number and type(1.0) is _number else x",
        scope,
    )
    for _ in range(2):
        assert [p.shape for p in both_modes(scope["f"], np.ones(2))] == [(1, 2), (1, 2)]
        assert id(scope["_number"]) == id(float)
        assert "float" not in scope


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", [f.__name__ for f in compared_types.FUNCTIONS])
def test_types_compared_by_local_names(name, local):
    # functions older than the tests are hidden from the collector, which finds whose code it is
    f = getattr(importlib.reload(compared_types), name)
    x = np.array([0.4, -0.7, 1.3])
    pattern = st.jacobian_sparsity(f, x, local=local).toarray().astype(int)
    assert pattern.tolist() == [[1, 1, 0]]


def _kinds_of(result):
    parts = result if isinstance(result, tuple) else (result,)
    return [(part.__class__, getattr(part, "dtype", None)) for part in parts]


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("kind", result_types.KINDS)
def test_results_are_numbers_or_arrays_as_in_a_plain_call(kind, local):
    make = result_types.KINDS[kind]
    differing = Outside()

    def f(x):
        for source in result_types.EXPRESSIONS:
            given = _kinds_of(result_types.evaluated(source, make(x)))
            if given != wanted[source]:
                differing.append((source, given, wanted[source]))
        return x * 1

    with np.errstate(all="ignore"):
        plain = np.array([0.7, 1.3])
        evaluated = result_types.evaluated
        wanted = {e: _kinds_of(evaluated(e, make(plain))) for e in result_types.EXPRESSIONS}
        st.jacobian_sparsity(f, plain, local=local, verify=False)
    assert list(differing) == []


@pytest.mark.parametrize("source", result_types.OF_ONE_ELEMENT)
def test_functions_of_math_refuse_arrays_where_numpy_does(source):
    def f(x):
        return x[1] if result_types.evaluated(source, x[:1]) is TypeError else x[0]

    with np.errstate(all="ignore"):
        assert st.jacobian_sparsity(f, np.ones(2), verify=False)[0, 1] == (f(np.arange(2.0)) == 1)
