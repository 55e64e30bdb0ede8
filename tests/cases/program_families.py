"""Lines for random programs, in families: each is one way in which a dependency could be lost.

Contract: text alone, with the fields of `program_lines`.  A line with ``||`` has a part that
stands before the function, and makes the object `{k}` that its body uses: it lives as long
as the function, and plain calls begin with a fresh one.
"""

from __future__ import annotations

__all__ = ["FAMILIES", "HELPERS", "IMPORTS"]

IMPORTS = """\
import asyncio, collections.abc, contextlib, functools, itertools, queue, threading
import typing, warnings
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.pool import ThreadPool
"""

HELPERS = {
    "Counter": """\
class Counter:
    def __init__(self): self.k = 0
    def read(self, v):
        self.k += 1
        return v[self.k % len(v)]
""",
    "Memo": """\
class Memo:
    def __init__(self): self.x = None
    def __call__(self, x):
        if self.x is None or not np.array_equal(x, self.x):
            self.x = np.array(x)
            self.value = np.sin(x) * x[0]
        return self.value
""",
    "Lazy": """\
class Lazy:
    work = None
    def __call__(self, x):
        if self.work is None or self.work.shape != x.shape:
            self.work = np.empty_like(x)
        self.work[:] = x[::-1]
        self.work[0] += x[0] ** 2
        return self.work.copy()
""",
    "Flag": """\
class Flag:
    def __init__(self): self.before = False
    def __call__(self, x):
        was, self.before = self.before, x[0] > 0.1
        return x * 2 if was else x[::-1] * x[0]
""",
    "Steps": """\
class Steps:
    def __init__(self): self.count, self.value, self.history = 0, 0.0, []
    def step(self, v):
        self.count += 1
        self.value = self.value * 0.5 + (v if self.count % 2 else v * v)
        self.history.append(self.value)
        return self.value
""",
    "dispatching": """\
def dispatching():
    @functools.singledispatch
    def kind(p): return 0.0
    @kind.register(np.ndarray)
    def _(p): return p * p[0]
    @kind.register(float)
    def _(p): return 2 * p
    return kind
""",
}
"""Definitions that stand before a function that names them."""

AT = (
    "{t} = {v}.copy(); np.add.at({t}, {fancy}, 1.5)",
    "{t} = {v}.copy(); np.multiply.at({t}, [0, 0], 1.5)",
    "{t} = {v}.copy(); np.multiply.at({t}, {fancy}, {w}.ravel()[0])",
    "{t} = 2 + np.abs({v}); np.power.at({t}, [0, {i}, 0], 1.5)",
    "{t} = np.ones(len({v})); np.divide.at({t}, np.arange(len({v})), 3 + {v} ** 2)",
    "{t} = np.zeros(len({v})); np.add.at({t}, [0, 0, {i}], {v}[{i}])",
    "{t} = np.zeros(len({v})); np.maximum.at({t}, np.arange(len({v})) // 2, {v})",
    "{t} = {v}.copy(); np.subtract.at({t}, (np.array([0, {i}]),), {v}[:1] ** 2)",
    "{t} = {v}.copy(); np.negative.at({t}, [{i}])",
    "{t} = {v}.copy(); np.sin.at({t}, [0, {i}, 0])",
    "{t} = {v}.copy(); np.minimum.at({t}, slice(0, 2), {w}.ravel()[0])",
    "{t} = np.ones(3); np.multiply.at({t}, [0, 1, 1], {v}[:3])",
    "{t} = np.zeros((2, 3)); np.add.at({t}, ([0, 1, 1], [0, 2, 2]), {v}[:3])",
    "{t} = {v}.copy(); np.power.at({t}, [0, 1], 2)",
    "{t} = {v}.copy(); np.copysign.at({t}, [{i}], -1.0); np.hypot.at({t}, [0], {v}[-1])",
)
OBJECT = (
    "o = np.array([{v}[0], {v}[{i}], 2.0], dtype=object); {t} = (o * o[::-1]).astype(float)",
    "o = np.empty(2, dtype=object); o[0] = {v}[0]; o[1] = {v}[{i}] ** 2\n"
    "{t} = np.array([o.sum(), o[0]], dtype=float)",
    "o = np.empty(2, dtype=object); o[0] = {v}; o[1] = {v}[::-1]; {t} = o[0] * 2 + o[1] * o[0]",
    "{t} = np.array(list(np.array({v}, dtype=object) + 1), dtype=float)",
    "o = np.frompyfunc(lambda p: p * p, 1, 1)({v}); {t} = o.astype(float)",
    "o = np.frompyfunc(lambda p: p * p, 1, 1)({v}); {t} = np.array([p + 1 for p in o])",
    "{t} = np.dot(np.array([1, 2], dtype=object), np.array({v}[:2], dtype=object)) * 1.0",
    "o = np.array([{v}[0], None, {v}[-1]], dtype=object)\n"
    "{t} = np.array([p for p in o if p is not None], dtype=float)",
    "{t} = float(np.array([{v}[0], 1], dtype=object)[0]) + {v}",
    "o = np.array([[{v}[0], 0], [1, {v}[{i}]]], dtype=object); {t} = (o @ o).astype(float)",
    "o = np.array([{v}[{i}] * {v}[0], 3], dtype=object); {t} = o.tolist()[0] + o.max() * {v}",
)
VIEWS = (
    "{t} = np.zeros((2, 2)); np.einsum('ii->i', {t})[...] = {v}[:2]",
    "{t} = np.zeros((2, 3)); np.einsum('ij->ji', {t})[:, 0] = {v}[:3]",
    "{t} = {v}.copy(); {t}.reshape(-1, 1)[0] = {v}[{i}] * 2",
    "{t} = np.zeros((3, 2)); {t}.T[0] = {v}[:3]; np.transpose({t})[1, 0] = {v}[{i}]",
    "{t} = {v}.copy(); {t}.real[0] = {v}[-1]",
    "{t} = {v}.copy(); np.real({t})[{lo}:{hi}] *= {v}[0]",
    "{t} = {v}.copy(); np.ravel({t})[{i}] = {w}.ravel()[0]",
    "{t} = {v}.copy(); np.split({t}, [1])[0][...] = {v}[-1]",
    "{t} = {v}.copy(); {t}.conj()[0] = {v}[-1]",
    "{t} = {v}.copy(); np.ascontiguousarray({t})[{i}] = {v}[0] ** 2",
    "p = {{'as': np.ascontiguousarray}}; {t} = {v}.copy(); p['as']({t})[0] = {v}[-1]",
    "{t} = {v}.copy(); np.asarray({t})[{i}] += 1.0 + {v}[0]",
    "{t} = np.zeros((2, 2)); {t}.ravel()[1:3] = {v}[:2]",
    "{t} = np.zeros((2, 2)); np.swapaxes({t}, 0, 1)[0] = {v}[:2]; np.moveaxis({t}, 0, 1)[1, 1] = 1",
    "{t} = {v}.copy(); np.flip({t})[0] = 2 * {v}[0]; {t}[::-1][1] = {v}[{i}]",
    "{t} = {v}.copy(); np.squeeze({t}[None])[0] = {v}[-1] ** 2",
    "{t} = {v}.copy(); np.atleast_2d({t})[0, {i}] = {v}[0]",
    "{t} = {v}.copy(); np.expand_dims({t}, 0)[0, 0] = {v}[-1]",
    "{t} = {v}.copy(); {t}.view()[1:] = {v}[:-1]",
    "{t} = {v}.copy()\nfor p in np.array_split({t}, 2): p *= {v}[0]",
    "{t} = np.zeros((2, 2)); np.rot90({t})[0, 0] = {v}[0]; {t}.flat[3] = {v}[-1]",
    "a, {t} = np.hsplit({v}.copy(), [1]); {t}[...] = {t} * a[0]",
    "{t} = {v}.copy(); np.nan_to_num({t}, copy=False)[0] = {v}[-1]",
    "{t} = {v}.copy(); np.array({t}, copy=False)[0] = {v}[-1]",
    "{t} = {v}.copy(); np.require({t})[0] = {v}[-1]; {t}.astype(float, copy=False)[1] = {v}[0]",
    "{t} = np.zeros((2, 3)); row = {t}[1]; row += {v}[:3]; {t}.T[0][0] = {v}[-1]",
    "{t} = np.zeros((2, 2), order='F'); {t}.reshape(-1, order='F')[1] = {v}[0]",
    "{t} = {v}.copy(); np.copyto({t}[1:], {v}[:-1]); np.put({t}, [0], {v}[-1])",
    "{t} = np.zeros((2, 2)); np.fill_diagonal({t}, {v}[:2]); {t}.diagonal()[0] + 1",
    "{t} = {v}.copy(); np.putmask({t}, {mask}, {w}.ravel()[0])",
    "{t} = np.zeros((2, 2)); np.atleast_3d({t})[0, 1, 0] = {v}[0]; np.rollaxis({t}, 1)[0, 1] = 2.0",
    "{t} = np.zeros(4); np.reshape({t}, (2, 2))[1] = {v}[:2]; {t}.reshape(2, 2).T[0, 0] = {v}[-1]",
)
SELECT = (
    "{t} = np.concatenate([np.select([{v} < .5, {v} >= .5], [0.0, 1.0], {v}), {v}])",
    "{t} = np.select([{v} < 0.03, {v} >= 0.03], [0.0, 1.0]) * {v}",
    "{t} = np.select([{v} > 0.2, {v} > -0.3], [{v} ** 2, {v}], {w}.ravel()[0])",
    "{t} = np.choose(({v} > 0.03).astype(int), [{v}, {v}[0] * {v}])",
    "{t} = np.choose(np.arange(len({v})) % 2, [{v}, 1.0])",
    "{t} = np.piecewise({v}, [{v} < 0.03], [lambda p: p * {v}[0], lambda p: p])",
    "{t} = np.piecewise({v}, [{v} < -0.2, {v} > 0.4], [0.0, {v}.max(), lambda p: 2 * p])",
    "{t} = np.where({v} > 0.03, *np.broadcast_arrays({v}[0], {v}))",
    "{t} = np.take(np.array([{v}.sum(), {v}[0]]), ({v} > 0.03).astype(int))",
    "{t} = np.extract({mask}, {v})", "{t} = np.compress({mask}, {v} ** 2)",
    "{t} = np.digitize({v}, [0.03]) * {v}",
    "{t} = np.array([0.5, 2.0])[({v} > 0.03).astype(int)] * {v}",
    "{t} = np.take_along_axis({v}, np.argsort({v}), 0) * {v}[0]",
    "{t} = np.array([1.0, 0.0, 2.0])[np.searchsorted([-0.5, 0.5], {v})] * {v}[0]",
    "{t} = np.append({v}, []); {t} = np.hstack([[], {t}])",
    "{t} = np.concatenate([np.choose(({v} > .03) + 0, [0.0, 1.0]), {v}])",
)  # fmt: skip
PYFUNC = (
    "g = np.frompyfunc(lambda p: p + {v}[0], 1, 1); {t} = g({v}[1:]).astype(float)",
    "{t} = np.frompyfunc(lambda p, q: p * {v}[-1] + q, 2, 1).reduce({v}) * 1.0",
    "{t} = np.frompyfunc(lambda p, q: p + q * {v}[0], 2, 1).accumulate({v}).astype(float)",
    "g = np.frompyfunc(lambda p, q: p + {v}[0] * q, 2, 1)\n"
    "{t} = g.outer({v}[:2], [1.0, 2.0]).astype(float)",
    "{t} = np.frompyfunc(lambda p: (p, {v}[0]), 1, 2)({v})[1].astype(float)",
    "{t} = np.vectorize(lambda p: p * {v}[0])({v})",
    "{t} = np.vectorize(lambda p: {v}[-1] if p > 0.1 else p)({v})",
    "seen = []\ng = np.vectorize(lambda p: seen.append(p) or p + seen[0], otypes=[float])\n"
    "{t} = g({v})",
    "run = [0.0]\ndef g(p):\n    run[0] = run[0] + p\n    return run[0] * {v}[0]\n"
    "{t} = np.vectorize(g, otypes=[float])({v})",
    "{t} = np.apply_along_axis(lambda r: r * {v}[0], 0, {v})",
    "{t} = np.fromfunction(lambda k: {v}[0] * k, (3,))",
    "{t} = np.array(list(map(lambda p: p * {v}[0], {v})))",
    "{t} = functools.reduce(lambda p, q: p * 0.5 + q * {v}[0], {v})",
    "{t} = np.vectorize(lambda p, q: p * q, excluded=[1])({v}, {v}[0])",
    "{t} = np.frompyfunc(lambda p: {v}[{i}] if p > 0 else {v}[0], 1, 1)(np.ones(2)).astype(float)",
    "{t} = np.array([*itertools.accumulate({v}, lambda p, q: p * q + {v}[0])])",
)
TRY = (
    "try: {t} = math.sqrt({v}[{i}])\nexcept ValueError: {t} = {v}[0] * 1.0",
    "try: {t} = math.log({v}[{i}]) / 5\nexcept ValueError: {t} = {v}[-1] ** 2",
    "try: {t} = math.acos({v}[{i}])\nexcept ValueError: {t} = {v}[0] * 1.0",
    "try: {t} = math.pow({v}[{i}], 0.5)\nexcept ValueError: {t} = {v}.sum()",
    "{t} = {v}[0] * 1.0\nwith contextlib.suppress(ValueError): {t} = math.sqrt({v}[{i}]) * {v}[-1]",
    "try:\n    with np.errstate(all='raise'): {t} = np.sqrt({v})\n"
    "except FloatingPointError: {t} = {v}[::-1]",
    "try:\n    with np.errstate(invalid='raise', divide='raise'): {t} = np.log({v}[{i}]) * 0.2\n"
    "except ArithmeticError: {t} = {v}[0] ** 2",
    "try: {t} = np.linalg.cholesky(np.diag({v}[:2]))\n"
    "except np.linalg.LinAlgError: {t} = np.diag({v}[:2]) * {v}[0]",
    "with np.errstate(all='warn'), warnings.catch_warnings(record=True) as caught:\n"
    "    warnings.simplefilter('always')\n    {t} = np.sqrt({v}[{i}])\n"
    "if caught: {t} = {v}[0] * 1.0",
    "try: {t} = 0.1 / max({v}.tolist()[{i}], 0.0)\nexcept ZeroDivisionError: {t} = {v}[0] * 1.0",
    "try: {t} = [p for p in {v}[:3] if p > 0.2][0] * 1.0\nexcept IndexError: {t} = {v}[-1] * 2",
    "try: {t} = next(p for p in {v}[:3] if p > 0.2) * 1.0\n"
    "except StopIteration: {t} = {v}[-1] ** 2",
    "try: {t} = min(p for p in {v}[:3] if p > 0.2) * 1.0\n"
    "except ValueError: {t} = {v}[0] * {v}[-1]",
    "try: {t} = math.exp(2000 * {v}[{i}]) * 0.0 + {v}[0]\n"
    "except OverflowError: {t} = {v}[-1] * 1.0",
    "try: {t} = math.log1p({v}[{i}] - 0.5) * 0.2\n"
    "except (ValueError, OverflowError): {t} = {v}[0] * 1.0\n"
    "else: {t} = {t} * {v}[-1]",
    "try:\n    if {v}[{i}] > 0.1: raise KeyError({i})\n    {t} = {v} * 2\n"
    "except LookupError: {t} = {v}[::-1] * {v}[0]",
    "{t} = {v} * 1.0\ntry: {t} = {t} + math.atanh({v}[{i}])\n"
    "except Exception: pass\nfinally: {t} = {t} * 0.5",
    "try: {t} = {{0: {v}[0]}}[3 if {v}[{i}] > 0.2 else 0] * 1.0\n"
    "except KeyError: {t} = {v}[-1] ** 2",
    "p = [p for p in {v}[:3] if p > -0.5]\ntry: {t} = sum(p) / len(p)\n"
    "except ZeroDivisionError: {t} = {v}[0] * 1.0",
    "try:\n    assert {v}[{i}] > -0.2\n    {t} = {v} + 1.0\n"
    "except AssertionError: {t} = {v} * {v}[0]",
)
STATE = (
    "{k} = Counter() || {t} = {k}.read({v}) * 1.0",
    "{k} = Counter() || {t} = {k}.read({v}) * {k}.read({v})",
    "{k} = Memo() || {t} = {k}({v})",
    "{k} = Memo() || {t} = {k}({v}) + {k}({v}) * {k}({v}[::-1])",
    "{k} = Lazy() || {t} = {k}({v})",
    "{k} = Lazy() || {t} = {k}({v}) + {k}({v}[::-1] ** 2)",
    "{k} = {{}} || {t} = {k}.setdefault('first', {v}[0]) * {v}",
    "{k} = [] || {k}.append({v}[{i}]); {t} = sum({k}) + {v}[0] ** 2",
    "{k} = [0] || {k}[0] += 1\n{t} = {v} * {k}[0] if {k}[0] < 3 else {v}[::-1]",
    "{k} = Flag() || {t} = {k}({v})",
    "{k} = Flag() || {t} = {k}({v}) + {k}({v} ** 2)",
    "{k} = Steps() || for p in {v}: {k}.step(p)\n{t} = {k}.value * 1.0",
    "{k} = Steps() || {t} = np.array([{k}.step(p) for p in {v}])",
    "{k} = functools.lru_cache(None)(lambda n: np.zeros(n)) || "
    "p = {k}(len({v})); p[:] = {v} * {v}[0]; {t} = p * 2",
    "{k} = Counter() || {k}.k += 10 if {v}[{i}] > 0.1 else 1\n{t} = {v}[{k}.k % len({v})] * 1.0",
    "{k} = {{'n': 0, 'best': None}} || {k}['n'] += 1\n"
    "if {k}['best'] is None or {v}[0] > {k}['best']: {k}['best'] = {v}[0]\n"
    "{t} = {k}['best'] * {v}[{k}['n'] % len({v})]",
    "{k} = itertools.count() || {t} = {v}[next({k}) % len({v})] * 2.0",
    "{k} = set() || {t} = {v} * 1.0 if 'seen' in {k} else {v}[::-1] * 2; {k}.add('seen')",
)
THREADS = (
    "with ThreadPoolExecutor(3) as pool: "
    "{t} = np.array(list(pool.map(lambda p: p * {v}[0], {v}, timeout=20)))",
    "with ThreadPoolExecutor(2) as pool: "
    "{t} = np.concatenate(list(pool.map(np.cumsum, np.array_split({v}, 2))))",
    "out = np.zeros(len({v}))\ndef work(k): out[k] = {v}[k] * {v}[k - 1]\n"
    "many = [threading.Thread(target=work, args=(k,)) for k in range(len({v}))]\n"
    "for th in many: th.start()\nfor th in many: th.join(20)\n{t} = out",
    "with ThreadPool(2) as pool: {t} = np.array(pool.map(np.square, list({v})))",
    "with ThreadPoolExecutor(2) as pool: "
    "{t} = pool.submit(lambda: {v} if {v}[{i}] > 0.1 else {v}[::-1] * 2).result(20) * 1.0",
    "q = queue.Queue()\nth = threading.Thread(target=lambda: [q.put(p * p) for p in {v}])\n"
    "th.start(); th.join(20)\n{t} = sum(q.get(timeout=20) for p in {v})",
    "async def work(): return await asyncio.to_thread(np.outer, {v}[:3], {v}[-2:])\n"
    "{t} = asyncio.run(work())",
    "lock, total = threading.Lock(), [0.0]\ndef work(p):\n"
    "    with lock: total[0] = total[0] + p * {v}[0]\n"
    "with ThreadPoolExecutor(4) as pool: list(pool.map(work, {v}))\n{t} = total[0] * 1.0",
    "{t} = np.zeros_like({v})\n"
    "with ThreadPoolExecutor(2) as pool:\n"
    "    tasks = {{pool.submit(np.multiply, {v}[k], {v}[-1]): k for k in range(len({v}))}}\n"
    "    for done in as_completed(tasks, timeout=20): {t}[tasks[done]] = done.result()",
    "out = {{}}\nth = threading.Thread(target=lambda: out.update(y={v}[::-1] - {v}[0]))\n"
    "th.start(); th.join(20)\n{t} = out.get('y', {v})",
)
ARGS = (
    "{t} = {v} * u[0]", "{t} = u[1] * {v} + u[2] * {v}[0]", "{t} = np.where(u[1] > 0, {v}, {v}[0])",
    "{t} = {v} * 1.0 if u[0] > 0.1 else {v}[::-1]", "{t} = {v} * (u[:1] > 0)",
    "{t} = np.maximum({v}, u[0])", "{t} = {v} @ np.resize(u, len({v}))",
    "{t} = u[2] ** 2 * {v}[{i}] + {v}[0]", "{t} = np.convolve({v}, u[:2])",
    "{t} = np.outer(u[:2], {v})", "{t} = np.clip({v}, u[0], u[0] + 1.0)", "{t} = {v} ** (u[3] > 0)",
    "{t} = {v}.copy(); {t}[0] *= u[0]; {t}[1:] += u[1] * {v}[0]",
    "{t} = np.interp(u[0], [-1.0, 0.0, 1.0], {v}[:3])", "{t} = max({v}[0], u[2]) * {v}[-1]",
    "{t} = np.sort(np.append({v}, u[:1]))", "{t} = math.sin({v}[0] * u[0]) * u[1]",
    "{t} = {v} * 2.0\nfor p in u:\n    if p > 0.4: {t} = {t} * {v}[0]",
    "p = np.zeros(len({v})); p[0] = u[0]; p[1:] = {v}[1:]; {t} = p * {v}",
    "{t} = np.dot(np.diag(np.resize(u, len({v}))), {v}) ** 2",
)  # fmt: skip
LISTS = (
    "{t} = np.array([p ** 2 for p in x[1:]])", "{t} = np.asarray(x) * 2", "{t} = np.array(x + x)",
    "{t} = np.array(sorted(x))", "{t} = np.array(x * 2)", "{t} = sum(x) * x[0]",
    "{t} = np.array(x[::-1])", "{t} = np.array([*x, 1.0])", "{t} = len(x) * x[0] * x[-1]",
    "{t} = np.array(x + [1.0])", "{t} = max(x) * 1.0", "{t} = np.array(list(map(math.sin, x)))",
    "{t} = sum(p ** 2 for p in (x * 2)[2:])", "a, *b = x\n{t} = np.array(b) * a",
    "y = list(x); y[0] = y[-1] * 2; y.append(y[0]); {t} = np.array(y)",
    "y = x.copy(); y.reverse(); {t} = np.array(y) * x[0]",
    "{t} = np.dot(x, x[::-1]) * 1.0", "{t} = np.cumsum(x)",
    "y = []; y += x; {t} = np.array(y) ** 2",
    "{t} = x[0] * 1.0 if isinstance(x, list) else x[-1] * 1.0", "{t} = math.fsum(x) * x[0]",
    "{t} = np.array([p * q for p, q in zip(x, x[1:])])",
    "{t} = functools.reduce(lambda p, q: p + q, x)",
)  # fmt: skip
TYPES = (
    "{t} = {v} * 2 if type({v}) is np.ndarray else {v}[::-1] * {v}",
    "{t} = {v}[0] * 1.0 if type({v}[{i}]) in (float, np.float64) else {v}[-1] * 1.0",
    "{t} = {v} * 1.0 if {v}.__class__ is np.ndarray else {v}[0] * {v}",
    "{t} = {v}[0] * 1.0 if issubclass(type({v}[0]), float) else {v}[-1] * 1.0",
    "{t} = {v}[0] * 1.0 if np.issubdtype(type({v}[0]), np.floating) else {v}[-1] * 1.0",
    "{t} = {{np.ndarray: lambda p: p * 2}}.get(type({v}), lambda p: p[::-1])({v})",
    "match {v}[0]:\n    case float(): {t} = {v}[0] * 1.0\n    case _: {t} = {v}[-1] * 1.0",
    "{t} = {v}[0] * 1.0 if not hasattr({v}[0], '__iter__') else {v}[-1] * 1.0",
    "{t} = {v}[0] * 1.0 if isinstance({v}[0], typing.SupportsIndex) else {v}[-1] * 1.0",
    "{t} = {v} * 1.0 if isinstance({v}, collections.abc.Sized) else {v}[::-1]",
    "{k} = dispatching() || {t} = {k}({v})", "{k} = dispatching() || {t} = {k}({v}[{i}]) * {v}[0]",
    "{t} = {v} * 1.0 if {v}.dtype == float and np.isscalar({v}[0]) else {v}[::-1]",
    "{t} = {v} * 1.0 if type({v}).__name__ == 'ndarray' else {v}[::-1]",
    "{t} = {v}[0] * 1.0 if hasattr({v}[0], '__array__') else {v}[-1] * 1.0",
    "if {v}[{i}] > 0.1:\n    if type({v}) is not np.ndarray: raise TypeError(type({v}))\n"
    "    {t} = {v} * 2\nelse: {t} = {v}[::-1] * 1.0",
    "{t} = {v} * 1.0 if isinstance({v}[0], (int, float)) and callable({v}.sum) else {v}[::-1]",
)  # fmt: skip
TEXT = (
    "{k} = {{}} || key = str({v}[{i}])\n"
    "if key not in {k}: {k}[key] = {v}[{i}] ** 2\n{t} = {k}[key] * {v}[0]",
    "memo, {t} = {{}}, 0.0\nfor p in {v}:\n    key = f'{{p:.12f}}'\n"
    "    if key not in memo: memo[key] = p * p\n    {t} = {t} * 0.5 + memo[key]",
    "memo = {{}}\nfor p in ({v}, {v}[::-1] + 1): memo.setdefault(repr(p), p * {v}[0])\n"
    "{t} = sum(memo.values())",
    "{t} = {{str(p): p for p in {v}}}[str({v}[{i}])] * 1.0",
    "memo, {t} = {{}}, 0.0\nfor p in {v}:\n    key = tuple(map(repr, (p, p * 2)))\n"
    "    {t} = {t} * 0.5 + memo.setdefault(key, p * {v}[0])",
    "memo = {{}}\ndef g(p):\n    key = '%s' % (p,)\n    if key not in memo: memo[key] = p * p[0]\n"
    "    return memo[key]\n{t} = g({v}) + g({v}[::-1])",
    "{t} = {v} * 1.0 if len({{repr(p) for p in x}}) == len(set(range(len(x)))) else {v}[::-1]",
)
CONSTANTS = (
    "b = np.concatenate([np.array([0.1], np.float32), {v}])\n"
    "{t} = {v} * 1.0 if b[0] == 0.1 else {v}[::-1]",
    "b = np.append({v}, -0.0); {t} = {v} * np.signbit(b[-1]) + {v}[0]",
    "b = np.zeros(2); b[0] = -0.0; b[1] = {v}[0]\n"
    "{t} = {v} * 1.0 if math.copysign(1, b[0]) < 0 else {v}[::-1]",
    "b = np.array([-0.0, {v}[0]]); {t} = {v} * (np.arctan2(b[0], -1.0) < 0) + {v}[0]",
    "b = np.empty(2, np.longdouble); b[0] = np.longdouble(1) / 3; b[1] = {v}[0]\n"
    "{t} = {v} * 1.0 if b[0] != 1 / 3 else {v}[::-1]",
    "b = np.array([np.longdouble(1) / 3, {v}[0]])\n"
    "{t} = {v} * 1.0 if float(b[0] * 3 - 1) == 0 else {v}[::-1]",
    "b = np.empty(2, np.float32); b[0] = 0.1; b[1] = {v}[0]\n"
    "{t} = {v} * 1.0 if b[0] == 0.1 else {v}[::-1]",
    "b = np.empty(2, object); b[0] = 2**53 + 1; b[1] = {v}[0]\n"
    "{t} = {v} * 1.0 if b[0] == 2.0**53 else {v}[::-1]",
    "b = np.full(2, 16777217.0, np.float32); b[1] = {v}[0]\n"
    "{t} = {v} * (b[0] - 16777216.0) + {v}[0]",
    "b = np.zeros(3, np.float32); b[:2] = [1e-46, {v}[0]]; {t} = {v} * (b[0] > 0) + {v}[-1]",
    "b = np.hstack([np.float16(1e-3), {v}]); {t} = {v} * (b[0] - 1e-3) + {v}[0]",
    "b = np.array([1, 0]) * {v}[0] + np.array([0.1, 0.2], np.float32); {t} = b * (b[1] - 0.2)",
)

FAMILIES = {
    "at": AT, "object": OBJECT, "views": VIEWS, "select": SELECT, "pyfunc": PYFUNC, "try": TRY,
    "state": STATE, "threads": THREADS, "args": ARGS, "lists": LISTS, "types": TYPES,
    "text": TEXT, "constants": CONSTANTS,
}  # fmt: skip
"""By the name with which they are asked for."""
