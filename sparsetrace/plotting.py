"""Axes to plot on, of matplotlib if it is installed."""

from __future__ import annotations

from typing import Any

__all__ = ["axes_or_new"]


def axes_or_new(ax: Any, caller: str) -> Any:
    """The axes given, or new ones.

    Raises
    ------
    ImportError
        If there are none and matplotlib is not installed; the message names the caller.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(f"{caller} needs matplotlib: pip install 'sparsetrace[plot]'") from error
    return pyplot.subplots()[1]
