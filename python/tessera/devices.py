"""Devices and streams as context managers."""
import threading as _threading

from . import _tessera

_entered = _threading.local()  # each thread has its own devices and streams


def _list(name):
    return _entered.__dict__.setdefault(name, [])


class device:
    """The device for new arrays of functions without array inputs: `with ts.device("gpu:0"): ts.zeros((64, 64))`."""

    def __init__(self, name):
        self.name = str(name)

    def __enter__(self):
        _list("devices").append(_tessera._set_default_device(self.name))
        return self

    def __exit__(self, *error):
        _tessera._set_default_device(_list("devices").pop())

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"tessera.device({self.name!r})"


def _handle_of(stream):
    """The handle of a CUDA stream, from a stream object of another package or as a number."""
    for name in ("cuda_stream", "ptr", "handle"):  # of torch, of CuPy, ours
        if hasattr(stream, name):
            return getattr(stream, name)
    return stream.__cuda_stream__()[1] if hasattr(stream, "__cuda_stream__") else stream


class stream:
    """A GPU stream on which work is queued: `with ts.stream("gpu:0"): ...`.

    `handle` is a CUDA stream of another package, such as `torch.cuda.current_stream()`, which is kept alive, or its number,
    which must stay valid as long as this object exists. Without `handle` a new stream is created. Streams of the CPU do their
    work during the call.
    """

    def __init__(self, device, handle=None):
        self.device = str(device)
        self._stream = _tessera._stream_new(self.device, _handle_of(handle), handle)

    @property
    def handle(self):
        """The CUDA stream as a number, for use by other packages."""
        return _tessera._stream_handle(self._stream)

    def synchronize(self):
        """Wait for all work on this stream."""
        _tessera.synchronize(self._stream)

    def __enter__(self):
        _tessera._stream_use(self._stream)
        _list("streams").append(self)
        return self

    def __exit__(self, *error):
        _list("streams").pop()
        outer = [s for s in _list("streams") if s.device == self.device]
        _tessera._stream_use(outer[-1]._stream if outer else self.device)
