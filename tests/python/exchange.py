#!/usr/bin/env python3
"""Arrays of others in and out without a copy: DLPack, array interfaces, buffers, torch where it is. exchange.py BUILD"""
import array
import gc
import os
import sys
import weakref

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import Skip, finish, raises, test

import numpy as np

import tessera as ts


def address(a):
    return a.__array_interface__["data"][0]


@test
def dlpack_to_and_from_numpy():
    if not hasattr(np, "from_dlpack"):
        raise Skip(f"NumPy {np.__version__} has no DLPack")
    for dtype in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split():
        a = np.arange(12).astype(dtype).reshape(3, 4)[::-1, ::2]
        x = ts.from_dlpack(a)
        assert x.shape == a.shape and x.strides == a.strides and address(x) == address(a)
        back = np.from_dlpack(x)
        assert address(back) == address(a) and back.dtype == a.dtype
        np.testing.assert_array_equal(back, a)
        del a, x
        gc.collect()
        assert back.sum() == back.copy().sum()


@test
def both_forms_of_capsules():
    x = ts.zeros((2, 3))
    assert '"dltensor"' in repr(x.__dlpack__()) and '"dltensor_versioned"' in repr(x.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(x.__dlpack__(max_version=(0, 8)))
    assert x.__dlpack_device__() == (1, 0)
    broadcast = ts.asarray(np.broadcast_to(np.ones(3), (2, 3)))
    raises(ts.ReadOnlyError, "__dlpack__: a is read-only, which this kind of tensor cannot express; ask for max_version=(1, 0)",
           broadcast.__dlpack__)
    broadcast.__dlpack__(max_version=(1, 0))
    raises(TypeError, "max_version is 1; expected a tuple of two integers", x.__dlpack__, max_version=1)
    raises(TypeError, "dl_device is 1; expected a tuple", x.__dlpack__, dl_device=1)
    raises(BufferError, "on another device", x.__dlpack__, dl_device=(2, 0))
    x.__dlpack__(dl_device=(1, 0), copy=False)
    x.__dlpack__(dl_device=(1, 0), copy=True, stream=None)


class Producer:
    """Only __dlpack__, of the versioned or of the old form."""

    def __init__(self, source, versioned):
        self.source, self.versioned, self.asked = source, versioned, []

    def __dlpack__(self, **keywords):
        if not self.versioned and "max_version" in keywords:
            raise TypeError("unexpected max_version")
        self.asked.append(keywords)
        return self.source.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return (1, 0)


class OldProducer(Producer):
    pass


@test
def producers_of_both_forms():
    for kind, versioned in ((Producer, True), (OldProducer, False)):
        source = ts.asarray(np.arange(6.0).reshape(2, 3))
        p = kind(source, versioned)
        x = ts.asarray(p)
        assert address(x) == address(source) and x.shape == (2, 3)
        assert p.asked[-1].get("max_version") == ((1, 1) if versioned else None)
        assert float(ts.sum(x)) == 15


class Exhausted:
    def __init__(self):
        self.capsule = ts.zeros(3).__dlpack__()

    def __dlpack__(self, **keywords):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


@test
def capsules_are_taken_once():
    e = Exhausted()
    ts.asarray(e)
    raises(ValueError, "", ts.asarray, e)
    class Wrong:
        def __dlpack__(self, **keywords):
            return 5
        def __dlpack_device__(self):
            return (1, 0)
    raises(ValueError, "", ts.asarray, Wrong())


@test
def memory_lives_as_long_as_its_views():
    class Owner(np.ndarray):
        pass
    a = np.arange(6.0).view(Owner)
    gone = weakref.ref(a)
    x = ts.asarray(a)
    part = x[2:4]
    back = np.asarray(part)
    del a, x, part
    gc.collect()
    assert gone() is not None and back.tolist() == [2, 3]
    del back
    gc.collect()
    assert gone() is None


@test
def buffers():
    numbers = array.array("d", [1, 2, 3])
    x = ts.asarray(numbers)
    x += 1
    assert list(numbers) == [2, 3, 4]
    raises(BufferError, "", numbers.append, 5)
    del x
    numbers.append(5)
    for code in "bBhHiIlLqQfd":
        assert ts.asarray(array.array(code, [1, 2])).tolist() == [1, 2]
    assert isinstance(ts.add(numbers, 1), ts.Array)
    assert ts.asarray(b"ab").tolist() == [97, 98] and ts.asarray(b"ab").read_only
    raises(ts.ReadOnlyError, "read-only", ts.fill, b"ab", 1)
    image = memoryview(bytearray(range(12))).cast("B", (3, 4))
    assert ts.asarray(image).shape == (3, 4) and ts.asarray(image)[1, 2].item() == 6
    raises(TypeError, "of the format '3s'", ts.asarray, memoryview(np.zeros(2, "S3")))


@test
def only_the_array_interface_struct():
    class Holder:
        def __init__(self, a):
            self.a = a
        @property
        def __array_struct__(self):
            return self.a.__array_struct__
    a = np.arange(6.0).reshape(2, 3)
    assert address(ts.asarray(Holder(a))) == address(a)
    assert type(ts.add(Holder(a), 1)) is np.ndarray
    class Table:
        def __array__(self):
            return np.arange(3)
    assert ts.sum(Table()) == 3
    class Bad:
        __array_struct__ = 5
    raises(ValueError, "", ts.asarray, Bad())


@test
def cuda_interfaces_need_a_gpu():
    class OnDevice:
        def __init__(self, **fields):
            self.__cuda_array_interface__ = fields
    good = dict(shape=(2, 3), typestr="<f4", data=(4096, False), version=3)
    raises(ts.DeviceError, "", ts.asarray, OnDevice(**good))
    for field, value in (("shape", 5), ("shape", (1,) * 5), ("typestr", ">f4"), ("typestr", "<M8"), ("typestr", 3), ("data", 1),
                         ("strides", (1, 1)), ("strides", (4,))):
        raises(ValueError, "__cuda_array_interface__ of object", ts.asarray, OnDevice(**{**good, field: value}))
    raises(ValueError, "the dict", ts.asarray, type("C", (), {"__cuda_array_interface__": 3})())


@test
def byte_orders_and_alignment():
    a = np.arange(6, dtype="f8").reshape(2, 3)
    swapped = a.astype(">f8")
    np.testing.assert_array_equal(ts.add(swapped, 1), a + 1)
    assert ts.add(swapped, 1).dtype == np.dtype("=f8")
    raw = np.zeros(49, np.uint8)[1:].view("f8")
    raw[...] = np.arange(6)
    assert not raw.flags.aligned
    np.testing.assert_array_equal(ts.add(raw, 1), np.arange(6) + 1.0)
    packed = np.zeros(4, np.dtype([("flag", "u1"), ("x", "f4")]))["x"]
    packed[...] = [1, 2, 3, 4]
    np.testing.assert_array_equal(ts.add(packed, 1), [2, 3, 4, 5])
    for out in (swapped, raw.reshape(2, 3)):
        raises(ValueError, "add: out is byte-swapped or not aligned", ts.add, a, 1, out=out)
    raises(ValueError, "fill: out is byte-swapped", ts.fill, swapped, 1)


@test
def types_that_there_are_not():
    for a in (np.zeros(2, "M8[s]"), np.array(["a"]), np.array([None]), np.zeros(2, "g"), np.zeros(2, [("a", "f4")])):
        if a.dtype.itemsize == 8 and a.dtype.kind == "f":
            continue  # long double is double
        raises(TypeError, "add: x has elements of NumPy kind", ts.add, a, 1)
    raises(TypeError, "add: x is of type <class 'object'>", ts.add, object(), 1)
    raises(TypeError, "add: x is of type <class 'str'>", ts.add, "abc", 1)
    raises(TypeError, "add: x is of type <class 'dict'>", ts.add, {}, 1)
    raises(TypeError, "add: x is of type <class 'type'>", ts.add, np.ndarray, 1)


@test
def torch_without_a_copy():
    try:
        import torch
    except ImportError:
        raise Skip("torch is not installed")
    t = torch.arange(6, dtype=torch.float32).reshape(2, 3).T
    x = ts.asarray(t)
    assert address(x) == t.data_ptr() and x.shape == (3, 2)
    got = ts.add(t, 1)
    assert isinstance(got, torch.Tensor) and torch.equal(got, t + 1)
    out = torch.empty(3, 2)
    assert ts.mul(t, 2, out=out) is out and torch.equal(out, t * 2)
    assert isinstance(ts.sum(t, 0), torch.Tensor) and ts.sum(t).item() == 15
    assert torch.equal(x.torch(), t) and x.torch().data_ptr() == t.data_ptr()
    assert ts.zeros(3, torch.float16).dtype == "f16" and ts.add(t, np.ones(2, np.float32)).shape == (3, 2)
    made = ts.ones((2, 2))
    tensor = made.torch()
    del made
    assert tensor.sum() == 4
    raises(ts.Error, "", ts.add, t.to(torch.bfloat16), 1)
    raises(Exception, "grad", ts.add, torch.ones(2, requires_grad=True), 1)


finish()
