"""Medians and quantiles, compared with NumPy: python3 quantile.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was, and the input too. Results
are compared with NumPy's in f64, to 2 ulps of the larger neighbour; next to infinities with what order.h says. The last
line counts comparisons.
"""
import ctypes
import functools
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np

import copies
import sort
import tess

np.seterr(all='ignore')

METHODS = ['linear', 'lower', 'higher', 'nearest', 'midpoint', 'inverted_cdf', 'averaged_inverted_cdf',
           'closest_observation', 'interpolated_inverted_cdf', 'hazen', 'weibull', 'median_unbiased',
           'normal_unbiased']
SETS = [0, 0x80, 0x40, 0xc0, 0x30, 0x90, 0xf0, 0x10, 0x50]
SHAPES = [(1, 1, 1, 1), (1, 1, 1, 9), (1, 1, 7, 1), (2, 3, 4, 5), (1, 2, 17, 33), (3, 1, 40, 12), (1, 1, 3, 1100),
          (1, 1, 1100, 3), (1, 1, 1, 5000), (1, 1, 2, 9000), (1, 70, 3, 40)]
MOST_LINES = 20  # of a case, since NumPy takes them one by one here
LONG = [(1, 1, 1, 300000), (1, 1, 400, 400), (1, 1, 2, 70000), (2, 3, 200, 200)]


class QuantileOpts(ctypes.Structure):
    _fields_ = [('method', c_int32), ('skip_nan', c_int32), ('reserved', c_uint32 * 6)]


class MedianOpts(ctypes.Structure):
    _fields_ = [('skip_nan', c_int32), ('reserved', c_uint32 * 7)]


def closest(line, q):
    """Hyndman and Fan's third definition: ties go to the element of even rank, counted from 1."""
    x, place = np.sort(line), len(line) * q - 0.5
    rank = int(np.floor(place))
    return x[min(max(rank - (rank == place and rank % 2 == 0), 0), len(x) - 1)]


def finite_quantile(line, q, method):
    if method == 'median':
        return np.median(line)
    return closest(line, q) if method == 'closest_observation' else np.quantile(line, q, method=method)


@functools.lru_cache(maxsize=None)
def place_of(n, q, method):
    """Where the quantile lies in a sorted line: that of the places themselves."""
    return float(finite_quantile(np.arange(n, dtype='f8'), q, method))


def infinite_quantile(line, q, method):
    """What NumPy, which subtracts infinities, makes a NaN or even an error: any part of an infinity is one, an element
    without a say has none, and between both infinities there is no number. Twice, or once without the neighbour's say
    if it has one by nothing but rounding."""
    place = place_of(len(line), q, method)
    nearest, ends = round(place), line[int(place):int(np.ceil(place)) + 1]
    if place == nearest or ends[0] == ends[1]:
        return line[nearest], line[nearest]
    if np.isfinite(ends).all():
        largest = np.abs(line[np.isfinite(line)]).max()
        mixed = finite_quantile(np.clip(line, -largest, largest), q, method)
    else:
        mixed = ends.sum()
    return mixed, line[nearest] if abs(place - nearest) < 1e-9 * len(line) else mixed


def quantile_of(line, q, method, skip_nan):
    """One quantile of one sorted line in f64, as the two numbers that it may be."""
    if skip_nan:
        line = line[~np.isnan(line)]
    if not line.size or np.isnan(line).any():
        return np.nan, np.nan
    return infinite_quantile(line, q, method) if np.isinf(line).any() else (finite_quantile(line, q, method),) * 2


class Tests(sort.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        for name, arguments in (('median', [c_void_p, c_void_p, c_int, c_void_p]),
                                ('quantile', [c_void_p, c_void_p, c_double, c_int, c_void_p]),
                                ('quantiles', [c_void_p, c_void_p, c_void_p, c_int64, c_int, c_void_p]),
                                ('host_median', [c_void_p, c_void_p]),
                                ('host_quantile', [c_void_p, c_void_p, c_double, c_void_p])):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, arguments

    def close(self, got, want, lines, *what):
        """To 2 ulps of the largest magnitude among the finite elements, whose differences are taken."""
        sizes = np.where(np.isfinite(lines), np.abs(lines), 0).max(axis=-1)
        slack = 2 * np.spacing(np.maximum(sizes, np.finfo(got.dtype).tiny).astype(got.dtype)).astype('f8')
        got = got[..., None]
        near = np.abs(got.astype('f8') - want) <= slack[..., None, None]
        near |= (got == want.astype(got.dtype)) | (np.isnan(got) & np.isnan(want))
        self.expect(near.any(axis=-1).all(), *what)

    def check(self, dtype, shape, count):
        chosen = self.rng.choice(SETS)
        axes = tuple(k for k in range(4) if not chosen or chosen & 16 << k)
        kept = tuple(k for k in range(4) if k not in axes)
        values = self.values_for(dtype, shape)
        if dtype.kind == 'float' and self.rng.random() < 0.3:
            values = np.where(self.generator.random(shape) < self.rng.choice((0.05, 0.5, 1)),
                              self.generator.choice([-np.inf, np.inf], shape), values).astype(dtype.numpy)
        method = self.rng.choice(METHODS + ['median'])
        q = np.array([self.rng.choice((0, 1, 0.5, 0.25, self.rng.random()))
                      for _ in range(1 if method == 'median' else count)], 'f8')
        skip_nan = self.rng.randrange(2)
        lines = values.transpose(kept + axes).reshape(np.prod([shape[k] for k in kept], dtype=int), -1)
        some = self.generator.choice(len(lines), min(len(lines), MOST_LINES), False)
        lines = np.sort(lines[some].astype('f8'), axis=-1)  # NumPy is quicker with what is sorted
        want = np.array([[quantile_of(line, one, method, skip_nan) for one in q] for line in lines])
        size = tuple(len(q) if k == axes[-1] else 1 if k in axes else shape[k] for k in range(4))
        natural = dtype.name if dtype.name == 'f64' else 'f32' if dtype.kind == 'float' else 'f64'
        to = tess.BY_NAME[self.rng.choice((natural, natural, 'f64'))]
        source, out = self.place_with(values, dtype), self.place(size, to)
        what = (method, q, 'skip' if skip_nan else '', dtype, shape, hex(chosen), 'to', to)
        self.lib.tess_threads_set(self.rng.choice((1, 2, 5)))
        opts = QuantileOpts(METHODS.index(method) + 1 if method in METHODS else 0, skip_nan)
        if method == 'median':
            status = self.lib.tess_median(out.ref(), source.ref(), chosen, byref(MedianOpts(skip_nan)))
        elif len(q) == 1 and self.rng.random() < 0.5:
            status = self.lib.tess_quantile(out.ref(), source.ref(), q[0], chosen, byref(opts))
        else:
            status = self.lib.tess_quantiles(out.ref(), source.ref(), q.ctypes.data, len(q), chosen, byref(opts))
        if not self.succeeds(status, *what):
            return
        got = np.moveaxis(out.view, axes[-1], -1).reshape(-1, len(q))[some]
        self.close(got, want, lines, *what)
        self.around(out, *what)
        self.expect(np.array_equal(source.memory, source.before), *what, 'changed its input')

    def each(self, rounds, shapes):
        for _ in range(rounds):
            for dtype in tess.REALS:
                for count in (1, 2, 20):
                    self.check(dtype, self.rng.choice(shapes), count)
        self.lib.tess_threads_set(0)

    def numbers(self, rounds):
        """To the host, and rounding as NumPy does it."""
        for _ in range(rounds):
            values = self.generator.normal(0, 1, (1, 1, 1, self.rng.randrange(1, 40)))
            source, got, q = self.place_with(values, tess.BY_NAME['f64']), c_double(), self.rng.random()
            if self.succeeds(self.lib.tess_host_median(byref(got), source.ref()), 'host_median'):
                self.expect(got.value == np.median(values), 'host_median', values, got.value)
            if self.succeeds(self.lib.tess_host_quantile(byref(got), source.ref(), q, None), 'host_quantile'):
                self.expect(got.value == np.quantile(values, q), 'host_quantile', values, q, got.value)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('lines', lambda: tests.each(tess.rounds(8), SHAPES)), ('long lines', lambda: tests.each(tess.rounds(2), LONG)),
        ('numbers', lambda: tests.numbers(tess.rounds(200)))))


if __name__ == '__main__':
    sys.exit(main())
