"""TIFF against tifffile, both ways, and against files made by hand where tifffile cannot."""
import io
import itertools
import os
import struct
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

    def reads_few_bits(self):
        """1, 2, 10, 12 and 14 bits, the highest first, rows begun at a byte; PIL reads some of them."""
        for bits, width, order, fill in itertools.product((1, 2, 10, 12, 14), (1, 3, 8, 41), '<>', (1, 2)):
            pixels = self.random.integers(0, 1 << bits, (2, 9, width)).astype(np.uint8 if bits < 8 else np.uint16)
            single = (pixels[..., None] >> np.arange(bits - 1, -1, -1) & 1).astype(np.uint8)
            packed = np.packbits(single.reshape(2, 9, width * bits), axis=-1)
            tags = {256: (4, [width]), 266: (3, [fill])}
            for more in ({}, {'rows': 2}, {'rows': 2, 'compression': 8}):
                self.put(files.make_tiff(packed, order, bits=bits, tags=tags, **more))
                self.same(self.io.read(self.path), self.stack(pixels), 'few bits', bits, width, order, fill, more)
                part = (slice(1, 2), slice(None), slice(7, 1, -2), slice(width - 1, None, -2))
                self.same(self.io.part(self.path, part), self.stack(pixels)[part], 'part of few bits', bits, width)
                if bits in (1, 2) or (bits == 12 and order == '<' and fill == 1):
                    scale = {1: 1, 2: 85, 12: 1}[bits]
                    self.same((np.asarray(Image.open(self.path)) // scale).astype(pixels.dtype), pixels[0], 'PIL', bits,
                              width, order, fill, more)
        self.put(files.make_tiff(packed, bits=14, samples=1, tags={256: (4, [41]), 262: (3, [0])}))
        self.same(self.io.read(self.path), self.stack(pixels), '0 is white: values are as stored, as in tifffile')
        tiles = np.zeros((1, 32, 48), np.uint8)
        tiles[0, :20, :36] = self.random.integers(0, 256, (20, 36))
        single = np.unpackbits(tiles[0], axis=1)[:20, :24 * 12].reshape(20, 24, 12)
        pixels = (single * (1 << np.arange(11, -1, -1))).sum(-1).astype(np.uint16)
        self.put(files.make_tiff(tiles[:, :20], tile=(24, 16), bits=12, tags={256: (4, [24]), 322: (4, [16])}))
        self.same(self.io.read(self.path)[0, 0, ::-1, :16], pixels[:, :16], 'tiles of 12 bits')

    # ---- Stacks with one directory, and pages that differ ----

    def one_directory(self, stack, tags, order='<', rows=None, big=False):
        """Planes one after the other, the first of which has a directory."""
        n, h, w = stack.shape
        line, rows = w * stack.dtype.itemsize, rows or h
        strips = [((16 if big else 8) + y * line, min(rows, h - y) * line) for y in range(0, h, rows)]
        layout = {257: (4, [h]), 278: (4, [rows]), 273: (4, [s[0] for s in strips]), 279: (4, [s[1] for s in strips])}
        kind = 3 if stack.dtype.kind == 'f' else 1
        self.put(files.make_tiff([stack.reshape(n * h, w)], order, big, kind=kind, tags={**layout, **tags}))

    def reads_stacks(self):
        for name, order in tess.some(itertools.product(('u8', 'u16', 'f32'), '<>')):
            pages = self.values((7, 12, 14), tess.BY_NAME[name])
            for kind in ('imagej', 'tifffile', 'metamorph', 'metamorph, old'):
                what = (kind, name, order)
                if kind == 'imagej':
                    with tifffile.TiffWriter(self.path, imagej=True, byteorder=order) as file:
                        file.write(pages, truncate=True)
                elif kind == 'tifffile':
                    tifffile.imwrite(self.path, pages, truncate=True, byteorder=order)
                else:
                    tag = {33628: (5, [(1, 1)] * 7)} if 'old' in kind else {33629: (5, [(1, 1)] * 7)}
                    self.one_directory(pages, tag, order, rows=5)
                if 'metamorph' not in kind:
                    with tifffile.TiffFile(self.path) as file:
                        self.expect(len(file.pages) == 1, 'one directory', *what)
                    self.same(tifffile.imread(self.path), pages, 'tifffile reads', *what)
                self.same(self.io.read(self.path), self.stack(pages), 'a stack', *what)
                self.same(self.io.read(self.path, page=2, n_pages=3), self.stack(pages[2:5]), 'pages of it', *what)
                part = (slice(5, 1, -2), slice(None), slice(3, 9), slice(None, None, -3))
                self.same(self.io.part(self.path, part), self.stack(pages)[part], 'part of it', *what)
        colours = self.random.integers(0, 256, (5, 12, 14, 3), np.uint8)
        with tifffile.TiffWriter(self.path, imagej=True) as file:
            file.write(colours, truncate=True, photometric='rgb')
        self.expect(self.io.read(self.path, grey=1).shape == (5, 1, 12, 14), 'a stack of colours')

    def compares_counts(self):
        """What the file says of the number of images, and what it holds."""
        pages = self.values((7, 12, 14), tess.BY_NAME['u8'])
        said = {270: (2, list(b'ImageJ=1.53\nimages=10\n\0'))}
        head = bytearray(files.make_tiff([pages[0]], tags=said))  # the directory before the planes, as ImageJ has it
        struct.pack_into('<I', head, head.index(struct.pack('<HHI', 273, 4, 1)) + 8, len(head))
        for n, cut, found in ((10, 0, 10), (12, 0, 10), (10, 100, None), (1, 0, 1)):
            self.put(bytes(head) + (np.concatenate([pages] * 2)[:n].tobytes())[:n * 168 - cut])
            if found:
                info = self.io.info(self.path)
                self.expect(info.shape[0] == found and info.n_warnings == (n != 10), 'counted', n, cut)
                if n != 10:
                    self.expect(b'says 10 images' in info.warnings[0].text, 'said', n, info.warnings[0].text)
                continue
            self.fails('says 10 images of 14 x 12, 168 bytes each; the file has', lambda: self.io.read(self.path), 'cut')
            self.fails('enough for 9: it is truncated', lambda: self.io.read(self.path), 'cut')
            kept = np.concatenate([pages, pages])[:9]
            self.same(self.io.read(self.path, salvage=1), self.stack(kept), 'what is there')
        self.put(files.make_tiff([pages[0]], compression=8, tags=said))
        info = self.io.info(self.path)
        self.expect(info.shape[0] == 1 and b'one image is read' in info.warnings[0].text, 'compressed', info.shape[0])
        self.put(files.make_tiff(pages, tags=said))
        info = self.io.info(self.path)
        self.expect(info.shape[0] == 7 and b'the file has 7 pages' in info.warnings[0].text, 'fewer pages')
        self.counts_behind()
        for odd in (b'-3', b'99999999999999999999', b'x', b''):
            self.put(files.make_tiff([pages[0]], tags={270: (2, list(b'ImageJ=1\nimages=' + odd + b'\n\0'))}))
            self.same(self.io.read(self.path), self.stack(pages[:1]), 'an odd number of images', odd)

    def counts_behind(self):
        """The directory and the values of its tags behind five planes: they are no images."""
        pages = self.values((5, 6, 7), tess.BY_NAME['u8'])
        for order, big in itertools.product('<>', (False, True)):
            for n in (3, 5, 7, 10):
                what = (n, order, big)
                self.one_directory(pages, {270: (2, list(b'ImageJ=1.53\nimages=%d\n\0' % n))}, order, big=big)
                if n > 5:
                    self.fails(f'says {n} images of 7 x 6, 42 bytes each; its directory or tags follow at byte',
                               lambda: self.io.read(self.path), *what)
                    self.fails('enough for 5 (opts->salvage', lambda: self.io.read(self.path), *what)
                self.same(self.io.read(self.path, salvage=int(n > 5)), self.stack(pages[:min(n, 5)]), 'behind', *what)
                info = self.io.info(self.path, salvage=int(n > 5))
                self.expect(info.n_warnings == (n != 5), 'warned', *what)
                if n < 5:
                    self.expect(b'bytes for 5' in info.warnings[0].text, 'more', info.warnings[0].text)
        # Tag 33628 of longs counts pairs, not planes.
        self.one_directory(pages, {33628: (4, list(range(4)))})
        self.same(self.io.read(self.path), self.stack(pages[:1]), 'pairs of UIC1')
        self.one_directory(pages, {33628: (4, list(range(4))), 33629: (5, [(1, 1)] * 5)})
        self.same(self.io.read(self.path), self.stack(pages), 'pairs of UIC1, and UIC2')

    def chooses_pages(self):
        big = self.values((4, 20, 30), tess.BY_NAME['u16'])
        small = self.values((1, 6, 5), tess.BY_NAME['u16'])
        pages = [big[0], small[0], big[1], big[2], big[3].astype(np.float32)]
        with tifffile.TiffWriter(self.path) as file:
            for page in pages:
                file.write(page, photometric='minisblack', metadata=None)
        for i, page in enumerate(pages):
            self.same(self.io.read(self.path, page=i, n_pages=1), self.stack([page]), 'page', i)
        self.same(self.io.read(self.path, page=2, n_pages=2), self.stack(big[1:3]), 'two pages')
        for part in ('page 1 is 5 x 6 and page 0 is 30 x 20', 'opts->page selects one of these',
                     '0: 30 x 20 of u16, 1: 5 x 6 of u16, 2 to 3: 30 x 20 of u16, 4: 30 x 20 of f32'):
            self.fails(part, lambda: self.io.read(self.path), 'pages that differ')
        self.fails('page 4 has floats', lambda: self.io.read(self.path, page=2), 'of those from page 2 on')
        self.fails('opts->page is 5; the file has pages 0 to 4', lambda: self.io.read(self.path, page=5), 'no such page')
        self.fails('opts->n_pages is 3 from opts->page 3 on; the file has 5', lambda: self.io.read(
            self.path, page=3, n_pages=3), 'too many')
        self.fails('opts->page is -1', lambda: self.io.read(self.path, page=-1), 'a negative page')

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
                                   (3, (0, 1), (1, 0), (0, 0)), (3, (10**5, 1), (10**5, 1), (1000, 1000)),
                                   (2, (25400, 1), (50800, 1), (5000, 10000)), (3, (2000, 1), (2500, 1), (40000, 50000))):
            tags = {296: (3, [unit]), 282: (5, [x]), 283: y and (5, [y])}
            self.put(files.make_tiff(page, tags=tags))
            got = self.io.info(self.path).meta.pixel_size
            self.expect(np.allclose((got[1], got[2]), wanted, rtol=1e-7, atol=0), 'pixel size', unit, x, y, list(got))
            self.expect(got[0] == 0, 'pixel size between pages')

    def reads_print_resolutions(self):
        """Of screens, printers and scanners: no pixel size, however they are rounded."""
        page = np.zeros((1, 3, 4), np.uint8)
        dots = (1, 72, 75, 90, 96, 100, 110, 120, 144, 150, 180, 200, 204, 240, 300, 350, 400, 600, 720, 1200, 2400, 4800)
        cases = [(2, d, 1) for d in dots] + [(3, d, 1) for d in (28, 38, 59, 72, 79, 96, 100, 118, 120, 150, 236, 300, 472)]
        cases += [(2, 72009, 1000), (2, 719836, 10000), (2, 95987, 1000), (3, 2835, 100), (3, 283465, 10000),
                  (3, 37795, 1000), (3, 3937, 100), (3, 11811, 100), (3, 2362, 10), (3, 47244, 100)]
        for unit, above, below in cases:
            self.put(files.make_tiff(page, tags={296: (3, [unit]), 282: (5, [(above, below)]), 283: (5, [(above, below)])}))
            got = list(self.io.info(self.path).meta.pixel_size)
            self.expect(got == [0, 0, 0], 'for print', unit, above, below, got)

    def reads_units(self):
        """ImageJ's unit and spacing, and OME's physical sizes."""
        page = np.zeros((1, 3, 4), np.uint8)

        def size_of(text, unit=1, x=(10, 1), y=(4, 1)):
            self.put(files.make_tiff(page, tags={270: (2, list(text) + [0]), 296: (3, [unit]), 282: (5, [x]), 283: (5, [y])}))
            return list(self.io.info(self.path).meta.pixel_size)

        for text, wanted in ((b'unit=micron\nspacing=0.5', [5000, 2500, 1000]), (b'unit=um', [0, 2500, 1000]),
                             (b'unit=\\u00B5m\nspacing=-2', [20000, 2500, 1000]), (b'unit=\xc2\xb5m', [0, 2500, 1000]),
                             (b'unit=\xb5m', [0, 2500, 1000]), (b'unit=nm\nspacing=3', [30, 2.5, 1]),
                             (b'unit=A', [0, 0.25, 0.1]), (b'unit=Angstroms', [0, 0.25, 0.1]), (b'unit=nm pm', [0, 0, 0]),
                             (b'unit=pixel\nspacing=2', [0, 0, 0]), (b'spacing=2', [0, 0, 0]),
                             (b'unit=', [0, 0, 0]), (b'unit=furlong\nspacing=1', [0, 0, 0]), (b'unit=inch', [0, 0, 0]),
                             (b'unit=micron\nyunit=nm\nzunit=mm\nspacing=1', [1e7, 2.5, 1000]),
                             (b'unit=nm\nspacing=x', [0, 2.5, 1]), (b'unit=nm\nspacing=inf', [0, 2.5, 1])):
            got = size_of(b'ImageJ=1.53t\nimages=1\n' + text + b'\n')
            self.expect(np.allclose(got, wanted, rtol=1e-6, atol=0), 'ImageJ', text, got)
        got = size_of(b'ImageJ=1.53t\nunit=cm\n', 3, (300, 1), (300, 1))
        self.expect(np.allclose(got[1:], 1e8 / 300, rtol=1e-6), 'a unit that is said', got)
        self.expect(size_of(b'ImageJ=1.53t\nimages=1\n', 2, (96, 1), (96, 1)) == [0, 0, 0], 'ImageJ without a unit')
        tifffile.imwrite(self.path, np.zeros((5, 6, 7), np.uint16), imagej=True, resolution=(1 / 0.25, 1 / 0.25),
                         metadata={'unit': 'um', 'spacing': 0.75, 'axes': 'ZYX'})
        got = list(self.io.info(self.path).meta.pixel_size)
        self.expect(np.allclose(got, [7500, 2500, 2500], rtol=1e-6), 'ImageJ, by tifffile', got)
        for sizes, wanted in (('PhysicalSizeX="0.1" PhysicalSizeY="0.2"', [0, 2000, 1000]),
                              ('PhysicalSizeX="1" PhysicalSizeXUnit="nm" PhysicalSizeY="2" PhysicalSizeYUnit="\u00c5" '
                               'PhysicalSizeZ="3" PhysicalSizeZUnit="\u00b5m"', [30000, 2, 10]),
                              ("PhysicalSizeX='0.5' PhysicalSizeY='-1' PhysicalSizeZ='x'", [0, 0, 5000]),
                              ('PhysicalSizeX="2" PhysicalSizeXUnit="pixel"', [0, 0, 0]),
                              ('PhysicalSizeX="2', [0, 0, 0]), ('xPhysicalSizeX="2"', [0, 0, 0])):
            text = f'<?xml version="1.0"?><OME xmlns="http://x"><Image><Pixels ID="P" {sizes}><Channel/></Pixels></Image></OME>'
            got = size_of(text.encode(), 2, (72, 1), (72, 1))
            self.expect(np.allclose(got, wanted, rtol=1e-6, atol=0), 'OME', sizes, got)
        huge = (b'<?xml version="1.0"?><OME><Image><Pixels PhysicalSizeX="1" PhysicalSizeY="1e308" PhysicalSizeYUnit="m"/>'
                b'</Image></OME>')
        self.put(files.make_tiff(page, tags={270: (2, list(huge) + [0])}))
        for got in (size_of(huge, 2, (72, 1), (72, 1)), list(self.io.info(self.path).meta.pixel_size)):
            self.expect(got == [0, 0, 10000], 'OME, beyond f64', got)
        for text in (b'', b'<OME', b'<OME><Pixels', b'<OME><Pixels PhysicalSizeX', b'{', b'{"shape": [', b'ImageJ=',
                     b'{"shape": [3, , 99999999999999999999], "truncated": true}', b'{"truncated": true}'):
            self.expect(size_of(text) == [0, 0, 0] and self.io.info(self.path).shape[0] == 1, 'odd text', text)

    def reads_other_colours(self):
        """CMYK and YCbCr, against PIL's."""
        red = self.random.integers(0, 256, (40, 33, 3), np.uint8)
        smooth = Image.fromarray(red, 'RGB').resize((66, 80), Image.BICUBIC)
        for mode, most in (('CMYK', 1.01), ('YCbCr', 2.01)):
            for compression in (None, 'tiff_lzw', 'tiff_adobe_deflate'):
                smooth.convert(mode).save(self.path, compression=compression)
                wanted = np.asarray(smooth.convert(mode).convert('RGB').convert('L')).astype(int)
                got = self.io.read(self.path, grey=1)
                self.expect(got.dtype == np.uint8 and np.abs(got[0, 0, ::-1].astype(int) - wanted).max() <= most, mode,
                            compression)
                self.same(self.io.read(self.path, grey=1, keep_rows=1), got[:, :, ::-1], mode, 'rows kept')
                part = (slice(None), slice(None), slice(50, 3, -7), slice(5, 60, 3))
                self.same(self.io.part(self.path, part, grey=1), got[part], mode, 'part')
                self.fails('opts->grey', lambda: self.io.read(self.path), mode, 'without grey')
        ink = self.random.integers(0, 256, (20, 23, 4), np.uint8)
        for more in ({}, {'separate': True}, {'tile': (16, 16)}, {'rows': 6, 'compression': 5}):
            for orientation in (1, 4):
                tags = {262: (3, [5]), 274: (3, [orientation])}
                self.put(files.make_tiff([ink], samples=4, tags=tags, **more))
                got = self.io.read(self.path, grey=1)[0, 0].astype(float)
                light = (255 - ink[..., :3].astype(float)) * (255 - ink[..., 3:].astype(float)) / 255
                wanted = light @ (0.299, 0.587, 0.114)
                wanted = wanted if orientation == 4 else wanted[::-1]
                self.expect(np.abs(got - wanted).max() <= 1.5, 'inks', more, orientation)
        ink = self.random.integers(0, 65536, (20, 23, 4)).astype(np.uint16)
        for more in ({}, {'order': '>'}, {'tile': (16, 16)}, {'rows': 6, 'compression': 5}):
            self.put(files.make_tiff([ink], samples=4, tags={262: (3, [5])}, **more))
            light = (65535 - ink[..., :3].astype(float)) * (65535 - ink[..., 3:].astype(float)) / 65535
            got = self.io.read(self.path, grey=1)
            self.expect(got.dtype == np.uint16 and np.abs(got[0, 0, ::-1] - light @ (0.299, 0.587, 0.114)).max() <= 2,
                        'inks of 16 bits', more)
        self.put(files.make_tiff([ink], samples=4, separate=True, tags={262: (3, [5])}))
        self.fails('CMYK of 16 bits in separate planes', lambda: self.io.read(self.path, grey=1), 'planes of inks')
        self.put(files.make_tiff([ink.astype(np.uint32)], samples=4, tags={262: (3, [5])}))
        self.fails('photometric interpretation 5 and 32 bits', lambda: self.io.read(self.path, grey=1), 'inks of 32 bits')
        table = self.random.integers(0, 256, (256, 3))
        places = self.random.integers(0, 256, (20, 23, 2), np.uint8)
        tags = {262: (3, [3]), 320: (3, list((table.T * 257).ravel())), 338: (3, [2])}
        self.put(files.make_tiff([places], samples=2, tags=tags))
        got = self.io.read(self.path, grey=1)[0, 0, ::-1].astype(float)
        self.expect(np.abs(got - table[places[..., 0]] @ (0.299, 0.587, 0.114)).max() <= 0.501, 'a palette with alpha')
        for bits in (1, 2, 4):
            table = self.random.integers(0, 256, (1 << bits, 3))
            places = self.random.integers(0, 1 << bits, (5, 16), np.uint8)
            single = (places[..., None] >> np.arange(bits - 1, -1, -1) & 1).astype(np.uint8)
            tags = {256: (4, [16]), 262: (3, [3]), 320: (3, list((table.T * 257).ravel()))}
            self.put(files.make_tiff([np.packbits(single.reshape(5, -1), axis=-1)], bits=bits, tags=tags))
            got = self.io.read(self.path, grey=1)[0, 0, ::-1].astype(float)
            self.expect(np.abs(got - table[places] @ (0.299, 0.587, 0.114)).max() <= 0.501, 'a palette of bits', bits)
            wanted = np.asarray(Image.open(self.path).convert('RGB').convert('L')).astype(float)
            self.expect(np.abs(got - wanted).max() <= 1, "PIL's palette", bits)

    def reads_colours(self):
        def grey(colours):
            r, g, b = (colours[..., k].astype(np.float64) for k in range(3))
            mixed = 0.299 * r + 0.587 * g + 0.114 * b
            return mixed.astype(np.float32) if colours.dtype.kind == 'f' else mixed

        for dtype, kind in ((np.uint8, 1), (np.uint16, 1), (np.uint32, 1), (np.float32, 3)):
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
                ('a ring', files.make_tiff(page, loop_to=0), 'EFORMAT', 'page 1 is followed by the directory of page 0'),
                ('a ring of one', files.make_tiff(np.zeros((5, 8, 8), np.uint8), loop_to=3), 'EFORMAT', 'page 4 is followed by'),
                ('pages that differ', files.make_tiff([page[0], page[0, :4]]), 'EUNSUPPORTED', 'page 1 is 8 x 4'),
                ('types that differ', files.make_tiff([page[0], page[0].astype(np.uint16)]), 'EUNSUPPORTED', 'page 1'),
                ('a short file', whole[:-1], 'EFORMAT', 'page 1'),
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

    def picture(self, pixels, tags=None, **options):
        """A file of one strip by Pillow, and that strip's bytes in it; `tags` are changed."""
        data = io.BytesIO()
        Image.fromarray(pixels).save(data, 'tiff', **options)
        data = bytearray(data.getvalue())
        with tifffile.TiffFile(io.BytesIO(data)) as file:
            page = file.pages[0]
            for tag, value in (tags or {}).items():
                entry = page.tags[tag]
                struct.pack_into(file.byteorder + {3: 'H', 4: 'I'}[entry.dtype], data, entry.valueoffset, value)
            return data, page.dataoffsets, page.databytecounts

    def damaged_faxes(self):
        """Group 4 faxes that end too early, or are spoilt: libtiff leaves their last rows as they were, and is silent."""
        pixels = self.random.random((40, 61)) < 0.3
        data, (at, ), (n, ) = self.picture(pixels, compression='group4')
        self.put(data)
        self.same(self.io.read(self.path), self.stack([pixels.astype(np.uint8)]), 'a group 4 fax')
        for left in (1, 2, n // 4, n // 2, n - 30):
            self.put(self.picture(pixels, {279: left}, compression='group4')[0])
            self.fails('EFORMAT', lambda: self.io.read(self.path), 'a fax of', left, 'bytes')
            self.fails('strip 0 cannot be decoded', lambda: self.io.read(self.path), 'a fax of', left, 'bytes')
        spoilt = bytearray(data)
        spoilt[at + n // 2:at + n // 2 + 16] = b'\0' * 16
        self.put(spoilt)
        self.fails('EFORMAT', lambda: self.io.read(self.path), 'a spoilt fax')
        for width in (1, 7, 8, 61, 64):  # all is well but for the number of rows
            pixels = self.random.random((20, width)) < 0.5
            self.put(self.picture(pixels, {257: 40, 278: 40}, compression='group4')[0])
            self.fails('EFORMAT', lambda: self.io.read(self.path), 'a fax of 20 of 40 rows')
            kept = np.concatenate([pixels, np.zeros_like(pixels)]).astype(np.uint8)
            got = self.io.read(self.path, salvage=1)
            self.same(got[:, :, 20:], self.stack([kept])[:, :, 20:], 'salvaged rows of a fax')
        for pattern in (0x55, 0xaa):  # the last row as the reader fills it
            pixels = np.zeros((8, 64), bool)
            pixels[-1] = np.unpackbits(np.full(8, pattern, np.uint8))
            self.put(self.picture(pixels, compression='group4')[0])
            self.same(self.io.read(self.path), self.stack([pixels.astype(np.uint8)]), 'a last row of', pattern)

    def damaged_photographs(self):
        """JPEG fills up what is missing in grey, and takes that for a warning."""
        pixels = self.random.integers(0, 256, (64, 64)).astype(np.uint8)
        n = self.picture(pixels, compression='jpeg')[2][0]
        self.put(self.picture(pixels, {279: n // 2}, compression='jpeg')[0])
        self.fails('EFORMAT', lambda: self.io.read(self.path), 'half a JPEG strip')
        self.expect(self.io.read(self.path, salvage=1).shape == (1, 1, 64, 64), 'half a JPEG strip, salvaged')

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
                described = dtype.name not in ('f16', 'i64', 'u64')  # OME has no such types
                self.same(self.io.read(self.path), values if described else values.reshape(-1, 1, *shape[2:]), 'back',
                          dtype, name, shape)
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

    def keeps_axes(self):
        """Hyperstacks that tifffile writes for ImageJ and as OME, whatever the order of their axes."""
        data = self.random.integers(0, 999, (3, 4, 2, 5, 6)).astype(np.uint16)  # t, z, c
        wanted = data.transpose(0, 2, 1, 3, 4)[..., ::-1, :]
        for axes in ('TZCYX', 'ZYX', 'TYX', 'CYX', 'TZYX', 'ZCYX', 'TCYX'):
            part = data[tuple(slice(None) if axis in axes else 0 for axis in 'TZCYX')]
            shown = wanted[tuple(slice(None) if axis in axes else slice(1) for axis in 'TCZYX')]
            shown = np.ascontiguousarray(shown.reshape(-1, *shown.shape[2:]))
            tifffile.imwrite(self.path, part, imagej=True, metadata={'axes': axes})
            self.same(self.io.read(self.path), shown, 'ImageJ', axes)
            told = 'time points of 2 channels' in str(self.io.info(self.path).texts())
            self.expect(told == ('T' in axes and 'C' in axes), 'ImageJ: what is flattened is told', axes)
            self.expect(self.io.read(self.path, as_=1).shape[1] == 1, 'ImageJ, as a stack', axes)
            for order in itertools.permutations(axes[:-2]):
                order = ''.join(order)
                turned = np.ascontiguousarray(part.transpose(*(axes.index(a) for a in order + 'YX')))
                tifffile.imwrite(self.path, turned, ome=True, metadata={'axes': order + 'YX'}, photometric='minisblack')
                self.same(self.io.read(self.path), shown, 'OME', order)
        tifffile.imwrite(self.path, data[0, :, 0], metadata=None, photometric='minisblack',
                         description='ImageJ=1.53t\nimages=4\nslices=3\nhyperstack=true\n')
        self.expect(self.io.read(self.path).shape == (4, 1, 5, 6) and
                    'read as images in file order' in str(self.io.info(self.path).texts()), 'another number of pages')

    def writes_axes(self):
        """A volume, its spacing and its place come back, and tifffile finds the axes."""
        for shape, axes in (((1, 3, 4, 5), 'ZYX'), ((2, 3, 4, 5), 'TZYX')):
            values = self.values(shape, tess.BY_NAME['f32'])
            self.io.write(self.path, values, pixel_size=(2.34, 1.0742, 0.83), origin=(-1.5, 20.25, 1e-3))
            self.expect(tifffile.TiffFile(self.path).is_ome, 'OME')
            self.same(self.io.read(self.path), values, 'volumes back', shape)
            meta = self.io.info(self.path).meta
            self.expect(list(meta.pixel_size) == [2.34, 1.0742, 0.83], 'sizes back', list(meta.pixel_size))
            self.expect(list(meta.origin) == [-1.5, 20.25, 1e-3], 'origin back', list(meta.origin))
            with tifffile.TiffFile(self.path) as file:
                self.expect(file.series[0].axes == axes, 'axes by tifffile', file.series[0].axes)
                self.same(file.asarray(), values.reshape(file.series[0].shape)[..., ::-1, :], 'tifffile reads volumes')
                self.expect('PhysicalSizeZ="2.34' in file.ome_metadata, 'spacing', file.ome_metadata)
        self.io.write(self.path, self.values((3, 1, 4, 5), tess.BY_NAME['f32']), origin=(1, 2, 3))
        self.expect(self.io.read(self.path).shape == (3, 1, 4, 5) and list(self.io.info(self.path).meta.origin) == [1, 2, 3],
                    'a stack with an origin')

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
        clamped = np.clip(np.rint(numbers[0, 0, ::-1]), 0, 255).astype(np.uint8)
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
                     tests.reads_few_bits, tests.reads_stacks, tests.compares_counts, tests.chooses_pages,
                     tests.reads_print_resolutions, tests.reads_units, tests.reads_other_colours,
                     tests.reads_packed_frames, tests.reads_orientations, tests.reads_pixel_sizes, tests.reads_colours,
                     tests.refuses, tests.salvages, tests.damaged_faxes,
                     tests.damaged_photographs, tests.keeps_axes, tests.writes_axes, tests.writes, tests.writes_colours, tests.writes_other_types,
                     tests.reads_many_threads):
            test()
    tests.expect(lib.tess_memory_used(tess.CPU) == used, 'memory in use after the tests is that before')
    print(f'{tests.passed} passed, {tests.failed} failed')
    return 1 if tests.failed else 0


if __name__ == '__main__':
    sys.exit(main())
