"""Element types of the standard, their limits and their promotion."""
import builtins
from typing import NamedTuple

from .. import _tessera as _ts

bool = _ts.dtype("bool")
int8, int16, int32, int64 = (_ts.dtype(f"i{n}") for n in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (_ts.dtype(f"u{n}") for n in (8, 16, 32, 64))
float32, float64 = _ts.dtype("f32"), _ts.dtype("f64")
complex64, complex128 = _ts.dtype("c32"), _ts.dtype("c64")

_KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
          "complex floating": "c", "numeric": "iufc"}


def _dtype_of(x):
    return x.dtype if isinstance(x, _ts.Array) else _ts.dtype(getattr(x, "dtype", x))


def _real(dtype):
    return {complex64: float32, complex128: float64}.get(dtype, dtype)


def astype(x, dtype, /, *, copy=True):
    """The array with another element type; with copy=False itself if it has that type already."""
    return _ts.asarray(x).astype(dtype, copy=copy)


def _promoted(x, y):
    if x == y:
        return x
    return _ts.add(_ts.empty((), x), _ts.empty((), y)).dtype


def result_type(*arrays_and_dtypes):
    """The element type of the result of an operation with operands of these types."""
    if not arrays_and_dtypes:
        raise ValueError("result_type: there are no arrays; expected one or more")
    made = _dtype_of(arrays_and_dtypes[0])
    for other in arrays_and_dtypes[1:]:
        made = _promoted(made, _dtype_of(other))
    return made


def can_cast(from_, to, /):
    """Whether promotion leads from one element type to the other."""
    return _promoted(_dtype_of(from_), _ts.dtype(to)) == _ts.dtype(to)


def isdtype(dtype, kind):
    """Whether an element type is of a kind, such as "real floating", or equals another one; a tuple means any of them."""
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str) and kind not in _KINDS and not _is_name(kind):
        raise ValueError(f"isdtype: kind is {kind!r}; expected one of {', '.join(map(repr, _KINDS))}")
    if isinstance(kind, str) and kind in _KINDS:
        return _ts.dtype(dtype).kind in _KINDS[kind]
    return _ts.dtype(dtype) == kind


def _is_name(text):
    try:
        _ts.dtype(text)
    except ValueError:
        return False
    return True


class FloatLimits(NamedTuple):
    """Limits of an element type for floats; of complex numbers those of their parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: _ts.dtype


class IntegerLimits(NamedTuple):
    """Limits of an element type for integers."""

    bits: int
    max: int
    min: int
    dtype: _ts.dtype


def finfo(type, /):
    """Limits of an element type for floats or complex numbers, or of that of an array."""
    dtype = _real(_dtype_of(type))
    formats = {"f16": (16, 10, 15), "f32": (32, 23, 127), "f64": (64, 52, 1023)}
    if dtype.name not in formats:
        raise TypeError(f"finfo: the element type is {dtype}; expected floats or complex numbers")
    bits, digits, exponent = formats[dtype.name]
    largest = (2.0 - 2.0 ** -digits) * 2.0 ** exponent
    return FloatLimits(bits, 2.0 ** -digits, largest, -largest, 2.0 ** (1 - exponent), dtype)


def iinfo(type, /):
    """Limits of an element type for integers, or of that of an array."""
    dtype = _dtype_of(type)
    if dtype.kind not in "iu":
        raise TypeError(f"iinfo: the element type is {dtype}; expected integers")
    bits = 8 * dtype.itemsize
    signed = dtype.kind == "i"
    return IntegerLimits(bits, 2 ** (bits - signed) - 1, -2 ** (bits - 1) if signed else 0, dtype)
