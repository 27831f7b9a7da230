"""Ours beside NumPy (and PyTorch where it is installed), interleaved in one process, on the same memory.

One JSON line each: {"work", "dtype", "threads", "ours_s", "numpy_s", "times_numpy", …}. Run as
`python3 bench/peers.py build/libtessera.so`.
"""
import ctypes
import itertools
import json
import os
import sys
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'tests', 'oracle'))
import tess  # noqa: E402

try:
    import torch
except ImportError:
    torch = None

ROUNDS = 3


def best_times(works):
    """Seconds of the best of ROUNDS calls of each work, interleaved."""
    best = {name: float('inf') for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def report(work, dtype, threads, best):
    line = {'work': work, 'dtype': str(dtype), 'threads': threads, 'ours_s': float(f"{best['ours']:.4g}")}
    for peer in ('numpy', 'torch', 'opencv'):
        if peer in best:
            line[f'{peer}_s'] = float(f'{best[peer]:.4g}')
            line[f'times_{peer}'] = round(best[peer] / best['ours'], 2)
    print(json.dumps(line), flush=True)


def torch_copy(out, source, threads):
    """The copy, or cast, by torch, where it is installed and knows both arrays."""
    if not torch or any(s < 0 for s in source.strides):
        return {}
    try:
        to, of = torch.from_numpy(out), torch.from_numpy(source)
    except TypeError:  # of a dtype that it does not have
        return {}
    torch.set_num_threads(threads)
    return {'torch': lambda: to.copy_(of)}


def view_of(array):
    """The tess_array over a NumPy array's memory, whatever its strides."""
    strides = (tess.Shape)(*(s // array.itemsize for s in array.strides))
    number = next(d.number for d in tess.DTYPES if d.numpy == array.dtype)
    return tess.Array(tess.Shape(*array.shape), strides, array.ctypes.data, None, number)


class Bench:
    """Arrays lie in the library's own storage (huge pages, whole cache lines) for both sides."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def new(self, shape, dtype):
        """A NumPy array of ones over storage that the library made; `drop` gives it back."""
        number = next(d.number for d in tess.DTYPES if d.numpy == np.dtype(dtype))
        made = tess.Array()
        self.need(self.library.tess_full(ctypes.byref(made), tess.ShapeValue(tess.Shape(*shape)), number,
                                         tess.Device(), ctypes.c_double(1)))
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        memory = (ctypes.c_char * size).from_address(made.data)
        return np.frombuffer(memory, dtype).reshape(shape), made

    def drop(self, *made):
        for array in made:
            self.library.tess_release(ctypes.byref(array))

    def need(self, status):
        if status:
            self.library.tess_error_trace.restype = ctypes.c_char_p
            sys.exit(self.library.tess_error_trace().decode())

    def copy(self, out, source, threads):
        mine, theirs = view_of(out), view_of(source)
        works = {'ours': lambda: self.need(self.library.tess_copy(ctypes.byref(mine), ctypes.byref(theirs))),
                 'numpy': lambda: np.copyto(out, source)}
        return best_times(works | torch_copy(out, source, threads))

    def cast(self, out, source, threads):
        mine, theirs = view_of(out), view_of(source)
        number = mine.dtype
        call = self.library.tess_cast
        works = {'ours': lambda: self.need(call(ctypes.byref(mine), ctypes.byref(theirs), number, None)),
                 'numpy': lambda: np.copyto(out, source, casting='unsafe')}
        return best_times(works | torch_copy(out, source, threads))

    def permutations(self, threads):
        base, base_made = self.new((8, 64, 512, 512), 'f4')
        for axes in itertools.permutations(range(4)):
            source = base.transpose(axes)
            out, out_made = self.new(source.shape, 'f4')
            report(f'permute_copy {{8,64,512,512}} {axes}', 'f4', threads, self.copy(out, source, threads))
            self.drop(out_made)
        self.drop(base_made)

    def transposes(self, threads):
        for dtype in ('u1', 'u2', 'f4', 'f8', 'c16'):
            base, base_made = self.new((1, 1, 8192, 8192), dtype)
            source = base.transpose(0, 1, 3, 2)
            out, out_made = self.new(source.shape, dtype)
            report('transpose {1,1,8192,8192}', dtype, threads, self.copy(out, source, threads))
            self.drop(base_made, out_made)

    def casts(self, threads):
        for of, to in (('u1', 'f4'), ('i2', 'f4'), ('f4', 'f8'), ('f8', 'f4'), ('f4', 'i2'), ('f2', 'f4'), ('f4', 'f2')):
            source, source_made = self.new((1, 1, 1, 1 << 26), of)
            out, out_made = self.new(source.shape, to)
            report(f'cast {of} to {to}, 2^26', '', threads, self.cast(out, source, threads))
            self.drop(source_made, out_made)


def main():
    bench = Bench(sys.argv[1] if len(sys.argv) > 1 else 'build/libtessera.so')
    for threads in (1, 2):
        bench.need(bench.library.tess_threads_set(threads))
        bench.transposes(threads)
        bench.permutations(threads)
        bench.casts(threads)


if __name__ == '__main__':
    main()
