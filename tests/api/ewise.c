/* Element-wise operations: every function with every bad argument, then good uses; values are in tests/check. */
#include <math.h>

#include "backend.h"
#include "support/arrays.h"
#include "support/gate.h"
#include "support/hooks.h"

/* ---- Every function, from the lists that made them ---- */

typedef enum type_set { ANY, NUMBER, WRAP, INTEGER, BITS, FLOAT, TRUTH, CHOICE } type_set;
typedef enum result_kind { NONE, SAME, BOOL, REAL, MAKES_COMPLEX } result_kind;
typedef tess_status call_fn(tess_array *out, const tess_array *const *in);

typedef struct function {
    const char *name;
    call_fn    *call;
    int         n; /* inputs */
    type_set    types;
    result_kind result;
} function;

#define CALL(name, ...)                                                                                                \
    static tess_status call_##name(tess_array *out, const tess_array *const *in)                                       \
    {                                                                                                                  \
        return tess_##name(out, __VA_ARGS__);                                                                          \
    }
#define EWISE1(name, ...) CALL(name, in[0])
#define EWISE1_SLOW EWISE1
#define EWISE2_SLOW EWISE2
#define EWISE2(name, ...) CALL(name, in[0], in[1])
#define EWISE3(name, ...) CALL(name, in[0], in[1], in[2])
#include "ops/ewise/ewise.def"
CALL(where, in[0], in[1], in[2])
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2_SLOW
#undef EWISE2
#undef EWISE3
#undef CALL

/* The results of complex numbers; NONE: there is no such operation. */
static const result_kind of_complex[TESS__OPS] = {
#define COMPLEX1(name, result, ...) [TESS__OP_##name] = result,
#define COMPLEX1_SLOW COMPLEX1
#define COMPLEX2 COMPLEX1
#define COMPLEX3 COMPLEX1
#include "ops/ewise/complex.def"
#undef COMPLEX1
#undef COMPLEX1_SLOW
#undef COMPLEX2
#undef COMPLEX3
    [TESS__OP_where] = SAME
};

static const function functions[TESS__OPS] = {
#define ROW(name, n, types, result) [TESS__OP_##name] = { #name, call_##name, n, types, result },
#define EWISE1(name, types, result, ...) ROW(name, 1, types, result)
#define EWISE1_SLOW EWISE1
#define EWISE2_SLOW EWISE2
#define EWISE2(name, types, result, ...) ROW(name, 2, types, result)
#define EWISE3(name, types, result, ...) ROW(name, 3, types, result)
#include "ops/ewise/ewise.def"
    ROW(where, 3, CHOICE, SAME)
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2_SLOW
#undef EWISE2
#undef EWISE3
#undef ROW
};

static const char *argument(int op, int k)
{
    static const char *const names[2][3] = { { "x", "y", "z" }, { "condition", "x", "y" } };
    return names[op == TESS__OP_where][k];
}

/* ---- Bad arguments ---- */

/* Good arguments of one function, to be spoilt: inputs of 2 x 3 i16, and an output that can hold the result. */
typedef struct fixture {
    int               op;
    tess_array        x[3], out;
    const tess_array *in[3];
} fixture;

static void setup(fixture *t, int op)
{
    memset(t, 0, sizeof *t);
    t->op = op;
    for (int k = 0; k < 3; k++) {
        t->x[k] = numbers(TESS_I16, 1, 1, 2, 3);
        t->in[k] = &t->x[k];
    }
    t->out = constant(functions[op].result == MAKES_COMPLEX ? TESS_C32 : TESS_F32, 1, 1, 2, 3, -7);
}

/* Nothing that was rejected has been written. */
static void teardown(fixture *t)
{
    tess_array as_set = constant(t->out.dtype, 1, 1, 2, 3, -7);
    CHECK(memcmp(t->out.data, as_set.data, (size_t)tess_n_bytes(&as_set)) == 0);
    for (int k = 0; k < 3; k++) tess_release(&t->x[k]);
    tess_release(&t->out);
    tess_release(&as_set);
}

/* The call fails with this status and these parts of a message (NULL: no more), and nothing changes. */
static void refuses(const fixture *t, tess_array *out, tess_status status, const char *a, const char *b, const char *c)
{
    const function  *f = &functions[t->op];
    const tess_array before = out ? *out : (tess_array){ .dtype = 0 };
    const int64_t    used = tess_memory_used(tess_cpu());
    char             prefix[40];
    (void)snprintf(prefix, sizeof prefix, "%s: ", f->name);
    if (!CHECK_FAILS(f->call(out, t->in), status, prefix, a, b, c))
        (void)test_failed(__FILE__, __LINE__, "that was %s, %s", f->name, a);
    if (out && !same_struct(out, &before)) (void)test_failed(__FILE__, __LINE__, "%s, %s: out changed", f->name, a);
    CHECK_I64(tess_memory_used(tess_cpu()), used);
}

/* The same with an output that is made and one that is not. */
static void refuses_both(fixture *t, tess_status status, const char *a, const char *b, const char *c)
{
    tess_array unmade = { 0 };
    refuses(t, &unmade, status, a, b, c);
    refuses(t, &t->out, status, a, b, c);
}

/* A part of a message, good for four calls. */
static const char *text(const char *format, const char *a, const char *b)
{
    static char texts[4][80];
    static int  next;
    char       *to = texts[next++ % 4];
    (void)snprintf(to, sizeof texts[0], format, a, b);
    return to;
}

/* The body for every function, or for every input of every function. */
static void each_function(void (*body)(fixture *t, const function *f))
{
    for (int op = 0; op < TESS__OPS; op++) {
        fixture t;
        setup(&t, op);
        body(&t, &functions[op]);
        teardown(&t);
    }
}

static void each_input(void (*body)(fixture *t, int k, const char *name))
{
    for (int op = 0; op < TESS__OPS; op++)
        for (int k = 0; k < functions[op].n; k++) {
            fixture t;
            setup(&t, op);
            body(&t, k, argument(op, k));
            teardown(&t);
        }
}

static void no_input(fixture *t, int k, const char *name)
{
    tess_array zeroed = { 0 }, released = numbers(TESS_I16, 1, 1, 2, 3), odd = t->x[k];
    tess_release(&released);
    t->in[k] = NULL;
    refuses_both(t, TESS_EARG, text("%s is NULL", name, ""), "an array is needed", NULL);
    t->in[k] = &zeroed;
    refuses_both(t, TESS_EARG, text("%s is a released or zeroed array", name, ""), "allocated", NULL);
    t->in[k] = &released;
    refuses_both(t, TESS_EARG, text("%s is a released or zeroed array", name, ""), "allocated", NULL);
    t->in[k] = &odd;
    odd.dtype = 99;
    refuses_both(t, TESS_EDTYPE, text("%s has dtype 99", name, ""), "initialised", NULL);
    odd = t->x[k];
    odd.data = NULL;
    refuses_both(t, TESS_EARG, text("%s has elements but its data is NULL", name, ""), NULL, NULL);
    odd = t->x[k];
    odd.shape.d = -1;
    refuses_both(t, TESS_ESHAPE, text("%s is {1,-1,2,3}", name, ""), "sizes of 0 or more", NULL);
}
TEST(inputs_that_are_none) { each_input(no_input); }

static void no_output(fixture *t, const function *f)
{
    (void)f;
    refuses(t, NULL, TESS_EARG, "out is NULL", "not allowed", NULL);
    tess_array odd = t->out;
    odd.dtype = 99;
    refuses(t, &odd, TESS_EDTYPE, "out has dtype 99", "initialised", NULL);
    odd = t->out;
    odd.data = NULL;
    refuses(t, &odd, TESS_EARG, "out has elements but its data is NULL", NULL, NULL);
    odd = t->out;
    odd.dtype = TESS_DTYPE_NONE;
    refuses(t, &odd, TESS_EARG, "out is a released or zeroed array", NULL, NULL);
    odd = (tess_array){ .dtype = t->out.dtype };
    refuses(t, &odd, TESS_ESHAPE, text("out has dtype %s,", tess_dtype_name(odd.dtype), ""),
            "no data and shape {0,0,0,0}", "a zero-initialised one (dtype included)");
}
TEST(outputs_that_are_none) { each_function(no_output); }

static void not_writable(fixture *t, const function *f)
{
    (void)f;
    tess_array out = read_only(t->out), scalar = tess_num(1);
    refuses(t, &out, TESS_EWRITE, "out is read-only", "a writable array", NULL);
    refuses(t, &scalar, TESS_EWRITE, "out is read-only", NULL, NULL);
    out = t->out;
    out.strides.w = 0;
    refuses(t, &out, TESS_EWRITE, "out has shape {1,1,2,3} and strides {6,6,3,0}", "axis 3 is broadcast",
            "cannot be written to");
    out.strides.w = out.strides.h = 1;
    refuses(t, &out, TESS_EWRITE, "out has shape {1,1,2,3} and strides {6,6,1,1}", "share memory", NULL);
}
TEST(outputs_that_cannot_be_written) { each_function(not_writable); }

static void wrong_shapes(fixture *t, int k, const char *name)
{
    tess_array unmade = { 0 }, longer = numbers(TESS_I16, 1, 1, 2, 4), none = numbers(TESS_I16, 1, 0, 2, 3);
    tess_array part = t->out;
    t->in[k] = &longer;
    refuses(t, &t->out, TESS_ESHAPE, text("%s has shape {1,1,2,4}", name, ""), "{1,1,2,3}",
            "axis 3 must be 1 or equal");
    if (functions[t->op].n > 1) {
        const char *later = k == 0 ? argument(t->op, 1) : name;
        refuses(t, &unmade, TESS_ESHAPE, text("%s has shape %s", later, k == 0 ? "{1,1,2,3}" : "{1,1,2,4}"),
                k == 0 ? "{1,1,2,4} of the others" : "{1,1,2,3} of the others", "axis 3 must be 1 or equal");
    }
    t->in[k] = &none;
    refuses(t, &t->out, TESS_ESHAPE, text("%s has shape {1,0,2,3}", name, ""), "axis 1", NULL);
    t->in[k] = &t->x[k];
    part.shape.w = 1;
    refuses(t, &part, TESS_ESHAPE, text("%s has shape {1,1,2,3}", argument(t->op, 0), ""),
            "cannot be broadcast to {1,1,2,1}", "axis 3");
    tess_release(&longer);
    tess_release(&none);
}
TEST(shapes_that_do_not_go_together) { each_input(wrong_shapes); }

/* Shifted by one, reversed, of another size, and part of the output: none is exactly the output. */
static void overlaps(fixture *t, int k, const char *name)
{
    const tess_dtype dtype = t->out.dtype;
    tess_array       all = constant(dtype, 1, 1, 3, 3, 5), in = { 0 }, out = { 0 };
    const char      *shared = text("shares memory with %s ", name, "");
    const bool       fits = dtype == TESS_F32 && functions[t->op].types != BITS && functions[t->op].types != INTEGER;
    CHECK_OK(tess_subregion_text(&out, &all, "..., 0:2, :"));
    CHECK_OK(tess_subregion_text(&in, &all, "..., 1:3, :"));
    in.dtype = dtype == TESS_F32 && fits ? TESS_F32 : dtype == TESS_F32 ? TESS_I32 : TESS_F64;
    t->in[k] = &in;
    refuses(t, &out, TESS_EALIAS, "out (shape {1,1,2,3}, strides {9,9,3,1})", shared, "exactly the same view");
    CHECK_OK(tess_reverse(&in, &in, TESS_W));
    in.data = (char *)all.data + 2 * tess_dtype_size(dtype);
    refuses(t, &out, TESS_EALIAS, shared, "strides {9,9,3,-1}", text("copy %s first", name, ""));
    in = out;
    in.dtype = TESS_I16;
    refuses(t, &out, TESS_EALIAS, shared, NULL, NULL);
    CHECK_OK(tess_index(&in, &out, 2, 0));
    in.dtype = dtype == TESS_F32 ? TESS_I32 : TESS_I64;
    refuses(t, &out, TESS_EALIAS, shared, "shape {1,1,1,3}", NULL);
    CHECK(memcmp(all.data, (char *)all.data + 6 * tess_dtype_size(dtype), 3 * tess_dtype_size(dtype)) == 0);
    tess_release(&all);
}
TEST(outputs_that_overlap_an_input) { each_input(overlaps); }

static void compounds(fixture *t, int k, const char *name)
{
    for (tess_dtype dtype = TESS_VEC2_F32; dtype < TESS_DTYPE_COUNT; dtype++) {
        tess_array compound = constant(dtype, 1, 1, 2, 3, 1);
        t->in[k] = &compound;
        if (t->op == TESS__OP_where && k > 0)
            refuses_both(t, TESS_EDTYPE, text("%s is %s", name, tess_dtype_name(dtype)), "i16", "the same compound");
        else
            refuses_both(t, TESS_EDTYPE, text("%s is %s", name, tess_dtype_name(dtype)), "a real or complex type",
                         "tess_reinterpret");
        tess_release(&compound);
    }
}
TEST(compounds_are_not_numbers) { each_input(compounds); }

static void complex_inputs(fixture *t, int k, const char *name)
{
    for (tess_dtype dtype = TESS_C16; dtype <= TESS_C64; dtype++) {
        tess_array z = constant(dtype, 1, 1, 2, 3, 1);
        t->in[k] = &z;
        if (of_complex[t->op] == NONE || (t->op == TESS__OP_where && k == 0)) {
            const type_set of = functions[t->op].types;
            refuses_both(t, TESS_EDTYPE, text("%s is %s;", name, tess_dtype_name(dtype)),
                         of == BITS      ? "bool or an integer type is needed"
                         : of == INTEGER ? "an integer type is needed"
                                         : "a real type is needed",
                         NULL);
        } else if (of_complex[t->op] == SAME) {
            const tess_dtype meet = functions[t->op].n == 1 ? dtype : tess_dtype_promote(dtype, TESS_I16);
            refuses(t, &t->out, TESS_EDTYPE, "out is f32", text("the result is %s", tess_dtype_name(meet), ""),
                    "converts to");
        }
        tess_release(&z);
    }
}
TEST(complex_numbers_where_there_is_no_such_operation) { each_input(complex_inputs); }

static void float_inputs(fixture *t, int k, const char *name)
{
    const type_set of = functions[t->op].types;
    if (of != BITS && of != INTEGER) return;
    for (tess_dtype dtype = TESS_F16; dtype <= TESS_F64; dtype++) {
        tess_array x = constant(dtype, 1, 1, 2, 3, 1);
        t->in[k] = &x;
        refuses_both(t, TESS_EDTYPE, text("%s is %s;", name, tess_dtype_name(dtype)),
                     of == BITS ? "bool or an integer type is needed" : "an integer type is needed", NULL);
        tess_release(&x);
    }
    t->in[k] = &tess_num(2.5);
    refuses_both(t, TESS_EDTYPE, text("%s is a number", name, ""), "f64", "integer type is needed");
}
TEST(floats_where_integers_are_needed) { each_input(float_inputs); }

static void other_outputs(fixture *t, const function *f)
{
    tess_array vector = constant(TESS_VEC2_F32, 1, 1, 2, 3, 1), real = constant(TESS_F64, 1, 1, 2, 3, 1);
    refuses(t, &vector, TESS_EDTYPE, "out is vec2_f32", "the result is ", "that dtype or one it converts to");
    if (f->result == MAKES_COMPLEX) refuses(t, &real, TESS_EDTYPE, "out is f64", "the result is c32", NULL);
    CHECK(all_are(&real, 1));
    tess_release(&vector);
    tess_release(&real);
}
TEST(outputs_that_cannot_hold_the_result) { each_function(other_outputs); }

static void devices(fixture *t, int k, const char *name)
{
    const tess_array there = on_gpu(t->x[k]);
    tess_array       unmade = { 0 }, out = on_gpu(t->out);
    t->in[k] = &there;
    refuses(t, &t->out, TESS_EDEVICE, text(" %s ", name, ""), "on gpu:0", "on cpu");
    refuses(t, &unmade, TESS_EDEVICE, "gpu:0", NULL, NULL);
    t->in[k] = &t->x[k];
    refuses(t, &out, TESS_EDEVICE, "is on cpu and out on gpu:0", "tess_to_device", NULL);
}
TEST(devices_that_differ) { each_input(devices); }

TEST(integers_that_meet_only_as_floats)
{
    tess_array i = numbers(TESS_I64, 1, 1, 2, 3), u = numbers(TESS_U64, 1, 1, 2, 3), out = { 0 };
    CHECK_FAILS(tess_bit_and(&out, &i, &u), TESS_EDTYPE, "bit_and: ", "i64", "u64", "f64");
    CHECK_FAILS(tess_shift_left(&out, &u, &i), TESS_EDTYPE, "shift_left: ", "i64", "u64", "f64");
    CHECK_FAILS(tess_bit_or(&out, &u, &tess_num(-1)), TESS_EDTYPE, "bit_or: ", "y is a number", "f64");
    CHECK(is_zeroed(&out));
    tess_release(&i);
    tess_release(&u);
}

TEST(the_argument_at_fault_is_the_one_named)
{
    tess_array f = numbers(TESS_F32, 1, 1, 2, 3), out = { 0 };
    CHECK_FAILS(tess_bit_and(&out, &tess_num(1), &f), TESS_EDTYPE, "bit_and: y is f32;", "bool or an integer type");
    CHECK_FAILS(tess_bit_and(&out, &f, &tess_num(1)), TESS_EDTYPE, "bit_and: x is f32;", "bool or an integer type");
    tess_release(&f);
}

/* ---- Values: each name does what it says ---- */

/* x, y, z, and the result of f64, or of i32 where integers are needed. */
static const struct {
    double   in[3];
    tess_c64 want;
} values[TESS__OPS] = {
    [TESS__OP_add] = { { 0.75, -1.5, 2.25 }, { -0.75, 0 } },
    [TESS__OP_sub] = { { 0.75, -1.5, 2.25 }, { 2.25, 0 } },
    [TESS__OP_mul] = { { 0.75, -1.5, 2.25 }, { -1.125, 0 } },
    [TESS__OP_div] = { { 0.75, -1.5, 2.25 }, { -0.5, 0 } },
    [TESS__OP_true_div] = { { 0.75, -1.5, 2.25 }, { -0.5, 0 } },
    [TESS__OP_floor_div] = { { 7.5, -2, 2.25 }, { -4, 0 } },
    [TESS__OP_mod] = { { 7.5, -2, 2.25 }, { 1.5, 0 } },
    [TESS__OP_floor_mod] = { { 7.5, -2, 2.25 }, { -0.5, 0 } },
    [TESS__OP_div_safe] = { { 0.75, -1.5, 2.25 }, { -0.5, 0 } },
    [TESS__OP_pow] = { { 0.75, -1.5, 2.25 }, { 1.539600717839002, 0 } },
    [TESS__OP_square_diff] = { { 0.75, -1.5, 2.25 }, { 5.0625, 0 } },
    [TESS__OP_mul_conj] = { { 0.75, -1.5, 2.25 }, { -1.125, 0 } },
    [TESS__OP_fma] = { { 0.75, -1.5, 2.25 }, { 1.125, 0 } },
    [TESS__OP_neg] = { { 0.75, -1.5, 2.25 }, { -0.75, 0 } },
    [TESS__OP_abs] = { { -1.5, -1.5, 2.25 }, { 1.5, 0 } },
    [TESS__OP_abs2] = { { -1.5, -1.5, 2.25 }, { 2.25, 0 } },
    [TESS__OP_sign] = { { -1.5, -1.5, 2.25 }, { -1, 0 } },
    [TESS__OP_square] = { { 0.75, -1.5, 2.25 }, { 0.5625, 0 } },
    [TESS__OP_reciprocal] = { { 0.75, -1.5, 2.25 }, { 1.3333333333333333, 0 } },
    [TESS__OP_minimum] = { { 0.75, -1.5, 2.25 }, { -1.5, 0 } },
    [TESS__OP_maximum] = { { 0.75, -1.5, 2.25 }, { 0.75, 0 } },
    [TESS__OP_fmin] = { { 0.75, -1.5, 2.25 }, { -1.5, 0 } },
    [TESS__OP_fmax] = { { 0.75, -1.5, 2.25 }, { 0.75, 0 } },
    [TESS__OP_clamp] = { { 5, -1.5, 2.25 }, { 2.25, 0 } },
    [TESS__OP_shift_scale] = { { 5, -1.5, 2 }, { 3.25, 0 } },
    [TESS__OP_equal] = { { 0.75, -1.5, 2.25 }, { 0, 0 } },
    [TESS__OP_not_equal] = { { 0.75, -1.5, 2.25 }, { 1, 0 } },
    [TESS__OP_less] = { { 0.75, -1.5, 2.25 }, { 0, 0 } },
    [TESS__OP_less_equal] = { { 0.75, -1.5, 2.25 }, { 0, 0 } },
    [TESS__OP_greater] = { { 0.75, -1.5, 2.25 }, { 1, 0 } },
    [TESS__OP_greater_equal] = { { 0.75, -1.5, 2.25 }, { 1, 0 } },
    [TESS__OP_is_nan] = { { 0.75, -1.5, 2.25 }, { 0, 0 } },
    [TESS__OP_is_inf] = { { 0.75, -1.5, 2.25 }, { 0, 0 } },
    [TESS__OP_is_finite] = { { 0.75, -1.5, 2.25 }, { 1, 0 } },
    [TESS__OP_signbit] = { { -1.5, -1.5, 2.25 }, { 1, 0 } },
    [TESS__OP_logical_and] = { { 0.75, 0, 2.25 }, { 0, 0 } },
    [TESS__OP_logical_or] = { { 0.75, 0, 2.25 }, { 1, 0 } },
    [TESS__OP_logical_xor] = { { 0.75, -1.5, 2.25 }, { 0, 0 } },
    [TESS__OP_logical_not] = { { 0.75, -1.5, 2.25 }, { 0, 0 } },
    [TESS__OP_bit_and] = { { 12, 10, 2.25 }, { 8, 0 } },
    [TESS__OP_bit_or] = { { 12, 10, 2.25 }, { 14, 0 } },
    [TESS__OP_bit_xor] = { { 12, 10, 2.25 }, { 6, 0 } },
    [TESS__OP_bit_not] = { { 12, 10, 2.25 }, { -13, 0 } },
    [TESS__OP_shift_left] = { { -5, 3, 2.25 }, { -40, 0 } },
    [TESS__OP_shift_right] = { { -5, 1, 2.25 }, { -3, 0 } },
    [TESS__OP_floor] = { { -1.5, -1.5, 2.25 }, { -2, 0 } },
    [TESS__OP_ceil] = { { -1.5, -1.5, 2.25 }, { -1, 0 } },
    [TESS__OP_trunc] = { { -1.5, -1.5, 2.25 }, { -1, 0 } },
    [TESS__OP_round] = { { -2.5, -1.5, 2.25 }, { -3, 0 } },
    [TESS__OP_rint] = { { -2.5, -1.5, 2.25 }, { -2, 0 } },
    [TESS__OP_sqrt] = { { 0.75, -1.5, 2.25 }, { 0.8660254037844386, 0 } },
    [TESS__OP_rsqrt] = { { 0.75, -1.5, 2.25 }, { 1.1547005383792517, 0 } },
    [TESS__OP_cbrt] = { { 0.75, -1.5, 2.25 }, { 0.9085602964160698, 0 } },
    [TESS__OP_exp] = { { 0.75, -1.5, 2.25 }, { 2.117000016612675, 0 } },
    [TESS__OP_exp2] = { { 0.75, -1.5, 2.25 }, { 1.681792830507429, 0 } },
    [TESS__OP_exp10] = { { 0.75, -1.5, 2.25 }, { 5.623413251903491, 0 } },
    [TESS__OP_expm1] = { { 0.75, -1.5, 2.25 }, { 1.1170000166126748, 0 } },
    [TESS__OP_log] = { { 0.75, -1.5, 2.25 }, { -0.2876820724517809, 0 } },
    [TESS__OP_log2] = { { 0.75, -1.5, 2.25 }, { -0.4150374992788438, 0 } },
    [TESS__OP_log10] = { { 0.75, -1.5, 2.25 }, { -0.12493873660829993, 0 } },
    [TESS__OP_log1p] = { { 0.75, -1.5, 2.25 }, { 0.5596157879354227, 0 } },
    [TESS__OP_logaddexp] = { { 0.75, -1.5, 2.25 }, { 0.8502065589167472, 0 } },
    [TESS__OP_hypot] = { { 0.75, -1.5, 2.25 }, { 1.6770509831248424, 0 } },
    [TESS__OP_sin] = { { 0.75, -1.5, 2.25 }, { 0.6816387600233341, 0 } },
    [TESS__OP_cos] = { { 0.75, -1.5, 2.25 }, { 0.7316888688738209, 0 } },
    [TESS__OP_tan] = { { 0.75, -1.5, 2.25 }, { 0.9315964599440725, 0 } },
    [TESS__OP_sinc] = { { 0.75, -1.5, 2.25 }, { 0.9088516800311122, 0 } },
    [TESS__OP_asin] = { { 0.75, -1.5, 2.25 }, { 0.848062078981481, 0 } },
    [TESS__OP_acos] = { { 0.75, -1.5, 2.25 }, { 0.7227342478134157, 0 } },
    [TESS__OP_atan] = { { 0.75, -1.5, 2.25 }, { 0.6435011087932844, 0 } },
    [TESS__OP_atan2] = { { 0.75, -1.5, 2.25 }, { 2.677945044588987, 0 } },
    [TESS__OP_sinh] = { { 0.75, -1.5, 2.25 }, { 0.82231673193583, 0 } },
    [TESS__OP_cosh] = { { 0.75, -1.5, 2.25 }, { 1.2946832846768448, 0 } },
    [TESS__OP_tanh] = { { 0.75, -1.5, 2.25 }, { 0.6351489523872873, 0 } },
    [TESS__OP_asinh] = { { 0.75, -1.5, 2.25 }, { 0.6931471805599453, 0 } },
    [TESS__OP_acosh] = { { 2.5, -1.5, 2.25 }, { 1.566799236972411, 0 } },
    [TESS__OP_atanh] = { { 0.75, -1.5, 2.25 }, { 0.9729550745276566, 0 } },
    [TESS__OP_erf] = { { 0.75, -1.5, 2.25 }, { 0.7111556336535151, 0 } },
    [TESS__OP_erfc] = { { 0.75, -1.5, 2.25 }, { 0.28884436634648486, 0 } },
    [TESS__OP_deg2rad] = { { 0.75, -1.5, 2.25 }, { 0.013089969389957472, 0 } },
    [TESS__OP_rad2deg] = { { 0.75, -1.5, 2.25 }, { 42.97183463481174, 0 } },
    [TESS__OP_copysign] = { { 0.75, -1.5, 2.25 }, { -0.75, 0 } },
    [TESS__OP_real] = { { 0.75, -1.5, 2.25 }, { 0.75, 0 } },
    [TESS__OP_imag] = { { 0.75, -1.5, 2.25 }, { 0, 0 } },
    [TESS__OP_conj] = { { 0.75, -1.5, 2.25 }, { 0.75, 0 } },
    [TESS__OP_arg] = { { -1.5, -1.5, 2.25 }, { 3.141592653589793, 0 } },
    [TESS__OP_complex] = { { 0.75, -1.5, 2.25 }, { 0.75, -1.5 } },
    [TESS__OP_complex_polar] = { { 0.75, -1.5, 2.25 }, { 0.053052901250777176, -0.7481212399530408 } },
    [TESS__OP_cis] = { { 0.75, -1.5, 2.25 }, { 0.7316888688738209, 0.6816387600233341 } },
    [TESS__OP_where] = { { 1, -1.5, 2.25 }, { -1.5, 0 } },
};

/* The same of the complex numbers 0.5 - 1.25i, 1.5 + 0.75i and 0.25 + 2i. */
static const tess_c64 complex_values[TESS__OPS] = {
    [TESS__OP_add] = { 2, -0.5 },
    [TESS__OP_sub] = { -1, -2 },
    [TESS__OP_mul] = { 1.6875, -1.5 },
    [TESS__OP_mul_conj] = { -0.1875, -2.25 },
    [TESS__OP_div] = { -0.06666666666666667, -0.8 },
    [TESS__OP_true_div] = { -0.06666666666666667, -0.8 },
    [TESS__OP_div_safe] = { -0.06666666666666667, -0.8 },
    [TESS__OP_pow] = { 0.03195006911243698, -3.8141304488128207 },
    [TESS__OP_square_diff] = { -3, 4 },
    [TESS__OP_fma] = { 1.9375, 0.5 },
    [TESS__OP_equal] = { 0, 0 },
    [TESS__OP_not_equal] = { 1, 0 },
    [TESS__OP_neg] = { -0.5, 1.25 },
    [TESS__OP_abs] = { 1.346291201783626, 0 },
    [TESS__OP_abs2] = { 1.8125, 0 },
    [TESS__OP_sign] = { 0.3713906763541037, -0.9284766908852594 },
    [TESS__OP_square] = { -1.3125, -1.25 },
    [TESS__OP_reciprocal] = { 0.27586206896551724, 0.6896551724137931 },
    [TESS__OP_is_nan] = { 0, 0 },
    [TESS__OP_is_inf] = { 0, 0 },
    [TESS__OP_is_finite] = { 1, 0 },
    [TESS__OP_logical_and] = { 1, 0 },
    [TESS__OP_logical_or] = { 1, 0 },
    [TESS__OP_logical_xor] = { 0, 0 },
    [TESS__OP_logical_not] = { 0, 0 },
    [TESS__OP_sqrt] = { 0.9608046632337985, -0.6504964265019547 },
    [TESS__OP_exp] = { 0.5198786860084937, -1.5646111274988195 },
    [TESS__OP_log] = { 0.2973535538733464, -1.1902899496825317 },
    [TESS__OP_log2] = { 0.42899049756378604, -1.7172254076269622 },
    [TESS__OP_log10] = { 0.12913900762151564, -0.5169363570120227 },
    [TESS__OP_sin] = { 0.9053586344209573, -1.4058162504314684 },
    [TESS__OP_cos] = { 1.6572478640539148, 0.7680009178735728 },
    [TESS__OP_tan] = { 0.1261085664842344, -0.906724804319431 },
    [TESS__OP_asin] = { 0.30798137157211863, -1.0855765577207785 },
    [TESS__OP_acos] = { 1.262814955222778, 1.0855765577207785 },
    [TESS__OP_atan] = { 1.1265564408348223, -0.708303336014054 },
    [TESS__OP_sinh] = { 0.16431300276137265, -1.0700996973668526 },
    [TESS__OP_cosh] = { 0.355565683247121, -0.49451143013196674 },
    [TESS__OP_tanh] = { 1.5839635482844239, -0.8066346988510739 },
    [TESS__OP_asinh] = { 0.8988936293694824, -1.0611857724687428 },
    [TESS__OP_acosh] = { 1.0855765577207785, -1.262814955222778 },
    [TESS__OP_atanh] = { 0.1858945085467093, -0.9425141129396175 },
    [TESS__OP_real] = { 0.5, 0 },
    [TESS__OP_imag] = { -1.25, 0 },
    [TESS__OP_conj] = { 0.5, 1.25 },
    [TESS__OP_arg] = { -1.1902899496825317, 0 },
};

static bool near(double got, double want) { return fabs(got - want) <= 4e-15 * (1 + fabs(want)); }

static void check_value(int op, const tess_array *const *in, tess_c64 want)
{
    tess_array out = { 0 }, wide = { 0 };
    tess_c64   got = { 0, 0 };
    if (CHECK_OK(functions[op].call(&out, in)) && CHECK_OK(tess_cast(&wide, &out, TESS_C64, NULL)) &&
        CHECK_OK(tess_get_c64(&got, &wide, 0, 0, 0, 0)) && !(near(got.re, want.re) && near(got.im, want.im)))
        (void)test_failed(__FILE__, __LINE__, "%s is %.17g %.17g, not %.17g %.17g", functions[op].name, got.re, got.im,
                          want.re, want.im);
    tess_release(&out);
    tess_release(&wide);
}

TEST(values_of_real_numbers)
{
    for (int op = 0; op < TESS__OPS; op++) {
        const bool integers = functions[op].types == BITS || functions[op].types == INTEGER;
        tess_array x[3];
        if (values[op].in[0] == 0) (void)test_failed(__FILE__, __LINE__, "no values for %s", functions[op].name);
        for (int k = 0; k < 3; k++) x[k] = constant(integers ? TESS_I32 : TESS_F64, 1, 1, 1, 1, values[op].in[k]);
        check_value(op, (const tess_array *const[3]){ &x[0], &x[1], &x[2] }, values[op].want);
        for (int k = 0; k < 3; k++) tess_release(&x[k]);
    }
}

TEST(values_of_complex_numbers)
{
    for (int op = 0; op < TESS__OP_where; op++)
        if (of_complex[op] != NONE)
            check_value(op,
                        (const tess_array *const[3]){ &tess_c64(0.5, -1.25), &tess_c64(1.5, 0.75), &tess_c64(0.25, 2) },
                        complex_values[op]);
}

/* One integer operation on two numbers of a dtype. */
static int64_t integer_of(int op, tess_dtype dtype, double x, double y)
{
    tess_array a = constant(dtype, 1, 1, 1, 1, x), b = constant(dtype, 1, 1, 1, 1, y), out = { 0 };
    int64_t    value = INT64_MIN;
    if (CHECK_OK(functions[op].call(&out, (const tess_array *const[2]){ &a, &b })))
        CHECK_OK(tess_get_i64(&value, &out, 0, 0, 0, 0));
    tess_release(&a);
    tess_release(&b);
    tess_release(&out);
    return value;
}

TEST(integers_wrap_and_divide_by_zero)
{
    CHECK_I64(integer_of(TESS__OP_add, TESS_U8, 200, 100), 44);
    CHECK_I64(integer_of(TESS__OP_sub, TESS_U16, 0, 1), 65535);
    CHECK_I64(integer_of(TESS__OP_mul, TESS_I8, 100, 100), 16);
    CHECK_I64(integer_of(TESS__OP_neg, TESS_I8, -128, 0), -128);
    CHECK_I64(integer_of(TESS__OP_abs, TESS_I8, -128, 0), -128);
    CHECK_I64(integer_of(TESS__OP_div, TESS_I32, 7, 0), 0);
    CHECK_I64(integer_of(TESS__OP_div, TESS_I32, -7, 2), -3);
    CHECK_I64(integer_of(TESS__OP_div, TESS_I32, -2147483648.0, -1), -2147483648);
    CHECK_I64(integer_of(TESS__OP_floor_div, TESS_I32, -7, 2), -4);
    CHECK_I64(integer_of(TESS__OP_mod, TESS_I32, -7, 2), -1);
    CHECK_I64(integer_of(TESS__OP_mod, TESS_I32, 7, 0), 0);
    CHECK_I64(integer_of(TESS__OP_floor_mod, TESS_I32, -7, 3), 2);
    CHECK_I64(integer_of(TESS__OP_pow, TESS_I32, 2, -1), 0);
    CHECK_I64(integer_of(TESS__OP_pow, TESS_I32, -1, -3), -1);
    CHECK_I64(integer_of(TESS__OP_pow, TESS_U8, 3, 6), 729 % 256);
    CHECK_I64(integer_of(TESS__OP_shift_left, TESS_I32, 1, 33), 2);
    CHECK_I64(integer_of(TESS__OP_shift_right, TESS_I8, -128, 7), -1);
    CHECK_I64(integer_of(TESS__OP_bit_not, TESS_BOOL, 1, 0), 0);
}

/* ---- Good uses ---- */

/* The dtype of the result that the header promises for inputs of this dtype; none if it is an error. */
static tess_dtype promised(int op, tess_dtype dtype)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    const type_set  of = functions[op].types;
    tess_dtype      in = dtype;
    if (kind == TESS_KIND_COMPLEX) {
        return of_complex[op] == BOOL   ? TESS_BOOL
               : of_complex[op] == REAL ? tess_dtype_real(dtype)
               : of_complex[op] == SAME ? dtype
                                        : TESS_DTYPE_NONE;
    }
    if (kind == TESS_KIND_FLOAT && (of == BITS || of == INTEGER)) return TESS_DTYPE_NONE;
    if (kind == TESS_KIND_BOOL && (of == NUMBER || of == WRAP || of == INTEGER)) in = TESS_U8;
    if (kind != TESS_KIND_FLOAT && of == FLOAT) in = tess_dtype_size(dtype) <= 2 ? TESS_F32 : TESS_F64;
    if (functions[op].result == MAKES_COMPLEX) return tess_dtype_complex(in);
    return functions[op].result == BOOL ? TESS_BOOL : in;
}

/* Three inputs for a function: alike, but for the condition. */
static void inputs_of(tess_array *x, int op, tess_dtype dtype, tess_shape shape)
{
    for (int k = 0; k < 3; k++) {
        const bool condition = op == TESS__OP_where && k == 0;
        x[k] = (tess_array){ .dtype = 0 };
        CHECK_OK(tess_arange(&x[k], shape, condition ? TESS_BOOL : dtype, tess_cpu(), condition ? 0 : k + 1, 1));
    }
}

static void release_all(tess_array *x, int n)
{
    for (int k = 0; k < n; k++) tess_release(&x[k]);
}

/* The same numbers, NaN being the same as NaN, whatever the dtypes. */
static bool same_numbers(const tess_array *a, const tess_array *b)
{
    tess_array wide[2] = { { .dtype = 0 } };
    bool       same = tess_same_shape(a, b) && CHECK_OK(tess_cast(&wide[0], a, TESS_C64, NULL)) &&
                CHECK_OK(tess_cast(&wide[1], b, TESS_C64, NULL));
    for (int64_t i = 0; same && i < 2 * tess_n_elements(a); i++) {
        const double x = ((double *)wide[0].data)[i], y = ((double *)wide[1].data)[i];
        same = x == y || (isnan(x) && isnan(y));
    }
    release_all(wide, 2);
    return same;
}

TEST(made_with_the_promised_dtype_or_refused)
{
    for (int op = 0; op < TESS__OPS; op++)
        for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++) {
            tess_array       x[3], out = { 0 };
            const tess_dtype want = promised(op, dtype);
            inputs_of(x, op, dtype, TESS_SHAPE(1, 2, 1, 3));
            const tess_status status = functions[op].call(&out, (const tess_array *const[3]){ &x[0], &x[1], &x[2] });
            if (want == TESS_DTYPE_NONE) {
                CHECK_FAILS(status, TESS_EDTYPE, functions[op].name, tess_dtype_name(dtype));
                CHECK(is_zeroed(&out));
            } else if (!CHECK_OK(status) || out.dtype != want) {
                (void)test_failed(__FILE__, __LINE__, "%s of %s is %s, not %s", functions[op].name,
                                  tess_dtype_name(dtype), tess_dtype_name(out.dtype), tess_dtype_name(want));
            } else {
                CHECK_DIMS(out.shape, 1, 2, 1, 3);
                CHECK(tess_is_contiguous(&out, 'C') && out.flags == 0 && out.buffer);
            }
            tess_release(&out);
            release_all(x, 3);
        }
}

/* Each input has other sizes of 1; then an output that is larger than all of them. */
TEST(inputs_broadcast)
{
    for (int op = 0; op < TESS__OPS; op++) {
        static const tess_shape shapes[3] = { { { 2, 1, 3, 1 } }, { { 1, 4, 1, 5 } }, { { 1, 1, 1, 1 } } };
        const int               n = functions[op].n;
        const tess_shape        all = n == 1 ? shapes[0] : TESS_SHAPE(2, 4, 3, 5);
        tess_array              x[3], full[3] = { { .dtype = 0 } }, out = { 0 }, want = { 0 }, given = { 0 };
        for (int k = 0; k < 3; k++) {
            x[k] = numbers(TESS_I16, shapes[k].b, shapes[k].d, shapes[k].h, shapes[k].w);
            CHECK_OK(tess_broadcast(&full[k], &x[k], TESS_SHAPE(2, 4, 3, 5)));
        }
        CHECK_OK(functions[op].call(&out, (const tess_array *const[3]){ &x[0], &x[1], &x[2] }));
        CHECK(memcmp(&out.shape, &all, sizeof all) == 0);
        CHECK_OK(functions[op].call(&want, (const tess_array *const[3]){ &full[0], &full[1], &full[2] }));
        if (n > 1) CHECK(same_numbers(&out, &want));
        CHECK_OK(tess_zeros(&given, want.shape, want.dtype, tess_cpu()));
        CHECK_OK(functions[op].call(&given, (const tess_array *const[3]){ &x[0], &x[1], &x[2] }));
        CHECK(same_numbers(&given, &want));
        release_all(x, 3);
        tess_release(&out);
        tess_release(&want);
        tess_release(&given);
    }
}

/* The output is exactly one of the inputs, or all of them; where the dtypes differ, of the same size. */
TEST(in_place)
{
    for (int op = 0; op < TESS__OPS; op++)
        for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
            for (int k = 0; k <= functions[op].n; k++) {
                tess_array       x[3], want = { 0 }, out;
                const tess_dtype result = promised(op, dtype);
                const bool       every = k == functions[op].n, condition = op == TESS__OP_where && (k == 0 || every);
                const tess_dtype there = condition ? TESS_BOOL : dtype;
                if (result == TESS_DTYPE_NONE || tess_dtype_size(result) != tess_dtype_size(there)) continue;
                inputs_of(x, op, dtype, TESS_SHAPE(1, 2, 3, 7));
                if (every)
                    for (int i = 1; i < functions[op].n; i++) tess_release(&x[i]), x[i] = x[0];
                out = x[every ? 0 : k];
                out.dtype = result;
                CHECK_OK(functions[op].call(&want, (const tess_array *const[3]){ &x[0], &x[1], &x[2] }));
                CHECK_OK(functions[op].call(&out, (const tess_array *const[3]){ &x[0], &x[1], &x[2] }));
                if (!same_numbers(&out, &want))
                    (void)test_failed(__FILE__, __LINE__, "%s %s in place of %d", functions[op].name,
                                      tess_dtype_name(dtype), k);
                tess_release(&want);
                release_all(x, every ? 1 : 3);
                if (every) release_all(x + functions[op].n, 3 - functions[op].n);
            }
}

TEST(outputs_of_another_dtype)
{
    for (int op = 0; op < TESS__OPS; op++)
        for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++) {
            tess_array x[3], result = { 0 }, want = { 0 }, out = { 0 };
            if (functions[op].result == MAKES_COMPLEX && dtype < TESS_C16) continue;
            inputs_of(x, op, TESS_I16, TESS_SHAPE(1, 2, 3, 7));
            const tess_array *const in[3] = { &x[0], &x[1], &x[2] };
            CHECK_OK(functions[op].call(&result, in));
            CHECK_OK(tess_cast(&want, &result, dtype, NULL));
            CHECK_OK(tess_zeros(&out, want.shape, dtype, tess_cpu()));
            CHECK_OK(functions[op].call(&out, in));
            if (!same_numbers(&out, &want))
                (void)test_failed(__FILE__, __LINE__, "%s to %s", functions[op].name, tess_dtype_name(dtype));
            release_all(x, 3);
            tess_release(&result);
            tess_release(&want);
            tess_release(&out);
        }
}

TEST(empty_arrays_and_one_element)
{
    for (int op = 0; op < TESS__OPS; op++)
        for (int64_t n = 0; n < 2; n++) {
            tess_array x[3], out = { 0 };
            inputs_of(x, op, TESS_I16, TESS_SHAPE(1, n, 1, 1));
            const tess_array *const in[3] = { &x[0], &x[1], &x[2] };
            CHECK_OK(functions[op].call(&out, in));
            CHECK_DIMS(out.shape, 1, n, 1, 1);
            CHECK(out.dtype == promised(op, TESS_I16));
            CHECK_OK(functions[op].call(&out, in));
            if (n == 0 && functions[op].n > 1) {
                tess_array larger = numbers(TESS_I16, 2, 1, 3, 1), more = { 0 };
                CHECK_OK(functions[op].call(&more, (const tess_array *const[3]){ in[0], &larger, &larger }));
                CHECK_DIMS(more.shape, 2, 0, 3, 1);
                tess_release(&larger);
                tess_release(&more);
            }
            release_all(x, 3);
            tess_release(&out);
        }
}

/* Three reals, which no other size of element is like, have a test of their own. */
TEST(where_chooses_compounds)
{
    for (tess_dtype dtype = 1; dtype < TESS_DTYPE_COUNT; dtype++) {
        const size_t size = tess_dtype_size(dtype);
        tess_array   c = constant(TESS_BOOL, 1, 1, 3, 5, 0), out = { 0 };
        tess_array   x = constant(dtype, 1, 1, 3, 5, 1), y = constant(dtype, 1, 1, 3, 5, 0);
        for (int i = 0; i < 15; i += 2) ((uint8_t *)c.data)[i] = (uint8_t)(i + 1);
        if (CHECK_OK(tess_where(&out, &c, &x, &y)) && CHECK(out.dtype == dtype)) {
            for (size_t i = 0; i < 15; i++)
                CHECK(memcmp((char *)out.data + i * size, i % 2 ? y.data : x.data, size) == 0);
        }
        tess_release(&c);
        tess_release(&x);
        tess_release(&y);
        tess_release(&out);
    }
}

TEST(where_promotes_numbers_and_nothing_else)
{
    tess_array c = numbers(TESS_F32, 1, 1, 1, 3), i = numbers(TESS_I32, 1, 1, 1, 3), out = { 0 };
    tess_array f = constant(TESS_F32, 1, 1, 1, 3, 0.5), v = constant(TESS_VEC2_F32, 1, 1, 1, 3, 0);
    tess_array w = constant(TESS_VEC2_F64, 1, 1, 1, 3, 0);
    CHECK_OK(tess_where(&out, &c, &i, &f));
    CHECK(out.dtype == TESS_F64 && value_at(&out, 0, 0, 0, 0) == 0.5 && value_at(&out, 0, 0, 0, 2) == 2);
    tess_release(&out);
    CHECK_OK(tess_where(&out, &c, &i, &tess_num(-1)));
    CHECK(out.dtype == TESS_I32 && value_at(&out, 0, 0, 0, 0) == -1 && value_at(&out, 0, 0, 0, 2) == 2);
    tess_release(&out);
    CHECK_FAILS(tess_where(&out, &c, &v, &w), TESS_EDTYPE, "where: x is vec2_f32 and y is vec2_f64");
    CHECK_FAILS(tess_where(&out, &c, &v, &tess_num(0)), TESS_EDTYPE, "where: x is vec2_f32 and y is f64");
    CHECK_FAILS(tess_where(&f, &c, &v, &v), TESS_EDTYPE, "where: out is f32 and the result is vec2_f32");
    CHECK(is_zeroed(&out) && all_are(&f, 0.5));
    release_all((tess_array[]){ c, i, f, v, w }, 5);
}

/* ---- Asynchronous streams ---- */

/* Queue work whose numbers, and whose inputs' only references, are gone when this returns. */
static void queue_work(tess_array *sum, tess_array *limited, tess_array *chosen)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), b = { 0 };
    {
        CHECK_OK(tess_mul(&b, &a, &tess_num(2)));
        CHECK_OK(tess_add(sum, &b, &tess_f64(0.5)));
    }
    {
        CHECK_OK(tess_clamp(limited, &b, &tess_num(3), &tess_i16(9)));
        CHECK_OK(tess_greater(&b, &b, &tess_num(10)));
    }
    CHECK_OK(tess_where(chosen, &b, &a, &tess_c32(-1, 7)));
    tess_release(&a);
    tess_release(&b);
}

static void overwrite_stack(void)
{
    volatile char bytes[4096];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 0x55;
}

TEST(queued_work_has_its_own_numbers_and_storage)
{
    static gate  g;
    tess_stream *s = NULL;
    tess_array   sum = { 0 }, limited = { 0 }, chosen = { 0 };
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    if (!gate_close(&g, s)) return;
    CHECK_OK(tess_stream_set_current(s));
    const int64_t used = tess_memory_used(tess_cpu());
    queue_work(&sum, &limited, &chosen);
    overwrite_stack();
    CHECK(tess_stream_busy(s));
    gate_open(&g);
    CHECK_OK(tess_stream_sync(s));
    CHECK(sum.dtype == TESS_F64 && limited.dtype == TESS_F32 && chosen.dtype == TESS_C32);
    for (int i = 0; i < 12; i++) {
        const tess_c32 z = ((tess_c32 *)chosen.data)[i];
        CHECK(((double *)sum.data)[i] == 2 * i + 0.5);
        CHECK(((float *)limited.data)[i] == fminf(fmaxf((float)(2 * i), 3), 9));
        CHECK(2 * i > 10 ? z.re == (float)i && z.im == 0 : z.re == -1 && z.im == 7);
    }
    tess_release(&sum);
    tess_release(&limited);
    tess_release(&chosen);
    CHECK(tess_memory_used(tess_cpu()) <= used);
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(s);
}

/* ---- Allocations that fail ---- */

static hooks h;

/* Unmade outputs, conversions, scalars, and a queue; what failed is zeroed. */
static tess_status scenario(void)
{
    tess_array   x = { 0 }, y = { 0 }, out[4] = { { .dtype = 0 } };
    tess_stream *s = NULL;
    tess_status  status = TESS_OK, end = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&x, TESS_SHAPE(1, 1, 30, 40), TESS_I16, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_arange(&y, TESS_SHAPE(1, 1, 1, 40), TESS_F64, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_hypot(&out[0], &x, &y));
    TESS_GOTO(done, status, tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    TESS_GOTO(done, status, tess_stream_set_current(s));
    TESS_GOTO(done, status, tess_fma(&out[1], &x, &y, &tess_num(3)));
    TESS_GOTO(done, status, tess_complex(&out[2], &x, &y));
    TESS_GOTO(done, status, tess_where(&out[3], &x, &y, &tess_f32(1)));
    TESS_GOTO(done, status, tess_sqrt(&out[0], &out[0]));
    TESS_GOTO(done, status, tess_stream_sync(s));
done:
    end = tess_stream_set_current(NULL);
    tess_stream_free(s);
    for (int i = 0; i < 4; i++) CHECK(out[i].data || is_zeroed(&out[i]));
    tess_release(&x);
    tess_release(&y);
    release_all(out, 4);
    return status != TESS_OK ? status : end;
}

static void survives(bool for_good)
{
    int n = 1;
    hooks_on(&h);
    CHECK_OK(scenario());
    const long live = atomic_load(&h.live);
    for (bool fired = true; fired && n < 1000; n++) {
        atomic_store(&h.calls, 0);
        atomic_store(&h.fired, 0);
        atomic_store(&h.for_good, for_good);
        atomic_store(&h.fail_at, n);
        const tess_status status = scenario();
        atomic_store(&h.fail_at, 0);
        fired = atomic_load(&h.fired) > 0;
        if (fired) CHECK_FAILS(status, TESS_ENOMEM, "memory", "bytes");
        else CHECK_OK(status);
        CHECK_I64(atomic_load(&h.live), live);
    }
    hooks_off();
    CHECK(n > 12);
    CHECK_I64(atomic_load(&h.live), 0);
    CHECK_I64(atomic_load(&h.wrong), 0);
}

TEST(one_failed_allocation) { survives(false); }
TEST(no_more_memory) { survives(true); }

TEST(where_chooses_three_reals)
{
    tess_array          c = numbers(TESS_U8, 1, 1, 1, 2), x = constant(TESS_VEC3_F32, 1, 1, 1, 2, 1), out = { 0 };
    tess_array          y = constant(TESS_VEC3_F32, 1, 1, 1, 2, 2);
    const tess_vec3_f32 want[2] = { { { 2, 2, 2 } }, { { 1, 1, 1 } } };
    if (CHECK_OK(tess_where(&out, &c, &x, &y))) CHECK(memcmp(out.data, want, sizeof want) == 0);
    release_all((tess_array[]){ c, x, y, out }, 4);
}
