"""tessera mask against NumPy and SciPy: filters, distances, components, shapes."""
import os
import shutil
import subprocess

import numpy as np
from scipy import ndimage

from command import check, fails, finish, skip, tessera
from images import close, equal, facts, random, read, run, write


def lowpass(a, cut):
    """A raised cosine over two shells about the cut-off, in cycles per pixel."""
    half = 1 / min(a.shape)
    f = np.sqrt(sum(g * g for g in np.meshgrid(*[np.fft.fftfreq(n) for n in a.shape], indexing='ij')))
    begin = max(cut - half, 0)
    t = np.clip((f - begin) / (cut + half - begin), 0, 1)
    return np.fft.ifftn(np.fft.fftn(a.astype('f8')) * (0.5 + 0.5 * np.cos(np.pi * t))).real


def edge(distance, soft):
    """1 inside, then a raised cosine."""
    if soft == 0:
        return (distance <= 0).astype('f8')
    return np.where(distance <= 0, 1, np.where(distance >= soft, 0, 0.5 + 0.5 * np.cos(np.pi * np.clip(distance / soft, 0, 1))))


def from_truth(truth, extend=0.0, soft=0.0, largest=False):
    if largest:
        labels, n = ndimage.label(truth)
        truth = labels == 1 + np.argmax(np.bincount(labels.ravel())[1:])
    if extend < 0:
        truth = ndimage.distance_transform_edt(truth) > -extend
    return edge(ndimage.distance_transform_edt(~truth) - max(extend, 0), soft)


def otsu(a, bins=256):
    """The best of all edges by the definition: the middle of those that are equally good."""
    counts, edges = np.histogram(a, bins)
    x = np.arange(bins)
    score = np.zeros(bins)
    for k in range(1, bins):
        below, above = counts[:k].sum(), counts[k:].sum()
        if below and above:
            score[k] = below * above * (x[:k] @ counts[:k] / below - x[k:] @ counts[k:] / above)**2
    best = np.flatnonzero(score > score.max() * (1 - 1e-12))
    return edges[best].mean()


# ---- From a map ----
grid = np.mgrid[:30, :32, :34].astype('f8')
blobs = sum(np.exp(-sum((g - c)**2 for g, c in zip(grid, centre)) / (2 * s * s))
            for centre, s in (((15, 16, 17), 4), ((6, 6, 6), 2), ((15, 24, 20), 3)))
volume = write('v.mrc', (blobs + 0.02 * random.normal(size=blobs.shape)).astype('f4'), 3, origin=(3, 4, 5))
smooth = lowpass(volume, 3 / 15)
for extend, soft, largest in ((0, 0, False), (3, 0, False), (2.5, 5, False), (-1, 4, False), (0, 6, True), (3, 3, True)):
    options = ['--threshold', 0.3, '--extend', extend, '--soft', soft] + ['--largest'] * largest
    equal(run('mask', *options, 'v.mrc'), from_truth(smooth >= 0.3, extend, soft, largest), f'{options}', 1e-6)
    close(facts('out.mrc')[0], [3] * 3, 'pixel size')
    close(facts('out.mrc')[1], [3, 4, 5], 'origin')
check(not facts('out.mrc')[3], 'a volume stays one')
equal(run('mask', '--threshold', 0.3, '--extend', '6A', '--soft', '1.2nm', 'v.mrc'), from_truth(smooth >= 0.3, 2, 4), 'in A', 1e-6)
equal(run('mask', '--threshold', 0.3, '--lowpass', 'none', '--soft', 2, 'v.mrc'), from_truth(volume >= np.float32(0.3), 0, 2),
      'no filter', 1e-6)
for text, cut in (('20', 3 / 20), ('0.1/px', 0.1), ('4sh', 4 / 30), ('2nm', 3 / 20)):
    equal(run('mask', '--threshold', 0.25, '--lowpass', text, 'v.mrc'), from_truth(lowpass(volume, cut) >= 0.25), text, 1e-6)
result = tessera('mask', '--soft', 3, 'v.mrc', '-f', '-o', 'auto.mrc')
want = otsu(smooth)
check(result.code == 0 and "v.mrc: Otsu's threshold is" in result.err, 'it says the threshold', result)
close(float(result.err.split('threshold is')[1]), want, "Otsu's threshold", 2e-2)
equal(run('mask', '--soft', 3, 'v.mrc'), from_truth(smooth >= float(result.err.split('threshold is')[1]), 0, 3), 'by Otsu', 1e-6)
stack = write('s.mrcs', (blobs[10:16] + 0.02 * random.normal(size=(6, 32, 34))).astype('f4'), 3, stack=True)
equal(run('mask', '--threshold', 0.3, '--extend', 2, '--soft', 3, 's.mrcs'),
      np.stack([from_truth(lowpass(a, 0.2) >= 0.3, 2, 3) for a in stack]), 'each image', 1e-6)
check(facts('out.mrc')[3], 'a stack stays one')
by_otsu = run('mask', '--lowpass', 'none', 's.mrcs')
for got, a in zip(by_otsu, stack):
    at = otsu(a.astype('f8'))
    check(((got > 0.5) != (a >= at)).mean() < 0.01, "each image has Otsu's threshold of its own")
result = tessera('mask', '--threshold', 9, 'v.mrc', '-o', 'empty.mrc')
check(result.code == 0 and 'the mask is empty' in result.err and 'threshold is 9' in result.err, 'an empty one', result)
result = tessera('mask', '--threshold', 0.3, '--lowpass', 2, 'v.mrc', '-o', 'nyquist.mrc')
check(result.code == 0 and 'beyond Nyquist' in result.err, 'beyond Nyquist', result)

# Where a distance is met exactly: from one voxel, (0, 0, 3) and (1, 2, 2) are 3 away. RELION's rule is < 3, and its edge
# is measured from the voxels of the grown mask.
point = np.zeros((17, 17, 17), 'f4')
point[8, 8, 8] = 1
write('point.mrc', point, 1)
away = ndimage.distance_transform_edt(point == 0)
CUT = ('mask', '--lowpass', 'none', '--threshold', 0.5)
got = run(*CUT, '--extend', 3, 'point.mrc')
check(got[8, 8, 11] == 1 and got[9, 10, 10] == 1 and got[8, 8, 12] == 0, 'a voxel at the distance of --extend is in the mask')
equal(run(*CUT, '--extend', 2.999, 'point.mrc'), away < 3, "RELION's rule is the same with a little less")
equal(run(*CUT, '--extend', 2.5, '--soft', 2, 'point.mrc'), edge(away - 2.5, 2), 'the edge begins at the distance', 1e-6)
equal(run(*CUT, '--soft', 3, 'point.mrc'), np.where(away < 3, 0.5 + 0.5 * np.cos(np.pi * away / 3), 0),
      "and without --extend it is RELION's", 1e-6)

# The same of RELION, which grows by less than the distance given, and has the same edge.
write('r.mrc', np.pad(volume, ((1, 1), (0, 0), (0, 0)))[:, :, 1:33], 3)
for extend, ours, soft in ((0, 0, 4), (3, 2.99, 0)):
    if shutil.which('relion_mask_create'):
        subprocess.run(['relion_mask_create', '--i', 'r.mrc', '--o', 'relion.mrc', '--ini_threshold', '0.3', '--angpix', '3',
                        '--extend_inimask', str(extend), '--width_soft_edge', str(soft)], capture_output=True)
    if os.path.exists('relion.mrc'):
        equal(run('mask', '--lowpass', 'none', '--threshold', 0.3, '--extend', ours, '--soft', soft, 'r.mrc'),
              read('relion.mrc'), f'relion_mask_create {extend} {soft}', 1e-6)
    else:
        skip('relion_mask_create', 'not there')

# ---- Shapes ----
z, y, x = grid - np.array([15, 16, 17]).reshape(3, 1, 1, 1)
r = np.sqrt(x * x + y * y + z * z)
close_to = 2e-6
equal(run('mask', '--sphere', 9, 'v.mrc'), r <= 9, 'a sphere', close_to)
equal(run('mask', '--sphere', '27A', '--soft', 4, 'v.mrc'), edge(r - 9, 4), 'with an edge', close_to)
equal(run('mask', '--box', '10,8,6', 'v.mrc'), (abs(x) <= 5) & (abs(y) <= 4) & (abs(z) <= 3), 'a box', close_to)
equal(run('mask', '--box', 7, '--soft', 3, 'v.mrc'), edge(abs(x) - 3.5, 3) * edge(abs(y) - 3.5, 3) * edge(abs(z) - 3.5, 3),
      'a cube with an edge', close_to)
equal(run('mask', '--cylinder', '6,14', '--soft', 2, 'v.mrc'), edge(np.hypot(x, y) - 6, 2) * edge(abs(z) - 7, 2), 'a cylinder',
      close_to)
equal(run('mask', '--shell', '6,10', 'v.mrc'), (r > 6) & (r <= 10), 'a shell', close_to)
equal(run('mask', '--shell', '6.5,10', '--soft', 3, 'v.mrc'), edge(r - 10, 3) * (1 - edge(r - 3.5, 3)), 'with edges', close_to)
equal(run('mask', '--shell', '0,10', '--soft', 3, 'v.mrc'), edge(r - 10, 3), 'a shell without a hole', close_to)
equal(run('mask', '--ellipsoid', '10,7,4', 'v.mrc'), (x / 10)**2 + (y / 7)**2 + (z / 4)**2 <= 1, 'an ellipsoid', close_to)
equal(run('mask', '--sphere', 5, '--box', '20,2,2', 'v.mrc'),
      (r <= 5) | (abs(x) <= 10) & (abs(y) <= 1) & (abs(z) <= 1), 'two shapes', close_to)
equal(run('mask', '--sphere', 5, '--center', '12,13.5,14A', 'v.mrc'),
      np.sqrt((grid[2] - 12)**2 + (grid[1] - 13.5)**2 + (grid[0] - 14 / 3)**2) <= 5, 'about a point', close_to)
circle = np.hypot(*(np.mgrid[:32, :34] - np.array([16, 17]).reshape(2, 1, 1)))
equal(run('mask', '--sphere', 7, '--soft', 3, 's.mrcs'), np.stack([edge(circle - 7, 3)] * 6), 'circles', close_to)
equal(run('mask', '--cylinder', 7, 's.mrcs'), np.stack([circle <= 7] * 6), 'cylinders of images', close_to)
rows, columns = abs(np.mgrid[:32, :34] - np.array([16, 17]).reshape(2, 1, 1))
equal(run('mask', '--box', '9,5', 's.mrcs'), np.stack([(rows <= 2.5) & (columns <= 4.5)] * 6), 'rectangles', close_to)
equal(run('mask', '--ellipsoid', '9,5', 's.mrcs'), np.stack([(rows / 5)**2 + (columns / 9)**2 <= 1] * 6), 'ellipses', close_to)

# ---- And, or, not; apply ----
first = write('a.mrc', edge(r - 8, 4).astype('f4'), 3)
second = write('b.mrc', edge(np.abs(x) - 4, 3).astype('f4'), 3)
equal(run('mask', 'a.mrc', '--and', 'b.mrc'), np.minimum(first, second), 'and')
equal(run('mask', 'a.mrc', '--or', 'b.mrc'), np.maximum(first, second), 'or')
equal(run('mask', 'a.mrc', '--not'), 1 - first, 'not')
equal(run('mask', 'a.mrc', '--not', '--and', 'b.mrc'), np.minimum(1 - first, second), 'not, and')
equal(run('mask', 'a.mrc', '--and', 'b.mrc', '--not'), 1 - np.minimum(first, second), 'and, not')
equal(run('mask', '--sphere', 8, '--and', 'b.mrc', 'v.mrc'), np.minimum(r <= 8, second), 'a shape and a mask')
equal(run('mask', '--threshold', 0.3, '--lowpass', 'none', '--or', 'b.mrc', 'v.mrc'), np.maximum(volume >= np.float32(0.3), second),
      'a map or a mask')
equal(run('mask', '--use', 'a.mrc', '--and', 'b.mrc', '--apply', 'v.mrc'), volume * np.minimum(first, second), 'applied', 1e-6)
equal(run('mask', '--not', '--use', 'a.mrc', '--apply', 'v.mrc'), volume * (1 - first), 'the other way', 1e-6)
equal(run('mask', '--sphere', 8, '--soft', 4, '--apply', '--outside', 2.5, 'v.mrc'),
      volume * edge(r - 8, 4) + 2.5 * (1 - edge(r - 8, 4)), 'with a value outside', 1e-6)
holes = volume.copy()
holes[0, 0, 0], holes[15, 16, 17] = np.nan, np.nan
write('holes.mrc', holes, 3)
got = run('mask', '--sphere', 8, '--apply', 'holes.mrc')
check(got[0, 0, 0] == 0 and np.isnan(got[15, 16, 17]), 'NaN counts in the mask alone')
one = write('one.mrc', edge(circle - 9, 3).astype('f4'), 3)
equal(run('mask', '--use', 'one.mrc', '--apply', 's.mrcs'), stack * one, 'one mask for all images', 1e-6)
each = write('each.mrcs', np.stack([edge(circle - k - 4, 3) for k in range(6)]).astype('f4'), 3, stack=True)
equal(run('mask', '--use', 'each.mrcs', '--apply', 's.mrcs'), stack * each, 'one for each', 1e-6)
write('h.mrc', volume.astype('f2'), 3)
got = run('mask', '--sphere', 8, '--apply', 'h.mrc')
check(got is not None and got.dtype == np.float16, 'f16 stays f16')
whole = write('i.mrc', (100 * volume).astype('i2'), 3)
equal(run('mask', '--sphere', 8, '--apply', 'i.mrc'), whole * (r <= 8), 'integers', 1e-6)
got = run('mask', '--sphere', 8, 'i.mrc')
check(got is not None and got.dtype == np.float32, 'a mask is f32')
check(tessera('mask', '--sphere', 8, 'v.mrc', 's.mrcs', '-o', '{name}_mask.mrc').code == 0, 'several inputs')

for shape in ((0, 1, 8, 8), (2, 1, 0, 8)):
    np.save('none.npy', np.zeros(shape, 'f4'))
    for options in (['--lowpass', 'none'], ['--lowpass', '0.2/px'], ['--sphere', 3, '--apply']):
        equal(run('mask', *options, 'none.npy', out='out.npy'), np.zeros(shape), f'{options} of nothing')

# ---- Bad input ----
out = ['-o', 'n.mrc']
write('u.mrc', volume, 0)
fails(tessera('mask', 'u.mrc', *out), 2, 'u.mrc is low-pass filtered to 15 A', '--apix', '--lowpass')
fails(tessera('mask', '--lowpass', 10, 'u.mrc', *out), 2, '--lowpass', '--apix')
fails(tessera('mask', '--sphere', '10A', 'u.mrc', *out), 2, '--sphere', '--apix')
for length in 0, 2: fails(tessera('mask', '--sphere', 5, '--extend', length, 'v.mrc', *out), 2, '--extend applies to masks of maps')
fails(tessera('mask', '--extend', '10A', '--lowpass', 'none', 'u.mrc', *out), 2, '--extend', '--apix')
fails(tessera('mask', '--threshold', 'high', 'v.mrc', *out), 2, '--threshold is "high"')
fails(tessera('mask', '--threshold', 'nan', 'v.mrc', *out), 2, '--threshold is nan', 'otsu')
fails(tessera('mask', '--soft', '-1', 'v.mrc', *out), 2, '--soft is -1')
fails(tessera('mask', '--sphere', '-3', 'v.mrc', *out), 2, '--sphere has a length of -3 pixels', 'above 0')
fails(tessera('mask', '--sphere', '3,4', 'v.mrc', *out), 2, '--sphere is "3,4"', 'a radius')
fails(tessera('mask', '--cylinder', '3', 'v.mrc', *out), 2, '--cylinder is "3"', 'a radius and a length')
fails(tessera('mask', '--shell', '5,3', 'v.mrc', *out), 2, '--shell has the radii 5, 3 pixels', 'smaller one must come first')
fails(tessera('mask', '--shell', '5,9', '--soft', 6, 'v.mrc', *out), 2, '--shell has the radii 5, 9 pixels', '6 pixels', 'inner radius')
fails(tessera('mask', '--ellipsoid', '5,3', 'v.mrc', *out), 2, '--ellipsoid is "5,3"', 'x,y,z')
fails(tessera('mask', '--box', '5,3,2', 's.mrcs', *out), 2, '--box is "5,3,2"')
fails(tessera('mask', '--sphere', 5, '--threshold', 1, 'v.mrc', *out), 2, 'shapes or from a map', '--threshold')
fails(tessera('mask', '--use', 'a.mrc', '--soft', 1, 'v.mrc', *out), 2, '--use takes a mask unchanged')
fails(tessera('mask', '--center', '1,2,3', 'v.mrc', *out), 2, '--center requires a shape')
fails(tessera('mask', '--sphere', 4, '--outside', 1, 'v.mrc', *out), 2, '--outside requires --apply')
small = write('small.mrc', np.zeros((8, 8, 8), 'f4'), 3)
fails(tessera('mask', '--use', 'small.mrc', '--apply', 'v.mrc', *out), 2, 'the mask small.mrc has 8 x 8 x 8 pixels', '34 x 32 x 30')
fails(tessera('mask', 'a.mrc', '--and', 'small.mrc', *out), 2, 'the mask small.mrc', '34 x 32 x 30')
write('three.mrcs', each[:3], 3, stack=True)
fails(tessera('mask', '--use', 'three.mrcs', '--apply', 's.mrcs', *out), 2, 'three.mrcs has 3 masks', 'each of the 6')
fails(tessera('mask', 'a.mrc', '--and', 'none.mrc', *out), 3, 'none.mrc')
write('loud.mrc', 3 * first, 3)
fails(tessera('mask', 'a.mrc', '--or', 'loud.mrc', *out), 2, 'the mask loud.mrc has values from 0 to 3', '0 to 1')
fails(tessera('mask', 'loud.mrc', '--not', *out), 2, 'loud.mrc has values from 0 to 3')
write('nan.mrc', np.where(first > 0.5, np.nan, first).astype('f4'), 3)
fails(tessera('mask', 'a.mrc', '--or', 'nan.mrc', *out), 2, 'the mask nan.mrc has values from nan')
fails(tessera('mask', '--threshold', 0.3, 'holes.mrc', *out), 2, 'holes.mrc has NaN or infinite values')
np.save('c.npy', np.ones((8, 8), 'c8'))
fails(tessera('mask', '--sphere', 3, 'c.npy', *out), 2, 'complex')
write('big.mrc', np.zeros((64, 80, 80), 'f4'), 1)
fails(tessera('mask', '--sphere', 3, '--mem', '2M', 'big.mrc', *out), 4, '--mem allows 2 MiB')
check(not os.path.exists('n.mrc'), 'nothing was written')
finish()
