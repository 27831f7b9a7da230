"""tessera align against images that were moved by NumPy and SciPy."""
import numpy as np
from scipy import ndimage

from command import check, fails, finish, left, tessera
from images import WAYS, equal, random, read, run, write


def fourier_shift(image, shift):
    h, w = image.shape[-2:]
    turn = np.fft.fftfreq(h)[:, None] * shift[0] + np.fft.rfftfreq(w) * shift[1]
    return np.fft.irfft2(np.fft.rfft2(image) * np.exp(-2j * np.pi * turn), (h, w))


def smooth(h, w, b=30):
    k2 = np.fft.fftfreq(h)[:, None] ** 2 + np.fft.rfftfreq(w) ** 2
    image = np.fft.irfft2(np.fft.rfft2(random.normal(size=(h, w))) * np.exp(-b * k2), (h, w))
    return image / image.std()


def shifts_of(*arguments):
    first = None
    for slab, *way in WAYS:
        result = tessera('align', *arguments, *way, '--tsv', environment={'TESS_SLAB': slab})
        if not check(result.code == 0, 'it runs', result):
            return np.zeros((0, 2))
        first = first or result.out
        check(result.out == first, f'the same with {slab} {way}', result)
    lines = [line.split('\t') for line in first.splitlines()]
    check(lines[0] == ['image', 'x', 'y'], f'columns {lines[0]}')
    return np.array(lines[1:], float)[:, [2, 1]]


# A stack.
moves = np.array([[0, 0], [3.25, -7.5], [-11, 4.5], [0.5, 0.25], [20, -18]])
image = smooth(150, 171)
clean = np.stack([fourier_shift(image, m) for m in moves])
stack = (clean + random.normal(0, 0.7, clean.shape)).astype('f4')
write('s.mrcs', stack, 1.5, stack=True)
write('plain.mrcs', stack, 0, stack=True)
for options in ([], ['--resolution', '5'], ['--resolution', '0.5/px', '--bfactor', '20'], ['--max-shift', '60A']):
    found = shifts_of('s.mrcs', *options)
    check(np.abs(found + moves).max() < 0.2, f'{options}: {np.abs(found + moves).max():g} pixels')
check(np.array_equal(shifts_of('plain.mrcs'), shifts_of('s.mrcs')), 'without a pixel size')
result = tessera('align', 's.mrcs', '-o', 'a.mrcs', '--xf', 's.xf', '--tsv')
check(result.code == 0, 'it runs', result)
found = shifts_of('s.mrcs')
equal(read('a.mrcs'), np.stack([fourier_shift(s.astype('f8'), m) for s, m in zip(stack, found)]), 'the aligned stack', 1e-5)
xf = np.loadtxt('s.xf')
check(np.allclose(xf[:, :4], [1, 0, 0, 1]) and np.allclose(xf[:, [5, 4]], found, atol=1e-6), f'transforms {xf}')
equal(run('align', 's.mrcs', out='b.mrcs'), read('a.mrcs'), 'the same stack')
chosen = shifts_of('s.mrcs', '--slices', '1,3')
check(np.abs(chosen[1] + moves[3] - moves[1]).max() < 0.3, f'chosen images {chosen}')

# A tilt series of a flat specimen.
plane = smooth(420, 420, 60)
angles = np.arange(-40, 61, 10)
moves = random.uniform(-6, 6, (len(angles), 2))
moves[4] = 0
for axis in (0, 12.5):
    a = np.deg2rad(axis)
    across = np.array([np.sin(a), np.cos(a)])
    tilts = []
    for angle, move in zip(angles, moves):
        matrix = np.eye(2) + (1 / np.cos(np.deg2rad(angle)) - 1) * np.outer(across, across)
        # Pixel p of the image, from its middle, shows the specimen at matrix (p + move): the shift moves it back.
        at = np.array([100, 110]) - np.array([210, 210])
        tilts.append(ndimage.affine_transform(plane, matrix, np.array([210, 210]) - matrix @ (np.array([100, 110]) - move),
                                              (200, 220), order=5, mode='mirror'))
    series = np.stack(tilts)
    write('t.mrcs', (series + random.normal(0, 0.3, series.shape)).astype('f4'), 2, stack=True)
    with open('t.tlt', 'w') as file:
        file.writelines(f'{angle:.2f}\n' for angle in angles)
    found = shifts_of('t.mrcs', '--tilts', 't.tlt', '--axis', axis, '--max-shift', '20')
    off = np.abs(found - moves).max()
    print(f'tilt series about {axis} degrees: within {off:.2f} pixels')
    check(off < 0.6, f'axis {axis}: {off:g} pixels\n{found - moves}')

# Wrong input.
nan = stack.copy()
nan[2, 3, 4] = np.nan
write('nan.mrcs', nan, 1.5, stack=True)
with open('steep.tlt', 'w') as file:
    file.writelines('0\n10\n20\n30\n88\n')
before = left()
for code, arguments, *parts in (
        (2, ['s.mrcs', '--axis', '3'], '--axis requires --tilts'), (2, ['s.mrcs', '--tilts', 't.tlt'], '11', '5'),
        (2, ['s.mrcs', '--tilts', 'steep.tlt'], 'angle 4 of --tilts is 88', '-85 to 85'), (2, ['nan.mrcs'], 'NaN or infinite'),
        (2, ['s.mrcs', '--bfactor', '-1'], '--bfactor is -1'), (2, ['s.mrcs', '--max-shift', '-1'], '--max-shift is -1'),
        (2, ['plain.mrcs', '--bfactor', '50'], '--apix'), (2, ['plain.mrcs', '--resolution', '8'], '--apix'),
        (2, ['s.mrcs', '--resolution', '0/px'], '--resolution must be above 0'),
        (2, ['s.mrcs', '--tilts', 'steep.tlt', '--bfactor', '3'], '--bfactor cannot be combined with --tilts'),
        (3, ['missing.mrcs'], 'missing.mrcs'), (3, ['s.mrcs', '--tilts', 'missing.tlt'], 'missing.tlt')):
    fails(tessera('align', *arguments, '-o', 'none.mrcs'), code, *parts)
check(left() == before, 'nothing is left behind')
fails(tessera('align', 's.mrcs', '--xf', 's.xf'), 2, 's.xf')
finish()
