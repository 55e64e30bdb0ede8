"""Functions as people write them.  None of them knows that they are traced."""
