"""Names and containers that hold another function half-way: how each is bound, and called."""

import types

noted = []


def doubled(v):
    return 2 * v


def noting(v):
    noted.append(None)
    return 3 * v


class Scale:
    factor = property(lambda self: 2.0)

    def __mul__(self, v):
        return 2 * v

    def __getitem__(self, i):
        return 2.0

    def times(self, v):
        return 2 * v


HOLDER = types.SimpleNamespace(f=doubled)
MODULE = types.ModuleType("module")
TABLE = {"a": doubled}
SCALE = Scale()
SCALES = [SCALE]
chosen = doubled


def as_default(v, table=[doubled]):  # noqa: B006
    return table[0](v)


def bind_global(f):
    globals()["chosen"] = f


def bind_item(f):
    TABLE["a"] = f


def bind_default(f):
    as_default.__defaults__[0][0] = f


def bind_property(f):
    Scale.factor = property(lambda self: f(1.0))


def bind_method(name):
    return lambda f: setattr(Scale, name, lambda self, v: f(v))


BOUND_ANEW = {
    "a global name": (bind_global, lambda v: chosen(v)),
    "an attribute": (lambda f: setattr(HOLDER, "f", f), lambda v: HOLDER.f(v)),
    "a name of a module": (lambda f: setattr(MODULE, "f", f), lambda v: MODULE.f(v)),
    "an item": (bind_item, lambda v: TABLE["a"](v)),
    "what map is given": (bind_item, lambda v: sum(map(TABLE["a"], [v]))),
    "a default": (bind_default, lambda v: as_default(v)),
    "a method": (bind_method("times"), lambda v: SCALE.times(v)),
    "a method by its name": (bind_method("times"), lambda v: sum(s.times(v) for s in SCALES)),
    "an operator": (bind_method("__mul__"), lambda v: SCALE * v),
    "an index": (bind_method("__getitem__"), lambda v: SCALE[1.0] * v),
    "a property": (bind_property, lambda v: SCALE.factor * v),
}
