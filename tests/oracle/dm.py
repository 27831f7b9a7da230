"""DM3 and DM4 files against a writer in NumPy: types, axes, byte orders, calibrations, what is wrong with them."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import file_tests  # noqa: E402
from dm_writer import DATA_TYPES, dm_file, document, image_tags  # noqa: E402

STACK, VOLUME, VOLUMES = 1, 2, 3


def flipped(values):
    return values[..., ::-1, :]


class Tests(file_tests.Tests):
    name = 'x.dm4'

    def values(self, dtype, *shape):
        dtype = np.dtype(dtype)
        if dtype.kind == 'c':
            return (self.random.normal(size=shape) + 1j * self.random.normal(size=shape)).astype(dtype)
        if dtype.kind == 'b':
            return self.random.integers(0, 2, shape).astype(bool)
        if dtype.kind == 'f':
            return self.random.normal(size=shape).astype(dtype)
        limits = np.iinfo(dtype)
        return self.random.integers(limits.min, limits.max, shape, dtype, endpoint=True)

    def thumbnail(self, n=20):
        """Colours, and more elements than the images that are read have."""
        return image_tags(self.values('i4', n, n), DataType=np.uint32(23))

    def put_images(self, *images, version=4, order='<', **marks):
        self.put(dm_file(document(list(images), **marks), version, order))

    def reads(self):
        for dtype in DATA_TYPES:
            for version in (3, 4):
                for order in '<>':
                    values = self.values(dtype, 6, 9)
                    self.put_images(self.thumbnail(), image_tags(values), version=version, order=order)
                    self.compare(flipped(values).reshape(1, 1, 6, 9), dtype, version, order)
        self.compare(values.reshape(1, 1, 6, 9), 'as it lies', keep_rows=1)

    def reads_axes(self):
        for shape, wanted in (((7,), (1, 1, 1, 7)), ((1, 1), (1, 1, 1, 1)), ((5, 4, 3), (5, 1, 4, 3)),
                              ((2, 5, 4, 3), (2, 5, 4, 3))):
            values = self.values('f4', *shape)
            self.put_images(image_tags(values))
            self.compare(flipped(values.reshape(wanted)), shape)
        values = self.values('u2', 6, 4, 5)
        self.put_images(image_tags(values))
        self.compare(flipped(values).reshape(1, 6, 4, 5), 'a volume', as_=VOLUME)
        self.compare(flipped(values).reshape(2, 3, 4, 5), 'volumes', as_=VOLUMES, depth=3)
        self.fails(lambda: self.io.read(self.path, as_=VOLUMES, depth=4), 'EARG', 'depth is 4', '6 sections')

    def chooses(self):
        small, large, other = (self.values('i2', n, n) for n in (4, 9, 9))
        self.put_images(image_tags(small), image_tags(large), image_tags(small))
        self.compare(flipped(large)[None, None], 'the largest')
        self.put_images(image_tags(large), image_tags(other), thumbnails=())
        self.compare(flipped(other)[None, None], 'the last of two')
        self.put_images(image_tags(large), image_tags(small), thumbnails=(0,))
        self.compare(flipped(small)[None, None], 'no thumbnail')
        self.put_images(self.thumbnail(), image_tags(small), thumbnails=())
        self.compare(flipped(small)[None, None], 'no colours')
        self.put_images(image_tags(large, DataType=np.uint32(5)), image_tags(small), thumbnails=())
        self.compare(flipped(small)[None, None], 'no type that is not read')
        self.put_images(image_tags(large), image_tags(small), image_tags(other), thumbnails=(2,), shown=(1,))
        self.compare(flipped(small)[None, None], 'what is displayed')
        self.put_images(image_tags(large), thumbnails=(0,), shown=(9,))
        self.compare(flipped(large)[None, None], 'a thumbnail where there is nothing else')

    def chooses_pages(self):
        """Pages are the images that are no thumbnails, in their order."""
        images = [self.values(t, *s) for t, s in (('f4', (3, 4)), ('i2', (5, 6)), ('c8', (2, 2)))]
        self.put_images(self.thumbnail(), *map(image_tags, images), thumbnails=(0,))
        for i, image in enumerate(images):
            self.compare(flipped(image)[None, None], 'page', i, page=i or file_tests.ZERO)
        self.compare(flipped(images[2])[None, None], 'page 2 alone', page=2)
        self.compare(flipped(images[1])[None, None], 'by rule')
        self.expect('the file has 3 images; number 1, counted' in self.io.info(self.path).texts()[0], 'several')
        self.expect(self.io.info(self.path, page=1).n_warnings == 0, 'chosen')
        self.fails(lambda: self.io.read(self.path, page=3), 'ERANGE', 'page is 3; the file has images 0 to 2')
        self.fails(lambda: self.io.read(self.path, n_pages=2), 'EARG', 'n_pages is 2; only one image of a dm file can be read')
        self.put_images(self.thumbnail(), image_tags(images[0]))
        self.expect(self.io.info(self.path).n_warnings == 0, 'a thumbnail is no other image')

    def reads_colours(self):
        values = self.values('i4', 6, 9)
        blue, green, red = (values >> shift & 255 for shift in (0, 8, 16))
        grey = np.floor(0.299 * red + 0.587 * green + 0.114 * blue + 0.5).astype(np.uint8)
        for order in '<>':
            self.put_images(self.thumbnail(), image_tags(values, DataType=np.uint32(23)), order=order)
            self.compare(flipped(grey)[None, None], 'grey', grey=1)
            self.fails(lambda: self.io.read(self.path), 'EUNSUPPORTED', 'type 23 holds colours; opts->grey reads them')
        self.expect('colours are read as grey' in self.io.info(self.path, grey=1).texts()[0], 'said')

    def reads_calibrations(self):
        values = self.values('f4', 3, 4, 5)
        for units, sizes in ((('nm', 'nm', 'nm'), (20, 15, 12.5)), (('\xb5m', '\u03bcm', 'um'), (2e4, 1.5e4, 1.25e4)),
                             (('A', '\xc5', '1/nm'), (0, 1.5, 1.25)), (('', 'e-', 'pm'), (0.02, 0, 0)),
                             (('\u212b', 'Angstrom', 'micrometer'), (2e4, 1.5, 1.25)),
                             (('\u016d', '\u21b5m', 'n'), (0, 0, 0))):
            for version, order in ((3, '<'), (4, '<')):
                self.put_images(image_tags(values, (1.25, 1.5, 2), units), version=version, order=order)
                got = self.io.info(self.path).meta.pixel_size[:]
                self.expect(np.allclose(got, sizes, rtol=1e-12, atol=0), units, got)
        self.put_images(image_tags(values, (-1, float('inf'), float('nan')), ('nm', 'nm', 'nm')))
        self.expect(self.io.info(self.path).meta.pixel_size[:] == [0, 0, 0], 'odd scales')

    def refuses(self):
        values = self.values('f4', 6, 8)
        for changes, parts in ((dict(DataType=np.uint32(28)), ('EUNSUPPORTED', 'type 28 (packed complex')),
                               (dict(DataType=np.uint32(77)), ('EUNSUPPORTED', 'type 77 (an unknown type)')),
                               (dict(Dimensions=[np.uint32(9), np.uint32(6)]), ('EFORMAT', '192 bytes; its sizes need 216')),
                               (dict(Dimensions=[np.uint32(0), np.uint32(6)]), ('EFORMAT', 'no image')),
                               (dict(Dimensions=[np.uint32(4)] * 5), ('EUNSUPPORTED', 'more than 4 axes')),
                               (dict(Dimensions=[np.uint32(2**31)] * 4), ('EFORMAT', 'no image')),
                               (dict(Data=None), ('EFORMAT', 'no image'))):
            self.put_images(image_tags(values, **changes))
            self.fails(lambda: self.io.read(self.path), *parts)
        whole = dm_file(document([image_tags(values)]), 3)
        at = whole.index(b'Data\x25\x25\x25\x25') + 4
        for start, middle, parts in ((at, b'%%%$', ('EFORMAT', 'no %%%% before')),
                                     (at + 4, b'\xff\xff\xff\xff', ('EFORMAT', 'takes 4294967295 numbers')),
                                     (at + 8, b'\0\0\0\x63', ('EFORMAT', 'unknown type of a tag', ': 99')),
                                     (at + 16, b'\xff\xff\xff\xff', ('EFORMAT', 'tag Data at byte', 'the file has')),
                                     (18, b'\x16', ('EFORMAT', 'a tag of kind 22 at byte 18')),
                                     (0, b'\0\0\0\5', ('EFORMAT', 'version is 5'))):
            self.put(whole[:start] + middle + whole[start + len(middle):])
            self.fails(lambda: self.io.read(self.path, format=8), *parts)
        for n in range(0, len(whole) - 300, 11):
            self.put(whole[:n])
            self.fails(lambda: self.io.read(self.path, format=8), 'EFORMAT', 'x.dm4')
        deep = {}
        for _ in range(40):
            deep = {'a': deep}
        self.put(dm_file(deep))
        self.fails(lambda: self.io.read(self.path), 'EFORMAT', 'more than 24 groups')
        cut = whole[:whole.index(b'Thumbnails') + 20]
        self.put(cut)
        self.fails(lambda: self.io.read(self.path), 'EFORMAT')
        self.same(self.io.read(self.path, salvage=1), flipped(values)[None, None], 'salvaged')
        self.fails(lambda: self.io.mapped(self.path, salvage=1), 'EUNSUPPORTED', 'rows are stored in the opposite order')
        self.fails(lambda: self.io.write(self.path, values[None, None]), 'EUNSUPPORTED', 'dm files cannot be written')


if __name__ == '__main__':
    sys.exit(file_tests.run(Tests, __doc__, ('reads', 'reads_axes', 'chooses', 'chooses_pages', 'reads_colours',
                                               'reads_calibrations', 'refuses')))
