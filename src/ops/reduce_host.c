/* Reductions of a whole array to a number on the host. */
#include <inttypes.h>
#include <string.h>

#include "core/check.h"
#include "core/registry.h"
#include "core/stream.h"
#include "core/table.h"
#include "ops/reduce.h"
#include "tessera/reduce.h"

/* Run what was put together, and wait. */
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
                   "%s: %s is %s, and the result is complex; use %s", c->work.name, c->names[k],
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
        TESS_TRY(
            need_real(&c, skip_nan ? "the array form, with skip_nan" : "the array form, or the one that ends in _c64"));
    tess__reduce_to_host(&c, which, out, dtype);
    TESS_TRY(finish(&c));
    return TESS_OK;
}

/* The result in 64 bits, with a sign where the elements have one, and only then as what is asked for: the highest bit
 * is a number too large for i64, or one below 0. */
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
               "%s: in is %s; integers or bool are needed", fn, tess_dtype_name(c.work.dtype));
    const bool has_sign = kind != TESS_KIND_UINT;
    tess__reduce_to_host(&c, which, &bits, has_sign ? TESS_I64 : TESS_U64);
    TESS_TRY(finish(&c));
    const int stem = (int)strlen(fn) - 3; /* without i64, or u64 */
    TESS_CHECK(has_sign || !is_signed || bits <= INT64_MAX, TESS_ERANGE,
               "%s: the result is %" PRIu64 ", and i64 goes up to %" PRId64 "; use tess_%.*su64", fn, bits, INT64_MAX,
               stem, fn);
    TESS_CHECK(!has_sign || is_signed || bits <= INT64_MAX, TESS_ERANGE,
               "%s: the result is %" PRId64 ", and u64 begins at 0; use tess_%.*si64", fn, (int64_t)bits, stem, fn);
    memcpy(out, &bits, sizeof bits);
    return TESS_OK;
}

/* Variance or standard deviation of the whole of `in`, and its mean unless NULL. */
static tess_status variance_to(const char *fn, double *mean, double *out, const tess_array *in,
                               const tess_var_opts *opts, int op)
{
    tess__reducing c;
    tess_var_opts  o;
    tess_op_info   info = tess__info_var;
    info.name = fn;
    TESS_TRY(tess__check_pointer(fn, mean ? "std" : "out", out));
    TESS_TRY(tess__resolve(&info, opts, &o));
    TESS_TRY(tess__reduce_begin(&c, fn, in, 0));
    const bool apart = mean && tess__reduce_mean_apart(&c, op);
    TESS_TRY(tess__reduce_add(&c, apart ? TESS__R_MEAN : op));
    if (mean) TESS_TRY(tess__reduce_need_elements(&c));
    c.work.skip_nan = o.skip_nan;
    c.work.ddof = o.ddof;
    if (mean) TESS_TRY(need_real(&c, "tess_mean_std"));
    if (mean) tess__reduce_to_host(&c, 0, mean, TESS_F64);
    if (apart) TESS_TRY(tess__reduce_add(&c, op));
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
    tess_norm_opts o;
    tess_op_info   info = tess__info_norm;
    info.name = fn;
    TESS_TRY(tess__resolve(&info, opts, &o));
    const int op = o.order == TESS_NORM_L1    ? TESS__R_NORM_L1
                   : o.order == TESS_NORM_MAX ? TESS__R_NORM_MAX
                                              : TESS__R_NORM_L2;
    TESS_TRY(number_to(fn, out, in, op, 0, TESS_F64, o.skip_nan));
    return TESS_OK;
}

tess_status tess__extremes_to_host(const char *fn, double *min, double *max, const tess_array *in, bool skip_nan)
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
    if (op == TESS__R_DOT && dtype == TESS_F64) TESS_TRY(need_real(&c, "tess_dot_c64"));
    tess__reduce_to_host(&c, 0, out, dtype);
    TESS_TRY(finish(&c));
    return TESS_OK;
}

static tess_status place_to(const char *fn, int64_t place[4], int64_t *flat, const tess_array *in, int op)
{
    int64_t at = -1;
    TESS_TRY(tess__check_pointer(fn, "place", place));
    TESS_TRY(number_to(fn, &at, in, op, 0, TESS_I64, false));
    if (flat) *flat = at;
    for (int d = 3; d >= 0; d--) {
        place[d] = at % in->shape.dim[d];
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
#define PLACE (int64_t place[4], int64_t * flat, const tess_array *in)

_Static_assert(sizeof(bool) == 1, "a bool is written as an element of dtype bool");

FORM(sum_f64, NUMBER(double), number_to(fn, out, in, TESS__R_SUM, 0, TESS_F64, false))
FORM(prod_f64, NUMBER(double), number_to(fn, out, in, TESS__R_PROD, 0, TESS_F64, false))
FORM(mean_f64, NUMBER(double), number_to(fn, out, in, TESS__R_MEAN, 0, TESS_F64, false))
FORM(min_f64, NUMBER(double), number_to(fn, out, in, TESS__R_MINMAX, 0, TESS_F64, false))
FORM(max_f64, NUMBER(double), number_to(fn, out, in, TESS__R_MINMAX, 1, TESS_F64, false))
FORM(logsumexp_f64, NUMBER(double), number_to(fn, out, in, TESS__R_LOGSUMEXP, 0, TESS_F64, false))
FORM(nansum_f64, NUMBER(double), number_to(fn, out, in, TESS__R_SUM, 0, TESS_F64, true))
FORM(nanprod_f64, NUMBER(double), number_to(fn, out, in, TESS__R_PROD, 0, TESS_F64, true))
FORM(nanmean_f64, NUMBER(double), number_to(fn, out, in, TESS__R_MEAN, 0, TESS_F64, true))
FORM(nanmin_f64, NUMBER(double), number_to(fn, out, in, TESS__R_MINMAX, 0, TESS_F64, true))
FORM(nanmax_f64, NUMBER(double), number_to(fn, out, in, TESS__R_MINMAX, 1, TESS_F64, true))
FORM(nanlogsumexp_f64, NUMBER(double), number_to(fn, out, in, TESS__R_LOGSUMEXP, 0, TESS_F64, true))
FORM(sum_c64, COMPLEX, number_to(fn, out, in, TESS__R_SUM, 0, TESS_C64, false))
FORM(prod_c64, COMPLEX, number_to(fn, out, in, TESS__R_PROD, 0, TESS_C64, false))
FORM(mean_c64, COMPLEX, number_to(fn, out, in, TESS__R_MEAN, 0, TESS_C64, false))
FORM(count_nonzero_i64, NUMBER(int64_t), number_to(fn, out, in, TESS__R_COUNT, 0, TESS_I64, false))
FORM(any_bool, NUMBER(bool), number_to(fn, out, in, TESS__R_ANY, 0, TESS_BOOL, false))
FORM(all_bool, NUMBER(bool), number_to(fn, out, in, TESS__R_ALL, 0, TESS_BOOL, false))
FORM(sum_i64, NUMBER(int64_t), integer_to(fn, out, in, TESS__R_SUM, 0, TESS_I64))
FORM(sum_u64, NUMBER(uint64_t), integer_to(fn, out, in, TESS__R_SUM, 0, TESS_U64))
FORM(min_i64, NUMBER(int64_t), integer_to(fn, out, in, TESS__R_MINMAX, 0, TESS_I64))
FORM(min_u64, NUMBER(uint64_t), integer_to(fn, out, in, TESS__R_MINMAX, 0, TESS_U64))
FORM(max_i64, NUMBER(int64_t), integer_to(fn, out, in, TESS__R_MINMAX, 1, TESS_I64))
FORM(max_u64, NUMBER(uint64_t), integer_to(fn, out, in, TESS__R_MINMAX, 1, TESS_U64))
FORM(var_f64, VARIANCE, variance_to(fn, NULL, out, in, opts, TESS__R_VAR))
FORM(std_f64, VARIANCE, variance_to(fn, NULL, out, in, opts, TESS__R_STD))
FORM(mean_std_f64, MEAN_STD, mean_std_to(fn, mean, std, in, opts))
FORM(norm_f64, NORM, norm_to(fn, out, in, opts))
FORM(minmax_f64, MINMAX, tess__extremes_to_host(fn, min, max, in, false))
FORM(nanminmax_f64, MINMAX, tess__extremes_to_host(fn, min, max, in, true))
FORM(dot_f64, PAIR, pair_to(fn, out, a, b, TESS__R_DOT, TESS_F64))
FORM(dot_c64, COMPLEX_PAIR, pair_to(fn, out, a, b, TESS__R_DOT, TESS_C64))
FORM(rmsd_f64, PAIR, pair_to(fn, out, a, b, TESS__R_RMSD, TESS_F64))
FORM(argmin_place, PLACE, place_to(fn, place, flat, in, TESS__R_ARGMIN))
FORM(argmax_place, PLACE, place_to(fn, place, flat, in, TESS__R_ARGMAX))
