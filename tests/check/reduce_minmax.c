/* Minimum and maximum, alone and together: zeros of both signs, infinities and NaNs, by every instruction set. */
#include <math.h>

#include "support/isas.h"

/* Numbers from a few, a NaN among some: the same bits by all instruction sets, also of parts of vectors. */
static void check_extremes(tess_dtype dtype, int64_t n, const double few[4], int nans)
{
    const size_t size = tess_dtype_size(dtype);
    tess_array   a = { 0 }, want[2] = { { .data = NULL } };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, n), dtype, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        const bool   nan = nans && test_random_in(0, n - 1) == 0;
        const double x = nan ? (nans == 1 ? (double)NAN : -(double)NAN) : few[test_random_in(0, 3)];
        if (dtype == TESS_F64) ((double *)a.data)[i] = x;
        else ((float *)a.data)[i] = (float)x;
    }
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        tess_array got[4] = { { .data = NULL } };
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_minmax(&got[0], &got[1], &a, TESS_W, NULL));
        CHECK_OK(tess_min(&got[2], &a, TESS_W, NULL));
        CHECK_OK(tess_max(&got[3], &a, TESS_W, NULL));
        for (int k = 0; k < 2 && isa == tess__isas; k++) CHECK_OK(tess_copy(&want[k], &got[k]));
        for (int k = 0; k < 4; k++) {
            if (memcmp(got[k].data, want[k % 2].data, size) != 0)
                (void)test_failed(__FILE__, __LINE__, "%s of %d %s by %s differ", k % 2 ? "max" : "min", (int)n,
                                  tess_dtype_name(dtype), isa->name);
            tess_release(&got[k]);
        }
    }
    for (int k = 0; k < 2; k++) tess_release(&want[k]);
    tess_release(&a);
}

TEST(extremes_tell_zeros_apart)
{
    static const double few[][4] = { { -0.0, 0.0, -1, -2 },
                                     { -0.0, 0.0, 1, 2 },
                                     { -0.0, -0.0, 0.0, -0.0 },
                                     { -HUGE_VAL, -3, -0.0, 0.0 },
                                     { HUGE_VAL, -HUGE_VAL, 5, -5 } };
    for (int64_t n = 1; n < 700; n += n < 150 ? 1 : 37)
        for (int s = 0; s < 5; s++)
            for (int nans = 0; nans < 3; nans++) {
                check_extremes(TESS_F32, n, few[s], nans);
                check_extremes(TESS_F64, n, few[s], nans);
            }
    CHECK_OK(tess_cpu_limit_set(NULL));
}
