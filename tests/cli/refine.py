"""tessera refine: a synthetic structure from a low-pass start, without any angles; and what is rejected."""
import json
import os

import numpy as np

from command import check, fails, finish, tessera
from images import data_bytes, facts, read, write
from support.particles import (APIX, angles_of, apply, beam_tilt, columns_of, fsc, matrix, particles, rows, star, structure, volume)


def errors(name, angles):
    """How far refined angles are from the truth, in degrees."""
    turns = [matrix(*a) @ matrix(*b).T for a, b in zip(angles_of(name), angles)]
    return np.degrees(np.arccos(np.clip([(np.trace(t) - 1) / 2 for t in turns], -1, 1)))


# 300 pseudo-atoms, 300 particles with CTFs and noise of 1.5 times their own deviation: from 30 A and nothing else.
N = 64
atoms = structure(300, 20, seed=2)
truth = volume(atoms, N, 1.2)
angles, origins, defoci, images = particles('p', atoms, N, 300, seed=5, noise=1.5, sigma=1.2, shift=3)
ctfs = dict(zip(('DefocusU', 'DefocusV', 'DefocusAngle'), defoci.T))
star('blank.star', 'p.mrcs', ctfs, size=N)
write('start.mrc', truth.astype('f4'), APIX)
result = tessera('refine', 'blank.star', '--reference', 'start.mrc', '--lowpass', 30, '--diameter', '50px', '--json',
                 '-o', 'map.mrc', '--star', 'new.star', '--half-maps', 'half{half}.mrc')
check(result.code == 0 and 'alternately' in result.err, 'it runs', result)
report = json.loads(result.out)
off = errors('new.star', angles)
print(f'angles are off by {np.median(off):.2f} degrees at the median, {np.mean(off < 5):.1%} by less than 5; {len(report)} rounds')
check(np.median(off) < 2 and np.mean(off < 5) > 0.97, 'angles come back')
table = rows('new.star')
shifts = np.stack([table['OriginXAngst'], table['OriginYAngst']], 1).astype(float) / APIX
check(np.median(np.linalg.norm(shifts - origins, axis=1)) < 0.3, 'shifts come back')
check(table['RandomSubset'][:4] == ('1', '2', '1', '2') and table['DefocusU'][3] == repr(float(defoci[3, 0])), 'columns')
curve, halves = fsc(read('map.mrc'), truth), fsc(read('half1.mrc'), read('half2.mrc'))
check(curve[:13].min() > 0.9, f'the map is like the truth: {np.round(curve, 2)}')
check(report[-1]['resolution_A'] < 6.5, f"resolution {report[-1]['resolution_A']} A")
check(report[0]['search'] == 'all' and report[-1]['search'] == 'local' and report[-1]['views'] == 1, 'the report', result)
check(report[-1]['angle_50'] < 2 < report[0]['angle_50'] and 0 < report[-1]['score_50'] < 1, 'angles stand still at the end')
check(abs(facts('map.mrc')[0][0] - APIX) < 1e-5 and halves[1] > 0.9, 'pixel size')

# From angles that are a little off, only near them.
near = angles + np.random.default_rng(1).normal(0, 3, angles.shape)
star('near.star', 'p.mrcs', columns_of(near, origins + 0.5, defoci), size=N)
result = tessera('refine', 'near.star', '--reference', 'start.mrc', '--lowpass', 15, '--global', 0, '--iterations', 2,
                 '--diameter', '50px', '-o', 'local.mrc', '--star', 'local.star')
before, after = np.median(errors('near.star', angles)), np.median(errors('local.star', angles))
check(result.code == 0 and after < 0.6 * before, f'locally from {before:.2f} to {after:.2f} degrees', result)

# Beam tilt: phases that it changed are put right, as if the images had never had it.
tilts = np.random.default_rng(3).uniform(-4, 4, (300, 2))
tilted = np.stack([apply(image, beam_tilt(N, *tilt)) for image, tilt in zip(images, tilts)])
write('tilted.mrcs', tilted.astype('f4'), APIX, stack=True)
star('tilted.star', 'tilted.mrcs', {**columns_of(near, origins + 0.5, defoci), 'BeamTiltX': tilts[:, 0], 'BeamTiltY': tilts[:, 1]},
     size=N)
result = tessera('refine', 'tilted.star', '--reference', 'start.mrc', '--lowpass', 15, '--global', 0, '--iterations', 2,
                 '--diameter', '50px', '-o', 'tilted.mrc', '--star', 'tilted_new.star')
after = np.median(errors('tilted_new.star', angles))
check(result.code == 0 and after < 0.6 * before, f'with beam tilt, locally from {before:.2f} to {after:.2f} degrees', result)
alike = fsc(read('local.mrc'), read('tilted.mrc'))[:14].min()
check(alike > 0.99, f'the same map as without beam tilt: {alike:g}')

# The names of options in other programs, and a reference with other pixels.
write('coarse.mrc', volume(atoms / 2, N // 2, 0.6).astype('f4'), 2 * APIX)
run = ('refine', 'near.star', '--reference', 'coarse.mrc', '--lowpass', 15, '--diameter', '50px', '-f', '-o', 'coarse_out.mrc')
result = tessera(*run, '--global', 0, '--iterations', 1)
again = tessera(*run, '--global-iterations', 0, '--iterations', 1)
check(result.code == 0 and 'coarse.mrc is rescaled from 32 pixels of 3 A to 64 of 1.5 A' in result.err, 'another pixel size', result)
check(again.code == 0 and again.out == result.out, 'options by their other names', again)
check(fsc(read('coarse_out.mrc'), truth)[:8].min() > 0.9, 'a rescaled reference')

# Small ones: the same for every number of threads, memory and cut; symmetry.
M = 24
small = structure(40, 7, seed=3)
true, at, focus, _ = particles('s', small, M, 30, seed=2, noise=0.5)
write('s.mrc', volume(small, M).astype('f4'), APIX)
first = None
for slab, memory, threads in (('0', '1G', 2), ('20000', '1G', 1), ('5000', '64M', 2)):
    result = tessera('refine', 's.star', '--reference', 's.mrc', '--iterations', 2, '--global', 1, '--step', 25, '--lowpass', 12,
                     '-f', '-o', 's_out.mrc', '--star', 's_out.star', '--mem', memory, '-j', threads, environment={'TESS_SLAB': slab})
    content = (data_bytes('s_out.mrc'), open('s_out.star').read(), result.out) if result.code == 0 else None
    first = first or content
    check(content is not None and content == first, f'the same with {slab}, {memory}, {threads} threads', result)
result = tessera('refine', 's.star', '--reference', 's.mrc', '--sym', 'C2', '--iterations', 1, '--step', 25, '-o', 'c2.mrc',
                 '--half-maps', 'c2_{half}.mrc')
check(result.code == 0, 'symmetry', result)
c2 = read('c2_1.mrc')[1:, 1:, 1:]
check(np.abs(c2 - c2[:, ::-1, ::-1]).max() < 1e-5 * np.abs(c2).max(), 'the map has it')

# Bad input.
fails(tessera('refine', 's.star', '-o', 'o.mrc'), 2, '--reference MAP is required')
fails(tessera('refine', 's.star', '--reference', 'start.mrc', '-o', 'o.mrc'), 2, '64 x 64 x 64', 'must have 24')
fails(tessera('refine', 's.star', '--reference', 'none.mrc', '-o', 'o.mrc'), 3, 'none.mrc')
fails(tessera('refine', 's.mrcs', '--reference', 's.mrc', '-o', 'o.mrc'), 2, 'not a STAR file')
for option, value, says in (('--iterations', 0, '--iterations is 0'), ('--global', -1, '--global is -1'), ('--step', 90, '--step is 90'),
                            ('--shift-range', 99, '--shift-range is 99'), ('--diameter', 2, '--diameter is 2'), ('--sym', 'Y', 'Y'),
                            ('--half-maps', 'x.mrc', 'must contain {half}')):
    fails(tessera('refine', 's.star', '--reference', 's.mrc', option, value, '-o', 'o.mrc'), 2, says)
star('bare.star', 's.mrcs', {'DefocusU': focus[:, 0]}, size=M)
fails(tessera('refine', 'bare.star', '--reference', 's.mrc', '--global', 0, '-o', 'o.mrc'), 3, '_rlnAngleRot')
star('one.star', 's.mrcs', {**columns_of(true, at), 'RandomSubset': np.full(30, 1)}, size=M)
fails(tessera('refine', 'one.star', '--reference', 's.mrc', '-o', 'o.mrc'), 2, 'no row belongs to half set 2')
bad = read('s.mrcs').copy()
bad[4, 5, 6] = np.nan
write('bad.mrcs', bad, APIX, stack=True)
star('bad.star', 'bad.mrcs', columns_of(true, at), size=M)
fails(tessera('refine', 'bad.star', '--reference', 's.mrc', '-o', 'o.mrc'), 2, 'row 4', 'NaN')
hollow = read('s.mrc').copy()
hollow[7, 6, 5] = np.inf
write('hollow.mrc', hollow, APIX)
fails(tessera('refine', 's.star', '--reference', 'hollow.mrc', '-o', 'o.mrc'), 2, 'refine: hollow.mrc has 0 NaN and 1 infinite pixels')
write('plain.mrcs', read('s.mrcs'), 0, stack=True)
star('plain.star', 'plain.mrcs', {'AngleRot': true[:, 0]}, optics=False)
fails(tessera('refine', 'plain.star', '--reference', 's.mrc', '-o', 'o.mrc'), 2, 'pixel size is unknown', '--apix')
fails(tessera('refine', 's.star', '--reference', 's.mrc', '--lowpass', '0.75/px', '-o', 'o.mrc'), 2, '--lowpass is 0.75', 'at most 0.5')
fails(tessera('refine', 's.star', '--reference', 's.mrc', '--mem', '1M', '-o', 'o.mrc'), 4, '--mem')
check(not os.path.exists('o.mrc'), 'nothing is written after a failure')
finish()
