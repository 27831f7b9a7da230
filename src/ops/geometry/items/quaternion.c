/* Quaternions in arrays: matrices of them, products, slerp, random rotations; distances and the asymmetric unit of a
 * point group. */
#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/geometry/items/items.h"
#include "ops/geometry/symmetry/symmetry.h"
#include "ops/random/random.h"
#include "formulas/geometry/rotation.op.h"
#include "tessera/op.h"
#include "tessera/rotation.h"

#define QUATS_ROW(name) TESS__IN(name, "quaternions z, y, x, w, {b,d,h,4}", .sample = "b,1,1,4", .axes = "B,D,H,4")

static const tess_arg_info to_matrix_args[] = {
    TESS__OUT("out", "rotation matrices, {b,d,3,3}", .axes = "B,D,3,3"),
    TESS__IN("quats", "quaternions z, y, x, w, {b,d,1,4}, or n rows {1,1,n,4}", .sample = "b,1,1,4", .axes = "B,D,1,4")
};
static const tess_arg_info from_matrix_args[] = {
    TESS__OUT("out", "quaternions z, y, x, w, {b,d,1,4}", .axes = "B,D,1,4"),
    TESS__IN("matrices", "rotation matrices, {b,d,3,3}", .sample = "b,1,3,3", .axes = "B,D,3,3")
};
static const tess_arg_info mul_args[] = { TESS__OUT("out", "the products, {b,d,h,4}", .axes = "B,D,H,4"),
                                          QUATS_ROW("p"), QUATS_ROW("q") };
static const tess_arg_info conjugate_args[] = { TESS__OUT("out", "the conjugates, {b,d,h,4}", .axes = "B,D,H,4"),
                                                QUATS_ROW("quats") };
static const tess_arg_info slerp_args[] = {
    TESS__OUT("out", "the interpolated quaternions, {b,d,h,4}", .axes = "B,D,H,4"), QUATS_ROW("p"), QUATS_ROW("q"),
    TESS__NEED(TESS_ARG_F64, "t", "position between p (0) and q (1)")
};
static const tess_arg_info random_args[] = {
    TESS__OUT_ALLOCATED("out", "quaternions z, y, x, w, {b,d,h,4}; must be allocated", .sample = "b,d,h,4",
                        .axes = "B,D,H,4"),
    TESS__RANDOM_ARGS,
};
#define SET_ROWS(opts)                                                                                                 \
    TESS__OPT_TEXT(opts, sym, "symmetry of the reference: c4, d2, t, o, i1, i2 [c1]"),                                 \
        TESS__OPT_ARRAY(opts, matrices, const tess_array *, "custom symmetry: rotations {n,1,3,3}", .axes = "n,1,3,3")
static const tess_arg_info distance_args[] = { TESS__OUT("out", "angles in radians, {b,d,h,1}", .axes = "B,D,H,1"),
                                               QUATS_ROW("p"), QUATS_ROW("q"), SET_ROWS(tess_quat_distance_opts) };
static const tess_arg_info reduce_args[] = {
    TESS__OUT("out", "the equivalent quaternions of smallest angle, {b,d,h,4}", .axes = "B,D,H,4"), QUATS_ROW("quats"),
    SET_ROWS(tess_quat_reduce_opts),
    TESS__OPT_RESULT(tess_quat_reduce_opts, which, tess_array *, "receives the index of the symmetry rotation applied",
                     .axes = "B,D,H,1")
};

TESS__CALL(quat_to_matrix, v[0].out, v[1].in)
const tess_function_info tess__info_quat_to_matrix =
    TESS__OP(TESS_CUT_BATCHES, quat_to_matrix, "rotation", "Convert quaternions to rotation matrices.", to_matrix_args);
TESS__CALL(quat_from_matrix, v[0].out, v[1].in)
const tess_function_info tess__info_quat_from_matrix = TESS__OP(
    TESS_CUT_BATCHES, quat_from_matrix, "rotation", "Convert rotation matrices to quaternions.", from_matrix_args);
TESS__CALL(quat_mul, v[0].out, v[1].in, v[2].in)
const tess_function_info tess__info_quat_mul =
    TESS__OP(TESS_CUT_NONE, quat_mul, "rotation", "Multiply quaternions: q acts first, then p.", mul_args);
TESS__CALL(quat_conjugate, v[0].out, v[1].in)
const tess_function_info tess__info_quat_conjugate = TESS__OP(
    TESS_CUT_BATCHES, quat_conjugate, "rotation", "Conjugate quaternions: the inverse rotations.", conjugate_args);
TESS__CALL(quat_slerp, v[0].out, v[1].in, v[2].in, v[3].f64)
const tess_function_info tess__info_quat_slerp = TESS__OP(
    TESS_CUT_NONE, quat_slerp, "rotation", "Interpolate between rotations at constant speed (slerp).", slerp_args);
TESS__CALL(quat_random, v[0].out, v[1].u64, opts)
const tess_function_info tess__info_quat_random = TESS__OP_OPTS(
    TESS_CUT_NONE, quat_random, "rotation", "Uniformly distributed random rotations.", random_args, tess_random_opts);
TESS__CALL(quat_distance, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_quat_distance = TESS__OP_OPTS(
    TESS_CUT_NONE, quat_distance, "rotation", "Angular distance between rotations, smallest under a symmetry.",
    distance_args, tess_quat_distance_opts);
TESS__CALL(quat_reduce, v[0].out, v[1].in, opts)
const tess_function_info tess__info_quat_reduce =
    TESS__OP_OPTS(TESS_CUT_NONE, quat_reduce, "rotation", "Move rotations into the asymmetric unit of a symmetry.",
                  reduce_args, tess_quat_reduce_opts);

static const tess__item_form quat_form = { TESS__ITEM_VECTOR, 1, 4, false },
                             list_form = { TESS__ITEM_VECTOR, 1, 4, true },
                             matrix_form = { TESS__ITEM_MATRIX, 3, 3, false },
                             scalar_form = { TESS__ITEM_SCALAR, 1, 1, false };

/* ---- One at a time ---- */

tess_status tess_quat_normalize(tess_vec4_f64 *out, const tess_vec4_f64 *q)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    char   text[32];
    double largest = 0;
    TESS_TRY(tess__check_pointer("quat_normalize", "out", out));
    TESS_TRY(tess__check_pointer("quat_normalize", "q", q));
    for (int i = 0; i < 4; i++) {
        TESS_CHECK(isfinite(q->at[i]), TESS_ERANGE, "quat_normalize: element %d of q is %s; finite numbers are needed",
                   i, tess__number_text(text, q->at[i]));
        largest = fmax(largest, fabs(q->at[i]));
    }
    TESS_CHECK(largest > 0, TESS_ERANGE, "quat_normalize: `q` is 0; its length must be above 0");
    *out = tess_vec4_normalize_f64(tess_vec4_scale_f64(*q, 1 / largest)); /* squares stay in the range */
    return TESS_OK;
}

tess_status tess__unit_quat(tess_vec4_f64 *q, const char *fn, const char *arg, int64_t i)
{
    char text[4][32];
    bool good = q->at[0] != 0 || q->at[1] != 0 || q->at[2] != 0 || q->at[3] != 0;
    for (int k = 0; k < 4; k++) good = good && isfinite(q->at[k]);
    TESS_CHECK(good, TESS_ERANGE,
               "%s: quaternion %" PRId64 " of `%s` is (%s, %s, %s, %s); finite numbers, not all 0, are needed", fn, i,
               arg, tess__number_text(text[0], q->at[0]), tess__number_text(text[1], q->at[1]),
               tess__number_text(text[2], q->at[2]), tess__number_text(text[3], q->at[3]));
    TESS_TRY(tess_quat_normalize(q, q));
    return TESS_OK;
}

/* ---- Arrays ---- */

tess_status tess_quat_to_matrix(tess_array *out, const tess_array *quats)
{
    static const tess__item_map map = TESS__ITEM_MAP("quat_to_matrix", quat_to_matrix, 50, 0);
    TESS__FLOAT_SCOPE();
    TESS_TRY(tess__items_apply(&(tess__item_call){
        .map = &map, .out = out, .out_form = matrix_form, .in = { { "quats", quats, list_form } }, .n = 1 }));
    return TESS_OK;
}

tess_status tess_quat_from_matrix(tess_array *out, const tess_array *matrices)
{
    static const tess__item_map map = TESS__ITEM_MAP("quat_from_matrix", quat_from_matrix, 50, 0);
    TESS__FLOAT_SCOPE();
    TESS_TRY(tess__items_apply(&(tess__item_call){
        .map = &map, .out = out, .out_form = list_form, .in = { { "matrices", matrices, matrix_form } }, .n = 1 }));
    return TESS_OK;
}

tess_status tess_quat_mul(tess_array *out, const tess_array *p, const tess_array *q)
{
    static const tess__item_map map = TESS__ITEM_MAP("quat_mul", quat_mul, 50, 0);
    TESS__FLOAT_SCOPE();
    TESS_TRY(tess__items_apply(&(tess__item_call){ .map = &map,
                                                   .out = out,
                                                   .out_form = quat_form,
                                                   .in = { { "p", p, quat_form }, { "q", q, quat_form } },
                                                   .n = 2,
                                                   .exact = true }));
    return TESS_OK;
}

tess_status tess_quat_conjugate(tess_array *out, const tess_array *quats)
{
    static const tess__item_map map = TESS__ITEM_MAP("quat_conjugate", quat_conjugate, 10, 0);
    TESS__FLOAT_SCOPE();
    TESS_TRY(tess__items_apply(&(tess__item_call){ .map = &map,
                                                   .out = out,
                                                   .out_form = quat_form,
                                                   .in = { { "quats", quats, quat_form } },
                                                   .n = 1,
                                                   .exact = true }));
    return TESS_OK;
}

tess_status tess_quat_slerp(tess_array *out, const tess_array *p, const tess_array *q, double t)
{
    static const tess__item_map map = TESS__ITEM_MAP("quat_slerp", quat_slerp, 200, 1);
    char                        text[32];
    TESS__FLOAT_SCOPE();
    TESS_CHECK(isfinite(t), TESS_ERANGE, "quat_slerp: `t` is %s; a finite number is needed",
               tess__number_text(text, t));
    TESS_TRY(tess__items_apply(&(tess__item_call){ .map = &map,
                                                   .out = out,
                                                   .out_form = quat_form,
                                                   .in = { { "p", p, quat_form }, { "q", q, quat_form } },
                                                   .n = 2,
                                                   .values = { .numbers = &t },
                                                   .exact = true }));
    return TESS_OK;
}

/* ---- Random rotations ---- */

/* The direction of four normal numbers is evenly distributed over the sphere of quaternions. They are made in the order
 * of items, as rows of one long list, and laid over the shape of the items. */
static tess_status random_rotations(const tess__items *out, uint64_t seed, const tess_random_opts *o)
{
    static const tess__item_map map = TESS__ITEM_MAP("quat_random", quat_direction, 50, 0);
    const tess_shape            shape = out->first.shape;
    tess_array                  normals = { .data = NULL };
    tess_random_opts            numbers = *o;
    tess_status                 status = TESS_OK;
    numbers.offset *= 4;
    const tess_shape list = TESS_SHAPE(1, 1, shape.b * shape.d * shape.h * shape.w, 4);
    TESS_TRY(tess__make("quat_random", &normals, list, TESS_F64, out->first.device, false));
    TESS_GOTO(done, status, tess_random_normal(&normals, 0, 1, seed, &numbers));
    tess__items in = { .arg = "out", .first = normals, .rows = 1, .columns = 4, .column_step = 1 };
    in.first.shape = shape;
    in.first.strides = tess_strides_contiguous(shape, 'C');
    for (int k = 0; k < 4; k++) in.first.strides.dim[k] *= 4;
    const tess__items *inputs[] = { &in };
    TESS_GOTO(done, status, tess__items_run(&map, out, inputs, 1, (tess__item_values){ .set = NULL }));
done:
    tess_release(&normals);
    return status;
}

tess_status tess_quat_random(tess_array *out, uint64_t seed, const tess_random_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_random_opts o;
    tess__items      items;
    TESS_TRY(tess__resolve(&tess__info_quat_random, opts, &o));
    TESS_TRY(tess__check_writable("quat_random", "out", out));
    TESS_CHECK(o.offset <= UINT64_C(1) << 60, TESS_ERANGE,
               "quat_random: `opts->offset` is above 2^60; 0 to 2^60 are allowed");
    const tess_dtype real = tess_dtype_real(out->dtype);
    TESS_CHECK((real == TESS_F32 || real == TESS_F64) && tess_dtype_kind(out->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "quat_random: `out` is %s; f32, f64, vec4_f32 or vec4_f64 is needed", tess_dtype_name(out->dtype));
    TESS_TRY(tess__items_of(&items, "quat_random", "out", out, quat_form));
    if (tess__has_elements(&items.first))
        TESS_TRY(tess__error_under(random_rotations(&items, seed, &o), "quat_random"));
    return TESS_OK;
}

/* ---- Under a symmetry ---- */

static tess_device device_of(const tess_array *a) { return a && a->data ? a->device : tess_cpu(); }

tess_status tess_quat_distance(tess_array *out, const tess_array *p, const tess_array *q,
                               const tess_quat_distance_opts *opts)
{
    static const tess__item_map map = TESS__ITEM_MAP("quat_distance", quat_distance, 1000, 4);
    TESS__FLOAT_SCOPE();
    tess_quat_distance_opts o;
    tess_array              set = { .data = NULL };
    TESS_TRY(tess__resolve(&tess__info_quat_distance, opts, &o));
    TESS_TRY(tess__symmetry_quats(&set, NULL, "quat_distance", o.sym, o.matrices, device_of(p)));
    const tess_status status =
        tess__items_apply(&(tess__item_call){ .map = &map,
                                              .out = out,
                                              .out_form = scalar_form,
                                              .in = { { "p", p, quat_form }, { "q", q, quat_form } },
                                              .n = 2,
                                              .values = { .set = &set } });
    tess_release(&set);
    return status;
}

/* A set of rotations, of which the identity and number 0 were exchanged. */
typedef struct group {
    tess_array quats;
    int64_t    exchanged; /* where the caller has the identity */
} group;

/* clang-format off */
TESS_EWISE(exchange_back, (in(i64,i), val(i64,with), out(i64,z)),
    z = i == 0 ? with : i == with ? 0 : i; )
/* clang-format on */

/* Which rotation was taken, for each item: a new array of i64 of their shape. */
static tess_status find_which(tess_array *which, const tess__items *in, const group *set)
{
    static const tess__item_map map = TESS__ITEM_MAP("quat_reduce", quat_which, 1000, 4);
    const tess__items          *inputs[] = { in };
    TESS_TRY(tess__make("quat_reduce", which, in->first.shape, TESS_I64, in->first.device, false));
    const tess__items out = { .arg = "opts->which", .first = *which, .rows = 1, .columns = 1 };
    TESS_TRY(tess__items_run(&map, &out, inputs, 1, (tess__item_values){ .set = &set->quats }));
    if (set->exchanged && tess__has_elements(which)) TESS_TRY(tess_call(&exchange_back, which, set->exchanged, which));
    return TESS_OK;
}

/* Both results are computed before the first output is written, but for the last step of each. */
static tess_status run_reduce(const tess__items *out, const tess__items *in, tess_array *which, const group *set)
{
    static const tess__item_map map = TESS__ITEM_MAP("quat_reduce", quat_reduce, 1000, 4);
    const tess__items          *inputs[] = { in };
    tess_array                  found = { .data = NULL };
    tess_status                 status = TESS_OK;
    if (which) TESS_GOTO(done, status, find_which(&found, in, set));
    TESS_GOTO(done, status, tess__items_run(&map, out, inputs, 1, (tess__item_values){ .set = &set->quats }));
    if (which) TESS_GOTO(done, status, tess_copy(which, &found));
done:
    tess_release(&found);
    return status;
}

static tess_status reduce(tess_array *out, const tess_array *quats, const tess_quat_reduce_opts *o, const group *set)
{
    const char        *fn = "quat_reduce";
    tess__items        in = { .arg = NULL }, to;
    const tess__items *inputs[] = { &in };
    tess__outputs      which = { .fn = fn };
    tess_status        status = TESS_OK;
    const bool         made = out && tess__is_empty_out(out);
    TESS_GOTO(done, status, tess__items_of(&in, fn, "quats", quats, quat_form));
    TESS_GOTO(done, status, tess__check_apart(fn, "out", out, "opts->matrices", o->matrices));
    TESS_GOTO(done, status, tess__check_apart(fn, "opts->which", o->which, "out", made ? NULL : out));
    tess__wants(&which, "opts->which", o->which, in.first.shape, TESS_I64, in.first.device);
    tess__reads(&which, "quats", quats);
    tess__reads(&which, "opts->matrices", o->matrices);
    tess__reads(&which, "out", out);
    TESS_GOTO(done, status, tess__outputs_check(&which));
    TESS_GOTO(done, status, tess__items_output(&to, fn, out, quat_form, inputs, 1));
    TESS_GOTO(done, status, tess__items_check(fn, &to, out, &in, quats, false));
    TESS_GOTO(done, status, tess__outputs_take(&which));
    TESS_GOTO(done, status, run_reduce(&to, &in, o->which, set));
done:
    tess__items_end(&in);
    (void)tess__outputs_end(&which, status);
    return made ? tess__finish(status, out, true) : status;
}

tess_status tess_quat_reduce(tess_array *out, const tess_array *quats, const tess_quat_reduce_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_quat_reduce_opts o;
    group                 set = { .quats = { .data = NULL } };
    TESS_TRY(tess__resolve(&tess__info_quat_reduce, opts, &o));
    TESS_TRY(tess__symmetry_quats(&set.quats, &set.exchanged, "quat_reduce", o.sym, o.matrices, device_of(quats)));
    const tess_status status = reduce(out, quats, &o, &set);
    tess_release(&set.quats);
    return tess__error_under(status, "quat_reduce");
}
