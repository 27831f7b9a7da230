/* Frequency rows along the axes of a spectrum, which are broadcast to it. */
#ifndef TESS_OPS_FFT_ROWS_H
#define TESS_OPS_FFT_ROWS_H

#include "ops/fft/layout.h"

/* From indices of an axis to frequencies: index + first, minus n from `wrap` on. */
typedef struct tess__fft_count {
    int64_t first, wrap;
} tess__fft_count;

tess__fft_count tess__fft_count_of(tess__fft_axis a);

/* An array of {b,1,1,n} as one along another axis than the width. */
void tess__fft_to_axis(tess_array *row, int axis);

/* Factors exp(-2 pi i shift k / n) of an axis of a spectrum: a new array c64 {b,1,1,indices} from f64 `shifts`
 * {b,1,1,m}, whose last column is that of W; of size 1 there is one, 1. `real_nyquist`: at n/2 the mean of those of
 * both signs. */
tess_status tess__fft_shift_factors(tess_array *row, const tess_array *shifts, tess__fft_axis a, int axis,
                                    bool real_nyquist, tess_device device);

/* Squares of frequencies, of an axis set of D, H and W: the sums of those of D and H, {1,d,h,1}, and those of the
 * width, {1,1,1,w}. Axes that are not in the set have size 1 and count 0. Both are zeroed before, to be released also
 * if it fails. */
tess_status tess__fft_squares(tess_array *dh, tess_array *w, tess_shape shape, int layout, int axes,
                              tess_device device);

#endif
