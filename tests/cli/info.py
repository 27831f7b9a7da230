"""info: what it prints of headers, for people and for programs."""
import bz2
import gzip
import json
import os
import re
import struct
import warnings

import mrcfile
import numpy as np
from command import TIME_FACTOR, can_write, check, fails, finish, tessera

warnings.simplefilter('ignore')
random = np.random.default_rng(5)


def write(name, data, stack=False, apix=1.25, mode=None):
    with mrcfile.new(name, overwrite=True) as m:
        m.set_data(data)
        if stack:
            m.set_image_stack()
        m.voxel_size = apix


def patch(name, offset, data, new=None):
    content = bytearray(open(name, 'rb').read())
    content[offset:offset + len(data)] = data
    open(new or name, 'wb').write(content)


def field(names, *files):
    return tessera('info', '--field', names, *files).out


a = random.normal(size=(5, 6, 8)).astype(np.float32)
write('stack.mrcs', a, stack=True)
write('volume.mrc', a)
write('cube.mrc', random.normal(size=(6, 6, 6)).astype(np.float32))
write('image.mrc', a[0])
with mrcfile.new('volumes.mrc') as m:
    m.set_data(random.normal(size=(2, 3, 4, 5)).astype(np.float32))

# ---- Bare values ----
result = tessera('info', '--field', 'size,shape,dtype,mode,apix', 'stack.mrcs', 'volume.mrc', 'image.mrc', 'volumes.mrc')
check(result.out == '8 6 5 5 1 6 8 f32 2 1.25 1.25 1.25\n8 6 5 1 5 6 8 f32 2 1.25 1.25 1.25\n'
      '8 6 1 1 1 6 8 f32 2 1.25 1.25 1.25\n5 4 6 2 3 4 5 f32 2 unknown\n', '--field', result)
check(np.float32(field('mean', 'stack.mrcs')) == np.float32(a.mean()) or
      abs(float(field('mean', 'stack.mrcs')) - a.mean()) < 1e-6, 'mean of the header')
fails(tessera('info', '--field', 'nothing', 'stack.mrcs'), 2, "unknown field 'nothing'", 'columns', 'apix')

# ---- Which rule told stack from volume ----
patch('volume.mrc', 88, struct.pack('<i', 0), 'ambiguous.mrc')
for name, rule, shape in (('volumes.mrc', 2, '2 3 4 5'), ('image.mrc', 3, '1 1 6 8'), ('stack.mrcs', 4, '5 1 6 8'),
                          ('volume.mrc', 6, '1 5 6 8'), ('ambiguous.mrc', 7, '5 1 6 8')):
    check(field('rule,shape', name) == f'{rule} {shape}\n', f'rule {rule} for {name}', tessera('info', name))
patch('volume.mrc', 0, b'', 'x.rec')
check(field('rule,shape', 'x.rec') == '5 1 5 6 8\n', 'rule 5')
for how, shape in (('stack', '5 1 6 8'), ('volume', '1 5 6 8'), ('volumes=5', '1 5 6 8')):
    result = tessera('info', '--field', 'rule,shape', '--as', how, 'ambiguous.mrc')
    check(result.out == f'1 {shape}\n', f'--as {how}', result)
check(field('rule,shape', 'volume.mrc:mrcs') == '1 5 1 6 8\n' and field('rule,shape', 'stack.mrcs:mrc') == '1 1 5 6 8\n',
      'file:fmt')
fails(tessera('info', '--as', 'volumes=2', 'ambiguous.mrc'), 2, 'ambiguous.mrc')
fails(tessera('info', '--as', 'pile', 'ambiguous.mrc'), 2, '--as', 'volumes=D')
result = tessera('info', '--field', 'shape', 'ambiguous.mrc')
check('note: ambiguous.mrc' in result.err and '--as' in result.err, 'a guess is noted', result)
check(tessera('info', '-q', '--field', 'shape', 'ambiguous.mrc').err == '', '-q')

# ---- For people ----
result = tessera('info', 'stack.mrcs')
for part in ('8 x 6 x 5 (columns rows sections)', '{5,1,6,8}', '5 images, by rule 4', 'f32 (mode 2)', '1.25 1.25 1.25 Å',
             '(header)', 'space group  0', 'x y z', 'labels', 'little-endian'):
    check(part in result.out, f'info says {part}', result)
result = tessera('info', 'stack.mrcs', 'volume.mrc')
check(result.out.startswith('stack.mrcs\n') and '\n\nvolume.mrc\n' in result.out, 'several files', result)
patch('stack.mrcs', 76, struct.pack('<fff', 0, -1, -2), 'unset.mrcs')
patch('unset.mrcs', 216, struct.pack('<f', -1))
result = tessera('info', 'unset.mrcs')
check(result.out.count('(not set)') == 4, 'statistics that are not set', result)
check(field('min,sd', 'unset.mrcs') == 'unknown unknown\n', 'bare, they are unknown')
patch('stack.mrcs', 212, bytes(4), 'stamp.mrcs')
result = tessera('info', 'stamp.mrcs')
check('warnings' in result.out and 'stamp' in result.out and result.err == '', 'warnings stand with the rest', result)
result = tessera('info', '--field', 'dtype', 'stamp.mrcs', 'stamp.mrcs')
check(result.err.count('warning: stamp.mrcs: ') == 1, 'a warning comes once for a file', result)
result = tessera('info', '--labels', 'stack.mrcs')
check(len(result.out.splitlines()) == 1 and 'mrcfile' in result.out, '--labels', result)

# ---- JSON and TSV ----
result = tessera('info', '--json', 'stack.mrcs', 'unset.mrcs')
rows = json.loads(result.out)
check([r['file'] for r in rows] == ['stack.mrcs', 'unset.mrcs'] and rows[0]['columns'] == 8 and rows[0]['b'] == 5,
      '--json', result)
check(rows[1]['min'] is None and rows[0]['apix_x'] == 1.25 and rows[0]['mode'] == 2, 'values and unknown ones', result)
check(rows[0]['size'] == [8, rows[0]['rows'], rows[0]['sections']] and rows[0]['apix'] == [1.25] * 3 and
      rows[0]['axes'] == [1, 2, 3] and rows[0]['start'] == [0, 0, 0] and rows[0]['extended'] is None and
      rows[0]['shape'] == [rows[0][k] for k in 'bdhw'], 'vectors are arrays of numbers', result)
check(rows[0]['labels'] == tessera('info', '--labels', 'stack.mrcs').out.splitlines() and rows[0]['warnings'] == [],
      'labels are texts', result)
result = tessera('info', '--json', 'stamp.mrcs')
check(any('stamp' in text for text in json.loads(result.out)[0]['warnings']), 'warnings are texts', result)
if can_write('x.tif'):  # a pixel size in A that is beyond f64, and no resolution beside it
    import tifffile
    tifffile.imwrite('odd.tif', np.zeros((8, 8), 'u1'), metadata=None, description=(
        '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels '
        'ID="Pixels:0" DimensionOrder="XYCZT" Type="uint8" SizeX="8" SizeY="8" SizeC="1" SizeZ="1" SizeT="1" '
        'PhysicalSizeX="1.5" PhysicalSizeXUnit="nm" PhysicalSizeY="1e308" PhysicalSizeYUnit="nm"><TiffData/></Pixels>'
        '</Image></OME>'))
    changed = bytearray(open('odd.tif', 'rb').read())
    with tifffile.TiffFile('odd.tif') as tiff:
        entries = [tag.offset for tag in tiff.pages[0].tags.values() if tag.name in ('XResolution', 'YResolution')]
    for i, entry in enumerate(entries):
        changed[entry:entry + 2] = struct.pack('<H', 65000 + i)
    open('odd.tif', 'wb').write(changed)
    result = tessera('info', '--json', 'odd.tif')
    check(json.loads(result.out, parse_constant=str)[0]['apix'] == [15, 0, 0], 'a pixel size beyond all numbers', result)
np.save('plain.npy', np.zeros((3, 4), 'f4'))
row = json.loads(tessera('info', '--json', 'plain.npy').out)[0]
check(row['mode'] is None and row['apix'] is None and row['apix_x'] is None and row['labels'] == [], 'null', row)
np.save('places.npy', np.arange(12, dtype='f4').reshape(3, 4))
row = json.loads(tessera('stats', '--json', 'places.npy').out)[0]
check(row['argmin'] == [0, 0, 0] and row['argmax'] == [3, 2, 0], 'places are arrays', row)
result = tessera('info', '--tsv', 'stack.mrcs', 'unset.mrcs')
lines = [line.split('\t') for line in result.out.splitlines()]
check(len(lines) == 3 and len({len(line) for line in lines}) == 1 and lines[0][0] == 'file', '--tsv', result)

# ---- Other files ----
open('c.mrcs.gz', 'wb').write(gzip.compress(open('stack.mrcs', 'rb').read()))
open('c.mrcs.bz2', 'wb').write(bz2.compress(open('stack.mrcs', 'rb').read()))
check(field('shape,compression', 'c.mrcs.gz', 'c.mrcs.bz2') == '5 1 6 8 gzip\n5 1 6 8 bzip2\n', 'compressed files')
np.save('a.npy', a.astype('>i2'))
check(field('format,shape,dtype,endian', 'a.npy') == 'npy 1 5 6 8 i16 big\n', 'npy', tessera('info', 'a.npy'))
np.savez('two.npz', one=a, two=a[0])
check(field('shape', 'two.npz:two') == '1 1 6 8\n', 'a member of npz')
fails(tessera('info', 'two.npz'), 2, 'one', 'two')
a.tofile('a.raw')
result = tessera('info', '--field', 'shape,dtype', '--raw', 'shape=5x6x8,dtype=f32', 'a.raw')
check(result.out == '1 5 6 8 f32\n', '--raw', result)
fails(tessera('info', '--raw', 'shape=6x6x8,dtype=f32', 'a.raw'), 3, 'a.raw', '1152', '960')
fails(tessera('info', '--raw', 'dtype=f32', 'a.raw'), 2, '--raw')
check(field('shape', '2@stack.mrcs') == '1 1 6 8\n', 'N@stack')
result = tessera('info', '--slices', '1-2', '--field', 'size,shape', 'stack.mrcs')
check(result.out == '8 6 2 2 1 6 8\n', '--slices', result)

# ---- Bad files: told, and the rest goes on ----
open('short.mrc', 'wb').write(open('volume.mrc', 'rb').read()[:1500])
open('junk.mrc', 'wb').write(b'not a file of images at all' * 50)
result = tessera('info', '--field', 'shape', 'short.mrc', 'gone.mrc', 'junk.mrc', 'image.mrc')
check(result.code == 3 and result.out == '1 1 6 8\n' and all(n in result.err for n in ('short.mrc', 'gone.mrc', 'junk.mrc')),
      'the others go on', result)
result = tessera('info', '--salvage', '--field', 'shape', 'short.mrc')
check(result.code == 0 and result.out == '1 5 6 8\n', '--salvage', result)
fails(tessera('info', '.'), 3)
fails(tessera('info'), 2)

# ---- Speed: 100 files in 0.5 s of a processor, whatever else it does ----
for i in range(100):
    patch('stack.mrcs', 0, b'', f'many{i:03d}.mrcs')
start = os.times()
result = tessera('info', '--field', 'size', *[f'many{i:03d}.mrcs' for i in range(100)])
end = os.times()
seconds = end.children_user + end.children_system - start.children_user - start.children_system
check(result.out.count('\n') == 100 and seconds < 0.5 * TIME_FACTOR, f'100 files in {seconds:.3f} s')

# ---- Names that would command the terminal ----
odd = 'a\033[31mb\u009bc.mrc'
tessera('gen', 'constant', '--size', '4,4', '-o', odd)
for words in (('info', odd), ('info', '--tsv', odd), ('info', '--field', 'file', odd), ('stats', odd), ('stats', '--tsv', odd),
              ('check', odd), ('info', odd + 'x'), ('stats', odd + 'x'), ('crop', odd, '--no\033such'), ('no\033such', odd)):
    result = tessera(*words)
    check(not re.search('[\0-\010\013-\037\177\u0080-\u009f]', result.out + result.err), 'no control characters', result)
    check('such' in words[-1] + words[0] or '?' in result.out + result.err, 'but a ?', result)
check(json.loads(tessera('stats', '--json', odd).out)[0]['file'] == odd, 'JSON has the name as it is')
finish()
