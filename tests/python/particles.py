#!/usr/bin/env python3
"""Particles of STAR files from Python: jobs on them beside the command, tables, images, and files written again. particles.py BUILD"""
import os
import subprocess
import sys
import tempfile
import threading
import warnings

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # there is no GPU for these tests
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, Skip, finish, raises, test

import mrcfile
import numpy as np

import tessera as ts

FOLDER = tempfile.TemporaryDirectory()
APIX, SIDE, N = 1.5, 16, 12
RANDOM = np.random.default_rng(1)
IMAGES = RANDOM.normal(size=(N, SIDE, SIDE)).astype(np.float32)
ANGLES = RANDOM.uniform(0, 180, (N, 3))
ORIGINS = RANDOM.uniform(-2, 2, (N, 2))
COMMAND = os.path.join(BUILD, "tessera")
os.chdir(FOLDER.name)


def put_stack(name, images):
    with mrcfile.new(name, overwrite=True) as f:
        f.set_data(images)
        f.voxel_size = APIX
        f.set_image_stack()


def put_star(name, halves=True, ctfs=True, tilt=0.0):
    """Particles of two stacks, in turns."""
    labels = ["ImageName", "OpticsGroup", "AngleRot", "AngleTilt", "AnglePsi", "OriginXAngst", "OriginYAngst", "OurOwn"]
    labels += ["DefocusU", "DefocusV", "DefocusAngle"] * ctfs + ["RandomSubset"] * halves
    with open(name, "w") as f:
        f.write("data_optics\n\nloop_\n_rlnOpticsGroup\n_rlnImagePixelSize\n_rlnVoltage\n_rlnSphericalAberration\n"
                f"_rlnAmplitudeContrast\n_rlnBeamTiltX\n1 {APIX} 300 2.7 0.1 {tilt}\n\ndata_particles\n\nloop_\n")
        f.writelines(f"_rln{label}\n" for label in labels)
        for i in range(N):
            row = [f"{i // 2 + 1:06d}@{'odd' if i % 2 else 'even'}.mrcs", 1, *ANGLES[i], *ORIGINS[i], f"own{i}"]
            row += [9000 + 500 * i, 8800 + 500 * i, 10 * i] * ctfs + [(i * 7 % 5) % 2 + 1] * halves
            f.write(" ".join(map(str, row)) + "\n")


put_stack("even.mrcs", IMAGES[::2])
put_stack("odd.mrcs", IMAGES[1::2])
put_star("poses.star")
put_star("tilted.star", tilt=0.3)
put_star("plain.star", halves=False, ctfs=False)


def tessera(*arguments):
    if not os.path.exists(COMMAND):
        raise Skip("the command was not built")
    subprocess.run([COMMAND, *arguments, "-f", "-q"], check=True, capture_output=True)


def same(one, file):
    return np.array_equal(np.asarray(one).view(np.uint32), mrcfile.read(file).view(np.uint32))


# ---- Jobs ----


@test
def reconstruct_is_the_command_bit_for_bit():
    tessera("reconstruct", "plain.star", "-o", "plain.mrc")
    assert same(ts.jobs.reconstruct("plain.star").map, "plain.mrc")
    for name in ("poses", "tilted"):
        tessera("reconstruct", "--sym", "C2", f"{name}.star", "-o", "map.mrc", "--half-maps", "half{half}.mrc")
        r = ts.jobs.reconstruct(f"{name}.star", sym="C2")
        assert same(r.map, "map.mrc") and same(r.half1, "half1.mrc") and same(r.half2, "half2.mrc")
        assert r.resolution > 0


@test
def a_path_and_particles_are_the_same():
    p = ts.jobs.Particles("poses.star")
    one, other = ts.jobs.reconstruct("poses.star", pad=1), ts.jobs.reconstruct(p, pad=1)
    assert np.array_equal(one.map, other.map) and np.array_equal(one.half2, other.half2)
    flipped = IMAGES[[i for i in range(N)]]
    arrays = ts.jobs.reconstruct(flipped, p.rotations, shifts=p.shifts, ctfs=p.ctfs, halves=p.halves[:, None], pad=1,
                                 pixel_size=APIX)
    assert np.array_equal(one.map, arrays.map) and one.resolution == arrays.resolution


@test
def what_is_given_counts_more_than_the_file():
    p = ts.jobs.Particles("poses.star")
    still = np.zeros((N, 2))
    moved = ts.jobs.reconstruct("poses.star", shifts=still, pad=1)
    p.shifts = still
    assert np.array_equal(moved.map, ts.jobs.reconstruct(p, pad=1).map)
    assert not np.array_equal(moved.map, ts.jobs.reconstruct("poses.star", pad=1).map)
    p.halves = None
    p.ctfs = None
    r = ts.jobs.reconstruct(p, pad=1)
    assert r.half1 is None
    assert np.array_equal(r.map, ts.jobs.reconstruct(p.images, p.rotations, shifts=p.shifts, pad=1).map)
    tessera("reconstruct", "--no-ctf", "plain.star", "-o", "no.mrc")
    p.shifts = ts.jobs.Particles("plain.star").shifts
    assert same(ts.jobs.reconstruct(p).map, "no.mrc")


@test
def every_job_takes_a_list_of_images():
    tessera("align2d", "--iterations", "2", "poses.star", "-o", "average.mrc")
    assert same(ts.jobs.align2d("poses.star", iterations=2).average[None], "average.mrc") or \
        same(ts.jobs.align2d("poses.star", iterations=2).average, "average.mrc")
    assert np.array_equal(ts.jobs.align2d(ts.jobs.Particles("poses.star"), iterations=2).average,
                          ts.jobs.align2d(IMAGES, iterations=2).average)


@test
def ctfs_of_a_list_are_corrected():
    with open("tilted.star") as particles, open("micrographs.star", "w") as f:
        f.write(particles.read().replace("_rlnImageName", "_rlnMicrographName"))
    for name in ("tilted", "micrographs"):
        tessera("ctf", "flip", f"{name}.star", "-o", "flipped.mrcs", "--apix", str(APIX))
        r = ts.jobs.correct_ctf(f"{name}.star")
        assert same(r.images.reshape(N, SIDE, SIDE), "flipped.mrcs")
    raises(ValueError, "ctfs is not given", ts.jobs.correct_ctf, "plain.star")


@test
def names_are_a_stack():
    names = ["3@even.mrcs", "1@odd.mrcs", "000002@odd.mrcs"]
    made = ts.jobs.align2d(names, iterations=1)
    assert np.array_equal(made.average, ts.jobs.align2d(IMAGES[[4, 1, 3]], iterations=1).average)
    raises(ValueError, "which has 6", ts.jobs.align2d, ["7@even.mrcs"])
    raises(TypeError, "", ts.jobs.align2d, ["1@even.mrcs", 3])


@test
def refine_takes_orientations_of_the_file():
    reference = np.asarray(ts.jobs.reconstruct("poses.star").map)
    ts.write("start.mrc", reference, APIX)
    tessera("refine", "poses.star", "--reference", "start.mrc", "--global", "0", "--iterations", "1", "--lowpass", "6",
            "--half-maps", "refined{half}.mrc", "-o", "refined.mrc", "--star", "refined.star")
    r = ts.jobs.refine("poses.star", "start.mrc", global_iterations=0, iterations=1, cutoff=APIX / 6)
    assert same(r.map, "refined.mrc") and same(r.half1, "refined1.mrc") and same(r.half2, "refined2.mrc")
    p = ts.jobs.Particles("poses.star")
    p.rotations, p.shifts = r.rotations.reshape(N, 4), r.shifts.reshape(N, 2)
    p.write("ours.star", overwrite=True)
    ours, theirs = (ts.read_star(name)["particles"] for name in ("ours.star", "refined.star"))
    assert all(np.array_equal(ours[k], theirs[k]) for k in theirs)


@test
def what_is_missing_is_named():
    with open("flat.star", "w") as f:
        f.write("data_\nloop_\n_rlnImageName\n1@even.mrcs\n")
    error = raises(ValueError, "rotations is not given", ts.jobs.reconstruct, "flat.star")
    assert "flat.star has no column _rlnAngleRot" in str(error)
    raises(ValueError, "rotations is None", ts.jobs.reconstruct, IMAGES)
    raises(FileNotFoundError, "nowhere.star", ts.jobs.reconstruct, "nowhere.star")
    with open("gone.star", "w") as f:
        f.write("data_\nloop_\n_rlnImageName\n1@gone.mrcs\n")
    raises(OSError, "gone.mrcs", ts.jobs.align2d, "gone.star")


# ---- Tables and images ----


@test
def tables_are_those_of_the_file():
    p = ts.jobs.Particles("tilted.star")
    assert len(p) == N and p.pixel_size == APIX
    assert p.rotations.shape == (N, 4) and p.ctfs.shape == (N, 17) and p.halves.shape == (N,)
    assert np.array_equal(p.shifts, ORIGINS[:, ::-1] * (1 / APIX))
    assert np.array_equal(p.columns["rlnOurOwn"], [f"own{i}" for i in range(N)])
    assert "12 particles of 1.5" in repr(p) and "halves" in repr(p)
    q = ts.jobs.Particles("plain.star")
    assert q.halves is None and q.ctfs is None and q.rotations.shape == (N, 4)


@test
def images_are_read_where_they_are_asked_for():
    p = ts.jobs.Particles("poses.star")
    assert p.images.shape == (N, SIDE, SIDE) and len(p.images) == N and p.images.dtype == np.float32
    assert np.array_equal(p.images[3], IMAGES[3]) and np.array_equal(p.images[-1], IMAGES[-1])
    assert np.array_equal(p.images[2:7], IMAGES[2:7]) and np.array_equal(p.images[::-2], IMAGES[::-2])
    assert np.array_equal(p.images[[5, 0, 5]], IMAGES[[5, 0, 5]]) and np.array_equal(p.images, IMAGES)
    assert p.images[4:4].shape == (0, SIDE, SIDE)
    raises(IndexError, "image 12", p.images.__getitem__, N)


@test
def a_root_is_where_names_begin():
    os.makedirs("elsewhere", exist_ok=True)
    with open("elsewhere/far.star", "w") as f:
        f.write("data_\nloop_\n_rlnImageName\n2@even.mrcs\n")
    assert np.array_equal(ts.jobs.Particles("elsewhere/far.star", root=FOLDER.name).images[0], IMAGES[2])
    raises(OSError, "root is elsewhere", ts.jobs.Particles, "elsewhere/far.star", root="elsewhere")


@test
def warnings_are_pythons():
    put_star("zernike.star")
    with open("zernike.star") as f:
        text = f.read()
    with open("zernike.star", "w") as f:
        f.write(text.replace("_rlnBeamTiltX", "_rlnMagMat00"))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ts.jobs.Particles("zernike.star")
        ts.jobs.reconstruct("zernike.star", pad=1)
    assert len(told) == 2 and all("_rlnMagMat00 is not used" in str(w.message) for w in told), told
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        raises(UserWarning, "_rlnMagMat00", ts.jobs.Particles, "zernike.star")


# ---- Writing ----


@test
def what_changed_is_written_and_the_rest_is_kept():
    p = ts.jobs.Particles("poses.star")
    p.write("same.star", overwrite=True)
    before, after = (ts.read_star(name)["particles"] for name in ("poses.star", "same.star"))
    assert all(np.array_equal(before[k], after[k]) for k in before) and before.keys() == after.keys()
    p.shifts[0] = 1, -2
    p.halves = np.arange(N) % 2 + 1
    p.put_column("rlnOurScore", np.linspace(0, 1, N))
    p.write("moved.star", overwrite=True, images="one.mrcs")
    put_stack("one.mrcs", IMAGES)
    q = ts.jobs.Particles("moved.star")
    assert np.allclose(q.shifts[0], (1, -2)) and np.array_equal(q.halves, np.arange(N) % 2 + 1)
    assert q.columns["rlnOurOwn"][3] == "own3" and np.array_equal(q.columns["rlnOurScore"], np.linspace(0, 1, N))
    assert np.array_equal(q.columns["rlnDefocusU"], before["rlnDefocusU"]) and np.array_equal(q.images, IMAGES)
    raises(FileExistsError, "moved.star", p.write, "moved.star")
    p.write("moved.cs", overwrite=True)
    assert np.allclose(ts.jobs.Particles("moved.cs").shifts, p.shifts, atol=1e-5)


@test
def some_are_chosen():
    p = ts.jobs.Particles("poses.star")
    p.choose(p.halves == 2)
    kept = np.flatnonzero(ts.jobs.Particles("poses.star").halves == 2)
    assert len(p) == len(kept) and np.array_equal(p.images, IMAGES[kept])
    assert np.array_equal(p.columns["rlnAngleRot"], ANGLES[kept, 0])
    p.choose([1, 0])
    assert np.array_equal(p.images, IMAGES[kept[[1, 0]]])
    p.write("some.star", overwrite=True)
    raises(ValueError, "one or more", p.choose, [])
    raises(IndexError, "out of bounds", p.choose, [5000])


@test
def particles_are_made_of_arrays():
    p = ts.jobs.Particles("tilted.star")
    q = ts.jobs.Particles.from_arrays(p.rotations, p.shifts, p.ctfs, p.halves, box=SIDE, pixel_size=APIX)
    assert q.images is None and np.array_equal(q.rotations, p.rotations) and len(q) == N
    q.write("made.star", images="one.mrcs", overwrite=True)
    put_stack("one.mrcs", IMAGES)
    r = ts.jobs.Particles("made.star")
    assert np.allclose(r.ctfs, p.ctfs, atol=1e-9) and np.array_equal(r.halves, p.halves)
    assert np.allclose(np.abs((r.rotations * p.rotations).sum(1)), 1)
    raises(ValueError, "particles without images", ts.jobs.reconstruct, q)


@test
def tables_that_do_not_fit_are_rejected():
    p = ts.jobs.Particles("poses.star")
    raises(ValueError, "shifts has the shape (12, 3)", setattr, p, "shifts", np.zeros((N, 3)))
    raises(ValueError, "rotations has the shape (5, 4)", setattr, p, "rotations", np.zeros((5, 4)))
    raises(ValueError, "CTFs are read-only", setattr, p, "ctfs", np.zeros((N, 11)))
    raises(ValueError, "read-only", p.ctfs.__setitem__, (0, 0), 1)
    raises(ValueError, "pixel_size is -1", ts.jobs.Particles, "poses.star", pixel_size=-1)
    raises(ValueError, "3 values for 12", p.put_column, "rlnX", [1, 2, 3])
    raises(TypeError, "", ts.jobs.Particles)


@test
def a_job_keeps_tables_where_they_are():
    p, told = ts.jobs.Particles("poses.star"), []

    def progress(stage, done, total):
        try:
            p.shifts = np.zeros((N, 2))
        except ValueError as error:
            told.append(str(error))
        p.images[0]

    ts.jobs.reconstruct(p, pad=1, progress=progress)
    assert told and all("while a job uses them" in text for text in told)
    p.shifts = np.zeros((N, 2))


@test
def threads_share_particles():
    p, made = ts.jobs.Particles("poses.star"), [None] * 4

    def run(i):
        made[i] = ts.jobs.reconstruct(p, pad=1).map

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(made))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(m, made[0]) for m in made)


finish()
