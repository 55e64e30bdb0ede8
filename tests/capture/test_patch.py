"""What is exchanged while a trace runs, and is put back."""

from sparsetrace.capture.patch import Exchange, Patch, by_owner


def test_an_operator_of_a_class_is_exchanged_however_often():
    """Python 3.13 keeps what ``a[k]`` calls in a class that was modified a thousand times."""

    class Table:
        def __getitem__(self, key):
            return "plain"

    class Derived(Table):
        pass

    def traced(self, key):
        return "traced"

    table, patch = Derived(), Patch(Table, "__getitem__", Table.__getitem__, traced)

    def read():
        return {table[1] for _ in range(20)}

    for _ in range(1100):
        exchange = Exchange()
        exchange.make(by_owner([patch]))
        assert read() == {"traced"}
        exchange.undo()
        assert read() == {"plain"}
