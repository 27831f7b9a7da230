/* Strided loops for kernels: splits the loop plan of the core into packs of contiguous elements. */
#include "cuda/jit/loop.h"

#include <stddef.h>
#include <string.h>

#include "cuda/jit/division.h"

enum { PACK_BYTES = 16 };

_Static_assert(offsetof(tess__gpu_loop, value) % 16 == 0, "kernels read numbers of any dtype there");

int tess__cuda_unit(const tess__loop *loop, unsigned moved)
{
    uintptr_t all = (uintptr_t)loop->size[0] | PACK_BYTES;
    for (int k = 0; k < loop->n_operands; k++)
        if (moved >> k & 1) all |= (uintptr_t)loop->data[k];
    return (int)(all & -all);
}

/* A loop with a capacity of one dimension more than the core's. */
typedef struct elements {
    int     n_dims, n_operands;
    int64_t n, shape[TESS__GPU_DIMS], stride[TESS__GPU_OPERANDS][TESS__GPU_DIMS], size[TESS__GPU_OPERANDS];
    char   *data[TESS__GPU_OPERANDS];
} elements;

static void elements_of(elements *loop, const tess__loop *from)
{
    loop->n_dims = from->n_dims;
    loop->n_operands = from->n_operands;
    loop->n = from->n;
    for (int k = 0; k < from->n_operands; k++) {
        memcpy(loop->stride[k], from->stride[k], sizeof from->stride[k]);
        loop->size[k] = from->size[k];
        loop->data[k] = from->data[k];
    }
    memcpy(loop->shape, from->shape, sizeof from->shape);
}

/* Elements of several units: rows of more of them, or a dimension of units. */
static void in_units(elements *loop, unsigned moved, int unit)
{
    const int64_t n = loop->size[0] / unit;
    const int     row = loop->n_dims - 1;
    bool          longer = true;
    for (int k = 0; k < loop->n_operands; k++) longer &= (moved >> k & 1) && loop->stride[k][row] == 1;
    for (int k = 0; k < loop->n_operands; k++) {
        if (!longer) loop->stride[k][row + 1] = moved >> k & 1;
        if (!(moved >> k & 1)) continue;
        for (int d = 0; d <= row; d++) loop->stride[k][d] *= n;
        if (longer) loop->stride[k][row] = 1;
        loop->size[k] = unit;
    }
    loop->n *= n;
    if (longer) loop->shape[row] *= n;
    else loop->shape[loop->n_dims++] = n;
}

/* ---- Packs ---- */

static int64_t bytes_of(const elements *loop, int k, int pack)
{
    return loop->size[k] * pack < PACK_BYTES ? loop->size[k] * pack : PACK_BYTES;
}

/* Can every operand be taken in packs of `pack` along the innermost dimension, after `head` elements? */
static bool fits(const elements *loop, unsigned scalars, int pack, int64_t head)
{
    const int row = loop->n_dims - 1;
    for (int k = 0; k < loop->n_operands; k++) {
        if (scalars >> k & 1) continue;
        if (k > 0 && loop->stride[k][row] == 0 && pack > 1) continue;
        if (loop->stride[k][row] != 1 && pack > 1) return false;
        const int64_t bytes = bytes_of(loop, k, pack);
        if (((intptr_t)loop->data[k] + head * loop->size[k]) % bytes) return false;
        for (int d = 0; d < row; d++)
            if (loop->stride[k][d] * loop->size[k] % bytes) return false;
    }
    return true;
}

/* Elements before the first pack: 0 where packs fill all rows, more only in a single row; -1 if there are no packs. */
static int64_t head_of(const elements *loop, unsigned scalars, int pack)
{
    const int64_t length = loop->shape[loop->n_dims - 1];
    if (loop->n_dims > 1) return length % pack == 0 && fits(loop, scalars, pack, 0) ? 0 : -1;
    for (int64_t head = 0; head < pack && head + pack <= length; head++)
        if (fits(loop, scalars, pack, head)) return head;
    return -1;
}

/* The largest packs that fit; packs of 1 always do. */
static void choose_pack(tess__cuda_shape *shape, int64_t *head, const elements *loop, unsigned scalars)
{
    int64_t largest = 1;
    for (int k = 0; k < loop->n_operands; k++)
        if (!(scalars >> k & 1) && loop->size[k] > largest) largest = loop->size[k];
    int pack = largest >= PACK_BYTES ? 1 : (int)(PACK_BYTES / largest);
    for (*head = 0; pack > 1; pack /= 2) {
        *head = head_of(loop, scalars, pack);
        if (*head >= 0) break;
        *head = 0;
    }
    shape->pack = (uint8_t)pack;
    shape->aligned = fits(loop, scalars, pack, *head);
}

/* A thread reads 16 bytes, or a pack if that is more, before it computes, and writes 64 if there is nothing to read:
 * measured on an H200, where more and less were slower. */
static int rounds_of(const elements *loop, unsigned scalars, const tess__cuda_shape *shape)
{
    enum { MAX = 8, READ_BYTES = 16, WRITE_BYTES = 64 };
    int64_t bytes = 0;
    for (int k = 1; k < loop->n_operands; k++)
        if (!(scalars >> k & 1) && !(shape->still >> k & 1)) bytes += loop->size[k] * shape->pack;
    const int64_t wanted = bytes ? READ_BYTES : WRITE_BYTES;
    if (bytes == 0) bytes = loop->size[0] * shape->pack;
    const int max = shape->dims > 2 ? MAX / 2 : MAX;
    int       rounds = 1;
    while (rounds < max && 2 * rounds * bytes <= wanted) rounds *= 2;
    return rounds;
}

/* ---- Numbers for the kernel ---- */

static void set_params(tess__gpu_loop *p, tess__cuda_shape *shape, const elements *loop, unsigned scalars, int64_t head)
{
    const int row = loop->n_dims - 1;
    memset(p, 0, sizeof *p);
    for (int k = 0; k < loop->n_operands; k++) {
        if (scalars >> k & 1) continue;
        const bool still = loop->stride[k][row] == 0 && shape->pack > 1;
        p->data[k] = (uintptr_t)(loop->data[k] + (still ? 0 : head * loop->size[k]));
        for (int d = 0; d < loop->n_dims; d++) p->stride[k][d] = loop->stride[k][d] * (d == row ? shape->pack : 1);
        if (still) shape->still |= (uint8_t)(1u << k);
    }
    p->n = 1;
    for (int d = 0; d < loop->n_dims; d++) {
        p->shape[d] = d == row ? (loop->shape[d] - head) / shape->pack : loop->shape[d];
        p->n *= p->shape[d];
        p->divisor[d] = tess__cuda_divisor(p->shape[d]);
    }
    p->head = (uint32_t)head;
    p->tail = (uint32_t)(row == 0 ? loop->n - head - p->n * shape->pack : 0);
    shape->edges = p->head || p->tail;
    shape->wide = p->n >= (int64_t)1 << 31;
}

void tess__cuda_loop_of(tess__gpu_loop *p, tess__cuda_shape *shape, const tess__loop *from,
                        const tess__cuda_operands *operands)
{
    const unsigned scalars = operands->scalars;
    elements       loop;
    int64_t        head = 0;
    elements_of(&loop, from);
    if (operands->unit && loop.size[0] != operands->unit) in_units(&loop, operands->moved, operands->unit);
    *shape = (tess__cuda_shape){ .dims = (uint8_t)loop.n_dims };
    choose_pack(shape, &head, &loop, scalars);
    set_params(p, shape, &loop, scalars, head);
    shape->rounds = (uint8_t)rounds_of(&loop, scalars, shape);
}

void tess__cuda_loop(tess__gpu_loop *p, tess__cuda_shape *shape, const tess__loop *loop, unsigned scalars, int unit)
{
    const tess__cuda_operands operands = { .scalars = scalars, .moved = ~scalars, .unit = unit };
    tess__cuda_loop_of(p, shape, loop, &operands);
}

void tess__cuda_loop_in_order(tess__gpu_loop *p, tess__cuda_shape *shape, const tess__loop *from)
{
    elements loop;
    elements_of(&loop, from);
    *shape = (tess__cuda_shape){ .pack = 1, .dims = (uint8_t)loop.n_dims, .rounds = 1 };
    set_params(p, shape, &loop, 0, 0);
}

int64_t tess__cuda_loop_blocks(const tess__gpu_loop *p, const tess__cuda_shape *shape)
{
    const int64_t each = (int64_t)TESS__GPU_LOOP_THREADS * shape->rounds;
    return p->n == 0 ? 1 : (p->n + each - 1) / each;
}

uint64_t tess__cuda_shape_word(const tess__cuda_shape *s)
{
    return s->pack | (uint64_t)s->dims << 8 | (uint64_t)s->wide << 12 | (uint64_t)s->aligned << 13 |
           (uint64_t)s->edges << 14 | (uint64_t)s->still << 16 | (uint64_t)s->rounds << 24;
}

void tess__cuda_shape_print(tess__writer *w, const tess__cuda_shape *s)
{
    tess__write(w, "#define PACK %d\n#define DIMS %d\n#define WIDE %d\n#define ALIGNED %d\n", s->pack, s->dims, s->wide,
                s->aligned);
    tess__write(w, "#define STILL %d\n#define EDGES %d\n#define ROUNDS %d\n#define THREADS %d\n", s->still, s->edges,
                s->rounds, TESS__GPU_LOOP_THREADS);
}
