/* Scans: sums, products, minima and maxima: examples, special numbers, dtypes, what is rejected. */
#include <math.h>

#include "support/hooks.h"
#include "support/rows.h"

typedef tess_status scan_fn(tess_array *out, const tess_array *in, int axis, const tess_scan_opts *opts);

static const struct {
    scan_fn    *function;
    const char *name;
} scans[] = {
    { tess_cumsum, "cumsum" }, { tess_cumprod, "cumprod" }, { tess_cummin, "cummin" }, { tess_cummax, "cummax" }
};
enum { SCANS = 4 };

/* One operation on one row. */
static void check_row(scan_fn *scan, tess_dtype dtype, int n, const double *in, const double *want,
                      const tess_scan_opts *opts)
{
    tess_array a = row_of(dtype, n, in), out = { 0 };
    CHECK_OK(scan(&out, &a, 3, opts));
    CHECK(row_is(&out, n, want));
    if (a.dtype == out.dtype) {
        CHECK_OK(scan(&a, &a, -1, opts));
        CHECK(row_is(&a, n, want));
    }
    tess_release(&a);
    tess_release(&out);
}

/* ---- Values ---- */

TEST(examples)
{
    const double in[5] = { 3, -1, 4, 1, -5 };
    check_row(tess_cumsum, TESS_F64, 5, in, (double[]){ 3, 2, 6, 7, 2 }, NULL);
    check_row(tess_cumprod, TESS_I32, 5, in, (double[]){ 3, -3, -12, -12, 60 }, NULL);
    check_row(tess_cummin, TESS_F32, 5, in, (double[]){ 3, -1, -1, -1, -5 }, NULL);
    check_row(tess_cummax, TESS_I8, 5, in, (double[]){ 3, 3, 4, 4, 4 }, NULL);
}

TEST(reverse_goes_from_the_end)
{
    const tess_scan_opts opts = { .reverse = 1 };
    const double         in[4] = { 1, 2, 3, 4 };
    check_row(tess_cumsum, TESS_F32, 4, in, (double[]){ 10, 9, 7, 4 }, &opts);
    check_row(tess_cumprod, TESS_F64, 4, in, (double[]){ 24, 24, 12, 4 }, &opts);
    check_row(tess_cummax, TESS_U8, 4, in, (double[]){ 4, 4, 4, 4 }, &opts);
}

TEST(exclusive_leaves_each_element_out)
{
    const tess_scan_opts opts = { .exclusive = 1 }, both = { .exclusive = 1, .reverse = 1 };
    const double         in[4] = { 1, 2, 3, 4 };
    check_row(tess_cumsum, TESS_F64, 4, in, (double[]){ 0, 1, 3, 6 }, &opts);
    check_row(tess_cumprod, TESS_F32, 4, in, (double[]){ 1, 1, 2, 6 }, &opts);
    check_row(tess_cumsum, TESS_I64, 4, in, (double[]){ 9, 7, 4, 0 }, &both);
    check_row(tess_cummin, TESS_F64, 4, in, (double[]){ INFINITY, 1, 1, 1 }, &opts);
    check_row(tess_cummax, TESS_F16, 4, in, (double[]){ -INFINITY, 1, 2, 3 }, &opts);
    check_row(tess_cummin, TESS_I8, 4, in, (double[]){ 127, 1, 1, 1 }, &opts);
    check_row(tess_cummax, TESS_I16, 4, in, (double[]){ -32768, 1, 2, 3 }, &opts);
    check_row(tess_cummin, TESS_U16, 4, in, (double[]){ 65535, 1, 1, 1 }, &opts);
    check_row(tess_cummax, TESS_BOOL, 3, (double[]){ 0, 1, 0 }, (double[]){ 0, 0, 1 }, &opts);
    check_row(tess_cummin, TESS_BOOL, 3, (double[]){ 1, 0, 1 }, (double[]){ 1, 1, 0 }, &opts);
    check_row(tess_cumsum, TESS_F64, 1, in, (double[]){ 0 }, &opts);
}

TEST(infinities_stay)
{
    const double inf = INFINITY, nan = NAN;
    for (tess_dtype dtype = TESS_F32; dtype <= TESS_F64; dtype++) {
        check_row(tess_cumsum, dtype, 6, (double[]){ 1, inf, 2, 3, 4, 5 }, (double[]){ 1, inf, inf, inf, inf, inf },
                  NULL);
        check_row(tess_cumsum, dtype, 6, (double[]){ 1, 2, -inf, 3, inf, 4 }, (double[]){ 1, 3, -inf, -inf, nan, nan },
                  NULL);
        check_row(tess_cumsum, dtype, 4, (double[]){ 1, nan, 2, inf }, (double[]){ 1, nan, nan, nan }, NULL);
        check_row(tess_cummin, dtype, 4, (double[]){ 1, nan, 2, -inf }, (double[]){ 1, nan, nan, nan }, NULL);
        check_row(tess_cummax, dtype, 4, (double[]){ 1, inf, nan, 2 }, (double[]){ 1, inf, nan, nan }, NULL);
        check_row(tess_cumprod, dtype, 4, (double[]){ 2, inf, -1, 0 }, (double[]){ 2, inf, -inf, nan }, NULL);
    }
    check_row(tess_cumsum, TESS_F64, 3, (double[]){ 1e308, 1e308, -1e308 }, (double[]){ 1e308, inf, inf }, NULL);
}

TEST(signs_of_zero)
{
    check_row(tess_cumsum, TESS_F64, 3, (double[]){ -0.0, -0.0, 0.0 }, (double[]){ -0.0, -0.0, 0.0 }, NULL);
    check_row(tess_cumsum, TESS_F32, 3, (double[]){ -0.0, -0.0, 0.0 }, (double[]){ -0.0, -0.0, 0.0 }, NULL);
    check_row(tess_cummin, TESS_F64, 3, (double[]){ 0.0, -0.0, 0.0 }, (double[]){ 0.0, -0.0, -0.0 }, NULL);
    check_row(tess_cummax, TESS_F32, 3, (double[]){ -0.0, 0.0, -0.0 }, (double[]){ -0.0, 0.0, 0.0 }, NULL);
}

/* Large numbers that cancel, and many tenths: a plain sum would lose them. */
TEST(sums_of_f64_carry_their_errors)
{
    tess_array tenths = constant(TESS_F64, 1, 1, 1, 100000, 0.1), out = { 0 };
    check_row(tess_cumsum, TESS_F64, 4, (double[]){ 1, 1e100, 1, -1e100 }, (double[]){ 1, 1e100, 1e100, 2 }, NULL);
    CHECK_OK(tess_cumsum(&out, &tenths, 3, NULL));
    CHECK(value_at(&out, 0, 0, 0, 99999) == 10000.000000000000555); /* 100000 times the f64 next to 0.1 */
    tess_release(&tenths);
    tess_release(&out);
}

/* Also where a line is long enough to be cut, and an infinity comes late. */
TEST(infinities_stay_in_long_lines)
{
    for (int index = 0; index < 20000; index += 777) {
        tess_array a = constant(TESS_F64, 1, 1, 1, 20000, 1);
        CHECK_OK(tess_set_f64(&a, 0, 0, 0, index, (double)INFINITY));
        CHECK_OK(tess_cumsum(&a, &a, 3, NULL));
        const double *x = a.data;
        for (int i = 0; i < 20000; i++)
            if (!CHECK(x[i] == (i < index ? (double)(i + 1) : (double)INFINITY))) break;
        tess_release(&a);
    }
}

TEST(each_axis)
{
    tess_array a = constant(TESS_F32, 3, 4, 5, 6, 1), out = { 0 };
    for (int axis = 0; axis < 4; axis++) {
        CHECK_OK(tess_cumsum(&out, &a, axis, NULL));
        CHECK(value_at(&out, 2, 3, 4, 5) == (double)a.shape.dim[axis]);
        CHECK(value_at(&out, 0, 0, 0, 0) == 1);
        CHECK(value_at(&out, 1, 1, 1, 1) == 2);
    }
    tess_release(&a);
    tess_release(&out);
}

TEST(complex_numbers)
{
    const tess_c64 want[3] = { { 1, 1 }, { 4, 0 }, { 4, -2 } }, product[3] = { { 1, 1 }, { 4, 2 }, { 4, -8 } };
    tess_array     a = constant(TESS_C32, 1, 1, 1, 3, 0), sum = { 0 }, prod = { 0 };
    CHECK_OK(tess_set_c64(&a, 0, 0, 0, 0, (tess_c64){ 1, 1 }));
    CHECK_OK(tess_set_c64(&a, 0, 0, 0, 1, (tess_c64){ 3, -1 }));
    CHECK_OK(tess_set_c64(&a, 0, 0, 0, 2, (tess_c64){ 0, -2 }));
    CHECK_OK(tess_cumsum(&sum, &a, 3, NULL));
    CHECK_OK(tess_cumprod(&prod, &a, 3, NULL));
    for (int i = 0; i < 3; i++) {
        tess_c64 z = { 0, 0 };
        CHECK_OK(tess_get_c64(&z, &sum, 0, 0, 0, i));
        CHECK(z.re == want[i].re && z.im == want[i].im);
        CHECK_OK(tess_get_c64(&z, &prod, 0, 0, 0, i));
        CHECK(z.re == product[i].re && z.im == product[i].im);
    }
    tess_release(&a);
    tess_release(&sum);
    tess_release(&prod);
}

/* ---- Dtypes and outputs ---- */

TEST(dtypes_of_results)
{
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++) {
        tess_array       a = constant(dtype, 1, 1, 2, 3, 1), out = { 0 };
        const tess_kind  kind = tess_dtype_kind(dtype);
        const tess_dtype want = kind == TESS_KIND_BOOL || kind == TESS_KIND_INT ? TESS_I64
                                : kind == TESS_KIND_UINT                        ? TESS_U64
                                : dtype == TESS_F16                             ? TESS_F32
                                : dtype == TESS_C16                             ? TESS_C32
                                                                                : dtype;
        for (int k = 0; k < SCANS; k++) {
            if (kind == TESS_KIND_COMPLEX && k >= 2) continue;
            CHECK_OK(scans[k].function(&out, &a, 3, NULL));
            CHECK(out.dtype == (k < 2 ? want : dtype));
            tess_release(&out);
        }
        tess_release(&a);
    }
}

/* Into f64, sums of f32 are those of f64; into a small type they are clamped. */
TEST(results_are_converted_to_the_dtype_of_out)
{
    tess_array a = constant(TESS_F32, 1, 1, 1, 1000, 0), wide = constant(TESS_F64, 1, 1, 1, 1000, 0);
    tess_array small = constant(TESS_U8, 1, 1, 1, 1000, 0), z = constant(TESS_C64, 1, 1, 1, 1000, 0);
    CHECK_OK(tess_fill(&a, 0.1));
    CHECK_OK(tess_cumsum(&wide, &a, 3, NULL));
    CHECK(fabs(value_at(&wide, 0, 0, 0, 999) - 1000 * (double)0.1f) < 1e-13);
    CHECK_OK(tess_cumsum(&small, &wide, 3, NULL));
    CHECK(value_at(&small, 0, 0, 0, 999) == 255);
    CHECK_OK(tess_cumsum(&z, &a, 3, NULL));
    CHECK(value_at(&wide, 0, 0, 0, 999) == ((double *)z.data)[2 * 999] && ((double *)z.data)[2 * 999 + 1] == 0);
    tess_release(&a);
    tess_release(&wide);
    tess_release(&small);
    tess_release(&z);
}

TEST(integers_wrap)
{
    const double big[3] = { 9e18, 9e18, 1 };
    tess_array   a = row_of(TESS_I64, 3, big), out = { 0 };
    CHECK_OK(tess_cumsum(&out, &a, 3, NULL));
    CHECK_I64(((int64_t *)out.data)[2], (int64_t)((uint64_t)9000000000000000000 * 2 + 1));
    tess_release(&a);
    tess_release(&out);
}

TEST(empty_arrays)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 0, 3, 4), TESS_F16, tess_cpu()));
    for (int k = 0; k < SCANS; k++)
        for (int axis = 0; axis < 4; axis++) {
            tess_array out = { 0 };
            CHECK_OK(scans[k].function(&out, &a, axis, &(tess_scan_opts){ .exclusive = 1 }));
            CHECK_DIMS(out.shape, 2, 0, 3, 4);
            tess_release(&out);
        }
    tess_release(&a);
}

TEST(asynchronous_streams_keep_what_they_need)
{
    tess_stream *stream = NULL;
    tess_array   a = constant(TESS_F64, 1, 1, 100, 2000, 1), out = { 0 };
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_cumsum(&out, &a, 3, NULL));
    CHECK_OK(tess_cumsum(&out, &out, 2, NULL));
    tess_release(&a);
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(value_at(&out, 0, 0, 99, 1999) == 200000);
    tess_release(&out);
    tess_stream_free(stream);
}

/* ---- What is rejected ---- */

TEST(bad_arguments)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 }, other = numbers(TESS_F32, 1, 1, 4, 3);
    tess_array locked = read_only(numbers(TESS_F32, 1, 1, 3, 4)), gpu = on_gpu(a), still = { 0 };
    tess_array wide = constant(TESS_F32, 1, 1, 3, 8, 0), part = { 0 }, repeated = { 0 };
    tess_array unmade = { 0 };
    CHECK_OK(tess_slice(&part, &wide, 3, 0, 4, 1));
    CHECK_OK(tess_slice(&still, &wide, 3, 1, 5, 1));
    CHECK_OK(tess_slice(&repeated, &wide, 3, 0, 1, 1));
    CHECK_OK(tess_broadcast(&repeated, &repeated, a.shape));
    for (int k = 0; k < SCANS; k++) {
        scan_fn    *scan = scans[k].function;
        const char *name = scans[k].name;
        CHECK_FAILS(scan(NULL, &a, 0, NULL), TESS_EARG, name, "out is NULL");
        CHECK_FAILS(scan(&out, NULL, 0, NULL), TESS_EARG, name, "in is NULL");
        CHECK_FAILS(scan(&out, &unmade, 0, NULL), TESS_EARG, name, "in ");
        CHECK_FAILS(scan(&out, &a, 4, NULL), TESS_ERANGE, name, "axis is 4");
        CHECK_FAILS(scan(&out, &a, -5, NULL), TESS_ERANGE, name, "axis is -5");
        CHECK_FAILS(scan(&out, &a, TESS_W, NULL), TESS_ERANGE, name, "axis is 128");
        CHECK_FAILS(scan(&other, &a, 0, NULL), TESS_ESHAPE, name, "out has shape {1,1,4,3}", "{1,1,3,4}");
        CHECK_FAILS(scan(&locked, &a, 0, NULL), TESS_EWRITE, name, "out");
        CHECK_FAILS(scan(&repeated, &a, 0, NULL), TESS_EWRITE, name, "out");
        CHECK_FAILS(scan(&part, &still, 0, NULL), TESS_EALIAS, name, "out", "in");
        CHECK_FAILS(scan(&out, &gpu, 0, NULL), TESS_EDEVICE, name);
        CHECK_FAILS(scan(&out, &a, 0, &(tess_scan_opts){ .exclusive = 2 }), TESS_ERANGE, name, "exclusive is 2");
        CHECK_FAILS(scan(&out, &a, 0, &(tess_scan_opts){ .reverse = -1 }), TESS_ERANGE, name, "reverse is -1");
        CHECK_FAILS(scan(&out, &a, 0, &(tess_scan_opts){ .reserved = { 0, 1 } }), TESS_EARG, name, "reserved");
        CHECK(is_zeroed(&out));
    }
    tess_release(&a);
    tess_release(&other);
    tess_release(&locked);
    tess_release(&wide);
}

TEST(bad_dtypes)
{
    tess_array z = constant(TESS_C32, 1, 1, 2, 3, 1), f = numbers(TESS_F32, 1, 1, 2, 3), out = { 0 };
    tess_array v = constant(TESS_VEC2_F32, 1, 1, 2, 3, 1);
    for (int k = 0; k < SCANS; k++) {
        CHECK_FAILS(scans[k].function(&out, &v, 0, NULL), TESS_EDTYPE, scans[k].name, "in is vec2_f32",
                    "real or complex");
        CHECK_FAILS(scans[k].function(&v, &f, 0, NULL), TESS_EDTYPE, scans[k].name, "out is vec2_f32");
    }
    CHECK_FAILS(tess_cummin(&out, &z, 0, NULL), TESS_EDTYPE, "cummin: in is c32", "no order");
    CHECK_FAILS(tess_cummax(&out, &z, 0, NULL), TESS_EDTYPE, "cummax: in is c32", "no order");
    CHECK_FAILS(tess_cumsum(&f, &z, 0, NULL), TESS_EDTYPE, "cumsum: out is f32", "the result is c32");
    CHECK_FAILS(tess_cumprod(&f, &z, 0, NULL), TESS_EDTYPE, "cumprod: out is f32", "the result is c32");
    CHECK(is_zeroed(&out));
    tess_release(&z);
    tess_release(&f);
    tess_release(&v);
}

static hooks h;

TEST(allocations_that_fail)
{
    tess_array   a = numbers(TESS_F32, 1, 1, 30, 40), out = { 0 };
    tess_stream *stream = NULL;
    hooks_on(&h);
    atomic_store(&h.for_good, true);
    for (int k = 0; k < SCANS; k++) {
        atomic_store(&h.calls, 0);
        atomic_store(&h.fail_at, 1);
        CHECK_FAILS(scans[k].function(&out, &a, 0, NULL), TESS_ENOMEM, scans[k].name, "memory", "bytes");
        CHECK(is_zeroed(&out));
    }
    atomic_store(&h.fail_at, 0);
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    for (int at = 1; at <= 2; at++) { /* the array, the queue */
        atomic_store(&h.calls, 0);
        atomic_store(&h.fail_at, at);
        CHECK_FAILS(tess_cumsum(&out, &a, 0, NULL), TESS_ENOMEM, "memory", "bytes");
        CHECK(is_zeroed(&out));
    }
    atomic_store(&h.fail_at, 0);
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(stream);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    tess_release(&a);
}
