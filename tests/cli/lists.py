"""Inputs by list, @names.txt; other names of options; -V."""
import json
import os

import numpy as np

from command import check, fails, finish, tessera
from images import write

rng = np.random.default_rng(2)
data = {name: write(name, rng.normal(3, 1, (8, 8)).astype('f4')) for name in ('a.mrc', 'b c.mrc', '@x.mrc', '#d.mrc')}

# ---- Lists ----
open('names.txt', 'w').write('# two maps\n\n  a.mrc\t\r\nb c.mrc')
files = [row['file'] for row in json.loads(tessera('stats', '@names.txt', '--json').out)]
check(files == ['a.mrc', 'b c.mrc'], 'a list', files)
files = [row['file'] for row in json.loads(tessera('stats', '@-', './@x.mrc', '--json', stdin=b'b c.mrc\n').out)]
check(files == ['b c.mrc', './@x.mrc'], 'a list on standard input, and a name that begins with @', files)
open('odd.txt', 'w').write('@x.mrc\n./#d.mrc\n')
files = [row['file'] for row in json.loads(tessera('stats', '@odd.txt', '--json').out)]
check(files == ['@x.mrc', './#d.mrc'], 'lists are not nested', files)
result = tessera('bin', '@names.txt', '--factor', 2, '-o', '{name}_b.mrc')
check(result.code == 0 and os.path.exists('a_b.mrc') and os.path.exists('b c_b.mrc'), 'a verb that is run for each', result)
check(tessera('stack', '@names.txt', '-o', 's.mrcs').code == 0 and
      tessera('info', 's.mrcs', '--field', 'size').out == '8 8 2\n', 'a verb of several inputs')
open('pair.txt', 'w').write('a.mrc\na.mrc\n')
check(tessera('diff', '@pair.txt').code == 0, 'two inputs of a list')
check(tessera('add', '@pair.txt', '-o', 'sum.mrc').code == 0, 'an operation')
check(tessera('calc', 'mean(q)', '@-', stdin=b'q=a.mrc').out.strip() != '', 'named inputs of calc')
fails(tessera('diff', '@names.txt', 'a.mrc'), 2, 'unexpected argument')
fails(tessera('bin', '@gone.txt', '-o', 'n.mrc'), 3, 'bin: the list gone.txt cannot be read: No such file', './@gone.txt')
fails(tessera('bin', '@.', '-o', 'n.mrc'), 3, 'the list . cannot be read', 'directory')
open('empty.txt', 'w').write('\n# nothing\n')
fails(tessera('bin', '@empty.txt', '-o', 'n.mrc'), 2, 'the list empty.txt names no inputs; one path per line')
fails(tessera('bin', '@a.mrc', '-o', 'n.mrc'), 3, 'the list a.mrc is not a text', 'one path per line')
open('wrong.txt', 'w').write('a.mrc\nnone.mrc\n')
fails(tessera('stats', '@wrong.txt'), 3, 'none.mrc')

# ---- Names ----
check(tessera('-V').out == tessera('--version').out != '' and tessera('-V').code == 0, '-V', tessera('-V'))
write('v.mrc', rng.normal(0, 1, (8, 8, 8)).astype('f4'))
for number, name in enumerate(('--sym', '--group')):
    check(tessera('sym', name, 'C2', 'v.mrc', '-o', f'sym{number}.mrc').code == 0, f'sym {name}')
    for verb in ('reconstruct', 'refine'):
        fails(tessera(verb, 'gone.star', name, 'X9', '-o', 'm.mrc', '--reference', 'v.mrc') if verb == 'refine' else
              tessera(verb, 'gone.star', name, 'X9', '-o', 'm.mrc'), 3, 'gone.star')
check(open('sym0.mrc', 'rb').read()[1024:] == open('sym1.mrc', 'rb').read()[1024:], '--sym and --group are one')
check('--sym GROUP' in tessera('sym', '--help').out and '--group' not in tessera('sym', '--help').out, 'help names --sym')
finish()
