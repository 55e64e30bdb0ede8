"""Ways out for code that cannot be traced: `detach`, `opaque`, `register_rule`.

Contract: outside of a trace `detach` and `opaque` change nothing.  Inside of one they
state a dependency that the tracer cannot see; it is taken at its word.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.capture import registered_functions
from sparsetrace.capture.patches import refresh_registered
from sparsetrace.context import CURRENT, Trace
from sparsetrace.dispatch import lookup
from sparsetrace.dispatch.function_rules import REGISTERED, FunctionRule, override
from sparsetrace.errors import InputError
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.masked import METHOD, METHODS, MODULE, MaskedTracedArray
from sparsetrace.operands import unions
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    contains_traced,
    ids_of,
    is_traced,
    values_of,
)
from sparsetrace.operands.registry import ANYTHING, RULES, rule_for
from sparsetrace.rules import RECORDS, Cut, Record
from sparsetrace.rules.record import nonzero_pairs

__all__ = ["detach", "opaque", "register_rule"]


def detach(x: Any) -> Any:
    """`x` as a constant: nothing computed from the result depends on the inputs through it.

    Parameters
    ----------
    x : array or number

    Returns
    -------
    array or number
        `x` itself outside of a trace.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> st.jacobian_sparsity(lambda x: x[0] * st.detach(x[1]), np.ones(2)).toarray()
    array([[ True, False]])
    """
    if not is_traced(x):
        return x
    trace = x._trace
    if trace.local:
        values = x._values
        return values.copy() if isinstance(values, np.ndarray) else values
    ids = np.full(np.shape(x._ids), trace.graph.opaque, np.int32)
    return trace.wrap(Elements(ids, x._dtype, keep_array=isinstance(x, np.ndarray)))


def opaque(
    f: Callable[..., Any] | None = None,
    pattern: object = "dense",
    *,
    shape: tuple[int, ...] | None = None,
) -> Any:
    """Let a function that calls foreign code through a trace, with the pattern stated.

    Parameters
    ----------
    f : callable, optional
        Takes arrays or numbers, returns one array or number.  Left out, the result is a
        decorator.
    pattern : {"dense", "elementwise"} or matrix of shape (m, n)
        "dense": every output depends on every traced argument; "elementwise": output i
        on element i of each, after broadcasting.  A matrix (dense or scipy.sparse) says
        which of the n elements of all arguments, one after the other, each of the m
        outputs depends on.
    shape : tuple of int, optional
        Shape of the output.  Without it "dense" calls f on arrays of ones to see it,
        "elementwise" broadcasts, and a matrix gives ``(m,)``.

    Returns
    -------
    callable
        Behaves as `f` outside of a trace, and on constants.

    Raises
    ------
    InputError
        If the pattern is none of these, or does not fit the arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> cube = st.opaque(lambda x: np.array([float(v) ** 3 for v in x]), "elementwise")
    >>> st.jacobian_sparsity(cube, np.ones(3)).nnz
    3
    """
    if f is None:
        return functools.partial(opaque, pattern=pattern, shape=shape)
    if isinstance(pattern, str):
        if pattern not in ("dense", "elementwise"):
            raise InputError(f"pattern={pattern!r}: 'dense', 'elementwise' or a matrix is wanted")
        matrix = None
    else:
        matrix = scipy.sparse.csr_array(pattern)
    function = f

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        trace = CURRENT.get()
        if trace is None or not contains_traced([*args, *kwargs.values()]):
            return function(*args, **kwargs)
        values = None
        if trace.local:
            plain = {key: values_of(value) for key, value in kwargs.items()}
            values = np.asarray(function(*(values_of(x) for x in args), **plain), float)
        traced = [ids_of(trace, x) for x in (*args, *kwargs.values()) if contains_traced(x)]
        if matrix is not None:
            result = _by_matrix(trace, matrix, args, shape)
        elif pattern == "elementwise":
            result = trace.graph.union_all(traced)
        else:
            wanted = shape if values is None else values.shape
            if wanted is None:
                wanted = np.shape(function(*map(_ones_like, args), **kwargs))
            every = trace.graph.union_rows(np.concatenate([ids.reshape(-1) for ids in traced]))
            result = np.broadcast_to(every, wanted).copy()
        if shape is not None and result.shape != shape:
            result = np.broadcast_to(result, shape).copy()
        return trace.wrap(
            Elements(interact_all(trace.graph, np.maximum(result, OPAQUE)), FLOAT, values)
        )

    return call


def _ones_like(x: Any) -> Any:
    if not contains_traced(x):
        return x
    ones = np.ones(np.shape(x))
    return ones if isinstance(x, np.ndarray) else float(ones) if not ones.ndim else ones.tolist()


def _by_matrix(
    trace: Trace, matrix: Any, args: Sequence[Any], shape: tuple[int, ...] | None
) -> Ids:
    ids = np.concatenate([ids_of(trace, x).reshape(-1) for x in args])
    if matrix.shape[1] != len(ids):
        raise InputError(f"pattern has {matrix.shape[1]} columns; the arguments have {len(ids)}")
    parents = ids[matrix.indices]
    traced = parents > OPAQUE
    kept = np.zeros(len(parents) + 1, np.int64)
    np.cumsum(traced, out=kept[1:])
    out = trace.graph.union_segments(kept[matrix.indptr], parents[traced])
    return out if shape is None else out.reshape(shape)


Rule = str | Sequence[str] | Callable[..., Any] | None


def register_rule(
    function: object,
    rule: Rule,
    *,
    seconds: str | Sequence[str] | None = None,
    cuts: dict[int, Cut] | None = None,
    harmless: Sequence[str] = (),
) -> None:
    """Teach the tracer a function or method of any package, or a ufunc.

    Parameters
    ----------
    function : callable, numpy.ufunc or str
        The function, a method (``Model.predict``), or the dotted name of one, whose module
        need not be loaded and is not imported: ``"mypackage.model.lookup"``.  A method stands
        for that of the class that defines it, and of all classes that inherit it.
    rule : callable, str, sequence of str or None
        Of a function: another function that computes the same with calls that can be traced.
        Its parameters are named like those of the function that it reads; calls are bound by
        the function's own signature, with its defaults and its errors.  A first parameter
        ``call`` gets what was called: ``call.original``, ``call.name`` and
        ``call.refuse(problem, remedy)``.  In a local trace the values come from the function
        itself.  Calls without traced arguments go to the function itself.  A string
        ``"mypackage.rules:lookup"`` says where the rule is, to be imported when it is needed.
        None takes the rule back, so that the one that was there before holds.

        Of a ufunc: a string an output with a letter an input: ``"1"`` depends on it, ``"0"``
        has zero derivative.
    seconds : str or sequence of str, optional
        For a ufunc, its second derivatives: a string an output with a letter a pair of
        inputs, in the order 00, 01, 11 (for two): ``"1"`` non-zero, ``"0"`` zero.  Left
        out, the ufunc is nonlinear in everything that it depends on.
    cuts : dict of int to Cut, optional
        For a ufunc: when a constant operand makes a dependency vanish.
    harmless : sequence of str, optional
        Parameters of a function that the rule does not read, because they change no
        dependency.  Any other that it does not read must have its default in a call.

    Raises
    ------
    InputError
        If the rule does not fit the function, or the function cannot be intercepted.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> step = np.frompyfunc(lambda x, y: y if x > 0 else -y, 2, 1)
    >>> st.register_rule(step, "01")
    >>> st.jacobian_sparsity(lambda x: step(x[0], x[1]), np.ones(2)).toarray()
    array([[False,  True]])

    A function of any package, here one of Python's own, of which the rule knows two
    parameters out of three:

    >>> import bisect
    >>> def place(a, x):
    ...     return np.searchsorted(a, x, side="right")
    >>> st.register_rule("bisect.bisect_right", place)
    >>> table = np.array([0.0, 0.5, 1.0])
    >>> at = np.array([0.7, 1.0])
    >>> st.jacobian_sparsity(lambda x: x[1] * bisect.bisect_right(table, x[0]), at).toarray()
    array([[False,  True]])
    >>> st.register_rule("bisect.bisect_right", None)
    """
    if isinstance(function, str):
        function = _found(function)
    if isinstance(function, np.ufunc):
        _register_ufunc(function, rule, seconds, cuts)
    elif seconds is not None or cuts is not None:
        raise InputError("seconds= and cuts= are for ufuncs")
    elif hasattr(function, "_implementation"):
        _register_for_numpy(function, rule, harmless)
    else:
        _register_function(function, rule, harmless)


def _register_ufunc(
    ufunc: np.ufunc,
    rule: Rule,
    seconds: str | Sequence[str] | None,
    cuts: dict[int, Cut] | None,
) -> None:
    if rule is None or callable(rule):
        raise InputError("the rule of a ufunc is a string of letters for each output")
    partials = (rule,) if isinstance(rule, str) else tuple(rule)
    if seconds is None:
        second = tuple(map(nonzero_pairs, partials))
    else:
        second = (seconds,) if isinstance(seconds, str) else tuple(seconds)
    try:
        RECORDS[ufunc] = Record(
            ufunc,
            partials,
            second,
            ((-3.0, 3.0),) * ufunc.nin,
            cut=dict(cuts or {}),
            stepwise=frozenset(i for i, cut in (cuts or {}).items() if not cut.constant),
        )
    except ValueError as error:
        raise InputError(str(error)) from error
    unions.forget(ufunc)
    lookup.forget()


_OF_NUMPY: dict[Any, Any] = {}
"""The rules of NumPy's functions that users have replaced; None where there was none."""


def _register_for_numpy(function: Any, rule: Rule, harmless: Sequence[str]) -> None:
    """A function of NumPy's protocol: nothing has to be exchanged for it."""
    if rule is None:
        if function not in _OF_NUMPY:
            raise InputError(f"{function.__name__} has no rule to take back")
        before = _OF_NUMPY.pop(function)
        RULES.pop(function)
        if before is not None:
            RULES[function] = before
    else:
        name = f"{function.__module__}.{function.__name__}"
        answer = FunctionRule(name, _checked(rule), harmless).bound(function)
        _OF_NUMPY.setdefault(function, RULES.get(function))
        RULES.pop(function, None)

        def handler(trace: Trace, args: Any, kwargs: Any) -> Any:
            return answer(args, kwargs)

        rule_for(function, signature=ANYTHING)(handler)
    lookup.leave(function)


_TRACED_ITSELF = frozenset("builtins math numba numpy sparsetrace threading".split())
"""Packages whose functions a trace exchanges for other reasons."""
_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


def _register_function(function: object, rule: Rule, harmless: Sequence[str]) -> None:
    """A function that no protocol reaches: its name is exchanged while a trace runs."""
    name = function if isinstance(function, str) else _name_of(function)
    if name.partition(".")[0] in _TRACED_ITSELF and not name.startswith(f"{MODULE}."):
        raise InputError(f"{name} cannot be given a rule; wrap it with sparsetrace.opaque")
    places = _places(name)
    original = _value_at(places)
    places += _registered_at(getattr(original, "__func__", original))  # also by other names
    if rule is None:
        taken_back = [override(*place, None) for place in places]
        if not any(taken_back):
            raise InputError(f"{name} has no rule to take back")
    else:
        registered = FunctionRule(name, _checked(rule), harmless)
        if original is not None:
            _check_function(name, original)
            registered.bound(getattr(original, "__func__", original))  # whether it fits
        for place in places:
            override(*place, registered)
    refresh_registered(anew=True)


def _checked(rule: Rule) -> Callable[..., Any] | str:
    if callable(rule) or (isinstance(rule, str) and rule.count(":") == 1):
        return rule
    raise InputError(f"rule={rule!r}: a function or 'package.module:name' is wanted")


def _places(name: str) -> list[tuple[str, str]]:
    """A dotted name as that of a module and a name in it, wherever the module may end."""
    names = name.split(".")
    return [(".".join(names[:n]), ".".join(names[n:])) for n in range(1, len(names))]


def _value_at(places: list[tuple[str, str]]) -> Any:
    """What stands at the first of the places where there is something; None if there is not."""
    found_at = registered_functions.found_at
    values = (found_at(module, name) for module, name in places if module in sys.modules)
    return next((value for value in values if value is not None), None)


def _found(name: str) -> Any:
    """What a dotted name stands for, where that is a matter of NumPy's; else the name."""
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is no dotted name, such as 'package.module.function'")
    places = _places(name)
    value = _value_at(places)
    if value is None:
        module, _ = next((p for p in reversed(places) if p[0] in sys.modules), ("", ""))
        if module and not hasattr(sys.modules[module], "__path__"):
            raise InputError(f"{module} has no function {name[len(module) + 1 :]}")
    is_numpys = isinstance(value, np.ufunc) or hasattr(value, "_implementation")
    return value if is_numpys else name


def _name_of(function: object) -> str:
    """The dotted name under which a function is found; the one of a rule that it has."""
    function = getattr(function, "__func__", function)
    for place in _registered_at(function):
        return ".".join(place)
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    shown = getattr(function, "__name__", repr(function))
    if not isinstance(module, str) or not isinstance(name, str) or module not in sys.modules:
        raise InputError(
            f"{shown} has no name by which it can be intercepted; wrap it with sparsetrace.opaque"
        )
    if _function_at(module, name) is not function:
        raise InputError(
            f"{shown} is not what {module}.{name} stands for, so that it cannot be intercepted; "
            "give the dotted name by which it is called, or wrap it with sparsetrace.opaque"
        )
    return f"{module}.{name}"


def _registered_at(function: object) -> list[tuple[str, str]]:
    """The modules, and the names in them, under which a function has a rule."""
    places = ((m, name) for m in registered_functions.loaded() for name in list(REGISTERED[m]))
    return [place for place in places if function is not None and _function_at(*place) is function]


def _function_at(module: str, name: str) -> Any:
    value = registered_functions.found_at(module, name)
    return getattr(value, "__func__", value)


def _check_function(name: str, value: object) -> None:
    if isinstance(value, type):
        raise InputError(f"{name} is a class; give a method of it a rule, such as __call__")
    if isinstance(value, np.ma.core._MaskedUFunc):
        raise InputError(f"{name} follows what is known of NumPy's ufunc; give that a rule")
    method = name.removeprefix(f"{MODULE}.{METHOD}")
    if method != name and (hasattr(MaskedTracedArray, method) or method not in METHODS):
        raise InputError(f"{name} cannot be given a rule: masked arrays of a trace have their own")
    if not callable(getattr(value, "__func__", value)):
        raise InputError(f"{name} is of type {type(value).__name__}, which is not called")
