"""What errors say: the public name, the user's line, the ways out; and whose errors they are."""

from __future__ import annotations

import contextlib
import importlib
import pickle
import sys
import threading
import warnings

import numpy as np
import pytest
import scipy.cluster.vq
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.spatial
import scipy.stats
from outside import Outside

import sparsetrace as st
from sparsetrace.user_code.public_names import public_name


def rows(x):
    return np.unique(x, axis=0)


def refusal(f, *args, **options):
    with pytest.raises(st.TracingError) as caught:
        st.jacobian_sparsity(f, *(args or (np.array([1.0, 2.0, 4.0, 3.0]),)), **options)
    return caught.value


BALL = np.vstack([np.eye(3), -np.eye(3)])
CALLS = {
    "np.unique": (rows, "local=True"),
    "np.save": (lambda x: np.save("nowhere", x), "plain arrays"),
    "np.bincount": (lambda x: np.bincount(x.astype(int)), "local=True"),
    "float.hex()": (lambda x: x.tolist()[0].hex(), "sparsetrace.opaque(g)"),
    "scipy.linalg.bandwidth": (
        lambda x: x * scipy.linalg.bandwidth(np.outer(x, x))[0],
        "sparsetrace.opaque(scipy.linalg.bandwidth)",
    ),
    "scipy.spatial.SphericalVoronoi": (
        lambda x: scipy.spatial.SphericalVoronoi(BALL * x[0], x[0]).vertices,
        "sparsetrace.opaque(g)",
    ),
    "scipy.linalg.interpolative.reconstruct_interp_matrix": (
        lambda x: scipy.linalg.interpolative.reconstruct_interp_matrix(np.arange(3), x[None, :2]),
        "sparsetrace.opaque(scipy.linalg.interpolative.reconstruct_interp_matrix)",
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_public_name_the_line_and_the_ways_out(call):
    f, way_out = CALLS[call]
    error = refusal(f)
    assert error.call == call
    assert str(error).startswith(f"{call} at {error.filename}:{error.lineno} (in ")
    if f.__name__ == "<lambda>":
        assert error.filename == __file__
        assert f.__code__.co_firstlineno <= error.lineno < f.__code__.co_firstlineno + 4
    assert any(way_out in remedy for remedy in error.remedies)
    text = str(error)
    assert text.endswith(" ".join(error.remedies))
    assert all(remedy[0].isupper() and remedy.endswith(".") for remedy in error.remedies)


def test_an_error_is_pickled_with_all_that_it_says():
    error = refusal(rows)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    for name in ("call", "filename", "lineno", "remedies", "args"):
        assert getattr(copy, name) == getattr(error, name)


def test_an_error_without_a_place_has_the_attributes_too():
    with pytest.raises(st.InputError) as caught:
        st.jacobian_sparsity(np.sin, "text")
    error = caught.value
    assert (error.call, error.filename, error.lineno, error.remedies) == ("", None, None, ())


def test_names_of_decorated_functions():
    assert public_name(scipy.stats.zscore) == "scipy.stats.zscore"
    assert public_name(scipy.stats.gmean) == "scipy.stats.gmean"
    assert public_name(np.linalg.inv) == "np.linalg.inv"
    assert public_name(scipy.interpolate.CubicSpline.__init__) == "scipy.interpolate.CubicSpline"
    assert public_name(float.hex) == "float.hex"
    assert public_name(functionless := object()) == repr(functionless)


# ------------------------------------------------------------------------- installed code
INSTALLED = """
import warnings
import numpy as np

def fill(v):
    work = np.frombuffer(bytearray(24))
    work[1] = v
    return work

def hexadecimal(v):
    return v.tolist()[0].hex()

def own(x):
    return np.unique(x * 2, axis=0)

def old(x):
    warnings.warn("old is deprecated", DeprecationWarning)
    return x * x
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package of somebody else's, where pip puts it."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "somebodys_model.py").write_text(INSTALLED)
    monkeypatch.syspath_prepend(str(folder))
    yield importlib.import_module("somebodys_model")
    del sys.modules["somebodys_model"]


def test_a_write_in_installed_code_names_its_line_and_the_remedy(installed):
    def f(x):
        return installed.fill(x[0])

    error = refusal(f)
    assert error.call == "somebodys_model.fill"
    assert (error.filename, error.lineno) == (__file__, f.__code__.co_firstlineno + 1)
    assert "somebodys_model.py:7 (in fill) it writes a traced value into an ordinary" in str(error)
    assert "Make the array in the traced function" in error.remedies[0]
    assert error.remedies[-1].endswith("sparsetrace.opaque(somebodys_model.fill).")


def test_an_installed_function_that_is_traced_itself(installed):
    """Its own line is the user's then."""
    error = refusal(installed.own)
    assert (error.call, error.filename, error.lineno) == (
        "np.unique",
        installed.__file__,
        14,
    )
    error = refusal(lambda x: installed.own(x))
    assert error.lineno == 14
    assert any("inside somebodys_model.own, called at" in note for note in error.__notes__)


@pytest.mark.parametrize("local", [False, True])
def test_a_warning_of_a_deprecated_function_is_its_own(installed, local):
    """Where warnings are errors; else it is the user's to see."""
    f, x = (lambda x: installed.old(x)), np.ones(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DeprecationWarning, match="old is deprecated"):
            st.jacobian_sparsity(f, x, local=local)
    with pytest.warns(DeprecationWarning, match="old is deprecated"):
        assert st.jacobian_sparsity(f, x, local=local).nnz == 2


def test_a_conversion_in_installed_code(installed):
    error = refusal(lambda x: installed.hexadecimal(x))
    assert error.call == "somebodys_model.hexadecimal"
    assert "float.hex() inside of it" in str(error)


def test_a_conversion_is_called_by_its_own_name():
    def branching(v):
        return float(str(v)) if v > 0.5 else v

    assert refusal(lambda x: [float(str(v)) for v in x]).call == "float"
    assert refusal(lambda x: [branching(v) for v in x]).call == "float"
    assert refusal(lambda x: [complex(str(v)) for v in x]).call == "complex"


def test_a_builtin_is_named_after_many_calls():
    """After some turns Python 3.11 runs such a call in another instruction."""

    def warm(x):
        total = 0.0
        for k in range(20):
            total = total + complex(str(x[0]) if k == 19 else "1")
        return total

    assert refusal(warm).call == "complex"


# ------------------------------------------------------------------------------ ways out
def test_a_trace_at_a_point_offers_detach():
    def f(x):
        return x * float(x.tolist()[0].hex() == "")

    assert any("sparsetrace.detach(v)" in way for way in refusal(f, local=True).remedies)
    assert not any("detach" in way for way in refusal(f).remedies)

    def detached(x):
        return x * float(st.detach(x).tolist()[0].hex() != "")

    assert st.jacobian_sparsity(detached, np.ones(2), local=True).nnz == 2


def test_unknown_arguments_are_a_way_out_of_their_own():
    error = refusal(lambda x, a: x * np.unique(a, axis=0).size, np.ones(2), np.ones(3))
    assert "static_argnums=1" in error.remedies[-1]
    assert str(error).endswith(error.remedies[-1])


# ------------------------------------------------- errors that the plain function raises too
OWN_ERRORS = {
    "too short": lambda x: scipy.signal.savgol_filter(x, 7, 2),
    "too short for padding": lambda x: scipy.signal.filtfilt([1.0, 1.0], [1.0, 0.5, 0.2], x[:2]),
    "shapes": lambda x: scipy.linalg.solve(np.eye(5), x),
    "not square": lambda x: np.linalg.cholesky(np.outer(x, x)[:2]),
    "knots": lambda x: scipy.interpolate.CubicSpline(np.zeros(4), x)(0.5),
    "float index": lambda x: np.arange(3)[x],
    "wrong axis": lambda x: scipy.stats.rankdata(x, axis=3),
    "unknown option": lambda x: scipy.stats.rankdata(x, method="none"),
}


def plain_error(f, x):
    try:
        f(x)
    except Exception as error:
        return error
    raise AssertionError("the plain call ends well")


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", OWN_ERRORS)
def test_an_error_of_the_plain_function_is_its_own(name, local):
    f, x = OWN_ERRORS[name], np.ones(4)
    own = plain_error(f, x)
    with pytest.raises(type(own)) as caught:
        st.jacobian_sparsity(f, x, local=local)
    assert not isinstance(caught.value, st.TracingError)


@pytest.mark.parametrize("f", [np.linalg.cholesky, scipy.linalg.cholesky, np.linalg.inv])
def test_a_singular_matrix_at_a_point(f):
    with pytest.raises(np.linalg.LinAlgError):
        st.jacobian_sparsity(lambda x: f(np.outer(x, x) - 1.0), np.ones(3), local=True)


def test_the_plain_call_goes_no_further_than_the_line():
    calls = Outside()

    def f(x):
        repeated = scipy.ndimage.iterate_structure(
            x,
            iterations=2,
        )
        calls.append("after it")
        return repeated

    error = refusal(f)
    assert error.call == "scipy.ndimage.iterate_structure"
    assert list(calls) == []


def test_the_plain_call_closes_what_it_has_opened():
    events = Outside()

    @contextlib.contextmanager
    def noted():
        events.append("opened")
        try:
            yield
        finally:
            events.append("closed")

    def f(x):
        with noted():
            return scipy.ndimage.iterate_structure(x, 2)

    def g(x):
        with noted():
            return h(x)

    def h(x):
        y = scipy.ndimage.iterate_structure(x, 2)
        return y + 1

    for function in (f, g):
        events.clear()
        refusal(function)
        assert list(events) == ["opened", "closed"] * (len(list(events)) // 2)


def test_a_statement_of_several_lines_fails_as_a_whole():
    def f(x):
        ranks = scipy.stats.rankdata(
            x,
            method="none",
        )
        return ranks

    with pytest.raises(ValueError, match="unknown method"):
        st.jacobian_sparsity(f, np.ones(3))


def test_another_line_or_no_error_is_not_the_functions_own():
    def later(x):
        y = scipy.ndimage.iterate_structure(x, 2)
        return y[9]

    assert refusal(later).call == "scipy.ndimage.iterate_structure"
    assert (
        refusal(lambda x: scipy.ndimage.iterate_structure(x, 2)).call
        == "scipy.ndimage.iterate_structure"
    )


# ----------------------------------------------------- objects that no trace can be inside of
def _of_pandas(name):
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([1.0, 2.0, 4.0, 3.0])
    return {
        "operator": lambda x: series * x,
        "reflected": lambda x: x * series,
        "ufunc": lambda x: np.sin(x) * series,
        "method": lambda x: series.add(x).to_numpy(),
        "made of it": lambda x: pandas.DataFrame({"a": x}),
        "in a list": lambda x: np.concatenate([series, x]),
        "returned": lambda x: pandas.Series(x),
        "compiled": lambda x: pandas.cut(x, 3),
        "a column": lambda x: with_column(pandas, x)["c"].to_numpy() * 2,
    }[name]


def with_column(pandas, x):
    frame = pandas.DataFrame({"a": np.arange(4.0)})
    frame["c"] = x
    return frame


OF_PANDAS = """
operator, reflected, ufunc, method, made of it, in a list, returned, compiled, a column
""".strip().split(", ")


@pytest.mark.parametrize("name", OF_PANDAS)
@pytest.mark.parametrize("local", [False, True])
def test_pandas_is_refused_with_the_line_that_helps(name, local):
    error = refusal(_of_pandas(name), local=local)
    assert "Take arrays out of pandas before traced values come in: df.to_numpy()." in str(error)
    assert error.filename in (None, __file__)


def test_methods_are_named_by_the_class_of_their_object():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": np.arange(4.0)})
    assert refusal(lambda x: frame["a"] * x).call == "pandas.Series.__mul__"
    assert refusal(lambda x: pandas.DataFrame(x).mean()).call == "pandas.DataFrame.mean"


def test_numbers_in_pandas_objects_keep_their_dependencies():
    pandas = pytest.importorskip("pandas")
    found = st.jacobian_sparsity(
        lambda x: pandas.Series(x, index=list("abc"))["b"] * pandas.Series(x).iloc[2], np.ones(3)
    )
    assert found.toarray().tolist() == [[False, True, True]]


def test_arrays_out_of_pandas_are_constants():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 0.0, 2.0]})
    found = st.jacobian_sparsity(lambda x: frame["a"].to_numpy() * x, np.ones(3))
    assert found.toarray().tolist() == np.diag([True, False, True]).tolist()


def test_an_item_of_what_a_library_holds_is_named_as_it_is_written():
    pandas = pytest.importorskip("pandas")
    df = pandas.DataFrame({"a": [1.0, 2.0]})

    def f(x):
        frame = df.copy()
        frame.loc[0, "a"] = x[0]
        return x

    error = refusal(f)
    assert error.call == "frame.loc[...] = ..."
    assert "opaque(frame" not in str(error)


def test_numexpr_is_refused_with_the_line_that_helps():
    numexpr = pytest.importorskip("numexpr")
    error = refusal(lambda x: numexpr.evaluate("2 * x"))
    assert "Write the expression with NumPy" in error.remedies[0]
    assert error.call == "numexpr.evaluate"


class Compiled:
    """Passes for a function of a package's that is compiled, and fails by an error of its own."""

    __module__ = "foreign_package"
    __call__ = threading.Lock().__exit__


converted = Compiled()


def test_what_a_compiled_function_fails_by_that_is_given_traced_values():
    """What such a call would have given is not known, also if its error is caught."""

    def swallowed(x):
        try:
            return converted(x)
        except RuntimeError:
            return x

    with pytest.raises(st.EscapeError, match="RuntimeError: release unlocked lock"):
        st.jacobian_sparsity(swallowed, np.ones(3))
    with pytest.raises(RuntimeError, match="unlocked"):  # it fails for numbers, too
        st.jacobian_sparsity(lambda x: converted(x), np.ones(3))
