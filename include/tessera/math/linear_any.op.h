/* The functions of linear.op.h for one precision: included there with macros, which are undefined here. Functions that
 * exist for every size are in linear_size.op.h. */
#include "tessera/math/fn.h"

#ifdef TESS__LINEAR_NAME

#define TESS__REAL TESS__LINEAR_REAL
#define TESS__N(name) TESS__LINEAR_NAME(name)
#define TESS__VEC2 TESS__N(tess_vec2)
#define TESS__VEC3 TESS__N(tess_vec3)
#define TESS__VEC4 TESS__N(tess_vec4)
#define TESS__MAT22 TESS__N(tess_mat22)
#define TESS__MAT23 TESS__N(tess_mat23)
#define TESS__MAT33 TESS__N(tess_mat33)
#define TESS__MAT34 TESS__N(tess_mat34)
#define TESS__MAT44 TESS__N(tess_mat44)

/* ---- Differences of products ---- */

/* a b - c d to about one unit in the last place (Kahan): the rounding error of c d is added. 0 if both are equal. */
TESS_FN TESS__REAL TESS__N(tess__less2)(TESS__REAL a, TESS__REAL b, TESS__REAL c, TESS__REAL d)
{
    const TESS__REAL product = c * d;
    const TESS__REAL error = TESS__LINEAR_FMA(-c, d, product), rest = TESS__LINEAR_FMA(a, b, -product);
    return product * 0 == 0 ? rest + error : rest; /* an infinite one has no error */
}

/* a b + c d, which may cancel, in the same way. */
TESS_FN TESS__REAL TESS__N(tess__sum2)(TESS__REAL a, TESS__REAL b, TESS__REAL c, TESS__REAL d)
{
    return TESS__N(tess__less2)(a, b, -c, d);
}

/* ---- Vectors from their elements ---- */

TESS_FN TESS__VEC2 TESS__N(tess_vec2_of)(TESS__REAL y, TESS__REAL x)
{
    TESS__VEC2 v;
    v.at[0] = y;
    v.at[1] = x;
    return v;
}

TESS_FN TESS__VEC3 TESS__N(tess_vec3_of)(TESS__REAL z, TESS__REAL y, TESS__REAL x)
{
    TESS__VEC3 v;
    v.at[0] = z;
    v.at[1] = y;
    v.at[2] = x;
    return v;
}

TESS_FN TESS__VEC4 TESS__N(tess_vec4_of)(TESS__REAL z, TESS__REAL y, TESS__REAL x, TESS__REAL w)
{
    TESS__VEC4 v;
    v.at[0] = z;
    v.at[1] = y;
    v.at[2] = x;
    v.at[3] = w;
    return v;
}

/* ---- Vectors and matrices of every size ---- */

#define TESS__SIZE 2
#define TESS__VEC TESS__VEC2
#define TESS__MAT TESS__MAT22
#define TESS__V(name) TESS__N(tess_vec2_##name)
#define TESS__M(name) TESS__N(tess_mat22_##name)
#define TESS__M_(name) TESS__N(tess__mat22_##name)
#include "tessera/math/linear_size.op.h"

#define TESS__SIZE 3
#define TESS__VEC TESS__VEC3
#define TESS__MAT TESS__MAT33
#define TESS__V(name) TESS__N(tess_vec3_##name)
#define TESS__M(name) TESS__N(tess_mat33_##name)
#define TESS__M_(name) TESS__N(tess__mat33_##name)
#include "tessera/math/linear_size.op.h"

#define TESS__SIZE 4
#define TESS__VEC TESS__VEC4
#define TESS__MAT TESS__MAT44
#define TESS__V(name) TESS__N(tess_vec4_##name)
#define TESS__M(name) TESS__N(tess_mat44_##name)
#define TESS__M_(name) TESS__N(tess__mat44_##name)
#include "tessera/math/linear_size.op.h"

TESS_FN TESS__VEC3 TESS__N(tess_vec3_cross)(TESS__VEC3 a, TESS__VEC3 b)
{
    return TESS__N(tess_vec3_of)(TESS__N(tess__less2)(a.at[2], b.at[1], a.at[1], b.at[2]),
                                 TESS__N(tess__less2)(a.at[0], b.at[2], a.at[2], b.at[0]),
                                 TESS__N(tess__less2)(a.at[1], b.at[0], a.at[0], b.at[1]));
}

/* ---- Determinants and inverses ---- */

/* The cofactor of element (i, j). */
TESS_FN TESS__REAL TESS__N(tess__cofactor2)(TESS__MAT22 a, int i, int j)
{
    const TESS__REAL d = a.at[(1 - i) * 2 + 1 - j];
    return i == j ? d : -d;
}

TESS_FN TESS__REAL TESS__N(tess_mat22_determinant)(TESS__MAT22 a)
{
    return TESS__N(tess__less2)(a.at[0], a.at[3], a.at[1], a.at[2]);
}

TESS_FN TESS__REAL TESS__N(tess__cofactor3)(TESS__MAT33 a, int i, int j)
{
    const int p = (i + 1) % 3, q = (i + 2) % 3, s = (j + 1) % 3, t = (j + 2) % 3;
    return TESS__N(tess__less2)(a.at[p * 3 + s], a.at[q * 3 + t], a.at[p * 3 + t], a.at[q * 3 + s]);
}

TESS_FN TESS__REAL TESS__N(tess_mat33_determinant)(TESS__MAT33 a)
{
    const TESS__VEC3 row = TESS__N(tess_vec3_of)(a.at[0], a.at[1], a.at[2]);
    TESS__VEC3       c;
    for (int j = 0; j < 3; j++) c.at[j] = TESS__N(tess__cofactor3)(a, 0, j);
    return TESS__N(tess__mat33_repeats)(a) ? 0 : TESS__N(tess_vec3_dot)(row, c);
}

/* Without row i and column j. */
TESS_FN TESS__MAT33 TESS__N(tess__minor)(TESS__MAT44 a, int i, int j)
{
    TESS__MAT33 r;
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++) r.at[p * 3 + q] = a.at[(p + (p >= i)) * 4 + q + (q >= j)];
    return r;
}

TESS_FN TESS__REAL TESS__N(tess__cofactor4)(TESS__MAT44 a, int i, int j)
{
    const TESS__REAL d = TESS__N(tess_mat33_determinant)(TESS__N(tess__minor)(a, i, j));
    return (i + j) % 2 ? -d : d;
}

TESS_FN TESS__REAL TESS__N(tess_mat44_determinant)(TESS__MAT44 a)
{
    const TESS__VEC4 row = TESS__N(tess_vec4_of)(a.at[0], a.at[1], a.at[2], a.at[3]);
    TESS__VEC4       c;
    for (int j = 0; j < 4; j++) c.at[j] = TESS__N(tess__cofactor4)(a, 0, j);
    return TESS__N(tess__mat44_repeats)(a) ? 0 : TESS__N(tess_vec4_dot)(row, c);
}

#define TESS__SIZE 2
#define TESS__MAT TESS__MAT22
#define TESS__M(name) TESS__N(tess_mat22_##name)
#define TESS__COFACTOR TESS__N(tess__cofactor2)
#define TESS__VEC TESS__VEC2
#define TESS__AFFINE TESS__MAT23
#define TESS__V(name) TESS__N(tess_vec2_##name)
#define TESS__A(name) TESS__N(tess_mat23_##name)
#include "tessera/math/linear_inverse.op.h"

#define TESS__SIZE 3
#define TESS__MAT TESS__MAT33
#define TESS__M(name) TESS__N(tess_mat33_##name)
#define TESS__COFACTOR TESS__N(tess__cofactor3)
#define TESS__VEC TESS__VEC3
#define TESS__AFFINE TESS__MAT34
#define TESS__V(name) TESS__N(tess_vec3_##name)
#define TESS__A(name) TESS__N(tess_mat34_##name)
#include "tessera/math/linear_inverse.op.h"

#define TESS__SIZE 4
#define TESS__MAT TESS__MAT44
#define TESS__M(name) TESS__N(tess_mat44_##name)
#define TESS__COFACTOR TESS__N(tess__cofactor4)
#include "tessera/math/linear_inverse.op.h"

TESS_FN TESS__VEC3 TESS__N(tess_mat44_apply_point)(TESS__MAT44 a, TESS__VEC3 p)
{
    const TESS__VEC4 r = TESS__N(tess_mat44_apply)(a, TESS__N(tess_vec4_of)(p.at[0], p.at[1], p.at[2], 1));
    return TESS__N(tess_vec3_of)(r.at[0], r.at[1], r.at[2]);
}

/* ---- Quaternions ---- */

TESS_FN TESS__VEC4 TESS__N(tess_quat_identity)(void) { return TESS__N(tess_vec4_of)(0, 0, 0, 1); }

TESS_FN TESS__VEC4 TESS__N(tess_quat_conjugate)(TESS__VEC4 q)
{
    return TESS__N(tess_vec4_of)(-q.at[0], -q.at[1], -q.at[2], q.at[3]);
}

/* q first, then p. */
TESS_FN TESS__VEC4 TESS__N(tess_quat_mul)(TESS__VEC4 p, TESS__VEC4 q)
{
    const TESS__REAL pz = p.at[0], py = p.at[1], px = p.at[2], pw = p.at[3];
    const TESS__REAL qz = q.at[0], qy = q.at[1], qx = q.at[2], qw = q.at[3];
    return TESS__N(tess_vec4_of)(TESS__N(tess__sum2)(pw, qz, pz, qw) + TESS__N(tess__less2)(px, qy, py, qx),
                                 TESS__N(tess__sum2)(pw, qy, py, qw) + TESS__N(tess__less2)(pz, qx, px, qz),
                                 TESS__N(tess__sum2)(pw, qx, px, qw) + TESS__N(tess__less2)(py, qz, pz, qy),
                                 TESS__N(tess__less2)(pw, qw, px, qx) - TESS__N(tess__sum2)(py, qy, pz, qz));
}

/* About an axis of any length but 0, by an angle in radians. */
TESS_FN TESS__VEC4 TESS__N(tess_quat_from_axis_angle)(TESS__VEC3 axis, TESS__REAL angle)
{
    const TESS__REAL half = angle / 2;
    const TESS__VEC3 v = TESS__N(tess_vec3_scale)(TESS__N(tess_vec3_normalize)(axis), TESS__N(tess__sin)(half));
    return TESS__N(tess_vec4_of)(v.at[0], v.at[1], v.at[2], TESS__N(tess__cos)(half));
}

TESS_FN TESS__VEC3 TESS__N(tess_quat_rotate)(TESS__VEC4 q, TESS__VEC3 v)
{
    const TESS__VEC3 u = TESS__N(tess_vec3_of)(q.at[0], q.at[1], q.at[2]);
    const TESS__VEC3 t = TESS__N(tess_vec3_scale)(TESS__N(tess_vec3_cross)(u, v), 2);
    const TESS__VEC3 c = TESS__N(tess_vec3_cross)(u, t);
    TESS__VEC3       r;
    for (int i = 0; i < 3; i++) r.at[i] = TESS__LINEAR_FMA(q.at[3], t.at[i], v.at[i]) + c.at[i];
    return r;
}

TESS_FN TESS__MAT33 TESS__N(tess_mat33_from_quat)(TESS__VEC4 q)
{
    const TESS__REAL z = q.at[0], y = q.at[1], x = q.at[2], w = q.at[3];
    TESS__MAT33      r;
    r.at[0] = TESS__LINEAR_FMA(-2, TESS__N(tess__sum2)(x, x, y, y), 1);
    r.at[1] = 2 * TESS__N(tess__sum2)(y, z, x, w);
    r.at[2] = 2 * TESS__N(tess__less2)(x, z, y, w);
    r.at[3] = 2 * TESS__N(tess__less2)(y, z, x, w);
    r.at[4] = TESS__LINEAR_FMA(-2, TESS__N(tess__sum2)(x, x, z, z), 1);
    r.at[5] = 2 * TESS__N(tess__sum2)(x, y, z, w);
    r.at[6] = 2 * TESS__N(tess__sum2)(x, z, y, w);
    r.at[7] = 2 * TESS__N(tess__less2)(x, y, z, w);
    r.at[8] = TESS__LINEAR_FMA(-2, TESS__N(tess__sum2)(y, y, z, z), 1);
    return r;
}

/* The quaternion of a rotation; w is not negative. The largest element is computed first, so that signs are correct for
 * rotations by pi. */
TESS_FN TESS__VEC4 TESS__N(tess_quat_from_mat33)(TESS__MAT33 a)
{
    const TESS__REAL z = a.at[0], y = a.at[4], x = a.at[8], trace = x + y + z;
    TESS__REAL       q[4]; /* z y x w, times something */
    if (trace >= x && trace >= y && trace >= z) {
        q[0] = a.at[5] - a.at[7];
        q[1] = a.at[6] - a.at[2];
        q[2] = a.at[1] - a.at[3];
        q[3] = 1 + trace;
    } else {
        const int i = z >= y && z >= x ? 0 : y >= x ? 1 : 2, j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = 1 + a.at[i * 4] - a.at[j * 4] - a.at[k * 4];
        q[j] = a.at[j * 3 + i] + a.at[i * 3 + j];
        q[k] = a.at[k * 3 + i] + a.at[i * 3 + k];
        q[3] = a.at[j * 3 + k] - a.at[k * 3 + j];
    }
    const TESS__REAL sign = q[3] < 0 ? (TESS__REAL)-1 : (TESS__REAL)1;
    return TESS__N(tess_vec4_normalize)(TESS__N(tess_vec4_of)(sign * q[0], sign * q[1], sign * q[2], sign * q[3]));
}

/* Interpolates from p (t = 0) to q (t = 1) along the shorter arc, with constant angular speed. */
TESS_FN TESS__VEC4 TESS__N(tess_quat_slerp)(TESS__VEC4 p, TESS__VEC4 q, TESS__REAL t)
{
    if (TESS__N(tess_vec4_dot)(p, q) < 0) q = TESS__N(tess_vec4_scale)(q, -1);
    const TESS__REAL apart = TESS__N(tess_vec4_norm)(TESS__N(tess_vec4_sub)(p, q));
    const TESS__REAL angle = 2 * TESS__N(tess__atan2)(apart, TESS__N(tess_vec4_norm)(TESS__N(tess_vec4_add)(p, q)));
    TESS__REAL       a = 1 - t, b = t;
    TESS__VEC4       r;
    if (angle > TESS__LINEAR_SMALL) {
        const TESS__REAL sine = TESS__N(tess__sin)(angle);
        a = TESS__N(tess__sin)(a * angle) / sine;
        b = TESS__N(tess__sin)(b * angle) / sine;
    }
    for (int i = 0; i < 4; i++) r.at[i] = TESS__N(tess__sum2)(a, p.at[i], b, q.at[i]);
    return r;
}

#undef TESS__REAL
#undef TESS__N
#undef TESS__VEC2
#undef TESS__VEC3
#undef TESS__VEC4
#undef TESS__MAT22
#undef TESS__MAT23
#undef TESS__MAT33
#undef TESS__MAT34
#undef TESS__MAT44
#undef TESS__LINEAR_NAME
#undef TESS__LINEAR_REAL
#undef TESS__LINEAR_FMA
#undef TESS__LINEAR_SQRT
#undef TESS__LINEAR_SMALL

#endif
