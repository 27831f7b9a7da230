/* Variances and standard deviations: of numbers whose squares leave the range, that are far from zero, or that f32's own
 * arithmetic is not enough for; and with the mean in one pass. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/reductions.h"

/* ---- Numbers whose squares leave the range, while the roots of these do not ---- */

TEST(roots_of_squares_that_leave_the_range)
{
    static const function functions[] = { fn_std, fn_rmsd, fn_norm_l2, fn_var };
    static const int      exponents[] = { 664, -664, 531, -531, 513, -450, 1020, -1000 };
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
            for (int s = 0; s < N_SHAPES; s++)
                for (int is_complex = 0; is_complex < 2; is_complex++) {
                    const int     axes = (int)test_random_in(1, 15) * TESS_B;
                    const options o = { has_skip(functions[f]) && test_random_in(0, 4) == 0, (int)test_random_in(0, 1),
                                        exponents[e] };
                    check_reduction(functions[f], is_complex ? TESS_C64 : TESS_F64,
                                    (layout)test_random_in(0, n_layouts - 1), reduced_shapes[s], axes, o);
                }
    for (int s = 0; s < N_SHAPES; s++) /* distances that leave it, too; and squares of f32 */
        for (int axes = TESS_B; axes <= TESS_ALL_AXES; axes += TESS_B) {
            check_reduction(fn_std, TESS_F64, layout_contiguous, reduced_shapes[s], axes, (options){ 0, 0, 1022 });
            check_reduction(fn_std, TESS_F32, layout_contiguous, reduced_shapes[s], axes,
                            (options){ 0, 0, axes & TESS_H ? 110 : -110 });
        }
}

/* The numbers times a power of 2 have the same scaled numbers. */
static void check_normalized(const tess_array *in, const tess_array *scaled, int mode, int axes)
{
    tess_array                got = { 0 }, want = { 0 };
    const tess_normalize_opts opts = { .mode = mode };
    CHECK_OK(tess_normalize(&want, in, axes, &opts));
    CHECK_OK(tess_normalize(&got, scaled, axes, &opts));
    const double *x = got.data, *y = want.data;
    for (int64_t i = 0; i < tess_n_elements(in) * tess_dtype_reals(in->dtype); i++)
        if (!(fabs(x[i] - y[i]) <= 1e-13)) {
            (void)test_failed(__FILE__, __LINE__, "normalize %s by %d over 0x%x: %g, not %g",
                              tess_dtype_name(in->dtype), mode, (unsigned)axes, x[i], y[i]);
            break;
        }
    tess_release(&got), tess_release(&want);
}

/* What is made of the same numbers in other ways. */
static void check_scaled(tess_dtype dtype, tess_shape shape, int exponent)
{
    const bool real = is_real(dtype);
    guarded    in, scaled;
    tess_array std = { 0 }, mean = { 0 }, want = { 0 };
    double     whole[4] = { 0 };
    const int  axes = (int)test_random_in(1, 15) * TESS_B;
    guarded_make(&in, layout_contiguous, shape, dtype);
    guarded_make(&scaled, layout_contiguous, shape, dtype);
    filling fill = { &in.view, false, 0, 0 };
    each_index(shape, set_random, &fill);
    const double *x = in.view.data;
    double       *y = scaled.view.data;
    for (int64_t i = 0; i < tess_n_elements(&in.view) * (real ? 1 : 2); i++) y[i] = ldexp(x[i], exponent);
    check_normalized(&in.view, &scaled.view, TESS_NORMALIZE_MEAN_STD, axes);
    check_normalized(&in.view, &scaled.view, TESS_NORMALIZE_MEAN_L2, axes);
    check_normalized(&in.view, &scaled.view, TESS_NORMALIZE_L2, axes);
    CHECK_OK(tess_mean_std(&mean, &std, &scaled.view, axes, NULL));
    CHECK_OK(tess_std(&want, &scaled.view, axes, NULL));
    CHECK(memcmp(std.data, want.data, (size_t)tess_n_bytes(&std)) == 0);
    CHECK_OK(tess_host_std(&whole[0], &in.view, NULL));
    CHECK_OK(tess_host_std(&whole[1], &scaled.view, NULL));
    CHECK(fabs(ldexp(whole[1], -exponent) - whole[0]) <= 1e-13);
    CHECK_OK(tess_host_rmsd(&whole[0], &in.view, &tess_f64(0)));
    CHECK_OK(tess_host_rmsd(&whole[1], &scaled.view, &tess_f64(0)));
    CHECK(fabs(ldexp(whole[1], -exponent) - whole[0]) <= 1e-13);
    if (real) CHECK_OK(tess_host_mean_std(&whole[2], &whole[3], &scaled.view, NULL));
    if (real) CHECK_OK(tess_host_std(&whole[1], &scaled.view, NULL));
    CHECK(!real || whole[3] == whole[1]);
    tess_release(&std), tess_release(&mean), tess_release(&want);
    guarded_free(&in), guarded_free(&scaled);
}

TEST(scaled_numbers_have_scaled_spreads)
{
    static const int exponents[] = { 664, -664, 531, -531, 1000, -900 };
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
        for (int s = 1; s < N_SHAPES; s++) {
            check_scaled(TESS_F64, reduced_shapes[s], exponents[e]);
            check_scaled(TESS_C64, reduced_shapes[s], exponents[e]);
        }
}

/* ---- With the mean ---- */

/* The mean in f64 or c64, converted to another dtype. */
static void wide_mean(tess_array *out, const tess_array *in, int axes, tess_dtype dtype)
{
    tess_array wide = { 0 };
    tess_shape shape = in->shape;
    for (int d = 0; d < 4; d++)
        if (axes & TESS_B << d) shape.dim[d] = 1;
    CHECK_OK(tess_empty(&wide, shape, is_real(in->dtype) ? TESS_F64 : TESS_C64, tess_cpu()));
    CHECK_OK(tess_mean(&wide, in, axes, NULL));
    CHECK_OK(tess_cast(out, &wide, dtype, NULL));
    tess_release(&wide);
}

TEST(mean_of_mean_std_is_the_mean)
{
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
        for (int s = 0; s < N_SHAPES; s++) {
            guarded    in;
            tess_array mean = { 0 }, std = { 0 }, var = { 0 }, other = { 0 }, want[3] = { { .data = NULL } };
            const int  axes = (int)test_random_in(1, 15) * TESS_B;
            guarded_make(&in, (layout)test_random_in(0, n_layouts - 1), reduced_shapes[s], dtype);
            const filling fill = { &in.view, false, 0, 0 };
            each_index(reduced_shapes[s], set_random, (void *)(uintptr_t)&fill);
            CHECK_OK(tess_mean_std(&mean, &std, &in.view, axes, NULL));
            CHECK_OK(tess_mean_var(&other, &var, &in.view, axes, NULL));
            wide_mean(&want[0], &in.view, axes, mean.dtype);
            CHECK_OK(tess_std(&want[1], &in.view, axes, NULL));
            CHECK_OK(tess_var(&want[2], &in.view, axes, NULL));
            expect_bits("mean of mean_std", &mean, &want[0]);
            expect_bits("mean of mean_var", &other, &mean);
            expect_bits("std of mean_std", &std, &want[1]);
            expect_bits("var of mean_var", &var, &want[2]);
            for (int i = 0; i < 3; i++) tess_release(&want[i]);
            tess_release(&mean), tess_release(&std), tess_release(&var), tess_release(&other);
            guarded_free(&in);
        }
}

/* ---- Spreads of f32, also of such as its own arithmetic is not enough for ---- */

enum {
    hard_outliers,
    hard_tiny,
    hard_huge,
    hard_offset,
    hard_half_tiny,
    hard_nearly_equal,
    hard_equal,
    hard_wide,
    hard_far,
    hard_farther, /* about as far as squares are good for */
    n_hards
};

/* Of unit spread, nearly normal. */
static double random_normal(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += test_random_unit() - 0.5;
    return sum;
}

static float hard_value(int kind, int64_t i, int64_t n)
{
    const float x = (float)test_random_in(-1000, 1000) / 512;
    switch (kind) {
    case hard_outliers: return i == 0 || i == n / 3 || i == n - 1 ? 1e10f + x : x;
    case hard_tiny: return 1e-30f * x;
    case hard_huge: return 1e25f * x;
    case hard_offset: return 1e6f + x;
    case hard_half_tiny: return i % 2 ? 1e-22f * x : 0;
    case hard_nearly_equal: return i == n / 2 ? nextafterf(0.1f, 1) : 0.1f;
    case hard_wide: return (float)exp(4 * random_normal());
    case hard_far: return (float)(100 + random_normal());
    case hard_farther: return (float)(1000 + (0.97 + 0.06 * (i % 7 == 0)) * random_normal());
    default: return 1e-20f;
    }
}

/* The same bits on every instruction set. */
static void check_hard_bits(const tess_array *in, int axes, const tess_array *mean, const tess_array *var)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        tess_array got[2] = { { .data = NULL } };
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_zeros(&got[0], mean->shape, mean->dtype, tess_cpu()));
        CHECK_OK(tess_zeros(&got[1], var->shape, var->dtype, tess_cpu()));
        CHECK_OK(tess_mean_var(&got[0], &got[1], in, axes, NULL));
        expect_bits("mean of hard numbers", &got[0], mean);
        expect_bits("variance of hard numbers", &got[1], var);
        tess_release(&got[0]), tess_release(&got[1]);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
}

static void check_hard(int kind, int64_t n, bool down)
{
    const int64_t columns = 37;
    tess_array    in = { 0 }, var = { 0 }, std = { 0 }, mean = { 0 }, want = { 0 };
    CHECK_OK(tess_empty(&in, down ? tess_shape_of(1, 1, n, columns) : tess_shape_of(1, 1, columns, n), TESS_F32,
                        tess_cpu()));
    float        *x = in.data;
    const int64_t along = down ? columns : 1, across = down ? 1 : n;
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < n; i++) x[c * across + i * along] = hard_value(kind, i, n);
    CHECK_OK(tess_mean_var(&mean, &var, &in, down ? TESS_H : TESS_W, NULL));
    CHECK_OK(tess_std(&std, &in, down ? TESS_H : TESS_W, NULL));
    for (int64_t c = 0; c < columns; c++) {
        long double sum = 0, squares = 0;
        for (int64_t i = 0; i < n; i++) sum += (long double)x[c * across + i * along];
        for (int64_t i = 0; i < n; i++) squares += powl((long double)x[c * across + i * along] - sum / n, 2);
        const long double v = squares / n, got = ((const float *)var.data)[c];
        const long double s = sqrtl(v), root = ((const float *)std.data)[c];
        const bool        leaves = v > (long double)FLT_MAX || (v < (long double)FLT_MIN && v > 0);
        if ((!leaves && !(fabsl(got - v) <= 0x1p-23L * v)) || !(fabsl(root - s) <= 0x1p-23L * s))
            (void)test_failed(__FILE__, __LINE__, "kind %d, %d numbers %s: var %.9Lg, not %.9Lg", kind, (int)n,
                              down ? "down" : "in a row", got, v);
    }
    wide_mean(&want, &in, down ? TESS_H : TESS_W, TESS_F32);
    expect_bits("mean of mean_var", &mean, &want);
    check_hard_bits(&in, down ? TESS_H : TESS_W, &mean, &var);
    tess_release(&in), tess_release(&var), tess_release(&std), tess_release(&mean), tess_release(&want);
}

TEST(hard_spreads)
{
    static const int64_t numbers[] = { 100, 257, 1000, 1024, 1025, 5000 };
    for (int kind = 0; kind < n_hards; kind++) {
        for (int64_t n = 1; n <= 40; n++) check_hard(kind, n, true), check_hard(kind, n, false);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            check_hard(kind, numbers[k], true), check_hard(kind, numbers[k], false);
    }
}

/* ---- Far from zero ---- */

TEST(variance_far_from_zero)
{
    enum { N = 100000 };
    double *x = malloc(N * sizeof *x);
    float  *y = malloc(N * sizeof *y);
    for (int power = 0; power <= 9; power++) {
        const double mean = pow(10, power);
        double       got32 = 0, got64 = 0;
        long double  sum[2] = { 0, 0 }, squares[2] = { 0, 0 };
        for (int i = 0; i < N; i++) {
            x[i] = mean + test_random_unit() - 0.5;
            y[i] = (float)x[i];
            sum[0] += (long double)x[i], sum[1] += (long double)y[i];
        }
        for (int i = 0; i < N; i++) {
            const long double d = (long double)x[i] - sum[0] / N, e = (long double)y[i] - sum[1] / N;
            squares[0] += d * d, squares[1] += e * e;
        }
        tess_array a = wrap_f64(x, N), b = wrap_f64(x, N);
        b.data = y;
        b.dtype = TESS_F32;
        CHECK_OK(tess_host_var(&got64, &a, NULL));
        CHECK_OK(tess_host_var(&got32, &b, NULL));
        CHECK(fabs((double)((long double)got64 / (squares[0] / N) - 1)) < 1e-11);
        CHECK(squares[1] == 0 ? got32 == 0 : fabs((double)((long double)got32 / (squares[1] / N) - 1)) < 1e-11);
    }
    for (int i = 0; i < N; i++) x[i] = 0.1;
    tess_array a = wrap_f64(x, N);
    double     var = 7;
    CHECK_OK(tess_host_var(&var, &a, NULL));
    CHECK(var == 0);
    a.shape.w = 1;
    CHECK_OK(tess_host_var(&var, &a, &(tess_var_opts){ .ddof = 1 }));
    CHECK(isnan(var));
    free(x);
    free(y);
}

/* ---- A few standard deviations from zero ---- */

/* Variances along an axis, of numbers `distance` standard deviations from 0, are within 16 units in the last place. */
static void check_near_zero(double distance, int64_t n, bool down)
{
    const int64_t columns = n > 2000 ? 9 : 33;
    tess_array    in = { 0 }, var = { 0 };
    CHECK_OK(tess_empty(&in, down ? tess_shape_of(1, 1, n, columns) : tess_shape_of(1, 1, columns, n), TESS_F64,
                        tess_cpu()));
    double       *x = in.data;
    const int64_t along = down ? columns : 1, across = down ? 1 : n;
    for (int64_t i = 0; i < n * columns; i++) x[i] = distance + random_normal();
    CHECK_OK(tess_var(&var, &in, down ? TESS_H : TESS_W, NULL));
    for (int64_t c = 0; c < columns; c++) {
        long double sum = 0, squares = 0;
        for (int64_t i = 0; i < n; i++) sum += (long double)x[c * across + i * along];
        for (int64_t i = 0; i < n; i++) {
            const long double d = (long double)x[c * across + i * along] - sum / n;
            squares += d * d;
        }
        const double want = (double)(squares / n), got = ((const double *)var.data)[c];
        if (!(fabs(got - want) <= 16 * (nextafter(want, INFINITY) - want)))
            (void)test_failed(__FILE__, __LINE__, "%d numbers %s, %g from 0: var %.17g, not %.17g", (int)n,
                              down ? "down" : "in a row", distance, got, want);
    }
    tess_release(&in), tess_release(&var);
}

TEST(variance_of_numbers_ten_deviations_from_zero)
{
    static const int64_t numbers[] = { 2, 3, 7, 15, 16, 17, 32, 33, 64, 100, 513, 1024, 1025, 5000 };
    static const double  distances[] = { 10, 11, 12.5, -14, 15 };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
            check_near_zero(distances[d], numbers[k], true);
            check_near_zero(distances[d], numbers[k], false);
        }
}

/* ---- Chunks of any size ---- */

/* Variances of f32 into f64, over more rows than a chunk has, of a row-major array and of its column-major copy: the same
 * bits. */
TEST(variances_of_two_layouts)
{
    for (int64_t n = 1025; n < 4000; n += 323) {
        tess_array x = { 0 }, transposed = { 0 }, copy = { 0 }, var = { 0 }, other = { 0 };
        CHECK_OK(tess_empty(&x, TESS_SHAPE(1, 1, n, 64), TESS_F32, tess_cpu()));
        CHECK_OK(tess_empty(&var, TESS_SHAPE(1, 1, 1, 64), TESS_F64, tess_cpu()));
        CHECK_OK(tess_empty(&other, TESS_SHAPE(1, 1, 1, 64), TESS_F64, tess_cpu()));
        CHECK_OK(tess_random_uniform(&x, 10, 11, (uint64_t)n, NULL));
        CHECK_OK(tess_transpose(&transposed, &x));
        CHECK_OK(tess_copy(&copy, &transposed));
        CHECK_OK(tess_transpose(&transposed, &copy));
        CHECK_OK(tess_var(&var, &x, TESS_H, NULL));
        CHECK_OK(tess_var(&other, &transposed, TESS_H, NULL));
        CHECK(memcmp(var.data, other.data, (size_t)tess_n_bytes(&var)) == 0);
        tess_release(&x), tess_release(&copy), tess_release(&var), tess_release(&other);
    }
}
