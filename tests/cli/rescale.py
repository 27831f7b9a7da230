"""tessera rescale against a Fourier resampling written with NumPy."""
import numpy as np

from command import check, fails, finish, tessera
from images import close, equal, facts, random, read, run, write


def resample_axis(a, m, axis):
    """Trigonometric interpolation of a real array from n to m samples along an axis, sample 0 kept; the coefficient at
    Nyquist of the smaller even size is shared by both signs."""
    n = a.shape[axis]
    f = np.moveaxis(np.fft.fft(a, axis=axis), axis, -1)
    out = np.zeros(f.shape[:-1] + (m,), complex)
    k = min(n, m)
    for i in range(-(k // 2) if k % 2 else -(k // 2) + 1, (k + 1) // 2):
        out[..., i % m] = f[..., i % n]
    if k % 2 == 0:
        if m < n:
            out[..., k // 2] = (f[..., k // 2] + f[..., -(k // 2)]) / 2
        elif m > n:
            out[..., k // 2] += f[..., k // 2] / 2
            out[..., -(k // 2)] += f[..., k // 2] / 2
        else:
            out[..., k // 2] = f[..., k // 2]
    return np.moveaxis(np.fft.ifft(out, axis=-1).real * (m / n), -1, axis)


def resample(a, shape):
    a = a.astype('f8')
    for i, m in enumerate(shape):
        a = resample_axis(a, m, a.ndim - len(shape) + i)
    return a


image = write('x.mrc', random.normal(size=(64, 64)).astype('f4') + 5, 1.5, origin=(3, 4, 5))
for trial in range(6):
    h, w, n = (int(v) for v in random.integers(9, 50, 3))
    p, q = (int(v) for v in random.integers(5, 70, 2))
    stack = write('s.mrcs', random.normal(size=(n, h, w)).astype('f4') + 2, 1.2, stack=True)
    equal(run('rescale', '--box', f'{q},{p}', 's.mrcs'), resample(stack, (p, q)), f'{h}x{w} to {p}x{q}', 3e-6)
    close(facts('out.mrc')[0][:2], [1.2 * w / q, 1.2 * h / p], 'exact pixel size')
    check(facts('out.mrc')[3], 'a stack stays one')
volume = write('v.mrc', random.normal(size=(20, 24, 27)).astype('f4') + 1, 2)
equal(run('rescale', '--box', '30,16,21', 'v.mrc'), resample(volume, (21, 16, 30)), 'volume', 3e-6)
close(facts('out.mrc')[0], [2 * 27 / 30, 2 * 24 / 16, 2 * 20 / 21], 'pixel size of a volume')
check(not facts('out.mrc')[3], 'a volume stays one')
got = run('rescale', '--apix-out', 3, 'x.mrc')
equal(got, resample(image, (32, 32)), 'to 3 A', 3e-6)
close(facts('out.mrc')[0], [3, 3, 3] if facts('out.mrc')[0][2] == 3 else [3, 3, facts('out.mrc')[0][2]], 'pixel size')
close(facts('out.mrc')[1], [3, 4, 5], 'origin stays')
close(got.mean(), image.mean(), 'the mean is kept')
result = tessera('rescale', '--apix-out', 2.2, 'x.mrc', '-o', 'note.mrc')
check(result.code == 0 and 'note: the pixel size is 2.18182 A, not 2.2 A' in result.err, 'a note', result)
close(facts('note.mrc')[0][0], 1.5 * 64 / 44, 'exact, not what was asked for')
equal(run('rescale', '--factor', 0.5, 'x.mrc'), resample(image, (128, 128)), 'twice as many', 3e-6)
write('h.mrc', image.astype('f2'), 1.5)
got = run('rescale', '--factor', 2, 'h.mrc')
check(got is not None and got.dtype == np.float16, 'f16 stays f16')

# An exact size is taken, odd or not; else pixels agree along the axes as well as they can.
exact = write('e.mrc', random.normal(size=(30, 30)).astype('f4'), 2)
equal(run('rescale', '--apix-out', 4, 'e.mrc'), resample(exact, (15, 15)), 'to an odd size', 3e-6)
close(facts('out.mrc')[0][:2], [4, 4], 'as asked for')
write('w.mrc', random.normal(size=(33, 40)).astype('f4'), 1.4)
result = tessera('rescale', '--factor', 2, 'w.mrc', '-f', '-o', 'out.mrc')
check(result.code == 0 and 'note: the pixel size differs between axes: x 2.8, y 2.71765 A' in result.err, 'uneven', result)
check(read('out.mrc').shape == (17, 20), 'the nearer pixel size')
for trial in range(40):
    shape = tuple(int(v) for v in random.integers(8, 60, 2))
    factor = float(random.uniform(0.6, 2.5))
    write('r.mrc', np.ones(shape, 'f4'), 1)
    result = tessera('rescale', '--factor', factor, 'r.mrc', '-f', '-o', 'out.mrc')
    got = read('out.mrc').shape
    check(all(abs(n / factor - m) < 2 + 1e-9 for n, m in zip(shape, got)), f'{shape} by {factor}: {got}', result)
    nearest = [max(1, round(n / factor)) for n in shape]
    spread = lambda sizes: abs(np.log(shape[0] / sizes[0] * sizes[1] / shape[1]))
    check(spread(got) <= max(spread(nearest), 1.001e-3), f'{shape} by {factor}: {got}, not {nearest}')
    check(('differs between axes' in result.err) == (spread(got) > 0.99999e-3), f'{shape} to {got}: a note', result)
write('u.mrc', image, 0)
result = tessera('rescale', '--box', '32,16', 'u.mrc', '-f', '-o', 'out.mrc')
check('x 2, y 4 times the old size' in result.err, 'factors where no pixel size is known', result)
fails(tessera('rescale', '--factor', '1e-3', 'x.mrc', '-o', 'n.mrc'), 2, '64 x 64 x 1 pixels would become 64000 x 64000',
      '16.4 GB', '--box')
fails(tessera('rescale', '--apix-out', 3, 'u.mrc', '-o', 'n.mrc'), 2, '--apix')
fails(tessera('rescale', 'x.mrc', '-o', 'n.mrc'), 2, 'no new size', '--factor')
fails(tessera('rescale', '--box', 8, '--factor', 2, 'x.mrc', '-o', 'n.mrc'), 2, 'more than one')
fails(tessera('rescale', '--factor', '-1', 'x.mrc', '-o', 'n.mrc'), 2, '--factor is -1', 'above 0')
fails(tessera('rescale', '--apix-out', 0, 'x.mrc', '-o', 'n.mrc'), 2, '--apix-out is 0')
fails(tessera('rescale', '--factor', 'two', 'x.mrc', '-o', 'n.mrc'), 2, 'two')
fails(tessera('rescale', '--box', '8,8,8', 'x.mrc', '-o', 'n.mrc'), 2, '--box has z 8', 'images')
fails(tessera('rescale', '--box', 300, '--mem', '4M', 'v.mrc', '-o', 'n.mrc'), 4, 'as a whole', '--mem allows 4 MiB')
np.save('c.npy', np.ones((8, 8), 'c8'))
fails(tessera('rescale', '--box', 4, 'c.npy', '-o', 'n.mrc'), 2, 'complex')
finish()
