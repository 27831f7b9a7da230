"""Products of vectors and matrices as NumPy has them, and diagonals."""
from . import _tessera as _ts
from .described import described, pair
from .numpylike import _axis, _both, _kind, _view
from .shapes import moveaxis, stack

__all__ = "cross diagonal dot dot_product inner outer trace vdot".split()

dot_product = _ts.dot


def _last_but(x):
    """The axis that dot sums over of the second factor."""
    return max(x.ndim - 2, 0)


def _dot(a, b, out=None):
    x, y = _ts.asarray(a), _ts.asarray(b)
    if x.ndim == 0 or y.ndim == 0:
        return _ts.mul(a, b, out=out)
    if y.ndim < 3 and (x.ndim < 3 or y.ndim == 1):
        return _ts.matmul(a, b, out=out)
    if x.shape[-1] != y.shape[-2]:
        raise ValueError(f"dot: a has the shape {x.shape} and b {y.shape}; expected equal sizes of the last axis of a and the "
                         f"last but one of b")
    columns = moveaxis(y, -2, 0).reshape(y.shape[-2], -1)
    made = _ts.matmul(x.reshape(-1, x.shape[-1]), columns).reshape(x.shape[:-1] + y.shape[:-2] + y.shape[-1:])
    return _ts.copy(made, out=out) if out is not None else _ts._of_kind(made, _kind(a, b))


_dot.__doc__ = """Multiply two vectors, two matrices, or a matrix and a vector; dot_product sums over any axes.

Arguments:
    a: numbers, (..., n); a number multiplies b
    b: numbers, (n,) or (..., n, k); a number multiplies a
    out: array to write the result into (default: a new one)

Returns the sums of products over the last axis of a and the last but one, or only, axis of b.
"""
dot = described(_dot, arrays=2)


@pair
def inner(a, b):
    """Sum products over the last axis of both arrays.

    Arguments:
        a: numbers, (..., n)
        b: numbers, (..., n); a number multiplies a

    Returns the sums, with the other axes of a, then those of b.
    """
    def work(x, y):
        if x.ndim == 0 or y.ndim == 0:
            return _ts.mul(x, y)
        if x.shape[-1] != y.shape[-1]:
            raise ValueError(f"inner: a has the shape {x.shape} and b {y.shape}; expected equal last sizes")
        made = _ts.matmul(x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1]).T)
        return made.reshape(x.shape[:-1] + y.shape[:-1])
    return _both(a, b, work)


@pair
def outer(a, b):
    """Multiply each element of one array by each of another.

    Arguments:
        a: numbers, flattened to m elements
        b: numbers, flattened to n elements

    Returns the products, (m, n).
    """
    return _both(a, b, lambda x, y: _ts.mul(x.reshape(x.size, 1), y.reshape(1, y.size)))


@pair
def vdot(a, b):
    """Sum the products of all elements; those of the first array are conjugated.

    Arguments:
        a: numbers, flattened
        b: as many numbers, flattened
    """
    def work(x, y):
        if x.size != y.size:
            raise ValueError(f"vdot: a has {x.size} elements and b {y.size}; expected equal numbers")
        return _ts.matmul(_ts.conj(x.reshape(x.size)), y.reshape(y.size))
    return _both(a, b, work)


# ---- Cross products ----


def _component(x, k):
    """Component k of vectors along the last axis; z of two components is 0."""
    return x[..., k] if k < x.shape[-1] else None


def _difference(p, q, r, s):
    """p q - r s, where None is 0."""
    left = None if p is None or q is None else _ts.mul(p, q)
    right = None if r is None or s is None else _ts.mul(r, s)
    if left is None or right is None:
        return left if right is None else _ts.neg(right)
    return _ts.sub(left, right)


@pair
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Compute cross products of vectors of two or three components; a missing third component is 0.

    Arguments:
        a: vectors
        b: vectors, which broadcast with those of a
        axisa: axis of a that has the components
        axisb: axis of b that has the components
        axisc: axis of the result that has the components
        axis: axis for all three, instead of axisa, axisb and axisc

    Returns vectors of three components; of two vectors of two components, only the third, without an axis for it.
    """
    words = ("axisa", "axisb") if axis is None else ("axis", "axis")
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis,) * 3

    def work(x, y):
        x, y = (moveaxis(v, _axis("cross", k, v.ndim, word), -1) for v, k, word in zip((x, y), (axisa, axisb), words))
        if not {x.shape[-1], y.shape[-1]} <= {2, 3}:
            raise ValueError(f"cross: the vectors have {x.shape[-1]} and {y.shape[-1]} components; expected 2 or 3")
        (x0, x1, x2), (y0, y1, y2) = ([_component(v, k) for k in range(3)] for v in (x, y))
        z = _difference(x0, y1, x1, y0)
        if x2 is None and y2 is None:
            return z
        return stack([_difference(x1, y2, x2, y1), _difference(x2, y0, x0, y2), z], axisc)
    return _both(a, b, work)


# ---- Diagonals ----


def _along_last(x, offset, axis1, axis2):
    if x.ndim != 2 or axis1 != 0 or axis2 != 1:
        i, k = _axis("diagonal", axis1, x.ndim, "axis1"), _axis("diagonal", axis2, x.ndim, "axis2")
        if i == k:
            raise ValueError(f"diagonal: axis1 is {axis1} and axis2 {axis2}; expected different axes")
        x = x.transpose(tuple(axis for axis in range(x.ndim) if axis not in (i, k)) + (i, k))
    *front, rows, columns = x.shape
    first, n = (offset, columns - offset) if offset >= 0 else (-offset * columns, columns)
    n = max(0, min(rows + min(offset, 0), n))
    flat = x.reshape((*front, rows * columns))
    return flat[..., first:first + n * (columns + 1):columns + 1] if n else flat[..., :0]


@described
def diagonal(a, offset=0, axis1=0, axis2=1):
    """Select the diagonals of matrices; the result is a view.

    Arguments:
        a: array of two axes or more
        offset: number of the diagonal: 0 the main one, positive above it, negative below
        axis1: axis of the rows
        axis2: axis of the columns

    Returns the diagonals along the last axis, behind the remaining axes of a.
    """
    return _view(a, lambda x: _along_last(x, offset, axis1, axis2))


@described
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Sum the diagonals of matrices.

    Arguments:
        a: array of two axes or more
        offset: number of the diagonal: 0 the main one, positive above it, negative below
        axis1: axis of the rows
        axis2: axis of the columns
        dtype: element type to which elements are cast first (default: that of a)
        out: array to write the result into (default: a new one)
    """
    made = _ts.sum(_along_last(_ts.asarray(a), offset, axis1, axis2), -1, dtype=dtype, out=out)
    return made if out is not None else _ts._of_kind(made, a)
