"""HDF5 files of EMAN2 and EMD against h5py: types, compressions, stacks, volumes, stored ranges, gaps, files written;
skipped without h5py."""
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import file_tests  # noqa: E402

try:
    import h5py
except ImportError:
    h5py = None


class Tests(file_tests.Tests):
    name = 'x.hdf'

    def write(self, images, apix=None, attributes=None, **options):
        with h5py.File(self.path, 'w') as file:
            group = file.create_group('MDF/images')
            group.attrs['imageid_max'] = np.int32(len(images) - 1)
            for i, image in enumerate(images):
                one = group.create_group(str(i))
                one.create_dataset('image', data=image, **options)
                for k, name in enumerate(('x', 'y', 'z')):
                    if apix:
                        one.attrs[f'EMAN.apix_{name}'] = np.float32(apix[k])
                for name, value in (attributes or {}).items():
                    one.attrs['EMAN.' + name] = value

    def values(self, dtype, *shape):
        if np.dtype(dtype).kind == 'f':
            return self.random.normal(size=shape).astype(dtype)
        limits = np.iinfo(dtype)
        return self.random.integers(limits.min, limits.max, shape, dtype, endpoint=True)

    def reads(self):
        for dtype in ('f4', 'f8', 'i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8'):
            for order in '<>':
                values = self.values(dtype, 3, 8, 11)
                self.write(values.astype(np.dtype(dtype).newbyteorder(order)))
                self.compare(values[:, None], dtype, order)
        values = self.values('f4', 2, 5, 6, 7)
        self.write(values, apix=(1.25, 1.5, 2), chunks=(1, 6, 7), compression='gzip', shuffle=True)
        self.compare(values, 'volumes')
        info = self.io.info(self.path)
        self.expect(list(info.meta.pixel_size) == [2, 1.5, 1.25] and info.format == 10, 'pixel size')
        self.compare(values.reshape(10, 1, 6, 7), 'as images', as_=1)
        self.compare(values.reshape(1, 10, 6, 7), 'as a volume', as_=2)
        self.fails(lambda: self.io.read(self.path, as_=3, depth=3), 'EARG', 'depth is 3', 'the 10 sections')
        self.write(values[:1])
        self.compare(values[:1], 'a volume')
        self.expect(list(self.io.info(self.path).meta.pixel_size) == [0, 0, 0], 'no pixel size')
        self.write([self.values('f4', 9)])
        self.expect(self.io.info(self.path).shape[:] == [1, 1, 1, 9], 'one axis')

    def restores_ranges(self):
        """Integers of some bits that stand for a range of values, as EMAN2 stores them."""
        for bits, dtype in ((8, 'u1'), (12, 'u2'), (16, 'u2')):
            values = self.random.integers(0, 2**bits, (2, 9, 8)).astype(dtype)
            self.write(values, attributes=dict(stored_rendermin=np.float32(-3), stored_rendermax=np.float32(5),
                                               stored_renderbits=np.int32(bits)))
            got = self.io.read(self.path)
            wanted = -3 + values[:, None] * (8 / (2**bits - 1))
            self.expect(got.dtype == np.float32 and np.allclose(got, wanted, rtol=1e-6, atol=1e-6), 'range', bits)
            with h5py.File(self.path, 'r+') as file:  # the first is constant: its range is a point
                file['MDF/images/0'].attrs['EMAN.stored_rendermax'] = np.float32(-3)
            got, wanted[0] = self.io.read(self.path), -3
            self.expect(got.dtype == np.float32 and np.allclose(got, wanted, rtol=1e-6, atol=1e-6), 'constant', bits)
        for low, high in ((-1.7e308, 1.7e308), (-np.inf, 1), (np.nan, 1)):  # no such range
            self.write(values, attributes=dict(stored_rendermin=low, stored_rendermax=high, stored_renderbits=16))
            self.compare(values[:, None], 'no range', low)
        values = values.astype('c8')
        self.write(values, attributes=dict(stored_rendermin=0., stored_rendermax=1., stored_renderbits=8))
        self.compare(values[:, None], 'a range of complex numbers')

    def refuses(self):
        values = self.values('f4', 2, 4, 5)
        self.write([values[0], values[1][:3]])
        self.fails(lambda: self.io.read(self.path), 'EUNSUPPORTED', 'image 1 is 5 x 3 x 1 of f32, unlike the first')
        self.write([self.values('f4', 2, 2, 2, 2)])
        self.fails(lambda: self.io.read(self.path), 'EUNSUPPORTED', 'has 4 axes')
        self.write([np.zeros((2, 2), 'f2')])
        self.fails(lambda: self.io.read(self.path), 'EUNSUPPORTED', 'neither integers')
        with h5py.File(self.path, 'w') as file:
            file['data'] = values
        self.fails(lambda: self.io.read(self.path), 'EUNSUPPORTED', 'no group /MDF/images')
        with h5py.File(self.path, 'w') as file:
            file.create_group('MDF/images')
        self.fails(lambda: self.io.read(self.path), 'EFORMAT', 'has 0 images')
        with h5py.File(self.path, 'w') as file:
            file.create_group('MDF/images/0')
        self.fails(lambda: self.io.read(self.path), 'EFORMAT', 'no dataset /MDF/images/0/image')
        with h5py.File(self.path, 'w') as file:
            file.create_dataset('MDF/images/0/image', (10**5, 10**5, 10**4), 'f4', chunks=(1, 100, 100))
        self.fails(lambda: self.io.read(self.path), 'EFORMAT', 'cannot be in a file of')
        self.write(values)
        whole = open(self.path, 'rb').read()
        self.put(whole[:len(whole) // 2])
        self.fails(lambda: self.io.read(self.path), 'EFORMAT', 'libhdf5 cannot open it')

    def gaps(self):
        """What info says and what is read agree: a missing image, a missing dataset, chunks never written."""
        values = self.values('f4', 3, 4, 5)
        for gone in (0, 1):
            self.write(values, apix=(2, 2, 2))
            with h5py.File(self.path, 'a') as file:
                del file[f'MDF/images/{gone}']
            for call in (self.io.info, self.io.read):
                self.fails(lambda: call(self.path), 'EFORMAT', f'image {gone} is missing', '2 of the images 0 to 2')
            filled = values[:, None].copy()
            filled[gone] = 0
            self.compare(filled, 'salvaged', gone, salvage=1)
            info = self.io.info(self.path, salvage=1)
            self.expect(info.n_warnings == 1 and b'1 images are missing' in info.warnings[0].text, 'a warning')
        with h5py.File(self.path, 'w') as file:
            file['MDF/images/999999999/image'] = values[0]
        self.fails(lambda: self.io.info(self.path), 'EFORMAT', 'image 0 is missing', '1 of the images 0 to 999999999')
        self.fails(lambda: self.io.info(self.path, salvage=1), 'EFORMAT', '1000000000 images', 'cannot be in a file')
        self.write(values)
        with h5py.File(self.path, 'a') as file:
            del file['MDF/images/1/image']
        self.fails(lambda: self.io.info(self.path), 'EFORMAT', 'no dataset /MDF/images/1/image')
        self.write(values)
        with h5py.File(self.path, 'a') as file:
            del file['MDF/images/2/image']
            file['MDF/images/2/image'] = values[2][:3]
        self.fails(lambda: self.io.info(self.path), 'EUNSUPPORTED', 'image 2 is 5 x 3 x 1 of f32, unlike the first')
        for options in (dict(chunks=(2, 5)), dict(chunks=(2, 5), compression='gzip'), {}):
            self.write(values)
            with h5py.File(self.path, 'a') as file:
                del file['MDF/images/1/image']
                data = file.create_dataset('MDF/images/1/image', (4, 5), 'f4', **options)
                if options:
                    data[:2] = values[1][:2]
            for call in (self.io.info, self.io.read):
                self.fails(lambda: call(self.path), 'EFORMAT', '1 chunk was never written in dataset /MDF/images/1/image')
            filled = values[:, None].copy()
            filled[1, 0, 2 if options else 0:] = 0
            self.compare(filled, 'chunks', options, salvage=1)

    def complex_numbers(self):
        values = (self.values('f4', 2, 4, 5) + 1j * self.values('f4', 2, 4, 5)).astype('c8')
        self.write(values)
        self.same(self.io.read(self.path), values[:, None], 'c32')
        self.write(values.astype('>c16'))
        self.same(self.io.read(self.path), values[:, None].astype('c16'), 'c64')
        for formats, offsets, size in (('f4', [0, 8], 16), ('f4', [4, 0], 8), ('>f8', [8, 0], 16), ('f8', [4, 16], 24)):
            pairs = np.zeros(values.shape, np.dtype(dict(names=['r', 'i'], formats=[formats] * 2, offsets=offsets,
                                                         itemsize=size)))
            pairs['r'], pairs['i'] = values.real, values.imag
            self.write(pairs)
            self.same(self.io.read(self.path), values[:, None].astype('c8' if formats == 'f4' else 'c16'), 'members',
                      offsets)
        self.write(np.zeros(values.shape, [('r', 'f4'), ('i', 'f8')]))
        self.fails(lambda: self.io.read(self.path), 'EUNSUPPORTED', 'nor complex numbers')

    # ---- EMD ----

    def velox(self, images, pixel=(1.5e-10, 2e-10), unit='m'):
        with h5py.File(self.path, 'w') as file:
            for i, image in enumerate(images):
                group = file.create_group(f'Data/Image/{i:032x}')
                group.create_dataset('Data', data=image, chunks=image.shape[:2] + (1,) * (image.ndim - 2))
                text = json.dumps({'Core': {'list': [1, {'a]': '}\"'}], 'none': None}, 'BinaryResult': {
                    'Detector': f'D{i}', 'PixelSize': {'width': str(pixel[1]), 'height': str(pixel[0])},
                    'PixelUnitX': unit, 'PixelUnitY': unit}}).encode()
                metadata = np.zeros((3000, image.shape[2] if image.ndim > 2 else 1), 'u1')
                metadata[:len(text)] = np.frombuffer(text, 'u1')[:, None]
                group['Metadata'] = metadata

    def reads_velox(self):
        for dtype in ('i2', 'u2', 'f4'):
            values = self.values(dtype, 6, 9, 4)
            self.velox([values])
            self.compare(values.transpose(2, 0, 1)[:, None, ::-1], 'frames', dtype)
            self.same(self.io.read(self.path, keep_rows=1), values.transpose(2, 0, 1)[:, None], 'rows of the file')
        info = self.io.info(self.path)
        self.expect(np.allclose(info.meta.pixel_size, [2, 1.5, 2]) and info.n_warnings == 0, 'pixel size')
        self.same(self.io.read(self.path, as_=2)[0], values.transpose(2, 0, 1)[:, ::-1], 'as a volume')
        self.velox([values], unit='1/m')
        self.expect(list(self.io.info(self.path).meta.pixel_size) == [0, 0, 0], 'no length')
        for size in (1e300, 1e-330, float('nan'), -1):
            self.velox([values], pixel=(2e-10, size))
            self.expect(np.allclose(self.io.info(self.path).meta.pixel_size, [0, 2, 0]), 'no pixel size', size)
        self.velox([values[:, :, 0], values])
        info = self.io.info(self.path)
        texts = [w.text.decode() for w in info.warnings[:info.n_warnings]]
        self.expect(texts == ['the file has 2 images; page 0 is read, as no page was chosen', 'page 0: 6 x 9 of f32, D0',
                              'page 1: 6 x 9 x 4 of f32, D1'], 'list', texts)
        self.same(self.io.read(self.path), values[None, None, ::-1, :, 0], 'the first')
        for page, wanted in enumerate((values[None, None, ::-1, :, 0], values.transpose(2, 0, 1)[:, None, ::-1])):
            self.same(self.io.read(self.path, page=page or file_tests.ZERO), wanted, 'page', page)
            self.expect(self.io.info(self.path, page=page or file_tests.ZERO).n_warnings == 0, 'no list')
        self.fails(lambda: self.io.read(self.path, page=2), 'ERANGE', 'page is 2', 'pages 0 to 1')
        self.fails(lambda: self.io.read(self.path, n_pages=2), 'EARG', 'n_pages is 2', 'one image')
        self.velox([values[:, :, 0]] * 258)
        info = self.io.info(self.path)
        self.expect('only the first 256 images are available' in info.warnings[0].text.decode(), 'limit of images')
        self.fails(lambda: self.io.read(self.path, page=256), 'ERANGE', 'pages 0 to 255')
        spectrum = np.zeros((6, 9), [('realFloatHalfEven', 'f4'), ('imagFloatHalfEven', 'f4')])
        self.velox([spectrum, values])
        self.same(self.io.read(self.path), values.transpose(2, 0, 1)[:, None, ::-1], 'past the spectrum')
        self.fails(lambda: self.io.read(self.path, page=file_tests.ZERO), 'EUNSUPPORTED', 'spectra computed by Velox')

    def berkeley(self, values, dims, where='data/one', kind=1, first=1, texts=str):
        """`dims` has a name, a step and a unit for each axis."""
        with h5py.File(self.path, 'w') as file:
            group = file.create_group(where)
            group.attrs['emd_group_type'] = kind
            group['data'] = values
            for k, (name, step, unit) in enumerate(dims):
                dim = group.create_dataset(f'dim{k + first}', data=np.arange(values.shape[k]) * step)
                dim.attrs['name'], dim.attrs['units'] = texts(name), np.string_(unit.encode()) if k % 2 else texts(unit)

    def reads_berkeley(self):
        values = self.values('f4', 3, 4, 5)
        image = [('y', 0.2, '[n_m]'), ('x', 0.25, 'nm')]
        self.berkeley(values[0], image)
        self.compare(values[None, :1, ::-1], 'an image')
        self.expect(np.allclose(self.io.info(self.path).meta.pixel_size, [2.5, 2, 2.5]), 'pixel size')
        for unit, size in (('micron', 1e4), ('[A]', 1), ('\u212b', 1), ('[m_m]', 1e7), ('nmn', 0), ('[n_m^-1]', 0)):
            self.berkeley(values[0], [('y', 2, unit), ('x', 3, unit)])
            self.expect(np.allclose(self.io.info(self.path).meta.pixel_size, [3 * size, 2 * size, 3 * size]), 'unit', unit)
        self.berkeley(values, [('angles', 3, '[deg]')] + image, where='a/b/c')
        self.compare(values[:, None, ::-1], 'a stack')
        self.berkeley(values, [('z', 0.3, '[n_m]')] + image, where='volume', kind='array', first=0)
        self.compare(values[None], 'a volume')
        self.expect(np.allclose(self.io.info(self.path).meta.pixel_size, [3, 2, 2.5]), 'pixel size of a volume')
        self.berkeley(values, [('x', 1, '[n_m]'), ('y', 2, '[n_m]'), ('z', 3, '[n_m]')])
        self.compare(values.transpose(2, 1, 0)[None], 'axes by name')
        self.expect(np.allclose(self.io.info(self.path).meta.pixel_size, [30, 20, 10]), 'axes by name: pixel size')
        values = self.values('u2', 2, 3, 4, 5)
        self.berkeley(values, [('R_y', 1, 'A'), ('R_x', 1, 'A'), ('Q_y', 1, 'A^-1'), ('Q_x', 1, 'A^-1')])
        self.compare(values, 'four axes')
        self.berkeley(values[0], [('z', 1, 'A')])
        with h5py.File(self.path, 'a') as file:  # libhdf5 1.10 crashes where the bytes do not fit into 64 bits
            layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            layout.set_layout(h5py.h5d.COMPACT)
            h5py.h5d.create(file['data/one'].id, b'dim3', h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple((2**62,)), layout)
        self.compare(values[:1], 'an axis of 2^62 coordinates')
        self.berkeley(self.values('u2', 1, 2, 2, 2, 2), [])
        self.fails(lambda: self.io.read(self.path), 'EUNSUPPORTED', 'has 5 axes')
        with h5py.File(self.path, 'a') as file:
            file['loop'] = file['/']
            file['data/two/data'] = values[0]
            file['data/two'].attrs['emd_group_type'] = 1
        self.same(self.io.read(self.path), values[0][:, None, ::-1], 'the one that can be read')

    # ---- Writing ----

    def writes(self):
        for dtype, as_what in (('f4', 'f4'), ('f8', 'f8'), ('i1', 'i1'), ('u1', 'u1'), ('i2', 'i2'), ('u2', 'u2'),
                               ('i4', 'i4'), ('u4', 'u4'), ('f2', 'f4'), ('?', 'u1'), ('i8', 'f8')):
            for shape in ((1, 1, 4, 5), (3, 1, 4, 5), (1, 3, 4, 5), (2, 3, 4, 5)):
                values = self.random.integers(0, 2, shape).astype(dtype)
                big = int(self.random.integers(2))
                self.io.write(self.path, values, pixel_size=(3, 2, 1.5), big_endian=big)
                with h5py.File(self.path) as file:
                    group = file['MDF/images']
                    self.expect(int(group.attrs['imageid_max'][0]) == shape[0] - 1, 'imageid_max')
                    got = np.array([group[str(i)]['image'] for i in range(shape[0])])
                    wanted = values if shape[1] > 1 else values[:, 0]
                    self.expect(got.shape == wanted.shape and np.array_equal(got, wanted), 'by h5py', dtype, shape)
                    attributes = {k: v.item() for k, v in group['0'].attrs.items()}
                    self.expect([attributes['EMAN.' + k] for k in ('nx', 'ny', 'nz', 'apix_x', 'apix_y', 'apix_z')] ==
                                [5, 4, shape[1], 1.5, 2, 3], 'attributes', attributes)
                self.same(self.io.read(self.path), values.astype(as_what), 'again', dtype, shape)
                self.expect(list(self.io.info(self.path).meta.pixel_size) == [3, 2, 1.5], 'pixel size again')

    def writes_many(self):
        """Trees of one, two and three levels; h5py adds an image to what was written."""
        for n in (8, 9, 256, 257, 8200):
            values = self.values('f4', n, 1, 2, 3)
            self.io.write(self.path, values)
            with h5py.File(self.path, 'r+') as file:
                group = file['MDF/images']
                self.expect(sorted(group) == sorted(map(str, range(n))), 'names', n)
                some = [0, n - 1] + list(self.random.integers(0, n, 40))
                self.expect(all(np.array_equal(group[str(i)]['image'], values[i, 0]) for i in some), 'images', n)
                group.create_group(str(n))['image'] = values[0, 0]
            self.same(self.io.read(self.path), np.concatenate((values, values[:1])), 'one more', n)

    def refuses_to_write(self):
        values = self.values('f4', 1, 1, 4, 5)
        self.fails(lambda: self.io.write(self.path, values.astype('c8')), 'EUNSUPPORTED', 'integers of 8 to 32', 'c32')
        self.fails(lambda: self.io.write(self.path, values[:0]), 'ESHAPE', 'a size is 0')
        self.fails(lambda: self.io.write(self.path[:-4] + '.emd', values), 'EUNSUPPORTED', 'EMD files cannot be written')

    def damaged(self):
        """Bytes gone wrong give numbers or a message, never a crash. libhdf5 1.10 itself crashes on damaged texts of
        variable length, so there are none here."""
        values = self.values('u2', 9, 11, 2)
        for make in (lambda: self.write(self.values('f4', 2, 9, 11), apix=(1, 2, 3), chunks=(5, 5), compression='gzip'),
                     lambda: self.velox([values, values]),
                     lambda: self.berkeley(values, [('z', 1, 'nm'), ('y', 1, 'nm'), ('x', 1, 'nm')], texts=np.string_)):
            make()
            self.read_damaged(open(self.path, 'rb').read())

    def read_damaged(self, whole):
        for _ in range(150):
            data = bytearray(whole)
            for at in self.random.integers(0, len(data), self.random.choice((1, 2, 5, 20))):
                data[at] = self.random.choice((0, 1, 128, 255))
            self.put(bytes(data[:self.random.integers(len(data))] if self.random.random() < 0.1 else data))
            try:
                self.io.read(self.path)
            except Exception as error:  # noqa: BLE001
                self.expect('x.hdf' in str(error), 'the message names the file', error)

    def run(self):
        """Whether libhdf5 is there or not, something is said."""
        self.put(b'\x89HDF\r\n\x1a\n' + bytes(600))
        is_there = self.lib.tess_file_format_supported(10, 0)
        self.fails(lambda: self.io.read(self.path), 'x.hdf', 'libhdf5 cannot open it' if is_there else 'libhdf5 is')
        if not is_there or not h5py:
            print(f"SKIPPED files of EMAN2: {'h5py' if is_there else 'libhdf5'} is not installed")
            return
        self.reads()
        self.complex_numbers()
        self.gaps()
        self.reads_velox()
        self.reads_berkeley()
        self.writes()
        self.writes_many()
        self.refuses_to_write()
        self.restores_ranges()
        self.refuses()
        self.damaged()


if __name__ == '__main__':
    sys.exit(file_tests.run(Tests, __doc__, ('run',)))
