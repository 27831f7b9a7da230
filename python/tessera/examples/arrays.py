"""Examples of making, joining, indexing and sorting arrays; see __init__.py."""
TEXT = """
arange
>>> ts.arange(4)
Array([0., 1., 2., 3.], dtype='f64')
>>> ts.arange(1, 2, 0.25)
Array([1.  , 1.25, 1.5 , 1.75], dtype='f64')

argsort
>>> ts.argsort([3, 1, 2])
Array([1, 2, 0], dtype='i64')

array
>>> ts.array([[1, 2], [3, 4]], dtype="f32")
Array([[1., 2.],
       [3., 4.]], dtype='f32')

asarray
>>> a = np.zeros(3)
>>> ts.asarray(a)[0] = 7
>>> a
array([7., 0., 0.])

atlas_layout
>>> ts.atlas_layout(5, 32, 32).atlas
(64, 96)

broadcast_to
>>> ts.broadcast_to([1, 2, 3], (2, 3))
Array([[1, 2, 3],
       [1, 2, 3]], dtype='i64')

compress
>>> ts.compress([True, False, True], [[1, 2], [3, 4], [5, 6]], axis=0)
Array([[1, 2],
       [5, 6]], dtype='i64')

concatenate
>>> ts.concatenate([[1, 2], [3]])
Array([1, 2, 3], dtype='i64')
>>> ts.concatenate([[[1], [2]], [[3], [4]]], axis=1)
Array([[1, 3],
       [2, 4]], dtype='i64')

crop
>>> ts.crop([1, 2, 3, 4, 5], 1, 2)
Array([2, 3], dtype='i64')

crop_at
>>> image = np.arange(25.0).reshape(5, 5)
>>> ts.crop_at(image, [[2, 2]], 3)
array([[[ 6.,  7.,  8.],
        [11., 12., 13.],
        [16., 17., 18.]]])

diagonal
>>> ts.diagonal([[1, 2], [3, 4]])
Array([1, 4], dtype='i64')

empty
>>> ts.empty((2, 3), "f32").shape
(2, 3)

empty_like
>>> ts.empty_like(np.zeros((2, 3), "f4")).dtype
dtype('float32')

expand_dims
>>> ts.expand_dims([1, 2, 3], 0).shape
(1, 3)

extract
>>> image = np.arange(16).reshape(4, 4)
>>> ts.extract(image, [[2, 1]], (2, 2))
array([[[ 9, 10],
        [13, 14]]])

eye
>>> ts.eye(2)
Array([[1., 0.],
       [0., 1.]], dtype='f64')

fill
>>> x = np.zeros(3)
>>> ts.fill(x, 7)
array([7., 7., 7.])

fill_element
>>> x = np.zeros(2, np.complex64)
>>> ts.fill_element(x, 1 + 2j)
array([1.+2.j, 1.+2.j], dtype=complex64)

flip
>>> ts.flip([[1, 2], [3, 4]], axis=1)
Array([[2, 1],
       [4, 3]], dtype='i64')

from_dlpack
>>> a = np.arange(3.0)
>>> ts.from_dlpack(a)
Array([0., 1., 2.], dtype='f64')

full
>>> ts.full((2, 2), 7.0)
Array([[7., 7.],
       [7., 7.]], dtype='f64')

full_like
>>> ts.full_like([1, 2, 3], 9)
Array([9, 9, 9], dtype='i64')

gpu_count
>>> ts.gpu_count() >= 0
True

hstack
>>> ts.hstack([[1, 2], [3]])
Array([1, 2, 3], dtype='i64')

insert
>>> image = np.zeros((3, 4))
>>> ts.insert(image, np.ones((1, 2, 2)), [[1, 1]])
array([[0., 0., 0., 0.],
       [0., 1., 1., 0.],
       [0., 1., 1., 0.]])

linspace
>>> ts.linspace(0, 1, 5)
Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype='f64')

masked_select
>>> ts.masked_select([5, 6, 7], [True, False, True])
Array([5, 7], dtype='i64')

memory_trim
>>> ts.memory_trim("cpu")

memory_used
>>> ts.memory_used("cpu") >= 0
True

meshgrid
>>> x, y = ts.meshgrid([1, 2, 3], [10, 20])
>>> x
Array([[1, 2, 3],
       [1, 2, 3]], dtype='i64')
>>> y
Array([[10, 10, 10],
       [20, 20, 20]], dtype='i64')

moveaxis
>>> ts.moveaxis(np.zeros((2, 3, 4)), 0, -1).shape
(3, 4, 2)

nonzero
>>> ts.nonzero([[0, 7], [8, 0]])
(Array([0, 1], dtype='i64'), Array([1, 0], dtype='i64'))

ones
>>> ts.ones((2, 2))
Array([[1., 1.],
       [1., 1.]], dtype='f64')

ones_like
>>> ts.ones_like([[5, 6, 7]])
Array([[1, 1, 1]], dtype='i64')

pad
>>> ts.pad([1, 2, 3], 1)
Array([0, 1, 2, 3, 0], dtype='i64')
>>> ts.pad([1, 2, 3], (0, 2), mode="edge")
Array([1, 2, 3, 3, 3], dtype='i64')

partition
>>> ts.partition([4, 1, 3, 2], 1)[1]
Array(2, dtype='i64')

permute_copy
>>> ts.permute_copy(np.zeros((2, 3, 4)), (2, 0, 1)).shape
(4, 2, 3)

place
>>> x = np.zeros(4)
>>> ts.place(x, [7.0, 8.0], [False, True, True, False])
array([0., 7., 8., 0.])

put
>>> x = np.zeros((3, 2))
>>> ts.put(x, [[1.0, 2.0]], [2], 0)
array([[0., 0.],
       [0., 0.],
       [1., 2.]])

put_flat
>>> x = np.zeros((2, 2))
>>> ts.put_flat(x, [7.0], [3])
array([[0., 0.],
       [0., 7.]])

random_exponential
>>> x = ts.random_exponential((1000,), scale=2.0, seed=1)
>>> abs(ts.mean(x) - 2) < 0.3
Array(True, dtype='bool')

random_integers
>>> ts.minmax(ts.random_integers((1000,), 1, 6, seed=1))
tessera.minmax(min=Array(1, dtype='i64'), max=Array(6, dtype='i64'))

random_lognormal
>>> x = ts.random_lognormal((1000,), mean=0, std=0.5, seed=1)
>>> abs(ts.median(x) - 1) < 0.1
Array(True, dtype='bool')

random_normal
>>> noise = ts.random_normal((64, 64), mean=0, std=1, seed=1)
>>> ts.array_equal(noise, ts.random_normal((64, 64), 0, 1, seed=1))
True

random_permutation
>>> ts.sort(ts.random_permutation(5, seed=1))
Array([0, 1, 2, 3, 4], dtype='i64')

random_poisson
>>> counts = ts.random_poisson((2, 3), np.full((2, 3), 4.0), seed=1)
>>> counts.shape
(2, 3)

random_shuffle
>>> ts.sort(ts.random_shuffle([1, 2, 3], 0, seed=1))
Array([1, 2, 3], dtype='i64')

random_uniform
>>> x = ts.random_uniform((1000,), low=-1, high=1, seed=1)
>>> ts.min(x) >= -1 and ts.max(x) < 1
Array(True, dtype='bool')

ravel
>>> ts.ravel([[1, 2], [3, 4]])
Array([1, 2, 3, 4], dtype='i64')

repeat
>>> ts.repeat([1, 2], 2)
Array([1, 1, 2, 2], dtype='i64')
>>> ts.repeat([[1, 2]], [2], axis=0)
Array([[1, 2],
       [1, 2]], dtype='i64')

reshape
>>> ts.reshape([1, 2, 3, 4], (2, -1))
Array([[1, 2],
       [3, 4]], dtype='i64')

resize
>>> ts.resize(np.ones((2, 2)), (4, 4))
array([[0., 0., 0., 0.],
       [0., 1., 1., 0.],
       [0., 1., 1., 0.],
       [0., 0., 0., 0.]])

roll
>>> ts.roll([1, 2, 3, 4], 1)
Array([4, 1, 2, 3], dtype='i64')

searchsorted
>>> ts.searchsorted([1, 3, 5], [0, 3, 9])
Array([0, 1, 3], dtype='i64')
>>> ts.searchsorted([1, 3, 5], 3, side="right")
Array(2, dtype='i64')

set_memory_limit
>>> ts.set_memory_limit(8 * 2**30)
>>> ts.set_memory_limit(0)

set_threads
>>> ts.set_threads(1)
>>> ts.threads()
1
>>> ts.set_threads(0)

sort
>>> ts.sort([3, 1, 2])
Array([1, 2, 3], dtype='i64')
>>> ts.sort([3, 1, 2], descending=True)
Array([3, 2, 1], dtype='i64')

squeeze
>>> ts.squeeze(np.zeros((1, 3, 1))).shape
(3,)

stack
>>> ts.stack([[1, 2], [3, 4]])
Array([[1, 2],
       [3, 4]], dtype='i64')
>>> ts.stack([[1, 2], [3, 4]], axis=1)
Array([[1, 3],
       [2, 4]], dtype='i64')

swapaxes
>>> ts.swapaxes(np.zeros((2, 3, 4)), 0, 2).shape
(4, 3, 2)

synchronize
>>> ts.synchronize("cpu")

take
>>> ts.take([[1, 2], [3, 4], [5, 6]], [2, 0], axis=0)
Array([[5, 6],
       [1, 2]], dtype='i64')

take_along
>>> ts.take_along([[3, 1, 2]], [[1, 2, 0]], 1)
Array([[1, 2, 3]], dtype='i64')

take_flat
>>> ts.take_flat([[1, 2], [3, 4]], [3, 0])
Array([[4, 1]], dtype='i64')

threads
>>> ts.threads() >= 1
True

tile
>>> ts.tile([1, 2], 2)
Array([1, 2, 1, 2], dtype='i64')
>>> ts.tile([1, 2], (2, 1))
Array([[1, 2],
       [1, 2]], dtype='i64')

to_device
>>> ts.to_device([1.0, 2.0], "cpu").device
'cpu'

topk
>>> ts.topk([5, 9, 1, 7], 2, values=True, indices=True)
tessera.topk(values=Array([9, 7], dtype='i64'), indices=Array([1, 3], dtype='i64'))

transpose
>>> ts.transpose([[1, 2], [3, 4]])
Array([[1, 3],
       [2, 4]], dtype='i64')

unique
>>> ts.unique([3, 1, 3])
Array([1, 3], dtype='i64')
>>> ts.unique([3, 1, 3], return_counts=True)
(Array([1, 3], dtype='i64'), Array([1, 2], dtype='i64'))

vstack
>>> ts.vstack([[1, 2], [3, 4]])
Array([[1, 2],
       [3, 4]], dtype='i64')

zeros
>>> ts.zeros((2, 2), dtype="i32")
Array([[0, 0],
       [0, 0]], dtype='i32')

zeros_like
>>> ts.zeros_like(np.ones((2, 2), "f4"))
array([[0., 0.],
       [0., 0.]], dtype=float32)
"""
