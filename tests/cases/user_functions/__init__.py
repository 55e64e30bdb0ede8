"""Functions as people write them, one by one: those that are traced, and those refused.

None of the modules here knows that its functions are traced.
"""

from __future__ import annotations

import importlib
import types
from pathlib import Path

__all__ = ["HERE", "KINDS", "REFUSED", "SHAPES", "TRACED", "load"]

HERE = Path(__file__).parent
KINDS = (
    "attention branches buffers conversions early_names groups loops matrices physics structure "
    "transforms"
).split()
HELPERS = {
    "attention.split",
    "early_names.array",
    "groups.to_scalar",
    "matrices.difference",
    "physics.lotka_volterra",
    "structure.logged",
    "structure.make_closure",
}
SHAPES = {
    "attention.with_loops": 20,
    "attention.whole_arrays": 20,
    "loops.broyden_loop": 6,
    "loops.broyden_slices": 6,
    "loops.laplace_loop": 7,
    "physics.brusselator_loops": 18,
    "physics.forward_kinematics": 5,
    "physics.heat": (4, 4),
    "physics.log_likelihood": 2,
    "physics.lorenz96": 7,
    "physics.lotka": 2,
    "physics.n_body": 6,
    "physics.power_flow": 8,
    "physics.exponential_residuals": 3,
    "physics.robertson": 3,
}


def load(kind):
    return importlib.import_module(f"{__name__}.{kind}")


def functions(kind):
    module = load(kind)
    for name, value in vars(module).items():
        own = getattr(value, "__module__", "") == module.__name__
        if name.startswith("_") or isinstance(value, (type, types.ModuleType)):
            continue
        known = own or isinstance(value, (types.MethodType,)) or name in ("cubes",)
        if callable(value) and known and f"{kind}.{name}" not in HELPERS:
            yield f"{kind}.{name}", value


TRACED = [case for kind in KINDS for case in functions(kind)]
REFUSED = dict(functions("refused"))
