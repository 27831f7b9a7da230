/* The functions of affine.op.h for one precision: included there with macros, which are undefined here. */
#include "tessera/math/fn.h"

#ifdef TESS__AFFINE_NAME

#define TESS__REAL TESS__AFFINE_REAL
#define TESS__N(name) TESS__AFFINE_NAME(name)

/* ---- Rotations ---- */

TESS_FN TESS__N(tess_mat22) TESS__N(tess_rotate_2d)(TESS__REAL angle)
{
    const TESS__REAL c = TESS__N(tess__cos)(angle), s = TESS__N(tess__sin)(angle);
    TESS__N(tess_mat22) r;
    r.at[0] = c;
    r.at[1] = s;
    r.at[2] = -s;
    r.at[3] = c;
    return r;
}

/* About axis 0 (z), 1 (y) or 2 (x), from the cosine and the sine of the angle. */
TESS_FN TESS__N(tess_mat33) TESS__N(tess__rotate_about)(int axis, TESS__REAL c, TESS__REAL s)
{
    const int p = (axis + 1) % 3, q = (axis + 2) % 3;
    TESS__N(tess_mat33) r = TESS__N(tess_mat33_identity)();
    r.at[p * 4] = c;
    r.at[q * 4] = c;
    r.at[p * 3 + q] = s;
    r.at[q * 3 + p] = -s;
    return r;
}

TESS_FN TESS__N(tess_mat33) TESS__N(tess_rotate_z)(TESS__REAL angle)
{
    return TESS__N(tess__rotate_about)(0, TESS__N(tess__cos)(angle), TESS__N(tess__sin)(angle));
}

TESS_FN TESS__N(tess_mat33) TESS__N(tess_rotate_y)(TESS__REAL angle)
{
    return TESS__N(tess__rotate_about)(1, TESS__N(tess__cos)(angle), TESS__N(tess__sin)(angle));
}

TESS_FN TESS__N(tess_mat33) TESS__N(tess_rotate_x)(TESS__REAL angle)
{
    return TESS__N(tess__rotate_about)(2, TESS__N(tess__cos)(angle), TESS__N(tess__sin)(angle));
}

TESS_FN TESS__N(tess_mat33) TESS__N(tess_rotate_axis)(TESS__N(tess_vec3) axis, TESS__REAL angle)
{
    return TESS__N(tess_mat33_from_quat)(TESS__N(tess_quat_from_axis_angle)(axis, angle));
}

/* ---- Scalings and shears ---- */

TESS_FN TESS__N(tess_mat22) TESS__N(tess_scale_2d)(TESS__N(tess_vec2) factors)
{
    TESS__N(tess_mat22) r = TESS__N(tess_mat22_identity)();
    for (int i = 0; i < 2; i++) r.at[i * 3] = factors.at[i];
    return r;
}

TESS_FN TESS__N(tess_mat33) TESS__N(tess_scale_3d)(TESS__N(tess_vec3) factors)
{
    TESS__N(tess_mat33) r = TESS__N(tess_mat33_identity)();
    for (int i = 0; i < 3; i++) r.at[i * 4] = factors.at[i];
    return r;
}

TESS_FN TESS__N(tess_mat22) TESS__N(tess_shear_2d)(TESS__REAL yx)
{
    TESS__N(tess_mat22) r = TESS__N(tess_mat22_identity)();
    r.at[1] = yx;
    return r;
}

TESS_FN TESS__N(tess_mat33) TESS__N(tess_shear_3d)(TESS__N(tess_vec3) v)
{
    TESS__N(tess_mat33) r = TESS__N(tess_mat33_identity)();
    r.at[1] = v.at[0];
    r.at[2] = v.at[1];
    r.at[5] = v.at[2];
    return r;
}

/* ---- Affine matrices ---- */

TESS_FN TESS__N(tess_mat23) TESS__N(tess_translate_2d)(TESS__N(tess_vec2) t)
{
    return TESS__N(tess_mat23_of)(TESS__N(tess_mat22_identity)(), t);
}

TESS_FN TESS__N(tess_mat34) TESS__N(tess_translate_3d)(TESS__N(tess_vec3) t)
{
    return TESS__N(tess_mat34_of)(TESS__N(tess_mat33_identity)(), t);
}

TESS_FN TESS__N(tess_mat23) TESS__N(tess_about_2d)(TESS__N(tess_mat22) a, TESS__N(tess_vec2) centre)
{
    return TESS__N(tess_mat23_of)(a, TESS__N(tess_vec2_sub)(centre, TESS__N(tess_mat22_apply)(a, centre)));
}

TESS_FN TESS__N(tess_mat34) TESS__N(tess_about_3d)(TESS__N(tess_mat33) a, TESS__N(tess_vec3) centre)
{
    return TESS__N(tess_mat34_of)(a, TESS__N(tess_vec3_sub)(centre, TESS__N(tess_mat33_apply)(a, centre)));
}

TESS_FN TESS__N(tess_mat33) TESS__N(tess_mat33_from_mat23)(TESS__N(tess_mat23) a)
{
    TESS__N(tess_mat33) r = TESS__N(tess_mat33_identity)();
    for (int i = 0; i < 6; i++) r.at[i] = a.at[i];
    return r;
}

TESS_FN TESS__N(tess_mat44) TESS__N(tess_mat44_from_mat34)(TESS__N(tess_mat34) a)
{
    TESS__N(tess_mat44) r = TESS__N(tess_mat44_identity)();
    for (int i = 0; i < 12; i++) r.at[i] = a.at[i];
    return r;
}

TESS_FN TESS__N(tess_mat23) TESS__N(tess_mat23_from_mat33)(TESS__N(tess_mat33) a)
{
    TESS__N(tess_mat23) r;
    for (int i = 0; i < 6; i++) r.at[i] = a.at[i];
    return r;
}

TESS_FN TESS__N(tess_mat34) TESS__N(tess_mat34_from_mat44)(TESS__N(tess_mat44) a)
{
    TESS__N(tess_mat34) r;
    for (int i = 0; i < 12; i++) r.at[i] = a.at[i];
    return r;
}

/* ---- Quaternions ---- */

/* By chords, so that small angles are accurate: |p - q| = 2 sin(a/4) and |p + q| = 2 cos(a/4). q and -q are the same
 * rotation: the shorter chord is used. */
TESS_FN TESS__REAL TESS__N(tess_quat_distance)(TESS__N(tess_vec4) p, TESS__N(tess_vec4) q)
{
    const TESS__REAL apart = TESS__N(tess_vec4_norm)(TESS__N(tess_vec4_sub)(p, q));
    const TESS__REAL sum = TESS__N(tess_vec4_norm)(TESS__N(tess_vec4_add)(p, q));
    return 4 * (apart < sum ? TESS__N(tess__atan2)(apart, sum) : TESS__N(tess__atan2)(sum, apart));
}

TESS_FN TESS__REAL TESS__N(tess_quat_angle)(TESS__N(tess_vec4) q)
{
    const TESS__REAL size = TESS__N(tess_vec3_norm)(TESS__N(tess_vec3_of)(q.at[0], q.at[1], q.at[2]));
    return 2 * TESS__N(tess__atan2)(size, q.at[3] < 0 ? -q.at[3] : q.at[3]);
}

TESS_FN TESS__N(tess_vec3) TESS__N(tess_quat_axis)(TESS__N(tess_vec4) q)
{
    const TESS__REAL sign = q.at[3] < 0 ? (TESS__REAL)-1 : (TESS__REAL)1;
    const TESS__N(tess_vec3) v = TESS__N(tess_vec3_of)(sign * q.at[0], sign * q.at[1], sign * q.at[2]);
    if (TESS__N(tess_vec3_norm)(v) == 0) return TESS__N(tess_vec3_of)(0, 0, 1);
    return TESS__N(tess_vec3_normalize)(v);
}

#undef TESS__REAL
#undef TESS__N
#undef TESS__AFFINE_NAME
#undef TESS__AFFINE_REAL

#endif
