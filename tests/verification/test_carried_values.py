"""``verify=`` of a detection, and the plain call that a local one is compared with."""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st

pytestmark = pytest.mark.filterwarnings("error::sparsetrace.VerificationWarning")


def plainly(f):
    """How often a detection calls a function without tracing it."""

    def counted(x):
        if type(x) is np.ndarray and not hasattr(x, "_trace"):
            calls.append(1)
        return f(x)

    calls = counted.calls = Outside()
    return counted


@pytest.mark.parametrize(
    ("options", "least", "most"),
    [
        ({}, 0, 0),
        ({"local": True}, 1, 1),
        ({"local": True, "verify": False}, 0, 0),
        ({"verify": False}, 0, 0),
        ({"verify": True}, 2, 12),
        ({"verify": True, "local": True}, 3, 13),
        ({"verify": 3}, 2, 5),
        ({"verify": np.int64(3)}, 2, 5),
    ],
)
def test_how_often_the_function_is_called(options, least, most):
    for detect in (st.jacobian_sparsity, st.lagrangian_hessian_sparsity):
        f = plainly(lambda x: x[1:] * x[:-1])
        detect(f, np.arange(1.0, 6.0), **options)
        assert least <= len(f.calls) <= most


def other_type(x):
    return x * 2 if isinstance(x, np.ndarray) and not hasattr(x, "_trace") else x[::-1]


def test_a_loss_is_found_by_the_detection():
    x = np.array([0.3, 0.7, 1.2])
    assert st.jacobian_sparsity(other_type, x).nnz == 3
    with pytest.raises(st.VerificationError):
        st.jacobian_sparsity(other_type, x, verify=True)
    with pytest.raises(st.TracingError, match=r"output \[0\] \(row 0\) is 0.6") as caught:
        st.jacobian_sparsity(other_type, x, local=True)
    assert caught.value.row == 0
    st.jacobian_sparsity(other_type, x, local=True, verify=False)
    square = lambda x: other_type(x)[0] ** 2 * x[1]  # noqa: E731
    with pytest.raises(st.VerificationError):
        st.hessian_sparsity(square, x, verify=True)
    with pytest.raises(st.VerificationError):
        st.hessian_sparsity(square, x, local=True)


def test_shapes_are_compared():
    def f(x):
        return x if hasattr(x, "_trace") else x[:2]

    def g(x):
        return x if hasattr(x, "_trace") else x[:, None]

    for function in (f, g):
        with pytest.raises(st.VerificationError, match="shape"):
            st.jacobian_sparsity(function, np.ones(3), local=True)


def test_a_plain_call_that_fails_is_reported():
    def f(x):
        if not hasattr(x, "_trace"):
            raise ValueError("plain")
        return x

    with pytest.raises(st.VerificationError, match=r"a plain call fails.*plain"):
        st.jacobian_sparsity(f, np.ones(3), local=True)


COMPARED = {
    "nan": (lambda x: np.log(x), [-1.0, 0.0, 2.0]),
    "infinity": (lambda x: 1 / x, [0.0, 1.0]),
    "single": (lambda x: x.sum() / np.float32(3), np.ones(10, np.float32)),
    "long": (lambda x: np.exp(x), np.ones(3, np.longdouble)),
    "complex": (lambda x: np.fft.fft(x), [1.0, 2.0, 3.0]),
    "integers": (lambda x: x * 2 + 1, np.arange(3)),
    "truth": (lambda x: (x > 1, x), [0.0, 2.0]),
    "cancelled": (lambda x: x - x.mean(), np.ones(7) / 3),
    "ill-conditioned": (lambda x: np.linalg.solve(np.vander(np.arange(1.0, 9)), x), np.ones(8)),
    "masked": (lambda x: np.ma.array(x, mask=[True, False]), [1.0, 2.0]),
    "nested": (lambda x: {"a": [x[0], 2.0], "b": (x, [x[1]])}, [1.0, 2.0]),
    "nothing": (lambda x: [], [1.0]),
    "list": (lambda x: [v * 2 for v in x], [1.0, 2.0]),
}


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_that_are_equal_but_for_rounding(name):
    f, x = COMPARED[name]
    assert st.jacobian_sparsity(f, np.asarray(x), local=True).shape[1] == np.size(x)
