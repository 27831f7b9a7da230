/* Sums into rings: the kernels of places, and of values, powers and complex numbers. Built once per instruction set. */
#include "cpu/geometry/kernels.h"
#include "cpu/geometry/sampling/polar_runs.h"
#include "cpu/template.h"

static inline TESS_ALWAYS_INLINE void find_positions(double *restrict position, const tess__rings_columns *columns,
                                                     int kind, int64_t n)
{
    const tess__rings_grid g = *columns->grid;
    const tess__rings_row  row = *columns->row;
    const double *restrict f = columns->f;
    for (int64_t i = 0; i < n; i++) position[i] = tess__rings_position(kind, &g, &row, f[i]);
}

/* In two loops: of one, compilers make branches. */
static void find_places(tess__rings_places *restrict at, const tess__rings_columns *columns, int64_t n)
{
    _Alignas(64) double position[TESS__RINGS_BLOCK];
    const double *restrict weight = columns->weight;
    const double           row_weight = columns->row->weight;
    const tess__rings_grid g = *columns->grid;
    const int              kind = g.kind;
    if (kind == TESS__RINGS_ISOTROPIC) find_positions(position, columns, TESS__RINGS_ISOTROPIC, n);
    else if (kind == TESS__RINGS_ASTIGMATIC) find_positions(position, columns, TESS__RINGS_ASTIGMATIC, n);
    else find_positions(position, columns, TESS__RINGS_FUSED, n);
    for (int64_t i = 0; i < n; i++) {
        const tess__rings_slots column = tess__rings_slots_of(&g, position[i], weight[i] * row_weight);
        at->slot[i] = column.slot;
        at->next[i] = column.next;
        at->lower[i] = column.lower;
        at->upper[i] = column.upper;
    }
}

#define T float
#define REAL f32
#include "cpu/geometry/rings_terms.c.inc"
#define T double
#define REAL f64
#include "cpu/geometry/rings_terms.c.inc"

void TESS__FILL_KERNELS(geometry, rings)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, rings)(tess__geometry_kernels *kernels)
{
#define KINDS(k, real)                                                                                                 \
    kernels->rings[k][TESS__RINGS_VALUE] = rings_value_##real;                                                         \
    kernels->rings[k][TESS__RINGS_POWER] = rings_power_##real;                                                         \
    kernels->rings[k][TESS__RINGS_COMPLEX] = rings_complex_##real;
    KINDS(0, f32)
    KINDS(1, f64)
#undef KINDS
    kernels->rings_places = find_places;
}
