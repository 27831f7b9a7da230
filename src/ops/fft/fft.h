/* Fourier transforms: the rows of options, checks, scale factors and dispatch that they share. */
#ifndef TESS_OPS_FFT_FFT_H
#define TESS_OPS_FFT_FFT_H

#include "backend.h"
#include "core/table/table.h"

extern const tess_choice tess__fft_norms[], tess__fft_signs[];

/* A required value that is one of a list. */
#define TESS__NEED_CHOICE(name_, choices_, help_)                                                                      \
    {                                                                                                                  \
        .name = (name_), .help = (help_), .unit = "", .choices = (choices_), .min = -DBL_MAX, .max = DBL_MAX,          \
        .role = TESS_ROLE_REQUIRED, .type = TESS_ARG_CHOICE                                                            \
    }

/* Rows for tess_fft_opts. `fallback` is for axes: 0 leaves the choice to the function. */
#define TESS__FFT_ROWS(fallback)                                                                                       \
    TESS__OPT_CHOICE(tess_fft_opts, norm, TESS_FFT_NORM_BACKWARD, tess__fft_norms, "normalisation of the transform"),  \
        TESS__FIELD(tess_fft_opts, axes, int32_t, TESS_ARG_AXIS_SET, INT32_MIN, INT32_MAX, fallback, NULL, "",         \
                    "axes to transform; 0: D, H and W"),                                                               \
        TESS__FLAG(tess_fft_opts, overwrite, "allow c2r to overwrite its input")

/* A tess_fft_sign. */
tess_status tess__fft_check_sign(const char *fn, int sign);

/* The factor of a norm in a direction, for N = n. */
double tess__fft_factor(int norm, int sign, double n);

/* A transform of R2C, C2R or C2C under the name of a function. */
typedef struct tess__fft_call {
    const char          *fn;
    tess_fft_kind        kind;
    int                  sign;
    tess_shape           shape; /* logical */
    const tess_fft_opts *opts;  /* resolved */
    const void          *held;  /* by the backend for such a transform; NULL: nothing is */
} tess__fft_call;

tess_status tess__fft_transform(const tess__fft_call *call, tess_array *out, const tess_array *in);

/* c2r, norm BACKWARD, of half spectra `in` times the multipliers of a request, on a GPU. `in` is destroyed. */
tess_status tess__fft_c2r_times(const char *fn, tess_array *out, const tess_array *in, const tess_array *multipliers,
                                tess_shape shape);

/* A set of axes that a kind of transform can take. */
tess_status tess__fft_check_axes(const char *fn, tess_fft_kind kind, int axes);

/* The product of the sizes of a set of axes. */
double tess__fft_size(tess_shape shape, int axes);

/* Of f16, f32 or f64. */
static inline tess_dtype tess__fft_complex(tess_dtype real) { return real + (TESS_C32 - TESS_F32); }

/* `work`, of which all but its arrays is set, on these arrays, which were checked and have elements: in f32 if they
 * hold f16. A scalar of the caller's is copied, and `out`, if `made`, released where it fails. */
tess_status tess__fft_compute(tess__fft *work, tess_array *out, const tess_array *in, bool made);

#endif
