"""tessera reduce against NumPy."""
import numpy as np

from command import check, fails, finish, tessera
from images import close, equal, facts, random, run, write

stack = write('s.mrcs', random.normal(size=(13, 30, 24)).astype('f4') + 3, 1.5, stack=True)
volume = write('v.mrc', random.normal(size=(11, 20, 16)).astype('f4'), 2)
several = write('vs.mrc', random.normal(size=(5, 9, 14, 16)).astype('f4'), 1.0, volumes=True)
whole = write('i.mrcs', random.integers(0, 500, (9, 20, 22)).astype('u2'), 1, stack=True)
methods = {'mean': np.mean, 'sum': np.sum, 'sd': np.std, 'min': np.min, 'max': np.max, 'median': np.median}
files = {'s.mrcs': stack[:, None], 'v.mrc': volume[None], 'vs.mrc': several, 'i.mrcs': whole[:, None]}
for name, data in files.items():
    for over in ('b', 'd', 'h', 'w', 'hw', 'bd', 'bhw', 'bdhw', 'dw'):
        for method, reduce in methods.items():
            axes = tuple('bdhw'.index(c) for c in over)
            want = reduce(data.astype('f8'), axis=axes, keepdims=True)
            got = run('reduce', '--method', method, '--over', over, name, out='out.npy')
            equal(got.reshape(want.shape) if got is not None and got.size == want.size else got, want,
                  f'{name} {method} over {over}', 1e-5)
equal(run('reduce', 's.mrcs'), stack.astype('f8').mean(axis=0), 'the mean image', 1e-6)
check(facts('out.mrc')[3], 'an image')
close(facts('out.mrc')[0][:2], [1.5, 1.5], 'pixel size stays')
equal(run('reduce', 'v.mrc'), volume.astype('f8').mean(axis=0), 'a volume over d', 1e-6)
got = run('reduce', '--method', 'max', 'i.mrcs')
check(got is not None and got.dtype == np.uint16, 'the largest keeps its dtype')
for n in (1, 4, 5, 13, 20):
    want = np.stack([stack[i:i + n].astype('f8').sum(axis=0) for i in range(0, 13, n)])
    got = run('reduce', '--method', 'sum', '--group', n, 's.mrcs')
    equal(got.reshape(want.shape) if got is not None else got, want, f'groups of {n}', 1e-6)
    want = np.stack([np.median(stack[i:i + n].astype('f8'), axis=0) for i in range(0, 13, n)])
    got = run('reduce', '--method', 'median', '--group', n, 's.mrcs')
    equal(got.reshape(want.shape) if got is not None else got, want, f'medians of groups of {n}', 1e-6)
gain = write('gain.mrc', random.uniform(0.5, 2, (20, 22)).astype('f4'), 1)
dark = write('dark.mrc', random.uniform(0, 30, (20, 22)).astype('f4'), 1)
want = ((whole.astype('f4') - dark) * gain).astype('f8')
equal(run('reduce', '--method', 'sum', '--dark', 'dark.mrc', '--gain', 'gain.mrc', 'i.mrcs'), want.sum(axis=0), 'movie', 1e-6)
equal(run('reduce', '--gain', 'gain.mrc', '--group', 3, 'i.mrcs'),
      (whole * gain).astype('f8').reshape(3, 3, 20, 22).mean(axis=1), 'gain alone', 1e-6)
equal(run('reduce', '--method', 'median', '--gain', 'gain.mrc', '--dark', 'dark.mrc', 'i.mrcs'),
      np.median(want, axis=0), 'median of a movie', 1e-6)

fails(tessera('reduce', '--over', 'xy', 's.mrcs', '-o', 'n.mrc'), 2, '--over is xy', 'b, d, h and w')
fails(tessera('reduce', '--over', '', 's.mrcs', '-o', 'n.mrc'), 2, '--over')
fails(tessera('reduce', '--method', 'mode', 's.mrcs', '-o', 'n.mrc'), 2, 'mode')
fails(tessera('reduce', '--group', 0, 's.mrcs', '-o', 'n.mrc'), 2, '--group is 0')
fails(tessera('reduce', '--group', 2, '--over', 'd', 'v.mrc', '-o', 'n.mrc'), 2, '--group requires --over b')
fails(tessera('reduce', '--gain', 'dark.mrc', 's.mrcs', '-o', 'n.mrc'), 2, '--gain has 1 images of 22 x 20', '24 x 30')
fails(tessera('reduce', '--gain', 'no.mrc', 's.mrcs', '-o', 'n.mrc'), 3, 'no.mrc')
finish()
