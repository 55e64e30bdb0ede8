"""The kinds of lines that random programs are made of, as text with fields to fill in.

Contract: text alone.  `{v}` and `{w}` are vectors (`{v}` a matrix among MATRIX), `{a}` and
`{b}` arrays or numbers, `{s1}` and `{s2}` numbers, `{q}` a square matrix, `{c}` a constant,
`{t}` the new variable.  In each list the (piecewise) linear forms come first, then a bar,
then the nonlinear ones.
"""

from __future__ import annotations

from typing import Any

ELEMENTWISE = """
-{a}; 2.5 * {a}; {a} / 3; {a} - 1.0; 1.0 - {a}; {a} ** 1; {a} ** 0; 0.0 * {a} + 1.0; +{a}
np.subtract({a}, 0.5); np.positive({a}) * 1.5; np.real({a} * (0.5 + 2j)); ({a} * 1j).imag
np.where({m}, {a}, 0.5); np.full({a}.shape, 0.5) + {a}; np.float64(2.0) * {a}; {a} * True
np.abs({a}); np.maximum({a}, 0.0); np.minimum({a}, 0.3); np.clip({a}, -1.0, 0.7); {a} % 1.7
np.sign({a} - 0.03) * {a}; np.floor({a}) + {a}; ({a} > 0.03) * {a}
np.where({a} > 0.03, {a}, 0.1 * {a}); np.where(np.abs({a}) < 1, {a}, 0.0); np.round({a}, 1) + {a}
np.trunc({a}) * {a}; np.nan_to_num({a}); np.fmod({a}, 1.7); np.fabs({a}); np.copysign({a}, 1.0)
np.power({a}, 1); np.rint({a}) - {a}; np.interp({a}, [-1.0, 0.0, 2.0], [1.0, 0.0, 3.0])
{a} * np.array(0.5); np.where({m}, 0.0, {a})
| np.sin({a}); np.cos({a}); np.tanh({a}); np.exp(np.tanh({a})); np.exp(-{a} ** 2); np.arctan({a})
np.sqrt(1 + {a} ** 2); np.square({a}); {a} ** 2; {a} ** 3; {a} * {a}; 1.0 / (1.0 + {a} ** 2)
np.log({a} + 5); np.log1p({a} + 5); ({a} + 5) ** -1; ({a} + 5) ** 0.5; 1.0 / (3 + np.sin({a}))
np.arcsinh({a}); np.expm1(0.3 * {a}); np.logaddexp({a}, 0.0); np.sinc({a}); np.hypot({a}, 1.0)
np.power({a}, 2); np.float_power({a} + 5, 1.5); np.reciprocal({a} + 4); 2.0 ** (0.3 * {a})
np.arctan2({a}, 2.0); sp.erf({a}); sp.j0({a}); sp.expit({a}); sp.gammaln({a} + 5)
sp.xlogy({a}, 2.0); sp.xlogy(1 + {a} ** 2, 1 + {a} ** 2); np.arcsin({a} / 5); np.sinh(0.3 * {a})
np.abs({a} + 1j) ** 2; {a} ** {p}; np.exp2(0.3 * {a}); np.cbrt({a} + 6); np.log2({a} + 5)
np.exp2({a}) ** {p}; (1 + {a} ** 2) ** {p}; np.power({a} + 5, {p}); ({a} - 0.3) ** 2
np.cosh(0.3 * {a}); np.exp(0.3 * {a}); np.log10({a} + 5); np.sqrt({a} + 4); 3 / ({a} + 5)
np.sin({a} * {m}); np.where({a} < 0.2, {a} ** 2, {a})
np.select([{a} > 1.03, {a} > 0.03], [{a}, {a} ** 2], 0.0)
np.piecewise({a}, [{a} < 0.03, {a} >= 0.03], [lambda t: t ** 2, lambda t: 3 * t])
np.where({m}, {a} ** 2, {a}); ({a} + 4) ** 1.5; np.exp({a})
"""
PAIRWISE = """
{a} + {b}; {a} - {b}; {a} - {b}.mean(); {a} + 0 * {b}; np.add({a}, {b}); ({a} + {b}) / 2
np.append({a}, {b}); np.stack([{a}, {b}]); np.concatenate([{a}.ravel(), {b}.ravel()])
{a}.ravel()[:, None] - {b}.ravel()[None, :]; np.add.outer({a}.ravel()[:4], {b}.ravel()[:4])
np.maximum({a}, {b}); np.minimum({a}, {b}); np.fmax({a}, {b}); np.fmin({a}, {b}); {a} * 0 + {b}
np.where({a} > {b}, {a}, {b}); np.where({a} > 0.03, {b}, 2.0); ({a} > {b}) * {a}
np.rint({a}) * {b}; np.copysign({a}, {b}); np.clip({a}, -1.0, {b})
np.remainder({a}, 2.0 + np.abs({b})); np.heaviside({a}, 0.5) * {b}; ({a} + 1j * {b}).real * 0.5
np.where({m}, {a}, {b})
| {a} * {b}; {a} * {b}; np.multiply({a}, {b}); {a} / (1.0 + {b} ** 2); {a} * np.sin({b})
{a} ** 2 * {b}; ({a} + {b}) ** 2; ({a} - {b}) ** 2; np.hypot({a}, 1 + {b} ** 2); {a} @ {b}
np.arctan2({a}, 1 + {b} ** 2); np.logaddexp({a}, {b}); np.outer({a}, {b}); {a} * {b}.ravel()[0]
np.dot({a}.ravel()[:3], {b}.ravel()[:3]); np.convolve({a}.ravel()[:5], {b}.ravel()[:3])
np.cross(np.resize({a}, 3), np.resize({b}, 3)); np.kron({a}.ravel()[:3], {b}.ravel()[:4])
(1 + {a} ** 2) ** np.tanh({b}); np.vdot({a}, {b}); np.inner({a}, {b}); {a} / ({b} + 5)
np.einsum('i,j->ij', {a}.ravel()[:5], {b}.ravel()[:5]); np.einsum('...,...->...', {a}, {b})
np.multiply.outer({a}.ravel()[:4], {b}.ravel()[:4]); np.exp(-({a} - {b}) ** 2); np.hypot({a}, {b})
1.0 / (2.0 + ({a} * {b}) ** 2); np.abs({a} + 1j * {b}) ** 2; ({a} + 5) ** (0.1 * {b})
np.divide({a}, 2.0 + np.cos({b})); np.tensordot({a}, {b}, 1); np.true_divide(1.0, 2 + {b} ** 2)
np.where(({a} > 0.03) & ({b} < 1), {a} * {b}, {a}); np.maximum({a} * {a}, {b})
np.where({m}, {a} * {b}, {a}); sp.xlogy({a}, 1 + {b} ** 2); sp.xlogy({a}, {b} + 5)
np.arctan2({a}, {b}); {a} / (1 + np.abs({b})); np.divide({a}, {b} + 5); {b} / ({a} + 4)
"""
MOVE = """
{v}[{lo}:{hi}]; {v}[::-1]; {v}[::2]; {v}[{fancy}]; {v}[{mask}]; np.roll({v}, {s}); np.tile({v}, 2)
np.pad({v}, 1); np.pad({v}, (1, 2), mode='edge'); np.repeat({v}, 2); np.delete({v}, {i})
np.insert({v}, {i}, 1.0); {v}.reshape(2, -1); {v}.reshape(-1, 2); np.flip({v}); {v}.take({fancy})
np.split({v}, [1])[1]; np.diag({v}[:5]); np.atleast_2d({v}); np.array([{v}[{i}], 1.0, {v}[-1]])
np.meshgrid({v}[:3], {v}[:4])[1]; np.lib.stride_tricks.sliding_window_view({v}, 2)
np.asarray([t for t in {v}]); np.array([{v}[k] for k in range(len({v}))]); np.ravel({v})
np.broadcast_to({v}, (2, len({v}))); np.fromiter((t for t in {v}), float)
np.r_[{v}[:2], 0.0, {v}[-1]]; np.c_[{v}, {v}][0]; np.asarray({v}, dtype=float); np.array({v})
np.array(list({v})); np.array(sorted({v})); {v}[1:] - {v}[:-1]
"""
VECTOR = """
np.cumsum({v}); np.diff({v}); {v} - {v}.max(); np.sort({v})
np.gradient(np.append({v}, [0.0, 1.0])); np.maximum.accumulate({v})
np.correlate({v}, [1.0, 0.0, -2.0], 'same'); {v}[np.argsort({v})]
np.convolve({v}, [0.0, 1.0], 'same'); np.kron({v}[:4], [1.0, 0.0, 2.0]); np.fft.fft({v}).real
np.bincount(np.arange(len({v})) // 2, weights={v}); np.add.reduceat({v}, [0, {i}])
np.linalg.solve(3 * np.eye(len({v})) + np.eye(len({v}), k=1), {v}); np.gradient({v}, 0.5)
np.lib.stride_tricks.sliding_window_view({v}, 2).sum(axis=1); np.linspace({v}[0], {v}[-1], 4)
| {v} / (1 + ({v} ** 2).sum()) ** 0.5; np.cumprod(np.tanh({v})); np.vander({v}[:4], 3)
np.exp({v} - {v}.max()) / np.exp({v} - {v}.max()).sum(); np.stack([t * t for t in {v}])
np.array([{v}[k] * {v}[k - 1] for k in range(len({v}))]); np.triu(np.outer({v}[:5], {v}[:5]))
np.cumprod({v}[:3]); np.abs(np.fft.fft({v})) ** 2 / len({v}); np.multiply.accumulate({v}[:3])
np.abs(np.fft.rfft({v})) ** 2 / len({v}); {v}[np.argmax({v})] * {v}; {v} @ np.outer({v}, {v})
np.linalg.inv(np.outer({v}, {v}) + np.eye(len({v}))); np.linalg.solve(np.diag(2 + {v} ** 2), {v})
np.einsum('i,j->ij', {v}[:5], {v}[-5:]); np.poly1d([1.0, 0.0, -0.5])({v}); {v}[1:] * {v}[:-1]
np.polyval([0.5, -1.0, 2.0], {v}); np.sin({v}[1:]) - {v}[:-1]; ({v}[1:] - {v}[:-1]) ** 2
np.diag({v}[:5]) @ np.resize({v}, (min(5, len({v})), 2)); np.sort({v} ** 2); {v} * {v}[{i}]
"""
REDUCED = """
{v}.sum(); {v}.mean(); {v}.max(); {v}.min(); np.median({v}); np.trapezoid({v}); sum({v}); max({v})
np.polyval({v}[:3], 0.5); np.ptp({v}); np.add.reduce({v}[1:]); np.linalg.norm({v}, 1)
math.fsum({v}); np.interp(0.3, [0.0, 0.2, 1.0], {v}[:3]); np.sum({v}, where={mask})
np.average({v}); {v}[:2].sum()
| np.prod({v}[:4]); {v} @ {v}; np.dot({v}, {v}[::-1]); np.linalg.norm({v}); {v}.var(); {v}.prod()
np.sqrt(1 + ({v} ** 2).sum()); np.average({v}, weights={v} ** 2 + 1); np.logaddexp.reduce({v})
np.log(np.exp({v}).sum()); np.einsum('i,i->', {v}, {v}); sp.logsumexp({v}); np.prod({v}[:2])
np.einsum('i,i,i->', {v}, {v}, {v}[::-1]); np.std({v} + np.arange(len({v}))); np.vdot({v}, {v})
np.sum({v} * {v}[::-1]); np.multiply.reduce({v}[:3]); np.linalg.norm({v}, 3); math.prod({v}[:3])
np.linalg.det(np.outer({v}, {v}) + np.eye(len({v}))); np.sum({v} ** 2); np.prod({v}, where={mask})
np.linalg.norm({v}[:2]); np.trapezoid({v} ** 2); np.trapezoid([1.0, 2.0], {v}[:2] ** 2)
"""
MATRIX = """
{v}.T; {v}.ravel(); {v}.sum(axis=0); {v}.sum(axis=1); {v}.mean(); {v}[0]; {v}[:, -1]
{v}[::-1, 1:]; {v}.max(axis=1); {v} - {v}.max(axis=1, keepdims=True); np.cumsum({v}, axis=1)
np.trace({v}); np.diagonal({v}); {v}.reshape(-1, {v}.shape[0]); np.tril({v})
np.roll({v}, 1, axis=1); {v}[0, -1]; np.vstack([{v}, {v}[:1]]); np.flipud({v})
np.diff({v}, axis=0); {v}[[0, -1]]; {v}[:, [0, 0]]; np.sort({v}, axis=0); np.einsum('ij->i', {v})
np.rot90({v}); {v}.swapaxes(0, 1)[0]; np.abs({v}); np.array([row.sum() for row in {v}])
np.column_stack([{v}, {v}[:, 0]]); np.block([[{v}, {v}]]); np.mean({v}, axis=0)
{v}[{v}.shape[0] // 2:]; np.pad({v}, 1); np.einsum('ij->ji', {v})
np.stack([{v}[0], {v}[-1]], axis=1); {v}[np.arange(len({v})), np.argmax({v}, axis=1)]
np.any({v} > 0.03, axis=1) * {v}[:, 0]; np.linalg.norm({v}, 1, axis=0)
| {v} / (1 + np.abs({v}).sum(axis=0)); {v} @ {v}.T; {v}.T @ {v}; np.einsum('ij,kj->ik', {v}, {v})
np.tensordot({v}, {v}, 2); np.prod({v}, axis=1); np.prod({v}, axis=0); np.var({v}, axis=0)
np.linalg.norm({v}, axis=1); np.cumprod(np.tanh({v}), axis=0); np.log(np.exp({v}).sum(axis=1))
np.exp({v} - {v}.max(1, keepdims=True)) / np.exp({v} - {v}.max(1, keepdims=True)).sum(1)[:, None]
np.einsum('ij,ij->j', {v}, {v}); {v} * {v}[:1]; np.linalg.norm({v}); {v}[-1, 0] * {v}
np.array([row @ row for row in {v}]); np.einsum('ij,ik->jk', {v}, {v})
np.sum({v} ** 2, axis=(0, 1)); {v}[:1] * {v}[1:]; np.matmul({v}, {v}[0]); {v}[0] @ {v}[-1]
np.einsum('ij,j->i', {v}, {v}[0]); np.cumprod({v}, axis=1); np.dot({v}, {v}.T)
np.inner({v}, {v}[:1]); np.kron({v}[:1], {v}[:, :1])
"""
SCALAR = """
{s1} + {s2}; {s1} - 2 * {s2}; {s1} ** 1; {s1} ** 0 + {s2}; -{s1}; max({s1}, {s2})
min({s1}, 0.2) * np.float64(1.0); abs({s1}); 0.0 * {s1} + {s2}; np.array([{s1}, {s2}, 1.0])
{s1} * 0 + {s2} * 1; divmod({s1}, 2.0)[1]; np.maximum({s1}, {s2}); {s1} % 1.3
math.floor({s1}) * {s2}; ({s1} > 0.03) * {s2}; np.full(3, {s1}); [{s1}, {s2}][1] * 1.0
math.copysign({s1}, {s2}); math.fabs({s1}); np.where({s1} > {s2}, {s1}, {s2})
np.interp({s1}, [-1.0, 0.0, 1.0], [0.5, 0.0, 2.0]) + {s2}; float({s1}) - 0.5; {s1} * np.array(0.5)
| {s1} * {s2}; {s1} / (1 + {s2} * {s2}); {s1} ** 2; {s1} ** 3; math.sin({s1})
math.exp(-{s1} * {s1}); math.hypot({s1}, 1.0 + {s2} ** 2); pow({s1}, 2); float({s1}) * {s2}
math.tanh({s1}) * 2; math.sqrt(1 + {s1} ** 2); math.atan2({s1}, 1 + {s2} ** 2)
np.sin({s1}) * {s2}; np.square({s1}); 1.0 / (2 + {s1} ** 2); (1 + {s1} ** 2) ** {p}
math.log(1 + {s1} ** 2); np.stack([{s1}, {s1} * {s2}]); np.where({s1} > {s2}, {s1}, {s2} ** 2)
np.interp({s1}, [-1.0, 0.0, 1.0], [0.5, 0.0, 2.0]) * {s2}; (1 + {s1} ** 2) ** np.tanh({s2})
2 ** math.tanh({s1}); ({s1} + {s2}) ** 2; math.pow({s1}, 2); math.dist([{s1}, {s2}], [3.0, 3.0])
{s1} / ({s2} + 5); math.hypot({s1}, {s2}); {s1} * {s1}; math.erf({s1}); math.lgamma(2 + {s1} ** 2)
math.atan2({s1}, {s2} + 5); 3 / ({s1} + 5)
"""
RARE = """
np.percentile({v}, 30); np.quantile({v}, 0.3); np.unwrap({v})
np.polyfit(np.arange(len({v})), {v}, 1); np.histogram(np.arange(len({v})), 3, weights={v})[0]
np.interp([0.1, 0.6], [0, 0.5, 1], {v}[:3]); np.trapezoid({v}, dx=0.5); np.diff({v}, 2)
np.ediff1d({v}); np.nansum({v}); np.nanmean({v}); np.choose([0, 1, 0], [{v}[:3], -{v}[:3]])
np.subtract.reduce({v}); np.add.accumulate({v})
np.linalg.lstsq(np.vander(np.arange(len({v})), 2), {v})[0]; np.apply_along_axis(np.sum, 0, {q})
np.fft.ifft(np.fft.fft({v}) * 2).real; np.digitize(np.arange(len({v})), [1.5]) * {v}
np.trace({q}); np.polyder({v}[:4]); np.polyint({v}[:4]); np.polyadd({v}[:3], {v}[-2:])
np.angle({v}) + {v}; np.linalg.norm({q}, np.inf); np.linalg.norm({q}, 1); np.nanmax({v})
np.fmin.reduce({v}); np.maximum.reduceat({v}, [0, {i}]); np.matmul([[1.0, 0.0], [2.0, 1.0]], {q})
np.partition({v}, 1)
| np.linalg.det({q}); np.linalg.slogdet({q})[1]; np.linalg.pinv({q}); np.linalg.inv({q})
np.i0({v}); np.linalg.eigvalsh({q} + {q}.T); np.linalg.svd({q}, compute_uv=False)
np.linalg.matrix_power({q}, 3); np.linalg.cholesky({q} @ {q}.T); np.linalg.qr({q})[1]
np.linalg.solve({q}, {v}[:2]); np.linalg.lstsq(np.vstack([{q}, {q} ** 2]), np.resize({v}, 4))[0]
np.linalg.multi_dot([{q}, {q}, {q}]); np.linalg.norm({q}, 2); np.linalg.norm({q}, 'nuc')
np.histogram([0, 1], 3, weights={v}[:2], density=True)[0]
np.interp({v}, [-9.0, 0.0, 9.0], {v}[:3]); np.interp(0.3, np.cumsum({v}[:3] ** 2 + 0.1), {v}[:3])
np.cov({v}[:2], {v}[-2:]); np.corrcoef({v} ** 2, np.arange(len({v})))[0, 1]
np.trapezoid({v}, {v}[::-1]); np.geomspace(1 + {v}[0] ** 2, 2 + {v}[-1] ** 2, 4)
np.gradient({v}, np.cumsum({v} ** 2 + 0.1)); np.average({v}, weights={v}[::-1] ** 2 + 0.1)
np.hypot.reduce({v}); np.logaddexp.accumulate({v}); np.divide.reduce({v} + 5)
np.multiply.reduceat({v}, [0, {i}]); np.vectorize(lambda t: t * t)({v})
np.frompyfunc(lambda t, u: t * u + 1, 2, 1)({v}, {v}[::-1]).astype(float)
np.polymul(np.append(1.0, {v}[:2]), np.append(2.0, {v}[-1:]))
np.apply_along_axis(np.prod, 0, {q}); np.var({v}, ddof=1); np.nanvar({v}); np.nanprod({v}[:3])
np.linalg.vector_norm({v}); np.vecdot({v}, {v})
np.linalg.cross(np.resize({v}, 3), np.resize({v}[::-1], 3))
np.polynomial.polynomial.polyval({v}, [1.0, 0.0, 2.0]); np.angle({v} + 1j)
np.divide.accumulate({v}[:3] + 5); np.choose([0, 1, 0], [{v}[:3], {v}[:3] ** 2])
np.fft.ifft(np.fft.fft({v}) ** 2).real; np.float_power(5 + {v}, {v})
np.quantile({v}, np.tanh({v}[0]) ** 2); np.nancumprod({v}[:3])
np.polyfit(np.arange(len({v})), {v}, 1) ** 2; np.abs(np.exp(1j * {v}) + {v})
({v} + 1j * {v}[::-1]).prod().real; np.vander({v}, 3) @ {v}[:3]
np.linalg.tensorsolve({q}, {v}[:2]); np.einsum('ij,jk,kl->il', {q}, {q}, {q})
np.exp2({v}).cumprod(); np.linalg.eigh({q} + {q}.T)[0]; np.sqrt(np.abs({v} + 5j))
np.convolve({v}, {v}[:2], 'valid')
"""
READ = "{v}[{i}]; {v}[{i}] * 1.0; {v}.item({i}); {v}[-1]; {v}.ravel()[0]; {v}.flat[0]"
CONSTANT = (
    ("{c} @ {v}", "rows,first"), ("{v} @ {c}", "last,rows"), ("{v} * {c}", "same"),
    ("{c} * {v} + {c}", "same"), ("np.dot({c}, {v})", "rows,first"), ("{v} + {c}", "same"),
    ("np.tensordot({c}, {v}, 1)", "rows,first"), ("{v} - {c}", "same"),
    ("np.einsum('ij,j...->i...', {c}, {v})", "rows,first"), ("np.maximum({v}, {c})", "same"),
    ("np.where({c} > 0, {v}, {c})", "same"), ("np.convolve({v}.ravel(), {c})", "rows"),
    ("np.multiply.outer({c}, {v})", "two"), ("np.inner({v}, {c})", "rows,last"),
    ("{v} / (1 + {c} ** 2)", "same"), ("scipy.sparse.csr_array({c}) @ {v}", "rows,first"),
    ("{v} @ scipy.sparse.csc_array({c})", "last,rows"),
    ("scipy.sparse.coo_matrix({c}) @ {v}", "rows,first"),
    ("np.linalg.solve({c} + 3 * np.eye(len({c})), {v})", "first,first"),
    ("np.vdot({v}, {c})", "same"), ("{v} * ({c} != 0)", "same"), ("{v} ** ({c} > 0)", "same"),
    ("np.interp({v}, [-2.0, 0.0, 1.0, 2.0], np.resize({c}, 4))", "two"),
    "|",
    ("{v} ** np.abs(2 * {c}).round()", "same"), ("np.where({c} > 0, {v} ** 2, {v})", "same"),
    ("{c} / (1 + {v} ** 2)", "same"), ("(1 + {v} ** 2) ** {c}", "same"),
    ("np.abs({c}) ** (2 + np.tanh({v}))", "same"), ("{v} @ {c} @ {v}.T", "last,last"),
    ("np.einsum('...i,ij,...j->...', {v}, {c}, {v})", "last,last"), ("{c} / ({v} + 5)", "same"),
    ("np.linalg.solve({c} + 3 * np.eye(len({c})), {v}) ** 2", "first,first"),
    ("np.multiply({c}, np.sin({v}))", "same"), ("np.prod({v} * {c} + 0.5, axis=-1)", "same"),
    ("np.hypot({v} * {c}, 1.0)", "same"), ("({v} * {c}) * {v}", "same"),
    ("({v} * {c}) ** 2", "same"),
    ("np.logaddexp({v}, {c})", "same"), ("sp.xlogy({c}, 1 + {v} ** 2)", "same"),
    ("np.cumprod({v} * {c})", "same"), ("np.atan2({v}, 2 + {c})", "same"),
    ("np.sin({v} * {c})", "same"),
    ("np.einsum('i...,ij->j...', {v}, {c}) * {v}.ravel()[0]", "first,rows"),
    ("np.hypot({c}, {v})", "same"), ("np.arctan2({c}, {v} + 5)", "same"),
    ("({c} @ {v}) ** 2", "rows,first"),
)  # fmt: skip
"""Expressions with a constant of zeros and ones and others, and what shape it has."""
STATEMENT = (
    "{t} = {v}.copy(); {t}[{i}] = {w}.sum()",
    "{t} = {v}.copy(); {t}[{lo}:{hi}] = 0.0",
    "{t} = {v}.copy(); {t}[1:] += {v}[:-1]",
    "{t} = {v}.copy(); {t}[{fancy}] = {v}[0]",
    "{t} = {v}.copy(); {t}[{v} > 0.03] = 0.5",
    "{t} = {v}.copy(); {t}[np.argmin({v})] = {w}.mean()",
    "{t} = {v}.copy(); {t}.reshape(-1, 1)[{lo}:{hi}] += {w}.ravel()[-1]",
    "{t} = {v}.copy(); np.add.at({t}, {fancy}, {v}[0])",
    "{t} = np.zeros(3); np.add.at({t}, np.arange(len({v})) % 3, {v})",
    "{t} = {v}.copy(); np.add({t}[1:], {v}[:-1], out={t}[1:])",
    "{t} = {v}[{lo}:]; {t} += {w}.ravel()[0]",
    "{t} = {v}; {t} *= 0.5",
    "{t} = {v}.copy(); np.copyto({t}, {v}[0], where={mask})",
    "{t} = {v}.copy(); np.putmask({t}, {mask}, {v}[::-1])",
    "{t} = {v}.copy(); np.put({t}, {fancy}, {v}[-1])",
    "{t} = np.zeros((2, 2)); np.fill_diagonal({t}, np.resize({v}, 2))",
    "{t} = {v}.copy(); {t}.sort(); {t}[0] = 0.0",
    "{t} = {v}.copy(); {t}.fill({v}[{i}])",
    "{t} = np.zeros_like({v}); {t}[{i}] = {v}[0]; {t}[-1] += {w}.ravel()[0]",
    "{t} = np.zeros({v}.shape); {t}[1:-1] = {v}[2:] - 2 * {v}[1:-1] + {v}[:-2]",
    "{t} = np.empty_like({v}); {t}[:] = {v}[::-1]; {t}[{i}] = 1.0",
    "{t} = np.ones(len({v})); {t}[{i}] = {v}[0]",
    "{t} = np.linspace(1, 2, 3); {t}[1:] -= {v}[0]",
    "{t} = np.array([1.0, 2.0, 3.0]); {t}[0] = {v}[{i}]",
    "{t} = np.zeros(len({v}))\nfor k in range(1, len({v})): {t}[k] = 0.5 * {t}[k - 1] + {v}[k]",
    "{t} = np.zeros((2, len({v})))\n{t}[0] = {v}\n{t}[1, {lo}:{hi}] = {v}[{lo}:{hi}] - {v}[0]",
    "{t} = {v}.copy()\nfor k in range(len({v}) - 2, -1, -1): {t}[k] -= 0.3 * {t}[k + 1]",
    "{t} = 0.0\nfor w in {v}: {t} = {t} * 0.5 + w",
    "{t} = 0.0\nfor k in range(len({v}) - 1): {t} += k * {v}[k]",
    "{t} = {v}[0]\nfor w in {v}[1:]: {t} = np.maximum({t}, w)",
    "rows = []\nfor k in range(2): rows.append({v} * (k + 1))\n{t} = np.concatenate(rows)",
    "{t} = {v}\nfor k in range(3): {t} = 0.5 * ({t} + np.roll({t}, 1))",
    "|",
    "{t} = {v}.copy(); {t}[1:] *= {t}[:-1]",
    "{t} = {v}.copy(); {t}[{mask}] *= {w}.ravel()[0]",
    "{t} = {v}.copy(); {t}[{mask}] **= 2",
    "{t} = {v}.copy(); {t} *= {v}[::-1]; {t} -= 1.0",
    "{t} = {v}.copy(); {t} **= 2; {t} /= 2.0",
    "{t} = {v}.copy(); {t} /= 1 + {v} ** 2",
    "{t} = {v}.copy(); {t}[::2], {t}[1::2] = {t}[::2] * 2, {t}[1::2] * {v}[0]",
    "{t} = {v}.copy(); np.add.at({t}, {fancy}, {v}[0] ** 2)",
    "{t} = {v}.copy(); np.multiply.at({t}, {fancy}, {v}[0])",
    "{t} = {v}.copy(); np.multiply({t}[1:], {v}[:-1], out={t}[1:])",
    "{t} = {v}.copy(); np.sin({v}, out={t}, where={mask})",
    "{t} = {v}; {t}[{lo}:{hi}] *= {w}.ravel()[0]",
    "{t} = np.zeros_like({v}); {t}[{lo}:{hi}] = {v}[{lo}:{hi}] ** 2",
    "{t} = np.empty_like({v}); {t}[:] = {v}[::-1]; {t}[{i}] = 1.0; {t} = {t} * {v}",
    "{t} = np.ones({v}.shape); {t}[{lo}:{hi}] = {v}[{lo}:{hi}]; {t} = {t} * {v}",
    "{t} = np.full(3, 2.0); {t}[1:] = {v}[0]; {t} = {t} * {v}[-1]",
    "{t} = np.array([1.0, 0.0, 3.0]); {t}[0] = {v}[{i}]; {t} = {t} * np.resize({v}, 3)",
    "{t} = np.arange(4.0); {t}[2] += {v}[{i}]; {t} = {t} @ np.resize({v}, 4)",
    "{t} = np.eye(2); {t}[0, 1] = {v}[{i}]; {t} = {t} @ np.resize({v}, 2)",
    "{t} = np.empty(3); {t}[:] = 2.0; {t}[0] = {v}[0]; {t} = {t} * {v}[-1]",
    "{t} = np.linspace(1, 2, 3); {t}[::2] *= {v}[0]",
    "{t} = np.zeros(len({v}))\nfor k, w in np.ndenumerate({v}): {t}[k] = w * {v}[0]",
    "{t} = np.zeros(len({v}))\nfor k in range(len({v})): {t}[k] = {v}[k] * {v}[k - 1]",
    "{t} = {v}.copy()\nfor k in range(len({v}) - 2, -1, -1): {t}[k] -= {v}[k] * {t}[k + 1]",
    "{t} = 0.0\nfor w in {v}: {t} = {t} * 0.5 + w ** 2",
    "{t} = 0.0\nfor k in range(len({v}) - 1): {t} += {v}[k] * {v}[k + 1] ** 2",
    "{t} = 0.0\nfor k, w in enumerate({v}): {t} += k * math.sin(w)",
    "{t} = 0\nfor w, u in zip({v}, {v}[1:]): {t} += 0.1 * (1 - w) ** 2 + (u - w * w) ** 2 / 10",
    "{t} = 1.0\nfor k in range(min(4, len({v}))): {t} = {t} * np.tanh({v}[k])",
    "{t} = 0.5\nfor w in {v}[:4]: {t} = {t} * w + 1.0",
    "a, b = {v}[0], {v}[-1]\nfor k in range(3): a, b = b, np.sin(a) + b\n{t} = np.array([a, b])",
    "{t} = {v}\nfor k in range(2): {t} = {t} + 0.1 * (np.roll({t}, 1) * {t} - {t} ** 3)",
    "a, *{t} = {v}\n{t} = np.array({t}) * a",
    "g = lambda z: np.sin(z) * {v}[0]\n{t} = {v} + 0.1 * g({v} + 0.05 * g({v}))",
)
"""Lines that leave a result in a new variable."""
BRANCH = (
    "if {v}[{i}] > 0.1: {t} = {v} * 2\nelse: {t} = {v} - {v}[0]",
    "{t} = {v}.sum() if {v}[0] < {v}[-1] else {v}[{i}]",
    "|",
    "if {v}[{i}] > 0.1: {t} = {v} * 2\nelse: {t} = {v} * {v}[0]",
    "{t} = {v}.sum() if {v}[0] < {v}[-1] else {v}[{i}] ** 2",
    "{t} = {v}.copy()\nif {v}.sum() > 0: {t}[{i}] = {v}[0] ** 2",
)
LOCAL = (
    "{t} = {v}.copy(); {t}[{v} > 0.03] **= 2", "{t} = {v}[{v} > -0.3]",
    "{t} = {v}[np.nonzero({v} > -0.4)[0]] ** 2", "{t} = np.unique({v})",
    "{t} = {v}.sum()\nwhile abs({t}) > 0.7: {t} = {t} * {t} / (1 + abs({t}) ** 2)",
    "{t} = {v}[{v} < {v}.mean()] * {v}[0]", "{t} = {v}[int(3 * abs({v}[0])) % len({v})]",
)  # fmt: skip
"""Lines with a shape or a loop that depends on the values."""


def _halves(forms: Any) -> tuple[list[Any], list[Any]]:
    """The forms before the bar, and those behind it; all of them twice if there is no bar."""
    if isinstance(forms, str):
        forms = [part.strip() for part in forms.replace("|", ";|;").replace("\n", ";").split(";")]
    forms = [form for form in forms if form]
    bar = forms.index("|") if "|" in forms else 0
    return forms[:bar] or forms, forms[bar + 1 :] if bar else forms


KINDS = {
    "elementwise": (_halves(ELEMENTWISE), 16), "pairwise": (_halves(PAIRWISE), 12),
    "move": (_halves(MOVE), 6), "vector": (_halves(VECTOR), 5), "reduced": (_halves(REDUCED), 3),
    "matrix": (_halves(MATRIX), 6), "scalar": (_halves(SCALAR), 8), "read": (_halves(READ), 5),
    "constant": (_halves(CONSTANT), 8), "statement": (_halves(STATEMENT), 8),
    "branch": (_halves(BRANCH), 0.4), "rare": (_halves(RARE), 4),
}  # fmt: skip
"""(Piecewise) linear forms and nonlinear ones, and how often a kind of line is wanted."""
