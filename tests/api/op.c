/* Operators of users: making, binding, every bad argument with its message. Results are checked in tests/check. */
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "support/arrays.h"
#include "support/gate.h"

static tess_op *parsed(const char *text)
{
    tess_op *op = NULL;
    CHECK_OK(tess_op_text(&op, text));
    return op;
}

/* ---- Making ---- */

TEST(text_makes_an_operator_with_a_source)
{
    tess_op *op = parsed("op fuse(in f32 x, in f32 y, val f32 a, out f32 z) { z = a*x + cos(y); }");
    CHECK(op != NULL);
    const char *source = tess_op_source(op);
    CHECK(strstr(source, "fuse") != NULL);
    tess_op *again = NULL; /* the canonical text is text */
    CHECK_OK(tess_op_text(&again, source));
    CHECK_TEXT(tess_op_source(again), source);
    tess_op_retain(op);
    tess_op_release(op);
    tess_op_release(op);
    tess_op_release(again);
    tess_op_retain(NULL);
    tess_op_release(NULL);
    CHECK_TEXT(tess_op_source(NULL), "");
}

/* Real and complex operands meet as in tess_mul and tess_div: the real one is not widened. */
TEST(products_with_a_real_operand_are_those_of_the_library)
{
    static const char *const texts[] = { "op f(in c32 x, in f32 y, out c32 z) { z = x*y; }",
                                         "op f(in c32 x, in f32 y, out c32 z) { z = y*x; }",
                                         "op f(in c32 x, in f32 y, out c32 z) { z = x/y; }",
                                         "op f(in c32 x, in f32 y, out c32 z) { c32 t = x; t *= y; z = t; }",
                                         "op f(in c32 x, in f32 y, out c32 z) { z = mul(x, y); }" };
    tess_c32 numbers[] = { { .re = 1, .im = -2 }, { .re = -0.0f, .im = 3 }, { .re = 1 / 0.0f, .im = 4 }, { .re = 5 } };
    float    factors[] = { -0.0f, 2.5f, -3, 1e-3f };
    tess_array x, y;
    CHECK_OK(tess_wrap(&x, numbers, TESS_SHAPE(1, 1, 1, 4), TESS_C32, NULL));
    CHECK_OK(tess_wrap(&y, factors, TESS_SHAPE(1, 1, 1, 4), TESS_F32, NULL));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tess_array got = { 0 }, want = { 0 };
        tess_op   *op = parsed(texts[i]);
        CHECK_OK(tess_zeros(&got, x.shape, TESS_C32, tess_cpu()));
        CHECK_OK(tess_call(op, &x, &y, &got));
        CHECK_OK(i == 2 ? tess_div(&want, &x, &y) : tess_mul(&want, &x, &y));
        CHECK(memcmp(got.data, want.data, sizeof numbers) == 0);
        const tess_c32 *z = want.data;
        CHECK(z[2].im == (i == 2 ? 4 / -3.0f : -12)); /* an infinite part leaves the other alone */
        CHECK(!signbit(z[0].im));                     /* -2 times or over -0 */
        tess_op_release(op);
        tess_release(&got);
        tess_release(&want);
    }
}

TEST(bad_text_is_refused)
{
    tess_op *op = NULL;
    CHECK_FAILS(tess_op_text(NULL, "op f(in f32 x, out f32 z) { z = x; }"), TESS_EARG, "op_text", "out is NULL");
    CHECK_FAILS(tess_op_text(&op, NULL), TESS_EARG, "op_text", "text is NULL");
    CHECK_FAILS(tess_op_text(&op, "op fuse(in f32 x, out f32 z) { z = coz(x); }"), TESS_EPARSE, "fuse", "coz");
    CHECK_FAILS(tess_op_text(&op, ""), TESS_EPARSE, "");
    CHECK_FAILS(tess_op_parse(&op, "op f(in f32 x, out f32 z) { z = x; }", 36, &(tess_op_parse_opts){ .max_text = 5 }),
                TESS_EPARSE, "5");
    CHECK_FAILS(
        tess_op_parse(&op, "op f(in f32 x, out f32 z) { z = x; }", 36, &(tess_op_parse_opts){ .max_nodes = -1 }),
        TESS_ERANGE, "op_parse", "max_nodes");
    static const tess_op_parse_opts beyond[] = { { .max_text = (1 << 24) + 1 },
                                                 { .max_nodes = 65537 },
                                                 { .max_nesting = 257 } };
    static const char *const        names[] = { "max_text", "max_nodes", "max_nesting" };
    for (int i = 0; i < 3; i++)
        CHECK_FAILS(tess_op_parse(&op, "op f(in f32 x, out f32 z) { z = x; }", 36, &beyond[i]), TESS_ERANGE, "op_parse",
                    names[i]);
    tess_op_parse_opts odd = { .max_text = 0 };
    odd.reserved[1] = 1;
    CHECK_FAILS(tess_op_parse(&op, "op f(in f32 x, out f32 z) { z = x; }", 36, &odd), TESS_EARG, "reserved");
    CHECK(op == NULL);
    CHECK_OK(tess_op_parse(&op, "op f(in f32 x, out f32 z) { z = x; } rest", 36, NULL));
    tess_op_release(op);
}

static void add_up(const tess_tile *t);

TEST(reductions_without_post_need_matching_outputs)
{
    tess_op *op = NULL;
    CHECK_FAILS(tess_op_text(&op, "op f(in f32 x, acc sum f64 s, out f32 z) { s += x; }"), TESS_EPARSE, "f:1:39: ", "s",
                "f64", "z", "f32", "post");
    CHECK_FAILS(tess_op_loop(&op, "op f(in f32 x, acc sum f64 s, out f32 z)", add_up, NULL), TESS_EPARSE,
                "f:1:39: ", "f64", "f32");
    CHECK_FAILS(tess_op_text(&op, "op f(in f32 x, acc sum f64 s, acc sum f64 t, out f64 z) { s += x; t += x; }"),
                TESS_EPARSE, "t");
    CHECK_FAILS(tess_op_text(&op, "op f(in f32 x, acc sum f64 s, out f64 y, out f64 z) { s += x; }"), TESS_EPARSE, "z");
}

/* ---- Loops ---- */

static void twice(const tess_tile *t)
{
    const float *x = t->ptr[0];
    float       *z = t->ptr[1];
    for (int64_t a = 0; a < t->extent[0]; a++)
        for (int64_t b = 0; b < t->extent[1]; b++)
            for (int64_t c = 0; c < t->extent[2]; c++)
                for (int64_t d = 0; d < t->extent[3]; d++) {
                    const int64_t at[4] = { t->origin[0] + a, t->origin[1] + b, t->origin[2] + c, t->origin[3] + d };
                    int64_t       i = 0, k = 0;
                    for (int axis = 0; axis < 4; axis++) {
                        i += at[axis] * t->stride[0][axis];
                        k += at[axis] * t->stride[1][axis];
                    }
                    z[k] = 2 * x[i] + (t->ctx ? *(const float *)t->ctx : 0);
                }
}

static void add_up(const tess_tile *t)
{
    const float *x = t->ptr[0];
    double      *lanes = t->acc[1];
    if (t->ctx) *(int32_t *)t->ctx = t->lanes;
    for (int64_t a = 0; a < t->extent[0]; a++)
        for (int64_t b = 0; b < t->extent[1]; b++)
            for (int64_t c = 0; c < t->extent[2]; c++)
                for (int64_t d = 0; d < t->extent[3]; d++)
                    lanes[d % t->lanes] +=
                        (double)x[(t->origin[0] + a) * t->stride[0][0] + (t->origin[1] + b) * t->stride[0][1] +
                                  (t->origin[2] + c) * t->stride[0][2] + (t->origin[3] + d) * t->stride[0][3]];
}

static void drop(void *ctx) { *(float *)ctx = -1; }

TEST(loops_are_operators)
{
    tess_op          *op = NULL, *sum = NULL;
    float             ctx = 5, total = 0;
    tess_array        x = numbers(TESS_F32, 2, 1, 30, 40), t = { 0 }, z = { 0 };
    tess_op_loop_opts opts = { .ctx = &ctx, .drop = drop, .cost = 2 };
    CHECK_OK(tess_op_loop(&op, "op twice(in f32 x, out f32 z)", twice, &opts));
    CHECK(strstr(tess_op_source(op), "twice") != NULL);
    CHECK_OK(tess_transpose(&t, &x));
    CHECK_OK(tess_call(op, &t, &z));
    CHECK(value_at(&z, 1, 0, 7, 3) == 2 * value_at(&x, 1, 0, 3, 7) + 5);
    tess_op_release(op);
    CHECK(ctx == -1);
    CHECK_OK(tess_op_loop(&sum, "op total(in f32 x, acc sum f32 s, out f32 r)", add_up, NULL));
    CHECK_OK(tess_call(sum, &x, &total));
    CHECK(total == 2399 * 1200);
    tess_op_release(sum);
    tess_release(&x);
    tess_release(&z);
}

/* Few lanes for what is reduced along rows, one for each result otherwise. */
TEST(loops_are_told_their_lanes)
{
    tess_op          *op = NULL;
    int32_t           lanes = 0;
    tess_array        x = numbers(TESS_F32, 1, 1, 30, 40), along = { 0 }, across = { 0 };
    tess_op_loop_opts opts = { .ctx = &lanes };
    CHECK_OK(tess_op_loop(&op, "op total(in f32 x, acc sum f32 s, out f32 r)", add_up, &opts));
    CHECK_OK(tess_zeros(&along, TESS_SHAPE(1, 1, 30, 1), TESS_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&across, TESS_SHAPE(1, 1, 1, 40), TESS_F32, tess_cpu()));
    CHECK_OK(tess_call(op, &x, &along));
    CHECK(lanes == TESS_ROW_LANES);
    CHECK(value_at(&along, 0, 0, 29, 0) == 40 * 1160 + 780);
    CHECK_OK(tess_call(op, &x, &across));
    CHECK(lanes == TESS_LANES);
    CHECK(value_at(&across, 0, 0, 0, 39) == 30 * 39 + 40 * 435);
    tess_op_release(op);
    tess_release(&x);
    tess_release(&along);
    tess_release(&across);
}

TEST(bad_loops_are_refused)
{
    tess_op    *op = NULL;
    const char *signature = "op twice(in f32 x, out f32 z)";
    CHECK_FAILS(tess_op_loop(NULL, signature, twice, NULL), TESS_EARG, "op_loop", "out is NULL");
    CHECK_FAILS(tess_op_loop(&op, NULL, twice, NULL), TESS_EARG, "op_loop", "signature is NULL");
    CHECK_FAILS(tess_op_loop(&op, signature, NULL, NULL), TESS_EARG, "op_loop", "loop is NULL");
    CHECK_FAILS(tess_op_loop(&op, "op twice(in f32)", twice, NULL), TESS_EPARSE, "");
    CHECK_FAILS(tess_op_loop(&op, "op twice(in T x, out T z)", twice, NULL), TESS_EARG, "letters");
    CHECK_FAILS(tess_op_loop(&op, signature, twice, &(tess_op_loop_opts){ .post = twice }), TESS_EARG, "post", "acc");
    CHECK_FAILS(tess_op_loop(&op, signature, twice, &(tess_op_loop_opts){ .cost = -1 }), TESS_ERANGE, "cost");
    CHECK_FAILS(tess_op_loop(&op, "op s(in f32 x, acc f32 s = 0, out f32 z)", twice, NULL), TESS_EARG, "join");
    CHECK(op == NULL);
}

/* ---- Arguments ---- */

TEST(arguments_of_the_wrong_number_or_kind)
{
    tess_op   *op = parsed("op fuse(in f32 x, view f32 v, val f32 a, out f32 z) { z = a*x + v[b,d,h,w]; }");
    tess_array x = numbers(TESS_F32, 1, 1, 3, 4), z = { 0 };
    float      number = 0;
    CHECK_FAILS(tess_call(op, &x, &x, 1.0f), TESS_EARG, "fuse", "3 arguments", "4 are needed");
    CHECK_FAILS(tess_call(op, &x, &x, 1.0f, &z, &z), TESS_EARG, "fuse", "5 arguments", "4 are needed");
    CHECK_FAILS(tess_call(op, 1.0f, &x, 1.0f, &z), TESS_EARG, "fuse", "x (in)", "a number", "array is needed");
    CHECK_FAILS(tess_call(op, &x, 2, 1.0f, &z), TESS_EARG, "fuse", "v (view)", "a number", "array is needed");
    CHECK_FAILS(tess_call(op, &x, &tess_f32(2), 1.0f, &z), TESS_EARG, "fuse", "v (view)", "a number",
                "array is needed");
    CHECK_FAILS(tess_call(op, &x, &x, &x, &z), TESS_EARG, "fuse", "a (val)", "an array", "number is needed");
    CHECK_FAILS(tess_call(op, &x, &x, 1.0f, 3), TESS_EARG, "fuse", "z (out)", "a number");
    CHECK_FAILS(tess_call(op, &x, &x, 1.0f, &number), TESS_EARG, "fuse", "z (out)", "host pointer");
    CHECK_FAILS(tess_call(op, &x, &x, 1.0f, (const tess_array *)&x), TESS_EARG, "fuse", "z (out)", "const array");
    CHECK_FAILS(tess_call(op, (tess_array *)NULL, &x, 1.0f, &z), TESS_EARG, "fuse", "x is NULL");
    const tess_array none = { 0 };
    CHECK_FAILS(tess_call(op, &none, &x, 1.0f, &z), TESS_EARG, "fuse", "x", "released or zeroed");
    CHECK_FAILS(tess_call(op, &x), TESS_EARG, "op fuse(in f32 x, view zero f32 v, val f32 a, out f32 z)");
    CHECK(strchr(tess_error_message(), '{') == NULL && strchr(tess_error_message(), '\n') == NULL);
    const tess_bind odd[4] = { { .kind = 77 }, { .kind = 77 }, { .kind = 77 }, { .kind = 77 } };
    CHECK_FAILS(tess_run(op, odd, 4, NULL), TESS_EARG, "fuse", "x (in)", "unknown kind");
    CHECK_FAILS(tess_run(op, NULL, 4, NULL), TESS_EARG, "fuse", "binds is NULL");
    CHECK_FAILS(tess_run(NULL, odd, 4, NULL), TESS_EARG, "run", "op is NULL");
    CHECK(is_zeroed(&z));
    tess_release(&x);
    tess_op_release(op);
}

TEST(dtypes_must_be_those_of_the_signature)
{
    tess_op   *op = parsed("op fuse(in f32 x, in f64 y, out i32 z) { z = (i32)(x + y); }");
    tess_array f = numbers(TESS_F32, 1, 1, 3, 4), d = numbers(TESS_F64, 1, 1, 3, 4), z = { 0 };
    tess_array v = { 0 };
    CHECK_FAILS(tess_call(op, &d, &d, &z), TESS_EDTYPE, "fuse", "x (in) is f64", "f32 is needed");
    CHECK_FAILS(tess_call(op, &f, &f, &z), TESS_EDTYPE, "fuse", "y (in) is f32", "f64 is needed");
    CHECK_FAILS(tess_call(op, &f, &tess_f32(1), &z), TESS_EDTYPE, "fuse", "y (in) is f32", "f64 is needed");
    CHECK_FAILS(tess_call(op, &f, &d, &f), TESS_EDTYPE, "fuse", "z (out) is f32", "i32 is needed");
    CHECK_OK(tess_empty(&v, TESS_SHAPE(1, 1, 3, 4), TESS_VEC2_F32, tess_cpu()));
    CHECK_FAILS(tess_call(op, &v, &d, &z), TESS_EDTYPE, "fuse", "x is vec2_f32", "tess_reinterpret");
    CHECK(is_zeroed(&z));
    CHECK_OK(tess_call(op, &f, &tess_num(0.5), &z));
    CHECK(z.dtype == TESS_I32 && value_at(&z, 0, 0, 2, 3) == 11);
    tess_release(&f);
    tess_release(&d);
    tess_release(&v);
    tess_release(&z);
    tess_op_release(op);
}

TEST(letters_are_bound_by_the_arrays)
{
    tess_op   *op = parsed("op f(in T x, in T y, in U u, val T a, out T z) { z = x + (T)a*y + (T)u; }");
    tess_array f = numbers(TESS_F32, 1, 1, 3, 4), i = numbers(TESS_I16, 1, 1, 3, 4), z = { 0 };
    CHECK_FAILS(tess_call(op, &f, &i, &i, 1, &z), TESS_EDTYPE, "f: y is i16", "x is f32", "T");
    CHECK_OK(tess_call(op, &f, &f, &i, 2, &z));
    CHECK(z.dtype == TESS_F32 && value_at(&z, 0, 0, 0, 3) == 12);
    CHECK_FAILS(tess_call(op, &i, &i, &f, 2, &z), TESS_EDTYPE, "z is f32", "x is i16");
    tess_release(&z);
    CHECK_OK(tess_call(op, &i, &tess_num(3), &f, 2, &z));
    CHECK(z.dtype == TESS_I16 && value_at(&z, 0, 0, 0, 3) == 12);
    tess_release(&z);
    tess_op_release(op);
    op = parsed("op g(in T x, out U z) { z = (U)x; }");
    CHECK_FAILS(tess_call(op, &f, &z), TESS_EDTYPE, "g: z is U", "allocate the output");
    const tess_dtype letters[2] = { TESS_F32, TESS_I16 };
    CHECK_OK(tess_op_prepare(op, tess_cpu(), letters, 2));
    CHECK_FAILS(tess_op_prepare(op, tess_cpu(), letters, 1), TESS_EARG, "op_prepare", "g", "U");
    CHECK_FAILS(tess_op_prepare(op, tess_cpu(), letters, 7), TESS_ERANGE, "op_prepare", "n_letters is 7");
    CHECK_FAILS(tess_op_prepare(op, tess_cpu(), NULL, 2), TESS_EARG, "op_prepare", "letters is NULL");
    CHECK_FAILS(tess_op_prepare(op, tess_cpu(), (const tess_dtype[]){ TESS_F32, TESS_VEC2_F32 }, 2), TESS_EDTYPE,
                "op_prepare", "vec2_f32");
    CHECK_FAILS(tess_op_prepare(op, tess_gpu(7), letters, 2), TESS_EDEVICE, "op_prepare");
    CHECK_FAILS(tess_op_prepare(NULL, tess_cpu(), NULL, 0), TESS_EARG, "op_prepare", "op is NULL");
    tess_release(&f);
    tess_release(&i);
    tess_op_release(op);
}

/* More sets of dtypes than are kept. */
TEST(every_set_of_dtypes_can_be_had)
{
    tess_op *op = parsed("op g(in T x, out U z) { z = (U)x; }");
    for (tess_dtype t = TESS_I8; t <= TESS_F64; t++)
        for (tess_dtype u = TESS_I8; u <= TESS_F64; u++) {
            tess_array x = numbers(t, 1, 1, 3, 4), z = constant(u, 1, 1, 3, 4, 0);
            CHECK_OK(tess_call(op, &x, &z));
            CHECK(value_at(&z, 0, 0, 2, 3) == 11);
            tess_release(&x);
            tess_release(&z);
        }
    tess_op_release(op);
}

TEST(values_must_fit_their_type)
{
    tess_op   *op = parsed("op f(in f64 x, val i8 a, val u8 b, val bool c, val f32 d, val c32 e, out f64 z) {"
                             "  z = x + a + b + (c ? 100.0 : 0.0) + d + real(e); }");
    tess_array x = constant(TESS_F64, 1, 1, 1, 2, 0), z = { 0 };
    CHECK_OK(tess_call(op, &x, -128, 255, true, 0.5, 3, &z));
    CHECK(value_at(&z, 0, 0, 0, 1) == 230.5);
    CHECK_OK(tess_call(op, &x, 127.0, 255u, 0, 0.5f, ((tess_c64){ 4, 1 }), &z));
    CHECK(value_at(&z, 0, 0, 0, 1) == 386.5);
    CHECK_FAILS(tess_call(op, &x, -129, 0, 0, 0, 0, &z), TESS_ERANGE, "f: a is -129", "i8", "-128 to 127");
    CHECK_FAILS(tess_call(op, &x, 1.5, 0, 0, 0, 0, &z), TESS_ERANGE, "f: a is 1.5", "an integer");
    CHECK_FAILS(tess_call(op, &x, 0, 256, 0, 0, 0, &z), TESS_ERANGE, "f: b is 256", "u8", "0 to 255");
    CHECK_FAILS(tess_call(op, &x, 0, -1, 0, 0, 0, &z), TESS_ERANGE, "f: b is -1", "0 to 255");
    CHECK_FAILS(tess_call(op, &x, 0, 0, 2, 0, 0, &z), TESS_ERANGE, "f: c is 2", "bool", "0 or 1");
    CHECK_FAILS(tess_call(op, &x, 0, 0, 0, 1e39, 0, &z), TESS_ERANGE, "f: d is 1e+39", "f32");
    CHECK_FAILS(tess_call(op, &x, 0, 0, 0, ((tess_c64){ 4, 1 }), 0, &z), TESS_EDTYPE, "f: d", "(4, 1)", "real");
    tess_release(&x);
    tess_release(&z);
    tess_op_release(op);
}

TEST(values_with_defaults_may_be_left_out)
{
    tess_op   *op = parsed("op f(in f32 x, val f32 a = 2, val i32 b = 3, out f32 z) { z = a*x + (f32)b; }");
    tess_array x = constant(TESS_F32, 1, 1, 1, 2, 1), z = { 0 };
    CHECK_OK(tess_call(op, &x, &z));
    CHECK(all_are(&z, 5));
    CHECK_OK(tess_call(op, &x, 7, &z));
    CHECK(all_are(&z, 10));
    CHECK_OK(tess_call(op, &x, 7, 1, &z));
    CHECK(all_are(&z, 8));
    CHECK_FAILS(tess_call(op, &x), TESS_EARG, "f: 1 arguments", "2 to 4");
    tess_release(&x);
    tess_release(&z);
    tess_op_release(op);
}

TEST(shapes_must_go_together)
{
    tess_op   *op = parsed("op f(in f32 x, in f32 y, out f32 z) { z = x + y; }");
    tess_op   *in = parsed("op g(in f32 x, inout f32 z) { z = z + x; }");
    tess_array x = numbers(TESS_F32, 1, 1, 3, 4), y = numbers(TESS_F32, 1, 1, 5, 4), z = { 0 };
    CHECK_FAILS(tess_call(op, &x, &y, &z), TESS_ESHAPE, "f: y", "{1,1,5,4}", "{1,1,3,4}");
    CHECK_FAILS(tess_call(op, &x, &x, &y), TESS_ESHAPE, "f: x", "{1,1,3,4}", "{1,1,5,4}");
    CHECK_FAILS(tess_call(in, &x, &y), TESS_ESHAPE, "g: x", "{1,1,3,4}", "{1,1,5,4}");
    const tess_bind     binds[] = { { .kind = TESS_BIND_INPUT, .as.input = &x },
                                    { .kind = TESS_BIND_INPUT, .as.input = &x },
                                    { .kind = TESS_BIND_ARRAY, .as.array = &z } };
    const tess_run_opts wide = { .domain = { { 2, 1, 3, 4 } } }, odd = { .domain = { { 2, 1, 3, 5 } } },
                        negative = { .domain = { { 2, 1, -3, 4 } } };
    CHECK_FAILS(tess_run(op, binds, 3, &odd), TESS_ESHAPE, "f: x", "{1,1,3,4}", "{2,1,3,5}");
    CHECK_FAILS(tess_run(op, binds, 3, &negative), TESS_ESHAPE, "f: opts->domain", "{2,1,-3,4}");
    CHECK_OK(tess_run(op, binds, 3, &wide));
    CHECK_DIMS(z.shape, 2, 1, 3, 4);
    CHECK(value_at(&z, 1, 0, 2, 3) == 22);
    CHECK_FAILS(tess_run(op, binds, 3, &(tess_run_opts){ .domain = { { 3, 1, 3, 4 } } }), TESS_ESHAPE, "f: z",
                "{2,1,3,4}", "{3,1,3,4}");
    CHECK_FAILS(tess_run(op, binds, 3, &(tess_run_opts){ .threads = -1 }), TESS_ERANGE, "run", "threads");
    tess_op   *none = parsed("op h(view f32 v, out f32 z) { z = v[0,0,0,w]; }");
    tess_array made = { 0 };
    CHECK_FAILS(tess_call(none, &x, &made), TESS_ESHAPE, "h", "domain");
    tess_release(&x);
    tess_release(&y);
    tess_release(&z);
    tess_op_release(op);
    tess_op_release(in);
    tess_op_release(none);
}

/* The common shape of inputs that are all fine may have more elements than can be counted. */
TEST(domains_have_a_limit)
{
    tess_op      *op = parsed("op f(in f32 x, in f32 y, in f32 z, acc sum f32 s, out f32 r) { s += x + y + z; }");
    tess_array    a = constant(TESS_F32, 1, 1, 1, 1, 1), x = { 0 }, y = { 0 }, z = { 0 };
    float         sum = 0;
    const int64_t many = INT64_C(1) << 32;
    CHECK_OK(tess_broadcast(&x, &a, TESS_SHAPE(many, 1, 1, 1)));
    CHECK_OK(tess_broadcast(&y, &a, TESS_SHAPE(1, many, 1, 1)));
    CHECK_OK(tess_broadcast(&z, &a, TESS_SHAPE(1, 1, 4, 1)));
    CHECK_FAILS(tess_call(op, &x, &y, &z, &sum), TESS_ESHAPE, "f: ", "domain", "{4294967296,4294967296,4,1}");
    tess_release(&a);
    tess_op_release(op);
}

TEST(sizes_are_those_of_the_domain_in_post)
{
    static const char text[] = "op f(in f32 x, acc sum f32 s, out f32 r) { s += x; } post { r = size(%d); }";
    tess_array        x = numbers(TESS_F32, 2, 3, 4, 5);
    for (int k = 0; k < 4; k++) {
        char  one[sizeof text + 12];
        float size = 0;
        (void)snprintf(one, sizeof one, text, k);
        tess_op *op = parsed(one);
        CHECK_OK(tess_call(op, &x, &size));
        CHECK(size == (float)(2 + k));
        tess_op_release(op);
    }
    tess_release(&x);
}

TEST(outputs_of_reductions)
{
    tess_op   *op = parsed("op f(in f32 x, acc sum f32 s, acc max f32 m, out f32 y, out f32 z) {"
                             "  s += x; m = max(m, x); }");
    tess_array x = numbers(TESS_F32, 2, 1, 3, 4), y = { 0 }, z = { 0 };
    tess_array rows = constant(TESS_F32, 2, 1, 3, 1, 0), batches = constant(TESS_F32, 2, 1, 1, 1, 0);
    tess_array odd = constant(TESS_F32, 2, 1, 2, 1, 0);
    float      sum = 0;
    double     wrong = 0;
    CHECK_FAILS(tess_call(op, &x, &rows, &batches), TESS_ESHAPE, "f: y", "{2,1,3,1}", "z", "{2,1,1,1}", "same axes");
    CHECK_FAILS(tess_call(op, &x, &odd, &odd), TESS_ESHAPE, "f: y", "{2,1,2,1}", "{2,1,3,4}", "axis 2");
    CHECK_FAILS(tess_call(op, &x, &rows, &sum), TESS_ESHAPE, "f: y", "same axes");
    CHECK_FAILS(tess_call(op, &x, &rows, &z), TESS_ESHAPE, "f: z is zeroed", "y", "{2,1,3,1}");
    CHECK_FAILS(tess_call(op, &x, &sum, &wrong), TESS_EDTYPE, "f: z (out) is a host pointer to f64", "f32");
    CHECK_FAILS(tess_call(op, &x, (float *)NULL, &sum), TESS_EARG, "f: y is NULL");
    CHECK_OK(tess_call(op, &x, &sum, &z));
    CHECK(sum == 276 && value_at(&z, 0, 0, 0, 0) == 23);
    CHECK_DIMS(z.shape, 1, 1, 1, 1);
    tess_release(&x);
    tess_release(&y);
    tess_release(&z);
    tess_release(&rows);
    tess_release(&batches);
    tess_release(&odd);
    tess_op_release(op);
}

TEST(overlaps_are_refused)
{
    tess_op   *op = parsed("op f(in f32 x, in f32 y, out f32 z, out f32 t) { z = x; t = y; }");
    tess_op   *index = parsed("op g(in f32 x, view f32 v, out f32 z) { z = x + v[b,d,h,w]; }");
    tess_op   *sum = parsed("op s(in f32 x, acc sum f32 s, out f32 r) { s += x; }");
    tess_array a = numbers(TESS_F32, 1, 1, 4, 6), x = { 0 }, z = { 0 }, t = { 0 }, cell = { 0 };
    CHECK_OK(tess_slice(&x, &a, 2, 0, 3, 1));
    CHECK_OK(tess_slice(&z, &a, 2, 1, 4, 1));
    CHECK_OK(tess_slice(&cell, &z, 2, 0, 1, 1));
    CHECK_OK(tess_slice(&cell, &cell, 3, 0, 1, 1));
    CHECK_FAILS(tess_call(op, &x, &tess_f32(1), &z, &t), TESS_EALIAS, "f: z", "shares memory with x", "same view");
    CHECK_OK(tess_call(op, &x, &tess_f32(1), &x, &t));
    CHECK_FAILS(tess_call(op, &tess_f32(1), &tess_f32(1), &t, &t), TESS_EALIAS, "f: t", "shares memory with z",
                "other memory");
    tess_array made = { 0 };
    CHECK_FAILS(tess_call(op, &x, &x, &made, &made), TESS_EALIAS, "f: ", "z", "t", "same array");
    CHECK(is_zeroed(&made));
    CHECK_FAILS(tess_call(index, &x, &t, &x), TESS_EALIAS, "g: z", "shares memory with x");
    CHECK_FAILS(tess_call(index, &t, &x, &x), TESS_EALIAS, "g: z", "shares memory with v");
    CHECK_FAILS(tess_call(sum, &a, &cell), TESS_EALIAS, "s: r", "shares memory with x");
    tess_release(&a);
    tess_release(&t);
    tess_op_release(op);
    tess_op_release(index);
    tess_op_release(sum);
}

TEST(outputs_must_be_writable)
{
    tess_op   *op = parsed("op f(in f32 x, out f32 z) { z = x; }");
    tess_op   *scatter = parsed("op g(in f32 x, scatter f32 s) { s[0,0,0,w] += x; }");
    tess_array x = numbers(TESS_F32, 1, 1, 3, 4), z = numbers(TESS_F32, 1, 1, 3, 4), wide = { 0 }, row = { 0 };
    tess_array fixed = read_only(z);
    CHECK_FAILS(tess_call(op, &x, &fixed), TESS_EWRITE, "f: z", "read-only");
    CHECK_FAILS(tess_call(scatter, &x, &fixed), TESS_EWRITE, "g: s", "read-only");
    CHECK_OK(tess_slice(&row, &z, 2, 0, 1, 1));
    CHECK_OK(tess_broadcast(&wide, &row, TESS_SHAPE(1, 1, 3, 4)));
    wide.flags = 0;
    CHECK_FAILS(tess_call(op, &x, &wide), TESS_EWRITE, "f: z", "broadcast");
    CHECK_FAILS(tess_call(scatter, &x, &wide), TESS_EWRITE, "g: s", "broadcast");
    tess_release(&x);
    tess_release(&z);
    tess_op_release(op);
    tess_op_release(scatter);
}

TEST(devices_must_be_one)
{
    tess_op   *op = parsed("op f(in f32 x, in f32 y, out f32 z) { z = x + y; }");
    tess_array x = numbers(TESS_F32, 1, 1, 3, 4), far = on_gpu(x), z = { 0 };
    CHECK_FAILS(tess_call(op, &x, &far, &z), TESS_EDEVICE, "f: x is on cpu", "y on gpu:0");
    far.device = tess_gpu(30); /* there is none, also where there is a GPU */
    CHECK_FAILS(tess_call(op, &far, &far, &z), TESS_EDEVICE, "f");
    CHECK(is_zeroed(&z));
    tess_release(&x);
    tess_op_release(op);
}

TEST(loops_stay_within_their_limit)
{
    const char *text =
        "op f(in f32 x, view f32 v, val i32 n, out f32 z) {"
        "  f32 s = 0; for (i32 i = 0; i < n; ++i) { for (i32 k = 0; k <= shape(v,3); k += 2) { s = s + x; } }"
        "  z = s; }";
    tess_op *op = NULL;
    CHECK_OK(tess_op_parse(&op, text, strlen(text), &(tess_op_parse_opts){ .max_trips = 30 }));
    tess_array x = constant(TESS_F32, 1, 1, 3, 4, 1), z = { 0 };
    CHECK_OK(tess_call(op, &x, &x, 10, &z));
    CHECK(all_are(&z, 30));
    CHECK_FAILS(tess_call(op, &x, &x, 11, &z), TESS_ERANGE, "f:", "33 times", "30");
    CHECK_OK(tess_call(op, &x, &x, -5, &z));
    CHECK(all_are(&z, 0));
    CHECK_FAILS(tess_call(op, &x, &x, 2147483647, &z), TESS_ERANGE, "f:", "max_trips");
    tess_release(&x);
    tess_release(&z);
    tess_op_release(op);
}

/* Bounds that are known only when the loops run: few turns for 1, more than the limit for 100. */
TEST(loops_are_counted_as_they_run)
{
    static const char *const texts[] = {
        "op f(in f32 x, val i64 n, out f32 z) { f32 s = 0; i64 m = n*2; for (i32 i = 0; i < m; ++i) { s = s + x; } z = "
        "s; }",
        "op f(in f32 x, val i64 n, out f32 z) { f32 s = 0;"
        " for (i32 i = 0; i < n + n; ++i) { for (i32 k = 0; k < n; ++k) { s = s + x; } } z = s; }",
        "fn f32 g(f32 x, i64 n) { f32 s = 0; for (i32 i = 0; i < n; ++i) { s = s + x; } return s; }"
        "op f(in f32 x, val i64 n, out f32 z) { f32 s = 0; for (i32 i = 0; i < n; ++i) { s = s + g(x, n + 1); } z = s; "
        "}",
        "op f(in f32 x, val i64 n, out f32 z) { f32 s = 0; bool any = n > 1;"
        " for (i32 i = 0; i < (any ? n << 40 : n); ++i) { s = s + x; } z = s; }",
        "op f(in f32 x, val i64 n, out f32 z) { f32 s = 0;"
        " for (i32 i = 0; i <= (n > 1 ? 9223372036854775807 : 1); ++i) { s = s + x; } z = s; }",
        "op f(in f32 x, val i64 n, acc sum f32 a, out f32 z) { for (i32 i = 0; i < n*n; ++i) { a += x; } }",
        "op f(in f32 x, val i64 n, acc sum f32 a, out f32 z) { a += x; }"
        "post { z = a; for (i32 i = 0; i < n*n; ++i) { z = z + 1; } }",
        "op f(in f32 x, val i64 n, acc f32 a = 0, out f32 z) { a = a + x; }"
        "join { a = a + a_other; for (i32 i = 0; i < n*n; ++i) { a = a + 0; } }",
    };
    tess_array x = constant(TESS_F32, 1, 1, 3, 400, 1);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        tess_array z = { 0 };
        tess_op   *op = NULL;
        if (!CHECK_OK(tess_op_parse(&op, texts[k], strlen(texts[k]), &(tess_op_parse_opts){ .max_trips = 100 })))
            continue;
        CHECK_OK(tess_call(op, &x, 1, &z));
        CHECK_FAILS(tess_call(op, &x, 100, &z), TESS_ERANGE, "f: loops ran more than 100 iterations", "max_trips");
        tess_release(&z);
        tess_op_release(op);
    }
    tess_release(&x);
}

TEST(loops_that_are_short_enough_run)
{
    static const char *const texts[] = {
        "op f(in f32 x, val i64 n, out f32 z) { i32 r = 2; z = 0; for (i32 i = -r; i <= r; ++i) { z = z + x; } }",
        "fn f32 g(f32 x, i32 r) { f32 s = 0; for (i32 i = -r; i <= r; ++i) { s = s + x; } return s; }"
        "op f(in f32 x, val i64 n, out f32 z) { z = g(x, 2); }",
        "op f(in f32 x, val i64 n, out f32 z) { z = 5; if (n < 4) { z = 0; for (i32 i = 0; i < n; ++i) { z = 1; } } }",
        "fn f32 g(f32 x, i64 n) { f32 s = 0; for (i32 i = 0; i < n; ++i) { s = s + x; } return s; }"
        "op f(in f32 x, val i64 n, out f32 z) { z = n < 4 ? g(x, n) : 5; }",
        "op f(in f32 x, val i64 n, out f32 z) { z = 0; for (i32 k = 0; k < 5; ++k) {"
        " z = z + 1; if (n > 3) { continue; } for (i32 i = 0; i < n; ++i) { z = 0; } } }",
    };
    tess_array x = constant(TESS_F32, 1, 1, 3, 400, 1);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        tess_array z = { 0 };
        tess_op   *op = NULL;
        if (!CHECK_OK(tess_op_parse(&op, texts[k], strlen(texts[k]), &(tess_op_parse_opts){ .max_trips = 100 })))
            continue;
        CHECK_OK(tess_call(op, &x, INT64_C(1) << 50, &z));
        CHECK(all_are(&z, 5));
        tess_release(&z);
        tess_op_release(op);
    }
    tess_release(&x);
}

TEST(stopped_loops_are_told_at_the_next_sync)
{
    tess_op *op =
        parsed("op f(in f32 x, val i64 n, out f32 z) { z = 0; for (i32 i = 0; i < n*n; ++i) { z = z + x; } }");
    tess_array   x = constant(TESS_F32, 1, 1, 3, 400, 1), z = numbers(TESS_F32, 1, 1, 3, 400);
    tess_stream *s = NULL;
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    const tess_bind binds[] = { { .kind = TESS_BIND_INPUT, .as.input = &x },
                                { .kind = TESS_BIND_I64, .as.i = 257 },
                                { .kind = TESS_BIND_ARRAY, .as.array = &z } };
    CHECK_OK(tess_run(op, binds, 3, &(tess_run_opts){ .stream = s }));
    CHECK_FAILS(tess_stream_sync(s), TESS_ERANGE, "f: loops ran more than 65536 iterations");
    CHECK_OK(tess_stream_sync(s));
    tess_stream_free(s);
    tess_release(&x);
    tess_release(&z);
    tess_op_release(op);
}

/* Variables of one type after another, all alive at once: registers of each size. */
static tess_op *with_many_variables(const char *params, const char *last)
{
    enum { ROOM = 1 << 16, N = 245 };
    static const char *const types[] = { "c64", "f64", "f32" };
    tess_op                 *op = NULL;
    char                    *text = malloc(ROOM);
    if (!CHECK(text)) return NULL;
    size_t n = (size_t)snprintf(text, ROOM, "op sizes(in f32 x, %s) { f32 y = x;", params);
    for (int t = 0; t < 3; t++) {
        for (int k = 0; k < N; k++)
            n += (size_t)snprintf(text + n, ROOM - n, "%s v%d_%d = (%s)(y + %d);", types[t], t, k, types[t], k);
        n += (size_t)snprintf(text + n, ROOM - n, "%s s%d = v%d_0;", types[t], t, t);
        for (int k = 1; k < N; k++) n += (size_t)snprintf(text + n, ROOM - n, "s%d = s%d + v%d_%d;", t, t, t, k);
        n += (size_t)snprintf(text + n, ROOM - n, "y = (%s - 29890)/245;",
                              t == 0   ? "(f32)real(s0)"
                              : t == 1 ? "(f32)s1"
                                       : "s2");
    }
    (void)snprintf(text + n, ROOM - n, "%s }", last);
    CHECK_OK(tess_op_parse(&op, text, strlen(text), &(tess_op_parse_opts){ .max_nodes = 1 << 14 }));
    free(text);
    return op;
}

TEST(registers_of_all_sizes_have_room)
{
    tess_op   *each = with_many_variables("out f32 z", "z = y;");
    tess_op   *all = with_many_variables("acc sum f32 s, out f32 z", "s += y;");
    tess_array x = constant(TESS_F32, 1, 2, 3, 700, 4), z = { 0 }, sum = { 0 };
    CHECK_OK(tess_call(each, &x, &z));
    CHECK(all_are(&z, 4));
    CHECK_OK(tess_call(all, &x, &sum));
    CHECK(value_at(&sum, 0, 0, 0, 0) == 16800);
    tess_release(&x);
    tess_release(&z);
    tess_release(&sum);
    tess_op_release(each);
    tess_op_release(all);
}

TEST(counters_are_not_cut)
{
    tess_op   *op = parsed("op f(in f32 x, val i64 n, out f32 z) {"
                             " z = 0; i64 m = n - 2; for (i32 i = m; i < n; ++i) { z = z + i; } }");
    tess_array x = constant(TESS_F32, 1, 1, 1, 4, 1), z = { 0 };
    CHECK_OK(tess_call(op, &x, 10, &z));
    CHECK(all_are(&z, 17));
    CHECK_FAILS(tess_call(op, &x, INT64_C(4294967300), &z), TESS_ERANGE, "f:", "4294967298 to 4294967300", "i32");
    CHECK_FAILS(tess_call(op, &x, INT64_C(-4294967300), &z), TESS_ERANGE, "f:", "i32");
    tess_release(&x);
    tess_release(&z);
    tess_op_release(op);
}

TEST(accumulators_are_read_before_they_are_set)
{
    tess_op *op =
        parsed("op pv(in f32 x, acc f32 a = 0, acc sum f32 s, acc sum f32 q, out f32 z, out f32 y, out f32 p) {"
               "  s += a; q += a*x; a = x; } join { a = a_other; }");
    tess_array x = numbers(TESS_F32, 1, 1, 1, 512), z = { 0 }, y = { 0 }, p = { 0 };
    CHECK_OK(tess_call(op, &x, &z, &y, &p));
    double s = 0, q = 0;
    for (int i = 0; i < 256; i++) {
        s += value_at(&x, 0, 0, 0, i);
        q += value_at(&x, 0, 0, 0, i) * value_at(&x, 0, 0, 0, i + 256);
    }
    CHECK(value_at(&y, 0, 0, 0, 0) == s);
    CHECK(value_at(&p, 0, 0, 0, 0) == (double)(float)q);
    tess_release(&x);
    tess_release(&y);
    tess_release(&z);
    tess_release(&p);
    tess_op_release(op);
}

TEST(reads_outside_are_errors_if_said_so)
{
    tess_op   *op = parsed("op f(view error f32 v, out f32 z) { z = v[b, d, h + 1, w]; }");
    tess_array v = numbers(TESS_F32, 1, 1, 3, 4), z = numbers(TESS_F32, 1, 1, 2, 4),
               tall = numbers(TESS_F32, 1, 1, 3, 4);
    tess_stream *s = NULL;
    CHECK_OK(tess_call(op, &v, &z));
    CHECK(value_at(&z, 0, 0, 1, 3) == 11);
    CHECK_FAILS(tess_call(op, &v, &tall), TESS_ERANGE, "f: v", "{0,0,3,0}", "{1,1,3,4}");
    tess_array      none = { 0 }; /* what the call has made itself is gone */
    const tess_bind made[] = { { .kind = TESS_BIND_INPUT, .as.input = &v },
                               { .kind = TESS_BIND_ARRAY, .as.array = &none } };
    CHECK_FAILS(tess_run(op, made, 2, &(tess_run_opts){ .domain = TESS_SHAPE(1, 1, 3, 4) }), TESS_ERANGE, "f: v");
    CHECK(is_zeroed(&none));
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    const tess_bind binds[] = { { .kind = TESS_BIND_INPUT, .as.input = &v },
                                { .kind = TESS_BIND_ARRAY, .as.array = &tall } };
    CHECK_OK(tess_run(op, binds, 2, &(tess_run_opts){ .stream = s }));
    CHECK_FAILS(tess_stream_sync(s), TESS_ERANGE, "f: v", "{0,0,3,0}");
    CHECK_OK(tess_stream_sync(s));
    tess_stream_free(s);
    tess_release(&v);
    tess_release(&z);
    tess_release(&tall);
    tess_op_release(op);
}

TEST(reads_that_are_not_reached_are_no_errors)
{
    tess_op   *op = parsed("op f(view error f32 v, out f32 z) {"
                             " z = w > 0 ? v[b,d,h,w - 1] : 0; if (w > 1 && v[b,d,h,w - 2] > 0) { z = z*2; } }");
    tess_array v = constant(TESS_F32, 1, 1, 1, 5, 3), z = numbers(TESS_F32, 1, 1, 1, 5);
    CHECK_OK(tess_call(op, &v, &z));
    for (int i = 0; i < 5; i++) CHECK(value_at(&z, 0, 0, 0, i) == (i == 0 ? 0 : i == 1 ? 3 : 6));
    tess_release(&v);
    tess_release(&z);
    tess_op_release(op);
}

TEST(arrays_without_elements)
{
    tess_op   *op = parsed("op f(in f32 x, out f32 z) { z = x; }");
    tess_array x = numbers(TESS_F32, 1, 0, 3, 4), z = { 0 };
    CHECK_OK(tess_call(op, &x, &z));
    CHECK_DIMS(z.shape, 1, 0, 3, 4);
    tess_release(&x);
    tess_release(&z);
    tess_op_release(op);
}

TEST(views_without_elements)
{
    tess_op   *zero = parsed("op f(view f32 v, in f32 x, out f32 z) { z = x + v[b,d,h,w]; }");
    tess_op   *clamp = parsed("op g(view clamp f32 v, in f32 x, out f32 z) { z = x + v[b,d,h,w]; }");
    tess_op   *error = parsed("op h(view error f32 v, in f32 x, out f32 z) { z = x + v[b,d,h,w]; }");
    tess_array v = numbers(TESS_F32, 1, 0, 3, 4), x = numbers(TESS_F32, 1, 1, 3, 4), z = { 0 };
    CHECK_OK(tess_call(zero, &v, &x, &z));
    CHECK(same_values(&z, &x));
    CHECK_FAILS(tess_call(clamp, &v, &x, &z), TESS_ESHAPE, "g: v", "{1,0,3,4}", "no elements",
                "zero, value or nothing, or of a spectrum");
    CHECK_FAILS(tess_call(error, &v, &x, &z), TESS_ESHAPE, "h: v", "{1,0,3,4}", "no elements");
    tess_release(&z);
    CHECK_OK(tess_call(clamp, &v, &v, &z));
    tess_release(&z);
    tess_op *value = parsed("op i(view value f32 v = 2.5f, in f32 x, out f32 z) {"
                            " z = x + v[b,d,h,w] - interp_lanczos6(v, b, d, 0.3f, 0.4f); }");
    tess_op *nothing = parsed("op j(view nothing f32 v, in f32 x, out f32 z) { z = x + interp_cubic(v, b, d, h, w); }");
    CHECK_OK(tess_call(value, &v, &x, &z));
    CHECK(same_values(&z, &x));
    CHECK_OK(tess_call(nothing, &v, &x, &z));
    CHECK(same_values(&z, &x));
    tess_op *spectrum = parsed("op k(view spectrum_h f32 v, view spectrum_fc f32 u, in f32 x, out f32 z) {"
                               " z = x + v[b,d,h,w] + interp_cubic(v, b, d, h, w) + interp3_linear(u, b, d, h, w); }");
    CHECK_OK(tess_call(spectrum, &v, &v, &x, &z));
    CHECK(same_values(&z, &x));
    tess_op_release(spectrum);
    tess_op_release(value);
    tess_op_release(nothing);
    tess_release(&z);
    tess_release(&v);
    tess_release(&x);
    tess_op_release(zero);
    tess_op_release(clamp);
    tess_op_release(error);
}

/* What lies outside may be a value of the call. */
TEST(values_outside_are_those_of_the_call)
{
    tess_op   *op = parsed("op f(view value i32 v = far, val i32 far, out i32 z) { z = v[b,d,h-1,w+1]; }");
    tess_array v = numbers(TESS_I32, 2, 1, 3, 5), z = numbers(TESS_I32, 2, 1, 3, 5);
    for (int32_t far = -3; far < 4; far += 3) {
        CHECK_OK(tess_call(op, &v, far, &z));
        for (int64_t b = 0; b < 2; b++)
            for (int64_t h = 0; h < 3; h++)
                for (int64_t w = 0; w < 5; w++) {
                    const int32_t from = TESS_AT(int32_t, v, b, 0, h > 0 ? h - 1 : 0, w < 4 ? w + 1 : 0);
                    CHECK(TESS_AT(int32_t, z, b, 0, h, w) == (h > 0 && w < 4 ? from : far));
                }
    }
    tess_release(&z);
    tess_release(&v);
    tess_op_release(op);
}

/* Inputs that are broadcast along the rows, in all combinations, more of them than programs are kept for. */
TEST(inputs_that_are_the_same_along_a_row)
{
    tess_op *op = parsed("fn i32 twice(i32 a) { return a*2; }"
                         "op f(in i32 x, in i32 p, in i32 q, in i32 r, out i32 z) {"
                         " i32 s = twice(p) + h; for (i32 i = 0; i < 3; ++i) { s += q*i; }"
                         " if (r > 3) { s = s - r; } z = x*s + (q > p ? q : w); }");
    tess_op *sum = parsed("op g(in i32 x, in i32 p, acc sum i64 s, out i64 z) { i32 k = p*p + 1; s += x*k; }");
    for (int set = 0; set < 16; set++) {
        tess_array in[4], z = { 0 }, total = { 0 };
        for (int k = 0; k < 4; k++) in[k] = numbers(TESS_I32, 2, 1, 3, set >> k & 1 ? 1 : 37);
        CHECK_OK(tess_call(op, &in[0], &in[1], &in[2], &in[3], &z));
        CHECK_OK(tess_call(sum, &in[0], &in[1], &total));
        int64_t want = 0;
        for (int64_t b = 0; b < 2; b++)
            for (int64_t h = 0; h < 3; h++)
                for (int64_t w = 0; w < z.shape.w; w++) {
                    int32_t a[4];
                    for (int k = 0; k < 4; k++) a[k] = TESS_AT(int32_t, in[k], b, 0, h, set >> k & 1 ? 0 : w);
                    int32_t s = 2 * a[1] + (int32_t)h + 3 * a[2];
                    if (a[3] > 3) s -= a[3];
                    CHECK(TESS_AT(int32_t, z, b, 0, h, w) == a[0] * s + (a[2] > a[1] ? a[2] : (int32_t)w));
                    if (w < 37 && ((set & 3) != 3 || w == 0)) want += a[0] * (a[1] * a[1] + 1);
                }
        CHECK(TESS_AT(int64_t, total, 0, 0, 0, 0) == want);
        for (int k = 0; k < 4; k++) tess_release(&in[k]);
        tess_release(&z);
        tess_release(&total);
    }
    tess_op_release(op);
    tess_op_release(sum);
}

TEST(reductions_of_views_take_the_domain_of_the_options)
{
    tess_op        *op = parsed("op f(view f32 v, acc sum f64 s, out f64 z) { s += v[b,d,h,w]; }");
    tess_array      v = numbers(TESS_F32, 1, 1, 3, 4), z = { 0 };
    const tess_bind binds[] = { { .kind = TESS_BIND_INPUT, .as.input = &v },
                                { .kind = TESS_BIND_ARRAY, .as.array = &z } };
    CHECK_FAILS(tess_run(op, binds, 2, NULL), TESS_ESHAPE, "f: no input", "domain");
    CHECK_OK(tess_run(op, binds, 2, &(tess_run_opts){ .domain = { { 1, 1, 2, 5 } } }));
    CHECK(value_at(&z, 0, 0, 0, 0) == 28);
    tess_release(&v);
    tess_release(&z);
    tess_op_release(op);
}

/* Work that is queued keeps its operator and its arrays. */
TEST(queued_work_keeps_what_it_needs)
{
    tess_op     *op = parsed("op f(in f32 x, in f32 y, val f32 a, out f32 z) { z = x*a + y; }");
    tess_array   x = constant(TESS_F32, 1, 1, 3, 4, 2), z = constant(TESS_F32, 1, 1, 3, 4, 0);
    tess_stream *s = NULL;
    gate         g;
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    if (!gate_close(&g, s)) return;
    {
        const tess_array number = tess_f32(5);
        const tess_bind  binds[] = { { .kind = TESS_BIND_INPUT, .as.input = &x },
                                     { .kind = TESS_BIND_INPUT, .as.input = &number },
                                     { .kind = TESS_BIND_F64, .as.f = 3 },
                                     { .kind = TESS_BIND_ARRAY, .as.array = &z } };
        CHECK_OK(tess_run(op, binds, 4, &(tess_run_opts){ .stream = s }));
        *(float *)number.data = 100;
    }
    tess_op_release(op);
    tess_release(&x);
    gate_open(&g);
    CHECK_OK(tess_stream_sync(s));
    CHECK(all_are(&z, 11));
    tess_stream_free(s);
    tess_release(&z);
}

/* ---- Definitions ---- */

TESS_EWISE(my_fuse, (in(f32, x), val(f32, a), out(f32, z)), z = a * x + tessm_cos(x);)
TESS_REDUCE(my_sum, (in(f32, x), acc(f32, s, sum), out(f32, r)), s += x;)

static void *call_first(void *x)
{
    float *total = NULL;
    float  sum = 0;
    (void)total;
    CHECK_OK(tess_call(&my_sum, (tess_array *)x, &sum));
    CHECK(sum == 66);
    return NULL;
}

TEST(definitions_are_made_once)
{
    tess_array x = numbers(TESS_F32, 1, 1, 3, 4), z = { 0 }, want = { 0 };
    pthread_t  threads[4];
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, call_first, &x) == 0);
    for (int i = 0; i < 4; i++) (void)pthread_join(threads[i], NULL);
    const tess_op *op = NULL, *again = NULL;
    CHECK_OK(tess_op_of(&op, &my_fuse));
    CHECK_OK(tess_op_of(&again, &my_fuse));
    CHECK(op == again && strstr(tess_op_source(op), "my_fuse"));
    tess_op_release((tess_op *)(uintptr_t)op); /* not ours: nothing happens */
    CHECK_OK(tess_call(&my_fuse, &x, 2.0f, &z));
    tess_op *text = parsed(tess_op_source(op));
    CHECK_OK(tess_call(text, &x, 2.0f, &want));
    CHECK(same_values(&z, &want));
    CHECK_OK(tess_call(&my_fuse, &x, 2.0f, &x));
    CHECK(same_values(&x, &want));
    CHECK_FAILS(tess_op_of(NULL, &my_fuse), TESS_EARG, "op_of", "op is NULL");
    CHECK_FAILS(tess_op_of(&op, NULL), TESS_EARG, "op_of", "def is NULL");
    tess_op_release(text);
    tess_release(&x);
    tess_release(&z);
    tess_release(&want);
}

TEST(definitions_do_what_their_macro_says)
{
    static tess_op_def wrong = { .name = "wrong",
                                 .params = "in(f32,x), out(f32,z)",
                                 .body = "z = x + (f32)w;",
                                 .file = "file.c",
                                 .tile = twice,
                                 .line = 7,
                                 .mode = TESS_MODE_EWISE };
    static tess_op_def bad = { .name = "bad",
                               .params = "in(f32,x), out(f32,z)",
                               .body = "z = y;",
                               .file = "file.c",
                               .tile = twice,
                               .line = 8,
                               .mode = TESS_MODE_EWISE };
    static tess_op_def sums = { .name = "sums",
                                .params = "in(f32,x), out(f32,z)",
                                .body = "z = x;",
                                .file = "file.c",
                                .tile = twice,
                                .line = 9,
                                .mode = TESS_MODE_REDUCE };
    static tess_op_def letters = { .name = "letters",
                                   .params = "in(f32,x), out(T,z)",
                                   .body = "z = x;",
                                   .file = "file.c",
                                   .tile = twice,
                                   .line = 10,
                                   .mode = TESS_MODE_EWISE };
    const tess_op     *op = NULL;
    int                line = 0, column = 0;
    CHECK_FAILS(tess_op_of(&op, &wrong), TESS_EPARSE, "file.c:7: wrong:1:14: ", "TESS_EWISE", "TESS_IWISE");
    CHECK(tess_error_position(&line, &column, NULL) && line == 1 && column == 14);
    CHECK_FAILS(tess_op_of(&op, &sums), TESS_EPARSE, "file.c:9: sums:1:1: ", "TESS_REDUCE", "TESS_EWISE");
    CHECK_FAILS(tess_op_of(&op, &letters), TESS_EPARSE, "file.c:10: letters:1:18: ", "letters");
    CHECK_FAILS(tess_op_of(&op, &bad), TESS_EPARSE, "file.c:8", "y");
    CHECK_FAILS(tess_run_def(&bad, NULL, 0, NULL), TESS_EPARSE, "y");
}

/* ---- Threads ---- */

/* Threads of this process; -1 where the system does not tell. */
static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int  n = 0;
    if (!tasks) return -1;
    for (const struct dirent *entry; (entry = readdir(tasks));) n += entry->d_name[0] != '.';
    (void)closedir(tasks);
    return n;
}

/* Workers are made when work is shared by more threads than before. */
static void check_threads(const tess_op *op, const tess_array *x, tess_array *z, tess_stream *stream)
{
    const tess_bind binds[] = { { .kind = TESS_BIND_INPUT, .as.input = x },
                                { .kind = TESS_BIND_ARRAY, .as.array = z } };
    const int       n = count_threads() + 3;
    CHECK_OK(tess_threads_set(n));
    CHECK_OK(tess_run(op, binds, 2, &(tess_run_opts){ .stream = stream, .threads = 1 }));
    CHECK_OK(tess_stream_sync(stream));
    CHECK_I64(count_threads(), n - 3);
    CHECK_OK(tess_run(op, binds, 2, &(tess_run_opts){ .stream = stream }));
    CHECK_OK(tess_stream_sync(stream));
    CHECK(count_threads() > n - 3);
    CHECK_I64(tess_threads_get(), n);
    CHECK_OK(tess_threads_set(0));
}

TEST(fewer_threads_on_asynchronous_streams)
{
    tess_stream *s = NULL;
    tess_op     *text = NULL;
    tess_array   x = { 0 }, z = { 0 };
    if (count_threads() < 0) return;
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_op_text(&text, "op f(in f32 x, out f32 z) { z = sin(x)*cos(x); }"));
    CHECK_OK(tess_full(&x, TESS_SHAPE(1, 1, 1000, 1000), TESS_F32, tess_cpu(), 1));
    CHECK_OK(tess_like(&z, &x));
    check_threads(TESS_OP_SIN, &x, &z, s);
    check_threads(text, &x, &z, s);
    tess_stream_free(s);
    tess_op_release(text);
    tess_release(&x);
    tess_release(&z);
}

/* ---- Built-in operators ---- */

TEST(builtin_operators_are_the_functions)
{
    tess_array x = numbers(TESS_F32, 1, 1, 3, 4), y = numbers(TESS_I16, 1, 1, 1, 4), z = { 0 }, want = { 0 };
    CHECK_OK(tess_call(TESS_OP_ADD, &x, &y, &z));
    CHECK_OK(tess_add(&want, &x, &y));
    CHECK(z.dtype == want.dtype && same_values(&z, &want));
    tess_release(&z);
    CHECK_OK(tess_call(TESS_OP_HYPOT, &x, 2.5, &z));
    CHECK(z.dtype == TESS_F32);
    CHECK_OK(tess_hypot(&want, &x, &tess_num(2.5)));
    CHECK(same_values(&z, &want));
    CHECK_OK(tess_call(TESS_OP_FMA, 2, &x, 1u, &z));
    CHECK(value_at(&z, 0, 0, 2, 3) == 23);
    tess_release(&z);
    CHECK_OK(tess_call(TESS_OP_MUL, &x, ((tess_c64){ 0, 1 }), &z));
    CHECK(z.dtype == TESS_C32);
    tess_release(&z);
    CHECK_FAILS(tess_call(TESS_OP_ADD, &x, &z), TESS_EARG, "add", "2 arguments", "3 are needed");
    CHECK_FAILS(tess_call(TESS_OP_ADD, &x, &x, 3), TESS_EARG, "add", "z (out)");
    CHECK_FAILS(tess_call(TESS_OP_ADD, &x, INT64_MAX, &z), TESS_ERANGE, "add", "y", "f64");
    CHECK_TEXT(tess_op_source(TESS_OP_ADD), "op add(in T x, in T y, out T z) { z = add(x, y); }");
    const tess_bind binds[] = { { .kind = TESS_BIND_INPUT, .as.input = &y },
                                { .kind = TESS_BIND_F64, .as.f = 1 },
                                { .kind = TESS_BIND_ARRAY, .as.array = &z } };
    CHECK_OK(tess_run(TESS_OP_ADD, binds, 3, &(tess_run_opts){ .domain = { { 2, 1, 3, 4 } }, .threads = 1 }));
    CHECK_DIMS(z.shape, 2, 1, 3, 4);
    CHECK_FAILS(tess_run(TESS_OP_ADD, binds, 3, &(tess_run_opts){ .domain = { { 2, 1, 5, 4 } } }), TESS_ESHAPE, "add",
                "z", "{2,1,3,4}", "{2,1,5,4}");
    CHECK_OK(tess_op_prepare(TESS_OP_ADD, tess_cpu(), NULL, 0));
    tess_op_retain((tess_op *)(uintptr_t)TESS_OP_ADD);
    tess_op_release((tess_op *)(uintptr_t)TESS_OP_ADD);
    tess_release(&x);
    tess_release(&y);
    tess_release(&z);
    tess_release(&want);
}

TEST(lanes_are_wide_for_sums_of_floats)
{
    CHECK(tess_lane_dtype(TESS_F16, 1) == TESS_F64 && tess_lane_dtype(TESS_F32, 1) == TESS_F64);
    CHECK(tess_lane_dtype(TESS_C16, 1) == TESS_C64 && tess_lane_dtype(TESS_C32, 1) == TESS_C64);
    CHECK(tess_lane_dtype(TESS_F32, 0) == TESS_F32 && tess_lane_dtype(TESS_I8, 1) == TESS_I8);
}
