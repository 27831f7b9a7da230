"""Examples of restoration and of labelled objects; see __init__.py."""
TEXT = """
anisotropic_diffusion
>>> ts.anisotropic_diffusion([[0.0, 1, 0, 9, 10, 9]], kappa=2, iterations=20).round(2)
Array([[0.33, 0.33, 0.33, 9.33, 9.33, 9.33]], dtype='f64')

bilateral
>>> ts.bilateral([[0.0, 1, 0, 9, 10, 9]], sigma_value=2, sigma_space=1).round(2)
Array([[0.27, 0.46, 0.32, 9.32, 9.46, 9.27]], dtype='f64')

estimate_noise
>>> image = ts.random_normal((512, 512), 5, 2, seed=1)
>>> ts.estimate_noise(image).round(1)
Array(2., dtype='f64')

find_objects
>>> ts.find_objects([[1, 1, 0], [0, 2, 2]])
[(slice(0, 1, None), slice(0, 2, None)), (slice(1, 2, None), slice(1, 3, None))]

label_properties
>>> found = ts.label_properties([[1, 1, 0], [0, 2, 2]], image=[[5.0, 7, 0], [0, 1, 3]])
>>> found.areas, found.means
(Array([2, 2], dtype='i64'), Array([6., 2.], dtype='f64'))
>>> found.centres
Array([[0. , 0.5],
       [1. , 1.5]], dtype='f64')

label_tables
>>> ts.label_tables([[1, 1, 0], [0, 2, 2]], centres=True).centres
Array([[0. , 0. , 0.5],
       [0. , 1. , 1.5]], dtype='f64')

nl_means
>>> ts.nl_means([[0.0, 1, 0, 9, 10, 9]], 3, patch=1, search=2).round(2)
Array([[0.48, 0.35, 0.41, 8.65, 9.34, 9.49]], dtype='f64')

richardson_lucy
>>> ts.richardson_lucy([[0.0, 1, 2, 1, 0]], [[0.25, 0.5, 0.25]], iterations=50).round(1)
Array([[0., 0., 4., 0., 0.]], dtype='f64')

watershed
>>> ts.watershed([[0, 1, 2, 1, 0]], markers=[[1, 0, 0, 0, 2]], line=True)
Array([[1, 1, 0, 2, 2]], dtype='i64')

wiener_deconvolve
>>> blurred = ts.convolve_nd([[0.0, 0, 0, 4, 0, 0, 0]], [[0.25, 0.5, 0.25]], border="zero")
>>> ts.wiener_deconvolve(blurred, [[0.25, 0.5, 0.25]], 1e-9).round(1)[:, 2:5]
Array([[0., 4., 0.]], dtype='f64')
"""
