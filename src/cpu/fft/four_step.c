/* Four-step FFT (Bailey), for long or single vectors, one after the other. The vector is a matrix, row by row: its
 * columns are transformed, each element is multiplied by a twiddle factor, then the rows are transformed, into columns
 * of the result. Long vectors of prime length go through Bluestein's algorithm. */
#include <string.h>

#include "core/memory.h"
#include "core/minmax.h"
#include "core/twiddle.h"
#include "cpu/fft/transform.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* ---- Tables ---- */

/* The largest divisor of n, at most sqrt(n), that a column may have. */
static int64_t columns_of(int64_t n)
{
    int64_t best = 1;
    for (int64_t r = 2; r * r <= n && r <= TESS__FFT_FOUR_STEP; r++)
        if (n % r == 0) best = r;
    return best;
}

/* In a block, most of whose lanes are empty, few elements still take less time than a convolution; and that has larger
 * errors than a transform of small primes. */
enum { SHORT = 64, SMALL_PRIME = 128 };

int tess__fft_single_kind(int64_t n)
{
    const int64_t columns = columns_of(n);
    if (n > TESS__FFT_FOUR_STEP) return columns > 1 ? TESS__FFT_SPLIT : TESS__FFT_CHIRP;
    if (n > TESS__FFT_MAX_RADIX && tess__fft_is_smooth(n)) return TESS__FFT_LINE;
    if (n < SHORT) return TESS__FFT_BLOCK;
    if (columns == 1 || tess__fft_largest_prime(n) > SMALL_PRIME) return TESS__FFT_CHIRP;
    return columns < 4 ? TESS__FFT_BLOCK : TESS__FFT_SPLIT;
}

bool tess__fft_make_split(tess__fft_plan1d *plan, const char *fn)
{
    const int64_t n = plan->n, rows = columns_of(n), columns = n / rows;
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
static size_t  matrix_bytes(const tess__fft_plan1d *plan)
{
    return tess__aligned_size(plan->sub[0]->n, row_bytes(plan));
}

size_t tess__fft_single_workspace(const tess__fft_plan1d *plan)
{
    const int64_t element = 2 * plan->size;
    const size_t  below = plan->sub[0] ? tess__fft_single_workspace(plan->sub[0]) : 0;
    switch (plan->kind) {
    case TESS__FFT_LINE: return tess__aligned_size(plan->n, element) + tess__fft_line_workspace(plan);
    case TESS__FFT_SPLIT: return matrix_bytes(plan) + tess__fft_single_workspace(plan->sub[1]);
    case TESS__FFT_CHIRP: return 2 * tess__aligned_size(plan->sub[0]->n, element) + below;
    case TESS__FFT_FOUR_STEP_REAL: return 2 * tess__aligned_size(plan->n / 2 + 1, element) + below;
    default: return 0;
    }
}

/* ---- One vector ---- */

/* The transform of one vector of complex numbers, or of reals, into another. */
typedef struct single {
    const tess__fft_plan1d *plan;
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
    const single           *s = context;
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
    const single           *s = context;
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

static void run_split(const single *s)
{
    const int64_t lanes = s->kernels->lanes, rows = s->plan->sub[0]->n, columns = s->plan->sub[1]->n;
    const int64_t blocks = (columns + lanes - 1) / lanes, row_blocks = (rows + lanes - 1) / lanes;
    const double  cost = (s->plan->cost / 2 + 1) * (double)lanes;
    single        job = *s;
    tess__parallel(blocks, tess__grain(blocks, cost * (double)rows), run_columns, &job);
    if (s->plan->sub[1]->kind == TESS__FFT_BLOCK) {
        tess__parallel(row_blocks, tess__grain(row_blocks, cost * (double)columns), run_rows, &job);
        return;
    }
    const int64_t size = 2 * s->plan->size;
    for (int64_t r = 0; r < rows; r++) {
        const single row = { .plan = s->plan->sub[1],
                             .kernels = s->kernels,
                             .workspaces = s->workspaces,
                             .in = s->workspace + r * row_bytes(s->plan),
                             .si = size,
                             .out = s->out + r * s->so,
                             .so = rows * s->so,
                             .workspace = s->workspace + matrix_bytes(s->plan),
                             .backward = s->backward,
                             .scale = s->scale };
        run_single(&row);
    }
}

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
static void run_chirp(const single *s)
{
    const tess__fft_kernel *k = s->kernels;
    const tess__fft_plan1d *plan = s->plan, *sub = plan->sub[0];
    const int64_t           size = 2 * plan->size, n = plan->n, m = sub->n;
    char     *x = s->workspace, *y = x + tess__aligned_size(m, size), *left = y + tess__aligned_size(m, size);
    const int in = (s->backward ? TESS__FFT_CONJUGATE_IN : 0) | (s->real ? TESS__FFT_REAL_IN : 0);
    const int out = s->backward ? TESS__FFT_CONJUGATE_OUT : 0;
    single    job = {
           .plan = sub, .kernels = k, .workspaces = s->workspaces, .si = size, .so = size, .workspace = left, .scale = 1
    };
    multiply(k, (tess__fft_product){ x, s->in, plan->twiddles, size, s->si, s->scale, in }, n);
    memset(x + n * size, 0, (size_t)((m - n) * size));
    job.in = x, job.out = y;
    run_single(&job);
    multiply(k, (tess__fft_product){ x, y, plan->spectrum, size, size, 1, 0 }, m);
    job.backward = true;
    run_single(&job);
    multiply(k, (tess__fft_product){ s->out, y, plan->twiddles, s->so, size, 1, out }, n);
}

/* A vector that fits in a block, alone in it. */
static void run_alone(const single *s)
{
    const tess__fft_kernel *k = s->kernels;
    char                   *block = tess__workspace_acquire(s->workspaces);
    const char             *in[TESS__FFT_MAX_LANES];
    char                   *out[TESS__FFT_MAX_LANES] = { s->out };
    for (int l = 0; l < k->lanes; l++) in[l] = s->in;
    (s->real ? k->load_reals : k->load_any)(block, in, s->si, s->plan->at[s->backward], s->plan->n);
    tess__fft_run_block(s->plan, k, block, block + s->plan->n * k->lanes * 2 * k->size, 0, s->plan->n_stages);
    k->store_any(out, s->so, block, s->plan->n, s->scale);
    tess__workspace_release(s->workspaces, block);
}

/* Numbers that are not adjacent are copied. */
static void run_line(const single *s)
{
    const tess__fft_kernel *k = s->kernels;
    const int64_t           n = s->plan->n, size = 2 * k->size;
    char                   *copy = s->workspace, *out = s->so == size ? s->out : copy;
    const char             *in = s->in;
    if (s->real || s->si != size) {
        const int flags = s->real ? TESS__FFT_REAL_IN : 0;
        k->single_multiply(&(tess__fft_product){ copy, in, NULL, size, s->si, 1, flags }, 0, n);
        in = copy;
    }
    tess__fft_run_line(s->plan, k, out, in, copy + tess__aligned_size(n, size), s->backward, s->scale);
    if (out == copy) k->single_multiply(&(tess__fft_product){ s->out, copy, NULL, s->so, size, 1, 0 }, 0, n);
}

static void run_single(const single *s)
{
    if (s->plan->kind == TESS__FFT_LINE) run_line(s);
    else if (s->plan->kind == TESS__FFT_SPLIT) run_split(s);
    else if (s->plan->kind == TESS__FFT_CHIRP) run_chirp(s);
    else run_alone(s);
}

/* ---- Transforms for tables ---- */

/* The forward transform by an f64 plan, from x to y. */
static bool transform_f64(const tess__fft_plan1d *plan, const double *x, double *y, char *workspace)
{
    const tess__fft_kernel *kernels = tess__cpu_kernels()->fft.precision[1];
    tess__workspaces        workspaces;
    if (!tess__workspaces_make(&workspaces, tess__fft_pass_workspace(plan, kernels), INT32_MAX)) return false;
    const single s = { .plan = plan,
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
    tess__fft_plan1d *plan;
    if (tess__fft_plan1d_find(&plan, fn, TESS__FFT_ALONE, n, 8) != TESS_OK) return false;
    const size_t part = tess__aligned_size(n, 16);
    char        *workspace = tess__fft_workspace_acquire(part + tess__fft_single_workspace(plan));
    const bool   made = workspace && transform_f64(plan, x, (double *)workspace, workspace + part);
    if (made) memcpy(x, workspace, (size_t)n * 16);
    tess__fft_workspace_release(workspace);
    tess__fft_plan1d_release(plan);
    return made;
}

/* ---- Tables of a convolution ---- */

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
        made = exact ? tess__fft_dd_spectrum(c.x, m) : transform_f64(fine, c.x, c.y, workspace + 2 * part);
        if (exact) c.y = c.x;
        if (made) tess__parallel(m, GRAIN, fill_spectrum, &c);
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

/* ---- Vectors of a pass ---- */

static void real_to_half(const tess__fft_pass *p, single *s)
{
    const tess__fft_kernel *k = s->kernels;
    const int64_t           n = p->n, size = 2 * k->size;
    char *const             workspace = s->workspace, *out = s->out;
    const int64_t           so = s->so;
    if (p->plan->kind != TESS__FFT_FOUR_STEP_REAL) { /* odd */
        s->real = true, s->out = workspace, s->so = size, s->workspace = workspace + tess__aligned_size(n, size);
        run_single(s);
        k->single_multiply(&(tess__fft_product){ out, workspace, NULL, so, size, 1, 0 }, 0, n / 2 + 1);
        return;
    }
    char *const pairs = workspace + tess__aligned_size(n / 2 + 1, size);
    if (s->si != k->size) {
        k->single_multiply(&(tess__fft_product){ pairs, s->in, NULL, size, 2 * s->si, 1, TESS__FFT_REAL_IN }, 0, n / 2);
        k->single_multiply(&(tess__fft_product){ pairs + k->size, s->in + s->si, NULL, size, 2 * s->si, 1,
                                                 TESS__FFT_REAL_IN | TESS__FFT_REAL_OUT },
                           0, n / 2);
        s->in = pairs;
    }
    s->plan = p->plan->sub[0], s->si = size, s->scale = 1;
    s->out = workspace, s->so = size, s->workspace = pairs + tess__aligned_size(n / 2 + 1, size);
    run_single(s);
    char *const spectrum = so == size ? out : pairs;
    k->single_hermitian_unpack(spectrum, workspace, n / 2, p->plan->twiddles, p->scale);
    if (so != size) k->single_multiply(&(tess__fft_product){ out, spectrum, NULL, so, size, 1, 0 }, 0, n / 2 + 1);
}

static void half_to_real(const tess__fft_pass *p, single *s, const char *last)
{
    const tess__fft_kernel *k = s->kernels;
    const int64_t           n = p->n, size = 2 * k->size;
    char *const             workspace = s->workspace, *out = s->out;
    const int64_t           so = s->so;
    if (p->plan->kind != TESS__FFT_FOUR_STEP_REAL) { /* odd */
        char *const result = workspace + tess__aligned_size(n, size);
        k->single_complete(workspace, s->in, s->si, last, n);
        s->in = workspace, s->si = size, s->out = result, s->so = size,
        s->workspace = result + tess__aligned_size(n, size);
        run_single(s);
        k->single_multiply(&(tess__fft_product){ out, result, NULL, so, size, 1, TESS__FFT_REAL_OUT }, 0, n);
        return;
    }
    char *const result = workspace + tess__aligned_size(n / 2 + 1, size);
    const char *spectrum = s->in;
    if (s->si != size || last) {
        k->single_multiply(&(tess__fft_product){ result, s->in, NULL, size, s->si, 1, 0 }, 0, n / 2 + !last);
        if (last) memcpy(result + n / 2 * size, last, (size_t)size);
        spectrum = result;
    }
    k->single_hermitian_pack(workspace, spectrum, n / 2, p->plan->twiddles, p->scale);
    s->plan = p->plan->sub[0], s->in = workspace, s->si = size, s->scale = 1;
    s->out = so == k->size ? out : result, s->so = size, s->workspace = result + tess__aligned_size(n / 2 + 1, size);
    run_single(s);
    if (so == k->size) return;
    k->single_multiply(&(tess__fft_product){ out, result, NULL, 2 * so, size, 1, TESS__FFT_REAL_OUT }, 0, n / 2);
    k->single_multiply(&(tess__fft_product){ out + so, result + k->size, NULL, 2 * so, size, 1,
                                             TESS__FFT_REAL_IN | TESS__FFT_REAL_OUT },
                       0, n / 2);
}

void tess__fft_run_singles(const tess__fft_pass *p, const tess__fft_kernel *kernels, tess__workspaces *workspaces,
                             char *workspace)
{
    const int64_t *count = p->count, n = count[0] * count[1] * count[2];
    int64_t        at[3] = { 0, 0, 0 };
    for (int64_t i = 0; i < n; i++) {
        single        s = { .plan = p->plan,
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
        for (int k = 0; k < 3 && ++at[k] == count[k]; k++) at[k] = 0;
    }
}
