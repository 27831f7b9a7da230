/* Motion of frames: what its operations share. */
#ifndef TESS_OPS_SIGNAL_MOTION_MOTION_H
#define TESS_OPS_SIGNAL_MOTION_MOTION_H

#include "tessera/array.h"

/* Half spectra of frames {b,1,h,w} = shape, of c32 or c64. */
tess_status tess__check_frames(const char *fn, const char *arg, const tess_array *spectra, tess_shape shape);

/* Real numbers of this shape; b may be 1. */
tess_status tess__check_motion_numbers(const char *fn, const char *arg, const tess_array *a, tess_shape shape);

/* The same as a new contiguous array of f64 in host memory, with all of its b; to be released. It waits. */
tess_status tess__motion_numbers(const char *fn, const char *arg, tess_array *numbers, const tess_array *a,
                                 tess_shape shape);

/* Frame b of an array of frames. */
tess_array tess__frame_of(const tess_array *frames, int64_t b);

/* 1, x, x^2, y, y^2, xy: the terms of the model of local motion. */
enum { TESS__MOTION_TERMS = 6 };
void tess__motion_terms(double terms[TESS__MOTION_TERMS], double y, double x);

/* Coefficients {2,1,1,18} as f64 {2,1,1,6} of 1, x, x^2, y, y^2, xy at a time. */
void tess__motion_at_time(double at[12], const double *coefficients, double time);

#endif
