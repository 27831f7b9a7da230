/* Reductions over columns: dots of every dtype into every dtype beside a loop, sums of f32 beside exact ones. */
#include <math.h>

#include "support/test.h"

/* A dot over columns, of positive numbers, beside a loop. */
static void check_dot_of_columns(tess_dtype in, tess_dtype to, int64_t n, int64_t w)
{
    const double slack = in == TESS_F32 && to == TESS_F64 ? 1e-15 : to == TESS_F32 ? 6e-8 : 1e-14;
    tess_array   x = { 0 }, y = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&x, TESS_SHAPE(n, 1, 2, w), in, tess_cpu()));
    CHECK_OK(tess_empty(&y, TESS_SHAPE(n, 1, 2, w), in, tess_cpu()));
    CHECK_OK(tess_empty(&out, TESS_SHAPE(1, 1, 2, w), to, tess_cpu()));
    CHECK_OK(tess_random_uniform(&x, 0.5, 1, (uint64_t)n, NULL));
    CHECK_OK(tess_random_uniform(&y, 0.5, 1, (uint64_t)w + 1000, NULL));
    CHECK_OK(tess_dot(&out, &x, &y, TESS_B, NULL));
    for (int64_t i = 0; i < 2 * w; i++) {
        double      a, b, got;
        long double want = 0;
        for (int64_t k = 0; k < n; k++) {
            CHECK_OK(tess_get_f64(&a, &x, k, 0, i / w, i % w));
            CHECK_OK(tess_get_f64(&b, &y, k, 0, i / w, i % w));
            want += (long double)a * (long double)b;
        }
        CHECK_OK(tess_get_f64(&got, &out, 0, 0, i / w, i % w));
        if (fabsl((long double)got - want) <= (long double)(slack * (double)n) * want) continue;
        (void)test_failed(__FILE__, __LINE__, "dot of %d rows of %d %s as %s: %.17g, not %.17Lg", (int)n, (int)w,
                          tess_dtype_name(in), tess_dtype_name(to), got, want);
        break;
    }
    tess_release(&x);
    tess_release(&y);
    tess_release(&out);
}

TEST(dot_of_columns_into_each_dtype)
{
    static const int64_t rows[] = { 2, 9, 16, 17, 64, 70, 300 }, widths[] = { 8, 31, 64, 300, 1100 };
    for (int r = 0; r < 7; r++)
        for (int w = 0; w < 5; w++)
            for (int kind = 0; kind < 4; kind++)
                if (test_takes_case())
                    check_dot_of_columns(kind & 1 ? TESS_F64 : TESS_F32, kind & 2 ? TESS_F64 : TESS_F32, rows[r],
                                         widths[w]);
}

/* ---- Sums of f32, of which a few numbers at a time are added in f32 ---- */

enum { COLUMNS = 37 };

/* Sums of positive numbers, over H or over W of the transposed array, within 3 * 2^-24 of themselves, and into f64 as
 * exact as f64 is; of both layouts with the same bits. */
static void check_sums_of_columns(tess_dtype dtype, int64_t n, double scale)
{
    tess_array x = { 0 }, turned = { 0 }, copy = { 0 }, out = { 0 }, other = { 0 }, wide = { 0 };
    CHECK_OK(tess_empty(&x, TESS_SHAPE(1, 1, n, COLUMNS), dtype, tess_cpu()));
    CHECK_OK(tess_empty(&wide, TESS_SHAPE(1, 1, 1, COLUMNS), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_uniform(&x, 0.25 * scale, scale, (uint64_t)n, NULL));
    CHECK_OK(tess_sum(&out, &x, TESS_H, NULL));
    CHECK_OK(tess_sum(&wide, &x, TESS_H, NULL));
    CHECK_OK(tess_transpose(&turned, &x));
    CHECK_OK(tess_copy(&copy, &turned));
    CHECK_OK(tess_transpose(&turned, &copy));
    CHECK_OK(tess_sum(&other, &turned, TESS_H, NULL));
    for (int64_t c = 0; c < COLUMNS; c++) {
        const double got = (double)((const float *)out.data)[c], exact = ((const double *)wide.data)[c];
        const double same = (double)((const float *)other.data)[c];
        long double  want = 0;
        double       number;
        for (int64_t i = 0; i < n; i++) {
            CHECK_OK(tess_get_f64(&number, &x, 0, 0, i, c));
            want += (long double)number;
        }
        if (fabsl((long double)got - want) > 3 * 0x1p-24L * want ||
            fabsl((long double)exact - want) > 0x1p-48L * want || got != same)
            (void)test_failed(__FILE__, __LINE__,
                              "sum of %d %s is %.9g, of the transposed %.9g, in f64 %.17g, not %.17Lg", (int)n,
                              tess_dtype_name(dtype), got, same, exact, want);
    }
    tess_release(&x), tess_release(&copy);
    tess_release(&out), tess_release(&other), tess_release(&wide);
}

TEST(sums_of_columns_in_f32)
{
    static const int64_t rows[] = { 1, 2, 3, 4, 5, 7, 8, 11, 31, 33, 63, 64, 66, 200, 1024, 1030, 5000 };
    for (int r = 0; r < 17; r++) {
        check_sums_of_columns(TESS_F32, rows[r], 1);
        check_sums_of_columns(TESS_F32, rows[r], 1e-30);
        check_sums_of_columns(TESS_F16, rows[r], 1);
    }
}

/* Four numbers whose sum f32 does not hold: where the whole sum or mean is in its range, it is right. */
TEST(sums_that_overflow_in_f32)
{
    for (int turned = 0; turned < 2; turned++)
        for (int64_t n = 2; n <= 70; n += 4) {
            tess_array x = { 0 }, view = { 0 }, sum = { 0 }, mean = { 0 };
            CHECK_OK(tess_full(&x, turned ? TESS_SHAPE(1, 1, COLUMNS, n) : TESS_SHAPE(1, 1, n, COLUMNS), TESS_F32,
                               tess_cpu(), 1));
            if (turned) CHECK_OK(tess_transpose(&view, &x));
            else view = x;
            for (int64_t i = 0; i < n; i++) CHECK_OK(tess_set_f64(&view, 0, 0, i, 5, i < n / 2 ? 3e38 : -3e38));
            for (int64_t i = 0; i < n; i++) CHECK_OK(tess_set_f64(&view, 0, 0, i, 6, 3e38));
            CHECK_OK(tess_sum(&sum, &view, TESS_H, NULL));
            CHECK_OK(tess_mean(&mean, &view, TESS_H, NULL));
            const float *s = sum.data, *m = mean.data;
            CHECK(s[0] == (float)n && s[5] == 0 && isinf(s[6]) && s[36] == (float)n);
            CHECK(m[0] == 1 && m[5] == 0 && m[6] == 3e38F);
            tess_release(&x), tess_release(&sum), tess_release(&mean);
        }
}
