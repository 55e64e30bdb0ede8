"""Rules of SciPy's functions that ask no protocol: one line of a table for each.

Contract: nothing here imports the SciPy modules that it has rules for; a rule gets the
original function with the call.  Rules are written with NumPy functions on traced
arrays wherever that is possible, so that second derivatives, local patterns and values
come from the rules of those.  A module of rules is imported when one of them is needed.
"""
