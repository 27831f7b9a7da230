#!/usr/bin/env python3
"""Images or volumes: ndim= and leading axes of every operation, ranks that no size changes, and the axes that rows name.
images.py BUILD"""
import inspect
import keyword
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, finish, raises, test

import numpy as np

import arguments
import table
import tessera as ts

lib = table.load(os.path.join(BUILD, "libtessera.so"))
BY_NAME = {f.contents.text: f for f in table.functions(lib)}
rng = np.random.default_rng(11)


# ---- Every operation ----


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def takes_ndim(name):
    return "ndim" in inspect.signature(getattr(ts._tessera, name)).parameters


def own_shape(row, shape):
    """The axes of an array {b,1,h,w} or {b,1,1,m} that its owner sees behind the batches, and whether it has any batches."""
    if not row.axes or row.axes == b"B,1,h,w":
        return shape[2:], True
    names = row.axes.decode().split("|")[0].split(",")
    own = [n for name, n in zip(names, shape) if not (name == "1" or name[0].isupper() or name.endswith("?"))]
    return tuple(own), names[0].isupper()


def stacked(function, leading):
    """The arguments of a call with two batches, whose axes in front are `leading`."""
    given = arguments.arguments_of(lib, function.contents, np.dtype("f4"))
    for row in function.contents.rows:
        value = given.get(row.text)
        if isinstance(value, np.ndarray):
            own, has_batches = own_shape(row, value.shape)
            front = leading if has_batches and value.shape[0] == 2 else ()
            given[row.text] = value.reshape(front + own)
        elif row.kind == "SHAPE" and row.flags & 32 and isinstance(value, tuple):
            given[row.text] = value[2:]
    return {python_name(k): v for k, v in given.items()}


def arrays_of(made):
    return [np.asarray(a) for a in (made if isinstance(made, tuple) else (made,))]


def faults_of(name, leading, **ndim):
    function = BY_NAME[name]
    try:
        expected = arrays_of(getattr(ts._tessera, name)(**stacked(function, (2,)), **ndim))
    except ts.Error:
        return None if not leading else "it fails"
    made = arrays_of(getattr(ts._tessera, name)(**stacked(function, leading), **ndim))
    for one, other in zip(made, expected):
        shape = leading + other.shape[1:] if other.shape[:1] == (2,) else other.shape
        if one.shape != shape or one.tobytes() != other.tobytes():
            return f"{name}: {one.shape} instead of {shape}"
    return None


@test
def leading_axes_count_batches():
    names = [n for n in BY_NAME if BY_NAME[n].contents.cut == 2 and takes_ndim(n)]
    assert len(names) > 60, names
    faults = [fault for n in names for leading in ((2, 1), (1, 2), (1, 2, 1), (1, 1, 2, 1))
              if (fault := faults_of(n, leading, ndim=2)) and fault != "it fails"]
    assert not faults, "\n".join(faults[:20])


@test
def a_stack_is_its_images_one_by_one():
    stack = rng.normal(size=(3, 16, 18)).astype(np.float32)
    calls = {
        "lowpass_image": (0.2,), "gaussian_filter": (1.5,), "median_filter": ((3, 3),), "whiten_image": (),
        "normalize_background": (6.0,), "resize": ((12, 12),), "bin": ((2, 2),), "crop": ((1, 2), (2, 3)), "taper": (),
        "fft_r2c": (), "shift_image": (0, 1.5, -2.0), "distance_transform": (), "label": (),
    }
    for name, values in calls.items():
        function = getattr(ts, name)
        images = stack > 0 if name in ("distance_transform", "label") else stack
        one_by_one = np.stack([function(image, *values) for image in images])
        for shape in ((3,), (3, 1), (1, 3, 1), (1, 1, 3)):
            got = function(images.reshape(shape + (16, 18)), *values, ndim=2)
            assert got.shape == shape + one_by_one.shape[1:], (name, shape, got.shape)
            np.testing.assert_array_equal(got.reshape(one_by_one.shape), one_by_one, err_msg=name)


@test
def volumes_have_leading_axes_too():
    volumes = rng.normal(size=(2, 3, 8, 8, 8)).astype(np.float32)
    got = ts.lowpass_image(volumes, 0.2, ndim=3)
    assert got.shape == volumes.shape
    np.testing.assert_array_equal(got[1, 2], ts.lowpass_image(volumes[1, 2], 0.2))
    assert ts.lowpass_image(volumes[0], 0.2).shape == (3, 8, 8, 8)
    error = raises(ValueError, "lowpass_image: in_ has 5 axes; expected at most 4, or ndim=2 or ndim=3", ts.lowpass_image, volumes, 0.2)
    assert "ndim" in str(error)


@test
def strides_do_not_matter():
    stack = rng.normal(size=(4, 3, 16, 18)).astype(np.float32)
    for view in (stack.transpose(1, 0, 3, 2), stack[::2, ::-1], stack[:, :, ::-2], np.broadcast_to(stack[:1], (5, 3, 16, 18))):
        got = ts.lowpass_image(view, 0.2, ndim=2)
        np.testing.assert_array_equal(got, ts.lowpass_image(np.ascontiguousarray(view), 0.2, ndim=2))
        assert got.shape == view.shape
    for view in (stack[:0], stack[:, :0]):
        assert ts.lowpass_image(view, 0.2, ndim=2).shape == view.shape


@test
def out_has_the_same_axes():
    stack = rng.normal(size=(2, 3, 16, 18)).astype(np.float32)
    want = ts.lowpass_image(stack, 0.2, ndim=2)
    out = np.empty_like(stack)
    assert ts.lowpass_image(stack, 0.2, ndim=2, out=out) is out
    np.testing.assert_array_equal(out, want)
    transposed = np.empty((3, 2, 16, 18), np.float32).transpose(1, 0, 2, 3)
    raises(ValueError, "strides", ts.lowpass_image, stack, 0.2, ndim=2, out=transposed)


@test
def other_kinds_of_arrays():
    stack = rng.normal(size=(2, 3, 8, 8)).astype(np.float32)
    ours = ts.lowpass_image(ts.asarray(stack), 0.2, ndim=2)
    assert isinstance(ours, ts.Array) and ours.shape == stack.shape
    np.testing.assert_array_equal(np.asarray(ours), ts.lowpass_image(stack, 0.2, ndim=2))
    assert ts.lowpass_image(stack[0].tolist(), 0.2, ndim=2).shape == (3, 8, 8)


# ---- Mistakes ----


@test
def what_ndim_may_be():
    stack = np.ones((3, 8, 8), np.float32)
    for ndim in (0, 1, 4, -2, "2", 2.5):
        raises(ValueError, f"lowpass_image: ndim is {ndim!r}; expected 2 for images or 3 for volumes", ts.lowpass_image, stack, 0.2, ndim=ndim)
    raises(ValueError, "cartesian_to_polar: ndim is 3; expected 2: this function takes images only", ts.cartesian_to_polar, stack, ndim=3)
    raises(ValueError, "lowpass_image: in_ has 1 axis; expected at least 2 with ndim=2", ts.lowpass_image, stack[0, 0], 0.2, ndim=2)
    raises(ValueError, "lowpass_image: in_ has 2 axes; expected at least 3 with ndim=3", ts.lowpass_image, stack[0], 0.2, ndim=3)
    assert ts.lowpass_image(stack, 0.2, ndim=None).shape == (3, 8, 8)
    raises(TypeError, "unexpected keyword argument 'ndim'", ts.add, stack, stack, ndim=2)


@test
def axes_are_those_of_the_image():
    stack = rng.normal(size=(3, 8, 10)).astype(np.float32)
    np.testing.assert_allclose(ts.fft_r2c(stack, axes=(1, 2), ndim=2), np.fft.rfft2(stack), rtol=2e-5, atol=2e-5)
    np.testing.assert_allclose(ts.fft_r2c(stack, axes=-1, ndim=2), np.fft.rfft(stack), rtol=2e-5, atol=2e-5)
    raises(IndexError, "fft_r2c: axes is 0, an axis of batches; expected one of the last 2 axes", ts.fft_r2c, stack, axes=0, ndim=2)
    raises(IndexError, "the array has 3 axes", ts.fft_r2c, stack, axes=3, ndim=2)


# ---- Functions of images only ----


@test
def three_axes_are_a_stack_for_functions_of_images():
    stack = rng.normal(size=(5, 16, 16)).astype(np.float32)
    polar = ts.cartesian_to_polar(stack)
    assert polar.shape[0] == 5 and polar.ndim == 3
    np.testing.assert_array_equal(polar[2], ts.cartesian_to_polar(stack[2]))
    assert ts.cartesian_to_polar(stack.reshape(1, 5, 16, 16)).shape == (1,) + polar.shape
    assert ts.cartesian_to_polar(stack[:, None]).shape == (5, 1) + polar.shape[1:]
    np.testing.assert_array_equal(ts.rotate_image(stack, 0.3)[1], ts.rotate_image(stack[1], 0.3))


# ---- Ranks that do not depend on sizes ----


def shapes(function, *sizes):
    return [np.shape(function(n)) for n in sizes]


@test
def ranks_do_not_depend_on_sizes():
    assert shapes(lambda n: ts.euler_to_matrix(np.zeros((n, 3))), 1, 2) == [(1, 3, 3), (2, 3, 3)]
    assert np.shape(ts.euler_to_matrix([0.1, 0.2, 0.3])) == (3, 3)
    assert shapes(lambda n: ts.quat_to_matrix(np.ones((n, 4))), 1, 2) == [(1, 3, 3), (2, 3, 3)]
    assert np.shape(ts.quat_to_matrix([1.0, 0, 0, 0])) == (3, 3)
    assert np.shape(ts.quat_to_matrix(np.ones((5, 1, 1, 4)))) == (5, 1, 3, 3)  # as in C
    assert np.shape(ts.quat_to_matrix(np.ones((5, 2, 4)))) == (5, 2, 3, 3)
    assert np.shape(ts.quat_to_matrix(np.ones((5, 2, 6, 4)))) == (5, 2, 6, 3, 3)
    assert np.shape(ts.symmetry_matrices("c1")) == (1, 3, 3) and np.shape(ts.symmetry_matrices("c2")) == (2, 3, 3)
    image = rng.normal(size=(16, 16))
    assert np.ndim(ts.otsu(image)) == 0
    assert shapes(lambda n: ts.otsu(rng.normal(size=(n, 16, 16)), ndim=2), 1, 2) == [(1,), (2,)]
    assert shapes(lambda n: ts.radial_power(ts.fft_r2c(rng.normal(size=(n, 16, 16)), ndim=2), (16, 16), ndim=2), 1, 2) == [(1, 9), (2, 9)]
    assert np.shape(ts.radial_power(ts.fft_r2c(image), (16, 16))) == (9,)
    assert shapes(lambda n: ts.correlate_peak(rng.normal(size=(n, 16, 16)), ndim=2), 1, 2) == [(1, 2), (2, 2)]


@test
def lists_of_peaks_have_a_row_for_each():
    image = np.zeros((32, 32), np.float32)
    image[5, 7] = 3
    assert ts.peaks(image, 1.0).shape == (1, 4)
    image[20, 9] = 2
    assert ts.peaks(image, 1.0).shape == (2, 4)


# ---- Correlation and profiles of real images ----


@test
def fsc_of_real_maps():
    a, b = (rng.normal(size=(16, 16, 16)).astype(np.float32) for _ in range(2))
    want = ts.fsc(ts.fft_r2c(a), ts.fft_r2c(b), a.shape)
    np.testing.assert_array_equal(ts.fsc(a, b), want)
    assert want.shape == (9,)
    stack, other = (rng.normal(size=(3, 16, 16)) for _ in range(2))
    curves = ts.frc(stack, other, ndim=2)
    assert curves.shape == (3, 9)
    np.testing.assert_array_equal(curves[1], ts.fsc(stack[1], other[1]))
    error = raises(ValueError, "fsc: shape is None", ts.fsc, ts.fft_r2c(a), ts.fft_r2c(b))
    assert "logical shape" in str(error)


@test
def radial_profile_is_the_mean_at_each_distance():
    for shape in ((16, 16), (15, 15), (16, 24), (9, 10, 12)):
        image = rng.normal(size=shape)
        where = np.indices(shape) - np.reshape([n // 2 for n in shape], (-1,) + (1,) * len(shape))
        distance = np.sqrt((where**2.0).sum(0))
        for nearest in (True, False):
            got = ts.radial_profile(image, nearest=nearest)
            weights = np.zeros(max(shape) // 2 + 1 + 9)
            sums = np.zeros_like(weights)
            low = np.floor(distance + (0.5 if nearest else 0)).astype(int)
            upper = np.zeros_like(distance) if nearest else distance - low
            for k, part in ((low, 1 - upper), (low + 1, upper)):
                np.add.at(weights, np.minimum(k, len(weights) - 1), part)
                np.add.at(sums, np.minimum(k, len(weights) - 1), part * image)
            n = max(shape) // 2 + 1
            np.testing.assert_allclose(got, sums[:n] / weights[:n], rtol=1e-9, atol=1e-9, err_msg=str(shape))
    stack = rng.normal(size=(4, 16, 16))
    np.testing.assert_array_equal(ts.radial_profile(stack, ndim=2)[3], ts.radial_profile(stack[3]))


@test
def gaussian_filter_takes_one_sigma():
    from scipy import ndimage
    image = rng.normal(size=(40, 50))
    np.testing.assert_allclose(ts.gaussian_filter(image, 2), ndimage.gaussian_filter(image, 2, mode="reflect"), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ts.gaussian_filter(image, (1, 3)), ndimage.gaussian_filter(image, (1, 3)), rtol=1e-9, atol=1e-9)
    stack = np.stack([image, -image])
    np.testing.assert_array_equal(ts.gaussian_filter(stack, 2, ndim=2)[1], ts.gaussian_filter(-image, 2))
    raises(ts.RangeError, "gaussian_filter: sigma is (1, -1); 0 to", ts.gaussian_filter, image, (1, -1))
    raises(ValueError, "gaussian_filter: sigma is (1, 2, 3); expected a number, or 2", ts.gaussian_filter, image, (1, 2, 3))


finish()
