"""Products of vectors and matrices."""
import math

import tessera as _names

from .. import _tessera as _ts


def matrix_transpose(x, /):
    """A view with the last two axes exchanged."""
    return _ts.asarray(x).mT


def matmul(x1, x2, /):
    """Products of matrices in the last two axes; an array with one axis is a vector."""
    x1, x2 = _ts.asarray(x1), _ts.asarray(x2)
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("matmul: an array has no axes; expected one or more")
    made = _ts.matmul(x1[None] if x1.ndim == 1 else x1, x2[:, None] if x2.ndim == 1 else x2)
    made = made[..., 0] if x2.ndim == 1 else made
    return made if x1.ndim > 1 else made[0] if x2.ndim == 1 else made[..., 0, :]


def vecdot(x1, x2, /, *, axis=-1):
    """Dot products along an axis; the first array is conjugated."""
    x1, x2 = _ts.asarray(x1), _ts.asarray(x2)
    first, second = (_names.moveaxis(x, axis, -1) for x in (x1, x2))
    if first.shape[-1] != second.shape[-1]:
        raise ValueError(f"vecdot: the axes have the sizes {first.shape[-1]} and {second.shape[-1]}; expected equal ones")
    products = _ts.mul(_ts.conj(first) if first.dtype.kind == "c" else first, second)
    return _ts.sum(products, -1).astype(products.dtype, copy=False)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over some axes of both arrays: the last n and the first n, or those of two lists."""
    x1, x2 = _ts.asarray(x1), _ts.asarray(x2)
    if hasattr(axes, "__index__"):
        first, second = list(range(x1.ndim - axes, x1.ndim)), list(range(axes))
    else:
        first, second = ([axis % x.ndim for axis in (part if hasattr(part, "__len__") else (part,))]
                         for part, x in zip(axes, (x1, x2)))
    if [x1.shape[axis] for axis in first] != [x2.shape[axis] for axis in second]:
        raise ValueError(f"tensordot: axes are {axes} of the shapes {x1.shape} and {x2.shape}; expected equal sizes")
    rows = [axis for axis in range(x1.ndim) if axis not in first]
    columns = [axis for axis in range(x2.ndim) if axis not in second]
    shape = tuple(x1.shape[axis] for axis in rows) + tuple(x2.shape[axis] for axis in columns)
    if len(shape) > 4:
        raise ValueError(f"tensordot: the result has {len(shape)} axes; an array has at most 4 axes")
    n = math.prod(x1.shape[axis] for axis in first)
    a = x1.transpose(tuple(rows + first)).reshape((math.prod(shape[:len(rows)]), n))
    b = x2.transpose(tuple(second + columns)).reshape((n, math.prod(shape[len(rows):])))
    return _ts.matmul(a, b).reshape(shape)
