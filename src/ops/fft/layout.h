/* Spectrum layouts: the order of frequencies along each axis, for remap, resize and functions of frequencies. */
#ifndef TESS_OPS_FFT_LAYOUT_H
#define TESS_OPS_FFT_LAYOUT_H

#include "core/table/table.h"
#include "tessera/fft.h"

extern const tess_choice tess__fft_layouts[];

/* The frequencies of an axis in the order of their indices. */
enum {
    TESS__FFT_FIRST,   /* 0 at index 0; negative ones after the others */
    TESS__FFT_CENTRED, /* 0 at index n / 2 */
    TESS__FFT_HALF     /* 0 to n / 2 alone */
};

typedef struct tess__fft_axis {
    int     order; /* a TESS__FFT_ */
    int64_t n;     /* logical size */
    int64_t indices;
} tess__fft_axis;

/* Of a layout that has been checked; axis 0 has no frequencies, and one order. */
tess__fft_axis tess__fft_axis_of(int layout, int axis, int64_t n);

static inline bool tess__fft_is_half(int layout) { return layout == TESS_FFT_H || layout == TESS_FFT_HC; }

/* A layout of the caller's, as a number; DEFAULT becomes H. */
tess_status tess__check_fft_layout(int *layout, const char *fn, const char *arg, tess_fft_layout given);

/* The expected spectrum, and its names in messages. */
typedef struct tess__fft_variant {
    const char *arg_shape;  /* "shape" */
    tess_shape  shape;      /* logical */
    const char *arg_layout; /* "opts->layout" */
    int         layout;
    bool        any_b; /* any b is allowed: a new output has 1 */
} tess__fft_variant;

/* The shape of a spectrum of this logical shape. */
tess_shape tess__spectrum_shape(tess_shape shape, int layout);

/* Numbers in the shape of a spectrum. */
tess_status tess__check_spectrum(const char *fn, const char *arg, const tess_array *a, tess__fft_variant form);

/* tess__output for a spectrum, with a message that says whose shape is needed. */
tess_status tess__spectrum_output(const char *fn, tess_array *out, tess__fft_variant form, tess_dtype dtype,
                                  tess_device device);

/* Images where a volume is meant, or a volume where images are meant, is the most common mistake: a hint for messages
 * about a shape. */
const char *tess__fft_shape_hint(tess_shape have, tess_shape want);

#endif
