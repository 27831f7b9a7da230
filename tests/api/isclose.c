/* Equality within tolerances: each kind of tolerance, units of dtypes, bad arguments; more pairs are in tests/oracle. */
#include "support/rows.h"

static void release_all(tess_array *x, int n)
{
    for (int k = 0; k < n; k++) tess_release(&x[k]);
}

static void check_close(const tess_array *x, const tess_array *y, const tess_isclose_opts *opts, const bool *want)
{
    tess_array out = { 0 };
    bool       all = true, result = false;
    if (CHECK_OK(tess_isclose(&out, x, y, opts)) && CHECK(out.dtype == TESS_BOOL)) {
        CHECK(memcmp(out.data, want, (size_t)tess_n_elements(&out)) == 0);
        for (int64_t i = 0; i < tess_n_elements(&out); i++) all &= want[i];
    }
    CHECK_OK(tess_allclose(&result, x, y, opts));
    CHECK(result == all);
    tess_release(&out);
}

/* isclose of the operator language, from text and compiled, is the function's. */
TESS_EWISE(close_compiled, (in(f64, x), in(f64, y), val(f64, r), val(f64, a), out(bool, preset), out(bool, z)),
           preset = tessm_isclose(x, y);
           z = tessm_isclose(x, y, r, a);)

static void check_text(const char *text, const tess_array *x, const tess_array *y, double rtol, double atol)
{
    tess_array want[2] = { { .data = NULL }, { .data = NULL } }, got[2] = { { .data = NULL }, { .data = NULL } };
    tess_op   *op = NULL;
    CHECK_OK(tess_isclose(&want[0], x, y, NULL));
    CHECK_OK(tess_isclose(&want[1], x, y, &(tess_isclose_opts){ .rtol = rtol, .atol = atol }));
    const size_t n = (size_t)tess_n_elements(&want[0]);
    for (int k = 0; k < 2; k++) CHECK_OK(tess_empty(&got[k], want[k].shape, TESS_BOOL, tess_cpu()));
    if (text && CHECK_OK(tess_op_text(&op, text))) CHECK_OK(tess_call(op, x, y, rtol, atol, &got[0], &got[1]));
    if (!text) CHECK_OK(tess_call(&close_compiled, x, y, rtol, atol, &got[0], &got[1]));
    for (int k = 0; k < 2; k++) CHECK(memcmp(got[k].data, want[k].data, n) == 0);
    tess_op_release(op);
    release_all(want, 2);
    release_all(got, 2);
}

TEST(the_operator_language_has_the_same_equality)
{
    static const char   reals[] = "op f(in T x, in T y, val f64 r, val f64 a, out bool p, out bool z)"
                                  "{ p = isclose(x, y); z = isclose(x, y, r, a); }";
    static const double some[] = { 0,
                                   1,
                                   1.000001,
                                   1.1,
                                   -1,
                                   1e-9,
                                   1e300,
                                   -1.7e308,
                                   1.7e308,
                                   0x1p1000,
                                   3e-310,
                                   (double)INFINITY,
                                   -(double)INFINITY,
                                   (double)NAN };
    enum { N = sizeof some / sizeof *some };
    double left[N * N], right[N * N];
    for (int i = 0; i < N * N; i++) left[i] = some[i / N], right[i] = some[i % N];
    static const double     tolerances[][2] = { { 0.2, 0 }, { 0, 0.1 }, { 1.5, 0 }, { 0, 0.6e308 }, { 2, 1e308 } };
    static const tess_dtype dtypes[] = { TESS_F64, TESS_F32, TESS_F16, TESS_I32 };
    for (int d = 0; d < 4; d++) {
        tess_array x = row_of(dtypes[d], N * N, left), y = row_of(dtypes[d], N * N, right), z = { 0 }, w = { 0 };
        for (int t = 0; t < 5; t++) {
            check_text(reals, &x, &y, tolerances[t][0], tolerances[t][1]);
            if (d == 0) check_text(NULL, &x, &y, tolerances[t][0], tolerances[t][1]);
        }
        if (d < 2) {
            CHECK_OK(tess_complex(&z, &x, &y));
            CHECK_OK(tess_complex(&w, &y, &y));
            for (int t = 0; t < 5; t++) check_text(reals, &z, &w, tolerances[t][0], tolerances[t][1]);
        }
        tess_release(&x);
        tess_release(&y);
        tess_release(&z);
        tess_release(&w);
    }
}

TESS_EWISE(where_compiled, (in(f32, x), out(f32, z)), z = tessm_where(x > 1, x, -x);)

/* isclose(x + isclose(x + … isclose(x, 1.0) …, 1.0), 1.0): each argument is checked and computed once. */
TEST(closeness_within_closeness)
{
    enum { DEPTH = 60, N = 4 };
    static char         text[64 + 40 * DEPTH];
    static const double values[N] = { 0, 1, 0.5, 2 };
    tess_array          x = row_of(TESS_F64, N, values), got = { 0 };
    tess_op            *op = NULL;
    int                 n = snprintf(text, sizeof text, "op f(in f64 x, out bool z) { z = ");
    for (int i = 1; i < DEPTH; i++) n += snprintf(text + n, sizeof text - (size_t)n, "isclose(x + ");
    n += snprintf(text + n, sizeof text - (size_t)n, "isclose(x, 1.0)");
    for (int i = 1; i < DEPTH; i++) n += snprintf(text + n, sizeof text - (size_t)n, ", 1.0)");
    (void)snprintf(text + n, sizeof text - (size_t)n, "; }");
    if (CHECK_OK(tess_op_text(&op, text)) && CHECK_OK(tess_call(op, &x, &got)))
        for (int i = 0; i < N; i++) {
            int want = tessm_isclose(values[i], 1);
            for (int k = 1; k < DEPTH; k++) want = tessm_isclose(values[i] + want, 1);
            CHECK(((bool *)got.data)[i] == (want != 0));
        }
    tess_op_release(op);
    CHECK_FAILS(tess_op_parse(&op, text, strlen(text), &(tess_op_parse_opts){ .max_nodes = 700 }), TESS_EPARSE,
                "more than 700 nodes");
    release_all((tess_array[]){ x, got }, 2);
}

/* In functions, before and behind others. */
TEST(closeness_in_functions)
{
    tess_array x = row_of(TESS_F32, 4, (double[]){ 0.5, 1, 2, 3 }), got = { 0 };
    tess_op   *op = NULL;
    CHECK_OK(tess_op_text(&op, "fn f32 twice(f32 x) { return 2*x; }"
                               "fn bool near(f32 x, f32 y) { return isclose(twice(x), y); }"
                               "fn f32 thrice(f32 x) { return 3*x; }"
                               "op f(in f32 x, out i32 z) {"
                               "    z = (i32)near(x, 4.0f) + 2*(i32)isclose(thrice(x), 9.0f, 1e-3, 0)"
                               "        + 4*(i32)isclose((f64)x, 1.0); }"));
    CHECK_OK(tess_call(op, &x, &got));
    CHECK(memcmp(got.data, (int32_t[]){ 0, 4, 1, 2 }, 16) == 0);
    tess_op_release(op);
    release_all((tess_array[]){ x, got }, 2);
}

TEST(the_operator_language_has_where)
{
    tess_array x = row_of(TESS_F32, 4, (double[]){ 0.5, 1, 2, 3 }), text = { 0 }, compiled = { 0 }, zero = { 0 };
    tess_op   *op = NULL;
    CHECK_OK(tess_op_text(&op, "op f(in f32 x, out f32 z) { z = where(x > 1, x, -x); }"));
    CHECK_OK(tess_call(op, &x, &text));
    CHECK_OK(tess_call(&where_compiled, &x, &compiled));
    CHECK(memcmp(text.data, (float[]){ -0.5F, -1, 2, 3 }, 16) == 0);
    CHECK(memcmp(compiled.data, text.data, 16) == 0);
    CHECK_FAILS(tess_op_text(&op, "op f(in f32 x, out f32 z) { z = where(x > 1, x); }"), TESS_EPARSE,
                "'where' has 2 arguments here; it needs 3");
    tess_op_release(op);
    release_all((tess_array[]){ x, text, compiled, zero }, 4);
}

TEST(equality_within_tolerances)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    tess_array   x = row_of(TESS_F64, 7, (double[]){ 1, 2, 3, nan, inf, inf, 0x1.8p1023 });
    tess_array   y =
        row_of(TESS_F64, 7, (double[]){ 1 + 1e-9, 2.1, 3 + 0x1p-51, nan, inf, -inf, 0x1.8000000000001p1023 });
    check_close(&x, &y, NULL, (bool[]){ 1, 0, 1, 0, 1, 0, 1 });
    check_close(&x, &y, &(tess_isclose_opts){ .ulps = 1 }, (bool[]){ 0, 0, 1, 0, 1, 0, 1 });
    check_close(&x, &y, &(tess_isclose_opts){ .atol = 0.2, .equal_nan = 1 }, (bool[]){ 1, 1, 1, 1, 1, 0, 0 });
    check_close(&x, &y, &(tess_isclose_opts){ .rtol = 0x1p-52 }, (bool[]){ 0, 0, 1, 0, 1, 0, 1 });
    check_close(&x, &x, &(tess_isclose_opts){ .equal_nan = 1 }, (bool[]){ 1, 1, 1, 1, 1, 1, 1 });
    check_close(&x, &tess_num(1), &(tess_isclose_opts){ .atol = 1 }, (bool[]){ 1, 1, 0, 0, 0, 0, 0 });
    tess_release(&x);
    tess_release(&y);
}

/* The relative tolerance is of y; the unit is that of the larger number, in the dtype that both meet in. */
TEST(units_of_the_common_dtype)
{
    tess_array half = row_of(TESS_F16, 3, (double[]){ 1, 0x1p-24, 2048 });
    tess_array near = row_of(TESS_F16, 3, (double[]){ 1 + 0x1p-10, 0, 2050 });
    tess_array wide = row_of(TESS_F32, 3, (double[]){ 1 + 0x1p-10, 0, 2050 });
    tess_array i = row_of(TESS_I32, 3, (double[]){ 5, -7, 100 }), k = row_of(TESS_U8, 3, (double[]){ 6, 0, 98 });
    tess_array a = row_of(TESS_F32, 1, (double[]){ 1 }), b = row_of(TESS_F32, 1, (double[]){ 2 });
    tess_array z = constant(TESS_C32, 1, 1, 1, 2, 3), w = constant(TESS_C32, 1, 1, 1, 2, 3);
    check_close(&half, &near, &(tess_isclose_opts){ .ulps = 1 }, (bool[]){ 1, 1, 1 });
    check_close(&half, &wide, &(tess_isclose_opts){ .ulps = 1 }, (bool[]){ 0, 0, 0 });
    check_close(&i, &k, &(tess_isclose_opts){ .ulps = 2 }, (bool[]){ 1, 0, 1 });
    check_close(&a, &b, &(tess_isclose_opts){ .rtol = 0.5 }, (bool[]){ 1 });
    check_close(&b, &a, &(tess_isclose_opts){ .rtol = 0.5 }, (bool[]){ 0 });
    CHECK_OK(tess_set_c64(&w, 0, 0, 0, 0, (tess_c64){ 3.3, 0.4 }));
    CHECK_OK(tess_set_c64(&w, 0, 0, 0, 1, (tess_c64){ 3, (double)INFINITY }));
    check_close(&z, &w, &(tess_isclose_opts){ .atol = 0.501 }, (bool[]){ 1, 0 });
    check_close(&z, &w, &(tess_isclose_opts){ .atol = 0.499 }, (bool[]){ 0, 0 });
    check_close(&w, &w, NULL, (bool[]){ 1, 1 });
    release_all((tess_array[]){ half, near, wide, i, k, a, b, z, w }, 9);
}

/* Distances, magnitudes and tolerances that f64 cannot hold. */
TEST(numbers_near_the_largest)
{
    tess_array x = row_of(TESS_F64, 3, (double[]){ 1.7e308, 1.7e308, -1.5e308 });
    tess_array y = row_of(TESS_F64, 3, (double[]){ -1.7e308, 1.7e308 * (1 - 0x1p-52), -1e308 });
    tess_array z = constant(TESS_C64, 1, 1, 1, 2, 0), w = constant(TESS_C64, 1, 1, 1, 2, 0);
    check_close(&x, &y, NULL, (bool[]){ 0, 1, 0 });
    check_close(&x, &y, &(tess_isclose_opts){ .rtol = 1.5 }, (bool[]){ 0, 1, 1 });
    check_close(&x, &y, &(tess_isclose_opts){ .ulps = 2 }, (bool[]){ 0, 1, 0 });
    check_close(&x, &y, &(tess_isclose_opts){ .atol = 0.6e308 }, (bool[]){ 0, 1, 1 });
    for (int i = 0; i < 2; i++) {
        CHECK_OK(tess_set_c64(&z, 0, 0, 0, i, (tess_c64){ 1.5e308, 1.5e308 }));
        CHECK_OK(tess_set_c64(&w, 0, 0, 0, i, (tess_c64){ 1.5e308, i ? 1.5e308 * (1 + 0x1p-50) : -1.5e308 }));
    }
    check_close(&z, &w, NULL, (bool[]){ 0, 1 });
    check_close(&z, &w, &(tess_isclose_opts){ .ulps = 8 }, (bool[]){ 0, 1 });
    release_all((tess_array[]){ x, y, z, w }, 4);
}

TEST(closeness_refuses)
{
    tess_array f = constant(TESS_F32, 1, 1, 2, 3, 1), odd = constant(TESS_F32, 1, 1, 2, 2, 1), out = { 0 };
    tess_array v = constant(TESS_VEC2_F32, 1, 1, 2, 3, 1), none = constant(TESS_F32, 1, 0, 2, 3, 1);
    bool       result = false;
    CHECK_FAILS(tess_isclose(NULL, &f, &f, NULL), TESS_EARG, "isclose: out is NULL");
    CHECK_FAILS(tess_isclose(&out, NULL, &f, NULL), TESS_EARG, "isclose: x is NULL");
    CHECK_FAILS(tess_isclose(&out, &f, &v, NULL), TESS_EDTYPE, "isclose: y is vec2_f32");
    CHECK_FAILS(tess_isclose(&out, &f, &odd, NULL), TESS_ESHAPE, "isclose: ", "{1,1,2,2}");
    CHECK_FAILS(tess_isclose(&f, &f, &f, NULL), TESS_EDTYPE, "isclose: out is f32; bool is needed");
    CHECK_FAILS(tess_isclose(&out, &f, &f, &(tess_isclose_opts){ .rtol = -1 }), TESS_ERANGE,
                "isclose: opts->rtol is -1; 0 ");
    CHECK_FAILS(tess_isclose(&out, &f, &f, &(tess_isclose_opts){ .atol = (double)NAN }), TESS_ERANGE,
                "isclose: opts->atol is nan");
    CHECK_FAILS(tess_isclose(&out, &f, &f, &(tess_isclose_opts){ .ulps = -1 }), TESS_ERANGE,
                "isclose: opts->ulps is -1", "1073741824");
    CHECK_FAILS(tess_isclose(&out, &f, &f, &(tess_isclose_opts){ .equal_nan = 2 }), TESS_ERANGE,
                "isclose: opts->equal_nan is 2");
    CHECK_FAILS(tess_isclose(&out, &f, &f, &(tess_isclose_opts){ .reserved = { 1 } }), TESS_EARG,
                "isclose: opts->reserved");
    CHECK_FAILS(tess_allclose(NULL, &f, &f, NULL), TESS_EARG, "allclose: result is NULL");
    CHECK_FAILS(tess_allclose(&result, &f, NULL, NULL), TESS_EARG, "allclose: y is NULL");
    CHECK_FAILS(tess_allclose(&result, &f, &odd, NULL), TESS_ESHAPE, "allclose: ", "{1,1,2,2}");
    CHECK_FAILS(tess_allclose(&result, &f, &f, &(tess_isclose_opts){ .rtol = (double)INFINITY }), TESS_ERANGE,
                "allclose: opts->rtol is inf");
    CHECK(is_zeroed(&out) && !result);
    CHECK_OK(tess_allclose(&result, &none, &none, NULL));
    CHECK(result);
    release_all((tess_array[]){ f, odd, v, none }, 4);
}
