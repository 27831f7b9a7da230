/* Tile planning for element-wise operations with transposed operands: which dimensions make the sides of a tile, and
 * how large it is. */
#include "cuda/ewise/tiles.h"

#include <string.h>

#include "core/array/layout.h"
#include "cuda/jit/division.h"
#include "cuda/jit/loop.h"

enum {
    SECTOR = 32,        /* bytes that memory gives at least */
    SHORTEST = 8,       /* elements of a side below which tiles would be mostly empty */
    MAX_SHARED = 48000, /* bytes of shared memory */
    LARGE_TILE = 128,   /* elements of a side: for those of one byte, moved by four or more */
    TILE = 64,
    SMALL_TILE = 32,
    VECTOR_BYTES = 16
};

/* A side while it is put together. */
typedef struct side {
    int     n, dim[TESS__GPU_SIDE_DIMS + 1];
    int64_t length;
} side;

static bool has(const side *s, int dim)
{
    for (int i = 0; i < s->n; i++)
        if (s->dim[i] == dim) return true;
    return false;
}

static void add(side *s, const tess__loop *loop, int dim)
{
    s->dim[s->n++] = dim;
    s->length *= loop->shape[dim];
}

/* The dimension not yet taken in which the operand has the smallest stride; -1 if it is the same along all
 * of them. */
static int nearest(const tess__loop *loop, int k, const side *a, const side *b)
{
    int best = -1;
    for (int d = loop->n_dims - 1; d >= 0; d--) {
        const int64_t stride = tess__magnitude(loop->stride[k][d]);
        if (stride == 0 || has(a, d) || has(b, d)) continue;
        if (best < 0 || stride < tess__magnitude(loop->stride[k][best])) best = d;
    }
    return best;
}

/* The dimension along which an input lies, if it is not the output's; -1 otherwise. */
static int transposed_along(const tess__loop *loop, int k)
{
    static const side none = { 0 };
    const int         row = loop->n_dims - 1, dim = nearest(loop, k, &none, &none);
    if (dim < 0 || dim == row || loop->stride[k][row] == 0) return -1;
    const int64_t gap = tess__magnitude(loop->stride[k][row]);
    return gap * loop->size[k] >= SECTOR && gap > tess__magnitude(loop->stride[k][dim]) ? dim : -1;
}

/* More dimensions, the operand's nearest first, until the side is as long as a tile. */
static void extend(side *s, const side *other, const tess__loop *loop, int k, int64_t wanted)
{
    while (s->length < wanted && s->n < TESS__GPU_SIDE_DIMS) {
        const int dim = nearest(loop, k, s, other);
        if (dim < 0 || loop->shape[dim] >= ((int64_t)1 << 31) / s->length) return;
        add(s, loop, dim);
    }
}

/* ---- Tiles ---- */

/* The inputs that are transposed as the first of them is, as far as shared memory goes, and tiles for these: whole
 * cache lines on both sides, and enough of them to have much under way. */
static void choose_tile(tess__cuda_tiling *t, const tess__loop *loop, unsigned scalars, int dim)
{
    int64_t bytes = 0, largest = 1;
    for (int k = 1; k < loop->n_operands; k++) {
        if (scalars >> k & 1 || transposed_along(loop, k) != dim) continue;
        if ((bytes + loop->size[k]) * SMALL_TILE * (SMALL_TILE + 1) > MAX_SHARED) continue;
        t->transposed |= (uint8_t)(1u << k);
        bytes += loop->size[k];
        if (loop->size[k] > largest) largest = loop->size[k];
    }
    t->tile = largest == 1 ? LARGE_TILE : largest <= 8 ? TILE : SMALL_TILE;
    if (bytes * t->tile * (t->tile + 1) > MAX_SHARED) t->tile = SMALL_TILE;
}

/* How many elements of operand k are contiguous along a side everywhere, up to 16 aligned bytes of them: its first
 * dimensions as far as they go on without a gap, and everything else a multiple apart. */
static int vector_of(const tess__loop *loop, const side *s, int k, int tile)
{
    int64_t together = 1;
    int     joined = 0;
    while (joined < s->n && loop->stride[k][s->dim[joined]] == together) together *= loop->shape[s->dim[joined++]];
    int64_t all = (int64_t)((uintptr_t)loop->data[k] % VECTOR_BYTES) | together * loop->size[k] | VECTOR_BYTES;
    for (int d = 0; d < loop->n_dims; d++) {
        bool inside = false;
        for (int i = 0; i < joined; i++) inside |= s->dim[i] == d;
        if (!inside) all |= loop->stride[k][d] * loop->size[k];
    }
    const int64_t vector = (all & -all) / loop->size[k], max = (int64_t)tile * tile / TESS__CUDA_TILE_THREADS;
    return vector < 1 ? 1 : (int)(vector < max ? vector : max);
}

static bool is_still(const tess__loop *loop, const side *s, int k)
{
    for (int i = 0; i < s->n; i++)
        if (loop->stride[k][s->dim[i]] != 0) return false;
    return true;
}

static void choose_vectors(tess__cuda_tiling *t, const tess__loop *loop, unsigned scalars, const side *out,
                           const side *in)
{
    t->vector[0] = (uint8_t)vector_of(loop, out, 0, t->tile);
    for (int k = 1; k < TESS__GPU_OPERANDS; k++) {
        t->vector[k] = 1;
        if (k >= loop->n_operands || scalars >> k & 1) continue;
        const int vector = vector_of(loop, t->transposed >> k & 1 ? in : out, k, t->tile);
        t->vector[k] = (uint8_t)(t->transposed >> k & 1 || vector < t->vector[0] ? vector : t->vector[0]);
        if (!(t->transposed >> k & 1) && is_still(loop, out, k)) t->still |= (uint8_t)(1u << k);
    }
}

/* Single elements of large tiles would be too many for a thread. */
static bool is_too_large(const tess__cuda_tiling *t)
{
    bool few = t->vector[0] < 4;
    for (int k = 1; k < TESS__GPU_OPERANDS; k++) few |= (t->transposed >> k & 1) && t->vector[k] < 4;
    return t->tile == LARGE_TILE && few;
}

static void set_side(tess__gpu_side *p, uint8_t *dims, const side *s, const tess__loop *loop)
{
    p->length = s->length;
    *dims = (uint8_t)s->n;
    for (int i = 0; i < s->n; i++) {
        p->dim[i] = tess__cuda_divisor(loop->shape[s->dim[i]]);
        for (int k = 0; k < loop->n_operands; k++) p->stride[k][i] = loop->stride[k][s->dim[i]];
    }
}

bool tess__cuda_tiles(tess__gpu_tiles *p, tess__cuda_tiling *tiling, const tess__loop *loop, unsigned scalars)
{
    side out = { .length = 1 }, in = { .length = 1 }, stack = { .length = 1 };
    int  first = 1, dim = -1;
    if (loop->n_dims < 2) return false;
    for (; first < loop->n_operands; first++)
        if (!(scalars >> first & 1) && (dim = transposed_along(loop, first)) >= 0) break;
    if (dim < 0) return false;
    tess__cuda_tiling t = { .tile = 0 };
    choose_tile(&t, loop, scalars, dim);
    add(&out, loop, loop->n_dims - 1);
    add(&in, loop, dim);
    extend(&out, &in, loop, 0, t.tile);
    extend(&in, &out, loop, first, t.tile);
    if (out.length < SHORTEST || in.length < SHORTEST) return false;
    for (int d = loop->n_dims - 1; d >= 0; d--)
        if (!has(&out, d) && !has(&in, d)) add(&stack, loop, d);
    choose_vectors(&t, loop, scalars, &out, &in);
    if (is_too_large(&t)) {
        t.tile = TILE;
        choose_vectors(&t, loop, scalars, &out, &in);
    }
    memset(p, 0, sizeof *p);
    set_side(&p->out, &t.dims[0], &out, loop);
    set_side(&p->in, &t.dims[1], &in, loop);
    set_side(&p->stack, &t.dims[2], &stack, loop);
    p->n_out = tess__cuda_divisor((out.length + t.tile - 1) / t.tile);
    p->n_in = tess__cuda_divisor((in.length + t.tile - 1) / t.tile);
    for (int k = 0; k < loop->n_operands; k++) p->data[k] = scalars >> k & 1 ? 0 : (uintptr_t)loop->data[k];
    *tiling = t;
    return true;
}

int64_t tess__cuda_tiles_blocks(const tess__gpu_tiles *p)
{
    return (int64_t)p->n_out.size * p->n_in.size * p->stack.length;
}

uint64_t tess__cuda_tiling_word(const tess__cuda_tiling *t)
{
    uint64_t word = t->tile | (uint64_t)t->transposed << 8 | (uint64_t)t->still << 12;
    for (int i = 0; i < 3; i++) word |= (uint64_t)t->dims[i] << (16 + 2 * i);
    for (int k = 0; k < TESS__GPU_OPERANDS; k++) word |= (uint64_t)t->vector[k] << (32 + 8 * k);
    return word;
}

void tess__cuda_tiling_print(tess__writer *w, const tess__cuda_tiling *t)
{
    tess__write(w, "#define THREADS %d\n#define TILE %d\n#define TRANSPOSED %d\n#define STILL %d\n",
                TESS__CUDA_TILE_THREADS, t->tile, t->transposed, t->still);
    tess__write(w, "#define OUT_DIMS %d\n#define IN_DIMS %d\n#define STACK_DIMS %d\n", t->dims[0], t->dims[1],
                t->dims[2]);
    for (int k = 0; k < TESS__GPU_OPERANDS; k++) tess__write(w, "#define VECTOR%d %d\n", k, t->vector[k]);
}
