"""Calls of `logging`: whether a record comes to the user alone, or to nobody.

Contract: nothing runs but questions that loggers of the standard library answer.  In doubt a record
is kept by somebody who may look at it.
"""

from __future__ import annotations

import io
import logging
import sys
import types
from collections.abc import Iterator
from typing import Any

__all__ = ["is_of_logging", "logging_state", "reaches_nobody", "reaches_the_user"]

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "exception": logging.ERROR,
    "critical": logging.CRITICAL,
    "log": None,
}
_ASKING = frozenset("getEffectiveLevel getLevelName getLogger hasHandlers isEnabledFor".split())
_HANDLERS = (logging.StreamHandler, logging.FileHandler, logging.NullHandler)


def is_of_logging(function: Any) -> bool:
    """Whether this is a method of a logger, or a function of `logging`, that is known."""
    return _logger_and_name(function) is not None


def _logger_and_name(function: Any) -> tuple[logging.Logger, str] | None:
    logger: Any
    if isinstance(function, types.MethodType):
        logger, own = function.__self__, function.__func__
        if type(logger) not in (logging.Logger, logging.RootLogger):
            return None
    else:
        logger, own = logging.getLogger(), function
    name = str(getattr(own, "__name__", ""))
    if name not in _LEVELS and name not in _ASKING:
        return None
    scopes = (vars(logging), vars(logging.Logger))
    if not isinstance(own, types.FunctionType) or all(s.get(name) is not own for s in scopes):
        return None
    return logger, name


def reaches_nobody(function: Any) -> bool:
    """Whether calls of a known function make no record: they ask, or the level is too low."""
    found = _logger_and_name(function)
    if found is None:
        return False
    logger, name = found
    level = _LEVELS.get(name)
    return name in _ASKING or (level is not None and not logger.isEnabledFor(level))


def reaches_the_user(function: Any) -> bool:
    """Whether the records of a known function come to streams and files of the user's alone.

    Examples
    --------
    >>> is_quiet = reaches_nobody(logging.getLogger("sparsetrace.nobody").debug)
    >>> is_quiet, reaches_the_user(print)
    (True, False)
    """
    found = _logger_and_name(function)
    return found is not None and all(map(_is_users, _listening(found[0])))


def logging_state(function: Any) -> tuple[Any, ...]:
    """What has another type once records of a known function come to others."""
    found = _logger_and_name(function)
    if found is None or reaches_nobody(function):
        return ()
    return (None, *_listening(found[0]))


def _listening(logger: logging.Logger) -> Iterator[Any]:
    """The handlers and filters that a record meets."""
    at: logging.Logger | None = logger
    yield from logger.filters
    while at is not None:
        for handler in at.handlers:
            yield handler
            yield from handler.filters
        at = at.parent if at.propagate else None
    if logging.getLoggerClass() is not logging.Logger or logging.getLogRecordFactory() is not (
        logging.LogRecord
    ):
        yield logging.getLoggerClass()


def _is_users(listener: Any) -> bool:
    if type(listener) not in _HANDLERS or type(listener.formatter) not in (
        logging.Formatter,
        type(None),
    ):
        return False
    stream = getattr(listener, "stream", None)
    if isinstance(stream, io.StringIO):
        return False  # it can be read
    if stream is None or stream is sys.stdout or stream is sys.stderr:  # a notebook's, for one
        return True
    return isinstance(stream, io.TextIOWrapper) and not isinstance(stream.buffer, io.BytesIO)
