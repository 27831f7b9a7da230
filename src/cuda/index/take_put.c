/* Gather and scatter by indices (take, put, put_add) on a GPU, along an axis or through a whole array. All indices
 * are checked, and the check is waited for, before anything is written. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/check/data_errors.h"
#include "core/array/layout.h"
#include "cuda/cuda.h"
#include "cuda/index/block_counts.h"
#include "cuda/index/take_put_params.h"
#include "cuda/jit/division.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/jit/loop.h"
#include "cuda/memory/contiguous.h"
#include "cuda/runtime/stream.h"
#include "cuda/sort/sort_vectors.h"

enum { CHECK, LAST, LAST_TARGETS, TARGETS_32, TARGETS_64 }; /* STEP of cuda/index/take_put.cu.h */

static const tess__cuda_source indices_source = TESS__CUDA_SOURCE("index/take_put", "DIMS", "WIDE", "INDEX", "STEP");
static const tess__cuda_source move_source =
    TESS__CUDA_SOURCE("index/take_put_move", "DIMS", "WIDE", "WORD", "INDEX", "PUT");
static const tess__cuda_source add_source = TESS__CUDA_SOURCE("index/put_add", "DIMS", "WIDE", "REAL", "TARGET");

typedef struct take_put {
    const tess__take_put *work;
    tess__cuda_call      *call;
    tess__cuda_workspaces workspaces;
    tess__gpu_indices     p;
    tess__cuda_shape      shape; /* of the loop over indices */
} take_put;

static tess_status run_indices(take_put *c, int step)
{
    const int64_t numbers[TESS__CUDA_WORDS] = { c->shape.dims, c->shape.wide, c->work->indices.dtype, step };
    TESS_TRY(tess__cuda_run_source(c->call, &indices_source, numbers, tess__cuda_loop_blocks(&c->p.loop, &c->shape),
                                   TESS__GPU_LOOP_THREADS, &c->p));
    return TESS_OK;
}

/* ---- Checks ---- */

/* The message for index number `number`, in b, d, h, w order. */
static tess_status reject(take_put *c, int64_t number)
{
    const tess_array *indices = &c->work->indices;
    int64_t           left = number, offset = 0;
    char              bytes[8];
    const int64_t     size = tess__dtype_size(indices->dtype);
    for (int d = 3; d >= 0; d--) {
        offset += left % indices->shape.dim[d] * indices->strides.dim[d];
        left /= indices->shape.dim[d];
    }
    TESS_CUDA(c->call, copy_out, bytes, (uintptr_t)indices->data + (uintptr_t)(offset * size), (size_t)size,
              c->call->stream->handle);
    TESS_TRY(tess__cuda_wait(c->call));
    TESS_TRY(tess__fail_index(c->work, number, bytes));
    return TESS_OK;
}

static tess_status check(take_put *c)
{
    const tess_array *operands[1] = { &c->work->indices };
    tess__loop        loop;
    int64_t           first;
    tess__plan_in_order(&loop, c->work->indices.shape, operands, 1);
    c->p.n = tess__take_put_target(c->work)->shape.dim[c->work->axis];
    c->p.whole = c->work->whole;
    if (loop.n == 0) return TESS_OK;
    tess__cuda_loop_in_order(&c->p.loop, &c->shape, &loop);
    TESS_TRY(tess__cuda_workspaces_acquire(&c->p.bad, &c->workspaces, c->call, 1, sizeof(uint64_t)));
    TESS_CUDA(c->call, set_bytes, c->p.bad, 0xff, sizeof(uint64_t), c->call->stream->handle);
    TESS_TRY(run_indices(c, CHECK));
    TESS_TRY(tess__cuda_fetch(&first, c->call, c->p.bad));
    if (first >= 0) TESS_TRY(reject(c, first));
    return TESS_OK;
}

/* ---- Moving ---- */

/* Strides of the first two operands in bytes. */
static void count_in_bytes(tess__loop *loop)
{
    for (int k = 0; k < 2; k++)
        for (int d = 0; d < loop->n_dims; d++) loop->stride[k][d] *= loop->size[k];
}

/* Dimensions whose elements are contiguous in both, at one index, become part of the element; returns its bytes. */
static int64_t fold(tess__loop *loop, int64_t size)
{
    for (int last = loop->n_dims - 1; last >= 0; last--) {
        if (loop->stride[2][last] != 0 || loop->stride[0][last] != size || loop->stride[1][last] != size) break;
        size *= loop->shape[last];
        loop->n /= loop->shape[last];
        loop->shape[last] = 1;
        if (last > 0) loop->n_dims = last;
    }
    return size;
}

/* The largest number of bytes that can be moved at once. */
static int64_t word_of(const tess__loop *loop, int64_t size, int64_t step)
{
    uint64_t all = (uint64_t)size | (uint64_t)step | (uintptr_t)loop->data[0] | (uintptr_t)loop->data[1] | 16;
    for (int d = 0; d < loop->n_dims; d++) all |= (uint64_t)loop->stride[0][d] | (uint64_t)loop->stride[1][d];
    return (int64_t)(all & -all);
}

/* The words of an element become the innermost dimension; strides count words from then on. */
static void count_in_words(tess__gpu_loop *p, tess__cuda_shape *shape, int64_t words, int64_t word)
{
    const int d = shape->dims;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < d; i++) p->stride[k][i] /= word;
        p->stride[k][d] = 1;
    }
    if (words == 1) return;
    p->n *= words;
    p->shape[d] = words;
    p->stride[2][d] = 0;
    p->divisor[d] = tess__cuda_divisor(words);
    shape->dims++;
    shape->wide = p->n >= (int64_t)1 << 31;
}

/* The loop over `walked`, and over the first elements along the axis of the other array. */
static void plan(tess__loop *loop, const take_put *c, const tess_array *walked, const tess_array *indices)
{
    tess_array        slice = *tess__take_put_target(c->work);
    const tess_array *operands[3] = { walked, &slice, indices };
    tess_shape        domain = c->work->out.shape;
    slice.shape.dim[c->work->axis] = 1;
    if (c->work->kind != TESS__TAKE) domain.dim[c->work->axis] = c->work->indices.shape.dim[c->work->axis];
    tess__plan(loop, domain, operands, 3);
}

static tess_status move(take_put *c, const tess_array *walked, const tess_array *indices)
{
    const tess_array *along = tess__take_put_target(c->work);
    const int64_t     bytes = tess__dtype_size(along->dtype), step = along->strides.dim[c->work->axis] * bytes;
    tess__gpu_move    p = { .n = c->p.n };
    tess__cuda_shape  shape;
    tess__loop        loop;
    plan(&loop, c, walked, indices);
    if (loop.n == 0) return TESS_OK;
    count_in_bytes(&loop);
    const int64_t size = fold(&loop, bytes), word = word_of(&loop, size, step);
    tess__cuda_loop_in_order(&p.loop, &shape, &loop);
    p.step = step / word;
    count_in_words(&p.loop, &shape, size / word, word);
    const int64_t numbers[TESS__CUDA_WORDS] = { shape.dims, shape.wide, word, indices->dtype,
                                                c->work->kind == TESS__PUT };
    TESS_TRY(tess__cuda_run_source(c->call, &move_source, numbers, tess__cuda_loop_blocks(&p.loop, &shape),
                                   TESS__GPU_LOOP_THREADS, &p));
    return TESS_OK;
}

/* A number for each index, in workspace, as an array of the shape of indices. */
static tess_status make_vector(tess_array *vector, take_put *c, tess_dtype dtype)
{
    tess__cu_address workspace;
    int64_t          inner = 1;
    TESS_TRY(tess__cuda_workspaces_acquire(&workspace, &c->workspaces, c->call, c->p.loop.n, tess__dtype_size(dtype)));
    *vector = c->work->indices;
    for (int d = 3; d >= 0; d--) {
        vector->strides.dim[d] = inner;
        inner *= vector->shape.dim[d];
    }
    vector->data = (void *)(uintptr_t)workspace;
    vector->dtype = dtype;
    vector->buffer = NULL;
    return TESS_OK;
}

static tess_status take(take_put *c)
{
    tess_array targets = c->work->indices;
    if (c->p.loop.n == 0) return TESS_OK;
    if (c->p.whole.dims > 0) {
        TESS_TRY(make_vector(&targets, c, TESS_I64));
        c->p.targets = (uintptr_t)targets.data;
        TESS_TRY(run_indices(c, TARGETS_64));
    }
    TESS_TRY(move(c, &c->work->out, &targets));
    return TESS_OK;
}

/* ---- Putting ---- */

/* Of equal indices the last stands. */
static tess_status put(take_put *c)
{
    tess_array targets;
    if (c->p.loop.n == 0) return TESS_OK;
    TESS_TRY(make_vector(&targets, c, TESS_I64));
    TESS_TRY(tess__cuda_workspaces_acquire(&c->p.last, &c->workspaces, c->call, c->p.n, sizeof(uint64_t)));
    TESS_CUDA(c->call, set_bytes, c->p.last, 0, (size_t)c->p.n * sizeof(uint64_t), c->call->stream->handle);
    c->p.targets = (uintptr_t)targets.data;
    TESS_TRY(run_indices(c, LAST));
    TESS_TRY(run_indices(c, LAST_TARGETS));
    TESS_TRY(move(c, &c->work->in, &targets));
    return TESS_OK;
}

/* Targets are less than this. */
static int64_t reach(const take_put *c)
{
    const tess__whole *whole = &c->p.whole;
    int64_t            last = whole->dims > 0 ? 0 : c->p.n - 1;
    for (int d = 0; d < whole->dims; d++) last += (whole->shape[d] - 1) * tess__magnitude(whole->stride[d]);
    return last + 1;
}

/* Indices in order, and the number that each had. */
static tess_status sort_targets(tess_array *sorted, tess__cu_address *order, take_put *c)
{
    const bool         wide = reach(c) > (int64_t)UINT32_MAX;
    tess_array         targets;
    tess__cuda_vectors s = { .mode = TESS__GPU_ARGSORT,
                             .dtype = wide ? TESS_U64 : TESS_U32,
                             .raw_keys = true,
                             .vectors = 1,
                             .n = c->p.loop.n,
                             .results = c->p.loop.n };
    TESS_TRY(make_vector(&targets, c, s.dtype));
    TESS_TRY(make_vector(sorted, c, s.dtype));
    TESS_TRY(tess__cuda_workspaces_acquire(order, &c->workspaces, c->call, s.n, sizeof(int64_t)));
    c->p.targets = s.in = (uintptr_t)targets.data;
    s.values = (uintptr_t)sorted->data;
    s.indices = *order;
    TESS_TRY(run_indices(c, wide ? TARGETS_64 : TARGETS_32));
    TESS_TRY(tess__cuda_sort_vectors(c->call, &s));
    return TESS_OK;
}

/* Elements are as many reals as they are made of, which are one more dimension. */
static tess_status add(take_put *c)
{
    const tess__take_put *work = c->work;
    const tess_dtype      real = tess_dtype_real(work->out.dtype);
    const int64_t         reals = tess__dtype_size(work->out.dtype) / tess__dtype_size(real);
    const bool            one = work->in.shape.dim[work->axis] == 1;
    tess_array            sorted;
    tess__gpu_add         p = { .n = c->p.loop.n,
                                .along = one ? 0 : work->in.strides.dim[work->axis] * reals,
                                .step = work->out.strides.dim[work->axis] * reals };
    tess__cuda_shape      shape;
    tess__loop            loop;
    if (c->p.loop.n == 0) return TESS_OK;
    TESS_TRY(sort_targets(&sorted, &p.order, c));
    plan(&loop, c, &work->in, &sorted);
    if (loop.n == 0) return TESS_OK;
    for (int k = 0; k < 2; k++)
        for (int d = 0; d < loop.n_dims; d++) loop.stride[k][d] *= reals;
    tess__cuda_loop_in_order(&p.loop, &shape, &loop);
    p.sorted = (uintptr_t)sorted.data;
    count_in_words(&p.loop, &shape, reals, 1);
    const int64_t numbers[TESS__CUDA_WORDS] = { shape.dims, shape.wide, real, tess__dtype_size(sorted.dtype) };
    TESS_TRY(tess__cuda_run_source(c->call, &add_source, numbers, tess__cuda_loop_blocks(&p.loop, &shape),
                                   TESS__GPU_LOOP_THREADS, &p));
    return TESS_OK;
}

/* ---- Way in ---- */

static tess_status run(take_put *c)
{
    const tess__take_put *work = c->work;
    TESS_TRY(check(c));
    if (work->kind == TESS__TAKE) TESS_TRY(take(c));
    else if (work->kind == TESS__PUT) TESS_TRY(put(c));
    else TESS_TRY(add(c));
    return TESS_OK;
}

tess_status tess__cuda_take_put(tess__cuda_call *call, const tess__take_put *work)
{
    take_put          c = { .work = work, .call = call };
    const tess_status status = run(&c);
    tess__cuda_workspaces_release(&c.workspaces, call);
    TESS_TRY(status);
    return TESS_OK;
}
