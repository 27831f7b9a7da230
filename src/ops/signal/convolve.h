/* Convolutions after their checks: with weights of any dtype, into results of a given one. */
#ifndef TESS_OPS_SIGNAL_CONVOLVE_H
#define TESS_OPS_SIGNAL_CONVOLVE_H

#include "ops/signal/stencil.h"
#include "tessera/convolve.h"

/* With a filter {1,d,h,w} of odd sizes; options are resolved. Sums are computed in `result`, f16 as f32. */
tess_status tess__convolve_window(const char *fn, tess_array *out, const tess_array *in, const tess_array *filter,
                                  const tess_convolve_opts *o, tess_dtype result);

/* Along w, h and d with vectors {1,1,1,n} of odd n, or NULL. */
tess_status tess__convolve_axes(const char *fn, tess_array *out, const tess_array *in,
                                const tess_array *const filters[3], const tess_separable_opts *o, tess_dtype result);

/* By Fourier transforms of the padded input; `work` has the dtype of sums and the border. */
tess_status tess__fft_convolve(const tess__stencil *work, tess_array *out, const tess_array *in,
                               const tess_array *filter, bool correlate, tess_dtype result);

/* Is that faster than sums? By the sizes alone, so that results do not depend on anything else. */
bool tess__fft_convolve_pays(const tess_array *in, const tess_array *filter);

#endif
