"""Rules of ``scipy.signal``."""
