"""Filters of spectra and the CTF compared with NumPy: python3 filter.py libtessera.so [seed]

Random shapes, odd and even, layouts, dtypes, batches and strides; what lies around an output must stay as it was. Filters
are computed here on the grid of frequencies of the output's layout, in f64, and layouts changed by np.fft. The last line
counts comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int32, c_uint32, c_void_p

import numpy as np
from scipy import constants

import copies
import fft_layout
import tess
from fft_layout import F, F64, FC, H, HC, LAYOUTS, cycles, remapped, spectrum_shape

np.seterr(all='ignore')
COSINE, GAUSSIAN, BUTTERWORTH = 1, 2, 3
D_AXIS, H_AXIS, W_AXIS = 32, 64, 128


class PassOpts(ctypes.Structure):
    _fields_ = [('width', c_double), ('start', c_double), ('stop', c_double), ('parameters', c_void_p),
                ('metric', c_double * 6), ('edge', c_int32), ('order', c_int32), ('from_', c_int32), ('to', c_int32), ('no_endpoint', c_int32),
                ('centred', c_int32), ('reserved', c_uint32 * 4)]


class BandOpts(ctypes.Structure):
    _fields_ = [('low_width', c_double), ('high_width', c_double), *PassOpts._fields_[1:]]


class BfactorOpts(ctypes.Structure):
    _fields_ = [('start', c_double), ('stop', c_double), ('parameters', c_void_p), ('metric', c_double * 6), ('from_', c_int32),
                ('to', c_int32), ('no_endpoint', c_int32), ('reserved', c_uint32 * 5)]


class DoseOpts(ctypes.Structure):
    _fields_ = [('start', c_double), ('stop', c_double), ('voltage', c_double), ('critical_factor', c_double),
                ('metric', c_double * 6), ('normalize', c_int32), ('from_', c_int32), ('to', c_int32), ('no_endpoint', c_int32),
                ('reserved', c_uint32 * 4)]


class CtfOpts(ctypes.Structure):
    _fields_ = [('start', c_double), ('stop', c_double), ('parameters', c_void_p), ('abs', c_int32),
                ('squared', c_int32), ('from_', c_int32), ('to', c_int32), ('no_endpoint', c_int32),
                ('reserved', c_uint32 * 5)]


class CurveOpts(ctypes.Structure):
    _fields_ = [('start', c_double), ('stop', c_double), ('last', c_double), ('metric', c_double * 6), ('from_', c_int32), ('to', c_int32),
                ('no_endpoint', c_int32), ('reserved', c_uint32 * 5)]


class ShiftOpts(ctypes.Structure):
    _fields_ = [('start', c_double), ('stop', c_double), ('cutoff', c_double), ('real_nyquist', c_int32),
                ('from_', c_int32), ('to', c_int32), ('no_endpoint', c_int32), ('reserved', c_uint32 * 4)]


class WedgeOpts(ctypes.Structure):
    _fields_ = [('width', c_double), ('keep', c_double), ('start', c_double), ('stop', c_double), ('parameters', c_void_p),
                ('axis', c_int32), ('invert', c_int32), ('from_', c_int32), ('to', c_int32), ('no_endpoint', c_int32),
                ('reserved', c_uint32 * 5)]


class ConeOpts(ctypes.Structure):
    _fields_ = [('width', c_double), ('keep', c_double), ('direction', c_double * 3), ('start', c_double),
                ('stop', c_double), ('parameters', c_void_p), ('invert', c_int32), ('from_', c_int32), ('to', c_int32),
                ('no_endpoint', c_int32), ('reserved', c_uint32 * 4)]


class EllipsoidOpts(ctypes.Structure):
    _fields_ = [('width', c_double), ('keep', c_double), ('start', c_double), ('stop', c_double), ('parameters', c_void_p),
                ('invert', c_int32), ('from_', c_int32), ('to', c_int32), ('no_endpoint', c_int32),
                ('reserved', c_uint32 * 4)]


class CrossOpts(WedgeOpts):
    """Whose `axis` is a set."""


# ---- References ----


def frequencies(shape, layout):
    return [cycles(shape, layout, axis) / shape[axis] for axis in (1, 2, 3)]


def length(shape, layout, metric=None):
    """With a metric (dd, hh, ww, dh, dw, hw), sqrt(f^T G f)."""
    d, h, w = frequencies(shape, layout)
    if metric is None:
        return np.sqrt(d * d + h * h + w * w)
    f = np.stack(np.broadcast_arrays(d, h, w), -1)
    dd, hh, ww, dh, dw, hw = metric
    return np.sqrt(np.einsum('...i,ij,...j', f, np.array(((dd, dh, dw), (dh, hh, hw), (dw, hw, ww))), f))


def low_side(f, cutoff, width, edge, order):
    """A high-pass."""
    if edge == BUTTERWORTH:
        return 1 / np.sqrt(1 + (cutoff / f)**(2 * order))
    soft = (np.exp(-((cutoff - f) / width)**2 / 2) if edge == GAUSSIAN else
            np.where(f <= cutoff - width, 0, (1 + np.cos(np.pi * (cutoff - f) / width)) / 2))
    return np.where(f >= cutoff, 1, soft if width > 1e-6 else 0)


def high_side(f, cutoff, width, edge, order):
    """A low-pass."""
    if edge == BUTTERWORTH:
        return 1 / np.sqrt(1 + (f / cutoff)**(2 * order))
    soft = (np.exp(-((f - cutoff) / width)**2 / 2) if edge == GAUSSIAN else
            np.where(f >= cutoff + width, 0, (1 + np.cos(np.pi * (f - cutoff) / width)) / 2))
    return np.where(f <= cutoff, 1, soft if width > 1e-6 else 0)


def wavelength(kv):
    """Angstrom; constants are SciPy's own."""
    energy = kv * 1000 * constants.e
    rest = 2 * 9.1093837015e-31 * constants.c**2
    return 1e10 * constants.h * constants.c / np.sqrt(energy * (rest + energy))


def ctf_values(shape, layout, p):
    """Of a row of parameters, by angles."""
    p = np.concatenate([p, np.zeros(17 - len(p))])
    z, y, x = frequencies(shape, layout)
    z, y, x = z / p[0], y / p[0], x / (p[1] or p[0])
    r, angle = np.sqrt(x * x + y * y + z * z), np.arctan2(y + 0 * x, x + 0 * y)
    wave = wavelength(p[5] or 300)
    defocus = p[2] + p[3] * np.cos(2 * (angle - p[4]))
    cs = p[7] + p[11] * np.cos(4 * (angle - p[12]))
    phase = (-np.pi * wave * 1e4 * defocus * r**2 + np.pi / 2 * 1e7 * cs * wave**3 * r**4 - p[8] - np.arcsin(p[6]))
    odd = (2 * np.pi * 1e7 * p[7] * wave**2 * r**2 * 1e-3 * (y * p[13] + x * p[14]) +
           2 * np.pi / 3 * 1e4 * p[15] * wave**2 * r**3 * np.cos(3 * (angle - p[16])))
    return -np.sin(phase) * np.exp(-p[9] * r**2 / 4) * (p[10] or 1), odd


def edge(beyond, width):
    return np.where(beyond <= 1e-12, 1, np.where(beyond >= width, 0, (1 + np.cos(np.pi * beyond / max(width, 1e-30))) / 2))


def wedge(f, shape, first, last, axis):
    """Distance to the nearer plane, of vectors whose angle is not between them."""
    z, y, x = f
    high, low = {D_AXIS: (y, x), H_AXIS: (z, x), W_AXIS: (z, y)}[axis or (H_AXIS if shape[1] > 1 else D_AXIS)]
    high, low = np.broadcast_arrays(high + 0 * x + 0 * y + 0 * z, low + 0 * x + 0 * y + 0 * z)
    angle = np.mod(np.arctan2(high, low) - first, np.pi)
    away = [np.abs(high * np.cos(a) - low * np.sin(a)) for a in (first, last)]
    return np.where((angle <= last - first) | (np.hypot(high, low) == 0), 0, np.minimum(*away))


def cone(f, aperture, direction):
    norm = np.sqrt(sum(g * g for g in f))
    along = np.abs(sum(g * d for g, d in zip(f, direction))) / np.linalg.norm(direction)
    angle = np.arccos(np.clip(along / np.where(norm == 0, 1, norm), 0, 1))
    return np.where(norm == 0, 0, norm * np.sin(angle - aperture))


def ellipsoid(f, radii):
    norm, ratio = (np.sqrt(sum((g / r)**2 for g, r in zip(f, by))) for by in ((1, 1, 1), radii))
    return np.where(ratio <= 1, 0, norm - norm / np.where(ratio == 0, 1, ratio))


def cross(f, shape, half_width, axes):
    axes = axes or sum(bit for bit, n in zip((D_AXIS, H_AXIS, W_AXIS), shape[1:]) if n > 1) or W_AXIS
    away = [np.sqrt(sum(g * g for k, g in enumerate(f) if k != i)) + 0 * sum(f)
            for i, bit in enumerate((D_AXIS, H_AXIS, W_AXIS)) if axes & bit]
    return np.minimum.reduce(away) - half_width


class Tests(fft_layout.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        spectrum = [c_void_p, c_void_p, tess.ShapeValue]
        for name, arguments in (('lowpass', [c_double, c_void_p]), ('highpass', [c_double, c_void_p]),
                                ('bandpass', [c_double, c_double, c_void_p]),
                                ('bfactor', [c_double, c_double, c_void_p]),
                                ('dose_weight', [c_void_p, c_double, c_void_p]),
                                ('ctf_apply', [c_void_p, c_void_p]), ('ctf_flip', [c_void_p, c_void_p]),
                                ('ctf_wiener', [c_void_p, c_double, c_void_p]),
                                ('filter_curve', [c_void_p, c_void_p]), ('phase_shift', [c_void_p, c_void_p]),
                                ('fourier_wedge', [c_double, c_double, c_void_p]),
                                ('fourier_cone', [c_double, c_void_p]),
                                ('fourier_ellipsoid', [c_double, c_double, c_double, c_void_p]),
                                ('fourier_cross', [c_double, c_void_p])):
            for suffix, arrays in (('', spectrum), ('_image', spectrum[:2])):
                function = getattr(lib, f'tess_{name}{suffix}')
                function.restype, function.argtypes = c_int, arrays + arguments
        lib.tess_ctf_wavelength.restype, lib.tess_ctf_wavelength.argtypes = c_double, [c_double]
        self.numpy = np.random.default_rng(seed)

    def any_shape(self):
        rank = self.rng.randint(1, 3)
        return (self.rng.randint(1, 3), self.rng.randint(2, 7) if rank > 2 else 1,
                self.rng.randint(2, 11) if rank > 1 else 1, self.rng.randint(1, 30))

    def compare(self, what, shape, multipliers, call, dtypes=('c32', 'c64', 'f32', 'f64', 'f16')):
        """`multipliers` of a layout; `call` takes out, in, the shape and both layouts."""
        dtype = tess.BY_NAME[self.rng.choice(dtypes)]
        layout, to = self.rng.choice((H, HC, F, FC)), self.rng.choice((H, HC, F, FC))
        is_real = dtype.kind == 'float'
        values = self.numpy.standard_normal(spectrum_shape(shape, layout))
        values = (values if is_real else values + 1j * self.numpy.standard_normal(values.shape)).astype(dtype.numpy)
        power = not is_real and self.rng.random() < 0.2
        result = tess.BY_NAME[dtype.real] if power else dtype
        wide = values.astype(np.float64 if is_real else np.complex128)
        want = remapped(wide, shape, layout, to) * multipliers(shape, to)
        want = np.abs(want)**2 if power else want
        source, out = self.place_with(values, dtype), self.place(want.shape, result)
        what = (*what, dtype, shape, LAYOUTS[layout], LAYOUTS[to], 'power' if power else '')
        self.threads()
        if self.succeeds(call(out.ref(), source.ref(), tess.shape_value(shape), layout, to), *what):
            eps = {'f16': 2e-3, 'f32': 1e-6}.get(dtype.real, 2e-11)
            self.written_near(out, want, eps * (1 + np.abs(want).max(initial=0)), *what)

    def rows(self, values):
        """Rows of parameters as a strided array."""
        values = np.asarray(values, np.float64).reshape(len(values), 1, 1, -1)
        return self.place_with(values, F64)

    def any_metric(self):
        """None, that of pixels of several sizes, or that of a skew cell: its axes and their products; and for options."""
        kind = self.rng.choice(('none', 'sizes', 'cell'))
        if kind == 'none':
            return None, (c_double * 6)()
        axes = np.diag(self.numpy.uniform(0.6, 1.6, 3)) @ (np.eye(3) + (kind == 'cell') * self.numpy.uniform(-0.4, 0.4, (3, 3)))
        g = axes @ axes.T
        metric = (*np.diag(g), g[0, 1], g[0, 2], g[1, 2])
        return metric, (c_double * 6)(*metric)

    def own(self, value, b):
        """A value of each batch, shaped to be broadcast."""
        return np.asarray(value).reshape(b, 1, 1, 1)

    def check_pass(self):
        shape, rng = self.any_shape(), self.rng
        b, edge, order = shape[0], rng.choice((COSINE, GAUSSIAN, BUTTERWORTH)), rng.randint(1, 5)
        name = rng.choice(('lowpass', 'highpass', 'bandpass'))
        batched = rng.random() < 0.4
        low, high, low_width, high_width = (self.numpy.uniform(0.01, top, b if batched else 1) for top in
                                            (0.4, 0.8, 0.2, 0.2))
        rows = np.stack((low, high, low_width, high_width) if name == 'bandpass' else
                        (high, high_width) if name == 'lowpass' else (low, low_width), 1)
        table = self.rows(rows)
        pointer = ctypes.addressof(table.array) if batched else None
        metric, given = self.any_metric()
        centred = edge == COSINE and rng.random() < 0.3

        def about(side, cutoff, width):
            begin, end = max(cutoff - width / 2, 0), cutoff + width / 2
            return (cutoff, width) if not centred else (end if side is low_side else begin, end - begin)

        def multipliers(logical, layout):
            f = length(logical, layout, metric)
            m = 1.0
            for used, side, cutoff, width in ((name != 'lowpass', low_side, low, low_width),
                                              (name != 'highpass', high_side, high, high_width)):
                each = [side(f, *about(side, c, w), edge, order) for c, w in zip(cutoff, width)]
                m = m * np.concatenate(each) if used else m
            return m

        def call(out, source, logical, layout, to):
            if name == 'bandpass':
                opts = BandOpts(low_width[0], high_width[0], 0, 0, pointer, given, edge, order, layout, to, 0, centred)
                return self.lib.tess_bandpass(out, source, logical, low[0], high[0], byref(opts))
            width, cutoff = (high_width[0], high[0]) if name == 'lowpass' else (low_width[0], low[0])
            opts = PassOpts(width, 0, 0, pointer, given, edge, order, layout, to, 0, centred)
            return getattr(self.lib, f'tess_{name}')(out, source, logical, cutoff, byref(opts))

        self.compare((name, edge, metric, centred, 'batched' if batched else ''), shape, multipliers, call)

    def check_weights(self):
        shape = self.any_shape()
        b, pixel, bfactor = shape[0], self.rng.uniform(0.8, 2), self.rng.uniform(-5, 60)
        doses, normalize = self.numpy.uniform(0, 60, b), self.rng.randint(0, 1)
        voltage = self.rng.choice((0, 300, 200))
        curve, last = self.numpy.uniform(-1, 1, self.rng.randint(2, 20)), self.rng.uniform(0.3, 0.8)
        metric, given = self.any_metric()

        def gaussian(logical, layout):
            return np.exp(-bfactor * (length(logical, layout, metric) / pixel)**2 / 4)

        def interpolated(logical, layout):
            return np.interp(length(logical, layout, metric), np.linspace(0, last, curve.size), curve)

        def exposure(logical, layout):
            critical = (0.8 if voltage == 200 else 1) * (0.245 * (length(logical, layout, metric) / pixel)**-1.665 + 2.81)
            q = np.exp(-self.own(doses, b) / (2 * critical))
            return q / np.sqrt((q**2).sum(0, keepdims=True)) if normalize else q

        self.compare(('bfactor',), shape, gaussian, lambda out, source, logical, layout, to: self.lib.tess_bfactor(
            out, source, logical, bfactor, pixel, byref(BfactorOpts(0, 0, None, given, layout, to))))
        table = self.rows(doses)
        self.compare(('dose_weight',), shape, exposure,
                     lambda out, source, logical, layout, to: self.lib.tess_dose_weight(
                         out, source, logical, table.ref(), pixel,
                         byref(DoseOpts(0, 0, voltage, 0, given, normalize, layout, to))))
        values = self.rows([curve])
        self.compare(('filter_curve',), shape, interpolated,
                     lambda out, source, logical, layout, to: self.lib.tess_filter_curve(
                         out, source, logical, values.ref(), byref(CurveOpts(0, 0, last, given, layout, to))))

    def any_ctf(self, is_image, odd):
        uniform, rng = self.rng.uniform, self.rng
        row = np.zeros(17)
        row[:11] = (uniform(0.8, 2), uniform(0.8, 2), uniform(-2, 3), 0, uniform(-2, 2), rng.choice((0, 100, 200, 300)),
                    uniform(0, 0.2), rng.choice((0, 2.7, uniform(0, 3))), uniform(0, 1), uniform(0, 50),
                    uniform(0.5, 1.5))
        if is_image:
            row[3], row[11], row[12] = uniform(-0.2, 0.2), uniform(-1, 1), uniform(-1, 1)
        if odd:
            row[13:] = self.numpy.uniform(-1, 1, 4)
        return row

    def check_ctf(self):
        shape, rng = self.any_shape(), self.rng
        is_image = shape[1] == 1
        odd = is_image and rng.random() < 0.3
        batched = rng.random() < 0.5
        rows = [self.any_ctf(is_image, odd) for _ in range(shape[0] if batched else 1)]
        name, snr = rng.choice(('ctf_apply', 'ctf_flip', 'ctf_wiener')), rng.uniform(1, 30)
        magnitude, squared = (rng.choice(((0, 0), (1, 0), (0, 1))) if name == 'ctf_apply' else (0, 0))
        table, one = self.rows([row[:17 if odd else 13] for row in rows]), (c_double * 17)(*rows[0])

        def multipliers(logical, layout):
            each = []
            for row in rows:
                value, phase = ctf_values(logical, layout, row)
                if name == 'ctf_flip':
                    value = np.where(value < 0, -1.0, 1.0)
                if name == 'ctf_wiener':
                    value = value / (value**2 + 1 / snr)
                if magnitude or squared:
                    value, phase = np.abs(value) if magnitude else value**2, 0 * phase
                each.append(value * np.exp((1j if name == 'ctf_apply' else -1j) * phase) if odd else value)
            return np.concatenate(each)

        def call(out, source, logical, layout, to):
            opts = CtfOpts(0, 0, ctypes.addressof(table.array) if batched else None, magnitude, squared, layout, to)
            ctf = None if batched else one
            arguments = (ctf, snr, byref(opts)) if name == 'ctf_wiener' else (ctf, byref(opts))
            return getattr(self.lib, f'tess_{name}')(out, source, logical, *arguments)

        self.compare((name, 'odd' if odd else ''), shape, multipliers, call,
                     ('c32', 'c64') if odd else ('c32', 'c64', 'f32', 'f64'))

    # ---- Masks ----

    def any_mask(self, shape):
        """Its name, what the call takes and the distance outside it."""
        uniform, rng = self.rng.uniform, self.rng
        name = rng.choice(('wedge', 'cone', 'ellipsoid', 'cross'))
        if name == 'wedge':
            first, axis = uniform(-2, 2), rng.choice((0, D_AXIS, H_AXIS, W_AXIS))
            last = first + uniform(0, 3.1)
            return name, (first, last), axis, lambda f: wedge(f, shape, first, last, axis)
        if name == 'cone':
            aperture, direction = uniform(0.05, 1.5), [uniform(-1, 1) for _ in range(3)]
            return name, (aperture,), direction, lambda f: cone(f, aperture, direction)
        if name == 'ellipsoid':
            radii = [uniform(0.05, 0.6) for _ in range(3)]
            return name, radii, None, lambda f: ellipsoid(f, radii)
        half_width, axes = uniform(0.01, 0.3), rng.choice((0, D_AXIS, H_AXIS | W_AXIS, D_AXIS | W_AXIS))
        return name, (half_width,), axes, lambda f: cross(f, shape, half_width, axes)

    def check_mask(self):
        shape, rng = self.any_shape(), self.rng
        name, sizes, extra, beyond = self.any_mask(shape)
        width, keep = (rng.choice((0, rng.uniform(0.02, 0.3))) for _ in range(2))
        invert = rng.randint(0, 1)

        def multipliers(logical, layout):
            f = frequencies(logical, layout)
            m = edge(beyond(f), width)
            m = 1 - m if invert else m
            return np.maximum(m, edge(length(logical, layout) - keep, width)) if keep else m

        def options(layout, to):
            if name == 'cone':
                return ConeOpts(width, keep, (c_double * 3)(*extra), 0, 0, None, invert, layout, to)
            if name == 'ellipsoid':
                return EllipsoidOpts(width, keep, 0, 0, None, invert, layout, to)
            return (WedgeOpts if name == 'wedge' else CrossOpts)(width, keep, 0, 0, None, extra, invert, layout, to)

        self.compare((f'fourier_{name}', sizes, extra, width, keep, invert), shape, multipliers,
                     lambda out, source, logical, layout, to: getattr(self.lib, f'tess_fourier_{name}')(
                         out, source, logical, *sizes, byref(options(layout, to))))
        self.compare_image((f'fourier_{name}',), shape, multipliers,
                           lambda out, source: getattr(self.lib, f'tess_fourier_{name}_image')(
                               out, source, *sizes, byref(options(0, 0))))

    # ---- Real arrays ----

    def compare_image(self, what, shape, multipliers, call):
        """By NumPy's transforms of the whole array; now and then in place."""
        dtype = tess.BY_NAME[self.rng.choice(('f16', 'f32', 'f64'))]
        values = self.numpy.standard_normal(shape).astype(dtype.numpy)
        spectrum = np.fft.rfftn(values.astype(np.float64), axes=(1, 2, 3)) * multipliers(shape, H)
        want = np.fft.irfftn(spectrum, shape[1:], axes=(1, 2, 3))
        source = self.place_with(values, dtype)
        out = source if self.rng.random() < 0.3 else self.place(shape, dtype)
        what = (*what, 'of images', dtype, shape)
        self.threads()
        if self.succeeds(call(out.ref(), source.ref()), *what):
            eps = {'f16': 4e-3, 'f32': 4e-6}.get(dtype.real, 1e-10)
            self.written_near(out, want, eps * (1 + np.abs(want).max(initial=0) + np.abs(spectrum).max() / values[0].size),
                              *what)

    def check_image(self):
        shape, rng, uniform = self.any_shape(), self.rng, self.rng.uniform
        b, batched, pixel = shape[0], rng.random() < 0.5, uniform(0.8, 2)
        n, lib = b if batched else 1, self.lib
        doses, bfactor, normalize = self.numpy.uniform(0, 60, n), uniform(-5, 60), rng.randint(0, 1)
        curve, last = self.numpy.uniform(-1, 1, (n, rng.randint(1, 20))), uniform(0.3, 0.8)
        shifts = self.numpy.uniform(-9, 9, (n, 3))
        rows = [self.any_ctf(shape[1] == 1, False) for _ in range(n)]
        snr, cutoff = uniform(1, 30), uniform(0.05, 0.6)
        sizes = self.numpy.uniform(0.4, 2, 3)
        uneven = (*sizes, 0, 0, 0)

        def exposure(logical, layout):
            critical = 0.245 * (length(logical, layout) / pixel)**-1.665 + 2.81
            q = np.exp(-doses.reshape(-1, 1, 1, 1) / (2 * critical)) + np.zeros((b, 1, 1, 1))
            return q / np.sqrt((q**2).sum(0, keepdims=True)) if normalize else q

        def interpolated(logical, layout):
            f = length(logical, layout)
            return np.concatenate([np.interp(f, np.linspace(0, last, row.size) if row.size > 1 else [0], row)
                                   for row in curve])

        def moved(logical, layout):
            return np.concatenate([np.exp(-2j * np.pi * sum(s * f for s, f in zip(row, frequencies(logical, layout))))
                                   for row in shifts])

        def ctf(form):
            return lambda logical, layout: np.concatenate([form(ctf_values(logical, layout, row)[0]) for row in rows])

        table = {name: self.rows(values) for name, values in (('doses', doses), ('curve', curve), ('shifts', shifts),
                                                              ('ctf', [row[:13] for row in rows]))}
        own = byref(CtfOpts(0, 0, ctypes.addressof(table['ctf'].array)))
        self.compare_image(*rng.choice((
            (('lowpass',), shape, lambda s, l: high_side(length(s, l), cutoff, 0.1, COSINE, 4),
             lambda out, source: lib.tess_lowpass_image(out, source, cutoff, byref(PassOpts(0.1)))),
            (('lowpass', uneven), shape, lambda s, l: high_side(length(s, l, uneven), cutoff, 0.1, COSINE, 4),
             lambda out, source: lib.tess_lowpass_image(out, source, cutoff,
                                                        byref(PassOpts(0.1, metric=(c_double * 6)(*uneven))))),
            (('bfactor',), shape, lambda s, l: np.exp(-bfactor * (length(s, l) / pixel)**2 / 4),
             lambda out, source: lib.tess_bfactor_image(out, source, bfactor, pixel, None)),
            (('dose_weight', normalize), shape, exposure, lambda out, source: lib.tess_dose_weight_image(
                out, source, table['doses'].ref(), pixel, byref(DoseOpts(normalize=normalize)))),
            (('filter_curve',), shape, interpolated, lambda out, source: lib.tess_filter_curve_image(
                out, source, table['curve'].ref(), byref(CurveOpts(last=last)))),
            (('phase_shift',), shape, moved, lambda out, source: lib.tess_phase_shift_image(
                out, source, table['shifts'].ref(), byref(ShiftOpts()))),
            (('ctf_apply',), shape, ctf(lambda v: v), lambda out, source: lib.tess_ctf_apply_image(out, source, None, own)),
            (('ctf_flip',), shape, ctf(lambda v: np.where(v < 0, -1, 1)),
             lambda out, source: lib.tess_ctf_flip_image(out, source, None, own)),
            (('ctf_wiener',), shape, ctf(lambda v: v / (v**2 + 1 / snr)),
             lambda out, source: lib.tess_ctf_wiener_image(out, source, None, snr, own)))))

    def wavelengths(self):
        for kv in (80, 100, 120, 200, 300, 1000):
            self.expect(abs(self.lib.tess_ctf_wavelength(kv) / wavelength(kv) - 1) < 1e-12, 'wavelength', kv)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)

    def repeat(check, times):
        for _ in range(times):
            check()

    return copies.run_parts(tests, (
        ('pass filters', lambda: repeat(tests.check_pass, tess.rounds(600))),
        ('weights', lambda: repeat(tests.check_weights, tess.rounds(300))),
        ('ctf', lambda: repeat(tests.check_ctf, tess.rounds(600))), ('wavelengths', tests.wavelengths),
        ('masks', lambda: repeat(tests.check_mask, tess.rounds(400))),
        ('real arrays', lambda: repeat(tests.check_image, tess.rounds(400)))))


if __name__ == '__main__':
    sys.exit(main())
