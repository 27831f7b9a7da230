"""tessera demo: it runs, and its page is complete, by itself, and looks as it should in a browser where one is installed."""
import base64
import html.parser
import os
import re
import shutil
import subprocess

import numpy as np

from command import TIME_FACTOR, check, finish, left, skip, tessera
from images import read

VOID = {'meta', 'link', 'img', 'br', 'hr', 'rect'}


class Page(html.parser.HTMLParser):
    """What is in it: ids, references, pictures, command lines, steps; and whether elements are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.uses, self.pictures, self.commands, self.labels = [], [], [], [], [], []
        self.drawings = self.steps = 0
        self.faults = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if 'id' in attributes:
            self.ids.append(attributes['id'])
        for name, value in attributes.items():
            if name in ('src', 'href', 'xlink:href', 'poster', 'action'):
                self.uses.append(value)
            self.uses += re.findall(r'url\(([^)]*)\)', value or '')
        if tag == 'img':
            self.pictures.append(attributes)
        if tag == 'code':
            self.commands.append('')
        if attributes.get('class') == 'drawing':
            self.labels.append(attributes.get('aria-label'))
        self.drawings += tag == 'svg'
        self.steps += tag == 'section' and attributes.get('id', '').startswith('step')

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        if 'code' in self.open:
            self.commands[-1] += data


result = tessera('demo', '-o', 'tour/demo')
check(result.code == 0, 'it runs', result)
check(left() == ['tour'] and os.listdir('tour') == ['demo'], 'all of it is in its folder')
shown = re.findall(r'^  \$ (.*)$', result.out, re.M)
text = open('tour/demo/index.html', encoding='utf-8').read()
page = Page(text)

# ---- Nothing is missing ----
check(not page.open and not page.faults, f'elements are closed in order: {page.open}, {page.faults}')
check(page.commands == shown and page.steps == len(shown) > 10, f'a step for each command: {page.commands}')
check(len(page.ids) == len(set(page.ids)), 'ids differ')
for use in page.uses:
    check(use.startswith('data:') or (use.startswith('#') and use[1:] in page.ids), f'inside the page: {use[:60]}')
check('url(http' not in text and '@import' not in text and '<script src' not in text, 'nothing is loaded')
made = re.findall(r'(?:-o|--plot) (\S+\.(?:png|svg))', '\n'.join(shown))
pictures = [name for name in made if name.endswith('.png')]
check(len(pictures) == len(page.pictures) and page.drawings == len(made) - len(pictures), 'all pictures and drawings')
for name, picture in zip(pictures, page.pictures):
    kind, _, content = picture['src'].partition('base64,')
    check(kind == 'data:image/png;' and base64.b64decode(content) == open(f'tour/demo/{name}', 'rb').read(), f'{name} is there')
check(all(p.get('alt') for p in page.pictures) and all(page.labels), 'pictures say what they show')
check('micrographs.mrcs: good' in text and '&lt;' in text, 'what commands print is there, escaped')
check(text.count('<meter') == page.steps and 'in all' in text, 'timings')

# ---- What was made is as it should be ----
fitted = [float(v) for v in open('tour/demo/fit.star').read().split('data_micrographs')[1].splitlines()[-1].split()[2:6]]
check(abs((fitted[0] + fitted[1]) / 2 - 15250) < 100, f'the defocus is found: {fitted}')
check(read('tour/demo/views.mrcs').shape == (500, 64, 64), 'particles')
again = tessera('demo', '-o', 'tour/demo')
check(again.code == 0, 'it can be run again', again)
for how in ('-j', 1), ('--mem', '64M'):
    tessera('demo', '-o', 'other', *how)
    for name in ('movie.mrcs', 'views.mrcs', 'structure.mrc'):
        check(np.array_equal(read(f'other/{name}'), read(f'tour/demo/{name}')), f'{name} is the same with {how}')

# ---- In a browser ----
BROWSER = shutil.which('chromium') or shutil.which('chromium-browser')


def photograph(width, height):
    """The page, this wide, in grey, row 0 at the top; None if the browser does not run here."""
    out = os.path.abspath(f'shot{width}.png')
    process = subprocess.run(
        [BROWSER, '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--hide-scrollbars',
         f'--user-data-dir={os.path.abspath("profile")}{width}', f'--window-size={width},{height}', f'--screenshot={out}',
         'file://' + os.path.abspath('tour/demo/index.html')], capture_output=True, timeout=120 * TIME_FACTOR)
    if process.returncode != 0 or not os.path.exists(out):
        return None
    check(tessera('convert', '--grey', '--no-flip', out, '-o', 'shot.npy', '-f').code == 0, 'the screenshot is read')
    return np.load('shot.npy').squeeze().astype(float)


for width, height in ((390, 9000), (1280, 9000)):
    grey = photograph(width, height) if BROWSER else None
    if grey is None:
        skip(f'the page at {width} pixels', 'chromium is not installed or does not run')
        continue
    check(grey.shape[1] == width, f'{width}: {grey.shape}')
    drawn = np.flatnonzero(grey.std(axis=1) > 1)
    check(drawn.size > 2000 and drawn.max() < height - 20, f'{width}: the page is {drawn.max()} pixels long')
    check(grey[:, :4].std() < 1 and grey[:, -4:].std() < 1, f'{width}: nothing runs over the edges')
finish()
