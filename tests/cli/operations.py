"""Every operation as a verb, on small .npy files; most are compared with NumPy."""
import json
import os

import numpy as np

from command import check, fails, finish, tessera

rng = np.random.default_rng(7)
x = rng.uniform(0.1, 0.9, (3, 2, 4, 6)).astype(np.float32)
y = rng.uniform(0.1, 0.9, (3, 2, 4, 6)).astype(np.float32)
i = rng.integers(1, 20, (3, 2, 4, 6)).astype(np.int32)
k = rng.integers(1, 5, (3, 2, 4, 6)).astype(np.int32)
c = (x + 1j * y).astype(np.complex64)
image = rng.uniform(0, 1, (3, 1, 8, 6)).astype(np.float32)
spectrum = np.fft.rfft2(image).astype(np.complex64)
a = rng.uniform(0, 1, (1, 1, 5, 3))
b = rng.uniform(0, 1, (1, 1, 5, 1))
for name in ('x', 'y', 'i', 'k', 'c', 'image', 'spectrum', 'a', 'b'):
    np.save(f'{name}.npy', globals()[name])
np.save('mask.npy', x > 0.5)
np.save('zeros.npy', np.zeros((3, 2, 4, 6), np.float32))
np.save('origins.npy', np.array([[0, 0], [2, 1]], np.int64).reshape(2, 1, 1, 2))
np.save('patches.npy', image[:2, :, :2, :2])
np.save('places.npy', np.array([2, 0], np.int64).reshape(1, 1, 1, 2))
np.save('along.npy', np.argsort(x, -1).astype(np.int64))
np.save('sorted.npy', np.sort(x, -1))
np.save('shifts.npy', np.array([[1.0, 2.0]] * 3, np.float32).reshape(3, 1, 1, 2))
np.save('weights.npy', np.ones((3, 2, 4, 6), np.float32))
np.save('big.npy', np.zeros((1, 1, 8, 6), np.float32))
seen = set()


def four(array):
    array = np.asarray(array)
    return array.reshape((1,) * (4 - array.ndim) + array.shape)


def run(words, outputs=('-o',)):
    """Run a verb; its outputs as arrays."""
    names = [f'out{n}.npy' for n in range(len(outputs))]
    for name in names:
        if os.path.exists(name):
            os.remove(name)
    words = words.split()
    seen.add(words[1] if words[0] == 'op' else words[0])
    more = [part for pair in zip(outputs, names) for part in pair]
    result = tessera(*words, *more)
    if not check(result.code == 0 and not result.out, ' '.join(words), result):
        return [None] * len(names)
    return [np.load(name) for name in names]


def same(words, *wanted, outputs=('-o',), error=0.0):
    for got, want in zip(run(words, outputs), wanted):
        if got is None:
            return
        got, want = four(got), four(want)
        good = got.shape == want.shape and got.dtype.kind == want.dtype.kind
        if good:
            worst = np.max(np.abs(got.astype(complex) - want.astype(complex))) if got.size else 0
            good = worst <= error * max(1, np.max(np.abs(want))) if error else np.array_equal(got, want)
        check(good, f'{words}: {got.dtype}{got.shape} is not {want.dtype}{want.shape}, or values differ')


FEW = 4e-7  # of f32: some ulp

# ---- Element-wise ----
for name, want in (('neg', -x), ('abs', np.abs(x)), ('square', x * x), ('sqrt', np.sqrt(x)), ('floor', np.floor(x)),
                   ('ceil', np.ceil(x)), ('trunc', np.trunc(x)), ('rint', np.rint(x)), ('is_nan', np.isnan(x)),
                   ('is_inf', np.isinf(x)), ('is_finite', np.isfinite(x)), ('signbit', np.signbit(x)),
                   ('sign', np.sign(x)), ('reciprocal', 1 / x), ('logical_not', x == 0), ('conj', x), ('real', x),
                   ('imag', x * 0), ('abs2', x * x), ('arg', x * 0)):
    same(f'{name} x.npy', want)
same('round x.npy', np.floor(x + np.float32(0.5)))
for name in ('exp exp2 expm1 log log2 log10 log1p cbrt sin cos tan sinh cosh tanh deg2rad rad2deg').split():
    same(f'{name} x.npy', getattr(np, name)(x), error=FEW)
for name in ('asin acos atan asinh atanh').split():
    same(f'{name} x.npy', getattr(np, 'arc' + name[1:])(x), error=FEW)
same('acosh i.npy', np.arccosh(i), error=1e-14)
same('exp10 x.npy', np.float32(10) ** x, error=FEW)
same('rsqrt x.npy', 1 / np.sqrt(x), error=FEW)
same('sinc x.npy', np.sinc(x / np.pi), error=FEW)
same('cis x.npy', np.exp(1j * x.astype(complex)).astype(np.complex64), error=FEW)
from math import erf, erfc  # noqa: E402
same('erf x.npy', np.vectorize(erf)(x.astype(float)).astype(np.float32), error=FEW)
same('erfc x.npy', np.vectorize(erfc)(x.astype(float)).astype(np.float32), error=FEW)
same('bit_not i.npy', ~i)
for name, want in (('add', x + y), ('sub', x - y), ('mul', x * y), ('div', x / y), ('true_div', x / y),
                   ('minimum', np.minimum(x, y)), ('maximum', np.maximum(x, y)), ('fmin', np.fmin(x, y)),
                   ('fmax', np.fmax(x, y)), ('equal', x == y), ('not_equal', x != y), ('less', x < y),
                   ('less_equal', x <= y), ('greater', x > y), ('greater_equal', x >= y), ('logical_and', x * y != 0),
                   ('logical_or', x + y != 0), ('logical_xor', x != x), ('copysign', np.copysign(x, y)),
                   ('mod', np.fmod(x, y)), ('floor_mod', np.mod(x, y)), ('floor_div', x // y), ('div_safe', x / y),
                   ('mul_conj', x * y), ('square_diff', (x - y) ** 2), ('complex', c)):
    same(f'{name} x.npy y.npy', want)
for name, function in (('pow', np.power), ('hypot', np.hypot), ('atan2', np.arctan2), ('logaddexp', np.logaddexp)):
    same(f'{name} x.npy y.npy', function(x, y), error=FEW)
same('complex_polar x.npy y.npy', (x * np.exp(1j * y.astype(complex))).astype(np.complex64), error=FEW)
for name, want in (('bit_and', i & k), ('bit_or', i | k), ('bit_xor', i ^ k), ('shift_left', i << k),
                   ('shift_right', i >> k)):
    same(f'{name} i.npy k.npy', want)
same('clamp x.npy 0.2 0.6', np.clip(x, np.float32(0.2), np.float32(0.6)))
same('where mask.npy x.npy y.npy', np.where(x > 0.5, x, y))
same('fma i.npy k.npy 1', i * k + 1)
same('isclose x.npy y.npy --atol 0.1', np.abs(x.astype(float) - y) <= 0.1)
same('shift_scale x.npy 0.5 2', (x - np.float32(0.5)) / np.float32(2))
same('add x.npy 2.5', x + np.float32(2.5))
same('sub -1 x.npy', np.float32(-1) - x)
same('sqrt c.npy', np.sqrt(c), error=FEW)
same('mul i.npy 2', i * 2)

# ---- Reductions ----
for axes, numpy_axes in (('hw', (2, 3)), ('b', 0), ('all', None), ('d,h', (1, 2))):
    for name in ('sum', 'mean', 'prod', 'min', 'max', 'std', 'var', 'median'):
        want = getattr(np, name)(x.astype(float), axis=numpy_axes, keepdims=True).astype(np.float32)
        same(f'{name} x.npy --axes {axes}', want, error=FEW)
same('sum x.npy', np.sum(x.astype(float), keepdims=True).astype(np.float32), error=FEW)
same('std x.npy --axes hw --ddof 1', np.std(x.astype(float), axis=(2, 3), ddof=1, keepdims=True).astype(np.float32),
     error=FEW)
same('argmax x.npy --axes w', np.argmax(x, -1)[..., None])
same('argmin x.npy --axes w', np.argmin(x, -1)[..., None])
same('any mask.npy --axes hw', np.any(x > 0.5, axis=(2, 3), keepdims=True))
same('all mask.npy --axes hw', np.all(x > 0.5, axis=(2, 3), keepdims=True))
same('count_nonzero mask.npy --axes hw', np.sum(x > 0.5, axis=(2, 3), keepdims=True))
same('logsumexp x.npy --axes w', np.log(np.sum(np.exp(x.astype(float)), -1, keepdims=True)).astype(np.float32), error=FEW)
same('op norm x.npy --axes hw --order l1', np.sum(np.abs(x), axis=(2, 3), keepdims=True), error=FEW)
same('dot x.npy y.npy --axes hw', np.sum(x.astype(float) * y, axis=(2, 3), keepdims=True).astype(np.float32), error=FEW)
same('rmsd x.npy y.npy --axes hw', np.sqrt(np.mean((x.astype(float) - y) ** 2, axis=(2, 3), keepdims=True)).astype(np.float32),
     error=FEW)
same('weighted_mean x.npy weights.npy --axes hw', np.mean(x.astype(float), axis=(2, 3), keepdims=True).astype(np.float32), error=FEW)
same('mean_std x.npy --axes hw', np.mean(x, axis=(2, 3), keepdims=True), np.std(x, axis=(2, 3), keepdims=True),
     outputs=('-o', '--std'), error=2e-6)
same('mean_var x.npy --axes hw', np.mean(x, axis=(2, 3), keepdims=True), np.var(x, axis=(2, 3), keepdims=True),
     outputs=('-o', '--var'), error=2e-6)
same('minmax x.npy --axes hw', np.min(x, axis=(2, 3), keepdims=True), np.max(x, axis=(2, 3), keepdims=True),
     outputs=('-o', '--max'))
same('quantile x.npy --q 0.3 --axes w', np.quantile(x, 0.3, axis=-1, keepdims=True).astype(np.float32), error=FEW)
same('quantiles x.npy --q 0.1,0.5,0.9 --axes w',
     np.moveaxis(np.quantile(x, [0.1, 0.5, 0.9], axis=-1), 0, -1).astype(np.float32), error=FEW)
same('histogram x.npy --bins 5 --axes all --low 0 --high 1', np.histogram(x, 5, (0, 1))[0])
same('cumsum x.npy --axis w', np.cumsum(x, -1), error=FEW)
same('cumprod x.npy --axis h', np.cumprod(x, 2), error=FEW)
same('cummin x.npy --axis 3', np.minimum.accumulate(x, -1))
same('cummax x.npy --axis -1', np.maximum.accumulate(x, -1))
same('normalize x.npy --axes hw', (x - x.mean((2, 3), keepdims=True)) / x.std((2, 3), keepdims=True), error=4e-6)
same('log_normalize x.npy --axes w', x - np.log(np.sum(np.exp(x), -1, keepdims=True)), error=2e-6)

# ---- Order ----
same('sort x.npy --axis w', np.sort(x, -1))
same('sort x.npy --axis h --descending', -np.sort(-x, 2))
same('argsort x.npy --axis w', np.argsort(x, -1, kind='stable'))
same('topk x.npy --k 2 --axis w', -np.sort(-x, -1)[..., :2], np.argsort(-x, -1, kind='stable')[..., :2],
     outputs=('-o', '--indices'))
got, = run('partition x.npy --kth 2 --axis w')
check(got is not None and np.array_equal(np.sort(got, -1), np.sort(x, -1)) and
      np.array_equal(four(got)[..., 2], np.sort(x, -1)[..., 2]), 'partition')
same('unique i.npy', np.unique(i), np.unique(i, return_counts=True)[1], outputs=('-o', '--counts'))
same('searchsorted sorted.npy y.npy', np.array([np.searchsorted(s, v) for s, v in
     zip(np.sort(x, -1).reshape(-1, 6), y.reshape(-1, 6))]).reshape(x.shape))
same('take x.npy places.npy --axis b', x[[2, 0]])
same('take_along x.npy along.npy --axis w', np.sort(x, -1))
same('take_flat x.npy along.npy', x.ravel()[np.argsort(x, -1)])
same('compress x.npy mask.npy', x[x > 0.5])
same('place x.npy 7 mask.npy', np.where(x > 0.5, np.float32(7), x))
put = np.zeros_like(x)
put[[2, 0]] = x[:2]
np.save('two.npy', x[:2])
same('put zeros.npy two.npy places.npy --axis b', put)
put = np.zeros(x.size, np.float32)
np.add.at(put, np.argsort(x, -1), x)
same('put_flat zeros.npy x.npy along.npy --add', put.reshape(x.shape))

# ---- Making, moving ----
same('zeros --shape 2,3', np.zeros((2, 3), np.float32))
same('ones --shape 2,3 --dtype i16', np.ones((2, 3), np.int16))
same('full --shape 2,3 --value 2.5 --dtype f64', np.full((2, 3), 2.5))
same('eye --shape 3,3', np.eye(3, dtype=np.float32))
same('arange --shape 5 --start 2 --step 3', np.arange(5, dtype=np.float32) * 3 + 2)
same('linspace --shape 5 --start 0 --stop 1 --dtype f64', np.linspace(0, 1, 5))
same('fill --shape 2,2 --value 4', np.full((2, 2), 4, np.float32))
same('fill_element --shape 2,2 --element 4 --dtype i32', np.full((2, 2), 4, np.int32))
same('cast x.npy --dtype f64', x.astype(np.float64))
same('cast x.npy --dtype u8', x.astype(np.uint8))
same('copy x.npy', x)
same('to_device x.npy', x)
same('permute_copy x.npy --axes bdwh', np.swapaxes(x, 2, 3))
same('concatenate x.npy y.npy --axis b', np.concatenate([x, y]))
same('concatenate x.npy y.npy x.npy --axis w', np.concatenate([x, y, x], -1))
same('op bin x.npy --factors 2,2', x.reshape(3, 2, 2, 2, 3, 2).mean((3, 5)), error=FEW)
same('op crop x.npy --before 1,2 --after 1,1', x[:, :, 1:3, 2:5])
same('op pad x.npy --before 1,2 --after 0,1 --border clamp', np.pad(x, ((0, 0), (0, 0), (1, 0), (2, 1)), 'edge'))
same('resize x.npy --shape 8,10', np.pad(x, ((0, 0), (0, 0), (2, 2), (2, 2))))
np.save('one.npy', image[:1])
same('op extract one.npy origins.npy --shape 2,2', np.stack([image[0, :, 0:2, 0:2], image[0, :, 2:4, 1:3]]))
inserted = np.zeros((8, 6), np.float32)
inserted[0:2, 0:2] = image[0, 0, :2, :2]
inserted[2:4, 1:3] = image[1, 0, :2, :2]
same('insert big.npy patches.npy origins.npy', inserted)
np.save('origin_table.npy', np.load('origins.npy').reshape(2, -1))
same('insert big.npy patches.npy origin_table.npy', inserted)
result = tessera('atlas_layout', '--n', '5', '--h', '4', '--w', '3', '--json')
seen.add('atlas_layout')
check(all(row['atlas'] == [1, 1, 8, 9] for row in json.loads(result.out)) and len(json.loads(result.out)) == 10, 'atlas_layout', result)

# ---- Arrays among the options ----
same('histogram x.npy --bins 5 --axes all --low 0 --high 1 --weights y.npy',
     np.histogram(x, 5, (0, 1), weights=y.astype(float))[0], error=1e-6)
values = np.linalg.svd(a[0, 0], compute_uv=False)
same('lstsq a.npy b.npy', np.linalg.lstsq(a[0, 0], b[0, 0], rcond=None)[0], values, np.array([3]),
     outputs=('-o', '--singular-values', '--rank'), error=1e-12)
same('lstsq a.npy b.npy --cond -1', np.linalg.lstsq(a[0, 0], b[0, 0], rcond=-1)[0], error=1e-12)

# ---- Convolution and ranks ----
np.save('filter.npy', np.array([[0, 1, 0], [2, 3, 4], [0, 5, 0]], np.float32).reshape(1, 1, 3, 3))
np.save('vector.npy', np.array([1, 2, 4], np.float32).reshape(1, 1, 1, 3))
np.save('one_weight.npy', np.ones((1, 1, 1, 1), np.float32))
edges = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), 'edge')
parts = np.stack([edges[:, :, r:r + 4, s:s + 6] for r in range(3) for s in range(3)])
above, left, right, below = parts[1], parts[3], parts[5], parts[7]
same('convolve x.npy filter.npy --border clamp', 5 * above + 4 * left + 3 * x + 2 * right + below, error=FEW)
same('convolve x.npy filter.npy --border clamp --correlate', above + 2 * left + 3 * x + 4 * right + 5 * below, error=FEW)
same('convolve_separable x.npy --filter-w vector.npy --border clamp', 4 * left + 2 * x + right, error=FEW)
same('laplacian x.npy --axes hw --border clamp', above + below + left + right - 4 * x, error=FEW)
same('derivative x.npy --axis h --border clamp', (below - above) / 2, error=FEW)
blur = np.exp(-0.5 * np.arange(-2, 3)**2 / 0.5**2)
wide = np.pad(x.astype('f8'), ((0, 0), (0, 0), (0, 0), (2, 2)), 'edge')
blurred = sum(v / blur.sum() * wide[..., n:n + 6] for n, v in enumerate(blur)).astype('f4')
same('gaussian_filter x.npy --sigma-d 0 --sigma-h 0 --sigma-w 0.5 --border clamp', blurred, error=FEW)
same('median_filter x.npy --window 3,3 --border clamp', np.sort(parts, 0)[4])
same('rank_filter x.npy --window 3,3 --rank 1 --border clamp', np.sort(parts, 0)[1])
same('quantile_filter x.npy --window 3,3 --q 0.75 --border clamp', np.sort(parts, 0)[6])
same('uniform_filter x.npy --window 3,3 --border clamp', parts.mean(0), error=FEW)
slope = parts[2] + 2 * right + parts[8] - parts[0] - 2 * left - parts[6]
slopes = parts[6] + 2 * below + parts[8] - parts[0] - 2 * above - parts[2]
np.save('flat.npy', x[:, :1])
same('sobel flat.npy --axes w --border clamp', slope[:, :1], error=FEW)
same('sobel flat.npy --axes hw --border clamp', np.hypot(slope, slopes)[:, :1], error=FEW)
np.save('cross.npy', np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool).reshape(1, 1, 3, 3))


def box(array, extreme):
    wider = np.pad(array, ((0, 0), (0, 0), (1, 1), (1, 1)), 'edge')
    return extreme([wider[:, :, r:r + 4, s:s + 6] for r in range(3) for s in range(3)], 0)


low, high = box(x, np.min), box(x, np.max)
same('grey_erode x.npy --window 3,3', low)
same('grey_erode x.npy --footprint cross.npy', np.min([above, left, x, right, below], 0))
same('grey_dilate x.npy --window 3,3', high)
same('grey_open x.npy --window 3,3', box(low, np.max))
same('grey_close x.npy --window 3,3', box(high, np.min))
same('white_tophat x.npy --window 3,3', x - box(low, np.max))
same('black_tophat x.npy --window 3,3', box(high, np.min) - x)
same('morphological_gradient x.npy --window 3,3', high - low)
even = parts.mean(0)[:, :1]
windows = np.lib.stride_tricks.sliding_window_view(x[:, :1].astype('f8'), (3, 3), (2, 3))
second = np.einsum('...ij,i,j', windows, [-1, 2, -1], [-1, 2, -1])
same('estimate_noise flat.npy', np.median(np.abs(second), (1, 2, 3), keepdims=True) / 6 / 0.67448975019608174, error=FEW)
same('bilateral flat.npy --sigma-value 1e6 --sigma-space 1e5 --window 3,3 --border clamp', even, error=FEW)
same('nl_means flat.npy --strength 1 --noise 10 --patch 0 --search 1 --border clamp', even, error=FEW)
g = np.stack([above - x, below - x, left - x, right - x])[:, :, :1]
flow = (g / (1 + (g / np.float32(0.5))**2)).sum(0)
same('anisotropic_diffusion flat.npy --kappa 0.5 --iterations 1 --conductance rational --step 0.25',
     x[:, :1] + np.float32(0.25) * flow, error=FEW)
np.save('point.npy', np.full((1, 1, 1, 1), 4.0))
same('richardson_lucy flat.npy point.npy --iterations 1', x[:, :1], error=4e-6)
same('wiener_deconvolve flat.npy point.npy --balance 1', x[:, :1] / 2, error=4e-6)
d, h, w = np.indices(x.shape[1:])
same('centre_of_mass x.npy', np.stack([[np.average(n, weights=m) for n in (d, h, w)] for m in x.astype(float)])[:, None, None],
     error=1e-12)
hot = np.full((1, 1, 8, 8), 2, np.float32)
hot[0, 0, 3, 4] = 100
np.save('hot.npy', hot)
same('remove_outliers hot.npy --threshold 3', np.full((1, 1, 8, 8), 2, np.float32))
same('remove_outliers hot.npy --threshold 3 --window 3,5', np.full((1, 1, 8, 8), 2, np.float32))

# ---- Pixel sizes ----
import mrcfile  # noqa: E402
with mrcfile.new('pixels.mrc', np.ones((8, 16, 32), np.float32)) as file:
    file.voxel_size = (1.5, 2, 3)
    file.header.origin = (10, 20, 30)


def header(words):
    if os.path.exists('header.mrc'):
        os.remove('header.mrc')
    result = tessera(*words.split(), '-o', 'header.mrc')
    check(result.code == 0, words, result)
    with mrcfile.open('header.mrc') as file:
        return [round(float(file.voxel_size[n]), 4) for n in 'xyz'] + [round(float(file.header.origin[n]), 4) for n in 'xyz']


check(header('sqrt pixels.mrc') == [1.5, 2, 3, 10, 20, 30], 'sqrt keeps the pixel size and the origin')
check(header('op bin pixels.mrc --factors 1,2,2,2') == [3, 4, 6, 10.75, 21, 31.5], 'bin')
check(header('op crop pixels.mrc --before 0,2,4 --after 0,0,0') == [1.5, 2, 3, 16, 24, 30], 'crop')
check(header('op pad pixels.mrc --before 1,0,0 --after 0,0,0') == [1.5, 2, 3, 10, 20, 27], 'pad')
check(header('resize pixels.mrc --shape 8,8,16') == [1.5, 2, 3, 22, 28, 30], 'resize')
check(header('permute_copy pixels.mrc --axes bdwh') == [2, 1.5, 3, 20, 10, 30], 'permute_copy')
check(header('sqrt pixels.mrc --apix 2.5')[:1] == [2.5], '--apix')

# ---- Random ----
for words in ('random_uniform --low 2 --high 3', 'random_normal --mean 1 --std 2', 'random_lognormal --mean 0 --std 1',
              'random_exponential --scale 2', 'random_integers --low 1 --high 6 --dtype i32'):
    first, = run(f'{words} --shape 8,64,64 --seed 5')
    again, = run(f'{words} --shape 8,64,64 --seed 5')
    other, = run(f'{words} --shape 8,64,64 --seed 6')
    check(first is not None and np.array_equal(first, again) and not np.array_equal(first, other), f'{words}: seeds')
check(abs(run('random_normal --mean 1 --std 2 --shape 8,64,64')[0].mean() - 1) < 0.05, 'the mean of random_normal')
check(abs(run('random_poisson i.npy --seed 3')[0].mean() / i.mean() - 1) < 0.2, 'the mean of random_poisson')
check(np.array_equal(np.sort(run('random_permutation --shape 50 --dtype i32')[0], None), np.arange(50)), 'permutation')
shuffled, = run('random_shuffle x.npy --axis b --seed 2')
check(sorted(map(bytes, shuffled)) == sorted(map(bytes, x)), 'random_shuffle')

# ---- Matrices ----
same('matmul x.npy y.npy --form-b transpose', x @ np.swapaxes(y, 2, 3), error=FEW)
same('lstsq a.npy b.npy', np.linalg.lstsq(a[0, 0], b[0, 0], rcond=None)[0], error=1e-12)
square, definite = a[0, 0, :3], a[0, 0].T @ a[0, 0]
np.save('square.npy', square.reshape(1, 1, 3, 3))
np.save('definite.npy', definite.reshape(1, 1, 3, 3))
same('solve square.npy definite.npy', np.linalg.solve(square, definite), error=1e-11)
same('inverse definite.npy', np.linalg.inv(definite), error=1e-11)
same('determinant square.npy', np.linalg.det(square).reshape(1, 1), error=1e-12)
same('determinant definite.npy', *(np.reshape(x, (1, 1)) for x in (np.linalg.det(definite), *np.linalg.slogdet(definite))),
     outputs=('-o', '--sign', '--log-abs'), error=1e-11)
same('cholesky definite.npy', np.linalg.cholesky(definite), error=1e-12)
same('cholesky definite.npy --upper', np.linalg.cholesky(definite).T, error=1e-12)
signs = np.sign(np.diag(np.linalg.qr(a[0, 0])[1]))
same('qr a.npy', *(x * y for x, y in zip(np.linalg.qr(a[0, 0]), (signs, signs[:, None]))), outputs=('-o', '--r'), error=1e-12)
same('eigh definite.npy', np.linalg.eigvalsh(definite).reshape(1, 3), error=1e-12)
u, values, vh = np.linalg.svd(a[0, 0], full_matrices=False)
signs = np.sign(vh[range(3), np.argmax(np.abs(vh), 1)])
same('svd a.npy', u * signs, values, vh * signs[:, None], outputs=('-o', '--s', '--vh'), error=1e-12)
rows = np.mgrid[0:8, 0:6]
fit = np.stack([np.ones(48), rows[0].ravel(), rows[1].ravel()], -1)
surface = np.stack([(fit @ np.linalg.lstsq(fit, im.ravel().astype(float), rcond=None)[0]).reshape(8, 6)
                    for im in image[:, 0]])[:, None]
same('polyfit_surface image.npy --order 1', surface.astype(np.float32), error=2e-6)

# ---- Rotations ----
from scipy.spatial.transform import Rotation  # noqa: E402
angles = rng.uniform(-170, 170, (5, 3))
turns = Rotation.from_euler('ZYZ', angles, degrees=True)
rotations = turns.as_matrix()[:, None, ::-1, ::-1]  # z, y, x
quats = turns.as_quat()[:, [2, 1, 0, 3]]
quats = np.where(quats[:, 3:] < 0, -quats, quats).reshape(5, 1, 1, 4)
other = np.roll(quats, 1, 0)
back = Rotation.from_euler('ZYZ', turns.as_euler('ZYZ')).as_euler('ZYZ', degrees=True).reshape(5, 1, 1, 3)
points = rng.uniform(-1, 1, (5, 1, 4, 3))
for name in ('angles', 'rotations', 'quats', 'other', 'points'):
    np.save(f'{name}.npy', globals()[name])
same('euler_to_matrix angles.npy --convention relion', rotations, error=1e-14)
same('euler_from_matrix rotations.npy --convention RELION', back, error=1e-12)
same('euler_to_quat angles.npy --convention zyz-intrinsic --unit degrees', quats.reshape(5, 4), error=1e-14)
same('euler_from_quat quats.npy --convention cistem', back, error=1e-12)
same('quat_to_matrix quats.npy', rotations, error=1e-14)
same('quat_from_matrix rotations.npy', quats, error=1e-14)
same('quat_conjugate quats.npy', quats * [-1, -1, -1, 1])
to_other = Rotation.from_quat(other.reshape(5, 4)[:, [2, 1, 0, 3]])
same('quat_distance quats.npy other.npy', (turns.inv() * to_other).magnitude().reshape(5, 1, 1, 1), error=1e-14)
product, = run('quat_mul quats.npy other.npy')
check(product is not None and np.allclose(
    Rotation.from_quat(product.reshape(5, 4)[:, [2, 1, 0, 3]]).as_matrix(), (turns * to_other).as_matrix()), 'quat_mul')
same('quat_slerp quats.npy quats.npy --t 0.5', quats, error=1e-14)
mean = turns.mean().as_quat()[[2, 1, 0, 3]]
same('quat_average quats.npy', np.where(mean[3] < 0, -mean, mean).reshape(1, 1, 1, 4), error=1e-12)
same('quat_reduce quats.npy --symmetry c1', quats, error=1e-14)
random, = run('quat_random --shape 6,4 --dtype f64 --seed 5')
check(random is not None and np.allclose(np.linalg.norm(random, axis=-1), 1), 'quat_random')
same('transform_points points.npy quats.npy', np.swapaxes(rotations @ np.swapaxes(points, 2, 3), 2, 3), error=1e-14)
same('matrix_inverse rotations.npy', np.swapaxes(rotations, 2, 3), error=1e-14)
same('matrix_mul rotations.npy rotations.npy', rotations @ rotations, error=1e-14)
same('symmetry_matrices --name c2', np.array([np.eye(3), np.diag([1, -1, -1])]).reshape(2, 1, 3, 3))
np.save('group.npy', np.diag([1.0, -1, -1]).reshape(1, 1, 3, 3))
same('symmetry_close group.npy', np.array([np.eye(3), np.diag([1, -1, -1])]).reshape(2, 1, 3, 3))
seen.update(('symmetry_order', 'symmetry_check'))
check(json.loads(tessera('symmetry_order', '--name', 'I2', '--json').out) == [{'order': 60}], 'symmetry_order')
run('symmetry_matrices --name o')
check(json.loads(tessera('symmetry_check', 'out0.npy', '--json').out) == [{'error': 0}], 'symmetry_check')
map_ = rng.uniform(0, 1, (1, 5, 4, 6))
np.save('map.npy', map_)
np.save('still.npy', np.eye(3).reshape(1, 1, 3, 3))
same('op project map.npy still.npy', map_.sum(1, keepdims=True), error=1e-14)
np.save('views.npy', map_.sum(1, keepdims=True))
same('op backproject views.npy still.npy --shape 1,3,4,6', np.repeat(map_.sum(1, keepdims=True), 3, 1), error=1e-14)
same('backproject_project views.npy still.npy still.npy --volume 1,3,4,6', 3 * map_.sum(1, keepdims=True), error=1e-14)
seen.add('project_window')
check(json.loads(tessera('project_window', 'still.npy', '--volume', '1,5,4,6', '--json').out) == [{'samples': 7}], 'window')
same('symmetrize map.npy --name C1', map_)
fails(tessera('symmetry_order', '--name', 'C0'), 2, 'name is "C0"; C<n> or D<n> with n from 1 to 1024')
fails(tessera('euler_to_matrix', 'angles.npy', '--convention', 'zzy'), 2, 'unknown --convention "zzy"', 'dynamo')

# ---- Shapes and masks ----
from scipy import ndimage  # noqa: E402
rows, columns = np.mgrid[:8, :6]
blob = rng.uniform(0, 1, (2, 1, 9, 11)) > 0.3
np.save('blob.npy', blob)
np.save('ends.npy', np.array([[2.0, 1], [2, 4]]).reshape(1, 2, 1, 2))
np.save('pair.npy', np.array([2.0, 1.5]).reshape(1, 1, 1, 2))
np.save('begin.npy', np.array([3.0, 1]).reshape(1, 1, 1, 2))
np.save('end.npy', np.array([3.0, 4]).reshape(1, 1, 1, 2))
disc = np.hypot(rows - 4, columns - 3) <= 2
same('draw_sphere image.npy 2', image * disc, error=0)
discs = np.logical_or.reduce([np.hypot(rows - 2, columns - w) <= 1.5 for w in (1, 4)])
same('draw_sphere image.npy 1.5 --centres ends.npy --op replace --value 7', np.where(discs, np.float32(7), image))
same('draw_ellipsoid image.npy pair.npy --inverted',
     image * (np.hypot((rows - 4) / 2, (columns - 3) / 1.5) > 1))
same('draw_cuboid image.npy pair.npy', image * ((abs(rows - 4) <= 2) & (abs(columns - 3) <= 1.5)))
same('draw_cylinder image.npy pair.npy', image * disc)
same('draw_torus image.npy pair.npy --op add', image + (abs(np.hypot(rows - 4, columns - 3) - 2) <= 1.5))
same('draw_line image.npy begin.npy end.npy --radii 0.7', image * ((rows == 3) & (columns >= 1) & (columns <= 4)))
far = np.stack([ndimage.distance_transform_edt(m) for m in blob])
same('distance_transform blob.npy', far.astype(np.float32), error=1e-6)
blobs = np.stack([ndimage.label(m)[0] for m in blob])
same('label blob.npy', blobs)
np.save('labels.npy', blobs.astype(np.int32))
heights = rng.normal(size=blobs.shape).astype(np.float32)
np.save('heights.npy', heights)
same('label_properties labels.npy', np.stack([np.bincount(n.ravel(), minlength=blobs.max() + 1)[1:] for n in blobs])[:, None, None])
run('label_properties labels.npy --image heights.npy --sums sums.npy --n 1')
check(np.allclose(np.load('sums.npy').ravel(), [a[n == 1].sum() for a, n in zip(heights, blobs)], atol=1e-5), 'sums of labels')
same('watershed heights.npy --markers labels.npy --mask blob.npy', blobs)
same('watershed zeros.npy', np.ones((3, 2, 4, 6), int))
places = rng.uniform(0, [1, 3, 5], (3, 4, 5, 3))
np.save('places.npy', places)
sampled = np.stack([ndimage.map_coordinates(m, p.transpose(2, 0, 1), order=1) for m, p in zip(x, places)])[:, None]
same('map_coordinates x.npy places.npy', sampled, error=1e-5)
np.save('ones.npy', np.ones((3, 1, 4, 5), np.float32))
spread = run('map_coordinates_adjoint ones.npy places.npy --shape 3,2,4,6')[0]
check(np.allclose((spread * x).sum((1, 2, 3)), sampled.sum((1, 2, 3)), rtol=1e-5), 'map_coordinates_adjoint is the adjoint')
larger = np.stack([ndimage.zoom(m, (2, 1.5, 2), order=1) for m in x])
same('zoom x.npy --factor-d 2 --factor-h 1.5 --factor-w 2', larger, error=1e-5)
same('fill_holes blob.npy', np.stack([ndimage.binary_fill_holes(m[0])[None] for m in blob]))
np.save('core.npy', np.stack([ndimage.binary_erosion(m) for m in blob]))
same('morph_reconstruct core.npy blob.npy', np.stack([ndimage.binary_propagation(ndimage.binary_erosion(m), mask=m) for m in blob]))
same('erode blob.npy --radius 1', far > 1)
same('dilate blob.npy --radius 1', np.stack([ndimage.distance_transform_edt(~m) for m in blob]) <= 1)
grown = np.stack([ndimage.distance_transform_edt(~m) for m in blob])
edge = np.where(grown <= 1, 1, np.where(grown >= 3, 0, 0.5 + 0.5 * np.cos(np.pi * np.clip(grown - 1, 0, 2) / 2)))
same('mask_create blob.npy --threshold 1 --extend 1 --width 2', edge.astype(np.float32), error=1e-6)
halves = np.concatenate([rng.normal(0, 1, 300), rng.normal(9, 1, 200)]).reshape(1, 1, 20, 25)
np.save('halves.npy', halves)
counts, edges = np.histogram(halves, 256)
between = [(k, (counts[:k].sum() * counts[k:].sum() * (np.average(np.arange(k), weights=counts[:k])
                - np.average(np.arange(k, 256), weights=counts[k:]))**2)) for k in range(1, 256)]
best = [k for k, v in between if v > max(v for _, v in between) * (1 - 1e-12)]
same('otsu halves.npy', edges[best].mean().reshape(1, 1, 1, 1), error=1e-12)
fails(tessera('draw_sphere', 'image.npy', '-1'), 2, 'radii has -1')

# ---- Slices and turned spectra ----
np.save('turns.npy', np.tile(np.eye(3), (2, 1, 1, 1)))
np.save('plane.npy', np.eye(2).reshape(1, 1, 2, 2))
cube = np.fft.rfftn(np.arange(343.0).reshape(1, 7, 7, 7) % 11, axes=(1, 2, 3))
np.save('cube.npy', cube)
same('transform_spectrum_3d cube.npy turns.npy --shape 2,7,7,7 --cutoff 1', np.tile(cube, (2, 1, 1, 1)))
same('transform_spectrum_2d spectrum.npy plane.npy --shape 3,1,8,6 --cutoff 1', spectrum)
same('symmetrize_spectrum spectrum.npy --shape 8,6 --name c1 --cutoff 1 --interp nearest', spectrum)
slices, = run('fourier_extract cube.npy turns.npy --shape 1,7,7,7 --cutoff 1')
check(slices is not None and np.array_equal(slices, np.tile(cube[:, :1], (2, 1, 1, 1))), 'fourier_extract')
np.save('slices.npy', slices)
volume, weights = run('fourier_insert slices.npy turns.npy --shape 2,1,7,7 --cutoff 1', ('-o', '--weights'))
check(volume is not None and np.allclose(volume[:, 0], 2 * cube[:, 0]) and np.all(weights[:, 0] == 2), 'fourier_insert')
np.save('volume.npy', volume)
np.save('weights.npy', weights)
got, = run('fourier_normalize volume.npy weights.npy')
check(got is not None and np.allclose(four(got)[:, 0], cube[:, 0]), 'fourier_normalize')
got, weights = run('fourier_insert_extract slices.npy turns.npy turns.npy --shape 2,1,7,7 --cutoff 1', ('-o', '--out-weights'))
check(got is not None and np.allclose(got, 2 * slices), 'fourier_insert_extract')
block = np.zeros((1, 12, 12, 12))
block[0, 5:8, 4:9, 5:9] = rng.uniform(0, 1, (3, 5, 4))
np.save('block.npy', block)
prepared, = run('fourier_prepare block.npy --padding 3')
check(prepared is not None and np.isclose(four(prepared)[0, 0, 0, 0].real, block.sum(), rtol=0.1), 'fourier_prepare')
np.save('prepared.npy', prepared)
straight, = run('fourier_project prepared.npy turns.npy --padding 3 --cutoff 1')
check(straight is not None and np.allclose(straight, block.sum(1), atol=0.05), 'fourier_project')
np.save('straight.npy', straight)
volume, weights = run('fourier_backproject straight.npy turns.npy --padding 1 --cutoff 1', ('-o', '--weights'))
middle = np.fft.rfft2(np.fft.ifftshift(straight[0, 0]))
check(volume is not None and np.allclose(volume[0, 0, :4, :4], 2 * middle[:4, :4]), 'fourier_backproject')
np.save('volume.npy', volume)
np.save('weights.npy', weights)
got, = run('fourier_reconstruct volume.npy weights.npy --padding 1')
k = np.sinc((np.arange(12) - 6) / 12) ** 2  # what linear interpolation does to a map, undone along all axes
flat = (four(got) * k[:, None, None])[0].sum(0) if got is not None else np.zeros((12, 12))
check(np.allclose(flat, straight[0, 0] / k[:, None] / k), 'fourier_reconstruct')
np.save('block.npy', block.astype('f4'))
run('fourier_prepare block.npy')
os.rename('out0.npy', 'prepared.npy')
grid, = run('quat_grid --step 0.8')
check(grid is not None and np.allclose(np.linalg.norm(grid, axis=-1), 1) and len(grid) == 20 * 8, 'quat_grid')
np.save('grid.npy', np.concatenate([four(grid), [[[[0, 0, 0, 1.0]]]]]))
best, shifts, scores = run('match_projections prepared.npy straight.npy grid.npy', ('-o', '--shifts', '--scores'))
check(best is not None and np.allclose(np.abs(four(best)[..., 3]), 1) and np.all(scores > 0.99), 'match_projections')
got, = run('gridding_correct image.npy')
check(got is not None and np.allclose(four(got)[..., 4, 3], image[..., 4, 3]), 'gridding_correct')

# ---- Fourier transforms ----
same('fft_r2c image.npy', spectrum, error=1e-6)
same('fft_c2r spectrum.npy --shape 8,6', image, error=1e-6)
same('fft_c2c c.npy --sign forward', np.fft.fftn(c, axes=(1, 2, 3)), error=1e-6)
same('fft_c2c c.npy --sign backward --axes hw --norm ortho', np.fft.ifft2(c, norm='ortho'), error=1e-6)
got, = run('fft_r2r image.npy --kind dct2 --sign forward')
check(got is not None and four(got).shape == image.shape, 'fft_r2r')
same('fftshift image.npy', np.fft.fftshift(image, (1, 2, 3)))
same('ifftshift image.npy --axes h', np.fft.ifftshift(image, 2))
same('fft_remap spectrum.npy --shape 8,6 --from h --to hc', np.fft.fftshift(spectrum, 2))
same('fft_remap spectrum.npy --shape 8,6 --from h --to f', np.fft.fft2(image), error=1e-6)
same('fft_spectrum spectrum.npy --shape 8,6 --kind power --from h --to h', np.abs(spectrum) ** 2, error=1e-6)
got, = run('fft_resize spectrum.npy --in-shape 8,6 --out-shape 6,4')
check(got is not None and four(got).shape == (3, 1, 6, 3), 'fft_resize')
moved, = run('fft_phase_shift spectrum.npy shifts.npy --shape 8,6')
check(moved is not None and np.allclose(np.fft.irfft2(four(moved), (8, 6)), np.roll(image, (1, 2), (2, 3)), atol=1e-5),
      'fft_phase_shift')

# ---- Shells and correlation ----
curve, = run('op fsc spectrum.npy spectrum.npy --shape 8,6')
check(curve is not None and four(curve).shape == (3, 1, 1, 4) and np.allclose(curve, 1), 'fsc')
np.save('curve.npy', np.tile(np.array([1, 0.9, 0.5, 0.1]), (3, 1, 1, 1)))
np.save('at.npy', np.array([[0, 0], [1, 2]]).reshape(2, 1, 1, 2))
np.save('window.npy', np.ones((1, 1, 4, 4), 'f4'))
np.save('map.npy', np.asarray(image[:1]).reshape(1, 1, 8, 6))
same('fsc_local map.npy map.npy window.npy at.npy', np.ones((2, 1, 1, 3)), error=1e-6)
weights = np.sqrt([1, 1.8 / 1.9, 1 / 1.5, 0.2 / 1.1])
same('fsc_weight curve.npy', np.tile(weights, (3, 1, 1, 1)), error=1e-15)
np.save('faded.npy', np.exp(2 - 5 * (np.arange(20) * 0.02) ** 2).reshape(1, 1, 1, 20))
same('guinier_fit faded.npy --step 0.02 --low 0.1', np.reshape([-20.0, 2, -1], (1, 1, 1, 3)), error=1e-11)
same('fsc_resolution curve.npy --shape 8,6 --threshold 0.5', np.full((3, 1, 1, 1), 2 / 6), error=1e-15)
same('fsc_corrected curve.npy curve.npy --shape 8,6 --frequency 0.1 --margin 0', np.tile([1.0, 0, 0, 0], (3, 1, 1, 1)),
     error=1e-15)
same('phase_randomize spectrum.npy --shape 8,6 --frequency 1 --seed 3', spectrum)
power, = run('radial_power spectrum.npy --shape 8,6 --nearest')
check(power is not None and np.allclose(four(power)[:, 0, 0, 0], np.abs(spectrum[:, 0, 0, 0]) ** 2, rtol=1e-6),
      'radial_power')
white, = run('whiten spectrum.npy --shape 8,6')
check(white is not None and np.allclose(np.angle(four(white)), np.angle(spectrum), atol=1e-5), 'whiten')
auto = np.fft.irfft2(np.abs(np.fft.rfft2(image.astype(float))) ** 2, (8, 6))
same('correlate image.npy image.npy', auto.astype(np.float32), error=1e-6)
same('correlate_map spectrum.npy spectrum.npy --shape 8,6 --centred', np.fft.fftshift(auto, (2, 3)).astype(np.float32),
     error=1e-6)
np.save('map.npy', auto)
same('correlate_peak map.npy', np.zeros((3, 1, 1, 2)), auto[:, :, :1, :1], outputs=('-o', '--values'), error=10)
same('correlate_score image.npy image.npy --center --normalize', np.ones((3, 1, 1, 1)), error=1e-12)
np.save('first.npy', image[:1])
np.save('corner.npy', image[:1, :, :3, :3])
np.save('ones.npy', np.ones((1, 1, 3, 3), np.float32))
tops = np.zeros((9, 9), np.float32)
tops[2, 3], tops[6, 7], tops[7, 7] = 5, 9, 4
np.save('tops.npy', tops)
places, = run('op peaks tops.npy --threshold 1 --at-samples')
check(places is not None and np.array_equal(places.reshape(-1, 4), [[0, 0, 6, 7], [0, 0, 2, 3]]), 'peaks')
matched, = run('match_template first.npy corner.npy --mask ones.npy')
check(matched is not None and abs(four(matched)[0, 0, 1, 1] - 1) < 1e-6, 'match_template')
frequencies, = run('fft_frequencies --shape 8,6')
check(frequencies is not None and np.allclose(four(frequencies)[0, 0],
      np.hypot(np.fft.fftfreq(8)[:, None], np.fft.rfftfreq(6))), 'fft_frequencies')
fh, fw = np.fft.fftfreq(8)[:, None], np.fft.rfftfreq(6)
radius = np.hypot(fh, fw)
low = np.where(radius <= 0.2, 1, np.where(radius >= 0.3, 0, (1 + np.cos(np.pi * (radius - 0.2) / 0.1)) / 2))
high = np.where(radius >= 0.2, 1, np.where(radius <= 0.1, 0, (1 + np.cos(np.pi * (0.2 - radius) / 0.1)) / 2))
np.save('doses.npy', np.array([1.0, 20, 40]).reshape(3, 1, 1, 1))
np.save('curve.npy', np.linspace(1, 0, 6).reshape(1, 1, 1, 6))
same('lowpass spectrum.npy --shape 8,6 --cutoff 0.2 --width 0.1', spectrum * low, error=1e-6)
same('highpass spectrum.npy --shape 8,6 --cutoff 0.2 --width 0.1 --to hc', np.fft.fftshift(spectrum * high, 2), error=1e-6)
same('bandpass spectrum.npy --shape 8,6 --low 0.2 --high 0.2 --low-width 0.1 --high-width 0.1', spectrum * low * high,
     error=1e-6)
for name, m in (('lowpass', low), ('highpass', high)):
    same(f'{name}_image image.npy --cutoff 0.2 --width 0.1', np.fft.irfft2(spectrum * m, (8, 6)).astype(np.float32), error=1e-5)
same('bandpass_image image.npy --low 0 --high 0.2 --high-width 0.1', np.fft.irfft2(spectrum * low, (8, 6)).astype(np.float32),
     error=1e-5)
same('bfactor spectrum.npy --shape 8,6 --bfactor 30 --pixel-size 1.5', spectrum * np.exp(-30 * radius**2 / 9), error=1e-6)
with np.errstate(divide='ignore'):
    critical = 0.245 * (radius / 1.5)**-1.665 + 2.81
same('dose_weight spectrum.npy doses.npy --shape 8,6 --pixel-size 1.5',
     spectrum * np.exp(-np.array([1.0, 20, 40]).reshape(3, 1, 1, 1) / (2 * critical)), error=1e-6)
# Motion of frames.
moves = np.array([[0, 0], [1.5, -2.25], [-3, 4]])
blob = np.exp(-sum((g - 20) ** 2 for g in np.mgrid[:40, :44]) / 18) + np.exp(
    -((np.mgrid[:40, :44][0] - 9) ** 2 + (np.mgrid[:40, :44][1] - 33) ** 2) / 6)
turns = np.exp(-2j * np.pi * (np.fft.fftfreq(40)[:, None] * moves[:, :1, None] + np.fft.rfftfreq(44) * moves[:, 1:, None]))
drifting = (np.fft.rfft2(blob) * turns)[:, None].astype(np.complex64)
np.save('drifting.npy', drifting)
np.save('moves.npy', -moves.reshape(3, 1, 1, 2))
got, = run('align_frames drifting.npy --shape 3,1,40,44 --pixel-size 1 --bfactor 0 --tolerance 0.001')
check(got is not None and np.abs(four(got).reshape(3, 2) + moves).max() < 0.05, f'align_frames: {got}')
np.save('tilted.npy', np.fft.irfft2(drifting, (40, 44)).astype(np.float32))
np.save('flat.npy', np.zeros((3, 1, 1, 1)))
got, = run('align_tilts tilted.npy flat.npy')
check(got is not None and np.abs(four(got).reshape(3, 2) + moves).max() < 0.2, f'align_tilts: {got}')
added = (drifting / turns[:, None]).sum(0, keepdims=True)
same('add_frames drifting.npy moves.npy --shape 3,1,40,44', added, error=1e-5)
q = np.exp(-np.array([1, 2, 3])[:, None, None] / (2 * (0.245 * np.maximum(
    np.hypot(np.fft.fftfreq(8)[:, None], np.fft.rfftfreq(6)) / 1.5, 1e-30) ** -1.665 + 2.81)))
np.save('received.npy', np.array([1.0, 2, 3]).reshape(3, 1, 1, 1))
same('dose_normalize spectrum.npy received.npy --shape 8,6 --pixel-size 1.5', spectrum / np.sqrt((q * q).sum(0)), error=1e-5)
model = rng.uniform(-0.01, 0.01, (2, 1, 1, 18))
where, when = rng.uniform(-0.5, 0.5, (25, 1, 1, 2)), np.arange(8.0).reshape(1, 1, 1, 8)
v, u, t = where[:, 0, 0, :1], where[:, 0, 0, 1:], when[0, 0]
terms = np.stack([g * t ** n for g in (v ** 0, u, u * u, v, v * v, u * v) for n in (1, 2, 3)], -1)
local = np.stack([terms @ model[axis, 0, 0] for axis in (0, 1)], -1)[:, None]
for name in ('model', 'where', 'when', 'local'):
    np.save(f'{name}.npy', globals()[name])
same('motion_shifts model.npy where.npy when.npy', local, error=1e-9)
same('motion_fit local.npy where.npy', model, error=1e-8)


def robust_fit(seen, c=4.685):
    """Least squares, then Huber's and Tukey's weights, with a constant for each patch as a column of its own."""
    patches, n = seen.shape[0], seen.shape[2]
    b = seen[:, 0].reshape(-1, 2)
    a = np.hstack([terms.reshape(-1, 18), np.repeat(np.eye(patches), n, 0)])
    weights = np.ones(len(b))
    for turn in range(36):
        x = np.linalg.lstsq(a * np.sqrt(weights)[:, None], b * np.sqrt(weights)[:, None], rcond=None)[0]
        far = np.hypot(*(b - a @ x).T)
        scale = np.median(far) / np.sqrt(2 * np.log(2))
        if turn >= 6 and changed < 1e-4:
            return x[:18].T.reshape(2, 1, 1, 18), weights.reshape(patches, 1, n, 1)
        before = weights
        weights = np.minimum(1, 1.345 * scale / far) if turn < 5 else np.maximum(1 - (far / c / scale) ** 2, 0) ** 2
        changed = np.abs(weights - before).max()
    return x[:18].T.reshape(2, 1, 1, 18), before.reshape(patches, 1, n, 1)


noisy = local + rng.normal(0, 0.02, local.shape) + rng.normal(0, 0.3, (25, 1, 1, 2))
noisy[rng.random(noisy.shape[:3]) < 0.2] += 3
np.save('noisy.npy', noisy)
robust, kept = run('motion_fit noisy.npy where.npy --offsets', ('-o', '--kept'))
expected, counted = robust_fit(noisy)
check(np.abs(four(robust) - expected).max() < 1e-6 and np.abs(four(kept) - counted).max() < 1e-3, 'a robust fit',
      np.abs(four(robust) - expected).max())
np.save('still.npy', np.zeros((2, 1, 1, 18)))
np.save('three.npy', np.arange(3.0).reshape(1, 1, 1, 3))
same('motion_warp image.npy still.npy three.npy', image, error=1e-6)
spot = np.zeros((1, 1, 8, 6), np.uint8)
spot[0, 0, 4, 3] = 1
np.save('spot.npy', spot)
repaired = image.copy()
repaired[:, 0, 4, 3] = np.median(np.delete(image[:, 0, 3:6, 2:5].reshape(3, 9), 4, 1), 1)
same('repair_pixels image.npy spot.npy', repaired, error=1e-6)
same('filter_curve spectrum.npy curve.npy --shape 8,6', spectrum * np.clip(1 - 2 * radius, 0, 1), error=1e-6)
same('phase_shift spectrum.npy shifts.npy --shape 8,6', moved, error=1e-6)
wave = 0.0196874890
phase = -np.pi * wave * 1e4 * (radius / 1.5)**2 + np.pi / 2 * 2.7e7 * wave**3 * (radius / 1.5)**4 - np.arcsin(0.1)
ctf = '--ctf 1.5,0,1,0,0,300,0.1,2.7'
same(f'ctf_apply spectrum.npy --shape 8,6 {ctf}', spectrum * -np.sin(phase), error=1e-5)
same(f'ctf_flip spectrum.npy --shape 8,6 {ctf}', spectrum * np.sign(-np.sin(phase)), error=1e-5)
same(f'ctf_wiener spectrum.npy --shape 8,6 {ctf} --snr 4', spectrum * -np.sin(phase) / (np.sin(phase)**2 + 0.25), error=1e-5)
r = np.hypot(np.fft.fftfreq(96)[:, None], np.fft.rfftfreq(96)) / 1.5
rings = 2 + np.cos(2 * (-np.pi * wave * 1.2e4 * r**2 + np.pi / 2 * 2.7e7 * wave**3 * r**4 - np.arcsin(0.1)) + np.pi)
np.save('rings.npy', rings.reshape(1, 1, 96, 49))
known = '--ctf 1.5,0,0,0,0,300,0.1,2.7'
fit, score, found, curves = run(f'ctf_fit rings.npy --shape 96,96 {known} --isotropic',
                                ('-o', '--scores', '--resolutions', '--curves'))
check(fit is not None and abs(four(fit)[0, 0, 0, 2] - 1.2) < 2e-3 and score.item() > 0.99 and found.item() > 0.2 and
      four(curves).shape == (1, 1, 3, 49), 'ctf_fit')
np.save('rings.npy', np.tile(np.fft.irfft2(np.sqrt(rings) * np.exp(1j * rng.uniform(0, 6, rings.shape))), (1, 1, 2, 2)))
fit, = run(f'ctf_fit_image rings.npy --patch 96,96 {known} --isotropic')
check(fit is not None and abs(four(fit)[0, 0, 0, 2] - 1.2) < 0.1, 'ctf_fit_image', fit)
for name, words, want in (('ctf_value_at', '--fh 0.1 --fw 0', 'value'), ('ctf_phase_at', '--fh 0.1 --fw 0', 'phase'),
                          ('ctf_envelope_at', '--fh 0.1 --fw 0', 'envelope'), ('ctf_odd_phase_at', '--fh 0.1 --fw 0', 'phase'),
                          ('ctf_isotropic_frequency', '--fh 0.1 --fw 0', 'frequency'),
                          ('ctf_defocus_at', '--angle 0', 'defocus'), ('ctf_frequency_at', '--phase -4', 'frequency')):
    seen.add(name)
    got = json.loads(tessera(name, *ctf.split(), *words.split(), '--json').out)[0][want]
    at = -np.pi * wave * 1e4 * (0.1 / 1.5)**2 + np.pi / 2 * 2.7e7 * wave**3 * (0.1 / 1.5)**4 - np.arcsin(0.1)
    good = {'value': -np.sin(at), 'phase': 0 if 'odd' in name else at, 'envelope': 1, 'defocus': 1,
            'frequency': 0.1 if 'iso' in name else got}[want]
    check(abs(got - good) < 1e-6 and 0 <= abs(got) < 5, name, got)
made = tessera('filter_spectrum', 'spectrum.npy', '--shape', '8,6', '--op',
               'op f(in f64 z, in f64 y, in f64 x, out f64 m) { m = 1 - x; }', '-o', 'made.npy')
check(made.code == 0 and np.allclose(np.load('made.npy'), spectrum * (1 - fw), atol=1e-5), 'filter_spectrum', made)
made = tessera('filter_image', 'image.npy', '--op', 'op f(in f64 z, in f64 y, in f64 x, out f64 m) { m = 1 - x; }', '-o',
               'image_made.npy')
check(made.code == 0 and np.allclose(np.load('image_made.npy'), np.fft.irfft2(spectrum * (1 - fw), (8, 6)), atol=1e-5),
      'filter_image', made)


def same_image(command, multipliers):
    same(command, np.fft.irfft2(spectrum * multipliers, (8, 6)).astype(np.float32), error=1e-5)


same_image('bfactor_image image.npy --bfactor 30 --pixel-size 1.5', np.exp(-30 * radius**2 / 9))
same_image('dose_weight_image image.npy doses.npy --pixel-size 1.5',
           np.exp(-np.array([1.0, 20, 40]).reshape(3, 1, 1, 1) / (2 * critical)))
same_image('filter_curve_image image.npy curve.npy', np.clip(1 - 2 * radius, 0, 1))
np.save('row.npy', np.array([[[[1.5, -0.25]]]]))
same('phase_shift_image image.npy 1.5,-0.25', *run('phase_shift_image image.npy row.npy'))
same('phase_shift_image image.npy -1,2e0', *run('phase_shift_image image.npy -1.0,2'))
fails(tessera('phase_shift_image', 'image.npy', '1.5,', '-o', 'no.npy'), 3, '1.5,')
same_image('phase_shift_image image.npy shifts.npy', moved / np.where(spectrum == 0, 1, spectrum))
same_image(f'ctf_apply_image image.npy {ctf}', -np.sin(phase))
same_image(f'ctf_flip_image image.npy {ctf}', np.sign(-np.sin(phase)))
same_image(f'ctf_wiener_image image.npy {ctf} --snr 4', -np.sin(phase) / (np.sin(phase)**2 + 0.25))
same('phase_randomize_image image.npy --frequency 1 --seed 3', image, error=1e-5)
same('whiten_image image.npy', np.fft.irfft2(white, (8, 6)).astype(np.float32), error=1e-5)
for name, words, m in (('wedge', '--first -0.785398163397448 --last 0.785398163397448', np.abs(fh) <= np.abs(fw) + 1e-9),
                       ('cone', '--aperture 0.785398163397448', np.abs(fw) <= np.abs(fh) + 1e-9),
                       ('ellipsoid', '--radius-d 1 --radius-h 0.3 --radius-w 0.4', (fh / 0.3)**2 + (fw / 0.4)**2 <= 1),
                       ('cross', '--half-width 0.13 --axes w --invert', np.abs(fh) + 0 * fw > 0.13)):
    same(f'fourier_{name} spectrum.npy --shape 8,6 {words}', spectrum * m, error=1e-6)
    same_image(f'fourier_{name}_image image.npy {words}', m)
seen.update(('filter_spectrum', 'filter_image', 'resolution_to_frequency', 'frequency_to_resolution', 'ctf_wavelength', 'ctf_image'))
check(json.loads(tessera('resolution_to_frequency', '--resolution', 8, '--pixel-size', 1.4, '--json').out)[0]['frequency']
      == 0.175, 'resolution_to_frequency')
seen.update(('fft_frequency', 'fft_index', 'reduce'))
check(json.loads(tessera('fft_frequency', '--layout', 'h', '--axis', 'w', '--n', 8, '--index', 2, '--json').out)
      == [{'frequency': 0.25}], 'fft_frequency')
check(json.loads(tessera('fft_index', '--layout', 'h', '--axis', 'w', '--n', 8, '--frequency', 0.25, '--json').out)
      == [{'index': 2}], 'fft_index')
row, = json.loads(tessera('op', 'reduce', 'x.npy', '--items', 'min,max,mean', '--json').out)
check(np.float32(row['min']) == x.min() and np.float32(row['max']) == x.max() and abs(row['mean'] - x.mean()) < 1e-6,
      'op reduce')

# ---- Transforms ----
np.save('swap.npy', np.array([[0, 1, 0], [1, 0, 0]], float).reshape(1, 1, 2, 3))
np.save('cycle.npy', np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], float).reshape(1, 1, 3, 3))
np.save('cube.npy', image[:1, 0, :6, :6].repeat(6, 0)[None] + np.arange(6, dtype=np.float32)[:, None, None])
cube = np.load('cube.npy')
polar, = run('cartesian_to_polar image.npy --height 4 --width 3')
check(polar is not None and four(polar).shape == (3, 1, 4, 3) and np.allclose(four(polar)[:, :, 0], image[:, :, 4, 3:6]),
      'cartesian_to_polar')
np.save('polar.npy', np.ones((3, 1, 8, 4), np.float32))
same('polar_to_cartesian polar.npy --border clamp', np.ones((3, 1, 8, 8)))
polar, = run('spectrum_to_polar spectrum.npy --shape 8,6 --height 2 --width 5')
check(polar is not None and np.allclose(four(polar)[:, :, 0, 0], four(spectrum)[:, :, 0, 0]), 'spectrum_to_polar')
curve, = run('rotational_average spectrum.npy --shape 8,6 --power --shells 5')
check(curve is not None and four(curve).shape == (3, 1, 1, 5) and
      np.allclose(four(curve)[..., 0].ravel(), np.abs(four(spectrum)[:, 0, 0, 0])**2), 'rotational_average')
np.save('ctfs.npy', np.array([1.5, 0, 1, 0, 0, 300, 0.1, 2.7]).reshape(1, 1, 1, 8))
same('phase_spectra image.npy ctfs.npy ctfs.npy', image, error=1e-4)
same('fuse_spectra image.npy ctfs.npy ctfs.npy', image.mean(2, keepdims=True), error=1e-4)
same('transform_2d image.npy swap.npy --shape 3,1,6,8', image.transpose(0, 1, 3, 2))
same('transform_3d cube.npy cycle.npy --interp lanczos8', cube.transpose(0, 3, 1, 2))
same('rotate_image image.npy --angle 3.141592653589793 --border periodic', np.roll(image[:, :, ::-1, ::-1], (1, 1), (2, 3)))
same('shift_image image.npy --shift-d 0 --shift-h 0 --shift-w 1 --interp cubic', np.pad(image, ((0, 0),) * 3 + ((1, 0),))[..., :-1])
same('op rescale image.npy --pixel 1 --new-pixel 2', image[:, :, ::2, 1::2])
from scipy import ndimage  # noqa: E402
same('bspline_prefilter image.npy --border reflect',
     np.stack([ndimage.spline_filter(i, 3, np.float64, 'mirror') for i in image[:, 0]])[:, None].astype('f4'), error=FEW)

# ---- Signals ----
from scipy.signal import windows  # noqa: E402
for name, words, want in (('hann', '', windows.hann(9)), ('hamming', '', windows.hamming(9)),
                          ('blackman', '', windows.blackman(9)), ('tukey', '--alpha 0.5', windows.tukey(9, 0.5)),
                          ('gaussian', '--sigma 2', windows.gaussian(9, 2)),
                          ('kaiser', '--beta 5', windows.kaiser(9, 5)),
                          ('sinc', '--k 0.5', 0.5 * np.sinc(0.5 * (np.arange(9) - 4)))):
    same(f'window_{name} --n 9 {words}', want, error=1e-14)
    seen.add(f'window_{name}_at')
    got = tessera(f'window_{name}_at', '--n', 9, '--index', 2, *words.split(), '--json').out
    check(abs(json.loads(got)[0]['value'] - want[2]) < 1e-14, f'window_{name}_at')
edge = np.outer(windows.tukey(8, 4 / 7), windows.tukey(6, 4 / 5))
same('taper image.npy --width_h 2 --width_w 2', image * edge.astype(np.float32), error=FEW)
square = (np.arange(8)[:, None] - 4) ** 2 + (np.arange(6) - 3) ** 2
same('taper_radial image.npy --radius 2 --value 0.5', np.where(square <= 4, image, np.float32(0.5)))
outside = image[:, :, square > 4].astype(float)
column = (3, 1, 1, 1)
same('normalize_background image.npy --radius 2',
     ((image - outside.mean(-1).reshape(column)) / outside.std(-1).reshape(column)).astype(np.float32), error=1e-6)
level = image - image.mean((2, 3), keepdims=True)
same('standardize spectrum.npy --shape 8,6', np.fft.rfft2(level / level.std((2, 3), keepdims=True)).astype(c.dtype),
     error=1e-5)
same('average_power image.npy --patch 8,6', (np.abs(np.fft.rfft2(level)) ** 2).astype(np.float32), error=1e-5)
same('covariance image.npy --ddof 1', np.cov(image.reshape(3, -1)).astype(np.float32), error=1e-6)
same('mean_l2_norm x.npy --axes hw', x.mean((2, 3), keepdims=True),
     (x.std((2, 3), keepdims=True) * np.sqrt(24)).astype(np.float32), outputs=('-o', '--norm'), error=1e-6)

# ---- Numbers instead of files ----
check(float(tessera('sum', 'i.npy').out) == i.sum() and tessera('sum', 'i.npy').out == f'{i.sum()}\n', 'a bare number')
rows = json.loads(tessera('max', 'x.npy', '--axes', 'hw', '--json').out)
check([(r['b'], r['d'], np.float32(r['out'])) for r in rows]
      == [(p, q, x[p, q].max()) for p in range(3) for q in range(2)], 'a row for each element')
rows = json.loads(tessera('topk', 'image.npy', '--k', '1', '--axis', 'w', '--json').out)
check(len(rows) == 24 and {'values', 'indices'} <= set(rows[0]), 'two results are two columns')
np.save('large.npy', np.zeros((200, 200), np.float32))
fails(tessera('sqrt', 'large.npy'), 2, 'name a file with -o')
fails(tessera('sort', 'large.npy', '--axis', 'w'), 2, '40000 elements', '-o')

# ---- Mistakes ----
fails(tessera('sort', 'x.npy'), 2, 'sort: --axis is needed')
fails(tessera('sort', 'x.npy', '--axis', 'q'), 2, '--axis is "q"; b, d, h or w')
fails(tessera('sum', 'x.npy', '--axes', 'xyz'), 2, '--axes is "xyz"', 'b, d, h, w')
fails(tessera('op', 'bin', 'x.npy', '--factors', '2,y'), 2, '--factors is "2,y"')
fails(tessera('op', 'bin', 'x.npy', '--factors', '1,1,1,1,1'), 2, 'more than the four')
fails(tessera('op', 'bin', 'x.npy', '--factors', '0,2'), 2, 'bin: --factors is {1,1,0,2}')
fails(tessera('permute_copy', 'x.npy', '--axes', 'bdh'), 2, 'as bdwh')
fails(tessera('permute_copy', 'x.npy', '--axes', 'bdhh'), 2, 'permute_copy')
fails(tessera('cast', 'x.npy', '-o', 'o.npy'), 2, 'cast: --dtype is needed')
fails(tessera('cast', 'x.npy', '--dtype', 'f99'), 2, 'f99')
fails(tessera('random_normal', '--mean', '0', '--std', '1'), 2, '--shape is needed')
fails(tessera('random_permutation', '--shape', '5', '--dtype', 'f32'), 2, 'integer type', '--dtype')
fails(tessera('quantiles', 'x.npy', '--q', '0.1,z'), 2, '--q is "0.1,z"')
fails(tessera('op', 'reduce', 'x.npy', '--items', 'min,maxx'), 2, '"maxx"', 'argmax')
fails(tessera('fft_c2c', 'c.npy', '--sign', 'up'), 2, '--sign is "up"', 'forward backward')
fails(tessera('random_uniform', '--shape', '3', '--low', '0', '--high', '1', '--seed', '-1'), 2, '--seed is "-1"')

# ---- In parts: the same bytes under a small limit ----
large = rng.uniform(0.1, 0.9, (40, 1, 128, 128)).astype(np.float32)
np.save('stack.npy', large)
np.save('volume.npy', large.reshape(1, 40, 128, 128))
np.save('flat.npy', large[:1])
for words in ('exp stack.npy', 'add stack.npy flat.npy', 'mul stack.npy stack.npy', 'where stack.npy stack.npy flat.npy',
              'fft_r2c stack.npy', 'sort stack.npy --axis w', 'cumsum stack.npy --axis h', 'sum stack.npy --axes hw',
              'op bin stack.npy --factors 2,2', 'normalize stack.npy --axes hw', 'resize stack.npy --shape 64,64',
              'fft_resize half.npy --in-shape 128,128 --out-shape 64,64', 'fft_c2r half.npy --shape 128,128',
              'exp volume.npy', 'add volume.npy flat.npy', 'median stack.npy --axes w',
              'matmul stack.npy flat.npy'):
    if 'half' in words and not os.path.exists('half.npy'):
        tessera('fft_r2c', 'stack.npy', '-o', 'half.npy')
    whole, = run(words)
    part, = run(words + ' --mem 2M')
    check(whole is not None and part is not None and whole.dtype == part.dtype and np.array_equal(whole, part),
          f'{words} in parts')
detail = tessera('exp', 'stack.npy', '-o', 'e.npy', '--mem', '2M', '-v')
check('in parts of' in detail.err, 'it was cut', detail)
rows = json.loads(tessera('sum', 'stack.npy', '--axes', 'hw', '--mem', '2M', '--json').out)
check(len(rows) == 40 and np.allclose([r['out'] for r in rows], large.sum((1, 2, 3)), rtol=1e-6), 'printed, from parts')
fails(tessera('sort', 'stack.npy', '--axis', 'b', '-o', 's.npy', '--mem', '1M'), 4, '--mem')

# Results of several shapes are printed one below the other; programs get one table, or a message.
printed = tessera('correlate_peak', 'map.npy')
check([line.split() for line in printed.out.splitlines() if 's' in line] == [['b', 'w', 'shifts'], ['b', 'values']],
      'tables of two shapes', printed)
fails(tessera('correlate_peak', 'map.npy', '--tsv'), 2, 'shifts and values differ in shape', '--values', '--tsv')

fails(tessera('remove_outliers', 'map.npy', '6', '-o', 'no.npy'), 2, '6: no such file', 'IN --threshold X -o OUT')

# ---- Nothing was forgotten ----
operations = {op['name'] for op in json.loads(tessera('ops', '--json').out) if op['verb']}
check(operations <= seen, f'operations that were not tried: {sorted(operations - seen)}')
out = tessera('warm', *sorted(operations))
check(out.code == 0 and out.out.count(' ms\n') == len(operations), 'every operation can be warmed', out)
finish()
