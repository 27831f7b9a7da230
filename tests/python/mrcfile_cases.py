#!/usr/bin/env python3
"""Cases that mrcfile tests itself with, read here: good files, files with a fault in each field, both byte orders, compressed
ones. mrcfile, where a case has a right answer, says it. mrcfile_cases.py BUILD"""
import bz2
import gzip
import io
import os
import pathlib
import struct
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, raises, test

import numpy as np

import tessera as ts

try:
    import mrcfile
except ImportError:
    print("SKIPPED cases of mrcfile: it is not installed\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)

folder = tempfile.TemporaryDirectory()
rng = np.random.default_rng(29)
FIELDS = {"nx": 0, "ny": 4, "nz": 8, "mode": 12, "mx": 28, "my": 32, "mz": 36, "mapc": 64, "mapr": 68, "maps": 72, "ispg": 88,
          "nsymbt": 92, "nversion": 108, "nlabl": 220}  # 4-byte integers by their offsets
FLOATS = {"xlen": 40, "ylen": 44, "zlen": 48, "dmin": 76, "dmax": 80, "dmean": 84, "rms": 216}
TEXTS = {"exttyp": 104, "map": 208, "machst": 212, "label0": 224, "label1": 304, "label2": 384}


def path(name):
    return os.path.join(folder.name, name)


def header(data, order="<", **fields):
    """1024 bytes, written by hand from the table of MRC2014."""
    mode = {"i1": 0, "i2": 1, "f4": 2, "c8": 4, "u2": 6, "f2": 12}[data.dtype.str[1:]]
    nz, ny, nx = (1,) * (3 - data.ndim) + data.shape[-3:] if data.ndim < 4 else (data.shape[0] * data.shape[1],) + data.shape[2:]
    stacked = {2: (0, 1), 3: (1, nz), 4: (401, data.shape[1] if data.ndim == 4 else 0)}[data.ndim]
    real = np.abs(data).astype(np.float64) if data.dtype.kind == "c" else data.astype(np.float64)
    values = {"nx": nx, "ny": ny, "nz": nz, "mode": mode, "mx": nx, "my": ny, "mz": stacked[1], "mapc": 1, "mapr": 2, "maps": 3,
              "ispg": stacked[0], "nversion": 20141, "nlabl": 1, "xlen": 1.5 * nx, "ylen": 1.5 * ny, "zlen": 1.5 * stacked[1],
              "dmin": real.min(), "dmax": real.max(), "dmean": real.mean(), "rms": real.std(), "map": b"MAP ",
              "machst": b"\x44\x44\0\0" if order == "<" else b"\x11\x11\0\0", "label0": b"a label".ljust(80)}
    made = bytearray(1024)
    struct.pack_into(order + "3f", made, 52, 90, 90, 90)
    for name, value in {**values, **fields}.items():
        if name in TEXTS:
            made[TEXTS[name]:TEXTS[name] + len(value)] = value
        else:
            struct.pack_into(order + ("i" if name in FIELDS else "f"), made, {**FIELDS, **FLOATS}[name], value)
    return bytes(made)


def put(name, data, order="<", extended=b"", tail=b"", **fields):
    content = header(data, order, **{"nsymbt": len(extended), **fields}) + extended
    content += data.astype(data.dtype.newbyteorder(order)).tobytes() + tail
    with open(path(name), "wb") as file:
        file.write(content)
    return path(name)


def cut(name, n):
    with open(path(name), "r+b") as file:
        file.truncate(os.path.getsize(path(name)) - n)
    return path(name)


def numbers(dtype, *shape):
    values = rng.integers(-100, 100, shape) if np.dtype(dtype).kind == "i" else rng.uniform(0, 100, shape)
    return values.astype(dtype)


def theirs(name, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with mrcfile.open(name, **options) as f:
            return None if f.data is None else np.array(f.data)


def is_valid_for_them(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mrcfile.validate(name, print_file=io.StringIO())


volume = numbers("f4", 3, 4, 5)

# ---- Data ----


@test
def every_mode_in_both_byte_orders():
    for dtype in "i1 i2 f4 c8 u2 f2".split():
        for order in "<>":
            for shape in ((4, 5), (3, 4, 5), (2, 3, 4, 5), (1, 1), (1, 4, 5)):
                data = numbers(dtype, *shape)
                name = put("modes.mrc", data, order)
                got = ts.read(name, ndim=max(data.ndim, 2)) if data.ndim < 4 else ts.read(name)
                np.testing.assert_array_equal(got.numpy().reshape(shape), data)
                np.testing.assert_array_equal(got.numpy().reshape(shape), theirs(name).reshape(shape))
                assert got.numpy().dtype == data.dtype and ts.info(name).big_endian == (order == ">")


@test
def what_is_read_may_be_changed():
    x = ts.read(put("change.mrc", volume))
    a = x.numpy()
    assert not x.read_only and a.flags.writeable
    a[...] = 7
    np.testing.assert_array_equal(ts.read(path("change.mrc")), volume)


@test
def stamps_and_names_of_the_format():
    for stamp in (b"\x44\x44\0\0", b"\x44\x41\0\0"):
        np.testing.assert_array_equal(ts.read(put("stamp.mrc", volume, machst=stamp)), volume)
    name = put("short.mrc", volume, map=b"MAP\0")  # as MotionCor2 writes it
    np.testing.assert_array_equal(ts.read(name), theirs(name))
    assert not ts.check(name) and not is_valid_for_them(name)


@test
def volumes_stacks_and_their_axes():
    assert ts.read(put("a.mrc", volume)).shape == (3, 4, 5) and ts.open(path("a.mrc")).header.sections == "volume"
    assert ts.read(put("b.mrc", volume, ispg=0, mz=1)).shape == (3, 4, 5) and ts.info(path("b.mrc")).sections == "stack"
    assert ts.read(put("c.mrc", numbers("f4", 2, 3, 4, 5))).shape == (2, 3, 4, 5)
    assert ts.read(put("d.mrc", volume[0])).shape == (4, 5)


@test
def sizes_of_pixels_labels_and_extended_headers():
    name = put("e.mrc", volume, extended=b"X,  Y,  Z".ljust(80), exttyp=b"CCP4", xlen=5 * 1.1, label1=b"two".ljust(80), nlabl=2)
    with ts.open(name) as f, mrcfile.open(name) as g:
        np.testing.assert_allclose(f.voxel_size, (g.voxel_size.z, g.voxel_size.y, g.voxel_size.x), rtol=1e-6)
        assert f.header.extended == g.extended_header.tobytes() and f.header.extended_type == "CCP4"
        assert f.header.labels == ["a label", "two"] and f.header.mode == 2
        np.testing.assert_array_equal(f.read(), volume)
    assert ts.info(put("f.mrc", volume)).extended_size == 0 and ts.open(path("f.mrc")).header.extended == b""


@test
def statistics_of_the_header_are_those_of_the_data():
    h = ts.info(put("s.mrc", volume))
    np.testing.assert_allclose((h.min, h.max, h.mean, h.std), (volume.min(), volume.max(), volume.mean(), volume.std()), rtol=1e-5)


@test
def parts_and_maps():
    name = put("parts.mrc", volume)
    with mrcfile.mmap(name) as g, ts.open(name) as f:
        np.testing.assert_array_equal(f[1:, ::2, -1], g.data[1:, ::2, -1])
        np.testing.assert_array_equal(f.map(), g.data)
        np.testing.assert_array_equal(f.read(), f.read())
        assert f.shape == g.data.shape and repr(name) in repr(f)


# ---- Compressed files, paths ----


@test
def compressed_files_by_what_they_hold():
    plain = open(put("plain.mrc", volume), "rb").read()
    for name, pack in (("x.mrc.gz", gzip.compress), ("x.mrc.bz2", bz2.compress), ("no_end_gz", gzip.compress), ("no_end_bz", bz2.compress)):
        with open(path(name), "wb") as file:
            file.write(pack(plain))
        np.testing.assert_array_equal(ts.read(path(name)), volume)
        np.testing.assert_array_equal(ts.read(path(name)), theirs(path(name)))
        assert bool(ts.check(path(name))) == is_valid_for_them(path(name))
        with open(path(name), "wb") as file:
            file.write(pack(b"this is text, and no map" * 100))
        raises(ValueError, "", ts.read, path(name))
        with open(path(name), "wb") as file:
            file.write(pack(plain)[:-20])
        raises(ts.Error, "", ts.read, path(name))


@test
def names_that_are_paths():
    name = pathlib.Path(put("a path.mrc", volume))
    np.testing.assert_array_equal(ts.read(name), volume)
    with ts.open(name) as f:
        assert "a path.mrc" in repr(f)
    for function in (ts.read, ts.open, ts.info, ts.check):
        raises(FileNotFoundError, "No such file", function, "no_file")


@test
def nothing_is_written_over():
    name = put("there.mrc", volume)
    raises(FileExistsError, "already exists", ts.write, name, volume)
    raises(FileExistsError, "already exists", ts.write, name, volume, overwrite=False)
    ts.write(name, volume * 2, overwrite=True)
    np.testing.assert_array_equal(ts.read(name), volume * 2)
    for end in ("", ".gz", ".bz2"):
        half = volume.astype(np.float16)
        ts.write(path("half.mrc" + end), half, voxel_size=1.1)
        np.testing.assert_array_equal(theirs(path("half.mrc" + end)), half)
        with mrcfile.open(path("half.mrc" + end)) as g:
            assert abs(g.voxel_size.x - 1.1) < 1e-6 and abs(g.voxel_size.z - 1.1) < 1e-6


# ---- Faults ----


@test
def files_that_are_none():
    with open(path("zeros.mrc"), "wb") as file:
        file.write(bytes(1023))
    raises(ts.FormatError, "zeros.mrc", ts.read, path("zeros.mrc"))
    raises(ts.UnsupportedError, "MODE is 10", ts.read, put("mode.mrc", volume, mode=10))
    raises(ValueError, "mode", theirs, path("mode.mrc"))
    from_text = path("text.mrc")
    with open(from_text, "w") as file:
        file.write("no map\n" * 400)
    raises(ts.FormatError, "text.mrc", ts.read, from_text)


@test
def files_of_wrong_lengths():
    np.testing.assert_array_equal(ts.read(put("long.mrc", volume, tail=b"12345678")), volume)
    assert any("8 more than" in w for w in ts.info(path("long.mrc")).warnings), ts.info(path("long.mrc")).warnings
    put("cut.mrc", volume)
    raises(ValueError, "", theirs, cut("cut.mrc", 1))
    raises(ts.FormatError, "cut.mrc", ts.read, path("cut.mrc"))
    put("extended.mrc", volume, extended=bytes(24), exttyp=b"CCP4")
    raises(ValueError, "", theirs, cut("extended.mrc", volume.nbytes + 1))
    raises(ts.FormatError, "extended.mrc", ts.read, path("extended.mrc"))


@test
def sizes_beyond_all_memory():
    most = 2**31 - 1
    for nz in (1, 2, most):
        name = put("huge.mrc", volume.astype("i1"), nx=most, ny=most, nz=nz, mx=most, my=most, mz=nz)
        raises(ts.Error, "huge.mrc", ts.read, name)
        assert not ts.check(name)
    for field in ("nx", "ny", "nz"):
        raises(ts.FormatError, field.upper(), ts.read, put("negative.mrc", volume, **{field: -3}))


@test
def the_same_files_are_valid():
    """One fault each; the name of the field is in what is found."""
    good = put("good.mrc", volume)
    assert ts.check(good) and is_valid_for_them(good)
    faults = [({"mx": -10}, "mx"), ({"my": -10}, "my"), ({"mz": -10}, "mz"), ({"ispg": -10}, "ispg"), ({"nlabl": -3}, "nlabl"),
              ({"xlen": -10.0}, "cell"), ({"ylen": -1.0}, "cell"), ({"mapc": 3, "mapr": 4, "maps": -200}, "map"),
              ({"mapc": 1, "mapr": 1, "maps": 3}, "map"), ({"nlabl": 3}, "nlabl"), ({"nlabl": 0}, "nlabl"),
              ({"label2": b"third".ljust(80), "nlabl": 2}, "label"), ({"nversion": 20139}, "nversion"), ({"nversion": 0}, "nversion"),
              ({"dmin": -1e6}, "dmin"), ({"dmax": 1e6}, "dmax"), ({"dmean": 1e6}, "dmean"), ({"rms": 1e6}, "rms"),
              ({"map": b"fake"}, "map"), ({"machst": b"    "}, "machst"), ({"mode": 8}, "mode"), ({"nz": 2}, ""), ({"nz": 4}, "")]
    for fields, word in faults:
        name = put("fault.mrc", volume, **fields)
        report = ts.check(name)
        assert not report and not is_valid_for_them(name), (fields, report)
        told = " ".join(f"{f.field} {f.text}" for f in report.findings).lower()
        assert word in told, (fields, told)
    assert ts.check(put("old.mrc", volume, nversion=20140)) and is_valid_for_them(path("old.mrc"))
    for exttyp in (b"", b"Fake"):
        name = put("type.mrc", volume, extended=bytes(80), exttyp=exttyp)
        assert not ts.check(name) and not is_valid_for_them(name)
    assert ts.check(put("typed.mrc", volume, extended=bytes(80), exttyp=b"CCP4")) and is_valid_for_them(path("typed.mrc"))


@test
def stacks_of_volumes_have_whole_volumes():
    volumes = numbers("f4", 3, 2, 4, 5)
    for mz, good in ((2, True), (5, False), (3, True)):
        name = put("volumes.mrc", volumes, mz=mz, zlen=1.5 * mz)
        assert bool(ts.check(name)) == is_valid_for_them(name) == good, mz


finish()
