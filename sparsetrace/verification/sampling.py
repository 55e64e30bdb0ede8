"""Points and moves at which a function is called plainly.

Contract: holds what both checks share: the points around the arguments and the budget of
calls.  A function that answers differently when it is called twice is noticed, and a warning
says what could not be checked.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.errors import InputError, VerificationError, VerificationWarning
from sparsetrace.verification.plain_calls import PlainFunction

__all__ = ["DEFAULT_PROBES", "Sampling", "warn"]

Vector = NDArray[Any]
DEFAULT_PROBES = 10
_OWN_CALLS = 2
"""Calls beside the probes: at the first point, twice."""


def warn(message: str) -> None:
    """Say what was not checked, at the line that called this package."""
    warnings.warn(message, VerificationWarning, stacklevel=2)


class Sampling:
    """A plain function, and how many calls of it are left.

    Parameters
    ----------
    plain : PlainFunction
    local : bool
        Keep to the arguments' own values.
    probes : int
    rng : numpy.random.Generator
    width : float
        How much larger than usual small moves are.

    Attributes
    ----------
    base, values : array
        The point around which the function is called, and what it returns there.
    finite : array of bool
        The outputs that were numbers at two points, of which one was moved.
    """

    def __init__(
        self,
        plain: PlainFunction,
        *,
        local: bool,
        probes: int,
        rng: np.random.Generator,
        width: float = 1.0,
    ) -> None:
        self.plain, self.local, self.rng, self.width = plain, local, rng, width
        self._most = probes + _OWN_CALLS
        self.base = plain.point
        self.values = np.zeros(0)
        self.finite = np.zeros(0, bool)
        self._asked = False
        self._flips = self._signs()
        self._phase = complex(np.exp(1j * rng.uniform(0.4, 1.1)))

    @property
    def left(self) -> int:
        """How many calls the budget still holds."""
        return self._most - self.plain.calls

    # ----------------------------------------------------------------- points
    def random(self) -> Vector:
        """A direction: an element of [-1, 1] for each input, none close to zero."""
        result = self._signs() * self.rng.uniform(0.5, 1.0, len(self.plain.point))
        if self.plain.point.dtype.kind == "c":
            # all in one direction of the complex plane, for functions that are not analytic
            return self.plain.representable(result * self._phase)
        return result

    def coordinates(self, move: Vector) -> Vector:
        """A move along random directions as real numbers."""
        return (move * self._phase.conjugate()).real if move.dtype.kind == "c" else move

    def _signs(self) -> Vector:
        return self.rng.integers(2, size=len(self.plain.point)) * 2.0 - 1.0

    def near(self, share: float) -> Vector:
        """A point within a share of the arguments' sizes around them."""
        width = share * self.plain.sizes
        draw = self.rng.uniform(-1.0, 1.0, len(width))
        return self.plain.representable(self.plain.point + width * draw)

    def wide(self, turn: int) -> Vector:
        """A point far from the arguments: other signs, other sizes."""
        x, size, pattern = self.plain.point, self.plain.sizes, turn % 4
        if pattern == 0:
            self._flips = self._signs()
        if pattern < 2:
            # of two such points every element has its own sign at one, and the other at one
            signs = self._flips if pattern == 0 else -self._flips
            result = signs * (x + 0.5 * size * self.rng.uniform(-1, 1, len(size)))
        elif pattern == 2:
            result = self._signs() * size * 10.0 ** self.rng.uniform(-1, 3.3, len(size)) + 0.0 * x
        else:
            result = x + 2.0 * size * self.rng.uniform(-1, 1, len(size))
        self.plain.vary(self.rng, 2.0)
        return self.plain.representable(result)

    # ------------------------------------------------------------------ start
    def start(self, rows: int | None) -> bool:
        """Call the function for the first time; False, with a warning, where it fails.

        Parameters
        ----------
        rows : int, optional
            As many numbers as it must return.
        """
        best, others = -1, self.plain.others
        for point, share in self._first_points():
            if not self.local:
                self.plain.vary(self.rng, share)
            values = self.plain.first(point) if best < 0 else self.plain.at(point)
            if values is None:
                continue
            if rows is not None and len(values) != rows:
                raise InputError(
                    f"the pattern has {rows} rows, and the function returned {len(values)} numbers"
                )
            good = int(np.isfinite(values).sum())
            if good > best:
                best, self.base, self.values = good, point, values
                others = self.plain.others
            if good == len(values):
                break
        if best < 0:
            warn(f"nothing was checked: {self.plain.title} fails: {self.plain.failure}")
            return False
        self.plain.others = others
        self.finite = np.zeros(len(self.values), bool)
        return True

    def ask_again(self) -> None:
        """Call the function at the base point again, if that was not done yet.

        Raises
        ------
        VerificationError
            If it returns other numbers, or fails.
        """
        if self._asked:
            return
        self._asked = True
        again = self.plain.at(self.base)
        if again is None or not alike(self.values, again):
            row = None if again is None else int(np.argmax(~_close(self.values, again)))
            said = self.plain.failure if again is None else "returned other numbers"
            raise VerificationError(
                f"{self.plain.title} is not deterministic: called twice with the same arguments "
                f"it {said}, so that nothing can be checked. Let it keep no state between two "
                "calls, and draw no random numbers; or leave the check out (verify=False).",
                row=row,
                row_name=None if row is None else self.plain.row_name(row),
            )

    def _first_points(self) -> list[tuple[Vector, float]]:
        """Points to try in turn, each with the share by which other arguments vary."""
        x, size = self.plain.point, self.plain.sizes
        if self.local:
            return [(x, 0.0)]
        positive = self.plain.representable(np.abs(self.near(0.3)) + 0.1 * size)
        return [(self.near(0.1), 0.1), (self.near(1e-3), 1e-3), (positive, 0.0), (x, 0.0)]

    # -------------------------------------------------------------------- end
    def finish(self, rows: NDArray[np.bool_]) -> None:
        """Warn of those of the rows that were not finite anywhere."""
        unknown = rows & ~self.finite
        if unknown.any():
            first = self.plain.row_name(int(np.argmax(unknown)))
            failed = f" ({self.plain.failure})" if self.plain.failure else ""
            warn(
                f"{int(unknown.sum())} of the {len(rows)} outputs of {self.plain.title} were not "
                f"checked, output {first} the first of them: the function fails or is not finite "
                f"at the points tried{failed}"
            )

    def error(self, message: str, **where: Any) -> VerificationError:
        """The error of an entry that a pattern lost."""
        return VerificationError(
            f"{self.plain.title}: {message}. The dependency was lost: rewrite the code between "
            "the two with calls that are traced, wrap it in sparsetrace.opaque, or add the entry "
            "to the pattern.",
            **where,
        )


def alike(first: Vector, second: Vector) -> bool:
    """Whether two results are the same but for rounding."""
    return len(first) == len(second) and bool(_close(first, second).all())


def _close(first: Vector, second: Vector) -> NDArray[np.bool_]:
    sizes = np.maximum(np.abs(first), np.abs(second))
    scale = sizes[np.isfinite(sizes)].max(initial=0.0)
    with np.errstate(invalid="ignore"):
        near = np.abs(first - second) <= 1e-6 * sizes + 1e-10 * scale
    same = (first == second) | (np.isnan(first) & np.isnan(second))
    return np.asarray(same | (near & np.isfinite(sizes)))
