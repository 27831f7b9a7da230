"""What reductions must give, from NumPy's widest types: for each row of numbers the result, and how far f64 may be off.

A row holds the elements that make up one result, in b, d, h, w order.
"""
import math

import numpy as np

import copies
import tess

LONG, CLONG = np.longdouble, np.clongdouble
U = LONG(2)**-53
SINGLES = ('f16', 'f32')
TINY = LONG(2)**-1074
UNORDERED = {'min', 'max', 'argmin', 'argmax', 'logsumexp'}  # not defined for complex numbers
NEED_ELEMENTS = {'mean', 'min', 'max', 'argmin', 'argmax', 'rmsd', 'weighted_mean'}
EXACT = {'min', 'max', 'argmin', 'argmax', 'any', 'all', 'count_nonzero'}


def wide(values, dtype):
    """As the widest type of their kind: exact."""
    if dtype.kind == 'complex':
        re, im = copies.parts_of(values)
        out = np.empty(values.shape, CLONG)
        out.real, out.imag = re, im
        return out
    return values.astype({'bool': 'i8', 'int': 'i8', 'uint': 'u8', 'float': LONG}[dtype.kind])


def result_dtype(name, dtype):
    """Of a result that the library makes."""
    integral = dtype.kind in ('bool', 'int', 'uint')
    if name in ('any', 'all'):
        return tess.BY_NAME['bool']
    if name in ('argmin', 'argmax', 'count_nonzero'):
        return tess.BY_NAME['i64']
    if name in ('min', 'max'):
        return dtype
    if integral:
        wide_integer = 'u64' if dtype.kind == 'uint' else 'i64'
        return tess.BY_NAME[wide_integer if name in ('sum', 'prod', 'dot') else 'f64']
    real = 'f64' if dtype.name in ('f64', 'c64') else 'f32'
    stays_complex = dtype.kind == 'complex' and name in ('sum', 'prod', 'mean', 'dot', 'weighted_mean')
    return tess.BY_NAME[real.replace('f', 'c') if stays_complex else real]


def rows_of(values, axes):
    """The elements of each result as a row, and the shape of the results."""
    kept = [k for k in range(4) if k not in axes]
    shape = tuple(1 if k in axes else n for k, n in enumerate(values.shape))
    n = math.prod(values.shape[k] for k in axes)
    return values.transpose(kept + list(axes)).reshape(math.prod(shape), n), shape


def depth(n):
    """Roundings on the way of a number into a sum: lanes, then a tree."""
    return 48 + math.log2(n + 1)


def finite_size(z):
    """The larger part in size that is finite."""
    return max(abs(part) if np.isfinite(part) else LONG(0) for part in (z.real, z.imag))


def divided(z, n):
    """Each part by a real number: NumPy would mix them where one is infinite."""
    if not np.iscomplexobj(z):
        return z / n
    out = np.empty((), CLONG)
    out.real, out.imag = z.real / n, z.imag / n
    return out[()]


def product_of(x):
    """Complex numbers multiplied one by one."""
    out = CLONG(1)
    for z in x:
        out = out * z
    return out


# ---- One input: each gives the result and its slack ----


def sum_of(x, opts):
    if x.dtype.kind in 'iu':
        return LONG(int(x.sum())), 0
    magnitudes = np.abs(x)  # a part may be infinite, and the other not
    s, size = x.sum(), magnitudes[np.isfinite(magnitudes)].sum()
    if opts.get('compensated'):
        return s, 2 * U * finite_size(s) + (x.size * U)**2 * size
    single = opts.get('from') and opts['from'].name in ('f16', 'f32') and not opts.get('to_f64')
    # Over columns, and of few elements, four are added in f32.
    return s, (depth(x.size) * U + (LONG(2.0**-23) if single else 0)) * size


def mean_of(x, opts):
    if x.size == 0:
        return LONG('nan'), 0
    s, slack = sum_of(x if x.dtype.kind == 'c' else x.astype(LONG), opts)
    if x.dtype.kind in 'iu':  # of 64 bits: they are rounded first
        slack += U * np.abs(x.astype(LONG)).sum()
    return divided(s, x.size), (slack + 2 * U * finite_size(s)) / x.size + TINY


def prod_of(x, _):
    if x.dtype.kind in 'iu':
        return LONG(int(x.prod())) if x.size else LONG(1), 0
    p = product_of(x) if x.dtype.kind == 'c' else x.prod()
    return p, 4 * (x.size + 2) * U * np.abs(p) + TINY


def spread_of(x, opts):
    """The variance; which part of itself it may be off by; and by how much the rounding of integers moves it."""
    if x.size <= opts['ddof']:
        return LONG('nan'), 0, 0
    if x.size == 0:  # a negative ddof
        return LONG(0), 0, 0
    x = x if x.dtype.kind == 'c' else x.astype(LONG)
    lost = 0
    if opts['from'].name in ('i64', 'u64'):  # they are rounded to f64
        lost = 4 * U * np.abs(x).max() * np.sqrt(np.abs(x - x.mean()).max())
    # The mean's own rounding in LONG would make a spread of equal elements.
    d = x - x[0]
    d = d - d.mean()
    v = (d.real**2 + d.imag**2).sum() / (x.size - opts['ddof'])
    single = opts['from'].name in SINGLES and not opts.get('to_f64')  # as reduce.h says
    return v, LONG(2.0**-24 if single else 1e-10), lost


def var_of(x, opts):
    v, part, lost = spread_of(x, opts)
    return v, v * part + lost + 4 * TINY


def std_of(x, opts):
    v, part, lost = spread_of(x, opts)
    s = np.sqrt(v)
    return s, s * part + (np.sqrt(lost) if v == 0 else lost / (2 * s)) + 64 * TINY


def norm_of(x, opts):
    if x.size == 0:
        return LONG(0), 0
    size = np.abs(x.astype(LONG)) if x.dtype.kind != 'c' else np.abs(x)
    if opts['order'] == 3:
        top = LONG('nan') if np.isnan(size).any() else size.max()
        return top, 0 if x.dtype.kind == 'f' else 4 * U * top + TINY
    norm = size.sum() if opts['order'] == 2 else np.sqrt((size * size).sum())
    return norm, (depth(x.size) + 4) * U * norm + TINY


def extreme_of(x, largest):
    """-0 is below +0, any NaN is the result."""
    if x.size == 0:
        return LONG('nan'), 0
    best = (x.max() if largest else x.min())
    if x.dtype.kind == 'f' and best == 0:
        minus = np.signbit(x[x == 0])
        best = LONG('-0.0') if (minus.all() if largest else minus.any()) else LONG(0)
    return LONG(best), 0


def place_of(x, largest):
    nans = np.flatnonzero(x != x)
    if nans.size:
        return LONG(int(nans[0])), 0
    return LONG(int(np.flatnonzero(x == (x.max() if largest else x.min()))[0])), 0


def place_without_nans(x, largest):
    at = np.flatnonzero(x == x)
    return (LONG(int(at[int(place_of(x[at], largest)[0])])), 0) if at.size else (LONG(-1), 0)


def logsumexp_of(x, _):
    x = x.astype(LONG)
    if x.size == 0:
        return -LONG('inf'), 0
    top = x.max()
    if x.size == 1 or not np.isfinite(top):
        return (LONG('nan') if np.isnan(x).any() else top), U * np.abs(top)  # integers are rounded to f64
    result = top + np.log(np.exp(x - top).sum())
    return result, (depth(x.size) + 16) * U + 8 * U * (np.abs(result) + np.abs(top))


ONE = {
    'sum': sum_of, 'prod': prod_of, 'mean': mean_of, 'var': var_of, 'std': std_of, 'norm': norm_of,
    'min': lambda x, _: extreme_of(x, False), 'max': lambda x, _: extreme_of(x, True),
    'argmin': lambda x, _: place_of(x, False), 'argmax': lambda x, _: place_of(x, True),
    'any': lambda x, _: (LONG(int((x != 0).any())), 0), 'all': lambda x, _: (LONG(int((x != 0).all())), 0),
    'count_nonzero': lambda x, _: (LONG(int((x != 0).sum())), 0), 'logsumexp': logsumexp_of,
}


def of_row(name, x, opts):
    """The result of a row of wide numbers."""
    if opts.get('skip_nan') and x.dtype.kind in 'fc':
        if name in ('argmin', 'argmax'):
            return place_without_nans(x, name == 'argmax')
        x = x[x == x]
    return ONE[name](x, opts)


# ---- Two inputs ----


def dot_of(x, y, opts):
    if x.dtype.kind in 'iu':
        return sum_of(x * y, opts)
    p = x * y
    if opts.get('skip_nan'):
        x, y, p = x[p == p], y[p == p], p[p == p]
    s, slack = sum_of(p, opts)
    size = (np.abs(x) * np.abs(y)).sum()
    return s, slack + 4 * U * size


def weighted_mean_of(x, w, _):
    x = x if x.dtype.kind == 'c' else x.astype(LONG)
    w = w.astype(LONG)
    total, size = w.sum(), np.abs(w).sum()
    mean = divided((x * w).sum(), total)
    around = ((np.abs(x) * np.abs(w)).sum() + np.abs(mean) * size) / np.abs(total)
    return mean, (depth(x.size) + 8) * U * around + TINY


def rmsd_of(x, y, opts):
    x, y = (v if v.dtype.kind == 'c' else v.astype(LONG) for v in (x, y))
    lost = 2 * U * (np.abs(x).max() + np.abs(y).max()) if opts['rounds'] else 0
    r = np.sqrt((np.abs(x - y)**2).mean())
    return r, (depth(x.size) + 8) * U * r + lost + 64 * TINY


TWO = {'dot': dot_of, 'weighted_mean': weighted_mean_of, 'rmsd': rmsd_of}


def results(of_one, rows, shape):
    """Arrays of the results and the slacks of rows (or of tuples of rows)."""
    both = [of_one(row) for row in rows]
    is_complex = any(np.iscomplexobj(want) for want, _ in both)
    want = np.array([w for w, _ in both], CLONG if is_complex else LONG).reshape(shape)
    slack = np.array([s for _, s in both], LONG).reshape(shape)
    return want, slack


# ---- Comparison ----


def fits_reals(got, dtype, want, slack, signs=False):
    """Is each between the ends of its interval, after conversion (it keeps the order)? `signs`: of zeros, too."""
    slack = np.where(np.isfinite(want) & np.isfinite(slack), slack, 0)
    if dtype.kind == 'bool':
        return np.all((got == (want != 0)) | (np.abs(want) <= slack))
    ends = [(want + side).ravel() for side in (-slack, slack)]
    if dtype.name == 'f16':  # NumPy would round twice
        ends = [end.astype('f8') for end in ends]
    low, high = (copies.cast_reals(end, dtype, tess.CLAMP) for end in ends)
    got = got.ravel()
    with_nan = (low != low) & (got != got) if dtype.kind == 'float' else False
    if signs and not np.all((got != 0) | (np.signbit(got.astype(float)) == np.signbit(low.astype(float)))):
        return False
    return np.all((got >= low) & (got <= high) | with_nan)


def fits(got, dtype, want, slack, signs=False):
    """The same for complex numbers; a real result in a complex array has no imaginary part."""
    if dtype.kind != 'complex':
        return fits_reals(got, dtype, want.real, slack, signs)
    real = tess.BY_NAME[dtype.real]
    parts = copies.parts_of(got)
    if not np.iscomplexobj(want):
        return fits_reals(parts[0], real, want, slack) and not parts[1].any()
    return fits_reals(parts[0], real, want.real, slack) and fits_reals(parts[1], real, want.imag, slack)
