/* Operators compiled with a program, called by tess_call, beside loops written by hand for the same arithmetic and built
 * by the same compiler with the same options. One thread.
 *
 * One JSON line each. `--quick` takes fewer rounds; other arguments are names of works to run.
 */
#include "bench.h"

static int rounds = 15;

/* clang-format off */
TESS_EWISE(e1, (in(f32,a), in(f32,b), out(f32,c)), c = a*2.0f + tessm_cos(b); )
TESS_EWISE(e2, (in(f32,x), in(f32,y), out(f32,z)), z = tessm_sqrt(x*x + y*y); )
TESS_REDUCE(e3, (in(f32,a), in(f32,b), acc(f64,s,sum), out(f64,z)), f32 t = a - b; s += (f64)(t*t); )
TESS_REDUCE(masked, (in(f32,x), in(u8,m), acc(f64,s,sum), acc(f32,mx,max), out(f64,sum), out(f32,largest)),
    if (m != 0) { s += (f64)x; mx = tessm_max(mx, x); } )
TESS_IWISE(affine, (view(f32,src), view(f32,mat), out(f32,dst)),
    f32 y = tess_at(mat,b,0,0,0)*(f32)h + tess_at(mat,b,0,0,1)*(f32)w + tess_at(mat,b,0,0,2);
    f32 x = tess_at(mat,b,0,1,0)*(f32)h + tess_at(mat,b,0,1,1)*(f32)w + tess_at(mat,b,0,1,2);
    dst = tessm_interp_linear(src, b, d, y, x); )
TESS_STRUCT(cubic, (f32 c[4], f64 others[60]))
TESS_EWISE(bent, (in(f32,x), val(cubic,p), out(f32,z)), z = ((p.c[3]*x + p.c[2])*x + p.c[1])*x + p.c[0]; )
/* clang-format on */

static const cubic bend = { .c = { 1, -2, 0.5f, 0.25f } };

enum { E1, E2, E3, MASKED, AFFINE, BENT };

typedef struct work {
    int        kind;
    tess_array a, b, out, mat;
    double     sum;
    float      most;
} work;

static void run_ours(void *context)
{
    work *w = context;
    switch (w->kind) {
    case E1: bench_need(tess_call(&e1, &w->a, &w->b, &w->out)); break;
    case E2: bench_need(tess_call(&e2, &w->a, &w->b, &w->out)); break;
    case E3: bench_need(tess_call(&e3, &w->a, &w->b, &w->sum)); break;
    case BENT: bench_need(tess_call(&bent, &w->a, tess_struct(cubic, &bend), &w->out)); break;
    case MASKED: bench_need(tess_call(&masked, &w->a, &w->b, &w->sum, &w->most)); break;
    default: bench_need(tess_call(&affine, &w->a, &w->mat, &w->out)); break;
    }
}

/* ---- By hand: a row each ---- */

static void hand_e1(float *restrict c, const float *restrict a, const float *restrict b, int64_t n)
{
    for (int64_t done = 0; done < n; done += 1024) { /* the quick cosine, and again where it is not enough */
        const int64_t m = n - done < 1024 ? n - done : 1024;
        int32_t       slow = 0;
        for (int64_t i = done; i < done + m; i++) {
            slow |= tess__cos_slow_f32(b[i]) ? -1 : 0;
            c[i] = a[i] * 2.0f + tess__cos_fast_f32(b[i]);
        }
        for (int64_t i = done; slow && i < done + m; i++) c[i] = a[i] * 2.0f + tess__cos_f32(b[i]);
    }
}

static void hand_e2(float *restrict z, const float *restrict x, const float *restrict y, int64_t n, int64_t step)
{
    if (step == 1)
        for (int64_t i = 0; i < n; i++) z[i] = __builtin_sqrtf(x[i] * x[i] + y[i] * y[i]);
    else
        for (int64_t i = 0; i < n; i++) z[i] = __builtin_sqrtf(x[i * step] * x[i * step] + y[i * step] * y[i * step]);
}

static void hand_bent(float *restrict z, const float *restrict x, const float c[4], int64_t n)
{
    const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
    for (int64_t i = 0; i < n; i++) z[i] = ((c3 * x[i] + c2) * x[i] + c1) * x[i] + c0;
}

/* In lanes that stay in registers: one after the other would be slower, and less exact. Rows are whole groups. */
enum { LANES = 16 };

static void hand_e3(double *restrict lanes, const float *restrict a, const float *restrict b, int64_t n)
{
    double s[LANES];
    for (int k = 0; k < LANES; k++) s[k] = lanes[k];
    for (int64_t i = 0; i < n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            const float t = a[i + k] - b[i + k];
            s[k] += (double)(t * t);
        }
    for (int k = 0; k < LANES; k++) lanes[k] = s[k];
}

static void hand_masked(double *restrict lanes, float *restrict most, const float *restrict x,
                        const uint8_t *restrict m, int64_t n)
{
    double s[LANES];
    float  l[LANES];
    for (int k = 0; k < LANES; k++) s[k] = lanes[k], l[k] = most[k];
    for (int64_t i = 0; i < n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            s[k] += m[i + k] != 0 ? (double)x[i + k] : 0.0;
            l[k] = m[i + k] != 0 ? tessm_max(l[k], x[i + k]) : l[k];
        }
    for (int k = 0; k < LANES; k++) lanes[k] = s[k], most[k] = l[k];
}

static void hand_affine(float *restrict dst, const float *restrict src, const float *restrict m, int64_t n)
{
    for (int64_t h = 0; h < n; h++)
        for (int64_t w = 0; w < n; w++) {
            const float   y = m[0] * (float)h + m[1] * (float)w + m[2], x = m[3] * (float)h + m[4] * (float)w + m[5];
            const float   fy = __builtin_floorf(y), fx = __builtin_floorf(x), ty = y - fy, tx = x - fx;
            const int     i = (int)fy, j = (int)fx, size = (int)n;
            const bool    top = (unsigned)i < (unsigned)size, bottom = (unsigned)(i + 1) < (unsigned)size;
            const bool    left = (unsigned)j < (unsigned)size, right = (unsigned)(j + 1) < (unsigned)size;
            const int64_t at = i * n + j;
            const float   a = (top & left) ? src[at] : 0, b = (top & right) ? src[at + 1] : 0;
            const float   c = (bottom & left) ? src[at + n] : 0, d = (bottom & right) ? src[at + n + 1] : 0;
            const float   t = a + tx * (b - a), u = c + tx * (d - c);
            dst[h * n + w] = t + ty * (u - t);
        }
}

static void run_hand(void *context)
{
    work         *w = context;
    const float  *a = w->a.data, *b = w->b.data;
    const int64_t n = w->a.shape.w, s = w->a.strides.w;
    double        lanes[LANES] = { 0 };
    float         most[LANES] = { 0 };
    if (w->kind == AFFINE) {
        hand_affine(w->out.data, a, w->mat.data, n);
        return;
    }
    for (int64_t h = 0; h < w->a.shape.h; h++) {
        const float *x = a + h * w->a.strides.h, *y = b + h * w->b.strides.h;
        float       *z = w->out.data ? (float *)w->out.data + h * w->out.strides.h : NULL;
        switch (w->kind) {
        case E1: hand_e1(z, x, y, n); break;
        case E2: hand_e2(z, x, y, n, s); break;
        case E3: hand_e3(lanes, x, y, n); break;
        case BENT: hand_bent(z, x, bend.c, n); break;
        default: hand_masked(lanes, most, x, (const uint8_t *)w->b.data + h * w->b.strides.h, n); break;
        }
    }
    w->sum = 0;
    w->most = 0;
    for (int i = 0; i < LANES; i++) {
        w->sum += lanes[i];
        w->most = most[i] > w->most ? most[i] : w->most;
    }
}

/* ---- The works ---- */

static int    n_names;
static char **names;

static void time_work(work *w, const char *name, int64_t n)
{
    char text[96];
    snprintf(text, sizeof text, "%s, %lld elements", name, (long long)n);
    for (int i = 0; i < n_names; i++)
        if (strstr(text, names[i])) break;
        else if (i + 1 == n_names) return;
    run_ours(w); /* makes the output */
    bench_report(text, "f32", 1, bench_compare(run_ours, w, run_hand, w, rounds, 0.004));
}

/* {1,1,n,n}, or every `step`th column and half of the rows' length of a larger one. */
static void plane(tess_array *a, tess_array *whole, int64_t n, int64_t step, tess_dtype dtype, double value)
{
    bench_need(tess_full(whole, TESS_SHAPE(1, 1, n, n * step * (step > 1 ? 2 : 1)), dtype, tess_cpu(), value));
    bench_need(tess_slice(a, whole, 3, 0, n * step, step));
}

static void bench_size(int64_t side)
{
    const int64_t n = side * side;
    tess_array    x = { 0 }, y = { 0 }, mask = { 0 };
    work          w = { 0 };
    plane(&w.a, &x, side, 1, TESS_F32, 3);
    plane(&w.b, &y, side, 1, TESS_F32, 4);
    bench_need(tess_full(&w.out, w.a.shape, TESS_F32, tess_cpu(), 0));
    for (int64_t i = 0; i < n; i++) ((float *)w.a.data)[i] = (float)(i * 7919 % 1000) * 0.01f;
    for (int64_t i = 0; i < n; i++) ((float *)w.b.data)[i] = (float)(i * 104729 % 777) * 0.1f;
    time_work(&w, "a*2 + cos(b)", n);
    w.kind = E2;
    time_work(&w, "sqrt(x*x + y*y)", n);
    w.kind = E3;
    time_work(&w, "sum((a-b)^2)", n);
    w.kind = BENT;
    time_work(&w, "cubic, coefficients in a struct of 496 bytes", n);
    w.kind = AFFINE;
    bench_need(tess_zeros(&w.mat, TESS_SHAPE(1, 1, 2, 3), TESS_F32, tess_cpu()));
    const double m[6] = { 0.9, 0.3, -20, -0.3, 0.9, 0.1 * (double)side };
    for (int64_t k = 0; k < 6; k++) bench_need(tess_set_f64(&w.mat, 0, 0, k / 3, k % 3, m[k]));
    time_work(&w, "affine, bilinear", n);
    w.kind = MASKED;
    w.b = (tess_array){ 0 };
    plane(&w.b, &mask, side, 1, TESS_U8, 0);
    for (int64_t i = 0; i < n; i++) ((uint8_t *)w.b.data)[i] = (uint8_t)(i * 2654435761 >> 16 & 1);
    time_work(&w, "masked sum and maximum", n);
    tess_release(&w.out);
    tess_release(&w.mat);
    tess_release(&mask);
    tess_release(&x);
    tess_release(&y);
}

/* Rows with something between them, then also elements. */
static void bench_strided(int64_t side, int64_t step, const char *name)
{
    tess_array x = { 0 }, y = { 0 };
    work       w = { .kind = E2 };
    plane(&w.a, &x, side, step, TESS_F32, 3);
    plane(&w.b, &y, side, step, TESS_F32, 4);
    if (step == 1) { /* half of each row */
        bench_need(tess_slice(&w.a, &x, 3, 0, side / 2, 1));
        bench_need(tess_slice(&w.b, &y, 3, 0, side / 2, 1));
    }
    bench_need(tess_full(&w.out, w.a.shape, TESS_F32, tess_cpu(), 0));
    time_work(&w, name, tess_n_elements(&w.a));
    tess_release(&w.out);
    tess_release(&x);
    tess_release(&y);
}

int main(int argc, char **argv)
{
    names = malloc((size_t)argc * sizeof *names);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) rounds = 5;
        else names[n_names++] = argv[i];
    }
    bench_need(tess_threads_set(1));
    bench_size(4096);
    bench_size(64);
    bench_strided(4096, 1, "sqrt(x*x + y*y), rows of a sub-region");
    bench_strided(2048, 2, "sqrt(x*x + y*y), every second element");
    free(names);
    return 0;
}
