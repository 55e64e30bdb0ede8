"""What users call, and what they get: re-exported by `sparsetrace` itself."""
