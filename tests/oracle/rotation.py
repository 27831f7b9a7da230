"""Rotations, matrices and point groups compared with SciPy and NumPy: python3 rotation.py libtessera.so [seed]

SciPy's vectors are x, y, z and ours z, y, x: matrices are reversed both ways, quaternions in their first three. Arrays
are random strided views, of numbers and of compound elements; what lies around an output must stay as it was. The last
line counts comparisons.
"""
import ctypes
import math
import sys
from ctypes import byref, c_char_p, c_double, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p

import numpy as np
from scipy.spatial.transform import Rotation

import copies
import fft_layout
import tess

UNITS = {'f32': 2.0**-23, 'f64': 2.0**-50}
ORDERS = [a + b + c for a in 'zyx' for b in 'zyx' for c in 'zyx' if a != b and b != c]
PROGRAMS = {'relion': 'ZYZ', 'xmipp': 'ZYZ', 'spider': 'ZYZ', 'cistem': 'ZYZ', 'eman2': 'ZXZ', 'eman': 'ZXZ', 'dynamo': 'zxz',
            'imod': 'ZYX'}  # SciPy's capitals are intrinsic
LEFT_HANDED = ('imod',)
GROUPS = {'C1': 1, 'c2': 2, 'C7': 7, 'D1': 2, 'd5': 10, 'T': 12, 'o': 24, 'I1': 60, 'i2': 60}


class EulerOpts(ctypes.Structure):
    _fields_ = [('convention', c_char_p), ('unit', c_int32), ('left_handed', c_int32), ('reserved', c_uint32 * 4)]


class SetOpts(ctypes.Structure):
    _fields_ = [('sym', c_char_p), ('matrices', c_void_p), ('reserved', c_uint32 * 4)]


class ReduceOpts(ctypes.Structure):
    _fields_ = [('sym', c_char_p), ('matrices', c_void_p), ('which', c_void_p), ('reserved', c_uint32 * 4)]


class AverageOpts(ctypes.Structure):
    _fields_ = [('weights', c_void_p), ('reserved', c_uint32 * 4)]


def to_zyx(matrices):
    return matrices[..., ::-1, ::-1]


def quats_zyx(q):
    """SciPy's x, y, z, w to ours, with w not negative."""
    q = np.asarray(q)[..., [2, 1, 0, 3]]
    return np.where(q[..., 3:] < 0, -q, q)


def rotation_of(q):
    return Rotation.from_quat(np.asarray(q, np.float64).reshape(-1, 4)[:, [2, 1, 0, 3]])


class Tests(fft_layout.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        self.generator = np.random.default_rng(self.rng.randrange(2**32))
        p = c_void_p
        for name in ('euler_to_matrix', 'euler_from_matrix', 'euler_to_quat', 'euler_from_quat', 'quat_mul',
                     'transform_points', 'matrix_mul', 'quat_average', 'quat_reduce'):
            self.declare(name, [p, p, p])
        for name in ('quat_to_matrix', 'quat_from_matrix', 'quat_conjugate', 'matrix_inverse', 'symmetry_close',
                     'symmetry_check'):
            self.declare(name, [p, p])
        self.declare('quat_slerp', [p, p, p, c_double])
        self.declare('quat_distance', [p, p, p, p])
        self.declare('quat_random', [p, c_uint64, p])
        self.declare('symmetry_matrices', [p, c_char_p, p])
        self.declare('symmetry_order', [p, c_char_p])

    def declare(self, name, arguments):
        function = getattr(self.lib, 'tess_' + name)
        function.restype, function.argtypes = c_int, arguments

    # ---- Arrays of items ----

    def dtype(self, real, compound, size):
        name = ('mat' if len(size) == 2 else 'vec') + ''.join(map(str, size)) + '_' + real if compound else real
        return tess.BY_NAME[name]

    def lay(self, items, size, real, compound, listed=False):
        """Items of the shape (n, *size) as an array of either kind; its values after rounding."""
        n = len(items)
        values = np.ascontiguousarray(items, tess.BY_NAME[real].numpy)
        if compound:
            shape = self.rng.choice(((n, 1, 1, 1), (1, 1, 1, n), (1, n, 1, 1)))
            dtype = self.dtype(real, True, size)
            return self.place_with(values.reshape(n, -1).view(dtype.numpy).reshape(shape), dtype)
        shape = (n, 1, *size) if len(size) == 2 else (1, 1, n, *size) if listed else (n, 1, 1, *size)
        return self.place_with(values.reshape(shape), tess.BY_NAME[real])

    def room(self, like, n, size, real, compound):
        shape = like.view.shape if compound and like.dtype.kind == 'compound' else (n, 1, 1, 1)
        if not compound:
            shape = (n, 1, *size) if len(size) == 2 else (n, 1, 1, *size)
        return self.place(shape, self.dtype(real, compound, size))

    def items_of(self, place, size):
        real = tess.BY_NAME[place.dtype.real].numpy
        return np.ascontiguousarray(place.view).view(real).astype(np.float64).reshape(-1, *size)

    def compare(self, place, size, want, slack, *what):
        got = self.items_of(place, size)
        self.expect(got.shape == want.shape and np.max(np.abs(got - want), initial=0) <= slack, *what,
                    np.max(np.abs(got - want), initial=0) if got.shape == want.shape else got.shape)
        self.expect(place.holds(place.view.copy(), False), *what, 'around')

    def kind(self):
        """Precision and kind of an array."""
        return self.rng.choice(('f32', 'f64')), self.rng.random() < 0.5

    def through(self, call, source, in_size, out_size, what):
        """A call from an array to a view of any kind, and to one that it makes of the same kind: items of both."""
        n = len(self.items_of(source, in_size))
        real, compound = self.kind()
        compound = source.dtype.kind == 'compound' and (compound or source.view.shape[0] != n)
        out, made = self.room(source, n, out_size, real, compound), tess.Array()
        self.threads()
        if not self.succeeds(call(out.ref(), source.ref()), *what) or not self.succeeds(call(byref(made), source.ref()), *what):
            return None
        dtype = tess.DTYPES[made.dtype - 1]
        self.expect(dtype.kind == ('compound' if source.dtype.kind == 'compound' else 'float') and
                    dtype.real == source.dtype.real, *what, 'makes', dtype)
        got = np.ascontiguousarray(tess.numpy_view(made)).view(tess.BY_NAME[dtype.real].numpy).reshape(-1, *out_size)
        got = got.astype(np.float64)
        self.expect(np.max(np.abs(got - self.items_of(out, out_size)), initial=0) <=
                    2 * max(UNITS['f32'] if 'f32' in (real, dtype.real) else 0, 0) *
                    max(1, np.max(np.abs(got), initial=1)), *what, 'made is another')
        self.lib.tess_release(byref(made))
        return out, real

    # ---- Euler angles ----

    def check_euler(self, name, sequence, unit, left):
        """Angles to matrices and quaternions, and back."""
        n, degrees = self.rng.randint(1, 9), unit == 2 or (unit == 0 and name in PROGRAMS)
        angles = self.generator.uniform(-4, 4, (n, 3))
        angles = np.degrees(angles) if degrees else angles
        real, compound = self.kind()
        opts = EulerOpts(name.encode(), unit, left)
        left = left or name in LEFT_HANDED
        what = ('euler', name, unit, left, real, compound)
        source = self.lay(angles, (3,), real, compound, self.rng.random() < 0.3)
        rounded = self.items_of(source, (3,))
        rotation = Rotation.from_euler(sequence, -rounded if left else rounded, degrees=degrees)
        slack = 8 * UNITS[real]
        result = self.through(lambda out, x: self.lib.tess_euler_to_matrix(out, x, byref(opts)), source, (3,), (3, 3), what)
        if result:
            self.compare(result[0], (3, 3), to_zyx(rotation.as_matrix()), slack + UNITS[result[1]], *what, 'matrix')
        listed = not compound and source.view.shape[0] == 1 and n > 1
        if not listed:
            result = self.through(lambda out, x: self.lib.tess_euler_to_quat(out, x, byref(opts)), source, (3,), (4,), what)
            if result:
                got, want = self.items_of(result[0], (4,)), quats_zyx(rotation.as_quat())
                near = np.minimum(np.abs(got - want).max(1), np.abs(got + want).max(1)).max()
                self.expect(near <= slack + UNITS[result[1]] and np.all(got[:, 3] >= 0), *what, 'quat', near)
        self.check_back(rotation, opts, degrees, what)

    def check_back(self, rotation, opts, degrees, what):
        """Angles of matrices and quaternions give the same rotation, and are in their ranges."""
        real, compound = self.kind()
        turn = 180 if degrees else np.pi
        axes = self.sequence(what[1]).lower()
        repeats, left = axes[0] == axes[2], what[3]
        for values, size, call in ((to_zyx(rotation.as_matrix()), (3, 3), self.lib.tess_euler_from_matrix),
                                   (quats_zyx(rotation.as_quat()), (4,), self.lib.tess_euler_from_quat)):
            source = self.lay(values, size, real, compound)
            result = self.through(lambda out, x: call(out, x, byref(opts)), source, size, (3,), what)
            if not result:
                continue
            angles = self.items_of(result[0], (3,))
            low, high = (0, turn) if repeats else (-turn / 2, turn / 2)
            slack = turn * UNITS['f32']
            self.expect(np.all(np.abs(angles) <= turn + slack) and np.all(angles[:, 1] >= low - slack) and
                        np.all(angles[:, 1] <= high + slack), *what, 'ranges', angles)
            again = Rotation.from_euler(self.sequence(what[1]), -angles if left else angles, degrees=degrees)
            unit = max(UNITS[real], UNITS[result[1]])
            self.expect((again * rotation.inv()).magnitude().max() <= 30 * unit + (4e-6 if 'f32' in (real, result[1]) else 4e-10),
                        *what, 'back', size, (again * rotation.inv()).magnitude().max())

    def sequence(self, name):
        if name in PROGRAMS:
            return PROGRAMS[name]
        axes = name[:3]
        return axes.lower() if name.endswith('extrinsic') else axes.upper()

    def eulers(self, rounds):
        names = ORDERS + [o + '-intrinsic' for o in ORDERS] + [o + '-extrinsic' for o in ORDERS] + list(PROGRAMS)
        for _ in range(rounds):
            for name in names:
                unit = self.rng.randrange(3)
                left = 0 if name in PROGRAMS else self.rng.randrange(2)
                self.check_euler(name, self.sequence(name), unit, left)
        self.locks()

    def locks(self):
        """Gimbal lock: the third angle is 0, and the rotation the same."""
        for name in [o + way for o in ORDERS for way in ('-intrinsic', '-extrinsic')]:
            for left in (0, 1):
                repeats = name[0] == name[2]
                middle = self.rng.choice((0, np.pi) if repeats else (-np.pi / 2, np.pi / 2))
                near = self.rng.choice((0, 1e-12, 1e-6))
                angles = np.array([[self.rng.uniform(-3, 3), middle - math.copysign(near, middle or -1),
                                    self.rng.uniform(-3, 3)]])
                rotation = Rotation.from_euler(self.sequence(name), -angles if left else angles)
                source = self.lay(to_zyx(rotation.as_matrix()), (3, 3), 'f64', False)
                out, opts = self.place((1, 1, 1, 3), tess.BY_NAME['f64']), EulerOpts(name.encode(), 0, left)
                if self.succeeds(self.lib.tess_euler_from_matrix(out.ref(), source.ref(), byref(opts)), name, 'lock'):
                    got = self.items_of(out, (3,))
                    again = Rotation.from_euler(self.sequence(name), -got if left else got)
                    error = (again * rotation.inv()).magnitude().max()
                    self.expect(error < 1e-9 and (near == 1e-6 or got[0, 2] == 0), name, left, 'lock', angles, got, error)

    # ---- Quaternions ----

    def random_quats(self, n, real):
        q = self.generator.normal(size=(n, 4))
        return q / np.linalg.norm(q, axis=1, keepdims=True)

    def check_pair(self, name, reference, numbers=()):
        n = self.rng.randint(1, 9)
        real, compound = self.kind()
        p = self.lay(self.random_quats(n, real), (4,), real, compound)
        one = self.rng.random() < 0.3
        q = self.lay(self.random_quats(1 if one else n, real), (4,), real, compound)
        if compound and not one:
            q = self.place(p.view.shape, p.dtype)
            q.view[...] = np.ascontiguousarray(self.random_quats(n, real), tess.BY_NAME[real].numpy).view(
                p.dtype.numpy).reshape(p.view.shape)
        want = reference(rotation_of(self.items_of(p, (4,))), rotation_of(self.items_of(q, (4,))), *numbers)
        out = self.place(p.view.shape, p.dtype)
        if self.succeeds(getattr(self.lib, 'tess_' + name)(out.ref(), p.ref(), q.ref(), *numbers), name):
            error = (rotation_of(self.items_of(out, (4,))) * want.inv()).magnitude().max()
            self.expect(error <= 40 * UNITS[real], name, real, compound, error)

    def slerped(self, p, q, t):
        step = q * p.inv()
        return Rotation.from_rotvec(step.as_rotvec() * t) * p

    def quaternions(self, rounds):
        for _ in range(rounds):
            self.check_pair('quat_mul', lambda p, q: p * q)
            self.check_pair('quat_slerp', self.slerped, (self.rng.uniform(0, 1),))
            self.check_matrices()
            self.check_distance()
            self.check_average()
        self.check_random()

    def check_matrices(self):
        n = self.rng.randint(1, 9)
        real, compound = self.kind()
        quats = self.random_quats(n, real)
        half = self.rng.randrange(n)
        quats[half, 3] = 0  # half a turn, about an axis that may lie anywhere
        quats[half, self.rng.randrange(3)] = 0
        quats[half] /= np.linalg.norm(quats[half])
        source = self.lay(quats, (4,), real, compound, self.rng.random() < 0.3)
        rotation = rotation_of(self.items_of(source, (4,)))
        result = self.through(self.lib.tess_quat_to_matrix, source, (4,), (3, 3), ('quat_to_matrix', real))
        if result:
            self.compare(result[0], (3, 3), to_zyx(rotation.as_matrix()), 4 * UNITS[real] + UNITS[result[1]],
                         'quat_to_matrix', real)
        source = self.lay(to_zyx(rotation.as_matrix()), (3, 3), real, compound)
        result = self.through(self.lib.tess_quat_from_matrix, source, (3, 3), (4,), ('quat_from_matrix', real))
        if result:
            error = (rotation_of(self.items_of(result[0], (4,))) * rotation.inv()).magnitude().max()
            self.expect(error <= 20 * max(UNITS[real], UNITS[result[1]]), 'quat_from_matrix', real, error)
        source = self.lay(quats, (4,), real, compound)
        result = self.through(self.lib.tess_quat_conjugate, source, (4,), (4,), ('quat_conjugate', real))
        if result:
            self.compare(result[0], (4,), self.items_of(source, (4,)) * [-1, -1, -1, 1], UNITS[result[1]], 'conjugate')

    def group(self, name):
        made = tess.Array()
        self.succeeds(self.lib.tess_symmetry_matrices(byref(made), name.encode(), None), name)
        matrices = tess.numpy_view(made).copy().reshape(-1, 3, 3)
        self.lib.tess_release(byref(made))
        return matrices

    def check_distance(self):
        """Under a symmetry, given by its name and as matrices; and the asymmetric unit."""
        name = self.rng.choice([None, *GROUPS])
        n = self.rng.randint(1, 6)
        real, compound = self.kind()
        p, q = (self.lay(self.random_quats(n, real), (4,), real, False) for _ in range(2))
        rp, rq = (rotation_of(self.items_of(x, (4,))) for x in (p, q))
        elements = Rotation.from_matrix(to_zyx(self.group(name or 'c1')))
        want = np.min([(rp.inv() * e * rq).magnitude() for e in elements], 0)
        out = self.place((n, 1, 1, 1), tess.BY_NAME[real])
        opts = SetOpts(name.encode() if name else None)
        kept = self.place_with(to_zyx(elements.as_matrix()).reshape(-1, 1, 3, 3), tess.BY_NAME['f64'])
        if name and self.rng.random() < 0.5:
            opts = SetOpts(None, ctypes.cast(kept.ref(), c_void_p))
        if self.succeeds(self.lib.tess_quat_distance(out.ref(), p.ref(), q.ref(), byref(opts)), 'distance', name):
            self.compare(out, (), want, 20 * UNITS[real], 'distance', name)
        which = tess.Array()
        reduced = self.place(p.view.shape, p.dtype)
        opts = ReduceOpts(name.encode() if name else None, None, ctypes.cast(byref(which), c_void_p))
        if self.succeeds(self.lib.tess_quat_reduce(reduced.ref(), p.ref(), byref(opts)), 'reduce', name):
            got = rotation_of(self.items_of(reduced, (4,)))
            index = tess.numpy_view(which).copy().ravel()
            least = np.min([(e * rp).magnitude() for e in elements], 0)
            taken = elements[index] * rp
            self.expect((got * taken.inv()).magnitude().max() <= 20 * UNITS[real], 'reduce: which', name)
            self.expect(np.max(np.abs(got.magnitude() - least)) <= 20 * UNITS[real] + 1e-7, 'reduce', name)
            self.lib.tess_release(byref(which))

    def check_average(self):
        n = self.rng.randint(1, 9)
        real, compound = self.kind()
        centre = Rotation.random(random_state=self.rng.randrange(2**31))
        spread = Rotation.from_rotvec(self.generator.normal(size=(n, 3)) * 0.3)
        quats = quats_zyx((centre * spread).as_quat()) * self.generator.choice((-1, 1), (n, 1))
        source = self.lay(quats, (4,), real, compound)
        weights = self.generator.uniform(0, 2, n)
        weighted = self.rng.random() < 0.5
        kept = self.place_with(weights.reshape(1, n, 1, 1), tess.BY_NAME['f64'])
        opts = AverageOpts(ctypes.cast(kept.ref(), c_void_p) if weighted else None)
        want = rotation_of(self.items_of(source, (4,))).mean(weights if weighted else None)
        made = tess.Array()
        if self.succeeds(self.lib.tess_quat_average(byref(made), source.ref(), byref(opts)), 'average', n):
            got = np.ascontiguousarray(tess.numpy_view(made)).view(tess.BY_NAME[real].numpy).reshape(1, 4)
            error = (rotation_of(got) * want.inv()).magnitude().max()
            self.expect(error <= 100 * UNITS[real], 'average', real, error)
            self.lib.tess_release(byref(made))

    def check_random(self):
        """Moments of evenly distributed rotations, and parts that are the whole's."""
        n = 4000
        out = self.place((n, 1, 1, 4), tess.BY_NAME['f64'])
        if not self.succeeds(self.lib.tess_quat_random(out.ref(), 7, None), 'random'):
            return
        q = self.items_of(out, (4,))
        rotation = rotation_of(q)
        self.expect(np.max(np.abs(np.linalg.norm(q, axis=1) - 1)) < 1e-15 * 4 and np.all(q[:, 3] >= 0), 'random: length')
        m = rotation.as_matrix()
        self.expect(np.max(np.abs(m.mean(0))) < 5 / np.sqrt(3 * n), 'random: mean of matrices')
        self.expect(np.max(np.abs((m**2).mean(0) - 1 / 3)) < 5 * 0.3 / np.sqrt(n), 'random: mean of squares')
        angle = rotation.magnitude()  # its density is (1 - cos a) / pi
        self.expect(abs(angle.mean() - (np.pi / 2 + 2 / np.pi)) < 5 * 0.65 / np.sqrt(n), 'random: angles', angle.mean())

    # ---- Matrices ----

    def check_matrix(self, rows, columns):
        """Inverses, products and points."""
        n, homogeneous = self.rng.randint(1, 7), columns == rows == 4
        real, compound = self.kind()
        size, what = (rows, columns), ('matrix', rows, columns, real, compound)
        a, b = (self.generator.normal(size=(n, *size)) + 2 * np.eye(rows, columns) for _ in range(2))
        if homogeneous:
            a[:, 3], b[:, 3] = [0, 0, 0, 1], [0, 0, 0, 1]
        source = self.lay(a, size, real, compound)
        other = self.lay(b, size, real, False)
        full = self.homogeneous(self.items_of(source, size))
        want = np.linalg.inv(full)[:, :rows, :columns]
        result = self.through(self.lib.tess_matrix_inverse, source, size, size, what)
        if result:
            scale = np.max(np.abs(want)) * np.linalg.cond(full).max()
            self.compare(result[0], size, want, 20 * scale * max(2.0**-52, UNITS[result[1]]), *what, 'inverse')
        source = self.lay(a, size, real, False)
        want = (self.homogeneous(self.items_of(source, size)) @ self.homogeneous(self.items_of(other, size)))
        out = self.place((n, 1, *size), tess.BY_NAME[real])
        if self.succeeds(self.lib.tess_matrix_mul(out.ref(), source.ref(), other.ref()), *what):
            self.compare(out, size, want[:, :rows, :columns], 40 * UNITS[real] * np.max(np.abs(want)), *what, 'product')
        dimensions = 3 if rows >= 3 else 2
        self.check_points(source, size, dimensions, what)
        if size == (3, 3):
            a[:, 2] = [0, 0, 1]
            self.check_points(self.lay(a, size, real, False), size, 2, what)

    def homogeneous(self, a):
        rows, columns = a.shape[1:]
        if rows == columns:
            return a
        last = np.zeros((len(a), 1, columns))
        last[:, 0, -1] = 1
        return np.concatenate((a, last), 1)

    def check_points(self, source, size, dimensions, what):
        many = self.rng.randint(1, 5)
        full = self.homogeneous(self.items_of(source, size))
        n = len(full)
        real = source.dtype.real
        points = self.place_with(self.generator.normal(size=(n, 1, many, dimensions)), tess.BY_NAME[real])
        p = points.view.astype(np.float64).reshape(n, many, dimensions)
        if full.shape[1] > dimensions:
            p = np.concatenate((p, np.ones((n, many, 1))), 2)
        want = np.einsum('nij,nkj->nki', full, p)[..., :dimensions].reshape(n, 1, many, dimensions)
        slack = 40 * UNITS[real] * np.max(np.abs(want))
        out = self.place((n, 1, many, dimensions), tess.BY_NAME[real])
        if self.succeeds(self.lib.tess_transform_points(out.ref(), points.ref(), source.ref()), *what, dimensions):
            self.written_near(out, want, slack, *what, 'points')
        if self.succeeds(self.lib.tess_transform_points(points.ref(), points.ref(), source.ref()), *what, 'in place'):
            self.expect(np.array_equal(points.view, out.view), *what, 'points in place')

    def matrices(self, rounds):
        for _ in range(rounds):
            for rows, columns in ((2, 2), (2, 3), (3, 3), (3, 4), (4, 4)):
                self.check_matrix(rows, columns)
            quats = self.lay(self.random_quats(3, 'f64'), (4,), 'f64', False)
            points = self.place_with(self.generator.normal(size=(3, 1, 2, 3)), tess.BY_NAME['f64'])
            want = to_zyx(rotation_of(self.items_of(quats, (4,))).as_matrix()) @ points.view.reshape(3, 2, 3).swapaxes(1, 2)
            out = self.place((3, 1, 2, 3), tess.BY_NAME['f64'])
            if self.succeeds(self.lib.tess_transform_points(out.ref(), points.ref(), quats.ref()), 'quaternions'):
                self.written_near(out, want.swapaxes(1, 2).reshape(3, 1, 2, 3), 1e-14, 'points through quaternions')

    # ---- Point groups ----

    def groups(self):
        for name, order in GROUPS.items():
            count = c_int64()
            self.succeeds(self.lib.tess_symmetry_order(byref(count), name.encode()), name)
            m = self.group(name)
            self.expect(count.value == order == len(m), name, 'order', len(m))
            self.expect(np.array_equal(m[0], np.eye(3)), name, 'identity')
            self.expect(np.max(np.abs(m @ m.swapaxes(1, 2) - np.eye(3))) <= 1e-15, name, 'orthonormal',
                        np.max(np.abs(m @ m.swapaxes(1, 2) - np.eye(3))))
            self.expect(np.max(np.abs(np.linalg.det(m) - 1)) <= 1e-14, name, 'determinants')
            distances = np.abs(m[:, None] - m[None]).max((2, 3)) + np.eye(len(m))
            self.expect(distances.min() > 0.1, name, 'all different')
            products = np.einsum('aij,bjk->abik', m, m).reshape(-1, 1, 3, 3)
            near = np.abs(products - m[None]).max((2, 3)).min(1)
            self.expect(near.max() < 3e-15, name, 'closed', near.max())
            self.check_scipy(name, m)
        f32 = self.place((60, 1, 3, 3), tess.BY_NAME['f32'])
        if self.succeeds(self.lib.tess_symmetry_matrices(f32.ref(), b'I1', None), 'f32'):
            self.expect(np.array_equal(f32.view.reshape(-1, 3, 3), self.group('i1').astype(np.float32)), 'f32')

    def check_scipy(self, name, m):
        """SciPy's groups, whose axes are others for some, have as many rotations of each angle."""
        group = 'I' if name[0] in 'iI' else name.upper()
        if group in ('D1',):
            return
        ours, theirs = (np.sort(r.magnitude()) for r in (Rotation.from_matrix(to_zyx(m)), Rotation.create_group(group)))
        self.expect(np.max(np.abs(ours - theirs)) < 1e-7, name, 'angles')
        if name.upper()[0] in 'CO':
            r = Rotation.create_group(group).as_matrix()
            self.expect(np.max(np.abs(to_zyx(r)[:, None] - m[None]).max((2, 3)).min(1)) < 1e-14, name, "SciPy's")


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('Euler angles', lambda: tests.eulers(tess.rounds(8))),
        ('quaternions', lambda: tests.quaternions(tess.rounds(100))),
        ('matrices', lambda: tests.matrices(tess.rounds(60))), ('point groups', tests.groups)))


if __name__ == '__main__':
    sys.exit(main())
