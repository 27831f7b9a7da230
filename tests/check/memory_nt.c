/* Results that are too large for the caches, which are made and written another way than small ones: operators, casts,
 * fills and copies in every layout, against a naive loop, with guards; and reductions of few numbers.
 */
#include <math.h>

#include "support/layouts.h"

enum { LEAST = 9 << 20 /* bytes of a result */ };

static void set_random(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    const int64_t     n = test_random_in(-100, 100);
    void *const       at = element_at(a, position);
    switch (a->dtype) {
    case TESS_F32: *(float *)at = (float)n * 0.5f; break;
    case TESS_F64: *(double *)at = (double)n * 0.25; break;
    case TESS_BOOL: *(bool *)at = n & 1; break;
    case TESS_U8: *(uint8_t *)at = (uint8_t)n; break;
    default: memset(at, (int)(n & 0x3f), tess_dtype_size(a->dtype)); break; /* a small number in any dtype */
    }
}

typedef struct large {
    guarded out, in[3];
    int     n;
} large;

static void make(large *l, tess_shape shape, const layout *kinds, const tess_dtype *dtypes, int n)
{
    l->n = n;
    guarded_make(&l->out, kinds[0], shape, dtypes[0]);
    for (int k = 0; k < n; k++) {
        guarded_make(&l->in[k], kinds[1 + k], shape, dtypes[1 + k]);
        each_index(l->in[k].view.shape, set_random, &l->in[k].view);
    }
}

static void drop(large *l)
{
    guarded_free(&l->out);
    for (int k = 0; k < l->n; k++) guarded_free(&l->in[k]);
}

/* What a test expects of an element, and whether all were so. */
typedef struct expectation {
    const large *l;
    bool (*is_right)(const unsigned char *out, const unsigned char *const *in);
    bool right;
} expectation;

static void look(void *context, const int64_t position[4])
{
    expectation         *e = context;
    const unsigned char *in[3];
    for (int k = 0; k < e->l->n; k++) in[k] = element_at(&e->l->in[k].view, position);
    if (!e->is_right(element_at(&e->l->out.view, position), in)) e->right = false;
}

static void check(const large *l, bool (*is_right)(const unsigned char *, const unsigned char *const *),
                  const char  *what)
{
    expectation e = { l, is_right, true };
    each_index(l->out.view.shape, look, &e);
    if (!e.right) (void)test_failed(__FILE__, __LINE__, "%s: wrong", what);
    (void)guarded_check(&l->out, what);
}

/* Rows that are shorter than a page, about one, and longer than several; each shape has LEAST bytes or more. */
static tess_shape random_shape(int64_t size)
{
    static const int64_t widths[] = { 129, 257, 500, 1024, 1031, 4096, 5003, 70001 };
    const int64_t        w = widths[test_random_in(0, 7)], rows = LEAST / size / w + 1;
    const int64_t        d = test_random_in(1, 3);
    return tess_shape_of(1, d, (rows - 1) / d + 1, w);
}

/* Mostly rows that are contiguous, at any offset in a line. */
static layout random_layout(bool output)
{
    static const layout often[] = { layout_contiguous, layout_misaligned, layout_subregion };
    if (test_random_in(0, 2)) return often[test_random_in(0, 2)];
    return (layout)test_random_in(0, output ? n_output_layouts - 1 : n_layouts - 1);
}

#define TYPED(T, x) (*(const T *)(const void *)(x))

static bool is_sum_f32(const unsigned char *o, const unsigned char *const *in)
{
    return TYPED(float, o) == TYPED(float, in[0]) + TYPED(float, in[1]);
}

static bool is_sum_f64(const unsigned char *o, const unsigned char *const *in)
{
    return TYPED(double, o) == TYPED(double, in[0]) + TYPED(double, in[1]);
}

static bool is_less(const unsigned char *o, const unsigned char *const *in)
{
    return TYPED(bool, o) == (TYPED(double, in[0]) < TYPED(double, in[1]));
}

static bool is_chosen(const unsigned char *o, const unsigned char *const *in)
{
    return TYPED(float, o) == (TYPED(bool, in[0]) ? TYPED(float, in[1]) : TYPED(float, in[2]));
}

static bool is_wide_sum(const unsigned char *o, const unsigned char *const *in)
{
    return TYPED(double, o) == (double)TYPED(uint8_t, in[0]) + TYPED(double, in[1]);
}

static bool is_cast(const unsigned char *o, const unsigned char *const *in)
{
    return TYPED(double, o) == (double)TYPED(float, in[0]);
}

static bool is_five(const unsigned char *o, const unsigned char *const *in)
{
    (void)in;
    return TYPED(float, o) == 5.0f;
}

static int64_t copied_size;

static bool is_copied(const unsigned char *o, const unsigned char *const *in)
{
    return memcmp(o, in[0], (size_t)copied_size) == 0;
}

/* Layouts at random, of the output first. */
static void draw_layouts(layout kinds[4])
{
    for (int k = 0; k < 4; k++) kinds[k] = random_layout(k == 0);
}

static const struct {
    const char *name;
    tess_status (*two)(tess_array *, const tess_array *, const tess_array *);
    tess_dtype dtypes[3];
    bool (*is_right)(const unsigned char *, const unsigned char *const *);
} cases[] = {
    { "f32 + f32", tess_add, { TESS_F32, TESS_F32, TESS_F32 }, is_sum_f32 },
    { "f64 + f64", tess_add, { TESS_F64, TESS_F64, TESS_F64 }, is_sum_f64 },
    { "f64 < f64", tess_less, { TESS_BOOL, TESS_F64, TESS_F64 }, is_less },
    { "u8 + f64", tess_add, { TESS_F64, TESS_U8, TESS_F64 }, is_wide_sum },
};

TEST(operators_in_every_layout)
{
    for (int i = 0; i < 16; i++) {
        large  l;
        layout kinds[4];
        if (!test_takes_case()) continue;
        draw_layouts(kinds);
        const int        c = i % 4;
        const tess_shape shape = random_shape((int64_t)tess_dtype_size(cases[c].dtypes[0]));
        make(&l, shape, kinds, cases[c].dtypes, 2);
        CHECK_OK(cases[c].two(&l.out.view, &l.in[0].view, &l.in[1].view));
        check(&l, cases[c].is_right, cases[c].name);
        drop(&l);
    }
}

/* Blocks of such inputs are packed; the longest rows are cut into several. */
TEST(inputs_across_the_rows)
{
    static const layout     kinds[][3] = { { layout_contiguous, layout_contiguous, layout_column_major },
                                           { layout_subregion, layout_column_major, layout_column_major },
                                           { layout_column_major, layout_reversed, layout_column_major } };
    static const tess_shape sizes[] = { { { 1, 1, 70, 20011 } }, { { 1, 2, 650, 1031 } }, { { 2, 301, 5, 400 } } };
    for (int i = 0; i < 12; i++) {
        large     l;
        const int c = i % 4;
        if (!test_takes_case()) continue;
        make(&l, sizes[i % 3], kinds[i / 4], cases[c].dtypes, 2);
        CHECK_OK(tess_threads_set(1 + i % 2));
        CHECK_OK(cases[c].two(&l.out.view, &l.in[0].view, &l.in[1].view));
        check(&l, cases[c].is_right, cases[c].name);
        drop(&l);
    }
    CHECK_OK(tess_threads_set(0));
}

TEST(choices_casts_and_fills)
{
    for (int i = 0; i < 9; i++) {
        large  l;
        layout kinds[4];
        if (!test_takes_case()) continue;
        draw_layouts(kinds);
        if (i % 3 == 0) {
            make(&l, random_shape(4), kinds, (tess_dtype[]){ TESS_F32, TESS_BOOL, TESS_F32, TESS_F32 }, 3);
            CHECK_OK(tess_where(&l.out.view, &l.in[0].view, &l.in[1].view, &l.in[2].view));
            check(&l, is_chosen, "where");
        } else if (i % 3 == 1) {
            make(&l, random_shape(8), kinds, (tess_dtype[]){ TESS_F64, TESS_F32 }, 1);
            CHECK_OK(tess_cast(&l.out.view, &l.in[0].view, TESS_F64, NULL));
            check(&l, is_cast, "cast");
        } else {
            make(&l, random_shape(4), kinds, (tess_dtype[]){ TESS_F32 }, 0);
            CHECK_OK(tess_fill(&l.out.view, 5));
            check(&l, is_five, "fill");
        }
        drop(&l);
    }
}

/* Rows of a part of each image, into one of others or into one block; elements of 1 to 128 bytes. */
TEST(copies)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_U8, TESS_VEC3_F32, TESS_F16, TESS_C64, TESS_MAT44_F64 };
    for (int i = 0; i < 12; i++) {
        const tess_dtype both[2] = { dtypes[i % 6], dtypes[i % 6] };
        large            l;
        layout           kinds[4];
        if (!test_takes_case()) continue;
        draw_layouts(kinds);
        if (i < 8) kinds[1] = layout_subregion;
        copied_size = (int64_t)tess_dtype_size(both[0]);
        make(&l, random_shape(copied_size), kinds, both, 1);
        CHECK_OK(tess_threads_set(i % 3));
        CHECK_OK(tess_copy(&l.out.view, &l.in[0].view));
        check(&l, is_copied, tess_dtype_name(both[0]));
        drop(&l);
    }
    CHECK_OK(tess_threads_set(0));
}

/* ---- Reductions of few numbers, each of which lies in another image ---- */

enum { SUM, MEAN, LARGEST, DOT, SPREADS, REDUCTIONS };

static double number_of(const tess_array *a, int64_t i)
{
    return a->dtype == TESS_F32 ? (double)((const float *)a->data)[i] : ((const double *)a->data)[i];
}

/* Result i as it should be; sums are added one after the other. */
static double expected(const tess_array *a, int64_t i, int kind)
{
    const int64_t n = a->shape.b, step = a->shape.h * a->shape.w;
    double        sum = 0, largest = -INFINITY, dot = 0, squares = 0;
    for (int64_t k = 0; k < n; k++) {
        const double x = number_of(a, k * step + i);
        sum += x;
        dot += x * x;
        largest = isnan(x) || x > largest ? x : largest;
    }
    for (int64_t k = 0; k < n; k++) squares += pow(number_of(a, k * step + i) - sum / (double)n, 2);
    const double x = kind == SUM ? sum : kind == MEAN ? sum / (double)n : kind == LARGEST ? largest : dot;
    if (kind == SPREADS) return sqrt(squares / (double)n);
    return isnan(sum) ? (double)NAN : a->dtype == TESS_F32 ? (double)(float)x : x;
}

static bool are_right(const tess_array *out, const tess_array *a, int kind)
{
    const double slack = kind != SPREADS ? 0 : a->dtype == TESS_F32 ? 0x1p-23 : 1e-13;
    for (int64_t i = 0; i < tess_n_elements(out); i++) {
        const double got = number_of(out, i), want = expected(a, i, kind);
        if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= slack * want)) return false;
    }
    return true;
}

static void check_reductions(const tess_array *a)
{
    tess_array out = { 0 }, means = { 0 };
    for (int kind = 0; kind < REDUCTIONS; kind++) {
        if (kind == SUM) CHECK_OK(tess_sum(&out, a, TESS_B, NULL));
        if (kind == MEAN) CHECK_OK(tess_mean(&out, a, TESS_B, NULL));
        if (kind == LARGEST) CHECK_OK(tess_max(&out, a, TESS_B, NULL));
        if (kind == DOT) CHECK_OK(tess_dot(&out, a, a, TESS_B, NULL));
        if (kind == SPREADS) CHECK_OK(tess_mean_std(&means, &out, a, TESS_B, NULL));
        if (kind == SPREADS) CHECK(are_right(&means, a, MEAN));
        if (!are_right(&out, a, kind))
            (void)test_failed(__FILE__, __LINE__, "reduction %d of %d %s is wrong", kind, (int)a->shape.b,
                              tess_dtype_name(a->dtype));
    }
    tess_release(&out);
    tess_release(&means);
}

/* NaN in some columns, which makes of their block another case; rows that are whole lines and others. */
TEST(reductions_of_few_numbers)
{
    static const tess_shape shapes[] = { { { 8, 1, 1200, 2048 } }, { { 3, 1, 1201, 2003 } }, { { 13, 1, 700, 1707 } } };
    for (int i = 0; i < 6; i++) {
        tess_array a = { 0 };
        if (!test_takes_case()) continue;
        CHECK_OK(tess_empty(&a, shapes[i % 3], i == 2 || i == 3 ? TESS_F64 : TESS_F32, tess_cpu()));
        each_index(a.shape, set_random, &a);
        for (int k = 0; k < 40 && i < 4; k++) {
            const int64_t at = test_random_in(0, tess_n_elements(&a) - 1);
            if (a.dtype == TESS_F32) ((float *)a.data)[at] = NAN;
            else ((double *)a.data)[at] = (double)NAN;
        }
        CHECK_OK(tess_threads_set(1 + i % 2));
        CHECK_OK(tess_cpu_limit_set(i == 1 ? "base" : NULL));
        check_reductions(&a);
        CHECK_OK(tess_cpu_limit_set(NULL));
        tess_release(&a);
    }
    CHECK_OK(tess_threads_set(0));
}

/* ---- Spreads of columns, some of which leave the range of f64 once they are squared ---- */

static void make_hard(double *x, int64_t n, int64_t step, int kind)
{
    for (int64_t k = 0; k < n; k++) {
        double *const p = &x[k * step];
        *p = kind == 0 ? 1e200 * *p : kind == 1 ? 1e-200 * *p : kind == 2 ? 1e-320 : kind == 3 ? 0.1 : 1e9 + *p;
        if (kind == 5 && k == n / 2) *p = (double)INFINITY;
    }
}

/* The means and variances of those columns of n rows that are not right. */
static int64_t count_wrong(const double *x, int64_t n, int64_t columns, const double *means, const double *stds)
{
    int64_t wrong = 0;
    for (int64_t c = 0; c < columns; c++) {
        long double sum = 0, squares = 0;
        for (int64_t k = 0; k < n; k++) sum += (long double)x[k * columns + c];
        const long double mean = sum / (long double)n;
        for (int64_t k = 0; k < n; k++) {
            const long double d = (long double)x[k * columns + c] - mean;
            squares += d * d;
        }
        const long double std = sqrtl(squares / (long double)n);
        bool              equal = true;
        for (int64_t k = 1; k < n; k++) equal = equal && x[k * columns + c] == x[c];
        const bool same = fabsl((long double)means[c] - mean) <= 0x1p-50L * fabsl(mean) + 1e-9L * std;
        const bool near = fabsl((long double)stds[c] - std) <= 1e-9L * std;
        const bool good =
            isfinite(mean) ? same && (equal ? stds[c] == 0 : near) : !isfinite(means[c]) && isnan(stds[c]);
        wrong += !good;
    }
    return wrong;
}

/* Few rows and more, results by non-temporal stores. */
TEST(variances_beyond_the_range)
{
    const int64_t columns = (1 << 20) + 48;
    for (int i = 0; i < 4; i++) {
        const int64_t n = i % 2 ? 19 : 5;
        tess_array    a = { 0 }, means = { 0 }, stds = { 0 };
        if (!test_takes_case()) continue;
        CHECK_OK(tess_empty(&a, tess_shape_of(1, 1, n, columns), TESS_F64, tess_cpu()));
        double *x = a.data;
        each_index(a.shape, set_random, &a);
        for (int k = 0; k < 48; k++) make_hard(x + test_random_in(0, columns - 1), n, columns, k % 6);
        CHECK_OK(tess_cpu_limit_set(i >= 2 ? "base" : NULL));
        CHECK_OK(tess_mean_std(&means, &stds, &a, TESS_H, NULL));
        CHECK_OK(tess_cpu_limit_set(NULL));
        CHECK_I64(count_wrong(x, n, columns, means.data, stds.data), 0);
        tess_release(&a), tess_release(&means), tess_release(&stds);
    }
}

/* A row for all, a number for each image, and a turned image. */
TEST(broadcasts_and_turned_images)
{
    const tess_shape shape = tess_shape_of(3, 1, 1000, 1001);
    tess_array       a = { 0 }, b = { 0 }, o = { 0 };
    CHECK_OK(tess_empty(&a, shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&b, tess_shape_of(3, 1, 1001, 1000), TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&o, shape, TESS_F32, tess_cpu()));
    each_index(a.shape, set_random, &a);
    each_index(b.shape, set_random, &b);
    tess_array turned;
    CHECK_OK(tess_permute(&turned, &b, 0, 1, 3, 2));
    for (int kind = 0; kind < 4; kind++) {
        tess_array other = turned;
        if (kind == 0) CHECK_OK(tess_subregion_text(&other, &a, "0:1, :, 5:6, :"));
        if (kind == 1) CHECK_OK(tess_subregion_text(&other, &a, ":, :, 5:6, 7:8"));
        tess_array first = kind == 3 ? o : a; /* in place */
        CHECK_OK(tess_copy(&o, &a));
        CHECK_OK(tess_add(&o, &first, &other));
        bool right = true;
        for (int64_t n = 0; n < 3; n++)
            for (int64_t h = 0; h < 1000; h++)
                for (int64_t w = 0; w < 1001; w++) {
                    const int64_t position[4] = { n, 0, h, w },
                                  zero[4] = { kind == 1 ? n : 0, 0, 0, kind == 0 ? w : 0 };
                    const void *y = element_at(&other, kind < 2 ? zero : position);
                    right &= TYPED(float, element_at(&o, position)) ==
                             TYPED(float, element_at(&a, position)) + TYPED(float, y);
                }
        CHECK(right);
    }
    tess_release(&a);
    tess_release(&b);
    tess_release(&o);
}
