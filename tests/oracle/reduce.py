"""Reductions, compared with NumPy's widest types and with each other: python3 reduce.py libtessera.so [seed]

Inputs are random strided views, broadcast ones among them; outputs are made by the library or are views of another
dtype, around which nothing may change. A result must be what the exact one, moved by at most the rounding that f64
allows, is converted to. Every input is reduced again as a contiguous copy and with another number of threads, which
must give the same bits. The last line counts comparisons.
"""
import ctypes
import math
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np

import copies
import reduce_reference as reference
import tess

np.seterr(all='ignore')

LONG = np.longdouble
THREADS = (1, 2, 5)
SETS = [0] + [bits << 4 for bits in range(1, 16)]
KINDS = ('sum', 'prod', 'mean', 'var', 'std', 'norm', 'min', 'max', 'argmin', 'argmax', 'any', 'all', 'count_nonzero')
NO_OPTS = ('any', 'all', 'count_nonzero', 'weighted_mean', 'rmsd')
FLOATING = ('float', 'complex')
HARD = [[np.nan], [np.inf, np.nan], [np.inf], [-np.inf], [np.inf, -np.inf], [0.0, -0.0], [-0.0], [np.nan, 0.0]]
EXTREME_PARTS = ('var', 'std', 'norm')  # of complex numbers: what these make of infinite parts is not fixed
EXTREME = [[5e-324, 1e-45, 6e-8, -1e-310], [1e200, -1e200], [1e-200, 3e-170]]
SIZES = (31, 32, 33, 63, 64, 65, 127, 129, 255, 257, 1023, 1024, 1025, 2047, 2048, 2049, 3100)
# The host form of a function, by the type of its result.
HOST_FORM = {'f64': 'host_{}', 'bool': 'host_{}', 'i64': 'host_{}_int', 'u64': 'host_{}_uint', 'c64': 'host_{}_complex'}
HOST_F64 = ('sum', 'prod', 'mean', 'var', 'std', 'norm', 'min', 'max', 'logsumexp')


def options_of(*names):
    fields = [(name, c_int32) for name in names] + [('reserved', c_uint32 * 5)]
    return type('Opts', (ctypes.Structure,), {'_fields_': fields})


OPTIONS = {name: options_of('skip_nan') for name in ('prod', 'min', 'max', 'logsumexp', 'minmax')}
OPTIONS.update({name: options_of('skip_nan', 'compensated') for name in ('sum', 'mean', 'dot')})
OPTIONS.update({name: options_of('ddof', 'skip_nan') for name in ('var', 'std', 'mean_var', 'mean_std', 'reduce')})
OPTIONS.update({name: options_of('skip_nan', 'last') for name in ('argmin', 'argmax')})
OPTIONS['norm'] = options_of('order', 'skip_nan')


class Item(ctypes.Structure):
    _fields_ = [('kind', c_int32), ('out', ctypes.POINTER(tess.Array))]


def axes_of(chosen):
    return tuple(k for k in range(4) if not chosen or chosen & 16 << k)


def bytes_of(array):
    return tess.numpy_view(array).tobytes()


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        for name in (*KINDS, 'logsumexp', 'dot', 'weighted_mean', 'rmsd', 'mean_var', 'mean_std', 'minmax'):
            arrays = 3 if name in ('dot', 'weighted_mean', 'rmsd', 'mean_var', 'mean_std', 'minmax') else 2
            function = getattr(lib, 'tess_' + name)
            function.restype = c_int
            function.argtypes = [c_void_p] * arrays + [c_int] + ([] if name in NO_OPTS else [c_void_p])
        lib.tess_reduce.restype, lib.tess_reduce.argtypes = c_int, [c_void_p, c_int, c_void_p, c_int, c_void_p]

    # ---- Calls ----

    def call(self, name, out, sources, chosen, opts):
        """A function of one output, after a random choice of the number of threads."""
        self.lib.tess_threads_set(self.rng.choice(THREADS))
        arguments = [source.ref() for source in sources] + [chosen]
        if name in OPTIONS:
            known = {field[0] for field in OPTIONS[name]._fields_}
            chosen_opts = OPTIONS[name](**{key: value for key, value in opts.items() if key in known})
            arguments.append(byref(chosen_opts) if any(bytes(chosen_opts)) else None)
        return getattr(self.lib, 'tess_' + name)(out, *arguments)

    def made_by(self, name, sources, chosen, opts, *what):
        """The bytes and the dtype of an output that the library makes; None if the call fails."""
        array = tess.Array()
        if not self.succeeds(self.call(name, byref(array), sources, chosen, opts), *what):
            return None
        result = tess.DTYPES[tess.fields(array)[10] - 1], tess.numpy_view(array).copy()
        self.lib.tess_release(byref(array))
        return result

    # ---- Inputs ----

    def values_for(self, dtype, shape, name, special=0.0):
        """Random elements; for products near 1 in size. A part of `special` are hard ones."""
        if dtype.kind == 'complex':
            real = tess.BY_NAME[dtype.real]
            scale = real.numpy.type(2**-0.5 if name == 'prod' else 1)
            hard = 'extreme' if name in EXTREME_PARTS else name
            parts = [self.values_for(real, shape, hard, special / 2) * scale for _ in range(2)]
            return copies.complex_from(*parts, dtype)
        if dtype.kind != 'float':
            data = self.generator.integers(0, 256, (*shape, dtype.size), np.uint8)
            x = (data[..., 0] & 1).astype(bool) if dtype.kind == 'bool' else data.view(dtype.numpy)[..., 0].copy()
            hard = [0, 1] if dtype.kind == 'bool' else [*copies.int_limits(dtype), 0, 1]
        else:
            x = self.generator.normal(self.rng.choice((0, 0, 3, 1000)), self.rng.choice((1, 1, 30)), shape)
            if name == 'prod':
                x = np.exp(self.generator.normal(0, 0.05, shape)) * self.generator.choice((1, -1), shape)
            elif name == 'weights':
                x = np.abs(x)
            hard = self.rng.choice(EXTREME if name == 'extreme' else HARD if name == 'prod' else HARD + EXTREME)
        places = self.generator.random(shape) < special
        x[places] = self.generator.choice(hard, int(places.sum())).astype(x.dtype)
        return x.astype(dtype.numpy)

    def source_of(self, dtype, shape, name, special=0.0):
        """A random view with elements; some are broadcast by strides of 0."""
        least = 0.3 if self.rng.random() < 0.2 and 0 not in shape else 0
        once = [self.rng.random() < least for _ in range(4)]
        values = self.values_for(dtype, tuple(1 if one else n for one, n in zip(once, shape)), name, special)
        place = self.place_with(values, dtype)
        if not any(once):
            return place
        view = np.broadcast_to(place.view, shape)
        lead = (tess.address_of(view) - tess.address_of(place.memory)) % dtype.size
        return copies.Place(self.lib, place.memory, view, dtype, lead)

    def shape_for(self, chosen):
        """Few results, and of numbers in each: few, or around the sizes of blocks and chunks."""
        axes, shape = axes_of(chosen), [self.rng.choice((1, 1, 2, 3, 5, 9)) for _ in range(4)]
        kind = self.rng.random()
        if kind < 0.6:
            near = self.rng.choice(SIZES)
            sides = [k for k in axes if self.rng.random() < 0.5] or [axes[-1]]
            for k in axes:
                shape[k] = 1
            shape[sides[-1]] = near
            if len(sides) > 1 and near > 300:
                shape[sides[0]], shape[sides[-1]] = self.rng.choice((2, 3, 7)), near // 4
        elif kind < 0.75:
            shape[self.rng.randrange(4)] = self.rng.choice((8, 17, 40, 70))
        elif kind < 0.8:
            shape = [1] * 4
        elif kind < 0.85:
            shape[self.rng.randrange(4)] = 0
        while math.prod(n for k, n in enumerate(shape) if k not in axes) > 200:
            shape[max((k for k in range(4) if k not in axes), key=lambda k: shape[k])] = 3
        return tuple(shape)

    def random_options(self, dtype):
        return {'skip_nan': int(self.rng.random() < 0.4), 'compensated': int(self.rng.random() < 0.3),
                'ddof': self.rng.choice((0, 0, 1, 2, -1)), 'order': self.rng.randrange(4), 'from': dtype}

    # ---- One input ----

    def another_dtype(self, result):
        return self.rng.choice([d for d in tess.SCALARS if d.kind == 'complex' or result.kind != 'complex'])

    def check_results(self, name, sources, chosen, opts, natural, expected, what):
        """Against the reference, as made and in another dtype; and bit for bit from contiguous copies."""
        want, slack = expected
        made = self.made_by(name, sources, chosen, opts, *what)
        if made is None:
            return
        dtype, got = made
        signs = name in ('min', 'max') and dtype.kind == 'float'
        self.expect(dtype is natural and got.shape == want.shape, *what, 'made', dtype, got.shape)
        self.expect(reference.fits(got, dtype, want, slack, signs), *what, 'gives', got.ravel()[:4], 'not',
                    want.ravel()[:4], [source.view.strides for source in sources])
        other, again = self.another_dtype(dtype), [self.place_with(s.view, s.dtype, True) for s in sources]
        out = self.place(got.shape, other)
        repeated = self.made_by(name, again, chosen, opts, *what, 'of a copy')
        self.expect(repeated and repeated[1].tobytes() == got.tobytes(), *what, 'contiguous, has other bits')
        if self.succeeds(self.call(name, out.ref(), sources, chosen, opts), *what, 'as', other):
            self.expect(reference.fits(out.view.copy(), other, want, slack), *what, 'as', other, 'gives',
                        out.view.ravel()[:4], 'not', want.ravel()[:4])
            self.written(out, out.view.copy(), *what, 'as', other, any_nan=True)
        for source in sources:
            self.expect(np.array_equal(source.memory, source.before), *what, 'changes its input')

    def check_one(self, name, dtype, chosen, special):
        shape, opts = self.shape_for(chosen), self.random_options(dtype)
        what = (name, dtype, shape, hex(chosen), {k: v for k, v in opts.items() if k != 'from'})
        source = self.source_of(dtype, shape, name, special)
        if name in NO_OPTS:
            opts['skip_nan'] = 0
        rows, results_shape = reference.rows_of(reference.wide(source.view, dtype), axes_of(chosen))
        if rows.shape[1] == 0 and math.prod(results_shape) and name in reference.NEED_ELEMENTS:
            array = tess.Array()
            self.fails(self.call(name, byref(array), [source], chosen, opts), tess.ESHAPE, None, *what)
            self.expect(not any(bytes(array)), *what, 'fails and makes an output')
            return
        expected = reference.results(lambda row: reference.of_row(name, row, opts), rows, results_shape)
        self.check_results(name, [source], chosen, opts, reference.result_dtype(name, dtype), expected, what)

    def one_input(self):
        """Every function, dtype and set of axes."""
        for name in (*KINDS, 'logsumexp'):
            for dtype in tess.SCALARS:
                if dtype.kind == 'complex' and name in reference.UNORDERED:
                    continue
                for chosen in tess.some(SETS):
                    special = self.rng.choice((0, 0, 0.002, 0.05, 0.5, 1)) if dtype.kind != 'complex' else \
                        self.rng.choice((0, 0, 0.02, 2 * (name in EXTREME_PARTS))) * (name != 'prod')
                    self.check_one(name, dtype, chosen, special)

    # ---- Two inputs ----

    def check_two(self, name, first, second, chosen):
        shape, opts = self.shape_for(chosen), self.random_options(first)
        if 0 in shape:
            return
        other = tuple(self.rng.choice((n, n, 1)) for n in shape)
        weights = name == 'weighted_mean'
        large = name == 'rmsd' and '64' in first.name and '64' in second.name
        kind, special = ('extreme', self.rng.choice((0, 0, 0.3, 1))) if large else (name, 0)
        a = self.source_of(first, shape, kind, special)
        b = self.source_of(second, other, 'weights' if weights else kind, special)
        common = first
        if not weights:
            common = tess.DTYPES[self.lib.tess_dtype_promote(first.number, second.number) - 1]
            if self.rng.random() < 0.5:
                a, b, first, second = b, a, second, first
        what = (name, first, second, a.view.shape, b.view.shape, hex(chosen), opts)
        wide = [reference.wide(s.view, s.dtype) for s in (a, b)]
        if not weights and common.kind not in FLOATING:
            wide = [x.astype('u8' if common.kind == 'uint' else 'i8') for x in wide]
        elif name == 'dot':
            wide = [x if np.iscomplexobj(x) else x.astype('f8').astype(LONG) for x in wide]
        opts['rounds'] = '64' in first.name + second.name
        rows, results_shape = zip(*(reference.rows_of(np.broadcast_to(x, shape), axes_of(chosen)) for x in wide))
        expected = reference.results(lambda pair: reference.TWO[name](*pair, opts), list(zip(*rows)), results_shape[0])
        self.check_results(name, [a, b], chosen, opts, reference.result_dtype(name, common), expected, what)

    def two_inputs(self, rounds):
        self.lib.tess_dtype_promote.restype, self.lib.tess_dtype_promote.argtypes = c_int32, [c_int32, c_int32]
        for first in tess.SCALARS:
            for second in tess.SCALARS:
                for _ in range(rounds):
                    self.check_two('dot', first, second, self.rng.choice(SETS))
                    self.check_two('rmsd', first, second, self.rng.choice(SETS))
                    if second.kind != 'complex':
                        self.check_two('weighted_mean', first, second, self.rng.choice(SETS))

    # ---- Several results: the same bits as from single functions ----

    def check_pair(self, name, singles, dtype, chosen):
        shape, opts = self.shape_for(chosen), self.random_options(dtype)
        if 0 in shape:
            return
        opts['compensated'] = 0
        source, arrays = self.source_of(dtype, shape, name, self.rng.choice((0, 0.02, 0.3))), (tess.Array * 2)()
        known = {field[0] for field in OPTIONS[name]._fields_}
        chosen_opts = OPTIONS[name](**{key: value for key, value in opts.items() if key in known})
        what = (name, dtype, shape, hex(chosen), bytes(chosen_opts)[:8])
        status = getattr(self.lib, 'tess_' + name)(byref(arrays[0]), byref(arrays[1]), source.ref(), chosen,
                                                   byref(chosen_opts))
        if not self.succeeds(status, *what):
            return
        for single, array in zip(singles, arrays):
            made = self.made_by(single, [source], chosen, opts, *what)
            good = made and made[1].tobytes() == bytes_of(array)
            if made and single == 'mean' and dtype.name in ('f16', 'f32'):  # the mean alone may add in f32
                size = np.nanmax(np.abs(source.view, dtype=np.float64), initial=0)
                good = np.allclose(made[1], tess.numpy_view(array), rtol=0, atol=2**-22 * size, equal_nan=True)
            self.expect(good, *what, 'differs from', single)
        for array in arrays:
            self.lib.tess_release(byref(array))

    def check_several(self, dtype, chosen):
        """tess_reduce; any, all and count_nonzero leave NaNs out there, which their own functions cannot."""
        shape, opts = self.shape_for(chosen), {**self.random_options(dtype), 'compensated': 0, 'order': 1}
        names = [name for name in self.rng.choices(KINDS, k=self.rng.randrange(1, 9))
                 if dtype.kind != 'complex' or name not in reference.UNORDERED]
        if 0 in shape or not names:
            return
        source = self.source_of(dtype, shape, 'prod', self.rng.choice((0, 0.02, 0.3)))
        arrays, chosen_opts = (tess.Array * len(names))(), OPTIONS['reduce'](opts['ddof'], opts['skip_nan'])
        items = (Item * len(names))(*((KINDS.index(name) + 1, ctypes.pointer(array))
                                      for name, array in zip(names, arrays)))
        what = ('reduce', names, dtype, shape, hex(chosen), opts)
        self.lib.tess_threads_set(self.rng.choice(THREADS))
        if not self.succeeds(self.lib.tess_reduce(items, len(names), source.ref(), chosen, byref(chosen_opts)), *what):
            return
        rows, results_shape = reference.rows_of(reference.wide(source.view, dtype), axes_of(chosen))
        for name, array in zip(names, arrays):
            if name in NO_OPTS and opts['skip_nan']:
                want = reference.results(lambda row, n=name: reference.of_row(n, row, opts), rows, results_shape)
                good = reference.fits(tess.numpy_view(array), reference.result_dtype(name, dtype), *want)
                self.expect(good, *what, name, 'with NaNs left out')
            else:
                made = self.made_by(name, [source], chosen, opts, *what)
                self.expect(made and made[1].tobytes() == bytes_of(array), *what, 'differs from', name)
            self.lib.tess_release(byref(array))

    def several(self, rounds):
        pairs = {'mean_var': ('mean', 'var'), 'mean_std': ('mean', 'std'), 'minmax': ('min', 'max')}
        for dtype in tess.SCALARS:
            for _ in range(rounds):
                for name, singles in pairs.items():
                    if dtype.kind != 'complex' or name != 'minmax':
                        self.check_pair(name, singles, dtype, self.rng.choice(SETS))
                self.check_several(dtype, self.rng.choice(SETS))

    # ---- Whole arrays, to the host ----

    def host(self, name, result, count, *arguments):
        """What a host form writes, as a one-dimensional array; None if it fails."""
        out = np.zeros(count, result)
        function = getattr(self.lib, 'tess_' + name)
        function.restype, function.argtypes = c_int, None
        return out if self.succeeds(function(c_void_p(out.ctypes.data), *arguments), name) else None

    def check_host(self, name, suffix, source, opts):
        form = 'host_count_nonzero' if name == 'count_nonzero' else HOST_FORM[suffix].format(name)
        dtype, opts = source.dtype, {**opts, 'to_f64': suffix == 'f64'}
        result = {'f64': 'f8', 'i64': 'i8', 'u64': 'u8', 'c64': 'f8', 'bool': '?'}[suffix]
        arguments = [source.ref()]
        if name in ('var', 'std', 'norm'):
            known = {field[0] for field in OPTIONS[name]._fields_}
            arguments.append(byref(OPTIONS[name](**{k: v for k, v in opts.items() if k in known})))
        else:
            opts = {**opts, 'skip_nan': 0, 'compensated': 0}
        got = self.host(form, result, 2 if suffix == 'c64' else 1, *arguments)
        if got is None:
            return
        if suffix == 'c64':
            got = got.view('c16')
        want, slack = reference.of_row(name, reference.wide(source.view, dtype).ravel(), opts)
        want = np.array([want], np.clongdouble if np.iscomplexobj(want) else LONG)
        good = reference.fits(got, tess.BY_NAME[suffix], want, np.array([slack], LONG))
        self.expect(good, form, dtype, source.view.shape, opts, 'gives', got, 'not', want)

    def check_host_rest(self, a, b):
        """Means with deviations, places, dot and rmsd: as the array forms, which are compared with the reference."""
        lib, real = self.lib, a.dtype.kind != 'complex'
        pairs = [('host_dot_complex', 'dot', 'c64'), ('host_rmsd', 'rmsd', 'f64')] + [('host_dot', 'dot', 'f64')] * real
        for form, name, suffix in pairs:
            got = self.host(form, 'f8', 2 if suffix == 'c64' else 1, a.ref(), b.ref())
            out = self.place((1, 1, 1, 1), tess.BY_NAME[suffix], plain=True)
            if got is not None and self.succeeds(self.call(name, out.ref(), [a, b], 0, {}), name):
                self.expect(got.tobytes() == out.view.tobytes(), form, a.dtype, a.view.shape)
        if not real:
            return
        mean, std = c_double(), c_double()
        status = lib.tess_host_mean_std(byref(mean), byref(std), a.ref(), None)
        both = np.concatenate([self.host('host_mean', 'f8', 1, a.ref()), self.host('host_std', 'f8', 1, a.ref(), None)])
        good = status == tess.OK and np.array_equal([mean.value, std.value], both, equal_nan=True)
        self.expect(good, 'host_mean_std', a.dtype)
        x = reference.wide(a.view, a.dtype).ravel()
        for name, largest in (('host_argmin', False), ('host_argmax', True)):
            flat, want = c_int64(), int(reference.place_of(x, largest)[0])
            place = self.host(name, 'i8', 4, byref(flat), a.ref())
            right = np.array(np.unravel_index(want, a.view.shape))
            self.expect(flat.value == want and np.array_equal(place, right), name, a.dtype, a.view.shape)

    def hosts(self, rounds):
        for dtype in tess.SCALARS:
            for _ in range(rounds):
                shape, special = self.shape_for(0), self.rng.choice((0, 0, 0.1)) * (dtype.kind != 'complex')
                if 0 in shape:
                    shape = (1, 2, 3, 4)
                self.lib.tess_threads_set(self.rng.choice(THREADS))
                opts, complexes = self.random_options(dtype), dtype.kind == 'complex'
                for name in HOST_F64:
                    if not complexes or name in ('var', 'std', 'norm'):
                        self.check_host(name, 'f64', self.source_of(dtype, shape, name, special), opts)
                a = self.source_of(dtype, shape, 'sum', special)
                for name in ('sum', 'min', 'max') if dtype.kind not in FLOATING else ():
                    self.check_host(name, 'u64' if dtype.kind == 'uint' else 'i64', a, opts)
                for name, suffix in (('sum', 'c64'), ('mean', 'c64'), ('any', 'bool'), ('all', 'bool'),
                                     ('count_nonzero', 'i64')):
                    self.check_host(name, suffix, a, opts)
                self.check_host('prod', 'c64', self.source_of(dtype, shape, 'prod', special), opts)
                self.check_host_rest(a, self.source_of(dtype, shape, 'sum', special))

    # ---- Accuracy of large and of hard sums ----

    def sum_to(self, values, name, out, **opts):
        """A reduction of all of a one-dimensional array, to a number of dtype `out`."""
        dtype = tess.BY_NAME[{'f4': 'f32', 'f8': 'f64', 'u4': 'u32', 'u1': 'u8'}[values.dtype.str[1:]]]
        values = values.copy()
        source = copies.Place(self.lib, values.view('u1'), values.reshape(1, 1, 1, -1), dtype)
        place = self.place((1, 1, 1, 1), tess.BY_NAME[out], plain=True)
        self.succeeds(self.call(name, place.ref(), [source], 0, opts), name, dtype, values.size)
        return place.view[0, 0, 0, 0]

    def large_sums(self):
        for n in (10**6 + 7, 1 << 22):
            x = self.generator.random(n).astype('f4')
            exact = LONG(math.fsum(x.tolist()))
            self.expect(abs(LONG(self.sum_to(x, 'sum', 'f32')) - exact) <= np.spacing(np.float32(exact)), 'sum f32', n)
            self.expect(abs(LONG(self.sum_to(x, 'mean', 'f64')) - exact / n) <= exact / n * 80 * reference.U, 'mean', n)
            x -= np.float32(0.5)
            exact, size = LONG(math.fsum(x.tolist())), LONG(math.fsum(np.abs(x).tolist()))
            self.expect(abs(LONG(self.sum_to(x, 'sum', 'f32')) - exact) <= size * LONG(2)**-24, 'sum of both signs', n)
        tenth, row = np.full((1, 1, 1, 1), 0.1, 'f4'), self.generator.random((1, 1, 1, 1 << 20)).astype('f4')
        self.repeated_sum(tenth, (1, 1, 1, (1 << 24) + 3))
        self.repeated_sum(tenth, (1, 1, 1, 1 << 28))
        self.repeated_sum(row, (1, 1, 256, 1 << 20))

    def repeated_sum(self, values, shape):
        """The sum, and the mean, of f32 of one sign, broadcast: within 1 ulp."""
        once = self.place_with(values, tess.BY_NAME['f32'], plain=True)
        many = copies.Place(self.lib, once.memory, np.broadcast_to(once.view, shape), once.dtype,
                            tess.address_of(once.view) - tess.address_of(once.memory))
        exact = LONG(math.fsum(values.ravel().tolist())) * (math.prod(shape) // values.size)
        for name, want in (('sum', exact), ('mean', exact / math.prod(shape))):
            out = self.place((1, 1, 1, 1), once.dtype)
            self.succeeds(self.call(name, out.ref(), [many], 0, {}), name, 'of', shape)
            self.expect(abs(LONG(out.view[0, 0, 0, 0]) - want) <= np.spacing(np.float32(want)), name, 'of', shape)

    def compensated(self):
        for _ in range(12):
            n = self.rng.choice((5, 100, 1025, 5000, 60_000))
            x = self.generator.random(n) * 2.0**self.generator.integers(-20, 20, n)
            exact = math.fsum(x)
            got = float(self.sum_to(x, 'sum', 'f64', compensated=1))
            self.expect(abs(got - exact) <= 2 * math.ulp(exact), 'compensated sum of one sign', n, got, exact)
            y = np.concatenate([x, -x * (1 + 2.0**-self.rng.randrange(20, 50)), self.generator.random(1) * 1e-12])
            y = self.generator.permutation(y)
            exact, size = math.fsum(y), math.fsum(np.abs(y))
            got, u = float(self.sum_to(y, 'sum', 'f64', compensated=1)), 2.0**-53
            slack = (y.size * u)**2 * size
            self.expect(abs(got - exact) <= 2 * u * abs(exact) + slack, 'compensated', y.size, got, exact)
            got = float(self.sum_to(y, 'mean', 'f64', compensated=1))
            self.expect(abs(got * y.size - exact) <= 4 * u * abs(exact) + slack, 'compensated mean')

    def spreads(self):
        """The bars of variance: far from 0, equal elements, large numbers."""
        for kind in ('f4', 'f8'):
            for ratio in (0, 10, 1e4):
                x = self.generator.normal(ratio, 1, 1 << 20).astype(kind)
                mean = math.fsum(x.tolist()) / x.size
                exact = math.fsum(((x.astype('f8') - mean)**2).tolist()) / x.size
                self.expect(abs(self.sum_to(x, 'var', 'f64') / exact - 1) <= 1e-9, 'var', kind, ratio)
                self.expect(abs(self.sum_to(x, 'std', 'f32') / math.sqrt(exact) - 1) <= 2.0**-23, 'std', kind, ratio)
            for value in (0.1, 1e9 + 1 / 3, 3e-39, 1e200):
                for n in (1, 3, 1024, 1025, 100_000):
                    x = np.full(n, value, kind)
                    if np.isfinite(x[0]):
                        self.expect(self.sum_to(x, 'var', 'f64') == 0, 'var of', n, 'equal', value, kind)
        near = np.where(self.generator.random(5000) < 0.5, 1e16, 1e16 + 2)
        self.expect(self.sum_to(near, 'var', 'f64') >= 0, 'var is not negative')
        for n in (2, 3000):
            x = np.resize([1e200, 3e200], n)
            norm = math.sqrt(5 * n) * 1e200
            self.expect(abs(self.sum_to(x, 'norm', 'f64') / norm - 1) <= 1e-14, 'norm of numbers around 1e200', n)

        self.expect(self.sum_to(np.array([1.7e308, -1.7e308]), 'var', 'f64') == np.inf, 'var beyond f64')

    def large_means(self):
        """Means of integers whose sum f64 cannot hold: mean_var gives what mean gives."""
        u32 = tess.BY_NAME['u32']
        for rows in (1, 7, 40):
            values = self.generator.integers(1 << 31, 1 << 32, 1_000_003, np.uint32) | 1
            view = np.broadcast_to(values, (1, 1, rows, values.size))
            source, arrays = copies.Place(self.lib, values.view('u1'), view, u32), (tess.Array * 2)()
            alone = self.made_by('mean', [source], 0, {}, 'mean of u32')
            self.succeeds(self.lib.tess_mean_var(byref(arrays[0]), byref(arrays[1]), source.ref(), 0, None), 'mean_var')
            self.expect(alone[1].tobytes() == bytes_of(arrays[0]), 'mean_var of u32', view.shape, 'gives',
                        float(tess.numpy_view(arrays[0]).ravel()[0]).hex(), 'not', float(alone[1].ravel()[0]).hex())
            for array in arrays:
                self.lib.tess_release(byref(array))

    def many_states(self):
        """Results that are shared among threads, with as many words of state as there can be."""
        for name in ('f32', 'c64'):
            dtype = tess.BY_NAME[name]
            source = self.place_with(self.values_for(dtype, (1, 1, 57, 20_000), 'sum'), dtype, plain=True)
            single = self.made_by('var', [source], 0x80, {}, 'var')
            for threads in THREADS:
                arrays = (tess.Array * 8)()
                items = (Item * 8)(*((4, ctypes.pointer(array)) for array in arrays))
                self.lib.tess_threads_set(threads)
                self.succeeds(self.lib.tess_reduce(items, 8, source.ref(), 0x80, None), '8 variances')
                for array in arrays:
                    self.expect(bytes_of(array) == single[1].tobytes(), 'one of 8 variances of', name, threads)
                    self.lib.tess_release(byref(array))

    def large_layouts(self):
        """Some 10^5 elements: the same bits in any order of axes in memory and for any number of threads."""
        for name in ('f32', 'f64', 'i16', 'f16', 'c32'):
            dtype = tess.BY_NAME[name]
            values = self.values_for(dtype, (3, 7, 60, 301), 'sum', 0.001)
            functions = ('sum', 'mean', 'std', 'norm', 'count_nonzero', 'prod')
            for chosen in (0, 0x80, 0x40, 0x50, 0xc0, 0x30):
                for function in tess.some(functions + ('max', 'argmin', 'logsumexp') * (name[0] != 'c')):
                    opts = self.random_options(dtype)
                    plain = self.made_by(function, [self.place_with(values, dtype, True)], chosen, opts, function)
                    other = self.made_by(function, [self.place_with(values, dtype)], chosen, opts, function)
                    self.expect(plain[1].tobytes() == other[1].tobytes(), function, name, hex(chosen), opts, 'layouts')

    def beyond_int32(self):
        once = self.place_with(np.full((1, 1, 1, 1), 3, 'u1'), tess.BY_NAME['u8'], plain=True)
        n = (1 << 31) + 5
        many = copies.Place(self.lib, once.memory, np.broadcast_to(once.view, (1, 1, 1, n)), once.dtype,
                            tess.address_of(once.view) - tess.address_of(once.memory))
        made = self.made_by('sum', [many], 0, {}, 'sum of 2^31')
        self.expect(made and int(made[1][0, 0, 0, 0]) == 3 * n, 'sum of 2^31 + 5 elements')


def main():
    options = tess.arguments(__doc__)
    lib = tess.load(options.library)
    tests = Tests(lib, options.seed)
    used = lib.tess_memory_used(tess.CPU)
    def memory():
        lib.tess_threads_set(0)
        tests.expect(lib.tess_memory_used(tess.CPU) == used, 'memory in use after the tests is that before')

    return copies.run_parts(tests, (
        ('one input', tests.one_input), ('two inputs', lambda: tests.two_inputs(tess.rounds(2))),
        ('several results', lambda: tests.several(tess.rounds(40))),
        ('host forms', lambda: tests.hosts(tess.rounds(14))),
        ('large sums', tests.large_sums), ('compensated sums', tests.compensated),
        ('spreads', tests.spreads), ('large means', tests.large_means),
        ('large layouts', tests.large_layouts), ('beyond 2^31', tests.beyond_int32),
        ('many states', tests.many_states),
        ('memory', memory)))


if __name__ == '__main__':
    sys.exit(main())
