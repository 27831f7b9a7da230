"""tessera motion on simulated movies from clear to hopeless: never worse than whole frames alone, better where parts move.

The specimen and its motion depend on a seed, which may follow the command: motion_sweep.py build/tessera 6
All contrasts are tried by `make soak`, and some otherwise."""
import os
import sys

import numpy as np

from command import check, finish, tessera
from images import data_bytes, read

APIX, DOSE, SIZE, FRAMES = 2, 1.2, 1000, 12
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 5
EDGES = 60, 30, 20, 15, 12, 10, 9, 8, 7, 6, 5
# Two standard errors of the difference of two correlations of noise in a band: 2 / sqrt(Fourier coefficients).
NOISE = 2 / np.sqrt(np.pi / 2 * np.diff((SIZE * APIX / np.array(EDGES)) ** 2))
ALL = os.environ.get('TESS_TEST_SAMPLE') == '1'
CONTRASTS = (0.2, 0.15, 0.12, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03, 0.01) if ALL else (0.2, 0.12, 0.08, 0.05, 0.01)
CASES = [(contrast, local) for contrast in CONTRASTS for local in (0, 4)]


def shells(image, truth, width=8):
    """Frequencies of shells, 1/A, and the correlation in them."""
    a, b = (np.fft.rfft2(x - x.mean()) for x in (image, truth))
    k = np.hypot(np.fft.fftfreq(SIZE)[:, None], np.fft.rfftfreq(SIZE)) * SIZE / width
    shell, n = k.astype(int).ravel(), SIZE // 2 // width
    ab, aa, bb = (np.bincount(shell, x.ravel(), n)[:n] for x in ((a * b.conj()).real, np.abs(a) ** 2, np.abs(b) ** 2))
    return (np.arange(n) + 0.5) * width / SIZE / APIX, ab / np.sqrt(aa * bb)


def bands(name, truth):
    """The correlation in narrow bands between EDGES, and its mean from 15 to 8 A."""
    k, correlation = shells(read(name), truth)
    narrow = [correlation[(k > 1 / low) & (k < 1 / high)].mean() for low, high in zip(EDGES, EDGES[1:])]
    return np.array(narrow), correlation[(k > 1 / 15) & (k < 1 / 8)].mean()


def run(*words):
    result = tessera(*words, '-f')
    check(result.code == 0, 'it runs', result)
    return result


run('simulate', 'atoms', '--box', 64, '--apix', APIX, '--seed', SEED + 2, '-o', 'atoms.mrc')
common = ['simulate', 'movie', 'atoms.mrc', '--size', SIZE, '--dose', DOSE, '--ice', 0.5, '--defocus', '1.5um', '--seed', SEED,
          '--star', 'movie.star']
run(*common, '--frames', 1, '--noise', 'none', '--no-damage', '-o', 'truth.mrc')
truth = read('truth.mrc')
better = 0
print('| contrast | local motion, pixels | not aligned | whole frames | default | patches used | model used |')
for contrast, local in CASES:
    run(*common, '--frames', FRAMES, '--drift', 1.5, '--contrast', contrast, '--local', local, '-o', 'movie.mrcs')
    run('motion', 'movie.mrcs', '--dose', DOSE, '--patches', 1, '-o', 'whole.mrc')
    result = run('motion', 'movie.mrcs', '--dose', DOSE, '-o', 'usual.mrc', '--tsv')
    run('reduce', '--method', 'sum', 'movie.mrcs', '-o', 'still.mrc')
    row = dict(zip(*[line.split('\t') for line in result.out.splitlines()[:2]]))
    (still, still_mean), (whole, whole_mean), (usual, mean) = (
        bands(name, truth) for name in ('still.mrc', 'whole.mrc', 'usual.mrc'))
    print(f'| {contrast} | {local} | {still_mean:.3f} | {whole_mean:.3f} | {mean:.3f} | {row["patches"]} | {row["local_model"]} |')
    sys.stdout.flush()
    case = f'contrast {contrast}, local motion {local}: {still} {whole} {usual} {row}'
    if row['local_model'] == 'yes':
        check((usual >= 0.99 * whole).all(), f'never worse than whole frames alone: {case}')
    else:
        check(data_bytes('usual.mrc') == data_bytes('whole.mrc'), f'the sum of whole frames: {case}')
        check('tessera: warning: movie.mrcs' in result.err, f'a warning: {case}', result)
    if row['motion_A'] == '0':
        apart = np.abs(read('usual.mrc') - read('still.mrc')) > 1e-3
        check(apart.sum() == int(row['bad_pixels']), f'the sum of frames but for bad pixels: {case}')
    else:
        check((usual >= 0.99 * still - NOISE).all() and mean > still_mean, f'never worse than no alignment: {case}')
    better += mean > 1.02 * whole_mean
    if contrast >= 0.12 and local:
        check(mean > 1.1 * whole_mean, f'better where parts move: {case}')
check(better >= (3 if ALL else 2), f'{better} movies are better with a model of local motion')
finish()
