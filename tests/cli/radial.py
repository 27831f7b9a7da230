"""tessera radial against NumPy."""
import json

import numpy as np

from command import check, fails, finish, tessera
from images import WAYS, close, random, write


def rows(*arguments):
    first = None
    for slab, *way in WAYS:
        result = tessera('radial', *arguments, *way, '--tsv', environment={'TESS_SLAB': slab})
        if not check(result.code == 0, 'it runs', result):
            return None, None
        first = first or result.out
        check(result.out == first, f'the same with {slab} {way}', result)
    lines = [line.split('\t') for line in first.splitlines()]
    return lines[0], np.array([[float(v) for v in line] for line in lines[1:]])


def shells(values, radius, n):
    k = np.floor(radius + 0.5).astype(int)
    return np.array([values[k == i].mean() for i in range(n)])


def real_space(a):
    grid = np.meshgrid(*[np.arange(n) - n // 2 for n in a.shape], indexing='ij')
    side = min(a.shape)
    return shells(a.astype('f8'), np.sqrt(sum(g * g for g in grid)), side // 2 + side % 2)


def of_power(a):
    grid = np.meshgrid(*[np.fft.fftfreq(n) for n in a.shape], indexing='ij')
    side = min(a.shape)
    radius = np.sqrt(sum(g * g for g in grid)) * side
    return shells(np.abs(np.fft.fftn(a.astype('f8'))) ** 2 / a.size, radius, side // 2 + 1)


def uneven(a, sizes):
    """Distances in A from pixels of these sizes along each axis, and frequencies in 1/A: means, and where they are."""
    grid = np.meshgrid(*[(np.arange(n) - n // 2) * s for n, s in zip(a.shape, sizes)], indexing='ij')
    width = min(sizes)
    n = int(min((n - 1) // 2 * s for n, s in zip(a.shape, sizes)) / width) + 1
    distances = shells(a.astype('f8'), np.sqrt(sum(g * g for g in grid)) / width, n), np.arange(n) * width
    grid = np.meshgrid(*[np.fft.fftfreq(n, s) for n, s in zip(a.shape, sizes)], indexing='ij')
    side = min(n * s for n, s in zip(a.shape, sizes))
    n = int(side / (2 * max(sizes))) + 1
    power = np.abs(np.fft.fftn(a.astype('f8'))) ** 2 / a.size
    return distances, (shells(power, np.sqrt(sum(g * g for g in grid)) * side, n), np.arange(n) / side)


image = write('x.mrc', random.normal(size=(40, 51)).astype('f4') + 1, 1.5)
stack = write('s.mrcs', random.normal(size=(6, 33, 30)).astype('f4') + 1, 2, stack=True)
volume = write('v.mrc', random.normal(size=(21, 20, 26)).astype('f4'), 3)
write('u.mrc', image, 0)
for name, data, apix in (('x.mrc', image, 1.5), ('v.mrc', volume, 3)):
    head, got = rows(name)
    want = real_space(data)
    check(head == ['shell', 'A', 'value'], f'columns {head}')
    close(got[:, 0], np.arange(len(want)), 'shells')
    close(got[:, 1], np.arange(len(want)) * apix, 'radius')
    close(got[:, 2], want, 'rotational average')
    head, got = rows('--power', name)
    want = of_power(data)
    side = min(data.shape)
    check(head == ['shell', '1/A', 'A', 'value'], f'columns {head}')
    close(got[:, 1], np.arange(len(want)) / (side * apix), 'frequency')
    close(got[1:, 2], side * apix / np.arange(1, len(want)), 'resolution')
    close(got[:, 3], want, 'radial power', 1e-5)
for data, sizes in ((volume, (3.5, 1.25, 2)), (image, (1, 2.5)), (image, (3, 1))):
    write('a.mrc', data, tuple(reversed(sizes if len(sizes) == 3 else (1, *sizes))))
    (mean, distance), (power, frequency) = uneven(data, sizes)
    _, got = rows('a.mrc')
    close(got[:, 1], distance, f'radius of pixels {sizes}')
    close(got[:, 2], mean, f'rotational average of pixels {sizes}')
    _, got = rows('--power', 'a.mrc')
    close(got[:, 1], frequency, f'frequencies of pixels {sizes}')
    close(got[:, 3], power, f'radial power of pixels {sizes}', 1e-5)
head, got = rows('--power', 's.mrcs')
close(got[:, 3], np.mean([of_power(s) for s in stack], axis=0), 'mean of the curves', 1e-5)
head, got = rows('--each', 's.mrcs')
check(head == ['image', 'shell', 'A', 'value'], 'columns of each')
close(got[:, 3], np.concatenate([real_space(s) for s in stack]), 'each by itself')
close(got[:, 0], np.repeat(np.arange(6), len(got) // 6), 'their numbers')
head, got = rows('--power', 'u.mrc')
check(head == ['shell', '1/px', 'value'], 'without a pixel size')
result = tessera('radial', '--json', 'x.mrc')
check(result.code == 0 and len(json.loads(result.out)) == 20, 'JSON', result)
result = tessera('radial', '--power', '--plot', 'p.svg', 'v.mrc')
check(result.code == 0 and open('p.svg').read().startswith(('<svg', '<?xml')), 'a plot', result)
fails(tessera('radial', '--plot', 'p.svg', 'v.mrc'), 2, 'p.svg')
check(tessera('radial', '--each', '--plot', 'p.svg', '-f', 's.mrcs').code == 0, 'a plot is replaced')
# Guinier plots: a map that has faded, and the line through ln(amplitude).
n, apix, bfactor = 48, 1.2, -150
f2 = sum(np.meshgrid(*[np.fft.fftfreq(n) ** 2] * 3, indexing='ij'))
faded = np.fft.ifftn(np.fft.fftn(random.normal(size=(n, n, n))) * np.exp(bfactor / 4 * f2 / apix ** 2)).real
faded = write('f.mrc', faded.astype('f4'), apix)
for options, start, end in (((), 10, 2.4), (('--fit-from', 20, '--fit-to', 4), 20, 4)):
    head, got = rows('--guinier', *options, 'f.mrc')
    check(head == ['shell', '1/A', 'A', '1/A^2', 'ln(amplitude)', 'line'], f'columns {head}')
    size = np.abs(np.fft.fftn(faded.astype('f8'))) / np.sqrt(faded.size)
    want = np.log(shells(size, np.sqrt(f2) * n, n // 2 + 1))
    s = np.arange(n // 2 + 1) / (n * apix)
    where = (s >= 1 / start - 1e-9) & (s <= 1 / end + 1e-9)
    slope, level = np.polyfit(s[where] ** 2, want[where], 1)
    close(got[:, 4], want, 'ln(amplitude)', 1e-5)
    close(got[:, 5], level + slope * s ** 2, 'the line', 1e-4)
    result = tessera('radial', '--guinier', *options, 'f.mrc', '--plot', 'g.svg', '-f')
    check(f'B = {4 * slope:.2f}' in result.err and 'B = ' in open('g.svg').read(), f'B is {4 * slope}', result)
    check(abs(4 * slope - bfactor) < 3, f'B is what the map has faded by: {4 * slope}')
fails(tessera('radial', '--guinier', 'u.mrc'), 2, 'u.mrc', '--apix')
fails(tessera('radial', '--guinier', '--power', 'f.mrc'), 2, 'cannot be combined with --each or --power')
fails(tessera('radial', '--guinier', '--fit-from', 2, 'f.mrc'), 2, 'from 2 to 2.4 A')
fails(tessera('radial', '--guinier', '--fit-from', 2.5, '--fit-to', 2.45, 'f.mrc'), 2, 'fewer than two')
fails(tessera('radial', '--fit-to', 2.45, 'f.mrc'), 2, 'require --guinier')
fails(tessera('radial', 'no.mrc'), 3, 'no.mrc')
fails(tessera('radial', '--powr', 'x.mrc'), 2, '--powr', '--power')
np.save('c.npy', np.ones((8, 8), 'c8'))
fails(tessera('radial', 'c.npy'), 2, 'complex')
finish()
