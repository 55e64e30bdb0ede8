"""Patterns that are dense by nature, which are not written out."""

from __future__ import annotations

import numpy as np

import sparsetrace as st

JACOBIANS = {
    "cumsum": (np.cumsum, 100_000),
    "minus_mean": (lambda x: x - x.mean(), 1_000_000),
    "fft": (np.fft.fft, 100_000),
}
HESSIANS = {
    "of_cumsum": (lambda x: np.sum(np.cumsum(x) ** 2), 100_000),
    "of_square": (lambda x: x.sum() ** 2, 1_000_000),
    "of_logsumexp": (lambda x: np.log(np.sum(np.exp(x))), 100_000),
}


class Dense:
    """Detection, by name; `track_entries` is what it finds."""

    params = [[*JACOBIANS, *HESSIANS]]
    param_names = ["problem"]

    def setup(self, name):
        self.function, size = (JACOBIANS | HESSIANS)[name]
        self.detect = st.jacobian_sparsity if name in JACOBIANS else st.hessian_sparsity
        self.x = np.ones(size)

    def time_detection(self, name):
        self.detect(self.function, self.x)

    def peakmem_detection(self, name):
        self.detect(self.function, self.x)

    def track_entries(self, name):
        return self.detect(self.function, self.x).nnz
