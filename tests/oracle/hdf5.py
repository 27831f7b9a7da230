"""HDF5 files of EMAN2 against h5py: types, compressions, stacks, volumes, stored ranges; skipped without h5py."""
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
        for dtype in ('f4', 'f8', 'i1', 'u1', 'i2', 'u2', 'i4', 'u4'):
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
        self.fails(lambda: self.io.read(self.path, as_=3, depth=3), 'EARG', 'depth is 3', 'its 10 sections')
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

    def refuses(self):
        values = self.values('f4', 2, 4, 5)
        self.write([values[0], values[1][:3]])
        self.fails(lambda: self.io.read(self.path), 'EUNSUPPORTED', 'image 1 is 5 x 3 x 1 of f32, unlike the first')
        self.write([self.values('f4', 2, 2, 2, 2)])
        self.fails(lambda: self.io.read(self.path), 'EUNSUPPORTED', 'has 4 axes')
        self.write([np.zeros((2, 2), 'c8')])
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
        self.fails(lambda: self.io.write(self.path, values[:, None]), 'EUNSUPPORTED', 'hdf5 files are not written')

    def damaged(self):
        """Bytes gone wrong give numbers or a message, never a crash."""
        self.write(self.values('f4', 2, 9, 11), apix=(1, 2, 3), chunks=(5, 5), compression='gzip')
        whole = open(self.path, 'rb').read()
        for _ in range(300):
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
        self.restores_ranges()
        self.refuses()
        self.damaged()


if __name__ == '__main__':
    sys.exit(file_tests.run(Tests, __doc__, ('run',)))
