"""From a graph to the pattern of a Jacobian or a Hessian."""
