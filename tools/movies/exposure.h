/* How many electrons each image of a movie or tilt series has received when it ends. */
#ifndef TESSERA_MOVIES_EXPOSURE_H
#define TESSERA_MOVIES_EXPOSURE_H

#include "files/input.h"

/* Lists of exposures, beside those options that the rows of a job have. */
#define EXPOSURE_LIST_OPTIONS                                                                                          \
    { .name = "doses",                                                                                                 \
      .value = "FILE",                                                                                                 \
      .type = OPTION_FILE,                                                                                             \
      .help = "electrons/A^2 that each image has received when it ends, one in each line" },                           \
    {                                                                                                                  \
        .name = "mdoc", .value = "FILE", .type = OPTION_FILE,                                                          \
        .help = "mdoc file with the doses: PriorRecordDose and ExposureDose, or the sum of ExposureDose in the "       \
                "order of DateTime, or of ZValue"                                                                      \
    }

#define EXPOSURE_OPTIONS                                                                                               \
    { .name = "dose", .value = "D", .type = OPTION_NUMBER, .help = "electrons/A^2 of each frame" },                    \
        { .name = "pre", .value = "D", .type = OPTION_NUMBER, .help = "electrons/A^2 before the first frame [0]" },    \
        EXPOSURE_LIST_OPTIONS,                                                                                         \
        { .name = "voltage",                                                                                           \
          .value = "KV",                                                                                               \
          .type = OPTION_NUMBER,                                                                                       \
          .help = "acceleration voltage: 300 or 200; others need --critical-factor [300]" },                           \
    {                                                                                                                  \
        .name = "critical-factor", .value = "F", .type = OPTION_NUMBER,                                                \
        .help = "factor of the critical exposure [1 at 300 kV, 0.8 at 200 kV]"                                         \
    }

/* The exposures of the images that were chosen, without --pre, as the option `doses` of a job: f64 {n,1,1,1}, by
 * --doses or --mdoc, or by --dose where images before them count too. No data: the job needs none. To be released. */
tess_status exposure_list(tess_array *doses, const job *job, const input *in);

typedef struct exposure {
    tess_array doses;  /* f64 {n,1,1,1} on the host; no data: none of the options was given */
    double     before; /* --pre */
    double     voltage, critical_factor;
} exposure;

/* By the options, of the images that were chosen. Images before them count, too. To be freed. */
tess_status exposure_read(exposure *e, const job *job, const input *in);
void        exposure_free(exposure *e);

/* For the functions of the library. */
tess_dose_weight_opts exposure_options(const exposure *e);

#endif
