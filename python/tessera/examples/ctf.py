"""Examples of the contrast transfer function; see __init__.py."""
TEXT = """
ctf_2d
>>> ts.ctf_2d((64, 64), pixel_size=1.5, defocus=1.2)[0, 0].round(3)
Array(0.1, dtype='f32')

ctf_apply
>>> ctf = {"pixel_size": 1.5, "defocus": 0.5}
>>> ts.ctf_apply(np.ones((8, 5), "c8"), (8, 8), ctf)[0].real.round(3)
array([-0.   ,  0.838,  0.741,  0.461,  0.195], dtype=float32)

ctf_apply_image
>>> image = ts.sphere((64, 64), 8)
>>> ts.ctf_apply_image(image, {"pixel_size": 1.5, "defocus": 1.2}).shape
(64, 64)

ctf_defocus_at
>>> ts.ctf_defocus_at({"pixel_size": 1.5, "defocus": 1.2, "astigmatism": 0.1, "angle": 0}, 0.0)
1.3

ctf_envelope_at
>>> ts.ctf_envelope_at({"pixel_size": 1.5, "defocus": 1.2}, 0.1, 0.0)
1.0

ctf_fit
>>> ctf = {"pixel_size": 1.5, "defocus": 1.2}
>>> power = ts.ctf_image((256, 256), ctf) ** 2
>>> fit = ts.ctf_fit(power, (256, 256), {"pixel_size": 1.5})
>>> fit[..., 2].round(2)
Array(1.2, dtype='f64')

ctf_fit_image
>>> noise = ts.random_normal((512, 512), 0, 1, seed=1)
>>> image = ts.ctf_apply_image(noise, {"pixel_size": 1.5, "defocus": 1.2})
>>> fit = ts.ctf_fit_image(image, 256, {"pixel_size": 1.5})
>>> fit[..., 2].round(1)
Array(1.2, dtype='f64')

ctf_flip
>>> ctf = {"pixel_size": 1.5, "defocus": 2}
>>> ts.ctf_flip(np.ones((8, 5), "c8"), (8, 8), ctf)[0].real
array([ 1.,  1.,  1.,  1., -1.], dtype=float32)

ctf_flip_image
>>> image = ts.sphere((64, 64), 8)
>>> ts.ctf_flip_image(image, {"pixel_size": 1.5, "defocus": 1.2}).shape
(64, 64)

ctf_frequency_at
>>> ctf = {"pixel_size": 1.5, "defocus": 1.2}
>>> phase = ts.ctf_phase_at(ctf, 0.1, 0.0)
>>> round(ts.ctf_frequency_at(ctf, phase), 4)
0.1

ctf_image
>>> ts.ctf_image((8, 8), {"pixel_size": 1.5, "defocus": 0.5})[0].round(3)
Array([-0.   ,  0.838,  0.741,  0.461,  0.195], dtype='f32')

ctf_isotropic_frequency
>>> ts.ctf_isotropic_frequency({"pixel_size": 1.5, "defocus": 1.2}, 0.3, 0.4)
0.5

ctf_odd_phase_at
>>> ts.ctf_odd_phase_at({"pixel_size": 1.5, "defocus": 1.2}, 0.1, 0.0)
0.0

ctf_phase_at
>>> round(ts.ctf_phase_at({"pixel_size": 1.5, "defocus": 1.2}, 0.1, 0.0), 4)
-3.2987

ctf_value_at
>>> round(ts.ctf_value_at({"pixel_size": 1.5, "defocus": 1.2}, 0.1, 0.0), 4)
-0.1564

ctf_wavelength
>>> round(ts.ctf_wavelength(300), 5)
0.01969

ctf_wiener
>>> ctf = {"pixel_size": 1.5, "defocus": 0.5}
>>> ts.ctf_wiener(np.ones((8, 5), "c8"), (8, 8), ctf, snr=10)[0].real.round(3)
array([-0.   ,  1.044,  1.142,  1.476,  1.413], dtype=float32)

ctf_wiener_image
>>> image = ts.sphere((64, 64), 8)
>>> ts.ctf_wiener_image(image, {"pixel_size": 1.5, "defocus": 1.2}, snr=10).shape
(64, 64)

fuse_spectra
>>> ctfs = ts.asarray([[1.5, 1.5, 1.0, 0, 0, 300, 0.1, 2.7, 0, 0, 1, 0, 0]] * 2)
>>> curves = np.ones((2, 33))
>>> ts.fuse_spectra(curves, ctfs, ctfs[0]).shape
(33,)

phase_spectra
>>> ctfs = ts.asarray([[1.5, 1.5, 1.0, 0, 0, 300, 0.1, 2.7, 0, 0, 1, 0, 0]])
>>> curves = np.ones((1, 33))
>>> ts.phase_spectra(curves, ctfs, ctfs[0]).shape
(1, 33)
"""
