"""Align the frames of a simulated movie: python3 align.py

Shifts are found by correlation with the first frame, and by align_frames, which compares all of them.
"""
from __future__ import annotations

import numpy as np

import tessera as ts

FRAMES, SIZE = 12, 256
rng = np.random.default_rng(3)
drift = np.cumsum(rng.normal(scale=0.8, size=(FRAMES, 2)), axis=0)
drift -= drift[0]

# Images are {n, 1, h, w}: a stack of three axes would be a volume.
picture = ts.lowpass_image(rng.normal(size=(1, 1, SIZE, SIZE)).astype(np.float32), 0.2, width=0.1)
still = np.broadcast_to(picture, (FRAMES, 1, SIZE, SIZE)).copy()
movie = ts.phase_shift_image(still, drift.reshape(FRAMES, 1, 1, 2))
movie += rng.normal(scale=0.3, size=movie.shape).astype(np.float32)

by_pairs = np.reshape(ts.correlate_peak(ts.correlate(movie[:1], movie)), (FRAMES, 2))
spectra = ts.fft_r2c(movie, axes=(-2, -1))
by_all = np.reshape(ts.align_frames(spectra, movie.shape, pixel_size=1.0), (FRAMES, 2))
by_all -= by_all[0]

for name, shifts in (("with the first", by_pairs), ("with all", by_all)):
    error = np.sqrt(np.mean((shifts + drift) ** 2))
    print(f"correlated {name:15} {error:.3f} pixels off on average")
    assert error < 0.15

aligned = ts.phase_shift_image(movie, by_all.reshape(FRAMES, 1, 1, 2)).mean(axis=0)[0]
before, after = (np.corrcoef(np.ravel(image), np.ravel(picture))[0, 1] for image in (movie.mean(axis=0), aligned))
print(f"correlation of the sum with the picture: {before:.3f} before, {after:.3f} after")
assert after > before
