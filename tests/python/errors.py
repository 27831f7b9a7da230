#!/usr/bin/env python3
"""Exceptions: their classes, messages and traces, arguments of wrong types, counts of references. errors.py BUILD"""
import errno
import gc
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, raises, test

import numpy as np

import tessera as ts

a = np.ones((3, 4), np.float32)
CLASSES = {"ShapeError": ValueError, "DtypeError": TypeError, "ArgumentError": ValueError, "RangeError": (ValueError, IndexError),
           "LayoutError": ValueError, "ReadOnlyError": ValueError, "OverlapError": ValueError, "DeviceError": RuntimeError,
           "OutOfMemoryError": MemoryError, "ParseError": ValueError, "FileError": OSError, "FormatError": ValueError,
           "UnsupportedError": NotImplementedError, "ExistsError": FileExistsError,
           "CancelledError": RuntimeError}


@test
def a_class_for_each_status():
    for name, bases in CLASSES.items():
        made = getattr(ts, name)
        assert issubclass(made, ts.Error) and made.__module__ == "tessera" and made.__doc__
        for base in bases if isinstance(bases, tuple) else (bases,):
            assert issubclass(made, base), name


@test
def messages_are_the_librarys():
    raises(ts.ShapeError, "add: y has shape (5, 5), which cannot be broadcast with (3, 4)", ts.add, a, np.ones((5, 5)))
    raises(ts.DtypeError, "bit_and: ", ts.bit_and, a, a)
    raises(ts.ReadOnlyError, "read-only", ts.add, a, 1, out=np.broadcast_to(a[:1], (3, 4)))
    raises(ts.OverlapError, "shares memory with x", ts.add, a[:, 1:], 1, out=a[:, :-1])
    raises(ts.FileError, "no/such.mrc", ts.read, "no/such.mrc")
    raises(ts.OutOfMemoryError, "memory", ts.zeros, (2**18, 2**18, 2**18 // 64))
    raises(ts.ShapeError, "", ts.zeros, (2**40, 2**40))
    raises(ts.RangeError, "quantile: q is 1.5", ts.quantile, a, 1.5)


@test
def the_trace_is_a_note():
    error = raises(ts.ShapeError, "", ts.add, a, np.ones((5, 5)))
    assert len(error.__notes__) == 1 and error.__notes__[0].startswith("error: add: y has shape")
    assert "in tess_add" in error.__notes__[0]


@test
def mistakes_in_operators_show_the_place():
    error = raises(ts.ParseError, "unknown name 'z'", ts.op, "op f(in f32 x, out f32 y) { y = z; }")
    lines = str(error).splitlines()
    assert lines[1].strip() == "op f(in f32 x, out f32 y) { y = z; }" and lines[2].index("^") == lines[1].index("z;")


@test
def signatures_are_kept_to():
    raises(TypeError, "add() takes 2 positional arguments but 3 were given", ts.add, a, a, a)
    raises(TypeError, "add() missing required argument 'y' (pos 2)", ts.add, a)
    raises(TypeError, "add() missing required argument 'x' (pos 1)", ts.add)
    raises(TypeError, "add() got an unexpected keyword argument 'z'", ts.add, a, a, z=1)
    raises(TypeError, "argument 'widht'; did you mean 'width'?", ts.lowpass_image, a, 0.1, widht=1)
    raises(TypeError, "add() got multiple values for argument 'x'", ts.add, a, a, x=1)
    raises(TypeError, "sum() got multiple values for argument 'axis'", ts.sum, a, 0, axes=1)


@test
def values_of_wrong_types():
    raises(TypeError, "lowpass_image: cutoff is 'a'; expected a number", ts.lowpass_image, a, "a")
    raises(TypeError, "lowpass_image: order is 1.5; expected an integer", ts.lowpass_image, a, 0.1, order=1.5)
    raises(TypeError, "lowpass_image: order is 4294967296; expected an integer from -2^31", ts.lowpass_image, a, 0.1, order=2**32)
    raises(ValueError, "lowpass_image: edge is 'no'; expected one of 'cosine'", ts.lowpass_image, a, 0.1, edge="no")
    raises(ValueError, "lowpass_image: edge is 3; expected one of 'cosine'", ts.lowpass_image, a, 0.1, edge=3)
    raises(TypeError, "topk: k is 2.0; expected an integer", ts.topk, a, 2.0)
    raises(TypeError, "random_normal: seed is -1; expected an integer from 0 to 2^64 - 1", ts.random_normal, 3, 0, 1, -1)
    raises(TypeError, "random_normal: stream is 4294967296", ts.random_normal, 3, 0, 1, 1, stream=2**32)
    raises(TypeError, "bin: factors is 'a'; expected an integer, or a tuple", ts.bin, a, "a")
    raises(ValueError, "bin: factors is (1, 1, 1, 1, 1); expected a shape of at most 4", ts.bin, a, (1,) * 5)
    raises(TypeError, "symmetrize: name is 3; expected a str", ts.symmetrize, a, 3)
    raises(TypeError, "read: path is 3.5; expected a file name", ts.read, 3.5)
    raises(TypeError, "ctf_image: ctf is 3; expected a dict of numbers", ts.ctf_image, (4, 4), 3)
    raises(ValueError, "ctf_image: ctf has no field 'focus'; it has pixel_size", ts.ctf_image, (4, 4), {"focus": 1})
    raises(TypeError, "ctf_image: defocus is 'x'; expected a number", ts.ctf_image, (4, 4), {"defocus": "x"})
    raises(ValueError, "amplitude of ctf is 7", ts.ctf_image, (4, 4), {"pixel_size": 1, "amplitude": 7})
    raises(TypeError, "filter_image: op is 3; expected an operator or its text", ts.filter_image, a, 3)
    raises(TypeError, "concatenate: parts is 3; expected a list of arrays", ts.concatenate, 3)
    raises(ValueError, "reduce: items is 'x'; expected one of 'sum'", ts.reduce, a, ["x"])
    raises(ValueError, "more than 8 names", ts.reduce, a, ["sum"] * 9)
    raises(TypeError, "sum: out is of type <class 'int'>; expected a writable array", ts.sum, a, out=3)
    raises(TypeError, "expected a tuple of 2 arrays", ts.mean_std, a, out=a)
    raises(TypeError, "expected a tuple of 2 arrays", ts.mean_std, a, out=(a,))
    raises(ts.ParseError, "", ts.cast, a, "f33")
    raises(ts.ParseError, "", ts.zeros, 3, device="moon")
    raises(ts.DeviceError, "", ts.zeros, 3, device="gpu:5")
    raises(ts.RangeError, "n is -1", ts.set_threads, -1)
    raises(ts.ArgumentError, "bytes is -1", ts.set_memory_limit, -1)


@test
def masked_arrays_are_refused():
    masked = np.ma.array(a, mask=a > 0)
    for call in (lambda: ts.add(masked, 1), lambda: ts.sum(masked), lambda: ts.flip(masked), lambda: ts.asarray(masked),
                 lambda: ts.mean([masked, masked]), lambda: ts.concatenate([a, masked]), lambda: ts.add(a, 1, out=masked),
                 lambda: ts.lowpass_image(masked, 0.1), lambda: ts.add(np.ma.array(a), 1), lambda: ts.exp(np.ma.masked),
                 lambda: ts.asarray(a) + masked, lambda: ts.lowpass_image(np.ma.array(np.ones((2, 2, 2, 4, 4))), 0.1, ndim=2)):
        raises(ValueError, "is a masked array, whose mask would be ignored; expected an array without a mask", call)
    raises(ValueError, "add: y is a masked array", ts.add, a, masked)
    x = ts.zeros((3, 4))
    raises(ValueError, "value is a masked array", x.__setitem__, slice(None), masked)
    np.testing.assert_array_equal(ts.add(masked.filled(2), 1), masked.filled(2) + 1)
    np.testing.assert_array_equal(ts.add(np.matrix(a), 1), a + 1)  # another subclass


@test
def none_is_what_is_left_out():
    np.testing.assert_array_equal(ts.lowpass_image(a, 0.2, width=None, edge=None, out=None), ts.lowpass_image(a, 0.2))
    np.testing.assert_array_equal(ts.sum(a, None, keepdims=None), ts.sum(a))


@test
def none_is_no_value_of_what_is_needed():
    raises(ts.ArgumentError, "add: y is None", ts.add, a, None)
    raises(TypeError, "lowpass_image: cutoff is None; expected a value", ts.lowpass_image, a, None)
    raises(TypeError, "fill: value is None", ts.fill, a.copy(), None)
    raises(TypeError, "is None; expected a value", ts.zeros, None)
    raises(TypeError, "cast: dtype is None", ts.cast, a, None)


@test
def outputs_that_are_numbers_are_asked_for():
    raises(TypeError, "linspace: step is array", ts.linspace, (5,), 0, 1, step=np.zeros(1))
    raises(TypeError, "linspace: step is 3; expected True or False", ts.linspace, (5,), 0, 1, step=3)
    assert ts.linspace((5,), 0, 1, step=True)[1] == 0.25


class Changing:
    """A number that changes something when it is read."""

    def __init__(self, change):
        self.change = change

    def __float__(self):
        self.change()
        return 2.0


@test
def containers_may_change_while_they_are_read():
    fields = {"pixel_size": 1.0, "voltage": 300.0}
    fields["defocus"] = Changing(fields.clear)
    fields["cs"] = 2.7
    want = ts.ctf_image((8, 8), {"pixel_size": 1, "voltage": 300, "defocus": 2, "cs": 2.7}).numpy()
    np.testing.assert_array_equal(ts.ctf_image((8, 8), fields).numpy(), want)
    inner = [1.0, 2.0]
    raises(RuntimeError, "a list changed while it was read", ts.asarray, [[Changing(inner.clear), 1.0], inner])


@test
def causes_of_files_are_pythons():
    error = raises(ts.FileError, "no/such.mrc", ts.read, "no/such.mrc")
    assert isinstance(error, FileNotFoundError) and error.errno == errno.ENOENT
    raises(FileNotFoundError, "no.star", ts.read_star, "no.star")
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a.mrc")
        ts.write(name, a)
        error = raises(ts.ExistsError, "overwrite=True", ts.write, name, a)
        assert isinstance(error, FileExistsError) and error.errno == errno.EEXIST
        if os.getuid():
            os.chmod(name, 0)
            assert raises(PermissionError, "a.mrc", ts.read, name).errno == errno.EACCES
        for function in (ts.read, ts.open, ts.info, ts.read_star, ts.read_tilts, ts.read_mdoc):
            error = raises(IsADirectoryError, folder, function, folder)
            assert isinstance(error, ts.FileError) and error.errno == errno.EISDIR
        raises(IsADirectoryError, "", ts.write, folder, a, format="raw", overwrite=True)
        raises(NotADirectoryError, "", ts.read, os.path.join(name, "b.mrc"))
        long = os.path.join(folder, "/".join(["x" * 200] * 5))  # longer than a message, which ends within it
        assert raises(FileNotFoundError, "xxx", ts.read, long).errno == errno.ENOENT
        assert raises(ts.FileError, "", ts.read, os.path.join(folder, "y" * 300)).errno == errno.ENAMETOOLONG
        missing = os.path.join(folder, "Permission denied")  # words of another cause at the end
        assert isinstance(raises(ts.FileError, "", ts.read, missing), FileNotFoundError)
        with open(os.path.join(folder, "No such file or directory"), "wb") as bad:
            bad.write(b"no file of ours")
        assert type(raises(ts.Error, "", ts.read, bad.name)) is ts.FormatError


@test
def messages_have_no_words_of_c():
    raises(ts.RangeError, "ctf_image: ctf has no pixel_size; expected pixel_size", ts.ctf_image, (4, 4), {"voltage": 300})
    raises(ts.RangeError, "lowpass_image: width is -1", ts.lowpass_image, a, 0.1, width=-1)
    for function in (ts.read, ts.read_star, ts.read_tilts):
        for name in ("a->b.mrc", "opts->width", "what is NULL", "x opts->width", "opts->a/b.mrc", "ctf->b"):
            raises(FileNotFoundError, f": {name}: No such file", function, name)
    raises(FileNotFoundError, "a->b/opts->overwrite is 0: cannot", ts.write, "a->b/opts->overwrite is 0", a, format="raw")
    raises(ts.ArgumentError, "write: a->b.zzz: unknown extension", ts.write, "a->b.zzz", a)


@test
def messages_begin_with_the_function_of_python():
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a")
        with open(name, "w") as f:
            f.write("x y z\n1 2\n")
        for kind in ("star", "tilts", "xf", "mdoc"):
            read, write = getattr(ts, "read_" + kind), getattr(ts, "write_" + kind)
            value = {"star": {"a": {"x": [1]}}, "tilts": [1.0], "xf": np.ones((1, 2, 3)), "mdoc": ts.Mdoc({"a": 1})}[kind]
            for error in (raises(ts.FormatError, "", read, name), raises(FileNotFoundError, "", read, "no"),
                          raises(FileExistsError, "", write, name, value), raises(FileNotFoundError, "", write, "no/x", value)):
                function = "read" if not isinstance(error, FileExistsError) and "folder:" not in str(error) else "write"
                assert str(error).startswith(f"{function}_{kind}: "), error
        raises(ts.ArgumentError, "write_star: name is", ts.write_star, os.path.join(folder, "b"), {"a b": {"x": [1]}})
        raises(ts.ArgumentError, "write_star: label is", ts.write_star, os.path.join(folder, "b"), {"a": {"x y": [1]}})
        raises(ts.ArgumentError, "write_mdoc: key is", ts.write_mdoc, os.path.join(folder, "b"), ts.Mdoc({"a=b": 1}))
        raises(FileNotFoundError, "check: no: ", ts.check, "no")
    for error, text in ((raises(ts.RangeError, "", ts.set_threads, -1), "set_threads: n"),
                        (raises(ts.ParseError, "", ts.zeros, 3, "f33"), "zeros: dtype"),
                        (raises(ts.ParseError, "", ts.zeros, 3, device="moon"), "device: text"),
                        (raises(ts.ArgumentError, "", ts.set_memory_limit, -1), "set_memory_limit: bytes")):
        assert str(error).startswith(text), error


@test
def messages_of_any_bytes():
    error = raises(ts.FileError, "no/such", ts.read, b"no/such\xff.mrc")
    assert "\ufffd" in str(error)


@test
def references_are_given_back():
    def counts():
        return [sys.getrefcount(x) for x in things]
    good, wrong, out, key, number = np.ones(5), np.ones(4), np.ones(5), "name", 12345.678
    frozen, swapped, whole = np.broadcast_to(np.ones(1), (5,)), np.ones(5, ">f8"), np.ones(5, int)
    x, masked = ts.asarray(np.ones(5)), np.ma.array(np.ones(5))
    things = [good, wrong, out, number, frozen, swapped, whole, masked, x, ts.Array]
    if sys.version_info < (3, 12):
        things += [key, None, True]  # immortal from then on: only some of their references are counted
    calls = [lambda: ts.add(good, wrong), lambda: ts.add(good, number, out=out), lambda: ts.add(good, number, out=frozen),
             lambda: ts.add(good, swapped), lambda: ts.add(good, swapped, out=swapped), lambda: ts.add(good, object()),
             lambda: ts.add(good), lambda: ts.add(good, number, wrong=key), lambda: ts.sum(good, key), lambda: ts.sum(good, out=out),
             lambda: ts.lowpass_image(good, key), lambda: ts.concatenate([good, wrong, x]), lambda: ts.concatenate([good, key]),
             lambda: ts.unique(good, counts=True), lambda: ts.topk(good, 2, indices=key), lambda: ts.reduce(good, ["sum", key]),
             lambda: ts.reduce(good, ["sum", "mean"]), lambda: ts.quantiles(good, [number]), lambda: ts.quantiles(good, [0.5]),
             lambda: x + good, lambda: good + x, lambda: x + key, lambda: x[number], lambda: x[1:3] + number, lambda: x == None,
             lambda: ts.asarray(good), lambda: ts.asarray([good, key]), lambda: ts.asarray([number, number]), lambda: x.reshape(3),
             lambda: ts.ctf_image((4, 4), {"pixel_size": number, key: number}), lambda: ts.op(key), lambda: x.astype(key),
             lambda: ts.from_dlpack(good), lambda: ts.from_dlpack(key), lambda: x.numpy(), lambda: x.__array_struct__,
             lambda: x.__array_interface__, lambda: x.__dlpack__(), lambda: x.tolist(), lambda: ts.mean_std(good, out=(out, key)),
             lambda: ts.fill(out, number), lambda: ts.fill(out, key), lambda: ts.random_normal(out, 0, 1, 5),
             lambda: ts.mean([good, good]), lambda: ts.mean([good, wrong]), lambda: ts.mean([good, masked]), lambda: ts.add(masked, 1),
             lambda: ts.rfft(whole), lambda: ts.bit_and(whole, good), lambda: ts.rfft(whole, out=out), lambda: ts.add(x1=good, x2=good),
             lambda: ts.add(a=good, x1=good), lambda: ts.flip(m=good), lambda: ts.flip(m=good, a=good), lambda: ts.flip(key=good),
             lambda: ts.matmul(good, good), lambda: ts.matmul(good, wrong), lambda: ts.matmul(good, number),
             lambda: ts.concatenate([good, whole, [number]]), lambda: ts.lowpass_image([[1, 2], [3, 4]], 0.1), lambda: x @ good]
    def drift(call, turns):
        gc.collect()  # what others have left is not dropped in between
        before = counts()
        for _ in range(turns):
            try:
                call()
            except Exception:
                pass
        gc.collect()
        return max(abs(p - q) for p, q in zip(before, counts()))
    for i, call in enumerate(calls):
        drift(call, 1)
        # The interpreter's own use of None and True changes now and then; a reference that is lost is lost every time.
        drifts = [drift(call, 60) for _ in range(3)]
        assert min(drifts) < 50, (i, drifts)


@test
def errors_have_the_name_that_was_called():
    image = np.ones((4, 6))
    calls = {
        "irfft2": lambda: ts.irfft2(image, norm="x"), "rfft3": lambda: ts.rfft3(image), "subtract": lambda: ts.subtract(image, np.ones(5)),
        "amax": lambda: ts.amax(image, axis=7), "gaussian_filter": lambda: ts.gaussian_filter(image, -1),
        "radial_profile": lambda: ts.radial_profile(image, shells=-2), "frc": lambda: ts.frc(image, np.ones((5, 6))),
        "affine_transform": lambda: ts.affine_transform(image, np.ones((5, 5))), "divide": lambda: ts.divide("a", image),
    }
    for name, call in calls.items():
        try:
            call()
        except Exception as error:
            assert str(error).startswith((f"{name}: ", f"{name}() ")), (name, str(error))
        else:
            raise AssertionError(name)
    raises(TypeError, "subtract() missing required argument", ts.subtract, image)
    assert ts.subtract.__name__ == "subtract" and ts.subtract.__text_signature__.startswith("(x, y")
    import pickle
    assert pickle.loads(pickle.dumps(ts.subtract)) is ts.subtract and pickle.loads(pickle.dumps(ts.irfft2)) is ts.irfft2


@test
def arguments_are_named_as_the_caller_has_them():
    square = np.zeros((3, 3))
    for call, text in ((lambda: ts.clip("a", 1, 2), "clip: x is of type <class 'str'>; expected an array"),
                       (lambda: ts.average(square, 0, {}), "average: weights is of type <class 'dict'>; expected an array"),
                       (lambda: ts.interp([1], [1, 2], fp="a"), "interp: fp is of type <class 'str'>"),
                       (lambda: ts.compress([True, True], [1, 2, 3], 0, out="a"), "compress: out is of type <class 'str'>"),
                       (lambda: ts.cross(square, square, 0, 5), "cross: axisb is 5; the array has 2 axes"),
                       (lambda: ts.cross(square, square, axis=2), "cross: axis is 2; the array has 2 axes"),
                       (lambda: ts.compress([True] * 5, [1, 2]), "compress: condition has 5 elements, and some are true behind the first 2; a has 2"),
                       (lambda: ts.average(square, weights=np.ones((2, 2))), "average: weights has the shape (2, 2); expected (3, 3), that of a")):
        raises((TypeError, ValueError, IndexError), text, call)
    raises(TypeError, "eye: dtype is 4; expected a dtype, or the sizes of the matrix as a tuple: eye((3, 4))", ts.eye, 3, 4)
    for function in (ts.zeros, ts.empty, ts.eye, ts.full):
        more = (1,) if function is ts.full else ()
        raises(ts.ParseError, f'{function.__name__}: dtype is "foo"; expected bool, i8', function, 2, *more, "foo")
    raises(ts.ParseError, 'add: dtype is "foo"; expected bool', ts.add, 1, 2, dtype="foo")
    raises(ts.ParseError, 'astype: dtype is "foo"; expected bool', ts.asarray(1).astype, "foo")
    raises(TypeError, "zoom: factor is 'a'; expected a number, or 2: one for each axis of the image", ts.zoom, square, "a")
    raises(ValueError, "zoom: factor is (1, 2, 3); expected a number, or 2", ts.zoom, square, (1, 2, 3))
    raises(TypeError, "gaussian_filter: sigma is None; expected a number, or 2", ts.gaussian_filter, square, None)
    text = "and the array has the shape (3, 3); expected sizes whose product is 9, of which one may be -1"
    for shape in ((2, 2), (-1, 2), (-1, -1), (-2, 1), 5):
        raises(ts.ShapeError, f"reshape: shape is {shape}, {text}", ts.reshape, square, shape)
    raises(ts.ShapeError, "reshape: shape is (2, 2)", ts.asarray(square).reshape, 2, 2)
    raises(ts.ShapeError, "broadcast_to: shape is (2, 3), and the array has the shape (3, 3); expected the array's sizes",
           ts.broadcast_to, square, (2, 3))


finish()
