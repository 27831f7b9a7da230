/* Reductions over columns: dots of every dtype into every dtype beside a loop. */
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
