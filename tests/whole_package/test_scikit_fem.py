"""Forms of scikit-fem, as its documentation writes them, against Jacobians by hand.

Runs where scikit-fem is installed: ``pip install scikit-fem``.
"""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern

skfem = pytest.importorskip("skfem", reason="needs scikit-fem (pip install scikit-fem)")
from skfem.helpers import ddot, det, dot, grad, identity, inv, transpose  # noqa: E402 - as above


@skfem.LinearForm
def minimal_surface(v, w):
    slope = grad(w["u"])
    return dot(slope, grad(v)) / np.sqrt(1.0 + dot(slope, slope))


@skfem.BilinearForm
def minimal_surface_jacobian(u, v, w):
    slope = grad(w["u"])
    root = np.sqrt(1.0 + dot(slope, slope))
    along = dot(slope, grad(u)) * dot(slope, grad(v))
    return dot(grad(u), grad(v)) / root - along / root**3


@skfem.LinearForm
def diffusion(v, w):
    u = w["u"]
    return (1.0 + u**2) * dot(grad(u), grad(v)) - v


@skfem.BilinearForm
def diffusion_jacobian(u, v, w):
    given = w["u"]
    through_gradient = (1.0 + given**2) * dot(grad(u), grad(v))
    return through_gradient + 2 * given * u * dot(grad(given), grad(v))


@skfem.LinearForm
def neo_hookean(v, w):
    """The first Piola-Kirchhoff stress of a compressible neo-Hookean solid."""
    deformation = grad(w["u"]) + identity(grad(w["u"]))
    volume, inverse = det(deformation), transpose(inv(deformation))
    return ddot(deformation - inverse + 2.0 * np.log(volume) * inverse, grad(v))


@skfem.LinearForm
def radiation(v, w):
    return w["u"] ** 4 * v


@skfem.BilinearForm
def radiation_jacobian(u, v, w):
    return 4 * w["u"] ** 3 * u * v


def scalar_basis():
    return skfem.Basis(skfem.MeshTri().refined(2), skfem.ElementTriP2())


def residual_of(form, basis):
    return lambda x: skfem.asm(form, basis, u=basis.interpolate(x))


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("residual", "jacobian"),
    [(minimal_surface, minimal_surface_jacobian), (diffusion, diffusion_jacobian)],
    ids=["minimal surface", "diffusion"],
)
def test_forms_of_scalars(residual, jacobian, local):
    basis = scalar_basis()
    start = np.random.default_rng(0).normal(size=basis.N)
    wanted = abs(jacobian.assemble(basis, u=basis.interpolate(start))) > 1e-14
    assert_same_pattern(
        st.jacobian_sparsity(residual_of(residual, basis), start, local=local), wanted
    )


@pytest.mark.parametrize("local", [False, True])
def test_a_form_on_a_boundary(local):
    mesh = skfem.MeshTri().refined(2)
    inside, boundary = (
        skfem.Basis(mesh, skfem.ElementTriP1()),
        skfem.FacetBasis(mesh, skfem.ElementTriP1()),
    )
    start = np.random.default_rng(0).uniform(1, 2, inside.N)

    def f(x):
        conducted = skfem.asm(diffusion, inside, u=inside.interpolate(x))
        return conducted + skfem.asm(radiation, boundary, u=boundary.interpolate(x))

    wanted = diffusion_jacobian.assemble(inside, u=inside.interpolate(start))
    wanted = wanted + radiation_jacobian.assemble(boundary, u=boundary.interpolate(start))
    assert_same_pattern(st.jacobian_sparsity(f, start, local=local), abs(wanted) > 1e-14)


def test_hyperelasticity():
    """Displacements of a solid: each node of an element meets each other one, in all directions."""
    basis = skfem.Basis(skfem.MeshTet().refined(1), skfem.ElementVector(skfem.ElementTetP1()))
    f = residual_of(neo_hookean, basis)
    start = 0.01 * np.random.default_rng(0).normal(size=basis.N)
    change = [(f(start + move) - f(start - move)) / 2e-6 for move in 1e-6 * np.eye(basis.N)]
    numerical = abs(np.array(change).T) > 1e-8
    nodes = skfem.BilinearForm(lambda u, v, w: sum(u) * sum(v)).assemble(basis)
    wanted = nodes.toarray() != 0
    assert (numerical <= wanted).all()
    for local in (False, True):
        pattern = st.jacobian_sparsity(f, start, local=local).toarray()
        assert (pattern >= numerical).all()
        assert (pattern <= wanted).all()


def test_an_energy():
    """Its Hessian is the Jacobian of the residual."""
    basis = skfem.Basis(skfem.MeshTri().refined(1), skfem.ElementTriP1())

    @skfem.Functional
    def area(w):
        slope = grad(w["u"])
        return np.sqrt(1.0 + dot(slope, slope))

    start = np.random.default_rng(0).normal(size=basis.N)
    wanted = minimal_surface_jacobian.assemble(basis, u=basis.interpolate(start))
    pattern = st.hessian_sparsity(lambda x: area.assemble(basis, u=basis.interpolate(x)), start)
    assert_same_pattern(pattern, abs(wanted) > 1e-14)
