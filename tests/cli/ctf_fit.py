"""tessera ctf fit: micrographs that NumPy simulates, with known defoci; tables, STAR files and pictures."""
import json
import os
import sys

import numpy as np

from command import check, fails, finish, tessera
from images import WAYS, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'support'))
import png  # noqa: E402

WAVELENGTH = {300: 0.0196874888, 200: 0.0250793405}  # in A


def ctf(fy, fx, apix, u, v, angle, voltage=300, cs=2.7, amplitude=0.1, phase=0, b=0):
    """At frequencies in cycles per pixel; defoci in A, angles in degrees; RELION's formula."""
    s2 = (fx * fx + fy * fy) / apix ** 2
    defocus = 0.5 * (u + v) + 0.5 * (u - v) * np.cos(2 * (np.arctan2(fy, fx) - np.radians(angle)))
    length = WAVELENGTH[voltage]
    chi = np.pi * length * defocus * s2 - 0.5 * np.pi * cs * 1e7 * length ** 3 * s2 * s2
    return np.sin(chi + np.radians(phase) + np.arcsin(amplitude)) * np.exp(-b / 4 * s2)


def structure(shape, seed, *parameters, **more):
    """White structure behind a CTF, of standard deviation 1."""
    white = np.random.default_rng(seed).normal(size=shape)
    by = ctf(np.fft.fftfreq(shape[0])[:, None], np.fft.rfftfreq(shape[1]), *parameters, **more)
    image = np.fft.irfft2(np.fft.rfft2(white) * by, shape)
    return image / image.std()


def noisy(image, snr, seed):
    return (np.sqrt(snr) * image + np.random.default_rng(seed).normal(size=image.shape)).astype('f4')


def simulate(name, size, seed, snr, apix, *parameters, **more):
    write(name, noisy(structure((size, size), seed, apix, *parameters, **more), snr, seed + 100), apix)


def table(*arguments):
    result = tessera('ctf', 'fit', *arguments, '--json')
    return json.loads(result.out) if check(result.code == 0, 'it runs', result) else []


def star_rows(name, block):
    """Rows of a table as dicts, by plain reading."""
    lines = open(name).read().split(f'data_{block}\n', 1)[1].split('data_')[0].split('\n')
    labels = [line.split()[0] for line in lines if line.startswith('_')]
    return [dict(zip(labels, line.split())) for line in lines if line.strip() and line[0] not in '_#' and line != 'loop_']


def near(row, u, v, angle, what, defocus_off=100, angle_off=2):
    off = abs((row['angle'] - angle + 90) % 180 - 90)
    return check(abs(row['defocus_u'] - u) < defocus_off and abs(row['defocus_v'] - v) < defocus_off and off < angle_off,
                 f'{what}: {row}')


# ---- Known defoci, at several ratios of signal and noise (of variances over the image) ----
simulate('a.mrc', 1536, 1, 0.5, 1.3, 16000, 15000, 30, b=60)
simulate('b.mrc', 1536, 2, 0.1, 1.1, 12000, 11000, -50, b=80)
simulate('c.mrc', 1536, 3, 1.0, 1.5, 25000, 24000, 80, voltage=200, cs=2.0, amplitude=0.07, b=60)
simulate('p.mrc', 1536, 4, 1.0, 1.3, 9000, 8200, 10, phase=60, b=60)
rows = table('a.mrc', 'b.mrc', '-o', 'f.star', '--plot', '{name}_ctf.png')
near(rows[0], 16000, 15000, 30, 'ratio 0.5')
near(rows[1], 12000, 11000, -50, 'ratio 0.1')
for row, (u, v) in zip(rows, ((16000, 15000), (12000, 11000))):
    check(0.2 < row['score'] < 1 and 2.2 <= row['resolution'] < 5, f'score and resolution: {row}')
    check(0 < row['defocus_error'] < 50 and 0 < row['astigmatism_error'] < 100 and 0 < row['angle_error'] < 3, f'errors: {row}')
    mean = 0.5 * (row['defocus_u'] + row['defocus_v'])
    check(abs(mean - 0.5 * (u + v)) < 6 * row['defocus_error'], f'the mean is within its error: {row}')
row, = table('c.mrc', '--voltage', 200, '--cs', 2, '--amplitude', 0.07)
near(row, 25000, 24000, 80, '200 kV')
row, = table('p.mrc', '--phase-range', '0,120', '--max-defocus', '2um')
near(row, 9000, 8200, 10, 'a phase plate', 200)
check(abs(row['phase_shift'] - 60) < 8 and row['phase_shift_error'] > 0, f'phase shift: {row}')
near(table('p.mrc', '--phase-shift', 60)[0], 9000, 8200, 10, 'a phase shift that is known')
row, = table('a.mrc', '--max-astigmatism', '0A')
check(row['defocus_u'] == row['defocus_v'] and abs(row['defocus_u'] - 15500) < 100, f'isotropic: {row}')
near(table('a.mrc', '--low', 20, '--high', 4, '--tile', 384, '--min-defocus', '8000A', '--max-defocus', '2um',
           '--tolerated-astigmatism', '0A')[0], 16000, 15000, 30, 'ranges')

# ---- The STAR file ----
groups, got = star_rows('f.star', 'optics'), star_rows('f.star', 'micrographs')
check([float(g['_rlnMicrographPixelSize']) for g in groups] == [1.3, 1.1] and groups[0]['_rlnVoltage'] == '300', 'optics groups')
for row, fit, name, group in zip(got, rows, ('a.mrc', 'b.mrc'), '12'):
    check(row['_rlnMicrographName'] == name and row['_rlnOpticsGroup'] == group, f'names: {row}')
    for label, key in (('_rlnDefocusU', 'defocus_u'), ('_rlnDefocusV', 'defocus_v'), ('_rlnDefocusAngle', 'angle'),
                       ('_rlnCtfFigureOfMerit', 'score'), ('_rlnCtfMaxResolution', 'resolution'),
                       ('_tessDefocusError', 'defocus_error'), ('_tessAstigmatismError', 'astigmatism_error'),
                       ('_tessDefocusAngleError', 'angle_error')):
        check(float(row[label]) == fit[key], f'{label} is {row[label]}, not {fit[key]}')
    check(abs(float(row['_rlnCtfAstigmatism']) - fit['defocus_u'] + fit['defocus_v']) < 0.02, 'astigmatism')
result = tessera('ctf', 'flip', 'a.mrc', '--ctf', 'f.star', '-o', 'flipped.mrc')
check(result.code == 0, 'phases are flipped by the fit', result)

# ---- From a STAR file: its tables go on ----
with open('m.star', 'w') as file:
    file.write('# of a project\n\ndata_optics\n\nloop_\n_rlnOpticsGroup\n_rlnVoltage\n_rlnSphericalAberration\n'
               '_rlnAmplitudeContrast\n_rlnMicrographPixelSize\n1 300 2.7 0.1 1.3\n2 200 2.0 0.07 1.5\n\n'
               'data_micrographs\n\nloop_\n_rlnMicrographName\n_rlnOpticsGroup\n_rlnBeamTiltClass\n'
               'a.mrc 1 7\nc.mrc 2 8\n')
both = table('m.star', '-o', 'm2.star')
near(both[0], 16000, 15000, 30, 'optics group 1')
near(both[1], 25000, 24000, 80, 'optics group 2')
got = star_rows('m2.star', 'micrographs')
check([row['_rlnBeamTiltClass'] for row in got] == ['7', '8'] and '# of a project' in open('m2.star').read(), 'what was there')
check([float(row['_rlnDefocusU']) for row in got] == [row['defocus_u'] for row in both], 'what is new')
check([row['micrograph'] for row in table('m.star', '--slices', 1)] == ['c.mrc'], 'some rows')
table('m.star', '--cs', 2.6, '-o', 'm3.star')
check([row['_rlnSphericalAberration'] for row in star_rows('m3.star', 'optics')] == ['2.6', '2.6'], 'options are written')

# ---- Stacks and movies ----
still = structure((768, 768), 5, 1.3, 14000, 13500, 70, b=50)
frames = np.array([noisy(still, 0.2, 200 + i) for i in range(6)])
write('movie.mrcs', frames, 1.3, stack=True)
one, = table('movie.mrcs', '--movie')
near(one, 14000, 13500, 70, 'frames of a movie', 100, 4)
single = table('movie.mrcs', '--slices', '0,4')
check([row['micrograph'] for row in single] == ['000001@movie.mrcs', '000005@movie.mrcs'], 'images of a stack')
check(one['score'] > max(row['score'] for row in single), 'more frames, a better score')
added, = table('movie.mrcs', '--movie', '--frames', 4)
check(added['score'] > one['score'], f'frames are added up: {added}')
near(added, 14000, 13500, 70, 'groups of frames', 100, 3)
tessera('ctf', 'fit', 'movie.mrcs', '--slices', '1,2', '--plot', '{name}.svg', '-o', 's.star')
check(open('movie_000002.svg').read().startswith(('<svg', '<?xml')) and os.path.exists('movie_000003.svg'), 'curves as SVG')
check([row['_rlnMicrographName'] for row in star_rows('s.star', 'micrographs')] == ['000002@movie.mrcs', '000003@movie.mrcs'],
      'names in a stack')
write('small.mrcs', frames[:, :400, :420], 1.3, stack=True)
first = None
for slab, *way in WAYS:
    for arguments in (('--movie', '--frames', 2), ()):
        result = tessera('ctf', 'fit', 'small.mrcs', '--tile', 256, '--tsv', *arguments, *way, environment={'TESS_SLAB': slab})
        check(result.code == 0, 'it runs', result)
        first = {**{arguments: result.out}, **(first or {})}
        check(result.out == first[arguments], f'the same with {slab} {way}', result)

# ---- The picture: CTF^2 of the fit on its right half, and rings like it on its left ----
picture = png.read('a_ctf.png')[56:696, 24:664, 0].astype(float)
reach = 1.2 * max(1.3 / 5, 1.3 / rows[0]['resolution'])
fx = (np.arange(640) + 0.5 - 320) * 2 * min(reach, 0.5) / 640
want = ctf(-fx[:, None], fx[None], 1.3, rows[0]['defocus_u'], rows[0]['defocus_v'], rows[0]['angle']) ** 2
radius = np.hypot(fx[:, None], fx[None])
band = (radius > 0.05) & (radius < 1.3 / 6)
right = band & (fx > 0.004) & (np.abs(fx[:, None]) < 0.35)
left = band & (fx < -0.004)
check(np.corrcoef(picture[right], want[right])[0, 1] > 0.97, f'the fit: {np.corrcoef(picture[right], want[right])[0, 1]}')
check(np.corrcoef(picture[left], want[left])[0, 1] > 0.6, f'what was measured: {np.corrcoef(picture[left], want[left])[0, 1]}')

# ---- What has no rings, and what is wrong ----
write('flat.mrc', np.ones((600, 600), 'f4'), 1.3)
broken = noisy(still, 0.2, 7)
broken[5, 5] = np.nan
write('nan.mrc', broken, 1.3)
result = tessera('ctf', 'fit', 'flat.mrc', 'nan.mrc', 'a.mrc', '-o', 'w.star', '--json')
check(result.code == 0 and 'flat.mrc: no Thon rings were found' in result.err, 'no rings', result)
check([row['defocus_u'] is None for row in json.loads(result.out)] == [True, True, False], 'rows without a fit', result)
check([row['_rlnMicrographName'] for row in star_rows('w.star', 'micrographs')] == ['a.mrc'], 'are left out of the STAR file')
fails(tessera('ctf', 'fit', 'flat.mrc', '-o', 'n.star'), 3, 'none of 1 micrographs')
fails(tessera('ctf', 'fit', 'a.mrc', '-o', 'n.mrc'), 2, '-o is n.mrc', '.star')
fails(tessera('ctf', 'fit', 'a.mrc', '-o', 'f.star'), 2, 'f.star')
fails(tessera('ctf', 'fit', 'a.mrc', 'b.mrc', '--plot', 'n.png'), 2, '2 micrographs', '{name}')
fails(tessera('ctf', 'fit', 'a.mrc', 'b.mrc', '--plot', '{name}_ctf.png'), 2, 'a_ctf.png')
fails(tessera('ctf', 'fit', 'a.mrc', './a.mrc', '--plot', '{name}.png'), 2, 'would both be a.png')
fails(tessera('ctf', 'fit', 'a.mrc', 'm.star'), 2, 'm.star is a STAR file among 2 inputs')
fails(tessera('ctf', 'fit', 'a.mrc', '--tile', 2048), 2, '1536 x 1536', '--tile')
for option, value in (('tile', 63), ('frames', 0), ('max-astigmatism', '-1A'), ('tolerated-astigmatism', '-1A')):
    fails(tessera('ctf', 'fit', 'a.mrc', '--movie', f'--{option}={value}'), 2, f'--{option} is {value}')
fails(tessera('ctf', 'fit', 'a.mrc', '--frames', 2), 2, '--frames requires --movie')
fails(tessera('ctf', 'fit', 'a.mrc', '--max-defocus', '3'), 2, '--max-defocus is "3"', 'A, nm or um')
fails(tessera('ctf', 'fit', 'a.mrc', '--min-defocus', '3um', '--max-defocus', '2um'), 2, '--max-defocus (2 um) must exceed --min-defocus (3 um)')
fails(tessera('ctf', 'fit', 'a.mrc', '--phase-range', '90'), 2, '--phase-range is "90"', '0,180')
fails(tessera('ctf', 'fit', 'a.mrc', '--phase-range', '90,20'), 2, '--phase-range is "90,20"')
fails(tessera('ctf', 'fit', 'a.mrc', '--phase-range', '0,90', '--phase-shift', 3), 2, 'give only one')
fails(tessera('ctf', 'fit', 'a.mrc', '--low', 4, '--high', 8), 2, '--low must be coarser than --high')
write('unknown.mrc', np.ones((600, 600), 'f4'), 0)
fails(tessera('ctf', 'fit', 'unknown.mrc'), 2, 'unknown.mrc', '--apix')
np.save('c.npy', np.ones((600, 600), 'c8'))
fails(tessera('ctf', 'fit', 'c.npy', '--apix', 1), 2, 'complex')
fails(tessera('ctf', 'fit', 'no.mrc'), 3, 'no.mrc')
fails(tessera('ctf', 'fit', 'a.mrc', '--mem', '12M'), 4, 'an image of 1536 x 1536', '--mem')
fails(tessera('ctf', 'fit', '-'), 2, 'standard input')
for name, text, parts in (('x1', '_rlnDefocusU\n1\n', ['no table', '_rlnMicrographName']),
                          ('x2', '_rlnMicrographName\na.mrc\n', ['_rlnVoltage', '--voltage']),
                          ('x3', '_rlnMicrographName\nnone.mrc\n', ['none.mrc', '--root'])):
    open(f'{name}.star', 'w').write(f'data_micrographs\n\nloop_\n{text}')
    fails(tessera('ctf', 'fit', f'{name}.star'), 3, f'{name}.star', *parts)
open('cut.mrc', 'wb').write(open('a.mrc', 'rb').read()[:200000])
result = tessera('ctf', 'fit', 'a.mrc', 'cut.mrc', '-o', 'n.star')
check(result.code == 3 and 'cut.mrc' in result.err and not os.path.exists('n.star'), 'a file that is cut short', result)
check(not any(name.startswith(('n.', '.')) for name in os.listdir('.')), f'nothing is left behind: {os.listdir(".")}')
finish()
