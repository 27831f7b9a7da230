/* Iteration of an operator's loop over a tile: by rows, in blocks of contiguous elements. See tessera/op_define.h. */
#ifndef TESSERA_OP_BLOCK_H
#define TESSERA_OP_BLOCK_H

#include "tessera/op_run.h"
#include "tessera/op_view.h"

/* Length of a block of gathered elements; longer ones would not stay in the fastest cache. */
enum { TESS__BLOCK_LENGTH = TESS_LANES };

/* A parameter, as needed for blocks. Elements are `dtype` in memory; in a block, f16 is held as f32 and c16 as c32. */
enum { TESS__ROLE_OTHER, TESS__ROLE_IN, TESS__ROLE_OUT, TESS__ROLE_INOUT, TESS__ROLE_ACC, TESS__ROLE_SCATTER };
typedef struct tess__entry {
    int32_t role, dtype;
    int32_t size, held; /* bytes of an element in memory and in a block, or of a lane */
} tess__entry;

/* A block: the addresses of its elements for reading and writing, and its first position. Input elements are step[k]
 * apart, which is 1 for all unless `strided`. The function returns nonzero if the block must be redone with
 * `complete`. */
typedef struct tess__row_span {
    const void *in[32];
    void       *out[32];
    int64_t     step[32];
    int64_t     at[4], n;
    int         strided;
} tess__row_span;
typedef int (*tess__block_fn)(const tess_tile *tile, const tess__row_span *span, int complete);

static inline int64_t tess__least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Gathers elements of `size` bytes, a constant, that are `step` bytes apart. */
TESS__FAST_FN void tess__collect(unsigned char *to, const unsigned char *from, int64_t step, int64_t n, int64_t size)
{
    for (int64_t i = 0; i < n; i++) memcpy(to + size * i, from + i * step, (size_t)size);
}

static inline void tess__copy_in(const tess__entry *e, unsigned char *to, const unsigned char *from, int64_t stride,
                                 int64_t n)
{
    const int64_t step = stride * e->size;
    if (e->dtype == TESS_F16 || e->dtype == TESS_C16) {
        const int reals = e->dtype == TESS_C16 ? 2 : 1;
        for (int64_t i = 0; i < n; i++, from += step)
            for (int k = 0; k < reals; k++, to += 4) {
                uint16_t half;
                memcpy(&half, from + 2 * k, 2);
                const float wide = tess__f16_to_f32(half);
                memcpy(to, &wide, 4);
            }
    } else if (stride == 1) memcpy(to, from, (size_t)(n * e->size));
    else if (e->size == 1) tess__collect(to, from, step, n, 1);
    else if (e->size == 2) tess__collect(to, from, step, n, 2);
    else if (e->size == 4) { /* constant steps are vectorised */
        if (stride == 0) tess__collect(to, from, 0, n, 4);
        else if (stride == 2) tess__collect(to, from, 8, n, 4);
        else if (stride == -1) tess__collect(to, from, -4, n, 4);
        else tess__collect(to, from, step, n, 4);
    } else if (e->size == 8) {
        if (stride == 0) tess__collect(to, from, 0, n, 8);
        else if (stride == 2) tess__collect(to, from, 16, n, 8);
        else if (stride == -1) tess__collect(to, from, -8, n, 8);
        else tess__collect(to, from, step, n, 8);
    } else tess__collect(to, from, step, n, 16);
}

static inline void tess__copy_out(const tess__entry *e, unsigned char *to, const unsigned char *from, int64_t stride,
                                  int64_t n)
{
    const int64_t step = stride * e->size;
    if (e->dtype == TESS_F16 || e->dtype == TESS_C16) {
        const int reals = e->dtype == TESS_C16 ? 2 : 1;
        for (int64_t i = 0; i < n; i++, to += step)
            for (int k = 0; k < reals; k++, from += 4) {
                float wide;
                memcpy(&wide, from, 4);
                const uint16_t half = tess__f32_to_f16(wide);
                memcpy(to + 2 * k, &half, 2);
            }
    } else if (e->size == 1)
        for (int64_t i = 0; i < n; i++) to[i * step] = from[i];
    else if (e->size == 2)
        for (int64_t i = 0; i < n; i++) memcpy(to + i * step, from + 2 * i, 2);
    else if (e->size == 4)
        for (int64_t i = 0; i < n; i++) memcpy(to + i * step, from + 4 * i, 4);
    else if (e->size == 8)
        for (int64_t i = 0; i < n; i++) memcpy(to + i * step, from + 8 * i, 8);
    else
        for (int64_t i = 0; i < n; i++) memcpy(to + i * step, from + 16 * i, 16);
}

/* State shared by the blocks of a tile. Each parameter with a role has a buffer: in and out for one block, inout for
 * two, accumulators for their lanes. */
typedef struct tess__walk {
    const tess_tile   *tile;
    const tess__entry *entries;
    unsigned char     *buffer[32];
    tess__row_span     span;
    int64_t            lanes;            /* number of lanes used */
    int                n, careful, redo; /* redo: a block may be repeated */
    uint32_t           direct;           /* bit k: parameter k is read in place, although not contiguous */
} tess__walk;

static inline unsigned char *tess__address(const tess__walk *walk, int k)
{
    const int64_t *at = walk->span.at, *s = walk->tile->stride[k];
    const int64_t  offset = at[0] * s[0] + at[1] * s[1] + at[2] * s[2] + at[3] * s[3];
    return (unsigned char *)walk->tile->ptr[k] + offset * walk->entries[k].size;
}

/* Returns true if a parameter is used in place. An inout parameter is not, if its old values may be needed again. */
static inline int tess__in_place(const tess__walk *walk, int k)
{
    const tess__entry *e = &walk->entries[k];
    return (walk->tile->contig >> k & 1) && e->size == e->held;
}

static inline void tess__before(tess__walk *walk, int first)
{
    tess__row_span *span = &walk->span;
    for (int k = 0; k < walk->n; k++) {
        const tess__entry *e = &walk->entries[k];
        if (e->role == TESS__ROLE_ACC && walk->redo)
            memcpy(walk->buffer[k], walk->tile->acc[k], (size_t)(walk->lanes * e->size));
        if (e->role < TESS__ROLE_IN || e->role > TESS__ROLE_INOUT) continue;
        unsigned char *at = tess__address(walk, k), *buffer = walk->buffer[k];
        const int64_t  stride = walk->tile->stride[k][3];
        const int      there = tess__in_place(walk, k);
        if (e->role != TESS__ROLE_OUT) {
            if (walk->direct >> k & 1) span->in[k] = at;
            else if (there && !(e->role == TESS__ROLE_INOUT && walk->redo)) span->in[k] = at;
            else {
                span->in[k] = buffer;
                if (first || stride != 0) tess__copy_in(e, buffer, at, stride, span->n);
            }
        }
        if (e->role == TESS__ROLE_INOUT) buffer += TESS__BLOCK_LENGTH * e->held;
        if (e->role != TESS__ROLE_IN) span->out[k] = there ? at : buffer;
    }
}

static inline void tess__restore(const tess__walk *walk)
{
    for (int k = 0; k < walk->n; k++)
        if (walk->entries[k].role == TESS__ROLE_ACC)
            memcpy(walk->tile->acc[k], walk->buffer[k], (size_t)(walk->lanes * walk->entries[k].size));
}

static inline void tess__after(const tess__walk *walk)
{
    for (int k = 0; k < walk->n; k++) {
        const tess__entry *e = &walk->entries[k];
        if ((e->role != TESS__ROLE_OUT && e->role != TESS__ROLE_INOUT) || tess__in_place(walk, k)) continue;
        tess__copy_out(e, tess__address(walk, k), (const unsigned char *)walk->span.out[k], walk->tile->stride[k][3],
                       walk->span.n);
    }
}

static inline void tess__one_block(tess__walk *walk, tess__block_fn block, int first)
{
    const tess_tile *tile = walk->tile;
    tess__before(walk, first);
    if (!walk->redo) (void)block(tile, &walk->span, walk->careful);
    else {
        tess_fault fault;
        memset(&fault, 0, sizeof fault);
        if (tile->fault) fault = *tile->fault;
        if (block(tile, &walk->span, 0)) {
            if (tile->fault) *tile->fault = fault;
            tess__restore(walk);
            (void)block(tile, &walk->span, 1);
        }
    }
    tess__after(walk);
}

/* Returns the block length, a multiple of the lanes: whole rows if nothing needs a buffer, unless they may be
 * redone. */
static inline int64_t tess__length(const tess__walk *walk)
{
    for (int k = 0; k < walk->n; k++) {
        const int role = walk->entries[k].role;
        if (walk->direct >> k & 1) continue;
        if (role >= TESS__ROLE_IN && role <= TESS__ROLE_INOUT && !tess__in_place(walk, k)) return TESS__BLOCK_LENGTH;
        if (role == TESS__ROLE_INOUT && walk->redo) return TESS__BLOCK_LENGTH;
    }
    return walk->redo ? 16 * TESS__BLOCK_LENGTH : (int64_t)1 << 40;
}

/* Finds inputs that the loop reads with a stride: for cheap operators this is faster than gathering them. A single
 * number for the whole row is better in a buffer. */
static inline void tess__find_direct(tess__walk *walk)
{
    for (int k = 0; k < walk->n; k++) {
        const tess__entry *e = &walk->entries[k];
        walk->span.step[k] = 1;
        if (e->role != TESS__ROLE_IN || e->size != e->held || walk->careful) continue;
        const int64_t stride = walk->tile->stride[k][3];
        if (stride == 0 || stride == 1) continue;
        walk->span.step[k] = stride;
        walk->span.strided = 1;
        walk->direct |= (uint32_t)1 << k;
    }
}

/* One function shared by all operators of a file: inlining it into each would take most of the compile time. */
#if defined(__GNUC__)
#define TESS__SHARED_FN __attribute__((noinline, unused)) static
#else
#define TESS__SHARED_FN static inline
#endif

/* `straight`: the loop can read inputs with strides. `careful`: the body has functions with a fast path for most
 * arguments only. A scatter cannot be undone and adds its elements one by one, so its blocks are complete from the
 * start. */
TESS__SHARED_FN void tess__blocks(const tess_tile *tile, const tess__entry *entries, int n, tess__block_fn block,
                                  unsigned char *buffer, int straight, int careful)
{
    tess__walk     walk;
    const int64_t *o = tile->origin, *e = tile->extent;
    int64_t       *at = walk.span.at;
    walk.tile = tile;
    walk.entries = entries;
    walk.n = n;
    walk.lanes = tess__least(e[3], tile->lanes);
    walk.careful = walk.redo = careful;
    walk.direct = 0;
    walk.span.strided = 0;
    for (int k = 0; k < n; k++) {
        walk.buffer[k] = buffer;
        if (entries[k].role != TESS__ROLE_OTHER && entries[k].role != TESS__ROLE_SCATTER)
            buffer += TESS__BLOCK_LENGTH * entries[k].held * (entries[k].role == TESS__ROLE_INOUT ? 2 : 1);
        if (entries[k].role != TESS__ROLE_SCATTER) continue;
        walk.redo = 0;
        walk.careful = 1;
    }
    if (straight) tess__find_direct(&walk);
    const int64_t length = tess__length(&walk);
    for (at[0] = o[0]; at[0] < o[0] + e[0]; at[0]++)
        for (at[1] = o[1]; at[1] < o[1] + e[1]; at[1]++)
            for (at[2] = o[2]; at[2] < o[2] + e[2]; at[2]++)
                for (int64_t i = 0; i < e[3]; i += length) {
                    at[3] = o[3] + i;
                    walk.span.n = tess__least(e[3] - i, length);
                    tess__one_block(&walk, block, i == 0);
                }
}

#endif
