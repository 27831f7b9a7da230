/* The text of linear.op.h for one precision: included there, with the macros that it sets, and undefined here. */
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

/* ---- Sums of products ---- */

/* a b + c d + .. */
TESS_FN TESS__REAL TESS__N(tess__sum2)(TESS__REAL a, TESS__REAL b, TESS__REAL c, TESS__REAL d)
{
    return TESS__LINEAR_FMA(c, d, a * b);
}

TESS_FN TESS__REAL TESS__N(tess__sum3)(TESS__REAL a, TESS__REAL b, TESS__REAL c, TESS__REAL d, TESS__REAL e,
                                       TESS__REAL f)
{
    return TESS__LINEAR_FMA(e, f, TESS__N(tess__sum2)(a, b, c, d));
}

TESS_FN TESS__REAL TESS__N(tess__sum4)(TESS__REAL a, TESS__REAL b, TESS__REAL c, TESS__REAL d, TESS__REAL e,
                                       TESS__REAL f, TESS__REAL g, TESS__REAL h)
{
    return TESS__LINEAR_FMA(g, h, TESS__N(tess__sum3)(a, b, c, d, e, f));
}

/* a b - c d */
TESS_FN TESS__REAL TESS__N(tess__less2)(TESS__REAL a, TESS__REAL b, TESS__REAL c, TESS__REAL d)
{
    return TESS__LINEAR_FMA(a, b, -(c * d));
}

/* ---- Vectors ---- */

TESS_FN TESS__VEC2 TESS__N(tess_vec2_of)(TESS__REAL y, TESS__REAL x)
{
    TESS__VEC2 v;
    v.at[0] = y;
    v.at[1] = x;
    return v;
}

TESS_FN TESS__VEC2 TESS__N(tess_vec2_add)(TESS__VEC2 a, TESS__VEC2 b)
{
    return TESS__N(tess_vec2_of)(a.at[0] + b.at[0], a.at[1] + b.at[1]);
}

TESS_FN TESS__VEC2 TESS__N(tess_vec2_sub)(TESS__VEC2 a, TESS__VEC2 b)
{
    return TESS__N(tess_vec2_of)(a.at[0] - b.at[0], a.at[1] - b.at[1]);
}

TESS_FN TESS__VEC2 TESS__N(tess_vec2_mul)(TESS__VEC2 a, TESS__VEC2 b)
{
    return TESS__N(tess_vec2_of)(a.at[0] * b.at[0], a.at[1] * b.at[1]);
}

TESS_FN TESS__VEC2 TESS__N(tess_vec2_scale)(TESS__VEC2 a, TESS__REAL s)
{
    return TESS__N(tess_vec2_of)(a.at[0] * s, a.at[1] * s);
}

TESS_FN TESS__REAL TESS__N(tess_vec2_dot)(TESS__VEC2 a, TESS__VEC2 b)
{
    return TESS__N(tess__sum2)(a.at[0], b.at[0], a.at[1], b.at[1]);
}

TESS_FN TESS__REAL TESS__N(tess_vec2_norm)(TESS__VEC2 a) { return TESS__LINEAR_SQRT(TESS__N(tess_vec2_dot)(a, a)); }

TESS_FN TESS__VEC2 TESS__N(tess_vec2_normalize)(TESS__VEC2 a)
{
    const TESS__REAL size = TESS__N(tess_vec2_norm)(a);
    return TESS__N(tess_vec2_of)(a.at[0] / size, a.at[1] / size);
}

TESS_FN TESS__VEC3 TESS__N(tess_vec3_of)(TESS__REAL z, TESS__REAL y, TESS__REAL x)
{
    TESS__VEC3 v;
    v.at[0] = z;
    v.at[1] = y;
    v.at[2] = x;
    return v;
}

TESS_FN TESS__VEC3 TESS__N(tess_vec3_add)(TESS__VEC3 a, TESS__VEC3 b)
{
    return TESS__N(tess_vec3_of)(a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2]);
}

TESS_FN TESS__VEC3 TESS__N(tess_vec3_sub)(TESS__VEC3 a, TESS__VEC3 b)
{
    return TESS__N(tess_vec3_of)(a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]);
}

TESS_FN TESS__VEC3 TESS__N(tess_vec3_mul)(TESS__VEC3 a, TESS__VEC3 b)
{
    return TESS__N(tess_vec3_of)(a.at[0] * b.at[0], a.at[1] * b.at[1], a.at[2] * b.at[2]);
}

TESS_FN TESS__VEC3 TESS__N(tess_vec3_scale)(TESS__VEC3 a, TESS__REAL s)
{
    return TESS__N(tess_vec3_of)(a.at[0] * s, a.at[1] * s, a.at[2] * s);
}

TESS_FN TESS__REAL TESS__N(tess_vec3_dot)(TESS__VEC3 a, TESS__VEC3 b)
{
    return TESS__N(tess__sum3)(a.at[0], b.at[0], a.at[1], b.at[1], a.at[2], b.at[2]);
}

TESS_FN TESS__REAL TESS__N(tess_vec3_norm)(TESS__VEC3 a) { return TESS__LINEAR_SQRT(TESS__N(tess_vec3_dot)(a, a)); }

TESS_FN TESS__VEC3 TESS__N(tess_vec3_normalize)(TESS__VEC3 a)
{
    const TESS__REAL size = TESS__N(tess_vec3_norm)(a);
    return TESS__N(tess_vec3_of)(a.at[0] / size, a.at[1] / size, a.at[2] / size);
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

TESS_FN TESS__VEC4 TESS__N(tess_vec4_add)(TESS__VEC4 a, TESS__VEC4 b)
{
    return TESS__N(tess_vec4_of)(a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2], a.at[3] + b.at[3]);
}

TESS_FN TESS__VEC4 TESS__N(tess_vec4_sub)(TESS__VEC4 a, TESS__VEC4 b)
{
    return TESS__N(tess_vec4_of)(a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2], a.at[3] - b.at[3]);
}

TESS_FN TESS__VEC4 TESS__N(tess_vec4_mul)(TESS__VEC4 a, TESS__VEC4 b)
{
    return TESS__N(tess_vec4_of)(a.at[0] * b.at[0], a.at[1] * b.at[1], a.at[2] * b.at[2], a.at[3] * b.at[3]);
}

TESS_FN TESS__VEC4 TESS__N(tess_vec4_scale)(TESS__VEC4 a, TESS__REAL s)
{
    return TESS__N(tess_vec4_of)(a.at[0] * s, a.at[1] * s, a.at[2] * s, a.at[3] * s);
}

TESS_FN TESS__REAL TESS__N(tess_vec4_dot)(TESS__VEC4 a, TESS__VEC4 b)
{
    return TESS__N(tess__sum4)(a.at[0], b.at[0], a.at[1], b.at[1], a.at[2], b.at[2], a.at[3], b.at[3]);
}

TESS_FN TESS__REAL TESS__N(tess_vec4_norm)(TESS__VEC4 a) { return TESS__LINEAR_SQRT(TESS__N(tess_vec4_dot)(a, a)); }

TESS_FN TESS__VEC4 TESS__N(tess_vec4_normalize)(TESS__VEC4 a)
{
    const TESS__REAL size = TESS__N(tess_vec4_norm)(a);
    return TESS__N(tess_vec4_of)(a.at[0] / size, a.at[1] / size, a.at[2] / size, a.at[3] / size);
}

TESS_FN TESS__VEC3 TESS__N(tess_vec3_cross)(TESS__VEC3 a, TESS__VEC3 b)
{
    return TESS__N(tess_vec3_of)(TESS__N(tess__less2)(a.at[2], b.at[1], a.at[1], b.at[2]),
                                 TESS__N(tess__less2)(a.at[0], b.at[2], a.at[2], b.at[0]),
                                 TESS__N(tess__less2)(a.at[1], b.at[0], a.at[0], b.at[1]));
}

/* ---- Square matrices ---- */

TESS_FN TESS__MAT22 TESS__N(tess_mat22_identity)(void)
{
    TESS__MAT22 r;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) r.at[i * 2 + j] = (TESS__REAL)(i == j);
    return r;
}

TESS_FN TESS__MAT22 TESS__N(tess_mat22_transpose)(TESS__MAT22 a)
{
    TESS__MAT22 r;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) r.at[i * 2 + j] = a.at[j * 2 + i];
    return r;
}

TESS_FN TESS__MAT22 TESS__N(tess_mat22_mul)(TESS__MAT22 a, TESS__MAT22 b)
{
    TESS__MAT22 r;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            r.at[i * 2 + j] = TESS__N(tess__sum2)(a.at[i * 2 + 0], b.at[j], a.at[i * 2 + 1], b.at[1 * 2 + j]);
    return r;
}

TESS_FN TESS__VEC2 TESS__N(tess_mat22_apply)(TESS__MAT22 a, TESS__VEC2 v)
{
    TESS__VEC2 r;
    r.at[0] = TESS__N(tess__sum2)(a.at[0], v.at[0], a.at[1], v.at[1]);
    r.at[1] = TESS__N(tess__sum2)(a.at[2], v.at[0], a.at[3], v.at[1]);
    return r;
}

TESS_FN TESS__MAT33 TESS__N(tess_mat33_identity)(void)
{
    TESS__MAT33 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.at[i * 3 + j] = (TESS__REAL)(i == j);
    return r;
}

TESS_FN TESS__MAT33 TESS__N(tess_mat33_transpose)(TESS__MAT33 a)
{
    TESS__MAT33 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.at[i * 3 + j] = a.at[j * 3 + i];
    return r;
}

TESS_FN TESS__MAT33 TESS__N(tess_mat33_mul)(TESS__MAT33 a, TESS__MAT33 b)
{
    TESS__MAT33 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.at[i * 3 + j] = TESS__N(tess__sum3)(a.at[i * 3 + 0], b.at[j], a.at[i * 3 + 1], b.at[1 * 3 + j],
                                                  a.at[i * 3 + 2], b.at[2 * 3 + j]);
    return r;
}

TESS_FN TESS__VEC3 TESS__N(tess_mat33_apply)(TESS__MAT33 a, TESS__VEC3 v)
{
    TESS__VEC3 r;
    r.at[0] = TESS__N(tess__sum3)(a.at[0], v.at[0], a.at[1], v.at[1], a.at[2], v.at[2]);
    r.at[1] = TESS__N(tess__sum3)(a.at[3], v.at[0], a.at[4], v.at[1], a.at[5], v.at[2]);
    r.at[2] = TESS__N(tess__sum3)(a.at[6], v.at[0], a.at[7], v.at[1], a.at[8], v.at[2]);
    return r;
}

TESS_FN TESS__MAT44 TESS__N(tess_mat44_identity)(void)
{
    TESS__MAT44 r;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) r.at[i * 4 + j] = (TESS__REAL)(i == j);
    return r;
}

TESS_FN TESS__MAT44 TESS__N(tess_mat44_transpose)(TESS__MAT44 a)
{
    TESS__MAT44 r;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) r.at[i * 4 + j] = a.at[j * 4 + i];
    return r;
}

TESS_FN TESS__MAT44 TESS__N(tess_mat44_mul)(TESS__MAT44 a, TESS__MAT44 b)
{
    TESS__MAT44 r;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            r.at[i * 4 + j] = TESS__N(tess__sum4)(a.at[i * 4 + 0], b.at[j], a.at[i * 4 + 1], b.at[1 * 4 + j],
                                                  a.at[i * 4 + 2], b.at[2 * 4 + j], a.at[i * 4 + 3], b.at[3 * 4 + j]);
    return r;
}

TESS_FN TESS__VEC4 TESS__N(tess_mat44_apply)(TESS__MAT44 a, TESS__VEC4 v)
{
    TESS__VEC4 r;
    r.at[0] = TESS__N(tess__sum4)(a.at[0], v.at[0], a.at[1], v.at[1], a.at[2], v.at[2], a.at[3], v.at[3]);
    r.at[1] = TESS__N(tess__sum4)(a.at[4], v.at[0], a.at[5], v.at[1], a.at[6], v.at[2], a.at[7], v.at[3]);
    r.at[2] = TESS__N(tess__sum4)(a.at[8], v.at[0], a.at[9], v.at[1], a.at[10], v.at[2], a.at[11], v.at[3]);
    r.at[3] = TESS__N(tess__sum4)(a.at[12], v.at[0], a.at[13], v.at[1], a.at[14], v.at[2], a.at[15], v.at[3]);
    return r;
}

TESS_FN TESS__REAL TESS__N(tess_mat22_determinant)(TESS__MAT22 a)
{
    return TESS__N(tess__less2)(a.at[0], a.at[3], a.at[1], a.at[2]);
}

TESS_FN TESS__MAT22 TESS__N(tess_mat22_inverse)(TESS__MAT22 a)
{
    const TESS__REAL d = TESS__N(tess_mat22_determinant)(a);
    TESS__MAT22      r;
    r.at[0] = a.at[3] / d;
    r.at[1] = -a.at[1] / d;
    r.at[2] = -a.at[2] / d;
    r.at[3] = a.at[0] / d;
    return r;
}

/* The determinant of what is left without row i and column j, with its sign. */
TESS_FN TESS__REAL TESS__N(tess__cofactor)(TESS__MAT33 a, int i, int j)
{
    const int p = (i + 1) % 3, q = (i + 2) % 3, s = (j + 1) % 3, t = (j + 2) % 3;
    return TESS__N(tess__less2)(a.at[p * 3 + s], a.at[q * 3 + t], a.at[p * 3 + t], a.at[q * 3 + s]);
}

TESS_FN TESS__REAL TESS__N(tess_mat33_determinant)(TESS__MAT33 a)
{
    return TESS__N(tess__sum3)(a.at[0], TESS__N(tess__cofactor)(a, 0, 0), a.at[1], TESS__N(tess__cofactor)(a, 0, 1),
                               a.at[2], TESS__N(tess__cofactor)(a, 0, 2));
}

TESS_FN TESS__MAT33 TESS__N(tess_mat33_inverse)(TESS__MAT33 a)
{
    const TESS__REAL d = TESS__N(tess_mat33_determinant)(a);
    TESS__MAT33      r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.at[i * 3 + j] = TESS__N(tess__cofactor)(a, j, i) / d;
    return r;
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
    return TESS__N(tess__sum4)(a.at[0], TESS__N(tess__cofactor4)(a, 0, 0), a.at[1], TESS__N(tess__cofactor4)(a, 0, 1),
                               a.at[2], TESS__N(tess__cofactor4)(a, 0, 2), a.at[3], TESS__N(tess__cofactor4)(a, 0, 3));
}

TESS_FN TESS__MAT44 TESS__N(tess_mat44_inverse)(TESS__MAT44 a)
{
    const TESS__REAL d = TESS__N(tess_mat44_determinant)(a);
    TESS__MAT44      r;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) r.at[i * 4 + j] = TESS__N(tess__cofactor4)(a, j, i) / d;
    return r;
}

/* ---- Affine matrices ---- */

/* [a | t] */
TESS_FN TESS__MAT23 TESS__N(tess_mat23_of)(TESS__MAT22 a, TESS__VEC2 t)
{
    TESS__MAT23 r;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) r.at[i * 3 + j] = a.at[i * 2 + j];
    r.at[2] = t.at[0];
    r.at[5] = t.at[1];
    return r;
}

TESS_FN TESS__MAT22 TESS__N(tess_mat23_linear)(TESS__MAT23 a)
{
    TESS__MAT22 r;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) r.at[i * 2 + j] = a.at[i * 3 + j];
    return r;
}

TESS_FN TESS__VEC2 TESS__N(tess_mat23_translation)(TESS__MAT23 a) { return TESS__N(tess_vec2_of)(a.at[2], a.at[5]); }

TESS_FN TESS__MAT23 TESS__N(tess_mat23_identity)(void)
{
    return TESS__N(tess_mat23_of)(TESS__N(tess_mat22_identity)(), TESS__N(tess_vec2_of)(0, 0));
}

TESS_FN TESS__VEC2 TESS__N(tess_mat23_apply)(TESS__MAT23 a, TESS__VEC2 p)
{
    return TESS__N(tess_vec2_add)(TESS__N(tess_mat22_apply)(TESS__N(tess_mat23_linear)(a), p),
                                  TESS__N(tess_mat23_translation)(a));
}

/* b first, then a. */
TESS_FN TESS__MAT23 TESS__N(tess_mat23_mul)(TESS__MAT23 a, TESS__MAT23 b)
{
    return TESS__N(tess_mat23_of)(TESS__N(tess_mat22_mul)(TESS__N(tess_mat23_linear)(a), TESS__N(tess_mat23_linear)(b)),
                                  TESS__N(tess_mat23_apply)(a, TESS__N(tess_mat23_translation)(b)));
}

TESS_FN TESS__MAT23 TESS__N(tess_mat23_inverse)(TESS__MAT23 a)
{
    const TESS__MAT22 r = TESS__N(tess_mat22_inverse)(TESS__N(tess_mat23_linear)(a));
    const TESS__VEC2  t = TESS__N(tess_mat22_apply)(r, TESS__N(tess_mat23_translation)(a));
    return TESS__N(tess_mat23_of)(r, TESS__N(tess_vec2_scale)(t, -1));
}

/* [a | t] */
TESS_FN TESS__MAT34 TESS__N(tess_mat34_of)(TESS__MAT33 a, TESS__VEC3 t)
{
    TESS__MAT34 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.at[i * 4 + j] = a.at[i * 3 + j];
    r.at[3] = t.at[0];
    r.at[7] = t.at[1];
    r.at[11] = t.at[2];
    return r;
}

TESS_FN TESS__MAT33 TESS__N(tess_mat34_linear)(TESS__MAT34 a)
{
    TESS__MAT33 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.at[i * 3 + j] = a.at[i * 4 + j];
    return r;
}

TESS_FN TESS__VEC3 TESS__N(tess_mat34_translation)(TESS__MAT34 a)
{
    return TESS__N(tess_vec3_of)(a.at[3], a.at[7], a.at[11]);
}

TESS_FN TESS__MAT34 TESS__N(tess_mat34_identity)(void)
{
    return TESS__N(tess_mat34_of)(TESS__N(tess_mat33_identity)(), TESS__N(tess_vec3_of)(0, 0, 0));
}

TESS_FN TESS__VEC3 TESS__N(tess_mat34_apply)(TESS__MAT34 a, TESS__VEC3 p)
{
    return TESS__N(tess_vec3_add)(TESS__N(tess_mat33_apply)(TESS__N(tess_mat34_linear)(a), p),
                                  TESS__N(tess_mat34_translation)(a));
}

/* b first, then a. */
TESS_FN TESS__MAT34 TESS__N(tess_mat34_mul)(TESS__MAT34 a, TESS__MAT34 b)
{
    return TESS__N(tess_mat34_of)(TESS__N(tess_mat33_mul)(TESS__N(tess_mat34_linear)(a), TESS__N(tess_mat34_linear)(b)),
                                  TESS__N(tess_mat34_apply)(a, TESS__N(tess_mat34_translation)(b)));
}

TESS_FN TESS__MAT34 TESS__N(tess_mat34_inverse)(TESS__MAT34 a)
{
    const TESS__MAT33 r = TESS__N(tess_mat33_inverse)(TESS__N(tess_mat34_linear)(a));
    const TESS__VEC3  t = TESS__N(tess_mat33_apply)(r, TESS__N(tess_mat34_translation)(a));
    return TESS__N(tess_mat34_of)(r, TESS__N(tess_vec3_scale)(t, -1));
}

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
    return TESS__N(tess_vec4_of)(
        TESS__N(tess__sum4)(pw, qz, pz, qw, px, qy, -py, qx), TESS__N(tess__sum4)(pw, qy, py, qw, pz, qx, -px, qz),
        TESS__N(tess__sum4)(pw, qx, px, qw, py, qz, -pz, qy), TESS__N(tess__sum4)(pw, qw, -px, qx, -py, qy, -pz, qz));
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

/* Of a rotation; w is not negative. The largest element is found first, so that no sign is lost at half turns. */
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

/* From p (t = 0) to q (t = 1) the shorter way, at constant speed. */
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
