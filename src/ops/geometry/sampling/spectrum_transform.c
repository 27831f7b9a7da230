/* Spectra through linear matrices: description, checks, request. */
#include <inttypes.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/geometry/slices/slices.h"
#include "tessera/spectrum_transform.h"

#define OPTIONS(order_, axes_)                                                                                         \
    TESS__OPT_ROWS(tess_transform_spectrum_opts, shifts, "shifts applied after the rotation, pixels: " order_,         \
                   .axes = (axes_)),                                                                                   \
        TESS__OPT_F64(tess_transform_spectrum_opts, cutoff, "cycles per pixel", 0.5, 0, 10, "highest frequency kept"), \
        TESS__OPT_CHOICE(tess_transform_spectrum_opts, interp, TESS_INTERP_LINEAR, tess__interps,                      \
                         "interpolation between coefficients"),                                                        \
        TESS__OPT_CHOICE(tess_transform_spectrum_opts, from, TESS_FFT_H, tess__fft_layouts, "layout of in"),           \
        TESS__OPT_CHOICE(tess_transform_spectrum_opts, to, 0, tess__fft_layouts, "layout of out; 0: that of in")
static const tess_arg_info args_2d[] = {
    TESS__OUT("out", "the transformed spectra; any strides", .axes = "B,1,h,w"),
    TESS__IN("in", "spectra of images, n or 1", .sample = TESS__HALF_SPECTRUM, .axes = "B,1,h,w"),
    TESS__NEED(TESS_ARG_SHAPE, "shape", "logical shape of out, {n,1,h,w}"),
    TESS__IN("matrices", "matrices from output to input, on y, x: {n,1,2,2}", .sample = "b,1,2,2", .axes = "B,1,2,2"),
    OPTIONS("(h, w)", "B,1,1,2"),
};
static const tess_arg_info args_3d[] = {
    TESS__OUT("out", "the transformed spectra; any strides", .axes = "B,d,h,w"),
    TESS__IN("in", "spectra of volumes, n or 1", .sample = TESS__HALF_SPECTRUM, .axes = "B,d,h,w"),
    TESS__NEED(TESS_ARG_SHAPE, "shape", "logical shape of out, {n,d,h,w}"),
    TESS__IN("matrices", "rotations from output to input, on z, y, x: {n,1,3,3}, or quaternions {n,1,1,4}",
             .sample = "b,1,3,3", .axes = "B,1,1,4|B,1,3,3"),
    OPTIONS("(d, h, w)", "B,1,1,3"),
};
TESS__CALL(transform_spectrum_2d, v[0].out, v[1].in, v[2].shape, v[3].in, opts)
TESS__CALL(transform_spectrum_3d, v[0].out, v[1].in, v[2].shape, v[3].in, opts)
const tess_function_info tess__info_transform_spectrum_2d =
    TESS__OP_OPTS(TESS_CUT_NONE, transform_spectrum_2d, "spectrum_transform",
                  "Rotate or linearly transform spectra of images.", args_2d, tess_transform_spectrum_opts);
const tess_function_info tess__info_transform_spectrum_3d =
    TESS__OP_OPTS(TESS_CUT_NONE, transform_spectrum_3d, "spectrum_transform",
                  "Rotate or linearly transform spectra of volumes.", args_3d, tess_transform_spectrum_opts);

/* A call, and what was made for it. */
typedef struct transform {
    const char                  *fn;
    const tess_array            *in, *matrices;
    tess_shape                   shape;
    tess_transform_spectrum_opts o;
    tess_array                   small, rotations, shifts;
    tess__spectrum_sample        work;
} transform;

/* ---- Matrices and shifts ---- */

/* Rows and columns from the first on, of 3 x 3 or of 3 numbers. */
static tess_array tail_of(const tess_array *a, int64_t first_row, int64_t first_column)
{
    tess_array view = *a;
    view.data = (double *)a->data + first_row * a->strides.h + first_column * a->strides.w;
    view.shape.h -= first_row;
    view.shape.w -= first_column;
    return view;
}

/* 2 x 2 matrices of y and x as 3 x 3 ones that leave z. */
static tess_status widen(transform *t)
{
    const int64_t n = t->small.shape.b;
    TESS_TRY(tess__make(t->fn, &t->rotations, TESS_SHAPE(n, 1, 3, 3), TESS_F64, t->small.device, true));
    tess_array corner = t->rotations, rest = tail_of(&t->rotations, 1, 1);
    corner.shape = TESS_SHAPE(n, 1, 1, 1);
    TESS_TRY(tess_fill(&corner, 1));
    TESS_TRY(tess_copy(&rest, &t->small));
    return TESS_OK;
}

static tess_status take_matrices(transform *t)
{
    const tess__slice_parts parts = { t->fn, "matrices", t->matrices, "batches", t->shape.b };
    TESS_TRY(tess__check_device_of(t->fn, "in", t->in, "matrices", t->matrices));
    if (t->work.dims == 3) {
        TESS_TRY(tess__slice_rotations(&t->rotations, &parts));
        return TESS_OK;
    }
    TESS_TRY(tess__slice_matrices(&t->small, &parts, 2));
    TESS_TRY(widen(t));
    return TESS_OK;
}

static tess_status take_shifts(transform *t)
{
    char              text[TESS__SHAPE_TEXT];
    const tess_array *s = t->o.shifts;
    const int         m = t->work.dims;
    if (!s) return TESS_OK;
    TESS_TRY(tess__check_numbers(t->fn, "opts->shifts", s));
    TESS_TRY(tess__check_ordered(t->fn, "opts->shifts", s->dtype));
    TESS_CHECK((s->shape.b == 1 || s->shape.b == t->shape.b) && s->shape.d == 1 && s->shape.h == 1 && s->shape.w == m,
               TESS_ESHAPE, "%s: `opts->shifts` is %s; {1,1,1,%d} or {%" PRId64 ",1,1,%d} is needed", t->fn,
               tess__shape_text(text, s->shape.dim), m, t->shape.b, m);
    TESS_TRY(tess__check_device_of(t->fn, "in", t->in, "opts->shifts", s));
    TESS_TRY(tess__make(t->fn, &t->shifts, TESS_SHAPE(s->shape.b, 1, 1, 3), TESS_F64, t->in->device, true));
    tess_array last = tail_of(&t->shifts, 0, 3 - m);
    TESS_TRY(tess_cast(&last, s, TESS_F64, NULL));
    return TESS_OK;
}

/* ---- The transform ---- */

static tess_status check(transform *t, tess_array *out)
{
    char                    text[TESS__SHAPE_TEXT];
    const tess_array       *in = t->in;
    tess_shape              one = t->shape;
    const tess__fft_variant wanted = { "shape", t->shape, "opts->to", t->o.to, .any_b = false };
    one.b = in->shape.b;
    const tess__fft_variant given = { "shape", one, "opts->from", t->o.from, .any_b = false };
    if (t->work.dims == 2) TESS_TRY(tess__slice_check_images(t->fn, "shape", t->shape));
    TESS_TRY(tess__slice_check_dtype(t->fn, "in", in));
    TESS_TRY(tess__check_spectrum(t->fn, "in", in, given));
    TESS_CHECK(one.b == 1 || one.b == t->shape.b, TESS_ESHAPE,
               "%s: `in` is %s and `shape` has %" PRId64 " batches; `in` must have one batch or the same number", t->fn,
               tess__shape_text(text, in->shape.dim), t->shape.b);
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__spectrum_output(t->fn, out, wanted, in->dtype, in->device));
    if (!made) {
        TESS_TRY(tess__check_overlap(t->fn, out, "in", in, false));
        TESS_TRY(tess__check_overlap(t->fn, out, "matrices", t->matrices, false));
        TESS_TRY(tess__check_apart(t->fn, "out", out, "opts->shifts", t->o.shifts));
    }
    return TESS_OK;
}

static tess_status run(transform *t, const tess_array *out)
{
    tess__spectrum_sample *work = &t->work;
    TESS_TRY(take_matrices(t));
    TESS_TRY(take_shifts(t));
    if (!tess__has_elements(out)) return TESS_OK;
    work->name = t->fn;
    work->out = *out;
    work->in = *t->in;
    work->rotations = t->rotations;
    work->shifts = t->shifts;
    work->cutoff = t->o.cutoff;
    work->interp = t->o.interp;
    tess__slice_axes(work->in_n, work->in_order, t->shape, t->o.from);
    tess__slice_axes(work->out_n, work->out_order, t->shape, t->o.to);
    for (int k = 0; k < 3; k++) work->target[k] = (double)work->in_n[k];
    TESS_TRY(tess__spectrum_sample_run(work));
    return TESS_OK;
}

static tess_status turn(transform *t, tess_array *out, const tess_transform_spectrum_opts *opts)
{
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__resolve(t->work.dims == 2 ? &tess__info_transform_spectrum_2d : &tess__info_transform_spectrum_3d,
                           opts, &t->o));
    if (t->o.to == 0) t->o.to = t->o.from;
    TESS_TRY(tess__check_pointer(t->fn, "out", out));
    TESS_TRY(tess__check_numbers(t->fn, "in", t->in));
    TESS_TRY(tess__check_array(t->fn, "matrices", t->matrices));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(check(t, out));
    TESS_GOTO(done, status, tess__hold(&held, t->fn, &t->in));
    TESS_GOTO(done, status, run(t, out));
done:
    tess_release(&held);
    tess_release(&t->small);
    tess_release(&t->rotations);
    tess_release(&t->shifts);
    return tess__finish(tess__error_under(status, t->fn), out, made);
}

tess_status tess_transform_spectrum_2d(tess_array *out, const tess_array *in, tess_shape shape,
                                       const tess_array *matrices, const tess_transform_spectrum_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    transform t = {
        .fn = "transform_spectrum_2d", .in = in, .matrices = matrices, .shape = shape, .work = { .dims = 2 }
    };
    TESS_TRY(turn(&t, out, opts));
    return TESS_OK;
}

tess_status tess_transform_spectrum_3d(tess_array *out, const tess_array *in, tess_shape shape,
                                       const tess_array *matrices, const tess_transform_spectrum_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    transform t = {
        .fn = "transform_spectrum_3d", .in = in, .matrices = matrices, .shape = shape, .work = { .dims = 3 }
    };
    TESS_TRY(turn(&t, out, opts));
    return TESS_OK;
}
