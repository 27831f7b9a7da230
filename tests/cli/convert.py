"""convert against NumPy, mrcfile and tifffile: types, scaling, byte order, compression, formats, what is carried along."""
import gzip
import io
import warnings

import mrcfile
import numpy as np
from command import can_write, check, fails, finish, left, skip, tessera

warnings.simplefilter('ignore')
random = np.random.default_rng(2)
stack = (random.normal(size=(5, 20, 31)) * 40).astype(np.float32)
with mrcfile.new('stack.mrcs') as m:
    m.set_data(stack)
    m.set_image_stack()
    m.voxel_size = (1.5, 1.5, 1.5)
    m.header.origin = (10, 20, 30)
    m.add_label('made by a test')


def convert(*arguments, **more):
    result = tessera('convert', *arguments, **more)
    check(result.code == 0, 'convert', result)
    return result


def read(name):
    with mrcfile.open(name) as m:
        return m.data.copy()


def clip(data, dtype):
    limits = np.iinfo(dtype)
    return np.clip(np.rint(data), limits.min, limits.max).astype(dtype)


# ---- Types ----
for mode, dtype in (('0', np.int8), ('1', np.int16), ('2', np.float32), ('6', np.uint16), ('12', np.float16)):
    result = convert('stack.mrcs', '--mode', mode, '-o', f'mode{mode}.mrcs')
    want = stack.astype(dtype) if np.dtype(dtype).kind == 'f' else clip(stack, dtype)
    got = read(f'mode{mode}.mrcs')
    check(got.dtype == dtype and np.array_equal(got, want), f'mode {mode}', result)
    n = int(np.sum(np.rint(stack) != want)) if np.dtype(dtype).kind != 'f' else 0
    check((f': {n} of {stack.size} values are outside the range of' in result.err) == (n > 0), f'{n} clamped in mode {mode}', result)
    said = io.StringIO()
    if mode == '12':
        continue  # mrcfile sums squares in f16, which overflows
    check(mrcfile.validate(f'mode{mode}.mrcs', print_file=said), f'mode {mode} is valid: {said.getvalue()}')
result = convert('stack.mrcs', '--mode', '0u', '-o', 'mode0u.mrcs')
raw = np.frombuffer(open('mode0u.mrcs', 'rb').read()[1024:], np.uint8).reshape(stack.shape)
check(np.array_equal(raw, clip(stack, np.uint8)), 'mode 0u', result)
check(tessera('info', '--field', 'dtype', 'mode0u.mrcs').out == 'u8\n', 'mode 0u is read as it was written')
result = convert('stack.mrcs', '--dtype', 'u8', '-o', 'u8.mrcs')
check(read('u8.mrcs').dtype == np.uint16 and np.array_equal(read('u8.mrcs'), clip(stack, np.uint8)), 'u8 in mode 6', result)
check('MRC has no u8' in result.err and 'outside the range of u8' in result.err, 'u8 in mode 6 is told', result)
fails(tessera('convert', 'stack.mrcs', '--mode', '0', '--dtype', 'i16', '-o', 'no.mrc'), 2, 'mode 0 is i8', 'i16')
fails(tessera('convert', 'stack.mrcs', '--mode', '3', '-o', 'no.mrc'), 2, '--mode is "3"', '0u')
fails(tessera('convert', 'stack.mrcs', '--dtype', 'f33', '-o', 'no.mrc'), 2, 'f33')

# Whole numbers with more digits than f32 has.
np.save('large.npy', np.array([[1, 2**24, 2**24 + 1, 2**31 - 1]], np.int32))
result = convert('large.npy', '-o', 'large.mrc')
check('2 integers have more digits' in result.err, 'lost digits are counted', result)
np.save('large.npy', np.array([[1.5, 2**24 + 1, 2**53, 2**60, 0.1]]))
result = convert('large.npy', '-o', 'large.mrc', '-f')
check('1 integer has more digits' in result.err and 'outside' not in result.err, 'lost digits of f64', result)
np.save('large.npy', np.array([[1e300, -1e39, np.inf, -np.inf, 3.4028234e38, np.nan]]))
result = convert('large.npy', '-o', 'large.mrc', '-f')
check('2 of 6 values are outside the range of f32 and became infinite' in result.err, 'f64 beyond f32', result)
result = convert('large.npy', '--dtype', 'f16', '-o', 'large.mrc', '-f')
check('3 of 6 values are outside the range of f16 and became infinite' in result.err, 'f64 beyond f16', result)
np.save('large.npy', np.array([[1e-60, -1e-60]]))
result = convert('large.npy', '-o', 'large.mrc', '-f')
check('all 2 values that were not 0 are too small for f32' in result.err, 'f64 below f32', result)
np.save('large.npy', np.random.default_rng(1).standard_normal((4, 4)))
check(convert('large.npy', '-o', 'large.mrc', '-f').err == '', 'fractions are rounded without a word')
np.save('nan.npy', np.array([[1, np.nan, 3]], np.float32))
result = convert('nan.npy', '--mode', '1', '-o', 'nan.mrc')
check('1 value is NaN (stored as 0)' in result.err and read('nan.mrc').tolist() == [[1, 0, 3]], 'NaN as an integer', result)
check('no statistics' not in result.err, 'statistics are known', result)
for dtype in ('i8', 'i16', 'u16', 'f16'):
    result = convert('nan.npy', '--dtype', dtype, '-o', 'nan.mrc', '-f')
    with mrcfile.open('nan.mrc') as m:
        known = (m.header.dmin, m.header.dmax, m.header.dmean) == (0, 3, np.float32(4 / 3))
    check(known == (dtype != 'f16') and ('no statistics' in result.err) == (dtype == 'f16'), f'NaN in {dtype}', result)
result = convert('nan.npy', '--dtype', 'u8', '-o', 'nan.mrc', '-f')  # in mode 6
check(result.err.count('NaN') == 1 and 'beyond' not in result.err, 'NaN in a wider type', result)

# ---- Scaling ----
for dtype, how in (('u8', 'full'), ('u16', 'sigma=2'), ('i16', 'full'), ('f32', 'full')):
    result = convert('stack.mrcs', '--dtype', dtype, '--scale', how, '-o', f'scaled_{dtype}.npy')
    a = stack.astype(np.float64)
    low, high = (a.min(), a.max()) if how == 'full' else (a.mean() - 2 * a.std(), a.mean() + 2 * a.std())
    full = {'u8': (0, 255), 'u16': (0, 65535), 'i16': (-32768, 32767), 'f32': (0, 1)}[dtype]
    want = (a - low) / (high - low) * (full[1] - full[0]) + full[0]
    got = np.load(f'scaled_{dtype}.npy').reshape(stack.shape)
    if dtype != 'f32':
        want = np.clip(np.rint(want), *full)
    check(np.abs(got - want).max() <= (1e-6 if dtype == 'f32' else 1) and np.mean(got != want) < (1 if dtype == 'f32' else 1e-3),
          f'--scale {how} to {dtype}', result)
for wrong in ('half', 'sigma=', 'sigma=-1', 'sigma=x'):
    fails(tessera('convert', 'stack.mrcs', '--scale', wrong, '-o', 'no.mrc'), 2, '--scale', 'none, full, sigma=3')
convert('stack.mrcs', '--slices', '0', '--scale', 'full', '--dtype', 'u8', '-o', 'one.npy')
check(np.load('one.npy').max() == 255, 'the range is that of what was chosen')

# ---- What is carried along ----
convert('stack.mrcs', '-o', 'copy.mrcs')
with mrcfile.open('copy.mrcs') as m:
    check(np.array_equal(m.data, stack) and m.is_image_stack() and abs(m.voxel_size.x - 1.5) < 1e-6, 'data, meaning, pixel size')
    check(m.header.origin.x == 10 and m.header.origin.z == 30, 'origin')
    labels = [label.rstrip() for label in m.get_labels()]
    check(any('made by a test' in label for label in labels), 'older labels stay')
    check(labels[-1] == 'tessera convert stack.mrcs -o copy.mrcs 2001-09-09 01:46:40', 'the label of this command', None)
    check(abs(m.header.dmean - stack.mean()) < 1e-4 and abs(m.header.rms - stack.std()) < 1e-3, 'statistics')
convert('stack.mrcs', '--apix', '2.5', '-o', 'apix.mrcs')
with mrcfile.open('apix.mrcs') as m:
    check(abs(m.voxel_size.x - 2.5) < 1e-6 and abs(m.voxel_size.z - 2.5) < 1e-6, '--apix')
convert('stack.mrcs', '--as', 'volume', '-o', 'volume.mrc')
with mrcfile.open('volume.mrc') as m:
    check(m.is_volume() and m.header.mz == 5 and abs(m.voxel_size.z - 1.5) < 1e-6, '--as volume')
convert('stack.mrcs', '--compat', 'imod', '-o', 'imod.mrcs')
with mrcfile.open('imod.mrcs', permissive=True) as m:
    check(m.header.mz == 5 and abs(m.header.cella.z / m.header.mz - 1.5) < 1e-6, '--compat imod')
result = convert('volume.mrc', '-o', 'volume.mrcs')
check('extension of a stack' in result.err, 'a volume under the name of a stack is told', result)

# Extended headers: kept when all sections are.
records = b''.join(bytes([i]) * 768 for i in range(5))
fei = bytearray(records)
for i in range(5):
    fei[i * 768:i * 768 + 4] = (768).to_bytes(4, 'little')
with mrcfile.new('fei.mrcs') as m:
    m.set_data(stack)
    m.set_image_stack()
    m.set_extended_header(np.frombuffer(bytes(fei), 'V1'))
    m.header.exttyp = 'FEI1'
convert('fei.mrcs', '--dtype', 'f16', '-o', 'fei16.mrcs')
with mrcfile.open('fei16.mrcs') as m:
    check(m.header.exttyp == b'FEI1' and m.extended_header.tobytes() == bytes(fei), 'extended header')

# ---- Byte order and compression ----
convert('stack.mrcs', '--endian', 'big', '-o', 'big.mrcs')
check(open('big.mrcs', 'rb').read(4) == (31).to_bytes(4, 'big') and np.array_equal(read('big.mrcs'), stack), 'big-endian')
for name, bracket in (('a.mrcs.gz', ''), ('b.mrcs.bz2', ''), ('c.mrcs', '[compress=gzip]'), ('d.mrcs.gz', '[level=1]')):
    convert('stack.mrcs', '-o', name + bracket)
    check(np.array_equal(read(name), stack), f'compressed {name}{bracket}')
convert('a.mrcs.gz', '-o', 'back.npy')
check(np.array_equal(np.load('back.npy').reshape(stack.shape), stack), 'from gzip to npy')
convert('back.npy', '--as', 'stack', '-o', 'zipped.npz[member=images]')
check(np.array_equal(np.load('zipped.npz')['images'].reshape(stack.shape), stack), 'npz with a member')
result = tessera('info', '--field', 'shape', 'zipped.npz:images')
check(result.out == '5 1 20 31\n', 'file.npz:member', result)
for wrong, part in (('x.mrc[compress=zip]', "'zip' is not one of"), ('x.mrc[level=0]', 'level of 1 to 9'),
                    ('x.mrc[depth=3]', "'depth=3' in brackets"), ('x.mrc[gzip]', "'gzip' in brackets")):
    fails(tessera('convert', 'stack.mrcs', '-o', wrong), 2, part)
fails(tessera('convert', 'stack.mrcs', '-o', 'x.what'), 2, 'x.what')

# ---- Standard streams ----
bytes_in = open('stack.mrcs', 'rb').read()
result = tessera('convert', '-', '--as', 'stack', '-o', '-:npy', stdin=bytes_in)
if result.code == 0:
    open('piped.npy', 'wb').write(result.bytes)
    check(np.array_equal(np.load('piped.npy').reshape(stack.shape), stack), 'from standard input to standard output')
else:
    check(False, 'standard streams', result)
result = tessera('stats', '--field', 'max', '-', stdin=gzip.compress(bytes_in))
check(np.float32(result.out or 'nan') == stack.max(), 'compressed standard input', result)

# ---- TIFF and PNG ----
if can_write('x.tif'):
    import tifffile
    for compress in ('none', 'deflate', 'lzw'):
        convert('stack.mrcs', '-o', f'{compress}.tif[compress={compress}]')
        with tifffile.TiffFile(f'{compress}.tif') as f:
            check(len(f.pages) == 5 and f.pages[0].compression.name.lower().endswith(compress), f'TIFF says {compress}')
            if compress != 'lzw':  # tifffile needs more for that
                check(np.array_equal(f.asarray()[:, ::-1], stack), f'TIFF with {compress}: rows from the top')
        check(tessera('diff', 'stack.mrcs', f'{compress}.tif').code == 0, f'TIFF with {compress} read back')
    convert('none.tif', '-o', 'from_tif.mrcs')
    check(np.array_equal(read('from_tif.mrcs'), stack), 'TIFF and back')
    with mrcfile.open('from_tif.mrcs') as m:
        check(abs(m.voxel_size.x - 1.5) < 1e-4, 'pixel size through TIFF')
    convert('stack.mrcs', '--no-flip', '-o', 'unflipped.tif')
    check(np.array_equal(tifffile.imread('unflipped.tif'), stack), '--no-flip')
    result = convert('volume.mrc', '-o', 'volume.tif')
    convert('volume.tif', '-o', 'from_tif.mrc')
    check(result.err == '' and np.array_equal(read('from_tif.mrc'), read('volume.mrc')), 'a volume through TIFF', result)
    with mrcfile.new('placed.mrc', overwrite=True) as m:
        m.set_data(np.zeros((3, 4, 5), np.float32))
        m.set_extended_header(np.zeros(3, 'V20'))
        m.voxel_size = (1.5, 1.5, 4)
        m.header.origin = (7, -8, 9.5)
        m.header.exttyp = b'SERI'
    result = convert('placed.mrc', '-o', 'placed.tif')
    check('placed.tif: a tiff file cannot hold the extended header, which was dropped' in result.err, 'told', result)
    convert('placed.tif', '-o', 'placed_again.mrc')
    with mrcfile.open('placed_again.mrc') as m:
        check(m.voxel_size.tolist() == (1.5, 1.5, 4) and m.header.origin.tolist() == (7, -8, 9.5) and m.is_volume(),
              'spacing and origin through TIFF')
else:
    skip('TIFF', 'not built in')
if can_write('x.png'):
    convert('stack.mrcs', '--slices', '2', '--scale', 'full', '-o', 'two.png')
    convert('two.png', '-o', 'two.npy')
    a = stack[2].astype(float)
    want = np.rint((a - a.min()) / (a.max() - a.min()) * 255)
    got = np.load('two.npy').reshape(20, 31)
    check(got.dtype == np.uint8 and np.abs(got - want).max() <= 1, 'PNG and back')
    fails(tessera('convert', 'stack.mrcs', '--slices', '2', '-o', 'no.png'), 2, 'PNG holds u8 and u16', '--scale')
    fails(tessera('convert', 'stack.mrcs', '--scale', 'full', '-o', 'no.png'), 2, 'no.png')
else:
    skip('PNG', 'not built in')

check(not [name for name in left() if 'tmp' in name or name.startswith('.') or name.startswith('no.')], 'nothing is left behind')
np.save('three.npy', np.zeros((3, 5, 4), 'u1'))
for words in (('convert', 'three.npy'), ('convert', 'three.npy', '--dry-run'), ('flip', 'three.npy', '--x')):
    fails(tessera(*words, '--as', 'stack', '-o', 'no.png'), 2, 'PNG holds one image, but there are 3', '--slices', 'split',
          'view --montage')
result = tessera('convert', 'three.npy', '--as', 'stack', '--slices', '1', '-o', 'one.png')
check(result.code == 0 or 'not built' in result.err, 'one of them', result)
# ---- Values too close together for integers ----
flat = (np.random.default_rng(1).random((3, 20, 20), 'f4') - 0.5) * 0.4
np.save('flat.npy', flat)
result = tessera('convert', 'flat.npy', '--dtype', 'int8', '-o', 'flat.mrc')
check(result.code == 0 and '1200 of 1200 values that were not 0 became 0' in result.err and '--scale' in result.err,
      'all became 0', result)
check('--scale' not in tessera('convert', 'flat.npy', '--dtype', 'int8', '--scale', 'full', '-o', 'flat.mrc', '-f').err,
      'scaled')
flat[0] *= 100
flat[1] += 5
flat[2] += 7
np.save('flat.npy', flat)
result = tessera('convert', 'flat.npy', '--mode', '1', '-o', 'flat.mrc', '-f')
check('2 images have only one value' in result.err and '--scale sigma=3' in result.err, 'two are constant', result)
result = tessera('bin', '--factor', '2,2,1', 'flat.npy', '--dtype', 'i8', '-o', 'flat.mrc', '-f')
check('tessera convert --scale' in result.err, 'other verbs name convert', result)
np.save('flat.npy', np.full((20, 20), 0.25, 'f4'))
result = tessera('convert', 'flat.npy', '--dtype', 'u8', '-o', 'flat.npy:npy', '-f')
np.save('flat.npy', np.full((20, 20), 2.25, 'f4'))
check('--scale' not in tessera('convert', 'flat.npy', '--dtype', 'u8', '-o', 'z.npy').err, 'it was constant before')
np.save('flat.npy', np.linspace(-9, 9, 400, dtype='f4').reshape(20, 20))
check('warning' not in tessera('convert', 'flat.npy', '--dtype', 'i8', '-o', 'z.npy', '-f').err, 'few become 0')
np.save('tiny.npy', np.full((4, 4), 1e-9, 'f4'))
result = tessera('convert', 'tiny.npy', '--dtype', 'f16', '-o', 'tiny.mrc')
check('all 16 values that were not 0 are too small for f16' in result.err and '--scale full' in result.err, 'f16', result)
holes = np.ones((2, 20, 20), 'f4')
holes[0, 3, 3:6] = np.nan
np.save('holes.npy', holes)
result = tessera('convert', 'holes.npy', '-o', 'holes.mrc')
check('3 values are NaN; its header has no statistics' in result.err, 'NaNs are counted as values', result)

finish()
