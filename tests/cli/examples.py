"""Every example of every verb, and every line "$ tessera …" of README.md and docs/*.md but the tutorial, run in a folder with files.

A line that is to fail ends with "|| true" in an example; in a document, the text after it may hold what it prints."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from command import COMMAND, ROOT, TIME_FACTOR, check, finish, lines_of, skip, tessera, verb_names

sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
import eer_writer  # noqa: E402


def prepare():
    """The files that examples use, made by others' writers."""
    import mrcfile
    import tifffile
    rng = np.random.default_rng(3)

    def mrc(name, data, volume=False):
        with mrcfile.new(name, data.astype(np.float32), overwrite=True) as file:
            if data.ndim == 3:
                (file.set_volume if volume else file.set_image_stack)()
            file.voxel_size = 1.5

    mrc('x.mrc', rng.normal(5, 2, (64, 64)))
    mrc('y.mrc', rng.normal(5, 2, (64, 64)))
    mrc('image.mrc', rng.normal(0, 1, (64, 64)))
    mrc('mask.mrc', np.hypot(*(np.mgrid[:64, :64] - 32)) < 20)
    mrc('stack.mrcs', rng.normal(0, 1, (12, 64, 64)))
    mrc('volume.mrc', rng.normal(0, 1, (32, 32, 32)), volume=True)
    ball = np.sqrt(((np.mgrid[:32, :32, :32] - 16) ** 2).sum(0)) < 8
    for name in ('half1.mrc', 'half2.mrc'):
        mrc(name, ball + rng.normal(0, 0.3, (32, 32, 32)), volume=True)
    tifffile.imwrite('movie.tif', rng.integers(0, 255, (8, 64, 64)).astype(np.uint8))
    np.save('a.npy', rng.normal(0, 1, (64, 64)).astype(np.float32))
    with open('curves.tsv', 'w') as file:
        file.write('x\ta\tb\n' + ''.join(f'{n}\t{n * n}\t{30 - n}\n' for n in range(10)))
    with open('fsc.tsv', 'w') as file:
        file.write('shell\t1/A\tmasked\n' + ''.join(f'{n}\t{n / 60}\t{1 - n / 20}\n' for n in range(20)))
    with open('postprocess.star', 'w') as file:
        file.write('\ndata_fsc\n\nloop_\n_rlnSpectralIndex\n_rlnResolution\n_rlnFourierShellCorrelationCorrected\n')
        file.writelines(f'{n} {n / 60} {1 - n / 20}\n' for n in range(20))
    with open('particles.star', 'w') as file:
        file.write('\ndata_particles\n\nloop_\n_rlnImageName #1\n_rlnDefocusU #2\n_rlnMicrographName #3\n')
        file.writelines(f'{n:06d}@stack.mrcs {15000 + n} {"xy"[n % 2]}.mrc\n' for n in range(1, 9))
    with open('micrographs.star', 'w') as file:
        file.write('\ndata_optics\n\nloop_\n_rlnOpticsGroup\n_rlnVoltage\n_rlnSphericalAberration\n_rlnAmplitudeContrast\n'
                   '1 300 2.7 0.1\n\ndata_micrographs\n\nloop_\n_rlnMicrographName\n_rlnOpticsGroup\n_rlnDefocusU\n'
                   '_rlnCtfMaxResolution\nx.mrc 1 15000 3\ny.mrc 1 13000 4\n')
    mrc('poses.mrcs', rng.normal(0, 1, (12, 32, 32)))
    with open('poses.star', 'w') as file:
        file.write('\ndata_optics\n\nloop_\n_rlnOpticsGroup\n_rlnImagePixelSize\n_rlnVoltage\n_rlnSphericalAberration\n'
                   '_rlnAmplitudeContrast\n1 1.5 300 2.7 0.1\n\ndata_particles\n\nloop_\n_rlnImageName\n_rlnOpticsGroup\n'
                   '_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n_rlnOriginXAngst\n_rlnOriginYAngst\n_rlnDefocusU\n'
                   '_rlnDefocusV\n_rlnDefocusAngle\n')
        file.writelines(f'{n:06d}@poses.mrcs 1 {37 * n % 360} {53 * n % 180} {71 * n % 360} {n / 10} 0 {9000 + 500 * n} '
                        f'{8800 + 500 * n} 30\n' for n in range(1, 13))
    mrc('tilts.mrcs', rng.normal(0, 1, (7, 32, 32)))
    with open('tilts.tlt', 'w') as file:
        file.writelines(f'{angle}\n' for angle in range(-60, 61, 20))
    with open('coordinates.star', 'w') as file:
        file.write('\ndata_particles\n\nloop_\n_rlnMicrographName #1\n_rlnCoordinateX #2\n_rlnCoordinateY #3\n')
        file.writelines(f'image.mrc {20 + 3 * n} {40 - 2.5 * n}\n' for n in range(8))
    for name in 'xy':
        with open(f'{name}_autopick.star', 'w') as file:
            file.write('\ndata_\n\nloop_\n_rlnCoordinateX #1\n_rlnCoordinateY #2\n')
            file.writelines(f'{20 + 3 * n} {40 - 2.5 * n}\n' for n in range(4))
    events = [eer_writer.random_events(rng, 48, 64, 0.1) for _ in range(12)]
    with open('movie.eer', 'wb') as file:
        file.write(eer_writer.make_eer([eer_writer.encode(e, 48, 64) for e in events], 48, 64))
    with open('image.box', 'w') as file:
        file.write('4\t8\t32\t32\n20\t16\t32\t32\n')


SIMULATED = os.path.join(os.path.dirname(COMMAND), 'simulated')


def variables(line, folder):
    """What a line needs to run; None if it cannot: one for a GPU runs on the simulated libraries."""
    if '--device gpu' not in line:
        return {}
    there = os.path.exists(os.path.join(SIMULATED, 'libcuda.so.1'))
    return {'TESS_CUDA_PATH': SIMULATED, 'XDG_CACHE_HOME': os.path.join(folder, 'kernels')} if there else None


def run_lines(what, lines):
    """One after the other in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix='tessera-test-') as folder:
        os.symlink(COMMAND, os.path.join(folder, 'tessera'))
        work = os.path.join(folder, 'work')
        shutil.copytree('files', work)
        for line in lines:
            for name in re.findall(r' -o (\S+)', line):  # what an example writes is not there before it
                if os.path.exists(os.path.join('files', name)) and os.path.exists(os.path.join(work, name)):
                    os.remove(os.path.join(work, name))
            more = variables(line, folder)
            if more is None:
                skip(line, 'no simulated libraries were built')
                continue
            process = subprocess.run(['bash', '-c', line], cwd=work, capture_output=True, text=True, timeout=300 * TIME_FACTOR,
                                     env={**os.environ, 'PATH': folder + ':' + os.environ['PATH'],
                                          'SOURCE_DATE_EPOCH': '1000000000', **more})
            check(process.returncode == 0, f'{what}: {line}\n  exit {process.returncode}\n  {process.stderr[:500]}')


os.mkdir('files')
os.chdir('files')
prepare()
os.chdir('..')
for name in verb_names():
    examples = re.search(r'^Examples:\n((?:  .*\n)+)', re.sub(r'\\\n\s*', '', tessera('help', *name.split()).out), re.M)
    lines = [line.strip() for line in examples.group(1).splitlines()] if examples else []
    check(2 <= len(lines) <= 6, f'{name} has {len(lines)} examples')
    if name != 'demo':  # tests/cli/demo.py runs it, and the lines of the tutorial, which are its steps
        run_lines(f'help {name}', lines)
for document in [os.path.join(ROOT, 'README.md'), *sorted(glob.glob(os.path.join(ROOT, 'docs', '*.md')))]:
    if os.path.basename(document) != 'tutorial.md':
        run_lines(os.path.relpath(document, ROOT), lines_of(document))
finish()
