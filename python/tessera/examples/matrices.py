"""Examples of linear algebra; see __init__.py."""
TEXT = """
cholesky
>>> ts.cholesky([[4.0, 2], [2, 5]])
Array([[2., 0.],
       [1., 2.]], dtype='f64')

determinant
>>> ts.determinant([[1.0, 2], [3, 4]]).round(6)
Array(-2., dtype='f64')

eigh_factors
>>> ts.eigh_factors([[2.0, 1], [1, 2]]).round(6)
Array([1., 3.], dtype='f64')
>>> ts.eigh_factors([[2.0, 1], [1, 2]], vectors=True).vectors.round(3)
Array([[ 0.707,  0.707],
       [-0.707,  0.707]], dtype='f64')

inverse
>>> ts.inverse([[2.0, 0], [0, 4]])
Array([[0.5 , 0.  ],
       [0.  , 0.25]], dtype='f64')

linalg.cholesky
>>> ts.linalg.cholesky([[4.0, 2], [2, 5]], upper=True)
Array([[2., 1.],
       [0., 2.]], dtype='f64')

linalg.cond
>>> ts.linalg.cond([[2.0, 0], [0, 0.5]])
Array(4., dtype='f64')
>>> ts.linalg.cond([[1.0, 2], [2, 4]], 1)
Array(inf, dtype='f64')

linalg.det
>>> ts.linalg.det([[1.0, 2], [3, 4]]).round(6)
Array(-2., dtype='f64')

linalg.diagonal
>>> ts.linalg.diagonal([[1, 2], [3, 4]])
Array([1, 4], dtype='i64')

linalg.eigh
>>> values, vectors = ts.eigh([[2.0, 1], [1, 2]])
>>> values.round(6)
Array([1., 3.], dtype='f64')

linalg.eigvalsh
>>> ts.linalg.eigvalsh([[2.0, 1], [1, 2]]).round(6)
Array([1., 3.], dtype='f64')

linalg.inv
>>> ts.linalg.inv([[2.0, 0], [0, 4]])
Array([[0.5 , 0.  ],
       [0.  , 0.25]], dtype='f64')

linalg.lstsq
>>> x, residuals, rank, s = ts.linalg.lstsq([[1.0, 0], [1, 1], [1, 2]], [1.0, 3, 5])
>>> x.round(6), rank
(Array([1., 2.], dtype='f64'), 2)

linalg.matmul
>>> ts.linalg.matmul([[1, 2], [3, 4]], [1, 1])
Array([3, 7], dtype='i64')

linalg.matrix_norm
>>> ts.linalg.matrix_norm([[3.0, 0], [0, 4]])
Array(5., dtype='f64')

linalg.matrix_power
>>> ts.linalg.matrix_power([[1, 1], [1, 0]], 5)
Array([[8, 5],
       [5, 3]], dtype='i64')

linalg.matrix_rank
>>> ts.linalg.matrix_rank([[1.0, 2], [2, 4]])
Array(1, dtype='i64')

linalg.matrix_transpose
>>> ts.linalg.matrix_transpose([[1, 2], [3, 4]])
Array([[1, 3],
       [2, 4]], dtype='i64')

linalg.multi_dot
>>> ts.linalg.multi_dot([[1, 2], [[1, 0], [0, 2]], [[1], [1]]])
Array([5], dtype='i64')

linalg.norm
>>> ts.linalg.norm([3.0, 4.0])
Array(5., dtype='f64')

linalg.pinv
>>> ts.linalg.pinv([[2.0, 0], [0, 0]])
Array([[0.5, 0. ],
       [0. , 0. ]], dtype='f64')

linalg.qr
>>> q, r = ts.qr([[3.0, 1], [4, 2]])
>>> r.round(6)
Array([[5. , 2.2],
       [0. , 0.4]], dtype='f64')

linalg.slogdet
>>> sign, logabsdet = ts.linalg.slogdet([[0.0, 2], [3, 0]])
>>> sign, ts.exp(logabsdet).round(6)
(Array(-1., dtype='f64'), Array(6., dtype='f64'))

linalg.solve
>>> ts.solve([[2.0, 0], [1, 1]], [4.0, 5])
Array([2., 3.], dtype='f64')

linalg.svd
>>> u, s, vh = ts.svd([[3.0, 0], [0, 4]])
>>> s
Array([4., 3.], dtype='f64')

linalg.svdvals
>>> ts.linalg.svdvals([[3.0, 0], [0, 4]])
Array([4., 3.], dtype='f64')

linalg.tensordot
>>> ts.linalg.tensordot([[1, 2], [3, 4]], [1, 10], axes=1)
Array([21, 43], dtype='i64')

linalg.trace
>>> ts.linalg.trace([[1, 2], [3, 4]])
Array(5, dtype='i64')

linalg.vecdot
>>> ts.linalg.vecdot([[1, 2], [3, 4]], [[1, 1], [1, 1]])
Array([3, 7], dtype='i64')

linalg.vector_norm
>>> ts.linalg.vector_norm([[3.0, 4], [6, 8]], axis=1)
Array([ 5., 10.], dtype='f64')

qr_factors
>>> ts.qr_factors([[3.0, 1], [4, 2]]).round(6)
Array([[5. , 2.2],
       [0. , 0.4]], dtype='f64')

solve_matrices
>>> ts.solve_matrices([[2.0, 0], [1, 1]], [[4.0], [5]])
Array([[2.],
       [3.]], dtype='f64')

svd_factors
>>> ts.svd_factors([[3.0, 0], [0, 4]])
Array([4., 3.], dtype='f64')
"""
