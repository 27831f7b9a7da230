/* Matrix products, factorisations, equations and least squares. A matrix is formed by the last two axes, {.., rows,
 * columns}; B and D enumerate matrices.
 *
 * Inline functions on small vectors, matrices and quaternions, for your own loops, are in tessera/math/linear.op.h,
 * which this header includes.
 */
#ifndef TESSERA_LINALG_H
#define TESSERA_LINALG_H

#include "tessera/array.h"
#include "tessera/math/linear.op.h"

TESS_BEGIN_C

typedef enum tess_matrix_form {
    TESS_MATRIX_DEFAULT, /* unchanged */
    TESS_MATRIX_AS_IS,
    TESS_MATRIX_TRANSPOSE,
    TESS_MATRIX_CONJUGATE, /* transposed and conjugated */
} tess_matrix_form;

typedef struct tess_matmul_opts {
    int32_t  form_a;      /* a tess_matrix_form of a [unchanged] */
    int32_t  form_b;      /* a tess_matrix_form of b [unchanged] */
    double   alpha;       /* factor of the product [1]; TESS_ZERO: 0 */
    double   beta;        /* factor of the previous contents of `out`, which are added; 0: they are not read [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_matmul_opts;

/** Computes alpha a b + beta out for {B,D,M,K} and {B,D,K,N}; B and D broadcast. Strides may be any. `out` must not
 *  overlap the inputs. If it is zeroed, it is allocated, and beta must be 0.
 *
 *  The dtype is the common one (tess_dtype_promote): f16 becomes f32, c16 c32, bool and integers i64 or u64, which
 *  wrap; for these alpha and beta must be integers. Otherwise alpha and beta are rounded to the dtype, and a value too
 *  large for it is an error (TESS_ERANGE). For K = 0 the result is beta out, or zeros.
 *
 *  Each element is summed along K in the dtype of the result, with fused multiplications, in chunks of 256. Results are
 *  bit-identical for any strides and number of threads, and for all instruction sets except those of x86 before v3,
 *  which lack fused multiplication. A BLAS (tess_linalg_provider) uses its own order. */
TESS_API TESS_MUST_CHECK tess_status tess_matmul(tess_array *out, const tess_array *a, const tess_array *b,
                                                 const tess_matmul_opts *opts);

typedef struct tess_lstsq_opts {
    double      cond;            /* singular values up to this fraction of the largest count as 0; negative: the machine
                                    epsilon of the dtype of x [max(M,N) times that]; TESS_ZERO: 0 */
    tess_array *singular_values; /* receives {B,D,1,min(M,N)} in descending order; allocated if zeroed [none] */
    tess_array *rank;            /* receives {B,D,1,1} (i64): the number of nonzero singular values [none] */
    uint32_t    reserved[4];     /* must be 0 */
} tess_lstsq_opts;

/** Solves least-squares problems: finds the x {B,D,N,K} that minimises |a x - b| for a {B,D,M,N} and b {B,D,M,K}; if
 *  there are several, the one with the smallest norm. B and D broadcast; outputs must not overlap anything. The dtype
 *  of x is the common one as a float: f32, f64, c32 or c64. Everything is computed in f64 or c64. Results are
 *  bit-identical for any strides and number of threads, with or without singular values. NaNs and infinities are errors
 *  (TESS_ERANGE) that name the position; on an asynchronous stream the next synchronisation reports them. */
TESS_API TESS_MUST_CHECK tess_status tess_lstsq(tess_array *x, const tess_array *a, const tess_array *b,
                                                const tess_lstsq_opts *opts);

/* The following functions have these properties in common.
 *
 * B and D enumerate matrices. Outputs must not overlap anything. The dtype of results is that of the matrices as a
 * float: f32, f64, c32 or c64, and the real one of these for values that are always real. Everything is computed in f64
 * or c64. Results are bit-identical for any strides and number of threads. NaNs and infinities in what is read are
 * errors (TESS_ERANGE) that name the position; on an asynchronous stream the next synchronisation reports them.
 *
 * The host computes them: for arrays on a GPU a call waits until they are copied, computed and copied back. */

/** Solves equations: finds the x {B,D,N,K} with a x = b for square a {B,D,N,N} and b {B,D,N,K}, by LU factors with
 *  partial pivoting. B and D broadcast, and the dtype is the common one. A singular matrix is an error (TESS_ERANGE)
 *  that names the indices of the first one along B and D. */
TESS_API TESS_MUST_CHECK tess_status tess_solve(tess_array *x, const tess_array *a, const tess_array *b);

/** Inverts matrices {B,D,N,N}; singular ones as in tess_solve. */
TESS_API TESS_MUST_CHECK tess_status tess_inverse(tess_array *out, const tess_array *in);

typedef struct tess_determinant_opts {
    tess_array *sign;        /* receives {B,D,1,1}: the determinant over its magnitude, 0 for 0; allocated if zeroed
                                [none] */
    tess_array *log_abs;     /* receives {B,D,1,1}, real: the natural logarithm of its magnitude, which neither
                                overflows nor underflows; allocated if zeroed [none] */
    uint32_t    reserved[4]; /* must be 0 */
} tess_determinant_opts;

/** Computes the determinants {B,D,1,1} of matrices {B,D,N,N}; that of a matrix without elements is 1. */
TESS_API TESS_MUST_CHECK tess_status tess_determinant(tess_array *out, const tess_array *in,
                                                      const tess_determinant_opts *opts);

typedef struct tess_cholesky_opts {
    int32_t  upper;       /* 1: read the upper triangle and return the upper factor u, in = u^H u [0] */
    int32_t  unused;      /* must be 0 */
    uint32_t reserved[4]; /* must be 0 */
} tess_cholesky_opts;

/** Computes the lower Cholesky factors l, in = l l^H, of positive definite Hermitian matrices {B,D,N,N}. Only one
 *  triangle is read, and only the real part of the diagonal. The other triangle of the result is 0. A matrix that is
 *  not positive definite is an error (TESS_ERANGE) that names the indices of the first one along B and D. */
TESS_API TESS_MUST_CHECK tess_status tess_cholesky(tess_array *out, const tess_array *in,
                                                   const tess_cholesky_opts *opts);

typedef struct tess_qr_opts {
    int32_t  complete;    /* 1: all M columns of q, and M rows of r [0] */
    int32_t  unused;      /* must be 0 */
    uint32_t reserved[4]; /* must be 0 */
} tess_qr_opts;

/** Factors matrices {B,D,M,N} into q {B,D,M,K} with orthonormal columns and upper triangular r {B,D,K,N}, for K =
 *  min(M,N), by Householder reflections. The diagonal of r is real and not negative. q may be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_qr(tess_array *q, tess_array *r, const tess_array *in,
                                             const tess_qr_opts *opts);

typedef struct tess_eigh_opts {
    int32_t  upper;       /* 1: read the upper triangle instead of the lower one [0] */
    int32_t  unused;      /* must be 0 */
    uint32_t reserved[4]; /* must be 0 */
} tess_eigh_opts;

/** Computes the eigenvalues {B,D,1,N} of Hermitian matrices {B,D,N,N}, in ascending order, and the eigenvectors, which
 *  are the columns of `vectors` {B,D,N,N}. `vectors` may be NULL. Only one triangle is read, and only the real part of
 *  the diagonal. The element of largest magnitude of each vector, the first of those within a millionth, is real and
 *  positive. */
TESS_API TESS_MUST_CHECK tess_status tess_eigh(tess_array *values, tess_array *vectors, const tess_array *in,
                                               const tess_eigh_opts *opts);

typedef struct tess_svd_opts {
    int32_t  complete;    /* 1: u {B,D,M,M} and vh {B,D,N,N} [0] */
    int32_t  unused;      /* must be 0 */
    uint32_t reserved[4]; /* must be 0 */
} tess_svd_opts;

/** Computes singular value decompositions, in = u diag(s) vh, of matrices {B,D,M,N}: u {B,D,M,K} and the adjoint of vh
 *  {B,D,K,N} have orthonormal columns, and s {B,D,1,K} is in descending order, K = min(M,N). u and vh may be NULL; s is
 *  the same without them, unless a LAPACK computes it: then the last bits may differ, and the call is cancelled only
 *  between matrices. The element of largest magnitude of each row of vh (of u in columns that vh has no row for),
 *  the first of those within a millionth, is real and positive. */
TESS_API TESS_MUST_CHECK tess_status tess_svd(tess_array *u, tess_array *s, tess_array *vh, const tess_array *in,
                                              const tess_svd_opts *opts);

typedef struct tess_polyfit_opts {
    int32_t     subtract;    /* 1: return the image minus the fitted surface [0] */
    int32_t     unused;      /* must be 0 */
    tess_array *parameters;  /* receives the coefficients {B,1,1,3}, 6 or 10 (f64), of 1 x y xy x^2 y^2 x^2y xy^2 x^3
                                y^3; allocated if zeroed [none] */
    uint32_t    reserved[4]; /* must be 0 */
} tess_polyfit_opts;

/** Fits a polynomial of order 1, 2 or 3 to each image {B,1,H,W} by least squares, in pixels: x along W, y along H. Real
 *  numbers. The result is f32 for f16, f32, bool and integers of up to 16 bits, otherwise f64, or the dtype of an
 *  allocated `out`. `out` may be exactly `in`, or NULL if only the parameters are wanted.
 *
 *  Computed in f64, bit-identical for any strides and threads. Along an axis with no more pixels than the order, only
 *  the lowest powers that can be distinguished are fitted, and the other parameters are 0. A NaN makes the whole image
 *  NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_polyfit_surface(tess_array *out, const tess_array *in, int order,
                                                          const tess_polyfit_opts *opts);

/** Returns the provider of large products of f32, f64, c32 and c64 on the CPU: "native", or the name of a BLAS. The
 *  environment variable TESS_BLAS selects it, at first use: unset or "native" for the library's own kernels, the name
 *  of a shared library with CBLAS functions, or "auto" for the first of libopenblas.so.0, libcblas.so.3 and
 *  libblas.so.3 that exists, otherwise "native". The LAPACK of that library, or else liblapack.so.3, computes
 *  eigenvalues and singular values of matrices of 128 rows and columns or more. Returns "none" if TESS_BLAS names a
 *  library that cannot be used: products of these dtypes then fail with TESS_EARG and state the reason. */
TESS_API const char *tess_linalg_provider(void);

TESS_END_C

#endif
