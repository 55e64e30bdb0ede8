"""`TracedArray`: the ndarray subclass that a traced function gets."""

from sparsetrace.arrays import picked_places

__all__ = ["picked_places"]
