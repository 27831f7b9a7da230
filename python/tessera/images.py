"""Functions of real images and volumes, which are transformed first or seen from their centre."""
import numbers as _numbers

from . import _tessera as _ts
from .naming import name_all as _name_all, named as _named

__all__ = ["frc", "fsc", "gaussian_filter", "radial_profile"]


def _sizes(a, ndim):
    """The sizes of one image or volume of an array, which may have more axes than the library."""
    shape = tuple(a.shape if hasattr(a, "shape") else _ts.asarray(a).shape)
    return shape[-3:] if ndim is None else shape[max(0, len(shape) - ndim):]


def _documented(function, required, note):
    """The function with the signature of the library's, whose required arguments become `required`, and its documentation."""
    name = function.__name__[1:]
    document, options = getattr(_ts, name).__doc__, getattr(_ts, name).__text_signature__.partition(", *, ")[2]
    signature = f"({required}, *, {options}"
    return _ts._described(_named(function, name), name, f"{name}{signature}\n--\n\n{document}\n{note}\n")


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


fsc = _documented(_fsc, "lhs, rhs, shape=None",
                  "Without shape, lhs and rhs are real images or volumes, which are transformed first.")


def frc(lhs, rhs, *, ndim=None, **options):
    """Fourier ring or shell correlation of two real images or volumes; options are those of fsc."""
    return _fsc(lhs, rhs, ndim=ndim, **options)


# ---- In real space ----


def _gaussian_filter(a, sigma, *, ndim=None, border="mirror", **keywords):
    space = len(_sizes(a, ndim))
    sigmas = [sigma] * space if isinstance(sigma, _numbers.Real) else list(sigma)
    if len(sigmas) != space:
        raise ValueError(f"gaussian_filter: sigma has {len(sigmas)} numbers; expected one, or {space} for each axis of the "
                         f"{('signal', 'image', 'volume')[max(space, 1) - 1]}")
    return _ts.gaussian_filter(a, *[0] * (3 - space), *sigmas, ndim=ndim, border=border, **keywords)


gaussian_filter = _documented(
    _gaussian_filter, "a, sigma",
    "sigma is one number for all axes, or one for each axis of an image or volume; the border repeats the last element, as\n"
    "mode='reflect' of SciPy does.")


def radial_profile(a, *, ndim=None, **options):
    """Mean of real images or volumes at each distance from their centre, index n // 2, in steps of one pixel.

    Element k of the result is the mean at k pixels, up to half of the longest axis. A pixel between two distances is split
    linearly between them; with nearest=True it belongs to the nearest. Other options are those of rotational_average.
    """
    sizes = _sizes(a, ndim)
    longest = max(sizes, default=1)
    metric = {f"metric_{axis}{axis}": (n / longest) ** 2 for axis, n in zip("whd", reversed(sizes))}
    return _ts.rotational_average(a, sizes, layout="fc", ndim=ndim, **metric, **options)


_name_all(globals(), __all__)
