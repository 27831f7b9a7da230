/* Reductions of a whole array to one number on the host. */
#include <inttypes.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/marks.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "ops/reduce/reduce.h"
#include "tessera/reduce.h"

/* Run the reduction, and wait. */
static tess_status finish(tess__reducing *c)
{
    TESS_TRY(tess__check_waits(c->work.name, c->work.in[0].device));
    TESS_TRY(tess__reduce_end(c, TESS_OK));
    TESS_TRY(tess__sync(c->work.name, c->work.in[0].device));
    return TESS_OK;
}

static tess_status need_real(const tess__reducing *c, const char *instead)
{
    for (int k = 0; k < c->work.n_inputs; k++)
        TESS_CHECK(tess_dtype_kind(c->work.in[k].dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
                   "%s: `%s` is %s, and the result is complex; use %s", c->work.name, c->names[k],
                   tess_dtype_name(c->work.in[k].dtype), instead);
    return TESS_OK;
}

/* One number of one reduction of the whole of `in`. */
static tess_status number_to(const char *fn, void *out, const tess_array *in, int op, int which, tess_dtype dtype,
                             bool skip_nan)
{
    tess__reducing c;
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__reduce_begin(&c, fn, in, 0));
    TESS_TRY(tess__reduce_add(&c, op));
    c.work.skip_nan = skip_nan;
    if (dtype == TESS_F64 && (op == TESS__R_SUM || op == TESS__R_PROD || op == TESS__R_MEAN))
        TESS_TRY(need_real(&c, skip_nan ? "the array form, with skip_nan"
                                        : "the array form, or the one that ends in _complex"));
    tess__reduce_to_host(&c, which, out, dtype);
    TESS_TRY(finish(&c));
    return TESS_OK;
}

/* The result in 64 bits, signed where the elements are, and only then as the type of the function: the highest
 * bit is a number too large for i64, or one below 0. */
static tess_status integer_to(const char *fn, void *out, const tess_array *in, int op, int which, tess_dtype dtype)
{
    tess__reducing c;
    uint64_t       bits = 0;
    const bool     is_signed = dtype == TESS_I64;
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__reduce_begin(&c, fn, in, 0));
    TESS_TRY(tess__reduce_add(&c, op));
    const tess_kind kind = tess_dtype_kind(c.work.dtype);
    TESS_CHECK(kind == TESS_KIND_BOOL || kind == TESS_KIND_INT || kind == TESS_KIND_UINT, TESS_EDTYPE,
               "%s: `in` is %s; integers or bool are needed", fn, tess_dtype_name(c.work.dtype));
    const bool has_sign = kind != TESS_KIND_UINT;
    tess__reduce_to_host(&c, which, &bits, has_sign ? TESS_I64 : TESS_U64);
    TESS_TRY(finish(&c));
    const int stem = (int)strlen(fn) - (is_signed ? 3 : 4); /* without int, or uint */
    TESS_CHECK(has_sign || !is_signed || bits <= INT64_MAX, TESS_ERANGE,
               "%s: the result is %" PRIu64 "; the maximum of i64 is %" PRId64 "; use `tess_%.*suint`", fn, bits,
               INT64_MAX, stem, fn);
    TESS_CHECK(!has_sign || is_signed || bits <= INT64_MAX, TESS_ERANGE,
               "%s: the result is %" PRId64 ", below the range of u64; use `tess_%.*sint`", fn, (int64_t)bits, stem,
               fn);
    memcpy(out, &bits, sizeof bits);
    return TESS_OK;
}

/* Variance or standard deviation of the whole of `in`, and its mean unless NULL. */
static tess_status variance_to(const char *fn, double *mean, double *out, const tess_array *in,
                               const tess_var_opts *opts, int op)
{
    tess__reducing     c;
    tess_var_opts      o;
    tess_function_info info = tess__info_var;
    info.name = fn;
    TESS_TRY(tess__check_pointer(fn, mean ? "std" : "out", out));
    TESS_TRY(tess__resolve(&info, opts, &o));
    TESS_TRY(tess__reduce_begin(&c, fn, in, 0));
    const bool disjoint = mean && tess__reduce_mean_disjoint(&c, op);
    TESS_TRY(tess__reduce_add(&c, disjoint ? TESS__R_MEAN : op));
    if (mean) TESS_TRY(tess__reduce_need_elements(&c));
    c.work.skip_nan = o.skip_nan;
    c.work.ddof = o.ddof;
    if (mean) TESS_TRY(need_real(&c, TESS__MARK("tess_mean_std")));
    if (mean) tess__reduce_to_host(&c, 0, mean, TESS_F64);
    if (disjoint) TESS_TRY(tess__reduce_add(&c, op));
    tess__reduce_to_host(&c, 1, out, TESS_F64);
    TESS_TRY(finish(&c));
    return TESS_OK;
}

static tess_status mean_std_to(const char *fn, double *mean, double *std, const tess_array *in,
                               const tess_var_opts *opts)
{
    TESS_TRY(tess__check_pointer(fn, "mean", mean));
    TESS_TRY(variance_to(fn, mean, std, in, opts, TESS__R_STD));
    return TESS_OK;
}

static tess_status norm_to(const char *fn, double *out, const tess_array *in, const tess_norm_opts *opts)
{
    tess_norm_opts     o;
    tess_function_info info = tess__info_norm;
    info.name = fn;
    TESS_TRY(tess__resolve(&info, opts, &o));
    const int op = o.order == TESS_NORM_L1    ? TESS__R_NORM_L1
                   : o.order == TESS_NORM_MAX ? TESS__R_NORM_MAX
                                              : TESS__R_NORM_L2;
    TESS_TRY(number_to(fn, out, in, op, 0, TESS_F64, o.skip_nan));
    return TESS_OK;
}

tess_status tess__minmax_to_host(const char *fn, double *min, double *max, const tess_array *in, bool skip_nan)
{
    tess__reducing c;
    TESS_TRY(tess__check_pointer(fn, "min", min));
    TESS_TRY(tess__check_pointer(fn, "max", max));
    TESS_TRY(tess__reduce_begin(&c, fn, in, 0));
    TESS_TRY(tess__reduce_add(&c, TESS__R_MINMAX));
    c.work.skip_nan = skip_nan;
    tess__reduce_to_host(&c, 0, min, TESS_F64);
    tess__reduce_to_host(&c, 1, max, TESS_F64);
    TESS_TRY(finish(&c));
    return TESS_OK;
}

static tess_status pair_to(const char *fn, void *out, const tess_array *a, const tess_array *b, int op,
                           tess_dtype dtype)
{
    static const char *const names[2] = { "a", "b" };
    tess__reducing           c;
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__reduce_begin_two(&c, fn, names, a, b, 0, false));
    TESS_TRY(tess__reduce_add(&c, op));
    if (op == TESS__R_DOT && dtype == TESS_F64) TESS_TRY(need_real(&c, TESS__MARK("tess_host_dot_complex")));
    tess__reduce_to_host(&c, 0, out, dtype);
    TESS_TRY(finish(&c));
    return TESS_OK;
}

static tess_status position_to(const char *fn, int64_t position[4], int64_t *flat, const tess_array *in, int op)
{
    int64_t at = -1;
    TESS_TRY(tess__check_pointer(fn, "position", position));
    TESS_TRY(number_to(fn, &at, in, op, 0, TESS_I64, false));
    if (flat) *flat = at;
    for (int d = 3; d >= 0; d--) {
        position[d] = at % in->shape.dim[d];
        at /= in->shape.dim[d];
    }
    return TESS_OK;
}

/* ---- The functions: name, parameters, what they do ---- */

#define FORM(name, parameters, call)                                                                                   \
    tess_status tess_##name parameters                                                                                 \
    {                                                                                                                  \
        static const char fn[] = #name;                                                                                \
        TESS_TRY(call);                                                                                                \
        return TESS_OK;                                                                                                \
    }
#define NUMBER(type) (type * out, const tess_array *in)
#define COMPLEX (double out[2], const tess_array *in)
#define VARIANCE (double *out, const tess_array *in, const tess_var_opts *opts)
#define MEAN_STD (double *mean, double *std, const tess_array *in, const tess_var_opts *opts)
#define NORM (double *out, const tess_array *in, const tess_norm_opts *opts)
#define MINMAX (double *min, double *max, const tess_array *in)
#define PAIR (double *out, const tess_array *a, const tess_array *b)
#define COMPLEX_PAIR (double out[2], const tess_array *a, const tess_array *b)
#define POSITION (int64_t position[4], int64_t * flat, const tess_array *in)

_Static_assert(sizeof(bool) == 1, "a bool is written as an element of dtype bool");

FORM(host_sum, NUMBER(double), number_to(fn, out, in, TESS__R_SUM, 0, TESS_F64, false))
FORM(host_prod, NUMBER(double), number_to(fn, out, in, TESS__R_PROD, 0, TESS_F64, false))
FORM(host_mean, NUMBER(double), number_to(fn, out, in, TESS__R_MEAN, 0, TESS_F64, false))
FORM(host_min, NUMBER(double), number_to(fn, out, in, TESS__R_MINMAX, 0, TESS_F64, false))
FORM(host_max, NUMBER(double), number_to(fn, out, in, TESS__R_MINMAX, 1, TESS_F64, false))
FORM(host_logsumexp, NUMBER(double), number_to(fn, out, in, TESS__R_LOGSUMEXP, 0, TESS_F64, false))
FORM(host_nansum, NUMBER(double), number_to(fn, out, in, TESS__R_SUM, 0, TESS_F64, true))
FORM(host_nanprod, NUMBER(double), number_to(fn, out, in, TESS__R_PROD, 0, TESS_F64, true))
FORM(host_nanmean, NUMBER(double), number_to(fn, out, in, TESS__R_MEAN, 0, TESS_F64, true))
FORM(host_nanmin, NUMBER(double), number_to(fn, out, in, TESS__R_MINMAX, 0, TESS_F64, true))
FORM(host_nanmax, NUMBER(double), number_to(fn, out, in, TESS__R_MINMAX, 1, TESS_F64, true))
FORM(host_nanlogsumexp, NUMBER(double), number_to(fn, out, in, TESS__R_LOGSUMEXP, 0, TESS_F64, true))
FORM(host_sum_complex, COMPLEX, number_to(fn, out, in, TESS__R_SUM, 0, TESS_C64, false))
FORM(host_prod_complex, COMPLEX, number_to(fn, out, in, TESS__R_PROD, 0, TESS_C64, false))
FORM(host_mean_complex, COMPLEX, number_to(fn, out, in, TESS__R_MEAN, 0, TESS_C64, false))
FORM(host_count_nonzero, NUMBER(int64_t), number_to(fn, out, in, TESS__R_COUNT, 0, TESS_I64, false))
FORM(host_any, NUMBER(bool), number_to(fn, out, in, TESS__R_ANY, 0, TESS_BOOL, false))
FORM(host_all, NUMBER(bool), number_to(fn, out, in, TESS__R_ALL, 0, TESS_BOOL, false))
FORM(host_sum_int, NUMBER(int64_t), integer_to(fn, out, in, TESS__R_SUM, 0, TESS_I64))
FORM(host_sum_uint, NUMBER(uint64_t), integer_to(fn, out, in, TESS__R_SUM, 0, TESS_U64))
FORM(host_min_int, NUMBER(int64_t), integer_to(fn, out, in, TESS__R_MINMAX, 0, TESS_I64))
FORM(host_min_uint, NUMBER(uint64_t), integer_to(fn, out, in, TESS__R_MINMAX, 0, TESS_U64))
FORM(host_max_int, NUMBER(int64_t), integer_to(fn, out, in, TESS__R_MINMAX, 1, TESS_I64))
FORM(host_max_uint, NUMBER(uint64_t), integer_to(fn, out, in, TESS__R_MINMAX, 1, TESS_U64))
FORM(host_var, VARIANCE, variance_to(fn, NULL, out, in, opts, TESS__R_VAR))
FORM(host_std, VARIANCE, variance_to(fn, NULL, out, in, opts, TESS__R_STD))
FORM(host_mean_std, MEAN_STD, mean_std_to(fn, mean, std, in, opts))
FORM(host_norm, NORM, norm_to(fn, out, in, opts))
FORM(host_minmax, MINMAX, tess__minmax_to_host(fn, min, max, in, false))
FORM(host_nanminmax, MINMAX, tess__minmax_to_host(fn, min, max, in, true))
FORM(host_dot, PAIR, pair_to(fn, out, a, b, TESS__R_DOT, TESS_F64))
FORM(host_dot_complex, COMPLEX_PAIR, pair_to(fn, out, a, b, TESS__R_DOT, TESS_C64))
FORM(host_rmsd, PAIR, pair_to(fn, out, a, b, TESS__R_RMSD, TESS_F64))
FORM(host_argmin, POSITION, position_to(fn, position, flat, in, TESS__R_ARGMIN))
FORM(host_argmax, POSITION, position_to(fn, position, flat, in, TESS__R_ARGMAX))
