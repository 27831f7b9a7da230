"""Tessera: arrays of up to four axes and image processing in two and three dimensions, on the CPU and on GPUs.

Every operation of the library is a function with the C name without `tess_`. It takes NumPy and CuPy arrays, torch tensors,
anything with a buffer, lists and numbers. Results have the type of the first array, and its number of axes.

    import numpy as np
    import tessera as ts
    image = np.random.default_rng(1).normal(size=(512, 512)).astype(np.float32)
    smooth = ts.lowpass_image(image, 0.1, width=0.02)

Axes are counted as in NumPy. An array of two axes is an image, one of three a volume (height and width are last), and a fourth
axis in front counts volumes. With `ndim=2` the last two axes are an image, with `ndim=3` the last three a volume, and any
number of axes in front counts them: `ts.lowpass_image(stack, 0.1, ndim=2)` filters a stack of shape (30, 64, 64) image by
image. For functions of images only, such as rotate_image, three axes are a stack anyway. Angles are in radians where the help
says so.
`tessera.aliases` has names that other packages use; those functions take degrees.
"""
from ._tessera import *  # noqa: F401,F403
from ._tessera import Array, Error, __version__, op  # noqa: F401
from .aliases import *  # noqa: F401,F403
from .numpylike import *  # noqa: F401,F403
from .shapes import *  # noqa: F401,F403
from .sorting import *  # noqa: F401,F403
from .products import *  # noqa: F401,F403
from .curves import *  # noqa: F401,F403
from .transforms import *  # noqa: F401,F403
from .images import *  # noqa: F401,F403
from .labels import *  # noqa: F401,F403
from .sampling import *  # noqa: F401,F403
from . import indexing as _indexing, protocols as _protocols  # noqa: F401
from .arrays import array  # noqa: F401
from .arrays import f16, f32, f64, c16, c32, c64, i8, i16, i32, i64, u8, u16, u32, u64  # noqa: F401
from .devices import device, stream  # noqa: F401
from .files import *  # noqa: F401,F403
from .sidecar import *  # noqa: F401,F403
from .star import *  # noqa: F401,F403
from . import jobs, linalg  # noqa: F401
from .linalg import eigh, eigh_factors, qr, qr_factors, solve, solve_matrices, svd, svd_factors  # noqa: F401

import builtins as _builtins
from . import examples as _examples

for _function in [_f for _f in globals().values() if hasattr(_f, "__code__") and _f.__module__.startswith("tessera.")]:
    _function.__doc__ = _examples.with_example(_function.__doc__, _function.__name__)
for _function in [getattr(linalg, _name) for _name in linalg.__all__]:
    if _function.__module__ == "tessera.linalg" and not isinstance(_function, type):
        _function.__doc__ = _examples.with_example(_function.__doc__, f"linalg.{_function.__name__}")

__all__ = [_name for _name in dir() if not _name.startswith("_") and not hasattr(_builtins, _name)]
