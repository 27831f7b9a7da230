/* Filters of spectra: the rows of options, checks and the request that all of them share. */
#ifndef TESS_OPS_SIGNAL_FILTER_H
#define TESS_OPS_SIGNAL_FILTER_H

#include "backend.h"
#include "core/table.h"
#include "ops/fft/layout.h"

/* Rows for the options that every filter has. */
#define TESS__FILTER_ROWS(opts)                                                                                        \
    TESS__OPT_F64(opts, start, "cycles per pixel", 0, 0, 1e6, "lowest frequency of the spectrum; signals only"),       \
        TESS__OPT_F64(opts, stop, "cycles per pixel", 0, 0, 1e6,                                                       \
                      "highest frequency of the spectrum; 0: that of its shape"),                                      \
        TESS__OPT_CHOICE(opts, from, TESS_FFT_H, tess__fft_layouts, "layout of in"),                                   \
        TESS__OPT_CHOICE(opts, to, 0, tess__fft_layouts, "layout of out; 0: that of in"),                              \
        TESS__FLAG(opts, no_endpoint, "the range of frequencies ends before stop")

/* Layouts and the range of frequencies: options that all filters have. */
typedef struct tess__filter_range {
    int    from, to; /* to 0: from */
    double start, stop;
    bool   no_endpoint;
} tess__filter_range;

#define TESS__FILTER_RANGE(o) ((tess__filter_range){ (o).from, (o).to, (o).start, (o).stop, (o).no_endpoint != 0 })

typedef struct tess__filter_call {
    const char        *fn;
    tess_array        *out;
    const tess_array  *in; /* NULL: the filter itself */
    tess_shape         shape;
    tess__filter_range range;
    const tess_array  *parameters;      /* of each batch, or NULL */
    const char        *parameters_name; /* NULL: "opts->parameters" */
    const char        *columns;         /* what they are, for messages */
    int                min_columns, max_columns;
    const tess_array  *curve;   /* CURVE: {1 or b,1,1,n}, or NULL */
    const tess_array  *factors; /* AXES: those of axes 1 to 3 */
    const tess_array  *image;   /* IMAGE: multipliers of the output's layout, of the precision that is computed in */
} tess__filter_call;

/* The precision that a filter of this array is computed in: f32 or f64. */
static inline tess_dtype tess__filter_precision(const tess_array *a)
{
    return tess_dtype_real(a->dtype) == TESS_F64 ? TESS_F64 : TESS_F32;
}

/* A number that is not negative, not NaN and below infinity. */
tess_status tess__check_frequency(const char *fn, const char *arg, double value);

/* A finite number above 0. */
tess_status tess__check_positive(const char *fn, const char *arg, double value);

/* The axes of the request of a call, whose `to` is set. */
void tess__filter_axes(tess__filter_axis axis[4], const tess__filter_call *call);

/* Check what a call has, before anything is computed for it: see tess__filter_run, which does so too. `call->to` is
 * set. */
tess_status tess__filter_check(tess__filter_call *call);

/* The parameters of a call, which has them, checked and as f64 of the host, {b,1,1,m} and contiguous; to be released.
 * Waits for the work that is queued on their device. */
tess_status tess__filter_read_rows(tess_array *rows, const tess__filter_call *call);

/* Check arrays, allocate `out`, fill in the rest of `work`, of which spec, columns and column_of are set, and run
 * it. */
tess_status tess__filter_run(tess__spectrum_filter *work, const tess__filter_call *call);

/* The same for a real array, by way of its spectrum. */
tess_status tess__filter_image(tess__spectrum_filter *work, const tess__filter_call *call);

#endif
