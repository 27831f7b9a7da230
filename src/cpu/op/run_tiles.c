/* Tiled execution of element-wise and index-wise operators: the domain in blocks of rows, the threads' tasks. */
#include "core/array/layout.h"
#include "core/minmax.h"
#include "cpu/op/run.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "tessera/device.h"

enum {
    LANES = 256, /* rows are divided at multiples of it */
    UNITS_PER_THREAD = 4,
    ACROSS = 64,           /* rows of a block where operands lie across each other */
    SHORTEST_ACROSS = 1024 /* elements of a row from which that pays */
};

/* How the two inner axes are divided. */
typedef struct cut {
    tess__job *job;
    int64_t    rows, length; /* of a block */
    int64_t    down, along;  /* blocks in axes 2 and 3 */
    int64_t    units;        /* blocks in all */
    double     cost;         /* of one */
} cut;

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static void count_units(cut *c)
{
    const int64_t *size = c->job->size;
    c->down = ceil_div(size[2], c->rows);
    c->along = ceil_div(size[3], c->length);
    c->units = size[0] * size[1] * c->down * c->along;
    c->cost = c->job->cost * (double)(c->rows * c->length);
}

/* Does an operand go on along axis 2 while another does along axis 3? */
static bool lies_across(const tess__job *job)
{
    const uint32_t walked = job->op->walked;
    if (job->size[3] < SHORTEST_ACROSS || job->size[2] < ACROSS / 2) return false;
    for (uint32_t left = walked; left; left &= left - 1) {
        const int64_t *stride = job->stride[__builtin_ctz(left)];
        if (tess__magnitude(stride[2]) == 1 && tess__magnitude(stride[3]) > 8) return true;
    }
    return false;
}

/* Blocks enough for all threads, of whole rows if there are enough of those. */
static void cut_up(cut *c)
{
    const int64_t *size = c->job->size;
    const int64_t  shares = (int64_t)UNITS_PER_THREAD * tess_threads_get();
    const int64_t  wanted = tess__max(shares, (int64_t)(c->job->cost * (double)c->job->n / tess__longest_task));
    const int64_t  outer = size[0] * size[1];
    c->rows = size[2];
    c->length = size[3];
    if (lies_across(c->job)) {
        c->rows = ACROSS;
        c->length = LANES;
    } else if (outer < wanted) {
        c->rows = size[2] * outer / wanted;
        if (c->rows == 0) {
            c->rows = 1;
            c->length = ceil_div(ceil_div(size[3] * size[2] * outer, wanted), LANES) * LANES;
            c->length = c->length < size[3] ? c->length : size[3];
        }
    }
    count_units(c);
}

static void run_units(const void *context, char *workspace, int64_t first, int64_t last)
{
    const cut     *c = context;
    const int64_t *size = c->job->size;
    tess_tile      tile = c->job->tile;
    for (int64_t unit = first; unit < last; unit++) {
        int64_t       left = unit / c->along;
        const int64_t w = (unit - left * c->along) * c->length;
        const int64_t h = left % c->down * c->rows;
        left /= c->down;
        tile.origin[0] = left / size[1];
        tile.origin[1] = left % size[1];
        tile.origin[2] = h;
        tile.origin[3] = w;
        tile.extent[0] = tile.extent[1] = 1;
        tile.extent[2] = size[2] - h < c->rows ? size[2] - h : c->rows;
        tile.extent[3] = size[3] - w < c->length ? size[3] - w : c->length;
        tess__run_tile(c->job, &tile, unit, workspace);
    }
}

static void task(void *context, int64_t first, int64_t last)
{
    const cut *c = context;
    if (c->job->workspace == 0) run_units(c, NULL, first, last);
    else tess__with_workspace(c->job, c->job->workspace, run_units, c, first, last);
}

/* All of the domain as one tile, on this thread. */
static void run_whole(tess__job *job, void *workspace)
{
    for (int d = 0; d < 4; d++) job->tile.extent[d] = job->size[d];
    tess__run_tile(job, &job->tile, 0, workspace);
}

static void run_whole_small(tess__job *job)
{
    _Alignas(64) char workspace[TESS__SMALL_WORKSPACE];
    run_whole(job, workspace);
}

static tess_status no_memory(const tess__job *job)
{
    TESS_FAIL(TESS_ENOMEM, "%s: no memory for a workspace of %zu bytes for each thread", job->op->name, job->workspace);
}

tess_status tess__run_tiles(tess__job *job)
{
    const int64_t grain = tess__grain(job->n, job->cost);
    const bool    whole = grain >= job->n && !lies_across(job);
    if (whole && job->workspace == 0) {
        run_whole(job, NULL);
        return TESS_OK;
    }
    if (whole && job->workspace <= TESS__SMALL_WORKSPACE) {
        run_whole_small(job);
        return TESS_OK;
    }
    cut c = { .job = job };
    cut_up(&c);
    if (whole) { /* a program with many registers, which need memory from the heap */
        c.rows = job->size[2];
        c.length = job->size[3];
        count_units(&c);
    }
    if (!tess__job_workspaces(job, job->workspace, c.units)) return no_memory(job);
    tess__parallel(c.units, tess__grain(c.units, c.cost), task, &c);
    tess__job_workspaces_free(job, job->workspace);
    return TESS_OK;
}
