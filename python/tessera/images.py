"""Functions of real images and volumes: those that transform them first, and filters as SciPy has them."""
import numbers as _numbers

from . import _tessera as _ts
from .described import described, pair
from .numpylike import _axis, _kind, _shape

__all__ = ["convolve", "correlate", "fill_holes", "frc", "fsc", "gaussian_filter", "median_filter", "radial_profile", "sobel",
           "uniform_filter"]


def _sizes(a, ndim):
    """The sizes of one image or volume of an array, which may have more axes than the library."""
    shape = _shape(a)
    return shape[-3:] if ndim is None else shape[max(0, len(shape) - ndim):]


def _per_axis(what, given, space, neutral):
    """A number for each of d, h and w, from one or from one for each axis of the image or volume."""
    try:
        numbers = [given] * space if isinstance(given, _numbers.Real) else [float(number) for number in given]
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or len(numbers) != space:
        raise (TypeError if numbers is None else ValueError)(
            f"{what} is {given!r}; expected a number, or {space}: one for each axis of the "
            f"{('signal', 'image', 'volume')[max(space, 1) - 1]}")
    return [neutral] * (3 - space) + numbers


def _naming(word, given, call):
    """The result of a call, whose errors name the caller's argument in place of the one along an axis."""
    try:
        return call()
    except _ts.RangeError as error:
        import re  # which takes long
        error.args = (re.sub(rf"\b{word}_[dhw] is [^;]*;", lambda _: f"{word} is {given!r};", str(error)),)
        raise


# ---- Fourier shell correlation ----


def _is_complex(a):
    return str(getattr(a, "dtype", "")).startswith(("c", "torch.c"))


def _fsc(lhs, rhs, shape=None, *, ndim=None, **keywords):
    if shape is None:
        if _is_complex(lhs) or _is_complex(rhs):
            raise ValueError("fsc: shape is None; expected the logical shape of the spectra, which real arrays have themselves")
        if "layout" in keywords:
            raise ValueError("fsc: layout is given for real arrays; expected spectra and their shape")
        shape = _sizes(lhs, ndim)
        lhs, rhs = _ts.fft_r2c(lhs, ndim=ndim), _ts.fft_r2c(rhs, ndim=ndim)
    return _ts.fsc(lhs, rhs, shape, ndim=ndim, **keywords)


fsc = described(_fsc, f"(lhs, rhs, shape=None, *, {_ts.fsc.__text_signature__.partition(', *, ')[2]}", "", 2, rows={
    "lhs": "complex spectrum, or real numbers, which are transformed first",
    "rhs": "the same as lhs; either may be one for all batches",
    "shape": "shape of the images or volumes of spectra (default: lhs and rhs are real)"})


@pair
def frc(lhs, rhs, *, ndim=None, **options):
    """Compute the Fourier ring correlation of two images, or the shell correlation of two volumes.

    Arguments:
        lhs: real numbers, (..., h, w) or (..., d, h, w)
        rhs: real numbers in the same shape
        ndim: 2 for images, 3 for volumes; axes in front count batches (default: 2 for two axes, 3 for more)
        **options: directions, aperture, nearest, counts and out of fsc

    Returns the correlation in each shell, (..., shells), from frequency 0 to 0.5 cycles per pixel.
    """
    return _fsc(lhs, rhs, ndim=ndim, **options)


# ---- Filters ----

_BORDERS = {"reflect": "mirror", "grid-mirror": "mirror", "mirror": "reflect", "nearest": "clamp", "constant": "value",
            "grid-constant": "value", "wrap": "periodic", "grid-wrap": "periodic"}  # by mode= of scipy.ndimage


def _border(name, mode, cval, border, value):
    """The library's border and value: as given, or by the mode of SciPy."""
    if mode is None:
        return {"border": "mirror" if border is None else border, "value": value}
    if border is not None:
        raise TypeError(f"{name}: mode and border are given; expected one of them")
    if mode not in _BORDERS:
        raise ValueError(f"{name}: mode is {mode!r}; expected one of {', '.join(map(repr, _BORDERS))}")
    return {"border": _BORDERS[mode], "value": cval if _BORDERS[mode] == "value" else 0}


_BY_MODE = {"mode": f"border by SciPy's name, instead of border: {', '.join(map(repr, _BORDERS))}",
            "cval": "value outside the array, with mode='constant' or 'grid-constant'",
            "border": "extension of the array beyond its edges (default: 'mirror', which repeats the last element); one of 'zero', "
                      "'value', 'clamp', 'periodic', 'mirror', 'reflect', 'nothing'"}
_BY_SIZE = {"window": "odd size of the window, a number or one for each axis of an image or volume", **_BY_MODE}


def _gaussian_filter(a, sigma, *, mode=None, cval=0, ndim=None, border=None, value=0, **keywords):
    sigmas = _per_axis("gaussian_filter: sigma", sigma, len(_sizes(a, ndim)), 0)
    keywords.update(_border("gaussian_filter", mode, cval, border, value))
    return _naming("sigma", sigma, lambda: _ts.gaussian_filter(a, *sigmas, ndim=ndim, **keywords))


gaussian_filter = described(
    _gaussian_filter, "(a, sigma, *, mode=None, cval=0, border=None, value=0, truncate=4, ndim=None, out=None)",
    "", rows={"a": "array to blur", "sigma": "standard deviation in pixels, a number or one for each axis of an image or volume; "
              "0: not along this axis", **_BY_MODE})


def _median_filter(in_, window, *, mode=None, cval=0, border=None, value=0, ndim=None, out=None):
    return _ts.median_filter(in_, window, ndim=ndim, out=out, **_border("median_filter", mode, cval, border, value))


median_filter = described(
    _median_filter, "(in_, window, *, mode=None, cval=0, border=None, value=0, ndim=None, out=None)", "", rows=_BY_SIZE)
_median_filter._names["size"] = "window"


def _uniform_filter(in_, window, *, mode=None, cval=0, border=None, value=0, ndim=None, out=None):
    return _ts.uniform_filter(in_, window, ndim=ndim, out=out, **_border("uniform_filter", mode, cval, border, value))


uniform_filter = described(
    _uniform_filter, "(in_, window, *, mode=None, cval=0, border=None, value=0, ndim=None, out=None)", "", rows=_BY_SIZE)
_uniform_filter._names["size"] = "window"


def _sobel_along(x, axis, cval):
    """As SciPy has it, whose value outside is also that of the derivatives, which it then smooths along the other axes."""
    for k in [axis] + [k for k in range(x.ndim) if k != axis]:
        weights = [-1.0, 0, 1] if k == axis else [1.0, 2, 1]
        weights = _ts.asarray(weights).reshape((1,) * k + (3,) + (1,) * (x.ndim - 1 - k)).astype(x.dtype).to(x.device)
        x = _ts.convolve(x, weights, correlate=True, border="value", value=cval)
    return x


def _sobel_with_value(in_, axis, cval, out):
    x = _ts.asarray(in_)
    x = x if x.dtype.kind == "f" else x.astype("f4" if x.dtype.itemsize < 3 else "f8")
    axes = range(x.ndim) if axis is None else [_axis("sobel", axis, x.ndim)]
    made = [_sobel_along(x, k, cval) for k in axes]
    if axis is None:
        made = [_ts.sqrt(sum(_ts.square(part) for part in made))]
    return _ts.copy(made[0], out=out) if out is not None else _ts._of_kind(made[0], in_)


def _sobel(in_, axis=None, *, mode=None, cval=0, border=None, value=0, out=None):
    if mode in ("constant", "grid-constant") and cval != 0 and border is None:
        return _sobel_with_value(in_, axis, cval, out)
    return _ts.sobel(in_, axis, out=out, **_border("sobel", mode, cval, border, value))


sobel = described(_sobel, "(in_, axis=None, *, mode=None, cval=0, border=None, value=0, out=None)",
                  "", rows={"axis": "axis along which to derive (default: the magnitude of the derivatives along all axes)", **_BY_MODE})
_sobel._names["axes"] = "axis"


def _fill_holes(in_, *, full=False, ndim=None, out=None):
    if ndim in (2, 3) and 1 in _sizes(in_, ndim):
        return _ts.not_equal(in_, 0, out=out)  # zeros in a single section are connected with the outside
    return _ts.fill_holes(in_, full=full, ndim=ndim, out=out)


fill_holes = described(_fill_holes, "(in_, *, full=False, ndim=None, out=None)",
                       "With ndim, nothing is enclosed along an axis of size 1, as in SciPy; without, such axes do not count.")


# ---- Convolution ----


def _odd(weights):
    """The weights with zeros at the end to odd sizes, which the library needs."""
    zeros = tuple(1 - n % 2 for n in weights.shape)
    return _ts.pad(weights, (0,) * weights.ndim, zeros) if any(zeros) else weights


def _slide(x, weights, mode, method):
    """np.convolve: "full" where they overlap at all, "same" its middle, "valid" where they overlap wholly."""
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"convolve: mode is {mode!r}; expected 'full', 'same' or 'valid', or one of scipy.ndimage")
    if x.ndim != weights.ndim:
        raise ValueError(f"convolve: in_ has {x.ndim} axes and filter {weights.ndim}; expected equal numbers with mode={mode!r}")
    swaps = all(n < m for n, m in zip(x.shape, weights.shape))
    x, weights = (weights, x) if swaps else (x, weights)
    before = tuple(m // 2 for m in weights.shape)
    padded = _ts.pad(x, before, tuple(m - 1 - k for m, k in zip(weights.shape, before)))
    full = _ts.convolve(padded, _odd(weights), border="zero", method=method)
    starts = [0 if mode == "full" else (m - 1) // 2 if mode == "same" else m - 1 for m in weights.shape]
    sizes = [n + m - 1 if mode == "full" else n if mode == "same" else max(n - m + 1, 0)
             for n, m in zip(x.shape, weights.shape)]
    return full[tuple(slice(start, start + n) for start, n in zip(starts, sizes))]


def _convolve(in_, filter, mode=None, *, cval=0, border=None, correlate=False, method="auto", value=0, value_imag=0,
              ndim=None, out=None):
    weights = _ts.asarray(filter)
    if mode is None and border is None and len(_shape(in_)) == 1:
        raise ValueError("convolve: in_ has one axis; expected mode='full', 'same' or 'valid', as of np.convolve, or border=, "
                         "as of images")
    if mode in ("full", "same", "valid"):
        if out is not None or correlate:
            raise TypeError(f"convolve: out and correlate cannot be combined with mode={mode!r}")
        return _ts._of_kind(_slide(_ts.asarray(in_), weights, mode, method), _kind(in_, filter))
    if any(n % 2 == 0 for n in weights.shape):
        filter = _odd(weights)
    return _ts.convolve(in_, filter, correlate=correlate, method=method, value_imag=value_imag, ndim=ndim, out=out,
                        **_border("convolve", mode, cval, border, value))


convolve = described(
    _convolve, "(in_, filter, mode=None, *, cval=0, border=None, correlate=False, method='auto', value=0, value_imag=0, "
    "ndim=None, out=None)", "", 2, rows={
        "filter": "weights, an image or a volume as in_; zeros are added to even sizes", **_BY_MODE,
        "mode": "'full', 'same' or 'valid' as in np.convolve, required for signals; or border by SciPy's name: "
                f"{', '.join(map(repr, _BORDERS))}"})
_convolve._names.update(v="filter", weights="filter")


def _correlate(lhs, rhs, *, mode="conventional", centred=False, pad=False, ndim=None, out=None):
    if mode in ("full", "same", "valid") or mode in _BORDERS or len(_shape(lhs)) == 1 == len(_shape(rhs)):
        what = f"mode is {mode!r}" if mode != "conventional" else "lhs has one axis"
        raise ValueError(f"correlate: {what}, but correlation maps of images and volumes are cyclic; use convolve(a, weights, "
                         "correlate=True) as correlate of scipy.ndimage, convolve(a, v[::-1], mode) as that of NumPy, or "
                         "cross_correlation_map for signals")
    return _ts.correlate(lhs, rhs, mode=mode, centred=centred, pad=pad, ndim=ndim, out=out)


correlate = described(_correlate, _ts.correlate.__text_signature__,
                      "This is a map of cyclic lags, neither correlate of NumPy nor of scipy.ndimage.", 2)


# ---- Profiles ----


@described
def radial_profile(a, *, ndim=None, **options):
    """Average images or volumes over circles or spheres about their centre, index n // 2.

    Arguments:
        a: real numbers, (..., h, w) or (..., d, h, w)
        ndim: 2 for images, 3 for volumes; axes in front count batches (default: 2 for two axes, 3 for more)
        **options: options of rotational_average, such as sum, shells and out; nearest=True gives each pixel to the nearest
            distance instead of splitting it between two

    Returns means, (..., n): element k is the mean at k pixels, up to half of the longest axis.
    """
    sizes = _sizes(a, ndim)
    longest = max(sizes, default=1)
    metric = {f"metric_{axis}{axis}": (n / longest) ** 2 for axis, n in zip("whd", reversed(sizes))}
    return _ts.rotational_average(a, sizes, layout="fc", ndim=ndim, **metric, **options)
