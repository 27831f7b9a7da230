"""stack, split and select against NumPy: images, volumes, sections, N@stack, STAR lists, and what is carried along."""
import os
import struct
import warnings

import mrcfile
import numpy as np
from command import check, fails, finish, left, tessera

warnings.simplefilter('ignore')
random = np.random.default_rng(4)


def write(name, data, apix=1.5, stack=True, origin=(0, 0, 0)):
    with mrcfile.new(name, overwrite=True) as m:
        m.set_data(data)
        if data.ndim == 3 and stack:
            m.set_image_stack()
        m.voxel_size = apix
        m.header.origin = origin


def read(name):
    with mrcfile.open(name) as m:
        return m.data.copy()


def good(*arguments):
    result = tessera(*arguments)
    check(result.code == 0, 'done', result)
    return result


a = random.normal(size=(7, 12, 9)).astype(np.float32)
b = random.normal(size=(4, 12, 9)).astype(np.float32)
write('a.mrcs', a)
write('b.mrcs', b)
write('image.mrc', a[0])
write('volume.mrc', a, stack=False, origin=(5, 6, 7))

# ---- select ----
for text, want in (('0-2', [0, 1, 2]), ('5,0-1', [5, 0, 1]), ('3-', [3, 4, 5, 6]), ('2', [2]), ('6,6,0', [6, 6, 0])):
    good('select', 'a.mrcs', '--slices', text, '-f', '-o', 's.mrcs')
    check(np.array_equal(read('s.mrcs').reshape(-1, 12, 9), a[want]), f'--slices {text}')
good('select', 'a.mrcs', '--slices', '1-3', '--from-one', '-f', '-o', 's.mrcs')
check(np.array_equal(read('s.mrcs'), a[:3]), '--from-one')
good('select', 'a.mrcs', '--every', 3, '-f', '-o', 's.mrcs')
check(np.array_equal(read('s.mrcs'), a[::3]), '--every')
good('select', 'a.mrcs', '--slices', '1-6', '--every', 2, '-f', '-o', 's.mrcs')
check(np.array_equal(read('s.mrcs'), a[[1, 3, 5]]), '--slices and --every')
with mrcfile.open('s.mrcs') as m:
    check(m.is_image_stack() and abs(m.voxel_size.x - 1.5) < 1e-6 and m.header.mz == 1, 'a stack with its pixel size')
    check(abs(m.header.dmean - m.data.mean(dtype=float)) < 1e-6, 'statistics of what was chosen')
good('select', 'volume.mrc', '--slices', '2-5', '-o', 'slab.mrc')
with mrcfile.open('slab.mrc') as m:
    check(m.is_volume() and np.array_equal(m.data, a[2:6]) and abs(m.voxel_size.z - 1.5) < 1e-6, 'sections of a volume')
    check(abs(m.header.origin.z - (7 + 2 * 1.5)) < 1e-6 and m.header.origin.x == 5, 'the origin moves with the first section')
good('select', '3@a.mrcs', '-f', '-o', 's.mrc')
check(np.array_equal(read('s.mrc'), a[2]), 'N@stack counts from 1')
fails(tessera('select', '8@a.mrcs', '-f', '-o', 's.mrc'), 2, '8@a.mrcs', '1 to 7')
fails(tessera('select', '0@a.mrcs', '-f', '-o', 's.mrc'), 2, 'counted from 1')
fails(tessera('select', 'a.mrcs', '--slices', '7', '-f', '-o', 's.mrc'), 2, '--slices', '7')
fails(tessera('select', 'a.mrcs', '--every', 0, '-f', '-o', 's.mrc'), 2, '--every')
fails(tessera('select', 'a.mrcs', '--star', 'x.star', '-f', '-o', 's.mrc'), 2, 'not a STAR file')

# Volumes of a stack of volumes.
v = random.normal(size=(3, 4, 5, 6)).astype(np.float32)
with mrcfile.new('volumes.mrc') as m:
    m.set_data(v)
    m.voxel_size = 2
good('select', 'volumes.mrc', '--slices', '2,0', '-o', 'two.mrc')
with mrcfile.open('two.mrc') as m:
    check(m.is_volume_stack() and np.array_equal(m.data, v[[2, 0]]), 'volumes')
good('select', 'volumes.mrc', '--slices', '1', '-o', 'one.mrc')
with mrcfile.open('one.mrc') as m:
    check(m.is_volume() and np.array_equal(m.data, v[1]), 'one volume')
good('select', 'volumes.mrc', '--slices', '1', '--every', 2, '-f', '-o', 'one.mrc')
check(np.array_equal(read('one.mrc'), v[1]), 'one volume, and each second of it')
good('split', 'volumes.mrc', '--slices', '2', '-o', 'alone.mrc')
check(np.array_equal(read('alone_0000.mrc'), v[2]) and not os.path.exists('alone_0001.mrc'), 'split of one volume')

# ---- stack ----
good('stack', 'a.mrcs', 'image.mrc', 'b.mrcs', '2@b.mrcs', '-o', 'all.mrcs')
check(np.array_equal(read('all.mrcs'), np.concatenate([a, a[:1], b, b[1:2]])), 'stack of stacks and images')
good('stack', 'a.mrcs', 'b.mrcs', '--slices', '0,3', '-o', 'some.mrcs')
check(np.array_equal(read('some.mrcs'), np.concatenate([a[[0, 3]], b[[0, 3]]])), '--slices of each')
good('stack', '--volume', 'a.mrcs', 'b.mrcs', '-o', 'tall.mrc')
with mrcfile.open('tall.mrc') as m:
    check(m.is_volume() and np.array_equal(m.data, np.concatenate([a, b])) and m.header.mz == 11, '--volume')
good('stack', 'one.mrc', 'two.mrc', '-o', 'three.mrc')
with mrcfile.open('three.mrc') as m:
    check(False if not m.is_volume_stack() else np.array_equal(m.data, v[[1, 2, 0]]), 'stack of volumes')
write('i16.mrcs', np.rint(b * 100).astype(np.int16))
good('stack', 'i16.mrcs', 'b.mrcs', '-o', 'mixed.mrcs')
check(np.array_equal(read('mixed.mrcs'), np.concatenate([np.rint(b * 100), b]).astype(np.float32)), 'a type that holds all')
good('stack', 'i16.mrcs', 'i16.mrcs', '-o', 'kept.mrcs')
check(read('kept.mrcs').dtype == np.int16, 'the type is kept where it is the same')
write('other.mrcs', b, apix=3)
result = good('stack', 'a.mrcs', 'other.mrcs', '-o', 'warned.mrcs')
check('pixel size is 3' in result.err, 'another pixel size is told', result)
write('wide.mrc', random.normal(size=(12, 10)).astype(np.float32))
fails(tessera('stack', 'a.mrcs', 'wide.mrc', '-o', 'no.mrcs'), 2, 'wide.mrc', '10 x 12', '9 x 12')
fails(tessera('stack', 'a.mrcs', 'gone.mrc', '-o', 'no.mrcs'), 3, 'gone.mrc')
check('no.mrcs' not in left(), 'nothing is written where files do not fit')
good('stack', *(['image.mrc'] * 40), '-o', 'forty.mrcs')
check(read('forty.mrcs').shape == (40, 12, 9), 'many files')
result = good('stack', 'a.mrcs', 'b.mrcs', '--dry-run', '-o', 'dry.mrcs')
check(result.out == 'would write dry.mrcs: mrc, f32 {11,1,12,9}\n' and not os.path.exists('dry.mrcs'), '--dry-run', result)

# ---- split ----
os.mkdir('parts')
good('split', 'a.mrcs', '-o', 'parts/x.mrc')
check(sorted(os.listdir('parts')) == [f'x_{i:04d}.mrc' for i in range(7)], 'names')
for i in range(7):
    with mrcfile.open(f'parts/x_{i:04d}.mrc') as m:
        check(np.array_equal(m.data, a[i]) and m.is_single_image() and abs(m.voxel_size.x - 1.5) < 1e-6, f'image {i}')
for name, options, want in (('parts/y_%03d.mrc', ['--slices', '0-1', '--from-one'], ['y_001.mrc']),
                            ('parts/w%d.mrc', ['--slices', '3,4'], ['w0.mrc', 'w1.mrc']),
                            ('parts/z.mrc.gz', ['--digits', 2, '--slices', '6'], ['z_00.mrc.gz'])):
    result = tessera('split', 'a.mrcs', '-o', name, *options)
    if '--from-one' in options:
        fails(result, 2, '--slices')  # 0 is no number when they are counted from 1
        result = good('split', 'a.mrcs', '-o', name, '--slices', '1', '--from-one')
    check(all(os.path.exists('parts/' + w) for w in want), f'names by {name}', result)
check(np.array_equal(read('parts/w1.mrc'), a[4]) and np.array_equal(read('parts/z_00.mrc.gz'), a[6]), 'chosen images')
good('split', 'volume.mrc', '-o', 'parts/section.mrc')
with mrcfile.open('parts/section_0006.mrc') as m:
    check(m.is_single_image() and np.array_equal(m.data, a[6]), 'sections of a volume')
good('split', 'volumes.mrc', '-o', 'parts/vol.mrc')
with mrcfile.open('parts/vol_0002.mrc') as m:
    check(m.is_volume() and np.array_equal(m.data, v[2]) and abs(m.voxel_size.z - 2) < 1e-6, 'volumes')
os.remove('parts/x_0003.mrc')
before = os.stat('parts/x_0000.mrc').st_mtime_ns
fails(tessera('split', 'a.mrcs', '-o', 'parts/x.mrc'), 2, 'x_0000.mrc', '-f')
check(not os.path.exists('parts/x_0003.mrc') and os.stat('parts/x_0000.mrc').st_mtime_ns == before, 'refused before any work')
fails(tessera('split', 'a.mrcs', '-o', 'x%s.mrc'), 2, '%04d')
fails(tessera('split', 'a.mrcs', '-o', '-'), 2, 'standard output')
fails(tessera('split', 'a.mrcs'), 2, '-o')
good('stack', *sorted('parts/' + n for n in os.listdir('parts') if n.startswith('section')), '-f', '-o', 'again.mrcs')
check(np.array_equal(read('again.mrcs'), a), 'split and stack are the inverse of each other')

# ---- Extended headers go with their sections ----
def serial(tilts):
    """SerialEM: tilt angles alone, two bytes each."""
    return b''.join(struct.pack('<h', int(t * 100)) for t in tilts)


with mrcfile.new('tilts.mrcs', overwrite=True) as m:
    m.set_data(a)
    m.set_image_stack()
    m.set_extended_header(np.frombuffer(serial(range(7)), 'V1'))
    m.header.exttyp = 'SERI'
header = bytearray(open('tilts.mrcs', 'rb').read())
header[128:132] = struct.pack('<hh', 2, 1)
open('tilts.mrcs', 'wb').write(header)


def tilts(name):
    return [float(line) for line in tessera('info', '--ext', '--tsv', name).out.replace('\t', ' ').splitlines()[1:]
            for line in line.split()[1:2]]


check(tilts('tilts.mrcs') == list(range(7)), 'tilts of all sections', tessera('info', '--ext', 'tilts.mrcs'))
good('select', 'tilts.mrcs', '--slices', '5,1', '-o', 't2.mrcs')
check(tilts('t2.mrcs') == [5, 1], 'select takes the records along', tessera('info', '--ext', 't2.mrcs'))
good('split', 'tilts.mrcs', '-o', 'parts/t.mrc')
check(tilts('parts/t_0004.mrc') == [4], 'split takes the records along', tessera('info', '--ext', 'parts/t_0004.mrc'))
good('stack', 't2.mrcs', 'tilts.mrcs', '-o', 't9.mrcs')
check(tilts('t9.mrcs') == [5, 1, *range(7)], 'stack joins the records', tessera('info', '--ext', 't9.mrcs'))
result = good('stack', 't2.mrcs', 'a.mrcs', '-o', 'none.mrcs')
check('extended headers cannot be combined' in result.err, 'records that are left out are told', result)
finish()
