"""NPY and NPZ files compared with NumPy, both ways: python3 npy.py libtessera.so [seed]

NumPy writes every element type, byte order, order of axes, rank and version, stored and deflated; the library reads all
of it or a random part into a random strided view, also of another element type. What the library writes, NumPy and
zipfile read. Headers by hand are read as ast.literal_eval does, or rejected. The last line counts comparisons.
"""
import ctypes
import io
import os
import struct
import sys
import tempfile
import warnings
import zipfile
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_uint32, c_void_p

import numpy as np

import copies
import tess

np.seterr(all='ignore')
warnings.simplefilter('ignore')  # of NumPy, about versions 2 and 3

DTYPES = [d for d in tess.SCALARS if d.name != 'c16']
EFORMAT, EUNSUPPORTED, EEXIST = -12, -13, -14
AS_DEFAULT, AS_STACK, AS_VOLUME, AS_VOLUMES = range(4)
DEFLATE = 4


class ReadOpts(ctypes.Structure):
    _fields_ = [('format', c_int32), ('as_', c_int32), ('depth', c_int64), ('bytes', c_int32), ('dtype', c_int32),
                ('salvage', c_int32), ('keep_rows', c_int32), ('grey', c_int32), ('big_endian', c_int32),
                ('member', c_char_p), ('shape', tess.ShapeValue), ('offset', c_int64), ('raw_dtype', c_int32),
                ('reserved', c_uint32 * 7)]


class WriteOpts(ctypes.Structure):
    _fields_ = [('format', c_int32), ('dtype', c_int32), ('compression', c_int32), ('level', c_int32),
                ('overwrite', c_int32), ('big_endian', c_int32), ('bytes', c_int32), ('compat_imod', c_int32),
                ('keep_rows', c_int32), ('rgb', c_int32), ('member', c_char_p), ('label', c_char_p),
                ('meta', c_void_p), ('reserved', c_uint32 * 8)]


class Entry(ctypes.Structure):
    _fields_ = [('name', c_char_p), ('array', c_void_p)]


def with_sections(values, as_, depth):
    """What an array of NumPy's is here: right-aligned, or its sections as stack or volumes."""
    values = values.reshape((1,) * (4 - values.ndim) + values.shape)
    b, d, h, w = values.shape
    n = b * d
    shape = {AS_DEFAULT: (b, d, h, w), AS_STACK: (n, 1, h, w), AS_VOLUME: (1, n, h, w),
             AS_VOLUMES: (n // depth, depth, h, w)}[as_]
    return values.reshape(shape)


class Tests(copies.Tests):
    def __init__(self, lib, seed, folder):
        super().__init__(lib, seed)
        self.path = os.path.join(folder, 'x.npy')
        self.zip_path = os.path.join(folder, 'x.npz')
        opts = c_void_p
        for name, result, arguments in (
                ('tess_read', ctypes.c_int, [c_void_p, c_char_p, opts]),
                ('tess_write', ctypes.c_int, [c_char_p, c_void_p, opts]),
                ('tess_open', ctypes.c_int, [POINTER(c_void_p), c_char_p, opts]),
                ('tess_file_read', ctypes.c_int, [c_void_p, c_void_p, tess.Region]),
                ('tess_file_map', ctypes.c_int, [c_void_p, c_void_p]),
                ('tess_file_close', None, [c_void_p]),
                ('tess_npz_write', ctypes.c_int, [c_char_p, c_void_p, c_int64, opts]),
                ('tess_npz_members', ctypes.c_int, [POINTER(c_void_p), c_char_p]),
                ('tess_npz_list_count', c_int64, [c_void_p]),
                ('tess_npz_list_name', c_char_p, [c_void_p, c_int64]),
                ('tess_npz_list_free', None, [c_void_p])):
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments

    # ---- Helpers ----

    def values_for(self, dtype, shape):
        if dtype.kind == 'bool':
            return self.generator.integers(0, 2, shape).astype(bool)
        data = self.generator.integers(0, 256, (*shape, dtype.size), np.uint8)
        return data.view(dtype.numpy)[..., 0]

    def shape_of_rank(self, rank):
        return tuple(self.rng.choice((1, 2, 3, 5, self.rng.randrange(0, 20))) for _ in range(rank))

    def region(self, shape):
        """A random part, as NumPy and as the library take it."""
        slices, ranges = [], []
        for n in shape:
            kind = self.rng.choice((tess.RANGE_ALL, tess.RANGE_SLICE, tess.RANGE_SLICE))
            step = self.rng.choice((1, 1, 1, 2, 3, -1, -2))
            start, stop = (self.rng.randrange(-n - 1, n + 2) for _ in range(2))
            slices.append(slice(None) if kind == tess.RANGE_ALL else slice(start, stop, step))
            ranges.append(tess.Range(start, stop, step, kind) if kind else tess.Range())
        return tuple(slices), tess.Region((tess.Range * 4)(*ranges))

    def sections(self, shape, fortran):
        """A random meaning of the sections that the file allows."""
        n = int(np.prod(shape[:-2])) if len(shape) > 2 else 1
        if fortran and len(shape) == 4 and shape[0] != 1 and shape[1] != 1:
            return AS_DEFAULT, 1
        as_ = self.rng.randrange(4)
        depths = [d for d in range(1, n + 1) if n % d == 0] or [1]
        return as_, self.rng.choice(depths)

    def compare(self, path, values, dtype, fortran, *what, member=None):
        """Read a file whole and in parts; `values` is what NumPy holds, of any rank."""
        as_, depth = self.sections(values.shape, fortran)
        opts = ReadOpts(as_=as_, depth=depth if as_ == AS_VOLUMES else 0, member=member)
        want = with_sections(values, as_, depth)
        what = (*what, 'as', as_, depth, 'shape', values.shape)
        self.lib.tess_threads_set(self.rng.choice((1, 2, 5)))
        array = tess.Array()
        if self.succeeds(self.lib.tess_read(byref(array), path, byref(opts)), 'read', *what):
            self.made(array, want, dtype, 'read', *what)
        self.compare_parts(path, want, dtype, opts, *what)

    def compare_parts(self, path, want, dtype, opts, *what):
        file = c_void_p()
        if not self.succeeds(self.lib.tess_open(byref(file), path, byref(opts)), 'open', *what):
            return
        for _ in range(3):
            slices, region = self.region(want.shape)
            to = dtype if self.rng.random() < 0.6 or dtype.kind == 'complex' else self.rng.choice(tess.REALS)
            part = want[slices]
            out = self.place(part.shape, to)
            if self.succeeds(self.lib.tess_file_read(out.ref(), file, region), 'part', slices, to, *what):
                after = part if to is dtype else \
                    copies.cast_values(part.reshape(-1), dtype, to, tess.CLAMP).reshape(part.shape)
                self.written(out, after, 'part', slices, to, *what, any_nan=to is not dtype)
        self.lib.tess_file_close(file)

    def refused(self, path, status, *what, member=None):
        array = tess.Array()
        got = self.lib.tess_read(byref(array), path, byref(ReadOpts(member=member)))
        self.fails(got, status, None, *what)
        self.expect(not any(bytes(array)), *what, 'made an array and failed')

    # ---- NPY: NumPy writes ----

    def save(self, values, dtype, order, fortran, version):
        disk = values.astype(dtype.numpy.newbyteorder(order))
        disk = np.asfortranarray(disk) if fortran else np.ascontiguousarray(disk)
        disk = disk.reshape(values.shape, order='F' if fortran else 'C')
        with open(self.path, 'wb') as file:
            np.lib.format.write_array(file, disk, version)

    def read_npy(self, rounds):
        path = self.path.encode()
        for _ in range(rounds):
            for dtype in DTYPES:
                for rank in range(5):
                    order, fortran = self.rng.choice('<>'), self.rng.random() < 0.5
                    version = self.rng.choice(((1, 0), (2, 0), (3, 0)))
                    values = self.values_for(dtype, self.shape_of_rank(rank))
                    self.save(values, dtype, order, fortran, version)
                    self.compare(path, values, dtype, fortran and values.ndim > 1, dtype, order, fortran, version)

    def large(self):
        """Several threads, and lines longer than any buffer."""
        path = self.path.encode()
        for shape in ((2, 3, 300, 501), (1, 1, 2, 600001), (1, 1, 700000, 1), (300, 1, 30, 50)):
            for name in ('u8', 'f32', 'c64'):
                dtype = tess.BY_NAME[name]
                for fortran in (False, True):
                    values = self.values_for(dtype, shape)
                    self.save(values, dtype, self.rng.choice('<>'), fortran, (1, 0))
                    self.compare(path, values, dtype, fortran, 'large', dtype, fortran)
                    if name == 'u8':
                        np.savez_compressed(self.zip_path, x=np.asfortranarray(values) if fortran else values)
                        self.compare(self.zip_path.encode(), values, dtype, fortran, 'large npz', dtype, fortran)

    # ---- NPY: the library writes ----

    def write_npy(self, rounds):
        path = self.path.encode()
        for _ in range(rounds):
            for dtype in DTYPES:
                shape = self.random_shape()
                source = self.place_with(self.values_for(dtype, shape), dtype)
                big = self.rng.randrange(2)
                what = ('write', dtype, shape, big)
                opts = WriteOpts(overwrite=1, big_endian=big)
                if not self.succeeds(self.lib.tess_write(path, source.ref(), byref(opts)), *what):
                    continue
                with open(self.path, 'rb') as file:
                    head = file.read(10)
                self.expect(head[6:8] == b'\x01\x00' and (10 + struct.unpack('<H', head[8:])[0]) % 64 == 0, *what)
                got = np.load(self.path)
                self.expect(got.shape == shape and got.tobytes() == np.ascontiguousarray(source.view).astype(
                    got.dtype).tobytes() and got.dtype.newbyteorder('=') == dtype.numpy, *what, got.dtype)

    # ---- NPZ ----

    def names(self, path):
        found, out = c_void_p(), []
        if self.succeeds(self.lib.tess_npz_members(byref(found), path), 'members'):
            out = [self.lib.tess_npz_list_name(found, i) for i in range(self.lib.tess_npz_list_count(found))]
            self.lib.tess_npz_list_free(found)
        return [name.decode() for name in out]

    def read_npz(self, rounds):
        path = self.zip_path.encode()
        for _ in range(rounds):
            arrays, dtypes = {}, {}
            for i in range(self.rng.randrange(1, 5)):
                dtype = self.rng.choice(DTYPES)
                values = self.values_for(dtype, self.shape_of_rank(self.rng.randrange(5)))
                name = self.rng.choice(('a', 'x y', 'ünï', 'deep/er', 'arr')) + str(i)
                arrays[name] = np.asfortranarray(values) if self.rng.random() < 0.3 and values.ndim else values
                dtypes[name] = dtype
            save = self.rng.choice((np.savez, np.savez_compressed))
            save(self.zip_path, **arrays)
            self.expect(self.names(path) == list(arrays), 'names', self.names(path), list(arrays))
            for name, values in arrays.items():
                fortran = values.flags.f_contiguous and not values.flags.c_contiguous
                member = (name + self.rng.choice(('', '.npy'))).encode()
                self.compare(path, values, dtypes[name], fortran, save.__name__, name, fortran, member=member)
            if len(arrays) == 1:
                self.compare(path, values, dtype, fortran, save.__name__, 'the only one')
            else:
                self.refused(path, tess.EARG, 'several arrays, no name')
            self.refused(path, tess.EARG, 'no such array', member=b'no such')

    def write_npz(self, rounds):
        path = self.zip_path.encode()
        for i in range(rounds):
            dtypes = [self.rng.choice(DTYPES) for _ in range(self.rng.randrange(1, 5))]
            places = [self.place_with(self.values_for(dtype, self.random_shape()), dtype) for dtype in dtypes]
            names = [f'n{k} ü/' for k in range(len(places))]
            opts = WriteOpts(overwrite=1, compression=self.rng.choice((0, DEFLATE)), big_endian=self.rng.randrange(2))
            what = ('npz_write', dtypes, opts.compression)
            if i % 3 == 0:
                names, places, dtypes = ['one'], places[:1], dtypes[:1]
                opts.member = b'one'
                status = self.lib.tess_write(path, places[0].ref(), byref(opts))
            else:
                entries = (Entry * len(places))(*(Entry(name.encode(), ctypes.addressof(place.array))
                                                  for name, place in zip(names, places)))
                status = self.lib.tess_npz_write(path, entries, len(places), byref(opts))
            if not self.succeeds(status, *what):
                continue
            self.expect(self.names(path) == names, *what, 'names')
            with zipfile.ZipFile(self.zip_path) as archive:
                self.expect(archive.testzip() is None, *what, 'zipfile')
                self.expect([m.date_time[0] for m in archive.infolist()] == [1980] * len(names), *what, 'date')
            with np.load(self.zip_path) as loaded:
                for name, place, dtype in zip(names, places, dtypes):
                    got = loaded[name]
                    self.expect(got.shape == place.view.shape and
                                got.tobytes() == place.view.astype(got.dtype).tobytes() and
                                got.dtype.newbyteorder('=') == dtype.numpy, *what, name)
                    self.compare(path, place.view, dtype, False, *what, 'back', member=name.encode())

    def mapped(self):
        """Members that the library stores lie at multiples of 64, so that they can be mapped."""
        path = self.zip_path.encode()
        for dtype in DTYPES:
            values = self.values_for(dtype, (2, 3, 5, 7))
            for order in range(2):
                if order:
                    source = self.place_with(values, dtype)
                    self.succeeds(self.lib.tess_write(path, source.ref(), byref(WriteOpts(overwrite=1))), 'write')
                else:
                    self.save(values, dtype, '=', self.rng.random() < 0.5, (1, 0))
                file, array = c_void_p(), tess.Array()
                name = path if order else self.path.encode()
                if not self.succeeds(self.lib.tess_open(byref(file), name, None), 'open', name):
                    continue
                if self.succeeds(self.lib.tess_file_map(byref(array), file), 'map', name, dtype):
                    self.expect(copies.same_values(np.ascontiguousarray(tess.numpy_view(array, dtype)), values, False),
                                'mapped', name, dtype)
                    self.lib.tess_release(byref(array))
                self.lib.tess_file_close(file)

    # ---- Headers by hand ----

    def write_header(self, text, data=b'', version=1, length=None):
        head = text if isinstance(text, bytes) else text.encode()
        size = struct.pack('<H' if version == 1 else '<I', len(head) if length is None else length)
        with open(self.path, 'wb') as file:
            file.write(b'\x93NUMPY' + bytes((version, 0)) + size + head + data)

    def good_headers(self):
        data = np.arange(24, dtype='<f4')
        for text in ("{'descr':'<f4','fortran_order':False,'shape':(2,3,4)}",
                     '{"shape": (2, 3, 4), "descr": "<f4", "fortran_order": False}',
                     "{ 'fortran_order' : False ,\n 'shape' : ( 2 , 3 , 4 , ) , 'descr' : '<f4' , }  \n",
                     "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L, 4L), }",
                     "{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3, 4), }",
                     "{'descr': 'f4', 'fortran_order': False, 'shape': (2, 3, 4), }"):
            for version in (1, 2, 3):
                self.write_header(text, data.tobytes(), version)
                self.compare(self.path.encode(), data.reshape(2, 3, 4), tess.BY_NAME['f32'], False, text)

    def bad_headers(self):
        start = "{'descr': '<f4', 'fortran_order': False, "
        for text, status in (
                (start + "'shape': (2, -3)}", EFORMAT), (start + "'shape': (2, 3}", EFORMAT),
                (start + "'shape': [2, 3]}", EFORMAT), (start + "'shape': (2 3)}", EFORMAT),
                (start + "'shape': (6)}", EFORMAT), (start + "'shape': (,)}", EFORMAT),
                (start + "'shape': (2, 3)", EFORMAT), (start + "'shape': (2, 3)} x", EFORMAT),
                (start + "'shape': (2, 3), 'shape': (2, 3)}", EFORMAT), (start + "'shape': (2, 3), 'more': 1}", EFORMAT),
                (start + '}', EFORMAT), ('', EFORMAT), ('{', EFORMAT), ("{'descr", EFORMAT), ('[]', EFORMAT),
                (start + "'shape': (99999999999999999999,)}", EFORMAT),
                (start + "'shape': (4294967296, 4294967296)}", EFORMAT),
                (start + "'shape': (0, 4611686018427387904, 2)}", EFORMAT),
                (start + "'shape': (2, 3, 1000)}", EFORMAT), (start + "'shape': (1, 1, 1, 2, 3)}", EUNSUPPORTED),
                (start + "'shape': (2.0, 3)}", EFORMAT), (start + "'shape': (0x2, 3)}", EFORMAT),
                ("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}", EUNSUPPORTED),
                ("{'descr': '<U3', 'fortran_order': False, 'shape': (2, 3)}", EUNSUPPORTED),
                ("{'descr': '<f16', 'fortran_order': False, 'shape': (2, 3)}", EUNSUPPORTED),
                ("{'descr': '<M8[s]', 'fortran_order': False, 'shape': (2, 3)}", EUNSUPPORTED),
                ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}", EUNSUPPORTED),
                ("{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (2, 3)}", EUNSUPPORTED),
                ("{'descr': '<f5', 'fortran_order': False, 'shape': (2, 3)}", EFORMAT),
                ("{'descr': '', 'fortran_order': False, 'shape': (2, 3)}", EFORMAT),
                ("{'descr': 4, 'fortran_order': False, 'shape': (2, 3)}", EFORMAT),
                ("{'descr': '<f4', 'fortran_order': None, 'shape': (2, 3)}", EFORMAT),
                ("{'descr': '<f4', 'fortran_order': False 'shape': (2, 3)}", EFORMAT)):
            self.write_header(text, bytes(24))
            self.refused(self.path.encode(), status, text)
        good = start + "'shape': (2, 3)}"
        for length in (len(good) + 25, 65535):
            self.write_header(good, bytes(24), 1, length)
            self.refused(self.path.encode(), EFORMAT, 'a header longer than the file', length)
        self.write_header(good, bytes(24), 2, 2**32 - 1)
        self.refused(self.path.encode(), EFORMAT, 'a header of 4 GiB')
        self.write_header(good, bytes(24), 4)
        self.refused(self.path.encode(), EUNSUPPORTED, 'version 4')

    def random_headers(self, rounds):
        """Changed a little, a header is read as Python reads it, or rejected."""
        marks = "{}(),:'\"<>|=-0123456789fiucb TrueFals"
        for _ in range(rounds):
            text = list("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }")
            for _ in range(self.rng.randrange(1, 3)):
                at = self.rng.randrange(len(text))
                way = self.rng.randrange(3)
                if way == 0:
                    text[at] = self.rng.choice(marks)
                elif way == 1:
                    text.insert(at, self.rng.choice(marks))
                else:
                    del text[at]
            self.write_header(''.join(text), bytes(range(1, 25)) * 9)
            self.check_random_header(''.join(text))

    def check_random_header(self, text):
        array = tess.Array()
        status = self.lib.tess_read(byref(array), self.path.encode(), None)
        if status != tess.OK:
            self.fails(status, status, None, text)
            return
        with open(self.path, 'rb') as file:
            content = file.read()
        try:
            want = np.load(io.BytesIO(content))
        except Exception as error:
            self.expect(False, 'read, but NumPy refuses it:', text, error)
            self.lib.tess_release(byref(array))
            return
        got = tess.numpy_view(array)
        self.expect(got.reshape(want.shape).tobytes() == want.astype(want.dtype.newbyteorder('=')).tobytes(), text)
        self.lib.tess_release(byref(array))

    # ---- Archives by hand ----

    def archive(self, method=zipfile.ZIP_DEFLATED, **more):
        data = io.BytesIO()
        np.lib.format.write_array(data, np.arange(6000, dtype='<f4').reshape(60, 100))
        out = io.BytesIO()
        with zipfile.ZipFile(out, 'w', method, **more) as archive:
            archive.writestr('x.npy', data.getvalue())
        return bytearray(out.getvalue())

    def put(self, content):
        with open(self.zip_path, 'wb') as file:
            file.write(content)

    def bad_archives(self):
        path = self.zip_path.encode()
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            good = self.archive(method)
            entry = good.rindex(b'PK\x01\x02')
            end = good.rindex(b'PK\x05\x06')
            self.put(good)
            values = np.arange(6000, dtype='<f4').reshape(60, 100)
            self.compare(path, values, tess.BY_NAME['f32'], False, 'by zipfile', method)
            self.put(good + b'x' * 100)
            self.compare(path, values, tess.BY_NAME['f32'], False, 'bytes after the archive', method)
            for what, at, value, status in (
                    ('crc in both', None, None, EFORMAT), ('crc of the directory', entry + 16, 77, EFORMAT),
                    ('packed size', entry + 20, 77, EFORMAT), ('size', entry + 24, 77, EFORMAT),
                    ('offset', entry + 42, 77, EFORMAT), ('offset outside', entry + 45, 77, EFORMAT),
                    ('method', entry + 10, 12, EUNSUPPORTED), ('encryption', entry + 8, 1, EUNSUPPORTED),
                    ('members', end + 10, 77, EFORMAT), ('size of the directory', end + 12, 99, EFORMAT),
                    ('offset of the directory', end + 19, 99, EFORMAT), ('entry', entry, 77, EFORMAT),
                    ('local header', 0, 77, EFORMAT), ('data', 3000, None, EFORMAT)):
                bad = bytearray(good)
                if what == 'crc in both':
                    bad[14], bad[entry + 16] = (bad[14] + 1) % 256, (bad[entry + 16] + 1) % 256
                else:
                    bad[at] = (bad[at] + 1) % 256 if value is None else value
                self.put(bad)
                array = tess.Array()
                got = self.lib.tess_read(byref(array), path, byref(ReadOpts(format=3)))
                self.fails(got, status, None, what, method)
            for cut in (len(good) - 1, end, end - 1, entry, 100, 22, 4):
                self.put(good[:cut])
                array = tess.Array()
                self.fails(self.lib.tess_read(byref(array), path, byref(ReadOpts(format=3))), EFORMAT, None, 'cut', cut)
        self.put(self.archive(zipfile.ZIP_BZIP2))
        self.refused(path, EUNSUPPORTED, 'bzip2')
        self.bombs(path)

    def bombs(self, path):
        """Sizes that no deflated data can have, and data that are longer than the size."""
        good = self.archive()
        entry = good.rindex(b'PK\x01\x02')
        for size in (24000 * 2000, 2**31):
            bad = bytearray(good)
            bad[22:26] = bad[entry + 24:entry + 28] = struct.pack('<I', size)
            self.put(bad)
            self.refused(path, EFORMAT, 'bomb', size)
        bad = bytearray(good)
        bad[22:26] = bad[entry + 24:entry + 28] = struct.pack('<I', 24128 - 4)
        self.put(bad)
        self.refused(path, EFORMAT, 'array beyond its size')


def main():
    options = tess.arguments(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(tess.load(options.library), options.seed, folder)
        return copies.run_parts(tests, (
            ('NPY read', lambda: tests.read_npy(tess.rounds(12))), ('large', tests.large),
            ('NPY written', lambda: tests.write_npy(tess.rounds(15))),
            ('NPZ read', lambda: tests.read_npz(tess.rounds(80))),
            ('NPZ written', lambda: tests.write_npz(tess.rounds(80))),
            ('mapped', tests.mapped), ('headers', tests.good_headers), ('bad headers', tests.bad_headers),
            ('random headers', lambda: tests.random_headers(tess.rounds(2000))), ('bad archives', tests.bad_archives)))


if __name__ == '__main__':
    sys.exit(main())
