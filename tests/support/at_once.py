"""An executor that does each task when it is submitted, of what a pickle holds of it."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from typing import Any
from unittest import mock

from sparsetrace.propagation import executors

__all__ = ["AtOnce", "always_used"]


class AtOnce(Executor):
    """Counts its tasks and their bytes."""

    def __init__(self, num_workers: int = 2) -> None:
        self.num_workers = num_workers
        self.tasks = self.bytes = 0

    def submit(self, task: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        shipped = pickle.dumps((task, args, kwargs))
        self.tasks += 1
        self.bytes += len(shipped)
        own, arguments, options = pickle.loads(shipped)
        future: Future[Any] = Future()
        try:
            future.set_result(pickle.loads(pickle.dumps(own(*arguments, **options))))
        except Exception as error:
            future.set_exception(error)
        return future


@contextlib.contextmanager
def always_used() -> Iterator[None]:
    """Let executors be used for small problems too."""
    with mock.patch.object(executors, "_WORTH", 0):
        yield
