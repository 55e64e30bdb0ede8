"""The keywords of a detection, wherever users give them: listed, typed, and refused if wrong."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace import solvers
from sparsetrace.api.options import HessianOptions, JacobianOptions, names_of

X = np.ones(3)
CALLS = {
    "jacobian_sparsity": (lambda **k: st.jacobian_sparsity(np.sin, X, **k), JacobianOptions),
    "hessian_sparsity": (lambda **k: st.hessian_sparsity(np.sum, X, **k), HessianOptions),
    "lagrangian_hessian_sparsity": (
        lambda **k: st.lagrangian_hessian_sparsity(np.sin, X, **k),
        HessianOptions,
    ),
    "diagnose": (lambda **k: st.diagnose(np.sin, X, **k), JacobianOptions),
    "sparse_jacobian": (lambda **k: st.sparse_jacobian(np.sin, X, **k), JacobianOptions),
    "sparse_hessian": (lambda **k: st.sparse_hessian(np.sum, X, **k), HessianOptions),
    "sparse_lagrangian_hessian": (
        lambda **k: st.sparse_lagrangian_hessian(np.sum, np.sin, X, **k),
        HessianOptions,
    ),
    "declare_sparsity": (lambda **k: solvers.declare_sparsity(None, **k), JacobianOptions),
    "check_declared": (lambda **k: solvers.check_declared(None, **k), JacobianOptions),
}
functions = pytest.mark.parametrize("name", CALLS)


def public(name):
    return getattr(st, name, None) or getattr(solvers, name)


@functions
def test_a_wrong_keyword_is_named_with_the_nearest(name):
    with pytest.raises(TypeError, match=rf"^{name}\(\).*'max_path'; did you mean 'max_paths'\?$"):
        CALLS[name][0](max_path=3)


@functions
def test_a_keyword_like_no_other_is_answered_with_all(name):
    with pytest.raises(TypeError, match=r"'zzz'; it takes .*static_argnums, constants"):
        CALLS[name][0](zzz=3)


def test_a_wrong_keyword_is_seen_where_nothing_is_traced():
    with pytest.raises(TypeError, match="'max_paths'"):
        st.sparse_jacobian(np.sin, X, pattern=np.eye(3), max_path=3)
    with pytest.raises(TypeError, match="'rel_step'"):
        st.sparse_jacobian(np.sin, X, relstep=1e-3)


def test_a_wrong_keyword_of_a_solver_is_named():
    with pytest.raises(TypeError, match=r"sparse_jacobian\(\).*'methd'; did you mean 'method'\?"):
        solvers.least_squares(np.sin, X, sparsity={"methd": "cs"})


@functions
def test_signature_and_help_list_what_can_be_given(name):
    function, kind = public(name), CALLS[name][1]
    parameters = inspect.signature(function).parameters
    assert names_of(kind) <= parameters.keys()
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if name != "diagnose":  # which says that some have no effect
        text = inspect.getdoc(function)
        assert [option for option in names_of(kind) if f"\n{option} : " not in text] == []


def test_defaults_are_those_of_the_signature():
    parameters = inspect.signature(st.jacobian_sparsity).parameters
    assert (parameters["max_paths"].default, parameters["verify"].default) == (1024, None)


def test_the_readme_names_every_keyword():
    readme = Path(__file__).parents[2].joinpath("README.md").read_text()
    table = readme[readme.index("| keyword | meaning |") :].partition("\n\n")[0]
    rows = {line.split("`")[1] for line in table.splitlines()[2:]}
    assert names_of(JacobianOptions) <= rows
    assert rows == names_of(JacobianOptions) | {"argnums", "out"}


def test_solvers_of_programs_list_its_parameters():
    for solver, own in ((solvers.ipopt_problem, ["options"]), (solvers.sqp, ["tol", "max_iter"])):
        names = list(inspect.signature(solver).parameters)
        assert names[:7] == ["f", "g", "x0", "lb", "ub", "cl", "cu"]
        assert set(own) < set(names)
        assert "\nlb, ub : array_like, optional\n" in inspect.getdoc(solver)
