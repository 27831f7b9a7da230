"""TIFF against tifffile, both ways, and against files made by hand where tifffile cannot."""
import io
import itertools
import os
import sys
import tempfile

import numpy as np
import tifffile
from PIL import Image

import picture_io as files
import tess
import tess_files

MOST_SHOWN = 10
KINDS = {'uint': 1, 'int': 2, 'float': 3, 'complex': 6}
NUMBERS = [d for d in tess.SCALARS if d.name not in ('bool', 'c16')]


class Tests:
    def __init__(self, lib, seed, folder):
        self.lib, self.io, self.random = lib, files.Files(lib), np.random.default_rng(seed)
        self.passed = self.failed = 0
        self.path = os.path.join(folder, 'x.tif')

    def expect(self, holds, *what):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        if not holds and self.failed < MOST_SHOWN:
            print('FAILED:', *what)

    def same(self, got, wanted, *what):
        self.expect(got.shape == wanted.shape and got.dtype == wanted.dtype and got.tobytes() == wanted.tobytes(),
                    *what)

    def values(self, shape, dtype):
        """Numbers of all kinds: few different ones, so that they can be compressed."""
        if dtype.kind == 'complex':
            real = tess.BY_NAME[dtype.real]
            return self.values(shape[:-1] + (2 * shape[-1],), real).view(dtype.numpy)
        if dtype.kind == 'float':
            return (self.random.integers(-50, 50, shape) / 8).astype(dtype.numpy)
        limits = np.iinfo(dtype.numpy)
        few = self.random.integers(0, 9, shape).astype(dtype.numpy)
        few[self.random.random(shape) < 0.05] = limits.min
        few[self.random.random(shape) < 0.05] = limits.max
        return few

    def put(self, data):
        with open(self.path, 'wb') as file:
            file.write(data)

    def stack(self, pages):
        """What the library should give for pages with the top row first."""
        return np.stack(pages)[:, None, ::-1]

    # ---- Reading ----

    def reads_tifffile(self):
        storages = ({}, {'tile': (16, 32)}, {'rowsperstrip': 3}, {'compression': 'zlib'},
                    {'compression': 'zlib', 'tile': (16, 16)})
        for dtype, big, order, more in tess.some(itertools.product(NUMBERS, (False, True), '<>', storages)):
            n = int(self.random.integers(1, 4))
            pages = self.values((n, 37, 41), dtype)
            tifffile.imwrite(self.path, pages, bigtiff=big, byteorder=order, photometric='minisblack', metadata=None, **more)
            self.same(self.io.read(self.path), self.stack(pages), 'tifffile', dtype, big, order, more)

    def reads_by_hand(self):
        for dtype, compression, order in tess.some(itertools.product(NUMBERS, (1, 5, 8, 32946, 32773, 50000), '<>')):
            big = self.random.random() < 0.5
            cut = [{}, {'rows': 5}, {'tile': (32, 16)}][int(self.random.integers(3))]
            pages = self.values((2, 35, 43), dtype)
            self.put(files.make_tiff(pages, order, big, compression, kind=KINDS[dtype.kind], **cut))
            self.same(self.io.read(self.path), self.stack(pages), 'by hand', dtype, compression, order, cut)
            info = self.io.info(self.path)
            self.expect(info.big_endian == (order == '>') and info.mode == 8 * dtype.size, 'info of', dtype)

    def reads_parts(self, n):
        """Any region, into any strides, as any dtype."""
        for _ in range(n):
            dtype = NUMBERS[int(self.random.integers(len(NUMBERS)))]
            shape = tuple(int(k) for k in self.random.integers(1, 60, 3))
            cut = [{}, {'rows': 7}, {'tile': (16, 16)}][int(self.random.integers(3))]
            pages = self.values((shape[0] % 5 + 1,) + shape[1:], dtype)
            self.put(files.make_tiff(pages, compression=[1, 5, 8][int(self.random.integers(3))],
                                     kind=KINDS[dtype.kind], **cut))
            keep = int(self.random.integers(2))
            whole = pages[:, None] if keep else self.stack(pages)
            region = tuple(self.some_slice(k) for k in whole.shape)
            self.same(self.io.part(self.path, region, keep_rows=keep), whole[region], 'part', dtype, region, cut)
            self.into_strides(whole[region], region, keep, dtype)

    def some_slice(self, n):
        ends = [None, *range(-n, n + 1)]
        step = int(self.random.choice([1, 1, 2, 3, -1, -2]))
        return slice(*(ends[int(self.random.integers(len(ends)))] for _ in range(2)), step)

    def into_strides(self, wanted, region, keep, dtype):
        """The part again, into a view of a larger array that is left alone elsewhere."""
        if 0 in wanted.shape:
            return
        target = tess.BY_NAME['c64' if dtype.kind == 'complex' else 'f64']
        room = np.full(tuple(2 * k for k in wanted.shape[::-1]), -7, target.numpy)
        view = room[::-2, 1::2, ::2, ::-2].transpose(3, 2, 1, 0)
        self.io.read_into(view, self.path, files.region_of(region), keep_rows=keep)
        untouched = room.copy()
        untouched[::-2, 1::2, ::2, ::-2] = -7
        self.same(np.ascontiguousarray(view), wanted.astype(target.numpy), 'strides', dtype, region)
        self.expect((untouched == -7).all(), 'around the part', dtype, region)

    def reads_four_bits(self):
        for width in (1, 2, 7, 40):
            for fill in (1, 2):
                for order in '<>':
                    pixels = self.random.integers(0, 16, (2, 9, width), np.uint8)
                    even = np.pad(pixels, ((0, 0), (0, 0), (0, width % 2)))
                    packed = even[..., ::2] << 4 | even[..., 1::2]
                    tags = {256: (4, [width]), 266: (3, [fill])}
                    for more in ({}, {'rows': 2}, {'rows': 2, 'compression': 5}):
                        self.put(files.make_tiff(packed, order, bits=4, tags=tags, **more))
                        self.same(self.io.read(self.path), self.stack(pixels), 'four bits', width, fill, order, more)
                        if 'compression' not in more:
                            self.same(np.asarray(Image.open(self.path)) // 17, pixels[0], 'PIL', width, fill, order)

    def reads_packed_frames(self):
        for w, h in ((5760, 8184), (11520, 4092), (3710, 7676), (7420, 3838)):
            stored = self.random.integers(0, 256, (h, w), np.uint8)
            self.put(files.make_tiff([stored], rows=100))
            pixels = np.stack((stored & 15, stored >> 4), -1).reshape(h, 2 * w)
            self.same(self.io.read(self.path), self.stack([pixels]), 'half width', w, h)
            self.expect([w.code for w in self.io.info(self.path).warnings][:1] == [10], 'half width is noted', w, h)
            self.same(self.io.read(self.path, bytes=2), self.stack([stored]), 'half width, as bytes', w, h)
            tiny = (slice(None), slice(None), slice(h - 3, 0, -50), slice(w - 5, 5, -7))
            self.same(self.io.part(self.path, tiny), self.stack([pixels])[tiny], 'part of half width', w, h)

    def reads_orientations(self):
        pages = self.values((1, 6, 5), tess.BY_NAME['i16'])
        for orientation in range(1, 9):
            self.put(files.make_tiff(pages, kind=2, tags={274: (3, [orientation])}))
            wanted = pages[:, None] if orientation == 4 else self.stack(pages)
            self.same(self.io.read(self.path), wanted, 'orientation', orientation)
            self.same(self.io.read(self.path, keep_rows=1), pages[:, None], 'rows kept, orientation', orientation)
            self.expect(self.io.info(self.path).n_warnings == (orientation not in (1, 4)), 'note', orientation)

    def reads_pixel_sizes(self):
        page = np.zeros((1, 3, 4), np.uint8)
        for unit, x, y, wanted in ((3, (10**8, 1), (2 * 10**8, 1), (0.5, 1)),
                                   (2, (254 * 10**6, 2), (10**8, 1), (2.54, 2)),
                                   (3, (94339622, 1), None, (1.06, 1.06)), (2, (300, 1), (300, 1), (0, 0)),
                                   (2, (72, 1), (96, 1), (0, 0)), (1, (10**8, 1), (10**8, 1), (0, 0)),
                                   (3, (0, 1), (1, 0), (0, 0)), (3, (120, 1), (120, 1), (1e8 / 120, 1e8 / 120))):
            tags = {296: (3, [unit]), 282: (5, [x]), 283: y and (5, [y])}
            self.put(files.make_tiff(page, tags=tags))
            got = self.io.info(self.path).meta.pixel_size
            self.expect(np.allclose((got[1], got[2]), wanted, rtol=1e-7, atol=0), 'pixel size', unit, x, y, list(got))
            self.expect(got[0] == 0, 'pixel size between pages')

    def reads_colours(self):
        def grey(colours):
            r, g, b = (colours[..., k].astype(np.float64) for k in range(3))
            mixed = 0.299 * r + 0.587 * g + 0.114 * b
            return mixed.astype(np.float32) if colours.dtype.kind == 'f' else mixed

        for dtype, kind in ((np.uint8, 1), (np.uint16, 1), (np.float32, 3)):
            for samples in (3, 4):
                for more in ({}, {'separate': True}, {'tile': (16, 16)}, {'compression': 5},
                             {'tile': (16, 16), 'separate': True}):
                    pixels = self.random.integers(0, 255, (20, 23, samples)).astype(dtype)
                    tags = {338: (3, [2])} if samples == 4 else {}
                    self.put(files.make_tiff([pixels], samples=samples, kind=kind, tags=tags, **more))
                    got = self.io.read(self.path, grey=1)[0, 0, ::-1].astype(np.float64)
                    self.expect(np.abs(got - grey(pixels)).max() <= 0.501, 'colours', dtype, samples, more)
                    self.fails('opts->grey', lambda: self.io.read(self.path), 'colours without grey')
        places = self.random.integers(0, 256, (20, 23), np.uint8)
        for scale in (1, 257):
            table = self.random.integers(0, 256, (256, 3))
            tags = {262: (3, [3]), 320: (3, list((table.T * scale).ravel()))}
            self.put(files.make_tiff([places], tags=tags))
            got = self.io.read(self.path, grey=1)[0, 0, ::-1].astype(np.float64)
            self.expect(np.abs(got - grey(table[places])).max() <= 0.501, 'a palette', scale)

    def fails(self, part, call, *what):
        try:
            call()
            self.expect(False, 'should have failed:', *what)
        except tess_files.Failure as error:
            self.expect(part in str(error), *what, 'says', error)

    def refuses(self):
        page = np.zeros((2, 8, 8), np.uint8)
        whole = files.make_tiff(page, rows=4)
        for what, data, status, part in (
                ('a ring', files.make_tiff(page, loop_to=0), 'EFORMAT', 'after page 1 the directory of page 0'),
                ('a ring of one', files.make_tiff(np.zeros((5, 8, 8), np.uint8), loop_to=3), 'EFORMAT', 'after page 4'),
                ('pages that differ', files.make_tiff([page[0], page[0, :4]]), 'EUNSUPPORTED', 'page 1 is 8 x 4'),
                ('types that differ', files.make_tiff([page[0], page[0].astype(np.uint16)]), 'EUNSUPPORTED', 'page 1'),
                ('a short file', whole[:-1], 'EFORMAT', 'page 1'),
                ('EER', files.make_tiff(page, tags={259: (3, [65001])}), 'EUNSUPPORTED', 'EER'),
                ('an unknown compression', files.make_tiff(page, tags={259: (3, [777])}), 'EUNSUPPORTED', '777'),
                ('a codec that is missing', files.make_tiff(page, tags={259: (3, [34712])}), 'EUNSUPPORTED',
                 'JPEG 2000'),
                ('bits', files.make_tiff(page, bits=7), 'EUNSUPPORTED', '7 bits'),
                ('two samples', files.make_tiff(np.zeros((1, 8, 8, 2), np.uint8), samples=2), 'EUNSUPPORTED',
                 '2 samples'),
                ('no size', files.make_tiff(page, tags={256: None}), 'EFORMAT', 'page 0'),
                ('a size of 0', files.make_tiff(page, tags={256: (4, [0])}), 'EFORMAT', 'page 0'),
                ('a large size', files.make_tiff(page, tags={256: (4, [2**31 - 1]), 257: (4, [2**31 - 1])}),
                 'EFORMAT', ''),
                ('a large tile', files.make_tiff(page, tile=(16, 16), tags={322: (4, [2**30]), 323: (4, [2**30])}),
                 'EFORMAT', ''),
                ('a large LZW strip', files.make_tiff(page, compression=5, tags={257: (4, [2**26]), 278: (4, [2**26])}),
                 'EFORMAT', '67108864 rows of 8 bytes; the file has'),
                ('a strip outside', files.make_tiff(page, tags={273: (4, [10**6])}), 'EFORMAT', 'strip 0'),
                ('a first directory outside', whole[:4] + b'\xff\xff\xff\x7f' + whole[8:], 'EFORMAT', 'page 0'),
                ('only a header', whole[:8], 'EFORMAT', 'page 0')):
            self.put(data)
            self.fails(status, lambda: self.io.read(self.path), what)
            self.fails(part, lambda: self.io.read(self.path), what)
        self.put(self.damaged())
        self.fails('page 1, strip 0', lambda: self.io.read(self.path), 'damaged data')

    def damaged(self):
        """A file whose second page cannot be decompressed."""
        data = bytearray(files.make_tiff(self.values((2, 40, 40), tess.BY_NAME['u8']), compression=8))
        with tifffile.TiffFile(io.BytesIO(data)) as file:
            at, n = file.pages[1].dataoffsets[0], file.pages[1].databytecounts[0]
        data[at:at + n] = b'\xff' * n
        return data

    def salvages(self):
        pages = self.values((3, 20, 30), tess.BY_NAME['u16'])
        tifffile.imwrite(self.path, pages, photometric='minisblack', metadata=None, rowsperstrip=5)
        with open(self.path, 'rb') as file:
            data = file.read()
        with tifffile.TiffFile(io.BytesIO(data)) as file:
            last = file.pages[2].dataoffsets[-1]
        self.put(data[:last + 100])
        self.fails('EFORMAT', lambda: self.io.read(self.path), 'cut short')
        got = self.io.read(self.path, salvage=1)
        kept = pages.copy()
        kept[2, 15:] = np.where(np.arange(150).reshape(5, 30) < 50, kept[2, 15:], 0)
        self.same(got, self.stack(kept[:len(got)]), 'salvaged')
        self.put(self.damaged())
        got = self.io.read(self.path, salvage=1)
        self.expect(got.shape == (2, 1, 40, 40), 'salvaged, damaged')

    # ---- Writing ----

    def writes(self):
        compressions = (('none', files.NONE, 1), ('lzw', files.LZW, 5), ('deflate', files.DEFLATE, 8), ('zstd', files.ZSTD, 50000),
                        ('default', 0, 1))
        for dtype, (name, ours, theirs) in tess.some(itertools.product(NUMBERS, compressions)):
            for shape in ((1, 1, 7, 9), (2, 1, 140 if name == 'lzw' else 300, 400), (2, 3, 20, 1)):
                values = self.values(shape, dtype)
                strided = np.ascontiguousarray(values.transpose(3, 1, 0, 2)).transpose(2, 1, 3, 0)
                self.io.write(self.path, strided, compression=ours, pixel_size=(0, 1.0742, 0.83))
                self.check_written(values.reshape(-1, *shape[2:])[:, ::-1], theirs, dtype, (name, shape))
                self.same(self.io.read(self.path), values.reshape(-1, 1, *shape[2:]), 'back', dtype, name, shape)
                size = self.io.info(self.path).meta.pixel_size
                self.expect(list(size) == [0, 1.0742, 0.83], 'pixel size back', list(size))

    def check_written(self, pages, compression, dtype, what):
        """What we wrote, by tifffile, or by its tags and our own decompression."""
        with tifffile.TiffFile(self.path) as file:
            self.expect(len(file.pages) == len(pages), 'number of pages', dtype, what)
            for page, wanted in zip(file.pages, pages):
                self.expect(page.compression == compression and page.tags['Orientation'].value == 1 and
                            page.tags['ResolutionUnit'].value == 3, 'tags', dtype, what)
                x = np.divide(*page.tags['XResolution'].value)
                self.expect(abs(x * 0.83e-8 - 1) < 1e-7, 'resolution', x, dtype, what)
                if compression in (1, 8):
                    self.same(page.asarray(), np.ascontiguousarray(wanted), 'tifffile reads', dtype, what)
                    continue
                data = b''.join(self.segment(file, page, k) for k in range(len(page.dataoffsets)))
                self.same(np.frombuffer(data, dtype.numpy).reshape(wanted.shape), np.ascontiguousarray(wanted),
                          'decompressed', dtype, what)

    def segment(self, file, page, k):
        file.filehandle.seek(page.dataoffsets[k])
        return files.DECODERS[int(page.compression)](file.filehandle.read(page.databytecounts[k]))

    def writes_colours(self):
        planes = self.random.integers(0, 256, (2, 3, 300, 500), np.uint8)
        for name, compression in (('none', files.NONE), ('deflate', files.DEFLATE)):
            for keep in (0, 1):
                self.io.write(self.path, planes, rgb=1, compression=compression, keep_rows=keep)
                with tifffile.TiffFile(self.path) as file:
                    got = np.stack([page.asarray() for page in file.pages])
                wanted = planes if keep else planes[:, :, ::-1]
                self.same(got, np.ascontiguousarray(wanted.transpose(0, 2, 3, 1)), 'colours', name, keep)

    def writes_other_types(self):
        flags = self.random.random((1, 1, 5, 6)) < 0.5
        self.io.write(self.path, flags)
        self.same(tifffile.imread(self.path), np.ascontiguousarray(flags[0, 0, ::-1]).astype(np.uint8), 'bool')
        numbers = self.random.normal(size=(1, 1, 5, 6)).astype(np.float32) * 300
        self.io.write(self.path, numbers, dtype=tess.BY_NAME['u8'].number)
        clamped = np.clip(numbers[0, 0, ::-1], 0, 255).astype(np.uint8)
        self.same(tifffile.imread(self.path), np.ascontiguousarray(clamped), 'clamped')

    def reads_many_threads(self):
        pages = self.values((9, 200, 300), tess.BY_NAME['u8'])
        self.put(files.make_tiff(pages, compression=5, rows=16))
        for threads in (1, 2, 7):
            self.lib.tess_threads_set(threads)
            self.same(self.io.read(self.path), self.stack(pages), 'threads', threads)
        self.lib.tess_threads_set(0)


def main():
    options = tess.arguments(__doc__)
    lib = tess.load(options.library)
    used = lib.tess_memory_used(tess.CPU)
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(lib, options.seed, folder)
        for test in (tests.reads_tifffile, tests.reads_by_hand,
                     lambda: tests.reads_parts(tess.rounds(300)), tests.reads_four_bits,
                     tests.reads_packed_frames, tests.reads_orientations, tests.reads_pixel_sizes, tests.reads_colours,
                     tests.refuses, tests.salvages, tests.writes, tests.writes_colours, tests.writes_other_types,
                     tests.reads_many_threads):
            test()
    tests.expect(lib.tess_memory_used(tess.CPU) == used, 'memory in use after the tests is that before')
    print(f'{tests.passed} passed, {tests.failed} failed')
    return 1 if tests.failed else 0


if __name__ == '__main__':
    sys.exit(main())
