"""Classes that derive from ``float``, given traced numbers."""

import copy
import math

import numpy as np
import pytest

from sparsetrace import TracingError, jacobian_sparsity

POINT = np.array([0.5, 2.0, 3.0])


class Degrees(float):
    """Without ``__new__``."""

    def radians(self):
        return Radians(math.radians(self))


class Radians(float):
    """By ``super()``, with operators that give the class again."""

    unit = "rad"
    made = 0

    def __new__(cls, value, name=""):
        self = super().__new__(cls, value)
        self.name = name
        return self

    @classmethod
    def named(cls, value):
        return cls(value, "named")

    @staticmethod
    def full():
        return 2 * math.pi

    @property
    def half(self):
        return self.__class__(self * 0.5, self.name)

    def __add__(self, other):
        return type(self)(float.__add__(self, other), self.name)

    def __mul__(self, other):
        return Radians(super().__mul__(other), self.name)


class Named:
    def label(self):
        return f"{self.name} in {self.unit}"

    @classmethod
    def kind(cls):
        return cls


class Length(float, Named):
    """By the name of the type."""

    unit = "m"

    def __new__(cls, value, name):
        self = float.__new__(cls, value)
        self.name = name
        return self


class Depth(Length):
    """Two of them."""

    def __new__(cls, value):
        return super().__new__(cls, value, "depth")

    def pressure(self, density=1000.0):
        return density * 9.81 * self


def made_by(kind, cls, value):
    return kind.__new__(cls, value)


class Handed(float):
    """By a type that is handed over."""

    def __new__(cls, value):
        return made_by(float, cls, value)


def kinds(x):
    angle = Degrees(x[0]).radians()
    assert isinstance(angle, Radians)
    assert isinstance(angle, float)
    assert type(angle) is Radians
    assert angle.__class__ is Radians
    assert not isinstance(angle, Degrees)
    assert hasattr(angle, "name")
    assert not hasattr(angle, "shape")
    return [angle, angle.half, angle + x[1], angle * 2.0, 2.0 * angle, -angle, angle - x[2]]


def operators_of_the_class(x):
    total = Radians(x[0], "total") + x[1]
    assert type(total) is Radians
    assert total.name == "total"
    product = total * x[2]
    assert (product.name, product.unit, product.half.name) == ("total", "rad", "total")
    assert type(total - 1.0) is float
    assert type(total * 2.0) is Radians
    return [total, product, product.half, Radians.named(x[2]), total.named(x[1]), total.full()]


def bases(x):
    depth = Depth(x[0])
    assert depth.label() == "depth in m"
    assert isinstance(depth, Named)
    assert issubclass(type(depth), Length)
    assert depth.kind() is Depth
    return depth.pressure(), depth**2, abs(depth), float(depth), math.sqrt(depth), Handed(x[1])


def with_numpy(x):
    depth = Depth(x[0])
    return np.sin(depth), np.array([depth, x[1]]) * 2, np.maximum(depth, x[2]), depth * x


def on_two_paths(x):
    """They hold different names: each is gone on with."""
    angle = Radians(x[0], "a") if x[0] > 1 else Radians(x[1], "b")
    return angle if angle.name == "a" else angle * x[2]


def in_calls_that_branch(x):
    def bounded(v):
        angle = Degrees(v if v > 0 else -v)
        return 2 * angle if angle < 90 else angle / 2

    return [bounded(v) for v in x]


def of_constants_alone(x):
    assert Degrees(x[0]) is not None
    assert Degrees() == 0.0
    assert type(Degrees("2.5")) is Degrees
    assert Degrees.fromhex("0x1.8p0") == float.fromhex("0x1.8p0") == 1.5
    assert (Degrees(2.0) + 1, 2 * Degrees(2.0), Degrees(2.0) < 3, -Degrees(2.0)) == (3, 4, True, -2)
    assert (Radians(2.0) + 1.0).half == 1.5
    return x * Radians(0.0) + Degrees(2.0).radians()


EXPECTED = {
    kinds: [[1, 0, 0], [1, 0, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 1]],
    operators_of_the_class: [
        *([[1, 1, 0], [1, 1, 1], [1, 1, 1]]),
        *([[0, 0, 1], [0, 1, 0], [0, 0, 0]]),
    ],
    bases: [[1, 0, 0]] * 5 + [[0, 1, 0]],
    with_numpy: [
        *([[1, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 1]]),
        *([[1, 0, 0], [1, 1, 0], [1, 0, 1]]),
    ],
    on_two_paths: [[1, 1, 1]],
    in_calls_that_branch: np.eye(3, dtype=int).tolist(),
    of_constants_alone: [[0, 0, 0]] * 3,
}


@pytest.mark.parametrize("function", EXPECTED, ids=lambda f: f.__name__)
def test_objects_of_the_class(function):
    before = (*map(vars, (Degrees, Radians, Length, Depth, Handed)), vars(float))
    before = [dict(names) for names in before]
    pattern = jacobian_sparsity(function, POINT)
    assert pattern.toarray().astype(int).tolist() == EXPECTED[function]
    after = (*map(vars, (Degrees, Radians, Length, Depth, Handed)), vars(float))
    assert [dict(names) for names in after] == before
    assert type(Degrees(1.0)) is Degrees
    assert Degrees(1.0) + 1 == 2.0


def test_at_a_point():
    pattern = jacobian_sparsity(on_two_paths, POINT, local=True)
    assert pattern.toarray().astype(int).tolist() == [[0, 1, 1]]
    assert jacobian_sparsity(kinds, POINT, local=True).nnz == 9


class Percent(float):
    """Says itself what its value is."""

    def __float__(self):
        return float.__float__(self) / 100


class Kept(float):
    """Has a name of the trace's own."""

    def __new__(cls, value):
        self = super().__new__(cls, value)
        self._value = 1.0
        return self


class Begun(float):
    """Begun by what Python calls only for objects of the very class."""

    def __init__(self, value):
        self.twice = 2 * value


class Refusing(type):
    pass


class OfMetaclass(float, metaclass=Refusing):
    pass


def given(v):
    v.size = 3
    return v


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: float(Percent(x[0])),
        lambda x: Kept(x[0]),
        lambda x: Begun(x[0]).twice,
        lambda x: OfMetaclass(x[0]),
        lambda x: copy.copy(Radians(x[0])),
        lambda x: copy.deepcopy(Radians(x[0])),
        lambda x: given(Degrees(x[0])),
        lambda x: np.float64(Degrees(x[0]).hex() == "") * x[1],
    ],
)
def test_what_is_not_followed_is_refused(function, local):
    with pytest.raises(TracingError):
        jacobian_sparsity(function, POINT, local=local)


def test_calls_that_return_them_are_not_united():
    """They are gone on with one by one, with their attributes: six calls have 64 paths."""

    def named(v):
        return Radians(v, "a") if v > 0 else Radians(-v, "b")

    def function(x):
        angles = [named(v) for v in x]
        assert all(type(angle) is Radians for angle in angles)
        return [angle * 2 if angle.name == "a" else angle for angle in angles]

    for count in (3, 6):
        pattern = jacobian_sparsity(function, np.ones(count))
        np.testing.assert_array_equal(pattern.toarray(), np.eye(count))
    with pytest.raises(TracingError, match="max_paths"):
        jacobian_sparsity(function, np.ones(12))


class Counted(float):
    count = 0.0
    scale = 1.0

    def __new__(cls, value):
        cls.count += value
        return super().__new__(cls, value)

    def scaled(self):
        return self * self.scale

    def total(self):
        return self.count


def attributes_of_the_class(x):
    one, two = Counted(x[0]), Counted(x[1])
    Counted.scale = x[2]
    Counted.late = x[1]
    return one.total(), two.count, one.scaled(), two.late, Counted.count


def test_attributes_of_the_class_are_those_that_it_has_by_then():
    for local in (False, True):
        pattern = jacobian_sparsity(attributes_of_the_class, POINT, local=local)
        expected = [[1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 1, 0], [1, 1, 0]]
        assert pattern.toarray().astype(int).tolist() == expected
        assert (Counted.count, Counted.scale, hasattr(Counted, "late")) == (0.0, 1.0, False)


def test_methods_that_the_class_has_got_since(monkeypatch):
    def radians(x):
        return Degrees(x[0]).radians() + x[1]

    assert jacobian_sparsity(radians, POINT).toarray().astype(int).tolist() == [[1, 1, 0]]
    monkeypatch.setattr(Degrees, "radians", lambda self: 0.0)
    assert jacobian_sparsity(radians, POINT).toarray().astype(int).tolist() == [[0, 1, 0]]
