/* Statistics of written data: minimum, maximum, mean and m2, merged by the formula of Chan et al. */
#include "io/file/stats.h"

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

/* Means and squared differences without cancellation. */
void tess__tally_join(tess__tally *tally, const tess__tally *other)
{
    tally->has_nan |= other->has_nan;
    tally->n_nan += other->n_nan;
    tally->n_clamped += other->n_clamped;
    tally->n_rounded += other->n_rounded;
    if (other->n == 0) return;
    const double n = (double)tally->n, m = (double)other->n, delta = other->mean - tally->mean;
    tally->min = tally->n == 0 || other->min < tally->min ? other->min : tally->min;
    tally->max = tally->n == 0 || other->max > tally->max ? other->max : tally->max;
    tally->m2 += other->m2 + delta * delta * (n * m / (n + m));
    tally->mean += delta * (m / (n + m));
    tally->n += other->n;
}

static tess_status find_extremes(double extremes[2], const tess_array *image, bool skip_nan)
{
    tess_array out[2] = { one(&extremes[0]), one(&extremes[1]) };
    TESS_TRY(tess_minmax(&out[0], &out[1], image, 0, &(tess_reduce_opts){ .skip_nan = skip_nan }));
    TESS_TRY(tess__sync("write", tess_cpu()));
    return TESS_OK;
}

/* An image whose extremes are known. */
static tess_status add_moments(tess__tally *tally, const tess_array *image, const double extremes[2])
{
    tess__tally part = { .min = extremes[0], .max = extremes[1], .n = tess_n_elements(image) };
    tess_array  mean = one(&part.mean), var = one(&part.m2);
    TESS_TRY(tess_mean_var(&mean, &var, image, 0, NULL));
    TESS_TRY(tess__sync("write", tess_cpu()));
    part.m2 *= (double)part.n;
    part.has_nan = isnan(extremes[0]);
    tess__tally_join(tally, &part);
    return TESS_OK;
}

tess_status tess__tally_add(tess__tally *tally, const tess_array *image, bool *nan)
{
    double extremes[2];
    *nan = false;
    if (tess_is_empty(image) || !has_statistics(image->dtype)) return TESS_OK;
    TESS_TRY(find_extremes(extremes, image, false));
    TESS_TRY(add_moments(tally, image, extremes));
    *nan = isnan(extremes[0]);
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

/* The losses of an image with NaNs or without; its extremes, and whether there are NaNs. */
static tess_status count_losses(tess__tally *tally, const tess_array *image, tess_dtype dtype, double extremes[2],
                                bool *nan)
{
    const tess_kind kind = tess_dtype_kind(image->dtype);
    const bool      whole = kind == TESS_KIND_INT || kind == TESS_KIND_UINT;
    TESS_TRY(find_extremes(extremes, image, false));
    *nan = isnan(extremes[0]);
    if (*nan) {
        TESS_TRY(count_nan(&tally->n_nan, image));
        TESS_TRY(find_extremes(extremes, image, true));
    }
    if (image->dtype == dtype) return TESS_OK;
    TESS_TRY(count_beyond(&tally->n_clamped, image, range_of(dtype), extremes));
    if (whole) TESS_TRY(count_beyond(&tally->n_rounded, image, exact_in(dtype), extremes));
    return TESS_OK;
}

tess_status tess__tally_losses(tess__tally *tally, const tess_array *image, tess_dtype dtype)
{
    double          extremes[2];
    bool            nan;
    const tess_kind kind = tess_dtype_kind(image->dtype);
    const bool      whole = kind == TESS_KIND_INT || kind == TESS_KIND_UINT;
    if (tess_is_empty(image) || !has_statistics(image->dtype) || (whole && image->dtype == dtype)) return TESS_OK;
    TESS_TRY(count_losses(tally, image, dtype, extremes, &nan));
    return TESS_OK;
}

/* Conversion keeps order: the extremes of what is stored are those that were given, converted. */
static tess_status convert_extremes(double extremes[2], tess_dtype dtype)
{
    double     stored[2];
    tess_array wide = one(extremes), narrow = one(stored);
    wide.shape.w = narrow.shape.w = 2;
    narrow.dtype = dtype;
    TESS_TRY(tess_cast(&narrow, &wide, TESS_DTYPE_NONE, NULL));
    TESS_TRY(tess_cast(&wide, &narrow, TESS_DTYPE_NONE, NULL));
    TESS_TRY(tess__sync("write", tess_cpu()));
    return TESS_OK;
}

tess_status tess__tally_converted(tess__tally *tally, const tess_array *given, const tess_array *ready)
{
    const tess_dtype dtype = given->dtype;
    const bool       inexact = dtype == TESS_I64 || dtype == TESS_U64; /* as f64, which extremes are */
    double           extremes[2];
    bool             nan = false;
    if (tess_is_empty(given)) return TESS_OK;
    if (has_statistics(dtype)) TESS_TRY(count_losses(tally, given, ready->dtype, extremes, &nan));
    if (nan || inexact || !has_statistics(dtype) || !has_statistics(ready->dtype)) {
        TESS_TRY(tess__tally_add(tally, ready, &nan));
        return TESS_OK;
    }
    TESS_TRY(convert_extremes(extremes, ready->dtype));
    TESS_TRY(add_moments(tally, ready, extremes));
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
