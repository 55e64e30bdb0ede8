"""The examples run as they are, each in an interpreter of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
LINES = {
    "ac_power_flow": "case9 constraints: SparsityPattern: 36 x 24, 186 entries",
    "adagrad": "with_masked_arrays SparsityPattern: 16 x 24, 25 entries",
    "boundary_value": "boundary value:",
    "brusselator": "SparsityPattern: 288 x 288, 1728 entries",
    "bundle_adjustment": "sparsetrace.solvers.scipy_equations: cost",
    "chained_layers": "gradient: SparsityPattern: 1 x 864, 732 entries",
    "chained_rosenbrock": "trust-constr:",
    "component_model": "explicit SparsityPattern: 17 x 10, 50 entries",
    "convolution": "Conv       SparsityPattern: 1352 x 2352, 36504 entries",
    "cosine_attention": "at_once  SparsityPattern: 1024 x 20480, 1114112 entries",
    "equations": "newton_krylov:",
    "grey_box": "grey box: 47 derivatives of 300, exact Hessian",
    "maximum_likelihood": "SparsityPattern: 42 x 42, 164 entries",
    "finite_volumes": "by_products SparsityPattern: 576 x 576, 2784 entries",
    "openmdao_beam": "result: d volume / d height: lacks 1 entries, the first at (0, 19)",
    "optimal_control": "optimal control: solved",
    "readme": "Jacobian: [(0, 0), (1, 0), (1, 1), (2, 2)]",
}
MISSING = "is not installed"
"""What an example prints that needs a package which is not there."""


def test_every_example_is_run():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(LINES)


@pytest.mark.parametrize("name", LINES)
def test_example(name, tmp_path):
    """What an example asserts holds, and its key line is printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", FOLDER / f"{name}.py"],
        cwd=tmp_path,  # the installed package, not the checkout
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    if MISSING in done.stdout and LINES[name] not in done.stdout:
        pytest.skip(done.stdout.strip())
    assert LINES[name] in done.stdout
