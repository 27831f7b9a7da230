"""Messages name options and verbs that there are: all strings of the command and of the readers, and some by running."""
import os
import re

import numpy as np

from command import check, fails, finish, tessera, verb_names
from images import write

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
spelling = open(os.path.join(ROOT, 'tools/command/spelling.c'), encoding='utf-8').read()
words = set(re.findall(r'(?:\{ "|"opts->)(\w+)"', spelling)) | {'meta', 'member', 'n_pages', 'rank', 'reserved', 'layout'}
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

# ---- No words of the inside: every option of every verb with values that are wrong ----
random = np.random.default_rng(4)
write('v.mrc', random.normal(0, 1, (8, 8, 8)).astype('f4'), 2)
write('s.mrcs', random.normal(0, 1, (3, 8, 8)).astype('f4'), 2, stack=True)
open('s.star', 'w').write('data_\nloop_\n_rlnImageName\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n' +
                          ''.join(f'{i}@s.mrcs 0 {i} 0\n' for i in (1, 2, 3)))
slow = {'demo', 'bench', 'warm', 'completion', 'help'}
needs_list = {'align2d', 'reconstruct', 'refine', 'star', 'select'}
known = {option.replace('-', '_') for option in options | operation_options} | set(operations)


def inside(verb, words, line):
    """What in a line of stderr is a word of the C library."""
    text = re.sub(r'^tessera: (error|warning|note|detail): ', '', line)
    for word in sorted((w for w in words if len(w) > 1), key=len, reverse=True):
        text = text.replace(word, '')
    first = re.match(r'([a-z][a-z0-9_]*): ', text)
    if first and first[1] not in verb.split() and not os.path.exists(first[1]):
        return first[1] + ':'
    found = re.search(r'(?<![\w./-])[a-z][a-z0-9]*(_[a-z0-9]+)+(?![\w./])|->|\btess_\w+|\bNULL\b|\bc\d_', text)
    return found[0] if found and found[0] not in known else None


def sweep(verb, values):
    text = tessera(*verb.split(), '--help').out
    inputs = ['s.star'] if verb in needs_list else ['v.mrc', 'v.mrc'] if re.search(r'HALF2|\bB\b', text.split('\n')[2]) else ['v.mrc']
    inputs += ['--reference', 'v.mrc'] if verb == 'refine' else []
    own = re.findall(r'^ {2,6}(?:-\w, )?(--[\w-]+) [A-Z]', text.split('Options:')[-1].split('Examples:')[0], re.M)
    for option in [*(o for o in own if o != '--field'), '--dtype']:  # --field lists names of columns
        for value in values:
            words = [*verb.split(), *inputs, option, value] + (['-o', 'n.mrc', '-f'] if 'OUT' in text.split('\n')[2] else [])
            result = tessera(*words)
            for line in result.err.split('\n'):
                check(not inside(verb, words, line), f'{inside(verb, words, line)} is a word of the inside', result)


for verb in verbs:
    if verb.split()[0] not in slow and 'Sub-commands' not in tessera(verb.split()[0], '--help').out or ' ' in verb:
        sweep(verb, ['-7'])
for verb in ('reconstruct', 'refine', 'norm', 'mask', 'transform', 'filter', 'convert', 'star'):
    sweep(verb, ['Q7', '1e30', 'gone.mrc'])
for verb, words, message in (
        ('reconstruct', ['s.star', '--sym', 'X9', '-o', 'n.mrc', '-f'], 'reconstruct: --sym is "X9"; C<n> or D<n>'),
        ('refine', ['s.star', '--reference', 'v.mrc', '--sym', 'X9', '-o', 'n.mrc', '-f'], 'refine: --sym is "X9"'),
        ('norm', ['v.mrc', '--bg-radius', '-1', '-o', 'n.mrc', '-f'], 'norm: --bg-radius is -1;'),
        ('mask', ['v.mrc', '--soft', '1e30', '-o', 'n.mrc', '-f'], 'mask: --soft is 1e+30;'),
        ('convert', ['v.mrc', '--dtype', 'x9', '-o', 'n.mrc'], '--dtype is "x9"; bool, i8 to i64'),
        ('convert', ['v.mrc', '-o', 'n.mrc[dtype=x9]'], 'n.mrc: dtype in brackets is "x9"'),
        ('info', ['gone.mrc'], 'error: gone.mrc: No such file'),
        ('star', ['gone.star'], 'error: gone.star: No such file'),
        ('convolve_separable', ['v.mrc', '-o', 'n2.mrc'], '--filter-d, --filter-h and --filter-w are not given')):
    result = tessera(verb, *words)
    check(result.code in (2, 3) and message in result.err, message, result)

# ---- Expressions: the user's text with a caret, not the operator that is made of it ----
for text, message, at in (('rlnAngleTilt >', 'star: expected a value, found the end of the expression', 14),
                          ('foo(rlnAngleTilt)', "star: unknown function 'foo'", 0),
                          ('1 + rlnAngleTilt)', "')' closes a bracket that was not opened", 16), ('mean(rlnAngleTilt', "'(' is not closed", 4),
                          ('rlnAngleTilt[0]', "star: 'rlnAngleTilt' has 1 indices here", 0),
                          ('rlnAngleRot.y', "'.' has no meaning in an expression", 11)):
    result = tessera('star', 's.star', '--where', text)
    lines = result.err.rstrip('\n').split('\n')
    check(result.code == 2 and message in lines[0] and lines[1:2] == ['    ' + text] and len(lines) == 3 and
          lines[2].index('^') == 4 + at, f'{text}: the fault is shown', result)

# ---- Values at fault are those of the verb's own options ----
os.symlink('.', 'X9')
fails(tessera('reconstruct', 's.star', '--sym', 'X9', '--root', 'X9', '-o', 'n.mrc', '-f'), 2, 'reconstruct: --sym is "X9"')

# ---- Options without effect ----
write('movie.mrcs', random.normal(0, 1, (4, 64, 64)).astype('f4'), 2, stack=True)
for words, message in ((['--max-local', '5A'], '--max-local requires patches, but --patches is 1'),
                       (['--always-local'], '--always-local requires patches, but --patches is 1')):
    fails(tessera('motion', 'movie.mrcs', '--patches', '1', *words, '-o', 'n.mrc', '-f'), 2, 'motion: ' + message)

# ---- Memory: how much, the limit, and what to do: the input fits, and what is made of it does not ----
write('big.mrc', random.normal(0, 1, (60, 60, 60)).astype('f4'), 2)
for words, size in ((['sort', '--axis', 'd', 'big.mrc'], '843.8'), (['fft_r2c', 'big.mrc'], '871.9'), (['label', 'big.mrc'], '843.8')):
    fails(tessera(*words, '--mem', '1M', '-o', 'n3.npy'), 4,
          f'{words[0]}: {size} KiB of memory are needed in addition to 843.8 KiB in use, and the limit is 1.0 MiB; raise it with --mem')
finish()
