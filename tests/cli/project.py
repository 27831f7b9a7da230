"""tessera project beside projections of Gaussians, which are known exactly, and beside RELION's."""
import numpy as np

from command import check, fails, finish, skip, tessera
from images import close, equal, facts, random, read, run, write
from support.particles import (APIX, RELION, angles_of, apply, beam_tilt, columns_of, ctf, matrix, projections, random_angles, relion,
                               rows, star, structure, volume, without_nyquist)

N, COUNT = 32, 23
atoms = structure()
map_ = write('map.mrc', volume(atoms, N).astype('f4'), APIX)
angles, origins = random_angles(COUNT, random), random.uniform(-3, 3, (COUNT, 2))
defoci = np.stack([random.uniform(6000, 16000, COUNT), random.uniform(6000, 16000, COUNT), random.uniform(0, 180, COUNT)], 1)
star('p.star', 'none.mrcs', columns_of(angles, origins, defoci))
want = projections(atoms, N, angles, origins)

got = run('project', 'map.mrc', '--angles', 'p.star', out='out.mrcs')
equal(got, want, 'central slices', 0.02)
close(facts('out.mrcs')[0][:2], [APIX, APIX], 'pixel size')
check(facts('out.mrcs')[3], 'a stack')
centred = projections(atoms, N, angles, 0 * origins)
equal(run('project', 'map.mrc', '--angles', 'p.star', '--no-shifts', out='out.mrcs'), centred, 'without shifts', 0.02)
equal(run('project', 'map.mrc', '--angles', 'p.star', '--pad', 3, out='out.mrcs'), want, 'of three times the box', 0.01)
equal(run('project', 'map.mrc', '--angles', 'p.star', '--method', 'real', out='out.mrcs'), want, 'along rays', 0.12)
modulated = np.stack([apply(image, ctf(N, *d)) for image, d in zip(want, defoci)])
equal(run('project', 'map.mrc', '--angles', 'p.star', '--ctf', out='out.mrcs'), modulated, 'with CTFs', 0.02)
got_real = run('project', 'map.mrc', '--angles', 'p.star', '--ctf', '--method', 'real', out='out.mrcs')
tilts = np.random.default_rng(8).uniform(-4, 4, (len(want), 2))
star('tilt.star', 'p.mrcs', {**columns_of(angles, origins, defoci), 'BeamTiltX': tilts[:, 0], 'BeamTiltY': tilts[:, 1]}, size=N)
tilted = np.stack([apply(image, beam_tilt(N, *tilt)) for image, tilt in zip(modulated, tilts)])
for method in ('fourier', 'real'):
    got = run('project', 'map.mrc', '--angles', 'tilt.star', '--ctf', '--method', method, out='out.mrcs')
    equal(without_nyquist(got), without_nyquist(tilted), f'beam tilt, {method}', 0.04)
equal(got_real, modulated, 'with CTFs, along rays', 0.12)

write('odd.mrc', volume(atoms, 31).astype('f4'), APIX)
equal(run('project', 'odd.mrc', '--angles', 'p.star', out='out.mrcs'), projections(atoms, 31, angles, origins), 'an odd box', 0.04)

# RELION 3.0: origins in pixels, no optics, all in the rows.
old = columns_of(angles, origins)
del old['OriginXAngst'], old['OriginYAngst']
old.update(OriginX=origins[:, 0], OriginY=origins[:, 1])
star('old.star', 'none.mrcs', old, optics=False)
equal(run('project', 'map.mrc', '--angles', 'old.star', out='out.mrcs'), want, 'origins in pixels', 0.02)

# Rows of what was made.
result = tessera('project', 'map.mrc', '--angles', 'p.star', '-o', 'new.mrcs', '--star', 'new.star')
table = rows('new.star')
check(result.code == 0 and table['ImageName'][4] == '000005@new.mrcs', 'names of the new stack', result)
close(np.array(table['OriginXAngst'], float), origins[:, 0] * APIX, 'other columns stay')
result = tessera('project', 'map.mrc', '--random', 9, '--seed', 4, '-o', 'r.mrcs', '--star', 'r.star')
check(result.code == 0, 'random ones', result)
equal(read('r.mrcs'), projections(atoms, N, angles_of('r.star'), np.zeros((9, 2))), 'are at the angles told', 0.02)
result = tessera('project', 'map.mrc', '--uniform', 40, '-o', 'u.mrcs', '--star', 'u.star')
views = np.stack([matrix(*a)[2] for a in angles_of('u.star')])
check(len(views) == int(np.ceil(4 * np.pi / np.radians(40) ** 2)), 'as many as the step asks for', result)
near = np.sort(np.degrees(np.arccos(np.clip(views @ views.T, -1, 1))), 1)[:, 1]
check(near.min() > 25 and near.max() < 50, f'uniform: neighbours are {near.min():.1f} to {near.max():.1f} degrees away')
equal(read('u.mrcs'), projections(atoms, N, angles_of('u.star'), np.zeros((len(views), 2))), 'at their angles', 0.04)

# Tilts: x cos t + z sin t.
open('s.tlt', 'w').write('-50\n0\n35.5\n')
tilted = []
for t in np.radians([-50, 0, 35.5]):
    turned = np.stack([atoms[:, 0] * np.cos(t) + atoms[:, 2] * np.sin(t), atoms[:, 1], atoms[:, 2]], 1)
    tilted.append(projections(turned, N, [(0, 0, 0)], [(0, 0)])[0])
equal(run('project', 'map.mrc', '--angles', 's.tlt', out='out.mrcs'), np.array(tilted), 'tilts', 0.04)

# Bad input.
fails(tessera('project', 'map.mrc', '-o', 'o.mrcs'), 2, 'no angles were given', '--angles, --uniform and --random')
fails(tessera('project', 'map.mrc', '--random', 3, '--uniform', 9, '-o', 'o.mrcs'), 2, 'more than one source')
fails(tessera('project', 'map.mrc', '--random', 0, '-o', 'o.mrcs'), 2, '--random is 0')
fails(tessera('project', 'map.mrc', '--random', 3, '--ctf', '-o', 'o.mrcs'), 2, '--ctf', '--angles')
fails(tessera('project', 'map.mrc', '--random', 3, '--pad', 9, '-o', 'o.mrcs'), 2, '--pad is 9')
fails(tessera('project', 'map.mrc', '--random', 3, '--method', 'real', '--pad', 2, '-o', 'o.mrcs'), 2, '--pad applies to central slices')
fails(tessera('project', 'map.mrc', '--angles', 'nowhere.star', '-o', 'o.mrcs'), 3, 'nowhere.star')
star('bare.star', 'none.mrcs', {'DefocusU': defoci[:, 0]})
fails(tessera('project', 'map.mrc', '--angles', 'bare.star', '-o', 'o.mrcs'), 3, 'bare.star', '_rlnAngleRot')
part = columns_of(angles, origins)
del part['AnglePsi']
star('part.star', 'none.mrcs', part)
fails(tessera('project', 'map.mrc', '--angles', 'part.star', '-o', 'o.mrcs'), 3, 'part.star', '_rlnAnglePsi')
star('flat.star', 'none.mrcs', columns_of(angles, origins))
fails(tessera('project', 'map.mrc', '--angles', 'flat.star', '--ctf', '-o', 'o.mrcs'), 3, '_rlnDefocusU')
star('kv.star', 'none.mrcs', columns_of(angles, origins, defoci), optics=False)
fails(tessera('project', 'map.mrc', '--angles', 'kv.star', '--ctf', '-o', 'o.mrcs'), 3, '_rlnVoltage', 'optics group')
write('nosize.mrc', map_, 0)
fails(tessera('project', 'nosize.mrc', '--angles', 'p.star', '-o', 'o.mrcs'), 2, 'origins are in A', '--apix')
fails(tessera('project', 'nosize.mrc', '--angles', 'old.star', '--ctf', '-o', 'o.mrcs'), 2, 'pixel size is not known')
write('oblong.mrc', map_[:20], APIX)
fails(tessera('project', 'oblong.mrc', '--random', 2, '-o', 'o.mrcs'), 2, '32 x 32 x 20', 'a cube')
bad = map_.copy()
bad[3, 4, 5] = np.nan
write('nan.mrc', bad, APIX)
fails(tessera('project', 'nan.mrc', '--random', 2, '-o', 'o.mrcs'), 2, 'nan.mrc', 'NaN')
fails(tessera('project', 'map.mrc', '--random', 500, '--mem', '1M', '-o', 'o.mrcs'), 4, '--mem')
fails(tessera('project', 'map.mrc', '--random', 2, '-o', 'r.mrcs'), 2, 'r.mrcs', '-f')

if RELION:
    for options in ([], ['--ctf']):
        relion('relion_project', '--i', 'map.mrc', '--ang', 'p.star', '--o', 'relion', '--angpix', APIX, *options)
        equal(run('project', 'map.mrc', '--angles', 'p.star', *options, out='out.mrcs'), read('relion.mrcs'),
              f'as relion_project {options}', 0.005)
else:
    skip('relion_project', 'RELION is not installed')
finish()
