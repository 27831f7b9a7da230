/* Affine matrices from scale, shear, rotation and translation, and back by Gram and Schmidt's orthogonalisation (QR);
 * inverses of single matrices. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/check/text.h"
#include "tessera/matrix.h"
#include "tessera/rotation.h"

/* ---- Checks ---- */

static tess_status check_finite(const char *fn, const char *arg, const double *numbers, int n)
{
    char text[32];
    for (int i = 0; i < n; i++)
        TESS_CHECK(isfinite(numbers[i]), TESS_ERANGE, "%s: number %d of `%s` is %s; finite numbers are needed", fn, i,
                   arg, tess__number_text(text, numbers[i]));
    return TESS_OK;
}

static tess_status check_reserved(const char *fn, const uint32_t reserved[4])
{
    for (int i = 0; i < 4; i++)
        TESS_CHECK(reserved[i] == 0, TESS_EARG, "%s: `parts->reserved` is not 0; the struct must be zeroed first", fn);
    return TESS_OK;
}

/* A determinant that is not 0 but for rounding: rows of these lengths could have one of their product. */
static tess_status check_determinant(const char *fn, double determinant, const double *a, int size, int columns)
{
    char   text[32];
    double most = 1;
    for (int i = 0; i < size; i++) {
        double square = 0;
        for (int k = 0; k < size; k++) square = fma(a[i * columns + k], a[i * columns + k], square);
        most *= sqrt(square);
    }
    TESS_CHECK(fabs(determinant) > 0x1p-49 * most && isfinite(1 / determinant), TESS_ERANGE,
               "%s: `a` is singular: its determinant is %s; it must be invertible", fn,
               tess__number_text(text, determinant));
    return TESS_OK;
}

/* ---- Inverses ---- */

#define INVERT(name, size, columns, determinant_of)                                                                    \
    tess_status tess_invert_##name(tess_##name##_f64 *out, const tess_##name##_f64 *a)                                 \
    {                                                                                                                  \
        TESS__FLOAT_SCOPE();                                                                                           \
        const char *fn = "invert_" #name;                                                                              \
        TESS_TRY(tess__check_pointer(fn, "out", out));                                                                 \
        TESS_TRY(tess__check_pointer(fn, "a", a));                                                                     \
        TESS_TRY(check_finite(fn, "a", a->at, (int)(sizeof a->at / sizeof *a->at)));                                   \
        TESS_TRY(check_determinant(fn, determinant_of, a->at, size, columns));                                         \
        *out = tess_##name##_inverse_f64(*a);                                                                          \
        return TESS_OK;                                                                                                \
    }
INVERT(mat22, 2, 2, tess_mat22_determinant_f64(*a))
INVERT(mat23, 2, 3, tess_mat22_determinant_f64(tess_mat23_linear_f64(*a)))
INVERT(mat33, 3, 3, tess_mat33_determinant_f64(*a))
INVERT(mat34, 3, 4, tess_mat33_determinant_f64(tess_mat34_linear_f64(*a)))
INVERT(mat44, 4, 4, tess_mat44_determinant_f64(*a))

/* ---- From parts ---- */

/* A factor that was left out is 1; TESS_ZERO is 0. */
static double factor(double scale) { return scale != 0 ? scale : signbit(scale) ? 0 : 1; }

tess_status tess_affine_2d(tess_mat23_f64 *out, const tess_parts_2d *parts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char *fn = "affine_2d";
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_pointer(fn, "parts", parts));
    TESS_TRY(check_reserved(fn, parts->reserved));
    TESS_TRY(check_finite(fn, "parts", parts->scale, (int)(offsetof(tess_parts_2d, reserved) / sizeof(double))));
    const tess_vec2_f64  factors = { { factor(parts->scale[0]), factor(parts->scale[1]) } };
    const tess_vec2_f64  centre = { { parts->centre[0], parts->centre[1] } };
    const tess_mat22_f64 scaled = tess_mat22_mul_f64(tess_shear_2d_f64(parts->shear), tess_scale_2d_f64(factors));
    *out = tess_about_2d_f64(tess_mat22_mul_f64(tess_rotate_2d_f64(parts->rotation), scaled), centre);
    for (int i = 0; i < 2; i++) out->at[i * 3 + 2] += parts->translation[i];
    return TESS_OK;
}

tess_status tess_affine_3d(tess_mat34_f64 *out, const tess_parts_3d *parts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char *fn = "affine_3d";
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_pointer(fn, "parts", parts));
    TESS_TRY(check_reserved(fn, parts->reserved));
    TESS_TRY(check_finite(fn, "parts", parts->scale, (int)(offsetof(tess_parts_3d, reserved) / sizeof(double))));
    tess_vec3_f64 factors, shear, centre;
    tess_vec4_f64 q = tess_vec4_of_f64(parts->rotation[0], parts->rotation[1], parts->rotation[2], parts->rotation[3]);
    for (int i = 0; i < 3; i++) {
        factors.at[i] = factor(parts->scale[i]);
        shear.at[i] = parts->shear[i];
        centre.at[i] = parts->centre[i];
    }
    if (q.at[0] == 0 && q.at[1] == 0 && q.at[2] == 0 && q.at[3] == 0) q = tess_quat_identity_f64();
    else TESS_TRY(tess_quat_normalize(&q, &q));
    const tess_mat33_f64 scaled = tess_mat33_mul_f64(tess_shear_3d_f64(shear), tess_scale_3d_f64(factors));
    *out = tess_about_3d_f64(tess_mat33_mul_f64(tess_mat33_from_quat_f64(q), scaled), centre);
    for (int i = 0; i < 3; i++) out->at[i * 4 + 3] += parts->translation[i];
    return TESS_OK;
}

/* ---- Into parts ---- */

/* What is left of the move if the centre is to stay: t - (centre - A centre). */
static void moves(double *translation, const double *a, const double *centre, int size)
{
    for (int i = 0; i < size; i++) {
        double sum = a[i * (size + 1) + size] - centre[i];
        for (int k = 0; k < size; k++) sum = fma(a[i * (size + 1) + k], centre[k], sum);
        translation[i] = sum;
    }
}

/* A = R U, with the columns of R from those of A by Gram and Schmidt and U upper triangular, its diagonal positive but
 * for the first element of a mirror. Columns are orthogonalised twice, which leaves rounding errors alone. */
typedef struct factors {
    double r[3][3], u[3][3]; /* by columns and by rows */
} factors;

static void factorize(factors *f, const double *a, int size, bool mirrors)
{
    memset(f, 0, sizeof *f);
    for (int j = 0; j < size; j++) {
        double square = 0;
        for (int i = 0; i < size; i++) f->r[j][i] = a[i * (size + 1) + j];
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < j; k++) {
                double dot = 0;
                for (int i = 0; i < size; i++) dot = fma(f->r[k][i], f->r[j][i], dot);
                for (int i = 0; i < size; i++) f->r[j][i] = fma(-dot, f->r[k][i], f->r[j][i]);
                f->u[k][j] += dot;
            }
        for (int i = 0; i < size; i++) square = fma(f->r[j][i], f->r[j][i], square);
        f->u[j][j] = mirrors && j == 0 ? -sqrt(square) : sqrt(square);
        for (int i = 0; i < size; i++) f->r[j][i] /= f->u[j][j];
    }
}

tess_status tess_affine_2d_parts(tess_parts_2d *out, const tess_mat23_f64 *a, const tess_vec2_f64 *centre)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char         *fn = "affine_2d_parts";
    const tess_vec2_f64 origin = { { 0, 0 } };
    factors             f;
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_pointer(fn, "a", a));
    if (!centre) centre = &origin;
    TESS_TRY(check_finite(fn, "a", a->at, 6));
    TESS_TRY(check_finite(fn, "centre", centre->at, 2));
    const double determinant = tess_mat22_determinant_f64(tess_mat23_linear_f64(*a));
    TESS_TRY(check_determinant(fn, determinant, a->at, 2, 3));
    factorize(&f, a->at, 2, determinant < 0);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 2; i++) out->scale[i] = f.u[i][i], out->centre[i] = centre->at[i];
    out->shear = f.u[0][1] / f.u[1][1];
    out->rotation = tess__atan2_f64(-f.r[0][1], f.r[0][0]);
    moves(out->translation, a->at, centre->at, 2);
    return TESS_OK;
}

tess_status tess_affine_3d_parts(tess_parts_3d *out, const tess_mat34_f64 *a, const tess_vec3_f64 *centre)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char         *fn = "affine_3d_parts";
    const tess_vec3_f64 origin = { { 0, 0, 0 } };
    factors             f;
    tess_mat33_f64      rotation;
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_pointer(fn, "a", a));
    if (!centre) centre = &origin;
    TESS_TRY(check_finite(fn, "a", a->at, 12));
    TESS_TRY(check_finite(fn, "centre", centre->at, 3));
    const double determinant = tess_mat33_determinant_f64(tess_mat34_linear_f64(*a));
    TESS_TRY(check_determinant(fn, determinant, a->at, 3, 4));
    factorize(&f, a->at, 3, determinant < 0);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 3; i++) out->scale[i] = f.u[i][i], out->centre[i] = centre->at[i];
    out->shear[0] = f.u[0][1] / f.u[1][1];
    out->shear[1] = f.u[0][2] / f.u[2][2];
    out->shear[2] = f.u[1][2] / f.u[2][2];
    for (int i = 0; i < 9; i++) rotation.at[i] = f.r[i % 3][i / 3];
    const tess_vec4_f64 q = tess_quat_from_mat33_f64(rotation);
    for (int i = 0; i < 4; i++) out->rotation[i] = q.at[i];
    moves(out->translation, a->at, centre->at, 3);
    return TESS_OK;
}
