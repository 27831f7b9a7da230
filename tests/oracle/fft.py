"""Fourier, cosine and sine transforms compared with NumPy and SciPy: python3 fft.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output, and the input, must stay as they were. Beside
that: transforms in place are those out of place, bit for bit, and so are those on other strides and numbers of threads;
Parseval's theorem, shifts and linearity. The last line counts comparisons.
"""
import ctypes
import math
import sys
from ctypes import byref, c_int, c_int32, c_uint32, c_void_p

import numpy as np
import scipy.fft

import copies
import tess

NORMS = {0: 'backward', 1: 'backward', 2: 'forward', 3: 'ortho', 4: 'none'}
R2C, C2R, C2C, R2R = 1, 2, 3, 16
FORWARD, BACKWARD = -1, 1
REALS = ('f32', 'f64', 'f16')
COMPLEX_OF = {'f16': 'c16', 'f32': 'c32', 'f64': 'c64'}
UNIT = {'f16': 2.0**-11, 'f32': 2.0**-24, 'f64': 2.0**-53}
SIZES = (1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 20, 22, 24, 25, 26, 30, 32)
LONG = (31, 37, 49, 64, 81, 97, 100, 101, 121, 127, 128, 143, 169, 210, 211, 256, 343, 384, 500, 509, 625, 720, 1000,
        1009, 1024, 2002, 2187, 4096, 5000, 5003)


class FftOpts(ctypes.Structure):
    _fields_ = [('norm', c_int32), ('axes', c_int32), ('overwrite', c_int32), ('reserved', c_uint32 * 5)]


def dtype_of(kind, real, is_input):
    """The Dtype of one side of a transform."""
    is_real = kind == R2R or kind == (R2C if is_input else C2R)
    return tess.BY_NAME[real if is_real else COMPLEX_OF[real]]


def wide(values, dtype):
    """In double precision."""
    if dtype.kind != 'complex':
        return values.astype('f8')
    re, im = copies.parts_of(values)
    return re.astype('f8') + 1j * im.astype('f8')


def axes_of(mask):
    return [k for k in range(4) if mask & 0x10 << k]


def ortho_sines(x, axis, forward):
    """Sine transforms of type 2 (forward) and 3 that keep lengths: SciPy 1.10 scales the first term, not the last."""
    last = [slice(None)] * 4
    last[axis] = -1
    x = x.copy()
    if not forward:
        x[tuple(last)] *= 2**0.5
    y = scipy.fft.dst(x, 2 if forward else 3, axis=axis) / (2 * x.shape[axis])**0.5
    if forward:
        y[tuple(last)] *= 0.5**0.5
    return y


def scipy_r2r(x, number, sign, axes, norm):
    """Kind 1 to 4 are cosine transforms, 5 to 8 sine transforms."""
    for axis in axes:
        n = x.shape[axis]
        if norm == 'ortho' and number in (6, 7):
            x = ortho_sines(x, axis, (number == 6) == (sign == FORWARD))
            continue
        if number <= 4:
            function = scipy.fft.dct if sign == FORWARD else scipy.fft.idct
        else:
            function = scipy.fft.dst if sign == FORWARD else scipy.fft.idst
        x = function(x, (number - 1) % 4 + 1, axis=axis, norm='backward' if norm == 'none' else norm)
        if norm == 'none' and sign == BACKWARD:
            x = x * 2 * (n - 1 if number == 1 else n + 1 if number == 5 else n)
    return x


def reference(kind, x, shape, sign, axes, norm, number):
    """The transform of x, in double precision, along `axes`."""
    if x.size == 0:
        return np.zeros(shape if kind == C2R else half_of(x.shape) if kind == R2C else x.shape)
    if kind == R2R:
        return scipy_r2r(x, number, sign, axes, norm)
    known = 'backward' if norm == 'none' else norm
    count = math.prod(shape[k] for k in axes) if norm == 'none' and sign == BACKWARD else 1
    if kind == R2C:
        return np.fft.rfftn(x, axes=axes, norm=known)
    if kind == C2R:
        return np.fft.irfftn(x, [shape[k] for k in axes], axes, known) * count
    return (np.fft.fftn if sign == FORWARD else np.fft.ifftn)(x, axes=axes, norm=known) * count


def half_of(shape):
    return (*shape[:3], shape[3] // 2 + 1 if shape[3] else 0)


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        lib.tess_fft_r2c.argtypes = [c_void_p] * 3
        lib.tess_fft_c2r.argtypes = [c_void_p, c_void_p, tess.ShapeValue, c_void_p]
        lib.tess_fft_c2c.argtypes = [c_void_p, c_void_p, c_int, c_void_p]
        lib.tess_fft_r2r.argtypes = [c_void_p, c_void_p, c_int, c_int, c_void_p]
        lib.tess_fft_empty.argtypes = [c_void_p, c_void_p, tess.ShapeValue, c_int, tess.Device]
        for name in ('r2c', 'c2r', 'c2c', 'r2r', 'empty'):
            getattr(lib, 'tess_fft_' + name).restype = c_int

    def call(self, kind, out, source, shape, sign, opts, number):
        lib = self.lib
        if kind == R2C:
            return lib.tess_fft_r2c(out, source, opts)
        if kind == C2R:
            return lib.tess_fft_c2r(out, source, tess.shape_value(shape), opts)
        if kind == C2C:
            return lib.tess_fft_c2c(out, source, sign, opts)
        return lib.tess_fft_r2r(out, source, number, sign, opts)

    def values_for(self, dtype, shape):
        if dtype.kind == 'complex':
            real = tess.BY_NAME[dtype.real]
            return copies.complex_from(self.values_for(real, shape), self.values_for(real, shape), dtype)
        return self.generator.normal(0, 1, shape).astype(dtype.numpy)

    def source_for(self, dtype, shape):
        """A place of random values; at times broadcast by strides of 0."""
        if self.rng.random() < 0.8:
            return self.place_with(self.values_for(dtype, shape), dtype)
        once = tuple(1 if self.rng.random() < 0.4 else n for n in shape)
        place = self.place_with(self.values_for(dtype, once), dtype)
        view = np.broadcast_to(place.view, shape)
        lead = (tess.address_of(view) - tess.address_of(place.memory)) % dtype.size if view.size else 0
        return copies.Place(self.lib, place.memory, view, dtype, lead)

    def close(self, got, want, size, real, n, *what):
        """An L2 error that a transform of n may have; `size` is the norm that the result is made of."""
        error = np.linalg.norm((got - want).ravel())
        bound = UNIT['f32' if real == 'f16' else real] * (3 + 1.5 * math.log2(max(n, 1))) * size
        if real == 'f16':
            bound += UNIT['f16'] * np.linalg.norm(want.ravel()) + 2.0**-25 * math.sqrt(want.size)
        self.expect(error <= bound, *what, f'error {error} beyond {bound}')

    # ---- Against NumPy and SciPy ----

    def random_case(self, kind):
        if self.rng.random() < 0.15:
            shape = [1, 1, 1, 1]
            shape[self.rng.randrange(4)] = self.rng.choice(LONG)
            shape[self.rng.randrange(4)] = self.rng.randrange(1, 6)
        else:
            shape = [self.rng.randrange(1, 4), self.rng.choice((1, 1, *SIZES[:12])), self.rng.choice(SIZES),
                     self.rng.choice(SIZES)]
        if self.rng.random() < 0.03:
            shape[self.rng.randrange(4)] = 0
        mask = self.rng.choice((0, 0, *range(0x10, 0x100, 0x10)))
        if kind in (R2C, C2R) and mask:
            mask |= 0x80
        return tuple(shape), mask

    def check(self, kind, real, sign, number=0):
        shape, mask = self.random_case(kind)
        norm = self.rng.randrange(5)
        axes = axes_of(mask or 0xe0)
        if kind == R2R and not mask:
            axes = [k for k in axes if shape[k] != 1]
        if kind == R2R and number == 1 and any(shape[k] < 2 for k in axes):
            return
        opts = FftOpts(norm, mask)
        source_dtype, out_dtype = dtype_of(kind, real, True), dtype_of(kind, real, False)
        if kind == C2C and self.rng.random() < 0.2:
            source_dtype = tess.BY_NAME[real]  # real numbers, taken as complex
        source = self.source_for(source_dtype, half_of(shape) if kind == C2R else shape)
        x = wide(source.view, source_dtype)
        want = reference(kind, x, shape, sign, axes, NORMS[norm], number)
        what = ({R2C: 'r2c', C2R: 'c2r', C2C: 'c2c', R2R: f'r2r {number}'}[kind], source_dtype, shape, 'axes', axes,
                'norm', NORMS[norm], 'sign', sign)
        before = source.memory.copy()
        self.lib.tess_threads_set(self.rng.choice((1, 2, 3)))
        place = self.place(want.shape, out_dtype)
        if not self.succeeds(self.call(kind, place.ref(), source.ref(), shape, sign, byref(opts), number), *what):
            return
        n = math.prod(shape[k] for k in axes)
        size = np.linalg.norm(np.asarray(want).ravel())
        if kind == C2R:  # what does not count of the input is computed with
            size = max(size, np.linalg.norm(x.ravel()) * self.factor(norm, BACKWARD, n) * 2 * math.sqrt(n))
        got = place.view.copy()
        self.close(wide(got, out_dtype), want, size, real, 16 * n if kind == R2R else n, *what)  # SciPy's own errors
        self.expect(place.holds(got, any_nan=True), *what, 'writes outside the view')
        self.expect(np.array_equal(before, source.memory), *what, 'changes its input')
        self.check_made(kind, source, got, out_dtype, shape, sign, opts, number, what)

    @staticmethod
    def factor(norm, sign, n):
        if norm == 4 or n == 0:
            return 1
        return n**-0.5 if norm == 3 else 1 / n if (norm == 2) == (sign == FORWARD) else 1

    def check_made(self, kind, source, got, out_dtype, shape, sign, opts, number, what):
        """The same into an array that is made, of a plain copy of the input, on other threads: the same bits."""
        plain = self.place_with(source.view.copy(), source.dtype, plain=True)
        array = tess.Array()
        self.lib.tess_threads_set(self.rng.choice((1, 2, 5)))
        if not self.succeeds(self.call(kind, byref(array), plain.ref(), shape, sign, byref(opts), number), *what):
            return
        self.made(array, got, out_dtype, *what)

    def transforms(self, rounds):
        for real in REALS:
            for _ in range(rounds if real != 'f16' else rounds // 4):
                self.check(R2C, real, FORWARD)
                self.check(C2R, real, BACKWARD)
                self.check(C2C, real, self.rng.choice((FORWARD, BACKWARD)))

    def cosines(self, rounds):
        for real in REALS:
            for number in range(1, 9):
                for _ in range(rounds if real != 'f16' else rounds // 4):
                    self.check(R2R, real, self.rng.choice((FORWARD, BACKWARD)), number)

    # ---- In place ----

    def padded(self, real, shape):
        """A real array and its half spectrum on one storage, whose rows may have room to spare."""
        half = half_of(shape)
        room = half[3] + self.rng.choice((0, 0, 1, 3))
        dtype, spectrum = tess.BY_NAME[real], tess.BY_NAME[COMPLEX_OF[real]]
        memory = self.random_bytes(math.prod(half[:3]) * room * spectrum.size)
        rows = np.ndarray((*half[:3], 2 * room), dtype.numpy, memory)[..., :shape[3]]
        halves = np.ndarray((*half[:3], room), spectrum.numpy, memory)[..., :half[3]]
        return copies.Place(self.lib, memory, rows, dtype), copies.Place(self.lib, memory, halves, spectrum)

    def check_in_place(self, kind, real):
        shape, mask = self.random_case(kind)
        if 0 in shape:
            return
        opts, sign = FftOpts(self.rng.randrange(5), mask), FORWARD if kind == R2C else BACKWARD
        number = self.rng.randrange(2, 9)
        what = ('in place', kind, real, shape, mask, number if kind == R2R else '')
        if kind in (R2C, C2R):
            pair = self.padded(real, shape)
            source, out = pair if kind == R2C else pair[::-1]
        else:
            source = out = self.place(shape, dtype_of(kind, real, True))
        source.view[...] = self.values_for(source.dtype, source.view.shape)
        apart = self.place_with(source.view.copy(), source.dtype)
        array = tess.Array()
        if not self.succeeds(self.call(kind, byref(array), apart.ref(), shape, sign, byref(opts), number), *what):
            return
        if not self.succeeds(self.call(kind, out.ref(), source.ref(), shape, sign, byref(opts), number), *what):
            return
        want = tess.numpy_view(array, out.dtype)
        self.expect(copies.same_values(out.view.copy(), want.copy(), True), *what, 'other bits than out of place')
        self.lib.tess_release(byref(array))

    def check_pair(self, real):
        """There and back on the storage that tess_fft_empty makes."""
        shape, mask = self.random_case(R2C)
        dtype, what = tess.BY_NAME[real], ('fft_empty', real, shape, mask)
        rows, spectrum, opts = tess.Array(), tess.Array(), FftOpts(3, mask)
        axes = [k for k in range(4) if (mask or 0xe0) & 0x10 << k]
        if not self.succeeds(self.lib.tess_fft_empty(byref(rows), byref(spectrum), tess.shape_value(shape),
                                                     dtype.number, tess.CPU), *what):
            return
        view, half = tess.numpy_view(rows, dtype), tess.numpy_view(spectrum, tess.BY_NAME[COMPLEX_OF[real]])
        self.expect(view.shape == shape and half.shape == half_of(shape), *what, view.shape, half.shape)
        view[...] = self.values_for(dtype, shape)
        x = wide(view, dtype)
        size, n = 2 * np.linalg.norm(x.ravel()) + 1e-3 * (real == 'f16'), math.prod(shape[k] for k in axes)
        if self.succeeds(self.lib.tess_fft_r2c(byref(spectrum), byref(rows), byref(opts)), *what):
            want = reference(R2C, x, shape, FORWARD, axes, 'ortho', 0)
            self.close(wide(half, tess.BY_NAME[COMPLEX_OF[real]]), want, size, real, n, *what)
        if self.succeeds(self.lib.tess_fft_c2r(byref(rows), byref(spectrum), tess.shape_value(shape), byref(opts)),
                         *what):
            slack = size * (1 if real != 'f16' else 1 + 2 * UNIT['f16'] / UNIT['f32'])
            self.close(wide(view, dtype), x, 2 * slack, real, n, *what, 'back')
        self.lib.tess_release(byref(rows))
        self.lib.tess_release(byref(spectrum))

    def in_place(self, rounds):
        for real in REALS:
            for kind in (R2C, C2R, C2C, R2R):
                for _ in range(rounds):
                    self.check_in_place(kind, real)
            for _ in range(rounds):
                self.check_pair(real)

    # ---- Properties ----

    def transformed(self, kind, x, opts=None, sign=FORWARD, shape=None):
        """A C-contiguous NumPy array of 4 axes, transformed."""
        name = {np.dtype('f4'): 'f32', np.dtype('f8'): 'f64', np.dtype('c8'): 'c32', np.dtype('c16'): 'c64'}[x.dtype]
        source, array = self.place_with(x, tess.BY_NAME[name]), tess.Array()
        status = self.call(kind, byref(array), source.ref(), shape or x.shape, sign, opts and byref(opts), 0)
        if not self.succeeds(status, 'transform', kind, x.shape):
            return np.zeros(x.shape)
        result = tess.numpy_view(array).copy()
        self.lib.tess_release(byref(array))
        return result

    def properties(self, rounds):
        for _ in range(rounds):
            real = self.rng.choice(('f32', 'f64'))
            shape, _ = self.random_case(C2C)
            if 0 in shape:
                continue
            dtype, n = tess.BY_NAME[COMPLEX_OF[real]], math.prod(shape[1:])
            x, y = self.values_for(dtype, shape), self.values_for(dtype, shape)
            size, what = np.linalg.norm(x.ravel()), (real, shape)
            spectrum = self.transformed(C2C, x, FftOpts(norm=3))
            self.expect(abs(np.linalg.norm(spectrum.ravel()) - size) <= 16 * UNIT[real] * (2 + math.log2(n)) * size,
                        'Parseval', *what)
            back = self.transformed(C2C, spectrum, FftOpts(norm=3), BACKWARD)
            self.close(back, x, 3 * size, real, n, 'there and back', *what)
            self.check_linear(x, y, spectrum, real, shape)
            self.check_shift(x, spectrum, real, shape)
            self.check_real(real, shape)

    def check_linear(self, x, y, spectrum, real, shape):
        both = self.transformed(C2C, 2 * x + y, FftOpts(norm=3))
        apart = 2 * spectrum + self.transformed(C2C, y, FftOpts(norm=3))
        self.close(both, apart, 4 * np.linalg.norm(apart.ravel()), real, math.prod(shape[1:]), 'linear', real, shape)

    def check_shift(self, x, spectrum, real, shape):
        """What is moved along an axis has its spectrum turned by a phase that grows with the frequency."""
        axis = self.rng.randrange(1, 4)
        places = self.rng.randrange(-5, 6)
        moved = self.transformed(C2C, np.roll(x, places, axis), FftOpts(norm=3))
        phase = np.exp(-2j * np.pi * places * np.fft.fftfreq(shape[axis]))
        turned = spectrum * phase.reshape([-1 if k == axis else 1 for k in range(4)])
        self.close(moved, turned, 4 * np.linalg.norm(x.ravel()), real, math.prod(shape[1:]), 'shift', real, shape)

    def check_real(self, real, shape):
        """The half spectrum is a part of the full one, and goes back to the array."""
        x = self.values_for(tess.BY_NAME[real], shape)
        size, n = np.linalg.norm(x.ravel()), math.prod(shape[1:])
        half, full = self.transformed(R2C, x, FftOpts(norm=3)), self.transformed(C2C, x, FftOpts(norm=3))
        self.close(half, full[..., :half.shape[3]], 3 * size, real, n, 'half and full', real, shape)
        back = self.transformed(C2R, half, FftOpts(norm=3), shape=shape)
        self.close(back, x, 3 * size, real, n, 'real, there and back', real, shape)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('transforms', lambda: tests.transforms(tess.rounds(250))),
        ('cosines and sines', lambda: tests.cosines(tess.rounds(40))),
        ('in place', lambda: tests.in_place(tess.rounds(60))),
        ('properties', lambda: tests.properties(tess.rounds(120)))))


if __name__ == '__main__':
    sys.exit(main())
