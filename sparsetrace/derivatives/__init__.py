"""Sparse derivatives of a function, from few calls of it: patterns, colorings, differences.

`jacobian` and `hessian` hold the callables that users get, `flat_function` calls the function
with one vector, `methods` knows the differences and their steps, `direction_check` compares a
derivative with the function along a direction.
"""
