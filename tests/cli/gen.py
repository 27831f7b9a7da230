"""gen against formulas in NumPy."""
import mrcfile
import numpy as np
from command import check, fails, finish, left, tessera


def gen(*arguments):
    result = tessera('gen', *arguments, '-f', '-o', 'x.mrc')
    check(result.code == 0, 'gen', result)
    with mrcfile.open('x.mrc') as m:
        return m.data.copy()


z, y, x = np.mgrid[:12, :16, :20].astype(float)
r = np.sqrt((x - 10)**2 + (y - 8)**2 + (z - 6)**2)
data = gen('sphere', '--size', '20,16,12', '--radius', 4, '--soft', 2, '--apix', 1.25)
want = np.where(r <= 4, 1, np.where(r >= 6, 0, 0.5 + 0.5 * np.cos(np.pi * (r - 4) / 2)))
check(data.shape == (12, 16, 20) and np.abs(data - want).max() < 1e-6, 'sphere')
with mrcfile.open('x.mrc') as m:
    check(m.is_volume() and abs(m.voxel_size.x - 1.25) < 1e-6, 'a volume with its pixel size')
data = gen('sphere', '--size', '20,16,12', '--radius', '5A', '--apix', 1.25)
check(np.array_equal(data, (r <= 4).astype(np.float32)), 'radius in A')
data = gen('gaussian', '--size', '20,16,12', '--sigma', 3, '--center', '10,8,6', '--low', 2, '--high', 5)
check(np.abs(data - (2 + 3 * np.exp(-r * r / 18))).max() < 1e-6, 'gaussian')
data = gen('ramp', '--size', '20,16', '--low', -1, '--high', 3, '--axis', 'y')
check(np.allclose(data, np.linspace(-1, 3, 16)[:, None].repeat(20, 1)), 'ramp along y')
data = gen('ramp', '--size', '4,3', '--count', 5, '--axis', 'z')
check(np.allclose(data[:, 0, 0], np.linspace(0, 1, 5)), 'ramp through images')
data = gen('checker', '--size', '20,16', '--period', 5)
yy, xx = np.mgrid[:16, :20]
check(np.array_equal(data, ((xx // 5 + yy // 5) % 2).astype(np.float32)), 'checker')
check(np.all(gen('constant', '--size', 8, '--value', 7.5) == 7.5), 'constant')
data = gen('noise', '--shape', '3,4,50,60', '--mean', 10, '--sd', 2, '--seed', 5)
check(data.shape == (3, 4, 50, 60) and abs(data.mean() - 10) < 0.05 and abs(data.std() - 2) < 0.05, 'noise in volumes')
check(len({data[i].tobytes() for i in range(3)}) == 3, 'each volume has noise of its own')
for how in (['--mem', '1M'], ['-j', 1], ['-j', 3, '--mem', '2M']):
    check(np.array_equal(gen('noise', '--size', 300, '--count', 9, '--seed', 3, *how),
                         gen('noise', '--size', 300, '--count', 9, '--seed', 3)), f'the same noise with {how}')
check(not np.array_equal(gen('noise', '--seed', 1), gen('noise', '--seed', 2)), 'another seed')
check(gen('noise', '--size', 16, '--dtype', 'i16').dtype == np.int16, '--dtype')

fails(tessera('gen', 'ctf', '-o', 'no.mrc'), 2, "'ctf' is not one of sphere", 'tessera ctf sim')
fails(tessera('gen', 'cube', '-o', 'no.mrc'), 2, "'cube' is not one of sphere", 'constant')
fails(tessera('gen', 'noise', '--size', '0,4', '-o', 'no.mrc'), 2, '--size', '1 to 1e9')
fails(tessera('gen', 'noise', '--size', '1.5', '-o', 'no.mrc'), 2, '--size')
fails(tessera('gen', 'noise', '--shape', '1,2,3,4', '--size', 4, '-o', 'no.mrc'), 2, '--shape', '--size')
fails(tessera('gen', 'noise', '--count', 0, '-o', 'no.mrc'), 2, '1 or more')
fails(tessera('gen', 'noise', '--sd', -1, '-o', 'no.mrc'), 2, '--sd')
fails(tessera('gen', 'sphere', '--radius', '5A', '-o', 'no.mrc'), 2, '--apix')
fails(tessera('gen', 'noise'), 2, '-o')
result = tessera('gen', 'noise', '--size', 8, '--dry-run', '-o', 'dry.mrc')
check(result.code == 0 and result.out == 'would write dry.mrc: mrc, f32 {1,1,8,8}\n' and left('x.mrc') == [], '--dry-run', result)
finish()
