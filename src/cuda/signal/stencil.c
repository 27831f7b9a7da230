/* Convolution, rank filters, means, bilateral filters and non-local means on a GPU: one kernel for all elements of a
 * window, or one for each axis. */
#include <string.h>

#include "core/dtype.h"
#include "core/minmax.h"
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
static const tess__cuda_source mean_source = TESS__CUDA_SOURCE("signal/mean", "IN", "OUT", "SUM", "METHOD", "SIZE");
static const tess__cuda_source plane_source =
    TESS__CUDA_SOURCE("signal/plane", "IN", "OUT", "SUM", "METHOD", "WINDOW", "PACKED");
static const tess__cuda_source bilateral_source = TESS__CUDA_SOURCE("signal/bilateral", "IN", "OUT", "SUM");
static const tess__cuda_source nl_means_source = TESS__CUDA_SOURCE("signal/nl_means", "IN", "OUT", "SUM");

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
        p->patch[k] = (int32_t)work->patch[k];
        if (p->end[k] <= r) return false;
    }
    p->rank = work->rank;
    p->scale = work->scale;
    p->base = work->base;
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

/* ---- Both axes of a plane at once ---- */

static int plane_method(const tess__stencil *work)
{
    if (work->kind == TESS__STENCIL_MEAN) return TESS__GPU_PLANE_MEAN;
    if (work->kind == TESS__STENCIL_RANK) return work->rank == 0 ? TESS__GPU_PLANE_MINIMUM : TESS__GPU_PLANE_MAXIMUM;
    return TESS__GPU_PLANE_CONVOLVE;
}

/* Rows of results of a tile: as many as shared memory holds, of whole blocks as long as the window, or of those of all
 * threads. 0 if it holds none. */
static int64_t plane_rows(const tess__stencil *work)
{
    const int64_t size = tess__dtype_size(work->computed), h = work->size[1], w = work->size[2];
    const int64_t staged =
        TESS__GPU_STENCIL_THREADS / TESS__GPU_PLANE_LANES(size) * TESS__GPU_PLANE_PITCH(w, size) * size;
    const int64_t fits = (TESS__GPU_PLANE_BYTES - staged) / (TESS__GPU_PLANE_WIDTH * size) - (h - 1);
    const int64_t most = tess__min(fits, TESS__GPU_PLANE_HEIGHT);
    const bool    is_sum = plane_method(work) == TESS__GPU_PLANE_CONVOLVE;
    const int64_t unit = is_sum ? TESS__GPU_PLANE_CHUNK(size) * TESS__GPU_STENCIL_THREADS / TESS__GPU_PLANE_WIDTH : h;
    return tess__max(most, 0) / unit * unit;
}

static bool is_plane(const tess__stencil *work)
{
    const int64_t h = work->size[1], w = work->size[2];
    const bool    complex_weights = work->kind == TESS__STENCIL_SEPARABLE && work->filter[2].data &&
                                 tess_dtype_kind(work->filter[2].dtype) == TESS_KIND_COMPLEX;
    return h > 1 && w > 1 && h <= TESS__GPU_PLANE_WINDOW && w <= TESS__GPU_PLANE_WINDOW &&
           tess__dtype_size(work->computed) <= 8 && !complex_weights && plane_rows(work) > 0;
}

/* What lies outside after `elements` of a window were combined: sums are that times their number. */
static void outside_after(uint8_t outside[16], const tess__stencil *work, int64_t elements)
{
    double sums[2];
    memcpy(outside, work->outside.bytes, 16);
    if (work->kind != TESS__STENCIL_MEAN) return;
    memcpy(sums, outside, sizeof sums);
    for (int k = 0; k < 2; k++) sums[k] *= (double)elements;
    memcpy(outside, sums, sizeof sums);
}

/* Of sums that are the results, the elements of the window; else 0. */
static int64_t divisor_of(const tess__stencil *work, const tess__stencil *pass)
{
    return pass->out.data == work->out.data ? work->size[0] * work->size[1] * work->size[2] : 0;
}

static tess_status both_axes(tess__cuda_call *call, const tess__stencil *work, const tess__stencil *pass)
{
    tess__gpu_stencil p;
    const int64_t     height = plane_rows(work), size[3] = { 1, pass->size[1], pass->size[2] };
    if (!set_params(&p, pass, size)) return TESS_OK;
    p.filter = (uint64_t)(uintptr_t)work->filter[2].data;
    p.filter_h = (uint64_t)(uintptr_t)work->filter[1].data;
    p.divisor = divisor_of(work, pass);
    outside_after(p.outside_h, work, size[2]);
    const int64_t blocks = set_tiles(&p, work->out.shape.b, height, TESS__GPU_PLANE_WIDTH);
    const int64_t numbers[TESS__CUDA_WORDS] = { pass->in.dtype,
                                                pass->out.dtype,
                                                work->computed,
                                                plane_method(work),
                                                10000 * height + 100 * size[1] + size[2],
                                                p.in.stride[3] == 1 && p.out.stride[3] == 1 };
    TESS_TRY(tess__cuda_run_source(call, &plane_source, numbers, blocks, TESS__GPU_STENCIL_THREADS, &p));
    return TESS_OK;
}

/* ---- Passes ---- */

/* The pass along one axis: `work` has the arrays that it reads and writes, the border and `size`, that of the whole
 * window along this axis and those before it. */
typedef tess_status pass_fn(tess__cuda_call *call, const tess__stencil *work, const tess__stencil *pass, int axis);

/* Passes along w, h and d, those of `has`; those along w and h are one where that can be. Each reads what the one
 * before has written; with the border NOTHING, it leaves out what that one has. */
static tess_status passes(tess__cuda_call *call, const tess__stencil *work, const bool has[3], pass_fn *run)
{
    const bool       plane = has[1] && has[2] && is_plane(work);
    tess__cu_address workspace[2] = { 0, 0 };
    tess__stencil    pass = *work;
    tess_status      status = TESS_OK;
    int              left = has[0] + has[1] + has[2] - plane, made = 0;
    for (int k = plane ? 1 : 2; k >= 0; k--) {
        if (!has[k]) continue;
        if (--left) {
            const size_t bytes = (size_t)(tess_n_elements(&work->out) * tess__dtype_size(work->computed));
            TESS_GOTO(done, status, tess__cuda_workspace_acquire(&workspace[made], call, bytes));
            pass.out = between(work, workspace[made++]);
        } else pass.out = work->out;
        for (int j = 0; j < 3; j++) pass.size[j] = j >= k ? work->size[j] : 1;
        TESS_GOTO(done, status, plane && k == 1 ? both_axes(call, work, &pass) : run(call, work, &pass, k));
        pass.in = pass.out;
    }
done:
    for (int i = 0; i < made; i++) tess__cuda_workspace_release(call, workspace[i]);
    return status;
}

/* 1 along the other axes. */
static void size_of_pass(int64_t size[3], const tess__stencil *pass, int axis)
{
    for (int k = 0; k < 3; k++) size[k] = k == axis ? pass->size[k] : 1;
}

static tess_status convolve_axis(tess__cuda_call *call, const tess__stencil *work, const tess__stencil *pass, int axis)
{
    int64_t size[3];
    size_of_pass(size, pass, axis);
    TESS_TRY(convolve(call, pass, &work->filter[axis], size));
    return TESS_OK;
}

static tess_status separable(tess__cuda_call *call, const tess__stencil *work)
{
    const bool has[3] = { work->filter[0].data, work->filter[1].data, work->filter[2].data };
    TESS_TRY(passes(call, work, has, convolve_axis));
    return TESS_OK;
}

/* ---- Means ---- */

/* A thread has a block of a column; the sums that end it are kept in a workspace, if it is long. */
static tess_status sum_columns(tess__cuda_call *call, tess__gpu_stencil *p, const int64_t numbers[TESS__CUDA_WORDS],
                               const tess__stencil *pass)
{
    const bool       is_long = numbers[4] == 0;
    tess__cu_address kept = 0;
    p->tiles[0] = tess__cuda_groups(p->end[1] - p->first[1], p->size[1]);
    p->tiles[1] = p->end[2] - p->first[2];
    p->items = pass->out.shape.b * (p->end[0] - p->first[0]) * p->tiles[0] * p->tiles[1];
    const int64_t bytes = p->items * p->size[1] * tess__dtype_size(pass->computed);
    if (is_long) TESS_TRY(tess__cuda_workspace_acquire(&kept, call, (size_t)bytes));
    p->filter = kept;
    const int64_t     blocks = tess__cuda_groups(p->items, TESS__GPU_STENCIL_THREADS);
    const tess_status status = tess__cuda_run_source(call, &mean_source, numbers, blocks, TESS__GPU_STENCIL_THREADS, p);
    if (is_long) tess__cuda_workspace_release(call, kept);
    return status;
}

/* Outside are sums of the passes before. */
static tess_status sum_axis(tess__cuda_call *call, const tess__stencil *work, const tess__stencil *pass, int axis)
{
    tess__gpu_stencil p;
    int64_t           size[3];
    size_of_pass(size, pass, axis);
    if (!set_params(&p, pass, size)) return TESS_OK;
    outside_after(p.outside, work, (axis < 2 ? work->size[2] : 1) * (axis < 1 ? work->size[1] : 1));
    if (axis == 0) swap_axes(&p);
    p.divisor = divisor_of(work, pass);
    const int64_t length = size[axis];
    const bool    is_small = axis < 2 && length <= TESS__GPU_MEAN_SMALL, is_short = length <= TESS__GPU_MEAN_SHORT;
    const int method = axis < 2 ? TESS__GPU_MEAN_COLUMNS : is_short ? TESS__GPU_MEAN_ROWS : TESS__GPU_MEAN_LONG_ROWS;
    int64_t   numbers[TESS__CUDA_WORDS] = { pass->in.dtype, pass->out.dtype, work->computed, method,
                                          is_small ? length : 0 };
    if (axis < 2) TESS_TRY(sum_columns(call, &p, numbers, pass));
    else {
        const int64_t blocks = set_tiles(&p, work->out.shape.b, 1, TESS__GPU_STENCIL_THREADS);
        TESS_TRY(tess__cuda_run_source(call, &mean_source, numbers, blocks, TESS__GPU_STENCIL_THREADS, &p));
    }
    return TESS_OK;
}

static tess_status mean(tess__cuda_call *call, const tess__stencil *work)
{
    const bool deep = work->size[0] > 1, high = work->size[1] > 1;
    const bool has[3] = { deep, high, work->size[2] > 1 || !(deep || high) };
    TESS_TRY(passes(call, work, has, sum_axis));
    return TESS_OK;
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

static int64_t count(const int64_t size[3]) { return size[0] * size[1] * size[2]; }

/* With a window of `size`, or a part of it. */
static tess_status rank(tess__cuda_call *call, const tess__stencil *work, const int64_t size[3])
{
    tess__gpu_stencil p;
    if (!set_params(&p, work, size)) return TESS_OK;
    p.filter = (uint64_t)(uintptr_t)work->filter[0].data;
    if (!p.filter) swap_axes(&p);
    const int64_t n = count(size);
    const int     method = p.filter          ? (p.rank == 0 ? TESS__GPU_FOOTPRINT_MINIMUM : TESS__GPU_FOOTPRINT_MAXIMUM)
                           : p.rank == 0     ? TESS__GPU_RANK_MINIMUM
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

static tess_status extreme_of_axis(tess__cuda_call *call, const tess__stencil *work, const tess__stencil *pass,
                                   int axis)
{
    tess__stencil axis_pass = *pass;
    int64_t       size[3];
    size_of_pass(size, pass, axis);
    axis_pass.rank = work->rank ? count(size) - 1 : 0;
    TESS_TRY(rank(call, &axis_pass, size));
    return TESS_OK;
}

/* Minima and maxima of a plane, and of large windows, are those of one axis after the other. */
static tess_status rank_or_passes(tess__cuda_call *call, const tess__stencil *work)
{
    const int64_t n = count(work->size);
    const bool    extreme = work->rank == 0 || work->rank == n - 1;
    const bool    has[3] = { work->size[0] > 1, work->size[1] > 1, work->size[2] > 1 };
    if (extreme && !work->filter[0].data && (n > TESS__GPU_RANK_ONE_PASS || is_plane(work)))
        TESS_TRY(passes(call, work, has, extreme_of_axis));
    else TESS_TRY(rank(call, work, work->size));
    return TESS_OK;
}

/* ---- Weights of similar elements ---- */

static tess_status similar(tess__cuda_call *call, const tess__stencil *work, const tess__cuda_source *source)
{
    tess__gpu_stencil p;
    const int64_t     width = TESS__GPU_SIMILAR_WIDTH;
    const int64_t     numbers[TESS__CUDA_WORDS] = { work->in.dtype, work->out.dtype, work->computed };
    if (!set_params(&p, work, work->size)) return TESS_OK;
    p.filter = (uint64_t)(uintptr_t)work->filter[0].data;
    const int64_t blocks = set_tiles(&p, work->out.shape.b, width, width);
    TESS_TRY(tess__cuda_run_source(call, source, numbers, blocks, width * width, &p));
    return TESS_OK;
}

/* ---- The request ---- */

tess_status tess__cuda_stencil(tess__cuda_call *call, const tess__stencil *work)
{
    if (work->kind == TESS__STENCIL_RANK) TESS_TRY(rank_or_passes(call, work));
    else if (work->kind == TESS__STENCIL_MEAN) TESS_TRY(mean(call, work));
    else if (work->kind == TESS__STENCIL_BILATERAL) TESS_TRY(similar(call, work, &bilateral_source));
    else if (work->kind == TESS__STENCIL_NL_MEANS) TESS_TRY(similar(call, work, &nl_means_source));
    else if (work->kind == TESS__STENCIL_SEPARABLE) TESS_TRY(separable(call, work));
    else TESS_TRY(convolve(call, work, &work->filter[0], work->size));
    return TESS_OK;
}
