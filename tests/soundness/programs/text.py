"""Values as text, bytes and keys: memos, tables and comparisons by what a value looks like."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import re
from decimal import Decimal

import numpy as np
from numpy import array, ascontiguousarray

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
BOTH = ("global", "local")
x3 = np.array([0.5, 1.5, -2.0])
y3 = np.array([1.25, -0.75, 0.4])
same = np.array([1.0, 1.0, 2.0])


@program(x3, y3, to=PROGRAMS, fresh=True)
def memo_by_text():
    memo = {}

    def cost(v):
        key = str(v)
        if key not in memo:
            memo[key] = v * v
        return memo[key]

    return lambda x: np.array([cost(2 * x[0]), cost(np.sin(x[0])), cost(x[1])])


@program(x3, y3, to=PROGRAMS, fresh=True)
def memo_by_format():
    memo = {}

    def branch(v):
        if (key := f"{v:.6f}") not in memo:
            memo[key] = np.exp(v) if v > 0 else v
        return memo[key]

    # equal index sets, and not the same value: each takes its own branch
    return lambda x: branch(x[0] - 1.0) * branch(x[0] + 1.0) + branch(x[1])


@program(x3, same, to=PROGRAMS, fresh=True)
def memo_by_repr_of_an_array():
    memo = {}

    def energy(a):
        key = repr(a)
        if key in memo:
            return memo[key]
        return memo.setdefault(key, np.sum(a * a))

    return lambda x: np.array([energy(x[:2]), energy(x[1:]), energy(3 * x[:2]), energy(x[::-1])])


@program(x3, to=PROGRAMS, fresh=True)
def memo_of_an_array_changed_in_place():
    def f(x):
        memo = {}
        w = x.copy()
        total = 0.0
        for _ in range(3):
            total = total + memo.setdefault(str(w), w[0] * w[1])
            w *= 2.0
            w[1] = w[1] + x[2]
        return total

    return f


@program(x3, to=PROGRAMS, refused=("global",), fresh=True)
def key_asked_for_twice_of_two_reads():
    memo = {}

    def f(x):
        if str(x[0]) not in memo:
            memo[str(x[0])] = x[0] * x[1]
        return memo[str(x[0])] + x[2]

    return f


@program(x3, to=PROGRAMS, fresh=True)
def key_asked_for_twice_of_one_number():
    memo = {}

    def f(x):
        for v in (x[0], x[1], x[0] * x[1]):
            if str(v) not in memo:
                memo[f"{v}"] = v * x[2]
        return memo[str(v)] + memo[format(v)]

    return f


@program(x3, to=PROGRAMS, fresh=True)
def cached_by_lists_of_text():
    @functools.lru_cache
    def looked_up(*keys):
        return len(keys)

    def f(x):
        names = [str(v) for v in x.tolist()]
        table = dict(zip(names, x * x[0], strict=True))
        return looked_up(*names) * np.array([table[name] for name in names])

    return f


@program(x3, to=PROGRAMS)
def distinct_by_text(x):
    seen = {str(v): v for v in (x[0] * 2, np.sin(x[0]), x[0], x[1], x[1] + x[0])}
    return np.array(list(seen.values()))


@program(x3, to=PROGRAMS)
def compared_as_text(x):
    if str(x[0] + 1) == str(np.exp(x[0])):
        return x[1] * x[2]
    return x[0] * x[1]


@program(x3, to=PROGRAMS)
def hash_of_text(x):
    known = {hash(f"{x[0]:.3e}"): x[0] * x[1]}
    return known.get(hash(f"{x[0] + 1:.3e}"), x[2] * x[1])


@program(x3, to=PROGRAMS, refused=BOTH)
def parsed_back(x):
    return float(f"{x[0]:.3f}") * x


@program(x3, to=PROGRAMS, refused=BOTH)
def parsed_back_or_else(x):
    try:
        scale = Decimal(str(x[0]))
    except Exception:
        scale = 1
    return float(scale) * x


@program(x3, to=PROGRAMS, refused=BOTH)
def parsed_back_elsewhere(x):
    def number(text):
        try:
            return json.loads(text)
        except ValueError:
            return 0.0

    return number(f"[{x[0]}, 1.0]")[0] * x


@program(x3, to=PROGRAMS, refused=BOTH)
def evaluated(x):
    try:
        return eval(f"2 * {x[0]}") * x[1]
    except (NameError, SyntaxError):
        return x[1]


@program(x3, to=PROGRAMS, refused=("global",))
def printf_style(x):
    return {"%.4f" % x[0]: x[1]}["%.4f" % x[0]]  # noqa: UP031 - what is tested


@program(x3, to=PROGRAMS, refused=BOTH)
def json_text(x):
    try:
        key = json.dumps(x.tolist())
    except TypeError:
        key = ""
    return x * len(key)


@program(x3, to=PROGRAMS, fresh=True)
def json_text_by_default():
    memo = {}
    return lambda x: [
        memo.setdefault(json.dumps({"a": v, "b": 1.0}, default=str), v * x[1])
        for v in (2 * x[0], np.cos(x[0]))
    ]


@program(x3, to=PROGRAMS, refused=BOTH)
def keys_of_numbers(x):
    return {x[0]: x[1]}.get(x[0], x[2])


@program(x3, to=PROGRAMS, refused=BOTH)
def memo_by_bytes(x):
    memo = {}
    for v in (x, 2 * x):
        memo.setdefault(v.tobytes(), v * v)
    return sum(memo.values())


@program(x3, to=PROGRAMS, refused=BOTH)
def memo_by_hash_of_bytes(x):
    try:
        key = hashlib.sha1(np.ascontiguousarray(x)).hexdigest()
    except TypeError:
        key = "none"
    return x * len(key)


@program(x3, to=PROGRAMS, refused=BOTH, fresh=True)
def memo_by_bytes_of_an_early_bound_conversion():
    memo = {}

    def f(x):
        parts = [memo.setdefault(array(v).tobytes(), v * v) for v in (x, 2 * x)]
        return parts[0] + parts[1] * memo[ascontiguousarray(x).tobytes()]

    return f


@program(x3, to=PROGRAMS, refused=BOTH)
def memo_by_bytes_of_a_view(x):
    return {bytes(memoryview(x)): x}[bytes(x.data)]


@program(x3, to=PROGRAMS, refused=BOTH)
def matched_number(x):
    found = re.fullmatch(r"-?\d+\.\d+", f"{x[0]:.3f}")
    return float(found.group()) * x


@program(x3, to=PROGRAMS, refused=BOTH)
def found_number(x):
    try:
        return float(re.findall(r"[-\d.]+", f"{x[0]:.3f}")[0]) * x
    except IndexError:
        return x


@program(x3, to=PROGRAMS, refused=BOTH)
def read_from_text(x):
    try:
        return np.fromstring(f"{x[0]:.6f} 1.0 2.0", sep=" ") * x
    except ValueError:
        return x


@program(x3, to=PROGRAMS, refused=BOTH)
def text_of_an_array(x):
    try:
        return np.array(np.array2string(x)[1:-1].split(), float) * x
    except ValueError:
        return x


@program(x3, to=PROGRAMS, refused=BOTH)
def saved_and_loaded(x):
    file = io.StringIO()
    np.savetxt(file, x)
    file.seek(0)
    return np.loadtxt(file) * x


@program(x3, to=PROGRAMS, refused=BOTH)
def text_arrays(x):
    return np.char.mod("%.4f", x).astype(float) * x


@program(x3, y3, to=PROGRAMS, fresh=True)
def memo_by_first_letters():
    memo = {}

    def cost(v):
        return memo.setdefault(f"{v:12.8f}"[:10], v * v)

    return lambda x: np.array([cost(2 * x[0]), cost(np.sin(x[0])), cost(x[1])])


@program(x3, to=PROGRAMS, refused=BOTH)
def cut_into_pieces(x):
    whole, _, digits = f"{x[0]:.6f}".partition(".")
    try:
        return float(whole) * x + len(digits)
    except ValueError:
        return x


@program(x3, y3, to=PROGRAMS)
def identities(x):
    w = x * 2
    parts = {id(v): v for v in (x, w)}
    return parts[id(w)] * x


@program(x3, to=PROGRAMS)
def messages(x):
    text = f"at {x}, {x[0]:.2f}: {x.sum()!r} {np.array2string(x * x)} {x > 0}"
    assert isinstance(text, str)
    assert str(x[1]).strip()
    return x * x[0]


@program(x3, y3, to=PROGRAMS, refused=BOTH)
def parsed_back_from_pieces(x):
    try:
        return np.fromstring(" ".join(str(v) for v in x), sep=" ")
    except ValueError:
        return x[::-1]


@program(x3, y3, to=PROGRAMS, refused=BOTH)
def parsed_back_from_what_a_helper_wrote(x):
    def shown(v):
        return f"{v:.8f}"

    try:
        return np.array(json.loads(f"[{','.join(map(shown, x))}]"))
    except ValueError:
        return x[::-1]


@program(x3, y3, to=PROGRAMS, refused=BOTH)
def words_counted_from_pieces(x):
    words = "".join(f"{v:.3f};" for v in x).split(".")
    try:
        return x * len(words[len(x)])
    except IndexError:
        return x[::-1]
