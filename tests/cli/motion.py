"""tessera motion against simulated movies and NumPy."""
import base64
import os
import re
import signal
import subprocess
import time

import numpy as np

from support import png
from command import COMMAND, check, fails, finish, left, tessera
from images import WAYS, data_bytes, equal, random, read, run, write

APIX = 1.25


def fourier_shift(image, shift):
    """Moved by (y, x) pixels towards higher indices."""
    h, w = image.shape[-2:]
    turn = np.fft.fftfreq(h)[:, None] * shift[0] + np.fft.rfftfreq(w) * shift[1]
    return np.fft.irfft2(np.fft.rfft2(image) * np.exp(-2j * np.pi * turn), (h, w))


def structure(h, w):
    k2 = np.fft.fftfreq(h, APIX)[:, None] ** 2 + np.fft.rfftfreq(w, APIX) ** 2
    image = np.fft.irfft2(np.fft.rfft2(random.normal(size=(h, w))) * np.exp(-60 / 4 * k2), (h, w))
    return 0.15 * image / image.std()


def walk(n):
    steps = 2.5 * np.exp(-np.arange(n - 1) / 3)[:, None] * (0.8, -0.6) + random.uniform(-0.2, 0.3, (n - 1, 2))
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, 0)])


def expose(image):
    return random.poisson(np.maximum(1 + image, 0)).astype('f4')


def shifts_of(name):
    with open(name) as file:
        lines = [line.split('\t') for line in file.read().splitlines()]
    check(lines[0] == ['frame', 'x', 'y', 'x_A', 'y_A'], f'columns {lines[0]}')
    table = np.array(lines[1:], float)
    check(np.allclose(table[:, 1:3] * APIX, table[:, 3:5]), 'shifts in pixels and in A')
    return table[:, [2, 1]]


def star_of(name):
    """Tables of a STAR file: block to rows of dictionaries."""
    tables, block, labels = {}, None, []
    for line in open(name):
        words = line.split()
        if not words or words[0].startswith('#'):
            continue
        if words[0].startswith('data_'):
            block, labels = words[0][5:], []
            tables[block] = []
        elif words[0] == 'loop_':
            continue
        elif words[0].startswith('_') and len(words) > 1 and not words[1].startswith('#'):
            tables[block] = tables[block] or [{}]
            tables[block][0][words[0][1:]] = words[1]
        elif words[0].startswith('_'):
            labels.append(words[0][1:])
        else:
            tables[block].append(dict(zip(labels, words)))
    return tables


def row(result):
    """The first row of a printed table."""
    lines = [line.split('\t') for line in result.out.splitlines()]
    return dict(zip(*lines[:2])) if len(lines) > 1 else {}


def off(shifts, drift):
    """Root mean square of shifts that do not undo the drift."""
    rest = shifts + drift
    return np.sqrt(((rest - rest.mean(0)) ** 2).mean())


def filters(shape, doses):
    k = np.hypot(np.fft.fftfreq(shape[0], APIX)[:, None], np.fft.rfftfreq(shape[1], APIX))
    with np.errstate(divide='ignore'):
        return np.exp(-np.asarray(doses)[:, None, None] / (2 * (0.245 * k ** -1.665 + 2.81)))


# Global drift: 16 frames of 1 electron a pixel.
N, H, W = 16, 360, 410
drift = walk(N)
image = structure(H, W)
frames = np.stack([expose(fourier_shift(image, d)) for d in drift])
write('movie.mrcs', frames, APIX, stack=True)
common = ['movie.mrcs', '--hot', '0', '--shifts', 'shifts.tsv']
total = run('motion', *common)
shifts = shifts_of('shifts.tsv')
check(off(shifts, drift) < 0.1, f'drift within 0.1 pixel rms: {off(shifts, drift):g}')
check(tuple(shifts[0]) == (0, 0), 'relative to the first frame')
aligned = np.stack([fourier_shift(f.astype('f8'), s) for f, s in zip(frames, shifts)])
equal(total, aligned.sum(0), 'the sum', 1e-5)

# All outputs, with exposure.
result = tessera('motion', *common, '-f', '-o', 'sum.mrc', '--dose', '1.1', '--pre', '2', '--group', '1', '--weighted',
                 'weighted.mrc', '--odd', 'odd.mrc', '--even', 'even.mrc', '--plot', 'motion.svg', '--tsv')
check(result.code == 0 and result.out.startswith('file\tframes\tgroup\tbad_pixels\tmotion_A\tscore\tpatches\tlocal_model\tresidual_px\n'), 'all outputs', result)
q = filters((H, W), 2 + 1.1 * np.arange(1, N + 1))
weighted = np.fft.irfft2((np.fft.rfft2(aligned) * q).sum(0) / np.sqrt((q * q).sum(0)), (H, W))
equal(read('weighted.mrc'), weighted, 'weighted by exposure', 1e-4)
equal(read('odd.mrc'), aligned[1::2].sum(0), 'odd frames', 1e-5)
equal(read('even.mrc'), aligned[::2].sum(0), 'even frames', 1e-5)
equal(read('sum.mrc'), aligned.sum(0), 'the sum of both', 1e-5)
length = np.hypot(*np.diff(shifts, axis=0).T).sum() * APIX
check(abs(float(result.out.split('\n')[1].split('\t')[4]) - length) < 1e-6, f'the way: {length}', result)

# The plot: the mean, cropped, and on it the trajectory from the middle, 10 times as large.
drawn = open('motion.svg').read()
box = re.search(r'<image x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)" .*?base64,(.*?)"', drawn)
left_, top, width, height = map(float, box.groups()[:4])
check(abs(width / height - W / H) < 1e-3, f'as wide as frames are: {width} x {height}')
pixels = png.decode(base64.b64decode(box.group(5)))[::-1, :, 0].astype('f8')
check(max(pixels.shape) == 384, f'size of the mean {pixels.shape}')
h, w = pixels.shape
spectrum = np.fft.fftshift(np.fft.fft2(aligned.sum(0)))[H // 2 - h // 2:H // 2 - h // 2 + h, W // 2 - w // 2:W // 2 - w // 2 + w]
alike = np.corrcoef(np.fft.ifft2(np.fft.ifftshift(spectrum)).real.ravel(), pixels.ravel())[0, 1]
check(alike > 0.99, f'the mean is drawn: {alike:g}')
path = re.search(r'<path d="M([^"]*)" fill="none" stroke="#c81e1e" stroke-width="2"', drawn).group(1)
path = np.array(re.split('[L ]', path), float).reshape(-1, 2)
want = np.stack([left_ + width * (0.5 + 10 * shifts[:, 1] / W), top + height * (0.5 - 10 * shifts[:, 0] / H)], 1)
check(np.abs(path - want[:len(path)]).max() < 0.02, f'the trajectory {path} {want}')
fails(tessera('motion', *common, '-o', 'new.mrc'), 2, 'shifts.tsv')
check(not os.path.exists('new.mrc'), 'no output where another is there')

# Groups by exposure, and STAR.
result = tessera('motion', 'movie.mrcs', '--dose', '0.4', '--hot', '0', '-o', 'sum.mrc', '-f', '--shifts', 'm.star', '--tsv')
check(result.code == 0 and result.out.split('\n')[1].split('\t')[2] == '3', 'groups of 1 electron', result)
star = star_of('m.star')
rows = star['global_shift']
grouped = np.array([[float(r['rlnMicrographShiftY']), float(r['rlnMicrographShiftX'])] for r in rows])
check([int(r['rlnMicrographFrameNumber']) for r in rows] == list(range(1, N + 1)), 'frames from 1')
check(off(grouped, drift) < 0.5, f'groups: {off(grouped, drift):g}')
general = star['general'][0]
check(general['rlnImageSizeX'] == str(W) and general['rlnImageSizeZ'] == str(N) and
      general['rlnMicrographOriginalPixelSize'] == '1.25' and general['rlnMicrographDoseRate'] == '0.4' and
      general['rlnMotionModelVersion'] == '0', f'general: {general}')

# Gain, turned, and bad pixels: frames as the camera gives them, of another shape than the gain.
gain = random.uniform(0.8, 1.25, (H, W)).astype('f4')
raw = (frames / gain).astype('f4')
hot = raw.copy()
hot[:, 100, 200] = 60
hot[:, 30, 17] = 45
hot[:, 50:54, 300:330] = 0
write('raw.mrcs', hot, APIX, stack=True)
with open('defects.txt', 'w') as file:
    file.write('300 50 30 4\n')
mask = np.zeros((H, W), 'f4')
mask[50:54, 300:330] = 1
write('mask.mrc', mask)
for turns in range(4):
    for flip in ('none', 'x', 'y'):
        # What turned and mirrored is the gain: undo the mirror, then the turn.
        camera = {'none': gain, 'x': gain[:, ::-1], 'y': gain[::-1]}[flip]
        camera = np.rot90(camera, -turns, (1, 0))
        write('gain.mrc', np.ascontiguousarray(camera))
        where = 'defects.txt' if turns else 'mask.mrc'
        result = tessera('motion', 'raw.mrcs', '--gain', 'gain.mrc', '--gain-rot', turns, '--gain-flip', flip,
                         '--defects', where, '-o', 'g.mrc', '-f', '--shifts', 'g.tsv', '-f', '--tsv')
        if not check(result.code == 0, 'it runs', result):
            continue
        check(int(result.out.split('\n')[1].split('\t')[3]) == 122, 'bad pixels', result)
        shifts = shifts_of('g.tsv')
        check(off(shifts, drift) < 0.1, f'gain {turns} {flip}')
        want = sum(fourier_shift(f.astype('f8'), s) for f, s in zip(frames, shifts))
        apart = np.abs(read('g.mrc') - want) > 0.01 * want.max()
        check(apart.mean() < 0.01, f'gain {turns} {flip}: {apart.mean():g} of the sum differs')

# The file of shifts has what RELION's has: the gain, defects, and hot pixels from 0.
result = tessera('motion', 'raw.mrcs', '--gain', 'gain.mrc', '--gain-rot', 3, '--gain-flip', 'y', '--defects', 'mask.mrc',
                 '--dose', 1, '--pre', 3, '-o', 'g.mrc', '-f', '--shifts', 'g.star')
star = star_of('g.star')
check(list(star['general'][0]) == ['rlnImageSizeX', 'rlnImageSizeY', 'rlnImageSizeZ', 'rlnMicrographMovieName',
                                   'rlnMicrographGainName', 'rlnMicrographDefectFile', 'rlnMicrographBinning',
                                   'rlnMicrographOriginalPixelSize', 'rlnMicrographDoseRate', 'rlnMicrographPreExposure',
                                   'rlnVoltage', 'rlnMicrographStartFrame', 'rlnMotionModelVersion'], f'labels {star}', result)
check(star['general'][0]['rlnMicrographGainName'] == 'gain.mrc' and star['general'][0]['rlnMicrographDefectFile'] == 'mask.mrc' and
      star['general'][0]['rlnMicrographPreExposure'] == '3', f'files {star["general"]}')
check({(int(r['rlnCoordinateX']), int(r['rlnCoordinateY'])) for r in star['hot_pixels']} == {(200, 100), (17, 30)},
      f'hot pixels {star["hot_pixels"]}')

# Some frames: --slices is not for the gain, the dark image and the mask.
write('over.mrc', (1 / gain).astype('f4'))
for inputs in (['--gain', 'gain.mrc', '--gain-rot', 3, '--gain-flip', 'y'], ['--gain', 'over.mrc', '--gain-sense', 'divide']):
    result = tessera('motion', 'raw.mrcs', *inputs, '--defects', 'mask.mrc', '--slices', '3-9', '-o', 'g.mrc', '-f', '--shifts',
                     'g.tsv')
    if check(result.code == 0, 'some frames', result):
        check(off(shifts_of('g.tsv'), drift[3:10]) < 0.1, f'some frames: {off(shifts_of("g.tsv"), drift[3:10]):g}')

# The same with little memory: frames are read again.
first = None
for slab, *way in WAYS:
    result = tessera('motion', 'raw.mrcs', '--gain', 'gain.mrc', '--gain-rot', 3, '--gain-flip', 'y', '--patches', '3,2',
                     '-o', 'w.mrc', '-f', '--shifts', 'w.star', *way, environment={'TESS_SLAB': slab})
    if check(result.code == 0, 'it runs', result):
        content = data_bytes('w.mrc'), open('w.star', 'rb').read()
        first = first or content
        check(content == first, f'the same with {slab} {way}')

# Local motion: each pixel moves by a polynomial of its position, on top of a drift.
N, H, W = 12, 768, 768
drift = walk(N)
large = structure(H, W)
v, u = np.mgrid[:H, :W] / [[[H]], [[W]]] - 0.5
grow = 1 - np.exp(-np.arange(N) / 4)
frames = np.empty((N, H, W), 'f4')
local = np.empty((N, 2, H, W))
spectrum = np.fft.fft2(large)
from_y, from_x = np.mgrid[:H, :W].astype('f8')
for i in range(N):
    local[i] = grow[i] * np.stack([3 * u - 2 * u * v, 2.5 * v + 2 * u * u])
    # Resampled by first moving the whole frame, then by cubic splines of SciPy.
    from scipy import ndimage
    moved = fourier_shift(large, drift[i])
    frames[i] = expose(ndimage.map_coordinates(moved, [from_y - local[i, 0], from_x - local[i, 1]], order=5, mode='mirror'))
write('local.mrcs', frames, APIX, stack=True)
result = tessera('motion', 'local.mrcs', '--patches', '5,5', '-o', 'l.mrc', '--shifts', 'l.star', '--plot', 'l.png', '--tsv')
check(result.code == 0 and not result.err and row(result)['local_model'] == 'yes' and row(result)['patches'] == '25',
      'local motion', result)
colours = png.decode(open('l.png', 'rb').read()).reshape(-1, 3).astype(int)
blue, red = (np.abs(colours - colour).max(1) < 12 for colour in ((0, 114, 178), (200, 30, 30)))
check(blue.sum() > 300 and red.sum() > 200, f'trajectories of patches and of whole frames: {blue.sum()}, {red.sum()}')
star = star_of('l.star')


def local_error(name):
    """What shifts of whole frames and of the model, every 16 pixels, do not undo."""
    tables = star_of(name)
    whole = np.array([[float(r['rlnMicrographShiftY']), float(r['rlnMicrographShiftX'])] for r in tables['global_shift']])
    c = np.array([float(r['rlnMotionModelCoeff']) for r in tables['local_motion_model']]).reshape(2, 18)[::-1]
    terms = np.stack([np.ones_like(u), u, u * u, v, v * v, u * v])[:, ::16, ::16]
    found = np.stack([[sum(c[a, 3 * k + n] * terms[k] * i ** (n + 1) for k in range(6) for n in range(3)) for a in (0, 1)]
                      for i in range(N)]) + whole[:, :, None, None]
    left_over = found + local[:, :, ::16, ::16] + drift[:, :, None, None]
    return left_over - left_over.mean(0)


rest = local_error('l.star')
print(f'local motion within {np.sqrt((rest ** 2).mean()):.3f} pixels rms')
check(np.sqrt((rest ** 2).mean()) < 0.05, f'local motion: {np.sqrt((rest ** 2).mean()):g} pixels rms')
sharp = [np.corrcoef(read(name)[32:-32, 32:-32].ravel(), large[32:-32, 32:-32].ravel())[0, 1] for name in ('l.mrc',)][0]
result = tessera('motion', 'local.mrcs', '-o', 'l.mrc', '-f')
plain = np.corrcoef(read('l.mrc')[32:-32, 32:-32].ravel(), large[32:-32, 32:-32].ravel())[0, 1]
check(sharp > plain + 0.02, f'nearer to the truth with a model: {sharp:g}, {plain:g}')
check(len(star['local_shift']) == 25 * N and star['general'][0]['rlnMotionModelVersion'] == '1', 'tables of local motion')

# What is not there is not modelled: frames that moved as a whole have the same sum as with --patches 1, and a warning.
write('whole.mrcs', np.stack([expose(fourier_shift(large, d)) for d in drift]), APIX, stack=True)
result = tessera('motion', 'whole.mrcs', '--patches', '5,5', '-o', 'p.mrc', '--tsv')
check('whole.mrcs: a model of local motion changes the cross-validated correlation by -' in result.err and
      'as with --patches 1' in result.err and row(result)['local_model'] == 'no' and row(result)['patches'] == '25' and
      row(result)['residual_px'] == '', 'no local motion', result)
result = tessera('motion', 'whole.mrcs', '--patches', '1', '-o', 'q.mrc')
check(data_bytes('p.mrc') == data_bytes('q.mrc'), 'the sum without a model')
result = tessera('motion', 'whole.mrcs', '--patches', '5,5', '--always-local', '-o', 'p.mrc', '-f', '--tsv')
check(result.code == 0 and re.search(r'whole.mrcs: a model .* by -\S+ \+- \S+ %, .*it is used because of --always-local', result.err) and
      row(result)['local_model'] == 'yes', 'a model by will', result)
check(data_bytes('p.mrc') != data_bytes('q.mrc'), 'the sum with a model')

# A model needs half of the patches and twice as many shifts as unknowns, 18 and one for each patch, also by will.
bare = random.poisson(1, frames.shape).astype('f4')
bare[:, :H // 2, :W // 2] = frames[:, :H // 2, :W // 2]
write('bare.mrcs', bare, APIX, stack=True)
for name, patches, more, usable, groups in (('bare', 4, [], range(1, 8), 12), ('local', 2, ['--slices', '0-3'], [4], 4),
                                            ('local', 5, ['--slices', '0-2'], [25], 3), ('local', 3, ['--group', '3'], [9], 4)):
    tessera('motion', f'{name}.mrcs', *more, '--patches', 1, '-o', 'q.mrc', '-f')
    for will in ([], ['--always-local']):
        result = tessera('motion', f'{name}.mrcs', *more, '--patches', patches, *will, '-o', 'p.mrc', '-f', '--tsv')
        check(result.code == 0 and f'too few for a model of local motion from {groups} groups' in result.err and
              int(row(result)['patches']) in usable and row(result)['local_model'] == 'no' and
              row(result)['residual_px'] == '' and data_bytes('p.mrc') == data_bytes('q.mrc'), 'too few shifts', result)

# Patches without a specimen do not spoil the model of the others: two fifths along both axes are noise alone.
holes = frames.copy()
holes[:, :2 * H // 5, :2 * W // 5] = random.poisson(1, (N, 2 * H // 5, 2 * W // 5))
write('holes.mrcs', holes, APIX, stack=True)
result = tessera('motion', 'holes.mrcs', '--patches', '5,5', '-o', 'p.mrc', '-f', '--shifts', 'holes.star', '--tsv')
check(row(result)['local_model'] == 'yes' and 20 <= int(row(result)['patches']) <= 22, 'patches of noise', result)
rest = local_error('holes.star')[:, :, H // 32:, W // 32:]
check(np.sqrt((rest ** 2).mean()) < 0.15, f'with patches of noise: {np.sqrt((rest ** 2).mean()):g} pixels rms')

# Noise alone stays where it is.
noise = random.normal(10, 1, (5, 300, 320)).astype('f4')
write('noise.mrcs', noise, 2, stack=True)
result = tessera('motion', 'noise.mrcs', '--hot', '0', '--patches', '2', '-o', 'p.mrc', '-f', '--tsv')
check('noise.mrcs: frames correlate no better than noise' in result.err and row(result)['motion_A'] == '0' and
      row(result)['patches'] == '0', 'noise', result)
equal(read('p.mrc'), noise.astype('f8').sum(0), 'the sum of noise', 1e-5)

# Two frames that moved.
pair = [large[:200, :256], fourier_shift(large[:200, :256], (3, -2))]
write('two.mrcs', np.stack(pair).astype('f4') + 5, APIX, stack=True)
result = tessera('motion', 'two.mrcs', '--hot', '0', '-o', 'p.mrc', '-f', '--shifts', 'two.tsv')
check(result.code == 0 and not result.err and np.abs(shifts_of('two.tsv')[1] - (-3, 2)).max() < 0.1, 'two frames', result)

# Without --patches: 5 x 5 where each has 200 pixels of what is aligned and there are 4 groups of frames.
noise = random.normal(10, 1, (5, 1000, 1020)).astype('f4') + np.tile(large, (2, 2))[:1000, :1020].astype('f4') * 10
for n, height, more, wanted in ((5, 1000, [], True), (5, 1000, ['--patches', '1'], False), (5, 999, [], False),
                                (3, 1000, [], False), (5, 1000, ['--group', '2'], False),
                                (5, 1000, ['--resolution', '5'], False)):
    write('usual.mrcs', noise[:n, :height], 2, stack=True)
    result = tessera('motion', 'usual.mrcs', '--hot', '0', *more, '-o', 'u.mrc', '-f', '--tsv')
    check(result.code == 0 and (row(result)['patches'] == '25') == wanted, f'usual patches: {n}, {height}, {more}', result)

# Wrong input.
write('plain.mrcs', frames[:3], 0, stack=True)
write('small.mrc', mask[:50])
nan = frames[:3].copy()
nan[1, 5, 6] = np.nan
write('nan.mrcs', nan, APIX, stack=True)
with open('outside.txt', 'w') as file:
    file.write('700 0 100 4\n')
with open('words.txt', 'w') as file:
    file.write('1 2 3\n')
for code, arguments, *parts in (
        (2, ['plain.mrcs'], '--apix'), (2, ['local.mrcs', '--weighted', 'n.mrc'], '--weighted requires the exposure'),
        (2, ['local.mrcs', '--gain', 'small.mrc'], '--gain has 1 images of 410 x 50; one of 768 x 768 is needed'),
        (2, ['local.mrcs', '--gain', 'small.mrc', '--gain-rot', '4'], '--gain-rot is 4'),
        (2, ['local.mrcs', '--defects', 'small.mrc'], '--defects has 1 images of 410 x 50; one of 768 x 768'),
        (3, ['local.mrcs', '--defects', 'outside.txt'], 'outside.txt has a box of 100 x 4 pixels at 700, 0'),
        (3, ['local.mrcs', '--defects', 'words.txt'], 'words.txt has 3 columns'),
        (2, ['local.mrcs', '--hot', '-1'], '--hot is -1'), (2, ['local.mrcs', '--bfactor', '-3'], '--bfactor is -3'),
        (2, ['local.mrcs', '--group', '0'], '--group is 0; 1 to'), (2, ['local.mrcs', '--group', '13'], '--group is 13; 1 to 12'),
        (2, ['local.mrcs', '--group', '99999999999'], '--group is 99999999999; 1 to'),
        (2, ['local.mrcs', '--gain-rot', '1'], '--gain-rot requires --gain'), (2, ['local.mrcs', '--pre', '2'], '--pre is 2'),
        (2, ['local.mrcs', '--patches', '90,1'], '--patches is 90,1'), (2, ['local.mrcs', '--patches', '2.5'], '--patches'),
        (2, ['local.mrcs', '--max-shift', '-2'], '--max-shift is -2'),
        (2, ['local.mrcs', '--max-local', '0'], '--max-local is 0; a number above 0'), (2, ['nan.mrcs', '--hot', '0'], 'NaN'),
        (2, ['local.mrcs', '--dose', '-1'], '--dose is -1'), (3, ['missing.mrcs'], 'missing.mrcs')):
    fails(tessera('motion', *arguments, '-o', 'none.mrc'), code, *parts)
check(not [f for f in left() if f.startswith('none') or f.startswith('n.mrc')], 'nothing is left behind')

# What is interrupted leaves nothing.
for wait in (0.05, 0.3, 0.8):
    process = subprocess.Popen([COMMAND, 'motion', 'local.mrcs', '--patches', '5,5', '-o', 'none.mrc', '--odd', 'none1.mrc',
                                '--shifts', 'none.star'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(wait)
    process.send_signal(signal.SIGTERM)
    done = process.wait() == 0
    check(done or not os.path.exists('none.mrc'), 'an interrupted job writes no sum')
    check(not [f for f in left() if 'none' in f and not f.startswith('none')], 'and no part of a file')
    for name in ('none.mrc', 'none1.mrc', 'none.star'):
        if os.path.exists(name):
            check(done or name != 'none.mrc', f'{name} is whole')
            os.remove(name)

# One frame, and many movies.
write('one.mrcs', frames[:1], APIX, stack=True)
equal(run('motion', 'one.mrcs', '--hot', '0'), frames[0], 'one frame', 1e-5)
result = tessera('motion', 'one.mrcs', 'nan.mrcs', '--slices', '0', '--hot', '0', '-o', 'out_{name}.mrc', '--shifts',
                 '{name}.star')
check(result.code == 0 and os.path.exists('out_nan.mrc') and os.path.exists('one.star'), 'many movies', result)

# Many movies as RELION's corrected_micrographs.star, which other verbs read.
many = ['motion', 'movie.mrcs', 'local.mrcs', 'two.mrcs', '--hot', '0', '--dose', '1.1', '--weighted', '{name}_dw.mrc', '--shifts',
        '{name}_m.star', '-o', '{name}_all.mrc', '--star', 'corrected_micrographs.star', '--cs', '2.6', '--amplitude', '0.07']
result = tessera(*many)
check(result.code == 0, 'many movies', result)
star = star_of('corrected_micrographs.star')
optics, rows = star['optics'], star['micrographs']
check(len(optics) == 1 and [optics[0][label] for label in (
    'rlnOpticsGroupName', 'rlnOpticsGroup', 'rlnMicrographOriginalPixelSize', 'rlnVoltage', 'rlnSphericalAberration',
    'rlnAmplitudeContrast', 'rlnMicrographPixelSize')] == ['opticsGroup1', '1', '1.25', '300', '2.6', '0.07', '1.25'], f'{optics}')
for name, found in zip(('movie', 'local', 'two'), rows):
    moved = star_of(f'{name}_m.star')['global_shift']
    moved = np.array([[float(r['rlnMicrographShiftX']), float(r['rlnMicrographShiftY'])] for r in moved])
    steps = np.hypot(*np.diff(moved, axis=0).T) * APIX
    early = 1.1 * np.arange(2, len(moved) + 1) <= 4
    for label, way in (('Total', steps.sum()), ('Early', steps[early].sum()), ('Late', steps[~early].sum())):
        check(abs(float(found[f'rlnAccumMotion{label}']) - way) < 2e-3, f'{name}: {label} {way} {found}')
    check([found[label] for label in ('rlnMicrographNameNoDW', 'rlnMicrographName', 'rlnMicrographMetadata', 'rlnOpticsGroup')] ==
          [f'{name}_all.mrc', f'{name}_dw.mrc', f'{name}_m.star', '1'], f'{found}')
check(len(rows) == 3, f'{len(rows)} rows')
result = tessera('ctf', 'fit', 'corrected_micrographs.star', '--tile', '128', '-o', 'fitted.star')
check(result.code == 0 and len(star_of('fitted.star')['micrographs']) == 3, 'CTFs of corrected micrographs', result)
fails(tessera(*many), 2, 'exists already')
fails(tessera('motion', 'movie.mrcs', '--cs', '2', '-o', 'none.mrc'), 2, '--star', 'require')
fails(tessera('motion', 'movie.mrcs', '--amplitude', '1', '--star', 'n.star', '-o', 'none.mrc'), 2, '--amplitude is 1')
finish()
