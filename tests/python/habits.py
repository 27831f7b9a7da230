#!/usr/bin/env python3
"""What a user of NumPy types next: the same expressions on NumPy's arrays and here give the same values. habits.py BUILD"""
import os
import pickle
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import Skip, finish, raises, test

import numpy as np

import tessera as ts

A = np.random.default_rng(3).normal(size=(3, 4, 5)).astype(np.float32)
MASK = A > 0

# m is the module, x an array of three axes, k one of integers. What the first line has differs in dtype: f64 of NumPy's.
OTHER_DTYPES = "m.quantile(x, 0.25); m.quantile(x, [0.25, 0.5]); m.quantile(x, [0.25, 0.5], axis=1); m.arange(10); m.full(2, 7)"
SHAPES = """
    m.reshape(x, (-1, 5)); m.reshape(x, 60); m.ravel(x); m.squeeze(x[:1]); m.squeeze(x[:1, :1]); m.squeeze(x[:1], axis=0)
    m.expand_dims(x, 0); m.expand_dims(x[0], (0, -1)); m.transpose(x); m.transpose(x, (1, 0, 2)); m.swapaxes(x, 0, -1)
    m.moveaxis(x, 0, -1); m.moveaxis(x, (0, 1), (-1, 0)); m.broadcast_to(x[0, 0], (4, 5)); m.broadcast_to(x[0, 0, 0], 3)
    m.flip(x); m.flip(x, 1); m.flip(x, (0, -1)); m.roll(x, 2); m.roll(x, -7, axis=1); m.roll(x[0], (1, -2), axis=(0, 1))
    m.stack([x, x + 1]); m.stack([x[0], x[1]], axis=-1); m.vstack([x[0], x[1]]); m.vstack([x[0, 0], x[0, 1]])
    m.hstack([x[0], x[1]]); m.hstack([x[0, 0], x[0, 1]]); m.hstack([x, x]); m.concatenate([x, x], axis=2); m.roll(x[:0], 1, 0)
    m.pad(x[0], 1); m.pad(x[0], (1, 2)); m.pad(x[0], ((1, 2), (0, 3))); m.pad(x[0], 1, mode="edge"); m.pad(x[0], 2, mode="reflect")
    m.pad(x[0], 2, mode="symmetric"); m.pad(x[0], 2, mode="wrap"); m.pad(x[0], 1, mode="constant", constant_values=3)
"""
MAKING = """
    m.zeros_like(x); m.ones_like(x); m.full_like(x, 2.5); m.full_like(x, 2, dtype="i2"); m.zeros_like(x, dtype=np.float64)
    m.eye(3); m.linspace(0, 1, num=5); m.asarray(x, dtype=np.float64)
    m.array([True, False]); m.array([1, 2]); m.zeros((2, 3), dtype=np.int32); m.arange(0, 1, 0.25)
"""
WORK = """
    m.mean(x, axis=(0, 1)); m.mean(x, -1, keepdims=True); m.argmax(x, axis=1); m.argmax(x); m.argmin(x, 0); m.std(x, ddof=1)
    m.clip(x, 0, 1); m.clip(x, None, 0.5); m.clip(x, 0, None); m.clip(x, a_min=-1, a_max=1); m.where(x > 0, x, 0)
    m.sort(x, axis=None); m.sort(x, axis=0); m.argsort(x, axis=None); m.cumsum(x); m.cumsum(x, 1); m.cumprod(x[0]); m.cumsum(k)
    m.percentile(x.astype("f8"), 30); m.percentile(x.astype("f8"), [5, 95], axis=0); m.quantile(x.astype("f8"), [0.1, 0.5, 0.9])
    m.quantile(x.astype("f8"), [0.1, 0.5], axis=(0, 2)); m.quantile(x.astype("f8"), [0.1, 0.5], axis=-1, keepdims=True)
    m.quantile(x.astype("f8"), [[0.1, 0.5], [0.2, 1]], axis=1); m.quantile(x.astype("f8"), [0.5]); m.quantile(x.astype("f8"), 0.5, 1)
    m.amax(x); m.amin(x, axis=0); m.ptp(x); m.ptp(x, axis=1); m.average(x.astype("f8")); m.average(x.astype("f8"), 0)
    m.average(x.astype("f8"), weights=x.astype("f8") ** 2); m.average(x.astype("f8"), 1, [1, 2, 3, 4.0]); m.round(x); m.round(x, 2)
    m.sum(x, dtype=np.float64); m.sum(k, dtype="f4"); m.add(k, x[0, 0, 0], dtype=np.float64); m.mean(k, dtype=np.float32)
    m.multiply(k.astype("u1"), k.astype("u1"), dtype="i4"); m.nonzero(x > 0)[1]; m.where(x > 0)[2]; m.nonzero(k)[0]
    x @ m.ones((5, 2), dtype="f4"); m.matmul(x[0], x[1].T); abs(x); x ** 2; x % 2; x // 2; -x; 1 / x; (x > 0) & (x < 1); ~(x > 0)
"""
METHODS = """
    x.T; x.astype(float); x.astype("f4", copy=False); x.astype(np.int16); x.clip(0, 1); x.round(1); x.ravel(); x.flatten()
    x.swapaxes(0, 1); x.squeeze(); x.cumsum(); x.cumsum(1); x.argsort(axis=None); x.ptp(1) if hasattr(x, "ptp") else m.ptp(x, 1)
    x.take([2, 0], axis=0); x.take([7, 3]); x.nonzero()[0]; x.conjugate(); x.imag; x.real; (x + 1j).imag; x.dot(x[0, 0]) if 0 else x
    x.item(7); x.item(-1); x.item((1, 2, 3)); x.item(1, 2, 3); x.max(axis=(0, 2)); x.mean(0); x.sum(1, keepdims=True); x.std()
"""
INDICES = """
    x[x > 0]; x[MASK]; x[[0, 2]]; x[np.array([2, 2, -1])]; x[m.asarray([1, 0])]; x[[True, False, True]]; x[np.array([[0, 1], [2, 0]])]
    x[[]]; x[x > 100]; x[0][x[0] < 0]; x[np.array([], dtype=int)]; x[np.int64(1)]; x[m.asarray(1)]; k[k > 3]
"""


def check(expression, module, x, k):
    try:
        want = eval(expression, {"m": np, "np": np, "x": A.copy(), "k": np.arange(7), "MASK": MASK})
    except (TypeError, ValueError):
        assert np.lib.NumpyVersion(np.__version__) < "1.22.0", expression
        return np.zeros(())
    made = eval(expression, {"m": module, "np": np, "x": x, "k": k, "MASK": MASK})
    got = np.asarray(made)
    assert got.shape == np.shape(want), f"{expression}: {got.shape} for {np.shape(want)}"
    close = np.allclose(got, want, rtol=1e-5, atol=1e-6)
    assert close, f"{expression}: {got} for {want}"
    assert expression in OTHER_DTYPES or got.dtype == np.asarray(want).dtype, f"{expression}: {got.dtype}"
    return made


def expressions(text):
    return [e.strip() for e in text.replace("\n", ";").split(";") if e.strip()]


@test
def functions_and_operators_on_arrays():
    for expression in expressions(OTHER_DTYPES + SHAPES + MAKING + WORK + METHODS + INDICES):
        check(expression, ts, ts.array(A), ts.asarray(np.arange(7)))


@test
def arrays_of_numpy_stay_numpys():
    for expression in expressions(SHAPES + WORK):
        if "@" not in expression:
            made = check(expression, ts, A.copy(), np.arange(7))
            assert isinstance(made, (np.ndarray, np.generic)), (expression, type(made))
    for function in (ts.zeros_like, ts.ones_like, ts.empty_like, ts.ravel, ts.flip):
        assert type(function(A)) is np.ndarray and type(function(ts.asarray(A))) is ts.Array
    assert type(ts.zeros_like(A, device="cpu")) is ts.Array and type(ts.reshape([1, 2], (2, 1))) is ts.Array


@test
def views_are_views():
    a = A.copy()
    for view in (ts.reshape(a, (12, 5)), ts.ravel(a), ts.transpose(a), ts.flip(a), ts.expand_dims(a, 0), ts.swapaxes(a, 0, 1),
                 ts.moveaxis(a, 0, 2), ts.squeeze(a[:1]), ts.asarray(a, "f4"), ts.asarray(a).astype("f4", copy=False)):
        assert np.shares_memory(view, a)
    wide = ts.broadcast_to(a[0], (2, 4, 5))
    assert np.shares_memory(wide, a) and not wide.flags.writeable
    assert not np.shares_memory(ts.asarray(a).astype("f4"), a) and not np.shares_memory(ts.roll(a, 1), a)


@test
def elements_are_set_by_masks_and_integers():
    for key, value in ((A > 0, 0), (A > 0, np.arange((A > 0).sum())), ([0, 2], 5), ([2, 0], A[:2] * 2), (np.array([1, 1]), A[:2]),
                       ([True, False, True], -1), (A > 100, 3), ([], 3), (np.array([[0, 1], [1, 2]]), 4.0), ([0, -1], A[0, 0])):
        want, x = A.copy(), ts.array(A)
        want[key] = value
        x[key] = value
        np.testing.assert_array_equal(x.numpy(), want)
    x = ts.array(A)
    x[x < 0] *= -1
    np.testing.assert_array_equal(x.numpy(), np.abs(A))


@test
def sorting_in_place():
    x, want = ts.array(A), A.copy()
    assert x.sort() is None and want.sort() is None
    np.testing.assert_array_equal(x.numpy(), want)
    x.sort(axis=0)
    want.sort(axis=0)
    np.testing.assert_array_equal(x.numpy(), want)


@test
def what_is_not_set_has_its_shape():
    for made, dtype in ((ts.empty((2, 3)), "f64"), (ts.empty(4, "i16"), "i16"), (ts.empty_like(ts.array(A)), "f32")):
        assert made.dtype == dtype and made.shape in ((2, 3), (4,), A.shape)
    assert ts.empty_like(A).shape == A.shape and ts.empty_like(A, np.int32).dtype == np.int32
    raises(ts.ShapeError, "shape is", ts.empty, (-1, 2))
    raises(TypeError, "empty", ts.empty)


@test
def elements_of_iteration_are_numbers():
    x = ts.asarray([1.5, 2.5])
    assert list(x) == [1.5, 2.5] and type(next(iter(x))) is float and type(next(iter(ts.asarray([1])))) is int
    assert set(ts.asarray([3, 1, 3])) == {1, 3} and sum(x) == 4 and type(next(iter(ts.asarray([True])))) is bool
    assert [type(row) for row in ts.zeros((2, 3))] == [ts.Array] * 2 and dict.fromkeys(ts.asarray([7, 8])) == {7: None, 8: None}
    assert ts.asarray(A).tobytes() == A.tobytes() and ts.asarray(A).T.tobytes() == A.T.tobytes()


@test
def tensors_of_torch():
    try:
        import torch
    except ImportError:
        raise Skip("torch is not installed")
    for made in (torch.as_tensor(ts.asarray([[1, 2], [3, 4]])), torch.tensor(ts.asarray([[1, 2], [3, 4]]))):
        assert torch.equal(made, torch.tensor([[1, 2], [3, 4]]))
    assert torch.equal(torch.as_tensor(ts.asarray(A[0]), dtype=torch.float64), torch.as_tensor(A[0], dtype=torch.float64))
    assert torch.equal(torch.as_tensor(ts.asarray(A)), torch.as_tensor(A))
    x = ts.asarray(A)[::-1, :, ::-2]  # torch has no negative strides
    assert torch.equal(x.torch(), torch.as_tensor(x.numpy().copy()))
    t = torch.as_tensor(A)
    for got, want in ((ts.quantile(t, [0.25, 0.5], 1), torch.quantile(t, torch.tensor([0.25, 0.5]), 1)), (ts.flip(t, 0), t.flip(0)),
                      (ts.zeros_like(t), torch.zeros_like(t)), (ts.swapaxes(t, 0, 1), t.swapaxes(0, 1)), (ts.cumsum(t, 0), t.cumsum(0)),
                      (ts.stack([t, t]), torch.stack([t, t])), (ts.sort(t, axis=None), t.ravel().sort()[0])):
        assert isinstance(got, torch.Tensor) and torch.allclose(got, want)


@test
def functions_go_to_other_processes():
    for function in (ts.sort, ts.quantile, ts.pad, ts.where, ts.round, ts.cumsum, ts.eye, ts.flip, ts.empty):
        again = pickle.loads(pickle.dumps(function))
        arguments = {ts.quantile: (A, 0.5), ts.pad: (A, 1), ts.eye: (3,), ts.empty: (0,)}.get(function, (A,))
        np.testing.assert_array_equal(again(*arguments), function(*arguments))


@test
def what_is_wrong_is_said():
    x = ts.array(A)
    raises(IndexError, "a mask has the shape (2,); expected (3,)", x.__getitem__, [True, False])
    raises(IndexError, "an index has the dtype f64; expected integers or bool", x.__getitem__, [0.5])
    raises(ts.RangeError, "", x.__getitem__, [0, 3])
    raises(IndexError, "a mask has the shape ()", x.__getitem__, ts.asarray(True))
    raises(IndexError, "index 60 is out of bounds for an array of 60 elements", x.item, 60)
    raises(TypeError, "an array of 60 elements is not a number", x.item)
    raises(ValueError, "squeeze: axis 1 has the size 4", ts.squeeze, A, 1)
    raises(IndexError, "swapaxes: axis is 3; the array has 3 axes", ts.swapaxes, A, 0, 3)
    raises(ValueError, "moveaxis: source is (0, 1) and destination 0", ts.moveaxis, A, (0, 1), 0)
    raises(ValueError, "roll: shift is (1, 2) and axis 0", ts.roll, A, (1, 2), 0)
    raises(ts.ShapeError, "", ts.broadcast_to, A, (3, 4, 6))
    raises(ValueError, "broadcast_to: shape is (5,); the array has 3 axes", ts.broadcast_to, A, (5,))
    raises(ValueError, "pad: mode is 'mean'; expected one of 'constant'", ts.pad, A, 1, mode="mean")
    raises(ValueError, "pad: before is ((1, 2), (3, 4)); without `after`, expected a number", ts.pad, A, ((1, 2), (3, 4)))
    raises(TypeError, "quantile: out cannot be combined with several q", ts.quantile, A, [0.5], out=np.zeros(1))
    raises(TypeError, "sort() got multiple values for argument 'axis'", ts.sort, A, 0, axes=1)
    raises(TypeError, "sort() missing 1 required positional argument", ts.sort)
    raises(TypeError, "sort() got an unexpected keyword argument 'kind'", lambda: ts.sort(A, kind="stable"))
    raises(ts.ParseError, "dtype: name is \"f33\"", ts.sum, A, dtype="f33")
    raises(TypeError, "lowpass_image() got an unexpected keyword argument 'dtype'", ts.lowpass_image, A, 0.1, dtype="f8")


finish()
