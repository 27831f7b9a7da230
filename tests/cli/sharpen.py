"""tessera sharpen against NumPy, and against RELION where it is installed."""
import os
import re
import shutil
import subprocess

import numpy as np

from command import check, fails, finish, skip, tessera
from images import WAYS, close, equal, facts, random, read, run, write

N, APIX = 32, 1.5
F = np.sqrt(sum(np.meshgrid(*[np.fft.fftfreq(N) ** 2] * 3, indexing='ij')))


def halves(n=N, bfactor=200, noise=0.02):
    """Point-like atoms in the middle that have faded by a B-factor, with noise."""
    atoms = np.zeros((n, n, n))
    where = np.clip(random.normal(n / 2, n / 10, (3, 60)).astype(int), 0, n - 1)
    atoms[tuple(where)] = 1
    f = np.sqrt(sum(np.meshgrid(*[np.fft.fftfreq(n) ** 2] * 3, indexing='ij')))
    faded = np.fft.ifftn(np.fft.fftn(atoms) * np.exp(-bfactor / 4 * (f / APIX) ** 2)).real
    return [(faded + random.normal(size=faded.shape) * noise * faded.max()).astype('f4') for _ in range(2)]


def fsc(a, b):
    shell = np.minimum(np.floor(F * N + 0.5).astype(int), N // 2)
    fa, fb = np.fft.fftn(a.astype('f8')), np.fft.fftn(b.astype('f8'))
    inside = F <= 0.5 + 1e-12
    total = [np.array([x[inside & (shell == i)].sum() for i in range(N // 2 + 1)])
             for x in ((fa * fb.conj()).real, np.abs(fa) ** 2, np.abs(fb) ** 2)]
    return total[0] / np.sqrt(total[1] * total[2])


def amplitudes(spectrum):
    """Mean over shells; what lies between two is split."""
    at = F * N
    low = np.floor(at).astype(int)
    sums, weights = np.zeros(N + 2), np.zeros(N + 2)
    for k, part in ((low, 1 - (at - low)), (low + 1, at - low)):
        inside = k <= N // 2
        np.add.at(sums, k[inside], (np.abs(spectrum) * part)[inside])
        np.add.at(weights, k[inside], part[inside])
    return sums[:N // 2 + 1] / weights[:N // 2 + 1]


def crossing(curve):
    s = next(i for i in range(1, len(curve)) if curve[i] < 0.143)
    return N * APIX / (s - 1 + (curve[s - 1] - 0.143) / (curve[s - 1] - curve[s]))


def lowpass(cutoff, width):
    d = np.clip((F - (cutoff - width / 2)) / width, 0, 1)
    return (1 + np.cos(np.pi * d)) / 2


def sharpen(a, b, curve, bfactor=None, start=10, weighted=True, resolution=None, width=2 / N):
    resolution = resolution or crossing(curve)
    spectrum = np.fft.fftn((a.astype('f8') + b) / 2)
    weight = np.sqrt(np.where(curve > 0, 2 * curve / (1 + curve), 0)) if weighted else np.ones(N // 2 + 1)
    s = np.arange(N // 2 + 1) / (N * APIX)
    y = amplitudes(spectrum) * weight
    fitted = (s > 0) & (s >= 1 / start - 1e-9) & (s <= 1 / resolution + 1e-9) & (y > 0)
    if bfactor is None:
        bfactor = 4 * np.polyfit(s[fitted] ** 2, np.log(y[fitted]), 1)[0]
    spectrum = spectrum * np.interp(F * N, np.arange(N // 2 + 1), weight)
    spectrum = spectrum * np.exp(-bfactor / 4 * (F / APIX) ** 2) * lowpass(APIX / resolution, width)
    return np.fft.ifftn(spectrum).real, bfactor, resolution


a, b = halves()
write('a.mrc', a, APIX, origin=(3, 4, 5))
write('b.mrc', b, APIX)
curve = fsc(a, b)
for options, arguments in (((), {}), (('--no-weight',), {'weighted': False}), (('--bfactor', '-50'), {'bfactor': -50}),
                           (('--fit-from', '15'), {'start': 15}), (('--bfactor', '-90', '--lowpass', '5', '--edge', '4'),
                                                                    {'bfactor': -90, 'resolution': 5, 'width': 4 / N})):
    want, bfactor, resolution = sharpen(a, b, curve, **arguments)
    equal(run('sharpen', 'a.mrc', 'b.mrc', *options), want, f'sharpen {options}', 2e-5)
    text = tessera('sharpen', 'a.mrc', 'b.mrc', *options, '-o', 'o.mrc', '-f').err
    close(float(re.search(r'B = (-?[\d.]+) A\^2', text).group(1)), bfactor, f'B-factor of {options}', 1e-3)
    close(float(re.search(r'FSC 0.143 = ([\d.]+) A', text).group(1)), crossing(curve), 'resolution', 3e-3)
check(abs(sharpen(a, b, curve)[1] + 200) < 40, f'B is nearly -200: {sharpen(a, b, curve)[1]}')
close(facts('out.mrc')[:2], [[APIX] * 3, [3, 4, 5]], 'pixel size and origin stay', 1e-5)
one = run('sharpen', 'a.mrc', '--bfactor', '-70', '--lowpass', '6')
equal(one, sharpen(a, a, curve, -70, weighted=False, resolution=6)[0], 'one map', 2e-5)

# ---- RELION's range: shells of round(|f| n), to the shell before the FSC first falls below 0.0001 ----


def relion_bfactor(a, b, curve, start=10, stop=0.0):
    spectrum = np.abs(np.fft.fftn((a.astype('f8') + b) / 2))
    shell = np.floor(F * N + 0.5).astype(int)
    end = next((i for i in range(1, N // 2 + 1) if curve[i] < 1e-4), N // 2 + 1)
    i = np.arange(1, end)
    mean = np.array([spectrum[shell == k].mean() for k in i]) * np.sqrt(2 * curve[i] / (1 + curve[i]))
    angstrom = N * APIX / i
    fitted = (angstrom <= start + 1e-9) & (angstrom >= stop - 1e-9)
    return 4 * np.polyfit(1 / angstrom[fitted]**2, np.log(mean[fitted]), 1)[0]


for options, arguments in (((), {}), (('--fit-from', '12'), {'start': 12}), (('--fit-to', '4.5'), {'stop': 4.5})):
    result = tessera('sharpen', 'a.mrc', 'b.mrc', '--relion-fit', *options, '-o', 'o.mrc', '-f')
    got = re.search(r'B = (-?[\d.]+) A\^2', result.err)
    if check(got is not None, "RELION's fit", result):
        close(float(got.group(1)), relion_bfactor(a, b, curve, **arguments), f"RELION's fit {options}", 1e-3)
check(abs(relion_bfactor(a, b, curve) - sharpen(a, b, curve)[1]) > 1, 'the two rules differ')
result = tessera('sharpen', 'a.mrc', 'b.mrc', '--relion-fit', '-o', 'relion_fit.mrc')
equal(read('relion_fit.mrc'), sharpen(a, b, curve, relion_bfactor(a, b, curve))[0], 'sharpened by it', 2e-5)
fails(tessera('sharpen', 'a.mrc', '--lowpass', 5, '--relion-fit', '-o', 'n.mrc'), 2, '--relion-fit requires both half maps')
fails(tessera('sharpen', 'a.mrc', 'b.mrc', '--bfactor', -5, '--relion-fit', '-o', 'n.mrc'), 2, '--relion-fit', '--bfactor')

# ---- With a mask: the corrected curve of `tessera fsc` ----
radius = np.sqrt(((np.indices((N, N, N)) - N // 2) ** 2).sum(0))
mask = write('m.mrc', np.clip((14 - radius) / 4, 0, 1).astype('f4'), APIX)
table = [line.split('\t') for line in tessera('fsc', 'a.mrc', 'b.mrc', '--mask', 'm.mrc').out.splitlines()]
corrected = np.array([float(line[table[0].index('corrected')]) for line in table[1:]])
arguments = {} if (corrected[1:] < 0.143).any() else {'resolution': 2 * APIX}
want, bfactor, _ = sharpen(a, b, corrected, **arguments)
equal(run('sharpen', 'a.mrc', 'b.mrc', '--mask', 'm.mrc'), want, 'with a mask', 2e-5)
equal(run('sharpen', 'a.mrc', 'b.mrc', '--mask', 'm.mrc', '--apply-mask'), want * mask, 'multiplied by the mask', 2e-5)
result = tessera('sharpen', 'a.mrc', 'b.mrc', '--plot', 'g.svg', '-o', 'o.mrc', '-f')
drawing = open('g.svg').read() if os.path.exists('g.svg') else ''
check(result.code == 0 and 'B = ' in drawing and 'sharpened' in drawing and '1/d' in drawing, 'a plot', result)
fails(tessera('sharpen', 'a.mrc', 'b.mrc', '--plot', 'g.svg', '-o', 'n.mrc'), 2, 'g.svg')
result = tessera('sharpen', 'a.mrc', 'b.mrc', '--dry-run', '-o', 'n.mrc')
check(result.code == 0 and not os.path.exists('n.mrc'), 'nothing is written in a dry run', result)

# ---- What is rejected ----
write('small.mrc', a[:20, :20, :20], APIX)
write('no.mrc', a, 0)
write('image.mrc', a[0], APIX)
write('nan.mrc', np.where(radius < 2, np.float32('nan'), a), APIX)
noise = [write(f'{k}.mrc', random.normal(size=a.shape).astype('f4'), APIX) for k in 'xy']
fails(tessera('sharpen', 'a.mrc', 'small.mrc', '-o', 'n.mrc'), 2, 'the sizes must be equal')
fails(tessera('sharpen', 'no.mrc', 'b.mrc', '-o', 'n.mrc'), 2, 'no.mrc', '--apix')
fails(tessera('sharpen', 'a.mrc', '-o', 'n.mrc'), 2, 'give --lowpass, or both half maps')
fails(tessera('sharpen', 'image.mrc', 'image.mrc', '-o', 'n.mrc'), 2, 'image.mrc is not a volume')
fails(tessera('sharpen', 'a.mrc', 'b.mrc', '--apply-mask', '-o', 'n.mrc'), 2, '--apply-mask requires --mask')
fails(tessera('sharpen', 'a.mrc', 'b.mrc', '--mask', 'small.mrc', '-o', 'n.mrc'), 2, 'small.mrc has 20 x 20 x 20')
fails(tessera('sharpen', 'a.mrc', 'b.mrc', '--fit-from', '3', '-o', 'n.mrc'), 2, 'begins at 3 A', '--fit-from')
fails(tessera('sharpen', 'a.mrc', 'b.mrc', '--fit-from', '9', '--fit-to', '8.9', '-o', 'n.mrc'), 2, 'fewer than two')
fails(tessera('sharpen', 'a.mrc', 'b.mrc', '--fit-from', '-9', '-o', 'n.mrc'), 2, '--fit-from is "-9"')
fails(tessera('sharpen', 'a.mrc', 'nan.mrc', '-o', 'n.mrc'), 3, 'NaN')
fails(tessera('sharpen', 'nan.mrc', '--lowpass', '6', '-o', 'n.mrc'), 3, 'nan.mrc has NaN')
fails(tessera('sharpen', 'a.mrc', 'b.mrc'), 2, '-o')
fails(tessera('sharpen', 'a.mrc', 'b.mrc', '-o', 'a.mrc'), 2, 'a.mrc')
fails(tessera('sharpen', 'a.mrc', 'b.mrc', '--plot', 'p.svg', '--bfactor', '-9', '-o', 'n.mrc'), 2, '--bfactor replaces it')
write('huge.mrc', np.zeros((64, 64, 64), 'f4'), APIX)
fails(tessera('sharpen', 'huge.mrc', 'huge.mrc', '--mem', '1M', '-o', 'n.mrc'), 4, '--mem')
check(not os.path.exists('n.mrc'), 'nothing was written')

# ---- RELION ----
if shutil.which('relion_postprocess'):
    n = 64
    maps = halves(n, 120, 0.01)
    write('run_half1_class001_unfil.mrc', maps[0], APIX)
    write('run_half2_class001_unfil.mrc', maps[1], APIX)
    radius = np.sqrt(((np.indices((n, n, n)) - n // 2) ** 2).sum(0))
    write('rm.mrc', np.clip((26 - radius) / 6, 0, 1).astype('f4'), APIX)
    os.mkdir('relion')
    subprocess.run(['relion_postprocess', '--i', 'run_half1_class001_unfil.mrc', '--mask', 'rm.mrc', '--o', 'relion/post',
                    '--angpix', str(APIX), '--auto_bfac'], capture_output=True)
    text = open('relion/post.star').read()
    theirs = float(re.search(r'_rlnBfactorUsedForSharpening\s+(\S+)', text).group(1))
    result = tessera('sharpen', 'run_half1_class001_unfil.mrc', 'run_half2_class001_unfil.mrc', '--mask', 'rm.mrc',
                     '--relion-fit', '-o', 'ours.mrc')
    ours = float(re.search(r'B = (-?[\d.]+) A\^2', result.err).group(1))
    check(abs(ours - theirs) < 0.05 * abs(theirs), f"B is {ours}, RELION's {theirs}", result)
    cc = np.corrcoef(read('ours.mrc').ravel(), read('relion/post.mrc').ravel())[0, 1]
    check(cc > 0.99, f"the map is RELION's: correlation {cc}")
else:
    skip('sharpen beside relion_postprocess', 'RELION is not installed')
finish()
