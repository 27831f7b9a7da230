/* Four-step FFT (Bailey) of a long vector. The vector is a matrix, row by row: its columns are transformed, each
 * element is multiplied by a twiddle factor, then the rows are transformed, into columns of the result. */
#include "core/minmax.h"
#include "core/twiddle.h"
#include "cpu/fft/single.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* ---- Tables ---- */

int64_t tess__fft_columns_of(int64_t n)
{
    int64_t best = 1;
    for (int64_t r = 2; r * r <= n && r <= TESS__FFT_FOUR_STEP; r++)
        if (n % r == 0) best = r;
    return best;
}

bool tess__fft_make_split(tess__fft_plan1d *plan, const char *fn)
{
    const int64_t n = plan->n, rows = tess__fft_columns_of(n), columns = n / rows;
    const int     kind = columns <= TESS__FFT_FOUR_STEP ? TESS__FFT_BLOCK : TESS__FFT_ALONE;
    if (tess__fft_plan1d_find(&plan->sub[0], fn, TESS__FFT_BLOCK, rows, plan->size) != TESS_OK) return false;
    if (tess__fft_plan1d_find(&plan->sub[1], fn, kind, columns, plan->size) != TESS_OK) return false;
    for (plan->coarse = 1; plan->coarse * plan->coarse < n;) plan->coarse *= 2;
    const int64_t coarse = plan->coarse;
    plan->fine_twiddles = tess__fft_table(plan, coarse, 2 * sizeof(double));
    plan->coarse_twiddles = tess__fft_table(plan, n / coarse + 1, 2 * sizeof(double));
    plan->lane_twiddles = tess__fft_table(plan, rows * TESS__FFT_MAX_LANES, (size_t)(2 * plan->size));
    if (!plan->fine_twiddles || !plan->coarse_twiddles || !plan->lane_twiddles) return false;
    for (int64_t j = 0; j < coarse; j++) tess__twiddle_put(plan->fine_twiddles, j, tess__twiddle_of(j % n, n), 8);
    for (int64_t j = 0; j * coarse < n; j++)
        tess__twiddle_put(plan->coarse_twiddles, j, tess__twiddle_of(j * coarse, n), 8);
    for (int64_t k = 0; k < rows; k++)
        for (int64_t l = 0; l < TESS__FFT_MAX_LANES; l++)
            tess__twiddle_put(plan->lane_twiddles, k * TESS__FFT_MAX_LANES + l, tess__twiddle_of(l * k % n, n),
                              plan->size);
    plan->workspace = tess__max(2 * rows + plan->sub[0]->workspace,
                                kind == TESS__FFT_BLOCK ? columns + plan->sub[1]->workspace : plan->sub[1]->workspace);
    plan->cost = plan->sub[0]->cost + plan->sub[1]->cost + 1;
    return true;
}

/* Bytes of the matrix of a four-step plan, and from row to row: rows are padded, so that the elements of a column do
 * not compete for the same sets of the cache. */
static int64_t row_bytes(const tess__fft_plan1d *plan) { return (plan->sub[1]->n * 2 * plan->size + 127) / 64 * 64; }
size_t         tess__fft_matrix_bytes(const tess__fft_plan1d *plan)
{
    return tess__aligned_size(plan->sub[0]->n, row_bytes(plan));
}

/* ---- One vector ---- */

/* exp(-2 pi i first k / n) for each k of a column. */
static void column_twiddles(const tess__fft_plan1d *plan, int64_t first, int64_t rows, void *twiddles)
{
    const double *fine = plan->fine_twiddles, *coarse = plan->coarse_twiddles;
    int64_t       power = 0;
    for (int64_t k = 0; k < rows; k++) {
        const double       *a = fine + power % plan->coarse * 2, *b = coarse + power / plan->coarse * 2;
        const tess__twiddle factor = { a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0] };
        tess__twiddle_put(twiddles, k, factor, plan->size);
        power += first;
        if (power >= plan->n) power -= plan->n;
    }
}

static void run_columns(void *context, int64_t first, int64_t last)
{
    const tess__fft_single *s = context;
    const tess__fft_kernel *k = s->kernels;
    const tess__fft_plan1d *sub = s->plan->sub[0];
    const int64_t           rows = sub->n, columns = s->plan->n / rows, size = 2 * k->size;
    const size_t            element = (size_t)(k->lanes * size);
    char                   *block = tess__workspace_acquire(s->workspaces), *workspace = block + (size_t)rows * element;
    char                   *twiddles = workspace + (size_t)sub->workspace * element;
    for (int64_t i = first; i < last; i++) {
        const int64_t c = i * k->lanes;
        const bool    whole = c + k->lanes <= columns;
        const char   *in[TESS__FFT_MAX_LANES];
        char         *out[TESS__FFT_MAX_LANES];
        for (int l = 0; l < k->lanes; l++) {
            const int64_t at = c + k->order[l];
            in[l] = s->in + (at < columns ? at : c) * s->si;
            out[l] = at < columns ? s->workspace + at * size : NULL;
        }
        int            done = 0;
        const int32_t *at = sub->at[s->backward];
        if (s->real) k->load_reals(block, in, columns * s->si, at, rows);
        else if (whole && s->si == size)
            done = tess__fft_load_columns(sub, k, block, in[0], columns * size, s->backward);
        else k->load_any(block, in, columns * s->si, at, rows);
        tess__fft_run_block(sub, k, block, workspace, done, sub->n_stages);
        /* The same products for any number of lanes: groups of TESS__FFT_MAX_LANES share one twiddle factor. */
        const int64_t group = c % TESS__FFT_MAX_LANES;
        const char   *lane_twiddles = (const char *)s->plan->lane_twiddles + group * size;
        column_twiddles(s->plan, c - group, rows, twiddles);
        if (whole) {
            k->store_multiplied(out[0], row_bytes(s->plan), block, twiddles, lane_twiddles, rows, s->backward);
        } else {
            k->multiply_lanes(block, twiddles, lane_twiddles, rows, s->backward);
            k->store_any(out, row_bytes(s->plan), block, rows, 1);
        }
    }
    tess__workspace_release(s->workspaces, block);
}

static void run_rows(void *context, int64_t first, int64_t last)
{
    const tess__fft_single *s = context;
    const tess__fft_kernel *k = s->kernels;
    const tess__fft_plan1d *sub = s->plan->sub[1];
    const int64_t           columns = sub->n, rows = s->plan->n / columns, size = 2 * k->size;
    char                   *block = tess__workspace_acquire(s->workspaces);
    for (int64_t i = first; i < last; i++) {
        const int64_t r = i * k->lanes;
        const bool    whole = r + k->lanes <= rows;
        const char   *in[TESS__FFT_MAX_LANES];
        char         *out[TESS__FFT_MAX_LANES];
        for (int l = 0; l < k->lanes; l++) {
            const int64_t at = r + k->order[l];
            in[l] = s->workspace + (at < rows ? at : r) * row_bytes(s->plan);
            out[l] = at < rows ? s->out + at * s->so : NULL;
        }
        k->load_rows(block, in, sub->at[s->backward], columns);
        const bool neighbours = whole && s->so == size;
        const int  end = neighbours && s->scale == 1 ? tess__fft_last_stage(sub) : sub->n_stages;
        tess__fft_run_block(sub, k, block, block + columns * k->lanes * size, 0, end);
        if (end < sub->n_stages) tess__fft_store_columns(sub, k, out[0], rows * size, block, NULL, 0);
        else if (neighbours) k->store_neighbours(out[0], rows * size, block, columns, s->scale);
        else k->store_any(out, rows * s->so, block, columns, s->scale);
    }
    tess__workspace_release(s->workspaces, block);
}

void tess__fft_run_split(const tess__fft_single *s)
{
    const int64_t    lanes = s->kernels->lanes, rows = s->plan->sub[0]->n, columns = s->plan->sub[1]->n;
    const int64_t    blocks = (columns + lanes - 1) / lanes, row_blocks = (rows + lanes - 1) / lanes;
    const double     cost = (s->plan->cost / 2 + 1) * (double)lanes;
    tess__fft_single job = *s;
    tess__parallel(blocks, tess__grain(blocks, cost * (double)rows), run_columns, &job);
    if (s->plan->sub[1]->kind == TESS__FFT_BLOCK) {
        tess__parallel(row_blocks, tess__grain(row_blocks, cost * (double)columns), run_rows, &job);
        return;
    }
    const int64_t size = 2 * s->plan->size;
    for (int64_t r = 0; r < rows; r++) {
        const tess__fft_single row = { .plan = s->plan->sub[1],
                                       .kernels = s->kernels,
                                       .workspaces = s->workspaces,
                                       .in = s->workspace + r * row_bytes(s->plan),
                                       .si = size,
                                       .out = s->out + r * s->so,
                                       .so = rows * s->so,
                                       .workspace = s->workspace + tess__fft_matrix_bytes(s->plan),
                                       .backward = s->backward,
                                       .scale = s->scale };
        tess__fft_run_single(&row);
    }
}
