"""Colorings of sparse matrices: which columns or rows one product can evaluate together."""

from sparsetrace.coloring.color import (
    color_acyclic,
    color_bidirectional,
    color_columns,
    color_rows,
    color_star,
)
from sparsetrace.coloring.coloring import Coloring

__all__ = [
    "Coloring",
    "color_acyclic",
    "color_bidirectional",
    "color_columns",
    "color_rows",
    "color_star",
]
