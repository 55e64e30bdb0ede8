"""Lines that the order or the size of the inputs decides, those for one point, and curved ones.

Contract: text alone; the names are those of `programs.SMALL`.
"""

from __future__ import annotations

ORDERED = """
np.maximum(m, y)
np.ma.maximum(m, y)
np.ma.maximum(m, y).data
np.ma.maximum(m, 1.1)
np.ma.minimum(x, m[0])
np.ma.maximum.reduce(m)
np.ma.minimum.reduce(g, 1)
np.ma.minimum.outer(m, m)
np.where((m > 1).filled(False), m, 0)
np.ma.where(m > 1, m, y)
np.ma.where(m > 1, m, y).filled(x[0])
m.clip(0.8, 1.5)
np.ma.clip(x, 0.8, y)
m.max()
g.max(axis=1)
h.max(axis=1, keepdims=True)
g.min(axis=0)
m.min(fill_value=1.2)
m.ptp()
np.ma.max(m)
np.ma.max(x)
np.ma.min(h, axis=1)
np.ma.amax(m)
np.ma.amin(m)
np.ma.ptp(h, axis=1)
np.ma.sort(m)
np.ma.sort(g, axis=0)
np.ma.sort(g, axis=None)
np.ma.sort(m, endwith=False)
np.ma.sort(x)
np.sort(m)
z = m.copy(); z.sort(); return z
np.ma.median(m)
np.ma.median(g, axis=0)
np.ma.median(h, axis=1)
np.ma.median(h)
np.ma.median(g, axis=1, keepdims=True)
np.ma.median(x)
np.max(g, axis=0)
np.amin(m)
np.clip(m, 0.8, 1.5)
x[np.ma.argmax(m)]
x[np.ma.argmin(m)]
x[m.argmin()]
x[np.ma.argsort(m)]
x[np.argsort(m)]
np.ma.ediff1d(np.ma.sort(m))
np.ma.allclose(m, 1.0, atol=0.3) * x
np.ma.allequal(np.floor(m), 1.0) * x
np.ma.isin(np.floor(x), [1.0, 2.0]) * y
np.ma.in1d(x > 1, [True], invert=True) * y
np.ma.cov(np.ma.masked_greater(x, 1.7), bias=True)
np.ma.cov(g)
np.ma.cov(h, rowvar=False)
np.ma.cov(m, x.reshape(2, 2).repeat(2, 1))
np.ma.corrcoef(m, y)
np.ma.vander(np.ma.masked_greater(x, 1), 3)
np.ma.apply_along_axis(np.ma.max, 1, g)
np.ma.choose((x > 1) * 1, [m, y])
np.ma.masked_where(x > 1, x)
np.ma.masked_where(x > 1, x).filled(y)
np.ma.masked_where(x > 1, x).filled(0).sum()
np.ma.masked_where(x > 1, m)
np.ma.masked_greater(x, 1)
np.ma.masked_greater(x, y)
np.ma.masked_greater_equal(m, 1)
np.ma.masked_less(m, 1).filled(y)
np.ma.masked_less_equal(m, 1)
np.ma.masked_equal(m, 1)
np.ma.masked_not_equal(np.floor(x), 1) * x
np.ma.masked_inside(x, 0.8, 1.2)
np.ma.masked_outside(m, 0.8, 1.2)
np.ma.masked_invalid(m)
np.ma.masked_invalid(x).filled(y)
np.ma.masked_values(x, 1.0)
np.ma.masked_object(m, 1.0)
np.ma.fix_invalid(x)
np.ma.array(x, mask=x > 1)
np.ma.array(x, mask=x > 1).mask * y
np.ma.array(x, mask=x > 1) + y
np.ma.array(x, mask=x > 1).data
np.ma.array(C[0], mask=x > 1) * y
np.ma.array(x, mask=x > 1).sum()
np.ma.array(x, mask=x > 1).mean()
np.ma.array(x, mask=x > 1).var()
np.ma.array(x, mask=x > 1).max()
np.ma.array(x, mask=x > 1).cumsum()
np.ma.array(x, mask=x > 1).count() * x
np.ma.array(x, mask=x > 1)[0]
np.ma.array(x, mask=x > 1)[1:] * 2
np.ma.median(np.ma.array(x, mask=x > 1))
np.ma.median(np.ma.array(C[0], mask=x > 1)) * x
np.ma.sort(np.ma.array(x, mask=x > 1))
np.ma.dot(np.ma.array(x, mask=x > 1), y)
np.ma.average(np.ma.array(x, mask=x > 1), weights=y)
np.ma.concatenate([np.ma.array(x, mask=x > 1), m])
np.ma.stack([np.ma.array(x, mask=x > 1), m]).T
np.stack([np.ma.array(x, mask=x > 1).sum(), x[0]])
np.ma.where(x > 1, m, masked)
np.ma.where(x > 1, m, y).filled(0)[1]
np.ma.where(x > 1, y, m).filled(0)[1]
np.ma.where(x > 1, m, y).data
np.ma.where(x > 1, masked, y).filled(x[::-1])
np.ma.log(x - 1)
np.ma.log(x - 1).filled(y)
np.ma.sqrt(x - 1).data
np.ma.sqrt(x - 1).sum()
np.ma.arcsin(x).filled(0)
(1 / np.ma.array(np.floor(x - 0.5))).filled(x)
np.ma.divide(x, np.floor(y))
np.ma.divide(x, 1.5e-308).filled(y)
np.ma.power(x - 1, 0.5).filled(y)
(m ** 0.5).mask * x
x[m > 1] if False else m
np.ma.is_masked(np.ma.masked_greater(x, 1)) * x
[x[0] if v is masked else v for v in np.ma.masked_greater(x, 1)]
[x[0] if np.ma.masked_greater(x, 1).sum() is masked else 0]
t = np.ma.masked_greater(x, 1); t[0] = y[1]; return t
t = np.ma.array(x); t[0] = np.ma.masked_greater(y, 1)[0]; return t.data
t = np.ma.array(x); t[0] = np.ma.masked_greater(y, 1)[0]; return t.filled(x[1])
t = np.ma.masked_greater(x, 1); t[x > 0.7] = y[0]; return t
t = np.ma.masked_greater(x, 1); t.mask = np.ma.nomask; return t
t = np.ma.masked_greater(x, 1) * 0; t.mask = False; return t + y
t = np.ma.array(x); t[y > 1] = masked; return t.filled(y)
t = np.ma.array(x); t /= np.floor(y); return t.filled(y)
t = np.ma.array(x, mask=[0, 1, 0, 0]); t /= y; return t
t = np.ma.array(x, mask=x > 1); t += m; return t
t = np.ma.array(x, mask=x > 1); t.fill(y[0]); return t
t = np.ma.array(x, mask=x > 1); t.put([0, 1], y[:2]); return t
t = m.copy(); t[1:] = np.ma.masked_greater(y, 1)[1:]; return t.filled(x)
t = np.ma.zeros(4); t[np.ma.argmax(m)] = y[0]; return t + x[1]
out = np.zeros(4); out[0] = np.ma.masked_greater(x, 1.9).sum(); return out + y
out = np.zeros(4); out[:] = m; return out
out = np.zeros(4); out += m.filled(1); return out
""".strip().splitlines()
"""Sources whose results the order or the size of the inputs decides: four of them."""


ANY_INDEX = "an index that depends on the inputs may be any of the axis"
FINITE = "the inputs drawn are finite, and positive"
CENTRED = "differences from a mean are not seen to cancel where another variable is masked"
EXTRA = {
    "x[np.ma.argmax(m)]": ANY_INDEX,
    "x[m.argmin()]": ANY_INDEX,
    "x[np.ma.argmin(m)]": ANY_INDEX,
    "x[np.ma.argsort(m)]": ANY_INDEX,
    "x[np.argsort(m)]": ANY_INDEX,
    "t = np.ma.zeros(4); t[np.ma.argmax(m)] = y[0]; return t + x[1]": ANY_INDEX,
    "t = np.ma.array(x); t[0] = np.ma.masked_greater(y, 1)[0]; return t.filled(x[1])": (
        "if the number is masked, what was there stays beneath it"
    ),
    "np.ma.masked_invalid(x).filled(y)": FINITE,
    "np.ma.cov(g)": CENTRED,
    "np.ma.cov(h, rowvar=False)": CENTRED,
    "np.ma.cov(m, x.reshape(2, 2).repeat(2, 1))": CENTRED,
    "np.ma.corrcoef(m, y)": "a variable's correlation with itself is 1",
    "(m ** 0.5).mask * x": FINITE,
    "np.ma.sort(np.ma.array(x, mask=x > 1))": "seldom are all of the inputs drawn below 1",
}


# ------------------------------------------------------------------------ at a point
AT_A_POINT = """
np.ma.masked_where(x > 1, x).filled(y)
np.ma.masked_where(x > 1, x).compressed()
np.ma.array(x, mask=x > 1) * y
np.ma.sqrt(x - 1).filled(y)
np.ma.divide(x, 1.5e-308).filled(y)
(m / np.floor(y)).filled(x[0])
m.max()
np.ma.median(m)
np.ma.sort(m)
np.ma.where(x > y, m, y)
np.ma.unique(x)
np.ma.unique(np.floor(x), return_inverse=True)[1] * x
np.ma.unique(np.ma.array(x[:2]), return_index=True)[0]
np.ma.union1d(x[:2], y)
np.ma.intersect1d(x, np.ma.array(y))
np.ma.setdiff1d(x, y[1:3])
np.ma.setxor1d(x, x[:1], assume_unique=True)
np.ma.in1d(x, y[:1]) * x
np.ma.isin(g.data, x[:1], invert=True).T * x[0]
x[np.ma.nonzero(m > 1)]
np.ma.polyfit(np.arange(4.0), np.ma.masked_greater(x, 1.9), 0)
[x[0] if v is masked else v for v in np.ma.masked_greater(x, 1)]
t = np.ma.array(x); t /= np.floor(y); return t.filled(y)
t = np.ma.array(x); t[y > 1] = masked; return t
m.tolist(0)
(m > 1) * x
np.ma.masked_greater(x, 1).count() * x
np.ma.argmax(m) * x
""".strip().splitlines()


# --------------------------------------------------------------------------- Hessians
CURVED = """
m.sum() ** 2
np.ma.sum(m * y)
np.ma.sum(m ** 3)
np.ma.sum(m / y)
m.var()
m.std()
np.ma.cov(m) + 0.0
np.ma.apply_along_axis(np.ma.prod, 1, g).sum()
np.ma.polyfit(x, np.ma.array(y, mask=[0, 1, 0, 0]), 1).sum()
m.prod()
m.mean() * m.sum()
np.ma.dot(m, y * x)
(m * y).filled(x).sum()
np.ma.sum(np.ma.sqrt(m) * g.ravel())
np.ma.sum(np.ma.log(x) * m)
np.ma.sum(np.ma.masked_greater(x, 1) ** 2)
np.ma.masked_greater(x, 1).filled(x[0] * x[3]).sum()
np.ma.where(x > 1, x ** 2, m * y).sum()
np.ma.cumsum(m * x).sum()
np.ma.average(m, weights=y)
np.ma.median(m ** 2)
np.ma.sum(np.ma.hypot(m, y))
m *= y; return m.sum()
t = np.ma.zeros(4); t[0] = x[0] * x[1]; t[1] = masked; t[2] = x[2] ** 2; return t.sum()
np.sum(np.exp(m))
""".strip().splitlines()
