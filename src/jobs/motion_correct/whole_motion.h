/* Motion of whole frames: their shifts, and whether frames correlate better than noise would. */
#ifndef TESS_JOBS_MOTION_CORRECT_WHOLE_MOTION_H
#define TESS_JOBS_MOTION_CORRECT_WHOLE_MOTION_H

#include "tessera/array.h"

typedef struct tess__whole_motion_opts {
    double  pixel_size; /* of the spectra's images, Å */
    double  bfactor;    /* of the correlation, Å^2 */
    double  max_shift;  /* of a frame from the mean of the others in an iteration, pixels of the images; 0: any */
    double  scale[2];   /* pixels of the frames in one of the images, along h and w: shifts are in pixels of frames */
    int32_t group;      /* frames that are aligned together */
} tess__whole_motion_opts;

typedef struct tess__whole_motion {
    tess_array shifts;       /* f64 {n,1,1,2} on the host; 0 where frames could not be aligned */
    double     score;        /* of the frames, the mean, as tess_align_frames gives them */
    double     noise;        /* what it must exceed */
    bool       is_no_better; /* than noise: frames stay where they are */
} tess__whole_motion;

/* `spectra` are half spectra of frames {n,1,h,w} = `shape`, on any device. To be freed by tess__whole_motion_free, also
 * after a failure. */
tess_status tess__whole_motion_find(tess__whole_motion *m, const tess_array *spectra, tess_shape shape,
                                    const tess__whole_motion_opts *opts);
void        tess__whole_motion_free(tess__whole_motion *m);

/* The score that frames of noise hardly reach where the highest peak of an area, in square Å, is taken: the expected
 * maximum of as many normal numbers as peaks of a correlation weighted by `bfactor` fit in, and half a standard
 * deviation, by which frames of noise adapt to each other. */
double tess__score_of_noise(double area, double pixel_size, double bfactor);

/* The area of a disc. */
double tess__disc_area(double radius);

#endif
