/* Reports on the motion of a movie: shifts as STAR with RELION's labels or as TSV, and trajectories plotted over its
 * mean. */
#ifndef TESSERA_MOVIES_MOTION_REPORT_H
#define TESSERA_MOVIES_MOTION_REPORT_H

#include "files/input.h"

typedef struct motion {
    const input                      *in;
    const tess_motion_correct_result *result;
    double                            dose, pre, voltage;        /* as they were given; a dose of 0 is not known */
    const char                       *gain, *defects;            /* files, or NULL */
    int64_t                           eer_upsampling, eer_group; /* of an EER movie; 0: another format, or not known */
} motion;

/* By the options of the verb. */
motion motion_of(const job *job, const input *in, const tess_motion_correct_result *result);

/* Write shifts to a file, STAR if its name ends so, else TSV. */
tess_status motion_write_shifts(const motion *m, const char *path, bool overwrite);

/* Draw the sum and on it, 10 times as large, the trajectory of whole frames from the middle on and those of patches at
 * their positions. */
tess_status motion_plot(const motion *m, const char *path, bool overwrite);

/* The row of the table that is printed. */
void motion_print(const motion *m, job *job);

#endif
