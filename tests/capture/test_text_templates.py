"""``"%.3f" % v`` in traced code: the text of a traced number, and of plain values what it was."""

# ruff: noqa: UP031  # the old formatting is what is tested

from __future__ import annotations

import logging

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern
from sparsetrace.capture.text_templates import Template

MESSAGE = "the value %g of %s"


def refuses(x):
    if x[0] < 0:
        raise ValueError("negative: %g, %5.2f %% of %s" % (x[0], x[1], "a"))
    if x[1] > 3:
        raise ValueError("large: %f" % x[1])
    if x[2] > 4:
        raise ValueError(MESSAGE % (x[2], x))
    return x * x[1]


def refuses_by_name(x):
    if x.sum() < 0:
        raise RuntimeError("%(a).3f and %(a)s, %(n)d" % {"a": x[0], "n": 3})
    return x * x[1]


def shows_whole_numbers(x):
    if int(x[0]) > 5:
        raise ValueError("%d" % int(x[0]))
    print("%d %+7.3e" % (x[0], np.mean(x)))
    return x * x[1]


def refuses_in_a_comprehension(x):
    return [v * x[1] if v > 0 else print("%f" % v) or x[1] - v for v in x]


def adds_to_a_text(x):
    text = "%e, then "
    text %= x[0]
    if x[0] > 4:
        raise ValueError(text)
    return x * x[1]


REFUSING = [
    refuses,
    refuses_by_name,
    shows_whole_numbers,
    refuses_in_a_comprehension,
    adds_to_a_text,
]


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("function", REFUSING)
def test_numbers_are_shown(function, local):
    expected = np.eye(3, dtype=bool)
    expected[:, 1] = True
    code = function.__code__
    for _ in range(2):
        pattern = st.jacobian_sparsity(function, np.array([1.0, 2.0, 3.0]), local=local)
        assert_same_pattern(pattern, expected)
    assert function.__code__ is code
    assert type(MESSAGE) is str


def test_paths_that_are_left_out_show_no_number():
    left_out = st.jacobian_sparsity(refuses, np.array([1.0, 2.0, 3.0])).left_out
    assert len(left_out) == 3
    assert all("TracedScalar" in line for line in left_out)


def memo(x):
    known = {}
    out = []
    for v in (x[0], x[1], 2 * x[0]):
        key = "%.2f" % v
        if key not in known:
            known[key] = v * 3
        out.append(known[key])
    return out


def test_numbers_have_texts_of_their_own():
    expected = np.array([[1, 0], [0, 1], [1, 0]], bool)
    assert_same_pattern(st.jacobian_sparsity(memo, np.ones(2)), expected)


def reads(x):
    return [float(("%.3f" % x[0]).strip("0")) * x[1]]


@pytest.mark.parametrize("local", [False, True])
def test_what_reads_a_number_in_the_text_is_refused(local):
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(reads, np.ones(2), local=local)


def test_made_anew_in_each_run():
    def outer(x):
        def inner(v):
            if v > 3:
                raise ValueError("%f" % v)
            return v * x[1]

        return [inner(v) for v in x]

    expected = np.eye(3, dtype=bool)
    expected[:, 1] = True
    assert_same_pattern(st.jacobian_sparsity(outer, np.ones(3)), expected)


VALUES = [
    ("%d of %5.1f", (2, 3)),
    ("%(a)s%%", {"a": 3}),
    ("%s", "a"),
    ("%*d", (5, 3)),
    ("%r", ([1],)),
    ("%f", np.float64(2.0)),
    ("%.*f and %c", (2, 1.5, "x")),
    ("nothing%%", ()),
]


@pytest.mark.parametrize(("template", "values"), VALUES)
def test_plain_values_are_formatted_as_before(template, values):
    assert Template(template) % values == template % values


@pytest.mark.parametrize(
    ("template", "values"), [("%d", ()), ("%d", (1, 2)), ("%d", "a"), ("%", 1)]
)
def test_errors_are_those_of_texts(template, values):
    with pytest.raises((TypeError, ValueError)) as error:
        template % values
    with pytest.raises(type(error.value)) as own:
        Template(template) % values
    assert str(own.value) == str(error.value)


def told_by_its_type(x):
    template = "%g things"
    if x[0] < 0:
        raise ValueError(template % x[0])
    is_text = type(template) is str and template.__class__ is str
    return x * {str: 1.0}.get(type(template), 0.0) if is_text else x * 0.0


def told_beside_others(x):
    name = "%g things"
    if x[0] < 0:
        raise ValueError("negative: %g" % x[0])
    return x if type(name) is str else x * 0.0


@pytest.mark.parametrize("function", [told_by_its_type, told_beside_others])
def test_a_template_is_a_text_by_its_type(function):
    assert_same_pattern(st.jacobian_sparsity(function, np.ones(3)), np.eye(3, dtype=bool))


def logs(x):
    log = logging.getLogger(__name__)
    if x[0] < 0:
        log.warning("negative: %g of %s", x[0], x)
    log.warning("%(first).3f", {"first": x[1]})
    log.warning("%d of %s", 3, "them")
    return x * x[1]


@pytest.mark.parametrize("local", [False, True])
def test_numbers_are_logged(local, caplog):
    expected = np.eye(3, dtype=bool)
    expected[:, 1] = True
    pattern = st.jacobian_sparsity(logs, np.array([-1.0, 2.0, 3.0]), local=local)
    assert_same_pattern(pattern, expected)
    texts = [record.message for record in caplog.records]
    assert any(text.startswith("negative: ") and "TracedScalar of" in text for text in texts)
    assert "3 of them" in texts
