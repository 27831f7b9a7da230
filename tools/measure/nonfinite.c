/* NaNs and infinities, counted: the minimum and maximum tell whether there are any. */
#include "measure/nonfinite.h"

#include <inttypes.h>
#include <math.h>

/* Minimum and maximum are NaN where a value is. */
static tess_status has_any(bool *any, const tess_array *values)
{
    double         limits[2];
    tess_array     out[2];
    tess_reduction items[2] = { { .kind = TESS_REDUCE_MIN }, { .kind = TESS_REDUCE_MAX } };
    for (int i = 0; i < 2; i++) {
        TESS_TRY(tess_wrap(&out[i], &limits[i], TESS_SHAPE(1, 1, 1, 1), TESS_F64, NULL));
        items[i].out = &out[i];
    }
    TESS_TRY(tess_reduce(items, 2, values, TESS_B | TESS_D | TESS_H | TESS_W, NULL));
    *any = !isfinite(limits[0]) || !isfinite(limits[1]);
    return TESS_OK;
}

static tess_status has_any_complex(bool *any, const tess_array *values)
{
    tess_array part;
    TESS_TRY(tess_real_view(&part, values));
    TESS_TRY(has_any(any, &part));
    if (*any) return TESS_OK;
    TESS_TRY(tess_imag_view(&part, values));
    return has_any(any, &part);
}

static tess_status count_where(int64_t *n, const tess_array *in,
                               tess_status (*test)(tess_array *out, const tess_array *x))
{
    tess_array mask = { 0 };
    int64_t    more = 0;
    TESS_TRY(test(&mask, in));
    tess_status status = tess_host_count_nonzero(&more, &mask);
    tess_release(&mask);
    *n += more;
    return status;
}

tess_status nonfinite_add(nonfinite *n, const tess_array *values)
{
    const tess_kind kind = tess_dtype_kind(values->dtype);
    bool            any = false;
    if (tess_is_empty(values) || (kind != TESS_KIND_FLOAT && kind != TESS_KIND_COMPLEX)) return TESS_OK;
    TESS_TRY(kind == TESS_KIND_FLOAT ? has_any(&any, values) : has_any_complex(&any, values));
    if (!any) return TESS_OK;
    TESS_TRY(count_where(&n->n_nan, values, tess_is_nan));
    return count_where(&n->n_inf, values, tess_is_inf);
}

void nonfinite_tell(const nonfinite *n, job *j, const char *name, const char *of_nan, const char *of_inf)
{
    char nan[200] = "", inf[200] = "";
    if (n->n_nan == 0 && n->n_inf == 0) return;
    if (n->n_nan > 0)
        (void)snprintf(nan, sizeof nan, "%" PRId64 " value%s NaN%s", n->n_nan, n->n_nan == 1 ? " is" : "s are", of_nan);
    if (n->n_inf > 0)
        (void)snprintf(inf, sizeof inf, "%s%" PRId64 "%s%s infinite%s", n->n_nan > 0 ? " and " : "", n->n_inf,
                       n->n_nan > 0    ? ""
                       : n->n_inf == 1 ? " value"
                                       : " values",
                       n->n_inf == 1 ? " is" : " are", of_inf);
    job_warn(j, "%s: %s%s", name, nan, inf);
}
