"""tessera align2d on simulated images of one class, with known rotations and shifts."""
import os

import numpy as np
from scipy import ndimage

from command import check, fails, finish, tessera
from images import data_bytes, random, read, write

N, APIX = 48, 2.5
y, x = np.mgrid[:N, :N] - N // 2.0


def shape(y, x):
    return sum(a * np.exp(-((x - u) ** 2 + (y - v) ** 2) / (2 * s * s)) for a, u, v, s in
               ((1, -6, -6, 3.5), (1, -6, 7, 3.5), (1.6, 7, -7, 3)))


def view(angle, dx, dy):
    """Turned by an angle, +x towards +y, and then moved."""
    c, s = np.cos(angle), np.sin(angle)
    return shape(-s * (x - dx) + c * (y - dy), c * (x - dx) + s * (y - dy))


def rows_of(name):
    labels, rows, here = [], [], False
    for line in open(name):
        words = line.split()
        if line.startswith('data_'):
            here, labels = line.startswith('data_particles'), []
        elif here and line.startswith('_'):
            labels.append(words[0][1:])
        elif here and words and words[0] != 'loop_' and line[0] != '#':
            rows.append(dict(zip(labels, words)))
    return rows


def spread(truth, rows):
    """Root mean square of how far the angles are from the truth, all together turned as suits them best, in degrees."""
    both = np.exp(1j * (truth[:, 0] + np.deg2rad([float(r['rlnAnglePsi']) for r in rows])))
    off = np.angle(both / both.mean())
    return np.rad2deg(np.sqrt((off ** 2).mean()))


def correlation(a, b):
    a, b = a - a.mean(), b - b.mean()
    return (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())


truth = np.stack([random.uniform(0, 2 * np.pi, 60), random.uniform(-3, 3, 60), random.uniform(-3, 3, 60)], 1)
clean = np.array([view(*t) for t in truth])
data = write('s.mrcs', (clean + 0.5 * random.normal(size=clean.shape) + 4).astype('f4'), APIX, stack=True)

# Without a reference: threads and memory make no difference.
made = set()
for way in (('-j', 1), ('-j', 2), ('-j', 2, '--mem', '64M')):
    result = tessera('align2d', 's.mrcs', '-o', 'a.mrc', '--aligned', 'al.mrcs', '--star', 'a.star', '-f', *way)
    if check(result.code == 0, 'it runs', result):
        made.add((data_bytes('a.mrc'), data_bytes('al.mrcs'), open('a.star').read()))
check(len(made) == 1, 'the same bytes in every way')
rows, average, aligned = rows_of('a.star'), read('a.mrc'), read('al.mrcs')
error = spread(truth, rows)
check(error < 3, f'angles are within {error:.2f} degrees of the truth')
check(np.abs(aligned.mean(0) - average).max() < 1e-5, 'the average is that of the aligned images')
best = max(correlation(average, view(t, u, v)) for t in np.deg2rad(np.arange(0, 360, 3)) for u in range(-3, 4) for v in range(-3, 4))
check(best > 0.95, f'the average correlates with the truth by {best:.3f}')
check([r['rlnImageName'] for r in rows[:2]] == ['000001@s.mrcs', '000002@s.mrcs'], 'names', rows[:2])
check(all(0 < float(r['rlnParticleFigureOfMerit']) <= 1 for r in rows), 'scores')

# Angles and shifts mean what the manual says: move, then turn, by other software.
for i in (0, 7, 31):
    angle, dx, dy = (float(rows[i][k]) for k in ('rlnAnglePsi', 'rlnOriginXAngst', 'rlnOriginYAngst'))
    c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    m = np.array([[c, -s], [s, c]])  # (y, x) of the result to those of the image
    offset = np.array([N // 2, N // 2]) - m @ [N // 2, N // 2] - np.array([dy, dx]) / APIX
    want = ndimage.affine_transform(data[i].astype('f8'), m, offset, order=3, mode='reflect')
    check(np.abs(want - aligned[i]).max() < 1e-3, f'image {i} by SciPy', np.abs(want - aligned[i]).max())

# With a reference: angles and shifts themselves.
write('r.mrc', shape(y, x).astype('f4'), APIX)
result = tessera('align2d', '--reference', 'r.mrc', '--iterations', 1, '--step', 4, 's.mrcs', '-o', 'b.mrc', '--star', 'b.star')
check(result.code == 0, 'with a reference', result)
rows = rows_of('b.star')
off = [(np.rad2deg(t[0]) + float(r['rlnAnglePsi']) + 180) % 360 - 180 for t, r in zip(truth, rows)]
shifts = [(float(r['rlnOriginXAngst']) / APIX + t[1], float(r['rlnOriginYAngst']) / APIX + t[2]) for t, r in zip(truth, rows)]
check(np.sqrt(np.mean(np.square(off))) < 3 and abs(np.mean(off)) < 1, 'angles', off)
check(np.sqrt(np.mean(np.square(shifts))) < 0.3, f'shifts: rms {np.sqrt(np.mean(np.square(shifts))):.3f} px')

# A list: its rows come along; several inputs.
open('p.star', 'w').write('data_optics\n\nloop_\n_rlnOpticsGroup\n_rlnImagePixelSize\n1 2.5\n\ndata_particles\n\nloop_\n'
                          '_rlnImageName\n_rlnOpticsGroup\n_rlnDefocusU\n' +
                          ''.join(f'{i:06d}@s.mrcs 1 {10000 + i}\n' for i in (3, 9, 20, 41)))
result = tessera('align2d', '--step', 10, 'p.star', '-o', 'c.mrc', '--star', 'c.star')
check(result.code == 0 and [r['rlnDefocusU'] for r in rows_of('c.star')] == ['10003', '10009', '10020', '10041'], 'a list', result)
check('data_optics' in open('c.star').read(), 'optics groups come along')
result = tessera('align2d', '--step', 30, '--iterations', 1, 's.mrcs', 'p.star', '-o', 'each_{name}.mrc')
check(result.code == 0 and os.path.exists('each_s.mrc') and os.path.exists('each_p.mrc'), 'several', result)
write('one.mrc', data[0], APIX)
check(tessera('align2d', 'one.mrc', '-o', 'o.mrc').code == 0 and np.abs(read('o.mrc') - data[0]).max() < 0.05, 'one image stays')

# Bad input.
write('oblong.mrcs', data[:, :30], APIX, stack=True)
fails(tessera('align2d', 'oblong.mrcs', '-o', 'x.mrc'), 2, 'oblong.mrcs has images of 48 x 30')
fails(tessera('align2d', '--reference', 'oblong.mrcs', 's.mrcs', '-o', 'x.mrc'), 2, '--reference oblong.mrcs', '48 x 48')
fails(tessera('align2d', '--step', 0, 's.mrcs', '-o', 'x.mrc'), 2, '--step is 0')
fails(tessera('align2d', '--max-shift', 30, 's.mrcs', '-o', 'x.mrc'), 2, '--max-shift is 30')
fails(tessera('align2d', '--mask-radius', 0, 's.mrcs', '-o', 'x.mrc'), 2, '--mask-radius is 0')
fails(tessera('align2d', '--iterations', 0, 's.mrcs', '-o', 'x.mrc'), 2, '--iterations is 0')
bad = data.copy()
bad[3, 5, 5] = np.nan
write('nan.mrcs', bad, APIX, stack=True)
fails(tessera('align2d', 'nan.mrcs', '-o', 'x.mrc'), 2, 'image 3 of nan.mrcs has 1 NaN')
write('none.mrcs', data, 0, stack=True)
fails(tessera('align2d', 'none.mrcs', '-o', 'x.mrc', '--star', 'x.star'), 2, 'none.mrcs', '--apix')
fails(tessera('align2d', '--max-shift', '10A', 'none.mrcs', '-o', 'x.mrc'), 2, '--apix')
np.save('c.npy', np.ones((2, 1, 32, 32), 'c8'))
fails(tessera('align2d', 'c.npy', '-o', 'x.mrc'), 2, 'c.npy')
fails(tessera('align2d', 's.mrcs', '-o', 'a.mrc'), 2, 'a.mrc', '-f')
fails(tessera('align2d', 's.mrcs', '-o', 'x.mrc', '--aligned', 'al.mrcs'), 2, 'al.mrcs', '-f')
fails(tessera('align2d', 's.mrcs', '-o', 'x.mrc', '--star', 'a.star'), 2, 'a.star', '-f')
open('mixed.star', 'w').write('data_\n\nloop_\n_rlnImageName\n1@s.mrcs\n1@oblong.mrcs\n')
fails(tessera('align2d', 'mixed.star', '-o', 'x.mrc'), 2, 'oblong.mrcs')
check(not os.path.exists('x.mrc'), 'nothing is left behind')
finish()
