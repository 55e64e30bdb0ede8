"""The standard library's modules math and cmath on traced numbers."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, numerical_jacobian_pattern


@pytest.mark.parametrize("name", [n for n in vars(math) if not n.startswith("_")])
def test_the_math_module(name):
    function = getattr(math, name)
    if not callable(function):
        return
    for arguments in ((0.3,), (0.3, 0.4), ([0.3, 0.4],), ([0.3], [0.4])):
        try:
            plain = function(*arguments)
        except (TypeError, ValueError):
            continue

        def f(x, arguments=arguments):
            def exchanged(a):
                return [exchanged(v) for v in a] if isinstance(a, list) else x[int(a * 10) - 3]

            return getattr(math, name)(*map(exchanged, arguments))

        try:
            pattern = st.jacobian_sparsity(f, np.array([0.3, 0.4]))
        except st.TracingError:
            assert name in ("comb", "factorial", "gcd", "isqrt", "lcm", "perm", "nextafter", "fma")
            continue
        if isinstance(plain, float):
            expected = numerical_jacobian_pattern(f, [0.3, 0.4], low=0.3, high=0.4)
            assert_covers(pattern, expected)


@pytest.mark.parametrize("name", [n for n, f in vars(cmath).items() if callable(f) and n[0] != "_"])
def test_the_cmath_module(name):
    def f(x):
        function = getattr(cmath, name)
        z = function(*x) if name in ("rect", "isclose") else function(x[0] + 1j * x[1])
        if isinstance(z, tuple):
            return z
        return [z.real, z.imag] if isinstance(z, complex) else z

    expected = numerical_jacobian_pattern(f, [0.3, 0.4], low=0.3, high=0.4)
    for local in (False, True):
        assert_same_pattern(st.jacobian_sparsity(f, np.array([0.3, 0.4]), local=local), expected)
