# cython: language_level=3, boundscheck=False
"""Functions of arrays: what they give, where they write, and what they keep."""

cimport numpy as cnp
from cython cimport floating

import numpy as np

cnp.import_array()


def constant(const double[:] v):
    return v[0] * v[1]


def view(double[:] v):
    return v[0] * v[1]


def untyped(v):
    cdef const double[::1] m = v
    return m[0] * m[1]


def either(floating[:] v):
    return v[0] * v[1]


def pair(const double[:, ::1] m, double scale=1.0):
    cdef Py_ssize_t i
    made = np.empty(m.shape[0])
    cdef double[:] out = made
    for i in range(m.shape[0]):
        out[i] = m[i, 0] * scale
    return made, {"first": m[0, 0], "order": np.argsort(made), "n": int(m[0, 0] > 0.5)}


def fill(const double[:] v, double[:] out):
    cdef Py_ssize_t i
    for i in range(v.shape[0]):
        out[i] = v[i] * v[i - 1] if i else v[0]


def fill_element(const double[:] v, double[:] out, Py_ssize_t i):
    out[i] = v[i]


def filled(const double[:] v, double[:] out):
    out[0] = v[0]
    return out.base, v[1]


def count(const double[:] v, long[:] out):
    out[0] = 2 if v[0] > 0.25 else 1


def doubled(double[:] v):
    cdef Py_ssize_t i
    for i in range(v.shape[0]):
        v[i] = 2.0 * v[i]


def shifted(const double[:] v, double[:] out):
    cdef Py_ssize_t i
    for i in range(v.shape[0]):
        out[i] = out[i] + v[i]


def write_if(const double[:] v, double[:] out):
    if v[0] > 50.0:
        out[0] = v[2]
    return v[1]


def write_untyped_if(v, out):
    cdef const double[:] m = v
    if m[0] > 50.0:
        out[0] = m[2]
    return m[1]


def write_asarray_if(v, out):
    cdef const double[:] m = v
    if m[0] > 50.0:
        np.asarray(out)[0] = m[2]
    return m[1]


def write_raw_if(cnp.ndarray[double] v, cnp.ndarray out):
    cdef double* p = <double*>cnp.PyArray_DATA(v)
    cdef double* q = <double*>cnp.PyArray_DATA(out)
    if p[0] > 50.0:
        q[0] = p[2]
    return p[1]


def write_list(const double[:] v, list out):
    out.append(v[0])
    return v[1]


def sized(const double[:] v):
    return np.full(int(10 * v[0]), v[1])


def large(const double[:] v):
    return np.full(2 if v[0] > 20.0 else 1, v[1])


def first_of(items, named):
    cdef const double[:] m = items[1][0]
    cdef const double[:] n = named["b"]
    return m[0] * items[1][1][0][0] + n[0]


def kind(const double[:] v):
    return v[0] if v[0] < 0.75 else None


def refuses(const double[:] v):
    if v[0] > 2.0:
        raise ValueError("too large")
    return v[1]


def refuses_large(const double[:] v):
    if v[0] > 50.0:
        raise ArithmeticError("too large")
    return v[1]


def status(const double[:] v):
    return 0


cdef object kept_view = None
cdef double kept_number = 0.0
kept_list = []


def keep_view(double[:] v):
    global kept_view
    kept_view = v
    return v[0]


def keep_array(v):
    global kept_view
    cdef double[:] m = v
    kept_view = v
    return m[0]


def keep_number(const double[:] v):
    global kept_number
    kept_number = v[0]


def keep_in_list(const double[:] v):
    kept_list.append(v[0])
    return v[1]


def last_and_this(const double[:] v):
    global kept_number
    before = kept_number
    kept_number = v[0]
    return before + v[1]


cdef double[3] workspace


def static(const double[:] v):
    workspace[0] = v[0]
    return np.asarray(<double[:3]> workspace)


def itself(double[:] v):
    return np.asarray(v)


def drawn(const double[:] v):
    return v[0] + np.random.normal()


def text(const double[:] v):
    return str(v[0])


def with_function(const double[:] v, f):
    return f(v[0])


def applied(v, f):
    return f(v)


helper = None


def calls_python(const double[:] v):
    return helper(v[0])


class Model:
    """A class of Python's, compiled."""

    def __init__(self):
        self.last = 0.0

    def value(self, const double[:] v):
        before, self.last = self.last, v[0]
        return before + v[1]


cdef class Kept:
    cdef double last

    def value(self, const double[:] v):
        before, self.last = self.last, v[0]
        return before + v[1]


kernels = {"product": constant, "view": view}
