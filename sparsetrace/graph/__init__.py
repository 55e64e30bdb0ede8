"""The dependency graph of one trace, and what its nodes multiply."""
