"""asv suites; the problems that they measure are in problems.py."""
