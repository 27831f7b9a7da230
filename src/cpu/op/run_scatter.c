/* Scatter-add by user-defined operators: fixed chunks (formulas/scatter_chunks.op.h), all but the first of each sum
 * with a private copy, which are added in the order of the chunks.
 */
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/op/run.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "formulas/scatter_chunks.op.h"
#include "tessera/device.h"

enum {
    FEW_PER_THREAD = 4, /* chunks of a wave, at least, */
    MANY_PER_THREAD = 64,
    FEW_BYTES = 4 << 20,    /* more of them up to so many bytes of copies, */
    MANY_BYTES = 256 << 20, /* and fewer beyond this */
    SEGMENT = 4096          /* elements that a task adds up */
};

/* Nanoseconds in which an element of a copy is added. */
#define MERGE_COST 0.5

typedef struct scattering {
    tess__job           *job;
    tess__scatter_chunks chunks;
    bool                 batched; /* batches add to parts of their own */
    int64_t              first;   /* chunk of this wave */
    size_t               copy_at[TESS__MAX_PARAMS], copy_size;
    int64_t              copy_stride[TESS__MAX_PARAMS][4];
    char                *copies; /* of a wave */
} scattering;

/* ---- Layout ---- */

/* Contiguous copies of all that a chunk adds to, and the chunks that follow from their size. */
static void lay_out(scattering *s)
{
    int64_t bins = 0;
    s->batched = tess__is_batched(s->job->work);
    for (uint32_t left = s->job->op->roles.scatter; left; left &= left - 1) {
        const int          k = __builtin_ctz(left);
        const int64_t     *shape = s->job->shape[k];
        const tess_shape   part = { { s->batched ? 1 : shape[0], shape[1], shape[2], shape[3] } };
        const tess_strides strides = tess_strides_contiguous(part, 'C');
        const int64_t      n = part.b * part.d * part.h * part.w;
        memcpy(s->copy_stride[k], strides.dim, sizeof s->copy_stride[k]);
        if (s->batched) s->copy_stride[k][0] = 0;
        s->copy_at[k] = s->copy_size;
        s->copy_size += tess__aligned_size(n, tess__dtype_size(s->job->work->param[k].array.dtype));
        bins += n;
    }
    s->chunks = tess__scatter_cut(s->job->size, bins, (int64_t)s->copy_size, s->batched);
}

/* Batches without copies may share a tile, since none waits for another. */
static void join_small_batches(scattering *s)
{
    tess__scatter_chunks *c = &s->chunks;
    const int64_t         n = s->job->n / s->job->size[0];
    if (!s->batched || c->of_sum > 1) return;
    c->extent[0] = tess__min(s->job->size[0], n < TESS__SCATTER_CHUNK ? TESS__SCATTER_CHUNK / n : 1);
    c->n = c->count[0] = (s->job->size[0] + c->extent[0] - 1) / c->extent[0];
}

/* ---- Chunks ---- */

/* A chunk as a tile; `copy` is where it adds, NULL for the arrays themselves. */
static void run_chunk(const scattering *s, int64_t chunk, char *copy, void *workspace)
{
    const tess__operator *op = s->job->op;
    tess_tile             tile = s->job->tile;
    int64_t               chunk_left = chunk;
    void                 *ptr[TESS__MAX_PARAMS];
    int64_t               stride[TESS__MAX_PARAMS][4];
    for (int d = 3; d >= 0; d--) {
        tile.origin[d] = chunk_left % s->chunks.count[d] * s->chunks.extent[d];
        tile.extent[d] = tess__min(s->job->size[d] - tile.origin[d], s->chunks.extent[d]);
        chunk_left /= s->chunks.count[d];
    }
    if (copy) {
        memcpy(ptr, s->job->ptr, (size_t)op->n_params * sizeof *ptr);
        memcpy(stride, s->job->stride, (size_t)op->n_params * sizeof *stride);
        for (uint32_t left = op->roles.scatter; left; left &= left - 1) {
            const int k = __builtin_ctz(left);
            ptr[k] = copy + s->copy_at[k];
            memcpy(stride[k], s->copy_stride[k], sizeof stride[k]);
        }
        memset(copy, 0, s->copy_size);
        tile.ptr = ptr;
        tile.stride = (const int64_t(*)[4])stride;
    }
    tess__run_tile(s->job, &tile, chunk, workspace);
}

static bool has_copy(const scattering *s, int64_t chunk) { return s->copies && chunk % s->chunks.of_sum != 0; }

static void run_chunks(const void *context, char *workspace, int64_t first, int64_t last)
{
    const scattering *s = context;
    for (int64_t i = first; i < last; i++)
        run_chunk(s, s->first + i, has_copy(s, s->first + i) ? s->copies + (size_t)i * s->copy_size : NULL, workspace);
}

static void task(void *context, int64_t first, int64_t last)
{
    const scattering *s = context;
    tess__with_workspace(s->job, s->job->workspace, run_chunks, s, first, last);
}

/* ---- Copies ---- */

/* The copies of an array, of all chunks of a wave. */
typedef struct merging {
    const scattering *s;
    int               param;
    int64_t           n;        /* chunks */
    int64_t           segments; /* of a row */
} merging;

/* A segment of a row, of all chunks one after the other. */
static void merge_segment(const merging *m, int64_t row, int64_t from)
{
    const scattering *s = m->s;
    const tess_array *a = &s->job->work->param[m->param].array;
    const int64_t    *to = a->strides.dim, *shape = a->shape.dim, *copy = s->copy_stride[m->param];
    const int64_t     h = row % shape[2], d = row / shape[2] % shape[1], b = row / shape[2] / shape[1];
    const int64_t     n = tess__min(shape[3] - from, (int64_t)SEGMENT), size = tess__dtype_size(a->dtype);
    const int64_t     into = d * to[1] + h * to[2] + from * to[3];
    const int64_t     at = b * copy[0] + d * copy[1] + h * copy[2] + from;
    for (int64_t i = 0; i < m->n; i++) {
        if (!has_copy(s, s->first + i)) continue;
        const int64_t batch = s->batched ? (s->first + i) / s->chunks.of_sum : b;
        tess__cpu_kernels()->op.add_row[a->dtype](
            (char *)a->data + (into + batch * to[0]) * size, to[3],
            s->copies + (size_t)i * s->copy_size + s->copy_at[m->param] + (size_t)(at * size), n);
    }
}

static void merge_segments(void *context, int64_t first, int64_t last)
{
    const merging *m = context;
    for (int64_t i = first; i < last; i++) merge_segment(m, i / m->segments, i % m->segments * SEGMENT);
}

static void merge_copies(const scattering *s, int64_t n)
{
    for (uint32_t left = s->job->op->roles.scatter; left; left &= left - 1) {
        merging        m = { .s = s, .param = __builtin_ctz(left), .n = n };
        const int64_t *shape = s->job->shape[m.param];
        m.segments = (shape[3] + SEGMENT - 1) / SEGMENT;
        const int64_t items = (s->batched ? 1 : shape[0]) * shape[1] * shape[2] * m.segments;
        const double  cost = MERGE_COST * (double)(n * tess__min(shape[3], (int64_t)SEGMENT));
        if (items) tess__parallel(items, tess__grain(items, cost), merge_segments, &m);
    }
}

/* ---- Waves ---- */

static double cost_of_chunk(const scattering *s) { return s->job->cost * (double)(s->job->n / s->chunks.n); }

/* How many chunks are run before their copies are added: by memory, and by how often threads should meet. */
static int64_t wave_of(const scattering *s)
{
    const int64_t threads = tess_threads_get(), size = (int64_t)s->copy_size + 1;
    int64_t       wave = tess__min(FEW_BYTES / size, MANY_PER_THREAD * threads);
    if (wave < FEW_PER_THREAD * threads) wave = tess__min(FEW_PER_THREAD * threads, MANY_BYTES / size);
    return tess__min(wave, s->chunks.n);
}

static tess_status run_waves(scattering *s, int64_t wave)
{
    const size_t size = (size_t)wave * s->copy_size;
    s->copies = tess__alloc(size);
    TESS_CHECK(s->copies, TESS_ENOMEM, "%s: no memory for %zu bytes of copies to scatter to", s->job->op->name, size);
    for (s->first = 0; s->first < s->chunks.n && !tess__cancelled(); s->first += wave) {
        const int64_t n = tess__min(wave, s->chunks.n - s->first);
        tess__parallel(n, tess__grain(n, cost_of_chunk(s)), task, s);
        merge_copies(s, n);
    }
    tess__free(s->copies);
    return TESS_OK;
}

tess_status tess__run_scatter(tess__job *job)
{
    scattering s = { .job = job };
    lay_out(&s);
    join_small_batches(&s);
    const bool    copies = s.chunks.of_sum > 1;
    const int64_t n = copies ? wave_of(&s) : s.chunks.n;
    TESS_CHECK(tess__job_workspaces(job, job->workspace, n), TESS_ENOMEM,
               "%s: no memory for a workspace of %zu bytes for each thread", job->op->name, job->workspace);
    tess_status status = TESS_OK;
    if (copies) status = run_waves(&s, n);
    else tess__parallel(n, tess__grain(n, cost_of_chunk(&s)), task, &s);
    tess__job_workspaces_free(job, job->workspace);
    return status;
}
