#!/usr/bin/env python3
"""map_coordinates, its adjoint and zoom with SciPy's arguments, compared with SciPy. sampling.py BUILD"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, raises, test

import numpy as np
from scipy import ndimage

import tessera as ts

rng = np.random.default_rng(5)
MODES = ("constant", "grid-constant", "nearest", "mirror", "grid-wrap")


def near(a, b, bound=1e-6):
    a = np.asarray(a)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=0, atol=bound))


@test
def orders_and_modes_are_those_of_scipy():
    for shape in ((40,), (9, 12), (6, 7, 8)):
        a = rng.normal(size=shape)
        for points in ((50,), (3, 5), (2, 3, 4)):
            c = rng.uniform(-6, max(shape) + 5, (len(shape),) + points)
            for order in (0, 1, 3):
                for mode in MODES + (() if order == 3 else ("reflect", "grid-mirror")):
                    want = ndimage.map_coordinates(a, c, order=order, mode=mode, cval=0.5)
                    assert near(ts.map_coordinates(a, c, order, mode, 0.5), want), (shape, points, order, mode)
                assert near(ts.map_coordinates(a, list(c), order=order, prefilter=False),
                            ndimage.map_coordinates(a, c, order=order, prefilter=False)), (shape, order)
            assert near(ts.map_coordinates(a, c), ndimage.map_coordinates(a, c))


@test
def arrays_of_any_kind_and_axes_in_front():
    a = rng.normal(size=(2, 3, 9, 12))
    c = rng.uniform(0, 8, (2, 7))
    want = np.array([[ndimage.map_coordinates(image, c) for image in row] for row in a])
    assert near(ts.map_coordinates(a, c), want)
    assert near(ts.map_coordinates(a[None], c), want[None])
    assert type(ts.map_coordinates(a, ts.array(c))) is np.ndarray
    assert type(ts.map_coordinates(ts.array(a), c)) is ts.Array
    z = a[0, 0] + 1j * a[0, 1]
    want = ndimage.map_coordinates(z, c, order=1, mode="grid-constant", cval=2 - 1j)
    assert near(ts.map_coordinates(z, c, 1, "grid-constant", 2 - 1j), want)
    f = ts.map_coordinates(a[0, 0].astype(np.float32), c.astype(np.float32), order=1)
    assert f.dtype == np.float32
    assert ts.map_coordinates(np.arange(12).reshape(3, 4), [[0.5], [1]], order=1).tolist() == [3.0]
    assert ts.map_coordinates([[0, 1], [2, 3]], [[0.5], [0.5]], order=1).tolist() == [1.5]
    assert ts.map_coordinates(a[0, 0], np.zeros((2, 0))).shape == (0,)


@test
def methods_and_borders_of_the_library():
    a, c = rng.normal(size=(9, 12)), rng.uniform(-2, 12, (2, 30))
    assert near(ts.map_coordinates(a, c, interp="linear", border="clamp"), ndimage.map_coordinates(a, c, order=1, mode="nearest"))
    assert near(ts.map_coordinates(a, c, interp="linear", border="value", cval=3),
                ndimage.map_coordinates(a, c, order=1, mode="grid-constant", cval=3))
    assert ts.map_coordinates(a, c, interp="lanczos8", border="mirror").shape == (30,)


@test
def the_adjoint():
    for shape in ((40,), (9, 12), (6, 7, 8)):
        a, c = rng.normal(size=(2,) + shape), rng.uniform(-3, max(shape) + 2, (len(shape), 5, 4))
        v = rng.normal(size=(2, 5, 4))
        for order in (0, 1, 3):
            for mode in ("constant", "mirror", "reflect", "grid-wrap") + (() if order == 3 else ("nearest", "grid-constant")):
                back = ts.map_coordinates_adjoint(v, c, shape, order, mode)
                assert back.shape == a.shape
                left, right = np.sum(ts.map_coordinates(a, c, order, mode) * v), np.sum(a * back)
                assert abs(left - right) < 1e-9, (shape, order, mode, left, right)
        assert near(ts.map_coordinates_adjoint(v[0], c, shape, 1)[None], ts.map_coordinates_adjoint(v[:1], c, shape, 1))


@test
def zooms_are_those_of_scipy():
    for shape in ((40,), (9, 12), (6, 7, 8)):
        a = rng.normal(size=shape)
        for factor in (0.55, 1.7, [1.3] * len(shape)):
            for order in (0, 1, 3):
                assert near(ts.zoom(a, factor, order), ndimage.zoom(a, factor, order=order, mode="mirror")), (shape, factor, order)
                want = ndimage.zoom(a, factor, order=order, mode="mirror", grid_mode=True)
                assert near(ts.zoom(a, factor, order, "mirror", grid_mode=True), want), (shape, factor, order)
            want = ndimage.zoom(a, factor, order=1, mode="nearest", grid_mode=True)
            assert near(ts.zoom(a, factor, 1, "nearest", grid_mode=True), want)
        assert near(ts.zoom(a, 1.5), ndimage.zoom(a, 1.5, mode="mirror"))
    stack = rng.normal(size=(3, 9, 12))
    want = np.array([ndimage.zoom(image, (2, 0.5), order=1) for image in stack])
    assert near(ts.zoom(stack, (2, 0.5), 1, ndim=2), want)
    assert near(ts.zoom(stack, 2, 1), ndimage.zoom(stack, 2, order=1))
    assert near(ts.zoom(stack[0], 2, interp="linear"), ndimage.zoom(stack[0], 2, order=1))


@test
def zooms_without_aliasing():
    a = rng.normal(size=(64, 60))
    blurred = ndimage.gaussian_filter(a, [(64 / 16 - 1) / 2, (60 / 20 - 1) / 2], mode="reflect")
    want = ndimage.zoom(blurred, (16 / 64, 20 / 60), order=1, mode="reflect", grid_mode=True)
    assert near(ts.zoom(a, (0.25, 1 / 3), 1, "reflect", grid_mode=True, antialias=True), want, 1e-4)
    out = ts.zeros(want.shape, "f64")
    assert ts.zoom(a, (0.25, 1 / 3), 1, "reflect", grid_mode=True, antialias=True, out=out) is out and near(out, want, 1e-4)


@test
def bad_arguments():
    a, c = np.zeros((4, 5)), np.zeros((2, 3))
    raises(ValueError, "map_coordinates: order is 2; expected 0, 1 or 3", ts.map_coordinates, a, c, 2)
    raises(ValueError, "map_coordinates: mode is 'wrap'; expected 'grid-wrap'", ts.map_coordinates, a, c, 1, "wrap")
    raises(ValueError, "zoom: mode is 'edges'; expected 'constant' or one of", ts.zoom, a, 2, 1, "edges")
    raises(ValueError, "map_coordinates: coordinates has shape (4, 3)", ts.map_coordinates, a, np.zeros((4, 3)))
    raises(ValueError, "map_coordinates: a has shape (4, 5), and there are 3 coordinates for each point",
           ts.map_coordinates, a, np.zeros((3, 3)))
    raises(ValueError, "map_coordinates_adjoint: values has shape (4,); expected one value for each point, (3,)",
           ts.map_coordinates_adjoint, np.zeros(4), c, (4, 5))
    raises(ValueError, "map_coordinates_adjoint: shape is (4,), and there are 2 coordinates",
           ts.map_coordinates_adjoint, np.zeros(3), c, (4,))
    raises(ValueError, "map_coordinates_adjoint: mode is 'nearest' with a spline",
           ts.map_coordinates_adjoint, np.zeros(3), c, (4, 5), mode="nearest")
    raises(ValueError, "zoom: factor is (1, 2, 3); expected a number, or 2: one for each axis of the image", ts.zoom, a, (1, 2, 3))
    raises(ValueError, "zoom: mode is 'constant' with grid_mode", ts.zoom, a, 2, mode="constant", grid_mode=True)
    raises(ts.RangeError, "zoom: factor is (1, 0); it must be finite and above 0", ts.zoom, a, (1, 0))


@test
def values_outside_are_met_outside_only():
    points = np.array([[[[0.5, 3.2], [2.0, 6.9], [-0.1, 3.0]]]])
    ones = np.ones((1, 1, 8, 8))
    for interp in ("linear", "cubic", "lanczos6", "cubic_bspline"):
        for value in (100, np.nan):
            cut = ts._tessera.map_coordinates(ones, points, interp=interp, cut=True, value=value)
            plain = ts._tessera.map_coordinates(ones, points, interp=interp)
            np.testing.assert_array_equal(cut.ravel()[:2], plain.ravel()[:2], err_msg=interp)
            np.testing.assert_array_equal(cut.ravel()[2], value)


@test
def ends_stay_at_the_ends():
    for n, m in ((4, 188), (6, 148), (8, 26)):
        row = np.ones(n)
        made = ts._tessera.zoom(row.reshape(1, n), 1, 1, m / n, border="value", value=np.nan)
        assert made.shape[-1] == m and np.isfinite(made).all(), (n, m)


@test
def splines_with_the_modes_of_scipy():
    from scipy import ndimage
    row, image = np.arange(8.0) + 1, np.random.default_rng(2).random((12, 14))
    for mode in ("nearest", "grid-constant", "constant", "mirror"):
        for prefilter in (True, False):
            at = [[1.2, 3.0, 5.7]]
            np.testing.assert_allclose(ts.map_coordinates(row, at, mode=mode, prefilter=prefilter),
                                       ndimage.map_coordinates(row, at, mode=mode, prefilter=prefilter), atol=1e-6, err_msg=mode)
        at = [[1.2, 4.4], [2.0, 9.1]]
        np.testing.assert_allclose(ts.map_coordinates(image, at, mode=mode), ndimage.map_coordinates(image, at, mode=mode),
                                   atol=1e-6, err_msg=mode)
    raises(ValueError, "zoom: factor is 2, and a has one section", ts.zoom, np.ones((1, 6, 7)), 2)
    assert ts.zoom(np.ones((2, 4)), 2, cval=1.0).shape == (4, 8)
    raises(ValueError, "zoom: cval is 1.0 with grid_mode", ts.zoom, np.ones((2, 4)), 2, cval=1.0, grid_mode=True)


finish()
