/* Central slices of a volume's spectrum, by interpolation: description, checks, request. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "formulas/geometry/fourier_slices.op.h"
#include "ops/geometry/slices/slices.h"
#include "tessera/fourier_slices.h"

#define FN "fourier_extract"

static const tess_arg_info args[] = {
    TESS__OUT("slices", "spectra of the slices, {n,1,h,w}; any strides", .axes = "n,1,h,w"),
    TESS__IN("volume", "spectrum of the volume, {1,d,h,w}", .sample = "1,2,h,w/2+1 complex", .axes = "1,d,h,w"),
    TESS__NEED(TESS_ARG_SHAPE, "shape", "logical shape of the volume", .sample = "1,2,h,w"),
    TESS__IN("rotations", "rotations from slice to volume: {n,1,3,3}, or quaternions {n,1,1,4}", .sample = "b,1,1,4",
             .axes = "n,1,1,4|n,1,3,3"),
    TESS__AUTO_SHAPE(tess_fourier_extract_opts, slice_shape, "h and w of the volume", "logical shape of the slices"),
    TESS__AUTO_SHAPE(tess_fourier_extract_opts, target, "shape",
                     "size by which frequencies are multiplied to give indices"),
    TESS__OPT_ARRAY(tess_fourier_extract_opts, scales, const tess_array *, "scale matrices of the slices, {n,1,2,2}",
                    .axes = "n,1,2,2"),
    TESS__OPT_ARRAY(tess_fourier_extract_opts, weights, const tess_array *,
                    "real weights in the shape of volume, sliced in the same way", .sample = "1,2,h,w/2+1",
                    .axes = "1,d,h,w"),
    TESS__OPT_RESULT(tess_fourier_extract_opts, slice_weights, tess_array *, "receives the slices of weights",
                     .axes = "n,1,h,w"),
    TESS__OPT_F64(tess_fourier_extract_opts, cutoff, "cycles per pixel", 0.5, 0, 10, "highest frequency kept"),
    TESS__OPT_F64(tess_fourier_extract_opts, ewald_h, "1/pixel", 0, -DBL_MAX, DBL_MAX,
                  "radius of the Ewald sphere along h; 0: flat"),
    TESS__OPT_F64(tess_fourier_extract_opts, ewald_w, "1/pixel", 0, -DBL_MAX, DBL_MAX,
                  "radius of the Ewald sphere along w; 0: flat"),
    TESS__OPT_F64(tess_fourier_extract_opts, window, "cycles per pixel", 0, 0, 1,
                  "half width of a windowed sinc along z; 0: none"),
    TESS__OPT_F64(tess_fourier_extract_opts, sinc, "cycles per pixel", 0, 0, 1,
                  "first zero of the windowed sinc; 0: 1 / the smallest size of target"),
    TESS__OPT_CHOICE(tess_fourier_extract_opts, interp, TESS_INTERP_LINEAR, tess__interps,
                     "interpolation between coefficients"),
    TESS__OPT_CHOICE(tess_fourier_extract_opts, from, TESS_FFT_H, tess__fft_layouts, "layout of volume"),
    TESS__OPT_CHOICE(tess_fourier_extract_opts, to, 0, tess__fft_layouts, "layout of the slices; 0: that of volume"),
};
TESS__CALL(fourier_extract, v[0].out, v[1].in, v[2].shape, v[3].in, opts)
const tess_function_info tess__info_fourier_extract =
    TESS__OP_OPTS(TESS_CUT_NONE, fourier_extract, "fourier_slices",
                  "Extract central slices from the spectrum of a volume.", args, tess_fourier_extract_opts);

/* A call, with its options resolved, and what was made for it. */
typedef struct extraction {
    tess_fourier_extract_opts o;
    tess_shape                shape, slices; /* logical */
    tess_array                rotations, scales, unscaled;
    tess__spectrum_sample     work;
} extraction;

/* ---- The window ---- */

/* Its weights at whole samples along z, divided by their sum if asked. */
static tess_status set_window(extraction *e)
{
    char         text[2][32];
    const double n = e->work.target[0], *t = e->work.target, width = e->o.window;
    const double least = 1 / fmin(fmin(t[0], t[1]), t[2]), sinc = e->o.sinc == 0 ? least : e->o.sinc;
    if (width == 0) return TESS_OK;
    TESS_CHECK(width * n >= 1 && sinc >= least, TESS_ERANGE,
               FN ": `opts->window` is %s and `opts->sinc` is %s; they must be at least 1 / the depth and 1 / the "
                  "smallest size of `opts->target`",
               tess__number_text(text[0], width), tess__number_text(text[1], sinc));
    const double reach = ceil(n * width) - 1;
    TESS_CHECK(reach < TESS__SLICE_WINDOW, TESS_ERANGE,
               FN ": `opts->window` is %s: this takes %s samples along z on each side; at most %d are allowed",
               tess__number_text(text[0], width), tess__number_text(text[1], reach), TESS__SLICE_WINDOW - 1);
    double sum = 0;
    e->work.window = (int32_t)reach;
    for (int j = 0; j <= e->work.window; j++) {
        e->work.weights[j] = tess__slice_window((double)j / n, 1 / sinc, 1 / width);
        sum += j ? 2 * e->work.weights[j] : e->work.weights[j];
    }
    for (int j = 0; j <= e->work.window && !e->o.weights; j++) e->work.weights[j] /= sum;
    return TESS_OK;
}

/* ---- Checks ---- */

static tess_status check_shapes(extraction *e, const tess_array *rotations)
{
    int64_t    n;
    tess_shape s = e->o.slice_shape;
    TESS_TRY(tess__slice_check_volume(FN, "shape", e->shape));
    TESS_TRY(tess__slice_count(&n, FN, rotations));
    const tess_shape like = TESS_SHAPE(n, 1, e->shape.h, e->shape.w);
    for (int k = 0; k < 4; k++)
        if (s.dim[k] == 0) s.dim[k] = like.dim[k];
    TESS_TRY(tess__slice_check_images(FN, "opts->slice_shape", s));
    e->slices = s;
    return TESS_OK;
}

static tess_status check_volume(const extraction *e, const char *arg, const tess_array *volume)
{
    const tess__fft_variant given = { "shape", e->shape, "opts->from", e->o.from, .any_b = false };
    TESS_TRY(tess__check_spectrum(FN, arg, volume, given));
    TESS_TRY(tess__slice_check_dtype(FN, arg, volume));
    return TESS_OK;
}

static tess_status check_weights(const extraction *e, const tess_array *volume)
{
    const tess_array *weights = e->o.weights;
    TESS_CHECK(!weights == !e->o.slice_weights, TESS_EARG,
               FN ": only one of `opts->weights` and `opts->slice_weights` is given; give both or neither");
    if (!weights) return TESS_OK;
    TESS_TRY(check_volume(e, "opts->weights", weights));
    TESS_CHECK(tess_dtype_kind(weights->dtype) == TESS_KIND_FLOAT, TESS_EDTYPE,
               FN ": `opts->weights` is %s; f32 or f64 is needed", tess_dtype_name(weights->dtype));
    TESS_TRY(tess__check_device_of(FN, "opts->weights", weights, "volume", volume));
    return TESS_OK;
}

/* Rotations and scales, which are to be released also if this fails. */
static tess_status take_parts(extraction *e, const tess_array *volume, const tess_array *rotations)
{
    const tess__slice_parts turned = { FN, "rotations", rotations, "slices", e->slices.b };
    const tess__slice_parts scaled = { FN, "opts->scales", e->o.scales, "slices", e->slices.b };
    TESS_TRY(tess__check_device_of(FN, "volume", volume, "rotations", rotations));
    TESS_TRY(tess__slice_rotations(&e->rotations, &turned));
    TESS_TRY(tess__slice_scales(&e->scales, &e->unscaled, &scaled, "volume", volume));
    return TESS_OK;
}

/* ---- Slices ---- */

/* Results and what they are taken from: of the volume, and of its weights if there are some. */
typedef struct pair {
    const char       *arg, *from;
    tess_array       *out;
    const tess_array *in;
} pair;

/* Both results, before anything is written. */
static tess_status take_outputs(tess__outputs *all, const extraction *e, const pair *pairs, int n)
{
    const tess__fft_variant form = { "opts->slice_shape", e->slices, "opts->to", e->o.to, .any_b = false };
    for (int k = 0; k < n; k++) {
        const pair *p = &pairs[k];
        if (!tess__is_empty_out(p->out)) TESS_TRY(tess__check_spectrum(FN, p->arg, p->out, form));
        tess__wants(all, p->arg, p->out, tess__spectrum_shape(e->slices, e->o.to), p->in->dtype, p->in->device);
        tess__reads(all, p->from, p->in);
    }
    TESS_TRY(tess__outputs_take(all));
    return TESS_OK;
}

static tess_status extract(extraction *e, const pair *pairs, int n)
{
    for (int k = 0; k < n && tess__has_elements(pairs[k].out); k++) {
        e->work.out = *pairs[k].out;
        e->work.in = *pairs[k].in;
        TESS_TRY(tess__spectrum_sample_run(&e->work));
    }
    return TESS_OK;
}

static tess_status run(extraction *e, tess_array *slices, const tess_array *volume, const tess_array *rotations)
{
    const pair pairs[2] = { { "slices", "volume", slices, volume },
                            { "opts->slice_weights", "opts->weights", e->o.slice_weights, e->o.weights } };
    TESS_TRY(check_shapes(e, rotations));
    TESS_TRY(check_volume(e, "volume", volume));
    TESS_TRY(check_weights(e, volume));
    e->work.name = FN;
    e->work.dims = 3;
    e->work.interp = e->o.interp;
    e->work.cutoff = e->o.cutoff;
    e->work.curve[0] = tess__slice_curve(e->o.ewald_h);
    e->work.curve[1] = tess__slice_curve(e->o.ewald_w);
    TESS_TRY(tess__slice_target(e->work.target, FN, e->o.target, e->shape));
    TESS_TRY(set_window(e));
    TESS_TRY(take_parts(e, volume, rotations));
    e->work.rotations = e->rotations;
    e->work.scales = e->unscaled;
    tess__slice_axes(e->work.in_n, e->work.in_order, e->shape, e->o.from);
    tess__slice_axes(e->work.out_n, e->work.out_order, e->slices, e->o.to);
    const int     n = e->o.weights ? 2 : 1;
    tess__outputs all = { .fn = FN };
    tess__reads(&all, "rotations", rotations);
    tess__reads(&all, "opts->scales", e->o.scales);
    TESS_TRY(take_outputs(&all, e, pairs, n));
    return tess__outputs_end(&all, extract(e, pairs, n));
}

tess_status tess_fourier_extract(tess_array *slices, const tess_array *volume, tess_shape shape,
                                 const tess_array *rotations, const tess_fourier_extract_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    extraction  e = { .shape = shape };
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_fourier_extract, opts, &e.o));
    if (e.o.to == 0) e.o.to = e.o.from;
    TESS_TRY(tess__check_pointer(FN, "slices", slices));
    TESS_TRY(tess__check_array(FN, "volume", volume));
    TESS_TRY(tess__check_array(FN, "rotations", rotations));
    TESS_GOTO(done, status, tess__hold(&held, FN, &volume));
    TESS_GOTO(done, status, run(&e, slices, volume, rotations));
done:
    tess_release(&held);
    tess_release(&e.rotations);
    tess_release(&e.scales);
    tess_release(&e.unscaled);
    return tess__error_under(status, FN);
}
