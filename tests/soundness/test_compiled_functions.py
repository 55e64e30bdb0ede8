"""Compiled functions that read memory: no dependency is lost in what they give, write or keep.

Each is traced as a whole, or refused.  Where a pattern is given, the differences are within it.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from sparsetrace import TracingError, hessian_sparsity, jacobian_sparsity

SOURCE = Path(__file__).parent / "compiled.pyx"
POINT = np.array([0.2, 0.7, 1.3])
LARGE = np.array([60.0, 0.7, 1.3])
compiled = None
"""The module, once it is there."""
table = np.array([1.0, 2.0, 4.0])

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("Cython") is None, reason="needs Cython"),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a compiler"),
]


@pytest.fixture(scope="module", autouse=True)
def built(tmp_path_factory):
    global compiled
    folder = tmp_path_factory.mktemp("compiled")
    source, library = folder / "compiled.c", folder / "compiled.so"
    cython = [sys.executable, "-m", "cython", "-3", str(SOURCE), "-o", str(source)]
    subprocess.run(cython, check=True)
    headers = ["-I", sysconfig.get_paths()["include"], "-I", np.get_include()]
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-w", *headers, str(source), "-o", str(library)], check=True
    )
    spec = importlib.util.spec_from_file_location("compiled", str(library))
    assert spec is not None
    assert spec.loader is not None
    compiled = importlib.util.module_from_spec(spec)
    sys.modules["compiled"] = compiled
    spec.loader.exec_module(compiled)
    yield
    del sys.modules["compiled"]


def by_another_name(x):
    kernel = compiled.constant if x.size else compiled.view
    return kernel(x)


def onto_itself(x):
    y = x * 1.0
    compiled.shifted(y[:-1], y[1:])
    return y


def test_writes_into_an_array_that_is_read_by_another_name():
    with pytest.raises(TracingError, match="shifted"):
        jacobian_sparsity(onto_itself, POINT, local=True)


def in_a_thread(x):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda part: compiled.constant(part), [x[:2], x[1:]]))


def by_buffer(x):
    out = np.zeros(3)
    compiled.fill(x, out)
    return out


def by_loop(x):
    out = np.zeros(3)
    for i in range(3):
        compiled.fill_element(x, out, i)
    return out


def returned(x):
    out = np.zeros(3)
    given, second = compiled.filled(x * 2, out)
    assert given is out
    return [*out, second]


def counted(x):
    out = np.zeros(2, np.int64)
    compiled.count(x, out)
    return np.where(out > 1, x[:2], x[2])


def in_place(x):
    y = x * 1.0
    compiled.doubled(y)
    return y


def in_a_part(x):
    y = np.concatenate([x, x])
    compiled.doubled(y[:3])
    return y


def write_if(x):
    out = np.zeros(3)
    return [compiled.write_if(x, out), out[0]]


def write_untyped_if(x):
    out = np.zeros(3)
    return [compiled.write_untyped_if(x, out), out[0]]


def write_asarray_if(x):
    out = np.zeros(3)
    return [compiled.write_asarray_if(x, out), out[0]]


def write_raw_if(x):
    out = np.zeros(3)
    return [compiled.write_raw_if(x, out), out[0]]


def raised(x):
    try:
        return compiled.refuses(x)
    except ValueError:
        return x[2]


def raised_seldom(x):
    try:
        return compiled.refuses_large(x)
    except ArithmeticError:
        return x[2]


def of_parts(x):
    made, more = compiled.pair(np.stack([x, x * x]), scale=x[2])
    return [*made, more["first"], *np.where(more["order"] > 0, x[0], x[1])]


def branches(x):
    if compiled.constant(x[:2]) > 1.0:
        return x[2]
    return x[0]


TRACED = {
    "constant": lambda x: compiled.constant(x),
    "view": lambda x: compiled.view(x),
    "untyped": lambda x: compiled.untyped(x),
    "fused": lambda x: compiled.either(x),
    "fused, chosen": lambda x: compiled.either["double"](x),
    "of a table": lambda x: compiled.kernels["product"](x),
    "gaps": lambda x: compiled.constant(np.concatenate([x, x])[::2]),
    "by another name": by_another_name,
    "twice": lambda x: compiled.constant(x) + compiled.constant(x[1:]),
    "by keyword": lambda x: compiled.constant(v=x),
    "map": lambda x: list(map(compiled.constant, [x, x[1:]])),
    "by_buffer": by_buffer,
    "by_loop": by_loop,
    "returned": returned,
    "counted": counted,
    "in_place": in_place,
    "in_a_part": in_a_part,
    "write_if": write_if,
    "write_untyped_if": write_untyped_if,
    "write_asarray_if": write_asarray_if,
    "write_raw_if": write_raw_if,
    "raised": raised,
    "raised_seldom": raised_seldom,
    "of_parts": of_parts,
    "branches": branches,
    "within lists": lambda x: compiled.first_of([{"a": 1.0}, (x[:2], [x[2:]])], {"b": x[1:]}),
    "in a thread": in_a_thread,
    "a table from outside": lambda x: [compiled.write_if(x, table), table[0]],
}


def differences(f, point):
    """Where the function differs when an input moves."""
    value = np.asarray(f(point.copy()), float)
    columns = []
    for i in range(point.size):
        moved = point.copy()
        moved[i] += 1e-4
        columns.append(np.asarray(f(moved), float).reshape(-1) != value.reshape(-1))
    return np.array(columns).T


@pytest.mark.parametrize("name", TRACED)
def test_no_dependency_is_lost(name):
    f = TRACED[name]
    for point in (POINT, LARGE, POINT[::-1].copy()):
        before = table.copy()
        for options in ({}, {"dependency": True}, {"constants": "structure"}):
            found = jacobian_sparsity(f, point, local=True, **options)
            assert np.array_equal(table, before)
            wanted = differences(f, point)
            table[:] = before
            assert not (wanted & ~found.toarray()).any()


@pytest.mark.parametrize("name", TRACED)
def test_in_a_global_trace_they_are_refused(name):
    """No numbers but the user's own are safe to run them on."""
    with pytest.raises(TracingError) as caught:
        jacobian_sparsity(TRACED[name], POINT)
    assert caught.value.remedies


@pytest.mark.parametrize("name", ["constant", "view", "untyped", "fused", "twice", "by_buffer"])
def test_second_derivatives_are_those_of_all_pairs(name):
    found = hessian_sparsity(lambda x: np.sum(TRACED[name](x)), POINT, local=True).toarray()
    assert found.all()


def keeps_number(x):
    compiled.keep_number(x)
    return [x[0], compiled.last_and_this(np.ones(3))]


REFUSED = {
    "keep_view": lambda x: compiled.keep_view(x),
    "keep_array": lambda x: compiled.keep_array(x),
    "keep_number": keeps_number,
    "keep_in_list": lambda x: [compiled.keep_in_list(x), *compiled.kept_list],
    "last_and_this": lambda x: compiled.last_and_this(x),
    "status": lambda x: [compiled.status(x), x[0]],
    "static": lambda x: compiled.static(x),
    "itself": lambda x: compiled.itself(x),
    "drawn": lambda x: compiled.drawn(x),
    "text": lambda x: float(compiled.text(x)),
    "with_function": lambda x: compiled.with_function(x, lambda v: v),
    "write_list": lambda x: compiled.write_list(x, []),
    "a method": lambda x: compiled.Model().value(x),
    "a method in C": lambda x: compiled.Kept().value(x),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", REFUSED)
def test_what_keeps_or_hides_something_is_refused(name, local):
    with pytest.raises(TracingError):
        jacobian_sparsity(REFUSED[name], POINT, local=local)


@pytest.mark.parametrize("name", ["sized", "kind", "large"])
def test_sizes_and_types_are_those_at_the_point(name):
    def f(x):
        if name == "sized":
            return compiled.sized(x)
        return compiled.kind(x) if name == "kind" else compiled.large(x)

    assert jacobian_sparsity(f, POINT, local=True).nnz == 3 * np.size(f(POINT))


def test_errors_at_a_point_are_the_functions_own():
    with pytest.raises(ValueError, match="too large"):
        jacobian_sparsity(lambda x: compiled.refuses(x), LARGE, local=True)
    with pytest.raises(ValueError, match="mismatch"):
        jacobian_sparsity(lambda x: compiled.constant(x.astype(np.float32)), POINT, local=True)


@pytest.mark.parametrize("local", [False, True])
def test_python_code_that_is_called_and_keeps_something(local):
    seen = []

    def helper(v):
        seen.append(v)
        return v

    compiled.helper = helper
    with pytest.raises(TracingError):
        jacobian_sparsity(lambda x: compiled.calls_python(x), POINT, local=local)
    compiled.helper = None


def test_errors_of_python_code_that_it_calls_are_that_codes_own():
    def helper(v):
        if v > 1.0:
            raise KeyError("no such key")
        return v * v

    def f(x):
        return compiled.applied(x[0], helper) + x[1]

    assert jacobian_sparsity(f, POINT, local=True).toarray().astype(int).tolist() == [[1, 1, 0]]
    with pytest.raises(KeyError, match="no such key"):
        jacobian_sparsity(f, LARGE, local=True)


def test_constants_are_left_to_the_function_itself():
    def f(x):
        out = np.zeros(3)
        compiled.fill(np.arange(3.0), out)
        return x * out

    assert jacobian_sparsity(f, POINT).toarray().astype(int).tolist() == np.diag([0, 0, 1]).tolist()


def test_names_are_put_back():
    before = compiled.constant
    jacobian_sparsity(lambda x: compiled.constant(x), POINT, local=True)
    assert compiled.constant is before
    jacobian_sparsity(lambda x: compiled.kernels["view"](x), POINT, local=True)
    assert compiled.kernels["view"] is compiled.view
