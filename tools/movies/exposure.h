/* Lists of the exposure at the end of each image of a movie or tilt series. */
#ifndef TESSERA_MOVIES_EXPOSURE_H
#define TESSERA_MOVIES_EXPOSURE_H

#include "files/input.h"

/* Options for lists of exposures, in addition to those of a job. */
#define EXPOSURE_LIST_OPTIONS                                                                                          \
    VALUE("doses", "FILE", OPTION_FILE, "exposure at the end of each image, in electrons/A^2, one per line"),          \
        VALUE("mdoc", "FILE", OPTION_FILE,                                                                             \
              "mdoc file with the doses: PriorRecordDose plus ExposureDose, or ExposureDose summed in order of "       \
              "DateTime or ZValue")

/* The exposures of the images that were chosen, without --pre, as the option `doses` of a job: f64 {n,1,1,1}, by
 * --doses or --mdoc, or by --dose where images before them count too. No data: the job needs none. To be released. */
tess_status exposure_list(tess_array *doses, const job *job, const input *in);

#endif
