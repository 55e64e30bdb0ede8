"""Rules of ``scipy.spatial``."""
