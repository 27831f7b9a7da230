"""Functions of real images and volumes, which are transformed first or seen from their centre."""
import numbers as _numbers

from . import _tessera as _ts

__all__ = ["frc", "fsc", "gaussian_filter", "radial_profile"]


def _space(a, ndim):
    """How many of the last axes belong to one image or volume."""
    return min(a.ndim, 3) if ndim is None else ndim


def _documented(function, signature, note):
    name = function.__name__[1:]
    document = getattr(_ts, name).__doc__
    return _ts._described(function, name, f"{name}{signature}\n--\n\n{document}\n{note}\n")


# ---- Fourier shell correlation ----


def _is_complex(a):
    return _ts.asarray(a).dtype.name in ("c16", "c32", "c64")


def _fsc(lhs, rhs, shape=None, *, ndim=None, **keywords):
    if shape is None:
        if _is_complex(lhs) or _is_complex(rhs):
            raise ValueError("fsc: shape is None; expected the logical shape of the spectra, which real arrays have themselves")
        if "layout" in keywords:
            raise ValueError("fsc: layout is given for real arrays; expected spectra and their shape")
        sizes = _ts.asarray(lhs).shape
        shape = sizes[len(sizes) - _space(_ts.asarray(lhs), ndim):]
        lhs, rhs = _ts.fft_r2c(lhs, ndim=ndim), _ts.fft_r2c(rhs, ndim=ndim)
    return _ts.fsc(lhs, rhs, shape, ndim=ndim, **keywords)


fsc = _documented(_fsc, "(lhs, rhs, shape=None, *, ndim=None, **options)",
                  "Without shape, lhs and rhs are real images or volumes, which are transformed first.")


def frc(lhs, rhs, *, ndim=None, **options):
    """Fourier ring or shell correlation of two real images or volumes; options are those of fsc."""
    return _fsc(lhs, rhs, ndim=ndim, **options)


# ---- In real space ----


def _gaussian_filter(a, sigma, sigma_h=None, sigma_w=None, *, ndim=None, **keywords):
    if sigma_h is not None or sigma_w is not None:  # as in C: one number for each of d, h and w
        return _ts.gaussian_filter(a, sigma, sigma_h or 0, sigma_w or 0, ndim=ndim, **keywords)
    space = _space(_ts.asarray(a), ndim)
    sigmas = [sigma] * space if isinstance(sigma, _numbers.Real) else list(sigma)
    if len(sigmas) != space:
        raise ValueError(f"gaussian_filter: sigma has {len(sigmas)} numbers; expected one, or {space} for each axis of the "
                         f"{('signal', 'image', 'volume')[max(space, 1) - 1]}")
    return _ts.gaussian_filter(a, *[0] * (3 - space), *sigmas, ndim=ndim, **keywords)


gaussian_filter = _documented(
    _gaussian_filter, "(a, sigma, *, ndim=None, border='zero', value=0.0, truncate=4.0, out=None)",
    "sigma is one number for all axes, or one for each axis of an image or volume. gaussian_filter(a, sigma_d, sigma_h, sigma_w)\n"
    "works as in C.")


def radial_profile(a, *, ndim=None, **options):
    """Mean of real images or volumes at each distance from their centre, index n // 2, in steps of one pixel.

    Element k of the result is the mean at k pixels, up to half of the longest axis. A pixel between two distances is split
    linearly between them; with nearest=True it belongs to the nearest. Other options are those of rotational_average.
    """
    sizes = _ts.asarray(a).shape
    sizes = sizes[len(sizes) - _space(_ts.asarray(a), ndim):]
    longest = max(sizes, default=1)
    metric = {f"metric_{axis}{axis}": (n / longest) ** 2 for axis, n in zip("whd", reversed(sizes))}
    return _ts.rotational_average(a, sizes, layout="fc", ndim=ndim, **metric, **options)
