"""Functions with NumPy's names and arguments, where the library has different ones or none.

Results have the type of the array that is passed, and are views where NumPy's are.
"""
from . import _tessera as _ts

__all__ = ("allclose argsort array_equal asarray average broadcast_to clip cumprod cumsum empty_like "
           "expand_dims eye flip full_like hstack moveaxis nonzero ones_like pad percentile ptp quantile ravel reshape roll "
           "round sort squeeze stack swapaxes transpose vstack where zeros_like").split()


def _described(function, signature, note):
    """The function with the name and documentation of the library's function, and a note on its additional arguments."""
    name = function.__name__[1:]
    document = getattr(_ts, name).__doc__
    return _ts._described(function, name, f"{name}{signature}\n--\n\n{document}\n{note}\n")


# ---- Making arrays ----


def asarray(object, dtype=None, device=None):
    """A tessera.Array that shares the memory of any array, copied only for another dtype or device; numbers and lists are
    copied."""
    made = _ts.asarray(object)
    made = made if dtype is None else made.astype(dtype, copy=False)
    return made if device is None else made.to(device)


def _eye(shape, dtype=None, device=None, *, out=None):
    square = (shape, shape) if hasattr(shape, "__index__") else shape
    return _ts.eye(square, dtype, device, out=out)


eye = _described(_eye, "(shape, dtype=None, device=None, *, out=None)", "eye(n) is the n x n matrix, as in NumPy.")


def _like(make, a, dtype, device):
    like = _ts.asarray(a)
    made = make(like.shape, dtype=like.dtype if dtype is None else dtype, device=like.device if device is None else device)
    return made if device is not None else _ts._of_kind(made, a)


def empty_like(a, dtype=None, device=None):
    """An uninitialised array of the shape, dtype and device of another."""
    return _like(_ts.empty, a, dtype, device)


def zeros_like(a, dtype=None, device=None):
    """Zeros of the shape, dtype and device of another array."""
    return _like(_ts.zeros, a, dtype, device)


def ones_like(a, dtype=None, device=None):
    """Ones of the shape, dtype and device of another array."""
    return _like(_ts.ones, a, dtype, device)


def full_like(a, fill_value, dtype=None, device=None):
    """An array of the shape, dtype and device of another, filled with fill_value."""
    return _like(lambda shape, dtype, device: _ts.full(shape, fill_value, dtype, device), a, dtype, device)


# ---- Shapes ----


def _view(a, work):
    """The result of `work` on an array, as the caller's type of array."""
    return _ts._of_kind(work(_ts.asarray(a)), a)


def _axis(name, axis, ndim):
    if not -ndim <= axis < ndim:
        raise IndexError(f"{name}: axis is {axis}; the array has {ndim} axes")
    return axis % ndim


def _axes(name, axis, ndim):
    return [_axis(name, k, ndim) for k in (axis if isinstance(axis, (tuple, list)) else (axis,))]


def reshape(a, shape):
    """The same elements with another shape; one size may be -1."""
    return _view(a, lambda x: x.reshape(shape))


def ravel(a):
    """All elements along one axis; a view if strides allow it."""
    return _view(a, lambda x: x.reshape(x.size))


def squeeze(a, axis=None):
    """A view without axes of size 1, or without the given ones."""
    def work(x):
        dropped = [k for k, n in enumerate(x.shape) if n == 1] if axis is None else _axes("squeeze", axis, x.ndim)
        for k in dropped:
            if x.shape[k] != 1:
                raise ValueError(f"squeeze: axis {k} has the size {x.shape[k]}; expected 1")
        return x[tuple(0 if k in dropped else slice(None) for k in range(x.ndim))]
    return _view(a, work)


def expand_dims(a, axis):
    """A view with new axes of size 1 at these positions of the result."""
    def work(x):
        ndim = x.ndim + (len(axis) if isinstance(axis, (tuple, list)) else 1)
        new = _axes("expand_dims", axis, ndim)
        return x[tuple(None if k in new else slice(None) for k in range(ndim))]
    return _view(a, work)


def transpose(a, axes=None):
    """A view with the axes in another order [reversed]."""
    return _view(a, lambda x: x.transpose(*(() if axes is None else (tuple(axes),))))


def swapaxes(a, axis1, axis2):
    """A view with two axes exchanged."""
    def work(x):
        order = list(range(x.ndim))
        i, k = (_axis("swapaxes", axis, x.ndim) for axis in (axis1, axis2))
        order[i], order[k] = k, i
        return x.transpose(tuple(order))
    return _view(a, work)


def moveaxis(a, source, destination):
    """A view with axes moved to other positions; the others keep their order."""
    def work(x):
        moved, to = (_axes("moveaxis", axis, x.ndim) for axis in (source, destination))
        if len(moved) != len(to):
            raise ValueError(f"moveaxis: source is {source} and destination {destination}; expected equal numbers of axes")
        order = [k for k in range(x.ndim) if k not in moved]
        for place, k in sorted(zip(to, moved)):
            order.insert(place, k)
        return x.transpose(tuple(order))
    return _view(a, work)


def broadcast_to(a, shape):
    """A read-only view of another shape, with elements repeated along the new axes."""
    return _view(a, lambda x: x._broadcast(tuple(shape) if hasattr(shape, "__len__") else (shape,)))


def flip(a, axis=None):
    """A view with the elements reversed along axes [all]."""
    def work(x):
        turned = range(x.ndim) if axis is None else _axes("flip", axis, x.ndim)
        return x[tuple(slice(None, None, -1) if k in turned else slice(None) for k in range(x.ndim))]
    return _view(a, work)


def roll(a, shift, axis=None):
    """Shift the elements cyclically along axes; without `axis`, in C order."""
    if axis is None:
        x = _ts.asarray(a)
        return _ts._of_kind(roll(x.reshape(x.size), shift, 0).reshape(x.shape), a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    if len(axes) != len(shifts):
        raise ValueError(f"roll: shift is {shift} and axis {axis}; expected equal lengths")
    made = _ts.asarray(a)
    for k, n in zip(_axes("roll", axis, made.ndim), shifts):
        size = made.shape[k]
        cut = (slice(None),) * k
        begin = -n % size if size else 0
        made = _ts.concatenate([made[cut + (slice(begin, None),)], made[cut + (slice(begin),)]], k)
    return _ts._of_kind(made, a)


def stack(arrays, axis=0):
    """Join arrays of one shape along a new axis."""
    arrays = list(arrays)
    parts = [_ts.asarray(a) for a in arrays]
    ndim = parts[0].ndim + 1 if parts else 1
    if not -ndim <= axis < ndim:
        raise IndexError(f"stack: axis is {axis}; the result has {ndim} axes")
    at = (slice(None),) * (axis % ndim) + (None,)
    made = _ts.concatenate([a[at] for a in parts], axis % ndim)
    return _ts._of_kind(made, arrays[0])


def vstack(arrays):
    """Join arrays along the first axis; one-dimensional arrays count as rows."""
    arrays = list(arrays)
    parts = [_ts.asarray(a) for a in arrays]
    made = _ts.concatenate([a.reshape(1, a.size) if a.ndim < 2 else a for a in parts], 0)
    return _ts._of_kind(made, arrays[0])


def hstack(arrays):
    """Join arrays along the second axis, or along the only one."""
    arrays = list(arrays)
    parts = [_ts.asarray(a) for a in arrays]
    parts = [a.reshape(1) if a.ndim == 0 else a for a in parts]
    made = _ts.concatenate(parts, 0 if all(a.ndim == 1 for a in parts) else 1)
    return _ts._of_kind(made, arrays[0])


_MODES = "constant", "edge", "wrap", "symmetric", "reflect"  # borders of the library have these names too


def _widths(widths, ndim):
    """Widths before and after each axis from a number, a pair, or a pair per axis, as in np.pad."""
    if hasattr(widths, "__index__"):
        return (widths,) * ndim, (widths,) * ndim
    pairs = [tuple(w) if hasattr(w, "__len__") else w for w in widths]
    if len(pairs) == 2 and not any(isinstance(p, tuple) for p in pairs):
        pairs = [tuple(pairs)]
    pairs = pairs * ndim if len(pairs) == 1 else pairs
    if len(pairs) != ndim or any(not isinstance(p, tuple) or len(p) != 2 for p in pairs):
        raise ValueError(f"pad: before is {widths}; without `after`, expected a number, a pair, or a pair for each of {ndim} axes")
    return tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)


def _pad(in_, before, after=None, *, mode=None, constant_values=0, border="zero", value=0, value_imag=0, out=None):
    if mode is not None:
        if mode not in _MODES:
            raise ValueError(f"pad: mode is {mode!r}; expected one of {', '.join(map(repr, _MODES))}")
        border, value = mode, constant_values
    elif constant_values != 0:
        border, value = "value", constant_values
    if after is None:
        before, after = _widths(before, _ts.asarray(in_).ndim)
    return _ts.pad(in_, before, after, border=border, value=value, value_imag=value_imag, out=out)


pad = _described(_pad, "(in_, before, after=None, *, mode=None, constant_values=0, border='zero', value=0, value_imag=0, out=None)",
                 "Without `after`, `before` and `mode` work as in np.pad; modes are constant, edge, wrap, symmetric and reflect.")


# ---- Order and sums ----


def _flat(a):
    x = _ts.asarray(a)
    return x.reshape(x.size)


def _axis_word(name, axis, default, keywords):
    """axes= is accepted for axis=, as in all functions."""
    if "axes" not in keywords:
        return axis
    if axis is not default:
        raise TypeError(f"{name}() got multiple values for argument 'axis'")
    return keywords.pop("axes")


def _along(name, a, axis, default, keywords):
    """Call the library's function along an axis, or on the flattened array if it is None."""
    function = getattr(_ts, name)
    axis = _axis_word(name, axis, default, keywords)
    if axis is not None:
        return function(a, axis, **keywords)
    made = function(_flat(a), 0, **keywords)
    return made if keywords.get("out") is not None else _ts._of_kind(made, a)


def _sort(in_, axis=-1, **keywords):
    return _along("sort", in_, axis, -1, keywords)


def _argsort(in_, axis=-1, **keywords):
    return _along("argsort", in_, axis, -1, keywords)


def _cumsum(in_, axis=None, **keywords):
    return _along("cumsum", in_, axis, None, keywords)


def _cumprod(in_, axis=None, **keywords):
    return _along("cumprod", in_, axis, None, keywords)


_FLATTENS = "axis=None flattens the array first, as in NumPy."
sort = _described(_sort, _ts.sort.__text_signature__, _FLATTENS)
argsort = _described(_argsort, _ts.argsort.__text_signature__, _FLATTENS)
cumsum = _described(_cumsum, _ts.cumsum.__text_signature__.replace("axis,", "axis=None,"), _FLATTENS)
cumprod = _described(_cumprod, _ts.cumprod.__text_signature__.replace("axis,", "axis=None,"), _FLATTENS)


def _several_quantiles(a, q, axis, keepdims, keywords):
    """Several quantiles, along a new first axis as in NumPy."""
    x, qs = _ts.asarray(a), _ts.asarray(q)
    if keywords.get("out") is not None:
        raise TypeError("quantile: out cannot be combined with several q; use quantiles")
    made = _ts.quantiles(x, qs.reshape(qs.size).tolist(), axis, **keywords)
    reduced = range(x.ndim) if axis is None else _axes("quantile", axis, x.ndim)
    innermost = max(reduced, default=0)
    made = moveaxis(made, sum(k not in reduced for k in range(innermost)), 0)
    kept = tuple(1 if k in reduced else n for k, n in enumerate(x.shape) if keepdims or k not in reduced)
    return _ts._of_kind(made.reshape(qs.shape + kept), a)


def _quantile(in_, q, axis=None, *, keepdims=False, **keywords):
    axis = _axis_word("quantile", axis, None, keywords)
    if hasattr(q, "__len__") and getattr(q, "ndim", 1):
        return _several_quantiles(in_, q, axis, keepdims, keywords)
    return _ts.quantile(in_, q, axis, keepdims=keepdims, **keywords)


quantile = _described(_quantile, _ts.quantile.__text_signature__,
                      "With several q, in a list or an array, results lie along a new first axis, as in NumPy.")


def percentile(a, q, axis=None, *, method="linear", skip_nan=False, keepdims=False):
    """Percentiles, with q in per cent as in np.percentile; options are those of quantile."""
    q = _ts.asarray(q) / 100 if hasattr(q, "__len__") else q / 100
    return _quantile(a, q, axis, method=method, skip_nan=skip_nan, keepdims=keepdims)


def ptp(a, axis=None, keepdims=False):
    """The difference between the largest and the smallest element."""
    return _ts.sub(_ts.max(a, axis, keepdims=keepdims), _ts.min(a, axis, keepdims=keepdims))


def average(a, axis=None, weights=None, keepdims=False):
    """The mean, or the weighted mean if weights are given."""
    if weights is None:
        return _ts.mean(a, axis, keepdims=keepdims)
    x, w = _ts.asarray(a), _ts.asarray(weights)
    if w.shape != x.shape and w.ndim == 1 and axis is not None and x.ndim > 1:
        if isinstance(axis, (tuple, list)):
            raise TypeError(f"average: axis is {axis} and weights have one axis; expected a single axis, or weights of the shape of a")
        k = _axis("average", axis, x.ndim)
        w = w.reshape((1,) * k + (w.size,) + (1,) * (x.ndim - k - 1))
    total = _ts.sum(w._broadcast(x.shape), axis, keepdims=keepdims)
    return _ts._of_kind(_ts.true_div(_ts.sum(_ts.mul(x, w), axis, keepdims=keepdims), total), a)


# ---- Elements ----


def clip(x, a_min=None, a_max=None, out=None):
    """Limit elements to the range a_min to a_max; None means no limit."""
    if a_min is None:
        return _ts.minimum(x, a_max, out=out) if a_max is not None else _ts.copy(x, out=out)
    return _ts.maximum(x, a_min, out=out) if a_max is None else _ts.clamp(x, a_min, a_max, out=out)


def _round(x, decimals=0, *, out=None):
    if decimals == 0:
        return _ts.round(x, out=out)
    scale = 10.0 ** decimals
    return _ts.true_div(_ts.round(_ts.mul(x, scale)), scale, out=out)


round = _described(_round, "(x, decimals=0, *, out=None)", "`decimals` is the number of digits after the point.")


def nonzero(a):
    """Indices of the non-zero elements: one array per axis."""
    x = _ts.asarray(a)
    flat, made = _ts.compress(x, x, values=False, indices=True), []
    flat = flat.reshape(flat.size)
    for n in reversed(x.shape):
        made.insert(0, _ts._of_kind(_ts.floor_mod(flat, n), a))
        flat = _ts.floor_div(flat, n)
    return tuple(made)


def _where(condition, x=None, y=None, *, out=None):
    if x is None and y is None and out is None:
        return nonzero(condition)
    return _ts.where(condition, x, y, out=out)


where = _described(_where, "(condition, x=None, y=None, *, out=None)", "With a condition alone it is nonzero, as in NumPy.")


def allclose(x, y, rtol=1e-5, atol=1e-8):
    """True if all elements of x are within atol + rtol * |y| of those of y."""
    if rtol == 0 and atol == 0:  # which are the defaults of isclose
        return bool(_ts.all(_ts.equal(x, y)))
    return bool(_ts.all(_ts.isclose(x, y, rtol=rtol, atol=atol)))


def array_equal(x, y):
    """True if both have the same shape and equal elements."""
    x, y = _ts.asarray(x), _ts.asarray(y)
    return x.shape == y.shape and bool(_ts.all(_ts.equal(x, y)))
