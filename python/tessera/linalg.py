"""Linear algebra with the names, arguments and results of numpy.linalg and of the extension `linalg` of the array API standard.

A matrix is the last two axes; any number of axes in front counts matrices. Integers are computed in f64. Results have the type
of the first array. docs/linalg.md explains conventions, such as the signs of vectors.
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

__all__ = ("cholesky cross det diagonal eigh eigvalsh inv LinAlgError lstsq matmul matrix_norm matrix_power matrix_rank "
           "matrix_transpose norm outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm").split()

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
    """The function, whose errors of numbers out of range are LinAlgErrors."""
    @_functools.wraps(function)
    def call(*args, **keywords):
        try:
            return function(*args, **keywords)
        except LinAlgError:
            raise
        except _ts.RangeError as error:
            numpy = _sys.modules.get("numpy.linalg")
            text = str(error).partition(": ")[2].removeprefix("in ")
            named = f"{function.__name__}: {'a ' if text != str(error).partition(': ')[2] else ''}{text}"
            raise _error_of(getattr(numpy, "LinAlgError", None))(named) from error
    return call


@_functools.lru_cache(None)
def _shape_error_of(numpy_error):
    """The class of errors of shapes: of NumPy's too, if there is one."""
    return type("ShapeError", (_ts.ShapeError, numpy_error), {"__module__": __name__}) if numpy_error else _ts.ShapeError


def _bad_shape(name, a, expected):
    error = _shape_error_of(getattr(_sys.modules.get("numpy.linalg"), "LinAlgError", None))
    return error(f"{name}: the array has the shape {_shape(a)}; expected {expected}")


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
    """The x with a x = b for square a. b of one axis is a vector, otherwise its last two axes are matrices."""
    a, b = _matrices("solve", a, square=True), b if hasattr(b, "dtype") else _ts.asarray(b)
    if len(_shape(b)) == 0:
        raise _bad_shape("solve", b, "one axis or more")
    b = _floats(b)
    made = _ts.solve(a, b[:, None] if len(_shape(b)) == 1 else b)
    return _dropped(made) if len(_shape(b)) == 1 else made


@_raising
def inv(a):
    """The inverse matrices."""
    return _ts.inverse(_matrices("inv", a, square=True))


@_raising
def det(a):
    """The determinants."""
    return _ts.determinant(_matrices("det", a, square=True))


@_raising
def slogdet(a):
    """The signs of determinants (phases of complex ones) and the logarithms of their magnitudes."""
    made = _ts.determinant(_matrices("slogdet", a, square=True), sign=True, log_abs=True)
    return SlogdetResult(made.sign, made.log_abs)


@_raising
def lstsq(a, b, rcond=None):
    """Least squares: x, the sums of squared residuals, the rank and the singular values of a.

    Residuals are empty where NumPy has none: for matrices of less than full rank, or with no more rows than columns. For
    stacks they are computed if all matrices are of full rank.
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
    """The lower Cholesky factors of positive definite matrices, of which one triangle is read; or the upper ones."""
    return _ts.cholesky(_matrices("cholesky", a, square=True), upper=upper)


@_raising
def qr(a, mode="reduced"):
    """Orthonormal columns and upper triangular matrices; mode is reduced, complete, or r for these alone."""
    if mode not in ("reduced", "complete", "r"):
        raise _ts.ArgumentError(f"qr: mode is {mode!r}; expected 'reduced', 'complete' or 'r'")
    made = _ts.qr(_matrices("qr", a), complete=mode == "complete", **({} if mode == "r" else {"q": True}))
    return made if mode == "r" else QRResult(made.q, made.r)


@_raising
def eigh(a, UPLO="L"):
    """The eigenvalues of Hermitian matrices in ascending order, and the eigenvectors in columns."""
    made = _ts.eigh(_matrices("eigh", a, square=True), vectors=True, upper=_is_upper("eigh", UPLO))
    return EighResult(made.values, made.vectors)


@_raising
def eigvalsh(a, UPLO="L"):
    """The eigenvalues of Hermitian matrices in ascending order."""
    return _ts.eigh(_matrices("eigvalsh", a, square=True), upper=_is_upper("eigvalsh", UPLO))


def _is_upper(name, uplo):
    if str(uplo).upper() not in ("L", "U"):
        raise _ts.ArgumentError(f"{name}: UPLO is {uplo!r}; expected 'L' or 'U'")
    return str(uplo).upper() == "U"


@_raising
def svd(a, full_matrices=True, compute_uv=True):
    """Singular value decompositions: a = U diag(S) Vh. Without compute_uv the values alone."""
    if not compute_uv:
        return svdvals(a)
    made = _ts.svd(_matrices("svd", a), u=True, vh=True, complete=full_matrices)
    return SVDResult(made.u, made.s, made.vh)


@_raising
def svdvals(a):
    """The singular values, in descending order."""
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
    """How many singular values are above tol, or above rtol times the largest [max(M,N) times the precision]."""
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
    """The pseudoinverses, from singular values above a fraction of the largest [max(M,N) times the precision]."""
    a = _matrices("pinv", a)
    u, s, vh = svd(a, full_matrices=False)
    kept = _cut(s, rtol if rcond is None else rcond, *_shape(a)[-2:])
    inverse = _ts.where(kept, _ts.true_div(1, _ts.where(kept, s, 1)), 0)
    return _ts.matmul(_ts.mul(_adjoint(vh), inverse[..., None, :]), _adjoint(u))


# ---- Norms ----


def vector_norm(x, *, axis=None, keepdims=False, ord=2):
    """Norms of vectors along an axis or several, or of all elements."""
    x = _floats(x if hasattr(x, "dtype") else _ts.asarray(x))
    n = len(_shape(x))
    axes = list(range(n)) if axis is None else _axes("vector_norm", axis, n)
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
    """Norms of matrices: fro, nuc, 1, -1, 2, -2, inf or -inf."""
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


def norm(x, ord=None, axis=None, keepdims=False):
    """Norms as numpy.linalg.norm has them: of matrices along two axes, of vectors along one, or of all elements."""
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


# ---- Products ----


matmul = _ts.matmul


def matrix_transpose(x):
    """A view with the last two axes exchanged."""
    if len(_shape(x)) < 2:
        raise _bad_shape("matrix_transpose", x, "two axes or more")
    return x.swapaxes(-1, -2) if hasattr(x, "swapaxes") else _ts.asarray(x).mT


def vecdot(a, b, *, axis=-1):
    """Dot products along an axis; the first array is conjugated."""
    from .array_api import linear
    return _ts._of_kind(linear.vecdot(a, b, axis=axis), _kind(a, b))


def tensordot(a, b, *, axes=2):
    """Sums of products over some axes of both arrays: the last n and the first n, or those of two lists."""
    from .array_api import linear
    return _ts._of_kind(linear.tensordot(a, b, axes=axes), _kind(a, b))


@_raising
@_in_one_row
def matrix_power(a, n):
    """The product of n equal matrices; of their inverses if n is negative, and the identity if it is 0."""
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
    """The diagonals of matrices, as the last axis of the result."""
    return _diagonal(x, offset, -2, -1)


def trace(x, *, offset=0, dtype=None):
    """The sums of the diagonals of matrices."""
    return _trace(x, offset, -2, -1, dtype)
