/* Lines of a block: the tables of their stages, and the stages at work. */
#include <string.h>

#include "cpu/fft/plan1d.h"
#include "core/twiddle.h"

/* ---- Tables ---- */

/* The place in the block of each element, and back. The last stage combines blocks of every radix'th element, so the
 * digits of a place, in the radices of the stages, are those of the element in reverse. */
static bool make_order(tess__fft_plan1d *line)
{
    const int64_t n = line->n;
    for (int i = 0; i < 2; i++) {
        line->at[i] = tess__fft_table(line, n, sizeof *line->at[i]);
        line->from[i] = tess__fft_table(line, n, sizeof *line->from[i]);
        if (!line->at[i] || !line->from[i]) return false;
    }
    for (int64_t place = 0; place < n; place++) {
        int64_t element = 0, rest = place;
        for (int s = 0; s < line->n_stages; s++) {
            element = element * line->stage[s].radix + rest % line->stage[s].radix;
            rest /= line->stage[s].radix;
        }
        const int64_t reversed = element ? n - element : 0;
        line->from[0][place] = (int32_t)element, line->at[0][element] = (int32_t)place;
        line->from[1][place] = (int32_t)reversed, line->at[1][reversed] = (int32_t)place;
    }
    return true;
}

static bool make_twiddles(tess__fft_plan1d *line, tess__fft_stage *stage)
{
    const int64_t r = stage->radix, m = stage->m, size = line->size;
    if (m == 1) return true;
    stage->twiddles = tess__fft_table(line, m * (r - 1), (size_t)(2 * size));
    if (!stage->twiddles) return false;
    for (int64_t p = 0, i = 0; p < m; p++)
        for (int64_t q = 1; q < r; q++, i++)
            tess__twiddle_put(stage->twiddles, i, tess__twiddle_of(p * q, m * r), line->size);
    return true;
}

bool tess__fft_make_block(tess__fft_plan1d *line, const char *fn)
{
    int32_t radices[TESS__FFT_MAX_STAGES];
    int64_t m = 1;
    if (line->n > INT32_MAX) return false; /* places are of 32 bits; the block would have 128 GiB */
    line->n_stages = tess__fft_factors(radices, line->n);
    line->cost = tess__fft_cost(line->n);
    for (int s = 0; s < line->n_stages; s++) {
        tess__fft_stage *stage = &line->stage[s];
        stage->radix = radices[s];
        stage->m = m;
        m *= radices[s];
        if (tess__fft_has_kernel(radices[s]) ? !make_twiddles(line, stage) : !tess__fft_make_prime(line, stage, fn))
            return false;
    }
    return make_order(line);
}

bool tess__fft_make_real(tess__fft_plan1d *line, const char *fn)
{
    const int64_t n = line->n;
    const int     kind = line->kind == TESS__FFT_REAL ? TESS__FFT_BLOCK : tess__fft_single_kind(n / 2);
    if (tess__fft_plan1d_find(&line->sub[0], fn, kind, n / 2, line->size) != TESS_OK) return false;
    line->roots = tess__fft_table(line, n / 4 + 1, (size_t)(2 * line->size));
    if (!line->roots) return false;
    for (int64_t k = 0; k <= n / 4; k++) tess__twiddle_put(line->roots, k, tess__twiddle_of(k, n), line->size);
    line->workspace = line->sub[0]->workspace;
    line->cost = line->sub[0]->cost / 2;
    return true;
}

/* ---- At work ---- */

/* The r numbers x[0], x[m], … become their spectrum, by way of a convolution of r-1 numbers: powers of a root g of r
 * turn products of indices into sums. */
static void rader(const tess__fft_prime *p, const tess__fft_kernel *k, char *x, int64_t m, const void *twiddles,
                  char *workspace, size_t element)
{
    const int64_t n = p->r - 1;
    char         *a = workspace, *c = workspace + (size_t)n * element, *rest = c + (size_t)n * element;
    k->multiply(a, p->sub->at[0], 1, x, p->powers, m, twiddles, n);
    tess__fft_run_block(p->sub, k, a, rest, 0, p->sub->n_stages);
    k->multiply(c, p->sub->at[1], 1, a, NULL, 1, p->roots, n);
    k->add(c + (size_t)p->sub->at[1][0] * element, x);
    k->add(x, a);
    tess__fft_run_block(p->sub, k, c, rest, 0, p->sub->n_stages);
    k->multiply(x, p->inverse, m, c, NULL, 1, NULL, n);
}

/* The same by way of a longer convolution: 2 j k = j j + k k - (j - k)(j - k). The twiddles hold the first chirp. */
static void bluestein(const tess__fft_prime *p, const tess__fft_kernel *k, char *x, int64_t m, const void *twiddles,
                      char *workspace, size_t element)
{
    const int64_t n = p->sub->n;
    char         *a = workspace, *c = workspace + (size_t)n * element, *rest = c + (size_t)n * element;
    memset(a, 0, (size_t)n * element);
    k->multiply(a, p->sub->at[0], 1, x, NULL, m, twiddles, p->r);
    tess__fft_run_block(p->sub, k, a, rest, 0, p->sub->n_stages);
    k->multiply(c, p->sub->at[1], 1, a, NULL, 1, p->roots, n);
    tess__fft_run_block(p->sub, k, c, rest, 0, p->sub->n_stages);
    k->multiply(x, NULL, m, c, NULL, 1, p->chirp, p->r);
}

static void prime_stage(const tess__fft_plan1d *line, const tess__fft_stage *stage, const tess__fft_kernel *k,
                        char *block, char *workspace)
{
    const tess__fft_prime *p = &stage->prime;
    const int64_t          groups = line->n / (stage->m * p->r);
    const size_t           element = (size_t)(2 * k->lanes * k->size);
    if (!p->sub) {
        k->odd(block, stage->m, groups, stage->twiddles, p->r, p->roots, workspace);
        return;
    }
    const size_t next = (size_t)(p->chirp ? p->r : p->r - 1) * 2 * (size_t)k->size; /* twiddles of a butterfly */
    for (int64_t g = 0; g < groups; g++)
        for (int64_t q = 0; q < stage->m; q++) {
            char       *x = block + (size_t)(g * p->r * stage->m + q) * element;
            const char *twiddles = stage->twiddles ? (const char *)stage->twiddles + (size_t)q * next : NULL;
            (p->chirp ? bluestein : rader)(p, k, x, stage->m, twiddles, workspace, element);
        }
}

void tess__fft_run_block(const tess__fft_plan1d *line, const tess__fft_kernel *kernels, void *block, void *workspace,
                         int first, int end)
{
    for (int s = first; s < end; s++) {
        const tess__fft_stage *stage = &line->stage[s];
        if (stage->prime.r) prime_stage(line, stage, kernels, block, workspace);
        else kernels->stage[stage->radix](block, stage->m, line->n / (stage->m * stage->radix), stage->twiddles);
    }
}

int tess__fft_load_columns(const tess__fft_plan1d *line, const tess__fft_kernel *kernels, void *block, const char *in,
                           int64_t step, bool backward)
{
    if (line->n_stages < 2 || line->stage[0].prime.r) {
        kernels->load_neighbours(block, in, step, line->at[backward], line->n);
        return 0;
    }
    const int32_t r = line->stage[0].radix;
    kernels->first[r](block, in, step, line->from[backward], line->n / r);
    return 1;
}

int tess__fft_last_stage(const tess__fft_plan1d *line)
{
    const int n = line->n_stages;
    return n > 1 && !line->stage[n - 1].prime.r ? n - 1 : n;
}

void tess__fft_store_columns(const tess__fft_plan1d *line, const tess__fft_kernel *kernels, char *out, int64_t step,
                             const void *block, const char *next, int64_t next_step)
{
    const tess__fft_stage *stage = &line->stage[line->n_stages - 1];
    kernels->last[stage->radix](out, step, block, stage->m, stage->twiddles, next, next_step);
}
