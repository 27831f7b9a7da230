/* Operators compiled with the program: each beside the same operator from its own text, bit by bit, and a few beside plain
 * loops. */
#include <math.h>
#include <stdlib.h>

#include "support/arrays.h"
#include "support/defined.h"
#include "support/layouts.h"

/* An argument of a call: what it is, its type, and a number or a shape (0: that of the domain). */
typedef struct argument {
    char       role; /* i: input; v: view; o: output; x: input and output; s: scatter; n: number */
    tess_dtype dtype;
    double     number;
    tess_shape shape;
} argument;

#define IN(dtype)                                                                                                      \
    {                                                                                                                  \
        'i', dtype, 0,                                                                                                 \
        {                                                                                                              \
            {                                                                                                          \
                0, 0, 0, 0                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }
#define VIEW(dtype)                                                                                                    \
    {                                                                                                                  \
        'v', dtype, 0,                                                                                                 \
        {                                                                                                              \
            {                                                                                                          \
                0, 0, 0, 0                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }
#define OUT(dtype)                                                                                                     \
    {                                                                                                                  \
        'o', dtype, 0,                                                                                                 \
        {                                                                                                              \
            {                                                                                                          \
                0, 0, 0, 0                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }
#define INOUT(dtype)                                                                                                   \
    {                                                                                                                  \
        'x', dtype, 0,                                                                                                 \
        {                                                                                                              \
            {                                                                                                          \
                0, 0, 0, 0                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }
#define VALUE(number)                                                                                                  \
    {                                                                                                                  \
        'n', 0, number,                                                                                                \
        {                                                                                                              \
            {                                                                                                          \
                0, 0, 0, 0                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }
#define RESULT(dtype)                                                                                                  \
    {                                                                                                                  \
        'o', dtype, 0, to                                                                                              \
    }

enum { MAX_ARGUMENTS = 12 };

static double random_value(tess_dtype dtype)
{
    const double x = 200 * test_random_unit() - 100;
    if (dtype == TESS_BOOL) return x > 0;
    if (dtype == TESS_U8) return floor(x + 100);
    if (tess_dtype_kind(dtype) == TESS_KIND_INT) return floor(x);
    if (dtype == TESS_F16) return floor(x) / 8;
    switch (test_random_in(0, 700)) { /* what takes another way, and what is special */
    case 0: return 1e10 * x;
    case 1: return -0.0;
    case 2: return (double)INFINITY;
    case 3: return (double)NAN;
    default: return x;
    }
}

/* Along broadcast axes once. */
static void fill(const tess_array *whole)
{
    tess_array base = *whole, *a = &base;
    for (int k = 0; k < 4; k++)
        if (base.strides.dim[k] == 0) base.shape.dim[k] = 1;
    for (int64_t b = 0; b < a->shape.b; b++)
        for (int64_t d = 0; d < a->shape.d; d++)
            for (int64_t h = 0; h < a->shape.h; h++)
                for (int64_t w = 0; w < a->shape.w; w++) {
                    const tess_c64 value = { random_value(a->dtype), random_value(a->dtype) };
                    if (tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX) CHECK_OK(tess_set_c64(a, b, d, h, w, value));
                    else CHECK_OK(tess_set_f64(a, b, d, h, w, value.re));
                }
}

/* The same bits, or both not a number: which NaN comes out is up to the machine. */
static bool same_element(const tess_array *x, const tess_array *y, const int64_t at[4])
{
    const unsigned char *p = element_at(x, at), *q = element_at(y, at);
    if (memcmp(p, q, tess_dtype_size(x->dtype)) == 0) return true;
    if (tess_dtype_kind(x->dtype) == TESS_KIND_INT || tess_dtype_kind(x->dtype) == TESS_KIND_BOOL) return false;
    tess_c64 v = { 0 }, u = { 0 };
    CHECK_OK(tess_get_c64(&v, x, at[0], at[1], at[2], at[3]));
    CHECK_OK(tess_get_c64(&u, y, at[0], at[1], at[2], at[3]));
    return (v.re == u.re || (isnan(v.re) && isnan(u.re))) && (v.im == u.im || (isnan(v.im) && isnan(u.im)));
}

static bool same_arrays(const tess_array *x, const tess_array *y, const char *what)
{
    if (!tess_same_shape(x, y)) return test_failed(__FILE__, __LINE__, "%s: shapes differ", what);
    int64_t at[4];
    for (at[0] = 0; at[0] < x->shape.b; at[0]++)
        for (at[1] = 0; at[1] < x->shape.d; at[1]++)
            for (at[2] = 0; at[2] < x->shape.h; at[2]++)
                for (at[3] = 0; at[3] < x->shape.w; at[3]++)
                    if (!same_element(x, y, at)) {
                        tess_c64 v = { 0 }, u = { 0 };
                        CHECK_OK(tess_get_c64(&v, x, at[0], at[1], at[2], at[3]));
                        CHECK_OK(tess_get_c64(&u, y, at[0], at[1], at[2], at[3]));
                        return test_failed(__FILE__, __LINE__, "%s: at %d,%d,%d,%d: compiled %a, text %a", what,
                                           (int)at[0], (int)at[1], (int)at[2], (int)at[3], v.re, u.re);
                    }
    return true;
}

static void compare_in(tess_op_def *def, tess_op *text, layout kind, tess_shape shape, const argument *args, int n)
{
    guarded    g[MAX_ARGUMENTS];
    tess_array copy[MAX_ARGUMENTS] = { 0 };
    tess_bind  compiled[MAX_ARGUMENTS] = { 0 }, plain[MAX_ARGUMENTS] = { 0 };
    char       what[96];
    snprintf(what, sizeof what, "%s, %s", def->name, layout_names[kind]);
    for (int k = 0; k < n; k++) {
        if (args[k].role == 'n') {
            compiled[k] = plain[k] = tess__bind_f64(args[k].number);
            continue;
        }
        const bool input = args[k].role == 'i' || args[k].role == 'v';
        guarded_make(&g[k], input || kind < n_output_layouts ? kind : layout_stepped,
                     args[k].shape.b ? args[k].shape : shape, args[k].dtype);
        fill(&g[k].view);
        guarded_snapshot(&g[k]);
        CHECK_OK(tess_copy(&copy[k], &g[k].view));
        compiled[k] = input ? tess__bind_input(&g[k].view) : tess__bind_array(&g[k].view);
        plain[k] = input ? compiled[k] : tess__bind_array(&copy[k]); /* sums follow the layout of inputs */
    }
    CHECK_OK(tess_run_def(def, compiled, n, NULL));
    CHECK_OK(tess_run(text, plain, n, NULL));
    for (int k = 0; k < n; k++) {
        if (args[k].role == 'n') continue;
        (void)same_arrays(&g[k].view, &copy[k], what);
        (void)guarded_check(&g[k], what);
        guarded_free(&g[k]);
        tess_release(&copy[k]);
    }
}

/* In every layout, for rows around the length of a block. */
static void compare_shapes(tess_op_def *def, const argument *args, int n, const tess_shape *shapes, int n_shapes)
{
    const tess_op *op = NULL;
    tess_op       *text = NULL;
    if (!CHECK_OK(tess_op_of(&op, def)) || !CHECK_OK(tess_op_text(&text, tess_op_source(op)))) return;
    for (int s = 0; s < n_shapes; s++)
        for (int kind = 0; kind < n_layouts; kind++) compare_in(def, text, (layout)kind, shapes[s], args, n);
    tess_op_release(text);
}

static void compare(tess_op_def *def, const argument *args, int n)
{
    static const tess_shape shapes[] = { { { 2, 1, 3, 7 } }, { { 1, 2, 1, 1030 } }, { { 3, 2, 5, 1 } } };
    compare_shapes(def, args, n, shapes, 3);
}
#define COMPARE(def, ...)                                                                                              \
    compare(def, (const argument[]){ __VA_ARGS__ }, (int)(sizeof((const argument[]){ __VA_ARGS__ }) / sizeof(argument)))

TEST(element_wise)
{
    COMPARE(&fuse, IN(TESS_F32), IN(TESS_F32), VALUE(2.5), OUT(TESS_F32));
    COMPARE(&length, IN(TESS_F32), IN(TESS_F32), OUT(TESS_F32));
    COMPARE(&trigonometric, IN(TESS_F64), INOUT(TESS_F64), OUT(TESS_F64));
    COMPARE(&mixed, IN(TESS_U8), IN(TESS_I16), IN(TESS_F16), IN(TESS_BOOL), VALUE(0.3), OUT(TESS_I32), OUT(TESS_F64),
            OUT(TESS_BOOL), OUT(TESS_F16));
    COMPARE(&blend, IN(TESS_F32), IN(TESS_F32), OUT(TESS_F32));
    COMPARE(&parts, IN(TESS_C32), IN(TESS_C32), OUT(TESS_C32), OUT(TESS_F32));
    COMPARE(&analytic, IN(TESS_C32), IN(TESS_C64), OUT(TESS_C32), OUT(TESS_C64), OUT(TESS_F32));
    COMPARE(&awkward, IN(TESS_F32), IN(TESS_F32), INOUT(TESS_F32), VALUE(4), VALUE(7), OUT(TESS_F32));
}

TEST(index_wise)
{
    COMPARE(&places, VALUE(3), OUT(TESS_I64));
    COMPARE(&zero, VIEW(TESS_F32), OUT(TESS_F32));
    COMPARE(&clamp, VIEW(TESS_F32), OUT(TESS_F32));
    COMPARE(&mirror, VIEW(TESS_U8), OUT(TESS_I32));
    COMPARE(&reflect, VIEW(TESS_F64), OUT(TESS_F64));
    COMPARE(&periodic, VIEW(TESS_F16), OUT(TESS_F32));
    COMPARE(&between, VIEW(TESS_F32), VALUE(1.7), OUT(TESS_F32), OUT(TESS_F32), OUT(TESS_F32));
    COMPARE(&windows, VIEW(TESS_F32), VIEW(TESS_F64), VALUE(1.7), OUT(TESS_F32), OUT(TESS_F32), OUT(TESS_F64));
    COMPARE(&slopes, VIEW(TESS_F32), VIEW(TESS_C64), VALUE(1.7), OUT(TESS_F32), OUT(TESS_F32), OUT(TESS_C64));
    COMPARE(&beyond, VIEW(TESS_F32), VIEW(TESS_F16), VIEW(TESS_F64), VALUE(1.7), VALUE(0.25), OUT(TESS_F32),
            OUT(TESS_F64));
    COMPARE(&spectra, VIEW(TESS_C32), VIEW(TESS_C64), VIEW(TESS_F32), VIEW(TESS_C16), VALUE(1.7), OUT(TESS_C32),
            OUT(TESS_C64), OUT(TESS_F32));
}

TEST(transforms)
{
    tess_array src = numbers(TESS_F32, 2, 1, 40, 50), mat = { 0 }, dst = { 0 }, want = { 0 };
    CHECK_OK(tess_zeros(&mat, TESS_SHAPE(2, 1, 2, 3), TESS_F32, tess_cpu()));
    for (int i = 0; i < 12; i++) CHECK_OK(tess_set_f64(&mat, i / 6, 0, i / 3 % 2, i % 3, 0.9 - 0.37 * (i % 5)));
    CHECK_OK(tess_zeros(&dst, TESS_SHAPE(2, 1, 33, 1100), TESS_F32, tess_cpu()));
    CHECK_OK(tess_copy(&want, &dst));
    const tess_op *op = NULL;
    tess_op       *text = NULL;
    CHECK_OK(tess_op_of(&op, &warp));
    CHECK_OK(tess_op_text(&text, tess_op_source(op)));
    CHECK_OK(tess_call(&warp, &src, &mat, &dst));
    CHECK_OK(tess_call(text, &src, &mat, &want));
    CHECK(same_arrays(&dst, &want, "warp"));
    tess_op_release(text);
    tess_release(&src);
    tess_release(&mat);
    tess_release(&dst);
    tess_release(&want);
}

TEST(scatters) { COMPARE(&histogram, IN(TESS_F32), VALUE(-10), VALUE(0.7), { 's', TESS_I32, 0, { { 3, 1, 1, 40 } } }); }

TEST(reductions)
{
    static const tess_shape shapes[] = { { { 2, 1, 3, 7 } }, { { 1, 2, 1, 1030 } }, { { 3, 2, 5, 2100 } } };
    for (int s = 0; s < 3; s++)
        for (int axes = 0; axes < 3; axes++) { /* all, the last, the third */
            if (s > 0 && !test_takes_case()) continue;
            const tess_shape all = shapes[s], one = { { 1, 1, 1, 1 } };
            const tess_shape to = axes == 0   ? one
                                  : axes == 1 ? TESS_SHAPE(all.b, all.d, all.h, 1)
                                              : TESS_SHAPE(all.b, all.d, 1, all.w);
            const argument   sum[] = { IN(TESS_F32), IN(TESS_F32), RESULT(TESS_F64) };
            const argument   cosine[] = { IN(TESS_F32), RESULT(TESS_F32) };
            const argument   some[] = { IN(TESS_F32), IN(TESS_U8), RESULT(TESS_F64), RESULT(TESS_F32) };
            const argument   both[] = { IN(TESS_F32), RESULT(TESS_F64), RESULT(TESS_F64) };
            const argument   five[] = { IN(TESS_I16),      RESULT(TESS_I32),  RESULT(TESS_I32),
                                        RESULT(TESS_BOOL), RESULT(TESS_BOOL), RESULT(TESS_I64) };
            compare_shapes(&squares, sum, 3, &all, 1);
            compare_shapes(&cosines, cosine, 2, &all, 1);
            compare_shapes(&masked, some, 4, &all, 1);
            compare_shapes(&moments, both, 3, &all, 1);
            compare_shapes(&extremes, five, 6, &all, 1);
        }
}

/* ---- Beside naive loops ---- */

TEST(results_are_those_of_plain_loops)
{
    tess_array x = numbers(TESS_F32, 2, 3, 5, 301), y = { 0 }, z = { 0 };
    double     sum = 0, wanted = 0;
    CHECK_OK(tess_full(&y, TESS_SHAPE(1, 1, 1, 301), TESS_F32, tess_cpu(), 4));
    CHECK_OK(tess_call(&length, &x, &y, &z)); /* broadcast; the output is made */
    CHECK_DIMS(z.shape, 2, 3, 5, 301);
    CHECK(value_at(&z, 0, 0, 0, 3) == 5 && value_at(&z, 1, 2, 4, 300) == (double)sqrtf(9029.0f * 9029.0f + 16.0f));
    CHECK_OK(tess_call(&squares, &x, &y, &sum)); /* of integers: exact */
    for (int i = 0; i < 9030; i++) wanted += (double)((float)(i - 4) * (float)(i - 4));
    CHECK(sum == wanted);
    CHECK_OK(tess_call(&length, &x, &y, &x)); /* in place */
    CHECK(same_values(&x, &z));
    tess_release(&x);
    tess_release(&y);
    tess_release(&z);
}

/* Huge arguments anywhere in a block, in place too. */
TEST(huge_arguments)
{
    tess_array x = { 0 }, y = { 0 }, z = { 0 };
    CHECK_OK(tess_full(&x, TESS_SHAPE(1, 1, 1, 3000), TESS_F32, tess_cpu(), 0.5));
    CHECK_OK(tess_full(&y, TESS_SHAPE(1, 1, 1, 3000), TESS_F32, tess_cpu(), 1.5));
    CHECK_OK(tess_set_f64(&y, 0, 0, 0, 1700, 1e30));
    CHECK_OK(tess_call(&fuse, &x, &y, 2, &z));
    CHECK(value_at(&z, 0, 0, 0, 1700) == (double)(1.0f + tessm_cos(1e30f)));
    CHECK(value_at(&z, 0, 0, 0, 1701) == (double)(1.0f + tessm_cos(1.5f)));
    CHECK_OK(tess_call(&fuse, &x, &y, 2, &y));
    CHECK(same_values(&y, &z));
    tess_release(&x);
    tess_release(&y);
    tess_release(&z);
}

TEST(reads_outside_are_reported)
{
    tess_array v = numbers(TESS_F32, 1, 1, 2, 5), z = { 0 };
    CHECK_OK(tess_like(&z, &v));
    CHECK_OK(tess_call(&careless, &v, 0, &z));
    CHECK(same_values(&v, &z));
    CHECK_FAILS(tess_call(&careless, &v, 2, &z), TESS_ERANGE, "careless", "v");
    tess_release(&v);
    tess_release(&z);
}

/* ---- Arguments of every type ---- */

TEST(arguments_are_bound_by_their_type)
{
    tess_array       a = { 0 };
    const tess_array c = { 0 };
    tess_c64         z = { 1, 2 };
    uint16_t         small = 3;
    CHECK(TESS__BIND_FN(&a)(&a).kind == TESS_BIND_ARRAY && TESS__BIND_FN(&c)(&c).kind == TESS_BIND_INPUT);
    CHECK(TESS__BIND_FN(3)(3).kind == TESS_BIND_I64 && TESS__BIND_FN(3u)(3u).kind == TESS_BIND_U64);
    CHECK(TESS__BIND_FN(INT64_MIN)(INT64_MIN).as.i == INT64_MIN);
    CHECK(TESS__BIND_FN(UINT64_MAX)(UINT64_MAX).as.u == UINT64_MAX && TESS__BIND_FN(small)(small).as.u == 3);
    CHECK(TESS__BIND_FN(2.5f)(2.5f).as.f == 2.5 && TESS__BIND_FN(z)(z).as.c.im == 2);
    CHECK(TESS__BIND_FN(&small)(&small).dtype == TESS_U16 && TESS__BIND_FN(&z)(&z).dtype == TESS_C64);
    CHECK(TESS__BIND_FN(true)(true).as.i == 1);
}
