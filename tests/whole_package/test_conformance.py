"""The conformance cases that lie beside a checkout: Jacobians and Hessians, global and local."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from sparsetrace import TracingError, hessian_sparsity, jacobian_sparsity

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "conformance"

if not (FOLDER / "cases.py").exists():
    pytest.skip("no conformance cases beside the repository", allow_module_level=True)


def load_cases():
    spec = importlib.util.spec_from_file_location("conformance_cases", FOLDER / "cases.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(module)
    return {case.name: case for case in module.CASES}


CASES = load_cases()


def check(case) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            detect = hessian_sparsity if case.kind == "hess" else jacobian_sparsity
            pattern = detect(case.f, case.x.copy(), local=case.local)
        except TracingError:
            if case.may_raise:
                return
            raise
        rows = case.x.size if case.kind == "hess" else np.asarray(case.f(case.x.copy())).size
        assert pattern.shape == (rows, case.x.size)
    found = set(zip(*(part.tolist() for part in pattern.nonzero()), strict=True))
    wanted = set(case.expected)
    assert not wanted - found, f"missing: {sorted(wanted - found)[:20]}"
    if case.exact:
        assert not found - wanted, f"extra: {sorted(found - wanted)[:20]}"


@pytest.mark.parametrize("name", CASES)
def test_pattern(name):
    check(CASES[name])


def test_the_check_can_fail():
    case = next(c for c in CASES.values() if len(c.expected) > 1 and not c.may_raise)
    kept = case.expected
    try:
        case.expected = [*kept, (10**6, 0)]
        with pytest.raises(AssertionError, match="missing"):
            check(case)
    finally:
        case.expected = kept
