"""Projections and symmetry compared with SciPy and NumPy: python3 geometry_project.py libtessera.so [seed]

Volumes, images and matrices are random strided views; what lies around an output must stay as it was. Values between
elements are those of scipy.ndimage.map_coordinates for the nearest element and linear interpolation, and sums of the
formulas here for the others, at coordinates that NumPy computes. The last line counts comparisons.
"""
import ctypes
import itertools
import sys
from ctypes import byref, c_char_p, c_double, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np
from scipy import ndimage
from scipy.spatial.transform import Rotation

import copies
import tess

NEAREST, LINEAR, COSINE, CUBIC, BSPLINE, LANCZOS4, LANCZOS6, LANCZOS8 = METHODS = range(1, 9)
TAPS = {NEAREST: 1, LINEAR: 2, COSINE: 2, CUBIC: 4, BSPLINE: 4, LANCZOS4: 4, LANCZOS6: 6, LANCZOS8: 8}
ZERO, VALUE, CLAMP, PERIODIC, MIRROR, REFLECT = range(1, 7)
MODES = {ZERO: 'grid-constant', VALUE: 'grid-constant', CLAMP: 'nearest', PERIODIC: 'grid-wrap', MIRROR: 'grid-mirror',
         REFLECT: 'mirror'}
ELEMENTS = [tess.BY_NAME[name] for name in ('f32', 'f64', 'c32', 'c64')]
BOUND = {'f32': 5e-6, 'c32': 5e-6, 'f64': 1e-12, 'c64': 1e-12}
GROUPS = {2: ('C1', 'c2', 'C3', 'C4', 'D3', 'd4'), 3: ('C1', 'c4', 'C5', 'D2', 'd7', 'T', 'O', 'I1', 'i2')}


class ProjectOpts(ctypes.Structure):
    _fields_ = [('interp', c_int32), ('add', c_int32), ('centred', c_int32), ('adjoint', c_int32), ('window', c_int64),
                ('shape', tess.ShapeValue), ('reserved', c_uint32 * 4)]


class BackprojectOpts(ctypes.Structure):
    _fields_ = [('interp', c_int32), ('add', c_int32), ('centred', c_int32), ('unused', c_int32),
                ('shape', tess.ShapeValue), ('reserved', c_uint32 * 4)]


class SymmetrizeOpts(ctypes.Structure):
    _fields_ = [('matrices', c_void_p), ('before', c_void_p), ('after', c_void_p),
                ('interp', c_int32), ('border', c_int32), ('sum', c_int32), ('unused', c_int32), ('value', c_double),
                ('shift', c_double * 3), ('reserved', c_uint32 * 4)]


# ---- References ----


def kernel(method, x):
    d = np.abs(x)
    if method == COSINE:
        return np.where(d < 1, (1 + np.cos(np.pi * d)) / 2, 0)
    if method == CUBIC:
        return np.where(d < 1, (1.5 * d - 2.5) * d * d + 1, np.where(d < 2, ((2.5 - 0.5 * d) * d - 4) * d + 2, 0))
    if method == BSPLINE:
        return np.where(d < 1, 2 / 3 - d * d + d**3 / 2, np.where(d < 2, (2 - d)**3 / 6, 0))
    a = TAPS[method] // 2
    return np.where(d < a, np.sinc(x) * np.sinc(x / a), 0)


def sampled(values, at, method, border=ZERO, value=0):
    """An image or a volume at coordinates {axes, ...}."""
    if np.iscomplexobj(values):
        return sampled(values.real, at, method, border, value) + 1j * sampled(values.imag, at, method, border, 0)
    values, mode = values.astype('f8'), MODES[border]
    if method == LINEAR:
        return ndimage.map_coordinates(values, at, order=1, mode=mode, cval=value, prefilter=False)
    below = np.floor(at + 0.5 if method == NEAREST else at)
    taps = TAPS[method]
    weights = []
    for c, b in zip(at, below):
        w = np.stack([kernel(method, b + k - (taps - 1) // 2 - c) for k in range(taps)]) if taps > 1 else np.ones((1, 1))
        weights.append(w / w.sum(axis=0))
    total = 0
    for index in itertools.product(range(taps), repeat=len(at)):
        position = [b + k - (taps - 1) // 2 for b, k in zip(below, index)]
        tap = ndimage.map_coordinates(values, position, order=0, mode=mode, cval=value, prefilter=False)
        total = total + np.prod([w[k] for w, k in zip(weights, index)], axis=0) * tap
    return total


def rays(matrix, volume, image, centred, window, method):
    """Coordinates {3, samples, h, w} of an image's rays."""
    c = np.array(volume) // 2
    matrix = matrix[:3]
    a, t = matrix[:, 0], matrix[:, 3] if matrix.shape[1] == 4 else np.zeros(3)
    y, x = np.indices(image).astype('f8')
    if centred:
        y, x, t = y - image[0] // 2, x - image[1] // 2, t + c
    q = matrix[:, 1, None, None] * y + matrix[:, 2, None, None] * x + t[:, None, None]
    reach = max(TAPS[method] // 2, 1)
    j = min((k for k in range(3) if abs(a[k]) > 1e-9 * np.abs(a).max()), key=lambda k: abs((c[k] + reach) / a[k]))
    k = np.arange(-(window // 2), window // 2 + 1) if window else np.arange(-500, 501)
    position = q[:, None] + a[:, None, None, None] * (k[:, None, None] + ((c[j] - q[j]) / a[j])[None])
    return position, 2 * int(np.ceil((c[j] + reach) / abs(a[j]) - 1e-9)) + 1


def on_images(matrix, volume, image, centred):
    """Coordinates {2, d, h, w} of voxels on an image."""
    m = matrix if len(matrix) == 2 else matrix[1:3]
    p = np.indices(volume).astype('f8')
    c, d = np.array(volume) // 2, np.array(image) // 2
    if centred:
        p = p - c[:, None, None, None]
    at = np.tensordot(m[:, :3], p, 1)
    moved = (m[:, 3] if m.shape[1] == 4 else 0) + (d if centred else np.zeros(2))
    return at + moved[:, None, None, None]


# ---- The tests ----


class Tests(copies.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        p = c_void_p
        for name, arguments in (('project', [p] * 4), ('backproject', [p] * 4), ('symmetrize', [p, p, c_char_p, p]),
                                ('backproject_project', [p, p, p, p, tess.ShapeValue, p]),
                                ('project_window', [p, p, tess.ShapeValue, p])):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, arguments

    def numbers(self, shape, dtype):
        values = self.generator.uniform(-1, 1, shape)
        if dtype.name[0] == 'c':
            values = values + 1j * self.generator.uniform(-1, 1, shape)
        return values.astype(dtype.numpy)

    def threads(self):
        self.lib.tess_threads_set(self.rng.choice((1, 2, 5)))

    def near(self, out, want, bound, *what):
        error = np.abs(out.view - want)
        self.expect(bool(np.all(error <= bound * (1 + np.abs(want)))), *what, 'error', float(np.max(error, initial=0)))
        self.expect(out.holds(out.view.copy(), True), *what, 'changed memory around it')

    def shape(self, axes, most):
        return tuple(self.rng.randint(1, most) for _ in range(axes))

    def matrices(self, n, rows, columns):
        """Turns that are stretched somewhat, and moved."""
        m = np.zeros((n, 1, 4, 4))
        m[:, 0, :3, :3] = Rotation.random(n, random_state=self.rng.randrange(2**31)).as_matrix()
        m[:, 0, :3, :3] *= self.generator.uniform(0.8, 1.3, (n, 3, 1))
        m[:, 0, :3, 3] = self.generator.uniform(-1, 5, (n, 3))
        m[:, 0, 3] = self.generator.uniform(-9, 9, (n, 4))
        m = m[:, :, 1:3] if rows == 2 else m[:, :, :rows]
        return np.ascontiguousarray(m[..., :columns])

    def ray_matrices(self, n):
        rows, columns = self.rng.choice(((3, 3), (3, 4), (4, 4)))
        return self.matrices(n, rows, columns)

    def voxel_matrices(self, n):
        rows, columns = self.rng.choice(((2, 3), (2, 4), (3, 3), (3, 4), (4, 4)))
        return self.matrices(n, rows, columns)

    def out(self, shape, dtype, add):
        place = self.place_with(self.numbers(shape, dtype), dtype)
        return place, place.view.astype('c16' if dtype.name[0] == 'c' else 'f8') * add

    # ---- Projections ----

    def check_project(self, method):
        dtype, rng = self.rng.choice(ELEMENTS), self.rng
        n, volume, image = rng.randint(1, 3), self.shape(3, 8), self.shape(2, 12)
        m, centred, add = self.ray_matrices(n), rng.randint(0, 1), rng.randint(0, 1)
        values = self.numbers((1, *volume), dtype)
        source, matrices = self.place_with(values, dtype), self.place_with(m, tess.BY_NAME['f64'])
        window = rng.choice((0, 0, 3, 9))
        out, want = self.out((n, 1, *image), dtype, add)
        what = ('project', method, dtype, volume, image, m.shape, centred, add, window)
        self.threads()
        opts = ProjectOpts(method, add, centred, 0, window)
        if not self.succeeds(self.lib.tess_project(out.ref(), source.ref(), matrices.ref(), byref(opts)), *what):
            return
        needed = 1
        for i in range(n):
            at, samples = rays(m[i, 0], volume, image, centred, window, method)
            inside = np.all((at > -9) & (at < np.array(volume)[:, None, None, None] + 9), axis=(0, 2, 3)) if window else \
                np.any(np.all((at > -9) & (at < np.array(volume)[:, None, None, None] + 9), axis=0), axis=(1, 2))
            at = at if window else at[:, inside]
            want[i, 0] += sampled(values[0], at, method).sum(axis=0)
            needed = max(needed, samples)
        got = c_int64()
        self.succeeds(self.lib.tess_project_window(byref(got), matrices.ref(), tess.shape_value((1, *volume)),
                                                   byref(opts)), *what)
        self.expect(0 <= got.value - needed <= 2, *what, 'window', got.value, needed)
        self.near(out, want, BOUND[dtype.name] * (4 if method != NEAREST else 1), *what)

    def check_backproject(self, method):
        dtype, rng = self.rng.choice(ELEMENTS), self.rng
        n, volume, image = rng.randint(1, 4), self.shape(3, 8), self.shape(2, 12)
        m, centred, add = self.voxel_matrices(n), rng.randint(0, 1), rng.randint(0, 1)
        values = self.numbers((n, 1, *image), dtype)
        source, matrices = self.place_with(values, dtype), self.place_with(m, tess.BY_NAME['f64'])
        out, want = self.out((1, *volume), dtype, add)
        what = ('backproject', method, dtype, volume, image, m.shape, centred, add)
        self.threads()
        opts = BackprojectOpts(method, add, centred)
        if not self.succeeds(self.lib.tess_backproject(out.ref(), source.ref(), matrices.ref(), byref(opts)), *what):
            return
        for i in range(n):
            want[0] += sampled(values[i, 0], on_images(m[i, 0], volume, image, centred), method)
        self.near(out, want, BOUND[dtype.name], *what)
        self.check_adjoint(values, matrices, opts, volume, dtype, what)

    def check_adjoint(self, values, matrices, opts, volume, dtype, what):
        """<A y, x> = <y, A^T x>, of arrays that are made."""
        x = self.numbers((1, *volume), dtype)
        images, voxels, back, forth = self.place_with(values, dtype), self.place_with(x, dtype), tess.Array(), tess.Array()
        opts.add, opts.shape = 0, tess.shape_value((0, *volume))
        shape = tess.shape_value((0, 0, *values.shape[2:]))
        forward = ProjectOpts(opts.interp, 0, opts.centred, 1, 0, shape)
        if not self.succeeds(self.lib.tess_backproject(byref(back), images.ref(), matrices.ref(), byref(opts)), *what) or \
                not self.succeeds(self.lib.tess_project(byref(forth), voxels.ref(), matrices.ref(), byref(forward)), *what):
            return
        wide = 'c16' if dtype.name[0] == 'c' else 'f8'
        y, aty, ax = values.astype(wide), tess.numpy_view(forth).astype(wide), tess.numpy_view(back).astype(wide)
        a, b = np.sum(ax * x), np.sum(y * aty)
        scale = np.sqrt(np.sum(np.abs(ax)**2) * np.sum(np.abs(x)**2)) + 1e-3
        self.expect(abs(a - b) <= (1e-6 if dtype.real == 'f32' else 1e-13) * scale, *what, 'adjoint', a, b)
        self.lib.tess_release(byref(back))
        self.lib.tess_release(byref(forth))

    def check_both(self, method):
        dtype, rng = self.rng.choice(ELEMENTS), self.rng
        n, m, volume, image, to = rng.randint(1, 3), rng.randint(1, 3), self.shape(3, 6), self.shape(2, 8), self.shape(2, 8)
        backward, forward, centred, add = self.voxel_matrices(n), self.ray_matrices(m), rng.randint(0, 1), rng.randint(0, 1)
        values = self.numbers((n, 1, *image), dtype)
        source, b = self.place_with(values, dtype), self.place_with(backward, tess.BY_NAME['f64'])
        f = self.place_with(forward, tess.BY_NAME['f64'])
        out, want = self.out((m, 1, *to), dtype, add)
        what = ('both', method, dtype, volume, image, to, centred, add)
        opts = ProjectOpts(method, add, centred)
        self.threads()
        if not self.succeeds(self.lib.tess_backproject_project(out.ref(), source.ref(), b.ref(), f.ref(),
                                                               tess.shape_value((1, *volume)), byref(opts)), *what):
            return
        sizes = np.array(volume)[:, None, None, None]
        for i in range(m):
            at, _ = rays(forward[i, 0], volume, to, centred, 0, LINEAR)
            keep = np.any(np.all((at > -1) & (at < sizes), axis=0), axis=(1, 2))
            at = at[:, keep]
            weight = np.prod(np.clip(np.minimum(at + 1, sizes - at), 0, 1), axis=0)
            for k in range(n):
                a = backward[k, 0] if backward.shape[2] == 2 else backward[k, 0, 1:3]
                p = at - (np.array(volume) // 2)[:, None, None, None] * centred
                move = (a[:, 3] if a.shape[1] == 4 else 0) + np.array(image) // 2 * centred
                points = np.tensordot(a[:, :3], p, 1) + np.broadcast_to(move, 2)[:, None, None, None]
                want[i, 0] += np.sum(weight * sampled(values[k, 0], points, method), axis=0)
        self.near(out, want, BOUND[dtype.name], *what)

    def projections(self, rounds):
        for _ in range(rounds):
            for method in METHODS:
                for check in (self.check_project, self.check_backproject, self.check_both):
                    check(method)

    # ---- Symmetry ----

    def group(self, name, dims):
        images = (c_int32 * 6)(1 if dims == 2 else 0)
        out = tess.Array()
        call = self.lib.tess_symmetry_matrices
        call.restype, call.argtypes = c_int, [c_void_p, c_char_p, c_void_p]
        self.succeeds(call(byref(out), name.encode(), byref(images)), name)
        m = tess.numpy_view(out).reshape(-1, dims, dims).copy()
        self.lib.tess_release(byref(out))
        return m

    def affine(self, dims, n):
        """Matrices near the identity, {n,1,rows,columns}, and as dims x (dims + 1)."""
        rows, columns = self.rng.choice(((dims, dims), (dims, dims + 1), (dims + 1, dims + 1)))
        m = np.zeros((n, 1, dims + 1, dims + 1))
        m[:, 0, :dims, :dims] = np.eye(dims) + self.generator.uniform(-0.2, 0.2, (n, dims, dims))
        m[:, 0, :dims, dims] = self.generator.uniform(-2, 2, (n, dims)) * (columns > dims)
        return np.ascontiguousarray(m[:, :, :rows, :columns]), m[:, 0, :dims]

    def check_symmetrize(self, method, border):
        rng, dims, dtype = self.rng, self.rng.choice((2, 3)), self.rng.choice(ELEMENTS)
        name, b = rng.choice(GROUPS[dims]), rng.randint(1, 3)
        sizes = (rng.randint(2, 6), *self.shape(2, 6)) if dims == 3 else self.shape(2, 13)
        group = self.group(name, dims)
        values = self.numbers((b, *[1] * (3 - dims), *sizes), dtype)
        source, out = self.place_with(values, dtype), self.place(values.shape, dtype)
        value, total = 0.75 if border == VALUE else 0, rng.randint(0, 1)
        shift = self.generator.uniform(-1, 1, 3) * rng.randint(0, 1)
        shift[:3 - dims] = 0
        opts = SymmetrizeOpts(None, None, None, method, border, total, 0, value, (c_double * 3)(*shift))
        kept, identity = [], np.eye(dims, dims + 1)[None]
        f64 = tess.BY_NAME['f64']
        by_name = name.encode() if rng.random() < 0.7 else rng.choice((None, b''))
        if not by_name:
            kept.append(self.place_with(group[:, None], f64))
            opts.matrices = ctypes.addressof(kept[-1].array)
        about = {}
        for key in ('before', 'after'):
            about[key] = identity
            if rng.random() < 0.4:
                given, about[key] = self.affine(dims, rng.choice((1, b)))
                kept.append(self.place_with(given, f64))
                setattr(opts, key, ctypes.addressof(kept[-1].array))
        what = ('symmetrize', name, method, border, dtype, values.shape, total, list(shift))
        self.threads()
        if not self.succeeds(self.lib.tess_symmetrize(out.ref(), source.ref(), by_name, byref(opts)), *what):
            return
        centre = (np.array(sizes) // 2 + shift[3 - dims:]).reshape(-1, *[1] * dims)
        p, want, halves = np.indices(sizes).astype('f8'), np.zeros((b, *sizes), values.dtype.char.replace('f', 'd')), 1.0
        want = want.astype('c16' if dtype.name[0] == 'c' else 'f8')
        for i in range(b):
            before, after = (about[key][i % len(about[key])] for key in ('before', 'after'))
            q = np.tensordot(after[:, :dims], p, 1) + after[:, dims].reshape(-1, *[1] * dims)
            for r in group:
                at = np.tensordot(np.linalg.inv(r), q - centre, 1) + centre
                at = np.tensordot(before[:, :dims], at, 1) + before[:, dims].reshape(-1, *[1] * dims)
                at = np.where(np.abs(at - np.rint(at)) < 1e-9, np.rint(at), at)
                halves = min(halves, np.min(np.abs(at - np.floor(at) - 0.5), initial=1))
                want[i] += sampled(values[i].reshape(sizes), at, method, border, value)
        if method == NEAREST and halves < 1e-9:  # rounding decides between two elements
            return
        want = want.reshape(values.shape) / (1 if total else len(group))
        self.near(out, want, BOUND[dtype.name] * (4 if total else 1) * (1 + len(group) * total / 8), *what)

    def symmetries(self, rounds):
        for _ in range(rounds):
            for method, border in itertools.product(METHODS, MODES):
                if TAPS[method] < 6 or self.rng.random() < 0.1:
                    self.check_symmetrize(method, border)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (('projections', lambda: tests.projections(tess.rounds(8))),
                                    ('symmetry', lambda: tests.symmetries(tess.rounds(4)))))


if __name__ == '__main__':
    sys.exit(main())
