/* Facts about the scatters of an operator, which decide how their sums are made. */
#ifndef TESS_LANG_SCATTERS_H
#define TESS_LANG_SCATTERS_H

#include "lang/front/tree.h"

typedef struct tess__scatters {
    uint32_t batched;                 /* parameters that an element adds to at its own index b alone, as bits */
    bool     in_loops;                /* a statement that adds stands in a loop */
    int32_t  added[TESS__MAX_PARAMS]; /* statements that add to each parameter */
} tess__scatters;

/* The scatters of a typed tree. Without a body (a loop in C by the user), nothing is known: no parameter is batched. */
tess__scatters tess__scatters_of(const tess__tree *tree);

#endif
