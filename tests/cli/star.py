"""STAR files as inputs: images of several stacks, 1-based, by rows; and the rows written again."""
import os
import warnings

import mrcfile
import numpy as np
from command import check, fails, finish, tessera

warnings.simplefilter('ignore')
random = np.random.default_rng(8)
os.mkdir('Extract')
stacks = {}
for name, dtype in (('Extract/a.mrcs', np.float32), ('Extract/b.mrcs', np.int16), ('Extract/c.mrc', np.float32)):
    stacks[name] = (random.normal(size=(5, 8, 10)) * 100).astype(dtype)
    with mrcfile.new(name) as m:
        m.set_data(stacks[name])
        m.set_image_stack()
        m.voxel_size = 1
    if name == 'Extract/c.mrc':  # as RELION writes them: only a guess says that it is a stack
        content = bytearray(open(name, 'rb').read())
        content[36:40] = (5).to_bytes(4, 'little')
        open(name, 'wb').write(content)

order = [(3, 'Extract/a.mrcs'), (4, 'Extract/a.mrcs'), (1, 'Extract/b.mrcs'), (5, 'Extract/c.mrc'), (1, 'Extract/a.mrcs'),
         (2, 'Extract/b.mrcs')]


def star(name, rows, optics=True, column='_rlnImageName'):
    with open(name, 'w') as f:
        f.write('# version 30001\n\n')
        if optics:
            f.write('data_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnOpticsGroupName #2\n_rlnImagePixelSize #3\n'
                    '1 one 7.5\n2 two 1.35\n\n')
        f.write(f'data_particles\n\nloop_\n_rlnCoordinateX #1\n{column} #2\n_rlnOpticsGroup #3\n')
        for i, (number, file) in enumerate(rows):
            f.write(f'{i * 1.5} {number:06d}@{file} 2\n')


star('p.star', order)
want = np.stack([stacks[f][n - 1].astype(np.float32) for n, f in order])
result = tessera('info', '--field', 'format,shape,dtype,apix', 'p.star')
check(result.out == 'star 6 1 8 10 f32 1.35 1.35 1.35\n', 'info of a list', result)
result = tessera('stack', 'p.star', '-o', 'p.mrcs')
with mrcfile.open('p.mrcs') as m:
    check(np.array_equal(m.data, want) and abs(m.voxel_size.x - 1.35) < 1e-6, 'images in the order of the rows', result)
result = tessera('select', 'p.star', '--slices', '5,0,3', '-o', 's.mrcs', '--star', 's.star')
with mrcfile.open('s.mrcs') as m:
    check(result.code == 0 and np.array_equal(m.data, want[[5, 0, 3]]), 'some of them', result)
text = open('s.star').read()
check('000001@s.mrcs' in text and '000003@s.mrcs' in text and 'Extract' not in text and '7.5' in text,
      'the rows of the new stack', text)
rows = [line.split() for line in text.splitlines() if '@' in line]
check([float(r[0]) for r in rows] == [7.5, 0, 4.5], 'with their other values', text)
result = tessera('diff', 's.star', 's.mrcs')
check(result.code == 0, 'the new list lists the new stack', result)
result = tessera('diff', 'p.star', 'p.mrcs')
check(result.code == 0, 'a list is an input like any other', result)
result = tessera('stats', '--each', '--field', 'max', 'p.star')
check([np.float32(x) for x in result.out.split()] == [w.max() for w in want], 'stats of each', result)
check(tessera('split', 'p.star', '-o', 'i.mrc').code == 0, 'split')
with mrcfile.open('i_0002.mrc') as m:
    check(np.array_equal(m.data, stacks['Extract/b.mrcs'][0]), 'image 2 of the list')
check(tessera('info', '--apix', '9', '--field', 'apix', 'p.star').out == '9 9 9\n', '--apix')

# Beside the list, where they are not found from here.
os.makedirs('elsewhere/Extract')
os.link('Extract/a.mrcs', 'elsewhere/Extract/d.mrcs')
star('elsewhere/e.star', [(2, 'Extract/d.mrcs')], optics=False)
result = tessera('info', '--field', 'shape,apix', 'elsewhere/e.star')
check(result.out == '1 1 8 10 1 1 1\n', 'files beside the list', result)
star('micrographs.star', [(1, 'Extract/a.mrcs')], column='_rlnMicrographName')
check(tessera('info', '--field', 'shape', 'micrographs.star').out == '1 1 8 10\n', 'micrographs')

# From a folder that --root names: only there.
star('elsewhere/far.star', [(2, 'd.mrcs')], optics=False)
for root in ('elsewhere/Extract', 'elsewhere/Extract/', os.path.abspath('elsewhere/Extract')):
    result = tessera('info', '--field', 'shape', 'elsewhere/far.star', '--root', root)
    check(result.out == '1 1 8 10\n', f'--root {root}', result)
fails(tessera('info', 'elsewhere/far.star'), 3, 'd.mrcs', '--root')
fails(tessera('info', 'p.star', '--root', 'elsewhere'), 3, '--root is elsewhere', 'Extract/a.mrcs')
star('full.star', [(2, os.path.abspath('Extract/a.mrcs'))])
check(tessera('info', 'full.star', '--root', 'elsewhere').code == 0, 'full names need no root')

# A stack whose header says volume: the numbers say that there are images.
with mrcfile.new('Extract/ispg1.mrc') as m:
    m.set_data(stacks['Extract/a.mrcs'])
    m.set_volume()
    m.voxel_size = 1
star('ispg1.star', [(4, 'Extract/ispg1.mrc'), (2, 'Extract/ispg1.mrc')])
result = tessera('stack', 'ispg1.star', '-o', 'ispg1.mrcs')
with mrcfile.open('ispg1.mrcs') as m:
    check(np.array_equal(m.data, stacks['Extract/a.mrcs'][[3, 1]]), 'space group 1 in a list', result)
fails(tessera('info', 'ispg1.star', '--as', 'volume'), 2, '--as stack')
open('whole.star', 'w').write('data_\n\nloop_\n_rlnMicrographName\nExtract/ispg1.mrc\n')
fails(tessera('info', 'whole.star'), 2, 'ispg1.mrc', 'it holds a volume')


def names(name, rows):
    open(name, 'w').write('data_\n\nloop_\n_rlnImageName\n' + ''.join(row + '\n' for row in rows))


# Of each file for itself: another with a number does not make images of the sections of this one.
names('mixed.star', ['Extract/ispg1.mrc', '2@Extract/a.mrcs'])
fails(tessera('info', 'mixed.star'), 2, 'ispg1.mrc', 'it holds a volume')
names('mixed.star', ['2@Extract/a.mrcs', 'Extract/ispg1.mrc'])
fails(tessera('info', 'mixed.star'), 2, 'ispg1.mrc', 'it holds a volume')

# The format behind the name, as RELION has it.
os.mkdir('elsewhere/dat')
for name in ('plain.dat', 'elsewhere/dat/far.dat'):
    open(name, 'wb').write(open('Extract/a.mrcs', 'rb').read())
names('dat.star', ['3@plain.dat:mrcs', '1@plain.dat:mrc'])
result = tessera('convert', 'dat.star', '-o', 'dat.npy')
check(result.code == 0 and (np.load('dat.npy').reshape(2, 8, 10) == stacks['Extract/a.mrcs'][[2, 0]]).all(), ':mrcs', result)
names('elsewhere/dat/near.star', ['3@far.dat:mrcs'])
for options in (['elsewhere/dat/near.star'], ['elsewhere/dat/near.star', '--root', 'elsewhere/dat']):
    result = tessera('info', '--field', 'shape', *options)
    check(result.out == '1 1 8 10\n', ':mrcs in another folder', result)
fails(tessera('info', 'elsewhere/dat/near.star', '--root', 'elsewhere'), 3, '--root is elsewhere', 'far.dat')
names('gone.star', ['1@gone.dat:mrcs'])
fails(tessera('info', 'gone.star'), 3, 'gone.dat', '--root')

# Bad lists.
star('x.star', [(6, 'Extract/a.mrcs')])
fails(tessera('info', 'x.star'), 2, 'x.star', 'image 6', 'has 5')
star('x.star', [(0, 'Extract/a.mrcs')])
fails(tessera('info', 'x.star'), 2, '0')
star('x.star', [(1, 'Extract/gone.mrcs')])
fails(tessera('info', 'x.star'), 3, 'gone.mrcs')
with mrcfile.new('wide.mrcs') as m:
    m.set_data(np.zeros((3, 8, 11), np.float32))
    m.set_image_stack()
star('x.star', [(1, 'Extract/a.mrcs'), (1, 'wide.mrcs')])
fails(tessera('info', 'x.star'), 2, 'wide.mrcs', '11 x 8', '10 x 8')
open('x.star', 'w').write('data_\n\nloop_\n_rlnVoltage #1\n300\n')
fails(tessera('info', 'x.star'), 3, 'x.star', '_rlnImageName')
fails(tessera('info', 'none.star'), 3, 'none.star')
fails(tessera('select', 'p.star', '-o', 'q.mrcs', '--star', 's.star'), 2, 's.star', '-f')
check(not os.path.exists('q.mrcs'), 'refused before any work')
finish()
