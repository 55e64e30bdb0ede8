"""What has no rule is refused by its name; what SciPy refuses raises the errors of SciPy."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import scipy.integrate as sg
import scipy.interpolate as si
import scipy.linalg as sl
import scipy.ndimage as nd
import scipy.signal as ss
import scipy.sparse as sp
import scipy.sparse.csgraph as cg
import scipy.sparse.linalg as spl
import scipy.spatial.distance as sd
import scipy.special as sc
from scipy.spatial import ConvexHull, KDTree
from scipy.spatial.transform import Rotation

import sparsetrace as st
from cases.scipy_calls.constants import SITES, SPARSE
from cases.scipy_calls.every import START

REFUSED = {
    "scipy.special.mathieu_even_coef": lambda x: sc.mathieu_even_coef(2, x[0]),
    "scipy.sparse.linalg.spsolve_triangular": lambda x: spl.spsolve_triangular(
        sp.csr_array(x.reshape(2, 2)), np.ones(2), unit_diagonal=True
    ),
    "scipy.signal.csd": lambda x: ss.csd(x[:2], x.reshape(2, 2), axis=0, nperseg=2),
    "scipy.signal.cspline1d": lambda x: ss.cspline1d(x[None]),
    "scipy.linalg.solveh_banded": lambda x: sl.solveh_banded(x + 2, x),
    "scipy.linalg.eigh": lambda x: sl.eigh(x.reshape(2, 2), subset_by_value=[0, 1]),
    "scipy.linalg.qr": lambda x: sl.qr(x.reshape(2, 2), mode="raw"),
    "scipy.linalg.solve_sylvester": lambda x: sl.solve_sylvester(
        np.eye(50), np.eye(50), np.ones((50, 50)) * x[0]
    ),
    "scipy.linalg.orth": lambda x: sl.orth(x.reshape(2, 2)),
    "scipy.linalg.null_space": lambda x: sl.null_space(x.reshape(1, 4)),
    "scipy.integrate.quad": lambda x: sg.quad(lambda t: t * x[0], 0, 1, full_output=1)[2]["neval"],
    "scipy.integrate.odeint": lambda x: sg.odeint(lambda y, t: y, x, [0, 1], full_output=1)[1][
        "hu"
    ],
    "scipy.integrate.solve_ivp": lambda x: sg.solve_ivp(lambda t, y: y, (0, 1), x).y.sum(),
    "scipy.signal.welch": lambda x: ss.welch(x, nperseg=4, detrend=lambda s: s * s),
    "scipy.ndimage.uniform_filter": lambda x: nd.uniform_filter(x, output=np.zeros(4) * 1j),
    "scipy.ndimage.median_filter": lambda x: nd.median_filter(x, 9, mode="mirror"),
    "scipy.ndimage.correlate": lambda x: nd.correlate(x, np.ones(33)),
    "scipy.ndimage.label": lambda x: nd.label(x, output=np.zeros(4, np.int32)),
    "scipy.ndimage.vectorized_filter": lambda x: nd.vectorized_filter(
        x, np.sum, size=2, mode="valid"
    ),
    "scipy.ndimage.zoom": lambda x: nd.zoom(x, x[0]),
    "scipy.ndimage.rotate": lambda x: nd.rotate(x.reshape(2, 2), x[0]),
    "scipy.interpolate.UnivariateSpline.__init__": lambda x: si.UnivariateSpline(
        SITES[:4], x
    ).set_smoothing_factor(1.0),
    "scipy.interpolate.splrep": lambda x: si.splrep(SITES[:4], x, s=1.0)[1],
    "scipy.interpolate.splprep": lambda x: si.splprep([SITES[:4], x])[0][1],
    "scipy.interpolate.CubicSpline.__init__": lambda x: si.CubicSpline(x, SITES[:4]).c[0],
    "scipy.interpolate.interp1d.__init__": lambda x: si.interp1d(x, SITES[:4]).y[0],
    "scipy.interpolate.LinearNDInterpolator.__init__": lambda x: np.sum(
        si.LinearNDInterpolator(np.eye(4, 2), x).values
    ),
    "scipy.interpolate.bisplrep": lambda x: si.bisplrep(
        np.repeat(np.arange(4.0), 4), np.tile(np.arange(4.0), 4), np.outer(x, x), s=0
    )[2],
    "scipy.interpolate.[BP]Poly.__init__": lambda x: si.BPoly(np.ones((1, 3)), x),
    "scipy.spatial.distance.cdist": lambda x: sd.cdist(x[:, None], x[:, None], "hamming"),
    "scipy.sparse.csgraph.minimum_spanning_tree": lambda x: cg.minimum_spanning_tree(
        x.reshape(2, 2)
    ),
    "scipy.spatial.KDTree.__init__": lambda x: KDTree(x.reshape(2, 2)).query_pairs(1.0),
    "scipy.spatial.KDTree.count_neighbors": lambda x: KDTree([[0.0]]).count_neighbors(
        KDTree(x[:, None]), 1.0
    ),
    "scipy.spatial.ConvexHull.__init__": lambda x: len(ConvexHull(np.outer(x, x)[:, :2]).vertices),
    "scipy.spatial.distance.pdist": lambda x: sd.pdist(x[:, None], out=np.zeros(6)),
}

if not Rotation.__flags__ & 1 << 8:  # no compiled class, since SciPy 1.17
    ROTATION = "scipy.spatial.transform.Rotation"
    REFUSED[rf"{ROTATION}.reduce"] = lambda x: Rotation.from_rotvec(x[None, :3]).reduce()
    REFUSED[rf"{ROTATION}.from_rotvec"] = lambda x: Rotation.from_rotvec(x[None, :3]).shape

if "disp" in inspect.signature(sl.sqrtm).parameters:  # before SciPy 1.18
    REFUSED["scipy.linalg.sqrtm"] = lambda x: sl.sqrtm(x.reshape(2, 2), disp=False)


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_rule_is_refused_by_name(name):
    with pytest.raises(st.UnsupportedError, match=rf"^{name} at .*test_refusals") as caught:
        st.jacobian_sparsity(REFUSED[name], START[:4])
    assert len(str(caught.value).split(". ")) > 1


def test_arguments_that_scipy_does_not_know():
    """Its own error, as the plain call raises it."""
    for f in (
        lambda x: sl.det(x.reshape(2, 2), extra=1),
        lambda x: ss.lfilter([1.0], x=x),
        lambda x: si.CubicSpline(x, y=x, end=0),
        lambda x: sd.cdist(),
        lambda x: nd.uniform_filter(x, 3, sizes=3),
    ):
        with pytest.raises(TypeError) as plain:
            f(np.ones(4))
        with pytest.raises(TypeError) as traced:
            st.jacobian_sparsity(f, np.ones(4))
        assert str(traced.value).startswith(str(plain.value))


UNREAD = {
    "homogeneous_eigvals=True": lambda x: sl.eigvals(
        x.reshape(2, 2), np.eye(2), homogeneous_eigvals=True
    ),
    "homogeneous_eigvals=1": lambda x: sl.eig(x.reshape(2, 2), homogeneous_eigvals=1),
}


@pytest.mark.parametrize("argument", UNREAD)
def test_arguments_that_a_rule_does_not_read(argument):
    with pytest.raises(st.UnsupportedError, match=rf"its rule does not read {argument}\."):
        st.jacobian_sparsity(UNREAD[argument], np.ones(4))


def test_arguments_that_a_rule_does_not_read_with_their_defaults():
    pattern = st.jacobian_sparsity(
        lambda x: sl.eigvals(x.reshape(2, 2), homogeneous_eigvals=False).real, np.ones(4)
    )
    assert pattern.nnz == 8


def test_a_factorization_made_elsewhere_escapes():
    factors = spl.splu(SPARSE)
    with pytest.raises(st.EscapeError):
        st.jacobian_sparsity(lambda x: factors.solve(x), np.ones(4))


def test_errors_are_those_of_scipy():
    for f in (
        lambda x: si.interp1d(SITES[:4], x)(9.0),
        lambda x: si.RegularGridInterpolator((SITES[:4],), x)([9.0]),
        lambda x: sl.solve(np.ones((3, 3)), x),
        lambda x: sl.solve_triangular(np.ones((3, 3)), x),
        lambda x: ss.convolve(x, np.ones((2, 2))),
        lambda x: si.CubicSpline([0.0, 1.0, 2.0], x),
        lambda x: sd.cdist(x, x),
        lambda x: sd.squareform(x),
    ):
        for call in (f, lambda x, f=f: st.jacobian_sparsity(f, x)):
            with pytest.raises(ValueError, match=r"[a-z]") as caught:
                call(np.ones(4))
            assert not isinstance(caught.value, st.TracingError)


@pytest.mark.parametrize(
    "use",
    [
        lambda y: y.shape[1],
        lambda y: y[:, 1],
        lambda y: y[0],
        lambda y: y.sum(),
        lambda y: np.sum(y),
        lambda y: y * 2,
        lambda y: list(y),
        lambda y: len(y),
        lambda y: y.T,
    ],
)
def test_steps_of_an_unknown_number(use):
    """Only at a point it is known how many steps a solver takes."""

    def f(x):
        use(sg.solve_ivp(lambda t, y: -y, (0, 1), x).y)
        return x

    with pytest.raises(st.UnsupportedError, match="t_eval"):
        st.jacobian_sparsity(f, np.ones(2))
    if use(np.ones((2, 4))) is not None:
        assert st.jacobian_sparsity(f, np.ones(2), local=True).nnz == 2


def test_steppers_of_equations():
    """At a point; where compiled code takes the steps, it takes no traced state."""

    def last(x, stepper):
        solver = stepper(lambda t, y: -x[0] * y, 0.0, x[1:], 0.1)
        while solver.status == "running":
            solver.step()
        return solver.y

    for stepper in (sg.RK45, sg.BDF):
        pattern = st.jacobian_sparsity(lambda x: last(x, stepper), START[:2], local=True)  # noqa: B023
        assert pattern.nnz == 2
    for local in (False, True):
        with pytest.raises(st.UnsupportedError, match="LSODA"):
            st.jacobian_sparsity(lambda x: last(x, sg.LSODA), START[:2], local=local)


@pytest.mark.parametrize(
    "design",
    [
        lambda order, v: ss.butter(order, v)[0],
        lambda order, v: ss.butter(order, [v, 3 * v], "bandpass", fs=9 * v)[0],
        lambda order, v: ss.cheby1(order, 2.0, v, fs=v + 8, output="sos"),
    ],
)
def test_the_order_of_a_filter_has_to_be_known(design):
    """It is asked with other numbers than the user's, and the number of results follows from it."""
    assert np.size(design(2.0, 0.3)) > 2
    with pytest.raises((st.TracingError, ValueError)):
        st.jacobian_sparsity(design, 2.0, 0.3, argnums=1)
    assert st.jacobian_sparsity(design, 2.0, 0.3, argnums=1, static_argnums=0).nnz > 2
