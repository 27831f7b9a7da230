"""tessera backproject beside a structure of Gaussians, and beside sums by NumPy."""
import numpy as np

from command import check, fails, finish, tessera
from images import close, equal, facts, random, run, write
from support.particles import APIX, projections, structure, volume

N = 32
atoms = structure(radius=9)
angles = np.arange(-90, 90, 2.0)


def tilted(t):
    t = np.radians(t)
    turned = np.stack([atoms[:, 0] * np.cos(t) + atoms[:, 2] * np.sin(t), atoms[:, 1], atoms[:, 2]], 1)
    return projections(turned, N, [(0, 0, 0)], [(0, 0)])[0]


images = np.stack([tilted(t) for t in angles]).astype('f4')
write('t.mrcs', images, APIX, stack=True)
np.savetxt('t.tlt', angles)
truth = volume(atoms, N)
got = run('backproject', '--angles', 't.tlt', 't.mrcs')
correlation = np.corrcoef(got.ravel(), truth.ravel())[0, 1]
scale = (got * truth).sum() / (truth ** 2).sum()
check(correlation > 0.99 and abs(scale - 1) < 0.05, f'all angles: correlation {correlation:.4f}, scale {scale:.3f}')
check(abs(got[:, :, :4].mean()) < 0.02 * truth.max(), f'no offset: {got[:, :, :4].mean():.4f}')
close(facts('out.mrc')[0], [APIX] * 3, 'pixel size')
check(not facts('out.mrc')[3], 'a volume')


def by_hand(images, angles, depth):
    """Each voxel is the sum of images, linearly between pixels, at x cos t + z sin t."""
    z, x = np.meshgrid(np.arange(depth) - depth // 2, np.arange(images.shape[2]) - images.shape[2] // 2, indexing='ij')
    out = np.zeros((depth,) + images.shape[1:])
    for image, t in zip(images, np.radians(angles)):
        at = x * np.cos(t) + z * np.sin(t) + images.shape[2] // 2
        low = np.floor(at).astype(int)
        padded = np.pad(image, ((0, 0), (1, 2)))
        for step in (0, 1):
            i = np.clip(low + step + 1, 0, padded.shape[1] - 1)
            part = np.where(step, at - low, 1 - at + low) * ((low + step >= 0) & (low + step < image.shape[1]))
            out += (part[:, None] * padded[:, i].transpose(1, 0, 2))
    return out


noise = write('n.mrcs', random.normal(size=(21, 10, 17)).astype('f4'), APIX, stack=True)
tilts = np.linspace(-60, 57, 21)
np.savetxt('n.tlt', tilts)
equal(run('backproject', '--angles', 'n.tlt', '--depth', 9, '--weighting', 'none', 'n.mrcs'), by_hand(noise, tilts, 9), 'sums', 1e-5)
half = run('backproject', '--angles', 'n.tlt', '--depth', '15A', '--interp', 'cubic', 'n.mrcs')
check(half.shape == (10, 10, 17), 'a depth in A')

# Angles of other files, and those of chosen images.
def table(name, columns):
    with open(name, 'w') as file:
        file.write('data_\n\nloop_\n' + ''.join(f'_{c}\n' for c in columns))
        file.writelines(' '.join(f'{v:g}' for v in row) + '\n' for row in zip(*columns.values()))


table('stage.star', {'rlnTomoNominalStageTiltAngle': angles})
table('poses.star', {'rlnAngleRot': 0 * angles, 'rlnAngleTilt': -angles, 'rlnAnglePsi': 0 * angles})
with open('t.mdoc', 'w') as file:
    file.write('PixelSpacing = 1.5\n\n[T = made by hand]\n\n')
    file.writelines(f'[ZValue = {i}]\nTiltAngle = {angle}\nExposureDose = 1\n\n' for i, angle in enumerate(angles))
for name in ('stage.star', 'poses.star', 't.mdoc'):
    equal(run('backproject', '--angles', name, 't.mrcs'), got, f'angles of {name}')
np.savetxt('some.tlt', angles[[3, 40, 7]])
equal(run('backproject', '--angles', 't.tlt', '--slices', '3,40,7', 't.mrcs'),
      run('backproject', '--angles', 'some.tlt', '--slices', '3,40,7', 't.mrcs', out='some.mrc'), 'those of chosen images')
write('map.mrc', truth.astype('f4'), APIX)
views = [run('project', '--angles', name, 'map.mrc', out='p.mrcs') for name in ('t.tlt', 't.mdoc')]
equal(views[0], views[1], 'projections by mdoc')
table('turned.star', {'rlnAngleRot': 5 + 0 * angles, 'rlnAngleTilt': -angles})
fails(tessera('backproject', '--angles', 'turned.star', 't.mrcs', '-o', 'n.mrc'), 2, 'turned.star: line 6 has rlnAngleRot 5', 'reconstruct')
table('other.star', {'rlnDefocusU': angles})
fails(tessera('backproject', '--angles', 'other.star', 't.mrcs', '-o', 'n.mrc'), 3, '_rlnTomoNominalStageTiltAngle or _rlnAngleTilt')
open('none.mdoc', 'w').write('[FrameSet = 0]\nTiltAngle = 3\n')
fails(tessera('backproject', '--angles', 'none.mdoc', 't.mrcs', '-o', 'n.mrc'), 3, 'none.mdoc', '[ZValue = 0]')
open('gap.mdoc', 'w').write('[ZValue = 0]\nTiltAngle = 3\n[ZValue = 1]\nExposureDose = 3\n')
fails(tessera('backproject', '--angles', 'gap.mdoc', 't.mrcs', '-o', 'n.mrc'), 3, 'no section [ZValue = 1] with a TiltAngle')

fails(tessera('backproject', 'n.mrcs', '-o', 'o.mrc'), 2, 'the tilt angles are missing')
fails(tessera('backproject', '--angles', 't.tlt', 'n.mrcs', '-o', 'o.mrc'), 2, 't.tlt', '90', '21')
fails(tessera('backproject', '--angles', 'no.tlt', 'n.mrcs', '-o', 'o.mrc'), 3, 'no.tlt')
fails(tessera('backproject', '--angles', 'n.tlt', '--depth', 0, 'n.mrcs', '-o', 'o.mrc'), 2, '--depth is 0')
fails(tessera('backproject', '--angles', 't.tlt', '--depth', 400, '--mem', '1M', 't.mrcs', '-o', 'o.mrc'), 4, '--mem')
bad = noise.copy()
bad[3, 2, 1] = np.nan
write('b.mrcs', bad, APIX, stack=True)
fails(tessera('backproject', '--angles', 'n.tlt', 'b.mrcs', '-o', 'o.mrc'), 2, 'image 3 of b.mrcs has 1 NaN')
finish()
