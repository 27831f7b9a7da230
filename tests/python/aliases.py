#!/usr/bin/env python3
"""Names that other packages have, beside those packages. aliases.py BUILD"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import Skip, finish, raises, test

import numpy as np

import tessera as ts
from tessera import aliases

rng = np.random.default_rng(2)
image, volume = rng.normal(size=(16, 20)), rng.normal(size=(8, 9, 10))


def near(got, want, tolerance=1e-12):
    np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance)


@test
def names_of_numpy_are_those_of_numpy():
    x, y, k, m = rng.uniform(0.1, 0.9, 50), rng.uniform(0.1, 0.9, 50), rng.integers(0, 99, 50), rng.integers(1, 5, 50)
    ours = {"clip": ((x, 0.2, 0.5), np.clip), "concat": (([x, y],), np.concatenate), "angle": ((x + 1j * y,), np.angle)}
    skipped = {"center_of_mass", "convolve_nd", "apply_filter_1d", "cross_correlation_map", "cross_correlation_peak", "extract_central_slices",
               "insert_central_slices"}
    for name in set(aliases._NAMES) - skipped:
        arguments, theirs = ours.get(name, (None, getattr(np, name, None)))
        if arguments is None:
            whole = name.startswith(("bitwise", "left", "right", "invert"))
            first = k if whole else x + 1 if name == "arccosh" else x
            arguments = (first,) if getattr(theirs, "nin", 1) == 1 else (first, m if whole else y)
        near(getattr(ts, name)(*arguments), theirs(*arguments))


@test
def transforms_are_those_of_numpy():
    try:
        np.fft.fft([1.0], norm="backward")
    except ValueError:
        raise Skip(f"NumPy {np.__version__} does not know all norms")
    for norm in ("backward", "ortho", "forward"):
        near(ts.rfft(image, norm=norm), np.fft.rfft(image, norm=norm))
        near(ts.rfft2(image, norm=norm), np.fft.rfft2(image, norm=norm))
        near(ts.rfft3(volume, norm=norm), np.fft.rfftn(volume, norm=norm))
        near(ts.fft2(image, norm=norm), np.fft.fft2(image, norm=norm))
        near(ts.ifft2(image + 1j * image, norm=norm), np.fft.ifft2(image + 1j * image, norm=norm))
        near(ts.irfft(np.fft.rfft(image), norm=norm), np.fft.irfft(np.fft.rfft(image), norm=norm))
        near(ts.irfft2(np.fft.rfft2(image), norm=norm), np.fft.irfft2(np.fft.rfft2(image), norm=norm))
        near(ts.irfft3(np.fft.rfftn(volume), 10, norm=norm), np.fft.irfftn(np.fft.rfftn(volume), volume.shape, norm=norm))
    near(ts.irfft2(np.fft.rfft2(image[:, :19]), 19), image[:, :19])
    for n in (1, 8, 9):
        near(ts.rfftfreq(n, 1.5), np.fft.rfftfreq(n, 1.5))
        near(ts.fftfreq(n, 1.5), np.fft.fftfreq(n, 1.5))
    near(ts.fftshift(image), np.fft.fftshift(image))


@test
def shifts_and_affine_transforms_are_those_of_scipy():
    try:
        from scipy import ndimage
    except ImportError:
        raise Skip("SciPy is not installed")
    full, half = np.fft.fft2(image), np.fft.rfft2(image)
    near(ts.fourier_shift(full, (1.5, -2)), ndimage.fourier_shift(full, (1.5, -2)))
    near(ts.fourier_shift(full, 3), ndimage.fourier_shift(full, 3))
    near(ts.fourier_shift(half, (2, 1), n=20), ndimage.fourier_shift(half, (2, 1), n=20))
    for matrix in ((ts.Rz(30) @ ts.T((0, 1, 2))).numpy(), (ts.S(1.5) @ ts.Rx(20) @ ts.Ry(10)).numpy()):
        near(ts.affine_transform(volume, matrix), ndimage.affine_transform(volume, matrix, order=1, mode="grid-constant"), 1e-10)
        near(ts.affine_transform(volume, np.linalg.inv(matrix), inverse=True),
             ndimage.affine_transform(volume, matrix, order=1, mode="grid-constant"), 1e-10)
    flat = np.array([[0.9, 0.2, 1.0], [-0.1, 1.1, 0.5]])
    near(ts.affine_transform(image, flat),
         ndimage.affine_transform(image, flat[:, :2], flat[:, 2], order=1, mode="grid-constant"), 1e-10)


@test
def rotations_turn_as_they_say():
    for turn, before, after in ((ts.Rz, (0, 0, 1), (0, 1, 0)), (ts.Ry, (1, 0, 0), (0, 0, 1)), (ts.Rx, (0, 1, 0), (1, 0, 0))):
        near(turn(90).numpy()[:3, :3] @ before, after)
    near(ts.T((1, 2, 3)).numpy() @ [0, 0, 0, 1], [1, 2, 3, 1])
    near(ts.S((1, 2, 3)).numpy(), np.diag([1, 2, 3, 1]))


@test
def spectra_and_correlation():
    near(ts.frc(image, image), 1.0)
    power = np.abs(np.fft.fft2(np.ones((4, 4)))) ** 2
    assert ts.power_spectrum_1d(np.ones((4, 4))).ravel()[0] == power[0, 0]
    moved = np.roll(image, (2, 3), (0, 1))
    shift = ts.cross_correlation_peak(ts.cross_correlation_map(moved, image))
    near(np.round(np.ravel(shift)), [2, 3])
    smooth = ts.fourier_rescale(image, 1.0, 2.0)
    assert smooth.shape == (8, 10)
    near(smooth.mean(), image.mean())
    odd = image[:15, :19]  # of even sizes the highest frequency is halved
    near(ts.fourier_rescale(ts.fourier_rescale(odd, 2.0, 1.0), 1.0, 2.0), odd)


@test
def a_ctf_with_angles_in_degrees():
    got = ts.ctf_2d((8, 8), 1.5, 1.0, 0.1, 45.0, phase_shift=90.0).numpy()
    one = {"pixel_size": 1.5, "defocus": 1.0, "astigmatism": 0.1, "angle": np.pi / 4, "voltage": 300, "cs": 2.7,
           "amplitude": 0.1, "phase_shift": np.pi / 2}
    assert got.shape == (8, 5)
    near(got[0, 0], ts.ctf_value_at(one, 0, 0), 1e-6)
    near(got[3, 2], ts.ctf_value_at(one, 3 / 8, 2 / 8), 1e-5)


@test
def shapes_and_boxes():
    h, w = np.ogrid[:9, :9]
    near(ts.sphere((9, 9), 3), np.hypot(h - 4, w - 4) <= 3)
    near(ts.sphere((9, 9), 2, centre=(3, 5)), np.hypot(h - 3, w - 5) <= 2)
    near(ts.cuboid((9, 9), (1, 2)), (abs(h - 4) <= 1) & (abs(w - 4) <= 2))
    tube = ts.cylinder((5, 9, 9), 3, 1).numpy()
    near(tube[2], np.hypot(h - 4, w - 4) <= 3)
    near(tube[0], 0)
    soft = ts.soft_edge(ts.sphere((9, 9), 2), 2).numpy()
    assert soft[4, 4] == 1 and 0 < soft[4, 7] < 1
    boxes = ts.crop_at(image, [(8, 8), (5.2, 6.8)], 4)
    assert boxes.shape == (2, 4, 4)
    near(boxes[0], image[6:10, 6:10])
    near(boxes[1], image[3:7, 5:9])
    assert ts.crop_at(volume, [(4, 4, 4)], (2, 3, 4)).shape == (1, 2, 3, 4)


@test
def ranges_are_those_of_numpy():
    for given in ((5,), (0, 5), (2, 9, 3), (5, 0, -2), (0, 1, 0.25), (3, 3), (5, 2), (np.float32(0), np.int64(3))):
        near(ts.arange(*given), np.arange(*given))
    near(ts.arange((2, 3), 1, 2), np.arange(1, 13, 2).reshape(2, 3))
    near(ts.arange(4, start=3, step=2), np.arange(3, 11, 2))
    raises(ValueError, "arange: step must not be 0", ts.arange, 0, 5, 0)
    for given in ((0, 1, 5), (2, -3, 4), (0.5, 2, 1)):
        near(ts.linspace(*given), np.linspace(*given))
    near(ts.linspace((2, 3), 0, 1), np.linspace(0, 1, 6).reshape(2, 3))
    raises(TypeError, "linspace: n is 0.5", ts.linspace, 0, 1, 0.5)


@test
def one_number_is_the_size_of_each_axis():
    assert ts.resize(np.ones((8, 8)), 4).shape == (4, 4) and ts.resize(np.ones((8, 6, 5)), 4).shape == (4, 4, 4)
    assert ts.resize(np.ones(8), 4).shape == (4,)
    assert ts.extract(np.ones((99, 99)), [[0, 0], [3, 4]], 64).shape[-2:] == (64, 64)
    assert ts.average_power(np.ones((128, 128), np.float32), 64).shape[-2:] == (64, 33)
    near(ts.irfft2(np.fft.rfft2(image)), ts.fft_c2r(np.fft.rfft2(image), (16, 20)))
    near(ts.fft_c2r(np.fft.rfft2(image[:, :16]), 16), image[:, :16])
    near(ts.sphere(8, 2), ts.sphere((8, 8, 8), 2).numpy())
    near(ts.ctf_2d(16, 1.5, 1.0), ts.ctf_2d((16, 16), 1.5, 1.0).numpy())
    assert ts.zeros(5).shape == (5,)
    raises(ValueError, "shape is 8; expected a tuple with the size of each axis", ts.transform_2d, image, np.eye(3), shape=8)


@test
def other_spellings_of_options_and_borders():
    def same(function, *arguments, given, other=None):
        """Each of these keywords gives what the first does; `other` does not."""
        want, *others = [np.asarray(function(*arguments, **keywords)) for keywords in given]
        assert others and all(got.tobytes() == want.tobytes() for got in others), given
        if other:
            assert np.asarray(function(*arguments, **other)).tobytes() != want.tobytes(), other

    turn = np.array([[0.9, -0.3, 1.5], [0.3, 0.9, -2.25]])
    half = np.fft.rfft2(image)

    def borders(*names):
        return [{"border": name} for name in names]

    same(ts.transform_2d, image, turn, given=[{"centred": True}, {"centered": True}], other={"centred": False})
    same(ts.transform_2d, image, turn, given=[{"centre_h": 3.0}, {"center_h": 3.0}], other={"centre_w": 3.0})
    same(ts.dose_weight_image, np.stack([image, image])[:, None], np.array([3.0, 9.0]).reshape(2, 1, 1, 1), 1.5,
         given=[{"normalize": True}, {"normalise": True}], other={"normalize": False})
    same(ts.bfactor, half, image.shape, 50.0, given=[{name: 2.0} for name in ("pixel_size", "apix", "angpix", "voxel_size")],
         other={"pixel_size": 3.0})
    for names, other in (("periodic", "wrap"), "clamp"), (("clamp", "edge"), "mirror"), (("mirror", "symmetric"), "reflect"):
        same(ts.transform_2d, image, turn, given=borders(*names), other={"border": other})
        same(ts.pad, image, (24, 30), given=borders(*names), other={"border": other})
    same(ts.transform_2d, image, turn, given=[{"interp": "cubic_bspline"}, {"interp": "bspline"}], other={"interp": "cubic"})
    raises(TypeError, "did you mean 'border'?", ts.transform_2d, image, turn, boder="clamp")
    raises(TypeError, "did you mean 'centred'?", ts.transform_2d, image, turn, centrd=True)
    raises(TypeError, "multiple values for argument 'centred'", ts.transform_2d, image, turn, centred=True, centered=True)
    raises(ValueError, "'periodic'", ts.transform_2d, image, turn, border="wrapped")
    raises(ValueError, "'cubic_bspline'", ts.transform_2d, image, turn, interp="bsplines")


finish()
