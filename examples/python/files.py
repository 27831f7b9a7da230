"""Files: arrays, their headers and parts, STAR tables, tilt angles: python3 files.py"""
from __future__ import annotations

import pathlib
import tempfile

import numpy as np

import tessera as ts

rng = np.random.default_rng(2)

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)

    # A stack of particles, by its extension. Existing files are overwritten only with overwrite=True.
    particles = rng.normal(size=(100, 64, 64)).astype(np.float32)
    ts.write(folder / "particles.mrcs", particles, voxel_size=1.35, labels=["simulated"])

    # The result is a tessera.Array, whose memory NumPy can share.
    # Images are (n, 1, h, w), which ndim=4 asks for: three axes would be a volume.
    again = ts.read(folder / "particles.mrcs", ndim=4)
    assert again.shape == (100, 1, 64, 64) and (again.numpy()[:, 0] == particles).all()

    # An open file can be sliced like an array; only these sections are read.
    with ts.open(folder / "particles.mrcs") as f:
        print(f.shape, f.dtype, f.voxel_size, f.header.labels)
        some = f[10:20, :, ::2]
        assert (some.numpy() == particles[10:20, :, ::2]).all()
        means = [float(ts.mean(image)) for image in f]
        ts.write(folder / "half.mrcs", f[::2], header=f.header, dtype="f16")

    print(ts.info(folder / "half.mrcs").dtype, ts.check(folder / "half.mrcs"))

    # A table of them: arrays by their labels.
    table = {"rlnImageName": [f"{i + 1:06d}@particles.mrcs" for i in range(100)], "rlnAngleRot": rng.uniform(-180, 180, 100),
             "rlnOpticsGroup": np.ones(100, int)}
    ts.write_star(folder / "particles.star", {"optics": {"rlnOpticsGroup": [1], "rlnVoltage": [300.0]}, "particles": table})
    star = ts.read_star(folder / "particles.star")
    chosen = star["particles"]["rlnAngleRot"] > 0
    star["particles"] = {label: column[chosen] for label, column in star["particles"].items()}
    ts.write_star(folder / "chosen.star", star)
    print(f"{chosen.sum()} of {len(chosen)} rows")

    ts.write_tilts(folder / "series.tlt", np.arange(-60, 61, 3))
    assert ts.read_tilts(folder / "series.tlt").shape == (41,)
