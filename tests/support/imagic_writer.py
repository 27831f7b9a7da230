"""IMAGIC files made by hand, for tests: a header of 256 words for each image, and the images."""
import struct

import numpy as np

TYPES = {'u1': b'PACK', 'i2': b'INTG', 'i4': b'LONG', 'f4': b'REAL', 'c8': b'COMP'}
STAMP = {'<': 0x02020202, '>': 0x04040404, '': 0}


def imagic_header(number, following, shape, kind, order='<', stamp=None, planes=1, name=b'', **floats):
    """`floats` by number of word from 0, as w17=0.5."""
    words = [0] * 256
    words[0], words[1], words[3], words[12], words[13], words[60], words[61] = \
        number, following, 1, shape[0], shape[1], planes, following + 1
    words[68] = STAMP[order] if stamp is None else stamp
    header = bytearray(struct.pack(order + '256i', *words))
    header[56:60] = kind
    header[116:196] = name.ljust(80)
    for word, value in floats.items():
        header[4 * int(word[1:]):4 * int(word[1:]) + 4] = struct.pack(order + 'f', value)
    return bytes(header)


def imagic_files(values, order='<', headers_per_volume=True, **changes):
    """The bytes of the .hed and of the .img: `values` are volumes (n, planes, rows, columns)."""
    n, planes = values.shape[:2]
    count = n if headers_per_volume else n * planes
    kind = changes.pop('kind', TYPES[values.dtype.str[1:]])
    said = changes.pop('said', count)
    heads = b''.join(imagic_header(i + 1, said - 1 if i == 0 else 0, values.shape[2:], kind, order, planes=planes, **changes)
                     for i in range(count))
    return heads, values.astype(values.dtype.newbyteorder(order)).tobytes()
