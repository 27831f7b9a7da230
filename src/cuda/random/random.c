/* Philox random numbers on a GPU: the same bits as on the CPU, from the same source. */
#include "core/check/data_errors.h"
#include "core/dtype.h"
#include "core/device/engine.h"
#include "core/array/layout.h"
#include "cuda/cuda.h"
#include "cuda/index/first_invalid.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/memory/move.h"
#include "cuda/random/random_params.h"
#include "tessera/math/random.op.h"

enum { THREADS = 256, ROUNDS = 2 };

/* ---- Floats and integers ---- */

static const tess__cuda_source source = TESS__CUDA_SOURCE("random/random", "DISTRIBUTION", "DTYPE", "PARTS", "EACH");

static void set_distribution(tess__gpu_random *p, const tess__random_spec *s)
{
    p->f32 =
        (tess__gpu_distribution_f32){ (float)s->low, (float)s->range, (float)s->max, (float)s->mean, (float)s->std };
    p->f64 = (tess__gpu_distribution_f64){ s->low, s->range, s->max, s->mean, s->std };
    p->low = (uint64_t)s->first;
    p->span = s->span;
    p->threshold32 = tess__threshold_u32((uint32_t)s->span);
    p->threshold = tess__threshold_u64(s->span);
}

/* Numbers of 32 bits are four to a block, others two. */
static int numbers_each(const tess__random *work, tess_dtype real)
{
    if (work->kind == TESS__RANDOM_INTEGERS) return work->spec.span <= UINT32_MAX ? 4 : 2;
    return real == TESS_F64 ? 2 : 4;
}

static tess_status make_numbers(tess__cuda_call *call, const tess__random *work, const tess_array *out)
{
    const tess_dtype real = tess_dtype_real(out->dtype);
    const uint64_t   parts = (uint64_t)tess_dtype_reals(out->dtype), each = (uint64_t)numbers_each(work, real);
    tess__gpu_random p = { .seed = work->spec.seed, .stream = work->spec.stream, .index = work->offset * parts };
    set_distribution(&p, &work->spec);
    tess__cuda_grid_in_order(&p.grid, &p.out, out);
    const uint64_t last = (p.index + (uint64_t)p.grid.n * parts - 1) / each;
    p.first_block = p.index / each;
    p.blocks = (int64_t)(last - p.first_block) + 1;
    const uint64_t bytes = each * (uint64_t)tess__dtype_size(real), aligned = bytes < 16 ? bytes : 16;
    p.dense = p.grid.n == p.grid.size[3] && (p.grid.n == 1 || p.out.stride[3] == 1);
    p.whole = p.dense && p.index % each == 0 && p.out.data % aligned == 0;
    const int64_t numbers[TESS__CUDA_WORDS] = { work->kind, real, (int64_t)parts, (int64_t)each };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(p.blocks, THREADS * ROUNDS), THREADS, &p));
    return TESS_OK;
}

/* ---- Poisson ---- */

static const tess__cuda_source poisson = TESS__CUDA_SOURCE("random/poisson", "DTYPE", "PARTS", "MEAN");

/* Before anything is written. */
static tess_status check_means(tess__cuda_call *call, const tess__random *work)
{
    int64_t index = -1;
    double  mean = 0;
    TESS_TRY(tess__cuda_find(&index, &mean, call, &work->in, TESS__GPU_NO_MEAN));
    if (index >= 0) TESS_TRY(tess__fail_mean(work->name, mean, work->in.shape, index));
    return TESS_OK;
}

/* A single mean is in host memory, and was checked there. */
static tess_status make_poisson(tess__cuda_call *call, const tess__random *work)
{
    const int64_t     parts = tess_dtype_reals(work->out.dtype);
    tess__gpu_poisson p = { .out = tess__cuda_array(&work->out),
                            .seed = work->spec.seed,
                            .index = work->offset * (uint64_t)parts,
                            .stream = work->spec.stream };
    tess__cuda_grid(&p.grid, work->out.shape.dim);
    const bool one = work->in.device.kind == TESS_CPU;
    if (one) {
        TESS_TRY(tess__convert(&p.mean, TESS_F64, work->in.data, work->in.dtype));
    } else {
        p.means = tess__cuda_array(&work->in);
        TESS_TRY(check_means(call, work));
    }
    const int64_t numbers[TESS__CUDA_WORDS] = { tess_dtype_real(work->out.dtype), parts,
                                                one ? TESS_F64 : work->in.dtype };
    TESS_TRY(tess__cuda_run_source(call, &poisson, numbers, tess__cuda_groups(p.grid.n * parts, THREADS), THREADS, &p));
    return TESS_OK;
}

/* ---- Orders ---- */

/* Row k of the workspace. */
static tess_array row_of(const tess__random *work, int64_t k, tess_dtype dtype)
{
    tess_array row = work->workspace;
    row.data = (uint64_t *)work->workspace.data + k * work->workspace.shape.w;
    row.shape.h = 1;
    row.dtype = dtype;
    return row;
}

/* Keys of 64 random bits. */
static tess_status make_keys(tess__cuda_call *call, const tess__random *work, const tess_array *keys)
{
    tess__random bits = *work;
    bits.kind = TESS__RANDOM_INTEGERS;
    bits.spec.first = 0;
    bits.spec.span = UINT64_MAX;
    tess_array as_i64 = *keys; /* numbers are converted from these: their bits are wanted */
    as_i64.dtype = TESS_I64;
    TESS_TRY(make_numbers(call, &bits, &as_i64));
    return TESS_OK;
}

static tess_status convert_order(tess__cuda_call *call, const tess__random *work, tess_array order)
{
    order.shape = work->out.shape;
    order.strides = tess_strides_contiguous(order.shape, 'C');
    TESS_TRY(tess__cuda_convert(call, &work->out, &order));
    return TESS_OK;
}

/* Argsort of random keys. */
static tess_status make_order(tess__cuda_call *call, const tess__random *work)
{
    const tess_array keys = row_of(work, 0, TESS_U64), order = row_of(work, 1, TESS_I64);
    const tess__sort sort = { .name = work->name, .op = TESS__ARGSORT, .axis = 3, .in = keys, .indices = order };
    TESS_TRY(make_keys(call, work, &keys));
    TESS_TRY(tess__cuda_sort(call, &sort));
    TESS_TRY(convert_order(call, work, order));
    return TESS_OK;
}

/* ---- Way in ---- */

tess_status tess__cuda_random(tess__cuda_call *call, const tess__random *work)
{
    if (work->kind == TESS__RANDOM_PERMUTATION) TESS_TRY(make_order(call, work));
    else if (work->kind == TESS__RANDOM_POISSON) TESS_TRY(make_poisson(call, work));
    else TESS_TRY(make_numbers(call, work, &work->out));
    return TESS_OK;
}
