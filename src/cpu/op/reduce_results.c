/* Results of reductions by user-defined operators: the epilogue from accumulator states to outputs. */
#include <string.h>

#include "core/dtype.h"
#include "cpu/convert/convert.h"
#include "cpu/isa.h"
#include "cpu/op/run_reduce.h"

/* Where the results of a group go. */
typedef struct outputs {
    void    *ptr[TESS__MAX_PARAMS];
    int64_t  stride[TESS__MAX_PARAMS][4];
    uint32_t contig;
} outputs;

void tess__keep_results(const tess__op_reduction *r, const tess__op_reduce_memory *p, const char *state, int64_t at,
                        int64_t n)
{
    for (int i = 0; i < r->job->op->n_acc; i++)
        memcpy(p->results + r->lanes_at[i] + at * r->size[i], state + r->state_at[i], (size_t)(n * r->size[i]));
}

/* Accumulators with their initial values, in their own types: acc[k] is where those of parameter k are. */
static void convert_lanes(const tess__op_reduction *r, const tess__op_reduce_memory *p, int64_t n,
                          void *acc[TESS__MAX_PARAMS])
{
    for (int i = 0; i < r->job->op->n_acc; i++) {
        const tess__accumulator *a = &r->job->op->acc[i];
        char                    *lanes = p->results + r->lanes_at[i];
        if (a->has_constant) tess__combine_lanes(r, i, lanes, (const char *)a->constant, 0, n);
        acc[a->param] = lanes;
        if (a->own == a->lane) continue;
        const tess__conversion c = tess__conversion_of(a->lane, a->own, TESS__CLAMP, TESS_PART_DEFAULT);
        acc[a->param] = p->own + r->own_at[i];
        c.row((char *[]){ p->own + r->own_at[i], lanes }, (int64_t[]){ 1, 1 }, n, &c);
    }
}

static void find_outputs(outputs *to, const tess__op_reduction *r, const int64_t origin[4])
{
    const tess__operator *op = r->job->op;
    to->contig = 0;
    memcpy(to->ptr, r->job->ptr, (size_t)op->n_params * sizeof *to->ptr);
    memcpy(to->stride, r->job->stride, (size_t)op->n_params * sizeof *to->stride);
    for (uint32_t left = op->roles.out; left; left &= left - 1) {
        const int      k = __builtin_ctz(left);
        const int64_t *s = r->job->stride[k];
        int64_t        offset = 0;
        for (int d = 0; d < 4; d++) offset += r->kept[d] ? origin[d] * s[d] : 0;
        to->ptr[k] = (char *)to->ptr[k] + offset * tess__dtype_size(op->tree->params[k].type);
        for (int d = 0; d < 3; d++) to->stride[k][d] = 0;
        to->stride[k][3] = r->along < 0 ? 1 : s[r->along];
        if (to->stride[k][3] == 1) to->contig |= 1u << k;
    }
}

/* Without a post part, each accumulator is an output. */
static void copy_lanes(const tess__operator *op, const outputs *to, void *const acc[TESS__MAX_PARAMS], int64_t n)
{
    uint32_t outs = op->roles.out;
    for (int i = 0; i < op->n_acc; i++, outs &= outs - 1) {
        const int           k = __builtin_ctz(outs);
        const int64_t       size = tess__dtype_size(op->acc[i].own);
        const tess__element e = { .size = size };
        tess__cpu_kernels()->memory.copy[tess__size_class(size)]((char *[]){ to->ptr[k], acc[op->acc[i].param] },
                                                                 (int64_t[]){ to->stride[k][3], 1 }, n, &e);
    }
}

static void run_post(const tess__op_reduction *r, const tess__op_reduce_memory *p, outputs *to,
                     void *acc[TESS__MAX_PARAMS], int64_t n)
{
    tess_fault fault = { .set = 0 };
    tess_tile  tile = r->job->tile;
    tile.contig = to->contig;
    tile.fault = &fault;
    tile.ptr = to->ptr;
    tile.stride = (const int64_t(*)[4])to->stride;
    tile.acc = acc;
    tile.count = r->count;
    for (int d = 0; d < 4; d++) tile.origin[d] = 0, tile.extent[d] = d == 3 ? n : 1;
    tess__run_part(r->job->op, TESS__PART_POST, &tile, p->program);
    if (fault.set) tess__keep_fault(r->job, INT64_MAX, &fault);
}

void tess__write_results(const tess__op_reduction *r, const tess__op_reduce_memory *p, const tess__op_results *group)
{
    outputs to;
    void   *acc[TESS__MAX_PARAMS];
    convert_lanes(r, p, group->n, acc);
    find_outputs(&to, r, group->origin);
    if (tess__has_part(r->job->op, TESS__PART_POST)) run_post(r, p, &to, acc, group->n);
    else copy_lanes(r->job->op, &to, acc, group->n);
}
