/* How many electrons each image of a movie or tilt series has received when it ends. */
#ifndef TESSERA_MOVIES_EXPOSURE_H
#define TESSERA_MOVIES_EXPOSURE_H

#include "files/input.h"

#define EXPOSURE_OPTIONS                                                                                               \
    { .name = "dose", .value = "D", .type = OPTION_NUMBER, .help = "electrons/A^2 of each frame" },                    \
        { .name = "pre", .value = "D", .type = OPTION_NUMBER, .help = "electrons/A^2 before the first frame [0]" },    \
        { .name = "doses",                                                                                             \
          .value = "FILE",                                                                                             \
          .type = OPTION_FILE,                                                                                         \
          .help = "electrons/A^2 that each image has received when it ends, one in each line" },                       \
        { .name = "mdoc",                                                                                              \
          .value = "FILE",                                                                                             \
          .type = OPTION_FILE,                                                                                         \
          .help = "mdoc file with the doses: PriorRecordDose and ExposureDose, or the sum of ExposureDose in the "     \
                  "order of DateTime, or of ZValue" },                                                                 \
        { .name = "voltage",                                                                                           \
          .value = "KV",                                                                                               \
          .type = OPTION_NUMBER,                                                                                       \
          .help = "acceleration voltage: 300 or 200; others need --critical-factor [300]" },                           \
    {                                                                                                                  \
        .name = "critical-factor", .value = "F", .type = OPTION_NUMBER,                                                \
        .help = "factor of the critical exposure [1 at 300 kV, 0.8 at 200 kV]"                                         \
    }

typedef struct exposure {
    tess_array doses;  /* f64 {n,1,1,1} on the host; no data: none of the options was given */
    double     each;   /* of a frame, by --dose; 0 if it is not known */
    double     before; /* --pre */
    double     voltage, critical_factor;
} exposure;

/* By the options, of the images that were chosen. Images before them count, too. To be freed. */
tess_status exposure_read(exposure *e, const job *job, const input *in);
void        exposure_free(exposure *e);

/* For the functions of the library. */
tess_dose_weight_opts exposure_options(const exposure *e);

#endif
