/* Random calls of spectrum filters, and what they should give, element by element: for the programs that try kernels and
 * GPUs. */
#ifndef TESS_TEST_FILTERS_H
#define TESS_TEST_FILTERS_H

#include "support/layouts.h"
#include "tessera/signal.h"

typedef enum filter_function {
    FILTER_LOWPASS,
    FILTER_HIGHPASS,
    FILTER_BANDPASS,
    FILTER_BFACTOR,
    FILTER_DOSE,
    FILTER_CURVE,
    FILTER_SHIFT,
    FILTER_WEDGE,
    FILTER_CONE,
    FILTER_ELLIPSOID,
    FILTER_CROSS,
    FILTER_CTF,
    FILTER_FLIP,
    FILTER_WIENER
} filter_function;

typedef struct filter_case {
    filter_function function;
    tess_shape      shape;
    tess_dtype      in_dtype, out_dtype; /* in_dtype NONE: the filter itself */
    int             from, to;
    int             edge, order;
    bool            centred; /* of a COSINE edge */
    double          low, low_width, high, high_width;
    double          start, stop;
    bool            no_endpoint;
    tess_metric     metric;
    double          pixel_size, bfactor, critical_factor, last, snr;
    bool            normalize, real_nyquist, abs, squared;
    double          sizes[3], width, keep, direction[3]; /* of masks */
    int             axes;
    bool            invert;
    tess_ctf        ctf;
    int64_t         columns;           /* of parameters of each batch, or 0; of a curve its values */
    double          parameters[8][20]; /* batch, column */
    char            text[200];
} filter_case;

/* A case at random, of a function. */
void filter_choose(filter_case *c, filter_function function);

/* The shape of its spectrum in a layout. */
tess_shape filter_shape(const filter_case *c, int order);

/* Its parameters as an array {b,1,1,columns} of f64; `columns` is not 0. */
void filter_parameters(guarded *g, const filter_case *c);

/* Call it; `parameters` is that array, or NULL. */
tess_status filter_call(const filter_case *c, tess_array *out, const tess_array *in, const tess_array *parameters);

/* The multiplier at a position of the output, and the position in the input that is multiplied; mirrored: its conjugate
 * is. */
void filter_want(const filter_case *c, const int64_t position[4], double multiplier[2], int64_t source[4],
                 bool *mirrored);

#endif
