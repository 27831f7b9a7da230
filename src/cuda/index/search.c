/* Binary search in sorted rows on a GPU (searchsorted). */
#include "cuda/cuda.h"
#include "cuda/index/search_params.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/jit/loop.h"

static const tess__cuda_source source = TESS__CUDA_SOURCE("index/search", "DIMS", "WIDE", "OUT", "IN", "KEY");

tess_status tess__cuda_search(tess__cuda_call *call, const tess__search *work)
{
    tess_array        rows = work->sorted;
    const tess_array *operands[3] = { &work->out, &work->values, &rows };
    tess__gpu_search  p = { .n = work->sorted.shape.w, .right = work->right };
    tess__cuda_shape  shape;
    tess__loop        loop;
    rows.shape.w = 1;
    tess__plan(&loop, work->out.shape, operands, 3);
    tess__cuda_loop_in_order(&p.loop, &shape, &loop);
    const int64_t numbers[TESS__CUDA_WORDS] = { shape.dims, shape.wide, work->out.dtype, work->values.dtype,
                                                work->dtype };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_loop_blocks(&p.loop, &shape),
                                   TESS__GPU_LOOP_THREADS, &p));
    return TESS_OK;
}
