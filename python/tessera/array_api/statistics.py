"""Sums, means, extrema and truth over axes."""
import math

from .. import _tessera as _ts


def _reduced(function, x, axis, keepdims):
    x = _ts.asarray(x)
    if axis == ():  # each element alone, of the type of a result
        return x.astype(function(_ts.ones((1,), x.dtype)).dtype)
    return function(x, axis, keepdims=keepdims)


def _total(function, x, axis, dtype, keepdims):
    if dtype is None:
        return _reduced(function, x, axis, keepdims)
    return _reduced(function, _ts.asarray(x).astype(dtype, copy=False), axis, keepdims).astype(dtype, copy=False)


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """Sum over axes; those of integers are i64 or u64."""
    return _total(_ts.sum, x, axis, dtype, keepdims)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """Product over axes; those of integers are i64 or u64."""
    return _total(_ts.prod, x, axis, dtype, keepdims)


def max(x, /, *, axis=None, keepdims=False):
    """Largest element over axes."""
    return _reduced(_ts.max, x, axis, keepdims)


def min(x, /, *, axis=None, keepdims=False):
    """Smallest element over axes."""
    return _reduced(_ts.min, x, axis, keepdims)


def mean(x, /, *, axis=None, keepdims=False):
    """Mean over axes."""
    return _reduced(_ts.mean, x, axis, keepdims)


def all(x, /, *, axis=None, keepdims=False):
    """Whether all elements over axes are true."""
    return _reduced(_ts.all, x, axis, keepdims)


def any(x, /, *, axis=None, keepdims=False):
    """Whether any element over axes is true."""
    return _reduced(_ts.any, x, axis, keepdims)


def _count(x, axis):
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod(x.shape[k] for k in axes)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Variance over axes; the sum of squares is divided by the number of elements less the correction."""
    x = _ts.asarray(x)
    n = _count(x, axis)
    if axis == ():
        made = _ts.zeros(x.shape, _ts.var(_ts.ones((1,), x.dtype)).dtype, x.device)
    else:
        made = _ts.var(x, axis, keepdims=keepdims)
    return made if correction == 0 else made * (n / (n - correction) if n != correction else math.nan)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Standard deviation over axes; the sum of squares is divided by the number of elements less the correction."""
    return _ts.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))
