"""IMAGIC files against a writer by struct: types, byte orders, stacks and volumes, pairs that do not fit together."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import file_tests  # noqa: E402
from imagic_writer import TYPES, imagic_files  # noqa: E402

IMAGIC, STACK, VOLUME, VOLUMES = 13, 1, 2, 3


class Tests(file_tests.Tests):
    name = 'x.hed'

    def values(self, dtype, *shape):
        return (50 + 20 * self.random.normal(size=shape) + (1j if dtype[0] == 'c' else 0)).astype(dtype)

    def put_pair(self, files):
        for end, data in zip(('hed', 'img'), files):
            with open(self.path[:-3] + end, 'wb') as file:
                file.write(data)

    def remove(self, end):
        if os.path.exists(self.path[:-3] + end):
            os.remove(self.path[:-3] + end)

    def compare(self, wanted, *what, **options):
        """By either name."""
        for end in ('hed', 'img'):
            self.path = self.path[:-3] + end
            super().compare(wanted, end, *what, **options)
        self.path = self.path[:-3] + 'hed'

    def reads(self):
        for dtype in TYPES:
            for order in '<>':
                values = self.values(dtype, 4, 1, 5, 7)
                self.put_pair(imagic_files(values, order))
                self.compare(values, dtype, order)
                self.expect(self.io.info(self.path).big_endian == (order == '>'), 'order', order)
                self.put_pair(imagic_files(values, order, stamp=0))
                self.compare(values, 'without a stamp', dtype, order)
        self.put_pair(imagic_files(values[:1]))
        self.compare(values[:1], 'one')
        info = self.io.info(self.path)
        self.expect(info.format == IMAGIC and info.n_warnings == 0 and info.meta.n_labels == 0, 'info', info.texts())

    def reads_volumes(self):
        for shape in ((1, 4, 5, 6), (3, 4, 5, 6)):
            values = self.values('f4', *shape)
            for each in (True, False):
                self.put_pair(imagic_files(values, headers_per_volume=each))
                self.compare(values, shape, each)
        self.compare(values.reshape(12, 1, 5, 6), 'a stack', as_=STACK)
        self.compare(values.reshape(1, 12, 5, 6), 'a volume', as_=VOLUME)
        self.compare(values.reshape(6, 2, 5, 6), 'volumes', as_=VOLUMES, depth=2)

    def reads_meta(self):
        values = self.values('f4', 1, 1, 5, 6)
        for order in '<>':
            self.put_pair(imagic_files(values, order, name=b'by hand', w17=0.5, w18=1.5, w21=9, w22=-2))
            meta = self.io.info(self.path).meta
            self.expect((meta.min, meta.max, meta.mean, meta.std, meta.stats) == (-2, 9, 0.5, 1.5, 7), 'statistics')
            self.expect(meta.n_labels == 1 and meta.labels[0].value == b'by hand', meta.labels[0].value)
        self.put_pair(imagic_files(self.values('f4', 2, 1, 5, 6), w17=0.5, w18=1.5, w21=9, w22=-2))
        self.expect(self.io.info(self.path).meta.stats == 0, 'statistics of one of several')

    def refuses(self):
        values = self.values('f4', 3, 1, 5, 6)
        heads, images = imagic_files(values)
        for files, parts in ((imagic_files(values, kind=b'RECO'), ('EUNSUPPORTED', 'type RECO')),
                             ((heads, images[:-4]), ('EFORMAT', 'x.img', 'need 360 bytes; the file has 356')),
                             ((heads[:2048], images), ('EFORMAT', 'headers of 2 images, but the first header says 3')),
                             ((heads[:500], images), ('EFORMAT', 'the first header'))):
            self.put_pair(files)
            self.fails(lambda: self.io.read(self.path, format=IMAGIC), *parts)
        self.put_pair((imagic_files(values, kind=b'ABCD')[0], images))
        self.fails(lambda: self.io.read(self.path, format=IMAGIC), 'EFORMAT', "not an IMAGIC header: type 'ABCD'")
        self.put_pair((heads, images[:-4]))
        cut = values.copy()
        cut[-1, -1, -1, -1] = 0
        self.same(self.io.read(self.path, salvage=1), cut, 'salvaged')
        self.put_pair((heads, images + b'1234'))
        self.expect('4 more than' in self.io.info(self.path).texts()[0], 'too long')
        self.put_pair(imagic_files(values, said=7))
        self.compare(values, 'more images said')
        self.expect('the first header says 7 images; the file has 3' in self.io.info(self.path).texts()[0], 'said')
        self.remove('img')
        self.fails(lambda: self.io.read(self.path), 'EIO', 'x.img')
        self.put_pair((heads, images))
        self.remove('hed')
        self.fails(lambda: self.io.read(self.path[:-3] + 'img'), 'EFORMAT')
        self.fails(lambda: self.io.read(self.path[:-3] + 'img', format=IMAGIC), 'EIO', 'x.hed')
        other = self.path[:-3] + 'dat'
        with open(other, 'wb') as file:
            file.write(heads)
        self.fails(lambda: self.io.read(other), 'EARG', 'extension of .hed or .img')
        os.remove(other)
        self.fails(lambda: self.io.write(self.path, values), 'EUNSUPPORTED', 'imagic files cannot be written')


if __name__ == '__main__':
    sys.exit(file_tests.run(Tests, __doc__, ('reads', 'reads_volumes', 'reads_meta', 'refuses')))
