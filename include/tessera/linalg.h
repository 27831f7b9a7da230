/* Products of matrices and least squares. A matrix is the last two axes, {.., rows, columns}; B and D count them.
 *
 * Small vectors, matrices and quaternions as inline functions, for loops of your own, come from
 * tessera/math/linear.op.h, which this header includes.
 */
#ifndef TESSERA_LINALG_H
#define TESSERA_LINALG_H

#include "tessera/array.h"
#include "tessera/math/linear.op.h"

TESS_BEGIN_C

typedef enum tess_matrix_form {
    TESS_MATRIX_DEFAULT, /* as it is */
    TESS_MATRIX_AS_IS,
    TESS_MATRIX_TRANSPOSE,
    TESS_MATRIX_CONJUGATE, /* transposed and conjugated */
} tess_matrix_form;

typedef struct tess_matmul_opts {
    int32_t  form_a;      /* a tess_matrix_form of a [as it is] */
    int32_t  form_b;      /* of b [as it is] */
    double   alpha;       /* the product is multiplied by this [1]; TESS_ZERO: by 0 */
    double   beta;        /* what is in `out` is multiplied by this and added; 0: it is not read [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_matmul_opts;

/** alpha a b + beta out, for {B,D,M,K} and {B,D,K,N}; B and D broadcast. Any strides; `out` must not overlap the
 *  others, and may be zeroed: then it is made, and beta must be 0.
 *
 *  The dtype is the common one (tess_dtype_promote): f16 becomes f32, c16 c32, bool and integers i64 or u64, which
 *  wrap; with them alpha and beta must be integers. Else alpha and beta are rounded to the dtype; one that is too
 *  large for it is an error (TESS_ERANGE). K = 0 adds nothing: beta out, or zeros.
 *
 *  Each element is summed along K in the dtype of the result, with fused multiplications, 256 at a time: the same bits
 *  for any strides and number of threads, and for every instruction set but those of x86 before v3, which do not fuse.
 *  What a BLAS does (tess_linalg_provider) is its own. */
TESS_API TESS_MUST_CHECK tess_status tess_matmul(tess_array *out, const tess_array *a, const tess_array *b,
                                                 const tess_matmul_opts *opts);

typedef struct tess_lstsq_opts {
    double      cond;            /* singular values up to this part of the largest count as 0; below 0: the spacing of
                                    numbers at 1 in the dtype of x [max(M,N) times that]; TESS_ZERO: 0 */
    tess_array *singular_values; /* receives {B,D,1,min(M,N)}, falling; made if zeroed [none] */
    tess_array *rank;            /* receives {B,D,1,1} (i64): how many count [none] */
    uint32_t    reserved[4];     /* must be 0 */
} tess_lstsq_opts;

/** x {B,D,N,K} that makes |a x - b| least, for a {B,D,M,N} and b {B,D,M,K}; of several such the one of least norm. B
 *  and D broadcast; the outputs overlap nothing. The dtype of x is the common one as a float: f32, f64, c32 or c64.
 *  All is computed in f64 or c64, the same bits for any strides and number of threads, and whether singular values
 *  are asked for or not. NaN and infinities are errors (TESS_ERANGE) that name the position; on an asynchronous stream
 *  they come with the next sync. */
TESS_API TESS_MUST_CHECK tess_status tess_lstsq(tess_array *x, const tess_array *a, const tess_array *b,
                                                const tess_lstsq_opts *opts);

typedef struct tess_polyfit_opts {
    int32_t     subtract;    /* 1: the result is the image less the surface [0] */
    int32_t     unused;      /* must be 0 */
    tess_array *parameters;  /* receives {B,1,1,3}, 6 or 10 (f64), of 1 x y xy x^2 y^2 x^2y xy^2 x^3 y^3; made if
                                zeroed [none] */
    uint32_t    reserved[4]; /* must be 0 */
} tess_polyfit_opts;

/** The polynomial of order 1, 2 or 3 that fits each image {B,1,H,W} best, in pixels: x along W, y along H. Real
 *  numbers; the result is f32 for f16, f32, bool and integers of up to 16 bits, else f64, or what `out` has been
 *  made with. `out` may be exactly `in`, or NULL if only the parameters are wanted.
 *
 *  Computed in f64, the same bits for any strides and threads. Along an axis of no more pixels than the order there
 *  are fewer powers to tell apart: the lowest are used, and the parameters of the others are 0. A NaN makes all of its
 *  image NaN. */
TESS_API TESS_MUST_CHECK tess_status tess_polyfit_surface(tess_array *out, const tess_array *in, int order,
                                                          const tess_polyfit_opts *opts);

/** What makes large products of f32, f64, c32 and c64 on the CPU: "native", or the name of a BLAS. The environment
 *  variable TESS_BLAS chooses, once: unset or "native" for the library's own kernels, the name of a shared library
 *  with the functions of CBLAS, or "auto" for the first of libopenblas.so.0, libcblas.so.3 and libblas.so.3 that is
 *  there, else "native". "none" if TESS_BLAS names a library that cannot be used: products of these dtypes then are
 *  TESS_EARG, and say why. */
TESS_API const char *tess_linalg_provider(void);

TESS_END_C

#endif
