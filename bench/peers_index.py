"""Histograms, searching and elements by index and by mask, ours beside NumPy, interleaved in one process.

One JSON line each, as of peers.py. Run as `python3 bench/peers_index.py build/libtessera.so`.
"""
import ctypes
import json
import sys
import time
from ctypes import byref, c_double, c_int32, c_int64, c_uint32, c_void_p

import numpy as np

from peers import tess, view_of

LEAST_S = 0.02  # of a round; short calls are repeated
ROUNDS = 7


class HistogramOpts(ctypes.Structure):
    _fields_ = [('low', c_double), ('high', c_double), ('edges', c_void_p), ('weights', c_void_p),
                ('density', c_int32), ('reserved', c_uint32 * 5)]


def seconds(work):
    calls, start = 0, time.perf_counter()
    while True:
        work()
        calls += 1
        took = time.perf_counter() - start
        if took >= LEAST_S:
            return took / calls


def four(array):
    return array.reshape((1,) * (4 - array.ndim) + array.shape)


class Bench:
    def __init__(self, path):
        self.library = tess.load(path)
        self.random = np.random.default_rng(1)

    def call(self, name, *arguments):
        status = getattr(self.library, 'tess_' + name)(*arguments)
        if status != 0:
            raise RuntimeError(tess.error_text(self.library, status))

    def compare(self, work, ours, numpy):
        for threads in (1, 2):
            self.library.tess_threads_set(threads)
            best = [min(pair) for pair in zip(*((seconds(ours), seconds(numpy)) for _ in range(ROUNDS)))]
            print(json.dumps({'work': work, 'threads': threads, 'ours_s': float(f'{best[0]:.4g}'),
                              'numpy_s': float(f'{best[1]:.4g}'), 'times_numpy': round(best[1] / best[0], 2)}),
                  flush=True)

    def histogram(self, n, bins, dtype='f4', weights=False, whole=False):
        x = self.random.random(n).astype(dtype) if dtype[0] == 'f' else self.random.integers(0, 200, n).astype(dtype)
        w = self.random.random(n) if weights else None
        high = 1.0 if dtype[0] == 'f' else 256.0
        a, out, weight = view_of(four(x)), np.zeros((1, 1, 1, bins), 'f8' if weights else 'i8'), None
        if weights:
            weight = view_of(four(w))
        o = view_of(out)
        opts = HistogramOpts(0, 0 if whole else high, None, ctypes.addressof(weight) if weights else None)
        limits = None if whole else (0.0, high)
        self.compare(f'histogram {n} {dtype} {bins} bins{" weighted" if weights else ""}{" own range" if whole else ""}',
                     lambda: self.call('histogram', byref(o), byref(a), c_int64(bins), 0, byref(opts)),
                     lambda: np.histogram(x, bins, limits, weights=w))
        assert np.array_equal(np.histogram(x, bins, limits, weights=w)[0], out.ravel())

    def take(self, shape, m, axis, dtype='f4'):
        x = self.random.random(shape).astype(dtype)
        indices = self.random.integers(0, shape[axis], m)
        want = np.take(x, indices, axis)
        out = np.zeros_like(want)
        a, at, o = view_of(four(x)), view_of(four(indices)), view_of(four(out))
        along = axis + 4 - x.ndim
        self.compare(f'take {m} of {shape} axis {axis} {dtype}',
                     lambda: self.call('take', byref(o), byref(a), byref(at), along),
                     lambda: np.take(x, indices, axis))
        assert np.array_equal(out, want)

    def put(self, shape, m, axis):
        x, indices = np.zeros(shape, 'f4'), self.random.integers(0, shape[axis], m)
        slices = list(shape)
        slices[axis] = m
        values = self.random.random(slices).astype('f4')
        a, at, v = view_of(four(x)), view_of(four(indices)), view_of(four(values))
        along, other, key = axis + 4 - x.ndim, x.copy(), (slice(None),) * axis + (indices,)
        self.compare(f'put {m} of {shape} axis {axis} f4',
                     lambda: self.call('put', byref(a), byref(v), byref(at), along, None),
                     lambda: other.__setitem__(key, values))
        assert np.array_equal(x, other)

    def compress(self, n, density, dtype='f4', clustered=False):
        x, mask = self.random.random(n).astype(dtype), self.random.random(n) < density
        if clustered:
            mask = np.repeat(self.random.random(n // 4096 + 1) < density, 4096)[:n]
        a, at = view_of(four(x)), view_of(four(mask))

        def ours():
            out = tess.Array()
            self.call('compress', byref(out), None, byref(a), byref(at))
            self.library.tess_release(byref(out))
        self.compare(f'compress {n} {dtype} {density}{" in runs" if clustered else ""}', ours, lambda: x[mask])

    def search(self, n, m, sorted_values=False):
        row, values = np.sort(self.random.random(n).astype('f4')), self.random.random(m).astype('f4')
        if sorted_values:
            values.sort()
        out = np.zeros((1, 1, 1, m), 'i8')
        a, at, o = view_of(four(row)), view_of(four(values)), view_of(out)
        self.compare(f'searchsorted {m}{" sorted" if sorted_values else ""} in {n}',
                     lambda: self.call('searchsorted', byref(o), byref(a), byref(at), None),
                     lambda: np.searchsorted(row, values))
        assert np.array_equal(np.searchsorted(row, values), out.ravel())

    def unique(self, n, different):
        x = self.random.integers(0, different, n).astype('f4')
        a = view_of(four(x))

        def ours(indices):
            outs = [tess.Array(), tess.Array()]
            self.call('unique', byref(outs[0]), None, None, byref(outs[1]) if indices else None, byref(a))
            for out in outs:
                self.library.tess_release(byref(out))
        self.compare(f'unique {n} of {different}', lambda: ours(False), lambda: np.unique(x))
        self.compare(f'unique with inverse {n} of {different}', lambda: ours(True),
                     lambda: np.unique(x, return_inverse=True))


def main():
    bench, quick = Bench(sys.argv[1]), '--quick' in sys.argv
    large = 1 << (20 if quick else 24)
    bench.histogram(large, 256)
    bench.histogram(large, 100, whole=True)
    bench.histogram(large, 100, 'f8')
    bench.histogram(large, 256, 'u1')
    bench.histogram(large, 50, 'i4')
    bench.histogram(1 << 20, 100, weights=True)
    bench.histogram(1000, 10)
    for n in (100, 10000, 1 << 20, large):
        bench.take((n,), n, 0)
    bench.take((1 << 20,), 1 << 20, 0, 'f8')
    bench.take((4096, 4096), 4096, 0)
    bench.take((1 << 20, 16), 1 << 20, 0)
    bench.take((1000, 1000), 500, 1)
    for n in (100, 1 << 20):
        bench.put((n,), n, 0)
    bench.put((4096, 1024), 4096, 0)
    for density in (0.01, 0.1, 0.5, 0.9, 1.0):
        bench.compress(large, density)
    bench.compress(large, 0.5, clustered=True)
    for n in (100, 10000):
        bench.compress(n, 0.5)
    for n, m in ((100, 100), (1000, 10000), (256, 1 << 20), (1 << 20, 1 << 20), (large, 1 << 20)):
        bench.search(n, m)
    bench.search(1 << 20, 1 << 20, True)
    for n in (100, 10000, 1 << 20):
        bench.unique(n, 1000)
    bench.unique(1 << 20, 1 << 22)


if __name__ == '__main__':
    main()
