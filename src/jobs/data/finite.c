/* NaNs and infinities in images and maps: their sum shows whether there are any. */
#include "jobs/data/finite.h"

#include <math.h>

#include "tessera/ewise.h"
#include "tessera/reduce.h"

static tess_status count_where(int64_t *n, const tess_array *image,
                               tess_status (*test)(tess_array *out, const tess_array *in))
{
    tess_array  mask = { 0 };
    tess_status status = test(&mask, image);
    if (status == TESS_OK) status = tess_host_count_nonzero(n, &mask);
    tess_release(&mask);
    return status;
}

tess_status tess__count_nonfinite(int64_t *n_nan, int64_t *n_inf, const tess_array *image)
{
    TESS_TRY(count_where(n_nan, image, tess_is_nan));
    return count_where(n_inf, image, tess_is_inf);
}

tess_status tess__check_finite(const char *fn, const tess_source *source, int64_t i, const tess_array *image)
{
    double  sum;
    int64_t n_nan = 0, n_inf = 0;
    TESS_TRY(tess_host_sum(&sum, image));
    if (isfinite(sum)) return TESS_OK;
    TESS_TRY(tess__count_nonfinite(&n_nan, &n_inf, image));
    const bool is_one_of_several = i >= 0 && source->shape.b * source->shape.d > 1;
    if (is_one_of_several)
        TESS_CHECK(n_nan + n_inf == 0, TESS_EARG,
                   "%s: image %lld of %s has %lld NaN and %lld infinite pixels; all must be finite", fn, (long long)i,
                   source->name, (long long)n_nan, (long long)n_inf);
    TESS_CHECK(n_nan + n_inf == 0, TESS_EARG, "%s: %s has %lld NaN and %lld infinite pixels; all must be finite", fn,
               source->name, (long long)n_nan, (long long)n_inf);
    return TESS_OK;
}

tess_status tess__check_finite_map(const char *fn, const tess_source *source, const tess_array *map)
{
    double sum;
    TESS_TRY(tess_host_sum(&sum, map));
    TESS_CHECK(isfinite(sum), TESS_ERANGE, "%s: %s has NaNs or infinities; all values must be finite", fn,
               source->name);
    return TESS_OK;
}
