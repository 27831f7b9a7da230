"""Running sums, products and extremes, and normalisation, compared with NumPy: python3 scan.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Integers, products of reals
and extremes are compared exactly, sums and normalisation with np.longdouble. The last line counts comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_int, c_int32, c_uint32, c_void_p

import numpy as np

import copies
import tess

np.seterr(all='ignore')

LONG = np.longdouble
EXACT = {'cummin', 'cummax'}
SHAPES = [(1, 1, 1, 1), (1, 1, 1, 9), (1, 1, 7, 1), (2, 3, 4, 5), (1, 2, 17, 33), (3, 1, 40, 12), (1, 1, 3, 1100),
          (1, 1, 1100, 3), (1, 1, 1, 5000), (0, 2, 3, 4)]
MODES = {'min_max': 1, 'mean_std': 2, 'l2': 3, 'mean_l2': 4, 'sum': 5}
SETS = [0, 0x80, 0x40, 0xc0, 0x30, 0x90, 0xf0]


class ScanOpts(ctypes.Structure):
    _fields_ = [('exclusive', c_int32), ('reverse', c_int32), ('reserved', c_uint32 * 6)]


class NormalizeOpts(ctypes.Structure):
    _fields_ = [('mode', c_int32), ('ddof', c_int32), ('reserved', c_uint32 * 6)]


def wide(values, dtype):
    """As the widest type of their kind."""
    if dtype.kind == 'complex':
        re, im = copies.parts_of(values)
        return re.astype(LONG) + 1j * im.astype(LONG)
    return values.astype({'bool': 'i8', 'int': 'i8', 'uint': 'u8', 'float': LONG}[dtype.kind])


def result_of(name, dtype):
    if name in EXACT:
        return dtype
    names = {'bool': 'i64', 'int': 'i64', 'uint': 'u64', 'float': 'f32', 'complex': 'c32'}
    return dtype if dtype.name in ('f64', 'c64') else tess.BY_NAME[names[dtype.kind]]


def neutral(name, dtype):
    if name in ('cumsum', 'cumprod'):
        return int(name == 'cumprod')
    if dtype.kind == 'float':
        return np.inf if name == 'cummin' else -np.inf
    if dtype.kind == 'bool':
        return name == 'cummin'
    return copies.int_limits(dtype)[name == 'cummin']


def running_sums(values, axis):
    """Sums of long doubles that keep what each addition loses: near 0 a sum is far smaller than those before it."""
    lines = np.moveaxis(values, axis, 0)
    sums, total, rest = np.empty_like(lines), np.zeros(lines.shape[1:], LONG), np.zeros(lines.shape[1:], LONG)
    with np.errstate(invalid='ignore'):
        for k, x in enumerate(lines):
            following = total + x
            part = following - total
            rest = rest + ((total - (following - part)) + (x - part))
            total = following
            sums[k] = np.where(np.isfinite(total), total + rest, total)
    return np.moveaxis(sums, 0, axis)


def accumulated(name, values, dtype, axis):
    """NumPy's results, not rounded yet."""
    if name == 'cumsum' and dtype.kind == 'complex':
        numbers = wide(values, dtype)
        return running_sums(numbers.real, axis) + 1j * running_sums(numbers.imag, axis)
    if name == 'cumsum' and dtype.kind == 'float':
        return running_sums(wide(values, dtype), axis)
    if name == 'cumsum':
        return np.cumsum(wide(values, dtype), axis=axis)
    if name == 'cumprod' and dtype.kind in ('float', 'complex'):
        return np.cumprod(wide(values, dtype).astype('c16' if dtype.kind == 'complex' else 'f8'), axis=axis)
    if name == 'cumprod':
        return np.cumprod(wide(values, dtype), axis=axis)
    return (np.minimum if name == 'cummin' else np.maximum).accumulate(values, axis=axis)


def wanted(name, values, dtype, axis, exclusive, reverse):
    if reverse:
        return np.flip(wanted(name, np.flip(values, axis), dtype, axis, exclusive, False), axis)
    results = accumulated(name, values, dtype, axis)
    if exclusive and results.size:
        shifted = np.roll(results, 1, axis)
        shifted[(slice(None),) * axis + (0,)] = neutral(name, dtype)
        return shifted
    return results


def close(got, want, ulps, slack=0):
    """Within so many ulps of the dtype of `got`, and `slack` besides; infinities and NaNs the same."""
    want = want.astype(LONG)
    unit = np.spacing(np.abs(want.astype(got.dtype)))
    near = np.abs(got.astype(LONG) - want) <= ulps * unit.astype(LONG) + slack
    rounded = want.astype(got.dtype)
    return np.all(near | (got == rounded) | (np.isnan(got) & np.isnan(rounded)))


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        for name in ('cumsum', 'cumprod', 'cummin', 'cummax', 'normalize'):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, [c_void_p, c_void_p, c_int, c_void_p]
        lib.tess_log_normalize.restype, lib.tess_log_normalize.argtypes = c_int, [c_void_p, c_void_p, c_int]

    def values_for(self, dtype, shape, special=False, spread=1.0):
        """Random elements; floats around 0, or with infinities and NaNs among them."""
        if dtype.kind in ('bool', 'int', 'uint'):
            data = self.generator.integers(0, 256, (*shape, dtype.size), np.uint8)
            return (data[..., 0] & 1).astype(bool) if dtype.kind == 'bool' else data.view(dtype.numpy)[..., 0]
        if dtype.kind == 'complex':
            real = tess.BY_NAME[dtype.real]
            return copies.complex_from(*(self.values_for(real, shape, False, spread) for _ in range(2)), dtype)
        x = self.generator.normal(0, spread, shape)
        if special:
            odd = self.generator.random(shape) < 0.02
            x[odd] = self.generator.choice([np.nan, np.inf, -np.inf, 0.0], int(odd.sum()))
        return x.astype(dtype.numpy)

    def around(self, place, *what):
        """Nothing but the view was written."""
        self.expect(place.holds(place.view.copy(), any_nan=True), *what, 'writes outside the view')

    # ---- Running results ----

    def check_results(self, name, got, want, values, dtype, *what):
        parts = [(got, want)]
        if dtype.kind == 'complex':
            parts = list(zip(copies.parts_of(got), (want.real, want.imag)))
        for part, right in parts:
            if name in EXACT or dtype.kind not in ('float', 'complex'):
                good = np.array_equal(part, right.astype(part.dtype), equal_nan=dtype.kind == 'float')
            elif name == 'cumprod' and dtype.kind == 'float':
                good = np.array_equal(part, right.astype(part.dtype), equal_nan=True)
            elif name == 'cumprod':
                good = np.allclose(part, right.astype(part.dtype), rtol=1e-5, atol=1e-5, equal_nan=True)
            else:
                magnitudes = np.abs(wide(values, dtype))
                size = float(np.nansum(np.where(np.isfinite(magnitudes), magnitudes, 0)))
                good = close(part, right, 1, size * (2.0**-45 if part.dtype == np.float32 else 2.0**-90))
            self.expect(good, *what)

    def check_scan(self, name, dtype, shape, special):
        axis = self.rng.randrange(4)
        opts = ScanOpts(self.rng.randrange(2), self.rng.randrange(2))
        values = self.values_for(dtype, shape, special, 0.3)
        result, what = result_of(name, dtype), (name, dtype, shape, 'axis', axis, opts.exclusive, opts.reverse)
        want = wanted(name, values, dtype, axis, opts.exclusive, opts.reverse)
        call = getattr(self.lib, 'tess_' + name)
        source, out = self.place_with(values, dtype), self.place(shape, result)
        self.lib.tess_threads_set(self.rng.choice((1, 2, 5)))
        if not self.succeeds(call(out.ref(), source.ref(), axis, byref(opts)), *what):
            return
        results = out.view.copy()
        self.check_results(name, results, want, values, dtype, *what)
        self.around(out, *what)
        if result is dtype and self.succeeds(call(source.ref(), source.ref(), axis - 4, byref(opts)), *what):
            self.written(source, results, *what, 'in place', any_nan=True)

    def scans(self, rounds):
        for _ in range(rounds):
            for dtype in tess.SCALARS:
                for name in ('cumsum', 'cumprod', 'cummin', 'cummax'):
                    if dtype.kind == 'complex' and name in EXACT:
                        continue
                    special = dtype.kind == 'float' and self.rng.random() < 0.3
                    self.check_scan(name, dtype, self.rng.choice(SHAPES), special)
        self.lib.tess_threads_set(0)

    # ---- Normalisation ----

    @staticmethod
    def normalized(x, mode, ddof, axes):
        """The formulas, zeros where there is no spread; and how uncertain f64 leaves each of them, by cancellation: up to
        8 bits of a variance may be lost before it is taken about another point."""
        over = {'axis': axes, 'keepdims': True}
        mean, n = x.mean(**over), np.prod([x.shape[k] for k in axes])
        squares = (np.abs(x - mean)**2).sum(**over)
        shift, size = {
            'min_max': lambda: (x.min(**over), x.max(**over) - x.min(**over)),
            'mean_std': lambda: (mean, np.sqrt(squares / (n - ddof))),
            'l2': lambda: (0, np.sqrt((np.abs(x)**2).sum(**over))),
            'mean_l2': lambda: (mean, np.sqrt(squares)),
            'sum': lambda: (0, x.sum(**over)),
        }[mode]()
        none = (x == 0).all(**over) if mode == 'sum' else size == 0
        size = np.where(none, 1, size)
        results = np.where(none, 0, (x - shift) / size)
        lost = np.abs(x).sum(**over) * np.abs(results) if mode == 'sum' else np.abs(x).max(**over)
        lost = lost / np.abs(size)
        bits = -45 if mode in ('mean_std', 'mean_l2') else -50
        return results, np.where(np.isfinite(lost), lost, 0) * LONG(2)**bits

    def with_plain_parts(self, values):
        """Some of it set to zeros, to equal numbers or to an infinity."""
        part = tuple(slice(None) if self.rng.random() < 0.7 else slice(0, 1) for _ in range(4))
        values[part] = self.rng.choice((0, 0, 1.5, np.inf, -np.inf))
        return values

    def check_normalize(self, dtype, mode, special=False):
        shape = self.rng.choice([s for s in SHAPES if 0 not in s])
        chosen, ddof = self.rng.choice(SETS), int(mode == 'mean_std' and self.rng.random() < 0.5)
        axes = tuple(k for k in range(4) if not chosen or chosen & 16 << k)
        values = self.values_for(dtype, shape, special, spread=2.0)
        if special:
            values = self.with_plain_parts(values)
        elif dtype.kind == 'float' and mode != 'min_max':
            values = (values + dtype.numpy.type(3)).astype(dtype.numpy)
        x = wide(values, dtype)
        if dtype.kind != 'complex':
            x = x.astype(LONG)
        what = ('normalize', mode, dtype, shape, hex(chosen), 'ddof', ddof, 'special' if special else '')
        name = dtype.name if dtype.kind in ('float', 'complex') else 'f32' if dtype.size <= 2 else 'f64'
        result = tess.BY_NAME[name]
        source, out = self.place_with(values, dtype), self.place(shape, result)
        opts = NormalizeOpts(MODES[mode], ddof)
        if not self.succeeds(self.lib.tess_normalize(out.ref(), source.ref(), chosen, byref(opts)), *what):
            return
        (want, lost), got = self.normalized(x, mode, ddof, axes), out.view.copy()
        pairs = [(got, want)] if dtype.kind != 'complex' else zip(copies.parts_of(got), (want.real, want.imag))
        for part, right in pairs:
            self.expect(close(part, right, 1, lost + np.abs(want) * LONG(2)**-50), *what)
        self.around(out, *what)
        if result is dtype and self.succeeds(self.lib.tess_normalize(source.ref(), source.ref(), chosen, byref(opts)),
                                             *what, 'in place'):
            self.written(source, got, *what, 'in place', any_nan=True)

    def normalisation(self, rounds):
        for _ in range(rounds):
            for dtype in tess.SCALARS:
                for mode in MODES:
                    if dtype.kind != 'complex' or mode != 'min_max':
                        self.check_normalize(dtype, mode)
                    if dtype.kind == 'float':
                        self.check_normalize(dtype, mode, True)

    @staticmethod
    def log_normalized(x, axes):
        """Where all are -inf nothing is subtracted; where one is +inf, that is."""
        top = x.max(axis=axes, keepdims=True)
        finite = np.where(np.isinf(top), 0, top)
        whole = np.where(np.isinf(top), top, top + np.log(np.exp(x - finite).sum(axis=axes, keepdims=True)))
        return x - np.where(whole == -np.inf, 0, whole)

    def log_normalisation(self, rounds):
        for k in range(rounds):
            dtype, special = tess.BY_NAME[('f32', 'f64', 'f16')[k % 3]], k % 5 > 2
            shape, chosen = self.rng.choice([s for s in SHAPES if 0 not in s]), self.rng.choice(SETS)
            axes = tuple(k for k in range(4) if not chosen or chosen & 16 << k)
            values = self.values_for(dtype, shape, special, spread=300.0)
            if special:
                values = self.with_plain_parts(values)
            want = self.log_normalized(values.astype(LONG), axes)
            source, out = self.place_with(values, dtype), self.place(shape, dtype)
            what = ('log_normalize', dtype, shape, hex(chosen), 'special' if special else '')
            if self.succeeds(self.lib.tess_log_normalize(out.ref(), source.ref(), chosen), *what):
                self.expect(close(out.view.copy(), want, 1, 1e-12), *what)
                self.around(out, *what)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('running results', lambda: tests.scans(tess.rounds(10))),
        ('normalisation', lambda: tests.normalisation(tess.rounds(6))),
        ('logarithms', lambda: tests.log_normalisation(tess.rounds(120)))))


if __name__ == '__main__':
    sys.exit(main())
