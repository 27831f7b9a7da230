"""SER files against a writer by struct: images and spectra, versions, types, elements that are missing or damaged."""
import os
import struct
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import file_tests  # noqa: E402
from ser_writer import TYPES, ser_file  # noqa: E402

SER, STACK, VOLUME = 12, 1, 2


class Tests(file_tests.Tests):
    name = 'x.ser'

    def values(self, dtype, *shape):
        values = 50 + 20 * self.random.normal(size=shape) + (1j if dtype[0] == 'c' else 0)
        return values.astype(dtype)

    def reads(self):
        for dtype in TYPES:
            for version in (0x210, 0x220):
                images = self.values(dtype, 3, 5, 7)
                self.put(ser_file(list(images), version))
                self.compare(images[:, None], dtype, version)
                spectra = self.values(dtype, 4, 9)
                self.put(ser_file(list(spectra), version, dimensions=2))
                self.compare(spectra[:, None, None], 'spectra', dtype, version)
        self.put(ser_file([images[0]], gaps=[3]))
        self.compare(images[:1, None], 'one')
        self.put(ser_file(list(images), gaps=[0, 5, 1]))
        self.compare(images[:, None], 'elements at any distance')
        self.compare(images[None], 'a volume', as_=VOLUME)
        info = self.io.info(self.path)
        self.expect(info.format == SER and info.n_warnings == 0 and info.big_endian == 0, 'info', info.texts())

    def reads_calibrations(self):
        image = self.values('u2', 4, 6)
        for delta, sizes in (((2e-10, 3e-10), (0, 3, 2)), ((1e8, 1e8), (0, 0, 0)), ((-1e-9, float('nan')), (0, 0, 0))):
            self.put(ser_file([image], delta=delta))
            self.expect(np.allclose(self.io.info(self.path).meta.pixel_size[:], sizes, rtol=1e-12, atol=0), 'sizes', delta)
        self.put(ser_file([image[0]]))
        self.expect(self.io.info(self.path).meta.pixel_size[:] == [0, 0, 0], 'a spectrum has no pixels')

    def reads_pages(self):
        images = self.values('u2', 5, 4, 6)
        self.put(ser_file(list(images)))
        self.compare(images[2:3, None], 'one', page=2, n_pages=1)
        self.compare(images[1:4, None], 'some', page=1, n_pages=3)
        self.compare(images[3:, None], 'the last', page=3)
        self.fails(lambda: self.io.read(self.path, page=5), 'ERANGE', 'page is 5; the file has elements 0 to 4')
        self.fails(lambda: self.io.read(self.path, page=3, n_pages=3), 'ERANGE', 'the file has 2 elements from 3 on')
        other = self.values('f4', 3, 3)
        self.put(ser_file([images[0], images[1], other]))
        self.fails(lambda: self.io.read(self.path), 'EUNSUPPORTED', 'element 2 is 3 x 3 of f32, but the first is 6 x 4 of u16')
        self.compare(images[:2, None], 'those of a kind', n_pages=2)
        self.compare(other[None, None], 'the other', page=2)

    def reads_short_series(self):
        """A series that was stopped: fewer valid elements than planned."""
        images = self.values('u2', 3, 4, 6)
        for version in (0x210, 0x220):
            self.put(ser_file(list(images), version, total=7, valid=3))
            self.compare(images[:, None], 'of seven')
            self.expect('the header plans 7 elements; the file has 3' in self.io.info(self.path).texts()[0], 'said')

    def refuses(self):
        images = list(self.values('u2', 3, 4, 6))
        whole = ser_file(images)
        for changes, parts in ((dict(kind=0x4130), ('EUNSUPPORTED', 'kind 0x4130')),
                               (dict(valid=0), ('EFORMAT', '0 of 3 elements are valid')),
                               (dict(valid=5, total=4), ('EFORMAT', '5 of 4 elements are valid')),
                               (dict(offsets={1: 0}), ('EFORMAT', 'element 1 begins at byte 0')),
                               (dict(offsets={1: 10**6}), ('EFORMAT', 'element 1 begins at byte 1000000')),
                               (dict(offsets={2: -5}), ('EFORMAT', 'element 2 begins at byte')),
                               (dict(valid=10**9), ('EFORMAT', 'the offsets of 1000000000 elements'))):
            self.put(ser_file(images, **({'total': 3} if 'valid' not in changes else {}), **changes)
                     if changes.get('valid') != 10**9 else whole[:14] + struct.pack('<ii', 10**9, 10**9) + whole[22:])
            self.fails(lambda: self.io.read(self.path), *parts)
        at = whole.index(struct.pack('<hii', 2, 6, 4))
        for start, middle, parts in ((at, b'\x0b\0', ('EUNSUPPORTED', 'element 0 has type 11; expected 1 to 10')),
                                     (at + 2, struct.pack('<i', 0), ('EFORMAT', 'element 0 has 0 x 4 pixels')),
                                     (at + 2, struct.pack('<ii', 2**31 - 1, 2**31 - 1), ('EFORMAT', 'does not fit into the file')),
                                     (0, b'MM', ('EFORMAT', 'not a SER file'))):
            self.put(whole[:start] + middle + whole[start + len(middle):])
            self.fails(lambda: self.io.read(self.path, format=SER), *parts)
        large = self.values('u2', 40, 40)
        place = len(ser_file([large], total=50, valid=50)) - 8 - 50 - large.nbytes
        self.put(ser_file([large], total=50, valid=50, offsets={i: place for i in range(50)}))
        self.fails(lambda: self.io.read(self.path), 'EFORMAT', 'does not fit into the file', 'beside 49 others')
        for n in range(0, len(whole) - 8, 7):
            self.put(whole[:n])
            self.fails(lambda: self.io.read(self.path, format=SER), 'EFORMAT', 'x.ser')
        self.fails(lambda: self.io.write(self.path, images[0][None, None]), 'EUNSUPPORTED', 'ser files cannot be written')

    def salvages(self):
        images = self.values('u2', 3, 4, 6)
        whole = ser_file(list(images))
        self.put(whole[:-18])  # the tag and five pixels
        self.fails(lambda: self.io.read(self.path), 'EFORMAT', 'element 2', 'opts->salvage')
        cut = images.copy()
        cut[2].ravel()[-5:] = 0
        self.same(self.io.read(self.path, salvage=1), cut[:, None], 'what is there')
        self.put(ser_file(list(images), offsets={2: 0}))
        self.same(self.io.read(self.path, salvage=1), images[:2, None], 'elements before the damage')
        self.expect('elements from 2 on are skipped' in self.io.info(self.path, salvage=1).texts()[0], 'said')


if __name__ == '__main__':
    sys.exit(file_tests.run(Tests, __doc__, ('reads', 'reads_calibrations', 'reads_pages', 'reads_short_series', 'refuses',
                                               'salvages')))
