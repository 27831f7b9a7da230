/* Weights of filters in cells whose pixels are not alike along all axes, or whose axes are not at right angles. */
#ifndef TESSERA_MEASURE_CELL_WEIGHTS_H
#define TESSERA_MEASURE_CELL_WEIGHTS_H

#include "tessera.h"

/* One side of a pass band, in the numbers that tess_lowpass and tess_highpass take. */
typedef struct pass_side {
    double           cutoff, width;
    tess_filter_edge edge;
    int32_t          order;
    bool             high; /* a high-pass */
} pass_side;

typedef struct cell_weights {
    tess_shape shape;    /* of an image or a volume, b = 1 */
    double     scale[5]; /* of frequencies, so that lengths of them are in cycles per pixel of w */
    tess_op   *pass, *bell;
} cell_weights;

/* Are frequencies those of the library: cycles per pixel of axes that are alike? Pixels of unknown size are. */
bool cell_is_cubic(const tess_meta *meta, bool volume);

/* The highest frequency along an axis, in cycles per pixel of w. */
double cell_highest_frequency(const tess_meta *meta, bool volume);

tess_status cell_weights_open(cell_weights *c, tess_shape shape, const tess_meta *meta);
void        cell_weights_close(cell_weights *c);

/* Multiply weights of half a spectrum, {1,d,h,w/2+1} of f32 or f64, by those of a side, or by exp(-rate f^2). */
tess_status cell_weights_pass(const cell_weights *c, tess_array *weights, const pass_side *side);
tess_status cell_weights_bell(const cell_weights *c, tess_array *weights, double rate);

#endif
