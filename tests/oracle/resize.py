"""Crop, pad, bin, extract and insert compared with NumPy: python3 resize.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Borders are those of np.pad,
blocks are sums of slices, sub-regions are taken and put by index. The last line counts comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int32, c_uint32, c_void_p

import numpy as np

import copies
import tess

np.seterr(all='ignore')

DTYPES = tess.SCALARS
ZERO, VALUE, CLAMP, PERIODIC, MIRROR, REFLECT, NOTHING = range(1, 8)
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


def raw(values):
    """What NumPy can move: elements of c16 as their bits."""
    return np.ascontiguousarray(values).view('u4') if values.dtype.names else values


def element(number, dtype):
    """A number in a dtype; of c16 its bits."""
    z = complex(number)
    if dtype.kind != 'complex':
        return np.array(z.real).astype(dtype.numpy)
    return raw(copies.complex_from(np.array([z.real]), np.array([z.imag]), dtype))[0]


def places_along(n, origin, count, border):
    """Which elements of an axis stand at `count` places from `origin` on; -1 for none."""
    far = pad_axis(np.arange(n).reshape(1, 1, 1, n), 3, 30, 50, ZERO if border == NOTHING else border, -1).ravel()
    return far[origin + 30:origin + 30 + count]


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
            return copies.complex_from(self.generator.normal(0, 9, shape), self.generator.normal(0, 9, shape), dtype)
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
        want = padded(raw(values), left, right, border, element(value, dtype)).view(dtype.numpy)
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
            want = padded(raw(values), left, right, border, element(value, dtype))
            self.written(out, want.view(dtype.numpy), *what)

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

    def with_odd(self, values):
        """Here and there an infinity or a NaN."""
        for part in copies.float_parts(values):
            odd = self.generator.random(part.shape) < 0.02
            part[odd] = self.generator.choice([np.nan, np.inf, -np.inf], int(odd.sum()))
        return values

    def block_sums(self, x, factors, partial):
        """Sums of blocks, and of how many elements each is."""
        x, counts = x.astype(np.longdouble) if x.dtype.kind == 'f' else x.astype('i8'), np.ones(())
        for axis, factor in enumerate(factors):
            n = x.shape[axis] if partial else x.shape[axis] // factor * factor
            starts = np.arange(0, n, factor)
            x = np.add.reduceat(np.take(x, np.arange(n), axis), starts, axis)
            sizes = np.minimum(starts + factor, n) - starts
            counts = counts * sizes.reshape([-1 if k == axis else 1 for k in range(4)])
        return x, counts

    def check_bin(self, dtype):
        shape = self.random_shape()
        factors = tuple(self.rng.randint(1, min(n, 5)) for n in shape)
        is_sum, partial = self.rng.randrange(2), self.rng.randrange(2)
        values = self.values_for(dtype, shape)
        if self.rng.random() < 0.5:
            values = self.with_odd(values)
        integer = {'bool': 'i64', 'int': 'i64', 'uint': 'u64'}.get(dtype.kind)
        name = (integer if is_sum else 'f64') if integer else {'f16': 'f32', 'c16': 'c32'}.get(dtype.name, dtype.name)
        blocks = tuple((n + f - 1) // f if partial else n // f for n, f in zip(shape, factors))
        source, out = self.place_with(values, dtype), self.place(blocks, tess.BY_NAME[name])
        what = ('bin', dtype, shape, factors, 'sum' if is_sum else 'mean', 'partial' if partial else 'whole')
        self.threads()
        if not self.succeeds(self.lib.tess_bin(out.ref(), source.ref(), tess.shape_value(factors),
                                               byref(BinOpts(is_sum, partial))), *what):
            return
        unit = 0 if integer and is_sum else 2.0**-23 if name in ('f32', 'c32') else 2.0**-52
        for part, got in zip(copies.float_parts(values) or [values], copies.float_parts(out.view) or [out.view]):
            want, counts = self.block_sums(part, factors, partial)
            want = want if is_sum else want / counts
            slack = float(np.abs(np.nan_to_num(part.astype('f8'), posinf=0, neginf=0)).sum()) * 2.0**-52
            if name == dtype.name == 'f32' and factors[3] == 2 and np.prod(factors) == 4:  # sums of f32
                magnitudes = self.block_sums(np.abs(np.nan_to_num(part, posinf=0, neginf=0)), factors, partial)[0]
                slack = slack + magnitudes * 2.0**-23 / (1 if is_sum else counts)
            near = np.abs(got - want) <= np.abs(want) * unit + slack
            self.expect(bool(np.all(near | (got == want) | (np.isnan(got) & np.isnan(want)))), *what)
        self.expect(out.holds(out.view.copy(), any_nan=True), *what, 'writes outside the view')

    def bins(self, rounds):
        for _ in range(rounds):
            for dtype in DTYPES:
                self.check_bin(dtype)

    # ---- Sub-regions ----

    def random_origins(self, n, shape):
        """n places of 2, 3 or 4 coordinates: as b, d, h, w, b being the number of a batch, and as they are passed."""
        kind, k = self.rng.choice(INTEGERS), self.rng.randint(2, 4)
        least = -5 if kind.kind == 'int' else 0
        given = np.stack([self.generator.integers(least, shape[axis] + 3, n) for axis in range(4 - k, 4)], 1)
        places = np.zeros((n, 4), int)
        places[:, 4 - k:] = given
        if k < 4 and shape[0] > 1:
            places[:, 0] = np.arange(n)
        return places, self.place_with(given.astype(kind.numpy).reshape(n, 1, 1, k), kind)

    def random_regions(self):
        """The shape of an array, how many regions, their shape and where they lie."""
        n, shape = self.rng.randint(1, 6), self.random_shape()
        shape = (self.rng.choice((1, n)), *shape[1:])
        size = (1, self.rng.randint(1, shape[1] + 1), self.rng.randint(1, 9), self.rng.randint(1, 9))
        return shape, n, size, *self.random_origins(n, shape)

    def check_extract(self, dtype, border):
        shape, n, size, places, origins = self.random_regions()
        values, value = self.values_for(dtype, shape), 1 - 2j if dtype.kind == 'complex' else 1
        source, out = self.place_with(values, dtype), self.place((n, *size[1:]), dtype)
        want = raw(out.view).copy()
        for i, place in enumerate(places):
            index = [places_along(shape[k], place[k], size[k], border) for k in range(4)]
            inside = np.ix_(*(at >= 0 for at in index))
            if border != NOTHING:
                want[i:i + 1] = element(value if border == VALUE else 0, dtype)
            want[i:i + 1][inside] = raw(values)[np.ix_(*(at[at >= 0] for at in index))]
        opts = ResizeOpts(border, 0, 1, -2 if dtype.kind == 'complex' else 0)
        what = ('extract', dtype, shape, places.tolist(), size, MODES.get(border, 'nothing'))
        self.threads()
        if self.succeeds(self.lib.tess_extract(out.ref(), source.ref(), origins.ref(), tess.shape_value(size),
                                               byref(opts if border == VALUE else ResizeOpts(border))), *what):
            self.written(out, want.view(dtype.numpy), *what)

    def weights_for(self, dtype, shape):
        """Real weights that broadcast to `shape` and whose products with whole numbers are exact, and their dtype."""
        real = tess.BY_NAME[dtype.real]
        if real.kind == 'float':
            real = tess.BY_NAME[self.rng.choice(('f16', 'f32', 'f64'))]
        choices = [0, 0.5, 1, 2] if real.kind == 'float' else [0, 1] if real.kind == 'bool' else [0, 1, 2]
        return self.generator.choice(choices, [self.rng.choice((n, 1)) for n in shape]).astype(real.numpy), real

    def inserted(self, before, parts, places, add, weights):
        """Parts put into an array or added to it one after the other, and the sums of their weights."""
        out, sums = before.copy(), np.zeros(before.shape)
        for i, place in enumerate(places):
            index = [place[k] + np.arange(n) for k, n in enumerate((1, *parts.shape[1:]))]
            inside = [(at >= 0) & (at < n) for at, n in zip(index, before.shape)]
            to, of = np.ix_(*(at[kept] for at, kept in zip(index, inside))), np.ix_(*inside)
            if not add:
                out[to] = parts[i:i + 1][of]
                continue
            sums[to] += 1 if weights is None else weights[i:i + 1][of]
            for x, y in zip(*(copies.float_parts(z) or [z] for z in (out, parts))):
                x[to] = x[to] + (y[i:i + 1][of] if weights is None else y[i:i + 1][of] * weights[i:i + 1][of])
        return out, sums

    def check_insert(self, dtype, add, weighted):
        shape, n, size, places, origins = self.random_regions()
        before, parts = self.values_for(dtype, shape), self.values_for(dtype, (n, *size[1:]))
        for x in (*copies.float_parts(before), *copies.float_parts(parts)):  # sums of small whole numbers are exact
            x[...] = np.rint(x)
        out, source = self.place_with(before, dtype), self.place_with(parts, dtype)
        weights = held = sums = None
        if weighted:
            weights, real = self.weights_for(dtype, parts.shape)
            held, weights = self.place_with(weights, real), np.broadcast_to(weights, parts.shape)
        if add and self.rng.random() < 0.5:
            f32 = tess.BY_NAME['f32']
            sums = self.place_with(np.zeros(shape, f32.numpy), f32)
        want, totals = self.inserted(before, parts, places, add, weights)
        opts = InsertOpts(add, 0, *(ctypes.addressof(x.array) if x else None for x in (held, sums)))
        what = ('insert', dtype, shape, places.tolist(), size, 'add' if add else 'put', held and held.dtype)
        self.threads()
        if self.succeeds(self.lib.tess_insert(out.ref(), source.ref(), origins.ref(), byref(opts)), *what):
            self.written(out, want, *what)
            if sums:
                self.written(sums, totals, *what, 'sums of weights')

    def regions(self, rounds):
        for _ in range(rounds):
            for dtype in DTYPES:
                for border in (*MODES, NOTHING):
                    self.check_extract(dtype, border)
                for add, weighted in ((0, 0), (1, 0), (1, 1)):
                    self.check_insert(dtype, add, weighted)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('borders', lambda: tests.borders(tess.rounds(6))), ('blocks', lambda: tests.bins(tess.rounds(20))),
        ('sub-regions', lambda: tests.regions(tess.rounds(8)))))


if __name__ == '__main__':
    sys.exit(main())
