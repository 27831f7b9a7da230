"""EER movies made by hand, for tests: events as runs and positions in pixels, frames in a TIFF or a BigTIFF."""
import struct

import numpy as np

RUN_BITS = {65000: 8, 65001: 7}
METADATA = b'<metadata><item name="sensorPixelSize.height" unit="m">7.5e-11</item>' \
    b'<item name="sensorPixelSize.width" unit="m"> 7.25e-11 </item></metadata>\0'


def random_events(random, height, width, share, bits=2):
    """Positions of electrons in units of 1 / 2**bits of a pixel: one (y, x) for each of a share of the pixels."""
    at = np.flatnonzero(random.random(height * width) < share)
    y, x = at // width, at % width
    inside = random.integers(0, 2**bits, (2, at.size))
    return np.stack([(y << bits) + inside[0], (x << bits) + inside[1]], 1)


def rendered(frames, height, width, upsampling=1, bits=2):
    """Counts of the electrons of some frames."""
    image = np.zeros((height * upsampling, width * upsampling), np.int64)
    for events in frames:
        scaled = events * upsampling // 2**bits
        np.add.at(image, (scaled[:, 0], scaled[:, 1]), 1)
    return image


def encode(events, height, width, run_bits=7, bits=2):
    """The bytes of a frame: the lowest bit first."""
    out, longest, at = [], 2**run_bits - 1, 0
    half = 2**bits // 2
    for y, x in events:
        run = int(y >> bits) * width + int(x >> bits) - at
        while run >= longest:
            out.append((longest, run_bits))
            run -= longest
        out.append((run, run_bits))
        out.append(((int(x) % 2**bits) ^ half, bits))
        out.append(((int(y) % 2**bits) ^ half, bits))
        at = int(y >> bits) * width + int(x >> bits) + 1
    run = height * width - at
    while run >= longest:
        out.append((longest, run_bits))
        run -= longest
    if run:
        out.append((run, run_bits))
    text = ''.join(f'{value:0{n}b}'[::-1] for value, n in out if n)
    text += '0' * (-len(text) % 8)
    return bytes(int(text[i:i + 8][::-1], 2) for i in range(0, len(text), 8))


def make_eer(frames, height, width, compression=65001, big=True, order='<', strips=1, metadata=METADATA, tags=None,
             plain_first=False, bits_tags=None):
    """A movie of frames that are bytes. `tags` replaces values of the last frame, {tag: (type, [values]) or None}."""
    place, word = ('Q', 8) if big else ('I', 4)
    data = bytearray((b'II' if order == '<' else b'MM') + struct.pack(order + 'H', 43 if big else 42))
    if big:
        data += struct.pack(order + 'HH', 8, 0)
    link = len(data)
    data += bytes(word)
    pages = ([(b'\1' * (height * width), 1)] if plain_first else []) + [(f, compression) for f in frames]
    for number, (frame, how) in enumerate(pages):
        cuts = [len(frame) * k // strips for k in range(strips + 1)]
        offsets = [len(data) + c for c in cuts[:-1]]
        data += frame
        entries = {256: (4, [width]), 257: (4, [height]), 258: (3, [8]), 259: (3, [how]), 262: (3, [1]),
                   273: (16 if big else 4, offsets), 277: (3, [1]), 278: (4, [height]),
                   279: (4, [b - a for a, b in zip(cuts, cuts[1:])])}
        if number == 0 and metadata or number == 1 and plain_first:
            entries[65001] = (7, list(metadata))
        if bits_tags:
            entries.update({tag: (3, [value]) for tag, value in bits_tags.items() if value is not None})
        if number == len(pages) - 1 and tags:
            entries.update(tags)
        entries = {tag: value for tag, value in entries.items() if value}
        packed = []
        for tag, (kind, values) in sorted(entries.items()):
            body = struct.pack(f'{order}{len(values)}' + {1: 'B', 3: 'H', 4: 'I', 7: 'B', 16: 'Q'}[kind], *values)
            if len(body) > word:
                where = len(data)
                data += body
                body = struct.pack(order + place, where)
            packed.append(struct.pack(order + 'HH' + place, tag, kind, len(values)) + body.ljust(word, b'\0'))
        struct.pack_into(order + place, data, link, len(data))
        data += struct.pack(order + ('Q' if big else 'H'), len(packed)) + b''.join(packed)
        link = len(data)
        data += bytes(word)
    return bytes(data)
