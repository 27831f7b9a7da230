"""Fourier transforms with the names and arguments of numpy.fft."""
import operator as _operator

from . import _tessera as _ts
from .described import described
from .numpylike import _axes, _axis, _shape, _view
from .shapes import moveaxis

__all__ = ("fft fft2 fftfreq fftn fftshift ifft ifft2 ifftn ifftshift irfft irfft2 irfft3 irfftn rfft rfft2 rfft3 rfftfreq "
           "rfftn").split()


# ---- Sizes and axes ----


def _plan(name, x, s, axes):
    """(axes, and the size of the transform along each), as numpy.fft reads s and axes."""
    if axes is None:
        if s is not None and len(s) > x.ndim:
            raise ValueError(f"{name}: s is {tuple(s)}, and the array has {x.ndim} axes; expected one size for each axis at most")
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    axes = _axes(name, list(axes), x.ndim, "axis" if len(axes) == 1 else "axes", repeats=True)
    sizes = [x.shape[k] for k in axes] if s is None else [_operator.index(n) for n in s]
    if len(sizes) != len(axes):
        raise ValueError(f"{name}: s is {s} and axes {tuple(axes)}; expected equal lengths")
    if len(set(axes)) != len(axes) or not axes:
        raise ValueError(f"{name}: axes is {tuple(axes)}; expected different axes, and at least one")
    for n in sizes:
        if n < 1:
            raise ValueError(f"{name}: {'n' if len(sizes) == 1 else 's'} is {n}; expected at least 1")
    return axes, sizes


def _direct(name, a, s, axes):
    """Options axes and ndim for the library, which transforms along the last axes of an array of any number of them; None
    where the array is cropped, padded or flattened first."""
    n = len(_shape(a))
    if isinstance(axes, str):  # letters, which the library reads
        return {"axes": axes} if s is None else None
    if s is None and axes and n <= 4 and -n <= min(axes) and max(axes) < 0 and len(set(axes)) == len(axes):
        return {"axes": axes}  # the usual call
    direct = s is None and axes is not None and len(set(axes)) == len(axes)
    least = min((_axis(name, k, n, "axis" if len(axes) == 1 else "axes") - n for k in axes), default=0) if direct else 0
    if n > 4 and not -3 <= least < 0:
        raise ValueError(f"{name}: a has {n} axes; expected at most 4, or transforms along the last three without s or n")
    if not direct:
        return None
    return {"axes": axes} if n <= 4 else {"axes": axes, "ndim": 3 if least == -3 else 2}


def _resized(x, axes, sizes):
    """Cropped, or padded with zeros, at the end of each axis."""
    for k, n in zip(axes, sizes):
        if n < x.shape[k]:
            x = x[(slice(None),) * k + (slice(n),)]
    after = [0] * x.ndim
    for k, n in zip(axes, sizes):
        after[k] = n - x.shape[k]
    return _ts.pad(x, (0,) * x.ndim, tuple(after)) if any(after) else x


def _halved_last(axes, ndim):
    """Where each axis lies when the one that is halved, the last of `axes`, is moved to the end."""
    order = [k for k in range(ndim) if k != axes[-1]] + [axes[-1]]
    return [order.index(k) for k in axes]


def _one(n):
    return None if n is None else (n,)


def _moved(x, source, destination):
    return x if source == destination else moveaxis(x, source, destination)


# ---- Complex and real transforms: what the library does itself is left to it ----


def _complex(name, sign, a, s, axes, norm):
    options = _direct(name, a, s, axes)
    if options:
        return _ts.fft_c2c(a, sign, norm=norm, **options)

    def work(x):
        at, sizes = _plan(name, x, s, axes)
        return _ts.fft_c2c(_resized(x, at, sizes), sign, axes=tuple(at), norm=norm)
    return _view(a, work)


def _forward(name, a, s, axes, norm):
    options = _direct(name, a, s, axes)
    if options and axes[-1] == -1:
        return _ts.fft_r2c(a, norm=norm, **options)

    def work(x):
        at, sizes = _plan(name, x, s, axes)
        last = x.ndim - 1
        x = _moved(_resized(x, at, sizes), at[-1], last)
        return _moved(_ts.fft_r2c(x, axes=tuple(_halved_last(at, x.ndim)), norm=norm), last, at[-1])
    return _view(a, work)


def _spectrum(a):
    """Real numbers as complex ones, whose imaginary parts are 0."""
    if str(getattr(a, "dtype", "")).startswith("c"):
        return a
    x = _ts.asarray(a)
    if x.dtype.kind == "c":
        return a
    return _ts._of_kind(x.astype("c32" if x.dtype.name in ("f16", "f32", "i8", "u8", "i16", "u16", "bool") else "c64"), a)


def _inverse(name, a, s, axes, norm, width=None):
    """`width` is the size along the last of the axes alone."""
    a = _spectrum(a)
    options = _direct(name, a, s, axes)
    if options and axes[-1] == -1:
        shape = _shape(a)
        width = 2 * (shape[-1] - 1) if width is None else width
        if width // 2 + 1 == shape[-1]:
            return _ts.fft_c2r(a, shape[:-1] + (width,), norm=norm, **options)

    def work(x):
        at, sizes = _plan(name, x, s, axes)
        last = x.ndim - 1
        if s is None:
            sizes[-1] = 2 * (sizes[-1] - 1) if width is None else _operator.index(width)
        if sizes[-1] < 1:
            raise ValueError(f"{name}: the size of the result is {sizes[-1]}; expected at least 1")
        x = _moved(_resized(x, at, sizes[:-1] + [sizes[-1] // 2 + 1]), at[-1], last)
        made = _ts.fft_c2r(x, x.shape[:-1] + (sizes[-1],), axes=tuple(_halved_last(at, x.ndim)), norm=norm)
        return _moved(made, last, at[-1])
    return _view(a, work)


def _inverse_of_images(name, a, s, axes, norm):
    """s may be the width alone."""
    is_width = hasattr(s, "__index__")
    return _inverse(name, a, None if is_width else s, axes, norm, s if is_width else None)


@described
def fft(a, n=None, axis=-1, norm=None):
    """Fourier transform along an axis.

    Arguments:
        a: real or complex numbers
        n: size to which the axis is cropped, or padded with zeros at its end (default: its own)
        axis: axis to transform
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns complex numbers: c32 of f32 and smaller types, else c64.
    """
    return _complex("fft", "forward", a, _one(n), (axis,), norm)


@described
def ifft(a, n=None, axis=-1, norm=None):
    """Inverse Fourier transform along an axis.

    Arguments:
        a: full spectrum, real or complex numbers
        n: size to which the axis is cropped, or padded with zeros at its end (default: its own)
        axis: axis to transform
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns complex numbers: c32 of f32 and smaller types, else c64.
    """
    return _complex("ifft", "backward", a, _one(n), (axis,), norm)


@described
def fft2(a, s=None, axes=(-2, -1), norm=None):
    """Fourier transform of images.

    Arguments:
        a: real or complex numbers
        s: sizes along axes, to which they are cropped, or padded with zeros at their ends (default: their own)
        axes: axes to transform (default: the last two)
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns complex numbers: c32 of f32 and smaller types, else c64.
    """
    return _complex("fft2", "forward", a, s, axes, norm)


@described
def ifft2(a, s=None, axes=(-2, -1), norm=None):
    """Inverse Fourier transform of images.

    Arguments:
        a: full spectra, real or complex numbers
        s: sizes along axes, to which they are cropped, or padded with zeros at their ends (default: their own)
        axes: axes to transform (default: the last two)
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns complex numbers: c32 of f32 and smaller types, else c64.
    """
    return _complex("ifft2", "backward", a, s, axes, norm)


@described
def fftn(a, s=None, axes=None, norm=None):
    """Fourier transform along several axes.

    Arguments:
        a: real or complex numbers
        s: sizes along axes, to which they are cropped, or padded with zeros at their ends (default: their own)
        axes: axes to transform (default: as many of the last as s has sizes, else all)
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns complex numbers: c32 of f32 and smaller types, else c64.
    """
    return _complex("fftn", "forward", a, s, axes, norm)


@described
def ifftn(a, s=None, axes=None, norm=None):
    """Inverse Fourier transform along several axes.

    Arguments:
        a: full spectra, real or complex numbers
        s: sizes along axes, to which they are cropped, or padded with zeros at their ends (default: their own)
        axes: axes to transform (default: as many of the last as s has sizes, else all)
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns complex numbers: c32 of f32 and smaller types, else c64.
    """
    return _complex("ifftn", "backward", a, s, axes, norm)


@described
def rfft(a, n=None, axis=-1, norm=None):
    """Fourier transform of real numbers along an axis.

    Arguments:
        a: real numbers
        n: size to which the axis is cropped, or padded with zeros at its end (default: its own)
        axis: axis to transform
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns the half spectrum: n // 2 + 1 frequencies along the axis, from 0 to the Nyquist frequency.
    """
    return _forward("rfft", a, _one(n), (axis,), norm)


@described
def irfft(a, n=None, axis=-1, norm=None):
    """Inverse of rfft.

    Arguments:
        a: half spectra
        n: length of the result (default: 2 (m - 1) for m frequencies, an even length)
        axis: axis to transform
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns real numbers: f32 of c32, f64 of c64.
    """
    return _inverse("irfft", a, _one(n), (axis,), norm)


@described
def rfft2(a, s=None, axes=(-2, -1), norm=None):
    """Fourier transform of real images.

    Arguments:
        a: real numbers
        s: sizes along axes, to which they are cropped, or padded with zeros at their ends (default: their own)
        axes: axes to transform, of which the last is halved (default: the last two)
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns the half spectrum: n // 2 + 1 frequencies along the last of axes, from 0 to the Nyquist frequency.
    """
    return _forward("rfft2", a, s, axes, norm)


@described
def irfft2(a, s=None, axes=(-2, -1), norm=None):
    """Inverse of rfft2.

    Arguments:
        a: half spectra of real images
        s: shape of each image, or its width alone (default: the width is 2 (m - 1) for m frequencies, and even)
        axes: axes to transform, of which the last was halved (default: the last two)
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns real numbers: f32 of c32, f64 of c64.
    """
    return _inverse_of_images("irfft2", a, s, axes, norm)


@described
def rfft3(a, s=None, axes=(-3, -2, -1), norm=None):
    """Fourier transform of real volumes.

    Arguments:
        a: real numbers
        s: sizes along axes, to which they are cropped, or padded with zeros at their ends (default: their own)
        axes: axes to transform, of which the last is halved (default: the last three)
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns the half spectrum: n // 2 + 1 frequencies along the last of axes, from 0 to the Nyquist frequency.
    """
    return _forward("rfft3", a, s, axes, norm)


@described
def irfft3(a, s=None, axes=(-3, -2, -1), norm=None):
    """Inverse of rfft3.

    Arguments:
        a: half spectra of real volumes
        s: shape of each volume, or its width alone (default: the width is 2 (m - 1) for m frequencies, and even)
        axes: axes to transform, of which the last was halved (default: the last three)
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns real numbers: f32 of c32, f64 of c64.
    """
    return _inverse_of_images("irfft3", a, s, axes, norm)


@described
def rfftn(a, s=None, axes=None, norm=None):
    """Fourier transform of real numbers along several axes.

    Arguments:
        a: real numbers
        s: sizes along axes, to which they are cropped, or padded with zeros at their ends (default: their own)
        axes: axes to transform, of which the last is halved (default: as many of the last as s has sizes, else all)
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns the half spectrum: n // 2 + 1 frequencies along the last of axes, from 0 to the Nyquist frequency.
    """
    return _forward("rfftn", a, s, axes, norm)


@described
def irfftn(a, s=None, axes=None, norm=None):
    """Inverse of rfftn.

    Arguments:
        a: half spectra
        s: sizes of the result along axes (default: the last is 2 (m - 1) for m frequencies, and even)
        axes: axes to transform, of which the last was halved (default: as many of the last as s has sizes, else all)
        norm: 'backward': the inverse transform divides by the number of elements (default); 'forward': the forward one does;
            'ortho': both divide by its square root; 'none': neither divides

    Returns real numbers: f32 of c32, f64 of c64.
    """
    return _inverse("irfftn", a, s, axes, norm)


# ---- Frequencies and shifts ----


def rfftfreq(n, d=1.0):
    """Make the frequencies of the half spectrum of n samples.

    Arguments:
        n: number of samples
        d: spacing of the samples

    Returns frequencies in cycles per unit of d, from 0: an Array of f64, (n // 2 + 1,).
    """
    return _ts.fft_frequencies((n,), axes="w") / d


def fftfreq(n, d=1.0):
    """Make the frequencies of the full spectrum of n samples.

    Arguments:
        n: number of samples
        d: spacing of the samples

    Returns frequencies in cycles per unit of d, the negative ones last: an Array of f64, (n,).
    """
    return _ts.fft_frequencies((n,), layout="f", axes="w") / d


def _shifted(work, a, axes, out):
    axes = tuple(range(len(_shape(a)))) if axes is None else axes
    return work(a, axes, out=out) if axes != () else _ts.copy(a, out=out)


@described
def fftshift(a, axes=None, *, out=None):
    """Move the zero frequency from index 0 to index n // 2.

    Arguments:
        a: array of any dtype
        axes: axis, or tuple of axes, to shift (default: all)
        out: array to write the result into (default: a new one)
    """
    return _shifted(_ts.fftshift, a, axes, out)


@described
def ifftshift(a, axes=None, *, out=None):
    """Move the zero frequency from index n // 2 to index 0: the inverse of fftshift.

    Arguments:
        a: array of any dtype
        axes: axis, or tuple of axes, to shift (default: all)
        out: array to write the result into (default: a new one)
    """
    return _shifted(_ts.ifftshift, a, axes, out)
