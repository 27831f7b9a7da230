/* Statistics of written data: minimum, maximum, mean and m2, merged by the formula of Chan et al. */
#include "io/file/write/stats.h"

#include <math.h>

#include "core/dtype.h"
#include "core/device/stream.h"
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

/* Pairwise merge of means and m2 (Chan et al.): no cancellation. */
void tess__stats_merge(tess__stats *stats, const tess__stats *other)
{
    stats->has_nan |= other->has_nan;
    stats->n_nan += other->n_nan;
    stats->n_clamped += other->n_clamped;
    stats->n_infinite += other->n_infinite;
    stats->n_rounded += other->n_rounded;
    if (other->n == 0) return;
    const double n = (double)stats->n, m = (double)other->n, delta = other->mean - stats->mean;
    stats->min = stats->n == 0 || other->min < stats->min ? other->min : stats->min;
    stats->max = stats->n == 0 || other->max > stats->max ? other->max : stats->max;
    stats->m2 += other->m2 + delta * delta * (n * m / (n + m));
    stats->mean += delta * (m / (n + m));
    stats->n += other->n;
}

static tess_status find_minmax(double minmax[2], const tess_array *image, bool skip_nan)
{
    tess_array out[2] = { one(&minmax[0]), one(&minmax[1]) };
    TESS_TRY(tess_minmax(&out[0], &out[1], image, 0, &(tess_reduce_opts){ .skip_nan = skip_nan }));
    TESS_TRY(tess__sync("write", tess_cpu()));
    return TESS_OK;
}

/* An image whose minimum and maximum are known. */
static tess_status add_moments(tess__stats *stats, const tess_array *image, const double minmax[2])
{
    tess__stats part = { .min = minmax[0], .max = minmax[1], .n = tess_n_elements(image) };
    tess_array  mean = one(&part.mean), var = one(&part.m2);
    TESS_TRY(tess_mean_var(&mean, &var, image, 0, NULL));
    TESS_TRY(tess__sync("write", tess_cpu()));
    part.m2 *= (double)part.n;
    part.has_nan = isnan(minmax[0]);
    tess__stats_merge(stats, &part);
    return TESS_OK;
}

tess_status tess__stats_add(tess__stats *stats, const tess_array *image, bool *nan)
{
    double minmax[2];
    *nan = false;
    if (tess_is_empty(image) || !has_statistics(image->dtype)) return TESS_OK;
    TESS_TRY(find_minmax(minmax, image, false));
    TESS_TRY(add_moments(stats, image, minmax));
    *nan = isnan(minmax[0]);
    return TESS_OK;
}

/* Limits of a kind of values; infinite: none. */
typedef struct limits {
    double min, max;
} limits;

/* The range of integers. */
static limits range_of(tess_dtype dtype)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    const int       bits = 8 * (int)tess__dtype_size(dtype);
    if (kind == TESS_KIND_INT) return (limits){ -ldexp(1, bits - 1), ldexp(1, bits - 1) - (bits < 64) };
    if (kind == TESS_KIND_UINT) return (limits){ 0, ldexp(1, bits) - (bits < 64) };
    return (limits){ -INFINITY, INFINITY };
}

/* What a floating dtype rounds to infinity: this and all above. */
static double infinite_from(tess_dtype dtype)
{
    return dtype == TESS_F16 ? 65520 : dtype == TESS_F32 ? 0x1.ffffffp127 : INFINITY;
}

/* Up to here a dtype holds all integers exactly. */
static double exact_to(tess_dtype dtype)
{
    return dtype == TESS_F16 ? 0x1p11 : dtype == TESS_F32 ? 0x1p24 : dtype == TESS_F64 ? 0x1p53 : INFINITY;
}

static tess_status add_true(int64_t *count, tess_array *flags)
{
    double n = 0;
    TESS_TRY(tess_host_sum(&n, flags));
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

/* Values beyond the limits, counted only if the minimum or maximum is beyond. */
static tess_status count_beyond(int64_t *count, const tess_array *image, limits e, const double minmax[2])
{
    if (minmax[0] < e.min) TESS_TRY(count_where(count, tess_less, image, e.min));
    if (minmax[1] > e.max) TESS_TRY(count_where(count, tess_greater, image, e.max));
    return TESS_OK;
}

/* Finite values that become infinite. */
static tess_status count_infinite(int64_t *count, const tess_array *image, tess_dtype dtype, const double minmax[2])
{
    const double from = infinite_from(dtype);
    int64_t      beyond = 0, before = 0; /* infinite before */
    if (!(minmax[0] <= -from || minmax[1] >= from) || isinf(from)) return TESS_OK;
    TESS_TRY(count_where(&beyond, tess_less_equal, image, -from));
    TESS_TRY(count_where(&beyond, tess_greater_equal, image, from));
    if (minmax[0] == -INFINITY) TESS_TRY(count_where(&before, tess_less_equal, image, -INFINITY));
    if (minmax[1] == INFINITY) TESS_TRY(count_where(&before, tess_greater_equal, image, INFINITY));
    *count += beyond - before;
    return TESS_OK;
}

/* Fractions are no loss that anyone counts, nor are numbers so large that f64 rounds them itself. */
static tess_status keep_whole(tess_array *changed, const tess_array *image)
{
    tess_array  flags = { .data = NULL }, other = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_rint(&other, image));
    TESS_GOTO(done, status, tess_equal(&flags, &other, image));
    TESS_GOTO(done, status, tess_logical_and(changed, changed, &flags));
    TESS_GOTO(done, status, tess_abs(&other, image));
    TESS_GOTO(done, status, tess_less_equal(&flags, &other, &tess_f64(0x1p53)));
    TESS_GOTO(done, status, tess_logical_and(changed, changed, &flags));
done:
    tess_release(&flags);
    tess_release(&other);
    return status;
}

/* Whole numbers that are others in the file. */
static tess_status count_rounded(int64_t *count, const tess_array *image, tess_dtype dtype)
{
    tess_array  there = { .data = NULL }, back = { .data = NULL }, changed = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&there, image, dtype, NULL));
    /* Wrapped, so that what was rounded beyond the range does not come back as its limit. */
    TESS_GOTO(done, status, tess_cast(&back, &there, image->dtype, &(tess_cast_opts){ .mode = TESS_CAST_WRAP }));
    TESS_GOTO(done, status, tess_not_equal(&changed, &back, image));
    if (image->dtype == TESS_F64) TESS_GOTO(done, status, keep_whole(&changed, image));
    TESS_GOTO(done, status, add_true(count, &changed));
done:
    tess_release(&there);
    tess_release(&back);
    tess_release(&changed);
    return status;
}

/* Has an image of a dtype whole numbers whose digits count? Those of f32 are measured, and f16 was asked for. */
static bool counts_digits(tess_dtype from, tess_dtype to)
{
    const tess_kind kind = tess_dtype_kind(from);
    return kind == TESS_KIND_INT || kind == TESS_KIND_UINT || (from == TESS_F64 && to == TESS_F32);
}

/* The losses of an image with NaNs or without; its minimum and maximum, and whether there are NaNs. */
static tess_status count_losses(tess__stats *stats, const tess_array *image, tess_dtype dtype, double minmax[2],
                                bool *nan)
{
    const double exact = exact_to(dtype);
    TESS_TRY(find_minmax(minmax, image, false));
    *nan = isnan(minmax[0]);
    if (*nan) {
        TESS_TRY(count_nan(&stats->n_nan, image));
        TESS_TRY(find_minmax(minmax, image, true));
    }
    if (image->dtype == dtype) return TESS_OK;
    TESS_TRY(count_beyond(&stats->n_clamped, image, range_of(dtype), minmax));
    TESS_TRY(count_infinite(&stats->n_infinite, image, dtype, minmax));
    if (counts_digits(image->dtype, dtype) && (minmax[0] < -exact || minmax[1] > exact))
        TESS_TRY(count_rounded(&stats->n_rounded, image, dtype));
    return TESS_OK;
}

tess_status tess__stats_add_losses(tess__stats *stats, const tess_array *image, tess_dtype dtype)
{
    double          minmax[2];
    bool            nan;
    const tess_kind kind = tess_dtype_kind(image->dtype);
    const bool      integers = kind == TESS_KIND_INT || kind == TESS_KIND_UINT;
    if (tess_is_empty(image) || !has_statistics(image->dtype) || (integers && image->dtype == dtype)) return TESS_OK;
    TESS_TRY(count_losses(stats, image, dtype, minmax, &nan));
    return TESS_OK;
}

/* Conversion is monotonic: minimum and maximum of what is stored are those of the caller's data, converted. */
static tess_status convert_minmax(double minmax[2], tess_dtype dtype)
{
    double     stored[2];
    tess_array wide = one(minmax), narrow = one(stored);
    wide.shape.w = narrow.shape.w = 2;
    narrow.dtype = dtype;
    TESS_TRY(tess_cast(&narrow, &wide, TESS_DTYPE_NONE, NULL));
    TESS_TRY(tess_cast(&wide, &narrow, TESS_DTYPE_NONE, NULL));
    TESS_TRY(tess__sync("write", tess_cpu()));
    return TESS_OK;
}

tess_status tess__stats_add_converted(tess__stats *stats, const tess_array *given, const tess_array *ready)
{
    const tess_dtype dtype = given->dtype;
    const bool       lossy = dtype == TESS_I64 || dtype == TESS_U64; /* as f64, the type of `minmax` */
    double           minmax[2];
    bool             nan = false;
    if (tess_is_empty(given)) return TESS_OK;
    if (has_statistics(dtype)) TESS_TRY(count_losses(stats, given, ready->dtype, minmax, &nan));
    if (nan || lossy || !has_statistics(dtype) || !has_statistics(ready->dtype)) {
        TESS_TRY(tess__stats_add(stats, ready, &nan));
        return TESS_OK;
    }
    TESS_TRY(convert_minmax(minmax, ready->dtype));
    TESS_TRY(add_moments(stats, ready, minmax));
    return TESS_OK;
}

void tess__stats_take(const tess__stats *stats, tess_meta *meta)
{
    meta->min = stats->min;
    meta->max = stats->max;
    meta->mean = stats->mean;
    meta->std = stats->n ? sqrt(stats->m2 / (double)stats->n) : 0;
    const bool known = stats->n > 0 && !stats->has_nan && stats->n_nan == 0;
    meta->stats = !known ? 0
                         : TESS_STATS_MINMAX | (isfinite(meta->mean) ? TESS_STATS_MEAN : 0) |
                               (isfinite(meta->std) ? TESS_STATS_STD : 0);
}
