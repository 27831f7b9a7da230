"""EM files made by hand, for tests: the header of 512 bytes as TOM describes it."""
import struct

import numpy as np

TYPES = {'i1': 1, 'i2': 2, 'i4': 4, 'f4': 5, 'c8': 8, 'f8': 9, 'c16': 10}
MACHINES = {'>': (0, 3, 5), '<': (1, 2, 4, 6)}


def em_file(values, machine=6, comment=b'', pixel_size=0, **changes):
    """`values` with x as the last of three axes; pixel size in thousandths of an Angstrom."""
    order = '>' if machine in MACHINES['>'] else '<'
    parameters = [0] * 40
    parameters[6] = pixel_size
    fields = dict(version=0, type=TYPES[values.dtype.str[1:]], sizes=values.shape[::-1], order=order)
    fields.update(changes)
    header = struct.pack('4B', machine, fields['version'], 0, fields['type'])
    header += struct.pack(fields['order'] + '3i', *fields['sizes']) + comment.ljust(80, b'\0')
    header += struct.pack(fields['order'] + '40i', *parameters) + bytes(256)
    return header + values.astype(values.dtype.newbyteorder(fields['order'])).tobytes()
