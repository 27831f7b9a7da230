"""tessera eer against a writer and a renderer in NumPy: groups, exposure, up-sampling, gains of every kind and size."""
import os
import sys

import mrcfile
import numpy as np
import tifffile

from command import check, fails, finish, left, tessera

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import eer_writer as eer  # noqa: E402

random = np.random.default_rng(4)
H, W, N = 48, 64, 13
events = [eer.random_events(random, H, W, 0.1) for _ in range(N)]
for name in ('movie.eer', 'other.eer'):
    with open(name, 'wb') as file:
        file.write(eer.make_eer([eer.encode(e, H, W) for e in events], H, W))


def wanted(upsampling, group):
    return np.stack([eer.rendered(events[i:i + group], H, W, upsampling) for i in range(0, N - group + 1, group)])


def rendered(*arguments, code=0):
    result = tessera('eer', 'movie.eer', *arguments, '-o', 'out.npy', '-f')
    check(result.code == code, 'it runs', result)
    return np.load('out.npy')[:, 0], result


# ---- Groups and up-sampling ----
for upsampling, group in ((1, 1), (2, 3), (4, 13)):
    got, result = rendered('--upsampling', upsampling, '--group', group)
    check(got.dtype == np.uint8 and np.array_equal(got, wanted(upsampling, group)), f'{upsampling}, {group}')
check('the last 1 of 13 frames' in rendered('--group', 3)[1].err, 'what is left out')
for dose, group in (('1,13', 1), ('2.1,13', 2), ('3.9,13', 4), ('0.01,40', 1), ('40,40', 13)):
    got, result = rendered('--dose', dose)
    check(np.array_equal(got, wanted(1, group)) and f'{group} of 13 frames in each image' in result.err, f'dose {dose}', result)
got, _ = rendered('--eer-group', 2, '--slices', '1,3')
check(np.array_equal(got, wanted(1, 2)[[1, 3]]), 'some images, by the names of other verbs')
result = tessera('convert', 'movie.eer', '--eer-dose', '3.9,13', '-o', 'c.mrcs')
check(result.code == 0 and np.array_equal(mrcfile.read('c.mrcs'), wanted(1, 4)), '--eer-dose of other verbs', result)
result = tessera('eer', 'movie.eer', 'other.eer', '--group', 4, '-o', '{name}_r.mrcs')
check(result.code == 0 and np.array_equal(mrcfile.read('other_r.mrcs'), wanted(1, 4)), 'several', result)
with mrcfile.open('movie_r.mrcs') as file:
    check(np.isclose(file.voxel_size.x, 0.725), 'pixel size')

# ---- Gains ----
gain = random.uniform(0.8, 1.2, (H, W)).astype('f4')
gain[7, 9] = 0
np.save('gain.npy', gain)
with np.errstate(divide='ignore'):
    factor = np.where(gain == 0, 0, gain.mean(dtype='f8') / gain)
got, result = rendered('--group', 4, '--gain', 'gain.npy')
check(got.dtype == np.float32 and np.allclose(got, wanted(1, 4) * factor, rtol=1e-5), 'gains divide', result)
check('gain references of EER movies divide' in result.err, 'and that is said', result)
got, result = rendered('--group', 4, '--gain', 'gain.npy', '--gain-sense', 'multiply')
check(np.allclose(got, wanted(1, 4) * gain, rtol=1e-5) and 'divide' not in result.err, 'unless told', result)
got, _ = rendered('--group', 4, '--gain', 'gain.npy', '--gain-sense', 'divide', '--gain-flip', 'x')
check(np.allclose(got, wanted(1, 4) * factor[:, ::-1], rtol=1e-5), 'mirrored')
tifffile.imwrite('x.gain', gain)
got, result = rendered('--group', 4, '--gain', 'x.gain')
check(np.allclose(got, wanted(1, 4) * gain, rtol=1e-5) and 'divide' not in result.err, '.gain multiplies, rows as they are')
got, _ = rendered('--upsampling', 2, '--group', 4, '--gain', 'x.gain')
check(np.allclose(got, wanted(2, 4) * np.kron(gain, np.ones((2, 2))), rtol=1e-5), 'a gain of the camera, up-sampled')
fine = random.uniform(0.8, 1.2, (4 * H, 4 * W)).astype('f4')
np.save('fine.npy', fine)
got, _ = rendered('--upsampling', 2, '--group', 4, '--gain', 'fine.npy', '--gain-sense', 'multiply')
check(np.allclose(got, wanted(2, 4) * fine.reshape(2 * H, 2, 2 * W, 2).mean((1, 3)), rtol=1e-5), 'a finer gain')
dark = random.uniform(0, 1, (H, W)).astype('f4')
np.save('dark.npy', dark)
got, _ = rendered('--dark', 'dark.npy', '--gain', 'x.gain', '--slices', '2-4')
check(np.allclose(got, (wanted(1, 1)[2:5] - dark) * gain, rtol=1e-5, atol=1e-6), 'a dark image; --slices are those of the movie')

# ---- Wrong input ----
np.save('small.npy', np.zeros((3, 3), 'f4'))
np.save('two.npy', np.stack([gain, gain]))
before = left()
for code, arguments, *parts in (
        (2, ['gain.npy'], 'gain.npy is not an EER movie', 'convert'), (3, ['none.eer'], 'none.eer'),
        (2, ['movie.eer', '--dose', '1'], '--eer-dose is "1"', '0.5,40'), (2, ['movie.eer', '--dose', '5,4'], '--eer-dose is "5,4"'),
        (2, ['movie.eer', '--dose', '1,4', '--group', 2], '--eer-group is 2 and --eer-dose 1,4'),
        (2, ['movie.eer', '--group', 14], '14', '13 frames'), (2, ['movie.eer', '--group', 0], '1 to 65535'),
        (2, ['movie.eer', '--upsampling', 3], '--upsampling'), (2, ['movie.eer', '--gain', 'small.npy'], '3 x 3', '64 x 48'),
        (2, ['movie.eer', '--gain', 'two.npy'], '2 images of 64 x 48'),
        (2, ['movie.eer', '--gain-sense', 'divide'], '--gain-sense requires --gain'),
        (2, ['movie.eer', '--gain', 'gain.npy', '--gain-rot', 4], '--gain-rot is 4')):
    fails(tessera('eer', *arguments, '-o', 'none.mrcs'), code, *parts)
check(left() == before, 'nothing is left behind')
finish()
