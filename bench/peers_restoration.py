"""Restoration beside scikit-image, OpenCV and NumPy, where they are installed, interleaved in one process.

One JSON line each. Run as `python3 bench/peers_restoration.py [BUILD] [threads]`.
"""
import json
import os
import sys
import time

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
THREADS = int(sys.argv[2]) if len(sys.argv) > 2 else 1
os.environ["TESS_THREADS"] = str(THREADS)
sys.path.insert(0, os.path.join(BUILD, "python"))

import numpy as np  # noqa: E402

import tessera as ts  # noqa: E402

try:
    from skimage import restoration
except ImportError:
    restoration = None
try:
    import cv2
    cv2.setNumThreads(THREADS)
except ImportError:
    cv2 = None

ROUNDS = 7
rng = np.random.default_rng(1)


def gaussian(radius, sigma):
    squares = (np.mgrid[-radius:radius + 1, -radius:radius + 1]**2).sum(0)
    psf = np.exp(-squares / (2 * sigma**2)).astype(np.float32)
    return psf / psf.sum()


def diffusion(image, kappa, iterations):
    """Perona and Malik by NumPy."""
    for _ in range(iterations):
        edges, flow = np.pad(image, 1, "edge"), 0
        for other in (edges[:-2, 1:-1], edges[2:, 1:-1], edges[1:-1, :-2], edges[1:-1, 2:]):
            g = other - image
            flow = flow + g * np.exp(-(g / kappa)**2)
        image = image + np.float32(0.125) * flow
    return image


def works():
    """A name, ours, and those of the peers."""
    image = rng.random((512, 512), np.float32)
    bytes_ = (255 * image).astype(np.uint8)
    for size in (5, 11):
        sigma = size / 6
        yield (f"bilateral {size} x {size}, 512 x 512 f32", lambda: ts.bilateral(image, 0.3, sigma, window=(size, size)), {
            "skimage": lambda: restoration.denoise_bilateral(image, size, 0.3, sigma),
            "opencv": lambda: cv2.bilateralFilter(image, size, 0.3, sigma)})
    for patch, search in ((2, 5), (3, 10)):
        yield (f"nl_means patch {patch}, search {search}, 512 x 512 f32",
               lambda: ts.nl_means(image, 0.3, patch=patch, search=search), {
                   "skimage": lambda: restoration.denoise_nl_means(image, 2 * patch + 1, search, 0.3),
                   "opencv of u8": lambda: cv2.fastNlMeansDenoising(bytes_, None, 75, 2 * patch + 1, 2 * search + 1)})
    volume = rng.random((48, 48, 48), np.float32)
    yield ("nl_means patch 1, search 3, 48 x 48 x 48 f32", lambda: ts.nl_means(volume, 0.3, patch=1, search=3, ndim=3), {
        "skimage": lambda: restoration.denoise_nl_means(volume, 3, 3, 0.3)})
    yield ("anisotropic_diffusion, 10 iterations, 512 x 512 f32",
           lambda: ts.anisotropic_diffusion(image, 0.3, 10), {"numpy": lambda: diffusion(image, np.float32(0.3), 10)})
    psf = gaussian(7, 2)
    yield ("richardson_lucy, 10 iterations, 15 x 15, 512 x 512 f32", lambda: ts.richardson_lucy(image, psf, 10), {
        "skimage": lambda: restoration.richardson_lucy(image, psf, 10)})
    yield ("wiener_deconvolve, 15 x 15, 512 x 512 f32", lambda: ts.wiener_deconvolve(image, psf, 0.1, laplacian=True), {
        "skimage": lambda: restoration.wiener(image, psf, 0.1)})


def measure(name, sides):
    best = {side: float("inf") for side in sides}
    for _ in range(ROUNDS):
        for side, work in sides.items():
            start = time.perf_counter()
            work()
            best[side] = min(best[side], time.perf_counter() - start)
    line = {"work": name, "threads": THREADS, "ours_s": float(f"{best['ours']:.4g}")}
    for side in sides:
        if side != "ours":
            line[f"{side}_s"] = float(f"{best[side]:.4g}")
            line[f"times_{side}"] = round(best[side] / best["ours"], 2)
    print(json.dumps(line), flush=True)


def main():
    there = {"numpy"} | ({"skimage"} if restoration else set()) | ({"opencv", "opencv of u8"} if cv2 else set())
    for name, ours, peers in works():
        measure(name, {"ours": ours} | {peer: work for peer, work in peers.items() if peer in there})


if __name__ == "__main__":
    main()
