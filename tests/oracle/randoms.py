"""Random numbers, compared with a Philox of this file's own and with SciPy: python3 randoms.py libtessera.so [seed]

Uniform and whole numbers, orders and shuffles are compared bit for bit, other numbers with what their words give in
longer arithmetic, in random strided views, for any offset and number of threads. The distributions are tested with
sequences that are always the same, whatever the seed. The last line counts comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int64, c_uint32, c_uint64, c_void_p
from fractions import Fraction

import numpy as np
from scipy import special, stats

import copies
import tess

LONG = np.longdouble
FLOATS = [tess.BY_NAME[name] for name in ('f16', 'f32', 'f64')]
WHOLE = [dtype for dtype in tess.SCALARS if dtype.kind in ('int', 'uint')]
SHAPES = [(1, 1, 1, 1), (1, 1, 1, 9), (1, 1, 700, 1), (2, 3, 4, 5), (1, 2, 17, 33), (3, 1, 40, 12), (1, 1, 3, 1100),
          (1, 1, 1, 5000), (0, 2, 3, 4), (5, 1, 1, 300)]
MASK = np.uint64(0xffffffff)
LEAST_P = 1e-4  # of a test that passes; sequences are fixed


class Opts(ctypes.Structure):
    _fields_ = [('stream', c_uint32), ('unused', ctypes.c_int32), ('offset', c_uint64), ('reserved', c_uint32 * 4)]


# ---- Words ----


def philox(counter, key):
    """Philox4x32-10 of four arrays and two numbers."""
    x = [np.asarray(c, np.uint64) for c in counter]
    k = list(key)
    for _ in range(10):
        p, q = x[0] * np.uint64(0xD2511F53), x[2] * np.uint64(0xCD9E8D57)
        x = [(q >> np.uint64(32)) ^ x[1] ^ np.uint64(k[0]), q & MASK, (p >> np.uint64(32)) ^ x[3] ^ np.uint64(k[1]),
             p & MASK]
        k = [(k[0] + 0x9E3779B9) & 0xffffffff, (k[1] + 0xBB67AE85) & 0xffffffff]
    return x


class Sequence:
    def __init__(self, seed, stream=0):
        self.key, self.stream = (seed & 0xffffffff, seed >> 32), stream

    def blocks(self, numbers, draw=0):
        numbers = np.asarray(numbers, np.uint64)
        same = np.zeros_like(numbers)
        return np.array(philox((numbers & MASK, numbers >> np.uint64(32), same + np.uint64(draw),
                                same + np.uint64(self.stream)), self.key))

    def u32(self, places, draw=0):
        places = np.asarray(places, np.uint64)
        words = self.blocks(places >> np.uint64(2), draw)
        return np.take_along_axis(words, (places & np.uint64(3)).astype(np.int64)[None], 0)[0]

    def u64(self, places, draw=0):
        places = np.asarray(places, np.uint64)
        a, b, c, d = self.blocks(places >> np.uint64(1), draw)
        odd = (places & np.uint64(1)).astype(bool)
        return np.where(odd, c | d << np.uint64(32), a | b << np.uint64(32))

    def bits(self, places, dtype, draw=0):
        return self.u64(places, draw) if dtype.name == 'f64' else self.u32(places, draw)


# ---- Numbers from words ----


def uniform(sequence, places, dtype, low, high):
    """Bit for bit."""
    digits, width = {'f16': (11, 32), 'f32': (24, 32), 'f64': (53, 64)}[dtype.name]
    whole = sequence.bits(places, dtype) >> np.uint64(width - digits)
    kind = dtype.numpy.type
    if (low, high) == (0, 1):
        return (whole.astype('f8') * 2.0**-digits).astype(kind)
    low, high = kind(low), kind(high)
    between = Fraction(float(kind(float(high) - float(low)))) / 2**digits
    most = np.nextafter(high, kind(-np.inf)) if high > low else low
    exact = [float(between * int(n) + Fraction(float(low))) for n in whole.tolist()]
    wide = np.array(exact, np.float32 if dtype.name != 'f64' else np.float64)
    return np.minimum(wide, most.astype(wide.dtype)).astype(kind)


def above_zero(bits, dtype):
    if dtype.name == 'f64':
        return LONG(1) - (bits >> np.uint64(12)).astype(LONG) * LONG(2)**-52
    return (bits.astype(np.float32).astype('f8') * 2.0**-32 + 2.0**-33).astype(np.float32).astype(LONG)


def exponential(sequence, places, dtype, scale):
    return -np.log(above_zero(sequence.bits(places, dtype), dtype)) * LONG(scale)


def normal(sequence, places, dtype, mean, std):
    places = np.asarray(places, np.uint64)
    even = places & ~np.uint64(1)
    radius = np.sqrt(-2 * np.log(above_zero(sequence.bits(even, dtype), dtype)))
    turn = sequence.bits(even + np.uint64(1), dtype)
    sign = np.where(turn & np.uint64(1), LONG(-1), LONG(1))
    if dtype.name == 'f64':
        angle = ((turn >> np.uint64(12)).astype(LONG) * LONG(2)**-52 - LONG(0.5)) * LONG(np.pi)
    else:
        angle = turn.astype(np.uint32).view(np.int32).astype(LONG) * LONG(2)**-32 * LONG(np.pi)
    z = sign * radius * np.where(places & np.uint64(1), np.sin(angle), np.cos(angle))
    return z * LONG(std) + LONG(mean)


def whole_numbers(sequence, places, low, high):
    """One by one, by the words of each place."""
    n, out = high - low + 1, []
    width = 32 if n <= 2**32 else 64
    for place in places:
        draw = 0
        while True:
            at = np.array([place], np.uint64)
            x = int((sequence.u32 if width == 32 else sequence.u64)(at, draw)[0])
            if x * n % 2**width >= 2**width % n:
                break
            draw += 1
        out.append(low + (x * n >> width))
    return out


def whole_limits(dtype):
    """Of the whole numbers that a type holds without a gap."""
    if dtype.kind == 'bool':
        return 0, 1
    if dtype.kind != 'float':
        return copies.int_limits(dtype)
    most = {2: 2**11, 4: 2**24, 8: 2**53}[dtype.size]
    return -most, most


def poisson(sequence, places, means):
    """Numbers, and whether rounding could have made them others."""
    counts, doubtful = np.zeros(len(places)), np.zeros(len(places), bool)
    for i, (place, mean) in enumerate(zip(places, means)):
        counts[i], doubtful[i] = poisson_one(sequence, int(place), float(mean))
    return counts, doubtful


def poisson_one(sequence, place, mean):
    draw, doubtful = 0, False
    while True:
        a, b, c, d = (int(word[0]) for word in sequence.blocks([place], draw))
        u, v = ((b << 32 | a) >> 11) * 2.0**-53, ((d << 32 | c) >> 11) * 2.0**-53
        if mean < 10:
            k = stats.poisson.ppf(u, mean) if mean > 0 else 0.0
            sums = stats.poisson.cdf([k - 1, k], mean) if mean > 0 else np.array([0, 1])
            return max(k, 0), bool(np.any(np.abs(sums - u) < 1e-13))
        b = 0.931 + 2.53 * mean**0.5
        a = -0.059 + 0.02483 * b
        us = 0.5 - abs(u - 0.5)
        draw += 1
        if us == 0:
            continue
        t = (2 * a / us + b) * (u - 0.5) + mean + 0.43
        k = np.floor(t)
        doubtful |= abs(t - round(t)) < 1e-9 * max(1, mean)
        if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k, doubtful
        if k < 0 or (us < 0.013 and v > us):
            continue
        left = np.log(v) + np.log(1.1239 + 1.1328 / (b - 3.4)) - np.log(a / us**2 + b)
        right = float(-LONG(mean) + LONG(k) * np.log(LONG(mean)) - LONG(special.gammaln(k + 1)))
        doubtful |= abs(left - right) < 1e-13 * max(1, k) * np.log(k + 10)
        if left <= right:
            return k, doubtful


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        for name, arguments in (('uniform', [c_double] * 2), ('normal', [c_double] * 2), ('lognormal', [c_double] * 2),
                                ('exponential', [c_double]), ('poisson', [c_void_p]), ('integers', [c_int64] * 2),
                                ('permutation', []), ('shuffle', [c_void_p, c_int])):
            function = getattr(lib, 'tess_random_' + name)
            function.restype, function.argtypes = c_int, [c_void_p, *arguments, c_uint64, c_void_p]
        lib.tess_random_philox.restype, lib.tess_random_philox.argtypes = None, [c_void_p] * 3

    def some_options(self):
        """A seed, options, and the sequence they stand for."""
        seed = self.rng.choice([0, 1, 2**64 - 1, self.rng.randrange(2**64)])
        stream = self.rng.choice([0, 0, 1, 2**32 - 1])
        offset = self.rng.choice([0, 0, 1, 7, 255, 1023, 2**32 - 5, 2**34 - 300, 2**61 + 3])
        self.lib.tess_threads_set(self.rng.choice((1, 2, 5)))
        return seed, Opts(stream=stream, offset=offset), Sequence(seed, stream)

    def numbers(self, name, dtype, shape, arguments, seed, opts):
        """The values that a call gives in a random view, or None."""
        out = self.place(shape, dtype)
        call = getattr(self.lib, 'tess_random_' + name)
        if not self.succeeds(call(out.ref(), *arguments, seed, byref(opts)), name, dtype, shape, arguments):
            return None
        values = np.ascontiguousarray(out.view)
        self.expect(out.holds(values, any_nan=True), name, dtype, shape, 'writes outside the view')
        return values.reshape(-1)

    @staticmethod
    def places_of(n, opts, parts=1):
        return (np.arange(n * parts, dtype=np.uint64) + np.uint64(opts.offset * parts)).astype(np.uint64)

    # ---- Number by number ----

    def words(self):
        zero, full = 0, 0xffffffff
        rows = [([zero] * 4, [zero] * 2, [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
                ([full] * 4, [full] * 2, [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
                ([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0],
                 [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1])]
        for counter, key, want in rows:
            self.expect([int(w) for w in philox([np.array(c, np.uint64) for c in counter], key)] == want, 'own philox')
            out = (c_uint32 * 4)()
            self.lib.tess_random_philox(out, (c_uint32 * 4)(*counter), (c_uint32 * 2)(*key))
            self.expect(list(out) == want, 'philox', counter)
        for _ in range(200):
            counter, key = ([self.rng.randrange(2**32) for _ in range(n)] for n in (4, 2))
            out = (c_uint32 * 4)()
            self.lib.tess_random_philox(out, (c_uint32 * 4)(*counter), (c_uint32 * 2)(*key))
            self.expect(list(out) == [int(w) for w in philox([np.array(c) for c in counter], key)], 'philox', counter)

    def floats(self, rounds):
        for _ in range(rounds):
            for real in FLOATS:
                for dtype in (real, tess.BY_NAME['c' + real.name[1:]]):
                    for name in ('uniform', 'normal', 'lognormal', 'exponential'):
                        self.check_floats(name, dtype, real)

    def check_floats(self, name, dtype, real):
        shape = self.rng.choice(SHAPES)
        seed, opts, sequence = self.some_options()
        arguments = {'uniform': self.rng.choice([(0, 1), (0, 1), (-1, 1), (1, 2), (3, 3), (-7.3, 100.1)]),
                     'normal': self.rng.choice([(0, 1), (5, 0), (-3, 0.25)]), 'lognormal': (0.5, 0.75),
                     'exponential': (self.rng.choice([1, 2.5, 0]),)}[name]
        got = self.numbers(name, dtype, shape, arguments, seed, opts)
        if got is None:
            return
        parts = 1 if dtype is real else 2
        got = got.view(real.numpy)
        places = self.places_of(got.size // parts, opts, parts)
        what = (name, dtype, shape, arguments, opts.offset)
        if name == 'uniform':
            want = uniform(sequence, places, real, *arguments)
            self.expect(np.array_equal(copies.bits(got), copies.bits(want)), *what)
            return
        rounding = LONG({'f16': 2.0**-11, 'f32': 2.0**-23, 'f64': 2.0**-52}[real.name])
        unit = LONG(2.0**-22 if real.name != 'f64' else 2.0**-51)
        if name == 'exponential':
            want = exponential(sequence, places, real, *arguments)
            room = np.abs(want) * 3 * unit + LONG(2.0**-26)
        elif name == 'normal':
            want = normal(sequence, places, real, *arguments)
            room = 8 * unit * (1 + LONG(arguments[1]) + abs(LONG(arguments[0])))
        else:
            want = np.exp(normal(sequence, places, real, *arguments))
            room = 30 * unit * want
        room = room + np.abs(want) * rounding + (LONG(2.0**-25) if real.name == 'f16' else 0)
        self.expect(np.all(np.abs(got.astype(LONG) - want) <= room), *what,
                    float(np.max(np.abs(got.astype(LONG) - want) / room, initial=0)))

    def whole(self, rounds):
        ranges = [(0, 0), (0, 1), (1, 6), (-5, 5), (0, 100), (-100, 27), (0, 2**31), (-2**31, 2**31 - 1),
                  (0, 2**32 - 1), (0, 2**32),
                  (-2**62, 2**62), (0, 3 * 2**30), (-3 * 2**61, 3 * 2**61), (-2**63, 2**63 - 1)]
        for _ in range(rounds):
            for dtype in tess.REALS:
                least, most = whole_limits(dtype)
                low, high = self.rng.choice([r for r in ranges if r[0] >= least and r[1] <= most])
                shape = self.rng.choice(SHAPES[:6] + SHAPES[8:])
                seed, opts, sequence = self.some_options()
                got = self.numbers('integers', dtype, shape, (low, high), seed, opts)
                if got is not None:
                    want = whole_numbers(sequence, self.places_of(got.size, opts), low, high)
                    self.expect([int(x) for x in got.tolist()] == want, 'integers', dtype, shape, low, high)

    def counts(self, rounds):
        for _ in range(rounds):
            shape = self.rng.choice(SHAPES[:6] + SHAPES[8:9])
            kind = tess.BY_NAME[self.rng.choice(['f32', 'f64', 'u8'])]
            dtype = self.rng.choice(WHOLE + FLOATS[1:])
            seed, opts, sequence = self.some_options()
            repeated = [self.rng.random() < 0.3 for _ in range(4)]
            source = self.place(tuple(1 if once else n for once, n in zip(repeated, shape)), kind)
            most = self.rng.choice([0.5, 9, 30, 200])
            source.view[...] = self.generator.random(source.view.shape) * most
            got = self.numbers('poisson', dtype, shape, (source.ref(),), seed, opts)
            if got is None:
                continue
            means = np.broadcast_to(source.view, shape).reshape(-1).astype('f8')
            want, doubtful = poisson(sequence, self.places_of(got.size, opts), means)
            if dtype.kind in ('int', 'uint'):
                want = np.minimum(want, copies.int_limits(dtype)[1])
            self.expect(np.all((got.astype('f8') == want) | doubtful), 'poisson', dtype, shape, kind, most)
            self.expect(doubtful.mean() < 0.01 if doubtful.size > 200 else True, 'too many doubts')

    def orders(self, rounds):
        for _ in range(rounds):
            for dtype in WHOLE:
                shape = self.rng.choice([s for s in SHAPES if np.prod(s) <= copies.int_limits(dtype)[1] + 1])
                seed, opts, sequence = self.some_options()
                got = self.numbers('permutation', dtype, shape, (), seed, opts)
                if got is not None:
                    keys = sequence.u64(self.places_of(got.size, opts))
                    self.expect(np.array_equal(got, np.argsort(keys, kind='stable')), 'permutation', dtype, shape)

    def shuffles(self, rounds):
        for _ in range(rounds):
            for dtype in tess.DTYPES:
                shape, axis = self.rng.choice(SHAPES), self.rng.randrange(4)
                seed, opts, sequence = self.some_options()
                source = self.input_for(shape, dtype)
                values = np.broadcast_to(source.view, shape).copy()
                order = np.argsort(sequence.u64(self.places_of(shape[axis], opts)), kind='stable')
                want, what = np.take(values, order, axis), ('shuffle', dtype, shape, axis)
                shuffle = self.lib.tess_random_shuffle
                if source.view.shape == shape:
                    self.run_both(lambda out: shuffle(out, source.ref(), axis, seed, byref(opts)), want, dtype, *what)
                    if 0 not in source.view.strides:
                        place = self.place_with(values, dtype)
                        if self.succeeds(shuffle(place.ref(), place.ref(), axis - 4, seed, byref(opts)), *what):
                            self.written(place, want, *what, 'in place')

    # ---- Distributions ----

    def sample(self, name, dtype, n, *arguments, seed=1234567):
        """Many numbers of a sequence that is always the same."""
        self.lib.tess_threads_set(0)
        array = tess.Array()
        shape = tess.shape_value((1, 1, 1, n))
        self.succeeds(self.lib.tess_empty(byref(array), shape, dtype.number, tess.CPU), 'empty')
        call = getattr(self.lib, 'tess_random_' + name)
        self.succeeds(call(byref(array), *arguments, seed, None), name, dtype)
        values = tess.numpy_view(array, dtype).reshape(-1).copy()
        self.lib.tess_release(byref(array))
        return values

    def moments(self, x, mean, var, skew, kurtosis, *what):
        """The first four, within 5 standard errors of what a sample of this size has."""
        n, x = len(x), x.astype('f8')
        self.expect(abs(x.mean() - mean) < 5 * (var / n)**0.5, *what, 'mean', x.mean())
        self.expect(abs(x.var() - var) < 5 * var * ((kurtosis + 2) / n)**0.5, *what, 'variance', x.var())
        if skew is not None:
            self.expect(abs(stats.skew(x) - skew) < 5 * (15 / n)**0.5 * (1 + 3 * abs(skew)), *what, 'skewness')
            error = 5 * (96 / n)**0.5 * (1 + 8 * abs(kurtosis))
            self.expect(abs(stats.kurtosis(x) - kurtosis) < error, *what, 'kurtosis')

    def continuous(self):
        n = 1 << 20
        cases = [('uniform', (-2.0, 3.0), stats.uniform(-2, 5), 0, -1.2),
                 ('normal', (1.5, 2.0), stats.norm(1.5, 2), 0, 0),
                 ('exponential', (3.0,), stats.expon(0, 3), 2, 6),
                 ('lognormal', (0.25, 0.5), stats.lognorm(0.5, 0, np.exp(0.25)), None, 8.9)]
        for dtype in FLOATS:
            size = n if dtype.name != 'f16' else 1 << 15  # of few bits: what is tested must not see the steps
            for name, arguments, right, skew, kurtosis in cases:
                x = self.sample(name, dtype, size, *arguments)
                what = (name, dtype)
                self.moments(x, right.mean(), right.var(), skew, kurtosis, *what)
                # f16 is spread over its rounding, as the test is for numbers that are all different
                y = x.astype('f8')
                if dtype.name == 'f16':
                    step = 5 * 2.0**-11 if name == 'uniform' else np.spacing(np.abs(x)).astype('f8')
                    y = y + (self.generator.random(size) - (0 if name == 'uniform' else 0.5)) * step
                p = stats.kstest(y, right.cdf).pvalue
                self.expect(p > LEAST_P, *what, 'Kolmogorov-Smirnov', p)
                bins = np.clip((right.cdf(y) * 256).astype(int), 0, 255)
                p = stats.chisquare(np.bincount(bins, minlength=256)).pvalue
                self.expect(p > LEAST_P, *what, 'chi-square', p)
                pairs = bins[0::2] // 16 * 16 + bins[1::2] // 16  # neighbours: independent?
                p = stats.chisquare(np.bincount(pairs, minlength=256)).pvalue
                self.expect(p > LEAST_P, *what, 'pairs', p)
        for name, dtype in (('uniform', 'c32'), ('normal', 'c64'), ('normal', 'c16'), ('lognormal', 'c32'),
                            ('exponential', 'c64'), ('poisson', 'c32')):
            given = {'exponential': (1.0,), 'poisson': (self.number(3.0),)}.get(name, (0.0, 1.0))
            z = self.sample(name, tess.BY_NAME[dtype], n // 4, *given)
            re, im = (part.astype('f8') for part in copies.parts_of(z))
            self.expect(abs(np.corrcoef(re, im)[0, 1]) < 5 / len(z)**0.5, name, dtype, 'parts are correlated')

    def discrete(self):
        n = 1 << 19
        for dtype in WHOLE + FLOATS[1:]:
            x = self.sample('integers', dtype, n, 3, 102)
            p = stats.chisquare(np.bincount(x.astype(int), minlength=103)[3:]).pvalue
            self.expect(p > LEAST_P and x.min() == 3 and x.max() == 102, 'integers', dtype, p)
        for low, high in ((0, 3 * 2**30), (-2**62, 2**63 - 1), (-2**63, 2**63 - 1)):  # biased without rejection
            x = self.sample('integers', tess.BY_NAME['i64'], n, low, high)
            bins = ((x.astype(LONG) - LONG(low)) / (LONG(high) - LONG(low) + 1) * 96).astype(int)
            p = stats.chisquare(np.bincount(bins, minlength=96)).pvalue
            self.expect(p > LEAST_P, 'integers', low, high, p)
        for dtype in (tess.BY_NAME[name] for name in ('u16', 'i32', 'u64', 'f32', 'f64')):
            for mean in (0.01, 0.7, 3.0, 9.99, 10.0, 11.5, 40.0, 333.3, 12345.6):
                self.check_poisson(dtype, mean, 1 << 17)
        for mean in (1e7, 1e12, 2.0**53):
            x = self.sample('poisson', tess.BY_NAME['f64'], 1 << 16, self.number(mean))
            self.moments((x - mean) / mean**0.5, 0, 1, mean**-0.5, 1 / mean, 'poisson', mean)
            p = stats.kstest((x - mean) / mean**0.5, 'norm').pvalue
            self.expect(p > LEAST_P or mean < 1e9, 'poisson', mean, p)

    def number(self, value):
        """An array of one f64, kept until the next."""
        self.held = self.place_with(np.full((1, 1, 1, 1), value), tess.BY_NAME['f64'], plain=True)
        return self.held.ref()

    def check_poisson(self, dtype, mean, n):
        x = self.sample('poisson', dtype, n, self.number(mean)).astype(int)
        edges = np.unique(stats.poisson.ppf(np.linspace(0.001, 0.999, 60), mean))
        want = np.diff(np.concatenate([[0], stats.poisson.cdf(edges, mean), [1]])) * n
        got = np.bincount(np.searchsorted(edges, x), minlength=len(want))
        keep = want > 5
        p = stats.chisquare(got[keep], want[keep] * got[keep].sum() / want[keep].sum()).pvalue if keep.sum() > 1 else 1
        self.expect(p > LEAST_P, 'poisson', dtype, mean, p)
        self.moments(x, mean, mean, None, 1 / mean, 'poisson', dtype, mean)

    def all_orders(self):
        """Every order of 5 numbers is equally likely."""
        seen = {}
        n = 120 * 200
        whole = self.place((1, 1, 1, 5), tess.BY_NAME['u8'], plain=True)
        for seed in range(n):
            self.lib.tess_random_permutation(whole.ref(), seed, None)
            order = whole.view.tobytes()
            seen[order] = seen.get(order, 0) + 1
        p = stats.chisquare(list(seen.values())).pvalue
        self.expect(len(seen) == 120 and p > LEAST_P, 'orders', len(seen), p)
        x = self.sample('permutation', tess.BY_NAME['i32'], 1 << 18)
        self.expect(np.array_equal(np.sort(x), np.arange(1 << 18)), 'a long order')
        self.expect(abs(np.corrcoef(x, np.arange(1 << 18))[0, 1]) < 5 / 512, 'a long order is correlated')


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('words', tests.words), ('floats', lambda: tests.floats(tess.rounds(12))),
        ('integers', lambda: tests.whole(tess.rounds(3))), ('poisson', lambda: tests.counts(tess.rounds(30))),
        ('orders', lambda: tests.orders(tess.rounds(6))),
        ('shuffles', lambda: tests.shuffles(tess.rounds(6))), ('continuous distributions', tests.continuous),
        ('discrete distributions', tests.discrete), ('all orders', tests.all_orders)))


if __name__ == '__main__':
    sys.exit(main())
