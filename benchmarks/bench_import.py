"""What importing costs, in a process of its own, beside what it needs anyway."""

import sys


def importing(modules):
    return f"import sys; sys.path[:] = {sys.path}; import {modules}"


def timeraw_sparsetrace():
    return importing("sparsetrace")


def timeraw_sparsetrace_and_first_trace():
    function = "lambda x: numpy.sin(x[1:]) * x[:-1]"
    call = f"sparsetrace.jacobian_sparsity({function}, numpy.ones(30))"
    return f"{importing('numpy, sparsetrace')}; {call}"


def timeraw_dependencies():
    return importing("numpy, scipy.sparse, pyroaring")
