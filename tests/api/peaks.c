/* Lists of peaks: against plain loops, special shapes and values, what is rejected. */
#include <math.h>
#include <stdlib.h>

#include "support/rows.h"
#include "tessera/correlate.h"
#include "tessera/random.h"

static tess_array noise(tess_shape shape, tess_dtype dtype, uint64_t seed)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, shape, dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, seed, NULL));
    return a;
}

/* ---- Plain loops ---- */

typedef struct found {
    int64_t at[4];
    double  height;
} found;

static bool is_maximum(const tess_array *map, const int64_t at[4])
{
    const double  x = value_at(map, at[0], at[1], at[2], at[3]);
    const int64_t here = (at[1] * map->shape.h + at[2]) * map->shape.w + at[3];
    for (int64_t d = at[1] - 1; d <= at[1] + 1; d++)
        for (int64_t h = at[2] - 1; h <= at[2] + 1; h++)
            for (int64_t w = at[3] - 1; w <= at[3] + 1; w++) {
                if (d < 0 || h < 0 || w < 0 || d >= map->shape.d || h >= map->shape.h || w >= map->shape.w) continue;
                const double  y = value_at(map, at[0], d, h, w);
                const int64_t there = (d * map->shape.h + h) * map->shape.w + w;
                if (y > x || (y == x && there < here)) return false;
            }
    return true;
}

/* All that may be peaks, in C order. */
static int64_t list_maxima(found *list, const tess_array *map, double threshold, int64_t edge)
{
    int64_t n = 0;
    int64_t at[4];
    for (at[0] = 0; at[0] < map->shape.b; at[0]++)
        for (at[1] = 0; at[1] < map->shape.d; at[1]++)
            for (at[2] = 0; at[2] < map->shape.h; at[2]++)
                for (at[3] = 0; at[3] < map->shape.w; at[3]++) {
                    const double x = value_at(map, at[0], at[1], at[2], at[3]);
                    bool         inside = true;
                    for (int k = 1; k < 4; k++)
                        inside =
                            inside && (map->shape.dim[k] == 1 || (at[k] >= edge && at[k] < map->shape.dim[k] - edge));
                    if (!(x >= threshold) || !inside || !is_maximum(map, at)) continue;
                    list[n] = (found){ .height = x };
                    for (int k = 0; k < 4; k++) list[n].at[k] = at[k];
                    n++;
                }
    return n;
}

/* The highest that is left, again and again; each takes those near it away. */
static int64_t choose(found *chosen, found *list, int64_t n, int64_t batches, double distance, int64_t max)
{
    int64_t count = 0;
    for (int64_t b = 0; b < batches; b++) {
        for (int64_t taken = 0; max == 0 || taken < max; taken++) {
            int64_t best = -1;
            for (int64_t i = 0; i < n; i++)
                if (list[i].at[0] == b && !isnan(list[i].height) && (best < 0 || list[i].height > list[best].height))
                    best = i;
            if (best < 0) break;
            const found peak = chosen[count++] = list[best];
            list[best].height = (double)NAN;
            for (int64_t i = 0; i < n; i++) {
                double sum = 0;
                for (int k = 1; k < 4; k++)
                    sum += (double)((list[i].at[k] - peak.at[k]) * (list[i].at[k] - peak.at[k]));
                if (list[i].at[0] == b && sqrt(sum) < distance) list[i].height = (double)NAN;
            }
        }
    }
    return count;
}

/* Offset and rise of the parabola through three samples along axis k. */
static void fit_along(const tess_array *map, const int64_t at[4], int k, double *offset, double *rise)
{
    int64_t low[4], high[4];
    for (int i = 0; i < 4; i++) low[i] = high[i] = at[i];
    low[k]--, high[k]++;
    *offset = *rise = 0;
    if (low[k] < 0 || high[k] >= map->shape.dim[k]) return;
    const double y = value_at(map, low[0], low[1], low[2], low[3]),
                 z = value_at(map, high[0], high[1], high[2], high[3]);
    const double x = value_at(map, at[0], at[1], at[2], at[3]), a = (y + z) / 2 - x, s = (z - y) / 2;
    if (a >= 0) return;
    *offset = fmax(-0.5, fmin(0.5, -s / (2 * a)));
    *rise = s * *offset + a * *offset * *offset;
}

static void check_peak(const tess_array *positions, const tess_array *values, int64_t i, const tess_array *map,
                       const found *want, bool fits)
{
    double height = want->height;
    CHECK(value_at(positions, i, 0, 0, 0) == (double)want->at[0]);
    for (int k = 1; k < 4; k++) {
        double offset = 0, rise = 0;
        if (fits) fit_along(map, want->at, k, &offset, &rise);
        CHECK(fabs(value_at(positions, i, 0, 0, k) - ((double)want->at[k] + offset)) < 1e-12);
        height += rise;
    }
    CHECK(fabs(value_at(values, i, 0, 0, 0) - height) < 1e-12);
}

static void check_map(const tess_array *map, double threshold, const tess_peaks_opts *o)
{
    const size_t n = (size_t)(map->shape.b * map->shape.d * map->shape.h * map->shape.w);
    found       *list = malloc(2 * n * sizeof *list);
    tess_array   positions = { 0 }, values = { 0 };
    CHECK(list);
    const int64_t maxima = list_maxima(list, map, threshold, o->edge);
    const int64_t count = choose(list + n, list, maxima, map->shape.b, o->distance, o->max);
    CHECK_OK(tess_peaks(&positions, &values, map, threshold, o));
    CHECK(positions.shape.b == count && positions.shape.w == 4 && positions.dtype == TESS_F64);
    CHECK(values.shape.b == count && values.shape.w == 1 && values.dtype == TESS_F64);
    for (int64_t i = 0; i < count && positions.shape.b == count; i++)
        check_peak(&positions, &values, i, map, &list[n + (size_t)i], !o->at_samples);
    tess_release(&positions);
    tess_release(&values);
    free(list);
}

/* ---- Tests ---- */

TEST(peaks_are_those_of_plain_loops)
{
    static const tess_shape shapes[] = { { { 1, 1, 33, 29 } }, { { 3, 1, 17, 40 } }, { { 2, 9, 11, 13 } },
                                         { { 4, 1, 1, 50 } },  { { 1, 12, 1, 7 } },  { { 1, 1, 1, 1 } } };
    static const tess_dtype dtypes[] = { TESS_F16, TESS_F32, TESS_F64 };
    static const double     distances[] = { 0, 1.5, 3, 7.25, 100 };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t t = 0; t < 3; t++) {
            tess_array map = noise(shapes[s], dtypes[t], 10 * s + t);
            for (size_t k = 0; k < 5; k++) {
                check_map(&map, -10, &(tess_peaks_opts){ .distance = distances[k] });
                check_map(&map, 0.8, &(tess_peaks_opts){ .distance = distances[k], .edge = 2, .at_samples = 1 });
                check_map(&map, 0, &(tess_peaks_opts){ .distance = distances[k], .max = 3 });
            }
            tess_release(&map);
        }
}

TEST(peaks_do_not_depend_on_strides_or_threads)
{
    tess_array map = noise(TESS_SHAPE(3, 2, 20, 31), TESS_F32, 5), storage = { 0 }, turned, part, view;
    CHECK_OK(tess_zeros(&storage, TESS_SHAPE(31, 2, 3, 23), TESS_F32, tess_cpu()));
    CHECK_OK(tess_permute(&turned, &storage, 2, 1, 3, 0));
    CHECK_OK(tess_slice(&part, &turned, 2, 1, 21, 1));
    CHECK_OK(tess_reverse(&view, &part, TESS_B | TESS_H));
    CHECK_OK(tess_copy(&view, &map));
    for (int threads = 1; threads <= 3; threads++) {
        CHECK_OK(tess_threads_set(threads));
        check_map(&view, 0, &(tess_peaks_opts){ .distance = 4 });
    }
    CHECK_OK(tess_threads_set(0));
    CHECK_OK(tess_broadcast(&view, &map, TESS_SHAPE(3, 2, 20, 31)));
    check_map(&view, 0, &(tess_peaks_opts){ .distance = 4 });
    tess_release(&map);
    tess_release(&storage);
}

TEST(plateaus_and_nan)
{
    tess_array map = ROW(TESS_F32, 1, 2, 2, 2, 1, NAN, 5, NAN, 3, 2, INFINITY), positions = { 0 }, values = { 0 };
    CHECK_OK(tess_peaks(&positions, &values, &map, 0, NULL));
    CHECK(positions.shape.b == 4);
    CHECK(value_at(&positions, 0, 0, 0, 3) == 10); /* inf */
    CHECK(value_at(&positions, 1, 0, 0, 3) == 6 && value_at(&values, 1, 0, 0, 0) == 5);
    CHECK(value_at(&positions, 2, 0, 0, 3) == 8 && value_at(&values, 2, 0, 0, 0) == 3);
    CHECK(value_at(&positions, 3, 0, 0, 3) == 1.5 && value_at(&values, 3, 0, 0, 0) == 2.125); /* the first of three */
    tess_release(&positions);
    tess_release(&values);
    CHECK_OK(tess_peaks(&positions, NULL, &map, INFINITY, NULL));
    CHECK(positions.shape.b == 1);
    tess_release(&positions);
    tess_release(&map);
}

TEST(nothing_is_found)
{
    tess_array zeros = { 0 }, empty = { 0 }, positions = { 0 }, values = { 0 };
    CHECK_OK(tess_zeros(&zeros, TESS_SHAPE(2, 1, 8, 8), TESS_F32, tess_cpu()));
    CHECK_OK(tess_peaks(&positions, &values, &zeros, 1, NULL));
    CHECK(positions.shape.b == 0 && positions.shape.w == 4 && values.shape.b == 0);
    tess_release(&positions);
    tess_release(&values);
    CHECK_OK(tess_peaks(&positions, &values, &zeros, 0, &(tess_peaks_opts){ .edge = 4 }));
    CHECK(positions.shape.b == 0);
    tess_release(&positions);
    tess_release(&values);
    CHECK_OK(tess_zeros(&empty, TESS_SHAPE(0, 1, 8, 8), TESS_F32, tess_cpu()));
    CHECK_OK(tess_peaks(&positions, &values, &empty, 0, NULL));
    CHECK(positions.shape.b == 0);
    tess_release(&positions);
    tess_release(&values);
    tess_release(&zeros);
}

/* One image for several templates: each as by itself. */
TEST(an_image_for_several_templates)
{
    tess_array image = noise(TESS_SHAPE(1, 1, 20, 21), TESS_F32, 3),
               templates = noise(TESS_SHAPE(3, 1, 5, 6), TESS_F32, 4);
    tess_array mask = noise(TESS_SHAPE(1, 1, 5, 6), TESS_F32, 5), out = { 0 }, one = { 0 };
    CHECK_OK(tess_abs(&mask, &mask));
    CHECK_OK(tess_match_template(&out, &image, &templates, &mask, NULL));
    CHECK(out.shape.b == 3 && out.shape.w == 21);
    for (int64_t b = 0; b < 3; b++) {
        tess_array templ;
        CHECK_OK(tess_index(&templ, &templates, 0, b));
        CHECK_OK(tess_match_template(&one, &image, &templ, &mask, NULL));
        for (int64_t h = 0; h < 20; h++)
            for (int64_t w = 0; w < 21; w++)
                CHECK(fabs(value_at(&out, b, 0, h, w) - value_at(&one, 0, 0, h, w)) < 1e-6);
    }
    tess_array two;
    CHECK_OK(tess_slice(&two, &templates, 0, 0, 2, 1));
    tess_release(&one);
    CHECK_FAILS(tess_match_template(&one, &image, &templates, &two, NULL), TESS_ESHAPE,
                "mask has shape {2,1,5,6} and templ has shape {3,1,5,6}; b must be equal, or 1");
    tess_release(&image);
    tess_release(&templates);
    tess_release(&mask);
    tess_release(&out);
}

TEST(bad_peaks)
{
    tess_array map = noise(TESS_SHAPE(1, 1, 8, 8), TESS_F32, 1), z = noise(TESS_SHAPE(1, 1, 3, 3), TESS_C32, 1);
    tess_array positions = { 0 }, values = { 0 }, whole = { 0 };
    CHECK_OK(tess_zeros(&whole, TESS_SHAPE(1, 1, 3, 3), TESS_I32, tess_cpu()));
    CHECK_FAILS(tess_peaks(NULL, NULL, &map, 0, NULL), TESS_EARG, "peaks", "positions is NULL");
    CHECK_FAILS(tess_peaks(&positions, &positions, &map, 0, NULL), TESS_EARG, "the same array; two are needed");
    CHECK_FAILS(tess_peaks(&map, &values, &map, 0, NULL), TESS_EARG, "positions", "zeroed");
    CHECK_FAILS(tess_peaks(&positions, &map, &map, 0, NULL), TESS_EARG, "values", "zeroed");
    CHECK_FAILS(tess_peaks(&positions, &values, &z, 0, NULL), TESS_EDTYPE, "map is c32");
    CHECK_FAILS(tess_peaks(&positions, &values, &whole, 0, NULL), TESS_EDTYPE, "map is i32");
    CHECK_FAILS(tess_peaks(&positions, &values, &map, (double)NAN, NULL), TESS_EARG, "threshold is NaN");
    CHECK_FAILS(tess_peaks(&positions, &values, &map, 0, &(tess_peaks_opts){ .distance = -1 }), TESS_ERANGE,
                "distance is -1");
    CHECK_FAILS(tess_peaks(&positions, &values, &map, 0, &(tess_peaks_opts){ .edge = -2 }), TESS_ERANGE, "edge is -2");
    CHECK_FAILS(tess_peaks(&positions, &values, &map, 0, &(tess_peaks_opts){ .max = -2 }), TESS_ERANGE, "max is -2");
    CHECK(positions.data == NULL && values.data == NULL);
    tess_release(&map);
    tess_release(&z);
    tess_release(&whole);
}
