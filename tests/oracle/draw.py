"""Shapes, distances, components and masks compared with NumPy and SciPy: python3 draw.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. The last line counts
comparisons.
"""
import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np
from scipy import ndimage
from scipy.spatial.transform import Rotation

import copies
import fft_layout
import tess

F32, F64, BOOL, I32 = (tess.BY_NAME[name] for name in ('f32', 'f64', 'bool', 'i32'))
UNITS = {'f16': 2.0**-10, 'f32': 2.0**-23, 'f64': 2.0**-50, 'c16': 2.0**-10, 'c32': 2.0**-23, 'c64': 2.0**-50}
MULTIPLY, ADD, MIN, MAX, REPLACE = range(1, 6)
SHAPES = ('sphere', 'ellipsoid', 'cuboid', 'cylinder', 'torus', 'line')


class DrawOpts(ctypes.Structure):
    _fields_ = [('shape', c_int64 * 4), ('centres', c_void_p), ('inverse', c_void_p), ('width', c_double),
                ('value', c_double), ('op', c_int32), ('inverted', c_int32), ('layout', c_int32),
                ('reserved', c_uint32 * 5)]


class DistanceOpts(ctypes.Structure):
    _fields_ = [('step', c_double * 3), ('outside', c_int32), ('squared', c_int32), ('reserved', c_uint32 * 4)]


class LabelOpts(ctypes.Structure):
    _fields_ = [('counts', c_void_p), ('full', c_int32), ('reserved', c_uint32 * 5)]


class OtsuOpts(ctypes.Structure):
    _fields_ = [('bins', c_int64), ('reserved', c_uint32 * 6)]


class MaskOpts(ctypes.Structure):
    _fields_ = [('extend', c_double), ('width', c_double), ('keep_largest', c_int32), ('inverted', c_int32),
                ('reserved', c_uint32 * 4)]


# ---- References ----


def edge(beyond, width):
    soft = 0.5 + 0.5 * np.cos(np.pi * np.clip(beyond / (width or 1), 0, 1))
    return np.where(beyond <= 0, 1.0, np.where(beyond >= width, 0.0, soft))


def covered(kind, p, size, width):
    """What a shape covers of points (..., z, y, x) of its frame; images have two coordinates."""
    flat = p.shape[-1] == 2
    z = np.zeros(p.shape[:-1]) if flat else p[..., 0]
    y, x = p[..., -2], p[..., -1]
    if kind == 'sphere':
        return edge(np.linalg.norm(p, axis=-1) - size[0], width)
    if kind == 'ellipsoid':
        g, r = np.linalg.norm(p / size, axis=-1), np.linalg.norm(p, axis=-1)
        return edge(np.where(g <= 1, 0, r - r / np.maximum(g, 1)), width)
    if kind == 'cuboid':
        return np.prod([edge(np.abs(p[..., k]) - size[k], width) for k in range(p.shape[-1])], 0)
    if kind == 'cylinder':
        return edge(np.hypot(y, x) - size[0], width) * edge(np.abs(z) - size[1], width)
    return edge(np.hypot(np.hypot(y, x) - size[0], z) - size[1], width)


def line_covered(p, centre, a, b, radius, width):
    """Points relative to the centre of the line from a to b."""
    a, b = a - centre, b - centre
    along = b - a
    t = np.clip((p - a) @ along / (along @ along), 0, 1)
    return edge(np.linalg.norm(p - a - t[..., None] * along, axis=-1) - radius, width)


class Tests(fft_layout.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        self.generator = np.random.default_rng(self.rng.randrange(2**32))
        p = c_void_p
        for name in SHAPES:
            self.declare('draw_' + name, [p] * (6 if name == 'line' else 4))
        for name in ('distance_transform', 'label'):
            self.declare(name, [p, p, p])
        for name in ('dilate', 'erode'):
            self.declare(name, [p, p, c_double])
        self.declare('mask_create', [p, p, c_double, p])
        self.declare('otsu', [p, p, p])

    def declare(self, name, arguments):
        function = getattr(self.lib, 'tess_' + name)
        function.restype, function.argtypes = c_int, arguments

    # ---- Shapes ----

    def parameter(self, batches, n, columns, low, high):
        """Numbers for each shape, or one for all, and as (batches, n, columns)."""
        b, m = self.rng.choice((1, batches)), self.rng.choice((1, n))
        dtype = self.rng.choice((F32, F64))
        values = self.generator.uniform(low, high, (b, m, 1, columns)).astype(dtype.numpy)
        return self.place_with(values, dtype), np.broadcast_to(values[:, :, 0].astype(float), (batches, n, columns))

    def matrices(self, batches, n, rank):
        """Inverse maps of all kinds: the linear parts, what is added, and whether that is about the centre."""
        kind = self.rng.choice(('none', 'linear', 'affine') + (('quat',) if rank == 3 else ()))
        if kind == 'none':
            return None, np.broadcast_to(np.eye(rank), (batches, n, rank, rank)), None
        if kind == 'quat':
            turn = Rotation.random(random_state=self.rng.randrange(2**31))
            quat = turn.as_quat()[[2, 1, 0, 3]].reshape(1, 1, 1, 4)
            matrix = turn.as_matrix()[::-1, ::-1]
            return self.place_with(quat, F64), np.broadcast_to(matrix, (batches, n, 3, 3)), None
        b, m = self.rng.choice((1, batches)), self.rng.choice((1, n))
        a = np.eye(rank) + self.generator.uniform(-0.6, 0.6, (b, m, rank, rank))
        t = self.generator.uniform(-3, 3, (b, m, rank, 1))
        values = a
        if kind == 'affine':
            values = np.concatenate((a, t), 3)
            if self.rng.random() < 0.5:
                last = np.zeros((b, m, 1, rank + 1))
                last[..., -1] = 1
                values = np.concatenate((values, last), 2)
        t = np.broadcast_to(t[..., 0], (batches, n, rank)) if kind == 'affine' else None
        return self.place_with(values, F64), np.broadcast_to(a, (batches, n, rank, rank)), t

    def coordinates(self, shape, layout):
        """Of the elements of an array or a spectrum: z, y, x, or y, x."""
        axes = [np.arange(n) for n in shape[1:]]
        if layout:
            for k in range(3):
                if k + 1 not in fft_layout.centred_axes(layout):
                    axes[k] = np.fft.ifftshift(axes[k])
            if fft_layout.is_half(layout):
                axes[2] = axes[2][:shape[3] // 2 + 1]
        points = np.stack(np.meshgrid(*axes, indexing='ij'), -1).astype(float)
        return points if shape[1] > 1 else points[..., 1:]

    def coverage(self, kind, shape, layout, width, given, batches, n):
        """The largest of all shapes."""
        points, rank = self.coordinates(shape, layout), 3 if shape[1] > 1 else 2
        sizes, centres, (matrices, shifts), ends = given
        result = []
        for b in range(batches):
            best = np.zeros(points.shape[:3])
            for i in range(n):
                c = np.array(shape[4 - rank:]) // 2 if centres is None else centres[b, i]
                if ends:
                    c = (ends[0][b, i] + ends[1][b, i]) / 2
                if shifts is None:
                    p = (points - c) @ matrices[b, i].T
                else:
                    p = points @ matrices[b, i].T + shifts[b, i] - c
                if ends:
                    e = line_covered(p, c, ends[0][b, i], ends[1][b, i], sizes[b, i, 0] if sizes is not None else 0.5, width)
                else:
                    e = covered(kind, p, sizes[b, i], width)
                best = np.maximum(best, e)
            result.append(best)
        return np.stack(result)

    def combined(self, op, x, c, value):
        m = value * c
        if x is None:
            return m
        return {MULTIPLY: lambda: x * m, ADD: lambda: x + m, MIN: lambda: np.minimum(x, m), MAX: lambda: np.maximum(x, m),
                REPLACE: lambda: x * (1 - c) + value * c}[op]()

    def draw(self, kind):
        rng = self.rng
        rank, batches, n = rng.choice((2, 3)), rng.choice((1, 2)), rng.choice((1, 1, 3))
        shape = (batches, rng.randint(2, 9) if rank == 3 else 1, rng.randint(1, 20), rng.randint(1, 40))
        layout = rng.choice((0, 0, 1, 2, 3, 4))
        columns = {'sphere': 1, 'line': 1, 'ellipsoid': rank, 'cuboid': rank}.get(kind, 2)
        sizes = self.parameter(batches, n, columns, 0.5, 12)
        if kind == 'torus':
            sizes = self.parameter(batches, n, 2, 1, 6)
        centres = self.parameter(batches, n, rank, -3, 20) if rng.random() < 0.7 and kind != 'line' else (None, None)
        ends = [self.parameter(batches, n, rank, -3, 20) for _ in range(2)] if kind == 'line' else None
        matrix, linear, shifts = self.matrices(batches, n, rank)
        width, value = rng.choice((0, rng.uniform(0.5, 9))), rng.choice((1, rng.uniform(-3, 60)))
        given = (sizes[1], centres[1], (linear, shifts), [e[1] for e in ends] if ends else None)
        c = self.coverage(kind, shape, layout, width, given, batches, n)
        opts = DrawOpts((c_int64 * 4)(*shape) if layout else (c_int64 * 4)(),
                        ctypes.addressof(centres[0].array) if centres[0] else None,
                        ctypes.addressof(matrix.array) if matrix else None, width, value, rng.randint(1, 5),
                        rng.randrange(2), layout)
        parameters = [e[0].ref() for e in ends] if ends else []
        self.check_drawn(kind, shape, (*parameters, sizes[0].ref()), opts, 1 - c if opts.inverted else c)

    def check_drawn(self, kind, shape, parameters, opts, c):
        rng = self.rng
        names = ('f16', 'f32', 'f32', 'f64', 'i8', 'u8', 'i16', 'u16', 'i32', 'bool', 'c32', 'c64')
        dtype = tess.BY_NAME[rng.choice(names)]
        what = (kind, shape, dtype.name, 'op', opts.op, 'layout', opts.layout, 'width', opts.width, 'value', opts.value)
        x = source = None
        if rng.random() < 0.6:
            if dtype.kind == 'complex' and opts.op in (MIN, MAX):
                opts.op = ADD
            x = self.generator.uniform(-9, 9, c.shape)
            if dtype.kind == 'complex':
                x = x + 1j * self.generator.uniform(-9, 9, c.shape)
            x = np.abs(x).astype(dtype.numpy) if dtype.kind == 'uint' else x.astype(dtype.numpy)
            source = self.place_with(x, dtype)
            x = x.astype(np.complex128 if dtype.kind == 'complex' else np.float64)
        want = self.combined(opts.op, x, c, opts.value)
        out = self.place(c.shape, dtype)
        self.threads()
        call = getattr(self.lib, 'tess_draw_' + kind)
        if not self.succeeds(call(out.ref(), source.ref() if source else None, *parameters, byref(opts)), *what):
            return
        if dtype.kind in ('float', 'complex'):
            self.near(out, want, (UNITS[dtype.name] + 1e-12) * (np.max(np.abs(want), initial=1) + 10), opts.width, *what)
        else:
            if dtype.kind != 'bool':
                want = np.clip(want, *copies.int_limits(dtype))
            got, exact = out.view.astype(float), np.abs(want - np.floor(want) - 0.5) > 1e-9
            self.near_all(got, np.rint(want) != 0 if dtype.kind == 'bool' else np.rint(want), exact, opts.width, *what)
        self.expect(out.holds(out.view.copy(), any_nan=True), *what, 'writes outside the view')

    def near(self, out, want, slack, width, *what):
        self.near_all(out.view.astype(np.complex128), want, np.abs(want) < np.inf, width, slack=slack, *what)

    def near_all(self, got, want, counts, width, *what, slack=0):
        """Hard edges may fall to either side where a point lies on them, which is rare."""
        off = np.sum(counts & ~(np.abs(got - want) <= slack))
        self.expect(off <= (1 if width == 0 else 0), *what, f'{off} of {got.size} differ',
                    np.max(np.abs(got - want)[counts], initial=0), slack)

    def shapes(self, rounds):
        for _ in range(rounds):
            for kind in SHAPES:
                self.draw(kind)

    # ---- Distances ----

    def random_mask(self, shape):
        """Blobs, noise, nothing or everything."""
        kind = self.rng.choice(('noise', 'sparse', 'blobs', 'blobs', 'none', 'all', 'few'))
        if kind == 'none' or kind == 'all':
            return np.full(shape, kind == 'all')
        noise = self.generator.random(shape)
        if kind == 'blobs':
            return np.stack([ndimage.gaussian_filter(x, 1.5) > 0.5 for x in noise])
        return noise < {'noise': 0.5, 'sparse': 0.97, 'few': 0.9995}[kind]

    def mask_place(self, mask):
        dtype = self.rng.choice((BOOL, BOOL, F32, I32))
        return self.place_with(mask.astype(dtype.numpy) * (1 if dtype is BOOL else self.rng.choice((1, -7))), dtype)

    def random_shape(self):
        rng, rank = self.rng, self.rng.choice((1, 2, 3))
        if rng.random() < 0.1:  # where the nearest lies far away
            return 1, 1, rng.randint(100, 150), rng.randint(30, 40)
        return (rng.choice((1, 3)), rng.randint(1, 12) if rank == 3 else 1, rng.randint(1, 23) if rank > 1 else 1,
                rng.randint(1, 40))

    def distances(self, rounds):
        for _ in range(rounds):
            shape = self.random_shape()
            mask = self.random_mask(shape)
            whole = self.rng.random() < 0.6
            step = [self.rng.choice((1, 2)) if whole else self.rng.uniform(0.3, 4) for _ in range(3)]
            opts = DistanceOpts((c_double * 3)(*step), self.rng.randrange(2), self.rng.randrange(2))
            want = np.stack([ndimage.distance_transform_edt(~m if opts.outside else m, step)
                             if not np.all(~m if opts.outside else m) else np.full(m.shape, np.inf) for m in mask])
            if opts.squared:
                want = want**2
            dtype = self.rng.choice((F32, F64))
            out, source = self.place(shape, dtype), self.mask_place(mask)
            what = ('distance_transform', shape, dtype.name, step, opts.outside, opts.squared)
            self.threads()
            if self.succeeds(self.lib.tess_distance_transform(out.ref(), source.ref(), byref(opts)), *what):
                got = out.view.astype(float)
                same = np.array_equal(np.isinf(got), np.isinf(want))
                error = np.max(np.abs(got - want)[np.isfinite(want)] / np.maximum(want[np.isfinite(want)], 1), initial=0)
                self.expect(same and error <= UNITS[dtype.name] + 1e-14, *what, error)
                self.expect(out.holds(out.view.copy(), any_nan=True), *what, 'writes outside the view')

    def radii(self, rounds):
        for _ in range(rounds):
            shape, radius = self.random_shape(), self.rng.choice((0, 1, 2.5, 5, 1.4142135623730951, 200))
            mask = self.random_mask(shape)
            for name in ('dilate', 'erode'):
                to = ~mask if name == 'dilate' else mask
                far = np.stack([ndimage.distance_transform_edt(m) if not np.all(m) else np.full(m.shape, np.inf)
                                for m in to])
                square = np.rint(far**2)
                want = square <= radius**2 if name == 'dilate' else square > radius**2
                dtype = self.rng.choice((BOOL, F32, I32))
                out, source = self.place(shape, dtype), self.mask_place(mask)
                what = (name, shape, radius, dtype.name)
                if self.succeeds(getattr(self.lib, 'tess_' + name)(out.ref(), source.ref(), radius), *what):
                    self.expect(out.holds(want.astype(dtype.numpy), False), *what)

    # ---- Components ----

    def labels(self, rounds):
        for _ in range(rounds):
            shape = self.random_shape()
            mask, full = self.random_mask(shape), self.rng.randrange(2)
            both = [ndimage.label(m, ndimage.generate_binary_structure(3, 3 if full else 1)) for m in mask]
            dtype = self.rng.choice((I32, tess.BY_NAME['i64'], tess.BY_NAME['u16']))
            out, source, counts = self.place(shape, dtype), self.mask_place(mask), tess.Array()
            what = ('label', shape, full, dtype.name)
            opts = LabelOpts(ctypes.addressof(counts), full)
            self.threads()
            if self.succeeds(self.lib.tess_label(out.ref(), source.ref(), byref(opts)), *what):
                self.expect(out.holds(np.stack([x for x, _ in both]).astype(dtype.numpy), False), *what)
                self.expect(tess.numpy_view(counts).ravel().tolist() == [n for _, n in both], *what, 'counts')
                self.lib.tess_release(byref(counts))

    # ---- Masks ----

    def masks(self, rounds):
        for _ in range(rounds):
            shape = self.random_shape()
            volume = np.stack([ndimage.gaussian_filter(x, 1) for x in self.generator.standard_normal(shape)]).astype('f4')
            threshold = float(np.quantile(volume, self.rng.uniform(0.5, 1)))
            extend, width = self.rng.choice((0, 1, 3, 2.5, -1, -1.5)), self.rng.choice((0, 3, 5.5))
            opts = MaskOpts(extend, width, self.rng.randrange(2), self.rng.randrange(2))
            want = np.stack([self.mask_of(v, threshold, opts) for v in volume])
            dtype = tess.BY_NAME[self.rng.choice(('f32', 'f32', 'f64', 'u8', 'bool'))]
            out, source = self.place(shape, dtype), self.place_with(volume, F32)
            what = ('mask_create', shape, threshold, extend, width, opts.keep_largest, opts.inverted, dtype.name)
            if not self.succeeds(self.lib.tess_mask_create(out.ref(), source.ref(), threshold, byref(opts)), *what):
                continue
            if dtype.kind == 'float':
                self.written_near(out, want, 2.0**-24 if dtype is F32 else 1e-14, *what)
            else:
                near = np.abs(want - 0.5) < 1e-6
                got = out.view.astype(float)
                self.expect(np.array_equal(got[~near], np.rint(want)[~near]), *what)

    def mask_of(self, volume, threshold, opts):
        mask = volume >= threshold
        if opts.keep_largest:
            labels, n = ndimage.label(mask)
            if n:
                mask = labels == 1 + np.argmax(np.bincount(labels.ravel(), minlength=n + 1)[1:])
        if opts.extend < 0:
            if not np.all(mask):
                mask = np.rint(ndimage.distance_transform_edt(mask)**2) > opts.extend**2
        far = ndimage.distance_transform_edt(~mask) if np.any(mask) else np.full(mask.shape, np.inf)
        far = np.sqrt(np.rint(far**2))
        c = edge(far - max(opts.extend, 0), opts.width) if np.any(mask) else np.zeros(mask.shape)
        return 1 - c if opts.inverted else c

    # ---- Otsu's threshold ----

    def thresholds(self, rounds):
        for _ in range(rounds):
            shape = self.random_shape()
            data = self.generator.standard_normal(shape)
            data += self.rng.uniform(0, 8) * (self.generator.uniform(size=shape) < self.rng.uniform(0.1, 0.9))
            dtype = tess.BY_NAME[self.rng.choice(('f64', 'f64', 'f32', 'i16'))]
            source, out, bins = self.place_with((data * 50).astype(dtype.numpy), dtype), tess.Array(), self.rng.choice((0, 16, 300))
            what = ('otsu', shape, bins, dtype.name)
            self.threads()
            if self.succeeds(self.lib.tess_otsu(byref(out), source.ref(), byref(OtsuOpts(bins))), *what):
                for got, batch in zip(tess.numpy_view(out).ravel(), source.view):
                    self.check_threshold(got, batch.astype('f8').ravel(), bins or 256, what)
                self.lib.tess_release(byref(out))

    def check_threshold(self, got, x, bins, what):
        """As good as the best edge, by the definition: the variance between classes of the middles of bins."""
        low, high = x.min(), x.max()
        if low == high:
            self.expect(got == low, *what, 'of equal elements')
            return
        counts, edges = np.histogram(x, bins)
        middles = np.arange(bins) + 0.5

        def between(k):
            below, above = counts[:k].sum(), counts[k:].sum()
            if below == 0 or above == 0:
                return 0
            return below * above * (middles[:k] @ counts[:k] / below - middles[k:] @ counts[k:] / above)**2

        values = np.array([between(k) for k in range(1, bins)])
        k = (got - low) / (high - low) * bins
        self.expect(low < got <= high and abs(2 * k - round(2 * k)) < 1e-6, *what, 'at an edge, or between two', k)
        worst = min(values[int(np.floor(k + 1e-6)) - 1], values[int(np.ceil(k - 1e-6)) - 1])
        self.expect(worst >= values.max() * (1 - 0.02 * (what[-1] == 'f32') - 1e-9), *what, worst, values.max())


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('shapes', lambda: tests.shapes(tess.rounds(120))), ('distances', lambda: tests.distances(tess.rounds(120))),
        ('dilation and erosion', lambda: tests.radii(tess.rounds(60))),
        ('components', lambda: tests.labels(tess.rounds(80))), ('masks', lambda: tests.masks(tess.rounds(80))),
        ("Otsu's thresholds", lambda: tests.thresholds(tess.rounds(60)))))


if __name__ == '__main__':
    sys.exit(main())
