"""Making arrays from Python objects, and methods of Array that are functions of the module."""
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
        return function(self, *args, **keywords)
    method.__name__ = function.__name__
    method.__doc__ = function.__doc__
    return method


for _name in _METHODS:
    setattr(_tessera.Array, _name, _method(getattr(_tessera, _name)))
