#!/usr/bin/env python3
"""What a user of NumPy types next: the same expressions on NumPy's arrays and here give the same values. habits.py BUILD"""
import os
import pickle
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import Skip, finish, raises, test

import numpy as np

import tessera as ts

A = np.random.default_rng(3).normal(size=(3, 4, 5)).astype(np.float32)
MASK = A > 0
HOLES = np.where(np.random.default_rng(4).random(A.shape) < 0.3, np.nan, A).astype(np.float32)
SPECTRUM = np.fft.rfft2(A).astype(np.complex64)

# m is the module, x an array of three axes, k one of integers, n one with NaNs, z a spectrum. What the first line has differs in dtype: f64 of NumPy's.
OTHER_DTYPES = "m.quantile(x, 0.25); m.quantile(x, [0.25, 0.5]); m.quantile(x, [0.25, 0.5], axis=1); m.arange(10); m.full(2, 7)"
SHAPES = """
    m.reshape(x, (-1, 5)); m.reshape(x, 60); m.ravel(x); m.squeeze(x[:1]); m.squeeze(x[:1, :1]); m.squeeze(x[:1], axis=0)
    m.expand_dims(x, 0); m.expand_dims(x[0], (0, -1)); m.transpose(x); m.transpose(x, (1, 0, 2)); m.swapaxes(x, 0, -1)
    m.moveaxis(x, 0, -1); m.moveaxis(x, (0, 1), (-1, 0)); m.broadcast_to(x[0, 0], (4, 5)); m.broadcast_to(x[0, 0, 0], 3)
    m.flip(x); m.flip(x, 1); m.flip(x, (0, -1)); m.roll(x, 2); m.roll(x, -7, axis=1); m.roll(x[0], (1, -2), axis=(0, 1))
    m.stack([x, x + 1]); m.stack([x[0], x[1]], axis=-1); m.vstack([x[0], x[1]]); m.vstack([x[0, 0], x[0, 1]])
    m.hstack([x[0], x[1]]); m.hstack([x[0, 0], x[0, 1]]); m.hstack([x, x]); m.concatenate([x, x], axis=2); m.roll(x[:0], 1, 0)
    m.pad(x[0], 1); m.pad(x[0], (1, 2)); m.pad(x[0], ((1, 2), (0, 3))); m.pad(x[0], 1, mode="edge"); m.pad(x[0], 2, mode="reflect")
    m.pad(x[0], 2, mode="symmetric"); m.pad(x[0], 2, mode="wrap"); m.pad(x[0], 1, mode="constant", constant_values=3)
"""
MAKING = """
    m.zeros_like(x); m.ones_like(x); m.full_like(x, 2.5); m.full_like(x, 2, dtype="i2"); m.zeros_like(x, dtype=np.float64)
    m.eye(3); m.linspace(0, 1, num=5); m.asarray(x, dtype=np.float64)
    m.array([True, False]); m.array([1, 2]); m.zeros((2, 3), dtype=np.int32); m.arange(0, 1, 0.25)
"""
WORK = """
    m.mean(x, axis=(0, 1)); m.mean(x, -1, keepdims=True); m.argmax(x, axis=1); m.argmax(x); m.argmin(x, 0); m.std(x, ddof=1)
    m.clip(x, 0, 1); m.clip(x, None, 0.5); m.clip(x, 0, None); m.clip(x, a_min=-1, a_max=1); m.where(x > 0, x, 0)
    m.sort(x, axis=None); m.sort(x, axis=0); m.argsort(x, axis=None); m.cumsum(x); m.cumsum(x, 1); m.cumprod(x[0]); m.cumsum(k)
    m.percentile(x.astype("f8"), 30); m.percentile(x.astype("f8"), [5, 95], axis=0); m.quantile(x.astype("f8"), [0.1, 0.5, 0.9])
    m.quantile(x.astype("f8"), [0.1, 0.5], axis=(0, 2)); m.quantile(x.astype("f8"), [0.1, 0.5], axis=-1, keepdims=True)
    m.quantile(x.astype("f8"), [[0.1, 0.5], [0.2, 1]], axis=1); m.quantile(x.astype("f8"), [0.5]); m.quantile(x.astype("f8"), 0.5, 1)
    m.amax(x); m.amin(x, axis=0); m.ptp(x); m.ptp(x, axis=1); m.average(x.astype("f8")); m.average(x.astype("f8"), 0)
    m.average(x.astype("f8"), weights=x.astype("f8") ** 2); m.average(x.astype("f8"), 1, [1, 2, 3, 4.0]); m.round(x); m.round(x, 2)
    m.sum(x, dtype=np.float64); m.sum(k, dtype="f4"); m.add(k, x[0, 0, 0], dtype=np.float64); m.mean(k, dtype=np.float32)
    m.multiply(k.astype("u1"), k.astype("u1"), dtype="i4"); m.nonzero(x > 0)[1]; m.where(x > 0)[2]; m.nonzero(k)[0]
    x @ m.ones((5, 2), dtype="f4"); m.matmul(x[0], x[1].T); abs(x); x ** 2; x % 2; x // 2; -x; 1 / x; (x > 0) & (x < 1); ~(x > 0)
"""
METHODS = """
    x.T; x.astype(float); x.astype("f4", copy=False); x.astype(np.int16); x.clip(0, 1); x.round(1); x.ravel(); x.flatten()
    x.swapaxes(0, 1); x.squeeze(); x.cumsum(); x.cumsum(1); x.argsort(axis=None); x.ptp(1) if hasattr(x, "ptp") else m.ptp(x, 1)
    x.take([2, 0], axis=0); x.take([7, 3]); x.nonzero()[0]; x.conjugate(); x.imag; x.real; (x + 1j).imag; x.dot(x[0, 0]) if 0 else x
    x.item(7); x.item(-1); x.item((1, 2, 3)); x.item(1, 2, 3); x.max(axis=(0, 2)); x.mean(0); x.sum(1, keepdims=True); x.std()
"""
INDICES = """
    x[x > 0]; x[MASK]; x[[0, 2]]; x[np.array([2, 2, -1])]; x[m.asarray([1, 0])]; x[[True, False, True]]; x[np.array([[0, 1], [2, 0]])]
    x[[]]; x[x > 100]; x[0][x[0] < 0]; x[np.array([], dtype=int)]; x[np.int64(1)]; x[m.asarray(1)]; k[k > 3]
"""
CURVES = """
    m.diff(x); m.diff(x, 2, axis=0); m.diff(k, prepend=0); m.diff(x, append=x[..., :1]); m.diff(x > 0); m.diff(k, n=3)
    m.diff(x, axis=1, prepend=1, append=2); m.gradient(x[0])[1]; m.gradient(x, axis=1); m.gradient(k)
    m.gradient(k, 0.5); m.gradient(x[0], 2.0, axis=0); m.gradient(x[0], [0, 1, 3, 4.5], axis=0)
    m.gradient(x[0, 0], edge_order=2); m.gradient(x[0], [0, 1, 3, 4.5], [1, 2, 4, 8, 16])[1]
    m.gradient(x[0], [0, 1, 3, 4.5], axis=0, edge_order=2); m.interp([0.5, 2.5, -1, 9, 3], k, k * 2.0)
    m.interp(x, [-1, 0, 2], [3, 5, 4.0]); m.interp(2.2, k, k ** 2); m.interp([1.0], [1.0], k[:1])
    m.interp([-1, 8], k, k, left=-5, right=7); m.interp([0.5, 7.5], [0, 1, 3], k[:3] ** 2, period=4)
    m.interp([0.5, 6], k, k * 1j)
"""
REPEATING = """
    m.tile(x, 2); m.tile(x, (2, 1, 3)); m.tile(k, (2, 3)); m.tile(x[0], (2, 1, 1)); m.tile(k, 0); m.repeat(x, 2)
    m.repeat(x, 3, axis=1); m.repeat(x, [1, 0, 2], axis=0); m.repeat(k, 0); m.repeat(k, 2); m.meshgrid(k, k[:3])[0]
    m.meshgrid(k, k[:3])[1]; m.meshgrid(k, k[:3], indexing="ij")[0]; m.meshgrid(k, k[:3], k[:2])[2]
    m.meshgrid(k, k[:3], sparse=True)[1]
"""
JOINING = """
    m.concatenate([x, x.astype("f8")]); m.concatenate([k, x[0, 0]]); m.concatenate([x, x[:1]], axis=None)
    m.concatenate((k, [1.5])); m.stack([k, k * 0.5]); m.hstack([k, x[0, 0]]); m.vstack([x[0, 0], k[:5]])
    m.concatenate(x); m.stack(x); m.vstack(x); m.concatenate([k.astype("u1"), k.astype("i1")]); m.stack([k > 1, k])
    m.hstack([x, x.astype("f2")])
"""
PRODUCTS = """
    m.matmul(x, x[0, 0]); m.matmul(x[0, 0, :4], x); m.matmul(k, k); x @ x[0, 0]; x[0, 0, :4] @ x; k @ k; x @ k[:5]
    m.matmul(x[0], x[0, 0]); m.cross(x[0, :, :3], x[1, :, :3]); m.cross(x[0, :, :2], x[1, :, :2])
    m.cross(x[0, :, :3], x[1, :, :2]); m.cross(x[:, 0, :], x[:, 1, :], axis=0); m.trace(x[0]); m.trace(x)
    m.trace(x, 1, 1, 2); m.diagonal(x[0]); m.diagonal(x, -1, 0, 2); m.diagonal(x, 9); m.diagonal(x, 1, -1, -2)
    m.outer(k, k[:3]); m.outer(x[0], k); m.inner(k, k); m.inner(x, x[0]); m.inner(x, 2.0); m.vdot(x, x)
    m.vdot(k + 1j, k - 2j); m.dot(k, k); m.dot(x, x[0, 0]); m.dot(x[0], x[1].T); m.dot(x[0, 0, :4], x[0])
    m.dot(x, x[0].T); m.dot(x[0], x.transpose(0, 2, 1)); x.dot(x[0, 0])
"""
FALSE_FRIENDS = """
    m.round([0.5, 1.5, 2.5, -0.5, 3.49] + x[0, 0]); m.round(k / 2); m.round(x * 100, -1); m.round(k * 7, -1)
    m.round(k, 2); (k / 2).round(); m.mod(k - 4, 3); m.mod(x, -0.3); m.fmod(x, 0.3); m.fmod(k - 4, 3); m.sinc(x)
    m.sinc(k / 2); m.compress([True, False, True], x, axis=0); m.compress([0, 1, 0, 1], x); m.compress([1, 0], x, 2)
    m.convolve(x[0, 0], x[0, 1], mode="full"); m.convolve(k * 1.0, x[0, 0], "same")
    m.convolve(x[0, 0], [1, 2.0], mode="valid"); m.convolve([1.0, 2], k * 0.5, mode="valid")
    m.convolve(x[0, 0], x[0, 1, :4], mode="same")
"""
COUNTING = """
    m.unique(k % 3); m.unique(x > 0); m.unique(k % 3, return_index=True)[1]; m.unique(k % 3, return_inverse=True)[1]
    m.unique(k % 3, return_counts=True)[1]; m.unique(k % 3, True, True, True)[3]; m.searchsorted(k, 3)
    m.searchsorted(k, 3, side="right"); m.searchsorted(k, [2.5, 3]); m.searchsorted(k, [2.5, 3], "right")
    m.searchsorted(k, [[1, 2], [3, 9]]); m.searchsorted(a=k, v=[2.5]); m.histogram(x)[0]; m.histogram(x)[1]
    m.histogram(x, 4)[1]; m.histogram(x, 4, (-1, 1))[0]; m.histogram(x, 4, range=(-1, 1))[1]
    m.histogram(x, [-1, 0, 0.5, 3])[0]; m.histogram(x.astype("f8"), 5, density=True)[0]
    m.histogram(k, 3, weights=k * 1.0)[0]; m.histogram(k * 0 + 2, 3)[1]; m.histogram(k[:0], 3)[1]; m.bincount(k % 3)
    m.bincount(k % 3, weights=k); m.bincount(k[:2], minlength=5); m.take(x, [7, 3]); m.take(x, k[:2], axis=1)
    m.bincount(k[:0]); m.isclose(x, x + 1e-9); m.isclose(n, n, equal_nan=True); m.isclose(x, x * 1.1, 0.2)
    m.allclose(n, n); m.allclose(n, n, equal_nan=True); m.linspace(0, 1, 5, endpoint=False); m.linspace(0, 1)
    m.linspace(1, 2, 4, retstep=True)[1]; m.linspace(start=0, stop=2, num=3)
    m.linspace(0, 1, 5, endpoint=False, retstep=True)[1]; x[:, m.newaxis]; m.asarray(m.pi)
"""
WITHOUT_NANS = """
    m.nanmean(n, 0); m.nanmax(n, axis=1); m.nanmin(n); m.nanstd(n, axis=-1); m.nanvar(n, ddof=1); m.nanmedian(n, 0)
    m.nanargmax(n, 1); m.nanargmin(n); m.nansum(n, 1, keepdims=True); m.nansum(n); m.nanprod(n, 1)
    m.nanmean(n, axis=(0, 1)); m.nansum(k); m.nanmax(k); m.nanquantile(n.astype("f8"), 0.3, 0)
    m.nanpercentile(n.astype("f8"), [20, 70], 1); m.nanmedian(n, axis=(0, 2))
"""
NUMPYS_WORDS = """
    m.sum(a=x); m.mean(a=x, axis=0); m.flip(m=x); m.roll(a=x, shift=1); m.expand_dims(a=x, axis=0); m.round(a=x)
    m.clip(a=x, a_min=0, a_max=1); m.sort(a=x); m.cumsum(a=x); m.stack(arrays=[x, x]); m.histogram(a=x)[0]
    m.isclose(a=x, b=x); m.diff(a=x); m.trace(a=x); m.tile(k, reps=2); m.outer(a=k, b=k); m.nanmean(a=n)
    m.quantile(a=x.astype("f8"), q=0.5); m.dot(a=k, b=k); m.unique(ar=k); m.interp(x=[0.5], xp=k, fp=k)
    m.max(a=x, axis=1); m.compress(condition=[1, 0], a=k); m.allclose(a=x, b=x)
"""
# f is numpy.fft, or the module. NumPy's transforms are f64 at the time.
TRANSFORMS = """
    f.fft(x); f.fft(x, 8); f.fft(x, 3, axis=0); f.fft(x, axis=1, norm="ortho"); f.ifft(x, 7); f.fft2(x)
    f.fft2(x, (3, 7)); f.fft2(x, axes=(0, 1)); f.ifft2(x, s=(4, 6)); f.fftn(x); f.fftn(x, s=(2, 6))
    f.ifftn(x, axes=(0, 2), norm="ortho"); f.fftn(x, s=(2, 6), axes=(0, 1)); f.fft(z); f.rfft(x); f.rfft(x, 9)
    f.rfft(x, 3); f.rfft(x, axis=0); f.rfft(x, 6, axis=1, norm="ortho"); f.rfft2(x); f.rfft2(x, (6, 4))
    f.fft(a=x, n=4); f.rfft2(x, axes=(0, 1)); f.rfft2(x, axes=(-1, 0)); f.rfftn(x); f.rfftn(x, s=(3, 8))
    f.rfftn(x, axes=(2, 1)); f.rfftn(x, axes=(1,)); f.irfft(z); f.irfft(z, 9); f.irfft(z, 5); f.irfft(z, 4, axis=0)
    f.irfft2(z); f.irfft2(z, (6, 5)); f.irfft2(z, axes=(0, 1)); f.irfftn(z); f.irfftn(z, s=(2, 3, 9))
    f.irfftn(z, axes=(2, 0)); f.irfftn(z, s=(4, 6), axes=(1, 2), norm="ortho"); f.fft(k); f.rfft(k > 2)
    f.fft([1, 2, 3] + k[:3]); f.fftshift(x); f.ifftshift(x, axes=1); f.fftshift(x, (0, 2)); f.fftshift(k)
    f.ifftshift(k); f.ifft(k)
"""
LISTS = """
    m.add([[1, 2], [3, 4]], [1, 2]); m.add([np.arange(3), np.arange(3)], 1)
    m.mean([np.arange(3.0), [1, 2, 3]], axis=0); m.flip([1, 2, 3]); m.diff((1, 4, 9)); m.tile([1, 2], 2)
    m.cross([1, 0, 0], [0, 1, 0]); m.dot([1, 2], [3, 4]); m.interp([0.5], [0, 1], [1, 3]); m.nanmax([1, np.nan])
    m.histogram([1, 2, 2], 2)[0]; m.histogram([], 3)[1]; m.unique([3, 1, 3]); m.repeat(3, 4); m.round([0.5, 2.5])
    m.sum([[np.ones(2), np.ones(2)], [np.ones(2), np.ones(2)]], axis=0)
    m.isclose([1, np.nan], [1, np.nan], equal_nan=True); m.stack([1, 2.5]); m.asarray([np.arange(2), np.arange(2.0)])
    m.gradient([1, 4, 9.0]); m.where([True, False], [1, 2], 3); m.trace([[1, 2], [3, 4]])
"""


def names_for(module, x, k, n, z):
    return {"m": module, "f": module.fft if module is np else module, "np": np, "x": x, "k": k, "n": n, "z": z, "MASK": MASK}


def check(expression, module, x, k, n=HOLES, z=SPECTRUM):
    try:
        want = eval(expression, names_for(np, A.copy(), np.arange(7), HOLES, SPECTRUM))
    except (TypeError, ValueError):
        assert np.lib.NumpyVersion(np.__version__) < "1.22.0", expression
        return np.zeros(())
    made = eval(expression, names_for(module, x, k, n, z))
    got = np.asarray(made)
    assert got.shape == np.shape(want), f"{expression}: {got.shape} for {np.shape(want)}"
    close = np.allclose(got, want, rtol=1e-5, atol=1e-5 if expression in TRANSFORMS else 1e-6, equal_nan=True)
    assert close, f"{expression}: {got} for {want}"
    assert expression in OTHER_DTYPES + TRANSFORMS or got.dtype == np.asarray(want).dtype, f"{expression}: {got.dtype}"
    return made


def expressions(text):
    return [e.strip() for e in text.replace("\n", ";").split(";") if e.strip()]


MORE = CURVES + REPEATING + JOINING + PRODUCTS + FALSE_FRIENDS + COUNTING + WITHOUT_NANS + TRANSFORMS + NUMPYS_WORDS


@test
def functions_and_operators_on_arrays():
    for expression in expressions(OTHER_DTYPES + SHAPES + MAKING + WORK + METHODS + INDICES + MORE):
        made = check(expression, ts, ts.array(A), ts.asarray(np.arange(7)), ts.array(HOLES), ts.array(SPECTRUM))
        assert not isinstance(made, np.ndarray), expression


@test
def lists_of_numbers_and_of_arrays():
    for expression in expressions(LISTS):
        check(expression, ts, ts.array(A), ts.asarray(np.arange(7)))


@test
def arrays_of_numpy_stay_numpys():
    for expression in expressions(SHAPES + WORK + MORE):
        if "@" not in expression and "linspace" not in expression and "m.pi" not in expression:
            made = check(expression, ts, A.copy(), np.arange(7))
            if isinstance(made, (bool, float)):
                continue
            assert isinstance(made, (np.ndarray, np.generic)), (expression, type(made))
    for function in (ts.zeros_like, ts.ones_like, ts.empty_like, ts.ravel, ts.flip):
        assert type(function(A)) is np.ndarray and type(function(ts.asarray(A))) is ts.Array
    assert type(ts.zeros_like(A, device="cpu")) is ts.Array and type(ts.reshape([1, 2], (2, 1))) is ts.Array


@test
def first_arrays_have_numpys_names():
    x, y = A[0], A[1]
    for name in ("a", "x", "arr", "array", "m", "input", "image"):
        np.testing.assert_array_equal(ts.exp(**{name: x}), ts.exp(x))
        np.testing.assert_array_equal(ts.lowpass_image(cutoff=0.1, **{name: x}), ts.lowpass_image(x, 0.1))
        np.testing.assert_array_equal(ts.flip(**{name: x}), x[::-1, ::-1])
    for first, second in (("x1", "x2"), ("a", "b"), ("x", "y"), ("x1", "y")):
        np.testing.assert_array_equal(ts.sub(**{first: x, second: y}), x - y)
        np.testing.assert_array_equal(ts.matmul(**{first: x, {"y": "b"}.get(second, second): y.T}), x @ y.T)
    np.testing.assert_array_equal(ts.median_filter(input=x, size=3, mode="nearest"), ts.median_filter(x, 3, border="clamp"))
    raises(TypeError, "exp() got multiple values for argument 'x'", lambda: ts.exp(x, a=x))
    raises(TypeError, "sub() got multiple values for argument 'x'", lambda: ts.sub(a=x, x1=x))
    raises(TypeError, "flip() got multiple values for argument 'a'", lambda: ts.flip(a=x, m=x))
    raises(TypeError, "got multiple values for argument 'a'", lambda: ts.flip(x, m=x))
    raises(TypeError, "exp() got an unexpected keyword argument 'x1'", lambda: ts.exp(x1=x))
    raises(TypeError, "eye() got an unexpected keyword argument 'a'", lambda: ts.eye(a=3))


@test
def integers_are_promoted_where_floats_are_needed():
    of = {"u1": "f4", "i1": "f4", "i2": "f4", "u2": "f4", "i4": "f8", "u4": "f8", "i8": "f8", "?": "f4"}
    counts = np.random.default_rng(5).integers(0, 2, (16, 20))
    for dtype, want in of.items():
        x = counts.astype(dtype)
        for function, extra in ((ts.lowpass_image, (0.1,)), (ts.fft_r2c, ()), (ts.rfft2, ()), (ts.whiten_image, ())):
            made = function(x, *extra)
            np.testing.assert_array_equal(made, function(counts.astype(want), *extra))
            assert type(made) is np.ndarray and made.real.dtype == want, (function, dtype)
        assert ts.lowpass_image(ts.asarray(x), 0.1).dtype == np.dtype(want)
    image, kernel = A[0], np.ones((3, 3), int)
    want = ts.convolve(image.astype("f8"), kernel.astype("f8"))
    for filter in (kernel, np.ones((3, 3))):
        np.testing.assert_allclose(ts.convolve(image, filter), want, rtol=1e-5)
    np.testing.assert_allclose(ts.convolve(image, kernel.tolist()), want, rtol=1e-5)
    made = ts.taper_radial(kernel.tolist(), 1)
    assert made.dtype == "f64" and made.shape == (3, 3)
    out = np.zeros((16, 20), np.float32)
    assert ts.lowpass_image(counts.astype("u1"), 0.1, out=out) is out
    np.testing.assert_array_equal(out, ts.lowpass_image(counts.astype("f4"), 0.1))
    raises(ts.DtypeError, "lowpass_image: the result has dtype f64, which does not fit into out of dtype u8", ts.lowpass_image, counts,
           0.1, out=counts.astype("u1"))
    raises(ts.DtypeError, "bit_and: ", ts.bit_and, counts, 1.5 * counts)
    raises(ts.DtypeError, "lowpass_image: in is c64", ts.lowpass_image, counts * 1j, 0.1)
    np.testing.assert_array_equal(ts.fsc(counts, counts), ts.fsc(counts * 1.0, counts * 1.0))


@test
def vectors_in_products():
    x = ts.array(A)
    for left, right in ((x, A[0, 0]), (A[0, 0, :4].tolist(), x), (x[0], A[0, 0].tolist())):
        made = left @ right
        assert isinstance(made, ts.Array)
        np.testing.assert_allclose(made.numpy(), np.asarray(left) @ np.asarray(right), rtol=1e-5)
    assert type(ts.matmul(np.ones(3), np.ones(3))) is np.float64 and type(ts.matmul([1, 2], [3, 4])) in (int, ts.Array)
    out = np.empty((3, 4), np.float32)
    assert ts.matmul(A, A[0, 0], out=out) is out
    np.testing.assert_allclose(out, A @ A[0, 0], rtol=1e-5)
    wide = np.ones((2, 3, 2, 4, 5))
    assert ts.matmul(wide, np.ones(5)).shape == (2, 3, 2, 4) and ts.matmul(np.ones(4), wide).shape == (2, 3, 2, 5)
    raises(ts.ShapeError, "matmul: ", ts.matmul, A, A[0, 0, :4])
    raises(ValueError, "matmul: a is a number; expected an array of at least one axis", ts.matmul, 3, A)
    raises(ValueError, "matmul: b is a number", lambda: x @ np.float32(2))


@test
def filters_are_those_of_scipy():
    try:
        from scipy import ndimage
    except ImportError:
        raise Skip("SciPy is not installed")
    image = np.random.default_rng(6).normal(size=(12, 15))
    for size in ((3, 3), (2, 3), (4, 2), (1, 4)):
        weights = np.random.default_rng(7).normal(size=size)
        for mode in ("reflect", "nearest", "mirror", "wrap", "constant"):
            np.testing.assert_allclose(ts.convolve(image, weights, mode=mode), ndimage.convolve(image, weights, mode=mode), atol=1e-12)
            np.testing.assert_allclose(ts.convolve(image, weights, correlate=True, mode=mode, cval=2),
                                       ndimage.correlate(image, weights, mode=mode, cval=2), atol=1e-12)
        np.testing.assert_allclose(ts.convolve(image, weights), ndimage.convolve(image, weights), atol=1e-12)
    for mode in ("reflect", "nearest", "mirror", "wrap", "constant"):
        np.testing.assert_array_equal(ts.median_filter(image, 3, mode=mode, cval=1), ndimage.median_filter(image, 3, mode=mode, cval=1))
        np.testing.assert_allclose(ts.gaussian_filter(image, 1, mode=mode, cval=1),
                                   ndimage.gaussian_filter(image, 1, mode=mode, cval=1), atol=1e-12)
    np.testing.assert_array_equal(ts.median_filter(image, 5), ndimage.median_filter(image, 5))


@test
def what_numpy_means_differently_is_refused():
    raises(ValueError, "convolve: in_ has one axis; expected mode='full'", ts.convolve, A[0, 0], [1, 2, 1])
    raises(ValueError, "correlate: lhs has one axis", ts.correlate, A[0, 0], A[0, 1])
    raises(ValueError, "correlate: mode is 'valid'", ts.correlate, A[0], A[1], mode="valid")
    raises(ValueError, "compress: condition has 3 axes; expected one (masked_select takes a mask", ts.compress, A > 0, A)
    np.testing.assert_array_equal(np.ravel(ts.masked_select(A, A > 0)), A[A > 0])
    np.testing.assert_array_equal(ts.round_half_away(np.array([0.5, 1.5, -2.5])), [1, 2, -3])
    np.testing.assert_allclose(ts.sinc_radians(np.array([1.0, 2])), np.sin([1, 2]) / [1, 2])
    np.testing.assert_allclose(ts.dot_product(A, A), (A * A).sum(), rtol=1e-6)
    np.testing.assert_array_equal(ts.cross_correlation_map(A[0, 0], A[0, 0]).shape, (5,))
    raises(TypeError, "place: values are truth values and mask is none", ts.place, A.copy(), A > 0, [1.0])
    raises(TypeError, "extract() missing required argument", ts.extract, A > 0, A)
    raises(TypeError, "put() missing required argument", ts.put, A.copy(), [1], [2])
    raises(ts.DtypeError, "insert: ", ts.insert, A.copy(), 1, 5.0)
    assert ts.resize(A[0], (2, 2)).shape == (2, 2)  # crops, as ever
    raises(TypeError, "resize() got an unexpected keyword argument 'new_shape'", lambda: ts.resize(A[0], new_shape=(2, 2)))
    raises(TypeError, "dot() got an unexpected keyword argument 'axis'", lambda: ts.dot(A, A, axis=1))


@test
def numpys_functions_that_are_library_functions_too():
    values = ts.unique(A > 0, counts=True)
    assert values._fields == ("values", "counts") if hasattr(values, "_fields") else len(values) == 2
    x = np.array([[3, 1], [1, 2]])
    values, inverse = ts.unique(x, return_inverse=True)
    np.testing.assert_array_equal(values[inverse], x)  # in the shape of the array, as in NumPy 2
    counts, edges = ts.histogram(A, 4, axis=1, low=-2, high=2)
    assert counts.shape == (3, 4, 5) and edges.tolist() == [-2, -1, 0, 1, 2] and type(edges) is np.ndarray
    counts, edges = ts.histogram(ts.asarray(A), 3, edges=[-9, 0, 1, 9])
    assert edges.tolist() == [-9, 0, 1, 9] and counts.tolist() == np.histogram(A, [-9, 0, 1, 9])[0].tolist()
    np.testing.assert_array_equal(ts.searchsorted(np.array([1, 2, 2, 3]), np.array([2]), right=True), [3])
    assert ts.irfft2(SPECTRUM, 5).shape == A.shape and ts.irfft3(np.fft.rfftn(A), 5).shape == A.shape
    np.testing.assert_allclose(ts.rfft3(A), np.fft.rfftn(A), rtol=1e-4, atol=1e-4)


@test
def views_are_views():
    a = A.copy()
    for view in (ts.reshape(a, (12, 5)), ts.ravel(a), ts.transpose(a), ts.flip(a), ts.expand_dims(a, 0), ts.swapaxes(a, 0, 1),
                 ts.moveaxis(a, 0, 2), ts.squeeze(a[:1]), ts.asarray(a, "f4"), ts.asarray(a).astype("f4", copy=False)):
        assert np.shares_memory(view, a)
    wide = ts.broadcast_to(a[0], (2, 4, 5))
    assert np.shares_memory(wide, a) and not wide.flags.writeable
    assert not np.shares_memory(ts.asarray(a).astype("f4"), a) and not np.shares_memory(ts.roll(a, 1), a)


@test
def elements_are_set_by_masks_and_integers():
    for key, value in ((A > 0, 0), (A > 0, np.arange((A > 0).sum())), ([0, 2], 5), ([2, 0], A[:2] * 2), (np.array([1, 1]), A[:2]),
                       ([True, False, True], -1), (A > 100, 3), ([], 3), (np.array([[0, 1], [1, 2]]), 4.0), ([0, -1], A[0, 0])):
        want, x = A.copy(), ts.array(A)
        want[key] = value
        x[key] = value
        np.testing.assert_array_equal(x.numpy(), want)
    x = ts.array(A)
    x[x < 0] *= -1
    np.testing.assert_array_equal(x.numpy(), np.abs(A))


@test
def sorting_in_place():
    x, want = ts.array(A), A.copy()
    assert x.sort() is None and want.sort() is None
    np.testing.assert_array_equal(x.numpy(), want)
    x.sort(axis=0)
    want.sort(axis=0)
    np.testing.assert_array_equal(x.numpy(), want)


@test
def what_is_not_set_has_its_shape():
    for made, dtype in ((ts.empty((2, 3)), "f64"), (ts.empty(4, "i16"), "i16"), (ts.empty_like(ts.array(A)), "f32")):
        assert made.dtype == dtype and made.shape in ((2, 3), (4,), A.shape)
    assert ts.empty_like(A).shape == A.shape and ts.empty_like(A, np.int32).dtype == np.int32
    raises(ts.ShapeError, "shape is", ts.empty, (-1, 2))
    raises(TypeError, "empty", ts.empty)


@test
def elements_of_iteration_are_numbers():
    x = ts.asarray([1.5, 2.5])
    assert list(x) == [1.5, 2.5] and type(next(iter(x))) is float and type(next(iter(ts.asarray([1])))) is int
    assert set(ts.asarray([3, 1, 3])) == {1, 3} and sum(x) == 4 and type(next(iter(ts.asarray([True])))) is bool
    assert [type(row) for row in ts.zeros((2, 3))] == [ts.Array] * 2 and dict.fromkeys(ts.asarray([7, 8])) == {7: None, 8: None}
    assert ts.asarray(A).tobytes() == A.tobytes() and ts.asarray(A).T.tobytes() == A.T.tobytes()


@test
def tensors_of_torch():
    try:
        import torch
    except ImportError:
        raise Skip("torch is not installed")
    for made in (torch.as_tensor(ts.asarray([[1, 2], [3, 4]])), torch.tensor(ts.asarray([[1, 2], [3, 4]]))):
        assert torch.equal(made, torch.tensor([[1, 2], [3, 4]]))
    assert torch.equal(torch.as_tensor(ts.asarray(A[0]), dtype=torch.float64), torch.as_tensor(A[0], dtype=torch.float64))
    assert torch.equal(torch.as_tensor(ts.asarray(A)), torch.as_tensor(A))
    x = ts.asarray(A)[::-1, :, ::-2]  # torch has no negative strides
    assert torch.equal(x.torch(), torch.as_tensor(x.numpy().copy()))
    t = torch.as_tensor(A)
    for got, want in ((ts.quantile(t, [0.25, 0.5], 1), torch.quantile(t, torch.tensor([0.25, 0.5]), 1)), (ts.flip(t, 0), t.flip(0)),
                      (ts.zeros_like(t), torch.zeros_like(t)), (ts.swapaxes(t, 0, 1), t.swapaxes(0, 1)), (ts.cumsum(t, 0), t.cumsum(0)),
                      (ts.stack([t, t]), torch.stack([t, t])), (ts.sort(t, axis=None), t.ravel().sort()[0])):
        assert isinstance(got, torch.Tensor) and torch.allclose(got, want)


@test
def functions_go_to_other_processes():
    for function in (ts.sort, ts.quantile, ts.pad, ts.where, ts.round, ts.cumsum, ts.eye, ts.flip, ts.empty, ts.fmod, ts.mod,
                     ts.dot, ts.dot_product, ts.sinc, ts.sinc_radians, ts.nanmax, ts.fft, ts.convolve, ts.masked_select):
        again = pickle.loads(pickle.dumps(function))
        arguments = {ts.quantile: (A, 0.5), ts.pad: (A, 1), ts.eye: (3,), ts.empty: (0,), ts.fmod: (-A, 0.3), ts.mod: (-A, 0.3),
                     ts.dot: (A, A[0].T), ts.dot_product: (A, A), ts.convolve: (A[0], A[1, :3, :3]),
                     ts.masked_select: (A, A > 0)}.get(function, (A,))
        np.testing.assert_array_equal(again(*arguments), function(*arguments))


@test
def what_is_wrong_is_said():
    x = ts.array(A)
    raises(IndexError, "a mask has the shape (2,); expected (3,)", x.__getitem__, [True, False])
    raises(IndexError, "an index has the dtype f64; expected integers or bool", x.__getitem__, [0.5])
    raises(ts.RangeError, "", x.__getitem__, [0, 3])
    raises(IndexError, "a mask has the shape ()", x.__getitem__, ts.asarray(True))
    raises(IndexError, "index 60 is out of bounds for an array of 60 elements", x.item, 60)
    raises(TypeError, "an array of 60 elements is not a number", x.item)
    raises(ValueError, "squeeze: axis 1 has the size 4", ts.squeeze, A, 1)
    raises(IndexError, "swapaxes: axis is 3; the array has 3 axes", ts.swapaxes, A, 0, 3)
    raises(ValueError, "moveaxis: source is (0, 1) and destination 0", ts.moveaxis, A, (0, 1), 0)
    raises(ValueError, "roll: shift is (1, 2) and axis 0", ts.roll, A, (1, 2), 0)
    raises(ts.ShapeError, "", ts.broadcast_to, A, (3, 4, 6))
    raises(ValueError, "broadcast_to: shape is (5,); the array has 3 axes", ts.broadcast_to, A, (5,))
    raises(ValueError, "pad: mode is 'mean'; expected one of 'constant'", ts.pad, A, 1, mode="mean")
    raises(ValueError, "pad: before is ((1, 2), (3, 4)); without `after`, expected a number", ts.pad, A, ((1, 2), (3, 4)))
    raises(TypeError, "quantile: out cannot be combined with several q", ts.quantile, A, [0.5], out=np.zeros(1))
    raises(TypeError, "sort() got multiple values for argument 'axis'", ts.sort, A, 0, axes=1)
    raises(TypeError, "sort() missing 1 required positional argument", ts.sort)
    raises(TypeError, "sort() got an unexpected keyword argument 'kind'", lambda: ts.sort(A, kind="stable"))
    raises(ts.ParseError, "sum: dtype is \"f33\"", ts.sum, A, dtype="f33")
    raises(TypeError, "lowpass_image() got an unexpected keyword argument 'dtype'", ts.lowpass_image, A, 0.1, dtype="f8")
    raises(ValueError, "searchsorted: side is 'both'; expected 'left' or 'right'", ts.searchsorted, A[0, 0], 1, side="both")
    raises(TypeError, "searchsorted: sorter is not supported", ts.searchsorted, A[0, 0], 1, sorter=[0])
    for data, has, rest in (([1, np.nan, 2], "NaN", "NaN is"), ([1, np.inf], "elements from 1 to inf", "elements outside are")):
        for x in (data, np.array(data, "f4"), ts.asarray(data)):
            text = f"histogram: in_ has {has}; expected finite elements, or range=(low, high), with which {rest} not counted"
            raises(ValueError, text, ts.histogram, x)
            raises(ValueError, text, ts.histogram, x, 3, low=0)
            counts, edges = ts.histogram(x, 3, (0, 3))
            assert counts.tolist() == np.histogram(data, 3, (0, 3))[0].tolist() and edges.tolist() == [0, 1, 2, 3]
            assert ts.histogram(x, [0, 1, 3])[0].tolist() == np.histogram(data, [0, 1, 3])[0].tolist()
    assert ts.histogram([3, 3, 3.2], 2, (3, 3))[0].tolist() == np.histogram([3, 3, 3.2], 2, (3, 3))[0].tolist()
    assert ts.histogram([1e17] * 3, 4)[0].sum() == 3
    raises(TypeError, "histogram: range is given, and low or high too", ts.histogram, A, 3, (0, 1), low=0)
    raises(TypeError, "histogram: bins is 'auto'; expected a number of bins or their edges", ts.histogram, A, "auto")
    raises(ValueError, "bincount: x contains -1; expected integers of 0 or more", ts.bincount, [1, -1])
    raises(TypeError, "bincount: x has 1 axes and the dtype f64; expected integers", ts.bincount, [1.5])
    raises(ValueError, "nanargmax: a has only NaNs along axis", ts.nanargmax, np.full(3, np.nan))
    raises(ValueError, "cross: the vectors have 5 and 5 components; expected 2 or 3", ts.cross, A, A)
    raises(ValueError, "dot: a has the shape (3, 4, 5) and b (3, 4, 5)", ts.dot, A, A)
    raises(ValueError, "vdot: a has 60 elements and b 20", ts.vdot, A, A[0])
    raises(ValueError, "gradient: an axis has 1 elements; expected at least 2", ts.gradient, A[:1], axis=0)
    raises(ValueError, "interp: xp has 2 elements and fp 3", ts.interp, 1, [1, 2], [1, 2, 3])
    raises(ValueError, "repeat: repeats is [1, 2]; expected one integer of 0 or more, or one for each of 3", ts.repeat, A, [1, 2], 0)
    raises(ValueError, "fft: n is 0; expected at least 1", ts.fft, A, 0)
    raises(ValueError, "rfft2: s is (3,) and axes (1, 2); expected equal lengths", ts.rfft2, A, (3,))
    raises(ValueError, "fft2: axes is (0, 0); expected different axes", ts.fft2, A, axes=(0, 0))
    raises(IndexError, "fft: axis is 3; the array has 3 axes", ts.fft, A, 4, 3)
    raises(ValueError, "diagonal: axis1 is 0 and axis2 0; expected different axes", ts.diagonal, A, 0, 0, 0)
    raises(ValueError, "median_filter: mode is 'edge'; expected one of 'reflect'", ts.median_filter, A, 3, mode="edge")
    raises(TypeError, "median_filter: mode and border are given", ts.median_filter, A, 3, mode="wrap", border="zero")


@test
def what_users_tried():
    values = np.random.default_rng(8).random(100)
    for edges in (np.linspace(0, 1, 5), [0, 0.5, 1], ts.asarray([0, 0.5, 1.0])):
        counts, at = ts.histogram(values, edges)
        np.testing.assert_array_equal(counts, np.histogram(values, np.asarray(edges))[0])
    assert list(ts.bincount([])) == [] and np.allclose(ts.irfft([1, 2, 3]), np.fft.irfft([1, 2, 3]))
    for p, q in (((3, 3, 2, 2), (2,)), ((2, 3), (1, 1, 3, 2)), ((1, 2, 3), (1, 1, 3, 2)), ((1, 1, 2, 3), (3, 2)), ((5, 2, 3), (3, 2))):
        x, y = np.random.default_rng(1).random(p), np.random.default_rng(2).random(q)
        assert ts.matmul(x, y).shape == (x @ y).shape, (p, q, ts.matmul(x, y).shape)
        np.testing.assert_allclose(ts.matmul(x, y), x @ y)
    from scipy import ndimage
    image = np.random.default_rng(3).random((9, 11))
    turn = np.array([[0.9, 0.2], [-0.1, 1.1]])
    ours = ts.affine_transform(image, turn, [0.5, -1])
    near = ndimage.affine_transform(image, turn, [0.5, -1], order=1, mode="grid-constant")
    np.testing.assert_allclose(ours, near, atol=1e-9)
    raises(TypeError, "transform_2d: forward is [0.0, 1.0]; expected True or False", ts.transform_2d, image, turn, forward=[0.0, 1.0])
    raises(ValueError, "bin: factors has 3 numbers, and the array 2 axes", ts.bin, image, (2, 2, 2))
    raises(TypeError, "affine_transform() takes", ts.affine_transform, image, turn, None, True)


@test
def places_have_a_number_for_each_axis():
    from scipy import ndimage
    for shape in ((5, 7), (1, 7), (7, 1), (1, 5, 7), (2, 5, 7), (1, 1, 7)):
        x = np.random.default_rng(4).random(shape)
        np.testing.assert_allclose(ts.center_of_mass(x), ndimage.center_of_mass(x), err_msg=str(shape))
        assert ts.correlate_peak(x).shape == (len(shape),)
    assert ts.center_of_mass(np.ones((3, 1, 7)), ndim=2).shape == (3, 2)
    whole = np.zeros((4, 4), np.int64)
    whole[1, 1] = whole[3, 3] = whole[0, 2] = 2**62
    np.testing.assert_allclose(ts.center_of_mass(whole), [4 / 3, 2])


finish()
