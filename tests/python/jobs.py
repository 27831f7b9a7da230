#!/usr/bin/env python3
"""Jobs by their descriptions: signatures, sources of every kind, the command's results, progress, cancelling. jobs.py BUILD"""
import contextlib
import gc
import inspect
import io
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import warnings

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # there is no GPU for these tests
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, Skip, finish, raises, test

import mrcfile
import numpy as np

import table
import tessera as ts

FACTOR = int(os.environ.get("TESS_TEST_TIME_FACTOR", 1))
FOLDER = tempfile.TemporaryDirectory()
APIX = 1.5
RANDOM = np.random.default_rng(1)
SIGNAL = np.cumsum(RANDOM.normal(size=(14, 12, 16)), axis=2)
A, B = ((SIGNAL + RANDOM.normal(size=SIGNAL.shape)).astype(np.float32) for _ in range(2))
MASK = (RANDOM.random(SIGNAL.shape) > 0.3).astype(np.float32)
OPTIONS = {"radius": 3, "soft": 2, "step": 3}
KNOWN = {**OPTIONS, "pixel_size": APIX}
local = ts.jobs.local_resolution


def path(name):
    return os.path.join(FOLDER.name, name)


for name, data in (("a", A), ("b", B), ("mask", MASK)):
    with mrcfile.new(path(name + ".mrc")) as f:
        f.set_data(data)
        f.voxel_size = APIX
WANT = local(A, B, **KNOWN)


def same(one, other):
    """The same bits in all fields, whatever kind the arrays are of."""
    assert vars(one).keys() == vars(other).keys()
    for k, v in vars(one).items():
        w = vars(other)[k]
        if hasattr(v, "shape") or isinstance(v, ts.jobs.Table):
            v, w = np.asarray(v), np.asarray(w)
            assert v.shape == w.shape and v.dtype == w.dtype and v.tobytes() == w.tobytes(), k
        else:
            assert v == w and type(v) is type(w), (k, v, w)
    return True


# ---- Descriptions ----


def descriptions():
    library = os.path.join(BUILD, "libtessera.so")
    if not os.path.exists(library):
        raise Skip("the library was not built")
    return table.jobs(table.load(library))


@test
def every_job_has_the_signature_of_its_rows():
    found = descriptions()
    assert [f.text for f in found] == sorted(ts._tessera._jobs), found
    for f in found:
        parameters = inspect.signature(getattr(ts.jobs, f.text)).parameters
        positional = [r.text for r in f.rows if r.role in (table.IN, table.REQUIRED)]
        options = [r.text for r in f.rows if r.role == table.OPTION]
        overwrite = ["overwrite"] * any(r.kind == "SINK" for r in f.rows)
        context = [w for w in overwrite + ["device", "memory", "seed", "progress"] if w not in options]
        assert [p.rstrip("_") for p in parameters] == positional + options + context, (f.text, list(parameters))
        for name, p in parameters.items():
            assert (p.kind == p.KEYWORD_ONLY) == (name.rstrip("_") in options + context), name
        for r in f.rows:
            if r.role == table.OPTION and r.kind in ("F64", "I64", "I32"):
                default = parameters[r.text].default
                assert default is None if r.fallback != r.fallback else default == r.fallback, (f.text, r.text, default)


@test
def every_job_is_documented_and_goes_to_other_processes():
    for f in descriptions():
        job = getattr(ts.jobs, f.text)
        assert job.__doc__.startswith(f.help.decode()) and job.__module__ == "tessera.jobs" and f.text in ts.jobs.__all__
        for r in f.rows:
            assert f"    {r.text}: " in job.__doc__ or f"    {r.text}_: " in job.__doc__, (f.text, r.text)
            if r.role == table.RESULT:
                assert r.kind in ("ARRAY", "COLUMNS", "F64", "I64", "U64", "I32", "U32", "FLAG", "CHOICE"), (f.text, r.text)
        assert pickle.loads(pickle.dumps(job)) is job


# ---- Results ----


@test
def results_have_the_fields_of_the_rows():
    rows = [r.text for f in descriptions() if f.text == "local_resolution" for r in f.rows if r.role == table.RESULT]
    assert list(vars(WANT)) == rows
    assert isinstance(WANT.map, np.ndarray) and WANT.map.shape == A.shape and WANT.map.dtype == np.float32
    assert type(WANT.median) is float and type(WANT.box) is int and WANT.n_voxels == A.size and WANT.threshold == 0.143
    assert list(WANT.report) == rows[1:] and WANT.report["median"] == WANT.median
    lines = repr(WANT).splitlines()
    assert lines[0] == "Result of local_resolution" and lines[1] == "    map: ndarray (14, 12, 16) float32", lines
    assert lines[2] == f"    median: {WANT.median!r}" and len(lines) == 1 + len(rows)
    assert same(pickle.loads(pickle.dumps(WANT)), WANT)


@test
def tables_are_columns_by_name():
    numbers = np.arange(6.0).reshape(3, 2)
    made = ts.jobs._table(["x", "y"], numbers)
    assert isinstance(made, dict) and list(made) == ["x", "y"] and made["y"].flags.c_contiguous
    assert np.array_equal(np.asarray(made), numbers) and np.asarray(made, np.float32).dtype == np.float32
    assert np.array_equal(made["y"], [1, 3, 5]) and repr(made) == "Table of 3 rows: x, y"
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise Skip("pandas is not installed")
    assert made.to_pandas().shape == (3, 2) and list(made.to_pandas().columns) == ["x", "y"]


MICROGRAPHS = np.random.default_rng(2).normal(size=(2, 96, 96)).astype(np.float32)
for k, (at_y, at_x) in enumerate([(30, 40), (60, 50)]):
    y, x = np.indices((96, 96))
    MICROGRAPHS[k] -= 6 * np.exp(-((y - at_y) ** 2 + (x - at_x) ** 2) / 18)


@test
def tables_of_a_job():
    found = ts.jobs.pick(MICROGRAPHS, diameter=12, pixel_size=2, max=1).particles  # three axes are images
    assert isinstance(found, ts.jobs.Table) and found["micrograph"].tolist() == [0, 1]
    assert np.allclose(found["y"], [30, 60], atol=1) and np.allclose(found["x"], [40, 50], atol=1)
    assert all(type(c) is np.ndarray and c.dtype == np.float64 and c.shape == (2,) for c in found.values())
    four = ts.jobs.pick(ts.asarray(MICROGRAPHS)[:, None], diameter=12, pixel_size=2, max=1).particles
    assert all(np.array_equal(four[k], found[k]) for k in found)
    none = ts.jobs.pick(MICROGRAPHS, diameter=12, pixel_size=2, threshold=100).particles
    assert list(none) == list(found) and none["x"].shape == (0,) and repr(none).startswith("Table of 0 rows")
    raises(ValueError, "micrographs has the shape (2, 2, 96, 96); expected a stack of images (n, 1, h, w)", ts.jobs.pick,
           MICROGRAPHS[None].repeat(2, 0), diameter=12)


@test
def sinks_are_paths_or_arrays():
    picked = ts.jobs.pick(MICROGRAPHS, diameter=12, pixel_size=2, max=1).particles
    extract = ts.jobs.extract_particles
    want = extract(MICROGRAPHS, picked, 16, pixel_size=2).boxes  # a table is an array, too
    at = [(slice(k, k + 1), 0, slice(int(y + 0.5) - 8, int(y + 0.5) + 8), slice(int(x + 0.5) - 8, int(x + 0.5) + 8))
          for k, (y, x) in enumerate(zip(picked["y"], picked["x"]))]
    assert np.array_equal(want, np.stack([MICROGRAPHS[:, None][i] for i in at]))
    made = extract(MICROGRAPHS, picked, 16, pixel_size=2, sink=path("boxes.mrcs"))
    assert made.boxes is None and made.n_dropped == 0
    with mrcfile.open(path("boxes.mrcs")) as f:
        assert np.array_equal(f.data, want[:, 0]) and float(f.voxel_size.x) == 2
    raises(FileExistsError, "overwrite=True", extract, MICROGRAPHS, picked, 16, sink=path("boxes.mrcs"))
    extract(MICROGRAPHS, picked, 16, sink=path("boxes.mrcs"), overwrite=True)
    out = np.zeros_like(want)
    assert extract(MICROGRAPHS, picked, 16, sink=out).boxes is out and np.array_equal(out, want)
    three = np.zeros((2, 16, 16), np.float32)  # three axes are images here, too
    assert extract(MICROGRAPHS, picked, 16, sink=three).boxes is three and np.array_equal(three, want[:, 0])
    raises(ts.ShapeError, "{2,1,16,16}", extract, MICROGRAPHS, picked, 16, sink=out[1:])
    raises(ts.CancelledError, "", extract, MICROGRAPHS, picked, 16, sink=path("none.mrcs"), progress=lambda *told: True)
    assert not [n for n in os.listdir(FOLDER.name) if "none" in n]
    assert extract(MICROGRAPHS, np.asarray(picked)[:1], 16).boxes.shape == (1, 1, 16, 16)  # a stack, also of one
    raises(TypeError, "sink is of type", extract, MICROGRAPHS, picked, 16, sink=3)


@test
def sources_come_in_lists():
    rng = np.random.default_rng(4)
    one, two = rng.uniform(size=(2,) + A.shape).astype(np.float32)
    with mrcfile.new(path("one.mrc")) as f:
        f.set_data(one)
    make = ts.jobs.make_mask
    want = np.maximum(1 - np.minimum(one, two), one)
    made = make(two, is_mask=True, masks=[path("one.mrc"), one], join="and not or")
    assert np.array_equal(made.mask, want) and made.statistics["voxels"].tolist() == [A.size] and made.cutoff == 0
    assert np.array_equal(make(two, is_mask=True, masks=(one,)).mask, np.minimum(one, two))
    assert np.array_equal(make(A, use=two, masks=[], apply=True, outside=3).mask, A * two + (1 - two) * np.float32(3))
    ball = make(A, sphere=[[2.5], [4]], centre=[7, 6, 8], soft=2, sink=path("ball.mrc"), pixel_size=1.5)
    with mrcfile.open(path("ball.mrc")) as f:
        assert ball.mask is None and f.data[7, 6, 8] == 1 and f.data[7, 6, 15] == 0 and float(f.voxel_size.x) == 1.5
    raises(TypeError, "masks is of type <class 'str'>; expected a list of paths, open files or arrays", make, A, masks="one.mrc")
    raises(TypeError, "masks is of type <class 'int'>; expected a path, an open file or an array", make, A, masks=[one, 3])
    raises(ts.ArgumentError, 'join is "or not and"', make, A, use=one, masks=[two], join="or not and")
    raises(ts.RangeError, "more than 16 steps", make, A, use=one, masks=[two] * 16)
    raises(FileNotFoundError, "none.mrc", make, A, use=one, masks=[path("none.mrc")])


@test
def tables_of_poses_go_both_ways():
    ball = ts.jobs.make_mask(np.zeros((16, 16, 16), np.float32), sphere=[4], soft=3, centre=[8, 9, 7]).mask
    grid, shifts = ts.quat_grid(0.5, views=True), np.random.default_rng(5).uniform(-1, 1, (51, 2))
    shifts = np.resize(shifts, (len(grid), 2))
    rows = np.asarray(grid).reshape(len(grid), 4)
    views = ts.jobs.project_map(ball, rows, shifts=shifts, pixel_size=2)
    assert views.images.shape == (len(rows), 1, 16, 16) and views.pixel_size == 2
    back = ts.jobs.reconstruct(views.images, rows, shifts=shifts).map
    assert np.abs(back - ball).max() < 0.2
    ctf = np.array([2, 2, 1.2, 0, 0, 300, 0.1, 2.7])
    flipped = ts.jobs.correct_ctf(views.images, ctf)
    again = ts.jobs.correct_ctf(flipped.images, np.tile(ctf, (len(rows), 1)))
    assert np.allclose(again.images, views.images, atol=1e-3)


@test
def results_outlive_their_sources():
    a, b = A.copy(), B.copy()
    before = sys.getrefcount(a)
    result = local(a, b, **KNOWN)
    assert sys.getrefcount(a) == before
    a[:] = b[:] = 7
    del a, b
    gc.collect()
    assert same(result, WANT)


# ---- Sources ----


@test
def files_and_arrays_give_the_same_bits():
    assert same(local(path("a.mrc"), path("b.mrc"), **OPTIONS), WANT)
    assert same(local(os.fsencode(path("a.mrc")), B, **OPTIONS), WANT)

    class Path:
        def __fspath__(self):
            return path("b.mrc")
    assert same(local(A, Path(), **KNOWN), WANT)
    with ts.open(path("a.mrc")) as f, ts.open(path("b.mrc"), ndim=4) as g:
        assert same(local(f, g, **OPTIONS), WANT)
        assert same(local(half2=g, half1=f, **OPTIONS), WANT)
        assert f[0].shape == (12, 16)


@test
def results_are_the_commands():
    command = os.path.join(BUILD, "tessera")
    if not os.path.exists(command):
        raise Skip("the command was not built")
    subprocess.run([command, "locres", path("a.mrc"), path("b.mrc"), "--radius", "3", "--soft", "2", "--step", "3", "--seed", "5",
                    "--mask", path("mask.mrc"), "-q", "-o", path("theirs.mrc")], check=True)
    ours = local(path("a.mrc"), path("b.mrc"), mask=path("mask.mrc"), seed=5, **OPTIONS)
    with mrcfile.open(path("theirs.mrc")) as f:
        assert f.data.dtype == ours.map.dtype and f.data.tobytes() == ours.map.tobytes()
    assert ours.map.tobytes() != WANT.map.tobytes() and same(ours, local(A, B, mask=MASK, seed=5, **KNOWN))


# ---- Simulation ----


def command_in_folder(*arguments):
    """A run of the command in the folder of these tests."""
    command = os.path.join(BUILD, "tessera")
    if not os.path.exists(command):
        raise Skip("the command was not built")
    subprocess.run([command, *map(str, arguments), "-q", "-f"], check=True, cwd=FOLDER.name)


def in_file(name):
    with mrcfile.open(path(name), permissive=True) as f:
        return f.data.copy()


def star_columns(name, block, *labels):
    table = ts.read_star(path(name))[block]
    return np.array([np.asarray(table["rln" + label], float) for label in labels]).T


def columns_of(table, *names):
    return np.array([table[name] for name in names]).T


def equal_bits(one, other):
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    assert one.dtype == other.dtype and one.tobytes() == other.tobytes() and one.size > 0
    return True


@test
def simulated_structures_are_the_commands():
    command_in_folder("simulate", "atoms", "--box", 24, "--atoms", 30, "--sigma", 1.1, "--apix", 1.5, "--seed", 3,
                      "-o", "structure.mrc", "--star", "atoms.star")
    made = ts.jobs.simulate_atoms(box=24, atoms=30, sigma=1.1, seed=3)
    assert equal_bits(made.map, in_file("structure.mrc")) and made.map.shape == (24, 24, 24)
    written = star_columns("atoms.star", "atoms", "CoordinateX", "CoordinateY", "CoordinateZ")
    assert np.allclose(columns_of(made.positions, "x", "y", "z"), written, rtol=1e-15, atol=0)
    out = np.zeros_like(made.map)
    assert ts.jobs.simulate_atoms(box=24, atoms=30, sigma=1.1, seed=3, sink=out).map is out and equal_bits(out, made.map)
    sunk = ts.jobs.simulate_atoms(box=24, atoms=30, sigma=1.1, seed=3, pixel_size=1.5, sink=path("sunk.mrc"))
    assert sunk.map is None and equal_bits(in_file("sunk.mrc"), made.map) and ts.info(path("sunk.mrc")).voxel_size[0] == 1.5
    raises(ts.RangeError, "radius is 13 pixels", ts.jobs.simulate_atoms, box=24, radius=13)


@test
def simulated_particles_are_the_commands():
    command_in_folder("simulate", "particles", "structure.mrc", "--count", 9, "--snr", 0.4, "--shift", 2, "--cs", 0, "--seed", 7,
                      "-o", "particles.mrcs", "--star", "particles.star")
    options = {"count": 9, "snr": 0.4, "shift": 2, "cs": 0, "seed": 7}
    made = ts.jobs.simulate_particles(in_file("structure.mrc"), pixel_size=1.5, **options)
    assert equal_bits(made.images, in_file("particles.mrcs"))
    written = star_columns("particles.star", "particles", "AngleRot", "AngleTilt", "AnglePsi", "OriginXAngst", "OriginYAngst",
                           "RandomSubset")
    assert np.array_equal(columns_of(made.particles, "rot", "tilt", "psi", "origin_x", "origin_y", "half"), written)
    defoci = star_columns("particles.star", "particles", "DefocusU", "DefocusV")
    assert np.allclose(made.ctfs[:, 2:4] * 1e4, np.stack([defoci.mean(1), (defoci[:, 0] - defoci[:, 1]) / 2], 1), atol=0.01)
    assert same(ts.jobs.simulate_particles(path("structure.mrc"), **options), made)
    given = {"rotations": made.rotations, "shifts": made.shifts, "ctfs": made.ctfs, "seed": 7, "snr": 0.4}
    again = ts.jobs.simulate_particles(path("structure.mrc"), **given)  # what came out goes in, and gives the same images
    assert equal_bits(again.images, made.images) and equal_bits(again.ctfs, made.ctfs)
    raises(ts.ArgumentError, "ctfs gives the CTFs; voltage cannot be given", ts.jobs.simulate_particles,
           path("structure.mrc"), voltage=200, **given)


@test
def simulated_movies_are_the_commands():
    command_in_folder("simulate", "movie", "structure.mrc", "--defocus", "1.5um,1.3um", "--angle", 20, "--size", "70,60",
                      "--frames", 3, "--count", 2, "--local", 2, "--gain", "gain.mrc", "--seed", 4, "-o", "simulated.mrcs",
                      "--star", "simulated.star")
    options = {"astigmatism": 0.1, "angle": np.radians(20), "size": (60, 70), "frames": 3, "count": 2, "local": 2, "gain": True,
               "seed": 4}
    made = ts.jobs.simulate_movie(in_file("structure.mrc"), 1.4, pixel_size=1.5, **options)
    assert equal_bits(made.movie, in_file("simulated.mrcs")) and equal_bits(made.gain, in_file("gain.mrc"))
    shifts = star_columns("simulated.star", "global_shift", "MicrographShiftX", "MicrographShiftY")
    assert np.array_equal(columns_of(made.shifts, "x", "y"), shifts) and made.shifts["exposure"].tolist() == [0.5, 1.5, 2.5]
    local_shifts = star_columns("simulated.star", "local_shift", "CoordinateX", "CoordinateY", "MicrographShiftX", "MicrographShiftY")
    assert np.array_equal(columns_of(made.local_shifts, "at_x", "at_y", "x", "y"), local_shifts)
    places = star_columns("simulated.star", "particles", "CoordinateX", "CoordinateY", "AngleRot", "AngleTilt", "AnglePsi")
    assert np.array_equal(columns_of(made.particles, "x", "y", "rot", "tilt", "psi"), places)
    assert same(ts.jobs.simulate_movie(path("structure.mrc"), 1.4, **options), made)
    raises(ts.CancelledError, "cancelled", ts.jobs.simulate_movie, path("structure.mrc"), 1.4, progress=lambda *told: True)


# ---- Arrays of all kinds ----


@test
def refinement_is_the_commands():
    command = os.path.join(BUILD, "tessera")
    if not os.path.exists(command):
        raise Skip("the command was not built")
    n, side = 12, 16
    random = np.random.default_rng(4)
    images = random.normal(size=(n, side, side)).astype(np.float32)
    reference = random.normal(size=(side, side, side)).astype(np.float32)
    angles = np.round(random.uniform(0, 180, (n, 3)), 3)
    for name, data in (("views.mrcs", images), ("start.mrc", reference)):
        with mrcfile.new(path(name)) as f:
            f.set_data(data)
            f.voxel_size = APIX
    with open(path("views.star"), "w") as f:
        f.write("data_\nloop_\n_rlnImageName\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n")
        f.writelines(f"{i + 1}@{path('views.mrcs')} {a} {b} {c}\n" for i, (a, b, c) in enumerate(angles))
    subprocess.run([command, "refine", path("views.star"), "--reference", path("start.mrc"), "--global", "0", "--iterations", "2", "-q",
                    "--lowpass", "6", "--half-maps", path("half{half}.mrc"), "-o", path("refined.mrc")],
                   check=True, stdout=subprocess.DEVNULL)
    turns = ts.euler_to_quat(angles[:, None, None], convention="relion")
    made = ts.jobs.refine(images, reference, rotations=turns, global_iterations=0, iterations=2, cutoff=APIX / 6, pixel_size=APIX)
    for name, ours in (("refined", made.map), ("half1", made.half1), ("half2", made.half2)):
        with mrcfile.open(path(name + ".mrc")) as f:
            assert f.data.tobytes() == ours.tobytes() and f.data.shape == ours.shape, name
    assert made.rotations.shape == (n, 1, 1, 4) and made.shifts.shape == (n, 1, 1, 2) and made.scores.shape == (n, 1, 1, 1)
    assert made.history["iteration"].tolist() == [1, 2] and made.history["resolution"][-1] == made.resolution
    again = ts.jobs.refine(path("views.mrcs"), path("start.mrc"), rotations=turns, global_iterations=0, iterations=2, cutoff=APIX / 6)
    assert same(made, again)
    raises(ValueError, "rotations", ts.jobs.refine, images, reference, global_iterations=0, cutoff=0.2)


@test
def arrays_of_any_layout():
    around = np.zeros((16, 14, 18), np.float32)
    around[1:-1, 1:-1, 1:-1] = A
    frozen = A.copy()
    frozen.flags.writeable = False
    for a in (np.asfortranarray(A), A[::-1, :, ::-1].copy()[::-1, :, ::-1], around[1:-1, 1:-1, 1:-1], frozen, A.astype(">f4")):
        assert same(local(a, B, **KNOWN), WANT)
    four = local(A[None], B[None], **KNOWN)
    assert four.map.shape == (1,) + A.shape and np.array_equal(four.map[0], WANT.map)


@test
def results_are_of_the_callers_kind():
    made = local(ts.asarray(A), B, **KNOWN)
    assert isinstance(made.map, ts.Array) and same(made, WANT)
    made = local(memoryview(A), memoryview(B), **KNOWN)
    assert same(made, WANT)
    assert isinstance(local(A.tolist(), B, **KNOWN).map, np.ndarray)


@test
def tensors_of_torch():
    try:
        import torch
    except ImportError:
        raise Skip("torch is not installed")
    made = local(torch.from_numpy(A), torch.from_numpy(B), mask=torch.from_numpy(MASK), **KNOWN)
    assert isinstance(made.map, torch.Tensor) and same(made, local(A, B, mask=MASK, **KNOWN))


# ---- What is wrong ----


@test
def wrong_arguments_are_named():
    raises(TypeError, "missing required argument 'half2' (pos 2)", local, A)
    raises(TypeError, "takes 2 positional arguments but 3 were given", local, A, B, 3)
    raises(TypeError, "unexpected keyword argument 'raduis'; did you mean 'radius'?", local, A, B, raduis=3)
    raises(TypeError, "unexpected keyword argument 'qqq'", local, A, B, qqq=3)
    raises(TypeError, "multiple values for argument 'half1'", local, A, B, half1=A)
    raises(TypeError, "local_resolution: half1 is of type <class 'float'>; expected a path, an open file or an array", local, 1.5, B)
    raises(TypeError, "half1 is of type <class 'numpy.float32'>", local, np.float32(1), B)
    raises(TypeError, "half2 is of type <class 'object'>", local, A, object())
    raises(TypeError, "mask is of type <class 'dict'>", local, A, B, mask={})
    raises(TypeError, "radius is 'a'; expected a number", local, A, B, radius="a")
    raises(TypeError, "step is 1.5; expected an integer", local, A, B, step=1.5)
    raises(ts.ArgumentError, "half1 is None", local, None, B)
    raises(ValueError, "5", local, A[None, None], B)


@test
def wrong_values_are_named_as_in_python():
    error = raises(ts.RangeError, "radius is 100", local, A, B, **{**KNOWN, "radius": 100})
    assert "opts" not in str(error) and "->" not in str(error)
    raises(ts.RangeError, "step is 0", local, A, B, **{**KNOWN, "step": 0})  # a 0 is a 0
    assert local(A, B, **{**KNOWN, "soft": 0}).box == 8 and local(A, B, **{**KNOWN, "soft": None}).box == 20
    raises(ts.ShapeError, "", local, A, B[1:], **KNOWN)
    raises(ts.Error, "", local, A[0], B[0], **KNOWN)
    raises(ts.DtypeError, "", local, A.astype(np.complex64), B, **KNOWN)
    raises(FileNotFoundError, "none.mrc", local, path("none.mrc"), B, **KNOWN)
    raises(ts.Error, "", local, __file__, B, **KNOWN)
    raises(TypeError, "", local, np.array(["a"]), B, **KNOWN)
    with ts.open(path("a.mrc")) as f:
        pass
    raises(ValueError, "a.mrc, a closed file", local, f, B, **KNOWN)


@test
def what_a_newcomer_writes():
    """One number as a size, half sets in a row, and what cannot be meant."""
    jobs, ball = ts.jobs, ts.sphere((24, 24, 24), 6, width=3).numpy()
    few = {"count": 1, "frames": 2, "pixel_size": 1.5}
    assert same(jobs.simulate_movie(ball, 1, size=40, **few), jobs.simulate_movie(ball, 1, size=(40, 40), **few))
    made = jobs.simulate_particles(ball, count=6, pixel_size=1.5, no_ctf=True)
    halves = np.arange(6) % 2 + 1
    want = jobs.reconstruct(made.images, made.rotations, halves=halves[:, None])
    assert same(jobs.reconstruct(made.images, made.rotations, halves=halves), want) and want.half1 is not None
    raises(ts.ShapeError, "halves has the shape {1,1,1,5}", jobs.reconstruct, made.images, made.rotations, halves=halves[1:])
    raises(ts.ShapeError, "k = 4 is expected", jobs.project_map, ball, np.ones((2, 3)))
    for job, first in ((jobs.project_map, ball), (jobs.reconstruct, made.images)):
        raises(ts.ArgumentError, "row 0 of rotations is (0, 0, 0, 0)", job, first, np.zeros((6, 4)))
    raises(ts.ArgumentError, "refine: images: no row belongs to half set 2", jobs.refine, made.images[:1], ball, pixel_size=1.5)
    raises(ts.RangeError, "reference is 0 everywhere", jobs.refine, made.images, 0 * ball, pixel_size=1.5)
    raises(ts.RangeError, "cutoff is 30", jobs.refine, made.images, ball, cutoff=30)
    raises(ts.ArgumentError, "no_ctf leaves the CTF out; min_defocus", jobs.simulate_particles, ball, no_ctf=True, min_defocus=1,
           pixel_size=1.5)
    raises(ts.ShapeError, "images is empty", jobs.reconstruct_tilt_series, np.zeros((0, 8, 8)), [])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        jobs.make_mask(np.ones((8, 8, 8)), lowpass=0)
    assert ["all values are 1, so the mask covers everything" in str(w.message) for w in told] == [True], told


@test
def the_context_is_checked():
    for memory in (0, -1, 1.5, "a", 1 << 70):
        raises(TypeError, "memory is", local, A, B, memory=memory, **KNOWN)
    error = raises(ts.OutOfMemoryError, "memory", local, A, B, memory=1000, **KNOWN)
    assert "->" not in str(error), error
    raises(TypeError, "seed is -1", local, A, B, seed=-1, **KNOWN)
    raises(TypeError, "progress is 3", local, A, B, progress=3, **KNOWN)
    raises(ts.DeviceError, "gpu:7", local, A, B, device="gpu:7", **KNOWN)
    assert same(local(A, B, memory=1 << 30, seed=0, progress=None, device="cpu", **KNOWN), WANT)
    assert local(A, B, seed=3, **KNOWN).randomized_from == WANT.randomized_from


# ---- Progress, cancelling, warnings ----


@test
def progress_is_told():
    told = []
    assert same(local(A, B, progress=lambda *given: told.append(given), **KNOWN), WANT)
    stages = {stage for stage, _, _ in told}
    assert stages == {"positions"} and told[0][1] == 0 and told[-1][1] == told[-1][2] == WANT.n_positions, told
    assert same(local(A, B, progress=False, **KNOWN), WANT)


@test
def a_line_tells_progress():
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        local(A, B, progress=True, **KNOWN)
    if "tqdm" in sys.modules:
        raise Skip("tqdm is installed")
    n = WANT.n_positions
    assert said.getvalue() == f"\rlocal_resolution: 0 of {n} positions\rlocal_resolution: {n} of {n} positions\n", said.getvalue()


@test
def tqdm_is_used_where_it_is():
    class Bar:
        made = []

        def __init__(self, total, desc, unit):
            self.total, self.n, self.closed, self.texts = total, 0, False, (desc, unit)
            self.made.append(self)

        def update(self, n):
            self.n += n

        def close(self):
            self.closed = True
    before = sys.modules.get("tqdm")
    sys.modules["tqdm"] = types.SimpleNamespace(tqdm=Bar)
    try:
        local(A, B, progress=True, **KNOWN)
    finally:
        sys.modules.pop("tqdm")
        if before:
            sys.modules["tqdm"] = before
    bar, = Bar.made
    assert bar.n == bar.total == WANT.n_positions and bar.closed and bar.texts == ("local_resolution", " positions")


@test
def progress_cancels():
    raises(ts.CancelledError, "cancelled", local, A, B, progress=lambda *given: True, **KNOWN)

    def fails(stage, done, total):
        raise KeyError(stage)
    raises(KeyError, "positions", local, A, B, progress=fails, **KNOWN)
    raises(TypeError, "", local, A, B, progress=lambda: None, **KNOWN)
    assert same(local(A, B, **KNOWN), WANT)


@test
def files_are_free_during_progress():
    with ts.open(path("a.mrc")) as f:
        local(f, B, progress=lambda *given: f[0] is None, **OPTIONS)
        raises(ValueError, "cannot be closed while a job reads", local, f, B, progress=lambda *given: f.close(), **OPTIONS)
        assert not f.closed
    assert f.closed


@test
def jobs_run_inside_of_progress():
    inner = []
    local(A, B, progress=lambda *given: inner.append(local(A, B, **KNOWN)), **KNOWN)
    assert len(inner) >= 2 and all(same(r, WANT) for r in inner)


@test
def warnings_are_pythons():
    with mrcfile.new(path("odd.mrc")) as f:
        f.set_data(A)
        f.voxel_size = 2 * APIX
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        local(path("a.mrc"), path("odd.mrc"), **OPTIONS)
    assert len(told) == 1 and told[0].category is UserWarning and str(told[0].message).startswith("local_resolution: "), told
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        raises(UserWarning, "local_resolution: ", local, path("a.mrc"), path("odd.mrc"), **OPTIONS)


@test
def the_gil_is_released_and_threads_share_files():
    wrong = []
    with ts.open(path("a.mrc")) as f, ts.open(path("b.mrc")) as g:
        def work():
            for _ in range(5):
                if not same(local(f, g, **OPTIONS), WANT) or not np.array_equal(np.asarray(f[3]), A[3]):
                    wrong.append(1)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert not wrong


@test
def signals_interrupt_a_job():
    big = np.tile(A, (6, 6, 6))
    sent = []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.1, send)
    timer.start()
    try:
        raises(KeyboardInterrupt, "", local, big, big + 1, radius=12, soft=6, step=1, pixel_size=1)
        took = time.perf_counter() - sent[0]
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    print(f"a job ended {1000 * took:.0f} ms after SIGINT")
    assert took < 0.3 * FACTOR, took
    assert same(local(A, B, **KNOWN), WANT)


# ---- Memory ----


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@test
def many_calls_keep_memory_flat():
    a, b = A[:6, :6, :6].copy(), B[:6, :6, :6].copy()
    few = {"radius": 2, "soft": 1, "step": 5, "pixel_size": 1}
    opened = ts.open(path("a.mrc"))
    calls = [lambda: local(a, b, **few), lambda: local(a, b, progress=lambda *g: True, **few), lambda: local(a, 3),
             lambda: local(path("a.mrc"), path("none.mrc")), lambda: local(a, b, radius=-1), lambda: local(opened, a),
             lambda: local(a, b, mask=path("mask.mrc")), lambda: local(a, b, raduis=1), lambda: local(ts.asarray(a), b, **few)]
    n = int(os.environ.get("TESS_TEST_JOBS", 600))

    def attempt(n):
        for i in range(n):
            try:
                calls[i % len(calls)]()
            except Exception:
                pass
        gc.collect()
    attempt(300)
    before, held = resident(), sys.getrefcount(a)
    attempt(n)
    grown = resident() - before
    assert sys.getrefcount(a) == held
    assert grown < (4 << 20 if "LD_PRELOAD" not in os.environ else 1 << 30), f"{n} calls took {grown} bytes"
    opened.close()


FOLDER.cleanup()
finish()
