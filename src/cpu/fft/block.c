/* Mixed-radix FFT of a block of interleaved vectors: the tables of its stages, and their execution. */
#include "cpu/fft/plan1d.h"
#include "core/twiddle.h"

/* ---- Tables ---- */

/* Digit reversal: the index in the block of each element, and back. The last stage combines every radix'th element, so
 * the digits of an index in the block, in the radices of the stages, are those of the element reversed. */
static bool make_order(tess__fft_plan1d *plan)
{
    const int64_t n = plan->n;
    for (int i = 0; i < 2; i++) {
        plan->at[i] = tess__fft_table(plan, n, sizeof *plan->at[i]);
        plan->from[i] = tess__fft_table(plan, n, sizeof *plan->from[i]);
        if (!plan->at[i] || !plan->from[i]) return false;
    }
    for (int64_t index = 0; index < n; index++) {
        int64_t element = 0, left = index;
        for (int s = 0; s < plan->n_stages; s++) {
            element = element * plan->stage[s].radix + left % plan->stage[s].radix;
            left /= plan->stage[s].radix;
        }
        const int64_t reversed = element ? n - element : 0;
        plan->from[0][index] = (int32_t)element, plan->at[0][element] = (int32_t)index;
        plan->from[1][index] = (int32_t)reversed, plan->at[1][reversed] = (int32_t)index;
    }
    return true;
}

static bool make_twiddles(tess__fft_plan1d *plan, tess__fft_stage *stage)
{
    const int64_t r = stage->radix, m = stage->m, size = plan->size;
    if (m == 1) return true;
    stage->twiddles = tess__fft_table(plan, m * (r - 1), (size_t)(2 * size));
    if (!stage->twiddles) return false;
    for (int64_t p = 0, i = 0; p < m; p++)
        for (int64_t q = 1; q < r; q++, i++)
            tess__twiddle_put(stage->twiddles, i, tess__twiddle_of(p * q, m * r), plan->size);
    return true;
}

bool tess__fft_make_block(tess__fft_plan1d *plan, const char *fn)
{
    int32_t radices[TESS__FFT_MAX_STAGES];
    int64_t m = 1;
    if (plan->n > INT32_MAX) return false; /* indices are of 32 bits; the block would have 128 GiB */
    plan->n_stages = tess__fft_factors(radices, plan->n);
    plan->cost = tess__fft_cost(plan->n);
    for (int s = 0; s < plan->n_stages; s++) {
        tess__fft_stage *stage = &plan->stage[s];
        stage->radix = radices[s];
        stage->m = m;
        m *= radices[s];
        if (tess__fft_has_kernel(radices[s]) ? !make_twiddles(plan, stage) : !tess__fft_make_prime(plan, stage, fn))
            return false;
    }
    return make_order(plan);
}

bool tess__fft_make_real(tess__fft_plan1d *plan, const char *fn)
{
    const int64_t n = plan->n;
    const bool    alone = plan->kind != TESS__FFT_REAL;
    if (tess__fft_plan1d_find(&plan->sub[0], fn, alone ? TESS__FFT_ALONE : TESS__FFT_BLOCK, n / 2, plan->size) !=
        TESS_OK)
        return false;
    /* A vector alone is taken in SIMD vectors, which may reach over the middle: there the factors are those from the
     * other end, conjugated and negated. Those from n/2 on are read and not used. */
    const int64_t more = alone ? TESS__FFT_MAX_LANES : 0;
    plan->twiddles = tess__fft_table(plan, n / 4 + 1 + more, (size_t)(2 * plan->size));
    if (!plan->twiddles) return false;
    for (int64_t k = 0; k <= n / 4 + more; k++) {
        tess__twiddle w = tess__twiddle_of(k <= n / 4 || k >= n / 2 ? k : n / 2 - k, n);
        if (k > n / 4) w.re = -w.re;
        tess__twiddle_put(plan->twiddles, k, w, plan->size);
    }
    plan->workspace = plan->sub[0]->workspace;
    plan->cost = plan->sub[0]->cost / 2;
    return true;
}

/* ---- Stages ---- */

void tess__fft_run_block(const tess__fft_plan1d *plan, const tess__fft_kernel *kernels, void *block, void *workspace,
                         int first, int end)
{
    for (int s = first; s < end; s++) {
        const tess__fft_stage *stage = &plan->stage[s];
        if (stage->prime.r) tess__fft_run_prime(plan, stage, kernels, block, workspace);
        else kernels->stage[stage->radix](block, stage->m, plan->n / (stage->m * stage->radix), stage->twiddles);
    }
}

int tess__fft_load_columns(const tess__fft_plan1d *plan, const tess__fft_kernel *kernels, void *block, const char *in,
                           int64_t step, bool backward)
{
    if (plan->n_stages < 2 || plan->stage[0].prime.r) {
        kernels->load_neighbours(block, in, step, plan->at[backward], plan->n);
        return 0;
    }
    const int32_t r = plan->stage[0].radix;
    kernels->first[r](block, in, step, plan->from[backward], plan->n / r);
    return 1;
}

int tess__fft_last_stage(const tess__fft_plan1d *plan)
{
    const int n = plan->n_stages;
    return n > 1 && !plan->stage[n - 1].prime.r ? n - 1 : n;
}

void tess__fft_store_columns(const tess__fft_plan1d *plan, const tess__fft_kernel *kernels, char *out, int64_t step,
                             const void *block, const char *next, int64_t next_step)
{
    const tess__fft_stage *stage = &plan->stage[plan->n_stages - 1];
    kernels->last[stage->radix](out, step, block, stage->m, stage->twiddles, next, next_step);
}
