"""Random files through random verbs, against NumPy: formats, types, shapes, byte orders, lists of sections, memory limits."""
import bz2
import gzip
import os
import warnings

import mrcfile
import numpy as np
from command import can_write, check, finish, tessera

warnings.simplefilter('ignore')
random = np.random.default_rng(int(os.environ.get('SEED', 11)))
MRC = [np.int8, np.int16, np.uint16, np.float16, np.float32]
TIFF = can_write('x.tif')
if TIFF:
    import tifffile


def some_data(dtype):
    kind = random.choice(['image', 'stack', 'volume', 'volumes'])
    h, w = random.integers(1, 40, 2)
    b = {'image': 1, 'volume': 1}.get(kind, int(random.integers(2, 6)))
    d = int(random.integers(2, 6)) if kind in ('volume', 'volumes') else 1
    data = random.normal(size=(b, d, h, w)) * 50
    if np.dtype(dtype).kind in 'iu':
        limits = np.iinfo(dtype)
        data = np.clip(data, max(limits.min, -1e9), min(limits.max, 1e9))
    return data.astype(dtype)


def write(data):
    """A file by another writer's hand: its name, and options that are needed to read it."""
    b, d = data.shape[:2]
    formats = ['npy', 'npz']
    if data.dtype in MRC:
        formats += ['mrc', 'mrc', 'mrc', 'mrc.gz', 'mrc.bz2']
    if TIFF and d == 1:
        formats.append('tif')
    end = random.choice(formats)
    name = 'in.' + end
    if end == 'npy':
        big = random.random() < 0.5
        array = data.astype(data.dtype.newbyteorder('>' if big else '<'))
        np.save(name, np.asfortranarray(array) if random.random() < 0.3 else array)
        return name, []
    if end == 'npz':
        (np.savez_compressed if random.random() < 0.5 else np.savez)(name, data=data)
        return name + ':data', []
    if end == 'tif':
        tifffile.imwrite(name, data[:, 0, ::-1], photometric='minisblack', bigtiff=bool(random.random() < 0.3))
        return name, []
    with mrcfile.new('in.mrc', overwrite=True) as m:
        m.set_data(data if b > 1 and d > 1 else data[:, 0] if b > 1 else data[0] if d > 1 else data[0, 0])
        if b > 1 and d == 1:
            m.set_image_stack()
        m.voxel_size = 1.25
    if end != 'mrc':
        pack = gzip.compress if end.endswith('gz') else bz2.compress
        open(name, 'wb').write(pack(open('in.mrc', 'rb').read()))
    return name, []


def read(name, shape):
    if name.endswith('.npy'):
        return np.load(name)
    if '.npz' in name:
        return np.load(name)['arr_0']
    if name.endswith('.tif'):
        return tifffile.imread(name).reshape(shape)[:, :, ::-1]
    with mrcfile.open(name) as m:
        return m.data.reshape(shape)


for round_ in range(120):
    dtype = random.choice(MRC + [np.uint8, np.int32, np.float64])
    data = some_data(dtype)
    name, options = write(data)
    axis = 0 if data.shape[0] > 1 else 1
    n = data.shape[axis]
    verb = random.choice(['convert', 'select', 'stack'])
    want = data
    if random.random() < 0.6:
        chosen = random.integers(0, n, random.integers(1, 5)).tolist()
        options += ['--slices', ','.join(map(str, chosen))]
        want = np.take(data, chosen, axis)
    if random.random() < 0.3:
        options += ['--mem', '1M']
    out = 'out.' + random.choice(['npy', 'npz', 'mrc', 'mrc.gz', 'mrc'] + (['tif'] if TIFF else []))
    result = tessera(verb, name, *options, '-f', '-o', out)
    if not check(result.code == 0, f'round {round_}', result):
        continue
    got = read(out, want.shape)
    if '.mrc' in out and want.dtype not in MRC:
        want = want.astype(np.uint16 if want.dtype == np.uint8 else np.float32)
    check(got.dtype == want.dtype and np.array_equal(got.reshape(want.shape), want), f'round {round_}: {data.shape} {data.dtype}', result)
    same = tessera('diff', out, out)
    check(same.code == 0, f'round {round_}: the same as itself', same)
    shape = tessera('info', '--field', 'shape', out).out.split()
    if not out.endswith('.tif') and '.mrc' in out:
        check([int(x) for x in shape] == list(want.shape), f'round {round_}: shape {shape} of {want.shape}', result)
finish()
