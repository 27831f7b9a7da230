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

static tess_status need_integers(const tess__reducing *c)
{
    const tess_kind kind = tess_dtype_kind(c->work.dtype);
    TESS_CHECK(kind == TESS_KIND_BOOL || kind == TESS_KIND_INT || kind == TESS_KIND_UINT, TESS_EDTYPE,
               "%s: in is %s; integers or bool are needed", c->work.name, tess_dtype_name(c->work.dtype));
    return TESS_OK;
}

/* One number of one reduction of the whole of `in`. */
static tess_status reduce_to(const char *fn, int op, int which, void *out, tess_dtype dtype, const tess_array *in,
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

#define HOST_FUNCTION(name, type, op, which, dtype, skip_nan)                                                          \
    tess_status tess_##name(type *out, const tess_array *in)                                                           \
    {                                                                                                                  \
        TESS_TRY(reduce_to(#name, op, which, out, dtype, in, skip_nan));                                               \
        return TESS_OK;                                                                                                \
    }
HOST_FUNCTION(sum_f64, double, TESS__R_SUM, 0, TESS_F64, false)
HOST_FUNCTION(prod_f64, double, TESS__R_PROD, 0, TESS_F64, false)
HOST_FUNCTION(mean_f64, double, TESS__R_MEAN, 0, TESS_F64, false)
HOST_FUNCTION(min_f64, double, TESS__R_MINMAX, 0, TESS_F64, false)
HOST_FUNCTION(max_f64, double, TESS__R_MINMAX, 1, TESS_F64, false)
HOST_FUNCTION(count_nonzero_i64, int64_t, TESS__R_COUNT, 0, TESS_I64, false)
HOST_FUNCTION(logsumexp_f64, double, TESS__R_LOGSUMEXP, 0, TESS_F64, false)
HOST_FUNCTION(nansum_f64, double, TESS__R_SUM, 0, TESS_F64, true)
HOST_FUNCTION(nanprod_f64, double, TESS__R_PROD, 0, TESS_F64, true)
HOST_FUNCTION(nanmean_f64, double, TESS__R_MEAN, 0, TESS_F64, true)
HOST_FUNCTION(nanmin_f64, double, TESS__R_MINMAX, 0, TESS_F64, true)
HOST_FUNCTION(nanmax_f64, double, TESS__R_MINMAX, 1, TESS_F64, true)
HOST_FUNCTION(nanlogsumexp_f64, double, TESS__R_LOGSUMEXP, 0, TESS_F64, true)

_Static_assert(sizeof(bool) == 1, "a bool is written as an element of dtype bool");
HOST_FUNCTION(any_bool, bool, TESS__R_ANY, 0, TESS_BOOL, false)
HOST_FUNCTION(all_bool, bool, TESS__R_ALL, 0, TESS_BOOL, false)

tess_status tess_sum_c64(double out[2], const tess_array *in)
{
    TESS_TRY(reduce_to("sum_c64", TESS__R_SUM, 0, out, TESS_C64, in, false));
    return TESS_OK;
}

tess_status tess_prod_c64(double out[2], const tess_array *in)
{
    TESS_TRY(reduce_to("prod_c64", TESS__R_PROD, 0, out, TESS_C64, in, false));
    return TESS_OK;
}

tess_status tess_mean_c64(double out[2], const tess_array *in)
{
    TESS_TRY(reduce_to("mean_c64", TESS__R_MEAN, 0, out, TESS_C64, in, false));
    return TESS_OK;
}

/* ---- Integers ---- */

/* The result in 64 bits, with a sign where the elements have one, and only then as what is asked for: the highest bit
 * is a number too large for i64, or one below 0. `other` has the form that holds it. */
static tess_status integer_to(const char *fn, int op, int which, void *out, bool is_signed, const char *other,
                              const tess_array *in)
{
    tess__reducing c;
    uint64_t       bits = 0;
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__reduce_begin(&c, fn, in, 0));
    TESS_TRY(tess__reduce_add(&c, op));
    TESS_TRY(need_integers(&c));
    const bool has_sign = tess_dtype_kind(c.work.dtype) != TESS_KIND_UINT;
    tess__reduce_to_host(&c, which, &bits, has_sign ? TESS_I64 : TESS_U64);
    TESS_TRY(finish(&c));
    TESS_CHECK(has_sign || !is_signed || bits <= INT64_MAX, TESS_ERANGE,
               "%s: the result is %" PRIu64 ", and i64 goes up to %" PRId64 "; use %s", fn, bits, INT64_MAX, other);
    TESS_CHECK(!has_sign || is_signed || bits <= INT64_MAX, TESS_ERANGE,
               "%s: the result is %" PRId64 ", and u64 begins at 0; use %s", fn, (int64_t)bits, other);
    memcpy(out, &bits, sizeof bits);
    return TESS_OK;
}

#define INTEGER_FUNCTIONS(name, op, which)                                                                             \
    tess_status tess_##name##_i64(int64_t *out, const tess_array *in)                                                  \
    {                                                                                                                  \
        TESS_TRY(integer_to(#name "_i64", op, which, out, true, "tess_" #name "_u64", in));                            \
        return TESS_OK;                                                                                                \
    }                                                                                                                  \
    tess_status tess_##name##_u64(uint64_t *out, const tess_array *in)                                                 \
    {                                                                                                                  \
        TESS_TRY(integer_to(#name "_u64", op, which, out, false, "tess_" #name "_i64", in));                           \
        return TESS_OK;                                                                                                \
    }
INTEGER_FUNCTIONS(sum, TESS__R_SUM, 0)
INTEGER_FUNCTIONS(min, TESS__R_MINMAX, 0)
INTEGER_FUNCTIONS(max, TESS__R_MINMAX, 1)

/* ---- With options ---- */

/* Mean and spread of the whole of `in`; NULL: not wanted. */
static tess_status spread_to(const char *fn, int op, double *mean, double *spread, const tess_array *in,
                             const tess_var_opts *opts)
{
    tess__reducing c;
    tess_var_opts  o;
    tess_op_info   info = tess__info_var;
    info.name = fn;
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
    tess__reduce_to_host(&c, 1, spread, TESS_F64);
    TESS_TRY(finish(&c));
    return TESS_OK;
}

tess_status tess_var_f64(double *out, const tess_array *in, const tess_var_opts *opts)
{
    TESS_TRY(tess__check_pointer("var_f64", "out", out));
    TESS_TRY(spread_to("var_f64", TESS__R_VAR, NULL, out, in, opts));
    return TESS_OK;
}

tess_status tess_std_f64(double *out, const tess_array *in, const tess_var_opts *opts)
{
    TESS_TRY(tess__check_pointer("std_f64", "out", out));
    TESS_TRY(spread_to("std_f64", TESS__R_STD, NULL, out, in, opts));
    return TESS_OK;
}

tess_status tess_mean_std_f64(double *mean, double *std, const tess_array *in, const tess_var_opts *opts)
{
    TESS_TRY(tess__check_pointer("mean_std_f64", "mean", mean));
    TESS_TRY(tess__check_pointer("mean_std_f64", "std", std));
    TESS_TRY(spread_to("mean_std_f64", TESS__R_STD, mean, std, in, opts));
    return TESS_OK;
}

tess_status tess_norm_f64(double *out, const tess_array *in, const tess_norm_opts *opts)
{
    tess__reducing c;
    tess_norm_opts o;
    tess_op_info   info = tess__info_norm;
    info.name = "norm_f64";
    TESS_TRY(tess__resolve(&info, opts, &o));
    TESS_TRY(tess__check_pointer("norm_f64", "out", out));
    TESS_TRY(tess__reduce_begin(&c, "norm_f64", in, 0));
    TESS_TRY(tess__reduce_add(&c, o.order == TESS_NORM_L1    ? TESS__R_NORM_L1
                                  : o.order == TESS_NORM_MAX ? TESS__R_NORM_MAX
                                                             : TESS__R_NORM_L2));
    c.work.skip_nan = o.skip_nan;
    tess__reduce_to_host(&c, 0, out, TESS_F64);
    TESS_TRY(finish(&c));
    return TESS_OK;
}

/* ---- Two results ---- */

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

tess_status tess_minmax_f64(double *min, double *max, const tess_array *in)
{
    TESS_TRY(tess__extremes_to_host("minmax_f64", min, max, in, false));
    return TESS_OK;
}

tess_status tess_nanminmax_f64(double *min, double *max, const tess_array *in)
{
    TESS_TRY(tess__extremes_to_host("nanminmax_f64", min, max, in, true));
    return TESS_OK;
}

/* ---- Two inputs ---- */

static tess_status two_to(const char *fn, int op, void *out, tess_dtype dtype, const tess_array *a, const tess_array *b)
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

tess_status tess_dot_f64(double *out, const tess_array *a, const tess_array *b)
{
    TESS_TRY(two_to("dot_f64", TESS__R_DOT, out, TESS_F64, a, b));
    return TESS_OK;
}

tess_status tess_dot_c64(double out[2], const tess_array *a, const tess_array *b)
{
    TESS_TRY(two_to("dot_c64", TESS__R_DOT, out, TESS_C64, a, b));
    return TESS_OK;
}

tess_status tess_rmsd_f64(double *out, const tess_array *a, const tess_array *b)
{
    TESS_TRY(two_to("rmsd_f64", TESS__R_RMSD, out, TESS_F64, a, b));
    return TESS_OK;
}

/* ---- Places ---- */

static tess_status place_to(const char *fn, int op, int64_t place[4], int64_t *flat, const tess_array *in)
{
    int64_t at = -1;
    TESS_TRY(tess__check_pointer(fn, "place", place));
    TESS_TRY(reduce_to(fn, op, 0, &at, TESS_I64, in, false));
    if (flat) *flat = at;
    for (int d = 3; d >= 0; d--) {
        place[d] = at % in->shape.dim[d];
        at /= in->shape.dim[d];
    }
    return TESS_OK;
}

tess_status tess_argmin_place(int64_t place[4], int64_t *flat, const tess_array *in)
{
    TESS_TRY(place_to("argmin_place", TESS__R_ARGMIN, place, flat, in));
    return TESS_OK;
}

tess_status tess_argmax_place(int64_t place[4], int64_t *flat, const tess_array *in)
{
    TESS_TRY(place_to("argmax_place", TESS__R_ARGMAX, place, flat, in));
    return TESS_OK;
}
