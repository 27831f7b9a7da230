#!/usr/bin/env python3
"""Arrays, operators and tables beside those of others: NumPy's operators, ufuncs and functions, buffers, weak references, pickle
and copy, every index of NumPy, whole floats in STAR files, and the command. citizen.py BUILD"""
import copy
import gc
import operator
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
import weakref

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, SAMPLE, finish, raises, test

import numpy as np

import tessera as ts

folder = tempfile.TemporaryDirectory()
rng = np.random.default_rng(42)
NUMBERS = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()


def path(name):
    return os.path.join(folder.name, name)


def same(got, want, rtol=1e-6):
    """An Array with these elements."""
    assert isinstance(got, ts.Array), type(got)
    assert got.shape == np.shape(want), (got.shape, np.shape(want))
    np.testing.assert_allclose(got.numpy(), want, rtol=rtol, atol=rtol)


# ---- Operators ----

BINARY = "add sub mul truediv floordiv mod pow lt le eq ne gt ge".split()


@test
def operators_with_numpy_give_arrays_on_both_sides():
    a = rng.uniform(0.5, 3, (2, 3)).astype("f4")
    b = rng.uniform(0.5, 3, (2, 3)).astype("f4")
    for name in BINARY:
        operate = getattr(operator, name)
        for x, y in ((ts.asarray(a), b), (a, ts.asarray(b)), (ts.asarray(a), ts.asarray(b)), (np.float32(1.5), ts.asarray(b)),
                     (ts.asarray(a), np.float32(1.5)), (1.5, ts.asarray(b)), (ts.asarray(a), 1.5), ([1.5, 2, 3], ts.asarray(b)),
                     (a[:, :1], ts.asarray(b)), (ts.asarray(a), b[0])):
            got = operate(x, y)
            same(got, operate(np.asarray(x), np.asarray(y)))
    whole = rng.integers(1, 9, (2, 3)).astype("i4")
    for name in "and_ or_ xor lshift rshift".split():
        operate = getattr(operator, name)
        same(operate(whole, ts.asarray(whole)), operate(whole, whole))
        same(operate(ts.asarray(whole), whole), operate(whole, whole))
    same(a @ ts.asarray(b.T), a @ b.T, 1e-5)
    same(ts.asarray(a) @ b.T, a @ b.T, 1e-5)
    same(a[0] @ ts.asarray(b.T), a[0] @ b.T, 1e-5)


@test
def divmod_is_quotient_and_rest():
    a = np.array([7, -7, 5], "i4")
    for x, y in ((ts.asarray(a), 3), (a, ts.asarray(np.array([3, 3, -3], "i4"))), (20, ts.asarray(a))):
        quotient, rest = divmod(x, y)
        want = divmod(np.asarray(x), np.asarray(y))
        same(quotient, want[0])
        same(rest, want[1])
    raises(TypeError, "unsupported operand", lambda: divmod(ts.zeros(2), "a"))


@test
def operators_in_place_write_to_their_left():
    a, b = rng.uniform(1, 2, (2, 3)), rng.uniform(1, 2, (2, 3))
    for name in "iadd isub imul itruediv ifloordiv imod ipow".split():
        operate = getattr(operator, name)
        want = operate(a.copy(), b)
        x, y = ts.array(a), a.copy()
        assert operate(x, b) is x and operate(y, ts.asarray(b)) is y
        same(x, want)
        np.testing.assert_allclose(y, want)


# ---- ufuncs ----

UNARY = ("abs absolute arccos arcsin arctan arcsinh cbrt ceil conj conjugate cos cosh deg2rad degrees exp exp2 expm1 fabs floor "
         "isfinite isinf isnan log log10 log1p log2 logical_not negative positive rad2deg radians reciprocal rint sign signbit sin "
         "sinh spacing sqrt square tan tanh trunc").split()
PAIRS = ("add arctan2 copysign divide equal float_power floor_divide fmax fmin fmod greater greater_equal heaviside hypot less "
         "less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal power "
         "remainder subtract true_divide").split()


@test
def every_ufunc_takes_arrays():
    a, b = rng.uniform(0.1, 0.9, (3, 4)), rng.uniform(0.1, 0.9, 4)
    x, y = ts.asarray(a), ts.asarray(b)
    for name in UNARY:
        same(getattr(np, name)(x), getattr(np, name)(a))
    for name in PAIRS:
        for p, q in ((x, y), (x, b), (a, y), (x, 0.5), (0.5, y)):
            same(getattr(np, name)(p, q), getattr(np, name)(np.asarray(p), np.asarray(q)))
    whole = np.array([5, -3, 12], "i4")
    for name in "bitwise_and bitwise_or bitwise_xor gcd lcm left_shift right_shift".split():
        same(getattr(np, name)(ts.asarray(whole), [1, 2, 3]), getattr(np, name)(whole, np.array([1, 2, 3], "i4")))
    same(np.invert(ts.asarray(whole)), ~whole)
    same(np.invert(ts.asarray(whole > 0)), whole <= 0)
    same(np.arccosh(1 + x), np.arccosh(1 + a))
    same(np.arctanh(x), np.arctanh(a))
    for got, want in zip(np.modf(x) + np.divmod(x, 0.3) + np.frexp(x), np.modf(a) + np.divmod(a, 0.3) + np.frexp(a)):
        same(got, want)
    same(np.exp(x + 1j), np.exp(a + 1j))
    same(np.less(x + 1j, 0.5 + 1j), np.less(a + 1j, 0.5 + 1j))
    same(np.matmul(x, y), a @ b)
    same(np.matmul(b, x.T), b @ a.T)
    same(np.matmul(y, b), b @ b)


@test
def ufuncs_write_where_they_are_told():
    a = rng.uniform(1, 2, (3, 4))
    for out in (np.empty((3, 4)), ts.empty((3, 4)), np.empty((3, 4), "f4"), ts.empty((3, 4), "f4")):
        assert np.sqrt(ts.asarray(a), out=out) is out
        np.testing.assert_allclose(np.asarray(out), np.sqrt(a), rtol=1e-6)
    out = ts.empty((3, 4))
    assert np.add(a, a, out=out) is out and np.multiply(a, 2, out=(out,)) is out
    same(out, 2 * a)
    fraction, whole = ts.empty((3, 4)), np.empty((3, 4))
    assert np.modf(a, out=(fraction, whole))[0] is fraction
    same(fraction, np.modf(a)[0])
    mask = a > 1.5
    out = ts.zeros((3, 4))
    np.add(ts.asarray(a), 1, out=out, where=mask)
    same(out, np.where(mask, a + 1, 0))
    same(np.add(ts.asarray(a), 1, dtype=np.float32), (a + 1).astype("f4"))
    raises(ValueError, "read-only", np.add, a, a, out=ts.broadcast_to(ts.zeros(4), (3, 4)))


@test
def ufuncs_reduce_accumulate_and_more():
    a = rng.integers(1, 5, (2, 3, 4))
    x = ts.asarray(a)
    for name in "add multiply maximum minimum logical_and logical_or subtract bitwise_or".split():
        ufunc = getattr(np, name)
        for keywords in ({}, {"axis": 1}, {"axis": -1, "keepdims": True}):
            same(ufunc.reduce(x, **keywords), ufunc.reduce(a, **keywords))
    same(np.add.reduce(x, axis=None), a.sum())
    same(np.add.reduce(x, axis=(0, 2), dtype="f8"), a.sum((0, 2)))
    same(np.add.reduce(x, initial=5), 5 + a.sum(0))
    same(np.add.reduce(x, where=a > 2), np.add.reduce(a, where=a > 2))
    out = np.empty((3, 4), int)
    assert np.add.reduce(x, out=out) is out and (out == a.sum(0)).all()
    for name in "add multiply maximum minimum subtract".split():
        same(getattr(np, name).accumulate(x, 1), getattr(np, name).accumulate(a, 1))
    same(np.subtract.outer(x[0, 0], x[0]), np.subtract.outer(a[0, 0], a[0]))
    same(np.add.reduceat(x[0, 0], [0, 2]), np.add.reduceat(a[0, 0], [0, 2]))
    np.add.at(x, (0, 0, [1, 1]), 5)
    assert a[0, 0, 1] == x[0, 0, 1].item() and np.add.outer(x, x[0]).shape == (2, 3, 4, 3, 4)


@test
def others_keep_their_turn():
    class Other:
        __array_ufunc__ = None

        def __radd__(self, x):
            return "other"

    class Ready:
        def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
            return "ready"

        def __array_function__(self, function, types, args, keywords):
            return "ready"

    assert ts.zeros(2) + Other() == "other" and np.add(ts.zeros(2), Ready()) == "ready"
    assert np.concatenate([ts.zeros(2), Ready()]) == "ready"
    raises(TypeError, "", np.add, ts.zeros(2), "a")
    raises(TypeError, "NumPy has no element type for c16", np.spacing, ts.zeros(2, "c16"))


# ---- Functions ----


def calls(a, b):
    """Calls of NumPy's functions, as (name, arguments, keywords)."""
    v, cond, three = a[0], a > 0, rng.uniform(size=3)
    plain = "sum prod mean std var max min argmax argmin any all median cumsum cumprod ptp nanmean nansum nanmax nanstd".split()
    for name in plain:
        yield name, (a,), {}
        yield name, (a,), {"axis": 1}
        yield name, (a, 0), {}
    for name in "sum prod max mean any".split():
        yield name, (a,), {"axis": -1, "keepdims": True}
    for name in ("sort argsort ravel squeeze transpose flip real imag angle copy zeros_like ones_like diff gradient unique nonzero "
                 "count_nonzero fliplr flipud rot90 trace diagonal tril triu atleast_3d isreal iscomplex nan_to_num argwhere "
                 "flatnonzero").split():
        yield name, (a,), {}
    yield "sort", (a,), {"axis": None}
    yield "std", (a,), {"ddof": 1}
    yield "sum", (a,), {"initial": 2.0, "where": cond}
    yield "sum", (a, None, np.float32), {}
    yield "concatenate", ([a, b],), {}
    yield "concatenate", ([a, b],), {"axis": 1}
    yield "concatenate", ([a, b.astype("f4")],), {"axis": None}
    for name in "stack vstack hstack dstack column_stack".split():
        yield name, ([a, b],), {}
    yield "stack", ([a, b],), {"axis": -1}
    yield "where", (cond, a, b), {}
    yield "where", (cond, a, 0), {}
    yield "clip", (a, -0.5, 0.5), {}
    yield "clip", (a, None, 0.5), {}
    yield "round", (a, 1), {}
    yield "around", (a,), {}
    yield "reshape", (a, (4, 3)), {}
    yield "expand_dims", (a, 1), {}
    yield "swapaxes", (a, 0, 1), {}
    yield "moveaxis", (a, 0, -1), {}
    yield "roll", (a, 2), {}
    yield "roll", (a, (1, 2)), {"axis": (0, 1)}
    yield "broadcast_to", (v, (3, 4)), {}
    yield "full_like", (a, 7), {}
    yield "isclose", (a, b), {}
    yield "quantile", (a, [0.2, 0.7]), {"axis": 1}
    yield "percentile", (a, 30), {}
    yield "average", (a,), {"weights": np.abs(b)}
    yield "pad", (a, 2), {}
    yield "pad", (a, ((1, 0), (2, 1))), {"mode": "edge"}
    yield "dot", (a, b.T), {}
    yield "tensordot", (a, b), {"axes": 2}
    yield "einsum", ("ij,kj->ik", a, b), {}
    yield "kron", (a, b), {}
    yield "outer", (v, v), {}
    yield "cross", (three, three[::-1].copy()), {}
    yield "interp", (v, np.sort(b[0]), b[1]), {}
    yield "searchsorted", (np.sort(v), b[0]), {}
    yield "digitize", (v, np.sort(b[0])), {}
    yield "histogram", (a,), {"bins": 4}
    yield "convolve", (v, b[0]), {}
    yield "take", (a, [0, 5, 7]), {}
    yield "repeat", (a, 2), {}
    yield "tile", (a, (2, 1)), {}
    yield "split", (a, 2, 1), {}
    yield "polyfit", (v, b[0], 1), {}
    yield "meshgrid", (v, b[0]), {}
    yield "apply_along_axis", (np.sum, 0, a), {}


def arrays_in(object):
    if isinstance(object, np.ndarray):
        return ts.array(object)
    return [arrays_in(one) for one in object] if isinstance(object, list) else object


def check_result(name, got, want):
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for one, other in zip(got, want):
            check_result(name, one, other)
    else:
        same(got, want, 1e-5)


@test
def numpys_functions_give_arrays():
    a, b = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
    for name, args, keywords in calls(a, b):
        function = getattr(np, name)
        want = function(*args, **keywords)
        try:
            check_result(name, function(*map(arrays_in, args), **keywords), want)
        except Exception as error:
            raise AssertionError(f"np.{name} {keywords}") from error
    x = ts.asarray(a)
    assert np.allclose(x, a) is True and np.array_equal(x, a) and np.shape(x) == (3, 4) and np.ndim(x) == 2 and np.size(x) == 12
    assert np.may_share_memory(x, a) and np.result_type(x, np.float32) == np.float64 and np.iscomplexobj(x) is False
    assert np.lib.NumpyVersion(np.__version__) < "1.20.0" or type(np.zeros(3, like=x)) is ts.Array
    assert np.array2string(x[0]) == np.array2string(a[0])
    same(np.linalg.norm(x), np.linalg.norm(a))
    for got, want in zip(np.linalg.svd(x), np.linalg.svd(a)):
        same(got, want)
    same(np.fft.rfft2(x), np.fft.rfft2(a))
    out = ts.zeros(4)
    assert np.sum(x, 0, out=out) is out and np.concatenate([x[0, :2], x[1, :2]], out=out) is out
    same(out, np.concatenate([a[0, :2], a[1, :2]]))
    np.copyto(out, a[2])
    same(out, a[2])
    np.save(path("saved.npy"), x)
    np.testing.assert_array_equal(np.load(path("saved.npy")), a)


# ---- Buffers ----


@test
def memoryviews_are_those_of_numpy():
    for dtype in NUMBERS:
        for a in (np.arange(24).reshape(2, 3, 4).astype(dtype), np.arange(6).astype(dtype)[::2], np.ones((), dtype),
                  np.ones((3, 0), dtype), np.arange(6).reshape(2, 3).astype(dtype).T):
            got, want = memoryview(ts.asarray(a)), memoryview(a)
            assert (got.shape, got.format, got.itemsize, got.nbytes, got.ndim) == \
                (want.shape, want.format, want.itemsize, want.nbytes, want.ndim), dtype
            assert a.size == 0 or (got.strides == want.strides and got.contiguous == want.contiguous)
            assert not got.readonly and got.tobytes() == want.tobytes() == bytes(ts.asarray(a)) == ts.asarray(a).tobytes()
            np.testing.assert_array_equal(np.asarray(got), a)
    assert bytes(ts.asarray([5])) == np.array([5]).tobytes() and bytearray(ts.asarray([1.0, 2.0])) == np.array([1.0, 2.0]).tobytes()
    assert memoryview(ts.zeros((2,), "mat23_f32")).shape == (2, 2, 3) and memoryview(ts.zeros(2, "c16")).shape == (2, 2)


@test
def buffers_share_the_memory_and_keep_it():
    x = ts.zeros((2, 3), "f4")
    view, flat = memoryview(x), np.frombuffer(x, "f4")
    view[1, 2] = 5
    flat[0] = 3
    assert x.tolist() == [[3, 0, 0], [0, 0, 5]]
    x[0, 1] = 7
    del x
    gc.collect()
    assert view.tolist() == [[3, 7, 0], [0, 0, 5]] and flat.sum() == 15
    data = b"\0\0\0\0\0\0\x80\x3f"
    with open(path("raw"), "wb") as f:
        f.write(ts.asarray(np.frombuffer(data, "f4")))
    assert open(path("raw"), "rb").read() == data
    with open(path("raw"), "rb") as f:
        x = ts.zeros(2, "f4")
        assert f.readinto(x) == 8 and x.tolist() == [0, 1]


@test
def buffers_say_what_they_cannot_give():
    x = ts.zeros((4, 4))
    frozen = memoryview(ts.asarray(np.frombuffer(bytes(8))))
    assert frozen.readonly and not np.asarray(frozen).flags.writeable
    raises(TypeError, "read-only", frozen.__setitem__, 0, 1.0)
    raises((BufferError, ValueError), "contiguous", np.frombuffer, x[:, ::2])
    with open(path("raw"), "wb+") as f:
        raises(TypeError, "read-write", f.readinto, ts.broadcast_to(ts.zeros(1, "u8"), (1,)))
    assert bytes(x[:, ::2]) == bytes(64)


# ---- Weak references, pickle, copies ----


@test
def weak_references_end_with_what_they_refer_to():
    ts.write(path("weak.mrc"), np.ones((4, 4), "f4"), overwrite=True)
    ts.write_star(path("weak.star"), {"t": {"a": [1, 2]}}, overwrite=True)
    made = {"Array": ts.zeros(3), "op": ts.op("op f(in f32 x, out f32 y) { y = x; }"), "File": ts.open(path("weak.mrc")),
            "Star": ts.read_star(path("weak.star"))}
    ended = []
    references = {name: weakref.ref(one, lambda _, name=name: ended.append(name)) for name, one in made.items()}
    assert all(references[name]() is one for name, one in made.items())
    registry = weakref.WeakValueDictionary(made)
    assert len(registry) == 4
    made.clear()
    del registry
    gc.collect()
    assert sorted(ended) == sorted(references) and all(reference() is None for reference in references.values())


@test
def operators_are_pickled_and_copied():
    f = ts.op("op scale(in f32 x, val f32 a = 2, out f32 y) { y = x * a; }")
    for other in (pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f)):
        assert other.source == f.source and other(np.ones(3, "f4"), 3.0).tolist() == [3, 3, 3]


@test
def arrays_are_pickled_and_copied_with_their_layout():
    for dtype in NUMBERS:
        a = rng.integers(0, 2, (2, 3, 4)).astype(dtype)
        for x in (ts.asarray(a), ts.asarray(a)[:, ::-1, 1:], ts.asarray(a)[0, 0, 0], ts.asarray(a).T):
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                assert pickle.loads(pickle.dumps(x, protocol)).tolist() == x.tolist()
            twice = copy.deepcopy([x, x])
            assert twice[0] is twice[1] and twice[0].tolist() == x.tolist() and twice[0].shape == x.shape
            assert copy.copy(x).tolist() == x.tolist() and copy.copy(x).dtype == x.dtype


@test
def tables_are_pickled_and_copied():
    with open(path("p.star"), "w") as f:
        f.write("# begin\ndata_p\n\nloop_\n_rlnA #1\n_rlnB #2\n1.500000 007\n2.500000 008 # here\n")
    star = ts.read_star(path("p.star"))
    for other in (pickle.loads(pickle.dumps(star)), copy.copy(star), copy.deepcopy(star), star.copy()):
        assert type(other) is ts.Star and list(other) == ["p"]
        np.testing.assert_array_equal(other["p"]["rlnA"], [1.5, 2.5])
        ts.write_star(path("q.star"), other, overwrite=True)
        text = open(path("q.star")).read()
        assert "# begin" in text and "1.500000 007" in text and "# here" in text
    deep = copy.deepcopy(star)
    deep["p"]["rlnA"][0] = 9
    assert star["p"]["rlnA"][0] == 1.5
    made = pickle.loads(pickle.dumps(ts.Star(t={"a": np.arange(3)})))
    assert made["t"]["a"].tolist() == [0, 1, 2]


# ---- Indices ----


def random_key(shape):
    """An index of arrays, slices, integers, new axes and an ellipsis that NumPy takes."""
    common = [int(n) for n in rng.integers(1, 4, rng.integers(0, 3))]
    left, key = list(shape), []
    stop = int(rng.integers(1, len(shape) + 1))
    while left and len(shape) - len(left) < stop:
        n, kind = left[0], rng.integers(0, 8)
        if kind <= 2:
            sizes = [m if rng.integers(0, 4) else 1 for m in common[int(rng.integers(0, len(common) + 1)):]]
            index = rng.integers(-n, n, sizes)
            key.append(index.tolist() if index.ndim and rng.integers(0, 2) else index)
        elif kind == 3:
            k = min(len(left), int(rng.integers(1, 3)))
            mask = np.zeros(left[:k], bool)
            mask.reshape(-1)[rng.permutation(mask.size)[:common[-1] if common else 1]] = True
            key.append(mask)
            left[:k - 1] = []
        elif kind == 4:
            key.append(int(rng.integers(-n, n)))
        elif kind == 5:
            key.append(None)
            continue
        else:
            ends = sorted(int(i) for i in rng.integers(0, n + 1, 2))
            key.append(slice(None) if kind == 6 else slice(ends[0], ends[1], int(rng.integers(1, 3))))
        left.pop(0)
    if rng.integers(0, 3) == 0:
        key.insert(int(rng.integers(0, len(key) + 1)), Ellipsis)
    return tuple(key)


@test
def random_indices_select_what_numpy_selects():
    selected = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(4000 // SAMPLE):
            shape = tuple(int(n) for n in rng.integers(1, 5, rng.integers(1, 5)))
            a = rng.integers(0, 1000, shape)[tuple(slice(None, None, int(rng.choice([1, -1, 2]))) for _ in shape)]
            a = a.transpose(rng.permutation(a.ndim))
            key = random_key(a.shape)
            try:
                want = a[key]
            except (IndexError, ValueError, DeprecationWarning):
                continue
            if want.ndim > 4:
                raises(IndexError, "at most 4 axes", ts.asarray(a).__getitem__, key)
                continue
            selected += 1
            got = ts.asarray(a)[key]
            assert got.shape == want.shape and (got.numpy() == want).all(), (a.shape, key)
            value = rng.integers(0, 1000, want.shape if rng.integers(0, 2) else want.shape[-1:] if want.ndim else ())
            theirs, ours = a.copy(), a.copy()
            theirs[key] = value
            ts.asarray(ours)[key] = ts.asarray(value)
            assert (ours == theirs).all(), (a.shape, key, value.shape)
    assert selected > 1000 // SAMPLE


@test
def indices_of_tuples_by_example():
    a = np.arange(24).reshape(2, 3, 4)
    x = ts.asarray(a)
    for key in (np.s_[[0, 1], :, 1], np.s_[:, [2, 0]], np.s_[[0, 1], [1, 2]], np.s_[..., [3, 0]], np.s_[0, :, [1, 2]],
                np.s_[:, None, [0, 2], 1], np.s_[[[0], [1]], [0, 2]], np.s_[:, a[0, :, 0] > 0], np.s_[a[:, :, 0] > 3], np.s_[[]],
                np.s_[:, []], ((0, 1), (1, 2)), np.s_[1:, [0, 0], ::-1], np.s_[[True, False]], np.s_[:, np.zeros(3, bool), 1:]):
        same(x[key], a[key])
        same(x[tuple(ts.asarray(k) if isinstance(k, np.ndarray) else k for k in key) if isinstance(key, tuple) else key], a[key])
    x[:, [0, 2], 1] = [[7], [8]]
    assert a[0, 0, 1] == 7 and a[1, 2, 1] == 8
    x[[0, 0], [1, 1], [2, 2]] = [5, 6]
    assert a[0, 1, 2] == 6  # the last of equal places counts
    x[:, [0, 2], 1] += 1
    assert a[1, 0, 1] == 9
    x[x > 20] = 0
    assert a.max() <= 20
    complexes = ts.zeros((2, 3), "c16")
    assert complexes[[0, 1], [1, 2]].dtype == "c16" and complexes[:, [0]].shape == (2, 1)


@test
def wrong_indices_are_named():
    x = ts.zeros((2, 3))
    raises(IndexError, "index 3 is out of bounds for an axis with size 3", lambda: x[[0, 1], [0, 3]])
    raises(IndexError, "indices[0] is 3", lambda: x[:, [3]])
    raises(IndexError, "index -3 is out of bounds for an axis with size 2", lambda: x[[-3, 1], [0, 1]])
    raises(IndexError, "do not broadcast", lambda: x[[0, 1], [0, 1, 2]])
    raises(IndexError, "too many indices", lambda: x[[0], 0, 0])
    raises(IndexError, "a mask has the shape (2,); expected (3,)", lambda: x[:, [True, False]])
    raises(IndexError, "single ellipsis", lambda: x[..., [0], ...])
    raises(IndexError, "f64", lambda: x[:, [0.5]])
    raises(IndexError, "not a valid index", lambda: x["a"])
    raises(ValueError, "", x.__setitem__, ([0, 1], [0, 1]), [1, 2, 3])
    raises(ts.ReadOnlyError, "read-only", ts.broadcast_to(x, (2, 2, 3)).__setitem__, ([0], [0]), 1)


# ---- Files ----


@test
def whole_floats_stay_floats():
    tables = {"loop": {"whole": np.array([1.0, 2.0, -3.0]), "f4": np.array([1, 0, -0.0], "f4"), "part": np.array([1.0, 2.5, 3.0]),
                       "ints": np.array([1, 2, 3]), "large": np.array([1e22, 1.0, 5.0])},
              "pairs": {"one": 1.0, "two": 2, "half": 0.5}}
    ts.write_star(path("whole.star"), tables)
    again = ts.read_star(path("whole.star"))
    for label, column in tables["loop"].items():
        got = again["loop"][label]
        assert got.dtype == (np.int64 if label == "ints" else np.float64), label
        np.testing.assert_array_equal(got, column)
    assert [type(again["pairs"][label]) for label in ("one", "two", "half")] == [float, int, float]
    again["loop"]["part"] = np.array([4.0, 5.0, 6.0])
    ts.write_star(path("whole.star"), again, overwrite=True)
    once_more = ts.read_star(path("whole.star"))["loop"]
    assert once_more["part"].dtype == once_more["whole"].dtype == np.float64 and " 4.0 " in open(path("whole.star")).read()


@test
def files_are_written_without_waiting_for_the_disk():
    for name in ("s.mrc", "s.npy", "s.npz", "s.tif", "s.raw"):
        for sync in (True, False):
            ts.write(path(name), np.ones((4, 4), "f4"), sync=sync, overwrite=True)
            assert os.path.getsize(path(name)) > 0
    assert "sync=True" in ts.write.__text_signature__ and "no_sync" not in ts.write.__text_signature__ + ts.write.__doc__


# ---- The command ----


def run_module(*words, **keywords):
    environment = {**os.environ, "PYTHONPATH": os.path.join(BUILD, "python"), **keywords}
    return subprocess.run([sys.executable, "-m", "tessera", *words], env=environment, capture_output=True, text=True)


@test
def the_module_is_the_command():
    if not os.path.exists(os.path.join(BUILD, "tessera")):
        made = run_module("version", PATH="")
        assert made.returncode == 127 and "the command is not installed" in made.stderr
        return
    for words, succeeds in ((["version"], True), (["info", "missing.mrc"], False)):
        direct = subprocess.run([os.path.join(BUILD, "tessera"), *words], capture_output=True, text=True)
        made = run_module(*words)
        assert (made.returncode, made.stdout, made.stderr) == (direct.returncode, direct.stdout, direct.stderr)
        assert (made.returncode == 0) == succeeds


@test
def the_command_is_found_or_missed():
    from tessera import __main__ as command
    script, program = path("tessera"), path("bin")
    with open(script, "w") as f:
        f.write("#!/bin/sh\nexit 3\n")
    os.chmod(script, 0o755)
    assert not command._is_program(script) and not command._is_program(path("none"))
    os.makedirs(program)
    os.symlink("/bin/true", os.path.join(program, "tessera"))
    old, before = command._FOLDER, os.environ["PATH"]
    try:
        command._FOLDER = path("lib/python3/site-packages/tessera")
        os.environ["PATH"] = folder.name
        assert command.find() == os.path.join(program, "tessera")  # of the prefix
        command._FOLDER = path("elsewhere/tessera")
        assert command.find() is None
        os.environ["PATH"] = f"{folder.name}{os.pathsep}{program}"
        assert command.find() == os.path.join(program, "tessera")  # not the script in front of it
    finally:
        command._FOLDER, os.environ["PATH"] = old, before


finish()
