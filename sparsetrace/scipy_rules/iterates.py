"""What an iteration hands to functions of the user's, which may keep it.

Contract: where it goes, in a search or in steps of time, depends on all that its start and its
functions depend on.  At a point SciPy runs it on values; so each of its iterates is handed on as a
traced number that is lent (`sparsetrace.dispatch.lent_numbers`): what a function keeps of it may be
used by no result.  As long as nothing traced was met the iterates are constants, and handed on as
they are.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.dispatch.keeping_functions import may_hand_out, may_keep
from sparsetrace.dispatch.lent_numbers import Loan, lend, take_back
from sparsetrace.errors import TracingError
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.reach import Reach
from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.callbacks import lent_number, of_values
from sparsetrace.scipy_rules.rule_tools import Call, Hidden, current, made

__all__ = ["Iterates"]


_RESULT = "intermediate_result"
"""The name by which a callback asks for a result."""
_IN_ORDER = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Iterates:
    """The numbers that the functions of one iteration are given.

    Parameters
    ----------
    depend : bool
        Whether it begins with what depends on inputs.
    """

    def __init__(self, depend: bool) -> None:
        self.depend = depend
        self._reach = Reach(current().graph)
        self._loan: Loan | None = None

    def handed_to(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function for SciPy that gives another's results, and lends it what it may keep."""
        keeps = may_keep(function)
        call = self._lending(function) if keeps else self.lent_to_errors(function, self._lent)

        def called(*given: Any, **named: Any) -> Any:
            trace = current()
            choices = trace.choices
            result = call(*given, **named)
            if keeps and self.depend:  # what iterates before the last compare is no search
                trace.choices = choices
            self.depend = self.depend or contains_traced(result)
            return result

        return called

    def shown_to(self, function: Any) -> Any:
        """The same for what the solution is not made of: a Jacobian, a callback, or None."""
        if not callable(function):
            return function
        keeps = may_keep(function)
        call = self._lending(function) if keeps else self.lent_to_errors(function, self._lent)

        @functools.wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            result = call(*given, **named)
            return of_values(result) if current().local else result

        return called

    def _lending(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            named = {name: self._lent(value) for name, value in named.items()}
            return function(*map(self._lent, given), **named)

        return called

    def lent_to_errors(
        self, function: Callable[..., Any], lent: Callable[[Any], Any]
    ) -> Callable[..., Any]:
        """A function that keeps nothing, but for what an error of its own takes out of SciPy's.

        Parameters
        ----------
        function : callable
        lent : callable
            What the error is given in place of an argument.
        """

        def called(*given: Any, **named: Any) -> Any:
            try:
                return function(*given, **named)
            except TracingError:
                raise
            except Exception:
                if current().local and self.depend:  # once more, at the same place
                    function(*map(lent, given), **{k: lent(value) for k, value in named.items()})
                raise

        return called

    def show_once(
        self, call: Call, function: Any, shape: tuple[int, ...], extra: tuple[Any, ...] = ()
    ) -> None:
        """Call what may keep something, where nothing is run because the values are not known.

        Parameters
        ----------
        call : Call
        function : callable or None
            Of the place, of other things that stay hidden, and of what is `extra`.
        shape : tuple of int
            The place's.
        extra : tuple
        """
        if function is None or not may_hand_out(function):
            return
        place = lent_number(shape)
        names = inspect.signature(function).parameters
        if _RESULT in names:
            result = sys.modules["scipy.optimize"].OptimizeResult(x=place, fun=lent_number())
            function(**{_RESULT: result})
            return
        told = "what a function is given beside the place has no rule"
        hidden = Hidden(call.name, told, "Let it read the place alone.")
        needed = [p for p in names.values() if p.kind in _IN_ORDER and p.default is p.empty]
        function(place, *[hidden] * (len(needed) - 1 - len(extra)), *extra)

    def lent(self, x: Any, ids: Any = None) -> Any:
        """A number or an array of SciPy's that is lent; it depends on what has these ids, too."""
        values, trace = np.array(x), current()
        parents = trace.graph.opaques(values.shape)
        marks = trace.graph.node(parents if ids is None else np.maximum(parents, ids))
        self._loan = lend(trace.graph, marks, self._loan)
        return made(trace, marks, values.dtype, values, scalar=not values.ndim)

    def were_constants(self, results: Ids, *loans: Loan | None, begins: bool) -> bool:
        """Whether something was lent, and no result depends on inputs.

        If it `begins` with constants, all may be used that was kept of it, and of other loans.
        """
        nodes = results.reshape(-1).tolist()
        depends = self._loan is None or any(
            node > OPAQUE and self._reach.of(node) != (0, 0) for node in nodes
        )
        if begins and not depends:
            for loan in (self._loan, *loans):
                take_back(current().graph, loan)
        return not depends

    def _lent(self, x: Any) -> Any:
        """A number or an array, or a result of SciPy's with such, if it depends on inputs."""
        if not self.depend:
            return x
        if isinstance(x, dict):
            lent = type(x)(x)
            lent.update({name: self._lent(value) for name, value in x.items()})
            return lent
        if not isinstance(x, float | complex | np.inexact | np.ndarray) or contains_traced(x):
            return x
        return self.lent(x) if np.asarray(x).dtype.kind in "fc" else x
