"""Making arrays from Python objects, and methods of Array that are functions of the module."""
import builtins as _builtins

from . import _tessera

f16, f32, f64, c16, c32, c64 = "f16", "f32", "f64", "c16", "c32", "c64"
i8, i16, i32, i64, u8, u16, u32, u64 = "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"


def array(object, dtype=None, device=None):
    """A new Array with the elements of any array, number or nested list, of another dtype or on another device if asked."""
    made = _tessera.asarray(object)
    made = made.copy() if dtype is None else made.astype(dtype)
    return made if device is None else made.to(device)


_METHODS = ("all any argmax argmin argsort cumprod cumsum conj clamp count_nonzero dot fill isclose logsumexp max mean "
            "median min minmax norm prod quantile round sort std sum var").split()


def _method(function):
    def method(self, *args, **keywords):
        dtype = keywords.pop("dtype", None)  # NumPy's functions pass it, mostly None
        return function(self if dtype is None else self.astype(dtype), *args, **keywords)
    method.__name__ = function.__name__
    method.__doc__ = function.__doc__
    return method


for _name in _METHODS:
    setattr(_tessera.Array, _name, _method(getattr(_tessera, _name)))


# ---- Shapes and likeness ----


def zeros_like(a, dtype=None):
    """Zeros of the shape, dtype and device of an array."""
    return _like(_tessera.zeros, a, dtype)


def ones_like(a, dtype=None):
    """Ones of the shape, dtype and device of an array."""
    return _like(_tessera.ones, a, dtype)


def _like(make, a, dtype):
    a = _tessera.asarray(a)
    return make(a.shape, dtype=a.dtype if dtype is None else dtype, device=a.device)


def reshape(a, shape):
    """The same elements under another shape; one size may be -1."""
    return _tessera.asarray(a).reshape(shape)


def ravel(a):
    """All elements along one axis: a view where strides allow it."""
    a = _tessera.asarray(a)
    return a.reshape(a.size)


def _flatten(a):
    """A copy of all elements along one axis."""
    return a.copy().reshape(a.size)


def squeeze(a):
    """A view without the axes of size 1."""
    a = _tessera.asarray(a)
    return a[tuple(0 if n == 1 else slice(None) for n in a.shape)]


def stack(arrays, axis=0):
    """Arrays of one shape along a new axis."""
    arrays = [_tessera.asarray(a) for a in arrays]
    ndim = arrays[0].ndim + 1 if arrays else 1
    if not -ndim <= axis < ndim:
        raise IndexError(f"stack: axis is {axis}; the result has {ndim} axes")
    at = (slice(None),) * (axis % ndim) + (None,)
    return _tessera.concatenate([a[at] for a in arrays], axis % ndim)


def allclose(x, y, rtol=1e-5, atol=1e-8):
    """True if all elements of x are within atol + rtol * |y| of those of y."""
    return bool(_tessera.all(_tessera.abs(_tessera.sub(x, y)) <= atol + rtol * _tessera.abs(_tessera.asarray(y))))


# ---- What Python asks of numbers and containers ----


def _format(self, spec):
    return format(self.item(), spec) if spec else str(self)


def _round(self, digits=None):
    return _builtins.round(self.item(), digits)


def _contains(self, value):
    return bool(_tessera.any(self == value))


for _name, _function in {"__format__": _format, "__round__": _round, "__contains__": _contains, "ravel": _method(ravel),
                         "squeeze": _method(squeeze), "flatten": _method(_flatten)}.items():
    setattr(_tessera.Array, _name, _function)
