"""Rules of ``scipy.special``."""
