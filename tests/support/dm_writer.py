"""DM3 and DM4 files made by hand, for tests: a tree of tags as nested dicts and lists."""
import struct

import numpy as np

TYPES = {'i2': 2, 'i4': 3, 'u2': 4, 'u4': 5, 'f4': 6, 'f8': 7, 'b1': 8, 'i1': 9, 'u1': 10, 'i8': 11, 'u8': 12}
DATA_TYPES = {'i2': 1, 'f4': 2, 'c8': 3, 'u1': 6, 'i4': 7, 'i1': 9, 'u2': 10, 'u4': 11, 'f8': 12, 'c16': 13,
              'b1': 14, 'i8': 39, 'u8': 40}


class Struct(tuple):
    """Values of i4 that are one value together."""


def dm_file(tree, version=4, order='<'):
    """The bytes of a file. Leaves are scalars of NumPy, one-dimensional arrays, texts and Structs."""
    width = '>Q' if version == 4 else '>I'

    def number(value):
        return struct.pack(width, value)

    def value_bytes(value):
        if isinstance(value, str):
            value = np.frombuffer(value.encode('utf-16-le'), '<u2')
        if isinstance(value, Struct):
            types = [15, 0, len(value)] + [0, 3] * len(value)
            body = struct.pack(f'{order}{len(value)}i', *value)
        else:
            value = np.asarray(value)
            if value.dtype.kind == 'c':  # two reals, one after the other
                types = [20, 15, 0, 2] + [0, TYPES[f'f{value.dtype.itemsize // 2}']] * 2 + [value.size]
            elif value.ndim:
                types = [20, TYPES[value.dtype.str[1:]], value.size]
            else:
                types = [TYPES[value.dtype.str[1:]]]
            body = value.astype(value.dtype.newbyteorder(order)).tobytes()
        return b'%%%%' + number(len(types)) + b''.join(number(t) for t in types) + body

    def tag(name, value):
        is_group = isinstance(value, (dict, list))
        body = group(value) if is_group else value_bytes(value)
        length = number(len(body)) if version == 4 else b''
        return struct.pack('>BH', 20 if is_group else 21, len(name)) + name.encode('latin-1') + length + body

    def group(entries):
        pairs = [('', e) for e in entries] if isinstance(entries, list) else list(entries.items())
        return b'\1\0' + number(len(pairs)) + b''.join(tag(n, v) for n, v in pairs)

    root = group(tree)
    return struct.pack('>I', version) + number(len(root)) + struct.pack('>I', order == '<') + root + bytes(8)


def image_tags(values, scale=(), units=(), **changes):
    """The tags of an image: `values` with the fastest axis last."""
    tags = {'Calibrations': {'DisplayCalibratedUnits': np.bool_(1),
                             'Dimension': [{'Origin': np.float32(0), 'Scale': np.float32(s), 'Units': u}
                                           for s, u in zip(scale, units)]},
            'Data': values.ravel(), 'DataType': np.uint32(DATA_TYPES.get(values.dtype.str[1:], 0)),
            'Dimensions': [np.uint32(n) for n in values.shape[::-1]], 'PixelDepth': np.uint32(values.itemsize)}
    tags.update(changes)
    return {'ImageData': {k: v for k, v in tags.items() if v is not None}, 'Name': 'an image'}


def document(images, thumbnails=(0,), shown=()):
    """A whole tree: other tags around the list of images, as the program writes them; indices of thumbnails, and of images
    that the document displays."""
    return {'ApplicationBounds': Struct((0, 0, 1050, 1680)), 'DocumentObjectList': [{'Range': Struct((1, 2))}],
            'HasWindowPosition': np.bool_(1), 'ImageList': images,
            'ImageSourceList': [{'ClassName': 'ImageSource:Simple', 'Id': [np.uint32(k)], 'ImageRef': np.uint32(i)}
                                for k, i in enumerate(shown)],
            'Thumbnails': [{'ImageIndex': np.uint32(i)} for i in thumbnails], 'a name that is longer than most names are': np.int8(-3)}
