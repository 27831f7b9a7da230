"""Files of the library through ctypes, for the oracle tests: the structs of io.h and mrc.h, reading and writing."""
import ctypes
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_int16, c_int32, c_int64, c_uint32, c_void_p

import numpy as np

import tess

FORMAT = {'mrc': 1, 'npy': 2, 'npz': 3, 'tiff': 4, 'png': 5, 'raw': 6, 'eer': 7, 'dm': 8, 'spider': 9, 'hdf5': 10,
          'em': 11, 'ser': 12, 'imagic': 13}
STACK, VOLUME, VOLUMES = 1, 2, 3
SIGNED, UNSIGNED, IMOD = 1, 2, 3
MINMAX, MEAN, STD = 1, 2, 4


class ReadOpts(Structure):
    _fields_ = [('format', c_int32), ('as_', c_int32), ('depth', c_int64), ('bytes', c_int32), ('dtype', c_int32),
                ('salvage', c_int32), ('keep_rows', c_int32), ('grey', c_int32), ('big_endian', c_int32),
                ('member', c_char_p), ('shape', tess.Shape), ('offset', c_int64), ('raw_dtype', c_int32),
                ('n_pages', c_int32), ('page', c_int64), ('eer_upsampling', c_int32), ('eer_group', c_int32),
                ('reserved', c_uint32 * 2)]


class Meta(Structure):
    _fields_ = [('pixel_size', c_double * 3), ('origin', c_double * 3), ('start', c_int64 * 3),
                ('space_group', c_int32), ('n_labels', c_int32), ('labels', (c_char * 81) * 10),
                ('extended_type', c_char * 5), ('unused', c_char * 5), ('extended_layout', c_int16 * 2),
                ('extended_size', c_int64), ('extended', c_void_p), ('min', c_double), ('max', c_double),
                ('mean', c_double), ('std', c_double), ('stats', c_int32), ('reserved', c_uint32 * 9)]


class Warning_(Structure):
    _fields_ = [('code', c_int32), ('field', c_char * 20), ('found', c_char * 40), ('used', c_char * 40),
                ('text', c_char * 160)]


class Info(Structure):
    _fields_ = [('shape', tess.Shape), ('dtype', c_int32), ('format', c_int32), ('compression', c_int32),
                ('big_endian', c_int32), ('sections', c_int32), ('sections_rule', c_int32), ('bytes_rule', c_int32),
                ('mode', c_int32), ('axes', c_int32 * 3), ('unused', c_int32), ('stored', c_int64 * 3),
                ('file_size', c_int64), ('data_offset', c_int64), ('cell', c_double * 6), ('grid', c_int64 * 3),
                ('meta', Meta), ('n_warnings', c_int32), ('more_warnings', c_int32), ('warnings', Warning_ * 16)]

    def texts(self):
        return [w.text.decode() for w in self.warnings[:self.n_warnings]]


class WriteOpts(Structure):
    _fields_ = [('format', c_int32), ('dtype', c_int32), ('compression', c_int32), ('level', c_int32),
                ('overwrite', c_int32), ('big_endian', c_int32), ('bytes', c_int32), ('compat_imod', c_int32),
                ('keep_rows', c_int32), ('rgb', c_int32), ('member', c_char_p), ('label', c_char_p),
                ('meta', POINTER(Meta)), ('reserved', c_uint32 * 8)]


class Finding(Structure):
    _fields_ = [('code', c_int32), ('fixable', c_int32), ('field', c_char * 20), ('found', c_char * 40),
                ('wanted', c_char * 40), ('text', c_char * 160)]


class Report(Structure):
    _fields_ = [('stats', Meta), ('n_nan', c_int64), ('n_inf', c_int64), ('data_read', c_int32),
                ('n_findings', c_int32), ('findings', Finding * 32)]


class EditOpts(Structure):
    _fields_ = [('pixel_size', POINTER(c_double)), ('origin', POINTER(c_double)), ('label', c_char_p),
                ('depth', c_int64), ('as_', c_int32), ('bytes', c_int32), ('stats', c_int32), ('repair', c_int32),
                ('reserved', c_uint32 * 6)]


_PROTOTYPES = {
    'tess_info': [c_void_p, c_char_p, c_void_p],
    'tess_read': [c_void_p, c_char_p, c_void_p],
    'tess_open': [c_void_p, c_char_p, c_void_p],
    'tess_file_read': [c_void_p, c_void_p, tess.Region],
    'tess_file_map': [c_void_p, c_void_p],
    'tess_write': [c_char_p, c_void_p, c_void_p],
    'tess_mrc_check': [c_void_p, c_char_p, c_void_p],
    'tess_mrc_edit': [c_char_p, c_void_p],
}


class Failure(Exception):
    """A call that did not succeed; `status` and the message."""

    def __init__(self, lib, status):
        super().__init__(tess.error_text(lib, status))
        self.status = status


def array_over(values):
    """An Array over the memory of an ndarray of four axes, of any strides."""
    names = {np.dtype(d.numpy).str.lstrip('<|='): d for d in tess.SCALARS}
    strides = [s // values.itemsize for s in values.strides]
    number = names[values.dtype.str.lstrip('<|=')].number
    return tess.Array(tess.Shape(*values.shape), tess.Shape(*strides), tess.address_of(values), None, number, tess.CPU, 0)


class Files:
    """Reading and writing; what fails raises Failure."""

    def __init__(self, lib):
        self.lib = lib
        for name, arguments in _PROTOTYPES.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = c_int, arguments
        lib.tess_file_close.restype, lib.tess_file_close.argtypes = None, [c_void_p]

    def check(self, status):
        if status:
            raise Failure(self.lib, status)

    def info(self, path, **options):
        info = Info()
        self.check(self.lib.tess_info(byref(info), str(path).encode(), byref(ReadOpts(**options))))
        return info

    def taken(self, array):
        """A copy of what the library made; the array is released."""
        values = tess.numpy_view(array).copy()
        self.lib.tess_release(byref(array))
        return values

    def read(self, path, **options):
        array = tess.Array()
        self.check(self.lib.tess_read(byref(array), str(path).encode(), byref(ReadOpts(**options))))
        return self.taken(array)

    def read_into(self, out, path, region=None, **options):
        """Into an ndarray of four axes; `region` is a tess.Region."""
        file, array = c_void_p(), array_over(out)
        self.check(self.lib.tess_open(byref(file), str(path).encode(), byref(ReadOpts(**options))))
        try:
            self.check(self.lib.tess_file_read(byref(array), file, region or tess.Region()))
        finally:
            self.lib.tess_file_close(file)

    def mapped(self, path, **options):
        file, array = c_void_p(), tess.Array()
        self.check(self.lib.tess_open(byref(file), str(path).encode(), byref(ReadOpts(**options))))
        try:
            self.check(self.lib.tess_file_map(byref(array), file))
        finally:
            self.lib.tess_file_close(file)
        return self.taken(array)

    def write(self, path, values, **options):
        array = array_over(values)
        options.setdefault('overwrite', 1)
        if 'meta' in options:
            options['meta'] = ctypes.pointer(options['meta'])
        self.check(self.lib.tess_write(str(path).encode(), byref(array), byref(WriteOpts(**options))))

    def mrc_check(self, path):
        report = Report()
        self.check(self.lib.tess_mrc_check(byref(report), str(path).encode(), None))
        return report

    def mrc_edit(self, path, **options):
        for name in ('pixel_size', 'origin'):
            if name in options:
                options[name] = (c_double * 3)(*options[name])
        self.check(self.lib.tess_mrc_edit(str(path).encode(), byref(EditOpts(**options))))
