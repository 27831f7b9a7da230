"""Verbs that make one file of another, with several inputs: names of outputs, failures, what is looked at before."""
import json
import os
import pty

import mrcfile
import numpy as np

from command import COMMAND, check, fails, finish, tessera
from images import write

rng = np.random.default_rng(5)
os.mkdir('in'), os.mkdir('more'), os.mkdir('out')
data = {name: write(f'in/{name}.mrc', rng.normal(0, 1, (16, 16)).astype('f4')) for name in ('a', 'b.c', 'd')}
files = [f'in/{name}.mrc' for name in data]


def written():
    return sorted(os.listdir('out'))


def clear():
    for name in os.listdir('out'):
        os.remove('out/' + name)


# ---- Every verb of this kind gives what it gives for each alone ----
verbs = {'bin': [], 'convert': ['--dtype', 'f16'], 'crop': ['--box', 8], 'dose': ['--dose', 1, '--apix', 2], 'fft': [],
         'filter': ['--lowpass', '0.2/px'], 'flip': ['--x'], 'mask': ['--sphere', 3], 'motion': ['--apix', 2], 'norm': [],
         'op bin': ['--factors', '2,2'], 'pad': ['--box', 20], 'power': [], 'reduce': ['--over', 'h'],
         'rescale': ['--factor', 2], 'select': [], 'sqrt': [], 'sym': ['--group', 'c2'], 'transform': ['--rotate', 5],
         'view': []}
for verb, options in verbs.items():
    end = 'png' if verb == 'view' else 'mrc'
    result = tessera(*verb.split(), *options, *files, '-o', f'out/{{name}}_x.{end}')
    if not check(result.code == 0 and written() == [f'a_x.{end}', f'b.c_x.{end}', f'd_x.{end}'], verb, result):
        print(written())
    for name in data:
        tessera(*verb.split(), *options, f'in/{name}.mrc', '-o', f'one.{end}', '-f')
        both = [open(path, 'rb').read() for path in (f'out/{name}_x.{end}', f'one.{end}')]
        check(end == 'png' and both[0] == both[1] or both[0][1024:] == both[1][1024:], f'{verb} of {name} alone')
    clear()
result = tessera('split', 'in/a.mrc', 'in/d.mrc', '-o', 'out/{name}_%02d.mrc')
check(written() == ['a_00.mrc', 'd_00.mrc'], 'split', result)
clear()
result = tessera('convert', 'in/a.mrc', '-o', 'out/{name}.npy')
check(written() == ['a.npy'], '{name} of one input', result)
write('stack.mrcs', rng.normal(0, 1, (3, 8, 8)).astype('f4'), stack=True)
result = tessera('convert', '1@stack.mrcs', '3@stack.mrcs', '-o', 'out/{name}.mrc')
check('stack_1.mrc' in written() and 'stack_3.mrc' in written(), 'numbered images', result)
clear()
tessera('bin', *files, '-o', 'out/{name}.mrc')
with mrcfile.open('out/b.c.mrc') as file:
    check(file.get_labels()[-1].startswith('tessera bin -o out/b.c.mrc in/b.c.mrc'), 'the label is of this file alone',
          file.get_labels())
clear()

# ---- What is wrong is told before any work ----
fails(tessera('bin', *files, '-o', 'out/x.mrc'), 2, '3 inputs', 'one output, out/x.mrc', "'out/{name}.mrc'")
fails(tessera('bin', *files), 2, '3 inputs but no output', '{name}')
fails(tessera('mean', *files), 2, '3 inputs but no output', '{name}')
write('more/d.mrc', data['d'])
fails(tessera('bin', *files, 'more/d.mrc', '-o', 'out/{name}.mrc'), 2, 'in/d.mrc and more/d.mrc would both become out/d.mrc')
fails(tessera('bin', 'in/a.mrc', 'in/d.mrc', 'more/d.mrc', '-o', 'more/{name}.mrc', '-f'), 2, 'would overwrite the input more/d.mrc')
fails(tessera('bin', 'in/d.mrc', 'more/d.mrc', '-o', './more/{name}.mrc', '-f', '--factor', 1), 2, 'would overwrite the input more/d.mrc')
os.symlink('../in/d.mrc', 'more/a.mrc')
fails(tessera('bin', 'in/a.mrc', 'in/d.mrc', '-o', 'more/{name}.mrc', '-f'), 2, 'would overwrite the input in/d.mrc')
open('out/d.mrc', 'w').write('old')
fails(tessera('bin', *files, '-o', 'out/{name}.mrc'), 2, 'out/d.mrc', '-f')
check(written() == ['d.mrc'] and open('out/d.mrc').read() == 'old', 'nothing was written')
check(tessera('bin', *files, '-o', 'out/{name}.mrc', '-f').code == 0 and len(written()) == 3, 'with -f')
clear()
fails(tessera('bin', *files, '-o', 'nowhere/{name}.mrc'), 3, 'nowhere')
result = tessera('bin', *files, '-o', 'out/{name}.mrc', '--dry-run')
check(result.code == 0 and result.out.count('would write out/') == 3 and written() == [], '--dry-run', result)

fails(tessera('view', *files, '-o', 'v.png'), 2, "-o 'out/{name}.png'")
fails(tessera('convert', 'in/a.mrc', '-o', 'no/such/a.mrc'), 3, 'no such folder: no/such; create it with mkdir -p no/such')

# ---- Names that split makes ----
os.mkdir('s')
parts = write('s/x.mrc', rng.normal(0, 1, (3, 8, 8)).astype('f4'))
one = write('s/x_0.mrc', rng.normal(0, 1, (2, 8, 8)).astype('f4'))
before = open('s/x_0.mrc', 'rb').read()
for inputs in (['s/x.mrc', 's/x_0.mrc'], ['s/x.mrc', './s/../s/x_0.mrc'], ['s/x.mrc', '1@s/x_0.mrc:mrc']):
    result = tessera('split', *inputs, '-o', 's/{name}_%d.mrc', '-f')
    fails(result, 2, 's/x_0.mrc, made of s/x.mrc, would overwrite the input', 'stopped at s/x.mrc; 0 of 2 files are done')
    check(open('s/x_0.mrc', 'rb').read() == before and sorted(os.listdir('s')) == ['x.mrc', 'x_0.mrc'], 'nothing was written')
os.rename('s/x_0.mrc', 's/p%d.mrc')
os.rename('s/x.mrc', 's/50%.mrc')
result = tessera('split', 's/p%d.mrc', 's/50%.mrc', '-o', 'out/{name}-%02d.mrc')
check(written() == ['50%-00.mrc', '50%-01.mrc', '50%-02.mrc', 'p%d-00.mrc', 'p%d-01.mrc'], 'a % of a name', result)
clear()
result = tessera('split', 's/p%d.mrc', '-o', 'out/{name}.mrc')
check(written() == ['p%d_0000.mrc', 'p%d_0001.mrc'], 'without a %d of its own', result)
clear()
result = tessera('split', 's/50%.mrc', '-o', 'out/a%%%d%%.mrc')
check(written() == ['a%0%.mrc', 'a%1%.mrc', 'a%2%.mrc'], '%% is a %', result)
with mrcfile.open('out/a%2%.mrc') as file:
    check((file.data == parts[2]).all(), 'the section of its number')
clear()
fails(tessera('split', 's/50%.mrc', '-o', 'out/%s.mrc'), 2, '%d', '%%')

# ---- Names with colons and brackets ----
odd = ['s/T10:00.mrc', 's/T10:30.mrc', 's/m[1].mrc', 's/m[2].mrc']
for name in odd:
    write(name, data['a'])
result = tessera('convert', *odd, '-o', 'out/{name}.mrc')
check(written() == ['T10:00.mrc', 'T10:30.mrc', 'm[1].mrc', 'm[2].mrc'], 'names with colons and brackets', result)
fails(tessera('convert', 's/T10:00.mrc', '-o', 'out/{name}.mrc'), 2, 'out/T10:00.mrc', '-f')
clear()
result = tessera('split', 's/T10:00.mrc', '-o', 'out/{name}.mrc[dtype=f16]')
check(written() == ['T10:00_0000.mrc'], 'the number goes before the ending', result)
clear()
np.savez('s/two.npz', **{'left': data['a'], 'half/1': data['d'], 'raw': data['a']})
members = ['s/two.npz:left', 's/two.npz:half/1', 's/two.npz:raw', 's/T10:00.mrc:mrc']
result = tessera('convert', *members, '-o', 'out/{name}.mrc')
check(written() == ['T10:00.mrc', 'two_half_1.mrc', 'two_left.mrc', 'two_raw.mrc'], 'members and formats', result)
clear()

# ---- Other files that a verb writes ----
for name in ('p', 'q'):
    open(f'in/{name}.star', 'w').write('data_\nloop_\n_rlnImageName\n_rlnN\n2@stack.mrcs 1\n1@stack.mrcs 2\n')
lists = ['in/p.star', 'in/q.star']
fails(tessera('select', *lists, '-o', 'out/{name}.mrcs', '--star', 'out/all.star'), 2, '--star is out/all.star', '{name}')
result = tessera('select', *lists, '-o', 'out/{name}.mrcs', '--star', 'out/{name}.star')
check(written() == ['p.mrcs', 'p.star', 'q.mrcs', 'q.star'] and '000002@out/q.mrcs' in open('out/q.star').read(), '--star',
      result)
clear()
result = tessera('topk', '--k', 2, '--axis', 'w', *files, '-o', 'out/{name}.mrc', '--indices', 'out/i.npy')
fails(result, 2, '--indices is out/i.npy', '{name}')

# ---- A bad one ----
open('in/bad.mrc', 'w').write('no')
bad = ['in/a.mrc', 'in/bad.mrc', 'in/d.mrc', 'in/none.mrc']
result = tessera('filter', '--lowpass', '0.1/px', *bad, '-o', 'out/{name}.mrc')
fails(result, 3, 'error: ', 'in/bad.mrc', 'stopped at in/bad.mrc; 1 of 4 files are done, 2 were not started', '--keep-going')
check(written() == ['a.mrc'], 'it stops', result)
clear()
result = tessera('filter', '--lowpass', '0.1/px', *bad, '-o', 'out/{name}.mrc', '--keep-going')
fails(result, 3, 'in/none.mrc', 'filter: 2 of 4 files failed: in/bad.mrc, in/none.mrc')
check(written() == ['a.mrc', 'd.mrc'] and result.err.count('error:') == 2, 'it goes on', result)
clear()

# ---- One table of all inputs ----
single = {name: tessera('corr', f'in/{name}.mrc', 'in/a.mrc', '--tsv').out.splitlines() for name in data}
result = tessera('corr', *files, 'in/a.mrc', '--tsv')
want = ['file\t' + single['a'][0]] + [f'in/{name}.mrc\t{single[name][1]}' for name in data]
check(result.code == 0 and result.out.splitlines() == want, 'corr: the last file with each of the others', result)
result = tessera('corr', *files, 'in/a.mrc', '-o', 'out/{name}_cc.mrc', '--json')
check([row['file'] for row in json.loads(result.out)] == files, 'one JSON array', result)
check(written() == ['a_cc.mrc', 'b.c_cc.mrc', 'd_cc.mrc'], 'maps of each', result)
clear()
result = tessera('corr', 'in/a.mrc', 'in/bad.mrc', 'in/d.mrc', 'in/b.c.mrc', '--tsv', '--keep-going')
fails(result, 3, 'corr: 1 of 3 files failed: in/bad.mrc')
check([line.split('\t')[0] for line in result.out.splitlines()] == ['file', 'in/a.mrc', 'in/d.mrc'], 'rows of the others',
      result)
with_nan = data['a'].copy()
with_nan[3, 3] = np.nan
write('in/nan.mrcs', np.stack([data['a'], with_nan]), stack=True)
result = tessera('corr', 'in/a.mrc', 'in/nan.mrcs', 'in/d.mrc', 'in/a.mrc', '--tsv', '--keep-going')
fails(result, 2, 'image 1 of in/nan.mrcs')
check(len(result.out.splitlines()) == 3, 'no rows of a file that failed in its middle', result)
fails(tessera('corr', *files, 'in/a.mrc', '-o', 'out/x.mrc'), 2, '3 inputs (in/a.mrc, in/b.c.mrc, ...)', 'one output')
write('more/x.mrc', data['a'])
fails(tessera('corr', 'in/a.mrc', 'in/d.mrc', 'more/x_a.mrc', '-o', 'more/x_{name}.mrc'), 3, 'more/x_a.mrc')
write('more/x_a.mrc', data['a'])
fails(tessera('corr', 'in/a.mrc', 'in/d.mrc', 'more/x_a.mrc', '-o', 'more/x_{name}.mrc', '-f'), 2,
      'would overwrite the input more/x_a.mrc')

stacks = ['more/s.mrcs', 'more/t.mrcs']
for i, name in enumerate(stacks):
    write(name, np.stack([np.roll(data['a'], (k, i), (0, 1)) for k in range(3)]), stack=True)
for name in ('s', 't'):
    open(f'more/{name}.tlt', 'w').write('-3\n0\n3\n')
single = {name: tessera('align', name, '--tsv').out.splitlines() for name in stacks}
result = tessera('align', *stacks, '--tsv', '--xf', 'out/{name}.xf', '-o', 'out/{name}.mrcs')
want = ['file\t' + single[stacks[0]][0]] + [f'{name}\t{row}' for name in stacks for row in single[name][1:]]
check(result.out.splitlines() == want and written() == ['s.mrcs', 's.xf', 't.mrcs', 't.xf'], 'align', result)
fails(tessera('align', *stacks, '--xf', 'out/{name}.xf'), 2, 'out/s.xf', '-f')
clear()
fails(tessera('align', *stacks, '--xf', 'out/all.xf'), 2, '--xf is out/all.xf', '{name}')
fails(tessera('align', 'in/d.mrc', 'more/d.mrc', '--xf', 'out/{name}.xf'), 2, 'would both become out/d.xf')
result = tessera('align', *stacks, '--tilts', 'more/{name}.tlt', '--tsv')
check(result.code == 0 and len(result.out.splitlines()) == 7, 'tilts of each', result)
result = tessera('align', stacks[0], '--tilts', 'more/{name}.tlt', '--xf', 'out/{name}.xf')
check(result.code == 0 and written() == ['s.xf'], '{name} of one input without -o', result)
clear()
single = {name: tessera('radial', name, '--power', '--tsv').out.splitlines() for name in files}
result = tessera('radial', *files, '--power', '--tsv', '--plot', 'out/{name}.svg')
want = ['file\t' + single[files[0]][0]] + [f'{name}\t{row}' for name in files for row in single[name][1:]]
check(result.out.splitlines() == want and written() == ['a.svg', 'b.c.svg', 'd.svg'], 'radial', result)
clear()
result = tessera('motion', '--apix', 2, *files, '-o', 'out/{name}.mrc', '--tsv')
check([line.split('\t')[0] for line in result.out.splitlines()] == ['file', *files], 'motion', result)
clear()

# ---- Progress ----
result = tessera('bin', *files, '-o', 'out/{name}.mrc', '--progress', 'always')
check([line for line in result.err.splitlines() if 'files' in line] == [f'tessera: bin: {i} of 3 files' for i in (1, 2, 3)],
      'a line for each file', result)
clear()
write('in/large.mrc', rng.normal(0, 1, (60, 400, 400)).astype('f4'), stack=True)
child, terminal = pty.fork()
if child == 0:
    os.execv(COMMAND, [COMMAND, 'filter', '--median', '15', '-j', '1', 'in/a.mrc', 'in/large.mrc', '-o', 'out/{name}.mrc'])
said = b''
try:
    while part := os.read(terminal, 65536):
        said += part
except OSError:
    pass
check(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and b'filter, file 2 of 2' in said, f'a bar: {said[:300]}')
finish()
