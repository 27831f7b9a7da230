#!/usr/bin/env python3
"""Axes and ranks of results, as NumPy has them: axis=, keepdims=, out=, broadcasting, arrays of no axes. ranks.py BUILD"""
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, raises, test

import numpy as np

import tessera as ts

rng = np.random.default_rng(5)
ARRAYS = [rng.integers(-9, 9, shape).astype(dtype) for dtype in ("f8", "f4", "i4")
          for shape in ((), (7,), (3, 4), (1, 5), (2, 3, 4), (2, 1, 3, 5))]
REDUCTIONS = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "prod": np.prod, "any": np.any, "all": np.all,
              "std": np.std, "var": np.var, "median": np.median}


def axis_sets(ndim):
    """None, each axis from both ends, and each set of two or more."""
    yield None
    yield from range(-ndim, ndim)
    for n in range(2, ndim + 1):
        yield from itertools.combinations(range(ndim), n)


def same_shape(ours, theirs):
    assert np.shape(ours) == np.shape(theirs), (np.shape(ours), np.shape(theirs))
    assert isinstance(ours, np.generic if np.ndim(ours) == 0 else np.ndarray), type(ours)


@test
def reductions_have_the_axes_of_numpy():
    for a in ARRAYS:
        for name, theirs in REDUCTIONS.items():
            for axis in axis_sets(a.ndim):
                for keepdims in (False, True):
                    got, want = getattr(ts, name)(a, axis, keepdims=keepdims), theirs(a, axis=axis, keepdims=keepdims)
                    same_shape(got, want)
                    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


@test
def axis_and_axes_are_the_same_word():
    a = ARRAYS[4]
    np.testing.assert_array_equal(ts.sum(a, axis=1), ts.sum(a, axes=1))
    np.testing.assert_array_equal(ts.fft_c2c(a, "forward", axis=-1), ts.fft_c2c(a, "forward", axes=-1))
    np.testing.assert_array_equal(ts.sort(a, axes=0), ts.sort(a, axis=0))
    np.testing.assert_array_equal(ts.sum(a, "hw"), a.sum((1, 2)))
    np.testing.assert_array_equal(ts.sum(a, ("d", -1)), a.sum((0, 2)))


@test
def reductions_write_into_out():
    a = ARRAYS[4]
    for axis in axis_sets(3):
        want = a.sum(axis)
        for out in (np.empty(want.shape), np.empty(a.sum(axis, keepdims=True).shape), np.empty(want.shape[::-1]).T):
            got = ts.sum(a, axis, out=out)
            assert got is out
            np.testing.assert_array_equal(out.reshape(want.shape), want)
    mean, std = np.empty(3), np.empty(3)
    got = ts.mean_std(a, (0, 2), out=(mean, std))
    assert got.mean is mean and got[1] is std
    np.testing.assert_allclose(std, a.std((0, 2)))


@test
def several_results_of_a_reduction_have_their_axis():
    a = ARRAYS[4]
    for axis in (0, 1, 2, (0, 2), None):
        got = ts.quantiles(a, [0.25, 0.5, 1.0], axis)
        kept = () if axis is None else tuple(n for i, n in enumerate(a.shape) if i not in np.atleast_1d(axis))
        want = np.quantile(a, [0.25, 0.5, 1.0], axis=axis)
        assert sorted(got.shape) == sorted(kept + (3,))
        innermost = 2 if axis is None else max(np.atleast_1d(axis))
        place = sum(1 for i in range(innermost) if axis is not None and i not in np.atleast_1d(axis))
        np.testing.assert_allclose(np.moveaxis(got, place, 0), want, rtol=1e-12)
    assert ts.quantiles(3.0, [0.5, 1.0]).shape == (2,) and ts.quantiles(np.float32(3), [0.5]).tolist() == [3]
    assert ts.histogram(np.array(2.0), 3)[0].shape == (3,)
    out = np.empty(2)
    assert ts.quantiles(3.0, [0.5, 1.0], out=out) is out and out.tolist() == [3, 3]
    counts = ts.histogram(a, 1)[0]
    assert counts.shape == (1,) and counts[0] == a.size
    np.testing.assert_array_equal(ts.histogram(a, 4)[0], np.histogram(a, 4)[0])


@test
def operands_broadcast_as_in_numpy():
    shapes = [(), (1,), (4,), (3, 1), (1, 4), (3, 4), (2, 1, 1), (2, 3, 4), (5, 1, 3, 1)]
    for x, y in itertools.product(shapes, repeat=2):
        a, b = np.ones(x, np.float32), np.full(y, 2, np.float32)
        same_shape(ts.add(a, b), np.add(a, b))
        assert ts.add(a, b).dtype == np.float32


@test
def results_keep_the_axes_of_the_caller():
    for shape in ((1, 8), (8, 8), (1, 8, 8), (1, 1, 8, 8)):
        a = np.ones(shape, np.float32)
        assert ts.copy(a).shape == shape
        assert ts.fft_r2c(a).shape == shape[:-1] + (5,)
        assert ts.lowpass_image(a, 0.2).shape == shape
        assert ts.fftshift(a).shape == shape
        assert ts.cumsum(a, 0).shape == shape
    assert ts.pad(np.ones((2, 2)), (1, 1), (0, 0)).shape == (3, 3)
    assert ts.resize(np.ones(6), (4,)).shape == (4,)
    assert ts.resize(np.ones(6), (2, 4)).shape == (2, 4)


@test
def shapes_may_be_one_number():
    a = np.arange(36.0).reshape(6, 6)
    np.testing.assert_array_equal(ts.bin(a, 2), ts.bin(a, (2, 2)))
    np.testing.assert_array_equal(ts.median_filter(a, 3), ts.median_filter(a, (3, 3)))
    assert ts.zeros(5).shape == (5,)
    stack = a.reshape(1, 1, 6, 6).repeat(2, 0)
    assert ts.bin(stack, 2).shape == (2, 1, 3, 3)


@test
def made_arrays_have_the_axes_of_their_shape():
    for shape in ((), (3,), (1, 3), (2, 3, 4), (1, 1, 1, 1)):
        for made in (ts.zeros(shape), ts.full(shape, 2.0), ts.random_normal(shape, 0, 1, 7)):
            assert made.shape == shape and made.ndim == len(shape) and made.dtype == "f64"
    assert ts.random_integers((3,), 0, 9, 1).dtype == "i64"
    assert ts.zeros((2,), np.uint8).dtype == "u8" and ts.ones(2, dtype="complex64").dtype == "c32"


@test
def rows_of_numbers_are_tables():
    a = np.zeros((3, 1, 8, 8), np.float32)
    a[:, 0, 2, 3] = 1
    shifts = np.array([[0, 0], [1, 2], [-1, 1]])
    moved = ts.phase_shift_image(a, shifts)
    for i, (h, w) in enumerate(shifts):
        np.testing.assert_allclose(moved[i, 0], np.roll(a[i, 0], (h, w), (0, 1)), atol=1e-6)
    np.testing.assert_allclose(ts.phase_shift_image(a[0, 0], [1, 2]), np.roll(a[0, 0], (1, 2), (0, 1)), atol=1e-6)


@test
def origins_are_tables():
    a = np.arange(64.0).reshape(8, 8)
    boxes = ts.extract(a, np.array([[1, 2], [3, 4]]), (2, 2))
    assert boxes.shape == (2, 2, 2) and ts.extract(a, [[1, 2]], (2, 2)).shape == (1, 2, 2)
    np.testing.assert_array_equal(boxes[1], a[3:5, 4:6])
    np.testing.assert_array_equal(ts.insert(a * 0, boxes, np.array([[1, 2], [3, 4]]))[3:5, 4:6], a[3:5, 4:6])


@test
def truth_values_have_no_precision():
    assert ts.bit_or(np.array([True]), True).dtype == np.bool_ and ts.add(np.ones(1, np.float32), True).dtype == np.float32
    assert ts.add(np.ones(1, np.uint8), True).dtype == np.uint8 and ts.where(True, np.ones(2), np.zeros(2)).sum() == 2


@test
def outputs_that_are_asked_for():
    a = np.array([3.0, 1, 3, 2])
    assert isinstance(ts.unique(a), np.ndarray)
    got = ts.unique(a, counts=True, inverse=True)
    want = np.unique(a, return_counts=True, return_inverse=True)
    np.testing.assert_array_equal(got.values, want[0])
    np.testing.assert_array_equal(got.counts, want[2])
    np.testing.assert_array_equal(got.inverse, want[1])
    np.testing.assert_array_equal(ts.topk(a, 2, values=False, indices=True), [0, 2])
    indices = np.empty(2, np.int64)
    values, same = ts.topk(a, 2, indices=indices)
    assert same is indices and list(values) == [3, 3]
    out, step = ts.linspace((5,), 0, 1, step=True)
    assert step == 0.25 and out.tolist() == [0, 0.25, 0.5, 0.75, 1]
    atlas, origins = ts.atlas_layout(3, 4, 5)
    assert atlas == (8, 10) and origins.shape == (3, 2)


@test
def arrays_that_are_changed():
    a = np.zeros((4, 4))
    assert ts.fill(a, 2) is a and (a == 2).all()
    assert ts.fill_element(a, 3) is a and (a == 3).all()
    got = ts.put_flat(a.reshape(-1), np.array([9.0]), np.array([5]))
    assert got[5] == 9 and a[1, 1] == 9
    box = ts.insert(a, np.ones((1, 1, 2, 2)), np.array([[[[0, 0]]]]))
    assert box is a and a[0, 0] == 1 and a[3, 3] == 3
    noise = np.empty((3, 3), np.float32)
    assert ts.random_uniform(noise, 0, 1, 3) is noise and 0 <= noise.min() < noise.max() < 1


@test
def axes_that_are_not_there():
    a = np.ones((2, 3))
    raises(IndexError, "sum: axis is 2; the array has 2 axes", ts.sum, a, 2)
    raises(IndexError, "sum: axis is -3; the array has 2 axes", ts.sum, a, -3)
    raises(TypeError, "sum: axis is 'x'; expected an axis", ts.sum, a, "x")
    raises(ValueError, "sum: axis is (); expected one axis or more", ts.sum, a, ())
    raises(ValueError, "add: x has 5 axes; at most 4 are allowed", ts.add, np.ones((1,) * 5), 1)
    raises(ValueError, "permute_copy: axes is (0,)", ts.permute_copy, a, (0,))
    np.testing.assert_array_equal(ts.permute_copy(a * [[1, 2, 3]], (1, 0)), (a * [[1, 2, 3]]).T)


finish()
