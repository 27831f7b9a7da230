/* Shell correlation curves as files: RELION's STAR, the XML of EMDB, and a plot. */
#ifndef TESSERA_MAPS_FSC_FILES_H
#define TESSERA_MAPS_FSC_FILES_H

#include "command/job.h"

/* The results of the job, and their half maps. */
typedef struct fsc_curves {
    const tess_half_map_fsc_result *result;
    const char                     *names[2]; /* of the half maps */
    bool                            is_volume, is_masked;
} fsc_curves;

enum { FSC_UNMASKED, FSC_MASKED, FSC_RANDOMISED, FSC_CORRECTED, FSC_KINDS }; /* in the order of `all` */

/* The frequency of a shell in 1/Å. */
double fsc_frequency(const fsc_curves *c, int64_t shell);

/* A curve among all: of a pair, or of the mean (0); row 0 is that of all directions, row i + 1 that of cone i. */
const double *fsc_curve(const fsc_curves *c, int64_t pair, int kind, int64_t row);

/* RELION's labels: a table of pairs, "general", and a row for each shell, "fsc". */
tess_status fsc_write_star(const fsc_curves *c, const char *path, bool overwrite);

/* The curve that resolutions are read from, as XML for EMDB. */
tess_status fsc_write_xml(const fsc_curves *c, const char *path, bool overwrite);

/* All curves, or with cones those that resolutions are read from, with lines at 0.143 and 0.5. */
tess_status fsc_write_plot(const fsc_curves *c, const char *path, bool overwrite);

#endif
