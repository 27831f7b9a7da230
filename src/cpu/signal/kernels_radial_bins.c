/* Sums over shells: the kernels of places, and of values, powers, complex numbers and pairs. Built once per instruction
 * set. */
#include <math.h>
#include <stdbool.h>

#include "cpu/signal/kernels.h"
#include "cpu/signal/radial_bins.h"
#include "cpu/template.h"

/* ---- Places ---- */

/* In two loops: of one, compilers make branches. */
static inline TESS_ALWAYS_INLINE void find_positions(double *restrict position, const tess__radial_columns *columns,
                                                     int kind, int64_t n)
{
    const tess__radial_grid g = *columns->grid;
    const tess__radial_row  row = *columns->row;
    const double *restrict f = columns->f;
    for (int64_t i = 0; i < n; i++) position[i] = tess__radial_position(kind, &g, &row, f[i]);
}

static inline TESS_ALWAYS_INLINE void find_slots(const tess__radial_places *at, const tess__radial_columns *columns,
                                                 bool mirrored, bool nearest, int64_t n)
{
    const tess__radial_grid   g = *columns->grid;
    const tess__radial_places to = *at; /* no store can change it */
    const double *restrict weight = columns->weight;
    const double  row_weight = columns->row->weight;
    const int32_t first = columns->first;
    TESS_IVDEP
    for (int64_t i = 0; i < n; i++) {
        const tess__radial_slots column =
            mirrored ? tess__radial_mirrored_slots(&g, nearest, first, to.position[i], weight[i])
                     : tess__radial_slots_of(&g, nearest, to.position[i], weight[i] * row_weight);
        to.slot[i] = column.slot;
        to.next[i] = column.next;
        to.lower[i] = column.lower;
        to.upper[i] = column.upper;
    }
}

static void find_places(const tess__radial_places *at, const tess__radial_columns *columns, int64_t n)
{
    const int  kind = columns->grid->kind;
    const bool nearest = columns->grid->nearest;
    if (kind == TESS__RADIAL_MIRRORED) find_positions(at->position, columns, TESS__RADIAL_MIRRORED, n);
    else if (kind == TESS__RADIAL_ISOTROPIC) find_positions(at->position, columns, TESS__RADIAL_ISOTROPIC, n);
    else if (kind == TESS__RADIAL_ASTIGMATIC) find_positions(at->position, columns, TESS__RADIAL_ASTIGMATIC, n);
    else find_positions(at->position, columns, TESS__RADIAL_FUSED, n);
    if (kind == TESS__RADIAL_MIRRORED && nearest) find_slots(at, columns, true, true, n);
    else if (kind == TESS__RADIAL_MIRRORED) find_slots(at, columns, true, false, n);
    else if (nearest) find_slots(at, columns, false, true, n);
    else find_slots(at, columns, false, false, n);
}

/* ---- Sums ---- */

/* What columns have. */
typedef struct terms {
    _Alignas(64) double sum[4][TESS__RADIAL_BLOCK];
} terms;

#define T float
#define REAL f32
#include "cpu/signal/radial_bins_terms.c.inc"
#define T double
#define REAL f64
#include "cpu/signal/radial_bins_terms.c.inc"

void TESS__FILL_KERNELS(signal, radial_bins)(tess__signal_kernels *kernels);

void TESS__FILL_KERNELS(signal, radial_bins)(tess__signal_kernels *kernels)
{
#define TERMS(k, real)                                                                                                 \
    kernels->radial_bins[k][TESS__RADIAL_VALUE] = add_value_##real;                                                    \
    kernels->radial_bins[k][TESS__RADIAL_POWER] = add_power_##real;                                                    \
    kernels->radial_bins[k][TESS__RADIAL_COMPLEX] = add_complex_##real;                                                \
    kernels->radial_bins[k][TESS__RADIAL_PAIR] = add_pair_##real;
    TERMS(0, f32)
    TERMS(1, f64)
#undef TERMS
    kernels->radial_places = find_places;
}
