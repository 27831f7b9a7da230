/* Rotations, scalings, shears and translations as small matrices, in f32 and f64, for your own loops.
 *
 *     const tess_mat34_f64 m = tess_about_3d_f64(tess_rotate_z_f64(angle), centre);
 *     for (int64_t i = 0; i < n; i++) points[i] = tess_mat34_apply_f64(m, points[i]);
 *
 * Like linear.op.h, this can be used in C11, C++17 and device code, with bit-identical results. Vectors are z, y, x
 * (vec2: y, x), and matrices act on columns of them. Names end in the precision; for f32:
 *
 *     tess_rotate_2d_f32(angle)              mat22: counter-clockwise where x points right and y up: +x goes to +y
 *     tess_rotate_x_f32(angle), _y, _z       mat33: about an axis; about z, a quarter turn takes +x to +y
 *     tess_rotate_axis_f32(axis, angle)      mat33: about any axis, of any length but 0
 *     tess_scale_2d_f32(factors), _3d        mat22, mat33: by a factor an axis
 *     tess_shear_2d_f32(yx)                  mat22: y becomes y + yx x
 *     tess_shear_3d_f32(v)                   mat33: z becomes z + v0 y + v1 x, y becomes y + v2 x
 *     tess_translate_2d_f32(t), _3d          mat23, mat34
 *     tess_about_2d_f32(a, centre), _3d      mat23, mat34: a about a centre, which stays where it is
 *     tess_mat33_from_mat23_f32, tess_mat44_from_mat34_f32       with a last row of 0 0 1, or 0 0 0 1
 *     tess_mat23_from_mat33_f32, tess_mat34_from_mat44_f32       without the last row
 *     tess_quat_distance_f32(p, q)           angle of the rotation from one to the other, 0 to pi
 *     tess_quat_angle_f32(q)                 angle of a rotation, 0 to pi
 *     tess_quat_axis_f32(q)                  its axis, of length 1; x where the angle is 0
 *
 * Angles are in radians, right-handed, and rotate points, not axes. A product a b applies b first.
 * tess_mat34_linear_f32 and the like return the linear part of an affine matrix, and tess_mat34_of_f32 composes an
 * affine matrix from its parts.
 */
#ifndef TESSERA_MATH_AFFINE_OP_H
#define TESSERA_MATH_AFFINE_OP_H

#include "tessera/math/linear.op.h"

#define TESS__AFFINE_NAME(name) name##_f32
#define TESS__AFFINE_REAL float
#include "tessera/math/affine_any.op.h"

#define TESS__AFFINE_NAME(name) name##_f64
#define TESS__AFFINE_REAL double
#include "tessera/math/affine_any.op.h"

#endif
