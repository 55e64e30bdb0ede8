"""What is exchanged while a trace runs, and is put back."""

import types

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


def test_names_that_were_absent_when_they_were_listed():
    """A module may get one of them later, which is put back as well."""
    module = types.ModuleType("late")
    module.first = "first"
    exchange = Exchange()
    listed = by_owner([Patch(module, name, None, "traced") for name in ("first", "second")])
    exchange.make(listed)
    exchange.undo()
    assert not hasattr(module, "second")
    module.second = "second"
    assert not exchange.make(listed)  # other replacements are wanted
    assert (module.first, module.second) == ("traced", "traced")
    exchange.undo()
    assert (module.first, module.second) == ("first", "second")
    del module.second
    exchange.make(listed)
    exchange.undo()
    assert module.first == "first"
    assert not hasattr(module, "second")
