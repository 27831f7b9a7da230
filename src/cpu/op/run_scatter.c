/* Scatter-add by user-defined operators: fixed chunks, each with a private copy if that is small, added in order.
 */
#include <string.h>

#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/op/run.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "tessera/device.h"

enum { CHUNK = 65536 /* elements */, LARGEST_COPY = 65536 /* bytes, of all that is scattered to */, PER_WAVE = 4 };

typedef struct scattering {
    tess__job *job;
    int64_t    extent[4], chunks[4]; /* of a chunk, and how many of them, in each axis */
    int64_t    n_chunks;
    int64_t    first; /* chunk of this wave */
    size_t     copy_at[TESS__MAX_PARAMS], copy_size;
    int64_t    copy_stride[TESS__MAX_PARAMS][4];
    char      *copies; /* of a wave */
} scattering;

/* Chunks are the larger the more there is to add up for each. */
static void cut_chunks(scattering *s)
{
    const bool all[4] = { true, true, true, true };
    s->n_chunks = tess__cut_chunks(s->extent, s->chunks, s->job->size, all, CHUNK + 2 * (int64_t)s->copy_size);
}

/* The bytes of contiguous copies of all that is scattered to; more than LARGEST_COPY if that is too much. */
static void place_copies(scattering *s)
{
    s->copy_size = 0;
    for (uint32_t left = s->job->op->roles.scatter; left; left &= left - 1) {
        const int         k = __builtin_ctz(left);
        const tess_array *a = &s->job->work->param[k].array;
        const int64_t     n = tess_n_elements(a), size = tess__dtype_size(a->dtype);
        s->copy_at[k] = s->copy_size;
        s->copy_size += n > LARGEST_COPY / size ? LARGEST_COPY + 1 : tess__aligned_size(n, size);
        const tess_strides strides = tess_strides_contiguous(a->shape, 'C');
        memcpy(s->copy_stride[k], strides.dim, sizeof s->copy_stride[k]);
    }
}

/* A chunk as a tile; `copy` is where it adds, NULL for the arrays themselves. */
static void run_chunk(const scattering *s, int64_t chunk, char *copy, void *workspace)
{
    const tess__operator *op = s->job->op;
    tess_tile             tile = s->job->tile;
    int64_t               chunk_left = chunk;
    void                 *ptr[TESS__MAX_PARAMS];
    int64_t               stride[TESS__MAX_PARAMS][4];
    for (int d = 3; d >= 0; d--) {
        tile.origin[d] = chunk_left % s->chunks[d] * s->extent[d];
        tile.extent[d] = tess__min(s->job->size[d] - tile.origin[d], s->extent[d]);
        chunk_left /= s->chunks[d];
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

static void run_chunks(const void *context, char *workspace, int64_t first, int64_t last)
{
    const scattering *s = context;
    for (int64_t i = first; i < last; i++)
        run_chunk(s, s->first + i, s->copies ? s->copies + (size_t)i * s->copy_size : NULL, workspace);
}

static void task(void *context, int64_t first, int64_t last)
{
    const scattering *s = context;
    tess__with_workspace(s->job, s->job->workspace, run_chunks, s, first, last);
}

/* A copy of array k added to it. */
static void add_copy(const scattering *s, int k, char *copy)
{
    tess__ewise       work;
    const tess_array *out = &s->job->work->param[k].array;
    tess_array        in = *out;
    const tess_dtype  dtype = out->dtype;
    const tess_dtype  kernel = dtype == TESS_F16 ? TESS_F32 : dtype == TESS_C16 ? TESS_C32 : dtype;
    in.data = copy;
    memcpy(in.strides.dim, s->copy_stride[k], sizeof in.strides.dim);
    const tess_array *const operands[3] = { out, out, &in };
    work.name = s->job->op->name;
    work.kind = TESS__APPLY;
    work.param.operate = (tess__apply){ .op = dtype == TESS_BOOL ? TESS__OP_logical_or : TESS__OP_add,
                                        .kernel = kernel,
                                        .stored = { dtype, dtype, dtype },
                                        .wanted = { kernel, kernel, kernel },
                                        .cost = 0.1f };
    tess__plan(&work.loop, out->shape, operands, 3);
    tess__cpu_apply(&work);
}

static void add_copies(const scattering *s, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (uint32_t left = s->job->op->roles.scatter; left; left &= left - 1) {
            const int k = __builtin_ctz(left);
            if (!tess_is_empty(&s->job->work->param[k].array))
                add_copy(s, k, s->copies + (size_t)i * s->copy_size + s->copy_at[k]);
        }
}

/* Waves of chunks, so that memory stays small; each is added before the next begins. */
static tess_status run_waves(scattering *s, int64_t wave)
{
    const size_t size = (size_t)wave * s->copy_size;
    s->copies = tess__alloc(size);
    TESS_CHECK(s->copies, TESS_ENOMEM, "%s: no memory for %zu bytes to scatter to", s->job->op->name, size);
    for (s->first = 0; s->first < s->n_chunks; s->first += wave) {
        const int64_t n = tess__min(wave, s->n_chunks - s->first);
        const double  cost = s->job->cost * (double)(s->job->n / s->n_chunks);
        tess__parallel(n, tess__grain(n, cost), task, s);
        add_copies(s, n);
    }
    tess__free(s->copies);
    return TESS_OK;
}

tess_status tess__run_scatter(tess__job *job)
{
    scattering s = { .job = job };
    place_copies(&s);
    const bool private = s.copy_size <= LARGEST_COPY;
    if (!private) s.copy_size = 0;
    cut_chunks(&s);
    const int64_t wave = tess__min(s.n_chunks, (int64_t)PER_WAVE * tess_threads_get());
    TESS_CHECK(tess__job_workspaces(job, job->workspace, wave), TESS_ENOMEM,
               "%s: no memory for %zu bytes that each thread works in", job->op->name, job->workspace);
    tess_status status = TESS_OK;
    if (private && s.n_chunks > 1) status = run_waves(&s, wave);
    else task(&s, 0, s.n_chunks);
    tess__job_workspaces_free(job, job->workspace);
    return status;
}
