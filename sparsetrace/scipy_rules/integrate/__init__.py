"""Rules of ``scipy.integrate``."""
