/* Gaussian, Laplacian, derivative and Sobel filters: convolutions with weights that are computed here. */
#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/signal/convolve.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/math.h"

enum { MAX_RADIUS = 1 << 18 };

static const tess_arg_info gaussian_args[] = {
    TESS__OUT("out", "the blurred array; any strides"),
    TESS__IN("in", "array to blur"),
    TESS__NEED(TESS_ARG_F64, "sigma_d", "standard deviation along d, in elements; 0: not along d"),
    TESS__NEED(TESS_ARG_F64, "sigma_h", "standard deviation along h, in elements; 0: not along h"),
    TESS__NEED(TESS_ARG_F64, "sigma_w", "standard deviation along w, in elements; 0: not along w"),
    TESS__BORDER_ROW(tess_gaussian_opts),
    TESS__UNUSED_ROW(tess_gaussian_opts),
    TESS__VALUE_ROW(tess_gaussian_opts),
    TESS__OPT_F64(tess_gaussian_opts, truncate, "", 4, 0, 1000,
                  "extent of the filter on each side, in standard deviations"),
};
TESS__CALL(gaussian_filter, v[0].out, v[1].in, v[2].f64, v[3].f64, v[4].f64, opts)
const tess_function_info tess__info_gaussian_filter = TESS__OP_OPTS(
    TESS_CUT_BATCHES, gaussian_filter, "convolve", "Blur arrays with a Gaussian.", gaussian_args, tess_gaussian_opts);

static const tess_arg_info laplacian_args[] = {
    TESS__OUT("out", "the Laplacian; any strides"),
    TESS__IN("in", "array to differentiate"),
    TESS__NEED(TESS_ARG_AXIS_SET, "axes", "axes among d, h and w; 0: those along which in is longer than 1"),
    TESS__BORDER_ROW(tess_laplacian_opts),
    TESS__UNUSED_ROW(tess_laplacian_opts),
    TESS__VALUE_ROW(tess_laplacian_opts),
};
TESS__CALL(laplacian, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_laplacian =
    TESS__OP_OPTS(TESS_CUT_BATCHES, laplacian, "convolve",
                  "Laplacian: the sum of second differences along a set of axes.", laplacian_args, tess_laplacian_opts);

static const tess_choice kinds[] = {
    { "central", TESS_DERIVATIVE_CENTRAL, "half the difference of both neighbours" },
    { "sobel", TESS_DERIVATIVE_SOBEL, "their difference, smoothed by 1 2 1 along the other axes" },
    { NULL, 0, NULL },
};
static const tess_arg_info derivative_args[] = {
    TESS__OUT("out", "the derivative; any strides"),
    TESS__IN("in", "array to differentiate"),
    TESS__NEED(TESS_ARG_AXIS, "axis", "the axis: d, h or w"),
    TESS__BORDER_ROW(tess_derivative_opts),
    TESS__OPT_CHOICE(tess_derivative_opts, kind, TESS_DERIVATIVE_CENTRAL, kinds, "method of estimation"),
    TESS__VALUE_ROW(tess_derivative_opts),
};
TESS__CALL(derivative, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_derivative = TESS__OP_OPTS(
    TESS_CUT_BATCHES, derivative, "convolve", "The derivative along an axis.", derivative_args, tess_derivative_opts);

static const tess_arg_info sobel_args[] = {
    TESS__OUT("out", "the derivative, or the magnitude; any strides"),
    TESS__IN("in", "array to differentiate"),
    TESS__NEED_AXES(TESS_D | TESS_H | TESS_W, "axes",
                    "one axis for its derivative, several for the magnitude; 0: those along which in is longer than 1"),
    TESS__BORDER_ROW(tess_sobel_opts),
    TESS__UNUSED_ROW(tess_sobel_opts),
    TESS__VALUE_ROW(tess_sobel_opts),
};
TESS__CALL(sobel, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_sobel =
    TESS__OP_OPTS(TESS_CUT_BATCHES, sobel, "convolve",
                  "Sobel filter: the smoothed derivative along an axis, or the magnitude over several.", sobel_args,
                  tess_sobel_opts, .work_bytes = 32);

static tess_status check(const char *fn, const tess_array *out, const tess_array *in)
{
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    return TESS_OK;
}

/* ---- Gaussian ---- */

/* exp(-x^2 / 2 sigma^2) at the integers up to `radius`, divided by their sum. */
static tess_status make_gaussian(tess_array *out, double sigma, int64_t radius)
{
    double sum = 0;
    TESS_TRY(tess__make("gaussian_filter", out, TESS_SHAPE(1, 1, 1, 2 * radius + 1), TESS_F64, tess_cpu(), false));
    double *weights = out->data;
    for (int64_t i = -radius; i <= radius; i++) {
        const double x = (double)i / sigma;
        sum += weights[i + radius] = tessm_exp(-0.5 * x * x);
    }
    for (int64_t i = 0; i < 2 * radius + 1; i++) weights[i] /= sum;
    return TESS_OK;
}

static tess_status check_sigmas(const double sigma[3], double truncate)
{
    static const char *const names[3] = { "sigma_d", "sigma_h", "sigma_w" };
    char                     text[32];
    bool                     any = false;
    for (int k = 0; k < 3; k++) {
        TESS_CHECK(sigma[k] >= 0 && sigma[k] * truncate < MAX_RADIUS, TESS_ERANGE,
                   "gaussian_filter: `%s` is %s; 0 to %d / `opts->truncate` is allowed", names[k],
                   tess__number_text(text, sigma[k]), MAX_RADIUS);
        any = any || sigma[k] > 0;
    }
    TESS_CHECK(any, TESS_ERANGE,
               "gaussian_filter: `sigma_d`, `sigma_h` and `sigma_w` are 0; at least one must be above 0");
    return TESS_OK;
}

tess_status tess_gaussian_filter(tess_array *out, const tess_array *in, double sigma_d, double sigma_h, double sigma_w,
                                 const tess_gaussian_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_gaussian_opts o;
    const double       sigma[3] = { sigma_d, sigma_h, sigma_w };
    tess_array         made[3] = { { .data = NULL } };
    const tess_array  *filters[3] = { NULL };
    tess_status        status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_gaussian_filter, opts, &o));
    TESS_TRY(check("gaussian_filter", out, in));
    TESS_TRY(check_sigmas(sigma, o.truncate));
    for (int k = 0; k < 3; k++) {
        if (sigma[k] == 0) continue;
        TESS_GOTO(done, status, make_gaussian(&made[k], sigma[k], (int64_t)(o.truncate * sigma[k] + 0.5)));
        filters[k] = &made[k];
    }
    const tess_separable_opts border = { .border = o.border, .correlate = 1, .value = o.value };
    TESS_GOTO(done, status,
              tess__convolve_axes("gaussian_filter", out, in, filters, &border, tess__float_of(in->dtype)));
done:
    for (int k = 0; k < 3; k++) tess_release(&made[k]);
    return status;
}

/* ---- Differences ---- */

/* Weights in an array of their own, since the work may run later. */
static tess_status make_weights(const char *fn, tess_array *out, const double *weights, tess_shape shape)
{
    TESS_TRY(tess__make(fn, out, shape, TESS_F64, tess_cpu(), false));
    memcpy(out->data, weights, (size_t)tess_n_bytes(out));
    return TESS_OK;
}

/* 1 -2 1 along each of the axes of size 3. */
static void set_laplacian(double weights[27], tess_shape shape)
{
    const int64_t n = shape.d * shape.h * shape.w, centre = n / 2;
    int64_t       step = 1;
    for (int k = 3; k > 0; k--) {
        if (shape.dim[k] == 1) continue;
        weights[centre - step] = weights[centre + step] = 1;
        weights[centre] -= 2;
        step *= 3;
    }
}

tess_status tess_laplacian(tess_array *out, const tess_array *in, int axes, const tess_laplacian_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_laplacian_opts o;
    double              weights[27] = { 0 };
    tess_shape          shape = { { 1, 1, 1, 1 } };
    tess_array          filter = { .data = NULL };
    TESS_TRY(tess__resolve(&tess__info_laplacian, opts, &o));
    TESS_TRY(check("laplacian", out, in));
    TESS_CHECK((axes & ~(TESS_D | TESS_H | TESS_W)) == 0, TESS_ERANGE,
               "laplacian: `axes` is %d; a set of d (%d), h (%d) and w (%d) is allowed", axes, TESS_D, TESS_H, TESS_W);
    for (int k = 1; k < 4; k++)
        if (axes ? axes & TESS_B << k : in->shape.dim[k] > 1) shape.dim[k] = 3;
    set_laplacian(weights, shape);
    const tess_convolve_opts border = { .border = o.border, .method = TESS_CONVOLVE_DIRECT, .value = o.value };
    TESS_TRY(make_weights("laplacian", &filter, weights, shape));
    const tess_status status = tess__convolve_window("laplacian", out, in, &filter, &border, tess__float_of(in->dtype));
    tess_release(&filter);
    TESS_TRY(status);
    return TESS_OK;
}

/* In the float or complex of the input, along an axis from 1 to 3. */
static tess_status differentiate(const char *fn, tess_array *out, const tess_array *in, int axis, bool is_sobel,
                                 const tess_separable_opts *border)
{
    static const double central[3] = { -0.5, 0, 0.5 }, sobel[3] = { -1, 0, 1 }, smooth[3] = { 1, 2, 1 };
    const tess_shape    three = TESS_SHAPE(1, 1, 1, 3);
    tess_array          along = { .data = NULL }, across = { .data = NULL };
    const tess_array   *filters[3] = { NULL };
    tess_status         status = TESS_OK;
    for (int k = 1; k < 4; k++)
        if (is_sobel && in->shape.dim[k] > 1) filters[k - 1] = &across;
    filters[axis - 1] = &along;
    TESS_GOTO(done, status, make_weights(fn, &along, is_sobel ? sobel : central, three));
    TESS_GOTO(done, status, make_weights(fn, &across, smooth, three));
    TESS_GOTO(done, status, tess__convolve_axes(fn, out, in, filters, border, tess__float_of(in->dtype)));
done:
    tess_release(&along);
    tess_release(&across);
    return status;
}

tess_status tess_derivative(tess_array *out, const tess_array *in, int axis, const tess_derivative_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_derivative_opts o;
    const int            given = axis;
    TESS_TRY(tess__resolve(&tess__info_derivative, opts, &o));
    TESS_TRY(check("derivative", out, in));
    TESS_TRY(tess__check_axis("derivative", "axis", &axis));
    TESS_CHECK(axis > 0, TESS_ERANGE, "derivative: `axis` is %d; 1 (d), 2 (h) or 3 (w) is needed", given);
    const tess_separable_opts border = { .border = o.border, .correlate = 1, .value = o.value };
    TESS_TRY(differentiate("derivative", out, in, axis, o.kind == TESS_DERIVATIVE_SOBEL, &border));
    return TESS_OK;
}

/* ---- Sobel ---- */

/* The magnitude of the derivatives along several axes, added to `total` one after the other. */
static tess_status magnitude(tess_array *out, const tess_array *in, int axes, const tess_separable_opts *border)
{
    const tess_dtype dtype = tess__half_to_single(tess__float_of(in->dtype));
    tess_array       total = { .data = NULL }, next = { .data = NULL };
    tess_status      status = TESS_OK;
    for (int k = 3; k > 0; k--) {
        tess_array *derivative = total.data ? &next : &total;
        if (!(axes & TESS_B << k)) continue;
        axes &= ~(TESS_B << k);
        if (!derivative->data)
            TESS_GOTO(done, status, tess__make("sobel", derivative, in->shape, dtype, in->device, false));
        TESS_GOTO(done, status, differentiate("sobel", derivative, in, k, true, border));
        if (derivative == &next) TESS_GOTO(done, status, tess_hypot(axes ? &total : out, &total, &next));
    }
done:
    tess_release(&total);
    tess_release(&next);
    return status;
}

tess_status tess_sobel(tess_array *out, const tess_array *in, int axes, const tess_sobel_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char     *fn = "sobel";
    tess_sobel_opts o;
    int             chosen = 0, last = 3;
    TESS_TRY(tess__resolve(&tess__info_sobel, opts, &o));
    TESS_TRY(check(fn, out, in));
    TESS_CHECK((axes & ~(TESS_D | TESS_H | TESS_W)) == 0, TESS_ERANGE,
               "sobel: `axes` is %d; a set of d (%d), h (%d) and w (%d) is allowed", axes, TESS_D, TESS_H, TESS_W);
    TESS_CHECK(o.border != TESS_BORDER_NOTHING, TESS_EARG,
               "sobel: `opts->border` is \"nothing\"; any other border is allowed");
    for (int k = 1; k < 4; k++)
        if (axes ? axes & TESS_B << k : in->shape.dim[k] > 1) chosen |= TESS_B << (last = k);
    const tess_separable_opts border = { .border = o.border, .correlate = 1, .value = o.value };
    const bool                is_one = (chosen & (chosen - 1)) == 0, made = tess__is_empty_out(out);
    if (is_one) {
        TESS_TRY(differentiate(fn, out, in, last, true, &border));
        return TESS_OK;
    }
    TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    TESS_TRY(tess__check_apart(fn, "out", out, "in", in));
    TESS_TRY(tess__output_like(fn, out, in, tess__float_of(in->dtype)));
    const tess_status status = tess__has_elements(out) ? magnitude(out, in, chosen, &border) : TESS_OK;
    return tess__finish(tess__error_under(status, fn), out, made);
}
