/* Affine transforms of images and volumes by matrices: descriptions, checks, request. */
#include "ops/geometry/sampling/transform.h"

#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/geometry/sampling/prefilter.h"
#include "ops/arrays/centre.h"
#include "tessera/device.h"

/* ---- Descriptions ---- */

const tess_choice tess__interps[] = {
#define TESS__INTERP(name, NAME, short_name, taps, cost, help) { #name, TESS_INTERP_##NAME, help },
#define TESS__INTERP_ALIAS(name, NAME) { #name, TESS_INTERP_##NAME, NULL },
#include "tessera/math/interps.def"
    { NULL, 0, NULL },
};

#define NUMBER(field, unit, help) TESS__OPT_F64(tess_transform_opts, field, unit, 0, -DBL_MAX, DBL_MAX, help)
#define OPTIONS                                                                                                        \
    TESS__INTERP_ROW(tess_transform_opts), TESS__OUTSIDE_ROWS(tess_transform_opts),                                    \
        TESS__FLAG(tess_transform_opts, forward, "matrices map input to output and are inverted first"),               \
        TESS__FLAG(tess_transform_opts, centred, "matrices act about the centres of input and output"),                \
        TESS__PREFILTER_ROWS(tess_transform_opts), TESS__OUTSIDE_VALUE_ROWS(tess_transform_opts),                      \
        NUMBER(centre_d, "pixels", "point about which matrices act, along d"),                                         \
        NUMBER(centre_h, "pixels", "point about which matrices act, along h"),                                         \
        NUMBER(centre_w, "pixels", "point about which matrices act, along w"),                                         \
        NUMBER(shift_d, "pixels", "shift applied last, along d"),                                                      \
        NUMBER(shift_h, "pixels", "shift applied last, along h"),                                                      \
        NUMBER(shift_w, "pixels", "shift applied last, along w"),                                                      \
        TESS__OPT_SHAPE(tess_transform_opts, shape, "shape of the result")
static const tess_arg_info args_2d[] = {
    TESS__OUT("out", "the transformed images; any strides", .axes = "B,1,h,w"),
    TESS__IN("in", "images {n,1,h,w}", .axes = "B,1,h,w"),
    TESS__IN("matrices", "matrices from output to input, on y, x: {n,1,2,3}, {n,1,3,3} or {n,1,2,2}",
             .sample = "b,1,2,3", .axes = "B,1,r,c"),
    OPTIONS,
};
static const tess_arg_info args_3d[] = {
    TESS__OUT("out", "the transformed volumes; any strides", .axes = "B,d,h,w"),
    TESS__IN("in", "volumes {n,d,h,w}", .sample = "b,3,h,w", .axes = "B,d,h,w"),
    TESS__IN("matrices", "matrices from output to input, on z, y, x: {n,1,3,4}, {n,1,4,4} or {n,1,3,3}",
             .sample = "b,1,3,4", .axes = "B,1,r,c"),
    OPTIONS,
};
TESS__CALL(transform_2d, v[0].out, v[1].in, v[2].in, opts)
TESS__CALL(transform_3d, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_transform_2d = TESS__OP_OPTS(
    TESS_CUT_NONE, transform_2d, "transform", "Transform images by affine matrices.", args_2d, tess_transform_opts);
const tess_function_info tess__info_transform_3d = TESS__OP_OPTS(
    TESS_CUT_NONE, transform_3d, "transform", "Transform volumes by affine matrices.", args_3d, tess_transform_opts);

/* ---- What all transforms share ---- */

tess_dtype tess__transform_dtype(tess_dtype in) { return tess__half_to_single(tess__float_of(in)); }

tess_status tess__transform_sampling(tess__transform *work, const tess_array *out, const tess_array *in,
                                     const tess_resample_opts *o)
{
    const char *fn = work->name;
    char        text[32];
    work->interp = o->interp;
    work->border = o->border;
    TESS_TRY(tess__check_border(fn, out, o->border, o->value, o->value_imag));
    TESS_CHECK(o->value_imag == 0 || tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `opts->value_imag` is %s, but in is %s; complex elements are needed", fn,
               tess__number_text(text, o->value_imag), tess_dtype_name(in->dtype));
    TESS_TRY(tess__check_prefilter(fn, o->prefilter, o->interp));
    work->outside[0] = o->value;
    work->outside[1] = o->value_imag;
    return TESS_OK;
}

static tess_status run(tess__transform *work, bool prefilter, const tess_array *out, const tess_array *in,
                       const tess_array *matrices)
{
    const tess__prefilter like = { .name = work->name,
                                   .border = work->border,
                                   .value = { work->outside[0], work->outside[1] } };
    tess_array            there = { .data = NULL }, converted = { .data = NULL }, held = { .data = NULL };
    tess_status           status = TESS_OK;
    work->matrices = *matrices;
    if (!tess__same_device(matrices->device, out->device)) {
        TESS_GOTO(done, status, tess_to_device(&there, matrices, out->device));
        work->matrices = there;
    }
    TESS_GOTO(done, status, tess__hold(&held, work->name, &in));
    TESS_GOTO(done, status, tess__prefilter_input(&converted, &like, &in, out->dtype, prefilter, work->dims));
    work->in = *in;
    work->out = *out;
    TESS_GOTO(done, status, tess__transform_run(work));
done:
    tess_release(&there);
    tess_release(&converted);
    tess_release(&held);
    return status;
}

/* Nothing can be made of an input without elements but nothing. */
static tess_status check_elements(const char *fn, const tess_array *in, tess_shape shape)
{
    char       text[2][TESS__SHAPE_TEXT];
    const bool any = shape.b > 0 && shape.d > 0 && shape.h > 0 && shape.w > 0;
    TESS_CHECK(tess__has_elements(in) || !any, TESS_ESHAPE,
               "%s: `in` has shape %s and the result %s; `in` must not be empty", fn,
               tess__shape_text(text[0], in->shape.dim), tess__shape_text(text[1], shape.dim));
    return TESS_OK;
}

tess_status tess__transform_finish(tess__transform *work, const tess_resample_opts *o, tess_array *out,
                                   const tess_array *in, const tess_array *matrices, tess_shape shape)
{
    const bool made = tess__is_empty_out(out);
    TESS_TRY(check_elements(work->name, in, shape));
    TESS_TRY(tess__output(work->name, out, shape, tess__transform_dtype(in->dtype), in->device));
    if (!made) TESS_TRY(tess__check_overlap(work->name, out, "in", in, false));
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_TRY(tess__finish(run(work, o->prefilter, out, in, matrices), out, made));
    return TESS_OK;
}

/* ---- By matrices ---- */

/* An input of images or of volumes. */
static tess_status check_input(const char *fn, const tess_array *in, int dims)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, "in", in));
    if (dims == 2)
        TESS_CHECK(in->shape.d <= 1, TESS_ESHAPE, "%s: `in` is a volume of shape %s; images {n,1,h,w} are needed", fn,
                   tess__shape_text(text, in->shape.dim));
    else
        TESS_CHECK(in->shape.d != 1, TESS_ESHAPE,
                   "%s: `in` is an image of shape %s; volumes {n,d,h,w} with d above 1 are needed", fn,
                   tess__shape_text(text, in->shape.dim));
    return TESS_OK;
}

/* The shape of the result, to whose batches those of the input and of n matrices fit. */
static tess_status result_shape(tess_shape *shape, const tess__transform *work, const tess_array *out,
                                const tess_array *in, int64_t n, tess_shape wanted)
{
    const char *fn = work->name;
    char        text[TESS__SHAPE_TEXT];
    const char *result = tess__is_empty_out(out) ? "the result" : "out";
    if (tess__is_empty_out(out)) {
        *shape = wanted;
        if (shape->b == 0) shape->b = in->shape.b == 1 ? n : in->shape.b;
        for (int k = 1; k < 4; k++)
            if (shape->dim[k] == 0) shape->dim[k] = in->shape.dim[k];
    } else {
        *shape = out->shape;
    }
    TESS_CHECK(work->dims == 3 || shape->d == 1 || shape->d == in->shape.d, TESS_ESHAPE,
               "%s: %s has shape %s; images {n,1,h,w} are needed", fn, result, tess__shape_text(text, shape->dim));
    TESS_CHECK(in->shape.b == 1 || in->shape.b == shape->b, TESS_ESHAPE,
               "%s: `in` has %" PRId64 " batches and %s %" PRId64 "; `in` must have one batch or the same number", fn,
               in->shape.b, result, shape->b);
    TESS_CHECK(n == 1 || n == shape->b, TESS_ESHAPE,
               "%s: there are %" PRId64 " matrices and %s has %" PRId64
               " batches; one matrix, or one per batch, is needed",
               fn, n, result, shape->b);
    return TESS_OK;
}

/* The points that matrices take to each other: what is before the shift. */
static tess_status set_origins(tess__transform *work, const tess_transform_opts *o, const tess_array *in,
                               tess_shape shape)
{
    const double centre[3] = { o->centre_d, o->centre_h, o->centre_w };
    const double shift[3] = { o->shift_d, o->shift_h, o->shift_w };
    const bool   given = centre[0] != 0 || centre[1] != 0 || centre[2] != 0;
    TESS_CHECK(!o->centred || !given, TESS_EARG,
               "%s: `opts->centred` is 1 and `opts->centre` is %g, %g, %g; give only one of them", work->name,
               centre[0], centre[1], centre[2]);
    TESS_CHECK(work->dims == 3 || (centre[0] == 0 && shift[0] == 0), TESS_EARG,
               "%s: `opts->%s_d` is %g; it must be 0 for images", work->name, centre[0] != 0 ? "centre" : "shift",
               centre[0] != 0 ? centre[0] : shift[0]);
    for (int k = 0; k < 3; k++) {
        work->to[k] = o->centred ? tess__centre(in->shape.dim[k + 1], 0) : centre[k];
        work->from[k] = (o->centred ? tess__centre(shape.dim[k + 1], 0) : centre[k]) + shift[k];
    }
    return TESS_OK;
}

static tess_status check_matrices(const char *fn, const tess_array *out, const tess_array *in,
                                  const tess_array *matrices)
{
    TESS_TRY(tess__check_array(fn, "matrices", matrices));
    if (matrices->device.kind != TESS_CPU) TESS_TRY(tess__check_device_of(fn, "in", in, "matrices", matrices));
    if (!tess__is_empty_out(out)) TESS_TRY(tess__check_overlap(fn, out, "matrices", matrices, false));
    return TESS_OK;
}

static tess_status transform(tess__transform *work, tess_array *out, const tess_array *in, const tess_array *matrices,
                             const tess_transform_opts *o)
{
    const char              *fn = work->name;
    const tess_resample_opts sampling = { .interp = o->interp,
                                          .border = o->border,
                                          .prefilter = o->prefilter,
                                          .value = o->value,
                                          .value_imag = o->value_imag };
    tess_array               rows = { .data = NULL };
    tess_shape               shape;
    tess_status              status = TESS_OK;
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_input(fn, in, work->dims));
    TESS_TRY(check_matrices(fn, out, in, matrices));
    TESS_TRY(tess__transform_sampling(work, out, in, &sampling));
    TESS_TRY(tess__transform_rows(&rows, fn, matrices, work->dims));
    TESS_GOTO(done, status, result_shape(&shape, work, out, in, rows.shape.b, o->shape));
    TESS_GOTO(done, status, set_origins(work, o, in, shape));
    if (o->forward) TESS_GOTO(done, status, tess__transform_invert(&rows, fn, work->dims));
    TESS_GOTO(done, status, tess__transform_finish(work, &sampling, out, in, &rows, shape));
done:
    tess_release(&rows);
    return status;
}

tess_status tess_transform_2d(tess_array *out, const tess_array *in, const tess_array *matrices,
                              const tess_transform_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_transform_opts o;
    tess__transform     work = { .name = "transform_2d", .dims = 2 };
    TESS_TRY(tess__resolve(&tess__info_transform_2d, opts, &o));
    TESS_TRY(transform(&work, out, in, matrices, &o));
    return TESS_OK;
}

tess_status tess_transform_3d(tess_array *out, const tess_array *in, const tess_array *matrices,
                              const tess_transform_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_transform_opts o;
    tess__transform     work = { .name = "transform_3d", .dims = 3 };
    TESS_TRY(tess__resolve(&tess__info_transform_3d, opts, &o));
    TESS_TRY(transform(&work, out, in, matrices, &o));
    return TESS_OK;
}
