"""The keywords of a detection: their names, types, defaults and meaning, in this one place.

Contract: a function that takes them declares ``**options: Unpack[...]`` of one of the classes
here and is decorated with `takes`: its signature and docstring list them.  It asks `completed`
for their values, which refuses names that are none.
"""

import difflib
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, TypeVar, get_args, get_origin

from sparsetrace.propagation.jacobian_stores.sizes import MOST_ENTRIES

__all__ = [
    "DetectionOptions",
    "HessianOptions",
    "JacobianOptions",
    "TraceOptions",
    "completed",
    "names_of",
    "refuse_unknown",
    "takes",
]

F = TypeVar("F", bound=Callable[..., Any])


class Option(NamedTuple):
    """What is said of a keyword besides its name and type."""

    default: Any
    meaning: str


class TraceOptions(TypedDict, total=False):
    """How a function is traced."""

    static_argnums: Annotated[
        int | Sequence[int],
        Option((), "Arguments outside `argnums` that are taken as they are, with their values."),
    ]
    constants: Annotated[
        Literal["values", "structure"],
        Option(
            "values",
            """
            With "values" the zeros of constants cut dependencies (``0 * x``, a zero row of
            A in ``A @ x``); with "structure" they do not, for constants that change later.
            Where SciPy leaves out zeros of what it computes of constants alone (``A @ A`` of sparse
            arrays), they are gone.
            """,
        ),
    ]
    capture: Annotated[
        bool,
        Option(
            True,
            """
            Trace through ``np.zeros`` buffers, ``np.asarray``, ``np.array`` of elements,
            the ``math`` module and ``float``, in the function's own code.
            """,
        ),
    ]
    max_paths: Annotated[
        int,
        Option(
            1024,
            """
            Most paths through the branches (``if``, ``while``, ``and``...) on traced values
            that are run and united.
            """,
        ),
    ]
    max_memory: Annotated[
        int | str | None,
        Option(
            None,
            """
            Most memory that the graph of a run may take: bytes, or text like "500 MB" or "2GiB".
            Where it outgrows that, as in a long loop over time, what the arrays in use depend
            on is computed, and the graph starts again from them; the pattern is the same.
            Where even that takes more, and in traces of second derivatives, a `GraphSizeError`
            is raised.  None sets no limit; graphs over up to 8192 inputs are made small all
            the same where they outgrow 64 MB.
            """,
        ),
    ]
    local: Annotated[
        bool,
        Option(
            False,
            """
            The pattern at the point given, not for every input: branches, masks, sorting and
            indices follow the values, and derivatives that vanish at the point are cut.  At
            ties (``maximum`` of equal numbers) both sides stay; a comparison exactly at its
            threshold follows the branch that is taken.  Compute it anew when the
            inputs change.  Of second derivatives, ``x ** 2`` keeps its own at 0, ``x ** 3``
            does not.
            """,
        ),
    ]


class DetectionOptions(TraceOptions, total=False):
    """How a pattern is found."""

    store: Annotated[
        Literal["auto", "roaring", "bitset", "csr", "intervals", "integers"],
        Option(
            "auto",
            "How index sets are held while they are propagated; the answer is the same.",
        ),
    ]
    max_entries: Annotated[
        int,
        Option(
            MOST_ENTRIES,
            """
            A pattern with more entries is not written out: it is a `CompressedPattern`, which
            holds stretches of columns and has counts, rows and parts.
            """,
        ),
    ]
    executor: Annotated[
        Any,
        Option(
            None,
            """
            A `concurrent.futures.Executor`, or what has its `submit`: a pool of processes, loky's,
            that of mpi4py.futures, ``client.get_executor()`` of dask.  f runs here; what it
            recorded is shipped in parts where it is large, and the pattern is the same.
            """,
        ),
    ]
    progress: Annotated[
        bool | Callable[..., object] | None,
        Option(
            False,
            """
            True shows a bar on standard error while what takes longer is done; a callable is
            given a named tuple of phase, done and total (`sparsetrace.progress.Progress`), ten
            times a second at the most.  An error that it raises ends the detection.
            """,
        ),
    ]
    verify: Annotated[
        bool | int | None,
        Option(
            None,
            """
            True, or a number of probes, checks the pattern by plain calls, as
            `check_jacobian_sparsity` and `check_hessian_sparsity` do.  Left out (None), a
            trace at a point compares the values that it carried with one plain call, a
            function that chooses by values a dozen times is called a few times near the
            point, since it may halve an interval, and one that may ask what the text of a
            number says is checked as with True; False leaves all of it out.
            """,
        ),
    ]


class JacobianOptions(DetectionOptions, total=False):
    """How the pattern of a Jacobian is found."""

    dependency: Annotated[
        bool,
        Option(
            False,
            """
            Follow values rather than derivatives: ``floor(x)`` depends on x, though its
            derivative is zero.
            """,
        ),
    ]


class HessianOptions(DetectionOptions, total=False):
    """How the pattern of a Hessian is found."""

    hessian_store: Annotated[
        Literal["auto", "csr", "bitset", "roaring", "dict", "intervals"],
        Option(
            "auto",
            """
            How the Hessian's entries are held while they are gathered, chosen apart from
            `store`, which holds those of gradients; the answer is the same.
            """,
        ),
    ]


@cache
def _declared(kind: Any) -> dict[str, tuple[Any, Option]]:
    """Of each keyword its type, default and meaning."""
    found = {}
    for name, annotation in kind.__annotations__.items():
        declared, option = get_args(annotation)
        found[name] = declared, option
    return found


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    return {name: option.default for name, (_, option) in _declared(kind).items()}


def names_of(kind: Any) -> frozenset[str]:
    """The keywords of a class of options.

    Examples
    --------
    >>> sorted(names_of(JacobianOptions) - names_of(HessianOptions))
    ['dependency']
    """
    return frozenset(_defaults(kind))


def completed(function: Callable[..., Any], kind: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all options, of which a user gave some.

    Raises
    ------
    TypeError
        If a keyword is none of the function's.

    Examples
    --------
    >>> completed(sorted, JacobianOptions, {"store": "csr"})["store"]
    'csr'
    """
    values: dict[str, Any] = {**_defaults(kind), **given}
    if len(values) > len(_defaults(kind)):
        refuse_unknown(function, kind, given)
    return values


def refuse_unknown(function: Callable[..., Any], kind: Any, given: Mapping[str, Any]) -> None:
    """Raise a TypeError for a keyword that is none of the function's, with the nearest that is.

    Examples
    --------
    >>> from sparsetrace import jacobian_sparsity
    >>> refuse_unknown(jacobian_sparsity, JacobianOptions, {"max_path": 3})
    Traceback (most recent call last):
    TypeError: jacobian_sparsity() got an unexpected keyword argument 'max_path'; did you mean \
'max_paths'?
    """
    for name in given:
        if name not in _defaults(kind):
            parameters = inspect.signature(function).parameters.values()
            known = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(known)}"
            raise TypeError(
                f"{function.__name__}() got an unexpected keyword argument {name!r}; {hint}"
            )


def takes(kind: Any) -> Callable[[F], F]:
    """List these keywords in a function's signature, and in its docstring at ``**options``."""

    def listed(function: F) -> F:
        signature = inspect.signature(function)
        *own, rest = signature.parameters.values()
        parameters = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=declared
            )
            for name, (declared, option) in _declared(kind).items()
        ]
        function.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*own, *parameters]
        )
        lines = re.compile(rf"^( *)\*\*{rest.name}\n(?:\1 +.*\n)+", re.MULTILINE)
        if function.__doc__ is not None:  # python -OO has none
            function.__doc__ = lines.sub(lambda m: _text(kind, m[1]), function.__doc__, count=1)
        return function

    return listed


def _text(kind: Any, indent: str) -> str:
    """The section of a docstring about these keywords, as numpydoc has it."""
    lines = []
    for name, (declared, option) in _declared(kind).items():
        lines.append(f"{name} : {_type_text(declared)}, default {option.default!r}")
        lines += [f"    {line}" for line in inspect.cleandoc(option.meaning).splitlines()]
    return "".join(f"{indent}{line}\n" for line in lines)


def _type_text(declared: Any) -> str:
    if get_origin(declared) is Literal:
        return f"{{{', '.join(map(repr, get_args(declared)))}}}"
    if isinstance(declared, type):
        return declared.__name__
    return " or ".join(
        "None"
        if part is type(None)
        else str(getattr(part, "__name__", part)).lower()
        if get_origin(part) is None
        else "callable"
        if get_origin(part) is Callable
        else f"sequence of {get_args(part)[0].__name__}"
        for part in get_args(declared)
    )
