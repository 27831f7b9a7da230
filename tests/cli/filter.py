"""tessera filter against NumPy and SciPy."""
import numpy as np
from scipy import ndimage

from command import check, fails, finish, tessera
from images import equal, facts, random, run, write


def frequencies(shape):
    grid = np.meshgrid(*[np.fft.fftfreq(n) for n in shape], indexing='ij')
    return np.sqrt(sum(g * g for g in grid))


def apply(a, weight):
    return np.fft.ifftn(np.fft.fftn(a) * weight(frequencies(a.shape))).real


def low(cut, edge):
    def weight(f):
        begin = max(cut - edge / 2, 0)
        t = np.clip((f - begin) / (cut + edge / 2 - begin), 0, 1)
        return 0.5 + 0.5 * np.cos(np.pi * t)
    return weight


def high(cut, edge):
    return lambda f: 1 - low(cut, edge)(f)


def each(data, f):
    data = data.astype('f8')
    return f(data) if data.shape == volume.shape else np.stack([f(a) for a in data])


stack = write('s.mrcs', random.normal(size=(5, 40, 36)).astype('f4') + 4, 1.5, stack=True)
volume = write('v.mrc', random.normal(size=(20, 22, 24)).astype('f4'), 2)
for name, data, apix in (('s.mrcs', stack, 1.5), ('v.mrc', volume, 2)):
    n = min(data.shape[-2:] if name == 's.mrcs' else data.shape)
    for edge, width in (([], 2 / n), (['--edge', 4], 4 / n), (['--edge', '0.07/px'], 0.07)):
        equal(run('filter', '--lowpass', 8, *edge, name), each(data, lambda a: apply(a, low(apix / 8, width))),
              f'{name} lowpass {edge}', 3e-6)
        equal(run('filter', '--highpass', 20, *edge, name), each(data, lambda a: apply(a, high(apix / 20, width))),
              f'{name} highpass {edge}', 3e-6)
        equal(run('filter', '--bandpass', '2.5nm,0.2/px', *edge, name),
              each(data, lambda a: apply(apply(a, high(apix / 25, width)), low(0.2, width))), f'{name} band {edge}', 3e-6)
    equal(run('filter', '--lowpass', '6sh', name), each(data, lambda a: apply(a, low(6 / n, 2 / n))), 'shells', 3e-6)
    equal(run('filter', '--gauss', 1.3, name),
          each(data, lambda a: apply(a, lambda f: np.exp(-2 * np.pi**2 * 1.3**2 * f * f))), f'{name} gauss', 3e-6)
    # A Gaussian of 2 pixels, written in A.
    equal(run('filter', '--gauss', f'{2 * apix}A', name),
          each(data, lambda a: ndimage.gaussian_filter(a, 2, mode='wrap', truncate=8)), f'{name} as SciPy', 1e-4)
    equal(run('filter', '--dog', f'1.2,{3 * apix}A', name),
          each(data, lambda a: apply(a, lambda f: np.exp(-2 * np.pi**2 * 1.44 * f * f) - np.exp(-2 * np.pi**2 * 9 * f * f))),
          f'{name} difference of Gaussians', 3e-6)
    for b in (80, -60):
        equal(run('filter', '--bfactor', b, name),
              each(data, lambda a: apply(a, lambda f: np.exp(-b / 4 * (f / apix)**2))), f'{name} B {b}', 3e-6)
    for size in (1, 3, 5):
        equal(run('filter', '--median', size, name), each(data, lambda a: ndimage.median_filter(a, size, mode='reflect')),
              f'{name} median {size}')
    first = each(data, lambda a: ndimage.median_filter(apply(a, low(apix / 8, 2 / n)), 3, mode='reflect'))
    equal(run('filter', '--lowpass', 8, '--median', 3, name), first, 'lowpass, then median', 3e-6)
    second = each(data, lambda a: apply(ndimage.median_filter(a, 3, mode='reflect'), low(apix / 8, 2 / n)))
    equal(run('filter', '--median', 3, '--lowpass', 8, name), second, 'median, then lowpass', 3e-6)
    equal(run('filter', '--bandpass', '0.2/px,2.5nm', name),
          each(data, lambda a: apply(apply(a, high(apix / 25, 2 / n)), low(0.2, 2 / n))), f'{name} band reversed', 3e-6)
    got = run('filter', '--lowpass', '1sh', '--edge', 6, name)
    equal(got, each(data, lambda a: apply(a, low(1 / n, 6 / n))), f'{name} an edge cut off at 0', 3e-6)
    equal(got.mean(axis=(-2, -1)) if name == 's.mrcs' else got.mean(keepdims=True).ravel(),
          data.mean(axis=(-2, -1), dtype='f8') if name == 's.mrcs' else data.mean(keepdims=True, dtype='f8').ravel(),
          f'{name} the mean stays', 1e-6 if name == 's.mrcs' else 1e-4)
    gone = run('filter', '--highpass', '1sh', '--edge', 6, name)
    check(gone is not None and abs(gone.mean()) < 1e-6, 'a high-pass leaves no mean')
# ---- Other edges ----


def gaussian(cut, sigma, high=False):
    return lambda f: np.exp(-np.maximum(cut - f if high else f - cut, 0)**2 / (2 * sigma**2))


def butterworth(cut, order, high=False):
    with np.errstate(divide='ignore'):
        return lambda f: 1 / np.sqrt(1 + (cut / np.maximum(f, 1e-300) if high else f / cut)**(2 * order))


for name, data, apix in (('s.mrcs', stack, 1.5), ('v.mrc', volume, 2)):
    for way in ('lowpass', 'highpass'):
        is_high = way == 'highpass'
        equal(run('filter', f'--{way}', 10, '--edge', '0.05/px', '--edge-type', 'gaussian', name),
              each(data, lambda a: apply(a, gaussian(apix / 10, 0.05, is_high))), f'{name} {way} Gaussian', 3e-6)
        equal(run('filter', f'--{way}', 10, '--edge-type', 'butterworth', '--order', 6, name),
              each(data, lambda a: apply(a, butterworth(apix / 10, 6, is_high))), f'{name} {way} Butterworth', 3e-6)
    equal(run('filter', '--lowpass', '0.2/px', '--edge-type', 'hard', name), each(data, lambda a: apply(a, lambda f: f <= 0.2)),
          f'{name} hard', 3e-6)

# ---- Exposure, curves, whitening ----


def exposed(dose, factor=1):
    def weight(f):
        with np.errstate(divide='ignore'):
            return np.exp(-dose / (2 * factor * (0.245 * (f / 1.5)**-1.665 + 2.81)))
    return weight


doses, curves = np.array([1.0, 5, 20, 40, 80]), np.abs(random.normal(size=(5, 7)))
for kind, array in (('doses', doses), ('column', doses.reshape(5, 1)), ('batch', doses.reshape(5, 1, 1, 1)),
                    ('curves', curves), ('curve', curves[0])):
    np.save(f'{kind}.npy', array)
want = np.stack([apply(a.astype('f8'), exposed(d)) for a, d in zip(stack, doses)])
np.savetxt('doses.txt', doses)
np.savetxt('row.tsv', doses.reshape(1, 5), delimiter='\t')
for name in ('doses.npy', 'column.npy', 'batch.npy', 'doses.txt', 'row.tsv'):
    equal(run('filter', '--dose', name, 's.mrcs'), want, f'exposure of {name}', 3e-6)
equal(run('filter', '--dose', 20, 's.mrcs'), each(stack, lambda a: apply(a, exposed(20))), 'exposure of all', 3e-6)
equal(run('filter', '--dose', 20, '--voltage', 200, 's.mrcs'), each(stack, lambda a: apply(a, exposed(20, 0.8))), '200 kV', 3e-6)
points = np.linspace(0, 0.5, 7)
equal(run('filter', '--curve', 'curves.npy', 's.mrcs'),
      np.stack([apply(a.astype('f8'), lambda f: np.interp(f, points, c)) for a, c in zip(stack, curves)]), 'curves', 3e-6)
np.savetxt('curve.txt', curves[0])
np.savetxt('curve.csv', curves[:1], delimiter=',')
for name in ('curve.npy', 'curve.txt', 'curve.csv'):
    equal(run('filter', '--curve', name, 'v.mrc'), apply(volume.astype('f8'), lambda f: np.interp(f, points, curves[0])),
          f'a curve, {name}', 3e-6)
with open('words.txt', 'w') as file:
    file.write('1\ntwo\n')
fails(tessera('filter', '--dose', 'words.txt', 's.mrcs', '-o', 'n2.mrc'), 3, '--dose: words.txt has 1 words', 'expected numbers')
wide = write('wide.mrcs', random.normal(size=(2, 128, 128)).astype('f4') * 7, 1.5, stack=True)
white = run('filter', '--whiten', 'wide.mrcs')
check(white is not None and np.allclose(white.std(axis=(1, 2)), 1, atol=0.03), 'white noise has variance 1')
rows = tessera('radial', '--power', '--tsv', 'out.mrc').out.splitlines()[4:]
check(all(0.8 < float(row.split()[-1]) < 1.25 for row in rows), 'its power is 1', rows)
fails(tessera('filter', '--dose', 'curve.npy', 's.mrcs', '-o', 'n2.mrc'), 2, '--dose has 7 numbers; 1 is needed, or one for each of 5 images')
fails(tessera('filter', '--curve', 'curves.npy', 'wide.mrcs', '-o', 'n2.mrc'), 2, '--curve has 5 rows', '2 images')
np.save('minus.npy', -doses)
for dose, text in (('-3', '-3'), ('nan', 'nan'), ('minus.npy', '-80')):
    fails(tessera('filter', '--dose', dose, 's.mrcs', '-o', 'n2.mrc'), 2, f'--dose is {text}; 0 or more')
fails(tessera('filter', '--dose', 3, '--voltage', 100, 's.mrcs', '-o', 'n2.mrc'), 2, '--voltage is 100; 300 or 200')
fails(tessera('filter', '--dose', 'none.npy', 's.mrcs', '-o', 'n2.mrc'), 3, 'none.npy')
fails(tessera('filter', '--lowpass', 8, '--order', 3, 's.mrcs', '-o', 'n2.mrc'), 2, '--order requires --edge-type butterworth')
fails(tessera('filter', '--lowpass', 8, '--order', 99, '--edge-type', 'butterworth', 's.mrcs', '-o', 'n2.mrc'), 2, '--order is 99; 1 to 64')
fails(tessera('filter', '--dose', 8, '--voltage', 120, 's.mrcs', '-o', 'n2.mrc'), 2, '120')
fails(tessera('filter', '--lowpass', 8, '--voltage', 200, 's.mrcs', '-o', 'n2.mrc'), 2, '--voltage requires --dose')
hard = each(stack, lambda a: apply(a, lambda f: f <= 0.2))
equal(run('filter', '--lowpass', '0.2/px', '--edge', 0, 's.mrcs'), hard, 'a hard edge', 3e-6)
check(facts('out.mrc')[3], 'a stack stays one')
result = tessera('filter', '--lowpass', 1, 's.mrcs', '-o', 'n.mrc')
check(result.code == 0 and 'beyond Nyquist' in result.err and '3 A' in result.err, 'beyond Nyquist', result)


# Pixels of several sizes: frequencies in 1/A.
uneven = write('a.mrc', random.normal(size=(16, 20, 24)).astype('f4') + 1, (2, 3, 2.5))
grid = np.meshgrid(np.fft.fftfreq(16, 2.5), np.fft.fftfreq(20, 3), np.fft.fftfreq(24, 2), indexing='ij')
per_angstrom = np.sqrt(sum(g * g for g in grid))
spectrum = np.fft.fftn(uneven.astype('f8'))
for arguments, weight in ((['--lowpass', 12, '--edge', '0.1/px'], low(1 / 12, 0.1 / 2)),
                          (['--highpass', 12, '--edge', '0.1/px'], high(1 / 12, 0.1 / 2)),
                          (['--lowpass', 12, '--edge', '0.1/px', '--edge-type', 'gaussian'], gaussian(1 / 12, 0.05)),
                          (['--highpass', 12, '--edge-type', 'butterworth'], butterworth(1 / 12, 4, True)),
                          (['--highpass', 12, '--edge-type', 'hard'], lambda f: f >= 1 / 12),
                          (['--bfactor', 90], lambda f: np.exp(-90 / 4 * f * f)),
                          (['--gauss', '4A'], lambda f: np.exp(-2 * np.pi**2 * 16 * f * f)),
                          (['--dose', 30], lambda f: exposed(30)(1.5 * f)),
                          (['--curve', 'curve.npy'], lambda f: np.interp(2 * f, points, curves[0]))):
    equal(run('filter', *arguments, 'a.mrc'), np.fft.ifftn(spectrum * weight(per_angstrom)).real,
          f'uneven pixels {arguments}', 3e-6)

fails(tessera('filter', '--whiten', 'a.mrc', '-o', 'n2.mrc'), 3, 'filter: --whiten needs equal pixel sizes')
write('u.mrc', stack[0], 0)
fails(tessera('filter', '--dose', 8, 'u.mrc', '-o', 'n2.mrc'), 2, '--dose needs the pixel size', '--apix')
fails(tessera('filter', '--lowpass', 8, 'u.mrc', '-o', 'n2.mrc'), 2, '--apix')
fails(tessera('filter', '--bfactor', 8, 'u.mrc', '-o', 'n2.mrc'), 2, '--bfactor needs the pixel size', '--apix')
check(tessera('filter', '--lowpass', 8, '--apix', 2, 'u.mrc', '-o', 'n3.mrc').code == 0, '--apix helps')
fails(tessera('filter', 's.mrcs', '-o', 'n2.mrc'), 2, 'nothing to do')
fails(tessera('filter', '--median', 2, 's.mrcs', '-o', 'n2.mrc'), 2, '--median is 2', 'odd')
fails(tessera('filter', '--dog', 2, 's.mrcs', '-o', 'n2.mrc'), 2, '--dog is 2', '2,3.2')
fails(tessera('filter', '--dog', '3,2', 's.mrcs', '-o', 'n2.mrc'), 2, '--dog is 3,2', 'larger')
fails(tessera('filter', '--dog', '2,-3', 's.mrcs', '-o', 'n2.mrc'), 2, '--dog is -3')
fails(tessera('filter', '--dog', '2,3A', 'u.mrc', '-o', 'n2.mrc'), 2, '--apix')
fails(tessera('filter', '--bandpass', 8, 's.mrcs', '-o', 'n2.mrc'), 2, '--bandpass is 8', '100,8')
fails(tessera('filter', '--bandpass', '8,8', 's.mrcs', '-o', 'n2.mrc'), 2, '--bandpass is 8,8', 'nothing lies between')
fails(tessera('filter', '--bandpass', '8,x', 's.mrcs', '-o', 'n2.mrc'), 2, '--bandpass')
fails(tessera('filter', '--lowpass', '8kg', 's.mrcs', '-o', 'n2.mrc'), 2, '8kg')
fails(tessera('filter', '--lowpass', '8', '--edge', '-1', 's.mrcs', '-o', 'n2.mrc'), 2, '--edge')
fails(tessera('filter', '--gauss', '-1', 's.mrcs', '-o', 'n2.mrc'), 2, '--gauss')
write('big.mrc', np.zeros((64, 80, 80), 'f4'), 1)
fails(tessera('filter', '--mem', '2M', '--gauss', 1, 'big.mrc', '-o', 'n2.mrc'), 4, '--mem allows 2 MiB')
finish()
