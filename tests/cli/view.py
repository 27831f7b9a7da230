"""Pictures of files: every pixel against NumPy, read by a PNG reader of our own."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios

import numpy as np

import command
from command import check, fails, finish, tessera
from support import png

rng = np.random.default_rng(7)
NAN = (178, 60, 110)
GAP = (36, 40, 48)


def save(name, array):
    np.save(name, array)
    return name


def picture(*arguments, **more):
    result = tessera('view', *arguments, '-o', 'out.png', '-f', **more)
    if not check(result.code == 0, f'view {arguments}', result):
        return np.zeros((1, 1, 3), np.uint8)
    return png.read('out.png')


def grey(values, low, high, invert=False):
    level = np.clip((np.asarray(values, np.float64) - low) * (255 / (high - low)), 0, 255)
    return np.floor((255 - level if invert else level) + 0.5).astype(int)


def same(image, wanted, what, most=0):
    """The picture is grey and, row 0 at the bottom, these levels; rounding may differ by `most`."""
    wanted = np.asarray(wanted)[::-1]
    good = image.shape[:2] == wanted.shape and (image == image[:, :, :1]).all()
    away = abs(image[:, :, 0].astype(int) - wanted).max() if good else -1
    check(good and away <= most, f'{what}: {image.shape} for {wanted.shape}, off by {away}')


# ---- Contrast ----

ramp = np.arange(64, dtype=np.float32).reshape(8, 8)
save('ramp.npy', ramp)
same(picture('ramp.npy', '--minmax', '--zoom', 1), grey(ramp, 0, 63), 'minmax')
same(picture('ramp.npy', '--minmax', '--zoom', 3), np.kron(grey(ramp, 0, 63), np.ones((3, 3), int)), 'zoom')
same(picture('ramp.npy', '--minmax'), np.kron(grey(ramp, 0, 63), np.ones((64, 64), int)), 'small pictures grow')
same(picture('ramp.npy', '--range', '10,20', '--zoom', 1), grey(ramp, 10, 20), 'range')
same(picture('ramp.npy', '--range=-10,100', '--invert', '--zoom', 1), grey(ramp, -10, 100, True), 'invert')
noise = rng.normal(3, 2, (40, 30)).astype(np.float32)
save('noise.npy', noise)
mean, sd = noise.mean(dtype=float), noise.std(dtype=float)
same(picture('noise.npy', '--zoom', 1), grey(noise, mean - 3 * sd, mean + 3 * sd), 'three sigma', 1)
same(picture('noise.npy', '--sigma', '1.5', '--zoom', 1), grey(noise, mean - 1.5 * sd, mean + 1.5 * sd), 'sigma', 1)
low, high = np.percentile(noise.astype(float), [5, 90])
same(picture('noise.npy', '--percentile', '5,90', '--zoom', 1), grey(noise, low, high), 'percentile', 1)
whole = rng.integers(-30000, 30000, (16, 16)).astype(np.int16)
save('whole.npy', whole)
same(picture('whole.npy', '--minmax', '--zoom', 1), grey(whole, float(whole.min()), float(whole.max())), 'i16', 1)
waves = (rng.normal(size=(12, 12)) + 1j * rng.normal(size=(12, 12))).astype(np.complex64)
save('waves.npy', waves)
same(picture('waves.npy', '--range', '0,3', '--zoom', 1), grey(abs(waves), 0, 3), 'magnitudes of complex numbers', 1)

holes = noise.copy()
holes[3:6, 4:9] = np.nan
holes[20, 20], holes[21, 21] = np.inf, -np.inf
save('holes.npy', holes)
image = picture('holes.npy', '--zoom', 1)[::-1]
check((image[3:6, 4:9] == NAN).all(), 'NaN has a colour of its own')
check((image[20, 20] == 255).all() and (image[21, 21] == 0).all(), 'infinities are white and black')
finite = holes[np.isfinite(holes)].astype(float)
good = np.isfinite(holes)
wanted = grey(np.where(good, holes, 0), finite.mean() - 3 * finite.std(), finite.mean() + 3 * finite.std())
check(abs(image[:, :, 0].astype(int) - wanted)[good].max() <= 1, 'the rest as if they were not there')
save('all_nan.npy', np.full((4, 4), np.nan, np.float32))
check((picture('all_nan.npy', '--zoom', 1) == NAN).all(), 'NaN alone')
for value in (0, 7, -1e20, 1e-20):
    save('constant.npy', np.full((5, 6), value, np.float32))
    image = picture('constant.npy', '--zoom', 1)
    check((abs(image.astype(int) - 128) <= 1).all(), f'a constant image of {value} is grey: {image[0, 0]}')

# ---- Sizes ----

large = rng.normal(size=(120, 200)).astype(np.float32)
save('large.npy', large)
blocks = large.astype(float).reshape(60, 2, 100, 2).mean((1, 3))
same(picture('large.npy', '--width', 100, '--range=-2,2'), grey(blocks, -2, 2), 'mean of blocks', 1)


def shares(n, m):
    """How much of each of n pixels goes to each of m."""
    edges = np.arange(m + 1) * n / m
    return np.array([[max(0, min(i + 1, edges[k + 1]) - max(i, edges[k])) for i in range(n)] for k in range(m)])


rows, columns = shares(120, 42), shares(200, 70)
area = rows @ large.astype(float) @ columns.T / (120 / 42 * 200 / 70)
same(picture('large.npy', '--width', 70, '--range=-1,1'), grey(area, -1, 1), 'mean of areas', 1)
save('one.npy', np.full((1, 1), 5, np.float32))
check(picture('one.npy').shape == (512, 512, 3), 'one pixel')
save('row.npy', np.arange(300, dtype=np.float32).reshape(1, 300))
check(picture('row.npy', '--zoom', 1).shape == (1, 300, 3), 'one row')
save('column.npy', np.arange(300, dtype=np.float32).reshape(300, 1))
check(picture('column.npy', '--zoom', 1).shape == (300, 1, 3), 'one column')

# ---- Montages ----

stack = rng.normal(size=(7, 1, 10, 12)).astype(np.float32) + np.arange(7, dtype=np.float32)[:, None, None, None]
save('stack.npy', stack)
image = picture('stack.npy', '--montage', '3x', '--gap', 2, '--zoom', 1, '--range=-3,9')
check(image.shape == (3 * 10 + 2 * 2, 3 * 12 + 2 * 2, 3), f'size of a montage: {image.shape}')
for i in range(7):
    y, x = i // 3 * 12, i % 3 * 14
    same(image[y:y + 10, x:x + 12], grey(stack[i, 0], -3, 9), f'image {i} of a montage')
check((image[:10, 12:14] == GAP).all() and (image[24:, 14:] == GAP).all(), 'gaps, and places without an image')
image = picture('stack.npy', '--montage', '3x', '--gap', 0, '--zoom', 1)
same(image[:10, :12], grey(stack[0, 0], stack[0].mean() - 3 * stack[0].std(), stack[0].mean() + 3 * stack[0].std()),
     'each image has its contrast', 1)
image = picture('stack.npy', '--montage', '3x', '--gap', 0, '--zoom', 1, '--contrast', 'together')
low, high = stack.mean() - 3 * stack.std(), stack.mean() + 3 * stack.std()
same(image[:10, :12], grey(stack[0, 0], low, high), 'one contrast for all', 1)
result = tessera('view', 'stack.npy', '--montage', '2x2', '-o', 'out.png', '-f')
check('the first 4 of 7 images' in result.err, 'a montage that leaves some out says so', result)
image = picture('stack.npy', '--slices', '6,0', '--gap', 0, '--zoom', 1, '--range=-3,9')
same(image[:, :12], grey(stack[6, 0], -3, 9), 'chosen images make a montage')
same(picture('stack.npy', '--slice', 4, '--zoom', 1, '--range=-3,9'), grey(stack[4, 0], -3, 9), 'one slice')
same(picture('stack.npy', '--slice', 5, '--from-one', '--zoom', 1, '--range=-3,9'), grey(stack[4, 0], -3, 9), 'from 1')
same(picture('stack.npy', '--zoom', 1, '--range=-3,9'), grey(stack[0, 0], -3, 9), 'the first image of a stack')
numbered = picture('stack.npy', '--montage', '3x', '--zoom', 8, '--gap', 0, '--range', '100,101', '--numbers')
check((numbered[:20, :40] > 200).any() and not (numbered[30:80, :96] > 100).any(), 'numbers in the corners')

# ---- Volumes ----

volume = rng.normal(size=(9, 11, 14)).astype(np.float32)
save('volume.npy', volume)
same(picture('volume.npy', '--as', 'volume', '--zoom', 1, '--range=-2,2'), grey(volume[4], -2, 2), 'the middle section')
image = picture('volume.npy', '--as', 'volume', '--orth', '--at', '5,6,7', '--gap', 2, '--zoom', 1, '--range=-2,2')
check(image.shape == (9 + 2 + 11, 14 + 2 + 9, 3), f'size of three views: {image.shape}')
views = {'xz': (image[:9, :14], volume[:, 6, :]), 'xy': (image[11:, :14], volume[7]),
         'zy': (image[11:, 16:], volume[:, :, 5].T)}
for name, (part, plane) in views.items():
    marks = ~(part == part[:, :, :1]).all(2)
    wanted = grey(plane, -2, 2)[::-1]
    away = abs(part[:, :, 0].astype(int) - wanted)[~marks]
    check(marks.mean() < 0.35 and away.max() == 0, f'{name}: {marks.mean()} marked')
check((image[:9, 16:] == GAP).all(), 'nothing in the fourth corner')

# ---- Fourier space ----

size = np.sqrt(np.add.outer(np.fft.fftfreq(40) ** 2, np.fft.rfftfreq(30) ** 2))


def filtered(values, cutoff, edge):
    gain = np.where(size <= cutoff - edge / 2, 1.0, np.where(size >= cutoff + edge / 2, 0.0,
                    0.5 + 0.5 * np.cos(np.pi * (size - cutoff + edge / 2) / edge)))
    return np.fft.irfft2(np.fft.rfft2(values.astype(float)) * gain, values.shape)


wanted = grey(filtered(noise, 0.2, 2 / 30), 1, 5)
same(picture('noise.npy', '--lowpass', '0.2/px', '--range', '1,5', '--zoom', 1), wanted, 'low-pass', 1)
wanted = grey(filtered(noise, 2.0 / 12, 0.1), 1, 5)
same(picture('noise.npy', '--lowpass', '12', '--apix', 2, '--edge', '0.1/px', '--range', '1,5', '--zoom', 1), wanted,
     'low-pass in \u00c5', 1)
power = np.fft.fftshift(abs(np.fft.fft2((noise - mean) / sd)) ** 2)
same(picture('noise.npy', '--power', '--range', '2,9', '--zoom', 1), grey(np.log1p(power), 2, 9), 'power spectrum', 1)
check(picture('large.npy', '--power', '--zoom', 1).shape == (120, 200, 3), 'size of a power spectrum')
wide = save('wide.npy', rng.normal(size=(1024, 600)).astype(np.float32))
check(picture(wide, '--power').shape == (512, 300, 3), 'a large one is averaged')

# ---- Scale bars ----


def bar_length(image):
    """The longest run of white between other pixels in the lower left."""
    best = 0
    for row in (image[-60:, :200] == 255).all(2):
        edges = np.flatnonzero(~row)
        best = max(best, (np.diff(edges) - 1).max(initial=0))
    return best


save('black.npy', np.zeros((300, 400), np.float32))
for apix, pixels in ((50, 100), (1, 100), (0.3, 67), (1.35, 74), (1000, 100), (0.01, 100)):
    for low in (-1, 1):
        image = picture('black.npy', '--range', f'{low - 0.5},{low + 0.5}', '--scalebar', '--apix', apix, '--zoom', 1)
        background = 0 if low == 1 else 255
        check(bar_length(image) == pixels, f'{apix} A/px: a bar of {bar_length(image)}, not {pixels} pixels')
        check((image[:200] == background).all() and (image[:, 200:] == background).all(), 'the bar stays in its corner')
result = tessera('view', 'black.npy', '--scalebar', '-o', 'out.png', '-f')
fails(result, 2, '--apix')

# ---- Terminals ----

wanted = picture('noise.npy', '--width', 60, '--zoom', 1)
got = png.from_sixel(tessera('view', 'noise.npy', '--terminal', 'sixel', '--zoom', 1).bytes)
check(got.shape == wanted.shape and abs(got - wanted.astype(float)).max() <= 6, f'sixel: {got.shape}', None)
truecolor = {'COLORTERM': 'truecolor', 'TERM': 'xterm-256color', 'NO_COLOR': '', 'COLUMNS': '80', 'LINES': '40'}
result = tessera('view', 'noise.npy', '--terminal', 'half', '--zoom', 1, environment=truecolor)
got = png.from_half_blocks(result.out)
check(got.shape == wanted.shape and (got == wanted).all(), f'half-blocks: {got.shape}')
result = tessera('view', 'noise.npy', '--terminal', 'half', environment={**truecolor, 'COLORTERM': ''})
check('\033[38;5;' in result.out and '\033[38;2;' not in result.out, 'half-blocks in 256 colours')
result = tessera('view', 'ramp.npy', '--minmax', '--terminal', 'ascii', environment=truecolor)
lines = result.out.split('\n')
check(set(result.out) <= set(' .:-=+*#%@\n') and lines[0][-1] == '@' and lines[-2][0] == ' ', 'letters', result)
check(max(len(line) for line in lines) <= 80 and len(lines) <= 40, 'letters fit the window')


def in_terminal(environment, *arguments):
    """What the command writes to a terminal of 60 x 20 characters."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 20, 60, 0, 0))
    clean = {k: v for k, v in os.environ.items() if k not in ('NO_COLOR', 'COLORTERM', 'TERM', 'TERM_PROGRAM', 'TMUX',
             'KONSOLE_VERSION', 'LC_TERMINAL', 'LC_ALL', 'LC_CTYPE', 'LANG')}
    process = subprocess.Popen([command.COMMAND, *arguments], stdout=slave, stderr=subprocess.PIPE, stdin=slave,
                               env={**clean, **environment})
    os.close(slave)
    data = b''
    while True:
        ready, _, _ = select.select([master], [], [], 20 * command.TIME_FACTOR)
        try:
            part = os.read(master, 65536) if ready else b''
        except OSError:
            part = b''
        if not part:
            break
        data += part
    os.close(master)
    check(process.wait() == 0, f'{arguments} in a terminal: {process.stderr.read()}')
    process.stderr.close()
    return data.replace(b'\r\n', b'\n')


utf8 = {'LANG': 'C.UTF-8', 'TERM': 'xterm-256color'}
for environment, sign in (({**utf8, 'COLORTERM': 'truecolor'}, b'\x1b[38;2;'), (utf8, b'\x1b[38;5;'),
                          ({**utf8, 'TERM_PROGRAM': 'iTerm.app'}, b'\x1bPq'),
                          ({**utf8, 'TERM': 'foot'}, b'\x1bPq'),
                          ({**utf8, 'TERM': 'tmux-256color', 'TERM_PROGRAM': 'WezTerm'}, b'\x1b[38;5;')):
    check(in_terminal(environment, 'view', 'noise.npy').startswith(sign), f'{environment} shows by {sign}')
for environment in ({**utf8, 'NO_COLOR': '1'}, {**utf8, 'LANG': 'C'}, {**utf8, 'TERM': 'dumb'}):
    shown = in_terminal(environment, 'view', 'large.npy').decode()
    lines = shown.split('\n')
    check(set(shown) <= set(' .:-=+*#%@\n'), f'{environment}: letters')
    check(max(map(len, lines)) <= 60 and len(lines) <= 20, f'{environment}: {len(lines)} lines')

# ---- What is rejected ----

fails(tessera('view', 'noise.npy'), 2, 'not a terminal', '-o')
fails(tessera('view', 'noise.npy', '-o', 'new.png', '--dtype', 'f32'), 2, '--dtype')
for verb in ('view', 'plot'):
    said = tessera(verb, '--help').out + tessera('help', verb).out
    check(not any(word in said for word in ('--dtype', '--mode', '--compress')), f'{verb} has no such choice')
fails(tessera('view', 'noise.npy', '-o', 'x.jpg'), 2, '"x.jpg"', '.png')
fails(tessera('view', 'noise.npy', '-o', 'out.png'), 2, 'out.png')
fails(tessera('view', 'missing.npy', '-o', 'new.png'), 3, 'missing.npy')
fails(tessera('view', 'noise.npy', '-o', 'nowhere/x.png'), 3, 'nowhere')
fails(tessera('view', 'noise.npy', '--sigma', '0', '-o', 'new.png'), 2, '--sigma is 0')
fails(tessera('view', 'noise.npy', '--sigma', '2', '--minmax', '-o', 'new.png'), 2, 'one of --sigma')
fails(tessera('view', 'noise.npy', '--range', '5,1', '-o', 'new.png'), 2, '--range is "5,1"', 'smaller first')
fails(tessera('view', 'noise.npy', '--range', '5', '-o', 'new.png'), 2, '--range is "5"')
fails(tessera('view', 'noise.npy', '--percentile=-1,50', '-o', 'new.png'), 2, '--percentile is -1,50', '0 to 100')
fails(tessera('view', 'stack.npy', '--slice', '7', '-o', 'new.png'), 2, '--slice is 7', '0 to 6')
fails(tessera('view', 'stack.npy', '--slice', '0', '--from-one', '-o', 'new.png'), 2, '--slice is 0', '1 to 7')
fails(tessera('view', 'stack.npy', '--montage', '0x', '-o', 'new.png'), 2, '--montage is "0x"', '8x4')
fails(tessera('view', 'stack.npy', '--montage', '3x-2', '-o', 'new.png'), 2, '--montage is "3x-2"')
fails(tessera('view', 'stack.npy', '--orth', '-o', 'new.png'), 2, 'a volume is needed')
fails(tessera('view', 'volume.npy', '--as', 'volume', '--orth', '--at', '1,2', '-o', 'new.png'), 2, '--at is "1,2"')
fails(tessera('view', 'volume.npy', '--as', 'volume', '--orth', '--at', '1,2,9', '-o', 'new.png'), 2, 'z = 9', '0 to 8')
fails(tessera('view', 'noise.npy', '--power', '--scalebar', '-o', 'new.png'), 2, '--scalebar and --power')
fails(tessera('view', 'noise.npy', '--orth', '--montage', '2x', '-o', 'new.png'), 2, 'one of --slice')
fails(tessera('view', 'noise.npy', '--edge', '2', '-o', 'new.png'), 2, '--edge requires --lowpass')
fails(tessera('view', 'noise.npy', '--lowpass', '8', '-o', 'new.png'), 2, '--apix')
fails(tessera('view', 'noise.npy', '--zoom', '0', '-o', 'new.png'), 2, '--zoom is 0', '1 to 256')
fails(tessera('view', 'noise.npy', '--width', '5', '-o', 'new.png'), 2, '--width is 5')
check(not os.path.exists('new.png'), 'nothing is written by what fails')
result = tessera('view', 'noise.npy', '-o', 'new.png', '--dry-run')
check(result.code == 0 and 'new.png' in result.out and not os.path.exists('new.png'), '--dry-run', result)
result = tessera('view', 'noise.npy', '-o', '-', '--zoom', 1)
check(result.code == 0 and png.decode(result.bytes).shape == (40, 30, 3), 'standard output', None)
result = tessera('view', 'noise.npy', '-o', 'new.png', '-v', '--minmax')
check('pixels' in result.err and 'is black' in result.err, 'what was shown, with -v', result)

# ---- Maps: percentiles, where nothing is said ----
blob = np.zeros((16, 40, 40), 'f4')
blob[8] = rng.normal(0, 0.01, (40, 40))
blob[8, 15:25, 15:25] += 1
np.save('blob.npy', blob[None])
low, high = np.percentile(blob[8].astype(float), [0.5, 99.5])
same(picture('blob.npy', '--zoom', 1), grey(blob[8], low, high), 'a map by percentiles', 1)
same(picture('blob.npy', '--zoom', 1, '--percentile', '0.5,99.5'), grey(blob[8], low, high), 'the same as with the option', 1)
check(not np.array_equal(picture('blob.npy', '--sigma', 3, '--zoom', 1), picture('blob.npy', '--zoom', 1)), '--sigma 3')

finish()
