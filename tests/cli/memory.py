"""Jobs that go slab by slab keep to a --mem that is smaller than the file; others say what they need."""
import re
import subprocess
import sys

import numpy as np

from command import COMMAND, check, fails, finish, tessera
from images import read, write

random = np.random.default_rng(4)
volume = write('v.mrc', random.normal(size=(120, 200, 200)).astype('f4'), 1.5)  # 18.3 MiB
jobs = (('reduce',), ('reduce', '--over', 'h'), ('reduce', '--over', 'w', '--method', 'sd'),
        ('convert', '--scale', 'full', '--mode', '0'), ('convert', '--scale', 'sigma=3', '--mode', '0u'),
        ('convert', '--dtype', 'i16'), ('convert', '--dtype', 'f16'))
for words in jobs:
    whole = tessera(*words, 'v.mrc', '-f', '-q', '-o', 'whole.mrc')
    check(whole.code == 0, 'it runs', whole)
    for mem in ('4M', '8M', '12M', '16M', '20M', '32M', '48M'):
        result = tessera(*words, 'v.mrc', '-f', '-q', '--mem', mem, '-o', 'part.mrc')
        if check(result.code == 0, f'{mem} are enough', result):
            check(np.array_equal(read('whole.mrc'), read('part.mrc')), f'the same with {mem}', result)
for expression in ('median(a)', 'median(a*2)', 'mean(a*a)', 'std(a)'):
    want = tessera('calc', expression, 'a=v.mrc').out
    for mem in ('4M', '8M', '16M', '20M'):
        result = tessera('calc', expression, 'a=v.mrc', '--mem', mem)
        check(result.code == 0 and result.out == want, f'{expression} with {mem}', result)

# ---- Medians over images: rows or columns of all of them at a time ----
stack = write('s.mrcs', random.normal(size=(90, 150, 130)).astype('f4'), 1.5, stack=True)  # 6.7 MiB
write('vs.mrc', stack.reshape(9, 10, 150, 130), 1, volumes=True)
write('gain.mrc', random.uniform(0.5, 2, (150, 130)).astype('f4'), 1)
for words in (('s.mrcs',), ('s.mrcs', '--group', 40), ('s.mrcs', '--over', 'bh'), ('s.mrcs', '--over', 'bw', '--gain', 'gain.mrc'),
              ('s.mrcs', '--gain', 'gain.mrc'), ('vs.mrc',), ('vs.mrc', '--over', 'bd'), ('vs.mrc', '--over', 'bdh')):
    check(tessera('reduce', '--method', 'median', *words, '-f', '-q', '-o', 'whole.npy').code == 0, 'it runs')
    for mem in ('1M', '2M', '5M'):
        result = tessera('reduce', '--method', 'median', *words, '-f', '-q', '--mem', mem, '-o', 'part.npy')
        if check(result.code == 0, f'{mem} are enough', result):
            check(np.array_equal(np.load('whole.npy'), np.load('part.npy')), f'the same median with {mem}', result)
result = tessera('reduce', '--method', 'median', 's.mrcs', '-f', '-o', 'part.mrc')
check(np.array_equal(read('part.mrc'), np.median(stack, axis=0).astype('f4')), 'the median', result)
fails(tessera('reduce', '--method', 'median', '--over', 'bhw', 's.mrcs', '-o', 'n.mrc', '--mem', '4M'), 4, 'all pixels', '--mem')
write('wide.mrcs', np.zeros((300, 2, 400), 'f4'), 1, stack=True)
fails(tessera('reduce', '--method', 'median', 'wide.mrcs', '-o', 'n.mrc', '--mem', '1M'), 4, 'a row', '--mem')

# ---- One image that is too large ----
write('big.mrcs', np.zeros((2, 1500, 1500), 'f4'), 1, stack=True)
for name, words, little, enough in (('v.mrc', ('--orth', '--lowpass', '8'), '32M', '80M'), ('big.mrcs', ('--power',), '32M', '48M'),
                                    ('big.mrcs', ('--lowpass', '8'), '32M', '48M'), ('big.mrcs', (), '8M', '18M')):
    fails(tessera('view', *words, name, '-f', '-o', 'n.png', '--mem', little), 4, ' x ', f'--mem allows {little[:-1]} MiB')
    result = tessera('view', *words, name, '-f', '-o', 'n.png', '--mem', enough)
    check(result.code == 0, f'{words} with enough', result)
for words in (('calc', 'median(a)', 'a=big.mrcs'), ('calc', 'a*2', 'a=big.mrcs', '-o', 'n.mrcs'),
              ('reduce', 'big.mrcs', '-o', 'n.mrc'), ('convert', 'big.mrcs', '--dtype', 'i16', '-o', 'n.mrcs')):
    result = tessera(*words, '--mem', '4M')
    fails(result, 4, '--mem')
    check('tess_set' not in result.err, 'no name of the library', result)

# ---- What transforms of volumes and images say that they need is what they take ----
# A process has at least the memory of the one that it was forked from: a small one, not this.
PEAK = """
import os, sys
pid = os.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


def peak(*words):
    """MiB that a run has at most, and its exit code."""
    run = subprocess.run([sys.executable, '-S', '-c', PEAK, COMMAND, *map(str, words)], capture_output=True, text=True)
    most, code = run.stdout.split()[-2:]
    return int(most) / 1024, int(code)


def check_estimate(*words):
    """Refused with little, and what it asks for is enough, gives the same, and is not much more than it takes."""
    little = tessera(*words, '-f', '-q', '--mem', '2M')
    found = re.search(r'takes? (\d+) MiB; --mem allows 2 MiB', little.err)
    if not check(little.code == 4 and found is not None, 'it says what it needs', little):
        return
    out, needed = words[-1], int(found.group(1))
    check(tessera(*words, '-f', '-q').code == 0, 'it runs', words)
    whole = open(out, 'rb').read()
    most, code = peak(*words, '-f', '-q', '--mem', f'{needed}M')
    check(code == 0 and open(out, 'rb').read()[1024:] == whole[1024:], f'{needed} MiB are enough', words)
    used = most - idle
    check(needed <= 1.2 * used + 1, f'asks for {needed} MiB and takes {used:.0f}', words)
    if not sanitized:
        check(used <= 1.2 * needed + 12, f'takes {used:.0f} MiB and asked for {needed}', words)


idle = peak('info', 'v.mrc')[0]
sanitized = b'__asan_init' in open(COMMAND, 'rb').read()  # it keeps what was freed
write('w.mrc', random.normal(size=(160, 161, 171)).astype('f4'), 1.5)  # 16.8 MiB
write('wide.mrc', random.normal(size=(2, 2000, 1501)).astype('f4'), 1.5, stack=True)
for layout in ('h', 'hc', 'f', 'fc'):
    odd = ('--odd',) if layout[0] == 'h' else ()
    check_estimate('fft', '--layout', layout, 'w.mrc', '-o', 'spectrum.npy')
    check_estimate('fft', '--inverse', '--layout', layout, *odd, '--as', 'volume', 'spectrum.npy', '-o', 'back.mrc')
    check(np.allclose(read('back.mrc'), read('w.mrc'), atol=1e-4), f'{layout}: there and back')
check_estimate('fft', '--inverse', '--complex', '--layout', 'fc', '--as', 'volume', 'spectrum.npy', '-o', 'back.npy')
check_estimate('fft', '--layout', 'f', '--as', 'volume', 'back.npy', '-o', 'again.npy')
for words in (('--lowpass', '0.2/px'), ('--gauss', '1px', '--median', 3, '--highpass', '0.02/px'), ('--lowpass', '0.2/px', '--dtype', 'i16')):
    check_estimate('filter', *words, 'w.mrc', '-o', 'filtered.mrc')
check_estimate('filter', '--lowpass', '0.2/px', 'wide.mrc', '--as', 'stack', '-o', 'filtered.mrcs')
check_estimate('fft', 'wide.mrc', '--as', 'stack', '-o', 'spectra.npy')
finish()
