/* Bluestein's algorithm for one vector: the transform as a convolution with a chirp, of a length that has fast
 * transforms. */
#include <string.h>

#include "core/device/cancel.h"
#include "core/twiddle.h"
#include "cpu/fft/single.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* ---- Tables ---- */

/* Computed by all threads: there may be millions of numbers. */
typedef struct chirp_tables {
    tess__fft_plan1d *plan;
    double           *x, *y; /* what is convolved with, and its spectrum: m numbers each */
    int64_t           m;
} chirp_tables;

static void put_chirp(const chirp_tables *c, int64_t j, tess__twiddle chirp)
{
    tess__twiddle_put(c->plan->twiddles, j, chirp, c->plan->size);
    const tess__twiddle conjugate = { chirp.re, -chirp.im };
    tess__twiddle_put(c->x, j, conjugate, 8);
    if (j) tess__twiddle_put(c->x, c->m - j, conjugate, 8);
}

static void fill_chirps(void *context, int64_t first, int64_t last)
{
    const chirp_tables *c = context;
    const int64_t       n = c->plan->n;
    int64_t             square = (int64_t)((uint64_t)first * (uint64_t)first % (uint64_t)(2 * n)); /* n is below 2^31 */
    for (int64_t j = first; j < last; j++) {
        const tess__twiddle chirp = tess__twiddle_of(square, 2 * n);
        square += 2 * j + 1;
        while (square >= 2 * n) square -= 2 * n;
        put_chirp(c, j, chirp);
        /* (n-j)(n-j) is j j and n n more */
        if (j) put_chirp(c, n - j, n % 2 ? (tess__twiddle){ -chirp.re, -chirp.im } : chirp);
    }
}

static void fill_spectrum(void *context, int64_t first, int64_t last)
{
    const chirp_tables *c = context;
    const double        over = 1 / (double)c->m;
    for (int64_t i = first; i < last; i++)
        tess__twiddle_put(c->plan->spectrum, i, (tess__twiddle){ c->y[2 * i] * over, c->y[2 * i + 1] * over },
                          c->plan->size);
}

/* The tables, in memory that the first transform reuses as its workspace: the system is slow to map it. */
static bool fill_tables(tess__fft_plan1d *plan, const char *fn)
{
    enum { GRAIN = 1 << 14 };
    const int64_t     n = plan->n, m = plan->sub[0]->n;
    const bool        exact = plan->size == 8 && n <= TESS__FFT_FOUR_STEP; /* of more, errors are larger anyway */
    tess__fft_plan1d *fine;
    if (tess__fft_plan1d_find(&fine, fn, TESS__FFT_ALONE, m, 8) != TESS_OK) return false;
    const size_t part = tess__aligned_size(m, 16);
    char        *workspace = tess__fft_workspace_acquire(2 * part + tess__fft_single_workspace(fine));
    bool         made = workspace != NULL;
    if (made) {
        chirp_tables c = { plan, (double *)workspace, (double *)(workspace + part), m };
        memset(c.x + 2 * n, 0, (size_t)(2 * (m - 2 * n + 1)) * sizeof *c.x);
        tess__parallel(n / 2 + 1, GRAIN, fill_chirps, &c);
        made = exact ? tess__fft_dd_spectrum(c.x, m) : tess__fft_transform_f64(fine, c.x, c.y, workspace + 2 * part);
        if (exact) c.y = c.x;
        if (made) tess__parallel(m, GRAIN, fill_spectrum, &c);
        made = made && !tess__cancelled(); /* plans are kept for later calls */
    }
    tess__fft_workspace_release(workspace);
    tess__fft_plan1d_release(fine);
    return made;
}

bool tess__fft_make_chirp(tess__fft_plan1d *plan, const char *fn)
{
    const int64_t n = plan->n, m = tess__fft_convolution_size(2 * n - 1);
    if (n > INT32_MAX || tess__fft_plan1d_find(&plan->sub[0], fn, TESS__FFT_ALONE, m, plan->size) != TESS_OK)
        return false;
    plan->twiddles = tess__fft_table(plan, n, (size_t)(2 * plan->size));
    plan->spectrum = tess__fft_table(plan, m, (size_t)(2 * plan->size));
    plan->workspace = plan->sub[0]->workspace;
    plan->cost = 4 * plan->sub[0]->cost;
    return plan->twiddles && plan->spectrum && fill_tables(plan, fn);
}

/* ---- One vector ---- */

/* Element-wise products of a long vector, divided among threads. */
typedef struct product {
    const tess__fft_kernel *kernels;
    tess__fft_product       all;
} product;

static void run_product(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    p->kernels->single_multiply(&p->all, first, last);
}

static void multiply(const tess__fft_kernel *k, tess__fft_product all, int64_t n)
{
    product job = { k, all };
    tess__parallel(n, tess__grain(n, 1), run_product, &job);
}

/* A backward transform is the conjugate of the forward one of conjugates. */
void tess__fft_run_chirp(const tess__fft_single *s)
{
    const tess__fft_kernel *k = s->kernels;
    const tess__fft_plan1d *plan = s->plan, *sub = plan->sub[0];
    const int64_t           size = 2 * plan->size, n = plan->n, m = sub->n;
    char            *x = s->workspace, *y = x + tess__aligned_size(m, size), *left = y + tess__aligned_size(m, size);
    const int        in = (s->backward ? TESS__FFT_CONJUGATE_IN : 0) | (s->real ? TESS__FFT_REAL_IN : 0);
    const int        out = s->backward ? TESS__FFT_CONJUGATE_OUT : 0;
    tess__fft_single job = {
        .plan = sub, .kernels = k, .workspaces = s->workspaces, .si = size, .so = size, .workspace = left, .scale = 1
    };
    multiply(k, (tess__fft_product){ x, s->in, plan->twiddles, size, s->si, s->scale, in }, n);
    memset(x + n * size, 0, (size_t)((m - n) * size));
    job.in = x, job.out = y;
    tess__fft_run_single(&job);
    multiply(k, (tess__fft_product){ x, y, plan->spectrum, size, size, 1, 0 }, m);
    job.backward = true;
    tess__fft_run_single(&job);
    multiply(k, (tess__fft_product){ s->out, y, plan->twiddles, s->so, size, 1, out }, n);
}
