"""tessera simulate against atoms and their projections in NumPy: Gaussians have projections that are known."""
import os

import numpy as np
from scipy import ndimage

from command import check, fails, finish, left, tessera
from images import data_bytes, equal, facts, random, read, run, write

SIGMA = 1.2
BOX = 40


def table(name, block):
    """A table of a STAR file: {label: column}; single pairs have columns of one."""
    lines, columns, rows = iter(open(name).read().split(f'data_{block}\n')[1].split('\ndata_')[0].splitlines()), [], []
    for line in lines:
        words = line.split()
        if line.startswith('_'):
            columns.append(words[0][1:])
            if len(words) == 2 and not words[1].startswith('#'):
                rows = [rows[0] + [words[1]]] if rows else [[words[1]]]
        elif words and words[0] != 'loop_':
            rows.append(words)
    return {label: [row[i] for row in rows] for i, label in enumerate(columns)}


def numbers(columns, *labels):
    return np.array([[float(v) for v in columns[label]] for label in labels]).T


def relion_matrix(rot, tilt, psi):
    """A = Z(psi) Y(tilt) Z(rot) on x, y, z: from the map to the image."""
    def z(a):
        return np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])
    b = np.radians(tilt)
    y = np.array([[np.cos(b), 0, -np.sin(b)], [0, 1, 0], [np.sin(b), 0, np.cos(b)]])
    return z(np.radians(psi)) @ y @ z(np.radians(rot))


def projection(shape, atoms, angles, place):
    """Atoms x, y, z about the origin, turned, projected along z and moved to `place` x, y."""
    at = (relion_matrix(*angles) @ atoms.T).T[:, :2] + place
    y, x = np.arange(shape[0])[:, None], np.arange(shape[1])
    gy, gx = (np.exp(-0.5 * ((n - at[:, i].reshape(-1, 1, 1)) / SIGMA) ** 2) for n, i in ((y, 1), (x, 0)))
    return np.sqrt(2 * np.pi) * SIGMA * (gy * gx).sum(0)


def ctf(shape, apix, u, v, angle, voltage=300, cs=2.7, amplitude=0.1, b=0):
    fy, fx = np.fft.fftfreq(shape[0])[:, None] / apix, np.fft.rfftfreq(shape[1]) / apix
    s2 = fx * fx + fy * fy
    length = 12.2642598 / np.sqrt(voltage * 1e3 * (1 + 0.978475598e-6 * voltage * 1e3))
    defocus = 0.5 * (u + v) + 0.5 * (u - v) * np.cos(2 * (np.arctan2(fy, fx) - np.radians(angle)))
    chi = np.pi * length * defocus * s2 - 0.5 * np.pi * cs * 1e7 * length ** 3 * s2 * s2
    return np.sin(chi + np.arctan(amplitude / np.sqrt(1 - amplitude ** 2))) * np.exp(-b / 4 * s2)


def filtered(image, by):
    return np.fft.irfft2(np.fft.rfft2(image) * by, image.shape)


# ---- atoms ----
ATOMS = ('simulate', 'atoms', '--box', BOX, '--atoms', 90, '--radius', 11, '--sigma', SIGMA, '--apix', 1.5, '--seed', 4)
map_ = run(*ATOMS, '--star', 'atoms.star', out='map.mrc')
places = numbers(table('atoms.star', 'atoms'), 'rlnCoordinateX', 'rlnCoordinateY', 'rlnCoordinateZ')
axes = [np.exp(-0.5 * ((np.arange(BOX) - places[:, i, None]) / SIGMA) ** 2) for i in range(3)]
equal(map_, np.einsum('nz,ny,nx->zyx', axes[2], axes[1], axes[0]), 'the map is a sum of Gaussians', 1e-5)
atoms = places - BOX // 2
check(len(atoms) == 90 and np.abs(atoms.mean(0)).max() < 1e-9, 'as many atoms as asked for, about n/2')
check(abs(np.linalg.norm(atoms, axis=1).max() - 11) < 1e-9, 'the farthest one lies at the radius')
apart = np.linalg.norm(atoms[:, None] - atoms, axis=2) + 1e9 * np.eye(90)
check(apart.min() > 0.5 * 11 * 90 ** (-1 / 3), 'atoms keep a distance')
for turned in (map_[::-1, ::-1], map_[::-1, :, ::-1], map_[:, ::-1, ::-1], map_[::-1], map_[:, ::-1], map_[:, :, ::-1]):
    check(np.corrcoef(map_[1:, 1:, 1:].ravel(), np.roll(turned, 1, (0, 1, 2))[1:, 1:, 1:].ravel())[0, 1] < 0.9,
          'it has no symmetry')
size, _, _, is_stack = facts('map.mrc')
check(np.allclose(size, 1.5) and not is_stack, 'a volume with its pixel size')
check(not np.array_equal(run('simulate', 'atoms', '--seed', 1), run('simulate', 'atoms', '--seed', 2)), 'another seed')
check(run('simulate', 'atoms', '--radius', '30A', '--apix', 2).shape == (64, 64, 64), 'lengths in A, and the box')

for option, value, says in (('box', 4, '8 to 4096'), ('atoms', 0, '1 to 10000'), ('radius', 33, 'half the box'),
                            ('sigma', 0, '0.1 to'), ('star', 'x.txt', 'must end with .star')):
    fails(tessera('simulate', 'atoms', f'--{option}', value, '-o', 'no.mrc'), 2, f'--{option}', says)
fails(tessera('simulate', 'atoms', '--radius', '5A', '-o', 'no.mrc'), 2, '--apix')
fails(tessera('simulate', 'atoms'), 2, '-o')
fails(tessera('simulate'), 2, 'simulate', 'atoms|particles|movie')
fails(tessera('simulate', 'sphere', '-o', 'no.mrc'), 2, 'atoms', 'particles', 'movie')

# ---- particles ----
VIEWS = ('simulate', 'particles', 'map.mrc', '--count', 24, '--micrographs', 3, '--seed', 6, '--shift', '3A',
         '--astigmatism', '0.1um', '--amplitude', 0.07, '--bfactor', 40, '--star', 'views.star')
clean = run(*VIEWS, '--no-noise', out='views.mrcs')
rows, optics = table('views.star', 'particles'), table('views.star', 'optics')
angles = numbers(rows, 'rlnAngleRot', 'rlnAngleTilt', 'rlnAnglePsi')
origins = numbers(rows, 'rlnOriginXAngst', 'rlnOriginYAngst') / 1.5
defoci = numbers(rows, 'rlnDefocusU', 'rlnDefocusV', 'rlnDefocusAngle')
want = np.array([filtered(projection((BOX, BOX), atoms, a, BOX // 2 - o), ctf((BOX, BOX), 1.5, *d, amplitude=0.07, b=40))
                 for a, o, d in zip(angles, origins, defoci)])
equal(clean, want, 'projections, moved, with their CTFs', 0.02)
check((clean - want).std() < 0.003 * np.abs(want).max(), 'and on the whole better than that')
check(rows['rlnImageName'] == [f'{i:06d}@views.mrcs' for i in range(1, 25)], 'names of images')
check(rows['rlnRandomSubset'] == ['1', '2'] * 12 and set(rows['rlnOpticsGroup']) == {'1'}, 'halves and optics group')
check(rows['rlnMicrographName'] == [f'micrograph{i:06d}.mrc' for i in (1, 2, 3) for _ in range(8)], 'micrographs')
check(len({tuple(d) for d in defoci}) == 3 and set(rows['rlnCtfBfactor']) == {'40'}, 'a defocus for each micrograph')
check(((defoci[:, :2].mean(1) >= 1e4) & (defoci[:, :2].mean(1) <= 2e4)).all(), 'in the range')
check(((defoci[:, 0] >= defoci[:, 1]) & (defoci[:, 0] - defoci[:, 1] <= 2000)).all(), 'U is the larger')
for label, value in (('rlnVoltage', 300), ('rlnSphericalAberration', 2.7), ('rlnAmplitudeContrast', 0.07),
                     ('rlnImagePixelSize', 1.5), ('rlnImageSize', BOX), ('rlnImageDimensionality', 2)):
    check(float(optics[label][0]) == value, f'optics: {label}')
size, _, _, is_stack = facts('views.mrcs')
check(is_stack and np.allclose(size[:2], 1.5), 'a stack with its pixel size')
noisy = run(*VIEWS, '--snr', 0.25, '-f', out='views.mrcs')
noise = noisy - clean
check(abs(noise.var() / (clean.var(axis=(1, 2)).mean() / 0.25) - 1) < 0.05 and abs(noise.mean()) < 0.05, 'noise by --snr')
check(abs(np.corrcoef(noise.reshape(24, -1)) - np.eye(24)).max() < 0.15, 'each image has noise of its own')
spread = numbers(table('views.star', 'particles'), 'rlnOriginXAngst', 'rlnOriginYAngst')
check(1.5 < spread.std() < 4.5, 'shifts are as large as asked for')
plain = run('simulate', 'particles', 'map.mrc', '--count', 3, '--no-noise', '--no-ctf', '--shift', 0, '--star', 'plain.star')
rows = table('plain.star', 'particles')
check('rlnDefocusU' not in rows and set(rows['rlnOriginXAngst']) == {'0'}, 'no CTF in the STAR file', rows)
angles = numbers(rows, 'rlnAngleRot', 'rlnAngleTilt', 'rlnAnglePsi')
equal(plain, np.array([projection((BOX, BOX), atoms, a, (BOX // 2,) * 2) for a in angles]), 'projections alone', 0.02)
many = tessera('simulate', 'particles', 'map.mrc', '--count', 3000, '--no-noise', '-o', 'many.mrcs', '--star', 'many.star')
angles = numbers(table('many.star', 'particles'), 'rlnAngleRot', 'rlnAngleTilt', 'rlnAnglePsi')
check(many.code == 0 and abs(np.cos(np.radians(angles[:, 1])).mean()) < 0.05 and
      abs((np.cos(np.radians(angles[:, 1])) ** 2).mean() - 1 / 3) < 0.03, 'orientations are evenly distributed', many)

write('flat.mrc', np.zeros((16, 16, 16), np.float32))
write('brick.mrc', random.normal(size=(16, 16, 12)).astype(np.float32))
write('unknown.mrc', random.normal(size=(16, 16, 16)).astype(np.float32), apix=0)
bad = ('simulate', 'particles', 'map.mrc', '-o', 'no.mrcs', '--star', 'no.star')
for option, value, says in (('count', 0, '1 to 10000000'), ('snr', 0, 'above 0'), ('micrographs', 0, '1 to 10000000'),
                            ('shift', 41, '0 to 40, the side of the box'), ('min-defocus', '3um', '--max-defocus'),
                            ('astigmatism', '-1A', '0 or more'), ('voltage', 0, 'above 0'), ('amplitude', 1, '0 to 0.99'),
                            ('min-defocus', '1.5', '1.5')):
    fails(tessera(*bad, f'--{option}', value), 2, f'--{option}', says)
fails(tessera(*bad, '--snr', 1, '--no-noise'), 2, '--snr', '--no-noise')
fails(tessera(*bad[:5]), 2, '--star is required')
fails(tessera(*bad[:6], 'views.star'), 2, 'views.star', 'exists already')
fails(tessera(*bad[:6], 'views.txt'), 2, '--star', 'must end with .star')
fails(tessera(*bad[:2], 'flat.mrc', *bad[3:]), 2, 'flat.mrc', 'variance 0')
fails(tessera(*bad[:2], 'brick.mrc', *bad[3:]), 2, 'brick.mrc', '{1,16,16,12}', 'cubic map')
fails(tessera(*bad[:2], 'unknown.mrc', *bad[3:]), 2, 'unknown.mrc', '--apix')
fails(tessera(*bad[:2], 'views.mrcs', *bad[3:]), 2, 'views.mrcs', 'a volume is needed')
fails(tessera(*bad[:2], 'none.mrc', *bad[3:]), 3, 'none.mrc')
result = tessera(*bad, '--dry-run')
check(result.code == 0 and 'would write no.mrcs' in result.out and not os.path.exists('no.star'), '--dry-run', result)
fails(tessera(*bad, '--dry-run', '--shift', 41), 2, '--shift', 'side of the box')  # a dry run looks at all options

# ---- movie ----
MOVIE = ('simulate', 'movie', 'map.mrc', '--size', '150,140', '--frames', 5, '--count', 4, '--defocus', '1.6um,1.45um',
         '--angle', 25, '--dose', 2, '--contrast', 0.04, '--seed', 8, '--star', 'movie.star')
DRIFT = ('--drift', '3A')
expected = run(*MOVIE, *DRIFT, '--noise', 'none', '--ice', 0, out='movie.mrcs')
general, rows = table('movie.star', 'general'), table('movie.star', 'particles')
drift = -numbers(table('movie.star', 'global_shift'), 'rlnMicrographShiftX', 'rlnMicrographShiftY')
angles = numbers(rows, 'rlnAngleRot', 'rlnAngleTilt', 'rlnAnglePsi')
centres = numbers(rows, 'rlnCoordinateX', 'rlnCoordinateY')
shape = (140, 150)
scale = np.mean([projection((BOX, BOX), atoms, a, BOX // 2 + c % 1).var() for a, c in zip(angles, centres)]) ** 0.5
specimen = sum(projection(shape, atoms, a, c) for a, c in zip(angles, centres))
fy, fx = np.fft.fftfreq(shape[0])[:, None], np.fft.rfftfreq(shape[1])
k = np.hypot(fy, fx) / 1.5
k[0, 0] = 1
critical = 0.245 * k ** -1.665 + 2.81
critical[0, 0] = np.inf


def frame(i, damage=True):
    by = ctf(shape, 1.5, 16000, 14500, 25) * np.exp(-2j * np.pi * (fy * drift[i, 1] + fx * drift[i, 0]))
    if damage:
        by = by * np.exp(-2 * (i + 0.5) / (2 * critical))
    return 2 * 1.5 ** 2 * (1 - 0.04 / scale * filtered(specimen, by))


equal(expected, np.array([frame(i) for i in range(5)]), 'frames', 2e-3)
equal(run(*MOVIE, *DRIFT, '--noise', 'none', '--ice', 0, '--no-damage', '--voltage', 300, out='movie.mrcs'),
      np.array([frame(i, False) for i in range(5)]), 'frames without damage', 2e-3)
check(list(drift[0]) == [0, 0] and 1 < np.hypot(*drift[1]) < 4, f'drift from the first frame on: {drift[1]}')
check([general[label] for label in ('rlnMicrographMovieName', 'rlnImageSizeX', 'rlnImageSizeY', 'rlnImageSizeZ',
                                    'rlnMicrographDoseRate', 'rlnDefocusU', 'rlnDefocusV', 'rlnDefocusAngle')] ==
      [[v] for v in ('movie.mrcs', '150', '140', '5', '2', '16000', '14500', '25')], f'general: {general}')
apart = np.linalg.norm(centres[:, None] - centres, axis=2) + 1e9 * np.eye(4)
check(apart.min() >= 0.7 * BOX and (centres >= BOX // 2).all() and (centres <= np.array([150, 140]) - BOX // 2).all(),
      'particles keep a distance, from edges too')
counted = run(*MOVIE, *DRIFT, '--ice', 0, '-f', out='movie.mrcs')
off = counted - expected
check(np.array_equal(counted, counted.round()) and abs(off.mean()) < 0.05 and
      abs((off ** 2 / expected).mean() - 1) < 0.05, 'counts of electrons')
check(np.abs(np.corrcoef(off.reshape(5, -1)) - np.eye(5)).max() < 0.05, 'each frame has noise of its own')
normal = run(*MOVIE, *DRIFT, '--ice', 0, '--noise', 'gaussian', '-f', out='movie.mrcs') - expected
check(abs(normal.mean()) < 0.05 and abs(normal.var() / 4.5 - 1) < 0.05, 'normal noise of that variance')
raw = run(*MOVIE, *DRIFT, '--ice', 0, '--noise', 'none', '--gain', 'gain.mrc', '-f', out='movie.mrcs')
gain = read('gain.mrc')
check(abs(gain.mean() - 1) < 0.01 and abs(gain.std() - 0.05) < 0.005, 'a gain reference')
equal(raw * gain, expected, 'frames times the gain reference', 1e-6)
check(table('movie.star', 'general')['rlnMicrographGainName'] == ['gain.mrc'], 'the STAR file names it')
icy = run(*MOVIE, '--noise', 'none', '--no-damage', '--drift', 0, '--ice', 2, '-f', out='movie.mrcs')
check(np.abs(icy[0] - icy[4]).max() < 1e-4 and icy[0].std() > 2 * expected[0].std(), 'ice is the same in all frames')
check(run(*MOVIE, *DRIFT, '--dtype', 'u8', '-f', out='movie.mrcs').max() > 5, '--dtype')

# Local motion: a quadratic polynomial of the position that fades in with exposure, and the shifts that undo it.
still = run(*MOVIE, '--noise', 'none', '--ice', 0.5, '--no-damage', '--drift', 0, '-f', out='movie.mrcs')
moved = run(*MOVIE, *DRIFT, '--noise', 'none', '--ice', 0.5, '--no-damage', '--local', '4.5A', '-f', out='movie.mrcs')
undo = table('movie.star', 'local_shift')
check(undo['rlnMicrographFrameNumber'] == [str(i + 1) for _ in range(25) for i in range(5)], 'frames of 25 patches')
at = numbers(undo, 'rlnCoordinateX', 'rlnCoordinateY').reshape(25, 5, 2)
check(np.allclose(at[7], [2.5 * 30, 1.5 * 28]), f'middles of patches: {at[7]}')
local = -numbers(undo, 'rlnMicrographShiftX', 'rlnMicrographShiftY').reshape(25, 5, 2)
check(not local[:, 0].any(), 'the first frame is where it is')
check(np.allclose(local[:, 1:] / (1 - np.exp(-2 * np.arange(1, 5) / 5))[:, None], local[:, 4:] / (1 - np.exp(-1.6)), atol=1e-3),
      'motion fades with exposure')


def quadratic(x, y):
    x, y = x / 150 - 0.5, y / 140 - 0.5
    return np.stack([x ** 0, x, y, x * x, y * y, x * y], -1)


whole_y, whole_x = np.mgrid[:140, :150]
full = [quadratic(whole_x, whole_y) @ np.linalg.lstsq(quadratic(*at[:, 0].T), local[:, i], rcond=None)[0] for i in range(5)]
largest = np.hypot(*full[4].T).max() / (1 - np.exp(-1.6))
check(2.8 < largest < 3.05 and np.abs(full[4].mean((0, 1))).max() < 0.05, f'at most 4.5 A: {largest} pixels')
inside = (slice(8, -8), slice(8, -8))
for i in range(5):
    bent = ndimage.map_coordinates(still[0], [whole_y - full[i][..., 1], whole_x - full[i][..., 0]], order=5, mode='nearest')
    want = filtered(bent, np.exp(-2j * np.pi * (fy * drift[i, 1] + fx * drift[i, 0])))
    rest = np.abs(moved[i] - want)[inside].max() / want[inside].std()
    check(rest < 0.2, f'frame {i} with local motion: {rest}')

result = tessera('simulate', 'movie', 'map.mrc', '--defocus', '1um', '--gain', 'no.mrc', '-o', 'no.mrcs', '--star', 'no.star', '--dry-run')
check(result.code == 0 and '{16,1,1024,1024}' in result.out, 'a dry run tells the size of a movie', result)
bad = ('simulate', 'movie', 'map.mrc', '--defocus', '1um', '--size', 100, '-o', 'no.mrcs', '--star', 'no.star')
for option, value, says in (('frames', 0, '1 to 10000'), ('size', 20, '40, the side of the map'), ('size', '100,90.5', 'integers'),
                            ('count', 0, '1 to 1000000'), ('count', 500, 'particles fit'), ('dose', 0, '1e-06'),
                            ('contrast', -1, '0 to 1000000'), ('ice', -1, '0 to 1000000'), ('drift', -1, '0 to 1e+06 pixels'), ('local', -1, '0 to 1e+06'),
                            ('distance', 0, '1 to 1e+06 pixels'), ('voltage', 120, '--no-damage')):
    fails(tessera(*(bad[:5] + bad[7:] if option == 'size' else bad), f'--{option}', value), 2, f'--{option}', says)
fails(tessera(*bad[:3], *bad[5:]), 2, '--defocus is required')
fails(tessera(*bad, '--gain', 'gain.mrc'), 2, 'gain.mrc')
fails(tessera(*bad, '--noise', 'pink'), 2, '--noise', 'poisson')
fails(tessera(*bad[:2], 'flat.mrc', *bad[3:]), 2, 'variance 0')
fails(tessera(*(bad[:5] + bad[7:]), '--size', 4096, '--mem', '100M'), 4, '--mem', '4096 x 4096')
hollow = read('map.mrc')
hollow[3, 4, 5] = np.nan
write('hollow.mrc', hollow)
fails(tessera(*bad[:2], 'hollow.mrc', *bad[3:]), 2, 'simulate movie: hollow.mrc has NaNs or infinities')
for noise in ((), ('--no-noise',)):
    fails(tessera('simulate', 'particles', 'hollow.mrc', *noise, '-o', 'no.mrcs', '--star', 'no.star'), 2,
          'simulate particles: hollow.mrc has NaNs or infinities; all values must be finite')
check(not [name for name in left() if name.startswith('no.')], 'nothing was left behind', left())
finish()
