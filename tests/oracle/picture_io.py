"""What the tests of TIFF and PNG share: parts of files, compressions, and TIFFs made by hand."""
import ctypes
import struct
import zlib
from ctypes import byref, c_void_p

import numpy as np

import tess
import tess_files

NONE, DEFLATE, LZW, ZSTD = 1, 4, 5, 6  # tess_compression


class Files(tess_files.Files):
    """Reading parts by slices, and writing with a pixel size."""

    def part(self, path, region, **options):
        """The part of an array that a tuple of slices says."""
        array, file = tess.Array(), c_void_p()
        self.check(self.lib.tess_open(byref(file), path.encode(), byref(tess_files.ReadOpts(**options))))
        status = self.lib.tess_file_read(byref(array), file, region_of(region))
        self.lib.tess_file_close(file)
        self.check(status)
        return self.taken(array)

    def write(self, path, values, pixel_size=None, origin=None, **options):
        if pixel_size or origin:
            options['meta'] = tess_files.Meta()
            options['meta'].pixel_size[:] = pixel_size or (0, 0, 0)
            options['meta'].origin[:] = origin or (0, 0, 0)
        super().write(path, values, **options)


def region_of(slices):
    region = tess.Region()
    for k, s in enumerate(slices):
        start = tess.NONE if s.start is None else s.start
        stop = tess.NONE if s.stop is None else s.stop
        region.range[k] = tess.Range(start, stop, s.step or 1, tess.RANGE_SLICE, 0)
    return region


# ---- Compressions that tifffile has not ----


def lzw_encode(data):
    """TIFF's LZW: codes from 9 to 12 bits, the highest bit first, wider one code early."""
    bits, n_bits, out = 0, 0, bytearray()

    def put(code, width):
        nonlocal bits, n_bits
        bits, n_bits = bits << width | code, n_bits + width
        while n_bits >= 8:
            n_bits -= 8
            out.append(bits >> n_bits & 255)
        bits &= (1 << n_bits) - 1

    table, following, width, word = {bytes([i]): i for i in range(256)}, 258, 9, b''
    put(256, width)
    for byte in data:
        longer = word + bytes([byte])
        if longer in table:
            word = longer
            continue
        put(table[word], width)
        table[longer] = following
        following, word = following + 1, bytes([byte])
        if following == 4094:
            put(256, width)
            table, following, width = {bytes([i]): i for i in range(256)}, 258, 9
        elif following in (512, 1024, 2048):
            width += 1
    if word:
        put(table[word], width)
        following += 1
        if following in (512, 1024, 2048):
            width += 1
    put(257, width)
    if n_bits:
        put(0, 8 - n_bits)
    return bytes(out)


def lzw_decode(data):
    out, table, width, previous, at = bytearray(), [], 9, None, 0
    bits, n_bits = 0, 0
    while True:
        while n_bits < width:
            if at == len(data):
                return bytes(out)
            bits, n_bits, at = bits << 8 | data[at], n_bits + 8, at + 1
        n_bits -= width
        code = bits >> n_bits
        bits &= (1 << n_bits) - 1
        if code == 257:
            return bytes(out)
        if code == 256:
            table, width, previous = [bytes([i]) for i in range(256)] + [b'', b''], 9, None
            continue
        if previous is None:
            entry = table[code]
        else:
            entry = table[code] if code < len(table) else previous + previous[:1]
            table.append(previous + entry[:1])
        out += entry
        previous = entry
        width = 9 + (len(table) >= 511) + (len(table) >= 1023) + (len(table) >= 2047)


def packbits_encode(data):
    out = bytearray()
    for i in range(0, len(data), 128):
        piece = data[i:i + 128]
        if len(set(piece)) == 1 and len(piece) > 1:
            out += bytes([257 - len(piece), piece[0]])
        else:
            out += bytes([len(piece) - 1]) + piece
    return bytes(out)


def zstd(data, packing):
    lib = ctypes.CDLL('libzstd.so.1')
    for name in ('ZSTD_compressBound', 'ZSTD_compress', 'ZSTD_decompress'):
        getattr(lib, name).restype = ctypes.c_size_t
    room = lib.ZSTD_compressBound(ctypes.c_size_t(len(data))) if packing else 1 << 24
    out = ctypes.create_string_buffer(room)
    arguments = [out, ctypes.c_size_t(room), bytes(data), ctypes.c_size_t(len(data))]
    n = lib.ZSTD_compress(*arguments, 3) if packing else lib.ZSTD_decompress(*arguments)
    return out.raw[:n]


ENCODERS = {1: bytes, 5: lzw_encode, 8: zlib.compress, 32946: zlib.compress, 32773: packbits_encode,
            50000: lambda data: zstd(data, True)}
DECODERS = {1: bytes, 5: lzw_decode, 8: zlib.decompress, 50000: lambda data: zstd(data, False)}

# ---- TIFFs made by hand ----

_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 16: 8}
_LETTERS = {1: 'B', 2: 'B', 3: 'H', 4: 'I', 16: 'Q'}


def make_tiff(pages, order='<', big=False, compression=1, rows=None, tile=None, tags=None, bits=None, samples=1,
              kind=1, loop_to=None, separate=False):
    """A TIFF of 2-D arrays (rows x columns, or rows x columns x samples) of one dtype. `rows` is of a strip, `tile` its
    (columns, rows); `tags` are more of them: {number: (type, values)}, or None to leave one out. Bytes of 4-bit pixels
    are given ready packed with `bits`=4 and the true width in tags[256]. The order of bits is that of tags[266]."""
    out = bytearray(struct.pack(order + '2sHHHQ', b'II' if order == '<' else b'MM', 43, 8, 0, 0) if big else
                    struct.pack(order + '2sHI', b'II' if order == '<' else b'MM', 42, 0))
    link, places = (8, 'Q') if big else (4, 'I'), []
    for page in pages:
        h, w = page.shape[:2]
        swapped = page.astype(page.dtype.newbyteorder(order))
        blocks = []
        planes = [swapped[..., s] for s in range(samples)] if separate else [swapped]
        for plane in planes:
            blocks += _tiles(plane, tile) if tile else [plane[y:y + (rows or h)] for y in range(0, h, rows or h)]
        offsets, counts = [], []
        for block in blocks:
            data = ENCODERS[compression](np.ascontiguousarray(block).tobytes())
            if (tags or {}).get(266) == (3, [2]):
                data = bytes(int(f'{byte:08b}'[::-1], 2) for byte in data)
            offsets.append(len(out))
            counts.append(len(data))
            out += data + b'\0' * (len(data) % 2)
        entries = {256: (4, [w]), 257: (4, [h]), 258: (3, [bits or 8 * page.dtype.itemsize] * samples),
                   259: (3, [compression]), 262: (3, [2 if samples >= 3 else 1]), 277: (3, [samples]),
                   284: (3, [2 if separate else 1]), 339: (3, [kind] * samples)}
        if tile:
            entries.update({322: (4, [tile[0]]), 323: (4, [tile[1]]), 324: (16 if big else 4, offsets),
                            325: (4, counts)})
        else:
            entries.update({273: (16 if big else 4, offsets), 278: (4, [rows or h]), 279: (4, counts)})
        entries.update(tags or {})
        entries = {tag: value for tag, value in entries.items() if value is not None}
        link = _put_directory(out, entries, order, big, link, places)
    if loop_to is not None:
        struct.pack_into(order + link[1], out, link[0], places[loop_to])
    return bytes(out)


def _tiles(page, tile):
    h, w = page.shape[:2]
    for y in range(0, h, tile[1]):
        for x in range(0, w, tile[0]):
            block = np.zeros((tile[1], tile[0]) + page.shape[2:], page.dtype)
            part = page[y:y + tile[1], x:x + tile[0]]
            block[:part.shape[0], :part.shape[1]] = part
            yield block


def _put_directory(out, entries, order, big, link, places):
    """Append a directory, link the one before to it, and give the place of its own link."""
    packed = {}
    for tag, (type_, values) in entries.items():
        if type_ == 5:
            data = b''.join(struct.pack(order + 'II', *value) for value in values)
        else:
            data = struct.pack(f'{order}{len(values)}{_LETTERS[type_]}', *values)
        if len(data) > (8 if big else 4):
            at = len(out)
            out += data + b'\0' * (len(data) % 2)
            data = struct.pack(order + ('Q' if big else 'I'), at)
        packed[tag] = (type_, len(values), data.ljust(8 if big else 4, b'\0'))
    struct.pack_into(order + link[1], out, link[0], len(out))
    places.append(len(out))
    out += struct.pack(order + ('Q' if big else 'H'), len(packed))
    for tag in sorted(packed):
        type_, n, data = packed[tag]
        out += struct.pack(order + ('HHQ' if big else 'HHI'), tag, type_, n) + data
    at = len(out)
    out += b'\0' * (8 if big else 4)
    return at, 'Q' if big else 'I'
