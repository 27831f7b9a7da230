"""Signals in the middle of long verbs: the exit status of the signal, soon, and files as they were before."""
import os
import signal
import subprocess
import time

import numpy as np
from command import COMMAND, TIME_FACTOR, check, finish, tessera

np.save('image.npy', np.random.default_rng(5).normal(size=(1, 1, 4096, 4096)).astype(np.float32))
for arguments in (('gen', 'noise', '--size', '1024', '--count', '20', '--seed', '3', '--apix', '1', '-o', 'movie.mrcs'),
                  ('gen', 'noise', '--size', '64,64,64', '--seed', '1', '--apix', '2', '-o', 'half1.mrc'),
                  ('gen', 'noise', '--size', '64,64,64', '--seed', '2', '--apix', '2', '-o', 'half2.mrc'),
                  ('project', '--random', '400', '--seed', '3', 'half1.mrc', '-o', 'views.mrcs', '--star', 'views.star')):
    result = tessera(*arguments)
    check(result.code == 0, f'{arguments[0]} makes what is needed', result)
with open('old.mrc', 'wb') as f:
    f.write(b'precious')
BEFORE = sorted(os.listdir('.'))

VERBS = (  # each takes seconds
    ('median_filter', 'image.npy', '--window', '31,31', '-o', 'old.mrc', '-f'),
    ('lstsq', 'image.npy', 'image.npy', '-o', 'x.npy'),
    ('convert', 'image.npy', '-o', 'image.mrc.gz'),
    ('motion', 'movie.mrcs', '--patches', '5,5', '-o', 'sum.mrc', '--shifts', 'shifts.star'),
    ('locres', 'half1.mrc', 'half2.mrc', '--step', '1', '-o', 'local.mrc'),
    ('refine', 'views.star', '--reference', 'half1.mrc', '--step', '4', '-o', 'refined.mrc', '--star', 'refined.star', '-q'),
)

for i, verb in enumerate(VERBS):
    number = signal.SIGTERM if i % 2 else signal.SIGINT
    process = subprocess.Popen([COMMAND, *verb], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.4)
    check(process.poll() is None, f'{verb[0]} still runs')
    begin = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=60 * TIME_FACTOR)
    took = time.monotonic() - begin
    check(process.returncode == -number, f'{verb[0]} is ended by {number.name}, not with {process.returncode}')
    check(took < 0.3 * TIME_FACTOR, f'{verb[0]} ends within 0.3 s: {took:.3f} s')
    check(err == b'', f'{verb[0]} says nothing: {err[:300]}')
    check(sorted(os.listdir('.')) == BEFORE, f'{verb[0]} leaves nothing: {sorted(set(os.listdir(".")) - set(BEFORE))}')
check(open('old.mrc', 'rb').read() == b'precious', 'a file that would have been replaced is as it was')
finish()
