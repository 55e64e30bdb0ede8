"""Compiled functions that read memory, by names that the program has: those that SciPy is made of.

Functions of Cython's own, compiled for the purpose, are in `tests/soundness`.
"""

from __future__ import annotations

import ctypes
import functools
import operator
import os
import types

import numpy as np
import pytest
from scipy.interpolate import _ppoly, _rbfinterp_pythran
from scipy.signal import _peak_finding_utils
from scipy.signal._peak_finding_utils import _peak_prominences as prominences

from sparsetrace import EscapeError, TracingError, hessian_sparsity, jacobian_sparsity
from sparsetrace.capture.compiled_arguments import Arguments, GivenUp
from sparsetrace.capture.compiled_functions import Compiled, is_compiled
from sparsetrace.context import Trace
from sparsetrace.user_code.effects import has_effects

_vq = pytest.importorskip("scipy.cluster._vq", reason="until SciPy 1.17")
POINT = np.array([1.0, 3.0, 2.0, 5.0, 4.0, 4.5])
kernels = {"vq": _vq.vq, "not compiled": len}


def of_peaks(x):
    return prominences(x, np.array([1, 3]), -1)[0]


def nearest(x):
    codes, distances = _vq.vq(x.reshape(3, 2), np.array([[1.0, 2.0], [3.0, 4.0]]))
    return [*distances, *np.where(codes > 0, x[0], x[1])]


def of_table(x):
    return kernels["vq"](x.reshape(3, 2), np.ones((1, 2)))[1]


def pythran(x):
    powers = np.array([[0, 0], [1, 0], [0, 1]])
    y, d = x.reshape(3, 2), np.ones((3, 1))
    return _rbfinterp_pythran._build_system(y, d, np.zeros(3), "gaussian", 1.0, powers)[0].ravel()


def polynomial(x):
    """The coefficients, at places: into an array that it is given."""
    out = np.empty((4, 1))
    _ppoly.evaluate(x.reshape(3, 2, 1), np.arange(3.0), np.linspace(0.5, 1.5, 4), 0, True, out)
    return out[:, 0]


FUNCTIONS = {f.__name__: f for f in (of_peaks, nearest, of_table, pythran, polynomial)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_taken_as_a_whole_at_a_point(name):
    f = FUNCTIONS[name]
    wanted = [np.asarray(f(POINT + 1e-5 * row)) != np.asarray(f(POINT)) for row in np.eye(6)]
    found = jacobian_sparsity(f, POINT, local=True)
    assert not (np.array(wanted).T & ~found.toarray()).any()
    assert any("compiled, taken to depend on all of its arguments" in t for t in found.taken_whole)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_elsewhere_they_are_refused(name):
    """No numbers but the user's own are safe to run them on."""
    with pytest.raises(EscapeError) as caught:
        jacobian_sparsity(FUNCTIONS[name], POINT)
    assert caught.value.remedies


def test_a_stand_in_of_another_trace_leaves_global_ones_to_the_function_itself():
    """Names are exchanged for all threads."""
    with pytest.raises(EscapeError):
        jacobian_sparsity(lambda x: Compiled(_vq.vq)(x.reshape(3, 2), np.ones((1, 2)))[1], POINT)


def test_second_derivatives_are_those_of_all_pairs():
    found = hessian_sparsity(lambda x: of_peaks(x[:5])[1] + x[5], POINT, local=True).toarray()
    assert found[:5, :5].all()
    assert not found[5].any()


def test_whole_numbers_have_no_derivative():
    def f(x):
        return x[:3] * _vq.vq(x.reshape(3, 2).copy(), np.ones((2, 2)))[0]

    point = POINT[::-1].copy()
    codes = _vq.vq(point.reshape(3, 2), np.ones((2, 2)))[0]
    found = jacobian_sparsity(f, point, local=True, constants="structure").toarray()
    assert codes.tolist() == [0, 0, 0]
    assert found.astype(int).tolist() == np.eye(3, 6).tolist()
    assert jacobian_sparsity(f, point, local=True, dependency=True).nnz == 18


def test_an_array_is_written_where_the_call_shows_it():
    def f(x):
        _vq.vq(x.reshape(3, 2), np.ones((2, 2)))
        return x

    assert jacobian_sparsity(f, POINT, local=True).nnz == 6


def test_steps_beside_the_point_are_seen():
    """Both centroids are as near: which one comes first says nothing of the points around."""

    def f(x):
        codes, _ = _vq.vq(x[:2].reshape(1, 2), np.array([[-1.0, 0.0], [1.0, 0.0]]))
        return x[2] if codes[0] else x[3]

    found = jacobian_sparsity(f, np.array([0.0, 1.0, 2.0, 3.0]), local=True).toarray()
    assert found[0, 2:].all()


def test_other_dtypes_are_refused_as_by_the_function_itself():
    def f(x):
        return _vq.vq(x.reshape(3, 2).astype(np.float32), np.ones((1, 2)))[1]

    with pytest.raises(TypeError, match="same dtype"):
        jacobian_sparsity(f, POINT, local=True)


def test_objects_as_arguments_are_refused():
    class Centres(np.ndarray):
        pass

    def f(x):
        return _vq.vq(x.reshape(3, 2), np.ones((1, 2)).view(Centres))[1]

    with pytest.raises(TracingError, match="vq"):
        jacobian_sparsity(f, POINT, local=True)


def test_whole_numbers_are_those_at_the_point():
    def f(x):
        codes, _ = _vq.vq(x.reshape(3, 2), np.array([[1.0, 2.0], [3.0, 4.0]]))
        return _vq.update_cluster_means(x.reshape(3, 2), codes, 2)[0]

    assert jacobian_sparsity(f, POINT, local=True).nnz >= 6


class TestOfLibraries:
    """Functions that ctypes calls, by the address of an array."""

    libc = ctypes.CDLL(None) if os.name == "posix" else None
    pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs the library of C")

    @pytest.fixture(autouse=True)
    def declared(self):
        of_array = np.ctypeslib.ndpointer(float)
        self.libc.memcpy.argtypes = [of_array, of_array, ctypes.c_size_t]
        self.libc.memcpy.restype = ctypes.c_void_p

    def copied(self, x):
        out = np.zeros(4)
        self.libc.memcpy(out[1:], x, 24)
        return out

    def test_what_they_write_at_a_point_depends_on_all(self):
        before = self.libc.memcpy
        found = jacobian_sparsity(self.copied, POINT[:3], local=True).toarray()
        assert found.astype(int).tolist() == [[0, 0, 0], *[[1, 1, 1]] * 3]
        assert self.libc.memcpy is before

    def test_elsewhere_they_are_refused(self):
        with pytest.raises(EscapeError, match=r"x\.ctypes"):
            jacobian_sparsity(self.copied, POINT[:3])

    def test_no_address_is_taken_for_a_number(self):
        def f(x):
            return x * self.libc.memcpy(np.zeros(3), x, 24)

        with pytest.raises(EscapeError, match=r"x\.ctypes"):
            jacobian_sparsity(f, POINT[:3], local=True)

    def test_constants_are_left_to_the_function_itself(self):
        def f(x):
            out = np.zeros(3)
            self.libc.memcpy(out, np.arange(3.0), 24)
            return x * out

        assert jacobian_sparsity(f, POINT[:3]).toarray().astype(int).tolist() == [
            [0, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
        ]

    @pytest.mark.parametrize("n", [1, 600])
    def test_what_is_read_or_written_beside_an_array_is_no_argument(self, n):
        """A part of an array is given, and more is read of it, or written."""

        def reads(x):
            out = np.zeros(n + 1)
            self.libc.memcpy(out, x[:n], 8 * (n + 1))
            return out[n]

        def writes(x):
            out = np.zeros(n + 1)
            self.libc.memcpy(out[:n], x, 8 * (n + 1))
            return out[n]

        for f in (reads, writes):
            with pytest.raises(TracingError):
                jacobian_sparsity(f, np.arange(n + 1.0), local=True)

    def test_types_that_are_declared_in_the_traced_function(self):
        def f(x):
            self.libc.memcpy.restype = None
            return self.copied(x)

        assert jacobian_sparsity(f, POINT[:3], local=True).nnz == 9


@pytest.mark.parametrize("part", [np.ones((2, 2)), np.ones((4, 4))[::2, ::2], np.ones((2, 2)).T])
def test_a_write_beside_an_array_is_found(part):
    """Into what else is in the user's own array, of which this is a part."""
    copies = Arguments(Trace(1, local=True), (part,), {}).copies(rest=1)
    copies.arrays[0][0, 0] = 2.0
    assert copies.changed() == {0}
    array = copies.arrays[0]
    at = (array.__array_interface__["data"][0] - array.base.__array_interface__["data"][0]) // 8
    array.base[at - 1] = 2.0
    with pytest.raises(GivenUp):
        copies.changed()


def test_which_functions_are_meant():
    assert is_compiled(_vq.vq)
    assert is_compiled(_rbfinterp_pythran._build_system)
    assert is_compiled(_ppoly.evaluate)
    others = (len, operator.add, np.dot, np.sum, [].append, np.ones(1).sum, is_compiled, float)
    assert not any(map(is_compiled, (*others, functools.partial(_vq.vq), types.SimpleNamespace())))


def test_what_stands_for_one_may_write_anywhere():
    stand_in = Compiled(_vq.vq)
    assert has_effects(lambda x: stand_in(x, x))
    assert has_effects(stand_in)
    assert repr(stand_in) == repr(_vq.vq)
    assert stand_in.__name__ == "vq"


def test_names_are_put_back():
    before = _peak_finding_utils._peak_prominences
    jacobian_sparsity(of_peaks, POINT, local=True)
    jacobian_sparsity(of_table, POINT, local=True)
    assert _peak_finding_utils._peak_prominences is prominences is before
    assert kernels["vq"] is _vq.vq
    assert kernels["not compiled"] is len


def test_copies_lie_in_memory_as_what_they_stand_for():
    trace = Trace(1, local=True)
    arrays = [
        np.ones((3, 2)),
        np.ones(()),
        np.ones((0, 2)),
        np.ones((3, 2)).T,
        np.ones((4, 4))[::2, ::2],
        np.ones(5)[::-1],
    ]
    arrays[0].flags.writeable = False
    given = Arguments(trace, (arrays[0], [arrays[1], arrays[0]]), {"rest": (*arrays[2:], 1.0, "a")})
    copies = given.copies()
    for array, copy in zip(arrays, copies.arrays, strict=True):
        assert copy.shape == array.shape
        assert copy.flags.c_contiguous == array.flags.c_contiguous
        assert copy.flags.f_contiguous == array.flags.f_contiguous
        assert copy.flags.writeable == array.flags.writeable
        assert np.array_equal(copy, array)
        assert not np.shares_memory(copy, array)
    args, kwargs = copies.made()
    assert args[0] is args[1][1]
    assert kwargs["rest"][-2:] == (1.0, "a")
    with pytest.raises(GivenUp):
        Arguments(trace, (object(),), {})
