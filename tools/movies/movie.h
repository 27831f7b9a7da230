/* The frames of a movie: less a dark and times a gain image, without bad pixels, and transformed; kept in memory where
 * they fit, else read again each time they are needed. */
#ifndef TESSERA_MOVIES_MOVIE_H
#define TESSERA_MOVIES_MOVIE_H

#include "movies/correction.h"

#define MOVIE_OPTIONS                                                                                                  \
    CORRECTION_OPTIONS, GAIN_OPTIONS,                                                                                  \
        { .name = "defects",                                                                                           \
          .value = "FILE",                                                                                             \
          .type = OPTION_FILE,                                                                                         \
          .help = "bad pixels: an image that is not 0 there, or a text of boxes, x y width height in each line" },     \
    {                                                                                                                  \
        .name = "hot", .value = "SD", .type = OPTION_NUMBER,                                                           \
        .help = "pixels of the sum of all frames that are farther than this from the median around are bad; 0: "       \
                "none [6]"                                                                                             \
    }

typedef struct movie {
    job       *job;
    input     *in;
    tess_shape shape; /* {frames,1,h,w} */
    correction correction;
    tess_array bad; /* u8 {1,1,h,w} on the device; no data: no pixel is */
    tess_array
            hot_pixels; /* the same of those that are hot and no defects, on the host; no data: none was looked for */
    int64_t n_bad;
    double  hot;
    tess_array sum;   /* while hot pixels are looked for */
    tess_array store; /* f32 {frames,1,h,2 (w/2+1)}: frames as they were read, then their spectra; no data: not kept */
    bool       transformed;
} movie;

/* Reads the corrections, and the frames once if hot pixels are looked for or they fit into memory, of which `reserved`
 * bytes are for other things. To be freed, also after a failure. */
tess_status movie_open(movie *m, job *job, input *in, double reserved);
void        movie_free(movie *m);

/* What is done with the half spectra {n,1,h,w/2+1} of frames from `first` on, on the device; they must not change. */
typedef tess_status (*movie_step)(void *context, const tess_array *spectra, int64_t first);

/* For all frames in their order. */
tess_status movie_each(movie *m, movie_step work, void *context);

#endif
