"""The workloads: repeated detections, the first one of a process, and the peak of memory."""

from sparsetrace import hessian_sparsity, jacobian_sparsity

from .peers import OURS, parse, run
from .workloads import WORKLOADS

LIMITS = parse(["--timeout", "20", "--repetitions", "1"])


class Workloads:
    params = [[f"{name} {size}" for name, load in WORKLOADS.items() for size in load.sizes]]
    param_names = ["workload"]
    timeout = 60

    def setup(self, workload):
        name, size = workload.split()
        self.name, self.size = name, int(size)
        self.sparsity = hessian_sparsity if WORKLOADS[name].hessian else jacobian_sparsity
        self.problem = WORKLOADS[name].make(self.size)

    def time_detection(self, workload):
        problem = self.problem
        self.sparsity(problem.function, *problem.arguments, argnums=problem.argnums)

    def track_first(self, workload):
        return self.in_new_process("first")

    def track_megabytes(self, workload):
        return self.in_new_process("megabytes")

    def track_entries(self, workload):
        found = self.in_new_process("entries")
        if found != self.problem.entries:
            raise AssertionError(f"{found} entries, not {self.problem.entries}")
        return found

    def in_new_process(self, what):
        result = run(self.name, self.size, OURS, LIMITS)
        if "failure" in result:
            raise RuntimeError(result["failure"])
        return result[what]

    track_first.unit = "seconds"
    track_megabytes.unit = "MB"
    track_entries.unit = "entries"
