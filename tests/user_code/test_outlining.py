"""What of a file is read for the pieces of one function."""

import importlib.util
import sys

import numpy as np
import pytest

from sparsetrace import jacobian_sparsity
from sparsetrace.user_code import outlining

BRANCHES = """
def branches(x):
    states = []
    for i in range(12):
        if x[i] > 0:
            state = x[i] * x[i + 1]
        else:
            state = x[i]
        states.append(state)
    return states
"""

FILES = {
    "alone": BRANCHES,
    "among others": f"import math\ndef f():\n    pass\n{BRANCHES}\nclass C:\n    a = 1\nb = f()\n",
    "decorated": f"def same(f):\n    return f\n@same\n{BRANCHES.strip()}\n@same\nclass C: pass\n",
    "after a string like code": f'def text():\n    return """\ndef branches(x):\n"""\n{BRANCHES}',
    "a string in it": BRANCHES.replace("states = []", 'states, text = [], """\ndef f(): {\n"""'),
    "brackets that end at the margin": f"def f(\n    a=(\n1,\n)\n):\n    return a\n{BRANCHES}",
}


@pytest.mark.parametrize("name", FILES)
def test_branches_in_a_file(tmp_path, monkeypatch, name):
    path = tmp_path / "branching.py"
    path.write_text(FILES[name])
    spec = importlib.util.spec_from_file_location("branching", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "branching", module)
    spec.loader.exec_module(module)
    found = jacobian_sparsity(module.branches, np.ones(13), max_paths=64)
    assert (found.toarray() == np.eye(12, 13) + np.eye(12, 13, 1)).all()


def test_other_functions_of_a_module_are_not_parsed():
    text = FILES["among others"]
    line = text.split("\n").index("        if x[i] > 0:") + 1
    shown = outlining._shortened(text, {line})
    assert len(shown.split("\n")) == len(text.split("\n"))
    assert BRANCHES.strip() in shown
    assert [part in shown for part in ("import math", "def f", "class C", "b = f()")] == [
        True,
        False,
        False,
        True,
    ]
