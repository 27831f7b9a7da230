/* Affine matrices: from parts and back into them, inverses, products, and points through them.
 *
 * A matrix acts on columns z, y, x (images: y, x) of pixel coordinates, which are indices. The small matrices of
 * tessera/math/affine.op.h, which this header includes, are numbers of the host.
 *
 * Arrays of matrices are of two kinds. An array of compound elements (tessera/dtype.h) has a matrix an element:
 * {n,1,1,1} of mat34_f32 is n of them, and its shape may be any. An array of numbers {b,d,rows,columns} has one for
 * each b and d: what files hold. In the same way vectors and quaternions are elements vec2, vec3 and vec4, or rows
 * {b,d,h,n} of numbers. Functions take either, in f32 or f64 (numbers also f16 and integers), of any strides; what they
 * make is of the kind of the first input, f32 of f16 and f32, else f64. All is computed in f64 and rounded once: the
 * same bits for any strides, threads and device. Inputs broadcast: one matrix for all points, or one for each batch.
 *
 * N x N matrices are linear, N x (N+1) affine, [A | t], and (N+1) x (N+1) affine with a last row of 0 .. 0 1, which is
 * not read. A 3 x 3 matrix is taken as a whole, which is right for both of its meanings.
 */
#ifndef TESSERA_MATRIX_H
#define TESSERA_MATRIX_H

#include "tessera/array.h"
#include "tessera/math/affine.op.h"

TESS_BEGIN_C

/* ---- Single matrices ---- */

/** What an affine matrix of images is made of. A point p becomes R H S (p - centre) + centre + translation: it is
 *  scaled, sheared, rotated and moved, in this order. */
typedef struct tess_parts_2d {
    double   scale[2];       /* y, x [1, 1]; TESS_ZERO: 0 */
    double   shear;          /* y becomes y + shear x [0] */
    double   rotation;       /* radians, +x to +y [0] */
    double   translation[2]; /* y, x [0] */
    double   centre[2];      /* y, x [0] */
    uint32_t reserved[4];    /* must be 0 */
} tess_parts_2d;

/** The same of volumes. */
typedef struct tess_parts_3d {
    double   scale[3];       /* z, y, x [1, 1, 1]; TESS_ZERO: 0 */
    double   shear[3];       /* zy, zx, yx: z becomes z + zy y + zx x, y becomes y + yx x [0] */
    double   rotation[4];    /* quaternion z, y, x, w, of any length; all 0 is none [none] */
    double   translation[3]; /* z, y, x [0] */
    double   centre[3];      /* z, y, x [0] */
    uint32_t reserved[4];    /* must be 0 */
} tess_parts_3d;

/** The matrix of these parts; they must be finite. */
TESS_API TESS_MUST_CHECK tess_status tess_affine_2d(tess_mat23_f64 *out, const tess_parts_2d *parts);
TESS_API TESS_MUST_CHECK tess_status tess_affine_3d(tess_mat34_f64 *out, const tess_parts_3d *parts);

/** The parts of a matrix about a centre; NULL is the origin. Scales are positive, but for the first of a matrix that
 *  mirrors. One that takes space to less than it is, with a determinant of 0, is an error (TESS_ERANGE). */
TESS_API TESS_MUST_CHECK tess_status tess_affine_2d_parts(tess_parts_2d *out, const tess_mat23_f64 *a,
                                                          const tess_vec2_f64 *centre);
TESS_API TESS_MUST_CHECK tess_status tess_affine_3d_parts(tess_parts_3d *out, const tess_mat34_f64 *a,
                                                          const tess_vec3_f64 *centre);

/** The inverse. A matrix that has none to the precision of numbers, whose determinant is below 2^-49 of the product of
 *  the lengths of its rows, is an error (TESS_ERANGE) that says the determinant. `out` may be `a`. */
TESS_API TESS_MUST_CHECK tess_status tess_invert_mat22(tess_mat22_f64 *out, const tess_mat22_f64 *a);
TESS_API TESS_MUST_CHECK tess_status tess_invert_mat23(tess_mat23_f64 *out, const tess_mat23_f64 *a);
TESS_API TESS_MUST_CHECK tess_status tess_invert_mat33(tess_mat33_f64 *out, const tess_mat33_f64 *a);
TESS_API TESS_MUST_CHECK tess_status tess_invert_mat34(tess_mat34_f64 *out, const tess_mat34_f64 *a);
TESS_API TESS_MUST_CHECK tess_status tess_invert_mat44(tess_mat44_f64 *out, const tess_mat44_f64 *a);

/* ---- Arrays of matrices ---- */

/** The inverse of each matrix: of the forward matrices of transforms those that transforms take. 2 x 2, 2 x 3, 3 x 3,
 *  3 x 4 or 4 x 4. Of a matrix without an inverse the elements are not finite. `out` may be exactly `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_matrix_inverse(tess_array *out, const tess_array *in);

/** Products a b, which do b first: both 2 x 2, 2 x 3, 3 x 3, 3 x 4 or 4 x 4. `out` overlaps neither. */
TESS_API TESS_MUST_CHECK tess_status tess_matrix_mul(tess_array *out, const tess_array *a, const tess_array *b);

/** Points through matrices or quaternions: vec2 or rows of 2 through 2 x 2, 2 x 3 or 3 x 3; vec3 or rows of 3 through
 *  3 x 3, 3 x 4, 4 x 4 or quaternions (vec4, or numbers {b,d,1,4}), which need not be of length 1. Rows {b,d,n,3} are n
 *  points for each matrix. `out` may be exactly `points`. */
TESS_API TESS_MUST_CHECK tess_status tess_transform_points(tess_array *out, const tess_array *points,
                                                           const tess_array *matrices);

TESS_END_C

#endif
