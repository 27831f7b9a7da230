"""stats against NumPy: whole files, each image, NaN and infinity, histograms, memory limits."""
import json
import os
import subprocess
import warnings

import mrcfile
import numpy as np
from command import COMMAND, check, fails, finish, tessera

warnings.simplefilter('ignore')
random = np.random.default_rng(1)


def write(name, data, volume=False):
    with mrcfile.new(name, overwrite=True) as m:
        m.set_data(data)
        if data.ndim == 3 and not volume:
            m.set_image_stack()
        m.voxel_size = 1.5


def rows(*arguments):
    result = tessera('stats', '--json', *arguments)
    return json.loads(result.out) if check(result.code == 0, 'stats', result) else []


def place(data, index):
    """x, y, image of a flat index."""
    z, y, x = np.unravel_index(index, data.reshape(-1, *data.shape[-2:]).shape)
    return [x, y, z]


def same(row, data):
    a, dtype = data.astype(np.float64), data.dtype.type
    good = dtype(row['min']) == data.min() and dtype(row['max']) == data.max()
    good = good and abs(row['mean'] - a.mean()) <= 1e-12 * (1 + abs(a.mean()))
    good = good and abs(row['sd'] - a.std()) <= 1e-10 * (1 + a.std()) and row['n'] == a.size
    return good and row['argmin'] == place(data, a.argmin()) and row['argmax'] == place(data, a.argmax())


stack = (random.normal(size=(7, 33, 21)) * 3 + 100).astype(np.float32)
for dtype in (np.float32, np.int16, np.uint16, np.int8, np.float16):
    data = np.clip(stack, -128, 127).astype(dtype)
    name = f'{np.dtype(dtype).name}.mrcs'
    write(name, data)
    row = rows(name)[0]
    check(same(row, data), f'stats of {name}', row)
    for i, row in enumerate(rows('--each', name)):
        check(row['image'] == i and row['argmin'][2] == i, 'one row per image', row)
        a = data[i].astype(np.float64)
        check(abs(row['mean'] - a.mean()) < 1e-12 * 100 and abs(row['sd'] - a.std()) < 1e-9, f'image {i} of {name}', row)

write('volume.mrc', stack, volume=True)
check(len(rows('--each', 'volume.mrc')) == 7, 'sections of a volume')
with mrcfile.new('volumes.mrc', overwrite=True) as m:
    m.set_data(random.normal(size=(3, 4, 5, 6)).astype(np.float32))
    data = m.data.copy()
each = rows('--each', 'volumes.mrc')
check(len(each) == 3 and all(abs(r['mean'] - data[i].mean(dtype=float)) < 1e-12 for i, r in enumerate(each)),
      'each volume of a stack of volumes', each)

# NaN and infinity are counted; NaN is left out of the rest.
odd = stack.copy()
odd[2, 3, 4] = np.nan
odd[2, 3, 5] = np.nan
write('nan.mrcs', odd)
row = rows('nan.mrcs')[0]
check(row['nan'] == 2 and row['inf'] == 0 and row['n'] == odd.size - 2, 'NaNs are counted', row)
check(abs(row['mean'] - np.nanmean(odd.astype(float))) < 1e-10 and abs(row['sd'] - np.nanstd(odd.astype(float))) < 1e-10,
      'NaNs are left out', row)
odd[5, 0, 0] = -np.inf
write('inf.mrcs', odd)
row = rows('inf.mrcs')[0]
check(row['nan'] == 2 and row['inf'] == 1 and np.float32(row['max']) == np.nanmax(odd), 'infinities are counted', row)
write('all_nan.mrc', np.full((4, 4), np.nan, np.float32))
row = rows('all_nan.mrc')[0]
check(row['n'] == 0 and row['nan'] == 16 and row['min'] is None and row['argmin'] is None, 'nothing but NaN', row)

# Complex numbers: their magnitudes.
z = (random.normal(size=(8, 5)) + 1j * random.normal(size=(8, 5))).astype(np.complex64)
with mrcfile.new('complex.mrc', overwrite=True) as m:
    m.set_data(z)
row = rows('complex.mrc')[0]
check(abs(row['mean'] - np.abs(z.astype(complex)).mean()) < 1e-6, 'magnitudes of complex numbers', row)

# The same bits whatever is read at a time.
big = random.normal(size=(40, 200, 150)).astype(np.float32)
write('big.mrcs', big)
outputs = {tessera('stats', '--json', 'big.mrcs', *a).out for a in ([], ['--mem', '1M'], ['--mem', '3M', '-j', 1],
                                                                   ['-j', 3], ['--mem', '64M'])}
check(len(outputs) == 1, 'independent of --mem and -j', None)

result = tessera('stats', '--field', 'mean,sd,max', 'big.mrcs', 'volume.mrc')
lines = result.out.splitlines()
check(len(lines) == 2 and abs(float(lines[0].split()[1]) - big.std(dtype=float)) < 1e-9, '--field', result)
result = tessera('stats', '--slices', '2,0', '--each', '--field', 'mean', 'big.mrcs')
check([round(float(x), 9) for x in result.out.split()] == [round(float(big[i].mean(dtype=float)), 9) for i in (2, 0)],
      '--slices in the order given', result)

# Histograms.
for name, data in (('big.mrcs', big), ('int16.mrcs', np.clip(stack, -128, 127).astype(np.int16))):
    h = json.loads(tessera('stats', '--hist', 17, '--json', name).out)
    counts, edges = np.histogram(data, 17)
    check([r['count'] for r in h] == counts.tolist() and np.allclose([r['from'] for r in h], edges[:-1]), f'--hist of {name}')
h = json.loads(tessera('stats', '--hist', 4, '--range=-1,1', '--json', 'big.mrcs').out)
check([r['count'] for r in h] == np.histogram(big, 4, (-1, 1))[0].tolist(), '--hist --range')

# Failures: the others go on, and the highest code is returned.
result = tessera('stats', '--field', 'max', 'missing.mrc', 'volume.mrc')
fails(result, 3, 'missing.mrc')
check(np.float32(result.out) == stack.max(), 'the next file is still read', result)
fails(tessera('stats', '--field', 'nothing', 'volume.mrc'), 2, "unknown field 'nothing'", 'min, max, mean')
fails(tessera('stats', '--hist', 0, 'volume.mrc'), 2, '--hist', '1 to')
fails(tessera('stats', '--hist', 4, '--range', '2,1', 'volume.mrc'), 2, '--range', 'smaller first')
fails(tessera('stats', '--slices', '9', 'volume.mrc'), 2, '--slices')
fails(tessera('stats', '--hist', 4, 'inf.mrcs'), 2, '--range')

# A file much larger than --mem.
large = 'large.mrcs'
check(tessera('gen', 'noise', '--size', '512,512', '--count', 256, '-o', large).code == 0, '256 MiB of noise')
for arguments in (['stats', large], ['convert', large, '--dtype', 'f16', '-o', 'half.mrcs']):
    process = subprocess.Popen([COMMAND, *arguments, '--mem', '64M'], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    check(status == 0 and used.ru_maxrss < 100 << 10, f'{arguments[0]} within --mem: {used.ru_maxrss >> 10} MiB')
finish()
