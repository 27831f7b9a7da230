"""Standardised spectra, backgrounds, averaged power and covariances compared with NumPy and SciPy:
python3 signal_statistics.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. The last line counts
comparisons.
"""
import ctypes
import itertools
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np
from scipy import signal

import copies
import fft_layout
import tess
import windows
from fft_layout import BACKWARD, F, FC, FORWARD, H, HC, LAYOUTS, NONE, ORTHO, remapped, spectrum_shape
from windows import radii

C32, C64, F16, F32, F64 = (tess.BY_NAME[name] for name in ('c32', 'c64', 'f16', 'f32', 'f64'))
NORMS = {BACKWARD: 'backward', FORWARD: 'forward', ORTHO: 'ortho', NONE: 'backward'}
WINDOWS = {0: None, 1: None, 2: signal.windows.hann, 3: signal.windows.hamming, 4: signal.windows.blackman}


class StandardizeOpts(ctypes.Structure):
    _fields_ = [('start', c_double), ('stop', c_double), ('from_', c_int32), ('to', c_int32), ('no_endpoint', c_int32),
                ('norm', c_int32), ('reserved', c_uint32 * 4)]



class BackgroundOpts(ctypes.Structure):
    _fields_ = [('shift', c_double * 3), ('inside', c_int32), ('ddof', c_int32), ('reserved', c_uint32 * 6)]


class PowerOpts(ctypes.Structure):
    _fields_ = [('step', c_int64 * 3), ('window', c_int32), ('keep_mean', c_int32), ('together', c_int32),
                ('norm', c_int32), ('layout', c_int32), ('reserved', c_uint32 * 5)]


class CovarianceOpts(ctypes.Structure):
    _fields_ = [('elements', c_int32), ('ddof', c_int32), ('reserved', c_uint32 * 6)]


def patches_of(image, patch, steps):
    """Of a volume {d,h,w}: those that lie inside as a whole, in order."""
    ranges = [range(0, n - size + 1, step) for n, size, step in zip(image.shape, patch, steps)]
    for at in itertools.product(*ranges):
        yield image[tuple(slice(a, a + size) for a, size in zip(at, patch))]


def power_of(image, patch, opts):
    """The sum of the powers of all patches, in full, and how many there are."""
    steps = [step or max(size // 2, 1) for step, size in zip(opts.step, patch)]
    window = np.ones(patch)
    for k, size in enumerate(patch):
        if WINDOWS[opts.window] and size > 1:
            window = window * WINDOWS[opts.window](size, False).reshape([-1 if i == k else 1 for i in range(3)])
    total, count = 0, 0
    for x in patches_of(image, patch, steps):
        x = (x - (0 if opts.keep_mean else x.mean())) * window
        total = total + np.abs(np.fft.fftn(x, norm=NORMS[opts.norm or BACKWARD]))**2
        count += 1
    return total / np.mean(window**2), count


class Tests(windows.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        pointer, shape = c_void_p, tess.ShapeValue
        self.declare('standardize', [pointer, pointer, shape, pointer])
        self.declare('normalize_background', [pointer, pointer, c_double, pointer])
        self.declare('average_power', [pointer, pointer, shape, pointer])
        self.declare('covariance', [pointer] * 3)
        self.declare('mean_l2_norm', [pointer, pointer, pointer, c_int])

    # ---- Standardised spectra ----

    def check_standardized(self, got, shape, layout, norm, slack, *what):
        """Through the inverse transform itself: mean 0, deviation 1, or all 0."""
        full = remapped(got.astype(np.complex128), shape, layout, F)
        full = full / (np.prod(shape[1:]) if norm == NONE else 1)
        x = np.fft.ifftn(full, axes=(1, 2, 3), norm='forward' if norm == NONE else NORMS[norm or BACKWARD])
        self.expect(np.max(np.abs(x.mean((1, 2, 3)))) <= slack, *what, 'mean', x.mean((1, 2, 3)))
        self.expect(np.max(np.abs(np.sqrt((np.abs(x)**2).mean((1, 2, 3))) - 1)) <= slack, *what, 'deviation')

    def check_standardize(self, dtype, layout, norm):
        shape = self.random_shape()
        if np.prod(shape[1:]) == 1:
            return
        mean = self.rng.choice((0, 3, 1e4))  # a large one drowned the rest if it were subtracted from the sum
        x = self.generator.normal(mean, self.rng.uniform(0.1, 5), shape)
        spectrum = remapped(np.fft.fftn(x, axes=(1, 2, 3)), shape, F, layout).astype(dtype.numpy)
        what = ('standardize', dtype, shape, LAYOUTS[layout], norm, mean)
        to = self.rng.choice((layout, H, HC, F, FC))
        opts = StandardizeOpts(0, 0, layout, to, 0, norm)
        out, source = self.place(spectrum_shape(shape, to), dtype), self.place_with(spectrum, dtype)
        self.threads()
        slack = 1e-5 if dtype is C32 else 1e-11
        if not self.succeeds(self.lib.tess_standardize(out.ref(), source.ref(), tess.shape_value(shape), byref(opts)),
                             *what):
            return
        got = out.view.copy()
        self.check_standardized(got, shape, to, norm, slack, *what, LAYOUTS[to])
        self.expect(out.holds(got, any_nan=False), *what, 'writes outside the view')
        if to == layout and self.succeeds(self.lib.tess_standardize(source.ref(), source.ref(), tess.shape_value(shape), byref(opts)),
                         *what, 'in place'):
            self.written(source, got, *what, 'in place')

    def standardize(self, rounds):
        for _ in range(rounds):
            for layout in LAYOUTS:
                for norm in (0, BACKWARD, FORWARD, ORTHO, NONE):
                    self.check_standardize(self.rng.choice((C32, C64)), layout, norm)
        for layout in (H, HC, F, FC):  # nothing but a mean: zeros
            shape = (2, 3, 4, 5)
            constant = np.zeros(spectrum_shape(shape, layout), np.complex64)
            constant[(slice(None), *(n // 2 if layout in (HC, FC) and not (layout == HC and k == 2) else 0
                                     for k, n in enumerate(shape[1:])))] = 7
            place = self.place_with(constant, C32)
            if self.succeeds(self.lib.tess_standardize(place.ref(), place.ref(), tess.shape_value(shape),
                                                       byref(StandardizeOpts(0, 0, layout))), 'constant'):
                self.written(place, constant * 0, 'constant', LAYOUTS[layout])

    # ---- Backgrounds ----

    def check_background(self, dtype):
        shape, opts = self.random_shape(), BackgroundOpts()
        shift = [self.rng.choice((0, 0, self.rng.uniform(-2, 2))) for _ in range(3)]
        opts.shift, opts.inside, opts.ddof = (c_double * 3)(*shift), self.rng.randrange(2), self.rng.randrange(2)
        radius, r = self.rng.choice((0, 1, 2, self.rng.uniform(0, 9))), radii(shape, shift)
        if np.min(np.abs(r - radius)) < 1e-9 and radius != int(radius):
            return
        chosen = np.broadcast_to(r <= radius if opts.inside else r > radius, shape)
        what = ('background', dtype, shape, radius, shift, 'inside', opts.inside, 'ddof', opts.ddof)
        values = self.values_for(dtype, shape)
        source, to = self.place_with(values, dtype), self.rng.choice((F32, F64))
        out = self.place(shape, to)
        self.threads()
        status = self.lib.tess_normalize_background(out.ref(), source.ref(), radius, byref(opts))
        count = np.count_nonzero(chosen[0])
        if count == 0:
            self.fails(status, tess.ERANGE, out, *what)
            return
        if count <= opts.ddof + 1 or not self.succeeds(status, *what):
            return
        x = values.astype(np.float64)
        each = [x[b][chosen[b]] for b in range(shape[0])]
        column = lambda numbers: np.array(numbers).reshape(-1, 1, 1, 1)
        mean, std = column([e.mean() for e in each]), column([e.std(ddof=opts.ddof) for e in each])
        want = np.where(std == 0, 0, (x - mean) / np.where(std == 0, 1, std))
        size = np.max(np.abs(x), initial=0) / np.min(np.where(std == 0, 1, std)) + 1
        self.written_near(out, want, (2.0**-22 if to is F32 else 1e-12) * size, *what)

    def backgrounds(self, rounds):
        for _ in range(rounds):
            for dtype in tess.REALS:
                self.check_background(dtype)

    # ---- Power ----

    def check_power(self, dtype):
        rank = self.rng.choice((1, 2, 2, 3))
        patch = [1] * (3 - rank) + [self.rng.randint(2, 9) for _ in range(rank)]
        shape = (self.rng.randint(1, 3), *(n if n == 1 else n + self.rng.randrange(0, 12) for n in patch))
        opts = PowerOpts()
        opts.step = (c_int64 * 3)(*(self.rng.choice((0, 1, 2, 5)) for _ in range(3)))
        opts.window, opts.keep_mean, opts.together = self.rng.randrange(5), self.rng.randrange(2), self.rng.randrange(2)
        opts.norm, opts.layout = self.rng.randrange(4), self.rng.randrange(5)
        values = self.values_for(dtype, shape)
        sums = [power_of(image, patch, opts) for image in values.astype(np.float64)]
        count = sums[0][1]
        full = np.stack([total for total, _ in sums]) / count
        if opts.together:
            full = full.mean(0, keepdims=True)
        want = remapped(full, (len(full), *patch), F, opts.layout or H).real
        to = self.rng.choice((F32, F64))
        source, out = self.place_with(values, dtype), self.place(want.shape, to)
        what = ('average power', dtype, shape, patch, list(opts.step), opts.window, opts.keep_mean, opts.together,
                opts.norm, opts.layout)
        self.threads()
        if self.succeeds(self.lib.tess_average_power(out.ref(), source.ref(), tess.shape_value((1, *patch)),
                                                     byref(opts)), *what):
            wide = dtype.name in ('i32', 'u32', 'i64', 'u64', 'f64')
            self.written_near(out, want, (1e-12 if wide and to is F64 else 2e-5) * (np.max(want, initial=0) + 1e-3), *what)

    def powers(self, rounds):
        for _ in range(rounds):
            for dtype in tess.REALS:
                self.check_power(dtype)

    # ---- Covariances and norms ----

    def check_covariance(self, dtype):
        shape, opts = self.random_shape(), CovarianceOpts(self.rng.randrange(2), self.rng.randrange(2))
        values = self.values_for(dtype, shape)
        x = values.reshape(shape[0], -1).astype(np.complex128 if dtype.kind == 'complex' else np.float64)
        x = x.T if opts.elements else x
        result = {'f16': F32, 'f32': F32, 'c32': C32, 'c64': C64}.get(dtype.name, F64)
        if dtype.name in ('bool', 'i8', 'i16', 'u8', 'u16'):
            result = F32
        source, out = self.place_with(values, dtype), self.place((1, 1, len(x), len(x)), result)
        what = ('covariance', dtype, shape, 'elements', opts.elements, 'ddof', opts.ddof)
        self.threads()
        status = self.lib.tess_covariance(out.ref(), source.ref(), byref(opts))
        if x.shape[1] <= opts.ddof:
            self.fails(status, tess.ERANGE, out, *what)
        elif self.succeeds(status, *what):
            want = np.cov(x, ddof=opts.ddof).reshape(out.view.shape)
            slack = (1e-13 if result in (F64, C64) else 1e-5) * np.max(np.abs(x), initial=0)**2
            self.written_near(out, want, slack, *what)

    def check_mean_l2_norm(self, dtype):
        shape, axes = self.random_shape(), self.rng.choice((0, 0x10, 0xe0, 0x80, 0x60))
        numbers = tuple(k for k in range(4) if not axes or axes & 0x10 << k)
        values = self.values_for(dtype, shape)
        x = values.astype(np.complex128 if dtype.kind == 'complex' else np.float64)
        mean = x.mean(numbers, keepdims=True)
        norm = np.sqrt(np.sum(np.abs(x - mean)**2, numbers, keepdims=True))
        means = self.place(mean.shape, C64 if dtype.kind == 'complex' else F64)
        norms, source = self.place(mean.shape, F64), self.place_with(values, dtype)
        what = ('mean_l2_norm', dtype, shape, hex(axes))
        self.threads()
        if self.succeeds(self.lib.tess_mean_l2_norm(means.ref(), norms.ref(), source.ref(), axes), *what):
            slack = 1e-13 * np.max(np.abs(x), initial=0) * np.sqrt(x.size)
            self.written_near(means, mean, slack, *what, 'mean')
            self.written_near(norms, norm, slack, *what, 'norm')

    def covariances(self, rounds):
        for _ in range(rounds):
            for dtype in (*tess.REALS, C32, C64):
                self.check_covariance(dtype)
                self.check_mean_l2_norm(dtype)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('standardised spectra', lambda: tests.standardize(tess.rounds(20))),
        ('backgrounds', lambda: tests.backgrounds(tess.rounds(40))), ('powers', lambda: tests.powers(tess.rounds(20))),
        ('covariances and norms', lambda: tests.covariances(tess.rounds(30)))))


if __name__ == '__main__':
    sys.exit(main())
