"""The library through ctypes, for the oracle tests: structs, prototypes, and arrays as NumPy sees them.

Checks nothing itself, except that the structs have the size the headers give them.
"""
import argparse
import ctypes
import os
import random
import struct
from ctypes import POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np

NONE = -2**63  # TESS_NONE
OK, ESHAPE, EDTYPE, EARG, ERANGE, ELAYOUT, EWRITE, EALIAS, EDEVICE, ENOMEM, EPARSE, EIO = range(0, -12, -1)
READ_ONLY = 1
CLAMP, WRAP, EXACT = 1, 2, 3
PART_REAL, PART_IMAG, PART_ABS, PART_POWER = 1, 2, 3, 4
RANGE_ALL, RANGE_SLICE, RANGE_INDEX = 0, 1, 2

# ---- Element types ----


class Dtype:
    """A tess_dtype: its number, and the NumPy type whose elements have the same bytes."""

    def __init__(self, number, name, numpy, real, kind):
        self.number, self.name, self.numpy, self.kind = number, name, np.dtype(numpy), kind
        self.real = real  # name of the type of its reals
        self.size = self.numpy.itemsize

    def __repr__(self):
        return self.name


def _scalar_dtypes():
    half_pair = np.dtype([('re', 'f2'), ('im', 'f2')])
    yield 'bool', '?', 'bool', 'bool'
    for bits in (8, 16, 32, 64):
        yield f'i{bits}', f'i{bits // 8}', f'i{bits}', 'int'
    for bits in (8, 16, 32, 64):
        yield f'u{bits}', f'u{bits // 8}', f'u{bits}', 'uint'
    for bits in (16, 32, 64):
        yield f'f{bits}', f'f{bits // 8}', f'f{bits}', 'float'
    for bits in (16, 32, 64):
        yield f'c{bits}', half_pair if bits == 16 else f'c{bits // 4}', f'f{bits}', 'complex'


def _compound_dtypes():
    for bits in (32, 64):
        for name, reals in (('vec2', 2), ('vec3', 3), ('vec4', 4), ('mat22', 4), ('mat23', 6), ('mat33', 9),
                            ('mat34', 12), ('mat44', 16)):
            yield f'{name}_f{bits}', f'V{reals * bits // 8}', f'f{bits}', 'compound'


DTYPES = [Dtype(i + 1, *row) for i, row in enumerate([*_scalar_dtypes(), *_compound_dtypes()])]
BY_NAME = {dtype.name: dtype for dtype in DTYPES}
REALS = [dtype for dtype in DTYPES if dtype.kind in ('bool', 'int', 'uint', 'float')]
COMPLEXES = [dtype for dtype in DTYPES if dtype.kind == 'complex']
SCALARS = REALS + COMPLEXES
COMPOUNDS = [dtype for dtype in DTYPES if dtype.kind == 'compound']

# ---- Structs ----

Shape = c_int64 * 4


class ShapeValue(Structure):
    """A tess_shape or tess_strides that is passed by value."""
    _fields_ = [('dim', Shape)]


class Device(Structure):
    _fields_ = [('kind', c_int32), ('index', c_int32)]


class Array(Structure):
    _fields_ = [('shape', Shape), ('strides', Shape), ('data', c_void_p), ('buffer', c_void_p), ('dtype', c_int32),
                ('device', Device), ('flags', c_uint32)]


class Range(Structure):
    _fields_ = [('start', c_int64), ('stop', c_int64), ('step', c_int64), ('kind', c_int32), ('reserved', c_uint32)]


class Region(Structure):
    _fields_ = [('range', Range * 4)]


class Along(Structure):
    _fields_ = [('index', c_int64), ('next', c_int64)]


class WrapOpts(Structure):
    _fields_ = [('strides', POINTER(ShapeValue)), ('offset', c_int64), ('length', c_int64), ('device', Device),
                ('drop', c_void_p), ('context', c_void_p), ('read_only', c_int32), ('reserved', c_uint32 * 5)]


class CastOpts(Structure):
    _fields_ = [('mode', c_int32), ('part', c_int32), ('reserved', c_uint32 * 6)]


class LinspaceOpts(Structure):
    _fields_ = [('step', POINTER(c_double)), ('no_endpoint', c_int32), ('reserved', c_uint32 * 5)]


class Complex(Structure):
    _fields_ = [('re', c_double), ('im', c_double)]


class OpInfo(Structure):
    """The head of a tess_function_info."""
    _fields_ = [('name', c_char_p), ('module', c_char_p)]


assert ctypes.sizeof(Array) == 96 and ctypes.sizeof(Range) == 32 and ctypes.sizeof(CastOpts) == 32

CPU = Device(0, 0)
_FIELDS = struct.Struct('=4q4qQQiiiI')


def fields(array):
    """(shape 4x, strides 4x, data, buffer, dtype, device kind, device index, flags) of an Array, quickly."""
    return _FIELDS.unpack_from(array)


def copy_of(array):
    """A second struct with the same contents: a second view."""
    return Array.from_buffer_copy(array)


# ---- Functions ----

_A = c_void_p  # arrays are passed by ctypes.byref or by address
_AXES = [c_int] * 4
_PLACE = [c_int64] * 4
_MAKE = [_A, ShapeValue, c_int32, Device]
_PROTOTYPES = {
    'tess_empty': (c_int, _MAKE),
    'tess_zeros': (c_int, _MAKE),
    'tess_ones': (c_int, _MAKE),
    'tess_full': (c_int, _MAKE + [c_double]),
    'tess_like': (c_int, [_A, _A]),
    'tess_arange': (c_int, _MAKE + [c_double, c_double]),
    'tess_linspace': (c_int, _MAKE + [c_double, c_double, c_void_p]),
    'tess_eye': (c_int, _MAKE),
    'tess_wrap': (c_int, [_A, c_void_p, ShapeValue, c_int32, c_void_p]),
    'tess_release': (None, [_A]),
    'tess_permute': (c_int, [_A, _A] + _AXES),
    'tess_transpose': (c_int, [_A, _A]),
    'tess_reshape': (c_int, [_A, _A, ShapeValue]),
    'tess_flatten': (c_int, [_A, _A]),
    'tess_broadcast': (c_int, [_A, _A, ShapeValue]),
    'tess_slice': (c_int, [_A, _A, c_int, c_int64, c_int64, c_int64]),
    'tess_subregion': (c_int, [_A, _A, Region]),
    'tess_subregion_text': (c_int, [_A, _A, c_char_p]),
    'tess_index': (c_int, [_A, _A, c_int, c_int64]),
    'tess_view_at': (c_int, [_A, _A, c_int, c_int64]),
    'tess_reverse': (c_int, [_A, _A, c_int]),
    'tess_squeeze_left': (c_int, [_A, _A]),
    'tess_reinterpret': (c_int, [_A, _A, c_int32]),
    'tess_real_view': (c_int, [_A, _A]),
    'tess_imag_view': (c_int, [_A, _A]),
    'tess_along_next': (c_bool, [c_void_p, _A, _A, c_int]),
    'tess_is_contiguous': (c_bool, [_A, c_char]),
    'tess_contiguity': (None, [c_void_p, _A]),
    'tess_is_flattenable': (c_bool, [_A]),
    'tess_is_dense': (c_bool, [_A]),
    'tess_is_empty': (c_bool, [_A]),
    'tess_n_elements': (c_int64, [_A]),
    'tess_n_bytes': (c_int64, [_A]),
    'tess_same_shape': (c_bool, [_A, _A]),
    'tess_overlap': (c_bool, [_A, _A]),
    'tess_copy': (c_int, [_A, _A]),
    'tess_permute_copy': (c_int, [_A, _A] + _AXES),
    'tess_cast': (c_int, [_A, _A, c_int32, c_void_p]),
    'tess_fill': (c_int, [_A, c_double]),
    'tess_fill_element': (c_int, [_A, c_void_p]),
    'tess_concatenate': (c_int, [_A, c_void_p, c_int, c_int]),
    'tess_get_f64': (c_int, [c_void_p, _A] + _PLACE),
    'tess_set_f64': (c_int, [_A] + _PLACE + [c_double]),
    'tess_get_i64': (c_int, [c_void_p, _A] + _PLACE),
    'tess_set_i64': (c_int, [_A] + _PLACE + [c_int64]),
    'tess_get_c64': (c_int, [c_void_p, _A] + _PLACE),
    'tess_set_c64': (c_int, [_A] + _PLACE + [Complex]),
    'tess_address': (c_void_p, [_A] + _PLACE),
    'tess_threads_set': (c_int, [c_int]),
    'tess_memory_used': (c_int64, [Device]),
    'tess_error_status': (c_int, []),
    'tess_error_message': (c_char_p, []),
    'tess_status_name': (c_char_p, [c_int]),
    'tess_dtype_name': (c_char_p, [c_int32]),
    'tess_dtype_size': (ctypes.c_size_t, [c_int32]),
    'tess_function_count': (ctypes.c_size_t, []),
    'tess_function_at': (POINTER(OpInfo), [ctypes.c_size_t]),
}


def load(path):
    """The library, with prototypes, after a look at whether it numbers and sizes element types as DTYPES does."""
    lib = ctypes.CDLL(path)
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    for dtype in DTYPES:
        assert lib.tess_dtype_name(dtype.number).decode() == dtype.name
        assert lib.tess_dtype_size(dtype.number) == dtype.size
    return lib


def operations(lib, module):
    """The names of all operations of a header, as the library's own table has them."""
    infos = (lib.tess_function_at(i).contents for i in range(lib.tess_function_count()))
    return {info.name.decode() for info in infos if info.module.decode() == module}


def shape_value(shape):
    return ShapeValue(Shape(*shape))


def error_text(lib, status):
    """A status with its message."""
    return f'{lib.tess_status_name(status).decode()}: {lib.tess_error_message().decode()}'


def failure_fault(lib, status):
    """What is wrong with the record of a failing call, or None."""
    message = lib.tess_error_message()
    if not message or b'\n' in message:
        return f'status {status} has the message {message!r}'
    if lib.tess_error_status() != status:
        return f'status is {status} but tess_error_status gives {lib.tess_error_status()}'
    return None


# ---- NumPy views ----


class _Memory:
    def __init__(self, address, shape, strides, itemsize):
        self.__array_interface__ = {'version': 3, 'typestr': f'|V{itemsize}', 'shape': shape, 'strides': strides,
                                    'data': (address, False)}


def numpy_view(array, dtype=None):
    """The elements of an Array as a NumPy view; `dtype` is a Dtype, when it is known."""
    f = fields(array)
    dtype = dtype or DTYPES[f[10] - 1]
    if 0 in f[:4]:
        return np.empty(f[:4], dtype.numpy)
    strides = tuple(stride * dtype.size for stride in f[4:8])
    return np.asarray(_Memory(f[8], f[:4], strides, dtype.size)).view(dtype.numpy)


def address_of(ndarray):
    return ndarray.__array_interface__['data'][0]


def aligned_bytes(n):
    """n bytes of memory that begin at a multiple of 64."""
    memory = np.zeros(n + 64, np.uint8)
    skip = -address_of(memory) % 64
    return memory[skip:skip + n]


# ---- The program around the tests ----


SAMPLE = max(1, int(os.environ.get('TESS_TEST_SAMPLE', 1)))
sampler = random.Random(1)


def rounds(n):
    """Of n rounds of random cases those that are made: one in TESS_TEST_SAMPLE of the environment, but at least one."""
    return -(-n // SAMPLE)


def some(cases):
    """Of these cases as many, in their order."""
    cases = list(cases)
    return [cases[i] for i in sorted(sampler.sample(range(len(cases)), rounds(len(cases))))]


def arguments(description):
    """The library's path and the seed, from the command line."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument('library', help='path of libtessera.so')
    parser.add_argument('seed', nargs='?', type=int, default=1, help='of the random cases; 0 takes one at random [1]')
    parser.add_argument('--chain', type=int, help='run only this one (views.py)')
    options = parser.parse_args()
    if options.seed == 0:
        options.seed = random.SystemRandom().randrange(10**9)
    sampler.seed(options.seed)
    print(f'seed {options.seed}', flush=True)
    return options
