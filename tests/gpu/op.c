/* User-defined operators on a GPU beside the CPU: element-wise and index-wise ones bit by bit, as scatters to few
 * elements; reductions and other scatters on numbers whose sums are exact in any order. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "core/dtype.h"
#include "ops/op/op.h"
#include "support/generate.h"
#include "support/gpu.h"
#include "support/layouts.h"

/* ---- Arguments ---- */

enum { MOST = TESS__MAX_PARAMS };

/* The arguments of a call, on the host and on the GPU. */
typedef struct arguments {
    guarded    host[MOST];
    tess_array gpu[MOST];
    tess_bind  binds[2][MOST];
    int        role[MOST];
    int        n;
} arguments;

static bool small_numbers; /* values are integers of -8 to 8 */

static double any_float(void)
{
    static const double special[] = { 0.0, -0.0, 1, -1, 0.5, 1e-40, -1e-310, 1e30, -3e38, 1e300, 65504, 1e-7 };
    const int64_t       which = test_random_in(0, 47);
    if (small_numbers) return (double)test_random_in(-8, 8);
    if (which < 12) return special[which];
    if (which == 12) return (double)INFINITY;
    if (which == 13) return (double)-INFINITY;
    if (which == 14) return (double)NAN;
    return (test_random_unit() - 0.5) * (which < 36 ? 8 : 3000);
}

static void set_any(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    unsigned char    *to = element_at(a, position);
    const tess_dtype  real = tess_dtype_real(a->dtype);
    const size_t      size = tess_dtype_size(real);
    for (int i = 0; i < tess_dtype_reals(a->dtype); i++) {
        const uint64_t some = test_random() & 1 ? test_random() : (uint64_t)test_random_in(-9, 9);
        const uint64_t bits = real == TESS_BOOL ? some & 1 : small_numbers ? (uint64_t)test_random_in(0, 8) : some;
        const double   x = any_float();
        const float    single = (float)x;
        const tess_f16 half = tess_f32_to_f16(single);
        memcpy(to + (size_t)i * size,
               real == TESS_F64   ? (const void *)&x
               : real == TESS_F32 ? (const void *)&single
               : real == TESS_F16 ? (const void *)&half
                                  : (const void *)&bits,
               size);
    }
}

static tess_bind value_of(tess_dtype t)
{
    switch (tess_dtype_kind(t)) {
    case TESS_KIND_COMPLEX: return (tess_bind){ .kind = TESS_BIND_C64, .as.c = { 1.5, -0.25 } };
    case TESS_KIND_FLOAT: return (tess_bind){ .kind = TESS_BIND_F64, .as.f = test_random() & 1 ? 0.75 : -3.0 };
    default: return (tess_bind){ .kind = TESS_BIND_I64, .as.i = test_random_in(0, 1) };
    }
}

static tess_shape any_shape(int64_t widest)
{
    static const int64_t widths[] = { 1, 2, 3, 7, 16, 31, 64, 130, 257 };
    tess_shape           shape =
        TESS_SHAPE(test_random_in(1, 2), test_random_in(1, 3), test_random_in(1, 5), widths[test_random_in(0, 8)]);
    if (shape.w > widest) shape.w = widest;
    return shape;
}

static void reduce_shape(tess_shape *shape, uint32_t axes)
{
    for (int d = 0; d < 4; d++)
        if (axes >> d & 1) shape->dim[d] = 1;
}

static bool is_written(int role)
{
    return role == TESS__PARAM_OUT || role == TESS__PARAM_INOUT || role == TESS__PARAM_SCATTER;
}

/* An array for a parameter, in any layout; of inputs some axes may be broadcast. */
static void add_array(arguments *a, const tess__param *param, tess_dtype type, tess_shape shape, tess_device device)
{
    const int    n = a->n++;
    const bool   written = is_written(param->role);
    const layout kind = test_random_in(0, 2) ? layout_contiguous
                                             : (layout)test_random_in(0, (written ? n_output_layouts : n_layouts) - 1);
    a->role[n] = param->role;
    guarded_make(&a->host[n], kind, shape, type);
    each_index(shape, set_any, &a->host[n].view);
    guarded_snapshot(&a->host[n]);
    (void)test_mirror(&a->gpu[n], &a->host[n].view, device);
    a->binds[0][n] = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = &a->host[n].view };
    a->binds[1][n] = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = &a->gpu[n] };
}

/* `axes`: that are reduced, if it is a reduction. */
static void make_arguments(arguments *a, const tess_op *op, const tess_dtype *letters, tess_shape domain, uint32_t axes,
                           tess_device device)
{
    const tess__tree *untyped = op->body->untyped;
    tess_shape        results = domain;
    bool              first = true;
    memset(a, 0, sizeof *a);
    if (op->body->reduces) reduce_shape(&results, axes);
    for (int k = 0; k < untyped->n_params; k++) {
        const tess__param *param = &untyped->params[k];
        const tess_dtype   type = param->type < 0 ? letters[-1 - param->type] : param->type;
        tess_shape         shape = domain;
        if (param->role == TESS__PARAM_ACC) continue;
        if (param->role == TESS__PARAM_VAL) {
            a->role[a->n] = param->role;
            a->binds[0][a->n] = a->binds[1][a->n] = value_of(type);
            a->n++;
            continue;
        }
        if (param->role == TESS__PARAM_IN && !first && test_random_in(0, 3) == 0)
            reduce_shape(&shape, (uint32_t)test_random_in(1, 15));
        if (param->role == TESS__PARAM_IN) first = false;
        if (param->role == TESS__PARAM_OUT) shape = results;
        if (param->role == TESS__PARAM_VIEW || param->role == TESS__PARAM_SCATTER) shape = any_shape(64);
        add_array(a, param, type, shape, device);
    }
}

static bool same_arguments(arguments *a, const char *what)
{
    bool same = true;
    for (int k = 0; k < a->n; k++) {
        if (a->role[k] == TESS__PARAM_VAL) continue;
        same = test_same_bits(&a->gpu[k], &a->host[k].view) && same;
        if (is_written(a->role[k])) same = guarded_check(&a->host[k], what) && same;
    }
    return same || test_failed(__FILE__, __LINE__, "%s", what);
}

static void free_arguments(arguments *a)
{
    for (int k = 0; k < a->n; k++) {
        if (a->role[k] == TESS__PARAM_VAL) continue;
        tess_release(&a->gpu[k]);
        guarded_free(&a->host[k]);
    }
}

/* The operator on both, once. */
static bool run_both(const tess_op *op, const tess_dtype *letters, tess_shape domain, uint32_t axes, tess_device device)
{
    arguments a;
    make_arguments(&a, op, letters, domain, axes, device);
    const tess_run_opts opts = { .domain = domain };
    tess_status         here = tess_run(op, a.binds[0], a.n, &opts);
    const tess_status   there = tess_run(op, a.binds[1], a.n, &opts);
    if (here != there) (void)test_failed(__FILE__, __LINE__, "%s", tess_error_message());
    bool same = here == there && (here != TESS_OK || same_arguments(&a, tess_op_source(op)));
    free_arguments(&a);
    return same;
}

static bool check_text(const char *text, const tess_dtype *letters, int times, uint32_t axes, tess_device device)
{
    tess_op *op = NULL;
    bool     same = CHECK_OK(tess_op_text(&op, text));
    for (int i = 0; i < times && same; i++)
        same = run_both(op, letters, i ? any_shape(257) : TESS_SHAPE(1, 1, 3, 64), axes ? axes : 15, device);
    tess_op_release(op);
    return same;
}

/* ---- Element-wise and index-wise ---- */

static const char *const element_wise[] = {
    "op fuse(in f32 x, in f32 y, val f32 a, out f32 z) { z = a*x + cos(y); }",
    "op norm(in f32 x, in f32 mean, in f32 sd, out f32 y) { y = sd > 0 ? (x - mean) / sd : 0; }",
    "op halves(in f16 x, in c16 y, inout f16 z, out c16 u) { f16 t = x*z; z = t + real(y); u = y * x; }",
    "op kinds(in i8 a, in u16 b, in i64 c, in bool e, val u8 v, out i16 x, out u64 y, out bool z) {"
    "  x = (i16)(a*b + v); y = (u64)(c / (a + 1)) ^ b; z = !e || a > 3; }",
    "op complexes(in c32 x, in c64 y, out c64 z, out f32 s) { z = y*exp(x) + conj(y); s = abs(x); }",
    "fn f32 mix(f32 a, f32 b, f32 t) { f32 u = b - a; return a + u*t; }"
    "op more(in f64 x, in f32 y, inout f32 z) { if (x > y) { z = mix(z, y, 0.25f); } else { z += 1; } }",
};

static const char *const index_wise[] = {
    "op affine(view f32 src, view f32 mat, out f32 dst) {"
    "  f32 y = mat[b,0,0,0]*h + mat[b,0,0,1]*w + mat[b,0,0,2];"
    "  f32 x = mat[b,0,1,0]*h + mat[b,0,1,1]*w + mat[b,0,1,2];"
    "  dst = interp_linear(src, b, d, y, x); }",
    "op borders(view clamp i32 p, view mirror u8 q, view reflect f16 r, view periodic c32 s, out c32 z) {"
    "  z = s[b-1,d+7,h,w*3] + complex((f32)(p[b,d+1,h-2,w+1] + q[-1,d,h,-w]), (f32)r[b,d,h+9,-3-w]); }",
    "op places(in f32 x, out i64 z, out f32 u) { z = ((b*size(1) + d)*size(2) + h)*size(3) + w;"
    "  u = x + rng_uniform((u64)7, (u64)z); }",
    "op turns(view f32 v, val i32 n, out f32 z) { f32 s = 0; for (i32 i = 0; i <= n; ++i) {"
    "  for (i32 j = -1; j <= 1; ++j) { if (i == j) { continue; } s += v[b,d,h+i,w+j]*(f32)h; } } z = s; }",
    "op cubes(view mirror f64 v, out f64 z) { z = interp3_cubic(v, b, (f64)d*0.5, (f64)h*0.7 - 1.0, (f64)w*0.3); }",
    "op windows(view f32 v, view periodic c64 u, out f32 z, out c64 q) { f32 y = h*0.7f - 2; f32 x = w*1.3f - 3;"
    "  z = interp_cosine(v, b, d, y, x) + interp_bspline(v, b, d, y, x)*interp_lanczos4(v, b, d, y, x)"
    "    + interp_lanczos6(v, b, d, x, y); q = interp3_lanczos8(u, b, d*0.4, (f64)y, (f64)x); }",
    "op beyond(view value f32 v = a, view value c16 k = 2, view nothing c64 u, val f32 a, out f32 z, out c64 q) {"
    "  f32 y = h*0.7f - 2; f32 x = w*1.3f - 3; z = interp_cubic(v, b, d, y, x) + v[b,d,h-2,w+1]*real(k[b,d,h,w-3]);"
    "  q = interp_linear(u, b, d, y, x) + interp3_lanczos6_dy(u, b, y, y, x) + u[b,d,h,w-2]; }",
    "op spectra(view spectrum_h c32 v, view spectrum_hc c64 u, view spectrum_f f32 n, view spectrum_fc c16 k,"
    "  out c32 z, out c64 q, out f32 r) { f32 y = h*0.7f - 3; f32 x = w*0.6f - 5;"
    "  z = v[b,d,h-3,w-9] + interp_linear(v, b, d, y, x) + k[b,d,2-h,w-7];"
    "  q = interp_cubic(u, b, d, y, x) + interp3_linear(u, b, x*0.3f, x, y);"
    "  r = interp_lanczos6(n, b, d, y, x) + interp_bspline_dx(n, b, d, y, x) + interp_nearest(n, b, 0, y, x); }",
    "op slopes(view f32 v, view mirror c64 u, out f32 z, out c64 q) { f32 y = h*0.7f - 2; f32 x = w*1.3f - 3;"
    "  z = interp_linear_dx(v, b, d, y, x) + interp_bspline_dy(v, b, d, y, x)*interp_lanczos4_dx(v, b, d, y, x)"
    "    + interp_cosine_dy(v, b, d, x, y); q = interp3_lanczos6_dz(u, b, d*0.4, y, x) + interp3_linear_dz(u, b, x, y, "
    "x); }",
};

TEST(element_wise)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    small_numbers = false;
    for (size_t i = 0; i < sizeof element_wise / sizeof element_wise[0]; i++)
        (void)check_text(element_wise[i], NULL, test_large() ? 16 : i ? 1 : 4, 0, device);
}

TEST(index_wise)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    small_numbers = false;
    for (size_t i = 0; i < sizeof index_wise / sizeof index_wise[0]; i++)
        (void)check_text(index_wise[i], NULL, test_large() ? 16 : i == 1 ? 2 : 1, 0, device);
}

TEST(letters)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    small_numbers = false;
    const tess_dtype types[][3] = { { TESS_F32, TESS_I16 }, { TESS_C16, TESS_F64 } };
    for (int i = 0; i < 2; i++)
        (void)check_text("op blend(in T x, in T y, val T a, in U u, out T z, out U v) { z = x + (y - x)*a; v = u; }",
                         types[i], test_large() ? 8 : 1, 0, device);
}

/* ---- Reductions ---- */

static const char *const reductions[] = {
    "op stats(in f32 x, in u8 m, acc sum f64 s, acc max f32 mx, out f64 sum, out f32 largest) {"
    "  if (m != 0) { s += x; mx = max(mx, x); } }",
    "op mean_std(in f32 x, acc sum f32 s, acc sum f64 q, out f32 mean, out f32 sd) {"
    "  f64 v = x; s += x; q += v*v;"
    "} post { f64 m = s / count; mean = (f32)m; sd = (f32)sqrt(max(q/count - m*m, (f64)0)); }",
    "op first_above(in f32 x, val f32 limit, acc i64 at = 9223372036854775807, out i64 place) {"
    "  if (x > limit) { at = min(at, h*size(3) + w); } } join { at = min(at, at_other); }",
    "op kinds(in i8 x, in c16 y, acc sum i8 s = 3, acc any bool n, acc all bool e, acc min u16 l, acc sum c16 c,"
    "  out i8 a, out bool b, out bool d, out u16 e2, out c16 f) {"
    "  s += x; n |= x > 7; e &= x < 8; l = min(l, (u16)x); c += y; }",
    "op weighted(in f32 x, view clamp f32 v, acc sum f32 s, out f32 z) { s += x*v[b,d,h,w]; }",
};

TEST(reductions)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    small_numbers = true;
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++)
        for (uint32_t axes = test_large() || i % 2 ? 15 : 8; axes > 0; axes = test_large() ? axes - 1 : 0)
            (void)check_text(reductions[i], NULL, test_large() ? 4 : 2, axes, device);
}

/* Enough elements for chunks, in rows and in columns. */
TEST(chunks)
{
    tess_device device;
    tess_op    *op = NULL;
    if (!test_gpu(&device)) return;
    small_numbers = true;
    CHECK_OK(tess_op_text(&op, reductions[1]));
    const int64_t large = test_large() ? 64 : 1;
    (void)run_both(op, NULL, TESS_SHAPE(1, 1, 16 * large, 2500), 15, device);
    (void)run_both(op, NULL, TESS_SHAPE(1, 2, 1, 20001 * large), 8, device);
    (void)run_both(op, NULL, TESS_SHAPE(1, 1, 600 * large, 40), 4, device);
    (void)run_both(op, NULL, TESS_SHAPE(300 * large, 1, 1, 3), 8, device);
    tess_op_release(op);
}

TEST(results_for_the_host)
{
    tess_device device;
    tess_op    *op = NULL;
    tess_array  x = { .data = NULL }, m = { .data = NULL };
    double      sum = 0;
    float       largest = 0;
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_op_text(&op, reductions[0]));
    CHECK_OK(tess_arange(&x, TESS_SHAPE(1, 1, 3, 101), TESS_F32, device, -5, 1));
    CHECK_OK(tess_ones(&m, TESS_SHAPE(1, 1, 1, 1), TESS_U8, device));
    CHECK_OK(tess_call(op, &x, &m, &sum, &largest));
    CHECK(sum == 303.0 * 302 / 2 - 5 * 303 && largest == 297);
    tess_array none = x;
    none.shape.w = 0;
    CHECK_OK(tess_call(op, &none, &m, &sum, &largest));
    CHECK(sum == 0 && largest == -INFINITY);
    tess_release(&x);
    tess_release(&m);
    tess_op_release(op);
}

/* ---- Scatters ---- */

static const char *const scatters[] = {
    "op hist(in f32 x, val f32 lo, val f32 inv, scatter i32 bins) {"
    "  i32 k = clamp((i32)floor((x - lo)*inv), 0, (i32)shape(bins,3) - 1); bins[b,0,0,k] += 1; }",
    "op all(in i8 x, scatter u8 p, scatter f16 q, scatter c32 r, scatter u64 s, out i32 z) {"
    "  p[0,0,0,w/2] += (u8)x; q[0,0,h-1,w] += (f16)x; r[0,0,0,h] += complex((f32)x, 1.0f); s[0,0,0,0] += (u64)x;"
    "  z = x; }",
};

TEST(scatters)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    small_numbers = true;
    for (size_t i = 0; i < sizeof scatters / sizeof scatters[0]; i++)
        (void)check_text(scatters[i], NULL, test_large() ? 12 : 2, 0, device);
}

/* Sums of floats in the order of the CPU: by one statement for each array, by several, in loops; of each batch and of
 * all; beside integers and outputs. */
static const char *const ordered_scatters[] = {
    "op one(in f32 x, scatter f64 s, scatter i32 n, scatter c32 z) { i64 k = (w*w + h) % (shape(s,3) + 1);"
    "  s[b,0,0,k] += x; if (k % 2 == 0) { n[b,0,0,k] += 1; } z[b,0,0,k/2] += complex(x, 0.1f*x); }",
    "op two(in f32 x, scatter f32 s, scatter f16 t, out f32 y) { i64 k = (w + h*3) % shape(s,3) - 1;"
    "  add_linear(s, 0, 0, 0, k + 0.3f, x); s[0,0,0,k/2] += 0.1f*x; t[0,0,0,k % 5] += (f16)x; y = -x; }",
    "op loop(in f32 x, scatter f64 s) { for (i32 i = 0; i < 3; ++i) { s[b,0,i,(w + i) % shape(s,3)] += x*i; } }",
};

/* `which` of them. */
static bool check_ordered(const tess_op *op, int which, tess_shape domain, int64_t bins, tess_device device)
{
    static const tess_dtype types[][3] = { { TESS_F64, TESS_I32, TESS_C32 }, { TESS_F32, TESS_F16 }, { TESS_F64 } };
    const int               n = 3 - which;
    tess_array x[2] = { { .data = NULL }, { .data = NULL } }, s[2][3], y[2] = { { .data = NULL }, { .data = NULL } };
    bool       same = true;
    memset(s, 0, sizeof s);
    CHECK_OK(tess_empty(&x[0], domain, TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&x[0], 0, 1, test_random(), NULL));
    CHECK_OK(tess_to_device(&x[1], &x[0], device));
    for (int gpu = 0; gpu < 2; gpu++) {
        for (int k = 0; k < n; k++) {
            const tess_device where = gpu ? device : tess_cpu();
            CHECK_OK(tess_arange(&s[gpu][k], TESS_SHAPE(domain.b, 1, 3, bins), types[which][k], where, 3, 0.5));
        }
        if (which == 0) CHECK_OK(tess_call(op, &x[gpu], &s[gpu][0], &s[gpu][1], &s[gpu][2]));
        else if (which == 1) CHECK_OK(tess_call(op, &x[gpu], &s[gpu][0], &s[gpu][1], &y[gpu]));
        else CHECK_OK(tess_call(op, &x[gpu], &s[gpu][0]));
    }
    for (int k = 0; k < n; k++) same = test_same_bits(&s[1][k], &s[0][k]) && same;
    if (which == 1) same = test_same_bits(&y[1], &y[0]) && same;
    for (int gpu = 0; gpu < 2; gpu++) {
        tess_release(&x[gpu]);
        tess_release(&y[gpu]);
        for (int k = 0; k < n; k++) tess_release(&s[gpu][k]);
    }
    return same;
}

TEST(scatters_of_floats_have_the_bits_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (size_t i = 0; i < sizeof ordered_scatters / sizeof ordered_scatters[0]; i++) {
        tess_op *op = NULL;
        CHECK_OK(tess_op_text(&op, ordered_scatters[i]));
        CHECK(check_ordered(op, (int)i, TESS_SHAPE(1, 1, 3, 50), 7, device));
        CHECK(check_ordered(op, (int)i, TESS_SHAPE(2, 1, 60, 90), 20, device)); /* several chunks */
        if (test_large()) CHECK(check_ordered(op, (int)i, TESS_SHAPE(2, 30, 190, 181), 60, device));
        tess_op_release(op);
    }
    small_numbers = true; /* in any layout; arrays may be too large for this order */
    for (size_t i = 0; i < sizeof ordered_scatters / sizeof ordered_scatters[0] && test_large(); i++)
        (void)check_text(ordered_scatters[i], NULL, 12, 0, device);
}

/* Several blocks with a copy each, and arrays too large for copies. */
TEST(large_scatters)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    small_numbers = true;
    for (int i = 0; i < 2; i++) {
        tess_op   *op = NULL;
        tess_array x = { .data = NULL }, there = { .data = NULL }, bins[2] = { { .data = NULL }, { .data = NULL } };
        CHECK_OK(tess_op_text(&op, scatters[0]));
        CHECK_OK(tess_arange(&x, TESS_SHAPE(1, 1, 40, 500), TESS_F32, tess_cpu(), 0, 0.37));
        CHECK_OK(tess_to_device(&there, &x, device));
        for (int k = 0; k < 2; k++)
            CHECK_OK(tess_zeros(&bins[k], TESS_SHAPE(1, 1, 1, i ? 15000 : 300), TESS_I32, k ? device : tess_cpu()));
        CHECK_OK(tess_call(op, &x, 0.0f, 0.125f, &bins[0]));
        CHECK_OK(tess_call(op, &there, 0.0f, 0.125f, &bins[1]));
        (void)test_same_bits(&bins[1], &bins[0]);
        tess_release(&x);
        tess_release(&there);
        for (int k = 0; k < 2; k++) tess_release(&bins[k]);
        tess_op_release(op);
    }
}

/* Halves of which pairs need not begin where a word does; few enough for a block's copy, and too many. */
TEST(scatters_into_complex_halves_between_words)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    tess_op   *op = NULL;
    tess_array x = { .data = NULL }, there = { .data = NULL };
    CHECK_OK(tess_op_text(&op, "op g(in f32 x, scatter c16 s) {"
                               "  s[0,0,0,(w*7) % (i32)shape(s,3)] += (c16)complex(x, -x); }"));
    CHECK_OK(tess_arange(&x, TESS_SHAPE(1, 1, 2, 40), TESS_F32, tess_cpu(), -2, 0.25));
    CHECK_OK(tess_to_device(&there, &x, device));
    for (int i = 0; i < 2; i++) {
        const tess_shape shape = TESS_SHAPE(1, 1, 1, i ? 15000 : 9);
        tess_array       halves = { .data = NULL }, pairs = { .data = NULL }, want = { .data = NULL };
        CHECK_OK(tess_zeros(&halves, TESS_SHAPE(1, 1, 1, 2 * shape.w + 2), TESS_F16, device));
        CHECK_OK(tess_wrap(&pairs, (char *)halves.data + 2, shape, TESS_C16, &(tess_wrap_opts){ .device = device }));
        CHECK_OK(tess_zeros(&want, shape, TESS_C16, tess_cpu()));
        CHECK_OK(tess_call(op, &x, &want));
        CHECK_OK(tess_call(op, &there, &pairs));
        CHECK(test_same_bits(&pairs, &want));
        tess_release(&pairs);
        tess_release(&halves);
        tess_release(&want);
    }
    tess_release(&x);
    tess_release(&there);
    tess_op_release(op);
}

/* ---- Operators compiled with the program ---- */

TESS_DEVICE_FN(f32, lerp, (f32 a, f32 b, f32 t), return a + (b - a) * t;)
TESS_EWISE(my_hypot, (in(f32, x), in(f32, y), out(f32, z)), z = tessm_sqrt(x * x + y * y);)
TESS_IWISE(shift, (view(f32, src, clamp), val(f32, t), use(lerp), out(f32, dst)),
           dst = lerp(tess_at(src, b, d, h, w), tess_at(src, b, d, h, w + 1), t);)
TESS_REDUCE(rms, (in(f32, x), acc(f64, s, sum), out(f64, r), post(r = tessm_sqrt(s / (f64)count);)), s += (f64)x * x;)

TEST(macros)
{
    tess_device device;
    arguments   a;
    if (!test_gpu(&device)) return;
    small_numbers = true;
    tess_op_def *const defs[] = { &my_hypot, &shift, &rms };
    for (int i = 0; i < 3; i++) {
        const tess_op *op = NULL;
        if (!CHECK_OK(tess_op_of(&op, defs[i]))) continue;
        make_arguments(&a, op, NULL, TESS_SHAPE(1, 2, 3, 33), 15, device);
        CHECK_OK(tess_run_def(defs[i], a.binds[0], a.n, NULL));
        CHECK_OK(tess_run_def(defs[i], a.binds[1], a.n, NULL));
        (void)same_arguments(&a, defs[i]->name);
        free_arguments(&a);
    }
}

/* ---- Loops of the user's own ---- */

static void scale(const tess_tile *t)
{
    const float a = *(const float *)((const char *)t->val + 16);
    for (int64_t b = t->origin[0]; b < t->origin[0] + t->extent[0]; b++)
        for (int64_t d = t->origin[1]; d < t->origin[1] + t->extent[1]; d++)
            for (int64_t h = t->origin[2]; h < t->origin[2] + t->extent[2]; h++)
                for (int64_t w = t->origin[3]; w < t->origin[3] + t->extent[3]; w++) {
                    const int64_t *s = t->stride[0], *q = t->stride[2];
                    ((float *)t->ptr[2])[b * q[0] + d * q[1] + h * q[2] + w * q[3]] =
                        a * ((const float *)t->ptr[0])[b * s[0] + d * s[1] + h * s[2] + w * s[3]];
                }
}

static void nothing(const tess_tile *tile) { (void)tile; }

/* The function of a reduction with a view and indices, and those that join and make its results. */
static void check_all_roles(tess_device device)
{
    static const char source[] =
        "__device__ void far(int64_t b, int64_t d, int64_t h, int64_t w, const tess_view_i32 *v, float x, float &s,"
        " int64_t &last) { s += x * (float)tess_at(v, b, d, h, w - 1); if (w > last) last = w; }\n"
        "__device__ void far_join(int64_t &last, int64_t other) { if (other > last) last = other; }\n"
        "__device__ void far_post(int64_t count, float s, int64_t last, double &z, int64_t &y)"
        " { z = (double)s / (double)count; y = last; }\n";
    const tess_op_loop_opts opts = { .join = nothing, .post = nothing, .cuda_source = source, .cuda_entry = "far" };
    tess_op                *op = NULL;
    tess_array              x = { .data = NULL }, v = { .data = NULL };
    double                  mean = 0;
    int64_t                 last = 0;
    CHECK_OK(tess_op_loop(&op,
                          "index op far(view zero i32 v, in f32 x, acc sum f32 s, acc i64 last = -1, out f64 z, "
                          "out i64 y)",
                          nothing, &opts));
    CHECK_OK(tess_full(&x, TESS_SHAPE(1, 1, 2, 50), TESS_F32, device, 2));
    CHECK_OK(tess_arange(&v, TESS_SHAPE(1, 1, 1, 40), TESS_I32, device, 0, 1));
    CHECK_OK(tess_call(op, &v, &x, &mean, &last));
    CHECK(mean == 2 * 780.0 / 100 && last == 49);
    tess_release(&x);
    tess_release(&v);
    tess_op_release(op);
}

TEST(loops)
{
    tess_device device;
    tess_op    *op = NULL, *here = NULL;
    if (!test_gpu(&device)) return;
    small_numbers = false;
    const tess_op_loop_opts opts = { .cuda_source = "__device__ void scale(float x, float a, float &z) { z = a*x; }",
                                     .cuda_entry = "scale" };
    CHECK_OK(tess_op_loop(&op, "op scale(in f32 x, val f32 a, out f32 z)", scale, &opts));
    for (int i = 0; i < 3; i++) (void)run_both(op, NULL, any_shape(64), 0, device);
    check_all_roles(device);
    CHECK_OK(tess_op_loop(&here, "op scale(in f32 x, val f32 a, out f32 z)", scale, NULL));
    tess_array x = { .data = NULL }, z = { .data = NULL };
    CHECK_OK(tess_ones(&x, TESS_SHAPE(1, 1, 1, 5), TESS_F32, device));
    CHECK_FAILS(tess_call(here, &x, 2.0f, &z), TESS_EUNSUPPORTED, "scale: ", "without cuda_source");
    CHECK(z.data == NULL);
    CHECK_FAILS(tess_op_prepare(here, device, NULL, 0), TESS_EUNSUPPORTED, "op_prepare: ", "cuda_source");
    CHECK_FAILS(tess_op_loop(&here, "op scale(in f32 x, out f32 z)", scale, &(tess_op_loop_opts){ .cuda_source = "" }),
                TESS_EARG, "cuda_entry is NULL");
    tess_release(&x);
    tess_op_release(op);
    tess_op_release(here);
}

/* ---- What goes wrong ---- */

/* Whatever gives values of a stream on which something went wrong says so, once, and gives none. */
static void check_values_wait(tess_op *op, const tess_array *v, tess_device device)
{
    tess_array z = { .data = NULL }, host = { .data = NULL };
    double     number = -7, sum = -7;
    char       text[64] = "";
    CHECK_OK(tess_full(&host, v->shape, TESS_F32, tess_cpu(), -7));
    CHECK_OK(tess_zeros(&z, v->shape, TESS_F32, device));
    CHECK_OK(tess_call(op, v, 3, &z));
    CHECK_FAILS(tess_get_f64(&number, &z, 0, 0, 0, 0), TESS_ERANGE, "beyond: v was read at {0,0,0,40}");
    CHECK_OK(tess_get_f64(&number, &z, 0, 0, 0, 0));
    CHECK_OK(tess_call(op, v, 3, &z));
    CHECK_FAILS(tess_to_device(&host, &z, tess_cpu()), TESS_ERANGE, "beyond: v was read at {0,0,0,40}");
    CHECK(TESS_AT(float, host, 0, 0, 0, 0) == -7);
    CHECK_OK(tess_call(op, v, 3, &z));
    CHECK_FAILS(tess_host_sum(&sum, &z), TESS_ERANGE, "beyond: v was read at {0,0,0,40}");
    CHECK(sum == -7);
    CHECK_OK(tess_call(op, v, 3, &z));
    CHECK_FAILS(tess_format(text, sizeof text, NULL, &z, NULL), TESS_ERANGE, "beyond: v was read at {0,0,0,40}");
    tess_release(&z);
    tess_release(&host);
}

TEST(numbers_of_a_text_in_another_locale)
{
    tess_device device;
    tess_op    *op = NULL;
    tess_array  x = { .data = NULL }, y = { .data = NULL };
    double      value = 0;
    if (!test_gpu(&device)) return;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) test_skip_part("no locale with a decimal comma");
    CHECK_OK(tess_op_text(&op, "op f(in f64 x, out f64 y) { y = x*2.5 + 4.9e-324 - 0.1 + (f64)0.75f; }"));
    CHECK_OK(tess_ones(&x, TESS_SHAPE(1, 1, 1, 3), TESS_F64, device));
    CHECK_OK(tess_empty(&y, x.shape, TESS_F64, device));
    CHECK_OK(tess_call(op, &x, &y));
    CHECK_OK(tess_get_f64(&value, &y, 0, 0, 0, 2));
    CHECK(value == 2.5 - 0.1 + 0.75);
    (void)setlocale(LC_NUMERIC, "C");
    tess_release(&x);
    tess_release(&y);
    tess_op_release(op);
}

TEST(faults_come_out_at_the_sync)
{
    tess_device device;
    tess_op    *op = NULL, *loop = NULL;
    tess_array  v = { .data = NULL }, z = { .data = NULL };
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_op_text(&op, "op beyond(view error f32 v, val i32 n, out f32 z) { z = v[b,d,h,w + n]; }"));
    CHECK_OK(tess_op_text(&loop, "op often(val i32 n, out i32 z) { z = 0;"
                                 "  for (i32 i = 0; i < n*(i32)size(3); ++i) { z += i; } }"));
    CHECK_OK(tess_ones(&v, TESS_SHAPE(1, 1, 4, 40), TESS_F32, device));
    CHECK_OK(tess_zeros(&z, TESS_SHAPE(1, 1, 4, 40), TESS_F32, device));
    tess_stream *stream = tess_stream_current(device);
    CHECK_OK(tess_call(op, &v, 0, &z));
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_call(op, &v, 3, &z));
    CHECK_OK(tess_call(op, &v, 9, &z));
    CHECK_FAILS(tess_stream_sync(stream), TESS_ERANGE, "beyond: v was read at {0,0,0,40}",
                "outside its shape {1,1,4,40}");
    CHECK_OK(tess_stream_sync(stream));
    tess_release(&z);
    check_values_wait(op, &v, device);
    CHECK_OK(tess_empty(&z, TESS_SHAPE(1, 1, 4, 40), TESS_I32, device));
    CHECK_OK(tess_call(loop, 3, &z));
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_call(loop, 2000, &z));
    CHECK_FAILS(tess_stream_sync(stream), TESS_ERANGE, "often: loops ran more than 65536 iterations");
    tess_release(&v);
    tess_release(&z);
    tess_op_release(op);
    tess_op_release(loop);
}

TEST(two_devices_are_told_apart)
{
    tess_device device;
    tess_op    *op = NULL;
    tess_array  x = { .data = NULL }, y = { .data = NULL }, z = { .data = NULL };
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_op_text(&op, "op two(in f32 x, in f32 y, out f32 z) { z = x - y; }"));
    CHECK_OK(tess_ones(&x, TESS_SHAPE(1, 1, 1, 9), TESS_F32, device));
    CHECK_OK(tess_ones(&y, TESS_SHAPE(1, 1, 1, 9), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_call(op, &x, &y, &z), TESS_EDEVICE, "two: x is on gpu:0 and y on cpu");
    CHECK_OK(tess_op_prepare(op, device, NULL, 0));
    tess_array there = { .data = NULL };
    CHECK_OK(tess_to_device(&there, &y, device));
    CHECK_OK(tess_call(op, &x, &there, &z));
    CHECK(z.device.kind == TESS_GPU);
    CHECK_OK(tess_call(op, &x, &tess_f32(3), &z));
    double     got = 0;
    tess_array host = { .data = NULL };
    if (test_fetch(&host, &z)) got = (double)((const float *)host.data)[8];
    CHECK(got == -2);
    tess_release(&x);
    tess_release(&y);
    tess_release(&z);
    tess_release(&there);
    tess_release(&host);
    tess_op_release(op);
}

/* ---- Random operators ---- */

/* Sums of floats depend on their order. */
static bool is_exact(const generated *g)
{
    if (g->reduces) return false;
    for (int k = 0; k < g->n_params; k++)
        if (g->params[k].role == role_scatter && tess_dtype_kind(g->params[k].type) >= TESS_KIND_FLOAT) return false;
    return true;
}

TEST(random_operators)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    const char *wanted = getenv("TESS_PROGRAMS");
    const int   total = wanted ? atoi(wanted) : test_large() ? 150 : 3;
    generated  *g = calloc(1, sizeof *g);
    small_numbers = false;
    for (int done = 0; g && done < total;) {
        tess_op *op = NULL;
        memset(g, 0, sizeof *g);
        generate(g);
        if (!is_exact(g)) continue;
        if (!CHECK_OK(tess_op_parse(&op, g->text, strlen(g->text),
                                    &(tess_op_parse_opts){ .max_nodes = 1 << 14, .max_registers = 256 })))
            break;
        const bool same = run_both(op, g->letters, any_shape(64), 0, device);
        tess_op_release(op);
        if (!same) break;
        done++;
    }
    free(g);
}
