"""Transforms and B-spline coefficients compared with SciPy: python3 geometry_transform.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Orders 0, 1 and 3 are those
of scipy.ndimage.map_coordinates, in f64, at coordinates that NumPy computes; cosine, cubic and Lanczos weights are their
formulas here, over arrays that SciPy's order 0 reads tap by tap. The last line counts comparisons.
"""
import ctypes
import itertools
import sys
from ctypes import byref, c_double, c_int, c_int32, c_uint32, c_void_p

import numpy as np
from scipy import ndimage

import copies
import tess

NEAREST, LINEAR, COSINE, CUBIC, BSPLINE, LANCZOS4, LANCZOS6, LANCZOS8 = range(1, 9)
TAPS = {NEAREST: 1, LINEAR: 2, COSINE: 2, CUBIC: 4, BSPLINE: 4, LANCZOS4: 4, LANCZOS6: 6, LANCZOS8: 8}
ZERO, VALUE, CLAMP, PERIODIC, MIRROR, REFLECT = range(1, 7)
MODES = {ZERO: 'grid-constant', VALUE: 'grid-constant', CLAMP: 'nearest', PERIODIC: 'grid-wrap',
         MIRROR: 'grid-mirror', REFLECT: 'mirror'}
ELEMENTS = [tess.BY_NAME[name] for name in ('f32', 'f64', 'c32', 'c64')]
BOUND = {'f32': 2e-5, 'c32': 2e-5, 'f64': 1e-11, 'c64': 1e-11}


class TransformOpts(ctypes.Structure):
    _fields_ = [('interp', c_int32), ('border', c_int32), ('forward', c_int32), ('centred', c_int32),
                ('prefilter', c_int32), ('unused', c_int32), ('value', c_double), ('value_imag', c_double),
                ('centre', c_double * 3), ('shift', c_double * 3), ('shape', tess.ShapeValue), ('reserved', c_uint32 * 4)]


class PrefilterOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('unused', c_int32), ('value', c_double), ('value_imag', c_double),
                ('reserved', c_uint32 * 4)]


# ---- References ----


def kernel(method, x):
    d = np.abs(x)
    if method == COSINE:
        return np.where(d < 1, (1 + np.cos(np.pi * d)) / 2, 0)
    if method == CUBIC:
        near, far = (1.5 * d - 2.5) * d * d + 1, ((-0.5 * d + 2.5) * d - 4) * d + 2
        return np.where(d < 1, near, np.where(d < 2, far, 0))
    if method == BSPLINE:
        return np.where(d < 1, 2 / 3 - d * d + d**3 / 2, np.where(d < 2, (2 - d)**3 / 6, 0))
    a = TAPS[method] // 2
    return np.where(d < a, np.sinc(x) * np.sinc(x / a), 0)


def read(values, indices, border, value):
    """Elements at integer positions, also outside."""
    parts = [values.real, values.imag] if np.iscomplexobj(values) else [values]
    fills = [np.real(value), np.imag(value)]
    mode = MODES[border]
    read_parts = [ndimage.map_coordinates(p.astype('f8'), indices, order=0, mode=mode, cval=f, prefilter=False)
                  for p, f in zip(parts, fills)]
    return read_parts[0] if len(parts) == 1 else read_parts[0] + 1j * read_parts[1]


def by_formula(values, at, method, border, value):
    taps = TAPS[method]
    below = np.floor(at)
    weights = []
    for c, b in zip(at, below):
        w = np.stack([kernel(method, b + k - (taps - 1) // 2 - c) for k in range(taps)])
        weights.append(w / w.sum(axis=0))
    total = 0
    for index in itertools.product(range(taps), repeat=len(at)):
        position = [b + k - (taps - 1) // 2 for b, k in zip(below, index)]
        total = total + np.prod([w[k] for w, k in zip(weights, index)], axis=0) * read(values, position, border, value)
    return total


def sampled(values, at, method, border, value):
    """One image or volume at coordinates {axes, ...}."""
    if method not in (NEAREST, LINEAR) or np.iscomplexobj(values):
        if method == NEAREST:
            return read(values, np.floor(at + 0.5), border, value)
        if method == LINEAR:
            return sampled(values.real, at, method, border, np.real(value)) + \
                1j * sampled(values.imag, at, method, border, np.imag(value))
        return by_formula(values, at, method, border, value)
    if method == NEAREST:
        return read(values, np.floor(at + 0.5), border, value)
    return ndimage.map_coordinates(values.astype('f8'), at, order=1, mode=MODES[border], cval=value, prefilter=False)


# ---- The tests ----


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        for name, n in (('transform_2d', 4), ('transform_3d', 4), ('bspline_prefilter', 3)):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, [c_void_p] * n

    def numbers(self, shape, dtype):
        values = self.generator.uniform(-1, 1, shape)
        if dtype.name[0] == 'c':
            values = values + 1j * self.generator.uniform(-1, 1, shape)
        return values.astype(dtype.numpy)

    def near(self, out, want, bound, *what):
        """Within the bound, and nothing around the view has changed: with the elements as they were, all is."""
        error = np.abs(out.view - want)
        self.expect(bool(np.all(error <= bound)), *what, 'error', float(np.max(error, initial=0)))
        self.expect(out.holds(out.view.copy(), True), *what, 'changed memory around it')

    def check_transform(self, method, dims, border):
        rng, dtype = self.rng, self.rng.choice(ELEMENTS)
        most = 7 if dims == 3 else 14
        sizes = [rng.randint(2 if k == 0 and dims == 3 else 1, most) for k in range(dims)]
        b = rng.randint(1, 3)
        n_in, n_m = rng.choice((1, b)), rng.choice((1, b))
        lead = [1] * (3 - dims)
        values = self.numbers([n_in] + lead + sizes, dtype)
        matrices = self.generator.uniform(-1.2, 1.2, (n_m, 1, dims, dims + 1))
        matrices[..., dims] = self.generator.uniform(-2, most, (n_m, 1, dims))
        shape = tuple([b] + lead + [rng.randint(1, most) for _ in range(dims)])
        value = 0.75 if border == VALUE else 0
        prefilter = method == BSPLINE and border in (PERIODIC, MIRROR, REFLECT) and rng.random() < 0.7
        shift = self.generator.uniform(-2, 2, 3) * ([0] * (3 - dims) + [1] * dims)
        opts = TransformOpts(method, border, 0, 0, int(prefilter), 0, value, 0, (c_double * 3)(), (c_double * 3)(*shift))
        forward = rng.random() < 0.2
        opts.forward = int(forward)
        opts.centred = rng.randint(0, 1)
        source, out = self.place_with(values, dtype), self.place(shape, dtype)
        m = self.place_with(matrices, tess.BY_NAME['f64'])
        what = ('transform', dims, 'method', method, 'border', border, dtype, values.shape, 'to', shape)
        call = self.lib.tess_transform_2d if dims == 2 else self.lib.tess_transform_3d
        if not self.succeeds(call(out.ref(), source.ref(), m.ref(), byref(opts)), *what):
            return
        grid = np.moveaxis(np.indices(shape[4 - dims:]), 0, -1).astype('f8')
        centre = [[n // 2 * opts.centred for n in s[4 - dims:]] for s in (shape, values.shape)]
        want, halves = [], []
        for i in range(b):
            linear, move = matrices[i % n_m, 0, :, :dims], matrices[i % n_m, 0, :, dims]
            if forward:
                linear, move = np.linalg.inv(linear), -np.linalg.inv(linear) @ move
            at = (grid - shift[3 - dims:] - centre[0]) @ linear.T + move + centre[1]
            halves.append(np.abs(at - np.floor(at) - 0.5).min(axis=-1).reshape(shape[1:]))
            x = values[i % n_in].reshape(sizes).astype('c16' if dtype.name[0] == 'c' else 'f8')
            if prefilter:
                for axis in range(dims):
                    x = spline(x, axis, border)
            want.append(sampled(x, np.moveaxis(at, -1, 0), method, border, value).reshape(shape[1:]))
        want = np.stack(want)
        steep = np.linalg.cond(matrices[:, 0, :, :dims]).max() if forward else 1
        bound = BOUND[dtype.name] * (10 * steep if forward else 1)
        if method == NEAREST:  # where rounding of coordinates decides between two elements, either is right
            bound = np.where(np.abs(np.stack(halves)) < 1e-9 * steep, 3, bound)
        self.near(out, want, bound, *what)

    def transforms(self, rounds):
        for _ in range(rounds):
            for method, border in itertools.product(range(NEAREST, LANCZOS8 + 1), MODES):
                if self.rng.random() < 0.5:
                    self.check_transform(method, self.rng.choice((2, 2, 3)), border)

    def identities(self, rounds):
        """The same elements, bit for bit."""
        for _ in range(rounds):
            for method in (NEAREST, LINEAR, COSINE, CUBIC, LANCZOS4, LANCZOS6, LANCZOS8):
                dtype = self.rng.choice(ELEMENTS)
                values = self.numbers((2, 1, self.rng.randint(1, 9), self.rng.randint(1, 40)), dtype)
                source, out = self.place_with(values, dtype), self.place(values.shape, dtype)
                m = self.place_with(np.eye(2).reshape(1, 1, 2, 2), tess.BY_NAME['f64'])
                opts = TransformOpts(method, self.rng.choice(list(MODES)))
                if self.succeeds(self.lib.tess_transform_2d(out.ref(), source.ref(), m.ref(), byref(opts)), 'identity'):
                    self.written(out, values, 'identity', method, dtype, values.shape)

    def prefilters(self, rounds):
        for _ in range(rounds):
            for border in (PERIODIC, MIRROR, REFLECT, CLAMP):
                dtype = self.rng.choice(ELEMENTS)
                most = self.rng.choice((3, 9, 60))
                shape = (self.rng.randint(1, 2), self.rng.choice((1, self.rng.randint(1, 5))),
                         self.rng.choice((1, self.rng.randint(1, 9))), self.rng.randint(1, most))
                values = self.numbers(shape, dtype)
                source, out = self.place_with(values, dtype), self.place(shape, dtype)
                opts = PrefilterOpts(border)
                what = ('prefilter', border, dtype, shape)
                if not self.succeeds(self.lib.tess_bspline_prefilter(out.ref(), source.ref(), byref(opts)), *what):
                    continue
                want = values.astype('c16' if dtype.name[0] == 'c' else 'f8')
                for axis in (3, 2, 1):
                    if shape[axis] > 1:
                        want = spline(want, axis, MIRROR if border == CLAMP else border)
                self.near(out, want, 10 * BOUND[dtype.name], *what)


def spline(values, axis, border):
    """Coefficients along one axis. Those of MIRROR are the solution of the equations of interpolation: SciPy's sum for
    it reads its first element after it has changed it, which is wrong by z^(2n-1) of it."""
    n = values.shape[axis]
    if n == 1:
        return values
    if border == MIRROR:
        equations = (np.diag([4.0] * n) + np.diag([1.0] * (n - 1), 1) + np.diag([1.0] * (n - 1), -1)) / 6
        equations[0, 0] = equations[-1, -1] = 5 / 6
        return np.moveaxis(np.tensordot(np.linalg.inv(equations), values, (1, axis)), 0, axis)
    if np.iscomplexobj(values):
        return spline(values.real, axis, border) + 1j * spline(values.imag, axis, border)
    return ndimage.spline_filter1d(values, 3, axis, output='f8', mode=MODES[border])


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('transforms', lambda: tests.transforms(tess.rounds(12))),
        ('identities', lambda: tests.identities(tess.rounds(8))),
        ('prefilters', lambda: tests.prefilters(tess.rounds(24)))))


if __name__ == '__main__':
    sys.exit(main())
