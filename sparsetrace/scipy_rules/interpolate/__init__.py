"""Rules of ``scipy.interpolate``."""
