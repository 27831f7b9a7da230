/* Shapes on a GPU, bit for bit as on the CPU: a kernel over the rows of the output. */
#include <string.h>

#include "core/minmax.h"
#include "cuda/cuda.h"
#include "cuda/geometry/draw/draw_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"

enum {
    THREADS = 128,
    PER_THREAD = 8, /* elements of a row, where it is long */
    MIN_THREADS = 32,
};

static const tess__cuda_source source = TESS__CUDA_SOURCE("geometry/draw/draw", "IN", "OUT", "KIND", "OP");

/* Threads to a row: a power of 2, so that neighbours write neighbours. */
static int64_t threads_of(int64_t width)
{
    const int64_t wanted = tess__max((width - 1) / PER_THREAD + 1, tess__min(width, MIN_THREADS));
    int64_t       n = 1;
    while (n < wanted && n < THREADS) n *= 2;
    return n;
}

tess_status tess__cuda_draw(tess__cuda_call *call, const tess__draw *work)
{
    const tess_shape *shape = &work->out.shape;
    const int64_t     rows[4] = { shape->b, shape->d, shape->h, threads_of(shape->w) };
    const int64_t  numbers[TESS__CUDA_WORDS] = { work->in.data ? work->in.dtype : 0, work->out.dtype, work->spec.kind,
                                                work->spec.op };
    tess__gpu_draw p = { .out = tess__cuda_array(&work->out),
                         .in = tess__cuda_array(&work->in),
                         .shapes = (uintptr_t)work->shapes.data,
                         .n_shapes = work->shapes.shape.d,
                         .batch_step = work->shapes.shape.b > 1 ? work->shapes.shape.d : 0,
                         .width = shape->w,
                         .spec = work->spec };
    memcpy(p.logical, work->logical, sizeof p.logical);
    memcpy(p.order, work->order, sizeof p.order);
    tess__cuda_grid(&p.rows, rows);
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(p.rows.n, THREADS), THREADS, &p));
    return TESS_OK;
}
