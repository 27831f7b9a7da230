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

tess_status tess__tally_add(tess__tally *tally, const tess_array *image, bool *nan)
{
    static const int32_t kinds[4] = { TESS_REDUCE_MIN, TESS_REDUCE_MAX, TESS_REDUCE_MEAN, TESS_REDUCE_VAR };
    double               facts[4];
    tess_array           out[4];
    tess_reduction       items[4];
    const int64_t        n = tess_n_elements(image);
    *nan = false;
    if (n == 0 || !has_statistics(image->dtype)) return TESS_OK;
    for (int i = 0; i < 4; i++) {
        out[i] = one(&facts[i]);
        items[i] = (tess_reduction){ kinds[i], &out[i] };
    }
    TESS_TRY(tess_reduce(items, 4, image, 0, NULL));
    TESS_TRY(tess__sync("write", tess_cpu()));
    join(tally, facts, n);
    *nan = isnan(facts[0]);
    tally->has_nan |= *nan;
    return TESS_OK;
}

/* Ends that values of a kind do not pass; none: infinite. */
typedef struct ends {
    double least, most;
} ends;

/* The range of a dtype; floats but f16 take all. */
static ends range_of(tess_dtype dtype)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    const int       bits = 8 * (int)tess__dtype_size(dtype);
    if (kind == TESS_KIND_INT) return (ends){ -ldexp(1, bits - 1), ldexp(1, bits - 1) - (bits < 64) };
    if (kind == TESS_KIND_UINT) return (ends){ 0, ldexp(1, bits) - (bits < 64) };
    return dtype == TESS_F16 ? (ends){ -65504, 65504 } : (ends){ -INFINITY, INFINITY };
}

/* Whole numbers up to here are exact in a dtype. */
static ends exact_in(tess_dtype dtype)
{
    const double most = dtype == TESS_F16 ? 0x1p11 : dtype == TESS_F32 ? 0x1p24 : dtype == TESS_F64 ? 0x1p53 : INFINITY;
    return (ends){ -most, most };
}

static tess_status add_true(int64_t *count, tess_array *flags)
{
    double n = 0;
    TESS_TRY(tess_sum_f64(&n, flags));
    *count += (int64_t)n;
    return TESS_OK;
}

typedef tess_status compare(tess_array *out, const tess_array *x, const tess_array *y);

static tess_status count_where(int64_t *count, compare *beyond, const tess_array *image, double limit)
{
    tess_array  flags = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, beyond(&flags, image, &tess_f64(limit)));
    TESS_GOTO(done, status, add_true(count, &flags));
done:
    tess_release(&flags);
    return status;
}

static tess_status count_nan(int64_t *count, const tess_array *image)
{
    tess_array  flags = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_is_nan(&flags, image));
    TESS_GOTO(done, status, add_true(count, &flags));
done:
    tess_release(&flags);
    return status;
}

/* Values beyond the ends, which are looked for only if the extremes are. */
static tess_status count_beyond(int64_t *count, const tess_array *image, ends e, const double extremes[2])
{
    if (extremes[0] < e.least) TESS_TRY(count_where(count, tess_less, image, e.least));
    if (extremes[1] > e.most) TESS_TRY(count_where(count, tess_greater, image, e.most));
    return TESS_OK;
}

static tess_status find_extremes(double extremes[2], const tess_array *image, bool skip_nan)
{
    tess_array out[2] = { one(&extremes[0]), one(&extremes[1]) };
    TESS_TRY(tess_minmax(&out[0], &out[1], image, 0, &(tess_reduce_opts){ .skip_nan = skip_nan }));
    TESS_TRY(tess__sync("write", tess_cpu()));
    return TESS_OK;
}

tess_status tess__tally_losses(tess__tally *tally, const tess_array *image, tess_dtype dtype)
{
    double          extremes[2];
    const tess_kind kind = tess_dtype_kind(image->dtype);
    const bool      whole = kind == TESS_KIND_INT || kind == TESS_KIND_UINT;
    if (tess_is_empty(image) || !has_statistics(image->dtype) || (whole && image->dtype == dtype)) return TESS_OK;
    TESS_TRY(find_extremes(extremes, image, false));
    if (isnan(extremes[0])) {
        TESS_TRY(count_nan(&tally->n_nan, image));
        TESS_TRY(find_extremes(extremes, image, true));
    }
    if (image->dtype == dtype) return TESS_OK;
    TESS_TRY(count_beyond(&tally->n_clamped, image, range_of(dtype), extremes));
    if (whole) TESS_TRY(count_beyond(&tally->n_rounded, image, exact_in(dtype), extremes));
    return TESS_OK;
}

void tess__tally_take(const tess__tally *tally, tess_meta *meta)
{
    meta->min = tally->min;
    meta->max = tally->max;
    meta->mean = tally->mean;
    meta->std = tally->n ? sqrt(tally->m2 / (double)tally->n) : 0;
    const bool known = tally->n > 0 && !tally->has_nan && tally->n_nan == 0;
    meta->stats = !known ? 0
                         : TESS_STATS_MINMAX | (isfinite(meta->mean) ? TESS_STATS_MEAN : 0) |
                               (isfinite(meta->std) ? TESS_STATS_STD : 0);
}
