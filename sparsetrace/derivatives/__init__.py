"""Sparse derivatives of a function, from few calls of it: patterns, colorings, differences.

`jacobian`, `hessian` and `check` hold what users call.  From the bottom: `flat_function` calls
the function with one vector, `methods` knows the differences and their steps, `compression`
turns calls, one a color, into entries, which `readings` takes from the results, and
`second_differences` calls, one a pair; `direction_check` compares a derivative with the function
along a direction, and `check_schedule` knows when; `outside_state` sees what changes besides the
arguments, and `imaginary_parts` what may drop these on other paths; `prepared` knows pattern,
coloring and method of any of them, and `sparse_derivative` evaluates, checks and hands them out;
`gradients` makes gradients of what there is; `symmetric` and `lagrangian` are the Hessians.
"""
