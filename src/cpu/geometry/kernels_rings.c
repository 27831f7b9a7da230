/* Sums into rings: the kernels of values, powers and complex numbers. Built once per instruction set. */
#include "cpu/geometry/kernels.h"
#include "cpu/geometry/runs.h"
#include "cpu/template.h"

/* Where the columns of a block go. */
typedef struct slots {
    _Alignas(64) double lower[TESS__RINGS_BLOCK];
    _Alignas(64) double upper[TESS__RINGS_BLOCK];
    _Alignas(64) int32_t slot[TESS__RINGS_BLOCK];
    _Alignas(64) int32_t next[TESS__RINGS_BLOCK];
} slots;

static inline TESS_ALWAYS_INLINE void put_columns(slots *restrict at, const tess__rings_run *run, int kind, int64_t n)
{
    const tess__rings_grid g = *run->grid;
    const tess__rings_row  row = *run->row;
    const double *restrict f = run->f, *restrict weight = run->weight;
    for (int64_t i = 0; i < n; i++) {
        const double            position = tess__rings_position(kind, &g, &row, f[i]);
        const tess__rings_slots column = tess__rings_slots_of(&g, position, weight[i] * row.weight);
        at->slot[i] = column.slot;
        at->next[i] = column.next;
        at->lower[i] = column.lower;
        at->upper[i] = column.upper;
    }
}

static void find_slots(slots *at, const tess__rings_run *run, int64_t n)
{
    if (run->grid->kind == TESS__RINGS_ISOTROPIC) put_columns(at, run, TESS__RINGS_ISOTROPIC, n);
    else if (run->grid->kind == TESS__RINGS_ASTIGMATIC) put_columns(at, run, TESS__RINGS_ASTIGMATIC, n);
    else put_columns(at, run, TESS__RINGS_FUSED, n);
}

#define TERMS TESS__RINGS_VALUE
#define SUFFIX value
#include "cpu/geometry/rings.c.inc"
#define TERMS TESS__RINGS_POWER
#define SUFFIX power
#include "cpu/geometry/rings.c.inc"
#define TERMS TESS__RINGS_COMPLEX
#define SUFFIX complex
#include "cpu/geometry/rings.c.inc"

void TESS__FILL_KERNELS(geometry, rings)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, rings)(tess__geometry_kernels *kernels)
{
    kernels->rings[TESS__RINGS_VALUE] = rings_value;
    kernels->rings[TESS__RINGS_POWER] = rings_power;
    kernels->rings[TESS__RINGS_COMPLEX] = rings_complex;
}
