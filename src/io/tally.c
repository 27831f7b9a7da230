/* Statistics of what is written. */
#include "io/tally.h"

#include <math.h>

#include "core/dtype.h"
#include "core/engine.h"
#include "tessera/ewise.h"
#include "tessera/reduce.h"
#include "tessera/scalar.h"

/* A number of the caller's as an array of one element. */
static tess_array one(double *value)
{
    return (tess_array){ .shape = TESS_SHAPE(1, 1, 1, 1),
                         .strides = { { 1, 1, 1, 1 } },
                         .data = value,
                         .dtype = TESS_F64,
                         .device = tess_cpu() };
}

static bool has_statistics(tess_dtype dtype)
{
    return dtype > 0 && dtype < TESS_SCALAR_DTYPE_COUNT && tess_dtype_kind(dtype) != TESS_KIND_COMPLEX;
}

/* Two sets of numbers as one: means and squared differences without cancellation. */
static void join(tess__tally *t, const double facts[4], int64_t n)
{
    const double all = (double)(t->n + n), delta = facts[2] - t->mean;
    t->min = t->n == 0 || facts[0] < t->min ? facts[0] : t->min;
    t->max = t->n == 0 || facts[1] > t->max ? facts[1] : t->max;
    t->m2 += facts[3] * (double)n + delta * delta * ((double)t->n * (double)n / all);
    t->mean += delta * ((double)n / all);
    t->n += n;
}

tess_status tess__tally_add(tess__tally *tally, const tess_array *image)
{
    static const int32_t kinds[4] = { TESS_REDUCE_MIN, TESS_REDUCE_MAX, TESS_REDUCE_MEAN, TESS_REDUCE_VAR };
    double               facts[4];
    tess_array           out[4];
    tess_reduction       items[4];
    const int64_t        n = tess_n_elements(image);
    if (n == 0 || !has_statistics(image->dtype)) return TESS_OK;
    for (int i = 0; i < 4; i++) {
        out[i] = one(&facts[i]);
        items[i] = (tess_reduction){ kinds[i], &out[i] };
    }
    TESS_TRY(tess_reduce(items, 4, image, 0, NULL));
    TESS_TRY(tess__sync("write", tess_cpu()));
    if (isnan(facts[2])) tally->n_nan++;
    join(tally, facts, n);
    return TESS_OK;
}

/* The range of a dtype that narrows; false for those that take all. */
static bool range_of(tess_dtype dtype, double *least, double *most)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    const int       bits = 8 * (int)tess__dtype_size(dtype);
    if (kind == TESS_KIND_INT || kind == TESS_KIND_UINT) {
        *least = kind == TESS_KIND_INT ? -ldexp(1, bits - 1) : 0;
        *most = ldexp(1, kind == TESS_KIND_INT ? bits - 1 : bits) - (bits < 64);
        return true;
    }
    *most = dtype == TESS_F16 ? 65504 : 0;
    *least = -*most;
    return dtype == TESS_F16;
}

static tess_status count_where(int64_t *count,
                               tess_status (*compare)(tess_array *, const tess_array *, const tess_array *),
                               const tess_array *image, double limit)
{
    tess_array  outside = { .data = NULL }, number = one(&limit);
    double      n = 0;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, compare(&outside, image, &number));
    TESS_GOTO(done, status, tess_sum_f64(&n, &outside));
    *count += (int64_t)n;
done:
    tess_release(&outside);
    return status;
}

tess_status tess__tally_clamped(tess__tally *tally, const tess_array *image, tess_dtype dtype)
{
    double     least, most, lowest, highest;
    tess_array out[2] = { one(&lowest), one(&highest) };
    if (tess_is_empty(image) || !has_statistics(image->dtype) || !range_of(dtype, &least, &most)) return TESS_OK;
    TESS_TRY(tess_minmax(&out[0], &out[1], image, 0, &(tess_reduce_opts){ .skip_nan = 1 }));
    TESS_TRY(tess__sync("write", tess_cpu()));
    if (lowest < least) TESS_TRY(count_where(&tally->n_clamped, tess_less, image, least));
    if (highest > most) TESS_TRY(count_where(&tally->n_clamped, tess_greater, image, most));
    return TESS_OK;
}

void tess__tally_take(const tess__tally *tally, tess_meta *meta)
{
    meta->min = tally->min;
    meta->max = tally->max;
    meta->mean = tally->mean;
    meta->std = tally->n ? sqrt(tally->m2 / (double)tally->n) : 0;
    const bool known = tally->n > 0 && tally->n_nan == 0;
    meta->stats = !known ? 0
                         : TESS_STATS_MINMAX | (isfinite(meta->mean) ? TESS_STATS_MEAN : 0) |
                               (isfinite(meta->std) ? TESS_STATS_STD : 0);
}
