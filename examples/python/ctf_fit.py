"""Estimate the defocus of a simulated micrograph: python3 ctf_fit.py [FOLDER]

With a folder, and where Matplotlib is installed, ctf_fit.png there has the measured rings beside those of the fit.
"""
from __future__ import annotations

import math
import sys

import tessera as ts

SIZE, PATCH, APIX = 1024, 256, 1.4
KNOWN = {"pixel_size": APIX, "voltage": 300.0, "cs": 2.7, "amplitude": 0.07}
TRUTH = {**KNOWN, "defocus": 1.8, "astigmatism": 0.08, "angle": math.radians(35), "bfactor": 40.0}


def micrograph() -> ts.Array:
    """White structure multiplied by the CTF, and as much noise."""
    structure = ts.random_normal((SIZE, SIZE), 0, 1, seed=1, dtype="f32")
    image: ts.Array = ts.ctf_apply_image(structure, TRUTH)
    image += ts.random_normal((SIZE, SIZE), 0, 1, seed=2, dtype="f32")
    return image


def plot(curves: ts.Array, folder: str) -> None:
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    measured, model, agreement = curves.numpy().reshape(3, -1)
    frequency = [i / PATCH / APIX for i in range(len(measured))]
    figure, axes = pyplot.subplots(figsize=(7, 3))
    axes.plot(frequency, 2 * measured, label="measured")
    axes.plot(frequency, model, label="CTF$^2$ of the fit")
    axes.plot(frequency, agreement, label="agreement")
    axes.set(xlabel="frequency (1/Angstrom)", ylim=(-1.1, 1.5))
    axes.legend()
    figure.tight_layout()
    figure.savefig(f"{folder}/ctf_fit.png", dpi=100)


power = ts.average_power(micrograph(), (PATCH, PATCH), window="hann")
fits, resolutions, curves = ts.ctf_fit(power, (PATCH, PATCH), KNOWN, resolutions=True, curves=True)
defocus, astigmatism, angle = fits.reshape(-1).tolist()[2:5]  # columns as those of tess_ctf
print(f"truth: defocus {TRUTH['defocus']:.3f} um, astigmatism {TRUTH['astigmatism']:.3f} um at 35.0 degrees")
print(f"fit:   defocus {defocus:.3f} um, astigmatism {astigmatism:.3f} um at {math.degrees(angle):.1f} degrees, "
      f"rings up to {APIX / float(resolutions):.1f} Angstrom")
assert abs(defocus - TRUTH["defocus"]) < 0.01 and abs(astigmatism - TRUTH["astigmatism"]) < 0.01
if len(sys.argv) > 1:
    plot(curves, sys.argv[1])
