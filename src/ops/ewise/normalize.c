/* Normalisation: reductions into small temporaries, then one element-wise pass. */
#include "tessera/normalize.h"

#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "tessera/ewise.h"
#include "tessera/reduce.h"

static const tess_choice modes[] = {
    { "min_max", TESS_NORMALIZE_MIN_MAX, "from 0 to 1" },
    { "mean_std", TESS_NORMALIZE_MEAN_STD, "mean 0 and standard deviation 1" },
    { "l2", TESS_NORMALIZE_L2, "L2 norm 1" },
    { "mean_l2", TESS_NORMALIZE_MEAN_L2, "mean 0 and L2 norm 1" },
    { "sum", TESS_NORMALIZE_SUM, "sum 1" },
    { NULL, 0, NULL },
};
static const tess_arg_info args[] = {
    TESS__OUT("out", "the normalised numbers; may be the input (in place)"),
    TESS__IN("in", "numbers to normalise"),
    TESS__NEED(TESS_ARG_AXIS_SET, "axes", "axes to normalise together; 0 means all"),
    TESS__OPT_CHOICE(tess_normalize_opts, mode, TESS_NORMALIZE_MEAN_STD, modes,
                     "property that the results have in common"),
    TESS__OPT_I32(tess_normalize_opts, ddof, "", 0, -(double)INT32_MAX, INT32_MAX,
                  "mean_std: the variance is divided by the number of elements minus this"),
};
TESS__CALL(normalize, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_normalize =
    TESS__OP_OPTS(TESS_CUT_BATCHES, normalize, "normalize", "Normalise numbers to a common range, mean, norm or sum.",
                  args, tess_normalize_opts);

static const tess_arg_info log_args[] = {
    TESS__OUT("out", "the normalised logarithms; may be the input (in place)"),
    TESS__IN("in", "logarithms to normalise"),
    TESS__NEED(TESS_ARG_AXIS_SET, "axes", "axes to normalise together; 0 means all"),
};
TESS__CALL(log_normalize, v[0].out, v[1].in, v[2].i32)
const tess_function_info tess__info_log_normalize = TESS__OP(
    TESS_CUT_BATCHES, log_normalize, "normalize", "Subtract logsumexp, so that the exponentials sum to 1.", log_args);

/* ---- Checks ---- */

static tess_status check_input(const char *fn, const tess_array *in, int axes, bool real)
{
    TESS_TRY(tess__check_numbers(fn, "in", in));
    if (real) TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    TESS_TRY(tess__check_axis_set(fn, axes));
    return TESS_OK;
}

/* ---- Temporaries ---- */

/* Subtrahend and divisor for each result of a reduction, in f64 or c64. */
typedef struct scale {
    tess_array shift, size, other; /* `other` is for what leads to them */
} scale;

static void release(scale *s)
{
    tess_release(&s->shift);
    tess_release(&s->size);
    tess_release(&s->other);
}

/* Elements that are reduced together. */
static double count(const tess_array *in, int axes)
{
    double n = 1;
    for (int d = 0; d < 4; d++)
        if (!axes || axes & TESS_B << d) n *= (double)in->shape.dim[d];
    return n;
}

static tess_status make(const char *fn, tess_array *out, const tess_array *in, int axes, bool is_complex)
{
    tess_shape shape = in->shape;
    for (int d = 0; d < 4; d++)
        if (!axes || axes & TESS_B << d) shape.dim[d] = 1;
    TESS_TRY(tess__make(fn, out, shape, is_complex ? TESS_C64 : TESS_F64, in->device, false));
    return TESS_OK;
}

/* ---- The element-wise pass ---- */

/* Real and imaginary parts are shifted and scaled separately. */
static tess_status apply(tess_array *out, const tess_array *in, const tess_array *shift, const tess_array *size)
{
    if (tess_dtype_kind(in->dtype) != TESS_KIND_COMPLEX) {
        TESS_TRY(tess_shift_scale(out, in, shift, size));
        return TESS_OK;
    }
    tess_array view[3];
    const bool complex_shift = tess_dtype_kind(shift->dtype) == TESS_KIND_COMPLEX;
    TESS_TRY(tess_real_view(&view[0], out));
    TESS_TRY(tess_real_view(&view[1], in));
    if (complex_shift) TESS_TRY(tess_real_view(&view[2], shift));
    TESS_TRY(tess_shift_scale(&view[0], &view[1], complex_shift ? &view[2] : shift, size));
    TESS_TRY(tess_imag_view(&view[0], out));
    TESS_TRY(tess_imag_view(&view[1], in));
    if (complex_shift) TESS_TRY(tess_imag_view(&view[2], shift));
    TESS_TRY(tess_shift_scale(&view[0], &view[1], complex_shift ? &view[2] : shift, size));
    return TESS_OK;
}

static tess_status by_range(tess_array *out, const tess_array *in, int axes, scale *s)
{
    TESS_TRY(make("normalize", &s->shift, in, axes, false));
    TESS_TRY(make("normalize", &s->size, in, axes, false));
    TESS_TRY(tess_minmax(&s->shift, &s->size, in, axes, NULL));
    TESS_TRY(tess_sub(&s->size, &s->size, &s->shift));
    TESS_TRY(apply(out, in, &s->shift, &s->size));
    return TESS_OK;
}

/* The L2 norm of distances from the mean is sqrt(number of elements) times their standard deviation. */
static tess_status by_mean(tess_array *out, const tess_array *in, int axes, const tess_normalize_opts *o, scale *s)
{
    const tess_var_opts opts = { .ddof = o->ddof };
    TESS_TRY(make("normalize", &s->shift, in, axes, tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX));
    TESS_TRY(make("normalize", &s->size, in, axes, false));
    TESS_TRY(tess_mean_std(&s->shift, &s->size, in, axes, &opts));
    if (o->mode == TESS_NORMALIZE_MEAN_L2) TESS_TRY(tess_mul(&s->size, &s->size, &tess_f64(sqrt(count(in, axes)))));
    TESS_TRY(apply(out, in, &s->shift, &s->size));
    return TESS_OK;
}

static tess_status by_norm(tess_array *out, const tess_array *in, int axes, scale *s)
{
    TESS_TRY(make("normalize", &s->size, in, axes, false));
    TESS_TRY(tess_norm(&s->size, in, axes, NULL));
    TESS_TRY(apply(out, in, &tess_f64(0), &s->size));
    return TESS_OK;
}

/* Where nothing is other than 0, by 1 instead of the sum. Sums of the widest integers could wrap, means do not. */
static tess_status by_sum(tess_array *out, const tess_array *in, int axes, scale *s)
{
    const bool           wraps = in->dtype == TESS_I64 || in->dtype == TESS_U64;
    const tess_reduction items[2] = { { wraps ? TESS_REDUCE_MEAN : TESS_REDUCE_SUM, &s->size },
                                      { TESS_REDUCE_ANY, &s->other } };
    TESS_TRY(make("normalize", &s->size, in, axes, tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX));
    TESS_TRY(tess_reduce(items, 2, in, axes, NULL));
    if (wraps) TESS_TRY(tess_mul(&s->size, &s->size, &tess_f64(count(in, axes))));
    TESS_TRY(tess_where(&s->size, &s->other, &s->size, &tess_num(1)));
    TESS_TRY(tess_true_div(out, in, &s->size));
    return TESS_OK;
}

static tess_status scale_by(tess_array *out, const tess_array *in, int axes, const tess_normalize_opts *o, scale *s)
{
    switch (o->mode) {
    case TESS_NORMALIZE_MIN_MAX: return by_range(out, in, axes, s);
    case TESS_NORMALIZE_L2: return by_norm(out, in, axes, s);
    case TESS_NORMALIZE_SUM: return by_sum(out, in, axes, s);
    default: return by_mean(out, in, axes, o, s);
    }
}

tess_status tess_normalize(tess_array *out, const tess_array *in, int axes, const tess_normalize_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_normalize_opts o;
    scale               s = { .shift = { .data = NULL } };
    TESS_TRY(tess__resolve(&tess__info_normalize, opts, &o));
    TESS_TRY(tess__check_pointer("normalize", "out", out));
    TESS_CHECK(o.ddof == 0 || o.mode == TESS_NORMALIZE_MEAN_STD, TESS_EARG,
               "normalize: `opts->ddof` is %d; it is allowed only if `opts->mode` is mean_std", (int)o.ddof);
    TESS_TRY(check_input("normalize", in, axes, o.mode == TESS_NORMALIZE_MIN_MAX));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output_like("normalize", out, in, tess__float_of(in->dtype)));
    if (!tess__has_elements(out)) return TESS_OK;
    const tess_status status = scale_by(out, in, axes, &o, &s);
    release(&s);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}

/* Where all are -inf there is nothing to scale, and nothing is subtracted. */
static tess_status subtract_logsumexp(tess_array *out, const tess_array *in, int axes, scale *s)
{
    TESS_TRY(make("log_normalize", &s->shift, in, axes, false));
    TESS_TRY(tess_logsumexp(&s->shift, in, axes, NULL));
    TESS_TRY(tess_equal(&s->other, &s->shift, &tess_f64(-(double)INFINITY)));
    TESS_TRY(tess_where(&s->shift, &s->other, &tess_f64(0), &s->shift));
    TESS_TRY(tess_sub(out, in, &s->shift));
    return TESS_OK;
}

tess_status tess_log_normalize(tess_array *out, const tess_array *in, int axes)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    scale s = { .shift = { .data = NULL } };
    TESS_TRY(tess__check_pointer("log_normalize", "out", out));
    TESS_TRY(check_input("log_normalize", in, axes, true));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output_like("log_normalize", out, in, tess__float_of(in->dtype)));
    if (!tess__has_elements(out)) return TESS_OK;
    const tess_status status = subtract_logsumexp(out, in, axes, &s);
    release(&s);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}
