/* Products of matrices and least squares. A matrix is the last two axes, {.., rows, columns}; B and D count them.
 *
 * For operators and loops over small vectors, matrices and quaternions see tessera/math/linear.op.h.
 */
#ifndef TESSERA_LINALG_H
#define TESSERA_LINALG_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef enum tess_matrix_form {
    TESS_MATRIX_DEFAULT,   /* as it is */
    TESS_MATRIX_AS_IS,
    TESS_MATRIX_TRANSPOSE,
    TESS_MATRIX_CONJUGATE, /* transposed and conjugated */
} tess_matrix_form;

typedef struct tess_matmul_opts {
    int32_t  form_a;      /* a tess_matrix_form of a [as it is] */
    int32_t  form_b;      /* of b [as it is] */
    double   alpha;       /* the product is multiplied by this [1] */
    double   beta;        /* what is in `out` is multiplied by this and added; 0: it is not read [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_matmul_opts;

/** alpha a b + beta out, for {B,D,M,K} and {B,D,K,N}; B and D broadcast. Any strides; `out` must not overlap the others.
 *  The dtype is the common one (tess_dtype_promote): f16 becomes f32, c16 c32, bool and integers i64 or u64, which
 *  wrap. K = 0 gives zeros. */
TESS_API TESS_MUST_CHECK tess_status tess_matmul(tess_array *out, const tess_array *a, const tess_array *b,
                                                 const tess_matmul_opts *opts);

typedef struct tess_lstsq_opts {
    double      cond;            /* singular values below this part of the largest count as 0 [machine precision] */
    tess_array *singular_values; /* receives {B,D,1,min(M,N)}, falling; made if zeroed [none] */
    tess_array *rank;            /* receives {B,D,1,1} (i64): how many count [none] */
    uint32_t    reserved[4];     /* must be 0 */
} tess_lstsq_opts;

/** x {B,D,N,K} that makes |a x - b| least, for a {B,D,M,N} and b {B,D,M,K}; of several such the one of least norm. B and
 *  D broadcast. f32, f64, c32, c64; others are converted as floats. NaN and infinities are errors that name the
 *  place. */
TESS_API TESS_MUST_CHECK tess_status tess_lstsq(tess_array *x, const tess_array *a, const tess_array *b,
                                                const tess_lstsq_opts *opts);

typedef struct tess_polyfit_opts {
    int32_t     subtract;    /* 1: the result is the image less the surface [0] */
    int32_t     unused;      /* must be 0 */
    tess_array *parameters;  /* receives {B,1,1,3}, 6 or 10 (f64), of 1 x y xy x^2 y^2 x^2y xy^2 x^3 y^3; made if
                                zeroed [none] */
    uint32_t    reserved[4]; /* must be 0 */
} tess_polyfit_opts;

/** The polynomial of order 1, 2 or 3 that fits each image {B,1,H,W} best, in pixels: x along W, y along H. Real numbers;
 *  the result is f32 for f16, f32 and small integers, else f64. `out` may be exactly `in`, or NULL if only the parameters
 *  are wanted. */
TESS_API TESS_MUST_CHECK tess_status tess_polyfit_surface(tess_array *out, const tess_array *in, int order,
                                                          const tess_polyfit_opts *opts);

/** What makes products of matrices: "native", or the name of the BLAS that was found. */
TESS_API const char *tess_linalg_provider(void);

TESS_END_C

#endif
