"""``scipy.ndimage``'s grey morphology: extremes of neighbourhoods, and their differences.

Contract: as the extremes of `rank_filters`, with a structure that is added to what is under it.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from sparsetrace.scipy_rules.ndimage.neighbours import axes_of, input_of, several
from sparsetrace.scipy_rules.ndimage.rank_filters import (
    maximum_filter,
    minimum_filter,
    window_of,
)
from sparsetrace.scipy_rules.rule_tools import Call, array_of


def grey_erosion(call, input, size, footprint, structure, output, mode, cval, origin, axes=None):
    """The least of the neighbours, less the structure."""
    if structure is None:
        return minimum_filter(call, input, size, footprint, output, mode, cval, origin, axes)
    x = input_of(call, input, output, size, footprint)
    structure = array_of(structure)
    used = np.ones(structure.shape, bool) if footprint is None else np.asarray(footprint, bool)
    neighbours = window_of(x, None, used, mode, cval, origin, axes, call)
    terms = [n - v for n, v in zip(neighbours, structure[used], strict=True)]
    return functools.reduce(np.minimum, terms[1:], terms[0])


def grey_dilation(call, input, size, footprint, structure, output, mode, cval, origin, axes=None):
    """The greatest of the neighbours, on the other side, and the structure."""
    x = input_of(call, input, output, size, footprint)
    over = axes_of(axes, x.ndim)
    if footprint is not None:
        footprint = np.flip(np.asarray(footprint))
    if structure is not None:
        structure = np.flip(array_of(structure))
    shape = footprint if footprint is not None else structure
    sizes = several(size, len(over)) if shape is None else list(shape.shape)
    origins = [
        -o - (n + 1) % 2 for o, n in zip(several(origin, len(over)), sizes, strict=True)
    ]  # of even windows the middle lies on the other side
    if structure is None:
        return maximum_filter(call, x, size, footprint, output, mode, cval, origins, axes)
    negated = grey_erosion(call, -x, None, footprint, structure, output, mode, -cval, origins, axes)
    return -negated


def _opened(
    call: Call, first, second, x, size, footprint, structure, output, mode, cval, origin, axes
) -> Any:
    options = (size, footprint, structure, output, mode, cval, origin, axes)
    return second(call, first(call, x, *options), *options)


def grey_opening(call, input, size, footprint, structure, output, mode, cval, origin, axes=None):
    return _opened(
        call, grey_erosion, grey_dilation,
        input, size, footprint, structure, output, mode, cval, origin, axes,
    )  # fmt: skip


def grey_closing(call, input, size, footprint, structure, output, mode, cval, origin, axes=None):
    return _opened(
        call, grey_dilation, grey_erosion,
        input, size, footprint, structure, output, mode, cval, origin, axes,
    )  # fmt: skip


def white_tophat(call, input, size, footprint, structure, output, mode, cval, origin, axes=None):
    return array_of(input) - grey_opening(
        call, input, size, footprint, structure, output, mode, cval, origin, axes
    )


def black_tophat(call, input, size, footprint, structure, output, mode, cval, origin, axes=None):
    closed = grey_closing(call, input, size, footprint, structure, output, mode, cval, origin, axes)
    return closed - array_of(input)


def morphological_gradient(
    call, input, size, footprint, structure, output, mode, cval, origin, axes=None
):
    options = (size, footprint, structure, output, mode, cval, origin, axes)
    return grey_dilation(call, input, *options) - grey_erosion(call, input, *options)


def morphological_laplace(
    call, input, size, footprint, structure, output, mode, cval, origin, axes=None
):
    options = (size, footprint, structure, output, mode, cval, origin, axes)
    return (
        grey_dilation(call, input, *options)
        + grey_erosion(call, input, *options)
        - 2 * array_of(input)
    )
