"""The result type: what it is, what SciPy makes of it, how it prints, files."""

from __future__ import annotations

import copy
import pickle
import sys
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.integrate import solve_ivp
from scipy.io import mmread
from scipy.optimize import least_squares
from scipy.sparse.csgraph import connected_components, structural_rank
from scipy.sparse.linalg import aslinearoperator, spsolve

from sparsetrace.api.braille import braille
from sparsetrace.api.pattern import SparsityPattern

EMPTY = [(0, 0), (0, 3), (3, 0), (2, 3)]


def random_pattern(shape: tuple[int, int], density: float, seed: int = 0) -> SparsityPattern:
    return SparsityPattern(np.random.default_rng(seed).random(shape) < density)


def assert_canonical(pattern: SparsityPattern) -> None:
    """Slow and independent of SciPy's flags."""
    assert type(pattern) is SparsityPattern
    assert pattern.data.dtype == np.bool_
    assert pattern.dtype == np.bool_
    assert pattern.data.all()
    assert len(pattern.data) == len(pattern.indices) == pattern.indptr[-1] == pattern.nnz
    assert pattern.indices.dtype == pattern.indptr.dtype
    for first, last in zip(pattern.indptr[:-1], pattern.indptr[1:], strict=True):
        assert (np.diff(pattern.indices[first:last]) > 0).all()
    pattern.check_format(full_check=True)


def same(left, right) -> bool:
    left, right = (a.toarray() if sp.issparse(a) else np.asarray(a) for a in (left, right))
    return left.shape == right.shape and left.dtype == right.dtype and bool((left == right).all())


DENSE = np.array([[0, 1, 0], [0, 0, 0], [2, 0, -3]])


@pytest.mark.parametrize(
    "arg1",
    [
        DENSE,
        DENSE != 0,
        DENSE * (1 + 2j),
        DENSE.tolist(),
        np.where(DENSE, np.nan, 0.0),
        sp.csr_array(DENSE),
        sp.csr_matrix(DENSE),
        sp.csc_array(DENSE),
        sp.coo_array(DENSE),
        sp.lil_array(DENSE),
        sp.dok_array(DENSE),
        sp.bsr_array(DENSE),
        SparsityPattern(DENSE),
        (np.array([1, 2, 3]), np.array([1, 0, 2]), np.array([0, 1, 1, 3])),
        (np.array([5, 1, 2]), (np.array([0, 2, 2]), np.array([1, 0, 2]))),
    ],
    ids=lambda arg1: type(arg1).__name__,
)
@pytest.mark.parametrize("copied", [False, True])
def test_constructor_takes_what_csr_array_takes(arg1, copied):
    pattern = SparsityPattern(arg1, shape=(3, 3), copy=copied)
    assert_canonical(pattern)
    assert same(pattern, DENSE != 0)


def test_constructor_shape_only_and_dtype():
    pattern = SparsityPattern((4, 5), dtype=bool)
    assert_canonical(pattern)
    assert pattern.shape == (4, 5)
    assert pattern.nnz == 0
    with pytest.raises(ValueError, match="dtype of a sparsity pattern is bool, not float64"):
        SparsityPattern((4, 5), dtype=float)
    with pytest.raises(ValueError, match=r"two dimensions|unpack"):  # the latter: SciPy before 1.15
        SparsityPattern([1, 0, 1])


def test_constructor_canonicalises_without_touching_the_callers_arrays():
    # Row 0: unsorted, a duplicate, an explicit zero; row 1: values that cancel.
    data = np.array([1.0, 2.0, 0.0, 3.0, 1.0, -1.0])
    indices = np.array([2, 0, 1, 2, 1, 1])
    indptr = np.array([0, 4, 6])
    given = sp.csr_array((data, indices, indptr), shape=(2, 3))
    before = [a.copy() for a in (given.data, given.indices, given.indptr)]
    pattern = SparsityPattern(given)
    assert_canonical(pattern)
    assert same(pattern, np.array([[1, 0, 1], [0, 1, 0]], dtype=bool))
    for now, then in zip((given.data, given.indices, given.indptr), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_constructor_shares_canonical_arrays_unless_told_to_copy():
    given = sp.csr_array(DENSE)
    assert np.shares_memory(SparsityPattern(given).indices, given.indices)
    assert not np.shares_memory(SparsityPattern(given, copy=True).indices, given.indices)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_from_csr_parts_equals_the_constructor(dtype):
    """Contract with SciPy: by-passing its constructor leaves out no attribute."""
    indptr, indices = np.array([0, 2, 2, 3], dtype=dtype), np.array([0, 3, 1], dtype=dtype)
    quick = SparsityPattern.from_csr_parts(indptr, indices, (3, 4))
    slow = sp.csr_array((np.ones(3, dtype=bool), indices, indptr), shape=(3, 4))
    slow.has_canonical_format = True
    assert_canonical(quick)
    assert vars(quick).keys() == vars(slow).keys()
    assert same(quick, slow)
    assert quick.has_canonical_format
    assert quick.has_sorted_indices
    assert np.shares_memory(quick.indices, indices)
    assert np.shares_memory(quick.indptr, indptr)


def test_from_csr_parts_unites_the_index_types():
    pattern = SparsityPattern.from_csr_parts(
        np.array([0, 1], dtype=np.int64), np.array([0], dtype=np.int32), (1, 1)
    )
    assert pattern.indptr.dtype == pattern.indices.dtype == np.int64


def test_from_csr_parts_instances_are_independent():
    one = SparsityPattern.from_csr_parts(np.array([0, 1]), np.array([0]), (1, 1))
    two = SparsityPattern.from_csr_parts(np.array([0, 0]), np.array([], dtype=int), (1, 1))
    one.has_canonical_format = False
    assert two.has_canonical_format
    assert (one.nnz, two.nnz) == (1, 0)


def test_from_csr_parts_copies_no_index():
    indptr, indices = np.arange(6, dtype=np.int32), np.arange(5, dtype=np.int32)
    pattern = SparsityPattern.from_csr_parts(indptr, indices, (5, 5))
    assert np.shares_memory(pattern.indptr, indptr)
    assert np.shares_memory(pattern.indices, indices)


A = random_pattern((5, 5), 0.4)
OPERATIONS = {
    "add": lambda p: p + p,
    "subtract from float": lambda p: sp.csr_array(np.ones((5, 5))) - p,
    "scale": lambda p: p * 2.5,
    "scale from the left": lambda p: 2 * p,
    "divide": lambda p: p / 2,
    "matmul": lambda p: p @ p,
    "matmul dense": lambda p: p @ np.arange(5.0),
    "dense matmul": lambda p: np.arange(5.0) @ p,
    "multiply": lambda p: p.multiply(p.T),
    "multiply dense": lambda p: p.multiply(np.arange(25.0).reshape(5, 5)),
    "maximum": lambda p: p.maximum(p.T),
    "not equal": lambda p: p != p.T,
    "greater": lambda p: p > p.T,
    "abs": abs,
    "power": lambda p: p.power(2),
    "astype": lambda p: p.astype(float),
    "transpose": lambda p: p.T,
    "tocsc": lambda p: p.tocsc(),
    "tocoo": lambda p: p.tocoo(),
    "reshape": lambda p: p.reshape(1, 25),
    "sum": lambda p: p.sum(axis=1),
    "kron": lambda p: sp.kron(p, p),
    "vstack": lambda p: sp.vstack([p, p]),
    "block": lambda p: sp.block_array([[p, None], [None, p]]),
    "tril": sp.tril,
    "diagonal": lambda p: p.diagonal(),
    "toarray": lambda p: p.toarray(),
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "row": lambda p: p[[1]],
    "rows": lambda p: p[1:4],
    "columns": lambda p: p[:, ::-1],
    "fancy": lambda p: p[[3, 0, 0]],
    "submatrix": lambda p: p[1:3, [4, 0]],
    "mask": lambda p: p[np.arange(5) > 2],
    "copy": lambda p: p.copy(),
    "tocsr": lambda p: p.tocsr(copy=True),
    "astype bool": lambda p: p.astype(bool),
}
STAYS_A_PATTERN = {"row", "rows", "columns", "fancy", "submatrix", "mask", "copy", "tocsr"}
STAYS_A_PATTERN |= {"astype bool"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_give_what_scipy_gives(name):
    ours, plain = OPERATIONS[name](A), OPERATIONS[name](sp.csr_array(A))
    assert same(ours, plain)
    if name in STAYS_A_PATTERN:
        assert_canonical(ours)
    else:
        assert type(ours) is type(plain)
        assert not isinstance(ours, SparsityPattern)


def test_elements_and_iteration():
    assert [[A[i, j] for j in range(5)] for i in range(5)] == A.toarray().tolist()
    np.testing.assert_array_equal(np.array([row.toarray().ravel() for row in A]), A.toarray())


def test_is_a_csr_array():
    assert isinstance(A, SparsityPattern)
    assert isinstance(A, sp.csr_array)
    assert sp.issparse(A)
    assert A.format == "csr"


def test_assignment_is_refused():
    pattern = A.copy()
    with pytest.raises(TypeError, match=r"csr_array\(pattern, copy=True\)"):
        pattern[0, 0] = False
    with pytest.raises(TypeError, match="does not support assignment"):
        pattern.setdiag(False)
    assert same(pattern, A)


def test_in_place_operators_rebind():
    pattern = original = A.copy()
    pattern *= 0
    assert type(pattern) is sp.csr_array
    quotient = original
    quotient /= 2
    assert same(quotient, A.toarray() / 2)
    assert_canonical(original)
    assert same(original, A)


def test_least_squares_takes_it():
    def residuals(x):
        return np.append(x[:-1] ** 2 + x[1:] - 2, x[-1] - 1)

    banded = SparsityPattern(np.eye(6) + np.eye(6, k=1))
    fit = least_squares(residuals, np.full(6, 0.5), jac_sparsity=banded)
    assert fit.success
    np.testing.assert_allclose(fit.x, 1, atol=1e-6)


def test_solve_ivp_takes_it():
    tridiagonal = SparsityPattern(np.eye(8) + np.eye(8, k=1) + np.eye(8, k=-1))

    def heat(t, u):
        padded = np.pad(u, 1)
        return padded[2:] - 2 * u + padded[:-2]

    start = np.sin(np.pi * np.arange(1, 9) / 9)
    solved = solve_ivp(heat, (0, 1), start, method="BDF", jac_sparsity=tridiagonal, rtol=1e-6)
    rate = 2 * np.cos(np.pi / 9) - 2
    np.testing.assert_allclose(solved.y[:, -1], start * np.exp(rate), rtol=1e-4)


def test_linear_algebra_and_graphs_take_it():
    lower = SparsityPattern(np.tri(4))
    np.testing.assert_allclose(spsolve(lower.astype(float).tocsc(), np.ones(4)), [1, 0, 0, 0])
    np.testing.assert_allclose(aslinearoperator(lower).matvec(np.ones(4)), [1, 2, 3, 4])
    assert structural_rank(lower) == 4
    assert connected_components(SparsityPattern(np.eye(3)))[0] == 3


@pytest.mark.parametrize("shape", EMPTY)
def test_empty_patterns(shape, tmp_path):
    rows, columns = shape
    for pattern in (
        SparsityPattern(shape),
        SparsityPattern.from_csr_parts(np.zeros(rows + 1, int), np.zeros(0, int), shape),
    ):
        assert_canonical(pattern)
        assert pattern.density == 0
        assert repr(pattern) == f"SparsityPattern: {rows} x {columns}, 0 entries (0 %)"
        assert str(pattern).startswith(repr(pattern))
        pattern.save(tmp_path / "empty.npz")
        pattern.to_mtx(tmp_path / "empty.mtx")
        for again in (
            SparsityPattern.load(tmp_path / "empty.npz"),
            SparsityPattern(mmread(tmp_path / "empty.mtx")),
            pickle.loads(pickle.dumps(pattern)),
            pattern.copy(),
            copy.deepcopy(pattern),
        ):
            assert_canonical(again)
            assert again.shape == shape
        assert "coordinate pattern general" in (tmp_path / "empty.mtx").read_text()
        assert (pattern.T @ pattern).shape == (columns, columns)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, SparsityPattern.copy])
def test_copies(duplicate):
    again = duplicate(A)
    assert_canonical(again)
    assert same(again, A)
    assert np.shares_memory(again.indices, A.indices) == (duplicate is copy.copy)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    again = pickle.loads(pickle.dumps(A, protocol))
    assert_canonical(again)
    assert same(again, A)


@pytest.mark.parametrize(
    ("dense", "text"),
    [
        (np.ones((2, 3)), "2 x 3, 6 entries (100 %)"),
        (np.eye(1, 2), "1 x 2, 1 entry (50 %)"),
        (np.eye(1, 3), "1 x 3, 1 entry (33.3 %)"),
    ],
)
def test_repr(dense, text):
    assert repr(SparsityPattern(dense)) == f"SparsityPattern: {text}"


def test_str_is_the_line_and_the_picture():
    assert str(SparsityPattern(np.eye(4, 2))) == (
        "SparsityPattern: 4 x 2, 2 entries (25 %)\n┌─┐\n│⠑│\n└─┘"
    )


def dots(picture: str) -> np.ndarray:
    """Read a braille picture back, from Unicode's definition of the cells."""
    order = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (3, 0), (3, 1)]
    lines = [line.strip("│") for line in picture.splitlines()[1:-1]]
    read = np.zeros((4 * len(lines), 2 * len(lines[0])), dtype=bool)
    for i, line in enumerate(lines):
        for j, character in enumerate(line):
            for bit, (row, column) in enumerate(order):
                read[4 * i + row, 2 * j + column] = (ord(character) - 0x2800) >> bit & 1
    return read


@pytest.mark.parametrize("shape", [(1, 1), (4, 2), (5, 3), (80, 120), (7, 111), (79, 1)])
def test_small_patterns_are_drawn_dot_for_dot(shape):
    pattern = random_pattern(shape, 0.3)
    read = dots(braille(pattern.indptr, pattern.indices, shape))
    np.testing.assert_array_equal(read[: shape[0], : shape[1]], pattern.toarray())
    assert read.sum() == pattern.nnz


@pytest.mark.parametrize("shape", [(81, 120), (500, 500), (1000, 3), (2, 999), (237, 1111)])
def test_a_dot_means_some_entry_in_its_block(shape):
    pattern = random_pattern(shape, 3 / max(shape))
    read = dots(braille(pattern.indptr, pattern.indices, shape))
    drawn = tuple(
        min(max(round(size / max(shape[0] / 80, shape[1] / 120)), min(size, 16)), most)
        for size, most in zip(shape, (80, 120), strict=True)
    )
    expected = np.zeros(drawn, dtype=bool)
    for i, j in zip(*pattern.nonzero(), strict=True):
        expected[i * drawn[0] // shape[0], j * drawn[1] // shape[1]] = True
    np.testing.assert_array_equal(read[: drawn[0], : drawn[1]], expected)
    assert read.sum() == expected.sum()


@pytest.mark.parametrize("shape", [(10**6, 10**6), (10**6, 1), (1, 10**6), (100, 7000)])
def test_pictures_fit(shape):
    lines = str(SparsityPattern(shape)).splitlines()
    assert len(lines) <= 1 + 20 + 2
    assert len({len(line) for line in lines[1:]}) == 1
    assert len(lines[1]) <= 62


def test_large_patterns_print_in_little_memory():
    n = 2000
    indptr = np.arange(0, n * n + 1, n, dtype=np.int32)
    full = SparsityPattern.from_csr_parts(indptr, np.tile(np.arange(n, dtype=np.int32), n), (n, n))
    tracemalloc.start()
    picture = str(full)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12 * full.nnz  # some arrays of the entries' number, and no lists of them
    assert picture.count("⣿") == 40 * 20


@pytest.mark.parametrize("name", ["pattern.npz", "pattern"])
def test_save_and_load(name, tmp_path):
    A.save(tmp_path / name)
    again = SparsityPattern.load(str(tmp_path / name))
    assert_canonical(again)
    assert same(again, A)
    assert type(sp.load_npz(tmp_path / "pattern.npz")) is sp.csr_array


def test_load_reads_scipy_files(tmp_path):
    sp.save_npz(tmp_path / "given.npz", sp.csc_matrix(DENSE))
    assert same(SparsityPattern.load(tmp_path / "given.npz"), DENSE != 0)
    with pytest.raises(OSError, match=r"absent\.npz"):
        SparsityPattern.load(tmp_path / "absent")


def test_to_mtx(tmp_path):
    SparsityPattern(DENSE).to_mtx(tmp_path / "pattern.mtx")
    lines = (tmp_path / "pattern.mtx").read_text().splitlines()
    assert lines[0] == "%%MatrixMarket matrix coordinate pattern general"
    assert [line for line in lines if not line.startswith("%")] == ["3 3 3", "1 2", "3 1", "3 3"]
    assert same(mmread(tmp_path / "pattern.mtx").toarray() != 0, DENSE != 0)


def test_spy_without_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'sparsetrace\[plot\]'"):
        A.spy()


def test_spy(monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = A.spy()
    x, y = axes.lines[0].get_data()
    assert sorted(zip(y, x, strict=True)) == sorted(zip(*A.nonzero(), strict=True))
    _, given = pyplot.subplots()
    assert A.spy(given, markersize=3) is given
    assert given.lines[0].get_markersize() == 3
    for shape in EMPTY:
        SparsityPattern(shape).spy()
    pyplot.close("all")
