"""The works of bench/geometry_transform.c by SciPy and OpenCV: python3 bench/peers_geometry.py build/libtessera.so

Ours and theirs are interleaved, one thread each, best of some rounds of process time. One JSON line each; `ratio` is
theirs / ours.
"""
import json
import sys
import time
from ctypes import byref, c_int, c_void_p

import numpy as np
from scipy import ndimage

sys.path.insert(0, __file__.rsplit('/', 2)[0] + '/tests/oracle')
import geometry_transform as oracle  # noqa: E402
import tess  # noqa: E402

try:
    import cv2
    cv2.setNumThreads(1)
except ImportError:
    cv2 = None

ROUNDS = 5
kept = []  # what the library's arrays refer to


def array(lib, values):
    kept.append(values)
    a = tess.Array()
    opts = tess.WrapOpts(None, 0, values.size, read_only=False)
    status = lib.tess_wrap(byref(a), tess.address_of(values), tess.shape_value(values.shape),
                           tess.BY_NAME['f64' if values.dtype == 'f8' else 'f32'].number, byref(opts))
    if status != tess.OK:
        raise RuntimeError(tess.error_text(lib, status))
    return a


def timed(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def report(work, peer, ours, theirs):
    pairs = [(timed(ours), timed(theirs)) for _ in range(ROUNDS)]
    best = [min(p[i] for p in pairs) for i in range(2)]
    print(json.dumps({'work': work, 'peer': peer, 'ours_s': round(best[0], 4), 'peer_s': round(best[1], 4),
                      'ratio': round(best[1] / best[0], 2)}), flush=True)


def main():
    lib = tess.load(sys.argv[1])
    lib.tess_threads_set(1)
    for name, n in (('transform_2d', 4), ('transform_3d', 4), ('bspline_prefilter', 3)):
        function = getattr(lib, 'tess_' + name)
        function.restype, function.argtypes = c_int, [c_void_p] * n
    generator = np.random.default_rng(1)
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)

    def transform(dims, x, method, matrix):
        source, out, m = array(lib, x), array(lib, np.zeros_like(x)), array(lib, matrix)
        opts = oracle.TransformOpts(method, 1)
        call = lib.tess_transform_2d if dims == 2 else lib.tess_transform_3d
        return lambda: call(byref(out), byref(source), byref(m), byref(opts)) and sys.exit('failed')

    def prefilter(x):
        source, out, opts = array(lib, x), array(lib, np.zeros_like(x)), oracle.PrefilterOpts(oracle.REFLECT)
        return lambda: lib.tess_bspline_prefilter(byref(out), byref(source), byref(opts)) and sys.exit('failed')

    images = generator.random((16, 1, 1024, 1024), np.float32)
    linear = np.array([[c, -s], [s, c]])
    offset = 512 - linear @ [512, 512]
    matrix = np.concatenate([linear, offset[:, None]], 1).reshape(1, 1, 2, 3)

    def scipy_images(order):
        return lambda: [ndimage.affine_transform(i[0], linear, offset, order=order, prefilter=False) for i in images]

    def opencv(flags):
        m = np.array([[c, s, offset[1]], [-s, c, offset[0]]])
        return lambda: [cv2.warpAffine(i[0], m, (1024, 1024), flags=flags | cv2.WARP_INVERSE_MAP) for i in images]

    if cv2:
        report('rotate_linear', 'OpenCV', transform(2, images, oracle.LINEAR, matrix), opencv(cv2.INTER_LINEAR))
        report('rotate_cubic', 'OpenCV', transform(2, images, oracle.CUBIC, matrix), opencv(cv2.INTER_CUBIC))
        report('rotate_lanczos8', 'OpenCV', transform(2, images, oracle.LANCZOS8, matrix), opencv(cv2.INTER_LANCZOS4))
    report('rotate_linear', 'SciPy order 1', transform(2, images, oracle.LINEAR, matrix), scipy_images(1))
    report('rotate_bspline', 'SciPy order 3', transform(2, images, oracle.BSPLINE, matrix), scipy_images(3))
    report('rotate_lanczos6', 'SciPy order 3', transform(2, images, oracle.LANCZOS6, matrix), scipy_images(3))
    report('prefilter_images', 'SciPy', prefilter(images),
           lambda: [ndimage.spline_filter(i[0], 3, np.float32, 'mirror') for i in images])

    volume = generator.random((1, 256, 256, 256), np.float32)
    deep = np.array([[0.91, -0.24, 0.33], [0.33, 0.91, -0.24], [-0.24, 0.33, 0.91]])
    move = 128 - deep @ np.full(3, 128)
    matrix = np.concatenate([deep, move[:, None]], 1).reshape(1, 1, 3, 4)
    for method, order, name in ((oracle.LINEAR, 1, 'linear'), (oracle.BSPLINE, 3, 'bspline')):
        report('volume_' + name, f'SciPy order {order}', transform(3, volume, method, matrix),
               lambda: ndimage.affine_transform(volume[0], deep, move, order=order, prefilter=False))
    report('prefilter_volume', 'SciPy', prefilter(volume),
           lambda: ndimage.spline_filter(volume[0], 3, np.float32, 'mirror'))


if __name__ == '__main__':
    main()
