"""Colorings of sparse matrices: which columns or rows one product can evaluate together."""

from sparsetrace.coloring.bidirectional import color_bidirectional
from sparsetrace.coloring.coloring import Coloring
from sparsetrace.coloring.columns import color_columns, color_rows
from sparsetrace.coloring.symmetric import color_acyclic, color_star

__all__ = [
    "Coloring",
    "color_acyclic",
    "color_bidirectional",
    "color_columns",
    "color_rows",
    "color_star",
]
