/* Strategy of a reduction: by rows, chunks or columns; tiles, blocks of results, and subtrees of their chunks. */
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/reduce/reduce.h"
#include "cpu/runtime/schedule.h"
#include "tessera/device.h"

enum {
    BLOCK = 512,              /* most results of a block */
    ROW_BLOCK = 64,           /* the same where results are computed one by one */
    LONG_ROW_BLOCK = 256,     /* and where there are many: prefetch ends with the block */
    STATE_SLOTS = 4608,       /* slots for the states of a block's results, which stay in the nearest cache, */
    MANY_SLOTS = 32768,       /* and of many rows, beside which they count little, */
    MANY_ROWS = 64,           /* from here on */
    GATHERED_BYTES = 32768,   /* of a block that is gathered */
    PACKED_BYTES = 262144,    /* of a block that is packed */
    CONVERTED_BYTES = 196608, /* of a block whose rows are converted */
    LONG_ROW_BYTES = 2048     /* of results, from which on their stores may be non-temporal */
};

static void choose_methods(tess__reduction *r)
{
    const tess__reduce *work = &r->work;
    r->slots = 0;
    r->all_direct = true;
    r->stored[0] = work->in[0].dtype;
    r->stored[1] = work->n_inputs == 2 ? work->in[1].dtype : TESS_DTYPE_NONE;
    r->cost = TESS__READ_BYTE_NS * (double)tess__dtype_size(r->stored[0]);
    for (int i = 0; i < work->n_items; i++) {
        tess__method *m = &r->item[i].method;
        tess__method_of(m, work, i);
        const bool indices = m->op == TESS__R_ARGMIN || m->op == TESS__R_ARGMAX;
        r->direct[i] = tess__reads_directly(m, r->stored, work->skip_nan && !indices);
        r->all_direct = r->all_direct && r->direct[i];
        r->item[i].base = r->slots;
        r->item[i].counts = work->skip_nan;
        r->slots += m->slots + work->skip_nan;
        r->cost += tess__cost_of(m, r->direct[i]);
    }
}

/* True if the order of the numbers does not matter to any reduction. */
static bool is_any_order(const tess__reduction *r)
{
    for (int i = 0; i < r->work.n_items; i++) {
        const tess__method *m = &r->item[i].method;
        if (m->ordered || m->op == TESS__R_ARGMIN || m->op == TESS__R_ARGMAX) return false;
    }
    return true;
}

/* True if all kernels read the elements as one dtype, without a map. */
static bool read_alike(const tess__reduction *r)
{
    for (int i = 0; i < r->work.n_items; i++)
        if (r->item[i].method.read[0] != r->item[0].method.read[0] || r->item[i].method.map != TESS__MAP_NONE)
            return false;
    return true;
}

/* Products of two inputs whose rows of columns are contiguous, or in the second one number. */
static bool are_products(const tess__reduction *r)
{
    const tess__nest *kept = &r->plan.kept;
    const int         inner = kept->n_dims - 1;
    return r->item[0].method.kernel.columns && r->item[0].method.map == TESS__OP_mul && !r->work.skip_nan &&
           kept->size[inner] >= TESS__MIN_COLUMNS && kept->in[0][inner] == 1 &&
           (kept->in[1][inner] == 0 || kept->in[1][inner] == 1);
}

/* The kernel for rows of both inputs as they are stored, if there is one. */
static tess__reduce_kernel kernel_of_pairs(const tess__reduction *r)
{
    const bool alike = r->stored[0] == r->stored[1] && r->plan.kept.in[1][r->plan.kept.n_dims - 1] == 1;
    return alike ? tess__cpu_kernels()->reduce.of[TESS__RK_DOT][r->stored[0]] : (tess__reduce_kernel){ NULL, NULL };
}

static int mode_of(const tess__reduction *r)
{
    const tess__nest *kept = &r->plan.kept, *reduced = &r->plan.reduced;
    const int         inner = kept->n_dims - 1;
    bool              results = false, numbers = false; /* an input's tiles hold several results, or one's numbers */
    if (kept->size[inner] < 2 || reduced->n < 2) return TESS__BY_ROWS;
    if (r->work.n_inputs == 2 && are_products(r)) return TESS__BY_COLUMNS;
    bool columns = kept->size[inner] >= TESS__MIN_COLUMNS && !r->work.skip_nan && r->work.n_inputs == 1;
    for (int i = 0; i < r->work.n_items && columns; i++) columns = r->item[i].method.kernel.columns != NULL;
    if (columns && kept->in[0][inner] == 1 && (r->all_direct || read_alike(r))) return TESS__BY_COLUMNS;
    if (columns && r->all_direct && reduced->n <= TESS__SHORT) return TESS__GATHERED;
    for (int k = 0; k < r->work.n_inputs; k++) {
        results = results || tess__nearest_axis(&r->plan, k) == TESS__NEAREST_RESULTS;
        numbers = numbers || tess__nearest_axis(&r->plan, k) == TESS__NEAREST_NUMBERS;
    }
    if (results) return TESS__BY_CHUNKS;
    return !numbers && (r->plan.inner_run < reduced->n || reduced->n <= TESS__CHUNK) ? TESS__BY_CHUNKS : TESS__BY_ROWS;
}

/* The output that results of short reductions can go straight to: the only one, contiguous and of the dtype of the
 * input. */
static int choose_short_output(const tess__reduction *r)
{
    const tess__method *m = &r->item[0].method;
    const int64_t       n = r->plan.reduced.n;
    const bool          second = r->plan.data[TESS__OUT + 1] != NULL, var = tess__is_variance(m);
    if (r->mode != TESS__BY_COLUMNS || r->converts || r->work.n_inputs == 2 || r->work.n_items > 1) return -1;
    if (!m->shorts || n > TESS__SHORT || (var && n <= m->ddof) || second == (r->plan.data[TESS__OUT] != NULL))
        return -1;
    const bool fits = r->work.item[0].out[second].dtype == r->stored[0] && (!var || second) &&
                      r->plan.kept.in[TESS__OUT + second][r->plan.kept.n_dims - 1] == 1;
    return fits ? second : -1;
}

/* True if the results are many, and rows of them long: cache lines at both ends of a row are written in parts. */
static bool writes_long_rows(const tess__reduction *r)
{
    const tess__nest *kept = &r->plan.kept;
    const int64_t     size = r->plan.size[TESS__OUT + r->short_output];
    return kept->n * size >= TESS__NT_MIN_BYTES && kept->size[kept->n_dims - 1] * size >= LONG_ROW_BYTES;
}

/* Numbers of the tiles that input k is packed into, or 0. */
static int64_t choose_tile(const tess__reduction *r, int k)
{
    const int nearest = tess__nearest_axis(&r->plan, k);
    if (r->mode == TESS__GATHERED) return k == 0 ? r->plan.reduced.n : 0;
    if (r->mode == TESS__BY_COLUMNS || nearest == TESS__NEAREST_ALONG) return 0;
    if (r->mode == TESS__BY_CHUNKS) return tess__min(r->run, r->plan.reduced.n);
    return nearest == TESS__NEAREST_NUMBERS ? tess__tile_numbers(&r->plan, k) : 0;
}

/* Results of a block: as many as caches hold the memory of, fewer if threads would be idle. */
static int64_t choose_block(const tess__reduction *r)
{
    const bool    row_by_row = r->mode == TESS__BY_ROWS || (r->mode == TESS__BY_CHUNKS && !r->tile[0] && !r->tile[1]);
    const int64_t per_task = r->plan.kept.n / (4 * (int64_t)r->threads);
    const int64_t slots = r->plan.reduced.n < MANY_ROWS ? STATE_SLOTS : MANY_SLOTS;
    int64_t       max = BLOCK;
    if (r->mode == TESS__BY_COLUMNS) max = tess__max(BLOCK, tess__min(TESS__COLUMN_BLOCK, r->plan.kept.n / r->threads));
    if (row_by_row) max = per_task < LONG_ROW_BLOCK ? ROW_BLOCK : LONG_ROW_BLOCK;
    max = tess__min(max, tess__max(slots / r->slots, 1));
    for (int k = 0; k < r->work.n_inputs && r->mode != TESS__BY_ROWS; k++) {
        const int64_t most = r->mode == TESS__GATHERED ? GATHERED_BYTES : PACKED_BYTES;
        if (r->tile[k]) max = tess__min(max, most / (r->tile[k] * r->plan.size[k]));
    }
    if (r->converts) {
        const int64_t rows = tess__min(r->plan.reduced.n, r->run);
        max = tess__min(max, CONVERTED_BYTES / (rows * tess__dtype_size(r->item[0].method.read[0])));
    }
    if (max > 16 && !row_by_row) max &= ~(int64_t)15; /* whole cache lines */
    return tess__min(max, r->plan.kept.size[r->plan.kept.n_dims - 1]);
}

/* Few results with many numbers: their subtrees of chunks become tasks. */
static void choose_subtrees(tess__reduction *r)
{
    const int64_t wanted = tess__max(4 * (int64_t)r->threads, (int64_t)(r->cost / tess__longest_task));
    r->sub_chunks = r->n_chunks ? r->n_chunks : 1;
    if (r->n_blocks >= wanted || wanted <= 4 || r->cost < TESS__PARALLEL_MIN_NS || r->n_chunks < 2) return;
    int64_t size = 1;
    while (size * wanted < r->n_chunks * r->n_blocks) size *= 2;
    if (size >= r->n_chunks) return;
    r->sub_chunks = size;
    r->n_subs = (r->n_chunks - 1) / size + 1;
}

/* Numbers of a chunk; more where the kernel reads all in place, in any order. */
static int64_t choose_run(const tess__reduction *r)
{
    const tess__nest *reduced = &r->plan.reduced;
    bool              ordered = !r->all_direct || r->mode != TESS__BY_ROWS || reduced->in[0][reduced->n_dims - 1] != 1;
    for (int i = 0; i < r->work.n_items; i++) ordered = ordered || r->item[i].method.ordered;
    return ordered || reduced->n_dims > 1 || r->work.n_inputs == 2 ? TESS__CHUNK : TESS__LONG_RUN;
}

void tess__choose_strategy(tess__reduction *r)
{
    const tess__nest *kept = &r->plan.kept, *reduced = &r->plan.reduced;
    r->threads = tess_threads_get();
    choose_methods(r);
    tess__plan_reduction(&r->plan, &r->work, is_any_order(r));
    r->far = tess__is_far(&r->work);
    r->cost *= (double)kept->n * (double)reduced->n;
    r->n_subs = 1;
    if (kept->n == 0) return;
    r->mode = mode_of(r);
    r->pairs = (tess__reduce_kernel){ NULL, NULL };
    if (r->mode == TESS__BY_COLUMNS && r->work.n_inputs == 2) r->pairs = kernel_of_pairs(r);
    r->converts = r->mode == TESS__BY_COLUMNS && !r->all_direct && !r->pairs.columns;
    r->run = choose_run(r);
    for (int k = 0; k < 2; k++) r->tile[k] = k < r->work.n_inputs ? choose_tile(r, k) : 0;
    r->n_chunks = reduced->n ? reduced->n / r->plan.inner_run * tess__chunks_of_run(r) : 0;
    r->short_output = choose_short_output(r);
    r->nt = TESS__HAVE_NT_STORES && r->short_output >= 0 && writes_long_rows(r);
    r->block = choose_block(r);
    r->n_along = (kept->size[kept->n_dims - 1] - 1) / r->block + 1;
    r->n_blocks = kept->n / kept->size[kept->n_dims - 1] * r->n_along;
    choose_subtrees(r);
    for (int k = 0; k < 2; k++) r->tile[k] = tess__min(r->tile[k], r->sub_chunks * r->run); /* no task has more */
}
