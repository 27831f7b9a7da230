/* Checks that the library computes on this machine what naive loops do. */
#include "operation/selftest.h"

#include <math.h>
#include <string.h>

enum { N = 1000, IMAGE = 24 };

/* Numbers that are neither round nor alike. */
static double sample(int64_t i) { return sin((double)i * 0.7) * 3 + (double)(i % 7); }

static tess_status make(tess_array *a, tess_dtype dtype, tess_shape shape)
{
    const int64_t n = shape.b * shape.d * shape.h * shape.w;
    tess_array    row, wide = { 0 };
    tess_status   status;
    TESS_GOTO(done, status, tess_empty(&wide, shape, TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < n; i++) ((double *)wide.data)[i] = sample(i);
    row = wide;
    TESS_GOTO(done, status, tess_cast(a, &row, dtype, NULL));
done:
    tess_release(&wide);
    return status;
}

static float single(int64_t i) { return (float)sample(i); }

/* Each gives the largest error it found, which must be 0 or, of transforms, small. */
static tess_status check_add(double *error)
{
    tess_array  a = { 0 }, out = { 0 };
    tess_status status;
    TESS_GOTO(done, status, make(&a, TESS_F32, TESS_SHAPE(1, 1, 1, N)));
    TESS_GOTO(done, status, tess_add(&out, &a, &a));
    for (int64_t i = 0; i < N; i++) *error = fmax(*error, fabs(((float *)out.data)[i] - (single(i) + single(i))));
done:
    tess_release(&a);
    tess_release(&out);
    return status;
}

static tess_status check_sqrt(double *error)
{
    tess_array  a = { 0 }, squares = { 0 }, out = { 0 };
    tess_status status;
    TESS_GOTO(done, status, make(&a, TESS_F32, TESS_SHAPE(1, 1, 1, N)));
    TESS_GOTO(done, status, tess_square(&squares, &a));
    TESS_GOTO(done, status, tess_sqrt(&out, &squares));
    for (int64_t i = 0; i < N; i++) {
        const float x = single(i), square = x * x;
        *error = fmax(*error, fabs(((float *)out.data)[i] - sqrtf(square)));
    }
done:
    tess_release(&a);
    tess_release(&squares);
    tess_release(&out);
    return status;
}

static tess_status check_sum(double *error)
{
    tess_array  a = { 0 };
    tess_status status;
    double      sum, want = 0;
    TESS_GOTO(done, status, make(&a, TESS_I32, TESS_SHAPE(1, 1, 1, N)));
    TESS_GOTO(done, status, tess_host_sum(&sum, &a));
    for (int64_t i = 0; i < N; i++) want += ((int32_t *)a.data)[i];
    *error = fabs(sum - want);
done:
    tess_release(&a);
    return status;
}

static tess_status check_sort(double *error)
{
    tess_array  a = { 0 }, out = { 0 };
    tess_status status;
    TESS_GOTO(done, status, make(&a, TESS_F32, TESS_SHAPE(1, 1, 1, N)));
    TESS_GOTO(done, status, tess_sort(&out, &a, 3, NULL));
    for (int64_t i = 1; i < N; i++) *error += ((float *)out.data)[i] < ((float *)out.data)[i - 1];
done:
    tess_release(&a);
    tess_release(&out);
    return status;
}

static tess_status check_matmul(double *error)
{
    tess_array  a = { 0 }, out = { 0 };
    tess_status status;
    TESS_GOTO(done, status, make(&a, TESS_F64, TESS_SHAPE(1, 1, IMAGE, IMAGE)));
    TESS_GOTO(done, status, tess_matmul(&out, &a, &a, NULL));
    for (int64_t i = 0; i < IMAGE; i++)
        for (int64_t k = 0; k < IMAGE; k++) {
            double want = 0;
            for (int64_t m = 0; m < IMAGE; m++) want += sample(i * IMAGE + m) * sample(m * IMAGE + k);
            *error = fmax(*error, fabs(((double *)out.data)[i * IMAGE + k] - want) / (1 + fabs(want)));
        }
done:
    tess_release(&a);
    tess_release(&out);
    return status;
}

static tess_status check_fft(double *error)
{
    tess_array  a = { 0 }, out = { 0 };
    tess_status status;
    TESS_GOTO(done, status, make(&a, TESS_F64, TESS_SHAPE(1, 1, 1, IMAGE)));
    TESS_GOTO(done, status, tess_fft_r2c(&out, &a, NULL));
    for (int64_t k = 0; k <= IMAGE / 2; k++) {
        double re = 0, im = 0;
        for (int64_t i = 0; i < IMAGE; i++) {
            const double turn = 2 * TESS_PI * (double)(i * k % IMAGE) / IMAGE;
            re += sample(i) * cos(turn);
            im -= sample(i) * sin(turn);
        }
        const double *got = (double *)out.data + 2 * k;
        *error = fmax(*error, fmax(fabs(got[0] - re), fabs(got[1] - im)));
    }
done:
    tess_release(&a);
    tess_release(&out);
    return status;
}

static tess_status check_threads(double *error)
{
    const int   threads = tess_threads_get();
    tess_array  a = { 0 };
    tess_status status;
    double      one, all;
    TESS_GOTO(done, status, make(&a, TESS_F32, TESS_SHAPE(64, 1, 128, 128)));
    TESS_GOTO(done, status, tess_host_sum(&all, &a));
    TESS_GOTO(done, status, tess_threads_set(1));
    TESS_GOTO(done, status, tess_host_sum(&one, &a));
    *error = fabs(all - one);
done:
    tess_release(&a);
    if (tess_threads_set(threads) != TESS_OK) *error = INFINITY;
    return status;
}

static const struct {
    const char *name;
    tess_status (*check)(double *error);
    double allowed;
} checks[] = {
    { "add, f32", check_add, 0 },
    { "sqrt, f32", check_sqrt, 0 },
    { "sum, i32", check_sum, 0 },
    { "sort, f32", check_sort, 0 },
    { "matmul, f64", check_matmul, 1e-13 },
    { "fft, f64", check_fft, 1e-12 },
    { "sum by one thread and by all", check_threads, 0 },
};

tess_status selftest_run(job *j)
{
    char text[2][32];
    int  failed = 0;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        double error = 0;
        TESS_TRY(checks[i].check(&error));
        const bool good = error <= checks[i].allowed; /* not of NaN */
        failed += !good;
        (void)printf("%-4s %s: largest error %s, %s allowed\n", good ? "good" : "BAD", checks[i].name,
                     number_text(text[0], error), number_text(text[1], checks[i].allowed));
    }
    if (failed) j->exit_code = EXIT_DIFFERS;
    return TESS_OK;
}
