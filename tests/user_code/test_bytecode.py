"""What a call's site says without `dis` is what it says with it."""

import dis
import inspect
import types

import numpy as np
import pytest
import scipy.optimize._optimize
import scipy.signal._filter_design

from sparsetrace.user_code.bytecode import callee_at, callee_of

SOURCES = """\
np.zeros(3)
np.linalg.norm(np.zeros(3), axis=0)
OPS["c"](np.ones(2))
make(1)(2)
(np.zeros if flag else np.ones)(4)
[np.zeros(n) for n in range(3)]
np.array([
    np.zeros(2),
    f(*a, **{"k": np.ones(1)}),
])
with_many = [%s, np.zeros(1)]
lambda x: np.zeros(x.shape).sum()
"""


def codes_in(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_in(constant)


def of_text():
    many = ", ".join(f"name_{i}.attribute_{i}(0)" for i in range(300))  # operands beyond a byte
    return compile(SOURCES % many, "calls.py", "exec")


def of_module(module):
    return compile(inspect.getsource(module), module.__file__, "exec")


@pytest.mark.parametrize(
    "make",
    [
        of_text,
        lambda: of_module(np.lib._function_base_impl),
        lambda: of_module(scipy.optimize._optimize),
        lambda: of_module(scipy.signal._filter_design),
        lambda: of_module(inspect),
    ],
    ids=["text", "numpy", "optimize", "signal", "inspect"],
)
def test_callee_of_is_callee_at(make):
    told = wrong = 0
    for code in codes_in(make()):
        steps = list(dis.get_instructions(code))
        if len(steps) > 2500:
            continue
        for at, step in enumerate(steps):
            chain = callee_of(code, step.offset)
            if chain is not None:
                told += 1
                wrong += chain != callee_at(steps, at)
    assert told > 20
    assert not wrong
