/* Products of matrices, least squares, polynomial surfaces: examples, dtypes, what is rejected. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "support/arrays.h"
#include "support/gate.h"

/* A matrix of m rows. */
static tess_array matrix(tess_dtype dtype, int m, int n, const double *values)
{
    tess_array a = constant(dtype, 1, 1, m, n, 0);
    for (int i = 0; i < m * n; i++) CHECK_OK(tess_set_f64(&a, 0, 0, i / n, i % n, values[i]));
    return a;
}

static bool is_matrix(const tess_array *a, int m, int n, const double *values, double slack)
{
    if (a->shape.h != m || a->shape.w != n) return test_failed(__FILE__, __LINE__, "another shape");
    for (int i = 0; i < m * n; i++) {
        const double got = value_at(a, 0, 0, i / n, i % n);
        if (!(fabs(got - values[i]) <= slack))
            return test_failed(__FILE__, __LINE__, "element %d is %.17g, not %g", i, got, values[i]);
    }
    return true;
}

/* ---- Products ---- */

TEST(matmul_examples)
{
    tess_array a = matrix(TESS_F32, 2, 3, (double[]){ 1, 2, 3, 4, 5, 6 });
    tess_array b = matrix(TESS_F32, 3, 2, (double[]){ 7, 8, 9, 10, 11, 12 });
    tess_array out = { 0 }, other = { 0 };
    CHECK_OK(tess_matmul(&out, &a, &b, NULL));
    CHECK(out.dtype == TESS_F32 && is_matrix(&out, 2, 2, (double[]){ 58, 64, 139, 154 }, 0));
    CHECK_OK(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .alpha = 2, .beta = -1 }));
    CHECK(is_matrix(&out, 2, 2, (double[]){ 58, 64, 139, 154 }, 0));
    const tess_matmul_opts both = { .form_a = TESS_MATRIX_TRANSPOSE, .form_b = TESS_MATRIX_CONJUGATE };
    CHECK_OK(tess_matmul(&other, &a, &b, &both));
    CHECK(is_matrix(&other, 3, 3, (double[]){ 39, 49, 59, 54, 68, 82, 69, 87, 105 }, 0));
    tess_release(&a);
    tess_release(&b);
    tess_release(&out);
    tess_release(&other);
}

TEST(matmul_dtypes)
{
    static const tess_dtype table[][3] = { { TESS_BOOL, TESS_BOOL, TESS_I64 }, { TESS_U8, TESS_U16, TESS_U64 },
                                           { TESS_I8, TESS_U8, TESS_I64 },     { TESS_F16, TESS_F16, TESS_F32 },
                                           { TESS_F32, TESS_F64, TESS_F64 },   { TESS_F32, TESS_I32, TESS_F64 },
                                           { TESS_C16, TESS_F16, TESS_C32 },   { TESS_F64, TESS_C32, TESS_C64 } };
    for (int i = 0; i < 8; i++) {
        tess_array a = constant(table[i][0], 1, 1, 3, 5, 1), b = constant(table[i][1], 1, 1, 5, 2, 1), out = { 0 };
        tess_array real = { 0 };
        CHECK_OK(tess_matmul(&out, &a, &b, NULL));
        CHECK(out.dtype == table[i][2]);
        CHECK_OK(tess_cast(&real, &out, TESS_F64, &(tess_cast_opts){ .part = TESS_PART_REAL }));
        CHECK(all_are(&real, 5));
        tess_release(&a);
        tess_release(&b);
        tess_release(&out);
        tess_release(&real);
    }
}

TEST(matmul_conjugates)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 2, 1), TESS_C64, tess_cpu()));
    const double values[4] = { 1, 2, 3, -4 };
    memcpy(a.data, values, sizeof values);
    CHECK_OK(tess_matmul(&out, &a, &a, &(tess_matmul_opts){ .form_a = TESS_MATRIX_CONJUGATE }));
    const double *z = out.data;
    CHECK(z[0] == 30 && z[1] == 0);
    CHECK_OK(tess_matmul(&out, &a, &a, &(tess_matmul_opts){ .form_a = TESS_MATRIX_TRANSPOSE }));
    CHECK(z[0] == -10 && z[1] == -20);
    tess_release(&a);
    tess_release(&out);
}

/* Integers that wrap, also through alpha. */
TEST(matmul_of_integers_wraps)
{
    tess_array a = matrix(TESS_I64, 1, 2, (double[]){ 0x1p62, 0x1p62 }), b = matrix(TESS_I64, 2, 1, (double[]){ 2, 2 });
    tess_array out = { 0 };
    CHECK_OK(tess_matmul(&out, &a, &b, NULL));
    CHECK(is_matrix(&out, 1, 1, (double[]){ 0 }, 0));
    CHECK_OK(tess_fill(&b, 1));
    CHECK_OK(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .alpha = -1 }));
    CHECK(is_matrix(&out, 1, 1, (double[]){ -0x1p63 }, 0));
    tess_release(&a);
    tess_release(&b);
    tess_release(&out);
}

TEST(matmul_broadcasts)
{
    tess_array a = numbers(TESS_F64, 3, 1, 2, 2), b = numbers(TESS_F64, 1, 2, 2, 1), out = { 0 };
    CHECK_OK(tess_matmul(&out, &a, &b, NULL));
    CHECK_DIMS(out.shape, 3, 2, 2, 1);
    CHECK(value_at(&out, 2, 1, 1, 0) == 10 * 2 + 11 * 3);
    CHECK(value_at(&out, 1, 0, 0, 0) == 4 * 0 + 5 * 1);
    tess_release(&a);
    tess_release(&b);
    tess_release(&out);
}

/* Nothing to sum leaves beta out; infinities in out do not matter without it. */
TEST(matmul_of_nothing)
{
    tess_array a = constant(TESS_F32, 1, 1, 3, 0, 0), b = constant(TESS_F32, 1, 1, 0, 2, 0), out = { 0 };
    CHECK_OK(tess_matmul(&out, &a, &b, NULL));
    CHECK_DIMS(out.shape, 1, 1, 3, 2);
    CHECK(all_are(&out, 0));
    CHECK_OK(tess_fill(&out, 3));
    CHECK_OK(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .beta = 2 }));
    CHECK(all_are(&out, 6));
    CHECK_OK(tess_fill(&out, (double)INFINITY));
    CHECK_OK(tess_matmul(&out, &a, &b, NULL));
    CHECK(all_are(&out, 0));
    tess_array none = { 0 }, two = constant(TESS_F32, 1, 1, 2, 5, 1);
    CHECK_OK(tess_matmul(&none, &b, &two, NULL));
    CHECK_DIMS(none.shape, 1, 1, 0, 5);
    tess_release(&two);
    tess_release(&a);
    tess_release(&b);
    tess_release(&out);
    tess_release(&none);
}

/* The sign of zero: nothing is added, whatever alpha is. */
TEST(matmul_of_nothing_keeps_signs)
{
    tess_array a = constant(TESS_F64, 1, 1, 1, 0, 0), b = constant(TESS_F64, 1, 1, 0, 1, 0), out = { 0 };
    CHECK_OK(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .alpha = -1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 0 && !signbit(value_at(&out, 0, 0, 0, 0)));
    for (int alpha = -1; alpha <= 1; alpha += 2)
        for (int beta = -1; beta <= 1; beta += 2)
            for (int sign = -1; sign <= 1; sign += 2) {
                CHECK_OK(tess_fill(&out, sign * 0.0));
                CHECK_OK(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .alpha = alpha, .beta = beta }));
                CHECK(!signbit(value_at(&out, 0, 0, 0, 0)) == (beta * sign > 0));
            }
    tess_release(&a);
    tess_release(&b);
    tess_release(&out);
}

/* alpha and beta are what the dtype makes of them. */
TEST(matmul_rounds_its_factors)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_C32 };
    for (int d = 0; d < 2; d++) {
        tess_array a = constant(dtypes[d], 1, 1, 2, 1, 1e-3), b = constant(dtypes[d], 1, 1, 1, 2, 1e-3), out = { 0 };
        CHECK_FAILS(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .alpha = 1e39 }), TESS_ERANGE,
                    "opts->alpha is 1e+39", tess_dtype_name(dtypes[d]), "3.40282");
        CHECK_FAILS(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .beta = -0x1.ffffffp127 }), TESS_ERANGE,
                    "opts->beta is -3.40282");
        CHECK(is_zeroed(&out));
        /* The largest, also from what rounds to it; and a beta that is 0 once rounded reads nothing. */
        CHECK_OK(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .alpha = 0x1.fffffefp127 }));
        CHECK_OK(tess_fill(&out, (double)NAN));
        CHECK_OK(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .beta = 1e-60 }));
        float x[2] = { 0, 0 };
        memcpy(x, out.data, (size_t)tess_dtype_size(dtypes[d]));
        CHECK(x[0] == 1e-3f * 1e-3f && x[1] == 0);
        tess_release(&a);
        tess_release(&b);
        tess_release(&out);
    }
    tess_array a = constant(TESS_F64, 1, 1, 1, 1, 1), out = { 0 };
    CHECK_OK(tess_matmul(&out, &a, &a, &(tess_matmul_opts){ .alpha = 1e39 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 1e39);
    tess_release(&a);
    tess_release(&out);
}

TEST(matmul_of_numbers)
{
    tess_array a = matrix(TESS_F32, 2, 1, (double[]){ 3, 4 }), out = { 0 };
    CHECK_OK(tess_matmul(&out, &a, &tess_num(2), NULL));
    CHECK(out.dtype == TESS_F32 && is_matrix(&out, 2, 1, (double[]){ 6, 8 }, 0));
    tess_release(&a);
    tess_release(&out);
}

TEST(matmul_on_a_stream)
{
    tess_stream *s = NULL, *before = tess_stream_current(tess_cpu());
    tess_array   a = numbers(TESS_U8, 1, 1, 30, 40), b = numbers(TESS_F16, 1, 1, 40, 20), want = { 0 }, out = { 0 };
    gate         g;
    CHECK_OK(tess_matmul(&want, &a, &b, NULL));
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    if (gate_close(&g, s)) {
        CHECK_OK(tess_stream_set_current(s));
        CHECK_OK(tess_matmul(&out, &a, &b, NULL));
        tess_release(&a);
        tess_release(&b);
        gate_open(&g);
        CHECK_OK(tess_stream_sync(s));
        CHECK_OK(tess_stream_set_current(before));
        CHECK(same_values(&want, &out));
    }
    tess_stream_free(s);
    tess_release(&want);
    tess_release(&out);
}

static atomic_bool toggling;

static void *toggle_threads(void *context)
{
    for (int threads = 1; atomic_load(&toggling); threads = 17 - threads) (void)!tess_threads_set(threads);
    return context;
}

/* The number of threads may change at any time: sums of adjacent columns are kept in memory of its choice. */
TEST(matmul_while_the_threads_change)
{
    static const int sizes[] = { 300, 4000, 40000, 1000 }, depths[] = { 40, 40, 40, 1100 };
    pthread_t        other;
    atomic_store(&toggling, true);
    if (!CHECK(pthread_create(&other, NULL, toggle_threads, NULL) == 0)) return;
    for (int i = 0; i < 4; i++) {
        tess_array row = constant(TESS_F32, 1, 1, 1, depths[i], 2),
                   many = constant(TESS_F32, 2, 1, depths[i], sizes[i], 3), out = { 0 };
        double low = 0, high = 0;
        for (int k = 0; k < 20; k++) CHECK_OK(tess_matmul(&out, &row, &many, NULL));
        CHECK_OK(tess_host_minmax(&low, &high, &out));
        CHECK(low == 6 * depths[i] && high == 6 * depths[i]);
        tess_release(&row), tess_release(&many), tess_release(&out);
    }
    atomic_store(&toggling, false);
    (void)pthread_join(other, NULL);
    CHECK_OK(tess_threads_set(0));
}

TEST(matmul_refuses)
{
    tess_array a = constant(TESS_F32, 1, 1, 3, 4, 1), b = constant(TESS_F32, 1, 1, 4, 2, 1), out = { 0 };
    tess_array c = constant(TESS_F32, 2, 1, 3, 4, 1), d = constant(TESS_F32, 3, 1, 4, 2, 1), part = { 0 };
    tess_array vectors = constant(TESS_VEC3_F32, 1, 1, 4, 2, 1), whole = constant(TESS_I32, 1, 1, 4, 3, 1),
               none = { 0 };
    CHECK_FAILS(tess_matmul(NULL, &a, &b, NULL), TESS_EARG, "matmul: out is NULL");
    CHECK_FAILS(tess_matmul(&out, NULL, &b, NULL), TESS_EARG, "matmul: a is NULL");
    CHECK_FAILS(tess_matmul(&out, &a, &none, NULL), TESS_EARG, "matmul: b");
    CHECK_FAILS(tess_matmul(&out, &a, &vectors, NULL), TESS_EDTYPE, "matmul: b", "vec3_f32");
    CHECK_FAILS(tess_matmul(&out, &a, &a, NULL), TESS_ESHAPE, "matmul: a has shape {1,1,3,4}",
                "4 columns of a meet 3 rows");
    CHECK_FAILS(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .form_a = TESS_MATRIX_TRANSPOSE }), TESS_ESHAPE,
                "transposed", "3 columns of a meet 4 rows");
    CHECK_FAILS(tess_matmul(&out, &c, &d, NULL), TESS_ESHAPE, "matmul: a has shape {2,1,3,4} and b {3,1,4,2}: axis 0");
    CHECK_FAILS(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .form_b = 4 }), TESS_EARG, "opts->form_b is 4",
                "2 (transpose)");
    CHECK_FAILS(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .alpha = (double)NAN }), TESS_ERANGE,
                "opts->alpha is nan");
    CHECK_FAILS(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .reserved = { 1 } }), TESS_EARG, "reserved");
    CHECK_FAILS(tess_matmul(&out, &a, &b, &(tess_matmul_opts){ .beta = 1 }), TESS_EARG, "out is not allocated", "beta");
    CHECK_FAILS(tess_matmul(&out, &whole, &whole, &(tess_matmul_opts){ .alpha = 0.5, .form_a = TESS_MATRIX_TRANSPOSE }),
                TESS_ERANGE, "opts->alpha is 0.5", "i64", "an integer");
    CHECK(is_zeroed(&out));
    CHECK_OK(tess_matmul(&out, &a, &b, NULL));
    CHECK_FAILS(tess_matmul(&a, &a, &b, NULL), TESS_ESHAPE, "matmul: out has shape {1,1,3,4}; {1,1,3,2} is needed");
    CHECK_FAILS(tess_matmul(&out, &whole, &b, &(tess_matmul_opts){ .form_a = TESS_MATRIX_TRANSPOSE }), TESS_EDTYPE,
                "matmul: out has dtype f32; f64 is needed");
    tess_array locked = read_only(out), far = on_gpu(b);
    CHECK_FAILS(tess_matmul(&locked, &a, &b, NULL), TESS_EWRITE, "read-only");
    CHECK_FAILS(tess_matmul(&out, &a, &far, NULL), TESS_EDEVICE, "a is on cpu and b on gpu");
    tess_array square = constant(TESS_F32, 1, 1, 4, 4, 1);
    CHECK_FAILS(tess_matmul(&square, &square, &square, NULL), TESS_EALIAS, "shares memory with a");
    CHECK_OK(tess_slice(&part, &square, 2, 0, 3, 1));
    CHECK_FAILS(tess_matmul(&part, &a, &square, NULL), TESS_EALIAS, "shares memory with b");
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
    tess_release(&d);
    tess_release(&out);
    tess_release(&square);
    tess_release(&vectors);
    tess_release(&whole);
}

TEST(provider_has_a_name)
{
    const char *name = tess_linalg_provider();
    CHECK(name && *name);
    if (!getenv("TESS_BLAS")) CHECK_TEXT(name, "native");
}

/* ---- Least squares ---- */

TEST(lstsq_examples)
{
    /* The line 1 + 2 x through three points, and the plane's point of least norm. */
    tess_array a = matrix(TESS_F64, 3, 2, (double[]){ 1, 0, 1, 1, 1, 2 }),
               b = matrix(TESS_F64, 3, 1, (double[]){ 1, 3, 5 });
    tess_array wide = matrix(TESS_F32, 1, 2, (double[]){ 3, 4 }), one = matrix(TESS_F32, 1, 1, (double[]){ 50 });
    tess_array x = { 0 }, y = { 0 }, values = { 0 }, rank = { 0 };
    CHECK_OK(tess_lstsq(&x, &a, &b, NULL));
    CHECK(x.dtype == TESS_F64 && is_matrix(&x, 2, 1, (double[]){ 1, 2 }, 1e-14));
    CHECK_OK(tess_lstsq(&y, &wide, &one, &(tess_lstsq_opts){ .singular_values = &values, .rank = &rank }));
    CHECK(y.dtype == TESS_F32 && is_matrix(&y, 2, 1, (double[]){ 6, 8 }, 1e-6));
    CHECK(values.dtype == TESS_F32 && is_matrix(&values, 1, 1, (double[]){ 5 }, 1e-6));
    CHECK(rank.dtype == TESS_I64 && is_matrix(&rank, 1, 1, (double[]){ 1 }, 0));
    tess_release(&a);
    tess_release(&b);
    tess_release(&wide);
    tess_release(&one);
    tess_release(&x);
    tess_release(&y);
    tess_release(&values);
    tess_release(&rank);
}

/* Singular values 1 and 2.5 units of the last place: the default is 3 of these, below 0 it is one. */
TEST(lstsq_to_the_precision_alone)
{
    for (int single = 0; single < 2; single++) {
        const tess_dtype dtype = single ? TESS_F32 : TESS_F64;
        const double     least = single ? 0x2.8p-23 : 0x2.8p-52;
        tess_array       a = matrix(dtype, 3, 2, (double[]){ 1, 0, 0, least, 0, 0 });
        tess_array       b = matrix(dtype, 3, 1, (double[]){ 1, 1, 1 }), x = { 0 }, rank = { 0 };
        CHECK_OK(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .rank = &rank }));
        CHECK(value_at(&rank, 0, 0, 0, 0) == 1 && value_at(&x, 0, 0, 1, 0) == 0);
        CHECK_OK(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .rank = &rank, .cond = -1 }));
        CHECK(value_at(&rank, 0, 0, 0, 0) == 2 && fabs(value_at(&x, 0, 0, 1, 0) * least - 1) < 1e-6);
        CHECK_OK(tess_set_f64(&a, 0, 0, 1, 1, least / 4));
        CHECK_OK(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .rank = &rank, .cond = -1e-9 }));
        CHECK(value_at(&rank, 0, 0, 0, 0) == 1);
        tess_release(&a);
        tess_release(&b);
        tess_release(&x);
        tess_release(&rank);
    }
}

/* Two equal columns share what belongs to both. */
TEST(lstsq_without_full_rank)
{
    tess_array a = matrix(TESS_F64, 3, 3, (double[]){ 1, 1, 0, 1, 1, 0, 0, 0, 1e-20 });
    tess_array b = matrix(TESS_F64, 3, 1, (double[]){ 2, 4, 5 }), x = { 0 }, rank = { 0 };
    CHECK_OK(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .rank = &rank }));
    CHECK(is_matrix(&x, 3, 1, (double[]){ 1.5, 1.5, 0 }, 1e-14) && value_at(&rank, 0, 0, 0, 0) == 1);
    CHECK_OK(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .rank = &rank, .cond = 1e-30 }));
    CHECK(value_at(&rank, 0, 0, 0, 0) >= 2 && fabs(value_at(&x, 0, 0, 2, 0) / 5e20 - 1) < 1e-12);
    CHECK_OK(tess_fill(&a, 0));
    CHECK_OK(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .rank = &rank }));
    CHECK(all_are(&x, 0) && all_are(&rank, 0));
    tess_release(&a);
    tess_release(&b);
    tess_release(&x);
    tess_release(&rank);
}

/* Sizes whose squares leave the range. */
TEST(lstsq_of_extreme_sizes)
{
    static const double sizes[] = { 1e-300, 1e-200, 1e200, 1e300 };
    for (int i = 0; i < 4; i++) {
        tess_array a = matrix(TESS_F64, 2, 2, (double[]){ sizes[i], 0, sizes[i], sizes[i] });
        tess_array b = matrix(TESS_F64, 2, 1, (double[]){ sizes[i], 3 * sizes[i] }), x = { 0 }, values = { 0 };
        CHECK_OK(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .singular_values = &values }));
        CHECK(is_matrix(&x, 2, 1, (double[]){ 1, 2 }, 1e-14));
        CHECK(fabs(value_at(&values, 0, 0, 0, 0) / sizes[i] - 1.618033988749895) < 1e-14);
        tess_release(&a);
        tess_release(&b);
        tess_release(&x);
        tess_release(&values);
    }
}

TEST(lstsq_of_nothing)
{
    tess_array a = constant(TESS_F64, 2, 1, 0, 3, 0), b = constant(TESS_F64, 1, 1, 0, 2, 0), x = { 0 }, rank = { 0 };
    tess_array values = { 0 }, tall = constant(TESS_F64, 1, 1, 3, 2, 1), none = constant(TESS_F64, 1, 1, 3, 0, 0);
    CHECK_OK(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .singular_values = &values, .rank = &rank }));
    CHECK_DIMS(x.shape, 2, 1, 3, 2);
    CHECK(all_are(&x, 0) && all_are(&rank, 0) && tess_is_empty(&values));
    tess_release(&x);
    tess_release(&values);
    tess_release(&rank);
    CHECK_OK(tess_lstsq(&x, &tall, &none, &(tess_lstsq_opts){ .singular_values = &values, .rank = &rank }));
    CHECK_DIMS(x.shape, 1, 1, 2, 0);
    CHECK(is_matrix(&values, 1, 2, (double[]){ 2.449489742783178, 0 }, 1e-14) && all_are(&rank, 1));
    tess_release(&a);
    tess_release(&b);
    tess_release(&x);
    tess_release(&rank);
    tess_release(&values);
    tess_release(&tall);
    tess_release(&none);
}

TEST(lstsq_names_what_is_not_finite)
{
    tess_stream *s = NULL, *before = tess_stream_current(tess_cpu());
    tess_array   a = constant(TESS_F32, 2, 1, 3, 2, 1), b = constant(TESS_F32, 1, 1, 3, 1, 1), x = { 0 };
    CHECK_OK(tess_set_f64(&a, 1, 0, 2, 1, (double)NAN));
    CHECK_FAILS(tess_lstsq(&x, &a, &b, NULL), TESS_ERANGE, "lstsq: a is nan at {1,0,2,1}; finite numbers are needed");
    CHECK(is_zeroed(&x));
    CHECK_OK(tess_fill(&a, 1));
    CHECK_OK(tess_set_f64(&b, 0, 0, 1, 0, -(double)INFINITY));
    CHECK_FAILS(tess_lstsq(&x, &a, &b, NULL), TESS_ERANGE, "lstsq: b is -inf at {0,0,1,0}");
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(s));
    CHECK_OK(tess_lstsq(&x, &a, &b, NULL));
    CHECK_FAILS(tess_stream_sync(s), TESS_ERANGE, "lstsq: b is -inf");
    CHECK_OK(tess_stream_set_current(before));
    tess_stream_free(s);
    tess_release(&a);
    tess_release(&b);
    tess_release(&x);
}

TEST(lstsq_refuses)
{
    tess_array a = constant(TESS_F32, 2, 1, 3, 2, 1), b = constant(TESS_F32, 1, 1, 3, 4, 1), x = { 0 }, none = { 0 };
    tess_array c = constant(TESS_F32, 3, 1, 3, 4, 1), rows = constant(TESS_F32, 1, 1, 4, 4, 1), rank = { 0 };
    CHECK_FAILS(tess_lstsq(NULL, &a, &b, NULL), TESS_EARG, "lstsq: x is NULL");
    CHECK_FAILS(tess_lstsq(&x, &none, &b, NULL), TESS_EARG, "lstsq: a");
    CHECK_FAILS(tess_lstsq(&x, &a, NULL, NULL), TESS_EARG, "lstsq: b is NULL");
    CHECK_FAILS(tess_lstsq(&x, &a, &c, NULL), TESS_ESHAPE, "lstsq: a has shape {2,1,3,2} and b {3,1,3,4}: axis 0");
    CHECK_FAILS(tess_lstsq(&x, &a, &rows, NULL), TESS_ESHAPE, "both must have the same number of rows");
    CHECK_FAILS(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .cond = 2 }), TESS_ERANGE,
                "opts->cond is 2; 1 or less is allowed");
    CHECK_FAILS(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .cond = (double)NAN }), TESS_ERANGE, "opts->cond is nan");
    CHECK_FAILS(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .reserved = { 0, 1 } }), TESS_EARG, "reserved");
    tess_array far = on_gpu(b);
    CHECK_FAILS(tess_lstsq(&x, &a, &far, NULL), TESS_EDEVICE, "lstsq: b is on gpu:0 and a on cpu");
    CHECK_FAILS(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .rank = &c }), TESS_ESHAPE,
                "lstsq: opts->rank has shape {3,1,3,4}; {2,1,1,1} is needed");
    CHECK(is_zeroed(&x));
    CHECK_OK(tess_lstsq(&x, &a, &b, NULL));
    CHECK_FAILS(tess_lstsq(&b, &a, &b, NULL), TESS_ESHAPE, "lstsq: x has shape {1,1,3,4}; {2,1,2,4} is needed");
    tess_array locked = read_only(x), wide = constant(TESS_F64, 2, 1, 2, 4, 0), share = { 0 };
    CHECK_FAILS(tess_lstsq(&locked, &a, &b, NULL), TESS_EWRITE, "lstsq: x is read-only");
    CHECK_FAILS(tess_lstsq(&wide, &a, &b, NULL), TESS_EDTYPE, "lstsq: x has dtype f64; f32 is needed");
    CHECK_OK(tess_subregion_text(&share, &x, "0:2, :, 0:1, 0:2"));
    CHECK_FAILS(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .singular_values = &share }), TESS_EALIAS,
                "lstsq: opts->singular_values (", "shares memory with x (");
    tess_array square = constant(TESS_F32, 1, 1, 3, 3, 1);
    CHECK_FAILS(tess_lstsq(&square, &square, &square, &(tess_lstsq_opts){ .rank = &rank }), TESS_EALIAS, "lstsq: x (",
                "shares memory with a (");
    tess_array there = on_gpu(x), values = { 0 };
    CHECK_FAILS(tess_lstsq(&there, &a, &b, NULL), TESS_EDEVICE, "lstsq: the result is on cpu and x on gpu:0");
    CHECK_OK(tess_subregion_text(&values, &b, "0, 0, 0:1, 0:2"));
    CHECK_OK(tess_subregion_text(&share, &a, "0, 0, :, :"));
    CHECK_FAILS(tess_lstsq(&(tess_array){ 0 }, &share, &b, &(tess_lstsq_opts){ .singular_values = &values }),
                TESS_EALIAS, "lstsq: opts->singular_values (", "shares memory with b (");
    values = on_gpu(values);
    CHECK_FAILS(tess_lstsq(&(tess_array){ 0 }, &share, &b, &(tess_lstsq_opts){ .singular_values = &values }),
                TESS_EDEVICE, "the result is on cpu and opts->singular_values on gpu:0");
    CHECK(is_zeroed(&rank));
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
    tess_release(&x);
    tess_release(&rows);
    tess_release(&wide);
    tess_release(&square);
}

/* ---- Surfaces ---- */

static double surface(int64_t image, double x, double y)
{
    const double s = (double)(image + 1);
    return s * (3 + 0.5 * x - 0.25 * y + 0.01 * x * y - 0.02 * x * x + 0.03 * y * y + 1e-4 * x * x * y -
                2e-4 * x * y * y + 3e-4 * x * x * x - 1e-4 * y * y * y);
}

static tess_array surfaces(void)
{
    tess_array a = constant(TESS_F64, 2, 1, 30, 40, 0);
    for (int64_t b = 0; b < 2; b++)
        for (int64_t y = 0; y < 30; y++)
            for (int64_t x = 0; x < 40; x++) CHECK_OK(tess_set_f64(&a, b, 0, y, x, surface(b, (double)x, (double)y)));
    return a;
}

TEST(polyfit_finds_the_polynomial)
{
    static const double want[10] = { 3, 0.5, -0.25, 0.01, -0.02, 0.03, 1e-4, -2e-4, 3e-4, -1e-4 };
    tess_array          a = surfaces(), out = { 0 }, p = { 0 }, single = { 0 };
    CHECK_OK(tess_polyfit_surface(&out, &a, 3, &(tess_polyfit_opts){ .parameters = &p }));
    CHECK_DIMS(p.shape, 2, 1, 1, 10);
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 10; i++) CHECK(fabs(value_at(&p, b, 0, 0, i) - (b + 1) * want[i]) < 1e-12);
    for (int i = 0; i < 1200; i++) CHECK(fabs(((double *)out.data)[i] - ((double *)a.data)[i]) < 1e-12);
    CHECK_OK(tess_cast(&single, &a, TESS_F32, NULL));
    CHECK_OK(tess_polyfit_surface(&single, &single, 3, &(tess_polyfit_opts){ .subtract = 1 }));
    for (int i = 0; i < 2400; i++) CHECK(fabs((double)((float *)single.data)[i]) < 1e-5);
    CHECK_OK(tess_polyfit_surface(NULL, &a, 3, &(tess_polyfit_opts){ .parameters = &p }));
    tess_release(&a);
    tess_release(&out);
    tess_release(&p);
    tess_release(&single);
}

TEST(polyfit_dtypes)
{
    static const tess_dtype table[][2] = { { TESS_BOOL, TESS_F32 },
                                           { TESS_I16, TESS_F32 },
                                           { TESS_I32, TESS_F64 },
                                           { TESS_F16, TESS_F32 },
                                           { TESS_F64, TESS_F64 } };
    for (int i = 0; i < 5; i++) {
        tess_array a = constant(table[i][0], 1, 1, 5, 6, 1), out = { 0 };
        CHECK_OK(tess_polyfit_surface(&out, &a, 2, NULL));
        CHECK(out.dtype == table[i][1] && fabs(value_at(&out, 0, 0, 3, 2) - 1) < 1e-6);
        tess_release(&a);
        tess_release(&out);
    }
}

/* Fewer pixels than powers: the best surface, from the lowest of them. */
TEST(polyfit_of_few_pixels)
{
    tess_array a = numbers(TESS_F64, 1, 1, 2, 1), out = { 0 }, p = { 0 }, empty = constant(TESS_F32, 2, 1, 0, 5, 0);
    CHECK_OK(tess_polyfit_surface(&out, &a, 3, &(tess_polyfit_opts){ .parameters = &p }));
    CHECK(is_matrix(&out, 2, 1, (double[]){ 0, 1 }, 1e-15));
    CHECK(is_matrix(&p, 1, 10, (double[]){ 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 }, 1e-15));
    tess_release(&out);
    tess_release(&p);
    CHECK_OK(tess_polyfit_surface(&out, &empty, 1, &(tess_polyfit_opts){ .parameters = &p }));
    CHECK_DIMS(out.shape, 2, 1, 0, 5);
    CHECK(all_are(&p, 0));
    tess_release(&a);
    tess_release(&empty);
    tess_release(&out);
    tess_release(&p);
}

TEST(polyfit_refuses)
{
    tess_array a = constant(TESS_F32, 2, 1, 4, 5, 1), volume = constant(TESS_F32, 1, 2, 4, 5, 1), out = { 0 },
               p = { 0 };
    tess_array complex_one = constant(TESS_C32, 1, 1, 4, 5, 1), few = constant(TESS_F64, 2, 1, 1, 3, 0);
    CHECK_FAILS(tess_polyfit_surface(&out, NULL, 1, NULL), TESS_EARG, "polyfit_surface: in is NULL");
    CHECK_FAILS(tess_polyfit_surface(NULL, &a, 1, NULL), TESS_EARG, "at least one is needed");
    CHECK_FAILS(tess_polyfit_surface(&out, &complex_one, 1, NULL), TESS_EDTYPE, "in is c32; a real type is needed");
    CHECK_FAILS(tess_polyfit_surface(&out, &volume, 1, NULL), TESS_ESHAPE, "{1,2,4,5}; images {B,1,H,W} are needed");
    CHECK_FAILS(tess_polyfit_surface(&out, &a, 0, NULL), TESS_ERANGE, "order is 0; 1, 2 or 3 is allowed");
    CHECK_FAILS(tess_polyfit_surface(&out, &a, 4, NULL), TESS_ERANGE, "order is 4");
    CHECK_FAILS(tess_polyfit_surface(&out, &a, 1, &(tess_polyfit_opts){ .subtract = 2 }), TESS_ERANGE,
                "opts->subtract is 2");
    CHECK_FAILS(tess_polyfit_surface(&out, &a, 1, &(tess_polyfit_opts){ .unused = 2 }), TESS_ERANGE,
                "opts->unused is 2");
    CHECK_FAILS(tess_polyfit_surface(&out, &a, 1, &(tess_polyfit_opts){ .reserved = { 2 } }), TESS_EARG, "reserved");
    CHECK_FAILS(tess_polyfit_surface(&out, &a, 2, &(tess_polyfit_opts){ .parameters = &few }), TESS_ESHAPE,
                "opts->parameters has shape {2,1,1,3}; {2,1,1,6} is needed");
    CHECK_FAILS(tess_polyfit_surface(&out, &a, 2, &(tess_polyfit_opts){ .parameters = &a }), TESS_ESHAPE, "parameters");
    CHECK(is_zeroed(&out));
    tess_array wrong = constant(TESS_F32, 2, 1, 1, 3, 0), other = constant(TESS_F32, 2, 1, 4, 6, 0), shift = { 0 };
    CHECK_FAILS(tess_polyfit_surface(&out, &a, 1, &(tess_polyfit_opts){ .parameters = &wrong }), TESS_EDTYPE,
                "opts->parameters has dtype f32; f64 is needed");
    CHECK_FAILS(tess_polyfit_surface(&other, &a, 1, NULL), TESS_ESHAPE, "out has shape {2,1,4,6}; {2,1,4,5} is needed");
    CHECK_OK(tess_slice(&shift, &other, 3, 1, 6, 1));
    CHECK_OK(tess_slice(&other, &other, 3, 0, 5, 1));
    CHECK_FAILS(tess_polyfit_surface(&shift, &other, 1, NULL), TESS_EALIAS, "shares memory with in");
    tess_array image = constant(TESS_F64, 2, 1, 1, 3, 1);
    CHECK_FAILS(tess_polyfit_surface(NULL, &image, 1, &(tess_polyfit_opts){ .parameters = &image }), TESS_EALIAS,
                "opts->parameters (", "shares memory with in (");
    CHECK_FAILS(tess_polyfit_surface(&few, &image, 1, &(tess_polyfit_opts){ .parameters = &few }), TESS_EALIAS,
                "opts->parameters (", "shares memory with out (");
    tess_array far = on_gpu(few);
    CHECK_FAILS(tess_polyfit_surface(NULL, &image, 1, &(tess_polyfit_opts){ .parameters = &far }), TESS_EDEVICE,
                "the result is on cpu and opts->parameters on gpu:0");
    tess_release(&a);
    tess_release(&volume);
    tess_release(&complex_one);
    tess_release(&few);
    tess_release(&wrong);
    tess_release(&other);
    tess_release(&image);
    tess_release(&p);
}

TEST(polyfit_of_more_lines_than_memory_has)
{
    tess_array a = constant(TESS_U8, 1, 1, 1, 1, 3), parameters = { 0 }, tall;
    CHECK_OK(tess_broadcast(&tall, &a, TESS_SHAPE(1, 1, INT64_C(1) << 58, 1)));
    CHECK_FAILS(tess_polyfit_surface(NULL, &tall, 1, &(tess_polyfit_opts){ .parameters = &parameters }), TESS_ENOMEM,
                "no memory for 18446744073709551616 bytes");
    CHECK(!parameters.data);
    tess_release(&a);
}

TEST(lstsq_of_a_value_whose_square_is_nothing)
{
    tess_array a = matrix(TESS_F64, 2, 2, (double[]){ 1, 0, 0, 1e-155 }), x = { 0 }, values = { 0 };
    tess_array b = matrix(TESS_F64, 2, 1, (double[]){ 1, 1 });
    CHECK_OK(tess_lstsq(&x, &a, &b, &(tess_lstsq_opts){ .cond = 1e-200, .singular_values = &values }));
    CHECK(value_at(&x, 0, 0, 0, 0) == 1 && fabs(value_at(&x, 0, 0, 1, 0) / 1e155 - 1) < 1e-12);
    tess_release(&a);
    tess_release(&b);
    tess_release(&x);
    tess_release(&values);
}
