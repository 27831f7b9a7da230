/* Reductions by user-defined operators on a GPU: chunks of fixed sizes, each reduced by a group of threads, then a
 * tree over the states of the chunks. Shapes and layouts alone decide how, so that results are reproducible. */
#include "core/dtype.h"
#include "cuda/op/op.h"
#include "cuda/runtime/memory.h"

enum {
    THREADS = 256,
    FEW_THREADS = 64,       /* of a block, where states are large */
    LARGE_STATE = 128,      /* bytes */
    MANY_THREADS = 1 << 20, /* chunks are made until there are so many */
    PACKS_OF_A_THREAD = 16, /* but not fewer than these for each */
    WIDE_ROW = 16,          /* results side by side from which threads have a result each */
    MANY_RESULTS = 1 << 17
};

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Which axes the results have; how many there are, and elements of each. */
static int64_t find_axes(tess__cuda_op *o)
{
    tess__gpu_op *p = &o->p;
    const int     out = o->op->roles.out ? __builtin_ctz(o->op->roles.out) : -1;
    p->n = p->count = 1;
    int64_t inner = 1; /* results side by side */
    for (int d = 0; d < 4; d++) {
        const bool kept = out >= 0 && p->operand[out].stride[d] != 0 && p->size[d] != 1;
        if (kept) o->spec.kept |= 1u << d;
        if (p->size[d] != 1) inner = kept ? inner * p->size[d] : 1;
        *(kept ? &p->n : &p->count) *= p->size[d];
    }
    return inner;
}

/* How many threads share a result. */
static int group_of(const tess__cuda_op *o)
{
    const int64_t packs = o->p.packs;
    int           group = packs >= 1024 ? THREADS : packs >= 64 ? 32 : packs >= 8 ? 8 : 1;
    if (o->spec.columns) group = packs >= 8 && o->p.n < MANY_RESULTS ? 8 : 1;
    return group < o->spec.threads ? group : o->spec.threads;
}

static void cut_chunks(tess__cuda_op *o)
{
    tess__gpu_op *p = &o->p;
    const int64_t slots = o->spec.threads / o->spec.group;
    const int64_t wanted = MANY_THREADS / (ceil_div(p->n, slots) * o->spec.threads);
    const int64_t max = p->packs / ((int64_t)o->spec.group * PACKS_OF_A_THREAD);
    p->chunks = wanted < max ? wanted : max;
    if (p->chunks < 1) p->chunks = 1;
    p->chunk = p->chunks > 1 ? ceil_div(p->packs, p->chunks) : p->packs;
    if (p->chunks > 1) p->chunks = ceil_div(p->packs, p->chunk);
}

tess__cuda_op_spec tess__cuda_op_spec_of_join(tess__cuda_op *o)
{
    tess__cuda_op_spec spec = o->spec;
    spec.kind = TESS__CUDA_OP_JOIN;
    spec.columns = false;
    spec.scalars = spec.still = 0;
    spec.pack = spec.rounds = 1;
    spec.group = o->p.chunks >= 128 ? spec.threads : o->p.chunks >= 16 ? 32 : 1;
    o->p.per_chunk = spec.group > 1 ? 1 : o->p.n;
    o->p.per_result = spec.group > 1 ? o->p.chunks : 1;
    return spec;
}

void tess__cuda_op_plan_reduce(tess__cuda_op *o)
{
    tess__gpu_op *p = &o->p;
    const int64_t inner = find_axes(o);
    o->spec.kind = TESS__CUDA_OP_REDUCE;
    o->spec.threads = tess__cuda_op_state(o->op) > LARGE_STATE ? FEW_THREADS : THREADS;
    o->spec.columns = inner >= WIDE_ROW;
    tess__cuda_op_pack(o, o->spec.kept & 8 || o->spec.columns ? 1 : 16, 4);
    p->packs = 1;
    for (int d = 0; d < 4; d++)
        if (!(o->spec.kept >> d & 1)) p->packs *= p->steps[d];
    o->spec.group = group_of(o);
    o->spec.wide = p->n >= (int64_t)1 << 31 || p->packs >= (int64_t)1 << 31;
    cut_chunks(o);
}

static int64_t blocks_of(const tess__cuda_op *o)
{
    const int64_t blocks = ceil_div(o->p.n, o->spec.threads / o->spec.group) * o->p.chunks;
    return blocks < INT32_MAX ? blocks : INT32_MAX;
}

static tess_status reduce_twice(tess__cuda_op *o)
{
    const tess__cuda_op_spec second = tess__cuda_op_spec_of_join(o);
    const tess_status        status = tess__cuda_op_launch(o, blocks_of(o));
    TESS_TRY(status);
    o->spec = second;
    o->p.packs = o->p.chunk = o->p.chunks;
    o->p.chunks = 1;
    TESS_TRY(tess__cuda_op_launch(o, blocks_of(o)));
    return TESS_OK;
}

tess_status tess__cuda_op_reduce(tess__cuda_op *o)
{
    tess__cu_address states = 0;
    if (o->p.chunks == 1) {
        TESS_TRY(tess__cuda_op_launch(o, blocks_of(o)));
        return TESS_OK;
    }
    const int64_t bytes = o->p.n * o->p.chunks * tess__cuda_op_state(o->op);
    TESS_TRY(tess__cuda_workspace_acquire(&states, o->call, (size_t)bytes));
    o->p.states = states;
    const tess_status status = reduce_twice(o);
    tess__cuda_workspace_release(o->call, states);
    TESS_TRY(status);
    return TESS_OK;
}
