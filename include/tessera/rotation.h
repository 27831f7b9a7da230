/* Rotations: Euler angles of every convention, quaternions, and the matrices of both.
 *
 *     tess_array angles = …;                                     rot, tilt, psi of a STAR file: {n,1,1,3}
 *     TESS_TRY(tess_euler_to_matrix(&matrices, &angles, &(tess_euler_opts){ .convention = "relion" }));
 *
 * A rotation turns points, not axes; angles are right-handed: about z, a positive one takes +x to +y. Matrices are
 * 3 x 3 and act on columns z, y, x; quaternions are z, y, x, w with the scalar last. Arrays of them are what
 * tessera/matrix.h says: elements vec3, vec4 and mat33, or numbers {b,d,1,3}, {b,d,1,4} and {b,d,3,3}. A list
 * {1,1,n,3} or {1,1,n,4}, as a file of n rows has it, counts as {n,1,1,3} or {n,1,1,4} where matrices are made of it.
 *
 * tessera/math/linear.op.h and affine.op.h have the same for single quaternions, as inline functions.
 */
#ifndef TESSERA_ROTATION_H
#define TESSERA_ROTATION_H

#include "tessera/array.h"
#include "tessera/math/affine.op.h"
#include "tessera/random.h"

TESS_BEGIN_C

/* ---- Euler angles ---- */

typedef enum tess_angle_unit {
    TESS_ANGLE_DEFAULT, /* radians; degrees for conventions of programs */
    TESS_ANGLE_RADIANS,
    TESS_ANGLE_DEGREES,
} tess_angle_unit;

/**
 * How three angles a1, a2, a3 are a rotation.
 *
 * The convention is three axes, in the order of the angles: zyz zxz yzy yxy xzx xyx, or zyx zxy yzx yxz xzy xyz. Alone
 * or with "-intrinsic" each rotation is about the axes that the ones before have turned: R(a1) R(a2) R(a3). With
 * "-extrinsic" the axes stay: R(a3) R(a2) R(a1). Or it is that of a program:
 *
 *     relion, xmipp     rot, tilt, psi                      zyz-intrinsic
 *     spider, cistem    phi, theta, psi                     zyz-intrinsic
 *     eman2, eman       az, alt, phi                        zxz-intrinsic
 *     dynamo            tdrot, tilt, narot                  zxz-extrinsic
 *     imod              z, y, x of rotatevol                zyx-intrinsic, left-handed
 *
 * in degrees, right-handed but for the last: rotatevol turns the volume about z, y and x, which stay, and the inverse
 * of that is asked for. So the matrix takes coordinates of the image, or of the particle, to those of the
 * reference, and the same view has the same matrix in all of them. RELION's own function and EMAN2's Transform give its
 * transpose. Case does not matter.
 */
typedef struct tess_euler_opts {
    const char *convention;  /* [zyx] */
    int32_t     unit;        /* a tess_angle_unit [radians; degrees for programs] */
    int32_t     left_handed; /* 1: positive angles turn the other way; not for programs [0] */
    uint32_t    reserved[4]; /* must be 0 */
} tess_euler_opts;

/** The rotation of three angles. */
TESS_API TESS_MUST_CHECK tess_status tess_mat33_from_euler(tess_mat33_f64 *out, const tess_vec3_f64 *angles,
                                                           const tess_euler_opts *opts);

/** The angles of a rotation: the first and the third from -pi to pi, the second from 0 to pi where the first and the
 *  third axis are the same, else from -pi/2 to pi/2. Where the second is at an end of that (gimbal lock, to 2^-33 of
 *  f64 and 2^-20 of f32), only the sum or difference of the others is known: the third is 0. A matrix that is no
 *  rotation to 1e-3 is an error (TESS_ERANGE). */
TESS_API TESS_MUST_CHECK tess_status tess_euler_from_mat33(tess_vec3_f64 *out, const tess_mat33_f64 *a,
                                                           const tess_euler_opts *opts);

/** The same for arrays. What is no rotation gives some angles: nothing is checked. Angles in degrees that are multiples
 *  of 90 give matrices of 0, 1 and -1 exactly. */
TESS_API TESS_MUST_CHECK tess_status tess_euler_to_matrix(tess_array *out, const tess_array *angles,
                                                          const tess_euler_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_euler_from_matrix(tess_array *out, const tess_array *matrices,
                                                            const tess_euler_opts *opts);

/** Angles to quaternions, whose w is not negative, and back. */
TESS_API TESS_MUST_CHECK tess_status tess_euler_to_quat(tess_array *out, const tess_array *angles,
                                                        const tess_euler_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_euler_from_quat(tess_array *out, const tess_array *quats,
                                                          const tess_euler_opts *opts);

/* ---- Quaternions ---- */

/** One quaternion of length 1. One of length 0, or that is not finite, is an error (TESS_ERANGE). */
TESS_API TESS_MUST_CHECK tess_status tess_quat_normalize(tess_vec4_f64 *out, const tess_vec4_f64 *q);

/** Quaternions, of any length but 0, to matrices; of 0 the matrix is not a number. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_to_matrix(tess_array *out, const tess_array *quats);

/** Rotation matrices to quaternions; w is not negative. The largest element is found first, so that half turns keep
 *  their signs. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_from_matrix(tess_array *out, const tess_array *matrices);

/** Products p q, which turn by q first. `out` may be exactly one of them. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_mul(tess_array *out, const tess_array *p, const tess_array *q);

/** The inverse rotations, of quaternions of length 1. `out` may be exactly `quats`. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_conjugate(tess_array *out, const tess_array *quats);

/** From p (t = 0) to q (t = 1) the shorter way, at constant speed. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_slerp(tess_array *out, const tess_array *p, const tess_array *q,
                                                     double t);

/** Rotations that are evenly distributed over all, with w not negative, into an array of vec4, or of numbers
 *  {b,d,h,4}, that was made. Quaternion i, in b, d, h, w order, is made of the normal numbers 4 (offset + i) to
 *  4 (offset + i) + 3 of the seed (tess_random_normal): it depends on nothing else. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_random(tess_array *out, uint64_t seed, const tess_random_opts *opts);

typedef struct tess_quat_grid_opts {
    const char *symmetry;    /* of the reference: only views of its asymmetric unit [c1] */
    int32_t     views;       /* 1: directions of view alone, without rotations in the plane [0] */
    int32_t     unused;      /* must be 0 */
    uint32_t    reserved[4]; /* must be 0 */
} tess_quat_grid_opts;

/** Rotations over all, about `step` radians apart, 0.001 to pi: {n,1,1,4} of f64, on the host if it is made. Directions
 *  of view, where z goes, lie on a spiral of 4 pi / step^2 points, rounded up, from +z to -z, by the golden angle from
 *  one to the next; each has 2 pi / step rotations in the plane, rounded up, from psi = 0 on. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_grid(tess_array *out, double step, const tess_quat_grid_opts *opts);

typedef struct tess_quat_average_opts {
    const tess_array *weights;     /* as many real numbers, none negative [all 1] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_quat_average_opts;

/** The mean of rotations: the quaternion that makes the sum of weights times squared sines of half the distances least,
 *  which is the eigenvector of the largest eigenvalue of the sum of weights times q q' (Markley et al. 2007). q and -q
 *  count the same; w is not negative. {1,1,1,4}, or one vec4. Rotations without a mean, as two that are half a turn
 *  apart, are an error (TESS_ERANGE), as are none, weights that are negative or all 0, and what is not finite. It waits
 *  for what it reads. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_average(tess_array *out, const tess_array *quats,
                                                       const tess_quat_average_opts *opts);

typedef struct tess_quat_distance_opts {
    const char       *symmetry;    /* of the reference: a name of tessera/symmetry.h [c1] */
    const tess_array *matrices;    /* or a set of rotations of the user's [none] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_quat_distance_opts;

/** The angle of the rotation from p to q, 0 to pi, in radians; with a symmetry of rotations S the least from p to S q.
 *  Numbers of the shape {b,d,h,1}, or of that of an array of vec4. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_distance(tess_array *out, const tess_array *p, const tess_array *q,
                                                        const tess_quat_distance_opts *opts);

typedef struct tess_quat_reduce_opts {
    const char       *symmetry;    /* of the reference: a name of tessera/symmetry.h [c1] */
    const tess_array *matrices;    /* or a set of rotations of the user's [none] */
    tess_array       *which;       /* receives which rotation of the set was taken, from 0 (i64) [none] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_quat_reduce_opts;

/** Of the rotations S q that a symmetry makes equal the one of the smallest angle, which is in the asymmetric unit
 *  about no rotation; of several the one that comes first in tess_symmetry_matrices. w is not negative. `out` overlaps
 *  nothing. */
TESS_API TESS_MUST_CHECK tess_status tess_quat_reduce(tess_array *out, const tess_array *quats,
                                                      const tess_quat_reduce_opts *opts);

TESS_END_C

#endif
