"""Samples at given coordinates, their adjoint, and zoom, compared with SciPy: python3 geometry_coordinates.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Orders 0, 1 and 3 are those
of scipy.ndimage.map_coordinates and zoom, in f64; other methods are their formulas (geometry_transform.py). The adjoint is
compared with the sum over samples of unit images. The last line counts comparisons.
"""
import ctypes
import itertools
import sys
from ctypes import byref, c_double, c_int, c_int32, c_uint32, c_void_p

import numpy as np
from scipy import ndimage

import copies
import geometry_transform as transforms
import tess
from geometry_transform import BOUND, BSPLINE, CLAMP, ELEMENTS, LANCZOS8, LINEAR, MIRROR, MODES, NEAREST, PERIODIC, REFLECT, VALUE


class CoordinatesOpts(ctypes.Structure):
    _fields_ = [('interp', c_int32), ('border', c_int32), ('prefilter', c_int32), ('cut', c_int32), ('value', c_double),
                ('value_imag', c_double), ('reserved', c_uint32 * 4)]


class ZoomOpts(ctypes.Structure):
    _fields_ = [('interp', c_int32), ('border', c_int32), ('prefilter', c_int32), ('pixel_grid', c_int32),
                ('antialias', c_int32), ('unused', c_int32), ('value', c_double), ('value_imag', c_double),
                ('reserved', c_uint32 * 4)]


class Tests(transforms.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        lib.tess_map_coordinates.restype, lib.tess_map_coordinates.argtypes = c_int, [c_void_p] * 4
        lib.tess_map_coordinates_adjoint.restype = lib.tess_zoom.restype = c_int
        lib.tess_map_coordinates_adjoint.argtypes = [c_void_p] * 3 + [tess.ShapeValue, c_void_p]
        lib.tess_zoom.argtypes = [c_void_p] * 2 + [c_double] * 3 + [c_void_p]

    def images(self, dims, most):
        """A shape of images or volumes, the numbers of batches of a result and of its points."""
        sizes = [self.rng.randint(1, most) for _ in range(dims)]
        b = self.rng.randint(1, 3)
        n_in, n_points = self.rng.choice(((1, b), (b, 1), (b, b)))
        return [n_in] + [1] * (3 - dims) + sizes, b, n_points

    def check_samples(self, method, dims, border):
        dtype, most = self.rng.choice(ELEMENTS), 7 if dims == 3 else 14
        shape, b, n_points = self.images(dims, most)
        values = self.numbers(shape, dtype)
        name = self.rng.choice(('f32', 'f64'))
        at = self.generator.uniform(-4, most + 3, (n_points, self.rng.randint(1, 3), self.rng.randint(1, 40), dims))
        at = at.astype(tess.BY_NAME[name].numpy)
        value = 0.75 if border == VALUE else 0
        prefilter = method == BSPLINE and border in (PERIODIC, MIRROR, REFLECT) and self.rng.random() < 0.7
        opts = CoordinatesOpts(method, border, int(prefilter), 0, value)
        source, points = self.place_with(values, dtype), self.place_with(at, tess.BY_NAME[name])
        out = self.place((b, 1) + at.shape[1:3], dtype)
        what = ('map_coordinates', dims, 'method', method, 'border', border, dtype, values.shape, 'at', name, at.shape)
        if not self.succeeds(self.lib.tess_map_coordinates(out.ref(), source.ref(), points.ref(), byref(opts)), *what):
            return
        want = []
        for i in range(b):
            x = values[i % shape[0]].reshape(shape[4 - dims:]).astype('c16' if dtype.name[0] == 'c' else 'f8')
            for axis in range(dims) if prefilter else ():
                x = transforms.spline(x, axis, border)
            want.append(transforms.sampled(x, np.moveaxis(at[i % n_points].astype('f8'), -1, 0), method, border, value))
        self.near(out, np.stack(want)[:, None], BOUND[dtype.name] * (5 if prefilter else 1), *what)

    def samples(self, rounds):
        for _ in range(rounds):
            for method, border in itertools.product(range(NEAREST, LANCZOS8 + 1), MODES):
                if self.rng.random() < 0.5:
                    self.check_samples(method, self.rng.choice((2, 3)), border)

    def constants(self, rounds):
        """SciPy's mode 'constant' is `cut`, with the border REFLECT for splines."""
        for _ in range(rounds):
            for order, method in ((0, NEAREST), (1, LINEAR), (3, BSPLINE)):
                dims = self.rng.choice((2, 3))
                shape = [1] * (4 - dims) + [self.rng.randint(1, 9) for _ in range(dims)]
                dtype = tess.BY_NAME['f64']
                values = self.numbers(shape, dtype)
                at = self.generator.uniform(-2, 9, (1, 1, 50, dims))
                source, points, out = self.place_with(values, dtype), self.place_with(at, dtype), self.place((1, 1, 1, 50), dtype)
                opts = CoordinatesOpts(method, REFLECT, order == 3, 1, -2.5)
                what = ('constant', order, shape)
                if self.succeeds(self.lib.tess_map_coordinates(out.ref(), source.ref(), points.ref(), byref(opts)), *what):
                    want = ndimage.map_coordinates(values.reshape(shape[4 - dims:]), at[0, 0].T, order=order, mode='constant',
                                                   cval=-2.5)
                    self.near(out, want.reshape(out.view.shape), 1e-10, *what)

    def adjoints(self, rounds):
        """Of f64: column k of the matrix is what a unit image k is sampled as."""
        dtype = tess.BY_NAME['f64']
        for _ in range(rounds):
            for method, border in itertools.product((NEAREST, LINEAR, BSPLINE, LANCZOS8), MODES):
                dims, n = self.rng.choice((2, 3)), self.rng.randint(1, 30)
                sizes = [self.rng.randint(1, 4) for _ in range(dims)]
                b, sums = self.rng.randint(1, 2), self.rng.random() < 0.5
                values, at = self.numbers((b, 1, 1, n), dtype), self.generator.uniform(-3, 6, (1, 1, n, dims))
                image = (1 if sums else b,) + (1,) * (3 - dims) + tuple(sizes)
                source, points, out = self.place_with(values, dtype), self.place_with(at, dtype), self.place(image, dtype)
                opts, what = CoordinatesOpts(method, border), ('adjoint', method, border, image, b, n)
                if not self.succeeds(self.lib.tess_map_coordinates_adjoint(
                        out.ref(), source.ref(), points.ref(), tess.shape_value(image), byref(opts)), *what):
                    continue
                units = np.eye(int(np.prod(sizes))).reshape([-1] + sizes)
                columns = np.stack([transforms.sampled(u, at[0, 0].T, method, border, 0) for u in units])
                want = (values.reshape(b, n) @ columns.T).reshape((b,) + image[1:])
                self.near(out, want.sum(axis=0, keepdims=True) if sums else want, 1e-11, *what)

    def zooms(self, rounds):
        for _ in range(rounds):
            for order, method in ((0, NEAREST), (1, LINEAR), (3, BSPLINE)):
                dims, grid = self.rng.choice((2, 3)), self.rng.random() < 0.5
                border = self.rng.choice((PERIODIC, MIRROR, REFLECT) + ((CLAMP, VALUE) if order < 3 else ()))
                if border == MIRROR and order == 3:  # SciPy's coefficients are wrong there: geometry_transform.py
                    border = REFLECT
                shape = [1] * (4 - dims) + [self.rng.randint(2, 9) for _ in range(dims)]
                factors = list(self.generator.uniform(0.3, 3, dims))
                dtype = tess.BY_NAME['f64']
                values = self.numbers(shape, dtype)
                flat = values.reshape(shape[4 - dims:])
                value = 0.5 if border == VALUE else 0
                want = ndimage.zoom(flat, factors, order=order, mode=MODES[border], cval=value, grid_mode=grid)
                source, out = self.place_with(values, dtype), self.place(shape[:4 - dims] + list(want.shape), dtype)
                opts = ZoomOpts(method, border, order == 3, grid, 0, 0, value)
                what = ('zoom', order, border, grid, shape, factors)
                if not self.succeeds(self.lib.tess_zoom(out.ref(), source.ref(), *([1.0] * (3 - dims)), *factors, byref(opts)),
                                     *what):
                    continue
                bound = 1e-10
                if method == NEAREST:  # where rounding of coordinates decides between two elements, either is right
                    bound = np.full(want.shape, 1e-10)
                    for axis, (n, m) in enumerate(zip(flat.shape, want.shape)):
                        i = np.arange(m)
                        at = (i + 0.5) * n / m - 0.5 if grid else i * (n - 1) / max(m - 1, 1)
                        tie = np.abs(at - np.floor(at) - 0.5) < 1e-9
                        np.moveaxis(bound, axis, 0)[tie] = 3
                    bound = bound.reshape(out.view.shape)
                self.near(out, want.reshape(out.view.shape), bound, *what)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('samples', lambda: tests.samples(tess.rounds(12))),
        ('constants', lambda: tests.constants(tess.rounds(40))),
        ('adjoints', lambda: tests.adjoints(tess.rounds(3))),
        ('zooms', lambda: tests.zooms(tess.rounds(60)))))


if __name__ == '__main__':
    sys.exit(main())
