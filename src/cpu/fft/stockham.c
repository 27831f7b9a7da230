/* Stockham autosort FFT of one vector: the tables of its stages, and their execution. */
#include "core/twiddle.h"
#include "cpu/fft/plan1d.h"
#include "cpu/runtime/workspace.h"

/* Vectors are loaded up to TESS__FFT_MAX_LANES - 1 numbers behind a plane, and stored there. */
static int64_t plane_of(int64_t n) { return n + TESS__FFT_MAX_LANES; }

/* Of the l numbers of a transform and each of r-1 factors: groups of TESS__FFT_MAX_LANES, real parts first. */
static bool make_twiddles(tess__fft_plan1d *plan, tess__fft_stage *stage)
{
    enum { LANES = TESS__FFT_MAX_LANES };
    const int64_t r = stage->radix, l = stage->m, groups = (l + LANES - 1) / LANES;
    if (l == 1) return true;
    stage->twiddles = tess__fft_table(plan, groups * (r - 1) * LANES, (size_t)(2 * plan->size));
    if (!stage->twiddles) return false;
    for (int64_t q = 0; q < groups * LANES; q++)
        for (int64_t k = 1; k < r; k++) {
            const tess__twiddle w = tess__twiddle_of(q * k % (l * r), l * r);
            const int64_t       at = ((q / LANES * (r - 1) + k - 1) * 2) * LANES + q % LANES;
            if (plan->size == 4) {
                ((float *)stage->twiddles)[at] = (float)w.re, ((float *)stage->twiddles)[at + LANES] = (float)w.im;
            } else {
                ((double *)stage->twiddles)[at] = w.re, ((double *)stage->twiddles)[at + LANES] = w.im;
            }
        }
    return true;
}

bool tess__fft_make_stockham(tess__fft_plan1d *plan)
{
    int32_t radices[TESS__FFT_MAX_STAGES];
    int64_t l = 1;
    plan->n_stages = tess__fft_stockham_factors(radices, plan->n);
    plan->cost = tess__fft_cost(plan->n);
    for (int s = 0; s < plan->n_stages; s++) {
        plan->stage[s].radix = radices[s];
        plan->stage[s].m = l;
        l *= radices[s];
        if (!make_twiddles(plan, &plan->stage[s])) return false;
    }
    return true;
}

size_t tess__fft_stockham_workspace(const tess__fft_plan1d *plan)
{
    return (plan->n_stages > 2 ? 2 : 1) * tess__aligned_size(plane_of(plan->n), 2 * plan->size);
}

void tess__fft_run_stockham(const tess__fft_plan1d *plan, const tess__fft_kernel *k, void *out, const void *in,
                            void *workspace, bool backward, double scale)
{
    const tess__fft_stage *stage = plan->stage, *last = stage + plan->n_stages - 1;
    tess__fft_stockham     s = { .plane = plane_of(plan->n), .sign = backward ? -1 : 1, .scale = scale };
    char                  *x = workspace, *y = x + tess__aligned_size(s.plane, 2 * plan->size);
    s.m = plan->n / stage->radix;
    k->stockham_first[stage->radix](x, in, &s);
    for (stage++; stage <= last; stage++) {
        s.l = stage->m, s.m /= stage->radix, s.twiddles = stage->twiddles;
        if (stage == last) break;
        k->stockham_stage[stage->radix](y, x, &s);
        char *const done = y;
        y = x, x = done;
    }
    k->stockham_last[last->radix](out, x, &s);
}
