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


finish()
