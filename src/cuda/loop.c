/* Loops over packs of elements. */
#include "cuda/loop.h"

#include <string.h>

int tess__cuda_unit(int64_t size)
{
    int unit = 1;
    while (unit < 16 && size % (2 * unit) == 0) unit *= 2;
    return unit;
}

/* A loop that has room for one dimension more than the core's. */
typedef struct elements {
    int     n_dims, n_operands;
    int64_t n, shape[TESS__GPU_DIMS], stride[TESS__GPU_OPERANDS][TESS__GPU_DIMS], size[TESS__GPU_OPERANDS];
    char   *data[TESS__GPU_OPERANDS];
} elements;

static elements elements_of(const tess__loop *from)
{
    elements loop = { .n_dims = from->n_dims, .n_operands = from->n_operands, .n = from->n };
    for (int k = 0; k < from->n_operands; k++) {
        memcpy(loop.stride[k], from->stride[k], sizeof from->stride[k]);
        loop.size[k] = from->size[k];
        loop.data[k] = from->data[k];
    }
    memcpy(loop.shape, from->shape, sizeof from->shape);
    return loop;
}

/* Elements of several units become a dimension of units. */
static void in_units(elements *loop, int unit)
{
    const int64_t n = loop->size[0] / unit;
    const int     d = loop->n_dims;
    loop->n_dims = d + 1;
    loop->n *= n;
    loop->shape[d] = n;
    for (int k = 0; k < loop->n_operands; k++) {
        for (int i = 0; i < d; i++) loop->stride[k][i] *= n;
        loop->stride[k][d] = 1;
        loop->size[k] = unit;
    }
}

/* Can every operand be taken in packs of `pack` along the innermost dimension? */
static bool fits(const elements *loop, unsigned given, int pack)
{
    const int row = loop->n_dims - 1;
    if (loop->shape[row] % pack) return false;
    for (int k = 0; k < loop->n_operands; k++) {
        if (given >> k & 1) continue;
        if (k > 0 && loop->stride[k][row] == 0) continue;
        if (loop->stride[k][row] != 1) return false;
        const int64_t bytes = loop->size[k] * pack < 16 ? loop->size[k] * pack : 16;
        if ((uintptr_t)loop->data[k] % (uintptr_t)bytes) return false;
        for (int d = 0; d < row; d++)
            if (loop->stride[k][d] * loop->size[k] % bytes) return false;
    }
    return true;
}

static int pack_of(const elements *loop, unsigned given)
{
    int64_t largest = 1;
    for (int k = 0; k < loop->n_operands; k++)
        if (!(given >> k & 1) && loop->size[k] > largest) largest = loop->size[k];
    int pack = largest >= 16 ? 1 : (int)(16 / largest);
    while (pack > 1 && !fits(loop, given, pack)) pack /= 2;
    return pack;
}

void tess__cuda_set_division(uint32_t *multiply, uint32_t *shift, int64_t n)
{
    *multiply = *shift = 0;
    if (n >= (int64_t)1 << 31) return;
    while (((int64_t)1 << *shift) < n) ++*shift;
    *multiply = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << *shift) - (uint64_t)n)) / (uint64_t)n + 1);
}

void tess__cuda_loop(tess__gpu_loop *p, tess__cuda_shape *shape, const tess__loop *from, unsigned given, int unit)
{
    elements loop = elements_of(from);
    if (unit && loop.size[0] != unit) in_units(&loop, unit);
    const int row = loop.n_dims - 1, pack = pack_of(&loop, given);
    *shape = (tess__cuda_shape){ .pack = (uint8_t)pack, .dims = (uint8_t)loop.n_dims };
    memset(p, 0, sizeof *p);
    for (int k = 0; k < loop.n_operands; k++) {
        if (given >> k & 1) continue;
        p->data[k] = (uintptr_t)loop.data[k];
        for (int d = 0; d < loop.n_dims; d++) p->stride[k][d] = loop.stride[k][d] * (d == row ? pack : 1);
        if (loop.stride[k][row] == 0 && pack > 1) shape->still |= (uint8_t)(1u << k);
    }
    p->n = loop.n / pack;
    for (int d = 0; d < loop.n_dims; d++) {
        p->shape[d] = loop.shape[d] / (d == row ? pack : 1);
        tess__cuda_set_division(&p->multiply[d], &p->shift[d], p->shape[d]);
    }
    shape->wide = p->n >= (int64_t)1 << 31;
}

/* How often a thread goes round; as in kernels/ewise.h. */
static int rounds(const tess__cuda_shape *shape) { return shape->dims <= 2 ? 2 : 1; }

int64_t tess__cuda_loop_blocks(const tess__gpu_loop *p, const tess__cuda_shape *shape)
{
    const int64_t each = (int64_t)TESS__CUDA_LOOP_THREADS * rounds(shape);
    return (p->n + each - 1) / each;
}

uint64_t tess__cuda_shape_word(const tess__cuda_shape *shape)
{
    return shape->pack | (uint64_t)shape->dims << 8 | (uint64_t)shape->wide << 16 | (uint64_t)shape->still << 24;
}

void tess__cuda_shape_print(tess__writer *w, const tess__cuda_shape *shape)
{
    tess__write(w, "#define PACK %d\n#define DIMS %d\n#define WIDE %d\n#define STILL %d\n#define ROUNDS %d\n",
                shape->pack, shape->dims, shape->wide, shape->still, rounds(shape));
}
