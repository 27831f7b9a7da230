"""Copies, casts, fills and element access, compared with NumPy and Python: python3 copies.py libtessera.so [seed]

Inputs and outputs are random strided views (permuted, stepped, reversed, inside larger storage, broadcast inputs, not
aligned). The whole storage around an output is compared, so a write outside the view is seen, and a call that fails
must leave all of it as it was. Casts to integers are compared with exact arithmetic in Python, casts to floating types
bit for bit with NumPy (any NaN equals any other), absolute values with np.longdouble. Work that is large enough for
several threads runs with 1, 2 and 5 of them. The last line counts comparisons.
"""
import ctypes
import itertools
import math
import random
import re
import sys
import time
from ctypes import byref

import numpy as np

import tess

np.seterr(all='ignore')

THREADS = (1, 2, 5)
ABS_ULPS, POWER_ULPS = 1, 2
MOST_SHOWN = 10  # failures of each kind of test that are printed

# ---- Storage ----


class Place:
    """A strided view inside storage of its own, as NumPy's view and as the library's array."""

    def __init__(self, lib, memory, view, dtype, lead=0, read_only=False):
        self.memory, self.view, self.dtype = memory, view, dtype
        base = tess.address_of(memory) + lead
        offset = (tess.address_of(view) - base) // dtype.size if view.size else 0
        strides = tess.shape_value(stride // dtype.size for stride in view.strides)
        opts = tess.WrapOpts(ctypes.pointer(strides), offset, (memory.size - lead) // dtype.size, read_only=read_only)
        self.array = tess.Array()
        status = lib.tess_wrap(byref(self.array), base, tess.shape_value(view.shape), dtype.number, byref(opts))
        if status != tess.OK:
            raise RuntimeError(tess.error_text(lib, status))
        self.before = memory.copy()

    def ref(self):
        return byref(self.array)

    def holds(self, values, any_nan):
        """Are `values` in the view, and is the storage around it as it was? With `any_nan` all NaNs are equal."""
        memory = self.before.copy()
        lead = tess.address_of(self.view) - tess.address_of(self.memory) if self.view.size else 0
        view = np.ndarray(self.view.shape, self.view.dtype, memory, lead, self.view.strides)
        view[...] = values
        for wanted, got in zip(float_parts(view), float_parts(self.view)) if any_nan else ():
            both = np.isnan(wanted) & np.isnan(got)
            wanted[both] = got[both]
        return np.array_equal(memory, self.memory)


def float_parts(view):
    """The views of floating numbers in a view: its own, its real and imaginary parts, or none."""
    if view.dtype.kind == 'f':
        return [view]
    if view.dtype.kind == 'c':
        return [view.real, view.imag]
    return [view['re'], view['im']] if view.dtype.names else []


def same_values(a, b, any_nan):
    """Equal bit for bit; with `any_nan` all NaNs are equal."""
    parts = list(zip(float_parts(a), float_parts(b)))
    if not parts or not any_nan:
        return a.tobytes() == b.tobytes()
    return all(np.all((np.isnan(x) & np.isnan(y)) | (bits(x) == bits(y))) for x, y in parts)


def bits(x):
    return x.view(f'u{x.itemsize}')


# ---- Casts, value by value ----


def int_limits(dtype):
    info = np.iinfo(dtype.numpy)
    return int(info.min), int(info.max)


def is_finite(x):
    return isinstance(x, int) or math.isfinite(x)


def to_int(x, dtype, mode):
    """The integer that x becomes."""
    low, high = int_limits(dtype)
    if mode == tess.WRAP:
        modulo = int(x) % (high - low + 1) if is_finite(x) else 0
        return modulo if modulo <= high else modulo - (high - low + 1)
    if x != x:
        return 0
    return min(max(int(x), low), high) if is_finite(x) else (high if x > 0 else low)


def cast_reals(values, dtype, mode):
    """A one-dimensional array of reals, converted."""
    if dtype.kind == 'bool':
        return values != 0
    if dtype.kind == 'float':
        return values.astype(dtype.numpy)
    return np.array([to_int(x, dtype, mode) for x in values.tolist()], dtype.numpy)


def changed_reals(values, dtype):
    """Which values an exact cast must reject."""
    after = cast_reals(values, dtype, tess.CLAMP).tolist()
    pairs = zip(values.tolist(), after)
    if dtype.kind == 'float':
        return np.array([x != y and not (x != x and y != y) for x, y in pairs], bool)
    return np.array([x != y for x, y in pairs], bool)


def parts_of(values):
    """Real and imaginary parts of a complex array, c16 included."""
    return (values['re'], values['im']) if values.dtype.names else (values.real, values.imag)


def complex_from(re, im, dtype):
    """A complex array of the parts, without arithmetic on them."""
    out = np.empty(re.shape, dtype.numpy)
    out_re, out_im = parts_of(out)
    out_re[...], out_im[...] = re, im
    return out


def cast_values(values, source, dtype, mode):
    """Any scalar type to any other, except complex to real."""
    real = tess.BY_NAME[dtype.real]
    if dtype.kind != 'complex':
        return cast_reals(values, dtype, mode)
    if source.kind != 'complex':
        return complex_from(cast_reals(values, real, mode), np.zeros(values.shape, real.numpy), dtype)
    return complex_from(*(cast_reals(part, real, mode) for part in parts_of(values)), dtype)


def changed_values(values, source, dtype):
    real = tess.BY_NAME[dtype.real]
    if source.kind != 'complex':
        return changed_reals(values, real)
    re, im = parts_of(values)
    return changed_reals(re, real) | changed_reals(im, real)


# ---- Values that are hard to convert ----


def nasty_numbers():
    """Numbers around every limit: integers where they are whole, and floats."""
    whole = [0, 1, -1, 2, 3, 10, 100, 1000, 2049, 2051, 65504, 65519, 65520, 65521]
    for bits_of_limit in (7, 8, 11, 12, 15, 16, 24, 25, 31, 32, 53, 54, 62, 63, 64):
        for near in (-2, -1, 0, 1, 2):
            whole += [2**bits_of_limit + near, -2**bits_of_limit + near]
    floats = [x + half for x in whole if abs(x) < 2**52 for half in (0.5, -0.5, 0.25)]
    floats += [float(x) for x in whole] + [math.nan, math.inf, -math.inf, 0.0, -0.0, 0.1, -0.9, 0.999, 1e300, -1e300]
    for limit in (2.0**31, 2.0**32, 2.0**63, 2.0**64, 2.0**128, 3.4028235677973366e38, 65520.0):
        floats += [math.nextafter(limit, 0), limit, math.nextafter(limit, math.inf), -limit]
        floats += [float(np.nextafter(np.float32(limit), np.float32(0)))]
    for tiny in (2.0**-14, 2.0**-24, 2.0**-25, 3 * 2.0**-26, 2.0**-126, 2.0**-149, 2.0**-150, 5e-324, 2.0**-1022):
        floats += [tiny, -tiny, math.nextafter(tiny, 1), math.nextafter(tiny, 0), 3 * tiny]
    floats += [2.0**k * 1.25 for k in range(60, 130, 3)]
    return whole, floats


WHOLE, FLOATS = nasty_numbers()


def nasty_values(dtype, generator, random_values=60):
    """A one-dimensional array of a real type: the hard numbers it can hold, and random bits."""
    if dtype.kind == 'bool':
        return np.array([False, True])
    random_bits = generator.integers(0, 256, random_values * dtype.size, np.uint8).view(dtype.numpy)
    if dtype.kind == 'float':
        hard = np.array(FLOATS).astype(dtype.numpy)
    else:
        low, high = int_limits(dtype)
        hard = np.array([x for x in WHOLE if low <= x <= high], dtype.numpy)
    return np.concatenate([hard, random_bits])


def nasty_scalars(dtype, generator):
    """The same for complex types too: pairs of hard numbers."""
    if dtype.kind != 'complex':
        return nasty_values(dtype, generator)
    reals = nasty_values(tess.BY_NAME[dtype.real], generator)
    return complex_from(generator.permutation(reals), generator.permutation(reals), dtype)


# ---- The tests ----


class Tests:
    def __init__(self, lib, seed):
        self.lib = lib
        self.rng = random.Random(seed)
        self.generator = np.random.default_rng(seed)
        self.pattern = self.generator.integers(0, 256, 1 << 16, np.uint8)
        self.passed = self.failed = 0
        self.to_show = MOST_SHOWN

    # ---- Helpers ----

    def expect(self, condition, *texts):
        if condition:
            self.passed += 1
            return
        self.failed += 1
        self.to_show -= 1
        if self.to_show >= 0:
            print('failed:', *texts, flush=True)

    def random_bytes(self, n):
        """Storage with a pattern that begins somewhere else each time."""
        memory = tess.aligned_bytes(n)
        memory[...] = np.resize(np.roll(self.pattern, self.rng.randrange(1 << 16)), n)
        return memory

    def random_shape(self, most=9):
        shape = [self.rng.choice((1, 1, 2, 3, self.rng.randrange(1, most + 1))) for _ in range(4)]
        if self.rng.random() < 0.3:
            shape[self.rng.randrange(4)] = self.rng.randrange(30, 80)
        if self.rng.random() < 0.05:
            shape[self.rng.randrange(4)] = 0
        return tuple(shape)

    def place(self, shape, dtype, plain=False, read_only=False):
        """A view of that shape in storage of its own: strided at random, or `plain`: C-contiguous."""
        rng = self.rng
        steps, befores, sizes = [1] * 4, [0] * 4, list(shape)
        order = list(range(4))
        if not plain:
            if rng.random() < 0.6:
                rng.shuffle(order)
            for k in range(4):
                steps[k] = rng.choice((1, 1, 1, 1, 2, 3, -1, -2))
                befores[k] = rng.choice((0, 0, 1, 2))
                sizes[k] = befores[k] + max((shape[k] - 1) * abs(steps[k]) + 1, 0) + rng.choice((0, 0, 1))
        lead = rng.randrange(4) * tess.BY_NAME[dtype.real].size
        count = math.prod(sizes)
        memory = self.random_bytes(lead + (count + rng.randrange(3)) * dtype.size)
        parent = np.ndarray([sizes[k] for k in order], dtype.numpy, memory, lead).transpose(np.argsort(order))
        key = []
        for size, before, step in zip(shape, befores, steps):
            part = slice(before, before + (size - 1) * abs(step) + 1, abs(step)) if size else slice(0, 0)
            key.append(part)
        view = parent[tuple(key)][tuple(slice(None, None, 1 if step > 0 else -1) for step in steps)]
        return Place(self.lib, memory, view, dtype, lead, read_only)

    def place_with(self, values, dtype, plain=False):
        """A place whose view holds `values`."""
        place = self.place(values.shape, dtype, plain)
        place.view[...] = values
        place.before = place.memory.copy()
        return place

    def input_for(self, shape, dtype):
        """A place with a view that broadcasts to `shape`, by sizes of 1 or by strides of 0."""
        rng = self.rng
        if rng.random() < 0.7:
            return self.place(shape, dtype)
        repeated = [rng.random() < 0.4 for _ in range(4)]
        place = self.place(tuple(1 if once else n for once, n in zip(repeated, shape)), dtype)
        if rng.random() < 0.5 and place.view.size:
            view = np.broadcast_to(place.view, shape)
            lead = (tess.address_of(view) - tess.address_of(place.memory)) % dtype.size
            return Place(self.lib, place.memory, view, dtype, lead)
        return place

    def succeeds(self, status, *what):
        self.expect(status == tess.OK, *what, '' if status == tess.OK else tess.error_text(self.lib, status))
        return status == tess.OK

    def fails(self, status, expected, place, *what):
        """A call failed as expected, with a message, and its output's storage is as it was."""
        fault = None if status == tess.OK else tess.failure_fault(self.lib, status)
        text = 'success' if status == tess.OK else tess.error_text(self.lib, status)
        self.expect(status == expected and fault is None, *what, f'should be status {expected}:', text, fault or '')
        if place is not None:
            self.expect(np.array_equal(place.memory, place.before), *what, 'changed memory and failed')

    def written(self, place, values, *what, any_nan=False):
        """The view holds `values`, and nothing around it has changed."""
        self.expect(place.holds(values, any_nan), *what, 'to', tess.fields(place.array))

    def made(self, array, values, dtype, *what, any_nan=False):
        """A made array is C-contiguous, holds `values`, and can be released."""
        f = tess.fields(array)
        right = f[:4] == values.shape and f[10:] == (dtype.number, 0, 0, 0) and f[9] != 0 and f[8] % 64 == 0 and \
            self.lib.tess_is_contiguous(byref(array), b'C')
        self.expect(right and same_values(tess.numpy_view(array, dtype), values, any_nan), *what, 'made', f)
        self.lib.tess_release(byref(array))
        self.expect(not any(bytes(array)), *what, 'released arrays are zeroed')

    def run_both(self, call, values, dtype, *what, plain=False, any_nan=False):
        """call(out) with `out` given and with `out` made by the library; both must give `values`."""
        out = self.place(values.shape, dtype, plain)
        if self.succeeds(call(out.ref()), *what):
            self.written(out, values, *what, any_nan=any_nan)
        array = tess.Array()
        if self.succeeds(call(byref(array)), *what):
            self.made(array, values, dtype, *what, any_nan=any_nan)

    # ---- Copies ----

    def copies(self, rounds):
        for dtype in tess.DTYPES:
            for _ in range(rounds):
                shape = self.random_shape()
                source = self.input_for(shape, dtype)
                out = self.place(shape, dtype)
                if self.succeeds(self.lib.tess_copy(out.ref(), source.ref()), 'copy', dtype, shape):
                    self.written(out, source.view, 'copy', dtype, tess.fields(source.array))
                self.expect(np.array_equal(source.memory, source.before), 'copy changes its input')
                array = tess.Array()
                if self.succeeds(self.lib.tess_copy(byref(array), source.ref()), 'copy', dtype):
                    self.made(array, source.view, dtype, 'copy', dtype, tess.fields(source.array))

    def permuted_copies(self, rounds):
        for dtype in tess.DTYPES:
            for _ in range(rounds):
                axes = self.rng.sample(range(4), 4)
                source = self.place(self.random_shape(), dtype)
                self.run_both(lambda out: self.lib.tess_permute_copy(out, source.ref(), *axes),
                              source.view.transpose(axes), dtype, 'permute_copy', dtype, axes,
                              tess.fields(source.array))

    def large_copies(self):
        for name in ('u8', 'f16', 'f32', 'f64', 'c64', 'vec3_f32'):
            dtype = tess.BY_NAME[name]
            # Half a megabyte at least: fewer bytes are not shared among threads.
            source = self.place((4, 8, 64, 64) if dtype.size >= 4 else (8, 16, 64, 64), dtype, plain=True)
            for number, axes in enumerate(self.rng.sample(list(itertools.permutations(range(4))), tess.rounds(12))):
                self.lib.tess_threads_set(THREADS[number % len(THREADS)])
                values = source.view.transpose(axes)
                self.run_both(lambda out: self.lib.tess_permute_copy(out, source.ref(), *axes), values, dtype,
                              'permute_copy', name, axes, plain=number % 2 == 0)
            for shape in tess.some(((1, 1, 300, 300), (1, 1, 700, 700), (3, 5, 67, 129), (2, 1, 731, 413), (1, 1, 1, 300_001))):
                self.check_large_copy(shape, dtype)
        self.lib.tess_threads_set(0)

    def check_large_copy(self, shape, dtype):
        """Strided to strided, in three orders of axes, which take turns with the numbers of threads."""
        turn = self.rng.randrange(len(THREADS))
        source = self.place(shape, dtype)
        for number, axes in enumerate(((0, 1, 3, 2), (3, 2, 1, 0), (0, 1, 2, 3))):
            self.lib.tess_threads_set(THREADS[(number + turn) % len(THREADS)])
            out = self.place([shape[k] for k in axes], dtype)
            status = self.lib.tess_permute_copy(out.ref(), source.ref(), *axes)
            if self.succeeds(status, 'permute_copy', dtype, shape, axes):
                self.written(out, source.view.transpose(axes), 'permute_copy', dtype, shape, axes)

    def refusals(self):
        """Outputs that cannot be written, overlaps, and arrays that do not fit."""
        lib = self.lib
        for dtype in tess.SCALARS:
            shape = (2, 3, 4, 5)
            source, out = self.place(shape, dtype), self.place(shape, dtype, plain=True)
            row = Place(lib, out.memory, np.broadcast_to(out.view[..., :1], shape), dtype,
                        (tess.address_of(out.view) - tess.address_of(out.memory)) % dtype.size)
            number = ctypes.create_string_buffer(16)
            for name, call in (('copy', lambda a: lib.tess_copy(a, source.ref())),
                               ('cast', lambda a: lib.tess_cast(a, source.ref(), dtype.number, None)),
                               ('fill', lambda a: lib.tess_fill(a, 1.0)),
                               ('fill_element', lambda a: lib.tess_fill_element(a, number)),
                               ('concatenate', lambda a: lib.tess_concatenate(a, source.ref(), 1, 0)),
                               ('permute_copy', lambda a: lib.tess_permute_copy(a, source.ref(), 0, 1, 2, 3)),
                               ('arange', lambda a: lib.tess_arange(a, tess.shape_value(shape), dtype.number, tess.CPU,
                                                                    0.0, 1.0)),
                               ('eye', lambda a: lib.tess_eye(a, tess.shape_value(shape), dtype.number, tess.CPU))):
                self.fails(call(row.ref()), tess.EWRITE, out, name, 'to a broadcast output', dtype)
                locked = self.place(shape, dtype, read_only=True)
                self.fails(call(locked.ref()), tess.EWRITE, locked, name, 'to a read-only output', dtype)
            self.check_overlaps(dtype)
            self.check_misfits(dtype, source)
        self.check_options()

    def check_overlaps(self, dtype):
        lib = self.lib
        whole = self.place_with(self.place((1, 1, 8, 8), dtype).view.copy(), dtype, plain=True)
        lead = (tess.address_of(whole.view) - tess.address_of(whole.memory)) % dtype.size
        values = whole.view.copy()
        self.succeeds(lib.tess_copy(whole.ref(), whole.ref()), 'copy onto itself', dtype)
        self.succeeds(lib.tess_cast(whole.ref(), whole.ref(), dtype.number, None), 'cast onto itself', dtype)
        self.written(whole, values, 'copy and cast onto itself')
        for key_out, key_in in ((np.s_[:, :, 1:], np.s_[:, :, :-1]), (np.s_[..., 1:], np.s_[..., :-1]),
                                (np.s_[...], np.s_[:, :, ::-1]), (np.s_[:, :, :1], np.s_[:, :, :1, ::-1])):
            out, source = (Place(lib, whole.memory, whole.view[key], dtype, lead) for key in (key_out, key_in))
            self.fails(lib.tess_copy(out.ref(), source.ref()), tess.EALIAS, out, 'copy to an overlapping view', dtype)
            self.fails(lib.tess_cast(out.ref(), source.ref(), 0, None), tess.EALIAS, out, 'cast to an overlap', dtype)
            self.fails(lib.tess_concatenate(out.ref(), source.ref(), 1, 2), tess.EALIAS, out, 'concatenate', dtype)
        out, source = (Place(lib, whole.memory, whole.view[key], dtype, lead)
                       for key in (np.s_[..., ::2], np.s_[..., 1::2]))
        values = source.view.copy()
        if self.succeeds(lib.tess_copy(out.ref(), source.ref()), 'copy between interleaved views', dtype):
            self.written(out, values, 'copy between interleaved views', dtype)

    def check_misfits(self, dtype, source):
        lib = self.lib
        other = tess.BY_NAME['i16' if dtype.name == 'u8' else 'u8']
        wrong_shape = self.place((2, 3, 4, 6), dtype)
        self.fails(lib.tess_copy(wrong_shape.ref(), source.ref()), tess.ESHAPE, wrong_shape, 'copy to a wrong shape')
        self.fails(lib.tess_cast(wrong_shape.ref(), source.ref(), dtype.number, None), tess.ESHAPE, wrong_shape, 'cast')
        wrong_type = self.place((2, 3, 4, 5), other)
        self.fails(lib.tess_copy(wrong_type.ref(), source.ref()), tess.EDTYPE, wrong_type, 'copy to a wrong dtype')
        self.fails(lib.tess_cast(wrong_type.ref(), source.ref(), dtype.number, byref(tess.CastOpts())), tess.EDTYPE,
                   wrong_type, 'cast to an output of another dtype')
        for compound in tess.COMPOUNDS:
            nothing = tess.Array()
            self.fails(lib.tess_cast(byref(nothing), source.ref(), compound.number, None), tess.EDTYPE, None,
                       'cast to', compound)
            self.expect(not any(bytes(nothing)), 'a failing cast leaves a zeroed output zeroed')

    def empty_outputs(self):
        """Arrays without elements that the library made can be written, by doing nothing."""
        lib, f32 = self.lib, tess.BY_NAME['f32']
        for shape in ((0, 2, 3, 4), (2, 0, 3, 4), (2, 3, 0, 4), (2, 3, 4, 0), (0, 0, 0, 0)):
            head = (tess.shape_value(shape), f32.number, tess.CPU)
            out, source = tess.Array(), self.place(shape, f32)
            if not self.succeeds(lib.tess_zeros(byref(out), *head), 'zeros', shape):
                continue
            for name, call in (('fill', lambda: lib.tess_fill(byref(out), 1.0)),
                               ('copy', lambda: lib.tess_copy(byref(out), source.ref())),
                               ('cast', lambda: lib.tess_cast(byref(out), source.ref(), 0, None)),
                               ('concatenate', lambda: lib.tess_concatenate(byref(out), source.ref(), 1, 0)),
                               ('arange', lambda: lib.tess_arange(byref(out), *head, 0.0, 1.0)),
                               ('linspace', lambda: lib.tess_linspace(byref(out), *head, 0.0, 1.0, None)),
                               ('eye', lambda: lib.tess_eye(byref(out), *head))):
                self.succeeds(call(), name, 'to an empty array', shape)
            lib.tess_release(byref(out))

    def check_options(self):
        """Options that have no meaning are rejected."""
        source, out = self.place((1, 1, 2, 2), tess.BY_NAME['f32']), self.place((1, 1, 2, 2), tess.BY_NAME['u8'])
        reserved = tess.CastOpts()
        reserved.reserved[5] = 1
        for opts in (tess.CastOpts(4), tess.CastOpts(-1), tess.CastOpts(0, 5), tess.CastOpts(0, -1), reserved):
            self.fails(self.lib.tess_cast(out.ref(), source.ref(), 0, byref(opts)), tess.EARG, out, 'cast options',
                       opts.mode, opts.part)
        nothing = tess.Array()
        for number in (0, -1, len(tess.DTYPES) + 1):
            status = self.lib.tess_cast(byref(nothing), source.ref(), number, None)
            self.fails(status, tess.EDTYPE, None, 'cast to dtype', number)

    # ---- Casts ----

    def spread(self, values, shape):
        """`values` at random places of an array of that shape, every one at least once where there is room."""
        n, generator = math.prod(shape), self.generator
        index = np.concatenate([generator.permutation(len(values)), generator.integers(0, len(values), n)])[:n]
        return generator.permutation(index).reshape(shape)

    def casts(self, rounds):
        for source, dtype in itertools.product(tess.SCALARS, tess.SCALARS):
            if source.kind == 'complex' and dtype.kind != 'complex':
                continue
            values = nasty_scalars(source, self.generator)
            for mode in (tess.CLAMP, tess.WRAP):
                after = cast_values(values, source, dtype, mode)
                for _ in range(rounds):
                    self.check_cast(values, after, source, dtype, mode)
            self.check_exact(values, source, dtype, rounds)

    def check_cast(self, values, after, source, dtype, mode):
        shape = self.rng.choice(((1, 1, 1, len(values)), (1, 2, 20, 33), (3, 4, 5, 17), self.random_shape()))
        index = self.spread(values, shape)
        given = self.place_with(values[index], source, plain=self.rng.random() < 0.3)
        opts = tess.CastOpts(0 if mode == tess.CLAMP and self.rng.random() < 0.5 else mode)
        self.run_both(lambda out: self.lib.tess_cast(out, given.ref(), dtype.number, byref(opts)), after[index], dtype,
                      'cast', source, dtype, 'wrap' if mode == tess.WRAP else 'clamp',
                      plain=self.rng.random() < 0.3, any_nan=True)

    def check_exact(self, values, source, dtype, rounds):
        changed = changed_values(values, source, dtype)
        good, bad = values[~changed], values[changed]
        after = cast_values(good, source, dtype, tess.CLAMP)
        opts = tess.CastOpts(tess.EXACT)
        for _ in range(rounds):
            index = self.spread(good, self.random_shape())
            given = self.place_with(good[index], source)
            self.run_both(lambda out: self.lib.tess_cast(out, given.ref(), dtype.number, byref(opts)), after[index],
                          dtype, 'exact cast', source, dtype, any_nan=True)
        for value in bad[self.generator.permutation(len(bad))[:12 * rounds]]:
            shape = tuple(self.rng.randrange(1, 7) for _ in range(4))
            given = self.place_with(good[self.spread(good, shape)], source)
            where = tuple(self.rng.randrange(n) for n in shape)
            given.view[where] = value
            out = self.place(shape, dtype)
            what = ('exact cast', source, dtype, value)
            self.fails(self.lib.tess_cast(out.ref(), given.ref(), 0, byref(opts)), tess.ERANGE, out, *what)
            self.check_exact_message(where, value, source, *what)
            nothing = tess.Array()
            status = self.lib.tess_cast(byref(nothing), given.ref(), dtype.number, byref(opts))
            self.fails(status, tess.ERANGE, None, *what)
            self.expect(not any(bytes(nothing)), *what, 'leaves a zeroed output zeroed')

    def check_exact_message(self, where, value, source, *what):
        """The message names the place, as b d h w, and the value, its parts in this order."""
        message = self.lib.tess_error_message().decode()
        numbers = re.findall(r'(?<![\w.])[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|nan|inf)', message)
        named = {self.comparable(float(x) if re.search('[.nife]', x) else int(x)) for x in numbers}
        wanted = parts_of(value) if source.kind == 'complex' else [value]
        self.expect(re.search(r'\D+'.join(str(k) for k in where), message) and
                    all(self.comparable(part.item()) in named for part in wanted), *what, 'message:', message)

    @staticmethod
    def comparable(x):
        return 'nan' if x != x else x

    def halves_exhaustively(self):
        """Every half-precision number to f32 and f64, and all ties between neighbours, and next to them, back."""
        f16, f32, f64 = (tess.BY_NAME[name] for name in ('f16', 'f32', 'f64'))
        every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
        for wide in (f32, f64):
            self.check_row(every, f16, wide)
            upward = every.astype(wide.numpy)
            finite = np.sort(upward[np.isfinite(upward)])
            ties = (finite[:-1] + finite[1:]) / 2
            for toward in (0, np.inf, -np.inf):
                near = np.nextafter(ties, wide.numpy.type(toward)) if toward else ties
                self.check_row(near, wide, f16)
        random_bits = self.generator.integers(0, 2**64, 200_000, np.uint64)
        self.check_row(random_bits.view(np.float64), f64, f32)
        self.check_row(random_bits.view(np.float32), f32, f16)
        narrow = self.generator.uniform(-17, 1, 200_000)
        self.check_row(np.exp2(narrow), f64, f16)
        for name in ('i64', 'u64'):
            dtype = tess.BY_NAME[name]
            shifts = self.generator.integers(0, 63, 200_000, dtype.numpy)
            self.check_row(random_bits.view(dtype.numpy) >> shifts, dtype, f32)

    def check_row(self, values, source, dtype):
        """One contiguous row of reals to a floating type, against NumPy."""
        given = self.place_with(values.reshape(1, 1, 1, -1), source, plain=True)
        self.run_both(lambda out: self.lib.tess_cast(out, given.ref(), dtype.number, None),
                      given.view.astype(dtype.numpy), dtype, 'cast a row', source, dtype, plain=True,
                      any_nan=True)

    def casts_in_place(self):
        """The output is exactly the input: types of one size on the same memory."""
        for names in (('i8', 'u8', 'bool'), ('i16', 'u16', 'f16'), ('i32', 'u32', 'f32'), ('i64', 'u64', 'f64')):
            for source, dtype in itertools.permutations([tess.BY_NAME[name] for name in names], 2):
                values = nasty_values(source, self.generator)
                index = self.spread(values, self.random_shape())
                out = self.place(index.shape, dtype)
                given = tess.Array()
                if not self.succeeds(self.lib.tess_reinterpret(byref(given), out.ref(), source.number), 'reinterpret'):
                    continue
                out.view.view(source.numpy)[...] = values[index]
                out.before = out.memory.copy()
                if self.succeeds(self.lib.tess_cast(out.ref(), byref(given), 0, None), 'cast in place', source, dtype):
                    self.written(out, cast_values(values, source, dtype, tess.CLAMP)[index], 'cast in place', source,
                                 dtype, any_nan=True)

        self.check_other_sizes_in_place()

    def check_other_sizes_in_place(self):
        """The same memory with elements of another size is an overlap."""
        for source, dtype, part in (('u16', 'u8', 0), ('u8', 'u16', 0), ('c32', 'f32', tess.PART_REAL)):
            whole = self.place((1, 1, 4, 8), tess.BY_NAME[source], plain=True)
            key = np.s_[..., ::2] if source == 'c32' else np.s_[..., :8 if source == 'u16' else 4]
            out = Place(self.lib, whole.memory, whole.view.view(tess.BY_NAME[dtype].numpy)[key], tess.BY_NAME[dtype])
            given = Place(self.lib, whole.memory, whole.view[..., :out.view.shape[3]], whole.dtype,
                          tess.address_of(whole.view) - tess.address_of(whole.memory))
            opts = tess.CastOpts(tess.CLAMP, part)
            self.fails(self.lib.tess_cast(out.ref(), given.ref(), 0, byref(opts)), tess.EALIAS, out, 'cast', source,
                       'on itself as', dtype)

    def complex_parts(self, rounds):
        for source in tess.COMPLEXES:
            for dtype in tess.REALS:
                nothing = tess.Array()
                values = nasty_scalars(source, self.generator)
                given = self.place_with(values.reshape(1, 1, 1, -1), source)
                self.fails(self.lib.tess_cast(byref(nothing), given.ref(), dtype.number, None), tess.EDTYPE, None,
                           'cast without a part', source, dtype)
                for part, mode in itertools.product((tess.PART_REAL, tess.PART_IMAG), (tess.CLAMP, tess.WRAP)):
                    after = cast_reals(parts_of(values)[part - 1], dtype, mode)
                    self.check_part(values, after, source, dtype, part, mode, rounds)
                for part in (tess.PART_ABS, tess.PART_POWER):
                    self.check_whole_part(source, dtype, part)
            for part in (tess.PART_ABS, tess.PART_POWER):
                self.check_inexact_part(source, part)

    def check_part(self, values, after, source, dtype, part, mode, rounds):
        opts = tess.CastOpts(mode, part)
        for _ in range(rounds):
            index = self.spread(values, self.random_shape())
            given = self.place_with(values[index], source)
            self.run_both(lambda out: self.lib.tess_cast(out, given.ref(), dtype.number, byref(opts)), after[index],
                          dtype, 'cast part', part, source, dtype, mode, any_nan=True)

    def check_whole_part(self, source, dtype, part):
        """Numbers whose absolute value is whole, in integers and all else: nothing is rounded."""
        k = np.array([0, 1, 2, 5, 10, 25, 26, 51, 52, 100, 127], np.float64)
        values = complex_from(3 * k, -4 * k, source)
        magnitude = 5 * k if part == tess.PART_ABS else 25 * k * k
        exact = magnitude <= (65504 if source.name == 'c16' and dtype.name == 'f16' else 2**24)
        after = cast_reals(magnitude[exact], dtype, tess.CLAMP)
        self.check_part(values[exact], after, source, dtype, part, tess.CLAMP, 2)

    def check_inexact_part(self, source, part):
        """Any numbers, to the type of the parts: within some ulps, and for abs without overflow on the way."""
        dtype = tess.BY_NAME[source.real]
        values = nasty_scalars(source, self.generator)
        spread = np.exp2(self.generator.uniform(-12, 12, 20_000)) * self.generator.choice((-1, 1), 20_000)
        values = np.concatenate([values, complex_from(spread[::2], spread[1::2], source)])
        re, im = (x.astype(np.longdouble) for x in parts_of(values))
        exact = np.hypot(re, im) if part == tess.PART_ABS else re * re + im * im
        rounded = exact.astype(dtype.numpy)
        opts = tess.CastOpts(tess.CLAMP, part)
        results = []
        for threads in THREADS:
            self.lib.tess_threads_set(threads)
            given = self.place_with(values.reshape(1, 1, 1, -1), source)
            array = tess.Array()
            status = self.lib.tess_cast(byref(array), given.ref(), dtype.number, byref(opts))
            if not self.succeeds(status, 'part', part, source):
                continue
            got = tess.numpy_view(array).copy().ravel()
            self.lib.tess_release(byref(array))
            results.append(got.tobytes())
            ulps = np.abs(got.astype(np.longdouble) - exact) / np.spacing(np.abs(rounded)).astype(np.longdouble)
            special = ~np.isfinite(rounded)
            right = np.where(special, (got == rounded) | (np.isnan(got) & np.isnan(rounded)),
                             ulps <= (ABS_ULPS if part == tess.PART_ABS else POWER_ULPS))
            worst = np.flatnonzero(~right)[:3]
            self.expect(np.all(right), 'part', part, source, values[worst], 'is', got[worst], 'not', rounded[worst])
        self.lib.tess_threads_set(0)
        self.expect(len(set(results)) == 1, 'part', part, source, 'depends on the number of threads')

    def large_casts(self):
        """Enough work for several threads, strided: the same bytes from 1, 2 and 5 of them, and those of NumPy."""
        pairs = [('f32', 'u8'), ('f64', 'f16'), ('u16', 'f32'), ('c32', 'c64'), ('i64', 'i8'), ('f32', 'c32')]
        for names, shape in itertools.product(pairs, ((1, 1, 500, 500), (4, 7, 130, 61))):
            source, dtype = (tess.BY_NAME[name] for name in names)
            values = nasty_scalars(source, self.generator)
            after = cast_values(values, source, dtype, tess.CLAMP)
            index = self.spread(values, shape)
            for threads in THREADS:
                self.lib.tess_threads_set(threads)
                given = self.place_with(values[index], source)
                self.run_both(lambda out: self.lib.tess_cast(out, given.ref(), dtype.number, None), after[index], dtype,
                              'large cast', names, shape, threads, 'threads', any_nan=True)
        self.lib.tess_threads_set(0)

    # ---- Fills and what is made ----

    def filled(self, shape, value, dtype):
        """An array of one number: in the real part of complex elements, in every real of compound ones."""
        real = tess.BY_NAME[dtype.real]
        reals = dtype.size // real.size
        element = np.zeros(reals, real.numpy)
        element[:1 if dtype.kind == 'complex' else reals] = cast_reals(np.array([value]), real, tess.CLAMP)
        values = np.empty(shape, dtype.numpy)
        values[...] = element.view(dtype.numpy)[0]
        return values

    def fills(self, rounds):
        for dtype in tess.DTYPES:
            for _ in range(rounds):
                value = self.rng.choice(FLOATS)
                out = self.place(self.random_shape(), dtype)
                if self.succeeds(self.lib.tess_fill(out.ref(), value), 'fill', dtype, value):
                    self.written(out, self.filled(out.view.shape, value, dtype), 'fill', dtype, value, any_nan=True)
                element = self.random_bytes(dtype.size)
                if dtype.kind == 'bool':
                    element &= 1
                values = np.empty(self.random_shape(), dtype.numpy)
                values[...] = element.view(dtype.numpy)[0]
                out = self.place(values.shape, dtype)
                status = self.lib.tess_fill_element(out.ref(), tess.address_of(element))
                if self.succeeds(status, 'fill_element', dtype):
                    self.written(out, values, 'fill_element', dtype)
        large = tess.SCALARS + [tess.BY_NAME['vec3_f32'], tess.BY_NAME['mat33_f64']]
        for dtype, threads in itertools.product(large, THREADS):
            self.lib.tess_threads_set(threads)
            out = self.place((2, 1, 211, 307), dtype)
            if self.succeeds(self.lib.tess_fill(out.ref(), 1.0), 'large fill', dtype):
                self.written(out, self.filled(out.view.shape, 1.0, dtype), 'large fill', dtype, threads, 'threads')
        self.lib.tess_threads_set(0)

    def constants(self):
        lib = self.lib
        for dtype, shape in itertools.product(tess.DTYPES, ((1, 1, 1, 1), (2, 3, 4, 5), (0, 2, 3, 4), (1, 1, 70, 333))):
            head = (tess.shape_value(shape), dtype.number, tess.CPU)
            value = self.rng.choice(FLOATS)
            for name, call, number in (('zeros', lambda a: lib.tess_zeros(a, *head), 0.0),
                                       ('ones', lambda a: lib.tess_ones(a, *head), 1.0),
                                       ('full', lambda a: lib.tess_full(a, *head, value), value)):
                array = tess.Array()
                if self.succeeds(call(byref(array)), name, dtype):
                    self.made(array, self.filled(shape, number, dtype), dtype, name, dtype, number, any_nan=True)
            like, source = tess.Array(), self.place(shape, dtype)
            if self.succeeds(lib.tess_like(byref(like), source.ref()), 'like', dtype):
                tess.numpy_view(like)[...] = source.view
                self.made(like, source.view, dtype, 'like', dtype)

    def counted(self, numbers, shape, dtype):
        """f64 numbers in the order b, d, h, w, converted to a scalar type."""
        return cast_values(numbers, tess.BY_NAME['f64'], dtype, tess.CLAMP).reshape(shape)

    def ranges(self, rounds):
        for dtype, _ in itertools.product(tess.SCALARS, range(rounds)):
            shape = self.random_shape()
            head = (tess.shape_value(shape), dtype.number, tess.CPU)
            index = np.arange(math.prod(shape), dtype=np.float64)
            start, step = self.rng.choice(((0, 1), (-5, 1), (300, -7), (0.5, 0.25), (0.1, 0.3), (-1e10, 1e9),
                                           (1e300, 1)))
            self.run_both(lambda out: self.lib.tess_arange(out, *head, start, step),
                          self.counted(start + index * step, shape, dtype), dtype, 'arange', dtype, shape, start, step)
            start, step = self.rng.choice(((0, 1), (-2.5, 0.125), (7, -0.5), (3, 0)))
            got_step, no_endpoint = ctypes.c_double(), self.rng.randrange(2)
            stop = start + step * (len(index) - (not no_endpoint))
            opts = tess.LinspaceOpts(ctypes.pointer(got_step), no_endpoint)
            values = start + index * step
            if dtype.kind in ('int', 'uint'):
                values = np.floor(values)  # as numpy.linspace does
            self.run_both(lambda out: self.lib.tess_linspace(out, *head, start, stop, byref(opts)),
                          self.counted(values, shape, dtype), dtype, 'linspace', dtype, shape, start,
                          stop)
            if len(index) > 1:
                self.expect(got_step.value == step, 'linspace gives step', got_step.value, 'not', step)
            eye = np.broadcast_to(np.eye(shape[2], shape[3]), shape).ravel()
            self.run_both(lambda out: self.lib.tess_eye(out, *head), self.counted(eye, shape, dtype), dtype, 'eye',
                          dtype, shape)
        shape = (2, 3, 211, 307)
        numbers = 2 + 3 * np.arange(math.prod(shape), dtype=np.float64)
        for number, dtype in enumerate(tess.SCALARS):
            self.lib.tess_threads_set(THREADS[number % len(THREADS)])
            head = (tess.shape_value(shape), dtype.number, tess.CPU)
            if dtype.kind in ('int', 'uint'):  # at once, not one by one
                wanted = np.minimum(numbers, float(int_limits(dtype)[1])).astype(dtype.numpy).reshape(shape)
            else:
                wanted = self.counted(numbers, shape, dtype)
            self.run_both(lambda out: self.lib.tess_arange(out, *head, 2, 3), wanted, dtype, 'large arange', dtype)
        self.lib.tess_threads_set(0)

    def uneven_linspaces(self):
        """Steps that are rounded: within 4 ulp of the larger end, the ends themselves exact."""
        for _ in range(300):
            n = self.rng.randrange(2, 400)
            start, stop = (self.rng.uniform(-1, 1) * 10.0**self.rng.randrange(-300, 300) for _ in range(2))
            array = tess.Array()
            status = self.lib.tess_linspace(byref(array), tess.shape_value((1, 1, 1, n)), tess.BY_NAME['f64'].number,
                                            tess.CPU, start, stop, None)
            if not self.succeeds(status, 'linspace', start, stop, n):
                continue
            got = tess.numpy_view(array).ravel().copy()
            self.lib.tess_release(byref(array))
            exact = np.longdouble(start) + np.arange(n) * ((np.longdouble(stop) - np.longdouble(start)) / (n - 1))
            tolerance = 4 * np.spacing(max(abs(start), abs(stop)))
            self.expect(got[0] == start and got[-1] == stop and np.max(np.abs(got - exact)) <= tolerance, 'linspace',
                        start, stop, n)

    def concatenations(self, rounds):
        lib = self.lib
        for dtype, _ in itertools.product(tess.DTYPES, range(rounds)):
            shape, axis = list(self.random_shape()), self.rng.randrange(-4, 4)
            places = []
            for _ in range(self.rng.randrange(1, 5)):
                shape[axis] = self.rng.choice((0, 1, 2, 3, 7))
                places.append(self.input_for(tuple(shape), dtype) if self.rng.random() < 0.2 else
                              self.place(tuple(shape), dtype))
            shapes = [place.view.shape for place in places]
            places = [place for place in places if place.view.shape[:axis % 4] + place.view.shape[axis % 4 + 1:] ==
                      shapes[0][:axis % 4] + shapes[0][axis % 4 + 1:]]
            parts = (tess.Array * len(places))(*(place.array for place in places))
            values = np.concatenate([place.view for place in places], axis)
            self.run_both(lambda out: lib.tess_concatenate(out, parts, len(parts), axis), values, dtype, 'concatenate',
                          dtype, shapes, axis)
        self.check_bad_concatenations()

    def check_bad_concatenations(self):
        f32, i32 = tess.BY_NAME['f32'], tess.BY_NAME['i32']
        good = self.place((2, 3, 4, 5), f32)
        for other, axis, n, status in ((self.place((2, 3, 4, 6), f32), 0, 2, tess.ESHAPE),
                                       (self.place((2, 3, 4, 5), i32), 0, 2, tess.EDTYPE),
                                       (good, 4, 2, tess.ERANGE), (good, -5, 2, tess.ERANGE), (good, 0, 0, tess.EARG)):
            nothing, parts = tess.Array(), (tess.Array * 2)(good.array, other.array)
            self.fails(self.lib.tess_concatenate(byref(nothing), parts, n, axis), status, None, 'concatenate')
            self.expect(not any(bytes(nothing)), 'a failing concatenate leaves a zeroed output zeroed')
        out, parts = self.place((3, 3, 4, 5), f32), (tess.Array * 2)(good.array, good.array)
        self.fails(self.lib.tess_concatenate(out.ref(), parts, 2, 0), tess.ESHAPE, out, 'concatenate to a wrong shape')

    # ---- Elements ----

    def elements(self, rounds):
        f64, i64 = tess.BY_NAME['f64'], tess.BY_NAME['i64']
        for dtype in tess.REALS:
            values = nasty_values(dtype, self.generator)
            for source, setter, numbers in ((f64, self.lib.tess_set_f64, FLOATS),
                                            (i64, self.lib.tess_set_i64, [x for x in WHOLE if -2**63 <= x < 2**63])):
                for number in self.rng.sample(numbers, rounds):
                    self.check_set(setter, number, np.array([number], source.numpy), source, dtype)
            for source, getter, kind in ((f64, self.lib.tess_get_f64, ctypes.c_double),
                                         (i64, self.lib.tess_get_i64, ctypes.c_int64)):
                for value in self.generator.choice(values, rounds):
                    place, where = self.place_and_index(dtype)
                    place.view[where] = value
                    got = kind()
                    if self.succeeds(getter(byref(got), place.ref(), *where), 'get', source, dtype):
                        wanted = cast_reals(np.array([value]), source, tess.CLAMP)
                        self.expect(same_values(np.array([got.value], source.numpy), wanted, True), 'get', source,
                                    'from', dtype, repr(value), 'is', got.value)
            self.check_complex_access(dtype, values)
        for dtype in tess.COMPLEXES:
            self.check_complex_elements(dtype, rounds)
        for dtype in tess.COMPOUNDS:
            place, got = self.place((1, 1, 2, 2), dtype), ctypes.c_double(7)
            self.fails(self.lib.tess_get_f64(byref(got), place.ref(), 0, 0, 0, 0), tess.EDTYPE, place, 'get', dtype)
            self.fails(self.lib.tess_set_f64(place.ref(), 0, 0, 0, 0, 1.0), tess.EDTYPE, place, 'set', dtype)
        self.check_places()

    def place_and_index(self, dtype):
        """An array that is not empty, and a place in it, counted from either end."""
        shape = tuple(max(n, 1) for n in self.random_shape())
        return self.place(shape, dtype), tuple(self.rng.randrange(-n, n) for n in shape)

    def check_set(self, setter, number, value, source, dtype):
        place, where = self.place_and_index(dtype)
        values = place.view.copy()
        values[where] = cast_values(value, source, dtype, tess.CLAMP)[0]
        argument = tess.Complex(*parts_of(value[0])) if source.kind == 'complex' else number
        if self.succeeds(setter(place.ref(), *where, argument), 'set', source, dtype, number):
            self.written(place, values, 'set', source, dtype, number, any_nan=True)

    def check_complex_access(self, dtype, values):
        """A real element may be read as a complex number; a complex number cannot become a real element."""
        place, where = self.place_and_index(dtype)
        place.view[where] = value = self.generator.choice(values)
        got = tess.Complex()
        if self.succeeds(self.lib.tess_get_c64(byref(got), place.ref(), *where), 'get_c64', dtype):
            self.expect(same_values(np.array([got.re]), np.array([value]).astype(np.float64), True) and got.im == 0,
                        'get_c64 of', dtype)
        place.before = place.memory.copy()
        self.fails(self.lib.tess_set_c64(place.ref(), *where, tess.Complex(1, 0)), tess.EDTYPE, place, 'set_c64', dtype)

    def check_complex_elements(self, dtype, rounds):
        c64 = tess.BY_NAME['c64']
        for value in nasty_scalars(c64, self.generator)[:rounds * 4]:
            self.check_set(self.lib.tess_set_c64, value, np.array([value]), c64, dtype)
        for value in self.generator.choice(nasty_scalars(dtype, self.generator), rounds):
            place, where = self.place_and_index(dtype)
            place.view[where] = value
            got = tess.Complex()
            if self.succeeds(self.lib.tess_get_c64(byref(got), place.ref(), *where), 'get_c64', dtype):
                wanted = cast_values(np.array([value]), dtype, c64, tess.CLAMP)
                self.expect(same_values(np.array([complex(got.re, got.im)]), wanted, True), 'get_c64', dtype, value)
        place, number, whole = self.place((1, 1, 2, 2), dtype), ctypes.c_double(7), ctypes.c_int64(7)
        self.fails(self.lib.tess_get_f64(byref(number), place.ref(), 0, 0, 0, 0), tess.EDTYPE, place, 'get_f64', dtype)
        self.fails(self.lib.tess_get_i64(byref(whole), place.ref(), 0, 0, 0, 0), tess.EDTYPE, place, 'get_i64', dtype)
        self.expect(number.value == 7 and whole.value == 7, 'a failing get leaves the value as it was')
        self.fails(self.lib.tess_set_f64(place.ref(), 0, 0, 0, 0, 1.0), tess.EDTYPE, place, 'set_f64', dtype)
        self.fails(self.lib.tess_set_i64(place.ref(), 0, 0, 0, 0, 1), tess.EDTYPE, place, 'set_i64', dtype)

    def check_places(self):
        """Places that do not exist, read-only arrays, and tess_address."""
        place, where = self.place_and_index(tess.BY_NAME['f32'])
        got = ctypes.c_double(7)
        for axis, outside in itertools.product(range(4), (1, -1)):
            wrong = list(where)
            size = place.view.shape[axis]
            wrong[axis] = size if outside > 0 else -size - 1
            self.fails(self.lib.tess_get_f64(byref(got), place.ref(), *wrong), tess.ERANGE, place, 'get at', wrong)
            self.fails(self.lib.tess_set_f64(place.ref(), *wrong, 1.0), tess.ERANGE, place, 'set at', wrong)
            self.expect(self.lib.tess_address(place.ref(), *wrong) is None, 'address of', wrong)
        for dtype in tess.DTYPES:
            place, where = self.place_and_index(dtype)
            after = tuple(k % n for k, n in zip(where, place.view.shape))
            wanted = tess.address_of(place.view) + sum(k * stride for k, stride in zip(after, place.view.strides))
            self.expect(self.lib.tess_address(place.ref(), *where) == wanted, 'address of', where, dtype)
        locked = self.place((1, 1, 2, 2), tess.BY_NAME['f32'], read_only=True)
        self.fails(self.lib.tess_set_f64(locked.ref(), 0, 0, 0, 0, 1.0), tess.EWRITE, locked, 'set read-only')

    # ---- Beyond 2^31 ----

    def beyond_int32(self):
        """Rows of a view of 2^32 elements that are repeated, and of an array of 2^32 bytes of which few are touched."""
        lib = self.lib
        for name in ('u8', 'f32', 'c64'):
            dtype = tess.BY_NAME[name]
            source = self.place((1, 1, 1, 3), dtype)
            wide, row, out = tess.Array(), tess.Array(), tess.Array()
            self.succeeds(lib.tess_slice(byref(row), source.ref(), 3, 1, 2, 1), 'slice')
            status = lib.tess_broadcast(byref(wide), byref(row), tess.shape_value((65536, 1, 65536, 1)))
            self.succeeds(status, 'broadcast')
            self.expect(lib.tess_n_elements(byref(wide)) == 2**32, 'elements of the broadcast')
            self.expect(lib.tess_n_bytes(byref(wide)) == 2**32 * dtype.size, 'bytes of the broadcast')
            self.fails(lib.tess_fill(byref(wide), 1.0), tess.EWRITE, source, 'fill the broadcast')
            for take in (lambda: lib.tess_index(byref(row), byref(wide), 0, 65535),
                         lambda: lib.tess_view_at(byref(row), byref(wide), 0, -1),
                         lambda: lib.tess_slice(byref(row), byref(wide), 2, tess.NONE, tess.NONE, -65536)):
                self.succeeds(take(), 'a row of the broadcast')
                shape = tess.fields(row)[:4]
                if self.succeeds(lib.tess_copy(byref(out), byref(row)), 'copy a row of the broadcast'):
                    self.made(out, np.broadcast_to(source.view[..., 1:2], shape), dtype, 'a row of the broadcast')
        self.check_large_array()

    def check_large_array(self):
        lib, u8, f32 = self.lib, tess.BY_NAME['u8'], tess.BY_NAME['f32']
        large = tess.Array()
        status = lib.tess_zeros(byref(large), tess.shape_value((1, 1, 65536, 65536)), u8.number, tess.CPU)
        if status == tess.ENOMEM:
            print('no memory for an array of 2^32 elements: not tested')
            return
        self.succeeds(status, 'an array of 2^32 bytes')
        view = tess.numpy_view(large, u8)
        rows, columns = slice(None, None, -8191), slice(65533, None, -6)
        part, row = tess.Array(), np.arange(65536, dtype=np.float32) % 251
        self.succeeds(lib.tess_subregion_text(byref(part), byref(large), b'..., ::-8191, 65533::-6'), 'part')
        source = self.place_with(row[columns].reshape(1, 1, 1, -1), f32)
        self.succeeds(lib.tess_cast(byref(part), source.ref(), 0, None), 'cast to the part')
        wanted = np.zeros(65536, np.uint8)
        wanted[columns] = row[columns]
        for h in range(65536)[rows]:
            self.expect(np.array_equal(view[0, 0, h], wanted), 'row', h, 'of an array of 2^32 bytes')
            self.expect(not view[0, 0, h - 1].any(), 'row', h - 1, 'of an array of 2^32 bytes')
        self.succeeds(lib.tess_set_i64(byref(large), 0, 0, -1, -1, 77), 'set the last of 2^32')
        self.expect(view[0, 0, 65535, 65535] == 77, 'the last of 2^32 elements')
        out = tess.Array()
        if self.succeeds(lib.tess_copy(byref(out), byref(part)), 'copy the part'):
            self.made(out, view[:, :, rows, columns], u8, 'copy of the part')
        lib.tess_release(byref(large))


def run_parts(tests, parts):
    """Run named parts of the tests, say how much each compared, and give the exit status. The last line counts all."""
    for name, test in parts:
        began, tests.to_show = time.time(), MOST_SHOWN
        before = tests.passed + tests.failed
        test()
        print(f'{name}: {tests.passed + tests.failed - before} comparisons, {time.time() - began:.1f} s', flush=True)
    tests.lib.tess_threads_set(0)
    print(f'{tests.passed} passed, {tests.failed} failed')
    return 1 if tests.failed else 0


def main():
    options = tess.arguments(__doc__)
    lib = tess.load(options.library)
    tests = Tests(lib, options.seed)
    used = lib.tess_memory_used(tess.CPU)
    for name, test in (('copies', lambda: tests.copies(tess.rounds(120))),
                       ('permuted copies', lambda: tests.permuted_copies(tess.rounds(120))),
                       ('large copies', tests.large_copies), ('refusals', tests.refusals),
                       ('empty outputs', tests.empty_outputs), ('casts', lambda: tests.casts(tess.rounds(3))),
                       ('half precision', tests.halves_exhaustively), ('casts in place', tests.casts_in_place),
                       ('complex parts', lambda: tests.complex_parts(tess.rounds(3))),
                       ('large casts', tests.large_casts),
                       ('fills', lambda: tests.fills(tess.rounds(80))), ('constants', tests.constants),
                       ('ranges', lambda: tests.ranges(tess.rounds(12))), ('uneven linspaces', tests.uneven_linspaces),
                       ('concatenations', lambda: tests.concatenations(tess.rounds(60))),
                       ('elements', lambda: tests.elements(tess.rounds(60))), ('beyond 2^31', tests.beyond_int32)):
        began, before = time.time(), tests.passed + tests.failed
        tests.to_show = MOST_SHOWN
        test()
        print(f'{name}: {tests.passed + tests.failed - before} comparisons, {time.time() - began:.1f} s', flush=True)
    tests.expect(lib.tess_memory_used(tess.CPU) == used, 'memory in use after the tests is that before')
    print(f'{tests.passed} passed, {tests.failed} failed')
    return 1 if tests.failed else 0


if __name__ == '__main__':
    sys.exit(main())
