/* Small vectors, matrices and quaternions in f32 and f64, for loops of your own.
 *
 *     const tess_mat33_f32 r = tess_mat33_from_quat_f32(tess_quat_from_axis_angle_f32(axis, angle));
 *     for (int64_t i = 0; i < n; i++) points[i] = tess_mat33_apply_f32(r, points[i]);
 *
 * In C11 and C++17, in loops of tess_op_loop, and in their device code: a `cuda_source` (tessera/op.h) that includes
 * this file gives the same bits. Not in operators from text, nor in those of TESS_EWISE and its kin: their language has
 * numbers but no structs; there a vector is as many parameters as it has elements, or a view of its reals
 * (tess_reinterpret).
 *
 * The types are those of dtype.h, the elements of arrays: vectors are z, y, x (vec2: y, x), matrices lie row after row.
 * Names end in the precision; for vec3, mat33 and f32:
 *
 *     tess_vec3_of_f32(z, y, x)  from its elements   tess_vec3_add_f32, sub, mul   element by element
 *     tess_vec3_scale_f32        times a number      tess_vec3_dot_f32, cross (vec3 only), norm, normalize
 *     tess_mat33_identity_f32    and transpose       tess_mat33_mul_f32            product of two
 *     tess_mat33_apply_f32       matrix times vector tess_mat33_determinant_f32, inverse
 *
 * mat23 and mat34 are affine: [A | t] takes a point p to A p + t (apply); of and linear, translation put them together
 * and take them apart, a product is one after the other, and the inverse undoes it. mat44 also takes points of vec3
 * (tess_mat44_apply_point), its last row being taken as 0 0 0 1. Of a matrix without an inverse the elements of it are
 * not finite; normalize of 0 is not a number. norm does not guard against squares that leave the range.
 *
 * A quaternion is a vec4 z, y, x, w with the scalar last: the axis times sin(a/2), then cos(a/2), turns by the angle a
 * in radians. About z, a quarter turn takes +x to +y. A product p q turns by q first. rotate, mat33_from_quat and slerp
 * want quaternions of length 1.
 *
 * No result depends on the compiler or the instruction set: sums of products are fused, in the order of elements.
 * a b - c d loses nothing to cancellation: cross of a vector and itself is 0, and so is the determinant of a matrix
 * with two equal rows or columns.
 */
#ifndef TESSERA_MATH_LINEAR_OP_H
#define TESSERA_MATH_LINEAR_OP_H

#include "tessera/dtype.h"
#include "tessera/math/f32.op.h"
#include "tessera/math/f64.op.h"

#define TESS__LINEAR_NAME(name) name##_f32
#define TESS__LINEAR_REAL float
#define TESS__LINEAR_FMA __builtin_fmaf
#define TESS__LINEAR_SQRT __builtin_sqrtf
#define TESS__LINEAR_SMALL 0x1p-12f
#include "tessera/math/linear_any.op.h"

#define TESS__LINEAR_NAME(name) name##_f64
#define TESS__LINEAR_REAL double
#define TESS__LINEAR_FMA __builtin_fma
#define TESS__LINEAR_SQRT __builtin_sqrt
#define TESS__LINEAR_SMALL 0x1p-27
#include "tessera/math/linear_any.op.h"

#endif
