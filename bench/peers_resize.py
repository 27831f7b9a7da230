"""Crop, pad, bin and extract beside NumPy, interleaved in one process, on the same memory.

One JSON line each, as bench/peers.py prints them. Run as `python3 bench/peers_resize.py build/libtessera.so [threads]`.
"""
import ctypes
import sys

import numpy as np

import peers
import tess

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
        bench.regions(threads)


if __name__ == '__main__':
    main()
