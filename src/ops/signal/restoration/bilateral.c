/* Bilateral filter of Tomasi and Manduchi: the mean of a window with weights of distances in space and in value. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "ops/signal/restoration/restoration.h"
#include "tessera/device.h"
#include "tessera/math.h"
#include "tessera/restoration.h"

enum { MAX_SIGMA = 100000 };

static const tess_arg_info args[] = {
    TESS__OUT("out", "the filtered array; any strides"),
    TESS__IN("in", "real numbers; any strides"),
    TESS__NEED(TESS_ARG_F64, "sigma_value", "standard deviation of the weights of differences, in units of the values",
               .sample = "0.5"),
    TESS__NEED(TESS_ARG_F64, "sigma_space", "standard deviation of the weights of distances, in elements",
               .sample = "1"),
    TESS__RESTORATION_BORDER(tess_bilateral_opts),
    TESS__UNUSED_ROW(tess_bilateral_opts),
    TESS__VALUE_ROW(tess_bilateral_opts),
    TESS__AUTO_F64(tess_bilateral_opts, sigma_d, "elements", "sigma_space", TESS__POSITIVE, MAX_SIGMA,
                   "standard deviation of the weights of distances along d"),
    TESS__AUTO_F64(tess_bilateral_opts, sigma_h, "elements", "sigma_space", TESS__POSITIVE, MAX_SIGMA,
                   "standard deviation of the weights of distances along h"),
    TESS__AUTO_F64(tess_bilateral_opts, sigma_w, "elements", "sigma_space", TESS__POSITIVE, MAX_SIGMA,
                   "standard deviation of the weights of distances along w"),
    TESS__AUTO_SHAPE(tess_bilateral_opts, window, "2 ceil(3 sigma) + 1", "odd sizes of the window along d, h and w"),
};
TESS__CALL(bilateral, v[0].out, v[1].in, v[2].f64, v[3].f64, opts)
const tess_function_info tess__info_bilateral =
    TESS__OP_OPTS(TESS_CUT_BATCHES, bilateral, "restoration",
                  "Remove noise and keep edges: the mean of a window, weighted by distances in space and in value.",
                  args, tess_bilateral_opts);

/* The window along each axis and its standard deviation. */
static tess_shape window_of(const tess_bilateral_opts *o, tess_shape shape, const double sigma[4])
{
    tess_shape window = o->window;
    if (window.b == 0) window.b = 1;
    for (int k = 1; k < 4; k++)
        if (window.dim[k] == 0) window.dim[k] = shape.dim[k] == 1 ? 1 : 2 * (int64_t)tessm_ceil(3 * sigma[k]) + 1;
    return window;
}

/* exp(-(distance / sigma)^2 / 2) of all elements of the window, where the work is done. */
static tess_status make_space(tess__stencil *work, tess_shape window, const double sigma[4], tess_device device)
{
    tess_array  wide = { .data = NULL }, narrow = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__make(work->name, &wide, window, TESS_F64, tess_cpu(), false));
    double *weights = wide.data;
    for (int64_t d = 0; d < window.d; d++)
        for (int64_t h = 0; h < window.h && !tess__cancelled(); h++)
            for (int64_t w = 0; w < window.w; w++) {
                const double z = (double)(d - window.d / 2) / sigma[1], y = (double)(h - window.h / 2) / sigma[2];
                const double x = (double)(w - window.w / 2) / sigma[3];
                *weights++ = tessm_exp(-0.5 * (z * z + y * y + x * x));
            }
    TESS_GOTO(done, status, tess_cast(&narrow, &wide, work->computed, NULL));
    TESS_GOTO(done, status, tess_to_device(&work->filter[0], &narrow, device));
done:
    tess_release(&wide);
    tess_release(&narrow);
    return status;
}

static tess_status run(tess__stencil *work, tess_array *out, const tess_array *in, const tess_bilateral_opts *o,
                       double sigma_space)
{
    const double given[4] = { 0, o->sigma_d, o->sigma_h, o->sigma_w };
    double       sigma[4] = { 0 };
    tess_status  status = TESS_OK;
    for (int k = 1; k < 4; k++) sigma[k] = given[k] > 0 ? given[k] : sigma_space;
    const tess_shape window = window_of(o, in->shape, sigma);
    TESS_TRY(tess__check_window(work->name, "opts->window", window));
    for (int k = 0; k < 3; k++) work->size[k] = window.dim[k + 1];
    TESS_GOTO(done, status, make_space(work, window, sigma, in->device));
    TESS_GOTO(done, status, tess__stencil_finish(work, out, in, tess__float_of(in->dtype)));
done:
    tess_release(&work->filter[0]);
    return status;
}

tess_status tess_bilateral(tess_array *out, const tess_array *in, double sigma_value, double sigma_space,
                           const tess_bilateral_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char         *fn = "bilateral";
    tess_bilateral_opts o;
    tess__stencil       work = { .name = fn, .kind = TESS__STENCIL_BILATERAL };
    TESS_TRY(tess__resolve(&tess__info_bilateral, opts, &o));
    TESS_TRY(tess__restoration_arrays(fn, out, in, o.border));
    TESS_TRY(tess__restoration_positive(fn, "sigma_value", sigma_value, DBL_MAX));
    TESS_TRY(tess__restoration_positive(fn, "sigma_space", sigma_space, MAX_SIGMA));
    work.computed = tess__half_to_single(tess__float_of(in->dtype));
    work.scale = tess__restoration_scale(sqrt(0.5), sigma_value, work.computed);
    TESS_TRY(tess__stencil_border(&work, out, &(tess__outside){ o.border, o.value, 0 }));
    TESS_TRY(run(&work, out, in, &o, sigma_space));
    return TESS_OK;
}
