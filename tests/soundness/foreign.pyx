# cython: language_level=3
"""Ways in which Cython code takes arrays and numbers."""

cimport numpy as cnp

cnp.import_array()


def view(double[:] v):
    return v[0] * 2.0


def view_written(double[:] v):
    v[0] = 2.0


def contiguous(double[::1] v):
    return v[0] * 2.0


def constant(const double[:] v):
    return v[0] * 2.0


def buffer(cnp.ndarray[double] v):
    return v[0] * 2.0


def objects(object[:] v):
    return v[0] * 2.0


def object_buffer(cnp.ndarray[object] v):
    return v[0] * 2.0


def declared(cnp.ndarray v):
    return v[0] * 2.0


cdef double twice(double a):
    return 2.0 * a


def number(a):
    return twice(a)


def index(Py_ssize_t i):
    return i


def unchecked_write(cnp.ndarray v):
    cdef double* p = <double*>cnp.PyArray_DATA(v)
    cdef Py_ssize_t i
    for i in range(v.shape[0]):
        p[i] = 2.0
