"""Chains of random views, compared with the same chains in NumPy: python3 views.py libtessera.so [seed] [--chain N]

After every operation: shape, strides (where the size is above 1), address of the first element, dtype, storage and
flags, all queries, and for a third of the steps the bytes of the elements. Operations that NumPy rejects must fail
with a message and leave the view as it was; all others must succeed. At the end of a chain two of its views are
compared by tess_overlap and np.shares_memory, and now and then an axis is walked along.

Where the headers ask for something else than NumPy does, they are followed:
- an index keeps its axis with size 1, and tess_view_at gives the dropped axis back on the left;
- tess_reinterpret needs an aligned address and strides that are whole elements of the new type;
- tess_real_view and tess_imag_view are for complex arrays only;
- sizes of types that are no multiples of each other, as 8 and 12 bytes, are not reinterpreted;
- in tess_reshape only -1 is inferred, where NumPy takes every negative size.
"""
import functools
import random
import sys
import time
from ctypes import byref, c_bool

import numpy as np

import tess

CHAINS = 20_000
MOST_STEPS = 8
MOST_ELEMENTS = 30_000
POOL_BYTES = 1 << 22
HUGE = (2**62, -2**62, 2**63 - 1, -2**63 + 1)
ALL = slice(None)


class Fault(Exception):
    """The library and NumPy disagree."""


class Step:
    """One operation: its text, the call, what NumPy makes of it (None: it must fail) and with which statuses."""

    def __init__(self, text, call, expected, statuses=None, dtype=None):
        self.text, self.call, self.expected, self.statuses, self.dtype = text, call, expected, statuses, dtype


# ---- NumPy's side ----


def reshaped(ref, shape):
    """The view under another shape, or None if NumPy would have to copy or the sizes do not fit."""
    view = ref.view()
    try:
        view.shape = shape
    except (AttributeError, ValueError):
        return None
    return view


def indexed(ref, key):
    try:
        return ref[key]
    except (IndexError, ValueError):
        return None


def kept(index, size):
    """The slice that holds one place, or None if the place does not exist."""
    return slice(index % size, index % size + 1) if -size <= index < size else None


def reinterpreted(ref, dtype):
    if dtype.size % ref.itemsize and ref.itemsize % dtype.size:
        return None
    if ref.size:
        alignment = tess.BY_NAME[dtype.real].size
        whole = all(s % dtype.size == 0 for s, n in zip(ref.strides[:3], ref.shape[:3]) if n > 1)
        if tess.address_of(ref) % alignment or dtype.size > ref.itemsize and not whole:
            return None
    try:
        return ref.view(dtype.numpy)
    except ValueError:
        return None


def dense(shape, strides):
    """Do the elements fill a block once? Strides count elements; the array is not empty."""
    filled = 1
    for stride, size in sorted((abs(s), n) for s, n in zip(strides, shape) if n > 1):
        if stride != filled:
            return False
        filled *= size
    return True


def queries_of(ref):
    """What the queries must say: contiguous C, F, per dimension, flattenable, dense, empty, elements, bytes."""
    if ref.size == 0:
        return True, True, (True,) * 4, True, True, True, 0, 0
    shape, strides = ref.shape, [stride // ref.itemsize for stride in ref.strides]
    _, d, h, w = shape
    per_axis = tuple(n == 1 or s == inner for n, s, inner in zip(shape, strides, (d * h * w, h * w, w, 1)))
    return (ref.flags.c_contiguous, ref.transpose(0, 1, 3, 2).flags.c_contiguous, per_axis,
            reshaped(ref, (ref.size,)) is not None, dense(shape, strides), False, ref.size, ref.nbytes)


# ---- Random arguments ----


@functools.lru_cache(maxsize=None)
def prime_factors(n):
    factors, p = [], 2
    while n > 1:
        while n % p == 0:
            factors.append(p)
            n //= p
        p += 1
    return tuple(factors)


def random_size(rng):
    return 0 if rng.random() < 0.02 else rng.randrange(1, 8)


def random_shape(rng):
    if rng.random() < 0.02:
        return [rng.randrange(1, 4), rng.randrange(1, 6), rng.randrange(20, 50), rng.randrange(20, 40)]
    return [random_size(rng) if rng.random() < 0.8 else 1 for _ in range(4)]


def random_axis(rng):
    return rng.randrange(-4, 4) if rng.random() < 0.98 else rng.choice((4, -5, 1000))


def random_bound(rng, size):
    x = rng.random()
    if x < 0.4:
        return None
    if x < 0.8:
        return rng.randrange(-size, size + 1)
    return rng.choice(HUGE) if x > 0.98 else rng.randrange(-size - 3, size + 4)


def random_slice(rng, size):
    x = rng.random()
    if x < 0.5:
        step = 1
    elif x < 0.98:
        step = rng.choice((2, 3, 7, -1, -1, -2, -3))
    else:
        step = rng.choice(HUGE + (0,))
    return slice(random_bound(rng, size), random_bound(rng, size), step)


def random_index(rng, size):
    return rng.randrange(-size, size) if size and rng.random() < 0.97 else rng.choice((size, -size - 1, 2**62, -2**62))


def random_part(rng, size):
    """A slice or a number for one axis."""
    x = rng.random()
    if x < 0.3:
        return ALL
    return random_index(rng, size) if x < 0.45 else random_slice(rng, size)


def key_of(parts, shape):
    """NumPy's key for one part per axis, with numbers as slices of one place; None if a number is out of range."""
    key = tuple(kept(part, size) if isinstance(part, int) else part for part, size in zip(parts, shape))
    return None if None in key else key


def bound(value):
    return tess.NONE if value is None else value


# ---- Operations ----


class Operations:
    """Each method takes a random generator and NumPy's view, and returns a Step."""

    def __init__(self, lib):
        self.lib = lib
        self.choices = ([self.permute] * 2 + [self.reshape] * 3 + [self.broadcast] * 2 + [self.slice] * 4 +
                        [self.subregion] * 3 + [self.subregion_text] * 4 + [self.reverse] * 2 + [self.reinterpret] * 3 +
                        [self.transpose, self.flatten, self.index, self.view_at, self.squeeze_left, self.part_view])

    def permute(self, rng, ref):
        axes = rng.sample(range(4), 4)
        if rng.random() < 0.1:
            axes[rng.randrange(4)] = rng.randrange(-5, 6)
        try:
            expected = ref.transpose(axes)
        except ValueError:
            expected = None
        return Step(f'permute {axes}', lambda v, a: self.lib.tess_permute(v, a, *axes), expected)

    def transpose(self, _rng, ref):
        return Step('transpose', self.lib.tess_transpose, ref.transpose(0, 1, 3, 2))

    def reshape(self, rng, ref):
        shape = [1, 1, 1, 1]
        if ref.size and rng.random() < 0.9:
            for factor in prime_factors(ref.size):
                shape[rng.randrange(4)] *= factor
        else:
            shape = random_shape(rng)
        if rng.random() < 0.3:
            shape[rng.randrange(4)] = -1
        expected = reshaped(ref, shape)
        if rng.random() < 0.02:
            shape, expected = [-1, -1, 1, ref.size] if rng.random() < 0.5 else [1, 1, ref.size, -2], None
        negatives = sum(size < 0 for size in shape)
        product = int(np.prod(shape)) * (-1 if negatives else 1)
        right_count = negatives == 0 and product == ref.size or negatives == 1 and -1 in shape and product and \
            ref.size % product == 0
        return Step(f'reshape {shape}', lambda v, a: self.lib.tess_reshape(v, a, tess.shape_value(shape)), expected,
                    (tess.ELAYOUT,) if right_count else (tess.ESHAPE,))

    def flatten(self, _rng, ref):
        return Step('flatten', self.lib.tess_flatten, reshaped(ref, (1, 1, 1, ref.size)), (tess.ELAYOUT,))

    def broadcast(self, rng, ref):
        shape = [random_size(rng) if n == 1 and rng.random() < 0.7 else n for n in ref.shape]
        if rng.random() < 0.05:
            shape[rng.randrange(4)] = rng.randrange(-1, 4)
        if np.prod(shape) > MOST_ELEMENTS:
            shape = list(ref.shape)
        try:
            expected = np.broadcast_to(ref, shape)
        except ValueError:
            expected = None
        return Step(f'broadcast {shape}', lambda v, a: self.lib.tess_broadcast(v, a, tess.shape_value(shape)), expected,
                    (tess.ESHAPE,))

    def slice(self, rng, ref):
        axis = random_axis(rng)
        if not -4 <= axis < 4:
            return Step(f'slice {axis}', lambda v, a: self.lib.tess_slice(v, a, axis, 0, 1, 1), None, (tess.ERANGE,))
        s = random_slice(rng, ref.shape[axis])
        return Step(f'slice axis {axis} {s}',
                    lambda v, a: self.lib.tess_slice(v, a, axis, bound(s.start), bound(s.stop), s.step),
                    indexed(ref, (ALL,) * (axis % 4) + (s,)))

    def subregion(self, rng, ref):
        parts = [random_part(rng, size) for size in ref.shape]
        ranges = []
        for part in parts:
            if isinstance(part, int):
                ranges.append((part, 0, 0, tess.RANGE_INDEX, 0))
            elif part is ALL:
                ranges.append((0, 0, 0, tess.RANGE_ALL, 0))
            else:
                ranges.append((bound(part.start), bound(part.stop), part.step, tess.RANGE_SLICE, 0))
        region = tess.Region(tuple(ranges))
        key = key_of(parts, ref.shape)
        return Step(f'subregion {parts}', lambda v, a: self.lib.tess_subregion(v, a, region),
                    None if key is None else indexed(ref, key))

    def subregion_text(self, rng, ref):
        n = rng.randrange(0, 5)
        dots = rng.randrange(n + 1) if n == 0 or rng.random() < 0.5 else n
        has_dots = n == 0 or dots < n or rng.random() < 0.2
        axes = [k if k < dots else 4 - n + k for k in range(n)]
        parts = [random_part(rng, ref.shape[k]) for k in axes]
        texts = [text_of(rng, part) for part in parts]
        if has_dots:
            texts.insert(dots, '...')
        text = ','.join(space(rng) + t + space(rng) for t in texts)
        full = [ALL] * 4
        for k, part in zip(axes, parts):
            full[k] = part
        key = key_of(full, ref.shape)
        expected, statuses = None if key is None else indexed(ref, key), None
        if rng.random() < 0.05:
            text, expected, statuses = spoiled(rng, text, n), None, (tess.EPARSE,)
        return Step(f'subregion_text "{text}"', lambda v, a: self.lib.tess_subregion_text(v, a, text.encode()),
                    expected, statuses)

    def index(self, rng, ref):
        axis = random_axis(rng)
        index = random_index(rng, ref.shape[axis]) if -4 <= axis < 4 else 0
        place = kept(index, ref.shape[axis]) if -4 <= axis < 4 else None
        return Step(f'index axis {axis} at {index}', lambda v, a: self.lib.tess_index(v, a, axis, index),
                    None if place is None else ref[(ALL,) * (axis % 4) + (place,)], (tess.ERANGE,))

    def view_at(self, rng, ref):
        axis = random_axis(rng)
        index = random_index(rng, ref.shape[axis]) if -4 <= axis < 4 else 0
        there = indexed(ref, (ALL,) * (axis % 4) + (index,)) if -4 <= axis < 4 else None
        return Step(f'view_at axis {axis} at {index}', lambda v, a: self.lib.tess_view_at(v, a, axis, index),
                    None if there is None else there[None], (tess.ERANGE,))

    def reverse(self, rng, ref):
        turned = rng.randrange(16)
        axes = turned << 4 if rng.random() < 0.98 else rng.choice((1, 3, 256, 2**31, 2**32 - 1))
        key = tuple(slice(None, None, -1) if turned & 1 << k else ALL for k in range(4))
        return Step(f'reverse {axes}', lambda v, a: self.lib.tess_reverse(v, a, axes),
                    ref[key] if axes == turned << 4 else None)

    def squeeze_left(self, _rng, ref):
        ones = [k for k in range(4) if ref.shape[k] == 1]
        return Step('squeeze_left', self.lib.tess_squeeze_left,
                    ref.transpose(ones + [k for k in range(4) if k not in ones]))

    def reinterpret(self, rng, ref):
        candidates = tess.DTYPES if rng.random() < 0.2 else tess.SCALARS
        dtype = rng.choice(candidates)
        return Step(f'reinterpret {dtype}', lambda v, a: self.lib.tess_reinterpret(v, a, dtype.number),
                    reinterpreted(ref, dtype), dtype=dtype)

    def part_view(self, rng, ref):
        part = rng.randrange(2)
        call = (self.lib.tess_real_view, self.lib.tess_imag_view)[part]
        name = ('real_view', 'imag_view')[part]
        if ref.dtype == tess.BY_NAME['c16'].numpy:
            return Step(name, call, ref[('re', 'im')[part]], dtype=tess.BY_NAME['f16'])
        if ref.dtype.kind == 'c':
            return Step(name, call, (ref.real, ref.imag)[part], dtype=tess.BY_NAME[f'f{ref.itemsize * 4}'])
        return Step(name, call, None, (tess.EDTYPE,))


def space(rng):
    return rng.choice(('', '', '', ' ', '  '))


def text_of(rng, part):
    """A part in NumPy's notation; ends and steps that may be left out sometimes are."""
    if isinstance(part, int):
        return str(part)
    numbers = ['' if part.start is None else str(part.start), '' if part.stop is None else str(part.stop)]
    if part.step not in (None, 1) or rng.random() < 0.2:
        numbers.append(rng.choice(('', '1')) if part.step in (None, 1) else str(part.step))
    return ':'.join(space(rng) + number + space(rng) for number in numbers)


def spoiled(rng, text, n):
    """A text that is not in the notation."""
    return rng.choice((text + 'x', text + ' ]', '', ',' + text, text.replace(',', ',,') + ',,0', '1.5', '..', '....',
                       '..., ...', 'a:b', '1 2', '--1', '-', '1:2:3:4', ': : : :', ',', ':,:,:,:,:',
                       text + ', :' * (5 - n), '0;0', '0;\n', '1-2'))


# ---- The library's side ----


class Runner:
    def __init__(self, lib, seed):
        self.lib, self.seed = lib, seed
        self.operations = Operations(lib).choices
        self.passed = self.failed = 0
        self.owner = tess.Array()
        status = lib.tess_arange(byref(self.owner), tess.shape_value((1, 1, 1, POOL_BYTES // 4)),
                                 tess.BY_NAME['u32'].number, tess.CPU, 0, 1)
        if status != tess.OK:
            raise RuntimeError(tess.error_text(lib, status))
        self.pool = tess.numpy_view(self.owner).ravel()
        self.per_axis = (c_bool * 4)()

    def start(self, rng):
        """A random C-contiguous array over the pool, in the library and in NumPy; half of them know its storage."""
        dtype = rng.choice(tess.DTYPES if rng.random() < 0.15 else tess.SCALARS)
        shape = random_shape(rng)
        offset = rng.randrange(4)
        read_only = rng.random() < 0.1
        opts = tess.WrapOpts(offset=offset, length=offset + int(np.prod(shape)), read_only=read_only)
        array = tess.Array()
        status = self.lib.tess_wrap(byref(array), self.owner.data, tess.shape_value(shape), dtype.number, byref(opts))
        if status != tess.OK:
            raise Fault('wrap: ' + tess.error_text(self.lib, status))
        if rng.random() < 0.5:
            array.buffer = self.owner.buffer
        ref = np.ndarray(shape, dtype.numpy, self.pool, offset * dtype.size)
        return array, ref, dtype, f'wrap {dtype} {shape} offset {offset}{" read-only" if read_only else ""}'

    def check_view(self, array, ref, dtype, start, compare_elements):
        f = tess.fields(array)
        if f[:4] != ref.shape:
            raise Fault(f'shape is {f[:4]}, NumPy has {ref.shape}')
        if f[9:] != (start.buffer or 0, dtype.number, 0, 0, start.flags):
            raise Fault(f'buffer, dtype, device and flags are {f[9:]}; dtype should be {dtype}, others as at the start')
        if ref.size:
            if f[8] != tess.address_of(ref):
                raise Fault(f'first element is {f[8] - tess.address_of(ref)} bytes from where NumPy has it')
            for k in range(4):
                if f[k] > 1 and f[4 + k] * dtype.size != ref.strides[k]:
                    raise Fault(f'strides are {f[4:8]} of {dtype}, NumPy has {ref.strides} bytes')
        self.check_queries(array, ref)
        if compare_elements and tess.numpy_view(array, dtype).tobytes() != ref.tobytes():
            raise Fault('elements differ')

    def check_queries(self, array, ref):
        lib, a = self.lib, byref(array)
        lib.tess_contiguity(self.per_axis, a)
        got = (lib.tess_is_contiguous(a, b'C'), lib.tess_is_contiguous(a, b'F'), tuple(self.per_axis),
               lib.tess_is_flattenable(a), lib.tess_is_dense(a), lib.tess_is_empty(a), lib.tess_n_elements(a),
               lib.tess_n_bytes(a))
        expected = queries_of(ref)
        if got != expected:
            raise Fault('contiguous C, F, per axis, flattenable, dense, empty, elements, bytes are\n'
                        f'  {got}, should be\n  {expected}\n  shape {ref.shape}, strides {ref.strides} bytes')

    def take(self, step, array, in_place):
        """The view that the library makes, or None if it fails as it should."""
        view = tess.copy_of(array) if in_place else tess.Array()
        before = bytes(view)
        status = step.call(byref(view), byref(view) if in_place else byref(array))
        if status == tess.OK:
            if step.expected is None:
                raise Fault('succeeds, and should fail')
            return view
        if step.expected is not None:
            raise Fault(f'fails, and should give shape {step.expected.shape}: {tess.error_text(self.lib, status)}')
        fault = tess.failure_fault(self.lib, status)
        if fault:
            raise Fault(fault)
        if step.statuses and status not in step.statuses:
            raise Fault(f'status should be one of {step.statuses}: {tess.error_text(self.lib, status)}')
        if bytes(view) != before:
            raise Fault('fails and changes the view')
        return None

    def check_overlap(self, rng, views):
        (a, ref_a), (b, ref_b) = rng.choice(views), rng.choice(views)
        try:
            expected = np.shares_memory(ref_a, ref_b, max_work=100_000)
        except np.TooHardError:
            return
        if self.lib.tess_overlap(byref(a), byref(b)) != expected:
            raise Fault(f'overlap is {not expected}: {tess.fields(a)} and {tess.fields(b)}')
        if self.lib.tess_same_shape(byref(a), byref(b)) != (ref_a.shape == ref_b.shape):
            raise Fault(f'same_shape is wrong for {ref_a.shape} and {ref_b.shape}')
        self.passed += 1

    def check_walk(self, rng, array, ref, dtype):
        axis = rng.randrange(4)
        walk, view, count = tess.Along(), tess.Array(), 0
        while self.lib.tess_along_next(byref(walk), byref(view), byref(array), axis):
            if walk.index != count:
                raise Fault(f'along_next gives index {walk.index} at place {count}')
            self.check_view(view, ref[(ALL,) * axis + (count,)][None], dtype, array, False)
            count += 1
        if count != ref.shape[axis]:
            raise Fault(f'along_next walks {count} places of axis {axis} of {ref.shape}')
        self.passed += 1

    def run_chain(self, number):
        rng = random.Random(self.seed * 1_000_003 + number)
        log = []
        try:
            array, ref, dtype, text = self.start(rng)
            log.append(text)
            self.check_view(array, ref, dtype, array, True)
            views = [(array, ref)]
            for _ in range(rng.randrange(1, MOST_STEPS + 1)):
                step = rng.choice(self.operations)(rng, ref)
                log.append(step.text)
                view = self.take(step, array, rng.random() < 0.2)
                if view is not None:
                    array, ref, dtype = view, step.expected, step.dtype or dtype
                    self.check_view(array, ref, dtype, views[0][0], rng.random() < 1 / 3)
                    views.append((array, ref))
                self.passed += 1
            log.append('overlap of two of these')
            self.check_overlap(rng, views)
            if rng.random() < 0.02:
                log.append('walk')
                self.check_walk(rng, array, ref, dtype)
        except Fault as fault:
            self.failed += 1
            if self.failed <= 20:
                print(f'chain {number} failed:')
                print(''.join(f'    {line}\n' for line in log) + f'  {fault}', flush=True)

    # ---- Cases that chains do not reach ----

    def expect(self, condition, text):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print('failed:', text, flush=True)

    def check_nothing(self):
        """Queries of NULL and of zeroed arrays, and views of them."""
        for name, a in (('NULL', None), ('a zeroed array', byref(tess.Array()))):
            self.expect(self.lib.tess_is_empty(a) and self.lib.tess_n_elements(a) == 0 and
                        self.lib.tess_n_bytes(a) == 0, f'{name} is empty')
            self.expect(not self.lib.tess_overlap(a, a), f'{name} does not overlap')
            view = tess.Array()
            self.expect(self.lib.tess_transpose(byref(view), a) == tess.EARG, f'{name} has no views')

    def check_bad_structs(self):
        """Ranges and types that are none, and shapes beyond what can be counted."""
        lib, view = self.lib, tess.Array()
        array = self.start(random.Random(self.seed))[0]
        for kind, reserved in ((3, 0), (-1, 0), (0, 1), (1, 1)):
            region = tess.Region(((0, 1, 1, kind, reserved),) * 4)
            self.expect(lib.tess_subregion(byref(view), byref(array), region) == tess.EARG,
                        f'range of kind {kind} with reserved {reserved} is refused')
        for dtype in (0, -1, len(tess.DTYPES) + 1):
            self.expect(lib.tess_reinterpret(byref(view), byref(array), dtype) == tess.EDTYPE, f'dtype {dtype} is none')
        one = tess.Array()
        self.expect(lib.tess_wrap(byref(one), self.owner.data, tess.shape_value((1, 1, 1, 1)), 1, None) == tess.OK,
                    'wrap one element')
        for shape in ((2**20,) * 4, (2**62, 1, 1, 4), (2**63 - 1, 2**63 - 1, 1, 1)):
            self.expect(lib.tess_broadcast(byref(view), byref(one), tess.shape_value(shape)) == tess.ESHAPE,
                        f'broadcast to {shape} is refused')
        self.expect(lib.tess_broadcast(byref(view), byref(one), tess.shape_value((65536, 1, 65536, 1))) == tess.OK and
                    lib.tess_n_elements(byref(view)) == 2**32, 'broadcast to 2^32 elements')

    def check_overlaps(self, pairs):
        """Pairs of stepped views of one row of bytes, often interleaved, against NumPy's exact answer."""
        rng = random.Random(self.seed)
        for _ in range(pairs):
            arrays, refs = [], []
            for _ in range(2):
                shape = [rng.randrange(1, 5) for _ in range(4)]
                strides = [rng.choice((-1, 1)) * rng.choice((0, 1, 2, 3, 4, 6, 8, 12, 16, 17, 30)) for _ in range(4)]
                dtype = rng.choice(tess.SCALARS)
                offset = 500 + rng.randrange(40)
                opts = tess.WrapOpts(tess.POINTER(tess.ShapeValue)(tess.shape_value(strides)), offset)
                array = tess.Array()
                status = self.lib.tess_wrap(byref(array), self.owner.data, tess.shape_value(shape), dtype.number,
                                            byref(opts))
                if status != tess.OK:
                    self.expect(False, tess.error_text(self.lib, status))
                    return
                arrays.append(array)
                refs.append(tess.numpy_view(array, dtype))
            expected = np.shares_memory(*refs)
            self.expect(self.lib.tess_overlap(byref(arrays[0]), byref(arrays[1])) == expected,
                        f'overlap is {expected}: {[tess.fields(array) for array in arrays]}')


def main():
    options = tess.arguments(__doc__)
    runner = Runner(tess.load(options.library), options.seed)
    began = time.time()
    if options.chain is not None:
        runner.run_chain(options.chain)
    else:
        for number in range(tess.rounds(CHAINS)):
            runner.run_chain(number)
        runner.check_nothing()
        runner.check_bad_structs()
        runner.check_overlaps(tess.rounds(10_000))
    print(f'{time.time() - began:.1f} s')
    print(f'{runner.passed} passed, {runner.failed} failed')
    return 1 if runner.failed else 0


if __name__ == '__main__':
    sys.exit(main())
