"""Functions with NumPy's names and arguments, where the library has different ones or none: arrays, shapes, elements, indices.

Results have the type of the array that is passed, and are views where NumPy's are.
"""
import math as _math
import numbers as _numbers

from . import _tessera as _ts
from .described import described, pair

__all__ = ("allclose arange array_equal asarray broadcast_to clip compress concat concatenate e empty_like expand_dims eye flip "
           "fmod full_like hstack inf isclose linspace masked_select meshgrid mod moveaxis nan newaxis nonzero ones_like pad pi ravel "
           "repeat reshape roll round round_half_away sinc sinc_radians squeeze stack swapaxes tile transpose vstack where "
           "zeros_like").split()

pi, e, inf, nan, newaxis = _math.pi, _math.e, _math.inf, _math.nan, None


# ---- The caller's arrays ----


def _shape(a):
    return tuple(a.shape if hasattr(a, "shape") else _ts.asarray(a).shape)


def _kind(*arrays):
    """The array that results are like: the first that is neither a list nor a number."""
    for a in arrays:
        if not isinstance(a, (list, tuple, _numbers.Number)) or hasattr(a, "dtype"):
            return a
    return arrays[0]


def _view(a, work):
    """The result of `work` on an array, as the caller's type of array."""
    return _ts._of_kind(work(_ts.asarray(a)), a)


def _both(a, b, work):
    """The result of `work` on two arrays, of the type of the first one."""
    return _ts._of_kind(work(_ts.asarray(a), _ts.asarray(b)), _kind(a, b))


def _axis(name, axis, ndim):
    if not -ndim <= axis < ndim:
        raise IndexError(f"{name}: axis is {axis}; the array has {ndim} axes")
    return axis % ndim


def _axes(name, axis, ndim):
    return [_axis(name, k, ndim) for k in (axis if isinstance(axis, (tuple, list)) else (axis,))]


def _flat(a):
    x = _ts.asarray(a)
    return x.reshape(x.size)


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


eye = described(_eye, "(shape, dtype=None, device=None, *, out=None)", "eye(n) is the n x n matrix, as in NumPy.", 0)


def _are_numbers(*values):
    return all(isinstance(value, _numbers.Real) for value in values)


def _arange(*args, **keywords):
    if len(args) in (2, 3) and _are_numbers(*args) and not {"shape", "start", "step"} & set(keywords):
        step = args[2] if len(args) == 3 else 1
        if step == 0:
            raise ValueError("arange: step must not be 0")
        n = max(0, _math.ceil((args[1] - args[0]) / step))
        return _ts.arange(n, args[0], step, **keywords)
    return _ts.arange(*args, **keywords)


arange = described(_arange, _ts.arange.__text_signature__, "arange(start, stop[, step]) with numbers works as in NumPy.", 0)


def _linspace(*args, endpoint=True, retstep=False, **keywords):
    if not endpoint:
        keywords["no_endpoint"] = True
    if retstep:
        keywords["step"] = True
    if not args and "shape" not in keywords and "start" in keywords:
        args = (keywords.pop("start"),)
    if len(args) == 1 and "shape" not in keywords and "start" not in keywords and "stop" in keywords:
        args += (keywords.pop("stop"),)
    if len(args) == 2 and "shape" not in keywords and not {"start", "stop"} & set(keywords):
        args += (keywords.pop("num", 50),)
    if len(args) == 3 and _are_numbers(*args) and not {"shape", "start", "stop"} & set(keywords):
        if not hasattr(args[2], "__index__"):
            raise TypeError(f"linspace: n is {args[2]!r}; expected an integer")
        return _ts.linspace((args[2],), args[0], args[1], **keywords)
    return _ts.linspace(*args, **keywords)


linspace = described(_linspace, _ts.linspace.__text_signature__.replace("*, ", "*, endpoint=True, retstep=False, "),
                     "linspace(start, stop, num=50, *, endpoint=True, retstep=False) with numbers works as in NumPy.", 0)


def _like(make, a, dtype, device):
    like = _ts.asarray(a)
    made = make(like.shape, dtype=like.dtype if dtype is None else dtype, device=like.device if device is None else device)
    return made if device is not None else _ts._of_kind(made, a)


@described
def empty_like(a, dtype=None, device=None):
    """An uninitialised array of the shape, dtype and device of another."""
    return _like(_ts.empty, a, dtype, device)


@described
def zeros_like(a, dtype=None, device=None):
    """Zeros of the shape, dtype and device of another array."""
    return _like(_ts.zeros, a, dtype, device)


@described
def ones_like(a, dtype=None, device=None):
    """Ones of the shape, dtype and device of another array."""
    return _like(_ts.ones, a, dtype, device)


@described
def full_like(a, fill_value, dtype=None, device=None):
    """An array of the shape, dtype and device of another, filled with fill_value."""
    return _like(lambda shape, dtype, device: _ts.full(shape, fill_value, dtype, device), a, dtype, device)


# ---- Shapes ----


@described
def reshape(a, shape):
    """The same elements with another shape; one size may be -1."""
    return _view(a, lambda x: x.reshape(shape))


@described
def ravel(a):
    """All elements along one axis; a view if strides allow it."""
    return _view(a, lambda x: x.reshape(x.size))


@described
def squeeze(a, axis=None):
    """A view without axes of size 1, or without the given ones."""
    def work(x):
        dropped = [k for k, n in enumerate(x.shape) if n == 1] if axis is None else _axes("squeeze", axis, x.ndim)
        for k in dropped:
            if x.shape[k] != 1:
                raise ValueError(f"squeeze: axis {k} has the size {x.shape[k]}; expected 1")
        return x[tuple(0 if k in dropped else slice(None) for k in range(x.ndim))]
    return _view(a, work)


@described
def expand_dims(a, axis):
    """A view with new axes of size 1 at these positions of the result."""
    def work(x):
        ndim = x.ndim + (len(axis) if isinstance(axis, (tuple, list)) else 1)
        new = _axes("expand_dims", axis, ndim)
        return x[tuple(None if k in new else slice(None) for k in range(ndim))]
    return _view(a, work)


@described
def transpose(a, axes=None):
    """A view with the axes in another order [reversed]."""
    return _view(a, lambda x: x.transpose(*(() if axes is None else (tuple(axes),))))


@described
def swapaxes(a, axis1, axis2):
    """A view with two axes exchanged."""
    def work(x):
        order = list(range(x.ndim))
        i, k = (_axis("swapaxes", axis, x.ndim) for axis in (axis1, axis2))
        order[i], order[k] = k, i
        return x.transpose(tuple(order))
    return _view(a, work)


@described
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


@described
def broadcast_to(a, shape):
    """A read-only view of another shape, with elements repeated along the new axes."""
    return _view(a, lambda x: x._broadcast(tuple(shape) if hasattr(shape, "__len__") else (shape,)))


@described
def flip(a, axis=None):
    """A view with the elements reversed along axes [all]."""
    def work(x):
        turned = range(x.ndim) if axis is None else _axes("flip", axis, x.ndim)
        return x[tuple(slice(None, None, -1) if k in turned else slice(None) for k in range(x.ndim))]
    return _view(a, work)


@described
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


# ---- Joining ----


def _listed(arrays):
    """The arrays of a list, or along the first axis of an array."""
    return list(arrays) if hasattr(arrays, "__iter__") else arrays


def _parts(arrays):
    """(arrays, the one that results are like)"""
    arrays = _listed(arrays)
    return [_ts.asarray(a) for a in arrays], _kind(*arrays) if arrays else ()


def _concatenate(parts, axis=0, *, dtype=None, out=None):
    parts = _listed(parts)
    if axis is None:
        flat, like = _parts(parts)
        parts, axis = [_ts._of_kind(_flat(a), like) for a in flat], 0
    if dtype is not None:
        parts = [_ts.cast(a, dtype) for a in parts]
    return _ts.concatenate(parts, axis, out=out)


concatenate = described(_concatenate, "(parts, axis=0, *, dtype=None, out=None)",
                        "Arrays of several dtypes are joined in the common one. axis=None flattens them first.", 0)
concat = concatenate


def _joined(parts, axis, like, dtype):
    made = _ts.concatenate(parts, axis)
    return _ts._of_kind(made if dtype is None else made.astype(dtype, copy=False), like)


def stack(arrays, axis=0, *, dtype=None):
    """Join arrays of one shape along a new axis; of several dtypes, the result has the common one."""
    parts, like = _parts(arrays)
    ndim = parts[0].ndim + 1 if parts else 1
    if not -ndim <= axis < ndim:
        raise IndexError(f"stack: axis is {axis}; the result has {ndim} axes")
    at = (slice(None),) * (axis % ndim) + (None,)
    return _joined([a[at] for a in parts], axis % ndim, like, dtype)


def vstack(arrays, *, dtype=None):
    """Join arrays along the first axis; one-dimensional arrays count as rows."""
    parts, like = _parts(arrays)
    return _joined([a.reshape(1, a.size) if a.ndim < 2 else a for a in parts], 0, like, dtype)


def hstack(arrays, *, dtype=None):
    """Join arrays along the second axis, or along the only one."""
    parts, like = _parts(arrays)
    parts = [a.reshape(1) if a.ndim == 0 else a for a in parts]
    return _joined(parts, 0 if all(a.ndim == 1 for a in parts) else 1, like, dtype)


# ---- Repeating ----


@described
def tile(a, reps):
    """An array that repeats another one reps times, a number or one for each axis."""
    counts = [reps] if hasattr(reps, "__index__") else list(reps)

    def work(x):
        x = x.reshape((1,) * (len(counts) - x.ndim) + x.shape)
        for k, n in enumerate([1] * (x.ndim - len(counts)) + counts):
            if n < 0:
                raise ValueError(f"tile: reps is {reps}; expected 0 or more")
            x = x[(slice(None),) * k + (slice(0),)] if n == 0 else x if n == 1 else _ts.concatenate([x] * n, k)
        return x.copy() if all(n == 1 for n in counts) else x
    return _view(a, work)


@described
def repeat(a, repeats, axis=None):
    """Repeat each element, or with `axis` each slice along it: a number of times, or as many as `repeats` has for each."""
    def work(x):
        x, k = (x.reshape(x.size), 0) if axis is None else (x, _axis("repeat", axis, x.ndim))
        n, counts = x.shape[k], _flat(repeats).to("cpu")
        if counts.size not in (1, n) or _ts.any(_ts.less(counts, 0)) or counts.dtype.kind not in "biu":
            raise ValueError(f"repeat: repeats is {repeats}; expected one integer of 0 or more, or one for each of {n}")
        if counts.size == 1:
            rows = _ts.floor_div(_ts.arange(n * max(counts.item(), 1), dtype="i64"), max(counts.item(), 1))
            rows = rows if counts.item() else rows[:0]
        else:
            rows = _ts.searchsorted(_ts.cumsum(counts, 0), _ts.arange(int(_ts.sum(counts)), dtype="i64"), right=True)
        return _ts.take(x, rows.to(x.device), k)
    return _view(a, work)


def meshgrid(*arrays, indexing="xy", sparse=False, copy=True):
    """Coordinates of a grid, one array for each axis of it, from the coordinates along each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is {indexing!r}; expected 'xy' or 'ij'")
    lines = [_flat(a) for a in arrays]
    order = list(range(len(lines)))
    if indexing == "xy" and len(lines) > 1:
        order[0], order[1] = 1, 0
    shape = [0] * len(lines)
    for line, k in zip(lines, order):
        shape[k] = line.size
    made = [line.reshape([line.size if axis == k else 1 for axis in range(len(lines))]) for line, k in zip(lines, order)]
    made = made if sparse else [line._broadcast(tuple(shape)) for line in made]
    return tuple(_ts._of_kind(x.copy() if copy else x, _kind(a)) for x, a in zip(made, arrays))


# ---- Padding ----


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


pad = described(_pad, "(in_, before, after=None, *, mode=None, constant_values=0, border='zero', value=0, value_imag=0, out=None)",
                "Without `after`, `before` and `mode` work as in np.pad; modes are constant, edge, wrap, symmetric and reflect.")


# ---- Elements ----


@described
def clip(x, a_min=None, a_max=None, out=None):
    """Limit elements to the range a_min to a_max; None means no limit."""
    if a_min is None:
        return _ts.minimum(x, a_max, out=out) if a_max is not None else _ts.copy(x, out=out)
    return _ts.maximum(x, a_min, out=out) if a_max is None else _ts.clamp(x, a_min, a_max, out=out)


def _round(x, decimals=0, *, out=None):
    whole = _ts.asarray(x).dtype.kind in "iu"
    if decimals == 0 or (whole and decimals > 0):
        return _ts.rint(x, out=out)
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return _ts.true_div(_ts.rint(_ts.mul(x, scale)), scale, out=out)
    made = _ts.mul(_ts.rint(_ts.true_div(x, scale)), scale, out=None if whole else out)
    return _ts.cast(made, _ts.asarray(x).dtype, out=out) if whole else made


_round.__doc__ = """Round to the nearest number with so many decimals; halves are rounded to even numbers.

round_half_away rounds halves away from 0."""
round = described(_round)
round_half_away, fmod, mod = _ts.round, _ts.mod, _ts.floor_mod


@described
def sinc(x, *, out=None):
    """sin(pi x) / (pi x), as in NumPy; sinc_radians is sin(x) / x."""
    return _ts.sinc(_ts.mul(x, pi), out=out)


sinc_radians = _ts.sinc


@described
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


where = described(_where, "(condition, x=None, y=None, *, out=None)", "With a condition alone it is nonzero, as in NumPy.", 0)


def _isclose(x, y, rtol=None, atol=None, equal_nan=False, *, ulps=0, dtype=None, out=None):
    return _ts.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan, ulps=ulps, dtype=dtype, out=out)


isclose = described(_isclose, "(x, y, rtol=None, atol=None, equal_nan=False, *, ulps=0, dtype=None, out=None)", "", 2)


@pair
def allclose(x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    """True if all elements of x are within atol + rtol * |y| of those of y; with equal_nan, two NaNs are close."""
    return bool(_ts.all(_ts.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)))


@pair
def array_equal(x, y):
    """True if both have the same shape and equal elements."""
    x, y = _ts.asarray(x), _ts.asarray(y)
    return x.shape == y.shape and bool(_ts.all(_ts.equal(x, y)))


# ---- Selecting ----


masked_select = _ts.compress


def compress(condition, a, axis=None, out=None):
    """The slices along an axis, or without it the elements in C order, whose condition is true.

    masked_select selects by a mask of the shape of the array.
    """
    chosen = _ts.asarray(condition)
    if chosen.ndim != 1:
        raise ValueError(f"compress: condition has {chosen.ndim} axes; expected one (masked_select takes a mask of the whole array)")
    x = _ts.asarray(a)
    x, k = (x.reshape(x.size), 0) if axis is None else (x, _axis("compress", axis, x.ndim))
    made = _ts.take(x, nonzero(chosen.to(x.device))[0], k, out=out)
    return made if out is not None else _ts._of_kind(made, a)


# ---- Indices that are arrays ----


def _rows(array, index):
    """(the selected rows as integers, the shape of the index)"""
    if index.dtype == "bool":
        if index.shape != array.shape[:1]:
            raise IndexError(f"a mask has the shape {index.shape}; expected {array.shape} or {array.shape[:1]}")
        return nonzero(index)[0], None
    if index.size == 0:
        index = index.astype("i64")
    if index.dtype.kind not in "iu":
        raise IndexError(f"an index has the dtype {index.dtype}; expected integers or bool")
    if array.ndim == 0:
        raise IndexError("too many indices: the array has 0 axes")
    return index.reshape(index.size), index.shape


def _get(array, key):
    """array[key] for a mask, or for integers along the first axis: a copy."""
    index = asarray(key, device=array.device)
    if index.dtype == "bool" and index.shape == array.shape:
        chosen = _ts.compress(array, index)
        return chosen.reshape(chosen.size)
    rows, shape = _rows(array, index)
    taken = _ts.take(array, rows, 0)
    return taken if shape is None else taken.reshape(shape + array.shape[1:])


def _set(array, key, value):
    """array[key] = value for the same keys."""
    index = asarray(key, device=array.device)
    if index.dtype == "bool" and index.shape == array.shape:
        places = _ts.compress(array, index, values=False, indices=True)
        places = places.reshape(places.size)
        if places.size:
            value = asarray(value, array.dtype, array.device)
            _ts.put_flat(array, value if value.size == 1 else value.reshape(value.size), places)
        return
    rows, shape = _rows(array, index)
    if rows.size == 0:
        return
    value = asarray(value, array.dtype, array.device)
    if shape is not None and len(shape) != 1 and value.ndim > array.ndim - 1:
        value = value.reshape((rows.size,) + array.shape[1:])
    _ts.put(array, value, rows, 0)


_ts._set_indexing(_get, _set)
