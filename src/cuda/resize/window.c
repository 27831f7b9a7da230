/* Window extraction (crop, pad, extract) on a GPU: a kernel over parts of rows, or over single elements where rows
 * are not contiguous. */
#include <string.h>

#include "core/array/layout.h"
#include "core/minmax.h"
#include "cuda/cuda.h"
#include "cuda/jit/division.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/memory/move.h"
#include "cuda/resize/origins.h"
#include "cuda/resize/window_params.h"
#include "tessera/border.h"

enum {
    ROW = 3,
    THREADS = TESS__GPU_WINDOW_THREADS,
    EACH = TESS__GPU_WINDOW_CHUNKS,
    MIN_EACH = 2 * THREADS,
    ENOUGH_BLOCKS = 1024 /* fewer chunks for each, until there are so many */
};

static const tess__cuda_source source = TESS__CUDA_SOURCE("resize/window", "UNIT", "PER", "ORIGIN", "ROWS");

/* ---- Axes ---- */

/* One axis: sizes, and strides in elements. */
typedef struct axis {
    int64_t n, n_in, so, si;
    int     name; /* 0 to 3: b, d, h, w */
} axis;

/* The axis with the smallest stride of the output comes last, those of size 1 first. */
static void sort_axes(axis axes[4], const tess__window *work)
{
    for (int d = 0; d < 4; d++) {
        const axis a = { d == 0 && work->origins.data ? 1 : work->out.shape.dim[d], work->in.shape.dim[d],
                         work->out.strides.dim[d], work->in.strides.dim[d], d };
        int        at = d;
        for (; at > 0; at--) {
            const axis *b = &axes[at - 1];
            if (b->n == 1 || (a.n != 1 && tess__magnitude(a.so) <= tess__magnitude(b->so))) break;
            axes[at] = *b;
        }
        axes[at] = a;
    }
}

/* Is the input contiguous in another axis than the output? */
static bool is_turned(const axis axes[4])
{
    for (int k = 0; k < ROW; k++)
        if (axes[k].n > 1 && axes[k].n_in > 1 && axes[k].si != 0 &&
            tess__magnitude(axes[k].si) < tess__magnitude(axes[ROW].si))
            return true;
    return false;
}

/* The elements of the only window that lie inside, as one copy. */
static tess_status copy_inside(tess__cuda_call *call, const tess__window *work)
{
    tess_array to = work->out, from = work->in;
    for (int k = 0; k < 4; k++) {
        const int64_t origin = work->origin[k], n = work->out.shape.dim[k], first = tess__clamp(-origin, 0, n);
        const int64_t last = tess__clamp(work->in.shape.dim[k] - origin, first, n);
        if (first == last) return TESS_OK;
        to.shape.dim[k] = from.shape.dim[k] = last - first;
        to.data = (char *)to.data + first * to.strides.dim[k] * work->outside.size;
        from.data = (char *)from.data + (origin + first) * from.strides.dim[k] * work->outside.size;
    }
    TESS_TRY(tess__cuda_copy(call, &to, &from));
    return TESS_OK;
}

/* ---- Parameters of the kernel ---- */

/* The largest unit, in bytes, in which elements can be moved at any position. */
static int unit_of(const tess__window *work)
{
    const uintptr_t all = (uintptr_t)work->out.data | (uintptr_t)work->in.data | (uintptr_t)work->outside.size | 16;
    return (int)(all & -all);
}

static void set_outside(tess__gpu_window *p, const tess__window *work)
{
    const int64_t size = work->outside.size;
    p->border = work->border;
    p->fills = work->border == TESS_BORDER_ZERO || work->border == TESS_BORDER_VALUE;
    p->repeats = p->fills && TESS__GPU_CHUNK % size == 0;
    memcpy(p->outside, work->outside.bytes, sizeof p->outside);
    for (int64_t i = size; p->repeats && i < TESS__GPU_CHUNK; i += size)
        memcpy(p->outside + i, work->outside.bytes, (size_t)size);
}

/* Divides so many rows among blocks; returns the number of blocks. */
static int64_t divide_rows(tess__gpu_window *p, int64_t rows, int64_t size)
{
    uint64_t addresses = p->out; /* the bits that tell whether all rows begin at a chunk */
    for (int k = 0; k < ROW; k++) addresses |= (uint64_t)(p->out_stride[k] * size);
    const int64_t shift = addresses % TESS__GPU_CHUNK ? TESS__GPU_CHUNK - 1 : 0;
    const int64_t chunks = tess__cuda_groups(p->n * size + shift, TESS__GPU_CHUNK);
    int64_t       each = EACH;
    while (each > MIN_EACH && (double)rows * (double)chunks < (double)each * ENOUGH_BLOCKS) each /= 2;
    p->parts = (uint32_t)tess__cuda_groups(chunks, each);
    p->chunks = (uint32_t)tess__cuda_groups(chunks, p->parts);
    p->rows = (uint32_t)(p->parts > 1 ? 1 : each / chunks < THREADS ? each / chunks : THREADS);
    p->divisor = tess__cuda_divisor(p->chunks);
    return tess__cuda_groups(rows, p->rows) * p->parts;
}

static void set_axes(tess__gpu_window *p, const axis axes[4], const tess__window *work)
{
    for (int k = 0; k < 4; k++) {
        p->out_stride[k] = axes[k].so;
        p->in_stride[k] = axes[k].si;
        p->n_in[k] = axes[k].n_in;
        p->name[k] = axes[k].name;
        p->origin[k] = work->origin[axes[k].name];
    }
    p->n = axes[ROW].n;
    p->out = (uintptr_t)work->out.data;
    p->in = (uintptr_t)work->in.data;
    if (work->origins.data) p->origins = tess__cuda_origins(&work->origins, work->in.shape.b);
}

tess_status tess__cuda_window(tess__cuda_call *call, const tess__window *work)
{
    axis             axes[4];
    tess__gpu_window p = { .copied = false };
    const bool       listed = work->origins.data != NULL;
    const int        unit = unit_of(work);
    const int64_t    size = work->outside.size;
    sort_axes(axes, work);
    set_axes(&p, axes, work);
    set_outside(&p, work);
    if (!listed && is_turned(axes)) {
        TESS_TRY(copy_inside(call, work));
        p.copied = true;
    }
    const bool    rows = (axes[ROW].so == 1 || axes[ROW].n == 1) && (axes[ROW].si == 1 || axes[ROW].n_in == 1);
    const int64_t sizes[4] = { listed ? work->out.shape.b : axes[0].n, axes[1].n, axes[2].n,
                               rows ? 1 : p.n * (size / unit) };
    tess__cuda_grid(&p.grid, sizes);
    const int64_t numbers[TESS__CUDA_WORDS] = { unit, size / unit, listed ? (int64_t)work->origins.dtype : 0, rows };
    const int64_t blocks =
        rows ? divide_rows(&p, p.grid.n, size) : tess__cuda_groups(p.grid.n, THREADS * TESS__GPU_WINDOW_ROUNDS);
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, blocks, THREADS, &p));
    return TESS_OK;
}
