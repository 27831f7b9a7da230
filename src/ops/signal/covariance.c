/* Covariance matrices: the product of the centred data with its own conjugate transpose; and the mean with the L2 norm
 * about it. */
#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "tessera/ewise.h"
#include "tessera/linalg.h"
#include "tessera/reduce.h"
#include "tessera/scalar.h"
#include "tessera/statistics.h"

enum { ELEMENTS = TESS_D | TESS_H | TESS_W };

static const tess_arg_info args[] = {
    TESS__OUT("out", "the covariance matrix, {1,1,m,m}", .axes = "1,1,m,m"),
    TESS__IN("in", "the data: each batch is a variable, each element an observation"),
    TESS__FLAG(tess_covariance_opts, elements, "treat each element as a variable and each batch as an observation"),
    TESS__OPT_I32(tess_covariance_opts, ddof, "", 0, -(double)INT32_MAX, INT32_MAX,
                  "delta degrees of freedom: divisor is observations - ddof"),
};
TESS__CALL(covariance, v[0].out, v[1].in, opts)
const tess_function_info tess__info_covariance =
    TESS__OP_OPTS(TESS_CUT_NONE, covariance, "statistics", "Covariance matrix of batches or of their elements.", args,
                  tess_covariance_opts);

static const tess_arg_info norm_args[] = {
    TESS__OUT("mean", "the mean"),
    TESS__OUT("norm", "the L2 norm of the deviations from the mean"),
    TESS__IN("in", "array to reduce"),
    TESS__NEED_REDUCED(0, "axes to reduce; 0: all"),
};
TESS__CALL(mean_l2_norm, v[0].out, v[1].out, v[2].in, v[3].i32)
const tess_function_info tess__info_mean_l2_norm =
    TESS__OP(TESS_CUT_BATCHES, mean_l2_norm, "statistics", "Mean, and L2 norm of the deviations from it.", norm_args);

/* ---- Covariance ---- */

/* The data without its means, contiguous. */
static tess_status centre(tess_array *data, const tess_array *in, bool elements, tess_dtype dtype)
{
    tess_array mean = { .data = NULL };
    TESS_TRY(tess_cast(data, in, dtype, NULL));
    TESS_TRY(tess_mean(&mean, data, elements ? TESS_B : ELEMENTS, NULL));
    const tess_status status = tess_sub(data, data, &mean);
    tess_release(&mean);
    return status;
}

/* X X^H / n of the matrix X {b,elements}, or X^T conj(X) / n, which is the conjugate of X^H X / n. */
static tess_status multiply(tess_array *out, const tess_array *data, const tess_covariance_opts *o)
{
    const tess_shape       s = data->shape;
    const double           n = (double)(o->elements ? s.b : s.d * s.h * s.w) - (double)o->ddof;
    const tess_matmul_opts opts = { .form_a = o->elements ? TESS_MATRIX_CONJUGATE : TESS_MATRIX_AS_IS,
                                    .form_b = o->elements ? TESS_MATRIX_AS_IS : TESS_MATRIX_CONJUGATE };
    tess_array             matrix;
    TESS_TRY(tess_reshape(&matrix, data, TESS_SHAPE(1, 1, s.b, s.d * s.h * s.w)));
    TESS_TRY(tess_matmul(out, &matrix, &matrix, &opts));
    TESS_TRY(tess_div(out, out, &tess_num(n)));
    if (o->elements && tess_dtype_kind(out->dtype) == TESS_KIND_COMPLEX) TESS_TRY(tess_conj(out, out));
    return TESS_OK;
}

tess_status tess_covariance(tess_array *out, const tess_array *in, const tess_covariance_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_covariance_opts o;
    const char          *fn = "covariance";
    TESS_TRY(tess__resolve(&tess__info_covariance, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    const tess_shape s = in->shape;
    const int64_t    n = s.d * s.h * s.w, m = o.elements ? n : s.b, observations = o.elements ? s.b : n;
    const tess_dtype dtype = tess__half_to_single(tess__float_of(in->dtype));
    TESS_CHECK(m == 0 || observations > o.ddof, TESS_ERANGE,
               "%s: `opts->ddof` is %d and there are %" PRId64 " observations of each variable; ddof must be smaller",
               fn, (int)o.ddof, observations);
    const bool  made = tess__is_empty_out(out);
    tess_array  data = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__output(fn, out, TESS_SHAPE(1, 1, m, m), dtype, in->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
    if (m == 0) return TESS_OK;
    TESS_GOTO(done, status, centre(&data, in, o.elements, dtype));
    TESS_GOTO(done, status, multiply(out, &data, &o));
done:
    tess_release(&data);
    return tess__finish(tess__error_under(status, fn), out, made);
}

/* ---- Mean and norm ---- */

tess_status tess_mean_l2_norm(tess_array *mean, tess_array *norm, const tess_array *in, int axes)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char *fn = "mean_l2_norm";
    TESS_TRY(tess__check_pointer(fn, "mean", mean));
    TESS_TRY(tess__check_pointer(fn, "norm", norm));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_axis_set(fn, axes));
    const bool made_mean = tess__is_empty_out(mean), made_norm = tess__is_empty_out(norm);
    TESS_CHECK(made_norm || tess_dtype_kind(norm->dtype) == TESS_KIND_FLOAT, TESS_EDTYPE,
               "%s: `norm` is %s; f16, f32 or f64 is needed", fn, tess_dtype_name(norm->dtype));
    double        n = 1;
    tess_shape    shape = in->shape;
    tess__outputs all = { .fn = fn };
    for (int d = 0; d < 4; d++) {
        if (axes && !(axes & TESS_B << d)) continue;
        n *= (double)in->shape.dim[d];
        shape.dim[d] = 1;
    }
    tess__wants(&all, "mean", mean, shape, mean->dtype, in->device);
    tess__wants(&all, "norm", norm, shape, norm->dtype, in->device);
    tess__reads(&all, "in", in);
    TESS_TRY(tess__outputs_check(&all));
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_mean_std(mean, norm, in, axes, NULL));
    TESS_GOTO(done, status, tess_mul(norm, norm, &tess_num(sqrt(n))));
done:
    (void)tess__finish(status, mean, made_mean);
    return tess__finish(tess__error_under(status, fn), norm, made_norm);
}
