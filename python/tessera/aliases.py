"""Names known from NumPy, SciPy and cryo-EM packages for functions of the library. Angles are in degrees."""
import math as _math
import numbers as _numbers

from . import _tessera as _ts
from .described import described as _described
from .numpylike import _shape

_NAMES = {
    "absolute": "abs", "subtract": "sub", "multiply": "mul", "divide": "true_div", "floor_divide": "floor_div",
    "remainder": "floor_mod", "power": "pow", "negative": "neg", "arccos": "acos", "arcsin": "asin", "arctan": "atan",
    "arctan2": "atan2", "arccosh": "acosh", "arcsinh": "asinh", "arctanh": "atanh", "angle": "arg", "conjugate": "conj",
    "isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite", "bitwise_and": "bit_and",
    "bitwise_or": "bit_or", "bitwise_xor": "bit_xor", "invert": "bit_not", "left_shift": "shift_left",
    "right_shift": "shift_right", "amax": "max", "amin": "min", "convolve_nd": "convolve",
    "apply_filter_1d": "filter_curve_image", "cross_correlation_map": "correlate",
    "cross_correlation_peak": "correlate_peak", "extract_central_slices": "fourier_extract",
    "insert_central_slices": "fourier_insert", "center_of_mass": "centre_of_mass",
}
for _alias, _name in _NAMES.items():
    globals()[_alias] = _ts._alias(_name, _alias)

# ---- Spectra ----


@_described
def fourier_rescale(a, source_spacing, target_spacing, *, ndim=None):
    """Rescale real images or volumes to another pixel spacing, by cropping or padding their spectra.

    Sizes are integers, so the exact spacing of the result is source_spacing times the old size divided by the new one.

    Arguments:
        a: real numbers, (..., h, w) or (..., d, h, w)
        source_spacing: pixel spacing of a
        target_spacing: pixel spacing of the result, in the same unit
        ndim: 2 for images, 3 for volumes; axes in front count batches (default: 2 for two axes, 3 for more)
    """
    old = _shape(a)
    axes = min(len(old), 3 if ndim is None else ndim)
    new = old[:-axes] + tuple(n if n == 1 else max(1, round(n * source_spacing / target_spacing)) for n in old[-axes:])
    spectrum = _ts.fft_resize(_ts.fft_r2c(a, ndim=ndim), old, new, norm="backward", correct_nyquist=True, ndim=ndim)
    return _ts.fft_c2r(spectrum, new, ndim=ndim)


@_described
def fourier_shift(spectrum, shift, n=-1):
    """Multiply a spectrum by the phases that shift its array, as scipy.ndimage.fourier_shift does.

    Arguments:
        spectrum: complex spectrum with the zero frequency first
        shift: shift towards higher indices in pixels: a number for all axes, or one for each
        n: width of the real array of a half spectrum; -1: the spectrum is full
    """
    shape = _shape(spectrum)
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
    """Make the matrix of a rotation about x, which acts on columns z, y, x, 1.

    Arguments:
        degrees: angle; a positive one takes +y to +z

    Returns an Array of f64, (4, 4).
    """
    return _rotation(degrees, 1, 0)


def Ry(degrees):
    """Make the matrix of a rotation about y, which acts on columns z, y, x, 1.

    Arguments:
        degrees: angle; a positive one takes +z to +x

    Returns an Array of f64, (4, 4).
    """
    return _rotation(degrees, 0, 2)


def Rz(degrees):
    """Make the matrix of a rotation about z, which acts on columns z, y, x, 1.

    Arguments:
        degrees: angle; a positive one takes +x to +y

    Returns an Array of f64, (4, 4).
    """
    return _rotation(degrees, 2, 1)


def T(shift):
    """Make the matrix of a translation, which acts on columns z, y, x, 1.

    Arguments:
        shift: (z, y, x) in pixels

    Returns an Array of f64, (4, 4).
    """
    return _ts.asarray([[float(i == k) for k in range(3)] + [float(shift[i])] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]])


def S(scale):
    """Make the matrix of a scaling, which acts on columns z, y, x, 1.

    Arguments:
        scale: factor for all axes, or (z, y, x)

    Returns an Array of f64, (4, 4).
    """
    factors = [scale] * 3 if isinstance(scale, _numbers.Number) else list(scale)
    return _ts.asarray([[float(f) * (i == k) for k in range(4)] for i, f in enumerate(factors)] + [[0.0, 0.0, 0.0, 1.0]])


def _with_offset(matrix, offset):
    """A square matrix with a column behind it, which SciPy calls the offset."""
    rows = _ts.asarray(matrix).tolist()
    n = len(rows) if isinstance(rows, list) else 0
    if n not in (2, 3) or any(not isinstance(row, list) or len(row) != n for row in rows):
        raise ValueError("affine_transform: offset is given; expected a matrix of 2 x 2 or 3 x 3 numbers")
    column = [offset] * n if isinstance(offset, _numbers.Real) else list(offset)
    if len(column) != n:
        raise ValueError(f"affine_transform: offset has {len(column)} numbers; expected {n}")
    return _ts.asarray([row + [float(x)] for row, x in zip(rows, column)])


@_described
def affine_transform(a, matrix, offset=None, *, inverse=False, interp="linear", border="zero", out=None):
    """Transform images or volumes by a matrix, as scipy.ndimage.affine_transform does.

    Arguments:
        a: images, or volumes (..., d, h, w) with d above 1
        matrix: matrix from coordinates of the result to those of a, on y, x or z, y, x; also with a column for shifts
        offset: shift added to these coordinates, a number or one for each axis, beside a square matrix (default: none)
        inverse: the matrix maps coordinates of a to those of the result, and is inverted first
        interp: method of interpolation: 'nearest', 'linear', 'cosine', 'cubic', 'cubic_bspline', 'lanczos4', 'lanczos6' or
            'lanczos8'
        border: extension beyond the edges: 'zero', 'clamp', 'periodic', 'mirror', 'reflect' or 'nothing'
        out: array to write the result into (default: a new one)
    """
    shape = _shape(a)
    is_volume = len(shape) >= 3 and shape[-3] > 1
    transform = _ts.transform_3d if is_volume else _ts.transform_2d
    matrix = matrix if offset is None else _with_offset(matrix, offset)
    return transform(a, matrix, forward=inverse, interp=interp, border=border, out=out)


# ---- Correlation and spectra ----


def _cube(shape, rank):
    """One number is the size of all axes."""
    return (shape,) * rank if hasattr(shape, "__index__") else tuple(shape)


@_described
def power_spectrum_1d(a, *, ndim=None):
    """Compute the mean power of real images or volumes in each shell of frequency.

    Arguments:
        a: real numbers, (..., h, w) or (..., d, h, w)
        ndim: 2 for images, 3 for volumes; axes in front count batches (default: 2 for two axes, 3 for more)

    Returns (..., shells), from frequency 0 to 0.5 cycles per pixel.
    """
    return _ts.radial_power(_ts.fft_r2c(a, ndim=ndim), _shape(a), ndim=ndim)


def ctf_2d(shape, pixel_size, defocus, astigmatism=0.0, angle=0.0, voltage=300.0, cs=2.7, amplitude_contrast=0.1,
           phase_shift=0.0, layout="h"):
    """Compute the contrast transfer function (CTF) of an image.

    Arguments:
        shape: shape of the image, (h, w), or a number for both
        pixel_size: pixel size, in angstrom
        defocus: mean defocus; underfocus is positive, in micrometre
        astigmatism: half the difference of defocus between both directions, in micrometre
        angle: direction of the larger defocus, from the w axis to the h axis, in degrees
        voltage: acceleration voltage, in kilovolt
        cs: spherical aberration, in millimetre
        amplitude_contrast: amplitude contrast, below 1
        phase_shift: phase shift of a phase plate, in degrees
        layout: layout of the spectrum: 'h' half, 'f' full; 'hc' and 'fc' with the zero frequency in the centre

    Returns an Array of f32 in the shape of the layout.
    """
    return _ts.ctf_image(_cube(shape, 2), {"pixel_size": pixel_size, "defocus": defocus, "astigmatism": astigmatism,
                                 "angle": _math.radians(angle), "voltage": voltage, "cs": cs,
                                 "amplitude": amplitude_contrast, "phase_shift": _math.radians(phase_shift)},
                         from_=layout)


ctf_2d = _described(ctf_2d, arrays=0)


# ---- Shapes and boxes ----


def _row(numbers):
    return _ts.asarray([[[[float(x) for x in numbers]]]])


def _draw(draw, shape, size, centre, width, rank=3):
    shape = _cube(shape, rank)
    drawn = draw(None, _row(size), shape=shape, centres=None if centre is None else _row(centre), width=width)
    return drawn.reshape(shape)


def sphere(shape, radius, centre=None, width=0.0):
    """Draw a sphere, or a circle in an image: 1 inside, 0 outside.

    Arguments:
        shape: (d, h, w) or (h, w), or a number for a cube
        radius: radius in pixels
        centre: (z, y, x) or (y, x) in pixels (default: index n / 2)
        width: width of the soft edge outside, in pixels
    """
    return _draw(_ts.draw_sphere, shape, [radius], centre, width)


sphere = _described(sphere, arrays=0)


def cuboid(shape, halves, centre=None, width=0.0):
    """Draw a cuboid, or a rectangle in an image: 1 inside, 0 outside.

    Arguments:
        shape: (d, h, w) or (h, w), or a number for all axes
        halves: half of each edge in pixels, (z, y, x) or (y, x)
        centre: (z, y, x) or (y, x) in pixels (default: index n / 2)
        width: width of the soft edge outside, in pixels
    """
    return _draw(_ts.draw_cuboid, shape, halves, centre, width, len(halves))


cuboid = _described(cuboid, arrays=0)


def cylinder(shape, radius, half_length, centre=None, width=0.0):
    """Draw a cylinder along z: 1 inside, 0 outside.

    Arguments:
        shape: (d, h, w), or a number for a cube
        radius: radius in pixels
        half_length: half of the length along z, in pixels
        centre: (z, y, x) in pixels (default: index n / 2)
        width: width of the soft edge outside, in pixels
    """
    return _draw(_ts.draw_cylinder, shape, [radius, half_length], centre, width)


cylinder = _described(cylinder, arrays=0)


@_described
def soft_edge(mask, width, *, ndim=None):
    """Add a soft edge outside a mask.

    Arguments:
        mask: mask of 0 and 1, (..., h, w) or (..., d, h, w)
        width: width of the edge in pixels
        ndim: 2 for images, 3 for volumes; axes in front count batches (default: 2 for two axes, 3 for more)
    """
    return _ts.mask_create(mask, 0.5, width=width, ndim=ndim)


@_described
def crop_at(a, positions, size, border="zero"):
    """Cut out boxes around positions, which are rounded; they become index n // 2 of the boxes.

    Arguments:
        a: image (h, w) or volume (d, h, w)
        positions: (n, 2) with y and x, or (n, 3) with z, y and x, in pixels from 0
        size: shape of a box, or a number for all axes
        border: values outside a: 'zero', 'clamp', 'periodic', 'mirror', 'reflect' or 'nothing'

    Returns the boxes, (n, h, w) or (n, d, h, w).
    """
    positions = _ts.asarray(positions)
    rows = positions.reshape(-1, positions.shape[-1]).tolist()
    rank = len(rows[0])
    size = (size,) * rank if hasattr(size, "__index__") else tuple(size)
    origins = [[[[round(x) - n // 2 for x, n in zip(row, size)]]] for row in rows]
    return _ts.extract(a, origins, size, border=border)


__all__ = [_name for _name in dir() if not _name.startswith("_")]
