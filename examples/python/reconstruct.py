"""A volume from projections of known orientations: python3 reconstruct.py [FOLDER]

Slices go into the spectrum of a volume, which is divided by their weights. With a folder, the map is in map.mrc there.
"""
from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt

import tessera as ts

SIZE, VIEWS, APIX = 48, 300, 2.0
rng = np.random.default_rng(5)


def structure() -> npt.NDArray[np.float32]:
    """A ball with three smaller ones, without symmetry."""
    z, y, x = np.indices((SIZE, SIZE, SIZE)) - SIZE // 2
    volume = np.zeros((SIZE, SIZE, SIZE), np.float32)
    for (cz, cy, cx), radius in (((0, 0, 0), 8), ((8, 4, 0), 4), ((-5, 9, 3), 3), ((2, -8, -7), 5)):
        distance = np.sqrt((z - cz) ** 2 + (y - cy) ** 2 + (x - cx) ** 2)
        volume += 1 / (1 + np.exp(2 * (distance - radius)))
    return volume


def rotations(n: int) -> npt.NDArray[np.float64]:
    """Random rotations, by QR decomposition of random matrices."""
    q, r = np.linalg.qr(rng.normal(size=(n, 3, 3)))
    q *= np.sign(np.einsum("nii->ni", r))[:, None]
    q[np.linalg.det(q) < 0] *= -1
    return np.asarray(q[:, None])


truth, matrices = structure(), rotations(VIEWS)
images = ts.fourier_project(ts.fourier_prepare(truth), matrices)
images += rng.normal(scale=0.5 * images.std(), size=images.shape).astype(np.float32)

spectrum, weights = ts.fourier_backproject(images, matrices)
volume = ts.fourier_reconstruct(spectrum, weights)

curve = np.ravel(ts.frc(truth, volume))
print(f"{VIEWS} views of {SIZE} x {SIZE}; correlation with the truth at a half of Nyquist: {curve[SIZE // 4]:.3f}, "
      f"0.5 is crossed at {float(ts.fsc_resolution(ts.frc(truth, volume), truth.shape, threshold=0.5, pixel_size=APIX)):.2f} "
      "Angstrom")
assert curve[SIZE // 8] > 0.9
if len(sys.argv) > 1:
    ts.write(f"{sys.argv[1]}/map.mrc", volume, voxel_size=APIX, overwrite=True)
