"""``output=`` of SciPy's filters: an array to fill, or a type of whole numbers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage as nd

from oracles import assert_same_pattern
from sparsetrace import jacobian_sparsity

IMAGE = np.random.default_rng(0).uniform(size=(5, 4))


def _in(kind, filter_, *args, **options):
    """The result of a filter in a new array of a type."""

    def made(x):
        out = np.empty(IMAGE.shape, kind)
        assert filter_(x, *args, output=out, **options) is out
        return out

    return made


FILLED = {
    "float": (_in(float, nd.gaussian_filter, 1.0), lambda x: nd.gaussian_filter(x, 1.0)),
    "float32": (_in(np.float32, nd.uniform_filter, 3), lambda x: nd.uniform_filter(x, 3)),
    "a rank": (_in(float, nd.median_filter, 3), lambda x: nd.median_filter(x, 3)),
    "whole": (
        lambda x: _in(np.uint8, nd.grey_dilation, 3)(x * 100) * x,
        lambda x: nd.grey_dilation(x * 100, 3).astype(np.uint8) * x,
    ),
    "a whole type": (
        lambda x: (nd.uniform_filter(x * 100, 3, np.int32) + 1) * x,
        lambda x: ((x * 100).astype(np.int32) + 1) * x,
    ),
    "a part": (
        lambda x: [a := np.zeros((2, 5, 4)), nd.sobel(x, 0, output=a[1])][0],
        lambda x: np.stack([0 * x, nd.sobel(x, 0)]),
    ),
    "the image": (
        lambda x: [a := x.copy(), nd.gaussian_filter1d(a, 1.0, output=a)][0],
        lambda x: nd.gaussian_filter1d(x, 1.0),
    ),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", FILLED)
def test_an_array_is_filled(name, local):
    filled, expected = FILLED[name]
    pattern = jacobian_sparsity(filled, IMAGE, local=local)
    assert pattern.nnz > 0
    assert_same_pattern(pattern, jacobian_sparsity(expected, IMAGE, local=local).toarray())


def test_an_array_of_another_shape_is_an_error():
    def f(x):
        return nd.gaussian_filter(x, 1.0, output=np.zeros(3))

    with pytest.raises(RuntimeError, match="shape"):
        jacobian_sparsity(f, IMAGE)
