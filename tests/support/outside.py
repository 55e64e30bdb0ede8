"""What a traced function may leave behind, for tests that look inside of a trace.

Contract: a trace puts back the lists, dicts, counters and names that the function fills or
changes.  Items of a queue of compiled code are not among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

__all__ = ["Outside"]


class Outside:
    """A list of which a trace puts nothing back.

    Examples
    --------
    >>> import numpy as np, sparsetrace as st
    >>> seen = Outside()
    >>> def f(x):
    ...     seen.append(x.shape)
    ...     return x
    >>> st.jacobian_sparsity(f, np.ones(2)).nnz, list(seen)
    (2, [(2,)])
    """

    def __init__(self) -> None:
        self._queue: SimpleQueue[Any] = SimpleQueue()

    def append(self, item: Any) -> None:
        self._queue.put(item)

    def extend(self, items: Any) -> None:
        for item in items:
            self._queue.put(item)

    def clear(self) -> None:
        while not self._queue.empty():
            self._queue.get()

    def __iter__(self) -> Iterator[Any]:
        items = [self._queue.get() for _ in range(len(self))]
        self.extend(items)
        return iter(items)

    def __len__(self) -> int:
        return self._queue.qsize()

    def __getitem__(self, key: Any) -> Any:
        return list(self)[key]

    def __eq__(self, other: object) -> bool:
        return list(self) == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))
