"""Files of different pixel sizes used together: each verb says so, and refine brings its reference to the images."""
import numpy as np

from command import check, fails, finish, tessera
from images import random, read, write
from support.particles import APIX, SIGMA, columns_of, fsc, particles, star, structure, volume

# Used pixel by pixel: a warning that names both files and their sizes; none where sizes are equal or not known.
N = 16
for name, size in (('a.mrc', 1.5), ('b.mrc', 1.5), ('other.mrc', 1.2), ('none.mrc', 0)):
    write(name, random.normal(size=(N, N, N)).astype('f4'), size)
for name, size in (('ia.mrc', 1.5), ('ib.mrc', 1.5), ('iother.mrc', 1.2), ('inone.mrc', 0)):
    write(name, random.normal(size=(N, N)).astype('f4'), size)
write('s.mrcs', random.normal(size=(4, N, N)).astype('f4'), 1.5, stack=True)
for name, size in (('mask.mrc', 1.5), ('mask_other.mrc', 1.2)):
    write(name, np.ones((N, N, N), 'f4'), size)
for alike, unlike in (
        (['fsc', 'a.mrc', 'b.mrc'], ['fsc', 'a.mrc', 'other.mrc']),
        (['fsc', 'a.mrc', 'b.mrc', '--mask', 'mask.mrc'], ['fsc', 'a.mrc', 'b.mrc', '--mask', 'mask_other.mrc']),
        (['sharpen', 'a.mrc', 'a.mrc', '--bfactor', 0, '--lowpass', 5, '-o'],
         ['sharpen', 'a.mrc', 'other.mrc', '--bfactor', 0, '--lowpass', 5, '-o']),
        (['locres', 'a.mrc', 'a.mrc', '--mask', 'mask.mrc', '--radius', 3, '-o'],
         ['locres', 'a.mrc', 'a.mrc', '--mask', 'mask_other.mrc', '--radius', 3, '-o']),
        (['mask', 'a.mrc', '--use', 'mask.mrc', '--apply', '-o'], ['mask', 'a.mrc', '--use', 'mask_other.mrc', '--apply', '-o']),
        (['corr', 'ia.mrc', 'ib.mrc'], ['corr', 'ia.mrc', 'iother.mrc']),
        (['calc', 'a + b', 'a=a.mrc', 'b=b.mrc', '-o'], ['calc', 'a + b', 'a=a.mrc', 'b=other.mrc', '-o']),
        (['add', 'a.mrc', 'b.mrc', '-o'], ['add', 'a.mrc', 'other.mrc', '-o']),
        (['stack', 'ia.mrc', 'ib.mrc', '-o'], ['stack', 'ia.mrc', 'iother.mrc', '-o']),
        (['align2d', 's.mrcs', '--reference', 'ia.mrc', '--iterations', 1, '-o'],
         ['align2d', 's.mrcs', '--reference', 'iother.mrc', '--iterations', 1, '-o'])):
    for arguments, warns in ((alike, False), (unlike, True)):
        if arguments[-1] == '-o':
            arguments = [*arguments, 'out.mrcs' if arguments[0] in ('stack', 'align2d') else 'out.mrc', '-f']
        result = tessera(*arguments)
        said = 'warning' in result.err and '1.2 A' in result.err and '1.5' in result.err and 'other.mrc' in result.err
        check(result.code == 0 and said == warns, f'{arguments}: {"a" if warns else "no"} warning', result)
check('warning' not in tessera('add', 'a.mrc', 'none.mrc', '-o', 'out.mrc', '-f').err, 'a size that is not known is no other')
check('warning' not in tessera('add', 'a.mrc', 'other.mrc', '--apix', 2, '-o', 'out.mrc', '-f').err, '--apix is for both')

# A reference with pixels of another size, and another box, is the same start.
BOX = 24
atoms = structure(40, 7, seed=3)
angles, origins, defoci, _ = particles('p', atoms, BOX, 24, seed=2, noise=0.2)
star('p.star', 'p.mrcs', columns_of(angles + 2, origins, defoci), size=BOX)
write('right.mrc', volume(atoms, BOX).astype('f4'), APIX)
REFINE = ['refine', 'p.star', '--global', 0, '--iterations', 1, '--lowpass', '0.3/px', '--sym', 'C1']
result = tessera(*REFINE, '--reference', 'right.mrc', '-o', 'want.mrc', '--star', 'want.star')
check(result.code == 0 and 'rescaled' not in result.err, 'nothing is rescaled', result)
want = read('want.mrc')
for scale, box in ((0.5, 48), (0.8, 30), (1.25, 20), (0.75, 48)):  # the same atoms on a grid of other pixels
    write('other_size.mrc', volume(atoms / scale, box, SIGMA / scale).astype('f4'), APIX * scale)
    result = tessera(*REFINE, '--reference', 'other_size.mrc', '-o', 'got.mrc', '--star', 'got.star', '-f')
    check(result.code == 0 and f'rescaled from {box} pixels of {APIX * scale:.6g} A to {BOX} of {APIX:.6g} A' in result.err,
          f'a note, {scale}', result)
    alike = fsc(read('got.mrc'), want)[:8].min()
    check(alike > 0.98, f'a reference of {scale} times the pixel size leads to the same map: {alike:.4f}')
write('tiny.mrc', volume(atoms, BOX).astype('f4'), APIX / 100)
fails(tessera(*REFINE, '--reference', 'tiny.mrc', '-o', 'n.mrc'), 2, 'tiny.mrc', 'at most a factor of 32')
write('box.mrc', volume(atoms, 20).astype('f4'), APIX)
fails(tessera(*REFINE, '--reference', 'box.mrc', '-o', 'n.mrc'), 2, 'box.mrc has 20 x 20 x 20', '24 along each axis')
finish()
