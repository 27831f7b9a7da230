"""Searching, different elements, histograms, and elements by place and by mask, compared with NumPy:
python3 indices.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. All but densities and sums of
weights in bins of any widths are compared exactly. The last line counts comparisons.
"""
import ctypes
import math
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np

import copies
import tess

np.seterr(all='ignore')

INTEGERS = [d for d in tess.REALS if d.kind in ('int', 'uint')]
I64, F64 = tess.BY_NAME['i64'], tess.BY_NAME['f64']
SETS = [0, 0x80, 0x40, 0xc0, 0x30, 0x90, 0xf0, 0x10]


class Option(ctypes.Structure):
    """Options of one flag: put, searchsorted."""
    _fields_ = [('flag', c_int32), ('reserved', c_uint32 * 7)]


class HistogramOpts(ctypes.Structure):
    _fields_ = [('low', c_double), ('high', c_double), ('edges', c_void_p), ('weights', c_void_p),
                ('density', c_int32), ('reserved', c_uint32 * 5)]


def opaque(values):
    """Elements whose numbers do not matter, as NumPy can index and compare them."""
    return np.ascontiguousarray(values).view(f'V{values.dtype.itemsize}')


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        for name, arguments in (('take', [c_void_p] * 3 + [c_int]), ('take_along', [c_void_p] * 3 + [c_int]),
                                ('put', [c_void_p] * 3 + [c_int, c_void_p]), ('take_flat', [c_void_p] * 3),
                                ('put_flat', [c_void_p] * 4), ('compress', [c_void_p] * 4),
                                ('place', [c_void_p] * 3), ('searchsorted', [c_void_p] * 4),
                                ('unique', [c_void_p] * 5),
                                ('histogram', [c_void_p] * 2 + [c_int64, c_int, c_void_p])):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, arguments

    def numbers(self, dtype, shape, spread=None):
        """Few different numbers, with NaNs, infinities and zeros of both signs among floats."""
        if dtype.kind == 'bool':
            return self.generator.integers(0, 2, shape).astype(bool)
        if dtype.kind == 'float':
            x = np.round(self.generator.normal(0, spread or 3, shape), self.rng.choice((0, 1, 6)))
            if self.rng.random() < 0.5 and spread is None:
                odd = self.generator.random(shape) < 0.05
                x[odd] = self.generator.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], int(odd.sum()))
            return x.astype(dtype.numpy)
        low, high = (int(v) for v in copies.int_limits(dtype))
        if self.rng.random() < 0.5:
            low, high = max(low, -9), 9
        return self.generator.integers(low, high, shape, dtype.numpy, endpoint=True)

    def any_values(self, dtype, shape):
        return self.place(shape, dtype, plain=True).view.copy()

    def places_for(self, dtype, shape, n):
        """Places of an axis of n, negative ones among them where the dtype has them; no more than it can hold."""
        low, high = (int(v) for v in copies.int_limits(dtype))
        return self.generator.integers(max(low, -n), min(high, n - 1), shape, dtype.numpy, endpoint=True)

    def threads(self):
        self.lib.tess_threads_set(self.rng.choice((1, 2, 3)))

    # ---- Places ----

    def check_take(self, dtype):
        axis, index = self.rng.randrange(4), self.rng.choice(INTEGERS)
        shape = list(self.random_shape())
        shape[axis] = max(shape[axis], 1)
        m = self.rng.choice((0, 1, 3, 20, 700))
        indices = self.places_for(index, m, shape[axis])
        row = [1, 1, 1, 1]
        row[self.rng.randrange(4)] = m
        values = self.any_values(dtype, tuple(shape))
        want = np.take(opaque(values).reshape(shape), indices.astype('i8'), axis).view(dtype.numpy)
        source, at = self.place_with(values, dtype), self.place_with(indices.reshape(row), index)
        self.threads()
        self.run_both(lambda out: self.lib.tess_take(out, source.ref(), at.ref(), axis), want, dtype, 'take', dtype,
                      shape, index, m, 'axis', axis)

    def check_take_along(self, dtype):
        axis, index = self.rng.randrange(4), self.rng.choice(INTEGERS)
        shape, other = list(self.random_shape()), [1] * 4
        shape[axis] = max(shape[axis], 1)
        for k in range(4):
            one = self.rng.random()
            other[k] = 1 if one < 0.2 else shape[k]
            shape[k] = 1 if one > 0.85 and k != axis else shape[k]
        other[axis] = self.rng.choice((0, 1, 4, 60))
        values, indices = self.any_values(dtype, tuple(shape)), self.places_for(index, other, shape[axis])
        full = [max(a, b) if min(a, b) else 0 for a, b in zip(shape, other)]
        spread, wide = full.copy(), full.copy()
        spread[axis], wide[axis] = shape[axis], other[axis]
        want = np.take_along_axis(np.broadcast_to(opaque(values).reshape(shape), spread),
                                  np.broadcast_to(indices.astype('i8'), wide) % shape[axis], axis).view(dtype.numpy)
        source, at = self.place_with(values, dtype), self.place_with(indices, index)
        self.threads()
        self.run_both(lambda out: self.lib.tess_take_along(out, source.ref(), at.ref(), axis), want, dtype,
                      'take_along', dtype, shape, index, other, 'axis', axis)

    def check_put(self, dtype):
        axis, index = self.rng.randrange(4), self.rng.choice(INTEGERS)
        shape = list(self.random_shape())
        shape[axis] = max(shape[axis], 1)
        m = self.rng.choice((0, 1, 3, 20, 200))
        indices, row = self.places_for(index, m, shape[axis]), [1, 1, 1, 1]
        row[self.rng.randrange(4)] = m
        slices = shape.copy()
        slices[axis] = m
        add = dtype.kind in ('int', 'uint', 'float') and self.rng.random() < 0.5
        make = (lambda s: self.numbers(dtype, s, 3)) if add else (lambda s: self.any_values(dtype, tuple(s)))
        before, values = make(shape), make([1 if self.rng.random() < 0.1 else k for k in slices])
        want = before.copy()
        moved, spread = np.moveaxis(want, axis, 0), np.moveaxis(np.broadcast_to(values, slices), axis, 0)
        for i, k in enumerate(indices.astype('i8')):
            moved[k] = moved[k] + spread[i] if add else spread[i]
        out, source = self.place_with(before, dtype), self.place_with(values, dtype)
        at, opts = self.place_with(indices.reshape(row), index), Option(int(add))
        self.threads()
        what = ('put', dtype, shape, index, m, 'axis', axis, 'add', add)
        if self.succeeds(self.lib.tess_put(out.ref(), source.ref(), at.ref(), axis, byref(opts)), *what):
            self.written(out, want, *what, any_nan=True)

    def check_flat(self, dtype):
        """Places through the whole array."""
        index, shape = self.rng.choice(INTEGERS), self.random_shape()
        n, other = math.prod(shape), self.random_shape(5)
        if n == 0:
            other = (1, 1, 0, 3)
        indices, before = self.places_for(index, other, max(n, 1)), self.any_values(dtype, shape)
        flat = indices.astype('i8').ravel() % max(n, 1)
        want = opaque(before).reshape(-1)[flat].view(dtype.numpy).reshape(other)
        source, at = self.place_with(before, dtype), self.place_with(indices, index)
        self.threads()
        self.run_both(lambda out: self.lib.tess_take_flat(out, source.ref(), at.ref()), want, dtype, 'take_flat', dtype,
                      shape, index, other)
        add = dtype.kind in ('int', 'uint', 'float') and self.rng.random() < 0.5
        make = (lambda s: self.numbers(dtype, s, 3)) if add else (lambda s: self.any_values(dtype, tuple(s)))
        before, values = make(shape), make([1 if self.rng.random() < 0.1 else k for k in other])
        after, spread = opaque(before).reshape(-1).copy(), opaque(np.broadcast_to(values, other)).reshape(-1)
        if add:
            after = after.view(dtype.numpy)
            np.add.at(after, flat, spread.view(dtype.numpy))
        else:
            for k, value in zip(flat, spread):
                after[k] = value
        out, given, opts = self.place_with(before, dtype), self.place_with(values, dtype), Option(int(add))
        what = ('put_flat', dtype, shape, index, other, 'add', add)
        if self.succeeds(self.lib.tess_put_flat(out.ref(), given.ref(), at.ref(), byref(opts)), *what):
            self.written(out, after.view(dtype.numpy).reshape(shape), *what, any_nan=True)

    def check_bad_places(self, dtype):
        """One place that is not there is named, and nothing is written."""
        axis, index = self.rng.randrange(4), tess.BY_NAME[self.rng.choice(('i8', 'i32', 'i64', 'u64'))]
        shape = [self.rng.randrange(1, 9) for _ in range(4)]
        n, m = shape[axis], self.rng.randrange(1, 50)
        indices, where = self.places_for(index, m, n), self.rng.randrange(m)
        indices[where] = wrong = n if index.kind == 'uint' else self.rng.choice((n, -n - 1, 100, -128))
        for name in ('take', 'put'):
            slices = shape.copy()
            slices[axis] = m
            source = self.place(tuple(shape if name == 'take' else slices), dtype)
            out = self.place(tuple(slices if name == 'take' else shape), dtype)
            at = self.place_with(indices.reshape(1, 1, 1, m), index)
            rest = (None,) if name == 'put' else ()
            status = getattr(self.lib, 'tess_' + name)(out.ref(), source.ref(), at.ref(), axis, *rest)
            self.fails(status, tess.ERANGE, out, name, 'bad place', wrong)
            text = f'indices[{where}] is {wrong}; axis {axis} has size {n}, so {-n} to {n - 1} are'
            self.expect(text in self.lib.tess_error_message().decode(), name, text)

    def indices(self, rounds):
        for _ in range(rounds):
            for dtype in tess.DTYPES:
                self.check_take(dtype)
                self.check_take_along(dtype)
                self.check_put(dtype)
                self.check_flat(dtype)
                self.check_bad_places(dtype)

    # ---- Masks ----

    def mask_for(self, shape):
        dtype = self.rng.choice(tess.SCALARS)
        shape = tuple(1 if self.rng.random() < 0.1 else k for k in shape)
        chosen = self.generator.random(shape) < self.rng.choice((0, 0.02, 0.3, 0.8, 1))
        if dtype.kind == 'complex':
            part = chosen & (self.generator.random(shape) < 0.5)
            values = copies.complex_from(part.astype(float), (chosen & ~part).astype(float), dtype)
        else:
            values = (chosen * (0.5 if dtype.kind == 'float' else 1)).astype(dtype.numpy)
        return self.place_with(values, dtype), chosen

    def check_mask(self, dtype, shape):
        at, chosen = self.mask_for(shape)
        chosen = np.broadcast_to(chosen, shape)
        values = self.any_values(dtype, shape)
        source, arrays = self.place_with(values, dtype), [tess.Array(), tess.Array()]
        want = opaque(values).reshape(shape)[chosen].view(dtype.numpy)
        what = ('compress', dtype, shape, at.dtype)
        self.threads()
        if self.succeeds(self.lib.tess_compress(byref(arrays[0]), byref(arrays[1]), source.ref(), at.ref()), *what):
            self.made(arrays[0], want.reshape(1, 1, 1, -1), dtype, *what)
            self.made(arrays[1], np.flatnonzero(chosen).reshape(1, 1, 1, -1), I64, *what)
        out, news = self.place(shape, dtype), self.any_values(dtype, (1, 1, 1, want.size))
        after = opaque(out.view.copy()).reshape(shape)
        after[chosen] = opaque(news).ravel()
        given = self.place_with(news, dtype)
        if self.succeeds(self.lib.tess_place(out.ref(), given.ref(), at.ref()), 'place', *what):
            self.written(out, after.view(dtype.numpy), 'place', *what)
        more = self.place((1, 1, 1, want.size + 1), dtype)
        out.before = out.memory.copy()
        self.fails(self.lib.tess_place(out.ref(), more.ref(), at.ref()), tess.ESHAPE, out, 'place of too many', *what)

    def masks(self, rounds):
        for _ in range(rounds):
            for dtype in tess.DTYPES:
                self.check_mask(dtype, self.random_shape())
        for dtype in (tess.BY_NAME['f32'], tess.BY_NAME['mat33_f32'], tess.BY_NAME['u8']):
            self.check_mask(dtype, (2, 3, 70, 130))

    # ---- Searching ----

    def check_search(self, dtype, other):
        shape = self.random_shape(5)
        n = self.rng.choice((0, 1, 2, 5, 33, 300))
        rows = tuple(k if self.rng.random() < 0.5 else 1 for k in shape[:3]) + (n,)
        lists, values = np.sort(self.numbers(dtype, rows), -1), self.numbers(other, shape)
        side, common = self.rng.choice(('left', 'right')), np.promote_types(dtype.numpy, other.numpy)
        spread, want = np.broadcast_to(lists, shape[:3] + (n,)), np.zeros(shape, 'i8')
        for at in np.ndindex(*shape[:3]):
            want[at] = np.searchsorted(spread[at].astype(common), values[at].astype(common), side)
        source, at = self.place_with(lists, dtype), self.place_with(values, other)
        result, opts = self.rng.choice((I64, tess.BY_NAME['i32'], tess.BY_NAME['u16'])), Option(int(side == 'right'))
        what = ('searchsorted', dtype, other, rows, shape, side)
        self.threads()
        out, array = self.place(shape, result), tess.Array()
        if self.succeeds(self.lib.tess_searchsorted(out.ref(), source.ref(), at.ref(), byref(opts)), *what):
            self.written(out, want, *what)
        if self.succeeds(self.lib.tess_searchsorted(byref(array), source.ref(), at.ref(), byref(opts)), *what):
            self.made(array, want, I64, *what)

    def searches(self, rounds):
        for _ in range(rounds):
            for dtype in tess.REALS:
                self.check_search(dtype, dtype)
                self.check_search(dtype, self.rng.choice(tess.REALS))

    # ---- Different elements ----

    def check_unique(self, dtype, shape):
        values = self.numbers(dtype, shape)
        want, indices, inverse, counts = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
        source, arrays = self.place_with(values, dtype), [tess.Array() for _ in range(4)]
        what, row = ('unique', dtype, shape), (1, 1, 1, -1)
        self.threads()
        if self.succeeds(self.lib.tess_unique(*map(byref, arrays), source.ref()), *what):
            got = tess.numpy_view(arrays[0], dtype).copy()
            self.expect(np.array_equal(got, want.reshape(row), equal_nan=dtype.kind == 'float'), *what, 'values')
            self.expect(not np.signbit(got[got == 0]).any(), *what, 'zeros')
            self.lib.tess_release(byref(arrays[0]))
            self.made(arrays[1], counts.reshape(row), I64, *what, 'counts')
            self.made(arrays[2], indices.reshape(row), I64, *what, 'indices')
            self.made(arrays[3], inverse.reshape(shape), I64, *what, 'inverse')
        out, alone = self.place(shape, tess.BY_NAME['i32']), tess.Array()
        if self.succeeds(self.lib.tess_unique(byref(alone), None, None, out.ref(), source.ref()), *what):
            self.written(out, inverse.reshape(shape), *what, 'inverse as i32')
            self.made(alone, got, dtype, *what, 'values alone')

    def uniques(self, rounds):
        for _ in range(rounds):
            for dtype in tess.REALS:
                self.check_unique(dtype, self.random_shape())
        for dtype in tess.REALS:
            self.check_unique(dtype, (1, 2, 100, 130))

    # ---- Histograms ----

    @staticmethod
    def lines(values, axes):
        """The elements of each result, those that are kept first."""
        kept = [k for k in range(4) if k not in axes]
        moved = values.transpose(kept + list(axes))
        return moved.reshape([values.shape[k] for k in kept] + [math.prod(values.shape[k] for k in axes)])

    def check_histogram(self, dtype, shape):
        values, chosen = self.numbers(dtype, shape, self.rng.choice((None, 1, 100))), self.rng.choice(SETS)
        if math.prod(n for k, n in enumerate(shape) if not chosen & 16 << k) > 300:
            chosen = 0  # NumPy makes one histogram at a time
        axes = tuple(k for k in range(4) if not chosen or chosen & 16 << k)
        bins = self.rng.choice((1, 2, 3, 7, 10, 64, 100, 1500))
        finite = values[np.isfinite(values)] if dtype.kind == 'float' else values
        kind = self.rng.choice(('given', 'given', 'all', 'edges') if finite.size == values.size else ('given', 'edges'))
        if kind == 'all' and values.size and values.min() == values.max() and abs(float(values.min())) > 2**50:
            kind = 'given'  # NumPy cannot widen the range of one number so large
        opts, extra = HistogramOpts(density=self.rng.random() < 0.2), {}
        if dtype.kind == 'bool':
            values, extra['bool'] = values.astype('u1'), True
        if kind == 'given':
            low = self.rng.choice((0.0, -2.5, 0.1, -10.0))
            opts.low, opts.high = low, low + self.rng.choice((1.0, 7.3, 20.0))
            edges = {'bins': bins, 'range': (opts.low, opts.high)}
        elif kind == 'all':
            edges = {'bins': bins, 'range': (values.min(), values.max()) if values.size else (0, 1)}
        else:
            some = np.sort(np.round(self.generator.normal(0, 3, bins + 1), 1))
            if self.rng.random() < 0.5:
                some[0] = -np.inf
            if self.rng.random() < 0.5:
                some[-1] = np.inf
            held = self.place_with(some.reshape(1, 1, 1, -1), F64)
            opts.edges, edges = ctypes.addressof(held.array), {'bins': some}
        if dtype.name == 'f16' and kind != 'edges':
            edges = {'bins': self.f16_edges(*edges['range'], bins)}
        weighted = self.rng.random() < 0.3
        if weighted:
            of = self.rng.choice(tess.REALS)
            w = self.numbers(of, tuple(1 if self.rng.random() < 0.2 else k for k in shape), 3)
            at = self.place_with(w, of)
            opts.weights = ctypes.addressof(at.array)
            weights = self.lines(np.broadcast_to(w, shape), axes).astype(float)
        lines = self.lines(values, axes)
        want = np.zeros(lines.shape[:-1] + (bins,), 'f8' if weighted or opts.density else 'i8')
        for k in np.ndindex(*lines.shape[:-1]):
            want[k], ends = np.histogram(lines[k], **edges, weights=weights[k] if weighted else None,
                                         density=opts.density)
            if opts.density and np.isfinite(want[k]).any():  # ours of a bin with no width and no elements is 0, not NaN
                want[k][np.isnan(want[k]) & (np.diff(ends) == 0)] = 0
        result = [1 if k in axes else shape[k] for k in range(4)]
        result[max(axes)] = bins
        before = sum(k not in axes for k in range(max(axes)))
        want = np.moveaxis(want, -1, before).reshape(result)
        self.compare_histogram(dtype, values.astype(dtype.numpy), chosen, bins, opts, want,
                               weighted and (kind == 'edges' or dtype.name == 'f16'))

    @staticmethod
    def f16_edges(low, high, bins):
        """NumPy computes bins of f16 in f16, in which it may miss the right one; its edges are right."""
        if low == high:
            low, high = float(low) - 0.5, float(high) + 0.5
        return np.linspace(low, high, bins + 1).astype('f2').astype('f8')

    def compare_histogram(self, dtype, values, chosen, bins, opts, want, about):
        source = self.place_with(values, dtype)
        out = self.place(want.shape, F64 if want.dtype == np.float64 else I64)
        what = ('histogram', dtype, values.shape, hex(chosen), bins, opts.low, opts.high, bool(opts.edges),
                'weights', bool(opts.weights), 'density', opts.density)
        self.threads()
        if not self.succeeds(self.lib.tess_histogram(out.ref(), source.ref(), bins, chosen, byref(opts)), *what):
            return
        got = out.view.copy()
        if about or opts.density:
            same = np.allclose(got, want, rtol=2e-3 if dtype.name == 'f16' and opts.density else 1e-9, atol=1e-9,
                               equal_nan=True)
        else:
            same = np.array_equal(got, want, equal_nan=True)
        self.expect(same, *what)
        self.written(out, got, *what, any_nan=True)

    def histograms(self, rounds):
        for _ in range(rounds):
            for dtype in tess.REALS:
                self.check_histogram(dtype, self.random_shape())
        for _ in range(3):
            for dtype in tess.REALS:
                self.check_histogram(dtype, (2, 3, 190, 210))


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('indices', lambda: tests.indices(tess.rounds(12))), ('masks', lambda: tests.masks(tess.rounds(12))),
        ('searches', lambda: tests.searches(tess.rounds(25))),
        ('different elements', lambda: tests.uniques(tess.rounds(12))),
        ('histograms', lambda: tests.histograms(tess.rounds(15)))))


if __name__ == '__main__':
    sys.exit(main())
