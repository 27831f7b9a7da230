"""tessera ctf sim, apply, flip and wiener against NumPy, and against RELION where it is installed."""
import json
import os
import shutil
import subprocess

import numpy as np

from command import check, fails, finish, skip, tessera
from images import close, equal, random, read, run, write

STEM = ('--voltage', 300, '--cs', 2.7, '--amplitude', 0.1)


def wavelength(voltage):
    """Relativistic, in A."""
    h, c, m, e = 6.62607015e-34, 299792458.0, 9.1093837015e-31, 1.602176634e-19
    energy = e * voltage * 1e3
    return 1e10 * h * c / np.sqrt(energy * (2 * m * c * c + energy))


def ctf(fy, fx, apix, u, v, angle, voltage=300, cs=2.7, amplitude=0.1, phase=0, b=0):
    """At frequencies in cycles per pixel; defoci in A, angles in degrees; RELION's formula."""
    x, y = fx / apix, fy / apix
    s2 = x * x + y * y
    defocus = 0.5 * (u + v) + 0.5 * (u - v) * np.cos(2 * (np.arctan2(y, x) - np.radians(angle)))
    length = wavelength(voltage)
    chi = np.pi * length * defocus * s2 - 0.5 * np.pi * cs * 1e7 * length ** 3 * s2 * s2
    chi += np.radians(phase) + np.arctan(amplitude / np.sqrt(1 - amplitude ** 2))
    return np.sin(chi) * np.exp(-b / 4 * s2)


def half(shape, *parameters, **more):
    """Of the half transform."""
    return ctf(np.fft.fftfreq(shape[0])[:, None], np.abs(np.fft.rfftfreq(shape[1])), *parameters, **more)


def filtered(image, by):
    return np.fft.irfft2(np.fft.rfft2(image.astype('f8')) * by, image.shape)


def rows(*arguments):
    result = tessera('ctf', 'sim', *arguments, '--tsv')
    if not check(result.code == 0, 'it runs', result):
        return None, None
    lines = [line.split('\t') for line in result.out.splitlines()]
    return lines[0], np.array([[float(v) for v in line] for line in lines[1:]])


def star(name, labels, values, optics=None):
    """A STAR file as RELION writes it: one table, and one of optics groups."""
    with open(name, 'w') as file:
        tables = ([('optics', *optics)] if optics else []) + [('particles', labels, values)]
        for table, columns, lines in tables:
            file.write(f'\ndata_{table}\n\nloop_\n' + ''.join(f'_{c} #{i}\n' for i, c in enumerate(columns, 1)))
            file.writelines(' '.join(str(v) for v in line) + '\n' for line in lines)


# ---- sim: curves ----
head, got = rows('--apix', 1.3, '--defocus', '1.6um,14000A', '--angle', 30, '--size', 100)
check(head == ['shell', '1/A', 'A', 'mean', 'u', 'v'], f'columns {head}')
f = np.arange(51) / 100
close(got[:, 1], f / 1.3, 'frequencies')
close(got[1:, 2], 1.3 / f[1:], 'resolutions')
close(got[:, 3], ctf(0, f, 1.3, 15000, 15000, 0), 'curve of the mean', 1e-9)
close(got[:, 4], ctf(0, f, 1.3, 16000, 16000, 0), 'curve of U', 1e-9)
close(got[:, 5], ctf(0, f, 1.3, 14000, 14000, 0), 'curve of V', 1e-9)
close(rows('--apix', 1.3, '--defocus', '1.5um', '--astigmatism', '100nm', '--angle', 30, '--size', 100)[1], got,
      'mean and half the difference', 1e-9)
_, got = rows('--apix', 1, '--defocus=-800nm', '--voltage', 200, '--cs', 2, '--amplitude', 0.07, '--phase-shift', 90,
              '--bfactor', 50, '--size', '40,31', '--form', 'squared')
want = ctf(0, np.arange(16) / 31, 1, -8000, -8000, 0, 200, 2, 0.07, 90, 50) ** 2
close(got[:, 3], want, 'over-focus, phase plate, B-factor', 1e-9)

# ---- sim: images ----
for layout in ('h', 'hc', 'f', 'fc'):
    out = run('ctf', 'sim', '--apix', 1.3, '--defocus', '1.6um,1.4um', '--angle', 30, '--size', '36,25', '--layout', layout)
    fy, fx = np.fft.fftfreq(25)[:, None], np.abs(np.fft.rfftfreq(36)) if layout[0] == 'h' else np.fft.fftfreq(36)
    want = ctf(fy, fx, 1.3, 16000, 14000, 30)
    if 'c' in layout:
        want = np.fft.fftshift(want, 0 if layout[0] == 'h' else (0, 1))
    equal(out, want, f'CTF in layout {layout}', 2e-6)
out = run('ctf', 'sim', '--apix', 1.3, '--defocus', '1.6um', '--size', 20, '--form', 'abs', '--layout', 'f')
equal(out, np.abs(ctf(np.fft.fftfreq(20)[:, None], np.fft.fftfreq(20), 1.3, 16000, 16000, 0)), '|CTF|', 2e-6)
result = tessera('ctf', 'sim', '--apix', 1.3, '--defocus', '1.6um,1.5um', '--plot', 'c.svg')
check(result.code == 0 and result.out == '' and open('c.svg').read().startswith(('<svg', '<?xml')), 'a plot', result)
fails(tessera('ctf', 'sim', '--apix', 1.3, '--defocus', '1.6um', '--plot', 'c.svg'), 2, 'c.svg')
check(len(json.loads(tessera('ctf', 'sim', '--apix', 1, '--defocus', '1um', '--size', 8, '--json').out)) == 5, 'JSON')

# ---- A CTF for all images ----
stack = write('s.mrcs', random.normal(size=(7, 33, 30)).astype('f4'), 2, stack=True)
image = write('x.mrc', random.normal(size=(40, 51)).astype('f4'), 1.5)
by = half((33, 30), 2, 12000, 11000, 20)
options = ('--defocus', '12000A,11000A', '--angle', 20)
equal(run('ctf', 'apply', 's.mrcs', *options), [filtered(i, by) for i in stack], 'apply', 1e-5)
equal(run('ctf', 'flip', 's.mrcs', *options), [filtered(i, np.sign(by)) for i in stack], 'flip', 1e-5)
equal(run('ctf', 'wiener', 's.mrcs', *options, '--snr', 4), [filtered(i, by / (by ** 2 + 0.25)) for i in stack], 'wiener', 1e-5)
equal(run('ctf', 'apply', 's.mrcs', *options, '--form', 'abs'), [filtered(i, np.abs(by)) for i in stack], 'abs', 1e-5)
equal(run('ctf', 'apply', 's.mrcs', *options, '--form', 'squared'), [filtered(i, by ** 2) for i in stack], 'squared', 1e-5)
by = half((40, 51), 1.5, 12000, 12000, 0, phase=60)
equal(run('ctf', 'fl', 'x.mrc', '--defocus', '1.2um', '--phase-shift', 60), filtered(image, np.sign(by)), 'an image', 1e-5)
np.save('d.npy', random.normal(size=(3, 1, 16, 18)))
by = half((16, 18), 1.5, 12000, 12000, 0)
equal(run('ctf', 'apply', 'd.npy', '--apix', 1.5, '--defocus', '1.2um', out='o.npy'),
      [[filtered(i[0], by)] for i in np.load('d.npy')], 'f64', 1e-12)

# ---- A CTF for each image, by STAR files ----
optics = (('rlnOpticsGroup', 'rlnVoltage', 'rlnSphericalAberration', 'rlnAmplitudeContrast', 'rlnImagePixelSize'),
          [(1, 300, 2.7, 0.1, 2.0), (2, 200, 2.0, 0.07, 1.7)])
labels = ('rlnImageName', 'rlnDefocusU', 'rlnDefocusV', 'rlnDefocusAngle', 'rlnPhaseShift', 'rlnOpticsGroup')
lines = [(f'{n}@s.mrcs', 10000 + 500 * n, 9500 + 400 * n, 10 * n, 3 * n, 1 + n % 2) for n in (3, 1, 7, 2, 5)]
star('p.star', labels, lines, optics)


def by_row(shape, line, apix=None):
    group = optics[1][line[5] - 1]
    return half(shape, apix or group[4], *line[1:4], voltage=group[1], cs=group[2], amplitude=group[3], phase=line[4])


wants = [filtered(stack[int(line[0].split('@')[0]) - 1], np.sign(by_row((33, 30), line))) for line in lines]
equal(run('ctf', 'flip', 'p.star', '--star', 'q.star', out='q.mrcs'), wants, 'rows and optics groups', 1e-5)
text = open('q.star').read()
check('000002@q.mrcs 10500 9900 10 3 2' in ' '.join(text.split()), 'rows for the new stack: ' + text)
equal(run('ctf', 'flip', 'p.star', '--slices', '1,3'), [wants[1], wants[3]], 'some rows', 1e-5)
want = [filtered(stack[int(line[0].split('@')[0]) - 1], np.sign(by_row((33, 30), line, 1.2))) for line in lines]
equal(run('ctf', 'flip', 'p.star', '--apix', 1.2), want, '--apix goes before the file', 1e-5)
want = [half((33, 30), optics[1][line[5] - 1][4], *line[1:4], phase=line[4], amplitude=optics[1][line[5] - 1][3],
             cs=2.5, voltage=100) for line in lines]
want = [filtered(stack[int(line[0].split('@')[0]) - 1], w) for line, w in zip(lines, want)]
equal(run('ctf', 'apply', 'p.star', '--cs', 2.5, '--voltage', 100), want, 'options go before the file', 1e-5)
_, got = rows('p.star', '--size', 10)
check(len(got) == 30 and list(got[::6, 0]) == [0, 1, 2, 3, 4], 'curves of each row')
got = run('ctf', 'sim', 'p.star', '--size', '30,33', '--layout', 'h')
equal(got, [by_row((33, 30), line) for line in lines], 'images of each row', 2e-6)
star('b.star', ('rlnImageName', 'rlnDefocusU', 'rlnVoltage', 'rlnSphericalAberration', 'rlnAmplitudeContrast',
                'rlnDetectorPixelSize', 'rlnMagnification', 'rlnCtfBfactor', 'rlnCtfScalefactor'),
     [('2@s.mrcs', 9000, 300, 2.7, 0.1, 5, 25000, 30, 0.8)])
equal(run('ctf', 'apply', 'b.star'), filtered(stack[1], 0.8 * half((33, 30), 2, 9000, 9000, 0, b=30)), 'RELION 3.0', 1e-5)

# ---- Beam tilt, in mrad: phases as RELION has them ----
def with_tilt(shape, apix, x, y, voltage=300, cs=2.7):
    wavelength = 12.2642598 / np.sqrt(voltage * 1e3 * (1 + voltage * 1e3 * 0.978475598e-6))
    fy, fx = np.fft.fftfreq(shape[0], apix)[:, None], np.fft.rfftfreq(shape[1], apix)
    return np.exp(-2j * np.pi * cs * 1e7 * wavelength ** 2 * (fx ** 2 + fy ** 2) * 1e-3 * (fx * x + fy * y))


tilts = ('rlnImageName', 'rlnDefocusU', 'rlnBeamTiltX', 'rlnBeamTiltY', 'rlnVoltage', 'rlnSphericalAberration',
         'rlnAmplitudeContrast', 'rlnImagePixelSize')
star('tilt.star', tilts, [(f'{n}@s.mrcs', 9000 + 500 * n, n - 3, 2 - n, 300, 2.7, 0.1, 2) for n in (1, 2, 4)])
factors = [(half((33, 30), 2, 9000 + 500 * n, 9000 + 500 * n, 0), with_tilt((33, 30), 2, n - 3, 2 - n)) for n in (1, 2, 4)]
for verb, by in (('apply', lambda c, t: c * t), ('flip', lambda c, t: np.sign(c) / t),
                 ('wiener', lambda c, t: c / t / (c * c + 0.1))):
    want = [filtered(stack[n - 1], by(*f)) for n, f in zip((1, 2, 4), factors)]
    equal(np.fft.rfft2(run('ctf', verb, 'tilt.star'))[..., :-1], np.fft.rfft2(want)[..., :-1], f'beam tilt, {verb}', 1e-4)
equal(run('ctf', 'sim', 'tilt.star', '--size', '30,33', '--layout', 'h'), [f[0] for f in factors], 'a real CTF', 2e-6)
star('zernike.star', ('rlnImageName', 'rlnDefocusU', 'rlnEvenZernike'), [('1@s.mrcs', 9000, '[0,1]')])
result = tessera('ctf', 'flip', 'zernike.star', *STEM, '-o', 'zernike.mrcs')
check(result.code == 0 and 'warning: zernike.star: _rlnEvenZernike is not used' in result.err, 'what is not used', result)

# ---- --ctf: the row of an image by its file ----
equal(run('ctf', 'flip', 's.mrcs', '--slices', '0,2,6', '--ctf', 'p.star'),
      [filtered(stack[n - 1], np.sign(by_row((33, 30), line, 2))) for n, line in ((1, lines[1]), (3, lines[0]), (7, lines[2]))],
      'numbered images', 1e-5)
star('m.star', ('rlnMicrographName', 'rlnDefocusU'), [('else.mrc', 9000), ('mics/x.mrc', 12000)])
by = half((40, 51), 1.5, 12000, 12000, 0)
equal(run('ctf', 'flip', 'x.mrc', '--ctf', 'm.star', *STEM), filtered(image, np.sign(by)), 'micrographs', 1e-5)
star('one.star', ('rlnMicrographName', 'rlnDefocusU'), [('else.mrc', 12000)])
equal(run('ctf', 'flip', 'x.mrc', '--ctf', 'one.star', *STEM), filtered(image, np.sign(by)), 'the only row', 1e-5)
result = tessera('ctf', 'flip', 'x.mrc', 's.mrcs', '--ctf', 'one.star', *STEM, '-o', '{name}_f.mrc')
equal(read('x_f.mrc'), filtered(image, np.sign(by)), 'many inputs', 1e-5)

# ---- RELION: its wavelength has fewer digits, and its Nyquist row is at +1/2 where that of NumPy and ours is at -1/2 ----
if shutil.which('relion_ctf_toolbox'):
    subprocess.run('relion_ctf_toolbox --simulate r.mrc --angpix 1.3 --box 64 --defU 16000 --defV 14000 --defAng 30 '
                   '--phase_shift 40', shell=True, capture_output=True, check=True)
    got = run('ctf', 'sim', '--apix', 1.3, '--defocus', '16000A,14000A', '--angle', 30, '--phase-shift', 40, '--size', 64)
    equal(got, read('r.mrc'), 'the CTF of RELION', 3e-3)
    images = write('t.mrcs', random.normal(size=(4, 64, 64)).astype('f4'), 2, stack=True)
    star('t.star', labels, [(f'{n}@t.mrcs', *line[1:]) for n, line in zip(range(1, 5), lines)],
         (('rlnOpticsGroupName', *optics[0], 'rlnImageSize', 'rlnImageDimensionality'),
          [(f'o{group[0]}', *group, 64, 2) for group in optics[1]]))
    subprocess.run('relion_ctf_toolbox --i t.star --o relion', shell=True, capture_output=True, check=True)
    ours, theirs = (np.fft.rfft2(a) for a in (run('ctf', 'apply', 't.star'), read('t_relion.mrcs')))
    equal(np.delete(ours, 32, 1), np.delete(theirs, 32, 1), 'images times the CTF of RELION', 3e-3)
else:
    skip('the CTF of RELION', 'it is not installed')

# ---- What is wrong ----
fails(tessera('ctf', 'what'), 2, 'unknown sub-command "what"', 'sim, apply, flip, wiener')
fails(tessera('ctf', 'sim', '--apix', 1, '--defocus', '1.5'), 2, '--defocus is "1.5"', 'A, nm or um')
fails(tessera('ctf', 'sim', '--apix', 1, '--defocus', '1um,2um,3um'), 2, '--defocus is "1um,2um,3um"', 'two')
fails(tessera('ctf', 'sim', '--apix', 1, '--defocus', '1um,2um', '--astigmatism', '1um'), 2, '--astigmatism')
fails(tessera('ctf', 'sim', '--apix', 1, '--defocus', '1um', '--astigmatism', '1'), 2, '--astigmatism', 'A, nm or um')
fails(tessera('ctf', 'sim', 'p.star', '--angle', 3), 2, '--angle requires --defocus')
fails(tessera('ctf', 'sim', '--apix', 1), 2, 'the defocus is missing')
fails(tessera('ctf', 'sim', '--defocus', '1um'), 2, '--apix')
for option, value in (('voltage', -1), ('amplitude', 1), ('cs', 'nan'), ('bfactor', 'inf'), ('size', 1)):
    fails(tessera('ctf', 'sim', '--apix', 1, '--defocus', '1um', f'--{option}={value}'), 2, f'--{option} is {value}')
fails(tessera('ctf', 'flip', 'x.mrc', '-o', 'n.mrc'), 2, 'x.mrc has no CTF parameters', '--defocus')
fails(tessera('ctf', 'wiener', 'x.mrc', '--defocus', '1um', '--snr', 0, '-o', 'n.mrc'), 2, '--snr is 0')
fails(tessera('ctf', 'flip', 'd.npy', '--defocus', '1um', '-o', 'n.mrc'), 2, 'd.npy', '--apix')
fails(tessera('ctf', 'flip', 'x.mrc', '--ctf', 'p.star', '-o', 'n.mrc'), 2, 'p.star: no row for image 1 of x.mrc')
fails(tessera('ctf', 'flip', 's.mrcs', '--ctf', 'p.star', '-o', 'n.mrc'), 2, 'no row for image 4 of s.mrcs')
fails(tessera('ctf', 'flip', 'p.star', '--ctf', 'p.star', '-o', 'n.mrc'), 2, '--ctf applies to image files only')
fails(tessera('ctf', 'flip', 'x.mrc', '--defocus', '1um', '--star', 'n.star', '-o', 'n.mrc'), 2, 'not a STAR file')
fails(tessera('ctf', 'flip', 'x.mrc', '--ctf', 'one.star', '-o', 'n.mrc'), 3, 'one.star', '_rlnVoltage', '--voltage')
star('no.star', ('rlnImageName', 'rlnVoltage'), [('1@s.mrcs', 300)])
fails(tessera('ctf', 'flip', 'no.star', *STEM, '-o', 'n.mrc'), 3, 'no.star', '_rlnDefocusU', '--defocus')
star('nan.star', ('rlnImageName', 'rlnDefocusU'), [('1@s.mrcs', 9000), ('2@s.mrcs', 'nan')])
fails(tessera('ctf', 'flip', 'nan.star', *STEM, '-o', 'n.mrc'), 3, 'nan.star: row 2')
star('word.star', ('rlnImageName', 'rlnDefocusU'), [('1@s.mrcs', 'deep')])
fails(tessera('ctf', 'flip', 'word.star', *STEM, '-o', 'n.mrc'), 3, 'word.star', 'deep')
star('group.star', labels, [('1@s.mrcs', 9000, 9000, 0, 0, 3)], optics)
fails(tessera('ctf', 'flip', 'group.star', '-o', 'n.mrc'), 3, 'group.star', 'optics group 3 is not')
star('mixed.star', ('rlnImageName', 'rlnDefocusU'), [('1@s.mrcs', 9000), ('1@x.mrc', 9000)])
fails(tessera('ctf', 'flip', 'mixed.star', *STEM, '-o', 'n.mrc'), 2, '51 x 40', '30 x 33')
fails(tessera('ctf', 'sim', 'one.star', *STEM), 2, 'one.star', '--apix')
write('v.mrc', random.normal(size=(8, 8, 8)).astype('f4'))
fails(tessera('ctf', 'flip', 'v.mrc', '--as', 'volume', '--defocus', '1um', '-o', 'n.mrc'), 2, 'images', '--as stack')
np.save('c.npy', np.ones((8, 8), 'c8'))
fails(tessera('ctf', 'flip', 'c.npy', '--apix', 1, '--defocus', '1um', '-o', 'n.mrc'), 2, 'complex')
check(not os.path.exists('n.mrc') and not os.path.exists('n.star'), 'nothing is left behind')
finish()
