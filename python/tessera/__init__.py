"""Tessera: arrays of up to four axes and the processing of images and volumes, on the CPU and on GPUs.

Every operation of the library is a function here, by its C name without `tess_`. It takes NumPy arrays, tensors of torch,
CuPy arrays, anything with a buffer, and numbers; results are of the kind of the first array.

    import numpy as np
    import tessera as ts
    image = np.random.default_rng(1).normal(size=(512, 512)).astype(np.float32)
    smooth = ts.lowpass_image(image, 0.1, width=0.02)
"""
from . import _tessera
from ._tessera import *  # noqa: F401,F403
from ._tessera import Array, Error, __version__  # noqa: F401
