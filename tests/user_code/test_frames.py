"""Whose code a file is, however its folder was named when the package was found."""

import subprocess
import sys
from pathlib import Path

import sparsetrace

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import sparsetrace as st

def function(x):
    y = np.zeros(3)
    y[:2] = x[1:] * x[:-1]
    return y

assert ".." in st.__file__
for _ in range(2):
    print(st.jacobian_sparsity(function, np.ones(3)).indices.tolist())
"""


def test_the_package_knows_its_own_files_by_any_name_of_its_folder():
    folder = Path(sparsetrace.__file__).parents[1]
    program = [sys.executable, "-c", PROGRAM, f"{folder}/../{folder.name}"]
    run = subprocess.run(program, capture_output=True, text=True, timeout=100)
    assert run.stdout.splitlines() == ["[0, 1, 1, 2]"] * 2, run.stderr[-500:]
