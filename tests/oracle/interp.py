"""Interpolation by operators from text compared with SciPy: python3 interp.py libtessera.so [seed]

interp_nearest, interp_linear and interp_bspline of images and volumes at random coordinates, far outside too, beside
scipy.ndimage.map_coordinates of order 0, 1 and 3, not prefiltered, with the mode that means the same border; the other
methods beside sums over all elements that NumPy makes, weighted as textbooks say. Derivatives
(_dx, _dy, _dz) are beside differences of those sums. Views of spectra in all layouts, of real images and volumes of
even and odd sizes, are read at and between frequencies beside the whole spectrum of numpy.fft. The last line counts
comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_char_p, c_double, c_int, c_int32, c_void_p

import numpy as np
from scipy.ndimage import map_coordinates

import tess

BORDERS = {'zero': 'grid-constant', 'value': 'grid-constant', 'nothing': None, 'clamp': 'nearest', 'mirror': 'reflect', 'reflect': 'mirror', 'periodic': 'grid-wrap'}
OUTSIDE = 2.5
BIND_ARRAY, BIND_INPUT = 1, 2
SPLINES = {'nearest': 0, 'linear': 1, 'bspline': 3}
METHODS = [*SPLINES, 'cosine', 'cubic', 'lanczos4', 'lanczos6', 'lanczos8']


def kernel(method, x):
    """Weights of elements at the distance x."""
    u = np.abs(x)
    if method == 'nearest':
        return (u < 0.5).astype('f8')
    if method == 'linear':
        return np.maximum(1 - u, 0)
    if method == 'bspline':
        return np.where(u < 1, 2 / 3 - u**2 + u**3 / 2, np.where(u < 2, (2 - u)**3 / 6, 0))
    if method == 'cosine':
        return np.where(u < 1, (1 + np.cos(np.pi * u)) / 2, 0)
    if method == 'cubic':
        return np.where(u < 1, 1.5 * u**3 - 2.5 * u**2 + 1, np.where(u < 2, -0.5 * u**3 + 2.5 * u**2 - 4 * u + 2, 0))
    half = int(method[-1]) // 2
    return np.where(u < half, np.sinc(u) * np.sinc(u / half), 0)


def stand_in(border, i, n):
    """The index that stands for i, and whether there is one."""
    if border in ('zero', 'value', 'nothing'):
        return np.clip(i, 0, n - 1), (i >= 0) & (i < n)
    if border == 'clamp':
        return np.clip(i, 0, n - 1), np.ones(i.shape, bool)
    folded = {'periodic': np.arange(n), 'mirror': np.r_[:n, n - 1:-1:-1], 'reflect': np.r_[:n, n - 2:0:-1]}[border]
    return folded[i % len(folded)], np.ones(i.shape, bool)


def weighted(image, at, method, border):
    """The image at places by a separable kernel: a matrix of weights for each axis."""
    rows = []
    for c, n in zip(at, image.shape):
        taps = np.floor(c)[..., None].astype('i8') + np.arange(-3, 5)
        weights = kernel(method, taps - c[..., None])
        if method.startswith('lanczos'):
            weights /= weights.sum(-1, keepdims=True)
        index, there = stand_in(border, taps, n)
        if border == 'nothing':
            weights = weights * there
            total = weights.sum(-1, keepdims=True)
            weights = weights / np.where(np.abs(total) < 1e-9, np.inf, total)
        rows.append((weights * there)[..., None] * (index[..., None] == np.arange(n)))
    rows = [r.sum(-2) for r in rows]
    letters = 'zyx'[3 - len(at):]
    inside = np.einsum(','.join('hw' + a for a in letters) + ',' + letters + '->hw', *rows, image, optimize=True)
    return inside + OUTSIDE * (1 - np.prod([r.sum(-1) for r in rows], axis=0)) if border == 'value' else inside


def slope(image, at, method, border, axis):
    """Its derivative along an axis, by differences of fourth order."""
    step = 2.0**-10

    def moved(k):
        return weighted(image, [c + k * step * (i == axis) for i, c in enumerate(at)], method, border)
    return (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * step)


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


def compare(operators, generator, dims, method, border, element, coordinate, along=''):
    """One call at 500 places; halves, where SciPy rounds its own way, do not occur."""
    shape = (2, 3, 7, 9) if dims == 2 else (2, 5, 7, 9)
    name = ('interp_' if dims == 2 else 'interp3_') + method + along
    axes = ('d', 'y', 'x') if dims == 2 else ('z', 'y', 'x')
    params = ', '.join(f'in {coordinate} {a}' for a in axes[3 - dims:])
    outside = f' = {OUTSIDE}' + 'f' * (element[1:] == '32') if border == 'value' else ''
    text = (f'op f(view {border} {element} v{outside}, {params}, out {element} r) '
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
            image = image.astype('c16' if element[0] == 'c' else 'f8')
            if along:
                want[b, d] = slope(image, at, method, border, 'zyx'[3 - dims:].index(along[-1]))
            elif method in SPLINES and border != 'nothing':
                want[b, d] = map_coordinates(image, at, order=SPLINES[method], mode=BORDERS[border],
                                             cval=OUTSIDE if border == 'value' else 0, prefilter=False)
            else:
                want[b, d] = weighted(image, at, method, border)
    slack = (1e-6 if element in ('f32', 'c32') else 1e-13) * (400 if border == 'nothing' else 1)
    if fault or not np.allclose(result, want, rtol=0, atol=max(slack * 32, 1e-8) if along else slack * 8):
        print('FAILED', text, fault or f'largest difference {np.abs(result - want).max()}')
        return False
    return True


SPECTRA = ('spectrum_h', 'spectrum_hc', 'spectrum_f', 'spectrum_fc')


def stored(full, layout, width):
    """A spectrum over the last three axes, in a layout."""
    axes = (1, 2) if layout == 'spectrum_hc' else (1, 2, 3)
    kept = full[..., :width // 2 + 1] if layout in ('spectrum_h', 'spectrum_hc') else full
    return np.ascontiguousarray(np.fft.fftshift(kept, axes) if layout.endswith('c') else kept)


def spectrum_at(full, at, method):
    """A whole spectrum, zero frequency first, between frequencies: those from -n/2 to n/2 exist."""
    rows = []
    for c, n in zip(at, full.shape):
        taps = np.floor(c)[..., None].astype('i8') + np.arange(-3, 5)
        weights = kernel(method, taps - c[..., None])
        if method.startswith('lanczos'):
            weights /= weights.sum(-1, keepdims=True)
        weights = weights * (np.abs(taps) <= n // 2)
        rows.append((weights[..., None] * (taps[..., None] % n == np.arange(n))).sum(-2))
    letters = 'zyx'[3 - len(at):]
    return np.einsum(','.join('hw' + a for a in letters) + ',' + letters + '->hw', *rows, full, optimize=True)


def compare_spectrum(operators, generator, shape, layout, method, element, coordinate):
    """A call at 500 places between frequencies, or with no method at frequencies, of a volume or of images."""
    dims = 2 if shape[1] == 1 else 3
    axes = 'zyx'[3 - dims:]
    number = coordinate if method else 'i64'
    inner = ', '.join(axes if dims == 3 else ['0', *axes])
    value = f'interp{3 if dims == 3 else ""}_{method}(v, b, {inner})' if method else f'v[b, {inner}]'
    text = (f'op f(view {layout} {element} v, {", ".join(f"in {number} {a}" for a in axes)}, out {element} r) '
            f'{{ r = {value}; }}')
    full = np.fft.fftn(generator.normal(size=shape), axes=(1, 2, 3))
    full = np.abs(full) if element[0] == 'f' else full
    values = stored(full, layout, shape[3]).astype(tess.BY_NAME[element].numpy)
    places = [generator.integers(-n * 16, n * 16, (2, 1, 5, 50)) for n in shape[4 - dims:]]
    places = [(p / 16 + 1 / 64 if method else p // 16).astype(tess.BY_NAME[number].numpy) for p in places]
    result = np.zeros((2, 1, 5, 50), values.dtype)
    fault = operators.run(text, [values, *places], result, [element, *[number] * dims, element])
    want = np.zeros((2, 1, 5, 50), full.dtype)
    for b in range(2):
        whole = full[b] if dims == 3 else full[b, 0]
        want[b, 0] = spectrum_at(whole, [p[b, 0].astype('f8') for p in places], method or 'nearest')
    slack = (1e-6 if element in ('f32', 'c32') else 1e-13) * np.abs(full).max()
    if fault or not np.allclose(result, want, rtol=0, atol=slack * 8):
        print('FAILED', text, shape, fault or f'largest difference {np.abs(result - want).max()}')
        return False
    return True


def main():
    options = tess.arguments(__doc__)
    operators, generator = Operators(tess.load(options.library)), np.random.default_rng(options.seed or None)
    results = [compare(operators, generator, dims, method, border, element, coordinate)
               for dims in (2, 3) for method in METHODS for border in BORDERS
               for element in ('f32', 'f64', 'c32', 'c64') for coordinate in ('f32', 'f64')]
    results += [compare(operators, generator, dims, method, border, element, coordinate, '_d' + axis)
                for dims in (2, 3) for method in METHODS[1:] for border in ('zero', 'reflect', 'value', 'nothing')
                for element, coordinate in (('f32', 'f32'), ('c64', 'f64')) for axis in 'xyz'[:dims]
                if generator.integers(min(tess.SAMPLE, 4)) == 0]
    results += [compare_spectrum(operators, generator, shape, layout, method, element, coordinate)
                for shape in ((2, 1, 7, 9), (2, 1, 8, 6), (2, 5, 4, 8), (2, 6, 7, 5), (2, 1, 1, 2), (2, 1, 1, 1))
                for layout in SPECTRA for method in (None, *METHODS)
                for element, coordinate in (('f32', 'f64'), ('f64', 'f32'), ('c32', 'f32'), ('c64', 'f64'))
                if generator.integers(min(tess.SAMPLE, 2)) == 0]
    print(f'{sum(results)} passed, {len(results) - sum(results)} failed')
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
