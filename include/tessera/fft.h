/* Fourier transforms, layouts of spectra, and operations on spectra.
 *
 * The rank of a transform follows the logical shape: {b,1,1,w} is b signals, {b,1,h,w} b images, {b,d,h,w} b volumes,
 * and D, H and W are transformed. Frequencies are in cycles per pixel, from -0.5 to 0.5. The spectrum of a real array
 * is stored as half, and the halved dimension is always the width: a real {b,d,h,w} has the half spectrum
 * {b,d,h,w/2+1}. Spectra of f32 are c32, those of f64 c64, those of f16 c16 (computed in f32).
 *
 * A shape passed with a spectrum is the logical one: that of the real array, or of the full spectrum.
 */
#ifndef TESSERA_FFT_H
#define TESSERA_FFT_H

#include "tessera/array.h"

TESS_BEGIN_C

/** Normalisation: the factor of a transform. N is the product of the transformed sizes. */
typedef enum tess_fft_norm {
    TESS_FFT_NORM_DEFAULT,  /* BACKWARD, as NumPy */
    TESS_FFT_NORM_BACKWARD, /* forward 1, backward 1/N */
    TESS_FFT_NORM_FORWARD,  /* forward 1/N, backward 1 */
    TESS_FFT_NORM_ORTHO,    /* both 1/sqrt(N): norms are kept */
    TESS_FFT_NORM_NONE      /* both 1 */
} tess_fft_norm;

/** Direction of a transform: the sign of the exponent. */
typedef enum tess_fft_sign { TESS_FFT_FORWARD = -1, TESS_FFT_BACKWARD = 1 } tess_fft_sign;

/** Layout of the coefficients of a spectrum. Zero frequency is at index 0, or, if centred, at n / 2. */
typedef enum tess_fft_layout {
    TESS_FFT_LAYOUT_DEFAULT, /* H */
    TESS_FFT_H,              /* half, as transforms return it */
    TESS_FFT_HC,             /* half, centred along D and H; W still begins with 0 */
    TESS_FFT_F,              /* full */
    TESS_FFT_FC              /* full, centred along D, H and W */
} tess_fft_layout;

typedef struct tess_fft_opts {
    int32_t  norm;        /* a tess_fft_norm [BACKWARD] */
    int      axes;        /* a set of TESS_B, TESS_D, TESS_H and TESS_W [0: D, H and W] */
    int32_t  overwrite;   /* 1: c2r may overwrite its input, which saves memory [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_fft_opts;

/* ---- Transforms -------------------------------------------------------------------------------------------------- */

/** Transforms real arrays to half spectra. W must be among the axes. A column {1,1,n,1} has w = 1, so its spectrum is
 *  {1,1,n,1}. In place, `in` is a real view of the storage of `out` with rows of 2 (w/2+1) reals, as allocated by
 *  tess_fft_empty. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_r2c(tess_array *out, const tess_array *in, const tess_fft_opts *opts);

/** Transforms half spectra to real arrays. `shape` is that of the result; its width may be even or odd. As in NumPy,
 *  the transform is complex along B, D and H, then along W, where the imaginary parts of column 0 and, for even widths,
 *  of column w/2 are ignored. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_c2r(tess_array *out, const tess_array *in, tess_shape shape,
                                                  const tess_fft_opts *opts);

/** Transforms complex arrays to complex arrays; `out` may be `in`. A real `in` is treated as complex. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_c2c(tess_array *out, const tess_array *in, tess_fft_sign sign,
                                                  const tess_fft_opts *opts);

/** Kinds of real-to-real transforms, for elements x[0] to x[n-1] of an axis of size n: */
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

/** Computes a cosine or sine transform along each of the axes, like SciPy's dctn and dstn (FORWARD) or idctn and idstn
 *  (BACKWARD, the inverse). N is the product of 2 n, of 2 (n-1) for DCT1, or of 2 (n+1) for DST1. ORTHO also scales the
 *  first or last term so that the transform keeps norms. Axes of size 1 are transformed only if opts->axes names them.
 *  f16, f32, f64; `out` may be `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_r2r(tess_array *out, const tess_array *in, tess_fft_r2r_kind kind,
                                                  tess_fft_sign sign, const tess_fft_opts *opts);

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/** Returns the shape of the half spectrum of a real array: w becomes w/2+1 (0 stays 0). */
TESS_API tess_shape tess_rfft_shape(tess_shape shape);

/** Allocates a real array and its half spectrum on the same storage, for transforms in place: the rows of `real` are 2
 *  (w/2+1) reals long, and w of them belong to it. `dtype` is the real one: f16, f32 or f64. Both structs must be
 *  zeroed; afterwards each holds a reference, so release both. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_empty(tess_array *real, tess_array *spectrum, tess_shape shape,
                                                    tess_dtype dtype, tess_device device);

/** Returns a size of at least n that is fast to transform: even, without prime factors above 7, and larger than the
 *  smallest such size only where that saves time. 0 and 1 are returned unchanged, and so are sizes for which no such
 *  size fits in 63 bits. The result is the same in every build. */
TESS_API int64_t tess_fft_fast_size(int64_t n);

/** Returns the fastest sizes for D, H and W, as tess_fft_fast_size. */
TESS_API tess_shape tess_fft_fast_shape(tess_shape shape);

/* ---- Frequencies ------------------------------------------------------------------------------------------------- */

/** Computes the frequency, in cycles per pixel, of index `index` of an axis, 1 to 3, with the logical size `n`. On the
 *  W axis of half layouts, indices 0 to n/2 have frequencies from 0 to (n/2) / n, which is 0.5 for an even size. On all
 *  other axes an even size has the frequency -0.5, and not 0.5. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_frequency(double *frequency, tess_fft_layout layout, int axis, int64_t n,
                                                        int64_t index);

/** Computes the index of a frequency, which may be fractional. `frequency` is from -0.5 to 0.5, on the W axis of half
 *  layouts from 0. Full axes are periodic: the index is at least 0 and below n, and for an even size 0.5 has the index
 *  of -0.5. For frequencies from tess_fft_frequency it is exactly an integer. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_index(double *index, tess_fft_layout layout, int axis, int64_t n,
                                                    double frequency);

typedef struct tess_fft_frequencies_opts {
    int32_t  layout;      /* a tess_fft_layout [H] */
    int      axes;        /* axes of the frequencies: a single axis gives signed frequencies, several the length of the
                             vector [0: D, H, W] */
    int32_t  dtype;       /* dtype of a newly allocated `out`: f32 or f64 [f64] */
    uint32_t reserved[5]; /* must be 0 */
} tess_fft_frequencies_opts;

/** Computes the frequency of every coefficient of a spectrum of logical `shape`, or the length of its frequency vector,
 *  in f64. A newly allocated `out` is on the CPU and has the shape of the spectrum with b = 1; an allocated one may
 *  have any b, and may also be f16. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_frequencies(tess_array *out, tess_shape shape,
                                                          const tess_fft_frequencies_opts *opts);

/* ---- Layouts ----------------------------------------------------------------------------------------------------- */

/** Converts a spectrum from one layout to another, for all 16 pairs; `shape` is the logical shape. Numbers of any
 *  dtype. Coefficients missing in a half spectrum are the conjugates of those at the negative frequencies (for real
 *  dtypes: equal to them). The last column of a half layout of even width becomes that of -w/2 in full layouts,
 *  unchanged. An allocated real `out` of a complex input receives |x|^2, clamped to the range of an integer dtype. In
 *  place (`out` is `in`) only between H and HC, or F and FC; this temporarily needs as much memory again. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_remap(tess_array *out, const tess_array *in, tess_shape shape,
                                                    tess_fft_layout from, tess_fft_layout to);

/** Move index 0 to n / 2 along a set of axes (0: D, H and W), and back. Any dtype. `out` may be `in`, which temporarily
 *  needs as much memory again. */
TESS_API TESS_MUST_CHECK tess_status tess_fftshift(tess_array *out, const tess_array *in, int axes);
TESS_API TESS_MUST_CHECK tess_status tess_ifftshift(tess_array *out, const tess_array *in, int axes);

typedef struct tess_fft_resize_opts {
    int32_t  layout;          /* layout of both, a tess_fft_layout [H] */
    int32_t  norm;            /* rescale to keep real-space values under this norm, a tess_fft_norm [NONE: coefficients
                                 are unchanged] */
    int32_t  correct_nyquist; /* 1: preserve the Hermitian symmetry of spectra of real arrays, see below [0] */
    uint32_t reserved[5];     /* must be 0 */
} tess_fft_resize_opts;

/** Crops or pads each axis of a spectrum, from the logical shape `in_shape` to `out_shape`, which have the same b.
 *  Coefficients keep their frequency in cycles per axis; new ones are 0.
 *
 *  The coefficient at the lowest frequency, -n/2, of an even size n also represents n/2. Without `correct_nyquist` it
 *  is copied unchanged (in half layouts, along W, that of n/2). With it, cropping to an even size n writes the mean of
 *  the coefficients at -n/2 and n/2, and padding from an even size n distributes the coefficient at -n/2 in equal
 *  halves to -n/2 and n/2. In half layouts the coefficient at -n/2 of W is the conjugate of that at the negative
 *  frequency, and is not stored. The result is then the spectrum of a real array if the input is. Numbers of any dtype;
 *  a norm or `correct_nyquist` needs floats or complex numbers. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_resize(tess_array *out, const tess_array *in, tess_shape in_shape,
                                                     tess_shape out_shape, const tess_fft_resize_opts *opts);

/* ---- On spectra -------------------------------------------------------------------------------------------------- */

typedef struct tess_fft_phase_shift_opts {
    int32_t  layout;       /* layout of both, a tess_fft_layout [H] */
    int32_t  real_nyquist; /* 1: at the frequency n/2 of an even size, use the mean of the factors of both signs, cos(pi
                              shift), so that the spectrum of a real array remains one [0] */
    double   cutoff;       /* coefficients above this frequency are not changed, cycles per pixel [1: all are changed];
                              TESS_ZERO: only frequency 0 is */
    uint32_t reserved[4];  /* must be 0 */
} tess_fft_phase_shift_opts;

/** Shifts the transformed array by `shifts` pixels towards higher indices: each coefficient is multiplied by exp(-2 pi
 *  i sum of shift k / n). `shifts` are real numbers, {1,1,1,m} for all batches or {b,1,1,m} with one shift for each, as
 *  (w), (h, w) or (d, h, w) for m = 1, 2, 3; signals, images and volumes need at least 1, 2 and 3. Complex arrays only.
 *  If `in` is NULL, `out`, which must be allocated, receives the factors. `out` may be `in`.
 *
 *  Phases are computed in f64 and reduced modulo one turn without rounding, so shifts may be of any size, and for a
 *  shift of n/2 the factors are exactly 1 and -1. Factors are applied in the precision of the spectrum. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_phase_shift(tess_array *out, const tess_array *in, tess_shape shape,
                                                          const tess_array                *shifts,
                                                          const tess_fft_phase_shift_opts *opts);

/** The quantity to compute from a spectrum. */
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

/** Computes power, amplitude or phase of a spectrum of logical `shape`, in the layout `to`. The input is complex and
 *  `out` real: f16, f32 or f64; a newly allocated one has the real type of `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_spectrum(tess_array *out, const tess_array *in, tess_shape shape,
                                                       const tess_fft_spectrum_opts *opts);

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* The plan for a size is computed once and cached; all functions above use the cache. Any number of threads may plan
 * and transform concurrently. Create a plan explicitly to compute it in advance, or to keep it whatever else is
 * transformed. */
typedef struct tess_fft_plan tess_fft_plan;

typedef enum tess_fft_kind { TESS_FFT_R2C = 1, TESS_FFT_C2R, TESS_FFT_C2C } tess_fft_kind;

/** Creates a plan for transforms of this logical shape, real dtype (f32 or f64) and options, with one reference. C2C
 *  plans work in both directions. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_plan_new(tess_fft_plan **plan, tess_fft_kind kind, tess_shape shape,
                                                       tess_dtype dtype, tess_device device, const tess_fft_opts *opts);
TESS_API void                        tess_fft_plan_retain(tess_fft_plan *plan);
TESS_API void                        tess_fft_plan_release(tess_fft_plan *plan);

/** Runs the transform of a plan. `sign` selects the direction of C2C; it must be FORWARD for R2C and BACKWARD for
 *  C2R. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_plan_run(tess_fft_plan *plan, tess_array *out, const tess_array *in,
                                                       tess_fft_sign sign);

typedef struct tess_info_fft_plan {
    char     provider[16]; /* "native", or "cufft" on a GPU */
    char     method[240];  /* algorithm for each axis, truncated if it does not fit. For a real width of 512, computed
                              as 256 complex numbers, and a height of 1024: "w 256: 16 16; h 1024: 16 8 8" */
    int64_t  workspace;    /* bytes of workspace for a transform on one thread */
    int64_t  memory;       /* bytes of tables */
    uint32_t reserved[8];  /* 0 */
} tess_info_fft_plan;

TESS_API TESS_MUST_CHECK tess_status tess_fft_plan_info(tess_info_fft_plan *info, const tess_fft_plan *plan);

/** Statistics of the plan cache of all threads. It has one plan for each length and kind of transform along an axis, so
 *  a transform looks up several. */
typedef struct tess_info_fft_cache {
    int64_t  hits;        /* lookups that found a plan */
    int64_t  misses;      /* lookups that had to create one */
    int64_t  plans;       /* number of cached plans */
    int64_t  bytes;       /* memory of the cached plans */
    int64_t  limit;       /* maximum memory of the cache, bytes */
    uint32_t reserved[8]; /* 0 */
} tess_info_fft_cache;

TESS_API TESS_MUST_CHECK tess_status tess_fft_cache_info(tess_info_fft_cache *info);

/** Limits the memory of cached plans, in bytes [64 MiB]; the most recently used are kept, and 0 keeps none. The last
 *  one used is always kept, and so are those held by a tess_fft_plan, which do not count. Plans in use are freed after
 *  use. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_cache_limit_set(int64_t bytes);

/** Frees all cached plans that are not held, and the workspace of up to 128 MiB that is kept for long transforms. */
TESS_API void tess_fft_cache_clear(void);

/** Limits the workspace of one transform, in bytes; 0 is no limit [0]. A transform that needs more on one thread fails
 *  with an error that states the amount; additional threads wait for free workspace. The f32 copy of an f16 array does
 *  not count. */
TESS_API TESS_MUST_CHECK tess_status tess_fft_workspace_limit_set(int64_t bytes);

TESS_END_C

#endif
