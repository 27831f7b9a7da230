#!/usr/bin/env python3
"""Arrays and streams of a GPU: on the simulated CUDA of a build, or on a real one where tests/run says so. gpu.py BUILD"""
import gc
import os
import pickle
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, SAMPLE, Skip, finish, raises, test
from packages import REAL, Cupy, StandIn, Torch

SIMULATED = os.path.join(BUILD, "simulated")
if "TESS_PYTHON_GPU" not in os.environ:
    os.environ["TESS_CUDA_PATH"] = SIMULATED
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    kernels = tempfile.TemporaryDirectory()
    os.environ["XDG_CACHE_HOME"] = kernels.name

import numpy as np

import job_cases
import tessera as ts

if ts.gpu_count() == 0:
    print("SKIPPED Python on a GPU: there is none, and no simulated one")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

a = np.arange(12, dtype=np.float32).reshape(3, 4)


@test
def lists_and_composed_functions_follow_the_array():
    x, k = ts.asarray(a).to("gpu:0"), ts.arange(4, dtype="i64").to("gpu:0")
    for made, want in ((ts.add(x, [1, 2, 3, 4]), a + [1, 2, 3, 4]), (ts.concatenate([[1, 2], k]), [1, 2, 0, 1, 2, 3]),
                       (ts.mul([2.0] * 4, x), 2 * a), (ts.take(x, [5, 2]), a.ravel()[[5, 2]]), (x @ [1, 0, 0, 2], a @ [1, 0, 0, 2]),
                       (ts.diff(x, prepend=0), np.diff(a, prepend=0)), (ts.interp([0.5, 2], k, k), [0.5, 2]),
                       (ts.searchsorted(k, [1.5]), [2]), (ts.rfft(k), np.fft.rfft(np.arange(4))), (ts.repeat(k, [1, 0, 2, 0]), [0, 2, 2]),
                       (ts.round(x / 2), np.round(a / 2)), (ts.where(k > 1, 1, 0), [0, 0, 1, 1]),
                       (ts.linalg.multi_dot([x, x.T, x]), a @ a.T @ a), (ts.full(2, 7, device="gpu:0"), [7, 7]),
                       (ts.linalg.cond(ts.stack([x[:2, :2], x[:2, :2] * 0]), 1), np.linalg.cond([a[:2, :2], a[:2, :2] * 0], 1)),
                       (ts.bincount(k), [1] * 4), (ts.trace(x), np.trace(a)),
                       (ts.stack([x, x * 2]), np.stack([a, a * 2])), (ts.mean([x, x], axis=0), a), (ts.histogram(x, 3)[1], [0, 11 / 3, 22 / 3, 11])):
        assert made.device == "gpu:0", made
        np.testing.assert_allclose(made.numpy(), want, rtol=1e-6, atol=1e-6)


@test
def arrays_go_there_and_back():
    x = ts.asarray(a).to("gpu:0")
    assert x.device == "gpu:0" and x.shape == (3, 4) and "device='gpu:0'" in repr(x)
    np.testing.assert_array_equal(x.numpy(), a)
    np.testing.assert_array_equal(np.asarray(x), a)
    np.testing.assert_array_equal(np.asarray(x[1:, ::2], dtype=np.float64), a[1:, ::2])
    assert x.to("gpu:0") is x and x.to("cpu").device == "cpu"
    assert ts.to_device(a, "gpu:0").device == "gpu:0"
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)).numpy(), a)
    assert float(x[2, 3]) == 11 and x.tolist() == a.tolist()
    raises(AttributeError, "on a GPU", lambda: x.__array_interface__)


@test
def work_stays_there():
    x = ts.asarray(a).to("gpu:0")
    for got, want in ((x + 1, a + 1), (x * x, a * a), (ts.sum(x, 0), a.sum(0)), (ts.exp(-x), np.exp(-a)), (x > 3, a > 3)):
        assert got.device == "gpu:0"
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)
    x += 2
    np.testing.assert_array_equal(x.numpy(), a + 2)
    x[1] = 0
    assert x[1].numpy().sum() == 0
    raises(ts.DeviceError, "", ts.add, x, a)


@test
def devices_of_new_arrays():
    with ts.device("gpu:0"):
        assert ts.zeros((2, 2)).device == "gpu:0" and ts.random_normal((4,), 0, 1, 2).device == "gpu:0"
        with ts.device("cpu"):
            assert ts.zeros(1).device == "cpu"
        assert ts.ones(1).device == "gpu:0"
    assert ts.zeros(1).device == "cpu" and ts.zeros(1, device="gpu").device == "gpu:0"


@test
def numpys_functions_leave_arrays_there():
    x, y = ts.asarray(a).to("gpu:0"), ts.asarray(a * 2).to("gpu:0")
    for got, want in ((np.sin(x), np.sin(a)), (np.add(x, y), 3 * a), (np.add.reduce(x), a.sum(0)), (np.mean(x, axis=1), a.mean(1)),
                      (np.concatenate([x, y]), np.concatenate([a, 2 * a])), (np.where(x > 3, x, y), np.where(a > 3, a, 2 * a)),
                      (np.float32(2) * x, 2 * a), (x * np.float64(2), 2 * a), (x > np.int32(3), a > 3), (np.transpose(x), a.T)):
        assert type(got) is ts.Array and got.device == "gpu:0"
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)
    raises(TypeError, "np.convolve: the array is on gpu:0", np.convolve, x[0], x[0])
    raises(TypeError, "np.spacing: the array is on gpu:0", np.spacing, x)
    raises(BufferError, "on a GPU", memoryview, x)
    namespace = x.__array_namespace__()
    for got, want in ((namespace.sum(x, axis=0), a.sum(0)), (namespace.tril(x), np.tril(a)), (namespace.matmul(x, y[0]), a @ (2 * a[0])),
                      (namespace.unique_values(x), np.unique(a)), (namespace.full_like(x, 2), a * 0 + 2)):
        assert got.device == "gpu:0"
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)


@test
def indices_of_tuples():
    x, b = ts.asarray(np.array(a)).to("gpu:0"), a.copy()
    for key in (np.s_[[0, 2], 1:], np.s_[:, [3, 0]], np.s_[[0, 1], [1, -1]], np.s_[[[0], [2]], [1, 3]], np.s_[:, a[0] > 1], np.s_[None, [1]]):
        got = x[key]
        assert got.device == "gpu:0"
        np.testing.assert_array_equal(got.numpy(), b[key])
        x[key] = b[key] = 7
        np.testing.assert_array_equal(x.numpy(), b)
    raises(IndexError, "index 4 is out of bounds", lambda: x[[0, 1], [0, 4]])


@test
def indices_and_shapes_as_in_numpy():
    x = ts.asarray(a).to("gpu:0")
    for got, want in ((x[x > 3], a[a > 3]), (x[a > 3], a[a > 3]), (x[[2, 0]], a[[2, 0]]), (ts.flip(x), a[::-1, ::-1]),
                      (ts.sort(x, axis=None), a.ravel()), (ts.quantile(x, [0, 1], 0), np.quantile(a, [0, 1], 0)),
                      (ts.zeros_like(x), a * 0), (ts.full_like(x, 3), a * 0 + 3), (ts.roll(x, 1, 0), np.roll(a, 1, 0)),
                      (ts.sum(x, 0, dtype="f64"), a.sum(0)), (ts.pad(x, 1, mode="edge"), np.pad(a, 1, mode="edge"))):
        assert got.device == "gpu:0"
        np.testing.assert_array_equal(got.numpy(), want)
    x[x > 3] = 0
    x[[0]] = 9
    np.testing.assert_array_equal(x.numpy(), np.where(a > 3, 0, a) * [[0], [1], [1]] + [[9], [0], [0]])
    assert list(x[0]) == [9.0] * 4 and x.item(1, 2) == 0 and ts.asarray(a, "f64", "gpu:0").dtype == "f64"


@test
def streams():
    x = ts.asarray(a).to("gpu:0")
    with ts.stream("gpu:0") as stream:
        y = x + 1
        assert stream.handle
        stream.synchronize()
    np.testing.assert_array_equal(y.numpy(), a + 1)
    for handle in (stream, stream.handle):
        with ts.stream("gpu:0", handle=handle) as again:
            assert again.handle == stream.handle
            np.testing.assert_array_equal((x * 2).numpy(), a * 2)
        del again
    del stream, handle  # arrays outlive their streams
    np.testing.assert_array_equal((y + x).numpy(), 2 * a + 1)
    ts.synchronize("gpu:0")


@test
def owners_of_streams_live_as_long_as_they():
    x = ts.asarray(a).to("gpu:0")
    owner = ts.stream("gpu:0")
    with ts.stream("gpu:0", owner) as stream:
        del owner
        y = x + 1
    np.testing.assert_array_equal(y.numpy(), a + 1)
    del stream
    raises(TypeError, "", ts.stream, "gpu:0", "stream")


@test
def interfaces_of_cuda():
    x = ts.asarray(a).to("gpu:0")
    told = x[:, ::2].__cuda_array_interface__
    assert told["shape"] == (3, 2) and told["typestr"] == "<f4" and told["strides"] == (16, 8) and told["version"] == 3

    class Holder:
        """As Numba's arrays: an interface and nothing else."""

        def __init__(self, source):
            self.source, self.__cuda_array_interface__ = source, source.__cuda_array_interface__
    assert told["stream"] and told["data"][1] is False
    y = ts.asarray(Holder(x[:, ::2]))
    assert y.device == "gpu:0"
    np.testing.assert_array_equal(y.numpy(), a[:, ::2])
    np.testing.assert_array_equal(ts.add(Holder(x), 1).numpy(), a + 1)


@test
def dlpack_on_a_gpu():
    x = ts.asarray(a).to("gpu:0")
    assert x.__dlpack_device__() == (2, 0)
    asked = []

    class Producer:
        def __dlpack__(self, stream=None, max_version=None):
            asked.append(stream)
            return x.__dlpack__(max_version=max_version)

        def __dlpack_device__(self):
            return (2, 0)
    y = ts.from_dlpack(Producer())
    assert y.device == "gpu:0" and asked[0] and asked[0] > 0
    np.testing.assert_array_equal(y.numpy(), a)
    assert x.__dlpack__(dl_device=(1, 0)) is not None
    raises(BufferError, "on another device", x.__dlpack__, dl_device=(1, 0), copy=False)
    raises(BufferError, "on another device", x.__dlpack__, dl_device=(2, 7))
    del x, asked
    np.testing.assert_array_equal((y + 1).numpy(), a + 1)


# ---- Packages with streams of their own ----

def pointer(x):
    """The address of an Array's elements on the GPU."""
    return x.__cuda_array_interface__["data"][0]


def without_a_copy(p):
    t = p.arange(12).reshape(3, 4)
    for part in (t, t[1:, ::2], t.T):
        x = ts.asarray(part)
        assert x.device == "gpu:0" and x.shape == tuple(part.shape) and pointer(x) == p.address(part)
        np.testing.assert_array_equal(x.numpy(), p.host(part))
        got = ts.add(part, 1)
        assert isinstance(got, p.kind) and got.device == part.device and tuple(got.shape) == tuple(part.shape)
        np.testing.assert_array_equal(p.host(got), p.host(part) + 1)
    x = ts.asarray(a).to("gpu:0")
    for back, offset in ((p.from_dlpack(x), 0), (p.from_interface(x), 0), (p.from_dlpack(x[1:, ::2]), 16)):
        assert isinstance(back, p.kind) and p.address(back) == pointer(x) + offset
    np.testing.assert_array_equal(p.host(p.from_dlpack(x[1:, ::2])), a[1:, ::2])
    p.from_dlpack(x)[0, 0] = 99  # the same memory
    ts.synchronize("gpu:0")
    p.host(t)
    assert x.numpy()[0, 0] == 99
    out = p.empty((3, 4))
    before = p.address(out)
    assert ts.mul(t, 2, out=out) is out and p.address(out) == before
    np.testing.assert_array_equal(p.host(out), a * 2)
    assert isinstance(ts.sum(t, 0), p.kind) and float(ts.sum(t)) == 66
    twice = ts.op("op twice(in f32 x, out f32 y) { y = 2 * x; }")
    got = twice(t)
    assert isinstance(got, p.kind)
    np.testing.assert_array_equal(p.host(got), a * 2)
    assert twice(t, out=out) is out
    keep = p.from_dlpack(ts.ones((64, 64), "f32", "gpu:0"))  # which lives on when the Array is gone
    assert p.host(keep).sum() == 64 * 64
    raises(ts.DeviceError, "", ts.add, t, a)


def on_the_streams_of(p):
    """Work goes between that before it and that behind it on the stream, without waiting for either."""
    side = p.new_stream()
    twice = ts.op("op twice(in f32 x, out f32 y) { y = 2 * x; }")
    with p.using(side):
        t, out, later = p.arange(1 << 16), p.empty(1 << 16), p.empty(1 << 16)
        t[...] = 1
        later[...] = t  # CUDA loads a kernel when it is first needed, and may wait for all work then
        p.host(later)
        for function, want in ((lambda: ts.add(t, 1, out=out), 6), (lambda: twice(t, out=out), 10)):
            function()  # its kernel is compiled now
            p.host(out)
            p.be_slow()
            t[...] = 5
            assert function() is out
            assert not p.is_done(side), "the call waited, or the work before was too short"
            later[...] = out
            t[...] = 0
            assert set(p.host(later)) == {want}
        p.be_slow()
        t[...] = 7
        got = ts.add(t, 1)  # an array of the package's, ready for its stream
        t[...] = 0
        got += 1
        assert set(p.host(got)) == {9}
    with p.using(side):
        p.be_slow()
        t[...] = 3
        x = ts.asarray(t)  # an Array is ready for the library's stream
        assert float(ts.max(x)) == 3 and set((x + 1).numpy()) == {4}
        ours = ts.full(1 << 16, 2, "f32", "gpu:0") * 3
        p.be_slow()
        t[...] = 1
        assert set(p.host(ts.add(t, ours))) == {7}
        ts.add(t, ours, out=ours)  # from their stream to ours
        assert set((ours + 1).numpy()) == {8}
        p.be_slow()
        t[...] = 4
        before = ours * 1
        ts.mul(t, 2, out=ours)  # behind what reads it, and before what does later
        after = ours + 1
        assert set(before.numpy()) == {7} and set(after.numpy()) == {9}


def streams_given_by_hand(p):
    side = p.new_stream()
    x = ts.asarray(a).to("gpu:0")
    with ts.stream("gpu:0", handle=side) as stream:
        assert stream.handle == p.handle(side)
        y = x * 2
        with p.using(side):
            np.testing.assert_array_equal(p.host(p.from_dlpack(y)), a * 2)
    for number in (None, -1, 1, 2, p.handle(side)):
        for version in (None, (1, 0)):
            x.__dlpack__(stream=number, max_version=version)
    with p.using(side):
        t = p.arange(12)
        p.be_slow()
        t += 1
        with ts.stream("gpu:0") as own:  # which the producer orders its work before
            z = ts.from_dlpack(t) * 1
            own.synchronize()
        np.testing.assert_array_equal(z.numpy(), np.arange(12) + 1)


def streams_that_end(p):
    """The library has nothing left on a stream that is gone."""
    made = []
    for i in range(40):
        side = p.new_stream()
        with p.using(side):
            made.append(ts.add(p.arange(100), i))
        del side
    gc.collect()
    for i, t in enumerate(made):
        assert float(ts.max(t)) == 99 + i
    del made, t
    gc.collect()
    x = ts.asarray(a).to("gpu:0")
    np.testing.assert_array_equal((x + 1).numpy(), a + 1)


maps = np.random.default_rng(1).normal(size=(2, 8, 8, 8)).astype(np.float32) + np.arange(8, dtype=np.float32)
options = {"radius": 3, "soft": 1, "step": 4, "pixel_size": 1.5, "no_correct": True}


def jobs_of(p):
    """A job computes where the arrays are, and its arrays are of their kind."""
    want = ts.jobs.local_resolution(*maps, **options)
    side = p.new_stream()
    with p.using(side):
        halves = [p.empty((8, 8, 8)) for _ in maps]
        p.be_slow()
        for half, values in zip(halves, maps):
            half[...] = p.from_dlpack(ts.asarray(values).to("gpu:0"))
        made = ts.jobs.local_resolution(*halves, **options)
        assert isinstance(made.map, p.kind) and made.box == want.box
        np.testing.assert_allclose(p.host(made.map), want.map, rtol=1e-4)


@test
def jobs_on_a_gpu():
    want = ts.jobs.local_resolution(*maps, **options)
    there = [ts.asarray(half).to("gpu:0") for half in maps]
    with ts.device("gpu:0"):
        under = ts.jobs.local_resolution(*maps, **options)
    for made, device in ((ts.jobs.local_resolution(*there, **options), "gpu:0"), (under, "cpu"),
                         (ts.jobs.local_resolution(*there, device="cpu", **options), "gpu:0"),
                         (ts.jobs.local_resolution(*maps, device="gpu:0", **options), "cpu")):
        assert ts.asarray(made.map).device == device and made.map.shape == (8, 8, 8)
        np.testing.assert_allclose(ts.asarray(made.map).numpy(), want.map, rtol=1e-4)
    raises(ts.CancelledError, "", ts.jobs.local_resolution, *there, progress=lambda *told: True, **options)


def near(made, want):
    """Sums of a GPU have another order: arrays differ by a part of their largest value, numbers by as much of themselves. What is
    counted, or chosen among many, is the same."""
    for name, there in vars(want).items():
        here = vars(made)[name]
        if hasattr(there, "shape") or isinstance(there, ts.jobs.Table):
            here, there = (np.asarray(x if isinstance(x, ts.jobs.Table) else ts.asarray(x).numpy(), np.float64) for x in (here, there))
            assert here.squeeze().shape == there.squeeze().shape, name
            off, largest = abs(here.ravel() - there.ravel()), np.nanmax(abs(there), initial=0)
            assert np.array_equal(np.isnan(here.ravel()), np.isnan(there.ravel())), name
            assert np.nanmax(off, initial=0) <= 1e-4 * largest, (name, np.nanmax(off), largest)
        elif isinstance(there, float):
            assert here == there or abs(here - there) <= 1e-4 * abs(there), (name, here, there)
        else:
            assert here == there, (name, here, there)


@test
def every_job_on_a_gpu():
    """From arrays that are there, and by `device=`; results are where the first array is. A simulated GPU is slow: with
    TESS_TEST_SAMPLE=1 it runs all jobs, otherwise a part of them."""
    some = slice(None, None, 1 if REAL else (SAMPLE + 1) // 2)
    with tempfile.TemporaryDirectory() as folder:
        job_cases.write_files(folder)
        for case in job_cases.CASES[some]:
            want = case.on_arrays()
            try:
                near(case.on_arrays(device="gpu:0"), want)
                there = case.on_arrays(lambda x: ts.asarray(x).to("gpu:0"))
                near(there, want)
            except AssertionError as error:
                raise AssertionError(f"{case.job}: {error}") from error
            if case.job != "render_eer":
                assert {v.device for v in vars(there).values() if isinstance(v, ts.Array)} <= {"gpu:0"}, case.job


@test
def memory_of_strangers_is_ready():
    """Of an array interface, and of packages whose streams are not known, work is done when a call returns."""
    try:
        p = StandIn()
    except Skip:
        p = None  # a real GPU: without a driver that is late, only the values are looked at

    class Holder:
        def __init__(self, x):
            self.__cuda_array_interface__ = x.__cuda_array_interface__

    class Package:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, stream=None, max_version=None):
            return p.idly(lambda: self.x.__dlpack__(max_version=max_version)) if p else self.x.__dlpack__(max_version=max_version)

        def __dlpack_device__(self):
            return (2, 0)
    twice = ts.op("op twice(in f32 x, out f32 y) { y = 2 * x; }")
    for kind in (Holder, Package):
        for work in (lambda x, out: ts.mul(x, 2, out=out), lambda x, out: twice(x, out=out)):
            x, y = ts.asarray(a).to("gpu:0"), ts.zeros((3, 4), "f32", "gpu:0")
            ts.synchronize("gpu:0")
            work(x, kind(y))
            assert not p or p.queued() == 0
            np.testing.assert_array_equal(y.numpy(), 2 * a)
            work(kind(x), y)
            assert not p or p.queued() == 0 or kind is Package  # whose memory lives as long as the work
            np.testing.assert_array_equal(y.numpy(), 2 * a)


for kind in (Torch, Cupy, StandIn):
    for check in (without_a_copy, on_the_streams_of, streams_given_by_hand, streams_that_end, jobs_of):
        def with_package():
            check(kind())
        with_package.__name__ = f"{kind.__name__.lower()}_{check.__name__}"
        test(with_package)


finish()
