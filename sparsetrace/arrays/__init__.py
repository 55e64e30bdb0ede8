"""`TracedArray`: the ndarray subclass that a traced function gets."""

from sparsetrace.arrays import picked_places, subclass_views

__all__ = ["picked_places", "subclass_views"]
