"""The stores of index sets beside one another: whole arrays, and number by number."""

from sparsetrace import jacobian_sparsity

from .problems import PROBLEMS

GRAPHS = {"brusselator": 60, "recurrence": 300}


class Stores:
    params = [list(GRAPHS), ["auto", "roaring", "bitset", "csr", "intervals", "integers"]]
    param_names = ["graph", "store"]

    def setup(self, graph, store):
        self.problem = PROBLEMS[graph](GRAPHS[graph])

    def detect(self, store):
        problem = self.problem
        return jacobian_sparsity(
            problem.function, *problem.arguments, argnums=problem.argnums, store=store
        )

    def time_detection(self, graph, store):
        self.detect(store)

    def peakmem_detection(self, graph, store):
        self.detect(store)

    def track_entries(self, graph, store):
        return self.detect(store).nnz

    track_entries.unit = "entries"
