"""Packages with arrays and streams on a GPU, as tests need them: torch, CuPy, and a stand-in for CuPy on a simulated GPU."""
import ctypes
import os
import sys
import threading
import types

from check import BUILD, Skip

REAL = "TESS_PYTHON_GPU" in os.environ


def needed(name):
    if not REAL:
        raise Skip(f"{name} needs a real GPU; the one here is simulated")
    try:
        return __import__(name)
    except ImportError:
        raise Skip(f"{name} is not installed")


class Torch:
    def __init__(self):
        self.module = needed("torch")
        if not self.module.cuda.is_available():
            raise Skip(f"torch {self.module.__version__} finds no GPU")
        self.from_dlpack = self.module.from_dlpack
        self.kind = self.module.Tensor

    def arange(self, n):
        return self.module.arange(n, dtype=self.module.float32, device="cuda")

    def empty(self, shape):
        return self.module.empty(shape, dtype=self.module.float32, device="cuda")

    def from_interface(self, x):
        return self.module.as_tensor(x, device="cuda")

    def address(self, t):
        return t.data_ptr()

    def host(self, t):
        return t.cpu().numpy()

    def new_stream(self):
        return self.module.cuda.Stream()

    def using(self, stream):
        return self.module.cuda.stream(stream)

    def handle(self, stream):
        return stream.cuda_stream

    def is_done(self, stream):
        return stream.query()

    def be_slow(self):
        self.module.cuda._sleep(400_000_000)  # cycles: about a quarter of a second


class Cupy:
    def __init__(self):
        self.module = needed("cupy")
        try:
            self.module.cuda.runtime.getDeviceCount()
        except Exception as error:
            raise Skip(f"CuPy {self.module.__version__} finds no GPU: {error}")
        self.from_dlpack = self.module.from_dlpack
        self.kind = self.module.ndarray
        self.work = self.module.ones((8192, 8192), self.module.float32)

    def arange(self, n):
        return self.module.arange(n, dtype=self.module.float32)

    def empty(self, shape):
        return self.module.empty(shape, self.module.float32)

    def from_interface(self, x):
        return self.module.asarray(x)

    def address(self, t):
        return t.data.ptr

    def host(self, t):
        return self.module.asnumpy(t)

    def new_stream(self):
        return self.module.cuda.Stream(non_blocking=True)

    def using(self, stream):
        return stream

    def handle(self, stream):
        return stream.ptr

    def is_done(self, stream):
        return stream.done

    def be_slow(self):
        for _ in range(15):
            self.module.matmul(self.work, self.work)


class StandIn:
    """The part of CuPy that the module asks for, over arrays of the library's and streams of the simulated driver.

    The driver is told to do its work as late as may be: what is not ordered reads what was there before.
    """

    def __init__(self):
        if REAL:
            raise Skip("the GPU is a real one")
        import tessera as ts
        self.ts = ts
        self.driver = ctypes.CDLL(os.path.join(BUILD, "simulated", "libcuda.so.1"))
        self.driver.sim_lazy(1)
        package, self.current = types.ModuleType("cupy"), []
        package.cuda = types.ModuleType("cupy.cuda")
        package.cuda.get_current_stream = lambda device_id: self.current[-1]
        self.kind = self.make_kind()
        self.kind.__module__ = "cupy"
        package.from_dlpack = self.from_dlpack = self.from_capsule
        sys.modules.update({"cupy": package, "cupy.cuda": package.cuda})
        self.current.append(self.new_stream())

    def on_stream(self, work):
        with self.ts.stream("gpu:0", handle=self.current[-1].ptr):
            return work()

    def idly(self, work):
        """On a thread whose current stream is empty: an export waits for nothing."""
        made = []

        def run():
            with self.ts.stream("gpu:0"):
                made.append(work())
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        return made[0]

    def from_capsule(self, x):
        capsule = x.__dlpack__(stream=self.current[-1].ptr, max_version=(1, 0))

        class Taken:
            def __dlpack__(self, **keywords):
                return capsule

            def __dlpack_device__(self):
                return (2, 0)
        return self.kind(self.ts.from_dlpack(Taken()))

    def make_kind(package):
        class ndarray:
            def __init__(self, x):
                self.x, self.shape, self.device = x, x.shape, types.SimpleNamespace(id=0)

            @property
            def T(self):
                return ndarray(self.x.T)

            def reshape(self, *shape):
                return ndarray(self.x.reshape(*shape))

            def __getitem__(self, key):
                return ndarray(self.x[key])

            def __setitem__(self, key, value):
                package.on_stream(lambda: self.x.__setitem__(key, getattr(value, "x", value)))

            def __iadd__(self, value):
                package.on_stream(lambda: self.x.__iadd__(value))
                return self

            def __float__(self):
                return package.on_stream(lambda: float(self.x))

            def __dlpack__(self, stream=None, max_version=None):
                assert stream, "a stream is needed for what is on a GPU"
                event = ctypes.c_void_p()
                theirs = ctypes.c_void_p(None if stream == 1 else stream)
                assert package.driver.cuEventCreate(ctypes.byref(event), 2) == 0
                assert package.driver.cuEventRecord(event, ctypes.c_void_p(package.current[-1].ptr)) == 0
                assert package.driver.cuStreamWaitEvent(theirs, event, 0) == 0
                assert package.driver.cuEventDestroy_v2(event) == 0
                return package.idly(lambda: self.x.__dlpack__(max_version=max_version))

            def __dlpack_device__(self):
                return self.x.__dlpack_device__()
        return ndarray

    def arange(self, n):
        return self.kind(self.on_stream(lambda: self.ts.arange(n, dtype="f32", device="gpu:0")))

    def empty(self, shape):
        return self.kind(self.on_stream(lambda: self.ts.zeros(shape, "f32", "gpu:0")))

    def from_interface(self, x):
        return self.kind(x)

    def address(self, t):
        return t.x.__cuda_array_interface__["data"][0]

    def host(self, t):
        return self.on_stream(t.x.numpy)

    class Stream:
        def __init__(self, package):
            handle = ctypes.c_void_p()
            assert package.driver.cuStreamCreate(ctypes.byref(handle), 1) == 0
            self.ptr, self.package = handle.value, package

        def __enter__(self):
            self.package.current.append(self)

        def __exit__(self, *error):
            self.package.current.pop()

        def __del__(self):
            self.package.driver.cuStreamDestroy_v2(ctypes.c_void_p(self.ptr))

    def new_stream(self):
        return self.Stream(self)

    def using(self, stream):
        return stream

    def handle(self, stream):
        return stream.ptr

    def is_done(self, stream):
        return self.driver.cuStreamQuery(ctypes.c_void_p(stream.ptr)) == 0

    def be_slow(self):
        pass

    def queued(self):
        """How much work has not begun."""
        self.driver.sim_live.argtypes, self.driver.sim_live.restype = [ctypes.c_char_p], ctypes.c_int64
        return self.driver.sim_live(b"work")
