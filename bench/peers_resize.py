"""Crop, pad, bin and extract beside NumPy, and bin by 2 beside OpenCV, interleaved in one process, on the same memory.

One JSON line each, as bench/peers.py prints them. Run as `python3 bench/peers_resize.py build/libtessera.so [threads]`.
"""
import ctypes
import sys

import numpy as np

import peers
import tess

try:
    import cv2
except ImportError:
    cv2 = None

BORDERS = {'constant': 1, 'edge': 3, 'wrap': 4, 'symmetric': 5, 'reflect': 6}
EDGE = 100


class ResizeBench(peers.Bench):
    def works(self, name, arrays, more, numpy_work):
        views = [peers.view_of(a) for a in arrays]
        function = getattr(self.library, name)
        arguments = [ctypes.byref(v) for v in views] + more
        return peers.best_times({'ours': lambda: self.need(function(*arguments)), 'numpy': numpy_work})

    def borders(self, threads):
        a, a_made = self.new((8, 1, 2048, 2048), 'f4')
        out, out_made = self.new((8, 1, 2048 + 2 * EDGE, 2048 + 2 * EDGE), 'f4')
        counts = tess.shape_value((0, 0, EDGE, EDGE))
        for mode, border in BORDERS.items():
            opts = (ctypes.c_int32 * 10)(border)
            best = self.works('tess_pad', [out, a], [counts, counts, ctypes.byref(opts)],
                              lambda: np.pad(a, [(0, 0), (0, 0), (EDGE, EDGE), (EDGE, EDGE)], mode))
            peers.report(f'pad {{8,1,2048,2048}} by {EDGE}, {mode}', 'f4', threads, best)
        inner = out[:, :, EDGE:-EDGE, EDGE:-EDGE]
        peers.report('crop to {8,1,2048,2048}', 'f4', threads,
                     self.works('tess_crop', [a, out], [counts, counts], lambda: np.copyto(a, inner)))
        self.drop(a_made, out_made)

    def bins(self, threads):
        for dtype, result in (('f4', 'f4'), ('u1', 'f8'), ('i2', 'f8')):
            a, a_made = self.new((8, 1, 4096, 4096), dtype)
            for factor in (2, 4):
                out, out_made = self.new((8, 1, 4096 // factor, 4096 // factor), result)
                split = a.reshape(8, 1, 4096 // factor, factor, 4096 // factor, factor)
                best = self.works('tess_bin', [out, a], [tess.shape_value((1, 1, factor, factor)), None],
                                  lambda: np.mean(split, axis=(3, 5), out=out))
                peers.report(f'bin {{8,1,4096,4096}} by {factor} x {factor}', dtype, threads, best)
                self.drop(out_made)
            self.drop(a_made)

    def images(self, threads):
        """Means of 2 x 2 pixels, in the caches and out of them."""
        if not cv2:
            return
        cv2.setNumThreads(threads)
        for n in (256, 1024, 4096):
            a, a_made = self.new((1, 1, n, n), 'f4')
            out, out_made = self.new((1, 1, n // 2, n // 2), 'f4')
            views, factors = [peers.view_of(x) for x in (out, a)], tess.shape_value((1, 1, 2, 2))
            arguments, size, times = [ctypes.byref(v) for v in views], (n // 2, n // 2), (4096 // n)**2

            def ours():
                for _ in range(times):
                    self.need(self.library.tess_bin(*arguments, factors, None))

            def opencv():
                for _ in range(times):
                    cv2.resize(a[0, 0], size, dst=out[0, 0], interpolation=cv2.INTER_AREA)
            peers.report(f'bin {times} times {n} x {n} by 2 x 2', 'f4', threads,
                         peers.best_times({'ours': ours, 'opencv': opencv}))
            self.drop(a_made, out_made)

    def regions(self, threads):
        a, a_made = self.new((1, 1, 4096, 4096), 'f4')
        out, out_made = self.new((4096, 1, 128, 128), 'f4')
        origins = np.random.default_rng(1).integers(0, 4096 - 128, (4096, 1, 1, 2))

        def slices():
            for i, (y, x) in enumerate(origins[:, 0, 0]):
                out[i] = a[0, :, y:y + 128, x:x + 128]
        best = self.works('tess_extract', [out, a, origins], [tess.shape_value((1, 1, 128, 128)), None], slices)
        peers.report('extract 4096 of 128 x 128', 'f4', threads, best)
        self.drop(a_made, out_made)


def main():
    bench = ResizeBench(sys.argv[1] if len(sys.argv) > 1 else 'build/libtessera.so')
    for threads in [int(sys.argv[2])] if len(sys.argv) > 2 else (1, 2):
        bench.need(bench.library.tess_threads_set(threads))
        bench.borders(threads)
        bench.bins(threads)
        bench.images(threads)
        bench.regions(threads)


if __name__ == '__main__':
    main()
