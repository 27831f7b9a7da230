/* Shell correlation curves as files: RELION's STAR, the XML of EMDB, and a plot. */
#ifndef TESSERA_MAPS_FSC_FILES_H
#define TESSERA_MAPS_FSC_FILES_H

#include "maps/half_maps.h"

typedef struct fsc_facts {
    double resolution[2]; /* Å at 0.143 and at 0.5 */
    bool   crosses[2];
} fsc_facts;

/* RELION's labels: a table of pairs, "general", and a row for each shell, "fsc". */
tess_status fsc_write_star(const half_maps *h, double *curves, const fsc_facts *facts, const char *path,
                           bool overwrite);

/* The curve that counts, as depositions take it. */
tess_status fsc_write_xml(const half_maps *h, double *curves, const char *path, bool overwrite);

/* All curves, or with cones those that count, with lines at 0.143 and 0.5. */
tess_status fsc_write_plot(const half_maps *h, double *curves, const fsc_facts *facts, const char *path,
                           bool overwrite);

#endif
