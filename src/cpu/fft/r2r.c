/* DCT and DST by complex FFTs: vectors of real numbers become complex ones, whose spectrum has the result. All kinds
 * are the same work with other tables:
 *
 *     z[j] = a[j] x[p[j]] + b[j] x[q[j]],    y[k] = real part of c[k] Z[s[k]]
 */
#include <math.h>

#include "cpu/fft/plan1d.h"
#include "core/twiddle.h"
#include "tessera/fft.h"

static tess__twiddle scaled(tess__twiddle root, double by) { return (tess__twiddle){ root.re * by, root.im * by }; }
static tess__twiddle conjugate(tess__twiddle root) { return (tess__twiddle){ root.re, -root.im }; }

/* What ORTHO makes of a term before the transform, and after it. */
static double before(int kind, int64_t j, int64_t n)
{
    if (kind == TESS_FFT_DCT1) return j == 0 || j == n - 1 ? sqrt(2) : 1;
    return (kind == TESS_FFT_DCT3 && j == 0) || (kind == TESS_FFT_DST3 && j == n - 1) ? sqrt(2) : 1;
}

static double after(int kind, int64_t k, int64_t n)
{
    if (kind == TESS_FFT_DCT1) return k == 0 || k == n - 1 ? sqrt(0.5) : 1;
    return (kind == TESS_FFT_DCT2 && k == 0) || (kind == TESS_FFT_DST2 && k == n - 1) ? sqrt(0.5) : 1;
}

/* Element j of the input of the complex transform: which elements of the vector, and what they are multiplied with. */
typedef struct tess__r2r_term {
    int64_t       p, q; /* -1: none */
    tess__twiddle a, b;
} term;

/* Sine transforms are cosine transforms of vectors that are reversed or of alternating sign. */
static bool is_sine(int kind) { return kind >= TESS_FFT_DST1; }

static term input_term(int kind, int64_t j, int64_t n)
{
    const tess__twiddle one = { 1, 0 }, none = { 0, 0 }, minus = { -1, 0 };
    term                t = { -1, -1, none, none };
    switch (kind) {
    case TESS_FFT_DCT1: /* 0 1 … n-1 … 1 */ t.p = j < n ? j : 2 * (n - 1) - j, t.a = one; break;
    case TESS_FFT_DST1: /* 0, the vector, 0, the vector reversed and negated */
        if (j % (n + 1)) t.p = j <= n ? j - 1 : 2 * n + 1 - j, t.a = j <= n ? one : minus;
        break;
    case TESS_FFT_DCT2: /* the even ones, then the odd ones from behind */
    case TESS_FFT_DST2:
        t.p = 2 * j < n ? 2 * j : 2 * (n - j) - 1;
        t.a = kind == TESS_FFT_DST2 && t.p % 2 ? minus : one;
        break;
    case TESS_FFT_DCT3: /* the conjugate spectrum of such a vector: (x[j] - i x[n-j]) exp(pi i j / 2 n) */
    case TESS_FFT_DST3: {
        const tess__twiddle w = conjugate(tess__twiddle_of(j, 4 * n));
        t.p = j, t.a = w;
        if (j) t.q = n - j, t.b = (tess__twiddle){ w.im, -w.re };
        if (is_sine(kind)) t.p = n - 1 - t.p, t.q = j ? n - 1 - t.q : -1;
        break;
    }
    default: /* as many zeros after the vector, times exp(-pi i j / 2 n) */
        if (j < n) t.p = is_sine(kind) ? n - 1 - j : j, t.a = tess__twiddle_of(j, 4 * n);
        break;
    }
    return t;
}

/* Result k: which coefficient, and what it is multiplied with. */
static void output_term(int kind, int64_t k, int64_t n, int64_t *s, tess__twiddle *c)
{
    const double sign = k % 2 && (kind == TESS_FFT_DST3 || kind == TESS_FFT_DST4) ? -1 : 1;
    *c = (tess__twiddle){ sign, 0 };
    switch (kind) {
    case TESS_FFT_DCT1: *s = k; break;
    case TESS_FFT_DST1: *s = k + 1, *c = (tess__twiddle){ 0, 1 }; break; /* minus the imaginary part */
    case TESS_FFT_DCT2: *s = k, *c = scaled(tess__twiddle_of(k, 4 * n), 2); break;
    case TESS_FFT_DST2: *s = n - 1 - k, *c = scaled(tess__twiddle_of(n - 1 - k, 4 * n), 2); break;
    case TESS_FFT_DCT3:
    case TESS_FFT_DST3: *s = k % 2 ? n - 1 - k / 2 : k / 2; break;
    default: *s = k, *c = scaled(tess__twiddle_of(2 * k + 1, 8 * n), 2 * sign); break;
    }
}

static int64_t complex_size(int kind, int64_t n)
{
    switch (kind) {
    case TESS_FFT_DCT1: return 2 * (n - 1);
    case TESS_FFT_DST1: return 2 * (n + 1);
    case TESS_FFT_DCT4:
    case TESS_FFT_DST4: return 2 * n;
    default: return n;
    }
}

bool tess__fft_make_r2r(tess__fft_plan1d *plan, const char *fn)
{
    const int      kind = tess__fft_r2r_of(plan->kind), size = 2 * plan->size;
    const bool     ortho = tess__fft_r2r_ortho(plan->kind);
    const int64_t  n = plan->n, m = complex_size(kind, n);
    tess__fft_r2r *r = &plan->r2r;
    const int      asked = tess__fft_r2r_alone(plan->kind) ? TESS__FFT_ALONE : TESS__FFT_BLOCK;
    if (tess__fft_plan1d_find(&plan->sub[0], fn, asked, m, plan->size) != TESS_OK) return false;
    r->p = tess__fft_table(plan, m, sizeof *r->p), r->q = tess__fft_table(plan, m, sizeof *r->q);
    r->s = tess__fft_table(plan, n, sizeof *r->s);
    r->a = tess__fft_table(plan, m, (size_t)size), r->b = tess__fft_table(plan, m, (size_t)size);
    r->c = tess__fft_table(plan, n, (size_t)size);
    if (!r->p || !r->q || !r->s || !r->a || !r->b || !r->c) return false;
    for (int64_t j = 0; j < m; j++) {
        const term t = input_term(kind, j, n);
        r->p[j] = (int32_t)t.p, r->q[j] = (int32_t)t.q;
        tess__twiddle_put(r->a, j, scaled(t.a, ortho ? before(kind, t.p, n) : 1), plan->size);
        tess__twiddle_put(r->b, j, scaled(t.b, ortho ? before(kind, t.q, n) : 1), plan->size);
    }
    for (int64_t k = 0; k < n; k++) {
        tess__twiddle c;
        int64_t       s;
        output_term(kind, k, n, &s, &c);
        r->s[k] = (int32_t)s;
        tess__twiddle_put(r->c, k, scaled(c, ortho ? after(kind, k, n) : 1), plan->size);
    }
    r->backward = kind == TESS_FFT_DCT3 || kind == TESS_FFT_DST3;
    plan->workspace = plan->sub[0]->workspace;
    plan->cost = plan->sub[0]->cost;
    return true;
}
