/* The STAR file of corrected micrographs, one row for each movie, with the tables and labels of RELION's
 * corrected_micrographs.star. */
#ifndef TESSERA_MOVIES_CORRECTED_STAR_H
#define TESSERA_MOVIES_CORRECTED_STAR_H

#include "tessera.h"

typedef struct corrected_micrograph {
    const char *name;                               /* the weighted sum, or the plain one if there is no other */
    const char *unweighted;                         /* the plain sum, where `name` is the weighted one; else NULL */
    const char *metadata;                           /* the STAR file of shifts, or NULL */
    double      pixel_size, voltage, cs, amplitude; /* Å, kV, mm, a fraction */
    double      early, late;                        /* lengths of the way, Å */
    int64_t     patches;                            /* that were used */
    bool        has_model;                          /* of local motion */
} corrected_micrograph;

/* Adds a row, and its optics group where no other row has it, to *star, which is made if it is NULL. */
tess_status corrected_star_add(tess_star **star, const corrected_micrograph *m);

#endif
