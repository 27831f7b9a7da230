"""What tests of formats that are only read share: a file, comparisons that are counted, a loop over tests."""
import os
import tempfile

import numpy as np

import picture_io
import tess
import tess_files

MOST_SHOWN = 10
ZERO = -2**31  # TESS_ZERO_INT: 0 as given


class Tests:
    name = 'x'

    def __init__(self, lib, seed, folder):
        self.lib, self.io, self.random = lib, picture_io.Files(lib), np.random.default_rng(seed)
        self.passed = self.failed = 0
        self.path = os.path.join(folder, self.name)

    def expect(self, holds, *what):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        if not holds and self.failed < MOST_SHOWN:
            print('FAILED:', *what)

    def same(self, got, wanted, *what):
        self.expect(got.shape == wanted.shape and got.dtype == wanted.dtype and np.array_equal(got, wanted), *what)

    def put(self, data):
        with open(self.path, 'wb') as file:
            file.write(data)

    def fails(self, call, *parts):
        try:
            call()
            self.expect(False, 'should have failed:', *parts)
        except tess_files.Failure as error:
            self.expect(all(p in str(error) for p in parts), *parts, 'but it says', error)

    def compare(self, wanted, *what, **options):
        """The whole file, random parts, and another dtype into a strided view; by several numbers of threads."""
        for threads in (1, 3):
            self.lib.tess_threads_set(threads)
            self.same(self.io.read(self.path, **options), wanted, 'all', threads, *what)
            for _ in range(4):
                part = tuple(slice(*self.ends(n), int(self.random.choice((1, 1, 2, -1, -3)))) for n in wanted.shape)
                self.same(self.io.part(self.path, part, **options), wanted[part], part, *what)
            other = np.zeros((2, wanted.shape[3]) + wanted.shape[:3], np.complex128)
            self.io.read_into(other[1].transpose(1, 2, 3, 0), self.path, **options)
            self.expect(np.array_equal(other[1].transpose(1, 2, 3, 0), wanted) and not other[0].any(), 'strides', *what)
        self.lib.tess_threads_set(0)

    def ends(self, n):
        """Two random ends of a slice, either may be open."""
        return (None if end < 0 else int(end) for end in self.random.integers(-1, n + 1, 2))


def run(tests, description, names):
    options = tess.arguments(description)
    lib = tess.load(options.library)
    used = lib.tess_memory_used(tess.CPU)
    with tempfile.TemporaryDirectory() as folder:
        t = tests(lib, options.seed, folder)
        for name in names:
            getattr(t, name)()
    t.expect(lib.tess_memory_used(tess.CPU) == used, 'memory in use after the tests is that before')
    print(f'{t.passed} passed, {t.failed} failed')
    return 1 if t.failed else 0
