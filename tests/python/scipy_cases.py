#!/usr/bin/env python3
"""What scipy.ndimage and scipy.fft promise and we promise too, through the module. scipy_cases.py BUILD"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, raises, test

import numpy as np
from scipy import fft, ndimage, signal

import tessera as ts

rng = np.random.default_rng(17)
# Names of what lies outside: SciPy's "reflect" repeats the last element, our "reflect" does not, as numpy.pad's.
BORDERS = {"constant": "zero", "nearest": "clamp", "wrap": "periodic", "reflect": "mirror", "mirror": "reflect"}
SHAPES = ((11,), (9, 13), (1, 12), (7, 1), (6, 8, 5))


def near(ours, theirs, tolerance):
    ours = np.asarray(ours)
    assert ours.shape == theirs.shape, f"{ours.shape} and {theirs.shape}"
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def data(shape, dtype):
    """Of unsigned dtypes none is negative: what becomes of those is C's choice."""
    made = rng.normal(size=shape) * 20
    return (np.abs(made) if np.dtype(dtype).kind == "u" else made).astype(dtype)


# ---- scipy.ndimage: filters ----


@test
def median_and_rank_filters_have_the_same_elements():
    for dtype in ("f4", "f8", "i2", "u1", "i8"):
        image = data((17, 14), dtype)
        for theirs, ours in BORDERS.items():
            for size in ((3, 3), (5, 3), (1, 7)):
                near(ts.median_filter(image, size, border=ours), ndimage.median_filter(image, size, mode=theirs), 0)
                near(ts.rank_filter(image, size, 1, border=ours), ndimage.rank_filter(image, 1, size, mode=theirs), 0)
        near(ts.median_filter(image, (3, 3), border="value", value=7),
             ndimage.median_filter(image, (3, 3), mode="constant", cval=7), 0)
    volume = data((6, 7, 8), "f4")
    near(ts.median_filter(volume, (3, 3, 3), border="clamp"), ndimage.median_filter(volume, 3, mode="nearest"), 0)


@test
def morphology_has_the_same_elements():
    disk = np.hypot(*np.mgrid[-3:4, -3:4]) < 3.5
    corner = np.array([[0, 0, 0], [0, 1, 1], [0, 1, 0]], bool)
    pairs = {"grey_erode": ndimage.grey_erosion, "grey_dilate": ndimage.grey_dilation,
             "grey_open": ndimage.grey_opening, "grey_close": ndimage.grey_closing,
             "white_tophat": ndimage.white_tophat, "black_tophat": ndimage.black_tophat,
             "morphological_gradient": ndimage.morphological_gradient}
    for dtype in ("f4", "f8", "i2", "u1"):
        image = data((17, 14), dtype)
        for name, theirs in pairs.items():
            ours = getattr(ts, name)
            near(ours(image), theirs(image, (3, 3)), 0)
            near(ours(image, window=(5, 3)), theirs(image, (5, 3)), 0)
            near(ours(image, footprint=disk), theirs(image, footprint=disk), 0)
            near(ours(image, footprint=corner.tolist(), border="clamp"), theirs(image, footprint=corner, mode="nearest"), 0)
    mask = ndimage.gaussian_filter(data((40, 30), "f4"), 1) > 0
    near(ts.grey_dilate(mask, border="zero"), ndimage.binary_dilation(mask, np.ones((3, 3))), 0)
    near(ts.grey_erode(mask, footprint=disk, border="zero"), ndimage.binary_erosion(mask, disk), 0)
    near(ts.fill_holes(mask), ndimage.binary_fill_holes(mask), 0)
    near(ts.fill_holes(mask, full=True), ndimage.binary_fill_holes(mask, np.ones((3, 3))), 0)
    seed = mask & (data(mask.shape, "f4") > 25)
    near(ts.morph_reconstruct(seed, mask), ndimage.binary_propagation(seed, mask=mask), 0)


@test
def labels_and_their_properties_are_those_of_scipy():
    for shape in SHAPES:
        image = data(shape, "f4")
        mask = ndimage.gaussian_filter(image, 1) > np.median(image)
        labels, n = ndimage.label(mask)
        made = ts.label(mask, counts=True)
        near(made.out, labels, 0)
        assert made.counts == n
        assert ts.find_objects(labels) == ndimage.find_objects(labels)
        labels[labels == 1] = 0
        assert ts.find_objects(labels, n + 2) == ndimage.find_objects(labels, n + 2)
        index = np.arange(2, n + 1)
        found = ts.label_properties(labels, image, n=n)
        assert found.areas.shape == (n,) and found.bounds.shape == (n, 2, len(shape))
        assert found.centres.shape == (n, len(shape)) and found.covariances.shape == (n, len(shape), len(shape))
        assert found.areas[0] == 0 and np.isnan(found.centres[0]).all() and np.isnan(found.means[0])
        near(found.sums[1:], ndimage.sum_labels(image, labels, index), 1e-6)
        near(found.maxima[1:], ndimage.maximum(image, labels, index), 0)
        near(found.centres[1:], np.array(ndimage.center_of_mass(mask, labels, index)).reshape(n - 1, len(shape)), 1e-12)
        for k in index:
            near(found.covariances[k - 1], np.cov(np.argwhere(labels == k).T, bias=True).reshape((len(shape),) * 2), 1e-9)


@test
def label_properties_of_stacks_and_of_nothing():
    labels = np.array([[[1, 1, 0], [0, 2, 2]], [[0, 0, 0], [3, 3, 3]]], "i4")
    images, volume = ts.label_properties(labels, ndim=2), ts.label_properties(labels)
    assert images.areas.tolist() == [[2, 2, 0], [0, 0, 3]] and images.centres.shape == (2, 3, 2)
    assert volume.areas.tolist() == [2, 2, 3] and volume.centres.shape == (3, 3) and volume.sums is None
    near(volume.centres[2], np.array([1, 1, 1.0]), 0)
    near(images.bounds[1, 2], np.array([[1, 0], [2, 3]]), 0)
    tables = ts.label_tables(labels, image=labels, sums=True, centres=True)
    assert tables.out.tolist() == [2, 2, 3] and tables.sums.tolist() == [2, 4, 9] and tables.centres.shape == (3, 3)
    row = ts.label_properties([0, 1, 1])
    assert isinstance(row.areas, ts.Array) and row.bounds.tolist() == [[[1], [3]]]
    nothing = ts.label_properties(labels * 0, labels * 1.0)
    assert nothing.areas.shape == (0,) and nothing.covariances.shape == (0, 3, 3) and ts.find_objects(labels * 0) == []
    assert ts.label_properties(labels, n=1).areas.tolist() == [2]
    assert ts.label_properties(labels, n=0).areas.shape == (0,)
    raises(ValueError, "label_properties: image has shape (2, 2) and labels (2, 2, 3); they must be equal",
           ts.label_properties, labels, images.centres[:, 0])
    raises(ValueError, "label_properties: ndim is 4; expected 1, 2 or 3", ts.label_properties, labels, ndim=4)
    raises(ValueError, "find_objects: labels have 4 axes; expected at most 3", ts.find_objects, labels[None])
    raises(ts.DtypeError, "labels is f64; integers or bool are needed", ts.label_properties, labels * 1.0)


@test
def watersheds_divide_touching_discs():
    h, w = np.mgrid[:80, :80]
    discs = (np.hypot(h - 28, w - 28) < 16) | (np.hypot(h - 44, w - 52) < 20)
    height = -ndimage.distance_transform_edt(discs)
    markers = np.zeros(discs.shape, "i4")
    markers[28, 28], markers[44, 52] = 1, 2
    divided = ts.watershed(height, markers, mask=discs)
    assert divided.dtype == "i4" and set(divided[discs]) == {1, 2} and not divided[~discs].any()
    assert 0.85 < (divided == 1).sum() / (np.pi * 16**2) < 1
    with_line = ts.watershed(height, markers, mask=discs, line=True)
    assert 5 < (with_line[discs] == 0).sum() < 40 and np.array_equal(with_line[with_line > 0], divided[with_line > 0])
    basins = ts.watershed(ndimage.gaussian_filter(data((60, 50), "f8"), 2), full=True)
    assert basins.dtype == "i4" and basins.min() == 1 and set(np.diff(np.unique(basins))) == {1}


@test
def restoration_of_images_and_volumes():
    image = data((17, 23), "f8")
    near(ts.bilateral(image, 1e9, 1e4, window=(3, 5)), ndimage.uniform_filter(image, (3, 5)), 1e-6)
    near(ts.nl_means(image, 1e9, patch=1, search=2, border="mirror"), ndimage.uniform_filter(image, 5), 1e-6)
    volume = data((6, 7, 8), "f4")
    near(ts.nl_means(volume, 1e9, patch=1, search=1, ndim=3), ndimage.uniform_filter(volume, 3), 1e-4)
    with_kappa = ts.anisotropic_diffusion(image, 1e9, 1, step=0.25)
    near(with_kappa, image + 0.25 * ndimage.laplace(image), 1e-9)
    differences = np.abs(ndimage.correlate(ndimage.correlate(image, [[-1, 2, -1]]), [[-1], [2], [-1]]))[1:-1, 1:-1]
    near(ts.estimate_noise(image), np.median(differences) / 6 / 0.67448975019608174, 1e-9)
    psf = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16
    stack = np.abs(np.stack([image, image[::-1]]))
    near(ts.richardson_lucy(stack, psf, 3)[1], ts.richardson_lucy(stack[1], psf, 3), 1e-9)
    blurred = ndimage.convolve(image, psf, mode="wrap")
    transfer = np.fft.fft2(np.roll(np.pad(psf, ((0, 14), (0, 20))), (-1, -1), (0, 1)))
    want = np.fft.ifft2(np.fft.fft2(blurred) * transfer.conj() / (abs(transfer)**2 + 0.1)).real
    near(ts.wiener_deconvolve(blurred, psf, 0.1, border="periodic"), want, 1e-9)


@test
def uniform_and_sobel_filters_and_centres_of_mass():
    for shape in SHAPES:
        image = data(shape, "f8")
        for theirs, ours in BORDERS.items():
            size = (3,) * len(shape)
            near(ts.uniform_filter(image, size, border=ours), ndimage.uniform_filter(image, size, mode=theirs), 1e-10)
            if min(shape) > 1:
                near(ts.sobel(image, axes=0, border=ours), ndimage.sobel(image, 0, mode=theirs), 1e-10)
        if min(shape) > 1:
            near(ts.centre_of_mass(image**2), np.array(ndimage.center_of_mass(image**2)), 1e-10)
    image = data((9, 13), "f4")
    near(ts.sobel(image, border="mirror"), ndimage.generic_gradient_magnitude(image, ndimage.sobel), 1e-4)


@test
def convolution_and_correlation_have_the_same_centre_and_borders():
    for shape, size in (((9, 13), (3, 5)), ((12, 10), (5, 1)), ((6, 8, 5), (3, 3, 3))):
        image, kernel = data(shape, "f8"), data(size, "f8")
        for theirs, ours in BORDERS.items():
            near(ts.convolve(image, kernel, border=ours), ndimage.convolve(image, kernel, mode=theirs), 1e-10)
            near(ts.convolve(image, kernel, border=ours, correlate=True), ndimage.correlate(image, kernel, mode=theirs), 1e-10)
    row = data((20,), "f8")
    near(ts.convolve_separable(row, filter_w=np.array([1.0, 2, 4])), ndimage.convolve1d(row, [1, 2, 4], mode="constant"), 1e-12)


@test
def gaussian_filters_are_those_of_a_truncated_kernel():
    image = data((31, 24), "f8")
    for sigma in (0.8, 2.0):
        radius = int(4 * sigma + 0.5)
        kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
        kernel /= kernel.sum()
        for theirs, ours in BORDERS.items():
            near(ts.convolve_separable(image, filter_h=kernel, filter_w=kernel, border=ours),
                 ndimage.gaussian_filter(image, sigma, mode=theirs), 1e-10)


@test
def a_filter_of_one_element_changes_nothing():
    for shape in SHAPES[1:]:
        image = data(shape, "f4")
        near(ts.median_filter(image, (1,) * image.ndim), image, 0)
        near(ts.convolve(image, np.ones((1,) * image.ndim, "f4")), image, 0)


# ---- scipy.ndimage: geometry ----


@test
def shifts_by_elements_move_elements():
    image = np.arange(30.0).reshape(5, 6)
    for shift in ((0, 0), (1, 0), (0, -2), (2, 3)):
        near(ts.shift_image(image, 0, *shift), ndimage.shift(image, shift, order=1), 1e-12)
        near(ts.shift_image(image, 0, *shift, interp="nearest"), ndimage.shift(image, shift, order=0), 1e-12)


@test
def transforms_by_matrices_are_of_the_same_coordinates():
    image, volume = data((18, 22), "f8"), data((9, 10, 11), "f8")
    for degrees in (0, 30, 90, -145):
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        matrix = np.array([[c, -s, 3.0], [s, c, -1.5], [0, 0, 1]])
        for order, interp in ((0, "nearest"), (1, "linear")):
            ours = np.asarray(ts.affine_transform(image, matrix[:2], interp=interp, border="clamp"))
            theirs = ndimage.affine_transform(image, matrix, order=order, mode="nearest")
            agree = np.isclose(ours, theirs, atol=1e-9)
            assert agree.mean() > (0.999 if order else 0.97), (degrees, order, agree.mean())  # ties of order 0 go either way
        turn = np.array([[1, 0, 0, 0.5], [0, c, -s, 2], [0, s, c, 1], [0, 0, 0, 1]])
        near(ts.affine_transform(volume, turn[:3], border="clamp"),
             ndimage.affine_transform(volume, turn, order=1, mode="nearest"), 1e-9)


@test
def splines_go_through_the_elements():
    image = data((16, 19), "f8")
    for border, mode in (("reflect", "mirror"), ("mirror", "reflect"), ("periodic", "grid-wrap")):
        near(ts.bspline_prefilter(image, border=border), ndimage.spline_filter(image, 3, mode=mode), 1e-6)
    near(ts.shift_image(image, 0, 0.3, -1.7, interp="cubic_bspline", prefilter=True, border="periodic"),
         ndimage.shift(image, (0.3, -1.7), order=3, mode="grid-wrap"), 1e-6)


@test
def fourier_shifts_are_those_of_scipy():
    image = data((12, 16), "f8")
    spectrum = np.fft.fft2(image)
    near(ts.fourier_shift(spectrum, (1.5, -2.25)), ndimage.fourier_shift(spectrum, (1.5, -2.25)), 1e-9)
    near(ts.fourier_shift(np.fft.rfft2(image), (1.5, -2.25), 16), ndimage.fourier_shift(np.fft.rfft2(image), (1.5, -2.25), 16), 1e-9)


# ---- scipy.ndimage: masks ----


@test
def distances_are_those_of_scipy():
    for shape in ((20, 23), (8, 9, 10)):
        mask = rng.random(shape) < 0.4
        steps = dict(zip(("step_d", "step_h", "step_w")[-mask.ndim:], (1.0, 2.0, 1.5)[-mask.ndim:]))
        near(ts.distance_transform(mask), ndimage.distance_transform_edt(mask), 1e-5)
        near(ts.distance_transform(mask, **steps),
             ndimage.distance_transform_edt(mask, sampling=(1.0, 2.0, 1.5)[-mask.ndim:]), 1e-5)


# ---- scipy.fft ----


@test
def half_spectra_are_those_of_rfft():
    for n in (1, 2, 3, 8, 9, 30, 31, 97, 128):
        for dtype, tolerance in (("f4", 2e-4), ("f8", 1e-10)):
            rows = data((3, n), dtype)
            ours = ts.rfft(rows)
            assert ours.dtype == fft.rfft(rows).dtype  # single precision stays single
            near(ours, fft.rfft(rows), tolerance)
            near(ts.irfft(ours, n), rows, tolerance)
    assert ts.irfft(fft.rfft(data((2, 11), "f8"))).shape == (2, 10)  # even, unless told, as SciPy's


@test
def norms_share_the_factor_as_scipy_does():
    image, z = data((10, 14), "f8"), data((10, 14), "f8") + 1j * data((10, 14), "f8")
    for norm in ("backward", "ortho", "forward"):
        near(ts.rfft2(image, norm=norm), fft.rfft2(image, norm=norm), 1e-9)
        near(ts.fft2(z, norm=norm), fft.fft2(z, norm=norm), 1e-9)
        near(ts.ifft2(ts.fft2(z, norm=norm), norm=norm), z, 1e-9)
    volume = data((5, 6, 7), "f8") + 1j * data((5, 6, 7), "f8")
    for axes in ((0,), (1,), (2,), (0, 2), (0, 1, 2)):
        near(ts.fft_c2c(volume, "forward", axes=axes), fft.fftn(volume, axes=axes), 1e-9)
        near(ts.fft_c2c(volume, "backward", axes=axes), fft.ifftn(volume, axes=axes), 1e-9)


@test
def known_spectra():
    n = 16
    impulse = np.zeros(n)
    impulse[0] = 1
    near(ts.rfft(impulse), np.ones(n // 2 + 1, complex), 1e-15)
    wave = np.cos(2 * np.pi * 3 * np.arange(n) / n)
    expected = np.zeros(n // 2 + 1, complex)
    expected[3] = n / 2
    near(ts.rfft(wave), expected, 1e-12)
    noise = data((n,), "f8")
    power = np.abs(np.asarray(ts.rfft(noise))) ** 2
    assert abs(power[0] + power[-1] + 2 * power[1:-1].sum() - n * (noise ** 2).sum()) < 1e-8  # Parseval


@test
def cosine_and_sine_transforms_are_those_of_scipy():
    rows = data((3, 12), "f8")
    for kind in (1, 2, 3, 4):
        near(ts.fft_r2r(rows, f"dct{kind}", "forward", axes=-1), fft.dct(rows, kind), 1e-9)
        near(ts.fft_r2r(rows, f"dst{kind}", "forward", axes=-1), fft.dst(rows, kind), 1e-9)
        near(ts.fft_r2r(ts.fft_r2r(rows, f"dct{kind}", "forward", axes=-1), f"dct{kind}", "backward", axes=-1), rows, 1e-9)


@test
def shifts_of_spectra_undo_each_other():
    for shape in ((8, 9), (5, 6)):
        image = data(shape, "f8")
        near(ts.fftshift(image), fft.fftshift(image), 0)
        near(ts.ifftshift(ts.fftshift(image)), image, 0)


@test
def windows_are_those_of_scipy():
    for n in (2, 7, 16):
        for name in ("hann", "hamming", "blackman"):
            near(getattr(ts, f"window_{name}")(n), signal.get_window(name, n, fftbins=False), 1e-12)
            near(getattr(ts, f"window_{name}")(n, periodic=True), signal.get_window(name, n, fftbins=True), 1e-12)


@test
def wrong_sizes_are_errors_here_as_there():
    raises(ts.Error, "window", ts.median_filter, data((4, 4), "f4"), (2, 2))
    raises(ts.ShapeError, "shape", ts.fft_c2r, data((4, 4), "c8"), (4, 9))
    raises(ValueError, "border is 'grid'", ts.median_filter, data((4, 4), "f4"), (3, 3), border="grid")


finish()
