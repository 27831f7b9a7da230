/* Statistics and histograms of stacks against plain loops: NaNs and infinities, every dtype and part, the same bits for
 * files, threads and slabs, cancellation, bad arguments, and allocations that fail. */
#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"

enum { B = 3, D = 4, H = 7, W = 9, SECTIONS = B * D, IMAGE = H * W, ALL = SECTIONS * IMAGE };

static hooks h;

static tess_source source_of(const tess_array *array)
{
    tess_source source = { 0 };
    CHECK_OK(tess_source_array(&source, array, "the stack", NULL));
    return source;
}

static tess_array volumes(tess_dtype dtype)
{
    tess_array wide = { 0 }, a = { 0 };
    CHECK_OK(tess_empty(&wide, TESS_SHAPE(B, D, H, W), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&wide, 50, 20, 3, NULL));
    CHECK_OK(tess_cast(&a, &wide, dtype, NULL));
    tess_release(&wide);
    return a;
}

/* ---- Against plain loops ---- */

/* A row of `n` images from `first` on. */
static void plain_row(double row[TESS_STATISTICS_COLUMNS], const tess_array *a, int64_t first, int64_t n)
{
    double sum = 0, squares = 0;
    for (int k = 0; k < TESS_STATISTICS_COLUMNS; k++) row[k] = k < TESS_STATISTICS_N ? (double)NAN : 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = first * IMAGE; i < (first + n) * IMAGE; i++) {
            const int64_t section = i / IMAGE, at[3] = { i % W, i / W % H, section };
            const double  value = value_at(a, section / D, section % D, at[1], at[0]);
            if (pass == 0) row[TESS_STATISTICS_N_NAN] += isnan(value), row[TESS_STATISTICS_N_INF] += isinf(value) != 0;
            if (isnan(value)) continue;
            if (pass == 0) sum += value, row[TESS_STATISTICS_N]++;
            else squares += (value - sum / row[TESS_STATISTICS_N]) * (value - sum / row[TESS_STATISTICS_N]);
            for (int k = 0; k < 3 && pass == 0; k++) {
                if (!(value >= row[TESS_STATISTICS_MIN])) row[TESS_STATISTICS_MIN_X + k] = (double)at[k];
                if (!(value <= row[TESS_STATISTICS_MAX])) row[TESS_STATISTICS_MAX_X + k] = (double)at[k];
            }
            if (!(value >= row[TESS_STATISTICS_MIN])) row[TESS_STATISTICS_MIN] = value;
            if (!(value <= row[TESS_STATISTICS_MAX])) row[TESS_STATISTICS_MAX] = value;
        }
    if (!(row[TESS_STATISTICS_N] > 0)) return;
    row[TESS_STATISTICS_MEAN] = sum / row[TESS_STATISTICS_N];
    row[TESS_STATISTICS_SD] = sqrt(squares / row[TESS_STATISTICS_N]);
}

static bool is_near(double x, double y)
{
    return (isnan(x) && isnan(y)) || x == y || fabs(x - y) < 1e-10 * fmax(1, fabs(y));
}

static void check_rows(const tess_array *a, int32_t of)
{
    const tess_source in = source_of(a);
    const int64_t     n = of == TESS_STATISTICS_OF_EACH_IMAGE ? 1 : of == TESS_STATISTICS_OF_EACH_VOLUME ? D : SECTIONS;
    tess_stack_statistics_result r = { 0 };
    CHECK_OK(tess_stack_statistics(&r, &in, &(tess_stack_statistics_opts){ .of = of }, NULL));
    CHECK_DIMS(r.statistics.shape, 1, 1, SECTIONS / n, TESS_STATISTICS_COLUMNS);
    for (int64_t i = 0; i < SECTIONS / n; i++) {
        const double *row = (const double *)r.statistics.data + TESS_STATISTICS_COLUMNS * i;
        double        want[TESS_STATISTICS_COLUMNS];
        plain_row(want, a, i * n, n);
        for (int k = 0; k < TESS_STATISTICS_COLUMNS; k++) CHECK(is_near(row[k], want[k]));
    }
    tess_stack_statistics_result_release(&r);
}

TEST(statistics_of_every_part)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_F16, TESS_I16, TESS_U8, TESS_I64 };
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        tess_array a = volumes(dtypes[k]);
        for (int32_t of = 0; of <= TESS_STATISTICS_OF_EACH_VOLUME; of++) check_rows(&a, of);
        tess_release(&a);
    }
}

/* NaNs are left out, infinities are not; a section and a volume have nothing else. */
TEST(statistics_of_values_that_are_not_finite)
{
    tess_array a = volumes(TESS_F32);
    for (int i = 0; i < IMAGE; i++) CHECK_OK(tess_set_f64(&a, 0, 1, i / W, i % W, (double)NAN));
    for (int i = 0; i < D * IMAGE; i++) CHECK_OK(tess_set_f64(&a, 2, i / IMAGE, i / W % H, i % W, (double)NAN));
    CHECK_OK(tess_set_f64(&a, 0, 0, 2, 3, (double)NAN));
    for (int32_t of = 0; of <= TESS_STATISTICS_OF_EACH_VOLUME; of++) check_rows(&a, of);
    CHECK_OK(tess_set_f64(&a, 1, 3, 2, 3, (double)INFINITY));
    const tess_source            in = source_of(&a);
    tess_stack_statistics_result r = { 0 };
    CHECK_OK(tess_stack_statistics(&r, &in, NULL, NULL));
    const double *row = r.statistics.data;
    CHECK(isinf(row[TESS_STATISTICS_MAX]) && row[TESS_STATISTICS_MAX_IMAGE] == 7 && row[TESS_STATISTICS_MAX_X] == 3);
    CHECK(row[TESS_STATISTICS_N_INF] == 1 && row[TESS_STATISTICS_N_NAN] == 5 * IMAGE + 1);
    tess_stack_statistics_result_release(&r);
    tess_release(&a);
}

TEST(statistics_of_magnitudes_and_of_nothing)
{
    tess_array                   a = constant(TESS_C32, 2, 1, 2, 3, 0), none = constant(TESS_F32, 0, 1, 4, 4, 0);
    const float                  value[2] = { 3, -4 };
    const tess_source            in = source_of(&a), empty = source_of(&none);
    tess_stack_statistics_result r = { 0 };
    memcpy((float *)a.data + 2 * 7, value, sizeof value);
    CHECK_OK(tess_stack_statistics(&r, &in, NULL, NULL));
    const double *row = r.statistics.data;
    CHECK(row[TESS_STATISTICS_MAX] == 5 && row[TESS_STATISTICS_MAX_IMAGE] == 1 && row[TESS_STATISTICS_MAX_X] == 1);
    CHECK(is_near(row[TESS_STATISTICS_MEAN], 5.0 / 12) && row[TESS_STATISTICS_N] == 12);
    tess_stack_statistics_result_release(&r);
    CHECK_OK(tess_stack_statistics(&r, &empty, NULL, NULL));
    row = r.statistics.data;
    CHECK(isnan(row[TESS_STATISTICS_MIN]) && isnan(row[TESS_STATISTICS_MAX_Y]) && row[TESS_STATISTICS_N] == 0);
    tess_stack_statistics_result_release(&r);
    CHECK_OK(
        tess_stack_statistics(&r, &empty, &(tess_stack_statistics_opts){ .of = TESS_STATISTICS_OF_EACH_IMAGE }, NULL));
    CHECK_DIMS(r.statistics.shape, 1, 1, 0, TESS_STATISTICS_COLUMNS);
    tess_stack_statistics_result_release(&r);
    tess_release(&a);
    tess_release(&none);
}

static void check_bins(const tess_array *a, int64_t bins, double low, double high, const tess_stack_histogram_opts *o)
{
    const tess_source           in = source_of(a);
    tess_stack_histogram_result r = { 0 };
    CHECK_OK(tess_stack_histogram(&r, &in, bins, o, &(tess_context){ .slab = 1 }));
    CHECK_DIMS(r.histogram.shape, 1, 1, bins, TESS_BIN_COLUMNS);
    for (int64_t i = 0; i < bins; i++) {
        const double *row = (const double *)r.histogram.data + TESS_BIN_COLUMNS * i;
        int64_t       n = 0;
        CHECK(is_near(row[TESS_BIN_FROM], low + (double)i * (high - low) / (double)bins));
        CHECK(is_near(row[TESS_BIN_TO], low + (double)(i + 1) * (high - low) / (double)bins));
        for (int64_t k = 0; k < ALL; k++) {
            const double value = value_at(a, k / (D * IMAGE), k / IMAGE % D, k / W % H, k % W);
            n += value >= row[TESS_BIN_FROM] && (value < row[TESS_BIN_TO] || (i + 1 == bins && value <= high));
        }
        CHECK_I64((int64_t)row[TESS_BIN_COUNT], n);
    }
    tess_stack_histogram_result_release(&r);
}

TEST(histograms_of_ranges_and_of_all_values)
{
    tess_array a = volumes(TESS_I16), flat = constant(TESS_F32, B, D, H, W, 7);
    double     min, max;
    CHECK_OK(tess_host_minmax(&min, &max, &a));
    check_bins(&a, 8, min, max, NULL);
    check_bins(&a, 5, 0, 60, &(tess_stack_histogram_opts){ .high = 60 });
    check_bins(&a, 1, 40, 50, &(tess_stack_histogram_opts){ .low = 40, .high = 50 });
    check_bins(&flat, 4, 6.5, 7.5, NULL);
    tess_release(&a);
    tess_release(&flat);
}

/* ---- Both ---- */

static tess_status run(tess_array *out, const tess_source *in, bool histogram, const tess_context *context)
{
    const tess_stack_statistics_opts each = { .of = TESS_STATISTICS_OF_EACH_IMAGE };
    tess_stack_statistics_result     s = { 0 };
    tess_stack_histogram_result      b = { 0 };
    const tess_status                status =
        histogram ? tess_stack_histogram(&b, in, 7, NULL, context) : tess_stack_statistics(&s, in, &each, context);
    *out = histogram ? b.histogram : s.statistics;
    return status;
}

TEST(the_same_bits_for_files_threads_and_slabs)
{
    tess_array         a = volumes(TESS_F32);
    const tess_source  in = source_of(&a);
    const tess_context little = { .slab = 1, .memory = 1 << 16 };
    tess_source        file = { 0 };
    CHECK_OK(tess_write(in_folder("volumes.npy"), &a, NULL));
    CHECK_OK(tess_source_open(&file, in_folder("volumes.npy"), NULL));
    for (int histogram = 0; histogram < 2; histogram++) {
        tess_array one = { 0 }, two = { 0 };
        CHECK_OK(tess_threads_set(1));
        CHECK_OK(run(&one, &in, histogram, NULL));
        CHECK_OK(tess_threads_set(2));
        CHECK_OK(run(&two, &file, histogram, &little));
        CHECK_OK(tess_threads_set(0));
        CHECK(same_values(&one, &two));
        tess_release(&one);
        tess_release(&two);
    }
    tess_source_close(&file);
    tess_release(&a);
}

typedef struct watch {
    int calls, cancel_at;
} watch;

static int32_t count_reports(void *user, const tess_progress *p)
{
    watch *w = user;
    CHECK(p->done >= 0 && p->done <= p->total && p->total == SECTIONS);
    return ++w->calls == w->cancel_at;
}

TEST(jobs_are_cancelled_at_every_report)
{
    tess_array        a = volumes(TESS_F32), out = { 0 };
    const tess_source in = source_of(&a);
    for (int histogram = 0; histogram < 2; histogram++) {
        watch        w = { .calls = 0 };
        tess_context context = { .progress = count_reports, .user = &w, .slab = 1 };
        CHECK_OK(run(&out, &in, histogram, &context));
        tess_release(&out);
        const int reports = w.calls;
        CHECK(reports > SECTIONS);
        hooks_on(&h);
        for (int at = 1; at <= reports; at++) {
            w = (watch){ .cancel_at = at };
            CHECK_FAILS(run(&out, &in, histogram, &context), TESS_ECANCELLED, "cancelled after", "of 12 images");
            CHECK(is_zeroed(&out) && w.calls == at);
            CHECK_I64(atomic_load(&h.live), 0);
        }
        hooks_off();
    }
    tess_release(&a);
}

static tess_array  small;
static int         failing;
static tess_status scenario(void)
{
    const tess_source in = source_of(&small);
    tess_array        out = { 0 };
    const tess_status status = run(&out, &in, failing, NULL);
    tess_release(&out);
    return status;
}

TEST(every_allocation_fails_in_turn)
{
    small = constant(TESS_F32, 3, 1, 4, 5, 2);
    CHECK_OK(tess_set_f64(&small, 1, 0, 2, 3, (double)NAN));
    for (failing = 0; failing < 2; failing++) hooks_each_fails(&h, scenario, 5);
    tess_release(&small);
}

/* ---- What is wrong ---- */

#define HISTOGRAM(bins, ...) tess_stack_histogram(&b, &in, bins, &(tess_stack_histogram_opts){ __VA_ARGS__ }, NULL)

TEST(bad_arguments)
{
    tess_array                   a = volumes(TESS_F32), complex = constant(TESS_C32, 1, 1, 2, 2, 1);
    const tess_source            in = source_of(&a), c = source_of(&complex), zeroed = { 0 };
    tess_stack_statistics_result r = { 0 }, dirty = { .statistics = a };
    tess_stack_histogram_result  b = { 0 };
    CHECK_FAILS(tess_stack_statistics(NULL, &in, NULL, NULL), TESS_EARG, "stack_statistics: result is NULL");
    CHECK_FAILS(tess_stack_statistics(&dirty, &in, NULL, NULL), TESS_EARG, "result is not zeroed");
    CHECK_FAILS(tess_stack_statistics(&r, NULL, NULL, NULL), TESS_EARG, "images is NULL");
    CHECK_FAILS(tess_stack_statistics(&r, &zeroed, NULL, NULL), TESS_EARG, "images is a zeroed source");
    CHECK_FAILS(tess_stack_statistics(&r, &in, &(tess_stack_statistics_opts){ .of = 9 }, NULL), TESS_EARG,
                "opts->of is 9");
    CHECK_FAILS(tess_stack_statistics(&r, &in, NULL, &(tess_context){ .memory = 10 }), TESS_ENOMEM, "context->memory");
    CHECK_FAILS(tess_stack_histogram(NULL, &in, 3, NULL, NULL), TESS_EARG, "stack_histogram: result is NULL");
    CHECK_FAILS(HISTOGRAM(0, .low = 1, .high = 2), TESS_ERANGE, "bins is 0; 1 to 16777216");
    CHECK_FAILS(HISTOGRAM(1 << 25, .low = 1, .high = 2), TESS_ERANGE, "bins is 33554432");
    CHECK_FAILS(HISTOGRAM(4, .low = 2, .high = 1), TESS_ERANGE, "opts->low is 2 and opts->high is 1");
    CHECK_FAILS(HISTOGRAM(4, .low = 2), TESS_ERANGE, "opts->low is 2 and opts->high is 0");
    CHECK_FAILS(tess_stack_histogram(&b, &c, 4, NULL, NULL), TESS_EDTYPE, "the stack has complex numbers");
    CHECK_OK(tess_set_f64(&a, 1, 1, 1, 1, (double)INFINITY));
    CHECK_FAILS(tess_stack_histogram(&b, &in, 4, NULL, NULL), TESS_ERANGE, "not finite", "opts->low and opts->high");
    CHECK(is_zeroed(&r.statistics) && is_zeroed(&b.histogram));
    tess_release(&a);
    tess_release(&complex);
}
