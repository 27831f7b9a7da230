"""Crop, pad, bin, extract and insert compared with NumPy: python3 resize.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Borders are those of np.pad,
blocks are sums over reshaped arrays, sub-regions are slices. The last line counts comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int32, c_uint32, c_void_p

import numpy as np

import copies
import tess

np.seterr(all='ignore')

DTYPES = [d for d in tess.SCALARS if d.name != 'c16']
ZERO, VALUE, CLAMP, PERIODIC, MIRROR, REFLECT = range(1, 7)
MODES = {ZERO: 'constant', VALUE: 'constant', CLAMP: 'edge', PERIODIC: 'wrap', MIRROR: 'symmetric', REFLECT: 'reflect'}
INTEGERS = [d for d in DTYPES if d.kind in ('int', 'uint')]


class ResizeOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('unused', c_int32), ('value', c_double), ('value_imag', c_double),
                ('reserved', c_uint32 * 4)]


class BinOpts(ctypes.Structure):
    _fields_ = [('sum', c_int32), ('partial', c_int32), ('reserved', c_uint32 * 6)]


class InsertOpts(ctypes.Structure):
    _fields_ = [('add', c_int32), ('unused', c_int32), ('weights', c_void_p), ('weight_sums', c_void_p),
                ('reserved', c_uint32 * 4)]


def pad_axis(values, axis, left, right, border, value):
    """np.pad of one axis; negative counts crop afterwards. np.pad before 1.25 gets several periods wrong."""
    add = (max(left, 0), max(right, 0))
    if border == PERIODIC and max(add) > values.shape[axis]:
        index = np.arange(-add[0], values.shape[axis] + add[1])
        padded = np.take(values, index, axis, mode='wrap')
    else:
        more = {'constant_values': value} if border <= VALUE else {}
        padded = np.pad(values, [add if k == axis else (0, 0) for k in range(4)], MODES[border], **more)
    end = padded.shape[axis] + min(right, 0)
    return padded[(slice(None),) * axis + (slice(max(-left, 0), max(end, 0)),)]


def padded(values, left, right, border, value):
    for axis in range(4):
        values = pad_axis(values, axis, left[axis], right[axis], border, value)
    return values


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        shape = tess.ShapeValue
        for name, arguments in (('resize', [c_void_p, c_void_p, shape, c_void_p]),
                                ('pad', [c_void_p, c_void_p, shape, shape, c_void_p]),
                                ('crop', [c_void_p, c_void_p, shape, shape]),
                                ('bin', [c_void_p, c_void_p, shape, c_void_p]),
                                ('extract', [c_void_p, c_void_p, c_void_p, shape, c_void_p]),
                                ('insert', [c_void_p, c_void_p, c_void_p, c_void_p])):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, arguments

    def values_for(self, dtype, shape):
        if dtype.kind == 'complex':
            return (self.generator.normal(size=shape) + 1j * self.generator.normal(size=shape)).astype(dtype.numpy)
        if dtype.kind == 'float':
            return self.generator.normal(0, 9, shape).astype(dtype.numpy)
        return self.generator.integers(0, 2 if dtype.kind == 'bool' else 100, shape).astype(dtype.numpy)

    def random_shape(self, least=1):
        return tuple(self.rng.randint(least, most) for most in (3, 4, 13, 30))

    def threads(self):
        self.lib.tess_threads_set(self.rng.choice((1, 2, 3)))

    # ---- Borders ----

    def check_pad(self, dtype, border):
        shape = self.random_shape()
        left = [self.rng.choice((0, 0, self.rng.randint(-n, 2 * n + 3))) for n in shape]
        right = [self.rng.choice((0, 0, self.rng.randint(max(-n, -n - l), 2 * n + 3))) for n, l in zip(shape, left)]
        values = self.values_for(dtype, shape)
        value = (1 - 2j if dtype.kind == 'complex' else 1) if border == VALUE else 0
        want = padded(values, left, right, border, value)
        opts = ResizeOpts(border, 0, complex(value).real, complex(value).imag)
        source, out = self.place_with(values, dtype), self.place(want.shape, dtype)
        what = ('pad', dtype, shape, left, right, MODES[border])
        self.threads()
        if self.succeeds(self.lib.tess_pad(out.ref(), source.ref(), tess.shape_value(left), tess.shape_value(right),
                                           byref(opts)), *what):
            self.written(out, want, *what)

    def check_resize(self, dtype, border):
        shape, target = self.random_shape(), self.random_shape()
        left = [m // 2 - n // 2 for n, m in zip(shape, target)]
        right = [m - n - l for n, m, l in zip(shape, target, left)]
        values = self.values_for(dtype, shape)
        source, out = self.place_with(values, dtype), self.place(target, dtype)
        value = 1 if border == VALUE else 0
        what = ('resize', dtype, shape, target, MODES[border])
        if self.succeeds(self.lib.tess_resize(out.ref(), source.ref(), tess.shape_value(target),
                                              byref(ResizeOpts(border, 0, value))), *what):
            self.written(out, padded(values, left, right, border, value), *what)

    def check_crop(self, dtype):
        shape = self.random_shape(0)
        left = [self.rng.randint(0, n) for n in shape]
        right = [self.rng.randint(0, n - l) for n, l in zip(shape, left)]
        values = self.values_for(dtype, shape)
        want = values[tuple(slice(l, n - r) for n, l, r in zip(shape, left, right))]
        source, out = self.place_with(values, dtype), self.place(want.shape, dtype)
        what = ('crop', dtype, shape, left, right)
        if self.succeeds(self.lib.tess_crop(out.ref(), source.ref(), tess.shape_value(left), tess.shape_value(right)),
                         *what):
            self.written(out, want, *what)

    def borders(self, rounds):
        for _ in range(rounds):
            for dtype in DTYPES:
                for border in MODES:
                    self.check_pad(dtype, border)
                    self.check_resize(dtype, border)
                self.check_crop(dtype)

    # ---- Blocks ----

    def check_bin(self, dtype):
        shape = self.random_shape()
        factors = tuple(self.rng.randint(1, min(n, 5)) for n in shape)
        whole = tuple(n // f for n, f in zip(shape, factors))
        values = self.values_for(dtype, shape)
        cut = values[tuple(slice(0, n * f) for n, f in zip(whole, factors))]
        split = cut.reshape([k for pair in zip(whole, factors) for k in pair])
        is_sum = self.rng.randrange(2)
        wide = {'float': np.longdouble, 'complex': np.clongdouble}.get(dtype.kind, np.int64)
        want = split.astype(wide).sum(axis=(1, 3, 5, 7))
        if not is_sum:
            want = want / np.prod(factors)
        integer = {'bool': 'i64', 'int': 'i64', 'uint': 'u64'}.get(dtype.kind)
        name = (integer if is_sum else 'f64') if integer else 'f32' if dtype.name == 'f16' else dtype.name
        source, out = self.place_with(values, dtype), self.place(whole, tess.BY_NAME[name])
        what = ('bin', dtype, shape, factors, 'sum' if is_sum else 'mean')
        self.threads()
        if not self.succeeds(self.lib.tess_bin(out.ref(), source.ref(), tess.shape_value(factors),
                                               byref(BinOpts(is_sum, 0))), *what):
            return
        got = out.view.copy()
        if integer and is_sum:
            good = np.array_equal(got, want)
        else:
            unit = 2.0**-23 if name in ('f32', 'c32') else 2.0**-52
            slack = float(np.abs(split.astype(wide)).sum()) * 2.0**-52
            good = np.all(np.abs(got - want) <= np.abs(want) * unit + slack)
        self.expect(bool(good), *what)
        self.expect(out.holds(got, any_nan=True), *what, 'writes outside the view')

    def bins(self, rounds):
        for _ in range(rounds):
            for dtype in DTYPES:
                self.check_bin(dtype)

    # ---- Sub-regions ----

    def random_origins(self, n, shape):
        kind = self.rng.choice(INTEGERS)
        least = -5 if kind.kind == 'int' else 0
        origins = np.stack([self.generator.integers(least, shape[k] + 3, n) for k in (2, 3)], 1).astype(kind.numpy)
        return origins.astype(int), self.place_with(origins.reshape(n, 1, 1, 2), kind)

    def check_extract(self, dtype, border):
        shape = (1, *self.random_shape()[1:])
        n, (h, w) = self.rng.randint(1, 6), (self.rng.randint(1, 9), self.rng.randint(1, 9))
        values = self.values_for(dtype, shape)
        places, origins = self.random_origins(n, shape)
        wide = padded(values, (0, 0, 20, 20), (0, 0, 40, 40), border, 0)
        want = np.concatenate([wide[:, :, y + 20:y + 20 + h, x + 20:x + 20 + w] for y, x in places])
        source, out = self.place_with(values, dtype), self.place(want.shape, dtype)
        what = ('extract', dtype, shape, places.tolist(), (h, w), MODES[border])
        self.threads()
        if self.succeeds(self.lib.tess_extract(out.ref(), source.ref(), origins.ref(),
                                               tess.shape_value((1, shape[1], h, w)), byref(ResizeOpts(border))), *what):
            self.written(out, want, *what)

    def check_insert(self, dtype, add):
        shape = (1, *self.random_shape()[1:])
        n, (h, w) = self.rng.randint(1, 6), (self.rng.randint(1, 9), self.rng.randint(1, 9))
        before, parts = self.values_for(dtype, shape), self.values_for(dtype, (n, shape[1], h, w))
        if dtype.kind in ('float', 'complex'):  # sums of small whole numbers are exact
            before, parts = np.rint(before), np.rint(parts)
        places, origins = self.random_origins(n, shape)
        wide = padded(before, (0, 0, 20, 20), (0, 0, 40, 40), ZERO, 0)
        for i, (y, x) in enumerate(places):
            at = (slice(None), slice(None), slice(y + 20, y + 20 + h), slice(x + 20, x + 20 + w))
            wide[at] = wide[at] + parts[i:i + 1] if add else parts[i:i + 1]
        want = wide[:, :, 20:20 + shape[2], 20:20 + shape[3]]
        out, source = self.place_with(before, dtype), self.place_with(parts, dtype)
        what = ('insert', dtype, shape, places.tolist(), (h, w), 'add' if add else 'put')
        self.threads()
        if self.succeeds(self.lib.tess_insert(out.ref(), source.ref(), origins.ref(), byref(InsertOpts(add))), *what):
            self.written(out, want, *what)

    def regions(self, rounds):
        for _ in range(rounds):
            for dtype in DTYPES:
                for border in (ZERO, CLAMP, PERIODIC, MIRROR, REFLECT):
                    self.check_extract(dtype, border)
                for add in range(2):
                    self.check_insert(dtype, add)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('borders', lambda: tests.borders(6)), ('blocks', lambda: tests.bins(20)),
        ('sub-regions', lambda: tests.regions(8))))


if __name__ == '__main__':
    sys.exit(main())
