/* Reductions: examples, dtypes and outputs, empty arrays, streams, failing memory, everything that is rejected. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/gate.h"
#include "support/hooks.h"
#include "support/rows.h"
#include "support/sanitizers.h"

enum { NUMBER_BYTES = 4 * sizeof(int64_t) }; /* what a host form writes at most */

/* ---- All functions in one form, without options ---- */

typedef tess_status one_fn(tess_array *out, const tess_array *in, int axes);
typedef tess_status pair_fn(tess_array *x, tess_array *y, const tess_array *in, int axes);
typedef tess_status two_fn(tess_array *out, const tess_array *a, const tess_array *b, int axes);
typedef tess_status host_fn(void *out, const tess_array *in);
typedef tess_status host_two_fn(void *out, const tess_array *a, const tess_array *b);

#define ONE(name)                                                                                                      \
    static tess_status one_##name(tess_array *out, const tess_array *in, int axes)                                     \
    {                                                                                                                  \
        return tess_##name(out, in, axes, NULL);                                                                       \
    }
ONE(sum)
ONE(prod)
ONE(mean)
ONE(var)
ONE(std)
ONE(norm)
ONE(min)
ONE(max)
ONE(argmin)
ONE(argmax)
ONE(logsumexp)

enum { ORDER = 1, ELEMENTS = 2 }; /* what a function needs: numbers that have an order; at least one */

static const struct {
    one_fn     *function;
    const char *name;
    int         needs;
} ones[] = {
    { one_sum, "sum", 0 },
    { one_prod, "prod", 0 },
    { one_mean, "mean", ELEMENTS },
    { one_var, "var", 0 },
    { one_std, "std", 0 },
    { one_norm, "norm", 0 },
    { one_min, "min", ORDER | ELEMENTS },
    { one_max, "max", ORDER | ELEMENTS },
    { one_argmin, "argmin", ORDER | ELEMENTS },
    { one_argmax, "argmax", ORDER | ELEMENTS },
    { one_logsumexp, "logsumexp", ORDER },
    { tess_any, "any", 0 },
    { tess_all, "all", 0 },
    { tess_count_nonzero, "count_nonzero", 0 },
};
enum { ONES = sizeof ones / sizeof *ones };

#define PAIR(name)                                                                                                     \
    static tess_status pair_##name(tess_array *x, tess_array *y, const tess_array *in, int axes)                       \
    {                                                                                                                  \
        return tess_##name(x, y, in, axes, NULL);                                                                      \
    }
PAIR(mean_var)
PAIR(mean_std)
PAIR(minmax)

static const struct {
    pair_fn    *function;
    const char *name, *first, *second;
} pairs[] = {
    { pair_mean_var, "mean_var", "mean", "var" },
    { pair_mean_std, "mean_std", "mean", "std" },
    { pair_minmax, "minmax", "min", "max" },
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static tess_status two_dot(tess_array *out, const tess_array *a, const tess_array *b, int axes)
{
    return tess_dot(out, a, b, axes, NULL);
}

static const struct {
    two_fn     *function;
    const char *name, *first, *second;
} twos[] = {
    { two_dot, "dot", "a", "b" },
    { tess_weighted_mean, "weighted_mean", "in", "weights" },
    { tess_rmsd, "rmsd", "a", "b" },
};
enum { TWOS = sizeof twos / sizeof *twos };

#define HOST(name)                                                                                                     \
    static tess_status host_##name(void *out, const tess_array *in) { return tess_host_##name(out, in); }
HOST(sum)
HOST(sum_int)
HOST(sum_complex)
HOST(prod)
HOST(prod_complex)
HOST(mean)
HOST(mean_complex)
HOST(min)
HOST(max)
HOST(min_int)
HOST(max_int)
HOST(sum_uint)
HOST(min_uint)
HOST(max_uint)
HOST(nansum)
HOST(nanprod)
HOST(nanmean)
HOST(nanmin)
HOST(nanmax)
HOST(nanlogsumexp)
HOST(any)
HOST(all)
HOST(count_nonzero)
HOST(logsumexp)

static tess_status host_var(void *out, const tess_array *in) { return tess_host_var(out, in, NULL); }
static tess_status host_std(void *out, const tess_array *in) { return tess_host_std(out, in, NULL); }
static tess_status host_norm(void *out, const tess_array *in) { return tess_host_norm(out, in, NULL); }
static tess_status host_mean_std(void *out, const tess_array *in)
{
    double *number = out;
    return tess_host_mean_std(number, number ? number + 1 : NULL, in, NULL);
}
static tess_status host_minmax(void *out, const tess_array *in)
{
    double *number = out;
    return tess_host_minmax(number, number ? number + 1 : NULL, in);
}
static tess_status host_nanminmax(void *out, const tess_array *in)
{
    double *number = out;
    return tess_host_nanminmax(number, number ? number + 1 : NULL, in);
}
static tess_status host_argmin(void *out, const tess_array *in) { return tess_host_argmin(out, NULL, in); }
static tess_status host_argmax(void *out, const tess_array *in) { return tess_host_argmax(out, NULL, in); }

enum { REAL = 4, INTEGER = 8 }; /* further needs */

static const struct {
    host_fn    *function;
    const char *name;
    int         needs;
    const char *out;
} hosts[] = {
    { host_sum, "host_sum", REAL, "out" },
    { host_sum_int, "host_sum_int", REAL | INTEGER, "out" },
    { host_sum_complex, "host_sum_complex", 0, "out" },
    { host_prod, "host_prod", REAL, "out" },
    { host_prod_complex, "host_prod_complex", 0, "out" },
    { host_mean, "host_mean", REAL | ELEMENTS, "out" },
    { host_mean_complex, "host_mean_complex", ELEMENTS, "out" },
    { host_var, "host_var", 0, "out" },
    { host_std, "host_std", 0, "out" },
    { host_mean_std, "host_mean_std", REAL | ELEMENTS, "mean" },
    { host_norm, "host_norm", 0, "out" },
    { host_min, "host_min", REAL | ELEMENTS, "out" },
    { host_max, "host_max", REAL | ELEMENTS, "out" },
    { host_min_int, "host_min_int", REAL | INTEGER | ELEMENTS, "out" },
    { host_max_int, "host_max_int", REAL | INTEGER | ELEMENTS, "out" },
    { host_minmax, "host_minmax", REAL | ELEMENTS, "min" },
    { host_sum_uint, "host_sum_uint", REAL | INTEGER, "out" },
    { host_min_uint, "host_min_uint", REAL | INTEGER | ELEMENTS, "out" },
    { host_max_uint, "host_max_uint", REAL | INTEGER | ELEMENTS, "out" },
    { host_nansum, "host_nansum", REAL, "out" },
    { host_nanprod, "host_nanprod", REAL, "out" },
    { host_nanmean, "host_nanmean", REAL | ELEMENTS, "out" },
    { host_nanmin, "host_nanmin", REAL | ELEMENTS, "out" },
    { host_nanmax, "host_nanmax", REAL | ELEMENTS, "out" },
    { host_nanminmax, "host_nanminmax", REAL | ELEMENTS, "min" },
    { host_nanlogsumexp, "host_nanlogsumexp", REAL, "out" },
    { host_any, "host_any", 0, "out" },
    { host_all, "host_all", 0, "out" },
    { host_count_nonzero, "host_count_nonzero", 0, "out" },
    { host_logsumexp, "host_logsumexp", REAL, "out" },
    { host_argmin, "host_argmin", REAL | ELEMENTS, "position" },
    { host_argmax, "host_argmax", REAL | ELEMENTS, "position" },
};
enum { HOSTS = sizeof hosts / sizeof *hosts };

#define HOST_TWO(name)                                                                                                 \
    static tess_status host_##name(void *out, const tess_array *a, const tess_array *b)                                \
    {                                                                                                                  \
        return tess_host_##name(out, a, b);                                                                            \
    }
HOST_TWO(dot)
HOST_TWO(dot_complex)
HOST_TWO(rmsd)

static const struct {
    host_two_fn *function;
    const char  *name;
} host_twos[] = { { host_dot, "host_dot" }, { host_dot_complex, "host_dot_complex" }, { host_rmsd, "host_rmsd" } };
enum { HOST_TWOS = sizeof host_twos / sizeof *host_twos };

/* ---- Helpers ---- */

/* Equal but for the last bits. */
static bool same_number(double got, double want)
{
    return got == want || fabs(got - want) <= 4e-16 * fabs(want) || (isnan(got) && isnan(want));
}

/* Every element is poison: a failing call must leave it. */
static tess_array poisoned(int64_t h, int64_t w) { return constant(TESS_F64, 1, 1, h, w, -77); }

static bool all_bytes_are(const unsigned char *bytes, size_t n, unsigned char value)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != value) return false;
    return true;
}

/* ---- Examples ---- */

static void check_ones(const double want[ONES], tess_dtype dtype, int n, const double *values)
{
    tess_array a = row_of(dtype, n, values);
    for (int k = 0; k < ONES; k++) {
        tess_array out = constant(TESS_F64, 1, 1, 1, 1, -77);
        CHECK_OK(ones[k].function(&out, &a, 0));
        const double got = value_at(&out, 0, 0, 0, 0);
        if (!same_number(got, want[k]))
            (void)test_failed(__FILE__, __LINE__, "%s of %s is %.17g, not %.17g", ones[k].name, tess_dtype_name(dtype),
                              got, want[k]);
        tess_release(&out);
    }
    tess_release(&a);
}

TEST(examples)
{
    const double deviation = sqrt(1.25), four = log(exp(-3) + exp(-2) + exp(-1) + 1) + 4;
    for (tess_dtype dtype = TESS_F16; dtype <= TESS_F64; dtype++)
        check_ones((double[]){ 10, 24, 2.5, 1.25, deviation, sqrt(30), 1, 4, 2, 0, four, 1, 1, 4 }, dtype, 4,
                   (double[]){ 4, 2, 1, 3 });
    for (tess_dtype dtype = TESS_I8; dtype <= TESS_U64; dtype++)
        check_ones((double[]){ 10, 24, 2.5, 1.25, deviation, sqrt(30), 1, 4, 2, 0, four, 1, 1, 4 }, dtype, 4,
                   (double[]){ 4, 2, 1, 3 });
    check_ones((double[]){ 1, 0, 0.5, 0.25, 0.5, 1, 0, 1, 0, 1, log(1 + exp(-1)) + 1, 1, 0, 1 }, TESS_BOOL, 2,
               (double[]){ 0, 1 });
}

TEST(special_numbers)
{
    const double inf = INFINITY, nan = NAN;
    for (tess_dtype dtype = TESS_F16; dtype <= TESS_F64; dtype++) {
        check_ones((double[]){ nan, nan, nan, nan, nan, nan, nan, nan, 1, 1, nan, 1, 0, 2 }, dtype, 3,
                   (double[]){ 0, nan, inf });
        check_ones((double[]){ inf, inf, inf, nan, nan, inf, 1, inf, 0, 1, inf, 1, 1, 2 }, dtype, 2,
                   (double[]){ 1, inf });
        check_ones((double[]){ -inf, inf, -inf, nan, nan, inf, -inf, -inf, 0, 0, -inf, 1, 1, 2 }, dtype, 2,
                   (double[]){ -inf, -inf });
        check_ones((double[]){ nan, -inf, nan, nan, nan, inf, -inf, inf, 0, 1, inf, 1, 1, 2 }, dtype, 2,
                   (double[]){ -inf, inf });
    }
}

TEST(signs_of_zero)
{
    tess_array a = row_of(TESS_F32, 3, (double[]){ 0.0, -0.0, 0.0 });
    int64_t    position[4], flat;
    double     low = 1, high = -1;
    CHECK_OK(tess_host_min(&low, &a));
    CHECK_OK(tess_host_max(&high, &a));
    CHECK(low == 0 && signbit(low));
    CHECK(high == 0 && !signbit(high));
    CHECK_OK(tess_host_argmin(position, &flat, &a));
    CHECK_I64(flat, 0);
    tess_release(&a);
}

TEST(options)
{
    tess_array a = row_of(TESS_F64, 4, (double[]){ 1, NAN, -3, 5 }), out = constant(TESS_F64, 1, 1, 1, 1, 0);
    CHECK_OK(tess_sum(&out, &a, 0, &(tess_sum_opts){ .skip_nan = 1, .compensated = 1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 3);
    CHECK_OK(tess_mean(&out, &a, 0, &(tess_sum_opts){ .skip_nan = 1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 1);
    CHECK_OK(tess_prod(&out, &a, 0, &(tess_reduce_opts){ .skip_nan = 1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == -15);
    CHECK_OK(tess_var(&out, &a, 0, &(tess_var_opts){ .skip_nan = 1, .ddof = 1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 16);
    CHECK_OK(tess_std(&out, &a, 0, &(tess_var_opts){ .skip_nan = 1, .ddof = 3 }));
    CHECK(isnan(value_at(&out, 0, 0, 0, 0)));
    CHECK_OK(tess_norm(&out, &a, 0, &(tess_norm_opts){ .skip_nan = 1, .order = TESS_NORM_L1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 9);
    CHECK_OK(tess_norm(&out, &a, 0, &(tess_norm_opts){ .skip_nan = 1, .order = TESS_NORM_MAX }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 5);
    CHECK_OK(tess_argmin(&out, &a, 0, &(tess_argmin_opts){ .skip_nan = 1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 2);
    CHECK_OK(tess_fill(&a, (double)NAN));
    CHECK_OK(tess_argmax(&out, &a, 0, &(tess_argmin_opts){ .skip_nan = 1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == -1);
    CHECK_OK(tess_mean(&out, &a, 0, &(tess_sum_opts){ .skip_nan = 1 }));
    CHECK(isnan(value_at(&out, 0, 0, 0, 0)));
    CHECK_OK(tess_logsumexp(&out, &a, 0, &(tess_reduce_opts){ .skip_nan = 1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == -(double)INFINITY);
    tess_release(&a);
    tess_release(&out);
}

TEST(two_inputs)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), w = row_of(TESS_I8, 4, (double[]){ 1, 0, 0, 3 }), out = { 0 };
    double     number = 0;
    CHECK_OK(tess_dot(&out, &a, &w, TESS_W, NULL));
    CHECK(out.dtype == TESS_F32 && value_at(&out, 0, 0, 2, 0) == 8 + 3 * 11);
    CHECK_OK(tess_weighted_mean(&out, &a, &w, TESS_W));
    CHECK(value_at(&out, 0, 0, 1, 0) == (4 + 3 * 7) / 4.0);
    CHECK_OK(tess_rmsd(&out, &a, &tess_num(1), TESS_W));
    CHECK(value_at(&out, 0, 0, 0, 0) == (double)(float)sqrt(6.0 / 4));
    CHECK_OK(tess_host_dot(&number, &tess_num(2), &w));
    CHECK(number == 8);
    CHECK_OK(tess_host_rmsd(&number, &w, &w));
    CHECK(number == 0);
    tess_release(&a);
    tess_release(&w);
    tess_release(&out);
}

TEST(complex_numbers)
{
    tess_array a = constant(TESS_C32, 1, 1, 1, 2, 0), out = { 0 };
    double     z[2] = { 0, 0 }, number = 0;
    CHECK_OK(tess_set_c64(&a, 0, 0, 0, 0, (tess_c64){ 3, 4 }));
    CHECK_OK(tess_host_sum_complex(z, &a));
    CHECK(z[0] == 3 && z[1] == 4);
    CHECK_OK(tess_host_mean_complex(z, &a));
    CHECK(z[0] == 1.5 && z[1] == 2);
    CHECK_OK(tess_set_c64(&a, 0, 0, 0, 1, (tess_c64){ -1, 2 }));
    CHECK_OK(tess_host_prod_complex(z, &a));
    CHECK(z[0] == -11 && z[1] == 2);
    CHECK_OK(tess_set_c64(&a, 0, 0, 0, 1, (tess_c64){ 0, 0 }));
    CHECK_OK(tess_host_dot_complex(z, &a, &a));
    CHECK(z[0] == -7 && z[1] == 24);
    CHECK_OK(tess_host_var(&number, &a, NULL));
    CHECK(number == 6.25);
    CHECK_OK(tess_host_norm(&number, &a, NULL));
    CHECK(number == 5);
    CHECK_OK(tess_std(&out, &a, 0, NULL));
    CHECK(out.dtype == TESS_F32 && value_at(&out, 0, 0, 0, 0) == 2.5);
    tess_release(&a);
    tess_release(&out);
}

/* ---- Outputs ---- */

TEST(dtypes_of_results)
{
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++) {
        const tess_kind  kind = tess_dtype_kind(dtype);
        const bool       z = kind == TESS_KIND_COMPLEX, integral = kind < TESS_KIND_FLOAT;
        const tess_dtype real = integral || dtype == TESS_F64 || dtype == TESS_C64 ? TESS_F64 : TESS_F32;
        const tess_dtype mean = !z ? real : real == TESS_F64 ? TESS_C64 : TESS_C32;
        const tess_dtype sum = !integral ? mean : kind == TESS_KIND_UINT ? TESS_U64 : TESS_I64;
        const tess_dtype want[ONES] = { sum,   sum,      mean,     real, real,      real,      dtype,
                                        dtype, TESS_I64, TESS_I64, real, TESS_BOOL, TESS_BOOL, TESS_I64 };
        tess_array       a = constant(dtype, 2, 1, 3, 4, 1), out = { 0 }, other = { 0 };
        for (int k = 0; k < ONES; k++) {
            if (z && ones[k].needs & ORDER) continue;
            CHECK_OK(ones[k].function(&out, &a, TESS_H | TESS_W));
            CHECK(out.dtype == want[k]);
            CHECK_DIMS(out.shape, 2, 1, 1, 1);
            tess_release(&out);
        }
        for (int k = 0; k < (z ? PAIRS - 1 : PAIRS); k++) {
            CHECK_OK(pairs[k].function(&out, &other, &a, TESS_B));
            CHECK(out.dtype == (k < 2 ? mean : dtype) && other.dtype == (k < 2 ? real : dtype));
            CHECK_DIMS(out.shape, 1, 1, 3, 4);
            tess_release(&out);
            tess_release(&other);
        }
        tess_release(&a);
    }
}

TEST(results_are_converted_to_the_dtype_of_out)
{
    tess_array a = constant(TESS_F32, 1, 1, 1, 1000, 0), wide = constant(TESS_F64, 1, 1, 1, 1, 0);
    tess_array small = constant(TESS_U8, 1, 1, 1, 1, 0), z = constant(TESS_C64, 1, 1, 1, 1, 9);
    CHECK_OK(tess_fill(&a, 0.1));
    CHECK_OK(tess_sum(&wide, &a, 0, NULL));
    CHECK(fabs(value_at(&wide, 0, 0, 0, 0) - 1000 * (double)0.1f) < 1e-12);
    CHECK_OK(tess_fill(&a, 7));
    CHECK_OK(tess_sum(&small, &a, 0, NULL));
    CHECK(value_at(&small, 0, 0, 0, 0) == 255);
    CHECK_OK(tess_mean(&z, &a, 0, NULL));
    CHECK(((double *)z.data)[0] == 7 && ((double *)z.data)[1] == 0);
    tess_release(&a);
    tess_release(&wide);
    tess_release(&small);
    tess_release(&z);
}

TEST(integers_wrap)
{
    tess_array a = row_of(TESS_I64, 3, (double[]){ 9e18, 9e18, 1 });
    int64_t    sum = 0;
    CHECK_OK(tess_host_sum_int(&sum, &a));
    CHECK_I64(sum, (int64_t)((uint64_t)9000000000000000000 * 2 + 1));
    tess_release(&a);
}

/* What i64 or u64 does not hold is rejected, and the output stays as it was. */
TEST(integers_beyond_the_type)
{
    tess_array  large = constant(TESS_U64, 1, 1, 1, 2, 0), low = row_of(TESS_I8, 3, (double[]){ -7, 2, 1 });
    tess_array *bytes = &(tess_array){ 0 };
    int64_t     i = 5;
    uint64_t    u = 5;
    ((uint64_t *)large.data)[0] = UINT64_MAX - 2;
    ((uint64_t *)large.data)[1] = 1;
    CHECK_FAILS(tess_host_sum_int(&i, &large), TESS_ERANGE,
                "host_sum_int: the result is 18446744073709551614; the maximum of i64 is 9223372036854775807; use "
                "tess_host_sum_uint");
    CHECK_FAILS(tess_host_max_int(&i, &large), TESS_ERANGE, "host_max_int", "18446744073709551613",
                "tess_host_max_uint");
    CHECK_FAILS(tess_host_sum_uint(&u, &low), TESS_ERANGE,
                "host_sum_uint: the result is -4, below the range of u64; use tess_host_sum_int");
    CHECK_FAILS(tess_host_min_uint(&u, &low), TESS_ERANGE, "host_min_uint", "-7", "tess_host_min_int");
    CHECK(i == 5 && u == 5);
    CHECK_OK(tess_host_min_int(&i, &large));
    CHECK_I64(i, 1);
    CHECK_OK(tess_host_sum_uint(&u, &large));
    CHECK(u == UINT64_MAX - 1);
    CHECK_OK(tess_host_max_uint(&u, &large));
    CHECK(u == UINT64_MAX - 2);
    CHECK_OK(tess_host_min_uint(&u, &large));
    CHECK(u == 1);
    CHECK_OK(tess_host_max_uint(&u, &low));
    CHECK(u == 2);
    CHECK_OK(tess_host_min_int(&i, &low));
    CHECK_I64(i, -7);
    CHECK_OK(tess_host_sum_int(&i, &low));
    CHECK_I64(i, -4);
    CHECK_OK(tess_greater(bytes, &low, &tess_num(0)));
    CHECK_OK(tess_host_sum_uint(&u, bytes));
    CHECK(u == 2);
    tess_release(&large);
    tess_release(&low);
    tess_release(bytes);
}

TEST(host_forms_without_nans)
{
    tess_array a = row_of(TESS_F32, 4, (double[]){ 2, NAN, -3, 5 }), i = row_of(TESS_I16, 2, (double[]){ 4, -6 });
    double     x = 0, y = 0;
    CHECK_OK(tess_host_nansum(&x, &a));
    CHECK(x == 4);
    CHECK_OK(tess_host_nanprod(&x, &a));
    CHECK(x == -30);
    CHECK_OK(tess_host_nanmean(&x, &a));
    CHECK(x == 4.0 / 3);
    CHECK_OK(tess_host_nanmin(&x, &a));
    CHECK_OK(tess_host_nanmax(&y, &a));
    CHECK(x == -3 && y == 5);
    CHECK_OK(tess_host_minmax(&x, &y, &a));
    CHECK(isnan(x) && isnan(y));
    CHECK_OK(tess_host_nanminmax(&x, &y, &a));
    CHECK(x == -3 && y == 5);
    CHECK_OK(tess_host_minmax(&x, &y, &i));
    CHECK(x == -6 && y == 4);
    CHECK_OK(tess_host_nanlogsumexp(&x, &a));
    CHECK(fabs(x - log(exp(2) + exp(-3) + exp(5))) < 1e-6);
    CHECK_OK(tess_host_nansum(&x, &i));
    CHECK(x == -2);
    CHECK_OK(tess_fill(&a, (double)NAN));
    CHECK_OK(tess_host_nansum(&x, &a));
    CHECK_OK(tess_host_nanprod(&y, &a));
    CHECK(x == 0 && y == 1);
    CHECK_OK(tess_host_nanmean(&x, &a));
    CHECK_OK(tess_host_nanmin(&y, &a));
    CHECK(isnan(x) && isnan(y));
    CHECK_OK(tess_host_nanlogsumexp(&x, &a));
    CHECK(x == -(double)INFINITY);
    tess_release(&a);
    tess_release(&i);
}

TEST(indices)
{
    tess_array a = constant(TESS_I16, 2, 3, 4, 5, 7), turned = { 0 };
    int64_t    position[4], flat = -1;
    CHECK_OK(tess_set_i64(&a, 1, 2, 0, 3, -9));
    CHECK_OK(tess_set_i64(&a, 0, 1, 3, 4, 9));
    CHECK_OK(tess_host_argmin(position, &flat, &a));
    CHECK(position[0] == 1 && position[1] == 2 && position[2] == 0 && position[3] == 3);
    CHECK_I64(flat, ((1 * 3 + 2) * 4 + 0) * 5 + 3);
    CHECK_OK(tess_permute(&turned, &a, 3, 2, 1, 0));
    CHECK_OK(tess_host_argmax(position, NULL, &turned));
    CHECK(position[0] == 4 && position[1] == 3 && position[2] == 1 && position[3] == 0);
    tess_release(&a);
}

/* ---- Several at once ---- */

/* As many words of state as there can be, for many results that are shared among threads. */
TEST(eight_variances_of_long_rows)
{
    tess_array     a = constant(TESS_C64, 1, 1, 57, 20000, 1), single = { 0 }, out[8] = { { .dtype = 0 } };
    tess_reduction items[8];
    CHECK_OK(tess_var(&single, &a, TESS_W, NULL));
    for (int threads = 1; threads <= 5; threads += 2) {
        CHECK_OK(tess_threads_set(threads));
        for (int k = 0; k < 8; k++) items[k] = (tess_reduction){ TESS_REDUCE_VAR, &out[k] };
        CHECK_OK(tess_reduce(items, 8, &a, TESS_W, NULL));
        for (int k = 0; k < 8; k++) CHECK(same_values(&out[k], &single));
    }
    CHECK_OK(tess_threads_set(0));
    for (int k = 0; k < 8; k++) tess_release(&out[k]);
    tess_release(&single);
    tess_release(&a);
}

TEST(reduce_refuses)
{
    tess_array           a = numbers(TESS_F32, 1, 1, 3, 4), x = { 0 }, y = { 0 }, z = constant(TESS_C32, 1, 1, 3, 4, 1);
    tess_array           kept = constant(TESS_F64, 1, 1, 1, 1, -77), none = { 0 };
    tess_reduction       items[9] = { { TESS_REDUCE_SUM, &x }, { TESS_REDUCE_MAX, &y } };
    const tess_reduction twice[2] = { { TESS_REDUCE_SUM, &x }, { TESS_REDUCE_MEAN, &x } };
    const tess_reduction twice_made[2] = { { TESS_REDUCE_SUM, &kept }, { TESS_REDUCE_MEAN, &kept } };
    CHECK_OK(tess_empty(&none, TESS_SHAPE(1, 1, 0, 4), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_reduce(items, 0, &a, 0, NULL), TESS_ERANGE, "reduce: n is 0", "1 to 8");
    CHECK_FAILS(tess_reduce(items, 9, &a, 0, NULL), TESS_ERANGE, "reduce: n is 9", "1 to 8");
    CHECK_FAILS(tess_reduce(items, -1, &a, 0, NULL), TESS_ERANGE, "reduce: n is -1");
    CHECK_FAILS(tess_reduce(NULL, 1, &a, 0, NULL), TESS_EARG, "reduce: items is NULL");
    CHECK_FAILS(tess_reduce(items, 2, NULL, 0, NULL), TESS_EARG, "reduce: in is NULL");
    CHECK_FAILS(tess_reduce(items, 2, &a, 1, NULL), TESS_ERANGE, "reduce: axes is 0x1", "TESS_W");
    CHECK_FAILS(tess_reduce(items, 2, &z, 0, NULL), TESS_EDTYPE, "reduce: in is c32", "order");
    CHECK_FAILS(tess_reduce(items, 2, &none, 0, NULL), TESS_ESHAPE, "reduce: in has shape {1,1,0,4}");
    CHECK_FAILS(tess_reduce(twice, 2, &a, 0, NULL), TESS_EALIAS, "reduce: items[1].out (",
                "memory with items[0].out (");
    CHECK_FAILS(tess_reduce(twice_made, 2, &a, 0, NULL), TESS_EALIAS, "reduce: items[1].out (",
                "memory with items[0].out (");
    CHECK_FAILS(tess_reduce(items, 2, &a, 0, &(tess_var_opts){ .skip_nan = 2 }), TESS_ERANGE,
                "reduce: opts->skip_nan is 2", "0 or 1");
    CHECK_FAILS(tess_reduce(items, 2, &a, 0, &(tess_var_opts){ .reserved = { 0, 1 } }), TESS_EARG, "reduce",
                "reserved");
    items[1].kind = 0;
    CHECK_FAILS(tess_reduce(items, 2, &a, 0, NULL), TESS_EARG, "reduce: items[1].kind is 0", "1 (sum)", "13");
    items[1].kind = 14;
    CHECK_FAILS(tess_reduce(items, 2, &a, 0, NULL), TESS_EARG, "reduce: items[1].kind is 14");
    items[1] = (tess_reduction){ TESS_REDUCE_MAX, NULL };
    CHECK_FAILS(tess_reduce(items, 2, &a, 0, NULL), TESS_EARG, "reduce: items[1].out is NULL");
    items[1].out = &a;
    CHECK_FAILS(tess_reduce(items, 2, &a, 0, NULL), TESS_ESHAPE, "reduce: items[1].out has shape {1,1,3,4}");
    CHECK(is_zeroed(&x) && is_zeroed(&y) && all_are(&kept, -77));
    tess_release(&a);
    tess_release(&z);
    tess_release(&kept);
    tess_release(&none);
}

/* ---- Empty arrays ---- */

TEST(reductions_of_nothing)
{
    const double want[ONES] = { 0, 1, NAN, NAN, NAN, 0, NAN, NAN, NAN, NAN, -INFINITY, 0, 1, 0 };
    tess_array   none = { 0 }, out = { 0 }, kept = { 0 };
    CHECK_OK(tess_empty(&none, TESS_SHAPE(2, 1, 0, 3), TESS_F32, tess_cpu()));
    for (int k = 0; k < ONES; k++) {
        if (ones[k].needs & ELEMENTS) {
            CHECK_FAILS(ones[k].function(&out, &none, TESS_H), TESS_ESHAPE, ones[k].name, "in has shape {2,1,0,3}");
            CHECK(is_zeroed(&out));
        } else {
            CHECK_OK(ones[k].function(&out, &none, TESS_H));
            CHECK_DIMS(out.shape, 2, 1, 1, 3);
            for (int w = 0; w < 3; w++) CHECK(same_number(value_at(&out, 1, 0, 0, w), want[k]));
            tess_release(&out);
        }
        CHECK_OK(ones[k].function(&kept, &none, TESS_W)); /* no results: nothing to be made of nothing */
        CHECK_DIMS(kept.shape, 2, 1, 0, 1);
        tess_release(&kept);
    }
    CHECK_FAILS(tess_rmsd(&out, &none, &none, TESS_H), TESS_ESHAPE, "rmsd", "{2,1,0,3}");
    CHECK_FAILS(tess_weighted_mean(&out, &none, &none, TESS_H), TESS_ESHAPE, "weighted_mean", "{2,1,0,3}");
    CHECK_FAILS(tess_minmax(&out, &kept, &none, TESS_H, NULL), TESS_ESHAPE, "minmax", "{2,1,0,3}");
    CHECK(is_zeroed(&out) && is_zeroed(&kept));
    CHECK_OK(tess_dot(&out, &none, &none, TESS_H, NULL));
    CHECK(all_are(&out, 0));
    tess_release(&out);
    tess_release(&none);
}

TEST(host_forms_of_nothing)
{
    unsigned char got[NUMBER_BYTES];
    tess_array    none = { 0 };
    CHECK_OK(tess_empty(&none, TESS_SHAPE(2, 1, 0, 3), TESS_I32, tess_cpu()));
    for (int k = 0; k < HOSTS; k++) {
        memset(got, 0x5a, sizeof got);
        if (hosts[k].needs & ELEMENTS) {
            CHECK_FAILS(hosts[k].function(got, &none), TESS_ESHAPE, hosts[k].name, "in has shape {2,1,0,3}");
            CHECK(all_bytes_are(got, sizeof got, 0x5a));
        } else {
            CHECK_OK(hosts[k].function(got, &none));
        }
    }
    CHECK_FAILS(tess_host_rmsd((double *)(void *)got, &none, &none), TESS_ESHAPE, "host_rmsd", "{2,1,0,3}");
    tess_release(&none);
}

/* ---- What is rejected: arrays ---- */

static void check_outputs_of(int k, const tess_array *a)
{
    const char *name = ones[k].name;
    tess_array  wrong = poisoned(3, 1), locked = read_only(poisoned(1, 4)), cell = poisoned(1, 1), repeated = { 0 };
    tess_array  compound = constant(TESS_VEC2_F32, 1, 1, 1, 4, 1), inside = { 0 };
    CHECK_OK(tess_broadcast(&repeated, &cell, TESS_SHAPE(1, 1, 1, 4)));
    repeated.flags = 0;
    CHECK_OK(tess_slice(&inside, a, 2, 1, 2, 1));
    CHECK_FAILS(ones[k].function(&wrong, a, TESS_H), TESS_ESHAPE, name, "out has shape {1,1,3,1}", "{1,1,1,4}");
    CHECK_FAILS(ones[k].function(&locked, a, TESS_H), TESS_EWRITE, name, "out is read-only");
    CHECK_FAILS(ones[k].function(&repeated, a, TESS_H), TESS_EWRITE, name, "out has shape {1,1,1,4}", "broadcast");
    CHECK_FAILS(ones[k].function(&inside, a, TESS_H), TESS_EALIAS, name, "out", "shares memory with in");
    CHECK_FAILS(ones[k].function(&compound, a, TESS_H), TESS_EDTYPE, name, "out is vec2_f32");
    CHECK(all_are(&wrong, -77) && all_are(&cell, -77) && all_are(&locked, -77));
    tess_release(&wrong);
    tess_release(&locked);
    tess_release(&cell);
    tess_release(&compound);
}

TEST(bad_arrays)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 }, unmade = { 0 }, gpu = on_gpu(a), same = { 0 };
    tess_array v = constant(TESS_VEC2_F32, 1, 1, 3, 4, 1), z = constant(TESS_C32, 1, 1, 3, 4, 1);
    CHECK_OK(tess_copy(&same, &a));
    for (int k = 0; k < ONES; k++) {
        const char *name = ones[k].name;
        CHECK_FAILS(ones[k].function(NULL, &a, 0), TESS_EARG, name, "out is NULL");
        CHECK_FAILS(ones[k].function(&out, NULL, 0), TESS_EARG, name, "in is NULL");
        CHECK_FAILS(ones[k].function(&out, &unmade, 0), TESS_EARG, name, "in ");
        CHECK_FAILS(ones[k].function(&out, &gpu, 0), TESS_EDEVICE, name);
        CHECK_FAILS(ones[k].function(&out, &v, 0), TESS_EDTYPE, name, "in is vec2_f32",
                    "a real or complex type is needed");
        for (int axis = 1; axis <= 3; axis++)
            CHECK_FAILS(ones[k].function(&out, &a, axis), TESS_ERANGE, name, "axes is 0x", "TESS_B", "TESS_W");
        CHECK_FAILS(ones[k].function(&out, &a, -1), TESS_ERANGE, name, "axes is 0xffffffff");
        CHECK_FAILS(ones[k].function(&out, &a, 0x100), TESS_ERANGE, name, "axes is 0x100");
        CHECK_FAILS(ones[k].function(&out, &a, TESS_W | 3), TESS_ERANGE, name, "axes is 0x83");
        if (ones[k].needs & ORDER) CHECK_FAILS(ones[k].function(&out, &z, 0), TESS_EDTYPE, name, "in is c32", "order");
        check_outputs_of(k, &a);
        CHECK(is_zeroed(&out) && same_values(&a, &same));
    }
    tess_release(&a);
    tess_release(&same);
    tess_release(&v);
    tess_release(&z);
}

TEST(complex_results_need_complex_outputs)
{
    tess_array z = constant(TESS_C32, 1, 1, 3, 4, 1), real = poisoned(1, 1), out = { 0 };
    CHECK_FAILS(tess_sum(&real, &z, 0, NULL), TESS_EDTYPE, "sum: out is f64", "the result is c32");
    CHECK_FAILS(tess_prod(&real, &z, 0, NULL), TESS_EDTYPE, "prod: out is f64", "the result is c32");
    CHECK_FAILS(tess_mean(&real, &z, 0, NULL), TESS_EDTYPE, "mean: out is f64", "the result is c32");
    CHECK_FAILS(tess_dot(&real, &z, &z, 0, NULL), TESS_EDTYPE, "dot: out is f64", "the result is c32");
    CHECK_FAILS(tess_weighted_mean(&real, &z, &tess_num(1), 0), TESS_EDTYPE, "weighted_mean: out is f64");
    CHECK_FAILS(tess_mean_var(&real, &out, &z, 0, NULL), TESS_EDTYPE, "mean_var: mean is f64");
    CHECK_FAILS(tess_minmax(&out, &real, &z, 0, NULL), TESS_EDTYPE, "minmax: in is c32");
    CHECK(is_zeroed(&out) && all_are(&real, -77));
    CHECK_OK(tess_var(&real, &z, 0, NULL));
    CHECK(all_are(&real, 0));
    tess_release(&z);
    tess_release(&real);
}

TEST(bad_pairs)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), x = { 0 }, y = { 0 }, wrong = poisoned(3, 1), good = poisoned(1, 1);
    tess_array unmade = { 0 }, locked = read_only(good), gpu = on_gpu(good), inside = { 0 };
    CHECK_OK(tess_subregion_text(&inside, &a, "0, 0, 1:2, 1:2"));
    for (int k = 0; k < PAIRS; k++) {
        pair_fn    *f = pairs[k].function;
        const char *name = pairs[k].name, *first = pairs[k].first, *second = pairs[k].second;
        CHECK_FAILS(f(NULL, &y, &a, 0), TESS_EARG, name, first, "is NULL");
        CHECK_FAILS(f(&x, NULL, &a, 0), TESS_EARG, name, second, "is NULL");
        CHECK_FAILS(f(&x, &y, NULL, 0), TESS_EARG, name, "in is NULL");
        CHECK_FAILS(f(&x, &y, &unmade, 0), TESS_EARG, name, "in ");
        CHECK_FAILS(f(&x, &y, &a, 2), TESS_ERANGE, name, "axes is 0x2");
        CHECK_FAILS(f(&wrong, &y, &a, 0), TESS_ESHAPE, name, first, "has shape {1,1,3,1}");
        CHECK_FAILS(f(&x, &wrong, &a, 0), TESS_ESHAPE, name, second, "has shape {1,1,3,1}");
        CHECK_FAILS(f(&x, &locked, &a, 0), TESS_EWRITE, name, second, "read-only");
        char far[32], over[32], both[32];
        (void)snprintf(far, sizeof far, "in is on cpu and %s on gpu:0", second);
        (void)snprintf(over, sizeof over, ": %s (", second);
        (void)snprintf(both, sizeof both, "shares memory with %s (", first);
        CHECK_FAILS(f(&x, &gpu, &a, 0), TESS_EDEVICE, name, far);
        CHECK_FAILS(f(&x, &inside, &a, 0), TESS_EALIAS, name, over, "shares memory with in (");
        CHECK_FAILS(f(&good, &good, &a, 0), TESS_EALIAS, name, over, both);
        CHECK_FAILS(f(&x, &x, &a, 0), TESS_EALIAS, name, over, both);
        CHECK(is_zeroed(&x) && is_zeroed(&y) && all_are(&wrong, -77) && all_are(&good, -77));
    }
    tess_release(&a);
    tess_release(&wrong);
    tess_release(&good);
}

TEST(bad_two)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), b = numbers(TESS_F32, 1, 1, 3, 5), out = { 0 }, unmade = { 0 };
    tess_array v = constant(TESS_VEC2_F32, 1, 1, 3, 4, 1), z = constant(TESS_C32, 1, 1, 3, 4, 1), gpu = on_gpu(a);
    tess_array wrong = poisoned(3, 1), inside = { 0 }, tall = numbers(TESS_F32, 2, 1, 3, 4);
    CHECK_OK(tess_subregion_text(&inside, &a, "0, 0, 1:2, 1:2"));
    for (int k = 0; k < TWOS; k++) {
        two_fn     *f = twos[k].function;
        const char *name = twos[k].name, *first = twos[k].first, *second = twos[k].second;
        CHECK_FAILS(f(NULL, &a, &a, 0), TESS_EARG, name, "out is NULL");
        CHECK_FAILS(f(&out, NULL, &a, 0), TESS_EARG, name, first, "is NULL");
        CHECK_FAILS(f(&out, &a, NULL, 0), TESS_EARG, name, second, "is NULL");
        CHECK_FAILS(f(&out, &unmade, &a, 0), TESS_EARG, name, first);
        CHECK_FAILS(f(&out, &a, &unmade, 0), TESS_EARG, name, second);
        CHECK_FAILS(f(&out, &a, &a, 3), TESS_ERANGE, name, "axes is 0x3");
        CHECK_FAILS(f(&out, &a, &b, 0), TESS_ESHAPE, name, second, "{1,1,3,5}", "{1,1,3,4}");
        CHECK_FAILS(f(&out, &v, &a, 0), TESS_EDTYPE, name, first, "vec2_f32");
        CHECK_FAILS(f(&out, &a, &v, 0), TESS_EDTYPE, name, second, "vec2_f32");
        char far[48];
        (void)snprintf(far, sizeof far, "%s is on gpu:0 and %s on cpu", second, first);
        CHECK_FAILS(f(&out, &a, &gpu, 0), TESS_EDEVICE, name, far);
        CHECK_FAILS(f(&wrong, &a, &a, 0), TESS_ESHAPE, name, "out has shape {1,1,3,1}");
        CHECK_FAILS(f(&inside, &a, &tall, 0), k == 1 ? TESS_ESHAPE : TESS_EALIAS, name);
        CHECK_FAILS(f(&inside, &tall, &a, 0), TESS_EALIAS, name, "shares memory with", second);
        CHECK(is_zeroed(&out) && all_are(&wrong, -77));
    }
    CHECK_FAILS(tess_dot(&inside, &a, &tall, 0, NULL), TESS_EALIAS, "dot", "shares memory with a (");
    CHECK_FAILS(tess_weighted_mean(&out, &a, &z, 0), TESS_EDTYPE, "weighted_mean: weights is c32", "real");
    CHECK_FAILS(tess_weighted_mean(&out, &a, &tall, 0), TESS_ESHAPE, "weighted_mean: weights has shape {2,1,3,4}");
    CHECK(is_zeroed(&out));
    tess_release(&a);
    tess_release(&b);
    tess_release(&v);
    tess_release(&z);
    tess_release(&wrong);
    tess_release(&tall);
}

TEST(bad_host_calls)
{
    unsigned char got[NUMBER_BYTES];
    tess_array    f = numbers(TESS_F32, 1, 1, 3, 4), z = constant(TESS_C32, 1, 1, 3, 4, 1), gpu = on_gpu(f);
    tess_array    v = constant(TESS_VEC2_F32, 1, 1, 3, 4, 1), i = numbers(TESS_I16, 1, 1, 3, 4), unmade = { 0 };
    double       *number = (double *)(void *)got;
    memset(got, 0x5a, sizeof got);
    for (int k = 0; k < HOSTS; k++) {
        const char *name = hosts[k].name;
        CHECK_FAILS(hosts[k].function(NULL, &i), TESS_EARG, name, hosts[k].out, "is NULL");
        CHECK_FAILS(hosts[k].function(got, NULL), TESS_EARG, name, "in is NULL");
        CHECK_FAILS(hosts[k].function(got, &unmade), TESS_EARG, name, "in ");
        CHECK_FAILS(hosts[k].function(got, &gpu), hosts[k].needs & INTEGER ? TESS_EDTYPE : TESS_EDEVICE, name);
        CHECK_FAILS(hosts[k].function(got, &v), TESS_EDTYPE, name, "in is vec2_f32");
        if (hosts[k].needs & INTEGER) CHECK_FAILS(hosts[k].function(got, &f), TESS_EDTYPE, name, "f32", "integers");
        if (hosts[k].needs & REAL) CHECK_FAILS(hosts[k].function(got, &z), TESS_EDTYPE, name, "in is c32");
    }
    for (int k = 0; k < HOST_TWOS; k++) {
        const char *name = host_twos[k].name;
        CHECK_FAILS(host_twos[k].function(NULL, &f, &f), TESS_EARG, name, "out is NULL");
        CHECK_FAILS(host_twos[k].function(got, NULL, &f), TESS_EARG, name, "a is NULL");
        CHECK_FAILS(host_twos[k].function(got, &f, NULL), TESS_EARG, name, "b is NULL");
        CHECK_FAILS(host_twos[k].function(got, &f, &unmade), TESS_EARG, name, "b ");
        CHECK_FAILS(host_twos[k].function(got, &f, &v), TESS_EDTYPE, name, "b is vec2_f32");
    }
    CHECK_FAILS(tess_host_dot(number, &f, &z), TESS_EDTYPE, "host_dot", "c32", "tess_host_dot_complex");
    CHECK_FAILS(tess_host_nansum(number, &z), TESS_EDTYPE, "host_nansum: in is c32", "the array form, with skip_nan");
    CHECK_FAILS(tess_host_mean_std(number, NULL, &f, NULL), TESS_EARG, "host_mean_std: std is NULL");
    CHECK_FAILS(tess_host_minmax(number, NULL, &f), TESS_EARG, "host_minmax: max is NULL");
    CHECK_FAILS(tess_host_nanminmax(number, NULL, &f), TESS_EARG, "host_nanminmax: max is NULL");
    CHECK(all_bytes_are(got, sizeof got, 0x5a));
    tess_release(&f);
    tess_release(&z);
    tess_release(&v);
    tess_release(&i);
}

/* ---- The last of equal elements ---- */

TEST(the_last_of_equal_elements)
{
    float                  data[12] = { 1, 3, 3, 0, 3, 0, 2, 2, 2, 2, (float)NAN, 2 };
    const tess_argmin_opts last = { .last = 1 }, skip = { .last = 1, .skip_nan = 1 };
    tess_array             a = { 0 }, out = { 0 }, small = { 0 }, b;
    int64_t                i64[3];
    CHECK_OK(tess_wrap(&a, data, TESS_SHAPE(1, 1, 3, 4), TESS_F32, NULL));
    CHECK_OK(tess_argmax(&out, &a, TESS_W, &last));
    CHECK(out.dtype == TESS_I64);
    memcpy(i64, out.data, sizeof i64);
    CHECK(i64[0] == 2 && i64[1] == 0 && i64[2] == 2);
    CHECK_OK(tess_argmax(&out, &a, TESS_W, &skip));
    memcpy(i64, out.data, sizeof i64);
    CHECK(i64[0] == 2 && i64[1] == 0 && i64[2] == 3);
    CHECK_OK(tess_empty(&small, TESS_SHAPE(1, 1, 3, 1), TESS_U8, tess_cpu())); /* converted, as it always is */
    CHECK_OK(tess_argmin(&small, &a, TESS_W, &skip));
    CHECK(memcmp(small.data, (uint8_t[]){ 3, 1, 3 }, 3) == 0);
    tess_release(&out);
    CHECK_OK(tess_reverse(&b, &a, TESS_H | TESS_W));
    CHECK_OK(tess_argmax(&out, &b, 0, &skip));
    CHECK(value_at(&out, 0, 0, 0, 0) == 10);
    CHECK_OK(tess_argmax(&out, &tess_num(3), 0, &last));
    CHECK(value_at(&out, 0, 0, 0, 0) == 0);
    tess_release(&out);
    CHECK_FAILS(tess_argmin(NULL, &a, 0, &last), TESS_EARG, "argmin: out is NULL");
    CHECK_FAILS(tess_argmin(&out, NULL, 0, &last), TESS_EARG, "argmin: in is NULL");
    CHECK_FAILS(tess_argmin(&out, &a, 3, &last), TESS_ERANGE, "argmin: axes is 0x3");
    CHECK_FAILS(tess_argmin(&out, &tess_c32(1, 2), 0, &last), TESS_EDTYPE, "argmin: in is c32");
    tess_array empty = numbers(TESS_F32, 2, 1, 0, 3);
    CHECK_FAILS(tess_argmin(&out, &empty, TESS_H, &last), TESS_ESHAPE, "argmin: in has shape {2,1,0,3}");
    CHECK(is_zeroed(&out));
    tess_release(&empty);
    CHECK_FAILS(tess_argmax(&small, &a, 0, &last), TESS_ESHAPE, "argmax: out has shape {1,1,3,1}", "{1,1,1,1}");
    CHECK_FAILS(tess_argmax(&a, &a, 0, &last), TESS_ESHAPE, "argmax: out has shape {1,1,3,4}");
    tess_release(&small);
}

TEST(the_last_of_equal_elements_on_a_stream)
{
    tess_array   a = numbers(TESS_I32, 1, 1, 700, 700), out = { 0 };
    tess_stream *stream = NULL;
    CHECK_OK(tess_fill(&a, 7));
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_argmin(&out, &a, 0, &(tess_argmin_opts){ .last = 1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 700 * 700 - 1);
    CHECK_OK(tess_stream_set_current(tess_stream_default(tess_cpu())));
    tess_stream_free(stream);
    tess_release(&out);
    tess_release(&a);
}

/* ---- Compensated sums in loops of the caller's ---- */

static double compensated(const double *x, int64_t n)
{
    tess_compensated total = tess_compensated_zero();
    for (int64_t i = 0; i < n; i++) tess_compensated_add(&total, x[i]);
    return tess_compensated_sum(&total);
}

TEST(compensated_sums_keep_what_additions_lose)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    CHECK(compensated(NULL, 0) == 0);
    CHECK(compensated((double[]){ 1, 1e100, 1, -1e100 }, 4) == 2); /* Kahan's own gives 0 */
    CHECK(compensated((double[]){ 1, 0x1p-53, 0x1p-53 }, 3) == 1 + 0x1p-52);
    CHECK(compensated((double[]){ 1, inf, 2 }, 3) == inf);
    CHECK(compensated((double[]){ -inf, 1 }, 2) == -inf);
    CHECK(isnan(compensated((double[]){ inf, -inf }, 2)));
    CHECK(isnan(compensated((double[]){ 1, nan }, 2)));
}

TEST(compensated_sums_are_merged)
{
    enum { N = 100000, PARTS = 7 };
    tess_array       a = { 0 };
    tess_compensated total = tess_compensated_zero();
    double           want = 0;
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, N), TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1e6, 5, NULL));
    const double *x = a.data;
    for (int k = 0; k < PARTS; k++) {
        tess_compensated part = tess_compensated_zero();
        for (int64_t i = k; i < N; i += PARTS) tess_compensated_add(&part, x[i]);
        tess_compensated_merge(&total, &part);
    }
    tess_array out = { 0 };
    CHECK_OK(tess_sum(&out, &a, 0, &(tess_sum_opts){ .compensated = 1 }));
    want = value_at(&out, 0, 0, 0, 0);
    CHECK(fabs(tess_compensated_sum(&total) - want) <= 0x1p-52 * fabs(want));
    tess_release(&out);
    tess_release(&a);
}

/* ---- What is rejected: options ---- */

#define CHECK_BAD_FLAG(name, opts, field)                                                                              \
    do {                                                                                                               \
        CHECK_FAILS(tess_##name(&out, &a, 0, &(opts){ .field = 2 }), TESS_ERANGE, #name ": opts->" #field " is 2",     \
                    "0 or 1");                                                                                         \
        CHECK_FAILS(tess_##name(&out, &a, 0, &(opts){ .field = -1 }), TESS_ERANGE, #name ": opts->" #field " is -1");  \
        CHECK_FAILS(tess_##name(&out, &a, 0, &(opts){ .reserved = { [4] = 1 } }), TESS_EARG,                           \
                    #name ": opts->reserved");                                                                         \
    } while (0)

TEST(bad_options)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 }, other = { 0 };
    CHECK_BAD_FLAG(sum, tess_sum_opts, skip_nan);
    CHECK_BAD_FLAG(sum, tess_sum_opts, compensated);
    CHECK_BAD_FLAG(mean, tess_sum_opts, skip_nan);
    CHECK_BAD_FLAG(mean, tess_sum_opts, compensated);
    CHECK_BAD_FLAG(prod, tess_reduce_opts, skip_nan);
    CHECK_BAD_FLAG(min, tess_reduce_opts, skip_nan);
    CHECK_BAD_FLAG(max, tess_reduce_opts, skip_nan);
    CHECK_BAD_FLAG(argmin, tess_argmin_opts, skip_nan);
    CHECK_BAD_FLAG(argmax, tess_argmin_opts, skip_nan);
    CHECK_BAD_FLAG(argmin, tess_argmin_opts, last);
    CHECK_BAD_FLAG(argmax, tess_argmin_opts, last);
    CHECK_BAD_FLAG(logsumexp, tess_reduce_opts, skip_nan);
    CHECK_BAD_FLAG(var, tess_var_opts, skip_nan);
    CHECK_BAD_FLAG(std, tess_var_opts, skip_nan);
    CHECK_BAD_FLAG(norm, tess_norm_opts, skip_nan);
    CHECK_FAILS(tess_norm(&out, &a, 0, &(tess_norm_opts){ .order = 4 }), TESS_EARG, "norm: opts->order is 4", "l2");
    CHECK_FAILS(tess_norm(&out, &a, 0, &(tess_norm_opts){ .order = -1 }), TESS_EARG, "norm: opts->order is -1");
    CHECK_FAILS(tess_mean_var(&out, &other, &a, 0, &(tess_var_opts){ .skip_nan = 3 }), TESS_ERANGE,
                "mean_var: opts->skip_nan is 3");
    CHECK_FAILS(tess_mean_std(&out, &other, &a, 0, &(tess_var_opts){ .reserved = { 1 } }), TESS_EARG,
                "mean_std: opts->reserved");
    CHECK_FAILS(tess_minmax(&out, &other, &a, 0, &(tess_reduce_opts){ .skip_nan = 3 }), TESS_ERANGE,
                "minmax: opts->skip_nan is 3");
    CHECK_FAILS(tess_dot(&out, &a, &a, 0, &(tess_sum_opts){ .compensated = 3 }), TESS_ERANGE,
                "dot: opts->compensated is 3");
    CHECK_FAILS(tess_dot(&out, &a, &a, 0, &(tess_sum_opts){ .reserved = { 1 } }), TESS_EARG, "dot: opts->reserved");
    CHECK(is_zeroed(&out) && is_zeroed(&other));
    tess_release(&a);
}

TEST(bad_options_of_host_forms)
{
    const tess_var_opts  flag = { .skip_nan = 2 }, tail = { .reserved = { 1 } };
    const tess_norm_opts order = { .order = 9 };
    tess_array           a = numbers(TESS_F32, 1, 1, 3, 4);
    double               x = -77, y = -77;
    CHECK_FAILS(tess_host_var(&x, &a, &flag), TESS_ERANGE, "host_var: opts->skip_nan is 2");
    CHECK_FAILS(tess_host_std(&x, &a, &flag), TESS_ERANGE, "host_std: opts->skip_nan is 2");
    CHECK_FAILS(tess_host_mean_std(&x, &y, &a, &tail), TESS_EARG, "host_mean_std: opts->reserved");
    CHECK_FAILS(tess_host_norm(&x, &a, &order), TESS_EARG, "host_norm: opts->order is 9");
    CHECK(x == -77 && y == -77);
    tess_release(&a);
}

/* ---- Streams and threads ---- */

typedef struct results {
    tess_array one[ONES], x[PAIRS], y[PAIRS], two[TWOS];
} results;

static void reduce_all(results *r, const tess_array *a, const tess_array *b)
{
    for (int k = 0; k < ONES; k++) CHECK_OK(ones[k].function(&r->one[k], a, TESS_B | TESS_W));
    for (int k = 0; k < PAIRS; k++) CHECK_OK(pairs[k].function(&r->x[k], &r->y[k], a, TESS_H));
    for (int k = 0; k < TWOS; k++) CHECK_OK(twos[k].function(&r->two[k], a, b, 0));
}

enum { RESULTS = sizeof(results) / sizeof(tess_array) };

static tess_array *result_at(results *r, int k) { return (tess_array *)(void *)r + k; }

TEST(asynchronous_streams_keep_what_they_need)
{
    static results now, later;
    static gate    g;
    tess_stream   *stream = NULL;
    tess_array     a = numbers(TESS_F32, 3, 1, 40, 50), b = constant(TESS_F64, 1, 1, 40, 1, 2), keep = { 0 };
    CHECK_OK(tess_copy(&keep, &a));
    reduce_all(&now, &a, &b);
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    if (gate_close(&g, stream)) {
        CHECK_OK(tess_stream_set_current(stream));
        reduce_all(&later, &a, &b);
        tess_release(&a);
        tess_release(&b);
        gate_open(&g);
        CHECK_OK(tess_stream_sync(stream));
        CHECK_OK(tess_stream_set_current(NULL));
        for (int k = 0; k < RESULTS; k++)
            CHECK(memcmp(result_at(&now, k)->data, result_at(&later, k)->data,
                         (size_t)tess_n_bytes(result_at(&now, k))) == 0);
    }
    for (int k = 0; k < RESULTS; k++) {
        tess_release(result_at(&now, k));
        tess_release(result_at(&later, k));
    }
    tess_release(&keep);
    tess_stream_free(stream);
}

TEST(host_forms_wait_for_the_current_stream)
{
    tess_stream *stream = NULL;
    tess_array   a = constant(TESS_F64, 1, 1, 300, 400, 1);
    double       number = 0, std = 1;
    int64_t      position[4], flat = -1;
    bool         yes = false;
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    for (int round = 2; round < 20; round++) {
        CHECK_OK(tess_fill(&a, round));
        CHECK_OK(tess_host_sum(&number, &a));
        CHECK(number == 120000.0 * round);
        CHECK_OK(tess_fill(&a, -round));
        CHECK_OK(tess_host_mean_std(&number, &std, &a, NULL));
        CHECK(number == -round && std == 0);
        CHECK_OK(tess_host_argmin(position, &flat, &a));
        CHECK_I64(flat, 0);
        CHECK_OK(tess_host_all(&yes, &a));
        CHECK(yes);
        CHECK_OK(tess_host_dot(&number, &a, &tess_num(2)));
        CHECK(number == -240000.0 * round);
    }
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(stream);
    tess_release(&a);
}

typedef struct caller {
    const tess_array *a;
    double            sum, std;
    bool              good;
} caller;

static void *call_often(void *context)
{
    caller *c = context;
    c->good = true;
    for (int i = 0; i < 50 && c->good; i++) {
        double     sum = 0, mean = 0, std = 0;
        tess_array out = { 0 };
        c->good = tess_host_sum(&sum, c->a) == TESS_OK && tess_host_mean_std(&mean, &std, c->a, NULL) == TESS_OK &&
                  tess_max(&out, c->a, TESS_W, NULL) == TESS_OK && sum == c->sum && std == c->std;
        tess_release(&out);
    }
    return NULL;
}

TEST(many_threads_at_once)
{
    enum { CALLERS = 4 };
    pthread_t  thread[CALLERS];
    caller     c[CALLERS];
    tess_array a = numbers(TESS_F32, 1, 1, 300, 400);
    double     sum = 0, std = 0;
    CHECK_OK(tess_host_sum(&sum, &a));
    CHECK_OK(tess_host_std(&std, &a, NULL));
    for (int k = 0; k < CALLERS; k++) {
        c[k] = (caller){ &a, sum, std, false };
        CHECK(pthread_create(&thread[k], NULL, call_often, &c[k]) == 0);
    }
    for (int k = 0; k < CALLERS; k++) {
        CHECK(pthread_join(thread[k], NULL) == 0);
        CHECK(c[k].good);
    }
    tess_release(&a);
}

/* ---- Memory that fails ---- */

static hooks h;

/* Function k of all: outputs x and y (which most have not). */
static tess_status call_one_of(int k, tess_array *x, tess_array *y, const tess_array *a)
{
    if (k < ONES) return ones[k].function(x, a, TESS_W);
    if (k < ONES + PAIRS) return pairs[k - ONES].function(x, y, a, TESS_W);
    return twos[k - ONES - PAIRS].function(x, a, a, TESS_W);
}

/* Allocation `at` of function k fails: a clear status, outputs as they were. False once none is left to fail. */
static bool fail_once(int k, int at, const tess_array *a)
{
    tess_array x = { 0 }, y = { 0 };
    atomic_store(&h.calls, 0);
    atomic_store(&h.fired, 0);
    atomic_store(&h.fail_at, at);
    const tess_status status = call_one_of(k, &x, &y, a);
    atomic_store(&h.fail_at, 0);
    const bool fired = atomic_load(&h.fired) > 0;
    if (fired) {
        CHECK_FAILS(status, TESS_ENOMEM, "memory", "bytes");
        CHECK(is_zeroed(&x) && is_zeroed(&y));
    } else {
        CHECK_OK(status);
    }
    CHECK_OK(tess_stream_sync(tess_stream_current(tess_cpu())));
    tess_release(&x);
    tess_release(&y);
    return fired;
}

static void torture(bool async)
{
    tess_stream *stream = NULL;
    tess_array   a = numbers(TESS_F32, 1, 1, 2, 70000);
    CHECK_OK(tess_threads_set(5)); /* parts of a result are kept in memory of their own */
    hooks_on(&h);
    if (async) CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    if (async) CHECK_OK(tess_stream_set_current(stream));
    for (int k = 0; k < ONES + PAIRS + TWOS; k++) {
        int at = 1;
        while (at < 50 && fail_once(k, at, &a)) at++;
        CHECK(at > 1 && at < 50);
    }
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(stream);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    CHECK_I64(atomic_load(&h.wrong), 0);
    CHECK_OK(tess_threads_set(0));
    tess_release(&a);
}

TEST(allocations_that_fail) { torture(false); }
TEST(allocations_that_fail_on_an_asynchronous_stream) { torture(true); }

/* A made output, and the number of a host form, stay as they were. */
TEST(failing_memory_leaves_outputs_alone)
{
    tess_array a = numbers(TESS_F32, 1, 1, 2, 70000), out = poisoned(2, 1);
    double     number = -77;
    CHECK_OK(tess_threads_set(5));
    hooks_on(&h);
    atomic_store(&h.for_good, true);
    atomic_store(&h.calls, 0);
    atomic_store(&h.fail_at, 1);
    const tess_status array_form = tess_var(&out, &a, TESS_W, NULL), host_form = tess_host_sum(&number, &a);
    atomic_store(&h.fail_at, 0);
    atomic_store(&h.for_good, false);
    CHECK(array_form == TESS_OK || (array_form == TESS_ENOMEM && all_are(&out, -77)));
    CHECK(host_form == TESS_OK || (host_form == TESS_ENOMEM && number == -77));
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    CHECK_OK(tess_threads_set(0));
    tess_release(&a);
    tess_release(&out);
}

/* ---- Stack ---- */

/* Numbers that are far from 0, so that variances go the longest way. */
static void set_far(tess_array *a)
{
    tess_array x = { 0 };
    CHECK_OK(tess_empty(&x, a->shape, TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < tess_n_elements(&x); i++) ((double *)x.data)[i] = 20000 + (double)(i * 7 % 13);
    CHECK_OK(tess_cast(a, &x, a->dtype, NULL));
    tess_release(&x);
}

static void reduce_on_little_stack(const tess_array *a)
{
    static const int axes[] = { TESS_H, TESS_W, TESS_H | TESS_W };
    for (int i = 0; i < 3; i++) {
        tess_array out = { 0 }, other = { 0 };
        CHECK_OK(tess_sum(&out, a, axes[i], NULL));
        CHECK_OK(tess_max(&out, a, axes[i], NULL));
        CHECK_OK(tess_dot(&out, a, a, axes[i], NULL));
        tess_release(&out);
        CHECK_OK(tess_norm(&out, a, axes[i], NULL));
        CHECK_OK(tess_logsumexp(&out, a, axes[i], NULL));
        tess_release(&out);
        CHECK_OK(tess_mean_std(&out, &other, a, axes[i], NULL));
        tess_release(&out);
        CHECK_OK(tess_empty(&out, other.shape, TESS_F64, tess_cpu()));
        CHECK_OK(tess_var(&out, a, axes[i], NULL));
        tess_release(&out), tess_release(&other);
    }
}

static void *on_little_stack(void *context)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_I16, TESS_F16 };
    (void)context;
    for (int i = 0; i < 4; i++) {
        tess_array a = { 0 }, turned;
        CHECK_OK(tess_empty(&a, tess_shape_of(1, 1, 40, 4096), dtypes[i], tess_cpu()));
        set_far(&a);
        reduce_on_little_stack(&a);
        CHECK_OK(tess_permute(&turned, &a, 0, 1, 3, 2));
        reduce_on_little_stack(&turned);
        tess_release(&a);
    }
    return NULL;
}

/* Sanitizers, and builds that are not optimized, need more of the stack. */
#ifdef __OPTIMIZE__
#define PLAIN_FRAMES (!ADDRESS_SANITIZER && !THREAD_SANITIZER)
#else
#define PLAIN_FRAMES false
#endif

enum {
    STACK = 256 << 10, /* of the thread, more than some systems want at least */
    USABLE = 72 << 10  /* of it: 64 KiB, as docs/streams.md says, and what the C library keeps there */
};

/* What is not usable cannot be touched. */
TEST(little_stack)
{
    const size_t   page = (size_t)sysconf(_SC_PAGESIZE), guard = (STACK - USABLE) / page * page;
    void          *stack = NULL;
    pthread_attr_t attributes;
    pthread_t      thread;
    if (!PLAIN_FRAMES) {
        test_skip("this build needs more of the stack than others");
        return;
    }
    CHECK(posix_memalign(&stack, page, STACK) == 0);
    CHECK(mprotect(stack, guard, PROT_NONE) == 0);
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstack(&attributes, stack, STACK) == 0);
    CHECK_OK(tess_threads_set(1));
    CHECK(pthread_create(&thread, &attributes, on_little_stack, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_OK(tess_threads_set(0));
    (void)pthread_attr_destroy(&attributes);
    CHECK(mprotect(stack, guard, PROT_READ | PROT_WRITE) == 0);
    free(stack);
}

/* ---- Outputs of two dtypes ---- */

/* Each is what its own function gives, also where the mean has more digits. */
TEST(variances_beside_wider_means)
{
    tess_array a = { 0 }, mean = { 0 }, var = { 0 }, alone = { 0 };
    for (int turned = 0; turned < 2; turned++) {
        const int axes = turned ? TESS_W : TESS_H;
        CHECK_OK(tess_empty(&a, turned ? tess_shape_of(1, 1, 20000, 40) : tess_shape_of(1, 1, 40, 20000), TESS_F32,
                            tess_cpu()));
        for (int64_t i = 0; i < tess_n_elements(&a); i++)
            ((float *)a.data)[i] = (float)(1000 + 0.0031 * (double)(i * 7919 % 1009));
        CHECK_OK(tess_var(&alone, &a, axes, NULL));
        CHECK_OK(tess_empty(&mean, alone.shape, TESS_F64, tess_cpu()));
        CHECK_OK(tess_mean_var(&mean, &var, &a, axes, NULL));
        CHECK(var.dtype == TESS_F32 && memcmp(var.data, alone.data, (size_t)tess_n_bytes(&var)) == 0);
        tess_release(&a), tess_release(&mean), tess_release(&var), tess_release(&alone);
    }
}
