"""tessera crop and pad against NumPy."""
import numpy as np

from command import fails, check, finish, tessera
from images import close, equal, facts, random, run, write

image = write('x.mrc', random.normal(size=(50, 61)).astype('f4'), 1.5)
stack = write('s.mrcs', random.normal(size=(9, 40, 48)).astype('f4'), 2.0, stack=True)
volume = write('v.mrc', random.normal(size=(21, 30, 26)).astype('f4'), 3.0, origin=(10, 20, 30), start=(1, 2, 3))
several = write('vs.mrc', random.normal(size=(3, 12, 14, 16)).astype('f4'), 1.0, volumes=True)
write('i.mrc', random.integers(-300, 300, (40, 40)).astype('i2'), 1.0)

# ---- crop ----
equal(run('crop', '--box', 32, 's.mrcs'), stack[:, 20 - 16:20 + 16, 24 - 16:24 + 16], 'crop about n/2')
equal(run('crop', '--box', '11,8', 'x.mrc'), image[25 - 4:25 + 4, 30 - 5:30 + 6], 'crop to odd and even')
equal(run('crop', '--box', '11,8', '--center', '20,10', 'x.mrc'), image[6:14, 15:26], 'crop about a place')
equal(run('crop', '--box', '10,12,5', '--at', '3,4,7', 'v.mrc'), volume[7:12, 4:16, 3:13], 'crop at a place')
close(facts('out.mrc')[0], [3, 3, 3], 'pixel size after crop')
close(facts('out.mrc')[1], [10 + 9, 20 + 12, 30 + 21], 'origin after crop')
check(facts('out.mrc')[2] == [1, 2, 3], 'the start is not in use: it stays')
check(not facts('out.mrc')[3], 'a volume stays one')
equal(run('crop', '--box', 8, 'vs.mrc'), several[:, 2:10, 3:11, 4:12], 'crop volumes')
equal(run('crop', '--box', '8,8', 'v.mrc'), volume[:, 11:19, 9:17], 'crop a volume in x and y alone')
run('crop', '--box', 32, 's.mrcs', out='out.mrcs')
check(facts('out.mrcs')[3], 'a stack stays one')

# Boxes with units, by the pixel size of each axis; what is not whole is rounded.
equal(run('crop', '--box', '24A', 'v.mrc'), volume[6:14, 11:19, 9:17], 'a box in A')
equal(run('crop', '--box', '3nm,25A,6px', '--at', '0.6nm,3,9.2A', 'v.mrc'), volume[3:9, 3:11, 2:12], 'units of their own')
uneven = write('uneven.mrc', random.normal(size=(12, 20, 24)).astype('f4'), (2, 4, 3))
equal(run('crop', '--box', '24A', 'uneven.mrc'), uneven[2:10, 7:13, 6:18], 'as many A along all axes')
equal(run('pad', '--cut', '--box', '60A', '--fill', 0, 's.mrcs'), stack[:, 5:35, 9:39], 'pad to a size in A')
write('un.mrc', image, 0)
fails(tessera('crop', '--box', '24A', 'un.mrc', '-o', 'n2.mrc'), 2, '--box is in', '--apix')
fails(tessera('crop', '--box', '24kg', 'x.mrc', '-o', 'n2.mrc'), 2, '24kg', 'px, A, nm')
fails(tessera('crop', '--box', '8,8,8,8', 'x.mrc', '-o', 'n2.mrc'), 2, 'more than the three')
check(tessera('crop', '--box', 8, '--device', 'cpu', 'x.mrc', '-f', '-o', 'out.mrc').code == 0, '--device cpu')
fails(tessera('crop', '--box', 8, '--device', 'tpu', 'x.mrc', '-f', '-o', 'out.mrc'), 2, 'tpu')

fails(tessera('crop', '--box', 62, 'x.mrc', '-o', 'n.mrc'), 2, 'crop: the box extends from', 'tessera pad')
fails(tessera('crop', '--box', 8, '--at', '-1,0', 'x.mrc', '-o', 'n.mrc'), 2, 'from -1 to 6 along x', 'pixels 0 to 60')
fails(tessera('crop', '--box', 8, '--at', 1, '--center', 9, 'x.mrc', '-o', 'n.mrc'), 2, '--center and --at')
fails(tessera('crop', '--box', '0,3', 'x.mrc', '-o', 'n.mrc'), 2, '--box has x 0', '1 or more')
fails(tessera('crop', '--box', '2.5', 'x.mrc', '-o', 'n.mrc'), 2, '--box has x 2.5', 'integers')
fails(tessera('crop', '--box', 'a', 'x.mrc', '-o', 'n.mrc'), 2, '--box')
fails(tessera('crop', '--box', 8, 'x.mrc'), 2, '-o')
fails(tessera('crop', '--box', 8, 'no.mrc', '-o', 'n.mrc'), 3, 'no.mrc')
fails(tessera('crop', '--box', '8,8,2', 'x.mrc', '-o', 'n.mrc'), 2, 'along z')

# ---- pad ----
def padded(a, before, after, **how):
    return np.pad(a, [(0, 0)] * (a.ndim - len(before)) + list(zip(before, after)), **how)


means = stack.astype('f8').mean(axis=(1, 2))
want = np.stack([padded(s, (14, 10), (14, 10), constant_values=np.float32(m)) for s, m in zip(stack, means)])
equal(run('pad', '--box', 68, 's.mrcs'), want, 'pad by the mean of each image')
mean = sum(v.astype('f8').sum() / volume.size for v in volume)
want = padded(volume, (5, 3, 4), (4, 3, 4), constant_values=np.float32(mean))
equal(run('pad', '--box', '34,36,30', 'v.mrc'), want, 'pad by the mean of a volume')
close(facts('out.mrc')[1], [10 - 12, 20 - 9, 30 - 15], 'origin after pad')
for fill, mode in (('edge', 'edge'), ('mirror', 'symmetric'), ('reflect', 'reflect'), ('wrap', 'wrap')):
    equal(run('pad', '--box', '40,44,31', '--fill', fill, 'v.mrc'), padded(volume, (5, 7, 7), (5, 7, 7), mode=mode), fill)
    equal(run('pad', '--box', '60,70', '--fill', fill, 'v.mrc'), padded(volume, (20, 17), (20, 17), mode=mode), fill)
equal(run('pad', '--box', 100, '--fill', '-2.5', 'vs.mrc'),
      padded(several, (44, 43, 42), (44, 43, 42), constant_values=-2.5), 'a number')
equal(run('pad', '--cut', '--box', '20,70', '--fill', 'zero', '--at', '50,-10', 'x.mrc'),
      padded(image[:, 50:], (10, 0), (10, 9), constant_values=0), 'cut and pad at a place')
equal(run('pad', '--cut', '--box', '8,8,4', '--at', '0,0,40', '--fill', '7', 'v.mrc'), np.full((4, 8, 8), 7, 'f4'), 'all outside')
got = run('pad', '--box', 60, 'i.mrc')
check(got is not None and got.dtype == np.int16, 'i16 stays i16')


def weight(n, taper):
    e = np.minimum(np.arange(n), n - 1 - np.arange(n)) + 1
    return np.where(e > taper, 1, (1 - np.cos(np.pi * e / (taper + 1))) / 2)


w = weight(50, 6)[:, None] * weight(61, 6)[None]
want = padded(3 + (image - 3.0) * w, (23, 18), (23, 17), constant_values=3)
equal(run('pad', '--box', 96, '--fill', 3, '--taper', 6, 'x.mrc'), want, 'taper', 1e-6)
w = weight(21, 4)[:, None, None] * weight(30, 4)[:, None] * weight(26, 4)
equal(run('pad', '--taper', 4, '--fill', 'zero', 'v.mrc'), volume * w, 'taper of a volume', 1e-6)

fails(tessera('pad', '--box', 32, 'x.mrc', '-o', 'n.mrc'), 2, 'some of which are left out', 'tessera crop', '--cut')
fails(tessera('pad', '--box', 200, '--at', '1,0', 'x.mrc', '-o', 'n.mrc'), 2, 'pixels 1 to 200 along x', '--cut')
fails(tessera('pad', '--box', 80, '--fill', 'mena', 'x.mrc', '-o', 'n.mrc'), 2, '--fill is mena', 'mirror')
fails(tessera('pad', '--box', 80, '--taper', '-1', 'x.mrc', '-o', 'n.mrc'), 2, '--taper is -1')
fails(tessera('pad', '--box', 80, '--taper', '2', '--fill', 'edge', 'x.mrc', '-o', 'n.mrc'), 2, '--taper requires --fill')
fails(tessera('pad', '--box', 300, '--fill', 'wrap', '--mem', '1M', 'v.mrc', '-o', 'n.mrc'), 4, '--mem allows 1 MiB')
finish()
