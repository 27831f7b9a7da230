"""SER files made by hand, for tests, by the description of Chris Boothroyd."""
import struct

import numpy as np

TYPES = {'u1': 1, 'u2': 2, 'u4': 3, 'i1': 4, 'i2': 5, 'i4': 6, 'f4': 7, 'f8': 8, 'c8': 9, 'c16': 10}


def element(values, delta):
    """One image (two axes) or spectrum (one)."""
    calibration = b''.join(struct.pack('<ddi', -1e-7, d, 0) for d in delta[:values.ndim])
    return calibration + struct.pack('<h', TYPES[values.dtype.str[1:]]) + \
        struct.pack(f'<{values.ndim}i', *values.shape[::-1]) + values.astype(values.dtype.newbyteorder('<')).tobytes()


def ser_file(elements, version=0x210, delta=(2e-10, 3e-10), total=None, valid=None, gaps=None, kind=None, offsets=None,
             dimensions=1):
    """`elements` are arrays of one or two axes; `gaps` are bytes before each; `offsets` changes some of those written."""
    valid = len(elements) if valid is None else valid
    total = max(valid, len(elements)) if total is None else total
    kind = (0x4122 if elements[0].ndim == 2 else 0x4120) if kind is None else kind
    width = 'q' if version >= 0x220 else 'i'
    head = struct.pack('<HHHiiii', 0x4949, 0x0197, version, kind, 0x4152, total, valid)
    dims = struct.pack('<iddi', len(elements), 0, 1, 0) + struct.pack('<i6si', 6, b'Number', 0)
    start = len(head) + struct.calcsize('<' + width) + 4 + dimensions * len(dims)
    at, body, places = start + 2 * total * struct.calcsize('<' + width), b'', []
    for i, values in enumerate(elements):
        body += bytes(gaps[i] if gaps else 0)
        places.append(at + len(body))
        body += element(values, delta) + struct.pack('<ii', 0x4152, 1000 + i)
    places += [0] * (total - len(elements))
    for i, place in (offsets or {}).items():
        places[i] = place
    array = struct.pack(f'<{total}{width}', *places)
    return head + struct.pack('<' + width, start) + struct.pack('<i', dimensions) + dims * dimensions + array * 2 + body
