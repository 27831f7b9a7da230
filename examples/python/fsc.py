"""Fourier shell correlation of two half maps, and where it falls below 0.143: python3 fsc.py [FOLDER]

With a folder, and where Matplotlib is installed, the curve is in fsc.png there.
"""
from __future__ import annotations

import sys

import numpy as np

import tessera as ts

SIZE, APIX = 96, 1.3
rng = np.random.default_rng(7)
shape = (SIZE, SIZE, SIZE)

signal = ts.lowpass_image(rng.normal(size=shape).astype(np.float32), 0.25, width=0.2)
signal *= 3 * ts.sphere(shape, SIZE / 4, width=6).numpy()
halves = [signal + rng.normal(scale=0.3, size=shape).astype(np.float32) for _ in range(2)]
mask = ts.sphere(shape, SIZE / 3, width=8)

curves = {"without a mask": ts.frc(*halves), "with a mask": ts.frc(*(half * mask.numpy() for half in halves))}
for name, curve in curves.items():
    resolution = float(ts.fsc_resolution(curve, shape, pixel_size=APIX))
    print(f"{name:15} {resolution:.2f} Angstrom at 0.143")
assert float(ts.fsc_resolution(curves["with a mask"], shape)) > float(ts.fsc_resolution(curves["without a mask"], shape))

# The same by NumPy, shell by shell; ts.frc splits a coefficient between two shells.
a, b = (np.fft.fftn(half) for half in halves)
k = np.fft.fftfreq(SIZE, 1.0)
shells = np.rint(SIZE * np.sqrt(k[:, None, None] ** 2 + k[:, None] ** 2 + k ** 2)).astype(int)
sums = [np.bincount(shells.ravel(), values.ravel()) for values in ((a * b.conj()).real, abs(a) ** 2, abs(b) ** 2)]
by_numpy = (sums[0] / np.sqrt(sums[1] * sums[2]))[:SIZE // 2]
nearest = ts.fsc(ts.rfft3(halves[0]), ts.rfft3(halves[1]), shape, nearest=True)
np.testing.assert_allclose(np.ravel(nearest)[:SIZE // 2], by_numpy, atol=1e-4)

if len(sys.argv) > 1:
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        sys.exit(0)
    figure, axes = pyplot.subplots(figsize=(6, 3))
    for name, curve in curves.items():
        values = np.ravel(curve)
        axes.plot(np.arange(len(values)) / SIZE / APIX, values, label=name)
    axes.axhline(0.143, color="grey", linewidth=0.8)
    axes.set(xlabel="frequency (1/Angstrom)", ylabel="FSC")
    axes.legend()
    figure.tight_layout()
    figure.savefig(f"{sys.argv[1]}/fsc.png", dpi=100)
