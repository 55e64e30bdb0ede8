import numpy as np


class Table:
    """Rows that are filled one after the other."""

    def __init__(self, rows, columns):
        self.data = np.zeros((rows, columns))
        self.filled = 0

    def append(self, row):
        self.data[self.filled] = row
        self.filled += 1

    @property
    def column_sums(self):
        return self.data.sum(axis=0)
