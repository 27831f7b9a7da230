#!/usr/bin/env python3
"""Exchange arrays with NumPy through DLPack, both ways: dlpack.py LIBRARY [SEED]."""
import ctypes
import gc
import random
import sys

import numpy as np

import tess

NO_END = -(2**63)  # TESS_NONE


class Four(ctypes.Structure):
    """A tess_shape or tess_strides. Not a ctypes array: that would be passed by address."""
    _fields_ = [(axis, ctypes.c_int64) for axis in "bdhw"]

    def __iter__(self):
        return iter((self.b, self.d, self.h, self.w))


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("index", ctypes.c_int32)]


class Array(ctypes.Structure):
    _fields_ = [("shape", Four), ("strides", Four), ("data", ctypes.c_void_p), ("buffer", ctypes.c_void_p),
                ("dtype", ctypes.c_int32), ("device", Device), ("flags", ctypes.c_uint32)]


CPU = Device(0, 0)
ARRAY = ctypes.POINTER(Array)

lib = ctypes.CDLL(sys.argv[1])
lib.tess_error_message.restype = ctypes.c_char_p
lib.tess_memory_used.restype = ctypes.c_int64
lib.tess_memory_used.argtypes = [Device]
lib.tess_release.restype = None
lib.tess_release.argtypes = [ARRAY]
lib.tess_dtype_parse.argtypes = [ctypes.POINTER(ctypes.c_int32), ctypes.c_char_p]
lib.tess_empty.argtypes = [ARRAY, Four, ctypes.c_int32, Device]
lib.tess_copy.argtypes = [ARRAY, ARRAY]
lib.tess_permute.argtypes = [ARRAY, ARRAY] + [ctypes.c_int] * 4
lib.tess_slice.argtypes = [ARRAY, ARRAY, ctypes.c_int] + [ctypes.c_int64] * 3
lib.tess_broadcast.argtypes = [ARRAY, ARRAY, Four]
lib.tess_get_f64.argtypes = [ctypes.POINTER(ctypes.c_double), ARRAY] + [ctypes.c_int64] * 4
lib.tess_set_f64.argtypes = [ARRAY] + [ctypes.c_int64] * 4 + [ctypes.c_double]
lib.tess_dlpack_import_unversioned.argtypes = [ARRAY, ctypes.c_void_p]
lib.tess_dlpack_export_unversioned.argtypes = [ctypes.POINTER(ctypes.c_void_p), ARRAY]

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

# A capsule keeps the pointer to its name, so these must live as long as the program.
FRESH, USED = ctypes.c_char_p(b"dltensor"), ctypes.c_char_p(b"used_dltensor")


class Refused(Exception):
    """A library function failed; the text is its message."""


def call(function, *arguments):
    if function(*arguments) != 0:
        raise Refused(lib.tess_error_message().decode())


def shape_of(sizes):
    return Four(*([1] * (4 - len(sizes)) + list(sizes)))


def dtype_of(name):
    dtype = ctypes.c_int32()
    call(lib.tess_dtype_parse, dtype, name.encode())
    return dtype.value


def contents(a):
    """The elements in b, d, h, w order, through tess_copy."""
    copy = Array()
    call(lib.tess_copy, copy, a)
    n_bytes = int(np.prod(list(a.shape))) * itemsizes[a.dtype]
    data = ctypes.string_at(copy.data, n_bytes) if n_bytes else b""
    lib.tess_release(copy)
    return data


def import_numpy(x):
    """A Tessera array over the memory of a NumPy array."""
    capsule = x.__dlpack__()
    a = Array()
    call(lib.tess_dlpack_import_unversioned, a, python.PyCapsule_GetPointer(capsule, FRESH))
    python.PyCapsule_SetName(capsule, USED)
    return a


class Exported:
    """A Tessera array as an object that np.from_dlpack takes."""

    def __init__(self, a):
        self.a = a

    def __dlpack__(self, **_):
        tensor = ctypes.c_void_p()
        call(lib.tess_dlpack_export_unversioned, tensor, self.a)
        return python.PyCapsule_New(tensor, FRESH, None)

    def __dlpack_device__(self):
        return (1, 0)


def numpy_speaks(dtype):
    """Some versions of NumPy exchange no bool."""
    try:
        np.zeros(1, dtype).__dlpack__()
        return True
    except (BufferError, TypeError):
        return False


names = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64", "complex64", "complex128"]
itemsizes = {dtype_of(name): np.dtype(name).itemsize for name in names}
spoken = [name for name in names if numpy_speaks(name)]


def random_values(sizes, name):
    n = int(np.prod(sizes))
    raw = np.array([rng.randrange(-50, 50) for _ in range(2 * n)], "float64")
    values = raw[:n] + 1j * raw[n:] if np.dtype(name).kind == "c" else raw[:n]
    if np.dtype(name).kind == "u":
        values = np.abs(values)
    return values.astype(name).reshape(sizes)


def random_slice(size):
    ends = [rng.choice([None, rng.randrange(-size - 1, size + 2)]) for _ in range(2)]
    return slice(ends[0], ends[1], rng.choice([1, 1, 2, 3, -1, -1, -2]))


def random_numpy_view(x):
    for _ in range(rng.randrange(4)):
        if rng.random() < 0.5:
            x = x.transpose(rng.sample(range(x.ndim), x.ndim))
        else:
            x = x[tuple(random_slice(size) for size in x.shape)] if x.ndim else x
    return x


def check_import():
    """NumPy's array is seen in place, unharmed, and let go of at the last release."""
    x = random_numpy_view(random_values([rng.randrange(1, 5) for _ in range(rng.randrange(5))], rng.choice(spoken)))
    references = sys.getrefcount(x)
    a = import_numpy(x)
    assert sys.getrefcount(x) == references + 1, "the tensor does not hold NumPy's array"
    assert a.dtype == dtype_of(x.dtype.name), "dtype"
    assert list(a.shape) == list(shape_of(x.shape)), f"shape {list(a.shape)} of {x.shape}"
    assert contents(a) == x.tobytes(), f"contents of {x.dtype} {x.shape} {x.strides}"
    if x.size:
        assert a.data == x.ctypes.data, "address"
        check_element(a, x)
    lib.tess_release(a)
    assert sys.getrefcount(x) == references, "NumPy's array was not let go"


def check_element(a, x):
    """One element is read, and written where NumPy sees it."""
    if x.dtype.kind == "c":
        return
    place = [rng.randrange(size) for size in x.shape]
    index = [0] * (4 - x.ndim) + place
    value = ctypes.c_double()
    call(lib.tess_get_f64, value, a, *index)
    assert value.value == float(x[tuple(place)]), f"element {place}"
    call(lib.tess_set_f64, a, *index, 1.0)
    assert x[tuple(place)] == 1, f"element {place} was not written"


def change_both(view, x):
    """A random view of a Tessera array and the same one of a NumPy array."""
    kind = rng.randrange(3)
    if kind == 0:
        order = rng.sample(range(4), 4)
        call(lib.tess_permute, view, view, *order)
        return x.transpose(order)
    if kind == 1:
        axis = rng.randrange(4)
        part = random_slice(x.shape[axis])
        ends = [NO_END if end is None else end for end in (part.start, part.stop)]
        call(lib.tess_slice, view, view, axis, *ends, part.step)
        return x[(slice(None),) * axis + (part,)]
    sizes = [rng.randrange(1, 4) if size == 1 else size for size in x.shape]
    call(lib.tess_broadcast, view, view, Four(*sizes))
    return np.broadcast_to(x, sizes)


def check_export():
    """NumPy sees the view in place, also after its owner is gone, and gives the storage back."""
    used = lib.tess_memory_used(CPU)
    x = random_values([rng.randrange(1, 5) for _ in range(4)], rng.choice(spoken))
    a = Array()
    call(lib.tess_empty, a, shape_of(x.shape), dtype_of(x.dtype.name), CPU)
    ctypes.memmove(a.data, x.tobytes(), x.nbytes)
    view = Array.from_buffer_copy(a)
    for _ in range(rng.randrange(5)):
        x = change_both(view, x)
    y = np.from_dlpack(Exported(view))
    assert y.dtype == x.dtype and y.shape == x.shape, f"{y.dtype} {y.shape} instead of {x.dtype} {x.shape}"
    assert not x.size or y.ctypes.data == view.data, "address"
    assert all(s == t for n, s, t in zip(x.shape, x.strides, y.strides) if n > 1 and x.size), "strides"
    lib.tess_release(a)
    assert np.array_equal(y, x), f"contents of {x.dtype} {x.shape} {x.strides}"
    assert lib.tess_memory_used(CPU) > used, "the storage went before NumPy let go"
    del y
    gc.collect()
    assert lib.tess_memory_used(CPU) == used, "the storage did not come back"


def check_there_and_back():
    """NumPy's array comes back to NumPy as the same memory; the two references end in any order."""
    x = random_values([rng.randrange(1, 5) for _ in range(rng.randrange(5))], rng.choice(spoken))
    references = sys.getrefcount(x)
    a = import_numpy(x)
    y = np.from_dlpack(Exported(a))
    lib.tess_release(a)
    assert y.ctypes.data == x.ctypes.data and np.array_equal(y.reshape(x.shape), x), "contents"
    assert sys.getrefcount(x) == references + 1, "the array did not stay alive"
    del y
    gc.collect()
    assert sys.getrefcount(x) == references, "NumPy's array was not let go"


def check_refusal():
    """A tensor that is rejected stays NumPy's: its capsule frees it."""
    x = np.zeros((1,) * rng.randrange(5, 9), "float32")
    references = sys.getrefcount(x)
    try:
        import_numpy(x)
    except Refused as refusal:
        assert f"ndim is {x.ndim}; 0 to 4" in str(refusal), str(refusal)
    else:
        raise AssertionError("more than four dimensions were taken")
    gc.collect()
    assert sys.getrefcount(x) == references, "the refused array was not let go"


seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
rng = random.Random(seed)
print(f"seed {seed}, NumPy {np.__version__}, dtypes it exchanges: {' '.join(spoken)}")
passed = failed = 0
for check, times in ((check_import, 1000), (check_export, 1000), (check_there_and_back, 200), (check_refusal, 20)):
    for turn in range(tess.rounds(times)):
        try:
            check()
            passed += 1
        except (AssertionError, Refused, BufferError, RuntimeError) as problem:
            failed += 1
            print(f"FAILED {check.__name__} {turn}: {problem}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
