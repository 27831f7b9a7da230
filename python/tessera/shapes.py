"""Shapes of arrays as NumPy has them: views of other shapes, arrays that are joined, repeated and padded."""
import math as _math

from . import _tessera as _ts
from .described import described
from .numpylike import _axes, _axis, _flat, _kind, _view

__all__ = ("broadcast_to concat concatenate expand_dims flip hstack meshgrid moveaxis pad ravel repeat reshape roll "
           "squeeze stack swapaxes tile transpose vstack").split()


# ---- Views ----


@described
def reshape(a, shape):
    """Give the same elements another shape: a view, or a copy if strides do not allow a view.

    Arguments:
        a: array
        shape: a size, or a tuple of up to four; one may be -1, and is then found from the others

    Raises:
        ShapeError: the sizes do not have as many elements as a
    """
    return _view(a, lambda x: x.reshape(shape))


@described
def ravel(a):
    """Put all elements along one axis, in C order: a view, or a copy if strides do not allow a view.

    Arguments:
        a: array
    """
    return _view(a, lambda x: x.reshape(x.size))


@described
def squeeze(a, axis=None):
    """Drop axes of size 1; the result is a view.

    Arguments:
        a: array
        axis: axis, or tuple of axes, to drop; a size other than 1 is an error (default: all axes of size 1)
    """
    def work(x):
        dropped = [k for k, n in enumerate(x.shape) if n == 1] if axis is None else _axes("squeeze", axis, x.ndim)
        for k in dropped:
            if x.shape[k] != 1:
                raise ValueError(f"squeeze: axis {k} has the size {x.shape[k]}; expected 1")
        return x[tuple(0 if k in dropped else slice(None) for k in range(x.ndim))]
    return _view(a, work)


@described
def expand_dims(a, axis):
    """Add axes of size 1; the result is a view.

    Arguments:
        a: array
        axis: position of the new axis in the result, or a tuple of several
    """
    def work(x):
        ndim = x.ndim + (len(axis) if isinstance(axis, (tuple, list)) else 1)
        new = _axes("expand_dims", axis, ndim)
        return x[tuple(None if k in new else slice(None) for k in range(ndim))]
    return _view(a, work)


@described
def transpose(a, axes=None):
    """Put the axes in another order; the result is a view.

    Arguments:
        a: array
        axes: number of each axis of a, in the order of the result (default: reversed)
    """
    return _view(a, lambda x: x.transpose(*(() if axes is None else (tuple(axes),))))


@described
def swapaxes(a, axis1, axis2):
    """Exchange two axes; the result is a view.

    Arguments:
        a: array
        axis1: axis to exchange
        axis2: axis to exchange it with
    """
    def work(x):
        order = list(range(x.ndim))
        i, k = (_axis("swapaxes", axis, x.ndim) for axis in (axis1, axis2))
        order[i], order[k] = k, i
        return x.transpose(tuple(order))
    return _view(a, work)


@described
def moveaxis(a, source, destination):
    """Move axes to other positions; the others keep their order. The result is a view.

    Arguments:
        a: array
        source: axis to move, or tuple of several
        destination: its position in the result, or as many positions as source has axes
    """
    def work(x):
        moved, to = _axes("moveaxis", source, x.ndim, "source"), _axes("moveaxis", destination, x.ndim, "destination")
        if len(moved) != len(to):
            raise ValueError(f"moveaxis: source is {source} and destination {destination}; expected equal numbers of axes")
        order = [k for k in range(x.ndim) if k not in moved]
        for place, k in sorted(zip(to, moved)):
            order.insert(place, k)
        return x.transpose(tuple(order))
    return _view(a, work)


@described
def broadcast_to(a, shape):
    """Repeat elements along new axes and axes of size 1; the result is a read-only view.

    Arguments:
        a: array
        shape: shape of the result, with which that of a must broadcast

    Raises:
        ShapeError: a size of a is neither 1 nor that of the shape
    """
    return _view(a, lambda x: x._broadcast(tuple(shape) if hasattr(shape, "__len__") else (shape,)))


@described
def flip(a, axis=None):
    """Reverse the order of elements; the result is a view.

    Arguments:
        a: array
        axis: axis, or tuple of axes, along which to reverse (default: all)
    """
    def work(x):
        turned = range(x.ndim) if axis is None else _axes("flip", axis, x.ndim)
        return x[tuple(slice(None, None, -1) if k in turned else slice(None) for k in range(x.ndim))]
    return _view(a, work)


@described
def roll(a, shift, axis=None):
    """Shift elements cyclically; the result is a new array.

    Arguments:
        a: array
        shift: number of elements towards higher indices, or a tuple with one for each axis
        axis: axis, or tuple of axes, along which to shift (default: a is flattened, shifted, and shaped again)
    """
    if axis is None:
        x = _ts.asarray(a)
        return _ts._of_kind(roll(x.reshape(x.size), shift, 0).reshape(x.shape), a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    if len(axes) != len(shifts):
        raise ValueError(f"roll: shift is {shift} and axis {axis}; expected equal lengths")
    made = _ts.asarray(a)
    for k, n in zip(_axes("roll", axis, made.ndim, repeats=True), shifts):
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
                        "", 0, rows={
                            "parts": "list of arrays to join, whose other sizes are equal",
                            "axis": "axis to join along; None flattens the arrays first",
                            "dtype": "element type of the result (default: the common one)"})
concat = concatenate


_MANY_BYTES = 1 << 16  # from which it takes longer to convert arrays before they are joined


def _of_several_dtypes(parts, axis):
    """Each is converted where it belongs, without a copy of the common dtype."""
    none = _ts.concatenate([a[(slice(None),) * axis + (slice(0),)] for a in parts], axis)
    shape = tuple(sum(a.shape[axis] for a in parts) if k == axis else n for k, n in enumerate(none.shape))
    made, at = _ts.empty(shape, none.dtype, none.device), 0
    for a in parts:
        made[(slice(None),) * axis + (slice(at, at + a.shape[axis]),)] = a
        at += a.shape[axis]
    return made


def _joined(parts, axis, like, dtype):
    try:
        several = len({a.dtype for a in parts}) > 1 and sum(a.nbytes for a in parts) > _MANY_BYTES
        made = _of_several_dtypes(parts, axis) if several else _ts.concatenate(parts, axis)
    except _ts.ShapeError as error:
        error.args = (str(error).replace("parts[", "arrays["),)
        raise
    return _ts._of_kind(made if dtype is None else made.astype(dtype, copy=False), like)


def stack(arrays, axis=0, *, dtype=None):
    """Join arrays of one shape along a new axis.

    Arguments:
        arrays: list of arrays of the same shape; of several dtypes, the result has the common one
        axis: position of the new axis in the result
        dtype: element type of the result (default: the common one)
    """
    parts, like = _parts(arrays)
    ndim = parts[0].ndim + 1 if parts else 1
    if not -ndim <= axis < ndim:
        raise IndexError(f"stack: axis is {axis}; the result has {ndim} axes")
    for i, a in enumerate(parts):
        if a.shape != parts[0].shape:
            raise ValueError(f"stack: arrays[{i}] has shape {a.shape} and arrays[0] has {parts[0].shape}; expected equal shapes")
    at = (slice(None),) * (axis % ndim) + (None,)
    return _joined([a[at] for a in parts], axis % ndim, like, dtype)


stack = described(stack, arrays=0)


def vstack(arrays, *, dtype=None):
    """Join arrays along the first axis; an array of one axis counts as a row.

    Arguments:
        arrays: list of arrays whose other sizes are equal
        dtype: element type of the result (default: the common one)
    """
    parts, like = _parts(arrays)
    return _joined([a.reshape(1, a.size) if a.ndim < 2 else a for a in parts], 0, like, dtype)


vstack = described(vstack, arrays=0)


def hstack(arrays, *, dtype=None):
    """Join arrays along the second axis, or along the only one.

    Arguments:
        arrays: list of arrays whose other sizes are equal
        dtype: element type of the result (default: the common one)
    """
    parts, like = _parts(arrays)
    parts = [a.reshape(1) if a.ndim == 0 else a for a in parts]
    return _joined(parts, 0 if all(a.ndim == 1 for a in parts) else 1, like, dtype)


hstack = described(hstack, arrays=0)


# ---- Repeating ----


@described
def tile(a, reps):
    """Repeat a whole array along its axes.

    Arguments:
        a: array
        reps: number of repeats of the last axis, or a tuple with one for each axis; more numbers than axes add axes in front
    """
    counts = [reps] if hasattr(reps, "__index__") else list(reps)

    def work(x):
        if any(n < 0 for n in counts):
            raise ValueError(f"tile: reps is {reps}; expected 0 or more")
        sizes = (1,) * (len(counts) - x.ndim) + x.shape
        times = [1] * (len(sizes) - len(counts)) + counts
        made = tuple(n * size for n, size in zip(times, sizes))
        if len(sizes) <= 2:  # at once, with an axis in front of each that repeats it
            wide = [part for size in sizes for part in (1, size)], [part for pair in zip(times, sizes) for part in pair]
            return x.reshape(wide[0])._broadcast(tuple(wide[1])).copy().reshape(made)
        x = x.reshape(sizes)
        for k, n in reversed(list(enumerate(times))):
            x = x if n == 1 else _slices_tiled(x, k, n)
        return x.copy() if all(n == 1 for n in counts) else x
    return _view(a, work)


def _slices_tiled(x, axis, times):
    """The whole array `times` times along an axis."""
    before, inner = _math.prod(x.shape[:axis]), _math.prod(x.shape[axis:])
    wide = x.reshape(before, 1, inner)._broadcast((before, times, inner)).copy()
    return wide.reshape(x.shape[:axis] + (x.shape[axis] * times,) + x.shape[axis + 1:])


def _each_repeated(x, axis, times):
    """Each slice along an axis the same number of times."""
    before, after = _math.prod(x.shape[:axis]), _math.prod(x.shape[axis + 1:])
    wide = x.reshape(before, x.shape[axis], 1, after)._broadcast((before, x.shape[axis], times, after)).copy()
    return wide.reshape(x.shape[:axis] + (x.shape[axis] * times,) + x.shape[axis + 1:])


@described
def repeat(a, repeats, axis=None):
    """Repeat each element, or each slice along an axis.

    Arguments:
        a: array
        repeats: number of times, or one for each element or slice, (n,)
        axis: axis whose slices are repeated (default: a is flattened first)
    """
    def work(x):
        x, k = (x.reshape(x.size), 0) if axis is None else (x, _axis("repeat", axis, x.ndim))
        n, counts = x.shape[k], _flat(repeats).to("cpu")
        if counts.size not in (1, n) or _ts.any(_ts.less(counts, 0)) or counts.dtype.kind not in "biu":
            raise ValueError(f"repeat: repeats is {repeats}; expected one integer of 0 or more, or one for each of {n}")
        if counts.size == 1:
            return _each_repeated(x, k, int(counts.item()))
        rows = _ts.searchsorted(_ts.cumsum(counts, 0), _ts.arange(int(_ts.sum(counts)), dtype="i64"), right=True)
        return _ts.take(x, rows.to(x.device), k)
    return _view(a, work)


def meshgrid(*arrays, indexing="xy", sparse=False, copy=True):
    """Make the coordinates of a grid from those along each axis.

    Arguments:
        *arrays: coordinates along each axis, up to four vectors
        indexing: 'xy': the first two arrays run along the second and the first axis; 'ij': each runs along its own axis
        sparse: give each result the size 1 along the axes of the other arrays
        copy: return copies; with False, views of the arrays

    Returns a tuple with an array for each of `arrays`, in the shape of the grid.
    """
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


meshgrid = described(meshgrid, arrays=0)


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
                "", rows={
                    "before": "elements to add before the first of each axis, a number or one for each; negative: to remove. Without "
                              "after: those of both sides, a number, a pair, or a pair for each axis, as in np.pad",
                    "after": "elements to add after the last of each axis; negative: to remove (default: given by before)",
                    "mode": "border by NumPy's name: 'constant', 'edge', 'wrap', 'symmetric' or 'reflect' (default: by border)",
                    "constant_values": "value outside, with mode='constant' or without mode"})
