"""SPIDER files against a writer in NumPy: images, volumes, stacks of both, either byte order, what is wrong with them."""
import gzip
import os
import struct
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import file_tests  # noqa: E402
import tess  # noqa: E402
from spider_writer import spider_file  # noqa: E402

STACK, VOLUME, VOLUMES = 1, 2, 3
NUMBERS = {d.name: d.number for d in tess.SCALARS}


def parse(data, order='<'):
    """The values (images, slices, rows, columns) of a file, and the words of its headers, by SPIDER's own description."""
    def header(at):
        return struct.unpack(order + '256f', data[at:at + 1024])

    first = header(0)
    slices, rows, columns, length = (int(first[k]) for k in (0, 1, 11, 21))
    assert length == first[12] * first[22] and first[22] == 4 * columns and length >= 1024
    assert first[2] == first[12] + rows * slices and first[4] == (3 if slices > 1 else 1)
    images = int(first[25]) if first[23] > 0 else 1
    at, headers, values = length if first[23] > 0 else 0, [first], []
    for i in range(images):
        headers.append(header(at))
        assert headers[-1][:5] == first[:5] and headers[-1][11:13] == first[11:13] and headers[-1][21:23] == first[21:23]
        n = rows * slices * columns
        values.append(np.array(struct.unpack(f'{order}{n}f', data[at + length:at + length + 4 * n]), np.float32))
        at += length + 4 * n
    assert at == len(data)
    return np.array(values).reshape(images, slices, rows, columns), headers


class Tests(file_tests.Tests):
    name = 'x.spi'

    def values(self, *shape):
        return self.random.normal(size=shape).astype(np.float32)

    def reads(self):
        for shape in ((1, 1, 7, 9), (1, 1, 1, 1), (1, 6, 5, 400), (5, 1, 16, 12), (3, 4, 5, 6), (1, 2, 3, 1)):
            for order in '<>':
                values = self.values(*shape)
                self.put(spider_file(values, order))
                self.compare(values, shape, order)
                if shape[0] == 1:
                    self.put(spider_file(values, order, stack=True))
                    self.compare(values, shape, order, 'a stack of one')

    def reads_as(self):
        values = self.values(5, 1, 6, 7)
        self.put(spider_file(values))
        self.compare(values.reshape(1, 5, 6, 7), 'a stack as volume', as_=VOLUME)
        self.compare(values, 'a stack as stack', as_=STACK)
        self.fails(lambda: self.io.read(self.path, as_=VOLUMES, depth=5), 'EARG', 'the file has 5 images or volumes of 1 sections each')
        self.put(spider_file(values.reshape(1, 5, 6, 7)))
        self.compare(values, 'a volume as stack', as_=STACK)
        values = self.values(2, 3, 4, 5)
        self.put(spider_file(values))
        self.compare(values, 'volumes', as_=VOLUMES, depth=3)
        self.fails(lambda: self.io.read(self.path, as_=STACK), 'EARG', 'the file has 2 images or volumes of 3 sections each')

    def reads_meta(self):
        values = self.values(1, 1, 8, 8)
        self.put(spider_file(values, '>', w6=1, w7=3, w8=-2, w9=0.5, w10=1.25, w38=1.5))
        info = self.io.info(self.path)
        meta = info.meta
        self.expect((meta.min, meta.max, meta.mean, meta.std, meta.stats) == (-2, 3, 0.5, 1.25, 7), 'statistics')
        self.expect(tuple(meta.pixel_size) == (1.5, 1.5, 1.5) and info.big_endian == 1 and info.format == 9, 'meta')
        self.put(spider_file(values, w38=float('nan')))
        info = self.io.info(self.path)
        self.expect(info.meta.stats == 0 and info.meta.pixel_size[2] == 0, 'nothing is known')

    def maps(self):
        values = self.values(1, 3, 8, 8)
        self.put(spider_file(values))
        self.same(self.io.mapped(self.path), values, 'mapped')
        self.put(spider_file(self.values(3, 1, 8, 8)))
        self.fails(lambda: self.io.mapped(self.path), 'EUNSUPPORTED', 'headers lie between them')

    def reads_compressed(self):
        values = self.values(4, 2, 9, 5)
        self.put(gzip.compress(spider_file(values)))
        self.compare(values, 'gzip')

    def get(self):
        with open(self.path, 'rb') as file:
            return file.read()

    def writes(self):
        for shape in ((1, 1, 7, 9), (1, 1, 1, 1), (1, 6, 5, 300), (5, 1, 16, 12), (3, 4, 5, 6), (2, 1, 3, 1), (1, 2, 3, 256)):
            for order in '<>':
                values = self.values(*shape)
                self.io.write(self.path, values, pixel_size=(1.5, 1.5, 1.5), big_endian=order == '>')
                got, headers = parse(self.get(), order)
                self.same(got, values, 'written', shape, order)
                self.expect(all(h[37] == 1.5 for h in headers), 'pixel size')
                if shape[0] == 1:
                    statistics = values.max(), values.min(), values.mean(dtype=float), values.std(dtype=float)
                    self.expect(headers[0][5] == 1 and np.allclose(headers[0][6:10], statistics, rtol=1e-5, atol=1e-6), 'statistics')
                    self.expect(headers[0][23] == 0 and headers[0][26] == 0, 'no stack')
                else:
                    self.expect(headers[0][23] == 2 and [h[26] for h in headers] == list(range(shape[0] + 1)), 'a stack')
                self.compare(values, 'read again', shape, order)

    def writes_other(self):
        """Other types become f32, other strides are contiguous, and the title is a label."""
        values = self.random.integers(-1000, 1000, (3, 1, 6, 5)).astype(np.int16)
        for given in (values, values.astype(np.float64) / 3, values > 0, values.astype(np.float32)[::-1, :, ::2, ::-1]):
            self.io.write(self.path, given)
            self.same(parse(self.get())[0], given.astype(np.float32), 'converted', given.dtype)
        self.io.write(self.path, values, label=b'by hand')
        self.expect(self.get()[864:873] == b'by hand\0\0', 'title')
        info = self.io.info(self.path)
        self.expect(info.meta.n_labels == 1 and info.meta.labels[0].value == b'by hand', 'label')
        self.io.write(self.path + '.gz', values)
        with gzip.open(self.path + '.gz') as file:
            self.same(parse(file.read())[0], values.astype(np.float32), 'gzip')
        self.fails(lambda: self.io.write(self.path, values.astype(np.complex64)), 'EUNSUPPORTED', 'hold f32; the array is c32')
        self.fails(lambda: self.io.write(self.path, values, dtype=NUMBERS['i16']), 'EUNSUPPORTED', 'opts->dtype is i16')
        self.fails(lambda: self.io.write(self.path, values[:0]), 'ESHAPE', 'sizes of 1 or more')
        self.fails(lambda: self.io.write(self.path, np.zeros((1, 1, 1, 1000000), np.int8)), 'ESHAPE', 'and 999999 columns')

    def refuses(self):
        values = self.values(2, 1, 6, 8)
        for words, parts in ((dict(w5=-11), ('EUNSUPPORTED', 'form -11')), (dict(w24=-1), ('EUNSUPPORTED', 'indexed')),
                             (dict(w26=0), ('EFORMAT', 'the number of images is 0')),
                             (dict(w1=1.5), ('EFORMAT', 'the number of slices is 1.5')),
                             (dict(w2=-3), ('EFORMAT', 'the number of rows is -3')),
                             (dict(w26=1e7), ('EFORMAT', '8 x 6 x 1 x 10000000 values of f32, with headers, need')),
                             (dict(w1=2**24, w2=2**24, w26=2**24), ('EFORMAT', 'more bytes than a file can hold'))):
            self.put(spider_file(values, **words))
            self.fails(lambda: self.io.read(self.path), *parts)
        whole = spider_file(values)
        self.put(whole[:-4])
        self.fails(lambda: self.io.read(self.path), 'EFORMAT', f'need {len(whole)} bytes')
        values[-1, -1, -1, -1] = 0
        self.same(self.io.read(self.path, salvage=1), values, 'salvaged')
        self.put(whole + b'1234')
        self.expect('4 more than' in self.io.info(self.path).texts()[0], 'too long')
        self.put(bytes(200))
        self.fails(lambda: self.io.read(self.path + ':spider'), 'EFORMAT', 'not a SPIDER file')
        self.put(bytes(100))
        self.fails(lambda: self.io.read(self.path, format=9), 'EFORMAT', 'the header')


if __name__ == '__main__':
    sys.exit(file_tests.run(Tests, __doc__, ('reads', 'reads_as', 'reads_meta', 'maps', 'reads_compressed', 'writes',
                                               'writes_other', 'refuses')))
