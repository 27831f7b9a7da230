/* Operand layout of user-defined operators on a GPU: strides of all axes, and packs of elements along the last. */
#include <string.h>

#include "core/dtype.h"
#include "core/array/layout.h"
#include "core/array/plan.h"
#include "cuda/jit/division.h"
#include "cuda/op/op.h"

/* How often the body of an operator may be printed into one kernel, by its size: NVRTC needs time for each. */
enum { SMALL_TREE = 48, MEDIUM_TREE = 160, LARGE_TREE = 400 };

#define EACH(k, set)                                                                                                   \
    for (uint32_t k##_left = (set), k = 0; k##_left && (k = (uint32_t)__builtin_ctz(k##_left), 1);                     \
         k##_left &= k##_left - 1)

static int64_t size_of(const tess__cuda_op *o, uint32_t k) { return tess__dtype_size(o->op->tree->params[k].type); }

/* Views, scatters, values and numbers as they are. */
static void set_others(tess__cuda_op *o)
{
    const tess__roles *roles = &o->op->roles;
    EACH (k, roles->view | roles->scatter) {
        const tess_array  *a = &o->work->param[k].array;
        tess__gpu_operand *to = &o->p.operand[k];
        to->data = (uintptr_t)a->data;
        memcpy(to->stride, a->strides.dim, sizeof to->stride);
        memcpy(to->shape, a->shape.dim, sizeof to->shape);
    }
    EACH (k, roles->val | o->work->scalars)
        if (!tess__is_struct(o->op->tree->params[k].type))
            memcpy(o->p.operand[k].value, o->work->param[k].value, sizeof o->p.operand[k].value);
    memcpy(&o->p.operand[o->op->n_params], o->work->structs, (size_t)o->op->tree->struct_bytes);
    o->spec.scalars = o->work->scalars;
}

static void lay_row(tess__cuda_op *o)
{
    const int64_t n = o->work->row;
    o->p.size[0] = o->p.size[1] = o->p.size[2] = 1;
    o->p.size[3] = n;
    EACH (k, o->op->walked & ~o->work->scalars) {
        const tess_array *a = &o->work->param[k].array;
        o->p.operand[k].data = (uintptr_t)a->data;
        o->p.operand[k].stride[3] = n == 1 || !tess__all_ones(&a->shape);
    }
}

static void lay_in_order(tess__cuda_op *o)
{
    memcpy(o->p.size, o->work->domain.dim, sizeof o->p.size);
    EACH (k, o->op->walked & ~o->work->scalars) {
        const tess_array *a = &o->work->param[k].array;
        o->p.operand[k].data = (uintptr_t)a->data;
        for (int d = 0; d < 4; d++) o->p.operand[k].stride[d] = a->shape.dim[d] == 1 ? 0 : a->strides.dim[d];
    }
}

/* Axes reversed, sorted and joined by the plan: by the outputs, in a reduction by the inputs. */
static void lay_planned(tess__cuda_op *o)
{
    const bool        reduces = o->op->mode == TESS_MODE_REDUCE;
    const uint32_t    walked = o->op->walked & ~o->work->scalars;
    const uint32_t    outs = (o->op->roles.out | o->op->roles.inout) & walked;
    const uint32_t    order[2] = { reduces ? walked & ~outs : outs, reduces ? outs : walked & ~outs };
    const tess_array *operands[TESS__MAX_PARAMS];
    uint32_t          param[TESS__MAX_PARAMS];
    int               n = 0;
    tess__loop        loop;
    for (int i = 0; i < 2; i++)
        EACH (k, order[i]) {
            param[n] = k;
            operands[n++] = &o->work->param[k].array;
        }
    tess__plan(&loop, o->work->domain, operands, n);
    const int lead = 4 - loop.n_dims;
    for (int d = 0; d < 4; d++) o->p.size[d] = d < lead ? 1 : loop.shape[d - lead];
    for (int i = 0; i < n; i++) {
        tess__gpu_operand *to = &o->p.operand[param[i]];
        to->data = (uintptr_t)loop.data[i];
        for (int d = lead; d < 4; d++) to->stride[d] = loop.shape[d - lead] == 1 ? 0 : loop.stride[i][d - lead];
    }
}

void tess__cuda_op_lay_out(tess__cuda_op *o)
{
    set_others(o);
    if (o->work->row) lay_row(o);
    else if (o->op->indexed || !tess__sizes_have_elements(&o->work->domain) || !(o->op->walked & ~o->work->scalars))
        lay_in_order(o);
    else lay_planned(o);
    for (int d = 0; d < 4; d++) o->spec.ones |= o->p.size[d] == 1 ? 1u << d : 0;
}

/* ---- Packs ---- */

/* Can an array be read and written in packs of `pack` along w? What is the same along w can. */
static bool fits(const tess__cuda_op *o, uint32_t k, int pack)
{
    const tess__gpu_operand *a = &o->p.operand[k];
    const int64_t            size = size_of(o, k), bytes = size * pack < 16 ? size * pack : 16;
    if (a->stride[3] == 0 && o->op->roles.in >> k & 1) return true;
    if (a->stride[3] != 1 || a->data % (uint64_t)bytes) return false;
    for (int d = 0; d < 3; d++)
        if (a->stride[d] * size % bytes) return false;
    return true;
}

/* Arrays that the body reads and writes. */
static uint32_t touched(const tess__cuda_op *o)
{
    const uint32_t outs = o->op->mode == TESS_MODE_REDUCE ? o->op->roles.out : 0;
    return o->op->walked & ~(o->spec.scalars | outs);
}

static int pack_of(const tess__cuda_op *o, int max)
{
    int64_t largest = 1;
    EACH (k, touched(o)) largest = size_of(o, k) > largest ? size_of(o, k) : largest;
    int pack = largest >= 16 ? 1 : (int)(16 / largest);
    if (pack > max) pack = max;
    for (; pack > 1; pack /= 2) {
        bool all = o->p.size[3] >= pack;
        EACH (k, touched(o)) all = all && fits(o, k, pack);
        if (all) break;
    }
    return pack;
}

static int bodies(const tess__tree *tree)
{
    return tree->n_nodes <= SMALL_TREE ? 32 : tree->n_nodes <= MEDIUM_TREE ? 8 : tree->n_nodes <= LARGE_TREE ? 4 : 1;
}

/* Several packs are in flight, the fewer the more arrays are read. */
static int rounds_of(const tess__cuda_op *o, int max)
{
    int reads = 0;
    EACH (k, (o->op->roles.in | o->op->roles.inout) & ~o->spec.scalars) reads += o->p.operand[k].stride[3] != 0;
    int rounds = reads == 0 ? 1 : o->spec.pack == 1 ? 2 * max : max;
    for (int n = reads; n > 2 && rounds > 1; n -= 2) rounds /= 2;
    while (rounds > 1 && rounds * o->spec.pack > bodies(o->op->tree)) rounds /= 2;
    return rounds;
}

void tess__cuda_op_pack(tess__cuda_op *o, int max, int rounds)
{
    tess__gpu_op *p = &o->p;
    const int     many = bodies(o->op->tree);
    o->spec.pack = pack_of(o, max < many ? max : many);
    o->spec.rounds = rounds_of(o, rounds);
    p->tail = p->size[3] % o->spec.pack;
    for (int d = 0; d < 4; d++) {
        p->steps[d] = d == 3 ? (p->size[3] + o->spec.pack - 1) / o->spec.pack : p->size[d];
        p->divisor[d] = tess__cuda_divisor(p->steps[d] > 0 ? p->steps[d] : 1);
    }
    EACH (k, touched(o)) {
        if (p->operand[k].stride[3] == 0 && o->spec.pack > 1) o->spec.still |= 1u << k;
        p->operand[k].stride[3] *= o->spec.pack;
    }
}
