/* Statistics of the data of an open file, summed in f64 chunk by chunk and merged by the formula of Chan et al. */
#include "io/mrc/measure.h"

#include <math.h>
#include <string.h>

#include "core/minmax.h"
#include "core/device/stream.h"
#include "io/file/write/stats.h"

/* Elements that are read in one call. */
enum { CHUNK = 1 << 22 };

/* Moments of values so far: their number, mean, and m2. */
typedef struct sums {
    double n, mean, squares;
} sums;

static void merge(sums *all, const sums *chunk)
{
    if (chunk->n == 0) return;
    const double n = all->n + chunk->n, shift = chunk->mean - all->mean;
    all->squares += chunk->squares + shift * shift * all->n * chunk->n / n;
    all->mean += shift * chunk->n / n;
    all->n = n;
}

/* One by one: those that are not finite are counted and left out. */
static void add_values(tess__measured *m, sums *all, const float *values, int64_t n)
{
    sums   chunk = { 0, 0, 0 };
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double x = (double)values[i];
        if (isnan(x)) m->n_nan++;
        else if (isinf(x)) m->n_inf++;
        else {
            if (x < m->min) m->min = x;
            if (x > m->max) m->max = x;
            sum += x;
            chunk.n++;
        }
    }
    if (chunk.n > 0) chunk.mean = sum / chunk.n;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(values[i])) chunk.squares += ((double)values[i] - chunk.mean) * ((double)values[i] - chunk.mean);
    merge(all, &chunk);
}

static tess_status add_one_by_one(tess__measured *m, sums *all, const tess_array *values)
{
    tess_array  floats = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&floats, values, TESS_F32, NULL));
    TESS_GOTO(done, status, tess__sync("file_read", tess_cpu()));
    add_values(m, all, floats.data, tess_n_elements(&floats));
done:
    tess_release(&floats);
    return status;
}

static tess_status add_array(tess__measured *m, sums *all, const tess_array *values)
{
    tess__stats stats = { .n = 0 };
    bool        nan;
    TESS_TRY(tess__stats_add(&stats, values, &nan));
    if (!isfinite(stats.mean) || !isfinite(stats.min) || !isfinite(stats.max)) {
        TESS_TRY(add_one_by_one(m, all, values));
        return TESS_OK;
    }
    if (stats.min < m->min) m->min = stats.min;
    if (stats.max > m->max) m->max = stats.max;
    merge(all, &(sums){ (double)stats.n, stats.mean, stats.m2 });
    return TESS_OK;
}

static tess_status add_region(tess__measured *m, sums *all, tess_file *file, tess_region region)
{
    tess_array  chunk = { .data = NULL }, values;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_file_read(&chunk, file, region));
    values = chunk;
    if (chunk.dtype == TESS_C32) TESS_GOTO(done, status, tess_reinterpret(&values, &chunk, TESS_F32));
    TESS_GOTO(done, status, add_array(m, all, &values));
done:
    tess_release(&chunk);
    return status;
}

/* Rows of some images, a chunk of each at a time where they are long. */
static tess_status add_rows(tess__measured *m, sums *all, tess_file *file, tess_region region)
{
    const int64_t w = file->info.shape.w;
    for (int64_t x = 0; x < w; x += CHUNK) {
        region.w = tess_from_to(x, tess__min(x + CHUNK, w));
        TESS_TRY(add_region(m, all, file, region));
    }
    return TESS_OK;
}

/* Several images at a time, or some rows of one. */
static tess_status add_images(tess__measured *m, sums *all, tess_file *file, int64_t volume)
{
    const tess_shape s = file->info.shape;
    const int64_t    n = s.d == 1 ? s.b : s.d, rows = s.w > CHUNK ? 1 : tess__min(s.h, CHUNK / s.w);
    const int64_t    step = rows < s.h || s.w > CHUNK ? 1 : CHUNK / (s.h * s.w);
    for (int64_t i = 0; i < n; i += step)
        for (int64_t h = 0; h < s.h; h += rows) {
            const tess_range images = tess_from_to(i, tess__min(i + step, n));
            tess_region      region = { .h = tess_from_to(h, tess__min(h + rows, s.h)) };
            if (s.d == 1) region.b = images;
            else region.b = tess_only(volume), region.d = images;
            TESS_TRY(add_rows(m, all, file, region));
        }
    return TESS_OK;
}

tess_status tess__measure(tess__measured *measured, tess_file *file)
{
    const tess_shape s = file->info.shape;
    sums             all = { 0, 0, 0 };
    memset(measured, 0, sizeof *measured);
    measured->min = INFINITY;
    measured->max = -INFINITY;
    for (int64_t volume = 0; volume < (s.d == 1 ? 1 : s.b); volume++)
        TESS_TRY(add_images(measured, &all, file, volume));
    measured->n_finite = (int64_t)all.n;
    measured->mean = all.mean;
    measured->std = all.n > 0 ? sqrt(all.squares / all.n) : 0;
    return TESS_OK;
}
