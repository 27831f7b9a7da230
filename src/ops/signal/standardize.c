/* Standardisation in Fourier space: by Parseval's theorem, the standard deviation of an image is the norm of its
 * spectrum without the zero frequency. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "ops/fft/fft.h"
#include "ops/signal/filter.h"
#include "ops/signal/shells/shells.h"
#include "tessera/ewise.h"
#include "tessera/reduce.h"
#include "tessera/scalar.h"
#include "tessera/statistics.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the scaled spectrum or its power; may be the input itself if the layouts agree"),
    TESS__IN("in", "a complex spectrum", .sample = TESS__HALF_SPECTRUM),
    TESS__FILTER_SHAPE,
    TESS__FILTER_ROWS(tess_standardize_opts),
    TESS__OPT_CHOICE(tess_standardize_opts, norm, TESS_FFT_NORM_BACKWARD, tess__fft_norms,
                     "normalisation of the transforms"),
};
TESS__CALL(standardize, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_standardize =
    TESS__OP_OPTS(TESS_CUT_BATCHES, standardize, "statistics",
                  "Scale a spectrum to mean 0 and standard deviation 1 in real space.", args, tess_standardize_opts);

/* total = hypot(total, scale * norm of the view), batch by batch: neither overflows where the result does not. */
static tess_status add_norm(tess_array *total, const tess_array *view, double scale)
{
    tess_array  norm = { .data = NULL };
    tess_status status = TESS_OK;
    if (!tess__has_elements(view)) return TESS_OK;
    TESS_GOTO(done, status, tess__make("standardize", &norm, total->shape, TESS_F64, total->device, false));
    TESS_GOTO(done, status, tess_norm(&norm, view, TESS_D | TESS_H | TESS_W, NULL));
    if (scale != 1) TESS_GOTO(done, status, tess_mul(&norm, &norm, &tess_f64(scale)));
    TESS_GOTO(done, status, tess_hypot(total, total, &norm));
done:
    tess_release(&norm);
    return status;
}

/* The boxes around one coefficient, which a large mean would drown the others in; `zero` becomes the view of it. */
static tess_status add_around(tess_array *total, tess_array *zero, const tess_array *view, const int64_t at[4])
{
    *zero = *view;
    for (int axis = 1; axis < 4; axis++) {
        const tess_array all = *zero;
        tess_array       part;
        TESS_TRY(tess_slice(&part, &all, axis, 0, at[axis], 1));
        TESS_TRY(add_norm(total, &part, 1));
        TESS_TRY(tess_slice(&part, &all, axis, at[axis] + 1, all.shape.dim[axis], 1));
        TESS_TRY(add_norm(total, &part, 1));
        TESS_TRY(tess_slice(zero, &all, axis, at[axis], at[axis] + 1, 1));
    }
    return TESS_OK;
}

static void find_zero(int64_t at[4], tess_shape shape, int layout)
{
    at[0] = 0;
    for (int axis = 1; axis < 4; axis++) {
        const tess__fft_axis a = tess__fft_axis_of(layout, axis, shape.dim[axis]);
        at[axis] = a.order == TESS__FFT_CENTRED ? a.n / 2 : 0;
    }
}

/* The norm of each batch of the full spectrum without its zero frequency, which one that begins above it has not. */
static tess_status find_norms(tess_array *total, const tess_array *in, tess_shape shape, const tess_standardize_opts *o)
{
    int64_t    at[4];
    tess_array zero, part;
    find_zero(at, shape, o->from);
    if (!tess__fft_is_half(o->from)) {
        TESS_TRY(add_around(total, &zero, in, at));
        return TESS_OK;
    }
    const bool even = shape.w % 2 == 0;
    TESS_TRY(tess_slice(&part, in, 3, 0, 1, 1));
    if (o->start > 0) TESS_TRY(add_norm(total, &part, sqrt(2)));
    else TESS_TRY(add_around(total, &zero, &part, at));
    if (even) {
        TESS_TRY(tess_slice(&part, in, 3, shape.w / 2, shape.w / 2 + 1, 1));
        TESS_TRY(add_norm(total, &part, 1));
    }
    TESS_TRY(tess_slice(&part, in, 3, 1, shape.w / 2 + !even, 1));
    TESS_TRY(add_norm(total, &part, sqrt(2)));
    return TESS_OK;
}

static double scale_of(tess_shape shape, int norm)
{
    const double n = (double)shape.d * (double)shape.h * (double)shape.w;
    return norm == TESS_FFT_NORM_FORWARD ? 1 : norm == TESS_FFT_NORM_ORTHO ? sqrt(n) : n;
}

/* The factor of each batch; a norm of 0 is taken for 1: then there is nothing but zeros to be multiplied. */
static tess_status find_factors(tess_array *total, const tess_array *in, tess_shape shape,
                                const tess_standardize_opts *o)
{
    tess_array  none = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status,
              tess__make("standardize", total, TESS_SHAPE(in->shape.b, 1, 1, 1), TESS_F64, in->device, true));
    TESS_GOTO(done, status, find_norms(total, in, shape, o));
    TESS_GOTO(done, status, tess_equal(&none, total, &tess_f64(0)));
    TESS_GOTO(done, status, tess_where(total, &none, &tess_f64(1), total));
    TESS_GOTO(done, status, tess_div(total, &tess_f64(scale_of(shape, o->norm)), total));
done:
    tess_release(&none);
    return status;
}

/* A call that was checked. */
static tess_status run(const tess__filter_call *c, const tess_standardize_opts *o)
{
    tess__spectrum_filter work = { .spec = { .kind = TESS__FILTER_SCALE }, .column_of = { TESS__SCALE_FACTOR } };
    tess__filter_call     inner = *c;
    tess_array            factors = { .data = NULL }, held = { .data = NULL };
    tess_status           status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, c->fn, &inner.in));
    TESS_GOTO(done, status, find_factors(&factors, inner.in, c->shape, o));
    inner.parameters = &factors;
    inner.columns = "the factor";
    inner.min_columns = inner.max_columns = 1;
    TESS_GOTO(done, status, tess__filter_run(&work, &inner));
done:
    tess_release(&factors);
    tess_release(&held);
    return status;
}

tess_status tess_standardize(tess_array *out, const tess_array *in, tess_shape shape, const tess_standardize_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_standardize_opts o;
    const char           *fn = "standardize";
    TESS_TRY(tess__resolve(&tess__info_standardize, opts, &o));
    tess__filter_call call = { .fn = fn, .out = out, .in = in, .shape = shape, .range = TESS__FILTER_RANGE(o) };
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_spectrum(fn, "in", in,
                                  (tess__fft_variant){ "shape", shape, "opts->from", o.from, .any_b = false }));
    TESS_TRY(tess__check_coefficients(fn, "in", in));
    const bool  made = tess__is_empty_out(out);
    tess_status status = TESS_OK;
    TESS_TRY(tess__filter_check(&call));
    if (tess__has_elements(out)) status = run(&call, &o);
    return tess__finish(tess__error_under(status, fn), out, made);
}
