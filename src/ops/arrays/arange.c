/* Arithmetic sequences: arange, linspace. */
#include <math.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"

#define MAKE_ARGS                                                                                                      \
    TESS__OUT("out", "the array; allocated if it is zeroed"),                                                          \
        TESS__NEED(TESS_ARG_SHAPE, "shape", "shape of the array"),                                                     \
        TESS__NEED(TESS_ARG_DTYPE, "dtype", "dtype of the array"),                                                     \
        TESS__NEED(TESS_ARG_DEVICE, "device", "device of the array")

static const tess_arg_info arange_args[] = {
    MAKE_ARGS,
    TESS__NEED(TESS_ARG_F64, "start", "first element"),
    TESS__NEED(TESS_ARG_F64, "step", "difference between consecutive elements"),
};
TESS__CALL(arange, v[0].out, v[1].shape, v[2].dtype, v[3].device, v[4].f64, v[5].f64)
const tess_function_info tess__info_arange = TESS__OP(
    TESS_CUT_NONE, arange, "array", "Evenly spaced numbers from a start by a step, in b, d, h, w order.", arange_args);

static const tess_arg_info linspace_args[] = {
    MAKE_ARGS,
    TESS__NEED(TESS_ARG_F64, "start", "first element"),
    TESS__NEED(TESS_ARG_F64, "stop", "last element"),
    TESS__OPT_RESULT(tess_linspace_opts, step, double *, "receives the step"),
    TESS__FLAG(tess_linspace_opts, no_endpoint, "exclude `stop`"),
};
TESS__CALL(linspace, v[0].out, v[1].shape, v[2].dtype, v[3].device, v[4].f64, v[5].f64, opts)
const tess_function_info tess__info_linspace =
    TESS__OP_OPTS(TESS_CUT_NONE, linspace, "array", "Evenly spaced numbers from a start to a stop.", linspace_args,
                  tess_linspace_opts);

/* Dtypes that hold a number. */
static tess_status check_scalar(const char *fn, tess_dtype dtype)
{
    TESS_TRY(tess__check_dtype(fn, "dtype", dtype));
    TESS_CHECK(tess_dtype_kind(dtype) != TESS_KIND_COMPOUND, TESS_EDTYPE,
               "%s: `dtype` is %s; a number type is needed, not a vector or matrix", fn, tess_dtype_name(dtype));
    return TESS_OK;
}

static bool is_integer(tess_dtype dtype)
{
    return tess_dtype_kind(dtype) == TESS_KIND_INT || tess_dtype_kind(dtype) == TESS_KIND_UINT;
}

static bool is_whole(double x) { return x == floor(x) && x >= -0x1p62 && x <= 0x1p62; }

/* Integer sequences are computed in integers, exactly, if every element is in range. */
static void choose_arithmetic(tess__fill_index *work)
{
    int64_t last;
    work->integral = false;
    if (!is_integer(work->out.dtype)) return;
    if (!is_whole(work->start) || !is_whole(work->step)) return;
    work->int_start = (int64_t)work->start;
    work->int_step = (int64_t)work->step;
    work->integral = !__builtin_mul_overflow(work->int_step, work->n > 0 ? work->n - 1 : 0, &last) &&
                     !__builtin_add_overflow(work->int_start, last, &last);
}

static tess_status check_finite(const char *fn, const char *arg, double value)
{
    char text[32];
    TESS_CHECK(isfinite(value), TESS_EARG, "%s: `%s` is %s; a finite number is needed", fn, arg,
               tess__number_text(text, value));
    return TESS_OK;
}

static tess_status run(const tess__fill_index *work, tess_array *out, bool made)
{
    if (work->n == 0) return TESS_OK;
    TESS_TRY(tess__finish(tess__fill_index_run(work), out, made));
    return TESS_OK;
}

tess_status tess_arange(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device, double start,
                        double step)
{
    TESS__FLOAT_SCOPE();
    TESS_TRY(check_scalar("arange", dtype));
    TESS_TRY(check_finite("arange", "start", start));
    TESS_TRY(check_finite("arange", "step", step));
    TESS_TRY(tess__check_pointer("arange", "out", out));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output("arange", out, shape, dtype, device));
    tess__fill_index work = {
        .name = "arange", .out = *out, .n = tess_n_elements(out), .start = start, .step = step, .scale = 1
    };
    choose_arithmetic(&work);
    TESS_TRY(run(&work, out, made));
    return TESS_OK;
}

tess_status tess_linspace(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device, double start,
                          double stop, const tess_linspace_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_linspace_opts o;
    TESS_TRY(tess__resolve(&tess__info_linspace, opts, &o));
    TESS_TRY(check_scalar("linspace", dtype));
    TESS_TRY(check_finite("linspace", "start", start));
    TESS_TRY(check_finite("linspace", "stop", stop));
    TESS_TRY(tess__check_pointer("linspace", "out", out));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output("linspace", out, shape, dtype, device));
    const int64_t n = tess_n_elements(out), gaps = o.no_endpoint ? n : n - 1;
    /* Where stop - start would overflow, everything is computed in halves. */
    const double     scale = isfinite(stop - start) ? 1 : 2;
    const double     step = gaps > 0 ? (stop / scale - start / scale) / (double)gaps : 0;
    tess__fill_index work = { .name = "linspace",
                              .out = *out,
                              .n = n,
                              .start = start / scale,
                              .step = step,
                              .scale = scale,
                              .last = stop,
                              .ends = !o.no_endpoint && n > 1,
                              .floors = is_integer(dtype) };
    TESS_TRY(run(&work, out, made));
    if (o.step) *o.step = scale * step;
    return TESS_OK;
}
