/* Arrays whose rows are not contiguous in memory: what is kept in them, work in place, queues, memory limits, speed. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "support/arrays.h"
#include "support/gpu.h"
#include "support/sanitizers.h"
#include "tessera/convolve.h"
#include "tessera/order.h"
#include "tessera/resize.h"
#include "tessera/scan.h"
#include "tessera/transform.h"
#include "tessera/window.h"

enum { N = 160 }; /* 100 KiB of f32: large enough to be copied */

/* The same elements as a view whose columns are contiguous; `held` owns them. */
static tess_array columns_of(tess_array *held, const tess_array *a)
{
    tess_array view = { 0 };
    CHECK_OK(tess_permute_copy(held, a, 0, 1, 3, 2));
    CHECK_OK(tess_transpose(&view, held));
    return view;
}

static tess_array image_of(int64_t n)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, n, n), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_uniform(&a, 0, 1, 3, NULL));
    return a;
}

static void release(tess_array *arrays, int n)
{
    for (int i = 0; i < n; i++) tess_release(&arrays[i]);
}

TEST(elements_that_a_border_leaves_are_kept)
{
    tess_array                a[4] = { image_of(N) }, weights = constant(TESS_F32, 1, 1, 5, 5, 0.04);
    const tess_convolve_opts  inside = { .border = TESS_BORDER_NOTHING };
    const tess_transform_opts seen = { .border = TESS_BORDER_NOTHING };
    const double              shift[6] = { 1, 0, 20, 0, 1, -30 };
    tess_array                matrix = { 0 };
    CHECK_OK(tess_wrap(&matrix, (void *)(uintptr_t)shift, TESS_SHAPE(1, 1, 2, 3), TESS_F64, NULL));
    CHECK_OK(tess_full(&a[1], a[0].shape, TESS_F32, tess_cpu(), 7));
    tess_array view = columns_of(&a[2], &a[1]);
    CHECK_OK(tess_convolve(&a[1], &a[0], &weights, &inside));
    CHECK_OK(tess_convolve(&view, &a[0], &weights, &inside));
    CHECK(test_same_bits(&view, &a[1]));
    CHECK(TESS_AT(float, view, 0, 0, 0, 0) == 7 && TESS_AT(float, view, 0, 0, N / 2, N / 2) != 7);
    CHECK_OK(tess_transform_2d(&a[1], &a[0], &matrix, &seen));
    CHECK_OK(tess_transform_2d(&view, &a[0], &matrix, &seen));
    CHECK(test_same_bits(&view, &a[1]));
    CHECK(TESS_AT(float, view, 0, 0, N - 1, 0) == 7);
    tess_release(&weights);
    release(a, 3);
}

TEST(work_in_place_in_columns)
{
    tess_array a[3] = { image_of(N) };
    tess_array view = columns_of(&a[1], &a[0]);
    CHECK_OK(tess_taper(&a[2], &a[0], NULL));
    CHECK_OK(tess_taper(&view, &view, NULL));
    CHECK(test_same_bits(&view, &a[2]));
    CHECK_OK(tess_bspline_prefilter(&a[2], &a[2], NULL));
    CHECK_OK(tess_bspline_prefilter(&view, &view, NULL));
    CHECK(test_same_bits(&view, &a[2]));
    CHECK_OK(tess_cumsum(&a[2], &a[2], 3, NULL));
    CHECK_OK(tess_cumsum(&view, &view, 3, NULL));
    CHECK(test_same_bits(&view, &a[2]));
    release(a, 3);
}

TEST(inputs_that_are_broadcast_stay_so)
{
    tess_array a[3] = { image_of(N) }, column = { 0 }, all = { 0 };
    tess_array view = columns_of(&a[1], &a[0]);
    CHECK_OK(tess_broadcast(&all, &view, TESS_SHAPE(3, 1, N, N)));
    CHECK_OK(tess_bin(&a[2], &all, TESS_SHAPE(1, 1, 2, 2), NULL));
    CHECK_OK(tess_bin(&column, &a[0], TESS_SHAPE(1, 1, 2, 2), NULL));
    for (int64_t b = 0; b < 3; b++) {
        tess_array one = { 0 };
        CHECK_OK(tess_index(&one, &a[2], 0, b));
        CHECK(test_same_bits(&one, &column));
    }
    tess_release(&column);
    release(a, 3);
}

TEST(an_asynchronous_stream_keeps_the_copies)
{
    tess_stream *s = NULL, *before = tess_stream_current(tess_cpu());
    tess_array   a[4] = { image_of(N) }, out = { 0 };
    tess_array   view = columns_of(&a[1], &a[0]);
    CHECK_OK(tess_gaussian_filter(&a[2], &a[0], 0, 2, 2, NULL));
    CHECK_OK(tess_empty(&a[3], a[0].shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_transpose(&out, &a[3]));
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = true }));
    CHECK_OK(tess_stream_set_current(s));
    CHECK_OK(tess_gaussian_filter(&out, &view, 0, 2, 2, NULL));
    tess_release(&a[1]); /* the queue holds it */
    CHECK_OK(tess_stream_sync(s));
    CHECK_OK(tess_stream_set_current(before));
    CHECK(test_same_bits(&out, &a[2]));
    tess_stream_free(s);
    release(a, 4);
}

TEST(without_memory_for_a_copy_it_works_without)
{
    tess_array a[3] = { image_of(N) }, out = { 0 };
    tess_array view = columns_of(&a[1], &a[0]);
    CHECK_OK(tess_bin(&a[2], &a[0], TESS_SHAPE(1, 1, 2, 2), NULL));
    CHECK_OK(tess_empty(&out, a[2].shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_memory_limit_set(tess_memory_used(tess_cpu()) + 100));
    CHECK_OK(tess_bin(&out, &view, TESS_SHAPE(1, 1, 2, 2), NULL));
    CHECK_OK(tess_memory_limit_set(0));
    CHECK(test_same_bits(&out, &a[2]));
    tess_release(&out);
    release(a, 3);
}

/* The order of additions follows the layout of inputs: neither that of outputs nor memory has a say. */
TEST(sums_of_operators_are_those_of_their_inputs)
{
    static const char text[] = "op total(in f32 x, acc sum f64 s, out f64 t) { f64 v = x; s += v / 3.0 + 1e9; }";
    tess_array        a = image_of(N), sums[3] = { { .data = NULL } }, in = { 0 }, back = { 0 };
    tess_op          *op = NULL;
    CHECK_OK(tess_op_text(&op, text));
    CHECK_OK(tess_reverse(&in, &a, TESS_H | TESS_W));
    for (int i = 0; i < 3; i++) CHECK_OK(tess_empty(&sums[i], TESS_SHAPE(1, 1, 1, N), TESS_F64, tess_cpu()));
    CHECK_OK(tess_reverse(&back, &sums[1], TESS_W));
    CHECK_OK(tess_call(op, &in, &sums[0]));
    CHECK_OK(tess_call(op, &in, &back));
    CHECK(test_same_bits(&back, &sums[0]));
    CHECK_OK(tess_memory_limit_set(tess_memory_used(tess_cpu()) + 100));
    CHECK_OK(tess_call(op, &in, &sums[2]));
    CHECK_OK(tess_memory_limit_set(0));
    CHECK(test_same_bits(&sums[2], &sums[0]));
    tess_op_release(op);
    tess_release(&a);
    release(sums, 3);
}

/* Indices are checked when it is their turn in the queue. */
TEST(a_bad_index_leaves_columns_as_they_were)
{
    tess_stream *s = NULL, *before = tess_stream_current(tess_cpu());
    tess_array   a[2] = { image_of(N) }, indices = { 0 }, held = { 0 };
    CHECK_OK(tess_arange(&indices, TESS_SHAPE(1, 1, 1, N), TESS_I64, tess_cpu(), 0, 1));
    TESS_AT(int64_t, indices, 0, 0, 0, N - 1) = N;
    CHECK_OK(tess_full(&a[1], a[0].shape, TESS_F32, tess_cpu(), 7));
    tess_array view = columns_of(&held, &a[1]);
    CHECK_FAILS(tess_take(&view, &a[0], &indices, 3), TESS_ERANGE, "take: indices[159] is 160; axis 3 has size 160");
    CHECK(test_same_bits(&view, &a[1]));
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = true }));
    CHECK_OK(tess_stream_set_current(s));
    CHECK_OK(tess_take(&view, &a[0], &indices, 3));
    CHECK_FAILS(tess_stream_sync(s), TESS_ERANGE, "take: indices[159] is 160");
    CHECK_OK(tess_stream_set_current(before));
    CHECK(test_same_bits(&view, &a[1]));
    tess_stream_free(s);
    tess_release(&held);
    tess_release(&indices);
    release(a, 2);
}

/* ---- Speed ---- */

typedef tess_status work_fn(tess_array *out, const tess_array *in);

static tess_status do_copy(tess_array *out, const tess_array *in) { return tess_copy(out, in); }
static tess_status do_bin(tess_array *out, const tess_array *in)
{
    return tess_bin(out, in, TESS_SHAPE(1, 1, 2, 2), NULL);
}
static tess_status do_cumsum(tess_array *out, const tess_array *in) { return tess_cumsum(out, in, 3, NULL); }
static tess_status do_gaussian(tess_array *out, const tess_array *in)
{
    return tess_gaussian_filter(out, in, 0, 2, 2, NULL);
}
static tess_status do_taper(tess_array *out, const tess_array *in) { return tess_taper(out, in, NULL); }

/* Every `step`-th index. */
static tess_status take_some(tess_array *out, const tess_array *in, int64_t step)
{
    tess_array  indices = { 0 };
    tess_status status = tess_arange(&indices, TESS_SHAPE(1, 1, 1, 1024 / step), TESS_I64, tess_cpu(), 0, (double)step);
    if (status == TESS_OK) status = tess_take(out, in, &indices, 3);
    tess_release(&indices);
    return status;
}
static tess_status do_take(tess_array *out, const tess_array *in) { return take_some(out, in, 3); }
static tess_status do_take_all(tess_array *out, const tess_array *in) { return take_some(out, in, 1); }
static tess_status do_take_flat(tess_array *out, const tess_array *in)
{
    tess_array  indices = { 0 };
    tess_status status = tess_arange(&indices, TESS_SHAPE(1, 1, 1, 1024 * 128), TESS_I64, tess_cpu(), 0, 7);
    if (status == TESS_OK) status = tess_take_flat(out, in, &indices);
    tess_release(&indices);
    return status;
}

/* The least time of a few runs on this thread's own clock, in seconds. */
static double least_time_into(tess_array *out, work_fn *work, const tess_array *in)
{
    double least = (double)INFINITY;
    for (int i = 0; i < 9; i++) {
        struct timespec from, to;
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        CHECK_OK(work(out, in));
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        least = fmin(least, (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    }
    return least;
}

static double least_time(work_fn *work, const tess_array *in)
{
    tess_array   out = { 0 };
    const double least = least_time_into(&out, work, in);
    tess_release(&out);
    return least;
}

/* 1.5 times as long is the aim, which bench/layouts.py measures; without copies it was 3 to 26 times. */
TEST(columns_take_as_long_as_rows_and_a_copy)
{
    static const struct {
        const char *name;
        work_fn    *work;
    } works[] = { { "bin", do_bin },     { "cumsum", do_cumsum }, { "gaussian_filter", do_gaussian },
                  { "taper", do_taper }, { "take", do_take },     { "take_flat", do_take_flat } };
    if (THREAD_SANITIZER || ADDRESS_SANITIZER) {
        test_skip("a sanitizer changes the times");
        return;
    }
    CHECK_OK(tess_threads_set(1));
    tess_array   a = image_of(1024), held = { 0 };
    tess_array   view = columns_of(&held, &a);
    const double copied = least_time(do_copy, &view);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        const double rows = least_time(works[i].work, &a), columns = least_time(works[i].work, &view);
        if (columns > 2 * (rows + copied))
            (void)test_failed(__FILE__, __LINE__, "%s takes %.2f ms of columns, %.2f ms of rows; a copy takes %.2f ms",
                              works[i].name, columns * 1e3, rows * 1e3, copied * 1e3);
    }
    const double rows = least_time(do_take_all, &a), into = least_time_into(&view, do_take_all, &a);
    if (into > 2 * (rows + copied))
        (void)test_failed(__FILE__, __LINE__,
                          "take takes %.2f ms into columns, %.2f ms into rows; a copy takes %.2f ms", into * 1e3,
                          rows * 1e3, copied * 1e3);
    CHECK_OK(tess_threads_set(0));
    tess_release(&a);
    tess_release(&held);
}
