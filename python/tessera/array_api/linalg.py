"""The extension `linalg` of the array API standard 2022.12: functions of tessera.linalg that make Arrays."""
import tessera.linalg as _whole

from .. import _tessera as _ts
from .linear import matmul, matrix_transpose, tensordot, vecdot


def cholesky(x, /, *, upper=False):
    """The lower Cholesky factors of positive definite matrices, or the upper ones."""
    return _whole.cholesky(_ts.asarray(x), upper=upper)


def cross(x1, x2, /, *, axis=-1):
    """Cross products of vectors of three components along an axis."""
    return _whole.cross(_ts.asarray(x1), _ts.asarray(x2), axis=axis)


def det(x, /):
    """The determinants."""
    return _whole.det(_ts.asarray(x))


def diagonal(x, /, *, offset=0):
    """The diagonals of matrices, as the last axis of the result."""
    return _whole.diagonal(_ts.asarray(x), offset=offset)


def eigh(x, /):
    """The eigenvalues of Hermitian matrices in ascending order, and the eigenvectors in columns."""
    return _whole.eigh(_ts.asarray(x))


def eigvalsh(x, /):
    """The eigenvalues of Hermitian matrices in ascending order."""
    return _whole.eigvalsh(_ts.asarray(x))


def inv(x, /):
    """The inverse matrices."""
    return _whole.inv(_ts.asarray(x))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norms of matrices: fro, nuc, 1, -1, 2, -2, inf or -inf."""
    return _whole.matrix_norm(_ts.asarray(x), keepdims=keepdims, ord=ord)


def matrix_power(x, n, /):
    """The product of n equal matrices, or of their inverses."""
    return _whole.matrix_power(_ts.asarray(x), n)


def matrix_rank(x, /, *, rtol=None):
    """How many singular values are above rtol times the largest."""
    return _whole.matrix_rank(_ts.asarray(x), rtol=rtol)


def outer(x1, x2, /):
    """All products of an element of one vector and one of another."""
    return _whole.outer(_ts.asarray(x1), _ts.asarray(x2))


def pinv(x, /, *, rtol=None):
    """The pseudoinverses."""
    return _whole.pinv(_ts.asarray(x), rtol=rtol)


def qr(x, /, *, mode="reduced"):
    """Orthonormal columns and upper triangular matrices."""
    return _whole.qr(_ts.asarray(x), mode)


def slogdet(x, /):
    """The signs of determinants and the logarithms of their magnitudes."""
    return _whole.slogdet(_ts.asarray(x))


def solve(x1, x2, /):
    """The x with x1 x = x2; x2 of one axis is a vector."""
    return _whole.solve(_ts.asarray(x1), _ts.asarray(x2))


def svd(x, /, *, full_matrices=True):
    """Singular value decompositions."""
    return _whole.svd(_ts.asarray(x), full_matrices)


def svdvals(x, /):
    """The singular values, in descending order."""
    return _whole.svdvals(_ts.asarray(x))


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals of matrices."""
    return _whole.trace(_ts.asarray(x), offset=offset, dtype=dtype)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norms of vectors along an axis or several, or of all elements."""
    return _whole.vector_norm(_ts.asarray(x), axis=axis, keepdims=keepdims, ord=ord)
