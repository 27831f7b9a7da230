"""From movies to a map, on arrays: python3 movie_to_map.py [FOLDER]

The steps of `tessera demo`, each a call of a job; no files lie between them. Two movies are aligned, their CTFs fitted, and
particles picked and cut out. Then 600 views of the same structure are refined, and the map is reconstructed, measured and
sharpened. At the end everything is compared with the truth, which only a simulation knows.

What the demo simulates first is read from the folder. Where it is not there, the command `tessera` makes it.
"""
from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

import tessera as ts

APIX, BOX, DOSE = 1.5, 64, 2.5
MOVIES = ("movie1", "movie2")
DEFOCUS = (15250.0, 11500.0)  # of both movies, mean of U and V, angstrom
MOVIE = ["simulate", "movie", "structure.mrc", "--frames", "10", "--dose", "2.5", "--drift", "2"]
SIMULATED = {
    "structure.mrc": ["simulate", "atoms", "--box", "64", "--apix", "1.5", "--seed", "7"],
    "movie1.mrcs": MOVIE + ["--defocus", "1.6um,1.45um", "--angle", "30", "--gain", "movie1_gain.mrc", "--seed", "1",
                            "--star", "movie1.star"],
    "movie2.mrcs": MOVIE + ["--defocus", "1.2um,1.1um", "--angle", "-40", "--gain", "movie2_gain.mrc", "--seed", "2",
                            "--star", "movie2.star"],
    "views.mrcs": ["simulate", "particles", "structure.mrc", "--count", "600", "--snr", "0.3", "--seed", "7",
                   "--star", "views.star"],
}


def simulate(folder: str) -> None:
    """Create missing data with the command lines of the demo."""
    for name, words in SIMULATED.items():
        if not os.path.exists(os.path.join(folder, name)):
            subprocess.run(["tessera", *words, "-q", "-o", name], cwd=folder, check=True)


def read(folder: str, name: str) -> np.ndarray[Any, Any]:
    """An array of four axes: images, or a volume."""
    return np.asarray(ts.read(os.path.join(folder, name), ndim=4))


# ---- From movies to particles ----


def process_movie(folder: str, name: str) -> dict[str, Any]:
    """Process one movie: the results of four jobs."""
    movie, gain = read(folder, name + ".mrcs"), read(folder, name + "_gain.mrc")
    motion = ts.jobs.motion_correct(movie, gain=gain, dose=DOSE, pixel_size=APIX)
    # The plain sum is better for the CTF: its rings go beyond what the exposure has left of the specimen.
    ctf = ts.jobs.fit_ctf(motion.sum, pixel_size=APIX)
    # Particles are dark; they are found by their size, and become bright.
    picked = ts.jobs.pick(motion.weighted, diameter=60 / APIX, pixel_size=APIX)
    boxes = ts.jobs.extract_particles(motion.weighted, picked.particles, BOX, bg_radius=28, invert=True, pixel_size=APIX)
    return {"motion": motion, "ctf": ctf, "picked": picked, "boxes": boxes}


def drift_error(folder: str, name: str, motion: Any) -> float:
    """Deviation of the shifts from the simulated ones, in pixels, ignoring a common offset."""
    truth = ts.read_star(os.path.join(folder, name + ".star"))["global_shift"]
    off = [motion.shifts[axis] - truth["rlnMicrographShift" + axis.upper()] for axis in "xy"]
    return math.sqrt((np.var(off[0]) + np.var(off[1])) / 2)


def defocus_error(ctf: Any, truth: float) -> float:
    """Angstrom."""
    return float(abs(1e4 * (ctf.table["defocus_u"] + ctf.table["defocus_v"])[0] / 2 - truth))


# ---- From views to a map ----


def ctfs_of(star: Any) -> np.ndarray[Any, Any]:
    """One row per particle, in the form of `ctfs` of the jobs: the fields of a CTF up to its scale, micrometres and radians."""
    particles, optics = star["particles"], star["optics"]
    u, v = (1e-4 * particles["rlnDefocus" + c] for c in "UV")
    angle = np.radians(particles["rlnDefocusAngle"])
    rows = np.zeros((len(u), 1, 1, 13))
    rows[:, 0, 0, :2] = APIX
    rows[:, 0, 0, 2] = (u + v) / 2
    rows[:, 0, 0, 3] = abs(u - v) / 2
    rows[:, 0, 0, 4] = np.where(u < v, angle + math.pi / 2, angle)
    for column, label in ((5, "rlnVoltage"), (6, "rlnAmplitudeContrast"), (7, "rlnSphericalAberration")):
        rows[:, 0, 0, column] = optics[label][0]
    rows[:, 0, 0, 10] = 1
    return rows


def rotations_of(particles: Any) -> Any:
    """Quaternions of RELION's angles, which are in degrees."""
    angles = np.stack([particles["rlnAngle" + name] for name in ("Rot", "Tilt", "Psi")], axis=1)
    return ts.euler_to_quat(angles.reshape(-1, 1, 1, 3), convention="relion")


def shifts_of(particles: Any) -> np.ndarray[Any, Any]:
    """Pixels (y, x) that move each particle to the centre of its box."""
    return np.stack([particles[f"rlnOrigin{axis}Angst"] * (1 / APIX) for axis in "YX"], axis=1)


def poses_of(star: Any) -> dict[str, Any]:
    """Orientations and shifts of a list of particles, as jobs take them."""
    return {"rotations": rotations_of(star["particles"]), "shifts": shifts_of(star["particles"])}


def knowledge_of(star: Any) -> dict[str, Any]:
    """What is known of particles before they are refined: CTFs and half sets."""
    halves = star["particles"]["rlnRandomSubset"].astype(float).reshape(-1, 1, 1, 1)
    return {"ctfs": ctfs_of(star), "halves": halves}


def refine(folder: str) -> Any:
    """Refine the orientations of the views from a reference that is low-pass filtered to 30 angstrom."""
    views, structure = read(folder, "views.mrcs"), read(folder, "structure.mrc")[0]
    edge = 2 / BOX
    start = ts.lowpass_image(structure, APIX / 30 - edge / 2, width=edge)
    star = ts.read_star(os.path.join(folder, "views.star"))
    return ts.jobs.refine(views, start, pixel_size=APIX, reference_pixel_size=APIX, **knowledge_of(star))


def process_views(folder: str, poses: dict[str, Any]) -> dict[str, Any]:
    """A map of the views at these orientations, how well its halves agree, how near it is to the truth, and the sharpened map."""
    views, structure = read(folder, "views.mrcs"), read(folder, "structure.mrc")[0]
    known = knowledge_of(ts.read_star(os.path.join(folder, "views.star")))
    mask = ts.sphere(structure.shape, 24, width=5).numpy()
    made = ts.jobs.reconstruct(views, pixel_size=APIX, **poses, **known)
    half1, half2 = made.half1, made.half2
    return {"mask": mask, "map": made,
            "halves": ts.jobs.half_map_fsc(half1, half2, mask=mask, pixel_size=APIX),
            "truth": ts.jobs.half_map_fsc(made.map, structure, mask=mask, pixel_size=APIX),
            "sharp": ts.jobs.sharpen(half1, half2, mask=mask, apply_mask=True, pixel_size=APIX),
            "local": ts.jobs.local_resolution(half1, half2, mask=mask, step=4, pixel_size=APIX)}


def angle_error(folder: str, rotations: Any) -> float:
    """Median angle between the orientations and the simulated ones, in degrees."""
    one = np.reshape(rotations, (-1, 4))
    two = np.reshape(rotations_of(ts.read_star(os.path.join(folder, "views.star"))["particles"]), (-1, 4))
    return float(np.median(2 * np.degrees(np.arccos(np.minimum(1, abs((one * two).sum(axis=1)))))))


# ---- All of it ----


def run(folder: str, poses: dict[str, Any] | None = None) -> tuple[dict[str, dict[str, Any]], dict[str, float]]:
    """The results of all jobs, and the figures of the demo. Where orientations and shifts are given, nothing is refined."""
    simulate(folder)
    found = {name: process_movie(folder, name) for name in MOVIES}
    if poses is None:
        refined = refine(folder)
        found["refined"] = {"result": refined}
        poses = {"rotations": refined.rotations, "shifts": refined.shifts}
    found["map"] = process_views(folder, poses)
    figures = {"Resolution by the half maps, FSC 0.143": found["map"]["halves"].resolution_143,
               "Resolution by the truth, FSC 0.5": found["map"]["truth"].resolution_500,
               "Drift of the first movie, rms error": drift_error(folder, "movie1", found["movie1"]["motion"]),
               "Drift of the second movie, rms error": drift_error(folder, "movie2", found["movie2"]["motion"]),
               "Defocus, larger error of both": max(defocus_error(found[name]["ctf"], truth)
                                                    for name, truth in zip(MOVIES, DEFOCUS)),
               "Angles, median error": angle_error(folder, poses["rotations"])}
    return found, figures


def main(folder: str) -> None:
    found, figures = run(folder)
    for name in MOVIES:
        picked, boxes = found[name]["picked"].particles, found[name]["boxes"].boxes
        print(f"{name}: {len(picked['x'])} particles picked, {len(boxes)} boxes")
    for name, value in figures.items():
        print(f"{name:42} {value:.3g}")
    print(f"local resolution: median {found['map']['local'].median:.2f} angstrom")
    assert figures["Resolution by the truth, FSC 0.5"] < 4.5 and figures["Angles, median error"] < 4


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(temporary)
