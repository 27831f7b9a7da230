"""Windows and tapers compared with SciPy and NumPy: python3 windows.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. The last line counts
comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np
from scipy.signal import windows

import copies
import fft_layout
import tess

F16, F32, F64 = (tess.BY_NAME[name] for name in ('f16', 'f32', 'f64'))
UNITS = {'f16': 2.0**-11, 'f32': 2.0**-24, 'f64': 2.0**-53}
ROUND = 4  # operations that may round, of numbers of at most the largest magnitude


class WindowOpts(ctypes.Structure):
    _fields_ = [('periodic', c_int32), ('half', c_int32), ('normalize', c_int32), ('dtype', c_int32),
                ('reserved', c_uint32 * 4)]


class TaperOpts(ctypes.Structure):
    _fields_ = [('width', c_double * 3), ('fraction', c_double), ('value', c_double), ('mean', c_int32),
                ('axes', c_int32), ('reserved', c_uint32 * 6)]


class RadialOpts(ctypes.Structure):
    _fields_ = [('width', c_double), ('shift', c_double * 3), ('value', c_double), ('mean', c_int32),
                ('reserved', c_uint32 * 7)]


# ---- References ----


def sinc_window(n, k, sym):
    """SciPy has none: sin(pi k x) / (pi x) about the centre."""
    if n == 1:
        return np.array([k])
    x = np.arange(n) - (n - 1 if sym else n) / 2
    return k * np.sinc(k * x)


# name: reference, range of its number
WINDOWS = {
    'hann': (lambda n, _, sym: windows.hann(n, sym), None),
    'hamming': (lambda n, _, sym: windows.hamming(n, sym), None),
    'blackman': (lambda n, _, sym: windows.blackman(n, sym), None),
    'tukey': (windows.tukey, (0, 1)),
    'gaussian': (windows.gaussian, (0.2, 20)),
    'kaiser': (windows.kaiser, (0, 30)),
    'sinc': (sinc_window, (0.05, 2)),
}


def edge_weights(n, width):
    width = min(width, (n - 1) / 2)
    if n == 1 or width == 0:
        return np.ones(n)
    end = np.minimum(np.arange(n), n - 1 - np.arange(n))
    return np.where(end >= width, 1, 0.5 - 0.5 * np.cos(np.pi * np.minimum(end / width, 1)))


def radii(shape, shift):
    """Distances from the centre; axes of size 1 count nothing."""
    squares = np.zeros((1, *shape[1:]))
    for axis in (1, 2, 3):
        n = shape[axis]
        if n > 1:
            x = np.arange(n) - (n // 2 + shift[axis - 1])
            squares = squares + (x**2).reshape([-1 if k == axis else 1 for k in range(4)])
    return np.sqrt(squares)


def radial_weights(r, radius, width):
    soft = 0.5 + 0.5 * np.cos(np.pi * (r - radius) / (width or 1))
    return np.where(r <= radius, 1, np.where(r >= radius + width, 0, soft))


class Tests(fft_layout.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        pointer = c_void_p
        for name, (_, numbers) in WINDOWS.items():
            number = [c_double] if numbers else []
            self.declare(f'window_{name}', [pointer, c_int64, *number, pointer])
            self.declare(f'window_{name}_at', [pointer, c_int64, c_int64, *number, pointer])
        self.declare('taper', [pointer] * 3)
        self.declare('taper_radial', [pointer, pointer, c_double, pointer])

    def declare(self, name, arguments):
        function = getattr(self.lib, 'tess_' + name)
        function.restype, function.argtypes = c_int, arguments

    # ---- Windows ----

    def check_window(self, name, n, numbers, want, opts):
        """As an array, along any axis, and at each index."""
        dtype, axis = self.rng.choice((F16, F32, F64)), self.rng.randrange(4)
        shape = [1] * 4
        shape[axis] = len(want)
        what = (name, n, *numbers, 'periodic', opts.periodic, 'half', opts.half, 'normalize', opts.normalize, dtype)
        call = getattr(self.lib, f'tess_window_{name}')
        out = self.place(tuple(shape), dtype)
        size = np.max(np.abs(want), initial=1e-3)  # SciPy's ends of Blackman windows are not quite 0
        if self.succeeds(call(out.ref(), n, *numbers, byref(opts)), *what):
            self.written_near(out, want.reshape(shape), (UNITS[dtype.name] + 1e-12) * size + 2.0**-24 * (dtype is F16),
                              *what)
        made, value = tess.Array(), c_double()
        if not self.succeeds(call(byref(made), n, *numbers, byref(opts)), *what):
            return
        got = tess.numpy_view(made).copy().ravel()
        self.expect(got.dtype == (np.float32 if opts.dtype == F32.number else np.float64) and got.shape == want.shape and
                    np.max(np.abs(got - want), initial=0) <= (2.0**-24 if opts.dtype == F32.number else 1e-12) * size,
                    *what, 'made')
        self.lib.tess_release(byref(made))
        at = getattr(self.lib, f'tess_window_{name}_at')
        for i in self.rng.sample(range(len(want)), min(len(want), 3)):
            if self.succeeds(at(byref(value), i, n, *numbers, byref(opts)), *what, i):
                self.expect(value.value == got[i] if opts.dtype != F32.number else np.float32(value.value) == got[i],
                            *what, 'at', i, value.value, got[i])

    def windows(self, rounds):
        for _ in range(rounds):
            for name, (reference, limits) in WINDOWS.items():
                n = self.rng.choice((1, 2, 3, 4, 5, 8, 9, self.rng.randint(1, 300)))
                numbers = [self.rng.uniform(*limits)] if limits else []
                opts = WindowOpts(*(self.rng.randrange(2) for _ in range(3)), self.rng.choice((0, F32.number, F64.number)))
                want = reference(n, numbers[0] if numbers else None, not opts.periodic)
                if opts.normalize and abs(np.sum(want)) < 1e-3:  # nothing to divide by, or hardly anything
                    continue
                if opts.normalize:
                    want = want / np.sum(want)
                self.check_window(name, n, numbers, want[n // 2:] if opts.half else want, opts)
        self.check_ends()

    def check_ends(self):
        """Tukey's limits, and noa's half window: it was divided by the sum of the half."""
        for n in (1, 2, 7, 64):
            self.check_window('tukey', n, [0.0], np.ones(n), WindowOpts())
            self.check_window('tukey', n, [1.0], windows.hann(n), WindowOpts())
            self.check_window('kaiser', n, [0.0], np.ones(n), WindowOpts())
            whole = windows.gaussian(n, 3)
            self.check_window('gaussian', n, [3.0], (whole / whole.sum())[n // 2:], WindowOpts(half=1, normalize=1))

    # ---- Tapers ----

    def check_taper(self, call, dtype, values, weight, base, *what):
        """Into a view of a float type, in place, and made."""
        x = values.astype(np.float64)
        base = x.mean((1, 2, 3), keepdims=True) if base is None else base
        want = x * weight + base * (1 - weight)
        size = np.max(np.abs(x), initial=0) + np.max(np.abs(base), initial=0)
        to = self.rng.choice((F16, F32, F64))
        out, source = self.place(values.shape, to), self.place_with(values, dtype)
        self.threads()
        if self.succeeds(call(out.ref(), source.ref()), *what, to):
            self.written_near(out, want, ROUND * (UNITS[to.name] + 1e-15) * size + 1e-6 * (to is F16), *what, to)
        if dtype.kind == 'float':
            if self.succeeds(call(source.ref(), source.ref()), *what, 'in place'):
                self.written_near(source, want, ROUND * UNITS[dtype.name] * size + 1e-6 * (dtype is F16), *what,
                                  'in place')
                kept = np.broadcast_to(weight == 1, values.shape)
                self.expect(np.array_equal(source.view[kept], values[kept]), *what, 'changes what has weight 1')
        made = tess.Array()
        if self.succeeds(call(byref(made), source.ref()), *what, 'made'):
            wide = dtype.name in ('i32', 'u32', 'i64', 'u64', 'f64')
            self.expect(made.dtype == (dtype if dtype.kind == 'float' else F64 if wide else F32).number, *what, 'made')
            self.lib.tess_release(byref(made))

    def fade_to(self, opts):
        """What it fades to: None is the mean."""
        opts.value, opts.mean = self.rng.choice((0, 2.5, -1)), self.rng.randrange(2)
        return None if opts.mean else opts.value

    def tapers(self, rounds):
        for _ in range(rounds):
            for dtype in tess.REALS:
                shape, opts = self.random_shape(), TaperOpts()
                widths = [self.rng.choice((0, 1, 2.5, self.rng.uniform(0, 12))) for _ in range(3)]
                opts.width, opts.fraction = (c_double * 3)(*widths), self.rng.choice((0, 0.25, 0.5))
                opts.axes = self.rng.choice((0, 0x20, 0x40, 0x80, 0xc0, 0xe0))
                weight = np.ones((1, 1, 1, 1))
                for k in range(3):
                    n = shape[1 + k]
                    width = (widths[k] or (opts.fraction or 0.1) * n) if (opts.axes or 0xe0) & 0x20 << k else 0
                    weight = weight * edge_weights(n, width).reshape([-1 if i == 1 + k else 1 for i in range(4)])
                base = self.fade_to(opts)
                self.check_taper(lambda out, x: self.lib.tess_taper(out, x, byref(opts)), dtype,
                                 self.values_for(dtype, shape), weight, base, 'taper', dtype, shape, widths,
                                 opts.fraction, hex(opts.axes), base)

    def radial_tapers(self, rounds):
        for _ in range(rounds):
            for dtype in tess.REALS:
                shape, opts = self.random_shape(), RadialOpts()
                radius = self.rng.choice((0, 1, 2, self.rng.uniform(0, 12)))
                shift = [self.rng.choice((0, 0, self.rng.uniform(-3, 3))) for _ in range(3)]
                opts.width, opts.shift = self.rng.choice((0, 1, self.rng.uniform(0, 6))), (c_double * 3)(*shift)
                base = self.fade_to(opts)
                weight = radial_weights(radii(shape, shift), radius, opts.width)
                self.check_taper(lambda out, x: self.lib.tess_taper_radial(out, x, radius, byref(opts)), dtype,
                                 self.values_for(dtype, shape), weight, base, 'radial taper', dtype, shape, radius,
                                 opts.width, shift, base)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('windows', lambda: tests.windows(tess.rounds(200))), ('tapers', lambda: tests.tapers(tess.rounds(40))),
        ('radial tapers', lambda: tests.radial_tapers(tess.rounds(40)))))


if __name__ == '__main__':
    sys.exit(main())
