"""Shell correlation, whitening, correlation and peaks compared with NumPy: python3 signal_shells.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. The formulas stand here once
more, over whole arrays. The last line counts comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p

import numpy as np
from scipy import ndimage

import copies
import fft_layout
import tess
from fft_layout import F, FC, H, HC, LAYOUTS, cycles, is_half, spectrum_shape

np.seterr(all='ignore')

C16, C32, C64, F16, F32, F64 = (tess.BY_NAME[name] for name in ('c16', 'c32', 'c64', 'f16', 'f32', 'f64'))
UNIT = {'f16': 2.0**-10, 'f32': 2.0**-23, 'c32': 2.0**-23, 'f64': 2.0**-52, 'c64': 2.0**-52}
BACKWARD, FORWARD, ORTHO = range(1, 4)
CONVENTIONAL, PHASE, DOUBLE_PHASE, MUTUAL = range(1, 5)
PARABOLA, QUADRATIC, MASS = range(1, 4)


class FscOpts(ctypes.Structure):
    _fields_ = [('directions', c_void_p), ('counts', c_void_p), ('aperture', c_double), ('layout', c_int32),
                ('nearest', c_int32), ('reserved', c_uint32 * 8)]


class ResolutionOpts(ctypes.Structure):
    _fields_ = [('counts', c_void_p), ('threshold', c_double), ('pixel_size', c_double),
                ('no_interpolate', c_int32), ('reserved', c_uint32 * 7)]


class RandomizeOpts(ctypes.Structure):
    _fields_ = [('first_batch', c_int64), ('start', c_double), ('stop', c_double), ('from_', c_int32), ('to', c_int32),
                ('no_endpoint', c_int32), ('reserved', c_uint32 * 5)]


class TwoOpts(ctypes.Structure):
    """Of two numbers and a tail, or of one whose tail begins earlier."""
    _fields_ = [('first', c_int32), ('second', c_int32), ('reserved', c_uint32 * 6)]


class RangeOpts(ctypes.Structure):
    _fields_ = [('start', c_double), ('stop', c_double), ('from_', c_int32), ('to', c_int32), ('no_endpoint', c_int32),
                ('reserved', c_uint32 * 5)]


class ThreeOpts(ctypes.Structure):
    _fields_ = [('mode', c_int32), ('centred', c_int32), ('third', c_int32), ('reserved', c_uint32 * 5)]


class ScoreOpts(ctypes.Structure):
    _fields_ = [('weights', c_void_p), ('centre', c_int32), ('normalize', c_int32), ('reserved', c_uint32 * 6)]


class PeakOpts(ctypes.Structure):
    _fields_ = [('max_lag', c_void_p), ('radius', c_void_p), ('fit', c_int32), ('centred', c_int32),
                ('reserved', c_uint32 * 6)]


# ---- References ----


def shells_of(shape):
    sizes = [n for n in shape[1:] if n > 1]
    m = min(sizes) if sizes else 1
    return m, m // 2 + 1


def components(shape, layout, steps=None):
    """Frequency vectors times m, broadcast, one array an axis; or over the widest of the steps."""
    m, _ = shells_of(shape)
    if steps is None:
        return [cycles(shape, layout, k) * m / shape[k] for k in (1, 2, 3)]
    widest = max((step for step, n in zip(steps, shape[1:]) if n > 1), default=1)
    return [cycles(shape, layout, k) * (steps[k - 1] / widest) for k in (1, 2, 3)]


def steps_of(shape, start, stop, no_endpoint):
    """Of frequencies along each axis: from start, or 0, to stop, or the highest, in n // 2 steps or one more."""
    if not start and not stop and not no_endpoint:
        return None
    return [((stop or (n // 2) / n) - (start if k == 2 else 0)) / (n // 2 + no_endpoint) if n > 1 else 0
            for k, n in enumerate(shape[1:])]


def multiplicity(shape, layout):
    k = cycles(shape, layout, 3)
    return np.where((k != 0) & (2 * k != shape[3]), 2.0, 1.0) if is_half(layout) else np.ones_like(k, float)


def shell_sums(values, shape, layout, nearest, inside=None, steps=None, whole=False):
    """Sums of real values, {b, D, H, W'}, in each shell; whole: the last shell is as wide as the others."""
    m, shells = shells_of(shape)
    square = sum(c**2 for c in components(shape, layout, steps))
    rho = np.sqrt(square) + np.zeros(values.shape[1:])[None]
    if whole:
        return whole_shell_sums(values, rho, multiplicity(shape, layout) + np.zeros_like(rho), nearest, shells)
    weight = multiplicity(shape, layout) * (square <= m * m / 4) + np.zeros_like(rho)
    if inside is not None:
        weight = weight * inside
    out = np.zeros((values.shape[0], shells))
    low = np.minimum(np.floor(rho + 0.5) if nearest else np.floor(rho), shells - 1).astype(int)
    part = np.zeros_like(rho) if nearest else rho - np.floor(rho)
    high = np.minimum(low + 1, shells - 1)
    for b in range(values.shape[0]):
        keep = weight[0] > 0
        v = np.where(keep, values[b], 0) * weight[0]
        np.add.at(out[b], low[0], v * (1 - part[0]))
        np.add.at(out[b], high[0], v * part[0])
    return out


def whole_shell_sums(values, rho, weight, nearest, shells):
    """Each coefficient to the shells it lies between; what falls beyond the last one is dropped."""
    out = np.zeros((values.shape[0], shells))
    for k in range(shells):
        near = np.floor(rho[0] + 0.5) == k if nearest else np.maximum(1 - np.abs(rho[0] - k), 0)
        out[:, k] = (values * (weight[0] * near)[None]).sum(axis=(1, 2, 3))
    return out


def correlation(both, lhs, rhs):
    root = np.sqrt(lhs) * np.sqrt(rhs)
    return np.where(root == 0, 0, both / np.where(root == 0, 1, root))


def lags(n, centred):
    i = np.arange(n)
    return i - n // 2 if centred else np.where(i < (n + 1) // 2, i, i - n)


class Tests(fft_layout.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        self.alive = []
        shape, array = tess.ShapeValue, c_void_p
        for name, arguments in (('fsc', [array] * 3 + [shape, array]), ('fsc_resolution', [array] * 2 + [shape, array]),
                                ('fsc_corrected', [array] * 3 + [shape, c_double, array]),
                                ('phase_randomize', [array] * 2 + [shape, c_double, c_uint64, array]),
                                ('radial_power', [array] * 2 + [shape, array]), ('whiten', [array] * 2 + [shape, array]),
                                ('correlate_score', [array] * 4), ('correlate_map', [array] * 3 + [shape, array]),
                                ('correlate', [array] * 4), ('correlate_peak', [array] * 4),
                                ('match_template', [array] * 5)):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, arguments

    def given(self, values, dtype):
        """A reference to values in memory that lives until some more are given."""
        self.alive = [*self.alive[-8:], self.place_with(values, dtype)]
        return self.alive[-1].ref()

    def spectrum(self, shape, layout, dtype, b=None):
        sizes = spectrum_shape(shape, layout)
        sizes = sizes if b is None else (b, *sizes[1:])
        return self.values_for(dtype, sizes) * (1 + 3 * self.rng.random())

    # ---- Shells ----

    def check_fsc(self, dtype, layout):
        shape, nearest = self.random_shape(), self.rng.randint(0, 1)
        one = self.rng.choice((None, None, 0, 1))
        lhs = self.spectrum(shape, layout, dtype, 1 if one == 0 else None).astype(dtype.numpy)
        rhs = self.spectrum(shape, layout, dtype, 1 if one == 1 else None).astype(dtype.numpy)
        cones = self.rng.choice((0, 0, 1, 3))
        aperture = self.rng.uniform(0.2, 1.5)
        axes = self.generator.normal(size=(max(cones, 1), 3))
        unit = axes / np.linalg.norm(axes, axis=1)[:, None]
        vector = components(shape, layout)
        length = np.sqrt(sum(c**2 for c in vector))
        l, r = lhs.astype(complex), rhs.astype(complex)
        both, l2, r2 = (l * np.conj(r)).real, np.abs(l)**2 + 0 * np.abs(r), np.abs(r)**2 + 0 * np.abs(l)
        want = np.empty((shape[0], 1, max(cones, 1), shells_of(shape)[1]))
        for k in range(max(cones, 1)):
            dots = np.abs(sum(unit[k, i] * vector[i] for i in range(3)))
            if np.any(np.abs(dots - np.cos(aperture) * length)[length > 0] < 1e-9 * 100) and cones:
                return  # too near to say
            inside = dots >= np.cos(aperture) * length if cones else None
            sums = [shell_sums(x, shape, layout, nearest, inside) for x in (both, l2, r2)]
            want[:, 0, k] = correlation(*sums)
        result = self.rng.choice((F64, F64, F32))
        out, a, b = self.place(want.shape, result), self.place_with(lhs, dtype), self.place_with(rhs, dtype)
        directions = self.place_with(axes.reshape(1, 1, -1, 3), F64)
        opts = FscOpts(ctypes.addressof(directions.array) if cones else None, None, aperture, layout, nearest)
        what = ('fsc', dtype, shape, LAYOUTS[layout], 'nearest' if nearest else 'split', cones)
        self.threads()
        if self.succeeds(self.lib.tess_fsc(out.ref(), a.ref(), b.ref(), tess.shape_value(shape), byref(opts)), *what):
            self.written_near(out, want, 1e-11 if result is F64 else 1e-7, *what)

    def check_identities(self):
        """FSC(a, a) = 1, FSC(a, -3 a) = -1, symmetric; the same in all layouts."""
        shape = self.random_shape()
        x, y = self.generator.normal(size=shape), self.generator.normal(size=shape)
        full = [np.fft.fftn(v, axes=(1, 2, 3)) for v in (x, y)]
        curves = {}
        for layout in LAYOUTS:
            a, b = (fft_layout.remapped(v, shape, F, layout) for v in full)
            for name, l, r in (('self', a, a), ('opposite', a, -3 * a), ('pair', a, b), ('swapped', b, a)):
                out = self.place((shape[0], 1, 1, shells_of(shape)[1]), F64)
                self.succeeds(self.lib.tess_fsc(out.ref(), self.given(l, C64), self.given(r, C64),
                                                tess.shape_value(shape), byref(FscOpts(layout=layout))), 'fsc', shape)
                curves[name, layout] = out.view.copy()
            self.expect(bool(np.all(np.abs(curves['self', layout] - 1) < 1e-14)), 'fsc of itself', shape)
            self.expect(bool(np.all(np.abs(curves['opposite', layout] + 1) < 1e-14)), 'fsc of opposites', shape)
            self.expect(bool(np.all(np.abs(curves['swapped', layout] - curves['pair', layout]) < 1e-13)), 'swapped', shape)
            self.expect(bool(np.all(np.abs(curves['pair', layout] - curves['pair', H]) < 1e-9)), 'layouts', shape,
                        LAYOUTS[layout])

    def check_power(self, dtype, layout):
        shape = self.random_shape()
        nearest = self.rng.randint(0, 1)
        values = self.spectrum(shape, layout, dtype).astype(dtype.numpy)
        power = np.abs(values.astype(complex))**2
        sums, counts = (shell_sums(x, shape, layout, nearest, whole=True) for x in (power, np.ones_like(power)))
        want = np.where(counts == 0, 0, sums / np.where(counts == 0, 1, counts))[:, None, None]
        out, source = self.place(want.shape, F64), self.place_with(values, dtype)
        what = ('radial power', dtype, shape, LAYOUTS[layout])
        opts = TwoOpts(layout, nearest)
        self.threads()
        if self.succeeds(self.lib.tess_radial_power(out.ref(), source.ref(), tess.shape_value(shape), byref(opts)), *what):
            self.written_near(out, want, 1e-12 * np.max(power), *what)

    def random_range(self, shape, layout, to):
        """Start, stop and no_endpoint; a start for half spectra of signals alone."""
        if self.rng.random() < 0.4:
            return 0, 0, 0
        signal = max(shape[1:3]) == 1 and shape[3] > 1 and is_half(layout) and is_half(to)
        return self.rng.choice((0, 0.05, 0.2)) if signal else 0, self.rng.choice((0, 0.4, 0.5, 1)), self.rng.randint(0, 1)

    def check_whiten(self, dtype, layout):
        shape = self.random_shape()
        values = self.spectrum(shape, layout, dtype).astype(dtype.numpy)
        power = np.abs(values.astype(complex))**2
        in_place = self.rng.random() < 0.3
        to = 0 if in_place else self.rng.choice((0, H, HC, F, FC))
        start, stop, no_endpoint = self.random_range(shape, layout, to or layout)
        steps = steps_of(shape, start, stop, no_endpoint)
        sums, counts = (shell_sums(x, shape, layout, 0, None, steps, True) for x in (power, np.ones_like(power)))
        means = np.where(counts == 0, 0, sums / np.where(counts == 0, 1, counts))
        m, shells = shells_of(shape)
        rho = np.sqrt(sum(c**2 for c in components(shape, layout, steps)))[0]
        want = np.empty(values.shape, complex)
        for b in range(shape[0]):
            mean = np.interp(rho, np.arange(shells), means[b])
            want[b] = np.where(mean > 0, values[b] / np.sqrt(np.where(mean > 0, mean, 1)), 0)
        source = self.place_with(values, dtype)
        want = fft_layout.remapped(want, shape, layout, to or layout)
        power = not in_place and self.rng.random() < 0.2
        want = np.abs(want)**2 if power else want
        out = source if in_place else self.place(want.shape, tess.BY_NAME[dtype.real] if power else dtype)
        what = ('whiten', dtype, shape, LAYOUTS[layout], LAYOUTS[to or layout], 'power' if power else '', start, stop,
                no_endpoint)
        self.threads()
        if self.succeeds(self.lib.tess_whiten(out.ref(), source.ref(), tess.shape_value(shape),
                                              byref(RangeOpts(start, stop, layout, to, no_endpoint))), *what):
            self.written_near(out, want, 4 * UNIT[dtype.name] * np.max(np.abs(want)) + 1e-11, *what)

    def check_randomize(self, dtype, layout):
        """Magnitudes stay, so does what is below the frequency; the result is of a real array; phases are even."""
        shape = self.random_shape()
        limit = self.rng.choice((0.1, 0.25, 0.4))
        x = self.generator.normal(size=shape)
        values = fft_layout.remapped(np.fft.fftn(x, axes=(1, 2, 3)), shape, F, layout).astype(dtype.numpy)
        to = self.rng.choice((H, HC, F, FC))
        first = self.rng.choice((0, 3, 2**40))
        opts = RandomizeOpts(first, 0, 0, layout, to)
        source, values = self.place_with(values, dtype), fft_layout.remapped(values, shape, layout, to)
        out = self.place(values.shape, dtype)
        what = ('phase randomize', dtype, shape, LAYOUTS[layout], LAYOUTS[to])
        layout = to
        seed = self.rng.getrandbits(64)
        if not self.succeeds(self.lib.tess_phase_randomize(out.ref(), source.ref(), tess.shape_value(shape), limit, seed,
                                                           byref(opts)), *what):
            return
        got = out.view.copy()
        above = np.sqrt(sum((cycles(shape, layout, k) / shape[k])**2 for k in (1, 2, 3))) > limit
        above = above & np.ones(values.shape, bool)
        slack = 8 * UNIT[dtype.name] * np.max(np.abs(values))
        self.expect(bool(np.all(got[~above] == values[~above])), *what, 'changed below the frequency')
        self.expect(bool(np.all(np.abs(np.abs(got) - np.abs(values)) <= slack)), *what, 'changed magnitudes')
        full = fft_layout.remapped(got, shape, layout, F).astype(complex)
        image = np.fft.ifftn(full, axes=(1, 2, 3))
        self.expect(bool(np.max(np.abs(image.imag)) <= slack), *what, 'is not of a real array')
        other = self.place(values.shape, dtype)
        self.lib.tess_phase_randomize(other.ref(), source.ref(), tess.shape_value(shape), limit, seed + 1 & 2**64 - 1,
                                      byref(opts))
        self.expect(np.sum(above) < 12 or np.prod(shape) < 100 or not np.array_equal(other.view, got), *what, 'another seed, the same phases')
        last = shape[0] - 1
        one = self.place((1, *values.shape[1:]), dtype)
        self.lib.tess_phase_randomize(one.ref(), self.given(values[last:], dtype), tess.shape_value((1, *shape[1:])), limit,
                                      seed, byref(RandomizeOpts(first + last, 0, 0, layout, layout)))
        self.expect(np.array_equal(one.view, got[last:]), *what, 'the last batch differs from that of the whole')

    def check_even_phases(self, dtype):
        shape = (1, 1, 200, 201)
        values = np.ones(spectrum_shape(shape, H), complex)
        out = self.place(values.shape, dtype)
        self.succeeds(self.lib.tess_phase_randomize(out.ref(), self.given(values, dtype), tess.shape_value(shape),
                                                    0.0, 7, None), 'even phases')
        angles = np.sort(np.angle(out.view[..., 1:].ravel()))
        even = np.linspace(-np.pi, np.pi, angles.size)
        self.expect(bool(np.max(np.abs(angles - even)) < 0.05), 'phases are not even', np.max(np.abs(angles - even)))
        z = out.view[0, 0, :, 1:]
        for lag in ((0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (4, 3), (64, 0), (0, 64)):
            other = np.roll(z, lag, (0, 1))
            self.expect(abs(np.mean(z * np.conj(other))) < 0.03, 'neighbours are alike', lag)
            self.expect(abs(np.mean(z * other)) < 0.03, 'neighbours are opposite', lag)
        again = self.place(values.shape, dtype)
        for seed, first in ((8, 0), (7, 1), (2**40 + 7, 0)):
            opts = RandomizeOpts(first, 0, 0, H, H)
            self.lib.tess_phase_randomize(again.ref(), self.given(values, dtype), tess.shape_value(shape), 0.0, seed,
                                          byref(opts))
            self.expect(abs(np.mean(z * np.conj(again.view[0, 0, :, 1:]))) < 0.03, 'seeds and batches are alike', seed, first)

    def check_theory(self, snr):
        """The same signal and independent noise: SNR / (1 + SNR), beside its deviation."""
        shape = (4, 32, 32, 32)
        signal = self.generator.normal(size=shape) * np.sqrt(snr)
        maps = [signal + self.generator.normal(size=shape) for _ in range(2)]
        spectra = [np.fft.rfftn(m, axes=(1, 2, 3)) for m in maps]
        out = self.place((4, 1, 1, 17), F64)
        counts = self.place((1, 1, 1, 17), F64)
        opts = FscOpts(None, ctypes.addressof(counts.array), 0, H, 0)
        self.succeeds(self.lib.tess_fsc(out.ref(), self.given(spectra[0], C64),
                                        self.given(spectra[1], C64), tess.shape_value(shape), byref(opts)),
                      'theory')
        want = snr / (1 + snr)
        sigma = (1 - want**2) / np.sqrt(counts.view[0, 0, 0] / 2 * 4)  # of pairs, four maps together
        off = np.abs(np.mean(out.view[:, 0, 0], axis=0) - want)[3:] / sigma[3:]
        self.expect(bool(np.max(off) < 4.5), 'theory', snr, np.max(off))

    def check_resolution(self):
        shape = self.random_shape(4)
        m, shells = shells_of(shape)
        cones = self.rng.choice((1, 3))
        curve = np.clip(1.1 - self.generator.uniform(0, 2 / max(shells, 2), (shape[0], 1, cones, shells)).cumsum(axis=3),
                        -1, 1)
        counts = self.generator.uniform(1, 500, (1, 1, cones, shells))
        half_bit, pixel, whole = self.rng.randint(0, 1), self.rng.choice((0, 1.4)), self.rng.randint(0, 1)
        threshold = self.rng.choice((0.143, 0.5))
        root = np.sqrt(counts)
        limit = (0.2071 + 1.9102 / root) / (1.2071 + 0.9102 / root) if half_bit else threshold
        over = curve - limit
        want = np.empty((shape[0], 1, cones, 1))
        for b in range(shape[0]):
            for c in range(cones):
                y = over[b, 0, c]
                below = np.flatnonzero(y < 0)
                at = shells - 1.0
                if below.size:
                    s = below[0]
                    at = 0.0 if s == 0 else s - 1 if whole else s - 1 + y[s - 1] / (y[s - 1] - y[s])
                want[b, 0, c] = (pixel / (at / m) if at else np.inf) if pixel else at / m
        out, source, given = self.place(want.shape, F64), self.place_with(curve, F64), self.place_with(counts, F64)
        opts = ResolutionOpts(ctypes.addressof(given.array) if half_bit else None, threshold, pixel, whole)
        what = ('resolution', shape, half_bit, pixel, whole)
        if self.succeeds(self.lib.tess_fsc_resolution(out.ref(), source.ref(), tess.shape_value(shape), byref(opts)), *what):
            got = out.view.copy()
            same = np.where(np.isinf(want), got == want, np.abs(got - want) <= 1e-12 * np.maximum(1, want))
            self.expect(bool(np.all(same)), *what, got.ravel(), want.ravel())

    def check_corrected(self):
        shape = self.random_shape(4)
        m, shells = shells_of(shape)
        masked, randomized = (self.generator.uniform(-0.2, 1, (shape[0], 1, 2, shells)) for _ in range(2))
        frequency, margin = self.rng.choice((0.1, 0.2, 0.3)), self.rng.choice((-1, 0, 1, 3))
        last = frequency * m + {-1: 0, 0: 2}.get(margin, margin)
        want = np.where(np.arange(shells) > last, (masked - randomized) / (1 - randomized), masked)
        out = self.place(want.shape, F64)
        if self.succeeds(self.lib.tess_fsc_corrected(out.ref(), self.given(masked, F64),
                                                     self.given(randomized, F64), tess.shape_value(shape),
                                                     frequency, byref(TwoOpts(margin))), 'corrected'):
            self.written_near(out, want, 1e-12 * np.max(np.abs(want)), 'corrected', shape, frequency, margin)

    def shells(self, rounds):
        for _ in range(rounds):
            for layout in LAYOUTS:
                for dtype in (C32, C64):
                    for _ in range(4):
                        self.check_fsc(dtype, layout)
                    self.check_power(dtype, layout)
                    self.check_whiten(dtype, layout)
                    self.check_randomize(dtype, layout)
            self.check_identities()
            self.check_resolution()
            self.check_corrected()
        for snr in (1, 1 / 6, 3):
            self.check_theory(snr)
        for dtype in (C32, C64):
            self.check_even_phases(dtype)

    # ---- Correlation ----

    def check_score(self, dtype):
        shape = self.random_shape()
        one = self.rng.choice((None, 0, 1))
        x, y = (self.values_for(dtype, (1 if one == k else shape[0], *shape[1:])) for k in range(2))
        x = x + self.rng.choice((0, 100)) if dtype.kind != 'bool' else x
        x = x.astype(dtype.numpy)
        weights = self.rng.choice((None, 'all', 'image'))
        centre, normalize = self.rng.randint(0, 1), self.rng.randint(0, 1)
        w = np.ones((1, *shape[1:])) if not weights else self.generator.integers(
            0, 3, shape if weights == 'all' else (1, *shape[1:])).astype(float)
        kind = complex if dtype.kind == 'complex' else float
        a, b, c = np.broadcast_arrays(x.astype(kind), y.astype(kind), w.astype(float))
        space = (1, 2, 3)
        n = np.sum(c, axis=space, keepdims=True)
        if centre:
            a = a - np.where(n == 0, 0, np.sum(c * a, axis=space, keepdims=True) / np.where(n == 0, 1, n))
            b = b - np.where(n == 0, 0, np.sum(c * b, axis=space, keepdims=True) / np.where(n == 0, 1, n))
        want = np.sum(c * a * np.conj(b), axis=space, keepdims=True)
        norm = np.sqrt(np.sum(c * np.abs(a)**2, axis=space, keepdims=True)
                       * np.sum(c * np.abs(b)**2, axis=space, keepdims=True))
        if normalize:
            if np.any(norm < 1e-9) and centre:
                return  # roundings alone
            want = np.where(norm == 0, 0, want / np.where(norm == 0, 1, norm))
        result = C64 if dtype.kind == 'complex' else F64
        out = self.place(want.shape, result)
        given = self.place_with(w, F64)
        opts = ScoreOpts(ctypes.addressof(given.array) if weights else None, centre, normalize)
        what = ('score', dtype, shape, weights, centre, normalize)
        self.threads()
        if self.succeeds(self.lib.tess_correlate_score(out.ref(), self.given(x, dtype),
                                                       self.given(y, dtype), byref(opts)), *what):
            self.written_near(out, want, 1e-10 * (1 if normalize else np.max(norm) + 1), *what)

    def reference_map(self, l, r, shape, mode, centred):
        p = l * np.conj(r)
        size = np.abs(p)
        safe = np.where(size == 0, 1, size)
        p = {CONVENTIONAL: p, PHASE: p / safe, DOUBLE_PHASE: p * p / safe, MUTUAL: p / np.sqrt(safe)}[mode]
        out = np.fft.irfftn(p, shape[1:], axes=(1, 2, 3))
        return np.fft.fftshift(out, axes=(1, 2, 3)) if centred else out

    def check_map(self, dtype, mode):
        shape = self.random_shape()
        one = self.rng.choice((None, 0, 1))
        x, y = (self.generator.normal(size=(1 if one == k else shape[0], *shape[1:])) for k in range(2))
        l, r = (np.fft.rfftn(v, axes=(1, 2, 3)).astype(dtype.numpy) for v in (x, y))
        centred, norm = self.rng.randint(0, 1), self.rng.choice((0, BACKWARD, FORWARD, ORTHO))
        n = np.prod(shape[1:])
        times = {FORWARD: n, ORTHO: np.sqrt(n)}.get(norm, 1)
        want = self.reference_map(l.astype(complex), r.astype(complex), shape, mode, centred) * times
        real = F64 if dtype is C64 else F32
        out, a, b = self.place(want.shape, real), self.place_with(l, dtype), self.place_with(r, dtype)
        what = ('map', dtype, shape, mode, 'centred' if centred else 'plain')
        opts = ThreeOpts(mode, centred, norm)
        self.threads()
        if self.succeeds(self.lib.tess_correlate_map(out.ref(), a.ref(), b.ref(), tess.shape_value(shape), byref(opts)),
                         *what):
            slack = 40 * UNIT[dtype.name] * (np.max(np.abs(l)) * np.max(np.abs(r)) + 1) * times
            self.written_near(out, want, slack, *what)
            self.expect(a.holds(l, any_nan=False) and b.holds(r, any_nan=False), *what, 'changes its inputs')

    def check_correlate(self, name):
        dtype = tess.BY_NAME[name]
        shape = self.random_shape()
        x, y = (self.values_for(dtype, shape) for _ in range(2))
        centred, pad = self.rng.randint(0, 1), self.rng.randint(0, 1)
        mode = CONVENTIONAL if pad or dtype.kind == 'int' else self.rng.choice((CONVENTIONAL, PHASE, DOUBLE_PHASE, MUTUAL))
        fx, fy = x.astype(float), y.astype(float)
        if pad:
            wide = [2 * n for n in shape[1:]]
            full = np.fft.irfftn(np.fft.rfftn(fx, wide, axes=(1, 2, 3)) * np.conj(np.fft.rfftn(fy, wide, axes=(1, 2, 3))),
                                 wide, axes=(1, 2, 3))
            pick = [lags(n, centred) % (2 * n) for n in shape[1:]]
            want = full[np.ix_(range(shape[0]), *pick)]
        else:
            want = self.reference_map(np.fft.rfftn(fx, axes=(1, 2, 3)), np.fft.rfftn(fy, axes=(1, 2, 3)), shape,
                                      mode, centred)
        real = F64 if name in ('f64', 'i32') else F32
        out = self.place(want.shape, real)
        what = ('correlate', dtype, shape, mode, centred, pad)
        opts = ThreeOpts(mode, centred, pad)
        if self.succeeds(self.lib.tess_correlate(out.ref(), self.given(x, dtype), self.given(y, dtype),
                                                 byref(opts)), *what):
            scale = np.sqrt(np.max(np.sum(fx**2, axis=(1, 2, 3))) * np.max(np.sum(fy**2, axis=(1, 2, 3)))) + 1
            self.written_near(out, want, 40 * UNIT[real.name] * scale, *what)

    def peak_of(self, y, centred, maximum, radius, fit):
        """Lags and height of one map, by least squares with a matrix."""
        grids = np.meshgrid(*[lags(n, centred) for n in y.shape], indexing='ij')
        inside = np.ones(y.shape, bool)
        total = np.zeros(y.shape)
        for g, limit in zip(grids, maximum):
            if limit == 0:
                inside &= g == 0
            elif limit > 0:
                total += (g / limit)**2
        inside &= total <= 1
        best = np.where(inside & ~np.isnan(y), y, -np.inf)
        at = np.unravel_index(np.argmax(best), y.shape)
        lag = np.array([g[at] for g in grids], float)
        height = y[at]
        spans = [np.arange(-r, r + 1) for r in radius]
        window = y[np.ix_(*[(a + s) % n for a, s, n in zip(at, spans, y.shape)])].astype(float)
        offsets = np.meshgrid(*spans, indexing='ij')
        if fit == MASS:
            mass = window - min(window.min(), 0)
            if mass.sum() > 0:
                lag += [np.sum(mass * o) / mass.sum() for o in offsets]
            return lag, height
        if fit == PARABOLA:
            rise = 0
            for k, r in enumerate(radius):
                if r == 0:
                    continue
                middle = tuple(slice(None) if i == k else radius[i] for i in range(len(radius)))
                a, b, c = np.polyfit(spans[k], window[middle], 2)
                if a < -1e-12 * np.mean(np.abs(window[middle])):
                    x = np.clip(-b / (2 * a), -(r - 0.5), r - 0.5)
                    lag[k] += x
                    rise += c + b * x + a * x * x - height
            return lag, height + rise
        axes = [k for k, r in enumerate(radius) if r > 0]
        if not axes:
            return lag, height
        columns, pairs = [np.ones(window.size)], []
        columns += [offsets[k].ravel() for k in axes]
        for i, p in enumerate(axes):
            for q in axes[i:]:
                pairs.append((p, q))
                columns.append(offsets[p].ravel() * offsets[q].ravel())
        solution = np.linalg.lstsq(np.stack(columns, 1).astype(float), window.ravel(), rcond=None)[0]
        gradient = solution[1:1 + len(axes)]
        hessian = np.zeros((len(axes), len(axes)))
        for (p, q), value in zip(pairs, solution[1 + len(axes):]):
            i, j = axes.index(p), axes.index(q)
            hessian[i, j] += value
            hessian[j, i] += value
        if np.max(np.linalg.eigvalsh(hessian)) > -1e-9:
            return None if np.max(np.linalg.eigvalsh(hessian)) < 1e-9 else (lag, height)
        x = -np.linalg.solve(hessian, gradient)
        x = np.clip(x, [-radius[k] for k in axes], [radius[k] for k in axes])
        for k, value in zip(axes, x):
            lag[k] += value
        return lag, solution[0] + gradient @ x + x @ hessian @ x / 2

    def check_peak(self, dtype, fit):
        rank = self.rng.randint(1, 3)
        space = [self.rng.randint(3, 12) for _ in range(rank)]
        if rank > 1:
            space[0] = max(space[0], 2)
        shape = (self.rng.randint(1, 3), *[1] * (3 - rank), *space)
        y = ndimage.gaussian_filter(self.generator.normal(size=shape), [0, 0, 1, 1], mode='wrap').astype(dtype.numpy)
        centred = self.rng.randint(0, 1)
        maximum = [self.rng.choice((-1, -1, 0, 1.5, 3)) for _ in range(rank)]
        radius = [self.rng.randint(0, 4) for _ in range(rank)]
        limited, sized = self.rng.random() < 0.6, self.rng.random() < 0.7
        answers = [self.peak_of(y[b].reshape(space), centred, maximum if limited else [-1] * rank,
                                radius if sized else [1] * rank, fit) for b in range(shape[0])]
        if any(a is None for a in answers):
            return
        shifts, values = self.place((shape[0], 1, 1, rank), F64), self.place((shape[0], 1, 1, 1), F64)
        lag = self.place_with(np.array(maximum, float).reshape(1, 1, 1, -1), F64)
        size = self.place_with(np.array(radius, np.int32).reshape(1, 1, 1, -1), tess.BY_NAME['i32'])
        opts = PeakOpts(ctypes.addressof(lag.array) if limited else None, ctypes.addressof(size.array) if sized else None,
                        fit, centred)
        what = ('peak', dtype, shape, fit, centred, maximum if limited else None, radius if sized else None)
        self.threads()
        if self.succeeds(self.lib.tess_correlate_peak(shifts.ref(), values.ref(), self.given(y, dtype),
                                                      byref(opts)), *what):
            want = np.array([a[0] for a in answers]).reshape(shape[0], 1, 1, rank)
            heights = np.array([a[1] for a in answers], float).reshape(-1, 1, 1, 1)
            self.written_near(shifts, want, 1e-7, *what)
            self.written_near(values, heights, 1e-7, *what)

    def check_known_shift(self, fit):
        """An image moved by parts of a pixel: found to 0.01 pixels, and it is what moves the second onto the first. A round
        blob by parabolas, one that is inclined by a quadratic function."""
        rank = self.rng.randint(1, 3)
        space = [self.rng.choice((32, 33, 40)) for _ in range(rank)]
        shape = (1, *[1] * (3 - rank), *space)
        mix = np.eye(rank) * 5 + (self.generator.uniform(-1, 1, (rank, rank)) if fit == QUADRATIC else 0)
        position = np.stack(np.meshgrid(*[lags(n, 1) for n in space], indexing='ij'), -1) @ np.linalg.inv(mix)
        spectrum = np.fft.fftn(np.exp(-np.sum(position**2, axis=-1) / 2))
        shift = self.generator.uniform(-5, 5, rank)
        phase = sum(np.meshgrid(*[np.fft.fftfreq(n) * s for n, s in zip(space, shift)], indexing='ij'))
        rhs = np.fft.ifftn(spectrum).real
        lhs = np.fft.ifftn(spectrum * np.exp(-2j * np.pi * phase)).real
        x, y = (self.place_with(v.reshape(shape), F64) for v in (lhs, rhs))
        result, shifts = self.place(shape, F64), self.place((1, 1, 1, rank), F64)
        centred = self.rng.randint(0, 1)
        self.succeeds(self.lib.tess_correlate(result.ref(), x.ref(), y.ref(), byref(ThreeOpts(0, centred, 0))), 'known shift')
        self.succeeds(self.lib.tess_correlate_peak(shifts.ref(), None, result.ref(),
                                                   byref(PeakOpts(fit=fit, centred=centred))), 'known shift')
        off = np.max(np.abs(shifts.view.ravel() - shift))
        self.expect(off < 0.01, 'known shift', shape, shift, fit, 'off by', off)

    def check_template(self, dtype):
        rank = self.rng.randint(1, 3)
        space = [self.rng.randint(6, 14) for _ in range(rank)]
        size = [self.rng.randint(1, n) for n in space]
        lead = [1] * (3 - rank)
        b, one, masks = self.rng.randint(1, 2), self.rng.randint(0, 1), self.rng.randint(0, 1)
        image = (self.generator.normal(5, 2, (b, *lead, *space))).astype(dtype.numpy)
        templ = self.generator.normal(size=(1 if one else b, *lead, *size)).astype(dtype.numpy)
        mask = self.generator.integers(0, 3, (1, *lead, *size)).astype(float) if masks else np.ones((1, *lead, *size))
        periodic = self.rng.randint(0, 1)
        want = np.zeros(image.shape)
        sizes = templ.shape[1:]
        for i in range(b):
            x = image[i].astype(float)
            t, m = templ[0 if one else i].astype(float), mask[0]
            wide = np.pad(x, [(n // 2, n - 1 - n // 2) for n in sizes], **(
                {'mode': 'wrap'} if periodic else {'mode': 'constant', 'constant_values': x.mean()}))
            n = m.sum()
            if n == 0:
                continue
            t = t - (m * t).sum() / n
            norm = (m * t * t).sum()
            for at in np.ndindex(*x.shape):
                part = wide[tuple(slice(a, a + s) for a, s in zip(at, sizes))]
                part = part - (m * part).sum() / n
                local = (m * part * part).sum()
                if local > 1e-9 and norm > 1e-9:
                    want[(i, *at)] = (m * t * part).sum() / np.sqrt(local * norm)
        out = self.place(want.shape, F64)
        given = self.place_with(mask, F64)
        what = ('template', dtype, image.shape, templ.shape, 'masked' if masks else '', periodic)
        self.threads()
        if self.succeeds(self.lib.tess_match_template(out.ref(), self.given(image, dtype),
                                                      self.given(templ, dtype), given.ref() if masks else None,
                                                      byref(TwoOpts(periodic))), *what):
            self.written_near(out, want, 1e-6, *what)

    def correlation(self, rounds):
        for _ in range(rounds):
            for name in ('f32', 'f64', 'c32', 'c64', 'i16', 'u8'):
                self.check_score(tess.BY_NAME[name])
            for dtype in (C32, C64):
                for mode in (CONVENTIONAL, PHASE, DOUBLE_PHASE, MUTUAL):
                    self.check_map(dtype, mode)
            for name in ('f32', 'f64', 'i16', 'i32'):
                self.check_correlate(name)
            for dtype in (F32, F64):
                for fit in (PARABOLA, QUADRATIC, MASS):
                    for _ in range(3):
                        self.check_peak(dtype, fit)
                self.check_template(dtype)
            self.check_known_shift(PARABOLA)
            self.check_known_shift(QUADRATIC)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (('shells', lambda: tests.shells(tess.rounds(12))),
                                    ('correlation', lambda: tests.correlation(tess.rounds(40)))))


if __name__ == '__main__':
    sys.exit(main())
