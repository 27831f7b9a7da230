"""PNG against PIL, both ways, and against a reader and a writer of our own, by zlib alone."""
import os
import struct
import sys
import tempfile
import zlib

import numpy as np
from PIL import Image

import picture_io as files
import tess
import tess_files

MOST_SHOWN = 10
GREY, RGB, PALETTE, GREY_ALPHA, RGB_ALPHA = 0, 2, 3, 4, 6
SAMPLES = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGB_ALPHA: 4}
PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))


def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))


def packed_rows(pixels, bits):
    """Rows of bytes of an array (h, w, samples), each with a filter byte of 0."""
    rows = []
    for row in pixels.reshape(pixels.shape[0], -1):
        if bits == 16:
            data = row.astype('>u2').tobytes()
        elif bits == 8:
            data = row.astype(np.uint8).tobytes()
        else:
            text = ''.join(f'{int(v):0{bits}b}' for v in row)
            text += '0' * (-len(text) % 8)
            data = bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))
        rows.append(b'\0' + data)
    return b''.join(rows)


def make_png(pixels, bits, colour, chunks=(), interlaced=False):
    pixels = pixels.reshape(pixels.shape[0], pixels.shape[1], SAMPLES[colour])
    h, w = pixels.shape[:2]
    if interlaced:
        parts = [pixels[y::dy, x::dx] for y, x, dy, dx in PASSES]
        data = b''.join(packed_rows(part, bits) for part in parts if part.size)
    else:
        data = packed_rows(pixels, bits)
    out = b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, bits, colour, 0, 0, int(interlaced)))
    packed = zlib.compress(data)
    half = len(packed) // 2
    return out + b''.join(chunks) + chunk(b'IDAT', packed[:half]) + chunk(b'IDAT', packed[half:]) + chunk(b'IEND', b'')


def read_chunks(data):
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    at = 8
    while at < len(data):
        n, name = struct.unpack_from('>I4s', data, at)
        body = data[at + 8:at + 8 + n]
        assert struct.unpack_from('>I', data, at + 8 + n)[0] == zlib.crc32(name + body)
        yield name, body
        at += 12 + n


def read_png(data):
    """Pixels (h, w, samples) of a PNG without interlacing, and its texts."""
    packed, texts = b'', {}
    for name, body in read_chunks(data):
        if name == b'IHDR':
            w, h, bits, colour, _, _, interlaced = struct.unpack('>IIBBBBB', body)
            assert not interlaced and bits >= 8
        elif name == b'IDAT':
            packed += body
        elif name == b'tEXt':
            key, text = body.split(b'\0', 1)
            texts[key.decode()] = text.decode('latin-1')
    step = SAMPLES[colour] * bits // 8
    rows, above, raw = [], np.zeros(w * step, np.int64), zlib.decompress(packed)
    for y in range(h):
        line = raw[y * (w * step + 1):(y + 1) * (w * step + 1)]
        above = unfilter(line[0], np.frombuffer(line[1:], np.uint8).astype(np.int64), above, step)
        rows.append(above)
    flat = np.array(rows, np.uint8)
    return (flat.view('>u2') if bits == 16 else flat).reshape(h, w, -1), texts


def unfilter(kind, line, above, step):
    out = np.zeros_like(line)
    for i in range(len(line)):
        a, b, c = (out[i - step] if i >= step else 0), above[i], (above[i - step] if i >= step else 0)
        p = a + b - c
        nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        out[i] = (line[i] + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
    return out


class Tests:
    def __init__(self, lib, seed, folder):
        self.lib, self.io, self.random = lib, files.Files(lib), np.random.default_rng(seed)
        self.passed = self.failed = 0
        self.path = os.path.join(folder, 'x.png')

    def expect(self, holds, *what):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        if not holds and self.failed < MOST_SHOWN:
            print('FAILED:', *what)

    def same(self, got, wanted, *what):
        self.expect(got.shape == wanted.shape and np.array_equal(got, wanted), *what)

    def put(self, data):
        with open(self.path, 'wb') as file:
            file.write(data)

    def reads_grey(self):
        for bits in (1, 2, 4, 8, 16):
            for w, h in ((1, 1), (7, 5), (31, 33)):
                for interlaced in (False, True):
                    pixels = self.random.integers(0, 2**bits, (h, w))
                    self.put(make_png(pixels, bits, GREY, interlaced=interlaced))
                    wanted = pixels if bits >= 8 else pixels * 255 // (2**bits - 1)
                    got = self.io.read(self.path)
                    self.expect(got.dtype == (np.uint16 if bits == 16 else np.uint8), 'dtype of', bits)
                    self.same(got, wanted[None, None, ::-1], 'grey', bits, w, h, interlaced)
                    self.same(self.io.read(self.path, keep_rows=1), wanted[None, None], 'grey, rows kept', bits)
                    if bits < 16:
                        by_pil = np.asarray(Image.open(self.path).convert('L'))
                        self.same(by_pil, wanted, 'grey by PIL', bits, w, h, interlaced)

    def reads_colours(self):
        for colour in (RGB, RGB_ALPHA, PALETTE, GREY_ALPHA):
            for bits in (1, 2, 4, 8) if colour == PALETTE else (8, 16):
                for interlaced in (False, True):
                    pixels = self.random.integers(0, 2**bits, (9, 11, SAMPLES[colour]))
                    table = self.random.integers(0, 256, (2**bits, 3)) if colour == PALETTE else None
                    chunks = [chunk(b'PLTE', table.astype(np.uint8).tobytes())] if colour == PALETTE else []
                    if colour == PALETTE and interlaced:
                        chunks.append(chunk(b'tRNS', b'\x80'))
                    self.put(make_png(pixels, bits, colour, chunks, interlaced))
                    shown = table[pixels[..., 0]] if colour == PALETTE else pixels
                    wanted = shown[..., 0] if colour == GREY_ALPHA else shown[..., :3] @ (0.299, 0.587, 0.114)
                    got = self.io.read(self.path, grey=1)[0, 0, ::-1].astype(np.float64)
                    self.expect(np.abs(got - wanted).max() <= 0.501, 'colours', colour, bits, interlaced)
                    codes = [w.code for w in self.io.info(self.path, grey=1).warnings if w.code]
                    alpha = colour in (RGB_ALPHA, GREY_ALPHA) or len(chunks) == 2
                    self.expect(len(codes) == (colour != GREY_ALPHA) + alpha, 'notes', colour, codes)
                    if colour != GREY_ALPHA:
                        self.fails('opts->grey', lambda: self.io.read(self.path), 'colours without grey')

    def tells_of_animations(self):
        pixels = self.random.integers(0, 256, (5, 6)).astype(np.uint8)
        for frames, told in ((7, True), (1, False)):
            control = chunk(b'acTL', struct.pack('>II', frames, 0))
            self.put(make_png(pixels, 8, 0, [chunk(b'tEXt', b'Title\0x'), control]))
            self.same(self.io.read(self.path), pixels[None, None, ::-1], 'the default image of an animation')
            texts = self.io.info(self.path).texts()
            self.expect(('an animation of 7 frames; only its default image is read' in texts) == told, 'told', texts)

    def reads_parts(self):
        pixels = self.random.integers(0, 65536, (40, 50)).astype(np.uint16)
        self.put(make_png(pixels, 16, GREY))
        for rows, columns in ((slice(3, 30, 4), slice(None, None, -3)), (slice(0, 1), slice(49, 50)),
                              (slice(None, None, -1), slice(5, 5))):
            region = (slice(None), slice(None), rows, columns)
            self.same(self.io.part(self.path, region), pixels[None, None, ::-1][region], 'part', region)
        self.same(self.io.read(self.path, dtype=tess.BY_NAME['f32'].number), pixels[None, None, ::-1], 'as f32')

    def fails(self, part, call, *what):
        try:
            call()
            self.expect(False, 'should have failed:', *what)
        except tess_files.Failure as error:
            self.expect(part in str(error), *what, 'says', error)

    def refuses(self):
        good = make_png(self.random.integers(0, 256, (20, 20)), 8, GREY)
        huge = chunk(b'IHDR', struct.pack('>IIBBBBB', 2**31 - 1, 2**31 - 1, 16, 2, 0, 0, 0))
        for what, data, part in (('a huge size', good[:8] + huge + good[33:], 'cannot be in a file of'),
                                 ('a bad checksum', good[:40] + b'!' + good[41:], 'libpng'),
                                 ('a short file', good[:-30], 'truncated'), ('only the magic', good[:8], 'truncated'),
                                 ('a depth of 3', good[:24] + b'\3' + good[25:], 'libpng'),
                                 ('a size of 0', good[:8] + chunk(b'IHDR', b'\0' * 8 + b'\x08\0\0\0\0') + good[33:],
                                  'libpng')):
            self.put(data)
            self.fails('EFORMAT', lambda: self.io.read(self.path), what)
            self.fails(part, lambda: self.io.read(self.path), what)
        self.put(good[:-30])
        self.expect(self.io.read(self.path, salvage=1).shape == (1, 1, 20, 20), 'salvaged')

    def writes(self):
        for name, pil in (('u8', np.uint8), ('u16', np.uint16)):
            for keep in (0, 1):
                for compression in (0, files.NONE, files.DEFLATE):
                    values = self.random.integers(0, np.iinfo(pil).max + 1, (1, 1, 23, 31)).astype(pil)
                    strided = np.ascontiguousarray(values.transpose(3, 1, 0, 2)).transpose(2, 1, 3, 0)
                    self.io.write(self.path, strided, keep_rows=keep, compression=compression,
                                  pixel_size=(0, 1.0742, 12.5e-3))
                    with open(self.path, 'rb') as file:
                        pixels, texts = read_png(file.read())
                    wanted = values[0, 0] if keep else values[0, 0, ::-1]
                    self.same(pixels[..., 0], wanted, 'written', name, keep, compression)
                    self.same(np.asarray(Image.open(self.path)), wanted, 'PIL', name, keep)
                    self.expect(texts == {'pixel_size_angstrom': '1.0742 0.0125'}, texts)
                    self.same(self.io.read(self.path, keep_rows=keep), values, 'back', name)
                    got = list(self.io.info(self.path).meta.pixel_size)
                    self.expect(got == [0, 1.0742, 12.5e-3], 'pixel size back', got)

    def writes_colours(self):
        planes = self.random.integers(0, 256, (1, 3, 12, 17), np.uint8)
        self.io.write(self.path, planes, rgb=1)
        self.same(np.asarray(Image.open(self.path)), planes[0].transpose(1, 2, 0)[::-1], 'colours')

    def refuses_to_write(self):
        floats = np.zeros((1, 1, 4, 4), np.float32)
        self.fails('f32', lambda: self.io.write(self.path, floats), 'floats')
        self.io.write(self.path, floats + 300, dtype=tess.BY_NAME['u8'].number)
        self.expect((self.io.read(self.path) == 255).all(), 'clamped')
        stack = np.zeros((2, 1, 4, 4), np.uint8)
        self.fails('one image', lambda: self.io.write(self.path, stack), 'a stack')
        self.fails('lzw, which is not supported for png files', lambda: self.io.write(self.path, stack[:1], compression=files.LZW), 'lzw')


def main():
    options = tess.arguments(__doc__)
    lib = tess.load(options.library)
    used = lib.tess_memory_used(tess.CPU)
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(lib, options.seed, folder)
        for test in (tests.reads_grey, tests.reads_colours, tests.tells_of_animations, tests.reads_parts, tests.refuses, tests.writes,
                     tests.writes_colours, tests.refuses_to_write):
            test()
    tests.expect(lib.tess_memory_used(tess.CPU) == used, 'memory in use after the tests is that before')
    print(f'{tests.passed} passed, {tests.failed} failed')
    return 1 if tests.failed else 0


if __name__ == '__main__':
    sys.exit(main())
