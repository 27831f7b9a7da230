"""Functions that make arrays."""
import builtins
import math

import tessera as _names

from .. import _tessera as _ts
from . import dtypes as _dtypes
from .manipulation import broadcast_arrays


def _is_integer(x):
    return isinstance(x, int) or (not isinstance(x, float) and hasattr(x, "__index__"))


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An Array of any array, number or nested list; copied if it must be, or with copy=True."""
    made = _names.asarray(obj, dtype, device)
    if copy is False:
        source = None if isinstance(obj, (bool, int, float, complex, list, tuple)) else _ts.asarray(obj)
        if source is None or (source.dtype, source.device) != (made.dtype, made.device):
            raise ValueError("asarray: copy is False, but the elements must be copied")
    return made.copy() if copy else made


def from_dlpack(x, /):
    """An Array that shares the memory of an object with __dlpack__."""
    return _ts.from_dlpack(x)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """Numbers from start, or 0, up to stop, which is excluded; integers if all arguments are."""
    if stop is None:
        start, stop = 0, start
    whole = builtins.all(map(_is_integer, (start, stop, step)))
    dtype = dtype or (_dtypes.int64 if whole else _dtypes.float64)
    n = -((start - stop) // step) if whole else math.ceil((stop - start) / step)
    return _ts.arange((builtins.max(n, 0),), start, step, dtype=dtype, device=device)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """`num` evenly spaced numbers from start to stop."""
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    steps = num - 1 if endpoint else num
    if num > 0 and not is_complex and endpoint:
        made = _ts.linspace((num,), start, stop, dtype="f64", device=device)
    else:
        made = _ts.arange((num,), 0, 1, dtype="f64", device=device) * ((stop - start) / builtins.max(steps, 1)) + start
    return made if dtype is None else made.astype(dtype, copy=False)


def empty(shape, *, dtype=None, device=None):
    """An uninitialised array."""
    return _ts.empty(shape, dtype, device)


def zeros(shape, *, dtype=None, device=None):
    """An array of zeros."""
    return _ts.zeros(shape, dtype, device)


def ones(shape, *, dtype=None, device=None):
    """An array of ones."""
    return _ts.ones(shape, dtype, device)


def full(shape, fill_value, *, dtype=None, device=None):
    """An array filled with a number, of the number's type."""
    return _names.full(shape, fill_value, dtype, device)


def _like(x, dtype, device):
    x = _ts.asarray(x)
    return x.shape, {"dtype": x.dtype if dtype is None else dtype, "device": x.device if device is None else device}


def empty_like(x, /, *, dtype=None, device=None):
    """An uninitialised array of the shape, type and device of another."""
    shape, keywords = _like(x, dtype, device)
    return empty(shape, **keywords)


def zeros_like(x, /, *, dtype=None, device=None):
    """Zeros of the shape, type and device of another array."""
    shape, keywords = _like(x, dtype, device)
    return zeros(shape, **keywords)


def ones_like(x, /, *, dtype=None, device=None):
    """Ones of the shape, type and device of another array."""
    shape, keywords = _like(x, dtype, device)
    return ones(shape, **keywords)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """An array of the shape, type and device of another, filled with a number."""
    shape, keywords = _like(x, dtype, device)
    return full(shape, fill_value, **keywords)


def _diagonals(n_rows, n_columns, device):
    """The number of the diagonal on which each element of a matrix lies: 0 is the main one, positive ones are above it."""
    columns = _ts.arange((1, n_columns), 0, 1, dtype="i64", device=device)
    return columns - _ts.arange((n_rows, 1), 0, 1, dtype="i64", device=device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """A matrix with ones on its diagonal k, and zeros elsewhere."""
    diagonals = _diagonals(n_rows, n_rows if n_cols is None else n_cols, device)
    return _ts.equal(diagonals, k).astype(dtype or _dtypes.float64)


def _triangle(x, is_kept):
    x = _ts.asarray(x)
    if x.ndim < 2:
        raise ValueError(f"a triangle of an array with {x.ndim} axes; expected 2 or more")
    kept = is_kept(_diagonals(*x.shape[-2:], x.device))
    return _ts.where(kept, x, _ts.zeros((), x.dtype, x.device))


def tril(x, /, *, k=0):
    """Matrices with zeros above the diagonal k."""
    return _triangle(x, lambda diagonal: diagonal <= k)


def triu(x, /, *, k=0):
    """Matrices with zeros below the diagonal k."""
    return _triangle(x, lambda diagonal: diagonal >= k)


def meshgrid(*arrays, indexing="xy"):
    """Coordinates of the points of a grid, whose axes have these coordinates: one array for each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is {indexing!r}; expected 'xy' or 'ij'")
    n = len(arrays)
    axes = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else range(n)
    spread = [_ts.asarray(x).reshape((1,) * axis + (-1,) + (1,) * (n - 1 - axis)) for x, axis in zip(arrays, axes)]
    return [x.copy() for x in broadcast_arrays(*spread)]
