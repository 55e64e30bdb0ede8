"""The package's metadata, and the command line."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sparsetrace
from sparsetrace.__main__ import main

ROOT = Path(__file__).parents[2]


def metadata() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_groups_equal_extras():
    parsed = metadata()
    extras = parsed["project"]["optional-dependencies"]
    for name, requirements in parsed["dependency-groups"].items():
        assert requirements == extras[name]


def test_versions_agree():
    version = metadata()["project"]["version"]
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_import_needs_no_optional_package():
    optional = ["matplotlib", "casadi", "jax", "asdex", "numba", "cyipopt", "osqp", "sksundae"]
    assert not imported_with("import sparsetrace", optional)


def test_large_modules_are_imported_when_they_are_used():
    large = ["scipy.special", "scipy.io", "scipy.linalg", "scipy.optimize", "scipy.stats"]
    large += ["sparsetrace.rules.special_bessel", "sparsetrace.coloring"]
    call = "import sparsetrace as st; st.jacobian_sparsity(lambda x: x[0] * x[1], [1.0, 2.0])"
    before = imported_with("import numpy, scipy.sparse", large)
    assert imported_with(call, large) == before


def test_functions_of_scipy_that_stand_for_others_are_found_when_they_are_called():
    call = "f = lambda x: np.i0(x) + np.array([math.erf(x[0]), math.gamma(x[1])])"
    code = (
        f"import math, numpy as np, sparsetrace as st; {call}; st.jacobian_sparsity(f, np.ones(2))"
    )
    assert imported_with(code, ["scipy.special"]) == ["scipy.special"]


def test_what_was_imported_before_makes_no_difference():
    code = "import scipy.special; from sparsetrace.rules import RECORDS, record_of; "
    code += "assert record_of(scipy.special.erf).second[0] == '1'; import sparsetrace"
    assert imported_with(code, ["sparsetrace"]) == ["sparsetrace"]


def imported_with(code, names):
    """Which of these modules a program has loaded at its end."""
    code = f"import sys; {code}; print([name for name in {names} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ast.literal_eval(run.stdout)


def test_public_names_exist():
    for name in sparsetrace.__all__:
        assert getattr(sparsetrace, name) is not None


def test_demo(capsys):
    main(["demo"])
    printed = capsys.readouterr().out
    assert "SparsityPattern: 1352 x 2352, 36504 entries (1.15 %)" in printed
    assert "SparsityPattern: 1152 x 1152, 6912 entries (0.521 %)" in printed
    assert printed.count("┌") == 2
    assert printed.count(" ms ") == 2


def test_a_command_is_required(capsys):
    with pytest.raises(SystemExit):
        main([])
    assert "demo" in capsys.readouterr().err
