"""Operators from text beside NumPy and numexpr, interleaved in one process, on the same memory.

One JSON line each, as bench/peers.py prints them, with numexpr where it is installed (python3-numexpr). Run as
`python3 bench/peers_op.py build/libtessera.so`.
"""
import ctypes
import json
import sys

import numpy as np

import peers

try:
    import numexpr
except ImportError:
    numexpr = None

BIND_ARRAY, N = 1, 1 << 24


class BindValue(ctypes.Union):
    _fields_ = [('array', ctypes.c_void_p), ('complex', ctypes.c_double * 2)]


class Bind(ctypes.Structure):
    _fields_ = [('kind', ctypes.c_int32), ('dtype', ctypes.c_int32), ('value', BindValue)]


def bound(arrays):
    binds = (Bind * len(arrays))()
    for bind, array in zip(binds, arrays):
        bind.kind, bind.value.array = BIND_ARRAY, ctypes.addressof(array)
    return binds


class OperatorBench(peers.Bench):
    def ours(self, text, arrays):
        """The operator over NumPy arrays, as a call without arguments."""
        op = ctypes.c_void_p()
        self.need(self.library.tess_op_text(ctypes.byref(op), text.encode()))
        views = [peers.view_of(a) for a in arrays]
        binds = bound(views)
        return lambda: self.need(self.library.tess_run(op, binds, len(views), None))

    def compare(self, what, threads, text, arrays, theirs, expression=None, names=None):
        works = {'ours': self.ours(text, arrays), 'numpy': theirs}
        if numexpr and expression:
            out = arrays[-1] if arrays[-1].size > 1 else None
            works['numexpr'] = lambda: numexpr.evaluate(expression, local_dict=names, out=out)
        best = peers.best_times(works)
        line = {'work': what, 'dtype': 'f4', 'threads': threads, 'ours_s': float(f"{best['ours']:.4g}")}
        for peer in list(best)[1:]:
            line[f'{peer}_s'] = float(f'{best[peer]:.4g}')
            line[f'times_{peer}'] = round(best[peer] / best['ours'], 2)
        print(json.dumps(line), flush=True)

    def all(self, threads):
        self.need(self.library.tess_threads_set(threads))
        if numexpr:
            numexpr.set_num_threads(threads)
        shape = (1, 1, 1, N)
        (a, one), (b, two), (z, three) = (self.new(shape, 'f4') for _ in range(3))
        a[:], b[:] = np.random.default_rng(1).normal(0, 3, (2, *shape)).astype('f4')
        workspace, total = np.empty_like(z), np.zeros((1, 1, 1, 1))
        names = {'a': a, 'b': b, 'two': np.float32(2)}

        def cosine():
            np.cos(b, out=z)
            np.multiply(a, np.float32(2), out=workspace)
            np.add(workspace, z, out=z)

        def root():
            np.multiply(a, a, out=z)
            np.multiply(b, b, out=workspace)
            np.add(z, workspace, out=z)
            np.sqrt(z, out=z)

        def distance():
            np.subtract(a, b, out=workspace)
            np.multiply(workspace, workspace, out=workspace)
            np.sum(workspace, dtype='f4')

        self.compare('a*2 + cos(b), 16 Mi', threads, 'op e(in f32 a, in f32 b, out f32 z) { z = a*2 + cos(b); }', (a, b, z),
                     cosine, 'a*two + cos(b)', names)
        self.compare('sqrt(a*a + b*b), 16 Mi', threads,
                     'op e(in f32 a, in f32 b, out f32 z) { z = sqrt(a*a + b*b); }', (a, b, z), root, 'sqrt(a*a + b*b)', names)
        self.compare('sum((a - b)^2), 16 Mi', threads,
                     'op e(in f32 a, in f32 b, acc sum f64 s, out f64 z) { f32 t = a - b; s += t*t; }', (a, b, total),
                     distance, 'sum((a - b)*(a - b))', names)
        self.drop(one, two, three)


def main():
    bench = OperatorBench(sys.argv[1])
    for threads in (1, 2):
        bench.all(threads)


if __name__ == '__main__':
    main()
