"""tessera demo: it runs, its results are near the truth, and its page is complete, by itself, and looks as it should in a
browser where one is installed. The lines of docs/tutorial.md are those of the demo, or run on its files."""
import base64
import os
import re
import shlex
import shutil
import subprocess

import numpy as np

from command import COMMAND, ROOT, TIME_FACTOR, check, fails, finish, left, lines_of, skip, tessera
from images import data_bytes, read
from support.page import Page
from support.particles import fsc, matrix, rows

DEMO = 'tour/demo'
APIX, BOX = 1.5, 64
ALL = os.environ.get('TESS_TEST_SAMPLE', '8') == '1'

result = tessera('demo', '-o', DEMO)
check(result.code == 0, 'it runs', result)
check(left() == ['tour'] and os.listdir('tour') == ['demo'], 'all of it is in its folder')
shown = re.findall(r'^  \$ (.*)$', result.out, re.M)
text = open(f'{DEMO}/index.html', encoding='utf-8').read()
page = Page(text)

# ---- Nothing is missing ----
check(not page.open and not page.faults, f'elements are closed in order: {page.open}, {page.faults}')
check(page.commands == shown and page.steps == len(shown) > 10, f'a step for each command: {page.commands}')
check(len(page.ids) == len(set(page.ids)), 'ids differ')
for use in page.uses:
    check(use.startswith('data:') or (use.startswith('#') and use[1:] in page.ids), f'inside the page: {use[:60]}')
check('url(http' not in text and '@import' not in text and '<script src' not in text, 'nothing is loaded')
made = sorted(name for name in os.listdir(DEMO) if name.endswith(('.png', '.svg')))
pictures = [name for name in made if name.endswith('.png')]
check(len(pictures) == len(page.pictures) and page.drawings == len(made) - len(pictures), f'all pictures and drawings: {made}')
contents = sorted(open(f'{DEMO}/{name}', 'rb').read() for name in pictures)
check(all(p['src'].startswith('data:image/png;base64,') for p in page.pictures), 'pictures are PNG')
check(sorted(base64.b64decode(p['src'].partition('base64,')[2]) for p in page.pictures) == contents, 'pictures are the files')
check(all(p.get('alt') for p in page.pictures) and all(page.labels), 'pictures say what they show')
check('map.mrc: good' in text and '&lt;' in text, 'what commands print is there, escaped')
check(text.count('<meter') == page.steps and 'in all' in text, 'timings')
listed = re.findall(r'^  (\S+) +\d+ bytes$', result.out, re.M)
check(sorted(listed) == sorted(set(os.listdir(DEMO)) - {'index.html'}), 'all files are listed')


# ---- Near the truth ----
def table(name, block):
    """Rows of one loop of a STAR file, or its pairs as one row: dictionaries of text."""
    body = re.search(rf'^data_{block}$(.*?)(?=^data_|\Z)', open(f'{DEMO}/{name}').read(), re.M | re.S).group(1)
    lines = [line.split() for line in body.splitlines() if line.strip() and not line.startswith('#')]
    if ['loop_'] not in lines:
        return [{words[0]: words[1] for words in lines}]
    labels = [words[0] for words in lines if words[0].startswith('_')]
    return [dict(zip(labels, words)) for words in lines if words[0][0] not in '_l']


def shifts(name):
    return np.array([[float(r['_rlnMicrographShiftX']), float(r['_rlnMicrographShiftY'])] for r in table(name, 'global_shift')])


def defocus(row):
    return (float(row['_rlnDefocusU']) + float(row['_rlnDefocusV'])) / 2


def resolution(a, b, threshold):
    """In A, where the correlation under the mask first falls below, interpolated; Nyquist where it does not."""
    mask = read(f'{DEMO}/mask.mrc')
    curve = fsc(read(f'{DEMO}/{a}') * mask, read(f'{DEMO}/{b}') * mask)
    below = np.flatnonzero(curve < threshold)
    if below.size == 0:
        return 2 * APIX
    i = below[0]
    return BOX * APIX / (i - 1 + (curve[i - 1] - threshold) / (curve[i - 1] - curve[i]))


told = dict(re.findall(r'^  (\S.*?) {2,}([0-9.e+-]+) \S+$', result.out.split('Results:')[1], re.M))
told = [float(value) for value in told.values()]
check(len(told) == 6 and text.count('</small></b><span>') == 6, f'six figures: {told}')
halves, truth, *drifts, focus, angle = told

for movie, value in zip(('movie1', 'movie2'), drifts):
    rest = shifts(f'{movie}_shifts.star') - shifts(f'{movie}.star')
    off = np.sqrt(((rest - rest.mean(0)) ** 2).mean())
    check(off < 0.1, f'{movie}: drift within 0.1 pixel rms: {off:g}')
    check(abs(value / off - 1) < 0.01, f'{movie}: {value} is told, {off:g} it is')
fits = table('fits.star', 'micrographs')
off = [abs(defocus(fit) - defocus(table(f'movie{i + 1}.star', 'general')[0])) for i, fit in enumerate(fits)]
check(max(off) < 100, f'defocus within 100 A: {off}')
check(abs(focus / max(off) - 1) < 0.01, f'{focus} is told, {off} it is')


def places(name, block):
    return np.array([[float(r['_rlnCoordinateX']), float(r['_rlnCoordinateY'])] for r in table(name, block)])


for movie in ('movie1', 'movie2'):
    found, true = places(f'{movie}_weighted.star', 'particles'), places(f'{movie}.star', 'particles')
    off = np.linalg.norm(found[:, None] - true[None], axis=2)
    check((off.min(0) < 8).mean() > 0.95 and (off.min(1) < 8).mean() > 0.95, f'{movie}: {len(found)} of {len(true)} are picked')


def matrices(name):
    columns = rows(f'{DEMO}/{name}')
    return [matrix(*map(float, a)) for a in zip(columns['AngleRot'], columns['AngleTilt'], columns['AnglePsi'])]


turns = [(np.trace(a @ b.T) - 1) / 2 for a, b in zip(matrices('refined.star'), matrices('views.star'))]
off = np.degrees(np.arccos(np.clip(turns, -1, 1)))
check(np.median(off) < 4 and np.mean(off < 10) > 0.9, f'angles: {np.median(off):g}, {np.mean(off < 10):.1%} within 10 degrees')
check(abs(angle / np.median(off) - 1) < 0.01, f'{angle} is told, {np.median(off):g} it is')
check('rlnAngleRot' not in open(f'{DEMO}/unknown.star').read(), 'angles were not known')
by_halves, by_truth = resolution('half1.mrc', 'half2.mrc', 0.143), resolution('map.mrc', 'structure.mrc', 0.5)
print(f'resolution {by_halves:.2f} A by the halves, {by_truth:.2f} A by the truth; {halves} and {truth} were told')
check(abs(by_halves / by_truth - 1) < 0.1, f'halves and truth agree: {by_halves:.2f} and {by_truth:.2f} A')
check(max(by_halves, by_truth) < 1.5 * 2 * APIX, 'better than 1.5 times Nyquist')
check(abs(halves / by_halves - 1) < 0.05 and abs(truth / by_truth - 1) < 0.05, f'{halves} and {truth} A were told')
sharp, start = (fsc(read(f'{DEMO}/{name}.mrc'), read(f'{DEMO}/structure.mrc')) for name in ('sharp', 'start'))
check(sharp[12:20].min() > 0.5 > start[12:20].max(), f'the map has what its start had not: {np.round(sharp, 2)}')


# ---- The same bits for every number of threads ----
def same(name, other, what):
    is_mrc = name.endswith(('.mrc', '.mrcs'))
    a, b = (data_bytes(path) if is_mrc else open(path, 'rb').read() for path in (f'{DEMO}/{name}', f'{other}/{name}'))
    check(a == b, f'{name} is the same with {what}')


data = [name for name in listed if name.endswith(('.mrc', '.mrcs', '.star'))]
if ALL:
    for how in ('-j', 1), ('-j', 3), ('--mem', '128M'):
        again = tessera('demo', '-o', 'other', *how)
        check(again.code == 0, f'it can be run again, with {how}', again)
        for name in data:
            same(name, 'other', how)
else:
    for threads in (1, 3):
        shutil.copytree(DEMO, 'other', copy_function=os.link)
        for line in shown:
            words = shlex.split(line)[1:]
            if words[0] in ('simulate', 'motion', 'ctf', 'pick', 'extract', 'reconstruct', 'sharpen'):
                again = tessera(*words, '-f', '-j', threads, folder='other')
                check(again.code == 0, 'a step alone', again)
        for name in data:
            same(name, 'other', f'{threads} threads')
        shutil.rmtree('other')

# ---- A step that fails, a folder that is none ----
fails(tessera('demo', '-o', 'small', '--mem', '1M'), 3, '--mem', 'failed')
check(not os.path.exists('small/index.html'), 'no page without all steps')
fails(tessera('demo', '-o', f'{DEMO}/index.html'), 3, 'index.html: Not a directory')

# ---- The tutorial ----
# Files of the demo are there; lines that are none of its steps are run beside them.
lines = lines_of(os.path.join(ROOT, 'docs', 'tutorial.md'))
plain = {line.replace("'", '') for line in shown}
check(len([line for line in lines if line.replace("'", '') in plain]) > 25, 'the tutorial follows the demo')
for line in lines:
    if line.replace("'", '') in plain or line.startswith('tessera demo'):
        continue
    process = subprocess.run(['bash', '-c', f'tessera() {{ "{COMMAND}" "$@"; }}; {line}'], cwd=DEMO, capture_output=True,
                             text=True, timeout=60 * TIME_FACTOR)
    check(process.returncode == 0, f'docs/tutorial.md: {line}\n  exit {process.returncode}\n  {process.stderr[:500]}')

# ---- In a browser ----
BROWSER = shutil.which('chromium') or shutil.which('chromium-browser')
LENGTH = 24000  # pixels of the window: longer than the page
PROBE = """<script>onload = () => {
  const broken = [...document.images].filter(i => !i.complete || !i.naturalWidth || !i.clientWidth).length;
  const flat = [...document.querySelectorAll('svg')].filter(s => s.getBBox().width < 100 || s.getBBox().height < 100).length;
  const wide = document.documentElement.scrollWidth > innerWidth;
  document.body.dataset.probe = `${document.images.length} pictures, ${broken} broken, ${flat} flat, ${wide} wide`;
}</script>"""


def browse(path, width, *more):
    """Open a page, this wide; None if the browser does not run here."""
    process = subprocess.run(
        [BROWSER, '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--hide-scrollbars',
         f'--user-data-dir={os.path.abspath("profile")}{width}', f'--window-size={width},{LENGTH}', *more,
         'file://' + os.path.abspath(path)], capture_output=True, text=True, timeout=120 * TIME_FACTOR)
    return process.stdout if process.returncode == 0 else None


def photograph(width):
    """The page in grey, row 0 at the top."""
    out = os.path.abspath(f'shot{width}.png')
    if browse(f'{DEMO}/index.html', width, f'--screenshot={out}') is None or not os.path.exists(out):
        return None
    check(tessera('convert', '--grey', '--no-flip', out, '-o', 'shot.npy', '-f').code == 0, 'the screenshot is read')
    return np.load('shot.npy').squeeze().astype(float)


with open('probe.html', 'w', encoding='utf-8') as file:
    file.write(text.replace(' loading="lazy"', '').replace('</body>', PROBE + '</body>'))
for width in (390, 1280):
    grey = photograph(width) if BROWSER else None
    if grey is None:
        skip(f'the page at {width} pixels', 'chromium is not installed or does not run')
        continue
    check(grey.shape[1] == width, f'{width}: {grey.shape}')
    drawn = np.flatnonzero(grey.std(axis=1) > 1)
    check(2000 < drawn.size and drawn.max() < LENGTH - 20, f'{width}: the page is {drawn.max()} pixels long')
    check(np.diff(drawn).max() < 300, f'{width}: nothing is blank')
    check(grey[:, :4].std() < 1 and grey[:, -4:].std() < 1, f'{width}: nothing runs over the edges')
    found = re.search(r'data-probe="(.*?)"', browse('probe.html', width, '--dump-dom') or '')
    check(found and found.group(1) == f'{len(pictures)} pictures, 0 broken, 0 flat, false wide',
          f'{width}: {found and found.group(1)}')
finish()
