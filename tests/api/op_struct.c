/* Structs of parameters: compiled operators, text and loops beside plain loops, on every instruction set; mistakes. All
 * numbers are such that sums of them are exact. */
#include "support/arrays.h"
#include "support/isas.h"
#include "support/layouts.h"
#include "support/struct_ops.h"

static const tess_shape shapes[] = {
    { { 1, 1, 1, 1 } }, { { 1, 1, 1, 7 } }, { { 2, 3, 5, 33 } }, { { 1, 1, 3, 301 } }
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double number_at(const int64_t i[4]) { return (double)(i[0] * 7 + i[1] * 5 + i[2] * 3 + i[3] % 9) - 6; }

static void set_number(void *context, const int64_t at[4])
{
    CHECK_OK(tess_set_f64(context, at[0], at[1], at[2], at[3], number_at(at)));
}

static void make(guarded *g, int i, int kind, tess_dtype dtype)
{
    guarded_make(g, (layout)kind, shapes[i], dtype);
    each_index(shapes[i], set_number, &g->view);
}

/* ---- Compiled operators beside plain loops ---- */

typedef double plain_fn(double x, const int64_t at[4]);

static double plain_gaps(double x, const int64_t at[4])
{
    (void)at;
    const gaps   p = some_gaps();
    const double real = p.a + 2 * p.b + 3 * p.c + 4 * (double)p.z.re + 5 * (double)p.z.im + (p.on ? 6 : 0) +
                        7 * p.q.re + 8 * p.q.im + 9 * p.small;
    const double more = 10 * (double)p.m[0] + 11 * (double)p.m[1] + 12 * (double)p.m[2] + 13 * (double)p.wide +
                        14.0 * p.k + 15 * p.n[0] + 16 * p.n[1] + 17 * (double)p.l + 18 * (double)p.u;
    return x * real + more * 0.5 + 9;
}

static double plain_whole(double x, const int64_t at[4])
{
    (void)at;
    const whole p = some_whole();
    return x + p.a[0] * x + p.a[99] + p.z[9].im * x + p.z[0].re + p.n[15];
}

static double polynomial(const curve *p, double x)
{
    double sum = 0;
    for (int i = 3; i >= 0; i--) sum = sum * x + p->c[i];
    return sum;
}

typedef struct comparison {
    const tess_array *got;
    plain_fn         *plain;
} comparison;

static void compare(void *context, const int64_t at[4])
{
    const comparison *c = context;
    double            got = 0;
    CHECK_OK(tess_get_f64(&got, c->got, at[0], at[1], at[2], at[3]));
    const double want = c->plain(number_at(at), at);
    if (got != want)
        (void)test_failed(__FILE__, __LINE__, "at %d,%d,%d,%d is %.17g, not %.17g", (int)at[0], (int)at[1], (int)at[2],
                          (int)at[3], got, want);
}

static void check_all(const tess_array *got, plain_fn *plain)
{
    comparison c = { got, plain };
    each_index(got->shape, compare, &c);
}

/* Each in every layout, for inputs and outputs. */
TEST(members_reach_element_wise_operators)
{
    const gaps  p = some_gaps();
    const whole all = some_whole();
    const tiny  t = { 9 };
    for (int i = 0; i < SHAPES; i++)
        for (int kind = 0; kind < n_output_layouts; kind++) {
            guarded x, z, y;
            make(&x, i, kind, TESS_F32);
            make(&y, i, kind, TESS_F64);
            guarded_make(&z, (layout)kind, shapes[i], TESS_F64);
            guarded_snapshot(&z);
            CHECK_OK(tess_call(&struct_gaps, &x.view, tess_struct(gaps, &p), 0.5f, tess_struct(tiny, &t), &z.view));
            check_all(&z.view, plain_gaps);
            CHECK(guarded_check(&z, "z"));
            tess_array copy = { 0 };
            CHECK_OK(tess_copy(&copy, &y.view));
            CHECK_OK(tess_call(&struct_whole, &copy, tess_struct(whole, &all), &y.view));
            check_all(&y.view, plain_whole);
            tess_release(&copy);
            guarded_free(&x);
            guarded_free(&y);
            guarded_free(&z);
        }
}

static int64_t width; /* of the array that is being compared */

static double plain_places(double x, const int64_t at[4])
{
    (void)x;
    const curve   p = some_curve();
    const int64_t right[4] = { at[0], at[1], at[2], at[3] + 1 < width ? at[3] + 1 : at[3] };
    return number_at(right) + p.steps * (p.scale * polynomial(&p, (double)at[3])) + polynomial(&p, (double)at[2]);
}

TEST(structs_are_passed_to_functions_and_bound_loops)
{
    const curve p = some_curve();
    for (int i = 0; i < SHAPES; i++) {
        guarded v, z;
        make(&v, i, layout_contiguous, TESS_F32);
        guarded_make(&z, layout_contiguous, shapes[i], TESS_F64);
        CHECK_OK(tess_call(&struct_places, tess_struct(curve, &p), &v.view, &z.view));
        width = shapes[i].w;
        check_all(&z.view, plain_places);
        guarded_free(&v);
        guarded_free(&z);
    }
    curve      endless = p;
    tess_array one = { 0 }, out = { 0 };
    endless.steps = 100000;
    CHECK_OK(tess_zeros(&one, TESS_SHAPE(1, 1, 1, 1), TESS_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&out, one.shape, TESS_F64, tess_cpu()));
    CHECK_FAILS(tess_call(&struct_places, tess_struct(curve, &endless), &one, &out), TESS_ERANGE,
                "loop i runs 100000 times", "max_trips is 65536");
    tess_release(&one);
    tess_release(&out);
}

static void add_number(void *context, const int64_t at[4])
{
    double      *sums = context;
    const double y = number_at(at) * some_curve().c[1];
    sums[0] += y;
    sums[1] = y < sums[1] ? y : sums[1];
}

TEST(structs_reach_reductions)
{
    const curve p = some_curve();
    for (int i = 0; i < SHAPES; i++)
        for (int kind = 0; kind < n_output_layouts; kind++) {
            double  total = -1, least = -1, want[2] = { 0, 0 };
            guarded x;
            make(&x, i, kind, TESS_F32);
            each_index(shapes[i], add_number, want);
            CHECK_OK(tess_call(&struct_sum, &x.view, tess_struct(curve, &p), &total, &least));
            CHECK(total == p.scale * want[0]);
            CHECK(least == want[1] + p.c[0]);
            guarded_free(&x);
        }
}

TEST(structs_reach_scatters)
{
    const curve p = some_curve(); /* four elements a bin */
    tess_array  x = { 0 }, bins = { 0 };
    double      want[4] = { 0 };
    CHECK_OK(tess_full(&x, TESS_SHAPE(1, 1, 1, 13), TESS_F32, tess_cpu(), 8));
    CHECK_OK(tess_zeros(&bins, TESS_SHAPE(1, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_call(&struct_bins, &x, tess_struct(curve, &p), &bins));
    for (int w = 0; w < 13; w++) {
        const int    k = w / 4;
        const double t = 0.25 * (w % 4);
        want[k] += 4 * (1 - t);
        if (k < 3) want[k + 1] += 4 * t;
    }
    for (int k = 0; k < 4; k++) {
        double got = 0;
        CHECK_OK(tess_get_f64(&got, &bins, 0, 0, 0, k));
        CHECK(got == want[k]);
    }
    tess_release(&x);
    tess_release(&bins);
}

/* ---- Text, and loops of the user's ---- */

/* Compiled bodies are C's; a text is run by the library, with the kernels of each instruction set. */
TEST(text_has_the_layout_of_c_on_every_instruction_set)
{
    const gaps p = some_gaps();
    const tiny t = { 9 };
    tess_op   *op = NULL;
    guarded    x;
    CHECK_OK(tess_op_text(
        &op, "struct tiny { u8 a; };\n"
             "struct gaps { u8 a; f64 b; i16 c; c32 z; bool on; c64 q; i8 small; f32 m[3]; u64 wide; i32 k; u16 n[2];"
             " i64 l; u32 u; }\n"
             "fn f64 first(gaps g) { return g.a + 2*g.b + 3*g.c + 4*real(g.z) + 5*imag(g.z) + (g.on ? 6 : 0)"
             " + 7*real(g.q) + 8*imag(g.q) + 9*g.small; }\n"
             "op f(in f32 x, val gaps p, val f32 by, val tiny t, out f64 z) {\n"
             "  f64 more = (f64)10*p.m[0] + (f64)11*p.m[1] + (f64)12*p.m[2] + (f64)13*p.wide + (f64)14*p.k"
             " + (f64)15*p.n[0] + (f64)16*p.n[1] + (f64)17*p.l + (f64)18*p.u;\n"
             "  z = x*first(p) + more*by + t.a; }"));
    make(&x, 2, layout_contiguous, TESS_F32);
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        tess_array z = { 0 };
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_call(op, &x.view, tess_struct(gaps, &p), 0.5f, tess_struct(tiny, &t), &z));
        check_all(&z, plain_gaps);
        tess_release(&z);
        CHECK_OK(tess_call(&struct_gaps, &x.view, tess_struct(gaps, &p), 0.5f, tess_struct(tiny, &t), &z));
        check_all(&z, plain_gaps);
        tess_release(&z);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    guarded_free(&x);
    tess_op_release(op);
}

/* Where a loop finds its struct. */
static void scale_by_curve(const tess_tile *tile)
{
    const curve *p = *(const curve *const *)((const char *)tile->val + 16);
    for (int64_t i = 0; i < tile->extent[3]; i++) {
        const float x = ((const float *)tile->ptr[0])[(tile->origin[3] + i) * tile->stride[0][3]];
        ((float *)tile->ptr[2])[(tile->origin[3] + i) * tile->stride[2][3]] = (float)(p->scale * (double)x + p->c[3]);
    }
}

TEST(loops_have_the_address_of_a_struct)
{
    const curve p = some_curve();
    tess_op    *op = NULL;
    tess_array  x = { 0 }, z = { 0 };
    CHECK_OK(tess_op_loop(&op,
                          "struct curve { f64 scale; f64 c[4]; i32 steps; } op f(in f32 x, val curve p, out f32 z)",
                          scale_by_curve, NULL));
    CHECK_OK(tess_arange(&x, TESS_SHAPE(1, 1, 1, 70), TESS_F32, tess_cpu(), 0, 1));
    CHECK_OK(tess_call(op, &x, tess_struct(curve, &p), &z));
    for (int i = 0; i < 70; i++) CHECK(((const float *)z.data)[i] == 0.5f * (float)i + 0.125f);
    tess_release(&x);
    tess_release(&z);
    tess_op_release(op);
}

/* The struct is copied by the call: what becomes of it afterwards does not count. */
TEST(queued_work_has_its_own_struct)
{
    tess_stream *stream = NULL;
    tess_array   x = { 0 }, z = { 0 };
    tiny         t = { 9 };
    gaps         p = some_gaps();
    CHECK_OK(tess_arange(&x, TESS_SHAPE(1, 1, 1, 9), TESS_F32, tess_cpu(), -6, 1));
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = true }));
    const tess_bind binds[] = { tess__bind_array(&x), tess_struct(gaps, &p), tess__bind_f32(0.5f),
                                tess_struct(tiny, &t), tess__bind_array(&z) };
    CHECK_OK(tess_run_def(&struct_gaps, binds, 5, &(tess_run_opts){ .stream = stream }));
    memset(&p, 0xff, sizeof p);
    t.a = 0;
    CHECK_OK(tess_stream_sync(stream));
    check_all(&z, plain_gaps);
    tess_release(&x);
    tess_release(&z);
    tess_stream_free(stream);
}

/* ---- Mistakes ---- */

TEST(bad_structs_are_rejected)
{
    const gaps  p = some_gaps();
    const tiny  t = { 9 };
    const curve c = some_curve();
    tess_array  x = { 0 }, z = { 0 };
    CHECK_OK(tess_zeros(&x, TESS_SHAPE(1, 1, 1, 4), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_call(&struct_gaps, &x, 2, 0.5f, tess_struct(tiny, &t), &z), TESS_EARG,
                "struct_gaps: p (val) is a number; a struct gaps is needed: tess_struct(gaps, &..)");
    CHECK_FAILS(tess_call(&struct_gaps, &x, tess_struct(gaps, &p), tess_struct(tiny, &t), tess_struct(tiny, &t), &z),
                TESS_EARG, "by (val) is a struct; a number is needed");
    CHECK_FAILS(tess_call(&struct_gaps, &x, tess_struct(curve, &c), 0.5f, tess_struct(tiny, &t), &z), TESS_EDTYPE,
                "struct_gaps: p (val) is a struct curve; gaps is needed");
    CHECK_FAILS(tess_call(&struct_gaps, tess_struct(gaps, &p), tess_struct(gaps, &p), 0.5f, tess_struct(tiny, &t), &z),
                TESS_EARG, "x (in) is a struct; an array is needed");
    CHECK_FAILS(tess_call(&struct_gaps, &x, tess_struct(gaps, NULL), 0.5f, tess_struct(tiny, &t), &z), TESS_EARG,
                "struct_gaps: p is NULL");
    CHECK_FAILS(tess_call(TESS_OP_HYPOT, &x, tess_struct(gaps, &p), &z), TESS_EARG,
                "y (in) is a struct; an array or a number is needed");
    const tess_struct_def shorter = { "gaps", sizeof(gaps) - 8 }, unnamed = { NULL, sizeof(gaps) };
    CHECK_FAILS(tess_call(&struct_gaps, &x, tess__bind_structure(&p, &shorter), 0.5f, tess_struct(tiny, &t), &z),
                TESS_EDTYPE, "struct_gaps: p (val) is a struct of", "bytes; gaps has");
    CHECK_FAILS(tess_call(&struct_gaps, &x, tess__bind_structure(&p, NULL), 0.5f, tess_struct(tiny, &t), &z), TESS_EARG,
                "struct_gaps: the definition of a struct is NULL");
    CHECK(!z.data);
    CHECK_OK(tess_call(&struct_gaps, &x, tess__bind_structure(&p, &unnamed), 0.5f, tess_struct(tiny, &t), &z));
    tess_release(&x);
    tess_release(&z);
}

static void no_loop(const tess_tile *tile) { (void)tile; }

/* A definition that does not have the text of its struct, or too many bytes of them. */
TEST(structs_of_definitions_are_known_and_fit)
{
    static const char *const large[] = { "struct large(f64 a[129])", NULL };
    static const char *const half[] = { "struct half(f64 a[65])", "", NULL };
    const tess_op           *op = NULL;
    tess_op_def              unknown = { .name = "f",
                                         .params = "(val(large,p), out(f64,z))",
                                         .body = "z = p.a[0];",
                                         .file = "a.c",
                                         .line = 3,
                                         .mode = TESS_MODE_EWISE,
                                         .tile = no_loop };
    CHECK_FAILS(tess_op_of(&op, &unknown), TESS_EPARSE,
                "a.c:3: f:", "unknown type 'large'; expected bool, i32, f32 and so on, or a TESS_STRUCT");
    tess_op_def too_large = unknown, too_many = unknown;
    too_large.uses = large;
    CHECK_FAILS(tess_op_of(&op, &too_large), TESS_EPARSE, "struct 'large' has more than 1024 bytes");
    too_many.uses = half;
    too_many.params = "(val(half,p), val(half,q), out(f64,z))";
    CHECK_FAILS(tess_op_of(&op, &too_many), TESS_EPARSE,
                "the structs of the parameters have 1048 bytes; at most 1024 are allowed");
}
