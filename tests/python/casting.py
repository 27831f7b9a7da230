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


finish()
