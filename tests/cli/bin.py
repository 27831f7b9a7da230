"""tessera bin against NumPy."""
import numpy as np

from command import check, fails, finish, tessera
from images import close, equal, facts, random, run, write


def blocks(a, f, reduce):
    """The blocks of f = z,y,x along the last three axes (images: y,x), incomplete ones dropped."""
    k = len(f)
    n = [s // q for s, q in zip(a.shape[-k:], f)]
    a = a[(Ellipsis,) + tuple(slice(0, q * m) for q, m in zip(f, n))]
    shape = list(a.shape[:-k])
    for q, m in zip(f, n):
        shape += [m, q]
    axes = tuple(len(a.shape[:-k]) + 2 * i + 1 for i in range(k))
    return reduce(a.reshape(shape).astype('f8'), axis=axes)


for trial in range(4):
    h, w, n = random.integers(20, 60, 3)
    stack = write('s.mrcs', random.normal(size=(n, h, w)).astype('f4'), 1.25, stack=True)
    f = int(random.integers(2, 6))
    for method, reduce in (('mean', np.mean), ('sum', np.sum), ('median', np.median)):
        equal(run('bin', '--factor', f, '--method', method, 's.mrcs'), blocks(stack, (f, f), reduce), method, 1e-6)
    check(facts('out.mrc')[3], 'a stack stays one')
    close(facts('out.mrc')[0][:2], [1.25 * f] * 2, 'pixel size')
    volume = write('v.mrc', random.normal(size=(int(n), int(h), int(w))).astype('f4'), 2, origin=(1, 2, 3))
    z, y, x = random.integers(1, 5, 3)
    for method, reduce in (('mean', np.mean), ('median', np.median)):
        equal(run('bin', '--factor', f'{x},{y},{z}', '--method', method, 'v.mrc'), blocks(volume, (z, y, x), reduce),
              f'volume {method}', 1e-6)
    close(facts('out.mrc')[0], [2 * x, 2 * y, 2 * z], 'pixel size of a volume')
    close(facts('out.mrc')[1], [1 + x - 1, 2 + y - 1, 3 + z - 1], 'origin of a volume')
several = write('vs.mrc', random.normal(size=(3, 9, 14, 16)).astype('f4'), 1.0, volumes=True)
equal(run('bin', 'vs.mrc'), blocks(several, (2, 2, 2), np.mean), 'volumes by 2', 1e-6)
bytes_ = write('b.mrc', random.integers(-128, 127, (40, 40)).astype('i1'), 1)
got = run('bin', '--factor', 2, 'b.mrc')
check(got is not None and got.dtype == np.float32, 'bytes become f32')
equal(got, blocks(bytes_, (2, 2), np.mean), 'bytes')
half = write('h.mrc', random.normal(size=(30, 30)).astype('f2'), 1)
got = run('bin', '--factor', 3, 'h.mrc')
check(got is not None and got.dtype == np.float16, 'f16 stays f16')
equal(got, blocks(half, (3, 3), np.mean).astype('f2'), 'f16', 1e-3)

fails(tessera('bin', '--factor', 0, 's.mrcs', '-o', 'n.mrc'), 2, '--factor has x 0', '1 or more')
fails(tessera('bin', '--factor', 1000, 's.mrcs', '-o', 'n.mrc'), 2, '--factor along y is 1000', 's.mrcs has')
fails(tessera('bin', '--factor', '2,2,2', 's.mrcs', '-o', 'n.mrc'), 2, 'along z is 2')
fails(tessera('bin', '--method', 'mode', 's.mrcs', '-o', 'n.mrc'), 2, 'mode', 'median')
fails(tessera('bin', 's.mrcs', 't.mrcs', '-o', 'n.mrc'), 2, 't.mrcs')
result = tessera('gen', 'constant', '--size', '65,67,9', '-f', '-o', 'odd.mrc')
result = tessera('bin', '--factor', '4,4,3', 'odd.mrc', '-o', 'n.mrc', '-f')
check('note: odd.mrc: the last 1 column of 65, 3 rows of 67 do not fill a block and are left out' in result.err, 'what is left out', result)
check('left out' not in tessera('bin', '--factor', '5,1,3', 'odd.mrc', '-o', 'n.mrc', '-f').err, 'nothing is left out')

finish()
