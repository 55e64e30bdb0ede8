"""scipy.integrate and scipy.optimize: functions of four traced numbers."""

from __future__ import annotations

import numpy as np
import scipy.integrate as sg
import scipy.optimize as so
from scipy.special import cython_special

try:  # since SciPy 1.15
    from scipy.differentiate import derivative, hessian, jacobian
    from scipy.optimize import elementwise
except ModuleNotFoundError:
    derivative = hessian = jacobian = elementwise = None

CHAIN = np.array([[-1.0, 0, 0], [1, -1, 0], [0, 1, -1]])
EXACT = {"rtol": 1e-10, "atol": 1e-12}
FINE = {"xatol": 1e-11, "fatol": 1e-16}
OTHERS = {
    "trapezoid": lambda x: sg.trapezoid(x, [0, 1, 3, 4]),
    "simpson": lambda x: sg.simpson(x, dx=0.1),
    "cumulative_trapezoid": lambda x: sg.cumulative_trapezoid(x, initial=0),
    "fixed_quad": lambda x: sg.fixed_quad(lambda t: x[0] * t**2, 0, 1)[0],
    "quad": lambda x: sg.quad(lambda t: x[0] * t + np.exp(t * x[1]), 0, 1)[0],
    "quad, args": lambda x: sg.quad(lambda t, a: a * t, 0, 1, args=(x[2] * x[1],))[0],
    "quad, limits": lambda x: sg.quad(lambda t: x[2] * t**2, x[0], x[1])[0],
    "quad, branch": lambda x: sg.quad(lambda t: x[0] if t < 0.5 else x[1] * t, 0, 1)[0],
    "quad, compiled": lambda x: sg.quad(cython_special.j0, x[0], x[1])[0] * x[2],
    "quad, no traced": lambda x: sg.quad(lambda t: t, 0, 1)[0] * x,
    "quad, infinite": lambda x: sg.quad(lambda t: np.exp(-x[3] * t), 0, np.inf)[0],
    "quad_vec": lambda x: sg.quad_vec(lambda t: np.sin(t * x), 0, 1)[0],
    "dblquad": lambda x: sg.dblquad(lambda y, z: x[0] * y * z + x[1], 0, 1, 0, 1)[0],
    "dblquad, limits": lambda x: sg.dblquad(
        lambda y, z: y * z + z**3 * y**2, 0, x[0], lambda z: 0, lambda z: z * x[1]
    )[0],
    "fsolve": lambda x: so.fsolve(lambda z: z**3 - x[:2], [1.0, 1.0], xtol=1e-13),
    "fsolve, joined": lambda x: so.fsolve(
        lambda z: [z[0] ** 3 - x[0] * z[1], z[1] ** 2 - x[1], z[2] - x[2] ** 2],
        np.ones(3),
        xtol=1e-13,
    ),
    "root": lambda x: so.root(lambda z, a: z**3 - a**2, np.ones(2), (x[2:],), tol=1e-13).x,
    "root_scalar": lambda x: so.root_scalar(lambda z: z**3 - x[1], bracket=(0, 9)).root,
    "brentq": lambda x: so.brentq(lambda z: z**3 - x[0] * x[1], 0, 9, xtol=1e-14),
    "brenth": lambda x: so.brenth(lambda z: z**3 - x[0], 0, 9, xtol=1e-14),
    "ridder": lambda x: so.ridder(lambda z: z**3 - x[0], 0, 9, xtol=1e-14),
    "bisect": lambda x: so.bisect(lambda z: z**3 - x[3], 0, 9, xtol=1e-15, maxiter=200),
    "toms748": lambda x: so.toms748(lambda z: z**3 - x[0], 0, 9, xtol=1e-14),
    "newton": lambda x: so.newton(lambda z: z**3 - x[0], 1.0, lambda z: 3 * z**2, tol=1e-14),
    "newton, args in a list": lambda x: so.newton(
        lambda z, a, b: z**3 - a * b, 1.0, lambda z, a, b: 3 * z**2, [x[0], x[2]], tol=1e-14
    ),
    "newton, array": lambda x: so.newton(lambda z: z**3 - x, np.ones(4), tol=1e-14),
    "tplquad": lambda x: sg.tplquad(lambda a, b, c: x[0] * a + x[1] * b * c, 0, 1, 0, 1, 0, 1)[0],
    "nquad": lambda x: sg.nquad(lambda a, b: x[0] * a * b + x[1] ** 2, [[0, 1], [0, 1]])[0],
    "cumulative_simpson": lambda x: sg.cumulative_simpson(x, dx=0.5),
    "fixed_point": lambda x: so.fixed_point(lambda z: np.sqrt(z * x[0] + x[1]), 1.0, xtol=1e-14),
    "fixed_point, args in a list": lambda x: so.fixed_point(
        lambda z, a, b: np.sqrt(z * a + b), 1.0, [x[0], x[1]], xtol=1e-14
    ),
    "newton_krylov": lambda x: so.newton_krylov(lambda z: z**2 - x[:2], np.ones(2), f_tol=1e-14),
    "root, both": lambda x: (
        so.root(lambda z: (z**3 - x[:2], np.diag(3 * z**2)), np.ones(2), jac=True, tol=1e-14).x
    ),
    "root_scalar, bracket": lambda x: (
        so.root_scalar(lambda z, a: z**3 - a, args=x[1], bracket=[0.0, 9 + x[0]]).root
    ),
    "root_scalar, both": lambda x: (
        so.root_scalar(
            lambda z: (z**3 - x[0], 3 * z**2), x0=1.0, fprime=True, method="newton", xtol=1e-14
        ).root
    ),
    "brentq, full": lambda x: so.brentq(lambda z: z**3 - x[0], 0, 9, xtol=1e-14, full_output=True)[
        0
    ],
    "fsolve, full": lambda x: so.fsolve(
        lambda z: z**3 - x[:2], [1.0, 1.0], xtol=1e-13, full_output=True
    )[0],
    "newton, full": lambda x: so.newton(
        lambda z: z**3 - x[:2], np.ones(2), tol=1e-14, full_output=True
    )[0],
    "simpson, places": lambda x: sg.simpson(np.arange(4.0) ** 2, x=np.cumsum(x)),
    "tanhsinh": lambda x: sg.tanhsinh(lambda t: x[0] * t + np.exp(t * x[1]), 0.0, 1.0).integral,
    "tanhsinh, args": lambda x: (
        sg.tanhsinh(lambda t, a: a**2 * t, 0.0, x[2:], args=(x[:2],)).integral
    ),
    "nsum": lambda x: sg.nsum(lambda k, a: a**2 / k**2, 1, 9, args=(x,)).sum,
    "cubature": lambda x: sg.cubature(lambda t: t[:, :1] * x**2, [0, 0], [1, 1]).estimate,
    "cubature, limits": lambda x: (
        sg.cubature(lambda t: t[:, 0] * t[:, 1] ** 2, [0, 0], x[:2]).estimate
    ),
    "find_root": lambda x: elementwise.find_root(lambda z, a: z**3 - a, (0.0, 9.0), args=(x,)).x,
    "LbfgsInvHessProduct": lambda x: so.LbfgsInvHessProduct(x[None, :2], np.ones((1, 2))) @ x[2:],
    "find_minimum": lambda x: (
        elementwise.find_minimum(
            lambda z, a: (z - a) ** 2 + z**4, (-5.0, 0.2, 9.0), args=(x[:2],), tolerances=FINE
        ).x
    ),
    "derivative": lambda x: derivative(lambda t, a: t**3 * a, x[:2], args=(x[2:],)).df,
    "jacobian": lambda x: jacobian(lambda t: np.stack([t[0] ** 2 * x[2], t[1] ** 3]), x[:2]).df,
    "hessian": lambda x: hessian(lambda t: t[0] ** 3 * t[1] ** 2, x[:2]).ddf,
    "quad, how": lambda x: sg.quad(lambda t: x[0] * t + x[1] ** 2, 0, 1, full_output=1)[0],
    "leastsq, covariance": lambda x: so.leastsq(
        lambda p: x[0] * p[0] * np.array([1.0, 2, 3]) + p[1], [1.0, 1.0], full_output=True
    )[1],
    "isotonic_regression": lambda x: so.isotonic_regression(x, weights=[1.0, 2, 1, 3]).x,
    "quadratic_assignment": lambda x: (
        so.quadratic_assignment(
            x.reshape(2, 2),
            np.array([[0.0, 3.0], [1.0, 0.0]]),
            options={"rng": np.random.default_rng(1)},
        ).fun
    ),
    "minimize, slope": lambda x: (
        so.minimize(lambda z: np.sum((z - x[:2]) ** 2), np.zeros(2)).jac * x[2]
    ),
    "ode": lambda x: (
        sg.ode(lambda t, y: -x[0] * y)
        .set_integrator("dopri5", rtol=1e-11, atol=1e-12)
        .set_initial_value(x[1:3])
        .integrate(0.5)
    ),
    "solve_bvp": lambda x: sg.solve_bvp(
        lambda t, y: np.stack([y[1], -x[0] * y[0]]),
        lambda a, b: np.array([a[0], b[0] - x[1]]),
        np.linspace(0, 1, 5),
        np.ones((2, 5)),
        tol=1e-6,
    ).sol(0.5),
    "bisect, no traced": lambda x: so.bisect(lambda z: z**2 - 2, 0, 9) * x,
}


def falls(t, y, *args):
    return y[0] - (args[0] if args else 0.2)


def ends(t, y, *args):
    return falls(t, y, *args)


ends.terminal, ends.direction = True, -1
EQUATIONS = {
    "solve_ivp": lambda x: sg.solve_ivp(lambda t, y: -x[0] * y, (0, 1), x[1:3], **EXACT).y[:, -1],
    "solve_ivp, chain": lambda x: (
        sg.solve_ivp(lambda t, y: CHAIN @ y, (0, 1), x[:3], t_eval=[0, 0.5, 1.0], **EXACT).y.T
    ),
    "solve_ivp, args": lambda x: (
        sg.solve_ivp(
            lambda t, y, a: CHAIN @ y * a, (0, 1), x[:3], "Radau", [0.7], args=(x[3],), **EXACT
        ).y[:, 0]
    ),
    "solve_ivp, BDF": lambda x: (
        sg.solve_ivp(
            lambda t, y: CHAIN @ y, (0, 1), x[:3], "BDF", vectorized=True, jac=CHAIN, **EXACT
        ).y[..., -1]
    ),
    "solve_ivp, times": lambda x: (
        sg.solve_ivp(lambda t, y: -(y**2), (0, x[3]), x[:2], **EXACT).y[1, -1]
    ),
    "solve_ivp, parameters": lambda x: (
        sg.solve_ivp(lambda t, y: CHAIN @ y + x[:3], (0, 1), np.ones(3), **EXACT).y[:, -1]
    ),
    "solve_ivp, products": lambda x: (
        sg.solve_ivp(
            lambda t, y: [-y[0], y[0] * y[1], -y[2]], (0, 1), x[:3], "LSODA", [1.0], **EXACT
        ).y[:, 0]
    ),
    "solve_ivp, dense": lambda x: (
        sg.solve_ivp(lambda t, y: CHAIN @ y, (0, 1), x[:3], dense_output=True, **EXACT).sol(0.4)
    ),
    "solve_ivp, dense from a traced start": lambda x: (
        lambda sol: np.array([sol.ts[0], x[1] * sol.ts[0], sol.ts[-1]])
    )(sg.solve_ivp(lambda t, y: -y, (-x[0], 0), x[1:3], dense_output=True, **EXACT).sol),
    "solve_ivp, evaluations": lambda x: (
        sg.solve_ivp(lambda t, y: CHAIN @ y, (0, 1), x[:3], "BDF", **EXACT).nfev * x
    ),
    "solve_ivp, dense at times": lambda x: (
        sg.solve_ivp(lambda t, y: -y, (0, 1), x[:2], dense_output=True, **EXACT).sol([0, 0.4]).T
    ),
    "solve_ivp, dense at traced": lambda x: (
        sg.solve_ivp(lambda t, y: -(y**2), (0, 3), x[:2], dense_output=True, **EXACT).sol(x[2])
    ),
    "solve_ivp, traced times": lambda x: (
        sg.solve_ivp(lambda t, y: -(y**2), (0, 3), x[:2], t_eval=np.cumsum(x[2:] / 2), **EXACT).y
    ),
    "solve_ivp, last time": lambda x: sg.solve_ivp(lambda t, y: -y, (x[2], x[3] + 2), x[:2]).t[-1],
    "solve_ivp, event": lambda x: (
        sg.solve_ivp(lambda t, y: CHAIN @ y, (0, 9), x[:3], events=falls, **EXACT).t_events[0][0]
    ),
    "solve_ivp, state at an event": lambda x: (
        sg.solve_ivp(
            lambda t, y, a: CHAIN @ y, (0, 9), x[:3], events=[falls], args=(x[3] / 4,), **EXACT
        ).y_events[0][0]
    ),
    "solve_ivp, ended": lambda x: (
        sg.solve_ivp(
            lambda t, y: [-y[0], y[0] * y[1], 1], (0, 9), x[:3], events=(ends, falls), **EXACT
        ).y[:, -1]
    ),
    "solve_ivp, when it ended": lambda x: (
        sg.solve_ivp(
            lambda t, y, a: [-y[0] * x[1], 1], (0, 99), x[:1].repeat(2), events=ends,
            args=(x[3] / 4,), **EXACT,
        ).t[-1]
    ),
    "solve_ivp, status": lambda x: (
        lambda found: (
            found.t_events[0][-1] * x[3] if found.status == 1 else found.sol(found.t[-1])[1]
        )
    )(
        sg.solve_ivp(
            lambda t, y: -y, (0, 1), x[:2], dense_output=True, events=ends, **EXACT
        )
    ),
    "solve_ivp, no traced": lambda x: (
        sg.solve_ivp(lambda t, y: -y, (0, 1), np.ones(4)).y[:, -1] * x
    ),
    "odeint": lambda x: sg.odeint(lambda y, t: -x[0] * y, x[1:3], [0, 1.0], **EXACT),
    "odeint, Dfun": lambda x: sg.odeint(
        lambda t, y, a: CHAIN @ y * a, x[:3], [0, 1.0, 2.0], (x[3],),
        Dfun=lambda t, y, a: CHAIN * a, tfirst=True, **EXACT,
    ),
}  # fmt: skip
