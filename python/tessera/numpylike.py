"""Functions with NumPy's names and arguments, where the library has different ones or none: arrays, elements, indices.

Results have the type of the array that is passed, and are views where NumPy's are.
"""
import math as _math
import numbers as _numbers

from . import _tessera as _ts
from .described import described, pair

__all__ = ("allclose arange array_equal asarray clip compress e empty_like eye fmod full full_like inf isclose linspace "
           "masked_select mod nan newaxis nonzero ones_like pi place round round_half_away sinc sinc_radians take where "
           "zeros_like").split()

pi, e, inf, nan, newaxis = _math.pi, _math.e, _math.inf, _math.nan, None


# ---- The caller's arrays ----


def _shape(a):
    return tuple(a.shape if hasattr(a, "shape") else _ts.asarray(a).shape)


def _kind(*arrays):
    """The array that results are like: the first that is neither a list nor a number."""
    arrays = [a for a in arrays if a is not None]
    for a in arrays:
        if not isinstance(a, (list, tuple, _numbers.Number)) or hasattr(a, "dtype"):
            return a
    return arrays[0]


def _view(a, work):
    """The result of `work` on an array, as the caller's type of array."""
    return _ts._of_kind(work(_ts.asarray(a)), a)


def _near(a, like):
    """An Array of `a`, on the device of `like` if it is a list or a number."""
    made, is_array = _ts.asarray(a), _kind(a, like) is a
    return made if is_array else made.to(_ts.asarray(like).device)


def _both(a, b, work):
    """The result of `work` on two arrays, of the type of the first one."""
    like = _kind(a, b)
    return _ts._of_kind(work(_near(a, like), _near(b, like)), like)


def _axis(name, axis, ndim, word="axis"):
    if not -ndim <= axis < ndim:
        raise IndexError(f"{name}: {word} is {axis}; the array has {ndim} ax{'is' if ndim == 1 else 'es'}")
    return axis % ndim


def _axes(name, axis, ndim, word="axis", repeats=False):
    """The numbers of axes, from 0; each once unless they may repeat."""
    made = [_axis(name, k, ndim, word) for k in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if not repeats and len(set(made)) < len(made):
        raise ValueError(f"{name}: {word} is {axis}; expected different axes")
    return made


def _flat(a):
    x = _ts.asarray(a)
    return x.reshape(x.size)


def _range(dtype):
    """The smallest and the largest integer of a dtype of integers."""
    bits = 8 * dtype.itemsize
    return (0, (1 << bits) - 1) if dtype.kind == "u" else (-1 << bits - 1, (1 << bits - 1) - 1)


def _check_range(name, word, value, dtype):
    """An integer of Python's must fit a dtype of integers, as in NumPy 2."""
    if type(value) is int and dtype.kind in "iu":
        low, high = _range(dtype)
        if not low <= value <= high:
            raise OverflowError(f"{name}: {word} is {value}, and the dtype is {dtype}; expected {low} to {high}, or a wider dtype")


# ---- Making arrays ----


def asarray(object, dtype=None, device=None):
    """Make a tessera.Array that shares the memory of another array.

    Arguments:
        object: array of any package, number or nested list; numbers and lists are copied
        dtype: element type; elements of another one are copied (default: that of object)
        device: device, such as 'gpu:0'; elements on another one are copied (default: that of object)
    """
    made = _ts.asarray(object)
    made = made if dtype is None else made.astype(dtype, copy=False)
    return made if device is None else made.to(device)


def _full(shape, value, dtype=None, device=None, *, out=None):
    if type(value) is int and not -1 << 63 <= value < 1 << 64:
        raise OverflowError(f"full: value is {value}; expected -2^63 to 2^64 - 1, or a float")
    if out is not None or not (isinstance(value, (int, complex)) or hasattr(value, "dtype")):
        return _ts.full(shape, value, dtype, device, out=out)
    is_large = type(value) is int and 1 << 63 <= value < 1 << 64
    element = _ts.add(_ts.zeros((), "u64"), value) if is_large else _ts.asarray(value)
    element = element if dtype is None else _ts.cast(element, dtype)
    _check_range("full", "value", value, element.dtype)
    there = element.to(_ts.empty((), "u8", device).device)
    return there._broadcast(tuple(shape) if hasattr(shape, "__len__") else (shape,)).copy()


full = described(_full, "(shape, value, dtype=None, device=None, *, out=None)",
                 "", 0, rows={"value": "number, or array that broadcasts to the shape; an integer must be in the range of the dtype",
                              "shape": "shape of the array; a number is the length of a vector",
                              "dtype": "element type (default: that of the value, i64 for integers)",
                              "device": "device, such as 'gpu:0' (default: that of tessera.device, else the CPU)"})


def _eye(shape, dtype=None, device=None, *, out=None):
    if isinstance(dtype, int):
        raise TypeError(f"eye: dtype is {dtype}; expected a dtype, or the sizes of the matrix as a tuple: eye(({shape}, {dtype}))")
    square = (shape, shape) if hasattr(shape, "__index__") else shape
    return _ts.eye(square, dtype, device, out=out)


_MADE = {"dtype": "element type (default: f64)",
         "device": "device, such as 'gpu:0' (default: that of tessera.device, else the CPU)"}
eye = described(_eye, "(shape, dtype=None, device=None, *, out=None)", "", 0,
                rows={**_MADE, "shape": "n for an n x n matrix, (m, n), or (..., m, n) for several matrices"})


def _are_numbers(*values):
    return all(isinstance(value, _numbers.Real) for value in values)


def _arange(*args, **keywords):
    if len(args) in (2, 3) and _are_numbers(*args) and not {"shape", "start", "step"} & set(keywords):
        step = args[2] if len(args) == 3 else 1
        if step == 0:
            raise ValueError("arange: step must not be 0")
        n = max(0, _math.ceil((args[1] - args[0]) / step))
        return _ts.arange(n, args[0], step, **keywords)
    if len(args) == 1 and isinstance(args[0], float):
        args = (max(0, _math.ceil(args[0])),)
    return _ts.arange(*args, **keywords)


arange = described(_arange, _ts.arange.__text_signature__, "arange(start, stop[, step]) with numbers works as in NumPy.", 0,
                   rows={**_MADE, "shape": "number of elements, or shape of the array, which is filled in C order",
                         "start": "first element", "step": "difference between consecutive elements"})


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
                     "linspace(start, stop, num=50, *, endpoint=True, retstep=False) with numbers works as in NumPy.", 0,
                     rows={**_MADE, "shape": "number of elements, or shape of the array, which is filled in C order",
                           "endpoint": "the last element is stop; with False it lies one step below",
                           "retstep": "return the step, too", "no_endpoint": "the opposite of endpoint",
                           "step": "the same as retstep"})


def _like(make, a, dtype, device):
    like = _ts.asarray(a)
    made = make(like.shape, dtype=like.dtype if dtype is None else dtype, device=like.device if device is None else device)
    return made if device is not None else _ts._of_kind(made, a)


@described
def empty_like(a, dtype=None, device=None):
    """Make an uninitialised array of the shape, dtype and device of another.

    Arguments:
        a: array of any package, or list
        dtype: element type (default: that of a)
        device: device, such as 'gpu:0' (default: that of a); if it is given, the result is a tessera.Array
    """
    return _like(_ts.empty, a, dtype, device)


@described
def zeros_like(a, dtype=None, device=None):
    """Make an array of zeros of the shape, dtype and device of another.

    Arguments:
        a: array of any package, or list
        dtype: element type (default: that of a)
        device: device, such as 'gpu:0' (default: that of a); if it is given, the result is a tessera.Array
    """
    return _like(_ts.zeros, a, dtype, device)


@described
def ones_like(a, dtype=None, device=None):
    """Make an array of ones of the shape, dtype and device of another.

    Arguments:
        a: array of any package, or list
        dtype: element type (default: that of a)
        device: device, such as 'gpu:0' (default: that of a); if it is given, the result is a tessera.Array
    """
    return _like(_ts.ones, a, dtype, device)


@described
def full_like(a, fill_value, dtype=None, device=None):
    """Make an array of the shape, dtype and device of another, filled with a number.

    Arguments:
        a: array of any package, or list
        fill_value: number; an integer must be in the range of an integer dtype
        dtype: element type (default: that of a)
        device: device, such as 'gpu:0' (default: that of a); if it is given, the result is a tessera.Array

    Raises:
        OverflowError: fill_value is an integer that the dtype does not hold
    """
    _check_range("full_like", "fill_value", fill_value, _ts.dtype(_ts.asarray(a).dtype if dtype is None else dtype))
    return _like(lambda shape, dtype, device: _full(shape, fill_value, dtype, device), a, dtype, device)


# ---- Elements ----


def _limits(x, a_min, a_max):
    """Limits of integers without those that no element can reach, as in NumPy 2."""
    if type(a_min) is not int and type(a_max) is not int:
        return a_min, a_max
    dtype = getattr(x, "dtype", None)
    if not hasattr(dtype, "kind"):  # of a list, or of torch's tensors
        dtype = _ts.asarray(x).dtype
    if dtype.kind not in "iu":
        return a_min, a_max
    low, high = _range(dtype)
    if type(a_min) is int and a_min > high:
        raise OverflowError(f"clip: a_min is {a_min}, and x has the dtype {_ts.dtype(dtype)}; expected {high} or less, or x of a wider "
                            "dtype")
    if type(a_max) is int and a_max < low:
        raise OverflowError(f"clip: a_max is {a_max}, and x has the dtype {_ts.dtype(dtype)}; expected {low} or more, or x of a wider "
                            "dtype")
    return (None if type(a_min) is int and a_min <= low else a_min), (None if type(a_max) is int and a_max >= high else a_max)


@described
def clip(x, a_min=None, a_max=None, out=None):
    """Limit elements to a range.

    Arguments:
        x: real numbers
        a_min: smallest value of the result, a number or an array that broadcasts to x (default: no limit)
        a_max: largest value of the result, as a_min (default: no limit); it counts where a_min is larger
        out: array to write the result into (default: a new one)

    NaN stays NaN. An integer limit that no element of integers reaches has no effect.

    Raises:
        OverflowError: a_min is above, or a_max below the range of the integer dtype of x
    """
    a_min, a_max = _limits(x, a_min, a_max)
    if a_min is None:
        return _ts.minimum(x, a_max, out=out) if a_max is not None else _ts.copy(x, out=out)
    return _ts.maximum(x, a_min, out=out) if a_max is None else _ts.clamp(x, a_min, a_max, out=out)


def _round(x, decimals=0, *, out=None):
    kind = _ts.asarray(x).dtype.kind
    if kind == "c":
        return _ts.complex(_round(_ts.real(x), decimals), _round(_ts.imag(x), decimals), out=out)
    whole = kind in "iu"
    if decimals == 0 or (whole and decimals > 0):
        return _ts.rint(x, out=out)
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return _ts.true_div(_ts.rint(_ts.mul(x, scale)), scale, out=out)
    made = _ts.mul(_ts.rint(_ts.true_div(x, scale)), scale, out=None if whole else out)
    return _ts.cast(made, _ts.asarray(x).dtype, out=out) if whole else made


_round.__doc__ = """Round to a number of decimals, halves to even; round_half_away rounds halves away from 0.

Arguments:
    x: numbers; of complex ones both parts are rounded
    decimals: number of decimals; a negative one rounds to tens, hundreds and so on
    out: array to write the result into (default: a new one)
"""
round = described(_round)
round_half_away, fmod, mod = _ts.round, _ts.mod, _ts.floor_mod


@described
def sinc(x, *, out=None):
    """Compute sin(pi x) / (pi x), which is 1 at 0, as in NumPy. sinc_radians is sin(x) / x.

    Arguments:
        x: numbers; integers give floats
        out: array to write the result into (default: a new one)
    """
    return _ts.sinc(_ts.mul(x, pi), out=out)


sinc_radians = _ts.sinc


@described
def nonzero(a):
    """Find the elements that are not 0.

    Arguments:
        a: array of one axis or more

    Returns a tuple with one array of i64 for each axis: the indices of the elements, in C order.
    """
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


where = described(_where, "(condition, x=None, y=None, *, out=None)", "With a condition alone it is nonzero, as in NumPy.", 0,
                  rows={"x": "values where the condition holds; integers alone give i64", "y": "values where it does not"})


def _isclose(x, y, rtol=None, atol=None, equal_nan=False, *, ulps=0, dtype=None, out=None):
    return _ts.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan, ulps=ulps, dtype=dtype, out=out)


isclose = described(_isclose, "(x, y, rtol=None, atol=None, equal_nan=False, *, ulps=0, dtype=None, out=None)", "", 2)


@pair
def allclose(x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Tell whether all elements of two arrays are equal within tolerances: |x - y| <= atol + rtol * |y|.

    Arguments:
        x: numbers to compare
        y: numbers to compare with, which broadcast with x
        rtol: tolerance relative to |y|
        atol: tolerance in addition
        equal_nan: treat two NaNs as equal

    Returns True or False.
    """
    return bool(_ts.all(_ts.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)))


@pair
def array_equal(x, y):
    """Tell whether two arrays have the same shape and equal elements; NaN equals nothing.

    Arguments:
        x: numbers to compare
        y: numbers to compare with; another shape gives False

    Returns True or False.
    """
    x, y = _ts.asarray(x), _ts.asarray(y)
    return x.shape == y.shape and bool(_ts.all(_ts.equal(x, y)))


# ---- Selecting ----


masked_select = _ts.compress


def compress(condition, a, axis=None, out=None):
    """Select slices along an axis by a condition; masked_select selects elements by a mask of the whole array.

    Arguments:
        condition: bools, (n,), for the first n slices; those that are true are kept
        a: array to select from
        axis: axis along which slices are selected (default: a is flattened first)
        out: array to write the result into (default: a new one)
    """
    chosen = _ts.asarray(condition)
    if chosen.ndim != 1:
        raise ValueError(f"compress: condition has {chosen.ndim} axes; expected one (masked_select takes a mask of the whole "
                         "array)")
    x = _ts.asarray(a)
    x, k = (x.reshape(x.size), 0) if axis is None else (x, _axis("compress", axis, x.ndim))
    n = x.shape[k]
    if chosen.size > n and _ts.any(chosen[n:]):
        raise IndexError(f"compress: condition has {chosen.size} elements, and some are true behind the first {n}; a has {n}"
                         f"{'' if axis is None else f' along axis {axis}'}")
    made = _ts.take(x, nonzero(chosen.to(x.device))[0], k, out=out)
    return made if out is not None else _ts._of_kind(made, a)


compress = described(compress, arrays=0)


def _take(in_, indices, axis=None, *, out=None):
    if axis is not None:
        return _ts.take(in_, indices, axis, out=out)
    x, places = _ts.asarray(in_), _near(indices, in_)
    made = _ts.take(x.reshape(x.size), places.reshape(places.size), 0, out=out)
    return made if out is not None else _ts._of_kind(made.reshape(places.shape), in_)


take = described(_take, "(in_, indices, axis=None, *, out=None)", "", rows={
    "indices": "integers from -n to n - 1: (m,) with axis, of any shape without; repeats are allowed",
    "axis": "axis that the indices refer to, of size n (default: they refer to the elements in C order)"})


def _place(out, values, mask):
    if str(getattr(values, "dtype", "")).endswith("bool") and not str(getattr(mask, "dtype", "")).endswith("bool"):
        raise TypeError("place: values are truth values and mask is none; expected place(out, values, mask) (np.place takes "
                        "the mask first)")
    return _ts.place(out, values, mask)


place = described(_place, "(out, values, mask)", "np.place takes the mask before the values.", 0)
