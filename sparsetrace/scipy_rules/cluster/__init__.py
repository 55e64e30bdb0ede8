"""Rules for ``scipy.cluster``."""
