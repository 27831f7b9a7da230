"""tessera extract against slices of NumPy arrays: boxes, backgrounds, Fourier crops, lists; and bad input."""
import os

import mrcfile
import numpy as np

from command import check, fails, finish, tessera
from images import equal, random, read, run, write

names = ['a.mrc', 'b.mrc']
mics = [write(n, random.normal(10, 2, s).astype('f4'), 1.2) for n, s in zip(names, [(120, 150), (100, 160)])]


def star(name, rows, columns='rlnMicrographName rlnCoordinateX rlnCoordinateY rlnDefocusU', optics=''):
    with open(name, 'w') as file:
        file.write(optics + '\ndata_particles\n\nloop_\n' + ''.join(f'_{c} #{i + 1}\n' for i, c in enumerate(columns.split())))
        file.writelines(' '.join(str(v) for v in row) + '\n' for row in rows)


def table(name, block):
    """Rows of a block as dictionaries, by a reader of a few lines."""
    rows, labels, here = [], [], False
    for line in open(name):
        words = line.split()
        if line.startswith('data_'):
            here = line.strip() == 'data_' + block
        elif here and line.startswith('_'):
            labels.append(words[0][1:])
        elif here and words and words[0] != 'loop_' and not line.startswith('#'):
            rows.append(dict(zip(labels, words)))
    return rows


places = [(0, 40.4, 30.6), (1, 90.5, 50.2), (0, 100, 70), (1, 20, 77.7), (0, 3, 60), (1, 155, 50), (0, 16, 16), (0, 134, 104)]
star('c.star', [(names[m], x, y, 10000 + i) for i, (m, x, y) in enumerate(places)])


def cut(box, places=places):
    """Boxes micrograph by micrograph, and the places of those that are kept."""
    out, kept = [], []
    for m, x, y in sorted(places, key=lambda p: p[0]):
        top, left = int(np.rint(y)) - box // 2, int(np.rint(x)) - box // 2
        if top >= 0 and left >= 0 and top + box <= mics[m].shape[0] and left + box <= mics[m].shape[1]:
            out.append(mics[m][top:top + box, left:left + box])
            kept.append((m, x, y))
    return np.array(out), kept


for box in (32, 33, 8, 2):
    want, kept = cut(box)
    got = run('extract', '--box', box, 'c.star', out='p.mrcs')
    check(got is not None and got.dtype == want.dtype and np.array_equal(got.reshape(want.shape), want), f'boxes of {box}')
want, kept = cut(32)
result = tessera('extract', '--box', '38.4A', 'c.star', '-o', 'p.mrcs', '--star', 'p.star', '-f')
check(result.code == 0 and np.array_equal(read('p.mrcs'), want), 'a length in A', result)
check('2 of 8 particles are skipped' in result.err, 'dropped ones are counted', result)
with mrcfile.open('p.mrcs') as m:
    check(abs(m.voxel_size.x - 1.2) < 1e-6 and m.is_image_stack(), 'pixel size')
rows, optics = table('p.star', 'particles'), table('p.star', 'optics')
check([r['rlnImageName'] for r in rows] == [f'{i + 1:06d}@p.mrcs' for i in range(6)], 'names of images', rows)
check([(names.index(r['rlnMicrographName']), float(r['rlnCoordinateX']), float(r['rlnCoordinateY'])) for r in rows] == kept,
      'coordinates', rows)
check([int(r['rlnDefocusU']) for r in rows] == [10000 + places.index(k) for k in kept], 'other columns come along', rows)
check(len(optics) == 1 and float(optics[0]['rlnImagePixelSize']) - 1.2 < 1e-6 and optics[0]['rlnImageSize'] == '32'
      and optics[0]['rlnImageDimensionality'] == '2' and optics[0]['rlnOpticsGroup'] == '1', 'optics', optics)
check(tessera('diff', 'p.star', 'p.mrcs').code == 0, 'the list lists the stack')

# Types stay as they are; other numbers, slabs and threads make no difference (run).
whole = write('i.mrc', random.integers(-500, 500, (64, 64)).astype('i2'))
star('i.star', [('i.mrc', 32, 30, 0)])
got = run('extract', '--box', 20, 'i.star', out='i.mrcs')
check(got is not None and got.dtype == np.int16 and np.array_equal(got.reshape(20, 20), whole[20:40, 22:42]), 'integers stay')


# Backgrounds, ramps, dust and Fourier crops.
def outside(n, radius):
    y, x = np.mgrid[:n, :n] - n // 2
    return x * x + y * y > radius * radius


def level(a, where):
    y, x = np.mgrid[:a.shape[0], :a.shape[1]]
    terms = np.stack([np.ones(a.shape), x, y], -1)
    return a - terms @ np.linalg.lstsq(terms[where], a[where], rcond=None)[0]


def normal(a, radius, ramp=False, white=0, black=0):
    where = outside(len(a), radius)
    a = level(a.astype('f8'), where) if ramp else a.astype('f8')
    mean, sd = a[where].mean(), a[where].std()
    if white:
        a = np.where(a > mean + white * sd, mean, a)
    if black:
        a = np.where(a < mean - black * sd, mean, a)
    return (a - a[where].mean()) / a[where].std()


def crop(a, n):
    """Fourier crop of even sizes; the lowest frequency stands for both signs."""
    f = np.fft.fftshift(np.fft.fft2(a))
    c = len(a) // 2
    g = f[c - n // 2:c + n // 2 + 1, c - n // 2:c + n // 2 + 1].copy()
    g[0] = (g[0] + g[-1]) / 2
    g[:, 0] = (g[:, 0] + g[:, -1]) / 2
    return np.fft.ifft2(np.fft.ifftshift(g[:-1, :-1])).real * (n / len(a)) ** 2


each = lambda f: np.array([f(a) for a in want])
equal(run('extract', '--box', 32, '--bg-radius', 12, 'c.star', out='n.mrcs'), each(lambda a: normal(a, 12)), 'background', 2e-6)
equal(run('extract', '--box', 32, '--bg-radius', 12, '--ramp', '--invert', 'c.star', out='n.mrcs'),
      each(lambda a: -normal(a, 12, True)), 'ramp', 1e-5)
equal(run('extract', '--box', 32, '--bg-radius', 12, '--white-dust', 2, '--black-dust', 2.5, 'c.star', out='n.mrcs'),
      each(lambda a: normal(a, 12, white=2, black=2.5)), 'dust', 1e-5)
equal(run('extract', '--box', 32, '--rescale', 16, 'c.star', out='n.mrcs'), each(lambda a: crop(a, 16)), 'rescaled', 2e-6)
with mrcfile.open('n.mrcs') as m:
    check(abs(m.voxel_size.x - 2.4) < 1e-6, 'pixel size of rescaled boxes')
equal(run('extract', '--box', 32, '--rescale', 16, '--bg-radius', '15A', 'c.star', out='n.mrcs'),
      each(lambda a: normal(crop(a, 16), 6.25)), 'the radius is of the written box', 1e-5)

# Between pixels: waves are known everywhere.
y, x = np.mgrid[:96, :96]
wave = lambda y, x: np.sin(0.7 * x + 0.2) + np.cos(0.5 * y - 0.3 * x)
write('w.mrc', wave(y, x).astype('f4'))
star('w.star', [('w.mrc', 40.25, 50.75, 0), ('w.mrc', 30, 30, 0)])
y, x = np.mgrid[:24, :24] - 12
equal(run('extract', '--box', 24, '--subpixel', 'w.star', out='w.mrcs'),
      np.array([wave(y + 50.75, x + 40.25), wave(y + 30, x + 30)]), 'sub-pixel', 5e-3)

# .box files, stacks of micrographs, other folders, several lists.
open('a.box', 'w').write('10\t20\t32\t32\n60\t50\t32\t32\n')
got = run('extract', '--box', 32, 'a.box', out='b.mrcs')
check(got is not None and np.array_equal(got, [mics[0][20:52, 10:42], mics[0][50:82, 60:92]]), '.box')
os.makedirs('boxes')
os.rename('a.box', 'boxes/a.box')
fails(tessera('extract', '--box', 32, 'boxes/a.box', '-o', 'x.mrcs'), 3, 'boxes/a.mrc', '--micrograph')
got = run('extract', '--box', 16, '--micrograph', '{name}.mrc', 'boxes/a.box', 'c.star', out='b.mrcs')
check(got is not None and len(got) == 2 + len(cut(16)[0]) and np.array_equal(got[0], mics[0][28:44, 18:34]), 'several lists')
both = write('s.mrcs', random.normal(size=(2, 50, 60)).astype('f4'), 1.2, stack=True)
star('s.star', [('2@s.mrcs', 30, 25, 0), ('1@s.mrcs', 30, 25, 0)])
got = run('extract', '--box', 20, 's.star', out='x.mrcs')
check(got is not None and np.array_equal(got, both[::-1, 15:35, 20:40]), 'a stack of micrographs')
os.makedirs('far')
write('far/f.mrc', mics[0], 1.2)
star('far/f.star', [('f.mrc', 50, 50, 0)])
check(tessera('extract', '--box', 20, 'far/f.star', '-o', 'f.mrcs').code == 0, 'beside the list')

# Optics groups of the list.
group = '\ndata_optics\n\nloop_\n_rlnOpticsGroup\n_rlnOpticsGroupName\n_rlnVoltage\n7 krios 300\n8 talos 200\n'
star('o.star', [('a.mrc', 50, 50, 8), ('a.mrc', 60, 50, 7)], 'rlnMicrographName rlnCoordinateX rlnCoordinateY rlnOpticsGroup', group)
check(tessera('extract', '--box', 20, 'o.star', '-o', 'o.mrcs', '--star', 'o2.star').code == 0, 'with optics')
optics = table('o2.star', 'optics')
check([(o['rlnOpticsGroup'], o['rlnOpticsGroupName'], o['rlnVoltage']) for o in optics]
      == [('8', 'talos', '200'), ('7', 'krios', '300')], 'optics groups come along', optics)
check([r['rlnOpticsGroup'] for r in table('o2.star', 'particles')] == ['8', '7'], 'and their numbers')

# RELION's coordinate files, one for each micrograph, which name none: by the names of the files.
os.makedirs('picked', exist_ok=True)
for m, name in enumerate(names):
    star(f'picked/{name[:-4]}_autopick.star', [(x, y) for k, x, y in places if k == m], 'rlnCoordinateX rlnCoordinateY')
PICKED = ['picked/a_autopick.star', 'picked/b_autopick.star']
want, kept = cut(32)
for arguments in (['a.mrc', 'b.mrc', *PICKED], [*PICKED, 'b.mrc', 'a.mrc'], ['--micrograph', '{name}.mrc', 'a.star', 'b.star']):
    for name in 'ab':
        star(f'{name}.star', [(x, y) for k, x, y in places if names[k][0] == name], 'rlnCoordinateX rlnCoordinateY')
    got = run('extract', '--box', 32, *arguments, out='p.mrcs')
    check(got is not None and np.array_equal(got, want), f'a list for each micrograph: {arguments}')
result = tessera('extract', '--box', 32, 'a.mrc', 'b.mrc', *PICKED, '-o', 'p.mrcs', '--star', 'p.star', '-f')
rows = table('p.star', 'particles')
check([(names.index(r['rlnMicrographName']), float(r['rlnCoordinateX']), float(r['rlnCoordinateY'])) for r in rows] == kept,
      'the list names the micrographs', rows)
check(np.array_equal(run('extract', '--box', 32, 'a.star', 'b.star', out='p.mrcs'), want), 'beside the lists')
for name in names:
    write(f'picked/{name}', read(name), 1.2)
check(np.array_equal(run('extract', '--box', 32, *PICKED, out='p.mrcs'), want), 'beside lists of other names')
for name in names:
    os.remove(f'picked/{name}')
# The longest name wins; rows that name their micrograph find it among those that are given, in any folder.
os.makedirs('else', exist_ok=True)
write('else/a_1.mrc', mics[1], 1.2)
star('picked/a_1_autopick.star', [(90.5, 50.2)], 'rlnCoordinateX rlnCoordinateY')
got = run('extract', '--box', 32, 'a.mrc', 'else/a_1.mrc', 'picked/a_autopick.star', 'picked/a_1_autopick.star', out='p.mrcs')
check(got is not None and np.array_equal(got[-1], mics[1][34:66, 74:106]), 'a_1_autopick.star is of a_1.mrc, not of a.mrc')
star('far.star', [('Movies/a_1.mrc', 90.5, 50.2, 1)])
got = run('extract', '--box', 32, 'else/a_1.mrc', 'far.star', out='p.mrcs')
check(got is not None and np.array_equal(got.reshape(32, 32), mics[1][34:66, 74:106]), 'found among the given ones')
result = tessera('extract', '--box', 32, 'a.mrc', 'b.mrc', PICKED[0], '-o', 'p.mrcs', '-f')
check(result.code == 0 and 'warning: b.mrc: no coordinate file for this micrograph' in result.err, 'a micrograph without any', result)
for code, arguments, *says in (
        (2, ['b.mrc', *PICKED], 'picked/a_autopick.star: none of the 1 given micrographs', '--micrograph'),
        (2, ['a.mrc', 'c.star'], 'c.star', 'coordinates of b.mrc', 'not among the 1 given micrograph'),
        (2, ['a.mrc', '--micrograph', 'b.mrc', PICKED[0]], 'a.mrc', 'and by --micrograph'),
        (2, ['a.mrc', 'b.mrc'], 'a.mrc is not a coordinate file'),
        (3, PICKED[:1], 'picked/a_autopick.star', '_rlnMicrographName', 'picked/a_autopick.mrc does not exist', '--micrograph'),
        (3, ['gone.mrc', 'b.mrc', 'picked/b_autopick.star', 'gone.star'], 'gone')):
    fails(tessera('extract', '--box', 32, *arguments, '-o', 'x.mrcs', '-f'), code, *says)

# Bad input.
fails(tessera('extract', 'c.star', '-o', 'x.mrcs', '-f'), 2, '--box is required')
fails(tessera('extract', '--box', 1, 'c.star', '-o', 'x.mrcs', '-f'), 2, '--box is 1 pixels')
fails(tessera('extract', '--box', 20, 'a.mrc', '-o', 'x.mrcs', '-f'), 2, 'a.mrc is not a coordinate file')
fails(tessera('extract', '--box', 32, '--rescale', 15, 'c.star', '-o', 'x.mrcs', '-f'), 2, '--rescale is 15', 'even')
fails(tessera('extract', '--box', 32, '--bg-radius', 16, 'c.star', '-o', 'x.mrcs', '-f'), 2, '--bg-radius is 16')
fails(tessera('extract', '--box', 32, '--ramp', 'c.star', '-o', 'x.mrcs', '-f'), 2, '--ramp requires --bg-radius')
fails(tessera('extract', '--box', 32, '--white-dust', 3, 'c.star', '-o', 'x.mrcs', '-f'), 2, '--white-dust requires --bg-radius')
fails(tessera('extract', '--box', 32, '--bg-radius', 9, '--black-dust', -3, 'c.star', '-o', 'x.mrcs', '-f'), 2, '--black-dust is -3')
fails(tessera('extract', '--box', 500, 'c.star', '-o', 'x.mrcs', '-f'), 2, 'all 8 particles extend beyond')
star('x.star', [('a.mrc', 5)], 'rlnMicrographName rlnCoordinateX')
fails(tessera('extract', '--box', 20, 'x.star', '-o', 'x.mrcs', '-f'), 3, 'x.star', '_rlnCoordinateY')
star('x.star', [(5, 6)], 'rlnCoordinateX rlnCoordinateY')
fails(tessera('extract', '--box', 20, 'x.star', '-o', 'x.mrcs', '-f'), 3, 'x.star', '_rlnMicrographName')
star('x.star', [('a.mrc', 'nan', 6, 0)])
fails(tessera('extract', '--box', 20, 'x.star', '-o', 'x.mrcs', '-f'), 3, 'x.star', 'coordinates are nan')
star('x.star', [('gone.mrc', 5, 6, 0)])
fails(tessera('extract', '--box', 20, 'x.star', '-o', 'x.mrcs', '-f'), 3, 'gone.mrc')
star('x.star', [('s.mrcs', 25, 26, 0)])
fails(tessera('extract', '--box', 20, 'x.star', '-o', 'x.mrcs', '-f'), 2, 's.mrcs has 2 images')
star('x.star', [])
fails(tessera('extract', '--box', 20, 'x.star', '-o', 'x.mrcs', '-f'), 2, 'no particles')
open('x.box', 'w').write('1 2\n3 4\n')
fails(tessera('extract', '--box', 20, '--micrograph', 'a.mrc', 'x.box', '-o', 'x.mrcs', '-f'), 3, 'x.box', 'width and height')
write('other.mrc', mics[0], 2.5)
star('x.star', [('a.mrc', 50, 50, 0), ('other.mrc', 50, 50, 0)])
fails(tessera('extract', '--box', 20, 'x.star', '-o', 'x.mrcs', '-f'), 2, 'other.mrc', '2.5 A', '1.2 A', '--apix')
check(tessera('extract', '--box', 20, '--apix', 1.2, 'x.star', '-o', 'x.mrcs', '-f').code == 0, '--apix')
write('none.mrc', mics[0], 0)
star('x.star', [('none.mrc', 50, 50, 0)])
fails(tessera('extract', '--box', 20, 'x.star', '-o', 'x.mrcs', '-f', '--star', 'y.star'), 2, 'none.mrc', '--apix')
fails(tessera('extract', '--box', '20A', 'x.star', '-o', 'x.mrcs', '-f'), 2, '--apix')
check(tessera('extract', '--box', 20, 'x.star', '-o', 'x.mrcs', '-f').code == 0, 'without a list no pixel size is needed')
fails(tessera('extract', '--box', 20, 'c.star', '-o', 'p.mrcs'), 2, 'p.mrcs', '-f')
fails(tessera('extract', '--box', 20, 'c.star', '-o', 'fresh.mrcs', '--star', 'p.star'), 2, 'p.star', '-f')
result = tessera('extract', '--box', 20, 'c.star', '-o', 'fresh.mrcs', '--dry-run')
check(result.code == 0 and 'fresh.mrcs' in result.out and not os.path.exists('fresh.mrcs'), '--dry-run', result)
check(not [n for n in os.listdir('.') if 'fresh' in n or '.tmp' in n], 'nothing is left behind')
finish()
