"""Turned spectra, Fourier slices and gridding compared with NumPy: python3 geometry_slices.py libtessera.so [seed]

References look coefficients up by their frequency, tap by tap, from formulas. Inputs and outputs are random strided views
in random layouts; what lies around an output must stay as it was. The last line counts comparisons.
"""
import ctypes
import itertools
import sys
from ctypes import addressof, byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np
from scipy import integrate
from scipy.spatial.transform import Rotation

import copies
import fft_layout
import tess
from fft_layout import C32, C64, F32, F64, LAYOUTS, cycles, is_half, spectrum_shape

NEAREST, LINEAR, COSINE, CUBIC, BSPLINE, LANCZOS4, LANCZOS6, LANCZOS8 = range(1, 9)
METHODS = (NEAREST, LINEAR, COSINE, CUBIC, BSPLINE, LANCZOS4, LANCZOS6, LANCZOS8)
SLACK = {'f32': 2e-5, 'c32': 2e-5, 'f64': 1e-11, 'c64': 1e-11}
Shape = c_int64 * 4


class TransformOpts(ctypes.Structure):
    _fields_ = [('shifts', c_void_p), ('cutoff', c_double), ('interp', c_int32), ('from_', c_int32), ('to', c_int32),
                ('reserved', c_uint32 * 5)]


class ExtractOpts(ctypes.Structure):
    _fields_ = [('slice_shape', Shape), ('target', Shape), ('scales', c_void_p), ('weights', c_void_p),
                ('slice_weights', c_void_p), ('cutoff', c_double), ('ewald_h', c_double), ('ewald_w', c_double),
                ('window', c_double), ('sinc', c_double), ('interp', c_int32), ('from_', c_int32), ('to', c_int32),
                ('reserved', c_uint32 * 5)]


class InsertOpts(ctypes.Structure):
    _fields_ = [('volume_shape', Shape), ('target', Shape), ('slice_weights', c_void_p), ('scales', c_void_p),
                ('cutoff', c_double), ('ewald_h', c_double), ('ewald_w', c_double), ('window', c_double),
                ('sinc', c_double), ('interp', c_int32), ('from_', c_int32), ('to', c_int32), ('add', c_int32),
                ('reserved', c_uint32 * 4)]


class PassOpts(ctypes.Structure):
    _fields_ = [('out_shape', Shape), ('slice_weights', c_void_p), ('scales', c_void_p), ('out_scales', c_void_p),
                ('cutoff', c_double), ('ewald_h', c_double), ('ewald_w', c_double), ('out_ewald_h', c_double),
                ('out_ewald_w', c_double), ('window', c_double), ('sinc', c_double), ('interp', c_int32),
                ('from_', c_int32), ('to', c_int32), ('divide', c_int32), ('add', c_int32), ('reserved', c_uint32 * 5)]


class NormalizeOpts(ctypes.Structure):
    _fields_ = [('noise', c_double), ('least', c_double), ('reserved', c_uint32 * 4)]


class GriddingOpts(ctypes.Structure):
    _fields_ = [('interp', c_int32), ('multiply', c_int32), ('reserved', c_uint32 * 4)]


class SymmetrizeOpts(ctypes.Structure):
    _fields_ = [('matrices', c_void_p), ('before', c_void_p), ('after', c_void_p), ('shifts', c_void_p),
                ('cutoff', c_double), ('centre', c_double * 3), ('interp', c_int32), ('from_', c_int32), ('to', c_int32),
                ('sum', c_int32), ('reserved', c_uint32 * 4)]


# ---- References ----


def kernel(method, x):
    """The interpolation kernel at a distance x, but for the sum of Lanczos' weights, by which they are divided."""
    a = np.abs(x)
    if method == NEAREST:
        return ((x >= -0.5) & (x < 0.5)).astype(float)
    if method == LINEAR:
        return np.maximum(1 - a, 0)
    if method == COSINE:
        return np.where(a < 1, (1 + np.cos(np.pi * a)) / 2, 0)
    if method == CUBIC:
        return np.where(a < 1, 1.5 * a**3 - 2.5 * a**2 + 1, np.where(a < 2, -0.5 * a**3 + 2.5 * a**2 - 4 * a + 2, 0))
    if method == BSPLINE:
        return np.where(a < 1, 2 / 3 - a**2 + a**3 / 2, np.where(a < 2, (2 - a)**3 / 6, 0))
    half = {LANCZOS4: 2, LANCZOS6: 3, LANCZOS8: 4}[method]
    return np.where(a < half, np.sinc(x) * np.sinc(x / half), 0)


def taps_of(method, c):
    """Frequencies around coordinates c, and their weights."""
    reach = {NEAREST: 1, LINEAR: 1, COSINE: 1, LANCZOS6: 3, LANCZOS8: 4}.get(method, 2)
    base = np.floor(c)
    k = [base + i for i in range(1 - reach, reach + 1)]
    w = [kernel(method, i - c) for i in k]
    if method == NEAREST:
        w = [(np.floor(c + 0.5) == i).astype(float) for i in k]
    if method in (LANCZOS4, LANCZOS6, LANCZOS8):
        total = sum(w)
        w = [x / total for x in w]
    return [x.astype(np.int64) for x in k], w


def index_of(layout, axis, n, k):
    """The index of frequency k, of those that an axis stores."""
    if axis == 2 and is_half(layout):
        return np.abs(k)
    return (k + (n // 2 if axis + 1 in fft_layout.centred_axes(layout) else 0)) % n


def coefficients(values, sizes, layout, k):
    """values, {d,h,w'}, at frequencies k; 0 where there are none."""
    there = np.ones(k[0].shape, bool)
    for n, x in zip(sizes, k):
        there &= np.abs(x) <= n // 2
    side = np.where(is_half(layout) & (k[2] < 0), -1, 1)
    at = tuple(np.where(there, index_of(layout, i, n, side * x), 0) for i, (n, x) in enumerate(zip(sizes, k)))
    v = values[at]
    return np.where(there, np.where(side < 0, np.conj(v), v), 0)


def sampled(values, sizes, layout, c, method, dims):
    taps = [taps_of(method, x) for x in c]
    if dims == 2:
        taps[0] = ([np.zeros(c[1].shape, np.int64)], [np.ones(c[1].shape)])
    out = 0
    for z, y, x in itertools.product(*(range(len(t[0])) for t in taps)):
        w = taps[0][1][z] * taps[1][1][y] * taps[2][1][x]
        if np.any(w):
            out = out + w * coefficients(values, sizes, layout, (taps[0][0][z], taps[1][0][y], taps[2][0][x]))
    return out


def frequencies(shape, layout, sizes=None):
    """q = (z, y, x) of every coefficient of one batch."""
    sizes = sizes or shape[1:]
    rows = [cycles(shape, layout, i + 1) / n for i, n in enumerate(sizes)]
    return np.stack(np.broadcast_arrays(*rows))[:, 0]


def curved(q, scale, radius):
    """Frequencies of a slice before its rotation."""
    g = np.einsum('ij,jhw->ihw', np.linalg.inv(scale), q[1:].reshape(2, q.shape[1] * q.shape[2], -1)).reshape(2, *q.shape[1:])
    z = q[0] + sum(g[i]**2 / (2 * radius[i]) for i in range(2) if radius[i])
    return np.stack([z, g[0], g[1]])


def turned(rotation, g):
    return np.tensordot(rotation, g, 1)


def window_of(z, sinc, width):
    w = np.sinc(z / sinc) * (0.42 + 0.5 * np.cos(np.pi * z / width) + 0.08 * np.cos(2 * np.pi * z / width))
    return np.where(np.abs(z) < width, w, 0)


def spread(slices, weights, shape, layout, volume_shape, to, rotations, scales, radius, target, cutoff):
    """Slices into a full spectrum, coefficient by coefficient, of which the layout's are taken."""
    sizes = volume_shape[1:]
    full = np.zeros(sizes, complex)
    sums = np.zeros(sizes)
    h, w = shape[2:]
    ky, kx = (x.ravel() for x in np.meshgrid(np.arange(-(h // 2), h - h // 2), np.arange(w // 2 + 1), indexing='ij'))
    zero = np.zeros_like(ky)
    for b in range(shape[0]):
        q = np.stack([zero / 1.0, ky / h, kx / w])[:, :, None]
        g = curved(q, scales[b % len(scales)], radius)
        f = turned(rotations[b % len(rotations)], g)[:, :, 0]
        inside = np.sum(g[:, :, 0]**2, axis=0) <= cutoff**2
        at = (zero, index_of(layout, 1, h, ky), index_of(layout, 2, w, kx))
        share = np.where((kx == 0) | (2 * kx == w), 0.5, 1) * inside
        value = slices[b][at] * share
        weight = (weights[b][at] if weights is not None else 1) * share
        for side in (1, -1):
            c = side * f * np.array(target)[:, None]
            for corner in itertools.product((0, 1), repeat=3):
                k = [np.floor(x).astype(int) + i for x, i in zip(c, corner)]
                share_here = np.prod([1 - np.abs(x - i) for x, i in zip(c, k)], axis=0)
                there = np.all([np.abs(i) <= n // 2 for i, n in zip(k, sizes)], axis=0)
                spot = tuple(np.where(there, i % n, 0) for i, n in zip(k, sizes))
                np.add.at(full, spot, np.where(there, share_here * (value if side > 0 else np.conj(value)), 0))
                np.add.at(sums, spot, np.where(there, share_here * weight, 0))
    return (fft_layout.remapped(x[None], volume_shape, fft_layout.F, to) for x in (full, sums))


def group_of(name):
    """The rotations of a group, on z, y, x: those about z and, of D, times half a turn about x; of O all that move axes
    to axes."""
    if name == 'O':
        signs = itertools.product(itertools.permutations(range(3)), itertools.product((1, -1), repeat=3))
        matrices = [np.eye(3)[list(p)] * np.array(s)[:, None] for p, s in signs]
        return [m for m in matrices if np.linalg.det(m) > 0]
    n = int(name[1:])
    turns = [Rotation.from_rotvec([0, 0, 2 * np.pi * k / n]).as_matrix()[::-1, ::-1] for k in range(n)]
    return turns + [m @ np.diag([-1, -1, 1]) for m in turns] if name[0] == 'D' else turns


def moved_by(values, shape, layout, shift):
    """A spectrum whose picture is moved, as that of a real array at frequencies n/2."""
    for axis in (1, 2, 3):
        k, n = cycles(shape, layout, axis), shape[axis]
        turns = shift[axis - 1] * k / n
        values = values * np.where(2 * np.abs(k) == n, np.cos(2 * np.pi * turns), np.exp(-2j * np.pi * turns))[0]
    return values


class Tests(fft_layout.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        self.alive = []
        array, shape = c_void_p, tess.ShapeValue
        for name, arguments in (('transform_spectrum_2d', [array, array, shape, array, array]),
                                ('transform_spectrum_3d', [array, array, shape, array, array]),
                                ('symmetrize_spectrum', [array, array, shape, ctypes.c_char_p, array]),
                                ('fourier_extract', [array, array, shape, array, array]),
                                ('fourier_insert', [array, array, array, shape, array, array]),
                                ('fourier_insert_extract', [array, array, array, shape, array, array, array]),
                                ('fourier_normalize', [array] * 4), ('gridding_correct', [array] * 3)):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, arguments

    def given(self, values, dtype):
        """An array in memory that lives until some more are given."""
        self.alive = [*self.alive[-12:], self.place_with(values, dtype)]
        return self.alive[-1]

    def rotations(self, n):
        """n rotations at random: matrices, and an array of matrices or quaternions."""
        turn = Rotation.random(n, random_state=self.rng.randrange(2**31))
        matrices = turn.as_matrix()[:, ::-1, ::-1]
        if self.rng.random() < 0.5:
            return matrices, self.given(matrices[:, None], F64)
        quats = turn.as_quat()[:, [2, 1, 0, 3]] * self.rng.uniform(0.5, 2)
        return matrices, self.given(quats[:, None, None] if self.rng.random() < 0.5 else quats[None, None], F64)

    def volume_values(self, shape, layout, dtype):
        return self.values_for(dtype, spectrum_shape(shape, layout)).astype(dtype.numpy)

    def optional_scales(self, n):
        if self.rng.random() < 0.5:
            return np.eye(2)[None], None
        scales = np.eye(2) + self.generator.uniform(-0.1, 0.1, (self.rng.choice((1, n)), 2, 2))
        return scales, self.given(scales[:, None], F64)

    def radius(self):
        return (0, 0) if self.rng.random() < 0.6 else (self.rng.uniform(1, 4), -self.rng.uniform(1, 4))

    # ---- Sampling ----

    def check_transform(self, dtype, dims, method):
        n = self.rng.randint(1, 3)
        shape = (n, self.rng.randint(1, 7) if dims == 3 else 1, self.rng.randint(1, 8), self.rng.randint(1, 9))
        layout, to = self.rng.choice(list(LAYOUTS)), self.rng.choice(list(LAYOUTS))
        one = self.rng.random() < 0.3
        values = self.volume_values((1, *shape[1:]) if one else shape, layout, dtype)
        if dims == 3:
            matrices, given = self.rotations(self.rng.choice((1, n)))
        else:
            matrices = self.generator.normal(size=(self.rng.choice((1, n)), 2, 2))
            given = self.given(matrices[:, None], F64)
        shifts = self.generator.normal(size=(self.rng.choice((1, n)), dims)) * 3
        moved, cutoff = self.rng.random() < 0.5, self.rng.uniform(0.2, 0.9)
        q = frequencies(shape, to)
        want = np.empty(spectrum_shape(shape, to), complex)
        for b in range(n):
            m = np.eye(3)
            m[3 - dims:, 3 - dims:] = matrices[b % len(matrices)]
            c = turned(m, q) * np.array(shape[1:])[:, None, None, None]
            want[b] = sampled(values[0 if one else b], shape[1:], layout, c, method, dims)
            if moved and dtype.kind == 'complex':
                s = shifts[b % len(shifts)]
                want[b] *= np.exp(-2j * np.pi * sum(x * y for x, y in zip(s, q[3 - dims:])))
            want[b] *= np.sum(q**2, axis=0) <= cutoff**2
        pixels = self.given(shifts[:, None, None], F64)
        out, source = self.place(want.shape, dtype), self.given(values, dtype)
        opts = TransformOpts(addressof(pixels.array) if moved else None, cutoff, method, layout, to)
        what = (f'transform_spectrum_{dims}d', dtype, shape, LAYOUTS[layout], LAYOUTS[to], 'method', method)
        self.threads()
        status = getattr(self.lib, f'tess_transform_spectrum_{dims}d')(out.ref(), source.ref(), tess.shape_value(shape),
                                                                       given.ref(), byref(opts))
        if self.succeeds(status, *what):
            self.written_near(out, want if dtype.kind == 'complex' else want.real, 8 * SLACK[dtype.name], *what)

    def check_extract(self, dtype, method):
        n = self.rng.randint(1, 3)
        shape = (1, *(self.rng.randint(1, 8) for _ in range(3)))
        slices = (n, 1, self.rng.randint(1, 8), self.rng.randint(1, 9))
        layout, to = self.rng.choice(list(LAYOUTS)), self.rng.choice(list(LAYOUTS))
        values = self.volume_values(shape, layout, dtype)
        matrices, given = self.rotations(self.rng.choice((1, n)))
        scales, scaled = self.optional_scales(n)
        radius, cutoff = self.radius(), self.rng.uniform(0.2, 0.9)
        target = tuple(self.rng.choice((m, m + 2)) for m in shape[1:])
        width = self.rng.choice((0, self.rng.uniform(1, 3) / target[0]))
        width = width if width <= 1 else 0
        q = frequencies(slices, to)
        want = np.empty(spectrum_shape(slices, to), complex)
        for b in range(n):
            g = curved(q, scales[b % len(scales)], radius)
            c = turned(matrices[b % len(matrices)], g) * np.array(target)[:, None, None, None]
            if width:
                js = [j for j in range(-5, 6) if abs(j) < np.ceil(target[0] * width)]
                ws = [window_of(j / target[0], 1 / min(target), width) for j in js]
                want[b] = sum(w * sampled(values[0], shape[1:], layout, c + np.array([j, 0, 0])[:, None, None, None], method, 3)
                              for j, w in zip(js, ws)) / sum(ws)
            else:
                want[b] = sampled(values[0], shape[1:], layout, c, method, 3)
            want[b] *= np.sum(g**2, axis=0) <= cutoff**2
        out, source = self.place(want.shape, dtype), self.given(values, dtype)
        opts = ExtractOpts(Shape(*slices), Shape(0, *target), addressof(scaled.array) if scaled else None, None, None,
                           cutoff, *radius, width, 0, method, layout, to)
        what = ('fourier_extract', dtype, shape, slices, LAYOUTS[layout], LAYOUTS[to], 'method', method, 'window', width)
        self.threads()
        status = self.lib.tess_fourier_extract(out.ref(), source.ref(), tess.shape_value(shape), given.ref(), byref(opts))
        if self.succeeds(status, *what):
            self.written_near(out, want if dtype.kind == 'complex' else want.real, 8 * SLACK[dtype.name], *what)

    # ---- Symmetry ----

    def check_symmetry(self, dtype, dims, method):
        n = self.rng.randint(1, 3)
        shape = (n, self.rng.randint(2, 7) if dims == 3 else 1, self.rng.randint(1, 8), self.rng.randint(1, 9))
        layout, to = self.rng.choice(list(LAYOUTS)), self.rng.choice(list(LAYOUTS))
        name = self.rng.choice(('C1', 'C3', 'd2', 'D5', 'O') if dims == 3 else ('c1', 'C3', 'C5'))
        group, own = group_of(name.upper()), slice(3 - dims, 3)
        before, after = (self.generator.normal(size=(self.rng.choice((1, n)), dims, dims)) for _ in range(2))
        use = [self.rng.random() < 0.5 for _ in range(4)]
        centre = (self.generator.normal(size=3) * 3 * use[0]) * (np.arange(3) >= 3 - dims)
        shifts = self.generator.normal(size=(self.rng.choice((1, n)), dims)) * 3
        cutoff, whole = self.rng.uniform(0.2, 0.9), self.rng.randint(0, 1)
        values = self.volume_values(shape, layout, dtype)
        is_complex = dtype.kind == 'complex'
        q = frequencies(shape, to)
        want = np.zeros(spectrum_shape(shape, to), complex)
        for b in range(n):
            a, z, s = np.eye(3), np.eye(3), np.zeros(3)
            a[own, own] = before[b % len(before)] if use[1] else np.eye(dims)
            z[own, own] = after[b % len(after)] if use[2] else np.eye(dims)
            s[own] = shifts[b % len(shifts)] if use[3] else 0
            given = moved_by(values[b], shape, layout, -np.linalg.inv(a).T @ centre) if is_complex else values[b]
            for m in group:
                c = turned(a @ np.linalg.inv(m) @ z, q) * np.array(shape[1:])[:, None, None, None]
                want[b] += sampled(given, shape[1:], layout, c, method, dims)
            if is_complex:
                want[b] *= np.exp(-2j * np.pi * np.tensordot(z.T @ centre + s, q, 1))
            want[b] *= (np.sum(q**2, axis=0) <= cutoff**2) / (1 if whole else len(group))
        arrays = [self.given(before[:, None], F64), self.given(after[:, None], F64), self.given(shifts[:, None, None], F64)]
        out, source = self.place(want.shape, dtype), self.given(values, dtype)
        opts = SymmetrizeOpts(None, *(addressof(x.array) if u else None for x, u in zip(arrays, use[1:])), cutoff,
                              (c_double * 3)(*centre), method, layout, to, whole)
        what = ('symmetrize_spectrum', name, dtype, shape, LAYOUTS[layout], LAYOUTS[to], 'method', method, use)
        self.threads()
        status = self.lib.tess_symmetrize_spectrum(out.ref(), source.ref(), tess.shape_value(shape), name.encode(), byref(opts))
        if self.succeeds(status, *what):
            self.written_near(out, want if is_complex else want.real, 40 * SLACK[dtype.name], *what)

    def check_band_limited(self, name):
        """Blobs symmetrised in real space, as formulas, and then transformed, beside symmetry of their spectrum."""
        n, sigma = 28, 1.3
        axes = np.meshgrid(*[np.arange(n) - n // 2] * 3, indexing='ij')
        centres = self.generator.uniform(-4, 4, (6, 3))
        blobs = lambda places: np.fft.rfftn(sum(np.exp(-sum((x - c)**2 for x, c in zip(axes, p)) / (2 * sigma**2)) for p in places))
        group = group_of(name)
        given = blobs(centres)
        want = blobs([m @ c for c in centres for m in group]) / len(group)
        shape, layout, to = (1, n, n, n), self.rng.choice(list(LAYOUTS)), self.rng.choice(list(LAYOUTS))
        values = fft_layout.remapped(given[None], shape, fft_layout.H, layout)
        expected = fft_layout.remapped(want[None], shape, fft_layout.H, to)
        out, source = self.place(expected.shape, C64), self.given(values, C64)
        opts = SymmetrizeOpts(None, None, None, None, 0, (c_double * 3)(*[n // 2] * 3), LANCZOS8, layout, to, 0)
        what = ('symmetrize_spectrum of blobs', name, LAYOUTS[layout], LAYOUTS[to])
        status = self.lib.tess_symmetrize_spectrum(out.ref(), source.ref(), tess.shape_value(shape), name.encode(), byref(opts))
        if self.succeeds(status, *what):
            self.written_near(out, expected, 5e-3 * np.abs(expected).max(), *what)

    def symmetry(self, rounds):
        for _ in range(rounds):
            for method in METHODS[1:]:
                self.check_symmetry(self.rng.choice((F32, F64, C32, C64, C64)), self.rng.choice((2, 3)), method)
        for name in ('C3', 'D2', 'D7', 'O'):
            self.check_band_limited(name)

    def sampling(self, rounds):
        for _ in range(rounds):
            for method in METHODS:
                dtype = self.rng.choice((F32, F64, C32, C64, C64))
                self.check_transform(dtype, self.rng.choice((2, 3)), method)
                self.check_extract(dtype, method)

    # ---- Insertion ----

    def slice_case(self, dtype):
        """Slices at random: what all insertions need."""
        n = self.rng.randint(1, 4)
        shape = (n, 1, self.rng.randint(1, 8), self.rng.randint(1, 9))
        layout = self.rng.choice(list(LAYOUTS))
        values = self.volume_values(shape, layout, dtype)
        weights = self.generator.uniform(0, 2, values.shape).astype(dtype.real.replace('f', 'f') == 'f32' and 'f4' or 'f8')
        weighted = self.rng.random() < 0.6
        real = tess.BY_NAME[dtype.real]
        return shape, layout, values, weights if weighted else None, self.given(weights, real) if weighted else None, real

    def check_insert(self, dtype):
        shape, layout, values, weights, own, real = self.slice_case(dtype)
        n = shape[0]
        volume = (1, *(self.rng.randint(1, 9) for _ in range(3)))
        to = self.rng.choice(list(LAYOUTS))
        matrices, given = self.rotations(self.rng.choice((1, n)))
        scales, scaled = self.optional_scales(n)
        radius, cutoff = self.radius(), self.rng.uniform(0.2, 0.9)
        target = tuple(self.rng.choice((m, m, m + 2)) for m in volume[1:])
        want, sums = spread(values, weights, shape, layout, volume, to, matrices, scales, radius, target, cutoff)
        add, method, width = self.rng.randint(0, 1), LINEAR, 0
        if self.rng.random() < 0.4:
            width, method = min(self.rng.uniform(1, 2.5) / min(target), 1), self.rng.choice(METHODS[1:])
            want, sums = self.gathered(values, weights, shape, layout, frequencies(volume, to, target)[None], matrices,
                                       scales, radius, cutoff, (1 / min(target), width), method)
        out, out_weights = self.place_with(np.ones(want.shape), dtype), self.place_with(np.ones(want.shape), real)
        opts = InsertOpts(Shape(*volume), Shape(0, *target), addressof(own.array) if own else None,
                          addressof(scaled.array) if scaled else None, cutoff, *radius, width, 0, method, layout, to, add)
        what = ('fourier_insert', dtype, shape, volume, LAYOUTS[layout], LAYOUTS[to], 'window', width)
        self.threads()
        status = self.lib.tess_fourier_insert(out.ref(), out_weights.ref(), self.given(values, dtype).ref(),
                                              tess.shape_value(shape), given.ref(), byref(opts))
        if self.succeeds(status, *what):
            self.written_near(out, want + add, 20 * SLACK[dtype.name], *what)
            self.written_near(out_weights, sums + add, 20 * SLACK[dtype.name], *what, 'weights')

    def gathered(self, values, weights, shape, layout, f, matrices, scales, radius, cutoff, window, method):
        """Sums over slices for frequencies f, {b,3,d,h,w}."""
        want, sums = np.zeros((f.shape[0], *f.shape[2:]), complex), np.zeros((f.shape[0], *f.shape[2:]))
        for b in range(f.shape[0]):
            inside = np.sum(f[b]**2, axis=0) <= cutoff**2
            for i in range(shape[0]):
                g = turned(np.linalg.inv(matrices[i % len(matrices)]), f[b])
                z = g[0] - sum(g[1 + k]**2 / (2 * radius[k]) for k in range(2) if radius[k])
                c = np.tensordot(scales[i % len(scales)], g[1:], 1) * np.array(shape[2:])[:, None, None, None]
                there = inside & np.all([np.abs(x) <= m // 2 for x, m in zip(c, shape[2:])], axis=0)
                w = window_of(z, *window) * there
                place = (None, c[0], c[1])
                place = (np.zeros_like(c[0]), *place[1:])
                want[b] += w * sampled(values[i], shape[1:], layout, place, method, 2)
                sums[b] += w * (1 if weights is None else sampled(weights[i], shape[1:], layout, place, method, 2))
        return want, sums

    def check_passage(self, dtype):
        shape, layout, values, weights, own, real = self.slice_case(dtype)
        n, m = shape[0], self.rng.randint(1, 3)
        outs = (m, 1, self.rng.randint(1, 8), self.rng.randint(1, 8))
        to, method = self.rng.choice(list(LAYOUTS)), self.rng.choice(METHODS[1:])
        matrices, given = self.rotations(self.rng.choice((1, n)))
        others, out_given = self.rotations(m)
        scales, scaled = self.optional_scales(n)
        out_scales, out_scaled = self.optional_scales(m)
        radius, out_radius, cutoff, divide = self.radius(), self.radius(), self.rng.uniform(0.2, 0.9), self.rng.randint(0, 1)
        least = min(shape[2:])
        width = min(self.rng.uniform(1, 2.5) / least, 1)
        q = frequencies(outs, to)
        g = [curved(q, out_scales[b % len(out_scales)], out_radius) for b in range(m)]
        f = np.stack([turned(others[b], g[b]) for b in range(m)])
        want, sums = self.gathered(values, weights, shape, layout, f, matrices, scales, radius, cutoff, (1 / least, width),
                                   method)
        if divide:
            want = want / np.maximum(1, np.abs(sums))
        out, out_weights = self.place(want.shape, dtype), self.place(want.shape, real)
        opts = PassOpts(Shape(*outs), addressof(own.array) if own else None, addressof(scaled.array) if scaled else None,
                        addressof(out_scaled.array) if out_scaled else None, cutoff, *radius, *out_radius, width, 0, method,
                        layout, to, divide, 0)
        what = ('fourier_insert_extract', dtype, shape, outs, LAYOUTS[layout], LAYOUTS[to], 'window', width)
        self.threads()
        status = self.lib.tess_fourier_insert_extract(out.ref(), out_weights.ref(), self.given(values, dtype).ref(),
                                                      tess.shape_value(shape), given.ref(), out_given.ref(), byref(opts))
        if self.succeeds(status, *what):
            self.written_near(out, want, 20 * SLACK[dtype.name], *what)
            self.written_near(out_weights, sums, 20 * SLACK[dtype.name], *what, 'weights')

    def check_correction(self, dtype, method):
        shape = tuple(self.rng.randint(1, 7) for _ in range(4))
        values = self.values_for(dtype, shape).astype(dtype.numpy)
        multiply = self.rng.randint(0, 1)
        rows = []
        for axis in (1, 2, 3):
            n = shape[axis]
            row = np.ones(n)
            for i in range(n if n > 1 else 0):
                u, reach = (i - n // 2) / n, {LANCZOS6: 3, LANCZOS8: 4}.get(method, 2)
                row[i] = sum(integrate.quad(lambda t: self.weight(method, t, j) * np.cos(2 * np.pi * u * (t - j)), 0, 1,
                                            points=[0.5])[0] for j in range(1 - reach, reach + 1))
            rows.append(row.reshape([n if k == axis else 1 for k in range(4)]))
        factor = rows[0] * rows[1] * rows[2]
        want = values * factor if multiply else values / factor
        out = self.place(shape, dtype)
        what = ('gridding_correct', dtype, shape, 'method', method)
        if self.succeeds(self.lib.tess_gridding_correct(out.ref(), self.given(values, dtype).ref(),
                                                        byref(GriddingOpts(method, multiply))), *what):
            self.written_near(out, want, SLACK[dtype.name] * max(1, float(np.max(np.abs(want)))), *what)

    @staticmethod
    def weight(method, t, j):
        """That of element j of those around t, 0 <= t < 1."""
        if method in (LANCZOS4, LANCZOS6, LANCZOS8):
            k, w = taps_of(method, np.array(t))
            return dict(zip((int(i) for i in k), w)).get(j, 0.0)
        return float(kernel(method, np.array(j - t) if method != NEAREST else np.array(t - j)))

    def check_division(self):
        shape = tuple(self.rng.randint(1, 6) for _ in range(4))
        values = self.values_for(C64, shape).astype('c16')
        weights = self.generator.uniform(0, 1, shape)
        noise, least = self.rng.choice((0.0, 0.3)), self.rng.uniform(0.1, 0.5)
        out = self.place(shape, C64)
        if self.succeeds(self.lib.tess_fourier_normalize(out.ref(), self.given(values, C64).ref(),
                                                         self.given(weights, F64).ref(), byref(NormalizeOpts(noise, least))),
                         'fourier_normalize'):
            self.written_near(out, values / np.maximum(weights + noise, least), 1e-12, 'fourier_normalize', shape)

    def insertion(self, rounds):
        for i in range(rounds):
            for dtype in (C32, C64):
                self.check_insert(dtype)
                self.check_insert(dtype)
                self.check_passage(dtype)
            self.check_correction(self.rng.choice((F32, F64, C64)), METHODS[i % 8])
            self.check_division()


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (('sampling', lambda: tests.sampling(tess.rounds(16))),
                                    ('symmetry', lambda: tests.symmetry(tess.rounds(5))),
                                    ('insertion', lambda: tests.insertion(tess.rounds(24)))))


if __name__ == '__main__':
    sys.exit(main())
