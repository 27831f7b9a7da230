#!/usr/bin/env python3
"""tessera.Array beside numpy.ndarray: slicing, operators, numbers, printing, pickling, copies. arrays.py BUILD"""
import copy
import os
import pickle
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import SAMPLE, finish, raises, test

import numpy as np

import tessera as ts

NUMBERS = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()


def random_key(r, shape):
    key = []
    for n in shape[:r.randrange(len(shape) + 1)]:
        what = r.random()
        if what < 0.3 and n:
            key.append(r.randrange(-n, n))
        else:
            ends = [r.choice([None, r.randrange(-n - 2, n + 3)]) for _ in range(2)]
            key.append(slice(*ends, r.choice([None, 1, 2, -1, -3])))
    if r.random() < 0.3:
        key.insert(r.randrange(len(key) + 1), Ellipsis)
    if r.random() < 0.2 and len(shape) < 4:
        key.insert(r.randrange(len(key) + 1), None)
    return key[0] if len(key) == 1 and r.random() < 0.5 else tuple(key)


@test
def slices_are_those_of_numpy():
    r = random.Random(3)
    for _ in range(20000 // SAMPLE):
        shape = tuple(r.randrange(0 if r.random() < 0.1 else 1, 6) for _ in range(r.randrange(5)))
        a = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
        x, key = ts.asarray(a), random_key(r, shape)
        try:
            want = a[key]
        except IndexError:
            raises(IndexError, "", x.__getitem__, key)
            continue
        got = x[key]
        assert got.shape == np.shape(want), (shape, key, got.shape)
        np.testing.assert_array_equal(got.numpy(), want)
        if got.size:
            got[...] = -1
            assert (a[key] == -1).all() and (a == -1).sum() == np.size(want)


@test
def slices_that_are_wrong():
    x = ts.zeros((2, 3))
    raises(IndexError, "index 2 is out of bounds for axis 0 with size 2", x.__getitem__, 2)
    raises(IndexError, "index -4 is out of bounds for axis 1 with size 3", x.__getitem__, (0, -4))
    raises(IndexError, "too many indices: the array has 2 axes", x.__getitem__, (0, 0, 0))
    raises(IndexError, "single ellipsis", x.__getitem__, (..., ...))
    raises(IndexError, "at most 4 axes", x.__getitem__, (None, None, None))
    raises(IndexError, "integers, slices, ... or None, masks or arrays", x.__getitem__, (slice(None), 0.5))
    raises(IndexError, "True is not a valid index", x.__getitem__, True)
    raises(ValueError, "zero", x.__getitem__, slice(None, None, 0))
    raises(TypeError, "cannot be deleted", x.__delitem__, 0)
    raises(ts.ShapeError, "shape", x.__setitem__, slice(None), np.zeros((4, 4)))


@test
def operators_are_those_of_numpy():
    rng = np.random.default_rng(1)
    for dtype in ("f4", "f8", "i4", "i8", "c8"):
        a, b = (rng.integers(1, 9, (3, 4)).astype(dtype) for _ in range(2))
        x, y = ts.asarray(a), ts.asarray(b)
        for operate in (lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p / q, lambda p, q: p == q,
                        lambda p, q: p != q, lambda p, q: -p, lambda p, q: +p, lambda p, q: abs(p),
                        lambda p, q: p + 2, lambda p, q: 2 - p, lambda p, q: 3 / p):
            want, got = operate(a, b), operate(x, y)
            assert isinstance(got, ts.Array)
            np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)
            assert got.numpy().dtype == want.dtype, (dtype, got.dtype, want.dtype)
        np.testing.assert_allclose((x @ y.T).numpy(), a @ b.T, rtol=1e-6)
        if dtype == "c8":
            continue
        for operate in (lambda p, q: p // q, lambda p, q: p % q, lambda p, q: p ** 2, lambda p, q: p < q, lambda p, q: p <= q,
                        lambda p, q: p > q, lambda p, q: p >= q, lambda p, q: -p // q, lambda p, q: -p % q):
            np.testing.assert_allclose(operate(x, y).numpy(), operate(a, b), rtol=1e-6)
        if dtype[0] == "i":
            for operate in (lambda p, q: p & q, lambda p, q: p | q, lambda p, q: p ^ q, lambda p, q: ~p, lambda p, q: p << 2,
                            lambda p, q: p >> 1):
                np.testing.assert_array_equal(operate(x, y).numpy(), operate(a, b))
    truth = ts.asarray(np.array([True, False]))
    assert (~truth).tolist() == [False, True]


@test
def operators_in_place():
    a = np.arange(1.0, 7).reshape(2, 3)
    x = kept = ts.asarray(a)
    x += 1
    x *= x
    x -= 2.0
    x /= 2
    x **= 2
    x //= 1
    x %= 50
    assert x is kept
    want = (((np.arange(1.0, 7).reshape(2, 3) + 1) ** 2 - 2) / 2) ** 2 // 1 % 50
    np.testing.assert_array_equal(a, want)
    whole = ts.asarray(np.array([6, 5], np.int32))
    whole &= 3
    whole |= 8
    whole ^= 1
    whole <<= 2
    whole >>= 1
    assert whole.tolist() == [(((n & 3) | 8) ^ 1) << 1 for n in (6, 5)]
    raises(TypeError, "unsupported operand", lambda: ts.zeros(2) + object())
    raises(TypeError, "unsupported operand", lambda: ts.zeros(2) + "a")
    assert ts.zeros(2).__add__("a") is NotImplemented


@test
def arrays_and_numpy_mix():
    a, x = np.ones((2, 3), np.float32), ts.ones((2, 3), "f32")
    assert type(a + x) is ts.Array and type(x + a) is ts.Array and type(ts.add(a, x)) is np.ndarray
    np.testing.assert_array_equal((a + x).numpy(), 2)
    np.testing.assert_array_equal((x + a).numpy(), 2)
    assert type(np.sin(x)) is ts.Array
    np.testing.assert_allclose(np.sin(x).numpy(), np.sin(a), rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(x, dtype=np.float64), 1.0)
    assert type(ts.mul(np.float32(2), x)) is ts.Array and type(ts.sqrt(np.float32(4))) is np.float32
    assert ts.add(a, np.float64(1)).dtype == np.float64 and ts.add(a, 1.0).dtype == np.float32
    view = np.asarray(x)
    view[0, 0] = 7
    assert float(x[0, 0]) == 7  # the same memory
    del x
    assert view.sum() == 12  # which the view keeps


@test
def numbers():
    x = ts.asarray(np.array([[2.5]]))
    assert float(x) == 2.5 and int(x) == 2 and complex(x) == 2.5 and bool(x) and x.item() == 2.5
    assert not ts.zeros(1) and not ts.zeros((0, 3))
    assert [10, 20, 30][ts.asarray(1)] == 20
    assert complex(ts.asarray(1 + 2j)) == 1 + 2j and ts.asarray(True).item() is True
    for value in (2**63 - 1, -2**63, 5):
        assert ts.asarray(value).item() == value
    assert ts.asarray(np.array([2**64 - 1], np.uint64)).item() == 2**64 - 1
    assert ts.asarray(np.array([2**64 - 1, 2**63], np.uint64)).tolist() == [2**64 - 1, 2**63]
    raises(TypeError, "an array of 2 elements is not a number", float, ts.zeros(2))
    raises(ValueError, "ambiguous", bool, ts.zeros(2))
    raises(TypeError, "len() of an array without axes", len, ts.asarray(1.0))
    raises(TypeError, "", iter, ts.asarray(1.0))
    assert ts.sqrt(4.0) == 2.0 and type(ts.sqrt(4.0)) is float and type(ts.add(1, 2)) in (int, float)
    assert type(ts.less(1, 2)) is bool


@test
def attributes():
    a = np.zeros((2, 3, 4), np.complex64)[:, ::-1]
    x = ts.asarray(a)
    assert (x.shape, x.strides, x.ndim, x.size, x.itemsize, x.nbytes) == (a.shape, a.strides, 3, 24, 8, 192)
    assert x.dtype == "c32" == ts.c32 and x.device == "cpu" and not x.read_only and len(x) == 2
    assert x.T.shape == (4, 3, 2) and x.T.strides == a.T.strides
    x.real[...] = 1
    x.imag[...] = 2
    assert (a == 1 + 2j).all()
    assert [row.shape for row in x] == [(3, 4), (3, 4)]
    assert ts.zeros(3).real.shape == (3,)
    frozen = np.ones(2)
    frozen.flags.writeable = False
    assert ts.asarray(frozen).read_only and not np.asarray(ts.asarray(frozen)).flags.writeable
    raises(ts.ReadOnlyError, "read-only", ts.asarray(frozen).__setitem__, 0, 1)
    raises(TypeError, "create arrays with tessera.array", ts.Array)
    raises(TypeError, "unhashable", hash, x)
    raises(AttributeError, "on the CPU", lambda: x.__cuda_array_interface__)


@test
def shapes():
    a = np.arange(24).reshape(2, 3, 4)
    x = ts.asarray(a)
    for shape in ((24,), (4, 6), (-1, 2), (1, 2, 12), (3, -1, 2, 1)):
        np.testing.assert_array_equal(x.reshape(shape).numpy(), a.reshape(shape))
        np.testing.assert_array_equal(x.reshape(*shape).numpy(), a.reshape(shape))
    np.testing.assert_array_equal(x.T.reshape(24).numpy(), a.T.reshape(24))  # a copy
    for axes in ((0, 1, 2), (2, 0, 1), (-1, 0, 1)):
        np.testing.assert_array_equal(x.transpose(*axes).numpy(), a.transpose(axes))
        np.testing.assert_array_equal(x.transpose(axes).numpy(), a.transpose(axes))
    raises(ValueError, "transpose: axes are (0, 0, 1)", x.transpose, 0, 0, 1)
    raises(ValueError, "transpose: axes are (0, 1)", x.transpose, 0, 1)
    raises(ts.ShapeError, "reshape", x.reshape, 5)
    raises(ValueError, "at most 4 sizes", x.reshape, 1, 1, 1, 1, 24)
    raises(TypeError, "an integer, or a tuple of integers", x.reshape, "a")


@test
def printing():
    x = ts.arange((2, 3), dtype="f32")
    assert str(x) == str(np.arange(6, dtype="f4").reshape(2, 3))
    assert repr(x) == "Array([[0., 1., 2.],\n       [3., 4., 5.]], dtype='f32')"
    for shape in ((), (3,), (1, 3), (2, 1, 3), (1, 1, 1, 2), (2, 2, 2, 2), (2000, 2000)):
        a = np.arange(int(np.prod(shape)), dtype="i4").reshape(shape)
        assert str(ts.asarray(a)) == str(a), (str(ts.asarray(a)), str(a))
    assert str(ts.asarray(3)) == "3"
    assert repr(ts.zeros((0, 3))) == "Array([], shape=(0, 3), dtype='f64')" and repr(ts.zeros(0)) == "Array([], dtype='f64')"


@test
def texts_are_those_of_numpy():
    rng = np.random.default_rng(5)
    for dtype in "? i1 u2 i8 f4 f8 c8 c16".split():
        for shape in ((), (1,), (3,), (37,), (250,), (3, 4), (2, 40), (2, 3, 4), (2, 1, 2, 3), (1001,), (40, 50), (12, 11, 10), (1, 1, 3, 30)):
            a = rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype[0] == "c" else 0)
            a = np.asarray(np.abs(a * 50) if dtype == "u2" else a * 50, dtype)
            x = ts.asarray(a)
            assert str(x) == str(a) or (shape == () and dtype in ("f4", "c8", "c16")), (str(x), str(a))
            inside = np.array2string(a, separator=", ", prefix="Array(", suffix=")")
            assert repr(x) == f"Array({inside}, dtype='{x.dtype}')", (repr(x), inside)


@test
def copies():
    a = np.arange(6.0).reshape(2, 3)
    x = ts.asarray(a.T)
    for other in (x.copy(), copy.copy(x), copy.deepcopy(x), ts.array(x), ts.array(a.T), pickle.loads(pickle.dumps(x))):
        assert other.shape == (3, 2) and other.dtype == "f64"
        other[0, 0] = 9
        assert a[0, 0] == 0
        np.testing.assert_array_equal(other.numpy()[1:], a.T[1:])
    assert x.astype("i32").dtype == "i32" and x.astype(np.complex64).dtype == "c32" and x.astype(float).dtype == "f64"
    assert x.to("cpu") is x
    raises(ts.DeviceError, "gpu", x.to, "gpu:7")
    raises(ts.ParseError, "f33", x.astype, "f33")
    for dtype in NUMBERS:
        b = np.arange(4).astype(dtype)
        again = pickle.loads(pickle.dumps(ts.asarray(b)))
        assert again.numpy().tobytes() == b.tobytes() and again.numpy().dtype == b.dtype


@test
def elements_that_numpy_does_not_have():
    quats = ts.asarray([[[[1.0, 0, 0, 0]]], [[[0, 1.0, 0, 0]]]])
    half = ts.fft_r2c(np.ones((2, 4), np.float16))
    assert isinstance(half, ts.Array) and half.dtype == "c16" and half.numpy().shape == (2, 3, 2)
    assert half.numpy().dtype == np.float16 and half.numpy()[0, 0, 0] == 8
    made = ts.zeros((3,), "mat23_f32")
    assert made.numpy().shape == (3, 2, 3) and ts.zeros((2,), "vec3_f64").numpy().shape == (2, 3)
    assert pickle.loads(pickle.dumps(made)).dtype == "mat23_f32"
    assert ts.quat_to_matrix(quats).shape == (2, 1, 3, 3)


@test
def methods():
    a = np.arange(6.0).reshape(2, 3)
    x = ts.asarray(a)
    assert x.sum().item() == 15 and x.mean(axis=0).tolist() == [1.5, 2.5, 3.5] and x.max(1).tolist() == [2, 5]
    assert x.std().item() == a.std() and x.argmax().item() == 5
    np.testing.assert_array_equal(x.cumsum(1).numpy(), a.cumsum(1))


@test
def lists_and_numbers_become_arrays():
    assert ts.asarray([[1, 2], [3, 4]]).dtype == "i64" and ts.asarray([1, 2.5]).dtype == "f64"
    assert ts.asarray([True, False]).dtype == "bool" and ts.asarray([1j]).dtype == "c64" and ts.asarray([]).shape == (0,)
    assert ts.asarray(((1, 2, 3),)).shape == (1, 3) and ts.asarray([np.float32(1.5)]).tolist() == [1.5]
    assert ts.array([1, 2], dtype="f32").tolist() == [1.0, 2.0]
    raises(ValueError, "different lengths", ts.asarray, [[1, 2], [3]])
    raises(TypeError, "", ts.asarray, [[1, 2], 3])
    raises(TypeError, "", ts.asarray, ["a"])
    raises(ValueError, "more than 4 axes", ts.asarray, [[[[[1]]]]])
    endless = []
    endless.append(endless)
    raises(ValueError, "more than 4 axes", ts.asarray, endless)
    raises(OverflowError, "", ts.asarray, [2**70])
    raises(OverflowError, "integers from -2^63 to 2^64 - 1", ts.add, np.ones(2), 2**70)


@test
def numpys_functions_take_arrays():
    a = np.arange(12.0).reshape(3, 4)
    x = ts.asarray(a)
    for name in ("mean", "std", "var", "sum", "max", "min", "transpose", "ravel", "squeeze"):
        np.testing.assert_allclose(np.asarray(getattr(np, name)(x)), getattr(np, name)(a))
    np.testing.assert_allclose(np.asarray(np.mean(x, axis=0)), a.mean(0))
    np.testing.assert_array_equal(np.asarray(x.sum(dtype="f32")), a.sum())


@test
def elements_are_formatted_and_found():
    x = ts.asarray([[1.2345, 2.0], [3.0, 4.0]])
    assert f"{x[0, 0]:.2f}" == "1.23" and f"{x}" == str(x) and round(x[0, 0], 2) == 1.23 and round(x[1, 1]) == 4
    assert 3.0 in x and 7 not in x


@test
def arrays_like_others():
    a = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    assert ts.zeros_like(a).shape == (1, 2, 3) and ts.zeros_like(a).dtype == np.float32 and ts.ones_like(a, "i16").dtype == np.int16
    np.testing.assert_array_equal(ts.ones_like(a), np.ones_like(a))
    np.testing.assert_array_equal(ts.squeeze(a), a[0])
    np.testing.assert_array_equal(ts.ravel(a), a.ravel())
    np.testing.assert_array_equal(ts.asarray(a).flatten(), a.ravel())
    np.testing.assert_array_equal(ts.reshape(a, (3, 2)), a.reshape(3, 2))
    for axis in (0, 1, 2, -1, 3):
        np.testing.assert_array_equal(ts.stack([a, a + 1], axis), np.stack([a, a + 1], axis))
    raises(IndexError, "stack: axis is 5", ts.stack, [a], 5)
    assert ts.allclose(a, a + 1e-9) and not ts.allclose(a, a + 1)
    ends = np.array([np.inf, -np.inf, 1])
    assert ts.allclose(ends, ends) and ts.allclose(ends, ends, 0, 0) and not ts.allclose(ends, -ends)
    assert not ts.allclose(ends, [1, -np.inf, 1]) and not ts.allclose(1, 1 + 1e-12, 0, 0)


@test
def dtypes_by_the_strings_of_numpy():
    for text in "f2 f4 f8 i1 i2 i4 u1 u2 u4 c8 <f4 <i8 <u8 <c16 |u1 ? |b1".split():
        assert ts.zeros(3, dtype=text).numpy().dtype == np.dtype(text), text
    assert ts.zeros(3, dtype="i8").numpy().dtype == np.int8 and ts.zeros(3, dtype="u8").numpy().dtype == np.uint8
    for text in (">f4", "f3", "f44", "q", "", "<", "U5"):
        raises(ts.ParseError, "", ts.zeros, 3, dtype=text)


@test
def a_star_leaves_builtins_alone():
    scope = {}
    exec("from tessera import *", scope)
    assert "open" not in scope and "sum" not in scope and scope["lowpass_image"] is ts.lowpass_image


@test
def dtypes_are_names_and_types_of_numpy():
    import pickle
    for name, theirs in (("f32", np.float32), ("i64", np.int64), ("u8", np.uint8), ("c64", np.complex128), ("bool", np.bool_)):
        ours = ts.zeros(2, dtype=name).dtype
        assert ours == name and name == ours and ours == theirs and ours == np.dtype(theirs) and np.dtype(theirs) == ours
        assert ours != "f16" and ours != 3 and ours is not None and hash(ours) == hash(name) and {name: 1}[ours] == 1
        assert np.dtype(ours) == np.dtype(theirs) and np.zeros(3, ours).dtype == theirs
        assert str(ours) == name and repr(ours) == repr(name) and ours.kind == np.dtype(theirs).kind
        assert ours.itemsize == np.dtype(theirs).itemsize and ts.dtype(theirs) is ours
        assert pickle.loads(pickle.dumps(ours)) is ours
        assert ts.zeros(2, dtype=ours).dtype == ours
    raises(TypeError, "NumPy has no element type for c16", lambda: ts.zeros(2, dtype="c16").dtype.dtype)
    raises(TypeError, "", lambda: ours < "f32")


finish()
