"""Examples of jobs; see __init__.py."""
TEXT = """
align2d
>>> images = ts.stack([ts.sphere((32, 32), r, width=2) for r in (5, 6, 7, 8)])
>>> result = ts.jobs.align2d(images, iterations=1)
>>> result.average.shape, result.places
((32, 32), Table of 4 rows: angle, x, y, score)

align_stack
>>> frame = ts.lowpass_image(ts.random_normal((64, 64), 0, 1, seed=1), 0.1)
>>> result = ts.jobs.align_stack(ts.stack([frame, ts.roll(frame, 2, 1)]))
>>> result.shifts["x"].round(2)
array([ 0., -2.])

align_tilt_series
>>> image = ts.lowpass_image(ts.random_normal((64, 64), 0, 1, seed=1), 0.1)
>>> ts.jobs.align_tilt_series(ts.stack([image] * 3), [-3.0, 0.0, 3.0]).shifts
Table of 3 rows: image, x, y

correct_ctf
>>> ctfs = [[1.5, 1.5, 1.0, 0, 0, 300, 0.1, 2.7, 0, 0, 1, 0, 0]]
>>> ts.jobs.correct_ctf(np.eye(32)[None], ctfs).images.shape
(1, 1, 32, 32)

dose_weight_stack
>>> frames = ts.random_normal((4, 32, 32), 0, 1, seed=1)
>>> ts.jobs.dose_weight_stack(frames, dose=1.0, pixel_size=1.5).exposure
4.0

extract_particles
>>> micrographs = ts.random_normal((1, 64, 64), 0, 1, seed=1)
>>> result = ts.jobs.extract_particles(micrographs, [[0, 32, 32], [0, 20, 40]], 16)
>>> result.boxes.shape, result.n_dropped
((2, 1, 16, 16), 0)

fit_ctf
>>> noise = ts.random_normal((1, 512, 512), 0, 1, seed=1)
>>> images = ts.ctf_apply_image(noise, {"pixel_size": 1.5, "defocus": 1.2})
>>> ts.jobs.fit_ctf(images, pixel_size=1.5, tile=256).table["defocus_u"].round(1)
array([1.2])

half_map_fsc
>>> half = ts.random_normal((16, 16, 16), 0, 1, seed=1)
>>> ts.jobs.half_map_fsc(half, half, pixel_size=1.5).resolution_143
3.0

local_resolution
>>> signal = ts.lowpass_image(ts.random_normal((24, 24, 24), 0, 9, seed=1), 0.2)
>>> halves = [signal + ts.random_normal((24, 24, 24), 0, 1, seed=k) for k in (2, 3)]
>>> round(ts.jobs.local_resolution(*halves, pixel_size=1.5).median)
5

make_mask
>>> map = ts.sphere((16, 16, 16), 4)
>>> ts.jobs.make_mask(map, threshold=0.5, soft=2, pixel_size=1.5, lowpass=0).mask.shape
(16, 16, 16)

motion_correct
>>> frame = ts.lowpass_image(ts.random_normal((96, 96), 0, 9, seed=1), 0.1)
>>> movie = ts.stack([ts.roll(frame, k, 1) + ts.random_normal((96, 96), 20, 1, seed=k + 2) for k in range(4)])
>>> result = ts.jobs.motion_correct(movie, pixel_size=1.5)
>>> result.sum.shape, result.shifts
((96, 96), Table of 4 rows: frame, x, y)

pick
>>> micrograph = ts.random_normal((1, 128, 128), 0, 0.1, seed=1) - ts.sphere((128, 128), 8, (40, 90))
>>> picked = ts.jobs.pick(micrograph, diameter=24, pixel_size=1.5).particles
>>> picked["x"].round(-1), picked["y"].round(-1)
(array([90.]), array([40.]))

project_map
>>> rotations = ts.quat_random((3, 4), seed=1)
>>> ts.jobs.project_map(ts.sphere((16, 16, 16), 4), rotations).images.shape
(3, 1, 16, 16)

reconstruct
>>> images = ts.random_normal((8, 16, 16), 0, 1, seed=1)
>>> ts.jobs.reconstruct(images, ts.quat_random((8, 4), seed=2), pixel_size=1.5).map.shape
(16, 16, 16)

reconstruct_tilt_series
>>> images = ts.random_normal((5, 24, 24), 0, 1, seed=1)
>>> ts.jobs.reconstruct_tilt_series(images, [-40.0, -20, 0, 20, 40], depth=8).volume.shape
(8, 24, 24)

refine
>>> images, start = ts.random_normal((8, 16, 16), 0, 1, seed=1), ts.sphere((16, 16, 16), 4)
>>> result = ts.jobs.refine(images, start, iterations=1, global_iterations=1, pixel_size=1.5)
>>> result.map.shape, result.rotations.shape
((16, 16, 16), (8, 1, 1, 4))

render_eer
>>> result = ts.jobs.render_eer("movie.eer")
>>> result.images.shape

sharpen
>>> half = ts.lowpass_image(ts.random_normal((16, 16, 16), 0, 1, seed=1), 0.3)
>>> result = ts.jobs.sharpen(half, bfactor=-50, lowpass=6, pixel_size=1.5)
>>> result.map.shape, result.bfactor
((16, 16, 16), -50.0)

simulate_atoms
>>> result = ts.jobs.simulate_atoms(box=16, atoms=20, pixel_size=1.5)
>>> result.map.shape, result.positions
((16, 16, 16), Table of 20 rows: x, y, z)

simulate_movie
>>> map = ts.sphere((16, 16, 16), 4)
>>> result = ts.jobs.simulate_movie(map, 1.2, frames=2, size=(64, 64), count=2, pixel_size=1.5)
>>> result.movie.shape, result.particles
((2, 1, 64, 64), Table of 2 rows: x, y, rot, tilt, psi)

simulate_particles
>>> result = ts.jobs.simulate_particles(ts.sphere((16, 16, 16), 4), count=4, pixel_size=1.5)
>>> result.images.shape, result.rotations.shape
((4, 1, 16, 16), (4, 4))

stack_histogram
>>> images = ts.random_normal((3, 16, 16), 0, 1, seed=1)
>>> ts.jobs.stack_histogram(images, 4).histogram["count"].sum()
768.0

stack_statistics
>>> table = ts.jobs.stack_statistics(np.ones((3, 16, 16))).statistics
>>> table["mean"], table["n"]
(array([1.]), array([768.]))
"""
