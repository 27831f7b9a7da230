/* Small vectors, matrices and quaternions in f32 and f64, for your own loops.
 *
 *     const tess_mat33_f32 r = tess_mat33_from_quat_f32(tess_quat_from_axis_angle_f32(axis, angle));
 *     for (int64_t i = 0; i < n; i++) points[i] = tess_mat33_apply_f32(r, points[i]);
 *
 * They can be used in C11 and C++17, in loops of tess_op_loop, and in device code: a `cuda_source` (tessera/op.h) that
 * includes this file gives bit-identical results. They cannot be used in operators from text or in those of TESS_EWISE
 * and similar macros, whose language has no vectors; there pass the elements of a vector as separate parameters, or as
 * a view of its reals (tess_reinterpret).
 *
 * The types are the element types of dtype.h: vectors are z, y, x (vec2: y, x), matrices are row-major. Names end in
 * the precision; for vec3, mat33 and f32:
 *
 *     tess_vec3_of_f32(z, y, x)  from its elements   tess_vec3_add_f32, sub, mul   element by element
 *     tess_vec3_scale_f32        times a number      tess_vec3_dot_f32, cross (vec3 only), norm, normalize
 *     tess_mat33_identity_f32    and transpose       tess_mat33_mul_f32            product of two
 *     tess_mat33_apply_f32       matrix times vector tess_mat33_determinant_f32, inverse
 *
 * mat23 and mat34 are affine: [A | t] takes a point p to A p + t (apply). `of` composes them from their parts; `linear`
 * and `translation` return the parts. Products are compositions, and inverses are affine too. mat44 can also be applied
 * to points of vec3 (tess_mat44_apply_point), with its last row taken as 0 0 0 1. The inverse of a singular matrix has
 * elements that are not finite; normalising a zero vector gives NaNs. norm does not protect against overflow of the
 * squares.
 *
 * A quaternion is a vec4 z, y, x, w with the scalar last: the axis times sin(a/2), then cos(a/2), rotates by the angle
 * a in radians. A rotation about z by 90 degrees takes +x to +y. A product p q rotates by q first. rotate,
 * mat33_from_quat and slerp need quaternions of length 1.
 *
 * Results do not depend on the compiler or the instruction set: sums of products are fused, in the order of elements. a
 * b - c d is computed without cancellation errors: the cross product of a vector with itself is 0, and so is the
 * determinant of a matrix with two equal rows or columns.
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
