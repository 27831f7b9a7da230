"""Bilateral filters, non-local means, anisotropic diffusion and deconvolution compared with NumPy:
python3 restoration.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Everything is computed from
its definition, with shifted copies of padded arrays and the transforms of NumPy, in f64. The last line counts
comparisons.
"""
import ctypes
import itertools
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np

import copies
import resize
import signal_convolve
import tess

VALUE, PERIODIC = resize.VALUE, 4
BORDERS = list(resize.MODES)
NAMES = ('f16', 'f32', 'f64', 'u8', 'i16', 'i32', 'bool')


class BilateralOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('unused', c_int32), ('value', c_double), ('sigma', c_double * 3),
                ('window', tess.ShapeValue), ('reserved', c_uint32 * 4)]


class MeansOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('unused', c_int32), ('value', c_double), ('noise', c_double),
                ('patch', c_int32), ('search', c_int32), ('reserved', c_uint32 * 4)]


class DiffusionOpts(ctypes.Structure):
    _fields_ = [('conductance', c_int32), ('unused', c_int32), ('step', c_double), ('reserved', c_uint32 * 4)]


class LucyOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('unused', c_int32), ('value', c_double), ('least', c_double),
                ('reserved', c_uint32 * 4)]


class WienerOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('laplacian', c_int32), ('value', c_double), ('reserved', c_uint32 * 4)]


def shifts(radii):
    return itertools.product(*(range(-r, r + 1) for r in radii))


def part(padded, radii, at, shape):
    """Of an array with a halo of `radii` the elements at a distance from all others."""
    return padded[(slice(None), *(slice(r + k, r + k + n) for r, k, n in zip(radii, at, shape[1:])))]


def bilateral(x, padded, radii, sigma_value, sigma):
    total = weights = 0
    for at in shifts(radii):
        y = part(padded, radii, at, x.shape)
        distance = sum((k / s)**2 for k, s in zip(at, sigma))
        w = np.exp(-0.5 * ((y - x) / sigma_value)**2 - 0.5 * distance)
        total, weights = total + w * y, weights + w
    return total / weights


def nl_means(x, padded, patch, search, strength, noise):
    radii = [p + s for p, s in zip(patch, search)]
    total = weights = 0
    for at in shifts(search):
        squares = np.mean([(part(padded, radii, p, x.shape) - part(padded, radii, np.add(p, at), x.shape))**2
                           for p in shifts(patch)], 0)
        w = np.exp(-np.maximum(0, squares - 2 * noise**2) / strength**2)
        total, weights = total + w * part(padded, radii, at, x.shape), weights + w
    return total / weights


def diffusion(x, kappa, iterations, step, rational):
    for _ in range(iterations):
        flow = 0
        for axis in (1, 2, 3):
            edges = np.pad(x, [(int(k == axis), int(k == axis)) for k in range(4)], 'edge')
            for first in (0, 2):
                g = np.take(edges, range(first, first + x.shape[axis]), axis) - x
                flow = flow + g * (1 / (1 + (g / kappa)**2) if rational else np.exp(-(g / kappa)**2))
        x = x + step * flow
    return x


class Deconvolution:
    """Arrays that are extended as the library does it, and their transforms."""

    def __init__(self, lib, shape, psf, border, value):
        self.border, self.value = border, value
        self.shape = shape
        self.axes = [k for k in (1, 2, 3) if psf.shape[k] > 1]
        self.before = [n if n > 1 and border != PERIODIC else 0 for n in (1, *psf.shape[1:])]
        self.size = [lib.tess_fft_fast_size(m + 2 * n) if n else m for m, n in zip(shape, self.before)]
        psf = psf / psf.sum()
        placed = np.zeros((1, *(self.size[k] if k in self.axes else 1 for k in (1, 2, 3))))
        for at in np.ndindex(*psf.shape):
            where = tuple((i - n // 2) % m if m > 1 else 0 for i, n, m in zip(at, psf.shape, placed.shape))
            placed[where] += psf[at]
        self.transfer = np.fft.fftn(placed, axes=self.axes) if self.axes else placed

    def extend(self, x):
        after = [m - n - b for m, n, b in zip(self.size, x.shape, self.before)]
        return resize.padded(x, self.before, after, self.border, self.value)

    def filter(self, x, transfer):
        return np.fft.ifftn(np.fft.fftn(x, axes=self.axes) * transfer, axes=self.axes).real if self.axes else x * transfer.real

    def inside(self, x):
        return x[tuple(slice(b, b + n) for b, n in zip(self.before, self.shape))]

    def richardson_lucy(self, x, iterations, least):
        y = np.maximum(self.extend(x), 0)
        mean = self.inside(y).mean((1, 2, 3), keepdims=True)
        estimate = self.extend(np.broadcast_to(mean, x.shape))
        for _ in range(iterations):
            blurred = self.filter(estimate, self.transfer)
            low = blurred <= least * mean
            ratio = np.where(low, 0, y / np.where(low, 1, blurred))
            estimate = estimate * np.maximum(self.filter(ratio, self.transfer.conj()), 0)
        return self.inside(estimate)

    def wiener(self, x, balance, laplacian):
        penalty = 1
        if laplacian:
            penalty = 0
            for k in self.axes:
                rows = 4 * np.sin(np.pi * np.arange(self.size[k]) / self.size[k])**2
                penalty = penalty + rows.reshape([-1 if k == j else 1 for j in range(4)])
        below = np.abs(self.transfer)**2 + balance * np.square(penalty)
        factor = np.where(below > 0, self.transfer.conj() / np.where(below > 0, below, 1), 0)
        return self.inside(self.filter(self.extend(x), factor))


class Tests(signal_convolve.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        array, number = c_void_p, c_double
        lib.tess_fft_fast_size.restype, lib.tess_fft_fast_size.argtypes = c_int64, [c_int64]
        for name, arguments in (('bilateral', [array, array, number, number, array]),
                                ('nl_means', [array, array, number, array]),
                                ('anisotropic_diffusion', [array, array, number, c_int64, array]),
                                ('richardson_lucy', [array, array, array, c_int64, array]),
                                ('wiener_deconvolve', [array, array, array, number, array])):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, arguments

    def small_shape(self):
        return (self.rng.randint(1, 2), self.rng.choice((1, 1, self.rng.randint(2, 6))),
                self.rng.choice((1, self.rng.randint(2, 16))), self.rng.randint(1, 40))

    def case(self, name, border, factor=1):
        """Values, their place, an output and its precision."""
        dtype = tess.BY_NAME[name]
        values = self.values_for(dtype, self.small_shape())
        if factor != 1 and dtype.kind == 'float':
            values = (np.abs(values) * factor).astype(dtype.numpy)
        result = self.names(dtype)[0]
        unit = {'f16': 2.0**-11, 'f32': 2.0**-24}.get(result, 2.0**-53)
        self.threads()
        return values, self.place_with(values, dtype), self.place(values.shape, tess.BY_NAME[result]), unit, \
            (2.0 if border == VALUE else 0.0)

    def agrees(self, out, want, size, unit, what):
        self.near(out, want, size, unit, np.ones(want.shape, bool), what)

    def check_bilateral(self, name, border):
        values, source, out, unit, value = self.case(name, border)
        x = values.astype('f8')
        sigma = [self.rng.choice((0.7, 1.0, 1.3)) for _ in range(3)]
        window = [self.odd(2) for _ in range(3)] if self.rng.randrange(2) else [0] * 3
        radii = [n // 2 if n else 0 if m == 1 else int(np.ceil(3 * s)) for n, m, s in zip(window, x.shape[1:], sigma)]
        opts = BilateralOpts(border, 0, value, (c_double * 3)(*sigma), tess.shape_value((0, *window)))
        what = ('bilateral', name, x.shape, border, sigma, window)
        if self.succeeds(self.lib.tess_bilateral(out.ref(), source.ref(), 9, 1, byref(opts)), *what):
            want = bilateral(x, signal_convolve.padded(x, radii, border, value), radii, 9, sigma)
            self.agrees(out, want, 16 * np.abs(x).max(), unit, what)

    def check_nl_means(self, name, border):
        values, source, out, unit, value = self.case(name, border)
        x = values.astype('f8')
        patch, search, noise = self.rng.choice((0, 1, 2)), self.rng.choice((1, 2, 3)), self.rng.choice((0, 4))
        opts = MeansOpts(border, 0, value, noise, patch or -2**31, search)
        what = ('nl_means', name, x.shape, border, patch, search, noise)
        if self.succeeds(self.lib.tess_nl_means(out.ref(), source.ref(), 9, byref(opts)), *what):
            patches = [patch if n > 1 else 0 for n in x.shape[1:]]
            searches = [search if n > 1 else 0 for n in x.shape[1:]]
            halo = [p + s for p, s in zip(patches, searches)]
            want = nl_means(x, signal_convolve.padded(x, halo, border, value), patches, searches, 9, noise)
            self.agrees(out, want, 64 * np.abs(x).max(), unit, what)

    def check_diffusion(self, name, kind):
        values, source, out, unit, _ = self.case(name, 1)
        x = values.astype('f8')
        axes = max(sum(n > 1 for n in x.shape[1:]), 1)
        step = self.rng.choice((0, 0.5 / axes, 0.1 / axes))
        iterations = self.rng.choice((0, 1, 2, 5))
        what = ('anisotropic_diffusion', name, x.shape, kind, step, iterations)
        status = self.lib.tess_anisotropic_diffusion(out.ref(), source.ref(), 12, iterations,
                                                     byref(DiffusionOpts(kind, 0, step)))
        if self.succeeds(status, *what):
            want = diffusion(x, 12, iterations, step or 0.25 / axes, kind == 2)
            self.agrees(out, want, 64 * np.abs(x).max(), unit, what)

    def psf_for(self, shape):
        rank = 3 if shape[1] > 1 else 2 if shape[2] > 1 else 1
        sizes = (1, *(self.rng.randint(1, 6) if axis >= 3 - rank else 1 for axis in range(3)))
        return self.generator.random(sizes) + 0.01

    def check_lucy(self, name, border):
        values, source, out, unit, value = self.case(name, border, 0.1)
        x, psf = values.astype('f8') , self.psf_for(values.shape)
        iterations = self.rng.choice((0, 1, 3))
        place = self.place_with(psf.astype('f8'), tess.BY_NAME['f64'])
        what = ('richardson_lucy', name, x.shape, psf.shape, border, iterations)
        least = 1e-3
        if self.succeeds(self.lib.tess_richardson_lucy(out.ref(), source.ref(), place.ref(), iterations,
                                                       byref(LucyOpts(border, 0, value, least))), *what):
            want = Deconvolution(self.lib, x.shape, psf, border, value).richardson_lucy(x, iterations, least)
            self.agrees(out, want, 1024 * (np.abs(want).max() + value), unit, what)

    def check_wiener(self, name, border):
        values, source, out, unit, value = self.case(name, border)
        x, psf = values.astype('f8'), self.psf_for(values.shape)
        laplacian, balance = self.rng.randrange(2), 0.1
        place = self.place_with(psf.astype('f4'), tess.BY_NAME['f32'])
        what = ('wiener_deconvolve', name, x.shape, psf.shape, border, laplacian)
        if self.succeeds(self.lib.tess_wiener_deconvolve(out.ref(), source.ref(), place.ref(), balance,
                                                         byref(WienerOpts(border, laplacian, value))), *what):
            d = Deconvolution(self.lib, x.shape, psf.astype('f4').astype('f8'), border, value)
            self.agrees(out, d.wiener(x, balance, laplacian), 256 * (np.abs(x).max() + value), unit, what)

    def noise(self, rounds):
        for _ in range(rounds):
            for name, border in itertools.product(NAMES, BORDERS):
                self.check_bilateral(name, border)
                self.check_nl_means(name, border)
            for name, kind in itertools.product(NAMES, (0, 1, 2)):
                self.check_diffusion(name, kind)

    def blur(self, rounds):
        for _ in range(rounds):
            for name, border in itertools.product(NAMES, BORDERS):
                self.check_lucy(name, border)
                self.check_wiener(name, border)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (('noise', lambda: tests.noise(tess.rounds(6))),
                                    ('blur', lambda: tests.blur(tess.rounds(6)))))


if __name__ == '__main__':
    sys.exit(main())
