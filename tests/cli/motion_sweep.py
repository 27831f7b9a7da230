"""tessera motion on simulated movies from clear to hopeless: never worse than whole frames alone, better where parts move."""
import sys

import numpy as np

from command import check, finish, tessera
from images import read

APIX, DOSE, SIZE, FRAMES = 2, 1.2, 1000, 12
BANDS = ((60, 15), (15, 8), (8, 5))
CASES = [(contrast, local) for contrast in (0.2, 0.15, 0.12, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03, 0.01) for local in (0, 4)]


def rings(image, truth, width=8):
    """Frequencies of rings, 1/A, and the correlation in them."""
    a, b = (np.fft.rfft2(x - x.mean()) for x in (image, truth))
    k = np.hypot(np.fft.fftfreq(SIZE)[:, None], np.fft.rfftfreq(SIZE)) * SIZE / width
    ring, n = k.astype(int).ravel(), SIZE // 2 // width
    ab, aa, bb = (np.bincount(ring, x.ravel(), n)[:n] for x in ((a * b.conj()).real, np.abs(a) ** 2, np.abs(b) ** 2))
    return (np.arange(n) + 0.5) * width / SIZE / APIX, ab / np.sqrt(aa * bb)


def bands(name, truth):
    k, correlation = rings(read(name), truth)
    return np.array([correlation[(k > 1 / low) & (k < 1 / high)].mean() for low, high in BANDS])


def run(*words):
    result = tessera(*words, '-f')
    check(result.code == 0, 'it runs', result)
    return result


run('simulate', 'atoms', '--box', 64, '--apix', APIX, '--seed', 7, '-o', 'atoms.mrc')
common = ['simulate', 'movie', 'atoms.mrc', '--size', SIZE, '--dose', DOSE, '--ice', 0.5, '--defocus', '1.5um', '--seed', 5,
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
    still, whole, usual = (bands(name, truth) for name in ('still.mrc', 'whole.mrc', 'usual.mrc'))
    print(f'| {contrast} | {local} | {still[1]:.3f} | {whole[1]:.3f} | {usual[1]:.3f} | {row["patches"]} | {row["local_model"]} |')
    sys.stdout.flush()
    case = f'contrast {contrast}, local motion {local}: {still} {whole} {usual} {row}'
    check((usual >= 0.99 * whole - 1e-3).all(), f'never worse than whole frames alone: {case}')
    check((usual >= 0.99 * still - 2e-3).all(), f'never worse than no alignment: {case}')
    check(row['local_model'] == 'yes' or 'tessera: warning: motion: movie.mrcs' in result.err, f'a warning: {case}', result)
    better += usual[1] > 1.02 * whole[1]
    if contrast >= 0.12 and local:
        check(usual[1] > 1.1 * whole[1], f'better where parts move: {case}')
check(better >= 3, f'{better} movies are better with a model of local motion')
finish()
