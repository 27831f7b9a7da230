"""Images, stacks and volumes for tests of verbs: written and read by mrcfile, compared with NumPy."""
import warnings

import mrcfile
import numpy as np

from command import check, tessera

random = np.random.default_rng(20261115)
warnings.simplefilter('ignore')
# The same work cut into slabs of other sizes, on other numbers of threads.
WAYS = [('1000', '--mem', '1G', '-j', 1), ('30000', '--mem', '16M', '-j', 2), ('200000', '--mem', '1G', '-j', 2),
        ('0', '--mem', '16M', '-j', 1), ('0', '--mem', '1G', '-j', 2)]


def write(name, data, apix=1.5, stack=False, volumes=False, origin=(0, 0, 0), start=(0, 0, 0)):
    with mrcfile.new(name, overwrite=True) as file:
        file.set_data(data)
        if stack:
            file.set_image_stack()
        if volumes:
            file.header.ispg = 401
            file.header.mz = data.shape[1]
        file.voxel_size = apix
        file.header.origin = origin
        file.header.nxstart, file.header.nystart, file.header.nzstart = start
    return data


def read(name):
    with mrcfile.open(name, permissive=True) as file:
        return np.array(file.data)


def facts(name):
    """Pixel size x,y,z, origin x,y,z, start x,y,z, and whether it is a stack."""
    with mrcfile.open(name, permissive=True) as file:
        h, v = file.header, file.voxel_size
        return ([float(v.x), float(v.y), float(v.z)], [float(h.origin.x), float(h.origin.y), float(h.origin.z)],
                [int(h.nxstart), int(h.nystart), int(h.nzstart)], file.is_image_stack() or file.is_single_image())


def data_bytes(name):
    """All but the labels, which have the command line in them."""
    with open(name, 'rb') as file:
        content = file.read()
    return content if name.endswith('.npy') else content[:220] + content[1024:]


def run(*arguments, out='out.mrc'):
    """Run a verb in several ways, which must all write the same; the file is valid, and its data come back."""
    first = None
    for slab, *way in WAYS:
        result = tessera(*arguments, *way, '-o', out, '-f', environment={'TESS_SLAB': slab})
        if not check(result.code == 0, 'it runs', result):
            return None
        content = data_bytes(out)
        first = first or content
        check(content == first, f'the same bytes with slabs of {slab}, {way}', result)
    if out.endswith('.npy'):
        return np.load(out)
    data = read(out)
    if np.ptp(data.real) > 0:  # of equal numbers mrcfile's own standard deviation is not 0
        check(mrcfile.validate(out, print_file=open('/dev/null', 'w')), 'the file is valid', result)
    return data


def equal(got, want, what, tolerance=0.0):
    """The same shape and, to a part of the largest value, the same numbers."""
    if got is None:
        return False
    want = np.asarray(want)
    if got.shape != want.shape:
        return check(False, f'{what}: shape {got.shape}, not {want.shape}')
    if tolerance == 0:
        return check(np.array_equal(got, want, equal_nan=want.dtype.kind in 'fc'), f'{what}: equal')
    scale = np.abs(want).max() if want.size else 1
    off = np.abs(got.astype(np.complex128) - want).max() if want.size else 0
    return check(off <= tolerance * max(scale, 1e-30), f'{what}: off by {off:g} of {scale:g}')


def close(got, want, what, tolerance=1e-6):
    return check(np.allclose(got, want, rtol=tolerance, atol=tolerance), f'{what}: {got}, not {want}')
