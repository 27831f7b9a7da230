/* Dark and gain correction of camera frames, by options. */
#ifndef TESSERA_MOVIES_CORRECTION_H
#define TESSERA_MOVIES_CORRECTION_H

#include "files/input.h"

#define CORRECTION_OPTIONS                                                                                             \
    VALUE("dark", "FILE", OPTION_FILE, "dark image, subtracted from each image"),                                      \
        VALUE("gain", "FILE", OPTION_FILE, "gain reference, by which each image is then multiplied"),                  \
        CHOICE("gain-sense", "S", "multiply divide",                                                                   \
               "multiply by the gain reference, or divide by it over its mean [multiply; divide for EER movies, "      \
               "unless the gain is a .gain file]")

/* By --dark, --gain and --gain-sense, for images of this input. To be released by
 * tess_camera_release, also after a failure. */
tess_status correction_open(tess_camera *camera, job *job, input *in);

/* Correct *part, whose first pixel is (row, column) of its images, into `corrected`, which *part then points to; both
 * stay as they are if there is nothing to correct. */
tess_status correction_apply(const tess_camera *camera, tess_array *corrected, const tess_array **part, int64_t row,
                             int64_t column);

/* Says that the gain of an EER movie divides, where neither its name nor --gain-sense says how it is applied. */
void note_gain_sense(job *job, const input *movie);

#endif
