"""Indices that are masks, lists or arrays, alone or in tuples: a[a > 0], a[[0, 2], :, 1], a[:, mask], a[rows, columns].

The rules are those of NumPy. Integers and slices are applied first, as a view. What is left are arrays of integers for some
axes of this view, which broadcast to each other; their axes replace those axes if they are neighbours, and come first otherwise.
"""
import math
import operator

from . import _tessera as _ts
from .numpylike import asarray, nonzero

__all__ = []


def _is_integer(key):
    return getattr(key, "ndim", 0) == 0 and hasattr(key, "__index__") and getattr(key, "dtype", None) != "bool"


def _integers(key, device):
    """(arrays of integers, one for each axis that the index stands for, and the shape of these axes if it is a mask)"""
    index = asarray(key, device=device)
    if index.dtype == "bool":
        if index.ndim == 0:
            raise IndexError("a mask has the shape (); expected one axis or more")
        return nonzero(index), index.shape
    if index.size == 0:
        index = index.astype("i64")
    if index.dtype.kind not in "iu":
        raise IndexError(f"an index has the dtype {index.dtype}; expected integers or bool")
    return (index.astype("i64"),), None


def _entries(array, key):
    """The index as a list with a slice, an integer or an array of integers for each axis, None for new axes, and the ellipsis
    in front of its slices: arrays on its two sides are no neighbours, even if it stands for no axis."""
    given = [part if part is None or part is Ellipsis or isinstance(part, (slice, bool)) or _is_integer(part)
             else _integers(part, array.device) for part in (key if isinstance(key, tuple) else (key,))]
    n_axes = sum(len(part[0]) if isinstance(part, tuple) else part is not None and part is not Ellipsis for part in given)
    if n_axes > array.ndim:
        raise IndexError(f"too many indices: the array has {array.ndim} axes, but {n_axes} were given")
    places = [i for i, part in enumerate(given) if part is Ellipsis]
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    at = places[0] if places else len(given)
    given[at:at + 1] = [Ellipsis] * len(places) + [slice(None)] * (array.ndim - n_axes)
    made, axis = [], 0
    for part in given:
        if isinstance(part, tuple):
            indices, mask = part
            if mask is not None and mask != array.shape[axis:axis + len(mask)]:
                raise IndexError(f"a mask has the shape {mask}; expected {array.shape[axis:axis + len(mask)]}")
            made.extend(indices)
        else:
            made.append(part)
        axis += len(part[0]) if isinstance(part, tuple) else part is not None and part is not Ellipsis
    return made


def _broadcast_shape(shapes):
    ndim = max(map(len, shapes))
    padded = [(1,) * (ndim - len(shape)) + shape for shape in shapes]
    made = tuple(next((n for n in sizes if n != 1), 1) for sizes in zip(*padded))
    if any(n not in (1, size) for shape in padded for n, size in zip(shape, made)):
        raise IndexError(f"shape mismatch: the indices have the shapes {', '.join(map(str, shapes))}, which do not broadcast")
    return made


class _Selection:
    """What an index selects: places along the first axis of `rows`, or if its elements do not lie evenly, in C order.

    `shape` is that of the arrays of integers, `kept` are the sizes of the other axes of the view.
    """

    def __init__(self, array, key):
        entries = _entries(array, key)
        arrays = [entry for entry in entries if isinstance(entry, _ts.Array)]
        view = array[tuple(slice(None) if isinstance(entry, _ts.Array) else entry for entry in entries
                           if entry is not None and entry is not Ellipsis)]
        indexed, kept = [], []
        for entry in entries:
            if isinstance(entry, (slice, _ts.Array)):
                (kept if isinstance(entry, slice) else indexed).append(len(indexed) + len(kept))
        self.shape = _broadcast_shape([index.shape for index in arrays])
        self.kept = tuple(view.shape[axis] for axis in kept)
        self.size = math.prod(self.shape)
        self._lay_out(entries)
        self._find(view.transpose(tuple(indexed + kept)), arrays)

    def _lay_out(self, entries):
        """Where the axes of the indices are in the result, and where new axes are."""
        chosen = [i for i, entry in enumerate(entries) if not (entry is None or entry is Ellipsis or isinstance(entry, slice))]
        neighbours = chosen[-1] - chosen[0] == len(chosen) - 1
        n_entries = chosen[0] if neighbours else 0
        before = [entry for entry in entries[:n_entries] if entry is not Ellipsis]
        after = [entry for i, entry in enumerate(entries) if i >= n_entries and i not in chosen and entry is not Ellipsis]
        self.n_before = sum(entry is not None for entry in before)
        layout = before + [slice(None)] * len(self.shape) + after
        if len(layout) > 4:
            raise IndexError(f"the selected elements have {len(layout)} axes; an array has at most 4 axes")
        self.new = tuple(None if entry is None else slice(None) for entry in layout)

    def _find(self, moved, arrays):
        n = len(arrays)
        even = all(moved.strides[k] == moved.strides[k + 1] * moved.shape[k + 1] for k in range(n - 1))
        places = arrays[0] if n == 1 else self._flat_places(moved.shape[:n], arrays)
        self.places = places._broadcast(self.shape).reshape(self.size)
        self.is_flat = not even
        self.rows = moved.reshape((math.prod(moved.shape[:n]),) + self.kept) if even else moved
        if not even and self.size:
            n_kept = math.prod(self.kept)
            steps = _ts.arange((1, n_kept), 0, 1, dtype="i64", device=moved.device)
            self.places = (self.places.reshape(self.size, 1) * n_kept + steps).reshape(self.size * n_kept)

    def _flat_places(self, sizes, arrays):
        total = 0
        for axis, (n, index) in enumerate(zip(sizes, arrays)):
            if index.size:
                low, high = int(_ts.min(index)), int(_ts.max(index))
                if low < -n or high >= n:
                    raise IndexError(f"index {low if low < -n else high} is out of bounds for an axis with size {n}")
                if low < 0:
                    index = _ts.where(index < 0, index + n, index)
            total = total * n + index
        return total

    @property
    def full_shape(self):
        kept = self.kept[:self.n_before] + self.shape + self.kept[self.n_before:]
        sizes = iter(kept)
        return tuple(1 if part is None else next(sizes) for part in self.new)

    def get(self):
        if math.prod(self.full_shape) == 0:
            self._check_places()
            return _ts.empty(self.full_shape, self.rows.dtype, self.rows.device)
        taken = _ts.take_flat(self.rows, self.places) if self.is_flat else _ts.take(self.rows, self.places, 0)
        made = taken.reshape(self.shape + self.kept)
        n, before = len(self.shape), self.n_before
        if before:
            made = made.transpose((*range(n, n + before), *range(n), *range(n + before, made.ndim)))
        return made[self.new] if None in self.new else made

    def _check_places(self):
        if self.places.size and not self.is_flat:
            self._flat_places(self.rows.shape[:1], [self.places])

    def set(self, value):
        shape = self.full_shape
        if math.prod(shape) == 0:
            self._check_places()
            return
        while value.ndim > len(shape) and value.shape[0] == 1:
            value = value[0]
        if value.ndim > len(shape):
            raise ValueError(f"the value has the shape {value.shape}; expected one that broadcasts to {shape}")
        value = value._broadcast(shape)[tuple(0 if part is None else slice(None) for part in self.new)]
        n, before = len(self.shape), self.n_before
        value = value.transpose((*range(before, before + n), *range(before), *range(before + n, value.ndim)))
        if self.is_flat:
            _ts.put_flat(self.rows, value.reshape(self.places.size), self.places)
        else:
            _ts.put(self.rows, value.reshape((self.size,) + self.kept), self.places, 0)


def _is_whole_mask(array, key):
    return isinstance(key, _ts.Array) and key.dtype == "bool" and key.shape == array.shape


def _get(array, key):
    key = key if isinstance(key, tuple) else asarray(key, device=array.device)
    if not _is_whole_mask(array, key):
        return _Selection(array, key).get()
    chosen = _ts.compress(array, key)
    return chosen.reshape(chosen.size)


def _set(array, key, value):
    key = key if isinstance(key, tuple) else asarray(key, device=array.device)
    value = asarray(value, array.dtype, array.device)
    if not _is_whole_mask(array, key):
        _Selection(array, key).set(value)
        return
    places = _ts.compress(array, key, values=False, indices=True)
    if places.size:
        _ts.put_flat(array, value if value.size == 1 else value.reshape(value.size), places.reshape(places.size))


_ts._set_indexing(_get, _set)
