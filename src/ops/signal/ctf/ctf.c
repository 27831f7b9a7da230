/* Contrast transfer function: images of it, and spectra multiplied by it. */
#include "tessera/ctf.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/marks.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "formulas/ctf.op.h"
#include "ops/signal/ctf/ctf.h"
#include "ops/signal/filter.h"

_Static_assert(sizeof(tess_ctf) == TESS__CTF_COLUMNS * sizeof(double), "a tess_ctf is a row of parameters");
_Static_assert((int)TESS_CTF_COLUMNS == (int)TESS__CTF_COLUMNS, "columns of a tess_ctf");
_Static_assert((int)TESS_CTF_EVEN_COLUMNS == (int)TESS__CTF_TILT_H, "columns before those of odd phases");

/* ---- Descriptions ---- */

#define OUT TESS__OUT("out", "the filtered spectrum or its power; may be the input itself if the layouts agree")
#define IN TESS__FILTER_IN
#define SHAPE TESS__FILTER_SHAPE
#define CTF TESS__CTF_ROW(TESS_ARG_OPTIONAL, "parameters of the CTF; not needed with opts.parameters")
#define OPTIONS                                                                                                        \
    TESS__OPT_ROWS(tess_ctf_opts, parameters, "CTF of each batch, {b,1,1,m}, fields in order; replaces ctf",           \
                   .sample = "b,1,1,8", .axes = "B,1,1,m"),                                                            \
        TESS__FLAG(tess_ctf_opts, abs, "use the magnitude of the CTF"),                                                \
        TESS__FLAG(tess_ctf_opts, squared, "use the square of the CTF"), TESS__FILTER_ROWS(tess_ctf_opts)

TESS__CALL(ctf_image, v[0].out, v[1].shape, v[2].structure, opts)
TESS__CALL(ctf_apply, v[0].out, v[1].in, v[2].shape, v[3].structure, opts)
TESS__CALL(ctf_flip, v[0].out, v[1].in, v[2].shape, v[3].structure, opts)
TESS__CALL(ctf_wiener, v[0].out, v[1].in, v[2].shape, v[3].structure, v[4].f64, opts)
TESS__CALL(ctf_apply_image, v[0].out, v[1].in, v[2].structure, opts)
TESS__CALL(ctf_flip_image, v[0].out, v[1].in, v[2].structure, opts)
TESS__CALL(ctf_wiener_image, v[0].out, v[1].in, v[2].structure, v[3].f64, opts)

static const tess_arg_info image_args[] = {
    TESS__OUT("out", "the CTF, in the shape of the chosen layout; allocated as f32, or c32 with odd phases"), SHAPE,
    CTF, OPTIONS
};
static const tess_arg_info apply_args[] = { OUT, IN, SHAPE, CTF, OPTIONS };
static const tess_arg_info apply_image_args[] = { TESS__IMAGE_OUT, TESS__IMAGE_IN, CTF, OPTIONS };
#define SNR TESS__NEED(TESS_ARG_F64, "snr", "signal-to-noise ratio, above 0")
static const tess_arg_info wiener_args[] = { OUT, IN, SHAPE, CTF, SNR, OPTIONS };
static const tess_arg_info wiener_image_args[] = { TESS__IMAGE_OUT, TESS__IMAGE_IN, CTF, SNR, OPTIONS };
const tess_function_info   tess__info_ctf_image = TESS__OP_OPTS(
      TESS_CUT_BATCHES, ctf_image, "ctf", "Compute the contrast transfer function (CTF).", image_args, tess_ctf_opts);
const tess_function_info tess__info_ctf_apply =
    TESS__OP_OPTS(TESS_CUT_BATCHES, ctf_apply, "ctf", "Multiply a spectrum by the contrast transfer function.",
                  apply_args, tess_ctf_opts);
const tess_function_info tess__info_ctf_flip =
    TESS__OP_OPTS(TESS_CUT_BATCHES, ctf_flip, "ctf", "Flip the phases of a spectrum by the sign of the CTF.",
                  apply_args, tess_ctf_opts);
const tess_function_info tess__info_ctf_wiener =
    TESS__OP_OPTS(TESS_CUT_BATCHES, ctf_wiener, "ctf", "Correct a spectrum by the Wiener filter of the CTF.",
                  wiener_args, tess_ctf_opts);

const tess_function_info tess__info_ctf_apply_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, ctf_apply_image, "ctf", "Apply the contrast transfer function to real images.",
                  apply_image_args, tess_ctf_opts);
const tess_function_info tess__info_ctf_flip_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, ctf_flip_image, "ctf", "Flip the phases of real images by the sign of the CTF.",
                  apply_image_args, tess_ctf_opts);
const tess_function_info tess__info_ctf_wiener_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, ctf_wiener_image, "ctf", "Correct real images by the Wiener filter of the CTF.",
                  wiener_image_args, tess_ctf_opts);

/* ---- Checks ---- */

/* What has a direction is for images. `prefix` is "", or says whose row it is. */
static tess_status check_rank(const char *fn, const char *arg, const tess_ctf *ctf, tess_shape shape)
{
    char       text[TESS__SHAPE_TEXT];
    const bool directed =
        ctf->astigmatism != 0 || ctf->tetrafoil != 0 || ctf->tilt[0] != 0 || ctf->tilt[1] != 0 || ctf->trefoil != 0;
    TESS_CHECK(!directed || shape.d <= 1, TESS_ESHAPE,
               "%s: `%s` is for %s; astigmatism, tetrafoil, beam tilt and trefoil are for images, with d = 1", fn, arg,
               tess__shape_text(text, shape.dim));
    return TESS_OK;
}

static bool is_odd(const tess_ctf *ctf) { return ctf->tilt[0] != 0 || ctf->tilt[1] != 0 || ctf->trefoil != 0; }

/* Each row of the parameters is a CTF as one that is given by itself; `*odd`: one of them turns phases. */
static tess_status check_rows(bool *odd, const tess__filter_call *c)
{
    tess_array  rows = { .data = NULL };
    tess_status status = TESS_OK;
    *odd = false;
    TESS_TRY(tess__filter_read_rows(&rows, c));
    for (int64_t b = 0; b < rows.shape.b; b++) {
        tess_ctf ctf = { .pixel_size = { 0 } };
        char     row[56], prefix[64];
        (void)snprintf(row, sizeof row, "row %" PRId64 " of " TESS__MARK("opts->parameters"), b);
        (void)snprintf(prefix, sizeof prefix, "%s: ", row);
        memcpy(&ctf, (const double *)rows.data + b * rows.shape.w, (size_t)rows.shape.w * sizeof(double));
        TESS_GOTO(done, status, tess__check_ctf(c->fn, prefix, &ctf));
        TESS_GOTO(done, status, check_rank(c->fn, row, &ctf, c->shape));
        *odd |= is_odd(&ctf);
    }
done:
    tess_release(&rows);
    return status;
}

/* ---- Filters ---- */

static tess_status check_mode(const char *fn, const tess_ctf_opts *o, int mode)
{
    TESS_CHECK(!o->abs || !o->squared, TESS_EARG,
               "%s: `opts->abs` and `opts->squared` are both 1; only one of them may be 1", fn);
    TESS_CHECK(mode < TESS__CTF_FLIP || (!o->abs && !o->squared), TESS_EARG, "%s: `opts->%s` is 1; it must be 0", fn,
               o->abs ? "abs" : "squared");
    return TESS_OK;
}

static tess_status describe(tess__spectrum_filter *work, tess__filter_call *c, const tess_ctf *ctf,
                            const tess_ctf_opts *o, int mode)
{
    bool odd;
    TESS_TRY(check_mode(c->fn, o, mode));
    c->range = TESS__FILTER_RANGE(*o);
    c->parameters = o->parameters;
    c->columns = "pixel_size h, w, defocus, astigmatism, angle, voltage, amplitude, cs …";
    c->min_columns = TESS_CTF_MIN_COLUMNS;
    c->max_columns = TESS_CTF_COLUMNS;
    if (o->parameters) {
        TESS_TRY(check_rows(&odd, c));
    } else {
        TESS_TRY(tess__check_pointer(c->fn, "ctf", ctf));
        TESS_TRY(tess__check_ctf(c->fn, "ctf->", ctf));
        TESS_TRY(check_rank(c->fn, "ctf", ctf, c->shape));
        memcpy(work->columns, ctf, sizeof *ctf);
        odd = is_odd(ctf);
    }
    for (int k = 0; k < TESS__CTF_COLUMNS; k++) work->column_of[k] = k;
    work->spec.kind = TESS__FILTER_CTF;
    work->spec.mode = o->abs ? TESS__CTF_ABS : o->squared ? TESS__CTF_SQUARED : mode;
    work->spec.enveloped = work->spec.mode != TESS__CTF_FLIP && (o->parameters || ctf->bfactor != 0);
    if (o->parameters && o->parameters->shape.w <= TESS__CTF_BFACTOR) work->spec.enveloped = 0;
    work->spec.is_odd = odd && !o->abs && !o->squared;
    return TESS_OK;
}

/* Complex values need a complex array. */
static tess_status run(tess__spectrum_filter *work, tess__filter_call *c)
{
    const tess_array *a = c->in ? c->in : c->out;
    TESS_CHECK(!work->spec.is_odd || !a || !a->data || tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `%s` is %s; beam tilt and trefoil make the CTF complex: a complex type is needed", c->fn,
               c->in ? "in" : "out", tess_dtype_name(a->dtype));
    TESS_TRY(tess__filter_run(work, c));
    return TESS_OK;
}

tess_status tess_ctf_image(tess_array *out, tess_shape shape, const tess_ctf *ctf, const tess_ctf_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_ctf_opts         o;
    tess__spectrum_filter work = { .name = "ctf_image" };
    tess__filter_call     call = { .fn = "ctf_image", .out = out, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_ctf_image, opts, &o));
    TESS_TRY(tess__check_pointer("ctf_image", "out", out));
    if (o.to == 0) o.to = TESS_FFT_H;
    o.from = o.to;
    TESS_TRY(describe(&work, &call, ctf, &o, TESS__CTF_VALUE));
    const bool              made = tess__is_empty_out(out);
    const tess__fft_variant form = { "shape", shape, "opts->to", o.to, .any_b = false };
    const tess_device       device = o.parameters ? o.parameters->device : tess_cpu();
    if (made) TESS_TRY(tess__spectrum_output("ctf_image", out, form, work.spec.is_odd ? TESS_C32 : TESS_F32, device));
    return tess__finish(run(&work, &call), out, made);
}

tess_status tess_ctf_apply(tess_array *out, const tess_array *in, tess_shape shape, const tess_ctf *ctf,
                           const tess_ctf_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_ctf_opts         o;
    tess__spectrum_filter work = { .name = "ctf_apply" };
    tess__filter_call     call = { .fn = "ctf_apply", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_ctf_apply, opts, &o));
    TESS_TRY(describe(&work, &call, ctf, &o, TESS__CTF_VALUE));
    TESS_TRY(run(&work, &call));
    return TESS_OK;
}

tess_status tess_ctf_flip(tess_array *out, const tess_array *in, tess_shape shape, const tess_ctf *ctf,
                          const tess_ctf_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_ctf_opts         o;
    tess__spectrum_filter work = { .name = "ctf_flip" };
    tess__filter_call     call = { .fn = "ctf_flip", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_ctf_flip, opts, &o));
    TESS_TRY(describe(&work, &call, ctf, &o, TESS__CTF_FLIP));
    TESS_TRY(run(&work, &call));
    return TESS_OK;
}

/* Noise that is 0 in the precision of the filter would divide 0 by 0. */
static tess_status set_snr(tess__spectrum_filter *work, const tess__filter_call *c, double snr)
{
    TESS_TRY(tess__check_positive(c->fn, "snr", snr));
    const tess_array *a = c->in ? c->in : c->out;
    const bool        single = a && tess__filter_precision(a) == TESS_F32;
    work->spec.noise = fmax(1 / snr, single ? FLT_MIN : DBL_MIN);
    return TESS_OK;
}

tess_status tess_ctf_wiener(tess_array *out, const tess_array *in, tess_shape shape, const tess_ctf *ctf, double snr,
                            const tess_ctf_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_ctf_opts         o;
    tess__spectrum_filter work = { .name = "ctf_wiener" };
    tess__filter_call     call = { .fn = "ctf_wiener", .out = out, .in = in, .shape = shape };
    TESS_TRY(tess__resolve(&tess__info_ctf_wiener, opts, &o));
    TESS_TRY(set_snr(&work, &call, snr));
    TESS_TRY(describe(&work, &call, ctf, &o, TESS__CTF_WIENER));
    TESS_TRY(run(&work, &call));
    return TESS_OK;
}

/* ---- Real arrays ---- */

/* The shape, which `describe` needs, is that of the array. */
static tess_status start_image(tess__filter_call *c)
{
    TESS_TRY(tess__image_check(c->fn, c->out, c->in));
    c->shape = c->in->shape;
    return TESS_OK;
}

tess_status tess_ctf_apply_image(tess_array *out, const tess_array *in, const tess_ctf *ctf, const tess_ctf_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_ctf_opts         o;
    tess__spectrum_filter work = { .name = "ctf_apply_image" };
    tess__filter_call     call = { .fn = "ctf_apply_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_ctf_apply_image, opts, &o));
    TESS_TRY(start_image(&call));
    TESS_TRY(describe(&work, &call, ctf, &o, TESS__CTF_VALUE));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}

tess_status tess_ctf_flip_image(tess_array *out, const tess_array *in, const tess_ctf *ctf, const tess_ctf_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_ctf_opts         o;
    tess__spectrum_filter work = { .name = "ctf_flip_image" };
    tess__filter_call     call = { .fn = "ctf_flip_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_ctf_flip_image, opts, &o));
    TESS_TRY(start_image(&call));
    TESS_TRY(describe(&work, &call, ctf, &o, TESS__CTF_FLIP));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}

tess_status tess_ctf_wiener_image(tess_array *out, const tess_array *in, const tess_ctf *ctf, double snr,
                                  const tess_ctf_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_ctf_opts         o;
    tess__spectrum_filter work = { .name = "ctf_wiener_image" };
    tess__filter_call     call = { .fn = "ctf_wiener_image", .out = out, .in = in };
    TESS_TRY(tess__resolve(&tess__info_ctf_wiener_image, opts, &o));
    TESS_TRY(set_snr(&work, &call, snr));
    TESS_TRY(start_image(&call));
    TESS_TRY(describe(&work, &call, ctf, &o, TESS__CTF_WIENER));
    TESS_TRY(tess__filter_image(&work, &call));
    return TESS_OK;
}
