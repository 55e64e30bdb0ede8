"""What is read of the user's code and objects: bytecode, handlers, callers, what it can reach."""
