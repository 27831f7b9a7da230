"""Messages name options and verbs that there are: all strings of the command and of the readers, and some by running."""
import os
import re

import numpy as np

from command import check, fails, finish, tessera, verb_names

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def strings(folder):
    """(file, text) of every string constant of C files; those that follow each other are one."""
    for place, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in sorted(names):
            if name.endswith(('.c', '.h', '.def')):
                source = open(os.path.join(place, name), encoding='utf-8').read()
                source = re.sub(r'/\*.*?\*/|^\s*#include.*?$', '', source, flags=re.S | re.M)
                for text in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', source):
                    yield os.path.join(folder, name), ''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def options_of(verb):
    text = tessera(*verb.split(), '--help').out
    return set(re.findall(r'(?<![\w-])--([a-z][a-z0-9_-]*)', re.sub(r'Examples:\n(  .*\n)+', '', text)))


verbs = list(verb_names())
operations = re.findall(r'^(\w+)\t', tessera('ops', '--tsv').out, re.M)[1:]
options = {'help', 'version', 'selftest'}.union(*(options_of(verb) for verb in verbs))
check(len(verbs) > 25 and len(options) > 100, f'{len(verbs)} verbs, {len(options)} options')
operation_options = set().union(*(options_of('op ' + name) for name in operations))

# ---- Every --option of a string is in the help of some verb ----
for folder in ('tools', 'src/io'):
    for file, text in strings(folder):
        for option in re.findall(r'(?<![\w-])--([a-z][a-z0-9_-]*[a-z0-9])', text):
            check(option in options or option.replace('_', '-') in operation_options,
                  f'{file}: there is no option --{option}: {text[:200]}')
        for verb in re.findall(r'\btessera ([a-z]\w+)', text):
            if file.startswith('tools') and re.search(rf'tessera {verb}( -| [A-Z]|;|,|$)', text):
                check(verb in verbs or verb in operations, f'{file}: there is no verb {verb}: {text[:200]}')

# ---- Every field of options that readers and writers name is one here, or has another word ----
retold = open(os.path.join(ROOT, 'tools/main/retell.c'), encoding='utf-8').read()
words = set(re.findall(r'\{ "opts->(\w+)', retold)) | {'meta', 'member', 'n_pages', 'rank', 'reserved', 'layout'}
for file, text in strings('src/io'):
    for field in re.findall(r'opts->(\w+)', text):
        check(field in words or field.replace('_', '-') in options, f'{file}: opts->{field} is no option: {text[:200]}')

# ---- By running ----
np.save('x.npy', np.zeros((4, 4), 'f4'))
np.save('c.npy', np.zeros((4, 4), 'c8'))
np.savez('two.npz', a=np.zeros(3), b=np.ones(3))
open('x.raw', 'wb').write(bytes(64))
fails(tessera('info', 'x.raw:raw'), 2, 'dtype= of --raw')
fails(tessera('convert', 'x.npy', '--compress', 'lzw', '-o', 'n.mrc'), 3, '--compress is lzw')
result = tessera('convert', 'two.npz', '-o', 'n.mrc')
fails(result, 2, 'two.npz:NAME')
check('opts' not in result.err, 'members', result)
# Names of files are told as they are.
for name in ('tess_abs.mrc', 'tess_abs', 'tess_abs-1.mrc', 'in/tess_abs', 'a tess_abs b', 'opts->shape', 'x --in_shape.mrc'):
    result = tessera('info', name)
    check(result.code == 3 and f'{name}: ' in result.err and 'tessera abs' not in result.err, f'the name {name}', result)
open('names.star', 'w').write('data_\n\nloop_\n_rlnImageName\n1@tess_abs.mrcs\n')
fails(tessera('info', 'names.star'), 3, 'tess_abs.mrcs')
fails(tessera('star_write', 'x.npy'), 2, 'use it in C: tess_star_write')
fails(tessera('fft_r2r', 'c.npy', '--kind', 'dct2', '--sign', 'forward', '-o', 'n.npy'), 2, 'tessera cast converts')
result = tessera('info', 'x.npy', '--as', 'volumes=0')
check('opts' not in result.err, 'as volumes', result)
check(tessera('op', 'reduce', 'x.npy', '--items').err.find('opts->') < 0, 'operations')
finish()
