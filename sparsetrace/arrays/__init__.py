"""`TracedArray`: the ndarray subclass that a traced function gets."""

from sparsetrace.arrays import picked_functions, picked_places, subclass_views

__all__ = ["picked_functions", "picked_places", "subclass_views"]
