#!/usr/bin/env python3
"""Arrays and streams of a GPU: on the simulated CUDA of a build, or on a real one where tests/run says so. gpu.py BUILD"""
import os
import pickle
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, Skip, finish, raises, test

SIMULATED = os.path.join(BUILD, "simulated")
if "TESS_PYTHON_GPU" not in os.environ:
    os.environ["TESS_CUDA_PATH"] = SIMULATED
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    kernels = tempfile.TemporaryDirectory()
    os.environ["XDG_CACHE_HOME"] = kernels.name

import numpy as np

import tessera as ts

if ts.gpu_count() == 0:
    print("SKIPPED Python on a GPU: there is none, and no simulated one")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

a = np.arange(12, dtype=np.float32).reshape(3, 4)


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
def streams():
    x = ts.asarray(a).to("gpu:0")
    with ts.stream("gpu:0") as stream:
        y = x + 1
        assert stream.handle
        stream.synchronize()
    np.testing.assert_array_equal(y.numpy(), a + 1)
    with ts.stream("gpu:0", handle=stream.handle) as again:
        assert again.handle == stream.handle
        np.testing.assert_array_equal((x * 2).numpy(), a * 2)
    ts.synchronize("gpu:0")


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


@test
def torch_and_cupy_on_their_streams():
    try:
        import torch
    except ImportError:
        raise Skip("torch is not installed")
    if not torch.cuda.is_available() or "TESS_PYTHON_GPU" not in os.environ:
        raise Skip("torch has no GPU here")
    t = torch.arange(12, dtype=torch.float32, device="cuda").reshape(3, 4)
    got = ts.add(t, 1)
    assert isinstance(got, torch.Tensor) and got.is_cuda and torch.equal(got, t + 1)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(50):
            t = ts.mul(ts.add(t, 1.0), 0.5)
    side.synchronize()
    assert torch.allclose(t, torch.ones_like(t), atol=1e-4)


finish()
