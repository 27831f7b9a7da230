/* DCT and DST by complex FFTs: vectors of real numbers become complex ones, whose spectrum has the result. All kinds
 * are the same work with other tables:
 *
 *     z[j] = a[j] x[p[j]] + b[j] x[q[j]],    y[k] = real part of c[k] Z[s[k]]
 *
 * Types 2 and 3 have real numbers on one side of the complex transform: of even length it is one of half that length,
 * as those of real vectors are.
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

/* The same where pairs of real numbers are complex ones: of types 2 two elements, of types 3 half the spectrum. */
static term half_input_term(int kind, int64_t j, int64_t n)
{
    if (kind == TESS_FFT_DCT3 || kind == TESS_FFT_DST3) return input_term(kind, j, n);
    const term even = input_term(kind, 2 * j, n), odd = input_term(kind, 2 * j + 1, n);
    return (term){ even.p, odd.p, even.a, { 0, odd.a.re } };
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

/* The same: of types 2 from half the spectrum, of types 3 a real or an imaginary part. */
static void half_output_term(int kind, int64_t k, int64_t n, int64_t *s, tess__twiddle *c)
{
    output_term(kind, k, n, s, c);
    if (kind == TESS_FFT_DCT3 || kind == TESS_FFT_DST3) {
        if (*s % 2) *c = (tess__twiddle){ 0, -c->re };
        *s /= 2;
    } else if (*s > n / 2) {
        *s = n - *s;
        *c = conjugate(*c);
    }
}

static bool has_halves(int kind, int64_t n, bool alone)
{
    const bool type_2 = kind == TESS_FFT_DCT2 || kind == TESS_FFT_DST2;
    const bool type_3 = kind == TESS_FFT_DCT3 || kind == TESS_FFT_DST3;
    return (type_2 || type_3) && n % 2 == 0 && !(alone && tess__fft_single_kind(n / 2) == TESS__FFT_BLOCK);
}

static bool find_complex(tess__fft_plan1d *plan, const char *fn, int64_t m)
{
    const bool alone = tess__fft_r2r_alone(plan->kind);
    int        asked = alone ? TESS__FFT_ALONE : TESS__FFT_BLOCK;
    if (plan->r2r.half) asked = alone ? TESS__FFT_ALONE_REAL : TESS__FFT_REAL;
    return tess__fft_plan1d_find(&plan->sub[0], fn, asked, m, plan->size) == TESS_OK;
}

bool tess__fft_make_r2r(tess__fft_plan1d *plan, const char *fn)
{
    const int      kind = tess__fft_r2r_of(plan->kind), size = 2 * plan->size;
    const bool     ortho = tess__fft_r2r_ortho(plan->kind);
    const int64_t  n = plan->n, m = complex_size(kind, n);
    tess__fft_r2r *r = &plan->r2r;
    r->backward = kind == TESS_FFT_DCT3 || kind == TESS_FFT_DST3;
    r->half = has_halves(kind, n, tess__fft_r2r_alone(plan->kind));
    r->terms = !r->half ? m : r->backward ? n / 2 + 1 : n / 2;
    if (!find_complex(plan, fn, m)) return false;
    r->p = tess__fft_table(plan, r->terms, sizeof *r->p), r->q = tess__fft_table(plan, r->terms, sizeof *r->q);
    r->s = tess__fft_table(plan, n, sizeof *r->s);
    r->a = tess__fft_table(plan, r->terms, (size_t)size), r->b = tess__fft_table(plan, r->terms, (size_t)size);
    r->c = tess__fft_table(plan, n, (size_t)size);
    if (!r->p || !r->q || !r->s || !r->a || !r->b || !r->c) return false;
    for (int64_t j = 0; j < r->terms; j++) {
        const term t = (r->half ? half_input_term : input_term)(kind, j, n);
        r->p[j] = (int32_t)t.p, r->q[j] = (int32_t)t.q;
        tess__twiddle_put(r->a, j, scaled(t.a, ortho ? before(kind, t.p, n) : 1), plan->size);
        tess__twiddle_put(r->b, j, scaled(t.b, ortho ? before(kind, t.q, n) : 1), plan->size);
    }
    for (int64_t k = 0; k < n; k++) {
        tess__twiddle c;
        int64_t       s;
        (r->half ? half_output_term : output_term)(kind, k, n, &s, &c);
        r->s[k] = (int32_t)s;
        tess__twiddle_put(r->c, k, scaled(c, ortho ? after(kind, k, n) : 1), plan->size);
    }
    plan->workspace = plan->sub[0]->workspace;
    plan->cost = plan->sub[0]->cost;
    return true;
}
