"""Small inputs of each job, by the names of the files that the command reads, and the same job three ways: as a function on
arrays, on files, and as a command line with the files that it writes."""
import os
import sys

import numpy as np

import tessera as ts

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
import eer_writer

APIX = 1.5
FRAMES, SIDE, BOX, VIEWS, SIZE = 6, 128, 32, 20, 20
random = np.random.default_rng(11)


def smooth(shape, cutoff=0.15):
    return ts.lowpass_image(random.normal(size=shape).astype(np.float32), cutoff, width=0.1)


def moved_frames():
    """A picture that drifts, and noise."""
    picture = np.broadcast_to(10 * smooth((1, 1, SIDE, SIDE + 16)), (FRAMES, 1, SIDE, SIDE + 16)).copy()
    drift = 3 * (1 - np.exp(-np.arange(FRAMES) / 2))[:, None] * [1, -0.7]
    frames = ts.phase_shift_image(picture, drift.reshape(FRAMES, 1, 1, 2))[:, 0]
    return (frames + random.normal(20, 1, frames.shape)).astype(np.float32)


def micrographs():
    """Dark discs in noise."""
    images = random.normal(5, 1, (2, SIDE, SIDE)).astype(np.float32)
    y, x = np.indices((SIDE, SIDE))
    for image in images:
        for cy in (30, 64, 98):
            for cx in (32, 70, 100):
                image -= 4 * np.exp(-((y - cy - random.uniform(-4, 4)) ** 2 + (x - cx - random.uniform(-4, 4)) ** 2) / 40)
    return images


def half_maps():
    signal = 4 * smooth((SIZE, SIZE, SIZE), 0.2)
    return [(signal + random.normal(0, 0.5, signal.shape)).astype(np.float32) for _ in range(2)]


def blobs():
    """A volume without symmetry."""
    at = np.indices((BOX, BOX, BOX))
    return sum(np.exp(-((at - np.reshape(middle, (3, 1, 1, 1))) ** 2).sum(0) / (2 * r * r)) for middle, r in
               (((16, 16, 16), 4), ((20, 10, 18), 2), ((12, 21, 14), 2.5))).astype(np.float32)


def views():
    images = np.asarray(ts.fourier_project(ts.fourier_prepare(blobs()), ts.quat_to_matrix(ROTATIONS)))
    return (images + random.normal(0, 0.5, (VIEWS, BOX, BOX))).astype(np.float32)


ANGLES = np.stack([random.uniform(-180, 180, VIEWS), random.uniform(0, 180, VIEWS), random.uniform(-180, 180, VIEWS)], 1)
ROTATIONS = np.asarray(ts.euler_to_quat(ANGLES.reshape(VIEWS, 1, 1, 3), convention="relion"))
ORIGINS = random.uniform(-3, 3, (VIEWS, 2))  # x, y; angstrom
SUBSETS = np.arange(VIEWS) % 2 + 1
SHIFTS = ORIGINS[:, ::-1].reshape(VIEWS, 1, 1, 2) * (1 / APIX)  # y, x; pixels
HALF_SETS = SUBSETS.astype(float).reshape(VIEWS, 1, 1, 1)
DEFOCI = np.round(random.uniform(1e4, 2e4, (VIEWS, 2)), 2)  # of U and V; angstrom
DEFOCI.sort(axis=1)
TILTS = np.arange(-40.0, 41, 20)
PLACES = np.array([[0, 40.25, 61.5], [1, 70, 88.75], [0, 64, 64], [1, 90.5, 33], [0, 3, 64]])  # micrograph, x, y



def ctfs():
    """A row for each view, as ctfs.star has them: the fields of a CTF up to its scale, micrometres and radians."""
    rows = np.zeros((VIEWS, 1, 1, 13))
    rows[:, 0, 0, :2] = APIX
    rows[:, 0, 0, 2] = (1e-4 * DEFOCI[:, 1] + 1e-4 * DEFOCI[:, 0]) / 2
    rows[:, 0, 0, 3] = (1e-4 * DEFOCI[:, 1] - 1e-4 * DEFOCI[:, 0]) / 2
    rows[:, 0, 0, 5:8] = 300, 0.1, 2.7
    rows[:, 0, 0, 10] = 1
    return rows


def tilt_series():
    """Bars along y that are seen at angles, and drift."""
    x = np.arange(48.0)
    images = np.zeros((len(TILTS), 40, 48), np.float32)
    for k, tilt in enumerate(np.radians(TILTS)):
        for at_x, at_z, at_y, width in ((-10, 4, 12, 2.5), (6, -5, 25, 3.5), (13, 2, 33, 2)):
            across = np.exp(-((x - 24 - k - at_x * np.cos(tilt) - at_z * np.sin(tilt)) / width) ** 2 / 2)
            along = np.exp(-((np.arange(40) - at_y) / width) ** 2 / 2)
            images[k] += np.outer(along, across).astype(np.float32)
    return images + random.normal(0, 0.1, images.shape).astype(np.float32)


ARRAYS = {"movie.mrcs": moved_frames(), "micrographs.mrcs": micrographs(), "views.mrcs": views(), "blobs.mrc": blobs(),
          "series.mrcs": tilt_series(),
          "gain.mrc": random.normal(1, 0.05, (SIDE, SIDE + 16)).astype(np.float32),
          "mask.mrc": ts.sphere((SIZE, SIZE, SIZE), 6, width=3).numpy()}
ARRAYS["half1.mrc"], ARRAYS["half2.mrc"] = half_maps()
EVENTS = [eer_writer.random_events(random, 32, 48, 0.1) for _ in range(5)]


def write_files(folder):
    """All inputs as files, with their pixel size."""
    for name, array in ARRAYS.items():
        ts.write(os.path.join(folder, name), array, APIX)
    with open(os.path.join(folder, "movie.eer"), "wb") as file:
        file.write(eer_writer.make_eer([eer_writer.encode(e, 32, 48) for e in EVENTS], 32, 48))
    ARRAYS["movie.eer"] = os.path.join(folder, "movie.eer")  # no array has events
    for k in range(2):
        ts.write(os.path.join(folder, f"micrograph{k}.mrc"), ARRAYS["micrographs.mrcs"][k], APIX)
    ts.write_star(os.path.join(folder, "places.star"), {"particles": {
        "rlnMicrographName": [f"micrograph{int(m)}.mrc" for m in PLACES[:, 0]],
        "rlnCoordinateX": PLACES[:, 1], "rlnCoordinateY": PLACES[:, 2]}})
    np.savetxt(os.path.join(folder, "series.tlt"), TILTS)
    names = [f"{i + 1:06d}@views.mrcs" for i in range(VIEWS)]
    optics = {"rlnOpticsGroup": [1], "rlnImagePixelSize": [APIX], "rlnImageSize": [BOX]}
    ts.write_star(os.path.join(folder, "ctfs.star"), {
        "optics": {**optics, "rlnVoltage": [300], "rlnSphericalAberration": [2.7], "rlnAmplitudeContrast": [0.1]},
        "particles": {"rlnImageName": names, "rlnOpticsGroup": [1] * VIEWS, "rlnDefocusU": DEFOCI[:, 1],
                      "rlnDefocusV": DEFOCI[:, 0], "rlnDefocusAngle": [0] * VIEWS}})
    ts.write_star(os.path.join(folder, "poses.star"), {
        "optics": optics,
        "particles": {"rlnImageName": names, "rlnOpticsGroup": [1] * VIEWS,
                      "rlnAngleRot": ANGLES[:, 0], "rlnAngleTilt": ANGLES[:, 1], "rlnAnglePsi": ANGLES[:, 2],
                      "rlnOriginXAngst": ORIGINS[:, 0], "rlnOriginYAngst": ORIGINS[:, 1], "rlnRandomSubset": SUBSETS}})


# ---- What the command writes, beside fields of the result ----


def image(field):
    """A file of an array: the same bytes."""
    def check(result, path):
        got, want = np.asarray(ts.read(path)), np.asarray(getattr(result, field))
        assert got.dtype == want.dtype and got.squeeze().shape == want.squeeze().shape, (got.shape, want.shape)
        assert got.tobytes() == want.tobytes(), field
    return check


def columns(table, **wanted):
    """A table of a STAR file: the same numbers in these columns, each a function of the result."""
    def check(result, path):
        rows = ts.read_star(path)[table]
        for label, function in wanted.items():
            assert np.array_equal(rows[label], function(result)), (label, rows[label], function(result))
    return check


def rows_of(table, **wanted):
    """The rows that the command prints as JSON: the same numbers under these names, each a column of the table."""
    def check(result, rows):
        for name, column in wanted.items():
            assert np.array_equal([row[name] for row in rows], getattr(result, table)[column]), name
    return check


def rounded(values, digits=2):
    """As the command rounds, halves away from 0."""
    scaled = 10.0 ** digits * np.asarray(values)
    return np.sign(scaled) * np.floor(abs(scaled) + 0.5) / 10.0 ** digits


def turned(result):
    """The rotations of templates by RELION's sign, in whole steps."""
    turn = np.rint(result.particles["angle"] * result.n_angles / (2 * np.pi)) * 360 / result.n_angles
    return np.where(turn > 180, 360 - turn, np.where(turn > 0, -turn, 0))


# ---- The jobs ----


class Case:
    """`sources` are names of files by those of arguments. The command line is that of `words`, whose results go to the files
    of `outputs`, with a check of each. `known`: the job takes a pixel size, which arrays do not have. `sunk`: the shape of
    images that go to a sink alone, an array or a file; the result has them as `sunk`, too."""

    def __init__(self, job, sources, options, words, outputs, known=True, sunk=None):
        self.job, self.sources, self.options, self.words, self.outputs = job, sources, options, words, outputs
        self.known = {"pixel_size": APIX} if known else {}
        self.sunk = sunk

    def on_arrays(self, convert=lambda array: array, **more):
        arrays = {name: ARRAYS[file] for name, file in self.sources.items()}
        given = {name: a if isinstance(a, str) else convert(a) for name, a in arrays.items()}
        if not self.sunk:
            return self.call(given, **self.known, **more)
        sink = np.empty(self.sunk, np.float32)
        result = self.call(given, sink=sink, **self.known, **more)
        result.sunk = convert(sink)
        return result

    def on_files(self, folder, **more):
        given = {name: os.path.join(folder, file) for name, file in self.sources.items()}
        if not self.sources:
            more = {**self.known, **more}  # nothing else says it
        if not self.sunk:
            return self.call(given, **more)
        path = os.path.join(folder, "sunk.mrcs")
        result = self.call(given, sink=path, overwrite=True, **more)
        result.sunk = ts.read(path, ndim=4).numpy().reshape(self.sunk)
        return result

    def call(self, sources, **more):
        return getattr(ts.jobs, self.job)(**sources, **self.options, **more)


HALVES = {"half1": "half1.mrc", "half2": "half2.mrc", "mask": "mask.mrc"}
MAPS = ["half1.mrc", "half2.mrc", "--mask", "mask.mrc"]
CASES = [
    Case("align2d", {"images": "views.mrcs"}, {"step": 0.2, "iterations": 3, "max_shift": 5.0},
         "align2d --step 0.2rad --iterations 3 --max-shift 5 views.mrcs -o average.mrc --star aligned.star".split(),
         {"average.mrc": image("average"),
          "aligned.star": columns("particles", rlnAnglePsi=lambda r: r.places["angle"] * 180 / np.pi,
                                  rlnOriginXAngst=lambda r: r.places["x"] * APIX,
                                  rlnOriginYAngst=lambda r: r.places["y"] * APIX,
                                  rlnParticleFigureOfMerit=lambda r: r.places["score"])}, known=False),
    Case("align_stack", {"images": "movie.mrcs"}, {"bfactor": 100.0, "max_shift": 9.0},
         "align movie.mrcs --bfactor 100 --max-shift 9 --json -o stack.mrcs".split(),
         {None: rows_of("shifts", image="image", x="x", y="y"), "stack.mrcs": image("sunk")}, sunk=(FRAMES, SIDE, SIDE + 16)),
    Case("align_tilt_series", {"images": "series.mrcs"}, {"tilts": TILTS, "max_shift": 9.0},
         "align series.mrcs --tilts series.tlt --max-shift 9 --json -o aligned.mrcs".split(),
         {None: rows_of("shifts", image="image", x="x", y="y"), "aligned.mrcs": image("sunk")}, known=False,
         sunk=(len(TILTS), 40, 48)),
    Case("correct_ctf", {"images": "views.mrcs"}, {"ctfs": ctfs()}, "ctf flip ctfs.star -o flipped.mrcs".split(),
         {"flipped.mrcs": image("images")}, known=False),
    Case("correct_ctf", {"images": "views.mrcs"}, {"ctfs": ctfs(), "method": "wiener", "snr": 3.0},
         "ctf wiener ctfs.star --snr 3 -o wiener.mrcs".split(), {"wiener.mrcs": image("images")}, known=False),
    Case("dose_weight_stack", {"images": "movie.mrcs"}, {"dose": 1.5, "pre": 2.0},
         "dose --dose 1.5 --pre 2 movie.mrcs -o weighted.mrcs".split(), {"weighted.mrcs": image("images")}),
    Case("dose_weight_stack", {"images": "movie.mrcs"}, {"dose": 1.5, "sum": True, "voltage": 200.0},
         "dose --dose 1.5 --sum --voltage 200 movie.mrcs -o one.mrc".split(), {"one.mrc": image("sum")}),
    Case("extract_particles", {"micrographs": "micrographs.mrcs"},
         {"coordinates": PLACES, "box": 24, "rescale": 20, "bg_radius": 7.0, "ramp": True, "invert": True, "subpixel": True},
         "extract --box 24 --rescale 20 --bg-radius 7 --ramp --invert --subpixel places.star -o boxes.mrcs".split(),
         {"boxes.mrcs": lambda result, path: same_boxes(result, path)}),
    Case("fit_ctf", {"micrographs": "micrographs.mrcs"}, {"tile": 64, "max_defocus": 2.0, "max_astigmatism": 0.1, "high": 4.0},
         "ctf fit --tile 64 --max-defocus 2um --max-astigmatism 0.1um --high 4 micrographs.mrcs -o fits.star".split(),
         {"fits.star": lambda result, path: same_fits(result, path)}),
    Case("half_map_fsc", HALVES, {"cones": 3}, ["fsc", *MAPS, "--cones", "3", "--json"], {None: lambda r, rows: same_curves(r, rows)}),
    Case("local_resolution", HALVES, {"radius": 5.0, "soft": 2.0, "step": 2},
         ["locres", *MAPS, "--radius", "5", "--soft", "2", "--step", "2", "-o", "local.mrc"], {"local.mrc": image("map")}),
    Case("make_mask", {"images": "half1.mrc"}, {"threshold": 0.5, "lowpass": 6.0, "largest": True, "extend": 1.5, "soft": 3.0},
         "mask half1.mrc --threshold 0.5 --lowpass 6 --largest --extend 1.5 --soft 3 -o around.mrc".split(),
         {"around.mrc": image("mask")}),
    Case("make_mask", {"images": "half1.mrc"}, {"sphere": [7.0], "soft": 2.0, "apply": True, "outside": 0.25},
         "mask half1.mrc --sphere 7 --soft 2 --apply --outside 0.25 -o ball.mrc".split(), {"ball.mrc": image("mask")}),
    Case("motion_correct", {"movie": "movie.mrcs", "gain": "gain.mrc"},
         {"dose": 1.5, "odd": True, "even": True, "patches": (3, 3), "always_local": True, "resolution": 3.2},
         "motion movie.mrcs --gain gain.mrc --dose 1.5 --patches 3,3 --always-local --resolution 3.2 -o sum.mrc --weighted dw.mrc "
         "--odd odd.mrc --even even.mrc --shifts shifts.star".split(),
         {"sum.mrc": image("sum"), "dw.mrc": image("weighted"), "odd.mrc": image("odd"), "even.mrc": image("even"),
          "shifts.star": columns("global_shift", rlnMicrographShiftX=lambda r: r.shifts["x"],
                                 rlnMicrographShiftY=lambda r: r.shifts["y"])}),
    Case("pick", {"micrographs": "micrographs.mrcs"}, {"diameter": 16.0, "bin": 1.5, "threshold": 2.0},
         "pick --diameter 16 --bin 1.5 --threshold 2 micrographs.mrcs -o picked.star".split(),
         {"picked.star": columns("particles", rlnCoordinateX=lambda r: r.particles["x"],
                                 rlnCoordinateY=lambda r: r.particles["y"],
                                 rlnAutopickFigureOfMerit=lambda r: r.particles["score"])}),
    Case("pick", {"micrographs": "micrographs.mrcs", "templates": "views.mrcs"}, {"bin": 2.0, "step": 1.0, "max": 5, "threshold": 1.0, "template_pixel_size": APIX},
         "pick --templates views.mrcs --template-pixel-size 1.5 --bin 2 --step 1rad --max 5 --threshold 1 micrographs.mrcs -o found.star".split(),
         {"found.star": columns("particles", rlnCoordinateX=lambda r: r.particles["x"],
                                rlnClassNumber=lambda r: r.particles["template"] + 1, rlnAnglePsi=turned)}),
    Case("project_map", {"map": "blobs.mrc"}, {"rotations": ROTATIONS, "shifts": SHIFTS},
         "project --angles poses.star blobs.mrc -o projected.mrcs".split(), {"projected.mrcs": image("images")}),
    Case("reconstruct", {"images": "views.mrcs"},
         {"rotations": ROTATIONS, "shifts": SHIFTS, "halves": HALF_SETS, "sym": "C2"},
         "reconstruct --sym C2 poses.star --half-maps h{half}.mrc -o map.mrc".split(),
         {"map.mrc": image("map"), "h1.mrc": image("half1"), "h2.mrc": image("half2")}),
    Case("reconstruct_tilt_series", {"images": "series.mrcs"}, {"tilts": TILTS, "depth": 20.0},
         "backproject --angles series.tlt --depth 20 series.mrcs -o tomogram.mrc".split(), {"tomogram.mrc": image("volume")},
         known=False),
    Case("refine", {"images": "views.mrcs", "reference": "blobs.mrc"},
         {"rotations": ROTATIONS, "shifts": SHIFTS, "halves": HALF_SETS, "global_iterations": 0, "iterations": 2, "cutoff": APIX / 9},
         "refine poses.star --reference blobs.mrc --global 0 --iterations 2 --lowpass 9 --half-maps r{half}.mrc --star refined.star "
         "-o refined.mrc".split(),
         {"refined.mrc": image("map"), "r1.mrc": image("half1"), "r2.mrc": image("half2"),
          "refined.star": columns("particles", rlnOriginXAngst=lambda r: np.reshape(r.shifts, (VIEWS, 2))[:, 1] * APIX,
                                  rlnOriginYAngst=lambda r: np.reshape(r.shifts, (VIEWS, 2))[:, 0] * APIX)}),
    Case("render_eer", {"movie": "movie.eer"}, {}, "eer movie.eer -o rendered.npy".split(), {"rendered.npy": image("images")},
         known=False),
    Case("sharpen", HALVES, {"bfactor": -60.0, "apply_mask": True},
         ["sharpen", *MAPS, "--bfactor", "-60", "--apply-mask", "-o", "sharp.mrc"], {"sharp.mrc": image("map")}),
    Case("simulate_atoms", {}, {"box": 20, "atoms": 25, "sigma": 1.1, "seed": 3},
         "simulate atoms --box 20 --atoms 25 --sigma 1.1 --seed 3 --apix 1.5 -o structure.mrc --star atoms.star".split(),
         {"structure.mrc": image("map"),
          "atoms.star": columns("atoms", **{f"rlnCoordinate{axis.upper()}": lambda r, axis=axis: r.positions[axis] for axis in "xyz"})}),
    Case("simulate_movie", {"map": "blobs.mrc"},
         {"defocus": 1.4, "size": (60, 70), "frames": 3, "count": 2, "local": 2.0, "gain": True, "seed": 4},
         "simulate movie blobs.mrc --defocus 1.4um --size 70,60 --frames 3 --count 2 --local 2 --gain sensitivity.mrc --seed 4 "
         "-o simulated.mrcs --star simulated.star".split(),
         {"simulated.mrcs": image("movie"), "sensitivity.mrc": image("gain"),
          "simulated.star": columns("global_shift", rlnMicrographShiftX=lambda r: r.shifts["x"],
                                    rlnMicrographShiftY=lambda r: r.shifts["y"])}),
    Case("simulate_particles", {"map": "blobs.mrc"}, {"count": 7, "snr": 0.4, "shift": 2.0, "seed": 7},
         "simulate particles blobs.mrc --count 7 --snr 0.4 --shift 2 --seed 7 -o particles.mrcs --star particles.star".split(),
         {"particles.mrcs": image("images"),
          "particles.star": columns("particles", rlnAngleRot=lambda r: r.particles["rot"], rlnAngleTilt=lambda r: r.particles["tilt"],
                                    rlnOriginXAngst=lambda r: r.particles["origin_x"],
                                    rlnRandomSubset=lambda r: r.particles["half"])}),
    Case("stack_histogram", {"images": "movie.mrcs"}, {"bins": 9, "low": 10.0, "high": 30.0},
         "stats movie.mrcs --hist 9 --range 10,30 --json".split(),
         {None: rows_of("histogram", **{"from": "from", "to": "to", "count": "count"})}, known=False),
    Case("stack_statistics", {"images": "movie.mrcs"}, {"of": "image"}, "stats --each movie.mrcs --json".split(),
         {None: lambda result, rows: same_statistics(result, rows)}, known=False),
]


def same_boxes(result, path):
    """The command goes through the micrographs one by one, in the order of the list."""
    order = np.argsort(PLACES[result.particles["row"].astype(int), 0], kind="stable")
    got = np.asarray(ts.read(path, ndim=4))
    assert got.tobytes() == np.asarray(result.boxes)[order].tobytes()


def same_fits(result, path):
    rows, table = ts.read_star(path)["micrographs"], result.table
    fits = np.asarray(result.fits).reshape(-1, 17)
    assert len(rows["rlnDefocusU"]) == result.n_fitted
    fitted = np.isfinite(fits[:, 2])
    for label, want in (("rlnDefocusU", rounded(1e4 * (fits[:, 2] + fits[:, 3]))),
                        ("rlnDefocusV", rounded(1e4 * (fits[:, 2] - fits[:, 3]))),
                        ("rlnCtfFigureOfMerit", rounded(table["score"], 6)),
                        ("tessDefocusError", rounded(1e4 * table["defocus_error"]))):
        assert np.array_equal(rows[label], want[fitted]), (label, rows[label], want)


def same_curves(result, rows):
    """With cones, the command prints those of each."""
    curves = np.asarray(result.all).reshape(4, -1, result.n_shells)[:, 1:]
    for name, curve in zip(("unmasked", "masked", "randomised", "corrected"), curves):
        assert np.array_equal([row[name] for row in rows], curve.ravel()), name


def same_statistics(result, rows):
    """The command prints extrema with the digits of an f32."""
    table = result.statistics
    rows_of("statistics", mean="mean", sd="sd", n="n", nan="n_nan", inf="n_inf")(result, rows)
    for name in ("min", "max"):
        assert np.array_equal(np.float32([row[name] for row in rows]), table[name]), name
        places = [table[f"{name}_{axis}"] for axis in ("x", "y", "image")]
        assert np.array_equal([row["arg" + name] for row in rows], np.stack(places, axis=1)), name
