/* Convolution and rank filters on a GPU: one kernel for all weights, one for each axis of separable ones. */
#include <string.h>

#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/runtime/memory.h"
#include "cuda/signal/stencil_params.h"
#include "tessera/border.h"

static const tess__cuda_source convolve_source =
    TESS__CUDA_SOURCE("signal/convolve", "IN", "OUT", "SUM", "COMPLEX_FILTER", "WINDOW", "PACKED");
static const tess__cuda_source rank_source =
    TESS__CUDA_SOURCE("signal/rank", "DTYPE", "METHOD", "WINDOW_H", "WINDOW_W", "TILED", "ROWS");

/* ---- Parameters ---- */

/* False where there are no results. */
static bool set_params(tess__gpu_stencil *p, const tess__stencil *work, const int64_t size[3])
{
    *p = (tess__gpu_stencil){ .out = tess__cuda_array(&work->out), .in = tess__cuda_array(&work->in) };
    for (int k = 0; k < 3; k++) {
        const int64_t r = work->border == TESS_BORDER_NOTHING ? (work->size[k] - 1) / 2 : 0;
        p->n[k] = work->in.shape.dim[k + 1];
        p->first[k] = r;
        p->end[k] = p->n[k] - r;
        p->size[k] = (int32_t)size[k];
        if (p->end[k] <= r) return false;
    }
    p->rank = work->rank;
    p->border = work->border;
    memcpy(p->outside, work->outside.bytes, sizeof p->outside);
    return true;
}

/* A window along d alone, or along d and w, is taken as one along h: neighbours then share a tile. */
static void swap_axes(tess__gpu_stencil *p)
{
    if (p->size[0] == 1 || p->size[1] > 1) return;
#define SWAP(type, a)                                                                                                  \
    do {                                                                                                               \
        const type first = (a)[0];                                                                                     \
        (a)[0] = (a)[1];                                                                                               \
        (a)[1] = first;                                                                                                \
    } while (0)
    SWAP(int64_t, p->n);
    SWAP(int64_t, p->first);
    SWAP(int64_t, p->end);
    SWAP(int32_t, p->size);
    SWAP(int64_t, p->in.stride + 1);
    SWAP(int64_t, p->out.stride + 1);
#undef SWAP
}

static int64_t set_tiles(tess__gpu_stencil *p, int64_t batches, int64_t height, int64_t width)
{
    p->tiles[0] = tess__cuda_groups(p->end[1] - p->first[1], height);
    p->tiles[1] = tess__cuda_groups(p->end[2] - p->first[2], width);
    return batches * (p->end[0] - p->first[0]) * p->tiles[0] * p->tiles[1];
}

/* ---- Convolution ---- */

/* WINDOW of the kernel: those of f32 are compiled for each small window. */
static int64_t window_of(const int32_t size[3], tess_dtype computed)
{
    const int64_t h = size[1], w = size[2];
    if (computed == TESS_F32 && h * w <= TESS__GPU_STENCIL_SMALL && h <= TESS__GPU_STENCIL_SHORT &&
        w <= TESS__GPU_STENCIL_SHORT)
        return 100 * h + w;
    return w > TESS__GPU_STENCIL_CHUNK;
}

static tess_status convolve(tess__cuda_call *call, const tess__stencil *work, const tess_array *filter,
                            const int64_t size[3])
{
    tess__gpu_stencil p;
    if (!set_params(&p, work, size)) return TESS_OK;
    swap_axes(&p);
    p.filter = (uint64_t)(uintptr_t)filter->data;
    const int64_t bytes = tess__dtype_size(work->computed), window = window_of(p.size, work->computed);
    const int64_t height = TESS__GPU_STENCIL_THREADS / 32 * TESS__GPU_STENCIL_ROWS(bytes);
    const int64_t blocks = set_tiles(&p, work->out.shape.b, height, 32 * TESS__GPU_STENCIL_COLUMNS(window > 1));
    const int64_t numbers[TESS__CUDA_WORDS] = { work->in.dtype, work->out.dtype,
                                                work->computed, tess_dtype_kind(filter->dtype) == TESS_KIND_COMPLEX,
                                                window,         p.in.stride[3] == 1 && p.out.stride[3] == 1 };
    TESS_TRY(tess__cuda_run_source(call, &convolve_source, numbers, blocks, TESS__GPU_STENCIL_THREADS, &p));
    return TESS_OK;
}

/* An array like the output, in the dtype of sums, contiguous. */
static tess_array between(const tess__stencil *work, tess__cu_address workspace)
{
    tess_array a = work->out;
    a.strides = tess_strides_contiguous(a.shape, 'C');
    a.dtype = work->computed;
    a.data = (void *)(uintptr_t)workspace;
    return a;
}

/* Each pass reads what the one before has written; with the border NOTHING, it leaves out what that one has. */
static tess_status separable(tess__cuda_call *call, const tess__stencil *work)
{
    tess__cu_address workspace[2] = { 0, 0 };
    tess__stencil    pass = *work;
    tess_status      status = TESS_OK;
    int              left = 0, made = 0;
    for (int k = 0; k < 3; k++) left += work->filter[k].data != NULL;
    for (int k = 2; k >= 0; k--) {
        int64_t size[3] = { 1, 1, 1 };
        if (!work->filter[k].data) continue;
        size[k] = work->size[k];
        if (--left) {
            const size_t bytes = (size_t)(tess_n_elements(&work->out) * tess__dtype_size(work->computed));
            TESS_GOTO(done, status, tess__cuda_workspace_acquire(&workspace[made], call, bytes));
            pass.out = between(work, workspace[made++]);
        } else pass.out = work->out;
        for (int j = 0; j < 3; j++) pass.size[j] = j >= k ? work->size[j] : 1;
        TESS_GOTO(done, status, convolve(call, &pass, &work->filter[k], size));
        pass.in = pass.out;
    }
done:
    for (int i = 0; i < made; i++) tess__cuda_workspace_release(call, workspace[i]);
    return status;
}

/* ---- Ranks ---- */

static bool is_network(const tess__gpu_stencil *p)
{
    const int64_t h = p->size[1], w = p->size[2];
    if (p->size[0] > 1 || p->rank != h * w / 2) return false;
    return (h == w && (h == 3 || h == 5)) || ((h == 1 || w == 1) && (h * w == 3 || h * w == 5 || h * w == 7));
}

/* Of a tile and its halo, if a thread has so many rows of results. */
static int64_t rank_bytes(const tess__gpu_stencil *p, int64_t rows, tess_dtype dtype)
{
    return p->size[0] * (TESS__GPU_RANK_HEIGHT * rows + p->size[1] - 1) * (TESS__GPU_RANK_WIDTH + p->size[2] - 1) *
           tess__dtype_size(dtype);
}

static tess_status rank(tess__cuda_call *call, const tess__stencil *work)
{
    tess__gpu_stencil p;
    if (!set_params(&p, work, work->size)) return TESS_OK;
    swap_axes(&p);
    const int64_t n = (int64_t)p.size[0] * p.size[1] * p.size[2];
    const int     method = p.rank == 0       ? TESS__GPU_RANK_MINIMUM
                           : p.rank == n - 1 ? TESS__GPU_RANK_MAXIMUM
                           : is_network(&p)  ? TESS__GPU_RANK_NETWORK
                                             : TESS__GPU_RANK_BITS;
    const bool    network = method == TESS__GPU_RANK_NETWORK;
    int64_t       rows = network ? 2 : 4;
    while (rows > 1 && rank_bytes(&p, rows, work->in.dtype) > TESS__GPU_RANK_BYTES) rows /= 2;
    const int64_t numbers[TESS__CUDA_WORDS] = { work->in.dtype,
                                                method,
                                                network ? p.size[1] : 0,
                                                network ? p.size[2] : 0,
                                                rank_bytes(&p, rows, work->in.dtype) <= TESS__GPU_RANK_BYTES,
                                                rows };
    const int64_t blocks = set_tiles(&p, work->out.shape.b, TESS__GPU_RANK_HEIGHT * rows, TESS__GPU_RANK_WIDTH);
    TESS_TRY(tess__cuda_run_source(call, &rank_source, numbers, blocks, TESS__GPU_STENCIL_THREADS, &p));
    return TESS_OK;
}

/* ---- The request ---- */

tess_status tess__cuda_stencil(tess__cuda_call *call, const tess__stencil *work)
{
    if (work->kind == TESS__STENCIL_RANK) TESS_TRY(rank(call, work));
    else if (work->kind == TESS__STENCIL_SEPARABLE) TESS_TRY(separable(call, work));
    else TESS_TRY(convolve(call, work, &work->filter[0], work->size));
    return TESS_OK;
}
