"""Resizing and sampling between elements, with the arguments of scipy.ndimage."""
import math as _math

from . import _tessera as _ts
from . import images as _images, numpylike as _numpylike, shapes as _shapes
from .described import described as _described

__all__ = ["map_coordinates", "map_coordinates_adjoint", "zoom"]

_ORDERS = {0: "nearest", 1: "linear", 3: "cubic_bspline"}
# As those of filters, except for modes that mean something else there.
_BORDERS = {mode: border for mode, border in _images._BORDERS.items() if mode not in ("constant", "wrap")}
_ROWS = 17  # of an image of equal rows, as which signals are sampled: no window reaches beyond
_PAD = 12  # elements after which a spline no longer depends on what is at its border


def _interp_of(name, order, interp, prefilter):
    """The options interp and prefilter for an order of SciPy, or for the name of a method."""
    if interp is None:
        if order not in _ORDERS:
            raise ValueError(f"{name}: order is {order!r}; expected 0, 1 or 3, or interp= with the name of a method")
        interp = _ORDERS[order]
    return {"interp": interp, "prefilter": bool(prefilter) and interp in ("cubic_bspline", "bspline")}


def _border_of(name, mode, border, cval, cut=None):
    """The options border, value and cut for a mode of SciPy, or for the name of a border."""
    if border is not None:
        options = {"border": border, "cut": bool(cut)}
    elif mode == "constant":
        options = {"border": "reflect", "cut": True if cut is None else bool(cut)}
    elif mode in _BORDERS:
        options = {"border": _BORDERS[mode], "cut": bool(cut)}
        cval = cval if mode == "grid-constant" or cut else 0
    else:
        names = ", ".join(map(repr, _BORDERS))
        also = "'grid-wrap', whose period is n" if mode == "wrap" else f"'constant' or one of {names}"
        raise ValueError(f"{name}: mode is {mode!r}; expected {also}")
    if cval:
        options["value"] = float(cval.real)
    if cval.imag:
        options["value_imag"] = float(cval.imag)
    return options


def _outside(cval, value, value_imag):
    """The value outside, by either name."""
    outside = cval if value is None else value
    return outside if not value_imag else complex(outside, value_imag)


def _array(object):
    return object if hasattr(object, "shape") and hasattr(object, "reshape") else _ts.asarray(object)


# ---- At given coordinates ----


def _four_axes(shape, rank):
    """The shape that the library has for images, volumes or signals with any axes in front."""
    shape = tuple(shape)
    return (_math.prod(shape[:-rank]),) + (1,) * (3 - rank) + shape[-rank:]


def _coordinates(given):
    """An array, or one from a list of arrays, one for each axis."""
    if not isinstance(given, (list, tuple)) or not all(hasattr(c, "shape") for c in given):
        return _array(given)
    arrays = [_ts.asarray(c) for c in given]
    dtype = "f32" if all(str(c.dtype) in ("f32", "float32") for c in arrays) else "f64"
    return _shapes.stack([c.astype(dtype) for c in arrays])


def _points(name, coordinates, shift=0, row=0):
    """Points (1, 1, n, 2 or 3) for the library, moved by `shift` elements, the shape of results, and the coordinates per point.

    Those of signals lie in a row of an image.
    """
    coordinates = _coordinates(coordinates)
    rank = coordinates.shape[0] if len(coordinates.shape) > 1 else 0
    if rank not in (1, 2, 3):
        raise ValueError(f"{name}: coordinates has shape {tuple(coordinates.shape)}; expected (2, ...) with y, x or "
                         "(3, ...) with z, y, x, or (1, ...) with x")
    shape = tuple(coordinates.shape[1:])
    points = coordinates.reshape((rank, _math.prod(shape))).T
    if shift:
        points = _ts.add(points, shift)
    if rank == 1:
        points = _ts.asarray(points)
        points = _ts.concatenate([_numpylike.full_like(points, row), points], axis=-1)
    return points.reshape((1, 1) + tuple(points.shape)), shape, rank


def _in_front(name, a, rank):
    """The axes of an array in front of those that are sampled."""
    if len(a.shape) < rank:
        raise ValueError(f"{name}: a has shape {tuple(a.shape)}, and there are {rank} coordinates for each point; "
                         f"expected at least {rank} axes")
    return tuple(a.shape[:-rank])


def _padded(a, rank, mode, cval):
    """The array with what its border has in front of and behind each axis that is sampled."""
    widths = ((0, 0),) * (len(a.shape) - rank) + ((_PAD, _PAD),) * rank
    if mode == "nearest":
        return _shapes.pad(a, widths, mode="edge")
    return _shapes.pad(a, widths, mode="constant", constant_values=cval)


def _needs_padding(mode, border, interp):
    """Whether SciPy continues the array beyond its ends before it computes a spline, instead of mirroring it."""
    return border is None and mode in ("nearest", "grid-constant") and interp["prefilter"]


@_described
def map_coordinates(a, coordinates, order=3, mode="constant", cval=0.0, prefilter=True, *, interp=None, border=None, cut=None,
                    value=None, value_imag=None):
    """Sample images or volumes at given coordinates.

    The first arguments are those of scipy.ndimage.map_coordinates.

    Arguments:
        a: numbers, (..., h, w), (..., d, h, w) or (..., w); axes in front count images, all sampled at the same points
        coordinates: indices of the points: (2, ...) with y and x, (3, ...) with z, y and x, or (1, ...) with x
        order: 0: the nearest element, 1: linear, 3: cubic splines
        mode: extension beyond the edges: 'constant', 'reflect', 'nearest', 'mirror', 'grid-mirror', 'grid-constant' or
            'grid-wrap'; 'constant' gives cval to all points beyond the first and last elements
        cval: value outside, with 'constant' and 'grid-constant'
        prefilter: compute the coefficients of splines first; with False, a holds them
        interp: method of interpolation by the library's name, such as 'lanczos8', instead of order
        border: extension by the library's name, such as 'periodic', instead of mode
        cut: give the value outside to all points beyond the first and last elements (default: only with mode='constant')
        value: the same as cval (default: cval)
        value_imag: imaginary part of the value outside (default: 0)

    Returns a float or complex number for each point: the axes of a in front, then those of coordinates behind the first.
    """
    name = "map_coordinates"
    a = _array(a)
    how = _interp_of(name, order, interp, prefilter)
    cval = _outside(cval, value, value_imag)
    options = _border_of(name, mode, border, cval, cut)
    is_padded = _needs_padding(mode, border, how)
    points, shape, rank = _points(name, coordinates, _PAD if is_padded else 0, _ROWS // 2)
    front = _in_front(name, a, rank)
    if is_padded:
        a = _padded(a, rank, mode, cval)
    a = a.reshape(_four_axes(a.shape, rank))
    if rank == 1:
        a = _shapes.broadcast_to(a, a.shape[:2] + (_ROWS,) + a.shape[3:])
    values = _ts.map_coordinates(a, points, **how, **options)
    return values.reshape(front + shape)


@_described
def map_coordinates_adjoint(values, coordinates, shape, order=3, mode="constant", prefilter=True, *, interp=None, border=None,
                            cut=None, value=None, value_imag=None):
    """Add values at given coordinates to images or volumes.

    These begin as zeros: it is the adjoint of map_coordinates. With the same coordinates and options, sum(map_coordinates(a, c) * v) is sum(a * map_coordinates_adjoint(v, c, a.shape)) for
    every a of this shape and every v.

    Arguments:
        values: number for each point; axes in front of those of the points count images
        coordinates: indices of the points: (2, ...) with y and x, (3, ...) with z, y and x, or (1, ...) with x
        shape: shape of one image, volume or signal of the result
        order: 0: the nearest element, 1: linear, 3: cubic splines
        mode: extension beyond the edges, as for map_coordinates; 'nearest' and 'grid-constant' only without splines
        prefilter: apply the adjoint of the computation of spline coefficients last
        interp: method of interpolation by the library's name, such as 'lanczos8', instead of order
        border: extension by the library's name, such as 'periodic', instead of mode
        cut: leave out all points beyond the first and last elements (default: only with mode='constant')
        value: no effect; accepted as an option of map_coordinates
        value_imag: no effect, as value

    Returns the sums: the axes of values in front, then shape.
    """
    name = "map_coordinates_adjoint"
    values = _array(values)
    points, own, rank = _points(name, coordinates)
    how = _interp_of(name, order, interp, prefilter)
    if _needs_padding(mode, border, how):
        raise ValueError(f"{name}: mode is {mode!r} with a spline; expected 'constant', 'mirror', 'reflect' or 'grid-wrap', "
                         "or border=")
    options = _border_of(name, mode, border, 0, cut)
    shape = tuple(shape)
    if len(shape) != rank:
        raise ValueError(f"{name}: shape is {shape}, and there are {rank} coordinates for each point; expected {rank} sizes")
    front = tuple(values.shape[:len(values.shape) - len(own)])
    if tuple(values.shape) != front + own:
        raise ValueError(f"{name}: values has shape {tuple(values.shape)}; expected one value for each point, {own}")
    batches = values.reshape((_math.prod(front), 1, 1, _math.prod(own)))
    made = _ts.map_coordinates_adjoint(batches, points, _four_axes(front + shape, rank), **how, **options)
    return made.reshape(front + shape)


# ---- Resizing ----


def _factors(a, factor, ndim):
    """A factor for each of d, h and w."""
    sizes = _images._sizes(a, ndim)
    factors = _images._per_axis("zoom: factor", factor, len(sizes), 1.0)
    if len(sizes) == 3 and sizes[0] == 1 and factors[0] != 1:
        raise ValueError(f"zoom: factor is {factor!r}, and a has one section; expected 1 along the first axis of a volume")
    return factors


@_described
def zoom(a, factor, order=3, mode=None, cval=0.0, prefilter=True, *, grid_mode=False, antialias=False, ndim=None, interp=None,
         border=None, pixel_grid=False, value=None, value_imag=None, out=None):
    """Resize images or volumes by factors, with interpolation.

    The first arguments are those of scipy.ndimage.zoom. n elements become n * factor, rounded. The first and last elements stay at the ends.

    Arguments:
        a: numbers, (..., h, w) or (..., d, h, w)
        factor: new size divided by the old one: a number, or one for each axis of an image, volume or signal
        order: 0: the nearest element, 1: linear, 3: cubic splines
        mode: extension beyond the ends, by SciPy's name except 'wrap' (default: mirrored); splines with 'nearest' and
            'grid-constant' differ from SciPy's next to the ends
        cval: value outside, with 'grid-constant'
        prefilter: compute the coefficients of splines first; with False, a holds them
        grid_mode: keep the outer edges of the first and last pixels at the ends, not their centres; with order=0, a place
            halfway between two elements may take the other one than in SciPy
        antialias: blur along axes that shrink first, as skimage.transform.rescale does
        ndim: 2 for images, 3 for volumes; axes in front count batches (default: 2 for two axes, 3 for more)
        interp: method of interpolation by the library's name, such as 'lanczos8', instead of order
        border: extension by the library's name, such as 'periodic', instead of mode
        pixel_grid: the same as grid_mode
        value: the same as cval (default: cval)
        value_imag: imaginary part of the value outside (default: 0)
        out: array to write the result into (default: a new one)
    """
    a = _array(a)
    grid_mode = grid_mode or pixel_grid
    how = _interp_of("zoom", order, interp, prefilter)
    if mode is None and border is None:
        if grid_mode and _outside(cval, value, value_imag):
            raise ValueError(f"zoom: cval is {cval!r} with grid_mode and without mode; expected mode='grid-constant'")
        cval, value, value_imag = 0, None, None  # without grid_mode no element of the result is outside
        border = "mirror" if grid_mode else "reflect"
    if border is None and mode == "constant":
        if grid_mode:
            raise ValueError("zoom: mode is 'constant' with grid_mode; expected 'grid-constant', 'nearest' or another one")
        mode = "mirror"  # no element of the result is outside
    options = _border_of("zoom", mode, border, _outside(cval, value, value_imag))
    del options["cut"]
    factors = _factors(a, factor, ndim)
    return _images._naming("factor", factor, lambda: _ts.zoom(
        a, *factors, ndim=ndim, pixel_grid=bool(grid_mode), antialias=bool(antialias), out=out, **how, **options))
