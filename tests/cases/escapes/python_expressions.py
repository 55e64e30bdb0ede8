"""Ways out of a trace by functions of Python, of its standard library, and methods of arrays: expressions of `x`, four numbers."""

# ruff: noqa: E501 - one entry a line, whatever its length
from __future__ import annotations

PYTHON = r"""
float(x[0])
int(x[0])
bool(x[0])
complex(x[0])
operator.index(x[0])
int(x[:1])
complex(x[:1])
bool(x[:1])
[1,2,3][x[0]]
list(range(10))[x[1]]
range(x[0])
{x[0]: 1}[1.0] * x
{x[0], x[1]}
hash(x)
hash(x[0])
math.sin(x[0])
math.sqrt(x[0])
math.floor(x[0])
math.fsum(x)
math.hypot(x[0], x[1])
math.isclose(x[0], x[1])
math.prod(x)
math.pow(x[0],2)
math.dist(x, x)
cmath.exp(x[0])
struct.pack('d', x[0])
struct.pack('4d', *x)
json.dumps(x[0])
json.dumps(x.tolist())
json.dumps(list(x))
arr.array('d', x)
arr.array('d', list(x))
bytes(x)
bytearray(x)
memoryview(x)
x.tobytes()
x.data
x.ctypes
x.ctypes.data
x.__array_interface__
x.__array_struct__
x.tofile('/dev/null')
x.dump('/dev/null')
x.dumps()
pickle.dumps(x)
pickle.dumps(x[0])
pickle.loads(pickle.dumps(x))
copy.deepcopy(x)
copy.copy(x)
copy.deepcopy(x[0])
copy.deepcopy([x, x[0]])[1]
sorted(x)
sorted(x, reverse=True)[0]
list(x).index(x[0])
min(x)
max(x)
max(x[0], x[1])
min(x[0], 1.0)
max(x, key=lambda v: v)
x[0] in [1.0, 2.0]
x[0] in x
1.0 in x
1.0 in list(x)
1.0 in x.tolist()
list(x).count(1.0)
list(x) == [1., 2., 3., 4.]
tuple(x) == (1., 2., 3., 4.)
x[0] and x[1]
x[0] or x[1]
not x[0]
1.0 if x[0] else 2.0
x if x[0] > 0 else x * 2
x if (x > 0).all() else 2 * x
x if 0 < x[0] < 2 else 2 * x
any(x)
all(x)
any(x > 0)
all(v > 0 for v in x)
sum(1 for v in x if v > 0) * x
statistics.mean(x)
statistics.stdev(x)
statistics.fmean(list(x))
statistics.median(list(x))
fractions.Fraction(x[0])
decimal.Decimal(x[0])
fractions.Fraction(1, 2) * x[0]
x[0] * fractions.Fraction(1, 2)
x * fractions.Fraction(1, 2)
decimal.Decimal('0.5') * x[0]
x * decimal.Decimal('0.5')
bisect.bisect([1., 2.], x[0])
heapq.nlargest(1, x)
heapq.nsmallest(2, list(x))
functools.reduce(lambda a, b: a if a > b else b, x)
''.join(map(str, x))
float(str(x[0]))
float(f'{x[0]:.3f}')
float('%f' % x[0])
float('{:g}'.format(x[0]))
'%d' % x[0]
'%.3f' % x[0]
float(repr(x[0]))
x.view('f4')
x.__array__()
x.__array__(float)
x.__dlpack__()
x.getfield(float)
x.byteswap()
x.to_device('cpu')
x.__array_namespace__().asarray(x)
x.setflags(write=True) or x
x[0].hex()
x[0].as_integer_ratio()
x[0].is_integer() * x
x[slice(None, x[0])]
x.repeat(x[0])
round(x[0])
round(x[0], 2)
divmod(x[0], 2)
abs(x[0])
math.trunc(x[0])
math.ceil(x[0])
math.copysign(1.0, x[0])
math.isnan(x[0])
math.gcd(x[0], 2)
math.comb(x[0], 2)
math.factorial(x[0])
math.log(x[0], 2)
x[x > 1.5]
set(x)
frozenset(x)
dict(zip(x, x))
dict.fromkeys(x)
ctypes.c_double(x[0])
(ctypes.c_double * 4)(*x)
int(x[0] > 0) * x
float(x[0] > 0) * x
str(x[0]) == '1.0' or x
x[0].__float__()
x[0].__index__()
operator.length_hint(x) * x
operator.truth(x[0])
operator.contains(x, 1.)
next(iter(x))
list(reversed(x))
len(x) * x
len(x[0])
iter(x[0])
list(x[0])
list(map(float, x))
list(map(math.sin, x))
list(filter(lambda v: v > 0, x))
list(filter(None, x))
list(itertools.takewhile(lambda v: v > 0, x))
list(itertools.accumulate(x, max))
list(itertools.accumulate(x))
""".strip().splitlines()
"""One expression a line."""
