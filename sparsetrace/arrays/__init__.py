"""`TracedArray`: the ndarray subclass that a traced function gets."""
