"""tessera reconstruct beside the structure that projections were made of, beside NumPy, and beside RELION's."""
import os
import signal
import subprocess
import time

import numpy as np

from command import COMMAND, check, fails, finish, skip, tessera
from images import close, equal, facts, read, run, write
from support.particles import APIX, RELION, apply, beam_tilt, columns_of, fsc, matrix, particles, projections, random_angles, relion, star, structure, volume

N = 32
atoms = structure()
truth = volume(atoms, N)
angles, origins, defoci, images = particles('p', atoms, N, 600)

# Evenly over all angles and without noise, the structure comes back.
got = run('reconstruct', 'p.star')
curve = fsc(got, truth)
check(curve[:int(0.9 * N / 2) + 1].min() > 0.99, f'FSC with the truth: {np.round(curve, 4)}')
equal(got, truth, 'values', 0.06)
close(facts('out.mrc')[0], [APIX] * 3, 'pixel size')
check(not facts('out.mrc')[3], 'a volume')


def by_hand(angles, origins, images, weights, size):
    """Sums into the eight nearest coefficients of twice the box, by loops over slices; divided by the kernel at the end."""
    p = 2 * size
    k = np.fft.fftfreq(size)
    sums, total = np.zeros((p, p, p), complex), np.zeros((p, p, p))
    y, x = (v.ravel() for v in np.meshgrid(k, k, indexing='ij'))
    keep = (np.hypot(y, x) <= 0.5 + 1e-9) & (y > -0.5) & (x > -0.5)

    for angle, origin, image, weight in zip(angles, origins, images, weights):
        f = np.fft.fft2(np.fft.ifftshift(image)).ravel() * np.exp(-2j * np.pi * (x * origin[0] + y * origin[1]))
        at = p * np.stack([x, y, 0 * x], 1) @ matrix(*angle)  # the inverse: columns of the matrix
        low = np.floor(at).astype(int)
        for corner in np.ndindex(2, 2, 2):
            w = np.prod(np.where(corner, at - low, 1 - at + low), 1) * keep
            i = tuple(((low + corner) % p).T[::-1])
            np.add.at(sums, i, w * f * weight.ravel())
            np.add.at(total, i, w * weight.ravel() ** 2)
    r = np.fft.fftfreq(p)
    shell = np.sqrt(r[:, None, None] ** 2 + r[None, :, None] ** 2 + r ** 2) * p
    low = np.floor(shell).astype(int)
    means = np.zeros(p)
    counts = np.zeros(p)
    for step in (0, 1):
        part = np.where(step, shell - low, 1 - shell + low)
        inside = low + step <= p // 2
        np.add.at(means, (low + step)[inside], (part * total)[inside])
        np.add.at(counts, (low + step)[inside], part[inside])
    floor = 0.001 * np.interp(shell, np.arange(p // 2 + 1), means[:p // 2 + 1] / np.maximum(counts[:p // 2 + 1], 1e-30))
    out = np.fft.fftshift(np.fft.ifftn(sums / np.maximum(np.maximum(total, floor), 1e-30)).real)
    out = out[size // 2:size // 2 + size, size // 2:size // 2 + size, size // 2:size // 2 + size]
    s = np.sinc((np.arange(size) - size // 2) / p) ** 2
    return out / (s[:, None, None] * s[None, :, None] * s)


few = slice(0, 40)
star('few.star', 'p.mrcs', {k: v[few] for k, v in columns_of(angles, origins).items()})
ones = np.ones((40, N, N))
want = by_hand(angles[few], origins[few], images[few], ones, N)
equal(run('reconstruct', 'few.star'), want, 'sums of slices by hand', 2e-3)

# Symmetry: of images of one half, as if the others were there.
rng = np.random.default_rng(7)
turned = np.concatenate([atoms @ np.array([[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]])
                         for t in 2 * np.pi * np.arange(4) / 4])
four, none = random_angles(160, rng), np.zeros((160, 2))
write('four.mrcs', projections(turned, N, four, none).astype('f4'), APIX, stack=True)
star('four.star', 'four.mrcs', columns_of(four, none))
curve = fsc(run('reconstruct', 'four.star', '--sym', 'c4'), volume(turned, N))
check(curve[:14].min() > 0.99, f'C4: {np.round(curve, 3)}')

# Half sets.
star('sets.star', 'p.mrcs', {**columns_of(angles, origins, defoci), 'RandomSubset': 1 + (np.arange(600) % 3 == 0)})
result = tessera('reconstruct', 'sets.star', '-o', 'full.mrc', '--half-maps', 'half{half}.mrc')
check(result.code == 0 and 'FSC 0.143 = ' in result.err and 'alternately' not in result.err, 'both halves', result)
for half in (1, 2):
    equal(run('reconstruct', 'sets.star', '--half', half), read(f'half{half}.mrc'), f'half {half} alone')
equal(read('full.mrc'), got, 'the map is that of all', 1e-4)
result = tessera('reconstruct', 'p.star', '--half', 2, '-o', 'turns.mrc')
check(result.code == 0 and 'no column _rlnRandomSubset; rows are assigned alternately to half sets 1 and 2' in result.err, 'turns', result)
second = {k: v[1::2] for k, v in columns_of(angles, origins, defoci).items()}
write('second.mrcs', images[1::2].astype('f4'), APIX, stack=True)
star('second.star', 'second.mrcs', second)
equal(run('reconstruct', 'second.star'), read('turns.mrc'), 'every second row')

# What is left out, and options.
filtered = run('reconstruct', 'p.star', '--max-resolution', 6)
curve = np.abs(np.fft.fftn(filtered))
check(fsc(filtered, truth)[:7].min() > 0.99 and curve[12, 0, 0] < 1e-2 * curve[1, 0, 0], 'nothing beyond 6 A')
curve = fsc(run('reconstruct', 'p.star', '--pad', 1), truth)
check(curve[:14].min() > 0.9, f'without padding: {np.round(curve, 3)}')
some = tessera('reconstruct', 'p.star', '--slices', '0-299', '-o', 'some.mrc')
star('first.star', 'p.mrcs', {k: v[:300] for k, v in columns_of(angles, origins, defoci).items()})
equal(run('reconstruct', 'first.star'), read('some.mrc'), '--slices chooses rows')
result = tessera('reconstruct', 'p.star', 'few.star', '-o', 'map_{name}.mrc')
check(result.code == 0 and os.path.exists('map_p.mrc') and os.path.exists('map_few.mrc'), 'several lists', result)
sphere = [fsc(run('reconstruct', 'p.star', '--ewald', side, '--diameter', '20px'), truth)[:12].min() for side in ('front', 'back')]
check(min(sphere) > 0.98, f'a sphere that is nearly flat: {sphere}')

# Beam tilt: of rows, and of the optics group.
tilts = np.random.default_rng(3).uniform(-4, 4, (600, 2))
tilted = np.stack([apply(image, beam_tilt(N, *tilt)) for image, tilt in zip(images, tilts)])
write('tilted.mrcs', tilted.astype('f4'), APIX, stack=True)
star('tilted.star', 'tilted.mrcs', {**columns_of(angles, origins, defoci), 'BeamTiltX': tilts[:, 0], 'BeamTiltY': tilts[:, 1]})
star('ignored.star', 'tilted.mrcs', columns_of(angles, origins, defoci))
curves = [fsc(run('reconstruct', name), truth)[:14].min() for name in ('tilted.star', 'ignored.star')]
check(curves[0] > 0.99 and curves[1] < 0.8, f'beam tilt of rows: {curves}')
sphere = fsc(run('reconstruct', 'tilted.star', '--ewald', 'front', '--diameter', '20px'), truth)[:12].min()
check(sphere > 0.98, f'beam tilt on a sphere: {sphere}')
run('reconstruct', 'tilted.star', '--half-maps', 't{half}.mrc')
check(fsc(read('t1.mrc'), read('t2.mrc'))[:12].min() > 0.95, 'beam tilt in halves')
write('even.mrcs', np.stack([apply(image, beam_tilt(N, 3, -2)) for image in images]).astype('f4'), APIX, stack=True)
star('even.star', 'even.mrcs', columns_of(angles, origins, defoci))
text = open('even.star').read().replace('_rlnAmplitudeContrast #8', '_rlnAmplitudeContrast #8\n_rlnBeamTiltX #9\n_rlnBeamTiltY #10')
open('even.star', 'w').write(text.replace(' 300.0 2.7 0.1', ' 300.0 2.7 0.1 3 -2'))
curve = fsc(run('reconstruct', 'even.star'), truth)
check(curve[:14].min() > 0.99, f'beam tilt of an optics group: {np.round(curve, 3)}')
if RELION:
    relion('relion_reconstruct', '--i', 'even.star', '--o', 'relion_tilt.mrc', '--ctf', '--angpix', APIX, '--pad', 2)
    curve = fsc(read('out.mrc'), read('relion_tilt.mrc'))
    check(curve[:14].min() > 0.99, f'beam tilt as in relion_reconstruct: {np.round(curve, 4)}')

# An odd box.
odd_atoms = structure(40, 8, seed=3)
particles('odd', odd_atoms, 27, 300, seed=4)
curve = fsc(run('reconstruct', 'odd.star'), volume(odd_atoms, 27))
check(curve[:12].min() > 0.99, f'27 pixels: {np.round(curve, 3)}')

# Bad input.
fails(tessera('reconstruct', 'p.mrcs', '-o', 'o.mrc'), 2, 'p.mrcs is not a STAR file')
star('bare.star', 'p.mrcs', {'DefocusU': defoci[:, 0]})
fails(tessera('reconstruct', 'bare.star', '-o', 'o.mrc'), 3, 'bare.star', '_rlnAngleRot')
write('odd.mrcs', images[:4, :20].astype('f4'), APIX, stack=True)
star('oblong.star', 'odd.mrcs', {k: v[:4] for k, v in columns_of(angles, origins).items()})
fails(tessera('reconstruct', 'oblong.star', '-o', 'o.mrc'), 2, 'images of 32 x 20 pixels; they must be square')
open('mixed.star', 'w').write(open('few.star').read() + '000001@odd.mrcs 1 0 0 0 0 0\n')
fails(tessera('reconstruct', 'mixed.star', '-o', 'o.mrc'), 2, 'images of 32 x 20', '32 x 32')
write('plain.mrcs', images[:4].astype('f4'), 0, stack=True)
star('plain.star', 'plain.mrcs', {k: v[:4] for k, v in columns_of(angles, origins, defoci).items()}, optics=False)
fails(tessera('reconstruct', 'plain.star', '-o', 'o.mrc'), 2, 'pixel size is not known', '--apix')
fails(tessera('reconstruct', 'plain.star', '--apix', 1.5, '-o', 'o.mrc'), 3, '_rlnVoltage', 'optics group')
check(tessera('reconstruct', 'plain.star', '--apix', 1.5, '--no-ctf', '-o', 'nc.mrc').code == 0, 'without CTFs')
text = open('p.star').read().replace(f'1 one {APIX}', f'2 two 3.0 32 2 300 2.7 0.1\n1 one {APIX}')
open('sizes.star', 'w').write(text.replace('000005@p.mrcs 1', '000005@p.mrcs 2'))
fails(tessera('reconstruct', 'sizes.star', '-o', 'o.mrc'), 2, 'pixels of 3 A, but the first row of 1.5 A', 'the same size')
text = open('p.star').read().replace('_rlnAmplitudeContrast #8', '_rlnAmplitudeContrast #8\n_rlnOddZernike #9\n_rlnMagMat00 #10')
open('zernike.star', 'w').write(text.replace(' 300.0 2.7 0.1', ' 300.0 2.7 0.1 [0,0,1] 1'))
result = tessera('reconstruct', 'zernike.star', '-o', 'zernike.mrc')
check(result.code == 0 and result.err.count('warning: zernike.star: _rlnOddZernike, _rlnMagMat00 are not used') == 1,
      'aberrations that are not used', result)
star('infinite.star', 'p.mrcs', {**columns_of(angles, origins, defoci), 'BeamTiltY': np.full(600, np.inf)})
fails(tessera('reconstruct', 'infinite.star', '-o', 'o.mrc'), 3, 'infinite.star', '_rlnBeamTiltY is inf')
fails(tessera('reconstruct', 'p.star', '--sym', 'Q7', '-o', 'o.mrc'), 2, 'Q7')
fails(tessera('reconstruct', 'p.star', '--floor', 0, '-o', 'o.mrc'), 2, '--floor is 0')
fails(tessera('reconstruct', 'p.star', '--pad', 0, '-o', 'o.mrc'), 2, '--pad is 0')
fails(tessera('reconstruct', 'few.star', '--ewald', 'front', '-o', 'o.mrc'), 2, '--ewald requires CTFs')
fails(tessera('reconstruct', 'p.star', '--half', 1, '--half-maps', 'h{half}.mrc', '-o', 'o.mrc'), 2, 'requires both')
fails(tessera('reconstruct', 'p.star', '--half-maps', 'h.mrc', '-o', 'o.mrc'), 2, 'must contain {half}')
fails(tessera('reconstruct', 'p.star', '--mem', '1M', '-o', 'o.mrc'), 4, '--mem')
star('three.star', 'p.mrcs', {**columns_of(angles, origins, defoci), 'RandomSubset': np.full(600, 3)})
fails(tessera('reconstruct', 'three.star', '--half', 1, '-o', 'o.mrc'), 3, '_rlnRandomSubset 3; it must be 1 or 2')
star('one.star', 'p.mrcs', {**columns_of(angles, origins, defoci), 'RandomSubset': np.full(600, 1)})
fails(tessera('reconstruct', 'one.star', '--half', 2, '-o', 'o.mrc'), 2, 'no row belongs to half set 2')
fails(tessera('reconstruct', 'one.star', '--half-maps', 'h{half}.mrc', '-o', 'o.mrc'), 2, 'no row belongs to half set 2')
bad = images[:5].astype('f4')
bad[2, 3, 4] = np.inf
write('bad.mrcs', bad, APIX, stack=True)
star('bad.star', 'bad.mrcs', {k: v[:5] for k, v in columns_of(angles, origins).items()})
fails(tessera('reconstruct', 'bad.star', '-o', 'o.mrc'), 2, 'row 2', 'NaNs or infinities')
check(not os.path.exists('o.mrc') and not os.path.exists('h1.mrc'), 'nothing is written after a failure')

# An interrupted job leaves nothing behind.
before = sorted(os.listdir('.'))
process = subprocess.Popen([COMMAND, 'reconstruct', 'p.star', '--sym', 'C900', '-o', 'long.mrc'], stderr=subprocess.DEVNULL)
time.sleep(0.3)
process.send_signal(signal.SIGINT)
process.wait()
check(process.returncode != 0 and sorted(os.listdir('.')) == before, 'no half-written file', sorted(os.listdir('.')))

if RELION:
    relion('relion_reconstruct', '--i', 'p.star', '--o', 'relion.mrc', '--ctf', '--angpix', APIX, '--pad', 2)
    curve = fsc(got, read('relion.mrc'))
    check(curve[:14].min() > 0.995, f'as relion_reconstruct: {np.round(curve, 4)}')
    scale = (got * read('relion.mrc')).sum() / (got ** 2).sum()
    check(abs(scale - 1) < 0.02, f'of the same scale: {scale:.4f}')
else:
    skip('relion_reconstruct', 'RELION is not installed')
finish()
