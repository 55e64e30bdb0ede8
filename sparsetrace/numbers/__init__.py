"""Traced numbers, of NumPy's kinds and of Python's, and their text."""
