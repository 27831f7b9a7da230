/* Shells of frequencies: where a coefficient of a spectrum lies, and what it contributes, for the CPU and GPUs.
 *
 * A frequency vector times the smallest size m has the components k m / n, exact where n is m or divides k m, and its
 * length is the shell: 0 to m / 2. Coefficients beyond m / 2 are in none.
 *
 * Sums are made in chunks of rows. Each chunk has TESS__SHELL_LANES tables, of which column w goes to number w modulo
 * that: so neighbours, which are in the same shells, do not wait for each other. Then the tables of a chunk, and after
 * them the chunks, are added in their order.
 */
#ifndef TESS_OPS_SHELLS_OP_H
#define TESS_OPS_SHELLS_OP_H

#include <stdint.h>

#include "tessera/math/fn.h"

/* Sums of a pair: Re(l conj(r)), |l|^2, |r|^2, 1; of one spectrum: |l|^2, 1. Macros, as the preprocessor compares
 * them. */
#define TESS__SHELL_PAIR 4
#define TESS__SHELL_POWER 2

enum {
    TESS__SHELL_LANES = 4,
    TESS__SHELL_CHUNK = 32768, /* coefficients of a chunk, about, */
    TESS__SHELL_CHUNKS = 1024  /* unless there would be more of them than this */
};

/* An axis of a spectrum: the index of frequency 0, and how many there are from 0 on and below. Those below end at
 * index `below_end`. */
typedef struct tess__shell_axis {
    int64_t n; /* logical size */
    int64_t zero, above, below_end, below;
} tess__shell_axis;

typedef struct tess__shell_grid {
    tess__shell_axis axis[3]; /* D, H, W */
    int64_t          m;       /* smallest of the sizes above 1, or 1 */
    int64_t          shells;  /* m / 2 + 1 */
    int64_t          rows;    /* of a chunk */
    int64_t          chunks;
    double           limit; /* m^2 / 4 */
    int32_t          half;  /* columns but 0 and n / 2 stand for two coefficients */
} tess__shell_grid;

/* The frequency of an index, in cycles of the axis. */
TESS_FN int64_t tess__shell_cycles(const tess__shell_axis *a, int64_t index)
{
    const int64_t k = index - a->zero;
    return k >= 0 && k < a->above ? k : index - a->below_end;
}

/* The component of a frequency vector. */
TESS_FN double tess__shell_component(const tess__shell_axis *a, int64_t k, int64_t m)
{
    return a->n == m ? (double)k : (double)(k * m) / (double)a->n;
}

/* How often the coefficients of a column count. */
TESS_FN double tess__shell_weight(const tess__shell_grid *g, int64_t k)
{
    return g->half && k != 0 && 2 * k != g->axis[2].n ? 2.0 : 1.0;
}

/* Is the column of a frequency within the shells, in a row whose other components have this sum of squares? */
TESS_FN int tess__shell_has(const tess__shell_grid *g, double row, int64_t k)
{
    const double x = tess__shell_component(&g->axis[2], k, g->m), square = x * x;
    return row + square <= g->limit;
}

/* How many columns of frequencies 0, 1 .. are: about a root, from which the right number is not far. */
TESS_FN int64_t tess__shell_columns(const tess__shell_grid *g, double row)
{
    const int64_t all = g->axis[2].n / 2 + 1;
    if (!tess__shell_has(g, row, 0)) return 0;
    int64_t n = (int64_t)(__builtin_sqrt(g->limit - row) * (double)g->axis[2].n / (double)g->m) + 1;
    if (n > all) n = all;
    while (n < all && tess__shell_has(g, row, n)) n++;
    while (n > 1 && !tess__shell_has(g, row, n - 1)) n--;
    return n;
}

#endif
