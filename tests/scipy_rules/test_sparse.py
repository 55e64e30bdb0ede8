"""Sparse arrays with traced data: patterns, Hessians and values of all that is done with them."""

from __future__ import annotations

from inspect import getattr_static

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph
import scipy.sparse.linalg as spl
from outside import Outside

import sparsetrace as st
from cases.sparse_arrays import (
    CLASSES,
    IN_PLACE,
    INDEXED,
    INDEXING,
    MAKING,
    OPERATIONS,
    START,
    dense,
    matrix,
)
from cases.sparse_programs import PROGRAMS
from oracles import (
    assert_covers,
    assert_same_pattern,
    flat_outputs,
    hessian_pattern_at,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace.operands.operands import values_of
from sparsetrace.scipy_rules.sparse import traced_class

LOW, HIGH = 0.3, 1.7


def made(name):
    return lambda x: dense(MAKING[name](x))


def operation(cls, operate):
    return lambda x: dense(operate(matrix(cls, x), x))


def _runs(f, x):
    """Whether the release of SciPy can do it."""
    try:
        f(x)
    except (TypeError, AttributeError, NotImplementedError, ValueError):
        return False
    return True


EXTRA = {
    "norm 1": "which column's sum is the largest depends on the point",
    "float32": "second differences are lost in the rounding of single precision",
}
"""Why the pattern may have more entries than difference quotients show."""


def compared(pattern, wanted, name):
    (assert_covers if name in EXTRA else assert_same_pattern)(pattern, wanted)


ALL = frozenset("csr_array coo_matrix dia_matrix".split())
"""Classes that everything is done with; the other formats convert to these."""
SOME = frozenset(
    "A @ traced vector; traced vector @ A; A @ A; A * number; number * A; A * vector; A ** 2; "
    "A - 2 A.T; A + traced dense; dense - A; constant - A; sum(0); A.T; copy; diagonal; reshape; "
    "tocsr; todia; tolil; todok; csr data; hstack; kron; spsolve; *= and /=".split("; ")
)
OPERATIONS_OF = {
    name: {
        what: operate
        for what, operate in {**OPERATIONS, **IN_PLACE}.items()
        if name in ALL or what in SOME
    }
    | (INDEXING if name in INDEXED else {})
    for name in CLASSES
}
MADE = [pytest.param(made(name), name, id=name) for name in MAKING]
MADE += [
    pytest.param(lambda x, f=f: f(x[:4]), name, id=f"program: {name}")
    for name, f in PROGRAMS.items()
    if _runs(f, START[:4])
]
OPERATED = {
    name: [
        pytest.param(operation(cls, operate), what, id=f"{name}: {what}")
        for what, operate in OPERATIONS_OF[name].items()
        if _runs(operation(cls, operate), START)
    ]
    for name, cls in CLASSES.items()
}
CASES = MADE + [case for cases in OPERATED.values() for case in cases]


@pytest.mark.parametrize(("f", "name"), CASES)
def test_jacobian(f, name):
    wanted = numerical_jacobian_pattern(f, START, points=2, low=LOW, high=HIGH)
    compared(st.jacobian_sparsity(f, START), wanted, name)
    assert_covers(st.jacobian_sparsity(f, START, constants="structure"), wanted)
    assert_covers(st.jacobian_sparsity(f, START, dependency=True), wanted)


@pytest.mark.parametrize(("f", "name"), CASES)
def test_local(f, name):
    """The values are SciPy's own."""
    seen = Outside()

    def kept(x):
        result = f(x)
        if not x._trace.aside:
            seen.append(values_of(result))
        return result

    pattern = st.jacobian_sparsity(kept, START, local=True, verify=False)
    np.testing.assert_allclose(flat_outputs(seen[-1]), flat_outputs(f(START.copy())), 1e-13, 1e-15)
    compared(pattern, jacobian_pattern_at(f, START), name)


@pytest.mark.parametrize(("f", "name"), MADE + OPERATED["csr_array"] + OPERATED["dia_matrix"])
def test_hessian(f, name):
    weights = np.random.default_rng(1).uniform(0.5, 1.5, flat_outputs(f(START.copy())).size)

    def weighted(x):
        return np.sum(np.ravel(f(x)) * weights)

    at_point = hessian_pattern_at(weighted, START)
    wanted = at_point | numerical_hessian_pattern(
        weighted, START, points=2, low=LOW, high=HIGH, among=~at_point
    )
    compared(st.hessian_sparsity(weighted, START), wanted, name)
    compared(st.hessian_sparsity(weighted, START, local=True), at_point, name)


def as_dense(operate):
    """The same operation with a dense array, where that means the same."""
    return lambda x: dense(operate(matrix(sp.csr_array, x).toarray(), x))


def _means_the_same(operate):
    try:
        return np.array_equal(as_dense(operate)(START), operation(sp.csr_array, operate)(START))
    except (AttributeError, TypeError, ValueError, np.linalg.LinAlgError):
        return False


DENSE = {what: operate for what, operate in OPERATIONS.items() if _means_the_same(operate)}


@pytest.mark.parametrize("operate", DENSE.values(), ids=DENSE)
def test_as_tight_as_dense_arrays(operate):
    pattern = st.jacobian_sparsity(operation(sp.csr_array, operate), START)
    assert_same_pattern(pattern, st.jacobian_sparsity(as_dense(operate), START).toarray())


def test_enough_is_compared_with_dense_arrays():
    assert len(DENSE) > 25


REFUSED = {
    "returned": (lambda x: sp.diags_array(x), "return A.toarray"),
    "subclass": (lambda x: type("Own", (sp.csr_array,), {})(np.diag(x)), "traced data in a Own"),
    "indices": (lambda x: sp.csr_array((np.ones(5), x, [0, 5])), "its indices depend"),
    "key": (lambda x: sp.csr_array(np.diag(x))[x > 1], "an index of a sparse array"),
    "nonzero": (lambda x: sp.diags_array(x).nonzero(), "A.nonzero"),
    "find": (lambda x: sp.find(sp.diags_array(x))[2], "scipy.sparse.find"),
    "A / B": (lambda x: sp.diags_array(x) / sp.eye_array(5), "A / B"),
    "np.multiply": (lambda x: np.multiply(x, sp.diags_array(x)), "np.multiply of a sparse array"),
    "np.exp": (lambda x: np.exp(sp.diags_array(x)), "np.exp of a sparse array"),
    "np.dot": (lambda x: np.dot(sp.diags_array(x), x), "np.dot of a sparse array"),
    "np.asarray": (lambda x: np.asarray(sp.diags_array(x)), "an operand of type dia_array"),
    "lil data": (lambda x: sp.lil_array(np.diag(x)).data, "A.data of the format lil"),
    "dok values": (lambda x: list(sp.dok_array(np.diag(x)).values()), "dok_array.values"),
    "count_nonzero": (lambda x: sp.csr_array(np.diag(x)).count_nonzero(), "count_nonzero"),
    "np.matrix": (lambda x: np.kron(sp.csr_matrix(np.diag(x)).sum(axis=1), x), "an np.matrix"),
    "factors": (lambda x: spl.splu(sp.csc_array(np.diag(x))).L, "scipy.sparse.linalg.splu"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_rule_is_refused_by_name(name):
    f, text = REFUSED[name]
    for local in (False, True):
        if not (local and name in ("key", "indices")):  # those of the values there
            with pytest.raises(st.TracingError, match=text) as caught:
                st.jacobian_sparsity(f, START, local=local)
            assert "test_sparse.py" in str(caught.value) or name == "returned"


COMPARISONS = {
    "< number": lambda a, b: a < 2,
    "<= array": lambda a, b: a <= np.full((3, 3), 2.0),
    "> sparse": lambda a, b: a > b,
    ">= number": lambda a, b: a >= 2,
    "== sparse": lambda a, b: a == b,
    "!= number": lambda a, b: a != 0,
    "!= sparse": lambda a, b: b != a,
}


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("cls", [sp.csr_array, sp.csc_matrix, sp.dia_array])
@pytest.mark.parametrize("compare", COMPARISONS.values(), ids=COMPARISONS)
def test_comparisons_are_those_of_the_values(compare, cls):
    """At a point; for all inputs it is not known how many elements are True."""

    def f(x):
        found = compare(cls(np.diag(x)), cls(np.diag([1.0, 1, 2])))
        count = found.nnz if sp.issparse(found) else 1
        return np.array([count * x[0], found.sum() * x[1], type(found) is kind])

    x = np.array([1.0, -2.0, 3.0])
    kind = type(compare(cls(np.diag(x)), cls(np.eye(3))))
    count, total, same = f(x) / np.array([x[0], x[1], 1])
    wanted = np.diag([count, total, 0]) != 0
    assert same
    assert_same_pattern(st.jacobian_sparsity(f, x, local=True), wanted)
    with pytest.raises(st.TracingError, match=r"of a sparse array at .*test_sparse\.py"):
        st.jacobian_sparsity(f, x)


@pytest.mark.parametrize("solver", "bicgstab cg gmres minres".split())
def test_iterative_solvers_depend_on_everything(solver):
    def f(x):
        a = sp.diags_array(x + 1)
        return getattr(spl, solver)(a, np.ones(5), rtol=1e-12)[0]

    for local in (False, True):
        assert st.jacobian_sparsity(f, START, local=local).nnz == 25


def test_what_is_asked_of_a_traced_array():
    """Types and structure are SciPy's own."""
    seen = Outside()

    def f(x):
        a = sp.csr_matrix((x, ([0, 1, 2, 0, 2], [0, 1, 2, 2, 0])))
        seen.append((type(a), isinstance(a, sp.csr_matrix), sp.issparse(a), sp.isspmatrix(a)))
        seen.append((a.shape, a.nnz, a.dtype, a.format, a.ndim, a.getnnz(), type(a.T)))
        seen.append(repr(a.tocoo()))
        seen.append([v.tolist() for v in (a.indices, a.indptr, a.tocoo().row, a.tocoo().col)])
        return a.data

    assert st.jacobian_sparsity(f, START).nnz == 5
    assert seen[0] == (sp.csr_matrix, True, True, True)
    assert seen[1] == ((3, 3), 5, np.dtype(float), "csr", 2, 5, sp.csc_matrix)
    assert seen[2] == "<traced coo_matrix 3 x 3, 5 stored elements>"
    assert seen[3] == [[0, 2, 1, 0, 2], [0, 2, 3, 5], [0, 0, 1, 2, 2], [0, 2, 1, 0, 2]]


MATRICES = {"array": sp.csr_array, "matrix": sp.csc_matrix}


@pytest.mark.parametrize("kind", MATRICES)
def test_a_matrix_of_unknown_values(kind):
    """Outside argnums: its structure is known, and none of its values cuts."""
    a = MATRICES[kind](np.array([[1.0, 0, 2], [0, 0, 3], [4, 0, 0]]))
    for f in (
        lambda x, a: a.multiply(x[:3]).toarray(),
        lambda x, a: (a + sp.diags_array(x[:3])) @ np.ones(3),
        lambda x, a: (sp.diags_array(x[:3]) @ a @ sp.diags_array(x[2:])).toarray(),
        lambda x, a: spl.spsolve((a + sp.diags_array(x[:3] + 9)).tocsc(), np.ones(3)),
    ):
        wanted = numerical_jacobian_pattern(lambda x, f=f: f(x, a), START, low=LOW, high=HIGH)
        assert_same_pattern(st.jacobian_sparsity(f, START, a), wanted)


def test_no_trace_is_left():
    """Classes and functions of SciPy's are as before, also after an error."""
    before = {cls: dict(vars(cls)) for cls in sp.csr_array.__mro__}
    st.jacobian_sparsity(lambda x: sp.csr_array(np.diag(x)) @ x, START)
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: sp.csr_array(np.diag(x)).nonzero(), START)
    assert before == {cls: dict(vars(cls)) for cls in sp.csr_array.__mro__}


@pytest.mark.parametrize("cls", CLASSES.values(), ids=CLASSES)
def test_none_of_scipys_code_is_inherited(cls):
    """What is not answered is refused, but for what looks at no element."""
    traced = traced_class(cls)
    inherited = {
        name for name in dir(cls) if getattr_static(traced, name) is getattr_static(cls, name)
    }
    inherited.discard("__slotnames__")  # there once an array was copied
    assert inherited - set(dir(object)) <= LOOKS_AT_NO_ELEMENT
    assert {"argmax", "__eq__", "toarray", "_add_sparse"} - inherited


LOOKS_AT_NO_ELEMENT = {
    "__class_getitem__", "_allow_nd", "_format", "_swap", "format",
    *(f"_{name}_container" for name in "bsr coo csc csr dia dok lil".split()),
    "_container", "_ascontainer", "__array_priority__", "__dict__", "__slots__", "__weakref__",
    "__annotations__", "__firstlineno__", "__static_attributes__",  # since Python 3.13
}  # fmt: skip


def test_spanning_trees_at_a_point():
    """Each edge has its own weight; of two ways along an edge the shorter one is taken."""

    def tree(x):
        graph = csgraph.minimum_spanning_tree(np.array([[0, x[0], x[1]], [x[2], 0, x[3]], [0] * 3]))
        return [graph.data, graph.sum(axis=0)]

    pattern = st.jacobian_sparsity(tree, np.array([4.0, 2, 1, 3]), local=True)
    assert pattern.toarray().astype(int).tolist() == [
        [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0],
    ]  # fmt: skip


CLASSES = [
    getattr(sp, f"{name}_{kind}")
    for name in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
    for kind in ("array", "matrix")
]


@pytest.mark.parametrize("cls", CLASSES)
def test_attributes_of_traced_arrays_are_those_of_scipys(cls):
    """What the one has and the other has not, `hasattr` would tell apart."""
    names = [name for name in dir(sp.csr_matrix) + dir(sp.coo_array) if not name.startswith("_")]
    wanted = {name: hasattr(cls(np.eye(2)), name) for name in names}

    def f(x):
        made = cls(np.diag(x))
        assert wanted == {name: _has(made, name) for name in names}
        return x * 2 if hasattr(made, "getrow") else x[::-1]

    pattern = st.jacobian_sparsity(f, np.ones(2))
    assert pattern.toarray()[0, 0] == wanted["getrow"]


def _has(made, name):
    try:
        return hasattr(made, name)
    except st.TracingError:  # it has it, and refuses
        return True


AS_A_WHOLE = {
    "dijkstra": lambda a: csgraph.dijkstra(a),
    "csgraph_to_dense": lambda a: csgraph.csgraph_to_dense(a),
    "connected_components": lambda a: csgraph.connected_components(a)[0] * a.sum(),
    "onenormest": lambda a: spl.onenormest(a),
    "lsqr": lambda a: spl.lsqr(a, np.ones(3))[0],
}


@pytest.mark.parametrize("format", ["dok", "lil"])
@pytest.mark.parametrize("name", AS_A_WHOLE)
def test_formats_that_have_no_array_of_elements(name, format):
    """They give what the array in another format gives."""
    if (name, format) == ("csgraph_to_dense", "dok"):
        pytest.skip("SciPy takes no such graph")
    f = AS_A_WHOLE[name]
    wanted = st.jacobian_sparsity(lambda x: f(in_format(x, "csr")), START).toarray()
    found = st.jacobian_sparsity(lambda x: f(in_format(x, format)), START).toarray()
    assert wanted.any()
    assert np.array_equal(found, wanted)


def in_format(x, format):
    return sp.csr_array((x, ([0, 1, 2, 2, 0], [0, 1, 2, 0, 2])), shape=(3, 3)).asformat(format)
