"""The functions of the Python array API standard 2022.12, on tessera.Array.

    xp = a.__array_namespace__()       # of a tessera.Array
    y = xp.mean(xp.abs(a), axis=-1)

They take any array that tessera takes, and always make a tessera.Array. Arrays have at most four axes. The extension linalg
is here, fft is not. docs/python.md lists what differs.
"""
from math import e, inf, nan, pi

from .creation import (arange, asarray, empty, empty_like, eye, from_dlpack, full, full_like, linspace, meshgrid, ones, ones_like,
                       tril, triu, zeros, zeros_like)
from .dtypes import (astype, bool, can_cast, complex64, complex128, finfo, float32, float64, iinfo, int8, int16, int32, int64,
                     isdtype, result_type, uint8, uint16, uint32, uint64)
from .elementwise import (abs, acos, acosh, add, asin, asinh, atan, atan2, atanh, bitwise_and, bitwise_invert, bitwise_left_shift,
                          bitwise_or, bitwise_right_shift, bitwise_xor, ceil, conj, cos, cosh, divide, equal, exp, expm1, floor,
                          floor_divide, greater, greater_equal, imag, isfinite, isinf, isnan, less, less_equal, log, log1p, log2,
                          log10, logaddexp, logical_and, logical_not, logical_or, logical_xor, multiply, negative, not_equal,
                          positive, pow, real, remainder, round, sign, sin, sinh, sqrt, square, subtract, tan, tanh, trunc)
from . import linalg
from .linear import matmul, matrix_transpose, tensordot, vecdot
from .manipulation import (broadcast_arrays, broadcast_to, concat, expand_dims, flip, permute_dims, reshape, roll, squeeze, stack)
from .searching import (argmax, argmin, argsort, nonzero, sort, take, unique_all, unique_counts, unique_inverse, unique_values,
                        where)
from .statistics import all, any, max, mean, min, prod, std, sum, var

newaxis = None
__array_api_version__ = "2022.12"

__all__ = [name for name in dir() if not name.startswith("_")
           and name not in ("creation", "dtypes", "elementwise", "linear", "manipulation", "searching", "statistics")]
