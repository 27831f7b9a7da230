/* Stream compaction on a GPU: elements selected by a mask are counted, gathered or scattered. */
#include <inttypes.h>
#include <string.h>

#include "core/array/layout.h"
#include "cuda/cuda.h"
#include "cuda/index/block_counts.h"
#include "cuda/index/mask_params.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/jit/loop.h"

enum { THREADS = 256 };

_Static_assert((int)TESS__GPU_MASK_BLOCK == TESS__MASK_BLOCK, "one block has one count");

static const tess__cuda_source source = TESS__CUDA_SOURCE("index/mask", "DIMS", "WIDE", "MASK", "UNIT", "KIND");

/* The largest unit of which the size of an element and the addresses of all that is moved are multiples; a number for
 * all lies among the kernel's parameters, at a multiple of 8. */
static int unit_of(const tess__mask *work)
{
    const uintptr_t values = work->same ? 8 : (uintptr_t)work->values.data;
    const uintptr_t all = (uintptr_t)tess__dtype_size(work->array.dtype) | (uintptr_t)work->array.data | values | 16;
    return (int)(all & -all);
}

static tess_status run(tess__cuda_call *call, const tess__mask *work, int kind)
{
    const tess_array *operands[2] = { &work->array, &work->mask };
    const int         unit = unit_of(work);
    tess__gpu_mask    p = { .units = tess__dtype_size(work->array.dtype) / unit,
                            .starts = (uintptr_t)work->counts.data,
                            .indices = (uintptr_t)work->indices.data };
    tess__cuda_shape  shape;
    tess__loop        loop;
    tess__plan_in_order(&loop, work->array.shape, operands, 2);
    for (int d = 0; d < loop.n_dims; d++) loop.stride[0][d] *= p.units;
    tess__cuda_loop_in_order(&p.loop, &shape, &loop);
    if (work->same) memcpy(p.value, work->values.data, (size_t)tess__dtype_size(work->array.dtype));
    else p.values = (uintptr_t)work->values.data;
    const int64_t numbers[TESS__CUDA_WORDS] = { shape.dims, shape.wide, work->mask.dtype, unit, kind };
    const int64_t blocks = (loop.n + TESS__MASK_BLOCK - 1) / TESS__MASK_BLOCK;
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, blocks, THREADS, &p));
    if (kind == TESS__GPU_MASK_COUNT) TESS_TRY(tess__cuda_add_up(call, p.starts, blocks));
    return TESS_OK;
}

/* The sum of all counts. */
static tess_status fetch_total(int64_t *total, tess__cuda_call *call, const tess__mask *work)
{
    const int64_t *counts = work->counts.data;
    TESS_TRY(tess__cuda_fetch(total, call, (uintptr_t)(counts + work->counts.shape.w - 1)));
    return TESS_OK;
}

static tess_status move_elements(tess__cuda_call *call, const tess__mask *work)
{
    int64_t chosen = 0;
    if (!work->same) {
        TESS_TRY(fetch_total(&chosen, call, work));
        TESS_CHECK(chosen == work->values.shape.w, TESS_ESHAPE,
                   "%s: `values` has %" PRId64 " elements and the mask selects %" PRId64 "; the numbers must be equal",
                   work->name, work->values.shape.w, chosen);
        if (chosen == 0) return TESS_OK;
    }
    TESS_TRY(run(call, work, TESS__GPU_MASK_PLACE));
    return TESS_OK;
}

tess_status tess__cuda_mask(tess__cuda_call *call, const tess__mask *work)
{
    if (tess__elements(&work->array) == 0) {
        if (work->kind == TESS__MASK_COUNT) TESS_TRY(tess__cuda_add_up(call, (uintptr_t)work->counts.data, 0));
        if (work->kind == TESS__MASK_PLACE) TESS_TRY(move_elements(call, work));
        return TESS_OK;
    }
    if (work->kind == TESS__MASK_PLACE) {
        TESS_TRY(move_elements(call, work));
        return TESS_OK;
    }
    TESS_TRY(run(call, work, work->kind == TESS__MASK_COUNT ? TESS__GPU_MASK_COUNT : TESS__GPU_MASK_COMPRESS));
    if (work->total) TESS_TRY(fetch_total(work->total, call, work));
    return TESS_OK;
}
