/* Insertion of sub-regions (patches): written into an array, or added to it. */
#include <stddef.h>
#include <string.h>

#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/resize/extract.h"
#include "tessera/resize.h"

static const tess_arg_info args[] = {
    TESS__OUT_KEPT("out", "allocated array to insert them into"),
    TESS__IN("in", "the sub-regions {n,d,h,w}", .sample = "b,1,2,2", .axes = "n,d,h,w"),
    TESS__IN_TABLE("origins",
                   "integers {n,1,1,k}: position of the first element of each, as h, w or d, h, w or b, d, h, w",
                   .sample = "b,1,1,2 index", .axes = "n,1,1,k"),
    TESS__FLAG(tess_insert_opts, add, "add the sub-regions to the array instead of overwriting it"),
    TESS__OPT_I32(tess_insert_opts, unused, "", 0, 0, 0, "must be 0"),
    TESS__OPT_ARRAY(tess_insert_opts, weights, const tess_array *, "with add: factor for each sub-region"),
    TESS__OPT_ARRAY(tess_insert_opts, weight_sums, tess_array *, "with add: array that the weights are added to"),
};
TESS__CALL(insert, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_insert = TESS__OP_OPTS(
    TESS_CUT_NONE, insert, "resize", "Insert sub-regions into an array, in order.", args, tess_insert_opts);

/* ---- Checks ---- */

/* `a` and `b`, both written or one of them, share no memory. */
static tess_status check_disjoint(const char *name, const tess_array *a, const char *other, const tess_array *b)
{
    char text[2][TESS__SHAPE_TEXT];
    if (!b || tess__disjoint(a, b) || !tess_overlap(a, b)) return TESS_OK;
    TESS_FAIL(TESS_EALIAS, "insert: `%s` (shape %s) shares memory with `%s` (shape %s); use other memory", name,
              tess__shape_text(text[0], a->shape.dim), other, tess__shape_text(text[1], b->shape.dim));
}

static tess_status check_arrays(const tess_array *out, const tess_array *in, const tess_array *origins)
{
    TESS_TRY(tess__check_writable("insert", "out", out));
    TESS_TRY(tess__check_array("insert", "in", in));
    TESS_CHECK(in->dtype == out->dtype, TESS_EDTYPE, "insert: `in` is %s and `out` is %s; the same dtype is needed",
               tess_dtype_name(in->dtype), tess_dtype_name(out->dtype));
    TESS_TRY(tess__check_origins("insert", origins, in->shape.b, "out", out));
    if (!(in->flags & TESS_SCALAR)) TESS_TRY(tess__check_same_device("insert", out, "in", in));
    TESS_TRY(check_disjoint("out", out, "in", in));
    TESS_TRY(check_disjoint("out", out, "origins", origins));
    return TESS_OK;
}

/* A real array, for weights. */
static tess_status check_real(const char *arg, const tess_array *a)
{
    TESS_TRY(tess__check_numbers("insert", arg, a));
    TESS_CHECK(tess_dtype_kind(a->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE, "insert: `%s` is %s; a real type is needed",
               arg, tess_dtype_name(a->dtype));
    return TESS_OK;
}

static tess_status check_weights(const tess_array *out, const tess_array *in, const tess_array *weights)
{
    TESS_TRY(check_real("opts->weights", weights));
    TESS_TRY(tess__check_broadcast("insert", "opts->weights", weights, "in", &in->shape));
    if (weights->flags & TESS_SCALAR) return TESS_OK;
    TESS_TRY(tess__check_same_device("insert", out, "opts->weights", weights));
    TESS_TRY(check_disjoint("out", out, "opts->weights", weights));
    return TESS_OK;
}

static tess_status check_weight_sums(const tess_array *out, const tess_array *in, const tess_array *origins,
                                     const tess_insert_opts *o)
{
    char              text[2][TESS__SHAPE_TEXT];
    const tess_array *sums = o->weight_sums;
    TESS_TRY(check_real("opts->weight_sums", sums));
    TESS_TRY(tess__check_writable("insert", "opts->weight_sums", sums));
    TESS_CHECK(memcmp(&sums->shape, &out->shape, sizeof sums->shape) == 0, TESS_ESHAPE,
               "insert: `opts->weight_sums` has shape %s; it must have the shape of out, %s",
               tess__shape_text(text[0], sums->shape.dim), tess__shape_text(text[1], out->shape.dim));
    TESS_TRY(tess__check_same_device("insert", out, "opts->weight_sums", sums));
    TESS_TRY(check_disjoint("opts->weight_sums", sums, "out", out));
    TESS_TRY(check_disjoint("opts->weight_sums", sums, "in", in));
    TESS_TRY(check_disjoint("opts->weight_sums", sums, "origins", origins));
    TESS_TRY(check_disjoint("opts->weight_sums", sums, "opts->weights", o->weights));
    return TESS_OK;
}

static tess_status check_options(const tess_array *out, const tess_array *in, const tess_array *origins,
                                 const tess_insert_opts *o)
{
    TESS_CHECK(o->add || !(o->weights || o->weight_sums), TESS_EARG,
               "insert: `opts->%s` is given and `opts->add` is 0; weights need `opts->add` to be 1",
               o->weights ? "weights" : "weight_sums");
    if (o->add) TESS_TRY(tess__check_numbers("insert", "in", in));
    if (o->weights) TESS_TRY(check_weights(out, in, o->weights));
    if (o->weight_sums) TESS_TRY(check_weight_sums(out, in, origins, o));
    return TESS_OK;
}

/* ---- The work ---- */

/* A sum of `a`, b and, if there is one, c, as tess_add and tess_fma compute it; stored as a, b, c and a again. */
static void set_sum(tess__apply *o, tess_dtype a, const tess_array *b, const tess_array *c)
{
    const tess_array        target = { .dtype = a };
    const tess_array *const inputs[3] = { &target, b, c };
    const tess_dtype        common = tess__promote_all(inputs, c ? 3 : 2);
    memset(o, 0, sizeof *o);
    o->op = c ? TESS__OP_fma : TESS__OP_add;
    o->kernel = common == TESS_F16 ? TESS_F32 : common == TESS_BOOL ? TESS_U8 : common;
    o->cost = 0.1f;
    for (int k = 0; k < 4; k++) o->wanted[k] = o->kernel;
    o->stored[0] = o->stored[c ? 3 : 2] = a;
    o->stored[1] = b->dtype;
    if (c) o->stored[2] = c->dtype;
}

/* Weights in the shape of the sub-regions, with strides of 0 where they are broadcast. */
static tess_array broadcast_weights(const tess_array *weights, tess_shape shape)
{
    tess_array a = *weights;
    for (int k = 0; k < 4; k++)
        if (a.shape.dim[k] == 1) a.strides.dim[k] = 0;
    a.shape = shape;
    return a;
}

static tess_status run(const tess_array *out, const tess_array *in, const tess_array *origins,
                       const tess_array *weights, const tess_array *weight_sums, bool add)
{
    const tess_array real = { .dtype = tess_dtype_real(in->dtype) };
    tess__insert     work = { .name = "insert", .out = *out, .in = *in, .origins = *origins, .add = add };
    if (weights) work.weights = broadcast_weights(weights, in->shape);
    if (weight_sums) work.weight_sums = *weight_sums;
    if (add) set_sum(&work.sum, real.dtype, &real, weights);
    if (weight_sums) {
        const tess_array one = { .dtype = weight_sums->dtype };
        set_sum(&work.weights_sum, weight_sums->dtype, weights ? weights : &one, NULL);
        work.weights_sum.scalar[1] = !weights;
        const double number = 1;
        TESS_TRY(tess__convert(work.weights_sum.value[1], work.weights_sum.wanted[1], &number, TESS_F64));
    }
    TESS_TRY(tess__insert_run(&work));
    return TESS_OK;
}

tess_status tess_insert(tess_array *out, const tess_array *in, const tess_array *origins, const tess_insert_opts *opts)
{
    tess_insert_opts o;
    TESS_TRY(tess__resolve(&tess__info_insert, opts, &o));
    TESS_TRY(check_arrays(out, in, origins));
    TESS_TRY(check_options(out, in, origins, &o));
    if (!tess__has_elements(out) || !tess__has_elements(in)) return TESS_OK;
    const tess_array *weights = o.weights;
    tess_array        held[3] = { { .data = NULL } };
    tess_status       status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held[0], "insert", &in));
    TESS_GOTO(done, status, tess__hold(&held[1], "insert", &weights));
    TESS_GOTO(done, status, tess__hold(&held[2], "insert", &origins));
    TESS_GOTO(done, status, run(out, in, origins, weights, o.weight_sums, o.add));
done:
    for (int k = 0; k < 3; k++) tess_release(&held[k]);
    return status;
}
