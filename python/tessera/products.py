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


_dot.__doc__ = """The product of two vectors, of matrices, or of a matrix and a vector, as in NumPy.

Of more axes, the sum of products over the last axis of a and the last but one of b. dot_product sums over any axes."""
dot = described(_dot, arrays=2)


@pair
def inner(a, b):
    """The sum of products over the last axis of both."""
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
    """All products of an element of a and one of b, as a matrix."""
    return _both(a, b, lambda x, y: _ts.mul(x.reshape(x.size, 1), y.reshape(1, y.size)))


@pair
def vdot(a, b):
    """The sum of products of all elements, with the conjugate of a."""
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
    """Cross products of vectors of two or three components along an axis; of two by two, their z."""
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis,) * 3

    def work(x, y):
        x, y = moveaxis(x, axisa, -1), moveaxis(y, axisb, -1)
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
    """The diagonals of matrices along two axes, as the last axis of the result."""
    return _view(a, lambda x: _along_last(x, offset, axis1, axis2))


@described
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sums of the diagonals of matrices along two axes."""
    made = _ts.sum(_along_last(_ts.asarray(a), offset, axis1, axis2), -1, dtype=dtype, out=out)
    return made if out is not None else _ts._of_kind(made, a)
