"""Examples of sums and other reductions, products and curves; see __init__.py."""
TEXT = """
all
>>> ts.all([[1, 0], [1, 1]], axis=1)
Array([False,  True], dtype='bool')

allclose
>>> ts.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])
True

any
>>> ts.any([[0, 0], [0, 1]], axis=1)
Array([False,  True], dtype='bool')

argmax
>>> ts.argmax([3, 9, 4])
Array(1, dtype='i64')
>>> ts.argmax([[3, 9], [5, 1]], axis=1)
Array([1, 0], dtype='i64')

argmin
>>> ts.argmin([3, 9, 1])
Array(2, dtype='i64')

array_equal
>>> ts.array_equal([1, 2], [1, 2])
True

average
>>> ts.average([1.0, 2.0, 6.0])
Array(3., dtype='f64')
>>> ts.average([1.0, 2.0, 6.0], weights=[1, 1, 0])
Array(1.5, dtype='f64')

bincount
>>> ts.bincount([0, 2, 2, 3])
Array([1, 0, 2, 1], dtype='i64')

count_nonzero
>>> ts.count_nonzero([[1, 0], [2, 3]], axis=1)
Array([1, 2], dtype='i64')

covariance
>>> ts.covariance(np.array([[1.0, 2], [3, 5]]).reshape(2, 1, 1, 2))
array([[0.25, 0.5 ],
       [0.5 , 1.  ]])

cross
>>> ts.cross([1, 0, 0], [0, 1, 0])
Array([0, 0, 1], dtype='i64')

cummax
>>> ts.cummax([1, 3, 2], 0)
Array([1, 3, 3], dtype='i64')

cummin
>>> ts.cummin([3, 1, 2], 0)
Array([3, 1, 1], dtype='i64')

cumprod
>>> ts.cumprod([1, 2, 3])
Array([1, 2, 6], dtype='i64')

cumsum
>>> ts.cumsum([1, 2, 3])
Array([1, 3, 6], dtype='i64')
>>> ts.cumsum([1, 2, 3], exclusive=True)
Array([0, 1, 3], dtype='i64')

diff
>>> ts.diff([1, 4, 9, 16])
Array([3, 5, 7], dtype='i64')
>>> ts.diff([1, 4, 9, 16], n=2)
Array([2, 2], dtype='i64')

dot
>>> ts.dot([1, 2], [3, 4])
Array(11, dtype='i64')
>>> ts.dot([[1, 2], [3, 4]], [1, 1])
Array([3, 7], dtype='i64')

dot_product
>>> ts.dot_product([[1, 2], [3, 4]], [[1, 1], [2, 2]], axis=1)
Array([ 3, 14], dtype='i64')

gradient
>>> ts.gradient([1.0, 4.0, 9.0, 16.0])
Array([3., 4., 6., 7.], dtype='f64')

histogram
>>> counts, edges = ts.histogram([0.1, 0.2, 0.9], bins=2, range=(0, 1))
>>> counts
Array([2, 1], dtype='i64')
>>> edges
Array([0. , 0.5, 1. ], dtype='f64')

inner
>>> ts.inner([[1, 2], [3, 4]], [1, 1])
Array([3, 7], dtype='i64')

interp
>>> ts.interp([0.5, 1.5], [0, 1, 2], [0, 10, 40])
Array([ 5., 25.], dtype='f64')

log_normalize
>>> ts.exp(ts.log_normalize([0.0, 0.0, 0.0, 0.0]))
Array([0.25, 0.25, 0.25, 0.25], dtype='f64')

logsumexp
>>> ts.logsumexp([1000.0, 1000.0])
Array(1000.69314718, dtype='f64')

lstsq
>>> ts.lstsq([[1.0, 0], [1, 1], [1, 2]], [[1.0], [3], [5]]).round(3)
Array([[1.],
       [2.]], dtype='f64')

matmul
>>> ts.matmul([[1, 2], [3, 4]], [[1, 0], [0, 2]])
Array([[1, 4],
       [3, 8]], dtype='i64')

max
>>> ts.max([[1, 5], [7, 2]])
Array(7, dtype='i64')
>>> ts.max([[1, 5], [7, 2]], axis=0)
Array([7, 5], dtype='i64')

mean
>>> ts.mean([[1.0, 2], [3, 6]])
Array(3., dtype='f64')
>>> ts.mean([[1.0, 2], [3, 6]], axis=1)
Array([1.5, 4.5], dtype='f64')

mean_l2_norm
>>> ts.mean_l2_norm([1.0, 2, 3])
tessera.mean_l2_norm(mean=Array(2., dtype='f64'), norm=Array(1.41421356, dtype='f64'))

mean_std
>>> mean, std = ts.mean_std([1.0, 3.0])
>>> mean, std
(Array(2., dtype='f64'), Array(1., dtype='f64'))

mean_var
>>> ts.mean_var([1.0, 5.0]).var
Array(4., dtype='f64')

median
>>> ts.median([1.0, 9.0, 2.0])
Array(2., dtype='f64')

min
>>> ts.min([[1, 5], [7, 2]], axis=1)
Array([1, 2], dtype='i64')

minmax
>>> ts.minmax([3, 1, 2])
tessera.minmax(min=Array(1, dtype='i64'), max=Array(3, dtype='i64'))

nanargmax
>>> ts.nanargmax([1.0, np.nan, 3.0])
Array(2, dtype='i64')

nanargmin
>>> ts.nanargmin([np.nan, 1.0, 3.0])
Array(1, dtype='i64')

nanmax
>>> ts.nanmax([1.0, np.nan, 3.0])
Array(3., dtype='f64')

nanmean
>>> ts.nanmean([1.0, np.nan, 3.0])
Array(2., dtype='f64')

nanmedian
>>> ts.nanmedian([1.0, np.nan, 3.0, 8.0])
Array(3., dtype='f64')

nanmin
>>> ts.nanmin([1.0, np.nan, 3.0])
Array(1., dtype='f64')

nanpercentile
>>> ts.nanpercentile([1.0, np.nan, 3.0], 50)
Array(2., dtype='f64')

nanprod
>>> ts.nanprod([2.0, np.nan, 3.0])
Array(6., dtype='f64')

nanquantile
>>> ts.nanquantile([1.0, np.nan, 3.0], 0.5)
Array(2., dtype='f64')

nanstd
>>> ts.nanstd([1.0, np.nan, 3.0])
Array(1., dtype='f64')

nansum
>>> ts.nansum([1.0, np.nan, 3.0])
Array(4., dtype='f64')

nanvar
>>> ts.nanvar([1.0, np.nan, 3.0])
Array(1., dtype='f64')

norm
>>> ts.norm([3.0, 4.0])
Array(5., dtype='f64')

normalize
>>> ts.normalize([1.0, 2.0, 3.0], mode="min_max")
Array([0. , 0.5, 1. ], dtype='f64')

outer
>>> ts.outer([1, 2], [10, 20, 30])
Array([[10, 20, 30],
       [20, 40, 60]], dtype='i64')

percentile
>>> ts.percentile([1.0, 2, 3, 4, 5], 25)
Array(2., dtype='f64')

prod
>>> ts.prod([[1, 2], [3, 4]], axis=1)
Array([ 2, 12], dtype='i64')

ptp
>>> ts.ptp([3, 9, 4])
Array(6, dtype='i64')

quantile
>>> ts.quantile([1.0, 2, 3, 4, 5], 0.25)
Array(2., dtype='f64')
>>> ts.quantile([1.0, 2, 3, 4, 5], [0, 0.5])
Array([1., 3.], dtype='f64')

quantiles
>>> ts.quantiles([[1.0, 2, 3], [4, 5, 6]], [0, 0.5], axis=1)
Array([[1., 2.],
       [4., 5.]], dtype='f64')

reduce
>>> ts.reduce([1.0, 2.0, 6.0], ["mean", "max"])
tessera.reduce(mean=Array(3., dtype='f64'), max=Array(6., dtype='f64'))

rmsd
>>> ts.rmsd([1.0, 2.0], [1.0, 4.0])
Array(1.41421356, dtype='f64')

std
>>> ts.std([1.0, 3.0])
Array(1., dtype='f64')
>>> ts.std([1.0, 3.0], ddof=1)
Array(1.41421356, dtype='f64')

sum
>>> ts.sum([[1, 2], [3, 4]])
Array(10, dtype='i64')
>>> ts.sum([[1, 2], [3, 4]], axis=0)
Array([4, 6], dtype='i64')

trace
>>> ts.trace([[1, 2], [3, 4]])
Array(5, dtype='i64')

var
>>> ts.var([1.0, 5.0])
Array(4., dtype='f64')

vdot
>>> ts.vdot([1 + 1j, 2], [1 + 1j, 3])
Array(8.+0.j, dtype='c64')

weighted_mean
>>> ts.weighted_mean([1.0, 5.0], [3.0, 1.0])
Array(2., dtype='f64')
"""
