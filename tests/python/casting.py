#!/usr/bin/env python3
"""out= and operators in place: results are converted to other dtypes only where NumPy does. casting.py BUILD"""
import keyword
import operator
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, Skip, finish, raises, test

import numpy as np

import arguments
import table
import tessera as ts

LIBRARY = os.path.join(BUILD, "libtessera.so")
FILES = {"io", "mrc", "star", "sidecar"}
DTYPES = "? u1 i4 f4 f8 c8".split()


def is_narrower(wanted, given):
    """Whether NumPy refuses to convert, but for signs and sizes of integers."""
    whole = wanted.kind in "iu" and given.kind in "iu"
    return not whole and not np.can_cast(wanted, given, "same_kind")


def given_to(lib, function, dtype):
    made = arguments.arguments_of(lib, function, np.dtype(dtype))
    return {name + "_" if keyword.iskeyword(name) else name: value for name, value in made.items()}


def check_outputs(lib, function, call, dtype):
    """How many dtypes of out= are refused of one that the inputs have."""
    made = call(**given_to(lib, function, dtype))
    results = made if isinstance(made, tuple) else (made,)
    refused = 0
    if max(map(np.ndim, results)) > 4:
        return 0
    for other in DTYPES:
        out = tuple(np.zeros(np.shape(result), other) for result in results)
        kinds = {np.asarray(result).dtype for result in results}
        if dtype == other == "?" and kinds == {np.dtype("u1")}:
            continue  # NumPy's arithmetic of truth values gives truth values
        narrower = any(is_narrower(kind, np.dtype(other)) for kind in kinds)
        try:
            call(**given_to(lib, function, dtype), out=out if len(out) > 1 else out[0])
        except ts.Error:
            refused += narrower
            continue
        assert not narrower, (function.text, dtype, other)
    return refused


@test
def every_function_refuses_an_output_that_cannot_hold_its_result():
    if not os.path.exists(LIBRARY):
        raise Skip("the library was not built")
    lib, n_functions, n_refused = table.load(LIBRARY), 0, 0
    for pointer in table.functions(lib):
        function = pointer.contents
        call = getattr(ts._tessera, function.text, None)
        if function.text == "atlas_layout":
            continue  # one of its results is a shape
        if call is None or "out=" not in call.__text_signature__ or function.module.decode() in FILES:
            continue
        n_functions += 1
        for dtype in DTYPES:
            try:
                call(**given_to(lib, function, dtype))
            except ts.Error:
                continue  # it takes other dtypes
            n_refused += check_outputs(lib, function, call, dtype)
    assert n_functions > 150 and n_refused > 1000, (n_functions, n_refused)


@test
def operators_in_place_convert_as_numpys():
    operators = [getattr(operator, name) for name in "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift".split()]
    values = [True, 2, 2.5, 1 + 2j] + [np.full(3, 2, dtype) for dtype in DTYPES]
    n_refused = 0
    for work in operators:
        for dtype in DTYPES:
            for value in values:
                if dtype == "?" and work.__name__ not in ("iadd", "imul", "iand", "ior", "ixor"):
                    continue  # NumPy has no such arithmetic of truth values
                theirs, ours = np.ones(3, dtype), ts.asarray(np.ones(3, dtype))
                kinds = np.dtype(dtype).kind in "iu" and np.asarray(value).dtype.kind in "iu"
                try:
                    theirs = work(theirs, value)
                except TypeError:
                    if not kinds:  # of NumPy's integers, signs and sizes matter
                        raises(TypeError, "", work, ours, value)
                        n_refused += 1
                    continue
                np.testing.assert_array_equal(np.asarray(work(ours, value)), theirs, str((work, dtype, value)))
    assert n_refused > 100, n_refused


@test
def assignments_convert():
    for value in (1.9, np.float32(1.9), np.full(4, 1.9), [1.9] * 4):
        x = ts.arange(4, dtype="i64")
        x[...] = value
        assert x.tolist() == [1] * 4
        x[[0, 2]] = 2.7
        assert x.tolist() == [2, 1, 2, 1]
    assert ts.cast([1.9, -1.9], "i4").tolist() == ts.asarray([1.9, -1.9]).astype("i4").tolist() == [1, -1]


@test
def messages_say_what_to_do():
    whole = ts.arange(4, dtype="i64")
    error = raises(ts.DtypeError, "add: the result has dtype f64, which does not fit into x of dtype i64 in place; expected x of "
                   "dtype f64, or the result converted by astype('i64') or tessera.cast",
                   operator.iadd, whole, 1.9)
    assert isinstance(error, TypeError) and whole.tolist() == [0, 1, 2, 3]
    raises(ts.DtypeError, "subtract: the result has dtype f64, which does not fit into out of dtype i32;", ts.subtract, [1, 2], 0.5, out=np.zeros(2, "i4"))
    raises(ts.DtypeError, "clip: the result has dtype f64", ts.clip, np.ones(2), 0.5, 1, out=np.zeros(2, "i4"))
    raises(ts.DtypeError, "nanmean: the result has dtype f64", ts.nanmean, np.ones(2), out=np.zeros((), "i4"))
    raises(ts.DtypeError, "add: the result has dtype c64, which does not fit into out of dtype f64; expected out of dtype c64, or "
           "the real part", ts.add, np.ones(2), 1j, out=np.zeros(2))
    raises(ts.DtypeError, "mean_std: the result has dtype f64, which does not fit into std of dtype i64;", ts.mean_std, np.ones(3),
           out=(np.zeros(()), np.zeros((), "i8")))
    for shape in ((), (0,), (3, 0), (1, 1, 1, 1)):
        raises(ts.DtypeError, "sqrt: the result has dtype f64", ts.sqrt, np.ones(shape), out=np.zeros(shape, "i4"))


@test
def what_numpy_converts_is_converted():
    for dtype in ("i2", "u1", "f4", "f8", "c8", "c16"):
        out = np.zeros(3, dtype)
        assert ts.add(np.arange(3, dtype="i4"), 1, out=out) is out and out.tolist() == [1, 2, 3]
    out = np.zeros(3, "f4")
    assert ts.abs(np.full(3, 3 + 4j), out=out).tolist() == [5, 5, 5] and ts.sqrt([4, 9, 16], out=out).tolist() == [2, 3, 4]
    assert ts.less([1, 2, 3], 2, out=np.zeros(3, "i4")).tolist() == [1, 0, 0]
    assert ts.argmax([1, 3, 2], out=np.zeros((), "f4")) == 1


# ---- Integers of Python's, as in NumPy 2 ----


@test
def numbers_alone_are_integers_if_they_are_whole():
    mask = np.array([True, False])
    for m in (mask, ts.asarray(mask), mask.tolist()):
        assert ts.where(m, 1, 0).dtype == ts.where(m, True, 0).dtype == np.int64 and ts.where(m, 1, 0).tolist() == [1, 0]
        assert ts.where(m, True, False).dtype == bool and ts.where(m, 1, 0.5).tolist() == [1, 0.5]
        assert ts.where(m, 2**60 + 1, 0).tolist() == [2**60 + 1, 0]
    assert ts.where(mask, np.ones(2, "f4"), 0).dtype == np.float32 and ts.where(mask, np.ones(2, "u1"), 0).dtype == np.uint8
    for made, wanted in ((ts.add(1, 2), 3), (ts.bit_and(6, 3), 2), (ts.multiply(3, 2**59), 3 * 2**59), (ts.minimum(3, True), 1)):
        assert made == wanted and type(made) is int
    assert ts.divide(1, 2) == 0.5 and ts.sqrt(4) == 2 and type(ts.add(1, 2.0)) is float and ts.add(1, 2j) == 1 + 2j


@test
def integers_out_of_range_raise():
    text = "add: y is 300, and arrays have the dtype u8; expected 0 to 255, or arrays of a wider dtype"
    raises(OverflowError, text, ts.add, np.ones(2, "u1"), 300)
    raises(OverflowError, "sub: x is 300", operator.sub, 300, ts.ones(2, "u8"))
    raises(OverflowError, "subtract: y is -1, and arrays have the dtype u16; expected 0 to 65535", ts.subtract, np.ones(2, "u2"), -1)
    raises(OverflowError, "expected -128 to 127", ts.maximum, np.ones(2, "i1"), 200)
    raises(OverflowError, "where: y is 300", ts.where, [True], np.ones(1, "u1"), 300)
    raises(OverflowError, "clamp: z is 300", ts.clamp, np.ones(2, "u1"), 0, 300)
    raises(OverflowError, f"expected {-2**63} to {2**63 - 1}", ts.add, np.ones(2, "i8"), 2**63)
    raises(OverflowError, f"expected 0 to {2**64 - 1}", ts.add, np.ones(2, "u8"), -1)
    raises(OverflowError, "y is 300", operator.iadd, ts.ones(2, "u8"), 300)
    for dtype in "u1 i1 u2 i2 u4 i4 u8 i8".split():
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        for x in (np.zeros(2, dtype), ts.zeros(2, np.dtype(dtype))):
            assert ts.add(x, high).dtype == ts.add(low, x).dtype == x.dtype and ts.add(x, low).tolist() == [low, low]
            raises(OverflowError, "", ts.add, x, high + 1)
            raises(OverflowError, "", ts.mul, low - 1, x)


@test
def integers_out_of_range_are_numbers_where_results_are_none_of_integers():
    x = np.array([1, 200], "u1")
    for function in (ts.less, ts.equal, ts.greater_equal, ts.not_equal):
        assert function(x, 300).tolist() == getattr(np, function.__name__)(x.astype("i8"), 300).tolist()
        assert function(x, -1).tolist() == getattr(np, function.__name__)(x.astype("i8"), -1).tolist()
    assert ts.divide(x, 1000).tolist() == [0.001, 0.2] and ts.isclose(x, 300).tolist() == [False, False]
    assert ts.hypot(x, -300)[0] == np.hypot(1.0, 300) and ts.logical_and(x, 300).all()
    assert ts.add(x, 300, dtype="i4").tolist() == [301, 500] and ts.add(x > 5, 300).tolist() == [300, 301]
    assert ts.add(x, np.int64(300)).tolist() == [301, 500] and ts.add(x, 300.0).tolist() == [301, 500]


@test
def limits_out_of_range_do_not_clip():
    x = np.array([1, 200], "u1")
    for low, high in ((0, 300), (-5, 300), (-1, 100), (50, 1 << 70), (-1, None), (None, 999)):
        made = ts.clip(x, low, high)
        assert made.dtype == x.dtype and made is not x, (low, high)
        np.testing.assert_array_equal(made, np.clip(x.astype(object), low, high))
    raises(OverflowError, "clip: a_min is 300, and x has the dtype u8; expected 255 or less", ts.clip, x, 300, 400)
    raises(OverflowError, "clip: a_max is -1, and x has the dtype u8; expected 0 or more", ts.asarray(x).clip, None, -1)
    assert ts.clip(x, -0.5, 300.0).dtype == np.float64


@test
def full_has_the_dtype_of_its_number():
    for value in (7, 7.5, True, 1j, 2**60 + 1, 2**63 + 1, -2**63, np.int16(3), np.float32(3), np.True_):
        made, wanted = ts.full((2, 3), value), np.full((2, 3), value)
        assert made.dtype == wanted.dtype and made.shape == wanted.shape and made.tolist() == wanted.tolist(), value
    assert ts.full(3, 7, "f4").dtype == "f32" and ts.full(3, 7.9, dtype="i4").tolist() == [7] * 3
    assert ts.full((), 5).item() == 5 and ts.full((0, 2), 5).shape == (0, 2) and ts.full(3, 2, device="cpu").tolist() == [2] * 3
    raises(OverflowError, "full: value is 300, and the dtype is u8; expected 0 to 255", ts.full, 3, 300, "u8")
    raises(OverflowError, "full: value is 1180591620717411303424; expected -2^63 to 2^64 - 1", ts.full, 3, 2**70)
    raises(OverflowError, "full_like: fill_value is -1, and the dtype is u8", ts.full_like, np.ones(2, "u1"), -1)
    raises(TypeError, "full: value is 'a'; expected a number", ts.full, 3, "a")


finish()
