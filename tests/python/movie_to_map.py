#!/usr/bin/env python3
"""examples/python/movie_to_map.py beside the command on files: the same bits, step by step. movie_to_map.py BUILD

In `make soak`, `tessera demo` is run, and the example's figures are those that it prints. Otherwise the
command lines are those of the demo without the refinement: the orientations are those that were simulated.
"""
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # there is no GPU for these tests
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, SAMPLE, Skip, finish, test

import numpy as np

import tessera as ts

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
ALL = SAMPLE == 1
COMMAND = os.path.join(BUILD, "tessera")
if not os.path.exists(COMMAND):
    print("SKIPPED movie_to_map: the command was not built")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

specification = importlib.util.spec_from_file_location("movie_to_map", os.path.join(ROOT, "examples/python/movie_to_map.py"))
example = importlib.util.module_from_spec(specification)
specification.loader.exec_module(example)
FOLDER = tempfile.TemporaryDirectory()
os.environ["PATH"] = BUILD + os.pathsep + os.environ["PATH"]

LINES = """
motion movie1.mrcs movie2.mrcs --gain {name}_gain.mrc --dose 2.5 --weighted {name}_weighted.mrc --shifts {name}_shifts.star
    -o {name}_sum.mrc
ctf fit movie1_sum.mrc movie2_sum.mrc -o fits.star
pick --diameter 60A movie1_weighted.mrc movie2_weighted.mrc -o {name}.star
extract --box 64 --bg-radius 28 --invert movie1_weighted.star movie2_weighted.star -o boxes.mrcs --star boxes.star
reconstruct refined.star --half-maps half{half}.mrc -o map.mrc
gen sphere --size 64,64,64 --radius 24 --soft 5 --apix 1.5 -o mask.mrc
sharpen half1.mrc half2.mrc --mask mask.mrc --apply-mask -o sharp.mrc
"""


def path(name):
    return os.path.join(FOLDER.name, name)


def tessera(*words):
    done = subprocess.run([COMMAND, *words], cwd=FOLDER.name, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def prepare():
    """All files of the demo; the figures that it prints, by their names."""
    if ALL:
        told = tessera("demo", "-o", ".").split("Results:")[1]
        return dict(re.findall(r"^  (\S.*?) {2,}([0-9.e+-]+) \S+$", told, re.M))
    example.simulate(FOLDER.name)
    os.symlink("views.star", path("refined.star"))  # orientations that were simulated
    for line in re.sub(r"\n ", "", LINES).strip().splitlines():
        tessera(*line.split())
    return {}


TOLD = prepare()
POSES = example.poses_of(ts.read_star(path("refined.star")))
FOUND, FIGURES = example.run(FOLDER.name, None if ALL else POSES)
MADE = example.process_views(FOLDER.name, POSES) if ALL else FOUND["map"]  # of the file, where angles are rounded


def same_file(name, array):
    """The bytes of a file's array, whatever axes of one it has."""
    got, want = np.asarray(ts.read(path(name))), np.asarray(array)
    assert got.dtype == want.dtype and got.squeeze().shape == want.squeeze().shape, (name, got.shape, want.shape)
    assert got.tobytes() == want.tobytes(), name


@test
def movies_are_corrected_as_by_the_command():
    for name in example.MOVIES:
        motion, rows = FOUND[name]["motion"], ts.read_star(path(name + "_shifts.star"))["global_shift"]
        same_file(name + "_sum.mrc", motion.sum)
        same_file(name + "_weighted.mrc", motion.weighted)
        for axis in "xy":
            assert np.array_equal(rows["rlnMicrographShift" + axis.upper()], motion.shifts[axis])


@test
def ctfs_are_those_of_the_command():
    rows = ts.read_star(path("fits.star"))["micrographs"]
    for i, name in enumerate(example.MOVIES):
        table = FOUND[name]["ctf"].table  # the command writes two digits
        assert abs(rows["rlnDefocusU"][i] - 1e4 * table["defocus_u"][0]) <= 0.005000001
        assert abs(rows["rlnDefocusV"][i] - 1e4 * table["defocus_v"][0]) <= 0.005000001
        assert abs(rows["rlnCtfFigureOfMerit"][i] - table["score"][0]) <= 5.000001e-7


@test
def particles_are_those_of_the_command():
    boxes = [np.asarray(FOUND[name]["boxes"].boxes) for name in example.MOVIES]
    same_file("boxes.mrcs", np.concatenate(boxes))
    for name in example.MOVIES:
        rows, picked = ts.read_star(path(name + "_weighted.star"))["particles"], FOUND[name]["picked"].particles
        for label, column in (("rlnCoordinateX", "x"), ("rlnCoordinateY", "y"), ("rlnAutopickFigureOfMerit", "score")):
            assert np.array_equal(rows[label], picked[column]), label


@test
def refinement_is_that_of_the_command():
    if not ALL:
        raise Skip("in `make soak` alone")
    refined = FOUND["refined"]["result"]
    same_file("refined.mrc", refined.map)
    rows = ts.read_star(path("refined.star"))["particles"]
    assert np.array_equal(rows["rlnOriginXAngst"], np.reshape(refined.shifts, (-1, 2))[:, 1] * example.APIX)


@test
def maps_are_those_of_the_command():
    for name, array in (("map.mrc", MADE["map"].map), ("half1.mrc", MADE["map"].half1), ("half2.mrc", MADE["map"].half2),
                        ("mask.mrc", MADE["mask"]), ("sharp.mrc", MADE["sharp"].map)):
        same_file(name, array)
    rows = json.loads(tessera("fsc", "half1.mrc", "half2.mrc", "--mask", "mask.mrc", "--json"))
    for name in ("unmasked", "masked", "corrected"):
        assert np.array_equal([row[name] for row in rows], MADE["halves"].curves[name]), name


@test
def local_resolution_is_that_of_the_command():
    tessera("locres", "half1.mrc", "half2.mrc", "--mask", "mask.mrc", "--step", "4", "-o", "local.mrc")
    same_file("local.mrc", MADE["local"].map)


@test
def figures_are_those_of_the_demo():
    assert FIGURES["Drift of the first movie, rms error"] < 0.1 and FIGURES["Defocus, larger error of both"] < 100
    assert 3 <= FIGURES["Resolution by the truth, FSC 0.5"] < 4.5
    for name, value in TOLD.items():
        assert f"{FIGURES[name]:.3g}" == value, (name, FIGURES[name], value)
    assert len(TOLD) == (len(FIGURES) if ALL else 0)


FOLDER.cleanup()
finish()
