"""Layouts of spectra, frequencies, resizing and phase shifts compared with NumPy: python3 fft_layout.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Moves are compared bit by bit
with index arithmetic, spectra of real arrays with np.fft. The last line counts comparisons.
"""
import bisect
import ctypes
import itertools
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p
from fractions import Fraction

import numpy as np
from scipy import signal

import copies
import tess

np.seterr(all='ignore')

H, HC, F, FC = range(1, 5)
LAYOUTS = {H: 'h', HC: 'hc', F: 'f', FC: 'fc'}
BACKWARD, FORWARD, ORTHO, NONE = range(1, 5)
POWER, AMPLITUDE, PHASE, LOG = range(1, 5)
SETS = (0x10, 0x20, 0x40, 0x80)
C32, C64, F32, F64 = (tess.BY_NAME[name] for name in ('c32', 'c64', 'f32', 'f64'))


def parts_of_turns(shifts, k, n):
    """What shifts k / n, for each shift, exceeds the next whole number by: exactly, whatever np.longdouble is."""
    parts = [[turns - round(turns) for turns in (Fraction(float(s)) * int(cycle) / n for cycle in np.ravel(k))]
             for s in shifts]
    return np.array(parts, np.float64).reshape((len(shifts),) + np.shape(k)[1:])


class FrequenciesOpts(ctypes.Structure):
    _fields_ = [('layout', c_int32), ('axes', c_int32), ('dtype', c_int32), ('reserved', c_uint32 * 5)]


class ResizeOpts(ctypes.Structure):
    _fields_ = [('layout', c_int32), ('norm', c_int32), ('correct_nyquist', c_int32), ('reserved', c_uint32 * 5)]


class PhaseShiftOpts(ctypes.Structure):
    _fields_ = [('layout', c_int32), ('real_nyquist', c_int32), ('cutoff', c_double), ('reserved', c_uint32 * 4)]


class SpectrumOpts(ctypes.Structure):
    _fields_ = [('kind', c_int32), ('from_', c_int32), ('to', c_int32), ('reserved', c_uint32 * 5)]


# ---- References ----


def is_half(layout):
    return layout in (H, HC)


def spectrum_shape(shape, layout):
    return (*shape[:3], (shape[3] // 2 + 1 if shape[3] else 0) if is_half(layout) else shape[3])


def centred_axes(layout):
    return {H: (), F: (), HC: (1, 2), FC: (1, 2, 3)}[layout]


def negative(values, axis):
    """What is at the negative frequency along an axis."""
    return np.take(values, -np.arange(values.shape[axis]) % max(values.shape[axis], 1), axis)


def half_to_full(values, w):
    full = np.empty((*values.shape[:3], w), values.dtype)
    full[..., :w // 2 + 1] = values
    mirrored = negative(negative(values, 1), 2)
    for k in range(w // 2 + 1, w):
        full[..., k] = np.conj(mirrored[..., w - k]) if values.dtype.kind == 'c' else mirrored[..., w - k]
    return full


def remapped(values, shape, layout, to):
    values = np.fft.ifftshift(values, centred_axes(layout))
    if is_half(layout) and not is_half(to):
        values = half_to_full(values, shape[3])
    if is_half(to) and not is_half(layout):
        values = values[..., :shape[3] // 2 + 1 if shape[3] else 0]
    return np.fft.fftshift(values, centred_axes(to))


def resized_axis(values, axis, n, correct):
    """One axis of a full spectrum, zero frequency first."""
    m = values.shape[axis]
    out = np.zeros([n if k == axis else size for k, size in enumerate(values.shape)], values.dtype)
    at = lambda k: (slice(None),) * axis + (k,)
    s = min(m, n)
    for k in range(-(s // 2), (s + 1) // 2):
        out[at(k)] = values[at(k)]
    if correct and s and s % 2 == 0 and n != m:
        half = s // 2
        if n < m:
            out[at(-half)] = (values[at(-half)] + values[at(half)]) / 2
        else:
            out[at(-half)] = out[at(half)] = values[at(-half)] / 2
    return out


def resized(values, shape, to, layout, correct):
    values = np.fft.ifftshift(values, centred_axes(layout))
    half = is_half(layout)
    if half and correct:
        values = half_to_full(values, shape[3])
    for axis in (1, 2) if half and not correct else (1, 2, 3):
        values = resized_axis(values, axis, to[axis], correct)
    columns = spectrum_shape(to, layout)[3]
    if half and not correct:
        s = min(columns, values.shape[3])
        values = np.pad(values[..., :s], ((0, 0), (0, 0), (0, 0), (0, columns - s)))
    elif half:
        values = values[..., :columns]
    return np.fft.fftshift(values, centred_axes(layout))


def cycles(shape, layout, axis):
    """Whole frequencies along an axis, shaped to be broadcast."""
    n = shape[axis]
    if axis == 3 and is_half(layout):
        k = np.arange(n // 2 + 1 if n else 0)
    else:
        k = np.arange(n)
        k = k - n // 2 if axis in centred_axes(layout) else np.where(k < (n + 1) // 2, k, k - n)
    return k.reshape([-1 if i == axis else 1 for i in range(4)])


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        shape = tess.ShapeValue
        for name, result, arguments in (
                ('fft_remap', c_int, [c_void_p, c_void_p, shape, c_int, c_int]),
                ('fftshift', c_int, [c_void_p, c_void_p, c_int]),
                ('ifftshift', c_int, [c_void_p, c_void_p, c_int]),
                ('fft_resize', c_int, [c_void_p, c_void_p, shape, shape, c_void_p]),
                ('fft_frequencies', c_int, [c_void_p, shape, c_void_p]),
                ('fft_frequency', c_int, [c_void_p, c_int, c_int, c_int64, c_int64]),
                ('fft_index', c_int, [c_void_p, c_int, c_int, c_int64, c_double]),
                ('fft_phase_shift', c_int, [c_void_p, c_void_p, shape, c_void_p, c_void_p]),
                ('fft_spectrum', c_int, [c_void_p, c_void_p, shape, c_void_p]),
                ('fft_fast_size', c_int64, [c_int64])):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = result, arguments

    def values_for(self, dtype, shape):
        if dtype.kind == 'complex':
            return (self.generator.normal(size=shape) + 1j * self.generator.normal(size=shape)).astype(dtype.numpy)
        if dtype.kind == 'float':
            return self.generator.normal(0, 9, shape).astype(dtype.numpy)
        return self.generator.integers(0, 2 if dtype.kind == 'bool' else 100, shape).astype(dtype.numpy)

    def random_shape(self, least=1):
        """A signal, an image or a volume, odd and even."""
        rank = self.rng.choice((1, 2, 2, 3, 3))
        sizes = [self.rng.choice((1, 2, 3, 4, 5, 8, 9, self.rng.randint(least, 20))) for _ in range(3)]
        return (self.rng.randint(1, 3), *[1] * (3 - rank), *sizes[3 - rank:])

    def threads(self):
        self.lib.tess_threads_set(self.rng.choice((1, 2, 3)))

    def written_near(self, place, want, slack, *what):
        got = place.view.copy()
        error = np.max(np.abs(got.astype(np.complex128) - want), initial=0)
        self.expect(bool(error <= slack) and got.shape == want.shape, *what, f'off by {error:.3g}, not {slack:.3g}')
        self.expect(place.holds(got, any_nan=True), *what, 'writes outside the view')

    # ---- Layouts ----

    def check_remap(self, dtype, layout, to):
        shape = self.random_shape(0)
        values = self.values_for(dtype, spectrum_shape(shape, layout))
        want = remapped(values, shape, layout, to)
        source, out = self.place_with(values, dtype), self.place(want.shape, dtype)
        what = ('remap', dtype, shape, LAYOUTS[layout], LAYOUTS[to])
        self.threads()
        if self.succeeds(self.lib.tess_fft_remap(out.ref(), source.ref(), tess.shape_value(shape), layout, to), *what):
            self.written(out, want, *what)
        if is_half(layout) == is_half(to):
            place = self.place_with(values, dtype)
            if self.succeeds(self.lib.tess_fft_remap(place.ref(), place.ref(), tess.shape_value(shape), layout, to),
                             *what, 'in place'):
                self.written(place, want, *what, 'in place')

    def check_real_spectrum(self, layout, to):
        """Of a real array, all layouts hold the same numbers as np.fft's."""
        shape = self.random_shape()
        x = self.generator.normal(size=shape)
        full = np.fft.fftn(x, axes=(1, 2, 3))
        given = np.fft.rfftn(x, axes=(1, 2, 3)) if is_half(layout) else full
        given = np.fft.fftshift(given, centred_axes(layout))
        want = remapped(full, shape, F, to)
        source, out = self.place_with(given, C64), self.place(want.shape, C64)
        what = ('remap of a real array', shape, LAYOUTS[layout], LAYOUTS[to])
        if self.succeeds(self.lib.tess_fft_remap(out.ref(), source.ref(), tess.shape_value(shape), layout, to), *what):
            self.written_near(out, want, 1e-13 * x.size, *what)
        power = self.place(want.shape, F64)
        if self.succeeds(self.lib.tess_fft_remap(power.ref(), source.ref(), tess.shape_value(shape), layout, to),
                         *what, 'power'):
            self.written_near(power, np.abs(want)**2, 1e-13 * x.size**2, *what, 'power')

    def check_shift(self, dtype, name):
        shape = copies.Tests.random_shape(self)
        axes = self.rng.choice((0, *(sum(self.rng.sample(SETS, k)) for k in (1, 2, 3, 4))))
        numbers = [k for k in range(4) if (axes or 0xe0) & SETS[k]]
        values = np.ndarray(shape, dtype.numpy, self.random_bytes(max(int(np.prod(shape)), 1) * dtype.size))
        want = getattr(np.fft, name)(values, numbers)
        function = getattr(self.lib, 'tess_' + name)
        source, out, same = self.place_with(values, dtype), self.place(shape, dtype), self.place_with(values, dtype)
        self.threads()
        if self.succeeds(function(out.ref(), source.ref(), axes), name, dtype, shape, hex(axes)):
            self.expect(out.holds(want, any_nan=False), name, dtype, shape, hex(axes))
        if self.succeeds(function(same.ref(), same.ref(), axes), name, dtype, shape, hex(axes), 'in place'):
            self.expect(same.holds(want, any_nan=False), name, dtype, shape, hex(axes), 'in place')

    def layouts(self, rounds):
        for _ in range(rounds):
            for layout in LAYOUTS:
                for to in LAYOUTS:
                    for name in ('c32', 'c64', 'f32', 'f64', 'f16', 'i16', 'u64', 'bool'):
                        self.check_remap(tess.BY_NAME[name], layout, to)
                    for _ in range(4):
                        self.check_real_spectrum(layout, to)
            for dtype in tess.DTYPES:
                for name in ('fftshift', 'ifftshift'):
                    self.check_shift(dtype, name)

    # ---- Frequencies ----

    def check_frequencies(self, layout):
        shape = self.random_shape()
        dtype = self.rng.choice((F32, F64))
        axes = self.rng.choice((0, 0x20, 0x40, 0x80, 0x60, 0xa0, 0xc0, 0xe0))
        numbers = [k for k in range(1, 4) if (axes or 0xe0) & SETS[k]]
        rows = [cycles(shape, layout, k) / shape[k] for k in range(4)]
        each = rows[numbers[0]] if len(numbers) == 1 else np.sqrt(sum(rows[k]**2 for k in numbers))
        b = self.rng.randint(1, 3)
        want = np.broadcast_to(each, (b, *spectrum_shape(shape, layout)[1:])).astype(dtype.numpy)
        out = self.place(want.shape, dtype)
        what = ('frequencies', shape, LAYOUTS[layout], hex(axes), dtype)
        opts = FrequenciesOpts(layout, axes, 0)
        self.threads()
        if self.succeeds(self.lib.tess_fft_frequencies(out.ref(), tess.shape_value(shape), byref(opts)), *what):
            self.written(out, want, *what)
        made = tess.Array()
        if self.succeeds(self.lib.tess_fft_frequencies(byref(made), tess.shape_value(shape), byref(opts)), *what):
            self.expect(tuple(made.shape) == (1, *want.shape[1:]) and made.dtype == F64.number, *what, 'made')
            self.lib.tess_release(byref(made))

    def check_one_frequency(self, layout, axis):
        n = self.rng.choice((1, 2, 3, self.rng.randint(1, 200), self.rng.randint(1, 10**6)))
        k = cycles([1 if i != axis else n for i in range(4)], layout, axis).ravel()
        got, back = c_double(), c_double()
        places = self.rng.sample(range(len(k)), min(len(k), 20))
        for place in places:
            ok = self.lib.tess_fft_frequency(byref(got), layout, axis, n, place) == tess.OK and \
                self.lib.tess_fft_index(byref(back), layout, axis, n, got) == tess.OK
            self.expect(ok and got.value == k[place] / n and back.value == place, 'frequency', LAYOUTS[layout], axis, n,
                        place, got.value, back.value)
        if layout == F:
            numpy = np.fft.fftfreq(n)
            self.expect(bool(np.all(np.abs(k / n - numpy) <= 1e-16)), 'fftfreq', n)

    def frequencies(self, rounds):
        for _ in range(rounds):
            for layout in LAYOUTS:
                for _ in range(10):
                    self.check_frequencies(layout)
                for axis in (1, 2, 3):
                    self.check_one_frequency(layout, axis)
        self.check_fast_sizes()

    def check_fast_sizes(self):
        """The cheapest even size without large primes, by the costs of docs/fft.md."""
        costs = {}
        for a, b, c, d in itertools.product(range(1, 15), range(10), range(7), range(6)):
            n = 2**a * 3**b * 5**c * 7**d
            whole = n.bit_length() - 1
            log2 = whole + n / 2**whole - 1
            costs[n] = n * n * (0.93 + 0.1 * log2 + max(0, log2 - 10) + (0.07 * b + 0.1 * c + 0.14 * d))
        sizes = sorted(n for n in costs if n <= 2**14)
        best, cheapest = sizes[-1], {}
        for n in reversed(sizes):
            best = n if costs[n] <= costs[best] else best
            cheapest[n] = best
        for n in [*range(2, 3000), *(self.rng.randint(2, 2**13) for _ in range(100))]:
            want = cheapest[sizes[bisect.bisect_left(sizes, n)]]
            self.expect(self.lib.tess_fft_fast_size(n) == want, 'fast size of', n, self.lib.tess_fft_fast_size(n))

    # ---- Resizing ----

    def check_resize(self, dtype, layout, correct):
        shape = self.random_shape(0)
        to = (shape[0], *(self.rng.choice((n, n + 1, n + 2, max(n - 1, 0), max(n - 2, 0), self.rng.randint(0, 12)))
                          for n in shape[1:]))
        norm = self.rng.choice((0, NONE, FORWARD, ORTHO, BACKWARD))
        values = self.values_for(dtype, spectrum_shape(shape, layout))
        ratio = np.prod(to[1:]) / np.prod(shape[1:]) if 0 not in shape else 1
        scale = {ORTHO: np.sqrt(ratio), BACKWARD: ratio}.get(norm, 1.0)
        want = resized(values.astype(np.complex128), shape, to, layout, correct) * scale
        source, out = self.place_with(values, dtype), self.place(want.shape, dtype)
        what = ('resize', dtype, shape, to, LAYOUTS[layout], 'norm', norm, 'correct', correct)
        opts = ResizeOpts(layout, norm, correct)
        self.threads()
        if not self.succeeds(self.lib.tess_fft_resize(out.ref(), source.ref(), tess.shape_value(shape),
                                                      tess.shape_value(to), byref(opts)), *what):
            return
        unit = {'f16': 2.0**-10, 'f32': 2.0**-23, 'c32': 2.0**-23}.get(dtype.name, 2.0**-52)
        if scale == 1 and not correct:
            self.written(out, want.astype(dtype.numpy) if dtype.kind == 'complex' else want.real.astype(dtype.numpy),
                         *what)
        else:
            self.written_near(out, want, 8 * unit * scale * np.max(np.abs(values), initial=0), *what)

    def resize_real(self, x, to, correct):
        """A real array resized through its half spectrum."""
        given = np.fft.rfftn(x, axes=(1, 2, 3))
        source, out = self.place_with(given, C64), self.place(spectrum_shape(to, H), C64)
        opts = ResizeOpts(H, BACKWARD, correct)
        status = self.lib.tess_fft_resize(out.ref(), source.ref(), tess.shape_value(x.shape), tess.shape_value(to),
                                          byref(opts))
        self.succeeds(status, 'resize', x.shape, to)
        return out.view.copy()

    def check_interpolation(self):
        """Padded spectra, and those cropped to odd sizes, are those of arrays resampled as SciPy does it; those cropped
        to even sizes are of real arrays, too."""
        shape = self.random_shape()
        to = (shape[0], *(1 if n == 1 else self.rng.randint(1, 2 * n) for n in shape[1:]))
        x = self.generator.normal(size=shape)
        got = self.resize_real(x, to, 1)
        image = np.fft.irfftn(got, to[1:], axes=(1, 2, 3))
        what = ('interpolation', shape, to)
        back = np.fft.rfftn(image, axes=(1, 2, 3))
        self.expect(bool(np.max(np.abs(back - got)) <= 1e-12 * np.prod(to)), *what, 'is not of a real array')
        if all(m >= n or m % 2 for n, m in zip(shape[1:], to[1:])):
            want = x
            for axis in (1, 2, 3):
                want = signal.resample(want, to[axis], axis=axis) if to[axis] != shape[axis] else want
            self.expect(bool(np.max(np.abs(image - want)) <= 1e-12 * x.size), *what, np.max(np.abs(image - want)))

    def resizing(self, rounds):
        for _ in range(rounds):
            for layout in LAYOUTS:
                for correct in (0, 1):
                    for dtype in (C32, C64, F32, F64):
                        for _ in range(6):
                            self.check_resize(dtype, layout, correct)
                    self.check_resize(tess.BY_NAME['f16'], layout, correct)
            for _ in range(20):
                self.check_interpolation()

    # ---- Shifting ----

    def shift(self, values, shape, dtype, shifts, opts, *what):
        source, out = self.place_with(values, dtype), self.place(values.shape, dtype)
        if self.rng.random() < 0.3:
            out = source
        given = self.place_with(shifts.reshape(shifts.shape[0], 1, 1, -1), F64)
        self.threads()
        self.succeeds(self.lib.tess_fft_phase_shift(out.ref(), source.ref(), tess.shape_value(shape), given.ref(),
                                                    byref(opts)), *what)
        return out

    def rank(self, shape):
        return 3 if shape[1] > 1 else 2 if shape[2] > 1 else 1

    def random_shifts(self, shape, whole=False):
        m = self.rng.randint(self.rank(shape), 3)
        b = self.rng.choice((1, shape[0]))
        scale = self.rng.choice((1, 30, 1e6))
        shifts = self.generator.normal(0, scale, (b, m))
        return np.rint(shifts) if whole else shifts

    def check_phase_shift(self, dtype, layout):
        shape = self.random_shape()
        shifts = self.random_shifts(shape)
        real_nyquist = self.rng.randint(0, 1)
        cutoff = self.rng.choice((0, 0, 0.125, 0.3, 0.5))
        factor = np.ones((1, 1, 1, 1), np.complex128)
        for i in range(shifts.shape[1]):
            axis = 4 - shifts.shape[1] + i
            k, n = cycles(shape, layout, axis), shape[axis]
            one = np.exp(-2j * np.longdouble('3.14159265358979323846') * parts_of_turns(shifts[:, i], k, n))
            factor = factor * np.where((2 * np.abs(k) == n) & bool(real_nyquist), one.real, one)
        length = np.sqrt(sum((cycles(shape, layout, k) / shape[k])**2 for k in (1, 2, 3)))
        cutoff = float(self.rng.choice(length.ravel())) if self.rng.random() < 0.3 else cutoff
        factor = np.where(length > cutoff, 1, factor) if cutoff else factor
        values = self.values_for(dtype, spectrum_shape(shape, layout))
        what = ('phase shift', dtype, shape, LAYOUTS[layout], shifts.tolist(), real_nyquist, cutoff)
        out = self.shift(values, shape, dtype, shifts, PhaseShiftOpts(layout, real_nyquist, cutoff), *what)
        unit = 2.0**-23 if dtype is C32 else 2.0**-51
        self.written_near(out, np.complex128(values * factor), 3 * unit * np.max(np.abs(values)), *what)

    def check_roll(self):
        """Whole pixels are np.roll, however many."""
        shape = self.random_shape()
        shifts = self.random_shifts(shape, whole=True)
        x = self.generator.normal(size=shape)
        what = ('roll', shape, shifts.tolist())
        out = self.shift(np.fft.rfftn(x, axes=(1, 2, 3)), shape, C64, shifts, PhaseShiftOpts(H), *what)
        got = np.fft.irfftn(out.view, shape[1:], axes=(1, 2, 3))
        for i in range(shape[0]):
            moves = tuple(int(s) for s in shifts[i if len(shifts) > 1 else 0])
            want = np.roll(x[i], moves, tuple(range(3 - len(moves), 3)))
            self.expect(bool(np.max(np.abs(got[i] - want)) < 1e-12), *what, np.max(np.abs(got[i] - want)))

    def check_half_turns(self, dtype, layout):
        """By n / 2 along each axis: exactly 1 or -1."""
        shape = tuple(n + n % 2 if n > 1 and k else n for k, n in enumerate(self.random_shape()))
        shifts = np.array([[n / 2 * (1 + 2 * self.rng.randint(-10**6, 10**6)) if n > 1 else 0 for n in shape[1:]]])
        sign = (-1.0)**sum(cycles(shape, layout, k) * (shape[k] > 1) for k in (1, 2, 3))
        values = self.values_for(dtype, spectrum_shape(shape, layout))
        what = ('half turns', dtype, shape, LAYOUTS[layout])
        out = self.shift(values, shape, dtype, shifts, PhaseShiftOpts(layout), *what)
        self.expect(np.array_equal(out.view, values * sign), *what)

    def shifting(self, rounds):
        for _ in range(rounds):
            for layout in LAYOUTS:
                for dtype in (C32, C64):
                    for _ in range(6):
                        self.check_phase_shift(dtype, layout)
                    self.check_half_turns(dtype, layout)
            for _ in range(10):
                self.check_roll()

    # ---- Spectra ----

    def check_spectrum(self, dtype, kind, layout, to):
        shape = self.random_shape()
        values = self.values_for(dtype, spectrum_shape(shape, layout))
        moved = remapped(values, shape, layout, to)
        want = {POWER: lambda x: x.real**2 + x.imag**2, AMPLITUDE: lambda x: np.hypot(x.real, x.imag), PHASE: np.angle,
                LOG: lambda x: np.log1p(np.hypot(x.real, x.imag))}[kind](moved.astype(np.complex128))
        real = self.rng.choice((F32, F64))
        source, out = self.place_with(values, dtype), self.place(want.shape, real)
        what = ('spectrum', dtype, real, shape, kind, LAYOUTS[layout], LAYOUTS[to])
        self.threads()
        if self.succeeds(self.lib.tess_fft_spectrum(out.ref(), source.ref(), tess.shape_value(shape),
                                                    byref(SpectrumOpts(kind, layout, to))), *what):
            unit = 2.0**-22 if C32 is dtype or real is F32 else 2.0**-51
            self.written_near(out, want, unit * np.max(np.abs(want), initial=0), *what)

    def spectra(self, rounds):
        for _ in range(rounds):
            for kind in (POWER, AMPLITUDE, PHASE, LOG):
                for layout in LAYOUTS:
                    for to in LAYOUTS:
                        self.check_spectrum(self.rng.choice((C32, C64)), kind, layout, to)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('layouts', lambda: tests.layouts(tess.rounds(15))),
        ('frequencies', lambda: tests.frequencies(tess.rounds(20))),
        ('resizing', lambda: tests.resizing(tess.rounds(20))), ('shifting', lambda: tests.shifting(tess.rounds(25))),
        ('spectra', lambda: tests.spectra(tess.rounds(15)))))


if __name__ == '__main__':
    sys.exit(main())
