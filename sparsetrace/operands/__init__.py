"""What rules are made of: operands, constants, ufunc calls, and the registry."""
