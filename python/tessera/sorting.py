"""Order, sums and counts with NumPy's arguments: sort, quantile, unique, histogram, and reductions that ignore NaNs."""
import math as _math

from . import _tessera as _ts
from .described import described
from .numpylike import _axes, _axis, _flat, _kind, asarray
from .shapes import moveaxis

__all__ = ("argsort average bincount cumprod cumsum histogram nanargmax nanargmin nanmax nanmean nanmedian nanmin "
           "nanpercentile nanprod nanquantile nanstd nansum nanvar percentile ptp quantile searchsorted sort unique").split()


# ---- Along an axis, or flattened ----


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


def _flattening(function, words):
    """The library's function, which flattens the array where the axis is None."""
    signature = getattr(_ts, function.__name__[1:]).__text_signature__
    return described(function, signature.replace("axis,", "axis=None,"), "",
                     rows={"axis": f"axis to {words}; None flattens the array first, as in NumPy"})


sort, argsort = _flattening(_sort, "sort along"), _flattening(_argsort, "sort along")
cumsum, cumprod = _flattening(_cumsum, "accumulate along"), _flattening(_cumprod, "accumulate along")


# ---- Quantiles and means ----


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


quantile = described(_quantile, _ts.quantile.__text_signature__,
                     "", rows={"q": "quantile from 0 to 1, or several, which lie along a new first axis of the result"})


def _of_percent(name, q):
    """q in per cent as a fraction."""
    numbers = _flat(q).to("cpu").tolist()
    for number in numbers if isinstance(numbers, list) else [numbers]:
        if not 0 <= number <= 100:
            raise ValueError(f"{name}: q is {number}; expected 0 to 100, in per cent")
    return _ts.asarray(q) / 100 if hasattr(q, "__len__") else q / 100


@described
def percentile(a, q, axis=None, *, method="linear", skip_nan=False, keepdims=False):
    """Compute percentiles: quantiles with q in per cent.

    Arguments:
        a: real numbers
        q: percentage from 0 to 100, or several, which lie along a new first axis of the result
        axis: axis, or tuple of axes, to reduce (default: all)
        method: rule for percentiles between two elements; the names are those of quantile
        skip_nan: ignore NaNs; otherwise a NaN makes the result NaN
        keepdims: keep reduced axes with size 1
    """
    return quantile(a, _of_percent("percentile", q), axis, method=method, skip_nan=skip_nan, keepdims=keepdims)


@described
def ptp(a, axis=None, keepdims=False):
    """Compute the difference between the largest and the smallest element.

    Arguments:
        a: real numbers
        axis: axis, or tuple of axes, to reduce (default: all)
        keepdims: keep reduced axes with size 1
    """
    return _ts.sub(_ts.max(a, axis, keepdims=keepdims), _ts.min(a, axis, keepdims=keepdims))


@described
def average(a, axis=None, weights=None, keepdims=False):
    """Compute the mean, or the weighted mean.

    Arguments:
        a: numbers
        axis: axis, or tuple of axes, to reduce (default: all)
        weights: weight of each element, in the shape of a, or (n,) along a single axis (default: 1)
        keepdims: keep reduced axes with size 1
    """
    if weights is None:
        return _ts.mean(a, axis, keepdims=keepdims)
    x, w = _ts.asarray(a), _ts.asarray(weights)
    if w.shape != x.shape and w.ndim == 1 and axis is not None and x.ndim > 1:
        if isinstance(axis, (tuple, list)):
            raise TypeError(f"average: axis is {axis} and weights have one axis; expected a single axis, or weights of the shape of a")
        k = _axis("average", axis, x.ndim)
        w = w.reshape((1,) * k + (w.size,) + (1,) * (x.ndim - k - 1))
    try:
        w = w._broadcast(x.shape)
    except ValueError:
        raise ValueError(f"average: weights has the shape {_ts.asarray(weights).shape}; expected {x.shape}, that of a, or one weight for "
                         "each element along a single axis") from None
    total = _ts.sum(w, axis, keepdims=keepdims)
    return _ts._of_kind(_ts.true_div(_ts.sum(_ts.mul(x, w), axis, keepdims=keepdims), total), a)


# ---- Without NaNs ----


def _ignoring(name):
    """nan... of a reduction."""
    of = getattr(_ts, name)

    def ignoring(a, axis=None, **keywords):
        return of(a, axis, skip_nan=True, **keywords)
    ignoring.__name__ = "nan" + name
    signature = of.__text_signature__.replace("skip_nan=False, ", "").replace("(in_, ", "(a, ")
    of_nothing = {"sum": "is 0", "prod": "is 1"}.get(name, "is NaN")
    return described(ignoring, signature, f"NaNs are ignored; the result of nothing else {of_nothing}.", operation=name,
                     rows={"a": "numbers" if name in ("mean", "prod", "std", "sum", "var") else "real numbers"})


nanmax, nanmean, nanmedian, nanmin = (_ignoring(name) for name in ("max", "mean", "median", "min"))
nanprod, nanstd, nansum, nanvar = (_ignoring(name) for name in ("prod", "std", "sum", "var"))


def _position(name, a, axis, keywords):
    made = getattr(_ts, name)(a, axis, skip_nan=True, **keywords)
    if _ts.any(_ts.less(made, 0)):
        raise ValueError(f"nan{name}: a has only NaNs along axis")
    return made


@described
def nanargmax(a, axis=None, *, keepdims=False, out=None):
    """Find the index of the largest element, without NaNs.

    Arguments:
        a: real numbers
        axis: axis to reduce (default: all; the index is that in C order)
        keepdims: keep reduced axes with size 1
        out: array to write the indices into (default: a new one, i64)

    Raises:
        ValueError: all elements along the axis are NaN
    """
    return _position("argmax", a, axis, {"keepdims": keepdims, "out": out})


@described
def nanargmin(a, axis=None, *, keepdims=False, out=None):
    """Find the index of the smallest element, without NaNs.

    Arguments:
        a: real numbers
        axis: axis to reduce (default: all; the index is that in C order)
        keepdims: keep reduced axes with size 1
        out: array to write the indices into (default: a new one, i64)

    Raises:
        ValueError: all elements along the axis are NaN
    """
    return _position("argmin", a, axis, {"keepdims": keepdims, "out": out})


@described
def nanquantile(a, q, axis=None, *, method="linear", keepdims=False):
    """Compute quantiles without NaNs: quantile with skip_nan=True.

    Arguments:
        a: real numbers
        q: quantile from 0 to 1, or several, which lie along a new first axis of the result
        axis: axis, or tuple of axes, to reduce (default: all)
        method: rule for quantiles between two elements; the names are those of quantile
        keepdims: keep reduced axes with size 1
    """
    return quantile(a, q, axis, method=method, skip_nan=True, keepdims=keepdims)


@described
def nanpercentile(a, q, axis=None, *, method="linear", keepdims=False):
    """Compute percentiles without NaNs: percentile with skip_nan=True.

    Arguments:
        a: real numbers
        q: percentage from 0 to 100, or several, which lie along a new first axis of the result
        axis: axis, or tuple of axes, to reduce (default: all)
        method: rule for percentiles between two elements; the names are those of quantile
        keepdims: keep reduced axes with size 1
    """
    return quantile(a, _of_percent("nanpercentile", q), axis, method=method, skip_nan=True, keepdims=keepdims)


# ---- Distinct and sorted values ----


def _unique(in_, return_index=False, return_inverse=False, return_counts=False, *, values=None, counts=None, indices=None,
            inverse=None):
    if not (return_index or return_inverse or return_counts):
        made = _ts.unique(in_, values=values, counts=counts, indices=indices, inverse=inverse)
        is_simple = values is None and not (counts or indices or inverse)
        return made.reshape(-1) if is_simple else made
    x = _ts.asarray(in_)
    made = _ts.unique(x, values=True, counts=bool(return_counts), indices=bool(return_index), inverse=bool(return_inverse))
    parts = [made.values.reshape(-1)]
    if return_index:
        parts.append(made.indices.reshape(-1))
    if return_inverse:
        parts.append(made.inverse.reshape(x.shape))
    if return_counts:
        parts.append(made.counts.reshape(-1))
    return tuple(_ts._of_kind(part, in_) for part in parts)


unique = described(_unique, "(in_, return_index=False, return_inverse=False, return_counts=False, *, values=None, "
                   "counts=None, indices=None, inverse=None)",
                   "NaNs are one value. With return_index, return_inverse or return_counts the result is a tuple in NumPy's "
                   "order:\nvalues, indices, inverse, counts.",
                   rows={"return_index": "return the first index of each value, too",
                         "return_inverse": "return the index into the values for each element, too, in the shape of the array",
                         "return_counts": "return the number of occurrences of each value, too"})


_unique._names["ar"] = "in_"


def _searchsorted(sorted, values, side="left", sorter=None, *, right=None, ndim=None, out=None):
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is {side!r}; expected 'left' or 'right'")
    if sorter is not None:
        raise TypeError("searchsorted: sorter is not supported; sort the rows first, with take(sorted, sorter, 0)")
    made = _ts.searchsorted(sorted, values, right=side == "right" if right is None else right, ndim=ndim, out=out)
    is_one = out is None and (getattr(values, "ndim", None) == 0 or not hasattr(values, "__len__"))
    return _ts._of_kind(_ts.asarray(made).reshape(()), _kind(sorted, values)) if is_one else made


searchsorted = described(_searchsorted, "(sorted, values, side='left', sorter=None, *, right=None, ndim=None, out=None)",
                         "", 2, rows={
                             "side": "'left': the index before equal elements; 'right': the one after them",
                             "sorter": "must be None; NumPy's permutation that sorts the rows is not supported",
                             "right": "True is side='right', False is side='left' (default: by side)"})
_searchsorted._names["v"] = "values"


# ---- Counts ----


def _ends(x, low, high):
    """The ends of bins of equal widths. Those that are not given are the smallest and the largest element."""
    if low is None or high is None:
        found = tuple(map(float, _ts.minmax(x))) if x.size else (0.0, 1.0)
        if not all(map(_math.isfinite, found)):
            has = "NaN" if _math.isnan(found[0]) else f"elements from {found[0]:g} to {found[1]:g}"
            uncounted = "NaN is" if _math.isnan(found[0]) else "elements outside are"
            raise ValueError(f"histogram: in_ has {has}; expected finite elements, or range=(low, high), with which {uncounted} "
                             "not counted")
        low, high = (there if given is None else given for given, there in zip((low, high), found))
    if low == high:  # half a unit to both sides, or as little more as f64 resolves
        low, high = min(low - 0.5, _math.nextafter(low, -_math.inf)), max(high + 0.5, _math.nextafter(high, _math.inf))
    return low, high


def _edges(x, bins, low, high):
    """The edges of bins of equal widths; f32 of f32, as in NumPy."""
    made = _ts.linspace((bins + 1,), low, high, device=x.device)
    return made.astype(x.dtype) if x.dtype.kind == "f" else made


def _histogram(in_, bins=None, range=None, density=None, weights=None, *, axis=None, low=None, high=None, edges=None,
               dtype=None, keepdims=False, out=None):
    if range is not None:
        if low is not None or high is not None:
            raise TypeError("histogram: range is given, and low or high too; expected one of them")
        low, high = range
    if bins is None:
        bins = 10 if edges is None else _flat(edges).size - 1
    if edges is None and (hasattr(bins, "__len__") and getattr(bins, "ndim", 1) or not hasattr(bins, "__index__")):
        if isinstance(bins, str):
            raise TypeError(f"histogram: bins is {bins!r}; expected a number of bins or their edges")
        edges, bins = bins, len(bins) - 1
        if low is not None:
            raise ValueError("histogram: bins are edges and range is given, too; expected one of them")
    x = _ts.asarray(in_)
    edges = None if edges is None else asarray(edges, "f64", x.device)
    if edges is None and x.dtype.kind in "biuf":  # the library says what is wrong with others
        low, high = _ends(x, low, high)
    counts = _ts.histogram(in_, bins, axis, low=low, high=high, edges=edges, weights=weights, density=bool(density),
                           dtype=dtype, keepdims=keepdims, out=out)
    edges = _edges(x, bins, low, high) if edges is None else edges
    return counts, _ts._of_kind(edges, in_)


histogram = described(_histogram, "(in_, bins=10, range=None, density=None, weights=None, *, axis=None, low=None, "
                      "high=None, edges=None, dtype=None, keepdims=False, out=None)",
                      "The result is a tuple: the counts and the edges of the bins, as in NumPy.",
                      rows={"bins": "number of bins, or their edges in ascending order",
                            "range": "(low, high): start of the first and end of the last bin, which includes it; NaN and other "
                                     "elements outside are not counted (default: the smallest and the largest element; NaN raises "
                                     "ValueError)",
                            "low": "start of the first bin, instead of range", "high": "end of the last bin, instead of range",
                            "edges": "edges of the bins, instead of bins; they may be equal or infinite"})


@described
def bincount(x, weights=None, minlength=0):
    """Count how often each integer occurs, or add the weights of each.

    Arguments:
        x: integers of 0 or more, (m,)
        weights: weight of each, (m,) (default: 1)
        minlength: smallest number of elements of the result

    Returns i64, or f64 with weights, (n,): n is the largest integer plus 1, at least minlength.
    """
    places = _ts.asarray(x)
    if places.ndim != 1 or places.dtype.kind not in "iu" and places.size:
        raise TypeError(f"bincount: x has {places.ndim} axes and the dtype {places.dtype}; expected integers along one axis")
    smallest, largest = map(int, _ts.minmax(places)) if places.size else (0, -1)
    if smallest < 0:
        raise ValueError(f"bincount: x contains {smallest}; expected integers of 0 or more")
    added = None if weights is None else asarray(weights, "f64", places.device)
    if added is not None and added.shape != places.shape:
        raise ValueError(f"bincount: weights has the shape {added.shape}; expected {places.shape}")
    n = max(largest + 1, minlength)
    made = _ts.zeros(n, "i64" if added is None else "f64", places.device)
    if places.size:
        _ts.histogram(places, n, low=0, high=n, weights=added, out=made)  # bins of width 1: the counts are exact
    return _ts._of_kind(made, _kind(x, weights))
