/* Filters of spectra: the rows of options, checks and the request that all of them share. */
#ifndef TESS_OPS_SIGNAL_FILTER_H
#define TESS_OPS_SIGNAL_FILTER_H

#include "backend.h"
#include "core/table/table.h"
#include "ops/fft/layout.h"
#include "ops/fft/metric.h"

/* Rows for the options that every filter has. */
#define TESS__FILTER_ROWS(opts)                                                                                        \
    TESS__OPT_F64(opts, start, "cycles per pixel", 0, 0, 1e6, "lowest frequency of the spectrum; for signals only"),   \
        TESS__AUTO_F64(opts, stop, "cycles per pixel", "given by shape", TESS__POSITIVE, 1e6,                          \
                       "highest frequency of the spectrum"),                                                           \
        TESS__OPT_CHOICE(opts, from, TESS_FFT_H, tess__fft_layouts, "layout of in"),                                   \
        TESS__OPT_CHOICE(opts, to, 0, tess__fft_layouts, "layout of out; 0: that of in"),                              \
        TESS__FLAG(opts, no_endpoint, "the last frequency lies one step below stop")

/* Layouts and the range of frequencies: options that all filters have. */
typedef struct tess__filter_range {
    int    from, to; /* to 0: from */
    double start, stop;
    bool   no_endpoint;
} tess__filter_range;

/* Rows for the arrays that every filter has: of spectra, and of real arrays. */
#define TESS__FILTER_OUT                                                                                               \
    TESS__OUT("out", "the filtered spectrum or its power; may be the input itself if the layouts agree")
#define TESS__FILTER_IN                                                                                                \
    TESS__IN("in", "a spectrum; NULL: write the filter to out, which must be allocated", .sample = TESS__HALF_SPECTRUM)
#define TESS__FILTER_SHAPE TESS__NEED_SHAPE("shape", "logical shape: the shape of the real array or full spectrum")
#define TESS__IMAGE_OUT TESS__OUT("out", "the filtered array; may be the input itself")
#define TESS__IMAGE_IN TESS__IN("in", "a real array")

#define TESS__FILTER_RANGE(o) ((tess__filter_range){ (o).from, (o).to, (o).start, (o).stop, (o).no_endpoint != 0 })

/* A column of rows of parameters, and the check of its numbers; `arg` says which row it is. */
typedef struct tess__filter_column {
    const char *name;
    tess_status (*check)(const char *fn, const char *arg, double value);
} tess__filter_column;

typedef struct tess__filter_call {
    const char                *fn;
    tess_array                *out;
    const tess_array          *in; /* NULL: the filter itself */
    tess_shape                 shape;
    tess__filter_range         range;
    const tess_array          *parameters;      /* of each batch, or NULL */
    const char                *parameters_name; /* NULL: "opts->parameters" */
    const char                *columns;         /* what they are, for messages */
    int                        min_columns, max_columns;
    const tess__filter_column *checks;  /* of max_columns; NULL: rows have been checked */
    const tess_array          *curve;   /* CURVE: {1 or b,1,1,n}, or NULL */
    const tess_array          *factors; /* AXES: those of axes 1 to 3 */
    const tess_array *image;   /* IMAGE: multipliers of the output's layout, of the precision that is computed in */
    const tess_array *norms;   /* DOSE: TESS__DOSE_NORMS of the output's layout */
    int64_t           batches; /* DOSE: those that `parameters` has rows for [0: those of shape] */
} tess__filter_call;

/* The precision that a filter of this array is computed in: f32 or f64. */
static inline tess_dtype tess__filter_precision(const tess_array *a)
{
    return tess_dtype_real(a->dtype) == TESS_F64 ? TESS_F64 : TESS_F32;
}

/* Radial functions that cost much at a frequency are computed for a table of so many intervals, up to a frequency that
 * no coefficient is beyond, where the table is much smaller than the spectrum; between its values they are linear, with
 * errors below those of f32. */
enum { TESS__RADIAL_TABLE = 1 << 17 };
#define TESS__RADIAL_LAST 0.875

/* Does a spectrum of this logical shape get its values of f32 by such a table? */
static inline bool tess__radial_by_table(tess_shape shape)
{
    return (double)shape.d * (double)shape.h * (double)shape.w > 8.0 * TESS__RADIAL_TABLE;
}

/* The logical shape of a table: its half spectrum, with TESS__RADIAL_LAST for `stop`, has the frequencies. */
static inline tess_shape tess__radial_table(void) { return TESS_SHAPE(1, 1, 1, 2 * TESS__RADIAL_TABLE); }

/* A number that is not negative, not NaN and below infinity. */
tess_status tess__check_frequency(const char *fn, const char *arg, double value);

/* A finite number above 0. */
tess_status tess__check_positive(const char *fn, const char *arg, double value);

/* The axes 1 to 3 of a call, whose `to` is set. */
void tess__filter_axes(tess__filter_axis axis[4], const tess__filter_call *call);

/* New arrays of f64 with the frequencies along D, H and W, {1,d,1,1}, {1,1,h,1} and {1,1,1,w}, of the output of a call
 * whose `to` is set. All are zeroed before, to be released also if it fails. */
tess_status tess__filter_frequencies(tess_array axes[3], const tess__filter_call *call, tess_device device);

/* Check what a call has, before anything is computed for it: see tess__filter_run, which does so too. `call->to` is
 * set. */
tess_status tess__filter_check(tess__filter_call *call);

/* The parameters of a call, which has them, checked and as f64 of the host, {b,1,1,m} and contiguous; to be released.
 * Waits for the work that is queued on their device. */
tess_status tess__filter_read_rows(tess_array *rows, const tess__filter_call *call);

/* Check arrays, allocate `out`, fill in the rest of `work`, of which spec, columns and column_of are set, and run
 * it. */
tess_status tess__filter_run(tess__spectrum_filter *work, const tess__filter_call *call);

/* Parts of the check: of the range of frequencies, of parameters and curve, and, if there are `checks`, of the numbers
 * in the rows of parameters, for which the host waits. */
tess_status tess__filter_check_rows(const tess__filter_call *call);
tess_status tess__filter_check_range(const tess__filter_call *call);
tess_status tess__filter_check_parameters(const tess__filter_call *call);

/* ---- Real arrays ---- */

/* The arguments of a filter of a real array. `filter` filters in place the half spectra of some batches, the first of
 * which is number `first` of the array; `shape` is their logical one. `multipliers`, which may be NULL, writes real
 * ones that all batches share into {1,d,h,w/2+1}: the inverse transform on a GPU multiplies by them in a pass that it
 * needs anyway. */
typedef struct tess__image_call {
    const char       *fn;
    tess_array       *out;
    const tess_array *in;
    tess_status (*filter)(const void *context, tess_array *spectra, tess_shape shape, int64_t first);
    tess_status (*multipliers)(const void *context, tess_array *out, tess_shape shape);
    const void *context;
} tess__image_call;

/* `out` is a pointer, and `in` a real array. */
tess_status tess__image_check(const char *fn, const tess_array *out, const tess_array *in);

/* Check, allocate `out`, and by way of spectra filter some batches at a time, so that workspace has a limit. */
tess_status tess__image_run(const tess__image_call *call);

/* n batches of rows that each batch has, from number `first` on; a row that all share stays, and NULL does. */
const tess_array *tess__image_rows(tess_array *view, const tess_array *rows, int64_t first, int64_t n);

/* tess__filter_run for a real array, by way of its spectrum. */
tess_status tess__filter_image(const tess__spectrum_filter *work, const tess__filter_call *call);

#endif
