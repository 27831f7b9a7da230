"""Equations and factors of matrices compared with NumPy: python3 decompose.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Every call is made with one
thread and with several, which must give the same bits. With TESS_BLAS set, large ones alone are
compared. The last line counts comparisons.
"""
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_int, c_int32, c_uint32, c_void_p

import numpy as np

import copies
import tess

SIZES = (1, 1, 2, 3, 4, 7, 12, 31, 33, 64, 70)
RESULTS = [tess.BY_NAME[name] for name in ('f32', 'f64', 'c32', 'c64')]
ARGUMENTS = {'solve': 3, 'inverse': 2, 'determinant': 3, 'cholesky': 3, 'qr': 4, 'eigh': 4, 'svd': 5}


class FlagOpts(ctypes.Structure):
    _fields_ = [('flag', c_int32), ('unused', c_int32), ('reserved', c_uint32 * 4)]


class DeterminantOpts(ctypes.Structure):
    _fields_ = [('sign', POINTER(tess.Array)), ('log_abs', POINTER(tess.Array)), ('reserved', c_uint32 * 4)]


def adjoint(x):
    return x.swapaxes(-1, -2).conj()


def wide(x):
    return x.astype('c16' if x.dtype.kind == 'c' else 'f8')


def largest(x):
    return np.abs(x).max(initial=0)


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        for name, n in ARGUMENTS.items():
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, [c_void_p] * n

    # ---- Matrices ----

    def normal(self, dtype, shape):
        x = self.generator.normal(size=shape)
        return (x + 1j * self.generator.normal(size=shape) if dtype.kind == 'complex' else x).astype(dtype.numpy)

    def batch(self):
        return self.rng.randint(1, 3), self.rng.randint(1, 2)

    def matrices(self, dtype, m, n):
        """Of some kind: any numbers, rows or columns of very different size, of less than full rank, very large or small."""
        x = wide(self.normal(dtype, (*self.batch(), m, n)))
        kind = self.rng.randrange(7)
        largest_power = 30 if dtype.real == 'f32' else 140
        if kind == 1:
            x = x * 10.0**np.linspace(0, -12, m)[:, None]
        elif kind == 2:
            x = x * 10.0**np.linspace(0, -12, n)
        elif kind == 3 and min(m, n) > 1:
            rank = self.rng.randrange(1, min(m, n))
            x = x[..., :rank] @ wide(self.normal(dtype, (*x.shape[:2], rank, n)))
        elif kind == 4:
            x = x * 10.0**self.rng.choice((-largest_power, largest_power))
        elif kind == 5:
            x = np.round(x) * (self.generator.random(x.shape) < 0.5)
        elif kind == 6:
            x[...] = self.rng.choice((0, 1))
        return x.astype(dtype.numpy)

    def called(self, name, inputs, wanted, flag=None):
        """The results of a call, of these shapes and dtypes (None: not wanted), or None if it fails; the same for any
        number of threads and any strides."""
        what = (name, *[(x.shape, d) for x, d in inputs], flag)
        results = []
        for threads in (1, self.rng.choice((2, 5))):
            self.lib.tess_threads_set(threads)
            sources = [self.place_with(x, d) for x, d in inputs]
            places = [w and self.place(*w) for w in wanted]
            refs = [p and p.ref() for p in places]
            if name == 'determinant':
                opts = DeterminantOpts(*(ctypes.pointer(p.array) for p in places[1:]))
                args = refs[0], sources[0].ref(), byref(opts)
            else:
                args = (*refs, *(s.ref() for s in sources))
                args += () if flag is None else (byref(FlagOpts(flag)),)
            if not self.succeeds(getattr(self.lib, 'tess_' + name)(*args), *what):
                return None
            for p in places:
                if p:
                    self.expect(p.holds(p.view.copy(), any_nan=True), *what, 'writes outside the view')
            results.append([p and p.view.copy() for p in places])
        same = all(a is None or a.tobytes() == b.tobytes() for a, b in zip(*results))
        self.expect(same, *what, 'depends on threads or strides')
        return results[0]

    def close(self, got, want, slack, *what):
        error = largest(wide(got) - want)
        self.expect(error <= slack, *what, 'error', error, 'allowed', slack)

    def are_equal(self, a, b, *what):
        """The same bits, or nearly so from a LAPACK."""
        error = 1e-6 * largest(b) if os.environ.get('TESS_BLAS') else 0
        self.expect(a.tobytes() == b.tobytes() or largest(wide(a) - wide(b)) < error, *what)

    @staticmethod
    def unit(dtype):
        return 2.0**-23 if dtype.real == 'f32' or dtype.name == 'f32' else 2.0**-52

    def real(self, dtype):
        return tess.BY_NAME[dtype.real] if dtype.kind == 'complex' else dtype

    def are_orthonormal(self, q, dtype, *what):
        q = wide(q)
        self.close(adjoint(q) @ q, np.eye(q.shape[-1]), 40 * self.unit(dtype) * (1 + q.shape[-1]), *what, 'orthonormal')

    # ---- Equations ----

    def equations(self, rounds):
        for _ in range(rounds):
            for dtype in RESULTS:
                n, k = self.rng.choice(SIZES), self.rng.choice((1, 2, 5, 40))
                a = self.normal(dtype, (*self.batch(), n, n))
                right = tuple(self.rng.choice((1, size)) for size in a.shape[:2])
                b = self.normal(dtype, (*right, n, k))
                got = self.called('solve', [(a, dtype), (b, dtype)], [((*a.shape[:2], n, k), dtype)])
                if got:
                    x = wide(got[0])
                    slack = 40 * n * self.unit(dtype) * (largest(a) * largest(x) * n + largest(b))
                    self.close(wide(a) @ x, np.broadcast_to(wide(b), x.shape), slack, 'solve', a.shape, dtype)
                got = self.called('inverse', [(a, dtype)], [(a.shape, dtype)])
                if got:
                    slack = 40 * n * self.unit(dtype) * (largest(a) * largest(got[0]) * n + 1)
                    self.close(wide(a) @ wide(got[0]), np.eye(n), slack, 'inverse', a.shape, dtype)
        self.lib.tess_threads_set(0)

    def determinants(self, rounds):
        for _ in range(rounds):
            for dtype in RESULTS:
                n = self.rng.choice(SIZES[:8])
                a, one = self.matrices(dtype, n, n), None
                with np.errstate(all='ignore'):
                    sign, log_abs = np.linalg.slogdet(wide(a))
                one = (*a.shape[:2], 1, 1)
                got = self.called('determinant', [(a, dtype)], [(one, dtype), (one, dtype), (one, self.real(dtype))])
                spread = np.linalg.cond(wide(a)).max()
                if not got or not spread < 1e6:
                    continue
                slack = 100 * n * (self.unit(dtype) + 2.0**-52 * spread)
                self.close(got[1][..., 0, 0], sign, slack, 'sign', a.shape, dtype)
                self.close(got[2][..., 0, 0], log_abs, slack * (1 + largest(log_abs)), 'log_abs', a.shape, dtype)
                want = sign * np.exp(log_abs)
                if largest(want) < 1e30:
                    self.close(got[0][..., 0, 0], want, slack * (1 + largest(log_abs)) * largest(want) + 1e-40, 'determinant')
        self.lib.tess_threads_set(0)

    # ---- Triangular factors ----

    def choleskys(self, rounds):
        for _ in range(rounds):
            for dtype in RESULTS:
                n, upper = self.rng.choice(SIZES), self.rng.randrange(2)
                x = wide(self.normal(dtype, (*self.batch(), n, n + 3)))
                a = (x @ adjoint(x)).astype(dtype.numpy)
                noise = self.normal(dtype, a.shape)
                noise[self.generator.random(a.shape) < 0.2] = np.nan  # what is not read
                given = np.tril(noise, -1) + np.triu(a) if upper else np.triu(noise, 1) + np.tril(a)
                got = self.called('cholesky', [(given.astype(dtype.numpy), dtype)], [(a.shape, dtype)], upper)
                if got:
                    factor = adjoint(got[0]) if upper else got[0]
                    self.expect(not np.triu(factor, 1).any(), 'cholesky', 'the other triangle')
                    self.close(wide(factor) @ adjoint(wide(factor)), a, 20 * n * self.unit(dtype) * largest(a), 'cholesky', n, dtype)
        self.lib.tess_threads_set(0)

    def qrs(self, rounds):
        for _ in range(rounds):
            for dtype in RESULTS:
                m, n, complete = self.rng.choice(SIZES), self.rng.choice(SIZES), self.rng.randrange(2)
                a = self.matrices(dtype, m, n)
                k = m if complete else min(m, n)
                what = 'qr', a.shape, dtype, complete
                shapes = [((*a.shape[:2], m, k), dtype), ((*a.shape[:2], k, n), dtype)]
                got = self.called('qr', [(a, dtype)], shapes, complete)
                alone = self.called('qr', [(a, dtype)], [None, shapes[1]], complete)
                if not got or not alone:
                    continue
                q, r = got
                self.expect(alone[1].tobytes() == r.tobytes(), *what, 'r without q')
                self.are_orthonormal(q, dtype, *what)
                self.expect(not np.tril(r, -1).any(), *what, 'r is triangular')
                diagonal = np.diagonal(r, axis1=2, axis2=3)
                self.expect(np.all(diagonal.real >= 0) and not diagonal.imag.any(), *what, 'diagonal of r')
                self.close(wide(q) @ wide(r), wide(a), 40 * (m + n) * self.unit(dtype) * largest(wide(a)), *what)
        self.lib.tess_threads_set(0)

    # ---- Values and vectors ----

    def first_is_positive(self, vectors, *what):
        """Of the largest elements of each row."""
        x = wide(vectors)
        sizes = np.abs(x)
        at = np.argmax(sizes >= sizes.max(-1, keepdims=True) * (1 - 1e-6), -1)
        chosen = np.take_along_axis(x, at[..., None], -1)
        self.expect(np.all(chosen.real > 0) and largest(chosen.imag) < 1e-6, *what, 'signs')

    def eighs(self, rounds):
        for _ in range(rounds):
            for dtype in RESULTS:
                n, upper = self.rng.choice(SIZES), self.rng.randrange(2)
                x = self.matrices(dtype, n, n)
                a = wide(np.triu(x, 1) + adjoint(np.triu(x, 1)) + np.eye(n) * np.real(x)).astype(dtype.numpy)
                noise = self.normal(dtype, a.shape)
                noise[self.generator.random(a.shape) < 0.2] = np.nan
                given = np.tril(noise, -1) + np.triu(a) if upper else np.triu(noise, 1) + np.tril(a)
                what = 'eigh', a.shape, dtype, upper
                shapes = [((*a.shape[:2], 1, n), self.real(dtype)), (a.shape, dtype)]
                got = self.called('eigh', [(given.astype(dtype.numpy), dtype)], shapes, upper)
                alone = self.called('eigh', [(given.astype(dtype.numpy), dtype)], [shapes[0], None], upper)
                if not got or not alone:
                    continue
                values, vectors = got
                self.are_equal(alone[0], values, *what, 'values without vectors')
                self.expect(np.all(np.diff(values[..., 0, :]) >= 0), *what, 'order')
                size, unit = largest(wide(a)), self.unit(dtype)
                self.close(values[..., 0, :], np.linalg.eigvalsh(wide(a)), 40 * n * unit * size, *what, 'values')
                self.are_orthonormal(vectors, dtype, *what)
                self.close(wide(a) @ wide(vectors), wide(vectors) * wide(values), 60 * n * unit * size, *what)
                if unit < 1e-10:
                    self.first_is_positive(vectors.swapaxes(-1, -2), *what)
        self.lib.tess_threads_set(0)

    def special(self, dtype, n):
        """Hermitian matrices of low rank, constant, in blocks of very different size, graded, and 0."""
        rank = self.rng.randrange(1, max(n // 2, 2))
        x, half = wide(self.normal(dtype, (1, 1, n, n))), n // 2
        square = x @ adjoint(x)
        powers = 10.0**self.rng.choice((np.linspace(0, -30, n), np.linspace(-30, 0, n)))
        blocks = square.copy()
        blocks[..., half:, :half] = blocks[..., :half, half:] = 0
        blocks[..., half:, half:] *= 1e-30 if dtype.real == 'f32' or dtype.name == 'f32' else 1e-160
        one = np.round(3 * x[..., :1])
        low = x[..., :rank] @ adjoint(x[..., :rank])
        return low, one @ adjoint(one), square * 0 + 1 / 3, blocks, square * powers[:, None] * powers, square * 0

    def special_eighs(self, rounds):
        for _ in range(rounds):
            for dtype in RESULTS:
                n = self.rng.randrange(2, 121)
                shapes = [((1, 1, 1, n), self.real(dtype)), ((1, 1, n, n), dtype)]
                for kind, x in enumerate(self.special(dtype, n)):
                    a, what = x.astype(dtype.numpy), ('eigh', 'special', kind, n, dtype)
                    got = self.called('eigh', [(a, dtype)], shapes, 0)
                    if got:
                        slack = 60 * n * self.unit(dtype) * largest(a)
                        self.are_orthonormal(got[1], dtype, *what)
                        self.close(got[0][..., 0, :], np.linalg.eigvalsh(wide(a)), slack, *what, 'values')
                        self.close(wide(a) @ wide(got[1]), wide(got[1]) * wide(got[0]), slack, *what)
        self.lib.tess_threads_set(0)

    def svds(self, rounds):
        for _ in range(rounds):
            for dtype in RESULTS:
                m, n, complete = self.rng.choice(SIZES), self.rng.choice(SIZES), self.rng.randrange(2)
                self.check_svd(self.matrices(dtype, m, n), dtype, m, n, complete)
        self.lib.tess_threads_set(0)

    def check_svd(self, a, dtype, m, n, complete):
        k = min(m, n)
        what = 'svd', a.shape, dtype, complete
        shapes = [((*a.shape[:2], m, m if complete else k), dtype), ((*a.shape[:2], 1, k), self.real(dtype)),
                  ((*a.shape[:2], n if complete else k, n), dtype)]
        got = self.called('svd', [(a, dtype)], shapes, complete)
        alone = self.called('svd', [(a, dtype)], [None, shapes[1], None], complete)
        if not got or not alone:
            return
        u, s, vh = got
        self.are_equal(alone[1], s, *what, 'values without vectors')
        self.are_orthonormal(u, dtype, *what, 'u')
        self.are_orthonormal(adjoint(vh), dtype, *what, 'vh')
        unit, size = self.unit(dtype), largest(wide(a))
        self.close(s[..., 0, :], np.linalg.svd(wide(a), compute_uv=False), 40 * (m + n) * unit * size, *what, 'values')
        self.close(wide(u)[..., :k] * wide(s) @ wide(vh)[..., :k, :], wide(a), 40 * (m + n) * unit * size, *what)
        self.expect(np.all(np.diff(s[..., 0, :]) <= 0) and np.all(s >= 0), *what, 'order')
        if unit < 1e-10:
            self.first_is_positive(vh[..., :k, :], *what)

    # ---- Large ones, other dtypes, nothing ----

    def large(self, rounds):
        """Several blocks, which are computed by products of matrices."""
        for _ in range(rounds):
            for dtype in RESULTS:
                n, m = self.rng.choice((129, 150, 200)), self.rng.choice((90, 140, 230))
                self.check_svd(self.matrices(dtype, m, n), dtype, m, n, self.rng.randrange(2))
        held = globals()['SIZES']
        globals()['SIZES'] = (129, 150, 200)
        for part in (self.equations, self.choleskys, self.qrs, self.eighs):
            part(1)
        globals()['SIZES'] = held

    def other_dtypes(self):
        """Integers of up to 16 bits become f32, others f64, f16 f32 and c16 c32."""
        for dtype in tess.SCALARS:
            if dtype.name == 'c16':
                continue
            a = np.array([[2, 1, 0], [1, 1, 1], [0, 1, 0]]).astype(dtype.numpy)[None, None]  # of bool [1, 1, 0] is first
            name = dtype.name if dtype.name in ('f32', 'f64', 'c32', 'c64') else 'f32' if dtype.size <= 2 else 'f64'
            got = self.called('inverse', [(a, dtype)], [(a.shape, tess.BY_NAME[name])])
            if got:
                self.close(got[0], np.linalg.inv(wide(a)), 1e-5, 'inverse', dtype)

    def nothing(self):
        dtype = tess.BY_NAME['f64']
        for batch in ((0, 1), (1, 1), (2, 3)):
            for m, n in ((0, 0), (0, 3), (3, 0)):
                a = np.zeros((*batch, m, n))
                q, r = self.called('qr', [(a, dtype)], [((*batch, m, m), dtype), ((*batch, m, n), dtype)], 1)
                self.expect(np.array_equal(q, np.broadcast_to(np.eye(m), q.shape)), 'q of nothing')
                shapes = [((*batch, *shape), dtype) for shape in ((m, m), (1, 0), (n, n))]
                u, s, vh = self.called('svd', [(a, dtype)], shapes, 1)
                self.expect(np.array_equal(u, np.broadcast_to(np.eye(m), u.shape)), 'u of nothing')
                self.expect(np.array_equal(vh, np.broadcast_to(np.eye(n), vh.shape)), 'vh of nothing')
            a, one = np.zeros((*batch, 0, 0)), ((*batch, 1, 1), dtype)
            value, sign, log_abs = self.called('determinant', [(a, dtype)], [one, one, one])
            self.expect(np.all(value == 1) and np.all(sign == 1) and np.all(log_abs == 0), 'determinant of nothing')
            self.called('solve', [(a, dtype), (np.zeros((*batch, 0, 2)), dtype)], [((*batch, 0, 2), dtype)])
            right = np.zeros((*batch, 1, 0))
            self.called('solve', [(np.ones((*batch, 1, 1)), dtype), (right, dtype)], [(right.shape, dtype)])
            self.called('eigh', [(a, dtype)], [((*batch, 1, 0), dtype), (a.shape, dtype)], 0)
            self.called('cholesky', [(a, dtype)], [(a.shape, dtype)], 0)
            self.called('inverse', [(a, dtype)], [(a.shape, dtype)])


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    parts = [('large matrices', lambda: tests.large(tess.rounds(4)))]
    if not os.environ.get('TESS_BLAS'):
        parts += [('equations', lambda: tests.equations(tess.rounds(30))),
                  ('determinants', lambda: tests.determinants(tess.rounds(40))),
                  ('Cholesky', lambda: tests.choleskys(tess.rounds(30))),
                  ('QR', lambda: tests.qrs(tess.rounds(50))),
                  ('eigenvalues', lambda: tests.eighs(tess.rounds(50))),
                  ('special eigenvalues', lambda: tests.special_eighs(tess.rounds(10))),
                  ('singular values', lambda: tests.svds(tess.rounds(50))),
                  ('other dtypes', tests.other_dtypes), ('nothing', tests.nothing)]
    return copies.run_parts(tests, parts)


if __name__ == '__main__':
    sys.exit(main())
