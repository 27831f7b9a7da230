"""Inputs: what their names may say, what sections are taken for, bytes, salvage, empty files, rows of pictures."""
import io
import struct
import warnings
import zipfile

import mrcfile
import numpy as np
from command import can_write, check, fails, finish, tessera

warnings.simplefilter('ignore')
random = np.random.default_rng(9)


def write(name, data, **header):
    with mrcfile.new(name, overwrite=True) as m:
        m.set_data(data)
        for key, value in header.items():
            setattr(m.header, key, value)


def convert(*arguments):
    result = tessera('convert', *arguments, '-f', '-o', 'out.npy')
    return np.load('out.npy') if check(result.code == 0, 'convert', result) else None


# ---- Rule 8: N@file needs images; a guess may be settled so, a rule may not ----
cube = random.normal(size=(5, 5, 5)).astype(np.float32)
write('ambiguous.mrc', cube, ispg=0)
check(tessera('info', '--field', 'shape,rule', 'ambiguous.mrc').out == '1 5 5 5 7\n', 'a cube is taken for a volume')
check(np.array_equal(convert('2@ambiguous.mrc'), cube[1].reshape(1, 1, 5, 5)), 'but N@ takes its images')
check(tessera('convert', '2@ambiguous.mrc', '-f', '-o', 'out.npy').err == '', 'without a note')
write('volume.mrc', cube)
fails(tessera('convert', '2@volume.mrc', '-f', '-o', 'out.npy'), 2, 'volume.mrc', '--as stack')
check(np.array_equal(convert('2@volume.mrc', '--as', 'stack'), cube[1].reshape(1, 1, 5, 5)), '--as settles it')

# ---- Bytes of mode 0 ----
bytes_ = np.array([[-128, -1, 0, 127]], np.int8)
write('plain.mrc', bytes_)
content = bytearray(open('plain.mrc', 'rb').read())
content[76:88] = struct.pack('<fff', 0, -1, -2)
open('plain.mrc', 'wb').write(content)
content[152:160] = struct.pack('<ii', 1146047817, 1)
open('signed.mrc', 'wb').write(content)
content[156:160] = struct.pack('<i', 0)
open('unsigned.mrc', 'wb').write(content)
for name, options, want in (('plain.mrc', [], [-128, -1, 0, 127]), ('signed.mrc', [], [-128, -1, 0, 127]),
                            ('unsigned.mrc', [], [128, 255, 0, 127]), ('signed.mrc', ['--bytes', 'imod'], [0, 127, 128, 255]),
                            ('plain.mrc', ['--bytes', 'unsigned'], [128, 255, 0, 127]),
                            ('unsigned.mrc', ['--bytes', 'signed'], [-128, -1, 0, 127])):
    check(convert(name, *options).ravel().tolist() == want, f'bytes of {name} {options}')
result = tessera('convert', 'signed.mrc', '-f', '-o', 'out.npy')
check('--bytes imod' in result.err or 'imod' in result.err, "IMOD's signed bytes are noted", result)
fails(tessera('convert', '--bytes', 'both', 'signed.mrc', '-f', '-o', 'out.npy'), 2, '--bytes')

# ---- Files that are cut short ----
stack = random.normal(size=(6, 8, 9)).astype(np.float32)
write('whole.mrc', stack)
content = open('whole.mrc', 'rb').read()
open('short.mrc', 'wb').write(content[:-4 * 100])
fails(tessera('convert', 'short.mrc', '-f', '-o', 'out.npy'), 3, 'short.mrc')
want = stack.ravel().copy()
want[-100:] = 0
check(np.array_equal(convert('--salvage', 'short.mrc').ravel(), want), '--salvage')

# ---- Raw bytes ----
stack.tofile('s.raw')
check(np.array_equal(convert('--raw', 'shape=6x1x8x9,dtype=f32', 's.raw').ravel(), stack.ravel()), 'raw')
open('s.dat', 'wb').write(b'header' + stack.astype('>f4').tobytes())
got = convert('--raw', 'shape=6x8x9,dtype=f32,offset=6,endian=big', 's.dat')
check(np.array_equal(got.ravel(), stack.ravel()) and got.shape == (1, 6, 8, 9), 'raw with offset and byte order')
for wrong, part in (('shape=6x8x9', 'dtype='), ('shape=a,dtype=f32', 'shape'), ('dtype=q,shape=1', 'q'), ('size=3', 'size=3'),
                    ('shape=1x1x1x1x1,dtype=f32', 'four'), ('shape=6x8x9,dtype=f32,endian=odd', 'endian')):
    fails(tessera('convert', '--raw', wrong, 's.raw', '-f', '-o', 'out.npy'), 2, part)

# ---- Formats by their names ----
open('named.dat', 'wb').write(content)
check(np.array_equal(convert('named.dat').ravel(), stack.ravel()), 'the reader goes by content')
check(convert('named.dat:mrcs').shape == (6, 1, 8, 9) and convert('named.dat:mrc').shape == (1, 6, 8, 9), 'file:mrcs, file:mrc')
result = tessera('convert', 'whole.mrc', '-f', '-o', 'out.dat:npy')
check(result.code == 0 and np.array_equal(np.load('out.dat').ravel(), stack.ravel()), 'the writer by file:fmt', result)

# ---- Arrays of an archive, whatever they are called ----
odd_names = ['a/b', 'a:b', 'x.npz:y', 'new\nline', 'new\tline', 'new?line', '50%', '%0A', 'caf\u00e9', 'plain']
with zipfile.ZipFile('odd.npz', 'w') as archive:
    for i, odd in enumerate(odd_names):
        member = io.BytesIO()
        np.save(member, np.full((1, 1), i, np.float32))
        archive.writestr(odd + '.npy', member.getvalue())
shown = {'new\nline': 'new%0Aline', 'new\tline': 'new%09line', '%0A': '%250A'}
listed = tessera('info', 'odd.npz')
fails(listed, 2, 'odd.npz', '10 arrays', '--member', 'new%0Aline, new%09line, new?line, 50%, %250A')
for i, odd in enumerate(odd_names):
    name = shown.get(odd, odd)
    check(convert(f'odd.npz:{name}').ravel().tolist() == [i], f'odd.npz:{name}')
    check(convert('--member', name, 'odd.npz').ravel().tolist() == [i], f'--member {name}')
    check(convert('--member', odd, 'odd.npz').ravel().tolist() == [i], f'--member {odd!r}, as it is in the file')
fails(tessera('convert', '--member', 'none', 'odd.npz', '-f', '-o', 'out.npy'), 2, "no array 'none'", 'a/b, a:b')
fails(tessera('convert', '--member', 'none', 'whole.mrc', '-f', '-o', 'out.npy'), 2, "--member is 'none'", 'mrc files have no members')
result = tessera('convert', 'whole.mrc', '-f', '-o', 'made.npz:a/b:c')
check(result.code == 0 and np.array_equal(np.load('made.npz')['a/b:c'].ravel(), stack.ravel()), 'a member is written', result)
fails(tessera('convert', 'whole.mrc', '-o', 'made.npz:a/b:c'), 2, 'made.npz', '-f')

# ---- Nothing in it ----
np.save('empty.npy', np.zeros((0, 4), np.float32))
result = tessera('stats', '--field', 'n,min', 'empty.npy')
check(result.code == 0 and result.out == '0 unknown\n', 'statistics of nothing', result)
result = tessera('info', '--field', 'shape', 'empty.npy')
check(result.code == 0 and result.out == '1 1 0 4\n', 'an empty array', result)
result = tessera('diff', 'empty.npy', 'empty.npy')
check(result.code == 0, 'nothing is the same as nothing', result)
result = tessera('convert', 'empty.npy', '-f', '-o', 'out.npy')
check(result.code == 0 and np.load('out.npy').size == 0, 'nothing converted', result)

for shape in ((0, 1, 8, 8), (1, 0, 8, 8), (2, 3, 8, 0)):
    np.save('none.npy', np.zeros(shape, np.float32))
    for words in ('filter --gauss 2', 'filter --median 3', 'norm', 'crop --box 8,8'):
        if shape[3] == 0 and words.startswith('crop'):
            continue
        result = tessera(*words.split(), 'none.npy', '-f', '-o', 'out.npy')
        check(result.code == 0 and np.load('out.npy').size == 0, f'{words} of nothing, {shape}', result)
    fails(tessera('reduce', 'none.npy', '-f', '-o', 'out.npy'), 2, 'reduce: none.npy is empty')

# ---- Rows of pictures ----
if can_write('x.tif'):
    import tifffile
    tifffile.imwrite('p.tif', stack)
    check(np.array_equal(convert('p.tif').ravel(), stack[:, ::-1].ravel()), 'rows from the bottom')
    check(np.array_equal(convert('--no-flip', 'p.tif').ravel(), stack.ravel()), '--no-flip')
    # pages that differ, and stacks with one directory
    with tifffile.TiffWriter('mixed.tif') as file:
        for page in (stack[0], stack[1, :4, :3], stack[2]):
            file.write(page, photometric='minisblack', metadata=None, resolution=(96, 96), resolutionunit=2)
    fails(tessera('info', 'mixed.tif'), 3, 'mixed.tif', 'page 1 is 3 x 4 and page 0 is 9 x 8', '--page selects one of these',
          '0: 9 x 8 of f32, 1: 3 x 4 of f32, 2: 9 x 8 of f32')
    for i, page in enumerate((stack[0], stack[1, :4, :3], stack[2])):
        check(np.array_equal(convert('--page', i, '--no-flip', 'mixed.tif')[0, 0], page), f'--page {i}')
    result = tessera('stats', '--page', '1', '--field', 'n', 'mixed.tif')
    check(result.code == 0 and result.out == '12\n', '--page of another verb', result)
    result = tessera('info', '--page', '0', '--field', 'apix', 'mixed.tif')
    check(result.code == 0 and 'unknown' in result.out, '96 dots per inch are no pixel size', result)
    fails(tessera('info', '--page', '3', 'mixed.tif'), 2, '--page is 3', 'pages 0 to 2')
    fails(tessera('info', '--page', '-1', 'mixed.tif'), 2, '--page is -1', 'from 0')
    fails(tessera('info', '--page', 'x', 'mixed.tif'), 2, '--page')
    fails(tessera('info', '--page', '0', 'whole.mrc'), 2, '--page is 0', 'mrc files have no pages')
    with tifffile.TiffWriter('one.tif', imagej=True) as file:
        file.write(stack, truncate=True, resolution=(5, 5), metadata={'unit': 'nm', 'spacing': 3})
    check(np.array_equal(convert('--no-flip', 'one.tif').ravel(), stack.ravel()), 'a stack with one directory')
    result = tessera('info', '--field', 'shape,apix', 'one.tif')
    check(result.out == '6 1 8 9 2 2 30\n', 'with the pixel size of ImageJ', result)
    open('cut.tif', 'wb').write(open('one.tif', 'rb').read()[:-300])
    fails(tessera('info', 'cut.tif'), 3, 'says 6 images of 9 x 8', 'enough for 4', '--salvage')
    check(convert('--salvage', 'cut.tif').shape == (4, 1, 8, 9), 'what is there of it')
finish()
