"""A package of helpers."""

from .geometry import rotate
from .tables import Table

__all__ = ["Table", "rotate"]
