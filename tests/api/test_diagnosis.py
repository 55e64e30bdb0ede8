"""`diagnose`: all refusals of a function in one list, and nothing else."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.linalg.interpolative as sli
import scipy.ndimage
import scipy.signal
import scipy.stats
from outside import Outside

import sparsetrace as st
from sparsetrace.arrays.array import TracedArray
from sparsetrace.dispatch.function_rules import OVERRIDDEN, FunctionRule

START = np.array([1.0, 2.0, 4.0])
PLACES = np.arange(3)
MEMORY = np.frombuffer(bytearray(24))


def many(x):
    count = np.unique(x, axis=0).size
    singular = sli.reconstruct_matrix_from_id(np.outer(x, x)[:, :1], PLACES, np.ones((1, 2)))[0]
    work = np.frombuffer(bytearray(24))
    work[:] = 2 * x
    work[1] = x[0]
    power = scipy.ndimage.iterate_structure(x * singular, 2)
    text = x.tolist()[0].hex()
    for _ in range(3):
        text += str(x.astype("U4").size)
    key = {x[0]: 1}
    width = scipy.linalg.bandwidth(np.outer(x, x) * singular[0])[0]
    return (x * singular.sum() + work + power[0] * count) * width * len(key) * len(text)


EXPECTED = [
    ("np.unique", 1, 1),
    ("scipy.linalg.interpolative.reconstruct_matrix_from_id", 2, 1),
    ("an assignment", 4, 3),
    ("an assignment", 5, 1),
    ("scipy.ndimage.iterate_structure", 6, 1),
    ("float.hex()", 7, 1),
    ("astype(<U4)", 9, 3),
    ("hash()", 10, 1),
    ("scipy.linalg.bandwidth", 11, 1),
]


def listed(diagnosis, f):
    first = f.__code__.co_firstlineno
    return [(refusal.call, refusal.lineno - first, refusal.times) for refusal in diagnosis]


def test_all_refusals_in_order():
    found = st.diagnose(many, START)
    assert listed(found, many) == EXPECTED
    assert found.complete
    assert not found.at_a_point
    assert all(refusal.filename == __file__ for refusal in found)
    assert all(refusal.passed and refusal.remedies and refusal.problem for refusal in found)


def test_at_a_point_other_calls_are_refused():
    found = [call for call, _, _ in listed(st.diagnose(many, START, local=True), many)]
    assert found == [call for call, _, _ in EXPECTED if call != "np.unique"]


def test_the_text():
    found = st.diagnose(many, START)
    text = str(found)
    assert text.startswith("9 calls are refused:\n1. np.unique at ")
    assert f"an assignment at {__file__}" in text
    assert ", 3 times" in text
    for refusal in found:
        assert refusal.problem in text
        assert all(remedy in text for remedy in refusal.remedies)


def test_nothing_is_refused():
    found = st.diagnose(lambda x: x**2, START)
    assert (len(found), found.complete, str(found)) == (0, True, "nothing is refused")


@pytest.mark.parametrize("name", ["float", "zeros", "early"])
def test_what_the_next_run_would_trace_is_no_refusal(name):
    early = np.zeros

    def of_float(x):
        return float(x[0]) * x

    def of_zeros(x):
        made = np.zeros(3)
        made[:] = x
        return made

    def of_early(x):
        made = early(3)
        made[1] = float(x[0]) * np.mean([x[0], x[1]])
        return made

    f = {"float": of_float, "zeros": of_zeros, "early": of_early}[name]
    try:
        st.jacobian_sparsity(f, START)
    except st.TracingError:
        assert len(st.diagnose(f, START)) == 1
    else:
        assert len(st.diagnose(f, START)) == 0


def test_a_refusal_on_each_path():
    def f(x):
        if x[0] > x[1]:
            return np.unique(x, axis=0)[:1]
        return x.astype("U5").size * x[:1]

    found = {refusal.call for refusal in st.diagnose(f, START)}
    assert found == {"np.unique", "astype(<U5)"}


def test_too_many_paths():
    def f(x):
        text = ""
        for i in range(12):
            text += "a" if x[i % 3] > i else "b"
        return x[0] * text.count("a") * np.frombuffer(x.tobytes()).sum()

    found = st.diagnose(f, START, max_paths=64)
    assert [refusal.call for refusal in found] == ["ndarray.tobytes", "bool()"]
    assert (found.complete, found.at_a_point) == (True, False)


def test_a_loop_that_no_stand_in_ends_is_followed_at_the_point():
    def f(x):
        y = [x[0]]
        while not y[-1] < 1e-3:
            y.append(y[-1] / 2)
        return y[-1] * x.astype("U5").size

    found = st.diagnose(f, START, max_paths=16)
    calls = [refusal.call for refusal in found]
    assert calls == ["bool()", "astype(<U5)"]
    assert [refusal.passed for refusal in found] == [False, True]
    assert (found.complete, found.at_a_point) == (True, True)
    assert "From the call that could not be passed the values given were followed." in str(found)


def test_what_a_stand_in_breaks_is_said():
    def f(x):
        place = int(x.tobytes()[:1] == b"")
        if place == 0 and np.unique(x, axis=0).size != 7:
            raise KeyError("seven")
        return x

    found = st.diagnose(f, START)
    assert "np.unique" in {refusal.call for refusal in found}
    assert not found.complete
    assert "KeyError" in found.stopped_by
    assert "KeyError" in str(found)


def test_an_error_of_the_function_itself_is_raised():
    with pytest.raises(IndexError):
        st.diagnose(lambda x: x[9], START)
    with pytest.raises(st.InputError):
        st.diagnose(np.sin, "text")
    with pytest.raises(TypeError, match="keyword argument 'paths'"):
        st.diagnose(np.sin, START, paths=3)


def test_keywords_of_jacobian_sparsity():
    def f(x, y, out):
        out[:] = x * np.unique(y, axis=0).size

    found = st.diagnose(f, START, START, argnums=1, out=np.zeros(3), store="csr", verify=True)
    assert [refusal.call for refusal in found] == ["np.unique"]
    static = st.diagnose(lambda x, y: x * np.unique(y, axis=0).size, START, START, static_argnums=1)
    assert len(static) == 0


def test_everything_is_as_before_afterwards():
    methods = dict(vars(TracedArray)), FunctionRule.answer, dict(OVERRIDDEN)
    MEMORY[:] = 0.0
    st.diagnose(many, START)
    assert (dict(vars(TracedArray)), FunctionRule.answer, dict(OVERRIDDEN)) == methods
    with pytest.raises(st.ValueDependentError, match="unique"):
        st.jacobian_sparsity(many, START)
    with pytest.raises(st.EscapeError, match="iterate_structure"):
        st.jacobian_sparsity(lambda x: scipy.ndimage.iterate_structure(x, 2), START)


def test_other_threads_are_refused_meanwhile():
    outcome = Outside()

    def other():
        try:
            st.jacobian_sparsity(lambda x: x * np.unique(x, axis=0).size, START)
        except st.ValueDependentError as error:
            outcome.append(error.call)

    def f(x):
        if not outcome_of_thread:
            outcome_of_thread.append(1)
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
        return x * np.unique(x, axis=0).size

    outcome_of_thread = Outside()
    assert len(st.diagnose(f, START, capture=False)) == 1
    assert set(outcome) <= {"np.unique"}


def test_a_function_of_a_library_in_a_library():
    def f(x):
        return sli.reconstruct_matrix_from_id(np.outer(x, x)[:, :1], PLACES, np.ones((1, 2)))[0] + x

    (refusal,) = st.diagnose(f, START)
    assert refusal.call == "scipy.linalg.interpolative.reconstruct_matrix_from_id"
    assert refusal.passed


def test_expressions_that_read_the_callers_variables_are_passed_over():
    ne = pytest.importorskip("numexpr")

    def f(x):
        a = x * 2  # noqa: F841 - read by its name
        width = scipy.linalg.bandwidth(x.reshape(2, 2))[0]
        b = ne.evaluate("a * 2 + 1")
        return b * width + ne.evaluate("c + 1", local_dict={"c": np.ones(4)})

    for _ in range(2):
        found = st.diagnose(f, np.ones(4))
        assert [refusal.call for refusal in found] == ["scipy.linalg.bandwidth", "numexpr.evaluate"]
        assert found.complete
        assert not found.at_a_point
    with pytest.raises(st.EscapeError, match="numexpr"):  # as before
        st.jacobian_sparsity(lambda x: ne.evaluate("x + 1"), np.ones(4))


def test_objects_of_pandas_are_passed_over():
    pd = pytest.importorskip("pandas")

    def tables(x):
        frame = pd.DataFrame({"a": x, "b": x**2})
        return frame["a"].mean() * scipy.linalg.bandwidth(x.reshape(2, 2))[0]

    def methods(x):
        smooth = pd.Series(x).rolling(2).mean().fillna(0.0).to_numpy()
        return smooth * x.astype("U8").size

    for f, last in ((tables, "scipy.linalg.bandwidth"), (methods, "astype(<U8)")):
        found = st.diagnose(f, np.array([1.0, 2.0, 3.0, 4.0]))
        *before, end = [refusal.call for refusal in found]
        assert end == last
        assert before
        assert all(call.startswith("pandas.") for call in before)
        assert found.complete
    assert pd.DataFrame({"a": [1.0]})["a"].sum() == 1.0
