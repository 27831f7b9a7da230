/* Exposures of a tilt series by its mdoc file. */
#ifndef TESSERA_MOVIES_MDOC_EXPOSURE_H
#define TESSERA_MOVIES_MDOC_EXPOSURE_H

#include "tessera.h"

typedef struct mdoc_source {
    const tess_mdoc *mdoc;
    const char      *verb, *path; /* for messages */
} mdoc_source;

/* The electrons/A^2 that each of n sections, by their ZValues, has received when it ends: PriorRecordDose and
 * ExposureDose, or, in a file without the former, the sum of ExposureDose in the order of acquisition: by DateTime
 * where all sections have one, else by ZValue. */
tess_status mdoc_exposures(double *doses, const mdoc_source *from, const int64_t *z, int64_t n);

#endif
