"""Operators from text compared with NumPy: python3 operators.py libtessera.so [seed]

Element-wise operators, reductions over every set of axes, index-wise ones, views with borders and scatters, on random
strided views of many dtypes. The last line counts comparisons.
"""
import itertools
import sys
from ctypes import POINTER, addressof, byref, c_char_p, c_int, c_void_p

import numpy as np

import tess
from interp import BIND_ARRAY, Bind

BORDERS = {'zero': 'constant', 'clamp': 'edge', 'mirror': 'symmetric', 'reflect': 'reflect', 'periodic': 'wrap'}
AXES = [axes for n in range(1, 5) for axes in itertools.combinations(range(4), n)]


class Library:
    def __init__(self, path):
        self.lib = tess.load(path)
        self.lib.tess_op_text.restype, self.lib.tess_op_text.argtypes = c_int, [POINTER(c_void_p), c_char_p]
        self.lib.tess_run.restype, self.lib.tess_run.argtypes = c_int, [c_void_p, c_void_p, c_int, c_void_p]
        self.lib.tess_op_release.restype, self.lib.tess_op_release.argtypes = None, [c_void_p]

    def run(self, text, *arrays):
        """Run the operator over ndarrays, whatever their strides."""
        op = c_void_p()
        views = [self.view(a) for a in arrays]
        binds = (Bind * len(views))()
        for bind, view in zip(binds, views):
            bind.kind, bind.value.array = BIND_ARRAY, addressof(view)
        status = self.lib.tess_op_text(byref(op), text.encode()) or self.lib.tess_run(op, binds, len(views), None)
        self.lib.tess_op_release(op)
        if status:
            sys.exit(f'{text}\n{tess.error_text(self.lib, status)}')

    def view(self, values):
        number = next(d.number for d in tess.DTYPES if d.numpy == values.dtype)
        strides = [s // values.itemsize for s in values.strides]
        return tess.Array(tess.Shape(*values.shape), tess.Shape(*strides), tess.address_of(values), None, number,
                          tess.CPU, 0)


def laid_out(generator, values):
    """The same elements in another layout: permuted, reversed, every second one, or as they are."""
    kind = generator.integers(4)
    if kind == 0:
        order = generator.permutation(4)
        return np.ascontiguousarray(values.transpose(order)).transpose(np.argsort(order))
    if kind == 1:
        return np.ascontiguousarray(values[..., ::-1])[..., ::-1]
    if kind == 2:
        wide = np.zeros((*values.shape[:3], 2 * values.shape[3]), values.dtype)
        wide[..., ::2] = values
        return wide[..., ::2]
    return np.ascontiguousarray(values)


class Tests:
    def __init__(self, library, seed):
        self.library, self.generator = library, np.random.default_rng(seed)
        self.passed = self.failed = 0

    def check(self, what, got, want, close=0.0):
        same = np.allclose(got, want, rtol=close, atol=close, equal_nan=True) if close else np.array_equal(
            got, want, equal_nan=np.asarray(want).dtype.kind in 'fc')
        self.passed, self.failed = self.passed + bool(same), self.failed + (not same)
        if not same:
            print(f'{what}: {got.shape} differs')

    def shape(self):
        return tuple(int(n) for n in (*self.generator.integers(1, 4, 3), self.generator.integers(1, 300)))

    def values(self, dtype, shape=None):
        shape = shape or self.shape()
        kind = np.dtype(dtype)
        if kind.kind in 'iu':
            info = np.iinfo(kind)
            made = self.generator.integers(info.min, info.max, shape, dtype=kind, endpoint=True)
        else:
            made = self.generator.normal(0, 3, shape).astype(kind)
        return laid_out(self.generator, made)

    def elementwise(self, dtype):
        name = next(d.name for d in tess.DTYPES if d.numpy == np.dtype(dtype))
        x = self.values(dtype)
        y = self.values(dtype, x.shape)
        z = laid_out(self.generator, np.zeros_like(x))
        texts = {'x + y': lambda: x + y, 'x*y - x': lambda: x * y - x, 'x < y ? x : y': lambda: np.where(x < y, x, y)}
        if np.dtype(dtype).kind in 'iu':
            texts |= {'x & y | x ^ y': lambda: (x & y) | (x ^ y), '~x': lambda: ~x}
        else:
            texts |= {'x/y': lambda: x / y, 'sqrt(abs(x))': lambda: np.sqrt(np.abs(x)), 'floor(x)': lambda: np.floor(x)}
        for text, theirs in texts.items():
            with np.errstate(all='ignore'):
                want = theirs()
            self.library.run(f'op e(in {name} x, in {name} y, out {name} z) {{ z = {text}; }}', x, y, z)
            self.check(f'{text} of {name}', z, want.astype(dtype))

    def broadcast(self):
        x, row, image = self.values('f4', (2, 3, 5, 70)), self.values('f4', (1, 1, 1, 70)), self.values('f8', (2, 3, 1, 1))
        z = np.zeros((2, 3, 5, 70))
        self.library.run('op e(in f32 x, in f32 r, in f64 m, out f64 z) { z = x*r - m; }', x, row, image, z)
        self.check('broadcast', z, (x * row).astype('f8') - image)

    def reductions(self, axes):
        x = self.values('f4', (2, 3, 4, 90))
        mask = self.values('u1', x.shape)
        mask &= 1
        kept = tuple(1 if d in axes else n for d, n in enumerate(x.shape))
        total, most, mean = np.zeros(kept), np.zeros(kept, 'f4'), np.zeros(kept, 'f4')
        self.library.run('op s(in f32 x, in u8 m, acc sum f64 s, acc max f32 h, out f64 total, out f32 most) '
                         '{ if (m != 0) { s += x; h = max(h, x); } }', x, mask, total, most)
        self.check(f'masked sum over {axes}', total, np.sum(x.astype('f8') * mask, axis=axes, keepdims=True), 1e-12)
        self.check(f'masked maximum over {axes}', most,
                   np.max(np.where(mask != 0, x, -np.inf), axis=axes, keepdims=True).astype('f4'))
        self.library.run('op s(in f32 x, acc sum f64 s, out f32 m) { s += x; } post { m = (f32)(s/count); }', x, mean)
        self.check(f'mean over {axes}', mean, np.mean(x.astype('f8'), axis=axes, keepdims=True), 1e-6)
        place = np.zeros(kept, 'i8')
        self.library.run('op s(in f32 x, acc f32 best = -inf, acc i64 at = -1, out f32 m, out i64 place) '
                         '{ i64 here = ((b*size(1) + d)*size(2) + h)*size(3) + w; '
                         '  if (x > best || (x == best && here < at)) { best = x; at = here; } } '
                         'join { if (best_other > best || (best_other == best && at_other < at)) '
                         '{ best = best_other; at = at_other; } } post { m = best; place = at; }', x, mean, place)
        flat = np.arange(x.size).reshape(x.shape)
        is_most = x == np.max(x, axis=axes, keepdims=True)
        self.check(f'place of the largest over {axes}', place,
                   np.min(np.where(is_most, flat, x.size), axis=axes, keepdims=True))

    def neighbours(self, border):
        x = self.values('f4', (2, 1, 9, 33))
        z = laid_out(self.generator, np.zeros_like(x))
        self.library.run(f'op c(view {border} f32 v, out f32 z) {{ f32 s = 0; '
                         'for (i32 i = -2; i <= 2; ++i) { for (i32 j = -3; j <= 3; ++j) { s += v[b,d,h+i,w+j]*(i + 2*j); } } '
                         'z = s; }', x, z)
        wide = np.pad(x, ((0, 0), (0, 0), (2, 2), (3, 3)), mode=BORDERS[border])
        want = np.zeros_like(x)
        for i, j in itertools.product(range(-2, 3), range(-3, 4)):
            want += wide[:, :, 2 + i:11 + i, 3 + j:36 + j] * np.float32(i + 2 * j)
        self.check(f'neighbours, {border}', z, want)

    def histogram(self):
        x = self.values('f4', (3, 1, 40, 50))
        bins = np.zeros((3, 1, 1, 20), 'i4')
        self.library.run('op h(in f32 x, scatter i32 bins) { i64 k = (i64)floor(x + 10); bins[b,0,0,k] += 1; }', x, bins)
        places = np.floor(x + np.float32(10)).astype('i8')
        want = [np.bincount(p[(p >= 0) & (p < 20)], minlength=20) for p in places]
        self.check('histogram', bins[:, 0, 0, :], np.array(want))

    def rotational_average(self):
        """Sums into radii, nearest and split linearly, of random shapes; floats to what their order may change."""
        shape = tuple(int(n) for n in self.generator.integers(1, (4, 4, 70, 70)))
        n = int(self.generator.integers(1, 40))
        x = self.values('f4', shape)
        near, split, weight = (np.zeros((shape[0], 1, 1, n), t) for t in ('f8', 'f8', 'f4'))
        self.library.run('op r(in f32 x, scatter f64 near, scatter f64 split, scatter f32 weight) { '
                         'f64 v = h - size(2)/2; f64 u = w - size(3)/2; f64 r = sqrt(v*v + u*u + (f64)d); '
                         'near[b,0,0,(i64)floor(r + 0.5)] += x; add_linear(split, b, 0, 0, r, x); '
                         'add_linear(weight, b, 0, 0, r, 1); }', x, near, split, weight)
        d, h, w = np.meshgrid(*(np.arange(k) for k in shape[1:]), indexing='ij')
        r = np.sqrt((h - shape[2] // 2.0) ** 2 + (w - shape[3] // 2.0) ** 2 + d).ravel()
        below = np.floor(r).astype('i8')
        def sums(at, values):
            return np.bincount(at[at < n], values[at < n], n)
        for i in range(shape[0]):
            values, ones = x[i].ravel().astype('f8'), np.ones(r.size)
            self.check('nearest radii', near[i, 0, 0], sums(np.floor(r + 0.5).astype('i8'), values), 1e-5)
            for got, part in (split, values), (weight, ones):
                want = sums(below, part * (1 - (r - below))) + sums(below + 1, part * (r - below))
                self.check('split radii', got[i, 0, 0], want, 1e-5)


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    tests = Tests(Library(sys.argv[1]), seed)
    for _ in range(5):
        for dtype in ('i4', 'i8', 'u4', 'u8', 'f4', 'f8'):
            tests.elementwise(dtype)
        tests.broadcast()
        for axes in AXES:
            tests.reductions(axes)
        for border in BORDERS:
            tests.neighbours(border)
        tests.histogram()
        tests.rotational_average()
    print(f'{tests.passed} passed, {tests.failed} failed')
    sys.exit(tests.failed != 0)


if __name__ == '__main__':
    main()
