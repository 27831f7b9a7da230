"""tessera transform against SciPy's affine_transform, with matrices of every convention that are made here."""
import os
import shutil
import subprocess

import mrcfile
import numpy as np
from scipy import ndimage
from scipy.spatial.transform import Rotation

from command import check, fails, finish, skip, tessera
from images import close, equal, facts, random, read, run, write


def moved(a, m, shift=0.0, centre=None, order=1, mode='grid-constant', cval=0.0):
    """The picture moved forward by the matrix m of z, y, x about a point, then by a shift."""
    a = a.astype('f8')
    centre = np.array([n // 2 for n in a.shape], float) if centre is None else np.asarray(centre, float)
    pull = np.linalg.inv(m)
    return ndimage.affine_transform(a, pull, centre - pull @ (centre + shift), order=order, mode=mode, cval=cval)


def plane(degrees):
    t = np.radians(degrees)
    return np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]])  # y, x: +x goes to +y


def zyx(m):
    return np.asarray(m)[::-1, ::-1]


def R(axis, degrees):
    """Right-handed, of x, y, z, written out."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array({'x': [[1, 0, 0], [0, c, -s], [0, s, c]], 'y': [[c, 0, s], [0, 1, 0], [-s, 0, c]],
                     'z': [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[axis])


image = write('x.mrc', ndimage.gaussian_filter(random.normal(size=(20, 23)), 1).astype('f4'), 1.5, origin=(3, 4, 5))
stack = write('s.mrcs', random.normal(size=(6, 20, 21)).astype('f4'), 1.2, stack=True)
volume = write('v.mrc', ndimage.gaussian_filter(random.normal(size=(16, 17, 18)), 1).astype('f4'), 1.5, origin=(3, 4, 5))

# ---- Images ----
for angle in (30, -100.5, 90, 180, 'r'):
    text, degrees = ('0.5rad', np.degrees(0.5)) if angle == 'r' else (angle, angle)
    equal(run('transform', '--rotate', text, 'x.mrc'), moved(image, plane(degrees)), f'rotate {text}', 3e-6)
close(facts('out.mrc')[0][:2], [1.5, 1.5], 'pixel size')
close(facts('out.mrc')[1], [3, 4, 5], 'origin')
odd = write('odd.mrc', random.normal(size=(21, 21)).astype('f4'), 1)
equal(run('transform', '--rotate', 90, 'odd.mrc'), np.rot90(odd, -1), 'a quarter turn is exact')
equal(run('transform', '--shift', '3,-2', 'x.mrc'), np.pad(image, ((0, 2), (3, 0)))[2:, :23], 'a whole shift is exact')
equal(run('transform', '--shift', '3.75A,-1.5A', 'x.mrc'), moved(image, np.eye(2), [-1, 2.5]), 'a shift in A', 3e-6)
both = moved(image, plane(30), [1.5, -2])
equal(run('transform', '--rotate', 30, '--shift', '-2,1.5', 'x.mrc'), both, 'turned, then moved', 3e-6)
equal(run('transform', '--shift=-2,1.5', '--rotate', 30, 'x.mrc'), moved(image, plane(30), plane(30) @ [1.5, -2]),
      'moved, then turned', 3e-6)
equal(run('transform', '--rotate', 30, '--center', '4.5,6', 'x.mrc'), moved(image, plane(30), centre=(6, 4.5)),
      'about a point', 3e-6)
equal(run('transform', '--matrix', '1.1,0.2,0,-0.1,0.9,0,0,0,1', 'x.mrc'), moved(image, [[0.9, -0.1], [0.2, 1.1]]),
      'a 3 x 3 matrix of x, y', 3e-6)
equal(run('transform', '--matrix', '1.1,0.2,3,-0.1,0.9,-1', 'x.mrc'), moved(image, [[0.9, -0.1], [0.2, 1.1]], [-1, 3]),
      'with a shift', 3e-6)
equal(run('transform', '--matrix', '1.1,0.2,3,-0.1,0.9,-1', '--inverse', 'x.mrc'),
      ndimage.affine_transform(image.astype('f8'), [[0.9, -0.1], [0.2, 1.1]],
                               [10 - 1 - (0.9 * 10 - 0.1 * 11), 11 + 3 - (0.2 * 10 + 1.1 * 11)], order=1,
                               mode='grid-constant'), 'the pull matrix', 3e-6)
equal(run('transform', '--matrix', '1,0,0,1', 'x.mrc'), image, 'nothing is changed by the identity')
equal(run('transform', '--rotate', 20, 's.mrcs'), np.stack([moved(a, plane(20)) for a in stack]), 'a stack', 3e-6)
check(facts('out.mrc')[3], 'a stack stays one')
for interp, order in (('nearest', 0), ('linear', 1), ('bspline', 3)):
    for border, mode in (('clamp', 'nearest'), ('mirror', 'grid-mirror'), ('periodic', 'grid-wrap'), ('reflect', 'mirror')):
        if interp == 'bspline' and border == 'clamp':
            continue
        got = run('transform', '--rotate', 33, '--shift', '0.3,0.1', '--interp', interp, '--border', border, 'x.mrc')
        equal(got, moved(image, plane(33), [0.1, 0.3], order=order, mode=mode), f'{interp} {border}', 3e-5)
equal(run('transform', '--rotate', 33, '--fill', 7, 'x.mrc'), moved(image, plane(33), cval=7), 'a number outside', 3e-6)
smooth = write('smooth.mrc', ndimage.gaussian_filter(random.normal(size=(64, 64)), 3).astype('f4'), 1)
for interp, limit in (('cubic', 2e-2), ('bspline', 2e-3), ('lanczos4', 3e-2), ('lanczos6', 5e-3), ('lanczos8', 3e-3)):
    there = ['--rotate', 33, '--shift', '1.5,0.25', '--interp', interp]
    tessera('transform', *there, 'smooth.mrc', '-f', '-o', 'there.mrc')
    back = run('transform', *there, '--inverse', 'there.mrc')
    off = np.abs(back - smooth)[20:44, 20:44].max() / np.abs(smooth).max()
    check(off < limit, f'{interp} there and back: off by {off}')

# ---- A matrix for each image ----
lines = [[np.cos(k), -np.sin(k), np.sin(k), np.cos(k), k, -0.5 * k] for k in range(6)]
np.savetxt('t.xf', lines, fmt='%.7f')
middle = (19 / 2, 20 / 2)
by_line = [moved(a, plane(np.degrees(k)), [-0.5 * k, k], centre=middle) for k, a in enumerate(stack)]
equal(run('transform', '--xf', 't.xf', 's.mrcs'), np.stack(by_line), '.xf, about (n-1)/2', 2e-5)
equal(run('transform', '--xf', 't.xf', '--slices', '4,1', 's.mrcs'), np.stack([by_line[4], by_line[1]]),
      'lines of the chosen images', 2e-5)
np.savetxt('one.xf', lines[1:2], fmt='%.7f')
equal(run('transform', '--xf', 'one.xf', 's.mrcs'),
      np.stack([moved(a, plane(np.degrees(1)), [-0.5, 1], centre=middle) for a in stack]), 'one line for all', 2e-5)
np.savetxt('m.txt', [[1, 0.1 * k, k, 0, 1, 0] for k in range(6)])
equal(run('transform', '--matrix', 'm.txt', 's.mrcs'),
      np.stack([moved(a, [[1, 0], [0.1 * k, 1]], [0, k]) for k, a in enumerate(stack)]), 'a line of numbers each', 3e-6)
np.savetxt('m2.txt', [[1, 0.3], [0, 1]])
equal(run('transform', '--matrix', 'm2.txt', 'x.mrc'), moved(image, [[1, 0], [0.3, 1]]), 'a matrix in its lines', 3e-6)

# ---- STAR ----
psi, shifts = random.uniform(-180, 180, 6), random.uniform(-3, 3, (6, 2))


def write_star(name, images):
    with open(name, 'w') as file:
        file.write('\ndata_optics\n\nloop_\n_rlnOpticsGroup\n_rlnOpticsGroupName\n_rlnImagePixelSize\n_rlnImageSize\n'
                   '_rlnImageDimensionality\n_rlnVoltage\n_rlnSphericalAberration\n_rlnAmplitudeContrast\n'
                   '1 group 1.2 20 2 300 2.7 0.1\n\ndata_particles\n\nloop_\n_rlnImageName\n_rlnAnglePsi\n'
                   '_rlnOriginXAngst\n_rlnOriginYAngst\n_rlnOpticsGroup\n')
        for k in range(6):
            file.write(f'{k + 1:06d}@{images} {psi[k]:.6f} {1.2 * shifts[k, 0]:.6f} {1.2 * shifts[k, 1]:.6f} 1\n')


write_star('p.star', 's.mrcs')
want = np.stack([moved(a, plane(p), plane(p) @ [y, x]) for a, p, (x, y) in zip(stack, psi, shifts)])
aligned = run('transform', '--star', 'p.star', 's.mrcs')
equal(aligned, want, 'onto the reference, by a STAR file', 2e-5)
equal(run('transform', '--star', 'p.star', 'p.star'), want, 'of its own images', 2e-5)
write('square.mrcs', stack[:, :, :20], 1.2, stack=True)
write_star('square.star', 'square.mrcs')
aligned = run('transform', '--star', 'square.star', 'square.mrcs')
if shutil.which('relion_stack_create'):
    subprocess.run(['relion_stack_create', '--i', 'square.star', '--o', 'relion', '--apply_transformation'], capture_output=True)
if os.path.exists('relion.mrcs'):
    equal(aligned[:, 6:-6, 6:-6], read('relion.mrcs')[:, 6:-6, 6:-6], 'as relion_stack_create does it', 1e-6)
else:
    skip('relion_stack_create', 'not there')

# ---- Volumes: Euler angles by every convention, from matrices written out ----
a, b, c = 25.0, 70.0, -40.0
passive = {  # what takes the reference to what is seen, in x, y, z
    'relion': R('z', c).T @ R('y', b).T @ R('z', a).T, 'xmipp': R('z', c).T @ R('y', b).T @ R('z', a).T,
    'spider': R('z', c).T @ R('y', b).T @ R('z', a).T, 'cistem': R('z', c).T @ R('y', b).T @ R('z', a).T,
    'eman2': R('z', c).T @ R('x', b).T @ R('z', a).T, 'EMAN': R('z', c).T @ R('x', b).T @ R('z', a).T,
    'dynamo': R('z', a).T @ R('x', b).T @ R('z', c).T, 'imod': R('x', c) @ R('y', b) @ R('z', a),
    'zyz': R('z', a) @ R('y', b) @ R('z', c), 'xyz-extrinsic': R('z', c) @ R('y', b) @ R('x', a),
    'zyx-intrinsic': R('z', a) @ R('y', b) @ R('x', c)}
for convention, m in passive.items():
    equal(run('transform', '--euler', f'{a},{b},{c}', '--convention', convention, 'v.mrc'), moved(volume, zyx(m)),
          convention, 3e-6)
    equal(run('transform', '--euler', f'{a},{b},{c}', '--convention', convention, '--inverse', 'v.mrc'),
          moved(volume, zyx(m.T)), f'{convention}, inverse', 3e-6)
close(facts('out.mrc')[1], [3, 4, 5], 'origin of a volume')
check(not facts('out.mrc')[3], 'a volume stays one')
# cli.md's own matrix: the direction of view is the last row.
view = passive['relion'][2]
t, r = np.radians(b), np.radians(a)
close(view, [np.sin(t) * np.cos(r), np.sin(t) * np.sin(r), np.cos(t)], 'the direction of view')
for axis in 'xyz':
    option = '--rotate' if axis == 'z' else f'--rotate-{axis}'
    equal(run('transform', option, 35, 'v.mrc'), moved(volume, zyx(R(axis, 35))), f'about {axis}', 3e-6)
cube = write('cube.mrc', random.normal(size=(15, 15, 15)).astype('f4'), 2)
equal(run('transform', '--rotate-x', 90, 'cube.mrc'), np.rot90(cube, axes=(1, 0)), 'a quarter turn of a volume is exact')
m34 = np.array([[1.1, 0.1, 0, 2], [0, 0.9, 0.2, -1], [-0.1, 0, 1, 0.5]])
equal(run('transform', '--matrix', ','.join(map(str, m34.ravel())), 'v.mrc'),
      moved(volume, zyx(m34[:, :3]), m34[::-1, 3]), '3 x 4', 3e-6)
np.savetxt('m34.csv', m34, delimiter=',')
equal(run('transform', '--matrix', 'm34.csv', 'v.mrc'), moved(volume, zyx(m34[:, :3]), m34[::-1, 3]), 'in a file', 3e-6)
volumes = write('vs.mrc', random.normal(size=(3, 8, 9, 10)).astype('f4'), 1, volumes=True)
np.savetxt('each.txt', [[*(R('z', 30 * k) @ R('x', 20 * k)).ravel()] for k in range(3)])
equal(run('transform', '--matrix', 'each.txt', 'vs.mrc'),
      np.stack([moved(x, zyx(R('z', 30 * k) @ R('x', 20 * k))) for k, x in enumerate(volumes)]), 'one for each volume', 3e-6)
with open('subtomo.star', 'w') as file:
    file.write('\ndata_\n\nloop_\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n_rlnOriginX\n_rlnOriginY\n_rlnOriginZ\n')
    file.writelines(f'{10 * k} {20 * k} {5 * k} {k} {-k} 0.5\n' for k in range(3))
want = []
for k, x in enumerate(volumes):
    m = zyx((R('z', 5 * k).T @ R('y', 20 * k).T @ R('z', 10 * k).T).T)
    want.append(moved(x, m, m @ [0.5, -k, k]))
equal(run('transform', '--star', 'subtomo.star', 'vs.mrc'), np.stack(want), 'volumes onto the reference', 3e-6)

# The projection of RELION is that of the turned map.
project = shutil.which('relion_project')
ball = ndimage.gaussian_filter(random.normal(size=(48, 48, 48)), 2.5)
ball *= np.sqrt(sum((g - 24.0)**2 for g in np.mgrid[:48, :48, :48])) < 16
write('ball.mrc', ndimage.gaussian_filter(ball, 1).astype('f4'), 2)
tessera('transform', '--euler', '25,70,-40', '--convention', 'relion', '--interp', 'lanczos8', 'ball.mrc', '-o', 'view.mrc')
if project:
    subprocess.run([project, '--i', 'ball.mrc', '--o', 'projected.mrc', '--rot', '25', '--tilt', '70', '--psi', '-40',
                    '--angpix', '2'], capture_output=True)
if project and os.path.exists('projected.mrc'):
    cc = np.corrcoef(read('view.mrc').sum(0).ravel(), read('projected.mrc').ravel())[0, 1]
    check(cc > 0.999, f'the view of relion_project: correlation {cc}')
else:
    skip('relion_project', 'not there')

# ---- Pixel size, box, origin, another map's grid ----
equal(run('transform', '--scale', 2, 'x.mrc'), moved(image, 2 * np.eye(2)), 'magnified', 3e-6)
close(facts('out.mrc')[0][:2], [0.75, 0.75], 'pixels are half as large')
close(facts('out.mrc')[1][:2], [3 + 11 * 1.5 - 11 * 0.75, 4 + 10 * 1.5 - 10 * 0.75], 'the middle stays where it is')
tessera('transform', '--scale', 2, '--inverse', 'out.mrc', '-f', '-o', 'again.mrc')
close(facts('again.mrc')[0][:2], [1.5, 1.5], 'and as large as before')
close(facts('again.mrc')[1][:2], [3, 4], 'at the origin as before')
got = run('transform', '--rotate', 30, '--box', '31,28', 'x.mrc')
wide = np.pad(image, ((4, 4), (4, 4)))
equal(got, moved(wide, plane(30), centre=(14, 15)), 'a larger box', 3e-6)
close(facts('out.mrc')[1][:2], [3 - 4 * 1.5, 4 - 4 * 1.5], 'its origin')
like = write('like.mrc', np.zeros((14, 15, 16), 'f4'), (2, 2.5, 2), origin=(1, 2, 3))
got = run('transform', '--like', 'like.mrc', 'v.mrc')
scale = np.array([2 / 1.5, 2.5 / 1.5, 2 / 1.5])  # z, y, x
first = (np.array([3, 2, 1]) - [5, 4, 3]) / 1.5
equal(got, ndimage.affine_transform(volume.astype('f8'), np.diag(scale), first, output_shape=(14, 15, 16), order=1,
                                    mode='grid-constant'), "another map's grid", 3e-6)
close(facts('out.mrc')[0], [2, 2.5, 2], 'its pixel size')
close(facts('out.mrc')[1], [1, 2, 3], 'its origin')
write('start.mrc', np.zeros((16, 17, 18), 'f4'), 1.5, start=(2, -1, 4))
plain = write('plain.mrc', volume, 1.5)
want = np.pad(plain, ((4, 4), (4, 4), (4, 4)))[8:24, 3:20, 6:24]
equal(run('transform', '--like', 'start.mrc', 'plain.mrc'), want, 'a start counts as an origin does')
check(facts('out.mrc')[2] == [2, -1, 4], 'and is that of the result', facts('out.mrc'))
pull = np.linalg.inv(zyx(R('z', 30)))
middle = np.array([8.0, 8, 9])
equal(run('transform', '--rotate', 30, '--like', 'like.mrc', 'v.mrc'),
      ndimage.affine_transform(volume.astype('f8'), pull @ np.diag(scale), middle + pull @ (first - middle),
                               output_shape=(14, 15, 16), order=1, mode='grid-constant'), 'turned, then onto it', 3e-6)
# Pixels of several sizes: a quarter turn about z takes lengths along x to those along y.
flat = write('flat.mrc', ndimage.gaussian_filter(random.normal(size=(24, 24)), 2).astype('f4'), (1, 2, 1))
m = np.diag([0.5, 1]) @ plane(30) @ np.diag([2, 1])
equal(run('transform', '--rotate', 30, 'flat.mrc'), moved(flat, m), 'a turn in space', 3e-6)
write('h.mrc', volume.astype('f2'), 1.5)
got = run('transform', '--rotate', 10, 'h.mrc')
check(got is not None and got.dtype == np.float16, 'f16 stays f16')
check(tessera('transform', '--rotate', 9, 'x.mrc', 'odd.mrc', '-o', '{name}_turned.mrc').code == 0, 'several inputs')

# ---- Bad input ----
out = ['-o', 'n.mrc']
fails(tessera('transform', 'v.mrc', *out), 2, 'transform: nothing to do', '--like')
fails(tessera('transform', '--euler', '1,2,3', 'v.mrc', *out), 2, '--euler requires --convention', 'relion', 'imod', 'zyz')
fails(tessera('transform', '--euler', '1,2,3', '--convention', 'zzz', 'v.mrc', *out), 2, '--convention is "zzz"', 'spider')
fails(tessera('transform', '--euler', '1,2', '--convention', 'zyz', 'v.mrc', *out), 2, '--euler is "1,2"', 'three comma-separated angles')
fails(tessera('transform', '--euler', '1,2,x', '--convention', 'zyz', 'v.mrc', *out), 2, '--euler is "x"')
fails(tessera('transform', '--rotate', 3, '--convention', 'zyz', 'v.mrc', *out), 2, '--convention requires --euler')
fails(tessera('transform', '--euler', '1,2,3', '--convention', 'zyz', 'x.mrc', *out), 2, '--euler applies to volumes', '--rotate')
fails(tessera('transform', '--rotate-x', 3, 'x.mrc', *out), 2, '--rotate-x applies to volumes')
fails(tessera('transform', '--shift', '1,2,3', 'x.mrc', *out), 2, '--shift is "1,2,3"', 'two lengths x,y')
fails(tessera('transform', '--shift', '1,2', 'v.mrc', *out), 2, '--shift is "1,2"', 'three lengths x,y,z')
fails(tessera('transform', '--scale', 0, 'v.mrc', *out), 2, '--scale is 0; expected 1e-6 to 1e6')
fails(tessera('transform', '--matrix', '1,0,0', 'x.mrc', *out), 2, '--matrix', '3 numbers', '2 x 2, 2 x 3 or 3 x 3')
fails(tessera('transform', '--matrix', '1,0,0,1', 'v.mrc', *out), 2, '--matrix', '4 numbers', '3 x 3, 3 x 4 or 4 x 4')
fails(tessera('transform', '--matrix', '1,a', 'v.mrc', *out), 2, '--matrix is "1,a"', '.tsv')
fails(tessera('transform', '--matrix', '1,1,1,1', 'x.mrc', *out), 2, 'determinant 0', 'no inverse')
fails(tessera('transform', '--matrix', '1,0,nan,1', 'x.mrc', *out), 2, '--matrix has nan')
fails(tessera('transform', '--matrix', 'm.txt', 'x.mrc', *out), 2, '--matrix has 6 matrices', '1 images')
fails(tessera('transform', '--matrix', 'none.txt', 'x.mrc', *out), 3, 'none.txt')
fails(tessera('transform', '--xf', 't.xf', 'v.mrc', *out), 2, '--xf applies to images', '--as stack')
np.savetxt('five.xf', lines[:5], fmt='%.7f')
fails(tessera('transform', '--xf', 'five.xf', 's.mrcs', *out), 2, '--xf has 5 matrices', 'each of 6 images')
fails(tessera('transform', '--xf', 'none.xf', 's.mrcs', *out), 3, 'none.xf')
with open('bad.star', 'w') as file:
    file.write('\ndata_\n\nloop_\n_rlnImageName\n000001@s.mrcs\n')
fails(tessera('transform', '--star', 'bad.star', 's.mrcs', *out), 3, 'no table of bad.star has a column rlnAnglePsi')
fails(tessera('transform', '--star', 'p.star', 'v.mrc', *out), 3, 'rlnAngleRot')
write('u.mrcs', stack, 0, stack=True)
fails(tessera('transform', '--star', 'p.star', 'u.mrcs', *out), 2, 'rlnOrigin', '--apix')
fails(tessera('transform', '--shift', '1A,2A', 'u.mrcs', *out), 2, '--shift', '--apix')
write('nosize.mrc', volume, 0)
fails(tessera('transform', '--like', 'nosize.mrc', 'v.mrc', *out), 2, '--like, nosize.mrc, has no pixel size')
fails(tessera('transform', '--like', 'like.mrc', 'nosize.mrc', *out), 2, 'nosize.mrc: the pixel size is not known', '--apix')
check(tessera('transform', '--like', 'like.mrc', '--apix', 2, 'nosize.mrc', '-o', 'm.mrc').code == 0, '--apix helps')
fails(tessera('transform', '--like', 'x.mrc', 'v.mrc', *out), 2, '--like x.mrc is an image')
fails(tessera('transform', '--like', 'like.mrc', '--box', 9, 'v.mrc', *out), 2, '--box cannot be combined with it')
fails(tessera('transform', '--like', 'like.mrc', '--scale', 2, 'v.mrc', *out), 2, '--scale cannot be combined with it')
fails(tessera('transform', '--like', 'none.mrc', 'v.mrc', *out), 3, 'none.mrc')
fails(tessera('transform', '--rotate', 3, '--box', '8,8,8', 'x.mrc', *out), 2, '--box has z 8', 'images')
fails(tessera('transform', '--rotate', 3, '--center', '8,8,8', 'x.mrc', *out), 2, '--center is "8,8,8"', 'images')
fails(tessera('transform', '--rotate', 3, '--interp', 'magic', 'x.mrc', *out), 2, 'magic', 'lanczos8')
fails(tessera('transform', '--rotate', 3, '--fill', 'inf', 'x.mrc', *out), 2, '--fill is inf')
np.save('c.npy', np.ones((8, 8), 'c8'))
fails(tessera('transform', '--rotate', 3, 'c.npy', *out), 2, 'complex')
write('big.mrc', np.zeros((64, 80, 80), 'f4'), 1)
fails(tessera('transform', '--rotate', 3, '--mem', '2M', 'big.mrc', *out), 4, '--mem allows 2 MiB')
with mrcfile.new('skew.mrc', volume, overwrite=True) as file:
    file.voxel_size = 1
    file.header.cellb.alpha = 70
fails(tessera('transform', '--rotate', 3, 'skew.mrc', *out), 3, 'right angles')
check(not os.path.exists('n.mrc'), 'nothing was written')
finish()
