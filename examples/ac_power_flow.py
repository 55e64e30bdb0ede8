"""The constraints of AC optimal power flow: ``python examples/ac_power_flow.py``.

Written as everybody writes them, with complex voltages and powers.  Active and reactive power
are the real and imaginary parts of one number, and stay apart: a generator's active power has
no entry in the balance of reactive power.  The variables are voltage angles, voltage
magnitudes, active and reactive power of the generators.
"""

import time

import numpy as np
import scipy.sparse as sp

import sparsetrace as st

# The 9-bus case (J. H. Chow) and the 30-bus case (O. Alsac, B. Stott, IEEE Transactions on
# Power Apparatus and Systems 93, 745-751, 1974) as in MATPOWER, per 100 MVA.
# Branches: from, to, resistance, reactance, charging susceptance, limit in MVA.
CASE9 = {
    "generators": [1, 2, 3],
    "loads": {5: 90 + 30j, 7: 100 + 35j, 9: 125 + 50j},
    "shunts": {},
    "branches": [
        (1, 4, 0, 0.0576, 0, 250), (4, 5, 0.017, 0.092, 0.158, 250),
        (5, 6, 0.039, 0.17, 0.358, 150), (3, 6, 0, 0.0586, 0, 300),
        (6, 7, 0.0119, 0.1008, 0.209, 150), (7, 8, 0.0085, 0.072, 0.149, 250),
        (8, 2, 0, 0.0625, 0, 250), (8, 9, 0.032, 0.161, 0.306, 250),
        (9, 4, 0.01, 0.085, 0.176, 250),
    ],
}  # fmt: skip
CASE30 = {
    "generators": [1, 2, 22, 27, 23, 13],
    "loads": {
        2: 21.7 + 12.7j, 3: 2.4 + 1.2j, 4: 7.6 + 1.6j, 7: 22.8 + 10.9j, 8: 30 + 30j,
        10: 5.8 + 2j, 12: 11.2 + 7.5j, 14: 6.2 + 1.6j, 15: 8.2 + 2.5j, 16: 3.5 + 1.8j,
        17: 9 + 5.8j, 18: 3.2 + 0.9j, 19: 9.5 + 3.4j, 20: 2.2 + 0.7j, 21: 17.5 + 11.2j,
        23: 3.2 + 1.6j, 24: 8.7 + 6.7j, 26: 3.5 + 2.3j, 29: 2.4 + 0.9j, 30: 10.6 + 1.9j,
    },
    "shunts": {5: 0.19j, 24: 0.04j},
    "branches": [
        (1, 2, 0.02, 0.06, 0.03, 130), (1, 3, 0.05, 0.19, 0.02, 130),
        (2, 4, 0.06, 0.17, 0.02, 65), (3, 4, 0.01, 0.04, 0, 130),
        (2, 5, 0.05, 0.2, 0.02, 130), (2, 6, 0.06, 0.18, 0.02, 65),
        (4, 6, 0.01, 0.04, 0, 90), (5, 7, 0.05, 0.12, 0.01, 70),
        (6, 7, 0.03, 0.08, 0.01, 130), (6, 8, 0.01, 0.04, 0, 32), (6, 9, 0, 0.21, 0, 65),
        (6, 10, 0, 0.56, 0, 32), (9, 11, 0, 0.21, 0, 65), (9, 10, 0, 0.11, 0, 65),
        (4, 12, 0, 0.26, 0, 65), (12, 13, 0, 0.14, 0, 65), (12, 14, 0.12, 0.26, 0, 32),
        (12, 15, 0.07, 0.13, 0, 32), (12, 16, 0.09, 0.2, 0, 32), (14, 15, 0.22, 0.2, 0, 16),
        (16, 17, 0.08, 0.19, 0, 16), (15, 18, 0.11, 0.22, 0, 16),
        (18, 19, 0.06, 0.13, 0, 16), (19, 20, 0.03, 0.07, 0, 32),
        (10, 20, 0.09, 0.21, 0, 32), (10, 17, 0.03, 0.08, 0, 32),
        (10, 21, 0.03, 0.07, 0, 32), (10, 22, 0.07, 0.15, 0, 32),
        (21, 22, 0.01, 0.02, 0, 32), (15, 23, 0.1, 0.2, 0, 16), (22, 24, 0.12, 0.18, 0, 16),
        (23, 24, 0.13, 0.27, 0, 16), (24, 25, 0.19, 0.33, 0, 16),
        (25, 26, 0.25, 0.38, 0, 16), (25, 27, 0.11, 0.21, 0, 16), (28, 27, 0, 0.4, 0, 65),
        (27, 29, 0.22, 0.42, 0, 16), (27, 30, 0.32, 0.6, 0, 16),
        (29, 30, 0.24, 0.45, 0, 16), (8, 28, 0.06, 0.2, 0.02, 32),
        (6, 28, 0.02, 0.06, 0.01, 32),
    ],
}  # fmt: skip
MVA = 100.0


class Grid:
    """The admittances of a case, and the constraints that go with them."""

    def __init__(self, case):
        table = np.array(case["branches"], float)
        self.start, self.end = table[:, :2].astype(int).T - 1
        self.limits = (table[:, 5] / MVA) ** 2
        self.buses = n = int(table[:, :2].max())
        lines = np.arange(len(table))
        series, charging = 1 / (table[:, 2] + 1j * table[:, 3]), 0.5j * table[:, 4]

        def ends(at_start, at_end):
            rows, columns = np.r_[lines, lines], np.r_[self.start, self.end]
            return sp.csr_array((np.r_[at_start, at_end], (rows, columns)), (len(lines), n))

        self.from_start = ends(series + charging, -series)
        self.from_end = ends(-series, series + charging)
        shunts, self.load = np.zeros((2, n), complex)
        for values, given in ((shunts, case["shunts"]), (self.load, case["loads"])):
            values[np.array(list(given), int) - 1] = np.array(list(given.values())) / MVA
        ones = np.ones(len(lines))
        at_start = sp.csr_array((ones, (lines, self.start)), (len(lines), n))
        at_end = sp.csr_array((ones, (lines, self.end)), (len(lines), n))
        self.admittance = sp.csr_array(
            at_start.T @ self.from_start + at_end.T @ self.from_end + sp.diags_array(shunts)
        )
        places = np.array(case["generators"]) - 1
        count = len(places)
        self.generators = sp.csr_array((np.ones(count), (places, np.arange(count))), (n, count))
        self.size = 2 * n + 2 * count

    def unpacked(self, x):
        """Complex voltages and powers."""
        n, count = self.buses, self.generators.shape[1]
        angle, magnitude, active, reactive = np.split(x, [n, 2 * n, 2 * n + count])
        return magnitude * np.exp(1j * angle), active + 1j * reactive

    def constraints(self, x):
        """The balance of active and of reactive power at each bus, then the flow limits."""
        voltage, power = self.unpacked(x)
        injected = voltage * np.conj(self.admittance @ voltage)
        balance = injected - (self.generators @ power - self.load)
        flows = [
            voltage[bus] * np.conj(admittance @ voltage)
            for bus, admittance in ((self.start, self.from_start), (self.end, self.from_end))
        ]
        limits = [(flow * np.conj(flow)).real - self.limits for flow in flows]
        return np.concatenate([balance.real, balance.imag, *limits])


def report(name, case):
    grid = Grid(case)
    x = np.full(grid.size, 1.0)
    multipliers = np.linspace(1, 2, len(grid.constraints(x)))
    start = time.perf_counter()
    pattern = st.jacobian_sparsity(grid.constraints, x)
    hessian = st.hessian_sparsity(lambda x: multipliers @ grid.constraints(x), x)
    seconds = time.perf_counter() - start
    print(f"{name} constraints: {pattern!r}; Lagrangian: {hessian!r}; {1e3 * seconds:.0f} ms")
    # no equation of reactive power has an entry of active power, nor the other way round
    powers = pattern.toarray()[: 2 * grid.buses, 2 * grid.buses :]
    assert (powers == np.kron(np.eye(2), grid.generators.toarray())).all()


if __name__ == "__main__":
    report("case9", CASE9)
    report("case30", CASE30)
