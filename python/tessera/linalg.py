"""Linear algebra with the names, arguments and results of numpy.linalg and of the extension `linalg` of the array API standard.

A matrix is the last two axes; any number of axes in front counts matrices, but lstsq, and norms along some axes, take four axes
at most. Integers are computed in f64. Results have the type of the first array. docs/linalg.md explains conventions, such as the
signs of vectors.
"""
import collections as _collections
import functools as _functools
import math as _math
import sys as _sys

from . import _tessera as _ts
from .numpylike import _axes, _kind, _shape
from .products import cross, outer
from .products import diagonal as _diagonal, trace as _trace
from .shapes import broadcast_to as _broadcast_to, moveaxis as _moveaxis

qr_factors, svd_factors = _ts._alias("qr", "qr_factors"), _ts._alias("svd", "svd_factors")
eigh_factors, solve_matrices = _ts._alias("eigh", "eigh_factors"), _ts._alias("solve", "solve_matrices")

__all__ = ("cholesky cond cross det diagonal eigh eigvalsh inv LinAlgError lstsq matmul matrix_norm matrix_power matrix_rank "
           "matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm").split()

EighResult = _collections.namedtuple("EighResult", "eigenvalues eigenvectors")
LstsqResult = _collections.namedtuple("LstsqResult", "x residuals rank singular_values")
QRResult = _collections.namedtuple("QRResult", "Q R")
SlogdetResult = _collections.namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = _collections.namedtuple("SVDResult", "U S Vh")


# ---- Errors ----


class LinAlgError(_ts.RangeError):
    """A matrix that is singular, not positive definite or not finite. If NumPy is loaded, also a numpy.linalg.LinAlgError."""


@_functools.lru_cache(None)
def _error_of(numpy_error):
    """The class that is raised: of NumPy's too, if there is one."""
    return type("LinAlgError", (LinAlgError, numpy_error), {"__module__": __name__}) if numpy_error else LinAlgError


def _raising(function):
    """The function, whose errors of numbers out of range are LinAlgErrors that name it and its argument."""
    argument = getattr(function, "__wrapped__", function).__code__.co_varnames[0]

    @_functools.wraps(function)
    def call(*args, **keywords):
        try:
            return function(*args, **keywords)
        except _ts.RangeError as error:
            numpy = _sys.modules.get("numpy.linalg")
            text = str(error).partition(": ")[2]
            named, _, rest = text.partition(" ")
            text = f"{argument} {rest}" if named in ("in", "a", "x") else text
            raise _error_of(getattr(numpy, "LinAlgError", None))(f"{function.__name__}: {text}") from error
    return call


@_functools.lru_cache(None)
def _shape_error_of(numpy_error):
    """The class of errors of shapes: of NumPy's too, if there is one."""
    return type("ShapeError", (_ts.ShapeError, numpy_error), {"__module__": __name__}) if numpy_error else _ts.ShapeError


def _bad_shape(name, a, expected, what="the array"):
    error = _shape_error_of(getattr(_sys.modules.get("numpy.linalg"), "LinAlgError", None))
    return error(f"{name}: {what} has the shape {_shape(a)}; expected {expected}")


# ---- Arguments ----


def _matrices(name, a, square=False):
    """The array of floating numbers, of the caller's type; lists become Arrays."""
    a = a if hasattr(a, "dtype") or hasattr(a, "__array_interface__") else _ts.asarray(a)
    shape = _shape(a)
    if len(shape) < 2:
        raise _bad_shape(name, a, "two axes or more")
    if square and shape[-1] != shape[-2]:
        raise _bad_shape(name, a, "square matrices: equal sizes of the last two axes")
    return _floats(a)


def _is_integer(a):
    kind = getattr(getattr(a, "dtype", None), "kind", None)
    return (kind or _ts.asarray(a).dtype.kind) in "iub"


def _floats(a):
    return _ts.cast(a, "f64") if _is_integer(a) else a


def _dropped(a):
    """Without the last axis, which has the size 1."""
    return a.reshape(_shape(a)[:-1])


def _in_one_row(function):
    """A function of matrices, for which more than two axes in front become one: element-wise functions take at most four."""
    @_functools.wraps(function)
    def call(a, *args, **keywords):
        lead = _shape(a)[:-2]
        if len(lead) <= 2:
            return function(a, *args, **keywords)
        made = function(a.reshape((_math.prod(lead),) + tuple(_shape(a)[-2:])), *args, **keywords)
        return made.reshape(lead + tuple(_shape(made)[1:]))
    return call


def _adjoint(a):
    return _ts.conj(matrix_transpose(a)) if _is_complex(a) else matrix_transpose(a)


def _is_complex(a):
    return "c" in str(getattr(a, "dtype", ""))


def _precision(a):
    return 2.0**-23 if str(a.dtype).rpartition(".")[2] in ("f4", "f32", "float32", "c8", "c32", "complex64") else 2.0**-52


# ---- Equations ----


@_raising
def solve(a, b):
    """Solve a x = b for square matrices a.

    Arguments:
        a: square matrices, (..., n, n)
        b: right-hand sides: a vector (n,), or matrices (..., n, k)

    Returns x: (..., n) of a vector b, else (..., n, k).

    Raises:
        LinAlgError: a matrix is singular or not finite
    """
    a, b = _matrices("solve", a, square=True), b if hasattr(b, "dtype") else _ts.asarray(b)
    if len(_shape(b)) == 0:
        raise _bad_shape("solve", b, "one axis or more")
    b = _floats(b)
    made = _ts.solve(a, b[:, None] if len(_shape(b)) == 1 else b)
    return _dropped(made) if len(_shape(b)) == 1 else made


@_raising
def inv(a):
    """Invert matrices.

    Arguments:
        a: square matrices, (..., n, n)

    Raises:
        LinAlgError: a matrix is singular or not finite; pinv has an answer for these, too
    """
    return _ts.inverse(_matrices("inv", a, square=True))


@_raising
def det(a):
    """Compute determinants.

    Arguments:
        a: square matrices, (..., n, n)

    Returns a number for each matrix, (...).
    """
    return _ts.determinant(_matrices("det", a, square=True))


@_raising
def slogdet(a):
    """Compute the sign and the logarithm of determinants, which may be too large or too small for det.

    Arguments:
        a: square matrices, (..., n, n)

    Returns (sign, logabsdet), each (...): the determinant is sign * exp(logabsdet). The sign of complex matrices is a phase; of
    singular ones it is 0, and the logarithm -inf.
    """
    made = _ts.determinant(_matrices("slogdet", a, square=True), sign=True, log_abs=True)
    return SlogdetResult(made.sign, made.log_abs)


@_raising
def lstsq(a, b, rcond=None):
    """Find the x of smallest norm that minimises |a x - b|.

    Arguments:
        a: matrices, (..., m, n)
        b: right-hand sides: a vector (m,), or matrices (..., m, k)
        rcond: fraction of the largest singular value up to which others count as 0 (default: max(m, n) times the precision)

    Returns (x, residuals, rank, singular_values). residuals has the sums of squared residuals; as in NumPy it is empty for
    matrices of less than full rank, and for m <= n. For stacks it is computed if all matrices are of full rank.
    """
    a, b = _matrices("lstsq", a), _floats(b if hasattr(b, "dtype") else _ts.asarray(b))
    is_vector = len(_shape(b)) == 1
    right = b[:, None] if is_vector else b
    m, n = _shape(a)[-2:]
    options = {} if rcond is None else {"cond": rcond}
    made = _ts.lstsq(a, right, singular_values=True, rank=True, **options)
    full = m > n and n > 0 and bool(_ts.all(_ts.equal(made.rank, n)))
    rest = _ts.sub(_ts.matmul(a, made.x), right) if full else right[..., :0, :]
    residuals = _ts.sum(_ts.abs2(rest), -2) if full else rest.reshape(-1)[:0]
    rank = int(made.rank) if _shape(made.rank) == () else made.rank
    return LstsqResult(_dropped(made.x) if is_vector else made.x, residuals, rank, made.singular_values)


# ---- Factors ----


@_raising
def cholesky(a, *, upper=False):
    """Factor positive definite matrices into triangular ones: a = L L^H.

    Arguments:
        a: Hermitian positive definite matrices, (..., n, n), of which one triangle is read
        upper: read the upper triangle and return the upper factor, L^H

    Raises:
        LinAlgError: a matrix is not positive definite
    """
    return _ts.cholesky(_matrices("cholesky", a, square=True), upper=upper)


@_raising
def qr(a, mode="reduced"):
    """Factor matrices into orthonormal columns and upper triangular matrices: a = Q R.

    Arguments:
        a: matrices, (..., m, n)
        mode: 'reduced': Q is (..., m, k) with k = min(m, n); 'complete': Q is (..., m, m); 'r': R alone

    Returns (Q, R), or R. The diagonal of R is real and not negative; in NumPy it may have any sign.
    """
    if mode not in ("reduced", "complete", "r"):
        raise _ts.ArgumentError(f"qr: mode is {mode!r}; expected 'reduced', 'complete' or 'r'")
    made = _ts.qr(_matrices("qr", a), complete=mode == "complete", **({} if mode == "r" else {"q": True}))
    return made if mode == "r" else QRResult(made.q, made.r)


@_raising
def eigh(a, UPLO="L"):
    """Compute eigenvalues and eigenvectors of Hermitian matrices.

    Arguments:
        a: Hermitian matrices, (..., n, n), of which one triangle is read
        UPLO: triangle that is read: 'L', the lower one, or 'U', the upper one

    Returns (eigenvalues, eigenvectors): (..., n) in ascending order, and (..., n, n) with an eigenvector in each column,
    whose largest element is positive.

    Raises:
        LinAlgError: a matrix is not finite
    """
    made = _ts.eigh(_matrices("eigh", a, square=True), vectors=True, upper=_is_upper("eigh", UPLO))
    return EighResult(made.values, made.vectors)


@_raising
def eigvalsh(a, UPLO="L"):
    """Compute eigenvalues of Hermitian matrices, without eigenvectors.

    Arguments:
        a: Hermitian matrices, (..., n, n), of which one triangle is read
        UPLO: triangle that is read: 'L', the lower one, or 'U', the upper one

    Returns the eigenvalues in ascending order, (..., n).

    Raises:
        LinAlgError: a matrix is not finite
    """
    return _ts.eigh(_matrices("eigvalsh", a, square=True), upper=_is_upper("eigvalsh", UPLO))


def _is_upper(name, uplo):
    if str(uplo).upper() not in ("L", "U"):
        raise _ts.ArgumentError(f"{name}: UPLO is {uplo!r}; expected 'L' or 'U'")
    return str(uplo).upper() == "U"


@_raising
def svd(a, full_matrices=True, compute_uv=True):
    """Decompose matrices by their singular values: a = U diag(S) Vh.

    Arguments:
        a: matrices, (..., m, n)
        full_matrices: return all m columns of U and all n rows of Vh; with False the first k = min(m, n)
        compute_uv: return (U, S, Vh); with False S alone

    Returns (U, S, Vh), or S: the singular values in descending order, (..., k). The largest element of each row of Vh is
    positive.

    Raises:
        LinAlgError: a matrix is not finite
    """
    if not compute_uv:
        return svdvals(a)
    made = _ts.svd(_matrices("svd", a), u=True, vh=True, complete=full_matrices)
    return SVDResult(made.u, made.s, made.vh)


@_raising
def svdvals(a):
    """Compute singular values.

    Arguments:
        a: matrices, (..., m, n)

    Returns the values in descending order, (..., min(m, n)).

    Raises:
        LinAlgError: a matrix is not finite
    """
    return _ts.svd(_matrices("svdvals", a))


# ---- What singular values tell ----


def _cut(values, rtol, m, n):
    """Which singular values count, for a fraction of the largest."""
    rtol = max(m, n) * _precision(values) if rtol is None else rtol
    if _shape(rtol):
        rtol = _ts.asarray(rtol)[..., None]
    return _ts.greater(values, _ts.mul(values[..., :1], rtol))


@_raising
@_in_one_row
def matrix_rank(a, tol=None, *, rtol=None):
    """Count the singular values that are not negligible.

    Arguments:
        a: matrices, (..., m, n); of a vector or a number, the result is whether it is not 0
        tol: value above which singular values count, a number or one for each matrix (default: by rtol)
        rtol: fraction of the largest one above which they count (default: max(m, n) times the precision)

    Returns an integer for each matrix, (...).
    """
    if len(_shape(a)) < 2:
        return int(_ts.any(_ts.not_equal(a, 0)))
    a = _matrices("matrix_rank", a)
    m, n = _shape(a)[-2:]
    values = svdvals(a)
    if tol is not None:
        kept = _ts.greater(values, _ts.asarray(tol)[..., None] if _shape(tol) else tol)
    else:
        kept = _cut(values, rtol, m, n)
    return _ts.count_nonzero(kept, -1)


@_raising
@_in_one_row
def pinv(a, rcond=None, *, rtol=None):
    """Compute pseudoinverses.

    Arguments:
        a: matrices, (..., m, n)
        rcond: fraction of the largest singular value up to which others count as 0, a number or one for each matrix; the same
            as rtol (default: that of rtol)
        rtol: the same by the array API's name (default: max(m, n) times the precision, where numpy.linalg.pinv has 1e-15)

    Returns matrices, (..., n, m).
    """
    a = _matrices("pinv", a)
    u, s, vh = svd(a, full_matrices=False)
    kept = _cut(s, rtol if rcond is None else rcond, *_shape(a)[-2:])
    inverse = _ts.where(kept, _ts.true_div(1, _ts.where(kept, s, 1)), 0)
    return _ts.matmul(_ts.mul(_adjoint(vh), inverse[..., None, :]), _adjoint(u))


# ---- Norms ----


def vector_norm(x, *, axis=None, keepdims=False, ord=2):
    """Compute norms of vectors.

    Arguments:
        x: numbers
        axis: axis, or tuple of axes, that have the elements of a vector (default: all)
        keepdims: keep reduced axes with size 1
        ord: 2: square root of the sum of squares; 1: sum of magnitudes; inf, -inf: largest, smallest magnitude; 0: number of
            elements other than 0; another number p: sum of |x|^p to the power 1 / p
    """
    x = _floats(x if hasattr(x, "dtype") else _ts.asarray(x))
    n = len(_shape(x))
    axes = list(range(n)) if axis is None else _axes("vector_norm", axis, n)
    if n > 4 and axis is None:
        return vector_norm(x.reshape((-1,)), ord=ord).reshape([1] * n if keepdims else ())
    if n > 4:
        raise ValueError(f"vector_norm: x has {n} axes; expected at most 4 with axis")
    sizes = _ts.abs(x)
    if ord == _math.inf:
        made = _ts.max(sizes, axes, keepdims=True)
    elif ord == -_math.inf:
        made = _ts.min(sizes, axes, keepdims=True)
    elif ord == 0:
        made = _ts.cast(_ts.sum(_ts.not_equal(x, 0), axes, keepdims=True), sizes.dtype)
    elif ord == 1:
        made = _ts.sum(sizes, axes, keepdims=True)
    elif ord == 2:
        made = _ts.norm(x, axes, keepdims=True)
    else:
        made = _ts.pow(_ts.sum(_ts.pow(sizes, ord), axes, keepdims=True), 1 / ord)
    return made if keepdims else made.reshape([size for k, size in enumerate(_shape(made)) if k not in axes])


def _extreme(values, ord):
    return _ts.max(values, -1, keepdims=True) if ord > 0 else _ts.min(values, -1, keepdims=True)


@_raising
@_in_one_row
def matrix_norm(x, *, keepdims=False, ord="fro"):
    """Compute norms of matrices.

    Arguments:
        x: matrices, (..., m, n)
        keepdims: keep the last two axes with size 1
        ord: 'fro': square root of the sum of squares; 'nuc': sum of singular values; 2, -2: largest, smallest singular value;
            1, -1: largest, smallest sum of magnitudes of a column; inf, -inf: of a row
    """
    x = _matrices("matrix_norm", x)
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord == "nuc":
        made = _ts.sum(svdvals(x), -1, keepdims=True)
    elif ord in (2, -2):
        made = _extreme(svdvals(x), ord)
    elif ord in (1, -1):
        made = _extreme(_ts.sum(_ts.abs(x), -2), ord)
    elif ord in (_math.inf, -_math.inf):
        made = _extreme(_ts.sum(_ts.abs(x), -1), ord)
    else:
        raise _ts.ArgumentError(f"matrix_norm: ord is {ord!r}; expected 'fro', 'nuc', 1, -1, 2, -2, inf or -inf")
    return made[..., None] if keepdims else _dropped(made)


@_raising
def norm(x, ord=None, axis=None, keepdims=False):
    """Compute norms of vectors, matrices or whole arrays, as numpy.linalg.norm.

    Arguments:
        x: numbers
        ord: norm, by the names of vector_norm for one axis and of matrix_norm for two (default: root of the sum of squares)
        axis: axis of vectors, or two axes of matrices (default: all elements; with ord, x has one or two axes)
        keepdims: keep reduced axes with size 1
    """
    x = x if hasattr(x, "dtype") else _ts.asarray(x)
    n = len(_shape(x))
    if axis is None and ord is None:
        return vector_norm(x, keepdims=keepdims)
    if axis is None and n not in (1, 2):
        raise _bad_shape("norm", x, "one or two axes where ord is given and axis is not")
    axes = _axes("norm", tuple(range(n)) if axis is None else axis, n)
    if len(axes) == 1 and isinstance(ord, str):
        raise _ts.ArgumentError(f"norm: ord is {ord!r}, and there is one axis; expected a number, or two axes")
    if len(axes) == 1:
        return vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise _ts.ArgumentError(f"norm: axis is {axis}; expected one or two axes")
    made = matrix_norm(_moveaxis(x, axes, (-2, -1)), ord="fro" if ord is None else ord)
    return made.reshape([1 if k in axes else size for k, size in enumerate(_shape(x))]) if keepdims else made


def _norms_of_inverses(a, p, dtype):
    """A norm of each inverse; NaN where there is none."""
    try:
        return matrix_norm(inv(a), ord=p)
    except _ts.RangeError:
        lead, n = _shape(a)[:-2], _shape(a)[-1]
        if not lead:
            return _math.nan
    norms = [_norms_of_inverses(one, p, dtype) for one in a.reshape((_math.prod(lead), n, n))]
    made = _ts.asarray([float(one) for one in norms]).reshape(lead).astype(dtype)
    return _ts._of_kind(made.to(_ts.asarray(a).device), a)


@_raising
@_in_one_row
def cond(x, p=None):
    """Compute condition numbers: how much relative errors of b may grow in the x of a x = b.

    Arguments:
        x: matrices, (..., m, n); square ones unless p is None, 2 or -2
        p: norm: None or 2: the largest singular value over the smallest; -2: the smallest over the largest;
            1, -1, inf, -inf, 'fro' or 'nuc': that norm of the matrix times that of its inverse

    Returns a number for each matrix, (...); inf for singular ones, and NaN for those with NaN, if p is none of None, 2 and -2.

    Raises:
        LinAlgError: a matrix has no elements, is not square, or with p None, 2 or -2 not finite
    """
    a = _matrices("cond", x, square=p not in (None, 2, -2))
    if 0 in _shape(a)[-2:]:
        raise _bad_shape("cond", x, "matrices of one element or more")
    if p in (None, 2, -2):
        values = svdvals(a)
        first, last = values[..., 0], values[..., -1]
        made = _ts.true_div(last, first) if p == -2 else _ts.true_div(first, last)
    elif p in ("fro", "nuc", 1, -1, _math.inf, -_math.inf):
        norms = matrix_norm(a, ord=p)
        made = _ts.mul(norms, _norms_of_inverses(a, p, norms.dtype))
    else:
        raise _ts.ArgumentError(f"cond: p is {p!r}; expected None, 2, -2, 1, -1, inf, -inf, 'fro' or 'nuc'")
    has_nan = _ts.any(_ts.not_equal(a, a), (-2, -1))
    return _ts.where(_ts.logical_and(_ts.not_equal(made, made), _ts.logical_not(has_nan)), _math.inf, made)


# ---- Products ----


matmul = _ts.matmul


def _cheapest_splits(sizes):
    """Behind which matrix the product of matrices i to k is split, so that it takes the fewest multiplications."""
    n = len(sizes) - 1
    costs, splits = [[0] * n for _ in range(n)], [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            k = i + length
            costs[i][k], splits[i][k] = min(
                (costs[i][j] + costs[j + 1][k] + sizes[i] * sizes[j + 1] * sizes[k + 1], j) for j in range(i, k))
    return splits


def multi_dot(arrays, *, out=None):
    """Multiply a chain of matrices in the order that takes the fewest multiplications.

    Arguments:
        arrays: two or more matrices, (m, n); the first may be a row (n,), and the last a column (n,)
        out: array to write the result into (default: a new one)

    Returns a matrix; without the first axis where the first array is a row, and without the last where the last is a column.

    Raises:
        LinAlgError: an array has more axes, or its rows are not as many as the columns of the one before
    """
    factors = [a if hasattr(a, "dtype") else _ts.asarray(a) for a in arrays]
    n = len(factors)
    if n < 2:
        raise _ts.ArgumentError(f"multi_dot: arrays has {n} element{'s' * (n != 1)}; expected 2 or more")
    for i, a in enumerate(factors):
        if len(_shape(a)) != 2 and not (len(_shape(a)) == 1 and i in (0, n - 1)):
            raise _bad_shape("multi_dot", a, "two axes, or one for the first and the last array", f"arrays[{i}]")
    is_row, is_column = len(_shape(factors[0])) == 1, len(_shape(factors[-1])) == 1
    factors[0] = factors[0][None, :] if is_row else factors[0]
    factors[-1] = factors[-1][:, None] if is_column else factors[-1]
    for i in range(n - 1):
        if _shape(factors[i])[1] != _shape(factors[i + 1])[0]:
            raise _bad_shape("multi_dot", factors[i + 1], f"{_shape(factors[i])[1]} rows, the columns of the array before",
                             f"arrays[{i + 1}]")
    splits = _cheapest_splits([_shape(a)[0] for a in factors] + [_shape(factors[-1])[1]])

    def product(i, k):
        return factors[i] if i == k else _ts.matmul(product(i, splits[i][k]), product(splits[i][k] + 1, k))
    made = product(0, n - 1)
    kept = [size for size, is_dropped in zip(_shape(made), (is_row, is_column)) if not is_dropped]
    made = _ts._of_kind(_ts.asarray(made).reshape(kept), _kind(*arrays))
    return made if out is None else _ts.copy(made, out=out)


def matrix_transpose(x):
    """Exchange rows and columns of matrices; the result is a view.

    Arguments:
        x: matrices, (..., m, n)
    """
    if len(_shape(x)) < 2:
        raise _bad_shape("matrix_transpose", x, "two axes or more")
    return x.swapaxes(-1, -2) if hasattr(x, "swapaxes") else _ts.asarray(x).mT


def vecdot(a, b, *, axis=-1):
    """Compute dot products along an axis; numbers of the first array are conjugated.

    Arguments:
        a: vectors
        b: vectors, which broadcast with those of a
        axis: axis that has the elements of a vector
    """
    from .array_api import linear
    return _ts._of_kind(linear.vecdot(a, b, axis=axis), _kind(a, b))


def tensordot(a, b, *, axes=2):
    """Sum products over some axes of both arrays.

    Arguments:
        a: numbers
        b: numbers
        axes: number n of axes: the last n of a and the first n of b; or two lists, of axes of a and of the same axes of b

    Returns the sums, with the other axes of a, then those of b.
    """
    from .array_api import linear
    return _ts._of_kind(linear.tensordot(a, b, axes=axes), _kind(a, b))


@_raising
@_in_one_row
def matrix_power(a, n):
    """Multiply matrices by themselves.

    Arguments:
        a: square matrices, (..., k, k)
        n: power, an integer: 0 gives identity matrices, a negative one powers of the inverse

    Raises:
        LinAlgError: n is negative and a matrix is singular
    """
    a = a if hasattr(a, "dtype") else _ts.asarray(a)
    if len(_shape(a)) < 2 or _shape(a)[-1] != _shape(a)[-2]:
        raise _bad_shape("matrix_power", a, "square matrices: equal sizes of the last two axes")
    if not hasattr(n, "__index__"):
        raise TypeError(f"matrix_power: n is {n!r}; expected an integer")
    n = n.__index__()
    if n == 0:
        return _ts.copy(_broadcast_to(_ts._of_kind(_ts.eye(_shape(a)[-2:], a.dtype), a), _shape(a)))
    base = inv(a) if n < 0 else a
    made = base
    for bit in bin(abs(n))[3:]:
        made = _ts.matmul(made, made)
        made = _ts.matmul(made, base) if bit == "1" else made
    return made if n < 0 else _ts.cast(made, a.dtype, mode="wrap")


def diagonal(x, *, offset=0):
    """Select the diagonals of matrices; the result is a view.

    Arguments:
        x: matrices, (..., m, n)
        offset: number of the diagonal: 0 the main one, positive above it, negative below

    Returns the diagonals along the last axis.
    """
    return _diagonal(x, offset, -2, -1)


def trace(x, *, offset=0, dtype=None):
    """Sum the diagonals of matrices.

    Arguments:
        x: matrices, (..., m, n)
        offset: number of the diagonal: 0 the main one, positive above it, negative below
        dtype: element type to which elements are cast first (default: that of x)

    Returns a number for each matrix, (...).
    """
    return _trace(x, offset, -2, -1, dtype)
