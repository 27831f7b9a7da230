"""Examples of transforms, spectra and filters of frequencies; see __init__.py."""
TEXT = """
average_power
>>> image = ts.random_normal((64, 64), 0, 1, seed=1)
>>> ts.average_power(image, 32).shape
(32, 17)

bandpass
>>> spectrum = np.ones((8, 5), "c8")
>>> ts.bandpass(spectrum, (8, 8), 0.1, 0.3)[0].real
array([0., 1., 1., 0., 0.], dtype=float32)

bandpass_image
>>> noise = ts.random_normal((64, 64), 0, 1, seed=1)
>>> abs(ts.mean(ts.bandpass_image(noise, 0.1, 0.3))) < 1e-6
Array(True, dtype='bool')

bfactor
>>> spectrum = np.ones((8, 5), "c8")
>>> ts.bfactor(spectrum, (8, 8), 50, pixel_size=1.5)[0].real.round(3)
array([1.   , 0.917, 0.707, 0.458, 0.249], dtype=float32)

bfactor_image
>>> image = ts.sphere((32, 32), 8)
>>> blurred = ts.bfactor_image(image, 100, pixel_size=1.5)
>>> ts.max(ts.diff(blurred)) < ts.max(ts.diff(image))
Array(True, dtype='bool')

dose_normalize
>>> total = np.ones((8, 5), "c8")
>>> ts.dose_normalize(total, (8, 8), [5, 50], 1.5)[0].real.round(2)
array([0.71, 1.1 , 1.38, 1.61, 1.78], dtype=float32)

dose_weight
>>> spectra = np.ones((2, 8, 5), "c8")
>>> ts.dose_weight(spectra, (2, 8, 8), [5, 50], 1.5, ndim=2)[:, 0].real.round(2)
array([[1.  , 0.87, 0.72, 0.62, 0.56],
       [1.  , 0.25, 0.04, 0.01, 0.  ]], dtype=float32)

dose_weight_image
>>> frames = ts.random_normal((5, 32, 32), 0, 1, seed=1)
>>> weighted = ts.dose_weight_image(frames, [1, 2, 3, 4, 5], 1.5, ndim=2)
>>> ts.std(weighted[4]) < ts.std(weighted[0])
Array(True, dtype='bool')

fft
>>> ts.fft([1.0, 0.0, 0.0, 0.0])
Array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype='c64')

fft2
>>> ts.fft2(np.ones((2, 2)))
array([[4.+0.j, 0.+0.j],
       [0.+0.j, 0.+0.j]])

fft_c2c
>>> ts.fft_c2c([1.0, 1.0], "forward")
Array([2.+0.j, 0.+0.j], dtype='c64')

fft_c2r
>>> spectrum = ts.fft_r2c(np.ones((2, 2)))
>>> ts.fft_c2r(spectrum, (2, 2))
array([[1., 1.],
       [1., 1.]])

fft_empty
>>> real, spectrum = ts.fft_empty((4, 6))
>>> real.shape, spectrum.shape
((4, 6), (4, 4))

fft_frequencies
>>> ts.fft_frequencies((4,), axes="w")
Array([0.  , 0.25, 0.5 ], dtype='f64')

fft_frequency
>>> ts.fft_frequency("h", 3, 8, 2)
0.25

fft_index
>>> ts.fft_index("h", 3, 8, 0.25)
2.0

fft_phase_shift
>>> spectrum = ts.rfft2(np.eye(4))
>>> ts.irfft2(ts.fft_phase_shift(spectrum, (4, 4), [1, 0])).round(3)
array([[0., 0., 0., 1.],
       [1., 0., 0., 0.],
       [0., 1., 0., 0.],
       [0., 0., 1., 0.]])

fft_r2c
>>> ts.fft_r2c(np.ones((4, 6))).shape
(4, 4)

fft_r2r
>>> ts.fft_r2r([1.0, 1.0, 1.0], "dct2", "forward")
Array([6., 0., 0.], dtype='f64')

fft_remap
>>> spectrum = ts.rfft2(np.ones((4, 4)))
>>> ts.fft_remap(spectrum, (4, 4), "h", "fc").real
array([[ 0.,  0.,  0.,  0.],
       [ 0.,  0.,  0.,  0.],
       [ 0.,  0., 16.,  0.],
       [ 0.,  0.,  0.,  0.]])

fft_resize
>>> spectrum = ts.rfft2(np.ones((8, 8)))
>>> ts.fft_resize(spectrum, (8, 8), (4, 4)).shape
(4, 3)

fft_spectrum
>>> spectrum = ts.rfft2(np.ones((4, 4)))
>>> ts.fft_spectrum(spectrum, (4, 4), kind="amplitude")[2]
array([ 0.,  0., 16.,  0.])

fftfreq
>>> ts.fftfreq(4)
Array([ 0.  ,  0.25, -0.5 , -0.25], dtype='f64')

fftn
>>> ts.fftn(np.ones((2, 2, 2)))[0, 0]
array([8.+0.j, 0.+0.j])

fftshift
>>> ts.fftshift(ts.fftfreq(4))
Array([-0.5 , -0.25,  0.  ,  0.25], dtype='f64')

filter_curve
>>> spectrum = np.ones((8, 5), "c8")
>>> ts.filter_curve(spectrum, (8, 8), [1.0, 0.8, 0.6, 0.4, 0.2])[0].real.round(3)
array([1. , 0.8, 0.6, 0.4, 0.2], dtype=float32)

filter_curve_image
>>> ts.filter_curve_image(np.ones((4, 4)), [0.5, 1.0, 1.0])
array([[0.5, 0.5, 0.5, 0.5],
       [0.5, 0.5, 0.5, 0.5],
       [0.5, 0.5, 0.5, 0.5],
       [0.5, 0.5, 0.5, 0.5]])

filter_image
>>> op = "op f(in f64 z, in f64 y, in f64 x, out f32 m) { m = (f32)0.5; }"
>>> ts.filter_image(np.ones((2, 2)), op)
array([[0.5, 0.5],
       [0.5, 0.5]])

filter_spectrum
>>> op = "op f(in f64 z, in f64 y, in f64 x, out f32 m) { m = (f32)0.5; }"
>>> ts.filter_spectrum(ts.rfft2(np.ones((2, 2))), (2, 2), op).real
array([[2., 0.],
       [0., 0.]])

fourier_cone
>>> spectrum = np.ones((5, 3), "c8")
>>> ts.fourier_cone(spectrum, (5, 5), np.radians(40), direction_h=1).real
array([[1., 0., 0.],
       [1., 0., 0.],
       [1., 1., 0.],
       [1., 1., 0.],
       [1., 0., 0.]], dtype=float32)

fourier_cone_image
>>> image = ts.random_normal((16, 16), 0, 1, seed=1)
>>> ts.std(ts.fourier_cone_image(image, np.radians(20))) < ts.std(image)
Array(True, dtype='bool')

fourier_cross
>>> spectrum = np.ones((4, 3), "c8")
>>> ts.fourier_cross(spectrum, (4, 4), 0.1).real
array([[1., 1., 1.],
       [1., 0., 0.],
       [1., 0., 0.],
       [1., 0., 0.]], dtype=float32)

fourier_cross_image
>>> image = ts.random_normal((16, 16), 0, 1, seed=1)
>>> ts.std(ts.fourier_cross_image(image, 0.1)) < ts.std(image)
Array(True, dtype='bool')

fourier_ellipsoid
>>> spectrum = np.ones((4, 3), "c8")
>>> ts.fourier_ellipsoid(spectrum, (4, 4), 0.5, 0.2, 0.3).real
array([[1., 1., 0.],
       [0., 0., 0.],
       [0., 0., 0.],
       [0., 0., 0.]], dtype=float32)

fourier_ellipsoid_image
>>> image = ts.random_normal((16, 16), 0, 1, seed=1)
>>> ts.std(ts.fourier_ellipsoid_image(image, 0.5, 0.2, 0.4)) < ts.std(image)
Array(True, dtype='bool')

fourier_rescale
>>> ts.fourier_rescale(np.ones((8, 8)), 1.0, 2.0).shape
(4, 4)

fourier_shift
>>> spectrum = ts.fft2(np.eye(4))
>>> ts.ifft2(ts.fourier_shift(spectrum, (1, 0))).real.round(3)
array([[0., 0., 0., 1.],
       [1., 0., 0., 0.],
       [0., 1., 0., 0.],
       [0., 0., 1., 0.]])

fourier_wedge
>>> spectrum = ts.rfft3(ts.sphere((16, 16, 16), 4))
>>> ts.fourier_wedge(spectrum, (16, 16, 16), np.radians(-60), np.radians(60)).shape
(16, 16, 9)

fourier_wedge_image
>>> volume = ts.sphere((16, 16, 16), 4)
>>> ts.fourier_wedge_image(volume, np.radians(-60), np.radians(60)).shape
(16, 16, 16)

frc
>>> image = ts.sphere((32, 32), 8)
>>> ts.frc(image, -image)[:4]
Array([-1., -1., -1., -1.], dtype='f64')

frequency_to_resolution
>>> ts.frequency_to_resolution(0.25, 1.5)
6.0

fsc
>>> image = ts.sphere((32, 32), 8)
>>> ts.fsc(image, image)[:4]
Array([1., 1., 1., 1.], dtype='f64')

fsc_corrected
>>> masked, randomized = [1.0, 0.9, 0.5], [1.0, 0.8, 0.3]
>>> ts.fsc_corrected(masked, randomized, (4, 4), 0.1, margin=0).round(3)
Array([1.   , 0.5  , 0.286], dtype='f64')

fsc_local
>>> noise = ts.random_normal((8, 8, 8), 0, 1, seed=1)
>>> ts.fsc_local(noise, noise, np.ones((4, 4, 4)), [[0, 0, 0], [4, 4, 4]])
Array([[1., 1., 1.],
       [1., 1., 1.]], dtype='f64')

fsc_resolution
>>> curve = [1.0, 1.0, 0.5, 0.0, 0.0]
>>> ts.fsc_resolution(curve, (8, 8), threshold=0.5, pixel_size=1.5)
Array(6., dtype='f64')

fsc_weight
>>> ts.fsc_weight([1.0, 0.5, 0.0])
Array([1.        , 0.81649658, 0.        ], dtype='f64')

guinier_fit
>>> step = 0.01
>>> frequencies = ts.arange(20) * step
>>> ts.guinier_fit(ts.exp(-25 * frequencies ** 2), step)
Array([-100.,    0.,   -1.], dtype='f64')

highpass
>>> spectrum = np.ones((8, 5), "c8")
>>> ts.highpass(spectrum, (8, 8), 0.2)[0].real
array([0., 0., 1., 1., 1.], dtype=float32)

highpass_image
>>> ts.highpass_image(np.full((8, 8), 5.0), 0.1).max()
0.0

ifft
>>> ts.ifft([4.0, 0.0, 0.0, 0.0])
Array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype='c64')

ifft2
>>> ts.ifft2([[4.0, 0.0], [0.0, 0.0]])
Array([[1.+0.j, 1.+0.j],
       [1.+0.j, 1.+0.j]], dtype='c64')

ifftn
>>> ts.ifftn(ts.fftn([[1.0, 2.0]])).real
Array([[1., 2.]], dtype='f64')

ifftshift
>>> ts.ifftshift([-2, -1, 0, 1])
Array([ 0,  1, -2, -1], dtype='i64')

irfft
>>> ts.irfft([10, -2 + 2j, -2])
Array([1., 2., 3., 4.], dtype='f64')

irfft2
>>> spectrum = ts.rfft2(np.ones((4, 5)))
>>> ts.irfft2(spectrum, (4, 5)).shape
(4, 5)

irfft3
>>> spectrum = ts.rfft3(np.ones((4, 4, 6)))
>>> ts.irfft3(spectrum).shape
(4, 4, 6)

irfftn
>>> spectrum = ts.rfftn(np.ones((4, 6)))
>>> ts.irfftn(spectrum).shape
(4, 6)

lowpass
>>> spectrum = np.ones((8, 5), "c8")
>>> ts.lowpass(spectrum, (8, 8), 0.2)[0].real
array([1., 1., 0., 0., 0.], dtype=float32)

lowpass_image
>>> noise = ts.random_normal((64, 64), 0, 1, seed=1)
>>> smooth = ts.lowpass_image(noise, 0.1, width=0.02)
>>> ts.std(smooth) < 0.25
Array(True, dtype='bool')

phase_randomize
>>> spectrum = ts.rfft2(ts.sphere((32, 32), 8))
>>> random = ts.phase_randomize(spectrum, (32, 32), 0.2, seed=1)
>>> ts.allclose(abs(random), abs(spectrum))
True

phase_randomize_image
>>> image = ts.sphere((32, 32), 8)
>>> random = ts.phase_randomize_image(image, 0.2, seed=1)
>>> ts.fsc(image, random)[:4].round(3)
Array([1., 1., 1., 1.], dtype='f64')

phase_shift
>>> spectrum = ts.rfft2(np.eye(4))
>>> ts.irfft2(ts.phase_shift(spectrum, (4, 4), [1, 0])).round(3)
array([[0., 0., 0., 1.],
       [1., 0., 0., 0.],
       [0., 1., 0., 0.],
       [0., 0., 1., 0.]])

phase_shift_image
>>> ts.phase_shift_image(np.eye(4), [0, 1]).round(3)
array([[0., 1., 0., 0.],
       [0., 0., 1., 0.],
       [0., 0., 0., 1.],
       [1., 0., 0., 0.]])

power_spectrum_1d
>>> ts.power_spectrum_1d(np.ones((4, 4)))
array([256.,   0.,   0.])

radial_power
>>> spectrum = ts.rfft2(np.ones((4, 4)))
>>> ts.radial_power(spectrum, (4, 4))
array([256.,   0.,   0.])

resolution_to_frequency
>>> ts.resolution_to_frequency(6.0, 1.5)
0.25

rfft
>>> ts.rfft([1.0, 2.0, 3.0, 4.0])
Array([10.+0.j, -2.+2.j, -2.+0.j], dtype='c64')

rfft2
>>> ts.rfft2(np.ones((4, 6))).shape
(4, 4)

rfft3
>>> ts.rfft3(np.ones((4, 4, 6))).shape
(4, 4, 4)

rfftfreq
>>> ts.rfftfreq(4, d=0.5)
Array([0. , 0.5, 1. ], dtype='f64')

rfftn
>>> ts.rfftn(np.ones((4, 6)), axes=(0, 1)).shape
(4, 4)

rotational_average
>>> spectrum = ts.rfft2(np.ones((8, 8)))
>>> abs(ts.rotational_average(spectrum, (8, 8)))
array([64.,  0.,  0.,  0.,  0.])

standardize
>>> spectrum = ts.standardize(ts.rfft2(np.arange(16.0).reshape(4, 4)), (4, 4))
>>> ts.std(ts.irfft2(spectrum)).round(6)
1.0

whiten
>>> noise = ts.random_normal((64, 64), 0, 1, seed=1)
>>> white = ts.whiten(ts.rfft2(noise), (64, 64))
>>> ts.radial_power(white, (64, 64))[1:4].round(3)
Array([0.989, 0.953, 0.968], dtype='f64')

whiten_image
>>> noise = ts.random_normal((64, 64), 0, 1, seed=1)
>>> white = ts.whiten_image(noise)
>>> ts.power_spectrum_1d(white)[1:4].round(3)
Array([0.989, 0.953, 0.968], dtype='f64')
"""
