"""Reads PNG files of 8-bit grey or colour by zlib alone, and takes apart what terminals are sent."""
import re
import struct
import zlib

import numpy as np


def decode(data):
    """Pixels {h,w,3} of the bytes of a PNG file, rows from the top; every check sum is verified."""
    assert data[:8] == b'\x89PNG\r\n\x1a\n', 'signature'
    at, body, header = 8, b'', None
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        chunk = data[at + 8:at + 8 + size]
        crc, = struct.unpack('>I', data[at + 8 + size:at + 12 + size])
        assert zlib.crc32(kind + chunk) == crc, f'check sum of {kind}'
        if kind == b'IHDR':
            header = struct.unpack('>IIBBBBB', chunk)
        if kind == b'IDAT':
            body += chunk
        at += 12 + size
    width, height, bits, colour, _, _, interlaced = header
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    assert bits == 8 and interlaced == 0
    raw = np.frombuffer(zlib.decompress(body), np.uint8).reshape(height, 1 + width * channels)
    rows = np.zeros((height, width, channels), np.uint8)
    above = np.zeros((width, channels), int)
    for y in range(height):
        above = unfilter(int(raw[y, 0]), raw[y, 1:].reshape(width, channels).astype(int), above)
        rows[y] = above
    return np.repeat(rows[:, :, :1], 3, 2) if channels < 3 else rows[:, :, :3]


def unfilter(kind, row, above):
    if kind == 0:
        return row
    if kind == 2:
        return (row + above) % 256
    if kind == 1:
        return np.cumsum(row, axis=0) % 256
    out = np.zeros_like(row)
    zero = np.zeros(row.shape[1], int)
    for x in range(row.shape[0]):
        a, b, c = (out[x - 1], above[x], above[x - 1]) if x else (zero, above[x], zero)
        if kind == 3:
            guess = (a + b) // 2
        else:
            p = a + b - c
            pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
            guess = np.where((pa <= pb) & (pa <= pc), a, np.where(pb <= pc, b, c))
        out[x] = (row[x] + guess) % 256
    return out


def read(path):
    with open(path, 'rb') as file:
        return decode(file.read())


def from_sixel(data):
    width, height, body = re.fullmatch(rb'\x1bPq"1;1;(\d+);(\d+)(.*)\x1b\\\n', data, re.S).groups()
    image = np.full((int(height) + 6, int(width), 3), -1.0)
    palette, x, y, now = {}, 0, 0, 0
    for token in re.finditer(rb'#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|(\$)|(-)', body):
        number, r, g, b, count, repeated, one, back, down = token.groups()
        if number is not None:
            now = int(number)
            if r is not None:
                palette[now] = [int(v) * 2.55 for v in (r, g, b)]
        elif back:
            x = 0
        elif down:
            x, y = 0, y + 6
        else:
            bits, n = (repeated or one)[0] - 63, int(count or 1)
            for k in range(6):
                if bits >> k & 1:
                    image[y + k, x:x + n] = palette[now]
            x += n
    return image[:int(height)]


def from_half_blocks(text):
    """Pixels of half-blocks in 24-bit colours."""
    rows = []
    for line in text.rstrip('\n').split('\n'):
        top, low, rows_now = None, None, ([], [])
        for code in re.finditer(r'\x1b\[(38|48);2;(\d+);(\d+);(\d+)m|\u2580|\x1b\[0m', line):
            if code.group(1) == '38':
                top = [int(v) for v in code.groups()[1:]]
            elif code.group(1) == '48':
                low = [int(v) for v in code.groups()[1:]]
            elif code.group(0) == '\u2580':
                rows_now[0].append(top)
                rows_now[1].append(low)
        rows += [row for row in rows_now if row[0] is not None]
    return np.array(rows)
