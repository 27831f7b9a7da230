#!/usr/bin/env python3
"""Arrays in files, beside mrcfile and NumPy both ways; parts of files beside the whole; what goes wrong. files.py BUILD"""
import io
import os
import sys
import tempfile
import threading
import time
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import SAMPLE, Skip, finish, raises, test

import mrcfile
import numpy as np

import tessera as ts

folder = tempfile.TemporaryDirectory()
rng = np.random.default_rng(11)


def path(name):
    return os.path.join(folder.name, name)


def numbers(*shape, dtype=np.float32):
    """Of unsigned dtypes none is negative: what becomes of those is C's choice."""
    made = rng.normal(size=shape) * 5
    return (np.abs(made) if np.dtype(dtype).kind == "u" else made).astype(dtype)


def same(ours, theirs):
    ours = np.asarray(ours)
    assert ours.shape == theirs.shape, f"{ours.shape} and {theirs.shape}"
    assert ours.dtype == theirs.dtype, f"{ours.dtype} and {theirs.dtype}"
    np.testing.assert_array_equal(ours, theirs)


# ---- Into arrays of the caller's ----


@test
def out_is_written_or_rejected():
    data = numbers(4, 5, 6)
    ts.write(path("out.mrc"), data, overwrite=True)
    out = np.zeros((4, 5, 6), np.float32)
    assert ts.read(path("out.mrc"), out=out) is out
    np.testing.assert_array_equal(out, data)
    turned = np.zeros((6, 5, 4), np.float32).T
    ts.read(path("out.mrc"), out=turned)
    np.testing.assert_array_equal(turned, data)
    raises(ValueError, "read: out is byte-swapped", ts.read, path("out.mrc"), out=np.zeros((4, 5, 6), ">f4"))
    raises(TypeError, "read: out is of type <class 'list'>", ts.read, path("out.mrc"), out=data.tolist())


@test
def what_a_file_does_not_hold_is_a_warning():
    for data, dtype, text in ((np.array([[1e300, -1e39, np.inf]]), None, "2 of 3 values are outside the range of f32"),
                              (np.array([[2.0**24 + 1, 0.1]]), None, "1 integer has more digits than f32"),
                              (np.array([[2**24 + 1, 2**62 - 1]]), None, "2 integers have more digits than f32"),
                              (np.array([[7e4]], np.float32), "f16", "1 of 1 values are outside the range of f16"),
                              (np.array([[300.0, 3]]), "i8", "1 of 2 values are outside the range of i8"),
                              (np.array([[np.nan, 3]]), "i8", "1 value was NaN and became 0")):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ts.write(path("lossy.mrc"), data, dtype=dtype, overwrite=True)
        assert len(caught) == 1 and caught[0].category is RuntimeWarning, [str(w.message) for w in caught]
        assert text in str(caught[0].message) and caught[0].filename == __file__, str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.write(path("lossy.mrc"), numbers(5, 6, dtype=np.float64), overwrite=True)
        raises(RuntimeWarning, "became infinite", ts.write, path("lossy.mrc"), np.array([[1e300]]), overwrite=True)


@test
def regions_are_checked_below_as_well():
    ts.write(path("low.mrc"), numbers(5, 6), overwrite=True)
    with ts.open(path("low.mrc")) as f:
        region = ((0, 1, 1), (0, 1, 1), (0, 5, 1), (0, 6, 1))
        raises(TypeError, "expected an Array of the region", f._file.read, region, 5)
        raises(TypeError, "expected an Array of the region", f._file.read, region, ts.zeros((3, 3)))
        same(f._file.read(region).reshape(5, 6), f.read().numpy())
    raises(ValueError, "the file is closed", f._file.read, region)


@test
def space_groups_have_a_range():
    raises(ValueError, "write: space_group is 4294967297", ts.write, path("group.mrc"), numbers(4, 4), space_group=2**32 + 1)
    raises(ValueError, "write: space_group is", ts.write, path("group.mrc"), numbers(4, 4), space_group=2**70)


# ---- Beside mrcfile ----


def labels_of(theirs):
    return [label.rstrip() for label in theirs.get_labels()]


@test
def what_mrcfile_writes_is_read():
    for dtype in ("i1", "i2", "u2", "f2", "f4", "c8"):
        for shape in ((9, 13), (5, 9, 13), (1, 8, 8), (2, 3, 4, 5)):
            data = numbers(*shape, dtype=dtype)
            with mrcfile.new(path("theirs.mrc"), overwrite=True) as f:
                f.set_data(data)
                f.voxel_size = 1.25
            expected = data if shape[0] > 1 or len(shape) < 3 else data[0]
            same(ts.read(path("theirs.mrc")), expected)
            header = ts.info(path("theirs.mrc"))
            np.testing.assert_allclose(header.voxel_size[1:], 1.25, rtol=1e-6)
            same(ts.read(path("theirs.mrc"), ndim=4).numpy().reshape(shape), data)


@test
def what_is_written_mrcfile_reads_and_finds_valid():
    for dtype in ("i1", "i2", "u2", "f2", "f4", "c8", "f8", "i4", "u1", "?"):
        for shape in ((9, 13), (5, 9, 13), (2, 3, 4, 5)):
            data = numbers(*shape, dtype=dtype)
            ts.write(path("ours.mrc"), data, 1.25, overwrite=True, labels=["a label"])
            said = io.StringIO()
            assert mrcfile.validate(path("ours.mrc"), print_file=said), said.getvalue()
            with mrcfile.open(path("ours.mrc")) as f:
                np.testing.assert_array_equal(f.data, data.astype(f.data.dtype))
                assert f.data.shape == shape
                np.testing.assert_allclose(float(f.voxel_size.x), 1.25, rtol=1e-6)
                assert labels_of(f) == ["a label"]
                assert f.is_volume() == (len(shape) == 3)
            assert ts.check(path("ours.mrc"))


@test
def stacks_are_stacks_and_volumes_volumes():
    data = numbers(6, 8, 10)
    for name, options, sections in (("a.mrcs", {}, "stack"), ("a.st", {}, "stack"), ("a.mrc", {}, "volume"),
                                    ("a.rec", {}, "volume"), ("b.mrc", {"as_": "stack"}, "stack"),
                                    ("b.mrcs", {"as_": "volumes", "depth": 3}, "volumes")):
        ts.write(path(name), data, overwrite=True, **options)
        with mrcfile.open(path(name)) as f:
            assert {"stack": f.is_image_stack, "volume": f.is_volume, "volumes": f.is_volume_stack}[sections](), name
        assert ts.info(path(name)).sections == sections, name
        expected = data.reshape(2, 3, 8, 10) if sections == "volumes" else data
        same(ts.read(path(name)), expected)
    same(ts.read(path("a.mrc"), ndim=4), data[None])
    same(ts.read(path("a.mrcs"), ndim=4), data[:, None])
    same(ts.read(path("a.mrc"), as_="stack", ndim=4), data[:, None])


@test
def voxel_sizes_are_numbers_or_of_axes():
    data = numbers(3, 4, 5)
    for given, expected in ((2, (2, 2, 2)), ((3.0, 2.0, 1.5), (3, 2, 1.5)), (np.array([1.5, 2, 4]), (1.5, 2, 4))):
        ts.write(path("v.mrc"), data, voxel_size=given, overwrite=True)
        assert ts.open(path("v.mrc")).voxel_size == tuple(map(float, expected))
    with mrcfile.open(path("v.mrc")) as f:
        theirs = f.voxel_size
    ts.write(path("v2.mrc"), data, apix=theirs)
    assert ts.info(path("v2.mrc")).voxel_size == (1.5, 2.0, 4.0)
    raises(ValueError, "voxel_size and apix", ts.write, path("v3.mrc"), data, voxel_size=1, apix=1)
    raises(ValueError, "voxel_size is 'wide'", ts.write, path("v3.mrc"), data, voxel_size="wide")
    raises(ValueError, "numbers of z, y and x", ts.write, path("v3.mrc"), data, voxel_size=(1, 2, 3, 4))


@test
def headers_go_from_file_to_file():
    data = numbers(4, 6, 6)
    ts.write(path("h1.mrc"), data, 1.5, origin=(3, 2, 1), labels=["one", "two"], space_group=19)
    with ts.open(path("h1.mrc")) as f:
        header, again = f.header, f.read()
    ts.write(path("h2.mrc"), again, header=header, label="three")
    with mrcfile.open(path("h2.mrc")) as f:
        assert labels_of(f) == ["one", "two", "three"]
        assert (float(f.header.origin.x), float(f.header.origin.z), int(f.header.ispg)) == (1, 3, 19)
    header.labels, header.pixel_size = ["other"], (2.0, 2.0, 2.0)
    ts.write(path("h3.mrc"), again, header=header)
    changed = ts.info(path("h3.mrc"))
    assert changed.labels == ["other"] and changed.voxel_size == (2, 2, 2) and changed.origin == (3, 2, 1)
    assert "pixel_size=(2.0, 2.0, 2.0)" in repr(changed)
    header.pixel_size = np.array([1, 2, 4])
    ts.write(path("h4.mrc"), again, header=header)
    assert ts.info(path("h4.mrc")).voxel_size == (1, 2, 4)
    header.start = "here"
    raises(ValueError, "header.start is 'here'", ts.write, path("h5.mrc"), again, header=header)
    assert abs(changed.mean - data.mean()) < 1e-3 and changed.mode == 2 and changed.format == "mrc"


@test
def extended_headers_are_bytes_and_records():
    record = np.zeros(4, dtype=[("tilt", "<i2"), ("dose", "<f4")])  # SerialEM's: flags 1 and 32
    record["tilt"] = [-300, 0, 300, 600]
    with mrcfile.new(path("seri.mrc"), overwrite=True) as f:
        f.set_data(numbers(4, 5, 6))
        f.set_image_stack()
        f.set_extended_header(record)
        f.header.exttyp = b"SERI"
    with ts.open(path("seri.mrc")) as f:
        assert f.header.extended == record.tobytes()
        assert f.header.extended_type == "SERI" and f.header.extended_size == record.nbytes
        assert isinstance(f.section(0), dict)
        raises(ts.Error, "section", f.section, 4)
        header, data = f.header, f.read()
    ts.write(path("seri2.mrcs"), data, header=header)
    with ts.open(path("seri2.mrcs")) as f:
        assert f.header.extended == record.tobytes()
    ts.write(path("seri3.mrcs"), data[:2], header=header)
    assert ts.info(path("seri3.mrcs")).extended_size == 0  # records of other sections


# ---- Beside NumPy ----


@test
def arrays_of_numpy_files_keep_their_axes():
    for shape in ((7,), (1, 7), (4, 5), (3, 4, 5), (1, 4, 5), (2, 3, 4, 5), (1, 1, 1, 2)):
        for dtype in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 ?".split():
            data = numbers(*shape, dtype=dtype)
            ts.write(path("ours.npy"), data, overwrite=True)
            same(np.load(path("ours.npy")), data)
            np.save(path("theirs.npy"), data)
            same(ts.read(path("theirs.npy")), data)
    np.save(path("scalar.npy"), np.float32(3))
    assert ts.read(path("scalar.npy")).shape == () and ts.read(path("scalar.npy")).item() == 3


@test
def npz_files_have_members():
    a, b = numbers(4, 5), numbers(3, dtype="f8")
    np.savez(path("theirs.npz"), a=a, b=b)
    same(ts.read(path("theirs.npz") + ":a"), a)
    same(ts.read(path("theirs.npz"), member="b"), b)
    raises(ts.Error, "theirs.npz", ts.read, path("theirs.npz"))
    ts.write(path("ours.npz"), a, member="x")
    same(np.load(path("ours.npz"))["x"], a)


@test
def too_few_axes_for_an_array_are_an_error():
    data = numbers(3, 4, 5)
    raises(ts.ShapeError, "rank is 2, but the array is {1,3,4,5}; expected 3 or more",
           ts.write, path("rank.npy"), data, rank=2)
    raises(ts.Error, "rank is 5", ts.write, path("rank.npy"), data, rank=5)


@test
def pictures_are_read_and_written():
    try:
        from PIL import Image
    except ImportError:
        raise Skip("Pillow is not installed")
    data = rng.integers(0, 255, (20, 31)).astype(np.uint8)
    ts.write(path("p.png"), data)
    same(np.asarray(Image.open(path("p.png")))[::-1], data)  # row 0 is at the bottom
    ts.write(path("q.png"), data, keep_rows=True)
    same(np.asarray(Image.open(path("q.png"))), data)
    stack = numbers(4, 6, 7)
    ts.write(path("p.tif"), stack, apix=1.5)
    same(ts.read(path("p.tif")), stack)
    import tifffile
    same(tifffile.imread(path("p.tif"))[:, ::-1], stack)
    tifffile.imwrite(path("q.tif"), stack, photometric="minisblack")
    same(ts.read(path("q.tif"), keep_rows=True), stack)


@test
def raw_bytes_need_a_shape():
    data = numbers(6, 5, dtype=">i2")
    data.tofile(path("x.raw"))
    same(ts.read(path("x.raw"), shape=(6, 5), raw_dtype="i16", big_endian=True), data.astype("i2"))
    raises(ts.Error, "unknown format", ts.read, path("x.raw"))
    raises(ts.Error, "shape", ts.read, path("x.raw"), format="raw", raw_dtype="i16")


@test
def any_layout_is_written_and_read_into():
    data = numbers(8, 9, 10)
    for view in (data[::2, ::-1], data.transpose(2, 0, 1), data[:, 3:7, ::3], np.broadcast_to(data[:1], data.shape)):
        ts.write(path("layout.mrc"), view, overwrite=True)
        same(ts.read(path("layout.mrc")), view)
        target = np.zeros(view.shape[::-1], "f8").T
        assert ts.read(path("layout.mrc"), out=target) is target
        np.testing.assert_array_equal(target, view)
    raises(ValueError, "out has the shape (3, 3)", ts.read, path("layout.mrc"), out=np.zeros((3, 3)))
    frozen = np.zeros(data.shape)
    frozen.flags.writeable = False
    raises(ValueError, "read-only", ts.read, path("layout.mrc"), out=frozen)
    raises(TypeError, "object", ts.write, path("no.mrc"), object())


@test
def dtypes_are_converted_on_the_way():
    data = numbers(5, 6)
    ts.write(path("d.mrc"), data, dtype="i16")
    same(ts.read(path("d.mrc")), np.rint(data).astype("i2"))
    same(ts.read(path("d.mrc"), dtype=np.float64), np.rint(data).astype("f8"))
    assert ts.open(path("d.mrc"), dtype="f32").dtype == "f32" and ts.open(path("d.mrc")).dtype == "i16"
    for end in (".gz", ".bz2"):
        ts.write(path("d.mrc" + end), data)
        same(ts.read(path("d.mrc" + end)), data)


# ---- Parts ----


def random_part(n):
    if rng.random() < 0.35:
        return int(rng.integers(-n, n))
    ends = [None if rng.random() < 0.3 else int(rng.integers(-n - 2, n + 3)) for _ in range(2)]
    return slice(*ends, [None, 1, 2, 3, -1, -2][rng.integers(6)])


def random_key(shape):
    """Indices and slices of the first axes, and behind an ellipsis, of the last."""
    first = int(rng.integers(0, len(shape) + 1))
    key = [random_part(n) for n in shape[:first]]
    if rng.random() < 0.4:
        last = int(rng.integers(0, len(shape) - first + 1))
        key += [...] + [random_part(n) for n in shape[len(shape) - last:]]
    return key[0] if len(key) == 1 else tuple(key)


@test
def parts_are_those_of_the_whole():
    stack, four = numbers(9, 14, 11), numbers(3, 4, 6, 5, dtype="i2")
    ts.write(path("s.mrcs"), stack)
    ts.write(path("s.mrcs.gz"), stack)
    ts.write(path("s.tif"), stack, overwrite=True)
    ts.write(path("s.map"), stack, big_endian=True)
    np.save(path("s.npy"), np.asfortranarray(stack))
    ts.write(path("four.mrc"), four)
    ts.write(path("image.mrc"), stack[0])
    for name, whole in (("s.mrcs", stack), ("s.mrcs.gz", stack), ("s.tif", stack), ("s.map", stack), ("s.npy", stack),
                        ("four.mrc", four), ("image.mrc", stack[0])):
        with ts.open(path(name)) as f:
            assert f.shape == whole.shape and len(f) == len(whole) and f.ndim == whole.ndim
            for _ in range(max(20, 150 // SAMPLE)):
                key = random_key(whole.shape)
                part, expected = np.asarray(f[key]), whole[key]
                assert part.shape == expected.shape and (part == expected).all(), (name, key)
            for ours, theirs in zip(f, whole):
                same(ours, theirs)
            same(np.asarray(f), whole)


@test
def only_the_sections_asked_for_are_read():
    data = numbers(64, 64, 64)
    ts.write(path("big.mrc"), data)
    with ts.open(path("big.mrc")) as f:
        os.truncate(path("big.mrc"), 1024 + 32 * 64 * 64 * 4)  # the second half is gone
        same(f[3:30:5, :, ::2], data[3:30:5, :, ::2])
        raises(ts.Error, "big.mrc", lambda: f[40])


@test
def mapped_arrays_outlive_their_file():
    data = numbers(6, 7, 8)
    ts.write(path("m.mrcs"), data)
    with ts.open(path("m.mrcs")) as f:
        mapped = f.map()
    same(mapped, data)
    np.asarray(mapped)[0] = 0
    same(ts.read(path("m.mrcs")), data)
    raises(ts.UnsupportedError, "compressed", ts.open(path("d.mrc.gz")).map)


@test
def indices_that_cannot_be_are_errors():
    with ts.open(path("m.mrcs")) as f:
        raises(IndexError, "index 6 is out of bounds for axis 0 with size 6", lambda: f[6])
        raises(IndexError, "index -9 is out of bounds for axis 2 with size 8", lambda: f[0, 0, -9])
        raises(IndexError, "the file has 3 axes, but 4 were given", lambda: f[0, 0, 0, 0])
        raises(IndexError, "single ellipsis", lambda: f[..., 0, ...])
        raises(IndexError, "[1, 2] is not a valid index of a file", lambda: f[[1, 2]])
        raises(IndexError, "True is not a valid index", lambda: f[True])
        raises(ValueError, "zero", lambda: f[::0])
    raises(ValueError, "ndim is 5", ts.open, path("m.mrcs"), ndim=5)
    raises(ValueError, "needs more axes", ts.open, path("m.mrcs"), ndim=2)
    assert ts.open(path("image.mrc"), ndim=3).shape == (1, 14, 11)


def sparse_stack(name, n):
    """n MiB of bytes, all 0 but for the number of its section in each."""
    ts.write(path(name), np.zeros((2, 1024, 1024), "i1"))
    with open(path(name), "r+b") as file:
        file.seek(8)
        file.write(n.to_bytes(4, "little"))  # NZ; MZ of a stack is 1
        for i in range(n):
            file.seek(1024 + (i << 20) + 5)
            file.write(bytes([i % 100]))
        file.truncate(1024 + (n << 20))


@test
def large_files_are_read_in_pieces():
    n = 600  # twice 256 MiB, and some more
    sparse_stack("large.mrcs", n)
    with ts.open(path("large.mrcs")) as f:
        for whole, order in ((f.read(), 1), (f[::-1], -1)):
            array = whole.numpy()
            assert array.shape == (n, 1024, 1024)
            assert (array[:, 0, 5] == (np.arange(n) % 100)[::order]).all() and not array[:, 1:, ::200].any()


@test
def signals_are_noticed_between_pieces():
    import signal

    def stop(*_):
        raise KeyboardInterrupt("stopped")
    before = signal.signal(signal.SIGALRM, stop)
    try:
        with ts.open(path("large.mrcs")) as f:
            signal.setitimer(signal.ITIMER_REAL, 0.005)
            raises(KeyboardInterrupt, "stopped", f.read)
            assert f[3, 0, 5].item() == 3
    finally:
        signal.signal(signal.SIGALRM, before)
    os.remove(path("large.mrcs"))


# ---- What goes wrong ----


@test
def closed_files_say_so():
    with ts.open(path("m.mrcs")) as f:
        assert not f.closed
    assert f.closed and "closed" in repr(f) and f.shape == (6, 7, 8)
    raises(ValueError, "the file is closed", lambda: f[0])
    raises(ValueError, "the file is closed", f.map)
    f.close()


@test
def files_that_are_not_there_or_no_files_are_errors():
    raises(OSError, "missing.mrc", ts.read, path("missing.mrc"))
    raises(ts.FileError, "missing.mrc", ts.info, path("missing.mrc"))
    raises(TypeError, "path is 3.5; expected a file name", ts.read, 3.5)
    raises(TypeError, "unexpected keyword argument 'colour'", ts.open, path("m.mrcs"), colour=1)
    raises(ValueError, "format is 'doc'; expected one of 'mrc'", ts.read, path("m.mrcs"), format="doc")
    raises(FileExistsError, "m.mrcs", ts.write, path("m.mrcs"), numbers(2, 2))
    raises(ts.Error, "x.doc", ts.write, path("x.doc"), numbers(2, 2))
    raises(ValueError, "as_ is 'heap'", ts.write, path("x.mrc"), numbers(2, 2), as_="heap")
    raises(ValueError, "depth is 4", ts.write, path("x.mrc"), numbers(6, 2, 2), as_="volumes", depth=4)
    raises(ValueError, "as_ is 'stack'", ts.write, path("x.mrc"), numbers(2, 3, 4, 5), as_="stack")
    assert not os.path.exists(path("x.mrc"))


@test
def corrupt_files_are_errors_or_reports():
    ts.write(path("c.mrc"), numbers(6, 7, 8))
    whole = open(path("c.mrc"), "rb").read()
    open(path("cut.mrc"), "wb").write(whole[:-100])
    raises(ts.FormatError, "cut.mrc", ts.read, path("cut.mrc"))
    assert ts.read(path("cut.mrc"), salvage=True).shape == (6, 7, 8)
    report = ts.check(path("cut.mrc"))
    assert not report and report.findings and report.findings[0].text in repr(report)
    broken = bytearray(whole)
    broken[208:212] = b"PAM "
    open(path("pam.mrc"), "wb").write(broken)
    assert any(f.field == "MAP" and f.fixable for f in ts.check(path("pam.mrc")).findings)
    assert any("MAP" in text for text in ts.info(path("pam.mrc")).warnings)
    for _ in range(max(30, 300 // SAMPLE)):  # any bytes of a header: an array or an error
        noise = bytearray(whole)
        for at in rng.integers(0, 1024, 4):
            noise[at] = rng.integers(256)
        open(path("noise.mrc"), "wb").write(noise)
        try:
            ts.read(path("noise.mrc"))
        except ts.Error:
            pass
    assert ts.check(path("c.mrc"), header_only=True).data_read is False


@test
def names_may_be_paths_and_any_letters():
    import pathlib
    name = pathlib.Path(folder.name) / "größe α.mrc"
    ts.write(name, numbers(2, 3))
    assert ts.read(name).shape == (2, 3) and ts.read(os.fsencode(name)).shape == (2, 3)


@test
def functions_of_files_are_described_and_pickled():
    import inspect
    import pickle
    for name in ("read", "open", "info", "write"):
        function = getattr(ts, name)
        assert pickle.loads(pickle.dumps(function)) is function
        assert {"path", "format"} <= set(inspect.signature(function).parameters) and "Arguments:" in function.__doc__
    assert "voxel_size" in inspect.signature(ts.write).parameters and "out" not in inspect.signature(ts.open).parameters


# ---- Threads ----


@test
def threads_share_a_file():
    data = numbers(40, 64, 64)
    ts.write(path("t.mrcs"), data)
    faults = []
    with ts.open(path("t.mrcs")) as f:
        def work(seed):
            own = np.random.default_rng(seed)
            for _ in range(60):
                i = int(own.integers(40))
                if not (np.asarray(f[i, ::3]) == data[i, ::3]).all():
                    faults.append(i)
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not faults


@test
def others_run_while_a_file_is_read():
    ts.write(path("wait.mrc.gz"), rng.integers(0, 9, (24, 512, 512)).astype("i2"), level=1)
    running, turns = True, []

    def count():
        while running:
            turns.append(time.perf_counter())
            time.sleep(0.001)
    thread = threading.Thread(target=count)
    thread.start()
    begin = time.perf_counter()
    ts.read(path("wait.mrc.gz"))
    end = time.perf_counter()
    running = False
    thread.join()
    meanwhile = sum(begin < t < end for t in turns)
    assert meanwhile > 4, (meanwhile, end - begin)


@test
def many_calls_keep_memory_flat():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def calls():
        with ts.open(path("m.mrcs")) as f:
            f[1, ::2], f.header, f.read(), f.map()
        for wrong in (lambda: f[0], lambda: ts.read(path("missing.mrc")), lambda: ts.write(path("m.mrcs"), np.zeros((2, 2)))):
            raises(Exception, "", wrong)
        ts.check(path("m.mrcs"))
    for _ in range(300):
        calls()
    before = resident()
    for _ in range(1000):
        calls()
    grown = resident() - before
    assert grown < 4 << 20 or "libasan" in os.environ.get("LD_PRELOAD", ""), grown


@test
def a_file_that_is_dropped_is_closed():
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(200):
        ts.open(path("m.mrcs"))[0]
    assert len(os.listdir("/proc/self/fd")) <= before + 1


finish()
