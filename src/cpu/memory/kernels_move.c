/* Copy, fill, select and transpose kernels by element size. Built once per instruction set. */
#include <string.h>

#include "cpu/memory/bytes.h"
#include "cpu/memory/kernels.h"
#include "cpu/memory/nt_store.h"
#include "cpu/memory/row_copy.h"
#include "cpu/template.h"

#define T bytes1
#define SUFFIX 1
#define HAS_MASKS 1
#include "cpu/memory/copy.c.inc"
#define T bytes2
#define SUFFIX 2
#define HAS_MASKS 1
#include "cpu/memory/copy.c.inc"
#define T bytes4
#define SUFFIX 4
#define HAS_MASKS 1
#include "cpu/memory/copy.c.inc"
#define T bytes8
#define SUFFIX 8
#define HAS_MASKS 1
#include "cpu/memory/copy.c.inc"
#define T bytes16
#define SUFFIX 16
#define HAS_MASKS 0
#include "cpu/memory/copy.c.inc"

static void copy_any(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const int64_t size = ((const tess__element *)param)->size;
    const int64_t so = s[0] * size, sa = s[1] * size;
    if (so == size && sa == size) memcpy(p[0], p[1], (size_t)(n * size));
    else
        for (int64_t i = 0; i < n; i++) memcpy(p[0] + i * so, p[1] + i * sa, (size_t)size);
}

static void where_any(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const int64_t size = ((const tess__element *)param)->size;
    for (int64_t i = 0; i < n; i++) {
        const char *chosen = p[1][i * s[1]] ? p[2] + i * s[2] * size : p[3] + i * s[3] * size;
        if (chosen != p[0] + i * s[0] * size) memcpy(p[0] + i * s[0] * size, chosen, (size_t)size);
    }
}

static void fill_any(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    const tess__element *element = param;
    for (int64_t i = 0; i < n; i++) memcpy(p[0] + i * s[0] * element->size, element->bytes, (size_t)element->size);
}

#define SIZE 1
#include "cpu/memory/transpose.c.inc"
#define SIZE 2
#include "cpu/memory/transpose.c.inc"
#define SIZE 4
#include "cpu/memory/transpose.c.inc"
#define SIZE 8
#include "cpu/memory/transpose.c.inc"
#define SIZE 16
#include "cpu/memory/transpose.c.inc"

#include "cpu/memory/line_writer.c.inc"

void TESS__FILL_KERNELS(memory, move)(tess__memory_kernels *k);

void TESS__FILL_KERNELS(memory, move)(tess__memory_kernels *k)
{
    k->nt_copy = nt_copy, k->lay = lay_rows;
    k->copy[0] = copy_1, k->fill[0] = fill_1, k->transpose[0] = transpose_1, k->where[0] = where_1;
    k->copy[1] = copy_2, k->fill[1] = fill_2, k->transpose[1] = transpose_2, k->where[1] = where_2;
    k->copy[2] = copy_4, k->fill[2] = fill_4, k->transpose[2] = transpose_4, k->where[2] = where_4;
    k->copy[3] = copy_8, k->fill[3] = fill_8, k->transpose[3] = transpose_8, k->where[3] = where_8;
    k->copy[4] = copy_16, k->fill[4] = fill_16, k->transpose[4] = transpose_16, k->where[4] = where_16;
    k->copy[TESS__ANY_SIZE] = copy_any, k->fill[TESS__ANY_SIZE] = fill_any, k->where[TESS__ANY_SIZE] = where_any;
}
