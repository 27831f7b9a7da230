"""The command on files: time, seconds of processors and resident size, beside what the work cannot do without, and
beside RELION's programs where they are installed.

Stacks are larger than the memory that the command may take; the limit is the larger of reading and writing alone (dd)
and of the work alone (the library, on a part that is in memory). Half maps and movies are read whole before they are
transformed: their limit is the sum of reading alone, into new memory that holds a file, and of the Fourier transforms
alone. Runs of all alternate, and the best of each counts; `_cpu` are seconds of all processors, which tell more where
others use the machine. RELION's programs of Debian have one thread, but for `relion_run_motioncorr --j 2`.

One JSON line each. Run as `python3 bench/command.py build/tessera [--GiB 1] [--folder F] [--rounds 3] [WORK...]`: works
whose name begins with one of these words, or all. There must be space for the stack twice, and for a movie of 1.6 GiB.
Writing counts until the data are on the disk, as the command does it. The library is libtessera.so beside the command.
"""
import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'tests', 'oracle'))
import tess  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('command')
parser.add_argument('works', nargs='*')
parser.add_argument('--GiB', type=float, default=1.0, help='of the stack; below 0.5 half maps have 256^3 voxels')
parser.add_argument('--folder', help='where files are made')
parser.add_argument('--rounds', type=int, default=3)
parser.add_argument('--device', default='cpu', help='of the command: cpu or gpu; the limits are of the CPU')
parser.add_argument('--particles', type=int, default=2000)
options = parser.parse_intermixed_args()
COMMAND = os.path.abspath(options.command)
SIDE, MEMORY = 2048, '400M'
IMAGE = SIDE * SIDE * 4
N = max(int(options.GiB * 2**30 / IMAGE), 8)
PART = 8  # images of the work alone
CTF = (ctypes.c_double * 17)(1.4, 1.4, 1.5, 0, 0, 300, 0.1, 2.7)


def wanted(work):
    return not options.works or any(work.startswith(name) for name in options.works)


def some_wanted(verbs):
    """Is a work of one of these verbs, words with spaces between, wanted?"""
    return not options.works or any(name.split()[0] in verbs.split() for name in options.works)


def peak_of(pid):
    """Resident MiB, at most so far, of a process that runs; what the system says in the end includes its parent."""
    try:
        with open(f'/proc/{pid}/status') as file:
            return max([0] + [int(line.split()[1]) / 1024 for line in file if line.startswith('VmHWM')])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def measure(*words):
    """Seconds, seconds of processors and resident MiB of a process."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=errors)
        resident, ended = 0, 0
        while not ended:
            resident = max(resident, peak_of(process.pid))
            time.sleep(0.005)
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            sys.exit(f"{' '.join(str(w) for w in words)}: exit {process.returncode}\n{errors.read()[-500:].decode()}")
    return seconds, usage.ru_utime + usage.ru_stime, resident


def run(*words):
    """Seconds and resident MiB of a process."""
    seconds, _, resident = measure(*words)
    return seconds, resident


def tell(work, **figures):
    rounded = {name: round(value, 2 if name.startswith('ratio') else 3) for name, value in figures.items()}
    print(json.dumps({'work': work, 'dtype': 'f32', 'device': options.device, 'threads': os.cpu_count(), **rounded}), flush=True)


def best(work, rounds=2):
    return min(work() for _ in range(rounds))


def make_stack(path):
    """An MRC stack of noise, image by image."""
    first = np.random.default_rng(1).normal(size=(SIDE, SIDE)).astype('f4')
    np.save('first.npy', first)
    run(COMMAND, 'convert', 'first.npy', '-o', 'first.mrcs')
    with open('first.mrcs', 'rb') as file:
        header = bytearray(file.read(1024))
    header[8:12] = N.to_bytes(4, 'little')
    with open(path, 'wb') as file:
        file.write(header)
        for i in range(N):
            file.write(np.roll(first, i).tobytes())


def read_alone(name='stack.mrcs'):
    return run('dd', f'if={name}', 'of=/dev/null', 'bs=16M', 'status=none')[0]


def read_whole(name):
    """Into new memory that holds all of it."""
    start = time.perf_counter()
    np.fromfile(name, 'u1')
    return time.perf_counter() - start


def copy_alone(part):
    """Read all of it, write this part of it."""
    read = best(read_alone)
    count = max(int(N * IMAGE * part) >> 20, 1)
    words = ['dd', 'if=/dev/zero', 'of=written', 'bs=1M', f'count={count}', 'conv=fsync', 'status=none']
    write = best(lambda: run(*words)[0])
    os.remove('written')
    return max(read, write)


def make_list(path, box):
    """As many boxes as cover each image once, at random, row by row of a list."""
    rng = np.random.default_rng(2)
    with open(path, 'w') as file:
        file.write('data_\n\nloop_\n_rlnMicrographName\n_rlnCoordinateX\n_rlnCoordinateY\n')
        for i in range(N):
            for x, y in rng.integers(box // 2, SIDE - box // 2, ((SIDE // box) ** 2, 2)):
                file.write(f'{i + 1}@stack.mrcs {x} {y}\n')


class Library:
    """The work itself, on PART images that are in memory, in seconds for all of them."""

    def __init__(self):
        self.library = ctypes.CDLL(os.path.join(os.path.dirname(COMMAND), 'libtessera.so'))
        self.source = self.new((PART, 1, SIDE, SIDE), 'f32', 1)

    def need(self, status):
        if status:
            self.library.tess_error_trace.restype = ctypes.c_char_p
            sys.exit(self.library.tess_error_trace().decode())

    def new(self, shape, dtype, value=0):
        made = tess.Array()
        self.need(self.library.tess_full(ctypes.byref(made), tess.ShapeValue(tess.Shape(*shape)),
                                         tess.BY_NAME[dtype].number, tess.Device(), ctypes.c_double(value)))
        return made

    def time(self, call, *arguments):
        def once():
            start = time.perf_counter()
            self.need(getattr(self.library, call)(*arguments))
            return time.perf_counter() - start
        return best(once, 3) * N / PART

    def convert(self):
        out = self.new((PART, 1, SIDE, SIDE), 'f16')
        return self.time('tess_cast', ctypes.byref(out), ctypes.byref(self.source), out.dtype, None)

    def bin(self):
        out = self.new((PART, 1, SIDE // 2, SIDE // 2), 'f32')
        return self.time('tess_bin', ctypes.byref(out), ctypes.byref(self.source),
                         tess.ShapeValue(tess.Shape(1, 1, 2, 2)), None)

    def stats(self):
        small = [self.new((PART, 1, 1, 1), 'f64') for _ in range(4)]
        axes = 0x40 | 0x80
        first = self.time('tess_minmax', ctypes.byref(small[0]), ctypes.byref(small[1]), ctypes.byref(self.source),
                          axes, None)
        return first + self.time('tess_mean_std', ctypes.byref(small[2]), ctypes.byref(small[3]),
                                 ctypes.byref(self.source), axes, None)

    def rotate(self):
        out = self.new((PART, 1, SIDE, SIDE), 'f32')
        return self.time('tess_rotate_image', ctypes.byref(out), ctypes.byref(self.source), ctypes.c_double(0.5), None)

    def calc(self):
        """a*1.5 + 2, as two steps of the library's own: what any evaluation takes at least."""
        out = self.new((PART, 1, SIDE, SIDE), 'f32')
        number = self.new((1, 1, 1, 1), 'f32', 1.5)
        return self.time('tess_mul', ctypes.byref(out), ctypes.byref(self.source), ctypes.byref(number))

    def ctf_flip(self):
        out = self.new((PART, 1, SIDE, SIDE), 'f32')
        return self.time('tess_ctf_flip_image', ctypes.byref(out), ctypes.byref(self.source), CTF, None)

    def ctf_fit(self):
        fits, noise = tess.Array(), self.new((PART, 1, SIDE, SIDE), 'f32')
        self.need(self.library.tess_random_normal(ctypes.byref(noise), ctypes.c_double(0), ctypes.c_double(1),
                                                  ctypes.c_uint64(1), None))
        return self.time('tess_ctf_fit_image', ctypes.byref(fits), None, None, ctypes.byref(noise),
                         tess.ShapeValue(tess.Shape(1, 1, 512, 512)), CTF, None)


def report(work, words, io, compute):
    """A work on the stack; `io` and `compute` give seconds."""
    if not wanted(work):
        return
    io, compute = io(), compute()

    def once():
        if os.path.exists('out.mrcs'):
            os.remove('out.mrcs')  # a file that is replaced is freed, which some file systems take a second per GiB for
        return run(COMMAND, *words, '--mem', MEMORY, *(['--device', options.device] if options.device != 'cpu' else []))

    seconds, resident = min(once() for _ in range(2))
    limit = max(io, compute)
    tell(work, GiB=N * IMAGE / 2**30, ours_s=seconds, io_s=io, compute_s=compute, limit_s=limit, ratio=limit / seconds,
         resident_MiB=resident)


def report_stacks(library):
    make_stack('stack.mrcs')
    read_alone()  # into the page cache, as far as it goes
    out = ['-o', 'out.mrcs', '-f']
    microscope = ['--apix', '1.4', '--voltage', '300', '--cs', '2.7', '--amplitude', '0.1']
    report('stats', ['stats', 'stack.mrcs'], lambda: best(read_alone), library.stats)
    report('convert to f16', ['convert', '--dtype', 'f16', 'stack.mrcs', *out], lambda: copy_alone(0.5),
           library.convert)
    report('bin by 2', ['bin', '--factor', '2', 'stack.mrcs', *out], lambda: copy_alone(0.25), library.bin)
    report('transform by 0.5 rad', ['transform', '--rotate', '0.5rad', 'stack.mrcs', *out], lambda: copy_alone(1),
           library.rotate)
    report('calc a*1.5 + 2', ['calc', 'a*1.5 + 2', 'a=stack.mrcs', *out], lambda: copy_alone(1), library.calc)
    report('calc a - mean(a)', ['calc', 'a - mean(a)', 'a=stack.mrcs', *out], lambda: copy_alone(1) + best(read_alone),
           library.calc)
    report('ctf flip', ['ctf', 'flip', 'stack.mrcs', *microscope, '--defocus', '1.5um', *out], lambda: copy_alone(1),
           library.ctf_flip)
    report('ctf fit', ['ctf', 'fit', 'stack.mrcs', *microscope], lambda: best(read_alone), library.ctf_fit)
    make_list('boxes.star', 256)
    report('extract boxes of 256', ['extract', '--box', '256', 'boxes.star', *out], lambda: copy_alone(1), lambda: 0)


# ---- Half maps, movies and particles ----


def compare(work, ours, files=(), transform=None, transforms=0, theirs=None):
    """Beside reading the files and `transforms` Fourier transforms, and beside another program, all by turns."""
    if not wanted(work):
        return
    times = {'ours': [], 'theirs': [], 'io': [], 'fft': []}
    for _ in range(options.rounds):  # what was just read and freed: memory that a virtual machine has, all find alike
        times['io'].append((sum(read_whole(name) for name in files),))
        times['ours'].append(measure(COMMAND, *ours, '-q', '--device', options.device))
        if theirs and shutil.which(theirs[0]):
            times['io'].append((sum(read_whole(name) for name in files),))
            times['theirs'].append(measure(*theirs))
        if transform:
            start = time.perf_counter(), time.process_time()
            transform()
            times['fft'].append(((time.perf_counter() - start[0]) * transforms,
                                 (time.process_time() - start[1]) * transforms))
    least = {name: [min(t[k] for t in runs) for k in range(len(runs[0]))] for name, runs in times.items() if runs}
    figures = {'ours_s': least['ours'][0], 'ours_cpu_s': least['ours'][1], 'resident_MiB': least['ours'][2]}
    if transform:
        figures |= {'compute_s': least['fft'][0], 'compute_cpu_s': least['fft'][1]}
    if files:
        limit = least['io'][0] + figures.get('compute_s', 0)
        figures |= {'io_s': least['io'][0], 'limit_s': limit, 'ratio': limit / least['ours'][0]}
    if 'theirs' in least:
        figures |= {'theirs_s': least['theirs'][0], 'theirs_cpu_s': least['theirs'][1],
                    'ratio_to_theirs': least['theirs'][0] / least['ours'][0]}
    tell(work, **figures)


def transform_of(library, shape):
    """A transform of real numbers, out of place."""
    real, half = library.new(shape, 'f32', 1), library.new((*shape[:3], shape[3] // 2 + 1), 'c32')
    return lambda: library.need(library.library.tess_fft_r2c(ctypes.byref(half), ctypes.byref(real), None))


def report_maps(library):
    side = 512 if options.GiB >= 0.5 else 256
    for k in (1, 2):
        noise = np.random.default_rng(k).standard_normal((side, side, side), 'f4')
        np.save('half.npy', noise)
        run(COMMAND, 'convert', 'half.npy', '--as', 'volume', '--apix', '1.5', '-o', f'half{k}.mrc')
    run(COMMAND, 'gen', 'sphere', '--size', f'{side},{side},{side}', '--radius', side // 3, '--soft', 8, '--apix',
        '1.5', '-o', 'ball.mrc')
    halves, transform = ['half1.mrc', 'half2.mrc'], transform_of(library, (1, side, side, side))
    compare(f'fsc {side}^3', ['fsc', *halves], halves, transform, 2)
    compare(f'fsc {side}^3 --mask', ['fsc', *halves, '--mask', 'ball.mrc'], [*halves, 'ball.mrc'], transform, 8)
    for name in (*halves, 'ball.mrc', 'half.npy'):
        os.remove(name)


FRAMES, FRAME, MOVIE_APIX = 24, 4096, 1.0


def make_movie(path):
    """A structure that drifts, and noise, in whole pixels: times do not depend on it."""
    rng = np.random.default_rng(3)
    structure = rng.standard_normal((FRAME // 8, FRAME // 8), 'f4').repeat(8, 0).repeat(8, 1)
    np.save('frame.npy', structure)
    run(COMMAND, 'convert', 'frame.npy', '--as', 'stack', '--apix', MOVIE_APIX, '-o', 'frame.mrcs')
    with open('frame.mrcs', 'rb') as file:
        header = bytearray(file.read(1024))
    header[8:12] = header[36:40] = FRAMES.to_bytes(4, 'little')
    with open(path, 'wb') as file:
        file.write(header)
        for i in range(FRAMES):
            noise = rng.standard_normal((FRAME, FRAME), 'f4')
            file.write((np.roll(structure, (i // 2, -i), (0, 1)) + 3 * noise + 10).tobytes())
    with open('movies.star', 'w') as file:
        file.write('data_optics\n\nloop_\n_rlnOpticsGroupName\n_rlnOpticsGroup\n_rlnMicrographOriginalPixelSize\n'
                   f'_rlnVoltage\n_rlnSphericalAberration\n_rlnAmplitudeContrast\nmovies 1 {MOVIE_APIX} 300 2.7 0.1\n\n'
                   f'data_movies\n\nloop_\n_rlnMicrographMovieName\n_rlnOpticsGroup\n{path} 1\n')


def report_movies(library):
    make_movie('movie.mrcs')
    relion = ['relion_run_motioncorr', '--i', 'movies.star', '--o', 'theirs/', '--use_own', '--j', 2, '--patch_x', 1,
              '--patch_y', 1, '--bfactor', 150, '--dose_per_frame', 1.2, '--preexposure', 0]
    ours = ['motion', 'movie.mrcs', '--patches', 1, '--dose', 1.2, '-f', '-o', 'sum.mrc']
    transform, works = transform_of(library, (1, 1, FRAME, FRAME)), f'{FRAMES} frames of {FRAME}^2'
    compare(f'motion {works}', ours, ['movie.mrcs'], transform, FRAMES + 1, relion)
    compare(f'motion {works}, weighted', [*ours, '--weighted', 'weighted.mrc'], ['movie.mrcs'], transform, FRAMES + 2,
            [*relion, '--dose_weighting', '--save_noDW'])
    os.remove('movie.mrcs')


PARTICLES, BOX, APIX = options.particles, 128, 1.5


def with_optics(source, target):
    """RELION needs voltage and Cs in its optics table."""
    with open(source) as file:
        text = file.read()
    text = text.replace('_rlnOpticsGroupName', '_rlnVoltage\n_rlnSphericalAberration\n_rlnAmplitudeContrast\n'
                        '_rlnOpticsGroupName', 1).replace('1 opticsGroup1', '1 300 2.7 0.1 opticsGroup1', 1)
    lines = [line.split('#')[0].rstrip() if line.startswith('_rln') else line for line in text.splitlines()]
    with open(target, 'w') as file:
        file.write('\n'.join(lines) + '\n')


def report_particles(_):
    run(COMMAND, 'gen', 'sphere', '--size', f'{BOX},{BOX},{BOX}', '--radius', 40, '--soft', 5, '--apix', APIX, '-o',
        'map.mrc')
    run(COMMAND, 'project', 'map.mrc', '--random', PARTICLES, '-o', 'images.mrcs', '--star', 'made.star')
    with_optics('made.star', 'p.star')
    compare(f'project {PARTICLES} of {BOX}^2', ['project', 'map.mrc', '--angles', 'p.star', '-f', '-o', 'ours.mrcs'],
            theirs=['relion_project', '--i', 'map.mrc', '--ang', 'p.star', '--o', 'theirs', '--angpix', APIX])
    compare(f'reconstruct {PARTICLES} of {BOX}^2', ['reconstruct', 'p.star', '-f', '-o', 'ours.mrc'], ['images.mrcs'],
            theirs=['relion_reconstruct', '--i', 'p.star', '--o', 'theirs.mrc', '--angpix', APIX, '--pad', 2])


ROWS = 10**6
LABELS = '''ImageName MicrographName OpticsGroup DefocusU DefocusV DefocusAngle CoordinateX CoordinateY PhaseShift CtfBfactor
    CtfScalefactor CtfMaxResolution CtfFigureOfMerit AngleRot AngleTilt AnglePsi OriginXAngst OriginYAngst AnglePsiPrior
    AngleTiltPrior AngleRotPrior OriginXPriorAngst OriginYPriorAngst LogLikeliContribution MaxValueProbDistribution NormCorrection
    AutopickFigureOfMerit ParticleFigureOfMerit AnglePsiFlipRatio HelicalTrackLengthAngst'''.split()


def make_table(path):
    """Particles of 30 columns that RELION knows: two names, a group and numbers of six digits."""
    rng = np.random.default_rng(1)
    with open(path, 'w') as file:
        file.write('\ndata_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnOpticsGroupName #2\n_rlnVoltage #3\n'
                   '_rlnSphericalAberration #4\n_rlnAmplitudeContrast #5\n_rlnImagePixelSize #6\n_rlnImageSize #7\n'
                   '_rlnImageDimensionality #8\n1 one 300 2.7 0.1 1.06 256 2\n\n\ndata_particles\n\nloop_\n')
        file.writelines(f'_rln{label} #{i + 1}\n' for i, label in enumerate(LABELS))
        for first in range(0, ROWS, 10**4):
            numbers, names = rng.uniform(-180, 30000, (10**4, len(LABELS) - 3)), rng.integers(0, 5000, 10**4)
            file.writelines(f'{(first + i) % 400 + 1:06d}@Extract/job012/movies/Hole_{name:08d}.mrcs MotionCorr/job002/movies/'
                            f'Hole_{name:08d}.mrc 1 ' + ' '.join(f'{x:.6f}' for x in row) + '\n'
                            for i, (name, row) in enumerate(zip(names, numbers)))


def report_tables(_):
    make_table('rows.star')
    rows = f'{ROWS:.0e} rows'.replace('e+0', 'e')
    out = ['-o', 'ours.star', '-f']
    compare(f'star of {rows}', ['star', 'rows.star', *out], ['rows.star'])
    compare(f'star --where of {rows}', ['star', 'rows.star', '--where', 'rlnDefocusU > 15000', *out], ['rows.star'],
            theirs=['relion_star_handler', '--i', 'rows.star', '--o', 'theirs.star', '--select', 'rlnDefocusU', '--minval',
                    15000, '--maxval', 1e9])
    compare(f'star --sort of {rows}', ['star', 'rows.star', '--sort', 'rlnDefocusU', *out], ['rows.star'])


def main():
    library = Library()
    parts = (('project reconstruct', report_particles), ('fsc', report_maps), ('motion', report_movies),
             ('star', report_tables), ('stats convert bin transform calc ctf extract', report_stacks))
    for verbs, part in parts:
        if some_wanted(verbs):
            part(library)


with tempfile.TemporaryDirectory(prefix='tessera-bench-', dir=options.folder) as folder:
    os.chdir(folder)
    main()
    os.chdir('/')
