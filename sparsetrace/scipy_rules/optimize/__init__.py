"""Rules of ``scipy.optimize``."""
