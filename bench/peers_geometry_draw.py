"""Distance transforms and connected components beside SciPy, interleaved in one process.

One JSON line each. Run as `python3 bench/peers_geometry_draw.py build/libtessera.so [threads]`.
"""
import ctypes
import json
import sys
from ctypes import byref, c_void_p

import numpy as np
from scipy import ndimage

import peers
import tess

SIDE = 192


def report(work, threads, best):
    print(json.dumps({'work': f'{work} of {SIDE}^3', 'threads': threads, 'ours_s': float(f"{best['ours']:.4g}"),
                      'scipy_s': float(f"{best['scipy']:.4g}"), 'times_scipy': round(best['scipy'] / best['ours'], 2)}),
          flush=True)


def array_of(library, values, dtype):
    array = tess.Array()
    if library.tess_wrap(byref(array), values.ctypes.data, tess.shape_value(values.shape), tess.BY_NAME[dtype].number, None):
        raise RuntimeError('tess_wrap')
    return array


def main():
    library, threads = tess.load(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    library.tess_threads_set(threads)
    for name in ('tess_distance_transform', 'tess_label'):
        getattr(library, name).argtypes = [c_void_p] * 3
        getattr(library, name).restype = ctypes.c_int
    noise = np.random.default_rng(1).standard_normal((SIDE,) * 3).astype('f4')
    blobs = ndimage.gaussian_filter(noise, 3)
    mask = (blobs < blobs.std())[None]
    far, labels = np.empty(mask.shape, 'f4'), np.empty(mask.shape, 'i4')
    truth, distances, numbers = (array_of(library, a, d) for a, d in ((mask, 'bool'), (far, 'f32'), (labels, 'i32')))
    report('distance transform', threads, peers.best_times({
        'ours': lambda: library.tess_distance_transform(byref(distances), byref(truth), None),
        'scipy': lambda: ndimage.distance_transform_edt(mask[0])}))
    if not np.allclose(far[0], ndimage.distance_transform_edt(mask[0])):
        raise SystemExit('distances differ')
    for name, some in (('', mask), (', 30 % noise', noise[None] > 0.524), (', 60 % noise', noise[None] > -0.253)):
        truth = array_of(library, some, 'bool')
        report('components' + name, threads, peers.best_times({
            'ours': lambda: library.tess_label(byref(numbers), byref(truth), None),
            'scipy': lambda: ndimage.label(some[0])}))
        if np.any(labels[0] != ndimage.label(some[0])[0]):
            raise SystemExit('labels differ')


if __name__ == '__main__':
    main()
