/* Lists of how many electrons each image of a movie or tilt series has received when it ends. */
#ifndef TESSERA_MOVIES_EXPOSURE_H
#define TESSERA_MOVIES_EXPOSURE_H

#include "files/input.h"

/* Lists of exposures, beside those options that the rows of a job have. */
#define EXPOSURE_LIST_OPTIONS                                                                                          \
    VALUE("doses", "FILE", OPTION_FILE, "electrons/A^2 that each image has received when it ends, one in each line"),  \
        VALUE(                                                                                                         \
            "mdoc", "FILE", OPTION_FILE,                                                                               \
            "mdoc file with the doses: PriorRecordDose and ExposureDose, or the sum of ExposureDose in the order of "  \
            "DateTime, or of ZValue")

/* The exposures of the images that were chosen, without --pre, as the option `doses` of a job: f64 {n,1,1,1}, by
 * --doses or --mdoc, or by --dose where images before them count too. No data: the job needs none. To be released. */
tess_status exposure_list(tess_array *doses, const job *job, const input *in);

#endif
