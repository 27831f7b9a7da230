"""Examples of filters, masks and shapes; see __init__.py."""
TEXT = """
black_tophat
>>> ts.black_tophat(np.array([[5.0, 1, 5, 1, 1, 1, 5]]), window=(1, 3))
array([[0., 4., 0., 0., 0., 0., 0.]])

centre_of_mass
>>> ts.centre_of_mass([[0.0, 0.0], [0.0, 4.0]])
Array([1., 1.], dtype='f64')

convolve
>>> ts.convolve([1, 2, 3], [1, 1], "full")
Array([1., 3., 5., 3.], dtype='f64')
>>> ts.convolve(np.eye(3), np.ones((3, 3)), border="zero")
array([[2., 2., 1.],
       [2., 3., 2.],
       [1., 2., 2.]])

convolve_nd
>>> ts.convolve_nd(np.eye(3), np.ones((3, 3)))
array([[2., 2., 1.],
       [2., 3., 2.],
       [1., 2., 2.]])

convolve_separable
>>> ts.convolve_separable(np.eye(3), filter_w=[1.0, 2.0, 1.0])
array([[2., 1., 0.],
       [1., 2., 1.],
       [0., 1., 2.]])

cuboid
>>> ts.cuboid((5, 5), (1, 2)).sum(0)
Array([3., 3., 3., 3., 3.], dtype='f32')

cylinder
>>> ts.cylinder((5, 5, 5), 1, 2).sum((1, 2))
Array([5., 5., 5., 5., 5.], dtype='f32')

derivative
>>> ts.derivative([0.0, 1.0, 4.0, 9.0], 0, border="clamp")
Array([0.5, 2. , 4. , 2.5], dtype='f64')

dilate
>>> mask = np.zeros((3, 5), bool)
>>> mask[1, 2] = True
>>> ts.dilate(mask, 1)
array([[False, False,  True, False, False],
       [False,  True,  True,  True, False],
       [False, False,  True, False, False]])

distance_transform
>>> ts.distance_transform([[0.0, 1.0, 1.0, 1.0]])
Array([[0., 1., 2., 3.]], dtype='f32')

draw_cuboid
>>> ts.draw_cuboid(np.ones((3, 5)), [0.5, 1.0])
array([[0., 0., 0., 0., 0.],
       [0., 1., 1., 1., 0.],
       [0., 0., 0., 0., 0.]])

draw_cylinder
>>> ts.draw_cylinder(np.ones((5, 5, 5)), [1.0, 2.0]).sum()
25.0

draw_ellipsoid
>>> ts.draw_ellipsoid(np.ones((3, 7)), [1.0, 3.0])
array([[0., 0., 0., 1., 0., 0., 0.],
       [1., 1., 1., 1., 1., 1., 1.],
       [0., 0., 0., 1., 0., 0., 0.]])

draw_line
>>> ts.draw_line(np.ones((3, 5)), [1.0, 0.0], [1.0, 4.0], [0.4])
array([[0., 0., 0., 0., 0.],
       [1., 1., 1., 1., 1.],
       [0., 0., 0., 0., 0.]])

draw_sphere
>>> ts.draw_sphere(np.ones((5, 5)), [1.0])
array([[0., 0., 0., 0., 0.],
       [0., 0., 1., 0., 0.],
       [0., 1., 1., 1., 0.],
       [0., 0., 1., 0., 0.],
       [0., 0., 0., 0., 0.]])

draw_torus
>>> ts.draw_torus(np.ones((16, 16, 16)), [4.0, 1.5]).shape
(16, 16, 16)

erode
>>> mask = np.zeros((5, 5), bool)
>>> mask[1:4, 1:4] = True
>>> ts.erode(mask, 1).sum()
1

fill_holes
>>> ring = np.ones((3, 3), bool)
>>> ring[1, 1] = False
>>> ts.fill_holes(ring).all()
True

gaussian_filter
>>> image = np.zeros((5, 5))
>>> image[2, 2] = 1
>>> ts.gaussian_filter(image, 1.0)[2].round(3)
array([0.023, 0.097, 0.159, 0.097, 0.023])

grey_close
>>> ts.grey_close(np.array([[5.0, 1, 5, 1, 1, 1, 5]]), window=(1, 3))
array([[5., 5., 5., 1., 1., 1., 5.]])

grey_dilate
>>> ts.grey_dilate(np.array([[1.0, 5, 1, 1, 1]]), window=(1, 3))
array([[5., 5., 5., 1., 1.]])

grey_erode
>>> ts.grey_erode(np.array([[1.0, 5, 1, 5, 5, 5, 1]]), window=(1, 3))
array([[1., 1., 1., 1., 5., 1., 1.]])

grey_open
>>> ts.grey_open(np.array([[1.0, 5, 1, 5, 5, 5, 1]]), window=(1, 3))
array([[1., 1., 1., 5., 5., 5., 1.]])

label
>>> ts.label([[1, 1, 0, 1], [0, 0, 0, 1]])
Array([[1, 1, 0, 2],
       [0, 0, 0, 2]], dtype='i32')

laplacian
>>> ts.laplacian([0.0, 0.0, 1.0, 0.0, 0.0])
Array([ 0.,  1., -2.,  1.,  0.], dtype='f64')

mask_create
>>> ts.mask_create([[0.0, 0.2, 0.9, 0.8]], 0.5)
Array([[0., 0., 1., 1.]], dtype='f32')

median_filter
>>> ts.median_filter([1.0, 1.0, 9.0, 1.0, 1.0], 3)
Array([1., 1., 1., 1., 1.], dtype='f64')

morph_reconstruct
>>> mask = np.array([[0, 1, 1, 0, 1, 1]], bool)
>>> marker = np.array([[0, 1, 0, 0, 0, 0]], bool)
>>> ts.morph_reconstruct(marker, mask)
array([[False,  True,  True, False, False, False]])

morphological_gradient
>>> ts.morphological_gradient(np.array([[1.0, 1, 1, 5, 5, 5]]), window=(1, 3))
array([[0., 0., 4., 4., 0., 0.]])

normalize_background
>>> image = ts.sphere((32, 32), 5) * 10 + ts.random_normal((32, 32), 3, 2, seed=1)
>>> normal = ts.normalize_background(image, 12)
>>> abs(ts.mean(normal[:4])) < 0.3
Array(True, dtype='bool')

otsu
>>> ts.otsu([[0.0, 0.0, 1.0], [9.0, 9.0, 10.0]]) > 1
Array(True, dtype='bool')

peaks
>>> image = np.zeros((8, 8))
>>> image[2, 5] = 3
>>> ts.peaks(image, 1.0)
array([[0., 0., 2., 5.]])

polyfit_surface
>>> y, x = np.indices((4, 4))
>>> ts.polyfit_surface(1.0 + 2 * x, 1).round(3)[0]
array([1., 3., 5., 7.])

quantile_filter
>>> ts.quantile_filter([1.0, 2.0, 9.0, 2.0, 1.0], 3, 1.0)
Array([2., 9., 9., 9., 2.], dtype='f64')

rank_filter
>>> ts.rank_filter([1.0, 2.0, 9.0, 2.0, 1.0], 3, 2)
Array([2., 9., 9., 9., 2.], dtype='f64')

remove_outliers
>>> image = ts.random_normal((32, 32), 0, 1, seed=1)
>>> image[5, 5] = 100
>>> ts.max(ts.remove_outliers(image, 6)) < 10
Array(True, dtype='bool')

repair_pixels
>>> image, bad = np.ones((5, 5)), np.zeros((5, 5), bool)
>>> image[2, 2], bad[2, 2] = 99, True
>>> ts.repair_pixels(image, bad).max()
1.0

sobel
>>> image = np.zeros((3, 4))
>>> image[:, 2:] = 1
>>> ts.sobel(image, axis=1)
array([[0., 4., 4., 0.],
       [0., 4., 4., 0.],
       [0., 4., 4., 0.]])

soft_edge
>>> ts.soft_edge([[0.0, 0.0, 1.0, 1.0]], 2).round(3)
Array([[0. , 0.5, 1. , 1. ]], dtype='f32')

sphere
>>> ts.sphere((5, 5), 1)
Array([[0., 0., 0., 0., 0.],
       [0., 0., 1., 0., 0.],
       [0., 1., 1., 1., 0.],
       [0., 0., 1., 0., 0.],
       [0., 0., 0., 0., 0.]], dtype='f32')

taper
>>> ts.taper(np.ones(8), width_w=2).round(3)
array([0. , 0.5, 1. , 1. , 1. , 1. , 0.5, 0. ])

taper_radial
>>> ts.taper_radial(np.ones((5, 5)), 1)
array([[0., 0., 0., 0., 0.],
       [0., 0., 1., 0., 0.],
       [0., 1., 1., 1., 0.],
       [0., 0., 1., 0., 0.],
       [0., 0., 0., 0., 0.]])

uniform_filter
>>> ts.uniform_filter([0.0, 0.0, 3.0, 0.0, 0.0], 3)
Array([0., 1., 1., 1., 0.], dtype='f64')

white_tophat
>>> ts.white_tophat(np.array([[1.0, 5, 1, 5, 5, 5, 1]]), window=(1, 3))
array([[0., 4., 0., 0., 0., 0., 0.]])

window_blackman
>>> ts.window_blackman(5).round(3)
Array([0.  , 0.34, 1.  , 0.34, 0.  ], dtype='f64')

window_blackman_at
>>> ts.window_blackman_at(2, 5)
1.0

window_gaussian
>>> ts.window_gaussian(5, 1.0).round(3)
Array([0.135, 0.607, 1.   , 0.607, 0.135], dtype='f64')

window_gaussian_at
>>> ts.window_gaussian_at(2, 5, 1.0)
1.0

window_hamming
>>> ts.window_hamming(5)
Array([0.08, 0.54, 1.  , 0.54, 0.08], dtype='f64')

window_hamming_at
>>> round(ts.window_hamming_at(0, 5), 3)
0.08

window_hann
>>> ts.window_hann(5)
Array([0. , 0.5, 1. , 0.5, 0. ], dtype='f64')

window_hann_at
>>> ts.window_hann_at(2, 5)
1.0

window_kaiser
>>> ts.window_kaiser(5, 2.0).round(3)
Array([0.439, 0.835, 1.   , 0.835, 0.439], dtype='f64')

window_kaiser_at
>>> ts.window_kaiser_at(2, 5, 2.0)
1.0

window_sinc
>>> ts.window_sinc(5, 0.5).round(3)
Array([0.   , 0.318, 0.5  , 0.318, 0.   ], dtype='f64')

window_sinc_at
>>> ts.window_sinc_at(2, 5, 0.5)
0.5

window_tukey
>>> ts.window_tukey(5, 0.5)
Array([0., 1., 1., 1., 0.], dtype='f64')

window_tukey_at
>>> ts.window_tukey_at(0, 5, 0.5)
0.0
"""
