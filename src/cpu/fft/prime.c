/* FFT of a prime length that has no kernel of its own, by Rader's or Bluestein's algorithm: tables and execution.
 * Long ones, and those of single vectors, go through chirp.c. */
#include <string.h>

#include "core/device/memory.h"
#include "cpu/fft/plan1d.h"
#include "core/twiddle.h"

/* ---- Tables ---- */

static int64_t power(int64_t x, int64_t e, int64_t r)
{
    int64_t y = 1;
    for (; e > 0; e /= 2, x = x * x % r)
        if (e % 2) y = y * x % r;
    return y;
}

/* The smallest primitive root: its powers are all numbers from 1 to r-1. */
static int64_t primitive_root(int64_t r)
{
    for (int64_t g = 2;; g++) {
        bool    all = true;
        int64_t left = r - 1;
        for (int64_t p = 2; left > 1 && all; p = p * p > left ? left : p + 1) {
            if (left % p) continue;
            all = power(g, (r - 1) / p, r) != 1;
            while (left % p == 0) left /= p;
        }
        if (all) return g;
    }
}

/* The spectrum of a table of n numbers, over n; x, which may be NULL, is freed. */
static bool make_factors(tess__fft_plan1d *plan, tess__fft_prime *p, double *x, int64_t n, const char *fn)
{
    p->factors = tess__fft_table(plan, n, (size_t)(2 * plan->size));
    /* In f64 the errors of a table in f64 would be seen. */
    const bool made =
        p->factors && x && (plan->size == 8 ? tess__fft_dd_spectrum(x, n) : tess__fft_spectrum_of(x, n, fn));
    for (int64_t i = 0; made && i < n; i++)
        tess__twiddle_put(p->factors, i, (tess__twiddle){ x[2 * i] / (double)n, x[2 * i + 1] / (double)n }, plan->size);
    tess__free(x);
    return made;
}

static bool make_direct(tess__fft_plan1d *plan, tess__fft_prime *p)
{
    const int64_t r = p->r;
    p->factors = tess__fft_table(plan, r, (size_t)(2 * plan->size));
    if (!p->factors) return false;
    for (int64_t k = 0; k < r; k++) tess__twiddle_put(p->factors, k, tess__twiddle_of(k, r), plan->size);
    if (plan->workspace < 2 * r) plan->workspace = 2 * r;
    return true;
}

static bool make_rader(tess__fft_plan1d *plan, tess__fft_prime *p, const char *fn)
{
    const int64_t r = p->r, n = r - 1, g = primitive_root(r), back = power(g, r - 2, r);
    p->powers = tess__fft_table(plan, n, sizeof *p->powers);
    p->inverse = tess__fft_table(plan, n, sizeof *p->inverse);
    if (!p->powers || !p->inverse) return false;
    if (tess__fft_plan1d_find(&p->sub, fn, TESS__FFT_BLOCK, n, plan->size) != TESS_OK) return false;
    double *x = tess__alloc((size_t)(2 * n) * sizeof *x);
    for (int64_t i = 0, to = 1, fro = 1; x && i < n; i++, to = to * g % r, fro = fro * back % r) {
        p->powers[i] = (int32_t)to;
        p->inverse[i] = (int32_t)fro;
        const tess__twiddle root = tess__twiddle_of(fro, r);
        x[2 * i] = root.re, x[2 * i + 1] = root.im;
    }
    if (plan->workspace < 2 * n + p->sub->workspace) plan->workspace = 2 * n + p->sub->workspace;
    return make_factors(plan, p, x, n, fn);
}

static bool make_bluestein(tess__fft_plan1d *plan, tess__fft_prime *p, const char *fn)
{
    const int64_t r = p->r, n = tess__fft_convolution_size(2 * r - 1);
    p->chirp = tess__fft_table(plan, r, (size_t)(2 * plan->size));
    if (!p->chirp) return false;
    if (tess__fft_plan1d_find(&p->sub, fn, TESS__FFT_BLOCK, n, plan->size) != TESS_OK) return false;
    double *x = tess__alloc((size_t)(2 * n) * sizeof *x);
    for (int64_t i = 0; x && i < 2 * n; i++) x[i] = 0;
    for (int64_t j = 0; x && j < r; j++) {
        const tess__twiddle chirp = tess__twiddle_of(j * j % (2 * r), 2 * r);
        tess__twiddle_put(p->chirp, j, chirp, plan->size);
        const int64_t mirrored = j ? n - j : 0;
        x[2 * j] = x[2 * mirrored] = chirp.re;
        x[2 * j + 1] = x[2 * mirrored + 1] = -chirp.im;
    }
    if (plan->workspace < 2 * n + p->sub->workspace) plan->workspace = 2 * n + p->sub->workspace;
    return make_factors(plan, p, x, n, fn);
}

/* In the order in which the elements are taken: from 1 on; by Rader, in that of powers; by Bluestein, from 0 on, with
 * the chirp in them. */
static bool make_twiddles(tess__fft_plan1d *plan, tess__fft_stage *stage, int way)
{
    const int64_t r = stage->radix, m = stage->m, first = way == TESS__FFT_BLUESTEIN ? 0 : 1;
    if (m == 1 && way != TESS__FFT_BLUESTEIN) return true;
    stage->twiddles = tess__fft_table(plan, m * (r - first), (size_t)(2 * plan->size));
    if (!stage->twiddles) return false;
    for (int64_t p = 0, i = 0; p < m; p++)
        for (int64_t j = first; j < r; j++, i++) {
            const int64_t q = way == TESS__FFT_RADER ? stage->prime.powers[j - 1] : j;
            const int64_t turns =
                way == TESS__FFT_BLUESTEIN ? (2 * p * j + j * j % (2 * r) * m) % (2 * m * r) : 2 * p * q;
            tess__twiddle_put(stage->twiddles, i, tess__twiddle_of(turns, 2 * m * r), plan->size);
        }
    return true;
}

bool tess__fft_make_prime(tess__fft_plan1d *plan, tess__fft_stage *stage, const char *fn)
{
    const int        way = tess__fft_prime_way(stage->radix, NULL);
    tess__fft_prime *p = &stage->prime;
    p->r = stage->radix;
    const bool made = way == TESS__FFT_DIRECT  ? make_direct(plan, p)
                      : way == TESS__FFT_RADER ? make_rader(plan, p, fn)
                                               : make_bluestein(plan, p, fn);
    return made && make_twiddles(plan, stage, way);
}

/* ---- Stages ---- */

/* Rader's algorithm: the DFT of the r numbers x[0], x[m], … as a convolution of r-1; powers of a primitive root g of r
 * turn products of indices into sums. */
static void rader(const tess__fft_prime *p, const tess__fft_kernel *k, char *x, int64_t m, const void *twiddles,
                  char *workspace, size_t element)
{
    const int64_t n = p->r - 1;
    char         *a = workspace, *c = workspace + (size_t)n * element, *left = c + (size_t)n * element;
    k->multiply(&(tess__fft_elements){ a, p->sub->at[0], 1 }, &(tess__fft_elements){ x, p->powers, m }, twiddles, n);
    tess__fft_run_block(p->sub, k, a, left, 0, p->sub->n_stages);
    k->multiply(&(tess__fft_elements){ c, p->sub->at[1], 1 }, &(tess__fft_elements){ a, NULL, 1 }, p->factors, n);
    k->add(c + (size_t)p->sub->at[1][0] * element, x);
    k->add(x, a);
    tess__fft_run_block(p->sub, k, c, left, 0, p->sub->n_stages);
    k->multiply(&(tess__fft_elements){ x, p->inverse, m }, &(tess__fft_elements){ c, NULL, 1 }, NULL, n);
}

/* Bluestein's algorithm: 2 j k = j j + k k - (j - k)(j - k), a longer convolution. Twiddles hold the first chirp. */
static void bluestein(const tess__fft_prime *p, const tess__fft_kernel *k, char *x, int64_t m, const void *twiddles,
                      char *workspace, size_t element)
{
    const int64_t n = p->sub->n;
    char         *a = workspace, *c = workspace + (size_t)n * element, *left = c + (size_t)n * element;
    memset(a, 0, (size_t)n * element);
    k->multiply(&(tess__fft_elements){ a, p->sub->at[0], 1 }, &(tess__fft_elements){ x, NULL, m }, twiddles, p->r);
    tess__fft_run_block(p->sub, k, a, left, 0, p->sub->n_stages);
    k->multiply(&(tess__fft_elements){ c, p->sub->at[1], 1 }, &(tess__fft_elements){ a, NULL, 1 }, p->factors, n);
    tess__fft_run_block(p->sub, k, c, left, 0, p->sub->n_stages);
    k->multiply(&(tess__fft_elements){ x, NULL, m }, &(tess__fft_elements){ c, NULL, 1 }, p->chirp, p->r);
}

void tess__fft_run_prime(const tess__fft_plan1d *plan, const tess__fft_stage *stage, const tess__fft_kernel *k,
                         char *block, char *workspace)
{
    const tess__fft_prime *p = &stage->prime;
    const int64_t          groups = plan->n / (stage->m * p->r);
    const size_t           element = (size_t)(2 * k->lanes * k->size);
    if (!p->sub) {
        k->odd(block, stage->m, groups, stage->twiddles, p->r, p->factors, workspace);
        return;
    }
    const size_t next = (size_t)(p->chirp ? p->r : p->r - 1) * 2 * (size_t)k->size; /* twiddle factors of a butterfly */
    for (int64_t g = 0; g < groups; g++)
        for (int64_t q = 0; q < stage->m; q++) {
            char       *x = block + (size_t)(g * p->r * stage->m + q) * element;
            const char *twiddles = stage->twiddles ? (const char *)stage->twiddles + (size_t)q * next : NULL;
            (p->chirp ? bluestein : rader)(p, k, x, stage->m, twiddles, workspace, element);
        }
}
