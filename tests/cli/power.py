"""tessera power against NumPy."""
import numpy as np

from command import check, fails, finish, tessera
from images import close, equal, facts, random, run, write


def power(a, axes):
    n = np.prod([a.shape[i] for i in axes])
    return np.abs(np.fft.fftn(a.astype('f8'), axes=axes)) ** 2 / n


scales = {'power': lambda p: p, 'amplitude': np.sqrt, 'log': lambda p: np.log1p(np.sqrt(p))}
stack = write('s.mrcs', random.normal(size=(7, 30, 25)).astype('f4'), 1.5, stack=True)
volume = write('v.mrc', random.normal(size=(11, 20, 16)).astype('f4'), 2)
for name, data, axes in (('s.mrcs', stack, (1, 2)), ('v.mrc', volume, (0, 1, 2))):
    p = power(data, axes)
    for scale, f in scales.items():
        equal(run('power', '--scale', scale, name), np.fft.fftshift(f(p), axes=axes), f'{name} {scale}', 3e-6)
        want = f(p.mean(axis=0)) if name == 's.mrcs' else f(p)
        shift = (0, 1) if name == 's.mrcs' else axes
        equal(run('power', '--scale', scale, '--average', name), np.fft.fftshift(want, axes=shift), f'{name} mean', 3e-6)
p = power(stack, (1, 2))
equal(run('power', '--scale', 'power', '--layout', 'h', 's.mrcs'), p[:, :, :13], 'half', 3e-6)
equal(run('power', '--scale', 'power', '--layout', 'hc', 's.mrcs'), np.fft.fftshift(p[:, :, :13], axes=1), 'hc', 3e-6)
equal(run('power', '--scale', 'power', '--layout', 'f', 's.mrcs'), p, 'full', 3e-6)
close(facts('out.mrc')[0], [0, 0, 0], 'the pixel size is not known')
check(facts('out.mrc')[3], 'a stack stays one')
fails(tessera('power', '--scale', 'db', 's.mrcs', '-o', 'n.mrc'), 2, 'amplitude')
np.save('c.npy', np.ones((8, 8), 'c8'))
fails(tessera('power', 'c.npy', '-o', 'n.mrc'), 2, 'not its transform')
finish()
