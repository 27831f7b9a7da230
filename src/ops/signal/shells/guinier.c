/* Guinier plots and sharpening weights: the B-factor of a map by least squares, and what its shells count. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/signal/shells/shells.h"
#include "tessera/op.h"

static const tess_arg_info fit_args[] = {
    TESS__OUT("out", "B-factor, value at frequency 0 and correlation, {b,d,h,3}; f64 if newly allocated",
              .axes = "B,D,H,3"),
    TESS__IN("amplitudes", "amplitudes of frequencies from 0 on, {b,d,h,n}", .axes = "B,D,H,n"),
    TESS__NEED(TESS_ARG_F64, "step", "step between frequencies, in 1/angstrom"),
    TESS__OPT_F64(tess_guinier_fit_opts, low, "1/angstrom", 0, 0, DBL_MAX, "first frequency of the fit"),
    TESS__AUTO_F64(tess_guinier_fit_opts, high, "1/angstrom", "the highest", TESS__POSITIVE, DBL_MAX,
                   "last frequency of the fit"),
};
TESS__CALL(guinier_fit, v[0].out, v[1].in, v[2].f64, opts)
const tess_function_info tess__info_guinier_fit =
    TESS__OP_OPTS(TESS_CUT_BATCHES, guinier_fit, "fsc", "Estimate the B-factor of a map from its amplitudes.", fit_args,
                  tess_guinier_fit_opts);

static const tess_arg_info weight_args[] = {
    TESS__OUT("out", "sqrt(2 fsc / (1 + fsc)); f64 if newly allocated; may be the input itself"),
    TESS__IN("fsc", "FSC of two half maps"),
};
TESS__CALL(fsc_weight, v[0].out, v[1].in)
const tess_function_info tess__info_fsc_weight = TESS__OP(
    TESS_CUT_BATCHES, fsc_weight, "fsc", "Weights for the mean of two half maps, from their FSC.", weight_args);

/* Distances from the means, so that a plot far from 0 loses no digits.
 * A frequency of 1e-9 outside its range is one that was rounded. */
/* clang-format off */
TESS_IWISE(guinier_line, (view(f64,amplitude), val(i32,n), val(f64,step), val(f64,low), val(f64,high), out(f64,z)),
    f64 count = 0.0;
    f64 mean_x = 0.0;
    f64 mean_y = 0.0;
    for (i32 i = 1; i < n; ++i) {
        f64 f = (f64)i*step;
        f64 a = tess_at(amplitude, b, d, h, i);
        f64 u = a > 0.0 && f*1.000000001 >= low && f*0.999999999 <= high ? 1.0 : 0.0;
        count = count + u;
        mean_x = mean_x + u*f*f;
        mean_y = mean_y + u*tessm_log(u > 0.0 ? a : 1.0);
    }
    mean_x = mean_x / count;
    mean_y = mean_y / count;
    f64 xx = 0.0;
    f64 xy = 0.0;
    f64 yy = 0.0;
    for (i32 i = 1; i < n; ++i) {
        f64 f = (f64)i*step;
        f64 a = tess_at(amplitude, b, d, h, i);
        f64 u = a > 0.0 && f*1.000000001 >= low && f*0.999999999 <= high ? 1.0 : 0.0;
        f64 x = u*(f*f - mean_x);
        f64 y = u*(tessm_log(u > 0.0 ? a : 1.0) - mean_y);
        xx = xx + x*x;
        xy = xy + x*y;
        yy = yy + y*y;
    }
    f64 slope = xy / xx;
    z = w == 0 ? 4.0*slope : w == 1 ? mean_y - slope*mean_x : xy / tessm_sqrt(xx*yy); )

TESS_EWISE(half_map_weight, (in(f64,fsc), out(f64,z)),
    z = fsc <= 0.0 ? 0.0 : tessm_sqrt(2.0*fsc / (1.0 + fsc)); )
/* clang-format on */

static tess_status check_rows(const char *fn, const char *arg, const tess_array *a)
{
    TESS_TRY(tess__check_numbers(fn, arg, a));
    TESS_TRY(tess__check_curve_dtype(fn, arg, a->dtype));
    return TESS_OK;
}

/* ---- Fit ---- */

static tess_status fit(tess_array *out, const tess_array *in, double step, const tess_guinier_fit_opts *o)
{
    const double high = o->high > 0 ? o->high : DBL_MAX;
    tess_array   rows = { .data = NULL }, exact = { .data = NULL };
    tess_status  status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&rows, in, TESS_F64, NULL));
    TESS_GOTO(done, status, tess__make("guinier_fit", &exact, out->shape, TESS_F64, out->device, false));
    TESS_GOTO(done, status, tess_call(&guinier_line, &rows, (int32_t)in->shape.w, step, o->low, high, &exact));
    TESS_GOTO(done, status, tess_cast(out, &exact, out->dtype, NULL));
done:
    tess_release(&rows);
    tess_release(&exact);
    return status;
}

tess_status tess_guinier_fit(tess_array *out, const tess_array *amplitudes, double step,
                             const tess_guinier_fit_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_guinier_fit_opts o;
    char                  text[2][32];
    const char           *fn = "guinier_fit";
    TESS_TRY(tess__resolve(&tess__info_guinier_fit, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_rows(fn, "amplitudes", amplitudes));
    TESS_CHECK(step > 0 && step < DBL_MAX, TESS_ERANGE, "%s: `step` is %s; a number above 0 is needed", fn,
               tess__number_text(text[0], step));
    TESS_CHECK(o.high == 0 || o.high > o.low, TESS_ERANGE, "%s: `opts->high` is %s; it must exceed `opts->low`, %s", fn,
               tess__number_text(text[0], o.high), tess__number_text(text[1], o.low));
    TESS_CHECK(amplitudes->shape.w <= INT32_MAX, TESS_ESHAPE,
               "%s: `amplitudes` has %lld frequencies; at most 2147483647 are allowed", fn,
               (long long)amplitudes->shape.w);
    const bool made = tess__is_empty_out(out);
    tess_shape wanted = amplitudes->shape;
    wanted.w = 3;
    if (!made) TESS_TRY(tess__check_curve_dtype(fn, "out", out->dtype));
    TESS_TRY(tess__output(fn, out, wanted, made ? TESS_F64 : out->dtype, amplitudes->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "amplitudes", amplitudes, false));
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, fit(out, amplitudes, step, &o));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}

/* ---- Weights ---- */

static tess_status weigh(tess_array *out, const tess_array *fsc)
{
    tess_array  exact = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&exact, fsc, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_call(&half_map_weight, &exact, &exact));
    TESS_GOTO(done, status, tess_cast(out, &exact, out->dtype, NULL));
done:
    tess_release(&exact);
    return status;
}

tess_status tess_fsc_weight(tess_array *out, const tess_array *fsc)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char *fn = "fsc_weight";
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_rows(fn, "fsc", fsc));
    const bool made = tess__is_empty_out(out);
    if (!made) TESS_TRY(tess__check_curve_dtype(fn, "out", out->dtype));
    TESS_TRY(tess__output(fn, out, fsc->shape, made ? TESS_F64 : out->dtype, fsc->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "fsc", fsc, true));
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, weigh(out, fsc));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}
