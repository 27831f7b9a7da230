"""tessera fsc against NumPy, and against RELION where it is installed."""
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import numpy as np

from command import check, fails, finish, left, skip, tessera
from images import WAYS, close, random, write


def shells(shape):
    """The shell of each coefficient, and its frequency vector."""
    f = np.meshgrid(*[np.fft.fftfreq(n) for n in shape], indexing='ij')
    side = min(n for n in shape if n > 1)
    return np.floor(np.sqrt(sum(g * g for g in f)) * side + 0.5).astype(int), f, side


def curve(a, b, where=None, half=False):
    shell, f, side = shells(a.shape)
    fa, fb = np.fft.fftn(a.astype('f8')), np.fft.fftn(b.astype('f8'))
    where = np.ones(a.shape, bool) if where is None else where
    if not half:  # a frequency of 0.5 is in the last shell, those beyond it in none
        where = where & (sum(g * g for g in f) <= 0.25 + 1e-12)
        shell = np.minimum(shell, side // 2)
    if half:  # the stored half alone, as RELION has it
        where = where & (np.arange(a.shape[-1]) <= a.shape[-1] // 2)

    def total(x):
        return np.array([x[where & (shell == i)].sum() for i in range(side // 2 + 1)])
    root = np.sqrt(total(np.abs(fa) ** 2) * total(np.abs(fb) ** 2))
    return np.where(root > 0, total((fa * fb.conj()).real) / np.where(root > 0, root, 1), 0)


def rows(*arguments, ways=WAYS):
    """Columns by name, the same in all ways, and what went to standard error."""
    first = None
    for slab, *way in ways:
        result = tessera('fsc', *arguments, *way, environment={'TESS_SLAB': slab})
        if not check(result.code == 0, 'it runs', result):
            return {}, ''
        first = first or result
        check(result.out == first.out, f'the same with {slab} {way}', result)
    lines = [line.split('\t') for line in first.out.splitlines()]
    return dict(zip(lines[0], np.array([[float(v) for v in line] for line in lines[1:]]).T)), first.err


def crossing(values, threshold, apix, side, whole=False):
    s = next(i for i in range(1, len(values)) if values[i] < threshold)
    at = s - 1 if whole else s - 1 + (values[s - 1] - threshold) / (values[s - 1] - values[s])
    return apix * side / at


def resolutions(text):
    return [float(v) for v in re.search(r'F[SR]C 0\.143 = ([\d.]+) A.*, 0\.5 = ([\d.]+) A', text).groups()]


def pair(shape, noise=1):
    """The same smooth signal in the middle, with noise of their own."""
    _, f, _ = shells(shape)
    fall = np.exp(-80 * sum(g * g for g in f))
    radius = np.sqrt(sum((g - n // 2) ** 2 / (0.3 * n) ** 2 for g, n in zip(np.indices(shape), shape) if n > 1))
    signal = np.fft.ifftn(np.fft.fftn(random.normal(size=shape)) * fall).real * np.exp(-2 * radius ** 2)
    signal /= signal.std()
    soft = np.clip((1.25 - radius) / 0.25, 0, 1).astype('f4')
    return [(signal + noise * random.normal(size=shape)).astype('f4') for _ in range(2)] + [soft]


# ---- Without a mask ----
for shape, apix in (((24, 24, 24), 1.5), ((21, 24, 30), 2), ((1, 40, 40), 1), ((1, 33, 30), 1.2)):
    a, b, _ = pair(shape)
    write('a.mrc', a[0] if shape[0] == 1 else a, apix)
    write('b.mrc', b[0] if shape[0] == 1 else b, apix)
    got, text = rows('a.mrc', 'b.mrc')
    want, side = curve(a, b), min(n for n in shape if n > 1)
    check(list(got) == ['shell', '1/A', 'A', 'unmasked'], f'columns {list(got)}')
    close(got['unmasked'], want, f'curve of {shape}', 2e-6)
    close(got['1/A'], np.arange(len(want)) / (side * apix), 'frequencies')
    close(1 / got['A'][1:], got['1/A'][1:], 'resolutions')
    close(resolutions(text), [crossing(want, t, apix, side) for t in (0.143, 0.5)], f'crossings of {shape}', 2e-3)
    _, text = rows('a.mrc', 'b.mrc', '--no-interpolate', ways=WAYS[-1:])
    close(resolutions(text), [crossing(want, t, apix, side, True) for t in (0.143, 0.5)], 'last shells above', 2e-3)
check('FRC 0.143' in text, 'images have rings')
_, text = rows('a.mrc', 'a.mrc', ways=WAYS[-1:])
check('Nyquist' in text and 'never falls below' in text, 'a curve of 1 never crosses')
close(resolutions(text), [2.4, 2.4], 'Nyquist', 1e-3)

# ---- Cones ----
shape = (24, 24, 24)
a, b, mask = pair(shape)
write('a.mrc', a)
write('b.mrc', b)
write('m.mrc', mask)
got, text = rows('a.mrc', 'b.mrc', '--cones', 5, '--cone-angle', 35)
check('of 5 cones' in text, 'the range of the cones is told')
narrow, text = rows('a.mrc', 'a.mrc', '--cones', 40, '--cone-angle', 8, ways=WAYS[-1:])
least, largest = map(float, re.search(r'cones: (\S+) to (\S+) A', text).groups())
check(np.any(narrow['unmasked'] == 0) and abs(largest - least) < 1e-9, f'shells without coefficients are no resolution: {text}')
close(got['cone'], np.repeat(np.arange(5), 13), 'cones')
f = shells(shape)[1]
length = np.sqrt(sum(g * g for g in f))
directions = np.stack([got[k][::13] for k in 'zyx'])
close(np.linalg.norm(directions, axis=0), 1, 'directions have length 1')
check(np.abs((directions.T @ directions)[np.triu_indices(5, 1)]).max() < 0.95, 'directions differ')
for i in range(5):
    along = np.abs(sum(g * c for g, c in zip(f, directions[:, i])))
    inside = (along >= length * np.cos(np.radians(35)) - 1e-12) | (length == 0)
    close(got['unmasked'][13 * i:13 * i + 13], curve(a, b, inside), f'cone {i}', 1e-5)

# ---- With a mask ----
got, text = rows('a.mrc', 'b.mrc', '--mask', 'm.mrc')
check(list(got) == ['shell', '1/A', 'A', 'unmasked', 'masked', 'randomised', 'corrected'], f'columns {list(got)}')
close(got['masked'], curve(a * mask, b * mask), 'masked', 2e-6)
close(got['unmasked'], curve(a, b), 'unmasked', 2e-6)
first = int(np.flatnonzero((got['unmasked'] < 0.8) & (got['shell'] > 0))[0])
check(f'randomised from shell {first} on' in text, f'phases are random from shell {first} on: {text}')
t, n = got['masked'], got['randomised']
close(got['corrected'], np.where(np.arange(13) >= first + 2, (t - n) / (1 - n), t), 'corrected', 1e-12)
close(resolutions(text), [crossing(got['corrected'], v, 1.5, 24) for v in (0.143, 0.5)], 'crossings', 2e-3)
check(np.abs(n[:first - 1] - t[:first - 1]).max() < 0.1 and np.abs(n[first + 3:]).max() < 0.6, f'randomised: {n}')
other, _ = rows('a.mrc', 'b.mrc', '--mask', 'm.mrc', '--seed', 5, ways=WAYS[-1:])
check(not np.allclose(other['randomised'], n) and np.array_equal(other['masked'], t), 'another seed')
_, text = rows('a.mrc', 'b.mrc', '--mask', 'm.mrc', '--randomize-at', '6A', ways=WAYS[-1:])
check('from shell 6 on' in text, text)
_, text = rows('a.mrc', 'b.mrc', '--mask', 'm.mrc', '--randomize-at-fsc', '0.3', ways=WAYS[-1:])
first = int(np.flatnonzero((got['unmasked'] < 0.3) & (got['shell'] > 0))[0])
check(f'from shell {first} on' in text, text)
_, text = rows('a.mrc', 'a.mrc', '--mask', 'm.mrc', ways=WAYS[-1:])
check('no phases were randomised' in text, text)
# Random phases of maps that share nothing but the mask: the mean of the correlation it brings is taken away.
noise = [write(f'{k}.mrc', random.normal(size=shape).astype('f4') + 1) for k in 'xy']
flat, _ = rows('x.mrc', 'y.mrc', '--mask', 'm.mrc', '--randomize-at', '20sh', ways=WAYS[-1:])
close(flat['masked'], curve(noise[0] * mask, noise[1] * mask), 'of noise', 1e-5)

# ---- Files ----
for name in ('f.star', 'f.xml', 'f.svg', 'f.png'):
    option = {'star': '--star', 'xml': '--xml'}.get(name[2:], '--plot')
    result = tessera('fsc', 'a.mrc', 'b.mrc', '--mask', 'm.mrc', option, name)
    check(result.code == 0 and os.path.getsize(name) > 200, f'{name} is written', result)
    fails(tessera('fsc', 'a.mrc', 'b.mrc', option, name), 2, name)
    check(tessera('fsc', 'a.mrc', 'b.mrc', '--mask', 'm.mrc', option, name, '-f').code == 0, f'{name} is replaced')
points = [[float(p.find(k).text) for k in 'xy'] for p in ET.parse('f.xml').getroot().iter('coordinate')]
close(np.array(points).T, [got['1/A'], got['corrected']], 'XML', 1e-12)
check(ET.parse('f.xml').getroot().tag == 'fsc', 'EMDB calls it fsc')
drawing = open('f.svg').read()
check(all(word in drawing for word in ('0.143', '0.5', 'corrected', 'randomised', 'Resolution')), 'the plot')


def star(name):
    """Columns of the table fsc, by label."""
    lines = open(name).read().split('data_fsc')[1].splitlines()
    labels = [line.split()[0].lstrip('_') for line in lines if line.startswith('_')]
    values = [[float(v) for v in line.split()] for line in lines if line.strip() and line.split()[0].isdigit()]
    return dict(zip(labels, np.array(values).T))


table = star('f.star')
for label, kind in (('Corrected', 'corrected'), ('UnmaskedMaps', 'unmasked'), ('MaskedMaps', 'masked')):
    close(table['rlnFourierShellCorrelation' + label], got[kind], label, 1e-12)
close(table['rlnCorrectedFourierShellCorrelationPhaseRandomizedMaskedMaps'], n, 'randomised', 1e-12)
close(table['rlnResolution'], got['1/A'], 'rlnResolution', 1e-12)
result = tessera('plot', 'f.star', '--table', 'fsc', '--x', 'rlnResolution', '--y',
                 'rlnFourierShellCorrelationCorrected', '-o', 'again.svg')
check(result.code == 0, 'plot reads it', result)
result = tessera('fsc', '--json', 'a.mrc', 'b.mrc')
check(result.code == 0 and len(json.loads(result.out)) == 13, 'JSON', result)

# ---- Stacks ----
pairs = [pair((1, 32, 32)) for _ in range(5)]
for name, k in (('s.mrcs', 0), ('t.mrcs', 1)):
    write(name, np.concatenate([p[k] for p in pairs]), 2, stack=True)
write('disc.mrc', pairs[0][2][0], 2)
want = np.array([curve(p[0], p[1]) for p in pairs])
got, text = rows('s.mrcs', 't.mrcs')
close(got['unmasked'], want.mean(axis=0), 'the mean of the curves', 2e-6)
got, _ = rows('s.mrcs', 't.mrcs', '--each')
close(got['unmasked'].reshape(want.shape), want, 'each curve', 2e-6)
close(got['image'], np.repeat(np.arange(5), 17), 'their numbers')
got, _ = rows('s.mrcs', 't.mrcs', '--mask', 'disc.mrc', '--each')
disc = pairs[0][2]
close(got['masked'].reshape(want.shape), [curve(p[0] * disc, p[1] * disc) for p in pairs], 'masked images', 2e-6)
got, _ = rows('s.mrcs', 't.mrcs', '--cones', 2, '--cone-angle', 45, ways=WAYS[-1:])
close([got['x'][0], got['y'][-1], got['z'].max()], [1, 1, 0], 'directions of images')

# ---- What is rejected ----
before = left()
write('small.mrc', a[:20, :20, :20])
write('no.mrc', a, 0)
write('no2.mrc', b, 0)
write('large.mrc', mask * 7)
write('zero.mrc', mask * 0)
write('flat.mrc', a, (1.5, 1.5, 3))
write('nan.mrc', np.where(mask > 0.99, np.float32('nan'), a))
fails(tessera('fsc', 'a.mrc', 'small.mrc'), 2, 'a.mrc has 24 x 24 x 24 pixels and small.mrc has 20 x 20 x 20')
fails(tessera('fsc', 'no.mrc', 'no2.mrc'), 2, 'no.mrc', '--apix')
check(tessera('fsc', 'no.mrc', 'no2.mrc', '--apix', 1.5).code == 0, 'with --apix')
fails(tessera('fsc', 'a.mrc', 'b.mrc', '--mask', 'small.mrc'), 2, 'small.mrc has 20 x 20 x 20', 'sizes must be equal')
fails(tessera('fsc', 'a.mrc', 'b.mrc', '--mask', 'large.mrc'), 2, 'values from 0 to 7', '0 to 1')
fails(tessera('fsc', 'a.mrc', 'b.mrc', '--mask', 'zero.mrc'), 2, 'not all be 0')
fails(tessera('fsc', 'flat.mrc', 'flat.mrc'), 3, '1.5 x 1.5 x 3', 'cubic')
fails(tessera('fsc', 'a.mrc', 'nan.mrc'), 3, 'NaN')
fails(tessera('fsc', 's.mrcs', 'disc.mrc'), 2, 's.mrcs has 5 images and disc.mrc has 1')
fails(tessera('fsc', 'a.mrc'), 2, 'fsc')
fails(tessera('fsc', 'a.mrc', 'missing.mrc'), 3, 'missing.mrc')
fails(tessera('fsc', 'a.mrc', 'b.mrc', '--randomize-at', 8), 2, 'give --mask')
fails(tessera('fsc', 'a.mrc', 'b.mrc', '--mask', 'm.mrc', '--randomize-at-fsc', 2), 2, '--randomize-at-fsc is 2')
fails(tessera('fsc', 'a.mrc', 'b.mrc', '--cones', -1), 2, '--cones is -1')
fails(tessera('fsc', 'a.mrc', 'b.mrc', '--cones', 3, '--cone-angle', 100), 2, '--cone-angle is 100')
fails(tessera('fsc', 'a.mrc', 'b.mrc', '--cones', 3, '--each'), 2, 'give only one')
write('huge.mrc', np.zeros((64, 64, 64), 'f4'))
fails(tessera('fsc', 'huge.mrc', 'huge.mrc', '--mem', '1M'), 4, '--mem')
np.save('c.npy', np.ones((8, 8), 'c8'))
fails(tessera('fsc', 'c.npy', 'c.npy', '--apix', 1), 2, 'complex')
result = tessera('fsc', 'a.mrc', 'no2.mrc', '-q')
check(result.code == 0 and not result.err, 'quiet', result)

# ---- RELION ----
if shutil.which('relion_postprocess'):
    a, b, mask = pair((48, 48, 48), 1.5)
    write('run_half1_class001_unfil.mrc', a)
    write('run_half2_class001_unfil.mrc', b)
    write('rm.mrc', mask)
    os.mkdir('relion')
    subprocess.run(['relion_postprocess', '--i', 'run_half1_class001_unfil.mrc', '--mask', 'rm.mrc', '--o', 'relion/post',
                    '--angpix', '1.5'], capture_output=True)  # fails in the end where there is no gs
    theirs = star('relion/post.star')
    ours, text = rows('run_half1_class001_unfil.mrc', 'run_half2_class001_unfil.mrc', '--mask', 'rm.mrc',
                      '--no-interpolate', ways=WAYS[-1:])
    prefix = 'rlnFourierShellCorrelation'
    # Over the half that RELION sums, its numbers are those of the definition; over all of it, ours are.
    close(theirs[prefix + 'UnmaskedMaps'], curve(a, b, half=True), "RELION's, of half the transform", 1e-4)
    close(theirs[prefix + 'MaskedMaps'], curve(a * mask, b * mask, half=True), "RELION's, masked", 1e-4)
    close(ours['unmasked'], curve(a, b), 'ours, of all of it', 1e-5)
    close(ours['masked'], theirs[prefix + 'MaskedMaps'], 'both, nearly', 0.03)
    pairs_general = dict(line.split() for line in open('relion/post.star').read().split('data_fsc')[0].splitlines()
                         if line.startswith('_') and len(line.split()) == 2)
    first = int(re.search(r'from shell (\d+) on', text).group(1))
    close(float(pairs_general['_rlnRandomiseFrom']), 1.5 * 48 / first, 'phases are random from the same shell on', 1e-3)
    close(resolutions(text)[0], float(pairs_general['_rlnFinalResolution']), 'the resolution', 0.1)
else:
    skip('fsc beside relion_postprocess', 'RELION is not installed')
finish()
