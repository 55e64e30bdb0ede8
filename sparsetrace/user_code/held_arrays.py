"""The arrays that a function can reach, with every place that holds one.

Contract: as `sparsetrace.user_code.reach`, whose walk this is once more; what it notes besides
is looked at by few traces, after an error.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

import numpy as np

from sparsetrace.user_code.places import Place, places, places_in
from sparsetrace.user_code.reach import Walk
from sparsetrace.user_code.read_code import Code

__all__ = ["HeldArrays"]


class HeldArrays(Walk):
    """One walk, from a function and its arguments.

    Parameters
    ----------
    roots : iterable
    arguments : tuple
        What holds the arguments among the roots.

    Attributes
    ----------
    arrays_held : list of array
        Those that the user's own objects hold, read-only ones too.

    Examples
    --------
    >>> work = np.zeros(2)
    >>> walk = HeldArrays([{"by name": work, "in a tuple": (work, 1.0)}])
    >>> [place.key for place in walk.places({id(work)})]
    ['by name', 0]
    """

    def __init__(self, roots: Iterable[Any], arguments: tuple[Any, ...] = ()) -> None:
        super().__init__()
        self.arrays_held: list[Any] = []
        self._holders: list[Any] = [arguments]
        self._owners: dict[int, Any] | None = None
        self.push(list(roots), opaque=False)
        self.run()
        for code, scope in self.found.codes:
            self._names(code, scope)

    @property
    def complete(self) -> bool:
        """Whether the function can reach nothing that was not looked at."""
        return not self.found.unknown

    def reaches(self, item: object) -> bool:
        """Whether an object was looked at."""
        return id(item) in self.seen

    def meets(self, number: int) -> bool:
        """Whether an object, given by its id, was met, if only in what a library holds."""
        return number in self.seen or (number, True) in self.seen

    def owner_of(self, holder: object) -> Any:
        """The object whose attributes a dict holds, or the holder itself."""
        if self._owners is None:
            objects = self.found.objects
            self._owners = {id(attributes): item for item, _, attributes in objects}
        return self._owners.get(id(holder), holder)

    def forget_arrays(self) -> None:
        """Hold no arrays any more."""
        self.arrays_held.clear()
        self.found.arrays.clear()

    def places(self, wanted: Container[int]) -> Iterator[Place]:
        """Every place that holds one of some arrays, given by their ids; each place once."""
        seen: set[tuple[int, Any]] = set()
        further = (*self._holders, *self.found.deques)
        for place in (
            *places(self.found, wanted),
            *(place for holder in further for place in places_in(holder, wanted)),
        ):
            if place.identity not in seen:
                seen.add(place.identity)
                yield place

    def _names(self, code: Code, scope: dict[str, Any]) -> None:
        """The globals that code names, where they are arrays."""
        self.found.names.extend(
            (scope, name) for name in code.names if issubclass(type(scope.get(name)), np.ndarray)
        )

    def named(self, module: object, info: Code) -> None:
        super().named(module, info)
        self._names(info, object.__getattribute__(module, "__dict__"))

    def function(self, item: Any, kind: Any, opaque: bool) -> None:
        super().function(item, kind, opaque)
        self._holders += filter(None, (item.__defaults__, item.__kwdefaults__))

    def partial(self, item: Any, kind: Any, opaque: bool) -> None:
        super().partial(item, kind, opaque)
        self._holders += (item.args, item.keywords)

    def items(self, item: Any, kind: Any, opaque: bool) -> None:
        super().items(item, kind, opaque)
        self._holders.append(item)

    def arrays(self, item: Any, kind: Any, opaque: bool) -> None:
        super().arrays(item, kind, opaque)
        if _DTYPE(item).kind == "O":
            self._holders.append(item)
        if not opaque:
            self.arrays_held.append(item)

    def nothing(self, item: object, kind: object, opaque: bool) -> None:
        if type(item) is np.memmap and not opaque:
            self.arrays_held.append(item)


_DTYPE = np.ndarray.__dict__["dtype"].__get__
