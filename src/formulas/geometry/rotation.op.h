/* Rotations and affine matrices as functions of the numbers of an element: Euler angles by Bernardes and Viollet's
 * conversion (2022), quaternions, inverses and products.
 *
 * Each takes numbers `in`, `n` values or sets of values `val`, and gives numbers `out`: its comment says which. CPU and
 * GPU compile the same text.
 */
#ifndef TESS_FORMULAS_GEOMETRY_ROTATION_OP_H
#define TESS_FORMULAS_GEOMETRY_ROTATION_OP_H

#include "tessera/constants.h"
#include "tessera/math/affine.op.h"

/* A convention as one number: axes of the three angles (0 z, 1 y, 2 x) and flags. */
#define TESS__EULER_EXTRINSIC 27
#define TESS__EULER_LEFT 54
#define TESS__EULER_DEGREES 108

typedef struct tess__euler {
    int axis[3];
    int extrinsic, left, degrees;
} tess__euler;

TESS_FN tess__euler tess__euler_of(double code)
{
    const int   n = (int)code;
    tess__euler e;
    for (int i = 0, rest = n; i < 3; i++, rest /= 3) e.axis[i] = rest % 3;
    e.extrinsic = n / TESS__EULER_EXTRINSIC % 2;
    e.left = n / TESS__EULER_LEFT % 2;
    e.degrees = n / TESS__EULER_DEGREES % 2;
    return e;
}

/* Cosine and sine. Degrees are reduced to an eighth of a turn first, without an error: so right angles are exact. */
TESS_FN void tess__cos_sin(double cs[2], double angle, int degrees)
{
    if (!degrees) {
        cs[0] = tess__cos_f64(angle);
        cs[1] = tess__sin_f64(angle);
        return;
    }
    const double quarters = __builtin_rint(angle / 90.0), left = __builtin_fma(-90.0, quarters, angle);
    const double radians = left * (TESS_PI / 180.0), c = tess__cos_f64(radians), s = tess__sin_f64(radians);
    const double q = __builtin_fma(-4.0, __builtin_floor(quarters * 0.25), quarters);
    cs[0] = q == 0.0 ? c : q == 1.0 ? 0.0 - s : q == 2.0 ? 0.0 - c : s;
    cs[1] = q == 0.0 ? s : q == 1.0 ? c : q == 2.0 ? 0.0 - s : 0.0 - c;
}

TESS_FN tess_vec4_f64 tess__quat_of(const double *x) { return tess_vec4_of_f64(x[0], x[1], x[2], x[3]); }

/* q or -q, with a w that is not negative. */
TESS_FN void tess__put_quat(double *out, tess_vec4_f64 q)
{
    const double sign = q.at[3] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) out[i] = sign * q.at[i];
}

TESS_FN tess_mat33_f64 tess__mat33_of(const double *x)
{
    tess_mat33_f64 m;
    for (int i = 0; i < 9; i++) m.at[i] = x[i];
    return m;
}

/* ---- Euler angles ---- */

/* A matrix times a rotation about an axis, or, on the left, the rotation times it: two columns or rows change. */
TESS_FN void tess__turn_matrix(double *m, int axis, double c, double s, int on_the_left)
{
    const int    step = on_the_left ? 1 : 3, across = on_the_left ? 3 : 1;
    const int    p = (axis + 1) % 3 * across, q = (axis + 2) % 3 * across;
    const double sine = on_the_left ? -s : s;
    for (int i = 0; i < 3; i++) {
        const double x = m[i * step + p], y = m[i * step + q];
        m[i * step + p] = __builtin_fma(-sine, y, c * x);
        m[i * step + q] = __builtin_fma(sine, x, c * y);
    }
}

/* in: 3 angles; val: a convention; out: 3 x 3 */
TESS_FN void tess__euler_to_matrix(const double *in, const double *val, int64_t n, double *out)
{
    const tess__euler e = tess__euler_of(val[0]);
    (void)n;
    for (int k = 0; k < 3; k++) {
        double cs[2];
        tess__cos_sin(cs, in[k], e.degrees);
        const double sine = e.left ? -cs[1] : cs[1];
        if (k > 0) {
            tess__turn_matrix(out, e.axis[k], cs[0], sine, e.extrinsic);
            continue;
        }
        const tess_mat33_f64 first = tess__rotate_about_f64(e.axis[0], cs[0], sine);
        for (int i = 0; i < 9; i++) out[i] = first.at[i];
    }
}

/* in: 3 angles; val: a convention; out: quaternion */
TESS_FN void tess__euler_to_quat(const double *in, const double *val, int64_t n, double *out)
{
    const tess__euler e = tess__euler_of(val[0]);
    tess_vec4_f64     q = tess_quat_identity_f64();
    (void)n;
    for (int k = 0; k < 3; k++) {
        double        cs[2];
        tess_vec4_f64 r = tess_vec4_of_f64(0.0, 0.0, 0.0, 0.0);
        tess__cos_sin(cs, in[k] / 2.0, e.degrees);
        r.at[e.axis[k]] = e.left ? -cs[1] : cs[1];
        r.at[3] = cs[0];
        q = e.extrinsic ? tess_quat_mul_f64(r, q) : tess_quat_mul_f64(q, r);
    }
    tess__put_quat(out, q);
}

/* From -pi to pi, of at most three turns. */
TESS_FN double tess__wrap_angle(double x)
{
    const double pi = TESS_PI;
    x = x > pi ? x - 2.0 * pi : x < -pi ? x + 2.0 * pi : x;
    return x > pi ? pi : x < -pi ? -pi : x;
}

TESS_FN double tess__length2(double a, double b) { return __builtin_sqrt(__builtin_fma(a, a, b * b)); }

/* The angles about fixed axes (Bernardes and Viollet 2022): the products of half angles, as those of zyz, are
 *
 *     a, b = cos(t2/2) (cos, sin) of half the sum of the others,  c, d = sin(t2/2) (cos, sin) of half their difference
 *
 * and other axes are permutations of them; where the first and the third axis differ, t2 is counted from a quarter turn
 * on. No quotient loses digits where t2 is small. In a lock, which is what it returns, the angle that is given last
 * is 0. */
TESS_FN int tess__angles_of(double t[3], const int axis[3], tess_vec4_f64 v, int last, double lock)
{
    const int    i = 2 - axis[0], j = 2 - axis[1], repeats = axis[0] == axis[2], k = repeats ? 3 - i - j : 2 - axis[2];
    const double sign = (i - j) * (j - k) * (k - i) > 0 ? 1.0 : -1.0, w = v.at[3]; /* x, y, z are 0, 1, 2 here */
    const double qi = v.at[2 - i], qj = v.at[2 - j], qk = sign * v.at[2 - k];
    const double a = repeats ? w : w - qj, b = repeats ? qi : qi + qk;
    const double c = repeats ? qj : qj + w, d = repeats ? qk : qk - qi;
    const double sum = tess__atan2_f64(b, a), difference = tess__atan2_f64(d, c);
    t[1] = 2.0 * tess__atan2_f64(tess__length2(c, d), tess__length2(a, b));
    t[0] = sum - difference;
    t[2] = sum + difference;
    const int at_start = t[1] <= lock, at_end = TESS_PI - t[1] <= lock;
    if (at_start) t[2 - last] = 2.0 * sum;
    if (at_end) t[2 - last] = last == 2 ? -2.0 * difference : 2.0 * difference;
    if (at_start || at_end) t[last] = 0.0;
    if (!repeats) {
        t[1] -= TESS_PI / 2.0;
        t[2] *= sign;
    }
    return at_start || at_end;
}

/* Left-handed angles are those less than 0. Where that would make the second one negative, which is an angle of 0 to pi
 * about other axes, half a turn more of the others does the same. */
TESS_FN void tess__turn_left(double t[3], int repeats, int locked)
{
    const double half = repeats && !locked ? TESS_PI : 0.0;
    t[0] = tess__wrap_angle(half - t[0]);
    t[1] = repeats ? t[1] : 0.0 - t[1];
    t[2] = tess__wrap_angle(half - t[2]);
}

/* in: quaternion of length 1; val: a convention, and the angle that counts as a lock; out: 3 angles */
TESS_FN void tess__put_angles(tess_vec4_f64 q, const double *val, double *out)
{
    const tess__euler e = tess__euler_of(val[0]);
    int               axis[3];
    double            t[3];
    /* About fixed axes the angles come the other way round. */
    for (int k = 0; k < 3; k++) axis[k] = e.axis[e.extrinsic ? k : 2 - k];
    const int locked = tess__angles_of(t, axis, q, e.extrinsic ? 2 : 0, val[1]);
    for (int k = 0; k < 3; k++) t[k] = tess__wrap_angle(t[k]);
    if (e.left) tess__turn_left(t, axis[0] == axis[2], locked);
    for (int k = 0; k < 3; k++) {
        const double angle = t[e.extrinsic ? k : 2 - k];
        out[k] = e.degrees ? angle * (180.0 / TESS_PI) : angle;
    }
}

/* in: quaternion; val: as above; out: 3 angles */
TESS_FN void tess__euler_from_quat(const double *in, const double *val, int64_t n, double *out)
{
    (void)n;
    tess__put_angles(tess_vec4_normalize_f64(tess__quat_of(in)), val, out);
}

/* in: 3 x 3; val: as above; out: 3 angles */
TESS_FN void tess__euler_from_matrix(const double *in, const double *val, int64_t n, double *out)
{
    (void)n;
    tess__put_angles(tess_quat_from_mat33_f64(tess__mat33_of(in)), val, out);
}

/* ---- Quaternions ---- */

/* in: quaternion; out: 3 x 3 */
TESS_FN void tess__quat_to_matrix(const double *in, const double *val, int64_t n, double *out)
{
    const tess_mat33_f64 m = tess_mat33_from_quat_f64(tess_vec4_normalize_f64(tess__quat_of(in)));
    (void)val, (void)n;
    for (int i = 0; i < 9; i++) out[i] = m.at[i];
}

/* in: 3 x 3; out: quaternion */
TESS_FN void tess__quat_from_matrix(const double *in, const double *val, int64_t n, double *out)
{
    (void)val, (void)n;
    tess__put_quat(out, tess_quat_from_mat33_f64(tess__mat33_of(in)));
}

/* in: two quaternions; out: their product */
TESS_FN void tess__quat_mul(const double *in, const double *val, int64_t n, double *out)
{
    const tess_vec4_f64 q = tess_quat_mul_f64(tess__quat_of(in), tess__quat_of(in + 4));
    (void)val, (void)n;
    for (int i = 0; i < 4; i++) out[i] = q.at[i];
}

/* in: quaternion; out: its conjugate */
TESS_FN void tess__quat_conjugate(const double *in, const double *val, int64_t n, double *out)
{
    (void)val, (void)n;
    for (int i = 0; i < 4; i++) out[i] = i < 3 ? -in[i] : in[i];
}

/* in: two quaternions; val: t; out: quaternion */
TESS_FN void tess__quat_slerp(const double *in, const double *val, int64_t n, double *out)
{
    const tess_vec4_f64 q = tess_quat_slerp_f64(tess__quat_of(in), tess__quat_of(in + 4), val[0]);
    (void)n;
    for (int i = 0; i < 4; i++) out[i] = q.at[i];
}

/* in: 4 normal numbers; out: the quaternion of their direction */
TESS_FN void tess__quat_direction(const double *in, const double *val, int64_t n, double *out)
{
    (void)val, (void)n;
    tess__put_quat(out, tess_vec4_normalize_f64(tess__quat_of(in)));
}

/* in: two quaternions; val: n quaternions s; out: the least angle from the first to s times the second */
TESS_FN void tess__quat_distance(const double *in, const double *val, int64_t n, double *out)
{
    const tess_vec4_f64 p = tess_vec4_normalize_f64(tess__quat_of(in));
    const tess_vec4_f64 q = tess_vec4_normalize_f64(tess__quat_of(in + 4));
    out[0] = tess_quat_distance_f64(p, q);
    for (int64_t s = 1; s < n; s++) {
        const double other = tess_quat_distance_f64(p, tess_quat_mul_f64(tess__quat_of(val + 4 * s), q));
        out[0] = other < out[0] ? other : out[0];
    }
}

/* Which s times q has the smallest angle? Angles that differ by rounding alone are the same. */
TESS_FN int64_t tess__nearest_of_set(tess_vec4_f64 q, const double *val, int64_t n)
{
    int64_t which = 0;
    double  cosine = __builtin_fabs(q.at[3]);
    for (int64_t s = 1; s < n; s++) {
        const double other = __builtin_fabs(tess_quat_mul_f64(tess__quat_of(val + 4 * s), q).at[3]);
        if (other <= cosine + 0x1p-48) continue;
        which = s;
        cosine = other;
    }
    return which;
}

/* in: quaternion q; val: n quaternions s, the first no rotation; out: the s times q of the smallest angle */
TESS_FN void tess__quat_reduce(const double *in, const double *val, int64_t n, double *out)
{
    const tess_vec4_f64 q = tess_vec4_normalize_f64(tess__quat_of(in));
    const int64_t       which = tess__nearest_of_set(q, val, n);
    tess__put_quat(out, which == 0 ? q : tess_quat_mul_f64(tess__quat_of(val + 4 * which), q));
}

/* The same; out: the number of s */
TESS_FN void tess__quat_which(const double *in, const double *val, int64_t n, double *out)
{
    out[0] = (double)tess__nearest_of_set(tess_vec4_normalize_f64(tess__quat_of(in)), val, n);
}

/* ---- Matrices ---- */

/* in: matrix; out: its inverse */
TESS_FN void tess__inverse_22(const double *in, const double *val, int64_t n, double *out)
{
    tess_mat22_f64 m;
    (void)val, (void)n;
    for (int i = 0; i < 4; i++) m.at[i] = in[i];
    m = tess_mat22_inverse_f64(m);
    for (int i = 0; i < 4; i++) out[i] = m.at[i];
}

TESS_FN void tess__inverse_23(const double *in, const double *val, int64_t n, double *out)
{
    tess_mat23_f64 m;
    (void)val, (void)n;
    for (int i = 0; i < 6; i++) m.at[i] = in[i];
    m = tess_mat23_inverse_f64(m);
    for (int i = 0; i < 6; i++) out[i] = m.at[i];
}

TESS_FN void tess__inverse_33(const double *in, const double *val, int64_t n, double *out)
{
    const tess_mat33_f64 m = tess_mat33_inverse_f64(tess__mat33_of(in));
    (void)val, (void)n;
    for (int i = 0; i < 9; i++) out[i] = m.at[i];
}

TESS_FN void tess__inverse_34(const double *in, const double *val, int64_t n, double *out)
{
    tess_mat34_f64 m;
    (void)val, (void)n;
    for (int i = 0; i < 12; i++) m.at[i] = in[i];
    m = tess_mat34_inverse_f64(m);
    for (int i = 0; i < 12; i++) out[i] = m.at[i];
}

/* A row a of `size` + `affine` elements times a matrix of as many columns: a row of the product. */
TESS_FN void tess__row_product(const double *a, const double *b, int size, int affine, double *out)
{
    const int columns = size + affine;
    for (int j = 0; j < columns; j++) {
        double sum = a[0] * b[j];
        for (int k = 1; k < size; k++) sum = __builtin_fma(a[k], b[k * columns + j], sum);
        out[j] = j < size ? sum : sum + a[size];
    }
}

/* in: a row of one matrix, and another matrix; out: a row of the product */
TESS_FN void tess__product_22(const double *in, const double *val, int64_t n, double *out)
{
    (void)val, (void)n;
    tess__row_product(in, in + 2, 2, 0, out);
}

TESS_FN void tess__product_23(const double *in, const double *val, int64_t n, double *out)
{
    (void)val, (void)n;
    tess__row_product(in, in + 3, 2, 1, out);
}

TESS_FN void tess__product_33(const double *in, const double *val, int64_t n, double *out)
{
    (void)val, (void)n;
    tess__row_product(in, in + 3, 3, 0, out);
}

TESS_FN void tess__product_34(const double *in, const double *val, int64_t n, double *out)
{
    (void)val, (void)n;
    tess__row_product(in, in + 4, 3, 1, out);
}

/* ---- Points ---- */

/* A matrix of `size` rows, and columns of as many or one more, times a point. */
TESS_FN void tess__matrix_point(const double *a, const double *p, int size, int affine, double *out)
{
    const int columns = size + affine;
    for (int i = 0; i < size; i++) {
        double sum = a[i * columns] * p[0];
        for (int k = 1; k < size; k++) sum = __builtin_fma(a[i * columns + k], p[k], sum);
        out[i] = affine ? sum + a[i * columns + size] : sum;
    }
}

/* in: point, and matrix or quaternion; out: point */
TESS_FN void tess__point_22(const double *in, const double *val, int64_t n, double *out)
{
    (void)val, (void)n;
    tess__matrix_point(in + 2, in, 2, 0, out);
}

TESS_FN void tess__point_23(const double *in, const double *val, int64_t n, double *out)
{
    (void)val, (void)n;
    tess__matrix_point(in + 2, in, 2, 1, out);
}

TESS_FN void tess__point_33(const double *in, const double *val, int64_t n, double *out)
{
    (void)val, (void)n;
    tess__matrix_point(in + 3, in, 3, 0, out);
}

TESS_FN void tess__point_34(const double *in, const double *val, int64_t n, double *out)
{
    (void)val, (void)n;
    tess__matrix_point(in + 3, in, 3, 1, out);
}

TESS_FN void tess__point_quat(const double *in, const double *val, int64_t n, double *out)
{
    const tess_vec4_f64 q = tess_vec4_normalize_f64(tess__quat_of(in + 3));
    const tess_vec3_f64 p = tess_quat_rotate_f64(q, tess_vec3_of_f64(in[0], in[1], in[2]));
    (void)val, (void)n;
    for (int i = 0; i < 3; i++) out[i] = p.at[i];
}

#endif
