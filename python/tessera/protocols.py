"""NumPy's functions on a tessera.Array, by NEP 13 and NEP 18: np.sin(a), np.add.reduce(a), np.sum(a), np.concatenate([a, b]).

The library's function does the work where it has the same meaning. Otherwise NumPy does it, on the same memory, and its result
becomes an Array again; the memory of a GPU is never copied for that.
"""
from . import _tessera as _ts

__all__ = []

# ---- Which functions of the library do what NumPy's do ----

_UFUNCS = {name: name for name in
           "cos sin tan cosh sinh tanh exp exp2 expm1 log log2 log10 log1p logaddexp sqrt cbrt square reciprocal sign signbit "
           "floor ceil trunc rint hypot copysign fmin fmax maximum minimum equal not_equal less less_equal greater "
           "greater_equal logical_and logical_or logical_xor logical_not matmul deg2rad rad2deg".split()}
_UFUNCS.update(add="add", subtract="sub", multiply="mul", divide="true_div", true_divide="true_div", floor_divide="floor_div",
               remainder="floor_mod", power="pow", negative="neg", absolute="abs", conjugate="conj", arccos="acos",
               arcsin="asin", arctan="atan", arctan2="atan2", arccosh="acosh", arcsinh="asinh", arctanh="atanh", isnan="is_nan",
               isinf="is_inf", isfinite="is_finite", bitwise_and="bit_and", bitwise_or="bit_or", bitwise_xor="bit_xor",
               left_shift="shift_left", right_shift="shift_right", degrees="rad2deg", radians="deg2rad", positive="copy")
_REDUCTIONS = dict(add="sum", multiply="prod", maximum="max", minimum="min", logical_and="all", logical_or="any")
_SCANS = dict(add="cumsum", multiply="cumprod", maximum="cummax", minimum="cummin")
_FUNCTIONS = frozenset(
    "all allclose amax amin angle any argmax argmin argsort array_equal around average bincount broadcast_to clip concatenate "
    "count_nonzero cross cumprod cumsum diff empty_like expand_dims flip full_like gradient hstack imag interp isclose max mean "
    "median meshgrid min moveaxis nanmax nanmean nanmedian nanmin nanstd nansum nanvar nonzero ones_like pad percentile prod ptp "
    "quantile ravel real repeat reshape roll round round_ sort squeeze stack std sum swapaxes tile transpose var vstack where "
    "zeros_like".split())
_ALIASES = dict(amax="max", amin="min", around="round", round_="round")


def _function(name):
    import tessera
    return getattr(tessera, name, None)


# ---- The way to NumPy and back ----


def _refuses(x):
    """Whether NumPy cannot work on the memory of this Array, as a text for a message."""
    if x.device != "cpu":
        return f"the array is on {x.device}, where the library has no such function; .numpy() copies it to the CPU"
    if x.dtype.kind == "V":
        return f"NumPy has no element type for {x.dtype}"
    return None


def _to_numpy(name, object):
    """The same object with NumPy arrays of the same memory in place of Arrays, also in lists, tuples and dicts."""
    if isinstance(object, _ts.Array):
        if _refuses(object):
            raise TypeError(f"np.{name}: {_refuses(object)}")
        return object.numpy()
    if isinstance(object, (list, tuple)) and type(object) in (list, tuple):
        return type(object)(_to_numpy(name, one) for one in object)
    if type(object) is dict:
        return {key: _to_numpy(name, one) for key, one in object.items()}
    return object


def _from_numpy(made):
    """Results of NumPy as Arrays, as far as there are such Arrays."""
    import numpy
    if isinstance(made, (list, tuple)):
        parts = [_from_numpy(one) for one in made]
        return type(made)(*parts) if hasattr(made, "_fields") else type(made)(parts)
    is_array = type(made) is numpy.ndarray and made.ndim <= 4
    if not (is_array or isinstance(made, numpy.generic)):
        return made
    try:
        return _ts.asarray(made)
    except (TypeError, ValueError):  # texts, objects, structures
        return made


def _by_numpy(name, function, args, keywords):
    """Call a function of NumPy; what it wrote to out= is the caller's own object."""
    out = keywords.get("out")
    made = function(*_to_numpy(name, tuple(args)), **_to_numpy(name, keywords))
    if out is None or out == (None,):
        return _from_numpy(made)
    return out[0] if isinstance(out, tuple) and len(out) == 1 else out


_DEFAULTS = {"out": None, "dtype": None, "where": True, "casting": "same_kind", "order": "K", "subok": True, "keepdims": False}


def _given(keywords):
    """The keywords that do not have NumPy's default."""
    import numpy
    return {name: value for name, value in keywords.items()
            if value is not numpy._NoValue and not (name in _DEFAULTS and value is _DEFAULTS[name])}


def _by_library(function, args, keywords, out=None):
    """(the result as an Array,), or None if the function does not take these arguments."""
    if out is not None:
        keywords = {**keywords, "out": out}
    try:
        made = function(*args, **keywords)
    except (TypeError, NotImplementedError):  # among them elements of another type
        return None
    out = keywords.get("out")
    return (_from_numpy(made) if out is None else out,)


# ---- ufuncs ----


def _beside(inputs):
    """The inputs, with scalars of NumPy on the GPU where an Array is."""
    import numpy
    device = next((x.device for x in inputs if isinstance(x, _ts.Array)), "cpu")
    if device == "cpu":
        return inputs
    return tuple(_ts.asarray(x).to(device) if isinstance(x, numpy.generic) else x for x in inputs)


def _matmul(x, y, **keywords):
    from . import array_api
    return array_api.matmul(x, y) if not keywords else _ts.matmul(x, y, **keywords)


def _elementwise(name, inputs, keywords):
    """The function for elements, or None."""
    if set(keywords) - {"dtype"}:
        return None
    if name == "matmul" and not keywords:
        return _matmul
    if name == "divmod" and not keywords:
        return lambda x, y: tuple(_from_numpy(_ts.__dict__[part](x, y)) for part in ("floor_div", "floor_mod"))
    if name == "invert":
        return _ts.logical_not if _ts.asarray(inputs[0]).dtype == "bool" else _ts.bit_not
    return _ts.__dict__.get(_UFUNCS.get(name))


def _call(name, inputs, keywords, out):
    function = _elementwise(name, inputs, keywords)
    return function and _by_library(function, inputs, keywords, out)


def _reduce(name, inputs, keywords, out):
    keywords.setdefault("axis", 0)
    if name not in _REDUCTIONS or set(keywords) - {"axis", "dtype", "keepdims"} or keywords["axis"] == ():
        return None
    return _by_library(_ts.__dict__[_REDUCTIONS[name]], inputs, keywords, out)


def _accumulate(name, inputs, keywords, out):
    keywords.setdefault("axis", 0)
    if name not in _SCANS or set(keywords) - {"axis", "dtype"}:
        return None
    return _by_library(_ts.__dict__[_SCANS[name]], inputs, keywords, out)


def _outer(name, inputs, keywords, out):
    x, y = map(_ts.asarray, inputs)
    if x.ndim + y.ndim > 4:
        return None
    return _call(name, (x.reshape(x.shape + (1,) * y.ndim), y), keywords, out)


_METHODS = {"__call__": _call, "reduce": _reduce, "accumulate": _accumulate, "outer": _outer}


def _is_for_library(method, inputs, out):
    return method in _METHODS and len(out) <= 1 and not any(getattr(x, "ndim", 0) > 4 for x in inputs)


def _array_ufunc(self, ufunc, method, *inputs, out=(), **keywords):
    import numpy
    ours = (_ts.Array, numpy.ndarray, numpy.generic)
    for other in inputs + out:
        if not isinstance(other, ours) and hasattr(other, "__array_ufunc__"):
            return NotImplemented
    made = None
    if _is_for_library(method, inputs, out):
        made = _METHODS[method](ufunc.__name__, _beside(inputs), _given(keywords), out[0] if out else None)
    if made:
        return made[0]
    if out:
        keywords["out"] = out
    return _by_numpy(ufunc.__name__, getattr(ufunc, method), inputs, keywords)


# ---- Functions ----


def _array_function(self, function, types, args, keywords):
    import numpy
    if any(not issubclass(kind, (_ts.Array, numpy.ndarray)) for kind in types):
        return NotImplemented
    name, made = function.__name__, None
    found = _function(_ALIASES.get(name, name)) if function.__module__ == "numpy" and name in _FUNCTIONS else None
    if found is not None:
        made = _by_library(found, args, _given(keywords))
    return made[0] if made else _by_numpy(name, function, args, keywords)


_ts.Array.__array_ufunc__ = _array_ufunc
_ts.Array.__array_function__ = _array_function
