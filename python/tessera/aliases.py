"""Names known from NumPy, SciPy and cryo-EM packages for functions of the library. Angles are in degrees."""
import math as _math
import numbers as _numbers

from . import _tessera as _ts

_NAMES = {
    "absolute": "abs", "subtract": "sub", "multiply": "mul", "divide": "true_div", "floor_divide": "floor_div",
    "remainder": "floor_mod", "power": "pow", "negative": "neg", "arccos": "acos", "arcsin": "asin", "arctan": "atan",
    "arctan2": "atan2", "arccosh": "acosh", "arcsinh": "asinh", "arctanh": "atanh", "angle": "arg", "conjugate": "conj",
    "isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite", "bitwise_and": "bit_and",
    "bitwise_or": "bit_or", "bitwise_xor": "bit_xor", "invert": "bit_not", "left_shift": "shift_left",
    "right_shift": "shift_right", "amax": "max", "amin": "min", "concat": "concatenate", "convolve_nd": "convolve",
    "apply_filter_1d": "filter_curve_image", "cross_correlation_map": "correlate",
    "cross_correlation_peak": "correlate_peak", "extract_central_slices": "fourier_extract",
    "insert_central_slices": "fourier_insert", "center_of_mass": "centre_of_mass",
}
for _alias, _name in _NAMES.items():
    globals()[_alias] = getattr(_ts, _name)

# ---- Ranges, as NumPy has them, or of a shape ----


def _are_numbers(*values):
    return all(isinstance(value, _numbers.Real) for value in values)


def _arange(*args, **keywords):
    if len(args) in (2, 3) and _are_numbers(*args) and not {"shape", "start", "step"} & set(keywords):
        step = args[2] if len(args) == 3 else 1
        if step == 0:
            raise ValueError("arange: step must not be 0")
        n = max(0, _math.ceil((args[1] - args[0]) / step))
        return _ts.arange(n, args[0], step, **keywords)
    return _ts.arange(*args, **keywords)


def _linspace(*args, **keywords):
    if "num" in keywords:
        args += (keywords.pop("num"),)
    if len(args) == 3 and _are_numbers(*args) and not {"shape", "start", "stop"} & set(keywords):
        if not hasattr(args[2], "__index__"):
            raise TypeError(f"linspace: n is {args[2]!r}; expected an integer")
        return _ts.linspace((args[2],), args[0], args[1], **keywords)
    return _ts.linspace(*args, **keywords)


def _like(function, name, note):
    of = getattr(_ts, name)
    return _ts._described(function, name, f"{name}{of.__text_signature__}\n--\n\n{of.__doc__}\n{note}\n")


arange = _like(_arange, "arange", "arange(start, stop[, step]) with numbers works as in NumPy.")
linspace = _like(_linspace, "linspace", "linspace(start, stop, n) with numbers works as in NumPy.")

# ---- Fourier transforms, as numpy.fft ----


def rfft(a, norm="backward"):
    """Fourier transform of real rows."""
    return _ts.fft_r2c(a, axes=-1, norm=norm)


def rfft2(a, norm="backward"):
    """Fourier transform of real images."""
    return _ts.fft_r2c(a, axes=(-2, -1), norm=norm)


def rfft3(a, norm="backward"):
    """Fourier transform of real volumes."""
    return _ts.fft_r2c(a, axes=(-3, -2, -1), norm=norm)


def _irfft(a, width, axes, norm):
    shape = tuple(a.shape)
    return _ts.fft_c2r(a, shape[:-1] + (2 * (shape[-1] - 1) if width is None else width,), axes=axes, norm=norm)


def irfft(a, n=None, norm="backward"):
    """Inverse of rfft; n is the length of the rows [even]."""
    return _irfft(a, n, -1, norm)


def irfft2(a, n=None, norm="backward"):
    """Inverse of rfft2; n is the width of the images [even]."""
    return _irfft(a, n, (-2, -1), norm)


def irfft3(a, n=None, norm="backward"):
    """Inverse of rfft3; n is the width of the volumes [even]."""
    return _irfft(a, n, (-3, -2, -1), norm)


def fft2(a, norm="backward"):
    """Fourier transform of images into full spectra."""
    return _ts.fft_c2c(a, "forward", axes=(-2, -1), norm=norm)


def ifft2(a, norm="backward"):
    """Inverse of fft2."""
    return _ts.fft_c2c(a, "backward", axes=(-2, -1), norm=norm)


def rfftfreq(n, d=1.0):
    """Frequencies of the half spectrum of n samples with spacing d."""
    return _ts.fft_frequencies((n,), axes="w") / d


def fftfreq(n, d=1.0):
    """Frequencies of the full spectrum of n samples with spacing d."""
    return _ts.fft_frequencies((n,), layout="f", axes="w") / d


def fourier_rescale(a, source_spacing, target_spacing):
    """Rescale real images or volumes to another pixel spacing, by cropping or padding their spectra.

    Sizes are integers, so the exact spacing of the result is source_spacing times the old size divided by the new one.
    """
    old = tuple(a.shape)
    axes = min(len(old), 3)
    new = old[:-axes] + tuple(n if n == 1 else max(1, round(n * source_spacing / target_spacing)) for n in old[-axes:])
    spectrum = _ts.fft_resize(_ts.fft_r2c(a), old, new, norm="backward", correct_nyquist=True)
    return _ts.fft_c2r(spectrum, new)


def fourier_shift(spectrum, shift, n=-1):
    """Multiply a spectrum by the phases that shift its array by `shift` pixels, as scipy.ndimage.fourier_shift does.

    n is the width of the real array of a half spectrum; -1 means a full spectrum.
    """
    shape = tuple(spectrum.shape)
    shift = [shift] * min(len(shape), 3) if isinstance(shift, _numbers.Number) else list(shift)
    if n < 0:
        return _ts.phase_shift(spectrum, shape, shift, from_="f")
    return _ts.phase_shift(spectrum, shape[:-1] + (n,), shift)


# ---- Matrices of 4 x 4, which act on columns z, y, x, 1 ----


def _rotation(degrees, a, b):
    """A positive angle takes the axis a to the axis b."""
    turn = _math.radians(degrees)
    rows = [[float(i == k) for k in range(4)] for i in range(4)]
    rows[a][a] = rows[b][b] = _math.cos(turn)
    rows[b][a], rows[a][b] = _math.sin(turn), -_math.sin(turn)
    return _ts.asarray(rows)


def Rx(degrees):
    """Rotation about x by an angle in degrees; it takes +y to +z."""
    return _rotation(degrees, 1, 0)


def Ry(degrees):
    """Rotation about y by an angle in degrees; it takes +z to +x."""
    return _rotation(degrees, 0, 2)


def Rz(degrees):
    """Rotation about z by an angle in degrees; it takes +x to +y."""
    return _rotation(degrees, 2, 1)


def T(shift):
    """Translation by (z, y, x) pixels."""
    return _ts.asarray([[float(i == k) for k in range(3)] + [float(shift[i])] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]])


def S(scale):
    """Scaling by a number, or by (z, y, x)."""
    factors = [scale] * 3 if isinstance(scale, _numbers.Number) else list(scale)
    return _ts.asarray([[float(f) * (i == k) for k in range(4)] for i, f in enumerate(factors)] + [[0.0, 0.0, 0.0, 1.0]])


def affine_transform(a, matrix, inverse=False, interp="linear", border="zero", out=None):
    """Transform images or volumes by a matrix that maps coordinates of the result to those of `a`, as in scipy.ndimage.

    With `inverse` the matrix maps coordinates of `a` to those of the result.
    """
    shape = tuple(a.shape)
    is_volume = len(shape) >= 3 and shape[-3] > 1
    transform = _ts.transform_3d if is_volume else _ts.transform_2d
    return transform(a, matrix, forward=inverse, interp=interp, border=border, out=out)


# ---- Correlation and spectra ----


def _cube(shape, rank):
    """One number is the size of all axes."""
    return (shape,) * rank if hasattr(shape, "__index__") else tuple(shape)


def power_spectrum_1d(a):
    """Mean power of real images or volumes per frequency shell."""
    return _ts.radial_power(_ts.fft_r2c(a), tuple(a.shape))


def ctf_2d(shape, pixel_size, defocus, astigmatism=0.0, angle=0.0, voltage=300.0, cs=2.7, amplitude_contrast=0.1,
           phase_shift=0.0, layout="h"):
    """The CTF of an image; defocus and astigmatism in micrometres, angles in degrees."""
    return _ts.ctf_image(_cube(shape, 2), {"pixel_size": pixel_size, "defocus": defocus, "astigmatism": astigmatism,
                                 "angle": _math.radians(angle), "voltage": voltage, "cs": cs,
                                 "amplitude": amplitude_contrast, "phase_shift": _math.radians(phase_shift)},
                         from_=layout)


# ---- Shapes and boxes ----


def _row(numbers):
    return _ts.asarray([[[[float(x) for x in numbers]]]])


def _draw(draw, shape, size, centre, width, rank=3):
    shape = _cube(shape, rank)
    drawn = draw(None, _row(size), shape=shape, centres=None if centre is None else _row(centre), width=width)
    return drawn.reshape(shape)


def sphere(shape, radius, centre=None, width=0.0):
    """A sphere, or a circle in an image, around `centre` [the middle] with a soft edge."""
    return _draw(_ts.draw_sphere, shape, [radius], centre, width)


def cuboid(shape, halves, centre=None, width=0.0):
    """A cuboid, or a rectangle in an image, of half sizes `halves`, (z, y, x) or (y, x)."""
    return _draw(_ts.draw_cuboid, shape, halves, centre, width, len(halves))


def cylinder(shape, radius, half_length, centre=None, width=0.0):
    """A cylinder along z."""
    return _draw(_ts.draw_cylinder, shape, [radius, half_length], centre, width)


def soft_edge(mask, width):
    """Add a soft edge outside a mask of 0 and 1."""
    return _ts.mask_create(mask, 0.5, width=width)


def crop_at(a, positions, size, border="zero"):
    """Boxes of `size` centred (index n // 2) at rounded positions (h, w) or (d, h, w), as an array of shape (n, h, w) or (n, d, h, w)."""
    positions = _ts.asarray(positions)
    rows = positions.reshape(-1, positions.shape[-1]).tolist()
    rank = len(rows[0])
    size = (size,) * rank if hasattr(size, "__index__") else tuple(size)
    origins = [[[[round(x) - n // 2 for x, n in zip(row, size)]]] for row in rows]
    return _ts.extract(a, origins, size, border=border)


__all__ = [_name for _name in dir() if not _name.startswith("_")]
