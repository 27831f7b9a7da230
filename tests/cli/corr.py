"""tessera corr against NumPy."""
import numpy as np

from command import check, fails, finish, left, tessera
from images import WAYS, close, equal, random, read, run, write


def product(a, b, mode):
    p = np.fft.fftn(a) * np.conj(np.fft.fftn(b))
    size = np.maximum(np.abs(p), 1e-30)
    return {'cc': p, 'phase': p / size, 'mutual': p / np.sqrt(size), 'double-phase': p * p / size}[mode]


def correlation(a, b, mode, pad=False):
    """The map with lag 0 in the middle: the sum of a[x + s] b[x]."""
    a, b = a.astype('f8') - a.mean(dtype='f8'), b.astype('f8') - b.mean(dtype='f8')
    shape = a.shape
    if pad:
        a, b = (np.pad(x, [(0, n) for n in shape]) for x in (a, b))
    m = np.fft.fftshift(np.fft.ifftn(product(a, b, mode)).real)
    if pad:
        m = m[tuple(slice(n - n // 2, n - n // 2 + n) for n in shape)]
    return m


def peak(m):
    """Lags x, y(, z) and height by parabolas along each axis."""
    at = np.unravel_index(np.argmax(m), m.shape)
    lags, height = [], m[at]
    for axis in reversed(range(m.ndim)):
        line = np.take(m, [(at[axis] + i) % m.shape[axis] for i in (-1, 0, 1)], axis)
        line = line[tuple(slice(None) if k == axis else at[k] for k in range(m.ndim))]
        curve, slope = (line[2] + line[0]) / 2 - line[1], (line[2] - line[0]) / 2
        offset = -slope / (2 * curve)
        lags.append(at[axis] - m.shape[axis] // 2 + offset)
        height += slope * offset + curve * offset ** 2
    return lags, height


def rows(*arguments):
    first = None
    for slab, *way in WAYS:
        result = tessera('corr', *arguments, *way, '--tsv', environment={'TESS_SLAB': slab})
        if not check(result.code == 0, 'it runs', result):
            return np.zeros((0, 0))
        first = first or result.out
        check(result.out == first, f'the same with {slab} {way}', result)
    return np.array([[float(v) for v in line.split('\t')] for line in first.splitlines()[1:]])


def smooth(shape):
    f = np.sqrt(sum(g * g for g in np.meshgrid(*[np.fft.fftfreq(n) for n in shape], indexing='ij')))
    return np.fft.ifftn(np.fft.fftn(random.normal(size=shape)) * np.exp(-8 * f * f)).real


image = smooth((40, 51)).astype('f4') + 3
moved = np.roll(image, (-5, 3), (0, 1)) + random.normal(0, 0.01, image.shape).astype('f4')
write('x.mrc', image)
write('y.mrc', moved.astype('f4'))
stack = np.stack([np.roll(image, s, (0, 1)) for s in ((1, 2), (-3, 4), (0, 0), (10, -11))])
write('s.mrcs', stack, stack=True)
volume = smooth((20, 24, 18)).astype('f4')
write('v.mrc', volume)
write('u.mrc', np.roll(volume, (2, -3, 4), (0, 1, 2)))
for mode in ('cc', 'phase', 'mutual', 'double-phase'):
    for pad in (False, True) if mode == 'cc' else (False,):
        options = ['--method', mode] + ['--pad'] * pad
        want = correlation(image, moved, mode, pad)
        equal(run('corr', 'x.mrc', 'y.mrc', *options), want.astype('f4'), f'map of {options}', 1e-3)
        got = rows('x.mrc', 'y.mrc', *options)
        lags, height = peak(want)
        factor = 0.5 if mode == 'double-phase' else 1
        close(got[0][1:3], np.array(lags) * factor, f'peak of {options}', 0.02)
        close(got[0][3], height, f'height of {options}', 0.01)
got = rows('x.mrc', 'y.mrc')
check(np.allclose(got[0][1:3], (-3, 5), atol=0.1), f'the shift that moves y onto x: {got}')
got = rows('s.mrcs', 'x.mrc')
check(np.allclose(got[:, 1:3], [(2, 1), (4, -3), (0, 0), (-11, 10)], atol=0.05), f'shifts of a stack: {got}')
got = rows('s.mrcs', 's.mrcs', '--slices', '1,3')
check(got.shape == (2, 4) and np.allclose(got[:, 1:3], 0, atol=0.01), f'two stacks: {got}')
got = rows('u.mrc', 'v.mrc')
check(np.allclose(got[0][1:4], (4, -3, 2), atol=0.05), f'volumes: {got}')
got = rows('s.mrcs', 'x.mrc', '--max-shift', '5')
check(np.all(np.hypot(got[:, 1], got[:, 2]) < 6), f'within --max-shift: {got}')
got = rows('x.mrc', 'y.mrc', '--fit', 'none')
check(tuple(got[0][1:3]) == (-3, 5), f'at a pixel: {got}')
got = rows('x.mrc', 'y.mrc', '--max-shift', '7.5A')
check(np.hypot(*got[0][1:3]) < 6, f'lengths: {got}')

write('small.mrc', image[:30])
nan = image.copy()
nan[3, 4] = np.nan
write('nan.mrc', nan)
write('three.mrcs', stack[:3], stack=True)
fails(tessera('corr', 'x.mrc', 'small.mrc'), 2, 'corr: x.mrc is 51 x 40 x 1 and small.mrc is 51 x 30 x 1')
fails(tessera('corr', 's.mrcs', 'three.mrcs'), 2, 'corr: s.mrcs has 4 images and three.mrcs 3')
fails(tessera('corr', 'x.mrc', 'nan.mrc'), 2, 'has no peak', 'NaN')
fails(tessera('corr', 'x.mrc'), 2, 'corr')
fails(tessera('corr', 'x.mrc', 'y.mrc', '--max-shift', '-3'), 2, '--max-shift is -3')
fails(tessera('corr', 'x.mrc', 'y.mrc', '--max-shift', '3A', '--apix', '0'), 2, '--apix')
fails(tessera('corr', 'x.mrc', 'missing.mrc'), 3, 'missing.mrc')
before = left()
fails(tessera('corr', 'x.mrc', 'nan.mrc', '-o', 'none.mrc'), 2, 'has no peak')
check(left() == before, 'nothing is left behind')
finish()
