/* Rows of options for what CTFs of one microscope have in common. */
#ifndef TESS_JOBS_DATA_MOVIES_MICROSCOPE_H
#define TESS_JOBS_DATA_MOVIES_MICROSCOPE_H

#include "jobs/run/table.h"

/* Fields voltage, cs and amplitude of the options of a job. */
#define TESS__MICROSCOPE_ROWS(opts)                                                                                    \
    TESS__OPT_F64(opts, voltage, "kV", 300, TESS__POSITIVE, 99999, "acceleration voltage"),                            \
        TESS__OPT_F64(opts, cs, "mm", 2.7, -99999, 99999, "spherical aberration"),                                     \
        TESS__OPT_F64(opts, amplitude, "", 0.1, 0, 1 - 0x1p-53, "amplitude contrast, as a fraction")

/* Field bfactor. */
#define TESS__ENVELOPE_ROW(opts)                                                                                       \
    TESS__OPT_F64(opts, bfactor, "\xc3\x85^2", 0, -DBL_MAX, DBL_MAX,                                                   \
                  "B-factor of the envelope exp(-B/4 s^2); positive values attenuate")

#endif
