"""Order, places and distinct elements."""
from typing import NamedTuple

import tessera as _names

from .. import _tessera as _ts
from . import dtypes as _dtypes


def argmax(x, /, *, axis=None, keepdims=False):
    """Index of the largest element along an axis, or in C order."""
    return _ts.argmax(_ts.asarray(x), axis, keepdims=keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """Index of the smallest element along an axis, or in C order."""
    return _ts.argmin(_ts.asarray(x), axis, keepdims=keepdims)


def nonzero(x, /):
    """Indices of the elements that are not 0: one array for each axis."""
    x = _ts.asarray(x)
    if x.ndim == 0:
        raise ValueError("nonzero: the array has no axes; expected one or more")
    return _names.nonzero(x)


def where(condition, x1, x2, /):
    """Elements of x1 where the condition holds, and of x2 elsewhere."""
    x1, x2 = _ts.asarray(x1), _ts.asarray(x2)
    dtype = _dtypes.result_type(x1, x2)
    return _ts.where(_ts.asarray(condition), x1.astype(dtype, copy=False), x2.astype(dtype, copy=False))


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """The elements in ascending or descending order along an axis."""
    return _ts.sort(_ts.asarray(x), axis, descending=descending)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The indices that would sort along an axis; equal elements keep their order."""
    return _ts.argsort(_ts.asarray(x), axis, descending=descending)


def take(x, indices, /, *, axis=None):
    """The slices at these indices along an axis, which may be left out for one axis."""
    x = _ts.asarray(x)
    if axis is None and x.ndim != 1:
        raise ValueError(f"take: axis is None and the array has {x.ndim} axes; expected an axis")
    return _ts.take(x, _ts.asarray(indices), 0 if axis is None else axis)


# ---- Distinct elements: each NaN is one of its own ----


class UniqueAll(NamedTuple):
    """Distinct elements, the index of the first of each, the index in them of each element, and their numbers."""

    values: _ts.Array
    indices: _ts.Array
    inverse_indices: _ts.Array
    counts: _ts.Array


class UniqueCounts(NamedTuple):
    """Distinct elements and their numbers."""

    values: _ts.Array
    counts: _ts.Array


class UniqueInverse(NamedTuple):
    """Distinct elements, and the index in them of each element."""

    values: _ts.Array
    inverse_indices: _ts.Array


def _order(x):
    """The indices that sort a flat array; complex numbers by their real parts, then by their imaginary parts."""
    if x.dtype.kind != "c":
        return _ts.argsort(x, 0)
    by_imag = _ts.argsort(x.imag, 0)
    return _ts.take(by_imag, _ts.argsort(_ts.take(x.real, by_imag, 0), 0), 0)


def unique_all(x, /):
    """The distinct elements, the index of the first of each, the index in them of each element, and their numbers."""
    x = _ts.asarray(x)
    flat, n = x.reshape(x.size), x.size
    if n == 0:
        none = _ts.zeros((0,), "i64", x.device)
        return UniqueAll(flat.copy(), none, _ts.zeros(x.shape, "i64", x.device), none.copy())
    order = _order(flat)
    ordered = _ts.take(flat, order, 0)
    begins = _ts.concatenate([_ts.ones((1,), "bool", x.device), _ts.not_equal(ordered[1:], ordered[:-1])], 0)
    (places,) = _names.nonzero(begins)
    ends = _ts.concatenate([places[1:], _ts.full((1,), n, "i64", x.device)], 0)
    inverse = _ts.empty((n,), "i64", x.device)
    _ts.put(inverse, _ts.cumsum(begins.astype("i64"), 0) - 1, order, 0)
    return UniqueAll(_ts.take(ordered, places, 0), _ts.take(order, places, 0), inverse.reshape(x.shape), ends - places)


def unique_counts(x, /):
    """The distinct elements, and how many there are of each."""
    made = unique_all(x)
    return UniqueCounts(made.values, made.counts)


def unique_inverse(x, /):
    """The distinct elements, and the index in them of each element."""
    made = unique_all(x)
    return UniqueInverse(made.values, made.inverse_indices)


def unique_values(x, /):
    """The distinct elements."""
    return unique_all(x).values
