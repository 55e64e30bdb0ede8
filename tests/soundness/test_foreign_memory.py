"""No foreign code writes into or reads from a traced array's memory unnoticed.

After each attempt the interpreter collects its garbage, and further traces are right.
"""

from __future__ import annotations

import array
import ctypes
import gc
import hashlib
import importlib.util
import io
import json
import marshal
import pickle
import shutil
import struct
import subprocess
import sys
import sysconfig
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest
from outside import Outside

from sparsetrace import TracingError, jacobian_sparsity
from sparsetrace.operands.poison import repaired

HERE = Path(__file__).parent
plain = np.zeros(3)

READERS = {
    "memoryview": lambda x: memoryview(x),
    "memoryview of an element": lambda x: memoryview(x[:1]),
    "bytes": lambda x: bytes(x),
    "bytearray": lambda x: bytearray(x),
    "bytes of an element": lambda x: bytes(x[0]),
    "int.from_bytes": lambda x: int.from_bytes(x, "little"),
    "str": lambda x: str(x, "latin1"),
    "bytes.join": lambda x: b"".join([x]),
    "frombuffer": lambda x: np.frombuffer(x),
    "frombuffer of a memoryview": lambda x: np.frombuffer(memoryview(x)),
    "array of a memoryview": lambda x: np.array(memoryview(x)),
    "ndarray(buffer=)": lambda x: np.ndarray(x.shape, buffer=x),
    "array.array": lambda x: array.array("d", x),
    "array.array of bytes": lambda x: array.array("d", bytes(x)),
    "struct.pack": lambda x: struct.pack("d", x[0]),
    "struct.pack_into a buffer": lambda x: struct.pack_into("d", np.zeros(3), 0, x[0]),
    "struct.pack_into the array": lambda x: struct.pack_into("d", x, 0, 1.0),
    "struct.unpack_from": lambda x: struct.unpack_from("d", x),
    "BytesIO": lambda x: io.BytesIO(x).read(),
    "BytesIO.write": lambda x: io.BytesIO().write(x),
    "readinto": lambda x: io.BytesIO(bytes(24)).readinto(x),
    "hashlib": lambda x: hashlib.sha1(x).hexdigest(),
    "zlib.crc32": lambda x: zlib.crc32(x),
    "pickle": lambda x: pickle.dumps(x),
    "pickle of an element": lambda x: pickle.dumps(x[0]),
    "PickleBuffer": lambda x: pickle.PickleBuffer(x),
    "marshal": lambda x: marshal.dumps(x),
    "marshal of an element": lambda x: marshal.dumps(x[0]),
    "tobytes": lambda x: x.tobytes(),
    "x.data": lambda x: x.data.tobytes(),
    "x.tofile": lambda x: x.tofile("never"),
    "x.ctypes": lambda x: x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
    "as_ctypes": lambda x: np.ctypeslib.as_ctypes(x),
    "ndpointer": lambda x: np.ctypeslib.ndpointer(float).from_param(x),
    "from_buffer": lambda x: (ctypes.c_double * 1).from_buffer(x),
    "from_buffer_copy": lambda x: (ctypes.c_double * 1).from_buffer_copy(x),
    "memmove": lambda x: ctypes.memmove(x.ctypes, (ctypes.c_double * 1)(), 8),
    "c_double": lambda x: ctypes.c_double(x[0]),
    "ctypes array": lambda x: (ctypes.c_double * 1)(*x[:1]),
    "ctypes array, set": lambda x: (ctypes.c_double * 1)().__setitem__(0, x[0]),
    "nditer, digits": lambda x: [float(str(v)) for v in np.nditer(x, flags=["refs_ok"])],
    "nditer, memory": lambda x: [np.frombuffer(v) for v in np.nditer(x, flags=["refs_ok"])],
    "nditer, views": lambda x: np.nditer(x, flags=["refs_ok"]).itviews,
    "as_strided": lambda x: np.lib.stride_tricks.as_strided(x, (2,), (-8,)).sum(),
    "as_strided, text": lambda x: repr(np.lib.stride_tricks.as_strided(x, (2,), (-8,))),
    "__array_interface__": lambda x: x.__array_interface__["data"],
    "DLPack": lambda x: x.__dlpack__(),
}


def survives() -> None:
    """The interpreter is whole: garbage is collected, and further traces are right."""
    gc.collect()
    for _ in range(100):
        assert jacobian_sparsity(lambda x: x * x, np.ones(3)).nnz == 3
    assert not repaired()


@pytest.mark.parametrize("swallowed", [False, True])
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("name", READERS)
def test_foreign_reads_are_refused(name, size, local, swallowed):
    def f(x):
        try:
            READERS[name](x)
        except Exception:
            if not swallowed:
                raise
        return x * 2

    with pytest.raises(TracingError):
        jacobian_sparsity(f, np.ones(size), local=local)
    assert not plain.any()


WRITERS = {
    "into a plain array": lambda x: plain[: x.size].__setitem__(..., x),
    "copyto a plain array": lambda x: np.copyto(plain[: x.size], x),
    "out= a plain array": lambda x: np.add(x, 1.0, out=plain[: x.size]),
    "plain element": lambda x: plain.__setitem__(0, x[0]),
}


@pytest.mark.parametrize("swallowed", [False, True])
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("name", WRITERS)
def test_writes_into_a_plain_array_are_traced_or_refused(name, size, local, swallowed):
    """Traced where the array is reached; the error of the first run is not the function's own."""

    def f(x, write=WRITERS[name]):
        try:
            write(x)
        except Exception:
            if not swallowed:
                raise
        return plain[:1] * 2

    assert jacobian_sparsity(f, np.ones(size), local=local).nnz == 1
    with pytest.raises(TracingError):
        jacobian_sparsity(f, np.ones(size), local=local, capture=False)
    assert not plain.any()


@pytest.mark.slow
def test_the_interpreter_survives_them():
    for read in READERS.values():
        with pytest.raises(TracingError):
            jacobian_sparsity(lambda x, read=read: [read(x), x][1], np.ones(3))
        survives()


def test_the_buffers_of_plain_arrays_are_as_before():
    assert bytes(memoryview(np.ones(1))) == struct.pack("d", 1.0)

    def f(x):
        out = np.ones(2)  # holds constants alone, and so has memory
        assert bytes(out) == struct.pack("dd", 1.0, 1.0)
        return x * np.frombuffer(memoryview(out))

    assert jacobian_sparsity(f, np.ones(2)).nnz == 2


def test_a_write_past_every_check_is_found():
    """As by C code that takes the address from NumPy's structure; the poison is whole again."""
    from sparsetrace.operands import poison

    def f(x):
        poison._words[poison._GUARDS] = 0x4000000000000000
        return x * 2

    with pytest.raises(TracingError, match="wrote into the memory of a traced array"):
        jacobian_sparsity(f, np.ones(2))
    survives()


SCRIPT = """
import importlib.util, json, sys
import numpy as np
sys.path[:0] = {folders!r}
from soundness.test_foreign_memory import survives
import sparsetrace

spec = importlib.util.spec_from_file_location("foreign", {module!r})
foreign = importlib.util.module_from_spec(spec)
spec.loader.exec_module(foreign)
found = {{}}
for name in {names!r}:
    for size in (1, 3):
        def f(x):
            given = dict(number=x[0], index=np.argmax(x)).get(name, x)
            result = getattr(foreign, name)(given)
            return result if name == "declared" else x * 2
        try:
            found[name] = sparsetrace.jacobian_sparsity(f, np.ones(size)).toarray().tolist()
        except sparsetrace.TracingError as error:
            found[name] = str(error)
        except ValueError as error:  # a plain call says so, too: floats are no objects
            assert name in ("objects", "object_buffer"), name
            found[name] = f"<string>:16 {{error}}"
        survives()
print(json.dumps(found))
"""
CYTHON = (
    "view view_written contiguous constant buffer objects object_buffer declared number index "
    "unchecked_write"
).split()


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("Cython") is None, reason="needs Cython")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a compiler")
def test_cython(tmp_path):
    """In a process of its own, which it may not bring down."""
    source, library = tmp_path / "foreign.c", tmp_path / "foreign.so"
    cython = [sys.executable, "-m", "cython", "-3", str(HERE / "foreign.pyx"), "-o", str(source)]
    subprocess.run(cython, check=True)
    headers = ["-I", sysconfig.get_paths()["include"], "-I", np.get_include()]
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-w", *headers, str(source), "-o", str(library)], check=True
    )
    folders = [str(HERE.parent), str(HERE.parent / "support")]
    script = SCRIPT.format(folders=folders, module=str(library), names=CYTHON)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.pop("declared") == [[1, 0, 0]]  # reads elements as Python does
    assert found.pop("index") == np.eye(3).tolist()  # asks for one number, as Python does
    assert len(found) == len(CYTHON) - 2
    for name, text in found.items():
        assert isinstance(text, str), f"{name} is not refused: {text}"
        assert "<string>:16" in text or name == "unchecked_write", text


def test_numba_and_the_interpreter_survives(tmp_path):
    numba = pytest.importorskip("numba")

    @numba.njit
    def overwrite(u):
        for i in range(u.size):
            u[i] = 2.0 * i

    overwrite(np.ones(3))  # compiled for arrays of float64

    def f(x):
        v = x.copy()
        overwrite(v)
        return v * x

    for capture in (True, False):
        if capture:
            assert jacobian_sparsity(f, np.ones(3)).nnz == 2
        else:
            with pytest.raises(TracingError, match="numba"):
                jacobian_sparsity(f, np.ones(3), capture=False)
        survives()


def test_numba_compiles_during_a_trace():
    """NumPy's functions are exchanged then; numba knows them by identity."""
    numba = pytest.importorskip("numba")

    @numba.njit
    def weights(n):
        w = np.zeros(n)
        for i in range(n):
            w[i] = max(np.cos(float(i)), 0.0)
        return w

    found = jacobian_sparsity(lambda x: weights(3) * x, np.ones(3)).toarray()
    assert np.array_equal(found, np.diag([1, 1, 0]))
    assert weights(3)[0] == 1.0


LATE = """
import numpy as np, sparsetrace

def f(x):
    import numba
    return numba.njit(lambda u: u * u)(x)

print(sparsetrace.jacobian_sparsity(f, np.ones(3)).nnz, f(np.ones(2)))
"""


def test_numba_imported_during_a_trace():
    """It looks for NumPy's own functions, and finds them."""
    pytest.importorskip("numba")
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True)
    assert done.stdout == "3 [1. 1.]\n", done.stderr


def test_numba_is_as_before_after_every_trace():
    numba = pytest.importorskip("numba")
    kernel = numba.njit(lambda u: u * u)
    owner = type(kernel).__mro__[1]
    lookup = sys.modules["numba.core.typing.context"].BaseContext._lookup_global

    def fails(x):
        assert "__call__" in vars(owner)
        raise KeyError(kernel(x))

    for _ in range(2):
        assert jacobian_sparsity(lambda x: kernel(x), np.ones(2)).nnz == 2
        with pytest.raises((KeyError, TracingError)):
            jacobian_sparsity(fails, np.ones(2))
        assert "__call__" not in vars(owner)
        assert "_captures" not in vars(owner)
        assert sys.modules["numba.core.typing.context"].BaseContext._lookup_global is lookup
    assert kernel(3.0) == 9.0


def test_other_threads_call_machine_code_during_a_trace():
    numba = pytest.importorskip("numba")
    kernel = numba.njit(lambda u: u + 1.0)
    found = Outside()

    def f(x):
        thread = threading.Thread(target=lambda: found.append(kernel(np.ones(2))))
        thread.start()
        thread.join()
        return kernel(x)

    assert jacobian_sparsity(f, np.ones(2)).nnz == 2
    assert isinstance(found[0], np.ndarray)
    assert found[0].tolist() == [2.0, 2.0]


@pytest.mark.parametrize("local", [False, True])
def test_functions_compiled_in_the_traced_one_close_over_its_argument(local):
    numba = pytest.importorskip("numba")

    def f(x):
        scale, part = x[0] + 1.0, x[1:3]

        @numba.njit
        def inner(u):
            return u * scale

        @numba.njit
        def outer(i):
            return inner(1.5) * part[i]

        @numba.vectorize
        def added(u):
            return u + scale

        return np.concatenate([[outer(0), outer(1)], added(np.ones(1))])

    found = jacobian_sparsity(f, np.ones(3), local=local).toarray()
    assert found.astype(int).tolist() == [[1, 1, 0], [1, 0, 1], [1, 0, 0]]
