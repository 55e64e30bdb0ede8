"""What an error says, of which a trace asks whether it comes of traced values.

Contract: values that an error carries (``raise Found(v)``, the result of a generator) say nothing
about where it comes from, and their text may not be asked for once their run has ended.
"""

from __future__ import annotations

from sparsetrace.errors import TracingError

__all__ = ["error_text"]


def error_text(error: BaseException) -> str:
    """The text of an error, without those of the traced values that it carries.

    Examples
    --------
    >>> error_text(ValueError("singular"))
    'singular'
    """
    if any(getattr(type(x), "_is_traced", False) is True for x in error.args):
        return " ".join(x for x in error.args if isinstance(x, str))
    try:
        return str(error)
    except TracingError:  # a method of its own, which asks a value of a run that has ended
        return ""
