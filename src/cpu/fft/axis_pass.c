/* Batched 1-D FFTs along one axis: vectors along it are interleaved in blocks, which are the threads' tasks. */
#include "cpu/fft/axis_pass.h"

#include "core/array/layout.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* Ways to load and to store a block. */
enum { NEIGHBOURS, ROWS, ANY };

typedef struct job {
    tess__fft_pass          pass;
    const tess__fft_kernel *kernels;
    tess__workspaces       *workspaces;
    int64_t                 across; /* whole blocks of neighbours, for each index of the other two axes */
    int64_t                 whole;  /* and of all */
    int64_t                 tail;   /* vectors for each that are left */
    int                     way[2];
    const int8_t           *order; /* lane l has neighbour order[l] of a whole block */
} job;

/* Of real numbers: those of complex ones are as vectors deinterleave them. */
static const int8_t in_order[TESS__FFT_MAX_LANES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

size_t tess__fft_pass_workspace(const tess__fft_plan1d *plan, const tess__fft_kernel *kernels)
{
    /* The workspace of a block's stages also holds half a spectrum before they begin. */
    const int64_t n = plan->kind == TESS__FFT_REAL ? plan->n / 2 + 1 : plan->n, half = plan->n / 2 + 1;
    const int64_t workspace = plan->workspace > half ? plan->workspace : half;
    const bool    block = plan->kind == TESS__FFT_REAL || plan->kind == TESS__FFT_BLOCK;
    if (plan->kind > TESS__FFT_R2R_PLAN) return tess__fft_pass_workspace(plan->sub[0], kernels);
    return tess__aligned_size(block ? n + workspace : plan->workspace, 2 * kernels->lanes * kernels->size);
}

/* ---- Vectors along the axis ---- */

/* A vector along the axis: its index along each of the other axes. */
typedef struct vector_index {
    int64_t i[3];
} vector_index;

/* Number `index` of the vectors that are left. */
static vector_index number_of(const job *j, int64_t index)
{
    const int64_t across = index / j->tail, first = j->pass.count[0] - j->tail;
    return (vector_index){ { first + index % j->tail, across % j->pass.count[1], across / j->pass.count[1] } };
}

static void to_next(const job *j, vector_index *vector)
{
    if (++vector->i[0] < j->pass.count[0]) return;
    vector->i[0] = j->pass.count[0] - j->tail;
    if (++vector->i[1] < j->pass.count[1]) return;
    vector->i[1] = 0;
    vector->i[2]++;
}

/* The lanes of a block. */
typedef struct block_lanes {
    const char *in[TESS__FFT_MAX_LANES], *last[TESS__FFT_MAX_LANES];
    char       *out[TESS__FFT_MAX_LANES]; /* NULL: an unused lane */
    const char *next;                     /* where the neighbours of the next block are; NULL if there are none */
    int         way[2];
} block_lanes;

static void set_lane(const tess__fft_pass *p, block_lanes *l, int lane, const vector_index *vector)
{
    const int64_t *i = vector->i;
    l->in[lane] = p->data[0] + i[0] * p->stride[0][0] + i[1] * p->stride[1][0] + i[2] * p->stride[2][0];
    l->out[lane] = p->data[1] + i[0] * p->stride[0][1] + i[1] * p->stride[1][1] + i[2] * p->stride[2][1];
    if (p->last)
        l->last[lane] = p->last + i[0] * p->last_stride[0] + i[1] * p->last_stride[1] + i[2] * p->last_stride[2];
}

static void find_whole(const job *j, int64_t block, block_lanes *l)
{
    const tess__fft_pass *p = &j->pass;
    const int             n = j->kernels->lanes;
    const int64_t         first = block % j->across * n, b = block / j->across;
    for (int i = 0; i < n; i++) {
        const vector_index vector = { { first + j->order[i], b % p->count[1], b / p->count[1] } };
        set_lane(p, l, i, &vector);
    }
    l->way[0] = j->way[0], l->way[1] = j->way[1];
    l->next = l->way[0] == NEIGHBOURS && first + 2 * n <= p->count[0] ? l->in[0] + n * p->stride[0][0] : NULL;
}

/* Unused lanes have the input of another one, and no output. */
static void find_rest(const job *j, int64_t block, block_lanes *l)
{
    const tess__fft_pass *p = &j->pass;
    const int             n = j->kernels->lanes;
    const int64_t         first = block * n, vectors = j->tail * p->count[1] * p->count[2];
    vector_index          vector = number_of(j, first), lane[TESS__FFT_MAX_LANES];
    for (int i = 0; i < n; i++) {
        lane[i] = first + i < vectors ? vector : lane[0];
        to_next(j, &vector);
    }
    for (int i = 0; i < n; i++) {
        set_lane(p, l, i, &lane[j->order[i]]);
        if (first + j->order[i] >= vectors) l->out[i] = NULL;
    }
    l->way[0] = j->way[0] == ROWS ? ROWS : ANY;
    l->way[1] = j->way[1] == ROWS && first + n <= vectors ? ROWS : ANY;
    l->next = NULL;
}

/* ---- Blocks ---- */

static void load(const job *j, const block_lanes *l, void *block, const int32_t *at, int64_t n)
{
    const tess__fft_kernel *k = j->kernels;
    if (l->way[0] == NEIGHBOURS) k->load_neighbours(block, l->in[0], j->pass.step[0], at, n);
    else if (l->way[0] == ROWS) k->load_rows(block, l->in, at, n);
    else k->load_any(block, l->in, j->pass.step[0], at, n);
}

static void store(const job *j, const block_lanes *l, const void *block, int64_t n, double scale)
{
    const tess__fft_kernel *k = j->kernels;
    if (l->way[1] == NEIGHBOURS) k->store_neighbours(l->out[0], j->pass.step[1], block, n, scale);
    else if (l->way[1] == ROWS) k->store_rows(l->out, block, n, scale);
    else k->store_any(l->out, j->pass.step[1], block, n, scale);
}

static void complex_block(const job *j, const block_lanes *l, char *block, char *workspace)
{
    const tess__fft_pass   *p = &j->pass;
    const tess__fft_plan1d *plan = p->plan;
    const tess__fft_kernel *k = j->kernels;
    int                     done = 0;
    if (p->what == TESS__FFT_FROM_REAL) k->load_reals(block, l->in, p->step[0], plan->at[p->backward], plan->n);
    else if (l->way[0] == NEIGHBOURS) done = tess__fft_load_columns(plan, k, block, l->in[0], p->step[0], p->backward);
    else load(j, l, block, plan->at[p->backward], plan->n);
    const int end = l->way[1] == NEIGHBOURS && p->scale == 1 ? tess__fft_last_stage(plan) : plan->n_stages;
    tess__fft_run_block(plan, k, block, workspace, done, end);
    if (end == plan->n_stages) store(j, l, block, plan->n, p->scale);
    else tess__fft_store_columns(plan, k, l->out[0], p->step[1], block, l->next, p->step[0]);
}

static void half_block(const job *j, const block_lanes *l, char *block, char *workspace)
{
    const tess__fft_pass   *p = &j->pass;
    const tess__fft_kernel *k = j->kernels;
    const int64_t           n = p->n;
    if (p->plan->kind != TESS__FFT_REAL) { /* odd */
        k->load_reals(block, l->in, p->step[0], p->plan->at[0], n);
        tess__fft_run_block(p->plan, k, block, workspace, 0, p->plan->n_stages);
        store(j, l, block, n / 2 + 1, p->scale);
        return;
    }
    const tess__fft_plan1d *half = p->plan->sub[0];
    if (l->way[0] == ROWS) k->load_rows(block, l->in, half->at[0], n / 2);
    else k->load_pairs(block, l->in, p->step[0], half->at[0], n / 2);
    tess__fft_run_block(half, k, block, workspace, 0, half->n_stages);
    if (l->way[1] == ROWS) {
        k->hermitian_unpack_rows(l->out, block, n / 2, p->plan->twiddles, p->scale);
        return;
    }
    k->hermitian_unpack(block, n / 2, p->plan->twiddles, p->scale);
    store(j, l, block, n / 2 + 1, 1);
}

/* The n/2+1 coefficients into a block; of even n, the last one may be elsewhere. */
static void load_half(const job *j, const block_lanes *l, char *block, int64_t n)
{
    const tess__fft_kernel *k = j->kernels;
    const int64_t           together = j->pass.last ? n / 2 : n / 2 + 1;
    load(j, l, block, NULL, together);
    if (j->pass.last) k->load_any(block + n / 2 * 2 * k->lanes * k->size, l->last, 0, NULL, 1);
}

static void real_block(const job *j, const block_lanes *l, char *block, char *workspace)
{
    const tess__fft_pass   *p = &j->pass;
    const tess__fft_kernel *k = j->kernels;
    const int64_t           n = p->n;
    if (p->plan->kind != TESS__FFT_REAL) { /* odd */
        load_half(j, l, workspace, n);
        k->complete(block, workspace, n, p->plan->at[1]);
        tess__fft_run_block(p->plan, k, block, workspace, 0, p->plan->n_stages);
        k->store_reals(l->out, p->step[1], block, n, p->scale);
        return;
    }
    const tess__fft_plan1d *half = p->plan->sub[0];
    if (l->way[0] == ROWS) {
        k->hermitian_pack_rows(block, l->in, p->last ? l->last : NULL, n / 2, p->plan->twiddles, half->at[1], p->scale);
    } else {
        load_half(j, l, workspace, n);
        k->hermitian_pack(block, workspace, n / 2, p->plan->twiddles, half->at[1], p->scale);
    }
    tess__fft_run_block(half, k, block, workspace, 0, half->n_stages);
    if (l->way[1] == ROWS) k->store_rows(l->out, block, n / 2, 1);
    else k->store_pairs(l->out, p->step[1], block, n / 2);
}

/* The input of the complex transform. Numbers that are not neighbours are made adjacent first, where there will be
 * something else later. */
static void r2r_load(const job *j, const block_lanes *l, char *block, char *workspace)
{
    const tess__fft_pass   *p = &j->pass;
    const tess__fft_kernel *k = j->kernels;
    const tess__fft_plan1d *sub = p->plan->sub[0];
    const tess__fft_r2r    *r = &p->plan->r2r;
    const bool              packs = r->half && r->backward, neighbours = l->way[0] == NEIGHBOURS;
    char                   *adjacent = packs ? block : workspace;
    const char             *in = neighbours ? l->in[0] : adjacent;
    const int64_t           step = neighbours ? p->step[0] : k->lanes * k->size;
    if (l->way[0] == ROWS) k->gather_real_rows(adjacent, l->in, p->n);
    else if (l->way[0] == ANY) k->gather_reals(adjacent, l->in, p->step[0], p->n);
    if (!packs) {
        k->load_r2r(block, in, step, (r->half ? sub->sub[0] : sub)->at[r->backward], r->terms, r);
        return;
    }
    k->load_r2r(workspace, in, step, NULL, r->terms, r);
    k->hermitian_pack(block, workspace, p->n / 2, sub->twiddles, sub->sub[0]->at[1], 1);
}

static void r2r_block(const job *j, const block_lanes *l, char *block)
{
    const tess__fft_pass   *p = &j->pass;
    const tess__fft_kernel *k = j->kernels;
    const tess__fft_r2r    *r = &p->plan->r2r;
    const tess__fft_plan1d *real = p->plan->sub[0], *sub = r->half ? real->sub[0] : real;
    const int64_t           n = p->n, adjacent = k->lanes * k->size;
    char                   *workspace = block + (r->half ? n / 2 + 1 : sub->n) * 2 * adjacent;
    r2r_load(j, l, block, workspace);
    tess__fft_run_block(sub, k, block, workspace, 0, sub->n_stages);
    if (r->half && !r->backward) k->hermitian_unpack(block, n / 2, real->twiddles, 1);
    if (l->way[1] == NEIGHBOURS) k->store_r2r(l->out[0], p->step[1], block, n, r, p->scale);
    else k->store_r2r(workspace, adjacent, block, n, r, p->scale);
    if (l->way[1] == ROWS) k->scatter_real_rows(l->out, workspace, n);
    else if (l->way[1] == ANY) k->scatter_reals(l->out, p->step[1], workspace, n);
}

static void run_blocks(void *context, int64_t first, int64_t last)
{
    const job   *j = context;
    const size_t element = (size_t)(2 * j->kernels->lanes * j->kernels->size);
    char        *block = tess__workspace_acquire(j->workspaces);
    const bool   real = j->pass.plan->kind == TESS__FFT_REAL;
    char        *workspace = block + (size_t)(real ? j->pass.n / 2 + 1 : j->pass.n) * element;
    for (int64_t i = first; i < last; i++) {
        block_lanes l;
        if (i < j->whole) find_whole(j, i, &l);
        else find_rest(j, i - j->whole, &l);
        if (j->pass.what == TESS__FFT_REAL_TO_HALF) half_block(j, &l, block, workspace);
        else if (j->pass.what == TESS__FFT_HALF_TO_REAL) real_block(j, &l, block, workspace);
        else if (j->pass.what == TESS__FFT_REAL_TO_REAL) r2r_block(j, &l, block);
        else complex_block(j, &l, block, workspace);
    }
    tess__workspace_release(j->workspaces, block);
}

/* ---- The pass ---- */

/* Is a vector nearer to its next element than to the next vector? */
static bool is_along_memory(const tess__fft_pass *p, int side)
{
    for (int a = 0; a < 3; a++)
        if (p->count[a] > 1 && tess__magnitude(p->stride[a][side]) < tess__magnitude(p->step[side])) return false;
    return true;
}

void tess__fft_choose_neighbours(tess__fft_pass *p)
{
    const int complex = p->what == TESS__FFT_HALF_TO_REAL ? 0 : 1;
    const int side = is_along_memory(p, complex) ? !complex : complex;
    for (int a = 1; a < 3; a++) {
        const int64_t s = tess__magnitude(p->stride[a][side]), s0 = tess__magnitude(p->stride[0][side]);
        if (p->count[a] == 1 || (p->count[0] > 1 && s >= s0)) continue;
        const int64_t count = p->count[a], in = p->stride[a][0], out = p->stride[a][1], last = p->last_stride[a];
        p->count[a] = p->count[0], p->stride[a][0] = p->stride[0][0], p->stride[a][1] = p->stride[0][1];
        p->last_stride[a] = p->last_stride[0];
        p->count[0] = count, p->stride[0][0] = in, p->stride[0][1] = out, p->last_stride[0] = last;
    }
}

static int choose_way(const tess__fft_pass *p, int side, int64_t size)
{
    const bool    both = p->what == TESS__FFT_REAL_TO_REAL;
    const bool    real = side == 1 ? both || p->what == TESS__FFT_HALF_TO_REAL
                                   : both || p->what == TESS__FFT_REAL_TO_HALF || p->what == TESS__FFT_FROM_REAL;
    const int64_t element = real ? size : 2 * size;
    if (p->step[side] == element) return ROWS;
    return (both || !real) && p->stride[0][side] == element ? NEIGHBOURS : ANY;
}

void tess__fft_run_pass(const tess__fft_pass *pass, const tess__fft_kernel *kernels, tess__workspaces *workspaces)
{
    job j = { .pass = *pass, .kernels = kernels, .workspaces = workspaces };
    tess__fft_choose_neighbours(&j.pass);
    j.order = pass->what == TESS__FFT_REAL_TO_REAL ? in_order : kernels->order;
    const int64_t lanes = kernels->lanes, *count = j.pass.count;
    for (int side = 0; side < 2; side++) j.way[side] = choose_way(&j.pass, side, kernels->size);
    const bool neighbours = j.way[0] == NEIGHBOURS || j.way[1] == NEIGHBOURS;
    j.across = neighbours ? count[0] / lanes : 0;
    j.whole = j.across * count[1] * count[2];
    j.tail = count[0] - j.across * lanes;
    const int64_t blocks = j.whole + (j.tail * count[1] * count[2] + lanes - 1) / lanes;
    const double  cost = (pass->plan->cost + 1) * (double)(pass->n * lanes);
    tess__parallel(blocks, tess__grain(blocks, cost), run_blocks, &j);
}
