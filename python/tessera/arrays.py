"""Arrays from Python objects, and methods of Array that are functions of the module."""
import builtins as _builtins

from . import _tessera, numpylike as _numpylike, products as _products, shapes as _shapes, sorting as _sorting

f16, f32, f64, c16, c32, c64 = "f16", "f32", "f64", "c16", "c32", "c64"
i8, i16, i32, i64, u8, u16, u32, u64 = "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"


def array(object, dtype=None, device=None):
    """Make a new tessera.Array.

    Arguments:
        object: array of any package, number or nested list, which is copied
        dtype: element type (default: that of object)
        device: device, such as 'gpu:0' (default: that of object)
    """
    made = _tessera.asarray(object)
    made = made.copy() if dtype is None else made.astype(dtype)
    return made if device is None else made.to(device)


_METHODS = ("all any argmax argmin argsort clamp clip conj count_nonzero cumprod cumsum diagonal dot fill isclose logsumexp max "
            "mean median min minmax nonzero norm prod ptp quantile ravel repeat round searchsorted squeeze std sum swapaxes trace "
            "var").split()


def _function(name):
    """As NumPy has it, else the library's."""
    for module in (_numpylike, _shapes, _sorting, _products):
        if name in module.__all__:
            return getattr(module, name)
    return getattr(_tessera, name)


def _method(function):
    def method(self, *args, **keywords):
        dtype = keywords.pop("dtype", None)  # NumPy's functions pass it, mostly None
        return function(self if dtype is None else self.astype(dtype), *args, **keywords)
    method.__name__ = function.__name__
    method.__doc__ = function.__doc__
    return method


for _name in _METHODS:
    setattr(_tessera.Array, _name, _method(_function(_name)))


def _sort(self, axis=-1):
    """Sort the elements in place, along an axis."""
    _tessera.sort(self, axis, out=self)


def _take(self, indices, axis=None, out=None):
    """The elements, or with `axis` the slices along it, at these indices."""
    source = self.reshape(self.size) if axis is None else self
    return _tessera.take(source, indices, 0 if axis is None else axis, out=out)


def _flatten(self):
    """A one-dimensional copy of all elements."""
    return self.copy().reshape(self.size)


def _tobytes(self):
    """The elements as bytes, in C order."""
    return self.__reduce__()[1][0]


# ---- The array API standard ----


def _array_namespace(self, *, api_version=None):
    """The functions of the array API standard: the module tessera.array_api."""
    from . import array_api
    if api_version not in (None, "2021.12", array_api.__array_api_version__):
        raise ValueError(f"__array_namespace__: api_version is {api_version!r}; expected '2021.12' or '2022.12'")
    return array_api


def _to_device(self, device, /, *, stream=None):
    """The array on a device, copied if it is on another one."""
    if stream is not None:
        raise ValueError(f"to_device: stream is {stream!r}; expected None, and the stream in `with tessera.stream(...)`")
    return self.to(device)


def _matrix_transpose(self):
    """A view with the last two axes exchanged."""
    if self.ndim < 2:
        raise ValueError(f"mT: the array has {self.ndim} axes; expected 2 or more")
    return self.transpose((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))


_tessera.Array.mT = property(_matrix_transpose)


# ---- Protocols of numbers and containers ----


def _format(self, spec):
    return format(self.item(), spec) if spec else str(self)


def _round(self, digits=None):
    return _builtins.round(self.item(), digits)


def _contains(self, value):
    return bool(_tessera.any(self == value))


for _name, _function in {"__array_namespace__": _array_namespace, "to_device": _to_device, "__bytes__": _tobytes,
                         "__format__": _format, "__round__": _round, "__contains__": _contains, "conjugate": _tessera.Array.conj,
                         "flatten": _flatten, "sort": _sort, "take": _take, "tobytes": _tobytes}.items():
    setattr(_tessera.Array, _name, _function)
