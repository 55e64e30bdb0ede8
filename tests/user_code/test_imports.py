"""Modules that functions import where they run."""

import importlib
import sys

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.user_code.effects import has_effects

_FILES = {
    "__init__": "",
    "state": "import numpy as np\nwork = np.zeros(3)\n",
    "late": "def half(v):\n    return v / 2\n",
    "inner/__init__": "",
    "inner/parts": "def square(v):\n    return v * v\n",
    "inner/model": """
        import numpy as np

        def own(v):
            from .parts import square
            return square(v) if v > 0 else -v

        def from_package(v):
            from . import parts
            return parts.square(v) if v > 0 else -v

        def from_above(v):
            from ..inner.parts import square
            return square(v) if v > 0 else -v

        def by_full_name(v):
            import {package}.inner.parts as parts
            return parts.square(v) if v > 0 else -v

        def loads(v):
            from ..late import half
            return half(v)

        def loads_module(v):
            from .. import late
            return late.half(v)

        def over(name):
            one = globals()[name]
            return lambda x: np.array([one(v) for v in x])

        def buffered(x):
            from .. import state
            state.work[:] = x
            return state.work[::-1] * 2
    """,
}


@pytest.fixture
def model(tmp_path, monkeypatch, request):
    package = f"package_of_imports_{abs(hash(request.node.name))}"
    for name, text in _FILES.items():
        path = tmp_path / package / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = text.replace("{package}", package).splitlines()
        path.write_text("\n".join(line.removeprefix(" " * 8) for line in lines) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module(f"{package}.state")
    yield importlib.import_module(f"{package}.inner.model")
    for name in [name for name in sys.modules if name.startswith(package)]:
        del sys.modules[name]


@pytest.mark.parametrize("name", ["own", "from_package", "from_above", "by_full_name"])
def test_functions_that_import_are_run_apart(model, name):
    importlib.import_module(f"{model.__package__}.parts")
    assert not has_effects(getattr(model, name))
    pattern = st.jacobian_sparsity(model.over(name), np.ones(40))
    assert np.array_equal(pattern.toarray(), np.eye(40, dtype=bool))


@pytest.mark.parametrize("name", ["loads", "loads_module"])
def test_loading_a_module_is_an_effect_until_it_is_loaded(model, name):
    assert has_effects(getattr(model, name))
    importlib.import_module(f"{model.__package__.rpartition('.')[0]}.late")
    assert not has_effects(getattr(model, name))


def test_arrays_of_modules_that_are_imported_are_as_before(model):
    state = sys.modules[f"{model.__package__.rpartition('.')[0]}.state"]
    pattern = st.jacobian_sparsity(model.buffered, np.ones(3))
    assert np.array_equal(pattern.toarray(), np.eye(3, dtype=bool)[::-1])
    assert state.work.tolist() == [0.0, 0.0, 0.0]
