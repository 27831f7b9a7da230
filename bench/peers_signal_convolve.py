"""Convolution, median filters, minima and means beside SciPy and, where it is installed, OpenCV, interleaved in one
process.

One JSON line each. Run as `python3 bench/peers_signal_convolve.py build/libtessera.so [threads]`.
"""
import ctypes
import json
import sys

import numpy as np
from scipy import ndimage

import peers
import tess

try:
    import cv2
except ImportError:
    cv2 = None

CLAMP = 3


def report(work, dtype, threads, best):
    line = {'work': work, 'dtype': dtype, 'threads': threads, 'ours_s': float(f"{best['ours']:.4g}")}
    for peer in ('scipy', 'opencv'):
        if peer in best:
            line[f'{peer}_s'] = float(f'{best[peer]:.4g}')
            line[f'times_{peer}'] = round(best[peer] / best['ours'], 2)
    print(json.dumps(line), flush=True)


class FilterBench(peers.Bench):
    def images(self, shape, dtype):
        a, a_made = self.new(shape, dtype)
        a[...] = np.random.default_rng(1).integers(0, 250, shape) + (0.5 if dtype == 'f4' else 0)
        out, out_made = self.new(shape, dtype)
        return a, out, (a_made, out_made)

    def call(self, name, arrays, *more):
        views = [None if a is None else peers.view_of(a) for a in arrays]
        pointers = [None if v is None else ctypes.byref(v) for v in views]
        opts = (ctypes.c_int32 * 16)(CLAMP)
        return lambda: self.need(getattr(self.library, name)(*pointers, *more, ctypes.byref(opts)))

    def medians(self, threads):
        for dtype, sizes in (('f4', (3, 5)), ('u1', (3, 5, 15))):
            a, out, made = self.images((16, 1, 1024, 1024), dtype)
            for size in sizes:
                window = tess.shape_value((1, 1, size, size))
                works = {'ours': self.call('tess_median_filter', [out, a], window)}
                if size == 5 and dtype == 'f4':
                    works['scipy'] = lambda: ndimage.median_filter(a, (1, 1, 5, 5), mode='nearest')
                if cv2:
                    works['opencv'] = lambda: [cv2.medianBlur(image, size) for image in a[:, 0]]
                report(f'median {size} x {size}, {{16,1,1024,1024}}', dtype, threads, peers.best_times(works))
            self.drop(*made)
        self.large_medians(threads)

    def large_medians(self, threads):
        """Windows that OpenCV has for 8 bits alone."""
        a, out, made = self.images((2, 1, 512, 512), 'f4')
        for size in (7, 9, 11):
            works = {'ours': self.call('tess_median_filter', [out, a], tess.shape_value((1, 1, size, size))),
                     'scipy': lambda: ndimage.median_filter(a, (1, 1, size, size), mode='nearest')}
            report(f'median {size} x {size}, {{2,1,512,512}}', 'f4', threads, peers.best_times(works))
        self.drop(*made)

    def separables(self, threads):
        a, out, made = self.images((16, 1, 1024, 1024), 'f4')
        vector = np.hanning(9)[1:-1].astype('f4')
        filter_4d = vector.reshape(1, 1, 1, 7)
        works = {'ours': self.call('tess_convolve_separable', [out, a, None, filter_4d, filter_4d])}
        if cv2:
            works['opencv'] = lambda: [cv2.sepFilter2D(x, -1, vector, vector, dst=y, borderType=cv2.BORDER_REPLICATE)
                                       for x, y in zip(a[:, 0], out[:, 0])]
        report('separable 7, {16,1,1024,1024}', 'f4', threads, peers.best_times(works))
        self.drop(*made)

    def boxes(self, threads):
        a, out, made = self.images((1, 1, 1024, 1024), 'f4')
        for size in (3, 5, 15, 51, 101):
            window = tess.shape_value((1, 1, size, size))
            report(f'minimum {size} x {size}, {{1,1,1024,1024}}', 'f4', threads, peers.best_times({
                'ours': self.call('tess_rank_filter', [out, a], window, ctypes.c_int64(0)),
                'scipy': lambda: ndimage.minimum_filter(a, (1, 1, size, size), mode='nearest')}))
            report(f'mean {size} x {size}, {{1,1,1024,1024}}', 'f4', threads, peers.best_times({
                'ours': self.call('tess_uniform_filter', [out, a], window),
                'scipy': lambda: ndimage.uniform_filter(a, (1, 1, size, size), mode='nearest')}))
        self.drop(*made)

    def volumes(self, threads):
        a, out, made = self.images((1, 128, 128, 128), 'f4')
        weights = np.random.default_rng(2).normal(size=(1, 5, 5, 5)).astype('f4')
        vector = np.hanning(7)[1:-1].astype('f4')
        filter_4d = vector.reshape(1, 1, 1, 5)

        def axes():
            x = a
            for axis in (3, 2, 1):
                x = ndimage.convolve1d(x, vector, axis, mode='nearest')

        report('convolve 5 x 5 x 5, {1,128,128,128}', 'f4', threads, peers.best_times({
            'ours': self.call('tess_convolve', [out, a, weights]),
            'scipy': lambda: ndimage.convolve(a, weights, mode='nearest')}))
        report('separable 5, {1,128,128,128}', 'f4', threads, peers.best_times({
            'ours': self.call('tess_convolve_separable', [out, a, filter_4d, filter_4d, filter_4d]), 'scipy': axes}))
        report('median 3 x 3 x 3, {1,128,128,128}', 'f4', threads, peers.best_times({
            'ours': self.call('tess_median_filter', [out, a], tess.shape_value((1, 3, 3, 3))),
            'scipy': lambda: ndimage.median_filter(a, (1, 3, 3, 3), mode='nearest')}))
        self.drop(*made)


def main():
    bench = FilterBench(sys.argv[1] if len(sys.argv) > 1 else 'build/libtessera.so')
    for threads in [int(sys.argv[2])] if len(sys.argv) > 2 else (1, 2):
        bench.need(bench.library.tess_threads_set(threads))
        if cv2:
            cv2.setNumThreads(threads)
        bench.medians(threads)
        bench.separables(threads)
        bench.boxes(threads)
        bench.volumes(threads)


if __name__ == '__main__':
    main()
