"""MRC files compared with Debian's mrcfile, both ways: python3 mrc.py libtessera.so [seed]

What mrcfile writes is read, whole, in parts, converted and into arrays of any strides; what is written is read by mrcfile
and must satisfy its validator: every mode, byte order, kind of shape and compression. Headers with axes in another order,
that mrcfile does not turn, are turned by NumPy. The last line counts comparisons.
"""
import gzip
import io
import itertools
import os
import sys
import tempfile
import warnings

import mrcfile
import numpy as np

import tess
from tess_files import IMOD, STACK, STD, UNSIGNED, VOLUME, VOLUMES, Files, Meta

DTYPES = {'i1': 0, 'i2': 1, 'f4': 2, 'c8': 4, 'u2': 6, 'f2': 12}
SHAPES = {'image': (1, 1, 7, 10), 'stack': (4, 1, 6, 9), 'volume': (1, 5, 6, 7), 'volumes': (3, 4, 5, 6)}
ENDS = ['.mrc', '.mrc.gz', '.mrc.bz2']


class Test:
    def __init__(self, options):
        self.files = Files(tess.load(options.library))
        self.random = np.random.default_rng(options.seed)
        self.folder = tempfile.TemporaryDirectory()
        self.passed = self.failed = self.n = 0

    def path(self, end):
        self.n += 1
        return os.path.join(self.folder.name, f'{self.n}{end}')

    def check(self, good, *what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print('FAILED', *what)

    def values(self, shape, dtype):
        kind = np.dtype(dtype).kind
        if kind == 'c':
            return (self.random.normal(size=shape) + 1j * self.random.normal(size=shape)).astype(dtype)
        if kind == 'f':
            # Halves are small: mrcfile sums their squares as halves.
            return self.random.normal(3, 20 if dtype != 'f2' else 1, size=shape).astype(dtype)
        limits = np.iinfo(dtype)
        return self.random.integers(limits.min, limits.max, shape, dtype, endpoint=True)

    def run(self, name, *cases):
        for case in tess.some(itertools.product(*cases)):
            try:
                getattr(self, name)(*case)
            except Exception as error:  # a test that dies is a failed one
                self.check(False, name, case, type(error).__name__, error)


def squeezed(values, kind):
    """As mrcfile has it: images of two axes, stacks and volumes of three."""
    return {'image': values[0, 0], 'stack': values[:, 0], 'volume': values[0], 'volumes': values}[kind]


def write_with_mrcfile(path, values, kind, order='<'):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        compression = {'gz': 'gzip', 'z2': 'bzip2'}.get(path[-2:])
        with mrcfile.new(path, overwrite=True, compression=compression) as m:
            m.set_data(squeezed(values, kind).astype(values.dtype.newbyteorder(order)))
            if kind == 'stack':
                m.set_image_stack()
            m.voxel_size = (1.5, 2.5, 3.25)
            m.header.origin = (-10.5, 20.25, 30)
            m.header.nxstart, m.header.nystart, m.header.nzstart = -3, 4, 5
            m.add_label('of mrcfile')


def validator_says(path):
    text = io.StringIO()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        warnings.simplefilter('ignore', np.ComplexWarning)  # it compares the order of complex numbers
        good = mrcfile.validate(path, print_file=text)
    return '' if good and not caught else text.getvalue() + ' '.join(str(w.message) for w in caught) or 'not valid'


class Reading(Test):
    def whole(self, dtype, kind, order, end):
        values, path = self.values(SHAPES[kind], dtype), self.path(end)
        write_with_mrcfile(path, values, kind, order)
        info = self.files.info(path)
        meta, what = info.meta, ('whole', dtype, kind, order, end)
        self.check(tuple(info.shape) == values.shape and info.mode == DTYPES[dtype], *what, tuple(info.shape), info.mode)
        self.check(np.array_equal(self.files.read(path), values), *what, 'data')
        self.check(list(meta.pixel_size) == [3.25, 2.5, 1.5] and list(meta.origin) == [30, 20.25, -10.5]
                   and list(meta.start) == [5, 4, -3], *what, list(meta.pixel_size), list(meta.origin), list(meta.start))
        self.check(info.big_endian == (order == '>' and dtype != 'i1') and info.n_warnings == 0, *what, info.texts())
        self.check(meta.labels[meta.n_labels - 1].value.startswith(b'of mrcfile'), *what, 'label')
        if np.dtype(dtype).kind != 'c':
            self.check(meta.stats & STD and np.isclose(meta.min, values.min()) and np.isclose(meta.max, values.max()),
                       *what, 'statistics')

    def range_of(self, n):
        kind = self.random.integers(3)
        if kind == 0:
            return slice(None), tess.Range()
        if kind == 1:
            i = int(self.random.integers(-n, n))
            return slice(i, i + 1 or None), tess.Range(i, 0, 0, tess.RANGE_INDEX, 0)
        start, stop = (int(i) for i in self.random.integers(-n - 2, n + 2, 2))
        step = int(self.random.choice([-3, -2, -1, 1, 2, 3]))
        return slice(start, stop, step), tess.Range(start, stop, step, tess.RANGE_SLICE, 0)

    def strided(self, shape, dtype):
        """An array of that shape with strides of all kinds, within one that is larger."""
        order = self.random.permutation(4)
        steps = self.random.integers(1, 3, 4)
        room = np.full([shape[a] * steps[a] + 1 for a in order], 77, dtype)
        view = room[tuple(slice(0, shape[a] * steps[a], steps[a]) for a in order)].transpose(np.argsort(order))
        return view[tuple(slice(None, None, int(self.random.choice([-1, 1]))) for _ in range(4))], room

    def compare_parts(self, values, path, out, what, **options):
        """Random parts into arrays of any strides and of another type."""
        for _ in range(6):
            slices, ranges = zip(*(self.range_of(n) for n in values.shape))
            want = values[slices]
            target, room = self.strided(want.shape, out)
            untouched = room.size - target.size
            self.files.read_into(target, path, tess.Region((tess.Range * 4)(*ranges)), **options)
            with np.errstate(all='ignore'):
                limits = np.iinfo(out) if np.dtype(out).kind in 'iu' else None
                wide = want.astype('f8') if limits else want
                cast = np.clip(np.trunc(wide), limits.min, limits.max).astype(out) if limits else want.astype(out)
            self.check(np.array_equal(target, cast, equal_nan=np.dtype(out).kind in 'fc')
                       and np.count_nonzero(room == 77) >= untouched, *what, out, slices)

    def parts(self, dtype, kind, order, end, out):
        if np.dtype(dtype).kind == 'c' and np.dtype(out).kind != 'c':
            return
        values, path = self.values(SHAPES[kind], dtype), self.path(end)
        write_with_mrcfile(path, values, kind, order)
        self.compare_parts(values, path, out, ('parts', dtype, kind, order, end))

    def encoded(self, mode, n):
        """Pixels of modes that mrcfile does not know, as bytes of the file, and as they are read."""
        b, h, w = n
        if mode == 'complex':
            values = self.random.integers(-2**15, 2**15, (b, 1, h, w, 2), 'i2')
            return 3, w, values, (values[..., 0] + 1j * values[..., 1].astype('f4')).astype('c8')
        if mode == 'colour':
            rgb = self.random.integers(0, 256, (b, 1, h, w, 3), 'u1')
            rgb[..., 0] ^= (rgb @ np.array([299, 587, 114]) % 1000 == 500).astype('u1')  # halves may go either way
            return 16, w, rgb, ((rgb @ np.array([299, 587, 114]) + 500) // 1000).astype('u1')
        if mode in ('signed', 'imod'):
            values = self.random.integers(-128, 128, (b, 1, h, w), 'i1')
            return 0, w, values, values if mode == 'signed' else (values.astype('i2') + 128).astype('u1')
        pixels = self.random.integers(0, 16, (b, 1, h, w), 'u1')
        if mode == 'packed':
            flat = np.pad(pixels.reshape(b, -1), ((0, 0), (0, h * w % 2)))
        else:
            flat = np.pad(pixels, ((0, 0), (0, 0), (0, 0), (0, w % 2)))
        return 0 if mode == 'half' else 101, w, flat[..., ::2] | flat[..., 1::2] << 4, pixels

    def modes(self, mode, w, order, end, out):
        if (mode == 'complex') != (np.dtype(out).kind == 'c') or mode == 'packed' and (w % 2 == 0 or end != '.mrcs') \
                or mode == 'half' and w % 2:
            return
        number, width, data, want = self.encoded(mode, (4, 5, w))
        header = np.zeros(256, order + 'i4')
        header[[0, 1, 2, 3, 16, 17, 18]] = [width // 2 if mode == 'half' else width, 5, 4, number, 1, 2, 3]
        header.view(order + 'f4')[[19, 20, 21]] = [0, -1, -2]
        if mode == 'half':
            header[[38, 39]] = [1146047817, 16]
        raw = bytearray(header.tobytes())
        raw[208:216] = b'MAP ' + (b'DD' if order == '<' else b'\x11\x11') + b'\0\0'
        path = self.path(end)
        with (gzip.open if end.endswith('gz') else open)(path, 'wb') as f:
            f.write(bytes(raw) + data.astype(data.dtype.newbyteorder(order)).tobytes())
        options = {'grey': 1} if mode == 'colour' else {'bytes': IMOD} if mode == 'imod' else {}
        what = ('modes', mode, w, order, end)
        self.check(np.array_equal(self.files.read(path, **options), want), *what)
        self.compare_parts(want, path, out, what, **options)

    def axes(self, dtype, axes, kind, order):
        """Columns, rows and sections along any of x, y, z: the header is mrcfile's, the order of axes is ours."""
        nz, ny, nx = {'volume': (4, 5, 6), 'stack': (4, 5, 6), 'volumes': (6, 5, 4)}[kind]
        values = self.values((nz, ny, nx), dtype)
        path = self.path('.mrc')
        stored = values.transpose([3 - a for a in reversed(axes)])  # sections, rows, columns
        with mrcfile.new(path, overwrite=True) as m:
            m.set_data(np.ascontiguousarray(stored).astype(values.dtype.newbyteorder(order)))
            h = m.header
            h.mapc, h.mapr, h.maps = axes
            h.mx, h.my, h.mz = nx, ny, nz
            h.cella = (nx * 1.0, ny * 2.0, nz * 4.0)
            start = dict(zip('xyz', (7, 8, 9)))
            h.nxstart, h.nystart, h.nzstart = (start['xyz'[a - 1]] for a in axes)
        depth = {'volume': 0, 'stack': 0, 'volumes': 3}[kind]
        as_ = {'volume': VOLUME, 'stack': STACK, 'volumes': VOLUMES}[kind]
        want = {'volume': values[None], 'stack': values[:, None], 'volumes': values.reshape(2, -1, ny, nx)}[kind]
        got, info = self.files.read(path, as_=as_, depth=depth), self.files.info(path, as_=as_, depth=depth)
        what = ('axes', dtype, axes, kind, order)
        self.check(np.array_equal(got, want), *what)
        self.check(list(info.meta.pixel_size) == [4, 2, 1] and list(info.meta.start) == [9, 8, 7]
                   and list(info.axes) == list(axes), *what, list(info.meta.pixel_size), list(info.meta.start))
        if order == '<':
            self.check(np.array_equal(self.files.mapped(path, as_=as_, depth=depth), want), *what, 'mapped')

    def stamps(self, stamp, order, dtype):
        values, path = self.values(SHAPES['stack'], dtype), self.path('.mrc')
        write_with_mrcfile(path, values, 'stack', order)
        with open(path, 'r+b') as f:
            f.seek(212)
            f.write(bytes(stamp))
        info = self.files.info(path)
        odd = bytes(stamp)[:2] not in (b'\x44\x44', b'\x44\x41', b'\x11\x11') or (stamp[0] == 0x11) != (order == '>' and dtype != 'i1')
        self.check(np.array_equal(self.files.read(path), values), 'stamps', stamp, order, dtype)
        self.check((info.n_warnings > 0) == odd, 'stamps', stamp, order, dtype, info.texts())


class Writing(Test):
    def extended(self, kind):
        if not kind:
            return b'', b'', (0, 0)
        if kind == 'SERI':
            return b'SERI', self.random.integers(-99, 99, (5, 3), 'i2').tobytes(), (6, 5)
        if kind == 'FEI1':
            records = np.zeros((5, 768), 'u1')
            records[:, :4] = np.frombuffer(np.array([768], '<i4').tobytes(), 'u1')
            return b'FEI1', records.tobytes(), (0, 0)
        return b'', bytes(range(100)), (0, 0)

    def whole(self, dtype, kind, order, end, extended, imod):
        values, path = self.values(SHAPES[kind], dtype), self.path(end)
        what = ('write', dtype, kind, order, end, extended, imod)
        name, data, layout = self.extended(extended)
        meta = Meta(pixel_size=(3.25, 2.5, 1.5), origin=(30, 20.25, -10.5), start=(5, 4, -3), extended_type=name,
                    extended_size=len(data), extended_layout=layout)
        kept = np.frombuffer(data, 'u1')
        meta.extended = tess.address_of(kept) if data else None
        meta.n_labels = 2
        meta.labels[0].value, meta.labels[1].value = b'the first', b'the second'
        source = values[:, :, ::-1].copy()[:, :, ::-1] if imod else values
        self.files.write(path, source, meta=meta, label=b'of tessera', big_endian=order == '>', compat_imod=imod)
        self.check(not validator_says(path), *what, validator_says(path))
        with mrcfile.open(path, permissive=False) as m:
            want = squeezed(values, kind)
            if imod and kind == 'stack' or kind in ('image', 'stack'):
                self.check(m.header.ispg == 0, *what, 'ISPG')
            self.check(np.array_equal(np.asarray(m.data), want) and m.data.dtype.newbyteorder('=') == values.dtype
                       and m.data.shape == want.shape, *what, 'data', m.data.shape, m.data.dtype)
            voxel = m.voxel_size
            self.check(np.allclose([voxel.x, voxel.y, voxel.z], [1.5, 2.5, 3.25])
                       and list(m.header.origin.tolist()) == [-10.5, 20.25, 30]
                       and [int(m.header[f]) for f in ('nxstart', 'nystart', 'nzstart')] == [-3, 4, 5], *what, 'places')
            self.check([str(s).rstrip() for s in m.get_labels()] == ['the first', 'the second', 'of tessera'], *what, 'labels')
            self.check(len(data) == m.header.nsymbt, *what, 'extended header')
            if data and (order == '<' or name != b'SERI'):
                self.check(m.extended_header.tobytes() == data, *what, 'extended header')
            mz = {'image': 1, 'stack': 4 if imod else 1, 'volume': 5, 'volumes': 4}[kind]
            self.check(m.header.mz == mz, *what, 'MZ', m.header.mz)
        self.check(np.array_equal(self.files.read(path, as_=VOLUMES if kind == 'volumes' else 0,
                                                  depth=4 if kind == 'volumes' else 0), values) or imod, *what, 'again')
        self.check(self.files.mrc_check(path).n_findings == 0, *what,
                   [f.text for f in self.files.mrc_check(path).findings[:2]])

    def nearest(self, given, want):
        """Types that the format has not are written as the nearest."""
        values = self.random.integers(0, 2 if given == '?' else 100, SHAPES['stack']).astype(given)
        path = self.path('.mrcs')
        self.files.write(path, values)
        self.check(not validator_says(path), 'nearest', given, validator_says(path))
        with mrcfile.open(path) as m:
            self.check(m.header.mode == DTYPES[want] and np.array_equal(m.data, values[:, 0]), 'nearest', given, want)

    def unsigned(self, order):
        values, path = self.values(SHAPES['stack'], 'u1'), self.path('.mrcs')
        self.files.write(path, values, bytes=UNSIGNED, big_endian=order == '>')
        with mrcfile.open(path) as m:
            self.check(np.array_equal(m.data.view('u1'), values[:, 0]), 'unsigned', order, 'mrcfile')
        self.check(np.array_equal(self.files.read(path), values), 'unsigned', order)

    def not_numbers(self, dtype, value):
        values, path = self.values(SHAPES['stack'], dtype), self.path('.mrcs')
        values[2, 0, 3, 4] = value
        self.files.write(path, values)
        with mrcfile.open(path) as m:
            h = m.header
            if np.isnan(value):
                self.check((h.dmin, h.dmax, h.dmean, h.rms) == (0, -1, -2, -1), 'NaN', dtype, h.dmin, h.dmax)
            self.check(np.array_equal(m.data, values[:, 0], equal_nan=True), 'not numbers', dtype, value)
        report = self.files.mrc_check(path)
        self.check(report.n_nan + report.n_inf == 1 and report.n_findings == 1, 'not numbers', dtype, value,
                   [f.text for f in report.findings[:report.n_findings]])

    def edits(self, dtype, order):
        values, path = self.values((6, 1, 5, 7), dtype), self.path('.mrc')
        write_with_mrcfile(path, values, 'stack', order)
        before = open(path, 'rb').read()
        self.files.mrc_edit(path, as_=VOLUMES, depth=3, pixel_size=(4, 3, 2), origin=(1, 2, 3), label=b'edited')
        with mrcfile.open(path) as m:
            self.check(m.header.ispg == 401 and m.data.shape == (2, 3, 5, 7), 'edit', dtype, order, m.data.shape)
            self.check(m.voxel_size.tolist() == (2, 3, 4) and m.header.origin.tolist() == (3, 2, 1), 'edit', dtype, order)
            self.check(str(m.get_labels()[-1]).rstrip() == 'edited', 'edit', m.get_labels())
        self.check(not validator_says(path), 'edit', dtype, order, validator_says(path))
        self.check(open(path, 'rb').read()[1024:] == before[1024:], 'edit', 'data stay')
        self.files.mrc_edit(path, as_=VOLUME)
        with mrcfile.open(path) as m:
            self.check(m.is_volume() and m.voxel_size.tolist() == (2, 3, 4), 'edit', 'volume')

    def repairs(self, dtype, order):
        """A header with everything wrong that a header can mend."""
        values, path = self.values((6, 1, 5, 7), dtype), self.path('.mrc')
        write_with_mrcfile(path, values, 'stack', order)
        with open(path, 'r+b') as f:
            for at, data in ((64, bytes(12)), (88, np.array([999, 0], order + 'i4').tobytes()), (108, bytes(4)),
                             (208, b'MAP\0' + bytes([0x44, 0, 0, 0])), (220, np.array([7], order + 'i4').tobytes()),
                             (76, np.array([1, 2, 1.5], order + 'f4').tobytes()),
                             (40, np.array([-1, np.nan, np.inf], order + 'f4').tobytes())):
                f.seek(at)
                f.write(data)
        report = self.files.mrc_check(path)
        found = {f.field for f in report.findings[:report.n_findings]}
        wanted = {b'MAPC MAPR MAPS', b'ISPG', b'NVERSION', b'MAP', b'MACHST', b'NLABL', b'CELLA.x', b'CELLA.y', b'CELLA.z'}
        self.check(found >= wanted and all(f.fixable for f in report.findings[:report.n_findings]), 'repair', found ^ wanted)
        self.check(validator_says(path), 'repair', 'mrcfile was content')
        self.files.mrc_edit(path, repair=1)
        self.check(self.files.mrc_check(path).n_findings == 0 and not validator_says(path), 'repair', dtype, order,
                   validator_says(path))
        with mrcfile.open(path) as m:
            self.check(np.array_equal(m.data, values[:, 0]), 'repair', dtype, order, 'data')

    def checks_as_mrcfile(self, seed):
        """Headers with random faults: ours are faults where mrcfile finds some."""
        values, path = self.values((4, 1, 5, 7), 'f4'), self.path('.mrc')
        write_with_mrcfile(path, values, 'stack')
        faults = [(28, '<i4', -1), (36, '<i4', 3), (36, '<i4', 2), (40, '<f4', -2), (64, '<i4', 2), (88, '<i4', 401),
                  (88, '<i4', 401), (88, '<i4', -5), (108, '<i4', 20139), (208, '<i4', 0), (212, '<i4', 0x4144),
                  (212, '<i4', 7), (216, '<f4', 3), (220, '<i4', 3), (220, '<i4', -3), (76, '<f4', -1e6), (84, '<f4', 40)]
        with open(path, 'r+b') as f:
            for k in self.random.choice(len(faults), self.random.integers(0, 4), False):
                at, kind, value = faults[k]
                f.seek(at)
                f.write(np.array([value], kind).tobytes())
            if self.random.integers(5) == 0:
                f.seek(0, 2)
                f.write(b'more')
        said, report = validator_says(path), self.files.mrc_check(path)
        ours = [f.text.decode() for f in report.findings[:report.n_findings]]
        self.check(bool(said) == bool(ours), 'check', repr(said), ours)


def main():
    options = tess.arguments(__doc__)
    reading, writing = Reading(options), Writing(options)
    dtypes, kinds, orders = list(DTYPES), list(SHAPES), ['<', '>']
    reading.run('whole', dtypes, kinds, orders, ENDS)
    reading.run('parts', dtypes, kinds, orders, ENDS[:2], ['f4', 'i2', 'u1', 'f8', 'c8'])
    reading.run('modes', ['complex', 'colour', 'signed', 'imod', 'nibbles', 'packed', 'half'], [1, 2, 7, 40], orders,
                ['.mrcs', '.mrcs.gz'], ['u1', 'f4', 'c8'])
    axes = list(itertools.permutations((1, 2, 3)))
    reading.run('axes', dtypes, axes, ['volume', 'stack', 'volumes'], orders)
    stamps = [(0x44, 0x44, 0, 0), (0x44, 0x41, 0, 0), (0x11, 0x11, 0, 0), (0x44, 0, 0, 0), (0, 0, 0, 0)]
    reading.run('stamps', stamps, orders, dtypes)
    writing.run('whole', dtypes, kinds, orders, ENDS, ['', 'SERI', 'FEI1', 'unknown'], [0, 1])
    for given, want in {'?': 'i1', 'u1': 'u2', 'i4': 'f4', 'u4': 'f4', 'i8': 'f4', 'u8': 'f4', 'f8': 'f4', 'c16': 'c8'}.items():
        writing.run('nearest', [given], [want])
    writing.run('unsigned', orders)
    writing.run('not_numbers', ['f4', 'f2'], [np.nan, np.inf, -np.inf])
    writing.run('edits', ['f4', 'i2'], orders)
    writing.run('repairs', ['f4', 'i2'], orders)
    writing.run('checks_as_mrcfile', range(300))
    passed, failed = reading.passed + writing.passed, reading.failed + writing.failed
    print(f'{passed} passed, {failed} failed')
    return 0 if failed == 0 else 1


if __name__ == '__main__':
    sys.exit(main())
