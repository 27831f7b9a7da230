"""tessera sym against the mean of SciPy's affine transforms over rotations that are made here."""
import numpy as np
from scipy import ndimage
from scipy.spatial.transform import Rotation

from command import check, fails, finish, tessera
from images import close, equal, facts, random, read, run, write


def group(name):
    """Rotations of x, y, z: products of generators until there are no more."""
    golden = (1 + 5**0.5) / 2
    about = lambda axis, n: Rotation.from_rotvec(2 * np.pi / n * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    n = int(name[1:]) if name[0] in 'CD' else 0
    generators = {'C': [about((0, 0, 1), n or 1)], 'D': [about((0, 0, 1), n or 1), about((1, 0, 0), 2)],
                  'T': [about((0, 0, 1), 3), about((0, np.sqrt(2 / 3), np.sqrt(1 / 3)), 2)],
                  'O': [about((0, 0, 1), 4), about((1, 1, 1), 3)],
                  'I1': [about((0, 0, 1), 2), about((0, 1, golden), 5)],
                  'I2': [about((0, 0, 1), 2), about((1, 0, golden), 5)]}[name if name[0] == 'I' else name[0]]
    found = [np.eye(3)]
    for m in found:
        for g in generators:
            if not any(np.allclose(m @ g, other) for other in found):
                found.append(m @ g)
    return found


def zyx(m):
    return m[::-1, ::-1]


def turned(a, m, centre):
    """The picture moved by the matrix m of z, y, x about a point; linear, zero outside."""
    pull = np.linalg.inv(m)
    return ndimage.affine_transform(a.astype('f8'), pull, centre - pull @ centre, order=1, mode='grid-constant')


def mean(a, name, centre):
    return np.mean([turned(a, zyx(m), centre) for m in group(name)], axis=0)


def euler(angles):
    """RELION's matrix of rot, tilt, psi, as its manual has it: from the reference to the image, in x, y, z."""
    def z(t): return np.array([[np.cos(t), np.sin(t), 0], [-np.sin(t), np.cos(t), 0], [0, 0, 1]])
    def y(t): return np.array([[np.cos(t), 0, -np.sin(t)], [0, 1, 0], [np.sin(t), 0, np.cos(t)]])
    rot, tilt, psi = np.radians(angles)
    return z(psi) @ y(tilt) @ z(rot)


volume = write('v.mrc', ndimage.gaussian_filter(random.normal(size=(16, 17, 18)), 1).astype('f4'), 1.5, origin=(3, 4, 5))
centre = np.array([8.0, 8, 9])
orders = {'C1': 1, 'C5': 5, 'D3': 6, 'T': 12, 'O': 24, 'I1': 60, 'I2': 60}
for name, order in orders.items():
    check(len(group(name)) == order, f'{name} has {order} rotations')
    equal(run('sym', '--sym', name.lower() if order % 2 else name, 'v.mrc'), mean(volume, name, centre), name, 3e-6)
    close(facts('out.mrc')[0], [1.5] * 3, 'pixel size')
    close(facts('out.mrc')[1], [3, 4, 5], 'origin')
equal(run('sym', '--sym', 'c1', 'v.mrc'), volume, 'C1 changes nothing')

# A result has the symmetry: turned by one of its rotations, it stays, but for what interpolation does.
cube = write('cube.mrc', ndimage.gaussian_filter(random.normal(size=(32, 32, 32)), 2).astype('f4'), 2)
run('sym', '--sym', 'd4', '--interp', 'lanczos8', 'cube.mrc')
got = read('out.mrc')[1:, 1:, 1:]
check(np.abs(np.rot90(got, axes=(2, 1)) - got).max() < 1e-5 * np.abs(got).max(), 'a quarter turn leaves D4 as it is')

# The centre, and turns before and after.
where = np.array([7.25, 8.5, 9.75])
equal(run('sym', '--sym', 'C3', '--center', '9.75,8.5,7.25', 'v.mrc'), mean(volume, 'C3', where), 'another centre', 3e-6)
equal(run('sym', '--sym', 'C3', '--center', '14.625A,12.75A,10.875A', 'v.mrc'), mean(volume, 'C3', where), 'in A', 3e-6)
equal(run('sym', '--sym', 'C2', '--border', 'clamp', 'v.mrc'),
      np.mean([ndimage.affine_transform(volume.astype('f8'), zyx(m), centre - zyx(m) @ centre, order=1, mode='nearest')
               for m in group('C2')], axis=0), 'clamp', 3e-6)


def conjugate(a, name, before, after):
    """One interpolation: the result at p is the input at before^-1 m^-1 after^-1 p."""
    total = 0
    for m in group(name):
        total = total + turned(a, after @ zyx(m) @ before, centre)
    return total / len(group(name))


before, after = zyx(euler((20, 70, 35))), zyx(euler((-50, 20, 10)))
relion = ['--convention', 'relion']
equal(run('sym', '--sym', 'D3', '--before', '20,70,35', *relion, 'v.mrc'), conjugate(volume, 'D3', before, np.eye(3)),
      'turned before', 3e-6)
equal(run('sym', '--sym', 'D3', '--before', '20,70,35', '--after=-50,20,10', *relion, 'v.mrc'),
      conjugate(volume, 'D3', before, after), 'turned before and after', 3e-6)
equal(run('sym', '--sym', 'D3', '--before', '20,70,35', '--back', *relion, 'v.mrc'),
      conjugate(volume, 'D3', before, before.T), 'and back', 3e-6)

# Images, stacks, types.
stack = write('s.mrcs', random.normal(size=(5, 20, 21)).astype('f4'), 1.2, stack=True)


def plane(t):
    return np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]])  # y, x: +x goes to +y


def mean_2d(a, turns, mirrors):
    c = np.array([10.0, 10])
    return np.mean([turned(a, plane(2 * np.pi * k / turns) @ np.diag([s, 1.0]), c)
                    for k in range(turns) for s in ((1, -1) if mirrors else (1,))], axis=0)


equal(run('sym', '--sym', 'c5', 's.mrcs'), np.stack([mean_2d(a, 5, False) for a in stack]), 'images', 3e-6)
check(facts('out.mrc')[3], 'a stack stays one')
equal(run('sym', '--sym', 'd3', 's.mrcs'), np.stack([mean_2d(a, 3, True) for a in stack]), 'D mirrors images', 3e-6)
write('h.mrc', volume.astype('f2'), 1.5)
got = run('sym', '--sym', 'c2', 'h.mrc')
check(got is not None and got.dtype == np.float16, 'f16 stays f16')
check(tessera('sym', '--sym', 'c2', 'v.mrc', 's.mrcs', '-o', '{name}_c2.mrc').code == 0, 'several inputs')

# ---- Bad input ----
out = ['-o', 'n.mrc']
fails(tessera('sym', 'v.mrc', *out), 2, 'sym: --sym is missing', 'I1 or I2')
fails(tessera('sym', '--sym', 'Q7', 'v.mrc', *out), 2, 'sym: --sym is "Q7"', 'T, O, I1 or I2')
fails(tessera('sym', '--sym', 'I', 'v.mrc', *out), 2, '--sym is "I"')
fails(tessera('sym', '--sym', 'C0', 'v.mrc', *out), 2, '--sym is "C0"', 'from 1 to 1024')
fails(tessera('sym', '--sym', 'T', 's.mrcs', *out), 2, '--sym is T', 's.mrcs has images')
fails(tessera('sym', '--sym', 'C2', '--before', '1,2,3', 'v.mrc', *out), 2, '--before requires --convention', 'relion', 'imod')
fails(tessera('sym', '--sym', 'C2', '--before', '1,2', *relion, 'v.mrc', *out), 2, '--before is "1,2"', 'three comma-separated angles')
fails(tessera('sym', '--sym', 'C2', '--before', '1,2,3', '--convention', 'mine', 'v.mrc', *out), 2, '--convention is "mine"')
fails(tessera('sym', '--sym', 'C2', *relion, 'v.mrc', *out), 2, '--convention applies to the Euler angles')
fails(tessera('sym', '--sym', 'C2', '--back', 'v.mrc', *out), 2, '--back requires --before')
fails(tessera('sym', '--sym', 'C2', '--center', '1,2', 'v.mrc', *out), 2, '--center is "1,2"', 'volumes', 'x,y,z')
fails(tessera('sym', '--sym', 'C2', '--border', 'zero', '--fill', 1, 'v.mrc', *out), 2, '--border and --fill')
write('u.mrc', volume, (1.5, 1.5, 3))
fails(tessera('sym', '--sym', 'C2', 'u.mrc', *out), 3, 'pixels of u.mrc are 1.5 x 1.5 x 3 A', 'along all axes')
write('n.mrc', volume, 0)
fails(tessera('sym', '--sym', 'C2', '--center', '1A,2A,3A', 'n.mrc', '-o', 'm.mrc'), 2, '--center', '--apix')
np.save('c.npy', np.ones((8, 8), 'c8'))
fails(tessera('sym', '--sym', 'c2', 'c.npy', '-o', 'm.mrc'), 2, 'complex')
write('big.mrc', np.zeros((64, 80, 80), 'f4'), 1)
fails(tessera('sym', '--sym', 'c2', '--mem', '2M', 'big.mrc', '-o', 'm.mrc'), 4, '--mem allows 2 MiB')
finish()
