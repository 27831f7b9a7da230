/* Reductions of long rows: those that are read from memory, by kernels of their own, and how accurate sums are. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/reductions.h"

/* One reduction of n elements in a row, by the base and then by every instruction set and two numbers of threads. */
static void check_large(function f, const tess_array *a, const tess_array *b)
{
    const options o = { 0, 0, 0 };
    tess_array    want = { 0 };
    number       *values = malloc((size_t)tess_n_elements(a) * sizeof *values);
    char          what[100];
    snprintf(what, sizeof what, "%s of many %s", function_names[f], tess_dtype_name(a->dtype));
    CHECK_OK(tess_cpu_limit_set("base"));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(call_function(f, &want, a, b, TESS_ALL_AXES, o));
    comparison c = { f, o, &want, a, takes_two(f) ? b : NULL, TESS_ALL_AXES, what, 0, values };
    each_index(want.shape, compare_result, &c);
    for (const tess__isa *isa = tess__isas; isa->name; isa++)
        for (int threads = 1; threads <= 3 && isa->supported(); threads += 2) {
            tess_array got = { 0 };
            CHECK_OK(tess_cpu_limit_set(isa->name));
            CHECK_OK(tess_threads_set(threads));
            CHECK_OK(call_function(f, &got, a, b, TESS_ALL_AXES, o));
            expect_bits(what, &got, &want);
            tess_release(&got);
        }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
    tess_release(&want);
    free(values);
}

/* What is read from memory, from 4 MiB on, is read another way, by kernels of its own. */
TEST(same_bits_from_memory)
{
    static const function functions[] = { fn_dot,     fn_max, fn_sum, fn_compensated, fn_norm_l1,
                                          fn_norm_l2, fn_var, fn_min, fn_argmax };
    enum { FUNCTIONS = sizeof functions / sizeof *functions }; /* sanitizers take the first two */
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64 };
    for (int d = 0; d < 2; d++) {
        const tess_shape shape = TESS_SHAPE(1, 1, 1, d == 0 ? 1100003 : 550007);
        tess_array       a = { 0 }, b = { 0 };
        CHECK_OK(tess_empty(&a, shape, dtypes[d], tess_cpu()));
        CHECK_OK(tess_empty(&b, shape, dtypes[d], tess_cpu()));
        CHECK_OK(tess_random_normal(&a, 0.5, 1, 1, NULL));
        CHECK_OK(tess_random_normal(&b, 0.5, 1, 2, NULL));
        for (int f = 0; f < FUNCTIONS && f < test_fewer(2 * FUNCTIONS); f++) check_large(functions[f], &a, &b);
        tess_release(&a);
        tess_release(&b);
    }
}

TEST(sums_are_accurate)
{
    enum { N = 1 << 20 };
    float  *x = malloc(N * sizeof *x);
    double *y = malloc(N * sizeof *y);
    for (int i = 0; i < N; i++) x[i] = 0.1f, y[i] = ldexp(test_random_unit() - 0.5, (int)test_random_in(-60, 60));
    tess_array a = wrap_f64(y, N), b = a, out = { 0 };
    a.data = x;
    a.dtype = TESS_F32;
    CHECK_OK(tess_sum(&out, &a, 0, NULL));
    const float got = *(float *)out.data, want = (float)((double)0.1f * N);
    CHECK(fabsf(got - want) <= ldexpf(want, -23));
    tess_release(&out);
    long double exact = 0; /* 113 bits, or 64 on x86 */
    for (int i = 0; i < N; i++) exact += (long double)y[i];
    CHECK_OK(tess_sum(&out, &b, 0, &(tess_sum_opts){ .compensated = 1 }));
    const long double far = fabsl((long double)*(double *)out.data - exact);
    CHECK(far <= fabsl(exact) * 0x1p-52L + (sizeof(long double) > 8 && LDBL_MANT_DIG < 100 ? 1e6L : 0));
    tess_release(&out);
    free(x);
    free(y);
}
