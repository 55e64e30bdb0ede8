"""``int`` and ``complex`` of traced numbers, as code writes them."""

import dataclasses

import numpy as np
import pytest

import sparsetrace as st
from oracles import (
    assert_covers,
    assert_same_pattern,
    jacobian_pattern_at,
    numerical_jacobian_pattern,
)

TABLE = np.array([1.0, 2.0, 4.0, 8.0])
NODES = np.array([0.0, 1.0, 2.0, 3.0])
PRECISION, WAVE, COUNT = np.float64, np.complex128, np.int64
"""NumPy's types under names of this module's."""


class Fraction(int):
    """A type that code derives from a builtin."""


def interpolated(x):
    i = int(np.searchsorted(NODES[1:-1], x[0]))
    t = x[0] - NODES[i]
    return (1 - t) * TABLE[i] + t * TABLE[i + 1] + 0 * x[1]


def own_elements(x):
    i = int(2 * abs(x[0])) % 3
    return x[i] * x[1]


def rounded(x):
    return x[0] - int(x[0]) + int("7", 8) + int(3.9) + Fraction(4)


def same_type(x):
    n = int(x[0])
    return x[1] if type(n) is int and isinstance(n, int) and type(len(x)) is int else x[2]


def impedance(x):
    return abs(1 / complex(x[0], x[1])) * complex(x[2]).real * complex(2.0, 1.0).imag


def keyed(x):
    kinds = {int: 1.0, float: 2.0, complex: 3.0}
    return kinds[type(int(x[0]))] * kinds[type(complex(x[1]))] * x[2]


def _as_number(a, dtype=None):
    dtype = PRECISION if dtype is None else dtype
    assert dtype in (np.float32, np.float64)
    return dtype(np.asarray(a, dtype))


def of_numpys_type(x):
    values = np.zeros(2, PRECISION)
    values[0] = _as_number(np.squeeze(x[:1]))
    scaled = _as_number([x[1], 2.0])
    assert isinstance(values[1], PRECISION)
    assert scaled.dtype == PRECISION
    scaled = scaled + PRECISION([x[1] * 2, x[1].item()]) * PRECISION(np.ones(2))
    return values[0] * scaled + np.issubdtype(scaled.dtype, PRECISION) * PRECISION(3)


def of_numpys_complex_type(x):
    return abs(WAVE(x[0]) * 1j + WAVE(1 + 1j)) * COUNT(2.5) + x[1] - COUNT(x[2])


class Gauge:
    factor = np.float64(2.0)

    def read(self, v):
        value = np.float64(v) * self.factor
        if type(value) is not np.float64 or not isinstance(value, np.float64):
            return 0.0
        return value if type(v) is np.float64 else -np.double(value)


def by_attribute(x):
    """``np.float64(v)`` in methods, comprehensions and lambdas, beside its other uses."""
    gauge = Gauge()
    values = np.array([np.float64(gauge.read(v)) for v in x], dtype=np.float64)
    real = np.complex128(x[1] + 1j * x[2]).real + np.float64(values[:1]).sum()
    known = {np.float64: 1.0}[values.dtype.type] * np.float64("2.5") * np.finfo(np.float64).bits
    return (
        np.float64(np.float64(x[0]) if type(x[0]) is np.float64 else x[2]),
        (lambda v: np.float32(v) * known)(x[2]),
        sum(np.float64(v) for v in x[:2].tolist()),
        real,
        np.int64(x[0] * 3) * x[1] + np.float64(x[2]),
    )


CASES = {
    "by an attribute": (
        by_attribute,
        [[1, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 0], [0, 1, 1]],
    ),
    "a type of NumPy's": (of_numpys_type, [[1, 1, 0], [1, 1, 0]]),
    "other types of NumPy's": (of_numpys_complex_type, [[1, 1, 0]]),
    "a cell of a table": (interpolated, [[1, 0, 0]]),
    "an element of the inputs": (own_elements, [[1, 1, 1]]),
    "a fraction": (rounded, [[1, 0, 0]]),
    "its type": (same_type, [[0, 1, 0]]),
    "complex": (impedance, [[1, 1, 1]]),
    "a key": (keyed, [[0, 0, 1]]),
}


HANDED_ON = """
def made(x, dtype):
    return x * 2 if dtype is real else x[::-1] * x[0]
"""


@pytest.mark.usefixtures("seen_functions")
@pytest.mark.parametrize("local", [False, True])
def test_a_type_that_another_module_compares_by_identity(local):
    scope = {"__name__": "others_types", "real": np.float64}
    exec(compile(HANDED_ON, "others_types.py", "exec"), scope)

    def f(x):
        return scope["made"](x, PRECISION) * PRECISION(x[0])

    pattern = st.jacobian_sparsity(f, np.array([1.0, 2.0, 3.0]), local=local)
    assert_same_pattern(pattern, [[1, 0, 0], [1, 1, 0], [1, 0, 1]])


def made_anew():
    def convert(v):
        return np.float64(v) * 2

    return convert


def test_a_function_that_each_run_makes_is_refused_at_once():
    def f(x):
        return made_anew()(x[0])

    with pytest.raises(st.EscapeError, match=r"np\.float64"):
        st.jacobian_sparsity(f, np.ones(2))


@pytest.mark.usefixtures("seen_functions")
@pytest.mark.parametrize("name", CASES)
def test_a_conversion_is_traced(name):
    f, expected = CASES[name]
    point = np.array([0.4, 0.3, 0.2])
    assert_same_pattern(st.jacobian_sparsity(f, point), expected)
    local = st.jacobian_sparsity(f, point, local=True).toarray()
    assert (local <= np.array(expected, bool)).all()
    assert_covers(expected, numerical_jacobian_pattern(f, point, low=0.1, high=2.9))


def test_a_count_that_the_inputs_decide_is_refused():
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: sum(x[i] for i in range(int(x[0]))), np.ones(3))


def test_the_names_are_as_before():
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: [1.0, 2.0][int(x[0])] * x[1], np.ones(3))
    st.jacobian_sparsity(interpolated, np.ones(3))
    assert "int" not in globals()
    assert "complex" not in globals()


COMPARING = """
import numpy as np

real = np.float64


def is_known(dtype):
    return dtype is {name}


def converted(x):
    return real(x[0]) * 2 if is_known(x.dtype.type) else x[1]


def handed_on(x, dtype=None):
    dtype = real if dtype is None else dtype
    return dtype(x[0]) * 2 if is_known(x.dtype.type) else x[1]


def mapped(x):
    first, _ = map(real, x)
    return first * 2 if is_known(x.dtype.type) else x[1]


def of_its_type(x):
    v = real(x[0])
    return v * 2 if type(v) is real and type(x[1]) is np.float64 else v * x[1]
"""


@pytest.mark.usefixtures("seen_functions")
@pytest.mark.parametrize("name", ["real", "np.float64"])
def test_a_type_of_numpys_that_is_compared_by_identity_stays(name):
    scope = {"__name__": "somebodys_types"}
    exec(compile(COMPARING.format(name=name), "somebodys_types.py", "exec"), scope)
    for function in (
        "converted",
        "handed_on",
        "of_its_type",
    ):  # where it is called, not the type stands there
        assert_same_pattern(st.jacobian_sparsity(scope[function], np.ones(2)), [[1, 0]])
    with pytest.raises(st.EscapeError) as caught:
        st.jacobian_sparsity(scope["mapped"], np.ones(2))
    notes = [*getattr(caught.value, "__notes__", ())]
    notes += getattr(caught.value.__cause__, "__notes__", ())
    assert any("by identity" in note for note in notes)


@pytest.mark.usefixtures("seen_functions")
def test_the_types_of_numpy_are_as_before():
    st.jacobian_sparsity(of_numpys_complex_type, np.ones(3))
    assert list(map(id, (PRECISION, WAVE, COUNT))) == list(
        map(id, (np.float64, np.complex128, np.int64))
    )
    codes = by_attribute.__code__, Gauge.read.__code__
    st.jacobian_sparsity(by_attribute, np.ones(3))
    assert codes == (by_attribute.__code__, Gauge.read.__code__)
    assert not [name for name in vars(np) if "sparsetrace" in name]


@dataclasses.dataclass(frozen=True)
class Frozen:
    """Python gives it methods that ask ``type(self) is cls``."""

    rate: float


def test_a_frozen_dataclass_in_the_module_leaves_float_traceable():
    def f(x):
        return float(x[0]) * Frozen(rate=float(x[1])).rate

    assert st.jacobian_sparsity(f, np.ones(3)).indices.tolist() == [0, 1]


class Quantity:
    """Converts to a number by methods of its own."""

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return float(self.value)

    def __int__(self):
        return int(self.value)

    def __complex__(self):
        return complex(self.value)


class Place:
    def __index__(self):
        return 3


OF_OBJECTS = {
    "float": lambda x: float(Quantity(x[0])) * x[1],
    "int": lambda x: int(Quantity(3 * x[0])) * x[1],
    "complex": lambda x: [complex(Quantity(x[0]), 2.0).real, complex(1.0, Quantity(x[2])).imag],
    "by index": lambda x: [
        float(Place()) * x[2],
        int(Place()) * x[1],
        complex(Place()).real * x[0],
    ],
    "several": lambda x: [float(v) for v in (Quantity(x[0]), x[1], 2, "3.5")],
}


@pytest.mark.parametrize("name", OF_OBJECTS)
def test_objects_that_convert_themselves(name):
    f, x = OF_OBJECTS[name], np.array([0.8, 1.7, 0.6])
    wanted = numerical_jacobian_pattern(f, x, low=0.3, high=1.9, points=8)
    assert_same_pattern(st.jacobian_sparsity(f, x), wanted)
    assert_same_pattern(st.jacobian_sparsity(f, x, local=True), jacobian_pattern_at(f, x))
