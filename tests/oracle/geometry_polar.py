"""Polar transforms, rotational averages and fused spectra compared with NumPy and SciPy: geometry_polar.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Windows are summed here tap by
tap over whole arrays, and by SciPy's map_coordinates where it has the method. The last line counts comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np
from scipy import ndimage

import copies
import fft_layout
import tess
from fft_layout import LAYOUTS, cycles, half_to_full, is_half, spectrum_shape

np.seterr(all='ignore')

C32, C64, F16, F32, F64 = (tess.BY_NAME[name] for name in ('c32', 'c64', 'f16', 'f32', 'f64'))
UNIT = {'f16': 2.0**-10, 'f32': 2.0**-23, 'c32': 2.0**-23, 'f64': 2.0**-52, 'c64': 2.0**-52}
NEAREST, LINEAR, COSINE, CUBIC, BSPLINE, LANCZOS4, LANCZOS6, LANCZOS8 = range(1, 9)
TAPS = {NEAREST: 1, LINEAR: 2, COSINE: 2, CUBIC: 4, BSPLINE: 4, LANCZOS4: 4, LANCZOS6: 6, LANCZOS8: 8}
ZERO, VALUE, CLAMP, PERIODIC, MIRROR, REFLECT, NOTHING = range(1, 8)
SCIPY = {ZERO: 'grid-constant', VALUE: 'grid-constant', CLAMP: 'nearest', PERIODIC: 'grid-wrap', MIRROR: 'reflect',
         REFLECT: 'mirror'}


class PolarOpts(ctypes.Structure):
    _fields_ = [('interp', c_int32), ('border', c_int32), ('value', c_double), ('value_imag', c_double),
                ('shift_h', c_double), ('shift_w', c_double), ('rho_start', c_double), ('rho_stop', c_double),
                ('phi_start', c_double), ('phi_stop', c_double), ('rho_endpoint', c_int32), ('phi_endpoint', c_int32),
                ('log', c_int32), ('unused', c_int32), ('height', c_int64), ('width', c_int64),
                ('reserved', c_uint32 * 4)]


class SpectrumOpts(ctypes.Structure):
    _fields_ = [('stop', c_double), ('rho_start', c_double), ('rho_stop', c_double), ('phi_start', c_double),
                ('phi_stop', c_double), ('interp', c_int32), ('layout', c_int32), ('no_endpoint', c_int32),
                ('rho_no_endpoint', c_int32), ('phi_endpoint', c_int32), ('unused', c_int32), ('height', c_int64),
                ('width', c_int64), ('reserved', c_uint32 * 4)]


class AverageOpts(ctypes.Structure):
    _fields_ = [('ctfs', c_void_p), ('weights', c_void_p), ('start', c_double), ('stop', c_double),
                ('out_start', c_double), ('out_stop', c_double), ('metric', c_double * 6), ('shells', c_int64),
                ('layout', c_int32), ('no_endpoint', c_int32), ('out_no_endpoint', c_int32), ('sum', c_int32),
                ('add', c_int32), ('power', c_int32), ('nearest', c_int32), ('reserved', c_uint32 * 5)]


class FuseOpts(ctypes.Structure):
    _fields_ = [('weights', c_void_p), ('start', c_double), ('stop', c_double), ('out_start', c_double),
                ('out_stop', c_double), ('width', c_int64), ('no_endpoint', c_int32), ('out_no_endpoint', c_int32),
                ('sum', c_int32), ('add', c_int32), ('reserved', c_uint32 * 4)]


class PhaseOpts(ctypes.Structure):
    _fields_ = [('start', c_double), ('stop', c_double), ('out_start', c_double), ('out_stop', c_double),
                ('width', c_int64), ('no_endpoint', c_int32), ('out_no_endpoint', c_int32), ('interp', c_int32),
                ('unused', c_int32), ('reserved', c_uint32 * 4)]


# ---- References ----


def weights(method, t):
    """Of the taps around t, along a new last axis."""
    if method == NEAREST:
        return np.ones((*t.shape, 1))
    if method in (LINEAR, COSINE):
        s = t if method == LINEAR else (1 - np.cos(np.pi * t)) / 2
        return np.stack((1 - s, s), -1)
    distance = np.abs(np.arange(TAPS[method]) - (TAPS[method] // 2 - 1) - t[..., None])
    if method == CUBIC:
        near, far = 1.5 * distance**3 - 2.5 * distance**2 + 1, -0.5 * distance**3 + 2.5 * distance**2 - 4 * distance + 2
        return np.where(distance <= 1, near, np.where(distance < 2, far, 0))
    if method == BSPLINE:
        return np.where(distance < 1, 2 / 3 - distance**2 + distance**3 / 2, np.maximum(2 - distance, 0)**3 / 6)
    w = np.sinc(distance) * np.sinc(distance / (TAPS[method] // 2))
    return w / w.sum(-1, keepdims=True)


def window(method, c):
    """First taps and weights of coordinates."""
    below = np.floor(c)
    if method == NEAREST:
        return np.floor(c + 0.5).astype(int), weights(method, c - below)
    return below.astype(int) - (TAPS[method] // 2 - 1), weights(method, c - below)


def border_index(border, i, n):
    """Indices that stand for i, -1: none."""
    if border == CLAMP:
        return np.clip(i, 0, n - 1)
    if border == PERIODIC:
        return i % n
    if border == MIRROR:
        return np.minimum(i % (2 * n), 2 * n - 1 - i % (2 * n))
    if border == REFLECT:
        return np.zeros_like(i) if n == 1 else np.minimum(i % (2 * n - 2), 2 * n - 2 - i % (2 * n - 2))
    return np.where((i >= 0) & (i < n), i, -1)


def sampled(method, y, x, tap):
    """Sum of weights times tap(i, j)."""
    (i, wy), (j, wx) = window(method, y), window(method, x)
    total = 0
    for a in range(wy.shape[-1]):
        for b in range(wx.shape[-1]):
            total = total + wy[..., a] * wx[..., b] * tap(i + a, j + b)
    return total


def image_taps(image, borders, value):
    def tap(i, j):
        i, j = (border_index(b, k, n) for b, k, n in zip(borders, (i, j), image.shape))
        return np.where((i >= 0) & (j >= 0), image[i, j], value)
    return tap


def spectrum_taps(full):
    """Of a full spectrum, zero first: what is beyond n / 2 is 0."""
    h, w = full.shape

    def tap(i, j):
        return np.where((2 * np.abs(i) <= h) & (2 * np.abs(j) <= w), full[i % h, j % w], 0)
    return tap


def samples(start, stop, n, endpoint):
    steps = max(n - 1 if endpoint else n, 1)
    return start + np.arange(n) * ((stop - start) / steps), (stop - start) / steps


def default_stop(shape, centre):
    return min(min(c + 1, n - c) for c, n in zip(centre, shape))


def wavelength(kilovolts):
    h, c, m, e = 6.62607015e-34, 299792458.0, 9.1093837015e-31, 1.602176634e-19
    energy = 1000 * e * kilovolts
    return 1e10 * h * c / np.sqrt(energy * (2 * m * c * c + energy))


def parabola(ctf):
    """quartic, defocus and offset of the phase of an isotropic CTF in r^2, radians."""
    length = wavelength(ctf[5])
    offset = ctf[8] + np.arctan(ctf[6] / np.sqrt(1 - ctf[6]**2))
    return np.pi / 2 * 1e7 * ctf[7] * length**3, -np.pi * 1e4 * length * ctf[2], offset


def solve(q, d, phase, slope):
    """x of q x^2 + d x = phase whose slope has this sign."""
    if q == 0:
        return phase / d
    root = np.sqrt(d * d + 4 * q * phase)
    return (-d + np.copysign(root, slope)) / (2 * q)


def same_phase(source, target, f):
    (q1, d1, o1), (q2, d2, o2) = parabola(source), parabola(target)
    x = (f / source[0])**2
    return np.sqrt(solve(q2, d2, q1 * x * x + d1 * x + o2 - o1, 2 * q1 * x + d1)) * target[0]


def isotropic(ctf, fh, fw):
    y, x = fh / ctf[0], fw / (ctf[1] or ctf[0])
    r2, angle = y * y + x * x, np.arctan2(y, x)
    c = 1e7 * ctf[7] * wavelength(ctf[5])**2
    e = c + 1e7 * ctf[11] * wavelength(ctf[5])**2 * np.cos(4 * (angle - ctf[12]))
    m, d = -1e4 * ctf[2], -1e4 * (ctf[2] + ctf[3] * np.cos(2 * (angle - ctf[4])))
    s = solve(c / 2, m, e / 2 * r2 * r2 + d * r2, e * r2 + d)
    return np.where(r2 == 0, 0, np.sqrt(s) * (ctf[0] + (ctf[1] or ctf[0])) / 2)


def shell_sums(values, weight, f, start, step, n, nearest=False):
    """Values at frequencies f, split linearly between shells, or added to the nearest; and their weights."""
    s = (f - start) / step
    s = np.floor(s + 0.5 + 2.0**-36) if nearest else s
    keep = (s > -1) & (s < n)
    s, values, weight = s[keep], values[keep], weight[keep]
    low = np.floor(s + 2.0**-36).astype(int)
    part = np.where(s - low > 2.0**-36, s - low, 0)
    out, total = np.zeros(n + 3, values.dtype), np.zeros(n + 3)
    for at, share in ((low + 1, (1 - part) * weight), (low + 2, part * weight)):
        np.add.at(out, at, values * share)
        np.add.at(total, at, share)
    return out[1:-2], total[1:-2]


class Tests(fft_layout.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        array, shape = c_void_p, tess.ShapeValue
        for name, arguments in (('cartesian_to_polar', [array] * 3), ('polar_to_cartesian', [array] * 3),
                                ('spectrum_to_polar', [array] * 2 + [shape, array]),
                                ('rotational_average', [array] * 2 + [shape, array]), ('fuse_spectra', [array] * 5),
                                ('phase_spectra', [array] * 5)):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, arguments

    def image_shape(self):
        return (self.rng.randint(1, 3), 1, self.rng.choice((1, 2, 5, 8, 17)), self.rng.choice((1, 3, 6, 9, 20)))

    def options(self, dtype, method):
        border = self.rng.choice((ZERO, VALUE, CLAMP, PERIODIC, MIRROR, REFLECT))
        o = PolarOpts(interp=method, border=border, shift_h=self.rng.uniform(-1, 1), shift_w=self.rng.uniform(-1, 1))
        if border == VALUE:
            o.value, o.value_imag = 2.5, -1.5 if dtype.kind == 'complex' else 0
        if self.rng.random() < 0.6:
            o.rho_start = self.rng.choice((0, 1.25))
            o.rho_stop = o.rho_start + self.rng.uniform(0.5, 12)
        if self.rng.random() < 0.6:
            o.phi_start = self.rng.uniform(-4, 4)
            o.phi_stop = o.phi_start + self.rng.choice((2 * np.pi, -2 * np.pi, 1.7, -3, 5))
        o.rho_endpoint, o.phi_endpoint, o.log = (self.rng.randint(0, 1) for _ in range(3))
        return o

    def ranges(self, o, image, n_phi, n_rho):
        """Angles, radii and centre, with the steps of both."""
        centre = [0 if n == 1 else n // 2 + s for n, s in zip(image, (o.shift_h, o.shift_w))]
        stop = o.rho_stop or default_stop(image, centre)
        phi, phi_step = samples(o.phi_start, o.phi_stop or o.phi_start + 2 * np.pi, n_phi, o.phi_endpoint)
        span = np.log1p(stop - o.rho_start) if o.log else stop - o.rho_start
        rho, rho_step = samples(0, span, n_rho, o.rho_endpoint)
        return phi, phi_step, o.rho_start + (np.expm1(rho) if o.log else rho), rho_step, centre, stop

    def check_to(self, dtype, method):
        shape, o = self.image_shape(), self.options(dtype, method)
        one = self.rng.random() < 0.3
        image = self.values_for(dtype, (1 if one else shape[0], *shape[1:]))
        result = (shape[0], 1, self.rng.choice((1, 4, 9)), self.rng.choice((1, 5, 12)))
        phi, _, rho, _, centre, stop = self.ranges(o, shape[2:], *result[2:])
        if stop <= o.rho_start:
            return
        y, x = (c + np.outer(f(phi), rho) for c, f in zip(centre, (np.sin, np.cos)))
        value = o.value + 1j * o.value_imag
        values = image[:, 0].astype(complex)
        want = np.stack([sampled(method, y, x, image_taps(v, (o.border, o.border), value)) for v in values])[:, None]
        want = want + np.zeros(result)
        source, out = self.place_with(image, dtype), self.place(result, dtype)
        what = ('to polar', dtype, shape, result, method, o.border)
        self.threads()
        if self.succeeds(self.lib.tess_cartesian_to_polar(out.ref(), source.ref(), byref(o)), *what):
            self.written_near(out, want, 600 * UNIT[dtype.name] * (np.max(np.abs(image)) + 3), *what)
        order = {LINEAR: 1, BSPLINE: 3}.get(method)
        if order and dtype.kind == 'float':
            peer = np.stack([ndimage.map_coordinates(v.real, (y, x), order=order, mode=SCIPY[o.border], cval=o.value,
                                                     prefilter=False) for v in values])[:, None] + np.zeros(result)
            self.written_near(out, peer, 600 * UNIT[dtype.name] * (np.max(np.abs(image)) + 3), *what, 'SciPy')

    def check_from(self, dtype, method):
        o = self.options(dtype, method)
        shape = (self.rng.randint(1, 2), 1, self.rng.choice((1, 2, 7, 16)), self.rng.choice((1, 3, 10)))
        image = self.image_shape()[2:]
        polar = self.values_for(dtype, shape)
        _, phi_step, _, rho_step, centre, stop = self.ranges(o, image, *shape[2:])
        if stop <= o.rho_start:
            return
        y, x = np.meshgrid(*[np.arange(n) - c for n, c in zip(image, centre)], indexing='ij')
        span = (o.phi_stop or o.phi_start + 2 * np.pi) - o.phi_start
        full = abs(abs(span) - 2 * np.pi) < 1e-6
        phi, middle = np.arctan2(y, x), o.phi_start + span / 2
        turns = (middle - phi) / (2 * np.pi)
        rho = np.hypot(y, x) - o.rho_start
        if o.log and np.any(rho <= -1) and o.border not in (CLAMP, ZERO):
            return  # beyond the logarithm: anything outside
        if not full and np.any(np.abs(turns - np.floor(turns) - 0.5) < 1e-9):
            return
        row = (phi + 2 * np.pi * np.round(turns) - o.phi_start) / phi_step
        column = (np.log1p(np.maximum(rho, -1 + 2.0**-53)) if o.log else rho) / rho_step
        n = max(shape[2] - 1, 1) if full and o.phi_endpoint else shape[2]
        value = o.value + 1j * o.value_imag
        borders = (PERIODIC if full else o.border, o.border)
        if method == NEAREST and np.any(np.abs(row % 1 - 0.5) + 0 * column < 1e-9):
            return
        want = np.stack([sampled(method, row, column, image_taps(v[:n].astype(complex), borders, value))
                         for v in polar[:, 0]])[:, None]
        source, out = self.place_with(polar, dtype), self.place((shape[0], 1, *image), dtype)
        what = ('from polar', dtype, shape, image, method, o.border, full)
        self.threads()
        if self.succeeds(self.lib.tess_polar_to_cartesian(out.ref(), source.ref(), byref(o)), *what):
            slack = 600 * UNIT[dtype.name] * (np.max(np.abs(polar)) + 3)
            self.written_near(out, want, slack + 1e-12 * np.max(np.abs(polar)) * np.max(np.abs(row) + 1), *what)

    def check_spectrum(self, dtype, method, layout):
        shape = self.image_shape()
        image = self.generator.normal(size=shape)
        full = np.fft.fftn(image, axes=(2, 3))
        if dtype.kind == 'float':
            full = np.abs(full)
        stored = full[..., :shape[3] // 2 + 1] if is_half(layout) else full
        stored = np.fft.fftshift(stored, fft_layout.centred_axes(layout))
        o = SpectrumOpts(interp=method, layout=layout, phi_endpoint=self.rng.randint(0, 1),
                         no_endpoint=self.rng.randint(0, 1), rho_no_endpoint=self.rng.randint(0, 1))
        if self.rng.random() < 0.5:
            o.phi_start, o.phi_stop = -2, self.rng.uniform(1, 5)
        if self.rng.random() < 0.5:
            o.stop = self.rng.uniform(0.2, 0.7)
        if self.rng.random() < 0.5:
            o.rho_start, o.rho_stop = 0.05, 0.4
        scale = []
        for n in shape[2:]:
            plain = n <= 1 or (o.stop == 0 and not o.no_endpoint)
            scale.append(n if plain else (n // 2 + o.no_endpoint) / (o.stop or (n // 2) / n))
        highest = max([(n // 2) / s for n, s in zip(shape[2:], scale) if n > 1] or [0.5])
        result = (shape[0], 1, self.rng.choice((1, 5, 8)), self.rng.choice((1, 4, 11)))
        phi, _ = samples(o.phi_start, o.phi_stop or o.phi_start + np.pi, result[2], o.phi_endpoint)
        rho, _ = samples(o.rho_start, o.rho_stop or highest, result[3], not o.rho_no_endpoint)
        y, x = (s * np.outer(f(phi), rho) for s, f in zip(scale, (np.sin, np.cos)))
        tie = np.abs(np.stack([y, x]) % 1 - 0.5)
        if method == NEAREST and np.any(tie < 1e-9):
            return
        want = np.stack([sampled(method, y, x, spectrum_taps(v)) for v in full[:, 0]])[:, None]
        source, out = self.place_with(stored.astype(dtype.numpy), dtype), self.place(result, dtype)
        what = ('spectrum to polar', dtype, shape, result, method, LAYOUTS[layout])
        self.threads()
        if self.succeeds(self.lib.tess_spectrum_to_polar(out.ref(), source.ref(), tess.shape_value(shape), byref(o)),
                         *what):
            self.written_near(out, want, 600 * UNIT[dtype.name] * (np.max(np.abs(full)) + 1), *what)

    def transforms(self, rounds):
        for _ in range(rounds):
            for method in range(NEAREST, LANCZOS8 + 1):
                dtype = self.rng.choice((F32, F64, C32, C64))
                self.check_to(dtype, method)
                self.check_from(dtype, method)
                self.check_spectrum(dtype, method, self.rng.choice(tuple(LAYOUTS)))

    # ---- Averages ----

    def random_ctf(self, cs=None):
        r = self.rng.uniform
        return [r(1, 2), r(1, 2), r(0.8, 2) * self.rng.choice((1, 1, -1)), r(0, 0.1), r(-2, 2), 300, r(0, 0.2),
                self.rng.choice((0, 2.7)) if cs is None else cs, r(0, 1), 0, self.rng.choice((0, r(0.5, 2))), self.rng.choice((0, r(-0.3, 0.3))), r(-1, 1)]

    def check_average(self, dtype, layout):
        shape = self.random_shape()
        o = AverageOpts(layout=layout, no_endpoint=self.rng.randint(0, 1), out_no_endpoint=self.rng.randint(0, 1),
                        sum=self.rng.randint(0, 1))
        values = self.values_for(dtype, spectrum_shape(shape, layout))
        signal = shape[1] == shape[2] == 1 and is_half(layout)
        if self.rng.random() < 0.4:
            o.stop = self.rng.uniform(0.2, 0.6)
            o.start = 0.1 if signal and self.rng.random() < 0.5 else 0
        f, highest = [], 0
        for k in (1, 2, 3):
            n, c = shape[k], cycles(shape, layout, k)
            if n <= 1 or (o.start == 0 and o.stop == 0 and not o.no_endpoint):
                f.append(c / n)
                highest = max(highest, (n // 2) / n) if n > 1 else highest
            else:
                start = o.start if k == 3 else 0
                step = ((o.stop or (n // 2) / n) - start) / (n // 2 + o.no_endpoint)
                f.append(start + c * step)
                highest = max(highest, start + (n // 2) * step)
        if self.rng.random() < 0.4:
            o.out_start, o.out_stop = 0.07, self.rng.uniform(0.2, 0.6)
        n = self.rng.choice((1, 2, 7, 20))
        _, step = samples(o.out_start, o.out_stop or highest or 0.5, n, not o.out_no_endpoint)
        astigmatic = shape[1] == 1 and self.rng.random() < 0.4
        ctfs = [self.random_ctf() for _ in range(self.rng.choice((1, shape[0])))]
        grid = np.broadcast_arrays(*f)
        o.nearest = not astigmatic and self.rng.random() < 0.3
        axes = np.eye(3)
        if not astigmatic and self.rng.random() < 0.4:
            skew = self.rng.choice((0, 0.4))
            axes = np.array([[self.rng.uniform(0.6, 1.6) * (i == k) + self.rng.uniform(-skew, skew) for k in range(3)]
                             for i in range(3)])
            o.metric[:] = [axes[i] @ axes[k] for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        lengths = np.sqrt(((np.stack(grid, -1) @ axes)**2).sum(-1))
        count = np.where((cycles(shape, layout, 3) != 0) & (2 * cycles(shape, layout, 3) != shape[3]), 2.0, 1.0)
        count = np.broadcast_to(count if is_half(layout) else 1.0, grid[0].shape)
        power = dtype.kind == 'complex' and self.rng.random() < 0.5
        data = values.astype(complex) if dtype.kind == 'complex' else values.astype(float)
        data = np.abs(data)**2 if power else data
        want, total = [], []
        for b in range(shape[0]):
            rho = isotropic(ctfs[b % len(ctfs)], grid[1], grid[2]) if astigmatic else lengths
            sums, weight = shell_sums(data[b].ravel(), count.ravel(), rho.ravel(), o.out_start, step, n, o.nearest)
            want.append(sums if o.sum else np.where(weight == 0, 0, sums / np.where(weight == 0, 1, weight)))
            total.append(weight)
        want, total = (np.array(v).reshape(shape[0], 1, 1, n) for v in (want, total))
        result = dtype if not power else tess.BY_NAME[dtype.real]
        if dtype.kind not in ('float', 'complex'):
            result = F64
        source, out, weights_out = self.place_with(values, dtype), self.place(want.shape, result), self.place(want.shape, F64)
        rows = self.place_with(np.array(ctfs).reshape(len(ctfs), 1, 1, -1), F64)
        o.weights = ctypes.addressof(weights_out.array)
        if astigmatic:
            o.ctfs = ctypes.addressof(rows.array)
        what = ('average', dtype, shape, LAYOUTS[layout], n, 'astigmatic' if astigmatic else '', 'power' if power else '')
        self.threads()
        if self.succeeds(self.lib.tess_rotational_average(out.ref(), source.ref(), tess.shape_value(shape), byref(o)),
                         *what):
            size = np.max(np.abs(data), initial=1)
            small = np.min(np.where(total > 0, total, 1), initial=1)
            self.written_near(weights_out, total, 1e-7 if astigmatic else 1e-9, *what, 'weights')
            if small > 1e-9 or o.sum:
                slack = 8 * UNIT[result.name] * max(1, np.max(np.abs(want), initial=1))
                self.written_near(out, want, slack + (1e-7 if astigmatic else 1e-10) * size / min(small, 1), *what)

    def check_fuse(self, dtype):
        b, h, m, n = self.rng.randint(1, 2), self.rng.randint(1, 4), self.rng.choice((1, 9, 30)), self.rng.choice((1, 12, 40))
        sign = self.rng.choice((1, -1))
        ctfs = np.array([[self.random_ctf() for _ in range(h)] for _ in range(b)])
        target = np.array([self.random_ctf() for _ in range(self.rng.choice((1, b)))])
        ctfs[..., 2], target[..., 2] = sign * np.abs(ctfs[..., 2]), sign * np.abs(target[..., 2])
        values = self.values_for(dtype, (b, 1, h, m))
        o = FuseOpts(no_endpoint=self.rng.randint(0, 1), out_no_endpoint=self.rng.randint(0, 1), sum=self.rng.randint(0, 1))
        if self.rng.random() < 0.5:
            o.start, o.stop, o.out_start, o.out_stop = 0.02, 0.35, 0.04, 0.3
        f, f_step = samples(o.start, o.stop or 0.5, m, not o.no_endpoint)
        g, step = samples(o.out_start or o.start, o.out_stop or o.stop or 0.5, n, not o.out_no_endpoint)
        want, total = [], []
        for i in range(b):
            at = np.array([same_phase(c, target[i % len(target)], f) for c in ctfs[i]])
            scale = np.where(ctfs[i, :, 10] == 0, 1, ctfs[i, :, 10])[:, None] + np.zeros_like(at)
            sums, weight = shell_sums(values[i, 0].astype(complex).ravel(), scale.ravel(), at.ravel(), g[0], step, n)
            want.append(sums if o.sum else np.where(weight == 0, 0, sums / np.where(weight == 0, 1, weight)))
            total.append(weight)
        want, total = (np.array(v).reshape(b, 1, 1, n) for v in (want, total))
        source, out, weights_out = self.place_with(values, dtype), self.place(want.shape, dtype), self.place(want.shape, F64)
        rows = self.place_with(ctfs[:, None], F64)
        goal = self.place_with(target.reshape(len(target), 1, 1, -1), F64)
        o.weights = ctypes.addressof(weights_out.array)
        what = ('fuse', dtype, (b, h, m), n)
        self.threads()
        if self.succeeds(self.lib.tess_fuse_spectra(out.ref(), source.ref(), rows.ref(), goal.ref(), byref(o)), *what):
            small = np.min(np.where(total > 0, total, 1))
            self.written_near(weights_out, total, 1e-8, *what, 'weights')
            if small > 1e-6 or o.sum:
                self.written_near(out, want, (8 * UNIT[dtype.name] + 1e-8 / min(small, 1)) * (np.max(np.abs(values)) * 8 + 1),
                                  *what)
        method = self.rng.choice(tuple(TAPS))
        p = PhaseOpts(o.start, o.stop, o.out_start, o.out_stop, 0, o.no_endpoint, o.out_no_endpoint, method)
        want, tied = np.zeros((b, 1, h, n), complex), False
        for i in range(b):
            for k in range(h):
                at = (same_phase(target[i % len(target)], ctfs[i, k], g) - f[0]) / f_step
                at = np.where(np.isnan(at), -1e6, at)
                tied = tied or (method == NEAREST and np.any(np.abs(at % 1 - 0.5) < 1e-6))
                row = values[i, 0, k].astype(complex)
                first, w = window(method, at)
                for j in range(w.shape[-1]):
                    index = border_index(ZERO, first + j, m)
                    want[i, 0, k] += w[..., j] * np.where(index >= 0, row[index], 0)
        out = self.place(want.shape, dtype)
        if self.succeeds(self.lib.tess_phase_spectra(out.ref(), source.ref(), rows.ref(), goal.ref(), byref(p)), *what) \
                and not tied:
            self.written_near(out, want, (600 * UNIT[dtype.name] + 1e-8) * (np.max(np.abs(values)) + 1), *what, 'phase', method)

    def averages(self, rounds):
        for _ in range(rounds):
            for layout in LAYOUTS:
                for name in ('f32', 'f64', 'c32', 'c64', 'u8', 'f16'):
                    self.check_average(tess.BY_NAME[name], layout)
            for dtype in (F32, F64, C32, C64):
                self.check_fuse(dtype)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (('transforms', lambda: tests.transforms(tess.rounds(60))),
                                    ('averages', lambda: tests.averages(tess.rounds(30)))))


if __name__ == '__main__':
    sys.exit(main())
