"""The names that a statement assigns for itself alone."""

from __future__ import annotations

import ast

import pytest

from sparsetrace.user_code.assigned_names import forgotten


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
