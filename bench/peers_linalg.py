"""Products of matrices, least squares and factors beside NumPy's: python3 peers_linalg.py libtessera.so

One JSON line each, with the best interleaved times of both. NumPy calls the BLAS that it was linked with, which the first
line names; with one thread it is told to use one, too.
"""
import ctypes
import json
import os
import re
import subprocess
import sys
import time
from ctypes import byref, c_double, c_int, c_int32, c_uint32, c_void_p

THREADS = int(os.environ.get('PEER_THREADS', '0'))
if THREADS:
    os.environ['OPENBLAS_NUM_THREADS'] = os.environ['OMP_NUM_THREADS'] = str(THREADS)

import numpy as np  # noqa: E402: after the number of threads is set

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'tests', 'oracle'))
import tess  # noqa: E402


class MatmulOpts(ctypes.Structure):
    _fields_ = [('form_a', c_int32), ('form_b', c_int32), ('alpha', c_double), ('beta', c_double),
                ('reserved', c_uint32 * 4)]


def blas_in_use():
    """Libraries of this process that look like a BLAS."""
    with open('/proc/self/maps', encoding='ascii') as maps:
        paths = set(re.findall(r'/\S*blas\S*', maps.read()))
    return sorted(os.path.realpath(path) for path in paths)


def best(calls, rounds, least=0.05):
    """Best seconds of each of the calls, interleaved."""
    times = [1e9] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            n, took = 1, 0.0
            while True:
                began = time.perf_counter()
                for _ in range(n):
                    call()
                took = time.perf_counter() - began
                if took >= least:
                    break
                n *= 4
            times[k] = min(times[k], took / n)
    return times


def array_of(lib, values):
    """The library's view of a C-contiguous NumPy array."""
    array = tess.Array()
    number = {'float32': 'f32', 'float64': 'f64', 'complex64': 'c32', 'complex128': 'c64', 'int64': 'i64'}
    shape = (1,) * (4 - values.ndim) + values.shape
    if values.ndim == 3:
        shape = (values.shape[0], 1) + values.shape[1:]
    dtype = tess.BY_NAME[number[values.dtype.name]]
    assert lib.tess_wrap(byref(array), values.ctypes.data, tess.shape_value(shape), dtype.number, None) == tess.OK
    return array


def need(lib, status):
    if status != tess.OK:
        raise RuntimeError(tess.error_text(lib, status))


def report(what, dtype, ours, numpy):
    print(json.dumps({'work': what, 'dtype': dtype, 'threads': THREADS, 'ours_s': float(f'{ours:.4g}'),
                      'numpy_s': float(f'{numpy:.4g}'), 'times_numpy': round(numpy / ours, 2)}), flush=True)


def run(path):
    lib = tess.load(path)
    lib.tess_matmul.restype, lib.tess_matmul.argtypes = c_int, [c_void_p] * 4
    lib.tess_lstsq.restype, lib.tess_lstsq.argtypes = c_int, [c_void_p] * 4
    need(lib, lib.tess_threads_set(THREADS))
    rng = np.random.default_rng(1)
    print(json.dumps({'numpy': np.__version__, 'blas': blas_in_use()}))
    for dtype in ('f4', 'f8', 'c8', 'c16'):
        for what, a, b in (('1024^3', (1024, 1024), (1024, 1024)), ('1024 of 64^3', (1024, 64, 64), (1024, 64, 64)),
                           ('4096 of 8^3', (4096, 8, 8), (4096, 8, 8)),
                           ('4096^2 by a vector', (4096, 4096), (4096, 1)),
                           ('a vector by 4096^2', (1, 4096), (4096, 4096)),
                           ('1000 by 3000 by a vector', (1000, 3000), (3000, 1))):
            x, y = (rng.normal(size=shape).astype(dtype) for shape in (a, b))
            z = np.matmul(x, y)
            arrays = [array_of(lib, v) for v in (z, x, y)]
            refs = [byref(v) for v in arrays]
            ours, numpy = best([lambda: need(lib, lib.tess_matmul(*refs, None)), lambda: np.matmul(x, y, out=z)], 7)
            report('matmul ' + what, np.dtype(dtype).name, ours, numpy)
    for m, n, k, batch in ((1000, 10, 1, 1), (200, 100, 1, 1), (20, 4, 1, 2000)):
        x, y = rng.normal(size=(batch, m, n)), rng.normal(size=(batch, m, k))
        z = np.empty((batch, n, k))
        arrays = [array_of(lib, v) for v in (z, x, y)]
        refs = [byref(v) for v in arrays]
        ours, numpy = best([lambda: need(lib, lib.tess_lstsq(*refs, None)),
                            lambda: [np.linalg.lstsq(p, q, rcond=None) for p, q in zip(x, y)]], 5)
        report(f'lstsq {batch} of {m} by {n}', 'float64', ours, numpy)
    factors(lib, rng)


def factors(lib, rng):
    """Equations, factors, values and vectors of many small matrices and of a large one."""
    names = {'solve': 3, 'inverse': 2, 'determinant': 3, 'cholesky': 3, 'qr': 4, 'eigh': 4, 'svd': 5}
    for name, n in names.items():
        function = getattr(lib, 'tess_' + name)
        function.restype, function.argtypes = c_int, [c_void_p] * n
    for batch, n, dtype in ((1000, 3, 'f8'), (1000, 3, 'c16'), (100, 64, 'f8'), (100, 64, 'c16'), (1, 512, 'f8')):
        a = rng.normal(size=(batch, n, n)).astype(dtype)
        a = a + 1j * rng.normal(size=a.shape) if dtype == 'c16' else a
        definite = a @ a.swapaxes(1, 2).conj() + np.eye(n)
        out, more, values = np.empty_like(a), np.empty_like(a), np.empty((batch, 1, n))
        one, right, solved = np.empty((batch, 1, 1), a.dtype), a[..., :1].copy(), np.empty((batch, n, 1), a.dtype)
        r = {k: byref(array_of(lib, v)) for k, v in (('a', a), ('definite', definite), ('out', out), ('more', more),
                                                    ('values', values), ('one', one), ('right', right), ('solved', solved))}
        for name, args, peer in (
                ('solve', (r['solved'], r['a'], r['right']), lambda: np.linalg.solve(a, right)),
                ('inverse', (r['out'], r['a']), lambda: np.linalg.inv(a)),
                ('determinant', (r['one'], r['a'], None), lambda: np.linalg.slogdet(a)),
                ('cholesky', (r['out'], r['definite'], None), lambda: np.linalg.cholesky(definite)),
                ('qr', (r['out'], r['more'], r['a'], None), lambda: np.linalg.qr(a)),
                ('eigh', (r['values'], r['out'], r['definite'], None), lambda: np.linalg.eigh(definite)),
                ('eigh', (r['values'], None, r['definite'], None), lambda: np.linalg.eigvalsh(definite)),
                ('svd', (r['out'], r['values'], r['more'], r['a'], None), lambda: np.linalg.svd(a)),
                ('svd', (None, r['values'], None, r['a'], None), lambda: np.linalg.svd(a, compute_uv=False))):
            function = getattr(lib, 'tess_' + name)
            ours, numpy = best([lambda f=function, args=args: need(lib, f(*args)), peer], 7)
            report(f'{name}{" (values)" if None in args[:2] else ""} {batch} of {n} by {n}', a.dtype.name, ours, numpy)


def main():
    if THREADS:
        run(sys.argv[1])
        return 0
    for threads in ('1', '2'):
        subprocess.run([sys.executable, __file__, sys.argv[1]], check=True, env={**os.environ, 'PEER_THREADS': threads})
    return 0


if __name__ == '__main__':
    sys.exit(main())
