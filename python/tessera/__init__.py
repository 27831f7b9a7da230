"""Tessera: arrays of up to four axes and the processing of images and volumes, on the CPU and on GPUs.

Every operation of the library is a function here, by its C name without `tess_`. It takes NumPy arrays, tensors of torch,
CuPy arrays, anything with a buffer, lists and numbers; results are of the kind of the first array, and have its axes.

    import numpy as np
    import tessera as ts
    image = np.random.default_rng(1).normal(size=(512, 512)).astype(np.float32)
    smooth = ts.lowpass_image(image, 0.1, width=0.02)

Axes are counted as in NumPy. Up to four are batch, depth, height and width; of fewer, the last ones: an array (30, 64, 64)
is a volume, and thirty images are (30, 1, 64, 64). Angles of these functions are in radians where their help says so.
`tessera.aliases` has the names that other packages use; those take degrees.
"""
from ._tessera import *  # noqa: F401,F403
from ._tessera import Array, Error, __version__, op  # noqa: F401
from .aliases import *  # noqa: F401,F403
from .numpylike import *  # noqa: F401,F403
from .arrays import array  # noqa: F401
from .arrays import f16, f32, f64, c16, c32, c64, i8, i16, i32, i64, u8, u16, u32, u64  # noqa: F401
from .devices import device, stream  # noqa: F401
from .files import *  # noqa: F401,F403
from .sidecar import *  # noqa: F401,F403
from .star import *  # noqa: F401,F403
from . import jobs  # noqa: F401

import builtins as _builtins

__all__ = [_name for _name in dir() if not _name.startswith("_") and not hasattr(_builtins, _name)]
