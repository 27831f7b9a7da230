/* Deconvolution: the iterations of Richardson and Lucy, and the Wiener filter, by Fourier transforms of arrays that are
 * extended by their border, so that what wraps around is dropped. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/check/text.h"
#include "core/device/float_env.h"
#include "core/device/stream.h"
#include "core/table/registry.h"
#include "ops/op/library.h"
#include "ops/signal/restoration/restoration.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/op.h"
#include "tessera/reduce.h"
#include "tessera/resize.h"
#include "tessera/restoration.h"

static const tess_arg_info lucy_args[] = {
    TESS__OUT("out", "the restored array; may be the input itself"),
    TESS__IN("in", "the blurred array, real numbers; any strides"),
    TESS__IN("psf", "point spread function {1,d,h,w}, centred at n / 2", .sample = "1,1,3,3", .axes = "1,d,h,w"),
    TESS__NEED(TESS_ARG_I64, "iterations", "number of iterations", .sample = "2"),
    TESS__RESTORATION_BORDER(tess_richardson_lucy_opts),
    TESS__UNUSED_ROW(tess_richardson_lucy_opts),
    TESS__OPT_F64(tess_richardson_lucy_opts, value, "", 0, 0, DBL_MAX, "value outside the array, with border value"),
    TESS__AUTO_F64(tess_richardson_lucy_opts, min_blurred, "", "1e-6, of f64 1e-12", 0, 1,
                   "smallest blurred estimate that is divided by, as a fraction of the mean of the batch"),
};
TESS__CALL(richardson_lucy, v[0].out, v[1].in, v[2].in, v[3].i64, opts)
const tess_function_info tess__info_richardson_lucy =
    TESS__OP_OPTS(TESS_CUT_BATCHES, richardson_lucy, "restoration", "Undo blur by Richardson-Lucy deconvolution.",
                  lucy_args, tess_richardson_lucy_opts, .work_bytes = 64);

static const tess_arg_info wiener_args[] = {
    TESS__OUT("out", "the restored array; may be the input itself"),
    TESS__IN("in", "the blurred array, real numbers; any strides"),
    TESS__IN("psf", "point spread function {1,d,h,w}, centred at n / 2", .sample = "1,1,3,3", .axes = "1,d,h,w"),
    TESS__NEED(TESS_ARG_F64, "balance", "ratio of the power of the noise to that of the signal", .sample = "0.1"),
    TESS__RESTORATION_BORDER(tess_wiener_opts),
    TESS__FLAG(tess_wiener_opts, laplacian, "attenuate high frequencies more: balance times |Laplacian|^2"),
    TESS__VALUE_ROW(tess_wiener_opts),
};
TESS__CALL(wiener_deconvolve, v[0].out, v[1].in, v[2].in, v[3].f64, opts)
const tess_function_info tess__info_wiener_deconvolve =
    TESS__OP_OPTS(TESS_CUT_BATCHES, wiener_deconvolve, "restoration", "Undo blur by the Wiener filter.", wiener_args,
                  tess_wiener_opts, .work_bytes = 48);

#include "ops/signal/restoration/deconvolution.def"

/* What both have in common. Arrays in Fourier space are half spectra of extended ones. */
typedef struct deconvolution {
    const char      *fn;
    tess_dtype       dtype; /* that is computed in */
    tess_resize_opts border;
    tess_shape       shape, before; /* of extended arrays, and elements before the array */
    tess_fft_opts    fft;
    tess_array       psf;      /* on the host, f64, contiguous, with sum 1 */
    tess_array       transfer; /* {1,d,h,w} */
    tess_array       blurred;  /* the extended input */
    tess_array       spectrum;
} deconvolution;

static void release(deconvolution *c)
{
    tess_release(&c->psf);
    tess_release(&c->transfer);
    tess_release(&c->blurred);
    tess_release(&c->spectrum);
}

/* ---- The point spread function ---- */

static tess_status check_psf(const char *fn, const tess_array *psf, const tess_array *in, const tess_array *out)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, "psf", psf));
    TESS_TRY(tess__check_ordered(fn, "psf", psf->dtype));
    TESS_CHECK(psf->shape.b == 1 && !tess_is_empty(psf), TESS_ESHAPE, "%s: `psf` has shape %s; {1,d,h,w} is expected",
               fn, tess__shape_text(text, psf->shape.dim));
    if (psf->device.kind != TESS_CPU) TESS_TRY(tess__check_device_of(fn, "in", in, "psf", psf));
    TESS_TRY(tess__check_overlap(fn, out, "psf", psf, false));
    return TESS_OK;
}

/* Its values on the host. */
static tess_status read_psf(deconvolution *c, const tess_array *psf)
{
    tess_array  there = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__check_waits(c->fn, psf->device));
    TESS_TRY(tess_cast(&there, psf, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_to_device(&c->psf, &there, tess_cpu()));
    TESS_GOTO(done, status, tess__sync(c->fn, psf->device));
    TESS_GOTO(done, status, tess__sync(c->fn, tess_cpu()));
done:
    tess_release(&there);
    return status;
}

/* Divided by their sum. */
static tess_status normalise_psf(const deconvolution *c)
{
    double *const values = c->psf.data;
    const int64_t n = tess_n_elements(&c->psf);
    double        sum = 0;
    char          text[32];
    for (int64_t i = 0; i < n; i++) sum += values[i];
    TESS_CHECK(sum > 0 && sum <= DBL_MAX, TESS_ERANGE, "%s: the sum of `psf` is %s; it must be above 0 and finite",
               c->fn, tess__number_text(text, sum));
    for (int64_t i = 0; i < n; i++) values[i] /= sum;
    return TESS_OK;
}

/* Adds it to zeros, its centre to element 0; what lies before that wraps around. */
static void place_psf(const deconvolution *c, const tess_array *to)
{
    const tess_shape n = c->psf.shape, size = to->shape;
    const double    *from = c->psf.data;
    double          *values = to->data;
    for (int64_t d = 0; d < n.d; d++)
        for (int64_t h = 0; h < n.h; h++)
            for (int64_t w = 0; w < n.w; w++) {
                const int64_t at[3] = { tess_border_index(TESS_BORDER_PERIODIC, d - n.d / 2, size.d),
                                        tess_border_index(TESS_BORDER_PERIODIC, h - n.h / 2, size.h),
                                        tess_border_index(TESS_BORDER_PERIODIC, w - n.w / 2, size.w) };
                values[(at[0] * size.h + at[1]) * size.w + at[2]] += *from++;
            }
}

/* Its transform. */
static tess_status make_transfer(deconvolution *c, tess_device device)
{
    tess_array  host = { .data = NULL }, there = { .data = NULL };
    tess_shape  shape = c->shape;
    tess_status status = TESS_OK;
    shape.b = 1;
    for (int k = 1; k < 3; k++)
        if (c->psf.shape.dim[k] == 1) shape.dim[k] = 1;
    TESS_TRY(tess__make(c->fn, &host, shape, TESS_F64, tess_cpu(), true));
    TESS_GOTO(done, status, tess__sync(c->fn, tess_cpu()));
    place_psf(c, &host);
    TESS_GOTO(done, status, tess_to_device(&there, &host, device));
    TESS_GOTO(done, status, tess_fft_r2c(&c->transfer, &there, &c->fft));
done:
    tess_release(&host);
    tess_release(&there);
    return status;
}

/* ---- Extended arrays ---- */

/* By the size of the point spread function on each side, and to a size that is fast to transform. */
static void set_shape(deconvolution *c, const tess_array *in, const tess_array *psf)
{
    c->shape = in->shape;
    c->fft.axes = TESS_W;
    for (int k = 1; k < 4; k++) {
        const int64_t n = psf->shape.dim[k];
        if (n == 1) continue;
        c->fft.axes |= TESS_B << k;
        if (c->border.border == TESS_BORDER_PERIODIC) continue;
        c->before.dim[k] = n;
        c->shape.dim[k] = tess_fft_fast_size(in->shape.dim[k] + 2 * n);
    }
}

static tess_status extend(const deconvolution *c, tess_array *extended, const tess_array *a)
{
    tess_shape after = { { 0 } };
    for (int k = 1; k < 4; k++) after.dim[k] = c->shape.dim[k] - a->shape.dim[k] - c->before.dim[k];
    TESS_TRY(tess_pad(extended, a, c->before, after, &c->border));
    return TESS_OK;
}

/* Without the extension. */
static tess_status inside(const deconvolution *c, tess_array *view, const tess_array *extended, tess_shape shape)
{
    *view = *extended;
    for (int k = 1; k < 4; k++)
        TESS_TRY(tess_slice(view, view, k, c->before.dim[k], c->before.dim[k] + shape.dim[k], 1));
    return TESS_OK;
}

/* Multiplies the spectrum of `a` by a transfer function; `out` may be `a`. */
static tess_status filter(deconvolution *c, tess_array *out, const tess_array *a, const tess_array *transfer)
{
    tess_fft_opts back = c->fft;
    back.overwrite = 1;
    TESS_TRY(tess_fft_r2c(&c->spectrum, a, &c->fft));
    TESS_TRY(tess_mul(&c->spectrum, &c->spectrum, transfer));
    TESS_TRY(tess_fft_c2r(out, &c->spectrum, c->shape, &back));
    return TESS_OK;
}

/* The point spread function and the extended input. */
static tess_status begin(deconvolution *c, const tess_array *in, const tess_array *psf)
{
    tess_array  numbers = { .data = NULL };
    tess_status status = TESS_OK;
    set_shape(c, in, psf);
    TESS_TRY(read_psf(c, psf));
    TESS_TRY(normalise_psf(c));
    TESS_TRY(make_transfer(c, in->device));
    TESS_TRY(tess_cast(&numbers, in, c->dtype, NULL));
    TESS_GOTO(done, status, extend(c, &c->blurred, &numbers));
done:
    tess_release(&numbers);
    return status;
}

/* Checks the arrays and the border, and makes the output. */
static tess_status check(deconvolution *c, tess_array *out, const tess_array *in, const tess_array *psf)
{
    TESS_TRY(tess__restoration_arrays(c->fn, out, in, c->border.border));
    TESS_TRY(check_psf(c->fn, psf, in, out));
    TESS_TRY(tess__check_border(c->fn, out, c->border.border, c->border.value, 0));
    TESS_TRY(tess__output_like(c->fn, out, in, tess__float_of(in->dtype)));
    c->dtype = tess__half_to_single(tess__float_of(in->dtype));
    return TESS_OK;
}

static tess_status finish(const deconvolution *c, tess_array *out, const tess_array *extended)
{
    tess_array view;
    TESS_TRY(inside(c, &view, extended, out->shape));
    TESS_TRY(tess_cast(out, &view, out->dtype, NULL));
    return TESS_OK;
}

static tess_dtype complex_of(tess_dtype real) { return real == TESS_F64 ? TESS_C64 : TESS_C32; }

/* ---- Richardson-Lucy ---- */

/* What the iterations change, and what they need besides. */
typedef struct lucy {
    tess_array transfer, opposite; /* of the point spread function, and of it turned about its centre */
    tess_array mean, estimate, ratio;
    double     least; /* blurred estimate that is divided by, as a fraction of the mean */
} lucy;

static void release_lucy(lucy *l)
{
    tess_release(&l->transfer);
    tess_release(&l->opposite);
    tess_release(&l->mean);
    tess_release(&l->estimate);
    tess_release(&l->ratio);
}

static bool is_wide(const deconvolution *c) { return c->dtype == TESS_F64; }

/* Means of batches, and the even estimate that iterations begin with. */
static tess_status make_estimate(deconvolution *c, lucy *l, tess_shape shape)
{
    tess_op_def *const clip = is_wide(c) ? &richardson_clip_f64 : &richardson_clip_f32;
    tess_array         view, even;
    TESS_TRY(tess_call(clip, &c->blurred));
    TESS_TRY(inside(c, &view, &c->blurred, shape));
    TESS_TRY(tess__make(c->fn, &l->mean, TESS_SHAPE(shape.b, 1, 1, 1), c->dtype, c->blurred.device, false));
    TESS_TRY(tess_mean(&l->mean, &view, TESS_D | TESS_H | TESS_W, NULL));
    TESS_TRY(tess_broadcast(&even, &l->mean, shape));
    TESS_TRY(extend(c, &l->estimate, &even));
    return TESS_OK;
}

static tess_status iterate(deconvolution *c, lucy *l)
{
    tess_op_def *const ratio = is_wide(c) ? &richardson_ratio_f64 : &richardson_ratio_f32;
    tess_op_def *const update = is_wide(c) ? &richardson_update_f64 : &richardson_update_f32;
    TESS_TRY(filter(c, &l->ratio, &l->estimate, &l->transfer));
    TESS_TRY(tess_call(ratio, &c->blurred, &l->mean, l->least, &l->ratio));
    TESS_TRY(filter(c, &l->ratio, &l->ratio, &l->opposite));
    TESS_TRY(tess_call(update, &l->ratio, &l->estimate));
    return TESS_OK;
}

static tess_status run_lucy(deconvolution *c, lucy *l, tess_array *out, int64_t iterations)
{
    TESS_TRY(tess_cast(&l->transfer, &c->transfer, complex_of(c->dtype), NULL));
    TESS_TRY(tess_conj(&l->opposite, &l->transfer));
    TESS_TRY(make_estimate(c, l, out->shape));
    for (int64_t i = 0; i < iterations; i++) TESS_TRY(iterate(c, l));
    TESS_TRY(finish(c, out, &l->estimate));
    return TESS_OK;
}

tess_status tess_richardson_lucy(tess_array *out, const tess_array *in, const tess_array *psf, int64_t iterations,
                                 const tess_richardson_lucy_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    deconvolution             c = { .fn = "richardson_lucy" };
    lucy                      l = { .least = 0 };
    tess_richardson_lucy_opts o;
    tess_status               status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_richardson_lucy, opts, &o));
    TESS_TRY(tess__restoration_iterations(c.fn, iterations));
    const bool made = out && tess__is_empty_out(out);
    c.border = (tess_resize_opts){ .border = o.border, .value = o.value };
    TESS_TRY(check(&c, out, in, psf));
    l.least = !isnan(o.min_blurred) ? o.min_blurred : is_wide(&c) ? 1e-12 : 1e-6;
    if (tess__has_elements(out)) {
        status = begin(&c, in, psf);
        if (status == TESS_OK) status = run_lucy(&c, &l, out, iterations);
    }
    release_lucy(&l);
    release(&c);
    return tess__finish(tess__error_under(status, c.fn), out, made);
}

/* ---- Wiener ---- */

static tess_status run_wiener(deconvolution *c, tess_array *out, double balance, bool laplacian)
{
    tess_array  factor = { .data = NULL }, narrow = { .data = NULL };
    tess_status status = TESS_OK;
    double      inverse[4] = { 0 };
    for (int k = 1; k < 4; k++)
        if (c->psf.shape.dim[k] > 1) inverse[k] = 1 / (double)c->shape.dim[k];
    TESS_GOTO(done, status,
              tess_call(&wiener_factor, &c->transfer, balance, (double)laplacian, inverse[1], inverse[2], inverse[3],
                        &factor));
    TESS_GOTO(done, status, tess_cast(&narrow, &factor, complex_of(c->dtype), NULL));
    TESS_GOTO(done, status, filter(c, &c->blurred, &c->blurred, &narrow));
    TESS_GOTO(done, status, finish(c, out, &c->blurred));
done:
    tess_release(&factor);
    tess_release(&narrow);
    return status;
}

tess_status tess_wiener_deconvolve(tess_array *out, const tess_array *in, const tess_array *psf, double balance,
                                   const tess_wiener_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    deconvolution    c = { .fn = "wiener_deconvolve" };
    tess_wiener_opts o;
    tess_status      status = TESS_OK;
    char             text[32];
    TESS_TRY(tess__resolve(&tess__info_wiener_deconvolve, opts, &o));
    TESS_CHECK(balance >= 0 && balance <= DBL_MAX, TESS_ERANGE, "%s: `balance` is %s; it must be at least 0 and finite",
               c.fn, tess__number_text(text, balance));
    const bool made = out && tess__is_empty_out(out);
    c.border = (tess_resize_opts){ .border = o.border, .value = o.value };
    TESS_TRY(check(&c, out, in, psf));
    if (tess__has_elements(out)) {
        status = begin(&c, in, psf);
        if (status == TESS_OK) status = run_wiener(&c, out, balance, o.laplacian);
    }
    release(&c);
    return tess__finish(tess__error_under(status, c.fn), out, made);
}
