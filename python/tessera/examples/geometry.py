"""Examples of transforms of images and volumes, rotations, projections, alignment; see __init__.py."""
TEXT = """
add_frames
>>> frames = ts.rfft2(np.ones((3, 8, 8)))
>>> ts.add_frames(frames, (3, 8, 8), np.zeros((3, 2))).real.max()
192.0

affine_transform
>>> ts.affine_transform(np.eye(3), [[1, 0], [0, 1]], offset=[0, 1])
array([[0., 0., 0.],
       [1., 0., 0.],
       [0., 1., 0.]])

align_frames
>>> frame = ts.lowpass_image(ts.random_normal((64, 64), 0, 1, seed=1), 0.1)
>>> frames = ts.stack([frame, ts.phase_shift_image(frame, [0, 2])])
>>> ts.align_frames(ts.rfft2(frames), (2, 64, 64), 1.5).round(1)
Array([[ 0.,  0.],
       [-0., -2.]], dtype='f64')

align_tilts
>>> image = ts.lowpass_image(ts.random_normal((64, 64), 0, 1, seed=1), 0.1)
>>> ts.align_tilts(ts.stack([image, image]), ts.deg2rad([0.0, 3.0])).shape
(2, 2)

backproject
>>> ts.backproject(np.ones((1, 8, 8)), np.eye(3)[None], shape=(8, 8, 8)).shape
(8, 8, 8)

backproject_project
>>> images, turn = np.ones((1, 8, 8)), np.eye(3)[None]
>>> ts.backproject_project(images, turn, turn, (8, 8, 8)).shape
(1, 8, 8)

bin
>>> ts.bin([[1.0, 3.0], [5.0, 7.0]], 2)
Array([[4.]], dtype='f64')

bspline_prefilter
>>> ts.bspline_prefilter(np.ones((4, 4)), border="mirror").round(6)[0]
array([1., 1., 1., 1.])

cartesian_to_polar
>>> y, x = np.indices((16, 16)) - 8.0
>>> ts.cartesian_to_polar(np.hypot(y, x), height=4, width=4)[0].round(2)
array([0., 2., 4., 6.])

correlate
>>> a = ts.random_normal((8, 8), 0, 1, seed=1)
>>> lags = ts.correlate(ts.roll(a, 2, 1), a)
>>> ts.argmax(lags)
Array(2, dtype='i64')

correlate_map
>>> a = ts.random_normal((8, 8), 0, 1, seed=1)
>>> lags = ts.correlate_map(ts.rfft2(ts.roll(a, 2, 1)), ts.rfft2(a), (8, 8))
>>> ts.argmax(lags)
Array(2, dtype='i64')

correlate_peak
>>> a = ts.sphere((32, 32), 5, width=4)
>>> ts.correlate_peak(ts.correlate(ts.roll(a, 3, 0), a)).round(2)
Array([3., 0.], dtype='f64')

correlate_score
>>> ts.correlate_score([[1.0, 2.0]], [[2.0, 4.0]], normalize=True)
Array(1., dtype='f64')

euler_from_matrix
>>> ts.euler_from_matrix(np.eye(3), convention="relion")
array([0., 0., 0.])

euler_from_quat
>>> ts.euler_from_quat([0.0, 0.0, 0.0, 1.0], convention="relion")
Array([0., 0., 0.], dtype='f64')

euler_to_matrix
>>> ts.euler_to_matrix([0.0, 0.0, 90.0], convention="relion").round(3)
Array([[ 1.,  0.,  0.],
       [ 0.,  0.,  1.],
       [ 0., -1.,  0.]], dtype='f64')

euler_to_quat
>>> ts.euler_to_quat([0.0, 0.0, 90.0], convention="relion").round(3)
Array([0.707, 0.   , 0.   , 0.707], dtype='f64')

fourier_backproject
>>> images = ts.random_normal((2, 8, 8), 0, 1, seed=1)
>>> volume, weights = ts.fourier_backproject(images, ts.quat_random((2, 4), seed=2))
>>> volume.shape, weights.shape
((16, 16, 9), (16, 16, 9))

fourier_extract
>>> spectrum = ts.rfft3(ts.sphere((8, 8, 8), 2))
>>> ts.fourier_extract(spectrum, (8, 8, 8), np.eye(3)[None]).shape
(1, 8, 5)

fourier_insert
>>> slices = ts.rfft2(np.ones((2, 8, 8)))
>>> ts.fourier_insert(slices, (2, 1, 8, 8), ts.quat_random((2, 4), seed=1), volume_shape=(8, 8, 8)).shape
(8, 8, 5)

fourier_insert_extract
>>> slices, turns = ts.rfft2(np.ones((2, 8, 8))), ts.quat_random((2, 4), seed=1)
>>> ts.fourier_insert_extract(slices, (2, 1, 8, 8), turns, turns, window=0.2).shape
(2, 8, 5)

fourier_normalize
>>> spectrum = np.full((2, 2), 6 + 0j)
>>> ts.fourier_normalize(spectrum, np.full((2, 2), 2.0))
array([[3.+0.j, 3.+0.j],
       [3.+0.j, 3.+0.j]])

fourier_prepare
>>> ts.fourier_prepare(ts.sphere((8, 8, 8), 2)).shape
(16, 16, 9)

fourier_project
>>> spectrum = ts.fourier_prepare(ts.sphere((8, 8, 8), 2))
>>> ts.fourier_project(spectrum, np.eye(3)[None]).shape
(1, 8, 8)

fourier_reconstruct
>>> images = ts.stack([ts.sphere((16, 16), 4, width=2)] * 40)
>>> volume, weights = ts.fourier_backproject(images, ts.quat_random((40, 4), seed=2))
>>> map = ts.fourier_reconstruct(volume, weights)
>>> map[8, 8, 8] > 5 * abs(map[8, 8, 0])
Array(True, dtype='bool')

gridding_correct
>>> ts.gridding_correct(np.ones((5, 5)))[2].round(3)
array([1.746, 1.143, 1.   , 1.143, 1.746])

map_coordinates
>>> ts.map_coordinates([[0.0, 1.0], [2.0, 3.0]], [[0.5], [0.5]], order=1)
Array([1.5], dtype='f64')

map_coordinates_adjoint
>>> ts.map_coordinates_adjoint([1.0], [[0.5], [0.5]], (2, 2), order=1)
Array([[0.25, 0.25],
       [0.25, 0.25]], dtype='f64')

match_projections
>>> volume = ts.random_normal((16, 16, 16), 0, 1, seed=1, dtype="f32")
>>> spectrum, rotations = ts.fourier_prepare(volume), ts.quat_random((4, 4), seed=2)
>>> images = ts.fourier_project(spectrum, ts.quat_to_matrix(rotations))
>>> found = ts.match_projections(spectrum, images, rotations).rotations
>>> ts.rad2deg(ts.quat_distance(found, rotations)).max() < 1
Array(True, dtype='bool')

match_template
>>> image, templ = np.zeros((32, 32)), ts.sphere((8, 8), 2)
>>> image[10:18, 4:12] = templ
>>> ts.argmax(ts.match_template(image, templ))
456

matrix_inverse
>>> ts.matrix_inverse(ts.T((1, 2, 3)))[..., :3, 3]
Array([-1., -2., -3.], dtype='f64')

matrix_mul
>>> ts.matrix_mul(ts.T((0, 1, 0)), ts.Rz(90)).round(3)[..., :3, 3]
Array([0., 1., 0.], dtype='f64')

motion_fit
>>> positions = [[-0.25, -0.25], [-0.25, 0.25], [0.25, -0.25], [0.25, 0.25]] * 3
>>> ts.motion_fit(np.zeros((12, 8, 2)), positions).shape
(2, 18)

motion_shifts
>>> coefficients = np.zeros((2, 18))
>>> ts.motion_shifts(coefficients, [[10.0, 20.0]], [0.0, 1.0]).shape
(1, 2, 2)

motion_warp
>>> frames = ts.random_normal((2, 16, 16), 0, 1, seed=1)
>>> ts.motion_warp(frames, np.zeros((2, 18)), [0.0, 1.0]).shape
(2, 16, 16)

polar_to_cartesian
>>> polar = ts.cartesian_to_polar(ts.sphere((16, 16), 4))
>>> ts.polar_to_cartesian(polar, height=16, width=16).shape
(16, 16)

project
>>> volume = ts.sphere((16, 16, 16), 4)
>>> ts.project(volume, np.eye(3)).sum().round(3) == volume.sum()
Array(True, dtype='bool')

project_window
>>> ts.project_window(np.eye(3), (16, 16, 16))
19.0

quat_average
>>> ts.quat_average([[0.0, 0, 0, 1], [0.0, 0, 1, 1]]).round(3)
Array([0.   , 0.   , 0.383, 0.924], dtype='f64')

quat_conjugate
>>> ts.quat_conjugate([0.5, 0.5, 0.5, 0.5])
Array([-0.5, -0.5, -0.5,  0.5], dtype='f64')

quat_distance
>>> ts.rad2deg(ts.quat_distance([0.0, 0, 0, 1], [0.0, 0, 1, 0]))
Array(180., dtype='f64')

quat_from_matrix
>>> ts.quat_from_matrix(np.eye(3))
array([0., 0., 0., 1.])

quat_grid
>>> ts.quat_grid(np.radians(30), sym="O").shape
(36, 4)

quat_mul
>>> ts.quat_mul([0.0, 0, 1, 0], [0.0, 1, 0, 0])
Array([1., 0., 0., 0.], dtype='f64')

quat_random
>>> ts.norm(ts.quat_random((3, 4), seed=1), axis=1).round(6)
Array([1., 1., 1.], dtype='f64')

quat_reduce
>>> abs(ts.quat_reduce([1.0, 0.0, 0.0, 0.0], sym="C2")).round(3)
Array([0., 0., 0., 1.], dtype='f64')

quat_slerp
>>> ts.quat_slerp([0.0, 0, 0, 1], [0.0, 0, 1, 0], 0.5).round(3)
Array([0.   , 0.   , 0.707, 0.707], dtype='f64')

quat_to_matrix
>>> ts.quat_to_matrix([0.0, 0.0, 0.0, 1.0])
Array([[1., 0., 0.],
       [0., 1., 0.],
       [0., 0., 1.]], dtype='f64')

radial_profile
>>> ts.radial_profile(ts.sphere((8, 8), 2)).round(3)
Array([1.   , 1.   , 0.454, 0.   , 0.   ], dtype='f32')

rescale
>>> ts.rescale(np.ones((8, 8)), 1.0, 2.0).shape
(4, 4)

rotate_image
>>> ts.rotate_image(np.array([[0.0, 1, 0], [0, 1, 0], [0, 0, 0]]), np.pi / 2).round(3)
array([[0., 0., 0.],
       [0., 1., 1.],
       [0., 0., 0.]])

Rx
>>> ts.Rx(90).round(3)
Array([[ 0.,  1.,  0.,  0.],
       [-1.,  0.,  0.,  0.],
       [ 0.,  0.,  1.,  0.],
       [ 0.,  0.,  0.,  1.]], dtype='f64')

Ry
>>> ts.Ry(90).round(3)
Array([[ 0.,  0., -1.,  0.],
       [ 0.,  1.,  0.,  0.],
       [ 1.,  0.,  0.,  0.],
       [ 0.,  0.,  0.,  1.]], dtype='f64')

Rz
>>> ts.Rz(90).round(3)
Array([[ 1.,  0.,  0.,  0.],
       [ 0.,  0.,  1.,  0.],
       [ 0., -1.,  0.,  0.],
       [ 0.,  0.,  0.,  1.]], dtype='f64')

S
>>> ts.S((1, 2, 3))
Array([[1., 0., 0., 0.],
       [0., 2., 0., 0.],
       [0., 0., 3., 0.],
       [0., 0., 0., 1.]], dtype='f64')

shift_image
>>> ts.shift_image(np.array([[0.0, 1, 0, 0]] * 2), 0, 0, 1)
array([[0., 0., 1., 0.],
       [0., 0., 1., 0.]])

spectrum_to_polar
>>> spectrum = ts.rfft2(ts.sphere((16, 16), 4))
>>> ts.spectrum_to_polar(spectrum, (16, 16), height=8, width=8).shape
(8, 8)

symmetrize
>>> image = np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 0]])
>>> ts.symmetrize(image, "C2").round(3)
array([[0. , 0. , 0. ],
       [0.5, 0. , 0.5],
       [0. , 0. , 0. ]])

symmetrize_spectrum
>>> spectrum = ts.rfft2(ts.random_normal((16, 16), 0, 1, seed=1))
>>> ts.symmetrize_spectrum(spectrum, (16, 16), "C2").shape
(16, 9)

symmetry_check
>>> ts.symmetry_check(ts.symmetry_matrices("C2"))
0.0

symmetry_close
>>> ts.symmetry_close(ts.symmetry_matrices("C4")[1:2]).shape
(1, 4, 3, 3)

symmetry_matrices
>>> ts.symmetry_matrices("D2").shape
(4, 3, 3)

symmetry_order
>>> ts.symmetry_order("O")
24.0

T
>>> ts.T((1, 2, 3))
Array([[1., 0., 0., 1.],
       [0., 1., 0., 2.],
       [0., 0., 1., 3.],
       [0., 0., 0., 1.]], dtype='f64')

transform_2d
>>> ts.transform_2d(np.eye(3), [[0, 1], [1, 0]])
array([[1., 0., 0.],
       [0., 1., 0.],
       [0., 0., 1.]])

transform_3d
>>> volume = np.zeros((3, 3, 3))
>>> volume[1, 1, 2] = 1
>>> ts.argmax(ts.transform_3d(volume, [[0, 0, 1], [0, 1, 0], [1, 0, 0]]))
22

transform_points
>>> ts.transform_points([[[0.0, 0.0, 1.0]]], np.eye(3))
array([[[0., 0., 1.]]])

transform_spectrum_2d
>>> spectrum = ts.rfft2(ts.sphere((16, 16), 4))
>>> ts.transform_spectrum_2d(spectrum, (16, 16), np.eye(2)).shape
(16, 9)

transform_spectrum_3d
>>> spectrum = ts.rfft3(ts.sphere((8, 8, 8), 2))
>>> ts.transform_spectrum_3d(spectrum, (8, 8, 8), np.eye(3)).shape
(8, 8, 5)

zoom
>>> ts.zoom([1.0, 2.0, 3.0], 2, order=1)
Array([1. , 1.4, 1.8, 2.2, 2.6, 3. ], dtype='f64')
"""
