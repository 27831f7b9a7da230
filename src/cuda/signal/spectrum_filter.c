/* Filters of spectra on a GPU, bit for bit as on the CPU: the constants of each batch, if it has its own, and then a
 * kernel over the rows of the output. */
#include <string.h>

#include "core/dtype.h"
#include "core/minmax.h"
#include "cuda/cuda.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/runtime/memory.h"
#include "cuda/signal/spectrum_filter_params.h"

enum {
    THREADS = TESS__GPU_FILTER_THREADS,
    ROWS = TESS__GPU_FILTER_ROWS,
    PER_THREAD = 8,    /* elements of a row, where it is long */
    MIN_THREADS = 32,  /* to a row, where it has so many elements */
    MIN_BLOCKS = 8192, /* of several batches: rows are cut where there are fewer */
};

static const tess__cuda_source source =
    TESS__CUDA_SOURCE("signal/spectrum_filter", "IN", "OUT", "KIND", "FORM", "FLAGS", "BATCHES");
static const tess__cuda_source values_source = TESS__CUDA_SOURCE("signal/filter_values", "KIND");

/* Threads to a row: a power of 2, so that neighbours read neighbours. */
static int64_t threads_of(int64_t width)
{
    const int64_t wanted = tess__max((width - 1) / PER_THREAD + 1, tess__min(width, MIN_THREADS));
    int64_t       n = THREADS / ROWS;
    while (n < wanted && n < THREADS) n *= 2;
    return n;
}

/* The constants of each batch, into a workspace. */
static tess_status make_values(tess__cuda_call *call, const tess__spectrum_filter *work, tess__cu_address values)
{
    const tess_array       *given = &work->parameters;
    tess__gpu_filter_values p = { .values = values,
                                  .parameters = (uintptr_t)given->data,
                                  .n = given->shape.b,
                                  .columns = given->shape.w,
                                  .stride_b = given->strides.b,
                                  .stride_w = given->strides.w,
                                  .spec = work->spec };
    const int64_t           numbers[TESS__CUDA_WORDS] = { work->spec.kind };
    memcpy(p.shared, work->columns, sizeof p.shared);
    memcpy(p.column_of, work->column_of, sizeof p.column_of);
    TESS_TRY(tess__cuda_run_source(call, &values_source, numbers, tess__cuda_groups(p.n, THREADS), THREADS, &p));
    return TESS_OK;
}

/* Blocks have several rows, unless their threads have several batches. */
static int64_t set_blocks(tess__gpu_spectrum_filter *p, int64_t batches)
{
    p->threads = (int32_t)threads_of(p->width);
    const int64_t at_once = THREADS / p->threads;
    p->group = (int32_t)tess__max(at_once, ROWS / batches);
    const int64_t groups = tess__cuda_groups(p->rows.n, p->group);
    const int64_t wanted = batches > 1 ? tess__cuda_groups(MIN_BLOCKS, groups) : 1;
    const int64_t cuts = tess__min(tess__cuda_groups(p->width, p->threads), wanted);
    p->chunk = tess__cuda_groups(tess__cuda_groups(p->width, cuts), p->threads) * p->threads;
    p->chunks = tess__cuda_groups(p->width, p->chunk);
    return groups * p->chunks;
}

static tess_status launch(tess__cuda_call *call, const tess__spectrum_filter *work, tess__gpu_spectrum_filter *p,
                          int64_t batches)
{
    const tess__filter_spec *spec = &work->spec;
    const bool               is_odd =
        spec->is_odd || (spec->kind == TESS__FILTER_IMAGE && tess_dtype_kind(work->table.dtype) == TESS_KIND_COMPLEX);
    const int     form = spec->kind == TESS__FILTER_PASS ? spec->edge : spec->mode;
    const int64_t numbers[TESS__CUDA_WORDS] = {
        work->in.data ? work->in.dtype : 0,           work->out.dtype, spec->kind, form,
        (spec->enveloped ? 1 : 0) | (is_odd ? 2 : 0), batches
    };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, set_blocks(p, batches), THREADS, p));
    return TESS_OK;
}

tess_status tess__cuda_spectrum_filter(tess__cuda_call *call, const tess__spectrum_filter *work)
{
    const tess_shape *shape = &work->out.shape;
    const bool        own_values = work->parameters.shape.b > 1,
               own = own_values || work->table.shape.b > 1 || tess__spectrum_filter_shifts(work) > 1;
    const int64_t             batches = own ? 1 : tess__min(shape->b, TESS__GPU_FILTER_BATCHES);
    const int64_t             rows[4] = { tess__cuda_groups(shape->b, batches), shape->d, shape->h, 1 };
    tess__cu_address          values = 0;
    tess_status               status = TESS_OK;
    tess__gpu_spectrum_filter p = { .out = tess__cuda_array(&work->out),
                                    .in = tess__cuda_array(&work->in),
                                    .table = tess__cuda_array(&work->table),
                                    .spec = work->spec,
                                    .width = shape->w,
                                    .batches = shape->b,
                                    .all_batches = work->batches };
    tess__cuda_grid(&p.rows, rows);
    memcpy(p.axis, work->axis, sizeof p.axis);
    if (work->table.shape.b <= 1) p.table.stride[0] = 0;
    for (int k = 1; k < 4; k++) {
        p.factors[k] = tess__cuda_array(&work->factors[k]);
        if (work->factors[k].shape.b <= 1) p.factors[k].stride[0] = 0;
    }
    if (work->parameters.data) {
        const size_t bytes = sizeof(tess__filter_values) * (size_t)work->parameters.shape.b;
        TESS_TRY(tess__cuda_workspace_acquire(&values, call, bytes));
        p.values = values;
        p.n_values = work->parameters.shape.b;
        TESS_GOTO(done, status, make_values(call, work, values));
    } else {
        tess__filter_values_of(&p.shared, &work->spec, work->columns);
    }
    TESS_GOTO(done, status, launch(call, work, &p, batches));
done:
    if (values) tess__cuda_workspace_release(call, values);
    return status;
}
