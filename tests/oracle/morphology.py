"""Morphology, filled holes, reconstruction, means, the Sobel filter and centres of mass compared with SciPy:
python3 morphology.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Reconstructions are
repeated dilations below the mask. The last line counts comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np
from scipy import ndimage

import copies
import signal_convolve
import tess
from signal_convolve import NDIMAGE, RankOpts, padded

CROSS, FULL = (ndimage.generate_binary_structure(3, k) for k in (1, 3))
VALUE = signal_convolve.VALUE
D, H, W = 32, 64, 128  # TESS_D …


class GreyOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('unused', c_int32), ('value', c_double), ('window', tess.ShapeValue),
                ('footprint', c_void_p), ('reserved', c_uint32 * 4)]


class HolesOpts(ctypes.Structure):
    _fields_ = [('full', c_int32), ('reserved', c_uint32 * 7)]


class ReconstructOpts(ctypes.Structure):
    _fields_ = [('by_erosion', c_int32), ('full', c_int32), ('reserved', c_uint32 * 6)]


def extreme(values, footprint, border, value, dilates):
    """The minimum of in[i + k], or the maximum of in[i - k]; NaNs are the largest numbers."""
    if dilates:
        footprint = footprint[::-1, ::-1, ::-1]
    x = padded(values, [(n - 1) // 2 for n in footprint.shape], border, np.array(value).astype(values.dtype))
    windows = np.lib.stride_tricks.sliding_window_view(x, footprint.shape, (1, 2, 3))[..., footprint]
    return np.sort(windows, -1)[..., -1 if dilates else 0]


def subtract(a, b):
    return a != b if a.dtype == bool else a - b


def morphology(name, values, footprint, border, value):
    def erode(x):
        return extreme(x, footprint, border, value, False)

    def dilate(x):
        return extreme(x, footprint, border, value, True)

    return {
        'grey_erode': lambda: erode(values), 'grey_dilate': lambda: dilate(values),
        'grey_open': lambda: dilate(erode(values)), 'grey_close': lambda: erode(dilate(values)),
        'white_tophat': lambda: subtract(values, dilate(erode(values))),
        'black_tophat': lambda: subtract(erode(dilate(values)), values),
        'morphological_gradient': lambda: subtract(dilate(values), erode(values)),
    }[name]()


NAMES = ('grey_erode', 'grey_dilate', 'grey_open', 'grey_close', 'white_tophat', 'black_tophat',
         'morphological_gradient')
PEERS = {'grey_erode': ndimage.grey_erosion, 'grey_dilate': ndimage.grey_dilation, 'grey_open': ndimage.grey_opening,
         'grey_close': ndimage.grey_closing, 'white_tophat': ndimage.white_tophat,
         'black_tophat': ndimage.black_tophat, 'morphological_gradient': ndimage.morphological_gradient}
BINARY = {'grey_erode': ndimage.binary_erosion, 'grey_dilate': ndimage.binary_dilation}


def reconstructed(marker, mask, structure, by_erosion):
    """By its definition."""
    if by_erosion:
        step, limit = ndimage.grey_erosion, np.maximum
    else:
        step, limit = ndimage.grey_dilation, np.minimum
    now = limit(marker, mask)
    while True:
        then = limit(step(now, footprint=structure, mode='nearest'), mask)
        if np.array_equal(then, now):
            return now
        now = then


class Tests(signal_convolve.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        shape, array = tess.ShapeValue, c_void_p
        for name, arguments in (*((name, [array] * 3) for name in NAMES), ('fill_holes', [array] * 3),
                                ('morph_reconstruct', [array] * 4), ('uniform_filter', [array, array, shape, array]),
                                ('sobel', [array, array, c_int, array]), ('centre_of_mass', [array] * 2)):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, arguments

    def small_shape(self):
        shape = self.shape_for()
        return (*shape[:3], min(shape[3], 60))

    # ---- Erosion and dilation ----

    def check_morphology(self, dtype, border, name):
        shape = self.small_shape()
        window = (self.odd(1), self.odd(2), self.odd(3))
        values = self.values_to_sort(dtype, shape)
        value = 1 if border == VALUE else 0
        footprint = np.ones(window, bool)
        is_box = self.rng.randrange(2)
        opts = GreyOpts(border, 0, value)
        if is_box:
            opts.window = tess.shape_value((1, *window))
        else:
            footprint = self.generator.random(window) < 0.5
            footprint.flat[self.rng.randrange(footprint.size)] = True
            kind = self.rng.choice([tess.BY_NAME[n] for n in ('bool', 'u8', 'f32')])
            place = self.place_with(footprint[None].astype(kind.numpy), kind)
            opts.footprint = ctypes.cast(place.ref(), c_void_p)
        source, out = self.place_with(values, dtype), self.place(shape, dtype)
        what = (name, dtype, shape, window, border, is_box)
        self.threads()
        if not self.succeeds(getattr(self.lib, 'tess_' + name)(out.ref(), source.ref(), byref(opts)), *what):
            return
        want = morphology(name, values, footprint, border, value)
        got = out.view.copy()
        self.expect(bool(np.all((got == want) | ((got != got) & (want != want)))), *what)
        self.expect(out.holds(got, any_nan=True), *what, 'writes outside the view')
        self.compare_with_scipy(name, values, footprint, border, value, want, what)

    def compare_with_scipy(self, name, values, footprint, border, value, want, what):
        """Where SciPy has the same: of bools, without NaNs, windows that are not larger than the array."""
        fits = all(k <= n for k, n in zip(footprint.shape, values.shape[1:]))
        if not fits or values.dtype == 'f2' or np.isnan(values.astype('f8')).any():
            return
        if values.dtype == bool:
            if name in BINARY and border in (1, 2):
                peer = BINARY[name](values, footprint[None], border_value=value)
                self.expect(np.array_equal(peer, want), *what, 'SciPy, binary')
        elif values.dtype.itemsize <= 4:
            peer = PEERS[name](values, footprint=footprint[None], mode=NDIMAGE[border], cval=value)
            self.expect(np.array_equal(peer, want), *what, 'SciPy')

    def morphologies(self, rounds):
        for _ in range(rounds):
            for dtype in tess.REALS:
                for border in NDIMAGE:
                    self.check_morphology(dtype, border, self.rng.choice(NAMES))

    # ---- Masks ----

    def check_holes(self, dtype):
        shape = self.small_shape()
        values = (self.generator.random(shape) < 0.6).astype(dtype.numpy)
        full = self.rng.randrange(2)
        rank = 3 if shape[1] > 1 else 2 if shape[2] > 1 else 1
        made = tess.BY_NAME[self.rng.choice(('bool', 'u8', 'f32'))]
        source, out = self.place_with(values, dtype), self.place(shape, made)
        what = ('fill_holes', dtype, shape, full)
        self.threads()
        if not self.succeeds(self.lib.tess_fill_holes(out.ref(), source.ref(), byref(HolesOpts(full))), *what):
            return
        structure = ndimage.generate_binary_structure(rank, rank if full else 1)
        want = np.stack([ndimage.binary_fill_holes(x.reshape(x.shape[3 - rank:]), structure).reshape(x.shape)
                         for x in values])
        self.written(out, want.astype(made.numpy), *what)

    def check_reconstruction(self, dtype):
        shape = self.small_shape()
        full, by_erosion = self.rng.randrange(2), self.rng.randrange(2)
        kind = 'f4' if dtype.name == 'f16' else dtype.numpy
        high = 2 if dtype.kind == 'bool' else 100
        mask = self.generator.integers(0, high, shape).astype(kind)
        marker = np.where(self.generator.random(shape) < 0.05, mask, high - 1 if by_erosion else 0).astype(kind)
        sources = [self.place_with(x.astype(dtype.numpy), dtype) for x in (marker, mask)]
        out = self.place(shape, dtype)
        what = ('morph_reconstruct', dtype, shape, full, by_erosion)
        self.threads()
        if not self.succeeds(self.lib.tess_morph_reconstruct(out.ref(), *(x.ref() for x in sources),
                                                             byref(ReconstructOpts(by_erosion, full))), *what):
            return
        if kind == np.dtype(bool):
            marker, mask = marker.astype('u1'), mask.astype('u1')
        want = np.stack([reconstructed(a, b, FULL if full else CROSS, by_erosion) for a, b in zip(marker, mask)])
        self.written(out, want.astype(dtype.numpy), *what)

    def masks(self, rounds):
        for _ in range(rounds):
            for dtype in tess.REALS:
                self.check_holes(dtype)
                self.check_reconstruction(dtype)

    # ---- Means, derivatives, centres ----

    def check_mean(self, dtype, border):
        shape = self.small_shape()
        window = (self.odd(1), self.odd(2), self.odd(4))
        values = self.values_for(dtype, shape)
        value = 2 if border == VALUE else 0
        source = self.place_with(values, dtype)
        name = self.names(dtype)[0]
        out = self.place(shape, tess.BY_NAME[name])
        what = ('uniform_filter', dtype, shape, window, border)
        self.threads()
        if not self.succeeds(self.lib.tess_uniform_filter(out.ref(), source.ref(), tess.shape_value((1, *window)),
                                                          byref(RankOpts(border, 0, value))), *what):
            return
        x = padded(signal_convolve.wide(values), [n // 2 for n in window], border, value)
        windows = np.lib.stride_tricks.sliding_window_view(x, window, (1, 2, 3))
        unit = {'f16': 2.0**-11, 'f32': 2.0**-24, 'c32': 2.0**-24}.get(name, 2.0**-51)
        written = signal_convolve.inside(shape, [n // 2 for n in window], border)
        self.near(out, windows.mean((4, 5, 6)), np.abs(windows).mean((4, 5, 6)), unit, written, what)

    def check_sobel(self, dtype, border):
        shape = tuple(max(n, 2) for n in self.small_shape())
        values = self.values_for(dtype, shape)
        value = 2 if border == VALUE else 0
        axes = self.rng.choice((0, D, H, W, D | H, D | W, H | W))
        source = self.place_with(values, dtype)
        out = self.place(shape, tess.BY_NAME['f32' if dtype.size < 4 or dtype.name == 'f32' else 'f64'])
        what = ('sobel', dtype, shape, border, axes)
        status = self.lib.tess_sobel(out.ref(), source.ref(), axes, byref(RankOpts(border, 0, value)))
        if not self.succeeds(status, *what):
            return
        slopes = [ndimage.sobel(x, k, mode=NDIMAGE[border], cval=value)
                  for x in [values.astype('f8')[i] for i in range(shape[0])] for k in range(3) if not axes or axes & D << k]
        slopes = np.array(slopes).reshape(shape[0], -1, *shape[1:])
        want = slopes[:, 0] if slopes.shape[1] == 1 else np.sqrt((slopes**2).sum(1))
        scale = 64 * (float(np.abs(values.astype('f8')).max()) + value)
        error = np.abs(out.view - want).max()
        if border != VALUE:  # the value is for each axis separately: SciPy's is too, but in another order
            self.expect(error <= scale * (2.0**-22 if out.view.dtype == 'f4' else 2.0**-49), *what, error)

    def check_centre(self, dtype):
        shape = self.small_shape()
        values = np.abs(self.values_for(dtype, shape).astype('f8')).astype(dtype.numpy) + np.ones((), dtype.numpy)
        rank = 3 if shape[1] > 1 else 2 if shape[2] > 1 else 1
        source, out = self.place_with(values, dtype), tess.Array()
        what = ('centre_of_mass', dtype, shape)
        self.threads()
        if not self.succeeds(self.lib.tess_centre_of_mass(byref(out), source.ref()), *what):
            return
        want = [ndimage.center_of_mass(x.astype('f8').reshape(x.shape[3 - rank:])) for x in values]
        got = [self.lib_value(out, (i, 0, 0, k)) for i in range(shape[0]) for k in range(rank)]
        self.expect(np.allclose(got, np.ravel(want), rtol=1e-9, atol=1e-9), *what, got, want)
        self.lib.tess_release(byref(out))

    def lib_value(self, array, position):
        value = c_double()
        self.succeeds(self.lib.tess_get_f64(byref(value), byref(array), *map(c_int64, position)), 'get_f64')
        return value.value

    def others(self, rounds):
        for _ in range(rounds):
            for name in ('f16', 'f32', 'f64', 'c32', 'c64', 'u8', 'i16', 'i32', 'bool'):
                for border in signal_convolve.BORDERS:
                    self.check_mean(tess.BY_NAME[name], border)
            for name in ('f32', 'f64', 'u8', 'i16', 'i32'):
                for border in NDIMAGE:
                    self.check_sobel(tess.BY_NAME[name], border)
            for name in ('f32', 'f64', 'u8', 'i16', 'u32'):
                self.check_centre(tess.BY_NAME[name])


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('erosion and dilation', lambda: tests.morphologies(tess.rounds(12))),
        ('masks', lambda: tests.masks(tess.rounds(12))),
        ('means, derivatives, centres', lambda: tests.others(tess.rounds(8)))))


if __name__ == '__main__':
    sys.exit(main())
