/* Motion correction: the frames of a movie aligned as a whole and in patches, and added. */
#ifndef TESSERA_JOBS_MOTION_CORRECT_H
#define TESSERA_JOBS_MOTION_CORRECT_H

#include "tessera/jobs/camera.h"

TESS_BEGIN_C

typedef struct tess_motion_correct_opts {
    double             dose;            /* per frame, electrons/Å^2 [not known] */
    double             pre;             /* exposure before the first frame, electrons/Å^2 [0] */
    const tess_array  *doses;           /* exposure of each frame when it ends, without pre, electrons/Å^2 [by dose] */
    double             voltage;         /* kV: 300 or 200; others need critical_factor [300] */
    double             critical_factor; /* of the critical exposure [1 at 300 kV, 0.8 at 200 kV] */
    const tess_source *dark;            /* image that is subtracted from each frame [none] */
    const tess_source *gain;            /* gain reference, of the size of a frame [none] */
    int32_t            gain_sense;      /* a tess_gain_sense [TESS_GAIN_DEFAULT] */
    int32_t            gain_rot;        /* quarter turns of the gain reference from x towards y, 0 to 3 [0] */
    int32_t            gain_flip;       /* a tess_gain_flip, after the rotation [TESS_GAIN_FLIP_NONE] */
    int32_t            group;           /* frames that are aligned together [as many as have 1 electron/Å^2, or 1] */
    const tess_source *defects;         /* image that is not 0 at bad pixels [none] */
    double             hot; /* pixels of the mean frame farther from the median around, in standard deviations, are bad
                               [6]; TESS_ZERO: none */
    double             resolution; /* limit of the alignment, Å [4] */
    double             bfactor;    /* of the correlation, Å^2 [150]; TESS_ZERO */
    double             max_shift;  /* per frame and iteration, pixels [unlimited] */
    tess_shape patches;    /* {1,1,y,x}: patches along h and w for local motion; 1 x 1: whole frames alone [5 x 5 where
                               patches then have 200 pixels or more of what is aligned, and there are 4 groups of
                               frames, otherwise 1 x 1] */
    double     max_local;  /* maximum shift of a patch from that of whole frames, pixels [10 Å] */
    double     pixel_size; /* Å [that of movie] */
    int32_t    always_local; /* 1: keep the model of local motion where cross-validation finds no improvement [0] */
    int32_t    interp;       /* how frames with local motion are resampled: LINEAR, CUBIC, LANCZOS4, LANCZOS6 or
                               LANCZOS8 [TESS_INTERP_LANCZOS6] */
    int32_t    odd;          /* 1: make the sum of frames 1, 3, 5 … [0] */
    int32_t    even;         /* 1: make the sum of frames 0, 2, 4 … [0] */
    int32_t    unweighted;   /* 1: no sum weighted by exposure, also where doses are known [0] */
    int32_t    thumbnail;    /* 1: make a small picture of the sum [0] */
    uint32_t   reserved[8];  /* must be 0 */
} tess_motion_correct_opts;

typedef struct tess_motion_correct_result {
    tess_array sum;       /* f32 {1,1,h,w} on the CPU, as all arrays here: the sum of the aligned frames */
    tess_array weighted;  /* the sum weighted by exposure, as tess_dose_normalize scales it, where doses are known */
    tess_array odd, even; /* sums of frames 1, 3, 5 …, and 0, 2, 4 …, where asked for */
    tess_array thumbnail; /* the sum, cropped in Fourier space to at most 384 pixels along each axis, where asked
                                   for */
    tess_array shifts;    /* f64 {1,1,frames,3}: frame, x, y; they move a frame onto the first one, in pixels */
    tess_array model;     /* f64 {2,1,1,18}: of local motion, as tess_motion_warp takes it, where one is used */
    tess_array patch_positions; /* f64 {patches,1,1,2}: as tess_motion_fit takes them, where patches were aligned */
    tess_array patch_shifts;  /* f64 {patches,1,frames,2}: along h and w, on top of those of whole frames, in pixels */
    tess_array patch_weights; /* f64 {patches,1,frames,1}: 0 for patches that do not count */
    tess_array hot_pixels;    /* u8 {1,1,h,w}: 1 where a pixel is hot and no defect, where these were looked for */
    double     pixel_size;    /* Å */
    double     motion;        /* length of the way of whole frames, Å */
    double     motion_early;  /* up to an exposure of 4 electrons/Å^2, of 1 per frame where it is not known, Å */
    double     motion_late;   /* after that, Å */
    double     score;         /* mean correlation of frames with the others, standard deviations of random phases */
    double     noise;         /* score that frames must exceed to be moved */
    double     residual;      /* of patches from the model, pixels, root mean square */
    double     local_gain;    /* of the correlation, by cross-validation of the model, as a part of it */
    double     local_error;   /* its standard error */
    int64_t    n_frames;
    int64_t    n_bad_pixels;
    int64_t    n_patches; /* that count */
    int64_t    group;     /* frames that were aligned together */
} tess_motion_correct_result;

/**
 * Aligns and adds the frames of a movie, {frames,1,h,w} of real numbers.
 *
 * Frames are corrected (tess_camera_open), and bad pixels become the median of good ones around. Each frame is
 * correlated with the sum of the others and moved to the peak, until shifts change by less than 0.05 pixels of what is
 * aligned (tess_align_frames). Where frames correlate no better than noise, they are added without alignment, with a
 * warning. Then patches of the aligned frames are aligned, a polynomial of position and time is fitted to their shifts
 * (tess_motion_fit), and frames are resampled by it (tess_motion_warp), if a cross-validation finds that it makes the
 * sum better; otherwise whole frames are moved, with a warning. Frames are kept in memory where they fit into the
 * budget of the context; otherwise they are read again.
 */
TESS_API TESS_MUST_CHECK tess_status tess_motion_correct(tess_motion_correct_result *result, const tess_source *movie,
                                                         const tess_motion_correct_opts *opts,
                                                         const tess_context             *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_motion_correct_result_release(tess_motion_correct_result *result);

TESS_END_C

#endif
