"""tessera peaks against a plain search with NumPy and SciPy."""
import json

import numpy as np
from scipy import ndimage

from command import check, fails, finish, tessera
from images import random, write


def smooth(shape, sd=1.5):
    return ndimage.gaussian_filter(random.normal(size=shape), sd).astype('f4')


def search(a, threshold, distance=0, edge=0, fit=True):
    """Rows (x, y[, z], value), the highest first, by footprints and a list that grows."""
    a = a.astype('f8')
    is_top = (ndimage.maximum_filter(a, 3, mode='constant', cval=-np.inf) == a) & (a >= threshold)
    inner = np.zeros(a.shape, bool)
    inner[tuple(slice(edge, n - edge) for n in a.shape)] = True
    kept = []
    for at in sorted(np.argwhere(is_top & inner), key=lambda p: -a[tuple(p)]):
        if all(np.hypot.reduce((at - k).astype('f8')) >= distance for k in kept):
            kept.append(at)
    rows = []
    for at in kept:
        place, value = at.astype('f8'), a[tuple(at)]
        for k in range(a.ndim if fit else 0):
            low, high = at.copy(), at.copy()
            low[k], high[k] = low[k] - 1, high[k] + 1
            if low[k] < 0 or high[k] >= a.shape[k]:
                continue
            y, z = a[tuple(low)], a[tuple(high)]
            o = np.clip((y - z) / (2 * (y + z - 2 * a[tuple(at)])), -0.5, 0.5)
            place[k] += o
            value += o * (z - y) / 2 + o * o * ((y + z) / 2 - a[tuple(at)])
        rows.append([*place[::-1], value])
    return np.array(rows)


def rows_of(*arguments):
    result = tessera('peaks', '--json', *arguments)
    if not check(result.code == 0, 'it runs', result):
        return []
    return json.loads(result.out)


def same(rows, want, what):
    got = np.array([[r[k] for k in ('x', 'y', 'z', 'value') if k in r] for r in rows])
    check(got.shape == want.shape and len(want) > 0 and np.abs(got - want).max() < 1e-5, what, f'{got}\n{want}')


image = write('i.mrc', smooth((90, 110)), 2)
volume = write('v.mrc', smooth((30, 36, 40)), 2)
stack = write('s.mrcs', smooth((4, 50, 60), (0, 1.5, 1.5)), 2, stack=True)
for name, a in (('i.mrc', image), ('v.mrc', volume)):
    limit = a.mean(dtype='f8') + 2 * a.std(dtype='f8')
    for distance, edge in ((0, 0), (7.5, 4)):
        for way in (('-j', 1), ('-j', 2), ('--mem', '64M')):
            same(rows_of(name, '--sigma', 2, '--distance', distance, '--edge', edge, *way), search(a, limit, distance, edge),
                 f'{name} {distance} {edge}')
    same(rows_of(name, '--threshold', 0.1, '--at-pixels', '--distance', '15A'), search(a, 0.1, 7.5, fit=False), 'at pixels')
    same(rows_of(name, '--threshold', 0.1, '--max', 3), search(a, 0.1)[:3], 'the highest three')
rows = rows_of('s.mrcs', '--sigma', 2)
for i in range(4):
    a = stack[i]
    same([r for r in rows if r['image'] == i], search(a, a.mean(dtype='f8') + 2 * a.std(dtype='f8')), f'image {i}')

# Lists that tessera extract reads.
rows = rows_of('s.mrcs', '--sigma', 2, '--edge', 8, '--at-pixels', '--star', 'p.star')
check(tessera('extract', '--box', 16, 'p.star', '-o', 'p.npy').code == 0, 'extract reads the list')
boxes = np.load('p.npy').reshape(-1, 16, 16)
check(len(boxes) == len(rows) and all(abs(b[8, 8] - r['value']) < 1e-6 for b, r in zip(boxes, rows)), 'boxes around peaks')
several = rows_of('i.mrc', 's.mrcs', '--sigma', 3)
check({r['file'] for r in several} == {'i.mrc', 's.mrcs'}, 'several files')

# NaN and bad input.
odd = image.copy()
odd[40, 50] = np.nan
write('nan.mrc', odd, 2)
good = np.delete(image.ravel().astype('f8'), 40 * 110 + 50)
check(all(abs(r['value']) < 10 for r in rows_of('nan.mrc', '--sigma', 2)) and
      all(r['value'] >= good.mean() + 2 * good.std() - 1e-6 for r in rows_of('nan.mrc', '--sigma', 2)), 'NaNs are left out')
odd[1, 1] = np.inf
write('inf.mrc', odd, 2)
fails(tessera('peaks', 'inf.mrc'), 2, 'inf.mrc has 1 infinite', '--threshold')
np.save('c.npy', np.ones((4, 4), 'c8'))
fails(tessera('peaks', 'c.npy'), 2, 'c.npy has complex numbers')
fails(tessera('peaks', 'i.mrc', '--sigma', 2, '--threshold', 1), 2, 'give only one')
fails(tessera('peaks', 'i.mrc', '--distance', -1), 2, '--distance is -1')
fails(tessera('peaks', 'i.mrc', '--edge', -1), 2, '--edge is -1')
fails(tessera('peaks', 'i.mrc', '--max', 0), 2, '--max is 0')
fails(tessera('peaks', 'i.mrc', '--star', 'p.star'), 2, 'p.star', '-f')
write('none.mrc', image, 0)
fails(tessera('peaks', 'none.mrc', '--distance', '20A'), 2, '--apix')
fails(tessera('peaks', 'gone.mrc'), 3, 'gone.mrc')
finish()
