"""`register_rule` for functions and methods of a user's own package."""

from __future__ import annotations

import inspect
import re
import struct
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg as sl
import user_package
from outside import Outside
from user_package import Inherited, Model, Slotted, lookup, smooth
from user_package import lookup as another_name

import sparsetrace as st
from sparsetrace.dispatch import function_rules
from sparsetrace.user_code.reach import WATCHED

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "how-it-works.md"
TABLE = np.array([1.0, 2.0, 3.0])
X = np.array([0.5, 1.5, 2.5])
CALLS = Outside()


def lookup_rule(x, table, order, fill):
    return x**order * table + fill


@pytest.fixture(autouse=True)
def no_rule_stays():
    yield
    for module, name in list(function_rules.OVERRIDDEN):
        if module.partition(".")[0] in ("user_package", "scipy"):
            function_rules.override(module, name, None)
    st.api.extension.refresh_registered(anew=True)
    user_package.CALLS.clear()


@pytest.fixture
def with_rule():
    st.register_rule("user_package.lookup", lookup_rule)


def patterns(f, x=X):
    """Jacobian and Hessian, global and at the point."""
    for local in (False, True):
        yield st.jacobian_sparsity(f, x, local=local).toarray().astype(int).tolist()
        weighted = st.hessian_sparsity(lambda x: f(x).sum(), x, local=local)
        yield weighted.toarray().astype(int).tolist()


EYE = np.eye(3, dtype=int).tolist()
NONE = np.zeros((3, 3), int).tolist()


def test_without_a_rule_such_a_function_is_refused():
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: user_package.lookup(x, TABLE), X)


# ------------------------------------------------------------------- how it is called
held = {"function": lookup}


def by_default(x, function=lookup):
    return function(x, TABLE, 2)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: user_package.lookup(x, TABLE, 2),
        lambda x: lookup(x, TABLE, 2),
        lambda x: another_name(x, table=TABLE, order=2),
        lambda x: held["function"](x, TABLE, 2),
        by_default,
    ],
    ids=["attribute", "bound early", "another name", "in a dictionary", "default argument"],
)
@pytest.mark.usefixtures("with_rule")
def test_a_function_however_it_is_held(f):
    assert list(patterns(f)) == [EYE, EYE, EYE, EYE]
    assert vars(user_package)["lookup"] is lookup is another_name is held["function"]
    assert by_default.__defaults__ == (lookup,)


def test_a_function_that_another_module_shows(monkeypatch):
    facade = types.ModuleType("user_facade")
    facade.smooth = smooth
    monkeypatch.setitem(sys.modules, "user_facade", facade)
    monkeypatch.setitem(globals(), "user_facade", facade)
    for name in (smooth, "user_facade.smooth"):
        st.register_rule(name, lambda x: x * 1.0)
        f = lambda x: user_facade.smooth(x)  # noqa: E731, F821
        assert list(patterns(f)) == [EYE, NONE, EYE, NONE]
        st.register_rule(name, None)
    assert facade.smooth is smooth


@pytest.mark.usefixtures("with_rule")
def test_defaults_are_the_functions():
    assert list(patterns(lambda x: lookup(x, TABLE))) == [EYE, NONE, EYE, NONE]
    assert list(patterns(lambda x: lookup(TABLE, x, 2))) == [EYE, NONE, EYE, NONE]


@pytest.mark.parametrize("name", [smooth, "user_package.smooth"], ids=["function", "name"])
def test_a_function_that_can_be_traced_is_answered_by_its_rule(name):
    """No error shows that a name bound early matters."""
    f = lambda x: smooth(x)  # noqa: E731
    assert st.jacobian_sparsity(f, X).nnz == 9
    st.register_rule(name, lambda x: x * 1.0)
    assert list(patterns(f)) == [EYE, NONE, EYE, NONE]
    assert list(patterns(lambda x: user_package.smooth(x))) == [EYE, NONE, EYE, NONE]
    st.register_rule(name, None)
    assert st.jacobian_sparsity(f, X).nnz == 9


def test_on_every_path_of_a_branching_function():
    st.register_rule(smooth, lambda x: x * 1.0)
    st.register_rule(Model.predict, lambda self, x, scale: scale * x * self.weights)

    def f(x):
        y = smooth(x) + user_package.smooth(x) + Model(TABLE).predict(x)
        return y[:1] if x[0] > 0 else y[1:2]

    assert st.jacobian_sparsity(f, X).toarray().tolist() == [[True, True, False]]


# ------------------------------------------------------------------- methods
@pytest.mark.parametrize("model", [Model(TABLE), Inherited(TABLE)])
@pytest.mark.parametrize("method", [Model.predict, "user_package.Model.predict"])
def test_methods(model, method):
    before = vars(Model)["predict"]
    st.register_rule(method, lambda self, x, scale: scale * x**2 * self.weights)
    assert list(patterns(lambda x: model.predict(x, 2.0))) == [EYE, EYE, EYE, EYE]
    assert list(patterns(lambda x: type(model).predict(model, x))) == [EYE, EYE, EYE, EYE]
    assert vars(Model)["predict"] is before
    assert "predict" not in vars(Inherited)


def test_an_object_made_of_traced_elements():
    st.register_rule(Model.predict, lambda self, x, scale: scale * x * self.weights)
    f = lambda x: Model(x).predict(TABLE)  # noqa: E731
    assert list(patterns(f)) == [EYE, NONE, EYE, NONE]


def test_methods_that_fill_their_object():
    """At a point too the object keeps what the rule wrote into it."""

    def fit(self, x, log):
        self.weights = 2 * x
        log.append(x.size)
        return self

    def f(x):
        log = []
        model = Model(TABLE).fit(x, log)
        assert log == [3]
        return model.weights * model.predict(TABLE)

    st.register_rule(Model.fit, fit)
    st.register_rule(Model.predict, lambda self, x, scale: scale * x * self.weights)
    assert list(patterns(f)) == [EYE, EYE, EYE, EYE]


def test_constructors_and_slots():
    def make(self, weights):
        self.weights = 1.0 * weights

    st.register_rule("user_package.Slotted.__init__", make)
    st.register_rule(Slotted.predict, lambda self, x: x * self.weights)
    assert list(patterns(lambda x: Slotted(x).predict(TABLE))) == [EYE, NONE, EYE, NONE]
    assert list(patterns(lambda x: Slotted(TABLE).predict(x))) == [EYE, NONE, EYE, NONE]


def test_a_function_of_the_program_itself():
    program = """
import numpy as np
import sparsetrace as st

def f(x, by=1):
    return np.frombuffer((x * by).tobytes())

def g(x):
    return f(x) if x[0] > 0 else f(x, by=x[1])

st.register_rule(f, lambda x, by: x * by)
print(st.jacobian_sparsity(g, np.ones(2)).nnz, st.jacobian_sparsity(g, np.ones(2), local=True).nnz)
def f(x, by=1):
    return np.frombuffer((x * by + 0.0).tobytes())
print(st.jacobian_sparsity(g, np.ones(2)).nnz, f(np.ones(1)))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == ["3 2", "3 [1.]"]


def test_static_and_class_methods():
    shifted, doubled = vars(Model)["shifted"], vars(Model)["doubled"]
    st.register_rule(Model.shifted, lambda x, by: np.roll(x, by))
    st.register_rule(Model.doubled, lambda x: 2 * x, harmless=["cls"])
    shift = np.roll(np.eye(3, dtype=int), 1, axis=0).tolist()
    assert list(patterns(lambda x: Model.shifted(x))) == [shift, NONE, shift, NONE]
    assert list(patterns(lambda x: Inherited(TABLE).shifted(x))) == [shift, NONE, shift, NONE]
    assert list(patterns(lambda x: Inherited.doubled(x))) == [EYE, NONE, EYE, NONE]
    assert vars(Model)["shifted"] is shifted
    assert vars(Model)["doubled"] is doubled


# ------------------------------------------------------------------- arguments
@pytest.mark.parametrize(
    "f",
    [
        lambda x: lookup(x),
        lambda x: lookup(x, TABLE, 1, 0.0),
        lambda x: lookup(x, TABLE, fil=1.0),
    ],
)
@pytest.mark.usefixtures("with_rule")
def test_wrong_arguments_raise_the_functions_own_error(f):
    with pytest.raises(TypeError) as plain:
        f(X)
    for local in (False, True):
        with pytest.raises(TypeError) as traced:
            st.jacobian_sparsity(f, X, local=local)
        assert str(traced.value).startswith(str(plain.value))


def test_what_a_rule_does_not_read_must_have_its_default():
    st.register_rule(lookup, lambda x, table: x * table)
    assert st.jacobian_sparsity(lambda x: lookup(x, TABLE, 1, fill=0), X).nnz == 3
    for f in (
        lambda x: lookup(x, TABLE, 2),
        lambda x: lookup(x, TABLE, fill=x),
        lambda x: lookup(x, TABLE, np.ones(3)),
    ):
        with pytest.raises(st.UnsupportedError, match=r"^user_package.lookup at .*does not read"):
            st.jacobian_sparsity(f, X)
    st.register_rule(lookup, lambda x, table: x * table, harmless=["order"])
    assert st.jacobian_sparsity(lambda x: lookup(x, TABLE, 2), X).nnz == 3


@pytest.mark.usefixtures("with_rule")
def test_constants_go_to_the_function_itself():
    def f(x):
        CALLS.append(lookup(TABLE, TABLE, 2, fill=1.0))
        buffer = np.zeros(3)
        buffer[0] = x[0]
        return x * lookup(buffer[1:], TABLE[1:])[0]

    pattern = st.jacobian_sparsity(f, X)
    assert {*user_package.CALLS} == {"ndarray"}
    np.testing.assert_array_equal(CALLS[-1], lookup(TABLE, TABLE, 2, fill=1.0))
    assert pattern.nnz == 0


@pytest.mark.usefixtures("with_rule")
def test_values_at_a_point_are_the_functions_own():
    st.register_rule(lookup, lambda x, table: x * 0.0 + table, harmless=["order"])

    def f(x):
        return x[:1] if lookup(x, TABLE)[0] < 0.7 else x[1:2]

    assert st.jacobian_sparsity(f, X, local=True).toarray().tolist() == [[True, False, False]]


def test_a_rule_that_returns_something_else_is_an_error_at_a_point():
    for rule in (
        lambda x: x[:2],
        lambda x: (x, x),
        lambda x: {"a": x},
    ):
        st.register_rule(smooth, rule)
        with pytest.raises(st.TracingError, match=r"user_package\.smooth .* its rule returned"):
            st.jacobian_sparsity(lambda x: smooth(x), X, local=True)


@pytest.mark.usefixtures("with_rule")
def test_nested_arguments():
    def total(parts):
        raise AssertionError

    user_package.total = total
    total.__module__, total.__qualname__ = "user_package", "total"
    try:
        st.register_rule(total, lambda parts: parts["a"] + parts["b"][0])
        f = lambda x: user_package.total({"a": x[:1], "b": [x[1:2], 2]})  # noqa: E731
        assert st.jacobian_sparsity(f, X).toarray().tolist() == [[True, True, False]]
    finally:
        del user_package.total


def test_a_rule_may_take_all_arguments_and_refuse():
    def rule(call, *args, **kwargs):
        if kwargs:
            call.refuse("keywords have no rule", "Leave them out.")
        assert call.original(TABLE, TABLE).tolist() == [1.0, 4.0, 9.0]
        return args[0] * args[1]

    st.register_rule(lookup, rule)
    assert st.jacobian_sparsity(lambda x: lookup(x, TABLE), X).nnz == 3
    with pytest.raises(st.UnsupportedError, match=r"^user_package\.lookup at .*keywords have no"):
        st.jacobian_sparsity(lambda x: lookup(x, TABLE, fill=1.0), X)
    with pytest.raises(TypeError, match=r"lookup\(\) missing 1 required"):
        st.jacobian_sparsity(lambda x: lookup(x), X)


def test_keyword_only_parameters_of_a_rule():
    st.register_rule(lookup, lambda x, *, table, fill: x * table + fill)
    assert st.jacobian_sparsity(lambda x: lookup(x, TABLE, fill=x), X).nnz == 3


def test_a_compiled_function_that_declares_no_signature():
    """The rule's own holds."""
    with pytest.raises(ValueError, match="signature"):
        inspect.signature(struct.pack)
    st.register_rule("struct.pack", lambda format, *values: sum(values))
    try:
        pattern = st.jacobian_sparsity(lambda x: struct.pack("dd", x[0], x[2]), X)
        assert pattern.toarray().tolist() == [[True, False, True]]
        with pytest.raises(TypeError, match="unexpected keyword"):
            st.jacobian_sparsity(lambda x: struct.pack("d", x[0], by=1), X)
    finally:
        st.register_rule("struct.pack", None)


# ------------------------------------------------------------------- threads
@pytest.mark.usefixtures("with_rule")
def test_threads():
    wanted = [EYE, EYE, EYE, EYE]
    results = Outside()

    def work():
        results.append(list(patterns(lambda x: lookup(x, TABLE, 2))))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(results) == [wanted] * 4
    assert vars(user_package)["lookup"] is lookup


@pytest.mark.usefixtures("with_rule")
def test_other_threads_see_the_function_itself():
    results = Outside()

    def f(x):
        thread = threading.Thread(target=lambda: results.append(user_package.lookup(X, TABLE)))
        thread.start()
        thread.join()
        return lookup(x, TABLE)

    assert st.jacobian_sparsity(f, X).nnz == 3
    np.testing.assert_array_equal(results[0], lookup(X, TABLE))


def test_a_rule_registered_while_a_trace_runs_holds_from_the_next_on():
    def f(x):
        st.register_rule(smooth, lambda x: x * 1.0)
        return smooth(x)

    assert st.jacobian_sparsity(f, X).nnz in (3, 9)
    assert st.jacobian_sparsity(lambda x: smooth(x), X).nnz == 3
    assert vars(user_package)["smooth"] is smooth


# ------------------------------------------------------------------- rules before and after
def test_a_second_rule_takes_the_place_of_the_first():
    st.register_rule(lookup, lambda x, table: x * table)
    st.register_rule(lookup, lambda x, table: x * table + x[::-1])
    assert st.jacobian_sparsity(lambda x: lookup(x, TABLE), X).nnz == 5
    st.register_rule("user_package.lookup", None)
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: lookup(x, TABLE), X)
    assert id(lookup) not in WATCHED
    with pytest.raises(st.InputError, match=r"user_package\.lookup has no rule to take back"):
        st.register_rule(lookup, None)


@pytest.mark.parametrize("function", [sl.det, "scipy.linalg.det"])
def test_a_rule_in_the_place_of_one_for_scipy(function):
    f = lambda x: sl.det(x.reshape(2, 2))  # noqa: E731
    for _ in range(2):
        assert st.jacobian_sparsity(f, np.ones(4)).nnz == 4
    st.register_rule(function, lambda a: a[0, 0] * a[1, 1])
    assert st.jacobian_sparsity(f, np.ones(4)).nnz == 2
    with pytest.raises(st.UnsupportedError, match="does not read check_finite=False"):
        st.jacobian_sparsity(lambda x: sl.det(x.reshape(2, 2), check_finite=False), np.ones(4))
    st.register_rule(function, None)
    assert st.jacobian_sparsity(f, np.ones(4)).nnz == 4


@pytest.mark.parametrize("function", [np.trace, "numpy.trace"])
def test_a_rule_in_the_place_of_one_for_numpy(function):
    f = lambda x: np.trace(x.reshape(2, 2))  # noqa: E731
    assert st.jacobian_sparsity(f, np.ones(4)).nnz == 2
    st.register_rule(function, lambda a: a.sum())
    try:
        assert st.jacobian_sparsity(f, np.ones(4)).nnz == 4
        with pytest.raises(st.UnsupportedError, match="does not read offset=1"):
            st.jacobian_sparsity(lambda x: np.trace(x.reshape(2, 2), 1), np.ones(4))
    finally:
        st.register_rule(function, None)
    assert st.jacobian_sparsity(f, np.ones(4)).nnz == 2


# ------------------------------------------------------------------- what does not fit
@pytest.mark.parametrize(
    ("function", "rule", "message"),
    [
        (lookup, lambda y, table: y, "lookup has no parameter 'y', which its rule reads"),
        (lookup, lambda x: x, "needs table, which its rule does not read"),
        (lookup, "no name of a rule", "'package.module:name' is wanted"),
        (lookup, 3, "'package.module:name' is wanted"),
        (Model, lambda x: x, "is a class; give a method of it"),
        (Model.size, lambda self: 3, "no name by which it can be intercepted"),
        ("user_package.Model.size", lambda self: 3, "is of type property, which is not called"),
        ("user_package.absent", lambda x: x, "user_package has no function absent"),
        ("user_package.Model.absent", lambda x: x, "has no function Model.absent"),
        ("user_package.TABLES", lambda x: x, "has no function TABLES"),
        ("user_package.CALLS", lambda x: x, "is of type Outside, which is not called"),
        ("lookup", lambda x: x, "no dotted name"),
        ("user package.lookup", lambda x: x, "no dotted name"),
        ("user_package.", lambda x: x, "no dotted name"),
        ("math.sin", lambda x: x, "cannot be given a rule"),
        (len, lambda x: x, "cannot be given a rule"),
        (np.zeros, lambda x: x, "cannot be given a rule"),
        (lambda x: x, lambda x: x, "give the dotted name by which it is called"),
        (3, lambda x: x, "no name by which it can be intercepted"),
        ("user_package.lookup", None, "has no rule to take back"),
    ],
)
def test_what_does_not_fit_is_refused(function, rule, message):
    before = {module: dict(rules) for module, rules in function_rules.REGISTERED.items() if rules}
    with pytest.raises(st.InputError, match=message):
        st.register_rule(function, rule)
    after = {module: dict(rules) for module, rules in function_rules.REGISTERED.items() if rules}
    assert after == before


def test_what_belongs_to_ufuncs_is_refused_for_functions():
    with pytest.raises(st.InputError, match="are for ufuncs"):
        st.register_rule(lookup, lambda x: x, seconds="1")


# ------------------------------------------------------------------- modules loaded later
LATER = """
import sys
import numpy as np
import sparsetrace as st

st.register_rule("colorsys.rgb_to_yiq", "later_rules:yiq")
st.register_rule("later_package.deep.Model.predict", lambda self, x: 2 * x)
assert not {"colorsys", "later_package", "later_rules"} & set(sys.modules)
assert st.jacobian_sparsity(lambda x: x, np.ones(3)).nnz == 3
assert not {"colorsys", "later_package", "later_rules"} & set(sys.modules)

def f(x):
    from colorsys import rgb_to_yiq
    import later_package.deep
    y, i, q = rgb_to_yiq(*x)
    return y, later_package.deep.Model().predict(x[1])

print(st.jacobian_sparsity(f, np.ones(3)).toarray().astype(int).tolist())
from colorsys import rgb_to_yiq
print(st.jacobian_sparsity(lambda x: rgb_to_yiq(*x)[0], np.ones(3)).nnz)
print(rgb_to_yiq.__code__.co_filename == sys.modules["colorsys"].__file__)
"""


def test_modules_loaded_after_their_functions_got_rules(tmp_path):
    (tmp_path / "later_rules.py").write_text("def yiq(r, g, b): return r, g, b\n")
    (tmp_path / "later_package").mkdir()
    (tmp_path / "later_package" / "__init__.py").write_text("")
    (tmp_path / "later_package" / "deep.py").write_text(
        "class Model:\n    def predict(self, x): return float(str(float(x)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", LATER],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == ["[[1, 0, 0], [0, 1, 0]]", "1", "True"]


def test_the_example_of_the_documentation(tmp_path):
    """Its blocks: a module of a user's package, and a program that gives it a rule."""
    text = DOCUMENTATION.read_text()
    _, _, section = text.partition("## A rule for a function of your own package")
    module, program = re.findall(r"```python\n(.*?)```", section.partition("\n## ")[0], re.DOTALL)
    (tmp_path / "mypackage").mkdir()
    (tmp_path / "mypackage" / "__init__.py").write_text("")
    (tmp_path / "mypackage" / "tables.py").write_text(module)
    without = program.replace("st.register_rule(", "(lambda *_, **__: None)(")
    for code, ending in ((program, ""), (without, "sparsetrace.errors")):
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert (run.returncode != 0) == bool(ending), run.stderr
        assert ending in run.stderr
