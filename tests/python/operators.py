#!/usr/bin/env python3
"""tessera.op: operators from text, called with arrays of NumPy's and numbers. operators.py BUILD"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, raises, test

import numpy as np

import tessera as ts

FUSE = ts.op("op fuse(in f32 x, in f32 y, val f32 a = 2, out f32 z) { z = a*x + y; }")
x = np.arange(12, dtype=np.float32).reshape(3, 4)


@test
def they_broadcast():
    y = np.array([1, 2, 3, 4], np.float32)
    for got in (FUSE(x, y), FUSE(x, y, 2), FUSE(x, y=y), FUSE(y=y, x=x, a=2.0)):
        assert type(got) is np.ndarray and got.shape == (3, 4)
        np.testing.assert_array_equal(got, 2 * x + y)
    np.testing.assert_array_equal(FUSE(x[:, :1], y[::-1], 3), 3 * x[:, :1] + y[::-1])
    np.testing.assert_array_equal(FUSE(x, 1.5, 1), x + 1.5)
    assert isinstance(FUSE(ts.asarray(x), 1.0), ts.Array)


@test
def they_write_into_out():
    out = np.empty((4, 3), np.float32).T
    assert FUSE(x, x, out=out) is out
    np.testing.assert_array_equal(out, 3 * x)
    both = ts.op("op both(in T x, out T s, out T c) { s = x + x; c = x * x; }")
    s, c = both(x)
    np.testing.assert_array_equal(s, x + x)
    np.testing.assert_array_equal(c, x * x)
    given = np.empty_like(x)
    s, c = both(x, out=(None, given))
    assert c is given and s is not given


@test
def they_change_arrays_and_reduce():
    scale = ts.op("op scale(inout f32 x, val f32 a) { x = a*x; }")
    y = x.copy()
    assert scale(y, 3) is y
    np.testing.assert_array_equal(y, 3 * x)
    total = ts.op("op total(in f32 x, acc sum f32 s, out f32 r) { s += x; } post { r = s; }")
    got = total(x)
    assert np.ndim(got) == 0 and got == x.sum()
    rows = np.empty((3, 1), np.float32)
    assert total(x, out=rows) is rows
    np.testing.assert_array_equal(rows[:, 0], x.sum(1))


@test
def they_know_where_they_are():
    ramp = ts.op("op ramp(val i64 step, out i64 y) { y = step*w + h; }")
    got = ramp(10, shape=(2, 3))
    assert isinstance(got, ts.Array) and got.tolist() == [[0, 10, 20], [1, 11, 21]]
    flip = ts.op("op flip(view f32 v, out f32 y) { y = v[b, d, h, 3 - w]; }")
    np.testing.assert_array_equal(flip(x, shape=(3, 4)), x[:, ::-1])


@test
def they_are_arguments_of_functions():
    text = "op f(in f64 z, in f64 y, in f64 x, out f32 m) { m = 0.5; }"
    a = np.ones((4, 4), np.float32)
    np.testing.assert_array_equal(ts.filter_image(a, text), ts.filter_image(a, ts.op(text)))
    np.testing.assert_allclose(ts.filter_image(a, text), 0.5 * a, atol=1e-6)


@test
def mistakes():
    raises(TypeError, "op: missing argument 'y'", FUSE, x)
    raises(TypeError, "op: got 4 arguments; expected 3", FUSE, x, x, 1, 2)
    raises(TypeError, "op: unknown argument 'b'", FUSE, x, x, b=1)
    raises(TypeError, "op: a is 'q'; expected a number", FUSE, x, x, "q")
    raises(TypeError, "op: 3 is not an operator", ts.op, 3)
    raises(ts.DtypeError, "", FUSE, x.astype(np.float64), x)
    raises(ts.ShapeError, "", FUSE, x, np.ones(5, np.float32))
    raises(IndexError, "", FUSE, x, x, out=())
    raises(TypeError, "expected a writable array", FUSE, x, x, out=3)
    raises(ts.ParseError, "", ts.op, "op f(")
    raises(ts.ParseError, "", ts.op, "")
    assert "op fuse(in f32 x" in FUSE.source and repr(FUSE).startswith('tessera.op("op fuse(')


@test
def numbers_of_any_package():
    scaled = ts.op("op f(in c32 x, val c32 a, out c32 y) { y = a * x; }")
    x = np.array([1, 2j], np.complex64)
    for a in (1 + 2j, np.complex64(1 + 2j), np.complex128(1 + 2j), np.array(1 + 2j)):
        np.testing.assert_array_equal(scaled(x, a), np.complex64(1 + 2j) * x)
    whole = ts.op("op f(in i64 x, val i64 a, out i64 y) { y = a + x; }")
    for a in (-1, np.int8(-1), np.array(-1)):
        np.testing.assert_array_equal(whole(np.arange(3), a), np.arange(3) - 1)
    raises(TypeError, "op: a is 'x'; expected a number", scaled, x, "x")


@test
def numbers_in_lists():
    for numbers in ([np.complex64(1 + 2j), 3], [np.float32(1.5), 2], [np.array(2.5), 1], [np.int16(3), 4],
                    [np.True_, False], [np.complex128(1j), np.float32(2)]):
        ours, theirs = ts.asarray(numbers).numpy(), np.array(numbers)
        assert ours.dtype.kind == theirs.dtype.kind, numbers
        np.testing.assert_array_equal(ours, theirs)
    x = ts.asarray([1.5, 2.5])
    assert ts.asarray([x[0], x[1]]).tolist() == [1.5, 2.5]


finish()
