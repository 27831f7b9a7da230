#!/usr/bin/env python3
"""The array API standard 2022.12: every name of it, and what the functions compute beside NumPy. array_api.py BUILD"""
import inspect
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, raises, test

import numpy as np

import tessera as ts
from tessera import array_api as xp

# The names of https://data-apis.org/array-api/2022.12, by its sections.
NAMES = {
    "constants": "e inf nan newaxis pi",
    "creation": "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros "
                "zeros_like",
    "data types": "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128",
    "data type functions": "astype can_cast finfo iinfo isdtype result_type",
    "elementwise": "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or "
                   "bitwise_right_shift bitwise_xor ceil conj cos cosh divide equal exp expm1 floor floor_divide greater "
                   "greater_equal imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and "
                   "logical_not logical_or logical_xor multiply negative not_equal positive pow real remainder round sign sin "
                   "sinh square sqrt subtract tan tanh trunc",
    "indexing": "take",
    "linear algebra": "matmul matrix_transpose tensordot vecdot",
    "manipulation": "broadcast_arrays broadcast_to concat expand_dims flip permute_dims reshape roll squeeze stack",
    "searching": "argmax argmin nonzero where",
    "sets": "unique_all unique_counts unique_inverse unique_values",
    "sorting": "argsort sort",
    "statistics": "max mean min prod std sum var",
    "utilities": "all any",
    "version": "__array_api_version__",
}
EXTENSIONS = {
    "linalg": "cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose outer pinv "
              "qr slogdet solve svd svdvals tensordot trace vecdot vector_norm",
    "fft": "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift",
}
ATTRIBUTES = "dtype device mT ndim shape size T"
METHODS = ("__abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__ __dlpack_device__ __eq__ __float__ "
           "__floordiv__ __ge__ __getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__ __lt__ __matmul__ __mod__ __mul__ "
           "__ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __setitem__ __sub__ __truediv__ __xor__ to_device")
ARITHMETIC = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"

# What is not here, and why; docs/python.md says the same.
MISSING = {
    "fft": "an optional extension; the functions of the module tessera have other options",
}

rng = np.random.default_rng(7)
DTYPES = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
f = rng.uniform(0.1, 0.9, (2, 3, 4))
c = f + 1j * rng.uniform(-1, 1, f.shape)
i = rng.integers(-9, 9, (2, 3, 4)).astype("i4")


def same(got, want, rtol=1e-6):
    assert type(got) is ts.Array and got.shape == np.shape(want), (got, want)
    np.testing.assert_allclose(got.numpy(), want, rtol=rtol, atol=rtol)


@test
def every_name_of_the_standard_is_here():
    wanted = " ".join(NAMES.values()).split()
    missing = [name for name in wanted if not hasattr(xp, name)]
    assert not missing, missing
    assert sorted(set(xp.__all__) - set(wanted)) == ["linalg"]
    assert sorted(set(wanted) - set(xp.__all__)) == ["__array_api_version__"]
    for name in EXTENSIONS["linalg"].split():
        assert callable(getattr(xp.linalg, name)), name
    assert sorted(name for name in EXTENSIONS if not hasattr(xp, name)) == sorted(MISSING)


@test
def every_attribute_of_arrays_is_here():
    made = [f"__{kind}{name}__" for name in ARITHMETIC.split() for kind in ("", "i", "r")]
    missing = [name for name in (ATTRIBUTES + " " + METHODS).split() + made if not hasattr(ts.Array, name)]
    assert not missing, missing
    x = ts.zeros((2, 3))
    assert x.__array_namespace__() is xp and x.__array_namespace__(api_version="2022.12") is xp
    assert xp.__array_api_version__ == "2022.12"
    raises(ValueError, "api_version is '2030.01'", x.__array_namespace__, api_version="2030.01")
    assert x.mT.shape == (3, 2) and x.T.shape == (3, 2) and x.to_device("cpu") is x and x.to_device(x.device) is x
    raises(ValueError, "mT: the array has 1 axes", lambda: ts.zeros(3).mT)
    raises(ValueError, "stream is 3", x.to_device, "cpu", stream=3)


@test
def missing_names_are_documented():
    text = open(os.path.join(os.path.dirname(__file__), "../../docs/python.md")).read()
    for name in MISSING:
        assert f"`{name}`" in text, name


@test
def signatures_are_those_of_the_standard():
    wanted = {"sum": "(x, /, *, axis=None, dtype=None, keepdims=False)", "std": "(x, /, *, axis=None, correction=0.0, keepdims=False)",
              "sort": "(x, /, *, axis=-1, descending=False, stable=True)", "take": "(x, indices, /, *, axis=None)",
              "concat": "(arrays, /, *, axis=0)", "add": "(x1, x2, /)", "exp": "(x, /)", "where": "(condition, x1, x2, /)",
              "arange": "(start, /, stop=None, step=1, *, dtype=None, device=None)", "squeeze": "(x, /, axis)",
              "eye": "(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)", "astype": "(x, dtype, /, *, copy=True)",
              "linspace": "(start, stop, /, num, *, dtype=None, device=None, endpoint=True)", "vecdot": "(x1, x2, /, *, axis=-1)",
              "asarray": "(obj, /, *, dtype=None, device=None, copy=None)", "reshape": "(x, /, shape, *, copy=None)",
              "tensordot": "(x1, x2, /, *, axes=2)", "roll": "(x, /, shift, *, axis=None)"}
    for name, signature in wanted.items():
        assert str(inspect.signature(getattr(xp, name))) == signature, name
    assert all(getattr(xp, name).__doc__ and getattr(xp, name).__name__ == name for name in xp.__all__
               if inspect.isfunction(getattr(xp, name)))


# ---- Element types ----


@test
def element_types_promote_as_in_the_standard():
    for one in DTYPES:
        for two in DTYPES:
            kinds = {np.dtype(one).kind, np.dtype(two).kind}
            if kinds in ({"i", "f"}, {"u", "f"}, {"i", "c"}, {"u", "c"}) or ("uint64" in (one, two) and kinds == {"i", "u"}):
                continue  # the standard leaves them open
            want = np.result_type(np.dtype(one), np.dtype(two))
            assert xp.result_type(getattr(xp, one), getattr(xp, two)) == want, (one, two)
            assert xp.can_cast(getattr(xp, one), getattr(xp, two)) == (want == np.dtype(two))
            assert xp.add(xp.ones(2, dtype=getattr(xp, one)), xp.ones(2, dtype=getattr(xp, two))).dtype == want
    assert xp.result_type(xp.bool, xp.bool) == "bool" and xp.result_type(ts.zeros(2, "f4"), xp.float64) == "f64"


@test
def kinds_and_limits_of_element_types():
    kinds = {"bool": "bool", "signed integer": "int8 int16 int32 int64", "unsigned integer": "uint8 uint16 uint32 uint64",
             "integral": " ".join(DTYPES[:8]), "real floating": "float32 float64", "complex floating": "complex64 complex128",
             "numeric": " ".join(DTYPES)}
    for kind, names in kinds.items():
        for name in ["bool"] + DTYPES:
            assert xp.isdtype(getattr(xp, name), kind) == (name in names.split()), (name, kind)
    assert xp.isdtype(xp.int8, (xp.int8, "bool")) and not xp.isdtype(xp.int8, xp.int16) and xp.isdtype(xp.float32, "f32")
    raises(ValueError, "kind is 'number'", xp.isdtype, xp.int8, "number")
    for name in DTYPES[:8]:
        got, want = xp.iinfo(getattr(xp, name)), np.iinfo(name)
        assert (got.bits, got.max, got.min, got.dtype) == (want.bits, want.max, want.min, getattr(xp, name))
    for name in DTYPES[8:]:
        got, want = xp.finfo(getattr(xp, name)), np.finfo(name)
        assert (got.bits, got.eps, got.max, got.min, got.smallest_normal) == \
            (want.bits, want.eps, want.max, want.min, want.smallest_normal), name
    assert xp.finfo(ts.zeros(2, "f4")).dtype == xp.float32
    raises(TypeError, "expected integers", xp.iinfo, xp.float32)
    raises(TypeError, "expected floats", xp.finfo, xp.int8)
    assert xp.astype(f, xp.float32).dtype == "f32" and xp.astype(ts.asarray(f), xp.float64, copy=False).dtype == "f64"


# ---- Functions ----


@test
def arrays_are_made():
    for args in ((5,), (2, 9), (2, 9, 3), (9, 2, -2), (2, 9, -1), (0.5, 3), (1, 2, 0.25), (-3,)):
        got = xp.arange(*args)
        same(got, np.arange(*args))
        assert got.dtype == np.arange(*args).dtype
    assert xp.arange(3, dtype=xp.float32).dtype == "f32" and xp.arange(0.0).shape == (0,)
    for keywords in ({}, {"endpoint": False}):
        for args in ((0, 1, 5), (3, -1, 4), (2, 2, 1), (0, 1, 0), (1j, 2, 3)):
            same(xp.linspace(*args, **keywords), np.linspace(*args, **keywords))
    for k in (-4, -1, 0, 2):
        same(xp.eye(3, 5, k=k, dtype=xp.float32), np.eye(3, 5, k))
        same(xp.tril(f, k=k), np.tril(f, k))
        same(xp.triu(i, k=k), np.triu(i, k))
    same(xp.eye(3), np.eye(3))
    for value, dtype in ((2, "i64"), (2.5, "f64"), (True, "bool"), (1 + 2j, "c64")):
        got = xp.full((2, 3), value)
        assert got.dtype == dtype and (got.numpy() == value).all()
    assert xp.full(3, 1, dtype=xp.uint8).dtype == "u8" and xp.full_like(f, 3).dtype == "f64" and xp.full((), 2).item() == 2
    assert xp.zeros((2, 3)).dtype == xp.ones(3).dtype == xp.empty(2).dtype == "f64"
    assert xp.zeros_like(i).dtype == xp.ones_like(i).dtype == xp.empty_like(i).dtype == "i32" and xp.ones_like(i).shape == i.shape
    for indexing in ("xy", "ij"):
        for arrays in (([1, 2, 3],), ([1, 2, 3], [4.0, 5.0]), ([1, 2], [3, 4, 5], [6, 7])):
            for got, want in zip(xp.meshgrid(*map(ts.asarray, arrays), indexing=indexing), np.meshgrid(*arrays, indexing=indexing)):
                same(got, want)
    x = ts.asarray(f)
    assert xp.asarray(x) is x and xp.asarray(x, copy=False) is x and np.may_share_memory(xp.asarray(f, copy=False), f)
    assert not np.may_share_memory(xp.asarray(f, copy=True), f) and xp.asarray([1, 2]).dtype == "i64"
    raises(ValueError, "copy is False", xp.asarray, [1, 2], copy=False)
    raises(ValueError, "copy is False", xp.asarray, x, dtype=xp.float32, copy=False)
    same(xp.from_dlpack(f), f)


@test
def functions_of_elements():
    theirs = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
              "atanh": "arctanh", "bitwise_invert": "invert", "bitwise_left_shift": "left_shift", "conj": "conj", "pow": "power",
              "bitwise_right_shift": "right_shift"}
    real_only = "atan2 floor_divide greater greater_equal less less_equal logaddexp remainder ceil floor trunc".split()
    integer = "bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor".split()
    for name in NAMES["elementwise"].split():
        ours, want = getattr(xp, name), getattr(np, theirs.get(name, name))
        two = len(inspect.signature(ours).parameters) == 2
        for a in ([i] if name in integer else [f] if name in real_only else [f, c]):
            a = a + 1 if name == "acosh" and a is f else a
            b = np.abs(a[0, 0]) + 1 if a is i else a[0]
            with np.errstate(all="ignore"):
                if name == "sign" and a is c:
                    same(ours(a), a / np.abs(a))
                else:
                    same(ours(a, b) if two else ours(a), want(a, b) if two else want(a), 1e-5)
    small = np.array([1e-12 + 1e-11j, -1e-13 + 2e-9j])
    np.testing.assert_allclose(xp.expm1(small).numpy(), np.expm1(small), rtol=1e-12)
    got, want = xp.log1p(small).numpy(), small - small ** 2 / 2  # NumPy's real parts have five digits here
    np.testing.assert_allclose(got.real, want.real, rtol=1e-12)
    np.testing.assert_allclose(got.imag, want.imag, rtol=1e-12)
    assert xp.bitwise_invert(ts.asarray([True, False])).tolist() == [False, True]
    assert xp.round(ts.asarray([0.5, 1.5, -2.5])).tolist() == [0, 2, -2] and xp.add(ts.ones(2, "f4"), 2).dtype == "f32"


@test
def shapes():
    x = ts.asarray(f)
    same(xp.concat([x, x]), np.concatenate([f, f]))
    same(xp.concat([x, i], axis=None), np.concatenate([f, i], axis=None))
    assert xp.concat([ts.zeros(2, "i1"), ts.zeros(2, "u1")]).dtype == "i16"
    same(xp.stack([x, x + 1], axis=-1), np.stack([f, f + 1], -1))
    same(xp.expand_dims(x, axis=1), f[:, None])
    same(xp.squeeze(x[:1], 0), f[0])
    same(xp.flip(x), f[::-1, ::-1, ::-1])
    same(xp.flip(x, axis=(0, 2)), np.flip(f, (0, 2)))
    same(xp.permute_dims(x, (2, 0, 1)), f.transpose(2, 0, 1))
    same(xp.matrix_transpose(x), f.swapaxes(1, 2))
    same(xp.roll(x, 2), np.roll(f, 2))
    same(xp.roll(x, (1, -1), axis=(0, 2)), np.roll(f, (1, -1), (0, 2)))
    same(xp.broadcast_to(x[0], (2, 3, 4)), np.broadcast_to(f[0], (2, 3, 4)))
    for got, want in zip(xp.broadcast_arrays(x, x[0, 0], 3.0), np.broadcast_arrays(f, f[0, 0], 3.0)):
        same(got, want)
    raises(ValueError, "", xp.broadcast_arrays, ts.zeros(2), ts.zeros(3))
    same(xp.reshape(x, (4, -1)), f.reshape(4, -1))
    assert np.may_share_memory(xp.reshape(x, (24,), copy=False), f) and not np.may_share_memory(xp.reshape(x, (24,), copy=True), f)
    raises(ValueError, "copy is False", xp.reshape, x.T, (24,), copy=False)


@test
def products():
    for shapes_of in (((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (6, 4, 2)),
                      ((4,), (2, 4, 3)), ((2, 3, 4), (4,)), ((0, 4), (4, 2)), ((3, 0), (0, 2))):
        a, b = (rng.normal(size=shape) for shape in shapes_of)
        same(xp.matmul(a, b), np.matmul(a, b))
    raises(ValueError, "no axes", xp.matmul, ts.asarray(1.0), ts.zeros(2))
    for axis in (-1, 0, 1):
        same(xp.vecdot(c, c[::-1], axis=axis), (np.conj(c) * c[::-1]).sum(axis))
    same(xp.vecdot(i, i[0]), (i * i[0]).sum(-1))
    assert xp.vecdot(i, i).dtype == "i32"
    raises(ValueError, "sizes 4 and 3", xp.vecdot, f, f[:, :, :3])
    g = rng.normal(size=(3, 4, 5))
    for a, b, axes in ((f, g, 2), (f, g, ([1], [0])), (f, f, ([0, 2], [0, 2])), (f[0], g[0, 0], 0), (f, f, 3)):
        same(xp.tensordot(a, b, axes=axes), np.tensordot(a, b, axes))
    raises(ValueError, "expected equal sizes", xp.tensordot, f, f, axes=1)
    raises(ValueError, "at most 4 axes", xp.tensordot, f, f, axes=0)


@test
def order_and_places():
    for axis in (None, 0, -1):
        same(xp.argmax(f, axis=axis), np.argmax(f, axis))
        same(xp.argmin(i, axis=axis, keepdims=True), np.argmin(i, axis, keepdims=True))
    for a in (f, i):
        same(xp.sort(a), np.sort(a))
        same(xp.sort(a, axis=0, descending=True), np.sort(a, 0)[::-1])
        same(xp.argsort(a, axis=1), np.argsort(a, 1, kind="stable"))
    ties = np.array([1, 0, 1, 0, 2])
    assert xp.argsort(ties, descending=True).tolist() == [4, 0, 2, 1, 3]
    for got, want in zip(xp.nonzero(i), np.nonzero(i)):
        same(got, want)
    raises(ValueError, "no axes", xp.nonzero, ts.asarray(1))
    same(xp.where(i > 0, f, i), np.where(i > 0, f, i))
    same(xp.take(f, ts.asarray([1, 0, 1]), axis=1), f[:, [1, 0, 1]])
    same(xp.take(f[0, 0], ts.asarray([3, 0])), f[0, 0, [3, 0]])
    raises(ValueError, "expected an axis", xp.take, f, ts.asarray([0]))


@test
def distinct_elements():
    for a in (i, i.astype("u1"), i > 0, np.round(f, 1), np.round(c, 1), np.array([]), np.array(3), np.zeros((3, 1))):
        values, indices, inverse, counts = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
        made = xp.unique_all(a)
        same(made.values, values)
        same(made.indices, indices)
        same(made.counts, counts)
        same(made.inverse_indices, inverse.reshape(a.shape))
        assert made.values.dtype == a.dtype
        same(xp.unique_values(a), values)
        assert xp.unique_counts(a)._fields == ("values", "counts")
        assert xp.unique_inverse(a)._fields == ("values", "inverse_indices")
    made = xp.unique_all(np.array([np.nan, 1.0, np.nan, 1.0]))
    assert made.counts.tolist() == [2, 1, 1] and made.values.tolist()[0] == 1 and all(map(math.isnan, made.values.tolist()[1:]))


@test
def sums_and_truth():
    for name in "sum prod mean max min std var all any".split():
        ours, theirs = getattr(xp, name), getattr(np, name)
        for a in (f, i):
            for keywords in ({}, {"axis": 0}, {"axis": (0, 2)}, {"axis": -1, "keepdims": True}, {"axis": ()}):
                same(ours(a, **keywords), theirs(a, **keywords), 1e-5)
    assert xp.sum(i).dtype == "i64" and xp.sum(i.astype("u1")).dtype == "u64" and xp.sum(f.astype("f4")).dtype == "f32"
    assert xp.sum(i, dtype=xp.float32).dtype == "f32" and xp.prod(i.astype("i1"), dtype=xp.int8).dtype == "i8"
    for correction in (1, 0.5):
        want = np.sqrt(((f - f.mean(1, keepdims=True)) ** 2).sum(1) / (3 - correction))
        same(xp.std(f, axis=1, correction=correction), want)
        same(xp.var(f, axis=1, correction=correction, keepdims=True), (want ** 2)[:, None])
    assert xp.all(ts.zeros((0,))).item() is True and xp.any(ts.zeros((0,))).item() is False and xp.sum(ts.zeros((2, 0))).item() == 0


@test
def functions_work_with_the_namespace_alone():
    def standardised(x):
        namespace = x.__array_namespace__()
        return (x - namespace.mean(x, axis=-1, keepdims=True)) / namespace.std(x, axis=-1, keepdims=True)
    same(standardised(ts.asarray(f)), (f - f.mean(-1, keepdims=True)) / f.std(-1, keepdims=True))


finish()
