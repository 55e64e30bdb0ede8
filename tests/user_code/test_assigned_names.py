"""The names that a statement assigns for itself alone, and those of lists that nothing reads."""

from __future__ import annotations

import ast

import pytest

from sparsetrace.user_code.assigned_names import forgotten, only_added_to


@pytest.mark.parametrize(
    ("body", "own"),
    [
        ("if v > 0:\n  a = v\n  y[0] = a", {"a"}),
        ("if v > 0:\n  a = v\ny[0] = a", set()),
        ("if v > 0:\n  y[0] = a\n  a = v", set()),
        ("if v > 0:\n  a += v", set()),
        ("if v > 0:\n  if v > 1:\n    a = v\n  y[0] = a", set()),
        ("if v > 0:\n  if v > 1:\n    a = v\n  else:\n    a = 1\n  y[0] = a", {"a"}),
        ("try:\n  a = f(v)\n  y[0] = a\nexcept ValueError:\n  y[0] = 1", {"a"}),
        ("try:\n  a = f(v)\nexcept ValueError:\n  y[0] = a", set()),
        ("try:\n  a = f(v)\nexcept ValueError as e:\n  y[0] = len(e.args)", {"a", "e"}),
        ("try:\n  a = f(v)\nexcept ValueError:\n  a = 1\nelse:\n  a = a + 1", {"a"}),
        ("try:\n  a = f(v)\nfinally:\n  y[0] = a", set()),
        ("if v > 0:\n  for k in range(3):\n    a = k\n  y[0] = a", {"k"}),
        ("if v > 0:\n  a, b = v, 1\n  y[0] = a", {"a", "b"}),
        ("if v > 0:\n  a = [a for a in y]\n  y[0] = a", set()),
        ("if v > 0:\n  a = v\nwhile v:\n  v = a", set()),
        ("if v > 0:\n  a = v\ndel a", set()),
    ],
)
def test_a_name_is_own_where_nothing_else_reads_it(body, own):
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    tree = ast.parse(f"def function(v, y):\n  for i in y:\n{indented}")
    statement = tree.body[0].body[0].body[0]
    assert forgotten(tree, [statement]) == {statement: own}


@pytest.mark.parametrize(
    ("body", "unread"),
    [
        ("a = []\nfor i in y:\n  a.append(i)", {"a"}),
        ("a = [0.0]\na += [v]\na.extend(y)\na = [1]", {"a"}),
        ("a: list = []\nwhile v:\n  a.append(b)\n  b = v", {"a"}),
        ("a = []\na.append(v)\nreturn a", set()),
        ("a = []\na.append(len(a))", set()),
        ("a = []\na.append(v)\na.pop()", set()),
        ("a = []\nb = a.append(v)", set()),
        ("a = []\na.append(v)\na[0] = v", set()),
        ("a = []\na.append(v)\ndel a", set()),
        ("a = []\na.append(v)\na *= 2", set()),
        ("a = b = []\na.append(v)\nreturn b", set()),
        ("a = y\na.append(v)", set()),
        ("a = []\nif v:\n  a = y\na.append(v)", set()),
        ("a, b = [], y\na.append(v)", {"a"}),
        ("a, b = y, []\na.append(v)\nb.append(v)", {"b"}),
        ("a, *b = [], y\na.append(v)", set()),
        ("(a, b), c = [], y\na.append(v)", set()),
        ("a, b = y\na.append(v)", set()),
        ("y = []\ny.append(v)", set()),
        ("a.append(v)", set()),
        ("global a\na = []\na.append(v)", set()),
        ("a = []\ndef g():\n  return a\na.append(v)\nreturn g()", set()),
        ("a = []\nfor a in y:\n  a.append(v)", set()),
        ("a = []\nimport b as a\na.append(v)", set()),
        ("a = []\ntry:\n  v()\nexcept ValueError as a:\n  a.append(v)", set()),
        ("a = []\nmatch v:\n  case [*a]:\n    a.append(v)", set()),
        ("class A:\n  a = []\na.append(v)", set()),
        ("def a():\n  pass\na = []\na.append(v)", set()),
    ],
)
def test_a_list_is_unread_where_it_is_made_and_only_added_to(body, unread):
    indented = "\n".join(f"  {line}" for line in body.splitlines())
    (function,) = ast.parse(f"def f(v, y):\n{indented}").body
    assert only_added_to(function) == unread
