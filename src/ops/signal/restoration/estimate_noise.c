/* Estimate of noise: the median of absolute second differences along all axes (Immerkaer, Donoho). */
#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "ops/signal/convolve.h"
#include "tessera/ewise.h"
#include "tessera/reduce.h"
#include "tessera/restoration.h"
#include "tessera/scalar.h"

/* The median of the magnitude of normally distributed numbers, in standard deviations. */
#define MEDIAN_OF_NORMAL 0.67448975019608174

static const char *const   fn = "estimate_noise";
static const tess_arg_info args[] = {
    TESS__OUT("out", "standard deviations of the noise, {b,1,1,1} of f64", .axes = "B,1,1,1"),
    TESS__IN("in", "signals, images or volumes; real numbers"),
};
TESS__CALL(estimate_noise, v[0].out, v[1].in)
const tess_function_info tess__info_estimate_noise =
    TESS__OP(TESS_CUT_BATCHES, estimate_noise, "restoration", "Estimate the standard deviation of the noise.", args);

/* Those that have a second difference. */
static bool is_long(const tess_array *in, int axis) { return in->shape.dim[axis] > 2; }

static tess_status make_differences(tess_array *out, const tess_array *in)
{
    static const double weights[3] = { -1, 2, -1 };
    tess_array          vector = { .data = NULL };
    const tess_array   *filters[3] = { NULL };
    const tess_dtype    dtype = tess__float_of(in->dtype);
    tess_status         status = TESS_OK;
    TESS_TRY(tess__make(fn, &vector, TESS_SHAPE(1, 1, 1, 3), TESS_F64, tess_cpu(), false));
    memcpy(vector.data, weights, sizeof weights);
    for (int k = 1; k < 4; k++)
        if (is_long(in, k)) filters[k - 1] = &vector;
    const tess_separable_opts o = { .border = TESS_BORDER_CLAMP };
    TESS_GOTO(done, status, tess__make(fn, out, in->shape, tess__half_to_single(dtype), in->device, false));
    TESS_GOTO(done, status, tess__convolve_axes(fn, out, in, filters, &o, dtype));
done:
    tess_release(&vector);
    return status;
}

/* Without the differences at the edges, which are those of a border. */
static tess_status estimate(tess_array *out, const tess_array *in)
{
    tess_array  differences = { .data = NULL }, median = { .data = NULL }, inner;
    tess_status status = TESS_OK;
    double      scale = MEDIAN_OF_NORMAL;
    TESS_GOTO(done, status, make_differences(&differences, in));
    inner = differences;
    for (int k = 1; k < 4; k++) {
        if (!is_long(in, k)) continue;
        scale *= sqrt(6.0);
        TESS_GOTO(done, status, tess_slice(&inner, &inner, k, 1, in->shape.dim[k] - 1, 1));
    }
    TESS_GOTO(done, status, tess_abs(&inner, &inner));
    TESS_GOTO(done, status, tess__make(fn, &median, out->shape, TESS_F64, in->device, false));
    TESS_GOTO(done, status,
              tess_median(&median, &inner, TESS_D | TESS_H | TESS_W, &(tess_median_opts){ .skip_nan = 1 }));
    TESS_GOTO(done, status, tess_true_div(out, &median, &tess_num(scale)));
done:
    tess_release(&differences);
    tess_release(&median);
    return status;
}

static tess_status run(tess_array *out, const tess_array *in)
{
    const bool any = is_long(in, 1) || is_long(in, 2) || is_long(in, 3);
    if (!any || tess_is_empty(in)) TESS_TRY(tess_fill(out, NAN));
    else TESS_TRY(estimate(out, in));
    return TESS_OK;
}

tess_status tess_estimate_noise(tess_array *out, const tess_array *in)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, TESS_SHAPE(in->shape.b, 1, 1, 1), made ? TESS_F64 : out->dtype, in->device));
    if (!made) {
        TESS_TRY(tess__check_converts(fn, "out", out, TESS_F64));
        TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
    }
    const tess_status status = tess__has_elements(out) ? run(out, in) : TESS_OK;
    return tess__finish(tess__error_under(status, fn), out, made);
}
