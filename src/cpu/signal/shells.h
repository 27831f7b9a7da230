/* Rows of a spectrum as kernels add them to shells. */
#ifndef TESS_CPU_SIGNAL_SHELLS_H
#define TESS_CPU_SIGNAL_SHELLS_H

#include <stdbool.h>

#include "formulas/shells.op.h"

/* Where the columns of a row go: `upper` of each to the shell after its own, what is left of its weight to its own. */
typedef struct tess__shell_places {
    double  *length; /* of the frequency vector, times m */
    double  *upper;
    int32_t *shell;
} tess__shell_places;

/* Neighbouring columns of rows whose frequencies differ in signs alone, all of them within the shells: see
 * formulas/shells.op.h. */
typedef struct tess__shell_rows {
    int                n;                        /* rows: 1, 2 or 4 */
    const void        *lhs[TESS__SHELL_MEMBERS]; /* contiguous complex numbers, at the first column; */
    const void        *rhs[TESS__SHELL_MEMBERS]; /* not read by powers */
    double             z[TESS__SHELL_MEMBERS];   /* components of each row, */
    double             y[TESS__SHELL_MEMBERS];   /* those of the columns, */
    const double      *x, *weight;               /* and how often these count */
    double             side;                     /* sign of x */
    double             row;                      /* z^2 + y^2 */
    tess__shell_places at;
    int                lane;        /* of the first column */
    int32_t            first, last; /* shell of the tables, and of the spectrum */
    int64_t            window;      /* shells of a cone in a table */
    int64_t            cones;       /* 0: no cones */
    const double      *axes;        /* of the cones: (z, y, x) */
    double             cosine;
    bool               nearest;
} tess__shell_rows;

#endif
