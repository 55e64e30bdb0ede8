"""Types that are compared by local names, of which one instruction of Python 3.13 loads two."""

import numpy as np

PLAIN, SINGLE = float, np.float64


def are_same(kind, other):
    return kind is other


def with_a_local_name(x):
    kind, known = type(x[0]), PLAIN
    v = float(x[0])
    return v * x[1] if kind is not known else x[2]


def of_an_element(x):
    return float(x[0]) * x[1] if are_same(type(x[0]), SINGLE) else x[2]


def of_a_conversion(x):
    return float(x[0]) * x[1] if are_same(type(float(x[0])), PLAIN) else x[2]


def with_a_default(x, kinds=(float, np.float64)):
    plain, numpys = kinds
    kind = type(x[0])
    first, second = np.float64(x[0]), float(x[1])
    of_first, of_second = type(first), type(second)
    return (
        (first if kind is numpys else x[2])
        + (second if of_second is plain else x[2])
        + (x[1] if of_first is numpys else x[2])
    )


FUNCTIONS = [with_a_local_name, of_an_element, of_a_conversion, with_a_default]
