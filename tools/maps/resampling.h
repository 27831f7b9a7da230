/* How values between pixels and beyond the edge are found: --interp, --border, --fill. */
#ifndef TESSERA_MAPS_RESAMPLING_H
#define TESSERA_MAPS_RESAMPLING_H

#include "command/job.h"

typedef struct resampling {
    int32_t interp;    /* a tess_interp */
    int32_t border;    /* a tess_border */
    int32_t prefilter; /* 1 for B-splines, which go through the pixels */
    double  value;     /* that lies outside, with the border `value` */
} resampling;

#define RESAMPLING_OPTIONS                                                                                             \
    CHOICE("interp", "I", "nearest linear cosine cubic cubic-bspline bspline lanczos4 lanczos6 lanczos8",              \
           "interpolation between pixels [linear]"),                                                                   \
        CHOICE("border", "B", "zero clamp edge periodic wrap mirror symmetric reflect",                                \
               "values beyond the edge [zero]"),                                                                       \
        VALUE("fill", "V", OPTION_NUMBER, "constant value beyond the edge")

/* By its name or NumPy's; TESS_BORDER_DEFAULT: there is none of the name. */
tess_border border_named(const char *name);

tess_status resampling_of_options(const job *job, resampling *r);

#endif
