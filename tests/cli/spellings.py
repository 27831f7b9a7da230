"""Options and their values in other spellings: outputs of the same bytes; one that is unknown is told what is near it."""
import numpy as np

from command import check, fails, finish, tessera
from images import data_bytes, random, write

write('x.mrc', random.normal(size=(20, 23)).astype('f4'), 1.5)
write('v.mrc', random.normal(size=(12, 12, 12)).astype('f4'), 1.5)
np.save('x.npy', random.normal(size=(20, 24)).astype('f4'))
np.save('half.npy', np.fft.rfft2(np.load('x.npy')).astype('c8'))
np.save('turn.npy', np.array([[0.9, -0.3, 1.5], [0.3, 0.9, -2.25]]))


def same(verb, spellings, out='out.mrc', other=None):
    """Each spelling writes what the first does; `other`, of the same option, something else."""
    def content(spelling):
        result = tessera(*verb.split(), *spelling.split(), '-o', out, '-f')
        return data_bytes(out) if check(result.code == 0, f'{verb} {spelling}', result) else None

    first = content(spellings[0])
    for spelling in spellings[1:]:
        check(content(spelling) == first, f'{verb}: {spelling} is {spellings[0]}')
    if other:
        check(content(other) != first, f'{verb}: {other} is not {spellings[0]}')


# ---- Names of options ----
same('transform --rotate 30 x.mrc', ['--center 4,6', '--centre 4,6', '--CENTER 4,6', '--centre=4,6'], other='--center 5,6')
same('mask v.mrc --sphere 3', ['--center 4,6,7', '--centre 4,6,7'], other='--center 5,6,7')
same('sym v.mrc', ['--sym c3', '--symmetry c3', '--group c3'], other='--sym c2')
same('filter --lowpass 8 x.mrc', ['--apix 2', '--angpix 2', '--pixel-size 2', '--pixel_size 2', '--voxel-size 2', '--voxel_size=2'],
     other='--apix 3')
same('bfactor half.npy --shape 20,24 --bfactor 50', ['--pixel-size 2', '--pixel_size 2', '--apix 2', '--angpix 2', '--voxel-size 2'],
     out='out.npy', other='--pixel-size 3')
same('transform_2d x.npy turn.npy', ['--centre-h 3', '--center-h 3', '--center_h 3'], out='out.npy', other='--centre-w 3')
same('transform_2d x.npy turn.npy', ['--centred', '--centered'], out='out.npy', other='--forward')

# ---- Borders and methods of interpolation ----
for verb, out in (('transform --rotate 30 x.mrc', 'out.mrc'), ('transform_2d x.npy turn.npy', 'out.npy')):
    for border, alias, other in (('periodic', 'wrap', 'clamp'), ('clamp', 'edge', 'mirror'), ('mirror', 'symmetric', 'reflect')):
        same(verb, [f'--border {border}', f'--border {alias}'], out, f'--border {other}')
same('transform_2d x.npy turn.npy --value 2', ['--border value', '--border constant'], 'out.npy')
same('transform --rotate 30 x.mrc', ['--interp cubic-bspline', '--interp bspline'], other='--interp cubic')
same('transform_2d x.npy turn.npy', ['--interp cubic_bspline', '--interp bspline'], 'out.npy', '--interp cubic')
for fill, alias, other in (('edge', 'clamp', 'mirror'), ('wrap', 'periodic', 'reflect'), ('mirror', 'symmetric', 'zero')):
    same('pad --box 40 x.mrc', [f'--fill {fill}', f'--fill {alias}'], other=f'--fill {other}')
same('pad --box 40 x.mrc', ['--fill zero', '--fill 0'], other='--fill mean')

# ---- What is none ----
fails(tessera('transform', 'x.mrc', '--centr', '1,2', '-o', 'n.mrc'), 2, 'transform: unknown option --centr; did you mean --cent')
fails(tessera('filter', 'x.mrc', '--pixl-size', '1', '-o', 'n.mrc'), 2, 'unknown option --pixl-size; did you mean --pixel-size?')
fails(tessera('filter', 'x.mrc', '--angpx', '1', '-o', 'n.mrc'), 2, 'filter: unknown option --angpx; did you mean --angpix?')
fails(tessera('transform_2d', 'x.npy', '--boder', 'clamp', '-o', 'n.npy'), 2, 'unknown option --boder; did you mean --border?')
fails(tessera('transform', 'x.mrc', '--border', 'clmap', '-o', 'n.mrc'), 2, '--border is "clmap"', 'zero clamp edge periodic wrap')
fails(tessera('transform', 'x.mrc', '--interp', 'cubicbspline', '-o', 'n.mrc'), 2, '--interp is "cubicbspline"', 'cubic-bspline bspline')
fails(tessera('transform_2d', 'x.npy', 'turn.npy', '--border', 'wrapped', '-o', 'n.npy'), 2, 'periodic')
fails(tessera('pad', 'x.mrc', '--box', '40', '--fill', 'nothing', '-o', 'n.mrc'), 2, '--fill is nothing', 'edge, mirror')
fails(tessera('filter', 'x.mrc', '--lowpass', '8', '--apix', '2', '--voxel-size', '3', '-o', 'n.mrc'), 2, '--apix is given twice')
finish()
