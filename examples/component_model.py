"""Components with vectors by name, as engineering frameworks have them.

``python examples/component_model.py``: a wing and its structure write outputs and residuals
through vectors that are views of one buffer, made once and used in every call.  Nothing in the
components is changed for the trace, and the vectors hold afterwards what they held before.
"""

from collections.abc import MutableMapping

import numpy as np

import sparsetrace as st

PANELS = 8


class Vector(MutableMapping):
    """Variables by name, all in one array."""

    def __init__(self, **shapes):
        sizes = {name: int(np.prod(shape)) for name, shape in shapes.items()}
        self._data = np.zeros(sum(sizes.values()))
        self._views, start = {}, 0
        for name, size in sizes.items():
            self._views[name] = self._data[start : start + size].reshape(shapes[name])
            start += size

    def __getitem__(self, name):
        return self._views[name]

    def __setitem__(self, name, value):
        self._views[name][...] = value

    def __delitem__(self, name):
        raise TypeError("variables stay")

    def __iter__(self):
        return iter(self._views)

    def __len__(self):
        return len(self._views)

    def set_val(self, values):
        self._data[:] = values

    def asarray(self):
        return self._data


class Wing:
    """Lift and drag of each panel from the angles along the span; an explicit component."""

    def __init__(self):
        self.induced = np.zeros((PANELS, 3))

    def compute(self, inputs, outputs, discrete_inputs):
        angle, speed = inputs["angle"], inputs["speed"][0]
        self.induced[:, 1] = angle
        self.induced[1:, 0] = angle[:-1]
        self.induced[:-1, 2] = angle[1:]
        pressure = 0.6 * speed**2
        outputs["lift"][:] = pressure * (self.induced @ [-0.1, 1.0, -0.1])
        for panel in range(PANELS):
            outputs["drag"][panel] = 0.02 * pressure
            if panel < discrete_inputs["flaps"]:
                outputs["drag"][panel] += 0.1 * inputs["flap"][0] ** 2
        outputs["total"] = np.sum(outputs["lift"])


class Beam:
    """Bending of the wing by its lift; an implicit component."""

    work = np.zeros(PANELS)

    def apply_nonlinear(self, inputs, outputs, residuals):
        deflection = outputs["deflection"]
        self.work[:] = 3.0 * deflection
        self.work[1:] -= deflection[:-1]
        self.work[:-1] -= deflection[1:]
        residuals["deflection"] = inputs["stiffness"] * self.work - inputs["lift"]


wing, beam = Wing(), Beam()
inputs = Vector(angle=PANELS, speed=1, flap=1)
outputs = Vector(lift=PANELS, drag=PANELS, total=1)
discrete_inputs = {"flaps": 3}


def compute(x):
    inputs.set_val(x)
    wing.compute(inputs, outputs, discrete_inputs)
    return outputs.asarray()


x = np.linspace(0.1, 1.0, PANELS + 2)
before = outputs.asarray().copy()
explicit = st.jacobian_sparsity(compute, x)
print("explicit", repr(explicit))
dense = explicit.toarray()
lift, drag, total = dense[:PANELS], dense[PANELS : 2 * PANELS], dense[2 * PANELS]
band = np.abs(np.subtract.outer(np.arange(PANELS), np.arange(PANELS))) <= 1
assert np.array_equal(lift[:, :PANELS], band)
assert lift[:, PANELS].all()
assert not lift[:, PANELS + 1].any()
assert drag[:, PANELS + 1].nonzero()[0].tolist() == [0, 1, 2]
assert total[: PANELS + 1].all()
assert np.array_equal(outputs.asarray(), before)
assert not wing.induced.any()

states = Vector(deflection=PANELS)
loads = Vector(lift=PANELS, stiffness=1)
residuals = Vector(deflection=PANELS)


def residual(u, load):
    states.set_val(u)
    loads.set_val(load)
    beam.apply_nonlinear(loads, states, residuals)
    return residuals["deflection"]


implicit = st.jacobian_sparsity(residual, np.ones(PANELS), np.ones(PANELS + 1), argnums=(0, 1))
print("implicit", repr(implicit))
dense = implicit.toarray()
assert np.array_equal(dense[:, :PANELS], band)
assert np.array_equal(dense[:, PANELS : 2 * PANELS], np.eye(PANELS, dtype=bool))
assert dense[:, -1].all()
assert not Beam.work.any()
