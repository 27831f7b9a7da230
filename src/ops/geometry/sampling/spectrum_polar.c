/* Spectra of images in polar coordinates: description, checks, request. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/fft/layout.h"
#include "ops/geometry/sampling/polar.h"

#define NUMBER(field, unit, help) TESS__OPT_F64(tess_spectrum_to_polar_opts, field, unit, 0, -DBL_MAX, DBL_MAX, help)
#define STOP(field, unit, how, help)                                                                                   \
    TESS__AUTO_F64(tess_spectrum_to_polar_opts, field, unit, how, -DBL_MAX, DBL_MAX, help)
static const tess_arg_info args[] = {
    TESS__OUT("out", "angles along h, frequencies along w; any strides", .axes = "B,1,h,w"),
    TESS__IN("in", "spectra of images", .sample = "b,d,h,w/2+1", .axes = "B,1,h,w"),
    TESS__NEED_SHAPE("shape", "logical shape: the shape of the real images or full spectra"),
    TESS__AUTO_F64(tess_spectrum_to_polar_opts, stop, "cycles per pixel", "given by shape", TESS__POSITIVE, 1e6,
                   "highest frequency of in"),
    NUMBER(rho_start, "cycles per pixel", "first frequency"),
    STOP(rho_stop, "cycles per pixel", "the highest", "last frequency"),
    NUMBER(phi_start, "radians", "first angle, from +x to +y"),
    STOP(phi_stop, "radians", "half a turn after phi_start", "end of the range of angles"),
    TESS__INTERP_ROW(tess_spectrum_to_polar_opts),
    TESS__OPT_CHOICE(tess_spectrum_to_polar_opts, layout, TESS_FFT_H, tess__fft_layouts, "layout of in"),
    TESS__FLAG(tess_spectrum_to_polar_opts, no_endpoint, "the last frequency of in lies one step below stop"),
    TESS__FLAG(tess_spectrum_to_polar_opts, rho_no_endpoint, "the last frequency of out lies one step below rho_stop"),
    TESS__FLAG(tess_spectrum_to_polar_opts, phi_endpoint, "the last angle is phi_stop"),
    TESS__OPT_I32(tess_spectrum_to_polar_opts, unused, "", 0, 0, 0, "must be 0"),
    TESS__AUTO_I64(tess_spectrum_to_polar_opts, height, "", "automatic", 1, (double)INT32_MAX, "height of out"),
    TESS__AUTO_I64(tess_spectrum_to_polar_opts, width, "", "automatic", 1, (double)INT32_MAX, "width of out"),
};
TESS__CALL(spectrum_to_polar, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_spectrum_to_polar =
    TESS__OP_OPTS(TESS_CUT_BATCHES, spectrum_to_polar, "polar", "Resample spectra of images to polar coordinates.",
                  args, tess_spectrum_to_polar_opts);

static tess_status check_input(const char *fn, const tess_array *in, tess_shape shape,
                               const tess_spectrum_to_polar_opts *o)
{
    char                    text[TESS__SHAPE_TEXT];
    const tess__fft_variant form = { "shape", shape, "opts->layout", o->layout, .any_b = false };
    TESS_TRY(tess__check_spectrum(fn, "in", in, form));
    TESS_CHECK(shape.d == 1, TESS_ESHAPE,
               "%s: `shape` is %s; the shape of images, {n,1,h,w}, is needed, not of a volume", fn,
               tess__shape_text(text, shape.dim));
    return TESS_OK;
}

/* The axis of a spectrum, whose coordinates are frequencies in samples. */
static tess__resample_axis axis_of(int layout, int axis, int64_t n)
{
    const int                 order = tess__fft_axis_of(layout, axis, n).order;
    const tess__resample_axis half = { .n = n, .high = n / 2 + 1, .border = TESS_BORDER_ZERO };
    const tess__resample_axis full = { .n = n, .low = -(n / 2), .high = (n + 1) / 2, .border = TESS_BORDER_ZERO };
    tess__resample_axis       a = order == TESS__FFT_HALF ? half : full;
    if (order == TESS__FFT_CENTRED) a.zero = n / 2;
    if (order == TESS__FFT_FIRST) a.wrap = n;
    return a;
}

/* The axes of what is read, and how many samples of them a frequency of 1 is; returns the highest frequency. */
static double set_axes(tess__resample_2d *work, tess_shape shape, const tess_spectrum_to_polar_opts *o)
{
    double highest = 0;
    work->source.spectrum = 1;
    work->source.half = tess__fft_is_half(o->layout);
    for (int k = 0; k < 2; k++) {
        const int64_t               n = shape.dim[2 + k];
        const tess__resample_cycles c = tess__resample_cycles_of(n, 0, o->stop, o->no_endpoint);
        work->source.axis[k] = axis_of(o->layout, 2 + k, n);
        work->grid.scale[k] = c.count / c.span;
        if (n > 1) highest = fmax(highest, (double)(n / 2) * c.span / c.count);
    }
    return highest > 0 ? highest : 0.5;
}

static tess_status set_ranges(tess__resample_grid *g, const char *fn, tess_spectrum_to_polar_opts *o, double highest)
{
    static const char *const names[2] = { "opts->rho_start", "opts->rho_stop" };
    char                     text[32];
    if (isnan(o->rho_stop)) o->rho_stop = highest;
    if (isnan(o->phi_stop)) o->phi_stop = o->phi_start + TESS_PI;
    TESS_TRY(tess__check_radii(fn, names, o->rho_start, o->rho_stop));
    TESS_CHECK(o->phi_stop != o->phi_start, TESS_ERANGE,
               "%s: `opts->phi_start` and `opts->phi_stop` are both %s; they must differ", fn,
               tess__number_text(text, o->phi_start));
    g->rho_start = o->rho_start;
    g->phi_start = o->phi_start;
    return TESS_OK;
}

tess_status tess_spectrum_to_polar(tess_array *out, const tess_array *in, tess_shape shape,
                                   const tess_spectrum_to_polar_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char                 *fn = "spectrum_to_polar";
    tess_spectrum_to_polar_opts o;
    tess__resample_2d           work = { .name = fn, .grid = { .kind = TESS__RESAMPLE_RAYS } };
    tess_status                 status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_spectrum_to_polar, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_input(fn, in, shape, &o));
    TESS_TRY(set_ranges(&work.grid, fn, &o, set_axes(&work, shape, &o)));
    const bool    made = tess__is_empty_out(out);
    const int64_t width = o.width ? o.width : tess__max(shape.h, shape.w) / 2 + 1;
    const double  arc = ceil(TESS_PI * (double)(width - 1));
    const int64_t height = o.height ? o.height : arc < 1 ? 1 : (int64_t)arc;
    const bool    fits = !made && out->shape.d == 1 && out->shape.b == shape.b;
    TESS_TRY(tess__output(fn, out, fits ? out->shape : TESS_SHAPE(shape.b, 1, height, width),
                          tess__transform_dtype(in->dtype), in->device));
    if (!made) TESS_GOTO(done, status, tess__check_overlap(fn, out, "in", in, false));
    work.grid.rho_step = tess__resample_step(o.rho_start, o.rho_stop, out->shape.w, !o.rho_no_endpoint);
    work.grid.phi_step = tess__resample_step(o.phi_start, o.phi_stop, out->shape.h, o.phi_endpoint);
    work.interp = o.interp;
    if (tess__has_elements(out) && tess__has_elements(in))
        TESS_GOTO(done, status, tess__resample_submit(&work, out, in));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}
