/* Element-wise operators on the CPU: a row kernel over the loop, or, where operands are stored in other dtypes than the
 * kernel's, blocks converted on the way in and out, which stay in cache. */
#include "cpu/cpu.h"

#include <string.h>

#include "core/dtype.h"
#include "cpu/convert/convert.h"
#include "cpu/isa.h"
#include "cpu/memory/loops.h"
#include "cpu/runtime/schedule.h"
#include "cpu/tuning.h"

enum { BLOCK = 256, OPERANDS = 1 + TESS__MAX_INPUTS, LARGEST = 16 /* bytes of an element */ };

typedef struct converted {
    tess__row_fn    *kernel;
    tess__element    element; /* its size alone: the kernel's param */
    int              n_operands;
    bool             converts[OPERANDS];
    tess__conversion conversion[OPERANDS];
    int64_t          size[OPERANDS]; /* bytes of a stored element */
} converted;

static void run_converted(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const converted  *c = param;
    _Alignas(64) char block[OPERANDS][BLOCK * LARGEST];
    char             *at[OPERANDS], *q[OPERANDS];
    int64_t           t[OPERANDS];
    for (int k = 0; k < c->n_operands; k++) {
        at[k] = p[k];
        q[k] = block[k];
        t[k] = c->converts[k] ? 1 : s[k];
    }
    for (int64_t done = 0; done < n; done += BLOCK) {
        const int64_t m = n - done < BLOCK ? n - done : BLOCK;
        for (int k = 1; k < c->n_operands; k++) {
            const int64_t strides[2] = { 1, s[k] };
            if (c->converts[k]) c->conversion[k].row((char *[]){ block[k], at[k] }, strides, m, &c->conversion[k]);
            else q[k] = at[k];
        }
        if (!c->converts[0]) q[0] = at[0];
        c->kernel(q, t, m, &c->element);
        const int64_t strides[2] = { s[0], 1 };
        if (c->converts[0]) c->conversion[0].row((char *[]){ at[0], block[0] }, strides, m, &c->conversion[0]);
        for (int k = 0; k < c->n_operands; k++) at[k] += m * s[k] * c->size[k];
    }
}

static void plan_conversions(converted *c, const tess__apply *work, const tess__loop *loop)
{
    c->n_operands = loop->n_operands;
    for (int k = 0; k < loop->n_operands; k++) {
        c->size[k] = loop->size[k];
        c->converts[k] = work->stored[k] != work->wanted[k];
        if (!c->converts[k]) continue;
        const int32_t from = k ? work->stored[k] : work->wanted[0], to = k ? work->wanted[k] : work->stored[0];
        c->conversion[k] = tess__conversion_of(from, to, TESS__CLAMP, TESS_PART_DEFAULT);
    }
}

/* The same loop, whose scalar operands point into this copy of the work. */
static const tess__loop *place_scalars(tess__loop *placed, const tess__ewise *work)
{
    const tess__apply *o = &work->param.operate;
    if (!(o->scalar[1] | o->scalar[2] | o->scalar[3])) return &work->loop;
    placed->n_dims = work->loop.n_dims;
    placed->n_operands = work->loop.n_operands;
    placed->n = work->loop.n;
    memcpy(placed->shape, work->loop.shape, sizeof placed->shape);
    memcpy(placed->stride, work->loop.stride, OPERANDS * sizeof *placed->stride); /* the others are not set */
    memcpy(placed->size, work->loop.size, OPERANDS * sizeof *placed->size);
    memcpy(placed->data, work->loop.data, OPERANDS * sizeof *placed->data);
    for (int k = 1; k < placed->n_operands; k++)
        if (o->scalar[k]) placed->data[k] = (char *)(uintptr_t)o->value[k];
    return placed;
}

void tess__cpu_apply(const tess__ewise *work)
{
    const tess__kernels *kernels = tess__cpu_kernels();
    const tess__apply   *o = &work->param.operate;
    tess__loop           placed;
    const tess__loop    *loop = place_scalars(&placed, work);
    converted            c;
    c.kernel = o->op == TESS__OP_where ? kernels->memory.where[tess__size_class(tess__dtype_size(o->kernel))]
                                       : kernels->ewise.op[o->op][o->kernel];
    c.element.size = tess__dtype_size(o->kernel);
    int64_t bytes = 0;
    bool    converts = false;
    for (int k = 0; k < loop->n_operands; k++) {
        bytes += loop->size[k];
        converts |= o->stored[k] != o->wanted[k];
    }
    if (converts) plan_conversions(&c, o, loop);
    tess__row_fn *row = converts ? run_converted : c.kernel;
    const void   *param = converts ? (const void *)&c : (const void *)&c.element;
    const double  cost = (double)o->cost + TESS__BYTE_NS * (double)bytes + (converts ? 0.3 : 0);
    if (loop->n_dims > 1 && tess__run_packed(loop, row, param, cost)) return;
    if (!tess__run_nt(loop, row, param, cost)) tess__run_rows(loop, row, param, cost);
}
