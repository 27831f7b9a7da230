/* What is told of the motion of a movie: shifts as STAR with RELION's labels or as TSV, and trajectories on its
 * mean. */
#ifndef TESSERA_MOVIES_MOTION_REPORT_H
#define TESSERA_MOVIES_MOTION_REPORT_H

#include "files/input.h"
#include "movies/exposure.h"
#include "movies/local_motion.h"
#include "movies/whole_motion.h"

typedef struct motion {
    const input      *in;
    double            pixel_size; /* Å */
    const exposure   *exposure;
    const char       *gain, *defects;            /* files, or NULL */
    int64_t           eer_upsampling, eer_group; /* of an EER movie; 0: it is none, or the group is not known */
    const tess_array *hot_pixels;                /* u8 {1,1,h,w} on the host, or NULL */
    whole_motion      whole;                     /* shifts (h, w) in pixels of frames */
    int64_t           patches[2];                /* along y and x; 1, 1: none */
    local_motion      local;
    tess_array        mean; /* f32 {1,1,h,w}, on the host: the aligned frames' mean, cropped to be shown */
} motion;

/* Write shifts to a file, STAR if its name ends so, else TSV. */
tess_status motion_write_shifts(const motion *m, const char *path, bool overwrite);

/* Pixels of the longer side of `mean`, at most. */
enum { MOTION_SHOWN = 384 };

/* Draw the mean and on it, 10 times as large, the trajectory of whole frames from the middle on and those of patches at
 * their positions. */
tess_status motion_plot(const motion *m, const char *path, bool overwrite);

/* The length of the way of whole frames, in pixels: that up to an exposure of 4 electrons/Å^2 (of frames of 1 if it is
 * not known), as RELION's rlnAccumMotionEarly, and the rest. */
void motion_length(double *early, double *late, const motion *m);

#endif
