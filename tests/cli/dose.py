"""tessera dose against NumPy."""
import numpy as np

from command import check, fails, finish, left, tessera
from images import equal, random, run, write

APIX = 1.25


def filters(shape, doses, factor=1.0):
    k = np.hypot(np.fft.fftfreq(shape[0], APIX)[:, None], np.fft.rfftfreq(shape[1], APIX))
    with np.errstate(divide='ignore'):
        critical = factor * (0.245 * k ** -1.665 + 2.81)
    return np.exp(-np.asarray(doses)[:, None, None] / (2 * critical))


def weighted(stack, doses, factor=1.0):
    return np.fft.irfft2(np.fft.rfft2(stack.astype('f8')) * filters(stack.shape[1:], doses, factor), stack.shape[1:])


def total(stack, doses, factor=1.0):
    q = filters(stack.shape[1:], doses, factor)
    return np.fft.irfft2((np.fft.rfft2(stack.astype('f8')) * q).sum(0) / np.sqrt((q * q).sum(0)), stack.shape[1:])


stack = write('s.mrcs', random.normal(3, 2, (7, 36, 41)).astype('f4'), APIX, stack=True)
write('counts.mrcs', random.poisson(1, (5, 32, 32)).astype('i2'), APIX, stack=True)
each = 1.5 * np.arange(1, 8)
equal(run('dose', 's.mrcs', '--dose', '1.5'), weighted(stack, each), 'frames', 1e-5)
equal(run('dose', 's.mrcs', '--dose', '1.5', '--pre', '4', '--voltage', '200'), weighted(stack, each + 4, 0.8),
      'before, and 200 kV', 1e-5)
equal(run('dose', 's.mrcs', '--dose', '1.5', '--sum'), total(stack, each), 'sum', 1e-5)
equal(run('dose', 's.mrcs', '--dose', '1.5', '--sum', '--voltage', '120', '--critical-factor', '0.6'),
      total(stack, each, 0.6), 'another voltage', 1e-5)
equal(run('dose', 's.mrcs', '--dose', '1.5', '--slices', '2-4'), weighted(stack[2:5], each[2:5]),
      'frames that are left out count', 1e-5)
tilts = [20, 3, 11.5, 40, 0, 7, 31]
with open('doses.txt', 'w') as file:
    file.writelines(f'{d}\n' for d in tilts)
equal(run('dose', 's.mrcs', '--doses', 'doses.txt'), weighted(stack, tilts), 'a list', 1e-5)
equal(run('dose', 's.mrcs', '--doses', 'doses.txt', '--slices', '2,0'), weighted(stack[[2, 0]], np.asarray(tilts)[[2, 0]]),
      'those of chosen images', 1e-5)
with open('s.mdoc', 'w') as file:
    file.write('PixelSpacing = 1.25\n\n')
    for z, d in enumerate(tilts):
        file.write(f'[ZValue = {z}]\nTiltAngle = {z}\nPriorRecordDose = {d}\nExposureDose = 2.5\n\n')
equal(run('dose', 's.mrcs', '--mdoc', 's.mdoc'), weighted(stack, np.array(tilts) + 2.5), 'an mdoc', 1e-5)
equal(run('dose', 's.mrcs', '--mdoc', 's.mdoc', '--slices', '5,1'), weighted(stack[[5, 1]], np.array([7, 3]) + 2.5),
      'chosen images of an mdoc', 1e-5)
# Without PriorRecordDose doses add up in the order of acquisition: by DateTime where all have one, else by ZValue.
own, order = np.array([1, 2, 3, 1.5, 2.5, 1, 4]), [3, 2, 4, 1, 5, 0, 6]
total = np.empty(7)
total[order] = np.cumsum(own[order])
for form, received in (('%02d-Oct-15  23:59:%02d', total), ('2015-10-%02d 11:02:%02d', total), (None, np.cumsum(own))):
    with open('own.mdoc', 'w') as file:
        for z in range(7):
            time = order.index(z)  # seconds fall where days grow
            when = f'DateTime = {form % (1 + time // 2, 58 - 2 * (time // 2) + time % 2)}' if form else ''
            file.write(f'[ZValue = {z}]\nTiltAngle = {z}\nExposureDose = {own[z]}\n{when if z != 3 or form else ""}\n\n')
    equal(run('dose', 's.mrcs', '--mdoc', 'own.mdoc'), weighted(stack, received), f'own doses, {form}', 1e-5)
    equal(run('dose', 's.mrcs', '--mdoc', 'own.mdoc', '--slices', '5,1'), weighted(stack[[5, 1]], received[[5, 1]]),
          f'own doses of chosen images, {form}', 1e-5)
check(run('dose', 'counts.mrcs', '--dose', '1').dtype == np.float32, 'counts become f32')

write('plain.mrcs', stack, 0, stack=True)
write('v.mrc', random.normal(size=(8, 8, 8)).astype('f4'), APIX)
open('few.txt', 'w').write('1\n2\n')
before = left('out.mrc')
for arguments, *parts in ((['plain.mrcs', '--dose', '1'], '--apix'),
                          (['s.mrcs'], 'the exposure is unknown; give --dose, --doses or --mdoc'),
                          (['s.mrcs', '--dose', '0'], '--dose is 0'),
                          (['s.mrcs', '--dose', '-2'], '--dose is -2'),
                          (['s.mrcs', '--dose', '1', '--pre', '-1'], '--pre is -1; 0 or more'),
                          (['s.mrcs', '--dose', '1', '--voltage', '120'], '--voltage is 120', '--critical-factor'),
                          (['s.mrcs', '--dose', '1', '--critical-factor', '0'], '--critical-factor is 0'),
                          (['s.mrcs', '--dose', '1', '--doses', 'doses.txt'], 'more than one of'),
                          (['s.mrcs', '--doses', 'few.txt', '--slices', '0-2'], 'few.txt has 2 exposures', '3 images'),
                          (['s.mrcs', '--doses', 'few.txt'], 'few.txt has 2 exposures', '7 images'),
                          (['v.mrc', '--as', 'volume', '--dose', '1'], 'v.mrc')):
    fails(tessera('dose', *arguments, '-o', 'none.mrc'), 2, *parts)
with open('bad.mdoc', 'w') as file:
    file.write('[ZValue = 0]\nTiltAngle = 1\n')
fails(tessera('dose', 's.mrcs', '--mdoc', 'bad.mdoc', '-o', 'none.mrc'), 3, 'bad.mdoc has no ExposureDose')
with open('bad.mdoc', 'w') as file:
    file.writelines(f'[ZValue = {z}]\n{"PriorRecordDose = 3" if z else ""}\nExposureDose = 1\n' for z in range(7))
fails(tessera('dose', 's.mrcs', '--mdoc', 'bad.mdoc', '-o', 'none.mrc'), 3, 'bad.mdoc has no PriorRecordDose')
with open('bad.mdoc', 'w') as file:
    file.writelines(f'[ZValue = {z}]\nExposureDose = 0\n' for z in range(7))
fails(tessera('dose', 's.mrcs', '--mdoc', 'bad.mdoc', '-o', 'none.mrc'), 3, 'the doses of all sections are 0')
with open('few.mdoc', 'w') as file:
    file.write('[ZValue = 0]\nPriorRecordDose = 1\nExposureDose = 2\n')
fails(tessera('dose', 's.mrcs', '--mdoc', 'few.mdoc', '-o', 'none.mrc'), 3, 'few.mdoc has no section [ZValue = 1]')
with open('doses.txt', 'w') as file:
    file.writelines(f'{d}\n' for d in [1, 2, -3, 4, 5, 6, 7])
fails(tessera('dose', 's.mrcs', '--doses', 'doses.txt', '-o', 'none.mrc'), 2, 'the exposure of image 2 is -3')
check([f for f in left('out.mrc') if f.startswith('none')] == [], 'nothing is left behind')
finish()
