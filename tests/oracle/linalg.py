"""Products of matrices, least squares and surfaces compared with NumPy: python3 linalg.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. With TESS_BLAS set, only
products that it gets are compared. The last line counts comparisons.
"""
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_uint32, c_void_p

import numpy as np

import copies
import tess

FORMS = {0: lambda x: x, 1: lambda x: x, 2: lambda x: x.swapaxes(2, 3), 3: lambda x: x.swapaxes(2, 3).conj()}
SIZES = (0, 1, 2, 3, 7, 12, 31, 64, 65, 130)
LARGE = (128, 129, 131, 140)  # whose products a BLAS gets
FLOATS = [tess.BY_NAME[name] for name in ('f16', 'f32', 'f64', 'c16', 'c32', 'c64')]


class MatmulOpts(ctypes.Structure):
    _fields_ = [('form_a', c_int32), ('form_b', c_int32), ('alpha', c_double), ('beta', c_double),
                ('reserved', c_uint32 * 4)]


class LstsqOpts(ctypes.Structure):
    _fields_ = [('cond', c_double), ('singular_values', POINTER(tess.Array)), ('rank', POINTER(tess.Array)),
                ('reserved', c_uint32 * 4)]


class PolyfitOpts(ctypes.Structure):
    _fields_ = [('subtract', c_int32), ('unused', c_int32), ('parameters', POINTER(tess.Array)),
                ('reserved', c_uint32 * 4)]


def plain(values, dtype):
    """As a type that NumPy computes with: c16 as pairs becomes complex."""
    if dtype.name != 'c16':
        return values
    out = np.empty(values.shape, 'c8')
    out.real, out.imag = copies.parts_of(values)
    return out


def common_dtype(a, b):
    """NumPy's common dtype of two, c16 being c32; and whether it is half as wide."""
    names = {np.dtype(d.numpy if d.name != 'c16' else 'c8') for d in (a, b)}
    half = all(d.name in ('f16', 'c16') or d.size == 1 for d in (a, b)) and \
        any(d.name in ('f16', 'c16') for d in (a, b))
    return np.result_type(*names), half


def product_dtype(a, b):
    """The dtype of a product, from NumPy's own rules."""
    common, half = common_dtype(a, b)
    if common.kind == 'c':
        return tess.BY_NAME['c32' if common.itemsize == 8 or half else 'c64']
    if common.kind == 'f':
        return tess.BY_NAME['f64' if common.itemsize == 8 else 'f32']
    return tess.BY_NAME['u64' if common.kind == 'u' else 'i64']


def float_dtype(a, b):
    """The dtype of a solution: that of a product, integers of up to 16 bits as f32, others as f64."""
    common, _ = common_dtype(a, b)
    if common.kind in 'fc':
        return product_dtype(a, b)
    return tess.BY_NAME['f32' if common.itemsize <= 2 else 'f64']


def product_of(x, y):
    """x y; of complex numbers each part by itself, so that infinities and NaNs are those of its own terms."""
    if x.dtype.kind != 'c':
        return np.matmul(x, y)
    out = np.empty(np.broadcast_shapes(x.shape[:2], y.shape[:2]) + (x.shape[2], y.shape[3]), x.dtype)
    out.real = np.matmul(x.real, y.real) - np.matmul(x.imag, y.imag)
    out.imag = np.matmul(x.real, y.imag) + np.matmul(x.imag, y.real)
    return out


def scaled(x, number):
    """x times a whole number; of complex numbers each part."""
    if x.dtype.kind != 'c':
        return x * np.array(number).astype(x.dtype)
    out = x.copy()
    out.real *= number
    out.imag *= number
    return out


def finite(x):
    return np.nan_to_num(x, nan=0, posinf=0, neginf=0)


def near(got, want, slack):
    """Each part as close as that, or the same infinity, or both NaN."""
    pairs = [(got.real, want.real), (got.imag, want.imag)] if want.dtype.kind == 'c' else [(got, want)]
    return all(np.all((np.abs(a - b) <= slack) | (a == b) | (np.isnan(a) & np.isnan(b))) for a, b in pairs)


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        for name in ('matmul', 'lstsq'):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, [c_void_p, c_void_p, c_void_p, c_void_p]
        lib.tess_polyfit_surface.restype = c_int
        lib.tess_polyfit_surface.argtypes = [c_void_p, c_void_p, c_int, c_void_p]
        lib.tess_linalg_provider.restype = c_char_p

    def values_for(self, dtype, shape):
        if dtype.kind == 'bool':
            return self.generator.integers(0, 2, shape).astype(bool)
        if dtype.kind in ('int', 'uint'):
            return self.generator.integers(0, 256, (*shape, dtype.size), np.uint8).view(dtype.numpy)[..., 0]
        if dtype.kind == 'complex':
            real = tess.BY_NAME[dtype.real]
            return copies.complex_from(self.values_for(real, shape), self.values_for(real, shape), dtype)
        return self.generator.normal(0, 1, shape).astype(dtype.numpy)

    def around(self, place, *what):
        """Nothing but the view was written."""
        self.expect(place.holds(place.view.copy(), any_nan=True), *what, 'writes outside the view')

    # ---- Products ----

    def with_odd(self, values, dtype):
        """Some of the numbers are infinite or NaN."""
        values = values.copy()
        for part in copies.float_parts(values):
            odd = self.generator.random(part.shape) < self.rng.choice((0.003, 0.03, 0.3))
            part[odd] = self.generator.choice([np.nan, np.inf, -np.inf, np.inf], int(odd.sum()))
        return values

    def check_product(self, da, db, lengths=SIZES, most=3, contiguous=0.0, odd=False):
        """Of matrices of these sizes, up to `most` along B and D, so many of which are contiguous."""
        m, k, n = (self.rng.choice(lengths) for _ in range(3))
        batch = [self.rng.randint(1, most) for _ in range(2)]
        opts = MatmulOpts(self.rng.randrange(4), self.rng.randrange(4), self.rng.choice((0, 1, 2, -3)),
                          self.rng.choice((0, 0, 1, 2)))
        shapes = [[b if self.rng.random() < 0.7 else 1 for b in batch] for _ in range(2)]
        sizes = [(m, k), (k, n)]
        for i, form in enumerate((opts.form_a, opts.form_b)):
            shapes[i] = (*shapes[i], *(sizes[i] if form < 2 else sizes[i][::-1]))
        a, b = self.values_for(da, shapes[0]), self.values_for(db, shapes[1])
        if odd:
            a, b = self.with_odd(a, da), self.with_odd(b, db)
        out = product_dtype(da, db)
        what = ('matmul', da, db, shapes, opts.form_a, opts.form_b, opts.alpha, opts.beta)
        wide = out.numpy if out.kind in ('int', 'uint') else 'c16' if out.kind == 'complex' else 'f8'
        x, y = FORMS[opts.form_a](plain(a, da).astype(wide)), FORMS[opts.form_b](plain(b, db).astype(wide))
        with np.errstate(all='ignore'):
            product, alpha = product_of(x, y), opts.alpha or 1
            size = np.matmul(np.abs(finite(x)), np.abs(finite(y))) if wide in ('f8', 'c16') else 0
            before = self.values_for(out, product.shape)
            want = scaled(product, int(alpha))
            if opts.beta:
                want = want + scaled(before.astype(wide), int(opts.beta))
            elif odd:
                before = self.with_odd(before, out)  # is not read
        sources = [self.place_with(x, d, self.rng.random() < contiguous) for x, d in ((a, da), (b, db))]
        place = self.place_with(before, out, self.rng.random() < contiguous)
        self.lib.tess_threads_set(self.rng.choice((1, 2, 3)))
        if not self.succeeds(self.lib.tess_matmul(place.ref(), sources[0].ref(), sources[1].ref(), byref(opts)), *what):
            return
        got = place.view.copy()
        if wide in ('f8', 'c16'):
            unit = 2.0**-23 if out.name in ('f32', 'c32') else 2.0**-52
            good = near(got, want, unit * ((abs(alpha) * size + np.abs(finite(before))) * (4 + k**0.5)))
        else:
            good = np.array_equal(got, want.astype(out.numpy))
        self.expect(good, *what)
        self.around(place, *what)

    def products(self, rounds):
        for _ in range(rounds):
            for da in tess.SCALARS:
                self.check_product(da, self.rng.choice(tess.SCALARS))
                self.check_product(da, da)
        self.lib.tess_threads_set(0)

    def odd_products(self, rounds):
        """With infinities and NaNs; what a BLAS makes of complex ones is its own."""
        for _ in range(rounds):
            for da in FLOATS:
                self.check_product(da, da, odd=True)
                self.check_product(da, self.rng.choice(tess.SCALARS), odd=True)
        self.lib.tess_threads_set(0)

    def large_products(self, rounds):
        for _ in range(rounds):
            for da in FLOATS:
                self.check_product(da, da, LARGE, 2, 0.8)
                self.check_product(da, self.rng.choice(FLOATS), LARGE, 1, 0.8)
        self.lib.tess_threads_set(0)

    # ---- Least squares ----

    def solved(self, da, db, a, b, k, cond):
        """The outputs of tess_lstsq, or None: x, singular values (None if not asked for), ranks, and what it was."""
        dtype, batch = float_dtype(da, db), np.broadcast_shapes(a.shape[:2], b.shape[:2])
        n, least = a.shape[3], min(a.shape[2:])
        x, values = self.place((*batch, n, k), dtype), self.place((*batch, 1, least), tess.BY_NAME[dtype.real])
        ranks = self.place((*batch, 1, 1), tess.BY_NAME['i64'])
        opts = LstsqOpts(cond, ctypes.pointer(values.array), ctypes.pointer(ranks.array))
        if not cond and self.rng.random() < 0.5:
            opts.singular_values, values = None, None
        what = ('lstsq', da, db, a.shape, b.shape, 'cond', cond)
        sources = self.place_with(a, da), self.place_with(b, db)
        self.lib.tess_threads_set(self.rng.choice((1, 2)))
        if not self.succeeds(self.lib.tess_lstsq(x.ref(), sources[0].ref(), sources[1].ref(), byref(opts)), *what):
            return None
        for place in (x, ranks):
            self.around(place, *what)
        return x, values, ranks, what

    def check_lstsq(self, da, db, a, b, rank=None, cond=0):
        """The rank is less than full if it is given, and is then found by a condition of its own."""
        dtype, (m, n), k = float_dtype(da, db), a.shape[2:], b.shape[3]
        single, wide = dtype.name in ('f32', 'c32'), 'c16' if dtype.kind == 'complex' else 'f8'
        eps = 2.0**-23 if single else 2.0**-52
        if rank is not None:
            cond = 1e-4 if single else 1e-10
        results = self.solved(da, db, a, b, k, cond)
        if not results:
            return
        x, values, ranks, what = results
        batch = x.view.shape[:2]
        lefts, rights = (np.broadcast_to(plain(y, d).astype(wide), (*batch, *y.shape[2:]))
                         for y, d in ((a, da), (b, db)))
        for i in np.ndindex(*batch):
            want, _, count, sizes = np.linalg.lstsq(lefts[i], rights[i], rcond=eps if cond < 0 else cond or eps * max(m, n))
            scale = np.abs(want).max(initial=0) + 1e-300
            spread = sizes[0] / sizes[count - 1] if count else 1
            slack = (eps * 4 + 2.0**-52 * 1000 * spread**2) * scale * max(m, n)
            if rank is not None and single:
                slack += 1e-5 * spread * scale  # what rounding to f32 adds to the matrix is cut off in another place
            self.expect(np.all(np.abs(x.view[i] - want) <= slack), *what, 'x', np.abs(x.view[i] - want).max(initial=0))
            self.expect(int(ranks.view[i][0, 0]) == count, *what, 'rank is', ranks.view[i][0, 0], 'not', count)
            if values:
                self.expect(np.all(np.abs(values.view[i][0] - sizes) <= 4 * eps * sizes[0] * max(m, n)), *what, 'values')

    def random_batches(self):
        """B and D of a and b, which broadcast."""
        batch = self.rng.randint(1, 3), self.rng.randint(1, 2)
        return [tuple(self.rng.choice((n, n, 1)) for n in batch) for _ in range(2)]

    def check_random_lstsq(self, dtype, m, n, k, rank):
        left, right = self.random_batches()
        a, b = self.values_for(dtype, (*left, m, n)), self.values_for(dtype, (*right, m, k))
        if rank is not None:
            a = np.matmul(self.values_for(dtype, (*left, m, rank)), self.values_for(dtype, (*left, rank, n)))
            a = a.astype(dtype.numpy)
        self.check_lstsq(dtype, dtype, a, b, rank, self.rng.choice((0, -1)))

    def least_squares(self, rounds):
        for _ in range(rounds):
            for name in ('f32', 'f64', 'c32', 'c64'):
                m, n, k = (self.rng.choice((1, 2, 3, 5, 8, 13, 30)) for _ in range(3))
                self.check_random_lstsq(tess.BY_NAME[name], m, n, k, None)
                if min(m, n) > 2:
                    self.check_random_lstsq(tess.BY_NAME[name], m, n, k, self.rng.randrange(1, min(m, n)))
        self.lib.tess_threads_set(0)

    def small_values(self, dtype, shape):
        """Numbers whose sums of products are exact in f64."""
        values = self.values_for(dtype, shape)
        return (values % 20).astype(dtype.numpy) if dtype.kind in ('int', 'uint') else values

    def mixed_least_squares(self, rounds):
        """Any two dtypes; a of equal elements has rank 1, or 0 if they are zeros."""
        for _ in range(rounds):
            for da in tess.SCALARS:
                db, (left, right) = self.rng.choice(tess.SCALARS), self.random_batches()
                m, n, k = (self.rng.choice((1, 2, 4, 7)) for _ in range(3))
                b = self.small_values(db, (*right, m, k))
                if da.kind != 'bool':
                    self.check_lstsq(da, db, self.small_values(da, (*left, m, n)), b)
                constant = self.small_values(da, (1, 1, 1, 1))
                for one in (constant, np.zeros_like(constant)):
                    same = np.broadcast_to(one, (*left, m, n))
                    self.check_lstsq(da, db, same, np.broadcast_to(b[:, :, :1, :1], b.shape) if m > 4 else b)
        self.lib.tess_threads_set(0)

    # ---- Surfaces ----

    def check_surface(self, dtype, order):
        batch, h, w = self.rng.randrange(1, 4), self.rng.randrange(4, 20), self.rng.randrange(4, 20)
        values = self.values_for(dtype, (batch, 1, h, w))
        if dtype.kind in ('int', 'uint'):
            values = values % 100
        y, x = (t.ravel().astype(float) for t in np.mgrid[:h, :w])
        powers = np.stack([x**0, x, y, x * y, x**2, y**2, x**2 * y, x * y**2, x**3, y**3])[:(3, 6, 10)[order - 1]].T
        result = tess.BY_NAME['f32' if dtype.size <= 2 or dtype.name == 'f32' else 'f64']
        out, parameters = self.place(values.shape, result), self.place((batch, 1, 1, powers.shape[1]), tess.BY_NAME['f64'])
        opts = PolyfitOpts(self.rng.randrange(2), 0, ctypes.pointer(parameters.array))
        what = ('polyfit_surface', dtype, values.shape, order, opts.subtract)
        source = self.place_with(values, dtype)
        if not self.succeeds(self.lib.tess_polyfit_surface(out.ref(), source.ref(), order, byref(opts)), *what):
            return
        for i in range(batch):
            image = values[i, 0].ravel().astype(float)
            want = np.linalg.lstsq(powers, image, rcond=None)[0]
            surface = powers @ want
            self.expect(np.allclose(parameters.view[i, 0, 0], want, rtol=1e-7, atol=1e-9 * np.abs(want).max()), *what,
                        'parameters', parameters.view[i, 0, 0], want)
            target = (image - surface if opts.subtract else surface).reshape(h, w)
            near = 1e-6 if result.name == 'f32' else 1e-9
            self.expect(np.allclose(out.view[i, 0], target, rtol=near, atol=near * np.abs(image).max(initial=1)), *what)
        self.around(out, *what)
        self.around(parameters, *what)

    def surfaces(self, rounds):
        for _ in range(rounds):
            for dtype in tess.REALS:
                for order in (1, 2, 3):
                    self.check_surface(dtype, order)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    provider = tests.lib.tess_linalg_provider().decode()
    print('products by', provider)
    parts = [('large products', lambda: tests.large_products(tess.rounds(4)))]
    if not os.environ.get('TESS_BLAS'):
        parts += [('products', lambda: tests.products(tess.rounds(8))),
                  ('infinities and NaNs', lambda: tests.odd_products(tess.rounds(8))),
                  ('least squares', lambda: tests.least_squares(tess.rounds(30))),
                  ('mixed least squares', lambda: tests.mixed_least_squares(tess.rounds(6))),
                  ('surfaces', lambda: tests.surfaces(tess.rounds(4)))]
    elif provider == 'native':
        print('SKIPPED products by a BLAS: none is installed (libopenblas0-pthread)')
        print('0 passed, 0 failed, 1 skipped')
        return 0
    return copies.run_parts(tests, parts)


if __name__ == '__main__':
    sys.exit(main())
