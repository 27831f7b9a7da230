"""Properties of labels, and watersheds, compared with SciPy, scikit-image and loops:
python3 labels.py libtessera.so [seed]

Inputs and outputs are random strided views; what lies around an output must stay as it was. Watersheds are compared
with floods by a heap, and, where scikit-image is installed, with its own from minima. The last line counts comparisons.
"""
import ctypes
import heapq
import itertools
import sys
import warnings
from ctypes import POINTER, byref, c_int, c_int32, c_int64, c_uint32, c_void_p

import numpy as np
from scipy import ndimage

import copies
import signal_convolve
import tess

INTEGERS = [dtype for dtype in tess.REALS if dtype.kind in ('int', 'uint')]
F64 = tess.BY_NAME['f64']
ARRAY = POINTER(tess.Array)
RESULTS = 'bounds', 'centres', 'covariances', 'sums', 'means', 'minima', 'maxima', 'centres_of_mass'
COLUMNS = {'bounds': 6, 'centres': 3, 'covariances': 9, 'centres_of_mass': 3}


class PropertiesOpts(ctypes.Structure):
    _fields_ = [*((name, ARRAY) for name in RESULTS), ('n', c_int64), ('reserved', c_uint32 * 6)]


class WatershedOpts(ctypes.Structure):
    _fields_ = [('mask', c_void_p), ('line', c_int32), ('full', c_int32), ('reserved', c_uint32 * 4)]


def numbers(name, array):
    return tess.numpy_view(array, tess.BY_NAME['i64'] if name == 'bounds' else F64)


def properties(labels, image, n):
    """Rows of numbers of each label, by the elements of it."""
    for k in range(1, n + 1):
        places = np.argwhere(labels == k)
        values = image[labels == k].astype('f8')
        if not len(places):
            yield dict.fromkeys(RESULTS, np.nan) | {'areas': 0, 'bounds': 0, 'sums': 0}
            continue
        with np.errstate(invalid='ignore', divide='ignore'):
            yield {'areas': len(places), 'bounds': [*places.min(0), *(places.max(0) + 1)], 'centres': places.mean(0),
                   'covariances': np.cov(places.T, bias=True).ravel(), 'sums': values.sum(), 'means': values.mean(),
                   'minima': values.min(), 'maxima': values.max(),
                   'centres_of_mass': (places * values[:, None]).sum(0) / values.sum()}


def neighbours(full):
    steps = [k for k in itertools.product((-1, 0, 1), repeat=3) if any(k) and (full or sum(map(abs, k)) == 1)]
    return sorted(steps, key=lambda k: sum(map(abs, k)))


def minima(image, mask, full):
    """Plateaus without a lower neighbour."""
    structure = ndimage.generate_binary_structure(3, 3 if full else 1)
    found = np.zeros(image.shape, bool)
    for value in np.unique(image[mask]):
        plateaus, n = ndimage.label((image == value) & mask, structure)
        around = ndimage.grey_erosion(np.where(mask, image, np.inf), footprint=structure, mode='constant', cval=np.inf)
        lower = np.unique(plateaus[around < value])
        found |= (plateaus > 0) & ~np.isin(plateaus, lower)
    return ndimage.label(found, structure)[0]


def flooded(image, markers, mask, line, full):
    """One batch, by a heap of levels and ages."""
    begins = minima(image, mask, full) if markers is None else np.where(mask, markers, 0)
    out, seen, heap, age = begins.copy(), begins != 0, [], 0
    around = neighbours(full)

    def beside(place):
        for step in around:
            other = tuple(map(sum, zip(place, step)))
            if all(0 <= x < n for x, n in zip(other, image.shape)) and mask[other]:
                yield other

    def reach(place, label, level):
        nonlocal age
        for other in beside(place):
            if not seen[other]:
                seen[other] = True
                age += 1
                heapq.heappush(heap, (max(image[other], level), age, other, label))

    for place in zip(*np.nonzero(begins)):
        age += 1
        heapq.heappush(heap, (image[place], age, place, begins[place]))
    while heap:
        level, _, place, label = heapq.heappop(heap)
        if not line or begins[place] or all(out[other] in (0, label) for other in beside(place)):
            out[place] = label
        reach(place, label, level)
    return out


class Tests(signal_convolve.Tests):
    def __init__(self, lib, seed):
        super().__init__(lib, seed)
        for name, n in (('label_properties', 4), ('watershed', 4), ('label', 3)):
            function = getattr(lib, 'tess_' + name)
            function.restype, function.argtypes = c_int, [c_void_p] * n

    def small_shape(self):
        shape = self.shape_for()
        return (*shape[:3], min(shape[3], 60))

    # ---- Properties ----

    def check_properties(self, dtype, image_dtype):
        shape, n = self.small_shape(), self.rng.randint(1, 9)
        low = -2 if dtype.kind == 'int' else 0
        labels = self.generator.integers(low, n + 2, shape).astype(dtype.numpy)
        image = self.values_for(image_dtype, shape)
        sources = self.place_with(labels, dtype), self.place_with(image, image_dtype)
        areas = self.place((shape[0], 1, 1, n), tess.BY_NAME['i64'])
        made = {name: tess.Array() for name in RESULTS}
        opts = PropertiesOpts(*(ctypes.pointer(made[name]) for name in RESULTS), n)
        what = ('label_properties', dtype, image_dtype, shape, n)
        self.threads()
        status = self.lib.tess_label_properties(areas.ref(), *(s.ref() for s in sources), byref(opts))
        if not self.succeeds(status, *what):
            return
        rows = [list(properties(a, b, n)) for a, b in zip(labels, image)]
        self.written(areas, np.array([[row['areas'] for row in batch] for batch in rows])[:, None, None], *what)
        for name in RESULTS:
            columns = COLUMNS.get(name, 1)
            got = numbers(name, made[name]).reshape(shape[0], n, columns)
            want = np.array([[np.broadcast_to(row[name], columns) for row in batch] for batch in rows])
            if name == 'centres_of_mass':  # as well as sums near 0 allow
                totals = np.abs(np.array([[np.broadcast_to(row['sums'], 3) for row in batch] for batch in rows]))
                got, want = (np.where(totals > 0.1, x, 0) for x in (got, want))
            self.expect(np.allclose(got, want, rtol=1e-9, atol=1e-7, equal_nan=True), *what, name, got, want)
            self.lib.tess_release(byref(made[name]))

    def check_peers(self):
        """SciPy's functions on its labels of blobs."""
        shape = self.rng.choice(((1, 1, 60, 70), (1, 9, 20, 30), (1, 1, 1, 200)))
        squeezed = tuple(n for n in shape if n > 1)
        noise = self.generator.standard_normal(squeezed)
        labels, n = ndimage.label(ndimage.gaussian_filter(noise, 1) > 0.1)
        index = np.arange(1, n + 1)
        source = self.place_with(labels.reshape(shape), tess.BY_NAME['i32'])
        image = self.place_with(noise.reshape(shape), F64)
        areas, made = tess.Array(), {name: tess.Array() for name in RESULTS}
        opts = PropertiesOpts(*(ctypes.pointer(made[name]) for name in RESULTS), 0)
        status = self.lib.tess_label_properties(byref(areas), source.ref(), image.ref(), byref(opts))
        if not self.succeeds(status, 'label_properties', shape):
            return
        rank = len(squeezed)
        take = {name: numbers(name, made[name])[0, 0] for name in RESULTS}
        boxes = [tuple(map(slice, row[3 - rank:3], row[6 - rank:])) for row in take['bounds'].tolist()]
        self.expect(boxes == ndimage.find_objects(labels), 'find_objects', shape)
        for name, function in (('sums', ndimage.sum_labels), ('means', ndimage.mean), ('minima', ndimage.minimum),
                               ('maxima', ndimage.maximum)):
            self.expect(np.allclose(take[name].ravel(), function(noise, labels, index)), name, shape)
        centres = np.array(ndimage.center_of_mass(noise, labels, index)).reshape(n, rank)
        self.expect(np.allclose(take['centres_of_mass'][:, 3 - rank:], centres), 'centres_of_mass', shape)
        for array in (areas, *made.values()):
            self.lib.tess_release(byref(array))

    def properties(self, rounds):
        for _ in range(rounds):
            for dtype in [tess.BY_NAME['bool'], *INTEGERS]:
                for other in self.rng.sample([d for d in tess.REALS if d.name != 'f16'], 3):
                    self.check_properties(dtype, other)
            self.check_peers()

    # ---- Watersheds ----

    def check_watershed(self, dtype):
        rng, shape = self.rng, self.small_shape()
        shape = (*shape[:2], min(shape[2], 12), min(shape[3], 20))
        levels = rng.choice((2, 5, 100)) if dtype.kind != 'bool' else 2
        image = self.generator.integers(0, levels, shape).astype(dtype.numpy)
        if dtype.kind in ('int', 'float'):
            image = image - dtype.numpy.type(levels // 2)
        kind = rng.choice(INTEGERS)
        markers = None
        if rng.random() < 0.7:
            markers = self.generator.integers(0, 9, shape).astype(kind.numpy)
            markers[self.generator.random(shape) > 0.1] = 0
            if kind.kind == 'int':
                markers = -markers
        mask = self.generator.random(shape) < 0.8 if rng.random() < 0.5 else np.ones(shape, bool)
        line, full = rng.randrange(2), rng.randrange(2)
        source, given = self.place_with(image, dtype), None if markers is None else self.place_with(markers, kind)
        chosen = self.place_with(mask, tess.BY_NAME['bool'])
        kind = tess.BY_NAME['i32'] if markers is None else kind
        out = given if given and rng.random() < 0.3 else self.place(shape, kind)
        what = ('watershed', dtype, kind, shape, line, full, markers is None)
        is_masked = not mask.all() or rng.random() < 0.3
        opts = WatershedOpts(ctypes.cast(chosen.ref(), c_void_p) if is_masked else None, line, full)
        self.threads()
        status = self.lib.tess_watershed(out.ref(), source.ref(), given.ref() if given else None, byref(opts))
        if not self.succeeds(status, *what):
            return
        begins = [None] * shape[0] if markers is None else markers
        want = [flooded(x.astype('f8'), m, k, line, full) for x, m, k in zip(image, begins, mask)]
        self.written(out, np.array(want).astype(out.dtype.numpy), *what)

    def watersheds(self, rounds):
        for _ in range(rounds):
            for dtype in tess.REALS:
                self.check_watershed(dtype)

    def check_skimage(self, segmentation, full):
        """From minima of distinct values: there, versions and orders of heaps do not matter."""
        squeezed = self.rng.choice(((40, 50), (9, 20, 30)))
        image = ndimage.gaussian_filter(self.generator.standard_normal(squeezed), 1)
        shape, opts = (1,) * (4 - image.ndim) + squeezed, WatershedOpts(None, 0, full)
        around = ndimage.generate_binary_structure(image.ndim, image.ndim if full else 1)
        begins = ndimage.label(image == ndimage.grey_erosion(image, footprint=around, mode='nearest'), around)[0]
        begins[begins % 3 == 0] = 1
        source = self.place_with(image.reshape(shape), F64)
        given = self.place_with(begins.reshape(shape).astype('i4'), tess.BY_NAME['i32'])
        for markers in (None, begins):
            out = tess.Array()
            ref = None if markers is None else given.ref()
            status = self.lib.tess_watershed(byref(out), source.ref(), ref, byref(opts))
            if self.succeeds(status, 'skimage', squeezed):
                got = tess.numpy_view(out, tess.BY_NAME['i32']).reshape(squeezed)
                want = segmentation.watershed(image, markers, connectivity=image.ndim if full else 1)
                self.expect(np.array_equal(got, want), 'watershed and skimage', squeezed, full, markers is None)
                self.lib.tess_release(byref(out))

    def skimage(self, rounds):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                from skimage import segmentation
        except ImportError:
            print('SKIPPED watersheds of scikit-image: it is not installed (python3-skimage)')
            return
        for _ in range(rounds):
            for full in range(2):
                self.check_skimage(segmentation, full)


def main():
    options = tess.arguments(__doc__)
    tests = Tests(tess.load(options.library), options.seed)
    return copies.run_parts(tests, (
        ('properties', lambda: tests.properties(tess.rounds(8))),
        ('watersheds', lambda: tests.watersheds(tess.rounds(12))),
        ('scikit-image', lambda: tests.skimage(tess.rounds(3)))))


if __name__ == '__main__':
    sys.exit(main())
