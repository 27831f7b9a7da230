/* Fourier transforms, the layouts of spectra, and what is done to a spectrum without leaving it.
 *
 * The rank of a transform follows the logical shape: {b,1,1,w} is b signals, {b,1,h,w} b images, {b,d,h,w} b volumes,
 * and D, H and W are transformed. Frequencies are in cycles per pixel, from -0.5 to 0.5. Of a real array only half of
 * the spectrum is kept, and the half dimension is always the width: {b,d,h,w} real has the half spectrum
 * {b,d,h,w/2+1}. f32 goes with c32, f64 with c64, f16 with c16 (computed in f32).
 *
 * Where there is a shape beside a spectrum, it is the logical one: that of the real array, or of the full spectrum.
 */
#ifndef TESSERA_FFT_H
#define TESSERA_FFT_H

#include "tessera/array.h"

TESS_BEGIN_C

/** What a transform is multiplied with; N is the product of the sizes transformed. */
typedef enum tess_fft_norm {
    TESS_FFT_NORM_DEFAULT,  /* BACKWARD, as NumPy */
    TESS_FFT_NORM_BACKWARD, /* forward 1, backward 1/N */
    TESS_FFT_NORM_FORWARD,  /* forward 1/N, backward 1 */
    TESS_FFT_NORM_ORTHO,    /* both 1/sqrt(N): lengths are kept */
    TESS_FFT_NORM_NONE      /* both 1 */
} tess_fft_norm;

/** The direction: the sign of the exponent. */
typedef enum tess_fft_sign { TESS_FFT_FORWARD = -1, TESS_FFT_BACKWARD = 1 } tess_fft_sign;

/** How the coefficients of a spectrum lie. Zero frequency is at index 0, or, centred, at n / 2. */
typedef enum tess_fft_layout {
    TESS_FFT_LAYOUT_DEFAULT, /* H */
    TESS_FFT_H,              /* half, as transforms give it */
    TESS_FFT_HC,             /* half, centred along D and H; W still begins with 0 */
    TESS_FFT_F,              /* full */
    TESS_FFT_FC              /* full, centred along D, H and W */
} tess_fft_layout;

typedef struct tess_fft_opts {
    int32_t  norm;        /* a tess_fft_norm [BACKWARD] */
    int      axes;        /* TESS_B, TESS_D, TESS_H, TESS_W or-ed together [0: D, H and W] */
    int32_t  overwrite;   /* 1: c2r may destroy its input, and needs less memory [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_fft_opts;

/* ---- Transforms -------------------------------------------------------------------------------------------------- */

/** Real to half spectrum. W must be among the axes. A column {1,1,n,1} has w = 1, so its spectrum is {1,1,n,1}. In
 *  place: `in` is a real view of the storage of `out` with rows of 2 (w/2+1) reals, as tess_fft_empty makes them. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_r2c(tess_array *out, const tess_array *in, const tess_fft_opts *opts);

/** Half spectrum to real; `shape` is that of the result, whose width may be even or odd. As NumPy does: complex along
 *  B, D and H, then along W, where imaginary parts of column 0 and, for even widths, of column w/2 do not count. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_c2r(tess_array *out, const tess_array *in, tess_shape shape,
                                                  const tess_fft_opts *opts);

/** Complex to complex, `out` may be `in`. A real `in` is taken as complex. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_c2c(tess_array *out, const tess_array *in, tess_fft_sign sign,
                                                  const tess_fft_opts *opts);

/** Transforms of real arrays into real ones. With n the size of an axis and x[0] to x[n-1]: */
typedef enum tess_fft_r2r_kind {
    TESS_FFT_DCT1 = 1, /* x[0] + (-1)^k x[n-1] + 2 sum of x[j] cos(pi j k / (n-1)), j from 1 to n-2; n at least 2 */
    TESS_FFT_DCT2,     /* 2 sum of x[j] cos(pi (j + 1/2) k / n) */
    TESS_FFT_DCT3,     /* x[0] + 2 sum of x[j] cos(pi j (k + 1/2) / n), j from 1 on */
    TESS_FFT_DCT4,     /* 2 sum of x[j] cos(pi (j + 1/2) (k + 1/2) / n) */
    TESS_FFT_DST1,     /* 2 sum of x[j] sin(pi (j + 1) (k + 1) / (n+1)) */
    TESS_FFT_DST2,     /* 2 sum of x[j] sin(pi (j + 1/2) (k + 1) / n) */
    TESS_FFT_DST3,     /* (-1)^k x[n-1] + 2 sum of x[j] sin(pi (j + 1) (k + 1/2) / n), j up to n-2 */
    TESS_FFT_DST4      /* 2 sum of x[j] sin(pi (j + 1/2) (k + 1/2) / n) */
} tess_fft_r2r_kind;

/** A cosine or sine transform along each of the axes, as SciPy's dctn and dstn (FORWARD) or idctn and idstn (BACKWARD,
 *  the inverse): N is the product of 2 n, of 2 (n-1) for DCT1, of 2 (n+1) for DST1. ORTHO also scales the first or last
 *  term so that the transform keeps lengths. Axes of size 1 are transformed only if opts->axes names them. f16, f32,
 *  f64; `out` may be `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_r2r(tess_array *out, const tess_array *in, tess_fft_r2r_kind kind,
                                                  tess_fft_sign sign, const tess_fft_opts *opts);

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/** The shape of the half spectrum of a real array: w becomes w/2+1 (0 stays 0). */
TESS_API tess_shape tess_rfft_shape(tess_shape shape);

/** A real array and its half spectrum on the same storage, for transforms in place: the rows of `real` have 2 (w/2+1)
 *  reals, of which w are its own. `dtype` is the real one: f16, f32 or f64. Both structs are zeroed before, and each
 *  holds a reference after: release both. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_empty(tess_array *real, tess_array *spectrum, tess_shape shape,
                                                    tess_dtype dtype, tess_device device);

/** The size of n or more that is fastest to transform: even and without a prime factor above 7, as small as that saves
 *  time. 0 and 1 stay, and so do sizes beside which none fits in 63 bits. The same in every build. */
TESS_API int64_t tess_fft_fast_size(int64_t n);

/** The same for D, H and W. */
TESS_API tess_shape tess_fft_fast_shape(tess_shape shape);

/* ---- Frequencies ------------------------------------------------------------------------------------------------- */

/** Cycles per pixel of index `index` of an axis, 1 to 3, whose logical size is `n`. In half layouts the W axis has
 *  indices 0 to n/2 and frequencies 0 to 0.5; elsewhere an even size has -0.5 and not 0.5. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_frequency(double *frequency, tess_fft_layout layout, int axis, int64_t n,
                                                        int64_t index);

/** The index of a frequency, which may lie between two; `frequency` is from -0.5 to 0.5, on the W axis of half layouts
 *  from 0. Full axes are periodic: the index is at least 0 and below n, and 0.5 of an even size is where -0.5 is. For
 *  what tess_fft_frequency gives it is exactly whole. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_index(double *index, tess_fft_layout layout, int axis, int64_t n,
                                                    double frequency);

typedef struct tess_fft_frequencies_opts {
    int32_t  layout;      /* a tess_fft_layout [H] */
    int      axes;        /* whose frequencies: one axis gives them with their sign, several the length [0: D, H, W] */
    int32_t  dtype;       /* of an `out` that is to be made: f32 or f64 [f64] */
    uint32_t reserved[5]; /* must be 0 */
} tess_fft_frequencies_opts;

/** The frequency of every coefficient of a spectrum of logical `shape`, or the length of the vector of frequencies;
 *  computed in f64. An `out` that is made is on the CPU and has the shape of the spectrum with b = 1; one that was made
 *  may have any b, and be f16 too. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_frequencies(tess_array *out, tess_shape shape,
                                                          const tess_fft_frequencies_opts *opts);

/* ---- Layouts ----------------------------------------------------------------------------------------------------- */

/** From a layout to another, all 16 pairs; `shape` is the logical shape. Numbers of any dtype. What is not in a half
 *  spectrum is the conjugate of the coefficient at the negative frequency (for real dtypes: the same number). The last
 *  column of half an even width is that of -w/2 in full layouts, as it is. A complex input and a real `out` that was
 *  made: |x|^2, clamped to the range of an integer dtype. In place (`out` is `in`) between H and HC, F and FC, with as
 *  much memory again. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_remap(tess_array *out, const tess_array *in, tess_shape shape,
                                                    tess_fft_layout from, tess_fft_layout to);

/** Move index 0 to n / 2 along a set of axes (0: D, H and W), and back. Any dtype; `out` may be `in`, which takes as
 *  much memory again. */
TESS_API TESS_MUST_CHECK tess_status tess_fftshift(tess_array *out, const tess_array *in, int axes);
TESS_API TESS_MUST_CHECK tess_status tess_ifftshift(tess_array *out, const tess_array *in, int axes);

typedef struct tess_fft_resize_opts {
    int32_t  layout;          /* of both, a tess_fft_layout [H] */
    int32_t  norm;            /* keep real-space values under this norm, a tess_fft_norm [NONE: coefficients stay] */
    int32_t  correct_nyquist; /* 1: keep the spectrum of a real array one, see below [0] */
    uint32_t reserved[5];     /* must be 0 */
} tess_fft_resize_opts;

/** Crop or pad a spectrum, each axis as its sizes ask, from the logical shape `in_shape` to `out_shape`, which have the
 *  same b. Coefficients keep their frequency in cycles per axis; new ones are 0.
 *
 *  The lowest frequency, -n/2, of an even size n stands for n/2 as well. Without `correct_nyquist` it is copied as it
 *  is (in half layouts, along W, that of n/2). With it, cropping to an even size n writes the mean of what was at -n/2
 *  and at n/2, and padding an even size n writes half of what was at -n/2 there and half at n/2; in half layouts what
 *  is at -n/2 of W is the conjugate of the coefficient at the negative frequency, and is not written. The result is
 *  then the spectrum of a real array if the input is one. Numbers of any dtype; a norm or `correct_nyquist` needs
 *  floats or complex numbers. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_resize(tess_array *out, const tess_array *in, tess_shape in_shape,
                                                     tess_shape out_shape, const tess_fft_resize_opts *opts);

/* ---- On spectra -------------------------------------------------------------------------------------------------- */

typedef struct tess_fft_phase_shift_opts {
    int32_t  layout;       /* of both, a tess_fft_layout [H] */
    int32_t  real_nyquist; /* 1: at the frequency n/2 of an even size, the mean of the factors of both signs,
                              cos(pi shift): the spectrum of a real array stays one [0] */
    double   cutoff; /* coefficients of frequencies above it stay as they are, cycles per pixel [1: none do]; TESS_ZERO:
                              all but frequency 0 do */
    uint32_t reserved[4]; /* must be 0 */
} tess_fft_phase_shift_opts;

/** Move what the spectrum is of by `shifts` pixels towards higher indices: each coefficient is multiplied with
 *  exp(-2 pi i sum of shift k / n). `shifts` are real numbers {1,1,1,m} for all, or {b,1,1,m}, one for each batch, as
 *  (w), (h, w) or (d, h, w) for m = 1, 2, 3; a signal, an image or a volume needs at least 1, 2 or 3. Complex arrays
 *  only. `in` may be NULL: `out`, which was made, receives the factors. `out` may be `in`.
 *
 *  Turns are counted in f64 and modulo 1 without rounding, so a shift may be of any size, and by n/2 the factors are
 *  exactly 1 and -1. Factors are multiplied in the precision of the spectrum. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_phase_shift(tess_array *out, const tess_array *in, tess_shape shape,
                                                          const tess_array                *shifts,
                                                          const tess_fft_phase_shift_opts *opts);

/** What is shown of a spectrum. */
typedef enum tess_fft_spectrum_kind {
    TESS_FFT_SPECTRUM_DEFAULT,   /* POWER */
    TESS_FFT_SPECTRUM_POWER,     /* |x|^2 */
    TESS_FFT_SPECTRUM_AMPLITUDE, /* |x| */
    TESS_FFT_SPECTRUM_PHASE,     /* in radians, -pi to pi */
    TESS_FFT_SPECTRUM_LOG        /* log(1 + |x|), for pictures */
} tess_fft_spectrum_kind;

typedef struct tess_fft_spectrum_opts {
    int32_t  kind;        /* a tess_fft_spectrum_kind [POWER] */
    int32_t  from;        /* layout of the input, a tess_fft_layout [H] */
    int32_t  to;          /* layout of the result [FC] */
    uint32_t reserved[5]; /* must be 0 */
} tess_fft_spectrum_opts;

/** Power, amplitude or phase of a spectrum of logical `shape`, in the layout asked for. Complex to real: `out` is f16,
 *  f32 or f64, if it is made of the real type of `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_spectrum(tess_array *out, const tess_array *in, tess_shape shape,
                                                       const tess_fft_spectrum_opts *opts);

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* How to transform a size is worked out once and kept: every function above finds it again. Any number of threads may
 * plan and transform at once. To pay for it beforehand, or to keep it whatever else is transformed, hold a plan. */
typedef struct tess_fft_plan tess_fft_plan;

typedef enum tess_fft_kind { TESS_FFT_R2C = 1, TESS_FFT_C2R, TESS_FFT_C2C } tess_fft_kind;

/** A plan of transforms of this logical shape, real dtype (f32 or f64) and these options; one reference. C2C plans go
 *  both ways. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_plan_new(tess_fft_plan **plan, tess_fft_kind kind, tess_shape shape,
                                                       tess_dtype dtype, tess_device device, const tess_fft_opts *opts);
TESS_API void                        tess_fft_plan_retain(tess_fft_plan *plan);
TESS_API void                        tess_fft_plan_release(tess_fft_plan *plan);

/** The transform of a plan. `sign` counts for C2C, and must be FORWARD for R2C, BACKWARD for C2R. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_plan_run(tess_fft_plan *plan, tess_array *out, const tess_array *in,
                                                       tess_fft_sign sign);

typedef struct tess_info_fft_plan {
    char     provider[16]; /* "native", or "cufft" on a GPU */
    char     method[240];  /* how each axis is done; cut if it does not fit. Of a real width of 512, done as
                              256 complex numbers, and a height of 1024: "w 256: 16 16; h 1024: 16 8 8" */
    int64_t  workspace;    /* bytes that a transform on one thread needs beside its arrays */
    int64_t  memory;       /* bytes of tables */
    uint32_t reserved[8];  /* 0 */
} tess_info_fft_plan;

TESS_API TESS_MUST_CHECK tess_status tess_fft_plan_info(tess_info_fft_plan *info, const tess_fft_plan *plan);

/** The cache of plans, of all threads: one for each length and kind of transform along an axis, so that a transform
 *  looks up several. */
typedef struct tess_info_fft_cache {
    int64_t  hits;        /* times one was looked up and was there */
    int64_t  misses;      /* times it had to be made */
    int64_t  plans;       /* that are kept now */
    int64_t  bytes;       /* that they take */
    int64_t  limit;       /* bytes that may be kept */
    uint32_t reserved[8]; /* 0 */
} tess_info_fft_cache;

TESS_API TESS_MUST_CHECK tess_status tess_fft_cache_info(tess_info_fft_cache *info);

/** Most bytes of plans to keep, the ones used last [64 MiB]; 0 keeps none. The last one used is always kept, and so are
 *  those that a plan holds, which do not count. Those in use live until they are not. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_cache_limit_set(int64_t bytes);

/** Drop all plans that nobody holds, and the workspace of long lines, up to 128 MiB, that is kept for the next one. */
TESS_API void tess_fft_cache_clear(void);

/** Most bytes of workspace one transform may take; a transform that needs more on one thread is an error that says how
 *  much, and threads for which none is left wait. The copy that an f16 array is computed in does not count. 0: any
 *  amount [0]. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_workspace_limit_set(int64_t bytes);

TESS_END_C

#endif
