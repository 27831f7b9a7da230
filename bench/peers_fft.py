"""Fourier transforms beside SciPy (pocketfft) and, where it is installed, torch: python3 peers_fft.py libtessera.so [name]

One JSON line each, with the best interleaved times of all, on the same memory. SciPy has no output argument and makes its
results anew each time. A part of a name takes the cases whose name holds it.
"""
import ctypes
import json
import sys

import numpy as np
import scipy.fft

import peers
import tess

SHAPES = ((16, 1, 1024, 1024), (1, 1, 4096, 4096), (1, 1, 3838, 3710), (64, 1, 256, 256), (1, 1, 5760, 4092),
          (1, 256, 256, 256), (1, 384, 384, 384), (1000, 1, 64, 64), (1024, 1, 1, 1000))
LINES = (1 << 20, 1_000_000, 1_000_003)


def report(work, dtype, threads, best):
    line = {'work': work, 'dtype': dtype, 'threads': threads, 'ours_s': float(f"{best['ours']:.4g}")}
    for peer in best:
        if peer != 'ours':
            line[f'{peer}_s'] = float(f'{best[peer]:.4g}')
            line[f'times_{peer}'] = round(best[peer] / best['ours'], 2)
    print(json.dumps(line), flush=True)


def real_works(bench, shape, threads):
    """(name, works) of both directions."""
    library, axes = bench.library, tuple(k for k in (1, 2, 3) if shape[k] > 1)
    real, real_made = bench.new(shape, 'f4')
    half, half_made = bench.new((*shape[:3], shape[3] // 2 + 1), 'c8')
    real[...] = np.random.default_rng(1).random(shape, 'f4')
    x, y, sizes = ctypes.byref(real_made), ctypes.byref(half_made), [shape[k] for k in axes]
    forward = {'ours': lambda: bench.need(library.tess_fft_r2c(y, x, None)),
               'scipy': lambda: scipy.fft.rfftn(real, axes=axes, workers=threads)}
    value = tess.shape_value(shape)
    backward = {'ours': lambda: bench.need(library.tess_fft_c2r(x, y, value, None)),
                'scipy': lambda: scipy.fft.irfftn(half, sizes, axes, workers=threads)}
    if peers.torch:
        peers.torch.set_num_threads(threads)
        a, b = peers.torch.from_numpy(real), peers.torch.from_numpy(half)
        forward['torch'] = lambda: peers.torch.fft.rfftn(a, dim=axes, out=b)
        backward['torch'] = lambda: peers.torch.fft.irfftn(b, sizes, dim=axes, out=a)
    yield f'r2c {shape}', forward
    yield f'c2r {shape}', backward
    bench.drop(real_made, half_made)


def complex_works(bench, n, threads):
    given, given_made = bench.new((1, 1, 1, n), 'c16')
    out, out_made = bench.new((1, 1, 1, n), 'c16')
    x, y = ctypes.byref(given_made), ctypes.byref(out_made)
    works = {'ours': lambda: bench.need(bench.library.tess_fft_c2c(y, x, -1, None)),
             'scipy': lambda: scipy.fft.fft(given, workers=threads)}
    if peers.torch:
        peers.torch.set_num_threads(threads)
        a, b = peers.torch.from_numpy(given), peers.torch.from_numpy(out)
        works['torch'] = lambda: peers.torch.fft.fft(a, out=b)
    yield f'c2c {n}', works
    bench.drop(given_made, out_made)


def main():
    bench, only = peers.Bench(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ''
    bench.library.tess_fft_c2r.argtypes = [ctypes.c_void_p, ctypes.c_void_p, tess.ShapeValue, ctypes.c_void_p]
    print(json.dumps({'scipy': scipy.__version__, 'torch': peers.torch.__version__ if peers.torch else None}))
    for threads in (1, 2):
        bench.need(bench.library.tess_threads_set(threads))
        for shape in SHAPES:
            for name, works in real_works(bench, shape, threads):
                if only in name:
                    report(name, 'f32', threads, peers.best_times(works))
        for n in LINES:
            for name, works in complex_works(bench, n, threads):
                if only in name:
                    report(name, 'f64', threads, peers.best_times(works))


if __name__ == '__main__':
    main()
