"""Signals in the middle of long verbs, each job among them: the exit status of the signal, soon, and files as they were before."""
import os
import signal
import subprocess
import sys
import time

import numpy as np
from command import COMMAND, TIME_FACTOR, check, finish, tessera

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import eer_writer  # noqa: E402

random = np.random.default_rng(5)
np.save('image.npy', random.normal(size=(1, 1, 4096, 4096)).astype(np.float32))
for arguments in (('gen', 'noise', '--size', '1024', '--count', '20', '--seed', '3', '--apix', '1', '-o', 'movie.mrcs'),
                  ('gen', 'noise', '--size', '64,64,64', '--seed', '1', '--apix', '2', '-o', 'half1.mrc'),
                  ('gen', 'noise', '--size', '64,64,64', '--seed', '2', '--apix', '2', '-o', 'half2.mrc'),
                  ('gen', 'noise', '--size', '224,224,224', '--seed', '4', '--apix', '2', '-o', 'large.mrc'),
                  ('project', '--random', '400', '--seed', '3', 'half1.mrc', '-o', 'views.mrcs', '--star', 'views.star')):
    result = tessera(*arguments)
    check(result.code == 0, f'{arguments[0]} makes what is needed', result)
with open('places.star', 'w') as f:
    f.write('data_\n\nloop_\n_rlnMicrographName\n_rlnCoordinateX\n_rlnCoordinateY\n')
    f.writelines(f'{i % 20 + 1}@movie.mrcs {x} {y}\n' for i, (x, y) in enumerate(random.uniform(200, 800, (20000, 2))))
with open('tilts.tlt', 'w') as f:
    f.writelines(f'{3 * i - 30}\n' for i in range(20))
with open('movie.eer', 'wb') as f:
    events = [eer_writer.random_events(random, 512, 512, 0.01) for _ in range(4)]
    f.write(eer_writer.make_eer([eer_writer.encode(e, 512, 512) for e in events] * 30, 512, 512))
with open('old.mrc', 'wb') as f:
    f.write(b'precious')
BEFORE = sorted(os.listdir('.'))
AGAIN = ','.join(['0-19'] * 40)  # the frames, again and again

VERBS = (  # each takes seconds
    ('median_filter', 'image.npy', '--window', '31,31', '-o', 'old.mrc', '-f'),
    ('lstsq', 'image.npy', 'image.npy', '-o', 'x.npy'),
    ('convert', 'image.npy', '-o', 'image.mrc.gz'),
    ('align2d', 'views.mrcs', '--step', '0.5', '--iterations', '20', '-o', 'average.mrc', '--aligned', 'aligned.mrcs', '--star', 'a.star'),
    ('ctf fit', 'movie.mrcs', '--slices', AGAIN, '-o', 'fits.star'),
    ('ctf fit', 'movie.mrcs', '--slices', AGAIN, '--movie', '-o', 'fits.star'),
    ('dose', 'movie.mrcs', '--dose', '1', '--slices', '0-19,0-19,0-19,0-19,0-19', '-o', 'weighted.mrcs'),
    ('eer', 'movie.eer', '--upsampling', '4', '-o', 'frames.tif', '--compress', 'deflate'),
    ('extract', 'places.star', '--box', '192', '--subpixel', '--rescale', '48', '--bg-radius', '20', '--ramp', '-o', 'boxes.mrcs',
     '--star', 'boxes.star'),
    ('fsc', 'half1.mrc', 'half2.mrc', '--cones', '5000', '--star', 'fsc.star'),
    ('locres', 'half1.mrc', 'half2.mrc', '--step', '1', '-o', 'local.mrc'),
    ('motion', 'movie.mrcs', '--patches', '5,5', '-o', 'sum.mrc', '--shifts', 'shifts.star'),
    ('pick', 'movie.mrcs', '--diameter', '30', '--templates', 'views.mrcs', '--template-pixel-size', '2', '--step', '2', '-o', 'picks.star'),
    ('reconstruct', 'views.star', '--sym', 'I1', '--pad', '3', '--half-maps', 'h{half}.mrc', '-o', 'map.mrc', '-q'),
    ('refine', 'views.star', '--reference', 'half1.mrc', '--step', '4', '-o', 'refined.mrc', '--star', 'refined.star', '-q'),
    ('sharpen', 'large.mrc', 'large.mrc', '--bfactor', '-50', '-o', 'sharp.mrc', '-q'),
    ('align', 'movie.mrcs', '--slices', AGAIN, '-o', 'aligned.mrcs', '--xf', 'shifts.xf'),
    ('backproject', 'movie.mrcs', '--angles', 'tilts.tlt', '--depth', '400', '-o', 'tomogram.mrc'),
    ('ctf flip', 'movie.mrcs', '--slices', AGAIN, '--defocus', '1.5um', '-o', 'flipped.mrcs'),
    ('mask', 'large.mrc', '--soft', '30', '--extend', '20', '-o', 'mask.mrc', '-q'),
    ('project', 'half1.mrc', '--random', '100000', '-o', 'many.mrcs', '--star', 'many.star'),
    ('simulate particles', 'half1.mrc', '--count', '50000', '-o', 'many.mrcs', '--star', 'many.star'),
    ('simulate movie', 'half1.mrc', '--size', '1536', '--frames', '200', '--defocus', '1.5um', '-o',
     'frames.mrcs', '--star', 'frames.star'),
    ('stats', 'movie.mrcs', '--slices', AGAIN),
)


def end(verb, number, after):
    """Seconds from the signal to the end of a verb; one that has ended by then is run again and interrupted earlier."""
    process = subprocess.Popen([COMMAND, *verb[0].split(), *verb[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(after)
    runs = process.poll() is None
    begin = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=60 * TIME_FACTOR)
    took = time.monotonic() - begin
    left = sorted(set(os.listdir('.')) - set(BEFORE))
    runs = runs and process.returncode != 0  # it may end between the look and the signal
    if runs:
        check(process.returncode == -number, f'{verb[0]} is ended by {number.name}, not with {process.returncode}: {err[:300]}')
        check(took < 0.3 * TIME_FACTOR, f'{verb[0]} ends within 0.3 s: {took:.3f} s')
        check(err == b'', f'{verb[0]} says nothing: {err[:300]}')
        check(left == [], f'{verb[0]} leaves nothing: {left}')
    for name in left:
        os.remove(name)
    if runs:
        return took
    check(process.returncode == 0 and after > 0.05, f'{verb[0]} still runs after {after} s: {err[:300]}')
    return end(verb, number, after / 2) if after > 0.05 else took


for i, verb in enumerate(VERBS):
    took = end(verb, signal.SIGTERM if i % 2 else signal.SIGINT, 0.4)
    print(f'{verb[0]}: {1000 * took:.0f} ms')
check(open('old.mrc', 'rb').read() == b'precious', 'a file that would have been replaced is as it was')
finish()
