"""An operator from a text, on NumPy arrays: python3 operator_text.py"""
from __future__ import annotations

import numpy as np

import tessera as ts

# An element-wise operator is compiled once, broadcasts, and runs on the GPU for arrays on a GPU.
soften = ts.op("op soften(in f32 x, in f32 m, val f32 a, out f32 y) { y = m * x / (a + abs(x)); }")
image = np.linspace(-2, 2, 5 * 7, dtype=np.float32).reshape(5, 7)
column = np.arange(5, dtype=np.float32)[:, None]
softened = soften(image, column, 0.5)
np.testing.assert_allclose(softened, column * image / (0.5 + abs(image)), rtol=1e-6)
print(softened.round(2))

# An error raises an exception whose message shows its position.
try:
    ts.op("op wrong(in f32 x, out f32 y) { y = sine(x); }")
except ts.ParseError as error:
    print(error)
