"""What importing costs, in a process of its own, beside what it needs anyway."""

import sys


def importing(modules):
    return f"import sys; sys.path[:] = {sys.path}; import {modules}"


def timeraw_sparsetrace():
    return importing("sparsetrace")


def timeraw_dependencies():
    return importing("numpy, scipy.io, scipy.sparse, scipy.special, pyroaring")
