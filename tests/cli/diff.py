"""diff against NumPy."""
import json
import warnings

import mrcfile
import numpy as np
from command import check, fails, finish, tessera

warnings.simplefilter('ignore')
random = np.random.default_rng(3)


def write(name, data, apix=1.0, origin=(0, 0, 0)):
    with mrcfile.new(name, overwrite=True) as m:
        m.set_data(data)
        if data.ndim == 3 and name.endswith('.mrcs'):
            m.set_image_stack()
        m.voxel_size = apix
        m.header.origin = origin


def diff(*arguments, code=0):
    result = tessera('diff', '--json', *arguments)
    check(result.code == code, f'exit {code}', result)
    return json.loads(result.out)[0], result.err


a = random.normal(size=(6, 20, 30)).astype(np.float32)
b = a + (random.normal(size=a.shape) * 0.01).astype(np.float32)
write('a.mrcs', a)
write('b.mrcs', b)
row, _ = diff('a.mrcs', 'a.mrcs')
check(row['result'] == 'same' and row['max_abs'] == 0 and row['cc'] == 1 and row['first'] is None, 'the same file', row)
row, text = diff('a.mrcs', 'b.mrcs', code=1)
d = a.astype(float) - b.astype(float)
check(row['max_abs'] == np.abs(d).max() and abs(row['rms'] / np.sqrt((d * d).mean()) - 1) < 1e-12, 'largest and rms', row)
check(abs(row['cc'] - np.corrcoef(a.ravel().astype(float), b.ravel().astype(float))[0, 1]) < 1e-12, 'cc', row)
z, y, x = np.argwhere(d)[0]
check(row['first'] == [x, y, z] and row['different'] == np.count_nonzero(d), 'first place and number', row)
z, y, x = np.unravel_index(np.abs(d).argmax(), d.shape)
check(row['worst'] == [x, y, z], 'place of the largest', row)
check('first difference at' in text, 'the first difference is told', text)
check(len({tessera('diff', '--json', 'a.mrcs', 'b.mrcs', *m).out for m in ([], ['--mem', '1M'], ['-j', 1])}) == 1,
      'independent of --mem')

diff('a.mrcs', 'b.mrcs', '--tolerance', np.abs(d).max() * 1.0001)
diff('a.mrcs', 'b.mrcs', '--tolerance', np.abs(d).max() * 0.999, code=1)
row, _ = diff('a.mrcs', 'b.mrcs', '--tolerance', 0.001, '--relative', 0.01, code=1)
check(row['different'] == np.sum(np.abs(d) > 0.001 + 0.01 * np.abs(b.astype(float))), '--tolerance and --relative', row)
diff('a.mrcs', 'b.mrcs', '--slices', '0', code=1)

# One place alone.
c = a.copy()
c[4, 7, 11] += 1
write('c.mrcs', c)
row, _ = diff('a.mrcs', 'c.mrcs', code=1)
check(row['first'] == row['worst'] == [11, 7, 4] and row['different'] == 1, 'one different value', row)
diff('a.mrcs', 'c.mrcs', '--slices', '0-3')

# NaN equals NaN alone.
n = a.copy()
n[1, 2, 3] = np.nan
write('n.mrcs', n)
diff('n.mrcs', 'n.mrcs')
row, text = diff('n.mrcs', 'a.mrcs', '--tolerance', 1e9, code=1)
check(row['different'] == 1 and 'NaN in one file' in text, 'NaN against a number', row)

# Shapes, meaning, headers.
write('short.mrcs', a[:5])
row, text = diff('a.mrcs', 'short.mrcs', code=1)
check('{6,1,20,30} and {5,1,20,30}' in text, 'shapes', text)
write('volume.mrc', a)
row, text = diff('a.mrcs', 'volume.mrc', code=1)
check(row['different'] == 0 and 'shape' in text, 'a stack is not a volume', text)
diff('a.mrcs', 'volume.mrc', '--as', 'stack')
write('h.mrcs', a, apix=2.0, origin=(1, 2, 3))
_, text = diff('a.mrcs', 'h.mrcs')
check('pixel size' in text and 'origin' in text, 'headers are told', text)
diff('a.mrcs', 'h.mrcs', '--header', code=1)
write('i.mrcs', np.rint(a).astype(np.int16))
write('f.mrcs', np.rint(a))
_, text = diff('i.mrcs', 'f.mrcs')
check('dtype: i16 and f32' in text, 'dtypes are told', text)
z = (a + 1j * b).astype(np.complex64)
write('z.mrcs', z)
diff('z.mrcs', 'z.mrcs')
row, _ = diff('z.mrcs', 'a.mrcs', code=1)
check(row['max_abs'] == np.abs(b).max(), 'complex against real', row)

fails(tessera('diff', 'a.mrcs'), 2, '2 needed')
fails(tessera('diff', 'a.mrcs', 'none.mrcs'), 3, 'none.mrcs')
fails(tessera('diff', 'a.mrcs', 'b.mrcs', '--tolerance', -1), 2, '--tolerance')
finish()
