"""Colours read as grey, the format of standard output, and usage of operations without arguments."""
import io

import numpy as np

from command import can_write, check, fails, finish, skip, tessera
from images import equal, random, read, write

# ---- --grey ----
rgb = random.integers(0, 256, (12, 17, 3)).astype('u1')
grey = (rgb.astype('f8') @ [0.299, 0.587, 0.114])[::-1]
try:
    import tifffile
except ImportError:
    skip('colours', 'there is no tifffile')
else:
    if can_write('x.tif'):
        tifffile.imwrite('c.tif', rgb, photometric='rgb')
        fails(tessera('stats', 'c.tif'), 3, 'c.tif', '--grey')
        check(tessera('stats', 'c.tif').err.count('--grey') == 1, 'the hint comes once', tessera('stats', 'c.tif'))
        for verb in (['convert'], ['filter', '--gauss', 0]):
            result = tessera(*verb, '--grey', '--dtype', 'f32', 'c.tif', '-f', '-o', 'g.mrc')
            if check(result.code == 0, 'colours as grey', result):
                equal(read('g.mrc'), grey, f'{verb}: the grey of colours', 2.3e-3)

# ---- -o - has the format of the first input ----
stack = write('s.mrcs', random.normal(size=(5, 10, 14)).astype('f4'), 1.5, stack=True)
np.save('a.npy', stack)
for arguments, stdin in ((['crop', '--box', 6, 's.mrcs'], b''), (['select', '--slices', '1-3', 's.mrcs'], b''),
                         (['convert', 's.mrcs'], b''), (['sqrt', 's.mrcs'], b''),
                         (['crop', '--box', 6, '--as', 'stack', '-'], open('s.mrcs', 'rb').read())):
    result = tessera(*arguments, '-o', '-', stdin=stdin)
    if not check(result.code == 0 and result.bytes[208:211] == b'MAP', f'{arguments} to standard output', result):
        continue
    named = tessera(*arguments, '-f', '-o', 'named.mrc', stdin=stdin)
    check(named.code == 0, 'and to a file', named)
    got = open('named.mrc', 'rb').read()
    # Statistics are not known before the data are.
    check(result.bytes[:76] == got[:76] and result.bytes[1024:] == got[1024:], f'{arguments}: as in a file')
result = tessera('crop', '--box', 6, '--as', 'stack', 'a.npy', '-o', '-')
if check(result.code == 0, 'NPY to standard output', result):
    equal(np.load(io.BytesIO(result.bytes)).reshape(5, 6, 6), stack[:, 2:8, 4:10], 'NPY comes out')
fails(tessera('gen', 'noise', '--size', 8, '-o', '-'), 2, '-o -', '-o -:mrc')

# ---- operations that need options, and get nothing ----
for name in ('random_normal', 'add', 'full'):
    result = tessera(name)
    check(result.code == 2 and f'Usage: tessera {name}' in result.err and 'error' not in result.err, 'usage', result)
finish()
