"""tessera pick on simulated micrographs with known particles: recall, precision and places; lists, pictures, bad input."""
import os
import sys

import numpy as np
from scipy import ndimage

from command import check, fails, finish, tessera
from images import random, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'support'))
import png

SIZE, APIX, DIAMETER = 512, 3.0, 40
y, x = np.mgrid[:64, :64] - 32.0


def ball(y, x):
    return np.sqrt(np.maximum(0, 1 - (x * x + y * y) / (DIAMETER / 2) ** 2))


def shape(y, x):
    """An L of three balls: no symmetry."""
    return sum(a * np.exp(-((x - u) ** 2 + (y - v) ** 2) / (2 * s * s)) for a, u, v, s in
               ((1, -8, -8, 5), (1, -8, 9, 5), (1.6, 9, -9, 4)))


def turned(f, angle, dy=0.0, dx=0.0):
    """f turned by an angle, from +x to +y, and moved."""
    c, s = np.cos(angle), np.sin(angle)
    return f(-s * (x - dx) + c * (y - dy), c * (x - dx) + s * (y - dy))


def micrograph(f, n, noise, least=55):
    """A dark particle at each of n places that are `least` pixels apart, on noise and a gradient."""
    a, truth = np.zeros((SIZE, SIZE + 60)), []
    while len(truth) < n:
        at = random.uniform(36, [SIZE - 36, SIZE + 60 - 36])
        if all(np.hypot(*(at - t[:2])) > least for t in truth):
            angle = random.uniform(0, 2 * np.pi)
            i, j = np.rint(at).astype(int)
            a[i - 32:i + 32, j - 32:j + 32] -= turned(f, angle, *(at - (i, j)))
            truth.append((*at, angle))
    a += noise * random.normal(size=a.shape) + 0.004 * np.mgrid[:a.shape[0], :a.shape[1]][1] + 20
    return a.astype('f4'), np.array(truth)


def rows_of(name):
    labels, rows = [], []
    for line in open(name):
        words = line.split()
        if line.startswith('_'):
            labels.append(words[0][1:])
        elif words and line[0] not in '#_' and not line.startswith(('data_', 'loop_')):
            rows.append(dict(zip(labels, words)))
    return rows


def compare(rows, truth, near):
    """Recall, precision and the rms distance of what is found; pairs of rows and truths."""
    pairs = []
    for r in rows:
        far = np.hypot(truth[:, 1] - float(r['rlnCoordinateX']), truth[:, 0] - float(r['rlnCoordinateY']))
        if far.min() < near:
            pairs.append((r, far.argmin(), far.min()))
    found = len({p[1] for p in pairs})
    return found / len(truth), len(pairs) / max(len(rows), 1), np.sqrt(np.mean([p[2] ** 2 for p in pairs] or [99])), pairs


def good(what, name, truth, recall, precision, rms, near=10):
    got = compare(rows_of(name), truth, near)
    check(got[0] >= recall and got[1] >= precision and got[2] <= rms,
          f'{what}: recall {got[0]:.3f}, precision {got[1]:.3f}, rms {got[2]:.2f} px')
    return got[3]


# Blobs: 30 balls, noise as large as their contrast.
data, truth = micrograph(ball, 30, 1.0)
write('m.mrc', data, APIX)
texts = set()
for way in (('-j', 1), ('-j', 2), ('--mem', '64M')):
    result = tessera('pick', '--diameter', '120A', 'm.mrc', '-o', 'm.star', '-f', *way)
    if check(result.code == 0, 'it runs', result):
        texts.add(open('m.star').read())
check(len(texts) == 1, 'the same for any number of threads, and any memory')
good('blob', 'm.star', truth, 0.96, 0.96, 2.0)
check(all(r['rlnMicrographName'] == 'm.mrc' for r in rows_of('m.star')), 'name of the micrograph')
scores = [float(r['rlnAutopickFigureOfMerit']) for r in rows_of('m.star')]
check((np.diff(scores) < 0.1).all() and min(scores) >= 3, 'the best first, above the threshold', scores)
for options, what in ((('--blob', 'dog'), 'dog'), (('--bin', 1), 'without binning'), (('--bin', 2.7), 'other pixels')):
    check(tessera('pick', '--diameter', 40, 'm.mrc', '-o', 'o.star', '-f', *options).code == 0, what)
    good(what, 'o.star', truth, 0.96, 0.96, 2.0)
write('bright.mrc', -data, APIX)
check(tessera('pick', '--diameter', 40, '--bright', 'bright.mrc', '-o', 'o.star', '-f').code == 0, 'bright')
good('bright', 'o.star', truth, 0.96, 0.96, 2.0)

# Templates, turned in steps of 5 degrees; noise 1.5 times the contrast, pixels of another size.
data, truth = micrograph(shape, 30, 1.5)
write('t.mrc', data, APIX)
y, x = (np.mgrid[:96, :96] - 48) / 1.5
write('templates.mrcs', np.array([ball(y, x), shape(y, x)]).astype('f4'), APIX / 1.5, stack=True)
y, x = np.mgrid[:64, :64] - 32.0
write('one.mrc', shape(y, x).astype('f4'), APIX)
result = tessera('pick', '--templates', 'one.mrc', '--bin', 1.5, '--threshold', 3, '--diameter', 50, 't.mrc', '-o', 't.star')
check(result.code == 0, 'templates', result)
pairs = good('template', 't.star', truth, 0.96, 0.96, 1.5)
wrong = [abs((np.rad2deg(truth[i, 2]) + float(r['rlnAnglePsi']) + 180) % 360 - 180) for r, i, _ in pairs]
check(np.median(wrong) <= 5 and np.mean(np.array(wrong) < 15) > 0.9, 'their angles: psi turns them back', wrong)
result = tessera('pick', '--templates', 'templates.mrcs', '--threshold', 3, '--bin', 1.5, '--diameter', 50, 't.mrc', '-o', 'two.star')
check(result.code == 0, 'two templates of another pixel size', result)
pairs = good('two templates', 'two.star', truth, 0.96, 0.9, 1.5)
check(np.mean([r['rlnClassNumber'] == '2' for r, _, _ in pairs]) > 0.9, 'which template')

# Distances, edges, the best, .box files, pictures, several micrographs, stacks and lists.
rows = rows_of('t.star')
check(tessera('pick', '--diameter', 40, '--max', 5, '--edge', 100, '--distance', 90, 'm.mrc', '-o', 'o.star', '-f').code == 0, 'few')
few = [(float(r['rlnCoordinateX']), float(r['rlnCoordinateY'])) for r in rows_of('o.star')]
check(len(few) == 5 and all(100 <= px <= SIZE + 60 - 100 and 100 <= py <= SIZE - 100 for px, py in few), 'inside', few)
check(all(np.hypot(a[0] - b[0], a[1] - b[1]) > 88 for i, a in enumerate(few) for b in few[:i]), 'apart', few)
result = tessera('pick', '--diameter', 40, 'm.mrc', 't.mrc', '-o', '{name}.box', '--picture', '{name}.png')
check(result.code == 0, 'several', result)
boxes, rows = np.loadtxt('m.box'), rows_of('m.star')
check(boxes.shape == (len(rows), 4) and (boxes[:, 2:] == 50).all() and
      all(abs(b[0] + 25 - float(r['rlnCoordinateX'])) <= 0.5 for b, r in zip(boxes, rows)), '.box', boxes)
picture = png.read('m.png').astype(int)
green = (picture[:, :, 1] > picture[:, :, 0] + 60) & (picture[:, :, 1] > picture[:, :, 2] + 60)
check(picture.shape[:2] == (SIZE, SIZE + 60), 'size of the picture')
grey = np.where(green, np.nan, picture[:, :, 1])
check(np.nanstd(np.diff(grey, axis=1)) < 0.5 * np.nanstd(grey), 'without detail that was not searched')
for r in rows[:5]:
    angles = np.linspace(0, 2 * np.pi, 16)
    px = float(r['rlnCoordinateX']) + 20 * np.cos(angles)
    py = SIZE - 1 - (float(r['rlnCoordinateY']) + 20 * np.sin(angles))
    check(np.mean([green[int(v) - 2:int(v) + 3, int(u) - 2:int(u) + 3].any() for u, v in zip(px, py)]) == 1, 'circles')
write('s.mrcs', np.stack([data, data[::-1]]), APIX, stack=True)
check(tessera('pick', '--diameter', 40, 's.mrcs', '-o', 's.star').code == 0, 'a stack')
names = {r['rlnMicrographName'] for r in rows_of('s.star')}
check(names == {'000001@s.mrcs', '000002@s.mrcs'}, 'names in a stack', names)
check(tessera('extract', '--box', 40, 's.star', '-o', 's_p.mrcs').code == 0, 'extract takes the list')
open('list.star', 'w').write('data_\n\nloop_\n_rlnMicrographName\nm.mrc\nt.mrc\n')
check(tessera('pick', '--diameter', 40, 'list.star', '-o', 'l.star').code == 0 and
      {r['rlnMicrographName'] for r in rows_of('l.star')} == {'m.mrc', 't.mrc'}, 'a list of micrographs')

# Nothing to find.
write('flat.mrc', np.full((200, 200), 3, 'f4'), APIX)
check(tessera('pick', '--diameter', 40, 'flat.mrc', '-o', 'flat.star').code == 0 and rows_of('flat.star') == [], 'nothing there')
check(tessera('pick', '--diameter', 40, 'flat.mrc', '-o', 'flat.box').code == 0 and open('flat.box').read() == '', 'an empty .box')

# Bad input.
bad = data.copy()
bad[5, 6] = np.nan
write('nan.mrc', bad, APIX)
fails(tessera('pick', '--diameter', 40, 'nan.mrc', '-o', 'y.star'), 2, 'nan.mrc has 1 NaN')
write('none.mrc', data, 0)
fails(tessera('pick', '--diameter', 40, 'none.mrc', '-o', 'y.star'), 2, 'none.mrc', '--apix', '--bin')
fails(tessera('pick', '--diameter', '40A', '--bin', 2, 'none.mrc', '-o', 'y.star'), 2, '--apix')
fails(tessera('pick', '--templates', 'one.mrc', '--bin', 2, 'none.mrc', '-o', 'y.star'), 2, '--apix')
write('no_size.mrc', shape(y, x).astype('f4'), 0)
fails(tessera('pick', '--templates', 'no_size.mrc', 'm.mrc', '-o', 'y.star'), 2, 'no_size.mrc', '--template-pixel-size')
write('oblong.mrc', data[:40, :60], APIX)
fails(tessera('pick', '--templates', 'oblong.mrc', 'm.mrc', '-o', 'y.star'), 2, 'oblong.mrc has images of 60 x 40')
fails(tessera('pick', 'm.mrc', '-o', 'y.star'), 2, '--diameter or --templates')
fails(tessera('pick', '--diameter', -3, 'm.mrc', '-o', 'y.star'), 2, '--diameter is -3')
fails(tessera('pick', '--diameter', 900, 'm.mrc', '-o', 'y.star'), 2, 'larger than m.mrc')
fails(tessera('pick', '--diameter', 40, '--bin', 0.5, 'm.mrc', '-o', 'y.star'), 2, '--bin is 0.5')
fails(tessera('pick', '--diameter', 40, '--distance', -1, 'm.mrc', '-o', 'y.star'), 2, '--distance is -1')
fails(tessera('pick', '--diameter', 40, '--max', 0, 'm.mrc', '-o', 'y.star'), 2, '--max is 0')
fails(tessera('pick', '--diameter', 40, '--box', 0, 'm.mrc', '-o', 'y.star'), 2, '--box is 0')
fails(tessera('pick', '--templates', 'one.mrc', '--step', 0, 'm.mrc', '-o', 'y.star'), 2, '--step is 0')
fails(tessera('pick', '--diameter', 40, 'm.mrc', '-o', 'y.mrc'), 2, 'y.mrc', '.star or .box')
fails(tessera('pick', '--diameter', 40, 's.mrcs', '-o', 'y.box'), 2, 's.mrcs has 2 images')
fails(tessera('pick', '--diameter', 40, 'm.mrc', '-o', 'm.star'), 2, 'm.star', '-f')
fails(tessera('pick', '--diameter', 40, 'm.mrc', '-o', 'y.star', '--picture', 'm.png'), 2, 'm.png', '-f')
check(not os.path.exists('y.star'), 'nothing is left behind')
finish()
