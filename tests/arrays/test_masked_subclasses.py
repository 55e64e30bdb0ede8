"""Subclasses of ndarray that keep an array beside their elements and move it as these are moved.

As astropy's ``Masked``: what is beside the elements follows indices and orders that the inputs
choose, and the class's ``shape`` is that of ndarray, but for how it is set.
"""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern, jacobian_pattern_at, numerical_jacobian_pattern

START = np.array([0.5, 1.5, 0.7, 2.0])
BESIDE = np.array([1.0, 3.0, 1.0, 1.0])


class Weighing(np.ndarray):
    """Elements and a weight of each."""

    @classmethod
    def of(cls, values, weights):
        made = np.array(values, copy=None, subok=True).view(cls)
        made.weights = weights
        return made

    def __array_finalize__(self, source):
        if source is not None and source.__class__ is not np.ndarray:
            self.weights = getattr(source, "weights", None)

    @property
    def plain(self):
        return super().view(np.ndarray)

    @property
    def shape(self):
        """As that of the elements."""
        return super().shape

    @shape.setter
    def shape(self, shape):
        self.weights = self.weights.reshape(shape)
        super(Weighing, type(self)).shape.__set__(self, shape)

    def __getitem__(self, key):
        return self.of(self.plain[key], self.weights[key])

    def ravel(self, order="C"):
        return self.of(self.plain.ravel(order), self.weights.ravel(order))

    def __array_function__(self, function, types, args, kwargs):
        if function is np.ediff1d:
            return np.ediff1d.__wrapped__(*args, **kwargs)
        return super().__array_function__(function, types, args, kwargs)

    def __array_wrap__(self, result, context=None, return_scalar=False):
        return result if context is None else super().__array_wrap__(result, context)

    def result(self):
        return self.plain * self.weights


class Shifted(Weighing):
    @property
    def shape(self):
        return super().shape[::-1]


def _reshaped(m):
    m = m.of(m.plain.copy(), m.weights)
    m.shape = (2, 2)
    return m.result() * m[1].result()


PROGRAMS = {
    "slice": lambda m: m[1:].result(),
    "class method": lambda m: m.of(m.plain * 2, m.weights[::-1]).result(),
    "order of its own": lambda m: m[np.argsort(m.plain)].result(),
    "a function of NumPy's that moves elements": lambda m: (
        np.take_along_axis(m, np.argsort(m.plain), axis=-1).weights * m.plain
    ),
    "all of it": lambda m: np.take_along_axis(m, np.argsort(m.plain), axis=-1).result(),
    "flipped": lambda m: np.flip(m).result(),
    "rolled": lambda m: np.roll(m, 1).plain,
    "implementation": lambda m: np.asarray(np.ediff1d(m)),
    "shape": lambda m: m.plain.reshape(m.shape[0] // 2, 2).sum(axis=0),
    "shape that is set": _reshaped,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_patterns(name):
    program = PROGRAMS[name]

    def f(x):
        return program(Weighing.of(x.copy(), BESIDE))

    if name != "order of its own":  # an array made elsewhere, indexed inside of a method
        points = [numerical_jacobian_pattern(f, np.roll(START, k)) for k in range(4)]
        assert_same_pattern(st.jacobian_sparsity(f, START), np.any(points, axis=0))
    local = st.jacobian_sparsity(f, START, local=True)
    assert_same_pattern(local, jacobian_pattern_at(f, START))


def test_a_shape_of_its_own_is_refused():
    with pytest.raises(st.UnsupportedError, match=r"ndarray\.view\(Shifted\)"):
        st.jacobian_sparsity(lambda x: np.asarray(x.view(Shifted)), START)


class Peaked(np.ndarray):
    """Remembers the largest of the elements that it was made of."""

    def __array_finalize__(self, source):
        self.peak = float(np.max(np.asarray(source))) if np.size(source) else 0.0

    def __mul__(self, other):
        return super().__mul__(other)


MOVED = {"flip": np.flip, "sort": np.sort, "element": lambda v: v[1:]}
MADE = {"product": lambda v: v * 2.0, "sine": np.sin, "take": lambda v: v.take([0, 3])}


@pytest.mark.parametrize("name", MOVED)
def test_attributes_that_are_made_of_elements(name):
    def f(x):
        return MOVED[name](x.view(Peaked)).peak * x

    pattern = st.jacobian_sparsity(f, START)
    assert_same_pattern(pattern, np.ones((4, 4), bool))
    local = st.jacobian_sparsity(f, START, local=True)
    assert_same_pattern(local, jacobian_pattern_at(f, START))


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", MADE)
def test_such_attributes_of_results_are_not_those_of_a_sample(name, local):
    def f(x):
        return MADE[name](x.view(Peaked)).peak * x

    with pytest.raises(st.UnsupportedError, match="made of elements"):
        st.jacobian_sparsity(f, START, local=local)
