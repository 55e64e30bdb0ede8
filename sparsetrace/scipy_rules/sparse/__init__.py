"""Sparse arrays of scipy.sparse with traced data.

Contract: the structure is a constant, the data are traced.  What SciPy computes with them
depends on what the same computation with dense arrays depends on, given the structure's zeros.
"""

from sparsetrace.scipy_rules.sparse import extremes as extremes
from sparsetrace.scipy_rules.sparse import operators as operators
from sparsetrace.scipy_rules.sparse import sparse_layout as sparse_layout
from sparsetrace.scipy_rules.sparse import writing as writing
from sparsetrace.scipy_rules.sparse.classes import made_into, operated, traced_class
from sparsetrace.scipy_rules.sparse.sparse_construction import constructed

__all__ = ["constructed", "made_into", "operated", "traced_class"]
# the modules that are imported as they are register the methods of the classes
