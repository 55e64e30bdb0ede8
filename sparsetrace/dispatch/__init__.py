"""A call comes in: which rule answers it, and what was answered before."""
