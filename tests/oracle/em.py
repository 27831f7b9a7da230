"""EM files against a writer by struct: machines, types, volumes and images, what is wrong with them."""
import gzip
import os
import struct
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import file_tests  # noqa: E402
from em_writer import MACHINES, TYPES, em_file  # noqa: E402

EM, STACK, VOLUME, VOLUMES = 11, 1, 2, 3


class Tests(file_tests.Tests):
    name = 'x.em'

    def values(self, dtype, *shape):
        return (100 * self.random.normal(size=shape) + (1j if dtype[0] == 'c' else 0)).astype(dtype)

    def reads(self):
        for dtype in TYPES:
            for order in '<>':
                for machine in MACHINES[order]:
                    values = self.values(dtype, 3, 5, 7)
                    self.put(em_file(values, machine))
                    self.compare(values[None], dtype, machine)
        for shape in ((1, 4, 6), (1, 26, 3), (1, 1, 1), (40, 3, 2)):
            values = self.values('f4', *shape)
            self.put(em_file(values, 3))
            self.compare(values[None], shape)
            info = self.io.info(self.path)
            self.expect(info.format == EM and info.n_warnings == 0 and info.data_offset == 512, 'info', info.texts())

    def reads_as(self):
        values = self.values('f4', 6, 4, 5)
        self.put(em_file(values))
        self.compare(values[:, None], 'a stack', as_=STACK)
        self.compare(values.reshape(2, 3, 4, 5), 'volumes', as_=VOLUMES, depth=3)
        self.fails(lambda: self.io.read(self.path, as_=VOLUMES, depth=4), 'EARG', 'depth is 4')
        values = self.values('i1', 2, 3, 4)
        self.put(em_file(values))
        self.compare(values.view('u1')[None], 'unsigned', bytes=2)
        self.compare(values[None], 'signed', bytes=1)
        self.fails(lambda: self.io.read(self.path, bytes=3), 'EARG', 'opts->bytes is imod')
        self.put(gzip.compress(em_file(values)))
        self.compare(values[None], 'gzip')

    def reads_meta(self):
        values = self.values('f4', 2, 3, 4)
        for machine in (6, 5):
            self.put(em_file(values, machine, b'  by hand \x80 ', 13540))
            info = self.io.info(self.path)
            self.expect(list(info.meta.pixel_size) == [13.54] * 3 and info.big_endian == (machine == 5), 'pixel size')
            self.expect(info.meta.n_labels == 1 and info.meta.labels[0].value == b'by hand ?', info.meta.labels[0].value)
        self.put(em_file(values, pixel_size=-5))
        info = self.io.info(self.path)
        self.expect(info.meta.pixel_size[2] == 0 and info.meta.n_labels == 0, 'nothing is known')
        self.put(em_file(values, 6, order='>'))
        self.compare(values[None], 'machine and numbers disagree')
        self.expect('only as big-endian' in self.io.info(self.path).texts()[0], 'a warning')

    def refuses(self):
        values = self.values('f4', 2, 3, 4)
        whole = em_file(values)
        for changes, parts in ((dict(type=3), ('EUNSUPPORTED', 'element type 3 is not supported')),
                               (dict(sizes=(0, 3, 2)), ('EFORMAT', 'not an EM file', 'its sizes are 0, 3, 2')),
                               (dict(sizes=(4, -3, 2)), ('EFORMAT', 'not an EM file')),
                               (dict(sizes=(1 << 20, 1 << 20, 1 << 20)), ('EFORMAT', '1048576 x 1048576 x 1048576 of f32')),
                               (dict(sizes=(4, 3, 3)), ('EFORMAT', 'need 656 bytes; the file has 608'))):
            self.put(em_file(values, **changes))
            self.fails(lambda: self.io.read(self.path, format=EM), *parts)
        self.put(whole[:-4])
        self.fails(lambda: self.io.read(self.path), 'EFORMAT', 'need 608 bytes; the file has 604')
        cut = values.copy()
        cut[-1, -1, -1] = 0
        self.same(self.io.read(self.path, salvage=1), cut[None], 'salvaged')
        self.put(whole + b'12')
        self.expect('2 more than' in self.io.info(self.path).texts()[0], 'too long')
        self.put(whole[:300])
        self.fails(lambda: self.io.read(self.path, format=EM), 'EFORMAT', 'the header')
        self.fails(lambda: self.io.write(self.path, values[None]), 'EUNSUPPORTED', 'em files cannot be written')

    def leaves_others(self):
        """An MRC file of 5 columns, the highest byte first, begins as an EM file of machine 0 does."""
        header = bytearray(1024)
        header[:16] = struct.pack('>4i', 5, 4, 3, 2)
        header[64:76] = struct.pack('>3i', 1, 2, 3)
        values = self.values('f4', 3, 4, 5)
        self.put(bytes(header) + values.astype('>f4').tobytes())
        self.expect(self.io.info(self.path).format == 1, 'that is MRC')
        self.put(em_file(values, 0))
        self.expect(self.io.info(self.path).format == EM, 'this is EM')


if __name__ == '__main__':
    sys.exit(file_tests.run(Tests, __doc__, ('reads', 'reads_as', 'reads_meta', 'refuses', 'leaves_others')))
