/* Operators of users against naive loops: modes x layouts x dtypes x sets of axes, then the same bits for every number
 * of threads, on asynchronous streams and in place.
 */
#include <math.h>
#include <stdlib.h>

#include "support/layouts.h"

static const tess_dtype dtypes[] = { TESS_I8,  TESS_I16, TESS_I32, TESS_I64, TESS_U8,  TESS_U16, TESS_U32,
                                     TESS_U64, TESS_F16, TESS_F32, TESS_F64, TESS_C32, TESS_C64 };
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

static const tess_shape shapes[] = { { { 2, 3, 5, 7 } },   { { 1, 1, 1, 1 } },   { { 3, 1, 40, 4 } },
                                     { { 1, 1, 2, 700 } }, { { 1, 4, 1, 600 } }, { { 300, 1, 1, 3 } },
                                     { { 5, 1, 300, 1 } } };
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static tess_op *parsed(const char *text)
{
    tess_op *op = NULL;
    CHECK_OK(tess_op_text(&op, text));
    return op;
}

/* Small integers at random, so that all arithmetic is exact. */
static void set_small(const tess_array *a, int most)
{
    tess_array number = { 0 };
    CHECK_OK(tess_empty(&number, a->shape, TESS_I32, tess_cpu()));
    const bool is_signed = tess_dtype_kind(a->dtype) != TESS_KIND_UINT;
    int32_t   *p = number.data;
    for (int64_t i = 0; i < tess_n_elements(a); i++) p[i] = (int32_t)test_random_in(is_signed ? -most : 0, most);
    tess_array target = *a;
    for (int d = 0; d < 4; d++)
        if (target.strides.dim[d] == 0) target.shape.dim[d] = number.shape.dim[d] = 1;
    CHECK_OK(tess_cast(&target, &number, a->dtype, NULL));
    tess_release(&number);
}

/* The real numbers of an array in b, d, h, w order. */
static double *numbers_of(const tess_array *a)
{
    tess_array    wide = { 0 }, real = { 0 };
    const int64_t n = tess_n_elements(a);
    double       *out = malloc((size_t)(n > 0 ? n : 1) * sizeof *out);
    CHECK_OK(tess_real(&real, a));
    CHECK_OK(tess_cast(&wide, &real, TESS_F64, NULL));
    if (n) memcpy(out, wide.data, (size_t)n * sizeof *out);
    tess_release(&real);
    tess_release(&wide);
    return out;
}

static bool same_numbers(const double *got, const double *want, int64_t n, const char *what)
{
    for (int64_t i = 0; i < n; i++)
        if (got[i] != want[i])
            return test_failed(__FILE__, __LINE__, "%s: element %lld is %g, not %g", what, (long long)i, got[i],
                               want[i]);
    return true;
}

/* Are the elements of an array these numbers? */
static bool holds(const tess_array *a, const double *want, const char *what)
{
    double    *got = numbers_of(a);
    const bool same = same_numbers(got, want, tess_n_elements(a), what);
    free(got);
    return same;
}

/* ---- Element-wise ---- */

TEST(ewise_in_every_layout)
{
    tess_op *op = parsed("op f(in T x, in T y, val T a, out T z) { z = a*x + y; }");
    for (int t = 0; t < N_DTYPES && op; t++)
        for (int s = 0; s < N_SHAPES; s++)
            for (int lx = 0; lx < n_layouts; lx++)
                for (int lz = 0; lz < n_output_layouts; lz++) {
                    guarded x, y, z;
                    char    what[96];
                    (void)snprintf(what, sizeof what, "%s shape %d %s %s", tess_dtype_name(dtypes[t]), s,
                                   layout_names[lx], layout_names[lz]);
                    if (!test_wants_case(what)) continue;
                    guarded_make(&x, (layout)lx, shapes[s], dtypes[t]);
                    guarded_make(&y, (layout)((lx + lz) % n_layouts), shapes[s], dtypes[t]);
                    guarded_make(&z, (layout)lz, shapes[s], dtypes[t]);
                    set_small(&x.view, 10);
                    set_small(&y.view, 10);
                    double *p = numbers_of(&x.view), *q = numbers_of(&y.view);
                    for (int64_t i = 0; i < tess_n_elements(&x.view); i++) p[i] = 3 * p[i] + q[i];
                    guarded_snapshot(&z);
                    CHECK_OK(tess_call(op, &x.view, &y.view, 3, &z.view));
                    CHECK(holds(&z.view, p, what));
                    CHECK(guarded_check(&z, what));
                    free(p);
                    free(q);
                    guarded_free(&x);
                    guarded_free(&y);
                    guarded_free(&z);
                }
    tess_op_release(op);
}

TEST(ewise_in_place_broadcast_and_made)
{
    tess_op   *op = parsed("op f(in f32 x, in f32 y, out f32 z, out f64 t) { z = x*2 + y; t = x; }");
    tess_array x = { 0 }, y = { 0 }, t = { 0 }, z = { 0 };
    CHECK_OK(tess_arange(&x, TESS_SHAPE(2, 3, 20, 30), TESS_F32, tess_cpu(), 0, 1));
    CHECK_OK(tess_arange(&y, TESS_SHAPE(1, 3, 1, 30), TESS_F32, tess_cpu(), 0, 1));
    double *p = numbers_of(&x), *q = numbers_of(&y);
    double *want = malloc(3600 * sizeof *want);
    for (int i = 0; i < 3600; i++) want[i] = 2 * p[i] + q[i / 600 % 3 * 30 + i % 30];
    CHECK_OK(tess_call(op, &x, &y, &z, &t));
    CHECK(holds(&z, want, "made") && holds(&t, p, "second output"));
    CHECK_OK(tess_call(op, &x, &y, &x, &t));
    CHECK(holds(&x, want, "in place"));
    CHECK_OK(tess_call(op, &tess_f32(4), &tess_num(3), &z, &t));
    for (int i = 0; i < 3600; i++) want[i] = 11;
    CHECK(holds(&z, want, "numbers"));
    free(p);
    free(q);
    free(want);
    tess_release(&x);
    tess_release(&y);
    tess_release(&z);
    tess_release(&t);
    tess_op_release(op);
}

/* ---- Index-wise ---- */

TEST(iwise_in_every_layout)
{
    tess_op *op =
        parsed("op g(in f32 x, view clamp f32 v, out f32 z) {"
               "  z = x + v[b, d, h+1, w-1] + 1000*(f32)(b + 2*d) + 10*(f32)h + (f32)w + (f32)shape(v, 3); }");
    for (int s = 0; s < N_SHAPES && op; s++)
        for (int lx = 0; lx < n_layouts; lx++) {
            const tess_shape n = shapes[s];
            guarded          x, v, z;
            guarded_make(&x, (layout)lx, n, TESS_F32);
            guarded_make(&v, (layout)((lx + 3) % n_layouts), n, TESS_F32);
            guarded_make(&z, (layout)((lx + 2) % n_output_layouts), n, TESS_F32);
            set_small(&x.view, 10);
            set_small(&v.view, 10);
            double *p = numbers_of(&x.view), *q = numbers_of(&v.view);
            int64_t i = 0;
            for (int64_t b = 0; b < n.b; b++)
                for (int64_t d = 0; d < n.d; d++)
                    for (int64_t h = 0; h < n.h; h++)
                        for (int64_t w = 0; w < n.w; w++, i++) {
                            const int64_t hh = h + 1 < n.h ? h + 1 : h, ww = w > 0 ? w - 1 : 0;
                            p[i] += q[((b * n.d + d) * n.h + hh) * n.w + ww] + (double)(1000 * (b + 2 * d)) +
                                    (double)(10 * h + w + n.w);
                        }
            guarded_snapshot(&z);
            CHECK_OK(tess_call(op, &x.view, &v.view, &z.view));
            CHECK(holds(&z.view, p, layout_names[lx]));
            CHECK(guarded_check(&z, layout_names[lx]));
            free(p);
            free(q);
            guarded_free(&x);
            guarded_free(&v);
            guarded_free(&z);
        }
    tess_op_release(op);
}

/* ---- Reductions ---- */

enum { SUM, LARGEST, SMALLEST, N_RESULTS };

/* Sums, largest and smallest of the elements that go to each element of a reduced shape. */
static void reduce_plainly(double *out[N_RESULTS], const double *p, tess_shape n, tess_shape kept)
{
    int64_t i = 0;
    for (int64_t k = 0; k < kept.b * kept.d * kept.h * kept.w; k++)
        out[SUM][k] = 0, out[LARGEST][k] = -INFINITY, out[SMALLEST][k] = INFINITY;
    for (int64_t b = 0; b < n.b; b++)
        for (int64_t d = 0; d < n.d; d++)
            for (int64_t h = 0; h < n.h; h++)
                for (int64_t w = 0; w < n.w; w++, i++) {
                    const int64_t at =
                        (((kept.b > 1 ? b : 0) * kept.d + (kept.d > 1 ? d : 0)) * kept.h + (kept.h > 1 ? h : 0)) *
                            kept.w +
                        (kept.w > 1 ? w : 0);
                    out[SUM][at] += p[i];
                    out[LARGEST][at] = fmax(out[LARGEST][at], p[i]);
                    out[SMALLEST][at] = fmin(out[SMALLEST][at], p[i]);
                }
}

static void check_reduction(const tess_op *op, const guarded *x, const double *p, int axes, int l, const char *what)
{
    const tess_dtype dtype = x->view.dtype;
    tess_shape       kept = x->view.shape;
    guarded          out[N_RESULTS];
    double          *want[N_RESULTS];
    for (int d = 0; d < 4; d++)
        if (axes >> d & 1) kept.dim[d] = 1;
    for (int i = 0; i < N_RESULTS; i++) {
        guarded_make(&out[i], (layout)((l + i) % n_output_layouts), kept, dtype);
        guarded_snapshot(&out[i]);
        want[i] = malloc((size_t)(kept.b * kept.d * kept.h * kept.w + 1) * sizeof **want);
    }
    reduce_plainly(want, p, x->view.shape, kept);
    CHECK_OK(tess_call(op, &x->view, &out[0].view, &out[1].view, &out[2].view));
    for (int i = 0; i < N_RESULTS; i++) {
        CHECK(holds(&out[i].view, want[i], what));
        CHECK(guarded_check(&out[i], what));
        guarded_free(&out[i]);
        free(want[i]);
    }
}

TEST(reductions_over_every_set_of_axes)
{
    tess_op *op = parsed("op s(in T x, acc sum T s, acc max T m, acc min T n, out T a, out T b, out T c) {"
                         "  s += x; m = max(m, x); n = min(n, x); }");
    for (int t = 0; t < N_DTYPES && op; t++) {
        if (tess_dtype_kind(dtypes[t]) == TESS_KIND_COMPLEX) continue;
        const int most = tess_dtype_size(dtypes[t]) == 1 ? 1 : tess_dtype_size(dtypes[t]) == 2 ? 2 : 10;
        for (int s = 0; s < N_SHAPES; s++)
            for (int l = 0; l < n_layouts; l++) {
                guarded x;
                char    what[96];
                if (tess_dtype_size(dtypes[t]) == 1 && s >= 2) continue; /* sums would wrap */
                guarded_make(&x, (layout)l, shapes[s], dtypes[t]);
                set_small(&x.view, s < 1 && most == 1 ? 0 : most);
                double *p = numbers_of(&x.view);
                for (int axes = 0; axes < 16; axes++) {
                    (void)snprintf(what, sizeof what, "%s shape %d %s axes %d", tess_dtype_name(dtypes[t]), s,
                                   layout_names[l], axes);
                    if (test_wants_case(what)) check_reduction(op, &x, p, axes, l, what);
                }
                free(p);
                guarded_free(&x);
            }
    }
    tess_op_release(op);
}

/* The same for an operator that sees its position, so that axes stay as they are. */
TEST(reductions_with_an_index)
{
    tess_op *op = parsed("op s(in T x, acc sum T s, acc max T m, acc min T n, out T a, out T b, out T c) {"
                         "  T y = (T)((f64)x + (f64)(w % 3)); s += y; m = max(m, y); n = min(n, y); }");
    for (int s = 0; s < N_SHAPES && op; s++)
        for (int l = 0; l < n_layouts; l++) {
            guarded x;
            guarded_make(&x, (layout)l, shapes[s], l % 2 ? TESS_F32 : TESS_I32);
            set_small(&x.view, 10);
            double *p = numbers_of(&x.view);
            for (int64_t i = 0; i < tess_n_elements(&x.view); i++) p[i] += (double)(i % shapes[s].w % 3);
            for (int axes = 0; axes < 16; axes++) check_reduction(op, &x, p, axes, l, layout_names[l]);
            free(p);
            guarded_free(&x);
        }
    tess_op_release(op);
}

TEST(reductions_with_join_and_post)
{
    tess_op *op = parsed("op var(in f32 x, acc f64 n = 0, acc f64 m = 0, acc f64 q = 0, acc sum i32 c = 5,"
                         "       out f64 mean, out f64 v, out i32 k) {"
                         "  f64 y = x; n = n + 1; f64 e = y - m; m = m + e/n; q = q + e*(y - m); c += 1;"
                         "} join {"
                         "  f64 t = n + n_other; f64 e = m_other - m;"
                         "  m = t > 0 ? m + e*n_other/t : 0.0; q = t > 0 ? q + q_other + e*e*n*n_other/t : 0.0; n = t;"
                         "} post { mean = m; v = q/(f64)count; k = c; }");
    for (int s = 0; s < N_SHAPES && op; s++)
        for (int axes = 0; axes < 16; axes++) {
            tess_array x = { 0 }, out[3] = { { .dtype = 0 } }, want[2] = { { .dtype = 0 } }, wide = { 0 };
            tess_shape kept = shapes[s];
            int        set = 0;
            for (int d = 0; d < 4; d++)
                if (axes >> d & 1) kept.dim[d] = 1, set |= TESS_B << d;
            CHECK_OK(tess_empty(&x, shapes[s], TESS_F32, tess_cpu()));
            CHECK_OK(tess_random_normal(&x, 3, 2, 1, NULL));
            for (int i = 0; i < 3; i++) CHECK_OK(tess_empty(&out[i], kept, i < 2 ? TESS_F64 : TESS_I32, tess_cpu()));
            CHECK_OK(tess_call(op, &x, &out[0], &out[1], &out[2]));
            CHECK_OK(tess_cast(&wide, &x, TESS_F64, NULL));
            if (set) {
                CHECK_OK(tess_mean(&want[0], &wide, set, NULL));
                CHECK_OK(tess_var(&want[1], &wide, set, NULL));
                const double *g[2] = { out[0].data, out[1].data }, *w[2] = { want[0].data, want[1].data };
                for (int64_t i = 0; i < tess_n_elements(&out[0]); i++)
                    for (int j = 0; j < 2; j++) CHECK(fabs(g[j][i] - w[j][i]) <= 1e-12 * (1 + fabs(w[j][i])));
            }
            const int64_t per = tess_n_elements(&x) / tess_n_elements(&out[2]);
            CHECK(((const int32_t *)out[2].data)[0] == 5 + per);
            for (int i = 0; i < 3; i++) tess_release(&out[i]);
            tess_release(&want[0]);
            tess_release(&want[1]);
            tess_release(&x);
            tess_release(&wide);
        }
    tess_op_release(op);
}

/* ---- What functions of users see ---- */

static _Atomic int seen_lanes[TESS_LANES + 1]; /* joins of so many lanes */
static _Atomic int wrong_strides;

static void count_rows(const tess_tile *t)
{
    int64_t *lanes = t->acc[1];
    for (int64_t i = 0; i < t->extent[0] * t->extent[1] * t->extent[2]; i++)
        for (int64_t k = 0; k < t->extent[3]; k++) lanes[k]++;
}

static void join_rows(const tess_tile *t)
{
    int64_t       *lanes = t->acc[1];
    const int64_t *other = t->other[1];
    seen_lanes[t->extent[3]]++;
    for (int64_t k = 0; k < t->extent[3]; k++) lanes[k] += other[k];
}

static void post_rows(const tess_tile *t)
{
    const int64_t *lanes = t->acc[1];
    int64_t       *r = t->ptr[2];
    const int64_t *strides = t->ctx; /* of x; those of axes of one element do not matter */
    wrong_strides += t->stride[0][2] != strides[2] || t->stride[0][3] != strides[3];
    for (int64_t k = 0; k < t->extent[3]; k++) r[k * t->stride[2][3]] = lanes[k];
}

/* Columns in groups of TESS_LANES, of which the last has fewer, and enough rows for several chunks. */
TEST(functions_of_users_see_what_is_there)
{
    enum { ROWS = 700, LEFT = 44, COLUMNS = TESS_LANES + LEFT };
    tess_op                *op = NULL;
    tess_array              x = { 0 }, r = { 0 };
    const tess_op_loop_opts opts = { .join = join_rows, .post = post_rows, .ctx = &x.strides };
    CHECK_OK(tess_full(&x, TESS_SHAPE(1, 1, ROWS, COLUMNS), TESS_F32, tess_cpu(), 1));
    CHECK_OK(tess_full(&r, TESS_SHAPE(1, 1, 1, COLUMNS), TESS_I64, tess_cpu(), 0));
    CHECK_OK(tess_op_loop(&op, "index op rows(in f32 x, acc i64 s = 0, out i64 r)", count_rows, &opts));
    CHECK_OK(tess_call(op, &x, &r));
    for (int64_t w = 0; w < COLUMNS; w++) CHECK(((int64_t *)r.data)[w] == ROWS);
    CHECK(seen_lanes[TESS_LANES] > 0);
    CHECK(seen_lanes[LEFT] == seen_lanes[TESS_LANES]);
    CHECK(wrong_strides == 0);
    tess_op_release(op);
    tess_release(&x);
    tess_release(&r);
}

TEST(reductions_of_nothing)
{
    tess_op   *op = parsed("op s(in f32 x, acc sum f32 s = 2, acc min i32 m, acc any bool a, out f32 r, out i32 t,"
                             "     out bool u) { s += x; m = min(m, (i32)x); if (x > 0) { a = a || true; } }");
    tess_array x = { 0 }, r = { 0 }, t = { 0 }, u = { 0 };
    CHECK_OK(tess_empty(&x, TESS_SHAPE(0, 1, 3, 4), TESS_F32, tess_cpu()));
    float   sum = 7;
    int32_t least = 0;
    bool    some = true;
    CHECK_OK(tess_call(op, &x, &sum, &least, &some));
    CHECK(sum == 2 && least == INT32_MAX && !some);
    CHECK_OK(tess_full(&r, TESS_SHAPE(1, 1, 3, 4), TESS_F32, tess_cpu(), 9));
    CHECK_OK(tess_full(&t, TESS_SHAPE(1, 1, 3, 4), TESS_I32, tess_cpu(), 9));
    CHECK_OK(tess_full(&u, TESS_SHAPE(1, 1, 3, 4), TESS_BOOL, tess_cpu(), 1));
    CHECK_OK(tess_call(op, &x, &r, &t, &u));
    for (int i = 0; i < 12; i++) CHECK(((float *)r.data)[i] == 2 && ((int32_t *)t.data)[i] == INT32_MAX);
    tess_release(&r);
    tess_release(&t);
    tess_release(&u);
    CHECK_OK(tess_empty(&r, TESS_SHAPE(0, 1, 1, 4), TESS_F32, tess_cpu()));
    CHECK_OK(tess_empty(&t, TESS_SHAPE(0, 1, 1, 4), TESS_I32, tess_cpu()));
    CHECK_OK(tess_empty(&u, TESS_SHAPE(0, 1, 1, 4), TESS_BOOL, tess_cpu()));
    CHECK_OK(tess_call(op, &x, &r, &t, &u));
    tess_release(&r);
    tess_release(&t);
    tess_release(&u);
    tess_release(&x);
    tess_op_release(op);
}

/* ---- Scatter ---- */

static void check_histogram(const tess_op *op, tess_shape n, int64_t bins, tess_dtype dtype)
{
    tess_array x = { 0 }, h = { 0 };
    CHECK_OK(tess_empty(&x, n, TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_uniform(&x, -0.1, 1.1, 3, NULL));
    CHECK_OK(tess_full(&h, TESS_SHAPE(n.b, 1, 1, bins), dtype, tess_cpu(), 1));
    const float  *p = x.data;
    const int64_t per = n.d * n.h * n.w;
    double       *want = malloc((size_t)(n.b * bins) * sizeof *want);
    for (int64_t i = 0; i < n.b * bins; i++) want[i] = 1;
    for (int64_t i = 0; i < n.b * per; i++) {
        const int64_t k = (int64_t)floorf(p[i] * (float)bins);
        if (k >= 0 && k < bins) want[i / per * bins + k] += 1;
    }
    CHECK_OK(tess_call(op, &x, (float)bins, &h));
    CHECK(holds(&h, want, "histogram"));
    free(want);
    tess_release(&x);
    tess_release(&h);
}

TEST(scatter_counts)
{
    tess_op *op = parsed("op hist(in f32 x, val f32 n, scatter T bins) { bins[b, 0, 0, (i32)floor(x*n)] += (T)1; }");
    const tess_dtype of[] = { TESS_I32, TESS_F32, TESS_F64, TESS_F16, TESS_C32, TESS_U64 };
    for (int i = 0; i < 6 && op; i++) {
        check_histogram(op, TESS_SHAPE(2, 1, 30, 40), 7, of[i]);
        check_histogram(op, TESS_SHAPE(1, 1, 1, 1), 3, of[i]);
        check_histogram(op, TESS_SHAPE(40, 1, 3, 5), 3, of[i]);
        if (of[i] != TESS_F16) check_histogram(op, TESS_SHAPE(2, 3, 300, 400), 100, of[i]);
        if (of[i] != TESS_F16) check_histogram(op, TESS_SHAPE(1, 3, 300, 400), 20000, of[i]);
    }
    tess_op_release(op);
}

/* ---- Threads, streams ---- */

/* The bits of all results of a call. */
typedef struct results {
    tess_array out[3];
    int        n;
} results;

typedef void run_fn(results *r, const tess_array *x);

static void run_ewise(results *r, const tess_array *x)
{
    tess_op *op = parsed("op f(in f32 x, in f32 y, out f32 z) { z = cos(x) + sqrt(abs(y)); }");
    r->n = 1;
    CHECK_OK(tess_call(op, x, x, &r->out[0]));
    tess_op_release(op);
}

static void run_iwise(results *r, const tess_array *x)
{
    tess_op *op = parsed("op f(view mirror f32 v, out f32 z) { z = v[b, d, h+3, w-5]*0.3f + v[b, d, w, h]; }");
    r->n = 1;
    CHECK_OK(tess_like(&r->out[0], x));
    CHECK_OK(tess_call(op, x, &r->out[0]));
    tess_op_release(op);
}

static const char stats[] = "op stats(in f32 x, acc sum f32 s, acc f64 q = 0, acc max f32 m, out f32 a, out f64 b, "
                            "out f32 c) { s += x; q = q + (f64)x*x; m = max(m, x); } join { q = q + q_other; }";

static void run_reduction(results *r, const tess_array *x, int axes)
{
    tess_op   *op = parsed(stats);
    tess_shape kept = x->shape;
    for (int d = 0; d < 4; d++)
        if (axes >> d & 1) kept.dim[d] = 1;
    r->n = 3;
    for (int i = 0; i < 3; i++) CHECK_OK(tess_empty(&r->out[i], kept, i == 1 ? TESS_F64 : TESS_F32, tess_cpu()));
    CHECK_OK(tess_call(op, x, &r->out[0], &r->out[1], &r->out[2]));
    tess_op_release(op);
}

static void run_all(results *r, const tess_array *x) { run_reduction(r, x, 15); }
static void run_rows(results *r, const tess_array *x) { run_reduction(r, x, 8); }
static void run_columns(results *r, const tess_array *x) { run_reduction(r, x, 7); }
static void run_images(results *r, const tess_array *x) { run_reduction(r, x, 12); }
static void run_batches(results *r, const tess_array *x) { run_reduction(r, x, 1); }

static void run_scatter(results *r, const tess_array *x)
{
    tess_op *op = parsed("op f(in f32 x, scatter f32 sums) { sums[0, 0, h % 7, w % 5] += x; }");
    r->n = 1;
    CHECK_OK(tess_zeros(&r->out[0], TESS_SHAPE(1, 1, 7, 5), TESS_F32, tess_cpu()));
    CHECK_OK(tess_call(op, x, &r->out[0]));
    tess_op_release(op);
}

static run_fn *const runs[] = { run_ewise,   run_iwise,  run_all,     run_rows,
                                run_columns, run_images, run_batches, run_scatter };
enum { N_RUNS = sizeof runs / sizeof *runs };

static bool same_bits(const results *a, const results *b)
{
    for (int i = 0; i < a->n; i++)
        if (memcmp(a->out[i].data, b->out[i].data,
                   (size_t)tess_n_elements(&a->out[i]) * tess_dtype_size(a->out[i].dtype)))
            return false;
    return true;
}

static void release(results *r)
{
    for (int i = 0; i < r->n; i++) tess_release(&r->out[i]);
}

static void check_threads(tess_shape shape)
{
    tess_array x = { 0 };
    CHECK_OK(tess_empty(&x, shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&x, 0.1, 1, 7, NULL));
    for (int i = 0; i < N_RUNS; i++) {
        results first = { .n = 0 };
        CHECK_OK(tess_threads_set(1));
        runs[i](&first, &x);
        for (int threads = 2; threads <= 5; threads++) {
            results other = { .n = 0 };
            CHECK_OK(tess_threads_set(threads));
            runs[i](&other, &x);
            if (!same_bits(&first, &other)) (void)test_failed(__FILE__, __LINE__, "run %d, %d threads", i, threads);
            release(&other);
        }
        release(&first);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&x);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    check_threads(TESS_SHAPE(1, 1, 700, 900));
    check_threads(TESS_SHAPE(3, 1, 1, 200001));
    check_threads(TESS_SHAPE(70000, 1, 2, 3));
    check_threads(TESS_SHAPE(2, 5, 3000, 20));
}

TEST(asynchronous_streams_give_the_same)
{
    tess_stream *s = NULL;
    tess_array   x = { 0 };
    CHECK_OK(tess_empty(&x, TESS_SHAPE(2, 1, 300, 400), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&x, 0.1, 1, 7, NULL));
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    for (int i = 0; i < N_RUNS; i++) {
        results first = { .n = 0 }, other = { .n = 0 };
        runs[i](&first, &x);
        CHECK_OK(tess_stream_set_current(s));
        runs[i](&other, &x); /* the operator is released while its work is queued */
        CHECK_OK(tess_stream_sync(s));
        CHECK_OK(tess_stream_set_current(NULL));
        CHECK(same_bits(&first, &other));
        release(&first);
        release(&other);
    }
    tess_stream_free(s);
    tess_release(&x);
}
