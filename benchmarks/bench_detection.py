"""Whole detections: each problem, small and large."""

from sparsetrace import jacobian_sparsity

from .problems import PROBLEMS, SIZES


class Detection:
    params = [list(PROBLEMS), ["small", "large"]]
    param_names = ["problem", "size"]

    def setup(self, name, size):
        self.problem = PROBLEMS[name](SIZES[name][size == "large"])

    def detect(self):
        problem = self.problem
        return jacobian_sparsity(problem.function, *problem.arguments, argnums=problem.argnums)

    def time_detection(self, name, size):
        self.detect()

    def peakmem_detection(self, name, size):
        self.detect()

    def track_entries(self, name, size):
        pattern = self.detect()
        if (pattern.shape, pattern.nnz) != (self.problem.shape, self.problem.entries):
            raise AssertionError(f"{pattern!r} is not what {name} must have")
        return pattern.nnz

    track_entries.unit = "entries"


class Printing:
    """The picture of a pattern with four million entries."""

    def setup(self):
        problem = PROBLEMS["softmax"](SIZES["softmax"][1])
        self.pattern = jacobian_sparsity(problem.function, *problem.arguments)

    def time_str(self):
        str(self.pattern)
