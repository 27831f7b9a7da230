"""check and edit: faults that are planted are found, mended, and mrcfile is content."""
import bz2
import fcntl
import gzip
import io
import json
import os
import struct
import warnings

import mrcfile
import numpy as np
from command import can_write, check, fails, finish, left, tessera

warnings.simplefilter('ignore')
random = np.random.default_rng(6)
a = random.normal(size=(4, 6, 8)).astype(np.float32)
with mrcfile.new('good.mrc') as m:
    m.set_data(a)
    m.voxel_size = 1.5
content = open('good.mrc', 'rb').read()


def plant(name, *patches, data=content):
    changed = bytearray(data)
    for offset, new in patches:
        changed[offset:offset + len(new)] = new
    open(name, 'wb').write(changed)


# What a process that died left beside a file is named, and is no fault of the file.
open('.good.mrc.0123abcd-0.part', 'wb').write(b'half')
result = tessera('check', 'good.mrc')
check(result.code == 0 and 'good.mrc: unfinished: .good.mrc.0123abcd-0.part was left by a process' in result.out and
      'good.mrc: good' in result.out, 'an unfinished file', result)
with open('.good.mrc.0123abcd-0.part', 'rb') as part:
    fcntl.flock(part, fcntl.LOCK_EX)
    check('.good.mrc.0123abcd-0.part is being written' in tessera('check', 'good.mrc').out, 'a file that is being written')
found = json.loads(tessera('check', '--json', 'good.mrc').out)
check('unfinished' in str(found), 'an unfinished file in JSON', found)
os.remove('.good.mrc.0123abcd-0.part')
others = ['.good.mrc.gz.0123abcd-0.part', '.good.mrc.0123abc-0.part', '.good.mrc.0123abcd-.part', '.good.mrc.0123abcd-0.parts',
          '.good.mrc.0123abcd0-0.part', '.good.mrcs.0123abcd-0.part', 'good.mrc.0123abcd-0.part']
for name in others:
    open(name, 'wb').close()
check('unfinished' not in tessera('check', 'good.mrc').out, 'files that are not unfinished ones of this file')
for name in others:
    os.remove(name)


def is_valid(name):
    said = io.StringIO()
    return mrcfile.validate(name, print_file=said)


result = tessera('check', 'good.mrc')
check(result.code == 0 and result.out == 'good.mrc: good\n', 'a good file', result)

# name, what is planted, field, mended by --fix
faults = [('stamp', [(212, bytes(4))], 'MACHST', True),
          ('map', [(208, b'    ')], 'MAP', True),
          ('labels', [(220, struct.pack('<i', 12))], 'NLABL', True),
          ('version', [(108, struct.pack('<i', 5))], 'NVERSION', True),
          ('mean', [(84, struct.pack('<f', 17))], 'DMEAN', True),
          ('rms', [(216, struct.pack('<f', 99))], 'RMS', True),
          ('axes', [(64, struct.pack('<iii', 1, 1, 3))], 'MAP', True),
          ('cell', [(40, struct.pack('<f', -3))], 'CELLA', True),
          ('group', [(88, struct.pack('<i', 300))], 'ISPG', True),
          ('extended', [(92, struct.pack('<i', 512))], 'EXTTYP', True),
          ('nan', [(1024, struct.pack('<f', np.nan)), (76, struct.pack('<fff', 0, -1, -2)), (216, struct.pack('<f', -1))],
           'data', False)]
for name, patches, field, fixable in faults:
    plant(f'{name}.mrc', *patches)
    result = tessera('check', '--json', f'{name}.mrc')
    rows = json.loads(result.out or '[]')
    check(result.code == 1 and any(field in r['field'] and (r['fixable'] == 'yes') == fixable for r in rows),
          f'the fault {name} is found', result)
    result = tessera('check', f'{name}.mrc')
    check(result.code == 1 and f'{name}.mrc: ' in result.out, f'and told: {name}', result)
    if fixable:
        before = open(f'{name}.mrc', 'rb').read()
        result = tessera('check', '--fix', f'{name}.mrc', '-o', f'{name}_mended.mrc')
        check(result.code == 1 and tessera('check', f'{name}_mended.mrc').code == 0, f'{name} is mended', result)
        check(is_valid(f'{name}_mended.mrc'), f'{name}: mrcfile is content')
        check(open(f'{name}.mrc', 'rb').read() == before, f'{name}: the file itself is untouched')
        check(open(f'{name}_mended.mrc', 'rb').read()[-a.nbytes:] == content[-a.nbytes:], f'{name}: data are untouched')
        result = tessera('check', '--fix', '--in-place', f'{name}.mrc')
        check(tessera('check', f'{name}.mrc').code == 0, f'{name} is mended in place', result)
check(not [n for n in left() if n.startswith('.')], 'nothing is left behind')

plant('short.mrc', data=content[:-100])
result = tessera('check', 'short.mrc')
check(result.code in (1, 3), 'a file that is cut short', result)
plant('long.mrc', data=content + b'more')
result = tessera('check', 'long.mrc')
check(result.code == 1 and 'long.mrc' in result.out, 'a file that is too long', result)
plant('unset.mrc', (76, struct.pack('<fff', 0, -1, -2)), (216, struct.pack('<f', -1)))
check(tessera('check', 'unset.mrc').code == 0, 'statistics may be unset')
plant('wrong.mrc', (84, struct.pack('<f', 17)))
check(tessera('check', '--header-only', 'wrong.mrc').code == 0, '--header-only does not look at data')
result = tessera('check', 'good.mrc', 'stamp.mrc', 'gone.mrc', 'nan.mrc')
check(result.code == 3 and 'good.mrc: good' in result.out and 'nan.mrc: ' in result.out and 'gone.mrc' in result.err,
      'several files, the highest code', result)
np.save('odd.npy', np.array([1, np.inf, np.nan], np.float32))
np.save('fine.npy', np.arange(3))
result = tessera('check', 'fine.npy', 'odd.npy')
check(result.code == 1 and 'fine.npy: good' in result.out and '1 values are NaN and 1 infinite' in result.out, 'npy', result)
fails(tessera('check', '--fix', 'good.mrc'), 2, '-o', '--in-place')
fails(tessera('check', '-o', 'x.mrc', 'good.mrc'), 2, '--fix')
plant('stamp2.mrc', (212, bytes(4)))
fails(tessera('check', '--fix', 'stamp2.mrc', '-o', 'good.mrc'), 2, 'good.mrc', '-f')
result = tessera('check', '--fix', 'good.mrc', '-o', 'same.mrc')
check(result.code == 0 and open('same.mrc', 'rb').read() == open('good.mrc', 'rb').read() and 'copied' in result.err,
      'nothing to mend: a copy', result)
for pack, end in ((gzip, '.gz'), (bz2, '.bz2')):
    with pack.open('packed' + end, 'wb') as file:
        file.write(open('stamp2.mrc', 'rb').read())
    result = tessera('check', '--fix', 'packed' + end, '-o', 'unpacked.mrc', '-f')
    check(result.code == 1 and 'faults repaired in unpacked.mrc' in result.err, 'a compressed file is mended', result)
    check(tessera('check', 'unpacked.mrc').code == 0, 'and is good then')
    check(open('unpacked.mrc', 'rb').read()[1024:] == open('stamp2.mrc', 'rb').read()[1024:], 'with the same data')
    fails(tessera('check', '--fix', '--in-place', 'packed' + end), 3, 'is compressed', '-o')
    fails(tessera('check', '--fix', 'packed' + end, '-o', 'n.mrc' + end), 2, 'without .gz or .bz2')
with gzip.open('good.mrc.gz', 'wb') as file:
    file.write(open('good.mrc', 'rb').read())
result = tessera('check', '--fix', 'good.mrc.gz', '-o', 'same.mrc', '-f')
check(result.code == 0 and open('same.mrc', 'rb').read() == open('good.mrc', 'rb').read(), 'a good one is unpacked', result)
plant('axes1.mrc', (64, struct.pack('<iii', 1, 1, 1)))
plant('extended2.mrc', (92, struct.pack('<i', 2 ** 20)))
plant('behind.mrc', (212, bytes(4)), data=content + b'and more')
for name in ('axes1', 'extended2', 'behind'):
    for pack, end in ((gzip, '.gz'), (bz2, '.bz2')):
        with pack.open(f'{name}.mrc{end}', 'wb') as file:
            file.write(open(f'{name}.mrc', 'rb').read())
        tessera('check', '--fix', f'{name}.mrc', '-o', 'mended.mrc', '-f')
        result = tessera('check', '--fix', f'{name}.mrc{end}', '-o', 'unpacked.mrc', '-f')
        both = [open(n, 'rb').read() for n in ('mended.mrc', 'unpacked.mrc')]
        check(result.code == 1 and both[0][:224] == both[1][:224] and both[0][1024:] == both[1][1024:],
              f'{name}{end} is mended as one that is not compressed', result)
        result = tessera('check', '--fix', '--in-place', f'{name}.mrc{end}')
        fails(result, 3, f'{name}.mrc{end} is compressed', '-o')
plant('mode.mrc', (12, struct.pack('<i', 77)))
with gzip.open('mode.mrc.gz', 'wb') as file:
    file.write(open('mode.mrc', 'rb').read())
for name in ('mode.mrc', 'mode.mrc.gz'):
    result = tessera('check', '--fix', name, '-o', 'out.mrc')
    check(result.code in (1, 3) and '.tessera-' not in result.err + result.out, 'no temporary name is told', result)
np.save('n.npy', np.arange(5))
for pack, end in ((gzip, '.gz'), (bz2, '.bz2')):
    with pack.open('n.npy' + end, 'wb') as file:
        file.write(open('n.npy', 'rb').read())
    result = tessera('check', '--fix', 'n.npy' + end, '-o', 'copy.npy', '-f')
    check(result.code == 0 and open('copy.npy', 'rb').read() == open('n.npy', 'rb').read(), 'npy is decompressed', result)
bad = bytearray(open('n.npy.gz', 'rb').read())
bad[-6] ^= 1
open('bad.npy.gz', 'wb').write(bad)
os.remove('copy.npy')
fails(tessera('check', '--fix', 'bad.npy.gz', '-o', 'copy.npy'), 3, 'bad.npy.gz')
check(not os.path.exists('copy.npy') and not [n for n in left() if n.startswith('.')], 'nothing is left behind')

# ---- edit ----
def header(name):
    return mrcfile.open(name, permissive=True, header_only=True)


plant('e.mrc')
result = tessera('edit', 'e.mrc', '--apix', '2.5')
check(result.code == 0, 'edit', result)
with header('e.mrc') as m:
    check(np.allclose([m.voxel_size.x, m.voxel_size.y, m.voxel_size.z], 2.5), '--apix')
tessera('edit', 'e.mrc', '--apix', '1,2,3', '--origin=-1,0,5.5', '--label', 'edited by a test')
with header('e.mrc') as m:
    check(np.allclose([m.voxel_size.x, m.voxel_size.y, m.voxel_size.z], [1, 2, 3]), '--apix x,y,z')
    check((m.header.origin.x, m.header.origin.y, m.header.origin.z) == (-1, 0, 5.5), '--origin')
    check('edited by a test' in m.get_labels()[-1], '--label')
tessera('edit', 'e.mrc', '--as', 'stack')
with header('e.mrc') as m:
    check(m.header.ispg == 0 and m.header.mz == 1 and abs(m.voxel_size.z - 3) < 1e-6, '--as stack keeps the pixel size')
named = open('e.mrc', 'rb').read()
open('e.mrcs', 'wb').write(named)
result = tessera('edit', 'e.mrcs', '--as', 'volume')
check(result.code == 0 and 'note: e.mrcs: the header now says volume' in result.err and '--as volume' in result.err,
      'a name that counts more', result)
check('note' not in tessera('edit', 'e.mrcs', '--as', 'stack').err, 'nothing to note')
tessera('edit', 'e.mrc', '--as', 'volumes=2')
with header('e.mrc') as m:
    check(m.header.ispg == 401 and m.header.mz == 2, '--as volumes=2')
check(open('e.mrc', 'rb').read()[1024:] == content[1024:], 'data are untouched')
plant('w.mrc', (76, struct.pack('<fff', 5, 6, 7)))
tessera('edit', 'w.mrc', '--stats')
with header('w.mrc') as m:
    check(m.header.dmin == a.min() and m.header.dmax == a.max() and abs(m.header.dmean - a.mean()) < 1e-6, '--stats')
with mrcfile.new('bytes.mrc') as m:
    m.set_data(np.array([[-1, 1]], np.int8))
check(tessera('edit', 'bytes.mrc', '--bytes', 'unsigned').code == 0, '--bytes')
check(tessera('info', '--field', 'dtype', 'bytes.mrc').out == 'u8\n', '--bytes unsigned is read back')
fails(tessera('edit', 'e.mrc'), 2, 'nothing to change', '--apix')
fails(tessera('edit', 'e.mrc', '--apix', '1,2'), 2, '--apix')
fails(tessera('edit', 'e.mrc', '--origin', '1'), 2, '--origin')
fails(tessera('edit', 'e.mrc', '--angles', '90,90'), 2, "--angles: '90,90' is not three numbers alpha,beta,gamma")
fails(tessera('edit', 'e.mrc', '--as', 'volumes=3'), 2, 'it must divide the 4 sections')
fails(tessera('edit', 'e.mrc', '--bytes', 'signed'), 2, 'mode 0')
fails(tessera('edit', 'gone.mrc', '--apix', 1), 3, 'gone.mrc')
before = open('e.mrc', 'rb').read()
result = tessera('edit', 'e.mrc', '--apix', 9, '--dry-run')
check(result.out == 'would change the header of e.mrc\n' and open('e.mrc', 'rb').read() == before, '--dry-run', result)
for name in ('x.npy', 'x.tif', 'x.png'):
    if can_write(name):
        check(tessera('gen', 'constant', '--size', 40, '--dtype', 'u8', '-o', name).code == 0, name)
        before = open(name, 'rb').read()
        fails(tessera('edit', '--apix', 2, name), 3, f'{name} has the format', 'only headers of MRC files')
        check(open(name, 'rb').read() == before, 'it is not touched')
fails(tessera('edit', '--apix', 2, 'packed.gz'), 3, 'is compressed', 'tessera convert')

finish()
