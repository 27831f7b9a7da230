"""NaNs and infinities of results are counted: outputs of every format, integers, pictures."""
import mrcfile
import numpy as np

from command import can_write, check, fails, finish, tessera

zero = np.zeros((3, 40, 50), 'f4')
zero[1, 5] = 7
odd = np.random.default_rng(1).normal(0, 1, (3, 40, 50)).astype('f4')
odd[0, 3, 4:7] = np.nan
odd[2, 0, :2] = np.inf, -np.inf
for name, array in (('zero', zero), ('odd', odd), ('fine', zero + 1), ('complex', odd.astype('c8'))):
    np.save(f'{name}.npy', array)


def said(what, *words):
    """One line on stderr says it, and no other speaks of it."""
    result = tessera(*words)
    lines = [line for line in result.err.split('\n') if 'NaN' in line or 'infinite' in line]
    check(result.code == 0 and len(lines) == (what != '') and all(what in line for line in lines), f'{words}: {what}', result)


both = '3 values are NaN and 2 are infinite'
said('q.mrc: 5950 values are infinite', 'calc', '1/a', 'a=zero.npy', '-o', 'q.mrc')
said('q.npy: 5950 values are NaN', 'calc', 'a/a', 'a=zero.npy', '-o', 'q.npy')
said('q2.npy: 5950 values are NaN', 'div', 'zero.npy', 'zero.npy', '-o', 'q2.npy')
said('b.mrc: 3 values are NaN; its header has no statistics', 'select', 'odd.npy', '--slices', '0', '-o', 'b.mrc')
for name in ('o.mrc', 'o.npy', 'o.tif', 'o.npz'):
    if can_write(name):
        said(f'{name}: {both}', 'convert', 'odd.npy', '-o', name)
said(f'c.npy: {both}', 'convert', 'complex.npy', '-o', 'c.npy')
said(f'half.mrc: {both}', 'convert', 'odd.npy', '--dtype', 'f16', '-o', 'half.mrc')
said('', 'convert', 'fine.npy', '-o', 'fine.mrc')
check('beyond' not in tessera('convert', 'odd.npy', '--dtype', 'f16', '-o', 'half.npy').err, 'infinities are not beyond f16')
# Integers have none.
for dtype in ('i16', 'u8', 'i32'):
    for end in ('mrc', 'npy'):
        said(f'3 values are NaN (stored as 0) and 2 are infinite (stored as a limit of {dtype})',
             'convert', 'odd.npy', '--dtype', dtype, '-o', f'{dtype}.{end}')
stored = np.load('i16.npy').reshape(3, 40, 50)
check((stored[2, 0, :2] == [32767, -32768]).all() and (stored[0, 3, 4:7] == 0).all(), 'as it is said')
with mrcfile.open('i16.mrc') as file:
    check((file.data == stored).all(), 'the same in MRC')
said('3 values are NaN (stored as 0)', 'convert', 'odd.npy', '--slices', '0,1', '--scale', 'full', '--dtype', 'u8', '-o', 's.npy')
fails(tessera('convert', 'odd.npy', '--scale', 'full', '--dtype', 'u8', '-o', 's2.npy'), 2, 'infinite values (2)')
# Pictures.
said('odd.npy: 3 values are NaN (shown in purple) and 2 are infinite', 'view', 'odd.npy', '--montage', '3x1', '-o', 'm.png')
said('odd.npy: 3 values are NaN (shown in purple)', 'view', 'odd.npy', '--slice', '0', '-o', 'v.png')
said('', 'view', 'odd.npy', '--slice', '1', '-o', 'w.png')
said(both.replace('NaN', 'NaN (shown in purple)'), 'view', 'odd.npy', '--as', 'volume', '--orth', '-o', 'x.png')
finish()
