/* Preparation of a chunk for a kernel: conversion, mapping and removal of NaNs. */

#include "core/dtype.h"
#include "cpu/convert/convert.h"
#include "cpu/isa.h"
#include "cpu/reduce/reduce.h"
#include "cpu/template.h"
#include "tessera/array.h"

static const void *convert(const void *in, tess_dtype from, tess_dtype to, int64_t n, void *workspace)
{
    if (from == to || to == TESS_DTYPE_NONE) return in;
    const tess__conversion c = tess__conversion_of(from, to, TESS__CLAMP, TESS_PART_ABS);
    const int64_t          ones[2] = { 1, 1 };
    char *const            p[2] = { workspace, (char *)(uintptr_t)in };
    c.row(p, ones, n, &c);
    return workspace;
}

enum { FAR = 24 }; /* prefetch distance in rows, which hardware prefetchers do not follow */

static inline void prefetch_row(const char *row, int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += 64) __builtin_prefetch(row + at);
}

void tess__convert_rows(const char **rows, int64_t n, int64_t columns, tess_dtype from, tess_dtype to, char *workspace)
{
    const tess__conversion c = tess__conversion_of(from, to, TESS__CLAMP, TESS_PART_ABS);
    const int64_t          ones[2] = { 1, 1 };
    const int64_t          bytes_in = columns * tess__dtype_size(from), bytes_out = columns * tess__dtype_size(to);
    for (int64_t i = 0; i < n; i++, workspace += bytes_out) {
        char *const p[2] = { workspace, (char *)(uintptr_t)rows[i] };
        if (i + FAR < n) prefetch_row(rows[i + FAR], bytes_in);
        c.row(p, ones, columns, &c);
        rows[i] = workspace;
    }
}

/* Two rows that are multiplied element by element. */
typedef struct multiplication {
    tess_dtype       dtype, stored[2];
    int64_t          step; /* of the second */
    tess__conversion convert[2];
} multiplication;

static void multiply(const multiplication *u, const char *x, const char *y, int64_t n, char *out)
{
    enum { BLOCK = 512 }; /* elements */
    _Alignas(64) char workspace[BLOCK * 8];
    const int64_t     size = tess__dtype_size(u->dtype), size_x = tess__dtype_size(u->stored[0]);
    const int64_t     size_y = tess__dtype_size(u->stored[1]), strides[2] = { 1, u->step }, ones[3] = { 1, 1, 1 };
    for (int64_t at = 0; at < n; at += BLOCK, out += BLOCK * size, x += BLOCK * size_x, y += u->step * BLOCK * size_y) {
        const int64_t m = n - at < BLOCK ? n - at : BLOCK;
        char         *p[3] = { out, (char *)(uintptr_t)x, (char *)(uintptr_t)y };
        if (u->stored[0] != u->dtype) u->convert[0].row((char *[]){ out, p[1] }, ones, m, &u->convert[0]), p[1] = out;
        if (u->stored[1] != u->dtype || u->step != 1)
            u->convert[1].row((char *[]){ workspace, p[2] }, strides, m, &u->convert[1]), p[2] = workspace;
        tess__cpu_kernels()->ewise.op[TESS__OP_mul][u->dtype](p, ones, m, NULL);
    }
}

void tess__multiply_rows(const tess__method *m, const char **rows, int64_t n, int64_t columns,
                         const tess_dtype stored[2], int64_t step, char *workspace)
{
    multiplication u = { m->read[0], { stored[0], stored[1] }, step, { { .row = NULL } } };
    for (int i = 0; i < 2; i++) u.convert[i] = tess__conversion_of(stored[i], m->read[0], TESS__CLAMP, TESS_PART_ABS);
    for (int64_t i = 0; i < n; i++, workspace += columns * tess__dtype_size(m->read[0])) {
        if (i + FAR < n) {
            prefetch_row(rows[i + FAR], columns * tess__dtype_size(stored[0]));
            if (step) prefetch_row(rows[n + i + FAR], columns * tess__dtype_size(stored[1]));
        }
        multiply(&u, rows[i], rows[n + i], columns, workspace);
        rows[i] = workspace;
    }
}

/* Applies an operator to the elements, in their dtype; `workspace` may be x's own. */
static const void *apply(int op, tess_dtype dtype, const void *x, const void *y, int64_t n, void *workspace)
{
    const int64_t ones[3] = { 1, 1, 1 };
    char *const   p[3] = { workspace, (char *)(uintptr_t)x, (char *)(uintptr_t)y };
    tess__cpu_kernels()->ewise.op[op][dtype](p, ones, n, NULL);
    return workspace;
}

/* ---- Removal of NaNs ---- */

/* Drops elements that are NaN, or of which a part is; returns how many remain. `out` may be `in`. */
#define COMPACT(suffix, T, PARTS, IS_NUMBER)                                                                           \
    static int64_t compact_##suffix(void *out, const void *in, int64_t n)                                              \
    {                                                                                                                  \
        T       *to = out;                                                                                             \
        const T *from = in;                                                                                            \
        int64_t  kept = 0;                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const T first = from[(PARTS)*i], last = from[(PARTS)*i + (PARTS)-1];                                       \
            to[(PARTS)*kept] = first;                                                                                  \
            to[(PARTS)*kept + (PARTS)-1] = last;                                                                       \
            kept += IS_NUMBER(first) && IS_NUMBER(last);                                                               \
        }                                                                                                              \
        return kept;                                                                                                   \
    }
#define IS_HALF(x) (((x)&0x7fff) <= 0x7c00)
#define IS_FLOAT(x) ((x) == (x))
COMPACT(f16, uint16_t, 1, IS_HALF)
COMPACT(f32, float, 1, IS_FLOAT)
COMPACT(f64, double, 1, IS_FLOAT)
COMPACT(c16, uint16_t, 2, IS_HALF)
COMPACT(c32, float, 2, IS_FLOAT)
COMPACT(c64, double, 2, IS_FLOAT)

/* By dtype; the others have no NaN. */
static int64_t (*const compact[TESS_SCALAR_DTYPE_COUNT])(void *out, const void *in, int64_t n) = {
    [TESS_F16] = compact_f16, [TESS_F32] = compact_f32, [TESS_F64] = compact_f64,
    [TESS_C16] = compact_c16, [TESS_C32] = compact_c32, [TESS_C64] = compact_c64,
};

void tess__prepare_chunk(const tess__method *m, tess__chunks *c, const tess_dtype stored[2], bool skip_nan,
                         char *const workspace[2])
{
    c->x = convert(c->x, stored[0], m->read[0], c->n, workspace[0]);
    if (c->y) c->y = convert(c->y, stored[1], m->read[1], c->n, workspace[1]);
    if (m->map != TESS__MAP_NONE) c->x = apply(m->map, m->read[0], c->x, c->y, c->n, workspace[0]);
    if (!skip_nan || !compact[m->mapped]) return;
    c->n = compact[m->mapped](workspace[0], c->x, c->n);
    c->x = workspace[0];
}
