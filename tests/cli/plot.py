"""Plots: SVG that parses, texts inside the picture, curves where the ticks say they are, sizes of PNG files."""
import math
import os
import re
import xml.etree.ElementTree as ET

import numpy as np

from command import check, fails, finish, tessera
from support import png

SVG = '{http://www.w3.org/2000/svg}'
RAISED = str.maketrans('\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b', '0123456789-')
CURVE = re.compile('#(0072b2|d55e00|009e73|cc79a7|e69f00|56b4e9|464646)')
rng = np.random.default_rng(3)


def write(name, text):
    with open(name, 'w', encoding='utf-8') as file:
        file.write(text)
    return name


def table(name, columns, header=None, between='\t'):
    lines = [between.join(header)] if header else []
    lines += [between.join(repr(float(v)) for v in row) for row in zip(*columns)]
    return write(name, '\n'.join(lines) + '\n')


def number(text):
    """The number that a label shows."""
    text = text.replace('\u2212', '-')
    match = re.fullmatch('10([\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u207b]+)', text)
    if match:
        return 10.0 ** int(match.group(1).translate(RAISED))
    try:
        return float(text)
    except ValueError:
        return None


class Plot:
    """An SVG plot, taken apart."""

    def __init__(self, path):
        self.root = ET.parse(path).getroot()
        self.width, self.height = float(self.root.get('width')), float(self.root.get('height'))
        self.texts = list(self.root.iter(SVG + 'text'))
        self.words = [text.text for text in self.texts]
        clip = next(self.root.iter(SVG + 'rect'))
        x, y, w, h = (float(clip.get(k)) for k in ('x', 'y', 'width', 'height'))
        self.clip = x, y, x + w, y + h
        self.curves = [self.points(p) for p in self.root.find(SVG + 'g').iter(SVG + 'path')
                       if p.get('fill') == 'none' and CURVE.match(p.get('stroke', ''))]

    @staticmethod
    def points(path):
        numbers = [float(v) for v in re.findall(r'-?[\d.]+', path.get('d'))]
        return np.array(numbers).reshape(-1, 2)

    def ticks(self, axis):
        """Places and numbers of the labels below (x) or to the left (y)."""
        found = []
        for text in self.texts:
            x, y, value = float(text.get('x')), float(text.get('y')), number(text.text)
            below = y > self.clip[3] and text.get('text-anchor') == 'middle' and text.get('font-size') == '13'
            left = x < self.clip[0] and text.get('text-anchor') == 'end'
            if value is not None and (below if axis == 'x' else left):
                found.append((x, value) if axis == 'x' else (y - 0.36 * 13, value))
        return np.array(found)

    def scale(self, axis, is_log=False):
        """From the surface to numbers, by the labels alone."""
        ticks = self.ticks(axis)
        values = np.log10(ticks[:, 1]) if is_log else ticks[:, 1]
        slope, start = np.polyfit(ticks[:, 0], values, 1)
        straight = abs(np.polyval([slope, start], ticks[:, 0]) - values).max() <= abs(slope) * 0.02
        check(len(ticks) >= 2 and straight, f'labels of {axis} are where their numbers are: {ticks}')
        return lambda at: 10 ** (slope * at + start) if is_log else slope * at + start

    def data(self, i=0, logx=False, logy=False):
        points = self.curves[i]
        return self.scale('x', logx)(points[:, 0]), self.scale('y', logy)(points[:, 1])


def inside(plot, what):
    """Every text is inside the picture, by a width that no sans-serif font exceeds by much."""
    for text in plot.texts:
        x, y, size = (float(text.get(k)) for k in ('x', 'y', 'font-size'))
        length = 0.56 * size * len(text.text)
        back = {'middle': 0.5, 'end': 1}.get(text.get('text-anchor'), 0) * length
        box = (x - size, y - length + back, x + 0.25 * size, y + back) if text.get('transform') else \
            (x - back, y - 0.75 * size, x - back + length, y + 0.25 * size)
        good = box[0] >= -1 and box[1] >= -1 and box[2] <= plot.width + 1 and box[3] <= plot.height + 1
        check(good, f'{what}: "{text.text}" at {box} in {plot.width} x {plot.height}')


def draw(*arguments, what=None, **more):
    result = tessera('plot', *arguments, '-o', 'out.svg', '-f', **more)
    if not check(result.code == 0, f'plot {arguments}', result):
        return None
    plot = Plot('out.svg')
    inside(plot, what or arguments)
    return plot


def follows(plot, i, x, y, what, **axes):
    """Curve i goes through these points, within a fraction of a unit of the picture."""
    got_x, got_y = plot.data(i, **axes)
    span_x, span_y = np.ptp(plot.clip[::2]), np.ptp(plot.clip[1::2])
    f = np.log10 if axes.get('logx') else lambda v: v
    g = np.log10 if axes.get('logy') else lambda v: v
    wanted = np.interp(f(got_x), f(np.asarray(x)), g(np.asarray(y)))
    away = abs(g(got_y) - wanted).max() / max(np.ptp(g(np.asarray(y))), 1e-300) * span_y
    check(away < 0.5 and span_x > 0, f'{what}: off by {away} units')
    ends = abs(f(got_x[[0, -1]]) - f(np.asarray(x)[[0, -1]])).max()
    check(ends <= 0.002 * np.ptp(f(np.asarray(x))), f'{what}: its ends')


# ---- Curves ----

x = np.linspace(0, 10, 200)
table('two.tsv', [x, np.sin(x), np.cos(x) * 2], ['time', 'sine', 'cosine'])
plot = draw('two.tsv', '--title', 'A & B < C > "D"', '--ylabel', 'Signal (\u00c5)')
check(len(plot.curves) == 2, f'{len(plot.curves)} curves')
follows(plot, 0, x, np.sin(x), 'sine')
follows(plot, 1, x, np.cos(x) * 2, 'cosine')
check({'sine', 'cosine', 'time', 'Signal (\u00c5)', 'A & B < C > "D"'} <= set(plot.words), f'texts: {plot.words}')
plot = draw('two.tsv', '--y', 'cosine')
follows(plot, 0, x, np.cos(x) * 2, 'a column by name')
plot = draw('two.tsv', '--x', '2', '--y', '3', '--points')
check(len(plot.curves) == 0 and len(list(plot.root.iter(SVG + 'path'))) > 200, 'points')

for between in ',', ' ':
    table('other.txt', [x, x ** 2], None, between)
    follows(draw('other.txt'), 0, x, x ** 2, f'columns with "{between}" between them')
with open('two.tsv', 'rb') as file:
    plot = draw('-', '--y', 'sine', stdin=file.read().replace(b'\n', b'\r\n'))
follows(plot, 0, x, np.sin(x), 'standard input, CRLF')
write('single.txt', '# a comment\n1\n4\n\n9\n')
follows(draw('single.txt'), 0, [0, 1, 2], [1, 4, 9], 'one column: x is the row')

steep = np.cumsum(rng.normal(size=100000))
table('long.tsv', [np.arange(100000), steep])
plot = draw('long.tsv')
check(len(plot.curves[0]) < 15000, f'{len(plot.curves[0])} points of a long curve')
got = plot.data()[1]
check(abs(got.max() - steep.max()) < 0.01 * np.ptp(steep) and abs(got.min() - steep.min()) < 0.01 * np.ptp(steep),
      'its extremes are kept')

# ---- Axes ----

for low, high in ((0, 1), (-1, 1), (0, 7), (1e-9, 3e-9), (0, 2.5e6), (-3e5, 1e5), (99.98, 100.02), (-0.004, 0.011),
                  (5, 5)):
    table('range.tsv', [[0, 1, 2], [low, high, (low + high) / 2]])
    plot = draw('range.tsv', what=f'y from {low} to {high}')
    ticks = np.sort(plot.ticks('y')[:, 1])
    steps = np.diff(ticks)
    leading = steps[0] / 10 ** math.floor(math.log10(steps[0]) + 1e-9)
    check(3 <= len(ticks) <= 12 and abs(steps - steps[0]).max() < 1e-6 * steps[0], f'{low} to {high}: ticks {ticks}')
    check(min(abs(leading - k) for k in (1, 2, 5, 10)) < 1e-6, f'{low} to {high}: steps of {steps[0]}')
    power = [10.0 ** int(w[3:].translate(RAISED)) for w in plot.words if w.startswith('\u00d710')]
    real = ticks * (power[0] if power else 1)
    check(real[0] <= low + 1e-9 * abs(low) and real[-1] >= high - 1e-9 * abs(high), f'{low} to {high}: {real} holds it')

table('decades.tsv', [[0.001, 0.1, 10, 1000], [2, 300, 5e4, 9e6]])
plot = draw('decades.tsv', '--logx', '--logy')
follows(plot, 0, [0.001, 0.1, 10, 1000], [2, 300, 5e4, 9e6], 'log axes', logx=True, logy=True)
write('zeros.tsv', '0\t1\n1\t0\n2\t-5\n10\t100\n100\t10\nnan\t3\n1000\tinf\n')
result = tessera('plot', 'zeros.tsv', '--logx', '--logy', '-o', 'out.svg', '-f')
check(result.code == 0 and '5 points are not drawn' in result.err, 'zeros on log axes are left out, and told', result)
follows(draw('zeros.tsv', '--logx', '--logy', '-q'), 0, [10, 100], [100, 10], 'the rest is drawn', logx=True, logy=True)
write('gap.tsv', '0\t1\n1\t2\n2\tnan\n3\t4\n4\t3\n')
check(len(draw('gap.tsv').curves) == 2, 'a NaN is a gap')
write('point.tsv', '3\t5\n')
plot = draw('point.tsv')
check('3' in ' '.join(plot.words) and len(plot.curves) == 0, 'one point')
plot = draw('two.tsv', '--xrange', '2,4', '--yrange=-0.5,0.5', '--y', 'sine')
ticks = plot.ticks('x')[:, 1]
check(ticks.min() >= 2 and ticks.max() <= 4, 'a range that was asked for')

s = np.arange(1, 101) / 240
table('fsc.tsv', [s, 1 / (1 + np.exp((s - 0.2) * 50))], ['1/A', 'FSC'])
plot = draw('fsc.tsv', '--angstrom', '--line', '0.143', '--line', '0.5=half', '--vline', '0.2=5 \u00c5')
check({'Resolution (\u00c5)', '0.143', 'half', '5 \u00c5'} <= set(plot.words), f'{plot.words}')
to_x = plot.scale('x')
above = [(float(t.get('x')), number(t.text)) for t in plot.texts if float(t.get('y')) < plot.clip[1] + 1 and number(t.text)]
check(len(above) >= 4 and all(abs(to_x(at) - 1 / value) < 2e-3 for at, value in above), f'\u00c5 along the top: {above}')
dashed = [Plot.points(p) for p in plot.root.iter(SVG + 'path') if p.get('stroke-dasharray')]
check(len(dashed) == 3 and abs(plot.scale('y')(dashed[0][0, 1]) - 0.143) < 2e-3, 'reference lines')

# ---- The legend covers no curve ----

for seed in range(12):
    r = np.random.default_rng(seed)
    curves = [np.cumsum(r.normal(size=80)) for _ in range(r.integers(2, 9))]
    table('walks.tsv', [np.arange(80), *curves], ['x'] + [f'walk number {k}' for k in range(len(curves))])
    plot = draw('walks.tsv', what=f'walks {seed}')
    boxes = [Plot.points(p) for p in plot.root.iter(SVG + 'path') if p.get('fill-opacity') == '0.84']
    (x0, y0), (x1, y1) = boxes[-1].min(0), boxes[-1].max(0)
    for points in plot.curves:
        dense = np.concatenate([a + (b - a) * np.linspace(0, 1, 30)[:, None] for a, b in zip(points, points[1:])])
        hit = ((dense > (x0, y0)) & (dense < (x1, y1))).all(1)
        check(not hit.any(), f'walks {seed}: a curve behind the legend {x0, y0, x1, y1}')

# ---- Of files ----

image = rng.normal(2, 3, (64, 48)).astype(np.float32)
image[0, 0] = np.nan
np.save('image.npy', image)
plot = draw('--histogram', 'image.npy', '--bins', '20')
counts, edges = np.histogram(image[np.isfinite(image)], 20)
outline_x, outline_y = plot.data()
tops = outline_y[1:-1:2]
check(abs(outline_x[[0, -1]] - edges[[0, -1]]).max() < 0.01 * np.ptp(edges), 'histogram: its range')
check(len(tops) == 20 and abs(tops - counts).max() <= 0.005 * counts.max() + 0.5, f'histogram: {tops} for {counts}')
long = 'a text that is far too long for the room there is ' * 8
plot = draw('two.tsv', '--title', long, '--xlabel', long, '--ylabel', long, '--size', '500x300', what='long titles')
check(sum(word.endswith('\u2026') for word in plot.words) == 3, 'long titles are cut')
plot = draw(write('tiny.tsv', '1 1e-300\n2 2e-300\n'), what='tiny numbers')
check(np.ptp(plot.curves[0][:, 1]) > 300, 'tiny numbers fill the plot')
plot = draw('--histogram', 'image.npy', '--range', '0,4', '--bins', '8', '--logy', '--title', 'Values')
counts = np.histogram(image, 8, (0, 4))[0]
tops = plot.data(logy=True)[1][1:-1:2]
check(abs(tops / counts - 1).max() < 0.05, f'histogram over a range: {tops} for {counts}')

finite = np.where(np.isfinite(image), image, 0)
np.save('finite.npy', finite)
plot = draw('--radial', 'finite.npy', '--apix', '2')
yy, xx = np.mgrid[:64, :48]
shell = np.floor(np.hypot(yy - 32, xx - 24) + 0.5).astype(int)
means = np.array([finite[shell == k].mean(dtype=float) for k in range(24)])
follows(plot, 0, np.arange(24) * 2.0, means, 'radial mean')
check('Radius (\u00c5)' in plot.words, 'in \u00c5 where the pixel size is known')
plot = draw('--spectrum', 'finite.npy')
size = np.sqrt(np.add.outer(np.fft.fftfreq(64) ** 2, np.fft.fftfreq(48) ** 2))
power = abs(np.fft.fft2(finite.astype(float))) ** 2 / finite.size
shell = np.floor(size * 48 + 0.5 + 1e-9).astype(int)
means = np.array([power[shell == k].mean() for k in range(25)])
follows(plot, 0, np.arange(1, 25) / 48, means[1:], 'power', logy=True)
volume = rng.normal(size=(16, 18, 20)).astype(np.float32)
np.save('volume.npy', volume)
zz, yy, xx = np.mgrid[:16, :18, :20]
shell = np.floor(np.sqrt((zz - 8.0) ** 2 + (yy - 9.0) ** 2 + (xx - 10.0) ** 2) + 0.5).astype(int)
means = np.array([volume[shell == k].mean(dtype=float) for k in range(8)])
follows(draw('--radial', 'volume.npy', '--as', 'volume'), 0, np.arange(8), means, 'radial mean of a volume')
several = rng.normal(size=(3, 16, 18, 20)).astype(np.float32)
np.save('several.npy', several)
size = np.sqrt(sum(f ** 2 for f in np.meshgrid(*(np.fft.fftfreq(n) for n in (16, 18, 20)), indexing='ij')))
power = (abs(np.fft.fftn(several.astype(float), axes=(1, 2, 3))) ** 2).mean(0) / several[0].size
shell = np.floor(size * 16 + 0.5 + 1e-9).astype(int)
means = np.array([power[shell == k].mean() for k in range(9)])
plot = draw('--spectrum', 'several.npy')
follows(plot, 0, np.arange(1, 9) / 16, means[1:], 'power of volumes', logy=True)
rows = tessera('radial', '--power', '--tsv', 'several.npy').out.splitlines()[1:]
printed = np.array([float(row.split('\t')[-1]) for row in rows])
check(abs(printed / means - 1).max() < 1e-5, 'radial --power says the same')
rows = tessera('radial', '--power', '--tsv', 'image.npy').out.splitlines()[1:]
check(all(row.endswith('\tnan') for row in rows), 'a NaN makes all power NaN')

# ---- PNG and terminals ----

result = tessera('plot', 'two.tsv', '-o', 'out.png', '-f')
pixels = png.read('out.png')
check(pixels.shape == (1000, 1600, 3) and (pixels[0, 0] == 255).all(), f'size of a PNG: {pixels.shape}')
for colour in ((0, 114, 178), (213, 94, 0)):
    check((pixels == colour).all(2).sum() > 500, f'a curve of {colour}')
tessera('plot', 'two.tsv', '-o', 'out.png', '-f', '--size', '400x300', '--scale', '1')
check(png.read('out.png').shape == (300, 400, 3), '--size and --scale')
window = {'COLUMNS': '70', 'LINES': '24', 'TERM': 'xterm-256color', 'NO_COLOR': '', 'LC_ALL': 'C.UTF-8'}
result = tessera('plot', 'two.tsv', '--terminal', 'half', environment=window)
plain = re.sub('\033\\[[0-9;]*m', '', result.out)
lines = plain.rstrip('\n').split('\n')
check(max(map(len, lines)) <= 70 and len(lines) <= 24 and any('\u2800' < c < '\u28ff' for c in plain), 'braille', result)
check('sine' in plain and 'time' in plain and '\u22122' in plain, 'texts in a terminal', result)
result = tessera('plot', 'two.tsv', '--terminal', 'ascii', environment=window)
check(result.code == 0 and result.out.isascii() and '\033' not in result.out, 'ASCII without colours', result)
result = tessera('plot', 'two.tsv', '--terminal', 'sixel', environment=window)
check(png.from_sixel(result.bytes).shape[1] <= 70 * 9, 'pixels in a terminal')

# ---- What is rejected ----

fails(tessera('plot', 'two.tsv'), 2, 'not a terminal')
fails(tessera('plot', 'two.tsv', '-o', 'x.pdf'), 2, '"x.pdf"', '.svg')
fails(tessera('plot', 'two.tsv', '-o', 'out.svg'), 2, 'out.svg')
fails(tessera('plot', 'missing.tsv', '-o', 'new.svg'), 3, 'missing.tsv', 'No such file')
fails(tessera('plot', write('empty.tsv', '\n# nothing\n'), '-o', 'new.svg'), 3, 'empty.tsv', 'no rows')
fails(tessera('plot', write('words.tsv', 'a\tb\nx\ty\n'), '-o', 'new.svg'), 2, 'no second column')
fails(tessera('plot', 'finite.npy', '-o', 'new.svg'), 3, 'finite.npy', 'zero byte')
fails(tessera('plot', 'two.tsv', '--y', 'nothing', '-o', 'new.svg'), 2, '--y is "nothing"', '1 to 3', '"time"')
fails(tessera('plot', 'two.tsv', '--x', '4', '-o', 'new.svg'), 2, '--x is "4"')
fails(tessera('plot', 'two.tsv', '--line', 'high', '-o', 'new.svg'), 2, '--line is "high"')
fails(tessera('plot', 'two.tsv', '--size', '10x10', '-o', 'new.svg'), 2, '--size is "10x10"', '800x500')
fails(tessera('plot', 'two.tsv', '--scale', '99', '-o', 'new.svg'), 2, '--scale is 99')
fails(tessera('plot', 'two.tsv', '--xrange', '3,1', '-o', 'new.svg'), 2, '--xrange is "3,1"')
fails(tessera('plot', 'two.tsv', '--logx', '--xrange=-1,1', '-o', 'new.svg'), 2, 'range of x', 'positive')
fails(tessera('plot', 'two.tsv', '--angstrom', '--logx', '-o', 'new.svg'), 2, '--angstrom and --logx')
fails(tessera('plot', write('negative.tsv', '1 -1\n2 -2\n'), '--logy', '-o', 'new.svg'), 2, 'none of the 2 points', 'above 0')
fails(tessera('plot', '--histogram', '--radial', 'finite.npy', '-o', 'new.svg'), 2, 'one of --histogram')
fails(tessera('plot', '--histogram', 'finite.npy', '--x', '1', '-o', 'new.svg'), 2, 'only to tables')
fails(tessera('plot', '--histogram', 'finite.npy', '--bins', '0', '-o', 'new.svg'), 2, '--bins is 0')
fails(tessera('plot', '--spectrum', 'finite.npy', '--angstrom', '-o', 'new.svg'), 2, '--apix')
np.save('complex.npy', np.ones((4, 4), np.complex64))
fails(tessera('plot', '--histogram', 'complex.npy', '-o', 'new.svg'), 2, 'complex')
check(not os.path.exists('new.svg'), 'nothing is written by what fails')
result = tessera('plot', 'two.tsv', '-o', 'new.svg', '--dry-run')
check(result.code == 0 and not os.path.exists('new.svg'), '--dry-run', result)

# ---- STAR files ----
FSC = 'rlnFourierShellCorrelationCorrected'
rows = ''.join(f'{k} {k / 128:.6f} {128 / max(k, 0.1):.4f} {np.exp(-k / 20):.6f}\n' for k in range(64))
post = write('postprocess.star', f"""
# version 30001

data_general

_rlnFinalResolution 3.2
_rlnBfactorUsedForSharpening -80

data_fsc

loop_
_rlnSpectralIndex #1
_rlnResolution #2
_rlnAngstromResolution #3
_{FSC} #4
{rows}

data_guinier

loop_
_rlnResolutionSquared #1
_rlnLogAmplitudesOriginal #2
_rlnLogAmplitudesWeighted #3
0.01 -3 -4
0.02 -4 -5
0.03 -5 -5.5
""")
mtf = write('mtf.star', """
data_
loop_
_rlnResolutionInversePixel
_rlnMtfValue
""" + ''.join(f'{k / 100} {1 - k / 100}\n' for k in range(51)))

result = tessera('plot', post, '-o', 'star.svg')
fails(result, 2, '--x and --y', 'table general', 'table fsc, 64 rows', FSC, 'rlnLogAmplitudesWeighted')
check(not os.path.exists('star.svg'), 'nothing is drawn')
for more in ([], ['--table', 'fsc'], ['--table', 'data_fsc']):
    result = tessera('plot', post, '--x', 'rlnResolution', '--y', '_' + FSC, *more, '-o', 'star.svg', '-f')
    check(result.code == 0, 'by names of columns', result)
    plot = Plot('star.svg')
    check('rlnResolution' in plot.words and len(plot.curves) == 1 and len(plot.curves[0]) >= 40, 'the FSC curve',
          plot.words)
check(tessera('plot', post, '--table', 'fsc', '--x', '2', '--y', '4', '-o', 'star.svg', '-f').code == 0, 'by numbers')
fails(tessera('plot', post, '--table', 'fcs', '-o', 'n.svg'), 2, 'no such table: fcs', 'table fsc')
fails(tessera('plot', post, '--table', 'fsc', '-o', 'n.svg'), 2, 'table fsc has 4 columns', '--x and --y', FSC)
fails(tessera('plot', post, '--table', 'general', '-o', 'n.svg'), 2, 'table general has pairs of names and values')
fails(tessera('plot', post, '--table', 'fsc', '--x', 'nope', '-o', 'n.svg'), 2, 'table fsc has no column nope', FSC)
fails(tessera('plot', post, '--table', 'fsc', '--x', '1', '--y', '2,nope', '-o', 'n.svg'), 2, 'table fsc has no column nope')
fails(tessera('plot', post, '--x', 'nope', '-o', 'n.svg'), 2, 'no table has rows with nope;')
empty = write('empty.star', 'data_guinier\nloop_\n_rlnResolutionSquared\n_rlnLogAmplitudesOriginal\n\n')
fails(tessera('plot', empty, '--table', 'guinier', '-o', 'n.svg'), 2, 'table guinier has no rows')
for more in ([], ['--table', 'fsc']):
    result = tessera('plot', post, '--x', 'rlnResolution', *more, '-o', 'star.svg', '-f')
    check(result.code == 0 and len(Plot('star.svg').curves) == 3, '--x alone: all others are drawn', result)
fails(tessera('plot', post, '--x', 'rlnResolution', '--y', 'rlnNothing', '-o', 'n.svg'), 2,
      'no table has rows with rlnResolution and rlnNothing')
fails(tessera('plot', post, '--x', '1', '--y', '2', '-o', 'n.svg'), 2, '2 tables have such columns', '--table')
result = tessera('plot', mtf, '-o', 'mtf.svg')
check(result.code == 0 and 'rlnResolutionInversePixel' in Plot('mtf.svg').words, 'two columns need no names', result)
names = write('particles.star', 'data_particles\nloop_\n_rlnImageName\n_rlnDefocusU\n_rlnDefocusV\n' +
              ''.join(f'{k}@s.mrcs {10000 + k} {9000 + k * k}\n' for k in range(1, 9)))
result = tessera('plot', names, '--x', 'rlnDefocusU', '--y', 'rlnDefocusV', '--points', '-o', 'u.svg')
check(result.code == 0 and result.err == '', 'beside a column of names', result)
fails(tessera('plot', names, '--x', 'rlnDefocusU', '--y', 'rlnImageName', '-o', 'n.svg'), 2, 'rlnImageName', 'has no numbers')
fails(tessera('plot', names, '--x', 'rlnImageName', '--y', 'rlnDefocusU', '-o', 'n.svg'), 2, 'rlnImageName', 'has no numbers')
fails(tessera('plot', write('t.tsv', '1 2\n3 4\n'), '--table', 'fsc', '-o', 'n.svg'), 2, '--table requires a STAR file')

finish()
