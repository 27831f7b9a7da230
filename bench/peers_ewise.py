"""Element-wise operations and reductions beside NumPy, interleaved in one process, on the same memory.

One JSON line each, as bench/peers.py prints them. Our calls go through ctypes, which adds some 0.4 microseconds to each:
at 1 Ki elements that is most of the time shown. NumPy has one thread, also in the BLAS that its dot calls. Run as
`python3 bench/peers_ewise.py build/libtessera.so [threads]`.
"""
import ctypes
import os
import sys
import time

os.environ['OPENBLAS_NUM_THREADS'] = '1'

import numpy as np  # noqa: E402: after the number of threads is set

import peers  # noqa: E402

SIZES = {'1 Ki': 1 << 10, '64 Ki': 1 << 16, '1 Mi': 1 << 20, '64 Mi': 1 << 26}
AXES = {'B': 0x10, 'D': 0x20, 'H': 0x40, 'W': 0x80}


def best_times(works, least=0.02, rounds=5):
    """Seconds of a call of each work: interleaved, each round as many calls as take `least` seconds; the best round."""
    best = {name: float('inf') for name in works}
    calls = {}
    for name, work in works.items():
        start = time.perf_counter()
        work()
        calls[name] = max(1, int(least / max(time.perf_counter() - start, 1e-7)))
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            for _ in range(calls[name]):
                work()
            best[name] = min(best[name], (time.perf_counter() - start) / calls[name])
    return best


class MathBench(peers.Bench):
    def new(self, shape, dtype):
        """As in peers, but of different numbers between 0 and 1: functions take short cuts for some."""
        array, made = super().new(shape, dtype)
        self.made = getattr(self, 'made', 0) + 1
        array.flat = np.random.default_rng(self.made).random(min(array.size, 1 << 20)) if dtype != '?' else [0, 1, 1, 0]
        return array, made

    def call(self, name, arrays, *more):
        """Our function on NumPy arrays, the output first, as something to call."""
        function = getattr(self.library, name)
        views = [peers.view_of(a) for a in arrays]
        arguments = [ctypes.byref(v) for v in views] + list(more)

        def work(views=views):
            self.need(function(*arguments))
        return work

    def compare(self, what, dtype, threads, name, arrays, numpy_work, *more):
        peers.report(what, dtype, threads, best_times({'ours': self.call(name, arrays, *more), 'numpy': numpy_work}))

    def operations(self, dtype, threads):
        for size, n in SIZES.items():
            a, a_made = self.new((1, 1, 1, n), dtype)
            b, b_made = self.new((1, 1, 1, n), dtype)
            out, out_made = self.new((1, 1, 1, n), dtype)
            mask, mask_made = self.new((1, 1, 1, n), '?')
            rows = [('add', [out, a, b], lambda: np.add(a, b, out=out)),
                    ('mul', [out, a, b], lambda: np.multiply(a, b, out=out)),
                    ('abs', [out, a], lambda: np.absolute(a, out=out)),
                    ('less', [mask, a, b], lambda: np.less(a, b, out=mask)),
                    ('where', [out, mask, a, b], lambda: np.where(mask, a, b)),
                    ('exp', [out, a], lambda: np.exp(a, out=out)),
                    ('log', [out, a], lambda: np.log(a, out=out)),
                    ('expm1', [out, a], lambda: np.expm1(a, out=out)),
                    ('log1p', [out, a], lambda: np.log1p(a, out=out)),
                    ('logaddexp', [out, a, b], lambda: np.logaddexp(a, b, out=out))]
            for name, arrays, theirs in rows:
                if n < 1 << 26 or name in ('add', 'mul', 'abs', 'less', 'where'):
                    self.compare(f'{name}, {size}', dtype, threads, f'tess_{name}', arrays, theirs)
            self.drop(a_made, b_made, out_made, mask_made)

    def views(self, dtype, threads):
        a, a_made = self.new((16, 1, 512, 512), dtype)
        b, b_made = self.new((16, 1, 512, 512), dtype)
        out, out_made = self.new((16, 1, 512, 512), dtype)
        inside = np.s_[:, :, 6:506, 6:506]
        cases = {'sub-regions': (out[inside], a[inside], b[inside]),
                 'a row {1,1,1,W}': (out, a, b[:1, :, :1, :]),
                 'a number an image {B,1,1,1}': (out, a, b[:, :, :1, :1]),
                 'every second row': (out[:, :, ::2], a[:, :, ::2], b[:, :, ::2]),
                 'every second column': (out[..., ::2], a[..., ::2], b[..., ::2]),
                 'transposed': (out, a.transpose(0, 1, 3, 2), b)}
        for name, (o, x, y) in cases.items():
            self.compare(f'add, {name}', dtype, threads, 'tess_add', [o, x, y], lambda: np.add(x, y, out=o))
        self.drop(a_made, b_made, out_made)

    def reductions(self, dtype, threads):
        everywhere = sum(AXES.values())
        out, out_made = self.new((1, 1, 1, 1), dtype)
        for size, n in SIZES.items():
            a, a_made = self.new((1, 1, 1, n), dtype)
            for name, theirs in (('sum', lambda: a.sum()), ('min', lambda: a.min()), ('max', lambda: a.max()),
                                 ('mean', lambda: a.mean()), ('var', lambda: a.var()), ('dot', lambda: a.ravel() @ a.ravel())):
                self.compare(f'{name}, {size}', dtype, threads, f'tess_{name}', [out, a, a] if name == 'dot' else [out, a],
                             theirs, everywhere, None)
            self.drop(a_made)
        self.drop(out_made)

    def axes(self, dtype, threads):
        a, a_made = self.new((8, 64, 512, 512), dtype)
        names = 'BDHW'
        sets = [(k,) for k in range(4)] + [(j, k) for j in range(4) for k in range(j + 1, 4)]
        for axes in sets:
            shape = [1 if k in axes else size for k, size in enumerate(a.shape)]
            out, out_made = self.new(shape, dtype)
            bits = sum(AXES[names[k]] for k in axes)
            for name, theirs in (('sum', np.sum), ('max', np.max)):
                self.compare(f"{name} of {{8,64,512,512}} over {''.join(names[k] for k in axes)}", dtype, threads,
                             f'tess_{name}', [out, a], lambda: theirs(a, axis=axes, keepdims=True, out=out), bits, None)
            self.drop(out_made)
        self.drop(a_made)


def main():
    bench = MathBench(sys.argv[1] if len(sys.argv) > 1 else 'build/libtessera.so')
    for threads in [int(sys.argv[2])] if len(sys.argv) > 2 else (1, 2):
        bench.need(bench.library.tess_threads_set(threads))
        for dtype in ('f4', 'f8'):
            bench.operations(dtype, threads)
            bench.views(dtype, threads)
            bench.reductions(dtype, threads)
            bench.axes(dtype, threads)


if __name__ == '__main__':
    main()
