"""Random numbers beside NumPy's Generator (PCG64), interleaved in one process, into the same memory.

One JSON line each, as bench/peers.py prints them. NumPy's generators use one thread. Run as
`python3 bench/peers_random.py build/libtessera.so [threads]`.
"""
import ctypes
import sys

import numpy as np

import peers
from peers_ewise import MathBench, best_times

SIZES = {'64 Ki': 1 << 16, '1 Mi': 1 << 20, '64 Mi': 1 << 26}
SEED, F64, I64 = ctypes.c_uint64(1), ctypes.c_double, ctypes.c_int64


class RandomBench(MathBench):
    def compare(self, what, dtype, threads, name, out, theirs, *arguments):
        ours = self.call(f'tess_random_{name}', [out], *arguments, SEED, None)
        peers.report(what, dtype, threads, best_times({'ours': ours, 'numpy': theirs}))

    def floats(self, dtype, threads):
        generator = np.random.default_rng(1)
        for size, n in SIZES.items():
            out, made = self.new((1, 1, 1, n), dtype)
            kind = np.dtype(dtype)
            rows = [('uniform', (F64(0), F64(1)), lambda: generator.random(dtype=kind, out=out)),
                    ('normal', (F64(0), F64(1)), lambda: generator.standard_normal(dtype=kind, out=out)),
                    ('exponential', (F64(1),), lambda: generator.standard_exponential(dtype=kind, out=out))]
            for name, arguments, theirs in rows:
                self.compare(f'{name}, {size}', dtype, threads, name, out, theirs, *arguments)
            self.drop(made)

    def whole(self, dtype, threads):
        generator = np.random.default_rng(1)
        n = SIZES['1 Mi']
        out, made = self.new((1, 1, 1, n), dtype)
        self.compare('integers 0 to 99, 1 Mi', dtype, threads, 'integers', out,
                     lambda: generator.integers(0, 100, n, dtype=dtype), I64(0), I64(99))
        self.compare('permutation, 1 Mi', dtype, threads, 'permutation', out, lambda: generator.permutation(n))
        for mean in (0.5, 5.0, 100.0):
            number = np.full((1, 1, 1, 1), mean)
            view = peers.view_of(number)
            self.compare(f'poisson of mean {mean:g}, 1 Mi', dtype, threads, 'poisson', out,
                         lambda: generator.poisson(mean, n), ctypes.byref(view))
        self.drop(made)


def main():
    bench = RandomBench(sys.argv[1] if len(sys.argv) > 1 else 'build/libtessera.so')
    for threads in [int(sys.argv[2])] if len(sys.argv) > 2 else (1, 2):
        bench.need(bench.library.tess_threads_set(threads))
        for dtype in ('f4', 'f8'):
            bench.floats(dtype, threads)
        for dtype in ('i4', 'i8'):
            bench.whole(dtype, threads)


if __name__ == '__main__':
    main()
