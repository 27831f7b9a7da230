/* Long or lonely lines, one after the other. Such a line is a matrix, row by row: its columns are transformed, turned
 * by a root of unity for each element, and then its rows, into columns of the result. Lines of a prime number of
 * elements become convolutions. */
#include <string.h>

#include "core/memory.h"
#include "core/minmax.h"
#include "core/twiddle.h"
#include "cpu/fft/transform.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* ---- Tables ---- */

/* The largest divisor of n up to its root that a column may have. */
static int64_t columns_of(int64_t n)
{
    int64_t best = 1;
    for (int64_t r = 2; r * r <= n && r <= TESS__FFT_FOUR_STEP; r++)
        if (n % r == 0) best = r;
    return best;
}

bool tess__fft_splits(int64_t n)
{
    if (n < 64) return false;
    const int64_t r = columns_of(n);
    return n > TESS__FFT_FOUR_STEP ? r > 1 : r >= 4;
}

int tess__fft_single_kind(int64_t n)
{
    if (tess__fft_splits(n)) return TESS__FFT_SPLIT;
    return n > TESS__FFT_FOUR_STEP ? TESS__FFT_CHIRP : TESS__FFT_BLOCK;
}

bool tess__fft_make_split(tess__fft_plan1d *line, const char *fn)
{
    const int64_t n = line->n, rows = columns_of(n), columns = n / rows;
    const int     kind = columns <= TESS__FFT_FOUR_STEP ? TESS__FFT_BLOCK : tess__fft_single_kind(columns);
    if (tess__fft_plan1d_find(&line->sub[0], fn, TESS__FFT_BLOCK, rows, line->size) != TESS_OK) return false;
    if (tess__fft_plan1d_find(&line->sub[1], fn, kind, columns, line->size) != TESS_OK) return false;
    for (line->coarse = 1; line->coarse * line->coarse < n;) line->coarse *= 2;
    const int64_t coarse = line->coarse;
    line->fine_roots = tess__fft_table(line, coarse, 2 * sizeof(double));
    line->coarse_roots = tess__fft_table(line, n / coarse + 1, 2 * sizeof(double));
    line->lane_roots = tess__fft_table(line, rows * TESS__FFT_MAX_LANES, (size_t)(2 * line->size));
    if (!line->fine_roots || !line->coarse_roots || !line->lane_roots) return false;
    for (int64_t j = 0; j < coarse; j++) tess__twiddle_put(line->fine_roots, j, tess__twiddle_of(j % n, n), 8);
    for (int64_t j = 0; j * coarse < n; j++)
        tess__twiddle_put(line->coarse_roots, j, tess__twiddle_of(j * coarse, n), 8);
    for (int64_t k = 0; k < rows; k++)
        for (int64_t l = 0; l < TESS__FFT_MAX_LANES; l++)
            tess__twiddle_put(line->lane_roots, k * TESS__FFT_MAX_LANES + l, tess__twiddle_of(l * k % n, n),
                              line->size);
    line->workspace = tess__max(2 * rows + line->sub[0]->workspace,
                                kind == TESS__FFT_BLOCK ? columns + line->sub[1]->workspace : line->sub[1]->workspace);
    line->cost = line->sub[0]->cost + line->sub[1]->cost + 1;
    return true;
}

/* Bytes of the matrix of a SPLIT line, and from row to row: rows are apart, so that the elements of a column do not
 * compete for the same places in the cache. */
static int64_t row_bytes(const tess__fft_plan1d *line) { return (line->sub[1]->n * 2 * line->size + 127) / 64 * 64; }
static size_t  matrix_bytes(const tess__fft_plan1d *line)
{
    return tess__aligned_size(line->sub[0]->n, row_bytes(line));
}

size_t tess__fft_four_step_workspace(const tess__fft_plan1d *line)
{
    const int64_t element = 2 * line->size;
    const size_t  below = line->sub[0] ? tess__fft_four_step_workspace(line->sub[0]) : 0;
    switch (line->kind) {
    case TESS__FFT_SPLIT: return matrix_bytes(line) + tess__fft_four_step_workspace(line->sub[1]);
    case TESS__FFT_CHIRP: return 2 * tess__aligned_size(line->sub[0]->n, element) + below;
    case TESS__FFT_FOUR_STEP_REAL: return 2 * tess__aligned_size(line->n / 2 + 1, element) + below;
    default: return 0;
    }
}

/* ---- One line ---- */

/* A line of complex numbers, or of reals, on its way into another. */
typedef struct single {
    const tess__fft_plan1d *line;
    const tess__fft_kernel *kernels;
    tess__workspaces       *workspaces;
    const char             *in;
    char                   *out, *workspace;
    int64_t                 si, so;
    bool                    real; /* the input is */
    bool                    backward;
    double                  scale;
} single;

static void run_single(const single *s);

/* exp(-2 pi i first k / n) for each k of a column. */
static void column_roots(const tess__fft_plan1d *line, int64_t first, int64_t rows, void *roots)
{
    const double *fine = line->fine_roots, *coarse = line->coarse_roots;
    int64_t       power = 0;
    for (int64_t k = 0; k < rows; k++) {
        const double       *a = fine + power % line->coarse * 2, *b = coarse + power / line->coarse * 2;
        const tess__twiddle root = { a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0] };
        tess__twiddle_put(roots, k, root, line->size);
        power += first;
        if (power >= line->n) power -= line->n;
    }
}

static void run_columns(void *context, int64_t first, int64_t last)
{
    const single           *s = context;
    const tess__fft_kernel *k = s->kernels;
    const tess__fft_plan1d *sub = s->line->sub[0];
    const int64_t           rows = sub->n, columns = s->line->n / rows, size = 2 * k->size;
    const size_t            element = (size_t)(k->lanes * size);
    char                   *block = tess__workspace_acquire(s->workspaces), *workspace = block + (size_t)rows * element;
    char                   *roots = workspace + (size_t)sub->workspace * element;
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
        /* The same products for any number of lanes: groups of the most there can be have one root in common. */
        const int64_t group = c % TESS__FFT_MAX_LANES;
        const char   *lane_roots = (const char *)s->line->lane_roots + group * size;
        column_roots(s->line, c - group, rows, roots);
        if (whole) {
            k->store_multiplied(out[0], row_bytes(s->line), block, roots, lane_roots, rows, s->backward);
        } else {
            k->multiply_lanes(block, roots, lane_roots, rows, s->backward);
            k->store_any(out, row_bytes(s->line), block, rows, 1);
        }
    }
    tess__workspace_release(s->workspaces, block);
}

static void run_rows(void *context, int64_t first, int64_t last)
{
    const single           *s = context;
    const tess__fft_kernel *k = s->kernels;
    const tess__fft_plan1d *sub = s->line->sub[1];
    const int64_t           columns = sub->n, rows = s->line->n / columns, size = 2 * k->size;
    char                   *block = tess__workspace_acquire(s->workspaces);
    for (int64_t i = first; i < last; i++) {
        const int64_t r = i * k->lanes;
        const bool    whole = r + k->lanes <= rows;
        const char   *in[TESS__FFT_MAX_LANES];
        char         *out[TESS__FFT_MAX_LANES];
        for (int l = 0; l < k->lanes; l++) {
            const int64_t at = r + k->order[l];
            in[l] = s->workspace + (at < rows ? at : r) * row_bytes(s->line);
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

static void run_split(const single *s)
{
    const int64_t lanes = s->kernels->lanes, rows = s->line->sub[0]->n, columns = s->line->sub[1]->n;
    const int64_t blocks = (columns + lanes - 1) / lanes, row_blocks = (rows + lanes - 1) / lanes;
    const double  cost = (s->line->cost / 2 + 1) * (double)lanes;
    single        job = *s;
    tess__parallel(blocks, tess__grain(blocks, cost * (double)rows), run_columns, &job);
    if (s->line->sub[1]->kind == TESS__FFT_BLOCK) {
        tess__parallel(row_blocks, tess__grain(row_blocks, cost * (double)columns), run_rows, &job);
        return;
    }
    const int64_t size = 2 * s->line->size;
    for (int64_t r = 0; r < rows; r++) {
        const single row = { .line = s->line->sub[1],
                             .kernels = s->kernels,
                             .workspaces = s->workspaces,
                             .in = s->workspace + r * row_bytes(s->line),
                             .si = size,
                             .out = s->out + r * s->so,
                             .so = rows * s->so,
                             .workspace = s->workspace + matrix_bytes(s->line),
                             .backward = s->backward,
                             .scale = s->scale };
        run_single(&row);
    }
}

/* Products of a long line, shared among threads. */
typedef struct product {
    const tess__fft_kernel *kernels;
    char                   *out;
    const char             *in, *factors;
    int64_t                 so, si;
    double                  scale;
    int                     flags;
} product;

static void run_product(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    p->kernels->line_multiply(p->out + first * p->so, p->so, p->in + first * p->si, p->si,
                              p->factors + first * 2 * p->kernels->size, last - first, p->scale, p->flags);
}

static void multiply(const product *p, int64_t n)
{
    product job = *p;
    tess__parallel(n, tess__grain(n, 1), run_product, &job);
}

/* A backward transform is the conjugate of the forward one of conjugates. */
static void run_chirp(const single *s)
{
    const tess__fft_kernel *k = s->kernels;
    const tess__fft_plan1d *line = s->line, *sub = line->sub[0];
    const int64_t           size = 2 * line->size, n = line->n, m = sub->n;
    char     *x = s->workspace, *y = x + tess__aligned_size(m, size), *rest = y + tess__aligned_size(m, size);
    const int in = (s->backward ? TESS__FFT_CONJUGATE_IN : 0) | (s->real ? TESS__FFT_REAL_IN : 0);
    single    job = {
           .line = sub, .kernels = k, .workspaces = s->workspaces, .si = size, .so = size, .workspace = rest, .scale = 1
    };
    multiply(&(product){ k, x, s->in, line->roots, size, s->si, s->scale, in }, n);
    memset(x + n * size, 0, (size_t)((m - n) * size));
    job.in = x, job.out = y;
    run_single(&job);
    multiply(&(product){ k, x, y, line->spectrum, size, size, 1, 0 }, m);
    job.backward = true;
    run_single(&job);
    multiply(&(product){ k, s->out, y, line->roots, s->so, size, 1, s->backward ? TESS__FFT_CONJUGATE_OUT : 0 }, n);
}

/* A line that fits in a block, alone in it. */
static void run_alone(const single *s)
{
    const tess__fft_kernel *k = s->kernels;
    char                   *block = tess__workspace_acquire(s->workspaces);
    const char             *in[TESS__FFT_MAX_LANES];
    char                   *out[TESS__FFT_MAX_LANES] = { s->out };
    for (int l = 0; l < k->lanes; l++) in[l] = s->in;
    (s->real ? k->load_reals : k->load_any)(block, in, s->si, s->line->at[s->backward], s->line->n);
    tess__fft_run_block(s->line, k, block, block + s->line->n * k->lanes * 2 * k->size, 0, s->line->n_stages);
    k->store_any(out, s->so, block, s->line->n, s->scale);
    tess__workspace_release(s->workspaces, block);
}

static void run_single(const single *s)
{
    if (s->line->kind == TESS__FFT_SPLIT) run_split(s);
    else if (s->line->kind == TESS__FFT_CHIRP) run_chirp(s);
    else run_alone(s);
}

/* ---- Transforms for tables ---- */

/* Of the f64 line's numbers from x to y, forward. */
static bool transform_fine(const tess__fft_plan1d *line, const double *x, double *y, char *workspace)
{
    const tess__fft_kernel *kernels = tess__cpu_kernels()->fft.precision[1];
    tess__workspaces        workspaces;
    if (!tess__workspaces_make(&workspaces, tess__fft_pass_workspace(line, kernels), INT32_MAX)) return false;
    const single s = { .line = line,
                       .kernels = kernels,
                       .workspaces = &workspaces,
                       .in = (const char *)x,
                       .out = (char *)y,
                       .workspace = workspace,
                       .si = 16,
                       .so = 16,
                       .scale = 1 };
    run_single(&s);
    tess__workspaces_free(&workspaces);
    return true;
}

bool tess__fft_spectrum_of(double *x, int64_t n, const char *fn)
{
    tess__fft_plan1d *line;
    if (tess__fft_plan1d_find(&line, fn, tess__fft_single_kind(n), n, 8) != TESS_OK) return false;
    const size_t part = tess__aligned_size(n, 16);
    char        *workspace = tess__fft_workspace_acquire(part + tess__fft_four_step_workspace(line));
    const bool   made = workspace && transform_fine(line, x, (double *)workspace, workspace + part);
    if (made) memcpy(x, workspace, (size_t)n * 16);
    tess__fft_workspace_release(workspace);
    tess__fft_plan1d_release(line);
    return made;
}

/* ---- Tables of a convolution ---- */

/* Made by all threads: there may be millions of numbers. */
typedef struct chirp_tables {
    tess__fft_plan1d *line;
    double           *x, *y; /* what is convolved with, and its spectrum: m numbers each */
    int64_t           m;
} chirp_tables;

/* Of j, and of n - j: that is minus the same, since n is odd. */
static void put_chirp(const chirp_tables *c, int64_t j, tess__twiddle chirp)
{
    tess__twiddle_put(c->line->roots, j, chirp, c->line->size);
    const tess__twiddle conjugate = { chirp.re, -chirp.im };
    tess__twiddle_put(c->x, j, conjugate, 8);
    if (j) tess__twiddle_put(c->x, c->m - j, conjugate, 8);
}

static void fill_chirps(void *context, int64_t first, int64_t last)
{
    const chirp_tables *c = context;
    const int64_t       n = c->line->n;
    int64_t             square = (int64_t)((uint64_t)first * (uint64_t)first % (uint64_t)(2 * n)); /* n is below 2^31 */
    for (int64_t j = first; j < last; j++) {
        const tess__twiddle chirp = tess__twiddle_of(square, 2 * n);
        square += 2 * j + 1;
        while (square >= 2 * n) square -= 2 * n;
        put_chirp(c, j, chirp);
        if (j) put_chirp(c, n - j, (tess__twiddle){ -chirp.re, -chirp.im });
    }
}

static void fill_spectrum(void *context, int64_t first, int64_t last)
{
    const chirp_tables *c = context;
    const double        over = 1 / (double)c->m;
    for (int64_t i = first; i < last; i++)
        tess__twiddle_put(c->line->spectrum, i, (tess__twiddle){ c->y[2 * i] * over, c->y[2 * i + 1] * over },
                          c->line->size);
}

/* The tables, in memory that the first transform will find again: the system takes long to give it. */
static bool fill_tables(tess__fft_plan1d *line, const char *fn)
{
    enum { GRAIN = 1 << 14 };
    const int64_t     n = line->n, m = line->sub[0]->n;
    tess__fft_plan1d *fine;
    if (tess__fft_plan1d_find(&fine, fn, line->sub[0]->kind, m, 8) != TESS_OK) return false;
    const size_t part = tess__aligned_size(m, 16);
    char        *workspace = tess__fft_workspace_acquire(2 * part + tess__fft_four_step_workspace(fine));
    bool         made = workspace != NULL;
    if (made) {
        chirp_tables c = { line, (double *)workspace, (double *)(workspace + part), m };
        memset(c.x + 2 * n, 0, (size_t)(2 * (m - 2 * n + 1)) * sizeof *c.x);
        tess__parallel((n + 1) / 2, GRAIN, fill_chirps, &c);
        made = transform_fine(fine, c.x, c.y, workspace + 2 * part);
        if (made) tess__parallel(m, GRAIN, fill_spectrum, &c);
    }
    tess__fft_workspace_release(workspace);
    tess__fft_plan1d_release(fine);
    return made;
}

bool tess__fft_make_chirp(tess__fft_plan1d *line, const char *fn)
{
    const int64_t n = line->n, m = tess__fft_convolution_size(2 * n - 1);
    if (n > INT32_MAX || tess__fft_plan1d_find(&line->sub[0], fn, tess__fft_single_kind(m), m, line->size) != TESS_OK)
        return false;
    line->roots = tess__fft_table(line, n, (size_t)(2 * line->size));
    line->spectrum = tess__fft_table(line, m, (size_t)(2 * line->size));
    line->workspace = line->sub[0]->workspace;
    line->cost = 4 * line->sub[0]->cost;
    return line->roots && line->spectrum && fill_tables(line, fn);
}

/* ---- Lines of a pass ---- */

static void real_to_half(const tess__fft_pass *p, single *s)
{
    const tess__fft_kernel *k = s->kernels;
    const int64_t           n = p->n, size = 2 * k->size;
    char *const             workspace = s->workspace, *out = s->out;
    const int64_t           so = s->so;
    if (p->line->kind != TESS__FFT_FOUR_STEP_REAL) { /* odd */
        s->real = true, s->out = workspace, s->so = size, s->workspace = workspace + tess__aligned_size(n, size);
        run_single(s);
        k->line_multiply(out, so, workspace, size, NULL, n / 2 + 1, 1, 0);
        return;
    }
    char *const pairs = workspace + tess__aligned_size(n / 2 + 1, size);
    if (s->si != k->size) {
        k->line_multiply(pairs, size, s->in, 2 * s->si, NULL, n / 2, 1, TESS__FFT_REAL_IN);
        k->line_multiply(pairs + k->size, size, s->in + s->si, 2 * s->si, NULL, n / 2, 1,
                         TESS__FFT_REAL_IN | TESS__FFT_REAL_OUT);
        s->in = pairs;
    }
    s->line = p->line->sub[0], s->si = size, s->scale = 1;
    s->out = workspace, s->so = size, s->workspace = pairs + tess__aligned_size(n / 2 + 1, size);
    run_single(s);
    k->line_hermitian_unpack(out, so, workspace, n / 2, p->line->roots, p->scale);
}

static void half_to_real(const tess__fft_pass *p, single *s, const char *last)
{
    const tess__fft_kernel *k = s->kernels;
    const int64_t           n = p->n, size = 2 * k->size;
    char *const             workspace = s->workspace, *out = s->out;
    const int64_t           so = s->so;
    if (p->line->kind != TESS__FFT_FOUR_STEP_REAL) { /* odd */
        char *const result = workspace + tess__aligned_size(n, size);
        k->line_complete(workspace, s->in, s->si, last, n);
        s->in = workspace, s->si = size, s->out = result, s->so = size,
        s->workspace = result + tess__aligned_size(n, size);
        run_single(s);
        k->line_multiply(out, so, result, size, NULL, n, 1, TESS__FFT_REAL_OUT);
        return;
    }
    char *const result = workspace + tess__aligned_size(n / 2 + 1, size);
    k->line_hermitian_pack(workspace, s->in, s->si, last, n / 2, p->line->roots, p->scale);
    s->line = p->line->sub[0], s->in = workspace, s->si = size, s->scale = 1;
    s->out = so == k->size ? out : result, s->so = size, s->workspace = result + tess__aligned_size(n / 2 + 1, size);
    run_single(s);
    if (so == k->size) return;
    k->line_multiply(out, 2 * so, result, size, NULL, n / 2, 1, TESS__FFT_REAL_OUT);
    k->line_multiply(out + so, 2 * so, result + k->size, size, NULL, n / 2, 1, TESS__FFT_REAL_IN | TESS__FFT_REAL_OUT);
}

void tess__fft_run_four_step(const tess__fft_pass *p, const tess__fft_kernel *kernels, tess__workspaces *workspaces,
                             char *workspace)
{
    const int64_t *count = p->count;
    for (int64_t i = 0; i < count[0] * count[1] * count[2]; i++) {
        const int64_t at[3] = { i % count[0], i / count[0] % count[1], i / count[0] / count[1] };
        single        s = { .line = p->line,
                            .kernels = kernels,
                            .workspaces = workspaces,
                            .in = p->data[0],
                            .out = p->data[1],
                            .workspace = workspace,
                            .si = p->step[0],
                            .so = p->step[1],
                            .real = p->what == TESS__FFT_FROM_REAL,
                            .backward = p->backward,
                            .scale = p->scale };
        const char   *last = p->last;
        for (int k = 0; k < 3; k++) {
            s.in += at[k] * p->stride[k][0], s.out += at[k] * p->stride[k][1];
            if (last) last += at[k] * p->last_stride[k];
        }
        if (p->what == TESS__FFT_REAL_TO_HALF) real_to_half(p, &s);
        else if (p->what == TESS__FFT_HALF_TO_REAL) half_to_real(p, &s, last);
        else run_single(&s);
    }
}
