/* Mean and sum of squares of parts combined by the algorithm of Chan, Golub and LeVeque; minima and maxima with their
 * places. */
#include "jobs/stack_statistics/image_statistics.h"

#include <math.h>
#include <string.h>

#include "jobs/data/finite.h"
#include "tessera/reduce.h"

enum { MIN, MAX, MEAN, VAR, ARGMIN, ARGMAX, N_RESULTS };

static tess_status reduce_images(tess_array out[N_RESULTS], const tess_array *images, bool skip_nan)
{
    static const int32_t kinds[] = { TESS_REDUCE_MIN, TESS_REDUCE_MAX,    TESS_REDUCE_MEAN,
                                     TESS_REDUCE_VAR, TESS_REDUCE_ARGMIN, TESS_REDUCE_ARGMAX };
    tess_reduction       items[N_RESULTS];
    for (int i = 0; i < N_RESULTS; i++) {
        tess_dtype dtype = i < ARGMIN ? TESS_F64 : TESS_I64;
        TESS_TRY(tess_empty(&out[i], TESS_SHAPE(images->shape.b, 1, 1, 1), dtype, tess_cpu()));
        items[i] = (tess_reduction){ kinds[i], &out[i] };
    }
    return tess_reduce(items, N_RESULTS, images, TESS_D | TESS_H | TESS_W, &(tess_var_opts){ .skip_nan = skip_nan });
}

static void fill(tess__image_statistics *t, const tess_array out[N_RESULTS], int64_t i, int64_t n, int64_t width,
                 int64_t number)
{
    int64_t at_min = TESS_AT(int64_t, out[ARGMIN], i, 0, 0, 0), at_max = TESS_AT(int64_t, out[ARGMAX], i, 0, 0, 0);
    memset(t, 0, sizeof *t);
    t->n = n;
    t->min = TESS_AT(double, out[MIN], i, 0, 0, 0);
    t->max = TESS_AT(double, out[MAX], i, 0, 0, 0);
    t->mean = TESS_AT(double, out[MEAN], i, 0, 0, 0);
    t->m2 = TESS_AT(double, out[VAR], i, 0, 0, 0) * (double)n;
    t->argmin[0] = at_min % width, t->argmin[1] = at_min / width, t->argmin[2] = number;
    t->argmax[0] = at_max % width, t->argmax[1] = at_max / width, t->argmax[2] = number;
}

/* An image with values that are not finite: count them, and leave NaNs out. */
static tess_status of_odd_image(tess__image_statistics *t, const tess_array *image, int64_t number)
{
    tess_array  out[N_RESULTS] = { 0 };
    int64_t     n_nan = 0, n_inf = 0;
    tess_status status;
    TESS_GOTO(done, status, tess__count_nonfinite(&n_nan, &n_inf, image));
    TESS_GOTO(done, status, reduce_images(out, image, true));
    fill(t, out, 0, tess_n_elements(image) - n_nan, image->shape.w, number);
    if (t->n == 0) memset(t, 0, sizeof *t);
    t->n_nan = n_nan;
    t->n_inf = n_inf;
done:
    for (int i = 0; i < N_RESULTS; i++) tess_release(&out[i]);
    return status;
}

tess_status tess__image_statistics_of(tess__image_statistics *each, const tess_array *images, int64_t first)
{
    tess_array  out[N_RESULTS] = { 0 };
    int64_t     size = images->shape.h * images->shape.w;
    tess_status status;
    memset(each, 0, sizeof *each * (size_t)images->shape.b);
    if (size == 0) return TESS_OK;
    TESS_GOTO(done, status, reduce_images(out, images, false));
    for (int64_t i = 0; i < images->shape.b; i++) {
        fill(&each[i], out, i, size, images->shape.w, first + i);
        if (isfinite(each[i].mean)) continue;
        tess_array image;
        TESS_GOTO(done, status, tess_index(&image, images, 0, i));
        TESS_GOTO(done, status, of_odd_image(&each[i], &image, first + i));
    }
done:
    for (int i = 0; i < N_RESULTS; i++) tess_release(&out[i]);
    return status;
}

void tess__image_statistics_add(tess__image_statistics *sum, const tess__image_statistics *next)
{
    int64_t n_nan = sum->n_nan + next->n_nan, n_inf = sum->n_inf + next->n_inf;
    if (sum->n == 0) {
        *sum = *next;
    } else if (next->n > 0) {
        double a = (double)sum->n, b = (double)next->n, difference = next->mean - sum->mean;
        if (next->min < sum->min) sum->min = next->min, memcpy(sum->argmin, next->argmin, sizeof sum->argmin);
        if (next->max > sum->max) sum->max = next->max, memcpy(sum->argmax, next->argmax, sizeof sum->argmax);
        sum->mean += difference * (b / (a + b));
        sum->m2 += next->m2 + difference * difference * (a * b / (a + b));
        sum->n += next->n;
    }
    sum->n_nan = n_nan;
    sum->n_inf = n_inf;
}

double tess__image_statistics_sd(const tess__image_statistics *t)
{
    return t->n > 0 ? sqrt(t->m2 / (double)t->n) : (double)NAN;
}
