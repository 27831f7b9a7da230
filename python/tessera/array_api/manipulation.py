"""Shapes of arrays: views and joined copies."""
import math

import tessera as _names

from .. import _tessera as _ts
from . import dtypes as _dtypes


def broadcast_to(x, /, shape):
    """A read-only view of another shape, with elements repeated along the new axes."""
    return _names.broadcast_to(_ts.asarray(x), shape)


def broadcast_arrays(*arrays):
    """Read-only views of the shape that all arrays have together."""
    arrays = [_ts.asarray(x) for x in arrays]
    ndim = max((x.ndim for x in arrays), default=0)
    padded = [(1,) * (ndim - x.ndim) + x.shape for x in arrays]
    shape = tuple(next((n for n in sizes if n != 1), 1) for sizes in zip(*padded))
    return [broadcast_to(x, shape) for x in arrays]


def concat(arrays, /, *, axis=0):
    """Join arrays along an axis; with None they are flattened first."""
    arrays = [_ts.asarray(x) for x in arrays]
    dtype = _dtypes.result_type(*arrays)
    parts = [x.astype(dtype, copy=False) for x in arrays]
    if axis is None:
        return _ts.concatenate([x.reshape(x.size) for x in parts], 0)
    return _ts.concatenate(parts, axis)


def stack(arrays, /, *, axis=0):
    """Join arrays of one shape along a new axis."""
    arrays = [_ts.asarray(x) for x in arrays]
    dtype = _dtypes.result_type(*arrays)
    return _names.stack([x.astype(dtype, copy=False) for x in arrays], axis)


def expand_dims(x, /, *, axis=0):
    """A view with new axes of size 1 at these positions of the result."""
    return _names.expand_dims(_ts.asarray(x), axis)


def squeeze(x, /, axis):
    """A view without these axes, which have the size 1."""
    return _names.squeeze(_ts.asarray(x), axis)


def flip(x, /, *, axis=None):
    """A view with the elements reversed along axes [all]."""
    return _names.flip(_ts.asarray(x), axis)


def permute_dims(x, /, axes):
    """A view with the axes in another order."""
    return _ts.asarray(x).transpose(tuple(axes))


def _is_dense(x):
    strides = [x.itemsize * math.prod(x.shape[axis + 1:]) for axis in range(x.ndim)]
    return x.size == 0 or all(n == 1 or stride == dense for n, stride, dense in zip(x.shape, x.strides, strides))


def reshape(x, /, shape, *, copy=None):
    """The same elements with another shape: a view if strides allow it, or with copy=True a copy."""
    x = _ts.asarray(x)
    if copy is False and not _is_dense(x):
        raise ValueError("reshape: copy is False, but the elements do not lie one after the other")
    return (x.copy() if copy else x).reshape(shape)


def roll(x, /, shift, *, axis=None):
    """Shift the elements cyclically along axes; without `axis`, in C order."""
    return _names.roll(_ts.asarray(x), shift, axis)
