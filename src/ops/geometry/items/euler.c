/* Euler angles: conventions by name, and conversions to and from matrices and quaternions. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/geometry/items/items.h"
#include "formulas/geometry/rotation.op.h"
#include "tessera/rotation.h"

static const tess_choice units[] = {
    { "radians", TESS_ANGLE_RADIANS, "a full turn is 2 pi" },
    { "degrees", TESS_ANGLE_DEGREES, "a full turn is 360" },
    { NULL, 0, NULL },
};

#define OPTIONS                                                                                                        \
    TESS__OPT_TEXT(tess_euler_opts, convention,                                                                        \
                   "three axes (zyx, zyz …), also with -intrinsic or -extrinsic, or relion, xmipp, spider, cistem, " \
                   "eman2, dynamo or imod [zyx]"),                                                                     \
        TESS__OPT_CHOICE(tess_euler_opts, unit, 0, units, "unit of the angles [radians; degrees for programs]"),       \
        TESS__FLAG(tess_euler_opts, left_handed, "positive angles rotate the other way; not for programs")

static const tess_arg_info to_matrix_args[] = {
    TESS__OUT("out", "rotation matrices, {b,d,3,3}", .axes = "B,D,3,3"),
    TESS__IN("angles", "angles, {b,d,1,3}, or n rows {1,1,n,3}", .sample = "b,1,1,3", .axes = "B,D,1,3"), OPTIONS
};
static const tess_arg_info from_matrix_args[] = {
    TESS__OUT("out", "angles, {b,d,1,3}", .axes = "B,D,1,3"),
    TESS__IN("matrices", "rotation matrices, {b,d,3,3}", .sample = "b,1,3,3", .axes = "B,D,3,3"), OPTIONS
};
static const tess_arg_info to_quat_args[] = {
    TESS__OUT("out", "quaternions z, y, x, w, {b,d,h,4}", .axes = "B,D,H,4"),
    TESS__IN("angles", "angles, {b,d,h,3}", .sample = "b,1,1,3", .axes = "B,D,H,3"), OPTIONS
};
static const tess_arg_info from_quat_args[] = {
    TESS__OUT("out", "angles, {b,d,h,3}", .axes = "B,D,H,3"),
    TESS__IN("quats", "quaternions z, y, x, w, {b,d,h,4}", .sample = "b,1,1,4", .axes = "B,D,H,4"), OPTIONS
};

#define DESCRIBE(name_, help_, args_)                                                                                  \
    TESS__CALL(name_, v[0].out, v[1].in, opts)                                                                         \
    const tess_function_info tess__info_##name_ =                                                                      \
        TESS__OP_OPTS(TESS_CUT_BATCHES, name_, "rotation", help_, args_, tess_euler_opts);
DESCRIBE(euler_to_matrix, "Convert Euler angles to rotation matrices.", to_matrix_args)
DESCRIBE(euler_from_matrix, "Convert rotation matrices to Euler angles.", from_matrix_args)
DESCRIBE(euler_to_quat, "Convert Euler angles to quaternions.", to_quat_args)
DESCRIBE(euler_from_quat, "Convert quaternions to Euler angles.", from_quat_args)

/* ---- Conventions ---- */

typedef struct program {
    const char *name, *convention;
    bool        left_handed;
} program;

static const program programs[] = {
    { "relion", "zyz", false },           { "xmipp", "zyz", false }, { "spider", "zyz", false },
    { "cistem", "zyz", false },           { "eman2", "zxz", false }, { "eman", "zxz", false },
    { "dynamo", "zxz-extrinsic", false }, { "imod", "zyx", true },
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* z, y, x as 0, 1, 2; -1: none of them. */
static int axis_of(char letter)
{
    const char *letters = "zyxZYX", *found = letter ? strchr(letters, letter) : NULL;
    return found ? (int)(found - letters) % 3 : -1;
}

/* Three axes, no two equal ones beside each other, and what stands behind them; -1 if it is none. */
static int parse_axes(const char *text)
{
    int axis[3];
    if (strlen(text) < 3) return -1;
    for (int k = 0; k < 3; k++) axis[k] = axis_of(text[k]);
    if (axis[0] < 0 || axis[1] < 0 || axis[2] < 0 || axis[0] == axis[1] || axis[1] == axis[2]) return -1;
    const int code = axis[0] + 3 * axis[1] + 9 * axis[2];
    if (!text[3] || strcasecmp(text + 3, "-intrinsic") == 0) return code;
    return strcasecmp(text + 3, "-extrinsic") == 0 ? code + TESS__EULER_EXTRINSIC : -1;
}

/* The convention as the number that formulas/geometry/rotation.op.h takes. */
static tess_status resolve(double *code, const tess_function_info *info, const tess_euler_opts *opts)
{
    tess_euler_opts o;
    const program  *of = NULL;
    TESS_TRY(tess__resolve(info, opts, &o));
    const char *text = o.convention ? o.convention : "zyx";
    for (int i = 0; i < PROGRAMS; i++)
        if (strcasecmp(text, programs[i].name) == 0) of = &programs[i];
    const int axes = parse_axes(of ? of->convention : text);
    TESS_CHECK(axes >= 0, TESS_EPARSE,
               "%s: unknown `opts->convention` \"%.40s\"; expected three axes such as zyz or zyx, also with -intrinsic "
               "or -extrinsic, or relion, xmipp, spider, cistem, eman2, dynamo or imod",
               info->name, text);
    TESS_CHECK(!of || !o.left_handed, TESS_EARG,
               "%s: `opts->left_handed` is 1 and `opts->convention` is \"%s\"; it can be set only with three axes, not "
               "with a program",
               info->name, of->name);
    const bool degrees = o.unit == TESS_ANGLE_DEGREES || (o.unit == 0 && of);
    *code =
        axes + (o.left_handed || (of && of->left_handed) ? TESS__EULER_LEFT : 0) + (degrees ? TESS__EULER_DEGREES : 0);
    return TESS_OK;
}

/* ---- Arrays ---- */

/* How near the second angle may be to its end: what rounding of the precision leaves of an exact lock is less. */
static double lock_of(const tess_array *in) { return in && tess_dtype_real(in->dtype) == TESS_F64 ? 0x1p-33 : 0x1p-20; }

static tess_status convert(tess__item_call *call, const tess_function_info *info, const tess_euler_opts *opts)
{
    double val[2];
    TESS_TRY(resolve(&val[0], info, opts));
    val[1] = lock_of(call->in[0].array);
    call->n = 1;
    call->values.numbers = val;
    TESS_TRY(tess__items_apply(call));
    return TESS_OK;
}

#define ANGLES(lists)                                                                                                  \
    {                                                                                                                  \
        TESS__ITEM_VECTOR, 1, 3, lists                                                                                 \
    }
#define QUATS                                                                                                          \
    {                                                                                                                  \
        TESS__ITEM_VECTOR, 1, 4, false                                                                                 \
    }
#define MATRICES                                                                                                       \
    {                                                                                                                  \
        TESS__ITEM_MATRIX, 3, 3, false                                                                                 \
    }

#define CONVERSION(name, input, out_form_, in_form_)                                                                   \
    tess_status tess_##name(tess_array *out, const tess_array *input, const tess_euler_opts *opts)                     \
    {                                                                                                                  \
        static const tess__item_map map = TESS__ITEM_MAP(#name, name, 200, 2);                                         \
        tess__item_call             call = {                                                                           \
                        .map = &map, .out = out, .out_form = out_form_, .in = { { #input, input, in_form_ } }          \
        };                                                                                                             \
        TESS__FLOAT_SCOPE();                                                                                           \
        TESS_TRY(convert(&call, &tess__info_##name, opts));                                                            \
        return TESS_OK;                                                                                                \
    }
/* clang-format off */
CONVERSION(euler_to_matrix, angles, MATRICES, ANGLES(true))
CONVERSION(euler_from_matrix, matrices, ANGLES(true), MATRICES)
CONVERSION(euler_to_quat, angles, QUATS, ANGLES(false))
CONVERSION(euler_from_quat, quats, ANGLES(false), QUATS)
/* clang-format on */

/* ---- Single rotations ---- */

#define SINGLE_INFO(name_) TESS__INFO_OPTS(name_, "rotation", "One rotation.", to_matrix_args, tess_euler_opts)
static const tess_function_info from_euler_info = SINGLE_INFO("mat33_from_euler");
static const tess_function_info from_mat33_info = SINGLE_INFO("euler_from_mat33");

tess_status tess_mat33_from_euler(tess_mat33_f64 *out, const tess_vec3_f64 *angles, const tess_euler_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    double code;
    char   text[32];
    TESS_TRY(tess__check_pointer("mat33_from_euler", "out", out));
    TESS_TRY(tess__check_pointer("mat33_from_euler", "angles", angles));
    TESS_TRY(resolve(&code, &from_euler_info, opts));
    for (int k = 0; k < 3; k++)
        TESS_CHECK(isfinite(angles->at[k]), TESS_ERANGE, "mat33_from_euler: angle %d is %s; finite numbers are needed",
                   k, tess__number_text(text, angles->at[k]));
    tess__euler_to_matrix(angles->at, &code, 1, out->at);
    return TESS_OK;
}

tess_status tess_euler_from_mat33(tess_vec3_f64 *out, const tess_mat33_f64 *a, const tess_euler_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    double val[2] = { 0, 0x1p-33 }, error = 0;
    char   text[2][32];
    TESS_TRY(tess__check_pointer("euler_from_mat33", "out", out));
    TESS_TRY(tess__check_pointer("euler_from_mat33", "a", a));
    TESS_TRY(resolve(&val[0], &from_mat33_info, opts));
    const tess_mat33_f64 square = tess_mat33_mul_f64(*a, tess_mat33_transpose_f64(*a));
    for (int i = 0; i < 9; i++) error = fmax(error, fabs(square.at[i] - (i % 4 == 0)));
    const double determinant = tess_mat33_determinant_f64(*a);
    TESS_CHECK(error <= 1e-3 && determinant > 0, TESS_ERANGE,
               "euler_from_mat33: `a` is not a rotation: its product with its transpose is %s from the identity (at "
               "most 0.001 is allowed), and its determinant is %s (it must be 1)",
               tess__number_text(text[0], error), tess__number_text(text[1], determinant));
    tess__euler_from_matrix(a->at, val, 2, out->at);
    return TESS_OK;
}
