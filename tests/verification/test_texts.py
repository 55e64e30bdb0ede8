"""Functions that ask what the text of a number says: that of a traced one says nothing.

None of them gives a pattern without an entry that plain calls show.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import sparsetrace as st

POINT = np.array([0.7, -0.4, 1.3, 0.2])
ASKING = {
    "in": lambda x: x[1] if "-" in f"{x[0]}" else x[2],
    "joined": lambda x: x[1] if "-" in f"it is {x[0]:.3f}" else x[2],
    "startswith": lambda x: x[1] if str(x[0]).startswith("-") else x[2],
    "equal": lambda x: x[1] if str(int(np.argmax(x[:2]))) == "1" else x[2],
    "a truth value": lambda x: x[1] if str(x[0] > x[3]).lower() == "false" else x[2],
    "a key that is not there": lambda x: {"True": x[1]}.get(str(x[0] > 0), x[2]),
    "a set": lambda x: x[1] if repr(x[0] > 0) in {"np.True_"} else x[2],
    "count": lambda x: x[str(x[:3] > 0).count("True")],
    "a regular expression": lambda x: x[1] if re.search("-", str(x[0])) else x[2],
    "order": lambda x: x[sorted([(str(x[0]), 1), ("0", 2)])[0][1]],
}


@pytest.mark.parametrize("name", ASKING)
def test_what_a_text_says_decides_nothing_silently(name):
    f = ASKING[name]
    with pytest.raises(st.TracingError, match="makes text of numbers"):
        st.jacobian_sparsity(f, POINT)


def test_nor_in_hessians():
    def f(x):
        return x[1] ** 2 if "-" in str(x[0]) else x[2] ** 2

    with pytest.raises(st.VerificationError, match="makes text of numbers"):
        st.hessian_sparsity(f, POINT)
    assert st.hessian_sparsity(f, POINT, verify=False).nnz == 1


@pytest.mark.parametrize("sink", ["print", "raise", "none"])
def test_what_is_shown_alone_takes_no_calls(sink, capsys):
    def printing(x):
        print(f"it is {x[0]:.3f}")
        return x * x[::-1]

    def raising(x):
        if len(x) != 4:
            raise ValueError(f"four numbers are wanted, and not {x}")
        return x * x[::-1]

    f = {"print": printing, "raise": raising, "none": lambda x: x * x[::-1]}[sink]
    assert st.jacobian_sparsity(f, POINT).nnz == 8
    assert capsys.readouterr().out.count("\n") == (sink == "print")


def test_a_memo_is_checked_and_right():
    def remembering():
        memo = {}

        def f(x):
            key = str(x[0])
            if key not in memo:
                memo[key] = x[0] ** 2
            return memo[key] * x[1:]

        return f

    assert st.jacobian_sparsity(remembering(), POINT).nnz == 6
