/* Affine matrices: composition, decomposition, inverses, products, and transformation of points.
 *
 * A matrix acts on column vectors z, y, x (images: y, x) of pixel coordinates, which are indices. Functions on single
 * matrices in host memory are in tessera/math/affine.op.h, which this header includes.
 *
 * Arrays of matrices are of two kinds. An array of compound elements (tessera/dtype.h) has one matrix per element:
 * {n,1,1,1} of mat34_f32 is n matrices, and its shape may be any. An array of numbers {b,d,rows,columns}, as found in
 * files, has one for each b and d. In the same way vectors and quaternions are elements vec2, vec3 and vec4, or rows
 * {b,d,h,n} of numbers. Functions take either kind, in f32 or f64 (numbers also in f16 and integers), with any strides.
 * Newly allocated results are of the kind of the first input, f32 for f16 and f32, otherwise f64. Everything is
 * computed in f64 and rounded once, bit-identical for any strides, threads and device. Inputs broadcast: one matrix for
 * all points, or one for each batch.
 *
 * N x N matrices are linear, N x (N+1) affine, [A | t], and (N+1) x (N+1) affine with a last row of 0 .. 0 1, which is
 * not read. A 3 x 3 matrix is used as a whole, which is correct for both meanings.
 */
#ifndef TESSERA_MATRIX_H
#define TESSERA_MATRIX_H

#include "tessera/array.h"
#include "tessera/math/affine.op.h"

TESS_BEGIN_C

/* ---- Single matrices ---- */

/** Parameters of an affine matrix for images. A point p becomes R H S (p - centre) + centre + translation: it is
 *  scaled, sheared, rotated and translated, in this order. */
typedef struct tess_parts_2d {
    double   scale[2];       /* y, x [1, 1]; TESS_ZERO: 0 */
    double   shear;          /* y becomes y + shear x [0] */
    double   rotation;       /* radians, from +x to +y [0] */
    double   translation[2]; /* y, x [0] */
    double   centre[2];      /* y, x [0] */
    uint32_t reserved[4];    /* must be 0 */
} tess_parts_2d;

/** Parameters of an affine matrix for volumes. */
typedef struct tess_parts_3d {
    double   scale[3];       /* z, y, x [1, 1, 1]; TESS_ZERO: 0 */
    double   shear[3];       /* zy, zx, yx: z becomes z + zy y + zx x, y becomes y + yx x [0] */
    double   rotation[4];    /* quaternion z, y, x, w, of any length; all 0: no rotation [none] */
    double   translation[3]; /* z, y, x [0] */
    double   centre[3];      /* z, y, x [0] */
    uint32_t reserved[4];    /* must be 0 */
} tess_parts_3d;

/** Composes the matrix with these parameters, which must be finite. */
TESS_API TESS_MUST_CHECK tess_status tess_affine_2d(tess_mat23_f64 *out, const tess_parts_2d *parts);
TESS_API TESS_MUST_CHECK tess_status tess_affine_3d(tess_mat34_f64 *out, const tess_parts_3d *parts);

/** Decomposes a matrix into its parameters about a centre; NULL is the origin. Scales are positive, except that the
 *  first is negative for a matrix that mirrors. A singular matrix is an error (TESS_ERANGE). */
TESS_API TESS_MUST_CHECK tess_status tess_affine_2d_parts(tess_parts_2d *out, const tess_mat23_f64 *a,
                                                          const tess_vec2_f64 *centre);
TESS_API TESS_MUST_CHECK tess_status tess_affine_3d_parts(tess_parts_3d *out, const tess_mat34_f64 *a,
                                                          const tess_vec3_f64 *centre);

/** Inverts a matrix. A matrix that is numerically singular, with a determinant below 2^-49 times the product of the
 *  lengths of its rows, is an error (TESS_ERANGE) that states the determinant. `out` may be `a`. */
TESS_API TESS_MUST_CHECK tess_status tess_invert_mat22(tess_mat22_f64 *out, const tess_mat22_f64 *a);
TESS_API TESS_MUST_CHECK tess_status tess_invert_mat23(tess_mat23_f64 *out, const tess_mat23_f64 *a);
TESS_API TESS_MUST_CHECK tess_status tess_invert_mat33(tess_mat33_f64 *out, const tess_mat33_f64 *a);
TESS_API TESS_MUST_CHECK tess_status tess_invert_mat34(tess_mat34_f64 *out, const tess_mat34_f64 *a);
TESS_API TESS_MUST_CHECK tess_status tess_invert_mat44(tess_mat44_f64 *out, const tess_mat44_f64 *a);

/* ---- Arrays of matrices ---- */

/** Inverts each matrix: 2 x 2, 2 x 3, 3 x 3, 3 x 4 or 4 x 4. It converts the forward matrices of transforms to the
 *  inverse ones that transforms expect. A singular matrix gives elements that are not finite. `out` may be exactly
 *  `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_matrix_inverse(tess_array *out, const tess_array *in);

/** Computes products a b, which apply b first: both 2 x 2, 2 x 3, 3 x 3, 3 x 4 or 4 x 4. `out` must not overlap
 *  either. */
TESS_API TESS_MUST_CHECK tess_status tess_matrix_mul(tess_array *out, const tess_array *a, const tess_array *b);

/** Transforms points by matrices or quaternions: vec2 or rows of 2 by 2 x 2, 2 x 3 or 3 x 3; vec3 or rows of 3 by 3 x
 *  3, 3 x 4, 4 x 4 or quaternions (vec4, or numbers {b,d,1,4}), which need not have length 1. Rows {b,d,n,3} are n
 *  points for each matrix. `out` may be exactly `points`. */
TESS_API TESS_MUST_CHECK tess_status tess_transform_points(tess_array *out, const tess_array *points,
                                                           const tess_array *matrices);

TESS_END_C

#endif
