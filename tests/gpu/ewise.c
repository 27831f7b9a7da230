/* Element-wise and index-wise work on a GPU, bit by bit beside the CPU: operators, casts, moves; every layout. */
#include <math.h>

#include "core/dtype.h"
#include "cuda/ewise/tiles.h"
#include "cuda/jit/loop.h"
#include "cuda/jit/specialise.h"
#include "support/gpu.h"
#include "support/layouts.h"

/* ---- Arrays ---- */

/* An array of the CPU in some layout, and the same on the GPU. */
typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

static double any_float(void)
{
    static const double special[] = { 0.0, -0.0, 1, -1, 0.5, 1e-40, -1e-310, 1e30, -3e38, 1e300, 65504, 1e-7 };
    const int64_t       which = test_random_in(0, 39);
    if (which < 12) return special[which];
    if (which == 12) return (double)INFINITY;
    if (which == 13) return (double)-INFINITY;
    if (which == 14) return (double)NAN;
    return (test_random_unit() - 0.5) * (which < 28 ? 8 : 3000);
}

static void set_any(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    unsigned char    *to = element_at(a, position);
    const tess_dtype  real = tess_dtype_real(a->dtype);
    const int64_t     size = tess__dtype_size(real), n = tess__dtype_size(a->dtype) / size;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t bits = test_random() >> (test_random() & 1 ? 60 : 0); /* small numbers, too */
        const double   x = any_float();
        const float    single = (float)x;
        const tess_f16 half = tess_f32_to_f16(single);
        const uint8_t  truth = bits & 1;
        memcpy(to + i * size,
               real == TESS_F64    ? (const void *)&x
               : real == TESS_F32  ? (const void *)&single
               : real == TESS_F16  ? (const void *)&half
               : real == TESS_BOOL ? (const void *)&truth
                                   : (const void *)&bits,
               (size_t)size);
    }
}

static void make(pair *p, layout kind, tess_shape shape, tess_dtype dtype, tess_device device)
{
    guarded_make(&p->host, kind, shape, dtype);
    each_index(shape, set_any, &p->host.view);
    guarded_snapshot(&p->host);
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static layout any_layout(int n) { return test_random() & 1 ? layout_contiguous : (layout)test_random_in(0, n - 1); }

static void make_any(pair *p, tess_shape shape, tess_dtype dtype, bool output, tess_device device)
{
    make(p, any_layout(output ? n_output_layouts : n_layouts), shape, dtype, device);
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

/* Both hold the same, and on the GPU nothing around the elements was written either. */
static bool same(pair *p, const char *what)
{
    tess_array fetched, around = p->host.view;
    if (!test_same_bits(&p->gpu, &p->host.view)) return test_failed(__FILE__, __LINE__, "in %s", what);
    if (!guarded_check(&p->host, what) || !test_fetch(&fetched, &p->gpu)) return false;
    CHECK_OK(tess_copy(&p->host.view, &fetched)); /* other NaNs */
    tess_release(&fetched);
    int64_t low = 0, high = 0;
    for (int d = 0; d < 4; d++) {
        const int64_t reach = (around.shape.dim[d] - 1) * around.strides.dim[d];
        if (reach < 0) low += reach;
        else high += reach;
    }
    const int64_t size = tess__dtype_size(around.dtype);
    around.data = (char *)around.data + low * size;
    around.dtype = TESS_U8;
    around.shape = TESS_SHAPE(1, 1, 1, (high - low + 1) * size);
    around.strides = tess_strides_contiguous(around.shape, 'C');
    tess_array there = around;
    there.device = p->gpu.device;
    there.buffer = p->gpu.buffer;
    there.data = (char *)p->gpu.data + low * size;
    return test_same_bits(&there, &around) || test_failed(__FILE__, __LINE__, "around the elements: %s", what);
}

static tess_shape any_shape(void)
{
    static const int64_t sizes[] = { 1, 2, 3, 5, 8, 16, 31 };
    return TESS_SHAPE(test_random_in(1, 3), test_random_in(1, 2), sizes[test_random_in(0, 5)],
                      sizes[test_random_in(0, 6)]);
}

/* ---- Operators ---- */

typedef struct op_case {
    const char *name;
    int         n;
    tess_status (*one)(tess_array *, const tess_array *);
    tess_status (*two)(tess_array *, const tess_array *, const tess_array *);
    tess_status (*three)(tess_array *, const tess_array *, const tess_array *, const tess_array *);
} op_case;

static const op_case ops[] = {
#define EWISE1(name, types, result, cost, expr, help) { #name, 1, tess_##name, NULL, NULL },
#define EWISE2(name, types, result, cost, expr, help) { #name, 2, NULL, tess_##name, NULL },
#define EWISE3(name, types, result, cost, expr, help) { #name, 3, NULL, NULL, tess_##name },
#define EWISE1_SLOW EWISE1
#define EWISE2_SLOW EWISE2
#include "ops/ewise/ewise.def"
    EWISE3(where, , , , , )
};
enum { N_OPS = sizeof ops / sizeof ops[0] };

static tess_status call(const op_case *op, tess_array *out, const tess_array *const *in)
{
    if (op->n == 1) return op->one(out, in[0]);
    if (op->n == 2) return op->two(out, in[0], in[1]);
    return op->three(out, in[0], in[1], in[2]);
}

/* The inputs are of one dtype, or of several; one of them may be a number, or have size 1 in some dimensions. */
static void check_operator(const op_case *op, tess_dtype dtype, tess_shape shape, tess_device device)
{
    pair              in[3];
    tess_array        made = { .data = NULL }, made_there = { .data = NULL };
    const tess_array  number = tess_num(test_random_in(-3, 9));
    const tess_array *host[3], *gpu[3];
    char              what[64];
    const int64_t     odd = test_random_in(0, 7); /* what is special about which input */
    for (int k = 0; k < op->n; k++) {
        tess_shape own = shape;
        if (odd == k && op->n > 1) own.dim[test_random_in(0, 3)] = 1;
        const tess_dtype other = odd == 3 && k ? (tess_dtype)test_random_in(1, TESS_SCALAR_DTYPE_COUNT - 1) : dtype;
        make_any(&in[k], own, other, false, device);
        host[k] = &in[k].host.view;
        gpu[k] = &in[k].gpu;
        if (odd == 4 + k && op->n > 1) host[k] = gpu[k] = &number;
    }
    (void)snprintf(what, sizeof what, "%s %s", op->name, tess_dtype_name(dtype));
    const tess_status here = call(op, &made, host), there = call(op, &made_there, gpu);
    CHECK_I64(there, here);
    if (here == TESS_OK) {
        pair out;
        if (!test_same_bits(&made_there, &made)) (void)test_failed(__FILE__, __LINE__, "in %s", what);
        make_any(&out, made.shape, made.dtype, true, device);
        CHECK_OK(call(op, &out.host.view, host));
        CHECK_OK(call(op, &out.gpu, gpu));
        (void)same(&out, what);
        drop(&out);
    }
    for (int k = 0; k < op->n; k++) drop(&in[k]);
    tess_release(&made);
    tess_release(&made_there);
}

TEST(operators)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 4 * N_OPS : 4); i++) {
        const op_case *op = &ops[test_large() ? i % N_OPS : test_random_in(0, N_OPS - 1)];
        check_operator(op, (tess_dtype)test_random_in(1, TESS_SCALAR_DTYPE_COUNT - 1), any_shape(), device);
    }
}

TEST(equality_within_tolerances)
{
    static const tess_isclose_opts opts[] = { { .rtol = 1 }, { .atol = 2, .equal_nan = 1 }, { .ulps = 1 << 20 } };
    static const tess_dtype        dtypes[][2] = {
               { TESS_F32, TESS_F32 }, { TESS_F16, TESS_F64 }, { TESS_C32, TESS_F32 }, { TESS_U8, TESS_I16 }
    };
    tess_device device;
    bool        here, there;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 24 : 2); i++) {
        const int                which = test_large() ? i % 4 : (int)test_random_in(0, 3);
        const tess_isclose_opts *o = &opts[test_random_in(0, 2)];
        const tess_shape         shape = any_shape();
        pair                     x, y, out;
        make_any(&x, shape, dtypes[which][0], false, device);
        make_any(&y, shape, dtypes[which][1], false, device);
        make_any(&out, shape, TESS_BOOL, true, device);
        CHECK_OK(tess_isclose(&out.host.view, &x.host.view, &y.host.view, o));
        CHECK_OK(tess_isclose(&out.gpu, &x.gpu, &y.gpu, o));
        (void)same(&out, "isclose");
        CHECK_OK(tess_allclose(&here, &x.host.view, &y.host.view, o));
        CHECK_OK(tess_allclose(&there, &x.gpu, &y.gpu, o));
        CHECK(here == there);
        drop(&x);
        drop(&y);
        drop(&out);
    }
}

/* isclose of a text is a function that is printed before those that call it. */
TEST(equality_in_texts)
{
    tess_device device;
    tess_op    *op = NULL;
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_op_text(&op, "fn bool near(f32 x, f32 y) { return isclose(x, y, 1.0, 0); }"
                               "op f(in f32 x, in c32 y, out i32 z) {"
                               "    z = (i32)near(x, real(y)) + 2*(i32)isclose((f64)x, imag(y), 0.5, 0.5)"
                               "        + 4*(i32)isclose(x + isclose(y, x, 1, 0), y, 1, 0); }"));
    pair x, y, out;
    make_any(&x, TESS_SHAPE(2, 3, 5, 7), TESS_F32, false, device);
    make_any(&y, TESS_SHAPE(2, 3, 5, 7), TESS_C32, false, device);
    make_any(&out, TESS_SHAPE(2, 3, 5, 7), TESS_I32, true, device);
    CHECK_OK(tess_call(op, &x.host.view, &y.host.view, &out.host.view));
    CHECK_OK(tess_call(op, &x.gpu, &y.gpu, &out.gpu));
    (void)same(&out, "isclose of a text");
    tess_op_release(op);
    drop(&x);
    drop(&y);
    drop(&out);
}

TEST(layouts_of_a_sum)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 200 : 4); i++) check_operator(&ops[0], TESS_F32, any_shape(), device);
}

TEST(in_place)
{
    tess_device device;
    pair        x, y;
    if (!test_gpu(&device)) return;
    for (int kind = 0; kind < n_output_layouts; kind += test_large() ? 1 : 4) {
        make(&x, (layout)kind, TESS_SHAPE(2, 2, 9, 16), TESS_F32, device);
        make_any(&y, TESS_SHAPE(1, 1, 1, 16), TESS_F32, false, device);
        CHECK_OK(tess_mul(&x.host.view, &x.host.view, &y.host.view));
        CHECK_OK(tess_mul(&x.gpu, &x.gpu, &y.gpu));
        (void)same(&x, "x *= y");
        drop(&x);
        drop(&y);
    }
}

static void check_by_real(tess_dtype dtype, tess_dtype real, tess_device device)
{
    const tess_shape shape = any_shape();
    tess_shape       factor = shape;
    pair             z, r, out;
    for (int d = 0; d < 4; d++)
        if (test_random_in(0, 2) == 0) factor.dim[d] = 1;
    make_any(&z, shape, dtype, true, device);
    make_any(&r, factor, real, false, device);
    make_any(&out, shape, dtype, true, device);
    CHECK_OK(tess_mul(&out.host.view, &r.host.view, &z.host.view));
    CHECK_OK(tess_mul(&out.gpu, &r.gpu, &z.gpu));
    (void)same(&out, "real times complex");
    CHECK_OK(tess_mul(&z.host.view, &z.host.view, &r.host.view));
    CHECK_OK(tess_mul(&z.gpu, &z.gpu, &r.gpu));
    (void)same(&z, "complex times real, in place");
    CHECK_OK(tess_div(&z.host.view, &z.host.view, &r.host.view));
    CHECK_OK(tess_div(&z.gpu, &z.gpu, &r.gpu));
    (void)same(&z, "complex by real, in place");
    CHECK_OK(tess_mul(&out.host.view, &z.host.view, &tess_num(-0.75)));
    CHECK_OK(tess_mul(&out.gpu, &z.gpu, &tess_num(-0.75)));
    (void)same(&out, "complex times a number");
    drop(&z), drop(&r), drop(&out);
}

TEST(a_real_factor_or_divisor_of_a_complex_number)
{
    static const tess_dtype pairs[][2] = {
        { TESS_C32, TESS_F32 }, { TESS_C64, TESS_F64 }, { TESS_C16, TESS_F16 }, { TESS_C32, TESS_I16 }
    };
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 40 : 4); i++) check_by_real(pairs[i % 4][0], pairs[i % 4][1], device);
}

/* A row whose packs begin late or end early; operands that lie differently to multiples of 16 bytes. */
TEST(edges_of_rows)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_U8, TESS_F64, TESS_C64, TESS_F16 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 200 : 30); i++) {
        const tess_dtype dtype = dtypes[test_large() ? test_random_in(0, 4) : 0];
        const int64_t    n = test_random_in(1, 80), shift = test_random_in(0, 20);
        pair             x, out;
        tess_array       from[2], to[2];
        make(&x, layout_contiguous, TESS_SHAPE(1, 1, 1, n + 40), dtype, device);
        make(&out, layout_contiguous, TESS_SHAPE(1, 1, 1, n + 40), dtype, device);
        const int64_t other = test_random() & 1 ? shift : test_random_in(0, 20);
        CHECK_OK(tess_slice(&from[0], &x.host.view, 3, shift, shift + n, 1));
        CHECK_OK(tess_slice(&from[1], &x.gpu, 3, shift, shift + n, 1));
        CHECK_OK(tess_slice(&to[0], &out.host.view, 3, other, other + n, 1));
        CHECK_OK(tess_slice(&to[1], &out.gpu, 3, other, other + n, 1));
        CHECK_OK(tess_neg(&to[0], &from[0]));
        CHECK_OK(tess_neg(&to[1], &from[1]));
        (void)same(&out, "-x of a part of a row");
        drop(&x);
        drop(&out);
    }
}

/* ---- Casts ---- */

/* Exact casts fail alike, with the same message, and nothing is written. */
static void check_cast(tess_dtype from, tess_dtype to, tess_cast_opts o, tess_shape shape, tess_device device)
{
    pair in, out;
    char what[64], message[300] = "";
    make_any(&in, shape, from, false, device);
    make_any(&out, shape, to, true, device);
    (void)snprintf(what, sizeof what, "cast %s to %s, mode %d, part %d", tess_dtype_name(from), tess_dtype_name(to),
                   (int)o.mode, (int)o.part);
    const tess_status here = tess_cast(&out.host.view, &in.host.view, to, &o);
    if (here != TESS_OK) (void)snprintf(message, sizeof message, "%s", tess_error_message());
    const tess_status there = tess_cast(&out.gpu, &in.gpu, to, &o);
    CHECK_I64(there, here);
    if (here != TESS_OK && there == here) CHECK_TEXT(tess_error_message(), message);
    (void)same(&out, what);
    drop(&in);
    drop(&out);
}

static bool is_complex(tess_dtype dtype) { return tess_dtype_kind(dtype) == TESS_KIND_COMPLEX; }

TEST(casts)
{
    tess_device device;
    const int   n = TESS_SCALAR_DTYPE_COUNT - 1;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 3 * n * n : 4); i++) {
        const tess_dtype from = (tess_dtype)(1 + (test_large() ? i / 3 / n : test_random_in(0, n - 1)));
        const tess_dtype to = (tess_dtype)(1 + (test_large() ? i / 3 % n : test_random_in(0, n - 1)));
        tess_cast_opts   o = { .mode = TESS_CAST_CLAMP + i % 3 };
        if (is_complex(from) && !is_complex(to))
            o.part =
                (int32_t)test_random_in(TESS_PART_REAL, o.mode == TESS_CAST_EXACT ? TESS_PART_IMAG : TESS_PART_POWER);
        check_cast(from, to, o, any_shape(), device);
    }
}

/* Values that fit but for one, anywhere. */
TEST(exact_casts)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 8 : 3); i++) {
        const tess_shape shape = TESS_SHAPE(2, 3, 7, test_random_in(60, 90));
        const int64_t    bad = test_random_in(0, 2 * 3 * 7 * shape.w - 1);
        pair             in, out;
        char             message[300];
        make(&in, (layout)test_random_in(0, n_output_layouts - 1), shape, TESS_F32, device);
        make(&out, (layout)test_random_in(0, n_output_layouts - 1), shape, TESS_I16, device);
        CHECK_OK(tess_fill(&in.host.view, -7));
        CHECK_OK(tess_fill(&in.gpu, -7));
        const tess_cast_opts o = { .mode = TESS_CAST_EXACT };
        CHECK_OK(tess_cast(&out.host.view, &in.host.view, TESS_I16, &o));
        CHECK_OK(tess_cast(&out.gpu, &in.gpu, TESS_I16, &o));
        (void)same(&out, "an exact cast");
        for (int64_t at = bad; at < 2 * 3 * 7 * shape.w; at += 13) { /* and some behind it */
            const int64_t     w = at % shape.w, h = at / shape.w % 7, d = at / shape.w / 7 % 3, b = at / shape.w / 21;
            const tess_region position = { tess_only(b), tess_only(d), tess_only(h), tess_only(w) };
            tess_array        one[2];
            CHECK_OK(tess_subregion(&one[0], &in.host.view, position));
            CHECK_OK(tess_subregion(&one[1], &in.gpu, position));
            CHECK_OK(tess_fill(&one[0], 0.5));
            CHECK_OK(tess_fill(&one[1], 0.5));
        }
        CHECK_I64(tess_cast(&out.host.view, &in.host.view, TESS_I16, &o), TESS_ERANGE);
        (void)snprintf(message, sizeof message, "%s", tess_error_message());
        CHECK_FAILS(tess_cast(&out.gpu, &in.gpu, TESS_I16, &o), TESS_ERANGE, message);
        (void)same(&out, "an exact cast that failed");
        drop(&in);
        drop(&out);
    }
}

/* ---- Moves ---- */

static const tess_dtype sizes[] = { TESS_U8, TESS_F16, TESS_F32, TESS_C32, TESS_C64, TESS_VEC3_F32, TESS_MAT23_F64 };
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

TEST(copies)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 150 : 6); i++) {
        const tess_dtype dtype = sizes[test_random_in(0, N_SIZES - 1)];
        const tess_shape shape = any_shape();
        pair             in, out;
        make(&in, (layout)test_random_in(0, n_layouts - 1), shape, dtype, device);
        make(&out, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype, device);
        CHECK_OK(tess_copy(&out.host.view, &in.host.view));
        CHECK_OK(tess_copy(&out.gpu, &in.gpu));
        (void)same(&out, tess_dtype_name(dtype));
        drop(&in);
        drop(&out);
    }
}

TEST(fills)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 100 : 4); i++) {
        const tess_dtype dtype = sizes[test_random_in(0, N_SIZES - 1)];
        pair             out;
        unsigned char    element[128];
        for (int b = 0; b < 128; b++) element[b] = (unsigned char)test_random();
        make_any(&out, any_shape(), dtype, true, device);
        CHECK_OK(tess_fill_element(&out.host.view, element));
        CHECK_OK(tess_fill_element(&out.gpu, element));
        (void)same(&out, tess_dtype_name(dtype));
        drop(&out);
    }
}

/* Compounds are chosen as they are; a condition of another type than bool. */
TEST(where_of_compounds)
{
    static const tess_dtype dtypes[] = { TESS_VEC3_F32, TESS_MAT22_F64, TESS_VEC2_F64 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 30 : 2); i++) {
        const tess_dtype dtype = dtypes[i % 3];
        const tess_shape shape = any_shape();
        pair             condition, x, y, out;
        make_any(&condition, shape, i % 2 ? TESS_BOOL : TESS_I32, false, device);
        make_any(&x, shape, dtype, false, device);
        make_any(&y, shape, dtype, false, device);
        make_any(&out, shape, dtype, true, device);
        CHECK_OK(tess_where(&out.host.view, &condition.host.view, &x.host.view, &y.host.view));
        CHECK_OK(tess_where(&out.gpu, &condition.gpu, &x.gpu, &y.gpu));
        (void)same(&out, tess_dtype_name(dtype));
        drop(&condition);
        drop(&x);
        drop(&y);
        drop(&out);
    }
}

/* A number goes to any device. */
TEST(numbers)
{
    tess_device device;
    pair        out;
    if (!test_gpu(&device)) return;
    make(&out, layout_stepped, TESS_SHAPE(1, 1, 3, 5), TESS_F32, device);
    const tess_array number = tess_num(2.5);
    CHECK_OK(tess_cast(&out.host.view, &number, TESS_F32, NULL));
    CHECK_OK(tess_cast(&out.gpu, &number, TESS_F32, NULL));
    (void)same(&out, "cast of a number");
    CHECK_OK(tess_copy(&out.host.view, &tess_f32(7)));
    CHECK_OK(tess_copy(&out.gpu, &tess_f32(7)));
    (void)same(&out, "copy of a number");
    CHECK_FAILS(tess_cast(&out.gpu, &tess_f32(1e9f), TESS_I8, NULL), TESS_EDTYPE, "out has dtype f32");
    drop(&out);
}

/* More parts than a call keeps track of at once; one is a number. */
TEST(concatenates)
{
    enum { PARTS = 40 };
    tess_device device;
    pair        part[PARTS], out;
    tess_array  host[PARTS], gpu[PARTS];
    if (!test_gpu(&device)) return;
    for (int i = 0; i < PARTS; i++) {
        make_any(&part[i], TESS_SHAPE(2, 1, 3, 4), TESS_F32, false, device);
        host[i] = part[i].host.view;
        gpu[i] = part[i].gpu;
    }
    make_any(&out, TESS_SHAPE(2, 1, 3, 4 * PARTS), TESS_F32, true, device);
    CHECK_OK(tess_concatenate(&out.host.view, host, PARTS, 3));
    CHECK_OK(tess_concatenate(&out.gpu, gpu, PARTS, 3));
    (void)same(&out, "concatenate");
    for (int i = 0; i < PARTS; i++) drop(&part[i]);
    drop(&out);
}

TEST(devices_do_not_mix)
{
    tess_device device;
    pair        x;
    tess_array  out = { .data = NULL };
    if (!test_gpu(&device)) return;
    make(&x, layout_contiguous, TESS_SHAPE(1, 1, 1, 4), TESS_F32, device);
    CHECK_FAILS(tess_add(&out, &x.gpu, &x.host.view), TESS_EDEVICE, "gpu:0", "cpu");
    CHECK_FAILS(tess_copy(&x.gpu, &x.host.view), TESS_EDEVICE, "gpu:0", "cpu");
    drop(&x);
}

/* ---- Layouts that disagree ---- */

/* Operands whose dimensions lie in different orders, large enough for tiles. */
static void check_turned(int i, tess_device device)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_U8, TESS_F16, TESS_C32, TESS_C64, TESS_F64 };
    static const tess_shape shapes[] = {
        { { 1, 1, 37, 41 } }, { { 2, 3, 32, 64 } }, { { 3, 20, 33, 9 } }, { { 4, 8, 16, 20 } }, { { 1, 2, 130, 140 } }
    };
    const tess_dtype dtype = dtypes[test_random_in(0, test_large() ? 5 : 1)];
    const tess_shape shape = shapes[test_random_in(0, 4)];
    pair             x, y, out;
    make(&x, test_random() & 1 ? layout_permuted : layout_column_major, shape, dtype, device);
    make(&y, any_layout(n_layouts), shape, dtype, device);
    make(&out, any_layout(n_output_layouts), shape, i % 3 == 1 ? TESS_F32 : dtype, device);
    if (i % 3 == 0) {
        CHECK_OK(tess_copy(&out.host.view, &x.host.view));
        CHECK_OK(tess_copy(&out.gpu, &x.gpu));
    } else if (i % 3 == 1) {
        const tess_cast_opts o = { .part = is_complex(dtype) ? TESS_PART_ABS : TESS_PART_DEFAULT };
        CHECK_OK(tess_cast(&out.host.view, &x.host.view, TESS_F32, &o));
        CHECK_OK(tess_cast(&out.gpu, &x.gpu, TESS_F32, &o));
    } else {
        CHECK_OK(tess_sub(&out.host.view, &x.host.view, &y.host.view));
        CHECK_OK(tess_sub(&out.gpu, &x.gpu, &y.gpu));
    }
    (void)same(&out, "turned layouts");
    drop(&x);
    drop(&y);
    drop(&out);
}

/* Large permuting copies move 16 bytes at a time on both sides. Nothing is read or written here. */
TEST(permutes_go_by_tiles)
{
    static const int        orders[3][4] = { { 0, 1, 3, 2 }, { 0, 2, 3, 1 }, { 3, 2, 1, 0 } };
    static const tess_dtype dtypes[] = { TESS_U8, TESS_F16, TESS_F32, TESS_F64 };
    for (int i = 0; i < 3; i++)
        for (int t = 0; t < 4; t++) {
            const int *axes = orders[i];
            tess_array in = { .shape = { { 8, 64, 512, 1024 } }, .dtype = dtypes[t], .data = (void *)4096 }, turned;
            tess_array out = in;
            tess__loop loop;
            tess__gpu_tiles   p;
            tess__cuda_tiling tiling;
            in.strides = tess_strides_contiguous(in.shape, 'C');
            CHECK_OK(tess_permute(&turned, &in, axes[0], axes[1], axes[2], axes[3]));
            out.shape = turned.shape;
            out.strides = tess_strides_contiguous(out.shape, 'C');
            tess__plan(&loop, out.shape, (const tess_array *[]){ &out, &turned }, 2);
            if (!CHECK(tess__cuda_tiles(&p, &tiling, &loop, 0))) continue;
            CHECK_I64(tiling.vector[0] * (int64_t)tess_dtype_size(in.dtype), 16);
            CHECK_I64(tiling.vector[1] * (int64_t)tess_dtype_size(in.dtype), 16);
            CHECK(p.out.length >= tiling.tile / 2 && p.in.length >= tiling.tile);
        }
}

TEST(turned_layouts)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 200 : 5); i++) check_turned(i, device);
}

/* ---- More than 2^31 packs ---- */

typedef struct wide_context {
    tess__cuda_spec  spec;
    tess__cuda_shape shape;
} wide_context;

static void print_wide(tess__writer *w, const tess__cuda_key *key)
{
    const wide_context *context = key->context;
    tess__cuda_spec_print(w, &context->spec);
    tess__cuda_shape_print(w, &context->shape);
    tess__write(w, "#include \"cuda/ewise/ewise.cu.h\"\n");
}

/* The kernel for arrays that are larger than any here. */
TEST(wide_loops)
{
    static const tess__cuda_family family = { .name = "wide", .print = print_wide };
    tess_device                    device;
    pair                           in, out;
    if (!test_gpu(&device)) return;
    make(&in, layout_stepped, TESS_SHAPE(2, 3, 5, 8), TESS_F32, device);
    make(&out, layout_reversed, TESS_SHAPE(2, 3, 5, 8), TESS_F32, device);
    const tess_array *operands[2] = { &out.gpu, &in.gpu };
    tess__cuda_call   call;
    tess__loop        loop;
    tess__gpu_loop    p;
    wide_context      context = { .spec = { .kind = TESS__COPY, .n_inputs = 1, .unit = 4 } };
    tess__plan(&loop, out.gpu.shape, operands, 2);
    tess__cuda_loop(&p, &context.shape, &loop, 0, 4);
    CHECK(!context.shape.wide);
    context.shape.wide = 1;
    const tess__cuda_key key = { .family = &family, .context = &context };
    CHECK_OK(tess_copy(&out.host.view, &in.host.view));
    CHECK_OK(tess__cuda_begin_on(&call, "wide", device.index));
    CHECK_OK(tess__cuda_run(&call, &key, tess__cuda_loop_blocks(&p, &context.shape), TESS__GPU_LOOP_THREADS, &p));
    tess__cuda_end(&call);
    (void)same(&out, "a wide loop");
    drop(&in);
    drop(&out);
}

/* An array of 2^31 packs and some more, where there is memory for it. */
TEST(large_arrays)
{
    const int64_t    n = ((int64_t)1 << 35) + 5;
    tess_device      device;
    tess_array       a = { .data = NULL }, end[2];
    tess_info_device info;
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_device_info(&info, device));
    if (!test_large() || info.memory_free < 2 * n) {
        test_skip("TESS_TEST_LARGE is not set, or there is less than 64 GiB of memory");
        return;
    }
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 1, n), TESS_U8, device, 7));
    CHECK_OK(tess_add(&a, &a, &a));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(tess_slice(&end[0], &a, 3, i ? n - 100 : 0, i ? n : 100, 1));
        if (!test_fetch(&end[1], &end[0])) continue;
        for (int64_t k = 0; k < 100; k++) CHECK(((const uint8_t *)end[1].data)[k] == 14);
        tess_release(&end[1]);
    }
    tess_release(&a);
}

/* ---- Numbers from positions ---- */

static void check_made(const char *what, pair *out, tess_status here, tess_status there)
{
    CHECK_I64(there, here);
    (void)same(out, what);
    drop(out);
}

TEST(numbers_of_positions)
{
    tess_device device;
    pair        out;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 90 : 2); i++) {
        const tess_dtype dtype = (tess_dtype)(1 + i * 4 % (TESS_SCALAR_DTYPE_COUNT - 1));
        const tess_shape s = any_shape();
        const double     start = i % 2 ? 3 : 1.25, step = i % 3 ? -2 : 0.3;
        make_any(&out, s, dtype, true, device);
        check_made("arange", &out, tess_arange(&out.host.view, s, dtype, tess_cpu(), start, step),
                   tess_arange(&out.gpu, s, dtype, device, start, step));
        make_any(&out, s, dtype, true, device);
        check_made("linspace", &out, tess_linspace(&out.host.view, s, dtype, tess_cpu(), start, 1e3, NULL),
                   tess_linspace(&out.gpu, s, dtype, device, start, 1e3, NULL));
        make_any(&out, s, dtype, true, device);
        check_made("eye", &out, tess_eye(&out.host.view, s, dtype, tess_cpu()), tess_eye(&out.gpu, s, dtype, device));
    }
}
