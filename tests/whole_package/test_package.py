"""The package's metadata, and the command line."""

from __future__ import annotations

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
    code = f"import sys, sparsetrace; print([name for name in {optional} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


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
