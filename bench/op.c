/* Operators from text against loops written by hand, in one run; and how long a program takes to be made.
 *
 * One JSON line each. `--quick` takes fewer rounds and smaller arrays.
 */
#include <math.h>

#include "bench.h"
#include "tessera/math/f32.op.h"

static int     rounds = 9;
static int64_t side = 4096;

typedef struct text_case {
    tess_op  *op;
    tess_bind binds[4];
    int       n;
    float    *o, *a, *b, *hand; /* `hand`: where the hand-written loop writes */
    int64_t   size;
    double    sum;
} text_case;

static void run_text(void *context)
{
    text_case *c = context;
    bench_need(tess_run(c->op, c->binds, c->n, NULL));
}

/* ---- By hand ---- */

static void hand_cosine(void *context)
{
    const text_case *c = context;
    float *restrict o = c->hand;
    const float *restrict a = c->a, *restrict b = c->b;
    for (int64_t i = 0; i < c->size; i++) o[i] = a[i] * 2 + tess__cos_fast_f32(b[i]);
}

/* A number for each row. */
static void hand_rows(void *context)
{
    const text_case *c = context;
    const int64_t    n = side;
    for (int64_t h = 0; h < n; h++) {
        const float cosine = tess__cos_fast_f32(c->b[h]);
        for (int64_t w = 0; w < n; w++) c->hand[h * n + w] = c->a[h * n + w] * 2 + cosine;
    }
}

static void hand_root(void *context)
{
    const text_case *c = context;
    float *restrict o = c->hand;
    const float *restrict a = c->a, *restrict b = c->b;
    for (int64_t i = 0; i < c->size; i++) o[i] = sqrtf(a[i] * a[i] + b[i] * b[i]);
}

static void hand_distance(void *context)
{
    text_case *c = context;
    enum { LANES = 16 };
    const float *restrict a = c->a, *restrict b = c->b;
    double lane[LANES] = { 0 };
    for (int64_t i = 0; i < c->size; i += LANES)
        for (int k = 0; k < LANES; k++) {
            const float d = a[i + k] - b[i + k];
            lane[k] += (double)(d * d);
        }
    for (int k = 1; k < LANES; k++) lane[0] += lane[k];
    c->sum = lane[0];
}

/* Elements outside are 0. */
static inline float pixel(const float *image, int64_t n, int64_t y, int64_t x)
{
    const int inside = ((uint64_t)y < (uint64_t)n) & ((uint64_t)x < (uint64_t)n);
    return inside ? image[y * n + x] : 0.0f;
}

static void hand_affine(void *context)
{
    const text_case *c = context;
    const int64_t    n = side;
    const float     *m = c->b;
    for (int64_t h = 0; h < n; h++)
        for (int64_t w = 0; w < n; w++) {
            const float   y = m[0] * (float)h + m[1] * (float)w + m[2], x = m[3] * (float)h + m[4] * (float)w + m[5];
            const float   fy = floorf(y), fx = floorf(x), ty = y - fy, tx = x - fx;
            const int64_t i = (int64_t)fy, j = (int64_t)fx;
            const float   p = pixel(c->a, n, i, j), q = pixel(c->a, n, i, j + 1);
            const float   r = pixel(c->a, n, i + 1, j), s = pixel(c->a, n, i + 1, j + 1);
            const float   top = p + tx * (q - p), bottom = r + tx * (s - r);
            c->hand[h * n + w] = top + ty * (bottom - top);
        }
}

static void hand_blur(void *context)
{
    const text_case *c = context;
    const int64_t    n = side;
    for (int64_t h = 1; h + 1 < n; h++)
        for (int64_t w = 1; w + 1 < n; w++) {
            float s = 0;
            for (int64_t i = -1; i <= 1; i++)
                for (int64_t j = -1; j <= 1; j++) s += c->a[(h + i) * n + (w + j)];
            c->hand[h * n + w] = s / 9;
        }
}

/* ---- Cases ---- */

static void report(const char *name, text_case *c, const char *text, bench_fn *hand)
{
    bench_need(tess_op_text(&c->op, text));
    bench_report(name, "f32", 1, bench_compare(run_text, c, hand, c, rounds, 0.02));
    tess_op_release(c->op);
}

static void bind_arrays(text_case *c, tess_array *x, tess_array *y, tess_array *z)
{
    c->n = 3;
    c->binds[0] = (tess_bind){ .kind = TESS_BIND_INPUT, .as.input = x };
    c->binds[1] = (tess_bind){ .kind = TESS_BIND_INPUT, .as.input = y };
    c->binds[2] = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = z };
}

static void compare_all(void)
{
    const tess_shape shape = TESS_SHAPE(1, 1, side, side);
    tess_array       a = { 0 }, b = { 0 }, o = { 0 }, hand = { 0 }, matrix = { 0 };
    static float     m[6] = { 0.98f, 0.17f, 3.5f, -0.17f, 0.98f, 40.25f };
    double           sum = 0;
    bench_need(tess_empty(&o, shape, TESS_F32, tess_cpu()));
    bench_need(tess_empty(&hand, shape, TESS_F32, tess_cpu()));
    bench_need(tess_arange(&a, shape, TESS_F32, tess_cpu(), -9, 1e-6));
    bench_need(tess_arange(&b, shape, TESS_F32, tess_cpu(), 3, 2e-6));
    bench_need(tess_wrap(&matrix, m, TESS_SHAPE(1, 1, 2, 3), TESS_F32, NULL));
    text_case c = { .o = o.data, .a = a.data, .b = b.data, .hand = hand.data, .size = side * side };
    bind_arrays(&c, &a, &b, &o);
    report("a*2 + cos(b)", &c, "op e1(in f32 a, in f32 b, out f32 c) { c = a*2 + cos(b); }", hand_cosine);
    text_case  rows = c;
    tess_array column = { 0 };
    bench_need(tess_arange(&column, TESS_SHAPE(1, 1, side, 1), TESS_F32, tess_cpu(), -9, 1e-3));
    bind_arrays(&rows, &a, &column, &o);
    rows.b = column.data;
    report("a*2 + cos(b), b a number for each row", &rows, "op e1(in f32 a, in f32 b, out f32 c) { c = a*2 + cos(b); }",
           hand_rows);
    tess_release(&column);
    report("sqrt(x*x + y*y)", &c, "op e2(in f32 x, in f32 y, out f32 z) { z = sqrt(x*x + y*y); }", hand_root);
    text_case e3 = c;
    e3.binds[2] = (tess_bind){ .kind = TESS_BIND_HOST, .dtype = TESS_F64, .as.host = &sum };
    report("sum((a - b)^2)", &e3,
           "op e3(in f32 a, in f32 b, acc sum f32 s, out f64 o) { f32 d = a - b; s += d*d; } post { o = s; }",
           hand_distance);
    report("sum((a - b)^2) in f64", &e3,
           "op e3(in f32 a, in f32 b, acc sum f64 s, out f64 o) { f32 d = a - b; s += d*d; }", hand_distance);
    text_case warp = c;
    bind_arrays(&warp, &a, &matrix, &o);
    warp.b = m;
    report("affine, interp_linear", &warp,
           "op affine(view f32 v, view f32 m, out f32 o) { f32 y = m[0,0,0,0]*h + m[0,0,0,1]*w + m[0,0,0,2];"
           "f32 x = m[0,0,1,0]*h + m[0,0,1,1]*w + m[0,0,1,2]; o = interp_linear(v, b, d, y, x); }",
           hand_affine);
    text_case blur = c;
    blur.n = 2;
    blur.binds[1] = c.binds[2];
    report("3 x 3 mean", &blur,
           "op blur(view f32 v, out f32 o) { f32 s = 0; for (i32 i = -1; i <= 1; ++i) { for (i32 j = -1; j <= 1; ++j)"
           "{ s += v[b,d,h + i,w + j]; } } o = s/9; }",
           hand_blur);
    tess_release(&a);
    tess_release(&b);
    tess_release(&o);
    tess_release(&hand);
    tess_release(&matrix);
}

/* ---- Sums into bins: six sums over the shells of two volumes ---- */

enum { SUMS = 6, MOST_SHELLS = 512 };

typedef struct shells {
    const tess_op *op;
    tess_bind      binds[2 + SUMS];
    const float   *x, *y;
    int64_t        n; /* side of the volumes */
    double         sum, hand[SUMS][MOST_SHELLS];
} shells;

#define SHELL_BODY                                                                                                     \
    "f32 z = (f32)(d - size(1)/2); f32 y = (f32)(h - size(2)/2); f32 x = (f32)(w - size(3)/2);"                        \
    "i32 k = (i32)(sqrt(z*z + y*y + x*x) + 0.5f); f64 p = u; f64 q = v;"                                               \
    "s0[b,0,0,k] += p; s1[b,0,0,k] += q; s2[b,0,0,k] += p*p; s3[b,0,0,k] += q*q; s4[b,0,0,k] += p*q; s5[b,0,0,k] += "  \
    "1;"

static const char shell_text[] = "op shells(in f32 u, in f32 v, scatter f64 s0, scatter f64 s1, scatter f64 s2,"
                                 "scatter f64 s3, scatter f64 s4, scatter f64 s5) {" SHELL_BODY "}";

TESS_IWISE(compiled_shells,
           (in(f32, u), in(f32, v), scatter(f64, s0), scatter(f64, s1), scatter(f64, s2), scatter(f64, s3),
            scatter(f64, s4), scatter(f64, s5)),
           f32 z = (f32)(d - tessm_size(1) / 2);
           f32 y = (f32)(h - tessm_size(2) / 2); f32 x = (f32)(w - tessm_size(3) / 2);
           i32 k = (i32)(tessm_sqrt(z * z + y * y + x * x) + 0.5f); f64 p = (f64)u; f64 q = (f64)v;
           tess_at(s0, b, 0, 0, k) += p; tess_at(s1, b, 0, 0, k) += q; tess_at(s2, b, 0, 0, k) += p * p;
           tess_at(s3, b, 0, 0, k) += q * q; tess_at(s4, b, 0, 0, k) += p * q; tess_at(s5, b, 0, 0, k) += 1;)

static void run_shells(void *context)
{
    shells *c = context;
    bench_need(tess_run(c->op, c->binds, 2 + SUMS, NULL));
}

static void hand_shells(void *context)
{
    shells       *c = context;
    const int64_t n = c->n;
    const float  *u = c->x, *v = c->y;
    for (int64_t d = 0; d < n; d++)
        for (int64_t h = 0; h < n; h++)
            for (int64_t w = 0; w < n; w++) {
                const float   z = (float)(d - n / 2), y = (float)(h - n / 2), x = (float)(w - n / 2);
                const int32_t k = (int32_t)(sqrtf(z * z + y * y + x * x) + 0.5f);
                const double  p = (double)*u++, q = (double)*v++;
                c->hand[0][k] += p, c->hand[1][k] += q, c->hand[2][k] += p * p;
                c->hand[3][k] += q * q, c->hand[4][k] += p * q, c->hand[5][k] += 1;
            }
}

/* What all of them read. */
static void read_volumes(void *context)
{
    shells *c = context;
    enum { LANES = 16 };
    float sum[LANES] = { 0 };
    for (int64_t i = 0; i + LANES <= c->n * c->n * c->n; i += LANES)
        for (int k = 0; k < LANES; k++) sum[k] += c->x[i + k] + c->y[i + k];
    for (int k = 0; k < LANES; k++) c->sum += (double)sum[k];
}

static void compare_shells(int64_t n)
{
    const tess_shape shape = TESS_SHAPE(1, n, n, n);
    tess_array       u = { 0 }, v = { 0 }, sums[SUMS];
    tess_op         *text = NULL;
    const tess_op   *compiled = NULL;
    static shells    c;
    memset(sums, 0, sizeof sums);
    bench_need(tess_arange(&u, shape, TESS_F32, tess_cpu(), -9, 1e-6));
    bench_need(tess_arange(&v, shape, TESS_F32, tess_cpu(), 3, 2e-6));
    c.x = u.data, c.y = v.data, c.n = n;
    c.binds[0] = (tess_bind){ .kind = TESS_BIND_INPUT, .as.input = &u };
    c.binds[1] = (tess_bind){ .kind = TESS_BIND_INPUT, .as.input = &v };
    for (int k = 0; k < SUMS; k++) {
        bench_need(tess_zeros(&sums[k], TESS_SHAPE(1, 1, 1, n * 7 / 8), TESS_F64, tess_cpu()));
        c.binds[2 + k] = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = &sums[k] };
    }
    bench_need(tess_op_text(&text, shell_text));
    bench_need(tess_op_of(&compiled, &compiled_shells));
    for (int threads = 1; threads <= 2; threads++) {
        bench_need(tess_threads_set(threads));
        c.op = text;
        bench_report("6 sums into shells, text, beside a loop", "f32", threads,
                     bench_compare(run_shells, &c, hand_shells, &c, rounds, 0.02));
        c.op = compiled;
        bench_report("6 sums into shells, compiled, beside a loop", "f32", threads,
                     bench_compare(run_shells, &c, hand_shells, &c, rounds, 0.02));
        bench_report("6 sums into shells, compiled, beside reading", "f32", threads,
                     bench_compare(run_shells, &c, read_volumes, &c, rounds, 0.02));
    }
    bench_need(tess_threads_set(1));
    tess_op_release(text);
    tess_release(&u);
    tess_release(&v);
    for (int k = 0; k < SUMS; k++) tess_release(&sums[k]);
}

/* ---- Half a spectrum, turned in its plane ---- */

typedef struct turn {
    const tess_op *op;
    tess_bind      binds[2];
    const float   *from;
    float         *to;
    int64_t        n, half;
} turn;

static const float TURN[2] = { 0.9396926f, 0.3420201f }; /* 20 degrees */

static const char turn_text[] =
    "op turn(view spectrum_h c32 f, out c32 r) { f32 c = 0.9396926f; f32 s = 0.3420201f;"
    "f32 y = (f32)(h < (size(2) + 1)/2 ? h : h - size(2)); f32 x = (f32)w; r = interp_linear(f, b, 0, c*y - s*x, s*y + "
    "c*x); }";

TESS_IWISE(compiled_turn, (view(c32, f, spectrum_h), out(c32, r)), f32 c = 0.9396926f; f32 s = 0.3420201f;
           f32 y = (f32)(h < (tessm_size(2) + 1) / 2 ? h : h - tessm_size(2)); f32 x = (f32)w;
           r = tessm_interp_linear(f, b, 0, c *y - s * x, s *y + c * x);)

static void run_turn(void *context)
{
    turn *c = context;
    bench_need(tess_run(c->op, c->binds, 2, NULL));
}

static inline void tap(float sum[2], const turn *c, int64_t y, int64_t x, float weight)
{
    const float   sign = x < 0 ? -1.0f : 1.0f;
    const int64_t k = x < 0 ? -y : y, i = k < 0 ? k + c->n : k, j = x < 0 ? -x : x;
    if (y < -c->n / 2 || y > c->n / 2 || j >= c->half) return;
    sum[0] += weight * c->from[(i * c->half + j) * 2];
    sum[1] += weight * sign * c->from[(i * c->half + j) * 2 + 1];
}

static void hand_turn(void *context)
{
    const turn *c = context;
    for (int64_t h = 0; h < c->n; h++)
        for (int64_t w = 0; w < c->half; w++) {
            const float   v = (float)(h < (c->n + 1) / 2 ? h : h - c->n), u = (float)w;
            const float   y = TURN[0] * v - TURN[1] * u, x = TURN[1] * v + TURN[0] * u;
            const float   fy = floorf(y), fx = floorf(x), ty = y - fy, tx = x - fx;
            const int64_t i = (int64_t)fy, j = (int64_t)fx;
            float         sum[2] = { 0, 0 };
            tap(sum, c, i, j, (1 - ty) * (1 - tx));
            tap(sum, c, i, j + 1, (1 - ty) * tx);
            tap(sum, c, i + 1, j, ty * (1 - tx));
            tap(sum, c, i + 1, j + 1, ty * tx);
            c->to[(h * c->half + w) * 2] = sum[0];
            c->to[(h * c->half + w) * 2 + 1] = sum[1];
        }
}

static void compare_turns(int64_t n)
{
    const tess_shape shape = TESS_SHAPE(1, 1, n, n / 2 + 1);
    tess_array       from = { 0 }, to = { 0 }, hand = { 0 };
    tess_op         *text = NULL;
    const tess_op   *compiled = NULL;
    bench_need(tess_arange(&from, shape, TESS_C32, tess_cpu(), -9, 1e-6));
    bench_need(tess_zeros(&to, shape, TESS_C32, tess_cpu()));
    bench_need(tess_zeros(&hand, shape, TESS_C32, tess_cpu()));
    turn c = { .from = from.data, .to = hand.data, .n = n, .half = n / 2 + 1 };
    c.binds[0] = (tess_bind){ .kind = TESS_BIND_INPUT, .as.input = &from };
    c.binds[1] = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = &to };
    bench_need(tess_op_text(&text, turn_text));
    bench_need(tess_op_of(&compiled, &compiled_turn));
    c.op = text;
    bench_report("half a spectrum turned, interp_linear, text", "c32", 1,
                 bench_compare(run_turn, &c, hand_turn, &c, rounds, 0.02));
    c.op = compiled;
    bench_report("half a spectrum turned, interp_linear, compiled", "c32", 1,
                 bench_compare(run_turn, &c, hand_turn, &c, rounds, 0.02));
    tess_op_release(text);
    tess_release(&from);
    tess_release(&to);
    tess_release(&hand);
}

/* ---- From text to a program ---- */

static void make_operator(void *context)
{
    tess_op *op = NULL;
    bench_need(tess_op_text(&op, context));
    bench_need(tess_op_prepare(op, tess_cpu(), NULL, 0));
    tess_op_release(op);
}

static void report_making(void)
{
    static char text[] = "op e1(in f32 a, in f32 b, out f32 c) { c = a*2 + cos(b); }";
    double      best = 1e30;
    for (int k = 0; k < rounds; k++) {
        const double took = bench_time(make_operator, text, 0.01);
        if (took < best) best = took;
    }
    printf("{\"work\": \"make a*2 + cos(b) from text\", \"ours_s\": %.4g}\n", best);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) {
        rounds = 3;
        side = 1024;
    }
    bench_need(tess_threads_set(1));
    compare_all();
    compare_shells(side == 4096 ? 192 : 64);
    compare_turns(side / 2);
    report_making();
    return 0;
}
