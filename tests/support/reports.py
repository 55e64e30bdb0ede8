"""What a check by plain calls reports, and that it makes no more calls than promised."""

from __future__ import annotations

import sparsetrace as st

MOST_CALLS = 12


class Counted:
    """A function that counts its calls."""

    def __init__(self, f):
        self.f, self.calls = f, 0

    def __call__(self, *args):
        self.calls += 1
        return self.f(*args)


def reported(check, f, pattern, *args, **options):
    """The entry that a check reports, or None; it then made no more calls than promised."""
    counted = Counted(f)
    try:
        check(counted, pattern, *args, **options)
    except st.VerificationError as error:
        return error.row, error.column
    assert counted.calls <= MOST_CALLS
    return None
