#!/usr/bin/env python3
"""Where habits from NumPy and SciPy could mislead: special values, axes in messages, ranks of images. traps.py BUILD"""
import operator
import os
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, raises, test

import numpy as np

import tessera as ts

IMAGE = np.random.default_rng(3).random((6, 8))


# ---- Special values ----


@test
def means_of_nothing_are_nan():
    warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's
    for name in "mean median average nanmean nanmedian var std".split():
        for shape in ((0,), (0, 3), (3, 0), (2, 0, 3), (0, 0)):
            for dtype in ("f4", "f8", "i4", "c8"):
                x = np.zeros(shape, dtype)
                for axis in (None, 0, -1):
                    if name == "average" and 0 in np.mean(x, axis=axis).shape or "median" in name and dtype == "c8":
                        continue  # NumPy divides by 0 there
                    got, want = getattr(ts, name)(x, axis), getattr(np, name)(x, axis=axis)
                    np.testing.assert_array_equal(got, want, f"{name} {shape} {dtype} {axis}")
                    assert np.shape(got) == np.shape(want) and np.asarray(got).dtype == np.asarray(want).dtype, (name, dtype)
    x = np.zeros((0, 3))
    assert ts.mean(x, 0, keepdims=True).shape == (1, 3) and np.isnan(ts.mean([])) and np.isnan(ts.asarray(x).mean())
    out = np.zeros(3)
    assert ts.mean(x, 0, out=out) is out and np.isnan(out).all()
    assert np.isnan(ts.mean_std(x).mean) and np.isnan(ts.weighted_mean(x, x)) and np.isnan(ts.nanquantile(x, 0.5))
    for name in ("max", "min", "argmax", "argmin", "nanmax", "ptp", "minmax"):
        raises(ValueError, f"{name}: in has", getattr(ts, name), x)
    raises(ValueError, "quantile: in has", ts.quantile, x, 0.5)


@test
def integers_have_no_negative_powers():
    for x, y in (([2], -1), ([2, 3], [1, -2]), (2, -1), (np.int32(2), -1), (np.array([2], "u1"), np.array([-1], "i1")), ([True], -1)):
        raises(ValueError, "power: y has negative integers, and x has dtype", ts.power, x, y)
        raises(ValueError, "", np.power, x, y)
    whole = ts.arange(1, 4, dtype="i4")
    raises(ts.ArgumentError, "pow: y has negative integers, and x has dtype i32; expected x of floats", operator.pow, whole, -1)
    raises(ValueError, "pow: ", operator.ipow, whole, -1)
    raises(ValueError, "pow: ", operator.pow, 2, -whole)
    for x, y in (([2.0], -1), ([2], -1.0), ([2], [3, 0]), (np.float32(2), -1), (np.array([2], "u1"), np.array([3], "u1"))):
        np.testing.assert_array_equal(ts.power(x, y), np.power(x, y))
    assert ts.power([2], -1, dtype="f8").tolist() == [0.5] and (2.0 ** -whole).tolist() == [0.5, 0.25, 0.125]
    assert ts.power(np.zeros(0, int), -np.ones(0, int)).shape == (0,)


@test
def dtype_holds_the_numbers_or_raises():
    whole = np.array([1, 2], "i4")
    for number, dtype, text in ((200, "i1", "i8, which cannot hold the number 200"), (1.5, "i4", "i32, which cannot hold the number 1.5"),
                                (2.0, "i4", "the number 2.0"), (-1, "u1", "u8, which cannot hold the number -1"),
                                (1j, "f4", "f32, which cannot hold the number 1j")):
        raises(TypeError, "add: dtype is ", ts.add, whole, number, dtype=dtype)
        raises(ts.DtypeError, text, ts.add, whole, number, dtype=dtype)
    assert ts.add(whole, 100, dtype="i1").dtype == "i1" and ts.add(whole, 0.5, dtype="f4").dtype == "f4"
    assert ts.add(whole, True, dtype="u1").tolist() == [2, 3]


@test
def labels_fit_or_raise():
    dots = np.zeros((41, 41), bool)
    dots[::2, ::2] = True
    raises(ts.RangeError, "label: out is u8, which cannot hold the label 441; i32 can hold it", ts.label, dots,
           out=np.zeros(dots.shape, "u1"))
    assert ts.label(dots, out=np.zeros(dots.shape, "u2")).max() == 441
    markers = np.asarray(ts.label(dots))
    flat = np.zeros(dots.shape)
    raises(ts.RangeError, "watershed: out is i8, which cannot hold the label 441", ts.watershed, flat, markers,
           out=np.zeros(dots.shape, "i1"))
    raises(ts.RangeError, "watershed: out is u16, which cannot hold the label -500; i32 can hold it", ts.watershed, flat, markers - 500,
           out=np.zeros(dots.shape, "u2"))
    assert ts.watershed(flat, markers, out=np.zeros(dots.shape, "i2")).max() == 441


@test
def whole_floats_are_floats():
    for dtype in ("?", "u1", "i4", "i8"):
        x = np.array([0, 1], dtype)
        for name in ("add", "multiply", "subtract", "power", "maximum", "minimum", "floor_divide", "remainder"):
            got = getattr(ts, name)(x, 2.0)
            np.testing.assert_array_equal(got, getattr(np, name)(x.astype(float), 2.0))
            assert got.dtype == np.float64, (name, dtype)
        assert (2.0 * ts.asarray(x)).dtype == ts.where(x > 0, x, 2.0).dtype == ts.add([1, 2], 2.0).dtype == "f64"
        assert ts.clip(x, 0.0, 1.0).dtype == np.float64 and ts.add(x, 2).dtype != np.float64
        raises(ts.DtypeError, "mul: the result has dtype f64", operator.imul, ts.asarray(x), 2.0)
    assert (ts.ones(2, "f4") * 2.0).dtype == "f32" and (ts.ones(2, "c32") * 2.0).dtype == "c32"


# ---- Messages ----


@test
def axes_and_shapes_are_those_of_the_caller():
    a, v = IMAGE[:3, :4], np.random.default_rng(4).random((4, 5, 6))
    for text, call in (
            ("take: indices[0] is 9; axis 0 has size 3, so -3 to 2 are allowed", lambda: ts.take(a, [9], 0)),
            ("take: indices[0] is 9; axis 2 has size 6", lambda: ts.take(v, [9], -1)),
            ("topk: k is 9; 0 to 4, the size of axis 1, is allowed", lambda: ts.topk(a, 9)),
            ("topk: k is 9; 0 to 4, the size of axis 0, is allowed", lambda: ts.topk(a[0], 9)),
            ("partition: kth is 9; axis 1 has size 4, so -4 to 3 are allowed", lambda: ts.partition(a, 9)),
            ("concatenate: parts[1] has shape (4, 3) and parts[0] has (3, 4); they may differ only in axis 0",
             lambda: ts.concatenate([a, a.T])),
            ("concatenate: parts[1] has shape (2, 4) and parts[0] has (3, 4); they may differ only in axis 1",
             lambda: ts.concatenate([a, a[:2]], 1)),
            ("vstack: arrays[1] has shape (4, 3) and arrays[0] has (3, 4); they may differ only in axis 0", lambda: ts.vstack([a, a.T])),
            ("hstack: arrays[1] has shape (2, 4) and arrays[0] has (3, 4); they may differ only in axis 1", lambda: ts.hstack([a, a[:2]])),
            ("stack: arrays[1] has shape (2, 4) and arrays[0] has (3, 4); expected equal shapes", lambda: ts.stack([a, a[:2]])),
            ("add: y has shape (5,), which cannot be broadcast with (3, 4) of the others: axis 1 must be", lambda: ts.add(a, np.ones(5))),
            ("subtract: y has shape (5, 5), which cannot be broadcast with (4, 5, 6)", lambda: ts.subtract(v, np.ones((5, 5)))),
            ("matmul: a has shape (3, 4) and b (3, 4): 4 columns", lambda: ts.matmul(a, a)),
            ("matmul: a has shape (3, 4) and b (3,): 4 columns", lambda: ts.matmul(a, a[:, 0])),
            ("max: in has shape (0, 3) with no elements", lambda: ts.max(np.zeros((0, 3)))),
            ("median_filter: window has shape (4, 4); odd sizes", lambda: ts.median_filter(a, 4)),
            ("fft: axis is 2; the array has 2 axes", lambda: ts.fft(a, axis=2)),
            ("rfft2: axes is 7; the array has 3 axes", lambda: ts.rfft2(v, axes=(0, 7))),
            ("fft2: axes is -2; the array has 1 axis", lambda: ts.fft2(a[0])),
            ("fftn: s is (3, 4, 5), and the array has 2 axes", lambda: ts.fftn(a, (3, 4, 5))),
            ("fftn: a has 5 axes; expected at most 4", lambda: ts.fftn(np.ones((1, 1, 1, 2, 2)))),
            ("percentile: q is 120; expected 0 to 100, in per cent", lambda: ts.percentile(a, [1, 120])),
            ("nanpercentile: q is -3; expected 0 to 100", lambda: ts.nanpercentile(a, -3)),
            ("histogram: edges has shape (3,); for 5 bins (6,) is needed", lambda: ts.histogram(a, 5, edges=[0, 0.5, 1])),
            ("ctf_image: ctf has no pixel_size; expected pixel_size: ", lambda: ts.ctf_image((8, 8), {"defocus": 1.0})),
            ("asarray: object has an integer that 64 bits cannot hold", lambda: ts.asarray(2**70)),
            ("asarray: object has an integer that 64 bits cannot hold", lambda: ts.asarray([1, -2**70])),
            ("rotate_image: in_ has 1 axis; expected an image of two axes", lambda: ts.rotate_image(a[0], 0.3)),
            ("resize: shape has 3 numbers, and the array 2 axes", lambda: ts.resize(a, (4, 4, 4))),
            ("extract: shape has 3 numbers, and the array 2 axes", lambda: ts.extract(a, [[0, 0]], (4, 4, 4))),
            ("peaks: map has 5 axes; expected at most 4, or ndim=2 or ndim=3", lambda: ts.peaks(np.ones((1, 1, 1, 4, 4)), 1))):
        raises((ValueError, IndexError, OverflowError), text, call)


@test
def operators_of_the_caller_too():
    work = ts.op("op f(in f32 x, in f32 y, out f32 z) { z = x + y; }")
    raises(ts.ShapeError, "y has shape (5, 5), which cannot be broadcast with (3, 4) of the others: axis 0 must be", work,
           np.ones((3, 4), "f4"), np.ones((5, 5), "f4"))


@test
def an_axis_is_given_once():
    v = np.random.default_rng(4).random((4, 5, 6))
    for name in ("sum", "mean", "max", "median", "any", "flip", "fftshift", "count_nonzero", "std"):
        for axes in ((0, 0), (1, -2), [2, 0, 2]):
            raises(ValueError, f"{name}: ax", getattr(ts, name), v, axes)
    raises(ValueError, "sum: axis has axis 0 twice; expected different axes", ts.sum, v, (0, 0))
    raises(ValueError, "expand_dims: axis is (0, 0); expected different axes", ts.expand_dims, v, (0, 0))
    raises(ValueError, "squeeze: axis is (0, 0)", ts.squeeze, v[:1], (0, 0))
    raises(ValueError, "moveaxis: source is (0, 0)", ts.moveaxis, v, (0, 0), (1, 2))
    raises(ValueError, "quantile: axis has axis 0 twice", ts.quantile, v, [0.5], (0, 0))
    np.testing.assert_array_equal(ts.roll(v, (1, 2), (0, 0)), np.roll(v, (1, 2), (0, 0)))


# ---- Images, volumes, and more axes ----


@test
def many_axes_in_front():
    z = np.random.default_rng(5).random((2, 2, 3, 8, 8))
    for name in ("fft", "fft2", "rfft", "rfft2"):
        np.testing.assert_allclose(getattr(ts, name)(z), getattr(np.fft, name)(z), atol=1e-10)
    np.testing.assert_allclose(ts.fft(z, axis=-2), np.fft.fft(z, axis=-2), atol=1e-10)
    np.testing.assert_allclose(ts.fftn(z, axes=(2, 3, 4)), np.fft.fftn(z, axes=(2, 3, 4)), atol=1e-9)
    np.testing.assert_allclose(ts.ifft2(z + 0j), np.fft.ifft2(z), atol=1e-12)
    np.testing.assert_allclose(ts.irfft2(np.fft.rfft2(z)), z, atol=1e-12)
    np.testing.assert_allclose(ts.fft2(z[0, 0], axes="hw"), np.fft.fft2(z[0, 0]), atol=1e-10)
    np.testing.assert_allclose(ts.power_spectrum_1d(z, ndim=2)[1, 1, 2], ts.power_spectrum_1d(z[1, 1, 2]), rtol=1e-12)
    np.testing.assert_array_equal(ts.transform_2d(z, np.eye(2), ndim=2), z)
    assert set(ts.peaks(z[0, 0], 0.9, ndim=2)[:, 0]) <= {0, 1, 2} and ts.fourier_rescale(z[0], 1, 2, ndim=2).shape == (2, 3, 4, 4)


@test
def axes_of_size_1_count_if_ndim_says_so():
    from scipy import ndimage
    a = np.random.default_rng(6).random((1, 6, 7))
    for mode in ("constant", "nearest", "reflect", "mirror", "wrap"):
        np.testing.assert_allclose(ts.uniform_filter(a, 3, mode=mode, ndim=3), ndimage.uniform_filter(a, 3, mode=mode), atol=1e-12)
        np.testing.assert_array_equal(ts.median_filter(a, 3, mode=mode, ndim=3), ndimage.median_filter(a, 3, mode=mode))
        np.testing.assert_array_equal(ts.median_filter(a, 3, mode=mode)[0], ndimage.median_filter(a[0], 3, mode=mode))
    np.testing.assert_array_equal(ts.grey_erode(a[0], window=3)[1:-1, 1:-1], ndimage.grey_erosion(a[0], 3)[1:-1, 1:-1])
    ring = np.zeros((1, 5, 5), bool)
    ring[0, 1:4, 1:4] = True
    ring[0, 2, 2] = False
    for got, want in ((ts.fill_holes(ring, ndim=3), ring), (ts.fill_holes(ring, ndim=2)[0], ring[0]), (ts.fill_holes(ring)[0], ring[0])):
        np.testing.assert_array_equal(got, ndimage.binary_fill_holes(want))
    np.testing.assert_array_equal(ts.fill_holes(ring[:, 2], ndim=2), ndimage.binary_fill_holes(ring[:, 2]))
    out = np.zeros(ring.shape, bool)
    assert ts.fill_holes(ring, ndim=3, out=out) is out and out.sum() == ring.sum()


@test
def masks_of_numpy_are_kept_or_refused():
    masked, x = np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), ts.arange(3.0)
    assert x.tolist() == [0, 1, 2] and ts.arange(2.5).tolist() == [0, 1, 2]
    for made in (masked + x, masked * x, np.ma.add(x, masked)):
        assert isinstance(made, np.ma.MaskedArray) and made.mask.tolist() == [False, True, False]
    assert (masked + x).data[[0, 2]].tolist() == [1, 5]
    for call in (lambda: x + masked, lambda: np.add(masked, x), lambda: ts.sum(masked), lambda: operator.iadd(x, masked)):
        raises(ValueError, "is a masked array, whose mask would be ignored", call)


@test
def sobel_with_a_value_outside():
    from scipy import ndimage
    for axis in (0, 1):
        for image in (IMAGE, (10 * IMAGE).astype("i4")):
            want = ndimage.sobel(image.astype(float), axis, mode="constant", cval=3)
            np.testing.assert_allclose(ts.sobel(image, axis, mode="constant", cval=3), want, atol=1e-12)
    both = np.hypot(*(ndimage.sobel(IMAGE, axis, mode="constant", cval=3) for axis in (0, 1)))
    np.testing.assert_allclose(ts.sobel(IMAGE, mode="constant", cval=3), both, atol=1e-12)
    out = np.zeros(IMAGE.shape)
    assert ts.sobel(IMAGE, 0, mode="constant", cval=3, out=out) is out and ts.sobel(IMAGE.astype("f4"), mode="constant", cval=3).dtype == "f4"
    volume = np.random.default_rng(7).random((4, 5, 6))
    np.testing.assert_allclose(ts.sobel(volume, 1, mode="constant", cval=-2), ndimage.sobel(volume, 1, mode="constant", cval=-2), atol=1e-12)


# ---- What was made faster ----


@test
def arrays_are_tiled_and_joined_as_numpys():
    random = np.random.default_rng(8)
    for shape in ((), (3,), (2, 3), (2, 3, 4), (1, 2, 3, 4), (0, 3), (2, 0, 3)):
        x = random.random(shape)
        for reps in (2, 0, 1, (2,), (2, 3), (1, 2, 2), (2, 1, 1, 2), (0, 2)):
            if max(len(shape), np.size(reps)) <= 4:
                np.testing.assert_array_equal(ts.tile(x, reps), np.tile(x, reps), f"{shape} {reps}")
        np.testing.assert_array_equal(ts.tile(x.T, 2), np.tile(x.T, 2))
    raises(ValueError, "tile: reps is -1; expected 0 or more", ts.tile, [1, 2], -1)
    for n in (4, 200):  # small arrays are converted first, others where they belong
        a = random.random((n, n + 1))
        for parts in ([a, a.astype("f4")], [a, np.arange(a.size).reshape(a.shape), a > 0.5], [a.astype("c8"), a], [a > 0, a.astype("i2")]):
            for name in ("stack", "vstack", "hstack"):
                got, want = getattr(ts, name)(parts), getattr(np, name)(parts)
                np.testing.assert_array_equal(got, want)
                assert got.dtype == want.dtype
            np.testing.assert_array_equal(ts.stack(parts, -1), np.stack(parts, -1))
            raises(ValueError, "hstack: arrays[1] has shape", ts.hstack, [parts[0], parts[1][1:]])


@test
def complex_numbers_are_rounded():
    for dtype in ("c8", "c16"):
        x = np.array([1.26 + 2.5j, -0.5 - 7.77j], dtype)
        for decimals in (0, 1, -1):
            got, want = ts.round(x, decimals), np.round(x, decimals)
            np.testing.assert_allclose(got, want, rtol=1e-6)
            assert got.dtype == want.dtype


@test
def diagonals_of_any_strides():
    a, v = np.random.default_rng(9).random((3, 4)), np.random.default_rng(9).random((2, 3, 4))
    for x in (a, a.T, a[::2], a[:, ::-1], a[:0]):
        for offset in range(-5, 6):
            np.testing.assert_array_equal(ts.diagonal(x, offset), np.diagonal(x, offset))
            np.testing.assert_allclose(ts.trace(x, offset), np.trace(x, offset), atol=1e-15)
    np.testing.assert_array_equal(ts.diagonal(v, 1, 0, 2), np.diagonal(v, 1, 0, 2))
    out = np.zeros(4)
    assert ts.trace(v, out=out) is out and isinstance(ts.trace(a), np.float64) and isinstance(ts.trace([[1, 2], [3, 4]]), ts.Array)
    raises(IndexError, "diagonal: axis2 is 3; the array has 2 axes", ts.diagonal, a, 0, 0, 3)


finish()
