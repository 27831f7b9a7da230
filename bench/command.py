"""The command on a stack larger than the memory it may take: time and resident size, beside reading and writing alone
(dd) and beside the work alone (the library, on a part that is in memory).

One JSON line each: {"work", "dtype", "threads", "ours_s", "io_s", "compute_s", "limit_s", "ratio", "resident_MiB"}; the
limit is the larger of io_s and compute_s. Works on half maps, which are read whole before they are transformed, have the
sum of both as their limit: reading, and the Fourier transforms alone. Run as `python3 bench/command.py build/tessera [GiB] [folder]`; there must be
space for the stack twice. Writing counts until the data are on the disk, as the command does it. The library is
libtessera.so beside the command.
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'tests', 'oracle'))
import tess  # noqa: E402

COMMAND = os.path.abspath(sys.argv[1])
SIZE = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
FOLDER = sys.argv[3] if len(sys.argv) > 3 else None
SIDE, MEMORY = 2048, '400M'
IMAGE = SIDE * SIDE * 4
N = max(int(SIZE * 2**30 / IMAGE), 8)
PART = 8  # images of the work alone
CTF = (ctypes.c_double * 17)(1.4, 1.4, 1.5, 0, 0, 300, 0.1, 2.7)


def run(*words):
    """Seconds and resident MiB of a process."""
    start = time.perf_counter()
    process = subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL)
    resident = 0
    while process.poll() is None:  # what the system says of a child in the end includes its parent
        try:
            with open(f'/proc/{process.pid}/status') as file:
                resident = max([resident] + [int(line.split()[1]) / 1024 for line in file if line.startswith('VmHWM')])
        except (FileNotFoundError, ProcessLookupError):
            pass
        time.sleep(0.005)
    seconds = time.perf_counter() - start
    if process.returncode:
        sys.exit(f"{' '.join(str(w) for w in words)}: exit {process.returncode}")
    return seconds, resident


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


def read_alone():
    return run('dd', 'if=stack.mrcs', 'of=/dev/null', 'bs=16M', 'status=none')[0]


def copy_alone(part):
    """Read all of it, write this part of it."""
    read = best(read_alone)
    count = max(int(N * IMAGE * part) >> 20, 1)
    write = best(lambda: run('dd', 'if=/dev/zero', 'of=written', 'bs=1M', f'count={count}', 'conv=fsync', 'status=none')[0])
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
        first = self.time('tess_minmax', ctypes.byref(small[0]), ctypes.byref(small[1]), ctypes.byref(self.source), axes, None)
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
    def once():
        if os.path.exists('out.mrcs'):
            os.remove('out.mrcs')  # a file that is replaced is freed, which some file systems take a second per GiB for
        return run(COMMAND, *words, '--mem', MEMORY)

    seconds, resident = min(once() for _ in range(2))
    limit = max(io, compute)
    print(json.dumps({'work': work, 'dtype': 'f32', 'threads': os.cpu_count(), 'GiB': round(N * IMAGE / 2**30, 2),
                      'ours_s': round(seconds, 3), 'io_s': round(io, 3), 'compute_s': round(compute, 3),
                      'limit_s': round(limit, 3), 'ratio': round(limit / seconds, 2),
                      'resident_MiB': round(resident)}), flush=True)


MAP = 256  # pixels along each side of a half map


def make_maps():
    for k in (1, 2):
        noise = np.random.default_rng(k).normal(size=(MAP, MAP, MAP)).astype('f4')
        np.save('half.npy', noise)
        run(COMMAND, 'convert', 'half.npy', '--as', 'volume', '--apix', '1.5', '-o', f'half{k}.mrc')
    run(COMMAND, 'gen', 'sphere', '--size', f'{MAP},{MAP},{MAP}', '--radius', MAP // 3, '--soft', 8, '--apix', '1.5', '-o',
        'ball.mrc')


def report_maps(library, work, words, files, transforms):
    """Beside reading the files and `transforms` Fourier transforms, in turn, the best of each."""
    real, half = library.new((1, MAP, MAP, MAP), 'f32', 1), library.new((1, MAP, MAP, MAP // 2 + 1), 'c32')
    times = []
    for _ in range(5):
        io = sum(run('dd', f'if={name}', 'of=/dev/null', 'bs=16M', 'status=none')[0] for name in files)
        start = time.perf_counter()
        library.need(library.library.tess_fft_r2c(ctypes.byref(half), ctypes.byref(real), None))
        compute = (time.perf_counter() - start) * transforms
        times.append((*run(COMMAND, *words, '-q'), io, compute))
    seconds, resident, io, compute = (min(t[k] for t in times) for k in range(4))
    print(json.dumps({'work': work, 'dtype': 'f32', 'threads': os.cpu_count(), 'ours_s': round(seconds, 3),
                      'io_s': round(io, 3), 'compute_s': round(compute, 3), 'limit_s': round(io + compute, 3),
                      'ratio': round((io + compute) / seconds, 2), 'resident_MiB': round(resident)}), flush=True)


def main():
    library = Library()
    make_maps()
    halves = ['half1.mrc', 'half2.mrc']
    report_maps(library, f'fsc {MAP}^3', ['fsc', *halves], halves, 2)
    report_maps(library, f'fsc {MAP}^3 --mask', ['fsc', *halves, '--mask', 'ball.mrc'], [*halves, 'ball.mrc'], 8)
    make_stack('stack.mrcs')
    read_alone()  # into the page cache, as far as it goes
    report('stats', ['stats', 'stack.mrcs'], best(read_alone), library.stats())
    report('convert to f16', ['convert', '--dtype', 'f16', 'stack.mrcs', '-o', 'out.mrcs', '-f'], copy_alone(0.5),
           library.convert())
    report('bin by 2', ['bin', '--factor', '2', 'stack.mrcs', '-o', 'out.mrcs', '-f'], copy_alone(0.25), library.bin())
    report('transform by 0.5 rad', ['transform', '--rotate', '0.5rad', 'stack.mrcs', '-o', 'out.mrcs', '-f'], copy_alone(1),
           library.rotate())
    report('calc a*1.5 + 2', ['calc', 'a*1.5 + 2', 'a=stack.mrcs', '-o', 'out.mrcs', '-f'], copy_alone(1), library.calc())
    report('calc a - mean(a)', ['calc', 'a - mean(a)', 'a=stack.mrcs', '-o', 'out.mrcs', '-f'],
           copy_alone(1) + best(read_alone), library.calc())
    microscope = ['--apix', '1.4', '--voltage', '300', '--cs', '2.7', '--amplitude', '0.1']
    report('ctf flip', ['ctf', 'flip', 'stack.mrcs', *microscope, '--defocus', '1.5um', '-o', 'out.mrcs', '-f'],
           copy_alone(1), library.ctf_flip())
    report('ctf fit', ['ctf', 'fit', 'stack.mrcs', *microscope], best(read_alone), library.ctf_fit())
    make_list('boxes.star', 256)
    report('extract boxes of 256', ['extract', '--box', '256', 'boxes.star', '-o', 'out.mrcs', '-f'], copy_alone(1), 0)


with tempfile.TemporaryDirectory(prefix='tessera-bench-', dir=FOLDER) as folder:
    os.chdir(folder)
    main()
    os.chdir('/')
