"""tessera locres against NumPy and SciPy: windows cut out, multiplied, transformed and compared one by one."""
import os
import re

import numpy as np
from scipy.ndimage import map_coordinates

from command import check, fails, finish, tessera
from images import close, equal, facts, random, read, run, write

APIX = 1.5


def smooth(n, falls):
    """Noise whose spectrum falls at one rate in one half of the map and at another in the other."""
    f2 = sum(np.meshgrid(*[np.fft.fftfreq(k) ** 2 for k in n], indexing='ij'))
    parts = [np.fft.ifftn(np.fft.fftn(random.normal(size=n)) * np.exp(-fall * f2)).real for fall in falls]
    parts = [p / p.std() for p in parts]
    return np.where(np.arange(n[2]) < n[2] // 2, *parts)


def side_of(radius, soft):
    """The box of the sphere is an even one that is fast to transform; the command says which."""
    result = tessera('locres', 'a.mrc', 'b.mrc', '--radius', radius, '--soft', soft, '--step', 20, '-f', '-o', 'box.mrc')
    side = int(re.search(r'boxes of (\d+) pixels', result.err).group(1))
    check(2 * (radius + soft) < side <= 2 * (radius + soft) + 8 and side % 2 == 0, f'the box has {side} pixels')
    return side


def curve(a, b):
    n = a.shape[0]
    f = np.sqrt(sum(np.meshgrid(*[np.fft.fftfreq(n) ** 2] * 3, indexing='ij')))
    shell, inside = np.minimum(np.floor(f * n + 0.5).astype(int), n // 2), f <= 0.5 + 1e-12
    fa, fb = np.fft.fftn(a), np.fft.fftn(b)
    both, l, r = (np.array([x[inside & (shell == i)].sum() for i in range(n // 2 + 1)])
                  for x in ((fa * fb.conj()).real, np.abs(fa) ** 2, np.abs(fb) ** 2))
    root = np.sqrt(l) * np.sqrt(r)
    return np.where(root > 0, both / np.where(root > 0, root, 1), 0)


def cut(a, centre, side):
    padded = np.pad(a.astype('f8'), side)
    return padded[tuple(slice(c - side // 2 + side, c - side // 2 + 2 * side) for c in centre)]


def crossing(values, threshold, side):
    for s in range(1, len(values)):
        if values[s] < threshold:
            at = s - 1 + ((values[s - 1] - threshold) / (values[s - 1] - values[s]) if values[s - 1] > threshold else 0)
            return min(APIX * side / at, APIX * side) if at > 0 else APIX * side
    return APIX * side / (len(values) - 1)


def local(maps, noise, radius, soft, step, threshold, frequency=None):
    """The map, and the values at the nodes."""
    side = side_of(radius, soft)
    away = np.sqrt(((np.indices((side,) * 3) - side // 2) ** 2).sum(0))
    sphere = (1 + np.cos(np.pi * np.clip((away - radius) / soft, 0, 1))) / 2
    count = [(n - 1) // step + 1 for n in maps[0].shape]
    first = [(n - 1 - (c - 1) * step) // 2 for n, c in zip(maps[0].shape, count)]
    nodes = np.empty(count)
    for i in np.ndindex(*count):
        centre = [f + k * step for f, k in zip(first, i)]
        values = curve(*(cut(m, centre, side) * sphere for m in maps))
        if noise:
            n = curve(*(cut(m, centre, side) * sphere for m in noise))
            above = np.arange(len(values)) > frequency * side + 2
            values = np.where(above, (values - n) / (1 - n), values)
        nodes[i] = crossing(values, threshold, side)
    at = np.meshgrid(*[(np.arange(n) - f) / step for n, f in zip(maps[0].shape, first)], indexing='ij')
    return map_coordinates(nodes, at, order=1, mode='nearest'), nodes


shape = (22, 20, 26)
signal = smooth(shape, (10, 300))
a, b = ((signal + 0.3 * random.normal(size=shape)).astype('f4') for _ in range(2))
write('a.mrc', a, APIX, origin=(1, 2, 3))
write('b.mrc', b, APIX)
want, nodes = local((a, b), None, 5, 3, 5, 0.143)
equal(run('locres', 'a.mrc', 'b.mrc', '--radius', 5, '--soft', 3, '--step', 5, '--no-correct'), want, 'not corrected', 1e-4)
close(facts('out.mrc')[:2], [[APIX] * 3, [1, 2, 3]], 'pixel size and origin stay', 1e-5)
check(want[:, :, :6].mean() < want[:, :, -6:].mean() - 0.2, f'one side is finer: {want.mean((0, 1))}')
want, _ = local((a, b), None, 5, 3, 5, 0.5)
equal(run('locres', 'a.mrc', 'b.mrc', '--radius', '7.5A', '--soft', '4.5A', '--step', 5, '--no-correct', '--threshold', 0.5),
      want, 'at 0.5, lengths in A', 1e-4)

# ---- Corrected: the maps with random phases come from the operation of that name ----
result = tessera('locres', 'a.mrc', 'b.mrc', '--radius', 5, '--soft', 3, '--step', 7, '--randomize-at', '7sh', '-o', 'c.mrc')
frequency = 6.5 / 20
noise = []
for k, name in enumerate(('a.mrc', 'b.mrc')):
    tessera('phase_randomize_image', name, '--frequency', f'{frequency}/px', '--seed', k, '-o', f'r{k}.mrc')
    noise.append(read(f'r{k}.mrc'))
want, nodes = local((a, b), noise, 5, 3, 7, 0.143, frequency)
equal(read('c.mrc') if result.code == 0 else None, want, 'corrected', 1e-3)


def told(result, values, what):
    """Median and quantiles are those of what is written, inside the mask."""
    shown = re.search(r'at [\d.]+ (.*): median ([\d.]+) A, 5 % below ([\d.]+) A, 95 % below ([\d.]+) A \((\d+) voxels', result.err)
    if check(shown and shown[1] == what, f'{what}: quantiles are told', result):
        close([float(v) for v in shown.groups()[1:]], [*np.quantile(values, (0.5, 0.05, 0.95)), values.size], 'quantiles', 3e-3)


told(result, read('c.mrc'), 'of the whole map')

# ---- With a mask ----
away = np.sqrt(sum((g - n // 2) ** 2 for g, n in zip(np.indices(shape), shape)))
mask = write('m.mrc', np.clip((8 - away) / 3, 0, 1).astype('f4'), APIX)
want, _ = local((a, b), None, 5, 3, 5, 0.143)
got = run('locres', 'a.mrc', 'b.mrc', '--radius', 5, '--soft', 3, '--step', 5, '--no-correct', '--mask', 'm.mrc')
equal(got, np.where(mask > 0, want, 0), 'in a mask', 1e-4)
result = tessera('locres', 'a.mrc', 'b.mrc', '--radius', 5, '--soft', 3, '--step', 9, '--seed', 3, '--mask', 'm.mrc', '-o',
                 'masked.mrc')
told(result, read('masked.mrc')[mask > 0], 'inside the mask')

# ---- What is rejected ----
write('small.mrc', a[:10, :10, :10], APIX)
write('no.mrc', a, 0)
write('image.mrc', a[0], APIX)
write('nan.mrc', np.where(away < 2, np.float32('nan'), a), APIX)


def bad(code, *parts, maps=('a.mrc', 'b.mrc'), options=()):
    fails(tessera('locres', *maps, *options, '-o', 'n.mrc'), code, *parts)


bad(2, 'the sizes must be equal', maps=('a.mrc', 'small.mrc'))
bad(2, 'no.mrc', '--apix', maps=('no.mrc', 'b.mrc'))
bad(2, 'image.mrc is not a volume', maps=('image.mrc', 'image.mrc'))
bad(3, 'NaN', maps=('a.mrc', 'nan.mrc'))
bad(2, 'small.mrc has 10 x 10 x 10', options=('--mask', 'small.mrc'))
write('tiny.mrc', np.zeros((3, 20, 20), 'f4'), 1.5)
fails(tessera('locres', 'tiny.mrc', 'tiny.mrc', '-o', 'n.mrc'), 2, 'locres: the map is too small, 20 x 20 x 3 pixels (x y z); at least 4')
bad(2, '--radius is 1', options=('--radius', 1))
bad(2, '--radius is 100 pixels; 2 to 10 are allowed for 26 x 20 x 22', 'must fit into the map', options=('--radius', 100))
bad(2, '--soft is -1', options=('--soft', -1))
bad(2, '--soft is 40 pixels; 0 to 10', options=('--soft', 40))
bad(2, '--step is 0', options=('--step', 0))
bad(2, '--threshold is 2', options=('--threshold', 2))
write('huge.mrc', np.zeros((64, 64, 64), 'f4'), APIX)
bad(4, '--mem', maps=('huge.mrc', 'huge.mrc'), options=('--mem', '1M'))
fails(tessera('locres', 'a.mrc', 'b.mrc'), 2, '-o')
check(not os.path.exists('n.mrc'), 'nothing was written')
finish()
