/* Motion correction: alignment of the frames of a movie, as a whole and in patches, and their sum. */
#ifndef TESSERA_JOBS_MOTION_CORRECT_H
#define TESSERA_JOBS_MOTION_CORRECT_H

#include "tessera/jobs/camera.h"

TESS_BEGIN_C

typedef struct tess_motion_correct_opts {
    double             dose;    /* dose per frame, electrons/Å^2 [not known] */
    double             pre;     /* exposure before the first frame, electrons/Å^2 [0] */
    const tess_array  *doses;   /* accumulated exposure at the end of each frame, without pre, electrons/Å^2 [by
                                   dose] */
    double             voltage; /* kV: 300 or 200; others need critical_factor [300] */
    double             critical_factor; /* factor of the critical exposure [1 at 300 kV, 0.8 at 200 kV] */
    const tess_source *dark;            /* dark image, subtracted from each frame [none] */
    const tess_source *gain;            /* gain reference, see tess_camera_open [none] */
    int32_t            gain_sense;      /* a tess_gain_sense [TESS_GAIN_DEFAULT] */
    int32_t            gain_rot;        /* rotation of the gain reference in steps of 90 degrees from x towards y, 0 to
                                           3 [0] */
    int32_t            gain_flip;       /* a tess_gain_flip, after the rotation [TESS_GAIN_FLIP_NONE] */
    int32_t            group;           /* number of frames summed for the alignment [those of 1 electron/Å^2 together;
                                           1 if the dose is not known] */
    const tess_source *defects;         /* defect map, not 0 at bad pixels [none] */
    double             hot; /* threshold for hot and dead pixels: |mean frame - local median|, in standard deviations,
                               as in tess_remove_outliers [6]; TESS_ZERO: none */
    double             resolution; /* ignore resolutions finer than this during alignment, Å [4] */
    double             bfactor;    /* B-factor of the cross-correlation, Å^2 [150]; TESS_ZERO */
    double             max_shift;  /* maximum shift per frame and iteration, pixels [unlimited] */
    tess_shape patches;    /* {1,1,y,x}: number of patches along h and w for local motion; 1 x 1: only whole frames [5 x
                              5 if patches then have at least 200 pixels of the aligned size along both axes and there
                              are at least 4 groups of frames, otherwise 1 x 1] */
    double     max_local;  /* maximum shift of a patch relative to whole frames, pixels; not with 1 x 1 [10 Å] */
    double     pixel_size; /* Å [that of movie] */
    int32_t    always_local; /* 1: keep the local motion model even if cross-validation finds no improvement [0] */
    int32_t    interp;       /* interpolation for resampling frames with local motion: LINEAR, CUBIC, LANCZOS4, LANCZOS6
                                or LANCZOS8 [TESS_INTERP_LANCZOS6] */
    int32_t    odd;          /* 1: also compute the sum of frames 1, 3, 5 … [0] */
    int32_t    even;         /* 1: also compute the sum of frames 0, 2, 4 … [0] */
    int32_t    unweighted;   /* 1: no dose-weighted sum, even if doses are known [0] */
    int32_t    thumbnail;    /* 1: also compute a thumbnail of the sum [0] */
    uint32_t   reserved[8];  /* must be 0 */
} tess_motion_correct_opts;

typedef struct tess_motion_correct_result {
    tess_array sum;       /* f32 {1,1,h,w} on the CPU, as all arrays here: the sum of the aligned frames */
    tess_array weighted;  /* the dose-weighted sum, scaled as by tess_dose_normalize, if doses are known */
    tess_array odd, even; /* sums of frames 1, 3, 5 …, and 0, 2, 4 …, if requested */
    tess_array thumbnail; /* the sum, cropped in Fourier space to at most 384 pixels along each axis, if requested */
    tess_array shifts;    /* f64 {1,1,frames,3}: frame, x, y; shifts that move a frame onto the first one, pixels */
    tess_array model;     /* f64 {2,1,1,18}: local motion model for tess_motion_warp, if used */
    tess_array patch_positions; /* f64 {patches,1,1,2}: as in tess_motion_fit, if patches were aligned */
    tess_array patch_shifts;    /* f64 {patches,1,frames,2}: along h and w, relative to whole frames, pixels */
    tess_array patch_weights;   /* f64 {patches,1,frames,1}: 0 for patches not used */
    tess_array hot_pixels;      /* u8 {1,1,h,w}: 1 at hot pixels that are not in the defect map, if detected */
    double     pixel_size;      /* Å */
    double     motion;          /* total length of the path of whole frames, Å */
    double     motion_early;    /* its part up to an exposure of 4 electrons/Å^2 (1 per frame if not known), Å */
    double     motion_late;     /* its part after that, Å */
    double     score;       /* mean correlation of frames with the others, in standard deviations of random phases */
    double     noise;       /* minimum score for frames to be moved */
    double     residual;    /* root-mean-square residual of the patch shifts, pixels */
    double     local_gain;  /* relative gain in correlation by the local model, from cross-validation */
    double     local_error; /* its standard error */
    int64_t    n_frames;
    int64_t    n_bad_pixels;
    int64_t    n_patches; /* number of patches used */
    int64_t    group;     /* number of frames summed for the alignment */
} tess_motion_correct_result;

/**
 * Aligns and adds the frames of a movie, {frames,1,h,w} of real numbers.
 *
 * Frames are gain-corrected (tess_camera_open), and bad pixels are replaced by the median of their valid neighbours.
 * Each frame is correlated with the sum of the others and moved to the peak, until shifts change by less than 0.05
 * pixels at the aligned size (tess_align_frames). If frames correlate no better than noise, they are added without
 * alignment, with a warning.
 *
 * If opts->patches are more than one, patches of the aligned frames are then aligned, and a polynomial of position and
 * time is fitted to their shifts (tess_motion_fit). If enough patches can be aligned, and cross-validation finds that
 * the polynomial improves the sum, frames are resampled by it (tess_motion_warp); otherwise whole frames are moved,
 * with a warning. Frames are kept in memory if they fit into the budget of the context; otherwise they are read again.
 */
TESS_API TESS_MUST_CHECK tess_status tess_motion_correct(tess_motion_correct_result *result, const tess_source *movie,
                                                         const tess_motion_correct_opts *opts,
                                                         const tess_context             *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_motion_correct_result_release(tess_motion_correct_result *result);

TESS_END_C

#endif
