"""Sorting, partitions and quantiles beside NumPy, interleaved in one process, on the same memory.

One JSON line each, as in peers.py. Run as `python3 bench/peers_sort.py build/libtessera.so [part of a name]`.
"""
import ctypes
import sys

import numpy as np

import peers


def works(bench, source, axis, axes, threads):
    """(name, ours, numpy's) of each function along an axis."""
    library, need = bench.library, bench.need
    library.tess_quantile.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double, ctypes.c_int, ctypes.c_void_p]
    library.tess_partition.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int]
    given, n = ctypes.byref(peers.view_of(source)), source.shape[axis]
    out, indices = np.empty_like(source), np.empty(source.shape, 'i8')
    less = np.empty([1 if d == axis else s for d, s in enumerate(source.shape)], 'f8' if source.itemsize == 8 else 'f4')
    to, to_indices, to_less = (ctypes.byref(peers.view_of(a)) for a in (out, indices, less))
    yield 'sort', lambda: need(library.tess_sort(to, given, axis, None)), lambda: np.sort(source, axis=axis)
    yield ('argsort', lambda: need(library.tess_argsort(to_indices, given, axis, None)),
           lambda: np.argsort(source, axis=axis))
    yield ('partition', lambda: need(library.tess_partition(to, given, n // 2, axis)),
           lambda: np.partition(source, n // 2, axis=axis))
    yield 'median', lambda: need(library.tess_median(to_less, given, axes, None)), lambda: np.median(source, axis=axis)
    yield ('quantile 0.3', lambda: need(library.tess_quantile(to_less, given, 0.3, axes, None)),
           lambda: np.quantile(source, 0.3, axis=axis))


def main():
    bench, only = peers.Bench(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ''
    generator = np.random.default_rng(1)
    for threads in (1, 2):
        bench.need(bench.library.tess_threads_set(threads))
        for dtype in ('f4', 'f8'):
            for shape, axis in (((1, 1, 4096, 4096), 3), ((1, 1, 1, 1 << 24), 3), ((1, 1, 4096, 4096), 2)):
                source = generator.random(shape, dtype)
                for name, ours, theirs in works(bench, source, axis, 16 << axis, threads):
                    text = f'{name} of {shape} along {axis}'
                    if only in text:
                        peers.report(text, dtype, threads, peers.best_times({'ours': ours, 'numpy': theirs}))


if __name__ == '__main__':
    main()
