"""Sorting, indices, partitions and largest elements, compared with NumPy: python3 sort.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Everything is compared
exactly: indices with stable sorts of NumPy, NaNs last in both directions; sorted and parted elements with the signs of
their zeros. The last line counts comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np

import copies
import tess

np.seterr(all='ignore')

SHAPES = [(1, 1, 1, 1), (1, 1, 1, 9), (1, 1, 7, 1), (2, 3, 4, 5), (1, 2, 17, 33), (3, 1, 40, 12), (1, 1, 3, 1100),
          (1, 1, 1100, 3), (1, 1, 1, 5000), (0, 2, 3, 4), (1, 1, 2, 9000), (1, 70, 3, 40)]
LONG = [(1, 1, 1, 300000), (1, 1, 1, 140000), (1, 1, 140000, 1), (1, 1, 2, 70000)]


class SortOpts(ctypes.Structure):
    _fields_ = [('flag', c_int32), ('reserved', c_uint32 * 7)]


def places_of(values, axis, descending):
    """The indices that sort stably, NaNs last in both directions."""
    if not descending:
        return np.argsort(values, axis=axis, kind='stable')
    n = values.shape[axis]
    if values.dtype.kind == 'f':
        return np.argsort(-values, axis=axis, kind='stable')
    flipped = np.flip(values, axis)
    return np.flip(n - 1 - np.argsort(flipped, axis=axis, kind='stable'), axis)


def keys_of(values, descending=False):
    """Unsigned numbers in the order of the elements: of zeros -0 first, NaNs last, both in either direction."""
    if values.dtype.kind != 'f':
        return values
    unsigned = np.dtype(f'u{values.itemsize}')
    top, infinity = (bits.view(unsigned) for bits in np.array([-0.0, np.inf], values.dtype)[:, None])
    x = np.ascontiguousarray(values).view(unsigned) ^ (top if descending else 0 * top)
    return np.where(x & top, ~x, x | top) - ((top - 1) ^ infinity)


def parted(values, k, axis):
    """Lines with the k-th smallest where it belongs, the others before and behind it in the order they had."""
    keys = keys_of(values)
    kth = np.take(np.sort(keys, axis=axis), [k], axis)
    classes = (keys >= kth).astype('i1') + (keys > kth)
    return np.take_along_axis(values, np.argsort(classes, axis=axis, kind='stable'), axis)


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        for name, arguments in (('sort', [c_void_p, c_void_p, c_int, c_void_p]),
                                ('argsort', [c_void_p, c_void_p, c_int, c_void_p]),
                                ('partition', [c_void_p, c_void_p, c_int64, c_int]),
                                ('topk', [c_void_p, c_void_p, c_void_p, c_int64, c_int, c_void_p])):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, arguments

    def values_for(self, dtype, shape):
        """Random bits, few different numbers, numbers near each other, constants, or sorted ones."""
        way = self.rng.randrange(6)
        if dtype.kind == 'bool':
            return self.generator.integers(0, 2, shape).astype(bool)
        if way == 0:
            data = self.generator.integers(0, 256, (*shape, dtype.size), np.uint8)
            return data.view(dtype.numpy)[..., 0]
        if way == 1:
            return self.generator.integers(0, 5, shape).astype(dtype.numpy)
        if way == 2:
            return np.full(shape, 7, dtype.numpy)
        if way == 3:
            return np.sort(self.generator.integers(0, 100, shape), axis=self.rng.randrange(4)).astype(dtype.numpy)
        if dtype.kind == 'float':
            x = self.generator.normal(0, 1, shape)
            if way == 4:
                odd = self.generator.random(shape) < 0.1
                x[odd] = self.generator.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], int(odd.sum()))
            return x.astype(dtype.numpy)
        low, high = copies.int_limits(dtype)
        return self.generator.integers(low, high, shape, dtype.numpy, endpoint=True)

    def around(self, place, *what):
        self.expect(place.holds(place.view.copy(), any_nan=True), *what, 'writes outside the view')

    def same(self, got, want, *what):
        self.expect(np.array_equal(got, want, equal_nan=want.dtype.kind == 'f'), *what)

    def same_bits(self, got, want, *what):
        """The signs of zeros too; a bool is 0 or 1."""
        got, want = np.ascontiguousarray(got), np.ascontiguousarray(want)
        self.expect(copies.same_values(got, want, True), *what)

    def case(self, dtype, shape):
        self.lib.tess_threads_set(self.rng.choice((1, 2, 5)))
        axis, values = self.rng.randrange(4), self.values_for(dtype, shape)
        if self.rng.random() < 0.5:
            axis = int(np.argmax(shape))
        return axis, values, self.place_with(values, dtype), (dtype, shape, 'axis', axis)

    # ---- One of each ----

    def check_sort(self, dtype, shape):
        axis, values, source, what = self.case(dtype, shape)
        descending = self.rng.randrange(2)
        opts, out, what = SortOpts(descending), self.place(shape, dtype), ('sort', descending, *what)
        if values.dtype.kind == 'f':
            indices = np.argsort(keys_of(values, descending), axis=axis, kind='stable')
        else:
            indices = places_of(values, axis, descending)
        want = np.take_along_axis(values, indices, axis) if values.size else values
        if not self.succeeds(self.lib.tess_sort(out.ref(), source.ref(), axis, byref(opts)), *what):
            return
        self.same_bits(out.view, want, *what)
        self.around(out, *what)
        bits = out.view.copy()
        if self.succeeds(self.lib.tess_sort(source.ref(), source.ref(), axis - 4, byref(opts)), *what):
            self.expect(source.view.tobytes() == bits.tobytes(), *what, 'in place')
            self.around(source, *what)

    def check_argsort(self, dtype, shape):
        axis, values, source, what = self.case(dtype, shape)
        descending = self.rng.randrange(2)
        to = tess.BY_NAME[self.rng.choice(('i64', 'i32', 'u32', 'u64'))]
        opts, out, what = SortOpts(descending), self.place(shape, to), ('argsort', to, descending, *what)
        if self.succeeds(self.lib.tess_argsort(out.ref(), source.ref(), axis, byref(opts)), *what):
            self.same(out.view, places_of(values, axis, descending).astype(to.numpy), *what)
            self.around(out, *what)

    def check_partition(self, dtype, shape):
        axis, values, source, what = self.case(dtype, shape)
        n = shape[axis]
        if n == 0:
            return
        k, out = self.rng.choice((0, n - 1, n // 2, self.rng.randrange(n))), self.place(shape, dtype)
        what = ('partition', k, *what)
        if not self.succeeds(self.lib.tess_partition(out.ref(), source.ref(), k - self.rng.choice((0, n)), axis), *what):
            return
        self.around(out, *what)
        self.same_bits(out.view, parted(values, k, axis), *what)
        bits = out.view.copy()
        if self.succeeds(self.lib.tess_partition(source.ref(), source.ref(), k, axis), *what):
            self.expect(source.view.tobytes() == bits.tobytes(), *what, 'in place')

    def check_topk(self, dtype, shape):
        axis, values, source, what = self.case(dtype, shape)
        n = shape[axis]
        k, smallest = self.rng.choice((0, 1, n, n // 3, self.rng.randrange(n + 1))) if n else 0, self.rng.randrange(2)
        k = min(k, n)
        size = tuple(k if d == axis else shape[d] for d in range(4))
        found, indices = self.place(size, dtype), self.place(size, tess.BY_NAME['i64'])
        opts, what = SortOpts(smallest), ('topk', k, smallest, *what)
        want = np.take(places_of(values, axis, not smallest), np.arange(k), axis)
        which = self.rng.randrange(3)
        refs = found.ref() if which != 1 else None, indices.ref() if which != 2 else None
        if not self.succeeds(self.lib.tess_topk(*refs, source.ref(), k, axis, byref(opts)), *what):
            return
        if which != 1:
            self.same(found.view, np.take_along_axis(values, want, axis), *what)
            self.around(found, *what)
        if which != 2:
            self.same(indices.view, want, *what)
            self.around(indices, *what)

    def each(self, rounds, shapes):
        for _ in range(rounds):
            for dtype in tess.REALS:
                for check in (self.check_sort, self.check_argsort, self.check_partition, self.check_topk):
                    check(dtype, self.rng.choice(shapes))
        self.lib.tess_threads_set(0)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('lines', lambda: tests.each(tess.rounds(20), SHAPES)),
        ('long lines', lambda: tests.each(tess.rounds(2), LONG))))


if __name__ == '__main__':
    sys.exit(main())
