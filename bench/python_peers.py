"""Work as users write it, by NumPy, SciPy and mrcfile, and by the module: python_peers.py [BUILD]

One JSON line each: {"work", "ours_s", "ours_1_s", "theirs_s", "ratio", "ratio_1", "peer"}. `ours_1_s` is on one thread;
ratios are theirs over ours. The sides are timed turn by turn, and the best of several rounds counts. Results are compared
before.
"""
import json
import os
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
sys.path.insert(0, os.path.join(BUILD, "python"))

import mrcfile  # noqa: E402
import numpy as np  # noqa: E402
from scipy import fft, ndimage  # noqa: E402

import tessera as ts  # noqa: E402

try:
    from skimage import segmentation
except ImportError:
    segmentation = None

ROUNDS = 15
rng = np.random.default_rng(1)


def filters():
    image = rng.normal(size=(1024, 1024)).astype(np.float32)
    for size in (3, 5):
        yield (f"median_filter {size} x {size}, 1024 x 1024 f32", "scipy.ndimage",
               lambda size=size: ts.median_filter(image, (size, size), border="mirror"),
               lambda size=size: ndimage.median_filter(image, size), 0)
    for sigma in (1.0, 4.0):
        yield (f"gaussian_filter sigma {sigma:g}, 1024 x 1024 f32", "scipy.ndimage",
               lambda sigma=sigma: ts.gaussian_filter(image, sigma),
               lambda sigma=sigma: ndimage.gaussian_filter(image, sigma), 1e-4)
    for size in (3, 15, 101):
        yield (f"grey_erode {size} x {size}, 1024 x 1024 f32", "scipy.ndimage",
               lambda size=size: ts.grey_erode(image, window=(size, size)),
               lambda size=size: ndimage.grey_erosion(image, (size, size)), 0)
        yield (f"uniform_filter {size} x {size}, 1024 x 1024 f32", "scipy.ndimage",
               lambda size=size: ts.uniform_filter(image, (size, size), border="mirror"),
               lambda size=size: ndimage.uniform_filter(image, size), 1e-4)
    disk = np.hypot(*np.mgrid[-5:6, -5:6]) < 5.5
    yield ("grey_open, disk of radius 5, 1024 x 1024 f32", "scipy.ndimage",
           lambda: ts.grey_open(image, footprint=disk), lambda: ndimage.grey_opening(image, footprint=disk), 0)
    mask = ndimage.gaussian_filter(image, 2) > 0
    yield ("fill_holes, 1024 x 1024 bool", "scipy.ndimage",
           lambda: ts.fill_holes(mask), lambda: ndimage.binary_fill_holes(mask), 0)
    yield ("sobel, 1024 x 1024 f32", "scipy.ndimage",
           lambda: ts.sobel(image, 1, border="mirror"), lambda: ndimage.sobel(image, 1), 1e-4)
    yield ("centre_of_mass, 1024 x 1024 f32", "scipy.ndimage",
           lambda: ts.centre_of_mass(image**2), lambda: np.array(ndimage.center_of_mass(image**2)), 1e-1)


def labels():
    for shape in ((1024, 1024), (128, 128, 128)):
        size = " x ".join(map(str, shape))
        noise = rng.normal(size=shape)
        smooth = ndimage.gaussian_filter(noise, 3)
        for what, mask in (("blobs", smooth > 0.02), ("30 % noise", noise > 0.524), ("60 % noise", noise > -0.253)):
            yield (f"label, {size} {what}", "scipy.ndimage",
                   lambda mask=mask: ts.label(mask), lambda mask=mask: ndimage.label(mask)[0], 0)
        numbers, n = ndimage.label(smooth > 0.02)
        index, image = np.arange(1, n + 1), noise.astype(np.float32)

        def theirs(numbers=numbers, index=index, image=image):
            ndimage.find_objects(numbers)
            ndimage.center_of_mass(image, numbers, index)
            for function in (ndimage.mean, ndimage.minimum, ndimage.maximum):
                function(image, numbers, index)
            return ndimage.sum_labels(image, numbers, index)
        yield (f"label_properties, {size} blobs, f32", "scipy.ndimage",
               lambda numbers=numbers, image=image: ts.label_properties(numbers, image).sums, theirs, 1e-3)
        if segmentation:
            yield (f"watershed, {size} f64", "skimage.segmentation",
                   lambda smooth=smooth: ts.watershed(smooth), lambda smooth=smooth: segmentation.watershed(smooth), 0)


def geometry():
    image, volume = (rng.normal(size=shape).astype(np.float32) for shape in ((1024, 1024), (128, 128, 128)))
    c, s = np.cos(0.5), np.sin(0.5)
    turn = np.array([[c, -s, 200], [s, c, -200], [0, 0, 1]])
    turn_3d = np.array([[1, 0, 0, 0.5], [0, c, -s, 40], [0, s, c, -10], [0, 0, 0, 1]])
    yield ("affine_transform order 1, 1024 x 1024 f32", "scipy.ndimage",
           lambda: ts.affine_transform(image, turn[:2], border="clamp"),
           lambda: ndimage.affine_transform(image, turn, order=1, mode="nearest"), 1e-2)
    yield ("affine_transform order 1, 128^3 f32", "scipy.ndimage",
           lambda: ts.affine_transform(volume, turn_3d[:3], border="clamp"),
           lambda: ndimage.affine_transform(volume, turn_3d, order=1, mode="nearest"), 1e-3)
    yield ("shift order 3, 1024 x 1024 f32", "scipy.ndimage",
           lambda: ts.shift_image(image, 0, 3.3, -7.6, interp="cubic_bspline", prefilter=True, border="periodic"),
           lambda: ndimage.shift(image, (3.3, -7.6), order=3, mode="grid-wrap"), 1e-3)
    points, points_3d = rng.uniform(-5, 1028, (2, 1024, 1024)), rng.uniform(-2, 129, (3, 64, 64, 64))
    for order in (1, 3):
        yield (f"map_coordinates order {order}, 1024 x 1024 f32", "scipy.ndimage",
               lambda order=order: ts.map_coordinates(image, points, order),
               lambda order=order: ndimage.map_coordinates(image, points, order=order), 1e-2)
        yield (f"map_coordinates order {order}, 64^3 points of 128^3 f32", "scipy.ndimage",
               lambda order=order: ts.map_coordinates(volume, points_3d, order),
               lambda order=order: ndimage.map_coordinates(volume, points_3d, order=order), 1e-2)
        yield (f"zoom order {order} by 2, 1024 x 1024 f32", "scipy.ndimage",
               lambda order=order: ts.zoom(image, 2, order), lambda order=order: ndimage.zoom(image, 2, order=order), 1e-2)


def transforms():
    image, volume = rng.normal(size=(2048, 2048)).astype(np.float32), rng.normal(size=(128, 128, 128)) + 0j
    yield "rfft2, 2048 x 2048 f32", "scipy.fft", lambda: ts.rfft2(image), lambda: fft.rfft2(image), 1e-1
    yield "fftn, 128^3 c64", "scipy.fft", lambda: ts.fft_c2c(volume, "forward"), lambda: fft.fftn(volume), 1e-8


def arrays():
    a, b = (rng.normal(size=(4096, 4096)).astype(np.float32) for _ in range(2))
    out = np.empty_like(a)
    small_a, small_b = np.ones(16, np.float32), np.ones(16, np.float32)
    yield "add, 16 f32", "numpy", lambda: ts.add(small_a, small_b), lambda: np.add(small_a, small_b), 0
    yield "add into out, 4096 x 4096 f32", "numpy", lambda: ts.add(a, b, out=out), lambda: np.add(a, b, out=out), 0
    yield "mean, 4096 x 4096 f32", "numpy", lambda: ts.mean(a), lambda: a.mean(), 1e-4
    yield "exp into out, 4096 x 4096 f32", "numpy", lambda: ts.exp(a, out=out), lambda: np.exp(a, out=out), 1e-5
    yield "sort rows, 1024 x 4096 f32", "numpy", lambda: ts.sort(a[:1024]), lambda: np.sort(a[:1024]), 0
    yield "sort, 2^22 f32", "numpy", lambda: ts.sort(a[:1024].reshape(-1)), lambda: np.sort(a[:1024].reshape(-1)), 0


def files(folder):
    volume = rng.normal(size=(256, 512, 512)).astype(np.float32)
    path = os.path.join(folder, "x.mrc")
    mrcfile.write(path, volume, voxel_size=1.5)
    small = os.path.join(folder, "y.mrc")
    mrcfile.write(small, volume[0, :64, :64], voxel_size=1.5)
    packed = os.path.join(folder, "z.mrc.gz")
    mrcfile.write(packed, (volume[:16] * 10).astype(np.int16))
    yield "read, 256 MiB MRC in the page cache", "mrcfile", lambda: ts.read(path), lambda: mrcfile.read(path), 0
    yield "read, 16 KiB MRC", "mrcfile", lambda: ts.read(small), lambda: mrcfile.read(small), 0
    yield "read, 8 MiB MRC, gzip", "mrcfile", lambda: ts.read(packed), lambda: mrcfile.read(packed), 0

    def ours():
        with ts.open(path) as f:
            return f[10:20, :, ::2]

    def theirs():
        with mrcfile.mmap(path, mode="r") as f:
            return np.array(f.data[10:20, :, ::2])
    yield "open and [10:20, :, ::2] of it", "mrcfile.mmap", ours, theirs, 0


def once(function):
    calls, begin = 0, time.perf_counter()
    while True:
        function()
        calls += 1
        took = time.perf_counter() - begin
        if took > 0.02 or calls >= 10_000:
            return took / calls


def measure(work, peer, ours, theirs, tolerance):
    np.testing.assert_allclose(np.asarray(ours()), np.asarray(theirs()), rtol=tolerance, atol=tolerance, err_msg=work)
    times = {"ours": [], "one": [], "theirs": []}
    for _ in range(ROUNDS):
        times["ours"].append(once(ours))
        times["theirs"].append(once(theirs))
        ts.set_threads(1)
        times["one"].append(once(ours))
        ts.set_threads(0)
    best = {side: min(values) for side, values in times.items()}
    print(json.dumps({"work": work, "ours_s": float(f"{best['ours']:.3g}"), "ours_1_s": float(f"{best['one']:.3g}"),
                      "theirs_s": float(f"{best['theirs']:.3g}"), "ratio": round(best["theirs"] / best["ours"], 2),
                      "ratio_1": round(best["theirs"] / best["one"], 2), "peer": peer}), flush=True)


with tempfile.TemporaryDirectory() as made:
    for rows in (arrays(), filters(), labels(), geometry(), transforms(), files(made)):
        for row in rows:
            measure(*row)
