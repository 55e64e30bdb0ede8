"""Nothing leaves a trace unseen: every way out gives all entries or an error that helps."""

from __future__ import annotations

import builtins
import contextlib
import re
import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pytest
import scipy

from cases.escapes.every import BODIES, EXPRESSIONS
from oracles import assert_covers, numerical_jacobian_pattern
from sparsetrace import TracingError, jacobian_sparsity
from sparsetrace.errors import (
    FAILURES,
    EscapeError,
    OutputError,
    UnsupportedError,
    ValueDependentError,
    explain,
)
from sparsetrace.user_code.frames import user_location

X = np.array([1.0, 2.0, 3.0, 4.0])
PLACE = re.compile(r"\.py:\d+ \(in [\w<>]+\)")
MODULES = (
    "array bisect cmath contextlib copy ctypes decimal fractions functools heapq itertools json "
    "math operator pickle statistics struct scipy.cluster scipy.constants scipy.fft "
    "scipy.integrate scipy.interpolate scipy.linalg scipy.linalg.blas scipy.linalg.lapack "
    "scipy.ndimage scipy.optimize scipy.signal scipy.sparse scipy.sparse.linalg scipy.spatial "
    "scipy.spatial.transform scipy.special scipy.stats"
).split()


def quietly(function):
    """The function's result; None where it raised.  For code that swallows errors."""
    with contextlib.suppress(BaseException):
        return function()


def compiled(source: str, *, body: bool):
    """The function ``f(x)`` of an entry of the tables, in a file of its own."""
    text = source.replace("\\n", "\n") if body else f"return {source}"
    scope = {"np": np, "X": X, "GLOBAL": [], "catch": quietly, "scipy": scipy}
    for name in MODULES:
        scope.setdefault(name.partition(".")[0], builtins.__import__(name))
    scope["arr"] = scope["array"]
    code = compile("def f(x):\n" + textwrap.indent(text, "    "), "user_code.py", "exec")
    exec(code, scope)
    return scope["f"]


def assert_helpful(text: str) -> None:
    assert PLACE.search(text), f"no place: {text}"
    assert text.rstrip().endswith("."), f"no way out: {text}"


def check(f, *, x=X) -> None:
    """A pattern with every entry, or an error that says where and what to do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pattern = jacobian_sparsity(f, x.copy())
        except TracingError as error:
            if not isinstance(error, OutputError):
                assert_helpful(str(error))
            return
        except Exception as error:
            # plain numbers are refused as well
            with pytest.raises(type(error)):
                f(x.copy())
            return
        try:
            wanted = numerical_jacobian_pattern(f, x, points=2)
        except Exception:
            assert pattern.left_out  # the function fails there, and the pattern says so
        else:
            assert_covers(pattern, wanted)


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_expression(source):
    check(compiled(source, body=False))


@pytest.mark.parametrize("source", BODIES)
def test_body(source):
    check(compiled(source, body=True))


# ------------------------------------------------------------ must be refused
REFUSED = {
    "x.tobytes()": EscapeError,
    "x.data": EscapeError,
    "x.ctypes": EscapeError,
    "x.__array_interface__": EscapeError,
    "x.__array_struct__": EscapeError,
    "pickle.dumps(x)": EscapeError,
    "pickle.dumps(x[0])": EscapeError,
    "x.dumps()": EscapeError,
    "struct.pack('d', x[0])": EscapeError,
    "json.dumps(x[0])": EscapeError,
    "hash(x[0])": ValueDependentError,
    "{x[0]: 1}": ValueDependentError,
    "{*x}": ValueDependentError,
    "{1.0: 2.0}.get(x[0], 3.0) * x": ValueDependentError,
    "x[0].hex()": EscapeError,
    "x[0].as_integer_ratio()": EscapeError,
    "range(np.argmax(np.tile(x, 99)))": ValueDependentError,
    "list(range(999))[np.argmax(np.tile(x, 99))]": ValueDependentError,
    "len(np.tile(x, 99)[np.tile(x, 99) > 0])": ValueDependentError,
    "np.unique(x, axis=0)": ValueDependentError,
    "np.save('nowhere.npy', x)": ValueDependentError,
    "scipy.ndimage.iterate_structure(x, 2)": EscapeError,
    "x.view(np.int64)": UnsupportedError,
    "np.ma.unique(np.ma.masked_array(x, mask=[0, 1, 0, 0]))": UnsupportedError,
    "fractions.Fraction(x[0])": EscapeError,
    "decimal.Decimal(x[0])": EscapeError,
    "float(str(x[0]))": EscapeError,
    "setattr(x, 'dtype', np.int64)": UnsupportedError,
    "setattr(x, 'strides', (0,))": UnsupportedError,
}
if hasattr(np.ndarray, "tostring"):  # until NumPy 2.2
    REFUSED["x.tostring()"] = EscapeError


@pytest.mark.parametrize("source", REFUSED)
def test_refused(source):
    with pytest.raises(REFUSED[source], match=r"user_code\.py:2 \(in f\)"):
        jacobian_sparsity(compiled(source, body=False), X)


def test_the_line_named_is_the_users():
    def f(x):
        y = 2 * x
        return y.tobytes()  # this line

    line = f.__code__.co_firstlineno + 2
    with pytest.raises(EscapeError, match=rf"tobytes at .*test_ways_out\.py:{line} \(in f\)"):
        jacobian_sparsity(f, X)


# ------------------------------------------------------------ swallowed errors
@pytest.mark.parametrize("handler", ["Exception", "BaseException", ""])
@pytest.mark.parametrize(
    "escape", ["x.tobytes()", "k = hash(x[0])", "np.unique(x, axis=0)", "pickle.dumps(x)"]
)
def test_a_swallowed_error_fails_the_trace(handler, escape):
    f = compiled(f"try: {escape}\\nexcept {handler}: pass\\nreturn x * 0", body=True)
    with pytest.raises(TracingError, match=r"user_code\.py:2"):
        jacobian_sparsity(f, X)


def test_the_first_of_several_errors_is_raised():
    def f(x):
        quietly(x.tobytes)
        return np.unique(x)

    with pytest.raises(EscapeError, match="tobytes"):
        jacobian_sparsity(f, X)


def test_failures_of_one_trace_do_not_reach_the_next():
    with pytest.raises(EscapeError):
        jacobian_sparsity(lambda x: x.tobytes(), X)
    assert FAILURES.get() is None
    assert jacobian_sparsity(lambda x: x * 2, X).nnz == 4


# --------------------------------------------------- errors that are the user's
class OwnError(Exception):
    pass


def test_the_functions_own_error_passes_unchanged():
    own = OwnError("mine")

    def f(x):
        raise own

    with pytest.raises(OwnError) as found:
        jacobian_sparsity(f, X)
    assert found.value is own


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("x[4]", IndexError),
        ("x[:, 0]", IndexError),
        ("x['a']", IndexError),
        ("x + np.ones(3)", ValueError),
        ("x.reshape(3)", ValueError),
        ("np.concatenate([x, np.ones((2, 2))])", ValueError),
        ("np.eye(3) @ x", ValueError),
        ("x.nope", AttributeError),
        ("[][0]", IndexError),
        ("{}['a']", KeyError),
        ("1 / 0", ZeroDivisionError),
        ("bool(x)", ValueError),
        ("x.sum(axis=3)", ValueError),
        ("undefined", NameError),
        ("np.gradient(x, edge_order=7)", ValueError),
    ],
)
def test_errors_that_plain_numbers_raise_too(source, kind):
    f = compiled(source, body=False)
    with pytest.raises(kind):
        f(X)
    with pytest.raises(kind) as found:
        jacobian_sparsity(f, X)
    assert not isinstance(found.value, TracingError)


def test_an_escape_keeps_the_original_error():
    with pytest.raises(EscapeError, match="traced values") as found:
        jacobian_sparsity(lambda x: scipy.linalg.bandwidth(np.outer(x, x)), X)
    assert isinstance(found.value.__cause__, TypeError)


def test_no_tracing_error_is_one_that_numpy_catches():
    for kind in (EscapeError, ValueDependentError, OutputError, TracingError):
        assert not issubclass(kind, (TypeError, AttributeError, IndexError, ValueError))


def test_explain_names_call_place_problem_and_remedy():
    text = explain("np.f", "it fails", "Use g.")
    assert text.startswith("np.f at ")
    assert text.endswith(": it fails. Use g.")
    assert "test_ways_out.py" in user_location()


def test_a_place_inside_the_standard_library_is_the_callers():
    f = compiled("statistics.mean(x.tolist()) + hash(x[0])", body=False)
    with pytest.raises(TracingError, match=r"user_code\.py:2"):
        jacobian_sparsity(f, X)


def test_compiled_code_of_scipy_does_not_crash():
    """It steps through the memory of a traced array with the strides of a real one."""
    program = (
        "import numpy as np, scipy.cluster.vq as vq, sparsetrace as st\n"
        "try: st.jacobian_sparsity(lambda x: vq.kmeans2(x[:, None], 2)[0], np.arange(4.0))\n"
        "except st.TracingError: pass\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0


# ----------------------------------------------------------------- known holes
def test_compiled_code_of_scipy_gets_no_traced_array():
    check(lambda x: scipy.linalg.solve(np.eye(4), x))


def test_products_with_a_matrix_are_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        matrix = np.matrix(np.ones((4, 4)))
        for f in (lambda x: x * matrix, lambda x: matrix @ x):
            with pytest.raises(TracingError, match=r"matrix|view"):
                jacobian_sparsity(f, X)
        with pytest.raises(ValueError, match=r"\(4, ?4\) and \(1, ?4\)"):  # as in NumPy
            jacobian_sparsity(lambda x: matrix * x, X)
        assert jacobian_sparsity(lambda x: matrix * x[:, None], X).nnz == 16


def test_an_error_swallowed_in_another_thread_fails_the_trace():
    def f(x):
        thread = threading.Thread(target=lambda: quietly(x.tobytes))
        thread.start()
        thread.join()
        return x * 0

    with pytest.raises(EscapeError):
        jacobian_sparsity(f, X)


def test_a_swallowed_error_of_compiled_code_fails_the_trace():
    def f(x):
        try:
            return scipy.signal.symiirorder1(x, 1.0, 0.5)
        except NotImplementedError:
            return np.zeros(4)

    check(f)
