"""Outputs: rejected before any work, written as a whole or not at all, whatever comes in between."""
import os
import pty
import resource
import signal
import subprocess
import tempfile
import time
import warnings

import mrcfile
import numpy as np
from command import COMMAND, TIME_FACTOR, check, fails, finish, left, skip, tessera

warnings.simplefilter('ignore')
random = np.random.default_rng(7)
a = random.normal(size=(6, 64, 64)).astype(np.float32)
with mrcfile.new('a.mrcs') as m:
    m.set_data(a)
    m.set_image_stack()
    m.voxel_size = 1.5
KEPT = ['a.mrcs', 'old.mrc']
open('old.mrc', 'wb').write(b'precious')


def old_is_there():
    return open('old.mrc', 'rb').read() == b'precious'


# ---- Before any work ----
fails(tessera('convert', 'a.mrcs', '-o', 'old.mrc'), 2, 'old.mrc', '-f')
fails(tessera('convert', 'gone.mrcs', '-o', 'old.mrc'), 2, 'old.mrc', '-f')
fails(tessera('convert', 'a.mrcs'), 2, '-o')
fails(tessera('convert', 'a.mrcs', '-o', 'nowhere/x.mrc'), 3, 'nowhere/x.mrc', 'folder')
os.mkdir('folder')
fails(tessera('convert', 'a.mrcs', '-o', 'folder'), 3, 'folder')
fails(tessera('convert', 'a.mrcs', '-f', '-o', 'folder'), 3, 'folder')
os.rmdir('folder')
fails(tessera('convert', 'a.mrcs', '-o', ''), 2, '-o')
for verb in (['convert', 'a.mrcs'], ['select', 'a.mrcs'], ['stack', 'a.mrcs'], ['gen', 'noise']):
    result = tessera(*verb, '--dry-run', '-o', 'dry.mrc')
    check(result.code == 0 and 'would write dry.mrc' in result.out, f'--dry-run of {verb[0]}', result)
    fails(tessera(*verb, '--dry-run', '-o', 'old.mrc'), 2, 'old.mrc')
check(old_is_there() and left(*KEPT) == [], 'nothing was written')

# ---- The same file in and out ----
check(tessera('select', 'a.mrcs', '--slices', '1-5', '-o', 'same.mrcs').code == 0, 'select')
result = tessera('convert', 'same.mrcs', '--dtype', 'f16', '-f', '-o', 'same.mrcs')
with mrcfile.open('same.mrcs') as m:
    check(result.code == 0 and np.array_equal(m.data, a[1:].astype(np.float16)), 'input and output are one file', result)
os.remove('same.mrcs')

# ---- Labels ----
long = 'x' * 100 + '.mrcs'
tessera('convert', 'a.mrcs', '-o', long)
with mrcfile.open(long) as m:
    label = m.get_labels()[-1]
    check(len(label) <= 80 and label.startswith('tessera convert a.mrcs') and label.endswith('... 2001-09-09 01:46:40'),
          f'a long command in a label: {label}')
os.remove(long)
for i in range(12):
    tessera('convert', 'a.mrcs' if i == 0 else 'l.mrcs', '-f', '-o', 'l.mrcs')
with mrcfile.open('l.mrcs') as m:
    check(len(m.get_labels()) == 10 and mrcfile.validate('l.mrcs', print_file=open(os.devnull, 'w')), 'ten labels at most')
os.remove('l.mrcs')


# ---- Disks that are full, folders that cannot be written ----
def limited(bytes_, *arguments):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
    process = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, preexec_fn=limit)
    return process


for size in (0, 500, 1024, 50000):
    for name in ('full.mrc', 'old.mrc', 'full.npy', 'full.mrc.gz'):
        process = limited(size, 'convert', 'a.mrcs', '-f', '-o', name)
        if name.endswith('.gz') and size >= 50000 and process.returncode == 0:
            os.remove(name)
            continue
        check(process.returncode == 3 and name in process.stderr and 'too large' in process.stderr.lower(),
              f'no more than {size} bytes for {name}: {process.returncode} {process.stderr}')
check(old_is_there() and left(*KEPT) == [], f'nothing is left of them: {left(*KEPT)}')
process = limited(50000, 'split', 'a.mrcs', '-o', 'part.mrc')
check(process.returncode == 0 and len(left(*KEPT)) == 6, 'files that are small enough')
for name in left(*KEPT):
    os.remove(name)
for verb in (['info', 'a.mrcs'], ['stats', 'a.mrcs'], ['convert', 'a.mrcs', '-o', '-:npy']):
    with open('/dev/full', 'w') as full:
        process = subprocess.run([COMMAND, *verb], stdout=full, stderr=subprocess.PIPE, text=True)
    check(process.returncode == 3 and 'No space left' in process.stderr, f'{verb[0]} to a full device: {process.stderr}')
if os.geteuid() == 0:
    skip('a folder that cannot be written', 'root may write everywhere')
else:
    os.mkdir('locked', 0o500)
    fails(tessera('convert', 'a.mrcs', '-o', 'locked/x.mrc'), 3, 'locked/x.mrc', 'Permission')
    os.rmdir('locked')
with tempfile.TemporaryDirectory() as mount:
    if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', mount], capture_output=True).returncode == 0:
        open(f'{mount}/old.mrc', 'wb').write(b'precious')
        result = tessera('convert', 'a.mrcs', '-f', '-o', f'{mount}/old.mrc')
        fails(result, 3, 'old.mrc', 'No space left')
        check(open(f'{mount}/old.mrc', 'rb').read() == b'precious' and os.listdir(mount) == ['old.mrc'], 'a full disk')
        subprocess.run(['umount', mount], check=True)
    else:
        skip('a full disk', 'a tmpfs cannot be mounted here')

# ---- A closed pipe ends quietly ----
for verb in (['stats', '--each', '--tsv', 'a.mrcs'], ['convert', 'a.mrcs', '-o', '-:npy'], ['info', *['a.mrcs'] * 2000]):
    process = subprocess.Popen([COMMAND, *verb], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    said = process.stderr.read()
    check(process.wait() in (0, -signal.SIGPIPE) and said == '', f'{verb[0]} into a closed pipe: {process.returncode} {said}')

# ---- Standard output that is a terminal ----
child, terminal = pty.fork()
if child == 0:
    os.execv(COMMAND, [COMMAND, 'convert', 'a.mrcs', '-o', '-'])
said = b''
try:
    while data := os.read(terminal, 65536):
        said += data
except OSError:
    pass
check(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2 and b'standard output is a terminal' in said and
      b'MAP ' not in said, f'no bytes to a terminal: {said[:300]}')

# ---- Signals in the middle ----
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    for name in ('stopped.mrcs', 'old.mrc', 'stopped.mrcs.gz'):
        process = subprocess.Popen([COMMAND, 'gen', 'noise', '--size', '2048', '--count', '4000', '-f', '-o', name],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 20 * TIME_FACTOR
        while time.monotonic() < deadline and not any(os.path.getsize(n) > 100000 for n in left(*KEPT) if os.path.exists(n)):
            time.sleep(0.01)
        process.send_signal(number)
        process.communicate(timeout=60 * TIME_FACTOR)
        check(process.returncode == -number, f'{name} ended by {number.name}: {process.returncode}')
        check(old_is_there() and left(*KEPT) == [], f'nothing is left after {number.name}: {left(*KEPT)}')
finish()
