/* Exclusive prefix sum of the counts of blocks, on the device. */
#include "cuda/index/block_counts.h"

#include "cuda/index/mask_params.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/runtime/stream.h"

enum { THREADS = 1024 };

static const tess__cuda_source source = TESS__CUDA_SOURCE("index/block_counts", NULL);

tess_status tess__cuda_add_up(tess__cuda_call *call, tess__cu_address counts, int64_t n)
{
    const tess__gpu_add_up p = { .n = n, .counts = counts };
    const int64_t          numbers[TESS__CUDA_WORDS] = { 0 };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, 1, THREADS, &p));
    return TESS_OK;
}

tess_status tess__cuda_fetch(int64_t *number, tess__cuda_call *call, tess__cu_address from)
{
    TESS_CUDA(call, copy_out, number, from, sizeof *number, call->stream->handle);
    TESS_TRY(tess__cuda_wait(call));
    return TESS_OK;
}
