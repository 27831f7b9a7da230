"""Convolution, median and rank filters compared with SciPy: python3 signal_convolve.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Convolutions are sums over
shifted copies of arrays that np.pad made larger, in long double; medians and ranks are those of scipy.ndimage, or of
np.sort where there are NaNs. The last line counts comparisons.
"""
import ctypes
import itertools
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np
from scipy import ndimage

import copies
import resize
import tess

np.seterr(all='ignore')

NOTHING, VALUE = resize.NOTHING, resize.VALUE
BORDERS = list(resize.MODES) + [NOTHING]
NDIMAGE = {1: 'grid-constant', 2: 'grid-constant', 3: 'nearest', 4: 'grid-wrap', 5: 'grid-mirror', 6: 'mirror'}
FLOATS = [tess.BY_NAME[name] for name in ('f16', 'f32', 'f64')]


class ConvolveOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('correlate', c_int32), ('method', c_int32), ('unused', c_int32),
                ('value', c_double), ('value_imag', c_double), ('reserved', c_uint32 * 4)]


class SeparableOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('correlate', c_int32), ('value', c_double), ('value_imag', c_double),
                ('reserved', c_uint32 * 4)]


class RankOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('unused', c_int32), ('value', c_double), ('reserved', c_uint32 * 4)]


class GaussianOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('unused', c_int32), ('value', c_double), ('truncate', c_double),
                ('reserved', c_uint32 * 4)]


class DerivativeOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('kind', c_int32), ('value', c_double), ('reserved', c_uint32 * 4)]


class OutliersOpts(ctypes.Structure):
    _fields_ = [('border', c_int32), ('unused', c_int32), ('value', c_double), ('window', tess.ShapeValue),
                ('count', c_void_p), ('reserved', c_uint32 * 4)]


def wide(values):
    """Numbers in the widest type NumPy has, complex ones too."""
    if values.dtype.names:
        return values['re'].astype('g') + 1j * values['im'].astype('g')
    return values.astype('G' if values.dtype.kind == 'c' else 'g')


def padded(values, radius, border, value):
    """With as many elements more on both sides of d, h and w; NOTHING: any."""
    border = resize.CLAMP if border == NOTHING else border
    left = [0] + list(radius)
    return resize.padded(values, left, left, border, value)


def inside(shape, radius, border):
    """Which results are written."""
    written = np.zeros(shape, bool)
    keep = [slice(r, max(n - r, r)) if border == NOTHING else slice(None) for n, r in zip(shape[1:], radius)]
    written[(slice(None), *keep)] = True
    return written


def convolved(values, weights, border, value):
    """The sum, and the sum of the magnitudes of what is added. `weights` is {d,h,w}, in the order of a correlation."""
    radius = [(n - 1) // 2 for n in weights.shape]
    x = padded(values.astype('G') if isinstance(value, complex) else values, radius, border, value)
    total, size = np.zeros(values.shape, np.result_type(x, weights)), np.zeros(values.shape, 'g')
    for index in itertools.product(*map(range, weights.shape)):
        part = x[(slice(None), *(slice(i, i + n) for i, n in zip(index, values.shape[1:])))]
        total = total + weights[index] * part
        size = size + abs(weights[index]) * abs(part)
    return total, size


def result_name(*dtypes):
    """The dtype in which numbers meet, as a float."""
    halves = {'f16': 'f32', 'c16': 'c32'}
    numpy = np.result_type(*(np.dtype('c8') if d.name == 'c16' else d.numpy for d in dtypes))
    if numpy.kind in 'bui':
        return 'f32' if numpy.itemsize <= 2 else 'f64'
    name = {'f2': 'f16', 'f4': 'f32', 'f8': 'f64', 'c8': 'c32', 'c16': 'c64'}[numpy.str[1:]]
    if name == 'c32' and all(d.name in ('c16', 'f16', 'bool', 'i8', 'u8') for d in dtypes):
        name = 'c16' if all(d.name in ('c16', 'f16') for d in dtypes) else name
    return name, halves.get(name, name)


class Tests(resize.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        shape, array, number = tess.ShapeValue, c_void_p, c_double
        for name, arguments in (('convolve', [array] * 4), ('convolve_separable', [array] * 6),
                                ('median_filter', [array, array, shape, array]),
                                ('rank_filter', [array, array, shape, c_int64, array]),
                                ('quantile_filter', [array, array, shape, number, array]),
                                ('gaussian_filter', [array, array, number, number, number, array]),
                                ('laplacian', [array, array, c_int, array]),
                                ('derivative', [array, array, c_int, array]),
                                ('remove_outliers', [array, array, number, array])):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, arguments

    def odd(self, most):
        return 2 * self.rng.randint(0, most) + 1

    def shape_for(self):
        shape = [self.rng.randint(1, 3), self.rng.choice((1, 1, self.rng.randint(1, 9))),
                 self.rng.choice((1, self.rng.randint(1, 24))), self.rng.randint(1, 50)]
        if self.rng.random() < 0.1:
            shape[3] = self.rng.randint(200, 400)
        return tuple(shape)

    def filter_shape(self, shape):
        """Of as many axes as the data at most."""
        rank = 3 if shape[1] > 1 else 2 if shape[2] > 1 else 1
        return (1, self.odd(2) if rank > 2 else 1, self.odd(3) if rank > 1 else 1, self.odd(4))

    def near(self, out, want, size, unit, written, what):
        """Within rounding errors of sums whose terms have this size, where results are written."""
        got = wide(out.view)
        error = np.abs(got - want)
        bound = size * unit * 4 + np.abs(want) * unit + np.finfo('f4').tiny
        fine = error <= bound
        kept = out.before.view()
        self.expect(bool(np.all(fine | ~written)), *what, 'error', float(np.max(np.where(written, error, 0))))
        values = out.view.copy()
        self.expect(self.unwritten_stays(out, written, kept), *what, 'unwritten')
        self.expect(out.holds(values, any_nan=True), *what, 'writes outside the view')

    @staticmethod
    def unwritten_stays(out, written, before):
        """Results that have no window inside are as they were."""
        if written.all():
            return True
        now = out.view.copy()
        memory = out.memory.copy()
        out.memory[...] = before
        was = out.view.copy()
        out.memory[...] = memory
        raw = now.dtype.itemsize
        same = (now.view(f'V{raw}') == was.view(f'V{raw}')) if now.dtype.names else (now == was) | ((now != now) & (was != was))
        return bool(np.all(same | written))

    # ---- Convolution ----

    def check_convolve(self, dtype, filter_dtype, border, method=0):
        shape = self.shape_for()
        weights_shape = self.filter_shape(shape)
        values, weights = self.values_for(dtype, shape), self.values_for(filter_dtype, weights_shape)
        name, computed = self.names(dtype, filter_dtype)
        is_complex = computed[0] == 'c'
        value = (1.5 - 2j if is_complex else 1.5) if border == VALUE else 0
        correlate = self.rng.randrange(2)
        opts = ConvolveOpts(border, correlate, method, 0, complex(value).real, complex(value).imag)
        source, kernel = self.place_with(values, dtype), self.place_with(weights, filter_dtype)
        out = self.place(shape, tess.BY_NAME[name])
        what = ('convolve', dtype, filter_dtype, shape, weights_shape, border, correlate, method)
        self.threads()
        if not self.succeeds(self.lib.tess_convolve(out.ref(), source.ref(), kernel.ref(), byref(opts)), *what):
            return
        w = wide(weights)[0]
        want, size = convolved(wide(values), w if correlate else w[::-1, ::-1, ::-1], border, value)
        unit = {'f16': 2.0**-10, 'c16': 2.0**-10, 'f32': 2.0**-23, 'c32': 2.0**-23}.get(name, 2.0**-52)
        if method == 3:
            unit *= 32
            size = np.full(shape, float(np.abs(w).sum() * max(np.abs(wide(values)).max(), abs(value))))
        terms = max(1, w.size)**0.5 if name not in ('f16', 'c16') else 1
        self.near(out, want, size * terms, unit, inside(shape, [(n - 1) // 2 for n in w.shape], border), what)

    @staticmethod
    def names(*dtypes):
        name = result_name(*dtypes)
        return (name, name) if isinstance(name, str) else name

    def convolutions(self, rounds):
        plain = [d for d in tess.SCALARS if d.name not in ('c16',)]
        for _ in range(rounds):
            for dtype in plain:
                for border in BORDERS:
                    kinds = [d for d in FLOATS + tess.COMPLEXES if d.name != 'c16']
                    self.check_convolve(dtype, self.rng.choice(kinds), border)

    def transforms(self, rounds):
        for _ in range(rounds):
            for name in ('f32', 'f64', 'c32', 'c64', 'u8'):
                for border in BORDERS:
                    self.check_convolve(tess.BY_NAME[name], tess.BY_NAME[self.rng.choice(('f32', 'f64', 'c32'))], border, 3)

    def check_separable(self, dtype, border):
        shape = self.shape_for()
        sizes = [self.odd(2), self.odd(3), self.odd(4)]
        used = self.rng.choice([u for u in itertools.product((0, 1), repeat=3) if any(u)])
        filter_dtype = self.rng.choice(FLOATS + [tess.BY_NAME['c32']])
        weights = [self.values_for(filter_dtype, (1, 1, 1, n)) / 9 for n in sizes]
        weights = [w.astype(filter_dtype.numpy) for w in weights]
        values = self.values_for(dtype, shape)
        name, computed = self.names(dtype, filter_dtype)
        value = 1.5 if border == VALUE else 0
        correlate = self.rng.randrange(2)
        source, out = self.place_with(values, dtype), self.place(shape, tess.BY_NAME[name])
        kernels = [self.place_with(w, filter_dtype) if u else None for w, u in zip(weights, used)]
        what = ('separable', dtype, filter_dtype, shape, sizes, used, border, correlate)
        self.threads()
        if not self.succeeds(self.lib.tess_convolve_separable(
                out.ref(), source.ref(), *(k.ref() if k else None for k in kernels),
                byref(SeparableOpts(border, correlate, value))), *what):
            return
        want, size = wide(values), np.abs(wide(values))
        for axis in (2, 1, 0):
            if not used[axis]:
                continue
            w = wide(weights[axis]).reshape([-1 if k == axis else 1 for k in range(3)])
            w = w if correlate else w[::-1, ::-1, ::-1]
            want = convolved(want, w, border, value)[0]
            size = convolved(size, np.abs(w), border, value)[1]
        unit = {'f16': 2.0**-10, 'f32': 2.0**-21, 'c32': 2.0**-21}.get(name, 2.0**-50)
        radius = [(n - 1) // 2 if u else 0 for n, u in zip(sizes, used)]
        self.near(out, want, size, unit, inside(shape, radius, border), what)

    def separables(self, rounds):
        for _ in range(rounds):
            for name in ('f16', 'f32', 'f64', 'c32', 'c64', 'u8', 'i16', 'i32'):
                for border in BORDERS:
                    self.check_separable(tess.BY_NAME[name], border)

    # ---- Ranks ----

    def values_to_sort(self, dtype, shape):
        if dtype.kind == 'float':
            values = self.generator.normal(0, 9, shape).astype(dtype.numpy)
            if self.rng.random() < 0.5:
                odd = self.generator.random(shape) < 0.1
                values[odd] = self.generator.choice([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0], int(odd.sum()))
            return values
        if dtype.kind == 'bool':
            return self.generator.integers(0, 2, shape).astype(bool)
        info = np.iinfo(dtype.numpy)
        low, high = (0, 7) if self.rng.random() < 0.3 else (info.min, info.max)
        return self.generator.integers(low, high, shape, dtype.numpy, endpoint=True)

    def check_rank(self, dtype, border, window):
        shape = self.shape_for()
        n = int(np.prod(window))
        values = self.values_to_sort(dtype, shape)
        value = 1 if border == VALUE else 0
        rank = self.rng.choice((0, n // 2, n // 2, n - 1, self.rng.randrange(n)))
        source, out = self.place_with(values, dtype), self.place(shape, dtype)
        what = ('rank', dtype, shape, window, border, rank)
        opts, size = byref(RankOpts(border, 0, value)), tess.shape_value((1, *window))
        self.threads()
        if rank == n // 2 and self.rng.random() < 0.5:
            status = self.lib.tess_median_filter(out.ref(), source.ref(), size, opts)
        elif self.rng.random() < 0.5:
            status = self.lib.tess_quantile_filter(out.ref(), source.ref(), size, rank / max(n - 1, 1), opts)
        else:
            status = self.lib.tess_rank_filter(out.ref(), source.ref(), size, rank - n * self.rng.randrange(2), opts)
        if not self.succeeds(status, *what):
            return
        radius = [(k - 1) // 2 for k in window]
        x = padded(values, radius, border, np.array(value).astype(dtype.numpy))
        windows = np.lib.stride_tricks.sliding_window_view(x, window, (1, 2, 3)).reshape(*shape, -1)
        want = np.sort(windows, -1)[..., rank]
        written = inside(shape, radius, border)
        got = out.view.copy()
        self.expect(bool(np.all((got == want) | ((got != got) & (want != want)) | ~written)), *what)
        self.expect(self.unwritten_stays(out, written, out.before), *what, 'unwritten')
        self.expect(out.holds(got, any_nan=True), *what, 'writes outside the view')
        small = all(k <= n for k, n in zip(window, shape[1:]))
        if small and border != NOTHING and not np.isnan(values.astype('f8')).any() and dtype.name not in ('f16', 'i64', 'u64'):
            peer = ndimage.rank_filter(values, rank, size=(1, *window), mode=NDIMAGE[border], cval=value)
            self.expect(np.array_equal(got, peer), *what, 'SciPy')

    def ranks(self, rounds):
        windows = [(1, 1, 3), (1, 1, 5), (1, 1, 7), (1, 3, 1), (5, 1, 1), (1, 3, 3), (1, 5, 5), (3, 3, 3), (3, 1, 3)]
        for _ in range(rounds):
            for dtype in tess.REALS:
                for border in BORDERS:
                    window = self.rng.choice(windows + [(self.odd(1), self.odd(3), self.odd(5))] * 4)
                    self.check_rank(dtype, border, window)
            for name in ('u8', 'i8', 'u16', 'i16', 'f16', 'bool'):
                self.check_rank(tess.BY_NAME[name], self.rng.choice(BORDERS), (1, 31, 33))
                self.check_rank(tess.BY_NAME[name], self.rng.choice(BORDERS), (3, 9, 11))

    # ---- By name ----

    def check_named(self, dtype, border):
        shape = tuple(max(n, 2) for n in self.shape_for())
        values = self.values_for(dtype, shape)
        value = 2 if border == VALUE else 0
        mode = {'mode': NDIMAGE[border], 'cval': value}
        wide_values = values.astype('f8')
        scale = float(np.abs(wide_values).max()) + value
        sigma = [self.rng.choice((0, self.rng.uniform(0.3, 2.5))) for _ in range(3)]
        sigma[self.rng.randrange(3)] = 1.2
        axis, kind = self.rng.randint(1, 3), self.rng.choice((1, 2))
        truncate = self.rng.uniform(2, 5)
        blurred = wide_values
        for k in (3, 2, 1):
            if sigma[k - 1]:
                blurred = ndimage.gaussian_filter1d(blurred, sigma[k - 1], k, truncate=truncate, **mode)
        laplace = sum(ndimage.correlate1d(wide_values, [1, -2, 1], k, **mode) for k in (1, 2, 3))
        slope = wide_values
        for k in (3, 2, 1):
            if k == axis:
                slope = ndimage.correlate1d(slope, [-0.5, 0, 0.5] if kind == 1 else [-1, 0, 1], k, **mode)
            elif kind == 2:
                slope = ndimage.correlate1d(slope, [1, 2, 1], k, **mode)
        calls = (
            ('gaussian', blurred, lambda out, x: self.lib.tess_gaussian_filter(
                out, x, *sigma, byref(GaussianOpts(border, 0, value, truncate)))),
            ('laplacian', laplace, lambda out, x: self.lib.tess_laplacian(out, x, 0, byref(RankOpts(border, 0, value)))),
            ('derivative', slope, lambda out, x: self.lib.tess_derivative(
                out, x, axis - 4 * self.rng.randrange(2), byref(DerivativeOpts(border, kind, value)))))
        for name, want, call in calls:
            source = self.place_with(values, dtype)
            out = self.place(shape, tess.BY_NAME['f32' if dtype.size < 4 or dtype.name == 'f32' else 'f64'])
            what = (name, dtype, shape, border, sigma, axis, kind)
            if self.succeeds(call(out.ref(), source.ref()), *what):
                error = np.abs(out.view - want).max()
                self.expect(error <= 64 * scale * (2.0**-23 if out.view.dtype == 'f4' else 2.0**-50), *what, error)

    def named(self, rounds):
        for _ in range(rounds):
            for name in ('f32', 'f64', 'u8', 'i16', 'i32'):
                for border in NDIMAGE:
                    self.check_named(tess.BY_NAME[name], border)

    def check_outliers(self, dtype):
        shape = (self.rng.randint(1, 3), self.rng.choice((1, 5)), self.rng.randint(5, 30), self.rng.randint(5, 30))
        values = self.generator.normal(100, 5, shape)
        hot = self.generator.random(shape) < 0.005
        values[hot] = self.generator.choice([0, 10000], int(hot.sum()))
        values = values.astype(dtype.numpy)
        window = (1, 3 if shape[1] > 1 else 1, 3, 3)
        given = self.rng.randrange(2)
        if given:
            window = (1, 1, 5, 3)
        threshold = self.rng.uniform(2, 6)
        medians = ndimage.median_filter(values, window, mode='reflect')
        distance = values.astype('f8') - medians.astype('f8')
        deviation = distance.std(axis=(1, 2, 3), keepdims=True)
        replaced = np.abs(distance) > threshold * deviation
        want = np.where(replaced, medians, values)
        source, out, counts = self.place_with(values, dtype), self.place(shape, dtype), tess.Array()
        opts = OutliersOpts(0, 0, 0, tess.shape_value(window if given else (0, 0, 0, 0)), ctypes.addressof(counts))
        what = ('outliers', dtype, shape, window, threshold)
        if not self.succeeds(self.lib.tess_remove_outliers(out.ref(), source.ref(), threshold, byref(opts)), *what):
            return
        self.written(out, want.astype(dtype.numpy), *what)
        self.made(counts, replaced.sum(axis=(1, 2, 3), keepdims=True).astype('i8'), tess.BY_NAME['i64'], *what)

    def outliers(self, rounds):
        for _ in range(rounds):
            for name in ('f32', 'f64', 'u16', 'i16', 'i32'):
                self.check_outliers(tess.BY_NAME[name])


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('convolutions', lambda: tests.convolutions(tess.rounds(8))),
        ('transforms', lambda: tests.transforms(tess.rounds(8))),
        ('separable', lambda: tests.separables(tess.rounds(8))),
        ('ranks', lambda: tests.ranks(tess.rounds(6))),
        ('by name', lambda: tests.named(tess.rounds(8))),
        ('outliers', lambda: tests.outliers(tess.rounds(20)))))


if __name__ == '__main__':
    sys.exit(main())
