/* Elements by index and by mask, searches, different elements and histograms against naive loops: dtype x layout, the
 * same for every number of threads and instruction set.
 */
#include <math.h>
#include <stdlib.h>

#include "cpu/isa.h"
#include "support/layouts.h"

static const tess_shape shape = { { 2, 3, 11, 37 } };
enum { N = 2 * 3 * 11 * 37, LENGTH = 37 };

/* Element number i in b, d, h, w order. */
static unsigned char *at(const tess_array *a, int64_t i)
{
    int64_t position[4];
    for (int d = 3; d >= 0; d--) {
        position[d] = i % a->shape.dim[d];
        i /= a->shape.dim[d];
    }
    return element_at(a, position);
}

/* Small numbers, or bytes where they do not matter; floats have a NaN and zeros of both signs among them. */
static void set_elements(tess_array *a)
{
    const size_t size = tess_dtype_size(a->dtype);
    for (int64_t i = 0; i < tess_n_elements(a); i++) {
        const int64_t  number = test_random_in(-9, 9);
        double         x = number == -9 ? (double)NAN : number == 8 ? -0.0 : (double)number / 2;
        unsigned char *to = at(a, i);
        if (a->dtype == TESS_F64) memcpy(to, &x, size);
        else if (a->dtype == TESS_F32) memcpy(to, &(float){ (float)x }, size);
        else
            for (size_t k = 0; k < size; k++)
                to[k] = (unsigned char)(a->dtype == TESS_BOOL ? number & 1 : test_random());
    }
}

/* Calls `check` for every instruction set and some numbers of threads. */
static void everywhere(void (*check)(tess_dtype dtype, layout kind), tess_dtype first, tess_dtype last)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        for (tess_dtype dtype = first; dtype <= last; dtype++)
            for (layout kind = 0; kind < n_output_layouts; kind++) {
                if (!test_takes_case()) continue;
                CHECK_OK(tess_threads_set(1 + ((int)dtype + (int)kind) % 3));
                check(dtype, kind);
            }
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

static void make(guarded *g, layout kind, tess_shape of, tess_dtype dtype)
{
    guarded_make(g, kind, of, dtype);
    set_elements(&g->view);
    guarded_snapshot(g);
}

/* ---- Indices ---- */

/* Are the slices of `in` at these indices along an axis in `out`? */
static bool are_taken(const tess_array *out, const tess_array *in, const int64_t *picked, int axis)
{
    bool same = true;
    for (int64_t i = 0; i < tess_n_elements(out) && same; i++) {
        int64_t rest = i, index[4], from[4];
        for (int d = 3; d >= 0; d--) {
            index[d] = from[d] = rest % out->shape.dim[d];
            rest /= out->shape.dim[d];
        }
        from[axis] = picked[index[axis]] + (picked[index[axis]] < 0 ? in->shape.dim[axis] : 0);
        same = memcmp(element_at(out, index), element_at(in, from), tess_dtype_size(in->dtype)) == 0;
    }
    return same;
}

/* m random indices of an axis of n, negative ones among them. */
static void pick_indices(guarded *indices, int64_t *picked, int64_t m, int64_t n)
{
    guarded_make(indices, (layout)test_random_in(0, n_output_layouts - 1), TESS_SHAPE(1, m, 1, 1), TESS_I32);
    for (int64_t i = 0; i < m; i++) {
        picked[i] = test_random_in(-n, n - 1);
        memcpy(at(&indices->view, i), &(int32_t){ (int32_t)picked[i] }, 4);
    }
}

static void check_indices(tess_dtype dtype, layout kind)
{
    const size_t size = tess_dtype_size(dtype);
    for (int axis = 0; axis < 4; axis++) {
        enum { M = 23 };
        tess_shape slices = shape;
        guarded    in, out, indices;
        int64_t    picked[M];
        slices.dim[axis] = M;
        make(&in, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
        make(&out, kind, slices, dtype);
        pick_indices(&indices, picked, M, shape.dim[axis]);
        CHECK_OK(tess_take(&out.view, &in.view, &indices.view, axis));
        bool same = guarded_check(&out, "take") && are_taken(&out.view, &in.view, picked, axis);
        if (!CHECK(same))
            (void)test_failed(__FILE__, __LINE__, "take %s %s", tess_dtype_name(dtype), layout_names[kind]);
        /* Put back, each slice of the output is the last one taken from there, which is the same. */
        tess_array copy = { 0 };
        CHECK_OK(tess_copy(&copy, &in.view));
        CHECK_OK(tess_put(&in.view, &out.view, &indices.view, axis, NULL));
        for (int64_t i = 0; i < N && same; i++) same = memcmp(at(&copy, i), at(&in.view, i), size) == 0;
        CHECK(same && guarded_check(&in, "put"));
        tess_release(&copy);
        guarded_free(&in);
        guarded_free(&out);
        guarded_free(&indices);
    }
}
TEST(indices_of_all_dtypes) { everywhere(check_indices, TESS_BOOL, TESS_DTYPE_COUNT - 1); }

/* Large enough for tiles, which are not all whole; of dtypes, one of each size. */
static void check_tiles(tess_dtype dtype, layout kind)
{
    const int axis = (int)test_random_in(1, 3);
    enum { M = 420 };
    if (dtype != TESS_U8 && dtype != TESS_I16 && dtype != TESS_F32 && dtype != TESS_F64 && dtype != TESS_C64) return;
    const tess_shape large = { { 1, axis == 1 ? 33 : 2, axis == 2 ? 29 : 21, axis == 3 ? 31 : 43 } };
    tess_shape       slices = large;
    guarded          in, out, indices;
    int64_t          picked[M];
    slices.dim[axis] = M;
    make(&in, (layout)test_random_in(0, n_output_layouts - 1), large, dtype);
    make(&out, kind, slices, dtype);
    pick_indices(&indices, picked, M, large.dim[axis]);
    CHECK_OK(tess_take(&out.view, &in.view, &indices.view, axis));
    if (!CHECK(guarded_check(&out, "take") && are_taken(&out.view, &in.view, picked, axis)))
        (void)test_failed(__FILE__, __LINE__, "take %s %s", tess_dtype_name(dtype), layout_names[kind]);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&indices);
}
TEST(indices_by_tiles) { everywhere(check_tiles, TESS_BOOL, TESS_DTYPE_COUNT - 1); }

static void check_whole(tess_dtype dtype, layout kind)
{
    enum { M = 5 * 31 };
    const size_t size = tess_dtype_size(dtype);
    guarded      in, out, indices;
    int64_t      picked[M];
    tess_array   copy = { 0 };
    make(&in, kind, shape, dtype);
    make(&out, (layout)test_random_in(0, n_output_layouts - 1), TESS_SHAPE(1, 1, 5, 31), dtype);
    guarded_make(&indices, (layout)test_random_in(0, n_output_layouts - 1), out.view.shape, TESS_I16);
    for (int i = 0; i < M; i++) {
        picked[i] = test_random_in(-N, N - 1);
        memcpy(at(&indices.view, i), &(int16_t){ (int16_t)picked[i] }, 2);
    }
    CHECK_OK(tess_take_flat(&out.view, &in.view, &indices.view));
    bool same = guarded_check(&out, "take_flat");
    for (int i = 0; i < M && same; i++)
        same = memcmp(at(&out.view, i), at(&in.view, picked[i] + (picked[i] < 0 ? N : 0)), size) == 0;
    if (!CHECK(same))
        (void)test_failed(__FILE__, __LINE__, "take_flat %s %s", tess_dtype_name(dtype), layout_names[kind]);
    set_elements(&out.view);
    CHECK_OK(tess_copy(&copy, &in.view));
    for (int i = 0; i < M; i++) memcpy(at(&copy, picked[i] + (picked[i] < 0 ? N : 0)), at(&out.view, i), size);
    CHECK_OK(tess_put_flat(&in.view, &out.view, &indices.view, NULL));
    for (int64_t i = 0; i < N && same; i++) same = memcmp(at(&copy, i), at(&in.view, i), size) == 0;
    if (!CHECK(same && guarded_check(&in, "put_flat")))
        (void)test_failed(__FILE__, __LINE__, "put_flat %s %s", tess_dtype_name(dtype), layout_names[kind]);
    tess_release(&copy);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&indices);
}
TEST(flat_places_of_all_dtypes) { everywhere(check_whole, TESS_BOOL, TESS_DTYPE_COUNT - 1); }

/* ---- Masks ---- */

static void check_masks(tess_dtype dtype, layout kind)
{
    const size_t size = tess_dtype_size(dtype);
    guarded      in, mask;
    tess_array   values = { 0 }, indices = { 0 };
    int64_t      n = 0;
    make(&in, kind, shape, dtype);
    make(&mask, (layout)test_random_in(0, n_layouts - 1), shape, TESS_BOOL);
    CHECK_OK(tess_compress(&values, &indices, &in.view, &mask.view));
    bool same = true;
    for (int64_t i = 0; i < N && same; i++) {
        if (!*at(&mask.view, i)) continue;
        same = n < values.shape.w && ((int64_t *)indices.data)[n] == i &&
               memcmp(at(&values, n), at(&in.view, i), size) == 0;
        n++;
    }
    CHECK(same && n == values.shape.w && n == indices.shape.w);
    tess_array copy = { 0 };
    CHECK_OK(tess_copy(&copy, &in.view));
    CHECK_OK(tess_place(&in.view, &values, &mask.view));
    for (int64_t i = 0; i < N && same; i++) same = memcmp(at(&copy, i), at(&in.view, i), size) == 0;
    CHECK(same && guarded_check(&in, "place"));
    tess_release(&copy);
    tess_release(&values);
    tess_release(&indices);
    guarded_free(&in);
    guarded_free(&mask);
}
TEST(masks_of_all_dtypes) { everywhere(check_masks, TESS_BOOL, TESS_DTYPE_COUNT - 1); }

/* ---- Order ---- */

static double number_at(const tess_array *a, int64_t i)
{
    if (a->dtype == TESS_F64) return *(double *)(void *)at(a, i);
    return (double)*(float *)(void *)at(a, i);
}

static bool is_less(double a, double b) { return a < b || (!isnan(a) && isnan(b)); }

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return is_less(x, y) ? -1 : is_less(y, x);
}

static void check_order(tess_dtype dtype, layout kind)
{
    guarded    in, out;
    tess_array sorted = { 0 }, values = { 0 }, counts = { 0 }, inverse = { 0 }, bins = { 0 };
    double     all[N], rows[LENGTH];
    bool       good = true;
    make(&in, kind, shape, dtype);
    guarded_make(&out, (layout)test_random_in(0, n_output_layouts - 1), shape, TESS_I64);
    for (int64_t i = 0; i < N; i++) all[i] = number_at(&in.view, i);
    memcpy(rows, all, sizeof rows);
    qsort(rows, LENGTH, sizeof *rows, by_value);
    CHECK_OK(tess_wrap(&sorted, rows, TESS_SHAPE(1, 1, 1, LENGTH), TESS_F64, NULL));
    for (int right = 0; right < 2; right++) {
        CHECK_OK(tess_searchsorted(&out.view, &sorted, &in.view, &(tess_searchsorted_opts){ .right = right }));
        for (int64_t i = 0; i < N && good; i++) {
            int64_t want = 0;
            while (want < LENGTH && (right ? !is_less(all[i], rows[want]) : is_less(rows[want], all[i]))) want++;
            good = *(int64_t *)(void *)at(&out.view, i) == want;
        }
        CHECK(good && guarded_check(&out, "searchsorted"));
    }
    CHECK_OK(tess_unique(&values, &counts, NULL, &inverse, &in.view));
    int64_t total = 0;
    for (int64_t i = 0; i < values.shape.w; i++) {
        total += *(int64_t *)(void *)at(&counts, i);
        if (i > 0) good = good && is_less(number_at(&values, i - 1), number_at(&values, i));
    }
    for (int64_t i = 0; i < N && good; i++) {
        const double same = number_at(&values, *(int64_t *)(void *)at(&inverse, i));
        good = same == all[i] || (isnan(same) && isnan(all[i]));
    }
    CHECK(good && total == N);
    CHECK_OK(tess_histogram(&bins, &in.view, 5, 0, &(tess_histogram_opts){ .low = -2.25, .high = 3 }));
    for (int bin = 0; bin < 5; bin++) {
        const double low = -2.25 + bin * 1.05, high = bin == 4 ? 3.0001 : -2.25 + (bin + 1) * 1.05;
        int64_t      want = 0;
        for (int64_t i = 0; i < N; i++) want += all[i] >= low && all[i] < high;
        CHECK_I64(((int64_t *)bins.data)[bin], want);
    }
    tess_release(&sorted);
    tess_release(&values);
    tess_release(&counts);
    tess_release(&inverse);
    tess_release(&bins);
    guarded_free(&in);
    guarded_free(&out);
}
TEST(order_of_floats) { everywhere(check_order, TESS_F32, TESS_F64); }

/* ---- The same bits for any number of threads ---- */

TEST(weights_and_additions_do_not_depend_on_threads)
{
    enum { LARGE = 400000, BINS = 70 };
    tess_array a = { 0 }, w = { 0 }, indices = { 0 }, sums[3] = { { .dtype = 0 } }, added[3] = { { .dtype = 0 } };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, LARGE), TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&w, TESS_SHAPE(1, 1, 1, LARGE), TESS_F64, tess_cpu()));
    CHECK_OK(tess_empty(&indices, TESS_SHAPE(1, 1, 1, LARGE), TESS_I32, tess_cpu()));
    for (int64_t i = 0; i < LARGE; i++) {
        ((float *)a.data)[i] = (float)test_random_unit();
        ((double *)w.data)[i] = test_random_unit() - 0.3;
        ((int32_t *)indices.data)[i] = (int32_t)test_random_in(-BINS, BINS - 1);
    }
    for (int t = 0; t < 3; t++) {
        CHECK_OK(tess_threads_set(t + 1));
        CHECK_OK(tess_histogram(&sums[t], &a, BINS, 0, &(tess_histogram_opts){ .high = 1, .weights = &w }));
        CHECK_OK(tess_zeros(&added[t], TESS_SHAPE(1, 1, 1, BINS), TESS_F64, tess_cpu()));
        CHECK_OK(tess_put(&added[t], &w, &indices, 3, &(tess_put_opts){ .add = 1 }));
        CHECK_OK(tess_put_flat(&added[t], &w, &indices, &(tess_put_opts){ .add = 1 }));
        CHECK(memcmp(sums[0].data, sums[t].data, BINS * 8) == 0 && memcmp(added[0].data, added[t].data, BINS * 8) == 0);
    }
    CHECK_OK(tess_threads_set(0));
    for (int t = 0; t < 3; t++) {
        tess_release(&sums[t]);
        tess_release(&added[t]);
    }
    tess_release(&a);
    tess_release(&w);
    tess_release(&indices);
}

/* ---- Weighted histograms in every layout ---- */

enum { WEIGHTED_BINS = 16, WEIGHTED_CHUNK = 65536 };

/* The sums of the result that element `of` belongs to: chunks of its elements in b, d, h, w order, then those. */
static void naive_weighted(double sums[WEIGHTED_BINS], const tess_array *in, const tess_array *weights,
                           const int64_t of[4], int axes)
{
    double  chunk[WEIGHTED_BINS] = { 0 };
    int64_t n = 0;
    memset(sums, 0, WEIGHTED_BINS * sizeof *sums);
    for (int64_t i = 0; i <= tess_n_elements(in); i++) {
        int64_t rest = i, mine = i < tess_n_elements(in);
        for (int d = 3; d >= 0 && mine; rest /= in->shape.dim[d], d--)
            mine = axes & TESS_B << d || rest % in->shape.dim[d] == of[d];
        if (mine) {
            float  x;
            double w;
            memcpy(&x, at(in, i), sizeof x);
            memcpy(&w, at(weights, i), sizeof w);
            chunk[(int)(x * WEIGHTED_BINS)] += w;
            n++;
        }
        if (i < tess_n_elements(in) && !(mine && n % WEIGHTED_CHUNK == 0)) continue;
        for (int b = 0; b < WEIGHTED_BINS; b++) sums[b] += chunk[b], chunk[b] = 0;
    }
}

static void check_weighted(tess_shape of, int axes, const layout kinds[2])
{
    guarded    in, weights;
    tess_array out = { 0 };
    bool       good = true;
    const int  last = axes & TESS_W ? 3 : axes & TESS_H ? 2 : axes & TESS_D ? 1 : 0;
    guarded_make(&in, kinds[0], of, TESS_F32);
    guarded_make(&weights, kinds[1], of, TESS_F64);
    for (int64_t i = 0; i < tess_n_elements(&in.view); i++) {
        const float  x = ((float)test_random_in(0, WEIGHTED_BINS - 1) + 0.5f) / WEIGHTED_BINS;
        const double w = test_random_unit() - 0.3;
        memcpy(at(&in.view, i), &x, sizeof x);
        memcpy(at(&weights.view, i), &w, sizeof w);
    }
    const tess_histogram_opts opts = { .high = 1, .weights = &weights.view };
    CHECK_OK(tess_histogram(&out, &in.view, WEIGHTED_BINS, axes, &opts));
    for (int64_t i = 0; i < tess_n_elements(&out) / WEIGHTED_BINS && good; i++) {
        double  want[WEIGHTED_BINS];
        int64_t position[4], rest = i;
        for (int d = 3; d >= 0; d--) {
            const int64_t n = axes & TESS_B << d ? 1 : of.dim[d];
            position[d] = rest % n;
            rest /= n;
        }
        naive_weighted(want, &in.view, &weights.view, position, axes);
        for (int b = 0; b < WEIGHTED_BINS && good; b++) {
            position[last] = b;
            good = memcmp(element_at(&out, position), &want[b], sizeof want[b]) == 0;
        }
    }
    if (!good)
        (void)test_failed(__FILE__, __LINE__, "axes 0x%x, %s, weights %s", (unsigned)axes, layout_names[kinds[0]],
                          layout_names[kinds[1]]);
    tess_release(&out);
    guarded_free(&in);
    guarded_free(&weights);
}

TEST(weighted_histograms_of_layouts)
{
    static const int sets[] = { TESS_B | TESS_D | TESS_H | TESS_W, TESS_H | TESS_W, TESS_H, TESS_W, TESS_B };
    for (int s = 0; s < 5; s++)
        for (int a = 0; a < n_output_layouts; a++) {
            if (!test_takes_case()) continue;
            CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
            check_weighted(TESS_SHAPE(2, 2, 7, 9), sets[s],
                           (layout[]){ (layout)a, (layout)(a * 3 % n_output_layouts) });
        }
    for (int a = 0; a < n_output_layouts; a++) { /* several chunks */
        if (!test_takes_case()) continue;
        CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
        check_weighted(TESS_SHAPE(1, 3, 211, 120), sets[0], (layout[]){ (layout)a, layout_column_major });
    }
    CHECK_OK(tess_threads_set(0));
}
