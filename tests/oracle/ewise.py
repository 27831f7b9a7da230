"""Element-wise operations, compared with NumPy and Python: python3 ewise.py libtessera.so [seed]

Every function of tessera/ewise.h with every dtype and pair of dtypes, on random strided views and scalars. Of each call
the library first makes the result: its dtype, shape and values are compared, exactly where the arithmetic is, else in
units of the last place against arithmetic of a wider type. Then the same call writes into a view: strided, larger, of
another dtype, or an input itself; that must give the same bits, converted, and leave the memory around as it was.
Integers are compared with Python's. The last line counts comparisons.
"""
import cmath
import ctypes
import ctypes.util
import itertools
import math
import sys
from ctypes import byref
from fractions import Fraction

import numpy as np

import copies
import tess
from copies import Place, complex_from, parts_of, same_values

np.seterr(all='ignore')

F16, F32, F64, C16, C32, C64, BOOL = (tess.BY_NAME[name] for name in ('f16', 'f32', 'f64', 'c16', 'c32', 'c64', 'bool'))
SINGLE = {F16: F32, C16: C32}  # what is computed in another type than it is stored in
ULPS = {'f16': 1, 'f32': 1.5, 'f64': 2}  # the most that functions of reals may be off
COMPLEX_ULPS = {'f16': 1, 'f32': 1.5, 'f64': 4}  # the same of complex ones, relative to the magnitude
FORMATS = {'f16': (11, -24, 16), 'f32': (24, -149, 128), 'f64': (53, -1074, 1024)}  # bits, lowest and highest exponent
SCALAR, WEAK = 2, 4
MOST_ELEMENTS = 400

# ---- What the operations are ----

# Kinds of dtypes that an operation is computed in; others are converted first, or rejected.
ANY, NUMBER = {'bool', 'int', 'uint', 'float'}, {'int', 'uint', 'float'}
INTEGER, BITS, FLOAT, TRUTH = {'int', 'uint'}, {'bool', 'int', 'uint'}, {'float'}, {'bool'}


def divided(x, y):
    return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def powered(x, y, bits):
    if y >= 0:
        return pow(x, y, 2**bits)
    return 1 if x == 1 or (x == -1 and y % 2 == 0) else -1 if x == -1 else 0


# Of Python's integers and their number of bits; what comes out is wrapped.
INTEGERS = {
    'add': lambda x, y, _: x + y,
    'sub': lambda x, y, _: x - y,
    'mul': lambda x, y, _: x * y,
    'div': lambda x, y, _: divided(x, y),
    'floor_div': lambda x, y, _: 0 if y == 0 else x // y,
    'mod': lambda x, y, _: 0 if y == 0 else x - y * divided(x, y),
    'floor_mod': lambda x, y, _: 0 if y == 0 else x % y,
    'pow': powered,
    'square_diff': lambda x, y, _: (x - y)**2,
    'mul_conj': lambda x, y, _: x * y,
    'fma': lambda x, y, z, _: x * y + z,
    'neg': lambda x, _: -x,
    'abs': lambda x, _: abs(x),
    'abs2': lambda x, _: x * x,
    'sign': lambda x, _: (x > 0) - (x < 0),
    'square': lambda x, _: x * x,
    'minimum': lambda x, y, _: min(x, y),
    'maximum': lambda x, y, _: max(x, y),
    'fmin': lambda x, y, _: min(x, y),
    'fmax': lambda x, y, _: max(x, y),
    'clamp': lambda x, y, z, _: min(max(x, y), z),
    'equal': lambda x, y, _: x == y,
    'not_equal': lambda x, y, _: x != y,
    'less': lambda x, y, _: x < y,
    'less_equal': lambda x, y, _: x <= y,
    'greater': lambda x, y, _: x > y,
    'greater_equal': lambda x, y, _: x >= y,
    'bit_and': lambda x, y, _: x & y,
    'bit_or': lambda x, y, _: x | y,
    'bit_xor': lambda x, y, _: x ^ y,
    'bit_not': lambda x, _: ~x,
    'shift_left': lambda x, y, bits: x << y % bits,
    'shift_right': lambda x, y, bits: x >> y % bits,
    'floor': lambda x, _: x,
    'ceil': lambda x, _: x,
    'trunc': lambda x, _: x,
    'round': lambda x, _: x,
    'rint': lambda x, _: x,
    'real': lambda x, _: x,
    'imag': lambda x, _: 0,
    'conj': lambda x, _: x,
}

# Of NumPy's bools.
BOOLS = {
    'minimum': np.logical_and, 'maximum': np.logical_or, 'fmin': np.logical_and, 'fmax': np.logical_or,
    'clamp': np.clip,
    'equal': np.equal, 'not_equal': np.not_equal, 'less': np.less, 'less_equal': np.less_equal,
    'greater': np.greater, 'greater_equal': np.greater_equal, 'logical_and': np.logical_and,
    'logical_or': np.logical_or, 'logical_xor': np.logical_xor, 'logical_not': np.logical_not,
    'bit_and': np.logical_and, 'bit_or': np.logical_or, 'bit_xor': np.logical_xor, 'bit_not': np.logical_not,
}


def rounded_away(x):
    whole = np.trunc(x)
    return np.copysign(np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole), x).astype(x.dtype)


def fused(x, y, z):
    """x * y + z, rounded once to the type of x."""
    name = {4: 'f32', 8: 'f64'}[x.itemsize]
    rows = zip(x.ravel().tolist(), y.ravel().tolist(), z.ravel().tolist())
    return np.array([fused_number(*row, *FORMATS[name]) for row in rows], x.dtype).reshape(x.shape)


def fused_number(x, y, z, bits, low, high):
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y + z
    if not math.isfinite(z):
        return z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        return x * y + z if x == 0 or y == 0 else 0.0
    exponent = abs(exact.numerator).bit_length() - exact.denominator.bit_length()
    exponent += abs(exact) >= Fraction(2)**exponent
    step = Fraction(2)**max(exponent - bits, low)
    near = round(exact / step) * step
    if abs(near) >= Fraction(2)**high:
        return math.inf if exact > 0 else -math.inf
    return math.copysign(float(near), 1 if exact > 0 else -1)


# Of floats, exactly rounded: what NumPy computes in the same type is what is wanted.
FLOATS = {
    'add': np.add, 'sub': np.subtract, 'mul': np.multiply, 'div': np.divide, 'true_div': np.divide,
    'floor_div': np.floor_divide, 'mod': np.fmod, 'floor_mod': np.remainder,
    'div_safe': lambda x, y: np.where(np.abs(y) < np.finfo(y.dtype).eps, x.dtype.type(0), x / y),
    'square_diff': lambda x, y: (x - y) * (x - y), 'mul_conj': np.multiply, 'fma': fused, 'neg': np.negative,
    'abs': np.abs, 'abs2': np.square, 'sign': np.sign, 'square': np.square, 'reciprocal': np.reciprocal,
    'minimum': lambda x, y: np.where((x < y) | np.isnan(x), x, y),
    'maximum': lambda x, y: np.where((x > y) | np.isnan(x), x, y),
    'fmin': lambda x, y: np.where((x < y) | np.isnan(y), x, y),
    'fmax': lambda x, y: np.where((x > y) | np.isnan(y), x, y),
    'clamp': np.clip,
    'equal': np.equal, 'not_equal': np.not_equal, 'less': np.less, 'less_equal': np.less_equal,
    'greater': np.greater, 'greater_equal': np.greater_equal, 'is_nan': np.isnan, 'is_inf': np.isinf,
    'is_finite': np.isfinite, 'signbit': np.signbit, 'floor': np.floor, 'ceil': np.ceil, 'trunc': np.trunc,
    'round': rounded_away, 'rint': np.rint, 'sqrt': np.sqrt, 'copysign': np.copysign, 'real': np.positive,
    'imag': np.zeros_like, 'conj': np.positive,
    'shift_scale': lambda x, y, z: np.where(z == 0, x.dtype.type(0), (x - y) / z),
    'arg': lambda x: np.where(np.isnan(x), x, np.where(np.signbit(x), x.dtype.type(np.pi), x.dtype.type(0))),
    'complex': lambda x, y: complex_from(x, y, complex_of(x)),
}


def complex_of(x):
    return {4: C32, 8: C64}[x.itemsize]


_LIBM = ctypes.CDLL(ctypes.util.find_library('m'))


def from_libm(name):
    """A function of C's long double that NumPy does not have. What it returns is rounded to double."""
    function = getattr(_LIBM, name)
    function.restype, function.argtypes = ctypes.c_longdouble, [ctypes.c_longdouble]
    return lambda x: np.array([function(value) for value in x.astype(np.float64).ravel().tolist()],
                              x.dtype).reshape(x.shape)


PI = np.longdouble(884279719003555) / 2**48 + np.longdouble('1.2246467991473531772e-16')

# Of floats of a wider type: within a bound.
WIDE = {
    'pow': np.power, 'rsqrt': lambda x: 1 / np.sqrt(x), 'cbrt': np.cbrt, 'exp': np.exp, 'exp2': np.exp2,
    'exp10': lambda x: np.power(x.dtype.type(10), x), 'expm1': np.expm1, 'log': np.log, 'log2': np.log2,
    'log10': np.log10, 'log1p': np.log1p, 'logaddexp': np.logaddexp, 'hypot': np.hypot, 'sin': np.sin, 'cos': np.cos,
    'tan': np.tan, 'sinc': lambda x: np.where(np.isinf(x), x.dtype.type(0), np.where(x == 0, 1, np.sin(x) / x)),
    'asin': np.arcsin, 'acos': np.arccos, 'atan': np.arctan, 'atan2': np.arctan2, 'sinh': np.sinh, 'cosh': np.cosh,
    'tanh': np.tanh, 'asinh': np.arcsinh, 'acosh': np.arccosh, 'atanh': np.arctanh, 'erf': from_libm('erfl'),
    'erfc': from_libm('erfcl'), 'deg2rad': lambda x: x * (PI / 180).astype(x.dtype),
    'rad2deg': lambda x: x * (180 / PI).astype(x.dtype),
}

# Of floats of a wider type, giving a complex number: each part within a bound, relative to the whole.
WIDE_TO_COMPLEX = {
    'complex_polar': lambda x, y: joined(x * np.cos(y), x * np.sin(y)),
    'cis': lambda x: joined(np.cos(x), np.sin(x)),
}


def joined(re, im):
    out = np.empty(re.shape, np.result_type(re.dtype, np.complex64))
    out.real, out.imag = re, im
    return out


def complex_fused(x, y, z):
    """As the product is defined, one fused operation after a rounded one, and then a sum."""
    return joined(fused(x.real, y.real, -(x.imag * y.imag)) + z.real, fused(x.real, y.imag, x.imag * y.real) + z.imag)


# Of complex numbers, exactly: of NumPy's in the same type.
COMPLEX_EXACT = {
    'add': np.add, 'sub': np.subtract, 'neg': np.negative, 'conj': np.conj, 'real': lambda x: x.real,
    'imag': lambda x: x.imag, 'equal': np.equal, 'not_equal': np.not_equal, 'is_nan': np.isnan, 'is_inf': np.isinf,
    'is_finite': np.isfinite, 'logical_and': np.logical_and, 'logical_or': np.logical_or,
    'logical_xor': np.logical_xor, 'logical_not': np.logical_not, 'fma': complex_fused,
}


def complex_power(x, y):
    """By the definition, as NumPy takes another way for whole powers."""
    return np.where(x == 0, np.power(x, y), np.exp(y * np.log(x)))


# Of complex long doubles: within a bound, relative to the magnitude.
COMPLEX_WIDE = {
    'mul': np.multiply, 'mul_conj': lambda x, y: x * np.conj(y), 'div': np.divide, 'true_div': np.divide,
    'pow': complex_power, 'square_diff': lambda x, y: (x - y)**2, 'abs': np.abs,
    'abs2': lambda x: x.real**2 + x.imag**2, 'sign': lambda x: np.where(x == 0, 0 * x, x / np.abs(x)),
    'square': np.square, 'reciprocal': np.reciprocal, 'sqrt': np.sqrt, 'exp': np.exp, 'log': np.log,
    'log2': lambda x: np.log(x) / np.log(np.longdouble(2)), 'log10': lambda x: np.log(x) / np.log(np.longdouble(10)),
    'sin': np.sin, 'cos': np.cos, 'tan': np.tan, 'asin': np.arcsin, 'acos': np.arccos, 'atan': np.arctan,
    'sinh': np.sinh, 'cosh': np.cosh, 'tanh': np.tanh, 'asinh': np.arcsinh, 'acosh': np.arccosh, 'atanh': np.arctanh,
    'arg': np.angle,
}
COMPLEX_SAFE = {'div_safe'}

ONE = ('neg abs abs2 sign square reciprocal is_nan is_inf is_finite signbit logical_not bit_not floor ceil trunc round '
       'rint sqrt rsqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan sinc asin acos atan sinh cosh tanh '
       'asinh acosh atanh erf erfc deg2rad rad2deg real imag conj arg cis').split()
THREE = ['fma', 'clamp', 'shift_scale']
TWO = ('add sub mul div true_div floor_div mod floor_mod div_safe pow square_diff mul_conj minimum maximum fmin fmax '
       'equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor bit_and bit_or '
       'bit_xor shift_left shift_right logaddexp hypot atan2 copysign complex complex_polar').split()
TO_BOOL = set('equal not_equal less less_equal greater greater_equal is_nan is_inf is_finite signbit logical_and '
              'logical_or logical_xor logical_not'.split())
TO_REAL = {'abs', 'abs2', 'real', 'imag', 'arg'}
TO_COMPLEX = {'complex', 'complex_polar', 'cis'}
COMPLEX = {*COMPLEX_EXACT, *COMPLEX_WIDE, *COMPLEX_SAFE}


def kinds_of(name):
    """The kinds of real types that an operation is computed in."""
    if name in ('logical_and', 'logical_or', 'logical_xor', 'logical_not'):
        return TRUTH
    kinds = {kind for kind, table in (('bool', BOOLS), ('int', INTEGERS), ('uint', INTEGERS)) if name in table}
    return kinds | FLOAT if name in FLOATS or name in WIDE or name in WIDE_TO_COMPLEX else kinds


# ---- Dtypes ----


def promoted(dtypes):
    """The dtype that numbers of these meet in: NumPy's, with c16 for complex numbers of two halves."""
    real = np.result_type(*(tess.BY_NAME[dtype.real].numpy for dtype in dtypes))
    name = 'bool' if real.kind == 'b' else f'{real.kind}{real.itemsize * 8}'
    return tess.BY_NAME[name.replace('f', 'c') if any(dtype.kind == 'complex' for dtype in dtypes) else name]


def with_weak(dtype, value):
    """What a weak number makes of the dtype of the others."""
    if dtype.kind in ('float', 'complex'):
        return dtype
    integers = tess.BY_NAME['i64'] if dtype is BOOL else dtype
    low, high = copies.int_limits(integers)
    return integers if math.isfinite(value) and value == int(value) and low <= value <= high else F64


def common_dtype(operands):
    strong = [operand.dtype for operand in operands if not operand.weak]
    common = promoted(strong) if strong else F64
    for operand in operands:
        if operand.weak:
            common = with_weak(common, operand.values.item())
    return common


def kernel_dtype(name, common):
    """The type that the result is said to be computed in, f16 and c16 included, or None: rejected."""
    if common.kind == 'complex':
        return common if name in COMPLEX else None
    kinds = kinds_of(name)
    if common.kind in kinds:
        return common
    if kinds == TRUTH:
        return BOOL
    if kinds == FLOAT:
        return F32 if common.size <= 2 else F64
    return tess.BY_NAME['u8'] if common is BOOL else None


def result_dtype(name, kernel):
    if name in TO_BOOL:
        return BOOL
    if name in TO_COMPLEX:
        return tess.BY_NAME[kernel.name.replace('f', 'c')]
    return tess.BY_NAME[kernel.real] if name in TO_REAL else kernel


def converted(values, source, dtype):
    """Any shape, of any scalar type, to another as tess_cast clamps."""
    return copies.cast_values(values.ravel(), source, dtype, tess.CLAMP).reshape(values.shape)


def can_become(source, dtype):
    return dtype.kind == 'complex' or source.kind != 'complex'


# ---- Errors in units of the last place ----


def last_place(wide, name):
    """The distance of two neighbours of the type at these magnitudes."""
    bits, low, high = FORMATS[name]
    exponent = np.where(wide == 0, low, np.minimum(np.frexp(wide)[1], high))
    return np.ldexp(wide.dtype.type(1), np.maximum(exponent - bits, low))


def ulps_off(got, wide, name):
    """How far reals are from what they should be; infinity for a NaN, or a sign, that only one of them has."""
    limit = np.ldexp(wide.dtype.type(1), FORMATS[name][2])
    g, w = np.clip(got.astype(wide.dtype), -limit, limit), np.clip(wide, -limit, limit)
    off = np.abs(g - w) / last_place(w, name)
    nan = np.isnan(got) | np.isnan(wide)
    off = np.where(~nan & (np.signbit(got) != np.signbit(wide)), np.inf, off)
    return np.where(nan, np.where(np.isnan(got) & np.isnan(wide), 0, np.inf), off).astype(np.float64)


def complex_ulps_off(got, wide, name):
    """The length of the error, relative to the magnitude; 0 where the result is not finite or about to overflow."""
    re, im = (part.astype(wide.real.dtype) for part in parts_of(got))
    size = np.hypot(wide.real, wide.imag)
    sure = size < np.ldexp(size.dtype.type(1), FORMATS[name][2] - 2)
    off = np.hypot(re - wide.real, im - wide.imag) / last_place(np.where(sure, size, 1), name)
    return np.where(sure, np.where(np.isnan(off), np.inf, off), 0).astype(np.float64)


def different(got, wanted, any_zero=False):
    """Which elements are not the same bits; NaNs are all equal, and with `any_zero` both zeros are."""
    if got.dtype.names or got.dtype.kind == 'c':
        pairs = zip(parts_of(got), parts_of(wanted))
        return np.logical_or(*(different(a, b, any_zero) for a, b in pairs))
    if got.dtype.kind != 'f':
        return got != wanted
    same = (np.isnan(got) & np.isnan(wanted)) | (copies.bits(got) == copies.bits(wanted))
    return ~(same | (any_zero & (got == 0) & (wanted == 0)))


# ---- Judging the values of a result ----


def judge_integers(name, got, inputs, dtype, _result):
    low, high = copies.int_limits(dtype)
    function, modulo = INTEGERS[name], high - low + 1
    rows = zip(*(x.ravel().tolist() for x in inputs))
    wanted = [(int(function(*row, 8 * dtype.size)) - low) % modulo + low for row in rows]
    return different(got, np.array(wanted, dtype.numpy).astype(got.dtype).reshape(got.shape))


def judge_exact(table):
    def judge(name, got, inputs, _dtype, result):
        wanted = table[name](*inputs)
        if result.kind == 'complex':
            wanted = complex_from(*parts_of(wanted), result)
        bad = different(got, wanted.astype(got.dtype) if result.kind != 'complex' else wanted,
                        any_zero=name in ('fmin', 'fmax', 'clamp'))
        if name == 'clamp':  # limits that are NaN or the wrong way round have no meaning
            bad &= inputs[1] <= inputs[2]
        return bad
    return judge


def widened(inputs, dtype):
    kind = np.float64 if dtype.size <= 4 else np.longdouble
    return [x.astype(kind) for x in inputs]


def rounded_terms(x, y, wide):
    """Ulps that logaddexp may be off beside its bound, where terms cancel: of f32 1e-9 in all; of f64 two roundings of
    large terms, of x - y and of the larger."""
    if wide.dtype == np.float64:
        return 1e-9 / last_place(wide, 'f32')
    larger, apart = np.abs(np.maximum(x, y)), np.abs(x - y)
    more = last_place(apart, 'f64') * np.exp(-apart) + np.where(np.abs(wide) < larger, last_place(larger, 'f64'), 0)
    return np.where(np.isfinite(apart), more / last_place(wide, 'f64'), 0)


def judge_wide(name, got, inputs, dtype, result):
    wide = WIDE[name](*widened(inputs, dtype))
    off = ulps_off(got, wide, result.name)
    if name == 'logaddexp':  # of -inf and -0 NumPy gives +0
        off = np.where((got == 0) & (wide == 0), 0, off)
    return off > ULPS[result.name] + (rounded_terms(*widened(inputs, dtype), wide) if name == 'logaddexp' else 0)


def judge_wide_to_complex(name, got, inputs, dtype, result):
    wide = WIDE_TO_COMPLEX[name](*widened(inputs, dtype))
    return complex_ulps_off(got, wide, result.real) > COMPLEX_ULPS[result.real]


def judge_complex(name, got, inputs, _dtype, result):
    wide = [x.astype(np.clongdouble) for x in inputs]
    finite = np.logical_and.reduce([np.isfinite(x) for x in inputs])
    if name in COMPLEX_SAFE:
        small = np.abs(wide[1]) < np.finfo(inputs[1].real.dtype).eps
        wanted = np.where(small, 0, wide[0] / np.where(small, 1, wide[1]))
    else:
        wanted = COMPLEX_WIDE[name](*wide)
    bound = 4 if name == 'square_diff' else COMPLEX_ULPS[result.real]
    if name == 'pow':  # the error of y * log x, which is computed in double, is that of its exponential
        finite &= wide[0] != 0
        exponent = np.abs(wide[1] * np.log(np.where(finite, wide[0], 1)))
        bound = bound + np.where(finite, exponent, 0) * np.ldexp(4.0, FORMATS[result.real][0] - 53)
    off = complex_ulps_off(got, wanted, result.real) if result.kind == 'complex' else \
        ulps_off(got, wanted, result.name)
    return finite & (off > bound)


def judge_for(name, dtype):
    if dtype.kind == 'complex':
        return judge_exact(COMPLEX_EXACT) if name in COMPLEX_EXACT else judge_complex
    if dtype.kind == 'float':
        return judge_exact(FLOATS) if name in FLOATS else judge_wide if name in WIDE else judge_wide_to_complex
    return judge_exact(BOOLS) if dtype.kind == 'bool' else judge_integers


def wrong_elements(name, got, inputs, kernel, result):
    """Which elements of `got` are not the result of `inputs`, arrays of the kernel's type and of got's shape."""
    return judge_for(name, kernel)(name, got, inputs, kernel, result)


# ---- Equality within tolerances ----


class IscloseOpts(ctypes.Structure):
    _fields_ = [('rtol', ctypes.c_double), ('atol', ctypes.c_double), ('ulps', ctypes.c_int32),
                ('equal_nan', ctypes.c_int32), ('reserved', ctypes.c_uint32 * 6)]


def close(x, y, opts, dtype):
    """Which elements of two arrays of f64 or c64 are close in units of `dtype`, and which are so near the bound that a
    rounding may decide."""
    given = opts.rtol or opts.atol or opts.ulps
    rtol, atol = (opts.rtol, opts.atol) if given else (1e-5, 1e-8)
    unit = np.ones(x.shape)
    if dtype.real in FORMATS:
        unit = last_place(np.maximum(np.abs(x), np.abs(y)), dtype.real)
    apart, within = np.abs(x - y), opts.ulps * unit
    finite = np.isfinite(x) & np.isfinite(y)
    wanted = np.isclose(x, y, rtol, atol, bool(opts.equal_nan)) | (finite & (apart <= within))
    if x.dtype.kind == 'c':  # some versions of NumPy make NaNs of complex infinities on the way
        same = (x == y) | (np.isnan(x) & np.isnan(y) & bool(opts.equal_nan))
        wanted = np.where(finite, wanted, same)
    unsure = [np.abs(apart - bound) <= 1e-14 * bound for bound in (within, atol + rtol * np.abs(y))]
    return wanted, finite & np.logical_or(*unsure) & (x.dtype.kind == 'c')


# ---- Operands ----


class Operand:
    """An input: a view in a place of its own, or a number."""

    def __init__(self, values, dtype, place=None, weak=False):
        self.values, self.dtype, self.place, self.weak = values, dtype, place, weak
        if place is None:
            self.memory = np.array(values.reshape(1), dtype.numpy)
            flags = SCALAR | tess.READ_ONLY | (WEAK if weak else 0)
            self.array = tess.Array(tess.Shape(1, 1, 1, 1), tess.Shape(), tess.address_of(self.memory), None,
                                    dtype.number, tess.CPU, flags)

    def ref(self):
        return self.place.ref() if self.place else byref(self.array)

    def unchanged(self):
        return self.place is None or np.array_equal(self.place.memory, self.place.before)

    def may_be_output(self, shape):
        """A view of the whole shape in which no two elements share a place."""
        return self.place is not None and self.values.shape == shape and \
            all(n <= 1 or stride for n, stride in zip(shape, self.place.view.strides))

    def __repr__(self):
        kind = 'view' if self.place else 'weak number' if self.weak else 'number'
        return f'{self.dtype} {kind} {self.values.shape if self.place else self.values.item()}'


WEAK_NUMBERS = [0.0, -0.0, 1.0, -1.0, 2.0, 2.5, 0.1, -0.1, 7.0, 127.0, 128.0, 255.0, 256.0, -129.0, 1e5, 2.0**31,
                2.0**63, 2.0**64, 1e300, math.inf, -math.inf, math.nan]


def pool_of(dtype, generator):
    """Numbers of a type, the hard ones and more of those that functions are made for."""
    if dtype.kind == 'complex':
        reals = pool_of(tess.BY_NAME[dtype.real], generator)
        return complex_from(generator.permutation(reals), generator.permutation(reals), dtype)
    hard = copies.nasty_values(dtype, generator)
    if dtype.kind == 'bool':
        return hard
    if dtype.kind != 'float':
        low = max(copies.int_limits(dtype)[0], -20)
        return np.concatenate([hard, *[np.arange(low, 70, dtype=dtype.numpy)] * 2])
    more = [generator.uniform(-1, 1, 150), generator.uniform(-12, 12, 200), generator.normal(0, 100, 100),
            np.exp2(generator.uniform(-30, 30, 150)), np.arange(-20, 21), np.arange(-20, 21) / 2,
            1 + generator.normal(0, 1e-3, 50), generator.normal(0, 1e-5, 50), np.linspace(-900, 900, 50)]
    return np.concatenate([hard, np.concatenate(more).astype(dtype.numpy)])


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        self.pools = {dtype: pool_of(dtype, self.generator) for dtype in tess.SCALARS}
        for names, count in ((ONE, 2), (TWO, 3), (THREE + ['where'], 4)):
            for name in names:
                function = getattr(lib, 'tess_' + name)
                function.restype, function.argtypes = ctypes.c_int, [ctypes.c_void_p] * count
        for function in (lib.tess_isclose, lib.tess_allclose):
            function.restype, function.argtypes = ctypes.c_int, [ctypes.c_void_p] * 4

    # ---- Inputs ----

    def small_shape(self):
        while True:
            shape = self.random_shape(7)
            if math.prod(shape) <= MOST_ELEMENTS:
                return shape

    def values_for(self, dtype, shape):
        pool = self.pools[dtype]
        return pool[self.generator.integers(0, len(pool), shape)]

    def operand(self, dtype, shape):
        """A number, or a view that broadcasts to `shape`."""
        rng = self.rng
        chance = rng.random()
        if chance < 0.08:
            return Operand(np.array([rng.choice(WEAK_NUMBERS)]), F64, weak=True)
        if chance < 0.15:
            return Operand(self.values_for(dtype, (1, 1, 1, 1)), dtype)
        repeated = [rng.random() < 0.4 and chance < 0.4 for _ in range(4)]
        sizes = tuple(1 if once else n for once, n in zip(repeated, shape))
        place = self.place_with(self.values_for(dtype, sizes), dtype, plain=rng.random() < 0.3)
        if any(repeated) and rng.random() < 0.5 and place.view.size:
            view = np.broadcast_to(place.view, shape)
            lead = (tess.address_of(view) - tess.address_of(place.memory)) % dtype.size
            place = Place(self.lib, place.memory, view, dtype, lead)
        return Operand(place.view.copy(), dtype, place)

    # ---- One call ----

    def check(self, name, dtypes):
        shape = self.small_shape()
        operands = [self.operand(dtype, shape) for dtype in dtypes]
        self.check_call(name, operands)

    def check_call(self, name, operands):
        common = common_dtype(operands)
        kernel = kernel_dtype(name, common)
        what = (name, operands)
        call = getattr(self.lib, 'tess_' + name)
        refs = [operand.ref() for operand in operands]
        made = tess.Array()
        status = call(byref(made), *refs)
        if kernel is None:
            self.fails(status, tess.EDTYPE, None, *what)
            self.expect(not any(bytes(made)), *what, 'leaves a zeroed output zeroed')
            return
        if not self.succeeds(status, *what):
            return
        result = result_dtype(name, kernel)
        inputs = self.as_computed(operands, common, kernel)
        got = self.taken(made, inputs[0].shape, result, *what)
        if got is None:
            return
        if got.size:
            self.judge(name, got, inputs, kernel, result, what)
        self.check_outputs(name, call, operands, got, inputs, result, what)

    def as_computed(self, operands, common, kernel):
        """The operands' values as the operation sees them: weak ones as if they were of the others' dtype, but for f16
        and c16, where they are of the dtype computed in."""
        wide = SINGLE.get(kernel, kernel)
        values = []
        for operand in operands:
            x, dtype = operand.values, operand.dtype
            if operand.weak and common.kind in ('float', 'complex'):
                single = SINGLE.get(common, common)
                x, dtype = converted(x, dtype, single), single
            values.append(converted(x, dtype, wide).reshape(x.shape if x.ndim == 4 else (1, 1, 1, 1)))
        return [np.ascontiguousarray(x) for x in np.broadcast_arrays(*values)]

    def taken(self, made, shape, dtype, *what):
        """A copy of the values of an array that the library made, and its release."""
        f = tess.fields(made)
        right = f[:4] == shape and f[10] == dtype.number and self.lib.tess_is_contiguous(byref(made), b'C')
        self.expect(right, *what, 'should be', shape, dtype, 'and is', f)
        values = tess.numpy_view(made, dtype).copy() if right else None
        self.lib.tess_release(byref(made))
        return values

    def judge(self, name, got, inputs, kernel, result, what):
        bad = wrong_elements(name, got, inputs, SINGLE.get(kernel, kernel), result)
        if not np.any(bad):
            self.expect(True)
            return
        where = tuple(np.argwhere(bad)[0])
        numbers = [x[where].item() for x in inputs]
        self.expect(False, *what, f'{np.count_nonzero(bad)} of {bad.size} wrong; of', *numbers, 'it gives',
                    got[where].item())

    # ---- Outputs ----

    def check_outputs(self, name, call, operands, got, inputs, result, what):
        """The same into a view."""
        rng, shape = self.rng, got.shape
        if rng.random() < 0.3:
            shape = tuple(rng.choice((1, 2, 3, 1, 2, 0)) if n == 1 else n for n in shape)
        dtype = result
        if rng.random() < 0.4:
            dtype = rng.choice([dtype for dtype in tess.SCALARS if can_become(result, dtype)])
        wanted = self.as_stored(call, [operand.dtype for operand in operands], got, inputs, result, dtype)
        out = self.place(shape, dtype)
        if self.succeeds(call(out.ref(), *(operand.ref() for operand in operands)), *what, 'to', dtype, shape):
            self.written(out, np.broadcast_to(wanted, shape), *what, 'to', dtype, any_nan=True)
        self.expect(all(operand.unchanged() for operand in operands), *what, 'changes an input')
        places = [operand for operand in operands if operand.may_be_output(got.shape) and
                  can_become(result, operand.dtype)]
        if places:
            out = rng.choice(places)
            wanted = self.as_stored(call, [operand.dtype for operand in operands], got, inputs, result, out.dtype)
            if self.succeeds(call(out.ref(), *(operand.ref() for operand in operands)), *what, 'in place'):
                self.written(out.place, wanted, *what, 'in place of', out, any_nan=True)

    def as_stored(self, call, dtypes, got, inputs, result, dtype):
        """What an output of that dtype holds: results in half precision are not rounded on their way to another."""
        if result not in SINGLE or dtype is result:
            return converted(got, result, dtype)
        single = SINGLE[result]
        kernel = {'f': F32, 'c': C32}[inputs[0].dtype.kind]
        kept = [kernel is C32 and each.kind != 'complex' for each in dtypes]  # real ones are not widened
        places = [self.place_with(np.ascontiguousarray(x.real) if real else x, F32 if real else kernel, plain=True)
                  for x, real in zip(inputs, kept)]
        made = tess.Array()
        if not self.succeeds(call(byref(made), *(place.ref() for place in places)), 'in single precision'):
            return converted(got, result, dtype)
        values = tess.numpy_view(made, single).copy()
        self.lib.tess_release(byref(made))
        return converted(values, single, dtype)

    # ---- The tests ----

    def lists(self):
        """Every function of the library's table stands in exactly one of the lists."""
        listed = ONE + TWO + THREE + ['where', 'isclose']
        self.expect(sorted(listed) == sorted(tess.operations(self.lib, 'ewise')), 'not in both the lists and the table:',
                    set(listed) ^ tess.operations(self.lib, 'ewise'))

    def unary(self, rounds):
        for name, dtype in itertools.product(ONE, tess.SCALARS):
            for _ in range(rounds):
                self.check(name, [dtype])

    def binary(self):
        """Pairs of dtypes; pairs of the same a few times more."""
        for name in TWO:
            for x, y in tess.some(itertools.product(tess.SCALARS, tess.SCALARS)):
                for _ in range(3 if x is y else 1):
                    self.check(name, [x, y])

    def ternary(self, rounds):
        for name in THREE:
            for dtype in tess.SCALARS:
                for _ in range(4):
                    self.check(name, [dtype] * 3)
            for _ in range(rounds):
                self.check(name, [self.rng.choice(tess.SCALARS) for _ in range(3)])

    def promotions(self):
        """The table, and triples, whose order must not matter."""
        function = self.lib.tess_dtype_promote
        function.restype, function.argtypes = ctypes.c_int32, [ctypes.c_int32] * 2
        for x, y in itertools.product(tess.DTYPES, tess.DTYPES):
            compound = 'compound' in (x.kind, y.kind)
            wanted = (x.number if x is y else 0) if compound else promoted([x, y]).number
            self.expect(function(x.number, y.number) == wanted, 'promote', x, y)
        one = {dtype: Operand(np.ones((1, 1, 1, 1), F32.numpy).astype(dtype.numpy), dtype) for dtype in tess.REALS}
        for dtypes in itertools.product(tess.REALS, repeat=3):
            wanted = kernel_dtype('clamp', promoted(dtypes))
            made = tess.Array()
            if self.succeeds(self.lib.tess_clamp(byref(made), *(one[dtype].ref() for dtype in dtypes)), dtypes):
                self.taken(made, (1, 1, 1, 1), wanted, 'clamp', dtypes)

    def choices(self, rounds):
        """where: every pair of dtypes, and compounds."""
        pairs = list(itertools.product(tess.SCALARS, tess.SCALARS))
        pairs += [(dtype, dtype) for dtype in tess.COMPOUNDS]
        for dtypes in pairs:
            for _ in range(rounds):
                self.check_where(dtypes)
        compound, shape = tess.BY_NAME['vec4_f32'], (1, 2, 3, 4)
        condition = self.place(shape, BOOL)
        for x, y in ((compound, F32), (F64, compound), (tess.BY_NAME['vec2_f64'], compound)):
            made = tess.Array()
            self.fails(self.lib.tess_where(byref(made), condition.ref(), self.place(shape, x).ref(),
                                           self.place(shape, y).ref()), tess.EDTYPE, None, 'where', x, y)

    def check_where(self, dtypes):
        shape = self.small_shape()
        condition = self.operand(self.rng.choice(tess.REALS), shape)
        if dtypes[0].kind == 'compound':
            places = [self.place(shape, dtype) for dtype in dtypes]
            x, y = (Operand(place.view.copy(), dtype, place) for place, dtype in zip(places, dtypes))
            common = dtypes[0]
        else:
            x, y = (self.operand(dtype, shape) for dtype in dtypes)
            common = common_dtype([x, y])
        what = ('where', condition, x, y)
        made, refs = tess.Array(), [operand.ref() for operand in (condition, x, y)]
        if not self.succeeds(self.lib.tess_where(byref(made), *refs), *what):
            return
        values = [operand.values if common.kind == 'compound' else
                  converted(operand.values, operand.dtype, common).reshape(operand.values.shape)
                  for operand in (x, y)]
        chosen = condition.values != 0
        full = np.broadcast_shapes(chosen.shape, *(value.shape for value in values), (1, 1, 1, 1))
        wanted = np.empty(full, common.numpy)
        wanted[...] = np.broadcast_to(values[1], full)
        mask = np.broadcast_to(chosen, full)
        wanted[mask] = np.broadcast_to(values[0], full)[mask]
        got = self.taken(made, full, common, *what)
        if got is None:
            return
        self.expect(same_values(got, wanted, True), *what, 'chooses wrong elements')
        dtype = common
        if common.kind != 'compound' and self.rng.random() < 0.4:
            dtype = self.rng.choice([dtype for dtype in tess.SCALARS if can_become(common, dtype)])
            wanted = converted(wanted, common, dtype)
        out = self.place(full, dtype)
        if self.succeeds(self.lib.tess_where(out.ref(), *refs), *what, 'to', dtype):
            self.written(out, wanted, *what, 'to', dtype, any_nan=True)

    def tolerances(self, rounds):
        """isclose and allclose: pairs of dtypes, numbers near each other, every kind of tolerance."""
        for _ in range(rounds):
            dtypes = [self.rng.choice(tess.SCALARS) for _ in range(2)]
            if self.rng.random() < 0.6:
                dtypes[1] = dtypes[0]
            shape = self.small_shape()
            y = self.operand(dtypes[1], shape)
            x = self.operand(dtypes[0], shape) if self.rng.random() < 0.3 else self.beside(y, dtypes[0], shape)
            opts = IscloseOpts(self.rng.choice((0, 0, 1e-3, 2.0**-10, 0.5)), self.rng.choice((0, 0, 1e-6, 1, 2.0**-20)),
                               self.rng.choice((0, 0, 1, 2, 100)), self.rng.choice((0, 1)))
            self.check_close(x, y, opts)

    def beside(self, y, dtype, shape):
        """The numbers of `y`, some of them changed by a little, in a view of their own."""
        values = np.broadcast_to(converted(y.values if y.place else y.values.reshape(1, 1, 1, 1), y.dtype, C64), shape)
        if dtype.kind != 'complex':
            values = values.real
        little = self.generator.choice([0, 2.0**-52, 2.0**-23, 2.0**-22, 2.0**-10, -2.0**-11, 1e-4, -1e-5, 1e-3], shape)
        more = self.generator.choice([0, 0, 0, 1e-6, -1, 1e-9], shape)
        values = np.asarray(values + values * little + more)
        place = self.place_with(converted(values, C64 if dtype.kind == 'complex' else F64, dtype), dtype)
        return Operand(place.view.copy(), dtype, place)

    def check_close(self, x, y, opts):
        what = ('isclose', x, y, opts.rtol, opts.atol, opts.ulps, opts.equal_nan)
        wide = C64 if 'complex' in (x.dtype.kind, y.dtype.kind) else F64
        made, result = tess.Array(), ctypes.c_bool()
        if not self.succeeds(self.lib.tess_isclose(byref(made), x.ref(), y.ref(), byref(opts)), *what):
            return
        p, q = np.broadcast_arrays(*(converted(operand.values, operand.dtype, wide).reshape(
            operand.values.shape if operand.place else (1, 1, 1, 1)) for operand in (x, y)))
        wanted, unsure = close(p, q, opts, common_dtype([x, y]))
        got = self.taken(made, wanted.shape, BOOL, *what)
        if got is None:
            return
        bad = (got != wanted) & ~unsure
        self.expect(not np.any(bad), *what, 'of', p[bad][:3], q[bad][:3], 'it gives', got[bad][:3])
        if self.succeeds(self.lib.tess_allclose(byref(result), x.ref(), y.ref(), byref(opts)), *what):
            self.expect(result.value == np.all(got), *what, 'all of it')
        out = self.place(got.shape, BOOL)
        if self.succeeds(self.lib.tess_isclose(out.ref(), x.ref(), y.ref(), byref(opts)), *what):
            self.written(out, got, *what, 'into a view')

    def accuracy(self):
        """Long rows: every half, and many floats, with those where functions have their difficulties."""
        every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
        for name in ONE:
            if 'float' in kinds_of(name):
                self.check_rows(name, [every], F16)
        for name in [name for name in ONE + TWO if name in WIDE or name in WIDE_TO_COMPLEX]:
            for dtype, n in ((F32, 20_000), (F64, 1500)):
                count = 1 if name in ONE else 2
                self.check_rows(name, [self.many(dtype, n) for _ in range(count)], dtype)

    def many(self, dtype, n):
        generator = self.generator
        parts = [generator.integers(0, 256, n // 4 * dtype.size, np.uint8).view(dtype.numpy),
                 generator.uniform(-1, 1, n // 4), generator.normal(0, 10, n // 4),
                 np.exp2(generator.uniform(-150, 150, n // 8)), np.round(generator.normal(0, 100, n // 8)) * np.pi / 4]
        return generator.permutation(np.concatenate([part.astype(dtype.numpy) for part in parts]))

    def check_rows(self, name, rows, dtype):
        operands = []
        for row in rows:
            place = self.place_with(row.reshape(1, 1, 1, -1), dtype, plain=True)
            operands.append(Operand(place.view.copy(), dtype, place))
        self.check_call(name, operands)

    def complex_functions(self):
        """Long rows of complex numbers of every size, and those around the branch points."""
        for name in sorted({*COMPLEX_WIDE, *COMPLEX_SAFE}):
            for dtype, n in ((C16, 400), (C32, 400), (C64, 400)):
                operands = []
                for _ in range(2 if name in TWO else 1):
                    values = complex_from(self.many_parts(dtype, n), self.many_parts(dtype, n), dtype)
                    place = self.place_with(values.reshape(1, 1, 1, -1), dtype, plain=True)
                    operands.append(Operand(place.view.copy(), dtype, place))
                self.check_call(name, operands)

    def many_parts(self, dtype, n):
        generator, most = self.generator, FORMATS[dtype.real][2] * 0.9
        parts = [generator.uniform(-2, 2, n // 2), generator.normal(0, 10, n // 4),
                 generator.choice([-2, -1, -0.5, -0.0, 0.0, 0.5, 1, 2], n // 8),
                 np.exp2(generator.uniform(-most, most, n // 8)) * generator.choice([-1, 1], n // 8)]
        return generator.permutation(np.concatenate(parts)).astype(tess.BY_NAME[dtype.real].numpy)

    def special_values(self):
        """Complex functions of zeros, infinities, NaNs, and beside branch cuts: where NumPy and Python agree."""
        numbers = [-math.inf, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, math.inf, math.nan]
        names = {'asin': 'arcsin', 'acos': 'arccos', 'atan': 'arctan', 'asinh': 'arcsinh', 'acosh': 'arccosh',
                 'atanh': 'arctanh'}
        for name in ('sqrt exp log sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh').split():
            for z in itertools.starmap(complex, itertools.product(numbers, numbers)):
                self.check_special(name, z, getattr(np, names.get(name, name)))
        self.check_special_parts(np.array([complex(*z) for z in itertools.product(numbers, numbers)]))

    def check_special_parts(self, values):
        """Magnitudes, angles, and division by zero."""
        for dtype in (C32, C64):
            z = values.astype(dtype.numpy).reshape(1, 1, 1, -1)
            zero, finite = np.zeros_like(z), np.isfinite(z)
            for name, inputs, wanted, matters in (('abs', [z], np.hypot(z.real, z.imag), finite | True),
                                                  ('arg', [z], np.arctan2(z.imag, z.real), finite | True),
                                                  ('div', [z, zero], joined(z.real / 0, z.imag / 0), finite),
                                                  ('div_safe', [z, zero], zero, finite | True),
                                                  ('sign', [zero], zero, finite | True)):
                places = [self.place_with(x, dtype) for x in inputs]
                made, result = tess.Array(), tess.BY_NAME[dtype.real] if name in TO_REAL else dtype
                call = getattr(self.lib, 'tess_' + name)
                if not self.succeeds(call(byref(made), *(place.ref() for place in places)), name, dtype):
                    continue
                got = self.taken(made, z.shape, result, name, dtype)
                if got is not None:
                    bad = matters & different(got, wanted.astype(got.dtype))
                    if name == 'arg':
                        bad &= ~(ulps_off(got, wanted.astype(np.longdouble), result.name) <= 1)
                    self.expect(not np.any(bad), name, dtype, 'of', z[bad][:5], 'is', got[bad][:5])

    def check_special(self, name, z, function):
        try:
            wanted = getattr(cmath, name)(z)
        except (ValueError, OverflowError):
            return
        # Annex G leaves signs open where a NaN comes in, or an angle is infinite.
        angle = {'exp': z.imag, 'sinh': z.imag, 'cosh': z.imag, 'tanh': z.imag, 'sin': z.real, 'cos': z.real,
                 'tan': z.real}.get(name, 0.0)
        signs = not cmath.isnan(z) and math.isfinite(angle)
        with_numpy = complex(function(np.complex128(z)))
        if not self.alike(with_numpy, wanted, signs, 1e-14):
            return
        for dtype, bound in ((C64, 1e-14), (C32, 1e-6)):
            given, made = Operand(np.array([z]).astype(dtype.numpy), dtype), tess.Array()
            if not self.succeeds(getattr(self.lib, 'tess_' + name)(byref(made), given.ref()), name, z):
                continue
            got = self.taken(made, (1, 1, 1, 1), dtype, name, z)
            if got is not None:
                self.expect(self.alike(got.item(), wanted, signs, bound), name, dtype, z, 'should be', wanted, 'and is',
                            got.item())

    @staticmethod
    def alike(a, b, signs, bound):
        for x, y in ((a.real, b.real), (a.imag, b.imag)):
            if x != x or y != y:
                if x == x or y == y:
                    return False
            elif signs and math.copysign(1, x) != math.copysign(1, y):
                return False
            elif abs(x) != abs(y) and not abs(abs(x) - abs(y)) <= bound * (abs(b) if cmath.isfinite(b) else abs(y)):
                return False
        return True

    def bytes_as_bool(self):
        """Bools whose bytes are not 0 or 1 are true."""
        raw = self.generator.choice(np.array([0, 1, 2, 3, 128, 255], np.uint8), (2, 1, 1, 3, 67))
        places = [self.place(raw.shape[1:], BOOL) for _ in range(2)]
        for place, x in zip(places, raw):
            place.view.view(np.uint8)[...] = x
            place.before = place.memory.copy()
        operands = [Operand(x != 0, BOOL, place) for x, place in zip(raw, places)]
        for name in ONE:
            self.check_bytes(name, operands[:1])
        for name in TWO:
            self.check_bytes(name, operands)
        choices = [self.place(raw.shape[1:], F32) for _ in range(2)]
        made = tess.Array()
        if self.succeeds(self.lib.tess_where(byref(made), operands[0].ref(), *(x.ref() for x in choices)), 'where'):
            got = self.taken(made, raw.shape[1:], F32, 'where', 'bytes')
            wanted = np.where(raw[0] != 0, choices[0].view, choices[1].view)
            self.expect(same_values(got, wanted, True), 'where of bytes other than 0 and 1')

    def check_bytes(self, name, operands):
        kernel = kernel_dtype(name, BOOL)
        if kernel is None:
            return
        made, result = tess.Array(), result_dtype(name, kernel)
        if not self.succeeds(getattr(self.lib, 'tess_' + name)(byref(made), *(x.ref() for x in operands)), name):
            return
        got = self.taken(made, operands[0].values.shape, result, name)
        if got is None:
            return
        if result is BOOL:
            self.expect(np.all(got.view(np.uint8) <= 1), name, 'gives bytes other than 0 and 1')
        self.judge(name, got, self.as_computed(operands, BOOL, kernel), kernel, result, (name, 'bool as any byte'))

    def one_array_everywhere(self):
        """Output and all inputs are the same array."""
        for name, dtype in itertools.product(TWO + THREE, tess.SCALARS):
            kernel = kernel_dtype(name, dtype)
            if kernel is None or not can_become(result_dtype(name, kernel), dtype):
                continue
            count, call = 2 if name in TWO else 3, getattr(self.lib, 'tess_' + name)
            place = self.place_with(self.values_for(dtype, self.small_shape()), dtype)
            made = tess.Array()
            if not self.succeeds(call(byref(made), *[place.ref()] * count), name, dtype):
                continue
            inputs = [converted(place.view, dtype, SINGLE.get(kernel, kernel))] * count
            result = result_dtype(name, kernel)
            wanted = self.as_stored(call, [dtype] * count, tess.numpy_view(made, result).copy(), inputs, result, dtype)
            self.lib.tess_release(byref(made))
            if self.succeeds(call(place.ref(), *[place.ref()] * count), name, dtype, 'onto itself'):
                self.written(place, wanted, name, dtype, 'of one array onto itself', any_nan=True)

    def other_dtypes_in_place(self):
        """The output is exactly the input's memory, as a type of the same size."""
        for names in (('i8', 'u8', 'bool'), ('i16', 'u16', 'f16'), ('i32', 'u32', 'f32'), ('i64', 'u64', 'f64')):
            for source, dtype in itertools.permutations([tess.BY_NAME[name] for name in names], 2):
                out, given = self.place(self.small_shape(), dtype), tess.Array()
                if not self.succeeds(self.lib.tess_reinterpret(byref(given), out.ref(), source.number), 'reinterpret'):
                    continue
                values = self.values_for(source, out.view.shape)
                out.view.view(source.numpy)[...] = values
                out.before = out.memory.copy()
                wanted = converted(values, source, source if source is not BOOL else tess.BY_NAME['u8'])
                if self.succeeds(self.lib.tess_real(out.ref(), byref(given)), 'real in place', source, dtype):
                    self.written(out, converted(wanted, source, dtype), 'real in place', source, dtype, any_nan=True)
        whole = self.place((1, 1, 4, 8), C32, plain=True)
        part = tess.Array()
        if self.succeeds(self.lib.tess_real_view(byref(part), whole.ref()), 'real_view'):
            self.fails(self.lib.tess_abs(byref(part), whole.ref()), tess.EALIAS, whole, 'abs into its own real part')

    def refused(self):
        """Outputs and shapes that do not fit, whatever the operation."""
        lib, shape = self.lib, (2, 3, 4, 5)
        for name in ONE + TWO + THREE + ['where']:
            count = 1 if name in ONE else 2 if name in TWO else 3
            dtype = tess.BY_NAME['i32'] if 'int' in kinds_of(name) else F32
            inputs = [self.place(shape, BOOL if name == 'where' and k == 0 else dtype) for k in range(count)]
            call = getattr(lib, 'tess_' + name)
            result = BOOL if name in TO_BOOL else C32 if name in TO_COMPLEX else dtype
            refs = [place.ref() for place in inputs]
            for size in ((2, 3, 4, 1), (2, 3, 4, 6), (1, 3, 4, 5), (0, 3, 4, 5)):
                out = self.place(size, result)
                self.fails(call(out.ref(), *refs), tess.ESHAPE, out, name, 'into', size)
            out = self.place(shape, result, read_only=True)
            self.fails(call(out.ref(), *refs), tess.EWRITE, out, name, 'into a read-only array')
            out = self.place(shape, result, plain=True)
            row = Place(lib, out.memory, np.broadcast_to(out.view[..., :1], shape), result,
                        (tess.address_of(out.view) - tess.address_of(out.memory)) % result.size)
            self.fails(call(row.ref(), *refs), tess.EWRITE, out, name, 'into a broadcast array')
            self.check_overlaps_of(name, call, inputs)
            odd = self.place((2, 3, 4, 4), dtype)
            nothing = tess.Array()
            if count > 1:
                self.fails(call(byref(nothing), *refs[:-1], odd.ref()), tess.ESHAPE, None, name, 'of misfits')
            for k in range(count if name != 'where' else 1):
                compound = self.place(shape, tess.BY_NAME['vec2_f32'])
                self.fails(call(byref(nothing), *refs[:k], compound.ref(), *refs[k + 1:]), tess.EDTYPE, None, name,
                           'of a compound')
                self.fails(call(byref(nothing), *refs[:k], None, *refs[k + 1:]), tess.EARG, None, name, 'of NULL')
                self.fails(call(byref(nothing), *refs[:k], byref(tess.Array()), *refs[k + 1:]), tess.EARG, None, name,
                           'of a zeroed array')
            self.fails(call(None, *refs), tess.EARG, None, name, 'into NULL')
            self.expect(not any(bytes(nothing)), name, 'leaves a zeroed output zeroed')
        self.check_complex_outputs()

    def check_overlaps_of(self, name, call, inputs):
        """The output shares memory with an input but is not exactly that."""
        if name in TO_COMPLEX:
            return
        dtype = inputs[-1].dtype
        whole = self.place((2, 3, 4, 6), dtype, plain=True)
        lead = (tess.address_of(whole.view) - tess.address_of(whole.memory)) % dtype.size
        for key_out, key_in in ((np.s_[..., 1:], np.s_[..., :-1]), (np.s_[..., :-1], np.s_[..., -1:0:-1])):
            out, given = (Place(self.lib, whole.memory, whole.view[key], dtype, lead) for key in (key_out, key_in))
            for k in range(len(inputs)):
                if inputs[k].dtype is dtype:
                    refs = [given.ref() if k == i else place.ref() for i, place in enumerate(inputs)]
                    self.fails(call(out.ref(), *refs), tess.EALIAS, out, name, 'into an overlapping view')

    def check_complex_outputs(self):
        shape = (1, 2, 3, 4)
        for name in sorted(COMPLEX | {'where'} | TO_COMPLEX):
            count = 1 if name in ONE else 2 if name in TWO else 3
            for dtype, real in itertools.product(tess.COMPLEXES, tess.REALS):
                if name in TO_BOOL or name in TO_REAL:
                    continue
                given = tess.BY_NAME[dtype.real] if name in TO_COMPLEX else dtype
                refs = [self.place(shape, BOOL if name == 'where' and k == 0 else given, plain=True)
                        for k in range(count)]
                out = self.place(shape, real)
                self.fails(getattr(self.lib, 'tess_' + name)(out.ref(), *(place.ref() for place in refs)), tess.EDTYPE,
                           out, name, dtype, 'to', real)

    def large(self):
        """Work for several threads gives the same bits as for one, and as contiguous copies do."""
        shape = (3, 5, 67, 129)
        for name, dtypes in (('add', (F32, F32)), ('exp', (F32,)), ('mul', (F16, F32)), ('less', (F64, F64)),
                             ('div', (tess.BY_NAME['i32'],) * 2), ('fma', (F64,) * 3), ('mul', (C32, C32)),
                             ('sqrt', (C16,)), ('add', (tess.BY_NAME['u8'], tess.BY_NAME['i16'])), ('sin', (F64,))):
            call = getattr(self.lib, 'tess_' + name)
            values = [self.values_for(dtype, shape) for dtype in dtypes]
            plain = [self.place_with(x, dtype, plain=True) for x, dtype in zip(values, dtypes)]
            made = tess.Array()
            if not self.succeeds(call(byref(made), *(place.ref() for place in plain)), name, dtypes):
                continue
            result = result_dtype(name, kernel_dtype(name, promoted(dtypes)))
            wanted = self.taken(made, shape, result, name, dtypes)
            for threads in copies.THREADS if wanted is not None else ():
                self.lib.tess_threads_set(threads)
                places = [self.place_with(x, dtype) for x, dtype in zip(values, dtypes)]
                out = self.place(shape, result)
                if self.succeeds(call(out.ref(), *(place.ref() for place in places)), name, dtypes):
                    self.written(out, wanted, name, dtypes, 'with', threads, 'threads', any_nan=True)
                if result in dtypes:
                    out = places[dtypes.index(result)]
                    if self.succeeds(call(out.ref(), *(place.ref() for place in places)), name, dtypes, 'in place'):
                        self.written(out, wanted, name, dtypes, 'in place', threads, 'threads', any_nan=True)
        self.lib.tess_threads_set(0)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('lists', tests.lists), ('promotions', tests.promotions), ('one input', lambda: tests.unary(tess.rounds(3))),
        ('two inputs', tests.binary), ('three inputs', lambda: tests.ternary(tess.rounds(150))),
        ('where', lambda: tests.choices(tess.rounds(2))), ('tolerances', lambda: tests.tolerances(tess.rounds(500))),
        ('accuracy', tests.accuracy),
        ('complex functions', tests.complex_functions), ('special values', tests.special_values),
        ('bytes as bool', tests.bytes_as_bool), ('one array everywhere', tests.one_array_everywhere),
        ('other dtypes in place', tests.other_dtypes_in_place), ('refusals', tests.refused),
        ('large', tests.large)))


if __name__ == '__main__':
    sys.exit(main())
