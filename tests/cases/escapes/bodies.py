"""Ways out of a trace: function bodies of `x`, four numbers."""

# ruff: noqa: E501 - one entry a line, whatever its length
from __future__ import annotations

BODIES = r"""
p = np.zeros(4); p[0] = x[0]; return p
p = np.zeros(4); p[:] = x; return p
p = np.zeros(4); p[...] = x; return p
p = np.zeros(4); p[1:3] = x[1:3]; return p
p = np.zeros(4); p[[0, 1]] = x[:2]; return p
p = np.zeros(4); p[p == 0] = x; return p
p = np.zeros(4); p += x; return p
p = np.zeros(4); p[0] += x[0]; return p
p = np.zeros(4); p[1:] += x[1:]; return p
p = np.zeros(4); p -= x[0]; return p
p = np.ones(4); p *= x; return p
p = np.ones((4, 4)); p @= np.diag(x); return p
p = np.zeros(4); np.copyto(p, x); return p
p = np.zeros(4); np.copyto(p, x[0]); return p
p = np.zeros(4); p.fill(x[0]); return p
p = np.zeros(4); np.put(p, [0], x[0]); return p
p = np.zeros(4); p.put([0], x[0]); return p
p = np.zeros(4); p.put([0], x[:1]); return p
p = np.zeros(4); np.place(p, p == 0, x); return p
p = np.zeros(4); np.putmask(p, p == 0, x); return p
p = np.zeros(4); np.put_along_axis(p, np.array([0]), x[:1], 0); return p
p = np.zeros((4, 4)); np.fill_diagonal(p, x); return p
p = np.zeros((4, 4)); np.fill_diagonal(p, x[0]); return p
p = np.zeros(4); p.flat[0] = x[0]; return p
p = np.zeros(4); p.flat = x; return p
p = np.zeros(4); p.flat[:] = x; return p
p = np.zeros(4); p.real = x; return p
p = np.zeros(4, complex); p.imag = x; return p
p = np.zeros(4); p[np.argmax(x)] = 1.0; return p
p = np.zeros(4); p[x > 0] = 1.0; return p
p = np.zeros(4); p[int(0)] = np.floor(x[0]); return p
p = np.zeros(4, object); p[:] = x; return p
p = np.empty(4, object); p[:] = x; return p * 2
p = np.empty(4, object); p[0] = x; return p[0]
p = np.empty(4, object); p[1:3] = x[1:3]; return [p[1], p[2]]
p = np.empty(4, object); np.copyto(p, x); return p
p = np.zeros(4, object); p += x; return p
p = np.zeros(4, object); np.add(p, x, out=p); return p
p = np.zeros(1, [('a', float)]); p['a'] = x[0]; return p['a']
p = [0.0] * 4; p[0] = x[0]; return p
p = arr.array('d', [0.0]); p[0] = x[0]; return np.array(p)
p = np.zeros(4).tolist(); p[1] = x[1]; return np.array(p)
p = np.zeros(4); p[0] = float(x[0]); return p
p = np.zeros(4); v = memoryview(p); v[0] = x[0]; return p
p = np.zeros(4); p.data[0] = x[0]; return p
p = np.zeros(4); it = np.nditer([p, x], op_flags=[['readwrite'], ['readonly']]); return p
p = np.zeros(4)\nfor a, b in np.nditer([p, x], op_flags=[['readwrite'], ['readonly']], flags=['refs_ok']): a[...] = b\nreturn p
p = np.zeros(4)\nfor i, v in enumerate(x): p[i] = v\nreturn p
p = np.zeros(4)\nfor i in range(4): p[i] = math.sin(x[i])\nreturn p
p = np.ma.zeros(4); p[0] = x[0]; return p
p = np.matrix(np.zeros(4)); p[0, 0] = x[0]; return p
p = scipy.sparse.lil_array((4, 4)); p[0, 0] = x[0]; return p.toarray()
p = scipy.sparse.dok_array((4, 4)); p[0, 0] = x[0]; return p.toarray()
p = scipy.sparse.eye(4, format='csr'); p.data[:] = x; return p @ np.ones(4)
p = scipy.sparse.eye(4, format='csr'); p.data = x; return p @ np.ones(4)
p = scipy.sparse.eye(4, format='csr'); p.setdiag(x); return p @ np.ones(4)
try: float(x[0])\nexcept Exception: pass\nreturn x * 0
try: float(x[0])\nexcept: pass\nreturn x * 0
try: float(x[0])\nexcept BaseException: pass\nreturn x * 0
try: return np.asarray(x) * 2\nexcept Exception: return x * 0
try: return math.sin(x[0])\nexcept TypeError: return np.sin(x[0])
try: p = np.zeros(4); p[0] = x[0]; return p\nexcept ValueError: return x * 0
try:\n  if x[0] > 0: return x[0]\nexcept Exception: return x[1]
with contextlib.suppress(Exception): float(x[0])\nreturn x * 0
while x[0] > 0: return x\nreturn 2 * x
assert x[0] > 0\nreturn x
assert (x > 0).all()\nreturn x
if x[0]: return x\nreturn 2 * x
if x[0] == 1.0: return x\nreturn 2 * x
if x.sum() > 0: return x\nreturn 2 * x
if not x.any(): return x\nreturn 2 * x
if np.isnan(x).any(): return x\nreturn 2 * x
if x[0] is None: return x\nreturn 2 * x
if x.dtype == float: return x\nreturn 2 * x
match x[0]:\n  case 1.0: return x\n  case _: return 2 * x
match x[0]:\n  case 0: return x\n  case float(): return 2 * x\nreturn 3 * x
a, b, c, d = x; return float(a)
for i in range(int(x[0])): pass\nreturn x
n = round(x[0]); return [1, 2, 3][n] * x
n = int(np.round(x[0])); return x * n
y = x.copy(); y.resize(2, 2); return y
y = x.copy(); y.dtype = np.int64; return y
y = x.copy(); y.dtype = np.float32; return y
y = x.copy(); y.strides = (0,); return y
y = x.copy(); y.data = b''; return y
y = np.asarray(x); y[0] = 1.0; return y
y = np.array(x); y[0] = 1.0; return y
y = np.array(x); y[:] = 1.0; return y
y = np.array(x); y[:] = 1.0; return y + x
y = np.asarray(x); y += 1; return y
y = x.tolist(); y.sort(); return y
y = list(x); y.sort(); return y
d = {}; d[x[0]] = 1; return d[x[0]] * x
@functools.lru_cache\ndef g(v): return 2 * v\nreturn g(x[0])
@functools.lru_cache\ndef g(v): return 2.0\nreturn g(x[0]) * x[0]
@np.vectorize\ndef g(v): return v if v > 0 else -v\nreturn g(x)
@np.vectorize\ndef g(v): return 1.0\nreturn g(x) * 2
import threading; out = []; t = threading.Thread(target=lambda: out.append(x * 2)); t.start(); t.join(); return out[0]
import threading; out = []; t = threading.Thread(target=lambda: out.append(catch(lambda: float(x[0])))); t.start(); t.join(); return x * 0
import threading; out = []; t = threading.Thread(target=lambda: catch(lambda: float(x[0]))); t.start(); t.join(); return x * 0
from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as p: return list(p.map(lambda v: 2 * v, x))
g = (v for v in x); return np.array(list(g))
GLOBAL.append(x[0]); return x
out = np.zeros_like(x, subok=False); out[:] = x; return out
out = np.empty_like(np.asarray(x)); out[:] = x; return out
out = np.zeros_like(np.asarray(x)); out[:] = x; return out
out = np.zeros_like(np.asarray(x)); out[0] = x[0]; return out
out = np.zeros_like(np.asarray(x), dtype=float); out[0] = x[0]; return out
out = np.zeros(x.shape, x.dtype); out[:] = x; return out
out = np.full_like(np.ones(3), x[0]); return out
out = np.array(x, copy=True); return out * out
out = np.array([x[0]] * 3); out[1] = 2.0; return out
class A:\n  def __init__(s, v): s.v = v\n  def __mul__(s, o): return s.v * o\n  __rmul__ = __mul__\nreturn A(2.0) * x
class A:\n  def __init__(s, v): s.v = v\n  def __array__(s, dtype=None, copy=None): return np.full(4, s.v)\nreturn x * A(2.0)
class A:\n  def __float__(s): return 2.0\nreturn x * A()
class A(np.ndarray): pass\nreturn x * np.ones(4).view(A)
class A(np.ndarray):\n  def __array_finalize__(s, o): pass\nreturn x.view(A) * 2
class A(np.ndarray): pass\nreturn np.asarray(x).view(A) * 2
""".strip().splitlines()
"""One function body a line; ``\\n`` stands for the end of a line."""
