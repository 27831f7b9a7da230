"""Fits of the CTF to power spectra that NumPy makes: python3 ctf_fit.py libtessera.so [seed]

Rings by the formula of filter.py over a background, times the noise that averages of 300 periodograms have, at random: shapes
odd and even, layouts, dtypes, batches, strides, microscopes. Fits must be near the truth; curves and resolution are
computed again from what they are made of. The last line counts comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int32, c_uint32, c_void_p

import numpy as np

import copies
import fft_layout
import tess
from fft_layout import F64, LAYOUTS, remapped, spectrum_shape
from filter import ctf_values, length, wavelength

H, F = 1, 3


class FitOpts(ctypes.Structure):
    _fields_ = [(name, c_double) for name in ('min_defocus', 'max_defocus', 'max_astigmatism', 'tolerated_astigmatism',
                                              'min_phase_shift', 'max_phase_shift', 'low', 'high')]
    _fields_ += [('errors', c_void_p), ('curves', c_void_p), ('isotropic', c_int32), ('layout', c_int32),
                 ('unrestrained', c_int32), ('reserved', c_uint32 * 5)]


def half_turns(row, f):
    """Phase / pi of the isotropic CTF at frequencies of its mean pixel."""
    r, wave = f / np.mean(row[:2]), wavelength(row[5])
    phase = -np.pi * wave * 1e4 * row[2] * r**2 + np.pi / 2 * 1e7 * row[7] * wave**3 * r**4 - row[8] - np.arcsin(row[6])
    return phase / np.pi


def agreement(measured, model, turns, first):
    """Correlation in windows of one and a half periods, five samples at least."""
    n, result = len(model), np.zeros(len(model))
    for i in range(first, n):
        if i > first and abs(turns[i] - turns[i - 1]) > 0.5:
            break
        low, high = max(i - 2, first), min(i + 2, n - 1)
        while low > first and abs(turns[low - 1] - turns[i]) <= 0.75:
            low -= 1
        while high < n - 1 and abs(turns[high + 1] - turns[i]) <= 0.75:
            high += 1
        result[i] = np.corrcoef(measured[low:high + 1], model[low:high + 1])[0, 1]
    return result


def crossing(curve, first):
    """Where a curve that was above 1/2 falls below it."""
    above = np.flatnonzero(curve[first:] >= 0.5)
    if not above.size:
        return 0.0
    i = first + above[0]
    while i + 1 < len(curve) and curve[i + 1] >= 0.5:
        i += 1
    return i if i + 1 == len(curve) else i + (curve[i] - 0.5) / (curve[i] - curve[i + 1])


class Tests(fft_layout.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        lib.tess_ctf_fit.restype = c_int
        lib.tess_ctf_fit.argtypes = [c_void_p] * 4 + [tess.ShapeValue, c_void_p, c_void_p]

    def truth(self, shape):
        """A microscope whose rings the spectrum has, at 5 angstrom or 0.4 cycles per pixel."""
        rng = self.rng
        pixel = rng.uniform(1.1, 2)
        row = np.zeros(17)
        row[0], row[1] = pixel, pixel * rng.choice((1, 1, 0.9))
        row[3], row[4] = rng.uniform(0.05, 0.15), rng.uniform(-1.5, 1.5)
        row[10] = rng.choice((1, 2))
        row[5], row[6], row[7] = rng.choice((200, 300)), rng.uniform(0, 0.2), rng.choice((0, 1.4, 2.7))
        most = min(shape[2] * row[0], shape[3] * row[1]) / (4 * wavelength(row[5]) * 1e4 / 8)
        row[2] = rng.uniform(0.6, min(3, most))
        return row

    def check_fit(self):
        rng = self.rng
        shape = (rng.choice((1, 2)), 1, rng.randint(180, 230), rng.randint(180, 230))
        layout, dtype = rng.choice(list(LAYOUTS)), tess.BY_NAME[rng.choice(('f32', 'f64'))]
        row, shifted = self.truth(shape), rng.random() < 0.3
        row[8] = rng.uniform(0.3, 2) if shifted else 0
        f = length((1, *shape[1:]), F)
        rings = ctf_values((1, *shape[1:]), F, row)[0]**2 * np.exp(-3 * f)
        power = (1 + rings) * (0.3 + np.exp(-8 * f)) * self.generator.gamma(300, 1 / 300, shape)
        source = self.place_with(remapped(power, shape, F, layout), dtype)
        out = [self.place(sizes, F64) for sizes in ((shape[0], 1, 1, 17), (shape[0], 1, 1, 1), (shape[0], 1, 1, 1),
                                                    (shape[0], 1, 3, min(shape[2:]) // 2 + 1))]
        opts = FitOpts(max_phase_shift=np.pi if shifted else 0, layout=layout, curves=ctypes.addressof(out[3].array))
        known = row.copy()
        known[2:5] = known[8] = 0
        for column, default in ((1, row[0]), (5, 300), (10, 1)):  # 0 stands for it, and the fit says what
            if row[column] == default and rng.random() < 0.5:
                known[column] = 0
        what = ('ctf_fit', dtype, shape, LAYOUTS[layout], *np.round(row[:9], 3))
        self.threads()
        if self.succeeds(self.lib.tess_ctf_fit(*(o.ref() for o in out[:3]), source.ref(), tess.shape_value(shape),
                                               known.ctypes.data, byref(opts)), *what):
            for b in range(shape[0]):
                self.compare(row, [o.view[b].copy().reshape(o.view.shape[2:]) for o in out], min(shape[2:]), what)
            for o in out:
                self.expect(o.holds(o.view.copy(), any_nan=True), *what, 'writes outside the view')

    def compare(self, row, got, size, what):
        fit, score, resolution, curves = got[0][0], got[1].item(), got[2].item(), got[3]
        angle = np.abs(np.remainder(fit[4] - row[4] + np.pi / 2, np.pi) - np.pi / 2)
        wide = 2 if row[8] else 1  # a phase shift takes part of what the defocus does
        self.expect(abs(fit[2] - row[2]) < 0.01 * wide and abs(fit[3] - row[3]) < 0.01 and
                    angle < np.deg2rad(2) * max(1, 0.08 / row[3]) and abs(fit[8] - row[8]) < 0.15, *what, fit[:9])
        self.expect(np.array_equal(np.delete(fit, (2, 3, 4, 8)), np.delete(row, (2, 3, 4, 8))) and 0 < score <= 1, *what,
                    'known', fit)
        turns = half_turns(fit, np.arange(curves.shape[1]) / size)
        first = int(np.ceil(np.mean(row[:2]) / 30 * size))
        self.expect(np.allclose(curves[1], np.sin(np.pi * turns)**2, atol=1e-8), *what, 'model')
        self.expect(np.allclose(curves[2], agreement(curves[0], curves[1], turns, first), atol=1e-6), *what, 'agreement')
        self.expect(abs(resolution - crossing(curves[2], first) / size) < 1e-9 and resolution > 0.1, *what, resolution)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (('fits', lambda: [tests.check_fit() for _ in range(tess.rounds(80))]),))


if __name__ == '__main__':
    sys.exit(main())
