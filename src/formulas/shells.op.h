/* Shells of frequencies: where the coefficients of a spectrum lie and in which order they are summed, for the CPU and
 * GPUs.
 *
 * A frequency vector times the smallest size m has the components k m / n, exact where n is m or divides k m, and its
 * length is the shell: 0 to m / 2. Of correlations, coefficients beyond m / 2 are in none, and the last shell takes
 * what would go to one beyond. Of powers, the last shell is as wide as the others: it has its share of coefficients
 * beyond it, and shares of shells beyond are dropped. In a spectrum of another range of frequencies the reciprocals of
 * their steps stand for the sizes.
 *
 * Coefficients whose frequencies differ in signs alone lie in the same shells. So the rows (+-d, +-h) are first added
 * to each other, up to four of them: a row of sums, of which each column is then split between two shells. Along a row
 * shells ascend. In full spectra the frequencies below 0 along the width are another row.
 *
 * Rows are summed in chunks: of one |d|, some neighbouring |h| and some neighbouring columns, which touch few shells.
 * Each chunk has TESS__SHELL_LANES tables, of which its column w goes to number w modulo that: so neighbours, which are
 * in the same shells, do not wait for each other. The tables of a chunk are added in their order, then the chunks of
 * each group, then the groups.
 */
#ifndef TESS_FORMULAS_SHELLS_OP_H
#define TESS_FORMULAS_SHELLS_OP_H

#include <stdint.h>

#include "tessera/math/fn.h"

/* Sums of a pair: Re(l conj(r)), |l|^2, |r|^2, 1; of one spectrum: |l|^2, 1. Macros, as the preprocessor compares
 * them. */
#define TESS__SHELL_PAIR 4
#define TESS__SHELL_POWER 2

enum {
    TESS__SHELL_LANES = 4,
    TESS__SHELL_ROWS = 20,     /* |h| of a chunk, at most, */
    TESS__SHELL_COLUMNS = 138, /* and columns */
    TESS__SHELL_GROUP = 32,    /* chunks */
    TESS__SHELL_MEMBERS = 4    /* rows that are added to each other, at most */
};

/* An axis of a spectrum: the indices of frequencies k from 0 on are zero + k, those of -k are below - k. */
typedef struct tess__shell_axis {
    int64_t n; /* logical size */
    int64_t zero;
    int64_t below; /* -1: the axis is half, and has none below 0 */
    double  size;  /* 1 / step of its frequencies: n, unless a range says otherwise */
} tess__shell_axis;

typedef struct tess__shell_grid {
    tess__shell_axis axis[3];       /* D, H, W */
    int64_t          m;             /* smallest of the sizes above 1, or 1 */
    double           size;          /* smallest of the axes longer than 1, or 1: m, unless a range says otherwise */
    int64_t          shells;        /* m / 2 + 1 */
    int64_t          rows, columns; /* of a chunk */
    int64_t          across;        /* chunks next to each other along the width, */
    int64_t          down;          /* and along the height */
    int64_t          chunks;        /* all of them */
    int64_t          window;        /* shells that a chunk touches, at most */
    double           limit;         /* squared length of what is in a shell, at most: m^2 / 4 */
    int64_t          last;          /* nothing is split beyond it: the last shell, or one that does not exist */
} tess__shell_grid;

typedef struct tess__shell_chunk {
    int64_t d, h, h_end, w, w_end; /* frequencies, from 0 on */
    int64_t first;                 /* shell that it touches, or `shells`: it touches none */
} tess__shell_chunk;

/* The one or two indices of frequencies k and -k. */
typedef struct tess__shell_mirror {
    int32_t n;
    int64_t index[2];
    double  sign[2]; /* of the frequency */
} tess__shell_mirror;

TESS_FN tess__shell_mirror tess__shell_mirror_of(const tess__shell_axis *a, int64_t k)
{
    tess__shell_mirror at;
    const int          is_below = a->below >= 0 && 2 * k == a->n;
    at.n = a->below < 0 || k == 0 || is_below ? 1 : 2;
    at.index[0] = is_below ? a->below - k : a->zero + k;
    at.sign[0] = is_below ? -1.0 : 1.0;
    at.index[1] = a->below - k;
    at.sign[1] = -1.0;
    return at;
}

/* The end of the columns at frequencies from 0 on, which begin at 0, or of those below (`side` 1), which begin at 1. */
TESS_FN int64_t tess__shell_columns_end(const tess__shell_axis *a, int side)
{
    return a->below < 0 || side ? a->n / 2 + 1 : (a->n + 1) / 2;
}

/* The component of a frequency vector. */
TESS_FN double tess__shell_component(const tess__shell_axis *a, int64_t k, double size)
{
    return a->size == size ? (double)k : (double)k * size / a->size;
}

/* How often the coefficients of a column count. */
TESS_FN double tess__shell_weight(const tess__shell_axis *a, int64_t k)
{
    return a->below < 0 && k != 0 && 2 * k != a->n ? 2.0 : 1.0;
}

/* The squared length of a vector whose other components have this sum of squares. */
TESS_FN double tess__shell_square(const tess__shell_grid *g, double row, int64_t k)
{
    const double x = tess__shell_component(&g->axis[2], k, g->size), square = x * x;
    return row + square;
}

/* The sum of squares of the components along D and H. */
TESS_FN double tess__shell_row(double z, double y)
{
    const double zz = z * z, yy = y * y;
    return zz + yy;
}

TESS_FN tess__shell_chunk tess__shell_chunk_of(const tess__shell_grid *g, int64_t i)
{
    tess__shell_chunk c;
    const int64_t     line = i / g->across, rows = g->axis[1].n / 2 + 1, columns = g->axis[2].n / 2 + 1;
    c.d = line / g->down;
    c.h = (line - c.d * g->down) * g->rows;
    c.w = (i - line * g->across) * g->columns;
    c.h_end = c.h + g->rows < rows ? c.h + g->rows : rows;
    c.w_end = c.w + g->columns < columns ? c.w + g->columns : columns;
    const double z = tess__shell_component(&g->axis[0], c.d, g->size);
    const double y = tess__shell_component(&g->axis[1], c.h, g->size);
    const double nearest = tess__shell_square(g, tess__shell_row(z, y), c.w);
    c.first = nearest <= g->limit ? (int64_t)__builtin_sqrt(nearest) : g->shells;
    return c;
}

#endif
