/* Scatter-add by operators, text and compiled, against a plain loop over the chunks of formulas/scatter_chunks.op.h: the same
 * bits for every number of threads, layout and instruction set. */
#include <math.h>
#include <stdlib.h>

#include "formulas/scatter_chunks.op.h"
#include "support/isas.h"
#include "support/layouts.h"
#include "tessera.h"

enum { MOST_BINS = 20000, MOST_BATCHES = 40 };

/* Two sums of one statement each, and one of two that are taken for the same bins. */
static const char text[] = "op sums(in f32 x, in i32 at, scatter f64 s, scatter f32 t, scatter f32 split) {"
                           "  s[B,0,0,at] += x; if (x > 0) { t[B,0,0,at - 1] += x*x; }"
                           "  split[B,0,0,at] += x*0.25f; split[B,0,0,at + 1] += x*0.75f; }";

TESS_IWISE(
    compiled_sums, (in(f32, x), in(i32, at), scatter(f64, s), scatter(f32, t), scatter(f32, split)),
    tess_at(s, b, 0, 0, at) += (f64)x;
    if (x > 0) { tess_at(t, b, 0, 0, at - 1) += x * x; } tess_at(split, b, 0, 0, at) += x * 0.25f;
    tess_at(split, b, 0, 0, at + 1) += x * 0.75f;)

TESS_IWISE(
    compiled_totals, (in(f32, x), in(i32, at), scatter(f64, s), scatter(f32, t), scatter(f32, split)),
    tess_at(s, 0, 0, 0, at) += (f64)x;
    if (x > 0) { tess_at(t, 0, 0, 0, at - 1) += x * x; } tess_at(split, 0, 0, 0, at) += x * 0.25f;
    tess_at(split, 0, 0, 0, at + 1) += x * 0.75f;)

typedef struct tables {
    double s[MOST_BINS];
    float  t[MOST_BINS], split[MOST_BINS];
} tables;

typedef struct sums {
    guarded    x, at;
    tess_shape shape;
    int64_t    bins;
    bool       batched; /* a table for each batch */
    tables    *want;    /* of each batch, or one */
} sums;

static float start_of(int64_t bin) { return (float)bin / 7; }

/* ---- The plain loop ---- */

static void add(tables *o, const sums *c, const int64_t position[4])
{
    float   x;
    int32_t at;
    memcpy(&x, element_at(&c->x.view, position), sizeof x);
    memcpy(&at, element_at(&c->at.view, position), sizeof at);
    if (at >= 0 && at < c->bins) o->s[at] += (double)x, o->split[at] += x * 0.25f;
    if (x > 0 && at >= 1 && at <= c->bins) o->t[at - 1] += x * x;
    if (at >= -1 && at + 1 < c->bins) o->split[at + 1] += x * 0.75f;
}

static void add_chunk(tables *o, const sums *c, const tess__scatter_chunks *k, int64_t chunk)
{
    int64_t first[4], last[4], p[4];
    for (int d = 3; d >= 0; d--) {
        first[d] = chunk % k->count[d] * k->extent[d];
        last[d] = first[d] + k->extent[d] < c->shape.dim[d] ? first[d] + k->extent[d] : c->shape.dim[d];
        chunk /= k->count[d];
    }
    for (p[0] = first[0]; p[0] < last[0]; p[0]++)
        for (p[1] = first[1]; p[1] < last[1]; p[1]++)
            for (p[2] = first[2]; p[2] < last[2]; p[2]++)
                for (p[3] = first[3]; p[3] < last[3]; p[3]++) add(o, c, p);
}

static void expect(sums *c)
{
    static tables              part;
    const tess__scatter_chunks k = tess__scatter_cut(c->shape.dim, 3 * c->bins, 16 * c->bins, c->batched);
    for (int64_t b = 0; b < (c->batched ? c->shape.b : 1); b++)
        for (int64_t i = 0; i < c->bins; i++)
            c->want[b].s[i] = (double)start_of(i), c->want[b].t[i] = c->want[b].split[i] = start_of(i);
    for (int64_t chunk = 0; chunk < k.n; chunk++) {
        tables *o = &c->want[c->batched ? chunk / k.of_sum : 0];
        if (chunk % k.of_sum == 0) {
            add_chunk(o, c, &k, chunk);
            continue;
        }
        memset(&part, 0, sizeof part);
        add_chunk(&part, c, &k, chunk);
        for (int64_t i = 0; i < c->bins; i++) o->s[i] += part.s[i], o->t[i] += part.t[i], o->split[i] += part.split[i];
    }
}

/* ---- Operators ---- */

static void set_start(void *context, const int64_t p[4])
{
    const tess_array *a = context;
    const float       x = start_of(p[3]);
    const double      wide = (double)x;
    memcpy(element_at(a, p), a->dtype == TESS_F64 ? (const void *)&wide : &x, a->dtype == TESS_F64 ? 8 : 4);
}

static void compare_bins(const sums *c, const guarded *g, const char *what)
{
    for (int64_t b = 0; b < g->view.shape.b; b++)
        for (int64_t i = 0; i < c->bins; i++) {
            const tables *o = &c->want[b];
            const void   *want = g->view.dtype == TESS_F64 ? (const void *)&o->s[i]
                                 : *what == 't'            ? &o->t[i]
                                                           : &o->split[i];
            if (memcmp(want, element_at(&g->view, (const int64_t[]){ b, 0, 0, i }), tess_dtype_size(g->view.dtype)) ==
                0)
                continue;
            (void)test_failed(__FILE__, __LINE__, "{%d,%d,%d,%d}, %d bins, %s[%d,%d]", (int)c->shape.b, (int)c->shape.d,
                              (int)c->shape.h, (int)c->shape.w, (int)c->bins, what, (int)b, (int)i);
            return;
        }
}

static void run(const sums *c, const tess_op *op)
{
    static const char *const names[] = { "s", "t", "split" };
    guarded                  out[3];
    for (int k = 0; k < 3; k++) {
        guarded_make(&out[k], (layout)test_random_in(0, n_output_layouts - 1),
                     TESS_SHAPE(c->batched ? c->shape.b : 1, 1, 1, c->bins), k ? TESS_F32 : TESS_F64);
        each_index(out[k].view.shape, set_start, &out[k].view);
        guarded_snapshot(&out[k]);
    }
    CHECK_OK(tess_threads_set((int)test_random_in(1, 4)));
    CHECK_OK(tess_call(op, &c->x.view, &c->at.view, &out[0].view, &out[1].view, &out[2].view));
    for (int k = 0; k < 3; k++) {
        compare_bins(c, &out[k], names[k]);
        CHECK(guarded_check(&out[k], names[k]));
        guarded_free(&out[k]);
    }
}

static const tess_op *text_with(const char *batch)
{
    char     made[sizeof text];
    tess_op *op = NULL;
    memcpy(made, text, sizeof made);
    for (char *p = made; *p; p++)
        if (*p == 'B') *p = *batch;
    CHECK_OK(tess_op_text(&op, made));
    return op;
}

/* ---- Cases ---- */

static void set_element(void *context, const int64_t p[4])
{
    const sums *c = context;
    const float x = (float)(test_random_unit() * 3 - 1);
    /* neighbours often meet in a bin */
    const int32_t at = (int32_t)(test_random() % 3 ? p[3] % (c->bins + 2) - 1 : test_random_in(-3, c->bins + 2));
    memcpy(element_at(&c->x.view, p), &x, sizeof x);
    memcpy(element_at(&c->at.view, p), &at, sizeof at);
}

static void check_shape(tess_shape shape, int64_t bins, bool batched)
{
    sums           c = { .shape = shape, .bins = bins, .batched = batched };
    const tess_op *compiled = NULL, *op = text_with(batched ? "b" : "0");
    c.want = calloc((size_t)(batched ? shape.b : 1), sizeof *c.want);
    if (!CHECK(c.want != NULL)) return;
    CHECK_OK(tess_op_of(&compiled, batched ? &compiled_sums : &compiled_totals));
    guarded_make(&c.x, (layout)test_random_in(0, n_output_layouts - 1), shape, TESS_F32);
    guarded_make(&c.at, (layout)test_random_in(0, n_output_layouts - 1), shape, TESS_I32);
    each_index(shape, set_element, &c);
    expect(&c);
    run(&c, op);
    run(&c, compiled);
    guarded_free(&c.x);
    guarded_free(&c.at);
    tess_op_release((tess_op *)(uintptr_t)op);
    free(c.want);
}

static void on_each_isa(void (*check)(void))
{
    isas_tell_missing();
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        check();
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
}

static void random_shapes(void)
{
    for (int i = 0; i < test_fewer(64); i++) {
        const bool batched = test_random_in(0, 1);
        check_shape(
            TESS_SHAPE(test_random_in(1, 3), test_random_in(1, 3), test_random_in(1, 60), test_random_in(1, 90)),
            test_random_in(1, 300), batched);
    }
}

TEST(sums_are_those_of_a_plain_loop_over_chunks) { on_each_isa(random_shapes); }

TEST(sums_with_many_bins_and_many_chunks)
{
    check_shape(TESS_SHAPE(1, 2, 300, 401), 15000, false); /* copies beyond 64 KiB: threads share the work still */
    check_shape(TESS_SHAPE(1, 1, 1, 9001), 40, false);     /* rows longer than a chunk */
    check_shape(TESS_SHAPE(3, 1, 90, 101), 33, true);      /* several chunks for each batch */
    check_shape(TESS_SHAPE(40, 1, 3, 5), 7, true);         /* several batches for each tile */
    check_shape(TESS_SHAPE(1, 1, 1, 1), 1, true);
}

/* A body of more additions than one run of the machine takes, in a loop, and of bins with other types. */
TEST(sums_of_many_statements_types_and_loops)
{
    char       many[8192] = "op many(in f64 x, scatter f64 s, scatter i32 n, scatter c32 z) {"
                            "for (i32 i = 0; i < 3; ++i) { n[0,0,0,i] += 1; s[0,0,0,i] += x; }";
    tess_op   *op = NULL;
    tess_array x = { 0 }, s = { 0 }, n = { 0 }, z = { 0 };
    for (int k = 0; k < 70; k++) strcat(many, "s[0,0,0,w % 2] += x;");
    strcat(many, "z[0,0,0,0] += complex((f32)x, 1.0f); }");
    CHECK_OK(tess_op_text(&op, many));
    CHECK_OK(tess_arange(&x, TESS_SHAPE(1, 1, 50, 120), TESS_F64, tess_cpu(), 1, 1));
    CHECK_OK(tess_zeros(&s, TESS_SHAPE(1, 1, 1, 3), TESS_F64, tess_cpu()));
    CHECK_OK(tess_zeros(&n, TESS_SHAPE(1, 1, 1, 3), TESS_I32, tess_cpu()));
    CHECK_OK(tess_zeros(&z, TESS_SHAPE(1, 1, 1, 1), TESS_C32, tess_cpu()));
    CHECK_OK(tess_call(op, &x, &s, &n, &z));
    const double all = 6000.0 * 6001 / 2, odd = 3000.0 * 3000,
                 want[3] = { 70 * odd + all, 70 * (all - odd) + all, all };
    for (int k = 0; k < 3; k++) {
        CHECK(((const double *)s.data)[k] == want[k]);
        CHECK_I64(((const int32_t *)n.data)[k], 6000);
    }
    CHECK(fabs(((const float *)z.data)[0] - (float)all) < 20 && ((const float *)z.data)[1] == 6000.0f);
    tess_release(&x);
    tess_release(&s);
    tess_release(&n);
    tess_release(&z);
    tess_op_release(op);
}

/* ---- Linear split ---- */

static const char linear_text[] = "op linear(in f64 x, in f32 e, scatter f32 s, scatter f64 t, scatter c32 z) {"
                                  "  add_linear(s, b, 0, 0, x, e); if (e > 0) { add_linear(t, b, 0, 0, (f32)x, e); }"
                                  "  add_linear(z, b, 0, 0, x, complex(e, -e)); }";

TESS_IWISE(
    compiled_linear, (in(f64, x), in(f32, e), scatter(f32, s), scatter(f64, t), scatter(c32, z)),
    tessm_add_linear(s, b, 0, 0, x, e);
    if (e > 0) { tessm_add_linear(t, b, 0, 0, (f32)x, e); } tessm_add_linear(z, b, 0, 0, x, tessm_complex(e, -e));)

enum { BINS = 9, POSITIONS = 3000 };

static void split(float *s, double x, float e)
{
    const double below = floor(x);
    const float  share = (float)(x - below);
    if (!(x >= -1 && x < BINS)) return;
    if (below >= 0) s[(int)below] += e * (1 - share);
    if (share != 0 && below + 1 < BINS) s[(int)below + 1] += e * share;
}

static void split_wide(double *s, double x, double e)
{
    const double below = floor(x), share = x - below;
    if (!(x >= -1 && x < BINS)) return;
    if (below >= 0) s[(int)below] += e * (1 - share);
    if (share != 0 && below + 1 < BINS) s[(int)below + 1] += e * share;
}

static double any_position(int i)
{
    static const double special[] = { NAN, INFINITY, -INFINITY, -1,    -1.5,   -1e-17,          -0.0, 0,
                                      8,   8.5,      9,         1e300, -1e300, 8.9999999999999, 3 };
    return i < 15 ? special[i] : test_random_unit() * 11 - 1.5;
}

static void compare_split(const tess_op *op, tess_array *x, tess_array *e)
{
    static float  s[BINS], z[2][BINS];
    static double t[BINS];
    tess_array    got[3] = { { .data = NULL }, { .data = NULL }, { .data = NULL } };
    memset(s, 0, sizeof s), memset(z, 0, sizeof z), memset(t, 0, sizeof t);
    for (int i = 0; i < POSITIONS; i++) {
        const double at = ((const double *)x->data)[i];
        const float  value = ((const float *)e->data)[i];
        split(s, at, value), split(z[0], at, value), split(z[1], at, -value);
        if (value > 0) split_wide(t, (double)(float)at, (double)value);
    }
    CHECK_OK(tess_zeros(&got[0], TESS_SHAPE(1, 1, 1, BINS), TESS_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&got[1], TESS_SHAPE(1, 1, 1, BINS), TESS_F64, tess_cpu()));
    CHECK_OK(tess_zeros(&got[2], TESS_SHAPE(1, 1, 1, BINS), TESS_C32, tess_cpu()));
    CHECK_OK(tess_call(op, x, e, &got[0], &got[1], &got[2]));
    CHECK(memcmp(got[0].data, s, sizeof s) == 0);
    CHECK(memcmp(got[1].data, t, sizeof t) == 0);
    for (int i = 0; i < BINS; i++) {
        CHECK(((const float *)got[2].data)[2 * i] == z[0][i]);
        CHECK(((const float *)got[2].data)[2 * i + 1] == z[1][i]);
    }
    for (int k = 0; k < 3; k++) tess_release(&got[k]);
}

/* Positions outside, and those that are no numbers, add nothing; whole ones add to one bin alone. */
TEST(linear_splits_are_those_of_a_plain_loop)
{
    tess_op       *text_op = NULL;
    const tess_op *compiled = NULL;
    tess_array     x = { .data = NULL }, e = { .data = NULL };
    CHECK_OK(tess_op_text(&text_op, linear_text));
    CHECK_OK(tess_op_of(&compiled, &compiled_linear));
    CHECK_OK(tess_empty(&x, TESS_SHAPE(1, 1, 3, POSITIONS / 3), TESS_F64, tess_cpu()));
    CHECK_OK(tess_empty(&e, x.shape, TESS_F32, tess_cpu()));
    for (int i = 0; i < POSITIONS; i++) {
        ((double *)x.data)[i] = any_position(i);
        ((float *)e.data)[i] = (float)(test_random_unit() - 0.4);
    }
    compare_split(text_op, &x, &e);
    compare_split(compiled, &x, &e);
    tess_release(&x);
    tess_release(&e);
    tess_op_release(text_op);
}
