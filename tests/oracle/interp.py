"""Interpolation by operators from text compared with SciPy: python3 interp.py libtessera.so [seed]

interp_nearest and interp_linear of images and volumes at random coordinates, far outside too, beside
scipy.ndimage.map_coordinates of order 0 and 1 with the mode that means the same border. The last line counts comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_char_p, c_double, c_int, c_int32, c_void_p

import numpy as np
from scipy.ndimage import map_coordinates

import tess

BORDERS = {'zero': 'grid-constant', 'clamp': 'nearest', 'mirror': 'reflect', 'reflect': 'mirror', 'periodic': 'grid-wrap'}
BIND_ARRAY, BIND_INPUT = 1, 2


class BindValue(ctypes.Union):
    _fields_ = [('array', c_void_p), ('complex', c_double * 2)]


class Bind(ctypes.Structure):
    _fields_ = [('kind', c_int32), ('dtype', c_int32), ('value', BindValue)]


class Operators:
    def __init__(self, lib):
        self.lib = lib
        lib.tess_op_text.restype, lib.tess_op_text.argtypes = c_int, [c_void_p, c_char_p]
        lib.tess_run.restype, lib.tess_run.argtypes = c_int, [c_void_p, c_void_p, c_int, c_void_p]
        lib.tess_op_release.restype, lib.tess_op_release.argtypes = None, [c_void_p]

    def array(self, values, dtype):
        """An Array over the memory of a C-contiguous ndarray of four axes."""
        strides = [s // values.itemsize for s in values.strides]
        return tess.Array(tess.Shape(*values.shape), tess.Shape(*strides), tess.address_of(values), None, dtype.number,
                          tess.CPU, 0)

    def run(self, text, inputs, output, dtypes):
        op = c_void_p()
        arrays = [self.array(v, tess.BY_NAME[d]) for v, d in zip([*inputs, output], dtypes)]
        binds = (Bind * len(arrays))()
        for bind, array in zip(binds, arrays):
            bind.kind, bind.value.array = BIND_INPUT, ctypes.addressof(array)
        binds[len(arrays) - 1].kind = BIND_ARRAY
        status = self.lib.tess_op_text(byref(op), text.encode()) or self.lib.tess_run(op, binds, len(arrays), None)
        self.lib.tess_op_release(op)
        return tess.error_text(self.lib, status) if status else None


def compare(operators, generator, dims, order, border, element, coordinate):
    """One call at 500 places; halves, where SciPy rounds its own way, do not occur."""
    shape = (2, 3, 7, 9) if dims == 2 else (2, 5, 7, 9)
    name = ('interp_' if dims == 2 else 'interp3_') + ('nearest', 'linear')[order]
    axes = ('d', 'y', 'x') if dims == 2 else ('z', 'y', 'x')
    params = ', '.join(f'in {coordinate} {a}' for a in axes[3 - dims:])
    text = (f'op f(view {border} {element} v, {params}, out {element} r) '
            f'{{ r = {name}(v, b, {", ".join(axes)}); }}')
    real = np.dtype(tess.BY_NAME[coordinate].numpy)
    values = generator.normal(size=shape).astype(tess.BY_NAME[element].numpy)
    if element[0] == 'c':
        values = values + (1j * generator.normal(size=shape)).astype(values.dtype)
    domain = (2, shape[1] if dims == 2 else 1, 5, 50)
    places = [(generator.integers(-2 * n * 16, 3 * n * 16, domain) / 16 + 1 / 64).astype(real) for n in shape[4 - dims:]]
    result = np.zeros(domain, values.dtype)
    fault = operators.run(text, [values, *places], result, [element, *[coordinate] * dims, element])
    want = np.zeros_like(result)
    for b in range(2):
        for d in range(domain[1]):
            image = values[b, d] if dims == 2 else values[b]
            at = [p[b, d].astype('f8') for p in places]
            want[b, d] = map_coordinates(image.astype('c16' if element[0] == 'c' else 'f8'), at, order=order,
                                         mode=BORDERS[border], cval=0, prefilter=False)
    slack = 1e-6 if element in ('f32', 'c32') else 1e-13
    if fault or not np.allclose(result, want, rtol=0, atol=slack * 8):
        print('FAILED', text, fault or f'largest difference {np.abs(result - want).max()}')
        return False
    return True


def main():
    options = tess.arguments(__doc__)
    operators, generator = Operators(tess.load(options.library)), np.random.default_rng(options.seed or None)
    results = [compare(operators, generator, dims, order, border, element, coordinate)
               for dims in (2, 3) for order in (0, 1) for border in BORDERS
               for element in ('f32', 'f64', 'c32', 'c64') for coordinate in ('f32', 'f64')]
    print(f'{sum(results)} passed, {len(results) - sum(results)} failed')
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
