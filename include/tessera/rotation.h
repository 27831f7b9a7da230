/* Rotations: Euler angles in every convention, quaternions, and rotation matrices.
 *
 *     tess_array angles = …;                                     rot, tilt, psi of a STAR file: {n,1,1,3}
 *     TESS_TRY(tess_euler_to_matrix(&matrices, &angles, &(tess_euler_opts){ .convention = "relion" }));
 *
 * Rotations act on points, not on axes. Angles are right-handed: a positive rotation about z takes +x to +y. Matrices
 * are 3 x 3 and act on columns z, y, x; quaternions are z, y, x, w with the scalar last. Arrays of them are as in
 * tessera/matrix.h: elements vec3, vec4 and mat33, or numbers {b,d,1,3}, {b,d,1,4} and {b,d,3,3}. When converted to
 * matrices, a list {1,1,n,3} or {1,1,n,4}, as read from a file of n rows, counts as {n,1,1,3} or {n,1,1,4}.
 *
 * tessera/math/linear.op.h and affine.op.h have inline functions for single quaternions.
 */
#ifndef TESSERA_ROTATION_H
#define TESSERA_ROTATION_H

#include "tessera/array.h"
#include "tessera/math/affine.op.h"
#include "tessera/random.h"

TESS_BEGIN_C

/* ---- Euler angles ---- */

typedef enum tess_angle_unit {
    TESS_ANGLE_DEFAULT, /* radians; degrees for the conventions of programs */
    TESS_ANGLE_RADIANS,
    TESS_ANGLE_DEGREES,
} tess_angle_unit;

/**
 * How three angles a1, a2, a3 define a rotation.
 *
 * The convention names three axes, in the order of the angles: zyz zxz yzy yxy xzx xyx, or zyx zxy yzx yxz xzy xyz.
 * Alone or with "-intrinsic", each rotation is about the axes rotated by the previous ones: R(a1) R(a2) R(a3). With
 * "-extrinsic", the axes are fixed: R(a3) R(a2) R(a1). Or it is the name of a program:
 *
 *     relion, xmipp     rot, tilt, psi                      zyz-intrinsic
 *     spider, cistem    phi, theta, psi                     zyz-intrinsic
 *     eman2, eman       az, alt, phi                        zxz-intrinsic
 *     dynamo            tdrot, tilt, narot                  zxz-extrinsic
 *     imod              z, y, x of rotatevol                zyx-intrinsic, left-handed
 *
 * Angles of programs are in degrees, and right-handed except those of imod: rotatevol rotates the volume about the
 * fixed axes z, y and x, and the matrix is the inverse of that. So the matrix takes coordinates of the image, or of the
 * particle, to those of the reference, and the same view has the same matrix in all conventions. RELION's own function
 * and EMAN2's Transform give its transpose. Case is ignored.
 */
typedef struct tess_euler_opts {
    const char *convention;  /* name of the convention [zyx] */
    int32_t     unit;        /* a tess_angle_unit [radians; degrees for programs] */
    int32_t     left_handed; /* 1: positive angles rotate in the opposite direction; not for programs [0] */
    uint32_t    reserved[4]; /* must be 0 */
} tess_euler_opts;

/** Converts three angles to a rotation matrix. */
TESS_API TESS_MUST_CHECK tess_status tess_mat33_from_euler(tess_mat33_f64 *out, const tess_vec3_f64 *angles,
                                                           const tess_euler_opts *opts);

/** Converts a rotation matrix to three angles. The first and the third are from -pi to pi; the second is from 0 to pi
 *  if the first and third axes are the same, otherwise from -pi/2 to pi/2. If the second is at an end of its range
 *  (gimbal lock, to 2^-33 for f64 and 2^-20 for f32), only the sum or difference of the others is determined, and the
 *  third is set to 0. A matrix that is not a rotation to 1e-3 is an error (TESS_ERANGE). */
TESS_API TESS_MUST_CHECK tess_status tess_euler_from_mat33(tess_vec3_f64 *out, const tess_mat33_f64 *a,
                                                           const tess_euler_opts *opts);

/** Convert arrays of Euler angles to matrices and back. Matrices are not checked; those that are not rotations give
 *  meaningless angles. Angles in degrees that are multiples of 90 give exact matrices of 0, 1 and -1. */
TESS_API TESS_MUST_CHECK tess_status tess_euler_to_matrix(tess_array *out, const tess_array *angles,
                                                          const tess_euler_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_euler_from_matrix(tess_array *out, const tess_array *matrices,
                                                            const tess_euler_opts *opts);

/** Convert arrays of Euler angles to quaternions, with w not negative, and back. */
TESS_API TESS_MUST_CHECK tess_status tess_euler_to_quat(tess_array *out, const tess_array *angles,
                                                        const tess_euler_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_euler_from_quat(tess_array *out, const tess_array *quats,
                                                          const tess_euler_opts *opts);

/* ---- Quaternions ---- */

/** Scales a quaternion to length 1. A quaternion of length 0, or one that is not finite, is an error (TESS_ERANGE). */
TESS_API TESS_MUST_CHECK tess_status tess_quat_normalize(tess_vec4_f64 *out, const tess_vec4_f64 *q);

/** Converts quaternions of any nonzero length to matrices; a zero quaternion gives a matrix of NaNs. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_to_matrix(tess_array *out, const tess_array *quats);

/** Converts rotation matrices to quaternions with w not negative. The largest element is computed first, so that signs
 *  are correct for rotations by pi. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_from_matrix(tess_array *out, const tess_array *matrices);

/** Computes products p q, which rotate by q first. `out` may be exactly one of the inputs. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_mul(tess_array *out, const tess_array *p, const tess_array *q);

/** Computes conjugates: the inverse rotations of unit quaternions. `out` may be exactly `quats`. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_conjugate(tess_array *out, const tess_array *quats);

/** Interpolates from p (t = 0) to q (t = 1) along the shorter arc, with constant angular speed. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_slerp(tess_array *out, const tess_array *p, const tess_array *q,
                                                     double t);

/** Generates uniformly distributed random rotations, with w not negative, in an allocated array of vec4 or of numbers
 *  {b,d,h,4}. Quaternion i, in b, d, h, w order, depends only on the normal numbers 4 (offset + i) to 4 (offset + i) +
 *  3 of the seed (tess_random_normal). */
TESS_API TESS_MUST_CHECK tess_status tess_quat_random(tess_array *out, uint64_t seed, const tess_random_opts *opts);

typedef struct tess_quat_grid_opts {
    const char *sym;         /* point group of the reference; only views in its asymmetric unit are returned [c1] */
    int32_t     views;       /* 1: viewing directions only, without in-plane rotations [0] */
    int32_t     unused;      /* must be 0 */
    uint32_t    reserved[4]; /* must be 0 */
} tess_quat_grid_opts;

/** Generates a grid of orientations about `step` radians apart, 0.001 to pi: {n,1,1,4} of f64, on the host if newly
 *  allocated. Viewing directions (the images of z) lie on a spiral of 4 pi / step^2 points, rounded up, from +z to -z,
 *  with the golden angle between successive points. Each has 2 pi / step in-plane rotations, rounded up, starting at
 *  psi = 0. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_grid(tess_array *out, double step, const tess_quat_grid_opts *opts);

typedef struct tess_quat_average_opts {
    const tess_array *weights;     /* weight of each rotation, real and not negative [all 1] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_quat_average_opts;

/** Computes the mean of rotations: the quaternion that minimises the sum of weights times squared sines of half the
 *  distances, which is the eigenvector of the largest eigenvalue of the sum of weights times q q' (Markley et al.
 *  2007). q and -q are equivalent; w of the result is not negative. The result is {1,1,1,4}, or one vec4. Rotations
 *  without a unique mean, such as two that are pi apart, are an error (TESS_ERANGE), as are weights that are negative
 *  or all 0, and values that are not finite. An empty array is TESS_ESHAPE. Synchronises with the device. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_average(tess_array *out, const tess_array *quats,
                                                       const tess_quat_average_opts *opts);

typedef struct tess_quat_distance_opts {
    const char       *sym;         /* point group of the reference, a name of tessera/symmetry.h [c1] */
    const tess_array *matrices;    /* rotations of a custom symmetry, with the identity, in place of a name; read during
                                      the call, which then synchronises with the device [none] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_quat_distance_opts;

/** Computes the angle of the rotation from p to q, 0 to pi, in radians; with a symmetry of rotations S, the minimum
 *  angle from p to S q. The result has the shape {b,d,h,1}, or that of an array of vec4. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_distance(tess_array *out, const tess_array *p, const tess_array *q,
                                                        const tess_quat_distance_opts *opts);

typedef struct tess_quat_reduce_opts {
    const char       *sym;         /* point group of the reference, a name of tessera/symmetry.h [c1] */
    const tess_array *matrices;    /* as in tess_quat_distance_opts [none] */
    tess_array       *which;       /* receives the index of the rotation used, from 0 (i64) [none] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_quat_reduce_opts;

/** Reduces rotations to the asymmetric unit: of the equivalent rotations S q it returns the one with the smallest
 *  angle, and of several the one that is first in tess_symmetry_matrices. w is not negative. `out` must not overlap
 *  anything. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_reduce(tess_array *out, const tess_array *quats,
                                                      const tess_quat_reduce_opts *opts);

TESS_END_C

#endif
