/* Search for invalid elements: a kernel finds the first, whose value is then copied to the host for the message. */
#include "cuda/index/first_invalid.h"

#include <math.h>

#include "core/dtype.h"
#include "core/device/engine.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"

enum { THREADS = 256, ROUNDS = 4 };

static const tess__cuda_source source = TESS__CUDA_SOURCE("index/first_invalid", "DTYPE", "WHAT");

static tess_status search(tess__cuda_call *call, const tess_array *in, int what, tess__cu_address workspace)
{
    tess__gpu_find p = { .first = workspace };
    const int64_t  numbers[TESS__CUDA_WORDS] = { in->dtype, what };
    tess__cuda_grid_in_order(&p.grid, &p.in, in);
    TESS_CUDA(call, set_bytes, workspace, 0xff, sizeof(uint64_t), call->stream->handle);
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(p.grid.n, THREADS * ROUNDS), THREADS, &p));
    return TESS_OK;
}

static tess_status fetch(double *value, tess__cuda_call *call, const tess_array *in, int64_t index)
{
    _Alignas(16) unsigned char element[16];
    const tess_dtype           real = tess_dtype_real(in->dtype);
    const int64_t              size = tess__dtype_size(in->dtype);
    int64_t                    offset = 0;
    for (int d = 3; d >= 0; d--) {
        offset += index % in->shape.dim[d] * in->strides.dim[d];
        index /= in->shape.dim[d];
    }
    TESS_CUDA(call, copy_out, element, (uintptr_t)((char *)in->data + offset * size), (size_t)size,
              call->stream->handle);
    TESS_TRY(tess__cuda_wait(call));
    TESS_TRY(tess__convert(value, TESS_F64, element, real));
    if (real != in->dtype && isfinite(*value))
        TESS_TRY(tess__convert(value, TESS_F64, element + tess__dtype_size(real), real));
    return TESS_OK;
}

tess_status tess__cuda_find(int64_t *index, double *value, tess__cuda_call *call, const tess_array *in, int what)
{
    tess_status      status;
    uint64_t         first = UINT64_MAX;
    tess__cu_address workspace = 0;
    TESS_TRY(tess__cuda_workspace_acquire(&workspace, call, sizeof first));
    TESS_GOTO(done, status, search(call, in, what, workspace));
    TESS_CUDA_GOTO(done, status, call, copy_out, &first, workspace, sizeof first, call->stream->handle);
    TESS_GOTO(done, status, tess__cuda_wait(call));
    *index = first == UINT64_MAX ? -1 : (int64_t)first;
    if (*index >= 0) TESS_GOTO(done, status, fetch(value, call, in, *index));
done:
    tess__cuda_workspace_release(call, workspace);
    return status;
}
