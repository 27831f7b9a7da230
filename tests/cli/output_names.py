"""Names of outputs: one that exists, that another output has, or that an input is, is found before any work, for every verb
and every option that names one."""
import json
import os
import re

import numpy as np

from command import ROOT, check, fails, finish, left, tessera, verb_names
from images import write


# ---- Every option that names an output is marked as one, with OUT for its value ----
def options_of(text):
    """(option, value, help) of the options that help lists, its lines joined."""
    for part in re.split(r'\n(?= {2,6}-)', text):
        found = re.match(r'\s+(?:-\w, )?(--[\w-]+) ([A-Z][\w,.=]*)\s+(.*)', ' '.join(part.split('\n')))
        if found:
            yield found[1], found[2], re.sub(r'\s+', ' ', found[3])


rows = re.findall(r'\{[^{}]*?\.name = "[^"]*"[^{}]*?\}', ''.join(
    open(os.path.join(place, name), encoding='utf-8').read()
    for place, _, names in os.walk(os.path.join(ROOT, 'tools')) for name in names if name.endswith('.c')), re.S)
for row in rows:
    check(('.writes = true' in row) == ('.value = "OUT"' in row), f'.writes and .value = "OUT" are of the same rows: {row}')

outputs = {}  # of each verb, the options that name outputs
for verb in verb_names():
    text = tessera(*verb.split(), '--help').out
    outputs[verb] = []
    for option, value, about in options_of(text):
        if value == 'OUT' and option != '--output':
            outputs[verb].append(option)
        # "draw" of mask and of plot's marks are no files; "here" is where a file goes.
        check(value == 'OUT' or not re.match('FILE|NAME|STAR|MAP', value) or not re.match('(and )?(write|draw|save)', about),
              f'{verb} {option} {value}: {about}: it is written, and has no OUT')
    if re.search(r'\n  -o|\nAlso: -o', text) and 'OUT' in text.split('Options')[0] and verb != 'split':
        outputs[verb].append('-o')
for op in json.loads(tessera('ops', '--json').out):
    written = [a for a in op['args'] if (a['role'] == 'out' and a['type'] == 'array')]
    if op['verb'] and len(written) > 1:
        outputs[op['call'].split(' ', 1)[1]] = ['-o'] + ['--' + a['name'].replace('_', '-') for a in written[1:]]
check(sum(map(len, outputs.values())) > 80 and len([o for o in outputs.values() if len(o) > 1]) > 20, 'outputs', outputs)

# ---- All of them, with inputs that do not exist: what is said of outputs is said before those are opened ----
open('old.star', 'w').write('old')
os.mkdir('folder')
os.symlink('.', 'folder/back')
os.symlink('../new.star', 'folder/link.star')


def run(verb, *words):
    """With as many inputs as the verb needs."""
    inputs = []
    while True:
        result = tessera(*verb.split(), *inputs, *words)
        needed = re.search(r'(\d+) needed', result.err)
        if not needed or len(inputs) >= int(needed[1]):
            return result
        inputs = [f'gone{i}.mrc' for i in range(int(needed[1]))]


for verb, names in outputs.items():
    for option in names:
        fails(run(verb, option, 'old.star'), 2, 'old.star: the file exists already; -f overwrites it')
        fails(run(verb, option, 'nowhere/x.star'), 3, 'no such folder: nowhere')
        fails(run(verb, option, 'folder', '-f'), 3, f'folder: is a folder; {option} needs the name of a file')
    for one, other in zip(names, names[1:]):
        for two in ('new.star', './new.star', 'folder/../new.star', 'folder/back/../new.star', 'folder/link.star'):
            fails(run(verb, one, 'new.star', other, two, '-f'), 2, verb.split()[-1] + ': ', f'{one} ', f'{other} ', 'are the same file')
check(left() == ['folder', 'old.star'] and open('old.star').read() == 'old', 'nothing was written', left())
os.remove('folder/link.star')

# ---- The cases of every day ----
stack = write('s.mrcs', np.random.default_rng(3).normal(0, 1, (4, 16, 16)).astype('f4'), stack=True)
open('s.star', 'w').write('data_\nloop_\n_rlnImageName\n' + ''.join(f'{i}@s.mrcs\n' for i in (1, 2, 3)))
fails(tessera('select', 's.star', '-o', 'e.mrcs', '--star', 'e.mrcs', '-f'), 2,
      'select: -o e.mrcs and --star e.mrcs are the same file; every output needs its own name')
os.link('old.star', 'hard.star')
fails(tessera('select', 's.star', '-o', 'old.star', '--star', 'hard.star', '-f'), 2, 'are the same file')
fails(tessera('select', 's.star', '-o', 'e.mrcs[dtype=f16]', '--star', 'e.mrcs', '-f'), 2, 'are the same file')
fails(tessera('select', 's.star', '-o', '-', '--star', '-'), 2, 'are the same file')
check(tessera('topk', '--k', 2, '--axis', 'w', 's.mrcs', '-o', '/dev/null:npy', '--indices', '/dev/null:npy', '-f').code == 0,
      'devices may be written twice')
# Names that a verb makes of a pattern.
open('half2.mrc', 'w').write('old')
fails(tessera('reconstruct', 'gone.star', '-o', 'half1.mrc', '--half-maps', 'half{half}.mrc', '-f'), 2,
      'reconstruct: -o half1.mrc and --half-maps half1.mrc are the same file')
fails(tessera('reconstruct', 'gone.star', '-o', 'map.mrc', '--half-maps', 'half{half}.mrc'), 2, 'half2.mrc', 'exists already')
fails(tessera('refine', 'gone.star', '--reference', 'm.mrc', '-o', 'map.mrc', '--half-maps', './half{half}.mrc', '--star',
              'half1.mrc', '-f'), 2, '--star half1.mrc and --half-maps ./half1.mrc are the same file')
# Only the mark that a verb replaces makes a pattern of a name: all others are names.
for mark in ('{a}', '{name}', '{half}', '{value}'):
    fails(tessera('extract', 'gone.star', '--box', 8, '-o', f'e{mark}.mrcs', '--star', f'e{mark}.mrcs', '-f'), 2, 'are the same file')
for mark in ('{a}', '{name}', '{value}'):
    fails(tessera('reconstruct', 'gone.star', '-o', f'e{mark}.mrc', '--half-maps', f'e{mark}.mrc', '-f'), 2, 'are the same file')
open('e{value}.mrcs', 'w').write('old')
fails(tessera('extract', 'gone.star', '--box', 8, '-o', 'e{value}.mrcs'), 2, 'e{value}.mrcs: the file exists already')
os.remove('e{value}.mrcs')
for inputs in (['gone.mrcs'], ['gone.mrcs', 'gone2.mrcs']):
    fails(tessera('motion', *inputs, '-o', '{name}_sum.mrc', '--star', '{name}.star'), 2,
          'motion: --star is {name}.star; it is one file for all inputs and cannot contain {name}')
write('movie.mrcs', np.random.default_rng(5).normal(0, 1, (4, 64, 64)).astype('f4'), 1.5, stack=True)
for name in ('-', '-:mrc', '-[dtype=f16]'):
    fails(tessera('motion', 'movie.mrcs', '-o', name, '--star', 'all.star'), 2,
          f'motion: -o is {name}, standard output; --star requires a file name for the micrograph')
for shifts, said in (('shifts.tsv', False), ('shifts.star', True)):
    result = tessera('motion', 'movie.mrcs', '-o', 'sum.mrc', '--shifts', shifts, '--star', 'all.star', '-f', '-q')
    check(result.code == 0 and ('rlnMicrographMetadata' in open('all.star').read()) == said, 'metadata is a STAR file', result)
# Particles alone can be .cs files.
for verb, names in outputs.items():
    for option in names:
        if option not in ('-o', '--star'):
            fails(run(verb, option, 'new.cs'), 2, f"{option} is new.cs; cryoSPARC's .cs files hold only particles")
for verb in ('motion', 'fsc', 'peaks'):
    fails(run(verb, '--star', 'new.cs'), 2, f"{verb}: --star is new.cs; cryoSPARC's .cs files hold only particles")
# Several inputs: outputs of one are not those of another, whatever the option.
open('t.star', 'w').write(open('s.star').read())
fails(tessera('select', 's.star', 't.star', '-o', '{name}_x.star', '--star', '{name}_x.star'), 2, 'are the same file')

# ---- Outputs that are inputs ----
fails(tessera('bin', 's.mrcs', '-o', './s.mrcs'), 2, 'bin: -o ./s.mrcs is the input itself; -f overwrites it')
fails(tessera('select', 's.star', '-o', 'e.mrcs', '--star', './s.star', '-f'), 2, 'select: --star ./s.star would overwrite the input s.star')
fails(tessera('select', 's.star', '-o', 's.mrcs', '-f'), 2, 'select: -o s.mrcs would overwrite s.mrcs, which is read')
fails(tessera('align2d', 's.mrcs', '--reference', 's.star', '-o', 's.star', '-f'), 2, '-o s.star would overwrite the file of --reference')
fails(tessera('calc', 'a + 1', 'a=s.mrcs', '-o', 's.mrcs'), 2, 'is the input itself')
check(np.array_equal(np.fromfile('s.mrcs', 'f4', offset=1024).reshape(4, 16, 16), stack), 'inputs are as they were')
result = tessera('flip', '--x', 's.mrcs', '-o', 's.mrcs', '-f')
check(result.code == 0 and np.array_equal(np.fromfile('s.mrcs', 'f4', offset=1024).reshape(4, 16, 16), stack[:, :, ::-1]),
      '-f replaces the input itself', result)
finish()
